//! Destroy against use under every interleaving that loom can make:
//! `RUSTFLAGS="--cfg loom" cargo test --release --lib loom_tests`.
//!
//! The object is a loom cell, which fails the model if it is read after, or while, it is freed. The models break if one
//! half of the barrier is left out, if an ordering is weakened, or if destroy does not wait. Here destroy and use go
//! through the real table of handles.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

use super::super::handle::{Kind, Refusal, Table};
use super::*;
use crate::sync::ThreadId;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use std::ptr::NonNull;

/// What calls read and destroy writes to. Leaked: a model is short.
struct Object(UnsafeCell<u64>);

// SAFETY: that writing excludes reading is what the models check.
unsafe impl Sync for Object {}
// SAFETY: it is a number.
unsafe impl Send for Object {}

const ALIVE: u64 = 7;
const FREED: u64 = 0;

struct House {
    table: Table,
    pins: Pins,
}

impl House {
    fn new() -> Arc<House> {
        Arc::new(House { table: Table::new(), pins: Pins::new() })
    }

    fn publish(&self) -> usize {
        let object: &'static Object = Box::leak(Box::new(Object(UnsafeCell::new(ALIVE))));
        self.table.publish(Kind::Usage, NonNull::from_ref(object).cast()).expect("there is room")
    }

    /// What a call on the handle reads.
    fn read(&self, handle: usize) -> Result<u64, Refusal> {
        self.table.look(handle, Kind::Usage).map(read)
    }

    /// A record that its thread has had for long.
    fn record(&self, thread: u64) -> &'static Record {
        self.pins.register(ThreadId::made_up(thread).to_bits()).expect("there is memory")
    }

    fn call(&self, record: &Record, handle: usize) -> Result<u64, Refusal> {
        let pin = record.enter();
        let answer = self.read(handle);
        assert_eq!(pin.leave(), None);
        answer
    }

    /// Makes the handle stale, waits, frees.
    fn destroy(&self, handle: usize, thread: u64) -> Result<(), Refusal> {
        let inside = self.table.enter_to_destroy(handle, Kind::Usage, ThreadId::made_up(thread))?;
        assert!(self.pins.wait_for_all());
        free(inside.object());
        self.table.retire(inside);
        Ok(())
    }
}

fn read(object: *mut ()) -> u64 {
    // SAFETY: `publish` put it there, and it is never given back.
    let object = unsafe { &*object.cast::<Object>() };
    // SAFETY: loom checks that nobody writes meanwhile.
    object.0.with(|number| unsafe { *number })
}

fn is_whole_or_refused(answer: Result<u64, Refusal>) -> bool {
    matches!(answer, Ok(ALIVE) | Err(Refusal::Busy | Refusal::Destroyed))
}

fn free(object: *mut ()) {
    // SAFETY: `publish` put it there, and it is never given back.
    let object = unsafe { &*object.cast::<Object>() };
    // SAFETY: loom checks that this is the only access.
    object.0.with_mut(|number| unsafe { *number = FREED });
}

/// A thread's very first call beside a destroy: the record that it links meanwhile is seen, or the call is refused.
#[test]
fn destroy_waits_for_a_first_call() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let caller = {
            let house = house.clone();
            thread::spawn(move || house.call(house.record(1), handle))
        };
        assert_eq!(house.destroy(handle, 2), Ok(()));
        let answer = caller.join().expect("no panic");
        assert!(is_whole_or_refused(answer), "{answer:?}");
    });
}

/// Two calls of one thread, one after the other: a later call never keeps destroy waiting for good, and once one was
/// refused all are.
#[test]
fn once_refused_always_refused() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let record = house.record(1);
        let caller = {
            let house = house.clone();
            thread::spawn(move || (house.call(record, handle), house.call(record, handle)))
        };
        assert_eq!(house.destroy(handle, 2), Ok(()));
        let (first, second) = caller.join().expect("no panic");
        assert!(first.is_ok() || second.is_err(), "{first:?} {second:?}");
    });
}

