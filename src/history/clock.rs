//! Time as a history sees it: the host's nanoseconds, made monotonic and counted in ticks.
//!
//! A tick is `resolution_ns` long. Insert times and the present round down, the window rounds up, and expiry is
//! exact in ticks: an entry of tick `t` is expired from tick `t + window` on. So an entry expires less than one
//! resolution early or late.
//! Ticks are counted from a whole number of resolutions below the earliest time allowed, so they are unsigned.

use super::error::Error;
use super::options::{MAX_TIME_NS, Options};

/// An instant, in ticks.
pub(super) type Tick = u64;

/// The grain of time where the host names none.
const DEFAULT_RESOLUTION_NS: i64 = 1000;
/// How far ahead `now` may jump where the host says nothing: an hour.
const DEFAULT_MAX_STEP_NS: i64 = 3600 * 1_000_000_000;

/// No limit on how far ahead. Times in range are at most one ns further apart.
const ANY_STEP: u64 = 2 * MAX_TIME_NS as u64 - 1;

/// No time: outside the range of all.
const NEVER: i64 = i64::MIN;

/// A present that has been checked but not accepted yet.
#[derive(Clone, Copy)]
pub(super) struct Now {
    ns: i64,
    regressed: bool,
    pub(super) tick: Tick,
}

impl Now {
    /// The same present for the further elements of one call, which is counted once.
    pub(super) fn again(self) -> Now {
        Now { regressed: false, ..self }
    }
}

pub(super) struct Clock {
    /// The largest `now` accepted, or NEVER.
    seen_ns: i64,
    seen_tick: Tick,
    resolution_ns: u64,
    /// A multiple of the resolution, at least 2^62: added to a time it gives a number that is not negative.
    origin_ns: u64,
    window_ticks: u64,
    /// The farthest that `now` may be ahead; ANY_STEP if it may be any distance.
    max_step_ns: u64,
    regressions: u64,
}

impl Clock {
    pub(super) fn new(options: &Options) -> Result<Clock, Error> {
        let resolution = match options.resolution_ns {
            0 => DEFAULT_RESOLUTION_NS,
            given => in_range("resolution_ns", given, 1)?,
        } as u64;
        let window = checked_window(options.window_ns)?;
        let max_step = max_step_of(options.max_clock_step_ns)?;
        Ok(Clock {
            seen_ns: NEVER,
            seen_tick: 0,
            resolution_ns: resolution,
            origin_ns: (MAX_TIME_NS as u64).next_multiple_of(resolution),
            window_ticks: window.div_ceil(resolution),
            max_step_ns: if max_step == 0 { ANY_STEP } else { max_step },
            regressions: 0,
        })
    }

    /// The ticks of a window, rounded up.
    pub(super) fn window_of(&self, window_ns: i64) -> Result<Tick, Error> {
        Ok(checked_window(window_ns)?.div_ceil(self.resolution_ns))
    }

    /// If this window is longer than the one there is: the tick from which on entries had not expired so far. If it is
    /// none: all of them have.
    pub(super) fn horizon_of(&self, window_ticks: Tick) -> Option<Tick> {
        if window_ticks == 0 && self.window_ticks > 0 {
            return Some(Tick::MAX);
        }
        let raises = window_ticks > self.window_ticks && self.seen_ns != NEVER;
        if raises { (self.seen_tick + 1).checked_sub(self.window_ticks) } else { None }
    }

    pub(super) fn set_window(&mut self, window_ticks: Tick) {
        self.window_ticks = window_ticks;
    }

    /// The window, in ns. Rounding up may have taken it beyond the largest one.
    pub(super) fn window_ns(&self) -> i64 {
        (self.window_ticks * self.resolution_ns).min(i64::MAX as u64) as i64
    }

    /// When an entry expires, in ns; as late as can be said, if that is later.
    pub(super) fn expiry_ns(&self, inserted: Tick) -> i64 {
        // A tick is a time from the origin; the sum of both times may be beyond 64 bits.
        let ns = i128::from(inserted + self.window_ticks) * i128::from(self.resolution_ns);
        i64::try_from(ns - i128::from(self.origin_ns)).unwrap_or(i64::MAX)
    }

