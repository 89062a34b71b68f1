//! Many threads on one tree: what is counted is what they did, events are one chain whose end is the truth, nobody is
//! left waiting, and listeners may do what they like.
//!
//! `make check-usage` runs `USAGE_ROUNDS` rounds; a round that fails is named by its seed, `USAGE_SEED`.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use parts::meter::percent_of;
use parts::threads::{Progress, Random, Turns, count};
use queuecore::usage::{Event, Marks, Notified, Options, Tracker, Waited};
use scarce::Scarce;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const THREADS: usize = 4;

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

// Conservation

/// The chain of one tracker's events, checked as they come.
struct Chain {
    last: Mutex<i32>,
    count: AtomicU64,
    is_inside: AtomicBool,
}

impl Chain {
    fn new(percent: i32) -> Arc<Chain> {
        Arc::new(Chain {
            last: Mutex::new(percent),
            count: AtomicU64::new(0),
            is_inside: AtomicBool::new(false),
        })
    }

    fn put(&self, event: Event) {
        assert!(!self.is_inside.swap(true, Ordering::AcqRel), "two at once");
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(*last, event.old, "the chain is broken by {event:?}");
        *last = event.new;
        self.count.fetch_add(1, Ordering::Relaxed);
        self.is_inside.store(false, Ordering::Release);
    }

