//! The only door to atomics, locks and the name of the running thread.
//!
//! Every other file takes these from here, so that the same code runs on the real ones and under loom, which tries
//! the interleavings. `clippy.toml` bans the raw types elsewhere. Any part may call this file; it calls nothing.
#![allow(clippy::disallowed_types, reason = "this file is the door")]

#[cfg(loom)]
use loom::sync as real;
#[cfg(not(loom))]
use std::sync as real;

pub(crate) use real::MutexGuard;
pub(crate) use real::atomic::Ordering;

// Names of their own rather than re-exports: the ban sees through those.
pub(crate) type AtomicPtr<T> = real::atomic::AtomicPtr<T>;
pub(crate) type AtomicU32 = real::atomic::AtomicU32;
pub(crate) type AtomicU64 = real::atomic::AtomicU64;
pub(crate) type Mutex<T> = real::Mutex<T>;

/// Names a running thread: never 0, a multiple of 4, and equal for two calls exactly if the same thread makes them.
///
/// The name of a thread that has ended may come again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadId(u64);

impl ThreadId {
    /// The number.
    #[inline(always)]
    pub(crate) fn to_bits(self) -> u64 {
        self.0
    }

    /// A thread with a made-up name, for tests and models that play several threads.
    #[cfg(test)]
    pub(crate) fn made_up(number: u64) -> ThreadId {
        ThreadId((number + 1) * 4)
    }

    /// The calling thread.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn current() -> ThreadId {
        ThreadId(thread_pointer())
    }
}

/// The address of the thread's control block, which the system's ABI keeps in a register: one load.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri), not(loom)))]
#[inline(always)]
fn thread_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: on x86-64 Linux the first word of the thread control block, at fs:0, holds its own address (System V
    // ABI, thread-local storage, variant II). The instruction reads that one word and touches nothing else.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly, pure));
    }
    pointer
}

/// The address of a thread-local byte: a function call where the library is loaded dynamically.
#[cfg(not(any(all(target_os = "linux", target_arch = "x86_64", not(miri)), loom)))]
#[inline(always)]
fn thread_pointer() -> u64 {
    thread_local! {
        static HERE: u64 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr() as u64)
}

/// Locks, whether or not an earlier holder panicked: what the lock guards is set in one go by every holder.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::ThreadId;

    #[test]
    fn a_thread_has_one_name_and_two_threads_have_two() {
        let mine = ThreadId::current();
        assert_eq!(mine, ThreadId::current());
        assert_ne!(mine.to_bits(), 0);
        assert_eq!(mine.to_bits() % 4, 0);
        let (ready, wait) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            let id = ThreadId::current();
            ready.send(id).expect("the first thread waits for it");
            id
        });
        let theirs = wait.recv().expect("the other thread sends one");
        assert_ne!(mine, theirs, "both threads are alive here");
        assert_eq!(other.join().expect("it only reads its name"), theirs);
    }
}
