//! Groups: the histories of one thread share a hash seed, a limit on bytes, a cache of blocks, and their collection.
//!
//! A broker has thousands of queues on a thread, most of them idle. To ask each of them whether something has expired
//! costs a miss per queue, so a group keeps a schedule: which histories have something that will expire, by when the
//! oldest of it does. `gc_many` looks at those alone that are due.
//!
//! ```text
//!   history --- Member ----> Group (shared)
//!    "my oldest record         schedule: who is due when               (schedule)
//!     expires at 17"           memory: one allocator, limit, cache     (cache)
//! ```
//!
//! A history tells its group when it gets its first record, and when its oldest record comes to expire earlier than it
//! has told. That it expires later than told is found out when its turn comes. So an insert into a history that has
//! records already costs nothing.
//!
//! Histories of a group may be used by several threads as far as this file is concerned: what they share is behind a
//! lock. (The C ABI allows one thread at a time, and never waits.)

mod cache;
mod schedule;

use super::options::MAX_TIME_NS;
use super::types::Collected;
use super::{Error, History, hash};
use crate::memory::{Allocator, Memory};
use crate::sync::{Mutex, MutexGuard, lock};
use cache::Cache;
use schedule::Schedule;
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

/// The most histories in one group.
pub const MAX_MEMBERS: u32 = 1 << 24;
/// Steps that a history takes before the next one has its turn.
const STEPS_PER_TURN: u64 = 64;
/// Bytes of blocks that a group keeps, where the host does not say.
const DEFAULT_CACHE_BYTES: u64 = 256 * 1024;

/// The settings of a [`Group`]. Start from `GroupOptions::default()` and change fields.
#[derive(Default)]
pub struct GroupOptions {
    /// The most bytes that the group and its histories hold together; 0 means no limit.
    pub limit_bytes: u64,
    /// The most bytes of unused blocks that are kept for the histories to use again; `None` means 256 KiB.
    pub cache_bytes: Option<u64>,
    /// How far `now` may jump ahead of the largest one that the group was told; `None` means one hour, `Some(0)` any
    /// distance.
    pub max_clock_step_ns: Option<i64>,
    /// The seed of the key hash of all histories; `None` means a random one. Fix it for replays only.
    pub seed: Option<u64>,
    /// The host's allocator; `None` means the process's own.
    pub allocator: Option<Arc<dyn Allocator>>,
}

/// Figures of one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupStats {
    /// Histories in the group.
    pub histories: u64,
    /// Histories that have something that will expire.
    pub scheduled: u64,
    /// Bytes held now by the group and its histories, the cache included.
    pub bytes_in_use: u64,
    /// The most bytes ever held.
    pub bytes_peak: u64,
    /// Bytes of unused blocks that are kept.
    pub bytes_cached: u64,
    /// Requests that were served from those.
    pub reused_blocks: u64,
    /// Requests that were refused because of the limit.
    pub refused_by_limit: u64,
}

/// Whether a history could be reached for its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// It had its turn.
    Reached,
    /// Not now: it is asked for again by the next `gc_many`.
    Later,
    /// Not any more.
    Never,
}

/// Where a group finds its histories, which it does not own: by the tag that [`History::set_tags_in_group`] gave each.
pub trait Members {
    /// Calls `turn` with the history of this tag, if it is to be had.
    fn with(&mut self, tag: u64, turn: &mut dyn FnMut(&mut History)) -> Reach;
}

/// Histories that share a seed, a limit, a cache of blocks and their collection. Clones mean the same group.
#[derive(Clone)]
pub struct Group {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    limit_bytes: u64,
    max_step_ns: i64,
    seed: u64,
    is_seed_fixed: bool,
}

struct State {
    /// The account of what the group and its histories hold, and the way to the allocator.
    memory: Memory,
    schedule: Schedule,
    cache: Cache,
    seen_ns: Option<i64>,
    refused_by_limit: u64,
    was_full: bool,
    reused: u64,
}

