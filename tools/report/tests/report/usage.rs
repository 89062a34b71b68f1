//! Producers that wait for space: a section of the page, if the replay ran that scenario too.

use crate::fixture::Fixture;
use serde_json::{Value, json};

fn usage() -> Value {
    json!({
        "format": 1, "command": "queuecore-replay --scenario usage", "interrupted": false,
        "load": "16 producers & 4 consumers on a limit of 64 MiB",
        "shared_line": [{ "threads": 1, "ns": 4.7 }, { "threads": 2, "ns": 21.4 }],
        "rows": [
            { "group": "Throughput", "what": "throughput", "engine": "atomic", "unit": "messages/s", "median": 380000,
              "low": 370000, "high": 390000, "passes": 4 },
            { "group": "Throughput", "what": "throughput", "engine": "queuecore", "unit": "messages/s",
              "median": 420000 },
            { "group": "Above", "what": "highest level above the limit", "engine": "atomic", "unit": "B",
              "median": 21546 },
            { "group": "Above", "what": "highest level above the limit", "engine": "queuecore-reserve", "unit": "B",
              "median": 0 }
        ],
        "goals": [{ "name": "reserve_overshoot_bytes", "op": "<=", "limit": 0, "value": 0 }]
    })
}

#[test]
fn it_is_a_section_with_bars() {
    let fixture = Fixture::new();
    assert!(!fixture.page().contains("id=\"usage\""), "no section unless it was run");
    fixture.write("usage.json", &usage().to_string());
    let page = fixture.page();
    assert!(page.contains("<section id=\"usage\"") && page.contains("href=\"#usage\""));
    assert!(
        page.contains("16 producers &amp; 4 consumers") && page.contains("queuecore-replay --scenario usage")
    );
    assert!(
        page.contains("id=\"bench-the-usage-scenario-0-0\"")
            && page.contains("id=\"bench-the-usage-scenario-1-0\"")
    );
    assert!(page.contains("queuecore: 420,000 messages/s.") && page.contains("queuecore-reserve: 0 B."));
    assert!(page.contains("Highest level above the limit, with reservations"));
    assert!(page.contains("4.7 ns by 1 thread, 21.4 ns by 2 threads"));
}

#[test]
fn it_stands_beside_the_bench_of_the_same_name() {
    let fixture = Fixture::new();
    fixture.write("usage.json", &usage().to_string());
    fixture.write("target/bench/usage.json", &json!({ "rows": usage()["rows"], "goals": [] }).to_string());
    let page = fixture.page();
    let ids: Vec<&str> =
        page.match_indices(" id=\"").map(|(at, _)| page[at + 5..].split('"').next().unwrap()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an identifier stands twice");
    assert!(ids.contains(&"bench-usage-0-0"));
}

#[test]
fn what_is_wrong_with_it_is_named() {
    for (text, words) in [
        ("{", "usage.json, line 1"),
        ("{\"format\": 1}", "missing field `load`"),
        ("{\"format\": 2, \"load\": \"\", \"command\": \"\", \"interrupted\": false}", "is of format 2"),
        (
            "{\"format\": 1, \"load\": \"\", \"command\": \"\", \"interrupted\": false}",
            "it is no bench result",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.write("usage.json", text);
        let said = fixture.run(&["page", "."]);
        assert_eq!(said.code, 2, "{text}");
        assert!(said.err.contains("usage.json") && said.err.contains(words), "{}", said.err);
    }
}
