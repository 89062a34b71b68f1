//! A backlog that is paged in: a section of the page, and a chart of its own.

use crate::fixture::Fixture;
use serde_json::{Value, json};

fn row(group: &str, what: &str, engine: &str, unit: &str, median: f64) -> Value {
    json!({
        "case": "x", "group": group, "what": what, "engine": engine, "unit": unit, "median": median,
        "low": median, "high": median, "passes": 1
    })
}

fn cursor() -> Value {
    let mut rows = Vec::new();
    for (engine, rate) in [("one_by_one", 90_000.0), ("classic", 120_000.0), ("hysteresis", 130_000.0)] {
        rows.push(row("SQLite & acks", "consumed", engine, "messages/s", rate));
        rows.push(row("SQLite & acks", "inside fetch, per message", engine, "us", 0.5));
    }
    rows.push(row("Starved", "consumed", "classic", "messages/s", 0.0));
    rows.push(row("Starved", "consumed", "guaranteed share", "messages/s", 100_000.0));
    json!({
        "format": 1, "command": "queuecore-replay --scenario cursor", "interrupted": false,
        "load": "A backlog of 200,000 messages & more",
        "config": { "limit_bytes": 67_108_864, "high_percent": 70, "low_percent": 50 },
        "rows": rows,
        "goals": [{ "name": "pages_vs_classic", "op": "<=", "limit": 1, "value": 1 }]
    })
}

const HEADER: &str = "policy,t_s,usage_bytes,acknowledged,pages,paged_messages\n";

/// Two policies whose consumers come at 0; the second pages in twice, 200 messages each.
const COURSES: &str = "\
    one_by_one,-1,0,0,0,0\n\
    one_by_one,0,46976204,0,0,0\n\
    one_by_one,2,46976204,1000,100,100\n\
    one_by_one,4,0,2000,200,200\n\
    hysteresis,-1,0,0,0,0\n\
    hysteresis,0,46976204,0,0,0\n\
    hysteresis,1,33554432,1000,0,0\n\
    hysteresis,2,40000000,1500,1,200\n\
    hysteresis,3,0,2000,2,400\n";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("cursor.json", &cursor().to_string());
    fixture.write("cursor_timeseries.csv", &format!("{HEADER}{COURSES}"));
    fixture
}

#[test]
fn it_is_a_section_with_lines_and_bars() {
    assert!(!Fixture::new().page().contains("id=\"cursor\""), "no section unless it was run");
    let page = fixture().page();
    assert!(page.contains("<section id=\"cursor\"") && page.contains("href=\"#cursor\""));
    assert!(
        page.contains("200,000 messages &amp; more") && page.contains("queuecore-replay --scenario cursor")
    );
    for chart in ["cursor-usage", "cursor-per-page", "cursor-rate", "bench-the-cursor-scenario-0-0"] {
        assert!(page.contains(&format!("id=\"{chart}\"")), "{chart}");
    }
    assert!(page.contains("high mark, 70 %") && page.contains("low mark, 50 %"));
    assert!(page.contains("hysteresis: 130,000 messages/s.") && page.contains("one_by_one: 500 ns."));
    assert!(page.contains("Pages and turns of the cache, hysteresis"));
}

#[test]
fn the_curves_are_what_was_sampled() {
    let page = fixture().page();
    let after = |words: &str| {
        let at = page.find(words).unwrap_or_else(|| panic!("{words} is not there"));
        page[at..].split("</desc>").next().unwrap()
    };
    let per_page = after("Line chart of messages per page");
    assert!(per_page.contains("one_by_one: begins at 1,"), "{per_page}");
    assert!(per_page.contains("hysteresis: begins at 200, is highest at 3 s with 200"), "{per_page}");
    let rate = after("Line chart of messages per second");
    assert!(
        rate.contains("hysteresis: begins at 1,000") && rate.contains("one_by_one: begins at 500"),
        "{rate}"
    );
    let usage = after("Line chart of bytes (0 B to 80");
    assert!(usage.contains("over time (0 s to 4"), "what came before consumers is left out: {usage}");
}

#[test]
fn the_chart_alone_is_a_whole_svg_file() {
    let fixture = fixture();
    let said = fixture.run(&["cursor-chart", "."]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let svg = fixture.read("cursor.svg");
    let parsed = roxmltree::Document::parse(&svg).unwrap();
    assert!(parsed.root_element().attribute("width").is_some() && svg.contains("prefers-color-scheme:dark"));
    assert!(svg.contains("Usage against the marks") && svg.contains("high mark, 70 %"));
}

#[test]
fn without_the_part_that_is_drawn_there_are_bars_alone() {
    let fixture = fixture();
    fixture.write("cursor_timeseries.csv", HEADER);
    let page = fixture.page();
    assert!(page.contains("<section id=\"cursor\"") && !page.contains("id=\"cursor-usage\""));
}

#[test]
fn what_is_wrong_with_it_is_named() {
    let chart = |fixture: &Fixture| fixture.run(&["cursor-chart", "."]);
    let none = chart(&Fixture::new());
    assert_eq!(none.code, 2);
    assert!(none.err.contains("cursor.json") && none.err.contains("--scenario cursor"), "{}", none.err);
    for (text, words) in [("{", "cursor.json, line 1"), ("{\"format\": 1}", "missing field `load`")] {
        let fixture = fixture();
        fixture.write("cursor.json", text);
        let said = chart(&fixture);
        assert!(said.code == 2 && said.err.contains(words), "{}", said.err);
    }
    let mut later = cursor();
    later["format"] = json!(2);
    let fixture = fixture();
    fixture.write("cursor.json", &later.to_string());
    assert!(chart(&fixture).err.contains("is of format 2"));
    fixture.write("cursor.json", &cursor().to_string());
    for (lines, words) in [
        ("a,1,0,0,0,0\na,0,0,0,0,0\n", "line 3, column 2: field t_s: time 0 comes before 1"),
        ("a,1,none,0,0,0\n", "field usage_bytes: expected a number"),
    ] {
        fixture.write("cursor_timeseries.csv", &format!("{HEADER}{lines}"));
        let said = chart(&fixture);
        assert!(said.code == 2 && said.err.contains(words), "{}", said.err);
    }
}
