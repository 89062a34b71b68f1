//! The memory of a tracker, opened to other languages: they run the fast path on it without a call.

use super::args::Out;
use super::guard::guard;
use super::status::qc_status;
use super::usage::{qc_usage, written};
use crate::usage::layout::LAYOUT;
use crate::usage::raw::After;
use std::ffi::c_void;

/// Where things stand in a tracker's memory. Offsets and sizes are in bytes, from the address that `qc_usage_node` gives.
///
/// To count, read the 64-bit `stripes` word at `stripes_offset` with acquire order: its bits under `stripes_log2_mask` are
/// the logarithm of the number of stripes, the other bits are the address of the first; stripes stand `stripe_bytes` apart.
/// Take one by the number of the processor modulo their number; but if there is only one, and the 32 bits at
/// `last_user_offset` are not the number of the processor, call the library, which sees who comes in turns and makes more.
/// Read the stripe's 64-bit word with acquire order: the upper half is what may be taken, the lower half what may be put back. To count n more, with n at most the
/// upper half, exchange the word for word - n * 0xffffffff, with acquire-release order; to count n less, with n at most the
/// lower half, for word + n * 0xffffffff. In every other case, and if the exchange fails, call the library.
///
/// To ask, read the 64-bit signed percent at `percent_offset` with acquire order: unless it is `percent_unknown`, it is the
/// answer of `qc_usage_percent`; and the 32-bit state at `state_offset`: a bit of `state_full_mask` means that this level is
/// full. At `parent_offset` stands the address of the level above, or NULL. Write nothing but stripe words.
///
/// Write `struct qc_usage_layout`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_usage_layout {
    /// The size of this struct. Later versions may add fields at its end.
    pub struct_size: u32,
    /// The version of the layout. Whoever does not know it makes calls instead.
    pub version: u32,
    /// A tracker's size.
    pub node_bytes: u32,
    /// From one stripe to the next.
    pub stripe_bytes: u32,
    /// The word that leads to the stripes.
    pub stripes_offset: u32,
    /// Its bits that hold the logarithm of their number.
    pub stripes_log2_mask: u32,
    /// The address of the level above.
    pub parent_offset: u32,
    /// The percent, a signed 64-bit number.
    pub percent_offset: u32,
    /// The state, 32 bits.
    pub state_offset: u32,
    /// Its bits that mean: full.
    pub state_full_mask: u32,
    /// The percent while nobody keeps it.
    pub percent_unknown: i64,
    /// The stripe of a tracker that has only one.
    pub inline_word_offset: u32,
    /// Who used that last: the number of a processor, 32 bits.
    pub last_user_offset: u32,
    /// The state's bits that mean: waits are ended here.
    pub state_stopped_mask: u32,
    /// Always 0.
    pub reserved: u32,
}

static PUBLISHED: qc_usage_layout = qc_usage_layout {
    struct_size: size_of::<qc_usage_layout>() as u32,
    version: LAYOUT.version,
    node_bytes: LAYOUT.node_bytes,
    stripe_bytes: LAYOUT.stripe_bytes,
    stripes_offset: LAYOUT.stripes_offset,
    stripes_log2_mask: LAYOUT.stripes_log2_mask,
    parent_offset: LAYOUT.parent_offset,
    percent_offset: LAYOUT.percent_offset,
    state_offset: LAYOUT.state_offset,
    state_full_mask: LAYOUT.state_full_mask,
    percent_unknown: LAYOUT.percent_unknown,
    inline_word_offset: LAYOUT.inline_word_offset,
    last_user_offset: LAYOUT.last_user_offset,
    state_stopped_mask: LAYOUT.state_stopped_mask,
    reserved: 0,
};

/// The layout of a tracker's memory in the loaded library.
///
/// Never NULL. The struct is static: it stays valid, and the same, for as long as the library is loaded. Any thread, at any
/// time. Constant time.
#[unsafe(no_mangle)]
pub extern "C" fn qc_usage_layout() -> *const qc_usage_layout {
    &PUBLISHED
}

/// The address of a tracker's memory, laid out as `qc_usage_layout` says.
///
/// It stays valid until the tracker is destroyed. Whoever uses it has the duty that calls take off a caller's hands: no
/// thread may be using it when `qc_usage_destroy` is called. Whoever cannot see to that takes `qc_usage_keep_node`.
///
/// Parameters: `self` is the tracker; `out_node` gets the address.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_node` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_node(self_: *mut qc_usage, out_node: *mut *const c_void) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the address.
        let out = unsafe { Out::required("out_node", out_node) }?;
        let address = std::ptr::from_ref(node).cast::<c_void>();
        written(After { answer: Ok(address), drain: None }, |address| out.write(address))
    })
}
