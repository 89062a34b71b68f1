// A broker's queue around a cursor: its messages in a store, the bodies of some in memory, what its consumers have in
// hand. It checks what comes: each message once, in order, with its own body.
//
//   produce --> store.append --> cursor.push: cached, or only stored          commit --> cursor.committed
//   receive <-- cursor.pull  <-- window <-- page <-- store.fetch
//   acknowledge --> cursor.ack, store.remove
//
// One thread, as a queue's own in a broker; what other threads would do to it, here a fault does.
#pragma once

#include "cursor/bodies.hpp"
#include "cursor/cases.hpp"
#include "cursor/sqlite_store.hpp"
#include "cursor/store_faults.hpp"

#include <queuecore.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace replay {

/// A message came that should not, or one did not come.
class DeliveryError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The store as a cursor sees it. Takes the time that fetches take.
class QueuePages final : public queuecore::CursorStore {
  public:
    /// With a `charged` tracker, what is fetched is charged to it, and what is discarded is taken off.
    QueuePages(PageSource& source, BodyPool& bodies, queuecore::Tracker* charged)
        : source_(source), bodies_(bodies), charged_(charged) {}

    std::size_t fetch(const queuecore::Fetch& fetch, queuecore::Span<queuecore::Stored> out) override;
    void discard(const queuecore::Stored& message) noexcept override;

    std::uint64_t fetches() const { return fetches_; }
    Ns fetchNs() const { return fetchNs_; }

  private:
    PageSource& source_;
    BodyPool& bodies_;
    queuecore::Tracker* const charged_;
    std::vector<PagedMessage> page_;
    std::uint64_t fetches_ = 0;
    Ns fetchNs_ = 0;
};

struct QueueSettings {
    std::filesystem::path file;
    std::uint64_t messageBytes = 1 << 10;
    unsigned batch = 200;
    Deletion deletion = Deletion::Range;
    std::uint64_t prefetch = 100'000;
    FaultPlan faults;
    queuecore::Accounting accounting = queuecore::Accounting::own;
    queuecore::CursorPolicy policy;
};

class Queue {
  public:
    /// An empty queue in a new file; `usage` outlives it. With accounting by the host it charges `usage` itself.
    Queue(const QueueSettings& settings, queuecore::Tracker& usage, queuecore::CursorGroup* group = nullptr);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Deletes the file.
    ~Queue();

    /// A producer's message. It is committed with its batch.
    void produce();
    /// Ends the store's batch.
    void commit();
    /// Gives consumers what they have room for, as far as it is to be had, if that may have changed. Answers whether any.
    bool receive();
    /// The oldest message that consumers have in hand is done with. False if they have none.
    bool acknowledge();

    std::uint64_t produced() const { return store_.nextSequence() - 1; }
    std::uint64_t acknowledged() const { return acknowledged_; }
    std::uint64_t refusedFetches() const { return refused_; }
    std::uint64_t faults() const { return faulty_.faults(); }
    const QueuePages& pages() const { return pages_; }
    queuecore::CursorStats stats() const { return cursor_.stats(); }

    /// Throws DeliveryError unless every message was acknowledged and nothing is left: in the store, in memory, charged.
    void checkDone();

  private:
    struct InHand {
        std::uint64_t sequence;
        std::uint64_t body;
    };

    void tellCommitted();
    void take(const queuecore::Delivered& message);
    void removeFromStore(std::uint64_t sequence);

    const QueueSettings settings_;
    queuecore::Tracker* const charged_;  // by the host; null if the cursor does it
    BodyPool bodies_;
    SqliteStore store_;
    FaultyPages faulty_;
    QueuePages pages_;
    queuecore::Cursor cursor_;
    std::deque<InHand> inHand_;
    std::array<queuecore::Delivered, 256> received_{};
    bool isReady_ = true;
    std::uint64_t toldCommitted_ = 0;
    std::uint64_t lastReceived_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t lastAcknowledged_ = 0;
    unsigned undeleted_ = 0;
    std::uint64_t refused_ = 0;
};

}  // namespace replay