/// A history's membership.
pub(super) struct Member {
    pub(super) group: Group,
    pub(super) number: u32,
    /// When the group will look at the history, at the latest; `i64::MAX` if it will not.
    told_ns: i64,
    /// By what the host knows the group.
    group_tag: u64,
}

impl Group {
    /// A group without histories.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a clock step outside 0 to [`MAX_TIME_NS`].
    pub fn new(options: GroupOptions) -> Result<Group, Error> {
        let max_step_ns = super::clock::max_step_of(options.max_clock_step_ns)?;
        let state = State {
            memory: Memory::new(options.allocator, size_of::<Shared>()),
            schedule: Schedule::new(),
            cache: Cache::new(options.cache_bytes.unwrap_or(DEFAULT_CACHE_BYTES)),
            seen_ns: None,
            refused_by_limit: 0,
            was_full: false,
            reused: 0,
        };
        let shared = Shared {
            state: Mutex::new(state),
            limit_bytes: options.limit_bytes,
            max_step_ns: max_step_ns as i64,
            seed: options.seed.unwrap_or_else(hash::random),
            is_seed_fixed: options.seed.is_some(),
        };
        Ok(Group { shared: Arc::new(shared) })
    }

    /// Collects what has expired in the histories of the group, up to `max` records in all: each history that is due
    /// takes up to 64 steps, then it is the turn of the one that has waited longest. A history that is looked at costs
    /// a step at least. `more` tells whether one is due still. Histories that have nothing to collect cost nothing.
    /// O(max · log(histories due)).
    ///
    /// # Errors
    /// [`Error::ClockStep`], [`Error::TimeRange`]: nothing is changed.
    pub fn gc_many(&self, now_ns: i64, max: u64, members: &mut dyn Members) -> Result<Collected, Error> {
        let now_ns = self.accept(now_ns)?;
        let mut collected = 0;
        let mut left = max;
        while left > 0 {
            let Some((number, tag)) = self.state().schedule.pop_due(now_ns) else { break };
            let mut outcome = None;
            let reach = members.with(tag, &mut |history| {
                if history.is_member(self, number) {
                    outcome = Some(history.take_turn(now_ns, STEPS_PER_TURN.min(left)));
                }
            });
            let mut state = self.state();
            match (reach, outcome) {
                (Reach::Reached, Some(turn)) => {
                    collected += turn.collected;
                    left -= turn.steps.clamp(1, left);
                    if let Some(next_ns) = turn.next_ns {
                        // What is due still waits behind all that are.
                        let at_least_ns = now_ns + i64::from(turn.is_stuck);
                        state.schedule.put(number, next_ns.max(at_least_ns));
                    }
                }
                (Reach::Later, _) => {
                    left -= 1;
                    state.schedule.put(number, now_ns + 1);
                }
                (Reach::Reached | Reach::Never, _) => {}
            }
        }
        let more = self.state().schedule.is_due(now_ns);
        Ok(Collected { collected, more })
    }

    /// Sets the present of the group, backwards too and by any distance: for a host that knows its clock has jumped.
    /// Each history has a present of its own, which a jump ahead need not be told to, and a jump back has to. O(1) ahead,
    /// O(histories) back.
    ///
    /// # Errors
    /// [`Error::TimeRange`].
    pub fn clock_reset(&self, now_ns: i64) -> Result<(), Error> {
        check_range(now_ns)?;
        let mut state = self.state();
        if state.seen_ns.is_some_and(|seen_ns| now_ns < seen_ns) {
            // What was put off until a time that will not come so soon is looked at now.
            state.schedule.hurry(now_ns);
        }
        state.seen_ns = Some(now_ns);
        Ok(())
    }

    /// How many histories are in the group.
    pub fn len(&self) -> u32 {
        self.state().schedule.len()
    }

    /// Whether no history is in the group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All figures. O(1).
    pub fn stats(&self) -> GroupStats {
        let state = self.state();
        let usage = state.memory.usage();
        GroupStats {
            histories: state.schedule.len().into(),
            scheduled: state.schedule.scheduled().into(),
            bytes_in_use: usage.in_use,
            bytes_peak: usage.peak,
            bytes_cached: state.cache.bytes(),
            reused_blocks: state.reused,
            refused_by_limit: state.refused_by_limit,
        }
    }

