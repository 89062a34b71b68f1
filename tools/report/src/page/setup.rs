//! What was run, where, and how to run it again.

use maud::{Markup, html};
use serde_json::Value;

use crate::format::{duration_ns, significant, whole};
use crate::input::Replay;
use crate::input::summary::Config;

/// Run parameters, calibration, machine.
pub fn parameters(replay: &Replay) -> Markup {
    let summary = &replay.summary;
    let mut run = config_pairs(&summary.config);
    if let Some(calibration) = &summary.calibration {
        if let Some(ns) = calibration.standin_ns_per_message {
            run.push(("Stand-in, per message", duration_ns(ns)));
        }
        run.push(("Other work, per message", duration_ns(calibration.other_work_ns)));
    }
    html! {
        dl.facts { @for (name, value) in &run { div { dt { (name) } dd { (value) } } } }
        @if !summary.machine.is_empty() {
            h3.gap { "Machine" }
            dl.facts {
                @for (name, value) in &summary.machine {
                    div { dt { (name.replace('_', " ")) } dd { (machine_value(name, value)) } }
                }
            }
        }
    }
}

fn machine_value(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            if name.ends_with("_bytes") { crate::format::bytes(number) } else { significant(number, 9) }
        }
        other => other.to_string(),
    }
}

fn config_pairs(config: &Config) -> Vec<(&'static str, String)> {
    let seconds = |value: f64| format!("{} s", significant(value, 6));
    let stalls: Vec<String> = config.stall_at_s.iter().map(|at| seconds(*at)).collect();
    vec![
        ("Preset", config.preset.clone()),
        ("Clock", config.clock.clone()),
        ("Cost of the history", config.cost.clone()),
        ("Passes", whole(config.passes)),
        ("Producers", format!("{} PUT/s", whole(config.rate_per_s))),
        ("Dispatcher can handle", format!("{} PUT/s", whole(config.capacity_per_s))),
        ("De-duplication window", seconds(config.window_s)),
        ("Length", seconds(config.duration_s)),
        ("Stalls at", if stalls.is_empty() { "never".to_owned() } else { stalls.join(", ") }),
        ("Length of a stall", duration_ns(config.stall_s * 1e9)),
        ("ACK after", duration_ns(config.ack_delay_ms * 1e6)),
        (
            "Time without ACKs",
            config.ack_outage_s.map_or_else(
                || "none".to_owned(),
                |[at, length]| format!("{} from {}", seconds(length), seconds(at)),
            ),
        ),
        ("GC tick every", seconds(config.gc_interval_s)),
        ("GC when idle", if config.idle_gc { "yes" } else { "no" }.to_owned()),
        ("Queue limit", format!("{} events", whole(config.queue_limit))),
        ("Time to live", if config.ttl_s > 0.0 { seconds(config.ttl_s) } else { "off".to_owned() }),
        ("Trace", config.trace.clone().unwrap_or_else(|| "none".to_owned())),
        ("One sample", duration_ns(config.sample_ms * 1e6)),
    ]
}

/// The commands, from a checkout.
pub fn reproduce(replay: &Replay) -> Markup {
    html! {
        p { "In a checkout, on Debian or Ubuntu, as root or with sudo: builds, replays the incident, prints the table, writes this page." }
        pre tabindex="0" { code { "make demo" } }
        @if let Some(command) = &replay.summary.command {
            p { "The command of this run:" }
            pre tabindex="0" { code { (command) } }
        }
        p { "Its goals as a Markdown table, or as a check that fails when one is missed:" }
        pre tabindex="0" { code { "queuecore-report goals target/replay/summary.json\nqueuecore-report goals target/replay/summary.json --check" } }
    }
}
