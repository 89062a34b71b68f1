//! The options of one run as plain data, so that a failing case can be printed and repeated.

use queuecore::history::{GcPolicy, Key, Options, Overflow, Visibility};

/// What a run is set up with. The names are those of [`Options`].
#[derive(Clone, Debug)]
pub struct Setup {
    pub window_ns: i64,
    pub value_size: usize,
    pub resolution_ns: i64,
    pub max_clock_step_ns: Option<i64>,
    pub max_entries: u64,
    pub max_history: u64,
    pub overflow: Overflow,
    pub visibility: Visibility,
    pub gc: GcPolicy,
    pub seed: u64,
    /// How many different keys the run draws from.
    pub key_space: u64,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            window_ns: 100,
            value_size: 0,
            resolution_ns: 1,
            max_clock_step_ns: None,
            max_entries: 0,
            max_history: 0,
            overflow: Overflow::Reject,
            visibility: Visibility::UntilExpiry,
            gc: GcPolicy::default(),
            seed: 1,
            key_space: 32,
        }
    }
}

impl Setup {
    /// The options for the real history.
    pub fn options(&self) -> Options {
        Options {
            window_ns: self.window_ns,
            value_size: self.value_size,
            resolution_ns: self.resolution_ns,
            max_clock_step_ns: self.max_clock_step_ns,
            max_entries: self.max_entries,
            max_history: self.max_history,
            overflow: self.overflow,
            visibility: self.visibility,
            gc: self.gc,
            seed: Some(self.seed),
            hasher: None,
            allocator: None,
            group: None,
        }
    }

    /// The grain of time that holds: 0 stands for 1000.
    pub fn grain_ns(&self) -> i64 {
        if self.resolution_ns == 0 { 1000 } else { self.resolution_ns }
    }

    /// How far the clock may jump, if there is a limit.
    pub fn clock_step_ns(&self) -> Option<i64> {
        match self.max_clock_step_ns {
            None => Some(3_600_000_000_000),
            Some(0) => None,
            Some(step) => Some(step),
        }
    }

    /// All keys of the run.
    pub fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        (0..self.key_space).map(key)
    }
}

/// Key number `n`. Odd ones are scattered over all 16 bytes; even ones are plain counters in one half or the
/// other, as clients like to make them.
pub fn key(n: u64) -> Key {
    let (low, high) = match n % 4 {
        0 => (n, 0),
        2 => (0, n),
        _ => (scramble(n), scramble(!n)),
    };
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&low.to_le_bytes());
    bytes[8..].copy_from_slice(&high.to_le_bytes());
    Key(bytes)
}

/// One step of a well-known bijective mixer (splitmix64), so that different inputs give different keys.
pub fn scramble(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
