//! A C compiler lays out the structs of the header as the library does, and gives its enums the same numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history_options::{qc_gc_policy, qc_history_options, qc_overflow, qc_visibility};
use queuecore::ffi::history_stats::qc_history_stats;
use queuecore::ffi::history_types::{
    qc_entry, qc_entry_info, qc_erased, qc_gc_result, qc_insert_result, qc_outcome, qc_presence,
};
use queuecore::ffi::status::qc_status;
use queuecore::ffi::usage_events::qc_usage_event;
use queuecore::ffi::usage_layout::qc_usage_layout;
use queuecore::ffi::usage_options::qc_usage_options;
use queuecore::ffi::usage_stats::{qc_usage_child, qc_usage_stats};
use std::fmt::Write;
use std::mem::offset_of;

/// The size, the alignment and the place of each field, as assertions in C.
macro_rules! assert_layout {
    ($code:ident, $type:ident { $($field:ident),+ $(,)? }) => {{
        // Fails to compile if a field is left out here.
        fn _complete($type { $($field: _),+ }: $type) {}
        let name = concat!("struct ", stringify!($type));
        writeln!($code, "_Static_assert(sizeof({name}) == {}, \"{name}\");", size_of::<$type>()).unwrap();
        writeln!($code, "_Static_assert(_Alignof({name}) == {}, \"{name}\");", align_of::<$type>()).unwrap();
        $(
            let field = stringify!($field);
            let offset = offset_of!($type, $field);
            writeln!($code, "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");").unwrap();
        )+
    }};
}

/// The numbers of an enum, as assertions in C.
macro_rules! assert_numbers {
    ($code:ident, $type:ident { $($variant:ident),+ $(,)? }) => {{
        // Fails to compile if a variant is left out here.
        fn _complete(value: $type) {
            match value {
                $($type::$variant => {})+
            }
        }
        $(
            let (name, number) = (stringify!($variant), $type::$variant as i64);
            writeln!($code, "_Static_assert({name} == {number}, \"{name}\");").unwrap();
        )+
    }};
}

#[test]
fn structs_have_the_same_layout_in_c() {
    let mut code = String::from("#include \"queuecore.h\"\n");
    assert_layout!(code, qc_key { bytes });
    assert_layout!(code, qc_insert_result { entry, outcome, reserved });
    assert_layout!(code, qc_gc_result { collected, more, reserved });
    assert_layout!(code, qc_entry_info { key, inserted_at_ns, value });
    assert_layout!(
        code,
        qc_history_options {
            struct_size,
            value_size,
            window_ns,
            resolution_ns,
            max_clock_step_ns,
            max_entries,
            max_history,
            overflow,
            visibility,
            gc_policy,
            gc_step,
            seed,
            alloc,
            free,
            alloc_ctx,
            hash,
            hash_ctx,
        }
    );
    assert_layout!(
        code,
        qc_history_stats {
            struct_size,
            reserved,
            live_len,
            history_len,
            tombstones,
            bytes_in_use,
            bytes_peak,
            allocations,
            deallocations,
            collected_total,
            evicted_early,
            duplicates,
            readmitted,
            clock_regressions,
            max_entries_moved_per_call,
            index_buckets,
            overflow_buckets,
            buckets_probed,
        }
    );
    writeln!(code, "_Static_assert(sizeof(qc_entry) == {}, \"qc_entry\");", size_of::<qc_entry>()).unwrap();
    writeln!(code, "_Static_assert(sizeof(qc_status) == {}, \"qc_status\");", size_of::<qc_status>())
        .unwrap();
    support::compile_c11(&support::scratch("header_layout_structs"), &code);
}

#[test]
fn structs_of_usage_have_the_same_layout_in_c() {
    let mut code = String::from("#include \"queuecore.h\"\n");
    assert_layout!(code, qc_usage_event { tag, old_percent, new_percent });
    assert_layout!(code, qc_usage_child { tag, usage_bytes, limit_bytes, percent, reserved });
    assert_layout!(
        code,
        qc_usage_options {
            struct_size,
            share_ppm,
            limit_bytes,
            tag,
            min_delta_percent,
            event_capacity,
            max_stripes,
            reserved,
            alloc,
            free,
            alloc_ctx,
            release,
        }
    );
    assert_layout!(
        code,
        qc_usage_layout {
            struct_size,
            version,
            node_bytes,
            stripe_bytes,
            stripes_offset,
            stripes_log2_mask,
            parent_offset,
            percent_offset,
            state_offset,
            state_full_mask,
            percent_unknown,
            inline_word_offset,
            last_user_offset,
        }
    );
    assert_layout!(
        code,
        qc_usage_stats {
            struct_size,
            reserved,
            usage_bytes,
            committed_bytes,
            slack_bytes,
            own_bytes,
            limit_bytes,
            percent,
            is_full,
            is_stopped,
            children,
            active_stripes,
            stripes,
            waiters,
            waiting_bytes,
            tree_trackers,
            tree_active_stripes,
            tree_refills,
            tree_recalls,
            tree_crossings,
            tree_merged_events,
            tree_listener_panics,
            bytes_in_use,
            bytes_peak,
        }
    );
    support::compile_c11(&support::scratch("header_layout_usage"), &code);
}

