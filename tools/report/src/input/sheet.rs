//! CSV files with a header line: columns are found by name, and every complaint names line and field.
//!
//! Called by the readers of the replay's CSV files; knows nothing of what the columns mean.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use crate::error::{Outcome, Problem};

/// One line of a CSV file, seen through the columns that were asked for.
pub struct Line<'a> {
    file: &'a Path,
    number: u64,
    record: &'a StringRecord,
    columns: &'a [Column],
}

/// A column that was asked for: its name and where it stands in this file.
struct Column {
    name: &'static str,
    index: usize,
}

impl Line<'_> {
    /// The text of the `at`-th column asked for.
    pub fn text(&self, at: usize) -> &str {
        self.columns.get(at).and_then(|column| self.record.get(column.index)).unwrap_or_default()
    }

    /// A number; `nan` stands for a value that does not exist.
    pub fn number_or_nan(&self, at: usize) -> Outcome<f64> {
        let text = self.text(at);
        if text.eq_ignore_ascii_case("nan") {
            return Ok(f64::NAN);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.problem(at, format!("expected a number or nan, found {text:?}"))),
        }
    }

    /// A number that has to exist.
    pub fn number(&self, at: usize) -> Outcome<f64> {
        match self.number_or_nan(at) {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.problem(at, format!("expected a number, found {:?}", self.text(at)))),
        }
    }

    /// A complaint about the `at`-th column asked for.
    pub fn problem(&self, at: usize, what: impl AsRef<str>) -> Problem {
        let (name, index) = self.columns.get(at).map_or(("?", 0), |column| (column.name, column.index));
        Problem::at(self.file, self.number, index as u64 + 1, format!("field {name}: {}", what.as_ref()))
    }
}

/// Calls `each` for every line. The file may hold more columns, in any order.
pub fn each_line(
    file: &Path,
    names: &[&'static str],
    mut each: impl FnMut(&Line) -> Outcome<()>,
) -> Outcome<()> {
    let mut reader = ReaderBuilder::new()
        .from_path(file)
        .map_err(|e| Problem::of(file, format!("cannot be read: {e}")))?;
    let header = reader.headers().map_err(|e| csv_problem(file, &e))?;
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Some(index) = header.iter().position(|cell| cell == *name) else {
            let found: Vec<&str> = header.iter().collect();
            let what = format!("the header has no column {name}; it has: {}", found.join(", "));
            return Err(Problem::at(file, 1, 1, what));
        };
        columns.push(Column { name, index });
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| csv_problem(file, &e))? {
        let number = record.position().map_or(0, csv::Position::line);
        each(&Line { file, number, record: &record, columns: &columns })?;
    }
    Ok(())
}

fn csv_problem(file: &Path, error: &csv::Error) -> Problem {
    let line = error.position().map(csv::Position::line);
    let (column, what) = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            (expected_len.min(len) + 1, format!("expected {expected_len} fields, found {len}"))
        }
        csv::ErrorKind::Utf8 { err, .. } => (err.field() as u64 + 1, "is not UTF-8".to_owned()),
        _ => (1, error.to_string()),
    };
    match line {
        Some(line) => Problem::at(file, line, column, what),
        None => Problem::of(file, what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn written(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.csv");
        std::fs::write(&file, text).unwrap();
        (dir, file)
    }

    fn complaint(text: &[u8]) -> String {
        let (dir, file) = written(text);
        let outcome = each_line(&file, &["a", "b"], |line| {
            line.number(0)?;
            line.number_or_nan(1).map(|_| ())
        });
        let place = format!("{}/", dir.path().display());
        outcome.unwrap_err().to_string().replace(&place, "")
    }

    #[test]
    fn columns_are_found_by_name() {
        let (_dir, file) = written(b"b,x,a\nnan,,7\n2.5,,8\n");
        let mut seen = Vec::new();
        each_line(&file, &["a", "b"], |line| {
            seen.push((line.number(0)?, line.number_or_nan(1)?, line.text(0).to_owned()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen.len(), 2);
        assert!(seen[0].0 == 7.0 && seen[0].1.is_nan() && seen[0].2 == "7");
        assert_eq!(seen[1], (8.0, 2.5, "8".to_owned()));
    }

    #[test]
    fn complaints_name_the_place() {
        assert_eq!(
            complaint(b"x,a,b\n0,1,2\n0,1,oops\n"),
            "some.csv, line 3, column 3: field b: expected a number or nan, found \"oops\""
        );
        assert_eq!(
            complaint(b"a,b\nnan,1\n"),
            "some.csv, line 2, column 1: field a: expected a number, found \"nan\""
        );
        assert_eq!(
            complaint(b"a,b\n1,inf\n"),
            "some.csv, line 2, column 2: field b: expected a number or nan, found \"inf\""
        );
        assert_eq!(complaint(b"a,b\n1,2\n1\n"), "some.csv, line 3, column 2: expected 2 fields, found 1");
        assert_eq!(
            complaint(b"a,c\n"),
            "some.csv, line 1, column 1: the header has no column b; it has: a, c"
        );
        assert_eq!(complaint(b"a,b\n1,2\n1,\xff\n"), "some.csv, line 3, column 2: is not UTF-8");
        assert_eq!(complaint(b""), "some.csv, line 1, column 1: the header has no column a; it has: ");
    }

    #[test]
    fn a_missing_file_is_named() {
        let outcome = each_line(Path::new("/nowhere/x.csv"), &[], |_| Ok(()));
        assert!(outcome.unwrap_err().to_string().starts_with("/nowhere/x.csv: cannot be read: "));
    }
}
