//! Lending against everything else: credit is charged before it can be used, within bounds, on every level; and taken
//! back whole.

use super::*;

/// A parent that keeps its steps, of 10 % or 10,000 bytes.
fn stepping(ground: &Ground) -> Arc<Tracker> {
    let p = ground.root(100_000);
    p.set_min_delta_percent(10).unwrap();
    p.keep_events().unwrap();
    p
}

/// A child's credit is recalled while the parent goes down to its lower bound.
#[test]
fn a_recall_against_the_parents_decrease() {
    model_with(3, |ground| {
        let p = stepping(ground);
        let c = child(&p);
        up(&p, 10_100);
        up(&c, 8);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || c2.usage_exact_bytes());
        down(&p, 112);
        assert_eq!(p.percent(), 0, "9996");
        assert_eq!(other.join().unwrap(), 8);
        assert_eq!(p.percent(), 0);
        check(&p);
    });
}

/// Lending to a child while the parent goes down over its lower bound, and the child too.
#[test]
fn lending_against_the_parents_decrease() {
    model(|ground| {
        let p = stepping(ground);
        let c = child(&p);
        up(&p, 10_040);
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 4));
        down(&p, 40);
        down(&c, 8);
        other.join().unwrap();
        reached("a refill", p.stats().tree_refills > 0);
        assert_eq!(p.percent(), 0, "9996");
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 9_996);
        check(&p);
    });
}

/// Lending to a child while the parent comes close to its limit from below.
#[test]
fn lending_against_the_parents_increase() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 3_950);
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 4));
        up(&p, 45);
        assert!(!p.is_full());
        other.join().unwrap();
        reached("a refill", p.stats().tree_refills > 0);
        assert!(!p.is_full());
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 3_999);
        check(&p);
    });
}

/// The cap of a stripe grows while the parent moves up to its limit: what was lent before, and what is lent more, stay
/// within the bounds of both levels.
#[test]
fn a_cap_grows_against_a_crossing() {
    model(|ground| {
        // Near its limit the parent lends 4.
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 3_984);
        up(&c, 2);
        down(&p, 2_000);
        let before = p.stats().slack_bytes;
        assert_eq!(before, 4);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 2);
            up(&c2, 2);
            (c2.is_full(), c2.stats().slack_bytes)
        });
        up(&p, 2_010);
        let mine = p.is_full();
        let (theirs, grown) = other.join().unwrap();
        reached("a greater cap", grown > before);
        assert!(mine || theirs, "4000");
        assert!(p.is_full());
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 4_000);
    });
}

/// A charge that another thread's increase makes fail on the child, before its parent is charged.
#[test]
fn a_charge_fails_on_the_first_level() {
    model_with(3, |ground| {
        let p = ground.root(100_000);
        let c = limited_child(&p, 4_000);
        up(&c, 3_950);
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 4));
        up(&c, 45);
        assert!(!c.is_full());
        other.join().unwrap();
        reached("lent", p.stats().tree_refills > 0);
        reached("not lent", p.stats().tree_refills == 0);
        check(&p);
        assert_eq!((c.usage_exact_bytes(), p.usage_exact_bytes()), (3_999, 3_999));
        check(&p);
    });
}

/// Two reservations below a nearly full parent, one of them with credit: one fits, not both, and one must.
#[test]
fn reservations_never_exceed_the_limit() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&p, 3_970);
        up(&c, 1);
        lends(&p);
        let d2 = Arc::clone(&d);
        let other = spawn(move || i64::from(reserve(&d2, 22)));
        let mine = i64::from(reserve(&c, 20));
        let theirs = other.join().unwrap();
        assert_eq!(mine + theirs, 1);
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 3_971 + mine * 20 + theirs * 22);
        assert_eq!(d.usage_exact_bytes(), theirs * 22);
        check(&p);
    });
}

/// Reservations out of credit and past it, against an increase that takes the last of the space.
#[test]
fn reservations_from_credit_never_exceed_the_limit() {
    model(|ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 3_960);
        up(&c, 4);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || i64::from(reserve(&c2, 6)) + i64::from(reserve(&c2, 6)));
        let mine = i64::from(reserve(&p, 30));
        let theirs = other.join().unwrap();
        assert_eq!(mine + theirs, 2, "either 12 or 6 and 30 fit into 36");
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 3_964 + mine * 30 + theirs * 6);
        check(&p);
    });
}

/// Above its limit a level lends nothing, so credit is no way past it for a reservation.
#[test]
fn nothing_is_lent_above_the_limit() {
    model(|ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&p, 4_100);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 2);
            up(&c2, 2);
        });
        assert!(!reserve(&c, 1));
        other.join().unwrap();
        assert!(!reserve(&c, 1));
        assert_eq!((p.usage_bytes(), p.stats().slack_bytes), (4_104, 0));
        check(&p);
    });
}

/// A reservation that its parent refuses is never seen on its own level: percent kept.
#[test]
fn a_refused_reservation_is_no_step() {
    model_with(3, |ground| {
        let p = ground.root(1_000_000);
        let c = limited_child(&p, 1_000);
        c.set_min_delta_percent(10).unwrap();
        c.keep_events().unwrap();
        up(&c, 305);
        up(&p, 1_000_000 - 310);
        let c2 = Arc::clone(&c);
        let other = spawn(move || assert!(!reserve(&c2, 20)));
        down(&c, 10);
        assert_eq!(c.percent(), 20, "295");
        other.join().unwrap();
        assert_eq!(c.percent(), 20);
        let mut events = [Event::default(); 4];
        let count = c.poll_events(&mut events);
        let steps: Vec<_> = events[..count].iter().map(|event| (event.old, event.new)).collect();
        assert_eq!(steps, [(0, 30), (30, 20)]);
        check(&p);
        check(&c);
    });
}

/// The same where nobody keeps the percent: a reader computes it from the total.
#[test]
fn a_refused_reservation_is_not_read() {
    model(|ground| {
        let p = ground.root_tuned(1_000_000, |tuning| tuning.reads_to_keep = 100);
        let c = limited_child(&p, 1_000);
        up(&c, 303);
        // With credit at the child: the parent recalls it before it refuses, in the middle of the reservation.
        up(&c, 2);
        lends(&c);
        up(&p, 1_000_000 - 310);
        let c2 = Arc::clone(&c);
        let other = spawn(move || assert!(!reserve(&c2, 20)));
        assert_eq!(c.percent(), 30);
        assert_eq!(c.usage_bytes(), 305);
        other.join().unwrap();
        check(&p);
    });
}

/// Only a limited number of stripes may hold credit: one more recalls another, its ancestors included, while it is used.
#[test]
fn one_more_active_stripe_recalls_the_oldest() {
    model(|ground| {
        let p = ground.root_tuned(8_000, |tuning| tuning.most_active_stripes = 1);
        let q = limited_child(&p, 4_000);
        let (c, d) = (child(&q), child(&p));
        up(&c, 2);
        lends(&q);
        let d2 = Arc::clone(&d);
        let other = spawn(move || {
            up(&d2, 2);
            down(&d2, 1);
        });
        up(&c, 2);
        down(&c, 1);
        other.join().unwrap();
        assert!(p.stats().tree_active_stripes <= 1, "{:?}", p.stats());
        reached("the other's credit is recalled", p.stats().tree_recalls > 0);
        check(&p);
        assert_eq!((q.usage_bytes(), p.usage_bytes()), (3, 4));
        assert_eq!((q.usage_exact_bytes(), p.usage_exact_bytes()), (3, 4));
        check(&p);
    });
}
