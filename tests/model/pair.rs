//! The real history beside the model: every call is made on both, and everything that can be seen is compared.

use super::call::{Answer, Call, EntryRef, Id, Refusal};
use super::operation::Op;
use super::reference::Model;
use super::setup::Setup;
use queuecore::history::{Entry, Error, History, Inserted, Key, Presence};
use std::collections::HashMap;

/// The most index entries that one call may move, at any size.
pub const MAX_ENTRIES_MOVED: u64 = 256;

/// The allocator had no memory for a call, after `done` elements of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanOut {
    pub done: usize,
}

/// The real history, with what the test knows of the handles it gave out.
pub struct Real {
    pub history: History,
    /// Handle and value address of every entry ever added, by the model's number.
    given: Vec<(Entry, usize)>,
    ids: HashMap<u64, Id>,
    value_size: usize,
}

impl Real {
    pub fn new(setup: &Setup) -> Real {
        Real::around(History::new(setup.options()).expect("the setup is valid"))
    }

    /// A history that was created elsewhere, and is new.
    pub fn around(history: History) -> Real {
        let value_size = history.value_size();
        Real { history, given: Vec::new(), ids: HashMap::new(), value_size }
    }

    /// The handle that stands for `entry`. A made-up one is changed until no live entry has it.
    fn handle(&self, entry: EntryRef, live: &Model) -> Entry {
        let mut bits = match entry {
            EntryRef::Given(id) => return self.given[id as usize].0,
            EntryRef::Forged(id, turned) => self.given[id as usize].0.to_bits() ^ turned,
            EntryRef::Foreign(bits) => bits,
        };
        let is_live = |bits: u64| self.ids.get(&bits).is_some_and(|&id| live.live_entry(id).is_some());
        while bits == 0 || is_live(bits) {
            bits = bits.wrapping_add(0x1_0000_0001);
        }
        Entry::from_bits(bits).expect("not 0")
    }

    /// Takes note of a new handle, which must never have been given out before.
    fn note_added(&mut self, id: Id, entry: Entry) {
        assert_eq!(id, self.given.len() as u64, "the model numbers entries in order");
        let address = self.history.value_ptr(entry).expect("just added").as_ptr().addr();
        let align = if self.value_size >= 16 { 16 } else { 8 };
        assert_eq!(address % align, 0, "alignment of a value of {} bytes", self.value_size);
        self.given.push((entry, address));
        assert_eq!(self.ids.insert(entry.to_bits(), id), None, "{entry:?} was given out twice");
    }

    fn id_of(&self, entry: Entry) -> Id {
        *self.ids.get(&entry.to_bits()).unwrap_or_else(|| panic!("{entry:?} was never given out"))
    }

    /// Makes the call. `after` is the model after the call, `expected` what the model answered.
    pub fn check(&mut self, call: &Call, expected: &Answer, after: &Model) {
        assert_eq!(self.attempt(call, expected, after), Ok(()), "out of memory in {call:?}");
    }

    /// As `check`, but the allocator may run out: then the answer is how many elements of a batch were done.
    pub fn attempt(&mut self, call: &Call, expected: &Answer, after: &Model) -> Result<(), RanOut> {
        match call {
            Call::Insert { key, value, inserted_at_ns, now_ns, readmit } => {
                let history = &mut self.history;
                let got = if *readmit {
                    history.readmit(key, value, *inserted_at_ns, *now_ns)
                } else {
                    history.insert(key, value, *inserted_at_ns, *now_ns)
                };
                match got {
                    Ok(inserted) => self.check_inserted(inserted, expected),
                    Err(error) => check_refused(error, expected)?,
                }
                Ok(())
            }
            Call::InsertBatch { .. } => self.check_insert_batch(call, expected),
            Call::EraseBatch { entries, now_ns } => {
                let entries: Vec<Entry> = entries.iter().map(|&entry| self.handle(entry, after)).collect();
                let mut results = vec![None; entries.len()];
                let (done, outcome) = self.history.erase_batch(&entries, *now_ns, &mut results);
                let results: Vec<Answer> =
                    results.iter().take(done).map(|got| Answer::Erased(got.expect("done"))).collect();
                let Answer::Batch(answers, refusals) = expected else { panic!("expected {expected:?}") };
                check_batch_end(done, outcome, refusals)?;
                assert_eq!(results, *answers);
                Ok(())
            }
            Call::Look { entry } => {
                let got = self.look(self.handle(*entry, after));
                check(got, expected)
            }
            Call::SetValue { entry, value } => {
                let entry = self.handle(*entry, after);
                let got = self.history.value_mut(entry).map(|bytes| bytes.copy_from_slice(value));
                check(got.map(|()| Answer::Done), expected)
            }
            Call::Forget { entry } => {
                let entry = self.handle(*entry, after);
                check(self.history.forget(entry).map(|()| Answer::Done), expected)
            }
            Call::Erase { entry, now_ns } => {
                let entry = self.handle(*entry, after);
                check(self.history.erase(entry, *now_ns).map(Answer::Erased), expected)
            }
            _ => self.check_plain(call, expected),
        }
    }

