//! How a call finds the record of its thread (`pins.rs`), in as few steps as can be. [`pinned`](super::pinned) alone
//! uses this file.
//!
//! A thread-local variable of a shared library is found by a call into the loader, which costs as much as all the rest of
//! finding a handle. The name of the running thread is one load on x86-64 Linux (`ThreadId`). So there the record is looked
//! up by that name, in a small table of hints first. A hint is good if the record it leads to belongs to this thread; two
//! threads that meet in one place of the table overwrite each other's hints, and find their records the slow way.

use super::pins::{Pins, Record};
use crate::sync::{AtomicPtr, Ordering, ThreadId};
use std::cell::Cell;
use std::ptr;

/// The records of all threads.
pub(super) static PINS: Pins = Pins::new();

/// Logarithm of the number of hints: for a hundred threads, one in ten meets another.
const HINTS_LOG2: u32 = 10;

static HINTS: [AtomicPtr<Record>; 1 << HINTS_LOG2] =
    [const { AtomicPtr::new(ptr::null_mut()) }; 1 << HINTS_LOG2];

thread_local! {
    /// This thread's record, once it had a call. It needs no destructor, so it can be asked at any time.
    static RECORD: Cell<Option<&'static Record>> = const { Cell::new(None) };
    /// Gives the record up at the end of the thread.
    static LAST_WORD: LastWord = const { LastWord };
}

struct LastWord;

impl Drop for LastWord {
    fn drop(&mut self) {
        if let Some(record) = RECORD.take() {
            record.release();
        }
    }
}

/// This thread's record; `None` if it has none yet and there is no memory for it.
#[inline]
pub(super) fn mine() -> Option<&'static Record> {
    let record = mine_at_once();
    if record.is_some() { record } else { find(ThreadId::current().to_bits()) }
}

/// This thread's record, if the hint leads to it.
#[inline(always)]
pub(super) fn mine_at_once() -> Option<&'static Record> {
    let me = ThreadId::current().to_bits();
    // Acquire: pairs with the release in `find`: what is in the record is there before its address is.
    let hint = hint(me).load(Ordering::Acquire);
    // SAFETY: only records of `PINS` are stored there, which are never freed.
    unsafe { hint.as_ref() }.filter(|record| record.belongs_to(me))
}

#[inline(always)]
fn hint(thread: u64) -> &'static AtomicPtr<Record> {
    // Names of threads are addresses; the product's upper bits depend on all of theirs (Fibonacci hashing).
    let index = (thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HINTS_LOG2)) as usize;
    &HINTS[index]
}

#[cold]
#[inline(never)]
fn find(me: u64) -> Option<&'static Record> {
    let record = match RECORD.get() {
        Some(record) => record,
        None => PINS.register(me)?,
    };
    RECORD.set(Some(record));
    // It fails while the thread ends: then the next thread of the same name takes the record over.
    let _ = LAST_WORD.try_with(|_| ());
    // Release: pairs with the acquire in `mine_at_once`.
    hint(me).store(ptr::from_ref(record).cast_mut(), Ordering::Release);
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_one_record_and_two_threads_have_two() {
        let mine_twice = (mine().expect("there is memory"), mine().expect("there is memory"));
        assert!(ptr::eq(mine_twice.0, mine_twice.1));
        let (send, receive) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let theirs = scope.spawn(move || {
                let record = mine().expect("there is memory");
                receive.recv().expect("the first thread sends it");
                ptr::from_ref(record).addr()
            });
            send.send(()).expect("the thread waits for it");
            let theirs = theirs.join().expect("it only asks");
            assert_ne!(theirs, ptr::from_ref(mine().expect("there is memory")).addr());
        });
    }

    #[test]
    fn a_lost_hint_is_found_again() {
        let record = mine().expect("there is memory");
        hint(ThreadId::current().to_bits()).store(ptr::null_mut(), Ordering::Release);
        assert!(ptr::eq(mine().expect("there is memory"), record));
    }
}
