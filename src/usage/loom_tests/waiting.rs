//! Waiting: no wake-up is lost, first come is first served, and held space is held.

use super::*;
use crate::sync::AtomicU32;

/// A release through a child's stripe wakes who waits for the parent.
#[test]
fn a_release_wakes_who_waits_for_space() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 4_004);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            down(&c2, 3);
            down(&c2, 3);
        });
        assert_eq!(c.wait_for_space(None, 100), Ok(Waited::Done));
        other.join().unwrap();
        assert_eq!((p.usage_exact_bytes(), p.stats().waiters), (3_998, 0));
        check(&p);
    });
}

/// A threshold in the middle, with credit below: the waiter's bound cuts through what the stripe holds.
#[test]
fn a_release_through_credit_wakes() {
    model_with(3, |ground| {
        let p = ground.root(10_000);
        let c = child(&p);
        up(&p, 5_000);
        up(&c, 4);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            down(&c2, 2);
            down(&c2, 3);
        });
        assert_eq!(c.wait_for_space(None, 50), Ok(Waited::Done), "4999");
        other.join().unwrap();
        assert_eq!((p.usage_exact_bytes(), p.stats().waiters), (4_999, 0));
        check(&p);
    });
}

/// A threshold beyond what the credit can reach: the credit stays, and the release is found all the same.
#[test]
fn a_release_beyond_the_credit_wakes() {
    model(|ground| {
        let p = ground.root(10_000);
        let c = child(&p);
        up(&p, 5_100);
        up(&c, 4);
        lends(&p);
        let (c2, p2) = (Arc::clone(&c), Arc::clone(&p));
        let other = spawn(move || {
            down(&p2, 100);
            down(&c2, 5);
        });
        assert_eq!(c.wait_for_space(None, 50), Ok(Waited::Done), "4999");
        other.join().unwrap();
        assert_eq!((p.usage_exact_bytes(), p.stats().waiters), (4_999, 0));
        check(&p);
    });
}

/// A release wakes who waits with a reservation.
#[test]
fn a_release_serves_a_reservation() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 3_900);
        up(&c, 4);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            down(&c2, 1);
            down(&c2, 3);
        });
        assert_eq!(c.reserve_wait(99, None), Ok(Waited::Done));
        other.join().unwrap();
        assert_eq!((p.usage_bytes(), p.stats().waiters, p.stats().waiting_bytes), (3_999, 0, 0));
        check(&p);
        assert_eq!(c.usage_exact_bytes(), 99);
        check(&p);
    });
}

/// Of two reservations the first is served first, though the second would fit before.
#[test]
fn reservations_are_served_in_order() {
    model_with(1, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 4_000);
        let (c2, p2) = (Arc::clone(&c), Arc::clone(&c));
        let first = spawn(move || c2.reserve_wait(20, None));
        let release = spawn(move || {
            down(&p2, 10);
            down(&p2, 20);
        });
        let behind = p.stats().waiters == 1;
        assert_eq!(p.reserve_wait(10, None), Ok(Waited::Done));
        assert!(!behind || p.stats().waiters == 0, "the first one is served before");
        assert_eq!(first.join().unwrap(), Ok(Waited::Done));
        release.join().unwrap();
        reached("behind", behind);
        assert_eq!((p.usage_bytes(), p.stats().waiters, p.stats().waiting_bytes), (4_000, 0, 0));
        check(&p);
    });
}

/// The same, of one that does not wait long: what comes free is not for it while another is in front.
#[test]
fn nobody_overtakes() {
    model_with(3, |ground| {
        let c = ground.root(4_000);
        up(&c, 4_000);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.reserve_wait(20, None));
        down(&c, 10);
        let behind = c.stats().waiters == 1;
        let mine = c.reserve_wait(10, Some(Duration::ZERO)).unwrap();
        assert!(!behind || mine == Waited::TimedOut, "10 are free, and 20 are waited for in front");
        reached("behind", behind);
        reached("alone", mine == Waited::Done);
        down(&c, 20);
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        assert_eq!(c.usage_bytes(), if mine == Waited::Done { 4_000 } else { 3_990 });
        check(&c);
    });
}

