//! Failures and their Java exceptions: one table from `qc_status`, and the way into Java.

use crate::sys::{self, Status};
use jni::errors::ErrorPolicy;
use jni::strings::{JNIStr, JNIString};
use jni::{Env, jni_str};
use std::any::Any;
use std::ffi::CStr;

/// A status that is not OK, or words of this crate's own for one.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    /// What the library does not know.
    words: Option<String>,
}

/// Answers a status in the way of Rust.
#[inline(always)]
pub(crate) fn checked(status: Status) -> Result<(), Failure> {
    if status == sys::OK { Ok(()) } else { Err(Failure { status, words: None }) }
}

impl Failure {
    pub(crate) fn new(status: Status, words: String) -> Failure {
        Failure { status, words: Some(words) }
    }

    fn panicked(payload: &(dyn Any + Send)) -> Failure {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let words = format!("the native side of org.queuecore panicked: {}", said.unwrap_or("(no message)"));
        Failure::new(PANIC, words)
    }
}

impl From<jni::errors::Error> for Failure {
    fn from(error: jni::errors::Error) -> Failure {
        // A Java exception that is on its way already is left alone in `throw`.
        Failure::new(INTERNAL, format!("a call into the Java virtual machine failed: {error}"))
    }
}

/// `QC_ERR_PANIC`.
const PANIC: Status = 8;
/// No status of the library.
const INTERNAL: Status = -1;

const ILLEGAL_STATE: &JNIStr = jni_str!("java/lang/IllegalStateException");
const ILLEGAL_ARGUMENT: &JNIStr = jni_str!("java/lang/IllegalArgumentException");
const CONCURRENT: &JNIStr = jni_str!("java/util/ConcurrentModificationException");
const OWN: &JNIStr = jni_str!("org/queuecore/QueuecoreException");

/// Every status with its name and its exception, in the order of the numbers from 1 on.
const TABLE: [(&str, &JNIStr); 31] = [
    ("QC_ERR_NULL_HANDLE", ILLEGAL_STATE),
    ("QC_ERR_FOREIGN_HANDLE", ILLEGAL_STATE),
    ("QC_ERR_WRONG_PART", ILLEGAL_STATE),
    ("QC_ERR_DESTROYED", ILLEGAL_STATE),
    ("QC_ERR_BUSY", CONCURRENT),
    ("QC_ERR_REENTRANT", CONCURRENT),
    ("QC_ERR_POISONED", OWN),
    ("QC_ERR_PANIC", OWN),
    ("QC_ERR_NULL_ARGUMENT", jni_str!("java/lang/NullPointerException")),
    ("QC_ERR_INVALID_ARGUMENT", ILLEGAL_ARGUMENT),
    ("QC_ERR_OUT_OF_RANGE", ILLEGAL_ARGUMENT),
    ("QC_ERR_OVERFLOW", ILLEGAL_ARGUMENT),
    ("QC_ERR_UNSUPPORTED", jni_str!("java/lang/UnsupportedOperationException")),
    ("QC_ERR_NO_MEMORY", jni_str!("java/lang/OutOfMemoryError")),
    ("QC_ERR_CAPACITY", OWN),
    ("QC_ERR_CLOCK", ILLEGAL_ARGUMENT),
    ("QC_ERR_STALE_HANDLE", ILLEGAL_STATE),
    ("QC_ERR_NOT_FOUND", jni_str!("java/util/NoSuchElementException")),
    ("QC_ERR_CALLBACK", OWN),
    ("QC_ERR_TIMED_OUT", OWN),
    ("QC_ERR_STOPPED", ILLEGAL_STATE),
    ("QC_ERR_LEVEL", jni_str!("java/lang/ArithmeticException")),
    ("QC_ERR_NEVER_FITS", ILLEGAL_ARGUMENT),
    ("QC_ERR_NO_DESCRIPTOR", OWN),
    ("QC_ERR_ORDER", ILLEGAL_ARGUMENT),
    ("QC_ERR_NOT_IN_FLIGHT", ILLEGAL_STATE),
    ("QC_ERR_STORE", OWN),
    ("QC_ERR_BAD_FETCH", OWN),
    ("QC_ERR_BAD_BUFFER", ILLEGAL_ARGUMENT),
    ("QC_ERR_IN_USE", ILLEGAL_STATE),
    ("QC_ERR_NOT_BEGUN", ILLEGAL_STATE),
];

/// A status's name and exception.
fn row(status: Status) -> (&'static str, &'static JNIStr) {
    let index = usize::try_from(status).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| TABLE.get(index)).copied().unwrap_or(("an unknown status", OWN))
}

fn text(words: *const std::ffi::c_char) -> String {
    // SAFETY: the library's texts are never null and end in a zero byte; this thread's stays until its next call.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

/// Lets Java throw the failure, unless it is about to throw something else already.
fn throw(env: &mut Env<'_>, failure: &Failure) -> jni::errors::Result<()> {
    if env.exception_check() {
        return Ok(());
    }
    let (name, class) = row(failure.status);
    let words = failure.words.clone().unwrap_or_else(|| text(sys::qc_last_error()));
    let message = JNIString::from(format!("{name}: {words}"));
    // By the class loader of the class whose native this is, and not by the thread's.
    let class = env.find_class(class)?;
    match env.throw_new(class, &message) {
        // That is what it answers when it has thrown.
        Ok(()) | Err(jni::errors::Error::JavaException) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What happens to a native's failure or panic: it becomes an exception, and the native answers 0.
pub(crate) struct Throw;

impl<T: Default> ErrorPolicy<T, Failure> for Throw {
    type Captures<'local: 'native, 'native> = ();

    fn on_error<'local: 'native, 'native>(
        env: &mut Env<'local>,
        (): &mut (),
        failure: Failure,
    ) -> jni::errors::Result<T> {
        throw(env, &failure).map(|()| T::default())
    }

    fn on_panic<'local: 'native, 'native>(
        env: &mut Env<'local>,
        (): &mut (),
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        throw(env, &Failure::panicked(&*payload)).map(|()| T::default())
    }
}

/// A failure with the library's short text, for the tests of the table.
pub(crate) fn of_status(status: Status) -> Failure {
    Failure::new(status, text(sys::qc_status_string(status)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_of_the_library_has_its_row_and_no_other() {
        let unknown = text(sys::qc_status_string(-1));
        for status in 1..=TABLE.len() as Status {
            assert_ne!(text(sys::qc_status_string(status)), unknown, "{status} is no status");
        }
        let next = TABLE.len() as Status + 1;
        assert_eq!(text(sys::qc_status_string(next)), unknown, "{next} is missing from the table");
        assert_eq!(row(next).1, OWN);
        assert_eq!(row(0).1, OWN);
        assert_eq!(row(4), ("QC_ERR_DESTROYED", ILLEGAL_STATE));
    }
}
