//! Abstract operations, and how they become calls.
//!
//! An operation speaks of "the entry number 3 from the oldest" or "one grain before the expiry of some record".
//! Only when it is carried out is it made into a call with real handles and times, by looking at the model. So a
//! shrinker may drop operations from the middle of a sequence and the rest still means something.

use super::call::{Call, EntryRef, Id};
use super::reference::Model;
use super::setup::{key, scramble};
use super::transfer::Transferred;
use queuecore::history::{Key, MAX_TIME_NS};

/// A choice among however many there are.
pub type Pick = u8;
/// A key, as a number within the key space.
pub type Key8 = u8;

/// The present of a call, relative to the largest time seen (0 before any).
#[derive(Clone, Copy, Debug)]
pub enum Now {
    Same,
    /// So many ns later; negative: earlier.
    ByNs(i16),
    /// So many grains later; negative: earlier.
    ByTicks(i8),
    /// So many 32nds of the window later; negative: earlier.
    ByWindow(i8),
    /// At the expiry of some record of the log, or so many ns beside it.
    Expiry(Pick, i8),
    /// As far ahead as the clock may jump, or so many ns beside that.
    Jump(i8),
    /// At an end of the range of times, or so many ns beside it.
    End(bool, i8),
    /// Any number at all.
    Any(i64),
}

/// The insert time of an entry, relative to the time that the call happens at.
#[derive(Clone, Copy, Debug)]
pub enum At {
    Now,
    /// So many ns before; negative: after, which is refused.
    AgoNs(i16),
    /// So many grains before.
    AgoTicks(u8),
    /// So many 32nds of the window before: from 32 on it is expired on arrival.
    AgoWindow(u8),
    /// At an end of the range of times, or so many ns beside it.
    End(bool, i8),
}

/// Another window.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// So many 32nds of the one there is.
    Times(u8),
    /// So many ns.
    Ns(i64),
}

/// Which entry a call is about.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// The live one at this place, counted around.
    Live(Pick),
    /// Any that was ever added.
    Ever(u16),
    /// A handle made by turning one bit of a real one.
    Forged(u16, u8),
    Foreign(u64),
}

/// An abstract operation.
#[derive(Clone, Debug)]
pub enum Op {
    Insert { key: Key8, at: At, now: Now, readmit: bool, with_value: bool },
    InsertBatch { items: Vec<(Key8, At)>, now: Now, readmit: bool, with_values: bool, with_times: bool },
    Forget(Which),
    ForgetKey(Key8),
    Contains(Key8, Now),
    ContainsBatch(Vec<Key8>, Now),
    Erase(Which, Now),
    EraseKey(Key8, Now),
    EraseBatch(Vec<Which>, Now),
    EraseAllLive(Now),
    Gc(Now, u8),
    Clear,
    ClearStep(u8),
    SetWindow(Window),
    NextFrom(Key8),
    Import { items: Vec<(Key8, At, bool)>, now: Now, shift_ns: i8 },
    ClockReset(Now),
    SetValue(Which, u8),
    Look(Which),
}

fn saturate(time_ns: i128) -> i64 {
    i64::try_from(time_ns).unwrap_or(if time_ns < 0 { i64::MIN } else { i64::MAX })
}

fn end(positive: bool, beside_ns: i8) -> i128 {
    i128::from(if positive { MAX_TIME_NS } else { -MAX_TIME_NS }) + i128::from(beside_ns)
}

