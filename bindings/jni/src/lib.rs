//! The native side of the Java package `org.queuecore`: `libqueuecore_jni.so`, thin, over `libqueuecore.so`.
//!
//! Java runs the fast path of a tracker itself, on memory that it shares with the library (`region`). It calls in here for
//! everything else: to make and end trackers, when a stripe runs dry, at an edge, for settings and figures; and for all that
//! histories and cursors do. What happens is left for Java to look at (`mailbox`), but for a cursor's page.
//!
//! | file | holds |
//! |---|---|
//! | `sys` | the C ABI that is called |
//! | `region`, `blocks` | the memory of trackers, as one range |
//! | `mailbox` | what Java has to be told |
//! | `boundary`, `arguments`, `failure` | natives: numbers in, no panic out; statuses as exceptions |
//! | `opening`, `trackers` | the natives of `org.queuecore.Native` |
//! | `direct`, `batch` | memory that Java and natives both look at during a call; that of a batch |
//! | `sys_history`, `history`, `history_batch`, `history_upkeep` | the natives of `org.queuecore.NativeHistory` |
//! | `sys_cursor`, `cursor`, `cursor_batch` | the natives of `org.queuecore.NativeCursor` |
//! | `cursor_store` | a cursor's store, which is a Java object: the one call up into Java |

mod arguments;
mod batch;
mod blocks;
mod boundary;
mod cursor;
mod cursor_batch;
mod cursor_natives;
mod cursor_store;
mod direct;
mod failure;
mod history;
mod history_batch;
mod history_natives;
mod history_upkeep;
mod mailbox;
mod opening;
mod region;
mod sys;
mod sys_cursor;
mod sys_history;
mod trackers;

use jni::refs::LoaderContext;
use jni::sys::{JNI_ERR, JNI_VERSION_1_8, JavaVM as RawVm, jint};
use jni::{Env, JavaVM, NativeMethod, jni_str, native_method};
use std::ffi::c_void;

