//! Programs of other versions: option and stats structs that are smaller or larger than this library's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::history::{qc_history, qc_history_create, qc_history_destroy};
use queuecore::ffi::history_options::{qc_history_options, qc_history_options_init};
use queuecore::ffi::history_stats::{qc_history_stats, qc_history_stats as read_stats};
use queuecore::ffi::status::qc_status::{self, *};
use std::mem::offset_of;
use std::ptr;

const SIZE: usize = size_of::<qc_history_options>();
const STATS: usize = size_of::<qc_history_stats>();
const ROOM: usize = 8192;

/// Room for a struct of any version, aligned, filled with a pattern.
#[repr(align(8))]
struct Room([u8; ROOM]);

impl Room {
    fn filled(byte: u8) -> Room {
        Room([byte; ROOM])
    }

    fn options(&mut self) -> *mut qc_history_options {
        self.0.as_mut_ptr().cast()
    }

    fn set_u32(&mut self, offset: usize, value: u32) {
        self.0[offset..offset + 4].copy_from_slice(&value.to_ne_bytes());
    }

    fn set_i64(&mut self, offset: usize, value: i64) {
        self.0[offset..offset + 8].copy_from_slice(&value.to_ne_bytes());
    }
}

fn init(room: &mut Room, struct_size: usize) -> qc_status {
    // SAFETY: the room is larger than any size that the library accepts.
    unsafe { qc_history_options_init(room.options(), struct_size) }
}

fn create(room: &mut Room) -> Result<*mut qc_history, qc_status> {
    let mut history = ptr::null_mut();
    // SAFETY: the room is larger than any size that the library accepts.
    match unsafe { qc_history_create(room.options(), &mut history) } {
        QC_OK => Ok(history),
        status => {
            assert!(history.is_null());
            Err(status)
        }
    }
}

fn destroy(history: *mut qc_history) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
}

#[test]
fn init_fills_no_more_than_the_caller_has() {
    let full = support::defaults();
    // SAFETY: the struct has no gaps, and any bytes may be read.
    let full: [u8; SIZE] = unsafe { std::mem::transmute(full) };
    for size in (4..=SIZE + 100).chain([4096]) {
        let mut room = Room::filled(0xAA);
        assert_eq!(init(&mut room, size), QC_OK, "{size}");
        assert_eq!(room.0[..4], (size as u32).to_ne_bytes());
        let known = size.min(SIZE);
        assert_eq!(room.0[4..known], full[4..known], "{size}: defaults");
        assert!(room.0[known..size].iter().all(|byte| *byte == 0), "{size}: what the library does not know");
        assert!(room.0[size..].iter().all(|byte| *byte == 0xAA), "{size}: beyond the caller's struct");
    }
}

#[test]
fn init_refuses_a_size_that_no_struct_has() {
    for size in [0, 1, 3, 4097, usize::MAX] {
        let mut room = Room::filled(0xAA);
        assert_eq!(init(&mut room, size), QC_ERR_INVALID_ARGUMENT);
        assert!(
            support::last_error().contains(&format!("struct_size = {size} ")),
            "{}",
            support::last_error()
        );
        assert!(room.0.iter().all(|byte| *byte == 0xAA));
    }
    // SAFETY: the library is to judge the pointer.
    assert_eq!(unsafe { qc_history_options_init(ptr::null_mut(), SIZE) }, QC_ERR_NULL_ARGUMENT);
    let mut room = Room::filled(0);
    // SAFETY: the library is to judge the pointer.
    let status = unsafe { qc_history_options_init(room.options().wrapping_byte_add(1), SIZE) };
    assert_eq!(status, QC_ERR_INVALID_ARGUMENT);
}

#[test]
fn a_smaller_struct_takes_the_defaults_for_what_it_lacks() {
    // Everything beyond the struct is nonsense that would be refused if it were read.
    for size in 4..SIZE {
        let mut room = Room::filled(0xEE);
        assert_eq!(init(&mut room, size), QC_OK);
        destroy(
            create(&mut room).unwrap_or_else(|status| panic!("{size}: {status:?} {}", support::last_error())),
        );
    }
}

