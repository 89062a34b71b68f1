//! Handles that end while others are used: credit and residual leave the levels above, and memory lives long enough.

use super::*;

/// A child with credit is destroyed while its sibling counts.
#[test]
fn destroy_against_a_sibling() {
    model(|ground| {
        let p = ground.root(4_000);
        let (c, d) = (child(&p), child(&p));
        up(&c, 8);
        lends(&p);
        let d2 = Arc::clone(&d);
        let other = spawn(move || {
            up(&d2, 8);
            up(&d2, 8);
            down(&d2, 16);
        });
        assert_eq!(take(c).destroy(), 8);
        other.join().unwrap();
        check(&p);
        assert_eq!((p.usage_exact_bytes(), d.usage_exact_bytes()), (0, 0));
        check(&p);
    });
}

/// A parent's handle ends while its child counts: the level stays for the child, without what was its own.
#[test]
fn destroy_against_a_child() {
    model(|ground| {
        let p = ground.root(4_000);
        let q = limited_child(&p, 4_000);
        let c = child(&q);
        up(&q, 5);
        up(&c, 8);
        lends(&q);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 8);
            up(&c2, 4);
            down(&c2, 40);
            c2.is_full()
        });
        assert_eq!(take(q).destroy(), 5);
        assert!(!other.join().unwrap());
        check(&p);
        assert_eq!((p.usage_exact_bytes(), c.usage_exact_bytes()), (-20, -20));
        check(&c);
        assert_eq!(take(c).destroy(), -20);
        assert_eq!((p.usage_bytes(), p.stats().children), (0, 0));
    });
}

/// The last handles of a parent and of its child end at once.
#[test]
fn a_parent_and_its_child_end_at_once() {
    model(|ground| {
        let p = ground.root(4_000);
        let q = child(&p);
        let c = child(&q);
        up(&c, 8);
        up(&q, 2);
        lends(&p);
        let other = spawn(move || take(c).destroy());
        let mine = take(q).destroy();
        assert_eq!((other.join().unwrap(), mine), (8, 2));
        check(&p);
        assert_eq!((p.usage_bytes(), p.stats().children), (0, 0));
    });
}

/// A child is made while its only sibling, and with it the parent's share node's only company, ends.
#[test]
fn a_child_comes_while_another_goes() {
    model(|ground| {
        let p = ground.root(4_000);
        let c = child(&p);
        up(&c, 8);
        up(&p, 2);
        lends(&p);
        let other = spawn(move || take(c).destroy());
        let d = child(&p);
        up(&d, 4);
        assert_eq!(other.join().unwrap(), 8);
        check(&p);
        assert_eq!((p.usage_exact_bytes(), p.stats().own_bytes, p.stats().children), (6, 2, 1));
        check(&p);
    });
}

/// A tracker with a listener ends while another thread delivers to it: what is delivered is a chain.
#[test]
fn destroy_against_delivery() {
    model(|ground| {
        let p = ground.root(4_000);
        let c = limited_child(&p, 100_000);
        let log = Log::new();
        c.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        let kept = CrossThread::keep(&c);
        let other = spawn(move || kept.up_and_let_go(1_000));
        up(&c, 1_000);
        let _ = take(c).destroy();
        other.join().unwrap();
        let steps = log.steps();
        reached("told", !steps.is_empty());
        is_chain(&steps, 0, steps.last().map_or(0, |step| step.1));
        assert_eq!(p.stats().children, 0);
    });
}

/// A call that waits, whose handle ends meanwhile. The call has its own reference, as those of the C ABI.
fn a_call_whose_handle_ends(with_child: bool, call: fn(&Node) -> Waited) {
    model_with(3, move |ground| {
        let p = ground.root(4_000);
        let q = child(&p);
        let c = with_child.then(|| child(&q));
        up(&q, 4);
        up(&p, 4_000);
        let kept = CrossThread::keep(&q);
        let other = spawn(move || {
            let outcome = call(kept.node());
            kept.let_go();
            outcome
        });
        let waited = q.stats().waiters > 0;
        reached("it waits before the handle ends", waited);
        reached("it has not begun to wait when the handle ends", !waited);
        assert_eq!(take(q).destroy(), 4);
        assert_eq!(other.join().unwrap(), Waited::Destroyed);
        drop(c);
        assert_eq!((p.usage_bytes(), p.stats().children, p.stats().waiters), (4_000, 0, 0));
        check(&p);
    });
}

/// A wait for space.
#[test]
fn destroy_against_a_wait() {
    a_call_whose_handle_ends(false, |node| wait::wait_for_space(node, None, 100).finish().unwrap());
}

/// A reservation, on a node with a share node.
#[test]
fn destroy_against_a_reservation_on_a_parent() {
    a_call_whose_handle_ends(true, |node| wait::reserve_wait(node, 10, None).finish().unwrap());
}

/// A notice: it is called once, whenever it was asked for.
#[test]
fn destroy_against_a_notice() {
    model_with(3, |ground| {
        let p = ground.root(4_000);
        let q = child(&p);
        up(&p, 4_000);
        let kept = CrossThread::keep(&q);
        let told: Arc<Guarded<Vec<Waited>>> = Arc::new(Guarded::new(Vec::new()));
        let tell = Arc::clone(&told);
        let other = spawn(move || {
            // SAFETY: loom reports it if two threads are at it at once.
            let tell = move |why| unsafe { (*tell.get()).push(why) };
            assert_eq!(notify::notify_when_not_full(kept.node(), tell).finish(), Ok(Notified::Later));
            kept.let_go();
        });
        let waits = q.stats().waiters > 0;
        reached("asked for before the handle ends", waits);
        reached("asked for after the handle ended", !waits);
        drop(take(q));
        other.join().unwrap();
        // SAFETY: no other thread is left.
        assert_eq!(unsafe { (*told.get()).clone() }, [Waited::Destroyed]);
        assert_eq!((p.stats().children, p.stats().waiters), (0, 0));
        check(&p);
    });
}
