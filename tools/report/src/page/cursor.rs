//! A backlog that is paged in: what the replay's third scenario found out.

use maud::html;

use super::bench;
use super::parts::{Built, figure};
use crate::chart::{Axis, Curve, Frame, LineChart, Reference};
use crate::format::{bytes, count, seconds, significant};
use crate::input::cursor::{Course, Cursor, Sample};

/// Stretches of time that a rate is taken over, of the longest course.
const STRETCHES: f64 = 60.0;

/// The section.
pub fn section(cursor: &Cursor) -> Built {
    let mut figures = Vec::new();
    if cursor.courses.iter().any(|course| !course.samples.is_empty()) {
        figures.push(figure(&usage(cursor), Frame::FULL, USAGE)?);
        figures.push(figure(&per_page(cursor), Frame::HALF, PER_PAGE)?);
        figures.push(figure(&rate(cursor), Frame::HALF, RATE)?);
    }
    Ok(html! {
        p { (cursor.load) "." }
        @if cursor.interrupted {
            p.notice role="note" { strong { "This run was interrupted." } " The figures are of what had run until then." }
        }
        div.figures { @for figure in &figures { (figure) } }
        (bench::section(&cursor.part)?)
        p { "The command of this run:" }
        pre tabindex="0" { code { (cursor.command) } }
    })
}

const USAGE: &str = "Messages in memory, from the moment consumers come until the last message is done with. A page \
                     comes in where a curve rises.";
const PER_PAGE: &str =
    "Messages that came with each page, stretch by stretch where there was one. Logarithmic.";
const RATE: &str = "Messages done with per second, stretch by stretch. Higher is better.";

/// Usage over time against the marks: the chart that tells the policies apart.
pub fn usage(cursor: &Cursor) -> LineChart {
    let curves =
        curves(cursor, |course| consuming(course).map(|sample| (sample.t_s, sample.usage_bytes)).collect());
    let config = &cursor.config;
    let end_s = end_s(cursor);
    let level = |label: String, percent: f64| Reference {
        label,
        points: vec![
            (0.0, config.limit_bytes * percent / 100.0),
            (end_s, config.limit_bytes * percent / 100.0),
        ],
    };
    let references = vec![
        level("limit".to_owned(), 100.0),
        level(format!("high mark, {} %", config.high_percent), config.high_percent),
        level(format!("low mark, {} %", config.low_percent), config.low_percent),
    ];
    let y = Axis::from_zero("bytes", [config.limit_bytes].into_iter(), bytes);
    LineChart { references, ..chart(cursor, "cursor-usage", "Usage against the marks", y, curves) }
}

fn per_page(cursor: &Cursor) -> LineChart {
    let curves = curves(cursor, |course| {
        stretches(course, end_s(cursor), |from, to| {
            (to.paged_messages - from.paged_messages) / (to.pages - from.pages)
        })
    });
    let heights = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let y = Axis::decades("messages per page", 1.0, heights, count);
    chart(cursor, "cursor-per-page", "Messages per page", y, curves)
}

fn rate(cursor: &Cursor) -> LineChart {
    let curves = curves(cursor, |course| {
        stretches(course, end_s(cursor), |from, to| {
            (to.acknowledged - from.acknowledged) / (to.t_s - from.t_s)
        })
    });
    let heights = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let y = Axis::from_zero("messages per second", heights, |value| significant(value, 3));
    chart(cursor, "cursor-rate", "Rate", y, curves)
}

fn chart(cursor: &Cursor, id: &str, title: &str, y: Axis, curves: Vec<Curve>) -> LineChart {
    LineChart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis::exact("time", 0.0, end_s(cursor), seconds),
        y,
        curves,
        references: Vec::new(),
        bands: Vec::new(),
    }
}

fn curves(cursor: &Cursor, points: impl Fn(&Course) -> Vec<(f64, f64)>) -> Vec<Curve> {
    let engines = bench::engines(&cursor.part);
    let mut curves: Vec<Curve> = cursor
        .courses
        .iter()
        .map(|course| Curve {
            style: bench::style(&engines, &course.policy),
            label: course.policy.clone(),
            points: points(course),
        })
        .collect();
    // The own one is on top.
    curves.sort_by_key(|curve| curve.style == 0);
    curves
}

/// What happened after consumers came.
fn consuming(course: &Course) -> impl Iterator<Item = &Sample> {
    course.samples.iter().filter(|sample| sample.t_s >= 0.0)
}

/// A figure of each stretch of time, at its end; none of a stretch that has none, as without a page.
fn stretches(course: &Course, end_s: f64, figure: impl Fn(&Sample, &Sample) -> f64) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut samples = consuming(course);
    let Some(mut from) = samples.next() else { return points };
    for to in samples {
        if to.t_s - from.t_s >= end_s / STRETCHES {
            points.push((to.t_s, figure(from, to)));
            from = to;
        }
    }
    points.retain(|point| point.1.is_finite());
    points
}

fn end_s(cursor: &Cursor) -> f64 {
    let last = |course: &Course| course.samples.last().map(|sample| sample.t_s);
    cursor.courses.iter().filter_map(last).fold(0.0, f64::max)
}
