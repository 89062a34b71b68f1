//! Clients choose message identifiers, so nobody may be able to choose collisions. Each family of keys here is
//! built to collide, or to look alike, under some hash that is not keyed. The cost of a million of them is
//! compared with that of a million random keys by the work counted in `stats`, never by time.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::setup::scramble;
use model::{Call, EntryRef, Pair, Setup};
use queuecore::history::{
    Collected, Erased, History, Inserted, Key, KeyHasher, MAX_TIME_NS, Options, Presence, Stats,
};

/// Keys in a family. A build without optimisation takes a tenth, to be done in a minute.
const COUNT: u64 = if cfg!(miri) {
    1_000
} else if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};
const W: i64 = 1_000_000_000;

/// The multiplier of Fibonacci hashing (2^64 over the golden ratio), public and in wide use.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// The multiplier of the hash that the Rust compiler used for years.
const FX: u64 = 0x517c_c1b7_2722_0a95;

/// The inverse of an odd number modulo 2^64, by Newton's rule: each round doubles the number of right bits.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

fn from_words(low: u64, high: u64) -> Key {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&low.to_le_bytes());
    bytes[8..].copy_from_slice(&high.to_le_bytes());
    Key(bytes)
}

/// Keys whose low word times `GOLDEN` has the same upper 32 bits: `low * GOLDEN = T << 32 | n`, solved for `low`
/// by multiplying with the inverse. A table that takes its bucket from the upper bits of that product has one
/// bucket for all of them.
fn same_upper_bits_of_product(n: u64) -> Key {
    let product = 0x1234_5678 << 32 | n;
    from_words(product.wrapping_mul(inverse(GOLDEN)), 0)
}

/// The same for a hash that multiplies each word, both of them built alike, so that any mix of the two upper
/// halves is the same too.
fn same_upper_bits_in_both_words(n: u64) -> Key {
    let low = (0x1234_5678_u64 << 32 | n).wrapping_mul(inverse(GOLDEN));
    let high = (0x9abc_def0_u64 << 32 | n).wrapping_mul(inverse(GOLDEN));
    from_words(low, high)
}

/// Keys whose whole 64-bit hash is one number under "rotate, xor, multiply" of two words from zero:
/// `h = (rotate(low * FX, 5) ^ high) * FX`. For any `low`, `high` is chosen so that the outer factor is constant.
fn same_hash_by_rotate_and_multiply(n: u64) -> Key {
    let low = scramble(n);
    let high = low.wrapping_mul(FX).rotate_left(5) ^ 0x0123_4567_89ab_cdef;
    assert_eq!(
        (low.wrapping_mul(FX).rotate_left(5) ^ high).wrapping_mul(FX),
        0x0123_4567_89ab_cdef_u64.wrapping_mul(FX)
    );
    from_words(low, high)
}

/// Keys with one factor zero under "multiply the two words to 128 bits and fold": the product is 0 whatever the
/// other word is, if the words are not masked with something secret first.
fn zero_factor(n: u64) -> Key {
    from_words(0, scramble(n))
}

/// Halves that cancel out if they are only xored together.
fn identical_halves(n: u64) -> Key {
    from_words(scramble(n), scramble(n))
}

/// Halves that cancel out if they are only added together.
fn opposite_halves(n: u64) -> Key {
    from_words(scramble(n), scramble(n).wrapping_neg())
}

fn sequential(n: u64) -> Key {
    from_words(n, 0)
}

/// A counter written with its highest byte first, behind a constant.
fn sequential_big_endian(n: u64) -> Key {
    from_words(0x5151_5151_5151_5151, n.swap_bytes())
}

/// 20 varying bits at the very bottom of the key, the rest set.
fn low_bits_only(n: u64) -> Key {
    from_words(n | !0xf_ffff, u64::MAX)
}

/// 20 varying bits at the very top of the key.
fn high_bits_only(n: u64) -> Key {
    from_words(0, n << 44)
}

/// Steps of a power of two: a mask of the lower bits sees one value.
fn strided(n: u64) -> Key {
    from_words(n << 32, n << 32)
}

