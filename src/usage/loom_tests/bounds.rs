//! Crossings: whoever moves a level over a bound, or shares in it, sees what follows from it when the call returns.

use super::*;

/// One thread uses credit while another moves the level to the limit: whoever is second sees "full".
#[test]
fn credit_against_a_crossing() {
    model_with(3, |ground| {
        let n = ground.root(4_000);
        up(&n, 4);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 6);
            a.is_full()
        });
        up(&n, 3_990);
        let mine = n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "the second of the two reaches the limit");
        assert!(n.is_full());
        check(&n);
        assert_eq!(n.usage_exact_bytes(), 4_000);
        check(&n);
    });
}

/// The mirror image: nobody who has left the limit sees "full" for ever.
#[test]
fn two_leave_the_limit() {
    model_with(1, |ground| {
        let n = ground.root(4_000);
        up(&n, 3_960);
        up(&n, 45);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            down(&a, 6);
            !a.is_full()
        });
        down(&n, 3);
        down(&n, 1);
        let mine = !n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "the last of the two leaves the limit");
        assert!(!n.is_full());
        assert_eq!(n.usage_exact_bytes(), 3_995);
        check(&n);
    });
}

/// What a thread has taken away stays away: a decrease is not undone by an increase that does not reach the limit.
#[test]
fn an_own_decrease_is_seen() {
    model_with(3, |ground| {
        let n = ground.root(4_000);
        up(&n, 3_995);
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 10));
        down(&n, 20);
        assert!(!n.is_full(), "3975 or 3985 since");
        other.join().unwrap();
        assert!(!n.is_full());
        check(&n);
    });
}

/// A stripe runs dry and over while the level passes the limit and comes back.
#[test]
fn refill_and_return_against_a_crossing() {
    model_with(2, |ground| {
        let n = ground.root(4_000);
        up(&n, 8);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 8);
            up(&a, 8);
            down(&a, 12);
        });
        up(&n, 3_995);
        assert!(n.is_full());
        down(&n, 3_995);
        other.join().unwrap();
        assert!(!n.is_full());
        check(&n);
        assert_eq!(n.usage_exact_bytes(), 12);
        check(&n);
    });
}

/// A child's credit, and its refill, while its parent moves to the limit.
#[test]
fn a_parents_crossing_against_a_childs_refill() {
    model(|ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 8);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 8);
            let full = c2.is_full();
            up(&c2, 2);
            full
        });
        up(&p, 3_984);
        let mine = p.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs);
        assert!(p.is_full() && c.is_full());
        check(&p);
        assert_eq!((p.usage_exact_bytes(), c.usage_exact_bytes()), (4_002, 18));
        check(&p);
    });
}

/// A sibling swings the parent over the limit and back while a child works on credit.
#[test]
fn a_sibling_swings_the_parent() {
    model(|ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&c, 8);
        lends(&p);
        let d2 = Arc::clone(&d);
        let other = spawn(move || {
            up(&d2, 3_990);
            down(&d2, 3_990);
        });
        up(&c, 6);
        up(&c, 6);
        down(&c, 6);
        other.join().unwrap();
        assert!(!p.is_full());
        check(&p);
        assert_eq!((p.usage_exact_bytes(), c.usage_exact_bytes()), (14, 14));
        check(&p);
    });
}

/// Two children and the parent: the last of the three sees "full".
#[test]
fn three_reach_the_limit_together() {
    model_with(1, |ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&c, 8);
        lends(&p);
        let (c2, d2) = (Arc::clone(&c), Arc::clone(&d));
        let first = spawn(move || {
            up(&c2, 8);
            c2.is_full()
        });
        let second = spawn(move || {
            up(&d2, 8);
            d2.is_full()
        });
        up(&p, 3_976);
        let mine = p.is_full();
        assert!(first.join().unwrap() | second.join().unwrap() | mine);
        assert!(c.is_full());
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 4_000);
        check(&p);
    });
}

/// A pair of marks: over, and still over between the two.
#[test]
fn marks_are_left_only_below_the_lower_one() {
    model_with(3, |ground| {
        let n = ground.root(10_000);
        n.set_marks(Some(Marks { low: 50, high: 80 })).unwrap();
        up(&n, 7_900);
        up(&n, 4);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 100);
            a.is_over_mark()
        });
        down(&n, 2_000);
        let between = n.is_over_mark();
        let was = other.join().unwrap();
        assert!(n.is_over_mark() || !(was || between), "never below the lower mark since");
        reached("over the mark", was);
        reached("never over the mark", !was && !n.is_over_mark());
        down(&n, 1_005);
        assert!(!n.is_over_mark(), "4999");
        check(&n);
    });
}

/// The way down: a thread that has gone below the lower mark sees it, whoever goes up to less than the upper one.
#[test]
fn below_the_lower_mark_is_seen() {
    model_with(2, |ground| {
        let n = ground.root(10_000);
        n.set_marks(Some(Marks { low: 50, high: 80 })).unwrap();
        up(&n, 8_010);
        assert!(n.is_over_mark());
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 4);
            a.is_over_mark()
        });
        down(&n, 3_020);
        assert!(!n.is_over_mark());
        let _ = other.join().unwrap();
        assert!(!n.is_over_mark());
        check(&n);
    });
}
