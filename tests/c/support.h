/* Shared by the C tests: checks that say what the library said, keys and options in few words, and an
   allocator that counts, fails and misbehaves on demand. C99 that is also C++17, since every C test is
   built by both compilers. */

#ifndef QUEUECORE_TEST_SUPPORT_H
#define QUEUECORE_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" { /* which the header forgets for some of its functions */
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#include <queuecore.h>

#ifdef __cplusplus
#define QC_CAST(type, value) static_cast<type>(value)
#else
#define QC_CAST(type, value) ((type)(value))
#endif

/* One tick of the default resolution, in ns. */
#define TICK_NS INT64_C(1000)
#define TIME_MAX_NS (INT64_C(1) << 62)
#define ENTRIES_MAX UINT64_C(2147483647)

void check_status(qc_status got, qc_status want, const char *call, const char *file, int line);
#define assert_status(call, want) check_status((call), (want), #call, __FILE__, __LINE__)
#define assert_ok(call) assert_status(call, QC_OK)

/* The detail of the last error has to have this in it. */
void check_error_names(const char *word, const char *file, int line);
#define assert_error_names(word) check_error_names((word), __FILE__, __LINE__)

/* Key number n; different n, different keys. */
qc_key key_of(uint64_t n);

/* Options with a window in ticks of 1000 ns, a fixed seed and no value. */
qc_history_options options_of(int64_t window_ticks);
qc_history *create_of(const qc_history_options *options);
qc_history *create_window(int64_t window_ticks);

/* One call in few words, times in ticks. The entry goes to *entry when that is not NULL. */
qc_outcome put(qc_history *history, uint64_t key, int64_t at, int64_t now, qc_entry *entry);
qc_outcome readmit(qc_history *history, uint64_t key, int64_t at, int64_t now, qc_entry *entry);
qc_presence seen(qc_history *history, uint64_t key, int64_t now);
qc_erased erase_entry(qc_history *history, qc_entry entry, int64_t now);
qc_erased erase_key(qc_history *history, uint64_t key, int64_t now);
qc_entry found(qc_history *history, uint64_t key);
uint64_t live_len(qc_history *history);
uint64_t history_len(qc_history *history);
/* gc in ticks; checks both fields of the answer. */
void gc_expect(qc_history *history, int64_t now, uint64_t max, uint64_t collected, int more, const char *file,
               int line);
#define assert_gc(history, now, max, collected, more) \
  gc_expect((history), (now), (max), (collected), (more), __FILE__, __LINE__)

/* The counters as they stand. */
typedef struct qc_history_stats stats_of;
stats_of stats(qc_history *history);

/* Everything a caller can see of a history without changing it: counters, live order, keys, times, values.
   Equal digests before and after a refused call show that nothing changed. */
uint64_t digest(qc_history *history, size_t value_size);
/* The same without what a call that runs out of memory may have done already: collected what nobody sees any
   more, and got a part of the memory that the next try needs. */
uint64_t digest_of_entries(qc_history *history, size_t value_size);

/* An allocator whose books must balance. */
typedef struct host_memory {
  uint64_t allocations;
  uint64_t deallocations;
  uint64_t bytes;
  uint64_t asked;          /* calls of alloc, refused ones included */
  uint64_t fail_at;        /* that call (1 = the first) gets NULL; 0 = none */
  uint64_t fail_from;      /* that call and all later ones get NULL; 0 = none */
  uint64_t misalign_at;    /* that call gets a block that is off by one; 0 = none */
  uint64_t wrong_frees;    /* blocks that were not ours, or came back with another size or alignment */
  void (*on_alloc)(void *);
  void (*on_free)(void *);
  void *on_ctx;
  struct host_block *blocks;
} host_memory;

void host_attach(host_memory *memory, qc_history_options *options);
/* Everything came back, each block once and as it was given. */
void host_check_balanced(const host_memory *memory, const char *file, int line);
#define assert_balanced(memory) host_check_balanced((memory), __FILE__, __LINE__)

#endif
