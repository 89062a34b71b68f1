//! The parts of a tracker for the C ABI, whose calls deliver events only after they have let go of the handle, and whose
//! handles may be destroyed while a call waits. The Java binding is built on the same.

pub(crate) use super::configure::{
    set_limit, set_marks, set_min_delta, set_receiver, set_share, set_stopped, set_usage,
};
pub(crate) use super::events::Drain;
pub(crate) use super::extra::Receiver;
pub(crate) use super::node::Node;
pub(crate) use super::notify::{
    is_in_line, notify_when_below, notify_when_not_full, reserve_later, space_later, withdraw_reservation,
};
pub(crate) use super::operate::{After, decrease, increase, put_back_at_once, take_at_once};
pub(crate) use super::poll::{descriptor, poll_events};
pub(crate) use super::read::{
    is_full, is_full_at, is_over_mark, is_stopped, kept_percent, percent, usage, usage_exact,
};
pub(crate) use super::stats::{children, stats};
pub(crate) use super::wait::{Scope, reserve_wait, try_reserve, wait_for_space};
use super::{NonNull, Ordering, Tracker};
pub(crate) use super::{close, deadline, make_child};

impl Tracker {
    /// The node, which keeps the reference of the handle until [`close`].
    pub(crate) fn into_node(self) -> NonNull<Node> {
        let node = self.node;
        std::mem::forget(self);
        node
    }

    /// A tracker beside the handle, for who counts on the node as the handle does: it stays when the handle goes.
    /// `None` if the handle is gone already.
    pub(crate) fn user_of(node: &Node) -> Option<Tracker> {
        let mut held = node.tree().lock();
        if held.cold(node).flags.closed {
            return None;
        }
        // Relaxed: as in `leave`.
        node.total.users.fetch_add(1, Ordering::Relaxed);
        held.keep(node);
        Some(Tracker { node: NonNull::from(node), is_user: true })
    }

    /// One more handle to a node, for as long as a call needs it: to be given back with [`let_go`].
    pub(crate) fn keep(node: &Node) {
        node.tree().lock().keep(node);
    }
}

/// The limit of a node; 0 means unlimited.
pub(crate) fn limit(node: &Node) -> u64 {
    node.limit().unsigned_abs()
}

/// Gives up what `Tracker::keep` took.
///
/// # Safety
/// The caller has such a reference to `node` and does not use the node after this.
pub(crate) unsafe fn let_go(node: NonNull<Node>) {
    // SAFETY: alive by the caller's reference.
    super::let_go(unsafe { node.as_ref() });
}
