//! The natives of a tracker. `handle` is a `qc_usage`, `mailbox` its tree's mailbox: both as numbers that Java got from
//! `create` and hands back. Wrong handles are found out by the library; the mailbox is kept alive by Java's tree object.

use crate::arguments::{ask, defaults, handle, natural, number};
use crate::boundary::{address, natives, object, scalar};
use crate::failure::{Failure, checked};
use crate::mailbox::{self, Asked, Mailbox};
use crate::region::{self, region};
use crate::sys::{self, Handle, Hold, UsageOptions, UsageStats};
use jni::objects::{JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use jni::{Env, EnvUnowned};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// A mailbox that Java keeps as a number, for the time of a call.
pub(crate) fn shared(number: jlong) -> Result<Arc<Mailbox>, Failure> {
    let mailbox = address::<Mailbox>(number);
    if mailbox.is_null() {
        return Err(Failure::new(sys::INVALID_ARGUMENT, "the mailbox is 0".to_owned()));
    }
    // SAFETY: `create_root` made it out of an `Arc`, and Java's tree object keeps a reference during the call.
    unsafe {
        Arc::increment_strong_count(mailbox);
        Ok(Arc::from_raw(mailbox))
    }
}

/// What Java hands over to make a tracker, by index.
mod setting {
    pub(super) const LIMIT: usize = 0;
    pub(super) const SHARE_PPM: usize = 1;
    pub(super) const MIN_DELTA: usize = 2;
    pub(super) const EVENT_CAPACITY: usize = 3;
    pub(super) const MAX_STRIPES: usize = 4;
    pub(super) const TAG: usize = 5;
    pub(super) const TREE: usize = 6;
    pub(super) const COUNT: usize = 7;
}

fn options(settings: &[jlong; setting::COUNT]) -> Result<UsageOptions, Failure> {
    let mut options: UsageOptions = defaults(sys::qc_usage_options_init)?;
    options.limit_bytes = settings[setting::LIMIT] as u64;
    options.share_ppm = settings[setting::SHARE_PPM] as u32;
    options.min_delta_percent = settings[setting::MIN_DELTA] as u32;
    options.event_capacity = settings[setting::EVENT_CAPACITY] as u32;
    options.max_stripes = settings[setting::MAX_STRIPES] as u32;
    options.tag = settings[setting::TAG] as u64;
    Ok(options)
}

/// Makes a tracker: a root if `parent` is 0, which gets a mailbox, else a child in the tree of `mailbox`. Writes into
/// `made` its handle, its hold, its offset in the region, the mailbox, and that one's offset.
pub(crate) extern "system" fn create<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    parent: jlong,
    mailbox: jlong,
    settings: JLongArray<'local>,
    made: JLongArray<'local>,
) {
    object(&mut env, mailbox, |env| {
        let mut given = [0; setting::COUNT];
        settings.get_region(env, 0, &mut given)?;
        // Before anything is made: that it can be told.
        made.set_region(env, 0, &[0; 5])?;
        let tracker = if parent == 0 {
            Made::root(&given)?
        } else {
            Made::child(handle(parent), shared(mailbox)?, &given)?
        };
        made.set_region(env, 0, &tracker.told()?)?;
        tracker.hand_over(parent == 0);
        Ok(())
    });
}

/// A tracker that was just made, and goes again unless it is handed over.
struct Made {
    handle: Handle,
    hold: Hold,
    offset: i32,
    mailbox: Arc<Mailbox>,
}

impl Made {
    fn root(settings: &[jlong; setting::COUNT]) -> Result<Made, Failure> {
        let mailbox = Mailbox::new(settings[setting::TREE]).ok_or_else(no_room)?;
        let mut options = options(settings)?;
        options.alloc = Some(region::alloc);
        options.free = Some(region::free);
        let mut handle = ptr::null_mut();
        // SAFETY: the options are a whole struct, and there is a place for the handle.
        with_room(unsafe { sys::qc_usage_create(&raw const options, &raw mut handle) })?;
        Made { handle, hold: ptr::null_mut(), offset: 0, mailbox }.kept()
    }

    fn child(
        parent: Handle,
        mailbox: Arc<Mailbox>,
        settings: &[jlong; setting::COUNT],
    ) -> Result<Made, Failure> {
        let options = options(settings)?;
        let mut handle = ptr::null_mut();
        // SAFETY: as in `root`.
        with_room(unsafe { sys::qc_usage_create_child(parent, &raw const options, &raw mut handle) })?;
        Made { handle, hold: ptr::null_mut(), offset: 0, mailbox }.kept()
    }

