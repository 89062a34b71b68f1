//! Batches of calls on a history: one crossing for many elements, over one direct buffer that `HistoryBatch` keeps.
//!
//! ```text
//! batch of n elements, n a multiple of 4      bytes     what                                         who writes it
//! 0            +-------------------------+
//!              | done | reserved         |    16        elements that the last call has done         native
//! 16           +-------------------------+
//!              | key 0 .. key n-1        |    16 n      keys to insert, re-admit or look for         Java
//!              +-------------------------+
//!              | time 0 .. time n-1      |     8 n      their insert times, in ns                    Java
//!              +-------------------------+
//!              | entry 0 .. entry n-1    |     8 n      entries to erase                             Java
//!              +-------------------------+
//!              | result 0 .. result n-1  |    16 n      of an insert: entry (8), outcome (4), 0 (4)  native
//!              +-------------------------+
//!              | answer 0 .. answer n-1  |     4 n      of an erase: erased; of contains: presence   native
//!              +-------------------------+
//!              | value 0 .. value n-1    |  size n      values to insert, value_size bytes each      Java
//!              +-------------------------+
//! ```
//! A walk and an iteration write keys, times and the entries of results, in place of what an insert reads and writes.
//! The sections of [`Batch`] below are this drawing; Java asks where things stand ([`layout`]) and writes no offset down.

use crate::arguments::{handle, in_range};
use crate::batch::{Batch, MAX_CAPACITY, Part};
use crate::boundary::{natives, object};
use crate::failure::{Failure, checked};
use crate::sys::{self, OK};
use crate::sys_history::{self as abi, InsertResult, Item, Key};
use jni::EnvUnowned;
use jni::objects::{JClass, JLongArray};
use jni::sys::{jint, jlong};
use std::ptr;

const MAX_VALUE_SIZE: usize = 1024;

/// Where the sections of a batch for a history stand.
impl Batch {
    fn keys(self) -> *mut Key {
        self.at(0)
    }

    fn times(self) -> *mut i64 {
        self.at(16)
    }

    fn entries(self) -> *mut u64 {
        self.at(24)
    }

    fn results(self) -> *mut InsertResult {
        self.at(32)
    }

    fn answers(self) -> *mut u32 {
        self.at(48)
    }

    fn values(self) -> *mut u8 {
        self.at(52)
    }
}

/// Writes where the sections of a batch stand: the capacity that it will have; keys, times, entries, results, answers and
/// values; the bytes of a result, where its outcome is; and the bytes of it all.
pub(crate) extern "system" fn layout<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    capacity: jint,
    value_size: jint,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let capacity = in_range("capacity", capacity, 1, MAX_CAPACITY)?.next_multiple_of(4);
        let value_size = in_range("value_size", value_size, 0, MAX_VALUE_SIZE)?;
        let here = Batch::drawn(capacity);
        let values = here.values().addr();
        let offsets = [
            capacity,
            here.keys().addr(),
            here.times().addr(),
            here.entries().addr(),
            here.results().addr(),
            here.answers().addr(),
            values,
            size_of::<InsertResult>(),
            std::mem::offset_of!(InsertResult, outcome),
            values + capacity * value_size,
        ];
        Ok(into.set_region(env, 0, &offsets.map(|offset| offset as jlong))?)
    });
}

type InsertBatch = unsafe extern "C" fn(
    sys::Handle,
    *const Key,
    *const std::ffi::c_void,
    *const i64,
    usize,
    i64,
    *mut InsertResult,
    *mut usize,
) -> sys::Status;

impl Part {
    fn insert(&self, call: InsertBatch, this: jlong, value_size: jint, now: jlong) -> Result<jint, Failure> {
        let Part { here, from, .. } = *self;
        let values = match value_size {
            0 => ptr::null(),
            size => here.values().wrapping_add(from * size as usize).cast_const().cast(),
        };
        // SAFETY: the sections are as long as the capacity, and Java does not touch them meanwhile.
        self.run(|count, done| unsafe {
            let (keys, times, results) =
                (here.keys().add(from), here.times().add(from), here.results().add(from));
            call(handle(this), keys, values, times, count, now, results, done)
        })
    }
}

