//! The meter's proofs under every interleaving that loom can make, up to a number of preemptions:
//! `make loom`, or `RUSTFLAGS="--cfg loom" cargo test --lib usage::loom_tests`.
//!
//! A model is a few threads that do a few things with one tree, and then asserts what no interleaving may break. Loom
//! reports what was not ordered (each cold part of a node is a cell of its), and the allocator here what outlived its
//! memory: blocks that were given back are poisoned, and every block must come back. `make mutants-usage` seeds faults
//! into the meter and expects each to be caught.
//!
//! A model that never lends proves little, and neither does one whose interesting case never comes about: [`reached`]
//! notes what at least one interleaving has to meet.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

mod bounds;
mod crossing;
mod delivery;
mod events;
mod lending;
mod lifetimes;
mod orphans;
mod reading;
mod retiring;
mod settings;
mod stripes;
mod waiting;

use super::invariants::check;
use super::*;
use crate::memory::Allocator;
use crate::sync::{Guarded, STRIPE_HINT};
use loom::thread;
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

std::thread_local! {
    // Loom runs all threads of a model on the thread of its test.
    static REACHED: RefCell<BTreeMap<&'static str, bool>> = const { RefCell::new(BTreeMap::new()) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static IN_CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Runs a listener's part of a model, or its end. The meter catches panics there, loom's included: the model asserts that
/// every call has returned.
fn in_call(part: impl FnOnce()) {
    IN_CALLS.set(IN_CALLS.get() + 1);
    part();
    IN_CALLS.set(IN_CALLS.get() - 1);
}

/// Notes whether an interleaving met a case that some interleaving has to meet.
fn reached(what: &'static str, here: bool) {
    REACHED.with_borrow_mut(|reached| *reached.entry(what).or_insert(false) |= here);
}

/// Runs `body` under every interleaving with up to 2 preemptions.
fn model(body: impl Fn(&Ground) + Send + Sync + 'static) {
    model_with(2, body);
}

/// Runs `body` under every interleaving with up to `preemptions`; as many more as `LOOM_MAX_PREEMPTIONS` is above 2.
fn model_with(preemptions: usize, body: impl Fn(&Ground) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some((builder.preemption_bound.unwrap_or(2) + preemptions).saturating_sub(2));
    builder.max_branches = 20_000;
    COUNT.set(0);
    builder.check(move || {
        COUNT.set(COUNT.get() + 1);
        IN_CALLS.set(0);
        let ground = Ground { quarantine: Arc::new(Quarantine::new()), tuning: Tuning::for_models() };
        body(&ground);
        assert_eq!(IN_CALLS.get(), 0, "a listener panicked");
        assert_eq!(ground.quarantine.out.get(), 0, "all memory comes back");
    });
    // Shown by `cargo test -- --nocapture`.
    println!("{} interleavings", COUNT.get());
    REACHED.with_borrow(|reached| {
        for (what, met) in reached {
            assert!(met, "no interleaving met this: {what}");
        }
    });
}

/// What a model builds its tree on.
struct Ground {
    quarantine: Arc<Quarantine>,
    tuning: Tuning,
}

impl Ground {
    /// A root.
    fn root(&self, limit_bytes: u64) -> Arc<Tracker> {
        self.root_tuned(limit_bytes, |_| {})
    }

    /// A root with other patiences than those of the models.
    fn root_tuned(&self, limit_bytes: u64, tune: impl FnOnce(&mut Tuning)) -> Arc<Tracker> {
        let mut tuning = self.tuning;
        tune(&mut tuning);
        self.make(Options { limit_bytes, ..Options::default() }, tuning)
    }

    /// A root with other settings than a limit.
    fn root_with(&self, options: Options) -> Arc<Tracker> {
        self.make(options, self.tuning)
    }

    fn make(&self, options: Options, tuning: Tuning) -> Arc<Tracker> {
        let allocator: Arc<dyn Allocator> = Arc::clone(&self.quarantine) as Arc<dyn Allocator>;
        let options = Options { allocator: Some(allocator), ..options };
        Arc::new(Tracker::with_tuning(options, tuning).expect("in range"))
    }
}

/// A child without a limit.
fn child(parent: &Tracker) -> Arc<Tracker> {
    limited_child(parent, 0)
}

fn limited_child(parent: &Tracker, limit_bytes: u64) -> Arc<Tracker> {
    Arc::new(parent.child(Options { limit_bytes, ..Options::default() }).expect("in range"))
}

/// Runs a part of a model on a thread of its own.
fn spawn<T: 'static>(part: impl FnOnce() -> T + 'static) -> thread::JoinHandle<T> {
    thread::spawn(part)
}

