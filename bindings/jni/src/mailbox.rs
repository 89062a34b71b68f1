//! What has happened in a tree and Java does not know yet: percent steps for listeners, and notices for those who wait.
//!
//! Native code calls up into Java for a cursor's page alone (`cursor_store`). The library calls [`on_step`], [`on_notice`]
//! and [`on_ready`] here, by whichever thread crossed; they put what happened into the tree's mailbox and raise its `pending` word, which stands in the region. A
//! thread that came from Java for that tree looks at the word when its call is over and delivers. Where the library is
//! called by somebody else (a C++ or Rust thread), nobody would look: then the mailbox is put into [`FOREIGN`], where a
//! Java thread waits for such.
//!
//! ```text
//!   Java thread -> native call -> library -> on_step -> mailbox;  back in Java: pending > 0 -> poll -> listeners
//!   C++ thread  ----------------> library -> on_step -> mailbox -> FOREIGN -> Java's delivery thread -> poll -> listeners
//! ```
//! A mailbox keeps at most [`MAX_STEPS`] steps; then a tracker's last one takes up the next (first old, last new percent),
//! as the library's own queues do. Notices are as many as Java asked for.

use crate::region::region;
use crate::sys::{OK, Status, UsageEvent};
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Steps that wait in a mailbox.
const MAX_STEPS: usize = 1024;

thread_local! {
    /// The mailbox that this thread will look at itself, as it is inside a call from Java.
    static FROM_JAVA: Cell<*const Mailbox> = const { Cell::new(std::ptr::null()) };
}

/// Mailboxes that a thread filled which did not come from Java, by their trees' numbers.
static FOREIGN: Foreign = Foreign { trees: Mutex::new(VecDeque::new()), filled: Condvar::new() };

struct Foreign {
    trees: Mutex<VecDeque<i64>>,
    filled: Condvar,
}

pub(crate) struct Mailbox {
    tree: i64,
    /// In the region, in a block of its own.
    pending: NonNull<Pending>,
    queue: Mutex<Queue>,
}

/// How much waits, for Java to read without a call.
#[repr(C)]
struct Pending {
    steps: AtomicU64,
    notices: AtomicU64,
}

#[derive(Default)]
struct Queue {
    /// Tag, old percent, new percent.
    steps: VecDeque<(u64, i32, i32)>,
    /// Number, reason.
    notices: VecDeque<(i64, Status)>,
    /// It stands in `FOREIGN`.
    is_announced: bool,
}

// SAFETY: `pending` holds atomics that stay until the mailbox ends.
unsafe impl Send for Mailbox {}
// SAFETY: as above.
unsafe impl Sync for Mailbox {}

impl Queue {
    fn push_step(&mut self, tag: u64, old: i32, new: i32) {
        let is_full = self.steps.len() >= MAX_STEPS;
        let last = if is_full { self.steps.iter().rposition(|step| step.0 == tag) } else { None };
        match last.and_then(|last| Some((last, self.steps.get_mut(last)?))) {
            None => self.steps.push_back((tag, old, new)),
            // Back where it began: no step at all.
            Some((last, step)) if step.1 == new => drop(self.steps.remove(last)),
            Some((_, step)) => step.2 = new,
        }
    }

    fn pop_step(&mut self) -> Option<[i64; 2]> {
        let (tag, old, new) = self.steps.pop_front()?;
        Some([tag as i64, (i64::from(old) << 32) | i64::from(new as u32)])
    }

    fn pop_notice(&mut self) -> Option<[i64; 2]> {
        let (number, reason) = self.notices.pop_front()?;
        Some([number, reason.into()])
    }
}

impl Mailbox {
    /// A mailbox for the tree that Java knows by this number; `None` without memory in the region.
    pub(crate) fn new(tree: i64) -> Option<Arc<Mailbox>> {
        let pending = region()?.take(size_of::<Pending>(), align_of::<Pending>())?.cast::<Pending>();
        // SAFETY: the block is fresh and fits.
        unsafe { pending.write(Pending { steps: AtomicU64::new(0), notices: AtomicU64::new(0) }) };
        Some(Arc::new(Mailbox { tree, pending, queue: Mutex::default() }))
    }

    /// Where two words stand that say how many steps and how many notices wait.
    pub(crate) fn pending_address(&self) -> *const c_void {
        self.pending.as_ptr().cast_const().cast()
    }

    fn show(&self, queue: &Queue) {
        // SAFETY: it stays until the mailbox ends.
        let pending = unsafe { self.pending.as_ref() };
        // Release, both: pair with the acquire with which Java reads the words.
        pending.steps.store(queue.steps.len() as u64, Ordering::Release);
        pending.notices.store(queue.notices.len() as u64, Ordering::Release);
    }

