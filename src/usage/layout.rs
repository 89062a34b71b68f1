//! The memory layout of a node for other languages, which run the fast path on the same memory.
//!
//! A client reads `stripes` of a node: the low bits are the logarithm of the number of stripes, the rest is the address
//! of the first. It takes one of them by the processor or the thread it runs on, loads the word, and if the upper half
//! (taking) or the lower half (putting back) is at least the amount, exchanges it for the word that has the amount moved
//! (`word.rs`). If there is only one and `last_user` is not the processor it runs on, it calls the library, which notes a
//! sign of contention. In every other case it calls the library too. It reads `percent` (unless that is `percent_unknown`) and
//! `state` of a node and its ancestors. It writes nothing but stripe words.

use super::node::{FULL, Front, Node, STOPPED, Stripe, UNKNOWN};
use std::mem::offset_of;

/// The version of the layout: changed with everything below.
pub(crate) const VERSION: u32 = 1;

/// See the head of this file; offsets in bytes from the start of a node.
pub(crate) struct Layout {
    pub(crate) version: u32,
    pub(crate) node_bytes: u32,
    pub(crate) stripe_bytes: u32,
    pub(crate) stripes_offset: u32,
    pub(crate) stripes_log2_mask: u32,
    pub(crate) parent_offset: u32,
    pub(crate) percent_offset: u32,
    pub(crate) state_offset: u32,
    pub(crate) state_full_mask: u32,
    pub(crate) percent_unknown: i64,
    pub(crate) inline_word_offset: u32,
    pub(crate) last_user_offset: u32,
    pub(crate) state_stopped_mask: u32,
}

/// The layout of this build.
pub(crate) const LAYOUT: Layout = Layout {
    version: VERSION,
    node_bytes: size_of::<Node>() as u32,
    stripe_bytes: size_of::<Stripe>() as u32,
    stripes_offset: (offset_of!(Node, front) + offset_of!(Front, stripes)) as u32,
    stripes_log2_mask: super::node::STRIPES_MASK as u32,
    parent_offset: (offset_of!(Node, front) + offset_of!(Front, parent)) as u32,
    percent_offset: (offset_of!(Node, front) + offset_of!(Front, percent)) as u32,
    state_offset: (offset_of!(Node, front) + offset_of!(Front, state)) as u32,
    state_full_mask: FULL,
    percent_unknown: UNKNOWN,
    inline_word_offset: (offset_of!(Node, front) + offset_of!(Front, word)) as u32,
    last_user_offset: (offset_of!(Node, front) + offset_of!(Front, last_user)) as u32,
    state_stopped_mask: STOPPED,
};
