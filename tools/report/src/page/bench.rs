//! Bench results below the replay: goals, a bar chart per figure, and all rows.
//!
//! The rows may have any columns. A number whose name carries a unit is a figure; whatever else a row
//! says is the case that it belongs to; `engine` decides the colour.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::parts::{Built, Column, bar_figure, cell, goals_table, table};
use crate::chart::palette::STYLES;
use crate::chart::{Bar, BarChart, BarGroup, Frame};
use crate::format::{count, significant};
use crate::goals::catalog::{self, words};
use crate::input::OWN_ENGINE;
use crate::input::bench::Part;

const ENGINE: &str = "engine";
/// More cases than these are read better in the table.
const MOST_GROUPS: usize = 16;
const FIGURE_WORDS: [&str; 8] = ["ns", "us", "ms", "bytes", "ratio", "per", "rss", "moved"];

/// The section of one part.
pub fn section(part: &Part) -> Built {
    let engines = engines(part);
    let mut charts = Vec::new();
    for (at, metric) in part.columns().into_iter().filter(|name| is_figure(part, name)).enumerate() {
        if let Some(chart) = chart(part, metric, at, &engines) {
            charts.push(bar_figure(&chart, Frame::HALF, &legend(&engines))?);
        }
    }
    Ok(html! {
        (goals_table(&format!("Goals of {}", part.name), &part.goals))
        div.figures { @for chart in &charts { (chart) } }
        details {
            summary { "All rows (" (part.rows.len()) ")" }
            (all_rows(part))
        }
    })
}

fn engines(part: &Part) -> Vec<String> {
    let mut engines: Vec<String> = Vec::new();
    for engine in part.rows.iter().filter_map(|row| row.get(ENGINE)).map(text) {
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    engines
}

/// The own engine looks as in the replay; the others follow in their order.
fn style(engines: &[String], engine: &str) -> usize {
    if engine == OWN_ENGINE || engines.is_empty() {
        return 0;
    }
    let others = engines.iter().filter(|name| *name != OWN_ENGINE);
    let at = others.clone().position(|name| name == engine).unwrap_or(0);
    1 + at % (STYLES.len() - 1)
}

fn legend(engines: &[String]) -> Vec<(usize, String)> {
    engines.iter().map(|engine| (style(engines, engine), engine.clone())).collect()
}

fn is_figure(part: &Part, name: &str) -> bool {
    let mut values =
        part.rows.iter().filter_map(|row| row.get(name)).filter(|value| !value.is_null()).peekable();
    values.peek().is_some()
        && values.all(Value::is_number)
        && name.split('_').any(|word| FIGURE_WORDS.contains(&word))
}

/// What a row says besides its figures and its engine.
fn case(part: &Part, row: &Map<String, Value>) -> String {
    let mut words = Vec::new();
    for (name, value) in row {
        if name == ENGINE || value.is_null() || is_figure(part, name) {
            continue;
        }
        match value {
            Value::Number(number) => {
                words.push(format!(
                    "{} {}",
                    count(number.as_f64().unwrap_or(f64::NAN)),
                    name.replace('_', " ")
                ));
            }
            other => words.push(text(other)),
        }
    }
    words.join(", ")
}

fn chart(part: &Part, metric: &str, at: usize, engines: &[String]) -> Option<BarChart> {
    let mut groups: Vec<BarGroup> = Vec::new();
    let mut spoken = Vec::new();
    for row in &part.rows {
        let Some(value) = row.get(metric).and_then(Value::as_f64) else { continue };
        let engine = row.get(ENGINE).map(text).unwrap_or_default();
        let label = case(part, row);
        let shown = catalog::with_unit(metric, value, 4);
        spoken.push(format!("{label} {engine}: {shown}."));
        let bar = Bar { style: style(engines, &engine), value, text: shown };
        match groups.iter_mut().find(|group| group.label == label) {
            Some(group) => group.bars.push(bar),
            None => groups.push(BarGroup { label, bars: vec![bar] }),
        }
    }
    if groups.is_empty() || groups.len() > MOST_GROUPS {
        return None;
    }
    Some(BarChart {
        id: format!("bench-{}-{at}", identifier(&part.name)),
        title: words(metric),
        description: format!("Bar chart of {}. {}", words(metric), spoken.join(" ")),
        groups,
    })
}

/// A file's name as part of an identifier.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

fn all_rows(part: &Part) -> Markup {
    let columns = part.columns();
    let numeric =
        |name: &str| part.rows.iter().filter_map(|row| row.get(name)).all(|v| v.is_number() || v.is_null());
    let named: Vec<(String, Column)> = columns
        .iter()
        .map(|name| (words(name), if numeric(name) { Column::Number } else { Column::Text }))
        .collect();
    let head: Vec<(&str, Column)> = named.iter().map(|(name, column)| (name.as_str(), *column)).collect();
    let rows: Vec<Vec<Markup>> = part
        .rows
        .iter()
        .map(|row| columns.iter().map(|name| cell(row.get(*name).map(text).unwrap_or_default())).collect())
        .collect();
    table(&format!("All rows of {}", part.name), &head, &rows)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |n| significant(n, 6)),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
