// A store that misbehaves on purpose, in front of one that does not: the switches by which a test or a run has pages fail,
// block, come short, come with too many messages or out of order, or late.
#pragma once

#include "cursor/bodies.hpp"
#include "cursor/page_source.hpp"
#include "units.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace replay {

enum class Fault : std::uint8_t {
    Fail,      // the fetch throws StoreFailure
    Block,     // the fetch stops until somebody ends that, or until its time is over
    Short,     // the answer has half of the messages
    TooMany,   // the answer has one message more than was asked for
    Disorder,  // the last message of the answer comes first
};

const std::vector<Fault>& allFaults();
std::string faultName(Fault fault);
std::optional<Fault> faultNamed(const std::string& name);
/// One line for --help.
std::string faultSummary(Fault fault);

/// Which fetches misbehave, and how.
struct FaultPlan {
    std::vector<Fault> faults;      // they take turns
    std::uint64_t every = 0;        // every so many fetches one; 0 = none
    Ns blockNs = 20 * nsPerMs;      // how long a blocked fetch waits at most, or `never`
    Ns delayNs = 0;                 // added to each fetch, in processor time
};

class FaultyPages final : public PageSource {
  public:
    FaultyPages(PageSource& store, BodyPool& bodies, FaultPlan plan = {});

    void fetch(const PageRequest& request, std::vector<PagedMessage>& page) override;

    /// The next fetch misbehaves so, whatever the plan says.
    void misbehaveNext(Fault fault) { next_ = fault; }
    /// Adds a delay to each fetch from now on.
    void setDelay(Ns delayNs) { plan_.delayNs = delayNs; }

    /// Any thread: whether a fetch is blocked now, and its end.
    bool isBlocked() const { return isBlocked_.load(std::memory_order_acquire); }
    void unblock();

    /// Fetches that misbehaved so far.
    std::uint64_t faults() const { return faults_; }

  private:
    std::optional<Fault> dueFault();
    void block();
    void addOne(const PageRequest& request, std::vector<PagedMessage>& page);

    PageSource& store_;
    BodyPool& bodies_;
    FaultPlan plan_;
    std::optional<Fault> next_;
    std::uint64_t fetches_ = 0;
    std::uint64_t faults_ = 0;
    std::mutex lock_;
    std::condition_variable ended_;
    bool isEnded_ = false;
    std::atomic<bool> isBlocked_{false};
};

}  // namespace replay
