#include "cursor/queue.hpp"

#include "stopwatch.hpp"

#include <algorithm>
#include <string>

namespace replay {
namespace {

/// A new file: what another run left there is gone.
const std::filesystem::path& cleared(const std::filesystem::path& file) {
    deleteStoreFiles(file);
    return file;
}

queuecore::CursorOptions optionsOf(const QueueSettings& settings) {
    return queuecore::CursorOptions().policy(settings.policy).accounting(settings.accounting);
}

}  // namespace

std::size_t QueuePages::fetch(const queuecore::Fetch& fetch, queuecore::Span<queuecore::Stored> out) {
    const Ns beginNs = stopwatchNs();
    ++fetches_;
    source_.fetch({fetch.after, fetch.up_to, fetch.max_messages, fetch.max_bytes}, page_);
    for (std::size_t at = 0; at < page_.size(); ++at) {
        const PagedMessage& message = page_[at];
        if (at >= out.size()) {
            bodies_.giveBack(message.body);  // the cursor never hears of it
            continue;
        }
        out[at] = queuecore::stored_message(message.sequence, message.body, message.bytes);
        if (charged_ != nullptr) {
            charged_->increase(message.bytes);
        }
    }
    fetchNs_ += stopwatchNs() - beginNs;
    return page_.size();
}

void QueuePages::discard(const queuecore::Stored& message) noexcept {
    bodies_.giveBack(message.user);
    if (charged_ != nullptr) {
        charged_->decrease(message.size_bytes);
    }
}

Queue::Queue(const QueueSettings& settings, queuecore::Tracker& usage, queuecore::CursorGroup* group)
    : settings_(settings),
      charged_(settings.accounting == queuecore::Accounting::host ? &usage : nullptr),
      bodies_(settings.messageBytes),
      store_(cleared(settings.file), bodies_, settings.batch),
      faulty_(store_, bodies_, settings.faults),
      pages_(faulty_, bodies_, charged_),
      cursor_(optionsOf(settings), usage, pages_, group) {
    cursor_.on_ready([this] { isReady_ = true; });
}

Queue::~Queue() { deleteStoreFiles(settings_.file); }

void Queue::produce() {
    const std::uint64_t sequence = store_.nextSequence();
    const auto bytes = static_cast<std::uint32_t>(settings_.messageBytes);
    const std::uint64_t body = bodies_.take();
    writeBody(bodies_.at(body), bytes, sequence);
    // Told before the write that may end the batch, so that no commit comes before its message.
    const auto message = queuecore::open_message(sequence, body, bytes, 4, sequence);
    const bool isCached = cursor_.push(message) == queuecore::Pushed::cached;
    store_.append(bodies_.at(body));
    if (!isCached) {
        bodies_.giveBack(body);
    } else if (charged_ != nullptr) {
        charged_->increase(bytes);
    }
    tellCommitted();
}

void Queue::commit() {
    store_.commit();
    tellCommitted();
}

void Queue::tellCommitted() {
    if (toldCommitted_ == store_.committedSequence()) {
        return;
    }
    while (toldCommitted_ < store_.committedSequence()) {
        ++toldCommitted_;
        cursor_.committed(toldCommitted_, toldCommitted_);
    }
    isReady_ = true;
}

bool Queue::receive() {
    const std::size_t before = inHand_.size();
    while (isReady_ && inHand_.size() < settings_.prefetch) {
        const auto demand = static_cast<std::uint32_t>(settings_.prefetch - inHand_.size());
        const std::uint64_t faults = faulty_.faults();
        isReady_ = false;  // before the pull: on_ready may come before it returns
        const auto pulled = cursor_.try_pull(demand, {received_.data(), received_.size()});
        if (!pulled) {
            if (faulty_.faults() == faults) {
                (void)pulled.value();  // throws: the store failed by itself
            }
            ++refused_;
            isReady_ = true;
            continue;
        }
        for (std::size_t at = 0; at < pulled.value().count; ++at) {
            take(received_[at]);
        }
        if (pulled.value().end == queuecore::PullEnd::more) {
            isReady_ = true;
        }
    }
    return inHand_.size() > before;
}

void Queue::take(const queuecore::Delivered& message) {
    if (message.sequence != lastReceived_ + 1) {
        throw DeliveryError("message " + std::to_string(message.sequence) + " was delivered after message " +
                            std::to_string(lastReceived_));
    }
    lastReceived_ = message.sequence;
    inHand_.push_back({message.sequence, message.user});
}

bool Queue::acknowledge() {
    if (inHand_.empty()) {
        return false;
    }
    const InHand message = inHand_.front();
    inHand_.pop_front();
    if (!isBodyOf(bodies_.at(message.body), settings_.messageBytes, message.sequence)) {
        throw DeliveryError("message " + std::to_string(message.sequence) + " came with another body");
    }
    cursor_.ack(message.sequence);
    bodies_.giveBack(message.body);
    if (charged_ != nullptr) {
        charged_->decrease(settings_.messageBytes);
        cursor_.refresh();
    }
    ++acknowledged_;
    removeFromStore(message.sequence);
    return true;
}

void Queue::removeFromStore(std::uint64_t sequence) {
    lastAcknowledged_ = sequence;
    if (settings_.deletion == Deletion::Each) {
        store_.remove(sequence);
        tellCommitted();
    } else if (++undeleted_ == settings_.batch) {
        undeleted_ = 0;
        store_.removeUpTo(sequence);
        tellCommitted();
    }
}

void Queue::checkDone() {
    if (undeleted_ > 0) {
        undeleted_ = 0;
        store_.removeUpTo(lastAcknowledged_);
    }
    commit();
    const auto expect = [](const char* what, std::uint64_t is, std::uint64_t should) {
        if (is != should) {
            throw DeliveryError(std::string(what) + ": " + std::to_string(is) + ", not " + std::to_string(should));
        }
    };
    const queuecore::CursorStats stats = cursor_.stats();
    expect("messages acknowledged", acknowledged_, produced());
    expect("messages in hand at the end", inHand_.size(), 0);
    expect("messages pending at the end", stats.pending_count, 0);
    expect("bytes charged at the end", stats.in_memory_bytes, 0);
    expect("bodies in memory at the end", bodies_.inUse(), 0);
    expect("messages in the store at the end", store_.summary().messages, 0);
}

}  // namespace replay
