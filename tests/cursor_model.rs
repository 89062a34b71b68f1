//! Random sequences of every call, compared step by step with the naive queue of `cursor_support/model.rs`: pushes whose
//! writes are answered in any order or given up, pulls, rounds, acks that reach the store late, removals, purges, losses,
//! changes of policy and limit, another destination that fills the shared limit, stores that fail and answer nonsense,
//! restarts.
//!
//! After every call the usage and the counts are compared; each pull has to give exactly the messages that the model
//! names; each blocked pull has to have its reason, and `on_ready` to come once when that is gone. In the end everything
//! is drained: nothing lost, doubled or reordered, and the usage is 0.
//!
//! `QUEUECORE_CURSOR_OPS` sets the number of operations, `QUEUECORE_CURSOR_SEED` the first seed.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cursor_support {
    pub mod driver;
    pub mod faulty_store;
    pub mod figures;
    pub mod model;
}

use cursor_support::driver::{Run, Totals};

const OPS_OF_A_RUN: u64 = 5_000;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

fn run(operations: u64) {
    let first = variable("QUEUECORE_CURSOR_SEED", 1);
    let mut totals = Totals::default();
    for seed in first..first + operations.div_ceil(OPS_OF_A_RUN) {
        // The seed of a run that fails stands in its output.
        println!("seed {seed}");
        Run::new(seed).run(OPS_OF_A_RUN, &mut totals);
    }
    println!("{totals:?}");
    if operations >= 300_000 {
        totals.check_coverage();
    }
}

#[test]
fn random_operations_agree_with_the_naive_queue() {
    run(variable("QUEUECORE_CURSOR_OPS", 300_000));
}

#[test]
#[ignore = "minutes"]
fn ten_million_random_operations_agree_with_the_naive_queue() {
    run(10_000_000);
}
