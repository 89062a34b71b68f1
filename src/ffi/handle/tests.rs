//! What the table promises, on real threads. The interleavings are `loom_tests`' business.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

use super::*;
use std::collections::HashSet;

const ME: fn() -> ThreadId = || ThreadId::made_up(1);
const SHE: fn() -> ThreadId = || ThreadId::made_up(2);

/// An object that is never looked at.
fn object(number: usize) -> NonNull<()> {
    NonNull::new(std::ptr::without_provenance_mut(16 * (number + 1))).expect("it is not 0")
}

fn table() -> &'static Table {
    // Tables live for ever; a test's does so by being leaked.
    Box::leak(Box::new(Table::new()))
}

fn limited(max_slots: u32, max_generation: u32) -> &'static Table {
    Box::leak(Box::new(Table::with_limits(max_slots, max_generation)))
}

fn publish(table: &Table, kind: Kind, number: usize) -> usize {
    table.publish(kind, object(number)).expect("there is room")
}

fn refusal(table: &Table, handle: usize, kind: Kind) -> Option<Refusal> {
    match table.enter(handle, kind, ME()) {
        Ok(inside) => {
            inside.leave();
            None
        }
        Err(refusal) => Some(refusal),
    }
}

fn destroy(table: &Table, handle: usize) {
    let inside =
        table.enter_to_destroy(handle, Kind::History, ME()).map_err(|refusal| format!("{refusal:?}"));
    table.retire(inside.expect("it is alive"));
}

#[test]
fn a_handle_leads_to_its_object() {
    let table = table();
    let handles: Vec<usize> = (0..1000).map(|number| publish(table, Kind::History, number)).collect();
    assert_eq!(handles.iter().collect::<HashSet<_>>().len(), handles.len());
    for (number, handle) in handles.iter().enumerate() {
        let inside = table.enter(*handle, Kind::History, ME()).unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(inside.object(), object(number).as_ptr());
        inside.leave();
    }
}

#[test]
fn null_and_foreign_values_are_told_apart() {
    let table = table();
    let handle = publish(table, Kind::History, 0);
    assert_eq!(refusal(table, 0, Kind::History), Some(Refusal::Null));
    let local = 0_u64;
    for stray in [1, 7, 4096, usize::MAX, std::ptr::from_ref(&local).addr(), handle & !1, handle ^ (1 << 63)]
    {
        assert_eq!(refusal(table, stray, Kind::History), Some(Refusal::Foreign), "{stray:#x}");
    }
    let never = |slot, generation| Name { slot, generation }.to_handle();
    assert_eq!(refusal(table, never(0, 2), Kind::History), Some(Refusal::Foreign), "a generation to come");
    assert_eq!(refusal(table, never(0, 0), Kind::History), Some(Refusal::Foreign), "generation 0");
    assert_eq!(refusal(table, never(1, 1), Kind::History), Some(Refusal::Foreign), "a slot to come");
    assert_eq!(refusal(table, never(5000, 1), Kind::History), Some(Refusal::Foreign), "a segment to come");
    assert_eq!(
        refusal(table, never((1 << 24) - 1, 1), Kind::History),
        Some(Refusal::Foreign),
        "no slot at all"
    );
    assert_eq!(refusal(table, handle, Kind::History), None, "and nothing happened to the one that is there");
}

#[test]
fn another_part_is_told_apart_even_while_it_is_busy_or_poisoned() {
    let table = table();
    let handle = publish(table, Kind::Other, 0);
    assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::WrongPart));
    let inside = table.enter(handle, Kind::Other, ME()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::WrongPart));
    inside.poison();
    assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::WrongPart));
    assert_eq!(refusal(table, handle, Kind::Other), Some(Refusal::Poisoned));
}

#[test]
fn a_destroyed_handle_stays_destroyed_when_its_slot_is_used_again() {
    let table = table();
    let mut old = Vec::new();
    for number in 0..100 {
        let handle = publish(table, Kind::History, number);
        assert!(!old.contains(&handle));
        for handle in &old {
            assert_eq!(refusal(table, *handle, Kind::History), Some(Refusal::Destroyed));
        }
        assert_eq!(refusal(table, handle, Kind::History), None);
        destroy(table, handle);
        assert!(matches!(table.enter_to_destroy(handle, Kind::History, ME()), Err(Refusal::Destroyed)));
        old.push(handle);
    }
    let slots: HashSet<_> =
        old.iter().filter_map(|handle| Name::from_handle(*handle)).map(|name| name.slot).collect();
    assert_eq!(slots.len(), 1, "one slot is enough for objects that follow each other");
    let name = Name { slot: 0, generation: 101 };
    assert_eq!(refusal(table, name.to_handle(), Kind::History), Some(Refusal::Foreign), "not given out yet");
}

