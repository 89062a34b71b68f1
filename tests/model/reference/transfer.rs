//! The rules of export and import: which entries, in which order, and what becomes of each.

use super::super::call::{Answer, Id, Refusal};
use super::super::transfer::Transferred;
use super::apply::Outcome;
use super::{Model, Record, State};
use queuecore::history::MAX_TIME_NS;
use std::collections::VecDeque;

/// What becomes of an imported entry.
enum Fate {
    Live,
    Historical,
    Nothing,
}

impl Model {
    /// All entries in order: the log's, and the live ones that left it, each right behind the live one before it.
    pub fn sequence(&self) -> Vec<Transferred> {
        let mut live: VecDeque<Id> = self.live.keys().copied().collect();
        let mut sequence = Vec::new();
        let is_out =
            |id: &Id| self.live.get(id).is_none_or(|live| live.log.is_none() || self.expired(live.tick));
        let mut records = self.log.records();
        loop {
            while let Some(id) = live.front().filter(|id| is_out(id)).copied() {
                live.pop_front();
                sequence.push(self.transferred_live(id));
            }
            let Some((_, record)) = records.next() else { break };
            match record.state {
                State::Live(id) if live.front() == Some(&id) => {
                    live.pop_front();
                    sequence.push(self.transferred_live(id));
                }
                State::Historical if !self.record_expired(&record) => sequence.push(Transferred {
                    key: record.key,
                    inserted_at_ns: self.ns_of(record.tick),
                    value: None,
                }),
                State::Live(_) | State::Historical | State::Tombstone => {}
            }
        }
        sequence.extend(live.into_iter().map(|id| self.transferred_live(id)));
        sequence
    }

    fn transferred_live(&self, id: Id) -> Transferred {
        let live = &self.live[&id];
        Transferred { key: live.key, inserted_at_ns: self.ns_of(live.tick), value: Some(live.value.clone()) }
    }

    fn ns_of(&self, tick: i128) -> i64 {
        // The earliest tick may begin before the earliest time.
        ((tick * i128::from(self.setup.grain_ns())) as i64).max(-MAX_TIME_NS)
    }

    pub(super) fn import(&mut self, records: &[Transferred], now_ns: i64, shift_ns: i64) -> Outcome {
        let mut refusals = self.now_refusals(now_ns);
        let shifted = |record: &Transferred| record.inserted_at_ns.saturating_add(shift_ns);
        refusals.extend(records.iter().flat_map(|record| self.insert_refusals(shifted(record), now_ns)));
        if !refusals.is_empty() {
            return Err(refusals);
        }
        self.accept(now_ns);
        let (mut live, mut historical) = (0, 0);
        for record in records {
            match self.take_in(record, shifted(record), now_ns)? {
                Fate::Live => live += 1,
                Fate::Historical => historical += 1,
                Fate::Nothing => {}
            }
        }
        Ok(Answer::Imported { live, historical })
    }

    fn take_in(
        &mut self,
        record: &Transferred,
        inserted_at_ns: i64,
        now_ns: i64,
    ) -> Result<Fate, Vec<Refusal>> {
        if let Some(value) = &record.value {
            let answer = self.insert(&record.key, value, (inserted_at_ns, now_ns), true, false)?;
            return Ok(if matches!(answer, Answer::Added(_)) { Fate::Live } else { Fate::Nothing });
        }
        self.collect_for_insert();
        let tick = self.tick(inserted_at_ns);
        if self.expired(tick) || self.find(&record.key).is_some() {
            return Ok(Fate::Nothing);
        }
        let new = Record { key: record.key, tick, state: State::Historical, is_dead: false };
        if let Some(&old) = self.historical.get(&record.key) {
            let there = self.log.get(old);
            if there.tick >= tick && !there.is_dead {
                return Ok(Fate::Nothing);
            }
            let number = self.log.push(new);
            self.historical.insert(record.key, number);
            self.drop_or_bury(old);
            return Ok(Fate::Historical);
        }
        let limit = self.setup.max_entries;
        if limit != 0 && self.live_len() + self.history_len() >= limit && !self.pass_heads_for_room(false) {
            return Err(vec![Refusal::EntriesFull { limit }]);
        }
        if !self.make_room_in_history()? {
            self.counters.evicted_early += 1;
            return Ok(Fate::Nothing);
        }
        let number = self.log.push(new);
        self.historical.insert(record.key, number);
        Ok(Fate::Historical)
    }
}
