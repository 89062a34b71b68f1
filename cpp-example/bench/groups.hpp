// The groups of measurements. Each builds its own instances, adds its rows and goals to the report, and
// leaves nothing.
#pragma once

#include "plan.hpp"
#include "report.hpp"

namespace bench {

/// One instance growing from nothing to its largest and draining again: bytes per entry, entries moved by one
/// call, memory that stays. To be run first, while the heap is clean.
void measureLifeCycle(const Plan& plan, Report& report);

/// Nanoseconds per message in the steady state, singly and in batches, at all sizes.
void measureThroughput(const Plan& plan, Report& report);

/// The slowest inserts in the steady state, at all sizes.
void measureInsertTails(const Plan& plan, Report& report);

/// The slowest inserts of an empty history that grows, over touched memory and from fresh memory.
void measureGrowth(const Plan& plan, Report& report);

/// Lookups and collection in a large history.
void measureAtRest(const Plan& plan, Report& report);

/// What small instances take, and collection over many of them.
void measureSmall(const Plan& plan, Report& report);

/// Sets the stand-in's rows beside the incumbent's table; after all others.
void compareWithIncumbent(Report& report);

}  // namespace bench
