//! The command line.

use crate::cases::{CASES, ENGINES};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use std::time::Duration;

/// Measures queuecore's usage meter against a lock per meter, one atomic per meter, and the same with exact events.
///
/// The full run takes about five minutes. A busy machine spoils it: `busy` in the table is the share of the processors
/// that the threads got.
#[derive(Parser)]
#[command(max_term_width = 100)]
pub struct Arguments {
    /// Write rows and goals to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Take the C++ side's figures from this file, which bench-usage-cpp wrote
    #[arg(long, value_name = "FILE")]
    pub cpp: Option<PathBuf>,
    /// Short slices, under a minute (also: QUICK=1 in the environment)
    #[arg(long)]
    quick: bool,
    /// Only this case; may be given more than once
    #[arg(long, value_name = "CASE", value_parser = PossibleValuesParser::new(CASES.map(|case| case.name)))]
    pub only: Vec<String>,
    /// Only this engine; may be given more than once
    #[arg(long, value_name = "ENGINE", value_parser = PossibleValuesParser::new(ENGINES))]
    pub engine: Vec<String>,
    /// Only with that many threads; may be given more than once
    #[arg(long, value_name = "COUNT")]
    pub threads: Vec<usize>,
    /// Rounds [default: 11; 5 in a quick run]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Milliseconds of one slice [default: 150; 25 in a quick run]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    slice_ms: Option<u64>,
    /// What cargo says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

impl Arguments {
    pub fn is_quick(&self) -> bool {
        self.quick || std::env::var_os("QUICK").is_some_and(|value| !value.is_empty() && value != "0")
    }

    /// Whether all is measured that the goals ask for.
    pub fn is_complete(&self) -> bool {
        self.only.is_empty() && self.engine.is_empty() && self.threads.is_empty()
    }

    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.is_quick() { 5 } else { 11 })
    }

    pub fn slice(&self) -> Duration {
        Duration::from_millis(self.slice_ms.unwrap_or(if self.is_quick() { 25 } else { 150 }))
    }
}