impl Op {
    /// The call that this operation means to a history in the model's state.
    pub fn resolve(&self, model: &Model) -> Call {
        let entry = |which| resolve_entry(model, which);
        let now = |now| resolve_now(model, now);
        match self {
            Op::Insert { key, at, now: when, readmit, with_value } => {
                let now_ns = now(*when);
                Call::Insert {
                    key: resolve_key(model, *key),
                    value: if *with_value { value(model, u64::from(*key), 1) } else { Vec::new() },
                    inserted_at_ns: resolve_at(model, now_ns, *at),
                    now_ns,
                    readmit: *readmit,
                }
            }
            Op::InsertBatch { items, now: when, readmit, with_values, with_times } => {
                let now_ns = now(*when);
                let times = items.iter().map(|&(_, at)| resolve_at(model, now_ns, at));
                Call::InsertBatch {
                    keys: items.iter().map(|&(key, _)| resolve_key(model, key)).collect(),
                    values: if *with_values { value(model, now_ns as u64, items.len()) } else { Vec::new() },
                    inserted_at_ns: if *with_times { times.collect() } else { Vec::new() },
                    now_ns,
                    readmit: *readmit,
                }
            }
            Op::Forget(which) => Call::Forget { entry: entry(*which) },
            Op::ForgetKey(key) => Call::ForgetKey { key: resolve_key(model, *key) },
            Op::Contains(key, when) => Call::Contains { key: resolve_key(model, *key), now_ns: now(*when) },
            Op::ContainsBatch(keys, when) => Call::ContainsBatch {
                keys: keys.iter().map(|&key| resolve_key(model, key)).collect(),
                now_ns: now(*when),
            },
            Op::Erase(which, when) => Call::Erase { entry: entry(*which), now_ns: now(*when) },
            Op::EraseKey(key, when) => Call::EraseKey { key: resolve_key(model, *key), now_ns: now(*when) },
            Op::EraseBatch(entries, when) => Call::EraseBatch {
                entries: entries.iter().map(|&which| entry(which)).collect(),
                now_ns: now(*when),
            },
            Op::EraseAllLive(when) => Call::EraseAllLive { now_ns: now(*when) },
            Op::Gc(when, max) => Call::Gc { now_ns: now(*when), max: u64::from(*max) },
            Op::Clear => Call::Clear,
            Op::ClearStep(max) => Call::ClearStep { max: u64::from(*max) },
            Op::SetWindow(Window::Ns(window_ns)) => Call::SetWindow { window_ns: *window_ns },
            Op::SetWindow(Window::Times(times)) => {
                let window_ns = i128::from(model.setup.window_ns) * i128::from(*times) / 32;
                Call::SetWindow { window_ns: saturate(window_ns).min(MAX_TIME_NS) }
            }
            Op::NextFrom(key) => Call::NextFrom { key: resolve_key(model, *key) },
            Op::Import { items, now: when, shift_ns } => {
                let now_ns = now(*when);
                let record = |&(key, at, is_live): &(Key8, At, bool)| Transferred {
                    key: resolve_key(model, key),
                    // An insert time out of range is no buffer, which is tested elsewhere.
                    inserted_at_ns: resolve_at(model, now_ns, at)
                        .saturating_sub(i64::from(*shift_ns))
                        .clamp(-MAX_TIME_NS, MAX_TIME_NS),
                    value: is_live.then(|| value(model, u64::from(key), 1)),
                };
                let shift_ns = i64::from(*shift_ns);
                Call::Import { records: items.iter().map(record).collect(), now_ns, shift_ns }
            }
            Op::ClockReset(when) => Call::ClockReset { now_ns: now(*when) },
            Op::SetValue(which, seed) => {
                Call::SetValue { entry: entry(*which), value: value(model, u64::from(*seed), 1) }
            }
            Op::Look(which) => Call::Look { entry: entry(*which) },
        }
    }
}

fn resolve_key(model: &Model, number: Key8) -> Key {
    key(u64::from(number) % model.setup.key_space.max(1))
}

/// `count` values on end, filled from a seed.
fn value(model: &Model, seed: u64, count: usize) -> Vec<u8> {
    (0..model.setup.value_size * count).map(|at| scramble(seed.wrapping_add(at as u64)) as u8).collect()
}

fn resolve_now(model: &Model, now: Now) -> i64 {
    let seen_ns = i128::from(model.seen_ns().unwrap_or(0));
    let grain_ns = i128::from(model.setup.grain_ns());
    saturate(match now {
        Now::Same => seen_ns,
        Now::ByNs(by) => seen_ns + i128::from(by),
        Now::ByTicks(by) => seen_ns + i128::from(by) * grain_ns,
        Now::ByWindow(by) => seen_ns + i128::from(model.setup.window_ns) * i128::from(by) / 32,
        Now::Expiry(pick, beside_ns) => {
            let tick = model.log().nth_around(usize::from(pick)).map(|record| record.tick);
            let expiry = tick.map(|tick| (tick + model.window_ticks()) * grain_ns);
            expiry.unwrap_or(seen_ns) + i128::from(beside_ns)
        }
        Now::Jump(beside_ns) => {
            seen_ns + i128::from(model.setup.clock_step_ns().unwrap_or(1 << 40)) + i128::from(beside_ns)
        }
        Now::End(positive, beside_ns) => end(positive, beside_ns),
        Now::Any(time_ns) => i128::from(time_ns),
    })
}

fn resolve_at(model: &Model, now_ns: i64, at: At) -> i64 {
    let now_ns = i128::from(model.effective_now_ns(now_ns));
    saturate(match at {
        At::Now => now_ns,
        At::AgoNs(by) => now_ns - i128::from(by),
        At::AgoTicks(by) => now_ns - i128::from(by) * i128::from(model.setup.grain_ns()),
        At::AgoWindow(by) => now_ns - i128::from(model.setup.window_ns) * i128::from(by) / 32,
        At::End(positive, beside_ns) => end(positive, beside_ns),
    })
}

fn resolve_entry(model: &Model, which: Which) -> EntryRef {
    let ever = |pick: u16| Id::from(pick).checked_rem(model.ids_given());
    match which {
        Which::Live(pick) => {
            let at = u64::from(pick).checked_rem(model.live_len()).unwrap_or(0) as usize;
            model.live().nth(at).map_or(EntryRef::Foreign(u64::from(pick)), |(id, _)| EntryRef::Given(id))
        }
        Which::Ever(pick) => ever(pick).map_or(EntryRef::Foreign(u64::from(pick)), EntryRef::Given),
        Which::Forged(pick, bit) => ever(pick).map_or(EntryRef::Foreign(u64::from(pick)), |id| {
            EntryRef::Forged(id, 1 << (u32::from(bit) % 64))
        }),
        Which::Foreign(bits) => EntryRef::Foreign(bits),
    }
}
