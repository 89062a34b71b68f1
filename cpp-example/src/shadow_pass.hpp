// The passes that are only there to be compared with: a thread of its own repeats every call of the charged pass, in
// order, on its engines, a little behind, and keeps what the shortest took.
//
//     charged pass  --calls and answers-->  [ring of the last 2048]  --> worker: engine 2, engine 3
//                   <--shortest time of call n, if it asks--
//
// The charged pass never waits while it is being timed: it hands a call over when it has ended, and asks about the few
// that took long. Two positions are all that is shared: how many calls are handed over, and how many are done.
#pragma once

#include "engine.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace replay {

enum class CallKind : std::uint8_t { Put, Ack, Gc };

/// One call into a history and its answer, whichever call it was.
struct Call {
    CallKind kind;
    bool flag;        // answer: put: added, ack: known, gc: more
    bool secondFlag;  // answer: put: collected
    Key key;          // put, ack
    Ns nowNs;
    std::uint64_t number;  // gc: its maximum
    std::uint64_t count;   // answer: gc: collected
};

class ShadowPass {
  public:
    explicit ShadowPass(std::vector<std::unique_ptr<Engine>> engines);
    ShadowPass(const ShadowPass&) = delete;
    ShadowPass& operator=(const ShadowPass&) = delete;
    ~ShadowPass();

    /// Hands a call over and returns its number. Waits while the ring is full. Throws what the worker came upon: an
    /// engine's error, or that an engine's answer was another one.
    std::uint64_t repeat(const Call& call);

    /// The shortest time that call `number` took on these engines. Waits until it has been made. Throws like repeat().
    /// Only for a call that is still in the ring, such as the last one.
    Ns shortestNs(std::uint64_t number);

  private:
    static constexpr std::uint64_t slots = 2048;

    struct Slot {
        Call call;
        Ns shortestNs;
    };

    void work();
    void waitUntilDone(std::uint64_t count);

    std::vector<std::unique_ptr<Engine>> engines_;
    std::vector<Slot> ring_;
    std::uint64_t nextNumber_ = 0;                           // of the charged pass alone
    alignas(128) std::atomic<std::uint64_t> handedOver_{0};  // written by the charged pass
    alignas(128) std::atomic<std::uint64_t> done_{0};        // written by the worker
    std::atomic<bool> failed_{false};
    std::atomic<bool> stop_{false};
    std::exception_ptr failure_;
    std::thread worker_;
};

/// Makes the call on an engine and says whether the answer was the recorded one.
bool repeatsAlike(Engine& engine, const Call& call);

}  // namespace replay