/// Puts the running thread on a stripe.
fn use_stripe(index: usize) {
    STRIPE_HINT.with(|hint| hint.set(index));
}

fn up(tracker: &Tracker, amount: u64) {
    tracker.increase(amount).expect("in range");
}

fn down(tracker: &Tracker, amount: u64) {
    tracker.decrease(amount).expect("in range");
}

fn reserve(tracker: &Tracker, amount: u64) -> bool {
    tracker.try_reserve(amount).expect("in range")
}

/// Asserts that a tracker has credit lent, before the threads of a model start.
fn lends(tracker: &Tracker) {
    let stats = tracker.stats();
    assert!(stats.slack_bytes > 0, "a model that never lends proves nothing: {stats:?}");
}

/// Hands a tracker's last handle over, to be destroyed.
fn take(tracker: Arc<Tracker>) -> Tracker {
    Arc::into_inner(tracker).expect("the last one")
}

/// A node that a thread of a model is handed, with a reference of its own, as calls of the C ABI have.
struct CrossThread(NonNull<Node>);

// SAFETY: a node is made to be shared.
unsafe impl Send for CrossThread {}

impl CrossThread {
    fn keep(tracker: &Tracker) -> CrossThread {
        Tracker::keep(tracker.node());
        CrossThread(tracker.node)
    }

    fn node(&self) -> &Node {
        // SAFETY: `keep` took a reference, and only `let_go` ends it.
        unsafe { self.0.as_ref() }
    }

    fn let_go(self) {
        // SAFETY: the reference that `keep` took.
        unsafe { raw::let_go(self.0) };
    }

    /// Counts more, lets go of the node, and only then delivers.
    fn up_and_let_go(self, amount: u64) {
        let after = operate::increase(self.node(), amount);
        self.let_go();
        after.finish().expect("in range");
    }
}

/// What a listener is told. Loom fails the model if two threads tell it at once, or without order.
struct Log(Guarded<Vec<(i32, i32)>>);

impl Log {
    fn new() -> Arc<Log> {
        Arc::new(Log(Guarded::new(Vec::new())))
    }

    /// The steps so far, once the threads of the model have ended.
    fn steps(&self) -> Vec<(i32, i32)> {
        // SAFETY: the caller is the only thread left.
        unsafe { (*self.0.get()).clone() }
    }
}

impl Listener for Log {
    fn percent_changed(&self, event: Event) {
        in_call(|| {
            let steps = self.0.get();
            // The listener of a tree is called by one thread at a time: loom checks it at both ends.
            thread::yield_now();
            // SAFETY: as said.
            unsafe { (*steps).push((event.old, event.new)) };
            let _ = self.0.get();
        });
    }
}

/// Asserts that steps are an unbroken chain from `first` to `last`.
fn is_chain(steps: &[(i32, i32)], first: i32, last: i32) {
    let mut at = first;
    for (old, new) in steps {
        assert!(*old == at && *new != at, "a gap in {steps:?}, which begins at {first}");
        at = *new;
    }
    assert_eq!(at, last, "the end of {steps:?}");
}

/// The system's memory, but a block that was given back is poisoned and kept until the model's end: whoever follows a
/// pointer into it finds no atomic of loom's there, and panics.
struct Quarantine {
    kept: RefCell<Vec<(NonNull<u8>, Layout)>>,
    out: Cell<usize>,
}

// SAFETY: loom runs one thread at a time, and no part below lets it change threads.
unsafe impl Send for Quarantine {}
// SAFETY: as above.
unsafe impl Sync for Quarantine {}

impl Quarantine {
    fn new() -> Quarantine {
        Quarantine { kept: RefCell::new(Vec::new()), out: Cell::new(0) }
    }
}

// SAFETY: blocks are the system's, and are given back to it only in `drop`.
unsafe impl Allocator for Quarantine {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.out.set(self.out.get() + 1);
        // SAFETY: the size of a layout here is never 0.
        NonNull::new(unsafe { std::alloc::alloc(layout) })
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.out.set(self.out.get() - 1);
        // SAFETY: the block has this layout, and nobody uses it any more - which is what this is to find out.
        unsafe { block.write_bytes(0xa5, layout.size()) };
        self.kept.borrow_mut().push((block, layout));
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        for (block, layout) in self.kept.get_mut().drain(..) {
            // SAFETY: `allocate` took it from the system with this layout.
            unsafe { std::alloc::dealloc(block.as_ptr(), layout) };
        }
    }
}
