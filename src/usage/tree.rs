//! The tree: its one lock, what only the holder of that lock may touch, and the memory of nodes.
//!
//! Every slow path of every node of a tree goes through one mutex; there is no second lock, so there is no order of
//! locks to get wrong. [`Held`] is the proof of holding it: a node's cold part is reached through it alone.
//!
//! # Who keeps what alive
//! ```text
//!   Tracker (handle) --1--> Node --1--> parent Node --1--> ... root Node --1--> Tree
//!   a call that must outlive its handle (a wait) --1--> Node
//! ```
//! References of nodes are counted under the lock, those of the tree by an atomic. Who delivers events has none: if the
//! last reference goes meanwhile, ending the tree is left to it (`ORPHAN` in `events.rs`).

use super::events::{self, First, Listener};
use super::extra::{Extra, Pending};
use super::node::{Cold, Node};
use super::options::{Error, MAX_DEPTH, MAX_TRACKERS};
use super::tuning::Tuning;
use super::wait::Waiters;
use crate::memory::{Allocator, Memory, Usage};
use crate::sync::{AtomicU32, CachePadded, Guarded, Mutex, MutexGuard, Ordering, lock};
use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// A tree of trackers.
#[cfg_attr(not(loom), repr(C, align(64)))]
pub(crate) struct Tree {
    /// The lock, which whoever waits for it looks at, and what it guards, in other lines.
    state: Mutex<State>,
    pub(super) delivery: CachePadded<Delivery>,
    pub(super) tuning: Tuning,
    /// Not in the line of `tuning`, which crossings read.
    references: CachePadded<AtomicU32>,
}

/// What changes outside the lock, in lines of its own: see `events.rs`.
#[cfg_attr(not(loom), repr(C))]
pub(super) struct Delivery {
    /// Whose duty it is to deliver.
    pub(super) duty: AtomicU32,
    /// What whoever has the duty delivers before what is queued. It is its alone.
    pub(super) first: Guarded<First>,
}

// SAFETY: the raw pointers inside lead to nodes and waiters, which are followed only by the holder of the lock.
unsafe impl Send for Tree {}
// SAFETY: as above.
unsafe impl Sync for Tree {}

/// What the lock guards besides the cold parts of the nodes.
#[repr(C)]
pub(super) struct State {
    /// Crossings of all nodes. In the lock's line: it changes just before that is written anyway.
    pub(super) crossings: u64,
    /// Whose listener the last drain began with: see `retire` in `events.rs`.
    pub(super) first: *const Extra,
    /// The lock's line ends here: a crossing writes nothing of what follows.
    _apart: [u64; 5],
    /// Since the last look, a committed total was written under a shut gate after it was verified.
    pub(super) unsettled: bool,
    /// Some level with waiters was computed anew.
    pub(super) serve: bool,
    /// Nodes whose gate is shut, linked by `Cold::next_gated`.
    pub(super) gated: *const Node,
    pub(super) waiters: Waiters,
    /// Nodes with events for a listener.
    pub(super) calls: Pending,
    /// Notices to deliver: callbacks whose time has come.
    pub(super) due: super::notify::Due,
    /// The ticket of the notice that was made last.
    pub(super) tickets: u64,
    /// A listener that was taken from its node while it was perhaps being called.
    pub(super) retired: Option<Arc<dyn Listener>>,
    /// Nodes with events to be polled.
    pub(super) polls: Pending,
    pub(super) memory: Memory,
    pub(super) active_stripes: u32,
    /// Groups of stripes with a free place.
    pub(super) groups: *mut super::stripes::Header,
    pub(super) nodes: u32,
    pub(super) wakeup: super::poll::Wakeup,
    pub(super) counters: Counters,
}

/// What happened in a tree since it was made.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) refills: u64,
    pub(super) recalls: u64,
    pub(super) merged_events: u64,
    pub(super) listener_panics: u64,
}

/// Possession of the lock.
pub(super) struct Held<'t> {
    pub(super) state: MutexGuard<'t, State>,
    pub(super) tree: &'t Tree,
    /// Crossings since the lock was taken.
    pub(super) crossed: u64,
    /// A writer came by itself: a step may be delivered past the queues.
    pub(super) is_crossing: bool,
    /// One is to be: it stands in `Delivery::first`.
    pub(super) has_first: bool,
}