/// A reservation whose tracker is stopped lets the next one through.
#[test]
fn who_is_stopped_lets_the_next_one_through() {
    model(|ground| {
        let p = ground.root(4_000);
        let (x, c) = (child(&p), child(&p));
        up(&p, 3_990);
        let (x2, c2) = (Arc::clone(&x), Arc::clone(&c));
        let first = spawn(move || x2.reserve_wait(20, None));
        let second = spawn(move || c2.reserve_wait(10, None));
        let both = p.stats().waiters == 2;
        x.stop();
        assert_eq!(first.join().unwrap(), Ok(Waited::Stopped));
        assert_eq!(second.join().unwrap(), Ok(Waited::Done));
        reached("both wait", both);
        assert_eq!((p.usage_bytes(), p.stats().waiting_bytes, p.stats().waiters), (4_000, 0, 0));
        check(&p);
    });
}

/// Space that somebody waits for is held against who does not wait.
#[test]
fn space_is_held_for_who_waits() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 4_000);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.reserve_wait(20, None));
        down(&p, 10);
        let waits = p.stats().waiters == 1;
        let jumped = reserve(&p, 5);
        assert!(!(waits && jumped), "10 are free and 20 are waited for");
        down(&p, if jumped { 15 } else { 10 });
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        reached("held", waits);
        assert_eq!((p.usage_bytes(), p.stats().waiting_bytes), (4_000, 0));
        check(&p);
    });
}

/// Credit is no way around who waits.
#[test]
fn space_is_held_against_credit() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&p, 3_900);
        up(&d, 4);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.reserve_wait(200, None));
        let waits = p.stats().waiters == 1;
        let jumped = reserve(&d, 4);
        assert!(!(waits && jumped), "96 are free and 200 are waited for");
        down(&p, 110);
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        reached("held", waits);
        assert_eq!(p.stats().waiting_bytes, 0);
        check(&p);
    });
}

/// A reservation that gives up lets the next one through.
#[test]
fn who_gives_up_lets_the_next_one_through() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        up(&p, 3_990);
        let p2 = Arc::clone(&p);
        let other = spawn(move || p2.reserve_wait(10, None));
        let mine = p.reserve_wait(20, Some(Duration::ZERO));
        assert_eq!(mine, Ok(Waited::TimedOut));
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        assert_eq!((p.usage_bytes(), p.stats().waiting_bytes, p.stats().waiters), (4_000, 0, 0));
        check(&p);
    });
}

/// A reservation that gives up while it is being served.
#[test]
fn giving_up_against_being_served() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        up(&p, 4_000);
        let p2 = Arc::clone(&p);
        let other = spawn(move || p2.reserve_wait(10, Some(Duration::ZERO)));
        down(&p, 10);
        let outcome = other.join().unwrap().unwrap();
        reached("served", outcome == Waited::Done);
        reached("given up", outcome == Waited::TimedOut);
        assert_eq!(p.usage_bytes(), if outcome == Waited::Done { 4_000 } else { 3_990 });
        assert_eq!((p.stats().waiting_bytes, p.stats().waiters), (0, 0));
        check(&p);
    });
}

/// Stopping a parent ends the waits of its children, those that are about to begin included.
#[test]
fn stop_against_a_wait() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 4_000);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.wait_for_space(None, 100));
        let waits = p.stats().waiters == 1;
        p.stop();
        assert_eq!(other.join().unwrap(), Ok(Waited::Stopped));
        reached("it waits", waits);
        reached("it begins to wait afterwards", !waits);
        assert_eq!(p.stats().waiters, 0);
        p.start();
        down(&p, 1);
        assert_eq!(c.wait_for_space(None, 100), Ok(Waited::Done));
        check(&p);
    });
}

/// Stopping against a release, with a reservation: either ends the wait, and the space is taken exactly if it was served.
#[test]
fn stop_against_a_release() {
    model(|ground| {
        let p = ground.root(4_000);
        up(&p, 4_000);
        let (a, b) = (Arc::clone(&p), Arc::clone(&p));
        let other = spawn(move || a.reserve_wait(10, None));
        let release = spawn(move || down(&b, 10));
        p.stop();
        let outcome = other.join().unwrap().unwrap();
        release.join().unwrap();
        reached("served", outcome == Waited::Done);
        reached("stopped", outcome == Waited::Stopped);
        assert_eq!(p.usage_bytes(), if outcome == Waited::Done { 4_000 } else { 3_990 });
        assert_eq!((p.stats().waiting_bytes, p.stats().waiters), (0, 0));
        check(&p);
    });
}

