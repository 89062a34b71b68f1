//! The last reference to a tree goes while somebody delivers, who has none: the tree ends once, behind the last delivery.
//! (That it ends, and is used no more, is what every model asserts of its memory.)

use super::retiring::listen;
use super::*;

/// In one thread, while another tells a step.
#[test]
fn a_tree_ends_while_a_step_is_told() {
    model_with(3, |ground| {
        let n = ground.root(100_000);
        let kept = listen(&n, None);
        let node = CrossThread::keep(&n);
        let other = spawn(move || node.up_and_let_go(1_000));
        let residual = take(n).destroy();
        other.join().unwrap();
        assert!(residual == 0 || residual == 1_000, "{residual}");
        let told = !kept.life.log.steps().is_empty();
        let elsewhere = kept.life.ended_elsewhere();
        reached("behind the step", told && !elsewhere);
        reached("while it is told", told && elsewhere);
        reached("before it", !told);
    });
}

/// While a residual below is told: that step stood in the queue.
#[test]
fn a_tree_ends_while_a_residual_is_told() {
    model_with(3, |ground| {
        let p = ground.root(100_000);
        let c = child(&p);
        up(&c, 1_000);
        let kept = listen(&p, None);
        let other = spawn(move || assert_eq!(take(c).destroy(), 1_000));
        assert_eq!(take(p).destroy(), 0);
        other.join().unwrap();
        let steps = kept.life.log.steps();
        reached("told", !steps.is_empty());
        assert!([&[][..], &[(1, 0)]].contains(&&*steps), "{steps:?}");
        reached("the listener ends elsewhere", kept.life.ended_elsewhere());
    });
}

/// While a step is told, with a notice that waits and has to be called, and the listener to be dropped.
#[test]
fn a_tree_ends_with_a_notice() {
    model_with(3, |ground| {
        let n = ground.root(100_000);
        up(&n, 1_000);
        let kept = listen(&n, None);
        let told: Arc<Guarded<Vec<(Waited, thread::ThreadId)>>> = Arc::new(Guarded::new(Vec::new()));
        let tell = Arc::clone(&told);
        let asked = n.notify_when_below(1, move |why| {
            // SAFETY: loom reports it if two threads are at it at once.
            unsafe { (*tell.get()).push((why, thread::current().id())) };
        });
        assert_eq!(asked, Ok(Notified::Later));
        let node = CrossThread::keep(&n);
        let other = spawn(move || node.up_and_let_go(1_000));
        let _ = take(n).destroy();
        other.join().unwrap();
        // SAFETY: no other thread is left.
        let told = unsafe { (*told.get()).clone() };
        let &[(why, by)] = &*told else { panic!("called once: {told:?}") };
        assert_eq!(why, Waited::Destroyed);
        let by_other = by != thread::current().id();
        let elsewhere = kept.life.ended_elsewhere();
        reached("called here", !by_other);
        reached("both are left to who delivers", by_other && elsewhere);
    });
}

/// The listener itself ends the last tracker, while another thread, too, counts on the node.
#[test]
fn a_listener_ends_its_tree() {
    struct Ending {
        log: Arc<Log>,
        tracker: Guarded<Option<Arc<Tracker>>>,
        ended: Arc<Guarded<bool>>,
    }
    impl Listener for Ending {
        fn percent_changed(&self, event: Event) {
            in_call(|| {
                self.log.percent_changed(event);
                // SAFETY: set before the threads of the model start; a listener is called by one thread at a time.
                let tracker = unsafe { (*self.tracker.get()).take() };
                if let Some(tracker) = tracker {
                    let _ = take(tracker).destroy();
                }
                // SAFETY: ordered before its end, or loom reports it.
                assert!(!unsafe { *self.ended.get() }, "it ended while it was called");
            });
        }
    }
    impl Drop for Ending {
        fn drop(&mut self) {
            // SAFETY: as above.
            let again = |ended: &Guarded<bool>| unsafe { std::mem::replace(&mut *ended.get(), true) };
            in_call(|| assert!(!again(&self.ended), "a listener ends once"));
        }
    }
    model_with(3, |ground| {
        let n = ground.root(100_000);
        let log = Log::new();
        let ended = Arc::new(Guarded::new(false));
        let ending = Arc::new(Ending {
            log: Arc::clone(&log),
            tracker: Guarded::new(None),
            ended: Arc::clone(&ended),
        });
        let memory = Arc::downgrade(&ending);
        let (node, others) = (CrossThread::keep(&n), CrossThread::keep(&n));
        // SAFETY: no other thread is there yet.
        unsafe { *ending.tracker.get() = Some(Arc::clone(&n)) };
        n.set_listener(ending).unwrap();
        drop(n);
        let other = spawn(move || others.up_and_let_go(1_000));
        node.up_and_let_go(1_000);
        other.join().unwrap();
        let steps = log.steps();
        reached("one step", steps.len() == 1);
        reached("two steps", steps.len() == 2);
        is_chain(&steps, 0, steps.last().map_or(0, |step| step.1));
        // SAFETY: no other thread is left.
        assert!(unsafe { *ended.get() }, "the listener has ended");
        drop(memory);
    });
}
