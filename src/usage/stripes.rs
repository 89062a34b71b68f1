//! More stripes for a node that several processors use: when it gets them, and where they stand.
//!
//! A node starts with one word, in its `Front`. It gets one for each processor when processors take turns at that word
//! often: by lost exchanges, or by finding that the word was used last by another processor, so that its line had to
//! come from there. Signs count only within a short time: a thread that is moved now and then makes no contention.
//!
//! # Sixteen nodes share a group
//! ```text
//! group   +-------------------------------+-------------------------------+----   --+---------+
//!         | word of node 0 | 1 | ... | 15 | word of node 0 | 1 | ... | 15 |   ...   | header  |
//!         +-------------------------------+-------------------------------+----   --+---------+
//!          processor 0, 128 bytes          processor 1, 128 bytes                    used: 16 bits
//! ```
//! The words of one node are 128 bytes apart, so two processors never write to one pair of lines; but a processor's
//! words of sixteen nodes stand together, since it is the only one to write to them. So a stripe costs 8 bytes and not
//! 128, and a processor that serves ten thousand trackers keeps all of its words in its own cache.

use super::node::{MAX_STRIPES, Node, Stripe, WORDS};
use super::options::Error;
use super::tree::Held;
use crate::sync::{self, AtomicU64, Ordering};
use std::alloc::Layout;
use std::ptr::{self, NonNull};

/// Signs of contention count within this time.
const WINDOW_MS: u32 = 16;

impl Node {
    /// Another processor than last time uses this node's only word: a sign of contention. For the fast path, which has
    /// compared already.
    #[cold]
    #[inline(never)]
    pub(super) fn note_other_processor(&self, hint: usize) {
        // Relaxed: a hint.
        self.front.last_user.store(hint as u32, Ordering::Relaxed);
        self.note_contention(1);
    }

    /// Notes signs of contention at a node's only stripe; enough of them in a short time, and it gets more.
    pub(super) fn note_contention(&self, signs: u32) {
        let tuning = &self.tree().tuning;
        if tuning.stripes_log2 == 0 || self.stripe_count() > 1 {
            return;
        }
        // Relaxed, all: hints; a lost update delays the growth a little.
        let now_ms = sync::coarse_ms();
        let mut lost = self.front.lost.load(Ordering::Relaxed);
        if now_ms.wrapping_sub(self.front.window_ms.load(Ordering::Relaxed)) > WINDOW_MS {
            self.front.window_ms.store(now_ms, Ordering::Relaxed);
            lost = 0;
        }
        lost = lost.saturating_add(signs);
        self.front.lost.store(lost, Ordering::Relaxed);
        if lost >= tuning.lost_to_grow {
            let mut held = self.tree().lock();
            held.grow(self.leaf());
            // Growing records no events: there is nothing to deliver that is not somebody's duty already.
        }
    }
}

/// The end of a group: which of its places are taken.
pub(super) struct Header {
    used: u16,
    lanes: u32,
    /// The next group with a free place.
    next: *mut Header,
}

fn layout(lanes: u32) -> Option<(Layout, usize)> {
    Layout::array::<Stripe>(lanes.min(MAX_STRIPES) as usize).ok()?.extend(Layout::new::<Header>()).ok()
}

