/*
 * queuecore: the memory-critical middle of a message broker as one embeddable library.
 *
 * This file is generated from src/ffi; do not edit it. The rules that hold for every function stand here, what
 * belongs to one function stands on it.
 *
 * Statuses. A call that can fail returns a qc_status: QC_OK, or why it failed. A call that fails has changed nothing
 * and written no output, except that
 *   - an insert or erase that ends in QC_ERR_CAPACITY, QC_ERR_NO_MEMORY or QC_ERR_CALLBACK has told the history the
 *     time, and may have collected expired entries to make room;
 *   - an erase under QC_OVERFLOW_EVICT_OLDEST that ends in QC_ERR_NO_MEMORY or QC_ERR_CALLBACK may also have evicted
 *     an entry whose window had not ended (evicted_early counts it);
 *   - batches, qc_history_erase_all_live and qc_history_import stop at the first element that fails, and say themselves
 *     what is done by then.
 * qc_last_error() tells in words what was wrong with which argument of this thread's last failed call.
 *
 * Handles. A qc_history, qc_usage, qc_cursor or qc_cursor_group pointer is a handle, not an address: it is only good for handing back. The library
 * looks it up, in release builds too, so that a wrong one is a status and nothing else happens:
 *     QC_ERR_NULL_HANDLE       it is NULL
 *     QC_ERR_FOREIGN_HANDLE    it was never given out: a stray address, a number, overwritten bits
 *     QC_ERR_WRONG_PART        it belongs to another part of the library
 *     QC_ERR_DESTROYED         it was destroyed; a handle never comes twice
 *     QC_ERR_BUSY              another thread is inside a call on it (never for a qc_usage or a qc_cursor_group)
 *     QC_ERR_REENTRANT         this thread is: the call comes from one of the object's own callbacks (never for a
 *                              qc_usage; for a qc_cursor_group, see its destroy)
 *     QC_ERR_POISONED          an earlier call on it ended in QC_ERR_PANIC; destroy works, nothing else
 *     QC_ERR_PANIC             a defect of the library; the handle is poisoned, and a block of memory that the call
 *                              had just got may be lost
 * The first call in a thread on a qc_usage or a qc_cursor_group, or with one, may also answer QC_ERR_NO_MEMORY, if the process lacks 128 bytes for it.
 *
 * Ownership. What a _create gives is the caller's until the _destroy. Arguments are read, and results written, during
 * the call alone; the library keeps no pointer of the caller's except callbacks and their contexts. Addresses that
 * the library gives out say on their function how long they last. Arguments and results may stand in the values of
 * live entries, but not in those of entries that the call removes, where a key alone may stand: their bytes go while
 * the call runs. Destroying NULL is a no-op.
 *
 * Threads. Each function says its rule. "One thread at a time": calls on one handle must not overlap; the handle may
 * move between threads that synchronise. An overlap is found out and refused with QC_ERR_BUSY, the call that was first
 * goes on; so is a destroy while another thread is inside, but keeping threads out of what is destroyed is the caller's
 * duty. A qc_history_group and its histories count as one handle in this. "Any thread": no rule; for a qc_usage and a qc_cursor_group that holds for destroying them as well.
 *
 * Time. A history never looks at a clock. Its times are int64_t nanoseconds of one monotonic clock of the caller's, from
 * any origin, negative too, within -2^62 to 2^62. A history remembers the largest now_ns that it was given: a smaller
 * one counts as that one (clock_regressions), and one that is more than max_clock_step_ns ahead of it is refused with
 * QC_ERR_CLOCK, since it is more likely a mistake than an hour without a call. Where it is not, see max_clock_step_ns.
 *
 * Structs that grow begin with struct_size, the caller's sizeof. So a program that was compiled against an older or a
 * newer header keeps working: fields that the program does not know take their defaults, and fields that the library
 * does not know must be zero (QC_ERR_UNSUPPORTED otherwise). Pointers must be aligned for what they point to.
 *
 * Callbacks must not throw, longjmp or end the thread, and must not call back into the object that calls them; but
 * listeners and notices of a qc_usage may, since they run when the call is over. A listener or notice may run inside a call
 * on a qc_cursor, whose charges cross the steps of its tracker: then that cursor is what it must not call. A panic
 * or an exception that leaves a callback ends the process (queuecore.hpp wraps callbacks, so that an exception reaches
 * the C++ caller instead; and in a Rust program that links this library as a crate, not as a C library, a callback
 * that panics is QC_ERR_PANIC).
 *
 * Memory. Every byte that grows with entries, trackers or waiters comes from the allocator callbacks if there are any.
 * Exempt are 64 bytes per handle, per thread 512 bytes of text and 128 bytes once it calls on a qc_usage, a few dozen
 * bytes per object that keep the callbacks, and about 300 of a qc_cursor and 200 of a qc_cursor_group that may outlive the
 * handle; if the process lacks these few, it ends.
 */


#ifndef QUEUECORE_H
#define QUEUECORE_H



#include <stddef.h>
#include <stdint.h>

/** The version that a program is compiled against; qc_abi_version() is the one that it runs with. */
#define QC_VERSION_MAJOR 0
#define QC_VERSION_MINOR 1
#define QC_VERSION_PATCH 0
#define QC_VERSION_NUMBER ((QC_VERSION_MAJOR << 16) | (QC_VERSION_MINOR << 8) | QC_VERSION_PATCH)

/**
 * What a call answers: `QC_OK`, or why nothing was done.
 *
 * A call that fails has changed nothing, unless the head of this file or its own description says otherwise. The
 * numbers never change; later versions may add more, so treat an unknown one as a failure.
 */
enum qc_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Done.
     */
    QC_OK = 0,
    /**
     * The handle is NULL.
     */
    QC_ERR_NULL_HANDLE = 1,
    /**
     * The handle was never given out by this library: an address, a number, or bits that were overwritten.
     */
    QC_ERR_FOREIGN_HANDLE = 2,
    /**
     * The handle belongs to another part, for example a usage tracker where a history is wanted.
     */
    QC_ERR_WRONG_PART = 3,
    /**
     * The handle was destroyed; for a wait: before the call, or while it waited.
     */
    QC_ERR_DESTROYED = 4,
    /**
     * Another thread is inside a call on this handle: the host's own order among its threads is broken.
     */
    QC_ERR_BUSY = 5,
    /**
     * The call comes from a callback of the very call that is running on this handle.
     */
    QC_ERR_REENTRANT = 6,
    /**
     * An earlier call on this handle ended in QC_ERR_PANIC; only destroy works on it.
     */
    QC_ERR_POISONED = 7,
    /**
     * This call hit a defect of the library. The handle is poisoned. A panic or exception that leaves a callback ends
     * the process instead; only Rust programs that link the crate itself get this status for a callback that panics.
     */
    QC_ERR_PANIC = 8,
    /**
     * A pointer that must not be NULL is NULL.
     */
    QC_ERR_NULL_ARGUMENT = 9,
    /**
     * An argument makes no sense: an unknown enum value, a wrong length, a pointer that is not aligned.
     */
    QC_ERR_INVALID_ARGUMENT = 10,
    /**
     * A number is outside its range.
     */
    QC_ERR_OUT_OF_RANGE = 11,
    /**
     * A count times a size does not fit.
     */
    QC_ERR_OVERFLOW = 12,
    /**
     * An option struct is larger than this version knows, and the part it does not know is not all zero.
     */
    QC_ERR_UNSUPPORTED = 13,
    /**
     * No memory was to be had: the allocator callback returned NULL, or the process has none left.
     */
    QC_ERR_NO_MEMORY = 14,
    /**
     * A limit is reached: `max_entries`, `max_history`, `max_open_writes`, `limit_bytes` of a group of histories, the trackers or levels of a tree, the cursors of a group, or the number of handles.
     */
    QC_ERR_CAPACITY = 15,
    /**
     * A time is outside -2^62 to 2^62 ns, or `now_ns` is more than `max_clock_step_ns` ahead.
     */
    QC_ERR_CLOCK = 16,
    /**
     * An entry handle that is not live (any more).
     */
    QC_ERR_STALE_HANDLE = 17,
    /**
     * The key, token or sequence is not there.
     */
    QC_ERR_NOT_FOUND = 18,
    /**
     * A callback broke its word: it returned a block that is not aligned as asked. In C++, also: it threw.
     */
    QC_ERR_CALLBACK = 19,
    /**
     * The time of a wait was up.
     */
    QC_ERR_TIMED_OUT = 20,
    /**
     * A wait ended, or did not begin, because the tracker or one above it is stopped.
     */
    QC_ERR_STOPPED = 21,
    /**
     * A level would leave -2^61 to 2^61 bytes.
     */
    QC_ERR_LEVEL = 22,
    /**
     * A reservation is larger than a limit above it: it could wait for ever.
     */
    QC_ERR_NEVER_FITS = 23,
    /**
     * The system gave no event descriptor.
     */
    QC_ERR_NO_DESCRIPTOR = 24,
    /**
     * A token or a sequence is out of order.
     */
    QC_ERR_ORDER = 25,
    /**
     * The message is pending, but in no consumer's hands: it was requeued or parked, or not pulled yet.
     */
    QC_ERR_NOT_IN_FLIGHT = 26,
    /**
     * The store's `fetch` failed. Nothing is changed, and the call can be repeated.
     */
    QC_ERR_STORE = 27,
    /**
     * The store's `fetch` broke its word: too many messages, out of order, outside the range. Nothing is changed.
     */
    QC_ERR_BAD_FETCH = 28,
    /**
     * A buffer is not one that an export wrote: truncated, changed, foreign. Or it is out of its turn.
     */
    QC_ERR_BAD_BUFFER = 29,
    /**
     * The object cannot end yet: a group that still has histories.
     */
    QC_ERR_IN_USE = 30,
    /**
     * Nothing is under way that the call could go on with: no export was begun, or its last buffer was written.
     */
    QC_ERR_NOT_BEGUN = 31,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_status qc_status;
#else
typedef int32_t qc_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What `qc_history_insert` and `qc_history_readmit` did. Structs keep it as a `uint32_t`.
 */
enum qc_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The key is live now, last in the live order.
     */
    QC_ADDED = 0,
    /**
     * The key was live already. Nothing was changed.
     */
    QC_DUPLICATE_LIVE = 1,
    /**
     * The key was erased, and its window has not ended. Nothing was changed.
     */
    QC_DUPLICATE_HISTORY = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_outcome qc_outcome;
#else
typedef uint32_t qc_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a history knows of a key. Calls write it as a `uint32_t`.
 */
enum qc_presence
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing.
     */
    QC_ABSENT = 0,
    /**
     * It is live, at any age.
     */
    QC_LIVE = 1,
    /**
     * It was erased, and its window has not ended.
     */
    QC_HISTORICAL = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_presence qc_presence;
#else
typedef uint32_t qc_presence;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an erase left behind. Calls write it as a `uint32_t`.
 */
enum qc_erased
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The key is in the history until its window ends.
     */
    QC_ERASED_HISTORICAL = 0,
    /**
     * Nothing: its window had ended, or is 0. Or the history was full, with QC_OVERFLOW_EVICT_OLDEST, and no room was
     * found for it (`qc_overflow`): then its window had not ended, and `evicted_early` counts it.
     */
    QC_ERASED_GONE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_erased qc_erased;
#else
typedef uint32_t qc_erased;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Who collects expired entries. `qc_history_options` keeps it as a `uint32_t`.
 */
enum qc_gc_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Every insert collects up to `gc_step` expired entries (default 4), every erase one. No call ever pays for
     * much, and a backlog drains while traffic flows; call `qc_history_gc` on an idle history.
     */
    QC_GC_STEADY = 0,
    /**
     * When `qc_history_gc` stops at its maximum with more to do, each following insert collects up to `gc_step`
     * (default 1000) until none is left.
     */
    QC_GC_ON_DEMAND = 1,
    /**
     * Only `qc_history_gc` collects, and to make room for their own entries an insert at `max_entries` and an erase at
     * `max_history` (`qc_overflow`). `gc_step` has no meaning.
     */
    QC_GC_SCHEDULED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_gc_policy qc_gc_policy;
#else
typedef uint32_t qc_gc_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * When an expired key stops being visible. `qc_history_options` keeps it as a `uint32_t`.
 */
enum qc_visibility
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * At its expiry: every answer depends on keys and times alone.
     */
    QC_VISIBLE_UNTIL_EXPIRY = 0,
    /**
     * When it is collected.
     */
    QC_VISIBLE_UNTIL_COLLECTED = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_visibility qc_visibility;
#else
typedef uint32_t qc_visibility;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an erase does when the history is full. `qc_history_options` keeps it as a `uint32_t`.
 *
 * Under every policy it first looks for an expired entry to collect. It looks at the oldest 64 records at most, those
 * of live and forgotten entries included, so that it takes constant time: an expired entry behind 64 live ones is not
 * found. Another erase, or `qc_history_gc`, begins where this one ended and gets further.
 */
enum qc_overflow
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * If it finds none, it answers QC_ERR_CAPACITY, and the entry stays live.
     */
    QC_OVERFLOW_REJECT = 0,
    /**
     * The oldest historical entry leaves early, and `evicted_early` counts it. If there is none among the oldest 64
     * records either, or no memory to pass a live one, the erased entry itself is not remembered: the erase answers
     * QC_ERASED_GONE inside the window, and `evicted_early` counts that.
     */
    QC_OVERFLOW_EVICT_OLDEST = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_overflow qc_overflow;
#else
typedef uint32_t qc_overflow;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How far the write of a pushed message has come. `qc_message` keeps it as a `uint8_t`.
 */
enum qc_write
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The store has it, under the message's `sequence`.
     */
    QC_WRITE_COMMITTED = 0,
    /**
     * It is on its way to the store: `qc_cursor_committed` or `qc_cursor_aborted` follows. `sequence` is 0 if it is not
     * known yet, else the number that the store has given it already.
     */
    QC_WRITE_OPEN = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_write qc_write;
#else
typedef uint8_t qc_write;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where a pushed message is. Calls write it as a `uint32_t`.
 */
enum qc_pushed
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * In memory, which is charged: the host keeps its body.
     */
    QC_CACHED = 0,
    /**
     * In the store only: the host can let go of its body. A page brings it back.
     */
    QC_STORED = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_pushed qc_pushed;
#else
typedef uint32_t qc_pushed;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Whether a pull begins a new round over the window. `qc_cursor_pull` takes it as a `uint32_t`.
 *
 * In a round the host offers messages to its consumers and parks those that none of them takes (selectors, groups).
 */
enum qc_round
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A new round: parked messages are offered again, at their places.
     */
    QC_ROUND_BEGIN = 0,
    /**
     * The same round: parked messages stay aside.
     */
    QC_ROUND_CONTINUE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_round qc_round;
#else
typedef uint32_t qc_round;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Why a pull ended. `qc_pulled` keeps it as a `uint32_t`.
 */
enum qc_pull_end
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The demand is met, or one page was taken in: another pull may give more.
     */
    QC_PULL_MORE = 0,
    /**
     * Nothing is pending that is not in flight or parked.
     */
    QC_PULL_EMPTY = 1,
    /**
     * Something is pending and cannot be had now; the ready callback follows.
     */
    QC_PULL_BLOCKED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_pull_end qc_pull_end;
#else
typedef uint32_t qc_pull_end;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What blocks a pull. `qc_pulled` keeps it as a `uint32_t`.
 */
enum qc_blocked
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing: the pull did not end with QC_PULL_BLOCKED.
     */
    QC_BLOCKED_NOT = 0,
    /**
     * The cursor's own usage is not below the mark: messages have to be acknowledged first.
     */
    QC_BLOCKED_OWN_MARK = 1,
    /**
     * The parent is over its paging mark, and the guaranteed share is lent out, or not for this cursor.
     */
    QC_BLOCKED_PARENT = 2,
    /**
     * The window holds `max_entries` messages, or nearly.
     */
    QC_BLOCKED_ENTRIES = 3,
    /**
     * What is next has not been committed yet.
     */
    QC_BLOCKED_COMMIT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_blocked qc_blocked;
#else
typedef uint32_t qc_blocked;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Who charges a cursor's tracker. `qc_cursor_options` keeps it as a `uint32_t`.
 */
enum qc_accounting
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The cursor, and nobody else: its usage is what it has charged.
     */
    QC_ACCOUNTING_OWN = 0,
    /**
     * The host, as its own reference counts say. The cursor reads the tracker's percent and charges nothing; keep the
     * tracker's `min_delta_percent` at 1.
     */
    QC_ACCOUNTING_HOST = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum qc_accounting qc_accounting;
