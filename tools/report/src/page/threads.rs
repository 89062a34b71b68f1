//! Throughput over numbers of threads: one line for each engine.

use super::bench::{engines, style};
use crate::chart::{Axis, Curve, LineChart, Reference};
use crate::format::significant;
use crate::input::OWN_ENGINE;
use crate::input::bench::{Part, Role, Row};

/// What is to be seen.
pub const SENTENCE: &str = "All threads together; the median of the rounds. Higher is better.";

/// The chart of the first group that was measured with several numbers of threads.
pub fn first(part: &Part) -> Option<LineChart> {
    let engines = engines(part);
    let rows = |group: &str| part.rows.iter().filter(|row| row.group == group).collect::<Vec<_>>();
    part.groups().into_iter().find_map(|group| chart(&rows(group), "threads", &engines))
}

/// The chart of a group, if it was measured with several numbers of threads.
pub fn chart(rows: &[&Row], id: &str, engines: &[String]) -> Option<LineChart> {
    let first = rows.first()?;
    let threads = || rows.iter().filter_map(|row| row.threads);
    let (fewest, most) = (threads().fold(f64::INFINITY, f64::min), threads().fold(0.0, f64::max));
    if fewest >= most || rows.iter().any(|row| row.threads.is_none() || row.unit != first.unit) {
        return None;
    }
    let drawn = || rows.iter().filter(|row| row.role != Some(Role::Floor)).map(|row| row.median);
    let mut curves = Vec::new();
    let mut references = Vec::new();
    for engine in engines {
        let of_engine = || rows.iter().filter(|row| row.engine == *engine);
        let mut points: Vec<_> = of_engine().filter_map(|row| Some((row.threads?, row.median))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let label = engine.clone();
        match of_engine().next().map(|row| row.role) {
            None | Some(Some(Role::Floor)) => {}
            Some(Some(Role::Ceiling)) => references.push(Reference { label, points }),
            Some(None) => curves.push(Curve { style: style(engines, engine), label, points }),
        }
    }
    // The last one is on top.
    curves.sort_by_key(|curve| curve.label == OWN_ENGINE);
    Some(LineChart {
        id: format!("{id}-lines"),
        title: first.group.clone(),
        x: Axis::doublings("threads", fewest, most),
        y: Axis::from_zero(unit_name(&first.unit), drawn(), |value| significant(value, 4)),
        curves,
        references,
        bands: Vec::new(),
    })
}

/// The upright axis names its unit in words.
fn unit_name(unit: &str) -> &'static str {
    match unit {
        "M ops/s" => "million operations per second",
        "k messages/s" => "thousand messages per second",
        "ns" => "nanoseconds",
        _ => "figure",
    }
}
