// The dispatcher's FIFO, and the rule that a full one refuses PUTs.
//
// Only PUTs are refused: ACKs, GC events and stalls come from the broker itself. `LocalQueue` serves the virtual clock,
// on one thread; `SharedQueue` the real one, where producer threads offer and the dispatcher takes.
#pragma once

#include "event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace replay {

class EventQueue {
  public:
    EventQueue() = default;
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;
    virtual ~EventQueue() = default;

    /// False, and counted as a NACK, when the queue already holds its limit of events.
    virtual bool offerPut(const Event& event) = 0;
    virtual void push(const Event& event) = 0;
    virtual std::optional<Event> pop() = 0;
    virtual std::size_t size() const = 0;
    virtual std::uint64_t nacks() const = 0;
};

class LocalQueue final : public EventQueue {
  public:
    explicit LocalQueue(std::size_t limit) : limit_(limit) {}

    bool offerPut(const Event& event) override {
        if (events_.size() >= limit_) {
            ++nacks_;
            return false;
        }
        events_.push_back(event);
        return true;
    }

    void push(const Event& event) override { events_.push_back(event); }

    std::optional<Event> pop() override {
        if (events_.empty()) {
            return std::nullopt;
        }
        const Event event = events_.front();
        events_.pop_front();
        return event;
    }

    std::size_t size() const override { return events_.size(); }
    std::uint64_t nacks() const override { return nacks_; }

  private:
    std::size_t limit_;
    std::deque<Event> events_;
    std::uint64_t nacks_ = 0;
};

class SharedQueue final : public EventQueue {
  public:
    explicit SharedQueue(std::size_t limit) : queue_(limit) {}

    bool offerPut(const Event& event) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return queue_.offerPut(event);
    }

    void push(const Event& event) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        queue_.push(event);
    }

    std::optional<Event> pop() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return queue_.pop();
    }

    std::size_t size() const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return queue_.size();
    }

    std::uint64_t nacks() const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return queue_.nacks();
    }

  private:
    mutable std::mutex mutex_;
    LocalQueue queue_;
};

}  // namespace replay
