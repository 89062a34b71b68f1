//! A listener goes while it is called with a step that was not queued, so by a borrowed reference: it is alive as long
//! as it runs, it ends once, outside the lock, and nothing that crosses after it was taken away is told to it.

use super::*;
use std::sync::Weak;

/// What became of a listener. Loom fails the model if its end is not ordered behind its calls.
pub(super) struct Life {
    pub(super) log: Arc<Log>,
    /// The threads that ended it.
    ends: Guarded<Vec<thread::ThreadId>>,
}

impl Life {
    fn has_ended(&self) -> bool {
        // SAFETY: the listener's calls and its end are in one order, or loom reports it.
        unsafe { !(*self.ends.get()).is_empty() }
    }

    fn end(&self) {
        // SAFETY: as in `has_ended`.
        unsafe { (*self.ends.get()).push(thread::current().id()) };
    }

    /// Asserts that the listener has ended once. Answers whether it was by a thread other than the running one.
    pub(super) fn ended_elsewhere(&self) -> bool {
        // SAFETY: the caller is the only thread left.
        let ends = unsafe { (*self.ends.get()).clone() };
        assert_eq!(ends.len(), 1, "a listener ends once");
        ends.first() != Some(&thread::current().id())
    }
}

/// A listener that notes its end.
pub(super) struct Mortal {
    life: Arc<Life>,
    /// It is asked something when the listener ends: that takes the lock of its tree.
    asked: Option<Arc<Tracker>>,
}

impl Listener for Mortal {
    fn percent_changed(&self, event: Event) {
        in_call(|| {
            assert!(!self.life.has_ended(), "called after its end");
            self.life.log.percent_changed(event);
            assert!(!self.life.has_ended(), "it ended while it was called");
        });
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        in_call(|| {
            if let Some(tracker) = &self.asked {
                let _ = tracker.stats();
            }
            self.life.end();
        });
    }
}

/// What a test keeps of a listener: its life, and its memory, so that who calls it after its end finds that.
pub(super) struct Kept {
    pub(super) life: Arc<Life>,
    _memory: Weak<Mortal>,
}

/// Gives a tracker a listener that nobody else refers to.
pub(super) fn listen(tracker: &Tracker, asked: Option<&Arc<Tracker>>) -> Kept {
    listen_at(tracker.node(), asked)
}

fn listen_at(node: &Node, asked: Option<&Arc<Tracker>>) -> Kept {
    let life = Arc::new(Life { log: Log::new(), ends: Guarded::new(Vec::new()) });
    let mortal = Arc::new(Mortal { life: Arc::clone(&life), asked: asked.map(Arc::clone) });
    let memory = Arc::downgrade(&mortal);
    drop(configure::set_receiver(node, Receiver::Listener(mortal)).finish().unwrap());
    Kept { life, _memory: memory }
}

/// Another listener takes its place: together they are told one chain.
#[test]
fn a_listener_is_replaced() {
    model(|ground| {
        let n = ground.root(100_000);
        let old = listen(&n, None);
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 1_000));
        let new = listen(&n, None);
        up(&n, 2_000);
        other.join().unwrap();
        let mut steps = old.life.log.steps();
        let told = !steps.is_empty();
        let elsewhere = old.life.ended_elsewhere();
        reached("replaced before it is told", !told);
        reached("replaced after it was told", told && !elsewhere);
        reached("replaced while it is told", told && elsewhere);
        steps.extend(new.life.log.steps());
        is_chain(&steps, 0, 3);
        n.clear_events().unwrap();
        assert!(!new.life.ended_elsewhere());
        check(&n);
    });
}

/// It is taken away and nobody takes its place. Its end takes the lock of the tree, so that is not held.
#[test]
fn a_listener_is_taken_away() {
    model(|ground| {
        let p = ground.root(0);
        let c = limited_child(&p, 100_000);
        let kept = listen(&c, Some(&p));
        let c2 = Arc::clone(&c);
        let other = spawn(move || up(&c2, 1_000));
        c.clear_events().unwrap();
        up(&c, 2_000);
        other.join().unwrap();
        let steps = kept.life.log.steps();
        let elsewhere = kept.life.ended_elsewhere();
        reached("taken away before it is told", steps.is_empty());
        reached("taken away while it is told", !steps.is_empty() && elsewhere);
        assert!([&[][..], &[(0, 1)]].contains(&&*steps), "{steps:?}: what crosses afterwards is not told");
        check(&c);
    });
}

