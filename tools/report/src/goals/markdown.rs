//! Goals as a Markdown table, for a README.

use super::{Goal, catalog};

/// One row per goal, in the order of the file.
pub fn table(goals: &[Goal]) -> String {
    let mut out = String::from("| goal | limit | value | |\n|---|---:|---:|---|\n");
    for goal in goals {
        let words = cell(&catalog::words(&goal.name));
        let name = cell(&goal.name);
        let (limit, value) = (goal.limit_text(), goal.value_text());
        out.push_str(&format!("| {words} (`{name}`) | {limit} | {value} | {} |\n", goal.verdict().word()));
    }
    out
}

/// A bar or a line break inside a cell would end it; a backtick would end the code span.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r', '`'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Op;

    #[test]
    fn a_table_of_three() {
        let goal = |name: &str, value| Goal { name: name.to_owned(), op: Op::AtMost, limit: 2.0, value };
        let text = table(&[goal("put_p999_us", Some(1.5)), goal("a|b", Some(3.0)), goal("c`\nd", None)]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[2],
            "| p99.9 of one PUT due to the history (`put_p999_us`) | \u{2264} 2 µs | 1.5 µs | met |"
        );
        assert_eq!(lines[3], "| A\\|b (`a\\|b`) | \u{2264} 2 | 3 | missed |");
        assert!(lines[4].ends_with("| no value | missed |"));
    }
}
