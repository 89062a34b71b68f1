//! Field case 10, the resident set: after ten million entries came and expired, the process is as small as
//! before, to 2 % of what it had grown by.
//!
//! A test program of its own with a single test, since the figure is the whole process's.

#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use queuecore::history::{Collected, Erased, History, Inserted, Key, Options};

/// Entries. A build without optimisation takes a fifth: the share of the peak is the same.
const COUNT: u64 = if cfg!(miri) {
    1_000
} else if cfg!(debug_assertions) {
    2_000_000
} else {
    10_000_000
};
const W: i64 = 1_000_000;

/// Bytes of this process that are in memory: the second field of `statm`, in pages.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages: u64 = statm.split(' ').nth(1).and_then(|field| field.parse().ok()).expect("a number");
    let page_bytes = {
        // SAFETY: sysconf reads a constant of the system and takes no pointer.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) }
    };
    pages * u64::try_from(page_bytes).expect("positive")
}

fn key(n: u64) -> Key {
    let mut bytes = [7; 16];
    bytes[..8].copy_from_slice(&n.to_le_bytes());
    Key(bytes)
}

/// Fills a history with `COUNT` historical entries at time 0, a few of them live for a while.
fn fill(history: &mut History) {
    for n in 0..COUNT {
        let inserted = history.insert(&key(n), &[0; 16], 0, 0);
        assert!(matches!(inserted, Ok(Inserted::Added(_))), "{inserted:?}");
        if n >= 1000 {
            assert_eq!(history.erase_key(&key(n - 1000), 0), Ok(Erased::Historical));
        }
    }
    assert_eq!(history.erase_all_live(0), Ok(1000));
}

/// Small blocks come from the process's general allocator. When all are freed but one that happens to lie high, glibc keeps
/// up to a few MB below it; that is its own, and does not grow with the history.
fn give_holes_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it only gives back memory that nobody uses.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "there is no resident set to measure")]
fn case_10_the_resident_set_shrinks_back_when_everything_has_expired() {
    let before = resident_bytes();
    let options = Options { window_ns: W, value_size: 16, resolution_ns: 1, ..Options::default() };
    let mut history = History::new(options).expect("valid options");
    fill(&mut history);
    let grown = resident_bytes() - before;
    assert!(grown >= COUNT * 20, "{grown} bytes for {COUNT} entries of at least 20 bytes each");
    assert!(grown >= history.stats().bytes_in_use / 2, "what is in use is what was touched");

    let mut collected = 0;
    loop {
        let step = history.gc(W, 1000).expect("in order");
        collected += step.collected;
        if !step.more {
            break;
        }
    }
    assert_eq!(collected, COUNT);
    let stats = history.stats();
    assert!(stats.bytes_in_use * 50 <= stats.bytes_peak, "{stats:?}");
    give_holes_back();
    let kept = resident_bytes().saturating_sub(before);
    assert!(kept * 50 <= grown, "{kept} of {grown} bytes are still resident; {stats:?}");

    // And it still works.
    assert!(matches!(history.insert(&key(0), &[], W, W), Ok(Inserted::Added(_))));
    assert_eq!(history.gc(W, 1), Ok(Collected::default()));
}
