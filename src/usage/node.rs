//! A node of the tree in memory: what every call reads, what slow calls write, what the holder of the lock keeps.
//!
//! ```text
//! offset 0               64       88                       192             256
//!        +---------------+--------+------+-----------------+---------------+
//!        | Front         | Gate   | Cold                   | Total         |
//!        | word, answers | checks | bounds, links, counters| G, slack      |
//!        +---------------+--------+------+-----------------+---------------+
//!        |<----- one pair of lines ----->|<------ one pair of lines ------>|
//!
//! stripes --> the word in Front, or a place in a group of stripes (`stripes.rs`), 128 bytes apart
//! ```
//! `Front` is read by every operation and every question. The word in it is written as long as it is the node's only
//! stripe: then few threads use the node, and an operation touches this one line. Once threads contend the node gets a
//! block of stripes, and `Front` is written only when the answer to a question changes. `Total` is written by whoever
//! changes the committed total, who then reads `Gate`, which changes at crossings and loans. `Front` and `Total` stand in
//! different pairs of lines, as processors fetch lines in pairs. `Cold` belongs to the holder of the tree's lock; its
//! first 40 bytes, which a crossing reads, share the line of `Gate`.
//!
//! Other languages run the fast path on this memory: `layout.rs` publishes the offsets.

use super::extra::Extra;
use super::stripes::Header;
use super::tree::Tree;
use super::word;
use crate::sync::{
    AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Guarded, Ordering, stripe_hint, stripe_hint_if_known,
};
use std::ptr;

/// `Front::percent` while nobody keeps it: the reader computes it.
pub(super) const UNKNOWN: i64 = i64::MIN;
/// `Front::state`: some level at or above 100 % here.
pub(super) const FULL: u32 = 1;
/// `Front::state`: over the upper mark, and not yet below the lower one.
pub(super) const OVER_MARK: u32 = 2;
/// `Front::state`: the level is so near an end of its range that operations have to look first.
pub(super) const FAR: u32 = 8;
/// `Front::state`: waits are answered with `Stopped`.
pub(super) const STOPPED: u32 = 4;

/// What every call reads.
#[cfg_attr(not(loom), repr(C, align(64)))]
pub(super) struct Front {
    /// The stripe of a node that has only one.
    pub(super) word: AtomicU64,
    /// Where this node's stripes begin; the low bits hold the logarithm of their number.
    pub(super) stripes: AtomicPtr<AtomicU64>,
    pub(super) parent: *const Node,
    /// The percent, or `UNKNOWN`.
    pub(super) percent: AtomicI64,
    pub(super) limit: AtomicI64,
    pub(super) min_delta: AtomicU32,
    /// [`FULL`], [`OVER_MARK`], [`FAR`] and [`STOPPED`]. Written under the lock.
    pub(super) state: AtomicU32,
    /// Reads of a percent that nobody keeps until it is kept. A hint: written without order.
    pub(super) reads_left: AtomicU32,
    /// Signs of contention at the only stripe, since when, and who used it last. See `stripes.rs`; hints.
    pub(super) lost: AtomicU32,
    pub(super) window_ms: AtomicU32,
    pub(super) last_user: AtomicU32,
}

/// What every writer of the committed total compares it with, and only a crossing or a loan changes.
///
/// Not beside the total: there it would be fetched twice whenever another thread takes that line between the addition
/// and the comparison.
#[cfg_attr(not(loom), repr(C, align(8)))]
pub(super) struct Gate {
    /// A writer of `committed` that finds it below this afterwards goes to the lock.
    pub(super) check_lo: AtomicI64,
    /// A writer of `committed` that finds it at or above this afterwards goes to the lock.
    pub(super) check_hi: AtomicI64,
    /// Whoever crosses needs it next.
    pub(super) tree: *const Tree,
}

