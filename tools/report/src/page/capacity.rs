//! The rates that were sustained, and the search for them.

use maud::{Markup, html};

use super::parts::{Built, Column, bar_figure, cell, run_name, table};
use crate::chart::{Bar, BarChart, BarGroup, Frame};
use crate::format::{NONE, factor, significant, whole};
use crate::input::Replay;

/// The section, or the way to get one.
pub fn section(replay: &Replay) -> Built {
    let found = &replay.summary.capacity;
    if found.is_empty() {
        return Ok(html! {
            p { "This replay did not search for it. " code { "queuecore-replay --find-capacity" } " does." }
        });
    }
    let style = |name: &str| replay.runs.iter().find(|run| run.row.run == name).map_or(0, |run| run.style);
    let relative = |of: Option<f64>| of.map_or_else(|| NONE.to_owned(), factor);
    let rate = |of: Option<f64>| of.map_or_else(|| NONE.to_owned(), whole);
    let bars = found.iter().map(|row| {
        let text = format!("{} (× {})", rate(row.capacity_per_s), relative(row.relative));
        BarGroup {
            label: row.run.clone(),
            bars: vec![Bar { style: style(&row.run), value: row.capacity_per_s.unwrap_or(0.0), text }],
        }
    });
    let words: Vec<String> =
        found.iter().map(|row| format!("{}: {} PUT/s.", row.run, rate(row.capacity_per_s))).collect();
    let chart = BarChart {
        id: "capacity-bars".to_owned(),
        title: "Sustained PUT/s".to_owned(),
        description: format!("Bar chart of the rates that were sustained. {}", words.join(" ")),
        groups: bars.collect(),
    };
    let head = [
        ("Run", Column::Text),
        ("Sustained, PUT/s", Column::Number),
        ("Lowest that failed, PUT/s", Column::Number),
        ("Relative", Column::Number),
    ];
    let rows: Vec<Vec<Markup>> = found
        .iter()
        .map(|row| {
            vec![
                run_name(style(&row.run), &row.run),
                cell(rate(row.capacity_per_s)),
                cell(rate(row.first_failing_per_s)),
                cell(relative(row.relative)),
            ]
        })
        .collect();
    Ok(html! {
        p { "A rate is sustained when no PUT is refused and the history neither outgrows its window nor grows at the end, with a stall of 1 s every 30 s." }
        div.figures { (bar_figure(&chart, Frame::FULL)?) }
        (table("Capacity", &head, &rows))
        (search(replay))
    })
}

fn search(replay: &Replay) -> Markup {
    if replay.search.is_empty() {
        return html! {};
    }
    let head = [
        ("Run", Column::Text),
        ("Rate, PUT/s", Column::Number),
        ("Source", Column::Text),
        ("Sustained", Column::Text),
        ("History / ideal", Column::Number),
        ("Ended at", Column::Number),
    ];
    let rows: Vec<Vec<Markup>> = replay
        .search
        .iter()
        .map(|step| {
            let outcome = if step.sustained { "yes".to_owned() } else { format!("no: {}", step.reason) };
            vec![
                cell(&step.run),
                cell(whole(step.rate_per_s)),
                cell(&step.source),
                cell(outcome),
                cell(significant(step.end_ratio, 4)),
                cell(format!("{} s", significant(step.at_s, 4))),
            ]
        })
        .collect();
    html! {
        details {
            summary { "Every run of the search (" (replay.search.len()) ")" }
            (table("The search for capacity", &head, &rows))
        }
    }
}