    /// What `now_ns` counts as: the largest time seen if it is behind that. Changes nothing.
    #[inline(always)]
    pub(super) fn check(&self, now_ns: i64) -> Result<Now, Error> {
        // How far ahead it is; a huge number if it is behind, or if there was no time before and steps are limited.
        let ahead_ns = now_ns.wrapping_sub(self.seen_ns) as u64;
        if ahead_ns == 0 && now_ns != NEVER {
            return Ok(Now { ns: now_ns, regressed: false, tick: self.seen_tick });
        }
        if ahead_ns <= self.max_step_ns && is_in_range(now_ns) {
            return Ok(Now { ns: now_ns, regressed: false, tick: self.tick(now_ns) });
        }
        self.check_odd(now_ns)
    }

    /// The rest of `check`: a time that is the first, or behind, or the last after the first, or not allowed.
    #[cold]
    #[inline(never)]
    fn check_odd(&self, now_ns: i64) -> Result<Now, Error> {
        check_range("now_ns", now_ns)?;
        let seen_ns = self.seen_ns;
        if seen_ns == NEVER {
            return Ok(Now { ns: now_ns, regressed: false, tick: self.tick(now_ns) });
        }
        if now_ns < seen_ns {
            return Ok(Now { ns: seen_ns, regressed: true, tick: self.seen_tick });
        }
        if self.max_step_ns == ANY_STEP {
            return Ok(Now { ns: now_ns, regressed: false, tick: self.tick(now_ns) });
        }
        Err(Error::ClockStep { now_ns, seen_ns, max_step_ns: self.max_step_ns as i64 })
    }

    /// The same for a time that is in range and may be any step ahead.
    pub(super) fn check_any_step(&self, now_ns: i64) -> Now {
        if now_ns < self.seen_ns {
            return Now { ns: self.seen_ns, regressed: false, tick: self.seen_tick };
        }
        Now { ns: now_ns, regressed: false, tick: self.tick(now_ns) }
    }

    /// The present moves to `now`.
    #[inline]
    pub(super) fn accept(&mut self, now: Now) {
        self.seen_ns = now.ns;
        self.seen_tick = now.tick;
        self.regressions += u64::from(now.regressed);
    }

    /// Sets the present, backwards too and by any distance.
    pub(super) fn reset(&mut self, now_ns: i64) -> Result<(), Error> {
        check_range("now_ns", now_ns)?;
        self.seen_ns = now_ns;
        self.seen_tick = self.tick(now_ns);
        Ok(())
    }

    /// The tick of an insert time, which is not after `now`.
    #[inline]
    pub(super) fn insert_tick(&self, inserted_at_ns: i64, now: Now) -> Result<Tick, Error> {
        if inserted_at_ns == now.ns {
            return Ok(now.tick);
        }
        check_range("inserted_at_ns", inserted_at_ns)?;
        if inserted_at_ns > now.ns {
            return Err(Error::InsertedInFuture { inserted_at_ns, now_ns: now.ns });
        }
        Ok(self.tick(inserted_at_ns))
    }

    /// The largest `now` accepted, if any.
    pub(super) fn seen_ns(&self) -> Option<i64> {
        if self.seen_ns == NEVER { None } else { Some(self.seen_ns) }
    }

    /// The present, in ticks: that of the largest `now` accepted, or the beginning of time.
    pub(super) fn seen_tick(&self) -> Tick {
        self.seen_tick
    }

    pub(super) fn regressions(&self) -> u64 {
        self.regressions
    }

    #[inline(always)]
    pub(super) fn is_expired(&self, inserted: Tick, now: Tick) -> bool {
        now >= self.expiry(inserted)
    }

    /// The tick from which an entry of a tick is expired.
    #[inline(always)]
    pub(super) fn expiry(&self, inserted: Tick) -> Tick {
        // Neither sum nor tick overflows: a tick is below 2^63 + 2^62, a window at most 2^62.
        inserted + self.window_ticks
    }

