//! What collection knows of the oldest records before it comes to them: when the first is due, and the hashes of the
//! next few, whose buckets are on their way to the cache.
//!
//! ```text
//!   log      | r0  r1  r2  r3  ...  r11 | r12 ...
//!              ^ head: due from `due_from` on
//!   hashes   | h0  h1  h2  h3  ...  h11 |           8 to 16 of them: of the oldest records, in order
//! ```
//! A bucket is fetched 8 to 16 steps before it is used, and its overflow bucket, if it has one, 1 to 8 steps before. Eight
//! at a time, and nothing in between: a prefetch does not retire before its address is translated, and only the page walks
//! of prefetches that are in the processor's window together overlap. So their addresses are computed first. They are not
//! kept, since a bucket may be split or merged, and its segment go, before its turn comes.
//!
//! It takes a block of its own, which a history has while its log is large: a small one is in the cache anyway.

use super::History;
use super::clock::Tick;
use super::index::Home;

/// At least this many steps lie between the prefetch of a bucket and its use, and this many are prefetched at once.
const AHEAD: usize = 8;
const MAX: usize = 2 * AHEAD;
/// From this many records on it is worth it.
const WORTH_IT_RECORDS: u32 = 4096;

pub(super) struct Victims {
    /// The oldest record is not due before this; 0 if that is not known.
    due_from: Tick,
    /// A ring of the hashes of the oldest `len` records, from place `first` on.
    hashes: [u64; MAX],
    first: u8,
    len: u8,
}

impl Victims {
    const NONE_KNOWN: Victims = Victims { due_from: 0, hashes: [0; MAX], first: 0, len: 0 };

    /// The hash that is `ahead` records behind the head's.
    #[inline(always)]
    fn hash(&self, ahead: usize) -> u64 {
        self.hashes[(usize::from(self.first) + ahead) % MAX]
    }

    #[inline(always)]
    fn push(&mut self, hash: u64) {
        self.hashes[usize::from(self.first.wrapping_add(self.len)) % MAX] = hash;
        self.len += 1;
    }
}

impl History {
    /// Whether it is known that the oldest record is not due.
    #[inline(always)]
    pub(super) fn is_head_at_rest(&self, now: Tick) -> bool {
        self.victims.get().is_some_and(|victims| now < victims.due_from)
    }

    /// The oldest record is not due before a time; 0 if that is not known.
    #[inline(always)]
    pub(super) fn note_due(&mut self, due_from: Tick) {
        if let Some(victims) = self.victims.get_mut() {
            victims.due_from = due_from;
        }
    }

    /// The home of the oldest record.
    #[inline(always)]
    pub(super) fn home_of_head(&self, record: u32) -> Home {
        match self.victims.get() {
            Some(victims) if victims.len > 0 => self.index.home_of(victims.hash(0)),
            _ => self.home_of_record(record),
        }
    }

    /// The oldest record has left the log.
    #[inline(always)]
    pub(super) fn pass_victim(&mut self) {
        let Some(victims) = self.victims.get_mut() else {
            if self.log.len() >= WORTH_IT_RECORDS {
                self.begin_to_look_ahead();
            }
            return;
        };
        victims.first = victims.first.wrapping_add(1);
        victims.len = victims.len.saturating_sub(1);
        if usize::from(victims.len) < AHEAD {
            self.look_ahead();
        }
    }

    /// A record was buried: if it was the newest it is not there any more, and may have been one of those looked at ahead.
    pub(super) fn check_victims(&mut self) {
        let left = self.log.len();
        if left == 0 {
            self.forget_victims();
        } else if let Some(victims) = self.victims.get_mut() {
            victims.len = victims.len.min(u8::try_from(left).unwrap_or(u8::MAX));
        }
    }

    /// The log is empty.
    pub(super) fn forget_victims(&mut self) {
        self.victims.take(&self.memory);
    }

    #[cold]
    fn begin_to_look_ahead(&mut self) {
        // Without memory it is slower, and right.
        if self.victims.get_or_make(&self.memory, || Victims::NONE_KNOWN).is_some() {
            self.look_ahead();
        }
    }

    /// Fetches the buckets of the next AHEAD records that are not on their way yet, and the overflow of those that are.
    #[inline(never)]
    fn look_ahead(&mut self) {
        if self.log.is_empty() {
            return self.forget_victims();
        }
        let Self { victims, index, log, hash, .. } = self;
        let Some(victims) = victims.get_mut() else { return };
        let known = usize::from(victims.len);
        for ahead in 0..known {
            index.prefetch_chain(index.home_of(victims.hash(ahead)));
        }
        // Places behind the last record get some bucket: to fetch that once more costs little.
        let mut homes = [index.home_of(0); AHEAD];
        for (ahead, home) in homes.iter_mut().enumerate() {
            let Some(key) = log.key_ahead((known + ahead) as u32) else { break };
            let hash = hash.of(key);
            victims.push(hash);
            *home = index.home_of(hash);
        }
        homes.iter().for_each(|home| home.prefetch());
    }
}
