//! The page: one HTML document without scripts and without anything from outside.
//!
//! maud escapes every text. Only the drawings, which `chart::svg` has escaped, and the style sheet are
//! put in as they are.

mod bench;
mod capacity;
mod cursor;
mod figures;
mod headline;
mod parts;
mod setup;
mod tables;
mod threads;
mod usage;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart::{Frame, SCALE, palette, standalone};
use crate::input::bench::Part;
use crate::input::cursor::Cursor;
use crate::input::{Replay, Run};
use figures::Scene;
use parts::Built;

const STYLE: &str = include_str!("style.css");
const CHART_STYLE: &str = include_str!("chart.css");

/// One section: where the list of contents leads, its heading, what is in it.
struct Section {
    id: String,
    heading: String,
    body: Markup,
}

/// The whole document.
pub fn build(replay: &Replay, bench: &[Part]) -> Result<String, String> {
    let sections = sections(replay, bench)?;
    let title = "Dispatcher incident, replayed \u{2013} queuecore";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content=(headline::result(replay));
                title { (title) }
                // An empty icon, or the browser would ask for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(style_sheet())) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (headline::header(replay))
                nav aria-label="Contents" {
                    ul { @for section in &sections { li { a href={ "#" (section.id) } { (section.heading) } } } }
                }
                main id="main" {
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-h" } {
                            h2 id={ (section.id) "-h" } { (section.heading) }
                            (section.body)
                        }
                    }
                }
                footer { p { "Written by queuecore-report " (env!("CARGO_PKG_VERSION")) "." } }
            }
        }
    };
    Ok(page.into_string())
}

/// The history chart alone, as an SVG file that follows the reader's light or dark setting.
pub fn chart_file(replay: &Replay) -> Result<String, String> {
    let starts = replay.starts();
    let start = starts.first().ok_or("the replay has no runs, so there is nothing to draw")?;
    let drawing = Scene::of(replay, 0, start).history().draw(Frame::FULL)?;
    Ok(standalone(&drawing, Frame::FULL, &format!("{}\n{CHART_STYLE}", colours())))
}

/// The first figure of a bench over numbers of threads, as an SVG file like the one above.
pub fn threads_chart_file(part: &Part) -> Result<String, String> {
    let chart = threads::first(part).ok_or("no figure in it was measured with several numbers of threads")?;
    let drawing = chart.draw(Frame::FULL)?;
    Ok(standalone(&drawing, Frame::FULL, &format!("{}\n{CHART_STYLE}", colours())))
}

/// The usage of the cursor scenario against its marks, as an SVG file like those above.
pub fn cursor_chart_file(scenario: &Cursor) -> Result<String, String> {
    let drawing = cursor::usage(scenario).draw(Frame::FULL)?;
    Ok(standalone(&drawing, Frame::FULL, &format!("{}\n{CHART_STYLE}", colours())))
}

fn style_sheet() -> String {
    format!("{}\n{CHART_STYLE}\n{STYLE}", colours())
}

fn colours() -> String {
    let (light, dark) = (palette::variables(false), palette::variables(true));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{}",
        palette::classes(SCALE)
    )
}

fn sections(replay: &Replay, bench: &[Part]) -> Result<Vec<Section>, String> {
    let mut out = Vec::new();
    let mut add = |id: &str, heading: &str, body: Markup| {
        out.push(Section { id: id.to_owned(), heading: heading.to_owned(), body });
    };
    if !replay.summary.goals.is_empty() {
        add("goals", "Goals", goals(replay));
    }
    let starts = replay.starts();
    for (at, start) in starts.iter().enumerate() {
        let scene = Scene::of(replay, at, start);
        let heading = if starts.len() == 1 { "Charts and figures".to_owned() } else { start_heading(start) };
        add(&format!("charts-{at}"), &heading, one_start(&scene, start)?);
    }
    let runs: Vec<&Run> = replay.runs.iter().collect();
    if !runs.is_empty() {
        add("allocations", "Allocations", allocations(&runs));
    }
    add("capacity", "Capacity", capacity::section(replay)?);
    if let Some(usage) = &replay.usage {
        add("usage", "Producers that wait for space", usage::section(usage)?);
    }
    if let Some(cursor) = &replay.cursor {
        add("cursor", "A backlog larger than memory", cursor::section(cursor)?);
    }
    for part in bench {
        let id = format!("bench-{}", bench::identifier(&part.name));
        add(&id, &format!("Bench: {}", part.name), bench::section(part)?);
    }
    add("run", "Run and machine", setup::parameters(replay));
    add("reproduce", "Run it again", setup::reproduce(replay));
    Ok(out)
}

fn goals(replay: &Replay) -> Markup {
    html! {
        @if !replay.summary.config.as_specified {
            p.notice role="note" { "The limits are meant for the incident as it is specified; this run has other parameters." }
        }
        (parts::goals_table("Goals of the replay", &replay.summary.goals))
    }
}

fn one_start(scene: &Scene, start: &str) -> Built {
    Ok(html! {
        p { (start_words(start)) }
        (tables::runs(&scene.runs))
        (figures::charts(scene)?)
        (tables::comparison(&scene.runs))
        (tables::collections(&scene.runs))
    })
}

fn start_heading(start: &str) -> String {
    match start {
        "prefilled" => "Charts, pre-filled".to_owned(),
        "cold" => "Charts, cold start".to_owned(),
        other => format!("Charts, {other}"),
    }
}

fn start_words(start: &str) -> &'static str {
    match start {
        "prefilled" => {
            "Each engine begins with rate × window entries, so that the stall is the cause and not a cold start."
        }
        "cold" => "Each engine begins empty.",
        _ => "",
    }
}

fn allocations(runs: &[&Run]) -> Markup {
    html! {
        p { (tables::allocation_sentence(runs)) }
        (tables::allocations(runs))
    }
}