#[test]
fn enums_have_the_same_numbers_in_c() {
    let mut code = String::from("#include \"queuecore.h\"\n");
    assert_numbers!(
        code,
        qc_status {
            QC_OK,
            QC_ERR_NULL_HANDLE,
            QC_ERR_FOREIGN_HANDLE,
            QC_ERR_WRONG_PART,
            QC_ERR_DESTROYED,
            QC_ERR_BUSY,
            QC_ERR_REENTRANT,
            QC_ERR_POISONED,
            QC_ERR_PANIC,
            QC_ERR_NULL_ARGUMENT,
            QC_ERR_INVALID_ARGUMENT,
            QC_ERR_OUT_OF_RANGE,
            QC_ERR_OVERFLOW,
            QC_ERR_UNSUPPORTED,
            QC_ERR_NO_MEMORY,
            QC_ERR_CAPACITY,
            QC_ERR_CLOCK,
            QC_ERR_STALE_HANDLE,
            QC_ERR_NOT_FOUND,
            QC_ERR_CALLBACK,
            QC_ERR_TIMED_OUT,
            QC_ERR_STOPPED,
            QC_ERR_LEVEL,
            QC_ERR_NEVER_FITS,
            QC_ERR_NO_DESCRIPTOR,
        }
    );
    assert_numbers!(code, qc_outcome { QC_ADDED, QC_DUPLICATE_LIVE, QC_DUPLICATE_HISTORY });
    assert_numbers!(code, qc_presence { QC_ABSENT, QC_LIVE, QC_HISTORICAL });
    assert_numbers!(code, qc_erased { QC_ERASED_HISTORICAL, QC_ERASED_GONE });
    assert_numbers!(code, qc_gc_policy { QC_GC_STEADY, QC_GC_ON_DEMAND, QC_GC_SCHEDULED });
    assert_numbers!(code, qc_visibility { QC_VISIBLE_UNTIL_EXPIRY, QC_VISIBLE_UNTIL_COLLECTED });
    assert_numbers!(code, qc_overflow { QC_OVERFLOW_REJECT, QC_OVERFLOW_EVICT_OLDEST });
    support::compile_c11(&support::scratch("header_layout_enums"), &code);
}

/// These numbers are in programs that are compiled already. A change here is a new ABI.
#[test]
fn statuses_are_never_renumbered() {
    use qc_status::*;
    let frozen = [
        (QC_OK, 0),
        (QC_ERR_NULL_HANDLE, 1),
        (QC_ERR_FOREIGN_HANDLE, 2),
        (QC_ERR_WRONG_PART, 3),
        (QC_ERR_DESTROYED, 4),
        (QC_ERR_BUSY, 5),
        (QC_ERR_REENTRANT, 6),
        (QC_ERR_POISONED, 7),
        (QC_ERR_PANIC, 8),
        (QC_ERR_NULL_ARGUMENT, 9),
        (QC_ERR_INVALID_ARGUMENT, 10),
        (QC_ERR_OUT_OF_RANGE, 11),
        (QC_ERR_OVERFLOW, 12),
        (QC_ERR_UNSUPPORTED, 13),
        (QC_ERR_NO_MEMORY, 14),
        (QC_ERR_CAPACITY, 15),
        (QC_ERR_CLOCK, 16),
        (QC_ERR_STALE_HANDLE, 17),
        (QC_ERR_NOT_FOUND, 18),
        (QC_ERR_CALLBACK, 19),
        (QC_ERR_TIMED_OUT, 20),
        (QC_ERR_STOPPED, 21),
        (QC_ERR_LEVEL, 22),
        (QC_ERR_NEVER_FITS, 23),
        (QC_ERR_NO_DESCRIPTOR, 24),
    ];
    for (status, number) in frozen {
        assert_eq!(status as i32, number, "{status:?}");
    }
}