    /// Whether the last request that was refused was refused because of the limit.
    pub fn was_full(&self) -> bool {
        self.state().was_full
    }

    /// The limit, in bytes; 0 without one.
    pub fn limit_bytes(&self) -> u64 {
        self.shared.limit_bytes
    }

    /// Whether the group's memory comes from an allocator of the host's.
    pub fn has_host_allocator(&self) -> bool {
        self.state().memory.host().is_some()
    }

    /// The allocator of the group's histories.
    pub fn allocator(&self) -> Arc<dyn Allocator> {
        self.shared.clone()
    }

    pub(super) fn hash_seed(&self) -> (u64, bool) {
        (self.shared.seed, self.shared.is_seed_fixed)
    }

    pub(super) fn join(&self) -> Result<Member, Error> {
        let mut state = self.state();
        let State { schedule, memory, .. } = &mut *state;
        if schedule.len() >= MAX_MEMBERS {
            return Err(Error::EntriesFull { limit: MAX_MEMBERS.into() });
        }
        let number = schedule.add(memory).ok_or(Error::NoMemory)?;
        Ok(Member { group: self.clone(), number, told_ns: i64::MAX, group_tag: 0 })
    }

    /// The largest time told counts for each history too, so that an idle one is not surprised by the time.
    pub(super) fn has_been_told(&self, now_ns: i64) -> bool {
        let seen_ns = self.state().seen_ns;
        seen_ns.is_some_and(|seen_ns| now_ns <= seen_ns || self.is_step_allowed(seen_ns, now_ns))
    }

    fn is_step_allowed(&self, seen_ns: i64, now_ns: i64) -> bool {
        self.shared.max_step_ns == 0 || now_ns.abs_diff(seen_ns) <= self.shared.max_step_ns as u64
    }

    /// The present moves to `now_ns`, or stays where it is, if that is later.
    fn accept(&self, now_ns: i64) -> Result<i64, Error> {
        check_range(now_ns)?;
        let mut state = self.state();
        let seen_ns = state.seen_ns.unwrap_or(now_ns);
        if now_ns > seen_ns && !self.is_step_allowed(seen_ns, now_ns) {
            return Err(Error::ClockStep { now_ns, seen_ns, max_step_ns: self.shared.max_step_ns });
        }
        let now_ns = now_ns.max(seen_ns);
        state.seen_ns = Some(now_ns);
        Ok(now_ns)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }
}

fn check_range(now_ns: i64) -> Result<(), Error> {
    if now_ns.unsigned_abs() > MAX_TIME_NS as u64 {
        return Err(Error::TimeRange { what: "now_ns", time_ns: now_ns });
    }
    Ok(())
}

impl Drop for Member {
    fn drop(&mut self) {
        self.group.state().schedule.remove(self.number);
    }
}

/// What a history did in its turn.
struct Turn {
    collected: u64,
    steps: u64,
    /// When the oldest record expires; `None` if there is none.
    next_ns: Option<i64>,
    /// It is due, but there is no memory for what has to be kept of it.
    is_stuck: bool,
}

impl History {
    /// Sets what the group's [`Members`] are asked by for this history, 0 at first, and by what the host knows the group.
    /// Nothing without a group.
    pub fn set_tags_in_group(&mut self, tag: u64, group_tag: u64) {
        if let Some(member) = self.rare.get_mut().and_then(|rare| rare.member.as_mut()) {
            member.group_tag = group_tag;
            member.group.state().schedule.set_tag(member.number, tag);
        }
    }

    /// By what the host knows the group; 0 without one, and at first.
    #[inline(always)]
    pub fn group_tag(&self) -> u64 {
        if self.is_grouped { self.member().map_or(0, |member| member.group_tag) } else { 0 }
    }

    /// The group that the history is in, if it is in one.
    pub fn group(&self) -> Option<&Group> {
        self.member().map(|member| &member.group)
    }