    fn last(&self) -> i32 {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tracker of the tree that all threads work on.
struct Shared {
    tracker: Tracker,
    parent: Option<usize>,
    /// What threads counted here.
    sum: AtomicI64,
    chain: Option<Arc<Chain>>,
    polls: bool,
}

/// One round's tree: a root, two children and a grandchild.
struct Grove {
    trackers: Vec<Shared>,
    notices: AtomicUsize,
    given: Arc<AtomicUsize>,
    scale: u64,
    memory: Arc<Scarce>,
}

impl Grove {
    fn plant(random: &mut Random) -> Grove {
        let memory = Scarce::plenty();
        let scale = 1 << random.below(42);
        let mut trackers: Vec<Shared> = Vec::new();
        for parent in [None, Some(0), Some(0), Some(1)] {
            let options = Options {
                limit_bytes: if random.below(4) == 0 { 0 } else { 1 + random.below(200) * scale / 64 },
                min_delta_percent: random.pick(&[1, 1, 5, 10, 30]),
                tag: trackers.len() as u64,
                event_capacity: random.pick(&[1, 2, 64, 1000]),
                max_stripes: if parent.is_none() { random.pick(&[0, 1, 4]) } else { 0 },
                allocator: parent.is_none().then(|| memory.clone() as _),
                ..Options::default()
            };
            let tracker = match parent {
                None => Tracker::new(options),
                Some(parent) => trackers[parent].tracker.child(options),
            }
            .expect("valid options");
            let (listens, polls) = random.pick(&[(true, false), (false, true), (false, false)]);
            let chain = (listens || polls).then(|| Chain::new(0));
            if let Some(chain) = chain.clone().filter(|_| listens) {
                assert_eq!(tracker.set_listener(Arc::new(move |event| chain.put(event))), Ok(()));
            }
            if polls {
                assert_eq!(tracker.keep_events(), Ok(()));
            }
            if random.below(2) == 0 {
                assert_eq!(tracker.set_marks(Some(Marks { low: 50, high: 70 })), Ok(()));
            }
            trackers.push(Shared { tracker, parent, sum: AtomicI64::new(0), chain, polls });
        }
        Grove { trackers, notices: AtomicUsize::new(0), given: Arc::default(), scale, memory }
    }

    /// Takes what there is to poll. One thread does it at a time.
    fn poll(&self) {
        let mut events = [Event::default(); 5];
        loop {
            let count = self.trackers[2].tracker.poll_events(&mut events);
            for event in &events[..count] {
                let shared = &self.trackers[event.tag as usize];
                assert!(shared.polls, "{event:?}");
                shared.chain.as_ref().expect("it keeps events").put(*event);
            }
            if count == 0 {
                break;
            }
        }
    }

    fn usage(&self, index: usize) -> i64 {
        let is_below = |mut at: usize| {
            while at != index {
                match self.trackers[at].parent {
                    Some(parent) => at = parent,
                    None => return false,
                }
            }
            true
        };
        let below = (0..self.trackers.len()).filter(|&at| is_below(at));
        below.map(|at| self.trackers[at].sum.load(Ordering::Relaxed)).sum()
    }

    /// What one thread does: some of each.
    fn work(&self, number: usize, random: &mut Random, steps: u64) {
        let mut held = [0_u64; 4];
        for _ in 0..steps {
            let at = random.below(4) as usize;
            let Shared { tracker, sum, .. } = &self.trackers[at];
            let most = random.pick(&[4, 64, 1024]).min(self.scale);
            let small = 1 + random.below(most);
            let amount = if random.below(8) == 0 { 1 + random.below(self.scale) } else { small };
            let mut admit = |is_admitted: bool| {
                if is_admitted {
                    held[at] += amount;
                    sum.fetch_add(amount as i64, Ordering::Relaxed);
                }
            };
            match random.below(if number == 0 { 120 } else { 100 }) {
                0..40 => {
                    assert_eq!(tracker.increase(amount), Ok(()));
                    admit(true);
                }
                40..80 => {
                    let amount = if held[at] < 4 * amount { held[at] } else { amount };
                    assert_eq!(tracker.decrease(amount), Ok(()));
                    held[at] -= amount;
                    sum.fetch_sub(amount as i64, Ordering::Relaxed);
                }
                80..88 => admit(tracker.try_reserve(amount) == Ok(true)),
                88 => {
                    admit(tracker.reserve_wait(amount, Some(Duration::from_micros(50))) == Ok(Waited::Done))
                }
                89 => {
                    let waited =
                        tracker.wait_for_space(Some(Duration::from_micros(50)), 1 + random.below(120) as i32);
                    assert!(
                        matches!(waited, Ok(Waited::Done | Waited::TimedOut | Waited::Stopped)),
                        "{waited:?}"
                    );
                }
                90 => {
                    let given = self.given.clone();
                    let notified = tracker.notify_when_not_full(move |_| {
                        given.fetch_add(1, Ordering::Relaxed);
                    });
                    if notified == Ok(Notified::Later) {
                        self.notices.fetch_add(1, Ordering::Relaxed);
                    }
                }
                91..94 => {
                    tracker.percent();
                    tracker.is_full();
                    tracker.is_full_at(90);
                    tracker.is_over_mark();
                    tracker.usage_bytes();
                }
                94 => {
                    let stats = tracker.stats();
                    assert!(
                        stats.slack_bytes >= 0 && stats.committed_bytes >= stats.usage_bytes,
                        "{stats:?}"
                    );
                    assert!(stats.committed_bytes - stats.slack_bytes <= stats.usage_bytes, "{stats:?}");
                }
                95 => {
                    tracker.usage_exact_bytes();
                }
                96..98 => {
                    // A tracker of one's own: it counts what it is told, whatever happens around it.
                    let own = child(tracker, random.pick(&[0, 1, 1000, self.scale]));
                    assert_eq!(own.increase(amount), Ok(()));
                    assert_eq!(own.set_usage_bytes(small as i64), Ok(()));
                    let below = child(&own, 0);
                    assert_eq!(below.increase(7), Ok(()));
                    assert_eq!(
                        (own.usage_bytes(), own.usage_exact_bytes()),
                        (small as i64 + 7, small as i64 + 7)
                    );
                    assert_eq!(own.destroy(), small as i64);
                    assert_eq!(below.usage_exact_bytes(), 7);
                    drop(below);
                }
                98 => {
                    tracker.stop();
                    tracker.start();
                }
                99 => random.dawdle(),
                100..105 => {
                    let limit =
                        if random.below(4) == 0 { 0 } else { 1 + random.below(200) * self.scale / 64 };
                    assert_eq!(tracker.set_limit_bytes(limit), Ok(()));
                }
                105..107 if at > 0 => {
                    assert_eq!(tracker.set_share_ppm(1 + random.below(1_000_000) as u32), Ok(()))
                }
                107 => assert_eq!(tracker.set_min_delta_percent(random.pick(&[1, 5, 30])), Ok(())),
                _ => self.poll(),
            }
        }
    }

    /// Nobody is at work any more: everything must add up.
    fn check_at_rest(&self, deltas: impl Fn(&Tracker) -> u32) {
        self.poll();
        for (index, shared) in self.trackers.iter().enumerate() {
            let (tracker, usage) = (&shared.tracker, self.usage(index));
            // What is known without the slow path first.
            let (is_full, percent) = (tracker.is_full(), tracker.percent());
            let mut is_full_then = false;
            let mut level = Some(index);
            while let Some(at) = level {
                let above = &self.trackers[at].tracker;
                let limit = above.limit_bytes() as i64;
                let expected = percent_of(self.usage(at), limit, deltas(above));
                is_full_then |= limit > 0 && expected >= 100;
                level = self.trackers[at].parent;
            }
            let expected = percent_of(usage, tracker.limit_bytes() as i64, deltas(tracker));
            assert_eq!((percent, is_full), (expected, is_full_then), "percent and is_full of {index}");
            assert_eq!(tracker.usage_bytes(), usage, "usage of {index}");
            let own = shared.sum.load(Ordering::Relaxed);
            assert_eq!(
                (tracker.stats().usage_bytes, tracker.stats().own_bytes),
                (usage, own),
                "stats of {index}"
            );
            assert_eq!(tracker.usage_exact_bytes(), usage, "exact usage of {index}");
            if let Some(chain) = &shared.chain {
                assert_eq!(chain.last(), percent, "the last event of {index}");
            }
        }
    }
}

fn conservation_round(seed: u64) {
    let mut random = Random::new(seed);
    let grove = Grove::plant(&mut random);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (grove, mut random) = (&grove, Random::new(seed ^ (number as u64 + 1) << 40));
            scope.spawn(move || grove.work(number, &mut random, if cfg!(miri) { 40 } else { 1500 }));
        }
    });
    // Steps may have been set at run time: they are set anew, so that they are known.
    for shared in &grove.trackers {
        assert_eq!(shared.tracker.set_min_delta_percent(1), Ok(()));
    }
    grove.check_at_rest(|_| 1);
    // Whoever waits for a notice gets it when nothing is limited any more, and once.
    for shared in &grove.trackers {
        assert_eq!(shared.tracker.set_limit_bytes(0), Ok(()));
    }
    let stats = grove.trackers[0].tracker.stats();
    assert_eq!((stats.waiters, stats.waiting_bytes, stats.tree_listener_panics), (0, 0, 0), "{stats:?}");
    assert_eq!(grove.given.load(Ordering::Relaxed), grove.notices.load(Ordering::Relaxed), "notices");
    let (sums, memory) = (
        grove.trackers.iter().map(|shared| shared.sum.load(Ordering::Relaxed)).collect::<Vec<_>>(),
        grove.memory.clone(),
    );
    for (shared, sum) in grove.trackers.into_iter().zip(sums) {
        assert_eq!(shared.tracker.destroy(), sum);
    }
    let figures = memory.figures();
    assert_eq!((figures.bytes, figures.foul), (0, 0), "{figures:?}");
}