natives! {
    /// Inserts keys of a batch. With a `value_size` of 0 their values are zeros.
    fn insert_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, value_size: jint, now: jlong) -> jint {
        // SAFETY: Java made it, and counts.
        unsafe { Part::of(base, capacity, from, count) }.insert(abi::qc_history_insert_batch, this, value_size, now)
    }

    /// Re-admits keys of a batch.
    fn readmit_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, value_size: jint, now: jlong) -> jint {
        // SAFETY: Java made it, and counts.
        unsafe { Part::of(base, capacity, from, count) }.insert(abi::qc_history_readmit_batch, this, value_size, now)
    }

    /// Looks for keys of a batch.
    fn contains_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, now: jlong) -> jint {
        // SAFETY: Java made it, and counts.
        let part = unsafe { Part::of(base, capacity, from, count) };
        // SAFETY: as in `insert`.
        part.run(|count, done| unsafe {
            let (keys, answers) = (part.here.keys().add(part.from), part.here.answers().add(part.from));
            let status = abi::qc_history_contains_batch(handle(this), keys, count, now, answers);
            done.write(if status == OK { count } else { 0 });
            status
        })
    }

    /// Erases entries of a batch.
    fn erase_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, now: jlong) -> jint {
        // SAFETY: Java made it, and counts.
        let part = unsafe { Part::of(base, capacity, from, count) };
        // SAFETY: as in `insert`.
        part.run(|count, done| unsafe {
            let (entries, answers) = (part.here.entries().add(part.from), part.here.answers().add(part.from));
            abi::qc_history_erase_batch(handle(this), entries, count, now, answers, done)
        })
    }

    /// Fills a batch with live entries: those behind `after`, or the first ones if that is 0. Answers how many.
    fn walk(this: jlong, base: jlong, capacity: jint, after: jlong) -> jint {
        // SAFETY: Java made it.
        let here = unsafe { Batch::of(base, capacity) };
        let this = handle(this);
        let (mut entry, mut count) = (after as u64, 0);
        while count < here.capacity {
            let mut next = 0;
            // SAFETY: there is a place for the answer.
            checked(unsafe {
                match entry {
                    0 => abi::qc_history_first(this, &raw mut next),
                    _ => abi::qc_history_next(this, entry, &raw mut next),
                }
            })?;
            if next == 0 {
                break;
            }
            entry = next;
            let mut info = std::mem::MaybeUninit::<abi::EntryInfo>::uninit();
            // SAFETY: there is a place for the answer, which is read once it is there.
            let info = unsafe {
                checked(abi::qc_history_entry_info(this, entry, info.as_mut_ptr()))?;
                info.assume_init()
            };
            here.show(count, &Item { key: info.key, inserted_at_ns: info.inserted_at_ns, entry });
            count += 1;
        }
        Ok(count as jint)
    }

    /// Fills a batch with the next entries of the iteration. Answers how many, and as a negative number less one if it is
    /// over.
    fn iter_next(this: jlong, base: jlong, capacity: jint) -> jint {
        // SAFETY: Java made it.
        let here = unsafe { Batch::of(base, capacity) };
        let (mut count, mut more) = (0, 1);
        let mut items = [Item::default(); CHUNK];
        while count < here.capacity && more != 0 {
            let room = CHUNK.min(here.capacity - count);
            let mut done = 0;
            // SAFETY: there are as many places as it says.
            let status = unsafe {
                abi::qc_history_iter_next(handle(this), items.as_mut_ptr(), room, &raw mut done, &raw mut more)
            };
            if status != OK && count > 0 {
                break;
            }
            checked(status)?;
            for item in items.iter().take(done) {
                here.show(count, item);
                count += 1;
            }
            if done == 0 {
                break;
            }
        }
        Ok(if more == 0 { -(count as jint) - 1 } else { count as jint })
    }
}

/// Entries that an iteration takes at a time.
const CHUNK: usize = 64;

impl Batch {
    /// Shows an entry to Java.
    fn show(self, index: usize, item: &Item) {
        debug_assert!(index < self.capacity, "the caller counts");
        // SAFETY: the sections are as long as the capacity.
        unsafe {
            self.keys().add(index).write(item.key);
            self.times().add(index).write(item.inserted_at_ns);
            (&raw mut (*self.results().add(index)).entry).write(item.entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::check_sections;

    #[test]
    fn sections_follow_each_other_and_are_aligned() {
        for capacity in [4, 8, 64, MAX_CAPACITY] {
            let here = Batch::drawn(capacity);
            let sections = [
                (here.keys().addr(), size_of::<Key>(), align_of::<Key>()),
                (here.times().addr(), size_of::<i64>(), align_of::<i64>()),
                (here.entries().addr(), size_of::<u64>(), align_of::<u64>()),
                (here.results().addr(), size_of::<InsertResult>(), align_of::<InsertResult>()),
                (here.answers().addr(), size_of::<u32>(), align_of::<u32>()),
                (here.values().addr(), 0, 8),
            ];
            check_sections(capacity, &sections);
        }
    }
}
