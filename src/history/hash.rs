//! The keyed hash of a message identifier.
//!
//! Clients choose identifiers, so nobody may be able to choose collisions: the built-in hash (foldhash) is keyed
//! by a random number per instance on top of a random one per process. It is the kind that mixes the result once more: one
//! multiplication alone leaves keys that count up in heaps under one seed of some dozens, since multiples of a number
//! near a simple fraction of 2^64 lie close together. A host may bring its own hash; its result is keyed and mixed as
//! well, so that a weak one (an identity, say) still spreads over the index.
//! Keys to which the host gives one number share a chain of the index, whatever is done here.

use super::options::KeyHasher;
use super::types::Key;
use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;
use std::hash::{BuildHasher, Hasher};

pub(super) struct Hash {
    state: SeedableRandomState,
    /// Boxed twice, since most have none.
    host: Option<Box<Box<dyn KeyHasher>>>,
}

impl Hash {
    /// Keyed by `seed`, and where that is not fixed for a replay, by a random number of the process too.
    pub(super) fn new(seed: u64, is_fixed: bool, host: Option<Box<dyn KeyHasher>>) -> Hash {
        let shared = if is_fixed { SharedSeed::global_fixed() } else { SharedSeed::global_random() };
        Hash { state: SeedableRandomState::with_seed(seed, shared), host: host.map(Box::new) }
    }

    #[inline(always)]
    pub(super) fn of(&self, key: &Key) -> u64 {
        let mut hasher = self.state.build_hasher();
        match &self.host {
            None => hasher.write_u128(u128::from_le_bytes(key.0)),
            Some(host) => hasher.write_u64(host.hash(key)),
        }
        hasher.finish()
    }

    /// A number to start generations from, below 2^24: other instances start elsewhere, those of one group too, by
    /// their number in it, so that a handle of another one is stale here.
    pub(super) fn first_generation(&self, number: u32) -> u32 {
        let mut hasher = self.state.build_hasher();
        hasher.write_u64(u64::MAX - u64::from(number));
        (hasher.finish() >> 40) as u32
    }
}

/// 64 bits that differ from instance to instance and cannot be guessed: the standard library's own keys,
/// which it draws from the system.
pub(super) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
