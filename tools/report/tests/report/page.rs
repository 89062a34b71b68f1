//! What the page has to be: whole, self-contained, well formed, and made of the data.

use std::collections::BTreeSet;

use crate::fixture::Fixture;
use serde_json::json;

/// Every `<svg ...>...</svg>` of the page.
fn drawings(page: &str) -> Vec<&str> {
    let starts = page.match_indices("<svg").map(|(at, _)| at);
    starts.map(|at| page[at..].split_inclusive("</svg>").next().unwrap()).collect()
}

/// Every opening tag of the page.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<')
        .skip(1)
        .filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(|tag| tag.split('>').next().unwrap())
}

fn attributes(tag: &str) -> Vec<&str> {
    // Outside of quotes, a name stands before each `="`.
    let outside: Vec<&str> = tag.split('"').step_by(2).collect();
    outside
        .iter()
        .filter_map(|part| part.strip_suffix('='))
        .map(|part| part.rsplit(' ').next().unwrap())
        .collect()
}

#[test]
fn every_section_and_chart_is_there() {
    let page = Fixture::new().page();
    assert!(page.starts_with("<!DOCTYPE html>"));
    for id in ["goals", "charts-0", "allocations", "capacity", "run", "reproduce"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "section {id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "link to {id}");
    }
    for chart in [
        "history",
        "near",
        "memory",
        "backlog",
        "backlog-near",
        "latency",
        "latency-curve",
        "put-parts",
        "put-curve",
        "pauses",
        "pause-curve",
    ] {
        assert!(page.contains(&format!("id=\"s0-{chart}\"")), "chart {chart}");
    }
    assert!(page.contains("queuecore-replay --find-capacity") && page.contains("Some CPU"));
    assert!(page.contains("\u{2212}1,000"), "a change downwards");
}

#[test]
fn the_headline_is_made_of_the_figures() {
    let page = Fixture::new().page();
    assert!(page.contains(
        "With scheduled-1000/stl the history peaks at 4.505 times its ideal size and is still growing at the end, \
         and the backlog never drains; with steady/queuecore the history peaks at 1.002 times its ideal size, and \
         the backlog is gone after 3.3 s."
    ));
    assert!(page.contains("100,000 PUT/s and can handle no more; 10 s into the run it stalls for 100 ms."));
}

#[test]
fn the_headline_follows_the_run() {
    let fixture = Fixture::new();
    fixture.edit_summary(|summary| {
        summary["config"]["stall_at_s"] = json!([]);
        summary["config"]["capacity_per_s"] = json!(120000);
        summary["config"]["as_specified"] = json!(false);
        summary["interrupted"] = json!(true);
        for row in summary["rows"].as_array_mut().unwrap() {
            row["backlog_drain_s"] = json!(null);
            row["worst_pause_us"] = json!(null);
        }
    });
    let page = fixture.page();
    assert!(page.contains("100,000 PUT/s and could handle 120,000; it never stalls."));
    assert!(!page.contains("never drains") && !page.contains("id=\"s0-backlog-near\""));
    assert!(page.contains("This replay was interrupted.") && page.contains("has other parameters"));
}

#[test]
fn nothing_comes_from_outside_and_nothing_runs() {
    let page = Fixture::new().page();
    for forbidden in ["<script", "<img", "<iframe", "@import", "url(", "javascript:", "onload="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let outward: BTreeSet<&str> =
        page.match_indices("http").map(|(at, _)| page[at..].split('"').next().unwrap()).collect();
    assert_eq!(outward, BTreeSet::from(["http://www.w3.org/2000/svg"]));
}

#[test]
fn every_drawing_is_well_formed_and_speaks() {
    let page = Fixture::with_both_starts().page();
    let mut charts = 0;
    for drawing in drawings(&page) {
        let parsed = roxmltree::Document::parse_with_options(
            drawing,
            roxmltree::ParsingOptions { allow_dtd: false, ..Default::default() },
        );
        let parsed = parsed.unwrap_or_else(|e| panic!("{e}: {drawing}"));
        let root = parsed.root_element();
        if root.attribute("aria-hidden") == Some("true") {
            continue;
        }
        charts += 1;
        assert_eq!(root.attribute("role"), Some("img"));
        let text = |name| {
            root.children()
                .find(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name)))
                .and_then(|n| n.text())
        };
        assert!(text("title").is_some_and(|t| !t.is_empty()));
        assert!(text("desc").is_some_and(|t| t.contains("steady/queuecore: begins at")));
        assert!(!drawing.contains('#'), "a colour that does not follow the page: {drawing}");
    }
    assert_eq!(charts, 2 * (3 * 3 + 8 * 2), "two starts, three full charts at three sizes, eight at two");
}

#[test]
fn identifiers_and_attributes_are_unique_and_references_lead_somewhere() {
    let fixture = Fixture::with_both_starts();
    fixture.edit_summary(|summary| {
        summary["capacity"] = json!([
            { "run": "steady/queuecore", "capacity_per_s": 101300, "first_failing_per_s": 101800, "relative": 1.151 }
        ]);
    });
    let page = fixture.page();
    let mut ids = BTreeSet::new();
    for tag in tags(&page) {
        let names = attributes(tag);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "<{tag}>");
        if let Some((_, rest)) = tag.split_once(" id=\"") {
            assert!(ids.insert(rest.split('"').next().unwrap()), "<{tag}>");
        }
    }
    for marker in ["href=\"#", "aria-labelledby=\""] {
        for (at, _) in page.match_indices(marker) {
            for id in page[at + marker.len()..].split('"').next().unwrap().split(' ') {
                assert!(ids.contains(id), "{marker}{id}");
            }
        }
    }
}