/// What slow operations write: all of it in one line, so that each writes one shared line per level.
#[cfg_attr(not(loom), repr(C, align(64)))]
pub(super) struct Total {
    /// The committed total: usage plus the credit of every stripe below.
    pub(super) committed: AtomicI64,
    /// The sum of the caps of all stripes below. Written under the lock.
    pub(super) slack: AtomicI64,
    /// Odd while `slack` and `committed` change together. Written under the lock.
    pub(super) version: AtomicU64,
    /// Reservations that wait here or below, in bytes: their space is held. Written under the lock.
    pub(super) held: AtomicI64,
    /// What a pass over the waiting reservations has met so far. Written under the lock.
    pub(super) ahead: AtomicI64,
    pub(super) tag: u64,
    /// The node that carries this node's own share, or null if that is the node itself. See `share.rs`.
    pub(super) own: AtomicPtr<Node>,
    /// Slow operations to let pass before the next attempt to lend. A hint: written without order.
    pub(super) patience_left: AtomicU32,
    /// Those of the references that count here as the handle's owner does: cursors. Written and read under the lock; it
    /// stands here because here is room.
    pub(super) users: AtomicU32,
}

/// What the holder of the lock keeps: first what a crossing touches.
#[cfg_attr(not(loom), repr(C))]
pub(super) struct Cold {
    /// While the gate is shut, the bounds that it opens with.
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// The next node whose gate is shut.
    pub(super) next_gated: *const Node,
    /// Listener, marks and queue of events; null while there are none.
    pub(super) extra: *mut Extra,
    pub(super) flags: Flags,
    pub(super) depth: u8,
    /// Crossings of a percent step until the steps are given up.
    pub(super) crossings_left: u16,
    /// Logarithms: how long the next two patiences are.
    pub(super) crossings_log2: u8,
    pub(super) backoff_log2: u8,
    /// Logarithm of what the next fresh stripe gets.
    pub(super) lend_log2: u8,
    pub(super) active_stripes: u16,
    /// Children with slack, the one that got it last first; then, apart, those without.
    pub(super) active: *const Node,
    pub(super) idle: *const Node,
    pub(super) next: *const Node,
    pub(super) previous: *const Node,
    /// The group that the node's stripes stand in; null while it has one.
    pub(super) group: *mut Header,
    /// One for the handle, one for each child, one for each call that must outlive the handle.
    pub(super) references: u32,
    pub(super) children: u32,
    /// Parts per million of the parent's limit; 0 for a limit of its own.
    pub(super) share_ppm: u32,
    /// Room for events, once somebody wants them.
    pub(super) event_capacity: u32,
}

/// Yes-or-no facts of a node, under the lock.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    /// The gate is shut: every writer of `committed` comes to the lock.
    pub(super) gated: bool,
    /// Bounds and answers have to be computed anew.
    pub(super) stale: bool,
    /// Percent steps are among the bounds although nobody listens: somebody reads the percent.
    pub(super) steps: bool,
    /// The handle is gone: a wait that comes all the same, by a call that kept the node, ends at once. What is counted
    /// stays until the last user is gone too.
    pub(super) closed: bool,
}

/// A tracker's memory.
#[cfg_attr(not(loom), repr(C, align(128)))]
pub(crate) struct Node {
    pub(super) front: Front,
    pub(super) gate: Gate,
    /// Only [`super::tree::Held::cold`] follows it.
    pub(super) cold: Guarded<Cold>,
    pub(super) total: Total,
}

/// The words of one processor for the nodes of a group: a pair of lines that no other processor writes.
#[cfg_attr(not(loom), repr(C, align(128)))]
pub(super) struct Stripe {
    pub(super) words: [AtomicU64; WORDS],
}

/// Nodes that share a group.
pub(super) const WORDS: usize = 16;

#[cfg(not(loom))]
const _: () = assert!(size_of::<Node>() <= 256 && size_of::<Cold>() <= 104 && size_of::<Stripe>() == 128);
#[cfg(not(loom))]
const _: () = assert!(size_of::<Front>() == 64 && size_of::<Total>() == 64);

/// What a node's committed total is ahead of its level once the node has a share node. So whoever adds to the total
/// learns from the very sum whether the node had one at that moment. Levels of the two kinds lie apart: the first end at
/// 2 * 2^60 and the second begin at 3 * 2^60.
pub(super) const INNER: i64 = 5 << 60;

/// Whether a raw total is that of a node with a share node.
pub(super) fn is_inner(raw: i64) -> bool {
    raw > INNER / 2
}

/// The level that a raw total stands for.
pub(super) fn level_of(raw: i64) -> i64 {
    if is_inner(raw) { raw - INNER } else { raw }
}

