// How much work the broker does per PUT besides its history.
//
// It is what remains of 1/capacity when the stand-in does its part, collection and ACK included, in a steady state at a
// history of rate x window: at rate = capacity the stand-in then has no slack at all. The steady state is a short run
// of the replay itself with no other work, so that the FIFO stays empty, over whole GC intervals, so that as much is
// collected as is inserted; the same code, the same number of passes and the same caches as in the runs that follow.
#pragma once

#include "run.hpp"
#include "scenario.hpp"

#include <stdexcept>

namespace replay {

class CalibrationError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What one engine takes per message in a steady state.
struct SteadyCosts {
    double putNs;  // inline collection included
    double ackNs;
    double collectNs;  // in GC events, per entry; 0 if none collected anything

    double collectPerMessageNs;  // in GC events, per message

    double perMessageNs() const { return putNs + ackNs + collectPerMessageNs; }
};

/// Throws CalibrationError when it is interrupted.
SteadyCosts measureSteadyCosts(const Scenario& scenario, const Contender& contender, const CostSettings& costs,
                               const RunProgress& progress);

/// The contender that the other work is calibrated with.
Contender calibrationContender();

/// Throws CalibrationError when the stand-in alone takes all of 1/capacity.
Ns otherWorkNs(const SteadyCosts& standIn, std::uint64_t capacityPerS);

}  // namespace replay
