//! The real history beside the model: every call is made on both, and everything that can be seen is compared.

use super::call::{Answer, Call};
use super::operation::Op;
use super::real::{Got, Real};
use super::reference::{Counters, Model};
use super::setup::Setup;
use super::subject::Subject;
use super::transfer::{self, Transferred};
use queuecore::history::{Entry, History, Item, Key};

/// The most index entries that one call may move, at any size.
pub const MAX_ENTRIES_MOVED: u64 = 256;

/// The allocator had no memory for a call, after `done` elements of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanOut {
    pub done: usize,
}

/// The figures that must be equal: live, historical and forgotten entries, and what was counted so far.
type Figures = (u64, u64, u64, Counters);

/// Whether something may still happen in this call after a choice: another choice, or collection. In a large
/// population a copy costs too much; there it is left to the erases, one at a time, to meet choices.
fn may_choose_midway(call: &Call, model: &Model) -> bool {
    let replaces = matches!(
        call,
        Call::Insert { readmit: true, .. }
            | Call::InsertBatch { .. }
            | Call::Import { .. }
            | Call::ClearStep { .. }
            | Call::EraseAllLive { .. }
    );
    matches!(call, Call::EraseBatch { .. }) || replaces && model.live_len() + model.history_len() < 1000
}

/// Model and real history together.
pub struct Pair<S = History> {
    pub model: Model,
    pub real: Real<S>,
}

impl Pair {
    pub fn new(setup: Setup) -> Pair {
        let history = History::new(setup.options()).expect("the setup is valid");
        assert_eq!(history.value_size(), setup.value_size);
        Pair::around(history, setup)
    }
}

impl<S: Subject> Pair<S> {
    /// Around a history that was created with this setup and is new.
    pub fn around(history: S, setup: Setup) -> Pair<S> {
        Pair { real: Real::new(history, setup.value_size), model: Model::new(setup) }
    }

    /// Carries out an operation on both.
    pub fn run(&mut self, op: &Op) -> Answer {
        self.call(&op.resolve(&self.model))
    }

    /// Makes a call on both; returns the answer they agree on, and compares the figures.
    pub fn call(&mut self, call: &Call) -> Answer {
        match self.attempt(call) {
            Ok(answer) => {
                let (real, model) = (self.real_figures(), self.model_figures());
                assert_eq!(real, model, "live_len, history_len, tombstones, counters after {call:?}");
                self.compare_figures();
                answer
            }
            Err(ran_out) => panic!("{ran_out:?} in {call:?}"),
        }
    }

    /// As `call`, but the real allocator may run out; the model then stays as it was before the call. The figures
    /// are not compared.
    pub fn attempt(&mut self, call: &Call) -> Result<Answer, RanOut> {
        let before = may_choose_midway(call, &self.model).then(|| self.model.clone());
        let got = self.real.perform(call, &self.model);
        if let Some(done) = got.ran_out() {
            return Err(RanOut { done });
        }
        let mut answer = self.model.apply(call);
        if self.model.choices() > 0 && !(got.agrees(&answer) && self.figures_agree()) {
            answer = match before {
                Some(before) => self.try_choices(call, &got, &before).unwrap_or(answer),
                None => {
                    self.model.keep_dropped();
                    answer
                }
            };
        }
        assert!(got.agrees(&answer), "answered {got:?}\nexpected {answer:?}\nto {call:?}");
        Ok(answer)
    }

    /// Looks for the choices that explain what the real history did in a batch.
    fn try_choices(&mut self, call: &Call, got: &Got, before: &Model) -> Option<Answer> {
        let first_try = self.model.clone();
        for keeps in 1..1 << first_try.choices().min(10) {
            self.model = before.clone();
            let answer = self.model.apply_choosing(call, keeps);
            if got.agrees(&answer) && self.figures_agree() {
                return Some(answer);
            }
        }
        self.model = first_try;
        None
    }

    fn real_figures(&mut self) -> Figures {
        let stats = self.real.history.stats();
        let counters = Counters {
            collected_total: stats.collected_total,
            evicted_early: stats.evicted_early,
            duplicates: stats.duplicates,
            readmitted: stats.readmitted,
            clock_regressions: stats.clock_regressions,
        };
        (stats.live_len, stats.history_len, stats.tombstones, counters)
    }

    fn model_figures(&self) -> Figures {
        let model = &self.model;
        (model.live_len(), model.history_len(), model.tombstones(), model.counters)
    }

    pub fn figures_agree(&mut self) -> bool {
        self.real_figures() == self.model_figures()
    }

    pub fn compare_figures(&mut self) {
        assert_eq!(self.real_figures(), self.model_figures(), "live_len, history_len, tombstones, counters");
        let stats = self.real.history.stats();
        assert_eq!(self.real.history.live_len(), stats.live_len);
        assert_eq!(self.real.history.history_len(), stats.history_len);
        assert!(stats.bytes_in_use <= stats.bytes_peak, "{stats:?}");
        assert!(stats.deallocations <= stats.allocations, "{stats:?}");
        assert!(stats.overflow_buckets <= stats.index_buckets, "{stats:?}");
        assert!(stats.max_entries_moved_per_call <= MAX_ENTRIES_MOVED, "{stats:?}");
    }