/// Bits of `Front::stripes` that hold the logarithm.
pub(super) const STRIPES_MASK: usize = 7;
/// The most stripes of a node.
pub(super) const MAX_STRIPES: u32 = 128;

impl Node {
    /// A node without parent and children that counts nothing yet. It has to be initialised: bounds and gate.
    pub(super) fn new(
        tree: *const Tree,
        parent: *const Node,
        limit: i64,
        min_delta: u32,
        tag: u64,
        reads: u32,
    ) -> Node {
        Node {
            front: Front {
                word: AtomicU64::new(0),
                stripes: AtomicPtr::new(ptr::null_mut()),
                parent,
                percent: AtomicI64::new(UNKNOWN),
                limit: AtomicI64::new(limit),
                min_delta: AtomicU32::new(min_delta),
                state: AtomicU32::new(0),
                reads_left: AtomicU32::new(reads),
                lost: AtomicU32::new(0),
                window_ms: AtomicU32::new(0),
                last_user: AtomicU32::new(0),
            },
            gate: Gate { check_lo: AtomicI64::new(i64::MAX), check_hi: AtomicI64::new(i64::MIN), tree },
            cold: Guarded::new(Cold {
                lo: 0,
                hi: 0,
                group: ptr::null_mut(),
                extra: ptr::null_mut(),
                active: ptr::null(),
                idle: ptr::null(),
                next: ptr::null(),
                previous: ptr::null(),
                next_gated: ptr::null(),
                event_capacity: 0,
                references: 1,
                children: 0,
                share_ppm: 0,
                flags: Flags::default(),
                crossings_left: 0,
                crossings_log2: 0,
                backoff_log2: 0,
                lend_log2: 0,
                depth: 0,
                active_stripes: 0,
            }),
            total: Total {
                committed: AtomicI64::new(0),
                slack: AtomicI64::new(0),
                version: AtomicU64::new(0),
                held: AtomicI64::new(0),
                ahead: AtomicI64::new(0),
                tag,
                own: AtomicPtr::new(ptr::null_mut()),
                patience_left: AtomicU32::new(0),
                users: AtomicU32::new(0),
            },
        }
    }

    #[inline(always)]
    pub(super) fn parent(&self) -> Option<&Node> {
        // SAFETY: a child holds a reference to its parent from before it is made to after it is gone.
        unsafe { self.front.parent.as_ref() }
    }

    #[inline(always)]
    pub(super) fn tree(&self) -> &Tree {
        // SAFETY: every node holds a reference to its tree.
        unsafe { &*self.gate.tree }
    }

