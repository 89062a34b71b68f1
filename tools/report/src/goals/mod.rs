//! Goals as the replay and the benches write them: a name, a limit, and the value that was measured.
//!
//! Read by the page, by `goals FILE` (a Markdown table) and by `goals FILE --check` (a verdict).

pub mod catalog;
mod markdown;

pub use markdown::table as markdown_table;

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Outcome, Problem, read_text};

/// How the value has to stand to the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Op {
    /// At most the limit.
    #[serde(rename = "<=")]
    AtMost,
    /// At least the limit.
    #[serde(rename = ">=")]
    AtLeast,
    /// Below the limit.
    #[serde(rename = "<")]
    Below,
    /// Above the limit.
    #[serde(rename = ">")]
    Above,
}

impl Op {
    /// The sign for people.
    pub fn sign(self) -> &'static str {
        match self {
            Op::AtMost => "\u{2264}",
            Op::AtLeast => "\u{2265}",
            Op::Below => "<",
            Op::Above => ">",
        }
    }
}

/// One goal. `value` is `null` in the file when there is no such value, as with a backlog that never
/// drained; that is a goal missed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Goal {
    /// Stable name, such as `put_p999_us`; its ending carries the unit.
    pub name: String,
    /// How value and limit compare.
    pub op: Op,
    /// The limit.
    pub limit: f64,
    /// What was measured.
    pub value: Option<f64>,
}

/// What came of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The value keeps the limit.
    Met,
    /// It does not, or there is no value.
    Missed,
}

impl Verdict {
    /// One word for people.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
        }
    }
}

impl Goal {
    /// Compares value and limit.
    pub fn verdict(&self) -> Verdict {
        let Some(value) = self.value else { return Verdict::Missed };
        let met = match self.op {
            Op::AtMost => value <= self.limit,
            Op::AtLeast => value >= self.limit,
            Op::Below => value < self.limit,
            Op::Above => value > self.limit,
        };
        if met { Verdict::Met } else { Verdict::Missed }
    }

    /// `≤ 2 µs`.
    pub fn limit_text(&self) -> String {
        format!("{} {}", self.op.sign(), catalog::with_unit(&self.name, self.limit, 4))
    }

    /// `1.31 µs`, or words when there is no value. A value that misses its limit by little is
    /// given enough digits to be told from it.
    pub fn value_text(&self) -> String {
        let Some(value) = self.value else { return catalog::absent(&self.name).to_owned() };
        let limit = catalog::with_unit(&self.name, self.limit, 4);
        let short = catalog::with_unit(&self.name, value, 4);
        if short == limit && value != self.limit { catalog::with_unit(&self.name, value, 8) } else { short }
    }
}

/// How many goals are met, of how many.
pub fn tally(goals: &[Goal]) -> (usize, usize) {
    (goals.iter().filter(|g| g.verdict() == Verdict::Met).count(), goals.len())
}

/// Names have to be there and be unique, or a table would hide one goal behind another.
pub fn validate(file: &Path, goals: &[Goal]) -> Outcome<()> {
    let mut seen = BTreeSet::new();
    for (index, goal) in goals.iter().enumerate() {
        if goal.name.trim().is_empty() {
            return Err(Problem::of(file, format!("goal number {} has an empty name", index + 1)));
        }
        if !seen.insert(goal.name.as_str()) {
            return Err(Problem::of(file, format!("goal {:?} stands in it twice", goal.name)));
        }
    }
    Ok(())
}

/// Reads the goals of any file that has them: `summary.json` of the replay or a bench result.
pub fn read(file: &Path) -> Outcome<Vec<Goal>> {
    #[derive(Deserialize)]
    struct OnlyGoals {
        goals: Vec<Goal>,
    }
    let text = read_text(file)?;
    let parsed: OnlyGoals = serde_json::from_str(&text).map_err(|e| Problem::json(file, &e))?;
    validate(file, &parsed.goals)?;
    if parsed.goals.is_empty() {
        return Err(Problem::of(file, "its list of goals is empty, so there is nothing to show or to check"));
    }
    Ok(parsed.goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(op: Op, limit: f64, value: Option<f64>) -> Goal {
        Goal { name: "put_p999_us".to_owned(), op, limit, value }
    }

    #[test]
    fn verdicts_at_the_limit() {
        for (op, below, equal, above) in [
            (Op::AtMost, Verdict::Met, Verdict::Met, Verdict::Missed),
            (Op::AtLeast, Verdict::Missed, Verdict::Met, Verdict::Met),
            (Op::Below, Verdict::Met, Verdict::Missed, Verdict::Missed),
            (Op::Above, Verdict::Missed, Verdict::Missed, Verdict::Met),
        ] {
            assert_eq!(goal(op, 2.0, Some(1.9)).verdict(), below, "{op:?}");
            assert_eq!(goal(op, 2.0, Some(2.0)).verdict(), equal, "{op:?}");
            assert_eq!(goal(op, 2.0, Some(2.1)).verdict(), above, "{op:?}");
        }
        assert_eq!(goal(Op::AtMost, 2.0, None).verdict(), Verdict::Missed);
    }

    #[test]
    fn a_near_miss_does_not_look_like_the_limit() {
        assert_eq!(goal(Op::AtMost, 2.0, Some(2.00001)).value_text(), "2.00001 µs");
        assert_eq!(goal(Op::AtMost, 2.0, Some(1.31)).value_text(), "1.31 µs");
        assert_eq!(goal(Op::AtMost, 2.0, None).value_text(), "no value");
        assert_eq!(goal(Op::AtMost, 2.0, None).limit_text(), "\u{2264} 2 µs");
    }

    #[test]
    fn names_are_checked() {
        let one = goal(Op::AtMost, 1.0, None);
        let twice = validate(Path::new("g.json"), &[one.clone(), one.clone()]);
        assert!(twice.is_err_and(|p| p.what.contains("put_p999_us")));
        let empty = Goal { name: " ".to_owned(), ..one };
        assert!(validate(Path::new("g.json"), &[empty]).is_err_and(|p| p.what.contains("number 1")));
    }
}
