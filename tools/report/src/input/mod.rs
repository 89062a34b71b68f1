//! Reading what the replay and the benches wrote, into one model that the page is made of.
//!
//! `read` is for the replay's directory, `bench::read_all` for that of the benches.

pub mod bench;
pub mod cursor;
mod sheet;
pub mod summary;
mod tails;
mod timeseries;
pub mod usage;
mod versioned;

use std::path::Path;

use crate::chart::palette::STYLES;
use crate::error::Outcome;
use crate::format::{NONE, significant};
use summary::{Row, Summary};

pub use tails::{Metric, PauseKind, Pauses, PercentileCurve, SearchStep};
pub use timeseries::Sample;

/// The library's own engine, which is always drawn in the first style.
pub const OWN_ENGINE: &str = "queuecore";

/// Where all engines are the library's, by policies: those that are drawn like its own.
pub const OWN_POLICIES: [&str; 2] = ["hysteresis", "guaranteed share"];

/// One policy on one engine from one start, with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its row in the summary.
    pub row: Row,
    /// How it is drawn, index into `STYLES`.
    pub style: usize,
    /// Whether the dispatcher stalled, so that there was a backlog to drain.
    pub stalled: bool,
    /// What happened over time.
    pub samples: Vec<Sample>,
    /// Distributions.
    pub curves: Vec<PercentileCurve>,
    /// Collections, summed by kind.
    pub pauses: Vec<Pauses>,
}

/// Everything in the replay's directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The summary.
    pub summary: Summary,
    /// The runs, in the order of the summary.
    pub runs: Vec<Run>,
    /// Every run of the search for capacity.
    pub search: Vec<SearchStep>,
    /// The other scenarios, if they were run into the same directory.
    pub usage: Option<usage::Usage>,
    /// See above.
    pub cursor: Option<cursor::Cursor>,
}

impl Run {
    /// When the backlog of the stall was gone, in words.
    pub fn drained(&self) -> String {
        match self.row.backlog_drain_s {
            Some(after) => format!("{} s", significant(after, 3)),
            None if self.stalled => "never".to_owned(),
            None => NONE.to_owned(),
        }
    }

    /// The curve of one metric.
    pub fn curve(&self, metric: Metric) -> Option<&PercentileCurve> {
        self.curves.iter().find(|curve| curve.metric == metric)
    }
}

impl Replay {
    /// The starts that occur, each once, in order.
    pub fn starts(&self) -> Vec<&str> {
        let mut starts: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !starts.contains(&run.row.start.as_str()) {
                starts.push(&run.row.start);
            }
        }
        starts
    }

    /// The runs from one start.
    pub fn runs_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a Run> + Clone {
        self.runs.iter().filter(move |run| run.row.start == start)
    }
}

/// Reads the directory that the replay wrote.
pub fn read(dir: &Path) -> Outcome<Replay> {
    let summary = summary::read(&dir.join("summary.json"))?;
    let styles = styles(&summary.rows);
    let mut runs: Vec<Run> = summary
        .rows
        .iter()
        .zip(styles)
        .map(|(row, style)| Run {
            row: row.clone(),
            style,
            stalled: !summary.config.stall_at_s.is_empty(),
            samples: Vec::new(),
            curves: Vec::new(),
            pauses: Vec::new(),
        })
        .collect();
    // Without a run, as when only the capacity was searched, there is nothing that they could say.
    if !runs.is_empty() {
        timeseries::read(&dir.join("timeseries.csv"), &mut runs)?;
        tails::read_percentiles(&dir.join("percentiles.csv"), &mut runs)?;
        tails::read_pauses(&dir.join("gc_pauses.csv"), &mut runs)?;
    }
    let search = dir.join("capacity.csv");
    let search = if search.exists() { tails::read_search(&search)? } else { Vec::new() };
    let usage = usage::read(&dir.join("usage.json"))?;
    let cursor = cursor::read(dir)?;
    Ok(Replay { summary, runs, search, usage, cursor })
}

/// One style per policy and engine: the first is kept for the steady policy of the own engine.
fn styles(rows: &[Row]) -> Vec<usize> {
    let own = |row: &&Row| row.engine == OWN_ENGINE;
    let hero = rows.iter().find(|row| own(row) && row.policy == "steady").or(rows.iter().find(own));
    let mut others: Vec<&str> = Vec::new();
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        if hero.is_some_and(|hero| hero.run == row.run) {
            out.push(0);
            continue;
        }
        let at = others.iter().position(|run| *run == row.run).unwrap_or_else(|| {
            others.push(&row.run);
            others.len() - 1
        });
        out.push(1 + at % (STYLES.len() - 1));
    }
    out
}
