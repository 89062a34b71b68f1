//! A host's store: a table of functions with a context, and the adapter that lets the core call them.

use super::cursor_types::qc_stored;
use super::guard::guard;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::versioned::{self, Settings};
use crate::cursor::{Fetch, Store, StoreError, Stored};
use std::ffi::c_void;
use std::mem::offset_of;

/// Reads messages from the store: those whose sequence is above `after` and up to `up_to`, itself included, in ascending
/// order of sequence, without leaving out one that is committed and pending. As many as there are, but at most
/// `max_messages` (1 or more), and together at most `max_bytes` bytes, though the first message whatever its size.
///
/// It writes them to `out_messages`, which has room for `max_messages`, and how many to `out_count`, which is 0 before: 0
/// means that there is none in the range. It answers 0. Any other answer is the store's own number for what went wrong: the
/// call that fetched answers QC_ERR_STORE, `qc_last_error` has the number, nothing is changed, and the call can be
/// repeated. What was written then counts for nothing.
///
/// A message that was removed with `qc_cursor_remove` while it was not in memory, or while its write was open, must not come
/// again. One that was acknowledged may: acks may reach the store late, in batches. An answer that is too long, too large, out of order or
/// outside the range is refused as a whole with QC_ERR_BAD_FETCH.
///
/// Called by the thread that is inside the call on the cursor. It must not call back into that cursor, and must not throw,
/// longjmp or end the thread.
#[allow(clippy::type_complexity, reason = "the shape of a C callback")]
pub type qc_fetch_fn = Option<
    unsafe extern "C-unwind" fn(
        ctx: *mut c_void,
        after: u64,
        up_to: u64,
        max_messages: u32,
        max_bytes: u64,
        out_messages: *mut qc_stored,
        out_count: *mut usize,
    ) -> i32,
>;

/// Takes note that the body of a message can go: it was fetched and is of no use, or it was in memory and its memory is
/// given back, by `qc_cursor_drop_cache` or to make room. The sequence is 0 if the cursor does not know it yet; `user` is
/// what the message had. `message` is good during the callback only.
///
/// Called by the thread that is inside the call on the cursor. It must not call back into that cursor, and must not throw,
/// longjmp or end the thread.
pub type qc_discard_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, message: *const qc_stored)>;

/// A store of messages, as far as a cursor needs it. Fill it with `qc_store_init`, then set `fetch`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_store {
    /// `sizeof(qc_store)`; the init function sets it.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Handed to the functions as it is. It must stay good until the cursor is destroyed.
    pub ctx: *mut c_void,
    /// Reads messages. Must be set.
    pub fetch: qc_fetch_fn,
    /// Takes note that a body can go. NULL, the default, if nobody need know: then nothing hangs on `user`.
    pub discard: qc_discard_fn,
}

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks, and there are no gaps.
unsafe impl Settings for qc_store {
    const NAME: &'static str = "store";
    const DEFAULTS: qc_store = qc_store {
        struct_size: size_of::<qc_store>() as u32,
        reserved: 0,
        ctx: std::ptr::null_mut(),
        fetch: None,
        discard: None,
    };
    const ENDS: &'static [usize] = &[
        offset_of!(qc_store, reserved),
        offset_of!(qc_store, ctx),
        offset_of!(qc_store, fetch),
        offset_of!(qc_store, discard),
        size_of::<qc_store>(),
    ];
}

/// Fills a table of functions with its defaults: no function is set.
///
/// Parameters and statuses: as for `qc_cursor_policy_init`, with `out_store` and `sizeof(qc_store)`.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_store_init(out_store: *mut qc_store, struct_size: usize) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_store, struct_size) }
    })
}

/// The core's store over a host's functions.
pub(super) struct HostStore {
    ctx: *mut c_void,
    #[allow(clippy::type_complexity, reason = "the shape of a C callback")]
    fetch: unsafe extern "C-unwind" fn(*mut c_void, u64, u64, u32, u64, *mut qc_stored, *mut usize) -> i32,
    discard: qc_discard_fn,
}

// SAFETY: the header tells the host that these functions are called by whichever thread is inside a call.
unsafe impl Send for HostStore {}

/// Reads a store from a struct of any version.
///
/// # Safety
/// `store` is NULL or valid for reading as many bytes as its `struct_size` says.
pub(super) unsafe fn read(store: *const qc_store) -> Result<HostStore, Failed> {
    // SAFETY: the same promise.
    let given = unsafe { versioned::read(store) }?;
    if given.reserved != 0 {
        let reserved = given.reserved;
        return Err(fail!(QC_ERR_UNSUPPORTED, "store.reserved = {reserved} has no meaning; it must be 0"));
    }
    let Some(fetch) = given.fetch else { return Err(fail!(QC_ERR_NULL_ARGUMENT, "store.fetch is NULL")) };
    Ok(HostStore { ctx: given.ctx, fetch, discard: given.discard })
}

impl Store for HostStore {
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError> {
        let mut count = 0;
        let room = out.as_mut_ptr().cast::<qc_stored>();
        // SAFETY: the host's function, called as the header says; a `Stored` has the layout of a `qc_stored`, any bytes
        // are one, and there is room for `max_messages`.
        let code = unsafe {
            (self.fetch)(
                self.ctx,
                fetch.after,
                fetch.up_to,
                fetch.max_messages,
                fetch.max_bytes,
                room,
                &raw mut count,
            )
        };
        if code == 0 { Ok(count) } else { Err(StoreError { code }) }
    }

    fn discard(&mut self, message: &Stored) {
        if let Some(discard) = self.discard {
            // SAFETY: as in `fetch`.
            unsafe { discard(self.ctx, std::ptr::from_ref(message).cast()) }
        }
    }
}
