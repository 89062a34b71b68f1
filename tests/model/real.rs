//! The real history, driven by the model's calls, with answers in the model's words.

use super::call::{Answer, Call, EntryRef, Id};
use super::reference::Model;
use queuecore::history::{Entry, Error, History, Inserted, Presence};
use std::collections::HashMap;

/// What the real history answered.
#[derive(Clone, Debug)]
pub enum Got {
    Answer(Answer),
    Failed(Error),
    /// The elements done, and how the next one failed if one did.
    Batch(Vec<Answer>, Option<Error>),
}

impl Got {
    fn from(result: Result<Answer, Error>) -> Got {
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
            Got::Failed(Error::NoMemory) => Some(0),
            Got::Batch(answers, Some(Error::NoMemory)) => Some(answers.len()),
            _ => None,
        }
    }
}

/// The real history, with what the test knows of the handles it gave out.
pub struct Real {
    pub history: History,
    /// Handle and value address of every entry ever added; entries are numbered as the model does.
    given: Vec<(Entry, usize)>,
    ids: HashMap<u64, Id>,
    value_size: usize,
}

impl Real {
    /// Takes a new history.
    pub fn new(history: History) -> Real {
        let value_size = history.value_size();
        Real { history, given: Vec::new(), ids: HashMap::new(), value_size }
    }

    /// The handle that was given out for an entry.
    pub fn given(&self, id: Id) -> Entry {
        self.given[id as usize].0
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
                let history = &mut self.history;
                let got = if *readmit {
                    history.readmit(key, value, *inserted_at_ns, *now_ns)
                } else {
                    history.insert(key, value, *inserted_at_ns, *now_ns)
                };
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
                let bytes = self.history.value_mut(entry);
                Got::from(bytes.map(|bytes| bytes.copy_from_slice(value)).map(|()| Answer::Done))
            }
            Call::Forget { entry } => {
                let entry = self.handle(*entry, before);
                Got::from(self.history.forget(entry).map(|()| Answer::Done))
            }
            Call::Erase { entry, now_ns } => {
                let entry = self.handle(*entry, before);
                Got::from(self.history.erase(entry, *now_ns).map(Answer::Erased))
            }
            _ => Got::from(self.perform_plain(call)),
        }
    }

    /// The calls without handles.
    fn perform_plain(&mut self, call: &Call) -> Result<Answer, Error> {
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
            Call::ClockReset { now_ns } => history.clock_reset(*now_ns).map(|()| Answer::Done),
            other => panic!("{other:?} is made elsewhere"),
        }
    }

    /// The answer in the model's words. A new handle gets the next number, and must never have been given before.
    fn inserted(&mut self, inserted: Inserted) -> Answer {
        match inserted {
            Inserted::Added(entry) => {
                let id = self.given.len() as u64;
                let address = self.history.value_ptr(entry).expect("just added").as_ptr().addr();
                let align = if self.value_size >= 16 { 16 } else { 8 };
                assert_eq!(address % align, 0, "alignment of a value of {} bytes", self.value_size);
                self.given.push((entry, address));
                assert_eq!(self.ids.insert(entry.to_bits(), id), None, "{entry:?} was given out twice");
                Answer::Added(id)
            }
            Inserted::DuplicateLive(entry) => Answer::DuplicateLive(self.id_of(entry)),
            Inserted::DuplicateHistory => Answer::DuplicateHistory,
        }
    }

    fn insert_batch(&mut self, call: &Call) -> Got {
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
        let answers = results.iter().take(done).map(|got| self.inserted(got.expect("done"))).collect();
        Got::Batch(answers, outcome.err())
    }

    /// All that can be asked of one entry.
    pub fn look(&mut self, entry: Entry) -> Result<Answer, Error> {
        let info = self.history.info(entry)?;
        let id = self.id_of(entry);
        let address = self.history.value_ptr(entry)?.as_ptr().addr();
        if self.value_size > 0 {
            assert_eq!(address, self.given[id as usize].1, "the value of entry {id} stays where it is");
            assert_eq!(self.history.value(entry)?.as_ptr().addr(), address);
        }
        assert_eq!(self.history.value_mut(entry)?.len(), self.value_size);
        Ok(Answer::Seen {
            key: info.key,
            inserted_at_ns: info.inserted_at_ns,
            value: self.history.value(entry)?.to_vec(),
            prev: self.history.prev(entry)?.map(|entry| self.id_of(entry)),
            next: self.history.next(entry)?.map(|entry| self.id_of(entry)),
        })
    }
}
