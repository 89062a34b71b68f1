//! The natives that Java calls once: the region, the layout of trackers in it, and what is loaded.

use crate::boundary::object;
use crate::failure::{Failure, checked, of_status};
use crate::region;
use crate::sys;
use jni::EnvUnowned;
use jni::objects::{JByteBuffer, JClass, JLongArray};
use jni::sys::{jint, jlong};

/// The version of the layout that `MemoryUsage` was written for.
const LAYOUT_VERSION: u32 = 1;

/// Opens the region (or finds it open) and answers it as a direct buffer.
pub(crate) extern "system" fn open_region<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    bytes: jlong,
) -> JByteBuffer<'local> {
    object(&mut env, 0, |env| {
        let bytes = usize::try_from(bytes).unwrap_or(0);
        let region = region::open(bytes).map_err(|words| Failure::new(sys::INVALID_ARGUMENT, words))?;
        // SAFETY: the range stays mapped for as long as the process runs; Java keeps to the parts that are committed.
        Ok(unsafe { env.new_direct_byte_buffer(region.base().as_ptr(), region.len()) }?)
    })
}

/// Writes the region's address and the layout of a tracker's memory, in the order of `Region`'s fields.
pub(crate) extern "system" fn layout<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let layout = region::layout();
        let Some(region) = region::region() else {
            return Err(Failure::new(sys::INVALID_ARGUMENT, "the region is not open".to_owned()));
        };
        if layout.version != LAYOUT_VERSION || (layout.struct_size as usize) < size_of::<sys::UsageLayout>() {
            let words = format!(
                "libqueuecore lays trackers out by version {} and this library knows {LAYOUT_VERSION}: the two are not of \
                 one release",
                layout.version
            );
            return Err(Failure::new(UNSUPPORTED, words));
        }
        let fields = [
            region.base().as_ptr().expose_provenance() as jlong,
            layout.stripe_bytes.into(),
            layout.stripes_offset.into(),
            layout.stripes_log2_mask.into(),
            layout.percent_offset.into(),
            layout.state_offset.into(),
            layout.state_full_mask.into(),
            layout.percent_unknown,
            sys::qc_abi_version().into(),
            // The dead node stands at the beginning.
            layout.inline_word_offset.into(),
            layout.state_stopped_mask.into(),
        ];
        Ok(into.set_region(env, 0, &fields)?)
    });
}

/// `QC_ERR_UNSUPPORTED`.
const UNSUPPORTED: sys::Status = 13;

/// Throws what a call throws that ends with this status, so that the tests see the whole table.
pub(crate) extern "system" fn fail<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    status: jint,
) {
    object(&mut env, 0, |_| checked(status).map_err(|_| of_status(status)));
}

/// Panics, so that the tests see what becomes of it.
pub(crate) extern "system" fn panic<'local>(mut env: EnvUnowned<'local>, _class: JClass<'local>) {
    #[allow(clippy::panic, reason = "that is what it is for")]
    object(&mut env, 0, |_| -> Result<(), Failure> { panic!("asked to") });
}
