//! Abstract operations, and how they become numbers.
//!
//! An operation speaks of "the tracker number 3" and "as much as brings its parent to one byte below its limit". Only
//! when it is carried out is it made into a call, by looking at the model.

use super::meter::{Id, Meter, percent_of, threshold};
use queuecore::usage::{MAX_AMOUNT, MAX_LEVEL, MAX_LIMIT, Marks};

/// A choice among however many there are.
pub type Pick = u8;

/// A tracker that has a handle, counted around.
#[derive(Clone, Copy, Debug)]
pub struct Which(pub Pick);

/// A level of the path of a tracker, counted around from the tracker up.
#[derive(Clone, Copy, Debug)]
pub struct Level(pub Pick);

/// How much. What is relative to a level that is unlimited is relative to 1 MiB.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    Bytes(u64),
    /// So many 1024ths of the limit of a level.
    Part(Level, u8),
    /// As much as brings a level to the first byte of this percent, and so many bytes beside it.
    To(Level, u16, i8),
    /// As much as brings a level to the next step of its percent in the direction of the call.
    Step(Level, i8),
    /// As much as brings a level to its limit.
    Limit(Level, i8),
    /// As much as brings the own share to zero.
    Zero(i8),
    Power(u8, i8),
    /// As much as brings a level to the end of the range, or 2^56 towards it.
    End(Level, i8),
    /// More than is allowed.
    Excess(u64),
}

/// What a limit is set to.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    Bytes(u64),
    Power(u8, i8),
    /// What makes the usage as it is this percent, or so many bytes beside.
    UsageAt(u16, i8),
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Op {
    Increase(Which, Amount),
    Decrease(Which, Amount),
    /// So many equal small changes, the first ones up, each of them looked at. Pulls back as often if it is to.
    Burst {
        which: Which,
        bytes: u32,
        count: u8,
        is_down: bool,
        and_back: bool,
    },
    TryReserve(Which, Amount),
    ReserveAtOnce(Which, Amount),
    WaitAtOnce(Which, i32),
    Notify(Which),
    SetUsage(Which, Amount, bool),
    SetLimit(Which, Limit),
    SetShare(Which, u32),
    SetMinDelta(Which, u32),
    SetMarks(Which, Option<Marks>),
    UsageExact(Which),
    ReadPercent(Which, u8),
    ReadFull(Which, u8, i32),
    Listen(Which),
    Keep(Which),
    Clear(Which),
    Poll(Which, u8),
    Child(Which, Limit, u32, u32),
    Destroy(Which),
    Stop(Which),
    Start(Which),
}

impl Which {
    pub fn resolve(self, meter: &Meter) -> Id {
        let count = meter.with_handles().count();
        meter.with_handles().nth(usize::from(self.0) % count).expect("one at least")
    }
}

impl Level {
    fn resolve(self, meter: &Meter, at: Id) -> Id {
        let path = meter.path(at);
        path[usize::from(self.0) % path.len()]
    }
}

/// A number beside another one, within what a call takes.
fn beside(value: i128, by: i8) -> u64 {
    (value + i128::from(by)).clamp(0, i128::from(MAX_AMOUNT)) as u64
}

fn limit_or_some(meter: &Meter, level: Id) -> i64 {
    match meter.nodes[level].limit {
        0 => 1 << 20,
        limit => limit,
    }
}

impl Amount {
    /// The bytes of a call at a tracker that goes up, or down.
    pub fn resolve(self, meter: &Meter, at: Id, is_down: bool) -> u64 {
        // How far up or down it is from a level to another one.
        let way = |level: Id, to: i128| {
            let way = to - i128::from(meter.usage(level));
            if is_down { -way } else { way }
        };
        match self {
            Amount::Bytes(bytes) => bytes.min(MAX_AMOUNT as u64),
            Amount::Part(level, part) => {
                let limit = limit_or_some(meter, level.resolve(meter, at));
                beside(i128::from(limit) * i128::from(part) / 1024, 0)
            }
            Amount::To(level, percent, by) => {
                let level = level.resolve(meter, at);
                let to = threshold(percent.into(), limit_or_some(meter, level), meter.nodes[level].delta);
                beside(way(level, to), by)
            }
            Amount::Step(level, by) => {
                let level = level.resolve(meter, at);
                let (limit, delta) = (limit_or_some(meter, level), meter.nodes[level].delta);
                let percent = i64::from(percent_of(meter.usage(level), limit, delta));
                let to = if is_down {
                    threshold(percent.max(1), limit, delta) - 1
                } else {
                    threshold(percent.max(0) + 1, limit, delta)
                };
                beside(way(level, to), by)
            }
            Amount::Limit(level, by) => {
                let level = level.resolve(meter, at);
                beside(way(level, limit_or_some(meter, level).into()), by)
            }
            Amount::Zero(by) => beside(i128::from(meter.nodes[at].own).abs(), by),
            Amount::Power(power, by) => beside(1 << (power % 57), by),
            Amount::End(level, by) => {
                let end = i128::from(MAX_LEVEL);
                beside(way(level.resolve(meter, at), if is_down { -end } else { end }), by)
            }
            Amount::Excess(bytes) => bytes.max(MAX_AMOUNT as u64 + 1),
        }
    }
}

impl Limit {
    pub fn resolve(self, meter: &Meter, at: Id) -> u64 {
        match self {
            Limit::Bytes(bytes) => bytes,
            Limit::Power(power, by) => {
                ((1_i128 << (power % 63)) + i128::from(by)).clamp(0, i128::from(MAX_LIMIT) + 1) as u64
            }
            Limit::UsageAt(percent, by) => {
                let limit = i128::from(meter.usage(at)) * 100 / i128::from(percent.max(1));
                (limit + i128::from(by)).clamp(1, i128::from(MAX_LIMIT)) as u64
            }
        }
    }
}
