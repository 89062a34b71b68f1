//! The records as one thread, and as real threads, see them. The interleavings are in `loom_tests.rs`.

use super::*;
use crate::sync::ThreadId;

fn pins() -> &'static Pins {
    Box::leak(Box::new(Pins::new()))
}

fn me() -> u64 {
    ThreadId::current().to_bits()
}

#[test]
fn a_call_within_a_call_ends_with_the_outermost() {
    let record = pins().register(me()).expect("there is memory");
    assert!(!record.is_inside());
    let outer = record.enter();
    let inner = record.enter();
    assert!(record.is_inside());
    assert_eq!(record.defer(7), 0);
    assert_eq!(inner.leave(), None);
    assert!(record.is_inside(), "the outer one is not over");
    assert_eq!(record.defer(8), 7);
    assert_eq!(outer.leave(), Some(8));
    assert!(!record.is_inside());
    assert_eq!(record.enter().leave(), None, "what was left is handed out once");
}

#[test]
fn each_outermost_call_has_a_turn_of_its_own() {
    let record = pins().register(me()).expect("there is memory");
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        let pin = record.enter();
        assert!(seen.insert(record.turn.load(Ordering::Relaxed)));
        assert_eq!(pin.leave(), None);
    }
}

#[test]
fn records_are_used_again() {
    let pins = pins();
    let first = pins.register(4).expect("there is memory");
    let second = pins.register(8).expect("there is memory");
    assert!(!ptr::eq(first, second));
    first.release();
    assert!(ptr::eq(pins.register(12).expect("there is memory"), first), "one without an owner");
    assert!(
        ptr::eq(pins.register(8).expect("there is memory"), second),
        "its own, from a thread that is gone"
    );
    assert!(!ptr::eq(pins.register(16).expect("there is memory"), first), "all others have owners");
}

#[test]
fn whoever_waits_for_all_waits_for_the_calls_that_are_inside() {
    let pins = pins();
    let (entered, has_entered) = std::sync::mpsc::channel();
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let done = &AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let record = pins.register(me()).expect("there is memory");
            let pin = record.enter();
            entered.send(()).expect("the first thread waits for it");
            may_go.recv().expect("the first thread sends it");
            done.store(1, Ordering::Relaxed);
            assert_eq!(pin.leave(), None);
        });
        has_entered.recv().expect("the thread enters");
        let waiter = scope.spawn(move || {
            assert!(pins.wait_for_all());
            done.load(Ordering::Relaxed)
        });
        go.send(()).expect("the thread waits for it");
        assert_eq!(waiter.join().expect("it only waits"), 1);
    });
    assert!(pins.wait_for_all(), "with nobody inside it returns at once");
}

#[test]
fn a_record_takes_a_pair_of_lines() {
    assert_eq!((size_of::<Record>(), align_of::<Record>()), (128, 128));
}