    /// Takes the hold on its memory.
    fn kept(mut self) -> Result<Made, Failure> {
        let mut node = ptr::null();
        // SAFETY: there are places for the two.
        with_room(unsafe { sys::qc_usage_keep_node(self.handle, &raw mut self.hold, &raw mut node) })?;
        self.offset = region().and_then(|region| region.offset_of(node)).ok_or_else(no_room)?;
        Ok(self)
    }

    fn told(&self) -> Result<[jlong; 5], Failure> {
        let pending = self.mailbox.pending_address();
        let pending = region().and_then(|region| region.offset_of(pending)).ok_or_else(no_room)?;
        Ok([
            number(self.handle),
            number(self.hold),
            self.offset.into(),
            number(Arc::as_ptr(&self.mailbox)),
            pending.into(),
        ])
    }

    /// It is Java's from now on, and with a root its mailbox.
    fn hand_over(mut self, is_root: bool) {
        (self.handle, self.hold) = (ptr::null_mut(), ptr::null_mut());
        if is_root {
            // `release_mailbox` ends this reference.
            let _ = Arc::into_raw(Arc::clone(&self.mailbox));
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Null, or what was just made; an error of ending it would hide the one that counts.
        sys::qc_usage_hold_destroy(self.hold);
        // SAFETY: nobody asks for the residual.
        unsafe { sys::qc_usage_destroy(self.handle, ptr::null_mut()) };
    }
}

/// As `checked`, for calls that draw on the region: without memory there, says which property helps.
fn with_room(status: sys::Status) -> Result<(), Failure> {
    if status == sys::NO_MEMORY { Err(no_room()) } else { checked(status) }
}

fn no_room() -> Failure {
    let len = region().map_or(0, region::Region::len);
    Failure::new(
        sys::NO_MEMORY,
        format!("the region of {len} bytes is used up, or not open; set org.queuecore.region.bytes higher"),
    )
}

/// The number of the processor that runs this thread, as the library finds it: the stripe that it has just used, and
/// filled up if that ran dry. It may be out of date when Java uses it.
#[inline(always)]
fn processor() -> jint {
    // SAFETY: it takes nothing and writes nothing. Where the system cannot tell it answers -1.
    unsafe { libc::sched_getcpu() }.max(0)
}

natives! {
    by mailbox;

    /// Ends a tracker. Answers what it still counted itself.
    fn destroy(this: jlong, mailbox: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out| unsafe { sys::qc_usage_destroy(handle(this), out) })
    }

    /// Counts more. Answers the number of the processor.
    fn increase(this: jlong, mailbox: jlong, amount: jlong) -> jint {
        checked(sys::qc_usage_increase(handle(this), natural("bytes", amount)?)).map(|()| processor())
    }

    /// Counts less. Answers the number of the processor.
    fn decrease(this: jlong, mailbox: jlong, amount: jlong) -> jint {
        checked(sys::qc_usage_decrease(handle(this), natural("bytes", amount)?)).map(|()| processor())
    }

    /// Counts more if it fits. Answers the number of the processor, or its complement, which is negative, if it does not.
    fn try_reserve(this: jlong, mailbox: jlong, amount: jlong) -> jint {
        let amount = natural("bytes", amount)?;
        // SAFETY: there is a place for the answer.
        ask(|admitted| unsafe { sys::qc_usage_try_reserve(handle(this), amount, admitted) })
            .map(|admitted| if admitted != 0 { processor() } else { !processor() })
    }

    /// Sets the limit.
    fn set_limit(this: jlong, mailbox: jlong, limit: jlong) {
        checked(sys::qc_usage_set_limit(handle(this), natural("bytes", limit)?))
    }

    /// Ends a hold on a tracker's memory: nobody looks at it any more.
    fn release_hold(hold: jlong, mailbox: jlong) {
        checked(sys::qc_usage_hold_destroy(handle(hold)))
    }

    /// Has percent steps put into the mailbox from now on.
    fn listen(this: jlong, mailbox: jlong) {
        let context = mailbox::context(&shared(mailbox)?);
        // SAFETY: the listener takes such contexts, and the library gives this one back once, to `release`.
        let status = unsafe {
            sys::qc_usage_set_listener(handle(this), Some(mailbox::on_step), context, Some(mailbox::release))
        };
        with_room(status).inspect_err(|_| {
            // SAFETY: made above, and the library did not take it.
            unsafe { mailbox::release(context) }
        })
    }

