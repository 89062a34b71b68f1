//! The usage meter against what brokers do instead, all engines in one run.
//!
//!     make bench-usage                          # everything, the C++ side included
//!     QUICK=1 make bench-usage                  # under a minute, for the daily loop
//!     cargo bench --bench usage -- --help       # cases and engines one by one
//!
//! An operation is what a broker does for one message: increase 1 KiB on a destination's meter, ask whether it is full,
//! at which percent, and whether its parent is full, decrease 1 KiB. A figure is operations per second of all threads
//! together, the median of rounds. In each round every engine has one slice of time with each number of threads, in an
//! order that turns, so that what else the machine does meets all of them; a ratio is the median of the rounds' ratios.
//!
//! | file | holds |
//! |---|---|
//! | `cases` | what is measured |
//! | `meter`, `engines` | what an engine is, and those there are |
//! | `cell`, `processors` | slices of time: the threads, what they do, where they run |
//! | `rounds` | rounds of slices, and their figures |
//! | `shared` | writes to shared lines, bytes |
//! | `goals`, `report` | what has to be reached; the tables and the file |

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types, reason = "the engines here are not the library: loom does not run them")]

mod arguments;
mod cases;
mod cell;
mod engines;
mod goals;
mod meter;
mod processors;
mod report;
mod rounds;
mod shared;

use arguments::Arguments;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("usage bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let cpp = arguments.cpp.as_deref().map(report::read_cpp).transpose()?;
    let measured = rounds::measure(arguments)?;
    let goals = goals::of(&measured, cpp.as_ref(), shared::quiet_tracker_bytes());
    report::print(&measured, cpp.as_ref(), &goals);
    if arguments.is_quick() {
        println!("\nA quick run: short slices. The goals are meant for the full one.");
    }
    if let Some(file) = &arguments.out {
        report::write(file, arguments, &measured, cpp.as_ref(), &goals)?;
    }
    Ok(())
}
