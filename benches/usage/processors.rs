//! Where threads run, and how long.
//!
//! Each thread stays on one processor, the next one on the next: a thread that moves in the middle of a slice, or two
//! that begin on the same processor while another one idles, would be a matter of luck, and of the machine's other work.

use std::sync::LazyLock;

/// The processors that this process may use, as far as that can be told.
static ALLOWED: LazyLock<Vec<usize>> = LazyLock::new(allowed);

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    // SAFETY: the set is a plain bit field, whole when zeroed; the call writes into it and the macro reads within it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return Vec::new();
        }
        (0..libc::CPU_SETSIZE as usize).filter(|&processor| libc::CPU_ISSET(processor, &set)).collect()
    }
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

/// How many there are.
pub fn count() -> usize {
    match ALLOWED.len() {
        0 => std::thread::available_parallelism().map_or(1, |count| count.get()),
        count => count,
    }
}

/// Has thread number `thread` run on one processor alone. Where that cannot be had, it runs where it runs.
pub fn stay(thread: usize) {
    #[cfg(target_os = "linux")]
    if let Some(&processor) = ALLOWED.get(thread % count()) {
        // SAFETY: as in `allowed`; the second call only reads the set.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = thread;
}

/// Processor time of this thread so far.
pub fn thread_seconds() -> f64 {
    let mut spent = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes into the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut spent) };
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}
