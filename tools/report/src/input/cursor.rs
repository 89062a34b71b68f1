//! `cursor.json` and `cursor_timeseries.csv` of the replay: a backlog that is paged in, one engine for each policy.
//!
//! Rows and goals are those of a bench result; what else stands in the first file says what was run.

use std::path::Path;

use serde::Deserialize;

use super::bench::{self, Part};
use super::sheet::each_line;
use super::versioned::read_of_format;
use crate::error::Outcome;

/// The version of the format that this tool reads.
const FORMAT: u32 = 1;

/// Both files.
#[derive(Debug, Clone, PartialEq)]
pub struct Cursor {
    /// What was run, in words.
    pub load: String,
    /// The command line, as it can be typed again.
    pub command: String,
    /// Whether somebody pressed Ctrl-C.
    pub interrupted: bool,
    /// The limit and the marks.
    pub config: Config,
    /// The figures and goals.
    pub part: Part,
    /// How the usage went, policy by policy.
    pub courses: Vec<Course>,
}

/// The limit and the marks.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Config {
    /// What the queue may use.
    pub limit_bytes: f64,
    /// Filling stops at this percent of it.
    pub high_percent: f64,
    /// And begins below this percent.
    pub low_percent: f64,
}

/// One policy over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Its name, which is that of its engine.
    pub policy: String,
    /// Time rising.
    pub samples: Vec<Sample>,
}

/// The state at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Since consumers came; below 0 before that.
    pub t_s: f64,
    /// Bytes of messages in memory.
    pub usage_bytes: f64,
    /// Messages done with, so far.
    pub acknowledged: f64,
    /// Pages, so far.
    pub pages: f64,
    /// Messages that came with them.
    pub paged_messages: f64,
}

const COLUMNS: [&str; 6] = ["policy", "t_s", "usage_bytes", "acknowledged", "pages", "paged_messages"];

/// Reads the scenario from the replay's directory, if it was run into it.
pub fn read(dir: &Path) -> Outcome<Option<Cursor>> {
    #[derive(Deserialize)]
    struct Shape {
        load: String,
        command: String,
        interrupted: bool,
        config: Config,
    }
    let file = &dir.join("cursor.json");
    if !file.exists() {
        return Ok(None);
    }
    let shape: Shape = read_of_format(file, FORMAT)?;
    let mut part = bench::read_one(file)?;
    part.name = "the cursor scenario".to_owned();
    let courses = read_courses(&dir.join("cursor_timeseries.csv"))?;
    let Shape { load, command, interrupted, config, .. } = shape;
    Ok(Some(Cursor { load, command, interrupted, config, part, courses }))
}

fn read_courses(file: &Path) -> Outcome<Vec<Course>> {
    let mut courses: Vec<Course> = Vec::new();
    each_line(file, &COLUMNS, |line| {
        let policy = line.text(0);
        let sample = Sample {
            t_s: line.number(1)?,
            usage_bytes: line.number(2)?,
            acknowledged: line.number(3)?,
            pages: line.number(4)?,
            paged_messages: line.number(5)?,
        };
        match courses.last_mut() {
            Some(course) if course.policy == policy => {
                if let Some(before) = course.samples.last().filter(|before| before.t_s > sample.t_s) {
                    return Err(line.problem(1, format!("time {} comes before {}", sample.t_s, before.t_s)));
                }
                course.samples.push(sample);
            }
            _ => courses.push(Course { policy: policy.to_owned(), samples: vec![sample] }),
        }
        Ok(())
    })?;
    Ok(courses)
}