    /// The calls without handles.
    fn check_plain(&mut self, call: &Call, expected: &Answer) -> Result<(), RanOut> {
        let history = &mut self.history;
        let got = match call {
            Call::ForgetKey { key } => history.forget_key(key).map(|()| Answer::Done),
            Call::Contains { key, now_ns } => {
                history.contains(key, *now_ns).map(|presence| Answer::Presences(vec![presence]))
            }
            Call::ContainsBatch { keys, now_ns } => {
                let mut results = vec![Presence::Absent; keys.len()];
                history.contains_batch(keys, *now_ns, &mut results).map(|()| Answer::Presences(results))
            }
            Call::EraseKey { key, now_ns } => history.erase_key(key, *now_ns).map(Answer::Erased),
            Call::EraseAllLive { now_ns } => history.erase_all_live(*now_ns).map(Answer::Count),
            Call::Gc { now_ns, max } => history.gc(*now_ns, *max).map(Answer::Collected),
            Call::Clear => {
                history.clear();
                Ok(Answer::Done)
            }
            Call::ClockReset { now_ns } => history.clock_reset(*now_ns).map(|()| Answer::Done),
            other => panic!("{other:?} is checked elsewhere"),
        };
        check(got, expected)
    }

    fn check_inserted(&mut self, inserted: Inserted, expected: &Answer) {
        match (inserted, expected) {
            (Inserted::Added(entry), Answer::Added(id)) => self.note_added(*id, entry),
            (Inserted::DuplicateLive(entry), Answer::DuplicateLive(id)) => {
                assert_eq!(self.id_of(entry), *id, "the handle of the existing entry");
            }
            (Inserted::DuplicateHistory, Answer::DuplicateHistory) => {}
            (got, expected) => panic!("answered {got:?}, expected {expected:?}"),
        }
    }

    fn check_insert_batch(&mut self, call: &Call, expected: &Answer) -> Result<(), RanOut> {
        let Call::InsertBatch { keys, values, inserted_at_ns, now_ns, readmit } = call else {
            panic!("{call:?} is not a batch")
        };
        let mut results = vec![None; keys.len()];
        let history = &mut self.history;
        let (done, outcome) = if *readmit {
            history.readmit_batch(keys, values, inserted_at_ns, *now_ns, &mut results)
        } else {
            history.insert_batch(keys, values, inserted_at_ns, *now_ns, &mut results)
        };
        let Answer::Batch(answers, refusals) = expected else { panic!("expected {expected:?}") };
        for (got, answer) in results.iter().take(done).zip(answers) {
            self.check_inserted(got.expect("done"), answer);
        }
        check_batch_end(done, outcome, refusals)?;
        assert_eq!(done, answers.len(), "elements done; {outcome:?}");
        Ok(())
    }

    /// All that can be asked of one entry.
    fn look(&mut self, entry: Entry) -> Result<Answer, Error> {
        let info = self.history.info(entry)?;
        let id = self.id_of(entry);
        let address = self.history.value_ptr(entry)?.as_ptr().addr();
        if self.value_size > 0 {
            assert_eq!(address, self.given[id as usize].1, "the value of entry {id} stays where it is");
        }
        assert_eq!(self.history.value(entry)?.as_ptr().addr(), address);
        assert_eq!(self.history.value_mut(entry)?.len(), self.value_size);
        Ok(Answer::Seen {
            key: info.key,
            inserted_at_ns: info.inserted_at_ns,
            value: self.history.value(entry)?.to_vec(),
            prev: self.history.prev(entry)?.map(|entry| self.id_of(entry)),
            next: self.history.next(entry)?.map(|entry| self.id_of(entry)),
        })
    }

    /// Compares the figures, the ends of the live order, and every key of the run.
    pub fn compare(&mut self, model: &Model) {
        self.compare_figures(model);
        let id = |end: Option<Entry>| end.map(|entry| self.id_of(entry));
        assert_eq!(id(self.history.first()), model.live().next().map(|(id, _)| id), "the oldest live entry");
        assert_eq!(
            id(self.history.last()),
            model.live().next_back().map(|(id, _)| id),
            "the newest live entry"
        );
        for key in model.setup.keys() {
            self.compare_key(model, &key);
        }
    }

    pub fn compare_key(&mut self, model: &Model, key: &Key) {
        let found = self.history.find(key).map(|entry| self.id_of(entry));
        assert_eq!(found, model.find(key), "find({key:?})");
        // At the largest time seen `contains` is a pure question: it moves no clock and collects nothing.
        if let Some(seen_ns) = model.seen_ns() {
            let presence = self.history.contains(key, seen_ns).expect("the largest time seen is fine");
            assert_eq!(presence, model.presence(key), "contains({key:?}, {seen_ns})");
        }
    }