fn random(n: u64) -> Key {
    from_words(scramble(n), scramble(n ^ 0x5555_5555_5555_5555))
}

/// What a life of `COUNT` keys costs: insert, look up (hit and miss), erase, collect.
struct Work {
    growing: Stats,
    full: Stats,
    drained: Stats,
}

fn work(make_key: fn(u64) -> Key, seed: Option<u64>) -> Work {
    let options = Options { window_ns: W, resolution_ns: 1, seed, ..Options::default() };
    let mut history = History::new(options).expect("valid options");
    for n in 0..COUNT {
        let inserted = history.insert(&make_key(n), &[], 0, 0);
        let Ok(Inserted::Added(entry)) = inserted else { panic!("key number {n}: {inserted:?}") };
        assert_eq!(history.erase(entry, 0), Ok(Erased::Historical));
    }
    let growing = history.stats();
    for n in (0..COUNT).step_by(7) {
        assert_eq!(history.contains(&make_key(n), 0), Ok(Presence::Historical), "key number {n}");
        // A random key of another stream: in none of the families, but for a chance of less than 2^-80.
        let miss = from_words(scramble(n ^ 0x3333_3333_3333_3333), scramble(n ^ 0x7777_7777_7777_7777));
        assert_eq!(history.contains(&miss, 0), Ok(Presence::Absent));
    }
    let full = history.stats();
    assert_eq!(history.gc(W, u64::MAX), Ok(Collected { collected: COUNT, more: false }));
    Work { growing, full, drained: history.stats() }
}

