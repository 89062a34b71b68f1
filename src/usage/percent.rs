//! Percent arithmetic: which percent a level stands for, and between which levels a percent holds. Pure functions.
//!
//! `percent = trunc(trunc(usage * 100 / limit) / min_delta) * min_delta`, truncated towards zero as the Java brokers
//! do, in 128-bit arithmetic, and saturating at the range of a 32-bit integer. A limit of 0 means unlimited: 0 %.

/// No level of a tracker lies outside plus and minus this.
pub const MAX_LEVEL: i64 = 1 << 61;
/// No single amount is larger than this.
pub const MAX_AMOUNT: i64 = 1 << 56;
/// No limit is larger than this; such a limit is never reached.
pub const MAX_LIMIT: i64 = 1 << 62;

/// The levels that a tracker may have: at or above `FIRST` and below `END`.
pub(super) const FIRST: i64 = -MAX_LEVEL;
pub(super) const END: i64 = MAX_LEVEL + 1;
/// Outside these, operations look at the ends of the range before they change anything.
pub(super) const FAR_FIRST: i64 = -(MAX_LEVEL / 2);
pub(super) const FAR_END: i64 = MAX_LEVEL / 2;
/// Larger than any level that there is for as long as it takes to refuse an amount.
pub(super) const BEYOND: i64 = 9 << 58;

/// The percent that `usage` is of `limit`, in steps of `min_delta`.
pub(super) fn percent_of(usage: i64, limit: i64, min_delta: u32) -> i32 {
    if limit == 0 {
        return 0;
    }
    let whole = match usage.checked_mul(100) {
        Some(hundredfold) => i128::from(hundredfold / limit),
        None => i128::from(usage) * 100 / i128::from(limit),
    };
    let step = i128::from(min_delta);
    let percent = if step == 1 { whole } else { whole / step * step };
    percent.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32
}

/// The smallest level that counts as `percent` or more of `limit`, for a percent of 1 or more and a step of 1.
fn level_at(percent: i64, limit: i64) -> i64 {
    if let Some(product) = percent.checked_mul(limit).and_then(|product| product.checked_add(99)) {
        return (product / 100).min(END);
    }
    ((i128::from(percent) * i128::from(limit) + 99) / 100).min(i128::from(END)) as i64
}

/// `percent` rounded up to a whole step.
fn round_up(percent: i64, min_delta: u32) -> i64 {
    if min_delta == 1 {
        return percent;
    }
    let step = i64::from(min_delta);
    (percent + step - 1) / step * step
}

/// The smallest level at which [`percent_of`] is `percent` or more. `percent` and `limit` are 1 or more.
///
/// A step that does not divide `percent` moves it up: with a step of 30, 100 % is reached at 120 %.
pub(super) fn threshold(percent: i32, limit: i64, min_delta: u32) -> i64 {
    level_at(round_up(i64::from(percent), min_delta), limit)
}

/// The levels `lo <= level < hi` at which [`percent_of`] is `percent`, which it is for at least one of them.
/// `limit` is 1 or more.
pub(super) fn bucket(percent: i32, limit: i64, min_delta: u32) -> (i64, i64) {
    let step = i64::from(min_delta);
    let percent = i64::from(percent);
    if percent > 0 {
        // A saturated percent need not be a whole step: the bucket begins at the first step that saturates.
        let first = round_up(percent, min_delta);
        let end = if percent == i64::from(i32::MAX) { END } else { level_at(first + step, limit) };
        (level_at(first, limit), end)
    } else if percent < 0 {
        let first = round_up(-percent, min_delta);
        let start = if percent == i64::from(i32::MIN) { FIRST } else { 1 - level_at(first + step, limit) };
        (start, 1 - level_at(first, limit))
    } else {
        (1 - level_at(step, limit), level_at(step, limit))
    }
}

/// The limit that a share of `parts_per_million` of `parent` gives: at least 1, so that a small share of a small limit
/// does not turn into no limit at all. Unlimited stays unlimited.
pub(super) fn share_of(parent: i64, parts_per_million: u32) -> i64 {
    if parent == 0 {
        return 0;
    }
    let share = i128::from(parent) * i128::from(parts_per_million) / 1_000_000;
    share.clamp(1, i128::from(MAX_LIMIT)) as i64
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const LIMITS: [i64; 12] =
        [1, 2, 3, 7, 99, 100, 101, 1_000, 123_000_000_000, 1 << 53, (1 << 61) + 1, MAX_LIMIT];
    const STEPS: [u32; 7] = [1, 2, 5, 10, 30, 100, u32::MAX];

    fn levels(limit: i64) -> impl Iterator<Item = i64> {
        let mut levels = vec![0, 1, -1, FIRST, MAX_LEVEL];
        for percent in [1, 29, 30, 31, 48, 99, 100, 101, 119, 120, 250] {
            let at = level_at(percent, limit);
            levels.extend([at - 1, at, at + 1, 1 - at, -at, -at - 1]);
        }
        levels.into_iter().filter(|level| (FIRST..END).contains(level))
    }

    #[test]
    fn a_bucket_is_all_of_the_levels_of_its_percent() {
        for limit in LIMITS {
            for step in STEPS {
                for level in levels(limit) {
                    let percent = percent_of(level, limit, step);
                    let (lo, hi) = bucket(percent, limit, step);
                    assert!(lo <= level && level < hi, "{level} of {limit} by {step}: [{lo}, {hi})");
                    for inside in [lo, hi - 1] {
                        assert_eq!(percent_of(inside, limit, step), percent, "{inside} of {limit} by {step}");
                    }
                    for outside in [lo - 1, hi] {
                        if (FIRST..END).contains(&outside) {
                            assert_ne!(percent_of(outside, limit, step), percent, "{outside} of {limit}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_threshold_is_the_first_level_of_its_percent_or_more() {
        for limit in LIMITS {
            for step in STEPS {
                for percent in [1, 29, 30, 70, 99, 100, 101, 5_000, i32::MAX] {
                    let at = threshold(percent, limit, step);
                    if at < END {
                        assert!(percent_of(at, limit, step) >= percent, "{percent} of {limit} by {step}");
                    }
                    assert!(percent_of(at - 1, limit, step) < percent, "{percent} of {limit} by {step}");
                }
            }
        }
    }

    #[test]
    fn a_percent_saturates_and_does_not_wrap() {
        assert_eq!(percent_of(MAX_LEVEL, 1, 1), i32::MAX);
        assert_eq!(percent_of(FIRST, 1, 1), i32::MIN);
        assert_eq!(percent_of(MAX_LEVEL, MAX_LIMIT, 1), 50);
        assert_eq!(percent_of(5, 0, 1), 0);
        assert_eq!(percent_of(119, 100, 30), 90);
        assert_eq!(percent_of(-1, 100, 1), -1);
        assert_eq!(percent_of(-99, 10_000, 1), 0);
    }

    #[test]
    fn a_share_of_a_limit_is_a_limit() {
        assert_eq!(share_of(0, 1), 0);
        assert_eq!(share_of(1, 1), 1);
        assert_eq!(share_of(1_000, 700_000), 700);
        assert_eq!(share_of(MAX_LIMIT, 1_000_000), MAX_LIMIT);
    }
}
