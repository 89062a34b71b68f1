//! Drives the real history and the naive model with the same calls, made from the fuzzer's bytes.

#![no_main]

// One model for tests and fuzzing.
#[path = "../../tests/model/mod.rs"]
mod model;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use model::operation::Which;
use model::{At, Now, Op, Pair, Setup};
use queuecore::history::{GcPolicy, MAX_TIME_NS, Overflow, Visibility};

/// One run: the options, and what is done with them.
#[derive(Debug)]
struct Run {
    setup: Setup,
    ops: Vec<Op>,
}

impl<'a> Arbitrary<'a> for Run {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Run> {
        let setup = setup(bytes)?;
        let mut ops = Vec::new();
        while !bytes.is_empty() && ops.len() < 2000 {
            ops.push(operation(bytes)?);
        }
        Ok(Run { setup, ops })
    }
}

fn setup(bytes: &mut Unstructured) -> Result<Setup> {
    Ok(Setup {
        window_ns: *bytes.choose(&[0, 1, 5, 100, 3000, 1_000_000, MAX_TIME_NS])?,
        value_size: *bytes.choose(&[0, 1, 8, 16, 24])?,
        resolution_ns: *bytes.choose(&[1, 7, 0, 333])?,
        max_clock_step_ns: *bytes.choose(&[None, Some(0), Some(1), Some(700)])?,
        max_entries: u64::from(u8::arbitrary(bytes)? % 24),
        max_history: u64::from(u8::arbitrary(bytes)? % 12),
        overflow: if bool::arbitrary(bytes)? { Overflow::Reject } else { Overflow::EvictOldest },
        visibility: *bytes.choose(&[Visibility::UntilExpiry, Visibility::UntilCollected])?,
        gc: match u8::arbitrary(bytes)? % 8 {
            0 | 1 => GcPolicy::Scheduled,
            2 | 3 => GcPolicy::OnDemand { batch: bytes.int_in_range(1..=12)? },
            _ => GcPolicy::Steady { step: bytes.int_in_range(1..=6)? },
        },
        seed: u64::arbitrary(bytes)?,
        key_space: bytes.int_in_range(2..=64)?,
    })
}

fn now(bytes: &mut Unstructured) -> Result<Now> {
    Ok(match u8::arbitrary(bytes)? % 16 {
        0..6 => Now::Same,
        6 | 7 => Now::ByNs(i16::arbitrary(bytes)?),
        8 | 9 => Now::ByTicks(i8::arbitrary(bytes)?),
        10 | 11 => Now::ByWindow(i8::arbitrary(bytes)?),
        12 | 13 => Now::Expiry(u8::arbitrary(bytes)?, bytes.int_in_range(-1..=1)?),
        14 => Now::Jump(bytes.int_in_range(-1..=1)?),
        _ => match u8::arbitrary(bytes)? {
            0 => Now::End(bool::arbitrary(bytes)?, bytes.int_in_range(-1..=1)?),
            1 => Now::Any(i64::arbitrary(bytes)?),
            _ => Now::Same,
        },
    })
}

fn at(bytes: &mut Unstructured) -> Result<At> {
    Ok(match u8::arbitrary(bytes)? % 16 {
        0..6 => At::Now,
        6 | 7 => At::AgoNs(i16::arbitrary(bytes)?),
        8..11 => At::AgoTicks(u8::arbitrary(bytes)?),
        11..15 => At::AgoWindow(u8::arbitrary(bytes)?),
        _ => At::End(bool::arbitrary(bytes)?, bytes.int_in_range(-1..=1)?),
    })
}

fn which(bytes: &mut Unstructured) -> Result<Which> {
    Ok(match u8::arbitrary(bytes)? % 16 {
        0..12 => Which::Live(u8::arbitrary(bytes)?),
        12 | 13 => Which::Ever(u16::arbitrary(bytes)?),
        14 => Which::Forged(u16::arbitrary(bytes)?, u8::arbitrary(bytes)?),
        _ => Which::Foreign(u64::arbitrary(bytes)?),
    })
}

/// Up to 16 of something, and one at least.
fn several<T>(bytes: &mut Unstructured, one: fn(&mut Unstructured) -> Result<T>) -> Result<Vec<T>> {
    let count = bytes.int_in_range(1..=16)?;
    (0..count).map(|_| one(bytes)).collect()
}

fn operation(bytes: &mut Unstructured) -> Result<Op> {
    Ok(match u8::arbitrary(bytes)? % 64 {
        0..22 => Op::Insert {
            key: u8::arbitrary(bytes)?,
            at: at(bytes)?,
            now: now(bytes)?,
            readmit: u8::arbitrary(bytes)? % 4 == 0,
            with_value: bool::arbitrary(bytes)?,
        },
        22..26 => Op::InsertBatch {
            items: several(bytes, |bytes| Ok((u8::arbitrary(bytes)?, at(bytes)?)))?,
            now: now(bytes)?,
            readmit: u8::arbitrary(bytes)? % 4 == 0,
            with_values: bool::arbitrary(bytes)?,
            with_times: bool::arbitrary(bytes)?,
        },
        26..28 => Op::Forget(which(bytes)?),
        28..30 => Op::ForgetKey(u8::arbitrary(bytes)?),
        30..32 => Op::Contains(u8::arbitrary(bytes)?, now(bytes)?),
        32..34 => Op::ContainsBatch(several(bytes, |bytes| u8::arbitrary(bytes))?, now(bytes)?),
        34..46 => Op::Erase(which(bytes)?, now(bytes)?),
        46..50 => Op::EraseKey(u8::arbitrary(bytes)?, now(bytes)?),
        50..53 => Op::EraseBatch(several(bytes, which)?, now(bytes)?),
        53..57 => Op::Gc(now(bytes)?, u8::arbitrary(bytes)?),
        57 => Op::EraseAllLive(now(bytes)?),
        58 => Op::Clear,
        59 => Op::ClockReset(now(bytes)?),
        60 | 61 => Op::SetValue(which(bytes)?, u8::arbitrary(bytes)?),
        _ => Op::Look(which(bytes)?),
    })
}

fuzz_target!(|run: Run| {
    let mut pair = Pair::new(run.setup);
    for (step, op) in run.ops.iter().enumerate() {
        pair.run(op);
        if step % 8 == 7 {
            pair.compare();
        }
    }
    pair.compare();
});