/// Two in a row: the borrowed one waits for its call to return, and the one after it does not have to.
#[test]
fn listeners_are_replaced_in_a_row() {
    model(|ground| {
        let n = ground.root(100_000);
        let first = listen(&n, None);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 1_000);
            up(&a, 1_000);
        });
        let second = listen(&n, None);
        let third = listen(&n, None);
        other.join().unwrap();
        reached("the first one ends elsewhere", first.life.ended_elsewhere());
        reached("the second one ends here", !second.life.ended_elsewhere());
        let mut steps = first.life.log.steps();
        reached("the first one is told", !steps.is_empty());
        steps.extend(second.life.log.steps());
        steps.extend(third.life.log.steps());
        is_chain(&steps, 0, 2);
        n.clear_events().unwrap();
        assert!(!third.life.ended_elsewhere());
        check(&n);
    });
}

/// Its tracker is destroyed; then the block that names the borrowed listener is gone, too, and another tracker's may
/// stand in its place.
#[test]
fn a_listeners_tracker_is_destroyed() {
    model(|ground| {
        let p = ground.root(0);
        let c = limited_child(&p, 100_000);
        let d = limited_child(&p, 100_000);
        let kept = listen(&c, Some(&p));
        let node = CrossThread::keep(&c);
        let other = spawn(move || node.up_and_let_go(1_000));
        let _ = take(c).destroy();
        let next = listen(&d, None);
        up(&d, 1_000);
        other.join().unwrap();
        let steps = kept.life.log.steps();
        reached("destroyed before it is told", steps.is_empty());
        reached("destroyed while it is told", kept.life.ended_elsewhere() && !steps.is_empty());
        is_chain(&next.life.log.steps(), 0, 1);
        drop(take(d));
        assert!(!next.life.ended_elsewhere());
        assert_eq!(p.stats().children, 0);
        check(&p);
    });
}

/// A call sets a listener at a node whose handle has just ended: it goes with the node, when the last call lets go of it
/// and has still to tell a step.
#[test]
fn a_listener_goes_with_its_node() {
    model(|ground| {
        let p = ground.root(0);
        let c = limited_child(&p, 100_000);
        let (node, others) = (CrossThread::keep(&c), CrossThread::keep(&c));
        drop(take(c));
        let kept = listen_at(node.node(), Some(&p));
        let other = spawn(move || others.up_and_let_go(1_000));
        node.up_and_let_go(1_000);
        other.join().unwrap();
        let steps = kept.life.log.steps();
        reached("both steps are told", steps.last() == Some(&(1, 2)));
        is_chain(&steps, 0, steps.last().map_or(0, |step| step.1));
        reached("ended elsewhere", kept.life.ended_elsewhere());
        assert_eq!(p.stats().children, 0);
        check(&p);
    });
}

/// A listener takes itself away while it runs: it ends once it has returned.
#[test]
fn a_listener_takes_itself_away() {
    struct Once {
        life: Arc<Life>,
        tracker: Arc<Tracker>,
    }
    impl Listener for Once {
        fn percent_changed(&self, event: Event) {
            in_call(|| {
                self.life.log.percent_changed(event);
                self.tracker.clear_events().unwrap();
                assert!(!self.life.has_ended(), "it ended while it was called");
            });
        }
    }
    impl Drop for Once {
        fn drop(&mut self) {
            in_call(|| self.life.end());
        }
    }
    model_with(3, |ground| {
        let n = ground.root(100_000);
        let life = Arc::new(Life { log: Log::new(), ends: Guarded::new(Vec::new()) });
        let once = Arc::new(Once { life: Arc::clone(&life), tracker: Arc::clone(&n) });
        let memory = Arc::downgrade(&once);
        n.set_listener(once).unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 1_000));
        up(&n, 1_000);
        other.join().unwrap();
        let steps = life.log.steps();
        let told = steps.len();
        reached("two steps were under way", told == 2);
        reached("one step was", told == 1);
        is_chain(&steps, 0, steps.last().map_or(0, |step| step.1));
        reached("it ends elsewhere", life.ended_elsewhere());
        drop(memory);
        check(&n);
    });
}
