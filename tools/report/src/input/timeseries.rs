//! `timeseries.csv`: how each run went, sample by sample.

use std::path::Path;

use super::Run;
use super::sheet::{Line, each_line};
use crate::error::Outcome;

/// One sample, which ends at `t_s`. Values that do not exist are NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// End of the sample on the run's clock.
    pub t_s: f64,
    /// Entries held.
    pub history: f64,
    /// rate × window.
    pub ideal: f64,
    /// Bytes held.
    pub bytes: f64,
    /// Events waiting.
    pub backlog: f64,
    /// 99th percentile from arrival to handled.
    pub put_latency_p99_us: f64,
    /// Longest part that the history had in one PUT.
    pub put_history_max_us: f64,
    /// Longest collection.
    pub gc_pause_max_us: f64,
}

const COLUMNS: [&str; 10] = [
    "run",
    "start",
    "t_s",
    "history",
    "ideal",
    "bytes",
    "backlog",
    "put_latency_p99_us",
    "put_history_max_us",
    "gc_pause_max_us",
];

/// Reads the file and gives each run its samples.
pub fn read(file: &Path, runs: &mut [Run]) -> Outcome<()> {
    each_line(file, &COLUMNS, |line| {
        let run = owner(line, 0, 1, runs)?;
        let sample = Sample {
            t_s: line.number(2)?,
            history: line.number(3)?,
            ideal: line.number_or_nan(4)?,
            bytes: line.number_or_nan(5)?,
            backlog: line.number(6)?,
            put_latency_p99_us: line.number_or_nan(7)?,
            put_history_max_us: line.number_or_nan(8)?,
            gc_pause_max_us: line.number_or_nan(9)?,
        };
        if let Some(before) = run.samples.last().filter(|before| before.t_s >= sample.t_s) {
            let what = format!("time {} does not come after {}", sample.t_s, before.t_s);
            return Err(line.problem(2, what));
        }
        run.samples.push(sample);
        Ok(())
    })
}

/// The run that a line belongs to.
pub fn owner<'a>(line: &Line, run_at: usize, start_at: usize, runs: &'a mut [Run]) -> Outcome<&'a mut Run> {
    let (name, start) = (line.text(run_at), line.text(start_at));
    let known = runs.iter_mut().find(|run| run.row.run == name && run.row.start == start);
    known.ok_or_else(|| {
        line.problem(
            run_at,
            format!("{name:?} ({start}) is not a run of summary.json; are the files of one replay?"),
        )
    })
}
