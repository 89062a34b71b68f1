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
 *   - batches, and qc_history_erase_all_live, stop at the first element that fails, and say themselves what is done by
 *     then.
 * qc_last_error() tells in words what was wrong with which argument of this thread's last failed call.
 *
 * Handles. A qc_history pointer is a handle, not an address: it is only good for handing back. The library looks it
 * up, in release builds too, so that a wrong one is a status and nothing else happens:
 *     QC_ERR_NULL_HANDLE       it is NULL
 *     QC_ERR_FOREIGN_HANDLE    it was never given out: a stray address, a number, overwritten bits
 *     QC_ERR_WRONG_PART        it belongs to another part of the library
 *     QC_ERR_DESTROYED         it was destroyed; a handle never comes twice
 *     QC_ERR_BUSY              another thread is inside a call on it
 *     QC_ERR_REENTRANT         this thread is: the call comes from one of the object's own callbacks
 *     QC_ERR_POISONED          an earlier call on it ended in QC_ERR_PANIC; destroy works, nothing else
 *     QC_ERR_PANIC             a defect of the library; the handle is poisoned, and a block of memory that the call
 *                              had just got may be lost
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
 * duty. "Any thread": no rule.
 *
 * Time. The library never looks at a clock. Times are int64_t nanoseconds of one monotonic clock of the caller's, from
 * any origin, negative too, within -2^62 to 2^62. A history remembers the largest now_ns that it was given: a smaller
 * one counts as that one (clock_regressions), and one that is more than max_clock_step_ns ahead of it is refused with
 * QC_ERR_CLOCK, since it is more likely a mistake than an hour without a call. Where it is not, see max_clock_step_ns.
 *
 * Structs that grow begin with struct_size, the caller's sizeof. So a program that was compiled against an older or a
 * newer header keeps working: fields that the program does not know take their defaults, and fields that the library
 * does not know must be zero (QC_ERR_UNSUPPORTED otherwise). Pointers must be aligned for what they point to.
 *
 * Callbacks must not throw, longjmp or end the thread, and must not call back into the object that calls them. A panic
 * or an exception that leaves a callback ends the process (queuecore.hpp wraps callbacks, so that an exception reaches
 * the C++ caller instead; and in a Rust program that links this library as a crate, not as a C library, a callback
 * that panics is QC_ERR_PANIC).
 *
 * Memory. Every byte that grows with entries comes from the allocator callbacks if there are any. Exempt are 64 bytes
 * per handle, 512 bytes of text per thread, and a few dozen bytes per object that keep the callbacks; if the process
 * lacks these few dozen in a _create, it ends.
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
     * The handle was destroyed.
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
     * A limit is reached: `max_entries`, `max_history`, or the number of handles.
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
     * The key is not there.
     */
    QC_ERR_NOT_FOUND = 18,
    /**
     * A callback broke its word: it returned a block that is not aligned as asked. In C++, also: it threw.
     */
    QC_ERR_CALLBACK = 19,
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
 * An insertion-ordered map of live messages and the history of those that left it lately. One handle, one thread at
 * a time: calls of two threads that overlap are found out and refused.
 */
typedef struct qc_history qc_history;

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
 * QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, an enum value is unknown, or
 * only one of `alloc` and `free` is set.
 * QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
 * QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
 * QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. With callbacks in the
 * options, a few dozen bytes that keep them come from the process; if it has none left, it ends.
 * QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use.
 *
 * Any thread. Constant time; an empty history takes less than 1 KiB.
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* QUEUECORE_H */