    /// Whether what was asked for by a ticket, which `notify_when_below` wrote first, still waits: it has not come up to now.
    fn is_in_line(this: jlong, mailbox: jlong, ticket: jlong) -> jboolean {
        // SAFETY: there is a place for the answer.
        ask(|in_line: *mut u8| unsafe { sys::qc_usage_is_in_line(handle(this), ticket as u64, in_line) })
            .map(|in_line| in_line != 0)
    }
}

natives! {
    /// Ends Java's reference to a mailbox. The library may have others.
    fn release_mailbox(mailbox: jlong) {
        if mailbox != 0 {
            // SAFETY: the reference that `hand_over` left, once.
            unsafe { mailbox::release(address(mailbox)) };
        }
        Ok(())
    }

    /// Waits until a thread that did not come from Java has filled a mailbox. Answers the number of its tree.
    fn wait_for_foreign() -> jlong {
        Ok(mailbox::wait_for_foreign())
    }
}

/// Natives that hand numbers to the library and get a status back.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident($($value:ident: $java:ty => $c:ty),*) = $call:ident;)*) => {
        $($(#[$doc])*
        pub(crate) extern "system" fn $name<'local>(
            mut env: EnvUnowned<'local>,
            _class: JClass<'local>,
            this: jlong,
            mailbox: jlong,
            $($value: $java),*
        ) {
            scalar(&mut env, mailbox, || checked(sys::$call(handle(this), $($value as $c),*)));
        })*
    };
}

settings! {
    /// Sets what the tracker itself counts.
    set_usage(usage: jlong => i64) = qc_usage_set_usage;
    /// Takes a share of the parent's limit.
    set_share(share_ppm: jint => u32) = qc_usage_set_share;
    /// Sets the step of percents.
    set_min_delta(percent: jint => u32) = qc_usage_set_min_delta;
    /// Sets the marks.
    set_marks(low: jint => i32, high: jint => i32) = qc_usage_set_marks;
    /// Removes the marks.
    clear_marks() = qc_usage_clear_marks;
    /// Lets waits begin again.
    start() = qc_usage_start;
    /// Ends all waits.
    stop() = qc_usage_stop;
    /// Ends events.
    clear_events() = qc_usage_clear_events;
}

/// Natives that ask the library one thing.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident($($value:ident: $java:ty => $c:ty),*) -> $answer:ty as $out:ty = $call:ident, $read:expr;)*) => {
        $($(#[$doc])*
        pub(crate) extern "system" fn $name<'local>(
            mut env: EnvUnowned<'local>,
            _class: JClass<'local>,
            this: jlong,
            mailbox: jlong,
            $($value: $java),*
        ) -> $answer {
            scalar(&mut env, mailbox, || {
                let read: fn($out) -> $answer = $read;
                // SAFETY: there is a place for the answer.
                ask(|out: *mut $out| unsafe { sys::$call(handle(this), $($value as $c,)* out) }).map(read)
            })
        })*
    };
}

questions! {
    /// The percent.
    percent() -> jint as i32 = qc_usage_percent, |answer| answer;
    /// Whether it, or one above it, is full.
    is_full() -> jboolean as u8 = qc_usage_is_full, |answer| answer != 0;
    /// Whether it, or one above it, is at a percent.
    is_full_at(percent: jint => i32) -> jboolean as u8 = qc_usage_is_full_at, |answer| answer != 0;
    /// Whether it is over its mark.
    is_over_mark() -> jboolean as u8 = qc_usage_is_over_mark, |answer| answer != 0;
    /// What is counted.
    usage() -> jlong as i64 = qc_usage_usage, |answer| answer;
    /// What is counted at one moment.
    usage_exact() -> jlong as i64 = qc_usage_usage_exact, |answer| answer;
    /// The limit.
    limit() -> jlong as u64 = qc_usage_limit, |answer| answer as jlong;
}

/// Has something asked for whose notice has Java's number, and writes into `asked` what `take_back` needs. Answers its status,
/// and whether the notice will be put into the mailbox.
fn ask_later(
    env: &mut Env<'_>,
    mailbox: jlong,
    notice: jlong,
    asked: &JLongArray<'_>,
    call: impl FnOnce(sys::Notice, *mut c_void, *mut u64) -> sys::Status,
) -> Result<(sys::Status, bool), Failure> {
    // Before anything is asked: that it can be told.
    asked.set_region(env, 0, &[0; 2])?;
    let context = Asked::context(&shared(mailbox)?, notice);
    let mut ticket = 0;
    let status = call(mailbox::on_notice, context, &raw mut ticket);
    if ticket == 0 {
        // SAFETY: made above, and the library did not keep it.
        drop(unsafe { Asked::take_back(context) });
    } else {
        asked.set_region(env, 0, &[ticket as jlong, number(context)])?;
    }
    Ok((status, ticket != 0))
}

