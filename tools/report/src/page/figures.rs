//! The charts of the replay, policies overlaid, made from the runs of one start.

use maud::html;

use super::parts::{Built, figure};
use crate::chart::{Axis, Band, Curve, Frame, LineChart, Reference, nice_step};
use crate::format::{bytes, count, duration_ns, factor, seconds, whole};
use crate::input::summary::Config;
use crate::input::{Metric, Replay, Run, Sample};

/// Runs of one start, and what their charts share.
pub struct Scene<'a> {
    /// The runs, in the order of the legend.
    pub runs: Vec<&'a Run>,
    /// The options of the replay.
    pub config: &'a Config,
    /// Tells the charts of one start from those of another in identifiers.
    pub prefix: String,
}

/// A chart, its size, and the sentence above it.
type Figure = (LineChart, Frame, String);

/// All charts of one start.
pub fn charts(scene: &Scene) -> Built {
    let mut charts = vec![
        (scene.history(), Frame::FULL, scene.history_sentence()),
        (
            scene.near_ideal(),
            Frame::LOW,
            "From close by: history over rate × window. What outgrows it leaves the frame.".to_owned(),
        ),
        (scene.memory(), Frame::LOW, "Held by the engine, through its allocator.".to_owned()),
    ];
    charts.extend(scene.backlogs());
    charts.extend(scene.latencies());
    charts.extend(scene.parts_of_one_put());
    charts.extend(scene.collections());
    let mut figures = Vec::with_capacity(charts.len());
    for (chart, frame, sentence) in &charts {
        figures.push(figure(chart, *frame, sentence)?);
    }
    Ok(html! { div.figures { @for figure in &figures { (figure) } } })
}

impl<'a> Scene<'a> {
    /// The runs of one start, the `at`-th of the replay.
    pub fn of(replay: &'a Replay, at: usize, start: &'a str) -> Self {
        Scene {
            runs: replay.runs_from(start).collect(),
            config: &replay.summary.config,
            prefix: format!("s{at}"),
        }
    }

    /// Entries over time against the ideal: the chart that tells the incident.
    pub fn history(&self) -> LineChart {
        let ideal = self.runs.iter().max_by_key(|run| run.samples.len());
        let ideal = ideal
            .map(|run| run.samples.iter().map(|s| (s.t_s, s.ideal)).filter(|p| p.1.is_finite()).collect());
        let reference =
            Reference { label: "ideal: rate × window".to_owned(), points: ideal.unwrap_or_default() };
        let curves = self.over_time(|s| s.history);
        let values = curves.iter().flat_map(|c| &c.points).chain(&reference.points).map(|p| p.1);
        let y = Axis::from_zero("entries", values, count);
        LineChart { references: vec![reference], ..self.chart("history", "History entries", y, curves) }
    }

    fn history_sentence(&self) -> String {
        let peaks: Vec<String> = self
            .runs
            .iter()
            .map(|run| {
                let growing = if run.row.growing_at_end {
                    format!(" (growing by {}/s at the end)", count(run.row.growth_per_s))
                } else {
                    String::new()
                };
                format!("{} {}{growing}", run.row.run, count(run.row.peak_history))
            })
            .collect();
        let ideal = self.runs.first().map_or(f64::NAN, |run| run.row.ideal_history);
        format!("Live and historical. Ideal: {}. Peaks: {}.", whole(ideal), peaks.join("; "))
    }

    fn near_ideal(&self) -> LineChart {
        // A run beyond this is not close by any more.
        const FAR: f64 = 1.5;
        let near = |ratio: &f64| (1.0..=FAR).contains(ratio);
        let peak = self.runs.iter().map(|run| run.row.peak_ratio).filter(near).fold(1.0, f64::max);
        // Room for a run that stays close to the ideal to be seen as doing so.
        let y = Axis::exact("history / ideal", 0.95, (peak + 0.01).max(1.05), factor);
        let mut curves = self.over_time(|s| s.history / s.ideal);
        for point in curves.iter_mut().flat_map(|curve| &mut curve.points) {
            if !(y.low..=y.high).contains(&point.1) {
                point.1 = f64::NAN;
            }
        }
        self.chart("near", "History against its ideal", y, curves)
    }

