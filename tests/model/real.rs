//! The real history, driven by the model's calls, with answers in the model's words.

use super::call::{Answer, Call, EntryRef, Id};
use super::reference::Model;
use super::subject::{Answered, Failure, Subject};
use queuecore::history::{Entry, History, Inserted, Presence};
use std::collections::HashMap;

/// What the real history answered.
#[derive(Clone, Debug)]
pub enum Got {
    Answer(Answer),
    Failed(Failure),
    /// The elements done, and how the next one failed if one did.
    Batch(Vec<Answer>, Option<Failure>),
}

impl Got {
    fn from(result: Answered<Answer>) -> Got {
        result.map_or_else(Got::Failed, Got::Answer)
    }

    /// Whether this is what the model expects.
    pub fn agrees(&self, expected: &Answer) -> bool {
        match (self, expected) {
            (Got::Answer(got), expected) => got == expected,
            (Got::Failed(error), Answer::Refused(refusals)) => {
                refusals.iter().any(|refusal| refusal.is(*error))
            }
            (Got::Batch(got, None), Answer::Batch(answers, refusals)) => {
                got == answers && refusals.is_empty()
            }
            (Got::Batch(got, Some(error)), Answer::Batch(answers, refusals)) => {
                got == answers && refusals.iter().any(|refusal| refusal.is(*error))
            }
            _ => false,
        }
    }

    /// If the allocator ran out: how many elements of a batch were done before, else 0.
    pub fn ran_out(&self) -> Option<usize> {
        match self {
            Got::Failed(failure) if failure.is_no_memory() => Some(0),
            Got::Batch(answers, Some(failure)) if failure.is_no_memory() => Some(answers.len()),
            _ => None,
        }
    }
}

/// The real history, with what the test knows of the handles it gave out.
pub struct Real<S = History> {
    pub history: S,
    /// Handle and value address of every entry that was added, but for the oldest ones, which `forget_old` drops.
    given: HashMap<Id, (Entry, usize)>,
    next_id: Id,
    ids: HashMap<u64, Id>,
    value_size: usize,
}

impl<S: Subject> Real<S> {
    /// Takes a new history.
    pub fn new(history: S, value_size: usize) -> Real<S> {
        Real { history, given: HashMap::new(), next_id: 0, ids: HashMap::new(), value_size }
    }

    /// The handle that was given out for an entry.
    pub fn given(&self, id: Id) -> Entry {
        self.given[&id].0
    }

    /// Whether the handle of an entry is still known here.
    pub fn knows(&self, id: Id) -> bool {
        self.given.contains_key(&id)
    }

    /// Forgets the handles of entries that are not live, in a run too long to keep them all.
    pub fn forget_old(&mut self, model: &Model) {
        self.given.retain(|id, _| model.live_entry(*id).is_some());
        self.ids.retain(|_, id| model.live_entry(*id).is_some());
    }

    /// The number of an entry. The handle must be one that was given out.
    pub fn id_of(&self, entry: Entry) -> Id {
        *self.ids.get(&entry.to_bits()).unwrap_or_else(|| panic!("{entry:?} was never given out"))
    }

    /// The handle for a call. A made-up one is changed until no live entry has it.
    fn handle(&self, entry: EntryRef, before: &Model) -> Entry {
        let mut bits = match entry {
            EntryRef::Given(id) => return self.given(id),
            EntryRef::Forged(id, turned) => self.given(id).to_bits() ^ turned,
            EntryRef::Foreign(bits) => bits,
        };
        let is_live = |bits: u64| self.ids.get(&bits).is_some_and(|&id| before.live_entry(id).is_some());
        while bits == 0 || is_live(bits) {
            bits = bits.wrapping_add(0x1_0000_0001);
        }
        Entry::from_bits(bits).expect("not 0")
    }