    /// This node and its ancestors, up to the root.
    #[inline(always)]
    pub(super) fn path(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(self), |node| node.parent())
    }

    /// The node that carries this node's own share.
    pub(super) fn leaf(&self) -> &Node {
        // Acquire: pairs with the release in `share::split_off`, which made that node.
        let own = self.total.own.load(Ordering::Acquire);
        // SAFETY: it is freed only together with this node.
        unsafe { own.as_ref() }.unwrap_or(self)
    }

    /// The word that this thread uses, for the fast path: a processor that finds another one's traces at a node's only
    /// word leaves a sign of contention. Not under the lock.
    #[inline(always)]
    pub(super) fn stripe_in_turn(&self) -> &AtomicU64 {
        // Acquire: as in `stripe`.
        let tagged = self.front.stripes.load(Ordering::Acquire);
        let hint = stripe_hint();
        // Relaxed: a hint.
        if tagged.addr() & STRIPES_MASK == 0 && self.front.last_user.load(Ordering::Relaxed) != hint as u32 {
            self.note_other_processor(hint);
        }
        Self::word_at(tagged, hint)
    }

    /// As `stripe_in_turn`, or `None` where that has more to do than look.
    #[inline(always)]
    pub(super) fn stripe_if_calm(&self) -> Option<&AtomicU64> {
        // Acquire: as in `stripe`.
        let tagged = self.front.stripes.load(Ordering::Acquire);
        let hint = stripe_hint_if_known()?;
        // Relaxed: a hint.
        let is_calm =
            tagged.addr() & STRIPES_MASK != 0 || self.front.last_user.load(Ordering::Relaxed) == hint as u32;
        is_calm.then(|| Self::word_at(tagged, hint))
    }

    /// The word that this thread uses.
    pub(super) fn stripe(&self) -> &AtomicU64 {
        // Acquire: pairs with the release in `publish_stripes`: the words are there before their address is.
        Self::word_at(self.front.stripes.load(Ordering::Acquire), stripe_hint())
    }

    #[inline(always)]
    fn word_at<'a>(tagged: *mut AtomicU64, hint: usize) -> &'a AtomicU64 {
        let log2 = tagged.addr() & STRIPES_MASK;
        if log2 == 0 {
            // SAFETY: as below, for the only word.
            return unsafe { &*tagged };
        }
        let mask = (1_usize << log2) - 1;
        let first = tagged.map_addr(|address| address & !STRIPES_MASK);
        // SAFETY: the first of 1 << n words stands there, the index is below that, and neither the word in `Front` nor
        // a place in a group is given back before the node (that of a share node goes together with its parent).
        unsafe { &*first.byte_add((hint & mask) * size_of::<Stripe>()) }
    }

    /// All words that are in use. For the holder of the lock, who alone changes which those are.
    pub(super) fn stripes(&self) -> impl Iterator<Item = &AtomicU64> {
        let tagged = self.front.stripes.load(Ordering::Acquire);
        let count = 1_usize << (tagged.addr() & STRIPES_MASK);
        let first = tagged.map_addr(|address| address & !STRIPES_MASK);
        // SAFETY: as in `stripe`.
        (0..count).map(move |index| unsafe { &*first.byte_add(index * size_of::<Stripe>()) })
    }

    /// How many words are in use.
    pub(super) fn stripe_count(&self) -> u32 {
        1 << (self.front.stripes.load(Ordering::Acquire).addr() & STRIPES_MASK)
    }

    /// Makes `1 << log2` words, the first of them at `first`, the ones to use.
    pub(super) fn publish_stripes(&self, first: *const AtomicU64, log2: u32) {
        debug_assert!(
            first.addr() & STRIPES_MASK == 0 && log2 as usize <= STRIPES_MASK,
            "no room for {log2}"
        );
        let tagged = first.cast_mut().map_addr(|address| address | log2 as usize);
        // Release: pairs with the acquire in `stripe`.
        self.front.stripes.store(tagged, Ordering::Release);
    }

    /// Whether this node has no share node: then the words it uses are its own.
    pub(super) fn is_leaf(&self) -> bool {
        // Acquire: as in `leaf`.
        self.total.own.load(Ordering::Acquire).is_null()
    }

    pub(super) fn limit(&self) -> i64 {
        // Relaxed: written under the lock; a reader without it looks at the version as well.
        self.front.limit.load(Ordering::Relaxed)
    }

    /// What waiting reservations hold here, in bytes.
    pub(super) fn held_bytes(&self) -> i64 {
        // Relaxed: written under the lock.
        self.total.held.load(Ordering::Relaxed)
    }

    /// What a pass over the waiting reservations has met here so far, in bytes.
    pub(super) fn ahead_bytes(&self) -> i64 {
        // Relaxed: written under the lock.
        self.total.ahead.load(Ordering::Relaxed)
    }

    pub(super) fn min_delta(&self) -> u32 {
        // Relaxed: as `limit`.
        self.front.min_delta.load(Ordering::Relaxed)
    }

    /// What stands in `Total` for a level, and for the checks it is compared with. For the holder of the lock.
    pub(super) fn raw(&self, level: i64) -> i64 {
        if self.is_leaf() { level } else { level + INNER }
    }

    /// The level that stands for it.
    pub(super) fn unraw(&self, raw: i64) -> i64 {
        if self.is_leaf() { raw } else { raw.saturating_sub(INNER) }
    }

    /// The committed total as the last writer left it: a read-modify-write, so that what that writer saw and did
    /// before is seen as well. For the holder of the lock.
    pub(super) fn committed(&self) -> i64 {
        // AcqRel: pairs with every other read-modify-write of `committed`.
        level_of(self.total.committed.fetch_add(0, Ordering::AcqRel))
    }

    /// The credit that is in this node's own words. For the holder of the lock; exact if nobody uses them.
    pub(super) fn own_credit(&self) -> i64 {
        // Acquire: pairs with the release of the exchanges that moved the credit.
        self.stripes().map(|stripe| word::unpack(stripe.load(Ordering::Acquire)).0).sum()
    }
}
