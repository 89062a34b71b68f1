//! The rules about calls: what each one answers and changes.

use super::super::call::{Answer, Call, EntryRef, Id, Refusal};
use super::{Live, Model, Record, State};
use queuecore::history::{Collected, Erased, GcPolicy, Key};

/// Either the answer or why there is none.
pub(super) type Outcome = Result<Answer, Vec<Refusal>>;

impl Model {
    /// Makes the call, and says what the real history must answer.
    pub fn apply(&mut self, call: &Call) -> Answer {
        self.apply_choosing(call, 0)
    }

    /// As `apply`, where bit `n` of `keeps` says what happens when for the `n`th time in this call the newest
    /// record of the log stands for nothing any more. Such a record may be dropped (0) or stay as a tombstone (1):
    /// the design leaves that to the history, which cannot always drop it.
    pub fn apply_choosing(&mut self, call: &Call, keeps: u32) -> Answer {
        self.keeps = keeps;
        self.choices = 0;
        self.dropped = None;
        self.outcome(call).unwrap_or_else(Answer::Refused)
    }

    /// How often there was a choice in the last call.
    pub fn choices(&self) -> u32 {
        self.choices
    }

    /// The last call dropped the newest record of the log, as the last thing it did; the real history kept it.
    pub fn keep_dropped(&mut self) {
        let Some(mut record) = self.dropped.take() else { return };
        record.state = State::Tombstone;
        self.log.push(record);
    }

    /// The record stands for nothing any more.
    pub(super) fn drop_or_bury(&mut self, record: u64) {
        if self.log.is_newest(record) {
            self.choices += 1;
            if self.keeps >> (self.choices - 1).min(31) & 1 == 0 {
                self.dropped = self.log.drop_newest();
                return;
            }
        }
        self.log.bury(record);
    }

    fn outcome(&mut self, call: &Call) -> Outcome {
        match call {
            Call::Insert { key, value, inserted_at_ns, now_ns, readmit } => {
                self.insert(key, value, (*inserted_at_ns, *now_ns), *readmit, true)
            }
            Call::InsertBatch { keys, values, inserted_at_ns, now_ns, readmit } => {
                self.insert_batch(keys, values, (inserted_at_ns, *now_ns), *readmit)
            }
            Call::Forget { entry } => {
                let id = self.live_id(*entry)?;
                self.forget_live(id);
                Ok(Answer::Done)
            }
            Call::ForgetKey { key } => self.forget_key(key),
            Call::Contains { key, now_ns } => self.contains(&[*key], *now_ns),
            Call::ContainsBatch { keys, now_ns } => self.contains(keys, *now_ns),
            Call::Erase { entry, now_ns } => self.erase(*entry, *now_ns, true),
            Call::EraseKey { key, now_ns } => {
                let mut refusals = self.now_refusals(*now_ns);
                let Some(id) = self.find(key) else {
                    refusals.push(Refusal::NotFound);
                    return Err(refusals);
                };
                self.erase(EntryRef::Given(id), *now_ns, true)
            }
            Call::EraseBatch { entries, now_ns } => Ok(self.erase_batch(entries, *now_ns)),
            Call::EraseAllLive { now_ns } => self.erase_all_live(*now_ns),
            Call::Gc { now_ns, max } => self.gc(*now_ns, *max),
            Call::Clear => {
                self.clear();
                Ok(Answer::Done)
            }
            Call::ClockReset { now_ns } => refused_or_done(self.reset_clock(*now_ns)),
            Call::SetValue { entry, value } => {
                let id = self.live_id(*entry)?;
                self.live.entry(id).and_modify(|live| live.value.clone_from(value));
                Ok(Answer::Done)
            }
            Call::ClearStep { max } => Ok(self.clear_step(*max)),
            Call::SetWindow { window_ns } => self.set_window(*window_ns),
            Call::NextFrom { key } => {
                let id = self.find(key).ok_or_else(|| vec![Refusal::NotFound])?;
                Ok(Answer::Next(self.live.range(id + 1..).next().map(|(&id, _)| id)))
            }
            Call::Import { records, now_ns, shift_ns } => self.import(records, *now_ns, *shift_ns),
            Call::Look { entry } => self.look(self.live_id(*entry)?).ok_or_else(|| vec![Refusal::Stale]),
        }
    }