    pub(super) fn member(&self) -> Option<&Member> {
        self.rare.get()?.member.as_ref()
    }

    fn is_member(&self, group: &Group, number: u32) -> bool {
        self.member()
            .is_some_and(|member| member.number == number && Arc::ptr_eq(&member.group.shared, &group.shared))
    }

    /// The oldest record may come to expire earlier than is known here, or was told to the group, if there is one.
    #[inline(always)]
    pub(super) fn watch_head(&mut self) {
        self.note_due(0);
        if self.is_grouped {
            self.tell_group();
        }
    }

    #[cold]
    fn tell_group(&mut self) {
        let Some(expiry_ns) = self.head_expiry_ns() else { return };
        let Some(member) = self.rare.get_mut().and_then(|rare| rare.member.as_mut()) else { return };
        if expiry_ns < member.told_ns {
            member.told_ns = expiry_ns;
            member.group.state().schedule.put(member.number, expiry_ns);
        }
    }

    /// When the oldest record expires: long ago, if its entry was forgotten.
    fn head_expiry_ns(&self) -> Option<i64> {
        let head = self.log.head()?;
        let waits = |tick| !(self.is_raised && self.had_expired(head.record, tick));
        Some(head.tick.filter(|tick| waits(*tick)).map_or(-MAX_TIME_NS, |tick| self.clock.expiry_ns(tick)))
    }

    /// Collects up to `max` records for the group, which has checked the time.
    fn take_turn(&mut self, now_ns: i64, max: u64) -> Turn {
        let now = self.clock.check_any_step(now_ns);
        let (done, steps) = self.collect_at(now, max);
        let next_ns = self.head_expiry_ns();
        let is_stuck = !done.more && next_ns.is_some_and(|next_ns| next_ns <= now_ns);
        if let Some(member) = self.rare.get_mut().and_then(|rare| rare.member.as_mut()) {
            member.told_ns = next_ns.map_or(i64::MAX, |next_ns| next_ns.max(now_ns));
        }
        Turn { collected: done.collected, steps, next_ns, is_stuck }
    }

    /// A time that is too far ahead for the history alone is not, if its group was told of it.
    #[cold]
    pub(super) fn check_by_group(&self, now_ns: i64, error: Error) -> Result<super::clock::Now, Error> {
        match (error, self.member()) {
            (Error::ClockStep { .. }, Some(member)) if member.group.has_been_told(now_ns) => {
                Ok(self.clock.check_any_step(now_ns))
            }
            _ => Err(error),
        }
    }
}

// SAFETY: blocks come from the group's allocator for the layout asked for, or from the cache, which holds such blocks by
// their layout and gives each out once.
unsafe impl Allocator for Shared {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        let mut state = lock(&self.state);
        let State { cache, memory, .. } = &mut *state;
        if let Some(block) = cache.take(layout) {
            state.reused += 1;
            return Some(block);
        }
        let fits = |memory: &Memory| {
            self.limit_bytes == 0
                || memory.usage().in_use.saturating_add(layout.size() as u64) <= self.limit_bytes
        };
        if !fits(memory) {
            cache.clear(memory);
        }
        if !fits(memory) {
            state.refused_by_limit += 1;
            state.was_full = true;
            return None;
        }
        let block = memory.allocate(layout);
        state.was_full = false;
        block
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let mut state = lock(&self.state);
        let State { cache, memory, .. } = &mut *state;
        // SAFETY: the block is the caller's to give, of this layout, and nobody uses it any more.
        if !unsafe { cache.put(block, layout) } {
            // SAFETY: likewise; `allocate` got it from this purse, at once or by way of the cache.
            unsafe { memory.deallocate(block, layout) };
        }
    }

    fn has_failed(&self) -> bool {
        lock(&self.state).memory.host().is_some_and(|host| host.has_failed())
    }
}

// SAFETY: the blocks that its tables lead to are its own, and allocators may be called from any thread.
unsafe impl Send for State {}

impl Drop for State {
    fn drop(&mut self) {
        self.cache.clear(&self.memory);
        self.schedule.release(&self.memory);
    }
}
