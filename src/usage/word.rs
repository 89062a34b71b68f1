//! The word of a stripe: how much may be taken and how much may be put back without asking anybody. Pure arithmetic.
//!
//! ```text
//!        63             32 31              0
//! word  +-----------------+-----------------+     cap = credit + room < 2^31
//!       |     credit      |      room       |     0: the stripe is inactive
//!       +-----------------+-----------------+
//! ```
//! Taking n moves n from credit to room and putting back moves it the other way, so the cap stays. An equal word means
//! an equal credit and an equal cap: a compare-and-exchange that meets a word it saw before is right whatever happened
//! in between. Zeroed memory is inactive.

/// The most that a stripe may hold, credit and room together.
pub(super) const MAX_CAP: i64 = (1 << 31) - 1;

/// What turns n into the change of a word that takes n: minus n credit, plus n room.
const MOVE: u64 = u32::MAX as u64;

/// Credit and room of a word.
pub(super) fn unpack(word: u64) -> (i64, i64) {
    ((word >> 32) as i64, (word & MOVE) as i64)
}

/// The word of a credit and a room, both from 0 to [`MAX_CAP`] together.
pub(super) fn pack(credit: i64, room: i64) -> u64 {
    debug_assert!(credit >= 0 && room >= 0 && credit + room <= MAX_CAP, "{credit} + {room} is no cap");
    (credit as u64) << 32 | room as u64
}

/// The word after `amount` is taken from its credit; `None` if it has less.
#[inline(always)]
pub(super) fn take(word: u64, amount: u64) -> Option<u64> {
    (word >> 32 >= amount).then(|| word.wrapping_sub(amount.wrapping_mul(MOVE)))
}

/// The word after `amount` is put back into its room; `None` if it has less.
#[inline(always)]
pub(super) fn put_back(word: u64, amount: u64) -> Option<u64> {
    (word & MOVE >= amount).then(|| word.wrapping_add(amount.wrapping_mul(MOVE)))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn taking_and_putting_back_keep_the_cap() {
        let word = pack(5, 7);
        let taken = take(word, 5).expect("there is 5");
        assert_eq!(unpack(taken), (0, 12));
        assert_eq!(take(taken, 1), None);
        let back = put_back(taken, 12).expect("there is room for 12");
        assert_eq!(unpack(back), (12, 0));
        assert_eq!(put_back(back, 1), None);
    }

    #[test]
    fn an_inactive_word_gives_nothing_and_takes_nothing() {
        for amount in [1, 1 << 31, 1 << 32, 1 << 56, u64::MAX] {
            assert_eq!(take(0, amount), None);
            assert_eq!(put_back(0, amount), None);
        }
        let full = pack(MAX_CAP, 0);
        assert_eq!(take(full, 1 << 32), None);
        assert_eq!(take(full, MAX_CAP as u64).map(unpack), Some((0, MAX_CAP)));
    }
}
