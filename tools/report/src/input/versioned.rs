//! JSON files that say which version of their format they are of.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Outcome, Problem, read_text};

/// Reads a file of that format.
pub fn read_of_format<T: DeserializeOwned>(file: &Path, known: u32) -> Outcome<T> {
    #[derive(Deserialize)]
    struct OnlyFormat {
        format: u32,
    }
    let text = read_text(file)?;
    // The version first, or a newer file would be reported as a missing field.
    let OnlyFormat { format } = serde_json::from_str(&text).map_err(|e| Problem::json(file, &e))?;
    if format != known {
        let what = format!("is of format {format}; this tool reads format {known}");
        return Err(Problem::of(file, what));
    }
    serde_json::from_str(&text).map_err(|e| Problem::json(file, &e))
}
