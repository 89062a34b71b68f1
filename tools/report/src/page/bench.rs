//! Bench results below the replay: goals, per group a small bar chart of each figure, and all rows.

use maud::{Markup, html};

use super::parts::{Built, Column, bar_figure, cell, figure, goals_table, legend, table};
use super::threads;
use crate::chart::palette::STYLES;
use crate::chart::{Bar, BarChart, BarGroup, Frame};
use crate::format::{count, duration_ns, significant, whole};
use crate::input::bench::{Part, Row};
use crate::input::{OWN_ENGINE, OWN_POLICIES};

/// The engine's name of a bar that was measured elsewhere.
const INCUMBENT: &str = "incumbent, measured elsewhere";

/// The section of one part.
pub fn section(part: &Part) -> Built {
    let engines = engines(part);
    let mut groups = Vec::new();
    for (at, group) in part.groups().into_iter().enumerate() {
        let rows: Vec<&Row> = part.rows.iter().filter(|row| row.group == group).collect();
        let id = format!("bench-{}-{at}", identifier(&part.name));
        if let Some(chart) = threads::chart(&rows, &id, &engines) {
            groups.push(html! { div.figures { (figure(&chart, Frame::FULL, threads::SENTENCE)?) } });
            continue;
        }
        let mut figures = Vec::new();
        for (chart, frame) in charts(&rows, &id, &engines) {
            figures.push(bar_figure(&chart, frame)?);
        }
        if !figures.is_empty() {
            groups.push(html! {
                h3.gap { (group) }
                (legend(engines.iter().filter(|name| is_drawn(&rows, name)).map(|name| (style(&engines, name), name.as_str()))))
                div.small { @for figure in &figures { (figure) } }
            });
        }
    }
    Ok(html! {
        @if part.quick {
            p.notice role="note" { "This was the quick run, for the daily loop. The limits are meant for the whole one." }
        }
        (goals_table(&format!("Goals of {}", part.name), &part.goals))
        @for group in &groups { (group) }
        details {
            summary { "All figures (" (part.rows.len()) ")" }
            (all_rows(part))
        }
    })
}

/// Every engine, in the order of the file.
pub fn engines(part: &Part) -> Vec<String> {
    let mut engines: Vec<String> = Vec::new();
    for row in &part.rows {
        let names = [Some(row.engine.as_str()), row.incumbent.map(|_| INCUMBENT)];
        for name in names.into_iter().flatten() {
            if !engines.iter().any(|known| known == name) {
                engines.push(name.to_owned());
            }
        }
    }
    engines
}

/// The own engine looks as in the replay; the others follow in their order.
pub fn style(engines: &[String], engine: &str) -> usize {
    let is_own = |name: &str| name == OWN_ENGINE || OWN_POLICIES.contains(&name);
    if is_own(engine) {
        return 0;
    }
    let at = engines.iter().filter(|name| !is_own(name)).position(|name| name == engine);
    1 + at.unwrap_or(0) % (STYLES.len() - 1)
}

fn is_drawn(rows: &[&Row], engine: &str) -> bool {
    rows.iter().any(|row| row.engine == engine || (engine == INCUMBENT && row.incumbent.is_some()))
}

/// The charts of a group: one per figure, with a bar for each engine. Where the engines have no figure in
/// common, as when one does in two calls what another does in one, bars of their own scales would deceive;
/// then all figures of one unit share a chart, and each bar is named.
fn charts(rows: &[&Row], id: &str, engines: &[String]) -> Vec<(BarChart, Frame)> {
    let mut charts: Vec<(BarChart, Frame)> = Vec::new();
    for row in rows {
        let shared = is_shared(rows, &row.unit);
        let frame = if shared { Frame::FULL } else { Frame::SMALL };
        let title = match (shared, row.unit.as_str()) {
            (true, unit) => format!("By entries, {unit}"),
            (false, "") => row.what.clone(),
            (false, unit) => format!("{}, {unit}", row.what),
        };
        let at = charts.iter().position(|(chart, _)| chart.title == title).unwrap_or_else(|| {
            let id = format!("{id}-{}", charts.len());
            let description = format!("Bar chart of {title}.");
            charts.push((BarChart { id, title, description, groups: Vec::new() }, frame));
            charts.len() - 1
        });
        if let Some((chart, _)) = charts.get_mut(at) {
            add_bars(chart, row, shared, engines);
        }
    }
    // A single bar says no more than its row in the table.
    charts.retain(|(chart, _)| chart.groups.iter().map(|group| group.bars.len()).sum::<usize>() > 1);
    charts
}

/// Whether the figures of that unit share a chart: there are several engines, and none shares a figure.
fn is_shared(rows: &[&Row], unit: &str) -> bool {
    let same = || rows.iter().filter(|row| row.unit == unit);
    let Some(first) = same().next() else { return false };
    let alone = |row: &&&Row| same().all(|other| other.what != row.what || other.engine == row.engine);
    !unit.is_empty() && same().any(|row| row.engine != first.engine) && same().all(|row| alone(&row))
}

fn add_bars(chart: &mut BarChart, row: &Row, named: bool, engines: &[String]) {
    let case = row.entries.map_or_else(String::new, |entries| format!("{} entries", count(entries)));
    let bars = [(row.engine.as_str(), Some(row.median)), (INCUMBENT, row.incumbent)];
    for (engine, value) in bars.into_iter().filter_map(|(engine, value)| Some((engine, value?))) {
        let mut text = with_unit(value, &row.unit);
        if named {
            text.push_str(&format!(", {}", row.what));
        }
        chart.description.push_str(&format!(" {case}, {engine}: {text}."));
        let bar = Bar { style: style(engines, engine), value, text };
        match chart.groups.iter_mut().find(|group| group.label == case) {
            Some(group) => group.bars.push(bar),
            None => chart.groups.push(BarGroup { label: case.clone(), bars: vec![bar] }),
        }
    }
}

fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => significant(value, 4),
        "ns" => duration_ns(value),
        "us" => duration_ns(value * 1e3),
        unit => format!("{} {unit}", significant(value, 4)),
    }
}

/// A file's name as part of an identifier.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

fn all_rows(part: &Part) -> Markup {
    let head = [
        ("Figure", Column::Text),
        ("Group", Column::Text),
        ("Engine", Column::Text),
        ("Entries", Column::Number),
        ("Value", Column::Number),
        ("Spread", Column::Number),
    ];
    let rows: Vec<Vec<Markup>> = part
        .rows
        .iter()
        .map(|row| {
            let spread = row.shown_spread().map_or_else(String::new, |(low, high)| {
                format!("{} \u{2026} {}", with_unit(low, &row.unit), with_unit(high, &row.unit))
            });
            vec![
                cell(&row.what),
                cell(&row.group),
                cell(&row.engine),
                cell(row.entries.map_or_else(String::new, whole)),
                cell(with_unit(row.median, &row.unit)),
                cell(spread),
            ]
        })
        .collect();
    table(&format!("All figures of {}", part.name), &head, &rows)
}