    /// Whether an entry that is erased at `now` stays in the history: never with a window of 0, even where the
    /// clock was reset to a time before the insert.
    #[inline(always)]
    pub(super) fn is_remembered(&self, inserted: Tick, now: Tick) -> bool {
        !self.is_expired(inserted, now) && self.window_ticks != 0
    }

    /// The time at which a tick begins.
    pub(super) fn ns_of(&self, tick: Tick) -> i64 {
        (tick * self.resolution_ns).wrapping_sub(self.origin_ns) as i64
    }

    #[inline(always)]
    fn tick(&self, time_ns: i64) -> Tick {
        self.origin_ns.wrapping_add_signed(time_ns) / self.resolution_ns
    }
}

/// How far ahead a time may be, 0 for any distance.
pub(super) fn max_step_of(given: Option<i64>) -> Result<u64, Error> {
    Ok(given.map_or(Ok(DEFAULT_MAX_STEP_NS), |given| in_range("max_clock_step_ns", given, 0))? as u64)
}

fn checked_window(window_ns: i64) -> Result<u64, Error> {
    Ok(in_range("window_ns", window_ns, 0)? as u64)
}

fn in_range(what: &'static str, value: i64, min: i64) -> Result<i64, Error> {
    if (min..=MAX_TIME_NS).contains(&value) {
        return Ok(value);
    }
    Err(Error::OutOfRange { what, value: value.into(), min: min.into(), max: MAX_TIME_NS.into() })
}

#[inline(always)]
fn check_range(what: &'static str, time_ns: i64) -> Result<(), Error> {
    if is_in_range(time_ns) { Ok(()) } else { Err(Error::TimeRange { what, time_ns }) }
}

#[inline(always)]
fn is_in_range(time_ns: i64) -> bool {
    time_ns.unsigned_abs() <= MAX_TIME_NS as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(window_ns: i64, resolution_ns: i64, max_clock_step_ns: i64) -> Clock {
        let options = Options {
            window_ns,
            resolution_ns,
            max_clock_step_ns: Some(max_clock_step_ns),
            ..Options::default()
        };
        Clock::new(&options).unwrap()
    }

    #[test]
    fn rounds_times_down_and_the_window_up() {
        let clock = clock(25, 10, 0);
        assert_eq!(clock.ns_of(clock.tick(-1)), -10);
        assert_eq!(clock.ns_of(clock.tick(19)), 10);
        let inserted = clock.tick(19); // counts as 10, window 30
        assert!(!clock.is_expired(inserted, clock.tick(39)));
        assert!(clock.is_expired(inserted, clock.tick(40)));
    }

    #[test]
    fn the_extremes_fit() {
        for resolution in [1, 3, 1000, MAX_TIME_NS] {
            let clock = clock(MAX_TIME_NS, resolution, 0);
            let (first, last) = (clock.tick(-MAX_TIME_NS), clock.tick(MAX_TIME_NS));
            assert!(first <= last);
            assert!(clock.ns_of(first) <= -MAX_TIME_NS);
            let _ = clock.is_expired(last, last);
        }
        let mut clock = clock(1, 1, 0);
        assert!(clock.check(MAX_TIME_NS + 1).is_err());
        for (seen_ns, now_ns) in [(-MAX_TIME_NS, MAX_TIME_NS), (MAX_TIME_NS, -MAX_TIME_NS)] {
            clock.reset(seen_ns).unwrap();
            let now = clock.check(now_ns).unwrap();
            assert_eq!((now.ns, now.regressed), (MAX_TIME_NS, now_ns < seen_ns));
            assert!(clock.check(i64::MIN).is_err() && clock.check(i64::MAX).is_err());
        }
    }

    #[test]
    fn time_never_goes_back_and_never_leaps() {
        let mut clock = clock(100, 1, 50);
        clock.accept(clock.check(1000).unwrap());
        let back = clock.check(10).unwrap();
        assert_eq!((back.ns, back.regressed), (1000, true));
        clock.accept(back);
        assert_eq!(clock.regressions(), 1);
        assert!(clock.check(1050).is_ok());
        assert!(matches!(clock.check(1051), Err(Error::ClockStep { .. })));
        clock.reset(9_000_000).unwrap();
        assert!(clock.check(9_000_050).is_ok());
    }
}
