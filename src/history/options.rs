//! How a history is set up, with the limits of every setting.

use super::group::Group;
use super::types::Key;
use crate::memory::Allocator;
use std::sync::Arc;

/// The largest `value_size`, in bytes.
pub const MAX_VALUE_SIZE: usize = 1024;
/// The most entries, live and historical together.
pub const MAX_ENTRIES: u64 = (1 << 31) - 1;
/// Times and windows lie within plus and minus this, in ns (146 years).
pub const MAX_TIME_NS: i64 = 1 << 62;
/// The most entries that an inline collection step or batch may ask for.
pub const MAX_GC_STEP: u32 = 1 << 20;

/// What an erase does when the history holds `max_history` entries already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// The erase fails with a capacity error and the entry stays live.
    #[default]
    Reject,
    /// The oldest historical entry leaves early; it is counted. It is looked for among the oldest 64 records of the
    /// log; should those all belong to live or forgotten entries, the entry that is being erased does without a
    /// history instead (counted likewise), and the next erase looks further on.
    EvictOldest,
}

/// When an expired key stops being visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// At its expiry: answers depend on keys and times alone.
    #[default]
    UntilExpiry,
    /// When it is collected.
    UntilCollected,
}

/// Who collects expired entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcPolicy {
    /// Only `gc`.
    Scheduled,
    /// Once a `gc` has stopped at its maximum, each following insert collects up to `batch`, until none is left.
    OnDemand {
        /// Entries per insert.
        batch: u32,
    },
    /// Every insert collects up to `step`, and every erase one.
    Steady {
        /// Entries per insert.
        step: u32,
    },
}

impl Default for GcPolicy {
    fn default() -> Self {
        GcPolicy::Steady { step: 4 }
    }
}

/// A hash of keys that the host brings along. It must give the same number for the same key always.
pub trait KeyHasher: Send {
    /// 64 bits of hash.
    fn hash(&self, key: &Key) -> u64;
}

/// The settings of a [`History`](super::History). Start from `Options::default()` and change fields.
#[derive(Default)]
pub struct Options {
    /// How long a key is remembered, from its insert, in ns. 0: no history. Up to [`MAX_TIME_NS`].
    pub window_ns: i64,
    /// Bytes of value per live entry, 0 to [`MAX_VALUE_SIZE`].
    pub value_size: usize,
    /// The grain of time in ns, at least 1; 0 means 1000. Insert times and the present round down, the window rounds
    /// up, so an entry may expire less than one resolution early or late.
    pub resolution_ns: i64,
    /// How far `now` may jump ahead of the largest one seen; `None` means one hour, `Some(0)` any distance.
    pub max_clock_step_ns: Option<i64>,
    /// The most entries, live and historical together; 0 means [`MAX_ENTRIES`].
    pub max_entries: u64,
    /// The most historical entries; 0 means no such limit.
    pub max_history: u64,
    /// What happens at `max_history`.
    pub overflow: Overflow,
    /// When an expired key stops being visible.
    pub visibility: Visibility,
    /// Who collects.
    pub gc: GcPolicy,
    /// The seed of the key hash; `None` means a random one, which nobody can aim at. Fix it for replays only.
    pub seed: Option<u64>,
    /// The host's hash; `None` means the built-in one. Its result is mixed with the seed once more.
    pub hasher: Option<Box<dyn KeyHasher>>,
    /// The host's allocator; `None` means the process's own.
    pub allocator: Option<Arc<dyn Allocator>>,
    /// The group that the history belongs to; its seed and its allocator count then, so `seed` and `allocator` have to be
    /// `None`.
    pub group: Option<Group>,
}
