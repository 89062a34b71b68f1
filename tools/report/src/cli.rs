//! The command line: what can be asked for, and the help that teaches it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  queuecore-report page                        target/replay -> target/replay/report.html
  queuecore-report page out/ --out page.html   another run, another page
  queuecore-report chart --out docs/replay.svg target/replay  the history chart alone
  queuecore-report usage-chart --out docs/usage.svg            throughput over threads, as SVG
  queuecore-report cursor-chart --out docs/cursor.svg          usage against its marks, as SVG
  queuecore-report goals target/replay/summary.json           a Markdown table, for a README
  queuecore-report goals target/bench/history.json --check    exit 1 and a list if a goal is missed

Exit codes: 0 all well, 1 a goal is missed (--check), 2 bad input, bad arguments or nothing written.";

/// Turns the output of queuecore-replay and of the benches into one HTML page, or into a goals table.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write one self-contained HTML page: charts, goals, tables, how to run it again
    ///
    /// Reads summary.json, timeseries.csv, percentiles.csv and gc_pauses.csv of DIR, and capacity.csv,
    /// usage.json, and cursor.json with cursor_timeseries.csv if they are there. The page needs no network and no script; it follows the
    /// reader's light or dark setting, fits a phone, and prints.
    Page {
        /// The directory that queuecore-replay wrote
        #[arg(value_name = "DIR", default_value = "target/replay")]
        replay: PathBuf,
        /// The page to write [default: report.html in DIR]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Bench results to show below the replay: every PART.json in it that has rows and goals
        /// [default: target/bench, if it is there]
        #[arg(long, value_name = "DIR")]
        bench: Option<PathBuf>,
    },
    /// Write the history chart alone as an SVG file, for a README
    ///
    /// It follows the reader's light or dark setting, as the page does.
    Chart {
        /// The directory that queuecore-replay wrote
        #[arg(value_name = "DIR", default_value = "target/replay")]
        replay: PathBuf,
        /// The file to write [default: history.svg in DIR]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write the chart of a bench over numbers of threads alone as an SVG file, for a README
    ///
    /// It shows the first case that was measured with several numbers of threads, each engine's median, and
    /// follows the reader's light or dark setting.
    UsageChart {
        /// What the usage bench wrote
        #[arg(value_name = "FILE", default_value = "target/bench/usage.json")]
        file: PathBuf,
        /// The file to write [default: FILE with the ending svg]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write the chart of the cursor scenario alone as an SVG file, for a README
    ///
    /// Usage over time against the marks, for each policy. It follows the reader's light or dark setting.
    CursorChart {
        /// The directory that queuecore-replay wrote
        #[arg(value_name = "DIR", default_value = "target/replay")]
        replay: PathBuf,
        /// The file to write [default: cursor.svg in DIR]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the goals of a result file as a Markdown table, or check them
    Goals {
        /// summary.json of the replay, or target/bench/PART.json
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print no table: list the goals that are missed and exit with 1 if there are any
        #[arg(long)]
        check: bool,
    },
}
