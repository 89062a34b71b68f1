// Recorded brokers: a CSV of what arrived at a dispatcher, read to be replayed, or written from a run.
//
//     time_us,op,guid,size
//     0,PUT,000102030405060708090a0b0c0d0e0f,1024
//     10250,ACK,000102030405060708090a0b0c0d0e0f,0
//
// Times are microseconds since the start of the recording, in order; op is PUT or ACK; guid is 32 hex digits; size is
// the message's in bytes (checked, and otherwise unused: a history holds no payload). Lines that begin with # are
// skipped.
#pragma once

#include "arrivals.hpp"
#include "message_key.hpp"

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace replay {

/// Names the file and the line.
class TraceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Trace {
    std::vector<Event> events;  // an event's subject is its place in `keys`
    std::vector<Key> keys;
    std::uint64_t puts = 0;

    Ns lengthNs() const { return events.empty() ? 0 : events.back().atNs; }
    double putsPerS() const;
};

/// Reads all of it, so that a bad line is found before the replay begins.
Trace readTrace(const std::string& path);

class TraceArrivals final : public ArrivalSource {
  public:
    explicit TraceArrivals(const Trace& trace) : events_(trace.events) {}

    Ns nextDueNs() const override { return next_ < events_.size() ? events_[next_].atNs : never; }
    Event pop() override { return events_[next_++]; }

  private:
    const std::vector<Event>& events_;
    std::size_t next_ = 0;
};

class TraceWriter {
  public:
    /// Begins the file anew.
    explicit TraceWriter(const std::string& path);

    /// PUTs and ACKs; what the broker does for itself is not part of a recording.
    void write(const Event& event, const KeySource& keys);
    /// Throws unless everything reached the file.
    void finish();

  private:
    std::string path_;
    std::ofstream file_;
};

std::string toHex(const Key& key);

}  // namespace replay