/// A call within a call keeps destroy waiting to the end of the outer one.
#[test]
fn destroy_waits_for_the_outermost_call() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let record = house.record(1);
        let caller = {
            let house = house.clone();
            thread::spawn(move || {
                let outer = record.enter();
                let found = house.table.look(handle, Kind::Usage);
                assert_eq!(record.enter().leave(), None);
                if let Ok(object) = found {
                    assert_eq!(read(object), ALIVE);
                }
                assert_eq!(outer.leave(), None);
            })
        };
        assert_eq!(house.destroy(handle, 2), Ok(()));
        caller.join().expect("no panic");
    });
}

/// Two threads that each destroy the other's object from within a call: each leaves it to the end of its own call, so
/// neither waits for the other, and each object is freed after the last call on it.
#[test]
fn destroys_from_within_calls_do_not_wait_for_each_other() {
    loom::model(|| {
        let house = House::new();
        let [mine, theirs] = [house.publish(), house.publish()];
        let records = [house.record(1), house.record(2)];
        let destroyer = |house: Arc<House>, thread: u64, record: &Record, own: usize, other: usize| {
            let pin = record.enter();
            let answer = house.read(own);
            assert!(is_whole_or_refused(answer), "{answer:?}");
            let me = ThreadId::made_up(thread);
            let inside =
                house.table.enter_to_destroy(other, Kind::Usage, me).expect("nobody else destroys it");
            assert!(record.is_inside());
            assert_eq!(record.defer(house.table.defer(inside, 0)), 0);
            let deferred = pin.leave().expect("this was the outermost call");
            assert!(house.pins.wait_for_all());
            let (inside, rest) = house.table.resume(deferred).expect("it was deferred");
            assert_eq!(rest, 0);
            free(inside.object());
            house.table.retire(inside);
        };
        let other = {
            let house = house.clone();
            thread::spawn(move || destroyer(house, 1, records[0], theirs, mine))
        };
        destroyer(house, 2, records[1], mine, theirs);
        other.join().expect("no panic");
    });
}

/// A slot that is used again beside a call with the old handle: the call reads the old object whole, or is refused, and
/// never gets the new one.
#[test]
fn a_stale_call_meets_destroy_and_reuse() {
    loom::model(|| {
        let house = House::new();
        let old = house.publish();
        let record = house.record(1);
        let caller = {
            let house = house.clone();
            thread::spawn(move || house.call(record, old))
        };
        assert_eq!(house.destroy(old, 2), Ok(()));
        let new = house.publish();
        assert_eq!(house.read(new), Ok(ALIVE));
        assert_eq!(house.read(old), Err(Refusal::Destroyed));
        let answer = caller.join().expect("no panic");
        assert!(is_whole_or_refused(answer), "{answer:?}");
    });
}

/// A record that goes from a thread that ended to the next: destroy waits for whoever has it.
#[test]
fn a_record_that_changes_its_owner() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let record = house.record(1);
        let callers: Vec<_> = (7..9)
            .map(|thread| {
                let house = house.clone();
                loom::thread::spawn(move || {
                    let is_mine = record.take_over(ThreadId::made_up(thread).to_bits());
                    let answer = if is_mine { house.call(record, handle) } else { Err(Refusal::Busy) };
                    if is_mine {
                        record.release();
                    }
                    answer
                })
            })
            .collect();
        record.release();
        assert_eq!(house.destroy(handle, 3), Ok(()));
        for caller in callers {
            let answer = caller.join().expect("no panic");
            assert!(is_whole_or_refused(answer), "{answer:?}");
        }
    });
}

/// A thread that guesses a handle before it is given out finds the whole object or none.
#[test]
fn a_guesser_finds_a_whole_object() {
    loom::model(|| {
        let guess = House::new().publish();
        let house = House::new();
        let record = house.record(1);
        let guesser = {
            let house = house.clone();
            thread::spawn(move || house.call(record, guess))
        };
        assert_eq!(house.publish(), guess);
        let answer = guesser.join().expect("no panic");
        assert!(matches!(answer, Ok(ALIVE) | Err(Refusal::Foreign)), "{answer:?}");
    });
}