    fn put(&self, push: impl FnOnce(&mut Queue)) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        push(&mut queue);
        self.show(&queue);
        if std::ptr::eq(FROM_JAVA.get(), self) || queue.is_announced {
            return;
        }
        queue.is_announced = true;
        drop(queue);
        FOREIGN.trees.lock().unwrap_or_else(PoisonError::into_inner).push_back(self.tree);
        FOREIGN.filled.notify_one();
    }

    /// Takes as many steps, or else notices, as `into` has room for. Answers how many.
    pub(crate) fn poll(&self, steps: bool, into: &mut [[i64; 2]]) -> usize {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever is at it now takes all of one kind; the other is announced anew, once too often perhaps.
        queue.is_announced = false;
        let mut count = 0;
        for place in into {
            let Some(happened) = (if steps { queue.pop_step() } else { queue.pop_notice() }) else { break };
            *place = happened;
            count += 1;
        }
        self.show(&queue);
        count
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        if let Some(region) = region() {
            // SAFETY: `new` took it with this size, and Java looks at it no more.
            unsafe { region.give_back(self.pending.cast(), size_of::<Pending>()) };
        }
    }
}

/// While there is one, this thread is inside a call from Java, after which it will look at a mailbox.
pub(crate) struct FromJava {
    outer: *const Mailbox,
}

impl FromJava {
    #[inline(always)]
    pub(crate) fn enter(mailbox: *const Mailbox) -> FromJava {
        FromJava { outer: FROM_JAVA.replace(mailbox) }
    }
}

impl Drop for FromJava {
    #[inline(always)]
    fn drop(&mut self) {
        FROM_JAVA.set(self.outer);
    }
}

/// Waits until a thread that did not come from Java has filled a mailbox. Answers its tree's number.
pub(crate) fn wait_for_foreign() -> i64 {
    let mut trees = FOREIGN.trees.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(tree) = trees.pop_front() {
            return tree;
        }
        trees = FOREIGN.filled.wait(trees).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The library's listener. Its context is a reference to the mailbox, which `release` ends.
pub(crate) unsafe extern "C" fn on_step(mailbox: *mut c_void, event: *const UsageEvent) {
    // SAFETY: the library gives back the context that `context` made, and an event that is good during this call.
    let (mailbox, event) = unsafe { (&*mailbox.cast::<Mailbox>(), &*event) };
    mailbox.put(|queue| queue.push_step(event.tag, event.old_percent, event.new_percent));
}

/// A listener's context for the library.
pub(crate) fn context(mailbox: &Arc<Mailbox>) -> *mut c_void {
    Arc::into_raw(Arc::clone(mailbox)).cast_mut().cast()
}

/// Ends a context.
///
/// # Safety
/// It comes from `context`, and is used no more.
pub(crate) unsafe extern "C" fn release(mailbox: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Arc::from_raw(mailbox.cast::<Mailbox>().cast_const()) });
}

/// What a notice brings along.
pub(crate) struct Asked {
    mailbox: Arc<Mailbox>,
    number: i64,
}

impl Asked {
    /// The context of a notice that Java knows by this number.
    pub(crate) fn context(mailbox: &Arc<Mailbox>, number: i64) -> *mut c_void {
        Box::into_raw(Box::new(Asked { mailbox: Arc::clone(mailbox), number })).cast()
    }

    /// Takes a context back.
    ///
    /// # Safety
    /// It comes from [`Asked::context`], and is used no more.
    pub(crate) unsafe fn take_back(context: *mut c_void) -> Asked {
        // SAFETY: the caller's promise.
        *unsafe { Box::from_raw(context.cast::<Asked>()) }
    }
}

/// The library's notice, called once.
pub(crate) unsafe extern "C" fn on_notice(asked: *mut c_void, reason: Status) {
    // SAFETY: the library gives back the context that it was given, once.
    let asked = unsafe { Asked::take_back(asked) };
    asked.mailbox.put(|queue| queue.notices.push_back((asked.number, reason)));
}

/// A cursor's `on_ready`: called any number of times, until the context goes to `release_asked`.
pub(crate) unsafe extern "C" fn on_ready(asked: *mut c_void) {
    // SAFETY: the library gives the context that it was given, and has not released it.
    let asked = unsafe { &*asked.cast::<Asked>() };
    asked.mailbox.put(|queue| queue.notices.push_back((asked.number, OK)));
}

