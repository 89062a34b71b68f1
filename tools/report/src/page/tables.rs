//! The tables of the replay: what the policies are, how they compare, collections, allocations.

use maud::{Markup, html};

use super::parts::{Column, cell, run_name, table};
use crate::format::{bytes, count, duration_ns, duration_us, significant, whole};
use crate::input::{OWN_ENGINE, Run};

/// What the runs are, in words, for those names that are known.
pub fn runs(runs: &[&Run]) -> Markup {
    let head = [("Run", Column::Text), ("When it collects", Column::Text), ("Engine", Column::Text)];
    let rows: Vec<Vec<Markup>> = runs
        .iter()
        .map(|run| vec![name(run), cell(policy_words(&run.row.policy)), cell(engine_words(&run.row.engine))])
        .collect();
    table("The runs: policy / engine", &head, &rows)
}

fn policy_words(policy: &str) -> &'static str {
    match policy {
        "scheduled-1000" => {
            "The incident: GC is an event behind the waiting PUTs, collects 1,000 entries at most, and queues again while some are left."
        }
        "scheduled-1m" => "The same with 1,000,000 entries at most.",
        "inline-1000" => {
            "A GC tick that leaves work makes each following insert collect 1,000, until none is left."
        }
        "steady" => "Each insert collects up to four expired entries, always.",
        _ => "",
    }
}

fn engine_words(engine: &str) -> &'static str {
    match engine {
        OWN_ENGINE => "This library, through its C interface.",
        "stl" => {
            "The stand-in: separate chaining, full rehash, one list in insertion order, a pool of nodes."
        }
        _ => "",
    }
}

/// A figure of a run: its name, and how it reads.
pub type Figure = (&'static str, fn(&Run) -> String);

const FIGURES: [Figure; 13] = [
    ("Peak history, entries", |run| whole(run.row.peak_history)),
    ("Peak history, × ideal", |run| significant(run.row.peak_ratio, 4)),
    ("Growth at the end, entries/s", |run| whole(run.row.growth_per_s)),
    ("Peak backlog, events", |run| whole(run.row.backlog_peak)),
    ("Backlog at the end, events", |run| whole(run.row.backlog_end)),
    ("Backlog gone after", Run::drained),
    ("PUTs refused (NACK)", |run| whole(run.row.nacks)),
    ("PUT latency, p99", |run| duration_us(run.row.put_latency_p99_us)),
    ("History's part of one PUT, p99.9", |run| duration_us(run.row.put_p999_us)),
    ("History's part of one PUT, worst", |run| duration_us(run.row.worst_pause_us)),
    ("History's cost per message", |run| duration_ns(run.row.history_ns_per_message)),
    ("Peak memory", |run| bytes(run.row.peak_bytes)),
    ("Bytes per ideal entry", |run| significant(run.row.bytes_per_ideal_entry, 4)),
];

/// The figures of all runs side by side.
pub fn comparison(runs: &[&Run]) -> Markup {
    let mut head = vec![("Figure", Column::Text)];
    head.extend(runs.iter().map(|run| (run.row.run.as_str(), Column::Run(run.style))));
    let rows: Vec<Vec<Markup>> = FIGURES
        .iter()
        .map(|(words, figure)| {
            let mut row = vec![cell(words)];
            row.extend(runs.iter().map(|run| cell(figure(run))));
            row
        })
        .collect();
    table("The runs compared", &head, &rows)
}

/// How often each run collected, for how long.
pub fn collections(runs: &[&Run]) -> Markup {
    let head = [
        ("Run", Column::Text),
        ("Set off by", Column::Text),
        ("Times", Column::Number),
        ("Longest", Column::Number),
        ("Mean", Column::Number),
        ("Together", Column::Number),
    ];
    let mut rows = Vec::new();
    for run in runs {
        for pauses in &run.pauses {
            rows.push(vec![
                name(run),
                cell(pauses.kind.word()),
                cell(whole(pauses.count)),
                cell(duration_ns(pauses.max_us * 1e3)),
                cell(if pauses.count > 0.0 {
                    duration_ns(pauses.total_us * 1e3 / pauses.count)
                } else {
                    String::new()
                }),
                cell(duration_ns(pauses.total_us * 1e3)),
            ]);
        }
    }
    table("Collections", &head, &rows)
}

/// What went through each engine's allocator, as in the broker's own statistics.
pub fn allocations(runs: &[&Run]) -> Markup {
    let head = [
        ("Run", Column::Text),
        ("Bytes now", Column::Number),
        ("change", Column::Number),
        ("Peak bytes", Column::Number),
        ("change", Column::Number),
        ("Allocations", Column::Number),
        ("change", Column::Number),
        ("Deallocations", Column::Number),
        ("change", Column::Number),
    ];
    let rows: Vec<Vec<Markup>> = runs
        .iter()
        .map(|run| {
            let a = &run.row.allocations;
            vec![
                name(run),
                cell(whole(a.bytes)),
                change(a.bytes_delta),
                cell(whole(a.peak_bytes)),
                change(a.peak_delta),
                cell(whole(a.allocations)),
                change(a.allocations_delta),
                cell(whole(a.deallocations)),
                change(a.deallocations_delta),
            ]
        })
        .collect();
    table("Allocations; each change is since the run began", &head, &rows)
}

fn change(delta: f64) -> Markup {
    let text = match delta {
        0.0 => "0".to_owned(),
        more if more > 0.0 => format!("+{}", whole(more)),
        less => whole(less),
    };
    html! { span.change { (text) } }
}

fn name(run: &Run) -> Markup {
    run_name(run.style, &run.row.run)
}

/// One sentence on what the allocator saw.
pub fn allocation_sentence(runs: &[&Run]) -> String {
    let parts: Vec<String> = runs
        .iter()
        .map(|run| format!("{} {}", run.row.run, count(run.row.allocations.allocations_delta)))
        .collect();
    format!("Allocations made during the run: {}.", parts.join("; "))
}