#[test]
fn what_is_counted_is_what_the_threads_did() {
    let daily = if cfg!(miri) { 2 } else { 100 };
    let rounds = count("USAGE_ROUNDS", daily);
    let first_seed = count("USAGE_SEED", 1);
    let progress = Progress::new("rounds of conservation", rounds, daily);
    for seed in first_seed..first_seed + rounds {
        let round = std::panic::catch_unwind(|| conservation_round(seed));
        if let Err(panic) = round {
            eprintln!("in the round with USAGE_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
        progress.add(1);
    }
    progress.finish();
}

// Listeners

#[test]
fn a_listener_that_panics_harms_nobody() {
    let tracker = root(1000);
    let count = Arc::new(AtomicU64::new(0));
    let to = count.clone();
    let listener = move |event: Event| {
        to.fetch_add(1, Ordering::Relaxed);
        assert!(event.new % 2 == 0, "a listener that panics, as it is meant to");
    };
    assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
    for _ in 0..100 {
        assert_eq!(tracker.increase(10), Ok(()));
    }
    assert_eq!(count.load(Ordering::Relaxed), 100);
    let panics = Arc::new(AtomicU64::new(0));
    let to = panics.clone();
    let notified = tracker.notify_when_not_full(move |_| {
        to.fetch_add(1, Ordering::Relaxed);
        panic!("a notice that panics, as it is meant to");
    });
    assert_eq!(notified, Ok(Notified::Later));
    assert_eq!(tracker.decrease(1000), Ok(()));
    assert_eq!((count.load(Ordering::Relaxed), panics.load(Ordering::Relaxed)), (101, 1));
    assert_eq!(tracker.stats().tree_listener_panics, 51);
    assert_eq!((tracker.percent(), tracker.usage_exact_bytes()), (0, 0));
}

/// It is called, at least once at every step, while others are at work; whatever it does, all adds up.
#[test]
fn listeners_may_call_anything() {
    const CALLS: u64 = if cfg!(miri) { 30 } else { 5000 };
    let parent = root(1000);
    let [first, second] = [child(&parent, 0), child(&parent, 0)].map(Arc::new);
    let victims: Arc<Mutex<Vec<Tracker>>> = Arc::default();
    let chain = Chain::new(0);
    let (own, own_victims, own_chain) = (Arc::downgrade(&second), victims.clone(), chain.clone());
    // What it does makes for more events, for which it does more: that has to end.
    let left = AtomicU64::new(4 * CALLS);
    let listener = move |event: Event| {
        own_chain.put(event);
        if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
            return;
        }
        let tracker = own.upgrade().expect("the test has it");
        match event.new % 5 {
            0 => drop(own_victims.lock().unwrap_or_else(PoisonError::into_inner).pop()),
            1 => {
                let waited = tracker.wait_for_space(Some(Duration::ZERO), 100);
                assert!(matches!(waited, Ok(Waited::Done | Waited::TimedOut)), "{waited:?}");
            }
            2 => {
                assert_eq!(tracker.increase(20), Ok(()));
                assert_eq!(tracker.decrease(20), Ok(()));
            }
            3 => {
                let victim = tracker.child(Options { limit_bytes: 10, ..Options::default() });
                let victim = victim.expect("valid options");
                assert_eq!(victim.increase(1), Ok(()));
                assert_eq!(victim.destroy(), 1);
                tracker.usage_exact_bytes();
            }
            _ => {
                let notified = tracker.notify_when_not_full(|_| {});
                assert!(notified.is_ok(), "{notified:?}");
                let waited = tracker.reserve_wait(1, Some(Duration::ZERO));
                if waited == Ok(Waited::Done) {
                    assert_eq!(tracker.decrease(1), Ok(()));
                }
            }
        }
    };
    assert_eq!(parent.set_listener(Arc::new(listener)), Ok(()));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (tracker, parent, victims) = ([&first, &second][number % 2], &parent, &victims);
            scope.spawn(move || {
                let mut random = Random::new(number as u64);
                for call in 0..CALLS {
                    let amount = 1 + random.below(400);
                    assert_eq!(tracker.increase(amount), Ok(()));
                    if call % 16 == 0 {
                        let victim = child(parent, 100);
                        assert_eq!(victim.increase(3), Ok(()));
                        victims.lock().unwrap_or_else(PoisonError::into_inner).push(victim);
                    }
                    assert_eq!(tracker.decrease(amount), Ok(()));
                }
            });
        }
    });
    // Events go on while they are told: the last one may be told by now, or its turn comes with the next.
    let left = std::mem::take(&mut *victims.lock().unwrap_or_else(PoisonError::into_inner));
    let left: Vec<i64> = left.into_iter().map(Tracker::destroy).collect();
    assert!(left.iter().all(|&residual| residual == 3));
    assert_eq!((parent.usage_bytes(), parent.usage_exact_bytes()), (0, 0));
    assert_eq!((chain.last(), parent.percent()), (0, 0));
    assert_eq!((parent.stats().tree_listener_panics, parent.stats().waiters), (0, 0));
    assert!(chain.count.load(Ordering::Relaxed) > 0);
}

