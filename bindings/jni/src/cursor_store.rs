//! A cursor's store, which is a Java object: the one place where native code calls up into Java, once for a page.
//!
//! The library asks for a page from inside a pull or a browse, by the thread that made that call. So nothing of Java's is
//! kept here between calls: the native of the pull notes its environment and its Java object ([`Call`]), `fetch` uses
//! them, and what the Java object has left in its page is copied. A reference kept for good would tie the cursor to itself
//! through the store, and the collector would never find it. (To let the pull fail, have Java read the page and pull again
//! would do without calling up, but a fetch that fails makes the next page shorter and loses a turn in the group.)
//!
//! What is to be discarded is told later: `discard` notes it, and Java takes the notes when its call has returned.
//!
//! ```text
//! pull (Java) -> native -> library -> fetch -> NativeCursor.fetch (Java) -> the store
//!                             |-> discard -> notes                             |-> page, copied from here
//! notes <- takeDiscards <- Java, when it is back
//! ```

use crate::batch::HEAD;
use crate::boundary::address;
use crate::sys_cursor::Stored;
use jni::objects::{JClass, JObject};
use jni::sys::{JNIEnv, jclass, jlong, jobject};
use jni::{Env, EnvUnowned, JValue, jni_sig, jni_str};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What `fetch` answers when Java's store threw, or could not be called. Java knows why.
const FAILED: i32 = -1;

thread_local! {
    /// The pull or browse that this thread is inside of.
    static CALL: Cell<Option<Call>> = const { Cell::new(None) };
}

/// A call from Java that may have to call back.
#[derive(Clone, Copy)]
struct Call {
    env: *mut JNIEnv,
    class: jclass,
    cursor: jobject,
}

/// While there is one, `fetch` calls that Java object.
pub(crate) struct Callable {
    outer: Option<Call>,
}

impl Callable {
    pub(crate) fn enter<'local>(
        env: &EnvUnowned<'local>,
        class: &JClass<'local>,
        cursor: &JObject<'local>,
    ) -> Callable {
        let call = Call { env: env.as_raw(), class: class.as_raw(), cursor: cursor.as_raw() };
        Callable { outer: CALL.replace(Some(call)) }
    }
}

impl Drop for Callable {
    fn drop(&mut self) {
        CALL.set(self.outer);
    }
}

/// What belongs to a cursor of Java's beside the library's own. The library calls it by this address; Java ends it when
/// the collector has found the cursor, so no call can be inside.
#[derive(Default)]
pub(crate) struct Notes {
    discarded: Mutex<Vec<Stored>>,
    /// How many there are.
    waiting: AtomicUsize,
}

impl Notes {
    /// The notes that Java keeps as a number.
    ///
    /// # Safety
    /// They are those of a cursor that Java has.
    pub(crate) unsafe fn of<'a>(number: jlong) -> &'a Notes {
        // SAFETY: the caller's promise.
        unsafe { &*address::<Notes>(number) }
    }

    /// How many are to be told.
    pub(crate) fn len(&self) -> usize {
        // Relaxed: who asks has noted them itself, or takes them under the lock.
        self.waiting.load(Ordering::Relaxed)
    }

    /// Takes some of them away, the last ones first. Three numbers each: sequence, user, and size.
    pub(crate) fn take(&self, into: &mut [[jlong; 3]]) -> usize {
        let mut discarded = self.discarded.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = 0;
        for place in into {
            let Some(message) = discarded.pop() else { break };
            *place = [message.sequence as jlong, message.user as jlong, message.size_bytes.into()];
            count += 1;
        }
        if discarded.is_empty() {
            *discarded = Vec::new();
        }
        // Relaxed: see `len`.
        self.waiting.store(discarded.len(), Ordering::Relaxed);
        count
    }
}

/// The library's `discard`.
pub(crate) unsafe extern "C" fn discard(notes: *mut c_void, message: *const Stored) {
    // SAFETY: the library gives back the context of the cursor, which is there, and a message that is good during this call.
    let (notes, message) = unsafe { (&*notes.cast::<Notes>(), *message) };
    let mut discarded = notes.discarded.lock().unwrap_or_else(PoisonError::into_inner);
    discarded.push(message);
    // Relaxed: see `len`.
    notes.waiting.store(discarded.len(), Ordering::Relaxed);
}

/// The library's `fetch`.
pub(crate) unsafe extern "C" fn fetch(
    _notes: *mut c_void,
    after: u64,
    up_to: u64,
    max_messages: u32,
    max_bytes: u64,
    out: *mut Stored,
    count: *mut usize,
) -> i32 {
    // None is no call from Java: a program in another language uses the handle.
    let Some(call) = CALL.get() else { return FAILED };
    let ask = |env: &mut Env<'_>| {
        // SAFETY: both are references of the native call that this thread is inside of.
        let (class, cursor) =
            unsafe { (JClass::from_raw(env, call.class), JObject::from_raw(env, call.cursor)) };
        let arguments = [
            JValue::Object(&cursor),
            JValue::Long(after as jlong),
            JValue::Long(up_to as jlong),
            JValue::Int(max_messages as i32),
            JValue::Long(max_bytes as jlong),
        ];
        let signature = jni_sig!("(Lorg/queuecore/Cursor;JJIJ)J");
        let answer = env.call_static_method(&class, jni_str!("fetch"), signature, &arguments);
        if answer.is_err() {
            // Java catches what its store throws; this is the virtual machine at its end, for want of stack, say.
            env.exception_clear();
        }
        answer?.j()
    };
    // SAFETY: the environment is this thread's, and a native of Java's is on its stack. A panic ends here.
    let mut env = unsafe { EnvUnowned::from_raw(call.env) };
    let jni::Outcome::Ok(page) = env.with_env(ask).into_outcome() else { return FAILED };
    let page = address::<u8>(page);
    if page.is_null() {
        return FAILED;
    }
    // SAFETY: a page of Java's begins with its count, and has so many messages behind its head.
    unsafe {
        let there = page.cast::<u64>().read() as usize;
        let messages = page.wrapping_add(HEAD).cast::<Stored>();
        // The library refuses more than it has asked for.
        ptr::copy_nonoverlapping(messages, out, there.min(max_messages as usize));
        count.write(there);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_discarded_is_told_once() {
        let notes = Notes::default();
        for sequence in 1..=5 {
            let message = Stored { sequence, user: sequence * 10, size_bytes: 7, ..Stored::default() };
            // SAFETY: both are good.
            unsafe { discard(ptr::from_ref(&notes).cast_mut().cast(), &raw const message) };
        }
        assert_eq!(notes.len(), 5);
        let mut room = [[0; 3]; 3];
        assert_eq!(notes.take(&mut room), 3);
        assert_eq!(room[0], [5, 50, 7]);
        assert_eq!(notes.take(&mut room), 2);
        assert_eq!((notes.take(&mut room), notes.len()), (0, 0));
    }

    #[test]
    fn without_a_call_from_java_a_fetch_fails() {
        let mut count = 9;
        // SAFETY: it looks at nothing then.
        let code = unsafe { fetch(ptr::null_mut(), 0, 1, 1, 1, ptr::null_mut(), &raw mut count) };
        assert_eq!((code, count), (FAILED, 9));
    }
}
