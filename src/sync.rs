//! The only door to atomics, locks and the name of the running thread.
//!
//! Every other file takes these from here, so that the same code runs on the real ones and under loom, which tries
//! the interleavings. `clippy.toml` bans the raw types elsewhere. Any part may call this file; it calls nothing.
#![allow(clippy::disallowed_types, reason = "this file is the door")]

// The C ABI alone uses it, and a loom build has no C ABI but the models.
#[cfg_attr(loom, allow(dead_code, reason = "the models use it alone"))]
pub(crate) mod asymmetric;

#[cfg(loom)]
use loom::sync as real;
#[cfg(not(loom))]
use std::sync as real;

pub(crate) use real::MutexGuard;
pub(crate) use real::atomic::Ordering;

#[cfg(not(loom))]
use real::atomic;
#[cfg(loom)]
use watched as atomic;
#[cfg(loom)]
mod watched;

// Names of their own rather than re-exports: the ban sees through those.
pub(crate) type AtomicI64 = atomic::AtomicI64;
pub(crate) type AtomicPtr<T> = atomic::AtomicPtr<T>;
pub(crate) type AtomicU32 = atomic::AtomicU32;
pub(crate) type AtomicU64 = atomic::AtomicU64;
pub(crate) type Mutex<T> = real::Mutex<T>;
pub(crate) type Condvar = real::Condvar;

/// A value in cache lines of its own: two of them, as processors fetch lines in pairs.
#[cfg_attr(not(loom), repr(align(128)))]
pub(crate) struct CachePadded<T>(T);

impl<T> CachePadded<T> {
    /// Pads a value.
    pub(crate) fn new(value: T) -> Self {
        CachePadded(value)
    }
}

impl<T> std::ops::Deref for CachePadded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

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

/// Milliseconds of some clock, as coarse as is cheap. Under loom it stands still.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) fn coarse_ms() -> u32 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    (now.tv_sec as u32).wrapping_mul(1000).wrapping_add((now.tv_nsec / 1_000_000) as u32)
}

/// The same where there is no such clock: it stands still.
#[cfg(any(not(target_os = "linux"), loom))]
pub(crate) fn coarse_ms() -> u32 {
    0
}

/// A number that two threads rarely share while they run: the processor that runs this one, or failing that a number
/// of the thread's own. It is a hint: it may be out of date when it is used.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn stripe_hint() -> usize {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    {
        // Relaxed: the value is all there is.
        let offset = processor::OFFSET.load(Ordering::Relaxed);
        if offset != 0 {
            return processor::current(offset);
        }
    }
    thread_number()
}

/// The same, as far as it can be told without a call.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn stripe_hint_if_known() -> Option<usize> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    {
        // Relaxed: as in `stripe_hint`.
        let offset = processor::OFFSET.load(Ordering::Relaxed);
        (offset != 0).then(|| processor::current(offset))
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
    Some(thread_number())
}

/// The same under loom.
#[cfg(loom)]
pub(crate) fn stripe_hint_if_known() -> Option<usize> {
    Some(stripe_hint())
}

/// The same under loom: what the model has set for its thread.
#[cfg(loom)]
pub(crate) fn stripe_hint() -> usize {
    STRIPE_HINT.with(|hint| hint.get())
}

#[cfg(loom)]
loom::thread_local! {
    /// The stripe that the running thread of a model uses.
    pub(crate) static STRIPE_HINT: std::cell::Cell<usize> = std::cell::Cell::new(0);
}

/// Threads in the order in which they first ask, from 0.
#[cfg(not(loom))]
#[cold]
fn thread_number() -> usize {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            // Relaxed: only that each gets another one counts.
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
            #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
            processor::find();
        }
        number.get() as usize - 1
    })
}

/// The processor's number out of the area that the C library shares with the kernel (restartable sequences, Linux
/// 4.18 and glibc 2.35): one load.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri), not(loom)))]
mod processor {
    use super::{AtomicI64, Ordering};

    /// Where the area is, from the thread pointer on; 0 if it is not known (yet).
    pub(super) static OFFSET: AtomicI64 = AtomicI64::new(0);

    /// Asks the C library for the area.
    pub(super) fn find() {
        let (offset, size) = (symbol(c"__rseq_offset"), symbol(c"__rseq_size"));
        if offset.is_null() || size.is_null() {
            return;
        }
        // SAFETY: glibc documents the two symbols as a `ptrdiff_t` and an `unsigned int`, which never change.
        let (offset, size) = unsafe { (*offset.cast::<isize>(), *size.cast::<u32>()) };
        // 0 means that the C library did not register the area.
        if size > 0 {
            // Relaxed: see `stripe_hint`.
            OFFSET.store(offset as i64, Ordering::Relaxed);
        }
    }

    fn symbol(name: &std::ffi::CStr) -> *const libc::c_void {
        // SAFETY: a look-up of a name in the programs and libraries that are loaded.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
    }

    #[inline(always)]
    pub(super) fn current(offset: i64) -> usize {
        let processor: u32;
        // SAFETY: the C library keeps a `struct rseq` at this offset in every thread it started; its first word is the
        // number of a processor, at any time. The instruction reads that word and touches nothing else.
        unsafe {
            std::arch::asm!("mov {:e}, dword ptr fs:[{}]", out(reg) processor, in(reg) offset,
                options(nostack, preserves_flags, readonly, pure));
        }
        processor as usize
    }
}

/// Locks, whether or not an earlier holder panicked: what the lock guards is set in one go by every holder.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits on a condition until it is told or `deadline` has come; `None` waits for ever. Spurious returns happen.
#[cfg(not(loom))]
pub(crate) fn wait<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    deadline: Option<std::time::Instant>,
) -> MutexGuard<'a, T> {
    let Some(deadline) = deadline else {
        return condition.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner());
    };
    let left = deadline.saturating_duration_since(std::time::Instant::now());
    condition.wait_timeout(guard, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
}

/// The same under loom, which has no time: it waits until it is told.
#[cfg(loom)]
pub(crate) fn wait<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    _deadline: Option<std::time::Instant>,
) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Lets a moment pass: turns of a loop that asks nothing of anybody.
#[cfg(not(loom))]
#[inline]
pub(crate) fn pause(turns: u32) {
    for _ in 0..turns {
        std::hint::spin_loop();
    }
}

/// The same under loom: others run.
#[cfg(loom)]
pub(crate) fn pause(_turns: u32) {
    loom::thread::yield_now();
}

/// A value that only the holder of some lock touches. Loom reports it when two threads do without that order.
pub(crate) struct Guarded<T>(real_cell::UnsafeCell<T>);

#[cfg(loom)]
use loom::cell as real_cell;
#[cfg(not(loom))]
use std::cell as real_cell;

// SAFETY: `get` hands out a pointer, and who follows it has promised to hold the lock: one thread at a time.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    /// Guards a value.
    pub(crate) fn new(value: T) -> Self {
        Guarded(real_cell::UnsafeCell::new(value))
    }

    /// The value's address. Whoever follows it holds the lock that guards the value, and has no other reference.
    #[inline(always)]
    pub(crate) fn get(&self) -> *mut T {
        #[cfg(loom)]
        return self.0.with_mut(|value| value);
        #[cfg(not(loom))]
        self.0.get()
    }
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
