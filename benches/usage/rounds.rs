//! Rounds: in each, every engine has a slice with every number of threads, in an order that turns.

use crate::arguments::Arguments;
use crate::cases::{CASES, Case};
use crate::cell::{Bench, Cell};
use crate::engines::{Atomic, Exact, Lock, Own, Pair, Sums};
use crate::meter::Figures;
use crate::{processors, shared};
use std::io::IsTerminal;
use std::time::Duration;

/// What a cell showed.
pub struct Measured {
    pub case: &'static Case,
    pub engine: &'static str,
    pub threads: usize,
    /// Operations per second, round by round.
    pub rates: Vec<f64>,
    /// The share of the processors that its threads could use and got.
    pub busy: f64,
    /// What a library that lends has done meanwhile.
    pub lent: Option<Lent>,
}

/// The engine's own counters, per operation.
#[derive(Clone, Copy)]
pub struct Lent {
    pub refills: f64,
    pub recalls: f64,
    pub crossings: f64,
    /// The share of increases and decreases that went to the totals directly, in the second look.
    pub direct: f64,
    pub shared_lines: f64,
    pub bytes: u64,
}

/// Low, median and high.
#[derive(Clone, Copy)]
pub struct Summary {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub passes: usize,
}

/// Of one figure or more.
pub fn summarize(mut values: Vec<f64>) -> Option<Summary> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (*values.first()?, *values.last()?);
    let middle = values.len() / 2;
    let median =
        if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
    Some(Summary { median, low, high, passes: values.len() })
}

/// A cell and what its slices showed.
struct Running {
    cell: Box<dyn Cell>,
    threads: usize,
    before: Option<Figures>,
    rates: Vec<f64>,
    operations: u64,
    busy_seconds: f64,
    could_seconds: f64,
}

/// Measures all that the command line asks for.
pub fn measure(arguments: &Arguments) -> Result<Vec<Measured>, String> {
    let mut measured = Vec::new();
    for case in &CASES {
        if arguments.only.is_empty() || arguments.only.iter().any(|name| name == case.name) {
            progress(case.title);
            measured.extend(measure_case(case, arguments)?);
        }
    }
    progress("done");
    Ok(measured)
}

fn measure_case(case: &'static Case, arguments: &Arguments) -> Result<Vec<Measured>, String> {
    let wanted = |threads: &&usize| arguments.threads.is_empty() || arguments.threads.contains(threads);
    let engines = case.engines(&arguments.engine);
    let mut running = Vec::new();
    for &threads in case.threads.iter().filter(wanted) {
        for engine in &engines {
            let cell = cell(case, engine, threads);
            // What it learns of its load it learns now.
            cell.slice(arguments.slice());
            running.push(Running::new(cell, threads));
        }
    }
    let count = running.len();
    for round in 0..arguments.rounds() as usize {
        for at in 0..count {
            // A turn that is no multiple of the engines, so that they also follow one another in other orders.
            running[(at + round * (engines.len() + 1)) % count].take_slice(arguments.slice());
        }
    }
    running.into_iter().map(|running| running.finish(case)).collect()
}

fn cell(case: &Case, engine: &str, threads: usize) -> Box<dyn Cell> {
    match engine {
        "lock" => Box::new(Bench::<Lock>::new(case, threads)),
        "atomic" => Box::new(Bench::<Atomic>::new(case, threads)),
        "exact" => Box::new(Bench::<Exact>::new(case, threads)),
        "pair" => Box::new(Bench::<Pair>::new(case, threads)),
        "sums" => Box::new(Bench::<Sums>::new(case, threads)),
        _ => Box::new(Bench::<Own>::new(case, threads)),
    }
}

impl Running {
    fn new(cell: Box<dyn Cell>, threads: usize) -> Running {
        let before = cell.figures();
        let rates = Vec::new();
        Running { cell, threads, before, rates, operations: 0, busy_seconds: 0.0, could_seconds: 0.0 }
    }

    fn take_slice(&mut self, length: Duration) {
        let slice = self.cell.slice(length);
        // One thread has nobody to wait for, so its processor time is all that counts: other work falls out.
        let seconds = if self.threads == 1 { slice.busy_seconds } else { slice.seconds };
        self.rates.push(slice.operations as f64 / seconds);
        self.operations += slice.operations;
        self.busy_seconds += slice.busy_seconds;
        self.could_seconds += slice.seconds * self.threads.min(processors::count()) as f64;
    }

    fn finish(self, case: &'static Case) -> Result<Measured, String> {
        let engine = self.cell.engine();
        if let Some(complaint) = self.cell.complaint() {
            return Err(format!("{}, {} threads, {engine}: {complaint}", case.name, self.threads));
        }
        let lent = self.cell.figures().zip(self.before).map(|(now, before)| {
            let done = now.since(&before);
            let direct = self.cell.direct_share().unwrap_or(0.0);
            let each = |count: u64| count as f64 / self.operations.max(1) as f64;
            Lent {
                refills: each(done.refills),
                recalls: each(done.recalls),
                crossings: each(done.crossings),
                direct,
                shared_lines: each(shared::lines(&done)) + shared::direct_lines(direct),
                bytes: now.bytes_in_use,
            }
        });
        let busy = self.busy_seconds / self.could_seconds;
        Ok(Measured { case, engine, threads: self.threads, rates: self.rates, busy, lent })
    }
}

/// To people who watch; logs need no progress.
fn progress(what: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("usage bench: {what}");
    }
}