    /// Makes the call. `before` is the model as it is before the call.
    pub fn perform(&mut self, call: &Call, before: &Model) -> Got {
        match call {
            Call::Insert { key, value, inserted_at_ns, now_ns, readmit } => {
                let got = self.history.put(key, value, *inserted_at_ns, *now_ns, *readmit);
                Got::from(got.map(|inserted| self.inserted(inserted)))
            }
            Call::InsertBatch { .. } => self.insert_batch(call),
            Call::EraseBatch { entries, now_ns } => {
                let entries: Vec<Entry> = entries.iter().map(|&entry| self.handle(entry, before)).collect();
                let mut results = vec![None; entries.len()];
                let (done, outcome) = self.history.erase_batch(&entries, *now_ns, &mut results);
                let results =
                    results.iter().take(done).map(|got| Answer::Erased(got.expect("done"))).collect();
                Got::Batch(results, outcome.err())
            }
            Call::Look { entry } => {
                let entry = self.handle(*entry, before);
                Got::from(self.look(entry))
            }
            Call::SetValue { entry, value } => {
                let entry = self.handle(*entry, before);
                Got::from(self.history.set_value(entry, value).map(|()| Answer::Done))
            }
            Call::Forget { entry } => {
                let entry = self.handle(*entry, before);
                Got::from(self.history.forget(entry).map(|()| Answer::Done))
            }
            Call::Erase { entry, now_ns } => {
                let entry = self.handle(*entry, before);
                Got::from(self.history.erase(entry, *now_ns).map(Answer::Erased))
            }
            Call::NextFrom { key } => {
                let next = self.history.next_from(key);
                Got::from(next.map(|next| Answer::Next(next.map(|entry| self.id_of(entry)))))
            }
            Call::Import { records, now_ns, shift_ns } => {
                let buffer = super::transfer::buffer_of(records, self.value_size);
                self.import(&buffer, *now_ns, *shift_ns)
            }
            _ => Got::from(self.perform_plain(call)),
        }
    }

    pub fn import(&mut self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> Got {
        let (done, outcome) = self.history.import(buffer, now_ns, shift_ns);
        self.note_new_entries();
        Got::from(outcome.map(|()| Answer::Imported { live: done.live, historical: done.historical }))
    }

    /// The calls without handles.
    fn perform_plain(&mut self, call: &Call) -> Answered<Answer> {
        let history = &mut self.history;
        match call {
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
            Call::ClearStep { max } => Ok(Answer::Collected(history.clear_step(*max))),
            Call::ClockReset { now_ns } => history.clock_reset(*now_ns).map(|()| Answer::Done),
            Call::SetWindow { window_ns } => history.set_window(*window_ns).map(|()| Answer::Done),
            other => panic!("{other:?} is made elsewhere"),
        }
    }

    /// The answer in the model's words. A new handle gets the next number, and must never have been given before.
    fn inserted(&mut self, inserted: Inserted) -> Answer {
        match inserted {
            Inserted::Added(entry) => Answer::Added(self.note_new(entry)),
            Inserted::DuplicateLive(entry) => Answer::DuplicateLive(self.id_of(entry)),
            Inserted::DuplicateHistory => Answer::DuplicateHistory,
        }
    }

    fn note_new(&mut self, entry: Entry) -> Id {
        let id = self.next_id;
        self.next_id += 1;
        let (address, _) = self.history.value(entry).expect("just added");
        let align = if self.value_size >= 16 { 16 } else { 8 };
        assert_eq!(address % align, 0, "alignment of a value of {} bytes", self.value_size);
        self.given.insert(id, (entry, address));
        assert_eq!(self.ids.insert(entry.to_bits(), id), None, "{entry:?} was given out twice");
        id
    }

    /// After an import: its live entries are the last of the order, and not known yet.
    fn note_new_entries(&mut self) {
        let mut new = Vec::new();
        let mut at = self.history.last();
        while let Some(entry) = at.filter(|entry| !self.ids.contains_key(&entry.to_bits())) {
            new.push(entry);
            at = self.history.prev(entry).expect("a live entry");
        }
        for entry in new.into_iter().rev() {
            self.note_new(entry);
        }
    }

    fn insert_batch(&mut self, call: &Call) -> Got {
        let Call::InsertBatch { keys, values, inserted_at_ns, now_ns, readmit } = call else {
            panic!("{call:?} is not a batch")
        };
        let mut results = vec![None; keys.len()];
        let (done, outcome) =
            self.history.put_batch(keys, values, inserted_at_ns, *now_ns, *readmit, &mut results);
        let answers = results.iter().take(done).map(|got| self.inserted(got.expect("done"))).collect();
        Got::Batch(answers, outcome.err())
    }

    /// All that can be asked of one entry.
    pub fn look(&mut self, entry: Entry) -> Answered<Answer> {
        let info = self.history.info(entry)?;
        let id = self.id_of(entry);
        let (address, value) = self.history.value(entry)?;
        if self.value_size > 0 {
            assert_eq!(address, self.given[&id].1, "the value of entry {id} stays where it is");
        }
        let (prev, next) = (self.history.prev(entry)?, self.history.next(entry)?);
        Ok(Answer::Seen {
            key: info.key,
            inserted_at_ns: info.inserted_at_ns,
            value,
            prev: prev.map(|entry| self.id_of(entry)),
            next: next.map(|entry| self.id_of(entry)),
        })
    }
}