impl Tree {
    /// A tree without nodes, with one reference, which the root is to take over.
    pub(super) fn create(host: Option<Arc<dyn Allocator>>, tuning: Tuning) -> Result<NonNull<Tree>, Error> {
        let memory = Memory::new(host, 0);
        let layout = Layout::new::<Tree>();
        let block: NonNull<Tree> = memory.allocate(layout).ok_or(Error::NoMemory)?.cast();
        let tree = Tree {
            state: Mutex::new(State {
                memory,
                gated: ptr::null(),
                unsettled: false,
                waiters: Waiters::new(),
                serve: false,
                calls: Pending::new(),
                polls: Pending::new(),
                retired: None,
                due: super::notify::Due::new(),
                tickets: 0,
                active_stripes: 0,
                groups: ptr::null_mut(),
                nodes: 0,
                wakeup: super::poll::Wakeup::new(),
                counters: Counters::default(),
                crossings: 0,
                first: ptr::null(),
                _apart: [0; 5],
            }),
            delivery: CachePadded::new(Delivery {
                duty: AtomicU32::new(0),
                first: Guarded::new(First::none()),
            }),
            references: CachePadded::new(AtomicU32::new(1)),
            tuning,
        };
        // SAFETY: the block is fresh and fits a tree.
        unsafe { block.write(tree) };
        Ok(block)
    }

    pub(super) fn lock(&self) -> Held<'_> {
        Held { state: lock(&self.state), tree: self, crossed: 0, is_crossing: false, has_first: false }
    }

    /// One more reference, for a caller whose tree is alive.
    pub(super) fn retain(&self) {
        // Relaxed: the caller has a reference already, whose end comes later in its own order.
        self.references.fetch_add(1, Ordering::Relaxed);
    }

    /// Gives a reference up; with the last one the tree ends, by the hands of whoever delivers just now, if somebody
    /// does.
    ///
    /// # Safety
    /// The caller has a reference to `tree` and does not use the tree after this.
    pub(super) unsafe fn release(tree: *const Tree) {
        // SAFETY: alive by the caller's reference.
        let this = unsafe { &*tree };
        // AcqRel: releases what this thread did to the tree to whoever ends it, and acquires it from the others.
        if this.references.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        // AcqRel: Release hands that on to a drain that is running; Acquire takes it over from one that has ended.
        if this.delivery.duty.fetch_or(events::ORPHAN, Ordering::AcqRel) & events::TAKEN == 0 {
            // SAFETY: nobody has a reference, nobody has the duty, and nobody can get either.
            unsafe { Tree::end(tree) };
        }
    }

    /// Ends the tree.
    ///
    /// # Safety
    /// Nobody refers to it, and nobody but the caller knows of it.
    pub(super) unsafe fn end(tree: *const Tree) {
        // SAFETY: the caller's promise; the block holds an initialised tree.
        let Tree { state, .. } = unsafe { tree.read() };
        let State { memory, .. } = state.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        // SAFETY: `create` took the block from the same allocator with this layout, and its content is moved out.
        unsafe { memory.deallocate(NonNull::new_unchecked(tree.cast_mut()).cast(), Layout::new::<Tree>()) };
    }
}

impl<'t> Held<'t> {
    /// The cold part of a node of this tree.
    #[inline(always)]
    pub(super) fn cold<'a>(&'a mut self, node: &'a Node) -> &'a mut Cold {
        debug_assert!(ptr::eq(node.gate.tree, self.tree), "the lock of another tree");
        // SAFETY: `self` proves that the lock of the node's tree is held, and is borrowed for as long as the result, so
        // this is the only reference to a cold part of the tree.
        unsafe { &mut *node.cold.get() }
    }