    fn memory(&self) -> LineChart {
        let curves = self.over_time(|s| s.bytes);
        let y = Axis::from_zero("bytes held", heights(&curves), bytes);
        self.chart("memory", "Memory of the history", y, curves)
    }

    /// The whole run, and what follows the first stall from close by.
    fn backlogs(&self) -> Vec<Figure> {
        let curves = self.over_time(|s| s.backlog);
        let y = Axis::decades("events", 1.0, heights(&curves), count);
        let whole = self.chart("backlog", "Dispatcher backlog", y, curves);
        let sentence = "Events that wait. Logarithmic; an empty queue is drawn at 1.".to_owned();
        let Some(stall_s) = self.config.stall_at_s.first().filter(|at| **at < whole.x.high) else {
            return vec![(whole, Frame::LOW, sentence)];
        };
        let (from, to) = ((stall_s - 2.0).max(0.0), (stall_s + 20.0).min(whole.x.high));
        let mut near = whole.clone();
        near.id = self.id("backlog-near");
        near.title = "Backlog around the stall".to_owned();
        near.x = Axis::exact("time", from, to, seconds);
        for curve in &mut near.curves {
            curve.points.retain(|point| (from..=to).contains(&point.0));
        }
        vec![
            (whole, Frame::HALF, sentence),
            (near, Frame::HALF, "The same axis, two seconds before the stall to twenty after it.".to_owned()),
        ]
    }

    fn latencies(&self) -> Vec<Figure> {
        let curves = self.over_time(|s| s.put_latency_p99_us * 1e3);
        let y = Axis::decades("latency, p99", 1.0, heights(&curves), duration_ns);
        let sample = duration_ns(self.config.sample_ms * 1e6);
        vec![
            (
                self.chart("latency", "PUT latency over time", y, curves),
                Frame::HALF,
                format!("From arrival to handled; the 99th percentile of each {sample}."),
            ),
            (
                self.percentiles(Metric::PutLatency, "latency-curve", "PUT latency by percentile"),
                Frame::HALF_PLAIN,
                "From arrival to handled, all PUTs of the run. The right end is the slowest one.".to_owned(),
            ),
        ]
    }

    fn parts_of_one_put(&self) -> Vec<Figure> {
        let (curves, span) = self.peaks(|s| s.put_history_max_us * 1e3);
        let y = Axis::decades("longest", 1.0, heights(&curves), duration_ns);
        vec![
            (
                self.chart("put-parts", "The history's part of one PUT, over time", y, curves),
                Frame::HALF,
                format!("Insert, inline collection, rehash; the longest of each {span}."),
            ),
            (
                self.percentiles(
                    Metric::PutHistory,
                    "put-curve",
                    "The history's part of one PUT, by percentile",
                ),
                Frame::HALF_PLAIN,
                "All PUTs of the run. The right end is the worst pause.".to_owned(),
            ),
        ]
    }

    fn collections(&self) -> Vec<Figure> {
        let (curves, span) = self.peaks(|s| s.gc_pause_max_us * 1e3);
        let y = Axis::decades("longest", 1.0, heights(&curves), duration_ns);
        vec![
            (
                self.chart("pauses", "GC pauses over time", y, curves),
                Frame::HALF,
                format!("GC events, and PUTs that collect; the longest of each {span} that had one."),
            ),
            (
                self.percentiles(Metric::GcPause, "pause-curve", "GC pauses by percentile"),
                Frame::HALF_PLAIN,
                "All collections of the run. The right end is the longest one.".to_owned(),
            ),
        ]
    }