    /// `insert` and `readmit`; `first` is false for the later elements of a batch, whose time is accepted already.
    pub(super) fn insert(
        &mut self,
        key: &Key,
        value: &[u8],
        (inserted_at_ns, now_ns): (i64, i64),
        readmit: bool,
        first: bool,
    ) -> Outcome {
        let refusals = self.insert_refusals(inserted_at_ns, now_ns);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        if first {
            self.accept(now_ns);
        }
        self.collect_for_insert();
        if let Some(id) = self.find(key) {
            self.counters.duplicates += 1;
            return Ok(Answer::DuplicateLive(id));
        }
        let visible = self.visible_record(key).is_some();
        if visible && !readmit {
            self.counters.duplicates += 1;
            return Ok(Answer::DuplicateHistory);
        }
        let limit = self.setup.max_entries;
        let replaces = self.historical.contains_key(key);
        let is_full = limit != 0 && self.live_len() + self.history_len() - u64::from(replaces) >= limit;
        // What is due goes first; nothing leaves early for this limit.
        if is_full && !self.pass_heads_for_room(false) {
            return Err(vec![Refusal::EntriesFull { limit }]);
        }
        let old = self.historical.remove(key);
        let id = self.add(key, value, inserted_at_ns);
        if let Some(old) = old {
            self.drop_or_bury(old);
        }
        if visible {
            self.counters.readmitted += 1;
            self.collect_one_if_steady();
        }
        Ok(Answer::Added(id))
    }

    /// Puts an entry at the end of the live order, and into the log unless it is past its window already.
    fn add(&mut self, key: &Key, value: &[u8], inserted_at_ns: i64) -> Id {
        let id = self.next_id;
        self.next_id += 1;
        let tick = self.tick(inserted_at_ns);
        let record = Record { key: *key, tick, state: State::Live(id), is_dead: false };
        let log = (!self.expired(tick)).then(|| self.log.push(record));
        let value = if value.is_empty() { vec![0; self.setup.value_size] } else { value.to_vec() };
        self.live.insert(id, Live { key: *key, tick, value, log });
        self.live_ids.insert(*key, id);
        id
    }