/// All natives, in the order of `Native.java`. The macro compares each signature with its function.
const NATIVES: &[NativeMethod<'static>] = &[
    native_method! { static raw fn open_region(bytes: jlong) -> JByteBuffer, fn = opening::open_region },
    native_method! { static raw fn layout(into: jlong[]), fn = opening::layout },
    native_method! { static raw fn fail(status: jint), fn = opening::fail },
    native_method! { static raw fn panic(), fn = opening::panic },
    native_method! {
        static raw fn create(parent: jlong, mailbox: jlong, settings: jlong[], made: jlong[]), fn = trackers::create
    },
    native_method! { static raw fn destroy(handle: jlong, mailbox: jlong) -> jlong, fn = trackers::destroy },
    native_method! { static raw fn release_hold(hold: jlong, mailbox: jlong), fn = trackers::release_hold },
    native_method! { static raw fn release_mailbox(mailbox: jlong), fn = trackers::release_mailbox },
    native_method! { static raw fn increase(handle: jlong, mailbox: jlong, amount: jlong) -> jint, fn = trackers::increase },
    native_method! { static raw fn decrease(handle: jlong, mailbox: jlong, amount: jlong) -> jint, fn = trackers::decrease },
    native_method! {
        static raw fn try_reserve(handle: jlong, mailbox: jlong, amount: jlong) -> jint, fn = trackers::try_reserve
    },
    native_method! { static raw fn percent(handle: jlong, mailbox: jlong) -> jint, fn = trackers::percent },
    native_method! { static raw fn is_full(handle: jlong, mailbox: jlong) -> jboolean, fn = trackers::is_full },
    native_method! {
        static raw fn is_full_at(handle: jlong, mailbox: jlong, percent: jint) -> jboolean, fn = trackers::is_full_at
    },
    native_method! { static raw fn is_over_mark(handle: jlong, mailbox: jlong) -> jboolean, fn = trackers::is_over_mark },
    native_method! { static raw fn usage(handle: jlong, mailbox: jlong) -> jlong, fn = trackers::usage },
    native_method! { static raw fn usage_exact(handle: jlong, mailbox: jlong) -> jlong, fn = trackers::usage_exact },
    native_method! { static raw fn limit(handle: jlong, mailbox: jlong) -> jlong, fn = trackers::limit },
    native_method! { static raw fn set_usage(handle: jlong, mailbox: jlong, usage: jlong), fn = trackers::set_usage },
    native_method! { static raw fn set_limit(handle: jlong, mailbox: jlong, limit: jlong), fn = trackers::set_limit },
    native_method! { static raw fn set_share(handle: jlong, mailbox: jlong, share_ppm: jint), fn = trackers::set_share },
    native_method! {
        static raw fn set_min_delta(handle: jlong, mailbox: jlong, percent: jint), fn = trackers::set_min_delta
    },
    native_method! {
        static raw fn set_marks(handle: jlong, mailbox: jlong, low: jint, high: jint), fn = trackers::set_marks
    },
    native_method! { static raw fn clear_marks(handle: jlong, mailbox: jlong), fn = trackers::clear_marks },
    native_method! { static raw fn start(handle: jlong, mailbox: jlong), fn = trackers::start },
    native_method! { static raw fn stop(handle: jlong, mailbox: jlong), fn = trackers::stop },
    native_method! { static raw fn listen(handle: jlong, mailbox: jlong), fn = trackers::listen },
    native_method! { static raw fn clear_events(handle: jlong, mailbox: jlong), fn = trackers::clear_events },
    native_method! {
        static raw fn notify_when_below(
            handle: jlong, mailbox: jlong, percent: jint, notice: jlong, asked: jlong[]
        ) -> jboolean,
        fn = trackers::notify_when_below
    },
    native_method! {
        static raw fn is_in_line(handle: jlong, mailbox: jlong, ticket: jlong) -> jboolean, fn = trackers::is_in_line
    },
    native_method! {
        static raw fn reserve(handle: jlong, mailbox: jlong, amount: jlong, notice: jlong, asked: jlong[]) -> jint,
        fn = trackers::reserve
    },
    native_method! {
        static raw fn take_back(handle: jlong, mailbox: jlong, asked: jlong[]) -> jboolean,
        fn = trackers::take_back
    },
    native_method! { static raw fn stats(handle: jlong, mailbox: jlong, into: jlong[]), fn = trackers::stats },
    native_method! { static raw fn poll(mailbox: jlong, steps: jboolean, into: jlong[]) -> jint, fn = trackers::poll },
    native_method! { static raw fn wait_for_foreign() -> jlong, fn = trackers::wait_for_foreign },
    native_method! { static raw fn address_of(buffer: JByteBuffer, len: jlong) -> jlong, fn = direct::address_of },
    native_method! { static raw fn desk_value() -> jint, fn = direct::desk_value },
];

/// Called by the virtual machine when it loads the library: registers all natives.
///
/// # Safety
/// `vm` is the virtual machine's.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(vm: *mut RawVm, _reserved: *mut c_void) -> jint {
    let register = |env: &mut Env<'_>| {
        // By the class loader that loads this library, and not by the thread's: an application server has several.
        let loader = env.find_class(jni_str!("org/queuecore/NativeLibrary"))?.get_class_loader(env)?;
        let classes = [
            (jni_str!("org.queuecore.Native"), NATIVES),
            (jni_str!("org.queuecore.NativeHistory"), history_natives::NATIVES),
            (jni_str!("org.queuecore.NativeCursor"), cursor_natives::NATIVES),
        ];
        for (class, natives) in classes {
            // Not initialised: that loads this library. It would be loaded once more inside of this, or wait for ever for a
            // thread that initialises the class and waits for this.
            let class = LoaderContext::Loader(&loader).load_class(env, class, false)?;
            // SAFETY: the macro has compared each function with its signature, and all are static.
            unsafe { env.register_native_methods(class, natives) }?;
        }
        jni::errors::Result::Ok(())
    };
    let outcome = std::panic::catch_unwind(|| {
        // SAFETY: the caller's promise.
        unsafe { JavaVM::from_raw(vm) }.attach_current_thread(register)
    });
    if matches!(outcome, Ok(Ok(()))) { JNI_VERSION_1_8 } else { JNI_ERR }
}