    /// A new node below `parent`, or a root. It holds a reference to its parent and is linked, idle, with its gate
    /// shut: settle before the lock is left.
    pub(super) fn add_node(
        &mut self,
        parent: Option<&Node>,
        limit: i64,
        step: u32,
        tag: u64,
    ) -> Result<NonNull<Node>, Error> {
        if self.state.nodes >= MAX_TRACKERS {
            return Err(Error::TooMany { what: "trackers in one tree", limit: u64::from(MAX_TRACKERS) });
        }
        let depth = match parent {
            None => 0,
            Some(parent) => self.cold(parent).depth + 1,
        };
        if u32::from(depth) >= MAX_DEPTH {
            return Err(Error::TooMany { what: "levels in one tree", limit: u64::from(MAX_DEPTH) });
        }
        let block: NonNull<Node> =
            self.state.memory.allocate(Layout::new::<Node>()).ok_or(Error::NoMemory)?.cast();
        let up = parent.map_or(ptr::null(), ptr::from_ref);
        let node = Node::new(ptr::from_ref(self.tree), up, limit, step, tag, self.tree.tuning.reads_to_keep);
        // SAFETY: the block is fresh and fits a node.
        unsafe { block.write(node) };
        // SAFETY: it was just written; nobody frees it before its references are gone.
        let node = unsafe { block.as_ref() };
        node.publish_stripes(&raw const node.front.word, 0);
        self.cold(node).depth = depth;
        self.state.nodes += 1;
        if let Some(parent) = parent {
            let cold = self.cold(parent);
            cold.references += 1;
            cold.children += 1;
            self.link(parent, node, false);
        }
        self.shut(node);
        self.mark_stale(node);
        Ok(block)
    }

    /// One more reference to a node that is alive.
    pub(super) fn keep(mut self, node: &Node) {
        self.cold(node).references += 1;
        let mut drain = None;
        self.leave(&mut drain);
        if let Some(drain) = drain {
            drain.run();
        }
    }

    /// Gives up one reference to a node. Nodes without any are unlinked, and chained to `dead`, to be buried after the
    /// lock is left.
    pub(super) fn release_node(&mut self, node: &Node, dead: &mut Dead) {
        let mut node = node;
        loop {
            let cold = self.cold(node);
            cold.references -= 1;
            if cold.references > 0 {
                return;
            }
            let parent = node.parent();
            if let Some(parent) = parent {
                let active = node.total.slack.load(Ordering::Relaxed) > 0;
                self.unlink(parent, node, active);
                self.cold(parent).children -= 1;
            }
            self.chain(node, dead);
            if !node.is_leaf() {
                // Its share node is part of it.
                self.chain(node.leaf(), dead);
            }
            match parent {
                Some(parent) => node = parent,
                None => return,
            }
        }
    }

    fn chain(&mut self, node: &Node, dead: &mut Dead) {
        self.state.nodes -= 1;
        self.cold(node).next = dead.first;
        dead.first = ptr::from_ref(node);
    }

    /// The account of the tree's memory.
    pub(super) fn memory_usage(&self) -> Usage {
        self.state.memory.usage()
    }
}

/// Nodes that nobody refers to any more.
pub(super) struct Dead {
    first: *const Node,
}

impl Dead {
    pub(super) fn new() -> Dead {
        Dead { first: ptr::null() }
    }

    /// Frees them. Their listeners are dropped outside the lock: dropping is the host's code.
    pub(super) fn bury(self, tree: &Tree) {
        let mut next = self.first;
        let mut roots = 0;
        // SAFETY: nobody refers to these nodes any more but this chain.
        while let Some(node) = unsafe { next.as_ref() } {
            let mut held = tree.lock();
            next = held.cold(node).next;
            let listener = held.take_extra(node);
            drop(held);
            events::drop_of_host(listener);
            let mut held = tree.lock();
            held.give_place_back(node);
            roots += u32::from(node.front.parent.is_null());
            // SAFETY: the node is initialised, nobody refers to it, and `add_node` took it with this layout.
            unsafe {
                ptr::drop_in_place(ptr::from_ref(node).cast_mut());
                held.state.memory.deallocate(NonNull::from(node).cast(), Layout::new::<Node>());
            }
        }
        for _ in 0..roots {
            // SAFETY: the root held this reference, and whoever called holds another while it uses `tree`.
            unsafe { Tree::release(tree) };
        }
    }
}
