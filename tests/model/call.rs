//! One call with concrete arguments, and what the model says it must answer.

use super::subject::Failure;
use super::transfer::Transferred;
use queuecore::ffi::status::qc_status;
use queuecore::history::{Collected, Erased, Error, Key, Presence};

/// The model's name for an entry: entries are numbered from 0 as they are added, so the order of numbers is the
/// live order, and a number is never used twice.
pub type Id = u64;

/// The handle of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRef {
    /// The handle that was given out for this entry, live or not.
    Given(Id),
    /// The same with some bits turned: never a handle that is live (the driver sees to that).
    Forged(Id, u64),
    /// A number from nowhere; likewise never a live handle.
    Foreign(u64),
}

/// A call, every argument decided.
#[derive(Clone, Debug)]
pub enum Call {
    Insert {
        key: Key,
        value: Vec<u8>,
        inserted_at_ns: i64,
        now_ns: i64,
        readmit: bool,
    },
    InsertBatch {
        keys: Vec<Key>,
        values: Vec<u8>,
        inserted_at_ns: Vec<i64>,
        now_ns: i64,
        readmit: bool,
    },
    Forget {
        entry: EntryRef,
    },
    ForgetKey {
        key: Key,
    },
    Contains {
        key: Key,
        now_ns: i64,
    },
    ContainsBatch {
        keys: Vec<Key>,
        now_ns: i64,
    },
    Erase {
        entry: EntryRef,
        now_ns: i64,
    },
    EraseKey {
        key: Key,
        now_ns: i64,
    },
    EraseBatch {
        entries: Vec<EntryRef>,
        now_ns: i64,
    },
    EraseAllLive {
        now_ns: i64,
    },
    Gc {
        now_ns: i64,
        max: u64,
    },
    Clear,
    ClearStep {
        max: u64,
    },
    SetWindow {
        window_ns: i64,
    },
    NextFrom {
        key: Key,
    },
    Import {
        records: Vec<Transferred>,
        now_ns: i64,
        shift_ns: i64,
    },
    ClockReset {
        now_ns: i64,
    },
    /// Writes a value and reads it back.
    SetValue {
        entry: EntryRef,
        value: Vec<u8>,
    },
    /// Asks everything that can be asked of an entry.
    Look {
        entry: EntryRef,
    },
}

impl Call {
    /// The elements `from..to` of a batch; other calls as they are.
    pub fn part(&self, from: usize, to: usize) -> Call {
        let mut call = self.clone();
        match &mut call {
            Call::InsertBatch { keys, values, inserted_at_ns, .. } => {
                let size = values.len() / keys.len().max(1);
                *values = values.get(from * size..to * size).unwrap_or_default().to_vec();
                *inserted_at_ns = inserted_at_ns.get(from..to).unwrap_or_default().to_vec();
                *keys = keys[from..to].to_vec();
            }
            Call::EraseBatch { entries, .. } => *entries = entries[from..to].to_vec(),
            _ => {}
        }
        call
    }

    /// How many elements a batch has; 1 for other calls.
    pub fn len(&self) -> usize {
        match self {
            Call::InsertBatch { keys, .. } => keys.len(),
            Call::EraseBatch { entries, .. } => entries.len(),
            _ => 1,
        }
    }

    /// The present of the call, if it has one.
    pub fn now_ns(&self) -> Option<i64> {
        match *self {
            Call::Insert { now_ns, .. }
            | Call::InsertBatch { now_ns, .. }
            | Call::Contains { now_ns, .. }
            | Call::ContainsBatch { now_ns, .. }
            | Call::Erase { now_ns, .. }
            | Call::EraseKey { now_ns, .. }
            | Call::EraseBatch { now_ns, .. }
            | Call::EraseAllLive { now_ns }
            | Call::Import { now_ns, .. }
            | Call::Gc { now_ns, .. } => Some(now_ns),
            _ => None,
        }
    }
}

/// What a call must answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Done,
    Added(Id),
    DuplicateLive(Id),
    DuplicateHistory,
    Presences(Vec<Presence>),
    Erased(Erased),
    Count(u64),
    Next(Option<Id>),
    Imported {
        live: u64,
        historical: u64,
    },
    Collected(Collected),
    /// The answers of the elements done, and why the next one failed if one did.
    Batch(Vec<Answer>, Vec<Refusal>),
    /// What is known of a live entry.
    Seen {
        key: Key,
        inserted_at_ns: i64,
        value: Vec<u8>,
        prev: Option<Id>,
        next: Option<Id>,
    },
    /// The call fails. When several arguments are wrong at once any one of them may be named.
    Refused(Vec<Refusal>),
}

/// A reason to fail, as far as the design fixes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    EntriesFull { limit: u64 },
    HistoryFull { limit: u64 },
    ClockStep { now_ns: i64, seen_ns: i64, max_step_ns: i64 },
    TimeRange { what: &'static str, time_ns: i64 },
    InsertedInFuture { inserted_at_ns: i64 },
    Stale,
    NotFound,
    OutOfRange,
    WindowRaises,
}

impl Refusal {
    /// Whether this is the failure that the subject reported.
    pub fn is(self, failure: Failure) -> bool {
        match failure {
            Failure::Core(error) => self.is_error(error),
            Failure::Status(status) => self.status() == status,
        }
    }

    fn status(self) -> qc_status {
        match self {
            Refusal::EntriesFull { .. } | Refusal::HistoryFull { .. } | Refusal::WindowRaises => {
                qc_status::QC_ERR_CAPACITY
            }
            Refusal::ClockStep { .. } | Refusal::TimeRange { .. } => qc_status::QC_ERR_CLOCK,
            Refusal::InsertedInFuture { .. } | Refusal::OutOfRange => qc_status::QC_ERR_OUT_OF_RANGE,
            Refusal::Stale => qc_status::QC_ERR_STALE_HANDLE,
            Refusal::NotFound => qc_status::QC_ERR_NOT_FOUND,
        }
    }

    fn is_error(self, error: Error) -> bool {
        match (self, error) {
            (Refusal::EntriesFull { limit }, Error::EntriesFull { limit: got }) => limit == got,
            (Refusal::HistoryFull { limit }, Error::HistoryFull { limit: got }) => limit == got,
            (
                Refusal::ClockStep { now_ns, seen_ns, max_step_ns },
                Error::ClockStep { now_ns: now, seen_ns: seen, max_step_ns: step },
            ) => (now_ns, seen_ns, max_step_ns) == (now, seen, step),
            (Refusal::TimeRange { what, time_ns }, Error::TimeRange { what: name, time_ns: time }) => {
                (what, time_ns) == (name, time)
            }
            (
                Refusal::InsertedInFuture { inserted_at_ns },
                Error::InsertedInFuture { inserted_at_ns: got, .. },
            ) => inserted_at_ns == got,
            (Refusal::Stale, Error::StaleEntry { .. })
            | (Refusal::NotFound, Error::NotFound)
            | (Refusal::OutOfRange, Error::OutOfRange { .. })
            | (Refusal::WindowRaises, Error::WindowRaises { .. }) => true,
            _ => false,
        }
    }
}
