//! The top of the page: what the incident was, what came of it, in sentences made of the figures.

use maud::{Markup, html};

use super::parts::tally;
use super::tables::Figure;
use crate::format::{bytes, duration_ns, duration_us, significant, whole};
use crate::input::summary::Capacity;
use crate::input::{OWN_ENGINE, Replay, Run};

/// The run that is told first and the one it is told against.
struct Story<'a> {
    /// The incident as it was; none if the library ran alone.
    before: Option<&'a Run>,
    /// The library; none if it did not run.
    after: Option<&'a Run>,
}

impl<'a> Story<'a> {
    /// Among the runs of the first start: the incident's policy on another engine, and the steady
    /// policy on the library.
    fn of(replay: &'a Replay) -> Self {
        let starts = replay.starts();
        let runs = starts.first().map(|start| replay.runs_from(start));
        let pick = |own: bool, policy: &str| {
            let mut mine = runs.iter().cloned().flatten().filter(|run| (run.row.engine == OWN_ENGINE) == own);
            mine.clone().find(|run| run.row.policy == policy).or_else(|| mine.next())
        };
        Story { before: pick(false, "scheduled-1000"), after: pick(true, "steady") }
    }
}

/// The header of the page.
pub fn header(replay: &Replay) -> Markup {
    let story = Story::of(replay);
    html! {
        header {
            p.eyebrow { "queuecore-replay" }
            h1 { "The dispatcher incident, replayed" }
            p.lead { (incident(replay)) }
            p.lead.result { (result(replay)) }
            @if !replay.summary.goals.is_empty() {
                p.tally { a href="#goals" { (tally(&replay.summary.goals)) } }
            }
            @if replay.summary.interrupted {
                p.notice role="note" { strong { "This replay was interrupted." } " The figures are of what had run until then." }
            }
            @if story.before.is_some() || story.after.is_some() { (tiles(&story)) }
        }
    }
}

/// What happened.
pub fn incident(replay: &Replay) -> String {
    let config = &replay.summary.config;
    if let Some(trace) = &config.trace {
        return format!(
            "A recorded broker ({trace}) is replayed with a de-duplication window of {} s.",
            significant(config.window_s, 6)
        );
    }
    let slack = if config.capacity_per_s <= config.rate_per_s {
        "and can handle no more".to_owned()
    } else {
        format!("and could handle {}", whole(config.capacity_per_s))
    };
    let stalls: Vec<String> = config.stall_at_s.iter().map(|at| significant(*at, 6)).collect();
    let stall = match stalls.as_slice() {
        [] => "; it never stalls".to_owned(),
        [one] => format!("; {one} s into the run it stalls for {}", duration_ns(config.stall_s * 1e9)),
        [head @ .., tail] => {
            let head = head.join(", ");
            format!("; it stalls for {} at {head} and {tail} s", duration_ns(config.stall_s * 1e9))
        }
    };
    format!("A dispatcher handles {} PUT/s {slack}{stall}.", whole(config.rate_per_s))
}

/// What came of it, in one sentence.
pub fn result(replay: &Replay) -> String {
    let story = Story::of(replay);
    let told: Vec<&Run> = [story.before, story.after].into_iter().flatten().collect();
    let clauses: Vec<String> = if told.is_empty() {
        replay.summary.capacity.iter().map(capacity_clause).collect()
    } else {
        told.into_iter().map(run_clause).collect()
    };
    let mut text = clauses.join("; ");
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    text + "."
}

fn run_clause(run: &Run) -> String {
    let row = &run.row;
    let growth = if row.growing_at_end { " and is still growing at the end" } else { "" };
    let ratio = significant(row.peak_ratio, 4);
    let drained = match row.backlog_drain_s {
        Some(_) => format!(", and the backlog is gone after {}", run.drained()),
        None if run.stalled => ", and the backlog never drains".to_owned(),
        None => String::new(),
    };
    format!("with {} the history peaks at {ratio} times its ideal size{growth}{drained}", row.run)
}

fn capacity_clause(capacity: &Capacity) -> String {
    match capacity.capacity_per_s {
        Some(rate) => format!("{} sustains {} PUT/s", capacity.run, whole(rate)),
        None => format!("no sustained rate was found for {}", capacity.run),
    }
}

fn tiles(story: &Story) -> Markup {
    let figures: [Figure; 4] = [
        ("Peak history, × ideal", |run| significant(run.row.peak_ratio, 4)),
        ("Backlog gone after", Run::drained),
        ("Worst pause of one PUT", |run| duration_us(run.row.worst_pause_us)),
        ("Peak memory", |run| bytes(run.row.peak_bytes)),
    ];
    html! {
        dl.tiles {
            @for (name, figure) in figures {
                div {
                    dt { (name) }
                    @for (run, class) in [(story.before, "before"), (story.after, "after")] {
                        @if let Some(run) = run {
                            dd class=(class) { span.value { (figure(run)) } " " span.who { (run.row.run) } }
                        }
                    }
                }
            }
        }
    }
}
