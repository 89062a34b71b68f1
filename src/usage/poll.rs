//! Events for a loop: taken in batches when the caller likes, with a descriptor that wakes the loop.

use super::events::Event;
use super::node::Node;
use super::options::Error;
use super::tree::Held;

/// The descriptor, once somebody asked for one: an `eventfd` that is readable while there are events to poll.
pub(super) struct Wakeup {
    descriptor: i32,
    signalled: bool,
}

impl Wakeup {
    pub(super) fn new() -> Wakeup {
        Wakeup { descriptor: -1, signalled: false }
    }
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        if self.descriptor >= 0 {
            // SAFETY: `descriptor` opened it, and nobody else closes it.
            unsafe { libc::close(self.descriptor) };
        }
    }
}

/// Takes up to `events.len()` events of the tree's polled trackers, each tracker's in order. Answers how many.
pub(crate) fn poll_events(node: &Node, events: &mut [Event]) -> usize {
    let mut held = node.tree().lock();
    let mut count = 0;
    while let Some(first) = held.state.polls.front() {
        let Some(place) = events.get_mut(count) else { break };
        if let Some(event) = first.pop() {
            *place = event;
            count += 1;
        }
        if first.is_empty() {
            held.state.polls.pop();
        }
    }
    let mut drain = None;
    held.leave(&mut drain);
    if let Some(drain) = drain {
        drain.run();
    }
    count
}

/// The tree's descriptor. It stays the tree's: the caller waits for it to be readable, and neither reads nor closes it.
pub(crate) fn descriptor(node: &Node) -> Result<i32, Error> {
    let mut held = node.tree().lock();
    if held.state.wakeup.descriptor < 0 {
        held.state.wakeup.descriptor = open()?;
    }
    let descriptor = held.state.wakeup.descriptor;
    let mut drain = None;
    held.leave(&mut drain);
    if let Some(drain) = drain {
        drain.run();
    }
    Ok(descriptor)
}

impl Held<'_> {
    /// Makes the descriptor readable if there are events to poll, and not readable if there are none (any more).
    pub(super) fn signal_poll(&mut self) {
        let has_events = !self.state.polls.is_empty();
        let wakeup = &mut self.state.wakeup;
        if wakeup.descriptor < 0 || has_events == wakeup.signalled {
            return;
        }
        if has_events {
            wakeup.signalled = write_one(wakeup.descriptor);
        } else {
            read_all(wakeup.descriptor);
            wakeup.signalled = false;
        }
    }
}

#[cfg(target_os = "linux")]
fn open() -> Result<i32, Error> {
    // SAFETY: it opens a descriptor and touches no memory.
    let descriptor = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    if descriptor >= 0 {
        return Ok(descriptor);
    }
    Err(Error::NoDescriptor { errno: std::io::Error::last_os_error().raw_os_error().unwrap_or(0) })
}

#[cfg(not(target_os = "linux"))]
fn open() -> Result<i32, Error> {
    Err(Error::NoDescriptor { errno: libc::ENOSYS })
}

fn write_one(descriptor: i32) -> bool {
    let one = 1_u64;
    // SAFETY: `one` is 8 bytes that are there during the call.
    unsafe { libc::write(descriptor, (&raw const one).cast(), size_of::<u64>()) == 8 }
}

fn read_all(descriptor: i32) {
    let mut count = 0_u64;
    // SAFETY: `count` is 8 bytes that are there during the call. The descriptor does not block.
    unsafe { libc::read(descriptor, (&raw mut count).cast(), size_of::<u64>()) };
}
