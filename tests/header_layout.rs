//! A C compiler lays out the structs of the header as the library does, and gives its enums the same numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::cursor_group::{qc_cursor_group_options, qc_cursor_group_stats};
use queuecore::ffi::cursor_options::{qc_accounting, qc_cursor_options, qc_cursor_policy};
use queuecore::ffi::cursor_stats::qc_cursor_stats;
use queuecore::ffi::cursor_store::qc_store;
use queuecore::ffi::cursor_types::{
    qc_blocked, qc_browsed, qc_delivered, qc_dropped, qc_message, qc_pull_end, qc_pulled, qc_purged,
    qc_pushed, qc_released, qc_round, qc_stored, qc_write,
};
use queuecore::ffi::history_group::{qc_history_group_options, qc_history_group_stats};
use queuecore::ffi::history_options::{qc_gc_policy, qc_history_options, qc_overflow, qc_visibility};
use queuecore::ffi::history_stats::qc_history_stats;
use queuecore::ffi::history_transfer::{qc_buffer_info, qc_export_result, qc_import_result};
use queuecore::ffi::history_types::{
    qc_entry, qc_entry_info, qc_erased, qc_gc_result, qc_insert_result, qc_outcome, qc_presence,
};
use queuecore::ffi::history_walk::qc_history_item;
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
            group,
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
    assert_layout!(code, qc_history_item { key, inserted_at_ns, entry });
    assert_layout!(code, qc_export_result { bytes, entries, more });
    assert_layout!(
        code,
        qc_import_result { live, historical, duplicates, expired, evicted, is_last, reserved }
    );
    assert_layout!(
        code,
        qc_buffer_info { export_id, present_ns, window_ns, number, entries, value_size, is_last }
    );
    assert_layout!(
        code,
        qc_history_group_options {
            struct_size,
            reserved,
            limit_bytes,
            cache_bytes,
            max_clock_step_ns,
            seed,
            alloc,
            free,
            alloc_ctx,
        }
    );
    assert_layout!(
        code,
        qc_history_group_stats {
            struct_size,
            reserved,
            histories,
            scheduled,
            bytes_in_use,
            bytes_peak,
            bytes_cached,
            reused_blocks,
            refused_by_limit,
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
            state_stopped_mask,
            reserved,
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
fn structs_of_the_cursor_have_the_same_layout_in_c() {
    let mut code = String::from("#include \"queuecore.h\"\n");
    assert_layout!(code, qc_message { token, sequence, user, size_bytes, priority, write, reserved });
    assert_layout!(
        code,
        qc_delivered { sequence, token, user, size_bytes, redeliveries, priority, reserved }
    );
    assert_layout!(code, qc_stored { sequence, user, size_bytes, priority, reserved });
    assert_layout!(code, qc_pulled { count, end, blocked });
    assert_layout!(code, qc_browsed { count, after, more, reserved });
    assert_layout!(code, qc_released { user, released_bytes, was_in_memory, reserved });
    assert_layout!(code, qc_dropped { messages, released_bytes });
    assert_layout!(code, qc_purged { up_to, messages, stored_messages, released_bytes, more, reserved });
    assert_layout!(code, qc_store { struct_size, reserved, ctx, fetch, discard });
    assert_layout!(
        code,
        qc_cursor_policy {
            struct_size,
            high_percent,
            low_percent,
            parent_cache_percent,
            parent_page_percent,
            page_messages,
            page_bytes,
            min_page_messages,
            lazy_dispatch,
            use_cache,
            deliver_uncommitted,
            reserved,
        }
    );
    assert_layout!(
        code,
        qc_cursor_options { struct_size, accounting, max_entries, max_open_writes, alloc, free, alloc_ctx }
    );
    assert_layout!(
        code,
        qc_cursor_group_options {
            struct_size,
            divides_limit,
            max_lent_bytes,
            alloc,
            free,
            alloc_ctx,
            release,
        }
    );
    assert_layout!(
        code,
        qc_cursor_group_stats {
            struct_size,
            reserved,
            members,
            waiting,
            lent_bytes,
            lent_peak_bytes,
            lent_pages,
            refused,
            bytes_in_use,
        }
    );
    assert_layout!(
        code,
        qc_cursor_stats {
            struct_size,
            reserved,
            is_caching,
            is_filling,
            pending_count,
            pending_bytes,
            in_memory_count,
            in_memory_bytes,
            in_flight_count,
            parked_count,
            dropped_count,
            open_writes,
            pages,
            paged_messages,
            lent_pages,
            lent_bytes,
            cache_on_turns,
            cache_off_turns,
            peak_bytes,
            overshoot_bytes,
            failed_fetches,
            requeued,
            ready_calls,
            blocked_own_mark_ns,
            blocked_parent_ns,
            blocked_entries_ns,
            blocked_commit_ns,
            bytes_in_use,
            bytes_peak,
        }
    );
    support::compile_c11(&support::scratch("header_layout_cursor"), &code);
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
            QC_ERR_ORDER,
            QC_ERR_NOT_IN_FLIGHT,
            QC_ERR_STORE,
            QC_ERR_BAD_FETCH,
            QC_ERR_BAD_BUFFER,
            QC_ERR_IN_USE,
            QC_ERR_NOT_BEGUN,
        }
    );
    assert_numbers!(code, qc_write { QC_WRITE_COMMITTED, QC_WRITE_OPEN });
    assert_numbers!(code, qc_pushed { QC_CACHED, QC_STORED });
    assert_numbers!(code, qc_round { QC_ROUND_BEGIN, QC_ROUND_CONTINUE });
    assert_numbers!(code, qc_pull_end { QC_PULL_MORE, QC_PULL_EMPTY, QC_PULL_BLOCKED });
    assert_numbers!(
        code,
        qc_blocked {
            QC_BLOCKED_NOT,
            QC_BLOCKED_OWN_MARK,
            QC_BLOCKED_PARENT,
            QC_BLOCKED_ENTRIES,
            QC_BLOCKED_COMMIT,
        }
    );
    assert_numbers!(code, qc_accounting { QC_ACCOUNTING_OWN, QC_ACCOUNTING_HOST });
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
        (QC_ERR_ORDER, 25),
        (QC_ERR_NOT_IN_FLIGHT, 26),
        (QC_ERR_STORE, 27),
        (QC_ERR_BAD_FETCH, 28),
        (QC_ERR_BAD_BUFFER, 29),
        (QC_ERR_IN_USE, 30),
        (QC_ERR_NOT_BEGUN, 31),
    ];
    for (status, number) in frozen {
        assert_eq!(status as i32, number, "{status:?}");
    }
}
