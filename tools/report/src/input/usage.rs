//! `usage.json` of the replay: producers that wait under one limit, one engine for each way to meter.
//!
//! Its rows and goals are those of a bench result; what else stands in it says what was run.

use std::path::Path;

use serde::Deserialize;

use super::bench::{self, Part};
use super::versioned::read_of_format;
use crate::error::Outcome;

/// The version of the format that this tool reads.
const FORMAT: u32 = 1;

/// The whole file.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// What was run, in words.
    pub load: String,
    /// The command line, as it can be typed again.
    pub command: String,
    /// Whether somebody pressed Ctrl-C.
    pub interrupted: bool,
    /// What an addition to a shared atomic costs.
    pub shared_line: Vec<SharedLine>,
    /// The figures and goals.
    pub part: Part,
}

/// From one addition to a shared atomic to the next.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct SharedLine {
    /// By so many threads.
    pub threads: f64,
    /// In nanoseconds.
    pub ns: f64,
}

/// Reads the file, if it is there.
pub fn read(file: &Path) -> Outcome<Option<Usage>> {
    #[derive(Deserialize)]
    struct Shape {
        load: String,
        command: String,
        interrupted: bool,
        #[serde(default)]
        shared_line: Vec<SharedLine>,
    }
    if !file.exists() {
        return Ok(None);
    }
    let shape: Shape = read_of_format(file, FORMAT)?;
    let mut part = bench::read_one(file)?;
    part.name = "the usage scenario".to_owned();
    let Shape { load, command, interrupted, shared_line, .. } = shape;
    Ok(Some(Usage { load, command, interrupted, shared_line, part }))
}