impl Held<'_> {
    /// Gives a node that has one stripe one for each processor. Without memory it stays as it is.
    pub(super) fn grow(&mut self, node: &Node) {
        if node.stripe_count() > 1 || !node.is_leaf() {
            return;
        }
        let log2 = self.tree.tuning.stripes_log2;
        let Ok((first, header)) = self.take_place(1 << log2) else {
            // Relaxed: a hint: try again after as many signs.
            node.front.lost.store(0, Ordering::Relaxed);
            return;
        };
        self.cold(node).group = header;
        // SAFETY: the place's words are alive until the node gives the place back.
        let word = unsafe { first.as_ref() };
        // What the only stripe has moves to the first of the new ones. From here on it stays inactive: only the holder
        // of the lock makes a word active, and only one of those that are in use.
        // AcqRel, Release: as in `Held::refill`.
        word.store(node.front.word.swap(0, Ordering::AcqRel), Ordering::Release);
        node.publish_stripes(first.as_ptr(), log2);
        if let Some(parent) = node.parent()
            && ptr::eq(parent.leaf(), node)
        {
            parent.publish_stripes(first.as_ptr(), log2);
        }
    }

    /// A place in a group: the address of its first word, all of whose words are inactive.
    fn take_place(&mut self, lanes: u32) -> Result<(NonNull<AtomicU64>, *mut Header), Error> {
        let mut header = self.state.groups;
        if header.is_null() {
            header = self.make_group(lanes).ok_or(Error::NoMemory)?;
        }
        // SAFETY: groups are alive while a place is taken or they are in the list, and the lock is held.
        let group = unsafe { &mut *header };
        let place = (!group.used).trailing_zeros();
        group.used |= 1 << place;
        if group.used == u16::MAX {
            self.state.groups = group.next;
        }
        let start = Self::start(header).ok_or(Error::NoMemory)?;
        // SAFETY: the first stripe has `WORDS` words, and the place is one of them.
        let word = unsafe { &start.as_ref().words }.get(place as usize).ok_or(Error::NoMemory)?;
        Ok((NonNull::from(word), header))
    }

    fn make_group(&mut self, lanes: u32) -> Option<*mut Header> {
        let (layout, offset) = layout(lanes)?;
        let block = self.state.memory.allocate(layout)?;
        for lane in 0..lanes as usize {
            let words = std::array::from_fn(|_| AtomicU64::new(0));
            // SAFETY: the block begins with room for `lanes` stripes.
            unsafe { block.cast::<Stripe>().add(lane).write(Stripe { words }) };
        }
        // SAFETY: the header's room follows at this offset.
        let header = unsafe { block.byte_add(offset).cast::<Header>() };
        // SAFETY: as above.
        unsafe { header.write(Header { used: 0, lanes, next: self.state.groups }) };
        self.state.groups = header.as_ptr();
        Some(header.as_ptr())
    }

    /// The first stripe of the group whose header this is.
    fn start(header: *mut Header) -> Option<NonNull<Stripe>> {
        // SAFETY: the caller's group is alive.
        let (_, offset) = layout(unsafe { (*header).lanes })?;
        // SAFETY: the header stands that far behind the start of its block.
        NonNull::new(unsafe { header.byte_sub(offset) }.cast())
    }

    /// Gives back the place of a node that nobody uses any more. Its words are inactive. A group without any goes back
    /// to the allocator.
    pub(super) fn give_place_back(&mut self, node: &Node) {
        let header = std::mem::replace(&mut self.cold(node).group, ptr::null_mut());
        let (false, Some(start)) =
            (header.is_null(), if header.is_null() { None } else { Self::start(header) })
        else {
            return;
        };
        let first = node.stripes().next().map_or(ptr::null(), ptr::from_ref);
        let place = (first.addr() - start.addr().get()) / size_of::<AtomicU64>();
        debug_assert!(place < WORDS, "{place} is no place");
        // SAFETY: the group is alive, as this node has a place in it, and the lock is held.
        let group = unsafe { &mut *header };
        let was_full = group.used == u16::MAX;
        group.used &= !(1 << place);
        if was_full {
            group.next = self.state.groups;
            self.state.groups = header;
        }
        if group.used == 0 {
            let lanes = group.lanes;
            self.unlist(header);
            if let Some((layout, _)) = layout(lanes) {
                // SAFETY: `make_group` took the block with this layout, and no node has a place in it.
                unsafe { self.state.memory.deallocate(start.cast(), layout) };
            }
        }
    }

    /// Takes a group out of the list of those with a free place.
    fn unlist(&mut self, header: *mut Header) {
        let mut at: *mut *mut Header = &raw mut self.state.groups;
        // SAFETY: `at` is the head of the list or the link of a group in it, all alive while the lock is held.
        unsafe {
            while !(*at).is_null() {
                if ptr::eq(*at, header) {
                    *at = (*header).next;
                    return;
                }
                at = &raw mut (**at).next;
            }
        }
    }
}
