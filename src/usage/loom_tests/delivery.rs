//! Steps that go first and steps that are queued, of two nodes: each node's chain is in order and whole, and one thread
//! at a time delivers in a tree.

use super::*;

/// What the listeners of a tree are told. Loom fails the model if two are called at once, or without order.
struct Told(Guarded<Vec<(Event, thread::ThreadId)>>);

impl Told {
    fn new() -> Arc<Told> {
        Arc::new(Told(Guarded::new(Vec::new())))
    }

    /// What a tracker with this tag was told, once the threads of the model have ended.
    fn steps(&self, tag: u64) -> Vec<(i32, i32)> {
        self.all()
            .iter()
            .filter(|(event, _)| event.tag == tag)
            .map(|(event, _)| (event.old, event.new))
            .collect()
    }

    fn all(&self) -> Vec<(Event, thread::ThreadId)> {
        // SAFETY: the caller is the only thread left.
        unsafe { (*self.0.get()).clone() }
    }
}

/// The listener of the tracker with a tag.
struct Teller {
    told: Arc<Told>,
    tag: u64,
}

impl Listener for Teller {
    fn percent_changed(&self, event: Event) {
        in_call(|| {
            assert_eq!(event.tag, self.tag, "a step of another tracker");
            let told = self.told.0.get();
            thread::yield_now();
            // SAFETY: the listeners of a tree are called by one thread at a time: loom checks it at both ends.
            unsafe { (*told).push((event, thread::current().id())) };
            let _ = self.told.0.get();
        });
    }
}

const PARENT: u64 = 1;
const CHILD: u64 = 2;

/// A parent and a child, each of 100,000, and what their listeners are told.
fn two_that_tell(ground: &Ground) -> (Arc<Tracker>, Arc<Tracker>, Arc<Told>) {
    let p = ground.root_with(Options { limit_bytes: 100_000, tag: PARENT, ..Options::default() });
    let options = Options { limit_bytes: 100_000, tag: CHILD, ..Options::default() };
    let c = Arc::new(p.child(options).unwrap());
    let told = Told::new();
    for (tracker, tag) in [(&p, PARENT), (&c, CHILD)] {
        tracker.set_listener(Arc::new(Teller { told: Arc::clone(&told), tag })).unwrap();
    }
    (p, c, told)
}

/// A writer whose step goes first at the child and is queued at the parent, against one that comes to the parent alone.
#[test]
fn a_step_goes_first_and_another_is_queued() {
    model_with(3, |ground| {
        let (p, c, told) = two_that_tell(ground);
        let p2 = Arc::clone(&p);
        let other = spawn(move || up(&p2, 1_000));
        up(&c, 1_000);
        other.join().unwrap();
        is_chain(&told.steps(CHILD), 0, 1);
        is_chain(&told.steps(PARENT), 0, 2);
        let me = thread::current().id();
        let by_me = told.all().iter().filter(|(_, by)| *by == me).count();
        reached("the other tells all", by_me == 0);
        reached("the other tells none", by_me == told.all().len());
        check(&p);
        check(&c);
    });
}

/// The same the other way round, up and down, so that a node's step goes first behind its queued one.
#[test]
fn steps_go_first_and_are_queued_in_turn() {
    model(|ground| {
        let (p, c, told) = two_that_tell(ground);
        let c2 = Arc::clone(&c);
        let other = spawn(move || {
            up(&c2, 1_000);
            down(&c2, 1_000);
        });
        up(&p, 2_000);
        up(&c, 2_000);
        other.join().unwrap();
        is_chain(&told.steps(CHILD), 0, 2);
        is_chain(&told.steps(PARENT), 0, 4);
        check(&p);
        check(&c);
    });
}

/// With credit below, one holder of the lock meets steps of both: one of them goes first, and the other does not.
#[test]
fn two_nodes_cross_under_one_lock() {
    model(|ground| {
        let (p, c, told) = two_that_tell(ground);
        up(&p, 900);
        up(&c, 4);
        lends(&c);
        let p2 = Arc::clone(&p);
        let other = spawn(move || up(&p2, 200));
        up(&c, 1_000);
        other.join().unwrap();
        is_chain(&told.steps(CHILD), 0, 1);
        is_chain(&told.steps(PARENT), 0, 2);
        check(&p);
        check(&c);
    });
}

/// One holder of the lock crosses for itself and for who waits at the gate, until there is no room for steps that go
/// first: the rest is queued behind them.
#[test]
fn more_steps_than_go_first() {
    model(|ground| {
        let n = ground.root_tuned(100_000, |tuning| {
            tuning.waits_at_gate = true;
            tuning.crossings_in_a_row = 3;
        });
        let log = Log::new();
        n.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || {
            for _ in 0..2 {
                up(&a, 1_000);
            }
        });
        up(&n, 1_000);
        other.join().unwrap();
        reached("three steps", log.steps().len() == 3);
        is_chain(&log.steps(), 0, 3);
        check(&n);
    });
}

/// A notice comes due by the crossing whose step goes first: it is called behind it.
#[test]
fn a_notice_behind_a_step_that_goes_first() {
    model(|ground| {
        let n = ground.root(100_000);
        up(&n, 2_005);
        let log = Log::new();
        n.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        let told: Arc<Guarded<Vec<Waited>>> = Arc::new(Guarded::new(Vec::new()));
        let tell = Arc::clone(&told);
        // SAFETY: loom reports it if two threads are at it at once.
        let asked = n.notify_when_below(2, move |why| unsafe { (*tell.get()).push(why) });
        assert_eq!(asked, Ok(Notified::Later));
        let a = Arc::clone(&n);
        let other = spawn(move || down(&a, 10));
        down(&n, 1_000);
        other.join().unwrap();
        // SAFETY: no other thread is left.
        assert_eq!(unsafe { (*told.get()).clone() }, [Waited::Done]);
        reached("in two steps", log.steps().len() == 2);
        reached("in one", log.steps().len() == 1);
        is_chain(&log.steps(), 2, 0);
        check(&n);
    });
}