#else
typedef uint32_t qc_accounting;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The window of a store-backed queue that is held in memory: caches up to a high watermark, pages in by whole pages,
 * never starves. One handle, one thread at a time: calls of two threads that overlap are found out and refused.
 */
typedef struct qc_cursor qc_cursor;

/**
 * What the cursors below one parent tracker share: notices of the parent's level, loans by the guaranteed share, and the
 * division of the parent's limit. Any number of threads may call at once.
 */
typedef struct qc_cursor_group qc_cursor_group;

/**
 * An insertion-ordered map of live messages and the history of those that left it lately. One handle, one thread at
 * a time: calls of two threads that overlap are found out and refused.
 */
typedef struct qc_history qc_history;

/**
 * Histories of one thread that share a hash seed, a limit on bytes, a cache of blocks and their collection.
 */
typedef struct qc_history_group qc_history_group;

/**
 * A memory meter with a limit, alone or below another one: what it counts, all above it count too. Any number of threads
 * may call at once, and destroy it meanwhile.
 */
typedef struct qc_usage qc_usage;

/**
 * A hold on a tracker's memory: while there is one, the address that came with it stays good.
 */
typedef struct qc_usage_hold qc_usage_hold;

/**
 * Gives a block of memory: `size` bytes (never 0), aligned to `align` (a power of two), or NULL if there is none.
 *
 * `align` may be smaller than `sizeof(void *)`, which posix_memalign refuses, and `size` need not be a multiple of it,
 * which aligned_alloc may ask for: round up, what is too large or too strict does no harm.
 *
 * NULL makes the running call answer QC_ERR_NO_MEMORY; a block that is not aligned is given back and makes it
 * QC_ERR_CALLBACK. It is called by the thread that is inside the call on the object, must not call back into that
 * object, and must not throw, longjmp or end the thread.
 */
typedef void *(*qc_alloc_fn)(void *ctx, size_t size, size_t align);

/**
 * Takes back a block that the `qc_alloc_fn` beside it gave for the same `size` and `align`. Never called with NULL.
 *
 * It is called by the thread that is inside the call on the object, must not call back into that object, and must
 * not throw, longjmp or end the thread.
 */
typedef void (*qc_free_fn)(void *ctx, void *ptr, size_t size, size_t align);

/**
 * The identifier of a message: 16 bytes, compared as a whole. It needs no alignment.
 */
typedef struct qc_key {
    /**
     * The bytes, in any meaning.
     */
    uint8_t bytes[16];
} qc_key;

/**
 * Gives 64 bits of hash for a key: the same for the same key each time, and hard to guess for whoever chooses keys.
 *
 * Any call on the history may ask for the hash of its own key and of keys that were stored earlier: one that answers
 * another number later makes those keys impossible to find. `key` is good during the callback only.
 *
 * The result is mixed with the seed once more. It is called by the thread that is inside the call on the object,
 * must not call back into that object, and must not throw, longjmp or end the thread.
 */
typedef uint64_t (*qc_hash_fn)(void *ctx, const struct qc_key *key);

/**
 * The settings of a history. Fill it with `qc_history_options_init`, then change what you want changed.
 */
typedef struct qc_history_options {
    /**
     * `sizeof(qc_history_options)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * Bytes of value stored with each live entry, 0 to 1024. Default 0.
     */
    uint32_t value_size;
    /**
     * How long a key is remembered, from its insert, in ns: 0 (no history) to 2^62. Rounded up to a multiple of the
     * resolution. Default 300 s.
     */
    int64_t window_ns;
    /**
     * The grain of time, in ns, 1 to 2^62: insert times and the present are rounded down to it, so that a key expires
     * less than one of it early or late. 0 means the default, 1000.
     */
    int64_t resolution_ns;
    /**
     * How far `now_ns` may lie ahead of the largest one seen, in ns, before a call answers QC_ERR_CLOCK: 1 to 2^62,
     * or 0 for any distance. Default one hour. A history that is told no time for longer than that refuses the next
     * one, however right: call `qc_history_gc` more often from a timer, or `qc_history_clock_reset` after a pause, or
     * set 0.
     */
    int64_t max_clock_step_ns;
    /**
     * The most entries, live and historical together, 1 to 2^31-1. 0 means the default, 2^31-1. An insert that reaches
     * it looks for an expired entry to collect, among the oldest 64 records, before it answers QC_ERR_CAPACITY.
     */
    uint64_t max_entries;
    /**
     * The most historical entries, any number. 0, the default: no limit of their own.
     */
    uint64_t max_history;
    /**
     * A `qc_overflow`: what an erase does at `max_history`. Default QC_OVERFLOW_REJECT.
     */
    uint32_t overflow;
    /**
     * A `qc_visibility`. Default QC_VISIBLE_UNTIL_EXPIRY.
     */
    uint32_t visibility;
    /**
     * A `qc_gc_policy`. Default QC_GC_STEADY.
     */
    uint32_t gc_policy;
    /**
     * Entries an insert may collect, up to 2^20. 0, the default, means the policy's own default.
     */
    uint32_t gc_step;
    /**
     * The seed of the key hash. 0, the default: a random one, so that nobody can aim at collisions. Set it only to
     * repeat a run exactly.
     */
    uint64_t seed;
    /**
     * The host's allocator, with `free`; both or neither. Default NULL: the process's own.
     */
    qc_alloc_fn alloc;
    /**
     * See `alloc`.
     */
    qc_free_fn free;
    /**
     * Handed to `alloc` and `free` as it is. It must stay good until the history is destroyed.
     */
    void *alloc_ctx;
    /**
     * The host's own hash of keys. Default NULL: the built-in keyed one.
     */
    qc_hash_fn hash;
    /**
     * Handed to `hash` as it is. It must stay good until the history is destroyed.
     */
    void *hash_ctx;
    /**
     * The group to join (`qc_history_group_create`); its seed and its allocator count then, so `seed` has to be 0 and
     * `alloc` NULL. Default NULL: no group.
     */
    struct qc_history_group *group;
} qc_history_options;

/**
 * The handle of one live entry of one history; 0 stands for none.
 *
 * It is good until its entry is erased, forgotten or cleared. After that every call answers QC_ERR_STALE_HANDLE for
 * it: it never comes to mean another entry. It has no meaning for another history.
 */
typedef uint64_t qc_entry;

/**
 * What an insert or readmit did, and to which entry.
 */
