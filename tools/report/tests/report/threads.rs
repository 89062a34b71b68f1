//! The usage bench: figures over numbers of threads, on the page and as a chart of their own.

use crate::fixture::Fixture;
use serde_json::{Value, json};

fn row(group: &str, engine: &str, threads: u32, median: f64) -> Value {
    json!({
        "case": "x", "group": group, "what": format!("{threads} threads"), "threads": threads, "engine": engine,
        "role": null, "unit": "M ops/s", "median": median, "low": median - 1.0, "high": median + 1.0, "passes": 9
    })
}

fn with_role(mut row: Value, role: &str) -> Value {
    row["role"] = json!(role);
    row
}

/// A usage bench as it writes it: a case with several numbers of threads, one with a single one, and counters.
fn usage() -> Value {
    let mut rows = vec![row("Split < 2", "atomic", 2, 9.3), row("Split < 2", "queuecore", 2, 92.5)];
    // Out of order: the line is drawn from left to right all the same.
    for (threads, atomic, own) in [(2, 22.0, 199.0), (1, 47.0, 97.8), (8, 26.5, 200.0)] {
        rows.push(row("Mid & more", "queuecore", threads, own));
        rows.push(row("Mid & more", "atomic", threads, atomic));
        rows.push(with_role(row("Mid & more", "pair", threads, 900.0), "floor"));
        rows.push(with_role(row("Mid & more", "sums", threads, 60.0), "ceiling"));
    }
    rows.push(json!({ "group": "Inside", "what": "refills", "engine": "queuecore", "median": 0.001 }));
    json!({
        "quick": false, "complete": true, "rows": rows,
        "goals": [
            { "name": "mid_2t_ratio", "op": ">=", "limit": 7, "value": 9.05 },
            { "name": "quiet_tracker_bytes", "op": "<=", "limit": 256, "value": 256 },
            { "name": "cpp_1t_ratio", "op": ">=", "limit": 1.2, "value": null }
        ]
    })
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("target/bench/usage.json", &usage().to_string());
    fixture
}

#[test]
fn the_chart_alone_is_a_whole_svg_file() {
    let fixture = fixture();
    let said = fixture.run(&["usage-chart", "target/bench/usage.json", "--out", "usage.svg"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let svg = fixture.read("usage.svg");
    let parsed = roxmltree::Document::parse(&svg).unwrap();
    assert!(parsed.root_element().attribute("width").is_some() && svg.contains("prefers-color-scheme:dark"));
    let text =
        |name| parsed.descendants().find(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name))).unwrap();
    assert_eq!(text("title").text(), Some("Mid & more"), "the first case with several numbers of threads");
    let words = text("desc").text().unwrap();
    assert!(words.contains("queuecore: begins at 97.8, is highest at 8 with 200, ends at 200."), "{words}");
    assert!(words.contains("atomic: begins at 47, is highest at 1 with 47, ends at 26.5."), "{words}");
    assert!(words.contains("(0 to 250) over threads (1 to 8)"), "the floor of 900 is not drawn: {words}");
    assert!(svg.contains(">\nsums\n<") && !svg.contains("pair"), "a ceiling is a line to measure by");
}

#[test]
fn without_a_name_the_chart_stands_beside_its_file() {
    let fixture = fixture();
    let said = fixture.run(&["usage-chart"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(fixture.read("target/bench/usage.svg").starts_with("<svg"));
}

#[test]
fn the_page_draws_lines_where_there_are_several_numbers_of_threads() {
    let page = fixture().page();
    assert!(page.contains("id=\"bench-usage\"") && page.contains("id=\"bench-usage-1-lines\""));
    assert!(
        page.contains("id=\"bench-usage-0-0\"") && !page.contains("bench-usage-0-lines"),
        "bars for one number"
    );
    assert!(page.contains("Split &lt; 2") && page.contains("Mid &amp; more"));
    assert!(page.contains("Mid, 2 threads: the same") && page.contains("no value"));
}

#[test]
fn the_goals_are_a_table_like_the_others() {
    let said = fixture().run(&["goals", "target/bench/usage.json"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let row =
        "| Memory of a tracker that nobody uses (`quiet_tracker_bytes`) | \u{2264} 256 B | 256 B | met |\n";
    assert!(
        said.out.contains(row) && said.out.contains("| \u{2265} 1.2 | no value | missed |"),
        "{}",
        said.out
    );
}

#[test]
fn a_file_that_has_no_such_figures_is_told_so() {
    let fixture = fixture();
    let mut none = usage();
    none["rows"] = json!([row("Split", "atomic", 2, 9.3)]);
    fixture.write("one.json", &none.to_string());
    fixture.write("other.json", "{\"something\": \"else\"}");
    for (file, words) in [
        ("one.json", "several numbers of threads"),
        ("other.json", "is no bench result"),
        ("gone.json", "cannot be read"),
    ] {
        let said = fixture.run(&["usage-chart", file, "--out", "chart.svg"]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{file}");
        assert!(said.err.contains(file) && said.err.contains(words), "{}", said.err);
        assert!(!fixture.file("chart.svg").exists());
    }
}
