//! The goals, and their values out of what was measured.

use crate::report::Cpp;
use crate::rounds::{Measured, summarize};

/// One goal. Without a value, if its case was not measured.
pub struct Goal {
    pub name: &'static str,
    pub at_least: bool,
    pub limit: f64,
    pub value: Option<f64>,
}

impl Goal {
    pub fn is_met(&self) -> bool {
        self.value.is_some_and(|value| if self.at_least { value >= self.limit } else { value <= self.limit })
    }

    pub fn op(&self) -> &'static str {
        if self.at_least { ">=" } else { "<=" }
    }
}

/// Name, limit, case, threads, the engine to compare with: queuecore has to be at least that many times as fast.
const RATIOS: [(&str, f64, &str, usize, &str); 17] = [
    ("mid_1t_ratio", 1.8, "mid", 1, "atomic"),
    ("mid_2t_ratio", 7.0, "mid", 2, "atomic"),
    ("mid_4t_ratio", 7.0, "mid", 4, "atomic"),
    ("mid_8t_ratio", 7.0, "mid", 8, "atomic"),
    ("mid_2t_vs_exact", 6.0, "mid", 2, "exact"),
    ("mid_4t_vs_exact", 6.0, "mid", 4, "exact"),
    ("mid_8t_vs_exact", 6.0, "mid", 8, "exact"),
    ("linear_1_to_2", 0.9, "", 0, ""),
    ("hot_child_2t_ratio", 6.0, "hot_child", 2, "atomic"),
    ("split_2t_ratio", 6.0, "split", 2, "atomic"),
    ("edge_quiet_2t_ratio", 8.0, "edge_quiet", 2, "atomic"),
    ("edge_quiet_own_2t_ratio", 1.0, "edge_quiet_own", 2, "atomic"),
    ("edge_listener_2t_vs_exact", 1.0, "edge_listener", 2, "exact"),
    ("edge_listener_4t_vs_exact", 0.9, "edge_listener", 4, "exact"),
    ("limit_2t_vs_exact", 1.0, "limit", 2, "exact"),
    ("limit_4t_vs_exact", 0.9, "limit", 4, "exact"),
    ("many_children_8t_ratio", 4.0, "many", 8, "atomic"),
];

/// All goals, in the order in which they are shown.
pub fn of(measured: &[Measured], cpp: Option<&Cpp>, quiet_tracker_bytes: f64) -> Vec<Goal> {
    let mut goals: Vec<Goal> = RATIOS
        .iter()
        .map(|&(name, limit, case, threads, than)| {
            let value = if case.is_empty() { linear(measured) } else { ratio(measured, case, threads, than) };
            Goal { name, at_least: true, limit, value }
        })
        .collect();
    let at_most = |name, limit, value| Goal { name, at_least: false, limit, value };
    goals.push(at_most("shared_writes_mid", 0.001, shared_lines(measured, "mid")));
    goals.push(at_most("shared_writes_split", 0.125, shared_lines(measured, "split")));
    let value = cpp.and_then(|cpp| cpp.ratio);
    goals.push(Goal { name: "cpp_1t_ratio", at_least: true, limit: 1.2, value });
    goals.push(at_most("quiet_tracker_bytes", 256.0, Some(quiet_tracker_bytes)));
    goals
}

fn find<'a>(measured: &'a [Measured], case: &str, threads: usize, engine: &str) -> Option<&'a Measured> {
    measured.iter().find(|cell| cell.case.name == case && cell.threads == threads && cell.engine == engine)
}

/// How many times as fast queuecore is.
fn ratio(measured: &[Measured], case: &str, threads: usize, than: &str) -> Option<f64> {
    median_ratio(find(measured, case, threads, "queuecore")?, find(measured, case, threads, than)?)
}

/// How near two threads come to twice one thread.
fn linear(measured: &[Measured]) -> Option<f64> {
    let (one, two) = (find(measured, "mid", 1, "queuecore")?, find(measured, "mid", 2, "queuecore")?);
    median_ratio(two, one).map(|ratio| ratio / 2.0)
}

/// Round by round, so that what else the machine did in a round falls out.
pub fn median_ratio(over: &Measured, under: &Measured) -> Option<f64> {
    let ratios = over.rates.iter().zip(&under.rates).map(|(over, under)| over / under);
    summarize(ratios.collect()).map(|summary| summary.median)
}

/// The most of all numbers of threads.
fn shared_lines(measured: &[Measured], case: &str) -> Option<f64> {
    let cells = measured.iter().filter(|cell| cell.case.name == case);
    cells.filter_map(|cell| cell.lent).map(|lent| lent.shared_lines).max_by(f64::total_cmp)
}
