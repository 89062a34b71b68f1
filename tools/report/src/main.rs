//! `queuecore-report`: the command line around the library crate of the same name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use queuecore_report::cli::{Cli, Command};
use queuecore_report::error::{Outcome, Problem};
use queuecore_report::goals::{self, Verdict};
use queuecore_report::input::{self, bench, cursor};
use queuecore_report::page;

const DEFAULT_BENCH: &str = "target/bench";
const MISSED: u8 = 1;
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Page { replay, out, bench } => write_page(&replay, out, bench),
        Command::Chart { replay, out } => write_chart(&replay, out),
        Command::UsageChart { file, out } => write_usage_chart(&file, out),
        Command::CursorChart { replay, out } => write_cursor_chart(&replay, out),
        Command::Goals { file, check: false } => print_goals(&file),
        Command::Goals { file, check: true } => check_goals(&file),
    };
    outcome.unwrap_or_else(|problem| {
        eprintln!("queuecore-report: {problem}");
        ExitCode::from(BAD_INPUT)
    })
}

fn write_page(dir: &Path, out: Option<PathBuf>, bench: Option<PathBuf>) -> Outcome<ExitCode> {
    let replay = input::read(dir)?;
    let parts = match bench {
        Some(dir) => bench::read_all(&dir)?,
        None if Path::new(DEFAULT_BENCH).is_dir() => bench::read_all(Path::new(DEFAULT_BENCH))?,
        None => Vec::new(),
    };
    let out = out.unwrap_or_else(|| dir.join("report.html"));
    let html = page::build(&replay, &parts).map_err(|e| Problem::of(&out, e))?;
    write(&out, &html)
}

fn write_chart(dir: &Path, out: Option<PathBuf>) -> Outcome<ExitCode> {
    let replay = input::read(dir)?;
    let out = out.unwrap_or_else(|| dir.join("history.svg"));
    let svg = page::chart_file(&replay).map_err(|e| Problem::of(&out, e))?;
    write(&out, &svg)
}

fn write_usage_chart(file: &Path, out: Option<PathBuf>) -> Outcome<ExitCode> {
    let part = bench::read_one(file)?;
    let out = out.unwrap_or_else(|| file.with_extension("svg"));
    let svg = page::threads_chart_file(&part).map_err(|e| Problem::of(file, e))?;
    write(&out, &svg)
}

fn write_cursor_chart(dir: &Path, out: Option<PathBuf>) -> Outcome<ExitCode> {
    let scenario = cursor::read(dir)?.ok_or_else(|| {
        Problem::of(&dir.join("cursor.json"), "is not there: queuecore-replay --scenario cursor writes it")
    })?;
    let out = out.unwrap_or_else(|| dir.join("cursor.svg"));
    let svg = page::cursor_chart_file(&scenario).map_err(|e| Problem::of(&out, e))?;
    write(&out, &svg)
}

fn write(file: &Path, text: &str) -> Outcome<ExitCode> {
    std::fs::write(file, text).map_err(|e| Problem::of(file, format!("cannot be written: {e}")))?;
    Ok(ExitCode::SUCCESS)
}

fn print_goals(file: &Path) -> Outcome<ExitCode> {
    print(file, &goals::markdown_table(&goals::read(file)?))?;
    Ok(ExitCode::SUCCESS)
}

fn check_goals(file: &Path) -> Outcome<ExitCode> {
    let goals = goals::read(file)?;
    let (met, of) = goals::tally(&goals);
    for goal in goals.iter().filter(|goal| goal.verdict() == Verdict::Missed) {
        eprintln!("missed: {}: {}, the limit is {}", goal.name, goal.value_text(), goal.limit_text());
    }
    print(file, &format!("{}: {met} of {of} goals met\n", file.display()))?;
    Ok(if met == of { ExitCode::SUCCESS } else { ExitCode::from(MISSED) })
}

/// Standard output may be a pipe that closed early; that is not worth a panic.
fn print(file: &Path, text: &str) -> Outcome<()> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|e| Problem::of(file, format!("its goals cannot be printed: {e}")))
}