/// A notice against the release that it asks for: it is called once, or not needed.
#[test]
fn a_notice_against_a_release() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 4_004);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            down(&c2, 3);
            down(&c2, 3);
        });
        let told: Arc<Guarded<Vec<Waited>>> = Arc::new(Guarded::new(Vec::new()));
        let tell = Arc::clone(&told);
        // SAFETY: loom reports it if two threads are at it at once.
        let asked = c.notify_when_not_full(move |why| unsafe { (*tell.get()).push(why) }).unwrap();
        other.join().unwrap();
        // SAFETY: no other thread is left.
        let told = unsafe { (*told.get()).clone() };
        match asked {
            Notified::Later => assert_eq!(told, [Waited::Done]),
            Notified::NotFull => assert_eq!(told, []),
        }
        reached("called later", asked == Notified::Later);
        reached("not needed", asked == Notified::NotFull);
        assert_eq!(p.stats().waiters, 0);
        check(&p);
    });
}

/// A limit that is raised wakes who waits.
#[test]
fn a_raised_limit_wakes() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 4_000);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.reserve_wait(8, None));
        p.set_limit_bytes(4_008).unwrap();
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        assert!(p.is_full());
        assert_eq!((p.usage_bytes(), p.stats().waiters), (4_008, 0));
        check(&p);
    });
}

/// A tracker below the waiter's is destroyed: its residual is the release.
#[test]
fn a_residual_wakes() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&d, 10);
        up(&p, 3_990);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.wait_for_space(None, 100));
        assert_eq!(take(d).destroy(), 10);
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        assert_eq!(p.usage_bytes(), 3_990);
        check(&p);
    });
}

/// A reservation without a thread is told or taken back, never both, and is counted only if it was told.
#[test]
fn a_reservation_is_told_or_taken_back() {
    model_with(2, |ground| {
        let c = ground.root(4_000);
        up(&c, 3_995);
        let told = Arc::new(AtomicU32::new(0));
        let tells = Arc::clone(&told);
        let reserving = c.reserve_later(10, move |outcome| {
            // AcqRel: pairs with the load below.
            in_call(|| {
                tells.fetch_add(if outcome == Waited::Done { 1 } else { 10 }, Ordering::AcqRel);
            });
        });
        let Ok(Reserving::Later(ticket)) = reserving else { panic!("{reserving:?} with 5 bytes left") };
        let c2 = Arc::clone(&c);
        let other = spawn(move || down(&c2, 5));
        let taken_back = c.withdraw_reservation(ticket);
        other.join().unwrap();
        // Acquire: pairs with the addition above.
        assert_eq!(told.load(Ordering::Acquire), u32::from(!taken_back));
        reached("told", !taken_back);
        reached("taken back", taken_back);
        assert_eq!(c.usage_bytes(), if taken_back { 3_990 } else { 4_000 });
        assert_eq!((c.stats().waiters, c.stats().waiting_bytes), (0, 0));
        assert!(!c.withdraw_reservation(ticket), "once");
        check(&c);
    });
}

/// A notice that is asked after and withdrawn against the release that it waits for: it is told or taken back, never both
/// and never neither, and who finds it in line has it told of nothing earlier.
#[test]
fn a_notice_is_told_or_taken_back() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 4_002);
        let told = Arc::new(AtomicU32::new(0));
        let tells = Arc::clone(&told);
        let asked = c.space_later(100, move |outcome| {
            // AcqRel: pairs with the loads below.
            in_call(|| {
                tells.fetch_add(if outcome == Waited::Done { 1 } else { 10 }, Ordering::AcqRel);
            });
        });
        let Ok(Some(ticket)) = asked else { panic!("{asked:?} at 4,002 of 4,000") };
        let c2 = Arc::clone(&c);
        let other = spawn(move || down(&c2, 3));
        assert!(!c.is_in_line(ticket + 1) && !p.is_in_line(ticket), "it is not that one");
        let in_line = c.is_in_line(ticket);
        let taken_back = c.withdraw_reservation(ticket);
        assert!(in_line || !taken_back, "it does not come back");
        assert!(!c.withdraw_reservation(ticket), "once");
        other.join().unwrap();
        // Acquire: pairs with the addition above.
        assert_eq!(told.load(Ordering::Acquire), u32::from(!taken_back));
        reached("taken back", taken_back);
        reached("served first", !in_line);
        reached("served in between", in_line && !taken_back);
        assert_eq!(p.stats().waiters, 0);
        check(&p);
    });
}
