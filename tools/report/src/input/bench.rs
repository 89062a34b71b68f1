//! Bench results: any `<part>.json` with flat rows and goals, whatever the columns are called.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::{Outcome, Problem, read_text};
use crate::goals::{self, Goal};

/// What one bench wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The file's name without its ending: `history`.
    pub name: String,
    /// The figures. Fields are text, numbers, booleans or null.
    pub rows: Vec<Map<String, Value>>,
    /// The goals and their values.
    pub goals: Vec<Goal>,
}

impl Part {
    /// All fields that occur, in the order of their first occurrence.
    pub fn columns(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = Vec::new();
        for name in self.rows.iter().flat_map(Map::keys) {
            if !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
        columns
    }
}

/// Reads every bench result of `dir`, by name. JSON files of another shape are left alone.
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
        rows: Option<Vec<Map<String, Value>>>,
        goals: Option<Vec<Goal>>,
    }
    let text = read_text(file)?;
    let shape: Shape = serde_json::from_str(&text).map_err(|e| Problem::json(file, &e))?;
    let (Some(rows), Some(goals)) = (shape.rows, shape.goals) else { return Ok(None) };
    goals::validate(file, &goals)?;
    let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    Ok(Some(Part { name, rows, goals }))
}
