//! The pieces that every section is made of: tables that scroll, figures with a legend, line samples.

use maud::{Markup, PreEscaped, html};

use crate::chart::palette::{STYLES, dash_text};
use crate::chart::{BarChart, Frame, LineChart};
use crate::goals::{Goal, Verdict};

/// What can go wrong while the page is built: a chart that cannot be drawn.
pub type Built = Result<Markup, String>;

/// How the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Words, on the left.
    Text,
    /// Figures, on the right.
    Number,
    /// Figures of one run, which is drawn in that style.
    Run(usize),
}

impl Column {
    fn class(self) -> Option<&'static str> {
        (self != Column::Text).then_some("number")
    }
}

/// A table that scrolls within itself when the screen is narrower, and on a phone stands as one block
/// per row. The first cell of a row names it.
///
/// The roles say again what the elements are, because a browser forgets it of a table shown as blocks.
pub fn table(caption: &str, head: &[(&str, Column)], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table role="table" {
                caption { (caption) }
                thead role="rowgroup" { tr role="row" {
                    @for (name, column) in head {
                        th scope="col" role="columnheader" class=[column.class()] {
                            @if let Column::Run(style) = column { (run_name(*style, name)) } @else { (name) }
                        }
                    }
                } }
                tbody role="rowgroup" {
                    @for row in rows {
                        tr role="row" {
                            @for ((name, column), cell) in head.iter().zip(row).take(1) {
                                th scope="row" role="rowheader" data-label=(name) class=[column.class()] { (cell) }
                            }
                            @for ((name, column), cell) in head.iter().zip(row).skip(1) {
                                td role="cell" data-label=(name) class=[column.class()] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Text as a cell.
pub fn cell(text: impl AsRef<str>) -> Markup {
    html! { (text.as_ref()) }
}

/// A short piece of a line, as it looks in the charts. For the eye only.
pub fn line_sample(style: usize) -> Markup {
    let dash = STYLES.get(style).map(|style| dash_text(style, 1)).filter(|dash| !dash.is_empty());
    html! {
        svg.sample viewBox="0 0 34 10" width="34" height="10" aria-hidden="true" {
            line class={ "l" (style) } x1="0" y1="5" x2="34" y2="5" stroke-width="2.5" style=[dash.map(|dash| format!("stroke-dasharray:{dash}"))] {}
        }
    }
}

/// A run's name with its line.
pub fn run_name(style: usize, name: &str) -> Markup {
    html! { span.run { (line_sample(style)) span { (name) } } }
}

fn width_class(frame: Frame) -> &'static str {
    if frame.is_full() { "full" } else { "half" }
}

/// A chart with its heading, a sentence, and its legend.
pub fn figure(chart: &LineChart, frame: Frame, sentence: &str) -> Built {
    let drawings = chart.draw_all(frame)?;
    Ok(html! {
        figure class=(width_class(frame)) id=(chart.id) {
            figcaption {
                h3 { (chart.title) }
                p { (sentence) }
                ul.legend {
                    @for curve in &chart.curves { li { (run_name(curve.style, &curve.label)) } }
                    @for reference in &chart.references {
                        li { span.run {
                            svg.sample viewBox="0 0 34 10" width="34" height="10" aria-hidden="true" {
                                line class="ki" x1="0" y1="5" x2="34" y2="5" stroke-width="1.5" {}
                            }
                            span { (reference.label) }
                        } }
                    }
                }
            }
            (PreEscaped(drawings))
        }
    })
}

/// Bars with their heading.
pub fn bar_figure(chart: &BarChart, frame: Frame) -> Built {
    let drawings = chart.draw_all(frame)?;
    Ok(html! {
        figure class={ "bars " (width_class(frame)) } id=(chart.id) {
            figcaption { h3 { (chart.title) } }
            (PreEscaped(drawings))
        }
    })
}

/// The engines of bar charts.
pub fn legend<'a>(engines: impl Iterator<Item = (usize, &'a str)>) -> Markup {
    html! {
        ul.legend {
            @for (style, name) in engines {
                li { span.run {
                    svg.swatch viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" {
                        rect class={ "f" (style) } width="12" height="12" rx="2" {}
                    }
                    span { (name) }
                } }
            }
        }
    }
}

/// Goals with their limits, values and verdicts.
pub fn goals_table(caption: &str, goals: &[Goal]) -> Markup {
    let head = [
        ("Goal", Column::Text),
        ("Limit", Column::Number),
        ("Value", Column::Number),
        ("Verdict", Column::Text),
    ];
    let rows: Vec<Vec<Markup>> = goals
        .iter()
        .map(|goal| {
            vec![
                html! { (crate::goals::catalog::words(&goal.name)) " " code { (goal.name) } },
                cell(goal.limit_text()),
                cell(goal.value_text()),
                verdict(goal.verdict()),
            ]
        })
        .collect();
    table(caption, &head, &rows)
}

/// How many goals are met, in the colour of the whole.
pub fn tally(goals: &[Goal]) -> Markup {
    let (met, of) = crate::goals::tally(goals);
    let (class, sign) = mark(if met == of { Verdict::Met } else { Verdict::Missed });
    html! { span class=(class) { span aria-hidden="true" { (sign) " " } (met) " of " (of) " goals met" } }
}

/// A verdict in a word, a sign and a colour, so that none of them is needed alone.
pub fn verdict(verdict: Verdict) -> Markup {
    let (class, sign) = mark(verdict);
    html! { span class=(class) { span aria-hidden="true" { (sign) " " } (verdict.word()) } }
}

fn mark(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Met => ("met", "\u{2713}"),
        Verdict::Missed => ("missed", "\u{2717}"),
    }
}
