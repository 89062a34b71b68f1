//! The one error type of this tool: which file, where in it, and what is wrong there.
//!
//! Every other module returns it; only `main.rs` prints it.

use std::fmt;
use std::path::{Path, PathBuf};

/// A place in a text file. Lines count from one, as editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from one.
    pub line: u64,
    /// Column, from one: the character in JSON, the field in CSV.
    pub column: u64,
}

/// What is wrong with the input or the output, in words that name the file and the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file that was read or written.
    pub file: PathBuf,
    /// Where in it, when that is known.
    pub place: Option<Place>,
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
}

/// Shorthand of every function that reads, draws or writes.
pub type Outcome<T> = Result<T, Problem>;

impl Problem {
    /// A problem with the file as a whole.
    pub fn of(file: &Path, what: impl Into<String>) -> Self {
        Problem { file: file.to_owned(), place: None, what: what.into() }
    }

    /// A problem at one place of the file.
    pub fn at(file: &Path, line: u64, column: u64, what: impl Into<String>) -> Self {
        Problem { file: file.to_owned(), place: Some(Place { line, column }), what: what.into() }
    }

    /// A JSON error; serde_json knows the place unless the error came from the reader.
    pub fn json(file: &Path, error: &serde_json::Error) -> Self {
        // serde_json appends the place to its text; here the place has its own position.
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(head, _)| head).to_owned();
        if error.line() == 0 {
            return Problem::of(file, what);
        }
        Problem::at(file, error.line() as u64, error.column() as u64, what)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file.display())?;
        if let Some(place) = self.place {
            write!(out, ", line {}, column {}", place.line, place.column)?;
        }
        write!(out, ": {}", self.what)
    }
}

impl std::error::Error for Problem {}

/// Reads a whole text file, or says why that failed.
pub fn read_text(file: &Path) -> Outcome<String> {
    std::fs::read_to_string(file).map_err(|e| Problem::of(file, format!("cannot be read: {e}")))
}
