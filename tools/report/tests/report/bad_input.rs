//! Bad input is named: the file, the line, the column, and what was expected there. Nothing is written.

use crate::fixture::Fixture;
use serde_json::json;

/// Spoils a good directory and returns the complaint about it.
fn complaint(spoil: impl FnOnce(&Fixture)) -> String {
    let fixture = Fixture::new();
    spoil(&fixture);
    let said = fixture.run(&["page", "."]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(!fixture.file("report.html").exists(), "a page in spite of it");
    assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
    said.err.trim_end().strip_prefix("queuecore-report: ").unwrap().to_owned()
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
}

#[test]
fn a_missing_file_is_named() {
    for name in ["summary.json", "timeseries.csv", "percentiles.csv", "gc_pauses.csv"] {
        let said = complaint(|fixture| std::fs::remove_file(fixture.file(name)).unwrap());
        assert_says(&said, &[name, "cannot be read"]);
    }
}

#[test]
fn broken_json_is_placed() {
    let said = complaint(|fixture| fixture.write("summary.json", "{\n  \"format\": 1,\n  oops\n}"));
    assert_says(&said, &["summary.json, line 3, column 3: key must be a string"]);
    let said = complaint(|fixture| fixture.write("summary.json", ""));
    assert_says(&said, &["summary.json", "EOF"]);
}

#[test]
fn a_missing_or_wrong_field_is_named() {
    let said =
        complaint(|f| f.edit_summary(|s| drop(s["config"].as_object_mut().unwrap().remove("window_s"))));
    assert_says(&said, &["summary.json, line 1", "missing field `window_s`"]);
    let said = complaint(|f| f.edit_summary(|s| s["rows"][1]["peak_bytes"] = json!("many")));
    assert_says(&said, &["summary.json, line 1", "invalid type: string \"many\", expected f64"]);
    let said = complaint(|f| f.edit_summary(|s| s["goals"][0]["op"] = json!("==")));
    assert_says(&said, &["summary.json, line 1", "unknown variant `==`"]);
}

#[test]
fn a_format_of_another_day_is_refused_as_such() {
    let said = complaint(|f| f.write("summary.json", "{\"format\": 2, \"all\": \"new\"}"));
    assert_says(&said, &["summary.json: is of format 2; this tool reads format 1"]);
}

#[test]
fn a_summary_without_content_or_with_twins_is_refused() {
    assert_says(&complaint(|f| f.edit_summary(|s| s["rows"] = json!([]))), &["nothing to report on"]);
    let said = complaint(|f| f.edit_summary(|s| s["rows"][1] = s["rows"][0].clone()));
    assert_says(&said, &["\"scheduled-1000/stl\" (prefilled) stands in it twice"]);
    let said = complaint(|f| f.edit_summary(|s| s["goals"][1] = s["goals"][0].clone()));
    assert_says(&said, &["\"peak_ratio_steady\" stands in it twice"]);
}

#[test]
fn a_bad_cell_is_placed() {
    let said = complaint(|f| f.replace("timeseries.csv", "prefilled,2.000,6080", "prefilled,2.000,6o80"));
    assert_says(
        &said,
        &["timeseries.csv, line 3, column 6: field history: expected a number, found \"6o80\""],
    );
    let said = complaint(|f| f.replace("percentiles.csv", "put_latency,50,2", "put_latency,50,nan"));
    assert_says(
        &said,
        &["percentiles.csv, line 3, column 7: field value_us: expected a number, found \"nan\""],
    );
    let said = complaint(|f| f.replace("gc_pauses.csv", "event", "evnt"));
    assert_says(&said, &["gc_pauses.csv, line 2, column 6: field kind: expected event, inline or idle"]);
    let said = complaint(|f| f.replace("percentiles.csv", "put_history", "puthistory"));
    assert_says(&said, &["percentiles.csv, line 7, column 5: field metric: expected put_latency"]);
}

#[test]
fn a_missing_column_or_cell_is_placed() {
    let said = complaint(|f| f.replace("timeseries.csv", ",backlog,", ",back_log,"));
    assert_says(&said, &["timeseries.csv, line 1", "no column backlog", "back_log"]);
    let said = complaint(|f| f.replace("gc_pauses.csv", ",44.5,60\n", ",44.5\n"));
    assert_says(&said, &["gc_pauses.csv, line 2, column 9: expected 9 fields, found 8"]);
}

#[test]
fn rows_that_contradict_are_placed() {
    let said = complaint(|f| f.replace("timeseries.csv", "prefilled,3.000", "prefilled,1.000"));
    assert_says(&said, &["timeseries.csv, line 4, column 5: field t_s: time 1 does not come after 2"]);
    let said = complaint(|f| f.replace("percentiles.csv", "put_latency,99,", "put_latency,49,"));
    assert_says(&said, &["percentiles.csv, line 4, column 6: field percentile: percentile 49 does not rise"]);
    let said = complaint(|f| f.replace("percentiles.csv", "put_latency,100,", "put_latency,101,"));
    assert_says(&said, &["101 is not between 0 and 100"]);
    let said = complaint(|f| f.replace("timeseries.csv", "inline-1000/stl,", "inline-9/stl,"));
    assert_says(&said, &["line 42, column 1", "\"inline-9/stl\" (prefilled) is not a run of summary.json"]);
    let said = complaint(|f| {
        f.write(
            "capacity.csv",
            "run,rate_per_s,source,sustained,reason,end_ratio,at_s\nx,1,measured,yes,ok,1,1\n",
        )
    });
    assert_says(&said, &["capacity.csv, line 2, column 4: field sustained: expected 1 or 0, found \"yes\""]);
}

#[test]
fn bench_results_are_checked_too() {
    let fixture = Fixture::new();
    let said = fixture.run(&["page", ".", "--bench", "no-such-dir"]);
    assert_eq!(said.code, 2);
    assert_says(&said.err, &["no-such-dir: cannot be read"]);
    fixture.write("bench/usage.json", "{\"rows\": [{\"what\": \"w\",\n\"engine\": \"e\"}], \"goals\": []}");
    let said = fixture.run(&["page", ".", "--bench", "bench"]);
    assert_eq!(said.code, 2);
    assert_says(&said.err, &["usage.json, line 2, column", "missing field `median`"]);
    fixture.write("bench/usage.json", "{\"rows\": [1], \"goals\": []}");
    let said = fixture.run(&["page", ".", "--bench", "bench"]);
    assert_eq!(said.code, 2);
    assert_says(
        &said.err,
        &["usage.json, line 1, column 11: invalid type: integer `1`, expected struct Row"],
    );
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let said = Fixture::new().run(&["page", ".", "--out", "no-such-dir/page.html"]);
    assert_eq!(said.code, 2);
    assert_says(&said.err, &["no-such-dir/page.html: cannot be written"]);
}
