//! Threads in C++ and Rust that work on the meter of a Java program, for `LanguagesTest` of the Java modules. They reach it
//! by its `qc_usage *`, through the same `libqueuecore.so` as Java.
//!
//! Each native starts threads of its language and joins them; it answers a `qc_status`.

use jni::EnvUnowned;
use jni::objects::JClass;
use jni::sys::{jboolean, jint, jlong};
use std::ffi::{c_int, c_void};
use std::thread;

type Meter = *mut c_void;
const OK: c_int = 0;
/// What a thread answers that panicked: no status.
const PANICKED: c_int = -1;

#[link(name = "queuecore", kind = "dylib")]
unsafe extern "C" {
    safe fn qc_usage_increase(meter: Meter, amount: u64) -> c_int;
    safe fn qc_usage_decrease(meter: Meter, amount: u64) -> c_int;
    fn qc_usage_try_reserve(meter: Meter, amount: u64, out_admitted: *mut u8) -> c_int;
    safe fn qc_usage_wait_for_space(meter: Meter, timeout_ns: i64, percent: i32) -> c_int;
}

unsafe extern "C" {
    safe fn languages_cpp_churn(meter: Meter, threads: c_int, rounds: c_int, left: u64) -> c_int;
    safe fn languages_cpp_add(meter: Meter, change: i64) -> c_int;
    safe fn languages_cpp_grow(meter: Meter) -> c_int;
    safe fn languages_cpp_wait(meter: Meter, percent: c_int) -> c_int;
}

/// A handle, which is a number, for another thread.
fn meter(handle: jlong) -> Meter {
    std::ptr::without_provenance_mut(handle as usize)
}

fn checked(status: c_int) -> Result<(), c_int> {
    if status == OK { Ok(()) } else { Err(status) }
}

/// Ups and downs of all sizes that cancel out, and at the end `left` more.
fn churn(handle: jlong, seed: u64, rounds: jint, left: u64) -> Result<(), c_int> {
    let mut random = seed;
    for round in 0..rounds {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let amount = 1 + (random >> 50);
        checked(qc_usage_increase(meter(handle), amount))?;
        checked(qc_usage_decrease(meter(handle), amount))?;
        let mut admitted = 0;
        if round % 16 == 0 {
            // SAFETY: there is a place for the answer.
            checked(unsafe { qc_usage_try_reserve(meter(handle), amount, &raw mut admitted) })?;
        }
        if admitted != 0 {
            checked(qc_usage_decrease(meter(handle), amount))?;
        }
    }
    checked(qc_usage_increase(meter(handle), left))
}

fn on_a_thread(job: impl FnOnce() -> c_int + Send + 'static) -> c_int {
    thread::spawn(job).join().unwrap_or(PANICKED)
}

/// Lets threads count up and down; each leaves `left` bytes behind.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_churn<'local>(
    _env: EnvUnowned<'local>,
    _class: JClass<'local>,
    cpp: jboolean,
    handle: jlong,
    threads: jint,
    rounds: jint,
    left: jlong,
) -> jint {
    if cpp {
        return languages_cpp_churn(meter(handle), threads, rounds, left as u64);
    }
    let start = |seed| thread::spawn(move || churn(handle, seed, rounds, left as u64).err().unwrap_or(OK));
    let running: Vec<_> = (100..100 + threads as u64).map(start).collect();
    let statuses = running.into_iter().map(|thread| thread.join().unwrap_or(PANICKED));
    statuses.fold(OK, |first, status| if first == OK { status } else { first })
}

/// Counts more, or less if it is negative.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_add<'local>(
    _env: EnvUnowned<'local>,
    _class: JClass<'local>,
    cpp: jboolean,
    handle: jlong,
    change: jlong,
) -> jint {
    if cpp {
        return languages_cpp_add(meter(handle), change);
    }
    on_a_thread(move || {
        let amount = change.unsigned_abs();
        if change < 0 {
            qc_usage_decrease(meter(handle), amount)
        } else {
            qc_usage_increase(meter(handle), amount)
        }
    })
}

/// Waits without end until the meter is below a percent.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_waitForSpace<'local>(
    _env: EnvUnowned<'local>,
    _class: JClass<'local>,
    cpp: jboolean,
    handle: jlong,
    percent: jint,
) -> jint {
    if cpp {
        return languages_cpp_wait(meter(handle), percent);
    }
    on_a_thread(move || qc_usage_wait_for_space(meter(handle), -1, percent))
}

/// Has processors 0 and 1 count in turns until the meter has a stripe for each.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_grow<'local>(
    _env: EnvUnowned<'local>,
    _class: JClass<'local>,
    handle: jlong,
) -> jint {
    languages_cpp_grow(meter(handle))
}
