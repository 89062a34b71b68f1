//! Settings that change while operations run: the levels agree afterwards, and whoever is second sees the result.

use super::*;

/// A child's usage is set while it counts: the levels agree.
#[test]
fn usage_is_set_while_it_changes() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 8);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 8);
            up(&c2, 40);
        });
        c.set_usage_bytes(50).unwrap();
        other.join().unwrap();
        check(&p);
        let usage = c.usage_exact_bytes();
        assert!([50, 90, 98].contains(&usage), "{usage}");
        assert_eq!(p.usage_exact_bytes(), usage);
        check(&p);
    });
}

/// A limit comes down on a level while it goes up: whoever is second sees "full".
#[test]
fn a_limit_against_credit() {
    model_with(3, |ground| {
        let n = ground.root(4_000);
        up(&n, 8);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 6);
            up(&a, 6);
            a.is_full()
        });
        n.set_limit_bytes(20).unwrap();
        let mine = n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs);
        assert!(n.is_full());
        check(&n);
        assert_eq!(n.usage_exact_bytes(), 20);
        check(&n);
    });
}

/// The same where nothing is lent, so that who sets the limit changes no total itself: reading it has to be enough.
#[test]
fn a_limit_against_a_total() {
    model_with(3, |ground| {
        let n = ground.root(4_000);
        up(&n, 100);
        assert_eq!(n.stats().slack_bytes, 0);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 50);
            a.is_full()
        });
        n.set_limit_bytes(150).unwrap();
        let mine = n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs);
        assert!(n.is_full());
        check(&n);
    });
}

/// A parent's limit comes down on a child that has a share of it.
#[test]
fn a_parents_limit_against_a_sharing_child() {
    model(|ground| {
        let p = ground.root(8_000);
        let c = Arc::new(p.child(Options { share_ppm: 500_000, ..Options::default() }).unwrap());
        up(&c, 8);
        lends(&c);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 6);
            up(&c2, 6);
            c2.is_full()
        });
        p.set_limit_bytes(40).unwrap();
        let mine = c.is_full();
        let theirs = other.join().unwrap();
        assert_eq!(c.limit_bytes(), 20);
        assert!(mine || theirs);
        assert!(c.is_full() && !p.is_full());
        check(&p);
        assert_eq!((c.usage_exact_bytes(), p.usage_exact_bytes()), (20, 20));
        assert_eq!((c.percent(), p.percent()), (100, 50));
        check(&p);
    });
}

/// A percent that nobody keeps, read while the usage and then the limit change: never the old one of the new.
#[test]
fn a_limit_against_a_reader() {
    model_with(3, |ground| {
        let n = ground.root_tuned(1_000, |tuning| tuning.reads_to_keep = 100);
        up(&n, 90);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            down(&a, 80);
            a.set_limit_bytes(100).unwrap();
        });
        let seen = n.percent();
        assert!([9, 1, 10].contains(&seen), "90 of 1000, 10 of 1000, 10 of 100, and never {seen} %");
        other.join().unwrap();
        assert_eq!(n.percent(), 10);
        check(&n);
    });
}

/// A node gets its first child, and with it a share node, while its sibling works on credit of their parent.
#[test]
fn a_first_child_against_a_siblings_operations() {
    model(|ground| {
        let p = ground.root(4_000);
        let (x, y) = (child(&p), child(&p));
        up(&x, 3);
        up(&y, 8);
        lends(&x);
        let y2 = Arc::clone(&y);
        let other = spawn(move || {
            up(&y2, 8);
            up(&y2, 3_967);
            y2.is_full()
        });
        let z = child(&x);
        up(&z, 8);
        up(&x, 6);
        let mine = z.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs);
        assert!(z.is_full());
        check(&p);
        assert_eq!((p.usage_exact_bytes(), x.usage_exact_bytes(), z.usage_exact_bytes()), (4_000, 17, 8));
        assert_eq!(x.stats().own_bytes, 9);
        check(&p);
    });
}

/// A node gets its first child while it counts itself: every level's total is right.
#[test]
fn a_first_child_against_own_operations() {
    model(|ground| {
        let p = ground.root(4_000);
        let x = child(&p);
        up(&x, 4);
        lends(&x);
        let x2 = Arc::clone(&x);
        let other = spawn(move || {
            up(&x2, 6);
            up(&x2, 6);
            down(&x2, 2);
        });
        let z = child(&x);
        up(&z, 1);
        other.join().unwrap();
        check(&p);
        assert_eq!((p.usage_bytes(), x.usage_bytes(), x.stats().own_bytes), (15, 15, 14));
        assert_eq!((p.usage_exact_bytes(), x.usage_exact_bytes(), z.usage_exact_bytes()), (15, 15, 1));
        check(&p);
    });
}

/// A node gets its first child while amounts go past its stripe, on the totals themselves.
#[test]
fn a_first_child_against_direct_operations() {
    model_with(2, |ground| {
        let p = ground.root(4_000);
        let x = child(&p);
        up(&x, 100);
        let x2 = Arc::clone(&x);
        let other = spawn(move || {
            up(&x2, 50);
            i64::from(reserve(&x2, 30))
        });
        let z = child(&x);
        up(&z, 1);
        assert_eq!(other.join().unwrap(), 1);
        check(&p);
        assert_eq!((p.usage_bytes(), x.usage_bytes(), x.stats().own_bytes), (181, 181, 180));
        assert_eq!(take(x).destroy(), 180);
        assert_eq!(p.usage_bytes(), 1);
        check(&p);
    });
}

/// A node gets its first child while a reservation waits at the node: what is served is the node's own.
#[test]
fn a_first_child_while_a_reservation_waits() {
    model(|ground| {
        let p = ground.root(4_000);
        let x = child(&p);
        up(&p, 4_000);
        let x2 = Arc::clone(&x);
        let other = spawn(move || x2.reserve_wait(30, None));
        let z = child(&x);
        down(&p, 30);
        assert_eq!(other.join().unwrap(), Ok(Waited::Done));
        assert_eq!((p.usage_bytes(), x.usage_bytes(), x.stats().own_bytes), (4_000, 30, 30));
        assert_eq!(take(x).destroy(), 30);
        drop(z);
        check(&p);
    });
}