    /// Compares the ends of the live order, and every key of the run.
    pub fn compare_answers(&mut self) {
        let (first, last) = (self.real.history.first(), self.real.history.last());
        let (real, model) = (&self.real, &self.model);
        let id = |end: Option<Entry>| end.map(|entry| real.id_of(entry));
        assert_eq!(id(first), model.live().next().map(|(id, _)| id), "the oldest live entry");
        assert_eq!(id(last), model.live().next_back().map(|(id, _)| id), "the newest live entry");
        self.compare_keys(self.model.setup.keys());
    }

    /// Looks each of `keys` up on both sides.
    pub fn compare_keys(&mut self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            let found = self.real.history.find(&key).map(|entry| self.real.id_of(entry));
            assert_eq!(found, self.model.find(&key), "find({key:?})");
            // At the largest time seen `contains` is a pure question: it moves no clock and collects nothing.
            if let Some(seen_ns) = self.model.seen_ns() {
                let presence = self.real.history.contains(&key, seen_ns).expect("the largest time seen");
                assert_eq!(presence, self.model.presence(&key), "contains({key:?}, {seen_ns})");
            }
        }
    }

    /// Walks the live order both ways, looking at each entry.
    pub fn walk(&mut self) {
        let (real, model) = (&mut self.real, &self.model);
        let mut forward = Vec::new();
        let mut at = real.history.first();
        while let Some(entry) = at {
            let id = real.id_of(entry);
            assert!(forward.len() < model.live_len() as usize, "the live order has no end: {id} came again");
            forward.push(id);
            assert_eq!(Some(real.look(entry).expect("a live entry")), model.look(id));
            at = real.history.next(entry).expect("a live entry");
        }
        assert!(forward.iter().copied().eq(model.live().map(|(id, _)| id)), "forward: {forward:?}");
        let mut at = real.history.last();
        for &id in forward.iter().rev() {
            assert_eq!(at, Some(real.given(id)), "backward, at entry {id}");
            at = at.and_then(|entry| real.history.prev(entry).expect("a live entry"));
        }
        assert_eq!(at, None, "nothing before the oldest");
    }

    /// Compares all that can be seen.
    pub fn compare(&mut self) {
        self.compare_figures();
        self.compare_answers();
        self.walk();
        self.compare_sequence(3);
        self.export(200);
    }

    /// Imports a buffer of an export; `call` says the same to the model.
    pub fn import(&mut self, buffer: &[u8], call: &Call) {
        let Call::Import { now_ns, shift_ns, .. } = *call else { panic!("{call:?} is no import") };
        let got = self.real.import(buffer, now_ns, shift_ns);
        let expected = self.model.apply(call);
        assert!(got.agrees(&expected), "answered {got:?}\nexpected {expected:?}\nto {call:?}");
        self.compare_figures();
    }

    /// Iterates over all entries, so many at a time.
    pub fn compare_sequence(&mut self, at_a_time: usize) {
        let expected = self.model.sequence();
        self.real.history.iterate().expect("there is memory");
        let mut items = vec![Item::default(); at_a_time];
        let mut seen = Vec::new();
        loop {
            let (written, more) = self.real.history.next_items(&mut items);
            for item in &items[..written] {
                let value = item.entry.map(|entry| self.real.history.value(entry).expect("live").1);
                seen.push(Transferred { key: item.key, inserted_at_ns: item.inserted_at_ns, value });
            }
            if !more {
                break;
            }
        }
        assert_eq!(seen, expected, "iterated");
    }

    /// Exports everything into buffers of at most `len` bytes beyond the least, and compares what is in them.
    pub fn export(&mut self, len: usize) -> Vec<Vec<u8>> {
        let value_size = self.model.setup.value_size;
        let expected = self.model.sequence();
        self.real.history.begin_export().expect("there is memory");
        let mut buffers = Vec::new();
        let mut records = Vec::new();
        let mut more = true;
        while more {
            let mut buffer = vec![0xcc; 89 + value_size + len];
            let written = self.real.history.export(&mut buffer).expect("the export is under way");
            assert!(buffer[written.bytes..].iter().all(|byte| *byte == 0xcc), "nothing beyond is written");
            buffer.truncate(written.bytes);
            let (header, more_records) = transfer::read(&buffer, value_size);
            assert_eq!(more_records.len() as u32, written.entries);
            assert_eq!((header.number as usize, header.is_last), (buffers.len(), !written.more));
            assert_eq!(header.present_ns, self.model.seen_ns().unwrap_or(0));
            records.extend(more_records);
            buffers.push(buffer);
            more = written.more;
        }
        assert_eq!(records, expected, "exported");
        buffers
    }
}