/// Ends a cursor's context.
pub(crate) unsafe extern "C" fn release_asked(asked: *mut c_void) {
    // SAFETY: it comes from `Asked::context`, and is used no more.
    drop(unsafe { Asked::take_back(asked) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region;

    /// The tests that announce something share one list.
    static ANNOUNCING: Mutex<()> = Mutex::new(());

    fn mailbox() -> Arc<Mailbox> {
        region::open(region::LEAST_BYTES).expect("there are addresses");
        Mailbox::new(7).expect("there is memory")
    }

    fn step(mailbox: &Mailbox, tag: u64, old: i32) {
        mailbox.put(|queue| queue.push_step(tag, old, old + 1));
    }

    /// What waits, as Java reads it.
    fn waiting(mailbox: &Mailbox) -> (u64, u64) {
        // SAFETY: it stays until the mailbox ends.
        let pending = unsafe { mailbox.pending.as_ref() };
        (pending.steps.load(Ordering::Acquire), pending.notices.load(Ordering::Acquire))
    }

    #[test]
    fn a_full_mailbox_merges_each_trackers_steps_and_keeps_their_chains() {
        let mailbox = mailbox();
        let _inside = FromJava::enter(Arc::as_ptr(&mailbox));
        for percent in 0..2 * MAX_STEPS as i32 {
            step(&mailbox, 1, percent);
            step(&mailbox, 2, percent);
        }
        let mut all = vec![[0; 2]; 2 * MAX_STEPS];
        let count = mailbox.poll(true, &mut all);
        assert_eq!(count, MAX_STEPS);
        let mut last = [0, 0];
        for [tag, step] in &all[..count] {
            assert_eq!((step >> 32) as i32, last[*tag as usize - 1], "the chain of {tag} is broken");
            last[*tag as usize - 1] = *step as i32;
        }
        assert_eq!(last, [2 * MAX_STEPS as i32; 2], "the last step is the final state");
    }

    #[test]
    fn a_merged_step_that_leads_nowhere_is_none() {
        let mailbox = mailbox();
        let _inside = FromJava::enter(Arc::as_ptr(&mailbox));
        for percent in 0..MAX_STEPS as i32 {
            step(&mailbox, 1, percent);
        }
        let end = MAX_STEPS as i32;
        mailbox.put(|queue| queue.push_step(1, end, end - 1));
        let mut all = vec![[0; 2]; MAX_STEPS];
        assert_eq!(mailbox.poll(true, &mut all), MAX_STEPS - 1);
        assert_eq!(all[MAX_STEPS - 2][1] as i32, end - 1);
    }

    #[test]
    fn steps_and_notices_are_counted_and_taken_apart() {
        let mailbox = mailbox();
        let _inside = FromJava::enter(Arc::as_ptr(&mailbox));
        mailbox.put(|queue| queue.push_step(1, -2, 5));
        mailbox.put(|queue| queue.notices.push_back((9, 21)));
        assert_eq!(waiting(&mailbox), (1, 1));
        let mut room = [[0; 2]; 2];
        assert_eq!(mailbox.poll(false, &mut room), 1);
        assert_eq!(room[0], [9, 21]);
        assert_eq!(waiting(&mailbox), (1, 0));
        assert_eq!(mailbox.poll(true, &mut room), 1);
        assert_eq!((room[0][0], (room[0][1] >> 32) as i32, room[0][1] as i32), (1, -2, 5));
        assert_eq!(mailbox.poll(true, &mut room), 0);
        assert_eq!(waiting(&mailbox), (0, 0));
    }

    #[test]
    fn a_cursor_is_told_as_often_as_it_is_ready_until_it_ends() {
        let _alone = ANNOUNCING.lock().unwrap_or_else(PoisonError::into_inner);
        let mailbox = mailbox();
        let _inside = FromJava::enter(Arc::as_ptr(&mailbox));
        let asked = Asked::context(&mailbox, 5);
        // SAFETY: the context is released once, after its last call.
        unsafe {
            on_ready(asked);
            on_ready(asked);
            release_asked(asked);
        }
        assert_eq!(waiting(&mailbox), (0, 2));
        let mut room = [[0; 2]; 4];
        assert_eq!(mailbox.poll(false, &mut room), 2);
        assert_eq!(room[..2], [[5, 0]; 2]);
        assert_eq!(Arc::strong_count(&mailbox), 1);
    }

    #[test]
    fn what_no_java_thread_brought_about_is_announced_once_until_it_is_polled() {
        let _alone = ANNOUNCING.lock().unwrap_or_else(PoisonError::into_inner);
        let mailbox = mailbox();
        let waiting = std::thread::spawn(wait_for_foreign);
        step(&mailbox, 1, 0);
        assert_eq!(waiting.join().expect("it answers"), 7);
        step(&mailbox, 1, 1);
        assert!(FOREIGN.trees.lock().expect("nobody panicked").is_empty(), "it was announced already");
        mailbox.poll(true, &mut [[0; 2]; 2]);
        step(&mailbox, 1, 2);
        assert_eq!(wait_for_foreign(), 7);
    }

    #[test]
    fn a_call_from_java_for_another_tree_does_not_count() {
        let _alone = ANNOUNCING.lock().unwrap_or_else(PoisonError::into_inner);
        let (mailbox, other) = (mailbox(), mailbox());
        let _inside = FromJava::enter(Arc::as_ptr(&other));
        step(&mailbox, 1, 0);
        let queue = mailbox.queue.lock().expect("nobody panicked");
        assert!(queue.is_announced, "nobody would look");
        drop(queue);
        FOREIGN.trees.lock().expect("nobody panicked").retain(|tree| *tree != 7);
    }
}