typedef struct qc_insert_result {
    /**
     * QC_ADDED: the new entry. QC_DUPLICATE_LIVE: the entry that was there. QC_DUPLICATE_HISTORY: 0.
     */
    qc_entry entry;
    /**
     * A `qc_outcome`.
     */
    uint32_t outcome;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_insert_result;

/**
 * What is known of a live entry.
 */
typedef struct qc_entry_info {
    /**
     * Its key.
     */
    struct qc_key key;
    /**
     * Its insert time in ns, rounded down to a multiple of the resolution.
     */
    int64_t inserted_at_ns;
    /**
     * Its value: `value_size` bytes that stay where they are until the entry leaves; NULL if `value_size` is 0.
     */
    void *value;
} qc_entry_info;

/**
 * What a collection did.
 */
typedef struct qc_gc_result {
    /**
     * Expired entries that this call removed.
     */
    uint64_t collected;
    /**
     * 1 if the call stopped at its maximum and another would find work at once, else 0. 0 also if there is work but no
     * memory for it.
     */
    uint32_t more;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_gc_result;

/**
 * One entry, live or historical.
 */
typedef struct qc_history_item {
    /**
     * Its key.
     */
    struct qc_key key;
    /**
     * Its insert time in ns, rounded down to a multiple of the resolution.
     */
    int64_t inserted_at_ns;
    /**
     * The live entry, or 0 if it is historical.
     */
    qc_entry entry;
} qc_history_item;

/**
 * What an export wrote into one buffer.
 */
typedef struct qc_export_result {
    /**
     * Bytes of the buffer that are to be kept, from its beginning.
     */
    uint64_t bytes;
    /**
     * Entries in them.
     */
    uint32_t entries;
    /**
     * 1 if another buffer follows, 0 if this is the last.
     */
    uint32_t more;
} qc_export_result;

/**
 * What an import did with the entries of one buffer: each counts in one of the first five numbers.
 */
typedef struct qc_import_result {
    /**
     * Entries that are live now.
     */
    uint64_t live;
    /**
     * Entries that are historical now.
     */
    uint64_t historical;
    /**
     * Entries that were here already: live, or remembered for at least as long.
     */
    uint64_t duplicates;
    /**
     * Historical entries whose window has ended here.
     */
    uint64_t expired;
    /**
     * Historical entries for which there was no room under `max_history`, with QC_OVERFLOW_EVICT_OLDEST.
     */
    uint64_t evicted;
    /**
     * 1 if the buffer is the last of its export.
     */
    uint32_t is_last;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_import_result;

/**
 * What stands at the beginning of a buffer of an export.
 */
typedef struct qc_buffer_info {
    /**
     * Names the export: a random number, the same in all its buffers.
     */
    uint64_t export_id;
    /**
     * The largest `now_ns` that the exported history had been given, by its own clock; 0 before any.
     */
    int64_t present_ns;
    /**
     * The window of the exported history.
     */
    int64_t window_ns;
    /**
     * Which buffer of its export it is, from 0.
     */
    uint32_t number;
    /**
     * Entries in it.
     */
    uint32_t entries;
    /**
     * Bytes of value per live entry.
     */
    uint32_t value_size;
    /**
     * 1 if it is the last of its export.
     */
    uint32_t is_last;
} qc_buffer_info;

/**
 * The settings of a group. Fill it with `qc_history_group_options_init`, then change what you want changed.
 */
typedef struct qc_history_group_options {
    /**
     * `sizeof(qc_history_group_options)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * The most bytes that the group and its histories hold together, any number. A call that would need more answers
     * QC_ERR_CAPACITY. 0, the default: no limit.
     */
    uint64_t limit_bytes;
    /**
     * The most bytes of unused blocks that the group keeps for its histories to use again, any number; blocks above 256 KiB are
     * never kept. Default 256 KiB.
     */
    uint64_t cache_bytes;
    /**
     * How far `now_ns` may lie ahead of the largest one that the group was given, in ns, before
     * `qc_history_group_gc_many` answers QC_ERR_CLOCK: 1 to 2^62, or 0 for any distance. Default one hour.
     */
    int64_t max_clock_step_ns;
    /**
     * The seed of the key hash of all histories. 0, the default: a random one. Set it only to repeat a run exactly.
     */
    uint64_t seed;
    /**
     * The host's allocator for the group and all its histories, with `free`; both or neither. Default NULL: the
     * process's own.
     */
    qc_alloc_fn alloc;
    /**
     * See `alloc`.
     */
    qc_free_fn free;
    /**
     * Handed to `alloc` and `free` as it is. It must stay good until the group is destroyed.
     */
    void *alloc_ctx;
} qc_history_group_options;

/**
 * The figures of a group. Set `struct_size` before the call. Counters run from creation.
 *
 * Write `struct qc_history_group_stats`, in C++ too: the bare name is the function.
 */
struct qc_history_group_stats {
    /**
     * In: the room, `sizeof(struct qc_history_group_stats)`. Out: the bytes that were filled.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Histories in the group.
     */
    uint64_t histories;
    /**
     * Histories that have something that will expire.
     */
    uint64_t scheduled;
    /**
     * Bytes held now by the group and its histories, the cache included.
     */
    uint64_t bytes_in_use;
    /**
     * The most bytes ever held.
     */
    uint64_t bytes_peak;
    /**
     * Bytes of unused blocks that are kept.
     */
    uint64_t bytes_cached;
    /**
     * Requests for memory that were served from those.
     */
    uint64_t reused_blocks;
    /**
     * Requests for memory that were refused because of `limit_bytes`.
     */
    uint64_t refused_by_limit;
};

/**
 * The figures of a history. Set `struct_size` before the call. Counters run from creation.
 *
 * Write `struct qc_history_stats`, in C++ too: the bare name is the function.
 */
struct qc_history_stats {
    /**
     * In: the room, `sizeof(struct qc_history_stats)`. Out: the bytes that were filled.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Live entries.
     */
    uint64_t live_len;
    /**
     * Historical entries held, expired ones that are not collected yet included.
     */
    uint64_t history_len;
    /**
     * Records of forgotten or re-admitted entries that wait for the collection to pass them.
     */
    uint64_t tombstones;
    /**
     * Bytes held now, the instance itself included.
     */
    uint64_t bytes_in_use;
    /**
     * The most bytes ever held.
     */
    uint64_t bytes_peak;
    /**
     * Blocks asked of the allocator.
     */
    uint64_t allocations;
    /**
     * Blocks given back.
     */
    uint64_t deallocations;
    /**
     * Expired entries collected.
     */
    uint64_t collected_total;
    /**
     * Entries that left before their window ended, because of `max_history`.
     */
    uint64_t evicted_early;
    /**
     * Inserts and readmits that were answered with a duplicate.
     */
    uint64_t duplicates;
    /**
     * Historical keys that became live again.
     */
    uint64_t readmitted;
    /**
     * Calls whose `now_ns` was smaller than one seen before.
     */
    uint64_t clock_regressions;
    /**
     * The most index entries that one call, or one element of a batch, has moved for growth or shrinking.
     */
    uint64_t max_entries_moved_per_call;
    /**
     * Buckets of the index, 64 bytes each.
     */
    uint64_t index_buckets;
    /**
     * Overflow buckets among them.
     */
    uint64_t overflow_buckets;
    /**
     * Index buckets examined so far: the work that a flood of collisions would raise.
     */
    uint64_t buckets_probed;
};

/**
 * Releases what a host handed over with a callback: called once, when the library will not call that callback again.
 * By any thread, holding no lock of the library's. It may call into the library, and must not throw, longjmp or end the
 * thread.
 */
typedef void (*qc_release_fn)(void *ctx);

/**
 * The settings of a tracker. Fill it with `qc_usage_options_init`, then change what you want changed.
 */
typedef struct qc_usage_options {
    /**
     * `sizeof(qc_usage_options)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * A share of the parent's limit instead of a limit, in parts per million: 1 to 1,000,000. 0, the default: none. Not
     * beside `limit_bytes`, and not on a root.
     */
    uint32_t share_ppm;
    /**
     * The limit in bytes, up to 2^62. 0, the default, means unlimited: never full, 0 percent.
     */
    uint64_t limit_bytes;
    /**
     * The caller's name for the tracker, any number: events and enumerations carry it. Default 0.
     */
    uint64_t tag;
    /**
     * Percents count in whole multiples of this; 1 or more. Default 1.
     */
    uint32_t min_delta_percent;
    /**
     * Room for percent steps that wait to be delivered, 1 to 65536. When it is used up they merge: the first one's old
     * percent, the last one's new one. It takes 16 bytes each once somebody listens. Default 64.
     */
    uint32_t event_capacity;
    /**
     * The most stripes of a busy tracker, each of 8 bytes. 0, the default: one for each processor. Of a root, for its
     * whole tree; of a child it must be 0.
     */
    uint32_t max_stripes;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * The host's allocator, with `free`; both or neither. Default NULL: the process's own. Of a root, for its whole tree;
     * of a child it must be NULL. It is called under the tree's lock: it must not call into any tracker of that tree, nor a cursor
     * that uses one.
     */
    qc_alloc_fn alloc;
    /**
     * See `alloc`.
     */
    qc_free_fn free;
    /**
     * Handed to `alloc` and `free` as it is. It must stay good until the last tracker of the tree is destroyed and every
     * call, listener and notice of the tree has returned: see `release`.
     */
    void *alloc_ctx;
    /**
     * Called once with `alloc_ctx` after the tree gave its last block back; NULL, the default, if nobody need know. If
     * `qc_usage_create` fails, it is not called, and `alloc_ctx` stays the caller's. Of a child it must be NULL.
     */
    qc_release_fn release;
} qc_usage_options;

/**
 * Told once, when every level from a tracker up is below what was asked for, or a reservation is counted (QC_OK); or that
 * this will not be told: the tracker, or one above it, was stopped (QC_ERR_STOPPED), or it was destroyed
 * (QC_ERR_DESTROYED).
 *
 * Called by any thread, whose call on a tracker of the same tree brought it about, after that call let go of everything:
 * it may call into any tracker. While it runs, no other event or notice of the tree is delivered. It must not throw,
 * longjmp or end the thread.
 */
typedef void (*qc_usage_notice_fn)(void *ctx, qc_status reason);

/**
 * One step of a tracker's percent.
 */
typedef struct qc_usage_event {
    /**
     * The tracker's tag.
     */
    uint64_t tag;
    /**
     * The percent before: the `new_percent` of the step before, or that of the moment when listening began.
     */
    int32_t old_percent;
    /**
     * The percent at the crossing.
     */
    int32_t new_percent;
} qc_usage_event;

/**
 * Told of a tracker's percent steps, one after the other, in an unbroken chain. `event` is good during the callback only.
 *
 * Called by any thread, whose call on a tracker of the same tree crossed the step or found it left to deliver, after that
 * call let go of everything: it may call into any tracker, and destroy this one. Never by two threads at once in one
 * tree, and while it runs no other event or notice of the tree is delivered: what it does itself is told to it after it
 * returns. It must not throw, longjmp or end the thread.
 */
typedef void (*qc_usage_listener_fn)(void *ctx, const struct qc_usage_event *event);

/**
 * The figures of a tracker. Set `struct_size` before the call. Those that say "of the tree" are of all trackers that hang
 * together; its counters run from the creation of the root.
 *
 * Write `struct qc_usage_stats`, in C++ too: the bare name is the function.
 */
struct qc_usage_stats {
    /**
     * In: the room, `sizeof(struct qc_usage_stats)`. Out: the bytes that were filled.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * What is counted, in bytes. Exact while nobody writes.
     */
    int64_t usage_bytes;
    /**
     * The committed total: usage, and what is lent to stripes.
     */
    int64_t committed_bytes;
    /**
     * How far the usage may lie below the committed total.
     */
    int64_t slack_bytes;
    /**
     * The tracker's own part of the usage: what its children do not count.
     */
    int64_t own_bytes;
    /**
     * The limit in bytes; 0 means unlimited.
     */
    uint64_t limit_bytes;
    /**
     * The percent.
     */
    int64_t percent;
    /**
     * 1 if the tracker itself (not one above it) is at 100 percent or more, else 0.
     */
    uint64_t is_full;
    /**
     * 1 if it is stopped, else 0.
     */
    uint64_t is_stopped;
    /**
     * Children.
     */
    uint64_t children;
    /**
     * Its stripes that hold something.
     */
    uint64_t active_stripes;
    /**
     * Its stripes.
     */
    uint64_t stripes;
    /**
     * Those who wait at it and below: for space, with a reservation, or for a notice.
     */
    uint64_t waiters;
    /**
     * Bytes that reservations wait for, at it and below.
     */
    int64_t waiting_bytes;
    /**
     * Of the tree: trackers, hidden ones included.
     */
    uint64_t tree_trackers;
    /**
     * Of the tree: stripes that hold something.
     */
    uint64_t tree_active_stripes;
    /**
     * Of the tree: times a stripe was filled.
     */
    uint64_t tree_refills;
    /**
     * Of the tree: times what was lent was recalled.
     */
    uint64_t tree_recalls;
    /**
     * Of the tree: times the bounds of a level were computed anew.
     */
    uint64_t tree_crossings;
    /**
     * Of the tree: percent steps that were merged for want of room.
     */
    uint64_t tree_merged_events;
    /**
     * Of the tree: listeners and notices that panicked. 0 in a C program.
     */
    uint64_t tree_listener_panics;
    /**
     * Of the tree: bytes held now.
     */
    uint64_t bytes_in_use;
    /**
     * Of the tree: the most bytes ever held.
     */
    uint64_t bytes_peak;
};

/**
 * A child in an enumeration.
 */
typedef struct qc_usage_child {
    /**
     * Its tag.
     */
    uint64_t tag;
    /**
     * Its usage in bytes. Exact while nobody writes.
     */
    int64_t usage_bytes;
    /**
     * Its limit in bytes; 0 means unlimited.
     */
    uint64_t limit_bytes;
    /**
     * Its percent.
     */
    int32_t percent;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_usage_child;

/**
 * Where things stand in a tracker's memory. Offsets and sizes are in bytes, from the address that `qc_usage_node` gives.
 *
 * To count, read the 64-bit `stripes` word at `stripes_offset` with acquire order: its bits under `stripes_log2_mask` are
 * the logarithm of the number of stripes, the other bits are the address of the first; stripes stand `stripe_bytes` apart.
 * Take one by the number of the processor modulo their number; but if there is only one, and the 32 bits at
 * `last_user_offset` are not the number of the processor, call the library, which sees who comes in turns and makes more.
 * Read the stripe's 64-bit word with acquire order: the upper half is what may be taken, the lower half what may be put back. To count n more, with n at most the
 * upper half, exchange the word for word - n * 0xffffffff, with acquire-release order; to count n less, with n at most the
 * lower half, for word + n * 0xffffffff. In every other case, and if the exchange fails, call the library.
 *
 * To ask, read the 64-bit signed percent at `percent_offset` with acquire order: unless it is `percent_unknown`, it is the
 * answer of `qc_usage_percent`; and the 32-bit state at `state_offset`: a bit of `state_full_mask` means that this level is
 * full. At `parent_offset` stands the address of the level above, or NULL. Write nothing but stripe words.
 *
 * Write `struct qc_usage_layout`, in C++ too: the bare name is the function.
 */
struct qc_usage_layout {
    /**
     * The size of this struct. Later versions may add fields at its end.
     */
    uint32_t struct_size;
    /**
     * The version of the layout. Whoever does not know it makes calls instead.
     */
    uint32_t version;
    /**
     * A tracker's size.
     */
    uint32_t node_bytes;
    /**
     * From one stripe to the next.
     */
    uint32_t stripe_bytes;
    /**
     * The word that leads to the stripes.
     */
    uint32_t stripes_offset;
    /**
     * Its bits that hold the logarithm of their number.
     */
    uint32_t stripes_log2_mask;
    /**
     * The address of the level above.
     */
    uint32_t parent_offset;
    /**
     * The percent, a signed 64-bit number.
     */
    uint32_t percent_offset;
    /**
     * The state, 32 bits.
     */
    uint32_t state_offset;
    /**
     * Its bits that mean: full.
     */
    uint32_t state_full_mask;
    /**
     * The percent while nobody keeps it.
     */
    int64_t percent_unknown;
    /**
     * The stripe of a tracker that has only one.
     */
    uint32_t inline_word_offset;
    /**
     * Who used that last: the number of a processor, 32 bits.
     */
    uint32_t last_user_offset;
    /**
     * The state's bits that mean: waits are ended here.
     */
    uint32_t state_stopped_mask;
    /**
     * Always 0.
     */
    uint32_t reserved;
};

/**
 * What decides when messages stay in memory and when they are paged in. Fill it with `qc_cursor_policy_init`, then change
 * what you want changed.
 */
typedef struct qc_cursor_policy {
    /**
     * `sizeof(qc_cursor_policy)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * Caching and filling stop when the usage reaches this percent of the limit: 1 to 100. Default 70.
     */
    uint32_t high_percent;
    /**
     * Filling begins when the usage is below this percent of the limit: 1 to `high_percent`. Default 50. The classic rule
     * is both the same.
     */
    uint32_t low_percent;
    /**
     * Caching stops when the parent, or a level above it, reaches this percent of its limit: 1 to 1000. Default 100. It
     * takes a group.
     */
    uint32_t parent_cache_percent;
    /**
     * Pages are taken while the parent, and every level above it, is at or below this percent of its limit: 1 to 1000.
     * Default 90. It takes a group. The parent's percent moves in steps of its `min_delta_percent`: with coarse
     * steps this mark moves to the next one.
     */
    uint32_t parent_page_percent;
    /**
     * The messages of a whole page: 1 to 65536. Default 200.
     */
    uint32_t page_messages;
    /**
     * The bytes of a whole page: 1 to 2^40; at most (100 - `high_percent`) % of the limit counts, and 1 % where that
     * leaves nothing. Default 1 MiB.
     */
    uint64_t page_bytes;
    /**
     * A page that open writes or demand cut shorter than this is not taken while the window has something to give: up to
     * `page_messages`. 0, the default, means a quarter of that.
     */
    uint32_t min_page_messages;
    /**
     * 1: pages are not longer than the demand. Default 0.
     */
    uint8_t lazy_dispatch;
    /**
     * 1, the default: new messages stay in memory while there is room. 0: they never do.
     */
    uint8_t use_cache;
    /**
     * 1: messages whose write is open are delivered all the same, once their sequence is known. Default 0. Turned
     * off, it holds for what is pushed from then on: what could be delivered already still is.
     */
    uint8_t deliver_uncommitted;
    /**
     * 0.
     */
    uint8_t reserved;
} qc_cursor_policy;

/**
 * The settings of a cursor. Fill it with `qc_cursor_options_init`, then change what you want changed.
 */
typedef struct qc_cursor_options {
    /**
     * `sizeof(qc_cursor_options)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * A `qc_accounting`. Default QC_ACCOUNTING_OWN.
     */
    uint32_t accounting;
    /**
     * The most messages in the window, in flight ones included, up to 2^26. 0, the default, means that many.
     */
    uint32_t max_entries;
    /**
     * The most writes open at a time, answered ones behind an open one included, up to 2^20. 0, the default, means 65536.
     */
    uint32_t max_open_writes;
    /**
     * The host's allocator, with `free`; both or neither. Default NULL: the process's own.
     */
    qc_alloc_fn alloc;
    /**
     * See `alloc`.
     */
    qc_free_fn free;
    /**
     * Handed to `alloc` and `free` as it is. It must stay good until the cursor is destroyed.
     */
    void *alloc_ctx;
} qc_cursor_options;

/**
 * A message as the store tells it.
 */
typedef struct qc_stored {
    /**
     * Its place in the queue, from 1.
     */
    uint64_t sequence;
    /**
     * The host's own: what a pull hands out with the message. Often where its body is.
     */
    uint64_t user;
    /**
     * What it takes in memory, in bytes. It is charged as this says.
     */
    uint32_t size_bytes;
    /**
     * Higher goes first.
     */
    uint8_t priority;
    /**
     * Of no meaning.
     */
    uint8_t reserved[3];
} qc_stored;

/**
 * Reads messages from the store: those whose sequence is above `after` and up to `up_to`, itself included, in ascending
 * order of sequence, without leaving out one that is committed and pending. As many as there are, but at most
 * `max_messages` (1 or more), and together at most `max_bytes` bytes, though the first message whatever its size.
 *
 * It writes them to `out_messages`, which has room for `max_messages`, and how many to `out_count`, which is 0 before: 0
 * means that there is none in the range. It answers 0. Any other answer is the store's own number for what went wrong: the
 * call that fetched answers QC_ERR_STORE, `qc_last_error` has the number, nothing is changed, and the call can be
 * repeated. What was written then counts for nothing.
 *
 * A message that was removed with `qc_cursor_remove` while it was not in memory, or while its write was open, must not come
 * again. One that was acknowledged may: acks may reach the store late, in batches. An answer that is too long, too large, out of order or
 * outside the range is refused as a whole with QC_ERR_BAD_FETCH.
 *
 * Called by the thread that is inside the call on the cursor. It must not call back into that cursor, and must not throw,
 * longjmp or end the thread.
 */
typedef int32_t (*qc_fetch_fn)(void *ctx,
                               uint64_t after,
                               uint64_t up_to,
                               uint32_t max_messages,
                               uint64_t max_bytes,
                               struct qc_stored *out_messages,
                               size_t *out_count);

/**
 * Takes note that the body of a message can go: it was fetched and is of no use, or it was in memory and its memory is
 * given back, by `qc_cursor_drop_cache` or to make room. The sequence is 0 if the cursor does not know it yet; `user` is
 * what the message had. `message` is good during the callback only.
 *
 * Called by the thread that is inside the call on the cursor. It must not call back into that cursor, and must not throw,
 * longjmp or end the thread.
 */
typedef void (*qc_discard_fn)(void *ctx, const struct qc_stored *message);

/**
 * A store of messages, as far as a cursor needs it. Fill it with `qc_store_init`, then set `fetch`.
 */
typedef struct qc_store {
    /**
     * `sizeof(qc_store)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Handed to the functions as it is. It must stay good until the cursor is destroyed.
     */
    void *ctx;
    /**
     * Reads messages. Must be set.
     */
    qc_fetch_fn fetch;
    /**
     * Takes note that a body can go. NULL, the default, if nobody need know: then nothing hangs on `user`.
     */
    qc_discard_fn discard;
} qc_store;

/**
 * The settings of a group. Fill it with `qc_cursor_group_options_init`, then change what you want changed.
 */
typedef struct qc_cursor_group_options {
    /**
     * `sizeof(qc_cursor_group_options)`; the init function sets it.
     */
    uint32_t struct_size;
    /**
     * 1: the parent's limit is divided evenly among the trackers of the cursors, anew whenever one comes or goes; those
     * have to be children of the parent. Default 0.
     */
    uint32_t divides_limit;
    /**
     * The most bytes on loan by the guaranteed share, up to 2^62. 0, the default, means 10 % of the parent's limit.
     */
    uint64_t max_lent_bytes;
    /**
     * The host's allocator, with `free`; both or neither. Default NULL: the process's own. It is called under the group's
     * lock: it must not call into this group or a cursor of it.
     */
    qc_alloc_fn alloc;
    /**
     * See `alloc`.
     */
    qc_free_fn free;
    /**
     * Handed to `alloc` and `free` as it is. It must stay good until the group's handle and all its cursors are destroyed:
     * see `release`.
     */
    void *alloc_ctx;
    /**
     * Called once with `alloc_ctx` after the group gave its last block back; NULL, the default, if nobody need know. If
     * `qc_cursor_group_create` fails, it is not called, and `alloc_ctx` stays the caller's.
     */
    qc_release_fn release;
} qc_cursor_group_options;

/**
 * The figures of a group. Set `struct_size` before the call. Counters run from creation.
 *
 * Write `struct qc_cursor_group_stats`, in C++ too: the bare name is the function.
 */
struct qc_cursor_group_stats {
    /**
     * In: the room, `sizeof(struct qc_cursor_group_stats)`. Out: the bytes that were filled.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Cursors.
     */
    uint32_t members;
    /**
     * Those that wait for the parent's level or for a loan.
     */
    uint32_t waiting;
    /**
     * Bytes on loan.
     */
    uint64_t lent_bytes;
    /**
     * The most bytes ever on loan.
     */
    uint64_t lent_peak_bytes;
    /**
     * Pages lent.
     */
    uint64_t lent_pages;
    /**
     * Requests for a page that were refused.
     */
    uint64_t refused;
    /**
     * Bytes held now, about 200 of the group itself included, which come from the process.
     */
    uint64_t bytes_in_use;
};

/**
 * A message that the broker has handed to its store.
 */
typedef struct qc_message {
    /**
     * The host's number for it, rising from push to push; any number the first time.
     */
    uint64_t token;
    /**
     * Its place in the queue, from 1, below 2^64-1, rising from push to push; see `write`.
     */
    uint64_t sequence;
    /**
     * The host's own: a pull hands it out again. Often where the body is.
     */
    uint64_t user;
    /**
     * What it takes in memory, in bytes.
     */
    uint32_t size_bytes;
    /**
     * Higher goes first.
     */
    uint8_t priority;
    /**
     * A `qc_write`.
     */
    uint8_t write;
    /**
     * 0.
     */
    uint16_t reserved;
} qc_message;

/**
 * A message that has left the window.
 */
typedef struct qc_released {
    /**
     * The host's own, 0 if the window did not hold the message.
     */
    uint64_t user;
    /**
     * What was charged for it and is released, in bytes.
     */
    uint64_t released_bytes;
    /**
     * 1 if its body was in memory, else 0.
     */
    uint32_t was_in_memory;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_released;

/**
 * A message in the consumers' hands.
 */
typedef struct qc_delivered {
    /**
     * Its place in the queue: `qc_cursor_ack` and the calls beside it name it by this.
     */
    uint64_t sequence;
    /**
     * The token it was pushed with; 0 if it came from the store.
     */
    uint64_t token;
    /**
     * As it was pushed, or as the store told it.
     */
    uint64_t user;
    /**
     * Its size in bytes, likewise.
     */
    uint32_t size_bytes;
    /**
     * How often it was requeued. The count is kept in memory, not in the store.
     */
    uint32_t redeliveries;
    /**
     * Higher goes first.
     */
    uint8_t priority;
    /**
     * Of no meaning.
     */
    uint8_t reserved[7];
} qc_delivered;

/**
 * What a pull did.
 */
typedef struct qc_pulled {
    /**
     * How many messages it wrote.
     */
    uint64_t count;
    /**
     * A `qc_pull_end`.
     */
    uint32_t end;
    /**
     * A `qc_blocked`.
     */
    uint32_t blocked;
} qc_pulled;

/**
 * What a browse did.
 */
typedef struct qc_browsed {
    /**
     * How many messages it wrote.
     */
    uint64_t count;
    /**
     * Where the next browse goes on.
     */
    uint64_t after;
    /**
     * 1 if there may be more behind that, else 0.
     */
    uint32_t more;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_browsed;

/**
 * What a purge removed.
 */
typedef struct qc_purged {
    /**
     * What is up to this sequence and not in flight is purged, or will be when there is no more to do. The host deletes it
     * from its store.
     */
    uint64_t up_to;
    /**
     * Messages of the window that this call removed.
     */
    uint64_t messages;
    /**
     * Messages beyond the window, which the store alone had, as far as is known.
     */
    uint64_t stored_messages;
    /**
     * What was charged for them and is released, in bytes.
     */
    uint64_t released_bytes;
    /**
     * 1 if the window has more of them, else 0.
     */
    uint32_t more;
    /**
     * 0.
     */
    uint32_t reserved;
} qc_purged;

/**
 * What `qc_cursor_drop_cache` gave back.
 */
typedef struct qc_dropped {
    /**
     * Messages.
     */
    uint64_t messages;
    /**
     * What was charged for them, in bytes.
     */
    uint64_t released_bytes;
} qc_dropped;

/**
 * Told that a pull that was blocked can make progress now: an edge, once for each blocked pull.
 *
 * Called by the thread that is inside a call on the cursor, or by any other whose call on a tracker or on another cursor
 * freed what was waited for; it may come before the pull that it answers has returned. It must not call the cursor: it
 * tells whoever pulls. It must not throw, longjmp or end the thread.
 */
typedef void (*qc_ready_fn)(void *ctx);

/**
 * The figures of a cursor. Set `struct_size` before the call. Counters run from creation.
 *
 * Write `struct qc_cursor_stats`, in C++ too: the bare name is the function.
 */
struct qc_cursor_stats {
    /**
     * In: the room, `sizeof(struct qc_cursor_stats)`. Out: the bytes that were filled.
     */
    uint32_t struct_size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * 1 while new messages stay in memory, else 0.
     */
    uint32_t is_caching;
    /**
     * 1 while the window may take pages, else 0.
     */
    uint32_t is_filling;
    /**
     * Messages pushed and not acknowledged, removed or aborted. What was removed while it was in the store only is
     * believed; where the store turns out to hold fewer, the count follows the store.
     */
    uint64_t pending_count;
    /**
     * Their bytes.
     */
    uint64_t pending_bytes;
    /**
     * Messages in memory.
     */
    uint64_t in_memory_count;
    /**
     * What is charged for them, in bytes; with QC_ACCOUNTING_HOST, what they take.
     */
    uint64_t in_memory_bytes;
    /**
     * Messages in the consumers' hands.
     */
    uint64_t in_flight_count;
    /**
     * Messages put aside in this round.
     */
    uint64_t parked_count;
    /**
     * Messages of the window that were dropped from memory and not paged in again.
     */
    uint64_t dropped_count;
    /**
     * Writes that are not answered, and answered ones behind them.
     */
    uint64_t open_writes;
    /**
     * Pages taken.
     */
    uint64_t pages;
    /**
     * Messages that came with them.
     */
    uint64_t paged_messages;
    /**
     * Pages taken by the guaranteed share.
     */
    uint64_t lent_pages;
    /**
     * Bytes in memory by the guaranteed share.
     */
    uint64_t lent_bytes;
    /**
     * Times caching was turned on.
     */
    uint64_t cache_on_turns;
    /**
     * Times caching was turned off.
     */
    uint64_t cache_off_turns;
    /**
     * The most bytes ever charged.
     */
    uint64_t peak_bytes;
    /**
     * How far the charge has been above the high mark at most, in bytes.
     */
    uint64_t overshoot_bytes;
    /**
     * Fetches that failed or were refused.
     */
    uint64_t failed_fetches;
    /**
     * Messages requeued.
     */
    uint64_t requeued;
    /**
     * Calls of the ready callback, also those that found none set.
     */
    uint64_t ready_calls;
    /**
     * Time from a pull that was blocked to the next pull, or to now, in ns: by QC_BLOCKED_OWN_MARK.
     */
    uint64_t blocked_own_mark_ns;
    /**
     * The same, by QC_BLOCKED_PARENT.
     */
    uint64_t blocked_parent_ns;
    /**
     * The same, by QC_BLOCKED_ENTRIES.
     */
    uint64_t blocked_entries_ns;
    /**
     * The same, by QC_BLOCKED_COMMIT.
     */
    uint64_t blocked_commit_ns;
    /**
     * Bytes held now, the instance itself included.
     */
    uint64_t bytes_in_use;
    /**
     * The most bytes ever held.
     */
    uint64_t bytes_peak;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A short text for a status, the same each time.
 *
 * `code` may be any number; one that is no status gives "unknown status". Never NULL. The text is static: it stays
 * valid for as long as the library is loaded. Any thread, at any time. Constant time.
 */
const char *qc_status_string(int32_t code);

/**
 * What went wrong in the calling thread's last failed call, in words that name the argument and its value.
 *
 * Never NULL; "" if no call of this thread has failed yet. A call that succeeds leaves the text as it is. The text
 * is UTF-8, at most 511 bytes long, and stays valid and unchanged until the thread's next failing call or its end:
 * copy it to keep it. It is for people and logs: its wording may change, the status will not. Any thread, each
 * sees its own. Constant time.
 */
const char *qc_last_error(void);

/**
 * The version of the loaded library: `major << 16 | minor << 8 | patch`.
 *
 * Compare it with `QC_VERSION_NUMBER`, the version that a program was compiled against. While the major number is 0,
 * two versions fit together if their minor numbers are equal; after that, if their major numbers are equal and the
 * loaded library is no older. Any thread, at any time. Constant time.
 */
uint32_t qc_abi_version(void);

/**
 * The version of the loaded library as a text, such as "1.2.3".
 *
 * Never NULL. The text is static: it stays valid for as long as the library is loaded. Any thread, at any time.
 * Constant time.
 */
const char *qc_version_string(void);

/**
 * Fills the settings of a history with their defaults.
 *
 * Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_history_options)` as the caller knows it, 4
 * to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
 *
 * QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
 * `struct_size` is out of its range.
 *
 * Any thread. Constant time.
 */
qc_status qc_history_options_init(struct qc_history_options *out_options,
                                  size_t struct_size);

/**
 * Makes a history.
 *
 * Parameters: `options` are the settings, from `qc_history_options_init`; they are copied, except that the callback
 * contexts must stay good until the history is destroyed. `out_history` gets the handle, which is the caller's to
 * give to `qc_history_destroy` at the end. A handle is a number, not an address: nothing can be read through it.
 *
 * An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
 * wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
 *
 * QC_ERR_NULL_ARGUMENT: `options` or `out_history` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, an enum value is unknown, only
 * one of `alloc` and `free` is set, or `seed` or `alloc` is set in a group.
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT, QC_ERR_POISONED: `group` is
 * no group, or a call on it or on one of its histories is running.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. With callbacks in the
 * options, a few dozen bytes that keep them come from the process; if it has none left, it ends.
 * QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use, or the group is at its limit.
 *
 * Any thread; in a group, one thread at a time with it. Constant time; an empty history takes less than 1 KiB.
 */
qc_status qc_history_create(const struct qc_history_options *options,
                            struct qc_history **out_history);

/**
 * Ends a history: frees all that it holds, and makes its handle say QC_ERR_DESTROYED from now on.
 *
 * Parameters: `self` is the history, or NULL, which does nothing and answers QC_OK. All its entries, values and
 * value addresses are gone afterwards. Its allocator's `free` is called for every block, before the call returns.
 *
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no history; nothing was done.
 * QC_ERR_BUSY, QC_ERR_REENTRANT: another call is inside; nothing was done. It works on a poisoned history too.
 * QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same. Once `free` has panicked, in this
 * or an earlier call, the memory that is left is not given back.
 *
 * One thread at a time: keeping other threads out of the history while it is destroyed is the caller's duty. Takes
 * time in proportion to the memory held.
 */
qc_status qc_history_destroy(struct qc_history *self);

/**
 * Inserts a message, unless its key is live or in the history: duplicate check and insert in one probe.
 *
 * What a primary calls for each message that a producer puts.
 *
 * Parameters: `self` is the history. `key` is the message's identifier. `value` is `value_len` bytes to keep with
 * the entry, and `value_len` must be the history's `value_size`; NULL with 0 stands for a value of zeros. The bytes
 * are copied. `inserted_at_ns` is the time from which the window runs, at most `now_ns`; `now_ns` is the present;
 * both in ns of the caller's monotonic clock, -2^62 to 2^62. A `now_ns` smaller than one seen before counts as the
 * largest one seen. `out_result` gets the outcome and the entry: QC_ADDED and the new one; QC_DUPLICATE_LIVE and
 * the one that was there; or QC_DUPLICATE_HISTORY and 0. A duplicate changes no entry.
 *
 * Before it looks for the key, it collects expired entries as the policy says (`qc_gc_policy`).
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `key` or `out_result` is NULL, or `value` is NULL and `value_len` is not 0.
 * QC_ERR_INVALID_ARGUMENT: `value_len` is not `value_size`, or `out_result` is not aligned.
 * QC_ERR_OUT_OF_RANGE: `inserted_at_ns` is later than `now_ns`, or than the largest one seen if that is later.
 * QC_ERR_CLOCK: a time is outside -2^62 to 2^62, or `now_ns` is more than `max_clock_step_ns` ahead.
 * QC_ERR_CAPACITY: `max_entries` is reached, and no expired entry was found among the oldest 64 records.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * One thread at a time. Constant time at any size: growth moves a bounded number of entries per call
 * (`max_entries_moved_per_call`).
 */
qc_status qc_history_insert(struct qc_history *self,
                            const struct qc_key *key,
                            const void *value,
                            size_t value_len,
                            int64_t inserted_at_ns,
                            int64_t now_ns,
                            struct qc_insert_result *out_result);

/**
 * As `qc_history_insert`, but a key that is in the history becomes live again, last in the live order.
 *
 * What a replica, a proxy or a recovery calls. A live key is still QC_DUPLICATE_LIVE; the outcome is never
 * QC_DUPLICATE_HISTORY. The place of the old record is collected when its turn comes; until then `tombstones`
 * counts it.
 *
 * Parameters, statuses, thread rule and complexity: as for `qc_history_insert`.
 */
qc_status qc_history_readmit(struct qc_history *self,
                             const struct qc_key *key,
                             const void *value,
                             size_t value_len,
                             int64_t inserted_at_ns,
                             int64_t now_ns,
                             struct qc_insert_result *out_result);

/**
 * Removes a live entry and leaves no trace of it: the undo of an insert whose store write failed, so that the
 * producer's retry is QC_ADDED.
 *
 * Parameters: `self` is the history; `entry` is the live entry, which is stale afterwards.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_forget(struct qc_history *self,
                            qc_entry entry);

/**
 * Removes a key, live or historical, and leaves no trace of it.
 *
 * Parameters: `self` is the history; `key` is the key, which may stand in the value of its own entry.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `key` is NULL.
 * QC_ERR_NOT_FOUND: the key is neither live nor in the history, judged by the largest time seen.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_forget_key(struct qc_history *self,
                                const struct qc_key *key);

/**
 * Erases a live entry: its message is acknowledged. It leaves the live order, its value is gone, and its key is
 * remembered until its window ends; if that has ended already, nothing is kept. For a full history see `qc_overflow`.
 *
 * Parameters: `self` is the history. `entry` is the live entry, which is stale afterwards. `now_ns` is the present,
 * in ns of the caller's monotonic clock, -2^62 to 2^62. `out_erased` gets a `qc_erased`; NULL if it is not wanted.
 *
 * Afterwards it collects one expired entry, if the policy is QC_GC_STEADY.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_INVALID_ARGUMENT: `out_erased` is not aligned.
 * QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
 * QC_ERR_CAPACITY: `max_history` is reached, the overflow policy is QC_OVERFLOW_REJECT, and no expired entry was found
 * among the oldest 64 records; the entry stays live.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned; the entry stays
 * live, but with QC_OVERFLOW_EVICT_OLDEST another one may have been evicted for it. An erase needs memory in two rare
 * cases only: an eviction has passed over the entry, or its window had ended before `qc_history_clock_reset` set the
 * time back.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_erase(struct qc_history *self,
                           qc_entry entry,
                           int64_t now_ns,
                           uint32_t *out_erased);

/**
 * As `qc_history_erase`, for the live entry of a key.
 *
 * Parameters: `self` is the history; `key` is the key of a live entry, and may stand in its value; `now_ns` and
 * `out_erased` as there.
 *
 * Statuses as there, except that instead of QC_ERR_STALE_HANDLE there is QC_ERR_NOT_FOUND: the key is not live.
 * QC_ERR_NULL_ARGUMENT: `key` is NULL.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_erase_key(struct qc_history *self,
                               const struct qc_key *key,
                               int64_t now_ns,
                               uint32_t *out_erased);

/**
 * As many `qc_history_insert`, in the order of the arrays, with their cache misses overlapped.
 *
 * Parameters: `self` is the history. `keys` are `count` keys. `values` are `count * value_size` bytes, one value
 * after the other; NULL for values of zeros. `inserted_at_ns` are `count` times; NULL for `now_ns` each. `now_ns` is
 * the present. `out_results` gets `count` results. `out_done` gets how many elements are done. For units and ranges
 * see `qc_history_insert`. With `count` 0 only `out_done` must not be NULL. The arrays must not overlap each other.
 *
 * It stops at the first element that fails and answers that element's status. The elements before it are done and
 * stay done: `*out_done` of them, with their results written. This is one of the cases in which a call that fails has
 * changed and written something; it holds for what an element can fail with, QC_ERR_OUT_OF_RANGE, QC_ERR_CLOCK,
 * QC_ERR_CAPACITY, QC_ERR_NO_MEMORY and QC_ERR_CALLBACK (see `qc_history_insert`). After QC_ERR_PANIC any number of
 * elements may be done and any of the results written, but not `*out_done`; the history is poisoned. A call that
 * fails with any other status has done no element and written nothing.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `keys`, `out_results` or `out_done` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`; each element takes constant time.
 */
qc_status qc_history_insert_batch(struct qc_history *self,
                                  const struct qc_key *keys,
                                  const void *values,
                                  const int64_t *inserted_at_ns,
                                  size_t count,
                                  int64_t now_ns,
                                  struct qc_insert_result *out_results,
                                  size_t *out_done);

/**
 * As many `qc_history_readmit`, in the order of the arrays, with their cache misses overlapped.
 *
 * Parameters, statuses, what is done when an element fails, thread rule and complexity: as for
 * `qc_history_insert_batch`.
 */
qc_status qc_history_readmit_batch(struct qc_history *self,
                                   const struct qc_key *keys,
                                   const void *values,
                                   const int64_t *inserted_at_ns,
                                   size_t count,
                                   int64_t now_ns,
                                   struct qc_insert_result *out_results,
                                   size_t *out_done);

/**
 * As many `qc_history_contains`, with their cache misses overlapped.
 *
 * Parameters: `self` is the history; `keys` are `count` keys; `now_ns` is the present, in ns of the caller's
 * monotonic clock, -2^62 to 2^62; `out_presences` gets `count` numbers, each a `qc_presence`. With `count` 0 both
 * arrays may be NULL. The arrays must not overlap.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `keys` or `out_presences` is NULL. QC_ERR_INVALID_ARGUMENT: `out_presences` is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
 * After QC_ERR_PANIC any of the answers may be written.
 *
 * One thread at a time. Time in proportion to `count`.
 */
qc_status qc_history_contains_batch(struct qc_history *self,
                                    const struct qc_key *keys,
                                    size_t count,
                                    int64_t now_ns,
                                    uint32_t *out_presences);

/**
 * As many `qc_history_erase`, in the order of the array, with their cache misses overlapped.
 *
 * Parameters: `self` is the history; `entries` are `count` live entries; `now_ns` is the present, in ns of the
 * caller's monotonic clock, -2^62 to 2^62; `out_erased` gets `count` numbers, each a `qc_erased`, and may be NULL;
 * `out_done` gets how many elements are done. With `count` 0 only `out_done` must not be NULL. The arrays must not
 * overlap.
 *
 * It stops at the first element that fails and answers that element's status. The elements before it are done and
 * stay done: `*out_done` of them, with their answers written. An element can fail with QC_ERR_STALE_HANDLE,
 * QC_ERR_CLOCK, QC_ERR_CAPACITY, QC_ERR_NO_MEMORY or QC_ERR_CALLBACK (see `qc_history_erase`). After QC_ERR_PANIC any
 * number of elements may be done and any of the answers written, but not `*out_done`; the history is poisoned. A call
 * that fails with any other status has done no element and written nothing.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `entries` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`; each element takes constant time.
 */
qc_status qc_history_erase_batch(struct qc_history *self,
                                 const qc_entry *entries,
                                 size_t count,
                                 int64_t now_ns,
                                 uint32_t *out_erased,
                                 size_t *out_done);

/**
 * Finds the live entry of a key.
 *
 * Parameters: `self` is the history; `key` is the key; `out_entry` gets the live entry, or 0 if the key is not live.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `key` or `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: `out_entry` is not aligned.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_find(struct qc_history *self,
                          const struct qc_key *key,
                          qc_entry *out_entry);

/**
 * Tells whether a key is live, historical or neither.
 *
 * Parameters: `self` is the history; `key` is the key; `now_ns` is the present, in ns of the caller's monotonic
 * clock, -2^62 to 2^62; `out_presence` gets a `qc_presence`. A live key is QC_LIVE at any age; a historical one is
 * QC_ABSENT from the moment its window ends (`now_ns` equal to its insert time plus the window), unless the
 * history's visibility is QC_VISIBLE_UNTIL_COLLECTED.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `key` or `out_presence` is NULL. QC_ERR_INVALID_ARGUMENT: `out_presence` is not aligned.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_contains(struct qc_history *self,
                              const struct qc_key *key,
                              int64_t now_ns,
                              uint32_t *out_presence);

/**
 * The oldest live entry: the one that was inserted first.
 *
 * Parameters: `self` is the history; `out_entry` gets the entry, or 0 if none is live. To walk the live order, go on
 * with `qc_history_next`; to erase while walking, ask for the next entry first.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_first(struct qc_history *self,
                           qc_entry *out_entry);

/**
 * The newest live entry: the one that was inserted last.
 *
 * Parameters, statuses, thread rule and complexity: as for `qc_history_first`.
 */
qc_status qc_history_last(struct qc_history *self, qc_entry *out_entry);

/**
 * The live entry that was inserted after another.
 *
 * Parameters: `self` is the history; `entry` is a live entry; `out_entry` gets the next one, or 0 if `entry` is the
 * last.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_next(struct qc_history *self,
                          qc_entry entry,
                          qc_entry *out_entry);

/**
 * The live entry that was inserted before another.
 *
 * Parameters: `self` is the history; `entry` is a live entry; `out_entry` gets the one before, or 0 if `entry` is the
 * first.
 *
 * Statuses, thread rule and complexity: as for `qc_history_next`.
 */
qc_status qc_history_prev(struct qc_history *self,
                          qc_entry entry,
                          qc_entry *out_entry);

/**
 * The live entry that was inserted after that of a key: goes on where a walk stopped, by key.
 *
 * Parameters: `self` is the history; `key` is a live key; `out_entry` gets the next live entry, or 0 if the key's is the
 * last.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `key` or `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: `out_entry` is not aligned.
 * QC_ERR_NOT_FOUND: the key is not live.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_next_from(struct qc_history *self,
                               const struct qc_key *key,
                               qc_entry *out_entry);

/**
 * Where the value of a live entry stands.
 *
 * Parameters: `self` is the history; `entry` is a live entry; `out_value` gets the address of its `value_size` bytes,
 * which the caller may read and write; NULL if `value_size` is 0. The address is aligned to 16 if `value_size` is 16
 * or more, else to 8. It stays the same until the entry is erased, forgotten or cleared; then it is gone.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_value` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
 *
 * One thread at a time. The library never touches the bytes of a live entry, so other threads may use them while calls
 * run; order their accesses with the call that removes the entry. Constant time.
 */
qc_status qc_history_value(struct qc_history *self,
                           qc_entry entry,
                           void **out_value);

/**
 * The key, the insert time and the value's address of a live entry.
 *
 * Parameters: `self` is the history; `entry` is a live entry; `out_info` gets what is known of it. For the value's
 * address see `qc_history_value`.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_info` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_entry_info(struct qc_history *self,
                                qc_entry entry,
                                struct qc_entry_info *out_info);

/**
 * How many entries are live.
 *
 * Parameters: `self` is the history; `out_len` gets the number.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_len` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_live_len(struct qc_history *self,
                              uint64_t *out_len);

/**
 * How many historical entries are held, expired ones that are not collected yet included.
 *
 * Parameters, statuses, thread rule and complexity: as for `qc_history_live_len`.
 */
qc_status qc_history_history_len(struct qc_history *self, uint64_t *out_len);

/**
 * Collects expired entries, the oldest first.
 *
 * A host calls it on a timer: always with QC_GC_SCHEDULED, and with the other policies for histories that may be
 * idle. It stops at the first entry whose window has not ended. A live entry whose window has ended costs one step
 * once in its life, and never holds up what is behind it.
 *
 * Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62;
 * `max` is the most steps to take, 0 to any number; `out_result` gets how many entries were removed, and whether
 * another call would find work at once.
 *
 * To pass a live entry may need a little memory. Without it the call stops there and answers QC_OK all the same, with
 * `more` 0, since another call at once would be no use; a later one goes on.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
 *
 * One thread at a time. Time in proportion to the steps taken, at any size.
 */
qc_status qc_history_gc(struct qc_history *self,
                        int64_t now_ns,
                        uint64_t max,
                        struct qc_gc_result *out_result);

/**
 * Erases every live entry, as `qc_history_erase` does one: the purge of a queue, which keeps its history.
 *
 * Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62;
 * `out_count` gets how many entries were erased.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
 * QC_ERR_CAPACITY: with QC_OVERFLOW_REJECT, the entries do not all fit under `max_history`; nothing was erased.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for `qc_history_erase`. Some entries may be erased by then, the oldest first,
 * and stay erased; `qc_history_live_len` tells how many are left. Another call goes on with those.
 *
 * One thread at a time. Time in proportion to the live entries.
 */
qc_status qc_history_erase_all_live(struct qc_history *self,
                                    int64_t now_ns,
                                    uint64_t *out_count);

/**
 * Forgets everything, live and historical, and gives its memory back. Every entry handle is stale afterwards.
 *
 * Settings, the counters of `qc_history_stats` and the largest time seen stay.
 *
 * Parameters: `self` is the history.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 *
 * One thread at a time. Time in proportion to the memory held.
 */
qc_status qc_history_clear(struct qc_history *self);

/**
 * Forgets up to `max` entries, live ones first, then historical ones, oldest first: `qc_history_clear` in steps of a
 * bounded length.
 *
 * What is not forgotten yet is there as ever, and what is inserted meanwhile gets its turn like the rest. The place of
 * an entry that was forgotten or re-admitted before costs a step too.
 *
 * Parameters: `self` is the history; `max` is the most steps to take, 0 to any number; `out_result` gets in `collected`
 * how many entries were forgotten, and in `more` whether any are left.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * One thread at a time. Time in proportion to the steps taken, at any size.
 */
qc_status qc_history_clear_step(struct qc_history *self,
                                uint64_t max,
                                struct qc_gc_result *out_result);

/**
 * Changes how long keys are remembered. It applies at once to the insert times that are stored.
 *
 * After the window is lowered, keys that are older have expired, and collection takes them away in its usual steps.
 * After it is raised, keys that had not expired at the largest time seen are remembered for longer, and so are live
 * entries of any age once they are erased; what had expired stays so.
 *
 * Parameters: `self` is the history; `window_ns` is how long a key is remembered, from its insert, in ns: 0 (no
 * history) to 2^62. Rounded up to a multiple of the resolution.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_OUT_OF_RANGE: `window_ns` is negative or larger than 2^62.
 * QC_ERR_CAPACITY: it was raised 16 times while entries that had expired before were not collected: call
 * `qc_history_gc` first. Or the group is at its limit.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_set_window(struct qc_history *self,
                                int64_t window_ns);

/**
 * Sets the largest time seen to `now_ns`, forward or back: the way on after a true jump of the clock, which would
 * be QC_ERR_CLOCK or count as a clock that runs backwards.
 *
 * Entries keep their insert times.
 *
 * Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's clock, -2^62 to 2^62.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_clock_reset(struct qc_history *self,
                                 int64_t now_ns);

/**
 * Begins an iteration over all entries, live and historical, in the order of their inserts. One that is under way
 * ends.
 *
 * Parameters: `self` is the history.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK, QC_ERR_CAPACITY: the allocator gave nothing, or a block that is not aligned, or
 * the group is at its limit.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_iter_begin(struct qc_history *self);

/**
 * The next entries of the iteration.
 *
 * Parameters: `self` is the history; `out_items` gets up to `count` items, and may be NULL if `count` is 0; `out_done`
 * gets how many were written; `out_more` gets 1 if the iteration goes on, 0 if it is over. A call looks at no more than
 * four records for each of the `count` places, so that its time is bounded where many entries were forgotten: it may
 * write fewer items than there are places, or none, and go on all the same.
 *
 * Historical entries whose window has ended are left out. Other calls may come in between: an entry that is there all the
 * while comes exactly once, and again each time it is re-admitted after it came; one that comes or goes meanwhile may
 * come. Without an iteration under way it is over at once.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_items`, `out_done` or `out_more` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` items is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`.
 */
qc_status qc_history_iter_next(struct qc_history *self,
                               struct qc_history_item *out_items,
                               size_t count,
                               size_t *out_done,
                               uint32_t *out_more);

/**
 * Begins an export of all entries. One that is under way ends.
 *
 * Parameters: `self` is the history.
 *
 * Statuses, thread rule and complexity: as for `qc_history_iter_begin`.
 */
qc_status qc_history_export_begin(struct qc_history *self);

/**
 * Writes the next buffer of the export: as many entries as fit, in the order of their inserts, live ones with their
 * value, historical ones that are inside their window without.
 *
 * Each buffer stands for itself: it has a version, a number and a checksum, and `qc_history_import` takes it in as a
 * whole. docs/history.md tells its layout byte by byte.
 *
 * Parameters: `self` is the history; `buffer` has room for `len` bytes, 89 and the history's `value_size` at least;
 * `out_result` gets how many of them are to be kept, how many entries these hold, and whether another buffer follows.
 * A call looks at no more than four records for each 25 bytes of the buffer, so that its time is bounded where many
 * entries were forgotten: a buffer may hold few entries, or none, and not be the last.
 *
 * Other calls may come in between. What holds then is told at `qc_history_iter_next`: an entry that is there from the first to
 * the last call is exported once. To follow a history that goes on, note where the log of its calls stands when the
 * export begins, and replay them from there on after the import.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `buffer` or `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: `out_result` is not aligned.
 * QC_ERR_OVERFLOW: `len` is larger than an address space. QC_ERR_OUT_OF_RANGE: `len` is too small.
 * QC_ERR_NOT_BEGUN: no export was begun, or its last buffer was written.
 *
 * One thread at a time. Time in proportion to `len`.
 */
qc_status qc_history_export(struct qc_history *self,
                            void *buffer,
                            size_t len,
                            struct qc_export_result *out_result);

/**
 * Takes in the entries of one buffer of an export, with their original insert times.
 *
 * A live entry becomes live here, last in the live order, as by `qc_history_readmit`; a live key of this history stays as
 * it is. A historical one becomes historical, unless its key is live here or remembered for at least as long, or its
 * window has ended. Expired entries are collected as if each were inserted.
 *
 * Parameters: `self` is the history; `buffer` is `len` bytes that `qc_history_export` of a history with the same
 * `value_size` wrote, all of them; `now_ns` is the present; `shift_ns` is added to each insert time, any number: 0 if both
 * histories use one clock, else what this one's clock shows more than the other's (`qc_history_buffer_info` tells what
 * that one showed). `out_result` gets what was done.
 *
 * The buffers of an export come in order, from number 0, which may come at any time; the last one may come again.
 * The unit is the buffer: all of it is checked before anything is taken in. A call that fails with QC_ERR_CAPACITY,
 * QC_ERR_NO_MEMORY or QC_ERR_CALLBACK has taken in the first entries, which stay; `*out_result` tells how many. The same
 * buffer can be given again when there is room: entries that are there already count as `duplicates`. A call that
 * fails with any other status has changed and written nothing.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `buffer` or `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: `out_result` is not aligned.
 * QC_ERR_OVERFLOW: `len` is larger than an address space.
 * QC_ERR_BAD_BUFFER: the buffer is truncated, longer than it should be, changed, or not one of an export; or it is not
 * the next of its export.
 * QC_ERR_UNSUPPORTED: it is of a later version of the library.
 * QC_ERR_OUT_OF_RANGE: the exporter's `value_size` is another, or a shifted insert time is later than the present.
 * QC_ERR_CLOCK: `now_ns` or a shifted insert time is outside -2^62 to 2^62, or `now_ns` is more than
 * `max_clock_step_ns` ahead.
 * QC_ERR_CAPACITY: `max_entries`, `max_history` or the limit of the group is reached.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * One thread at a time. Time in proportion to `len`.
 */
qc_status qc_history_import(struct qc_history *self,
                            const void *buffer,
                            size_t len,
                            int64_t now_ns,
                            int64_t shift_ns,
                            struct qc_import_result *out_result);

/**
 * Checks a buffer of an export as `qc_history_import` does, and tells what stands at its beginning.
 *
 * Parameters: `buffer` is `len` bytes; `out_info` gets what it says.
 *
 * QC_ERR_NULL_ARGUMENT: `buffer` or `out_info` is NULL. QC_ERR_INVALID_ARGUMENT: `out_info` is not aligned.
 * QC_ERR_OVERFLOW: `len` is larger than an address space.
 * QC_ERR_BAD_BUFFER: it is truncated, longer than it should be, changed, or not one of an export.
 * QC_ERR_UNSUPPORTED: it is of a later version of the library.
 *
 * Any thread. Time in proportion to `len`.
 */
qc_status qc_history_buffer_info(const void *buffer, size_t len, struct qc_buffer_info *out_info);

/**
 * Fills the settings of a group with their defaults.
 *
 * Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_history_group_options)` as the caller knows it, 4
 * to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
 *
 * QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
 * `struct_size` is out of its range.
 *
 * Any thread. Constant time.
 */
qc_status qc_history_group_options_init(struct qc_history_group_options *out_options,
                                        size_t struct_size);

/**
 * Makes a group of histories, empty. A history joins it by `group` of its options, and leaves it when it is destroyed.
 *
 * A broker has thousands of queues on one thread, most of them idle. In a group they share the seed of the key hash,
 * the allocator, a limit on all their bytes, a cache of the blocks that one of them gives back and the next needs, and
 * `qc_history_group_gc_many`, which costs nothing for those that have nothing to collect.
 *
 * The group and its histories take **one thread at a time together**: while a call on one of them runs, a call on another
 * of them is refused, QC_ERR_BUSY from another thread, QC_ERR_REENTRANT from a callback.
 *
 * Parameters: `options` are the settings, from `qc_history_group_options_init`; they are copied, except that the callback
 * contexts must stay good until the group is destroyed. `out_group` gets the handle, which is the caller's to give to
 * `qc_history_group_destroy` at the end, after the histories.
 *
 * QC_ERR_NULL_ARGUMENT: `options` or `out_group` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, `reserved` is not 0, or only one
 * of `alloc` and `free` is set.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 * QC_ERR_CAPACITY: `limit_bytes` is too small for the group itself, or all 16,777,152 handles of the process are in use.
 *
 * Any thread. Constant time.
 */
qc_status qc_history_group_create(const struct qc_history_group_options *options,
                                  struct qc_history_group **out_group);

/**
 * Ends a group, and makes its handle say QC_ERR_DESTROYED from now on. Its histories have to be destroyed before.
 *
 * Parameters: `self` is the group, or NULL, which does nothing and answers QC_OK. Its allocator's `free` is called for
 * every block, before the call returns.
 *
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no group; nothing was done.
 * QC_ERR_BUSY, QC_ERR_REENTRANT: a call on it or on one of its histories is running; nothing was done.
 * QC_ERR_IN_USE: it still has histories; nothing was done.
 * QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same.
 *
 * One thread at a time. Takes time in proportion to the blocks that it keeps.
 */
qc_status qc_history_group_destroy(struct qc_history_group *self);

/**
 * Collects what has expired in all histories of a group, round robin: each that is due takes up to 64 steps, then it is
 * the turn of the one that has waited longest.
 *
 * Histories that have nothing to collect are not looked at and cost nothing, however many they are. Those that are
 * are told the time. `now_ns` counts as told to all others as well, as far as `max_clock_step_ns` is concerned: a history whose
 * group is collected from a timer may be idle for days.
 *
 * Parameters: `self` is the group; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62, the
 * same clock for all its histories; `max` is the most steps to take in all, 0 to any number, where a history that is
 * looked at takes one at least; `out_result` gets how many entries were removed, and whether another call would find
 * work at once.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED: see the head of this file.
 * QC_ERR_PANIC: a callback of one of the histories panicked; that one is poisoned, others had their turn.
 * QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than the group's `max_clock_step_ns` ahead.
 *
 * One thread at a time, with the histories of the group. Time in proportion to the steps taken, times the logarithm of
 * the number of histories that hold something.
 */
qc_status qc_history_group_gc_many(struct qc_history_group *self,
                                   int64_t now_ns,
                                   uint64_t max,
                                   struct qc_gc_result *out_result);

/**
 * Sets the largest time that the group was told to `now_ns`, forward or back: the way on after a true jump of the clock.
 *
 * Its histories accept a time that the group was told, so after a jump forward they need nothing. After one back each of them
 * has to be told as well (`qc_history_clock_reset`).
 *
 * Parameters: `self` is the group; `now_ns` is the present, in ns of the caller's clock, -2^62 to 2^62.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62.
 *
 * One thread at a time, with the histories of the group. Constant time forward, back in proportion to the histories.
 */
qc_status qc_history_group_clock_reset(struct qc_history_group *self,
                                       int64_t now_ns);

/**
 * The figures of a group.
 *
 * Parameters: `self` is the group; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
 * many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond them stay
 * as they are.
 *
 * With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back, and the few
 * hundred bytes of the group itself.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * One thread at a time, with the histories of the group. Constant time.
 */
qc_status qc_history_group_stats(struct qc_history_group *self,
                                 struct qc_history_group_stats *inout_stats);

/**
 * The figures of a history.
 *
 * Parameters: `self` is the history; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and
 * gets as many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond
 * them stay as they are.
 *
 * With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_history_stats(struct qc_history *self,
                           struct qc_history_stats *inout_stats);

/**
 * Fills the settings of a tracker with their defaults.
 *
 * Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_usage_options)` as the caller knows it, 4
 * to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
 *
 * QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
 * `struct_size` is out of its range.
 *
 * Any thread. Constant time.
 */
qc_status qc_usage_options_init(struct qc_usage_options *out_options,
                                size_t struct_size);

/**
 * Makes a tracker without a parent: the root of a tree of its own.
 *
 * Parameters: `options` are the settings, from `qc_usage_options_init`; they are copied, except that the callback context
 * must stay good: see `alloc_ctx`. `out_usage` gets the handle, which is the caller's to
 * give to `qc_usage_destroy` at the end. A handle is a number, not an address: nothing can be read through it.
 *
 * An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
 * wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
 *
 * QC_ERR_NULL_ARGUMENT: `options` or `out_usage` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, only one of `alloc` and `free` is
 * set, `release` is set without them, or `share_ppm` is set, for which there has to be a parent.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there, or `reserved` is not 0.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. With callbacks in the
 * options, a few dozen bytes that keep them come from the process; if it has none left, it ends.
 * QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use.
 *
 * Any thread. Constant time; a quiet tracker takes 256 bytes, and each tree about 512 more.
 */
qc_status qc_usage_create(const struct qc_usage_options *options,
                          struct qc_usage **out_usage);

/**
 * Makes a tracker below another one: whatever it counts, that one and all above it count too.
 *
 * A tracker stays what it is by its own handle while it has children: destroying it takes off what it counted itself, and
 * leaves it as a level for its children until the last of them is destroyed. With its first child a tracker gets a hidden
 * one that counts its own part; so make the first child before the tracker's own operations, or while none of them runs:
 * one that runs at that moment may be counted in the total and not in its own part.
 *
 * Parameters: `parent` is the tracker above, of the same tree from now on; `options` are the settings, see
 * `qc_usage_create`: memory comes from the allocator of the root, so `alloc`, `free`, `release` and `max_stripes` must
 * be 0.
 * `out_usage` gets the handle.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file; they are about `parent`.
 * QC_ERR_NULL_ARGUMENT, QC_ERR_UNSUPPORTED, QC_ERR_OUT_OF_RANGE, QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for
 * `qc_usage_create`.
 * QC_ERR_INVALID_ARGUMENT: also if `share_ppm` and `limit_bytes` are both set, or a setting that is the root's.
 * QC_ERR_CAPACITY: the tree has 2^20 trackers (hidden ones included) or 16 levels, or as for `qc_usage_create`.
 *
 * Any thread. Takes the tree's lock; constant time, but for a recall of what `parent` has lent with its first child.
 */
qc_status qc_usage_create_child(struct qc_usage *parent,
                                const struct qc_usage_options *options,
                                struct qc_usage **out_usage);

/**
 * Ends a tracker, and makes its handle say QC_ERR_DESTROYED from now on.
 *
 * What it still counted itself (its children's part aside) is taken off every level above; but while cursors use it, it
 * stays counted until the last of them is destroyed. Waits on it end with QC_ERR_DESTROYED, and notices that were asked
 * for on it are called with that. Other calls that run on it end first, as if they had come before. Parents and children
 * may be destroyed in any order, and stopping first is not needed.
 *
 * Parameters: `self` is the tracker, or NULL, which does nothing and answers QC_OK. `out_residual_bytes` gets what was
 * taken off, in bytes; NULL if it is of no interest. With NULL as `self` it is not written.
 *
 * QC_ERR_INVALID_ARGUMENT: `out_residual_bytes` is not aligned.
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no tracker; nothing was done. Of two threads that
 * destroy the same one, one gets QC_ERR_DESTROYED. It works on a poisoned tracker too.
 * QC_ERR_NO_MEMORY: this is the thread's first call, and there are no 128 bytes for it; nothing was done.
 * QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same, some memory may be lost.
 *
 * Any thread, also while other threads are inside calls on it or wait on it, and from within listeners and notices. From
 * an allocator's callback of another tree it takes effect when the call that allocates ends, and what is answered is what
 * was counted at the time. An allocator's callback must not wait for a thread that destroys a tracker.
 *
 * Takes the tree's lock, some microseconds for a barrier that all threads of the process pass, and time in proportion to
 * the threads that have ever called, the tracker's active stripes and those who wait in the tree.
 */
qc_status qc_usage_destroy(struct qc_usage *self,
                           int64_t *out_residual_bytes);

/**
 * Counts more, here and on every level above. Never blocks for want of space, and never refuses for it.
 *
 * Parameters: `self` is the tracker; `amount_bytes` is 0, which does nothing, to 2^56.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56. QC_ERR_LEVEL: a level would be above 2^61.
 *
 * Any thread. Usually one exchange on a line of this processor's own, and no line that others write; at worst the tree's
 * lock, one shared line for each level, and one for each active stripe below a level that is crossed.
 */
qc_status qc_usage_increase(struct qc_usage *self,
                            uint64_t amount_bytes);

/**
 * Counts less, here and on every level above. A level below zero is counted and shown like any other.
 *
 * Parameters: `self` is the tracker; `amount_bytes` is 0, which does nothing, to 2^56.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56. QC_ERR_LEVEL: a level would be below -2^61.
 *
 * Any thread. Cost as of `qc_usage_increase`.
 */
qc_status qc_usage_decrease(struct qc_usage *self,
                            uint64_t amount_bytes);

/**
 * Counts more if it fits under the limit of every level, behind everybody who waits with a reservation; otherwise
 * changes nothing, and nobody sees a trace of it.
 *
 * Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `out_admitted` gets 1 if it was
 * counted, else 0. A level below zero makes no more room than an empty one.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_admitted` is NULL. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
 *
 * Any thread. Cost as of `qc_usage_increase`; near a limit the tree's lock, and a recall of what is lent below it.
 */
qc_status qc_usage_try_reserve(struct qc_usage *self,
                               uint64_t amount_bytes,
                               uint8_t *out_admitted);

/**
 * Sets what the tracker itself counts, its children's part aside; the levels above follow by the same change, and
 * percents, events and waiters by theirs.
 *
 * Parameters: `self` is the tracker; `usage_bytes` is -2^56 to 2^56. Operations of other threads that run meanwhile are
 * counted or overwritten.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `usage_bytes` is outside its range. QC_ERR_LEVEL: a level would leave -2^61 to 2^61.
 *
 * Any thread. The tree's lock, one shared line for each level and for each active stripe of the tracker.
 */
qc_status qc_usage_set_usage(struct qc_usage *self,
                             int64_t usage_bytes);

/**
 * As `qc_usage_try_reserve`, but waits for its turn, first come, first served: what becomes free is held for the first in
 * line.
 *
 * Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `timeout_ns` is the most time to
 * wait, in ns; 0 only tries, negative waits without end.
 *
 * QC_OK: the amount is counted. After any other answer nothing is.
 * QC_ERR_TIMED_OUT: it did not come to its turn in time.
 * QC_ERR_STOPPED: the tracker, or one above it, is stopped, or was while it waited.
 * QC_ERR_DESTROYED: the tracker is destroyed, or was while it waited.
 * QC_ERR_NEVER_FITS: it is larger than the limit of some level. QC_ERR_LEVEL: what waits together would leave the range
 * of a level. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 *
 * Any thread. Without waiting as `qc_usage_increase`; waiting needs no memory, and the tree's lock each time it wakes.
 */
qc_status qc_usage_reserve_wait(struct qc_usage *self,
                                uint64_t amount_bytes,
                                int64_t timeout_ns);

/**
 * As `qc_usage_reserve_wait`, without a thread that waits: what does not fit now stands in the same line, and a function is
 * called once, when it is counted.
 *
 * Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `notice` is the function, `ctx` is
 * handed to it as it is; `out_ticket` gets 0 if the amount is counted now, and `notice` will not be called; else a number
 * above 0: `notice` will be called, exactly once, perhaps before this call returns, unless `qc_usage_reserve_cancel` takes
 * the reservation back by that number. No other reservation of the tree ever has it.
 *
 * QC_OK: see `out_ticket`. After any other answer nothing is counted, and `notice` will not be called.
 * QC_ERR_STOPPED: the tracker, or one above it, is stopped.
 * QC_ERR_NEVER_FITS: it is larger than the limit of some level. QC_ERR_LEVEL: what waits together would leave the range
 * of a level. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `notice` or `out_ticket` is NULL. QC_ERR_INVALID_ARGUMENT: `out_ticket` is not aligned.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * Any thread. Cost as of `qc_usage_try_reserve`.
 */
qc_status qc_usage_reserve_notify(struct qc_usage *self,
                                  uint64_t amount_bytes,
                                  qc_usage_notice_fn notice,
                                  void *ctx,
                                  uint64_t *out_ticket);

/**
 * Takes a reservation of `qc_usage_reserve_notify`, or a notice of `qc_usage_space_notify`, out of the line.
 *
 * Parameters: `self` is the tracker that it was asked of; `ticket` is the number that was given out, or any other, which
 * finds nothing; `out_cancelled` gets 1 if it stood in line: nothing is counted for it, and its notice will not be called;
 * else 0: its notice was called, or will be in a moment.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_cancelled` is NULL.
 *
 * Any thread. The tree's lock, and time in proportion to those who wait in the tree.
 */
qc_status qc_usage_reserve_cancel(struct qc_usage *self,
                                  uint64_t ticket,
                                  uint8_t *out_cancelled);

/**
 * Waits until every limited level, from the tracker up, is below a percent of its own limit. Nothing is held for whoever
 * waits: all wake together.
 *
 * Parameters: `self` is the tracker; `timeout_ns` is the most time to wait for all levels together, in ns; 0 only looks,
 * negative waits without end; `percent` is 1 or more.
 *
 * QC_OK: every level was below it at some moment of the call.
 * QC_ERR_TIMED_OUT: it did not happen in time.
 * QC_ERR_STOPPED: the tracker, or one above it, is stopped, or was while it waited.
 * QC_ERR_DESTROYED: the tracker is destroyed, or was while it waited.
 * QC_ERR_OUT_OF_RANGE: `percent` is below 1.
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 *
 * Any thread. Waiting needs no memory, and the tree's lock each time it wakes.
 */
qc_status qc_usage_wait_for_space(struct qc_usage *self,
                                  int64_t timeout_ns,
                                  int32_t percent);

/**
 * Has a function called once when no level, from the tracker up, is full any more. If none is full now, it is not called,
 * and the answer says so.
 *
 * Parameters: `self` is the tracker; `notice` is the function, `ctx` is handed to it as it is; `out_registered` gets 1 if
 * it will be called, exactly once, perhaps before this call returns; 0 if nothing is full, and it will not.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `notice` or `out_registered` is NULL.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. `notice` will not be
 * called.
 *
 * Any thread. The tree's lock if a level is full.
 */
qc_status qc_usage_notify_when_not_full(struct qc_usage *self,
                                        qc_usage_notice_fn notice,
                                        void *ctx,
                                        uint8_t *out_registered);

/**
 * As `qc_usage_notify_when_not_full`, when every limited level is below a percent of its own limit.
 *
 * Parameters: `percent` is 1 or more; the others as there.
 *
 * QC_ERR_OUT_OF_RANGE: `percent` is below 1. All else as there.
 *
 * Any thread. The tree's lock if a level is at `percent` or more.
 */
qc_status qc_usage_notify_when_below(struct qc_usage *self,
                                     int32_t percent,
                                     qc_usage_notice_fn notice,
                                     void *ctx,
                                     uint8_t *out_registered);

/**
 * As `qc_usage_notify_when_below`, with a number by which the notice can be taken back (`qc_usage_reserve_cancel`) and asked
 * after (`qc_usage_is_in_line`).
 *
 * Parameters: `out_ticket` gets 0 if every level is below `percent` now, and `notice` will not be called; else a number above
 * 0: `notice` will be called, exactly once, perhaps before this call returns, unless it is taken back. Nothing else that
 * waits in the tree ever has that number. The others as there.
 *
 * QC_ERR_NULL_ARGUMENT: `notice` or `out_ticket` is NULL. QC_ERR_INVALID_ARGUMENT: `out_ticket` is not aligned. All else as
 * there.
 *
 * Any thread. The tree's lock if a level is at `percent` or more.
 */
qc_status qc_usage_space_notify(struct qc_usage *self,
                                int32_t percent,
                                qc_usage_notice_fn notice,
                                void *ctx,
                                uint64_t *out_ticket);

/**
 * Whether what has a ticket still stands in line.
 *
 * Parameters: `self` is the tracker that it was asked of; `ticket` is the number that `qc_usage_reserve_notify` or
 * `qc_usage_space_notify` gave out, or any other, which finds nothing; `out_in_line` gets 1 if it stands in line: what it waits
 * for has not come up to now; else 0: it was taken back, or its notice was called, or will be in a moment.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_in_line` is NULL.
 *
 * Any thread. The tree's lock, and time in proportion to those who wait in the tree.
 */
qc_status qc_usage_is_in_line(struct qc_usage *self,
                              uint64_t ticket,
                              uint8_t *out_in_line);

/**
 * Lets waits begin again after `qc_usage_stop`. A tracker is made started.
 *
 * Parameters: `self` is the tracker.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 *
 * Any thread. The tree's lock.
 */
qc_status qc_usage_start(struct qc_usage *self);

/**
 * Ends all waits and notices here and below with QC_ERR_STOPPED, and answers new waits so. Everything else goes on.
 *
 * Parameters: `self` is the tracker.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 *
 * Any thread. The tree's lock, and time in proportion to those who wait in the tree.
 */
qc_status qc_usage_stop(struct qc_usage *self);

/**
 * The percent of the tracker's own limit that is used, truncated to a multiple of its step; 0 if it is unlimited.
 *
 * Parameters: `self` is the tracker; `out_percent` gets the percent, negative for a level below zero.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_percent` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * Any thread. Usually two lines read and no shared line written; while nobody keeps the percent, the tree's lock at worst.
 */
qc_status qc_usage_percent(struct qc_usage *self,
                           int32_t *out_percent);

/**
 * Whether the tracker, or one above it, is at 100 percent or more.
 *
 * Parameters: `self` is the tracker; `out_full` gets 1 or 0.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_full` is NULL.
 *
 * Any thread. One line read for each level, none written.
 */
qc_status qc_usage_is_full(struct qc_usage *self,
                           uint8_t *out_full);

/**
 * Whether the tracker, or one above it, is at a percent or more of its own limit, by its own step. Unlimited ones never
 * are.
 *
 * Parameters: `self` is the tracker; `percent` is any number; `out_full` gets 1 or 0.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_full` is NULL.
 *
 * Any thread. One line read for each level; for a level whose percent nobody keeps, the tree's lock at worst.
 */
qc_status qc_usage_is_full_at(struct qc_usage *self,
                              int32_t percent,
                              uint8_t *out_full);

/**
 * Whether the percent reached the upper mark and has not been below the lower one since: `qc_usage_set_marks`.
 *
 * Parameters: `self` is the tracker; `out_over` gets 1 or 0.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_over` is NULL.
 *
 * Any thread. One line read, none written.
 */
qc_status qc_usage_is_over_mark(struct qc_usage *self,
                                uint8_t *out_over);

/**
 * What is counted, in bytes. Exact while nobody writes; otherwise operations that run at the same time count or not.
 *
 * Parameters: `self` is the tracker; `out_usage_bytes` gets the number, negative if more was taken off than put on.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_usage_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * Any thread. One line read if nothing is lent below; otherwise the tree's lock, and one line read for each active stripe.
 */
qc_status qc_usage_usage(struct qc_usage *self,
                         int64_t *out_usage_bytes);

/**
 * What is counted at one moment during the call, whoever writes. It recalls all that is lent below: not for every message.
 *
 * Parameters: `self` is the tracker; `out_usage_bytes` gets the number.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_usage_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * Any thread. The tree's lock, one shared line for each level and for each active stripe below.
 */
qc_status qc_usage_usage_exact(struct qc_usage *self,
                               int64_t *out_usage_bytes);

/**
 * The limit in bytes; 0 means unlimited.
 *
 * Parameters: `self` is the tracker; `out_limit_bytes` gets the number.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_limit_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * Any thread. One line read, none written.
 */
qc_status qc_usage_limit(struct qc_usage *self,
                         uint64_t *out_limit_bytes);

/**
 * Sets a limit. A share of the parent's limit is given up. Percents, events and waiters follow, and the limits of those
 * below that have a share of this one.
 *
 * Parameters: `self` is the tracker; `limit_bytes` is up to 2^62; 0 means unlimited.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `limit_bytes` is larger than 2^62.
 *
 * Any thread. The tree's lock, and one shared line for each active stripe and each tracker below.
 */
qc_status qc_usage_set_limit(struct qc_usage *self,
                             uint64_t limit_bytes);

/**
 * Takes a share of the parent's limit instead of a limit, now and whenever that changes.
 *
 * Parameters: `self` is the tracker; `share_ppm` is 1 to 1,000,000 parts per million.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `share_ppm` is outside its range. QC_ERR_INVALID_ARGUMENT: the tracker is a root.
 *
 * Any thread. Cost as of `qc_usage_set_limit`.
 */
qc_status qc_usage_set_share(struct qc_usage *self,
                             uint32_t share_ppm);

/**
 * Sets the step in which percents count.
 *
 * Parameters: `self` is the tracker; `min_delta_percent` is 1 or more.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: `min_delta_percent` is 0.
 *
 * Any thread. The tree's lock, and one shared line for each active stripe below.
 */
qc_status qc_usage_set_min_delta(struct qc_usage *self,
                                 uint32_t min_delta_percent);

/**
 * Sets the pair of percents of `qc_usage_is_over_mark`: over the upper one a tracker is over its mark, and stays so until
 * it is below the lower one.
 *
 * Parameters: `self` is the tracker; `low_percent` and `high_percent` are 1 or more, the first not above the second.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_OUT_OF_RANGE: a percent is below 1. QC_ERR_INVALID_ARGUMENT: `low_percent` is above `high_percent`.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * Any thread. The tree's lock.
 */
qc_status qc_usage_set_marks(struct qc_usage *self,
                             int32_t low_percent,
                             int32_t high_percent);

/**
 * Removes the marks: the tracker is over none from now on.
 *
 * Parameters: `self` is the tracker.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 *
 * Any thread. The tree's lock.
 */
qc_status qc_usage_clear_marks(struct qc_usage *self);

/**
 * Has a function called with every percent step from now on; nothing is told now. It takes the place of the listener or
 * the polling that was there; steps that wait to be delivered go to it, but for up to four that are on their way to the
 * old listener already.
 *
 * Parameters: `self` is the tracker; `listener` is the function, `ctx` is handed to it as it is; `release`, or NULL, is
 * called once with `ctx` when `listener` is not called any more: after another listener took its place or events were
 * cleared, or after the tracker, and its last child, was destroyed. If this call fails, `ctx` stays the caller's and
 * `release` is not called.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `listener` is NULL.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. A few dozen bytes that
 * keep the callback come from the process; if it has none left, it ends.
 *
 * Any thread. The tree's lock, and one shared line for each active stripe below.
 */
qc_status qc_usage_set_listener(struct qc_usage *self,
                                qc_usage_listener_fn listener,
                                void *ctx,
                                qc_release_fn release);

/**
 * Keeps percent steps for `qc_usage_poll_events` from now on, those that wait to be delivered included. It takes the
 * place of a listener.
 *
 * Parameters: `self` is the tracker.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
 *
 * Any thread. The tree's lock, and one shared line for each active stripe below.
 */
qc_status qc_usage_keep_events(struct qc_usage *self);

/**
 * Ends the events of this tracker. Those that wait to be delivered are gone; a listener may be running still, in another
 * thread, and up to four that are on their way to it already are still told. The end is when `release` is called.
 *
 * Parameters: `self` is the tracker.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 *
 * Any thread. The tree's lock, and one shared line for each active stripe below.
 */
qc_status qc_usage_clear_events(struct qc_usage *self);

/**
 * Takes the events of all trackers of this tree that keep them, each one's in order, as many as fit. Whoever polls alone
 * and gets fewer than `capacity` has them all.
 *
 * Parameters: `self` is any tracker of the tree; `out_events` gets up to `capacity` events, NULL is fine if that is 0;
 * `out_count` gets how many.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_events` or `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_OVERFLOW: `capacity` events are larger than an address space.
 *
 * Any thread. The tree's lock for each 64 events.
 */
qc_status qc_usage_poll_events(struct qc_usage *self,
                               struct qc_usage_event *out_events,
                               size_t capacity,
                               size_t *out_count);

/**
 * A descriptor that is readable while there are events to poll in the tree: for poll, select and epoll.
 *
 * Parameters: `self` is any tracker of the tree; `out_descriptor` gets the descriptor. It is the tree's, the same each
 * time, and good until the last tracker of the tree is destroyed: neither read nor close it.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_descriptor` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_NO_DESCRIPTOR: the system gave none; qc_last_error() has its error number. Systems other than Linux give none.
 *
 * Any thread. The tree's lock, and a call of the system the first time.
 */
qc_status qc_usage_event_descriptor(struct qc_usage *self,
                                    int32_t *out_descriptor);

/**
 * The figures of a tracker.
 *
 * Parameters: `self` is the tracker; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and
 * gets as many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond
 * them stay as they are.
 *
 * With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * Any thread. The tree's lock, and time in proportion to the active stripes below and those who wait in the tree.
 */
qc_status qc_usage_stats(struct qc_usage *self,
                         struct qc_usage_stats *inout_stats);

/**
 * The children of a tracker at one moment, in no particular order: as many as fit.
 *
 * Parameters: `self` is the tracker; `out_children` has room for `capacity` children, NULL is fine if that is 0; the room
 * that is left over is filled with zeros. `out_count` gets how many children there are, which may be more than
 * `capacity`: then call again with more room. A child without a handle that has children itself is one of them.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_children` or `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_OVERFLOW: `capacity` children are larger than an address space.
 *
 * Any thread. The tree's lock, and time in proportion to the children and the active stripes below.
 */
qc_status qc_usage_children(struct qc_usage *self,
                            struct qc_usage_child *out_children,
                            size_t capacity,
                            size_t *out_count);

/**
 * The layout of a tracker's memory in the loaded library.
 *
 * Never NULL. The struct is static: it stays valid, and the same, for as long as the library is loaded. Any thread, at any
 * time. Constant time.
 */
const struct qc_usage_layout *qc_usage_layout(void);

/**
 * The address of a tracker's memory, laid out as `qc_usage_layout` says.
 *
 * It stays valid until the tracker is destroyed. Whoever uses it has the duty that calls take off a caller's hands: no
 * thread may be using it when `qc_usage_destroy` is called. Whoever cannot see to that takes `qc_usage_keep_node`.
 *
 * Parameters: `self` is the tracker; `out_node` gets the address.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_node` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 *
 * Any thread. Constant time.
 */
qc_status qc_usage_node(struct qc_usage *self,
                        const void **out_node);

/**
 * As `qc_usage_node`, and keeps the memory: the address stays good until the hold is destroyed, whatever becomes of the
 * tracker, so threads may use it while and after another one calls `qc_usage_destroy`.
 *
 * After that (and once no cursor uses the tracker any more) the stripes are empty and stay so, hence counting comes to the
 * library, which answers QC_ERR_DESTROYED. Percent and state stay as they were last, unless the tracker has children. Until
 * the hold is destroyed as well, the tracker's memory is in use, and it stands among its parent's children.
 *
 * Parameters: `self` is the tracker; `out_hold` gets the hold, for `qc_usage_hold_destroy`; `out_node` gets the address.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_hold` or `out_node` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_CAPACITY, QC_ERR_NO_MEMORY: there is no handle for it, as for `qc_usage_create`.
 *
 * Any thread. The tree's lock; constant time.
 */
qc_status qc_usage_keep_node(struct qc_usage *self,
                             struct qc_usage_hold **out_hold,
                             const void **out_node);

/**
 * Ends a hold. If the tracker is destroyed too, and has no children, its memory goes back.
 *
 * Parameters: `self` is the hold, or NULL, which does nothing and answers QC_OK.
 *
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no hold; nothing was done.
 * QC_ERR_PANIC: the `free` callback panicked; the hold is destroyed all the same, some memory may be lost.
 *
 * Any thread, but none that uses the address still. The tree's lock; constant time.
 */
qc_status qc_usage_hold_destroy(struct qc_usage_hold *self);

/**
 * Fills a policy with the defaults.
 *
 * Parameters: `out_policy` is what to fill; `struct_size` is `sizeof(qc_cursor_policy)` as the caller knows it, 4 to 4096.
 * No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
 *
 * QC_ERR_NULL_ARGUMENT: `out_policy` is NULL. QC_ERR_INVALID_ARGUMENT: `out_policy` is not aligned, or `struct_size` is
 * out of its range.
 *
 * Any thread. Constant time.
 */
qc_status qc_cursor_policy_init(struct qc_cursor_policy *out_policy,
                                size_t struct_size);

/**
 * Fills the settings of a cursor with their defaults.
 *
 * Parameters and statuses: as for `qc_cursor_policy_init`, with `out_options` and `sizeof(qc_cursor_options)`.
 *
 * Any thread. Constant time.
 */
qc_status qc_cursor_options_init(struct qc_cursor_options *out_options,
                                 size_t struct_size);

/**
 * Fills a table of functions with its defaults: no function is set.
 *
 * Parameters and statuses: as for `qc_cursor_policy_init`, with `out_store` and `sizeof(qc_store)`.
 *
 * Any thread. Constant time.
 */
qc_status qc_store_init(struct qc_store *out_store, size_t struct_size);

/**
 * Fills the settings of a group with their defaults.
 *
 * Parameters and statuses: as for `qc_cursor_policy_init`, with `out_options` and `sizeof(qc_cursor_group_options)`.
 *
 * Any thread. Constant time.
 */
qc_status qc_cursor_group_options_init(struct qc_cursor_group_options *out_options,
                                       size_t struct_size);

/**
 * Makes a group without cursors.
 *
 * Parameters: `options` are the settings; `parent` is the tracker above those of the cursors, of which the group is an
 * owner beside its handle; `out_group` gets the handle, which is the caller's to give to `qc_cursor_group_destroy`.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED: they are about `parent`.
 * QC_ERR_NULL_ARGUMENT: `options` or `out_group` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, `divides_limit` is neither 0 nor 1,
 * only one of `alloc` and `free` is set, or `release` is set without them.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
 * QC_ERR_OUT_OF_RANGE: `max_lent_bytes`.
 * QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use.
 * QC_ERR_NO_MEMORY: the process has no memory for a handle. About 200 bytes of the group itself come from the process; if
 * it has none left, it ends.
 *
 * Any thread. Constant time.
 */
qc_status qc_cursor_group_create(const struct qc_cursor_group_options *options,
                                 struct qc_usage *parent,
                                 struct qc_cursor_group **out_group);

/**
 * Ends a group's handle, which says QC_ERR_DESTROYED from now on. Its cursors keep the group and go on as before; the last
 * of them ends it.
 *
 * Parameters: `self` is the group, or NULL, which does nothing and answers QC_OK.
 *
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no group; nothing was done. Of two threads that
 * destroy the same one, one gets QC_ERR_DESTROYED. It works on a poisoned group too.
 * QC_ERR_REENTRANT: the call comes from an allocator's callback; nothing was done.
 * QC_ERR_NO_MEMORY: this is the thread's first call of its kind, and there are no 128 bytes for it; nothing was done.
 * QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same.
 *
 * Any thread, also while other threads are inside calls with it. Some microseconds for a barrier that all threads of the
 * process pass.
 */
qc_status qc_cursor_group_destroy(struct qc_cursor_group *self);

/**
 * The figures of a group.
 *
 * Parameters: `self` is the group; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
 * many whole fields as fit into it (`members` and `waiting` together). Its `struct_size` afterwards is how many bytes were
 * filled; bytes beyond them stay as they are.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
 * head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * Any thread. The group's lock; constant time.
 */
qc_status qc_cursor_group_stats(struct qc_cursor_group *self,
                                struct qc_cursor_group_stats *inout_stats);

/**
 * Makes a cursor over an empty queue; see `qc_cursor_open` for one that the store already holds messages of.
 *
 * Parameters: `options` are the settings, from `qc_cursor_options_init`; `policy` is the policy, from
 * `qc_cursor_policy_init`, or NULL for the default one; `usage` is this queue's own tracker; `group`, or NULL, is what the
 * cursors below the tracker's parent share: without one the parent is not looked at. `store` is the host's store, from
 * `qc_store_init`. All are copied, except that the contexts of callbacks must stay good until the cursor is destroyed.
 * `out_cursor` gets the handle, which is the caller's to give to `qc_cursor_destroy` at the end.
 *
 * The cursor is an owner of the tracker beside its handle, and of the group. Destroying those handles first is fine: what
 * the cursor has charged stays counted, above too, and is taken off when it is released or the cursor is destroyed. So is
 * stopping a tracker, which ends the host's waits alone.
 *
 * An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
 * wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED: they are about `usage`
 * or `group`.
 * QC_ERR_NULL_ARGUMENT: `options`, `store`, its `fetch` or `out_cursor` is NULL.
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, a `struct_size` is not 4 to 4096, an enum value is unknown, a field
 * that says yes or no is neither 0 nor 1, only one of `alloc` and `free` is set, or `low_percent` is above `high_percent`.
 * QC_ERR_UNSUPPORTED: a struct is larger than this version knows and not zero there, or `reserved` is not 0.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. About 300 bytes that
 * may outlive the handle come from the process; if it has none left, it ends.
 * QC_ERR_CAPACITY: the group has 2^20 cursors, or all 16,777,152 handles of the process are in use.
 *
 * Any thread. Constant time; in a group that divides its limit, time in proportion to its cursors.
 */
qc_status qc_cursor_create(const struct qc_cursor_options *options,
                           const struct qc_cursor_policy *policy,
                           struct qc_usage *usage,
                           struct qc_cursor_group *group,
                           const struct qc_store *store,
                           struct qc_cursor **out_cursor);

/**
 * Ends a cursor: gives back all memory, takes off what it has charged, and makes its handle say QC_ERR_DESTROYED from now
 * on. The messages stay what they are in the store.
 *
 * Parameters: `self` is the cursor, or NULL, which does nothing and answers QC_OK. The store is not told to discard what
 * was in memory: its bodies are the host's, who knows that it ends the queue. Its allocator's `free` is called for every
 * block, before the call returns.
 *
 * QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no cursor; nothing was done.
 * QC_ERR_BUSY, QC_ERR_REENTRANT: another call is inside; nothing was done. It works on a poisoned cursor too.
 * QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same. Once `free` has panicked, in this
 * or an earlier call, the memory that is left is not given back.
 *
 * One thread at a time: keeping other threads out of the cursor while it is destroyed is the caller's duty. Takes time in
 * proportion to the memory held; in a group that divides its limit, also to its cursors.
 */
qc_status qc_cursor_destroy(struct qc_cursor *self);

/**
 * Tells a new cursor what the store already holds: after a restart. Before every other call, once.
 *
 * Parameters: `self` is the cursor; `pending_count` messages are pending, of `pending_bytes` together; `last_sequence` is
 * the last one's sequence or a later one, `pending_count` to 2^64-2: what is pushed comes behind it.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_INVALID_ARGUMENT: another call has used the cursor before. QC_ERR_OUT_OF_RANGE: `last_sequence`.
 *
 * One thread at a time. Constant time: nothing is loaded.
 */
qc_status qc_cursor_open(struct qc_cursor *self,
                         uint64_t pending_count,
                         uint64_t pending_bytes,
                         uint64_t last_sequence);

/**
 * Takes note of a message that the broker has handed to its store. Tokens rise from push to push, and sequences with
 * them, as far as they are known.
 *
 * Parameters: `self` is the cursor; `message` is the message; `out_pushed` gets a `qc_pushed`, which says whether its body
 * stays in memory.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `message` or `out_pushed` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned, or
 * `message->write` is no qc_write. QC_ERR_UNSUPPORTED: `message->reserved` is not 0.
 * QC_ERR_ORDER: the token is not above the last one, or the sequence not above all that are known, or 2^64-1.
 * QC_ERR_CAPACITY: `max_open_writes` are open. QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing for the record
 * of an open write, or a block that is not aligned. Then the message is not taken note of, and has to be pushed again
 * before any other. (Without memory for an entry alone the message is QC_STORED: the store has it.)
 * QC_ERR_LEVEL: a level of the tracker would be above 2^61; it has to be pushed again before any other, too.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_push(struct qc_cursor *self,
                         const struct qc_message *message,
                         uint32_t *out_pushed);

/**
 * As many `qc_cursor_push`, in the order of the array.
 *
 * Parameters: `self` is the cursor; `messages` are `count` messages; `out_pushed` gets `count` numbers, each a
 * `qc_pushed`; `out_done` gets how many messages are done. With `count` 0 only `out_done` must not be NULL. The arrays
 * must not overlap.
 *
 * It stops at the first message that fails and answers that message's status (see `qc_cursor_push`). Those before it are
 * done and stay done: `*out_done` of them, with their answers written. After QC_ERR_PANIC any number of messages may be
 * done and any of the answers written, but not `*out_done`; the cursor is poisoned. A call that fails with a status about
 * its own arguments has done nothing and written nothing.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `messages`, `out_pushed` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`; each message takes constant time.
 */
qc_status qc_cursor_push_batch(struct qc_cursor *self,
                               const struct qc_message *messages,
                               size_t count,
                               uint32_t *out_pushed,
                               size_t *out_done);

/**
 * The store has a message whose write was open.
 *
 * Parameters: `self` is the cursor; `token` is the message's; `sequence` is its place in the queue.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND: no open write has this token: it was never pushed as one, or it was answered.
 * QC_ERR_ORDER: the sequence does not fit between those of the messages pushed before and after, or is not the one
 * announced.
 *
 * One thread at a time. Constant time when answers come in order, or tokens have no gaps; else in proportion to the writes
 * that are open.
 */
qc_status qc_cursor_committed(struct qc_cursor *self,
                              uint64_t token,
                              uint64_t sequence);

/**
 * As many `qc_cursor_committed`, in the order of the arrays: for a store that commits by batch.
 *
 * Parameters: `self` is the cursor; `tokens` and `sequences` are `count` numbers each; `out_done` gets how many are done.
 * With `count` 0 only `out_done` must not be NULL.
 *
 * It stops at the first element that fails and answers that element's status, QC_ERR_NOT_FOUND or QC_ERR_ORDER (see
 * `qc_cursor_committed`). Those before it are done and stay done: `*out_done` of them. A call that fails with any other
 * status has done nothing and written nothing, except that after QC_ERR_PANIC any number may be done.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `tokens`, `sequences` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`, each as for `qc_cursor_committed`.
 */
qc_status qc_cursor_committed_batch(struct qc_cursor *self,
                                    const uint64_t *tokens,
                                    const uint64_t *sequences,
                                    size_t count,
                                    size_t *out_done);

/**
 * The store has given up a write: the message is gone and its charge with it, even if it was delivered uncommitted.
 * A sequence that was announced for it is not used again: what is pushed later has a larger one.
 *
 * Parameters: `self` is the cursor; `token` is the message's; `out_released` gets what was released, or NULL.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND: no open write has this token: it was never pushed as one, or it was answered.
 * QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
 *
 * One thread at a time. Cost as of `qc_cursor_committed`.
 */
qc_status qc_cursor_aborted(struct qc_cursor *self,
                            uint64_t token,
                            struct qc_released *out_released);

/**
 * Gives out up to `demand` messages, as many as `out_messages` has room for, in order: priority descending, then sequence,
 * among those in the window. If those do not do, it takes at most one page from the store, as the policy allows. The
 * messages are in flight until `qc_cursor_ack`, `qc_cursor_requeue`, `qc_cursor_park` or `qc_cursor_remove`.
 *
 * Parameters: `self` is the cursor; `demand` is how many the consumers want, any number; `round` is a `qc_round`;
 * `out_messages` has room for `capacity` messages, NULL is fine if that is 0; `out_pulled` gets how many were written and
 * why the pull ended. A demand or capacity of 0 gives nothing out: with QC_ROUND_BEGIN it begins a new round, and this
 * cursor wants no loan of the guaranteed share any more, so that its turn is passed on; `on_ready` still comes for the pull
 * that was blocked.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_messages` or `out_pulled` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned, or `round` is
 * no qc_round. QC_ERR_OVERFLOW: `capacity` messages are larger than an address space.
 * Only when nothing was given out, and the pull can be repeated, as what is pending is as before:
 * QC_ERR_STORE: the store's `fetch` failed. QC_ERR_BAD_FETCH: it broke its word. The next fetch asks for fewer messages, so
 * that what lies before one that cannot be read gets out.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing for the page, or a block that is not aligned.
 * QC_ERR_LEVEL: a level of the tracker would be above 2^61. After these, messages in nobody's hands may have left memory to
 * make room for the page, as by `qc_cursor_drop_cache`.
 *
 * One thread at a time. Time in proportion to the messages given out and paged in; O(log n) more, amortised, for each that
 * was put back.
 */
qc_status qc_cursor_pull(struct qc_cursor *self,
                         uint32_t demand,
                         uint32_t round,
                         struct qc_delivered *out_messages,
                         size_t capacity,
                         struct qc_pulled *out_pulled);

/**
 * Writes what is pending behind the sequence `after`, in order of sequence: at most a page, committed messages only, those
 * in flight included. It asks the store alone and charges nothing. Go on with the answer's `after` while its `more` is
 * set, even if its `count` is 0.
 *
 * Parameters: `self` is the cursor; `after` is 0 for the front of the queue; `out_messages` has room for `capacity`
 * messages, NULL is fine if that is 0; `out_browsed` gets what was done. The `user` of what is written is the store's, and
 * its body the caller's to let go.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_messages` or `out_browsed` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
 * QC_ERR_OVERFLOW: `capacity` messages are larger than an address space.
 * QC_ERR_STORE, QC_ERR_BAD_FETCH, QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for `qc_cursor_pull`.
 *
 * One thread at a time. Time in proportion to the messages fetched.
 */
qc_status qc_cursor_browse(struct qc_cursor *self,
                           uint64_t after,
                           struct qc_stored *out_messages,
                           size_t capacity,
                           struct qc_browsed *out_browsed);

/**
 * A message in flight is done with: it leaves the window and its charge is released.
 *
 * Parameters: `self` is the cursor; `sequence` names the message; `out_released` gets what was released, or NULL.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND: no message of the window has this sequence. QC_ERR_NOT_IN_FLIGHT: it was requeued or parked, or not
 * pulled yet. QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_ack(struct qc_cursor *self,
                        uint64_t sequence,
                        struct qc_released *out_released);

/**
 * As many `qc_cursor_ack`, in the order of the array.
 *
 * Parameters: `self` is the cursor; `sequences` are `count` numbers; `out_released` gets `count` answers, or is NULL;
 * `out_done` gets how many are done. With `count` 0 only `out_done` must not be NULL. The arrays must not overlap.
 *
 * It stops at the first element that fails and answers that element's status, QC_ERR_NOT_FOUND or QC_ERR_NOT_IN_FLIGHT.
 * Those before it are done and stay done: `*out_done` of them, with their answers written. A call that fails with any other
 * status has done nothing and written nothing, except that after QC_ERR_PANIC any number may be done.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `sequences` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
 * QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
 *
 * One thread at a time. Time in proportion to `count`; each takes constant time.
 */
qc_status qc_cursor_ack_batch(struct qc_cursor *self,
                              const uint64_t *sequences,
                              size_t count,
                              struct qc_released *out_released,
                              size_t *out_done);

/**
 * A message in flight goes back to its place in the order, with one more redelivery.
 *
 * Parameters: `self` is the cursor; `sequence` names the message.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT: as for `qc_cursor_ack`.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_requeue(struct qc_cursor *self,
                            uint64_t sequence);

/**
 * A message in flight that no consumer took is put aside: pulls with QC_ROUND_CONTINUE leave it alone, the next round
 * offers it at its place. It stays in memory, and no redelivery is counted.
 *
 * Parameters: `self` is the cursor; `sequence` names the message.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT: as for `qc_cursor_ack`.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_park(struct qc_cursor *self,
                         uint64_t sequence);

/**
 * A message is gone: expired, purged or moved; in memory or not, in flight or not.
 *
 * One that the window does not hold is believed to be in the store, which must not return it from now on; nor may it
 * return one that was removed from the window before its write was answered, once that is.
 *
 * Parameters: `self` is the cursor; `sequence` names the message; `stored_bytes` is its size, for the figure
 * `pending_bytes` alone, if the window does not hold it; `out_released` gets what was released, or NULL.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NOT_FOUND: the message has left the window, or its write is open and the window does not hold it, or not under
 * this sequence yet. QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
 *
 * One thread at a time. Constant time, or in proportion to the open writes for a message behind one.
 */
qc_status qc_cursor_remove(struct qc_cursor *self,
                           uint64_t sequence,
                           uint32_t stored_bytes,
                           struct qc_released *out_released);

/**
 * Removes what is pending up to the oldest open write and is in no consumer's hands, without fetching any of it: the first
 * call all that lies beyond the window, at once, and each call up to `max_messages` of the window. Those of the window that
 * were in memory are told to the store's `discard`, so that the host can let go of their bodies.
 *
 * Go on with the answer's `up_to` while its `more` is set; other calls may come in between, and what is pushed meanwhile
 * stays, while what is requeued or parked before the last call goes as well. Then the host deletes from its store what is
 * up to `up_to` and not in flight when the last call has answered, with one operation of its own; until it has, its `fetch`
 * may return it. A host that deletes earlier also deletes what comes back between the calls.
 *
 * Parameters: `self` is the cursor; `up_to` is 0 to begin a purge, or what the purge's first call answered; `max_messages`
 * is how many messages of the window to remove at most, any number; `out_purged` gets what was removed.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `out_purged` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
 * QC_ERR_OUT_OF_RANGE: `up_to` is not one that a purge has answered.
 *
 * One thread at a time. Time in proportion to `max_messages` and to the messages in flight.
 */
qc_status qc_cursor_purge(struct qc_cursor *self,
                          uint64_t up_to,
                          uint32_t max_messages,
                          struct qc_purged *out_purged);

/**
 * Gives back the memory of all messages that nobody has in hand; they stay pending, at their places, and a page brings
 * them back. Caching ends until the store has nothing beyond the window. Each is told to the store's `discard`, in no
 * particular order, so that the host can let go of its body.
 *
 * Parameters: `self` is the cursor; `out_dropped` gets what was given back, or NULL.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_INVALID_ARGUMENT: `out_dropped` is not aligned.
 *
 * One thread at a time. Time in proportion to the window.
 */
qc_status qc_cursor_drop_cache(struct qc_cursor *self,
                               struct qc_dropped *out_dropped);

/**
 * Has a function called when a pull that was blocked can make progress: because messages were acknowledged, a write was
 * answered, the parent's level fell, or a turn of the guaranteed share came. It takes the place of the one before.
 *
 * Parameters: `self` is the cursor; `ready` is the function, or NULL to have none; `ctx` is handed to it as it is;
 * `release`, or NULL, is called once with `ctx` when `ready` is not called any more: after another one took its place or
 * the cursor was destroyed, and no call of it is running. `ctx` must stay good until then. If this call fails, `ctx` stays
 * the caller's and `release` is not called; with NULL as `ready` it is called before this returns.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * A few dozen bytes that keep the callback come from the process; if it has none left, it ends.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_on_ready(struct qc_cursor *self,
                             qc_ready_fn ready,
                             void *ctx,
                             qc_release_fn release);

/**
 * Takes on a new policy, at once: the next push and pull go by it. What is in memory stays.
 *
 * Parameters: `self` is the cursor; `policy` is the new policy, see `qc_cursor_policy_init`; `qc_cursor_get_policy` gives
 * the present one.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `policy` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned, its `struct_size` is not 4 to 4096, a
 * field that says yes or no is neither 0 nor 1, or `low_percent` is above `high_percent`.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there, or `reserved` is not 0.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field. The old policy stays.
 *
 * One thread at a time. Constant time; in proportion to the open writes if `deliver_uncommitted` is new.
 */
qc_status qc_cursor_set_policy(struct qc_cursor *self,
                               const struct qc_cursor_policy *policy);

/**
 * Sets the pair of marks, at once; the rest of the policy stays.
 *
 * Parameters: `self` is the cursor; `low_percent` and `high_percent` are 1 to 100 percent of the tracker's limit, the
 * first not above the second.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_OUT_OF_RANGE: a percent. QC_ERR_INVALID_ARGUMENT: `low_percent` is above `high_percent`. The old pair stays.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_set_marks(struct qc_cursor *self,
                              uint32_t low_percent,
                              uint32_t high_percent);

/**
 * The present policy.
 *
 * Parameters: `self` is the cursor; `inout_policy` has its `struct_size` set to the room there is, 8 to 4096, and gets as
 * much of the policy as fits, in whole eights of bytes. Its `struct_size` afterwards is how many bytes were filled.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_policy` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_get_policy(struct qc_cursor *self,
                               struct qc_cursor_policy *inout_policy);

/**
 * Looks again whether a blocked pull can make progress, and calls the ready callback if so: after something changed that
 * the cursor could not see, as the tracker's limit, which the host has raised.
 *
 * Parameters: `self` is the cursor.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_refresh(struct qc_cursor *self);

/**
 * The figures of a cursor. Asking changes nothing.
 *
 * Parameters: `self` is the cursor; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
 * many whole fields as fit into it (`is_caching` and `is_filling` together). Its `struct_size` afterwards is how many bytes
 * were filled; bytes beyond them stay as they are.
 *
 * With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back.
 *
 * QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
 * QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
 * QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
 * QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
 *
 * One thread at a time. Constant time.
 */
qc_status qc_cursor_stats(struct qc_cursor *self,
                          struct qc_cursor_stats *inout_stats);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* QUEUECORE_H */
