//! `summary.json` of the replay: what was run, what came of it, and the goals.
//!
//! Field for field what the replay writes; `null` is an `Option`. Unknown fields are left alone, so
//! that the replay may say more than this tool knows.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::versioned::read_of_format;
use crate::error::{Outcome, Problem};
use crate::goals::{self, Goal};

/// The version of the format that this tool reads.
const FORMAT: u32 = 1;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Summary {
    /// Version of the format.
    pub format: u32,
    /// Whether somebody pressed Ctrl-C.
    pub interrupted: bool,
    /// What was run.
    pub config: Config,
    /// What the model took as the broker's other work.
    pub calibration: Option<Calibration>,
    /// One per policy, engine and start.
    pub rows: Vec<Row>,
    /// Sustained rates, if they were searched for.
    #[serde(default)]
    pub capacity: Vec<Capacity>,
    /// The goals and their values.
    pub goals: Vec<Goal>,
    /// The command line, as it can be typed again.
    pub command: Option<String>,
    /// Where it ran, as names and values.
    #[serde(default)]
    pub machine: Map<String, Value>,
}

/// The options of the run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Config {
    /// `incident`, `seed` or `custom`.
    pub preset: String,
    /// Whether this is the very run that the limits of the goals are meant for.
    pub as_specified: bool,
    /// `virtual` or `real`.
    pub clock: String,
    /// `measured` or `fixed`.
    pub cost: String,
    /// Identical passes, of which the least counts.
    pub passes: f64,
    /// PUTs per second that the producers send.
    pub rate_per_s: f64,
    /// PUTs per second that the dispatcher can handle.
    pub capacity_per_s: f64,
    /// Length of the de-duplication window.
    pub window_s: f64,
    /// Length of the run.
    pub duration_s: f64,
    /// When the dispatcher stalls.
    pub stall_at_s: Vec<f64>,
    /// For how long.
    pub stall_s: f64,
    /// From the handling of a PUT to its ACK.
    pub ack_delay_ms: f64,
    /// Between two GC ticks.
    pub gc_interval_s: f64,
    /// Waiting events beyond which a PUT is refused.
    pub queue_limit: f64,
    /// Time to live; 0 is off.
    pub ttl_s: f64,
    /// Start and length of a time without ACKs.
    pub ack_outage_s: Option<[f64; 2]>,
    /// Whether an empty FIFO collects too.
    pub idle_gc: bool,
    /// A recorded broker instead of the model.
    pub trace: Option<String>,
    /// Length of a sample.
    pub sample_ms: f64,
}

/// The model's constants.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Calibration {
    /// What the stand-in takes for one message in a steady state; none if it did not have to be measured.
    pub standin_ns_per_message: Option<f64>,
    /// The rest of a message.
    pub other_work_ns: f64,
}

/// What came of one policy on one engine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// `policy/engine`.
    pub run: String,
    /// The GC policy.
    pub policy: String,
    /// The engine.
    pub engine: String,
    /// `prefilled` or `cold`.
    pub start: String,
    /// Whether this run was cut short.
    pub interrupted: bool,
    /// rate × window.
    pub ideal_history: f64,
    /// Most entries held.
    pub peak_history: f64,
    /// Entries held at the end.
    pub end_history: f64,
    /// Peak over ideal.
    pub peak_ratio: f64,
    /// Growth at the end.
    pub growth_per_s: f64,
    /// Whether that counts as growing.
    pub growing_at_end: bool,
    /// PUTs handled.
    pub puts: f64,
    /// PUTs refused.
    pub nacks: f64,
    /// From the end of the stall to an empty FIFO; null is never.
    pub backlog_drain_s: Option<f64>,
    /// Most events waiting.
    pub backlog_peak: f64,
    /// Events waiting at the end.
    pub backlog_end: f64,
    /// Longest history part of one PUT; null if no PUT was handled, as with the next two.
    pub worst_pause_us: Option<f64>,
    /// Its 99.9th percentile.
    pub put_p999_us: Option<f64>,
    /// 99th percentile from arrival to handled.
    pub put_latency_p99_us: Option<f64>,
    /// Mean cost of the history per message.
    pub history_ns_per_message: f64,
    /// Most bytes held.
    pub peak_bytes: f64,
    /// Peak bytes over rate × window.
    pub bytes_per_ideal_entry: f64,
    /// What went through the allocator.
    pub allocations: Allocations,
}

/// Totals of the engine's allocator; each delta is since the run began.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Allocations {
    /// Bytes now.
    pub bytes: f64,
    /// Change of it.
    pub bytes_delta: f64,
    /// Most bytes.
    pub peak_bytes: f64,
    /// Change of it.
    pub peak_delta: f64,
    /// Calls that allocate.
    pub allocations: f64,
    /// Change of it.
    pub allocations_delta: f64,
    /// Calls that free.
    pub deallocations: f64,
    /// Change of it.
    pub deallocations_delta: f64,
}

/// The highest rate that a run sustained.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Capacity {
    /// `policy/engine`.
    pub run: String,
    /// The rate; null if none was found.
    pub capacity_per_s: Option<f64>,
    /// The lowest rate seen to fail.
    pub first_failing_per_s: Option<f64>,
    /// Over that of the incident's policy.
    pub relative: Option<f64>,
}

/// Reads and checks the file.
pub fn read(file: &Path) -> Outcome<Summary> {
    let summary: Summary = read_of_format(file, FORMAT)?;
    goals::validate(file, &summary.goals)?;
    if summary.rows.is_empty() && summary.capacity.is_empty() {
        return Err(Problem::of(file, "has neither rows nor capacities, so nothing to report on"));
    }
    for (at, row) in summary.rows.iter().enumerate() {
        let same = |other: &&Row| other.run == row.run && other.start == row.start;
        if summary.rows.iter().skip(at + 1).any(|other| same(&other)) {
            return Err(Problem::of(file, format!("run {:?} ({}) stands in it twice", row.run, row.start)));
        }
    }
    Ok(summary)
}
