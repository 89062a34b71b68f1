// The doubly linked list of all nodes, oldest first, live and historical ones mixed. The collector works from
// its oldest end; the full rehash walks it whole.
#pragma once

namespace standin {

template <class NodeType>
class InsertionOrder {
  public:
    NodeType* oldest() const { return oldest_; }
    NodeType* newest() const { return newest_; }

    void append(NodeType* node) {
        node->older = newest_;
        node->newer = nullptr;
        (newest_ != nullptr ? newest_->newer : oldest_) = node;
        newest_ = node;
    }

    void remove(NodeType* node) {
        (node->older != nullptr ? node->older->newer : oldest_) = node->newer;
        (node->newer != nullptr ? node->newer->older : newest_) = node->older;
    }

    void forgetAll() { oldest_ = newest_ = nullptr; }

  private:
    NodeType* oldest_ = nullptr;
    NodeType* newest_ = nullptr;
};

}  // namespace standin
