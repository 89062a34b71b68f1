//! `percentiles.csv`, `gc_pauses.csv` and `capacity.csv`: distributions, collections, the search.

use std::path::Path;

use super::Run;
use super::sheet::each_line;
use super::timeseries::owner;
use crate::error::Outcome;

/// What a distribution is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// A PUT from arrival to handled.
    PutLatency,
    /// The history's part of handling one PUT.
    PutHistory,
    /// One collection.
    GcPause,
}

/// A distribution as (quantile, microseconds), rising.
#[derive(Debug, Clone, PartialEq)]
pub struct PercentileCurve {
    /// What it is of.
    pub metric: Metric,
    /// Quantile from 0 to 1, and the value there.
    pub points: Vec<(f64, f64)>,
    /// How many values went into it.
    pub count: f64,
}

/// What set a collection off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseKind {
    /// A GC event of the FIFO.
    Event,
    /// A PUT that collected.
    Inline,
    /// An empty FIFO.
    Idle,
}

impl PauseKind {
    /// For a table.
    pub fn word(self) -> &'static str {
        match self {
            PauseKind::Event => "GC event",
            PauseKind::Inline => "inline, with a PUT",
            PauseKind::Idle => "idle",
        }
    }
}

/// The collections of one kind in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Pauses {
    /// What set them off.
    pub kind: PauseKind,
    /// How many.
    pub count: f64,
    /// The longest.
    pub max_us: f64,
    /// All together.
    pub total_us: f64,
}

/// One run of the search for capacity.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchStep {
    /// `policy/engine`.
    pub run: String,
    /// The rate that was tried.
    pub rate_per_s: f64,
    /// `measured` or `predicted`.
    pub source: String,
    /// Whether it was sustained.
    pub sustained: bool,
    /// If not, why.
    pub reason: String,
    /// History over ideal where the run stopped.
    pub end_ratio: f64,
    /// Where it stopped.
    pub at_s: f64,
}

/// Gives each run its distributions.
pub fn read_percentiles(file: &Path, runs: &mut [Run]) -> Outcome<()> {
    let names = ["run", "start", "metric", "percentile", "value_us", "count"];
    each_line(file, &names, |line| {
        let run = owner(line, 0, 1, runs)?;
        let metric = match line.text(2) {
            "put_latency" => Metric::PutLatency,
            "put_history" => Metric::PutHistory,
            "gc_pause" => Metric::GcPause,
            other => {
                let what = format!("expected put_latency, put_history or gc_pause, found {other:?}");
                return Err(line.problem(2, what));
            }
        };
        let (percentile, value, count) = (line.number(3)?, line.number(4)?, line.number(5)?);
        if !(0.0..=100.0).contains(&percentile) {
            return Err(line.problem(3, format!("{percentile} is not between 0 and 100")));
        }
        let quantile = percentile / 100.0;
        let Some(curve) = run.curves.iter_mut().find(|curve| curve.metric == metric) else {
            run.curves.push(PercentileCurve { metric, points: vec![(quantile, value)], count });
            return Ok(());
        };
        if curve.points.last().is_some_and(|before| before.0 >= quantile) {
            return Err(line.problem(3, format!("percentile {percentile} does not rise")));
        }
        curve.points.push((quantile, value));
        Ok(())
    })
}

/// Sums each run's collections by kind.
pub fn read_pauses(file: &Path, runs: &mut [Run]) -> Outcome<()> {
    each_line(file, &["run", "start", "kind", "count", "max_us", "total_us"], |line| {
        let run = owner(line, 0, 1, runs)?;
        let kind = match line.text(2) {
            "event" => PauseKind::Event,
            "inline" => PauseKind::Inline,
            "idle" => PauseKind::Idle,
            other => return Err(line.problem(2, format!("expected event, inline or idle, found {other:?}"))),
        };
        let (count, max_us, total_us) = (line.number(3)?, line.number(4)?, line.number(5)?);
        match run.pauses.iter_mut().find(|pauses| pauses.kind == kind) {
            Some(pauses) => {
                pauses.count += count;
                pauses.max_us = pauses.max_us.max(max_us);
                pauses.total_us += total_us;
            }
            None => run.pauses.push(Pauses { kind, count, max_us, total_us }),
        }
        Ok(())
    })
}

/// Reads every run of the search.
pub fn read_search(file: &Path) -> Outcome<Vec<SearchStep>> {
    let names = ["run", "rate_per_s", "source", "sustained", "reason", "end_ratio", "at_s"];
    let mut steps = Vec::new();
    each_line(file, &names, |line| {
        let sustained = match line.text(3) {
            "1" => true,
            "0" => false,
            other => return Err(line.problem(3, format!("expected 1 or 0, found {other:?}"))),
        };
        steps.push(SearchStep {
            run: line.text(0).to_owned(),
            rate_per_s: line.number(1)?,
            source: line.text(2).to_owned(),
            sustained,
            reason: line.text(4).to_owned(),
            end_ratio: line.number_or_nan(5)?,
            at_s: line.number_or_nan(6)?,
        });
        Ok(())
    })?;
    Ok(steps)
}