    fn insert_batch(&mut self, keys: &[Key], values: &[u8], times: (&[i64], i64), readmit: bool) -> Outcome {
        let (inserted_at_ns, now_ns) = times;
        // Without times all are inserted at the present, which is the largest time seen if the clock ran back.
        let present_ns = self.effective_now_ns(now_ns);
        let mut answers = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let size = self.setup.value_size;
            let value = if values.is_empty() { &[][..] } else { &values[at * size..][..size] };
            let inserted_at_ns = inserted_at_ns.get(at).copied().unwrap_or(present_ns);
            match self.insert(key, value, (inserted_at_ns, now_ns), readmit, at == 0) {
                Ok(answer) => answers.push(answer),
                Err(refusals) => return Ok(Answer::Batch(answers, refusals)),
            }
        }
        Ok(Answer::Batch(answers, Vec::new()))
    }

    fn contains(&mut self, keys: &[Key], now_ns: i64) -> Outcome {
        let refusals = self.now_refusals(now_ns);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        self.accept(now_ns);
        Ok(Answer::Presences(keys.iter().map(|key| self.presence(key)).collect()))
    }

    fn live_id(&self, entry: EntryRef) -> Result<Id, Vec<Refusal>> {
        match entry {
            EntryRef::Given(id) if self.live.contains_key(&id) => Ok(id),
            _ => Err(vec![Refusal::Stale]),
        }
    }

    /// Takes an entry out of the live order; what becomes of its record is the caller's business.
    pub(super) fn unlink(&mut self, id: Id) -> Option<Live> {
        let live = self.live.remove(&id)?;
        self.live_ids.remove(&live.key);
        Some(live)
    }

    fn forget_live(&mut self, id: Id) {
        if let Some(record) = self.unlink(id).and_then(|live| live.log) {
            self.drop_or_bury(record);
        }
    }

    fn forget_key(&mut self, key: &Key) -> Outcome {
        if let Some(id) = self.find(key) {
            self.forget_live(id);
        } else if let Some(record) = self.visible_record(key) {
            self.historical.remove(key);
            self.drop_or_bury(record);
        } else {
            return Err(vec![Refusal::NotFound]);
        }
        Ok(Answer::Done)
    }

    fn erase(&mut self, entry: EntryRef, now_ns: i64, first: bool) -> Outcome {
        let mut refusals = self.now_refusals(now_ns);
        let id = self.live_id(entry);
        refusals.extend(id.clone().err().unwrap_or_default());
        if !refusals.is_empty() {
            return Err(refusals);
        }
        if first {
            self.accept(now_ns);
        }
        let outcome = self.erase_accepted(id?)?;
        self.collect_one_if_steady();
        Ok(outcome)
    }

    /// The erase itself, once its time is accepted. Its step is collected after it.
    fn erase_accepted(&mut self, id: Id) -> Outcome {
        let Some(tick) = self.live.get(&id).map(|live| live.tick) else { return Err(vec![Refusal::Stale]) };
        if self.expired(tick) {
            self.forget_live(id);
            return Ok(Answer::Erased(Erased::Gone));
        }
        let room = self.make_room_in_history()?;
        if !room {
            self.counters.evicted_early += 1;
            self.forget_live(id);
            return Ok(Answer::Erased(Erased::Gone));
        }
        let Some(live) = self.unlink(id) else { return Err(vec![Refusal::Stale]) };
        let record = match live.log {
            Some(record) if self.log.get(record).is_dead => self.move_record(record),
            Some(record) => {
                self.log.make_historical(record);
                record
            }
            // It left the log before its window ended: it comes back at the tail, with its own time.
            None => self.log.push(Record {
                key: live.key,
                tick: live.tick,
                state: State::Historical,
                is_dead: false,
            }),
        };
        self.historical.insert(live.key, record);
        Ok(Answer::Erased(Erased::Historical))
    }

    /// Sees to it that one more historical entry fits. False: it does not, and the entry itself has to go.
    pub(super) fn make_room_in_history(&mut self) -> Result<bool, Vec<Refusal>> {
        let limit = self.setup.max_history;
        if limit == 0 || self.history_len() < limit {
            return Ok(true);
        }
        if self.pass_heads_for_room(self.evicts()) {
            return Ok(true);
        }
        if self.evicts() { Ok(false) } else { Err(vec![Refusal::HistoryFull { limit }]) }
    }

    fn erase_batch(&mut self, entries: &[EntryRef], now_ns: i64) -> Answer {
        let mut answers = Vec::new();
        for (at, &entry) in entries.iter().enumerate() {
            match self.erase(entry, now_ns, at == 0) {
                Ok(answer) => answers.push(answer),
                Err(refusals) => return Answer::Batch(answers, refusals),
            }
        }
        Answer::Batch(answers, Vec::new())
    }

    fn erase_all_live(&mut self, now_ns: i64) -> Outcome {
        let refusals = self.now_refusals(now_ns);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let before = (self.seen_ns, self.counters.clock_regressions);
        self.accept(now_ns);
        let limit = self.setup.max_history;
        if limit != 0 && !self.evicts() && self.live_len() + self.history_len() > limit {
            // What is due goes first, a step for each live entry.
            self.collect(self.live_len());
        }
        let stay = self.live.values().filter(|live| !self.expired(live.tick)).count() as u64;
        if limit != 0 && !self.evicts() && stay > 0 && self.history_len() + stay > limit {
            // All or nothing: but for what was due, this refusal changes nothing, the time seen included.
            (self.seen_ns, self.counters.clock_regressions) = before;
            return Err(vec![Refusal::HistoryFull { limit }]);
        }
        let ids: Vec<Id> = self.live.keys().copied().collect();
        for &id in &ids {
            self.erase_accepted(id)?;
            self.collect_one_if_steady();
        }
        Ok(Answer::Count(ids.len() as u64))
    }

    fn gc(&mut self, now_ns: i64, max: u64) -> Outcome {
        let refusals = self.now_refusals(now_ns);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        self.accept(now_ns);
        let collected = self.collect(max);
        let more = self.head_is_due();
        if matches!(self.setup.gc, GcPolicy::OnDemand { .. }) {
            self.gc_wanted = more;
        }
        Ok(Answer::Collected(Collected { collected, more }))
    }

    fn clear(&mut self) {
        self.live.clear();
        self.live_ids.clear();
        self.historical.clear();
        self.log.clear();
        self.raises.clear();
    }

    /// The oldest live entry goes; if there is none, the oldest record, and its entry.
    fn clear_step(&mut self, max: u64) -> Answer {
        let mut collected = 0;
        for _ in 0..max {
            if let Some(id) = self.live.keys().next().copied() {
                self.forget_live(id);
                collected += 1;
                if self.log.head().is_some_and(|head| head.state == State::Tombstone) {
                    self.log.pop_head();
                }
                continue;
            }
            let Some(head) = self.log.head() else { break };
            self.log.pop_head();
            if head.state == State::Historical {
                self.historical.remove(&head.key);
                collected += 1;
            }
        }
        let more = self.live_len() + self.history_len() > 0;
        if !more {
            self.clear();
        }
        Answer::Collected(Collected { collected, more })
    }

    /// All that can be asked of a live entry.
    pub fn look(&self, id: Id) -> Option<Answer> {
        let live = self.live.get(&id)?;
        let grain_ns = i128::from(self.setup.grain_ns());
        Some(Answer::Seen {
            key: live.key,
            inserted_at_ns: (live.tick * grain_ns) as i64,
            value: live.value.clone(),
            prev: self.live.range(..id).next_back().map(|(&id, _)| id),
            next: self.live.range(id + 1..).next().map(|(&id, _)| id),
        })
    }
}

fn refused_or_done(refusals: Vec<Refusal>) -> Outcome {
    if refusals.is_empty() { Ok(Answer::Done) } else { Err(refusals) }
}
