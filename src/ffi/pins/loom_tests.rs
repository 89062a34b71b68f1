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
        let object = self.table.look(handle, Kind::Usage)?;
        // SAFETY: `publish` above put it there, and it is never given back.
        let object = unsafe { &*object.cast::<Object>() };
        // SAFETY: loom checks that nobody writes meanwhile.
        Ok(object.0.with(|number| unsafe { *number }))
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

fn free(object: *mut ()) {
    // SAFETY: `publish` put it there, and it is never given back.
    let object = unsafe { &*object.cast::<Object>() };
    // SAFETY: loom checks that this is the only access.
    object.0.with_mut(|number| unsafe { *number = FREED });
}

fn name(thread: u64) -> u64 {
    ThreadId::made_up(thread).to_bits()
}

/// A call finds the object whole, or is refused; destroy frees after it.
#[test]
fn loom_destroy_waits_for_a_call() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let caller = {
            let house = house.clone();
            thread::spawn(move || {
                let record = house.pins.register(name(1)).expect("there is memory");
                house.call(record, handle)
            })
        };
        assert_eq!(house.destroy(handle, 2), Ok(()));
        let answer = caller.join().expect("no panic");
        assert!(matches!(answer, Ok(ALIVE) | Err(Refusal::Busy | Refusal::Destroyed)), "{answer:?}");
    });
}

/// Two calls of one thread, one after the other: a later call of a thread never keeps destroy waiting for good, and once
/// one was refused all are.
#[test]
fn loom_once_refused_always_refused() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let caller = {
            let house = house.clone();
            thread::spawn(move || {
                let record = house.pins.register(name(1)).expect("there is memory");
                (house.call(record, handle), house.call(record, handle))
            })
        };
        assert_eq!(house.destroy(handle, 2), Ok(()));
        let (first, second) = caller.join().expect("no panic");
        assert!(first.is_ok() || second.is_err(), "{first:?} {second:?}");
    });
}

/// A call within a call keeps destroy waiting to the end of the outer one.
#[test]
fn loom_destroy_waits_for_the_outermost_call() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        let caller = {
            let house = house.clone();
            thread::spawn(move || {
                let record = house.pins.register(name(1)).expect("there is memory");
                let outer = record.enter();
                let before = house.table.look(handle, Kind::Usage);
                let inner = record.enter();
                assert_eq!(inner.leave(), None);
                if let Ok(object) = before {
                    // SAFETY: `publish` put it there, and it is never given back.
                    let object = unsafe { &*object.cast::<Object>() };
                    // SAFETY: loom checks that nobody writes meanwhile.
                    assert_eq!(object.0.with(|number| unsafe { *number }), ALIVE);
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
fn loom_destroys_from_within_calls_do_not_wait_for_each_other() {
    loom::model(|| {
        let house = House::new();
        let handles = [house.publish(), house.publish()];
        let destroyer = |house: Arc<House>, thread: u64, own: usize, other: usize| {
            let record = house.pins.register(name(thread)).expect("there is memory");
            let pin = record.enter();
            let own = house.read(own);
            assert!(matches!(own, Ok(ALIVE) | Err(Refusal::Busy | Refusal::Destroyed)), "{own:?}");
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
        let [mine, theirs] = handles;
        let other = {
            let house = house.clone();
            thread::spawn(move || destroyer(house, 1, theirs, mine))
        };
        destroyer(house, 2, mine, theirs);
        other.join().expect("no panic");
    });
}

/// A slot that is used again beside a call with the old handle: the call reads the old object whole, or is refused, and
/// never gets the new one.
#[test]
fn loom_a_stale_call_meets_destroy_and_reuse() {
    loom::model(|| {
        let house = House::new();
        let old = house.publish();
        let caller = {
            let house = house.clone();
            thread::spawn(move || {
                let record = house.pins.register(name(1)).expect("there is memory");
                house.call(record, old)
            })
        };
        assert_eq!(house.destroy(old, 2), Ok(()));
        let new = house.publish();
        let record = house.pins.register(name(2)).expect("there is memory");
        assert_eq!(house.call(record, new), Ok(ALIVE));
        assert_eq!(house.call(record, old), Err(Refusal::Destroyed));
        let answer = caller.join().expect("no panic");
        assert!(matches!(answer, Ok(ALIVE) | Err(Refusal::Busy | Refusal::Destroyed)), "{answer:?}");
    });
}

/// A record that goes from one thread to the next: destroy waits for whoever has it.
#[test]
fn loom_a_record_that_changes_its_owner() {
    loom::model(|| {
        let house = House::new();
        let handle = house.publish();
        house.pins.register(name(1)).expect("there is memory").release();
        let callers: Vec<_> = (1..3)
            .map(|thread| {
                let house = house.clone();
                thread::spawn(move || {
                    let record = house.pins.register(name(thread)).expect("there is memory");
                    let answer = house.call(record, handle);
                    record.release();
                    answer
                })
            })
            .collect();
        assert_eq!(house.destroy(handle, 3), Ok(()));
        for caller in callers {
            let answer = caller.join().expect("no panic");
            assert!(matches!(answer, Ok(ALIVE) | Err(Refusal::Busy | Refusal::Destroyed)), "{answer:?}");
        }
    });
}