    fn percentiles(&self, metric: Metric, id: &str, title: &str) -> LineChart {
        let mut high = 0.0f64;
        let mut curves = Vec::new();
        for run in &self.runs {
            let Some(known) = run.curve(metric) else { continue };
            // The largest of n values stands at 1 - 1/n: 100 % would lie infinitely far out.
            let last = 1.0 - 1.0 / known.count.max(10.0);
            let points: Vec<(f64, f64)> =
                known.points.iter().map(|(q, us)| (q.min(last), us * 1e3)).collect();
            high = high.max(last);
            curves.push(Curve { style: run.style, label: run.row.run.clone(), points });
        }
        draw_own_last(&mut curves);
        let y = Axis::decades("time", 1.0, heights(&curves), duration_ns);
        LineChart {
            id: self.id(id),
            title: title.to_owned(),
            x: Axis::quantiles("percentile, %", high),
            y,
            curves,
            references: Vec::new(),
            bands: Vec::new(),
        }
    }

    fn over_time(&self, value: impl Fn(&Sample) -> f64) -> Vec<Curve> {
        let mut curves: Vec<Curve> = self
            .runs
            .iter()
            .map(|run| Curve {
                style: run.style,
                label: run.row.run.clone(),
                points: run.samples.iter().map(|sample| (sample.t_s, value(sample))).collect(),
            })
            .collect();
        draw_own_last(&mut curves);
        curves
    }

    /// The highest value of each stretch of time, and the stretch in words. Single samples of a maximum
    /// scatter so much that their line would fill the chart. A stretch without a value is left out.
    fn peaks(&self, value: impl Fn(&Sample) -> f64) -> (Vec<Curve>, String) {
        const STRETCHES: f64 = 120.0;
        let mut curves = self.over_time(value);
        let stretch_s = nice_step(self.end_s() / STRETCHES).max(self.config.sample_ms / 1e3);
        for curve in &mut curves {
            let mut peaks: Vec<(f64, f64)> = Vec::new();
            for (t_s, height) in curve.points.iter().copied().filter(|point| point.1.is_finite()) {
                // A sample that ends on a border belongs to the stretch before it.
                let end_s = ((t_s / stretch_s - 1e-6).ceil() * stretch_s).min(self.end_s());
                match peaks.last_mut().filter(|peak| peak.0 >= end_s) {
                    Some(peak) => peak.1 = peak.1.max(height),
                    None => peaks.push((end_s, height)),
                }
            }
            curve.points = peaks;
        }
        (curves, duration_ns(stretch_s * 1e9))
    }

    /// Where the longest run ended.
    fn end_s(&self) -> f64 {
        let last = |run: &&Run| run.samples.last().map(|sample| sample.t_s);
        let end = self.runs.iter().filter_map(last).fold(0.0, f64::max);
        if end > 0.0 { end } else { self.config.duration_s }
    }

    fn chart(&self, id: &str, title: &str, y: Axis, curves: Vec<Curve>) -> LineChart {
        let end = self.end_s();
        LineChart {
            id: self.id(id),
            title: title.to_owned(),
            x: Axis::exact("time", 0.0, end, seconds),
            y,
            curves,
            references: Vec::new(),
            bands: self.bands(end),
        }
    }

    /// The stalls, of which only the first is named, and a time without ACKs.
    fn bands(&self, end_s: f64) -> Vec<Band> {
        let mut bands = Vec::new();
        for at in self.config.stall_at_s.iter().filter(|at| **at <= end_s) {
            let label = if bands.is_empty() {
                format!("stall of {}", duration_ns(self.config.stall_s * 1e9))
            } else {
                String::new()
            };
            bands.push(Band { from: *at, to: at + self.config.stall_s, label });
        }
        if let Some([from, length]) = self.config.ack_outage_s {
            bands.push(Band { from, to: from + length, label: "no ACKs".to_owned() });
        }
        bands
    }

    fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }
}

fn heights(curves: &[Curve]) -> impl Iterator<Item = f64> {
    curves.iter().flat_map(|curve| &curve.points).map(|point| point.1)
}

/// The own engine's curve lies on top of the others.
fn draw_own_last(curves: &mut [Curve]) {
    curves.sort_by_key(|curve| curve.style == 0);
}
