// The stream of messages: each is inserted, and erased 1000 messages later, oldest first; the clock goes on
// 10 us a message. With a window of N gaps the history therefore stays at N entries once N messages have
// passed.
//
// Keys are made a block at a time outside the timed parts; a timed part is one block of messages.
#pragma once

#include "keys.hpp"
#include "plan.hpp"
#include "timer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace bench {

enum class Check { No, Separate };
enum class Messages { Separated, Overlapped };

template <class Engine>
class Stream {
  public:
    using Key = typename Engine::Key;
    using Handle = typename Engine::Handle;

    explicit Stream(Engine& engine) : engine_(engine) {}

    std::int64_t nowNs() const { return nowNs_; }
    std::uint64_t sent() const { return sent_; }

    /// Lets time pass without messages.
    void wait(std::int64_t ns) { nowNs_ += ns; }

    /// Whole blocks, at least `count` messages, not timed. `afterBlock()` runs after each block.
    template <class AfterBlock>
    void send(std::uint64_t count, AfterBlock afterBlock) {
        forBlocks(count, [&] {
            for (const Key& key : keys_) {
                message<Check::No>(key);
            }
            afterBlock();
        });
    }

    void send(std::uint64_t count) {
        send(count, [] {});
    }

    /// As `send`, but the clock stands still and nothing falls due.
    void sendAtOnce(std::uint64_t count) {
        const std::int64_t frozenNs = nowNs_;
        forBlocks(count, [&] {
            for (const Key& key : keys_) {
                message<Check::No>(key);
                nowNs_ = frozenNs;
            }
        });
    }

    /// Nanoseconds per message, one call at a time.
    template <Check check, Messages messages>
    double timeSingly(std::uint64_t count) {
        return timeBlocks(count, [&] {
            for (const Key& key : keys_) {
                message<check>(key);
                if (messages == Messages::Separated) {
                    separateMessages();
                }
            }
        });
    }

    /// Nanoseconds per message when inserts and erases go in batches. Only for an engine that has them.
    double timeBatches(std::uint64_t count) {
        static_assert(keyBlock % Engine::batchSize == 0);
        return timeBlocks(count, [&] {
            for (std::size_t at = 0; at < keyBlock; at += Engine::batchSize) {
                batch(&keys_[at]);
                separateMessages();
            }
        });
    }

    /// Times every insert by itself: `record(ticks)` in order. The rest of the message is not timed.
    template <class Record>
    void timeInserts(std::uint64_t count, Record record) {
        forBlocks(count, [&] {
            for (const Key& key : keys_) {
                const std::uint64_t begin = startTicks();
                const Handle handle = engine_.insert(key, sent_, nowNs_);
                record(stopTicks() - begin);
                eraseDue();
                finish(handle);
            }
        });
    }

    /// Erases what is still live.
    void eraseLive() {
        for (; erased_ < sent_; ++erased_) {
            engine_.erase(handles_[erased_ % ringSize], nowNs_);
        }
    }

    /// Nanoseconds per lookup: `keyNumber(i)` chooses the keys, `lookUp(key)` runs for each; returns are
    /// added up and must come to `expected` for each key.
    template <class KeyNumber, class LookUp>
    double timeLookups(std::uint64_t count, std::uint64_t expected, KeyNumber keyNumber, LookUp lookUp) {
        std::uint64_t found = 0;
        std::int64_t spentNs = 0;
        std::uint64_t done = 0;
        for (; done < count; done += keyBlock) {
            for (std::size_t i = 0; i < keyBlock; ++i) {
                makeKey(keyNumber(done + i), keys_[i]);
            }
            const std::int64_t beginNs = threadNs();
            found += lookUp(keys_.data());
            spentNs += threadNs() - beginNs;
        }
        if (found != expected * done) {
            throw std::logic_error("a lookup gave the wrong answer");
        }
        return static_cast<double>(spentNs) / static_cast<double>(done);
    }

  private:
    static constexpr std::size_t ringSize = 2048;
    static_assert(ringSize >= liveMessages + 64);

    template <class Block>
    std::uint64_t forBlocks(std::uint64_t count, Block block) {
        std::uint64_t done = 0;
        for (; done < count; done += keyBlock) {
            for (std::size_t i = 0; i < keyBlock; ++i) {
                makeKey(sent_ + i, keys_[i]);
            }
            block();
        }
        return done;
    }

    template <class Block>
    double timeBlocks(std::uint64_t count, Block block) {
        std::int64_t spentNs = 0;
        const std::uint64_t done = forBlocks(count, [&] {
            const std::int64_t beginNs = threadNs();
            block();
            spentNs += threadNs() - beginNs;
        });
        return static_cast<double>(spentNs) / static_cast<double>(done);
    }

    template <Check check>
    void message(const Key& key) {
        if (check == Check::Separate && engine_.isKnown(key, nowNs_)) {
            throw std::logic_error("a fresh key was known already");
        }
        const Handle handle = engine_.insert(key, sent_, nowNs_);
        eraseDue();
        finish(handle);
    }

    void eraseDue() {
        if (sent_ - erased_ >= liveMessages) {
            engine_.erase(handles_[erased_ % ringSize], nowNs_);
            ++erased_;
        }
    }

    void finish(Handle handle) {
        handles_[sent_ % ringSize] = handle;
        ++sent_;
        nowNs_ += messageGapNs;
        if (sent_ % collectionInterval == 0) {
            engine_.collectSoon();
        }
    }

    void batch(const Key* keys) {
        constexpr std::size_t size = Engine::batchSize;
        std::array<Handle, size> handles;
        engine_.insertBatch(keys, sent_, nowNs_, handles.data());
        for (std::size_t i = 0; i < size; ++i) {
            handles_[(sent_ + i) % ringSize] = handles[i];
        }
        sent_ += size;
        if (sent_ - erased_ >= liveMessages + size) {
            for (std::size_t i = 0; i < size; ++i) {
                handles[i] = handles_[(erased_ + i) % ringSize];
            }
            engine_.eraseBatch(handles.data(), nowNs_);
            erased_ += size;
        }
        nowNs_ += messageGapNs * static_cast<std::int64_t>(size);
    }

    Engine& engine_;
    std::uint64_t sent_ = 0;
    std::uint64_t erased_ = 0;
    std::int64_t nowNs_ = 0;
    std::array<Key, keyBlock> keys_;
    std::array<Handle, ringSize> handles_;
};

/// The window with which the history stays at `entries`.
inline std::int64_t windowFor(std::uint64_t entries) {
    return static_cast<std::int64_t>(entries) * messageGapNs;
}

/// A history in its steady state: full, and turned over by an eighth.
template <class Engine>
void settle(Stream<Engine>& stream, std::uint64_t entries) {
    stream.send(entries + entries / 8);
}

}  // namespace bench