/// A name, and the key number `n` of the family.
type Family = (&'static str, fn(u64) -> Key);

/// At most twice the work of random keys, in each phase, for each of several seeds.
fn check(families: &[Family]) {
    for seed in [Some(1), None, Some(u64::MAX)] {
        let base = work(random, seed);
        assert!(
            base.growing.buckets_probed >= COUNT,
            "a probe examines one bucket at least: {:?}",
            base.growing
        );
        for &(name, make_key) in families {
            check_family(name, &base, &work(make_key, seed));
        }
    }
}

fn check_family(name: &str, base: &Work, flood: &Work) {
    let phases = [
        ("insert and erase", base.growing.buckets_probed, flood.growing.buckets_probed),
        (
            "look up",
            base.full.buckets_probed - base.growing.buckets_probed,
            flood.full.buckets_probed - flood.growing.buckets_probed,
        ),
        (
            "collect",
            base.drained.buckets_probed - base.full.buckets_probed,
            flood.drained.buckets_probed - flood.full.buckets_probed,
        ),
        ("buckets", base.full.index_buckets, flood.full.index_buckets),
    ];
    for (phase, random, flooded) in phases {
        assert!(flooded <= 2 * random, "{name}, {phase}: {flooded} > 2 x {random}");
    }
    // Random keys may need hardly any overflow bucket, so a small share of all buckets is allowed besides.
    let allowed = 2 * base.full.overflow_buckets + base.full.index_buckets / 50;
    let overflow = flood.full.overflow_buckets;
    assert!(overflow <= allowed, "{name}: {overflow} overflow buckets > {allowed}");
    assert!(flood.drained.max_entries_moved_per_call <= 256, "{name}: {:?}", flood.drained);
}

#[test]
fn keys_with_equal_upper_bits_of_a_product_cost_no_more_than_random_ones() {
    check(&[
        ("same_upper_bits_of_product", same_upper_bits_of_product),
        ("same_upper_bits_in_both_words", same_upper_bits_in_both_words),
    ]);
}

#[test]
fn keys_that_cancel_out_cost_no_more_than_random_ones() {
    check(&[
        ("same_hash_by_rotate_and_multiply", same_hash_by_rotate_and_multiply),
        ("zero_factor", zero_factor),
        ("identical_halves", identical_halves),
        ("opposite_halves", opposite_halves),
    ]);
}

#[test]
fn counters_and_keys_that_differ_in_few_bits_cost_no_more_than_random_ones() {
    check(&[
        ("sequential", sequential),
        ("sequential_big_endian", sequential_big_endian),
        ("strided", strided),
        ("low_bits_only", low_bits_only),
        ("high_bits_only", high_bits_only),
    ]);
}

/// The worst hash that a host can bring along.
struct Constant(u64);

impl KeyHasher for Constant {
    fn hash(&self, _: &Key) -> u64 {
        self.0
    }
}

#[test]
fn a_constant_hash_is_slow_and_right() {
    let count = if cfg!(miri) { 60 } else { 2_000 };
    for constant in [0, u64::MAX, GOLDEN] {
        let options = Options {
            window_ns: W,
            resolution_ns: 1,
            hasher: Some(Box::new(Constant(constant))),
            ..Options::default()
        };
        let mut history = History::new(options).expect("valid options");
        let entries: Vec<_> = (0..count)
            .map(|n| match history.insert(&random(n), &[], n as i64, n as i64) {
                Ok(Inserted::Added(entry)) => entry,
                other => panic!("key number {n}: {other:?}"),
            })
            .collect();
        let now_ns = count as i64;
        for (n, &entry) in entries.iter().enumerate() {
            assert_eq!(history.find(&random(n as u64)), Some(entry));
            if n % 2 == 0 {
                assert_eq!(history.erase(entry, now_ns), Ok(Erased::Historical));
            }
        }
        for n in 0..count {
            let expected = if n % 2 == 0 { Presence::Historical } else { Presence::Live };
            assert_eq!(history.contains(&random(n), now_ns), Ok(expected), "key number {n}");
            assert_eq!(history.contains(&random(count + n), now_ns), Ok(Presence::Absent));
        }
        let collected = Collected { collected: count / 2, more: false };
        assert_eq!(history.gc(W + now_ns, u64::MAX), Ok(collected));
        for n in 0..count {
            let expected = if n % 2 == 0 { Presence::Absent } else { Presence::Live };
            assert_eq!(history.contains(&random(n), W + now_ns), Ok(expected), "key number {n}");
        }
    }
}

/// Keys that collide in pairs of neighbours must not be taken for each other: the model agrees throughout.
#[test]
fn colliding_families_answer_as_the_model_does() {
    let count = if cfg!(miri) { 40 } else { 2_000 };
    for make_key in [same_hash_by_rotate_and_multiply, zero_factor, identical_halves, strided] {
        let mut pair = Pair::new(Setup { window_ns: MAX_TIME_NS, key_space: 0, ..Setup::default() });
        for n in 0..count {
            let (key, value) = (make_key(n), Vec::new());
            let now_ns = n as i64;
            pair.call(&Call::Insert { key, value, inserted_at_ns: now_ns, now_ns, readmit: false });
            if n % 3 == 0 {
                pair.call(&Call::Erase { entry: EntryRef::Given(n), now_ns });
            }
        }
        pair.compare();
        pair.compare_keys((0..2 * count).map(make_key));
    }
}

/// Identifiers that count up are what most clients make. Whatever the seed, they spread as random ones do: a hash that
/// multiplies once leaves them in a few heaps under one seed of some dozens.
#[test]
fn keys_that_count_up_spread_under_every_seed() {
    let (seeds, keys) = if cfg!(any(miri, debug_assertions)) { (20, 500) } else { (1_000, 4_000) };
    let forms: [fn(u64) -> Key; 3] =
        [|n| from_words(n, 0xfeed), |n| from_words(0xfeed, n), |n| from_words(n << 32, n >> 32)];
    for seed in 0..seeds {
        for form in forms {
            let options = Options { window_ns: W, seed: Some(scramble(seed)), ..Options::default() };
            let mut history = History::new(options).unwrap();
            for n in 0..keys {
                assert!(matches!(history.insert(&form(n), &[], 0, 0), Ok(Inserted::Added(_))));
            }
            let Stats { index_buckets, overflow_buckets, .. } = history.stats();
            assert!(
                overflow_buckets * 6 < index_buckets,
                "seed {seed}: {overflow_buckets} of {index_buckets}"
            );
        }
    }
}