#[test]
fn light_dark_narrow_and_paper_are_cared_for() {
    let page = Fixture::new().page();
    for rule in [
        "@media screen and (prefers-color-scheme:dark)",
        "@media screen and (max-width:600px)",
        "@media print",
    ] {
        assert!(page.contains(rule), "{rule}");
    }
    assert!(page.contains("stroke-dasharray"));
}

#[test]
fn text_from_the_data_cannot_become_markup() {
    let fixture = Fixture::new();
    let evil = "<script>alert('x')</script>&\"";
    fixture.edit_summary(|summary| {
        summary["command"] = json!(evil);
        summary["machine"] = json!({ evil: evil });
        summary["goals"][0]["name"] = json!(evil);
        summary["rows"][0]["policy"] = json!(evil);
        summary["config"]["preset"] = json!(evil);
        summary["capacity"] =
            json!([{ "run": evil, "capacity_per_s": 5, "first_failing_per_s": null, "relative": null }]);
    });
    let name = "<b>run/stl";
    fixture.edit_summary(|summary| summary["rows"][0]["run"] = json!(name));
    for table in ["timeseries.csv", "percentiles.csv", "gc_pauses.csv"] {
        fixture.write(table, &fixture.read(table).replace("scheduled-1000/stl", name));
    }
    let page = fixture.page();
    assert!(!page.contains("<script") && !page.contains("<b>"));
    assert!(page.contains("&lt;script&gt;") && page.contains("&lt;b&gt;run/stl"));
    for drawing in drawings(&page) {
        assert!(roxmltree::Document::parse(drawing).is_ok());
    }
}

#[test]
fn capacity_alone_makes_a_page_too() {
    let fixture = Fixture::new();
    fixture.edit_summary(|summary| {
        summary["rows"] = json!([]);
        summary["goals"] = json!([]);
        summary["capacity"] = json!([
            { "run": "steady/queuecore", "capacity_per_s": 101300, "first_failing_per_s": 101800, "relative": 1.151 },
            { "run": "inline-1000/stl", "capacity_per_s": null, "first_failing_per_s": null, "relative": null }
        ]);
    });
    for table in ["timeseries.csv", "percentiles.csv", "gc_pauses.csv"] {
        std::fs::remove_file(fixture.file(table)).unwrap();
    }
    fixture.write(
        "capacity.csv",
        "run,rate_per_s,source,sustained,reason,nacks,end_ratio,growth_per_s,at_s\n\
         steady/queuecore,101300,measured,1,ok,0,1.01,12,240\nsteady/queuecore,101800,measured,0,nack,1,nan,nan,17.5\n",
    );
    let page = fixture.page();
    assert!(page.contains(
        "Steady/queuecore sustains 101,300 PUT/s; no sustained rate was found for inline-1000/stl."
    ));
    assert!(
        page.contains("id=\"capacity-bars\"") && page.contains("no: nack") && !page.contains("id=\"goals\"")
    );
}

#[test]
fn bench_results_join_in() {
    let fixture = Fixture::new();
    fixture.write(
        "bench/history.json",
        &json!({
            "quick": true,
            "rows": [
                { "group": "Steady", "what": "with a check", "engine": "stand-in", "entries": 20000000, "unit": "ns",
                  "median": 686.2, "low": 680.0, "high": 701.5, "passes": 3, "incumbent": 690.0 },
                { "group": "Steady", "what": "with a check", "engine": "queuecore", "entries": 20000000, "unit": "ns",
                  "median": 215.5, "raw": { "low": 210.0, "high": 2190.0, "passes": 3 } },
                { "group": "Calls", "what": "two calls", "engine": "stand-in", "unit": "ns", "median": 100 },
                { "group": "Calls", "what": "one call", "engine": "queuecore", "unit": "ns", "median": 40 },
                { "what": "x < y", "engine": "queuecore", "median": 96 }
            ],
            "goals": [{ "name": "single_20m_ratio", "op": "<=", "limit": 0.33, "value": 0.314 }]
        })
        .to_string(),
    );
    fixture.write("bench/other.json", "{\"something\": \"else\"}");
    let said = fixture.run(&["page", ".", "--bench", "bench", "--out", "with bench.html"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let page = fixture.read("with bench.html");
    assert!(page.contains("id=\"bench-history\"") && page.contains("single_20m_ratio"));
    assert!(
        page.contains("20 M entries, queuecore: 216 ns.")
            && page.contains("incumbent, measured elsewhere: 690 ns.")
    );
    assert!(
        page.contains("680 ns \u{2026} 702 ns")
            && page.contains("210 ns \u{2026} 2.19 µs")
            && page.contains("x &lt; y")
    );
    assert!(
        page.contains("id=\"bench-history-0-0\"") && !page.contains("id=\"bench-history-2"),
        "one bar is no chart"
    );
    assert!(
        page.contains("id=\"bench-history-1-0\"") && !page.contains("id=\"bench-history-1-1"),
        "one scale for both"
    );
    assert!(page.contains("100 ns, two calls") && page.contains("40 ns, one call"));
    assert!(page.contains("the quick run") && !page.contains("id=\"bench-other\""));
    assert!(!fixture.page().contains("id=\"bench-"), "no bench unless there is one");
}

#[test]
fn the_chart_alone_is_a_whole_svg_file() {
    let fixture = Fixture::new();
    let said = fixture.run(&["chart", ".", "--out", "chart.svg"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let svg = fixture.read("chart.svg");
    let parsed = roxmltree::Document::parse(&svg).unwrap();
    assert!(parsed.root_element().attribute("width").is_some());
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("ideal: rate × window"));
}
