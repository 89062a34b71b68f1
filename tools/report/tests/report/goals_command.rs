//! `queuecore-report goals`: a table to paste, and a check for scripts.

use crate::fixture::Fixture;
use serde_json::json;

#[test]
fn the_table_is_markdown() {
    let said = Fixture::new().run(&["goals", "summary.json"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(
        said.out,
        "| goal | limit | value | |\n|---|---:|---:|---|\n\
         | Steady policy: peak history over rate × window (`peak_ratio_steady`) | \u{2264} 1.02 | 1.002 | met |\n\
         | Steady policy: backlog of the stall is gone after (`backlog_drain_s`) | \u{2264} 10 s | 3.3 s | met |\n"
    );
}

#[test]
fn a_check_that_passes_says_how_many() {
    let said = Fixture::new().run(&["goals", "summary.json", "--check"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, "summary.json: 2 of 2 goals met\n");
}

#[test]
fn a_check_that_fails_lists_what_was_missed() {
    let fixture = Fixture::new();
    fixture.edit_summary(|summary| {
        summary["goals"][0]["value"] = json!(1.0200001);
        summary["goals"][1]["value"] = json!(null);
    });
    let said = fixture.run(&["goals", "summary.json", "--check"]);
    assert_eq!(said.code, 1);
    assert_eq!(
        said.err,
        "missed: peak_ratio_steady: 1.0200001, the limit is \u{2264} 1.02\n\
         missed: backlog_drain_s: never, the limit is \u{2264} 10 s\n"
    );
    assert_eq!(said.out, "summary.json: 0 of 2 goals met\n");
    let table = fixture.run(&["goals", "summary.json"]);
    assert_eq!((table.code, table.out.matches("| missed |").count()), (0, 2));
}

#[test]
fn no_goals_are_not_goals_met() {
    let fixture = Fixture::new();
    fixture.write("empty.json", "{\"rows\": [], \"goals\": []}");
    fixture.write("none.json", "{\"rows\": []}");
    for (file, words) in
        [("empty.json", "is empty"), ("none.json", "missing field `goals`"), ("gone.json", "cannot be read")]
    {
        let said = fixture.run(&["goals", file, "--check"]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{file}");
        assert!(said.err.contains(file) && said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn help_teaches() {
    let fixture = Fixture::new();
    let said = fixture.run(&["--help"]);
    assert_eq!(said.code, 0);
    for word in ["page", "goals", "chart", "Examples:", "--check", "Exit codes:"] {
        assert!(said.out.contains(word), "{word}: {}", said.out);
    }
    let page = fixture.run(&["page", "--help"]).out;
    assert!(page.contains("summary.json") && page.contains("--bench") && page.contains("target/replay"));
    assert_eq!(fixture.run(&["goals"]).code, 2);
}
