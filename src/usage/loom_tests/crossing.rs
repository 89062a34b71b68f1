//! Crossings in a row: writers that wait at a shut gate while the holder of the lock crosses for them too. Whoever
//! returns sees answers with its own operation in them, no crossing is missed, and nobody sleeps on.

use super::*;

/// A root whose writers wait at a shut gate, and whose holder of the lock crosses again for two of them.
fn patient(ground: &Ground, limit_bytes: u64) -> Arc<Tracker> {
    ground.root_tuned(limit_bytes, |tuning| {
        tuning.waits_at_gate = true;
        tuning.crossings_in_a_row = 2;
    })
}

/// Upwards: each thread sees all of its own, and the second of two that are done sees both.
#[test]
fn two_go_up_in_a_row() {
    model(|ground| {
        let n = patient(ground, 100_000);
        n.keep_events().unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 1_000);
            a.percent()
        });
        up(&n, 1_000);
        let first = n.percent();
        up(&n, 1_000);
        let mine = n.percent();
        let theirs = other.join().unwrap();
        assert!((1..=2).contains(&first) && (2..=3).contains(&mine) && first <= mine, "{first}, {mine}");
        assert!((1..=3).contains(&theirs) && (mine == 3 || theirs == 3), "{mine} and {theirs}");
        assert_eq!(n.percent(), 3);
        let mut events = [Event::default(); 4];
        let count = n.poll_events(&mut events);
        let steps: Vec<_> = events[..count].iter().map(|event| (event.old, event.new)).collect();
        reached("one crossing for two", count == 2);
        is_chain(&steps, 0, 3);
        check(&n);
    });
}

/// Downwards, over the limit and away from it.
#[test]
fn two_go_down_in_a_row() {
    model(|ground| {
        let n = patient(ground, 4_000);
        up(&n, 4_020);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            down(&a, 15);
            !a.is_full()
        });
        down(&n, 15);
        let mine = !n.is_full();
        up(&n, 8);
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "3990: the second of the two leaves the limit");
        assert!(!n.is_full(), "3998");
        check(&n);
    });
}

/// Three threads, one of them the other way: the holder's second crossing is as safe as its first.
#[test]
fn one_comes_back_while_two_cross() {
    model(|ground| {
        let n = ground.root_tuned(100_000, |tuning| tuning.crossings_in_a_row = 2);
        n.keep_events().unwrap();
        let (a, b) = (Arc::clone(&n), Arc::clone(&n));
        let other = spawn(move || up(&a, 1_000));
        let back = spawn(move || {
            down(&b, 500);
            b.percent()
        });
        up(&n, 1_000);
        other.join().unwrap();
        let after = back.join().unwrap();
        assert!((0..=1).contains(&after), "{after}: with its own 500 off, 1500 at most");
        assert_eq!(n.percent(), 1, "1500");
        check(&n);
    });
}

/// With credit below the holder does not cross alone; who waits at the gate sees what it brought about all the same.
#[test]
fn two_in_a_row_with_credit() {
    model_with(3, |ground| {
        let n = patient(ground, 4_000);
        let c = child(&n);
        up(&c, 4);
        lends(&n);
        let (a, c2) = (Arc::clone(&n), Arc::clone(&c));
        let other = spawn(move || {
            up(&c2, 2);
            up(&a, 1_990);
            a.is_full()
        });
        up(&n, 2_004);
        let mine = n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "4000");
        assert!(n.is_full());
        check(&n);
        assert_eq!((n.usage_exact_bytes(), c.usage_exact_bytes()), (4_000, 6));
        check(&n);
    });
}

/// Somebody waits for space: the one of two releases that makes it wakes, whoever crosses for whom.
#[test]
fn two_releases_in_a_row_wake() {
    model(|ground| {
        let n = patient(ground, 4_000);
        up(&n, 4_010);
        let (a, b) = (Arc::clone(&n), Arc::clone(&n));
        let first = spawn(move || {
            down(&a, 6);
            a.is_full()
        });
        let second = spawn(move || down(&b, 6));
        assert_eq!(n.wait_for_space(None, 100), Ok(Waited::Done));
        let _ = first.join().unwrap();
        second.join().unwrap();
        assert!(!n.is_full());
        assert_eq!((n.usage_bytes(), n.stats().waiters), (3_998, 0));
        check(&n);
    });
}

/// The same for a reservation.
#[test]
fn two_releases_in_a_row_serve_a_reservation() {
    model_with(1, |ground| {
        let n = patient(ground, 4_000);
        up(&n, 4_010);
        let (a, b) = (Arc::clone(&n), Arc::clone(&n));
        let first = spawn(move || down(&a, 6));
        let second = spawn(move || down(&b, 14));
        assert_eq!(n.reserve_wait(10, None), Ok(Waited::Done));
        first.join().unwrap();
        second.join().unwrap();
        assert!(n.is_full());
        assert_eq!((n.usage_bytes(), n.stats().waiters, n.stats().waiting_bytes), (4_000, 0, 0));
        check(&n);
    });
}