#[test]
fn whoever_is_inside_keeps_others_out() {
    let table = table();
    let handle = publish(table, Kind::History, 0);
    let inside = table.enter(handle, Kind::History, ME()).unwrap_or_else(|why| panic!("{why:?}"));
    assert!(matches!(table.enter(handle, Kind::History, ME()), Err(Refusal::Reentrant)));
    assert!(matches!(table.enter(handle, Kind::History, SHE()), Err(Refusal::Busy)));
    assert!(matches!(table.enter_to_destroy(handle, Kind::History, ME()), Err(Refusal::Reentrant)));
    assert!(matches!(table.enter_to_destroy(handle, Kind::History, SHE()), Err(Refusal::Busy)));
    inside.leave();
    assert!(table.enter(handle, Kind::History, SHE()).map(Inside::leave).is_ok());
}

#[test]
fn a_stale_or_future_handle_is_found_out_while_somebody_is_inside_its_slot() {
    let table = table();
    let old = publish(table, Kind::History, 0);
    destroy(table, old);
    let handle = publish(table, Kind::History, 1);
    let inside = table.enter(handle, Kind::History, ME()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(refusal(table, old, Kind::History), Some(Refusal::Destroyed));
    let future = Name { slot: 0, generation: 3 }.to_handle();
    assert_eq!(refusal(table, future, Kind::History), Some(Refusal::Foreign));
    inside.leave();
}

#[test]
fn a_poisoned_handle_lets_only_destroy_in() {
    let table = table();
    let handle = publish(table, Kind::History, 7);
    table.enter(handle, Kind::History, ME()).unwrap_or_else(|why| panic!("{why:?}")).poison();
    assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::Poisoned));
    let inside = table.enter_to_destroy(handle, Kind::History, ME()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(inside.object(), object(7).as_ptr());
    assert!(matches!(table.enter_to_destroy(handle, Kind::History, SHE()), Err(Refusal::Busy)));
    table.retire(inside);
    assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::Destroyed));
    let next = publish(table, Kind::History, 8);
    assert_eq!(refusal(table, next, Kind::History), None, "the slot is sound again");
}

#[test]
fn a_slot_that_has_used_up_its_generations_is_retired() {
    let table = limited(2, 3);
    let mut seen = HashSet::new();
    for number in 0..6 {
        let handle = publish(table, Kind::History, number);
        assert!(seen.insert(handle), "no handle comes twice");
        destroy(table, handle);
    }
    assert_eq!(table.publish(Kind::History, object(6)), Err(NoHandle::Full { limit: 2 }));
    for handle in seen {
        assert_eq!(refusal(table, handle, Kind::History), Some(Refusal::Destroyed));
    }
}

#[test]
fn a_full_table_says_so_and_goes_on_when_a_slot_is_free() {
    let table = limited(3, MAX_GENERATION);
    let handles: Vec<usize> = (0..3).map(|number| publish(table, Kind::History, number)).collect();
    assert_eq!(table.publish(Kind::History, object(3)), Err(NoHandle::Full { limit: 3 }));
    destroy(table, handles[1]);
    let handle = publish(table, Kind::History, 3);
    assert_eq!(refusal(table, handle, Kind::History), None);
    assert_eq!(refusal(table, handles[1], Kind::History), Some(Refusal::Destroyed));
}

#[test]
fn threads_that_share_a_handle_are_never_inside_together() {
    use std::cell::UnsafeCell;
    struct Count(UnsafeCell<u64>);
    // SAFETY: this is the claim under test: the table lets one thread at a time to it.
    unsafe impl Sync for Count {}
    let table = table();
    let count: &'static Count = Box::leak(Box::new(Count(UnsafeCell::new(0))));
    let handle = table.publish(Kind::History, NonNull::from_ref(count).cast()).expect("there is room");
    let entered: u64 = std::thread::scope(|scope| {
        let run = || {
            let mut entered = 0;
            for _ in 0..20_000 {
                match table.enter(handle, Kind::History, ThreadId::current()) {
                    Ok(inside) => {
                        // SAFETY: the table let this thread in alone.
                        unsafe { *inside.object().cast::<u64>() += 1 };
                        entered += 1;
                        inside.leave();
                    }
                    Err(refusal) => assert_eq!(refusal, Refusal::Busy),
                }
            }
            entered
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it asserts only what holds")).sum()
    });
    // SAFETY: all threads are joined.
    assert_eq!(unsafe { *count.0.get() }, entered);
}
