//! An order between two threads of which one has to be fast: a barrier in two halves.
//!
//! Thread A writes x, passes the *light* half and reads y. Thread B writes y, passes the *heavy* half and reads x. Then A
//! sees what B wrote, or B sees what A wrote, or both: never neither. With two ordinary barriers A would pay one at each
//! turn. Here the kernel makes every running thread of the process pass one when B asks (`membarrier`, Linux 4.14), so
//! that A's half only has to keep the compiler from moving its accesses. Where the kernel does not, and under loom,
//! both halves are ordinary ones.
//!
//! `ffi::pins` alone uses this.
#![allow(clippy::disallowed_methods, reason = "this file is the door for barriers")]

#[cfg(not(loom))]
use super::AtomicU32;
use super::Ordering;
use super::real::atomic::fence;

/// Not known yet: nobody has called [`prepare`].
#[cfg(not(loom))]
const UNKNOWN: u32 = 0;
/// The kernel makes every thread pass a barrier.
#[cfg(not(loom))]
const BY_THE_KERNEL: u32 = 1;
/// Each half is an ordinary barrier.
#[cfg(not(loom))]
const BY_EACH: u32 = 2;

#[cfg(not(loom))]
static METHOD: AtomicU32 = AtomicU32::new(UNKNOWN);

/// Finds out which way this process goes. Every thread calls it before its first [`light`] or [`heavy`].
#[cfg(not(loom))]
pub(crate) fn prepare() {
    // Relaxed, everywhere: the value is all there is, and it changes once.
    if METHOD.load(Ordering::Relaxed) == UNKNOWN {
        let method = if kernel::register() { BY_THE_KERNEL } else { BY_EACH };
        // Registering twice does no harm. If another thread was first, its answer stands.
        let _ = METHOD.compare_exchange(UNKNOWN, method, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The half of the thread that has to be fast.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn light() {
    if METHOD.load(Ordering::Relaxed) == BY_THE_KERNEL {
        // Pairs with the kernel's barrier in `heavy`, which reaches this thread before or after this point.
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        // SeqCst: pairs with the one in `heavy`.
        fence(Ordering::SeqCst);
    }
}

/// The half of the thread that may be slow: some microseconds. `false` if the kernel has refused what it had promised;
/// then nothing is ordered.
#[cfg(not(loom))]
pub(crate) fn heavy() -> bool {
    prepare();
    // SeqCst: pairs with the one in `light` where the kernel does not help.
    fence(Ordering::SeqCst);
    METHOD.load(Ordering::Relaxed) != BY_THE_KERNEL || kernel::barrier() || {
        // A child of a fork may have to register anew.
        kernel::register() && kernel::barrier()
    }
}

/// The same under loom.
#[cfg(loom)]
pub(crate) fn light() {
    // SeqCst: pairs with the one in `heavy`.
    fence(Ordering::SeqCst);
}

/// The same under loom.
#[cfg(loom)]
pub(crate) fn heavy() -> bool {
    // SeqCst: pairs with the one in `light`.
    fence(Ordering::SeqCst);
    true
}

#[cfg(all(target_os = "linux", not(miri), not(loom)))]
mod kernel {
    /// Tells the kernel that this process will ask. False if it does not know how.
    pub(super) fn register() -> bool {
        call(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
    }

    /// Makes every running thread of the process pass a barrier.
    pub(super) fn barrier() -> bool {
        call(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED)
    }

    fn call(command: libc::c_int) -> bool {
        // SAFETY: the call takes numbers and touches no memory of the process.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }
}

#[cfg(not(any(all(target_os = "linux", not(miri)), loom)))]
mod kernel {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn barrier() -> bool {
        false
    }
}

/// Waits a moment for another thread, longer each round.
#[cfg(not(loom))]
pub(crate) fn pause(round: u32) {
    match round {
        0..64 => std::hint::spin_loop(),
        64..128 => std::thread::yield_now(),
        _ => std::thread::sleep(std::time::Duration::from_micros(50)),
    }
}

/// The same under loom.
#[cfg(loom)]
pub(crate) fn pause(_round: u32) {
    loom::thread::yield_now();
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::AtomicU64;

    #[test]
    fn one_of_two_sees_the_other() {
        prepare();
        for _ in 0..2000 {
            let (x, y) = (AtomicU64::new(0), AtomicU64::new(0));
            let (seen_y, seen_x) = std::thread::scope(|scope| {
                let fast = scope.spawn(|| {
                    x.store(1, Ordering::Relaxed);
                    light();
                    y.load(Ordering::Relaxed)
                });
                y.store(1, Ordering::Relaxed);
                assert!(heavy());
                let seen_x = x.load(Ordering::Relaxed);
                (fast.join().expect("it only loads and stores"), seen_x)
            });
            assert!(seen_y == 1 || seen_x == 1);
        }
    }
}
