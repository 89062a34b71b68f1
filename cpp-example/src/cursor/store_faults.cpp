#include "cursor/store_faults.hpp"

#include "stopwatch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace replay {
namespace {

struct Described {
    Fault fault;
    const char* name;
    const char* summary;
};

constexpr std::array<Described, 5> described{{
    {Fault::Fail, "fail", "the fetch fails"},
    {Fault::Block, "block", "the fetch takes 20 ms longer"},
    {Fault::Short, "short", "half of the messages are left out at the end, which a store may do"},
    {Fault::TooMany, "too-many", "one message more than was asked for"},
    {Fault::Disorder, "disorder", "the last message comes first"},
}};

const Described& descriptionOf(Fault fault) {
    return *std::find_if(described.begin(), described.end(), [&](const Described& one) { return one.fault == fault; });
}

/// Takes so long, to the microsecond, which a sleep would not; of processor time, so that beside other work it grows as
/// everything else does.
void spinFor(Ns lengthNs) {
    const Ns endNs = processorNs() + lengthNs;
    while (processorNs() < endNs) {
    }
}

}  // namespace

const std::vector<Fault>& allFaults() {
    static const std::vector<Fault> all = [] {
        std::vector<Fault> faults;
        for (const Described& one : described) {
            faults.push_back(one.fault);
        }
        return faults;
    }();
    return all;
}

std::string faultName(Fault fault) { return descriptionOf(fault).name; }
std::string faultSummary(Fault fault) { return descriptionOf(fault).summary; }

std::optional<Fault> faultNamed(const std::string& name) {
    const auto found =
        std::find_if(described.begin(), described.end(), [&](const Described& one) { return one.name == name; });
    return found != described.end() ? std::optional(found->fault) : std::nullopt;
}

FaultyPages::FaultyPages(PageSource& store, BodyPool& bodies, FaultPlan plan)
    : store_(store), bodies_(bodies), plan_(std::move(plan)) {}

std::optional<Fault> FaultyPages::dueFault() {
    ++fetches_;
    if (next_) {
        return std::exchange(next_, std::nullopt);
    }
    if (plan_.faults.empty() || plan_.every == 0 || fetches_ % plan_.every != 0) {
        return std::nullopt;
    }
    return plan_.faults[(fetches_ / plan_.every - 1) % plan_.faults.size()];
}

void FaultyPages::fetch(const PageRequest& request, std::vector<PagedMessage>& page) {
    const std::optional<Fault> fault = dueFault();
    if (plan_.delayNs > 0) {
        spinFor(plan_.delayNs);
    }
    if (fault == Fault::Block) {
        block();
    }
    faults_ += fault ? 1 : 0;
    if (fault == Fault::Fail) {
        page.clear();
        throw StoreFailure("a fetch fails on purpose");
    }
    store_.fetch(request, page);
    if (fault == Fault::Short) {
        // Never an empty answer to what is there: that would mean that nothing is.
        for (const std::size_t keep = (page.size() + 1) / 2; page.size() > keep; page.pop_back()) {
            bodies_.giveBack(page.back().body);
        }
    } else if (fault == Fault::TooMany) {
        addOne(request, page);
    } else if (fault == Fault::Disorder && page.size() > 1) {
        std::rotate(page.begin(), page.end() - 1, page.end());
    }
}

/// Repeats the last message until the answer has one more than was asked for.
void FaultyPages::addOne(const PageRequest& request, std::vector<PagedMessage>& page) {
    while (!page.empty() && page.size() <= request.maxMessages) {
        PagedMessage copy = page.back();
        copy.body = bodies_.take();
        page.push_back(copy);
    }
}

void FaultyPages::block() {
    std::unique_lock<std::mutex> held(lock_);
    isEnded_ = false;
    isBlocked_.store(true, std::memory_order_release);
    const auto isOver = [this] { return isEnded_; };
    if (plan_.blockNs == never) {
        ended_.wait(held, isOver);
    } else {
        ended_.wait_for(held, std::chrono::nanoseconds(plan_.blockNs), isOver);
    }
    isBlocked_.store(false, std::memory_order_release);
}

void FaultyPages::unblock() {
    const std::lock_guard<std::mutex> held(lock_);
    isEnded_ = true;
    ended_.notify_all();
}

}  // namespace replay