    pub fn compare_figures(&self, model: &Model) {
        let stats = self.history.stats();
        assert_eq!(stats.live_len, model.live_len(), "stats.live_len");
        assert_eq!(self.history.live_len(), model.live_len(), "live_len");
        assert_eq!(stats.history_len, model.history_len(), "stats.history_len");
        assert_eq!(self.history.history_len(), model.history_len(), "history_len");
        assert!(
            stats.tombstones <= model.tombstones(),
            "{} tombstones > {}",
            stats.tombstones,
            model.tombstones()
        );
        let counters = &model.counters;
        assert_eq!(stats.collected_total, counters.collected_total, "stats.collected_total");
        assert_eq!(stats.evicted_early, counters.evicted_early, "stats.evicted_early");
        assert_eq!(stats.duplicates, counters.duplicates, "stats.duplicates");
        assert_eq!(stats.readmitted, counters.readmitted, "stats.readmitted");
        assert_eq!(stats.clock_regressions, counters.clock_regressions, "stats.clock_regressions");
        assert!(stats.bytes_in_use <= stats.bytes_peak, "{stats:?}");
        assert!(stats.deallocations <= stats.allocations, "{stats:?}");
        assert!(stats.overflow_buckets <= stats.index_buckets, "{stats:?}");
        assert!(stats.max_entries_moved_per_call <= MAX_ENTRIES_MOVED, "{stats:?}");
    }

    /// Walks the live order both ways, looking at each entry.
    pub fn walk(&mut self, model: &Model) {
        let mut forward = Vec::new();
        let mut at = self.history.first();
        while let Some(entry) = at {
            let id = self.id_of(entry);
            assert!(forward.len() < model.live_len() as usize, "the live order has no end: {id} came again");
            forward.push(id);
            assert_eq!(Some(self.look(entry).expect("a live entry")), model.look(id));
            at = self.history.next(entry).expect("a live entry");
        }
        assert!(forward.iter().copied().eq(model.live().map(|(id, _)| id)), "forward: {forward:?}");
        let mut at = self.history.last();
        for &id in forward.iter().rev() {
            assert_eq!(at, Some(self.given[id as usize].0), "backward, at entry {id}");
            at = at.and_then(|entry| self.history.prev(entry).expect("a live entry"));
        }
        assert_eq!(at, None, "nothing before the oldest");
    }
}

fn check(got: Result<Answer, Error>, expected: &Answer) -> Result<(), RanOut> {
    match got {
        Ok(answer) => {
            assert_eq!(answer, *expected);
            Ok(())
        }
        Err(error) => check_refused(error, expected),
    }
}

fn check_refused(error: Error, expected: &Answer) -> Result<(), RanOut> {
    match expected {
        _ if error == Error::NoMemory => Err(RanOut { done: 0 }),
        Answer::Refused(refusals) => {
            check_error(error, refusals);
            Ok(())
        }
        other => panic!("failed with {error:?}, expected {other:?}"),
    }
}

fn check_error(error: Error, refusals: &[Refusal]) {
    assert!(refusals.iter().any(|refusal| refusal.is(error)), "failed with {error:?}, expected {refusals:?}");
}

fn check_batch_end(done: usize, outcome: Result<(), Error>, refusals: &[Refusal]) -> Result<(), RanOut> {
    match outcome {
        Ok(()) => assert!(refusals.is_empty(), "the batch went through, expected {refusals:?}"),
        Err(Error::NoMemory) => return Err(RanOut { done }),
        Err(error) => check_error(error, refusals),
    }
    Ok(())
}

/// Model and real history together, for tests that drive both directly.
pub struct Pair {
    pub model: Model,
    pub real: Real,
}

impl Pair {
    pub fn new(setup: Setup) -> Pair {
        Pair { real: Real::new(&setup), model: Model::new(setup) }
    }

    /// Makes a call on both; returns the answer they agree on.
    pub fn call(&mut self, call: &Call) -> Answer {
        let expected = self.model.apply(call);
        self.real.check(call, &expected, &self.model);
        self.real.compare_figures(&self.model);
        expected
    }

    /// Carries out an operation on both.
    pub fn run(&mut self, op: &Op) -> Answer {
        self.call(&op.resolve(&self.model))
    }

    /// Compares all that can be seen.
    pub fn compare(&mut self) {
        self.real.compare(&self.model);
        self.real.walk(&self.model);
    }

    /// Looks each of `keys` up on both sides.
    pub fn compare_keys(&mut self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            self.real.compare_key(&self.model, &key);
        }
    }
}