#[test]
fn a_field_counts_as_soon_as_it_lies_wholly_inside() {
    let fields = [
        (offset_of!(qc_history_options, window_ns), 8),
        (offset_of!(qc_history_options, resolution_ns), 8),
        (offset_of!(qc_history_options, max_clock_step_ns), 8),
    ];
    for (offset, len) in fields {
        for (size, outcome) in [(offset + len - 1, Ok(())), (offset + len, Err(QC_ERR_OUT_OF_RANGE))] {
            let mut room = Room::filled(0);
            assert_eq!(init(&mut room, size), QC_OK);
            room.set_i64(offset, -1);
            assert_eq!(create(&mut room).map(destroy), outcome, "the field at {offset} in {size} bytes");
        }
    }
    let offset = offset_of!(qc_history_options, gc_policy);
    for (size, outcome) in [(offset + 3, Ok(())), (offset + 4, Err(QC_ERR_INVALID_ARGUMENT))] {
        let mut room = Room::filled(0);
        assert_eq!(init(&mut room, size), QC_OK);
        room.set_u32(offset, 9);
        assert_eq!(create(&mut room).map(destroy), outcome);
    }
}

#[test]
fn a_larger_struct_is_fine_while_the_unknown_part_is_zero() {
    for size in [SIZE + 1, SIZE + 8, SIZE + 500, 4096] {
        let mut room = Room::filled(0);
        assert_eq!(init(&mut room, size), QC_OK);
        destroy(create(&mut room).unwrap());
        for unknown in [SIZE, size - 1] {
            room.0[unknown] = 1;
            assert_eq!(create(&mut room), Err(QC_ERR_UNSUPPORTED));
            assert!(
                support::last_error().contains(&format!("offset {unknown} ")),
                "{}",
                support::last_error()
            );
            room.0[unknown] = 0;
        }
        room.0[size] = 1;
        destroy(create(&mut room).expect("that byte is not the struct's"));
    }
}

#[test]
fn a_struct_that_nobody_initialised_is_refused() {
    for size in [0, 3, 4097, u32::MAX] {
        let mut room = Room::filled(0);
        room.set_u32(0, size);
        assert_eq!(create(&mut room), Err(QC_ERR_INVALID_ARGUMENT));
        assert!(
            support::last_error().contains(&format!("struct_size = {size} ")),
            "{}",
            support::last_error()
        );
    }
}

#[test]
fn stats_fill_the_whole_fields_that_fit() {
    let history = support::create(&support::defaults());
    for number in 0..10 {
        support::insert(history, number, 0).unwrap();
    }
    for room_size in 8..STATS + 20 {
        let mut room = Room::filled(0xAA);
        room.set_u32(0, room_size as u32);
        // SAFETY: a live handle and more room than is said.
        assert_eq!(unsafe { read_stats(history, room.0.as_mut_ptr().cast()) }, QC_OK);
        let filled = room_size.min(STATS) / 8 * 8;
        assert_eq!(room.0[..4], (filled as u32).to_ne_bytes(), "{room_size}");
        assert_eq!(room.0[4..8], [0; 4]);
        assert!(filled < 16 || room.0[8..16] == 10_u64.to_ne_bytes(), "live_len comes first");
        assert!(room.0[filled..].iter().all(|byte| *byte == 0xAA), "{room_size}: beyond what is filled");
    }
    for room_size in [0, 4, 7, 4097, u32::MAX] {
        let mut room = Room::filled(0xAA);
        room.set_u32(0, room_size);
        // SAFETY: a live handle and room for any size that is accepted.
        assert_eq!(unsafe { read_stats(history, room.0.as_mut_ptr().cast()) }, QC_ERR_INVALID_ARGUMENT);
        assert!(room.0[4..].iter().all(|byte| *byte == 0xAA));
    }
    destroy(history);
}
