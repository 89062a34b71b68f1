//! Producers that wait for space: what the replay's other scenario found out.

use maud::html;

use super::bench;
use super::parts::Built;
use crate::format::{duration_ns, whole};
use crate::input::usage::Usage;

/// The section.
pub fn section(usage: &Usage) -> Built {
    let costs: Vec<String> = usage
        .shared_line
        .iter()
        .map(|line| {
            let threads = if line.threads == 1.0 { "thread" } else { "threads" };
            format!("{} by {} {threads}", duration_ns(line.ns), whole(line.threads))
        })
        .collect();
    Ok(html! {
        p { "Real threads, in real time: " (usage.load) ". Producers reach the limit at once, and wait there for consumers to make room." }
        @if usage.interrupted {
            p.notice role="note" { strong { "This run was interrupted." } " The figures are of what had run until then." }
        }
        (bench::section(&usage.part)?)
        @if !costs.is_empty() {
            p { "A line of memory that is shared, from one addition to the next: " (costs.join(", ")) "." }
        }
        p { "The command of this run:" }
        pre tabindex="0" { code { (usage.command) } }
    })
}
