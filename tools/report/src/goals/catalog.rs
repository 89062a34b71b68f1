//! What the known goals mean, in words, and the units their names end in.
//!
//! A goal that is not listed still shows: its name is split into words.

use crate::format::significant;

const WORDS: &[(&str, &str)] = &[
    ("peak_ratio_scheduled", "Incident policy: peak history over rate × window"),
    ("peak_ratio_steady", "Steady policy: peak history over rate × window"),
    ("backlog_drain_s", "Steady policy: backlog of the stall is gone after"),
    ("worst_pause_us", "Worst pause of one PUT due to the history"),
    ("put_p999_us", "p99.9 of one PUT due to the history"),
    ("bytes_per_ideal_entry", "Peak memory per entry of rate × window"),
    ("capacity_ratio", "Sustained rate, relative to the incident policy"),
    ("capacity_ratio_vs_inline", "Sustained rate, relative to inline-1000"),
    ("single_20m_ratio", "Time per message at 20 M entries, relative to the stand-in"),
    ("batch64_20m_ratio", "Time per message at 20 M entries in batches of 64, relative to the stand-in"),
    ("single_1m_ratio", "Time per message at 1 M entries, relative to the stand-in"),
    ("batch64_1m_ratio", "Time per message at 1 M entries in batches of 64, relative to the stand-in"),
    ("single_100k_ratio", "Time per message at 100 k entries, relative to the stand-in"),
    ("insert_p999_20m_ns", "Insert p99.9 at 20 M entries"),
    ("insert_p9999_20m_ns", "Insert p99.99 at 20 M entries"),
    ("insert_p9999_20m_ratio", "Insert p99.99 at 20 M entries, relative to the stand-in"),
    ("growth_p999_ns", "Insert p99.9 while growing, memory touched before"),
    ("growth_p9999_ns", "Insert p99.99 while growing, memory touched before"),
    ("growth_fresh_p9999_ratio", "Insert p99.99 while growing from fresh memory, relative to the stand-in"),
    ("growth_max_entries_moved", "Entries moved by one call, at most"),
    ("bytes_per_entry_worst", "Bytes per historical entry at the worst size"),
    ("gc_ns_per_entry_20m", "Collection per expired entry at 20 M entries"),
    ("miss_ns_20m", "Lookup miss at 20 M entries"),
    ("miss_batch64_ns_20m", "Lookup miss at 20 M entries, in batches of 64"),
    ("drained_bytes_ratio", "Memory in use after all expired, over the peak"),
    ("drained_rss_ratio", "Resident set after all expired, over the peak"),
    ("empty_bytes", "An empty history, 16-byte values, all bytes"),
    ("queue10_bytes", "A history of 10 messages"),
    ("queue100_bytes", "A history of 100 messages"),
    ("drained_small_bytes", "The same after they were erased and collected"),
    ("gc_many_10k_us", "Collection over a group of 10,000 histories with nothing due"),
    ("mid_1t_ratio", "Mid, 1 thread: throughput, relative to one atomic per meter"),
    ("mid_2t_ratio", "Mid, 2 threads: the same"),
    ("mid_4t_ratio", "Mid, 4 threads: the same"),
    ("mid_8t_ratio", "Mid, 8 threads: the same"),
    ("mid_2t_vs_exact", "Mid, 2 threads: throughput, relative to an atomic with exact crossings"),
    ("mid_4t_vs_exact", "Mid, 4 threads: the same"),
    ("mid_8t_vs_exact", "Mid, 8 threads: the same"),
    ("linear_1_to_2", "Mid: throughput of 2 threads, relative to twice that of 1"),
    ("hot_child_2t_ratio", "2 threads on the same child, relative to one atomic per meter"),
    ("split_2t_ratio", "One thread increases, another decreases, relative to one atomic per meter"),
    ("edge_quiet_2t_ratio", "2 threads, the parent swings across a step, relative to one atomic per meter"),
    ("edge_quiet_own_2t_ratio", "The same, and the parent's own percent is read"),
    (
        "edge_listener_2t_vs_exact",
        "2 threads, a listener on every step, relative to an atomic with exact crossings",
    ),
    ("edge_listener_4t_vs_exact", "The same with 4 threads"),
    (
        "limit_2t_vs_exact",
        "2 threads, the parent swings across 100 %, relative to an atomic with exact crossings",
    ),
    ("limit_4t_vs_exact", "The same with 4 threads"),
    ("many_children_8t_ratio", "8 threads on 10,000 children at random, relative to one atomic per meter"),
    ("shared_writes_mid", "Shared lines written per operation, mid"),
    ("shared_writes_split", "Shared lines written per operation, one thread increases, another decreases"),
    ("cpp_1t_ratio", "C++, 1 thread, through the shared library, relative to std::atomic"),
    ("reserve_overshoot_bytes", "Highest level above the limit, with reservations"),
    ("quiet_tracker_bytes", "Memory of a tracker that nobody uses"),
    ("jmh_1t_vs_atomic", "Java, 1 thread: throughput, relative to one atomic per meter"),
    ("jmh_2t_vs_atomic", "Java, 2 threads: the same"),
    ("jmh_4t_vs_atomic", "Java, 4 threads: the same"),
    ("jmh_8t_vs_atomic", "Java, 8 threads: the same"),
    ("jmh_1t_vs_stock", "Java, 1 thread: throughput, relative to ActiveMQ's own meter"),
    ("jmh_2t_vs_stock", "Java, 2 threads: the same"),
    ("jmh_8t_vs_stock", "Java, 8 threads: the same"),
    ("broker_topic_1t", "ActiveMQ, 1 producer, a topic: messages with the agent, relative to those without"),
    ("broker_topic_8t", "ActiveMQ, 8 producers, a topic each: the same"),
    ("broker_topic_22t", "ActiveMQ, 22 producers, a topic each: the same"),
    ("broker_queue_8t", "ActiveMQ, 8 producers, a persistent queue each: the same"),
    ("broker_usage_parks", "ActiveMQ with the agent: waits for locks of meters"),
    ("edge_2t_vs_atomic", "Java, 2 threads at an edge, relative to one atomic per meter"),
    (
        "history_java_batch_vs_single",
        "History from Java, 1 M keys: throughput in batches of 64, relative to a call for each message",
    ),
    ("history_java_single_vs_util", "The same, a call for each message, relative to java.util"),
    (
        "cursor_java_batch_vs_single",
        "Cursor from Java: throughput in batches of 64, relative to a call for each message",
    ),
    ("fetch_us_ratio", "Time inside fetch per message paged in, one by one, relative to hysteresis"),
    ("rate_ratio_sqlite", "Messages a second from SQLite, hysteresis, relative to one by one"),
    ("rate_ratio_slow_store", "The same with a store that takes 100 µs longer for each fetch"),
    ("pages_vs_classic", "Pages and turns of the cache, hysteresis, relative to the classic rule"),
    ("messages_per_page_fraction", "Messages per page, hysteresis, relative to a whole page"),
    ("peak_over_bound_bytes", "Highest usage above its bound"),
    (
        "starved_rate_fraction",
        "Rate beside an idle queue with a guaranteed share, relative to the rate alone",
    ),
    ("cached_ns_per_message", "Push, pull and acknowledgement when all is cached"),
];

