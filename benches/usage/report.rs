//! Tables for people, a file for machines; and the file that the C++ side wrote.

use crate::arguments::Arguments;
use crate::goals::{Goal, median_ratio};
use crate::rounds::{Measured, Summary, summarize};
use serde_json::{Value, json};
use std::path::Path;

/// What the C++ side measured: rows in the form of this bench, and how many times as fast queuecore is.
pub struct Cpp {
    rows: Vec<Value>,
    pub ratio: Option<f64>,
}

/// Reads what bench-usage-cpp wrote.
pub fn read_cpp(file: &Path) -> Result<Cpp, String> {
    let wrong = |what: String| format!("{}: {what}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let mut document: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let Some(Value::Array(rows)) = document.get_mut("rows").map(Value::take) else {
        return Err(wrong("it has no rows".to_owned()));
    };
    Ok(Cpp { rows, ratio: document["cpp_1t_ratio"].as_f64() })
}

/// Prints figures and goals.
pub fn print(measured: &[Measured], cpp: Option<&Cpp>, goals: &[Goal]) {
    for cells in by_case(measured) {
        print_case(&cells);
    }
    if let Some(cpp) = cpp {
        print_cpp(cpp);
    }
    print_pair(measured);
    print_goals(goals);
    print_busy(measured);
}

/// The engines that never sleep should have had the processors to themselves.
fn print_busy(measured: &[Measured]) {
    let awake = measured.iter().filter(|cell| ["atomic", "queuecore"].contains(&cell.engine));
    if let Some(busy) = summarize(awake.map(|cell| cell.busy).collect())
        && busy.median < 0.9
    {
        println!(
            "\nThe machine was busy: the threads got {:.0} % of the processors. With several threads, what is measured then \
             is hardly contended.",
            busy.median * 100.0
        );
    }
}

/// The cells of each case.
fn by_case(measured: &[Measured]) -> Vec<Vec<&Measured>> {
    let mut cases: Vec<Vec<&Measured>> = Vec::new();
    for cell in measured {
        match cases.last_mut() {
            Some(cells) if cells[0].case.name == cell.case.name => cells.push(cell),
            _ => cases.push(vec![cell]),
        }
    }
    cases
}

fn millions(cell: &Measured) -> Option<Summary> {
    summarize(cell.rates.iter().map(|rate| rate / 1e6).collect())
}

fn print_case(cells: &[&Measured]) {
    println!("\n{}", cells[0].case.title);
    println!("  M operations/s       median  lowest .. highest  busy");
    for cell in cells {
        let Some(rate) = millions(cell) else { continue };
        println!(
            "  {} {:<10} {:>8.2}  {:>7.2} .. {:<7.2} {:>4.0} %{}",
            threads_text(cell.threads),
            cell.engine,
            rate.median,
            rate.low,
            rate.high,
            cell.busy * 100.0,
            lent_text(cell)
        );
    }
}

fn threads_text(threads: usize) -> String {
    if threads == 1 { "1 thread ".to_owned() } else { format!("{threads} threads") }
}

/// What happened inside, per thousand operations.
fn lent_text(cell: &Measured) -> String {
    let Some(lent) = cell.lent else { return String::new() };
    let k = |each: f64| (each * 1e6).round() / 1e3;
    format!(
        "  of 1,000: {} refills, {} recalls, {} crossings, {} direct",
        k(lent.refills),
        k(lent.recalls),
        k(lent.crossings),
        k(lent.direct)
    )
}

fn print_cpp(cpp: &Cpp) {
    println!(
        "\nC++, one thread, through the C ABI\n  M operations/s               median  lowest .. highest"
    );
    for row in &cpp.rows {
        let figure = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        println!(
            "  {:<26} {:>8.2}  {:>7.2} .. {:.2}",
            row["engine"].as_str().unwrap_or_default(),
            figure("median"),
            figure("low"),
            figure("high")
        );
    }
}

/// What `atomic` costs beyond the bare additions; more than a tenth, and it would be a poor engine to compare with.
fn print_pair(measured: &[Measured]) {
    for pair in measured.iter().filter(|cell| cell.engine == "pair") {
        for engine in ["atomic", "exact"] {
            let same = |cell: &&Measured| {
                cell.engine == engine && cell.threads == pair.threads && cell.case.name == pair.case.name
            };
            if let Some(ratio) = measured.iter().find(same).and_then(|cell| median_ratio(pair, cell)) {
                let threads = threads_text(pair.threads);
                println!(
                    "  {threads} {engine:<7} takes {ratio:.2} times as long as the bare pair of additions"
                );
            }
        }
    }
}

fn print_goals(goals: &[Goal]) {
    println!("\nGoals\n  {:<28} {:>10} {:>10}", "name", "limit", "value");
    for goal in goals {
        let value = goal.value.map_or("-".to_owned(), significant);
        let verdict = if goal.value.is_none() || goal.is_met() { "" } else { "  short" };
        println!("  {:<28} {:>10} {value:>10}{verdict}", goal.name, format!("{} {}", goal.op(), goal.limit));
    }
}

/// Three decimals at least, more where they would all be 0.
fn significant(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.01 { format!("{value:.2e}") } else { format!("{value:.3}") }
}

/// Writes rows and goals in the form that queuecore-report reads.
pub fn write(
    file: &Path,
    arguments: &Arguments,
    measured: &[Measured],
    cpp: Option<&Cpp>,
    goals: &[Goal],
) -> Result<(), String> {
    let mut rows: Vec<Value> = measured.iter().filter_map(rate_row).collect();
    rows.extend(measured.iter().flat_map(lent_rows));
    rows.extend(cpp.into_iter().flat_map(|cpp| cpp.rows.iter().cloned()));
    let goals: Vec<Value> = goals
        .iter()
        .map(|goal| json!({ "name": goal.name, "op": goal.op(), "limit": goal.limit, "value": goal.value }))
        .collect();
    let document = json!({
        "quick": arguments.is_quick(), "complete": arguments.is_complete(), "rows": rows, "goals": goals
    });
    let text = format!("{document:#}\n");
    std::fs::write(file, text).map_err(|error| format!("{}: cannot be written: {error}", file.display()))
}

fn rate_row(cell: &Measured) -> Option<Value> {
    let rate = millions(cell)?;
    let role = match cell.engine {
        "sums" => Some("ceiling"),
        "pair" => Some("floor"),
        _ => None,
    };
    Some(json!({
        "case": cell.case.name, "group": cell.case.title, "what": threads_text(cell.threads).trim_end(),
        "threads": cell.threads, "engine": cell.engine, "role": role, "unit": "M ops/s",
        "median": rate.median, "low": rate.low, "high": rate.high, "passes": rate.passes, "busy": cell.busy
    }))
}

fn lent_rows(cell: &Measured) -> Vec<Value> {
    let Some(lent) = cell.lent else { return Vec::new() };
    let row = |what: &str, median: f64| {
        json!({
            "case": cell.case.name, "group": "Inside queuecore",
            "what": format!("{}, {}: {what}", cell.case.name, threads_text(cell.threads).trim_end()),
            "engine": cell.engine, "unit": "", "median": median
        })
    };
    vec![
        row("refills per operation", lent.refills),
        row("recalls per operation", lent.recalls),
        row("crossings per operation", lent.crossings),
        row("share of direct operations", lent.direct),
        row("shared lines written per operation", lent.shared_lines),
        row("bytes of the tree", lent.bytes as f64),
    ]
}
