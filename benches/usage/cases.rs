//! What is measured: the cases, and which engines take part.

use crate::meter::KIB;

/// What the parent may count, and each child with it.
pub const LIMIT_BYTES: u64 = 123_000_000_000;

/// What the threads do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Each thread the whole life of a message on its child: increase 1 KiB, is it full, which percent, is the parent
    /// full, decrease 1 KiB.
    Message,
    /// The same with the parent's percent in place of the child's.
    ParentPercent,
    /// Two threads share a message's life: one increases and asks, the other decreases, in step.
    Split,
    /// The whole life, each on another child, at random.
    Random,
}

/// One case.
pub struct Case {
    /// What the command line and the file know it by.
    pub name: &'static str,
    /// What people read.
    pub title: &'static str,
    /// What the parent counts already.
    pub level_bytes: u64,
    pub children: usize,
    /// How many of the children the threads use: thread t uses child t modulo this.
    pub used: usize,
    pub work: Work,
    /// Whether a listener hears of every step of the parent's percent.
    pub listens: bool,
    pub threads: &'static [usize],
    /// The engines besides `atomic`, `exact` and `queuecore`, which are in every case.
    pub beside: &'static [&'static str],
}

/// The smallest level of that percent.
const fn level_of(percent: u64) -> u64 {
    LIMIT_BYTES / 100 * percent
}

const MID: u64 = LIMIT_BYTES / 1000 * 485;
/// One message on its way crosses the step.
const BELOW_48: u64 = level_of(48) - KIB / 2;
const BELOW_LIMIT: u64 = LIMIT_BYTES - KIB / 2;

const UP_TO_8: &[usize] = &[1, 2, 4, 8];

const SIXTEEN: Case = Case {
    name: "",
    title: "",
    level_bytes: MID,
    children: 16,
    used: 16,
    work: Work::Message,
    listens: false,
    threads: UP_TO_8,
    beside: &["lock"],
};

/// All of them, in the order in which they are measured.
pub const CASES: [Case; 8] = [
    Case {
        name: "mid",
        title: "Mid: the parent at 48.5 %, each thread on its child",
        beside: &["lock", "pair", "sums"],
        ..SIXTEEN
    },
    Case {
        name: "hot_child",
        title: "Hot child: all threads on the same child",
        used: 1,
        beside: &["lock", "sums"],
        ..SIXTEEN
    },
    Case {
        name: "split",
        title: "Split: one thread increases, another decreases the same child",
        used: 1,
        work: Work::Split,
        threads: &[2],
        beside: &["lock", "sums"],
        ..SIXTEEN
    },
    Case {
        name: "edge_quiet",
        title: "Edge, quiet: the parent swings across 48 %, the child's percent is read",
        level_bytes: BELOW_48,
        ..SIXTEEN
    },
    Case {
        name: "edge_quiet_own",
        title: "Edge, quiet: the parent swings across 48 %, its own percent is read",
        level_bytes: BELOW_48,
        work: Work::ParentPercent,
        ..SIXTEEN
    },
    Case {
        name: "edge_listener",
        title: "Edge with a listener: the parent swings across 48 %, every step is reported",
        level_bytes: BELOW_48,
        listens: true,
        ..SIXTEEN
    },
    Case {
        name: "limit",
        title: "Limit: the parent swings across 100 %",
        level_bytes: BELOW_LIMIT,
        ..SIXTEEN
    },
    Case {
        name: "many",
        title: "Many: 10,000 children, each message on another one at random",
        children: 10_000,
        used: 10_000,
        work: Work::Random,
        beside: &["lock", "sums"],
        ..SIXTEEN
    },
];

/// Every engine there is, in the order in which they are shown.
pub const ENGINES: [&str; 6] = ["lock", "atomic", "exact", "queuecore", "pair", "sums"];

impl Case {
    /// The engines of this case that `only` does not exclude.
    pub fn engines(&self, only: &[String]) -> Vec<&'static str> {
        let takes_part = |name: &&str| {
            (["atomic", "exact", "queuecore"].contains(name) || self.beside.contains(name))
                && (only.is_empty() || only.iter().any(|wanted| wanted == name))
        };
        ENGINES.into_iter().filter(takes_part).collect()
    }
}
