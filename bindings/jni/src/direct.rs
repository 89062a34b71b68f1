//! Memory that Java and this library both look at during a call: direct buffers.
//!
//! Every Java object over a history or a cursor has a *desk*, a small buffer of its own: what a call answers beside the one
//! number that it returns is left there, so that no call allocates or copies an array. Its address is asked for once and kept by
//! Java beside the buffer, which keeps the memory alive.
//!
//! ```text
//! 0            8                                 256
//! +------------+---------------------------------+------------------------------+
//! | entry      | answers: up to 31 words         | a value: value_size bytes    |
//! +------------+---------------------------------+------------------------------+
//!   of the last insert   of the last call that has any
//! ```
//! Which answers a call leaves is said at each native. Words have 64 bits, in the machine's order of bytes.

use crate::boundary::{address, natives, object};
use crate::failure::Failure;
use crate::sys;
use jni::objects::{JByteBuffer, JClass};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned};

/// Where the value stands on a desk.
pub(crate) const DESK_VALUE: usize = 256;
/// How many words of answers there are.
const ANSWERS: usize = DESK_VALUE / size_of::<u64>() - 1;

/// The desk of a Java object, for the time of a call.
#[derive(Clone, Copy)]
pub(crate) struct Desk(*mut u64);

impl Desk {
    /// A desk that Java keeps as a number.
    ///
    /// # Safety
    /// The number is what `address` answered for a buffer of at least [`DESK_VALUE`] bytes, which Java keeps alive.
    pub(crate) unsafe fn of(number: jlong) -> Desk {
        Desk(address(number))
    }

    /// Leaves the entry of an insert.
    #[inline(always)]
    pub(crate) fn put_entry(self, entry: u64) {
        // SAFETY: the promise of `of`: there is room, and nobody else looks at it during the call.
        unsafe { self.0.write(entry) }
    }

    /// Leaves answers.
    pub(crate) fn put<const COUNT: usize>(self, answers: [u64; COUNT]) {
        const { assert!(COUNT <= ANSWERS, "a desk has no room for so many") };
        // SAFETY: as in `put_entry`.
        unsafe { self.0.add(1).cast::<[u64; COUNT]>().write(answers) }
    }

    /// Where the value stands. There is room for the history's `value_size`.
    pub(crate) fn value(self) -> *mut u8 {
        self.0.wrapping_byte_add(DESK_VALUE).cast()
    }
}

fn refused(words: String) -> Failure {
    Failure::new(sys::INVALID_ARGUMENT, words)
}

/// The bytes `offset..offset + len` of a direct buffer: its address, checked. The virtual machine does not say whether it may
/// be written; the caller has looked.
pub(crate) fn range(
    env: &Env<'_>,
    buffer: &JByteBuffer<'_>,
    offset: jlong,
    len: jlong,
) -> Result<(*mut u8, usize), Failure> {
    if buffer.is_null() {
        return Err(Failure::new(sys::NULL_ARGUMENT, "buffer is null".to_owned()));
    }
    let not_direct = |_| refused("buffer is not a direct one: take ByteBuffer.allocateDirect".to_owned());
    let start = env.get_direct_buffer_address(buffer).map_err(not_direct)?;
    let capacity = env.get_direct_buffer_capacity(buffer).map_err(not_direct)?;
    let end = offset.checked_add(len).and_then(|end| usize::try_from(end).ok());
    match (usize::try_from(offset), usize::try_from(len), end) {
        (Ok(offset), Ok(len), Some(end)) if end <= capacity => Ok((start.wrapping_add(offset), len)),
        _ => {
            Err(refused(format!("bytes {offset} to {offset} + {len} are not inside a buffer of {capacity}")))
        }
    }
}

natives! {
    /// Where the value stands on a desk, and with that the bytes before it.
    fn desk_value() -> jint {
        Ok(DESK_VALUE as jint)
    }
}

/// The address of a direct buffer that Java made for this library, aligned for words.
pub(crate) extern "system" fn address_of<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    buffer: JByteBuffer<'local>,
    len: jlong,
) -> jlong {
    object(&mut env, 0, |env| {
        let (start, _) = range(env, &buffer, 0, len)?;
        if !start.cast::<u64>().is_aligned() {
            return Err(refused("the memory of buffer is not aligned to 8 bytes".to_owned()));
        }
        Ok(start.expose_provenance() as jlong)
    })
}
