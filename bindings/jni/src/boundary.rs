//! The two ways of a native: *scalar* ones, on the path of a message, take and give numbers and do not touch the virtual
//! machine unless they fail; *object* ones use arrays and buffers.

use crate::failure::{Failure, Throw};
use crate::mailbox::FromJava;
use jni::sys::jlong;
use jni::{Env, EnvUnowned, Outcome};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The pointer that Java keeps as a number.
#[inline(always)]
pub(crate) fn address<T>(number: jlong) -> *mut T {
    std::ptr::with_exposed_provenance_mut(number as usize)
}

/// Runs the body of a scalar native. Java looks at `mailbox` afterwards (0 for none).
#[inline(always)]
pub(crate) fn scalar<'local, T: Default + 'local>(
    env: &mut EnvUnowned<'local>,
    mailbox: jlong,
    body: impl FnOnce() -> Result<T, Failure>,
) -> T {
    let inside = FromJava::enter(address(mailbox));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    drop(inside);
    match outcome {
        Ok(Ok(value)) => value,
        Ok(Err(failure)) => fail(env, Outcome::Err(failure)),
        Err(payload) => fail(env, Outcome::Panic(payload)),
    }
}

#[cold]
#[inline(never)]
fn fail<'local, T: Default + 'local>(env: &mut EnvUnowned<'local>, outcome: Outcome<T, Failure>) -> T {
    let again = |_: &mut Env<'local>| match outcome {
        Outcome::Ok(value) => Ok(value),
        Outcome::Err(failure) => Err(failure),
        Outcome::Panic(payload) => std::panic::resume_unwind(payload),
    };
    env.with_env(again).resolve::<Throw>()
}

/// Runs the body of an object native. Java looks at `mailbox` afterwards (0 for none).
pub(crate) fn object<'local, T: Default + 'local>(
    env: &mut EnvUnowned<'local>,
    mailbox: jlong,
    body: impl FnOnce(&mut Env<'local>) -> Result<T, Failure>,
) -> T {
    let _inside = FromJava::enter(address(mailbox));
    env.with_env(body).resolve::<Throw>()
}

/// Scalar natives: each body answers a `Result`. Java looks at no mailbox afterwards, or with `by` at that of the argument
/// of this name, which each of them has.
macro_rules! natives {
    (by $mailbox:ident; $($rest:tt)*) => {
        $crate::boundary::natives! { @ ($mailbox) $($rest)* }
    };
    (@ ($mailbox:expr) $($(#[$doc:meta])* fn $name:ident($($value:ident: $java:ty),*) $(-> $answer:ty)? $body:block)*) => {
        $($(#[$doc])*
        pub(crate) extern "system" fn $name<'local>(
            mut env: jni::EnvUnowned<'local>,
            _class: jni::objects::JClass<'local>,
            $($value: $java),*
        ) $(-> $answer)? {
            $crate::boundary::scalar(&mut env, $mailbox, || $body)
        })*
    };
    ($($rest:tt)*) => {
        $crate::boundary::natives! { @ (0) $($rest)* }
    };
}
pub(crate) use natives;
