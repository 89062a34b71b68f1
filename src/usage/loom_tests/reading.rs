//! Questions while others change the answers: reads without the lock tell a state that was there during the call.

use super::*;

/// A total of which credit is taken out by another thread is no higher for a reader: total and slack are of one moment.
#[test]
fn a_recall_is_not_read() {
    model_with(3, |ground| {
        let n = ground.root_tuned(100_000, |tuning| tuning.reads_to_keep = 100);
        up(&n, 988);
        up(&n, 4);
        assert_eq!((n.stats().committed_bytes, n.stats().slack_bytes), (1_000, 16));
        let a = Arc::clone(&n);
        let other = spawn(move || assert_eq!(a.usage_exact_bytes(), 992));
        assert_eq!(n.percent(), 0, "992 of 100000 are less than 1 %");
        assert_eq!(n.usage_bytes(), 992);
        other.join().unwrap();
        check(&n);
    });
}

/// Nor is credit that is about to be lent.
#[test]
fn lending_is_not_read() {
    model_with(3, |ground| {
        let p = ground.root_tuned(100_000, |tuning| tuning.reads_to_keep = 100);
        let c = child(&p);
        up(&p, 990);
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 4));
        assert_eq!(p.percent(), 0, "990 or 994");
        let usage = p.usage_bytes();
        assert!(usage == 990 || usage == 994, "{usage}");
        other.join().unwrap();
        reached("lent", p.stats().slack_bytes > 0);
        assert_eq!(p.percent(), 0);
        check(&p);
    });
}

/// The charge that fails on the parent is not read on the child.
#[test]
fn a_failed_charge_is_not_read() {
    model(|ground| {
        let p = ground.root_tuned(100_000, |tuning| tuning.reads_to_keep = 100);
        let c = limited_child(&p, 100_000);
        up(&c, 990);
        up(&p, 98_970);
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 4));
        up(&p, 34);
        let usage = c.usage_bytes();
        assert!(usage == 990 || usage == 994, "{usage}");
        assert_eq!(c.percent(), 0, "990 or 994");
        other.join().unwrap();
        assert_eq!(p.percent(), 99, "99998");
        assert!(!p.is_full());
        check(&p);
    });
}

/// A percent that is kept from its first read on, while a thread crosses a step: the reader never goes back.
#[test]
fn a_percent_becomes_kept_against_a_crossing() {
    model(|ground| {
        let n = ground.root(100_000);
        up(&n, 1_980);
        up(&n, 4);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 30);
            assert_eq!(a.percent(), 2);
        });
        let first = n.percent();
        let second = n.percent();
        assert!((1..=2).contains(&first) && first <= second && second <= 2, "{first} and then {second}");
        other.join().unwrap();
        reached("read before and after", first == 1 && second == 2);
        assert_eq!(n.percent(), 2);
        check(&n);
    });
}

/// A percent that is given up at a crossing while it is read.
#[test]
fn a_percent_is_given_up_against_a_reader() {
    model_with(3, |ground| {
        let n = ground.root_tuned(100_000, |tuning| tuning.reads_to_keep = 2);
        up(&n, 1_980);
        let _ = (n.percent(), n.percent());
        {
            let mut held = n.node().tree().lock();
            assert!(held.cold(n.node()).flags.steps, "kept by now");
            held.cold(n.node()).crossings_left = 1;
            held.leave(&mut None);
        }
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 30);
            up(&a, 2);
        });
        let first = n.percent();
        let second = n.percent();
        assert!((1..=2).contains(&first) && first <= second && second <= 2, "{first} and then {second}");
        other.join().unwrap();
        let mut held = n.node().tree().lock();
        let given_up = !held.cold(n.node()).flags.steps;
        held.leave(&mut None);
        reached("given up", given_up);
        assert_eq!(n.percent(), 2, "2012");
        check(&n);
    });
}

/// `is_full_at` against a crossing of just that percent, with credit below.
#[test]
fn a_threshold_against_a_crossing() {
    model(|ground| {
        let p = ground.root(100_000);
        let c = child(&p);
        up(&p, 69_950);
        up(&c, 4);
        lends(&p);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 6);
            c2.is_full_at(70)
        });
        up(&p, 40);
        let mine = c.is_full_at(70);
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "70000");
        assert!(c.is_full_at(70) && !c.is_full_at(71));
        check(&p);
    });
}
