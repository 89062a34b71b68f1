//! Bench results: `<part>.json`, figures in rows and goals beside them.
//!
//! One row is one figure of one engine: `{"group", "what", "engine", "entries", "unit", "median", "low",
//! "high", "passes", "raw": {"low", "high", "passes"}, "threads", "role"}`. Only `what`, `engine` and `median` have to be
//! there.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Outcome, Problem, read_text};
use crate::goals::{self, Goal};

/// What one bench wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The file's name without its ending: `history`.
    pub name: String,
    /// Whether it was the small run for the daily loop, which the limits are not meant for.
    pub quick: bool,
    /// The figures.
    pub rows: Vec<Row>,
    /// The goals and their values.
    pub goals: Vec<Goal>,
}

/// One figure of one engine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// The heading that it stands under.
    #[serde(default)]
    pub group: String,
    /// What was measured.
    pub what: String,
    /// Of which engine.
    pub engine: String,
    /// With how many entries held.
    pub entries: Option<f64>,
    /// Empty for a ratio or a count.
    #[serde(default)]
    pub unit: String,
    /// The figure.
    pub median: f64,
    /// How far the passes lay apart, if there were several.
    #[serde(flatten)]
    pub spread: Spread,
    /// The spread of the passes before their minimum was taken, operation by operation.
    pub raw: Option<Spread>,
    /// The same figure of the incumbent, which was built and measured elsewhere.
    pub incumbent: Option<f64>,
    /// With how many threads.
    pub threads: Option<f64>,
    /// What the engine is there for, unless it competes.
    pub role: Option<Role>,
}

/// What an engine is there for that does not do the whole work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What could be reached at best.
    Ceiling,
    /// The bare cost of a part, to judge another engine by.
    Floor,
}

/// How far passes lay apart.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Spread {
    /// The lowest.
    pub low: Option<f64>,
    /// The highest.
    pub high: Option<f64>,
    /// How many.
    pub passes: Option<f64>,
}

impl Row {
    /// The spread to show: the raw one if there is one, else its own; none of a single pass.
    pub fn shown_spread(&self) -> Option<(f64, f64)> {
        let spread = self.raw.unwrap_or(self.spread);
        let several = spread.passes.is_some_and(|passes| passes > 1.0);
        spread.low.zip(spread.high).filter(|_| several)
    }
}

impl Part {
    /// The groups, each once, in order.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !groups.contains(&row.group.as_str()) {
                groups.push(&row.group);
            }
        }
        groups
    }
}

/// Reads one bench result, which has to be one.
pub fn read_one(file: &Path) -> Outcome<Part> {
    read(file)?.ok_or_else(|| Problem::of(file, "it is no bench result: it has no rows or no goals"))
}

/// Reads every bench result of `dir`, by name. JSON files without rows or goals are left alone.
pub fn read_all(dir: &Path) -> Outcome<Vec<Part>> {
    let unreadable = |e: std::io::Error| Problem::of(dir, format!("cannot be read: {e}"));
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    let mut parts = Vec::new();
    for file in files {
        parts.extend(read(&file)?);
    }
    Ok(parts)
}

fn read(file: &Path) -> Outcome<Option<Part>> {
    #[derive(Deserialize)]
    struct Shape {
        #[serde(default)]
        quick: bool,
        rows: Option<Vec<Row>>,
        goals: Option<Vec<Goal>>,
    }
    let text = read_text(file)?;
    let shape: Shape = serde_json::from_str(&text).map_err(|e| Problem::json(file, &e))?;
    let (Some(rows), Some(goals)) = (shape.rows, shape.goals) else { return Ok(None) };
    goals::validate(file, &goals)?;
    let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    Ok(Some(Part { name, quick: shape.quick, rows, goals }))
}
