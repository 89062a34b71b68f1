//! Stripes that come into being while others use the only one: no credit is lost or doubled on the way.

use super::*;

fn growing(ground: &Ground, limit_bytes: u64) -> Arc<Tracker> {
    ground.root_tuned(limit_bytes, |tuning| {
        tuning.lost_to_grow = 1;
        tuning.stripes_log2 = 1;
    })
}

/// Two threads lose exchanges to each other, the node grows, and they go on, on stripes of their own.
#[test]
fn a_node_grows_against_use() {
    model_with(2, |ground| {
        let n = growing(ground, 8_000);
        up(&n, 8);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 2);
            down(&a, 1);
        });
        use_stripe(1);
        up(&n, 2);
        up(&n, 1);
        other.join().unwrap();
        reached("grown", n.stats().stripes == 2);
        reached("two active stripes", n.stats().active_stripes == 2);
        assert_eq!(n.usage_bytes(), 12);
        check(&n);
        assert_eq!(n.usage_exact_bytes(), 12);
        check(&n);
    });
}

/// The same on a parent, whose words are those of its share node, while the parent's credit is recalled.
#[test]
fn a_parent_grows_against_a_recall() {
    model(|ground| {
        let p = growing(ground, 8_000);
        let c = child(&p);
        up(&p, 8);
        lends(&p);
        let a = Arc::clone(&p);
        let other = spawn(move || {
            up(&a, 2);
            assert!((10..=12).contains(&a.usage_exact_bytes()));
        });
        use_stripe(1);
        up(&p, 1);
        up(&p, 1);
        other.join().unwrap();
        reached("grown", p.stats().stripes == 2);
        assert_eq!((p.usage_bytes(), p.stats().own_bytes), (12, 12));
        assert_eq!(p.node().stripe_count(), p.stats().stripes, "the parent goes by its share node's stripes");
        check(&p);
        assert_eq!(take(c).destroy(), 0);
        assert_eq!(take(p).destroy(), 12);
    });
}

/// Two stripes of one node from the start: both are lent, and a crossing finds both.
#[test]
fn two_stripes_against_a_crossing() {
    model(|ground| {
        let n = growing(ground, 8_000);
        grow(&n);
        up(&n, 4);
        use_stripe(1);
        up(&n, 4);
        assert_eq!(n.stats().active_stripes, 2);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 6);
            a.is_full()
        });
        up(&n, 2);
        up(&n, 7_984);
        let mine = n.is_full();
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "8000");
        assert!(n.is_full());
        check(&n);
        assert_eq!(n.usage_exact_bytes(), 8_000);
    });
}

/// A node that has grown gets its first child: the share node takes its stripes over, while they are used.
#[test]
fn a_grown_node_gets_a_child() {
    model(|ground| {
        let p = growing(ground, 8_000);
        grow(&p);
        up(&p, 4);
        lends(&p);
        let a = Arc::clone(&p);
        let other = spawn(move || {
            use_stripe(1);
            up(&a, 2);
            up(&a, 2);
        });
        let c = child(&p);
        up(&c, 2);
        other.join().unwrap();
        assert_eq!(p.usage_bytes(), 10);
        check(&p);
        assert_eq!(p.usage_exact_bytes(), 10);
        check(&p);
    });
}

/// Makes a node's stripes.
fn grow(tracker: &Tracker) {
    let node = tracker.node();
    let mut held = node.tree().lock();
    held.grow(node);
    held.leave(&mut None);
    assert_eq!(tracker.stats().stripes, 2);
}
