//! Threads in C++ and Rust that work on the meter of a Java program, for `LanguagesTest` of the Java modules. They reach it
//! by its `qc_usage *`, through the same `libqueuecore.so` as Java.
//!
//! Each native answers a `qc_status`; all but `mix` start threads of their language and join them.

use jni::EnvUnowned;
use jni::objects::{JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use std::ffi::{c_int, c_void};
use std::thread;

type Meter = *mut c_void;
const OK: c_int = 0;
const TIMED_OUT: c_int = 20;
/// What a thread answers that panicked: no status.
const PANICKED: c_int = -1;

#[link(name = "queuecore", kind = "dylib")]
unsafe extern "C" {
    safe fn qc_usage_increase(meter: Meter, amount: u64) -> c_int;
    safe fn qc_usage_decrease(meter: Meter, amount: u64) -> c_int;
    fn qc_usage_try_reserve(meter: Meter, amount: u64, out_admitted: *mut u8) -> c_int;
    safe fn qc_usage_reserve_wait(meter: Meter, amount: u64, timeout_ns: i64) -> c_int;
    fn qc_usage_percent(meter: Meter, out_percent: *mut i32) -> c_int;
    safe fn qc_usage_wait_for_space(meter: Meter, timeout_ns: i64, percent: i32) -> c_int;
}

unsafe extern "C" {
    fn languages_cpp_mix(meter: Meter, seed: u64, operations: i64, left: *mut u64) -> c_int;
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

/// Operations of all kinds and sizes at random. `left` gets what they left behind together, which is never below 0.
fn mix(handle: jlong, seed: u64, operations: jlong, left: &mut u64) -> Result<(), c_int> {
    const MOST_LEFT: u64 = 1 << 20;
    let meter = meter(handle);
    let mut random = seed;
    for _ in 0..operations {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let amount = 1 + (random >> 50);
        let (kind, is_rare) = ((random >> 32) & 15, (random >> 36) & 255 == 0);
        let (mut admitted, mut percent) = (0, 0);
        match kind {
            // SAFETY: there is a place for the answer.
            0 => checked(unsafe { qc_usage_try_reserve(meter, amount, &raw mut admitted) })?,
            1 if is_rare => match qc_usage_reserve_wait(meter, amount, 0) {
                TIMED_OUT => {}
                status => checked(status).map(|()| admitted = 1)?,
            },
            // SAFETY: as above.
            1 => checked(unsafe { qc_usage_percent(meter, &raw mut percent) })?,
            // More than any stripe holds.
            2 if is_rare => {
                checked(qc_usage_increase(meter, amount << 24))?;
                checked(qc_usage_decrease(meter, amount << 24))?;
            }
            _ if *left >= amount && (kind % 2 == 0 || *left > MOST_LEFT) => {
                checked(qc_usage_decrease(meter, amount))?;
                *left -= amount;
            }
            _ => checked(qc_usage_increase(meter, amount)).map(|()| *left += amount)?,
        }
        *left += if admitted == 0 { 0 } else { amount };
    }
    Ok(())
}

fn on_a_thread(job: impl FnOnce() -> c_int + Send + 'static) -> c_int {
    thread::spawn(job).join().unwrap_or(PANICKED)
}

/// Does operations of all kinds at random, on this thread. `left` gets, in its first place, what they left behind.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_mix<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    cpp: jboolean,
    handle: jlong,
    seed: jlong,
    operations: jlong,
    left: JLongArray<'local>,
) -> jint {
    let mut behind = 0;
    let status = if cpp {
        // SAFETY: there is a place for the number.
        unsafe { languages_cpp_mix(meter(handle), seed as u64, operations, &raw mut behind) }
    } else {
        mix(handle, seed as u64, operations, &mut behind).err().unwrap_or(OK)
    };
    env.with_env(|env| left.set_region(env, 0, &[behind as jlong]))
        .resolve::<jni::errors::ThrowRuntimeExAndDefault>();
    status
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

/// Has two processors count in turns until the meter has a stripe for each.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_queuecore_Languages_grow<'local>(
    _env: EnvUnowned<'local>,
    _class: JClass<'local>,
    handle: jlong,
) -> jint {
    languages_cpp_grow(meter(handle))
}