/// The first child makes a parent's own share a tracker of its own; whoever is at work at the parent just then does
/// not notice, and all that they count stays the parent's own.
#[test]
fn a_first_child_does_not_disturb_those_who_are_at_work_at_its_parent() {
    const ROUNDS: u64 = if cfg!(miri) { 3 } else { 3000 };
    const CALLS: u64 = 40;
    let top = root(0);
    for round in 0..ROUNDS {
        let parent = child(&top, 1 << 40);
        let turns = Turns::new(THREADS as u64);
        thread::scope(|scope| {
            for number in 0..THREADS as u64 {
                let (parent, turns) = (&parent, &turns);
                scope.spawn(move || {
                    let mut random = Random::new(round * 100 + number);
                    turns.come_to(0);
                    for call in 0..CALLS {
                        let amount = 1 + random.below(5000);
                        assert_eq!(parent.increase(amount), Ok(()));
                        if number == 0 && call % 16 == round % 16 {
                            let own = child(parent, 0);
                            assert_eq!(own.increase(amount), Ok(()));
                            assert_eq!(own.destroy(), amount as i64);
                        }
                        assert_eq!(parent.decrease(amount - 1), Ok(()));
                    }
                });
            }
        });
        let expected = (CALLS * THREADS as u64) as i64;
        assert_eq!(parent.usage_bytes(), expected, "round {round}");
        assert_eq!(parent.stats().own_bytes, expected, "round {round}");
        assert_eq!(parent.destroy(), expected, "round {round}");
        assert_eq!(top.usage_exact_bytes(), 0, "round {round}");
    }
}