/// The goal or figure in words: from the list, or from its name.
pub fn words(name: &str) -> String {
    if let Some((_, text)) = WORDS.iter().find(|(known, _)| *known == name) {
        return (*text).to_owned();
    }
    let mut parts: Vec<String> = name.split('_').map(percentile_words).collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| UNITS.contains(&last.as_str())) {
        let unit = parts.pop().unwrap_or_default();
        return format!("{}, {}", capital(&parts.join(" ")), if unit == "us" { "µs" } else { &unit });
    }
    capital(&parts.join(" "))
}

const UNITS: [&str; 4] = ["ns", "us", "ms", "s"];

/// `p999` as `p99.9`.
fn percentile_words(word: &str) -> String {
    match word.strip_prefix('p') {
        Some(digits) if digits.len() > 2 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            let (whole, rest) = digits.split_at(2);
            format!("p{whole}.{rest}")
        }
        _ => word.to_owned(),
    }
}

/// With a capital, unless it begins with a unit or a percentile, which have none.
fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut text = text.to_owned();
    if UNITS.contains(&first) || first.contains(|c: char| c.is_ascii_digit()) {
        return text;
    }
    if let Some(letter) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &letter);
    }
    text
}

/// What a missing value means.
pub fn absent(name: &str) -> &'static str {
    if name.contains("drain_s") { "never" } else { "no value" }
}

/// The unit a name carries, in the form that follows a number.
pub fn unit(name: &str) -> &'static str {
    let mut parts = name.split('_').rev();
    let last = parts.next().unwrap_or_default();
    match last {
        "ns" => "ns",
        "us" => "µs",
        "ms" => "ms",
        "s" => "s",
        "ratio" => "",
        "bytes" => "B",
        // A size or a count may follow the unit: `miss_ns_20m`, `gc_ns_per_entry_20m`.
        _ if name.ends_with("_ratio") || name.contains("_ratio_") => "",
        _ if name.contains("_ns_") || name.starts_with("ns_") => "ns",
        _ if name.contains("_us_") => "µs",
        _ if name.starts_with("bytes_") || name.contains("_bytes_") => "B",
        _ => "",
    }
}

/// A value of that goal with its unit.
pub fn with_unit(name: &str, value: f64, digits: usize) -> String {
    match unit(name) {
        "" => significant(value, digits),
        unit => format!("{} {unit}", significant(value, digits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_from_names() {
        for (name, expected) in [
            ("put_p999_us", "µs"),
            ("ns_per_message", "ns"),
            ("backlog_drain_s", "s"),
            ("miss_ns_20m", "ns"),
            ("gc_ns_per_entry_20m", "ns"),
            ("growth_p9999_ns", "ns"),
            ("bytes_per_ideal_entry", "B"),
            ("bytes_per_entry_worst", "B"),
            ("drained_bytes_ratio", ""),
            ("capacity_ratio_vs_inline", ""),
            ("peak_ratio_steady", ""),
            ("growth_max_entries_moved", ""),
        ] {
            assert_eq!(unit(name), expected, "{name}");
        }
    }

    #[test]
    fn unknown_names_become_words() {
        assert_eq!(words("usage_release_p999_ns"), "Usage release p99.9, ns");
        assert_eq!(words("ns_per_message"), "ns per message");
        assert_eq!(words("p9999_us"), "p99.99, µs");
        assert_eq!(words("s"), "s");
        assert_eq!(words("µ_first"), "µ first");
        assert_eq!(words(""), "");
    }

    #[test]
    fn no_name_is_listed_twice() {
        let mut names: Vec<_> = WORDS.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), WORDS.len());
    }
}