/// Has a notice with Java's number put into the mailbox once every level is below a percent, and writes into `asked` what
/// `take_back` needs. Answers false, and will not, if that is so now.
pub(crate) extern "system" fn notify_when_below<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    percent: jint,
    notice: jlong,
    asked: JLongArray<'local>,
) -> jboolean {
    object(&mut env, mailbox, |env| {
        // SAFETY: the notice takes such contexts, and the library gives this one back once; there is a place for the
        // answer.
        let (status, waits) = ask_later(env, mailbox, notice, &asked, |tell, context, ticket| unsafe {
            sys::qc_usage_space_notify(handle(this), percent, Some(tell), context, ticket)
        })?;
        with_room(status).map(|()| waits)
    })
}

/// What `reserve` answers.
mod reserved {
    use jni::sys::jint;
    pub(super) const COUNTED: jint = 0;
    pub(super) const IN_LINE: jint = 1;
    pub(super) const STOPPED: jint = 2;
}

/// Counts more now, or stands in line for it: then it writes into `asked` what `take_back` needs, and a notice with Java's
/// number is put into the mailbox when it is counted, or why it will not be. Or is refused, as the tracker is stopped.
pub(crate) extern "system" fn reserve<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    amount: jlong,
    notice: jlong,
    asked: JLongArray<'local>,
) -> jint {
    object(&mut env, mailbox, |env| {
        let amount = natural("bytes", amount)?;
        // SAFETY: as in `notify_when_below`.
        let (status, waits) = ask_later(env, mailbox, notice, &asked, |tell, context, ticket| unsafe {
            sys::qc_usage_reserve_notify(handle(this), amount, Some(tell), context, ticket)
        })?;
        if status == sys::STOPPED {
            return Ok(reserved::STOPPED);
        }
        with_room(status)?;
        Ok(if waits { reserved::IN_LINE } else { reserved::COUNTED })
    })
}

/// Takes a reservation or a notice out of the line, by what was written when it was asked for. Answers false if it is not in
/// it: then its notice came, or will in a moment.
pub(crate) extern "system" fn take_back<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    asked: JLongArray<'local>,
) -> jboolean {
    object(&mut env, mailbox, |env| {
        let mut given = [0; 2];
        asked.get_region(env, 0, &mut given)?;
        let [ticket, context] = given;
        // SAFETY: there is a place for the answer.
        let cancelled: u8 =
            ask(|out| unsafe { sys::qc_usage_reserve_cancel(handle(this), ticket as u64, out) })?;
        if cancelled != 0 {
            // SAFETY: it was made for this ticket, and the library will not use it any more: it says so once.
            drop(unsafe { Asked::take_back(address(context)) });
        }
        Ok(cancelled != 0)
    })
}

/// Writes the figures of `struct qc_usage_stats` into `into`, in their order.
pub(crate) extern "system" fn stats<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    into: JLongArray<'local>,
) {
    object(&mut env, mailbox, |env| {
        let mut stats = UsageStats {
            struct_size: size_of::<UsageStats>() as u32,
            reserved: 0,
            figures: [0; sys::FIGURES],
        };
        // SAFETY: the struct is as long as it says.
        checked(unsafe { sys::qc_usage_stats(handle(this), &raw mut stats) })?;
        Ok(into.set_region(env, 0, &stats.figures)?)
    });
}

/// How much is polled at a time.
const BATCH: usize = 32;

/// Takes steps, or else notices, of a tree. Two numbers each: the tag of a tracker and (old << 32 | new) for a step; the
/// number of a notice and its reason. Answers how many there are.
pub(crate) extern "system" fn poll<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    mailbox: jlong,
    steps: jboolean,
    into: JLongArray<'local>,
) -> jint {
    object(&mut env, mailbox, |env| {
        let room = (into.len(env)? / 2).min(BATCH);
        let mut happened = [[0; 2]; BATCH];
        let count = shared(mailbox)?.poll(steps, happened.get_mut(..room).unwrap_or_default());
        let numbers = happened.as_flattened();
        into.set_region(env, 0, numbers.get(..2 * count).unwrap_or_default())?;
        Ok(count as jint)
    })
}
