//! The table's invariants under every interleaving that loom can make:
//! `RUSTFLAGS="--cfg loom" cargo test --release --lib loom_tests`.
//!
//! Each object is a loom cell, which fails the model if two threads touch it at once, or if one reads it without
//! having acquired what another wrote. The models break if an ordering in the table is weakened or a check is left
//! out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// An object that tells loom of each access. Leaked: a table never frees, and a model is short.
struct Object(UnsafeCell<u64>);

// SAFETY: that accesses do not overlap is what the models check.
unsafe impl Sync for Object {}
// SAFETY: it is a number.
unsafe impl Send for Object {}

fn publish(table: &Table, start: u64) -> usize {
    let object: &'static Object = Box::leak(Box::new(Object(UnsafeCell::new(start))));
    table.publish(Kind::History, NonNull::from_ref(object).cast()).expect("there is room")
}

/// Writes to the object: loom fails the model if anybody else is at it.
fn add_one(inside: &Inside<'_>) -> u64 {
    // SAFETY: `publish` above put it there, and it is never freed.
    let object = unsafe { &*inside.object().cast::<Object>() };
    object.0.with_mut(|number| {
        // SAFETY: loom checks that this is the only access.
        let number = unsafe { &mut *number };
        *number += 1;
        *number
    })
}

fn call(table: &Table, handle: usize, thread: u64) -> Result<u64, Refusal> {
    let inside = table.enter(handle, Kind::History, ThreadId::made_up(thread))?;
    let number = add_one(&inside);
    inside.leave();
    Ok(number)
}

fn destroy(table: &Table, handle: usize, thread: u64) -> Result<u64, Refusal> {
    let inside = table.enter_to_destroy(handle, Kind::History, ThreadId::made_up(thread))?;
    let number = add_one(&inside);
    table.retire(inside);
    Ok(number)
}

/// Calls that overlap exclude each other, and each sees what the one before it wrote.
#[test]
fn overlapping_calls_exclude_each_other() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let handle = publish(&table, 0);
        let threads: Vec<_> = (1..3)
            .map(|number| {
                let table = table.clone();
                thread::spawn(move || call(&table, handle, number))
            })
            .collect();
        let mut entered = 0;
        for result in threads.into_iter().map(|thread| thread.join().expect("no panic")) {
            match result {
                Ok(_) => entered += 1,
                Err(refusal) => assert_eq!(refusal, Refusal::Busy),
            }
        }
        assert!(entered >= 1, "one of them is first");
        assert_eq!(call(&table, handle, 0), Ok(entered + 1));
    });
}

/// A call beside a destroy and a reuse of the slot never enters the new object, never keeps anybody out of it, and
/// gets a refusal that is true.
#[test]
fn a_stale_call_meets_destroy_and_reuse() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let old = publish(&table, 0);
        let caller = {
            let table = table.clone();
            thread::spawn(move || call(&table, old, 1))
        };
        let destroyed = destroy(&table, old, 2);
        let new = match destroyed {
            Ok(_) => {
                let new = publish(&table, 100);
                assert_ne!(new, old);
                assert_eq!(call(&table, new, 2), Ok(101), "a stale handle keeps nobody out");
                Some(new)
            }
            Err(refusal) => {
                assert_eq!(refusal, Refusal::Busy);
                None
            }
        };
        match caller.join().expect("no panic") {
            Ok(number) => assert_eq!(number, 1, "it got in before, alone"),
            Err(refusal) => assert!(matches!(refusal, Refusal::Busy | Refusal::Destroyed), "{refusal:?}"),
        }
        match new {
            Some(new) => {
                assert_eq!(call(&table, old, 3), Err(Refusal::Destroyed));
                assert_eq!(call(&table, new, 3), Ok(102));
            }
            None => assert_eq!(call(&table, old, 3), Ok(2)),
        }
    });
}

/// Of two threads that destroy one handle, one does.
#[test]
fn one_of_two_destroys_wins() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let handle = publish(&table, 0);
        let other = {
            let table = table.clone();
            thread::spawn(move || destroy(&table, handle, 1))
        };
        let mine = destroy(&table, handle, 2);
        let theirs = other.join().expect("no panic");
        assert_eq!(u32::from(mine.is_ok()) + u32::from(theirs.is_ok()), 1);
        for refusal in [mine, theirs].into_iter().filter_map(Result::err) {
            assert!(matches!(refusal, Refusal::Busy | Refusal::Destroyed), "{refusal:?}");
        }
        assert_eq!(call(&table, handle, 3), Err(Refusal::Destroyed));
    });
}

/// Two threads that make objects at once, in a table whose first segment is not there yet, get handles of their own,
/// and a third that guesses a handle enters a whole object or none.
#[test]
fn makers_and_a_guesser() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let maker = {
            let table = table.clone();
            thread::spawn(move || publish(&table, 10))
        };
        let guess = Name { slot: 0, generation: 1 }.to_handle();
        let guesser = {
            let table = table.clone();
            thread::spawn(move || call(&table, guess, 1))
        };
        let mine = publish(&table, 10);
        let theirs = maker.join().expect("no panic");
        assert_ne!(mine, theirs);
        let guessed = guesser.join().expect("no panic");
        assert!(matches!(guessed, Ok(11) | Err(Refusal::Foreign)), "{guessed:?}");
        let (a, b) = (call(&table, mine, 2), call(&table, theirs, 2));
        assert_eq!(a.ok().zip(b.ok()).map(|(a, b)| a + b), Some(22 + u64::from(guessed.is_ok())));
    });
}

/// A call that panics beside a destroy: destroy gets in once, before or after it, and sees what it wrote.
#[test]
fn a_poisoned_object_lets_destroy_in() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let handle = publish(&table, 0);
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                let inside = table.enter(handle, Kind::History, ThreadId::made_up(1))?;
                add_one(&inside);
                inside.poison();
                Ok::<_, Refusal>(())
            })
        };
        let mine = destroy(&table, handle, 2);
        let poisoned = other.join().expect("no panic");
        match (mine, poisoned) {
            (Ok(number), Ok(())) => assert_eq!(number, 2, "after the panic"),
            (Ok(number), Err(refusal)) => {
                assert_eq!(number, 1, "before it");
                assert!(matches!(refusal, Refusal::Busy | Refusal::Destroyed), "{refusal:?}");
            }
            (Err(refusal), _) => {
                assert_eq!((refusal, poisoned), (Refusal::Busy, Ok(())));
                assert_eq!(call(&table, handle, 2), Err(Refusal::Poisoned));
                assert_eq!(destroy(&table, handle, 2), Ok(2));
            }
        }
        assert_eq!(destroy(&table, handle, 3), Err(Refusal::Destroyed));
    });
}

/// Whoever knows that a handle is destroyed is told so, whatever other threads do in its slot meanwhile.
#[test]
fn a_destroyed_handle_is_never_called_busy() {
    loom::model(|| {
        let table = Arc::new(Table::new());
        let old = publish(&table, 0);
        assert_eq!(destroy(&table, old, 1), Ok(1));
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                let new = publish(&table, 100);
                call(&table, new, 2)
            })
        };
        assert_eq!(call(&table, old, 1), Err(Refusal::Destroyed));
        assert_eq!(other.join().expect("no panic"), Ok(101));
    });
}
