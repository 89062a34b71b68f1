//! A hold on a tracker's memory: for languages whose threads may still be looking at it when the tracker is destroyed.

use super::args::Out;
use super::guard::{Opaque, guard, publish};
use super::handle::Kind;
use super::status::qc_status;
use super::usage::qc_usage;
use crate::usage::Tracker;
use crate::usage::raw::{self, After, Node};
use std::ffi::c_void;
use std::ptr::NonNull;

/// A hold on a tracker's memory: while there is one, the address that came with it stays good.
pub struct qc_usage_hold {
    _opaque: [u8; 0],
}

impl Opaque for qc_usage_hold {
    type Instance = Node;
    const KIND: Kind = Kind::UsageHold;
    const NAME: &'static str = "hold on a usage tracker";

    unsafe fn dispose(node: NonNull<Node>) {
        // SAFETY: `qc_usage_keep_node` took the reference that ends here.
        unsafe { raw::let_go(node) }
    }
}

/// As `qc_usage_node`, and keeps the memory: the address stays good until the hold is destroyed, whatever becomes of the
/// tracker, so threads may use it while and after another one calls `qc_usage_destroy`.
///
/// After that (and once no cursor uses the tracker any more) the stripes are empty and stay so, hence counting comes to the
/// library, which answers QC_ERR_DESTROYED. Percent and state stay as they were last, unless the tracker has children. Until
/// the hold is destroyed as well, the tracker's memory is in use, and it stands among its parent's children.
///
/// Parameters: `self` is the tracker; `out_hold` gets the hold, for `qc_usage_hold_destroy`; `out_node` gets the address.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_hold` or `out_node` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_CAPACITY, QC_ERR_NO_MEMORY: there is no handle for it, as for `qc_usage_create`.
///
/// Any thread. The tree's lock; constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_keep_node(
    self_: *mut qc_usage,
    out_hold: *mut *mut qc_usage_hold,
    out_node: *mut *const c_void,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives places for the two.
        unsafe { Out::required("out_hold", out_hold)?; Out::required("out_node", out_node)?; }
        Tracker::keep(node);
        Ok(After { answer: Ok(NonNull::from(node)), drain: None })
    }, |node| {
        let hold = publish::<qc_usage_hold>(node).map_err(|(node, failed)| {
            // SAFETY: the reference from above, which nobody else knows of.
            unsafe { raw::let_go(node) };
            failed
        })?;
        // SAFETY: as above.
        unsafe {
            Out::required("out_hold", out_hold)?.write(hold);
            Out::required("out_node", out_node)?.write(node.as_ptr().cast_const().cast());
        }
        Ok(())
    })
}

/// Ends a hold. If the tracker is destroyed too, and has no children, its memory goes back.
///
/// Parameters: `self` is the hold, or NULL, which does nothing and answers QC_OK.
///
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no hold; nothing was done.
/// QC_ERR_PANIC: the `free` callback panicked; the hold is destroyed all the same, some memory may be lost.
///
/// Any thread, but none that uses the address still. The tree's lock; constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_hold_destroy(self_: *mut qc_usage_hold) -> qc_status {
    guard!(destroy self_)
}
