//! Loom's atomics, made safe for its search. Under loom only; used through `crate::sync`.
//!
//! Loom 0.7 remembers one last access of each atomic, a load included. A thread that loads a value and then stores it
//! hides by its own load the loads that others made before, and loom never tries its store in front of those: models
//! in which the holder of a lock reads what it is about to write pass without being looked at. So every access here
//! first changes a companion, which loom takes for a write. Thus it sees every pair of accesses to a value. The change
//! is relaxed: it orders nothing, so it hides no missing order.

use loom::sync::atomic as real;
use real::Ordering;

macro_rules! watched {
    ($($name:ident: $value:ty),*) => { $(
        pub(crate) struct $name {
            seen: real::AtomicUsize,
            real: real::$name,
        }

        #[allow(dead_code, reason = "the same for all")]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self { seen: real::AtomicUsize::new(0), real: real::$name::new(value) }
            }

            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.watch().fetch_add(value, order)
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.watch().fetch_sub(value, order)
            }

            pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.watch().fetch_or(value, order)
            }

            pub(crate) fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.watch().fetch_and(value, order)
            }
        }

        watched!(@both [] $name, $name, $value);
    )* };
    (@both [$($generic:tt)*] $of:ty, $name:ident, $value:ty) => {
        #[allow(dead_code, reason = "the same for all")]
        impl $($generic)* $of {
            fn watch(&self) -> &watched!(@real [$($generic)*] $name) {
                self.seen.fetch_add(1, Ordering::Relaxed);
                &self.real
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.watch().load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.watch().store(value, order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.watch().swap(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.watch().compare_exchange(current, new, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.watch().compare_exchange_weak(current, new, success, failure)
            }
        }
    };
    (@real [] $name:ident) => { real::$name };
    (@real [<T>] $name:ident) => { real::$name<T> };
}

watched!(AtomicI64: i64, AtomicU32: u32, AtomicU64: u64);

pub(crate) struct AtomicPtr<T> {
    seen: real::AtomicUsize,
    real: real::AtomicPtr<T>,
}

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> Self {
        Self { seen: real::AtomicUsize::new(0), real: real::AtomicPtr::new(value) }
    }
}

watched!(@both [<T>] AtomicPtr<T>, AtomicPtr, *mut T);
