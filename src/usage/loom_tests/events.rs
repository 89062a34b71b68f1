//! Delivery: an unbroken chain, each step once, by one thread at a time, and nothing left when all have returned.

use super::*;

/// Two threads cross steps of one tracker at once: both steps are delivered when both have returned.
#[test]
fn no_step_is_left_behind() {
    model_with(3, |ground| {
        let n = ground.root(100_000);
        let log = Log::new();
        n.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 1_000));
        up(&n, 1_000);
        assert!(n.percent() >= 1);
        other.join().unwrap();
        let steps = log.steps();
        reached("in one step", steps.len() == 1);
        reached("in two steps", steps.len() == 2);
        is_chain(&steps, 0, 2);
        check(&n);
    });
}

/// Two threads cross steps of one tracker with credit lent; what is delivered is a chain that ends at the truth.
#[test]
fn steps_are_a_chain() {
    model(|ground| {
        let n = ground.root(40_000);
        n.set_min_delta_percent(10).unwrap();
        let log = Log::new();
        n.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        up(&n, 40);
        up(&n, 4);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 4_800);
            down(&a, 4_804);
        });
        up(&n, 3_600);
        let seen = n.percent();
        assert!([0, 10, 20].contains(&seen), "{seen}");
        up(&n, 3_600);
        let seen = n.percent();
        assert!([10, 30].contains(&seen), "{seen}");
        other.join().unwrap();
        assert_eq!(n.percent(), 10);
        reached("more than one step", log.steps().len() > 1);
        is_chain(&log.steps(), 0, 10);
        check(&n);
    });
}

/// A listener is set while a thread crosses: its chain begins at a truth, and nothing is missing from there on.
#[test]
fn a_listener_is_set_against_a_crossing() {
    model(|ground| {
        let n = ground.root(100_000);
        up(&n, 990);
        up(&n, 2);
        lends(&n);
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 2_000));
        let log = Log::new();
        n.set_listener(Arc::clone(&log) as Arc<dyn Listener>).unwrap();
        up(&n, 2_010);
        other.join().unwrap();
        assert_eq!(n.percent(), 5);
        let steps = log.steps();
        let first = steps.first().map_or(5, |step| step.0);
        assert!([0, 2].contains(&first), "{steps:?}");
        is_chain(&steps, first, 5);
        reached("listening before the other crosses", first == 0);
        reached("listening after the other crossed", first == 2);
        check(&n);
    });
}

/// A listener takes another's place while a thread crosses: together they are told one chain.
#[test]
fn a_listener_takes_anothers_place() {
    model(|ground| {
        let n = ground.root(100_000);
        let (old, new) = (Log::new(), Log::new());
        n.set_listener(Arc::clone(&old) as Arc<dyn Listener>).unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 2_000);
            up(&a, 2_000);
        });
        n.set_listener(Arc::clone(&new) as Arc<dyn Listener>).unwrap();
        other.join().unwrap();
        let mut steps = old.steps();
        reached("told to the old one", !steps.is_empty());
        reached("told to the new one", !new.steps().is_empty());
        steps.extend(new.steps());
        // The old one may be told of a batch that was on its way while the new one is not told yet.
        is_chain(&steps, 0, 4);
        check(&n);
    });
}

/// A listener that changes the tree it listens to, while another thread crosses: no recursion, and nothing is left.
#[test]
fn a_listener_calls_back() {
    struct Calling {
        log: Arc<Log>,
        tracker: Guarded<Option<Arc<Tracker>>>,
    }
    impl Listener for Calling {
        fn percent_changed(&self, event: Event) {
            self.log.percent_changed(event);
            // SAFETY: set before the threads of the model start, and taken after they have ended.
            if let Some(tracker) = unsafe { &*self.tracker.get() }
                && event.new == 2
            {
                down(tracker, 1_000);
            }
        }
    }
    model(|ground| {
        let n = ground.root(100_000);
        let log = Log::new();
        let calling = Arc::new(Calling { log: Arc::clone(&log), tracker: Guarded::new(None) });
        n.set_listener(Arc::clone(&calling) as Arc<dyn Listener>).unwrap();
        // SAFETY: no other thread is there yet.
        unsafe { *calling.tracker.get() = Some(Arc::clone(&n)) };
        let a = Arc::clone(&n);
        let other = spawn(move || up(&a, 1_000));
        up(&n, 1_000);
        other.join().unwrap();
        let steps = log.steps();
        let called_back = steps.iter().any(|step| step.1 == 2);
        reached("called back", called_back);
        is_chain(&steps, 0, if called_back { 1 } else { 2 });
        // SAFETY: the threads have ended.
        unsafe { *calling.tracker.get() = None };
        check(&n);
    });
}

/// Events are polled while others are recorded: a chain, each step once.
#[test]
fn events_are_polled_against_a_crossing() {
    model_with(3, |ground| {
        let n = ground.root(100_000);
        n.keep_events().unwrap();
        let a = Arc::clone(&n);
        let other = spawn(move || {
            up(&a, 1_000);
            down(&a, 10);
        });
        let mut events = [Event::default(); 4];
        let first = n.poll_events(&mut events[..1]);
        other.join().unwrap();
        let count = first + n.poll_events(&mut events[first..]);
        let steps: Vec<_> = events[..count].iter().map(|event| (event.old, event.new)).collect();
        assert_eq!(steps, [(0, 1), (1, 0)]);
        check(&n);
    });
}
