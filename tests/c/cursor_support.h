/* Shared by the C tests of the cursor: a store in an array that fails and misbehaves on demand, a queue that is made of
   tracker, group, store and cursor, and calls in few words. */

#ifndef QUEUECORE_TEST_CURSOR_SUPPORT_H
#define QUEUECORE_TEST_CURSOR_SUPPORT_H

#include "usage_support.h"

typedef struct qc_cursor_stats cursor_stats_of;
typedef struct qc_cursor_group_stats group_stats_of;

enum { STORE_ROOM = 512 };

/* What the next fetches do. */
typedef enum store_mood {
  STORE_WELL,
  STORE_FAILS,          /* answers `code` after having written what it has */
  STORE_COUNTS_TOO_MANY,/* says one more than there is room for */
  STORE_OUT_OF_ORDER,   /* twice the first message */
  STORE_BELOW,          /* a message that is not above `after` */
  STORE_BEYOND,         /* a message above `up_to` */
  STORE_TOO_LARGE       /* two messages, together larger than asked for */
} store_mood;

typedef struct test_store {
  qc_stored messages[STORE_ROOM];
  size_t count;
  store_mood mood;
  int32_t code;
  uint64_t fetches;
  uint64_t discarded;
  void (*on_fetch)(void *ctx);
  void (*on_discard)(void *ctx);
  void *on_ctx;
} test_store;

/* The table of functions over it. */
qc_store store_table(test_store *store);
/* Adds a message behind all others; `user` is its sequence. */
void store_add(test_store *store, uint64_t sequence, uint32_t size_bytes);
void store_delete(test_store *store, uint64_t sequence);

qc_cursor_options cursor_options_of(void);
qc_cursor_policy policy_of(void);
qc_cursor_group_options group_options_of(void);

/* A queue: a child of 1000 bytes below a root of 10,000, a group, a store, a cursor; the books of each part's memory. */
typedef struct test_queue {
  qc_usage *root;
  qc_usage *usage;
  qc_cursor_group *group;
  qc_cursor *cursor;
  test_store store;
  host_memory usage_memory;
  host_memory group_memory;
  host_memory memory;
  int ready_calls;
  int ready_releases;
} test_queue;

void queue_open(test_queue *queue, const qc_cursor_policy *policy);
/* All parts end, and every byte is back. */
void queue_close(test_queue *queue);

/* Stores and pushes a message whose write is done: a qc_pushed. */
uint32_t queue_push(test_queue *queue, uint64_t sequence, uint32_t size_bytes);
/* Pushes one whose write is open. */
uint32_t queue_push_open(test_queue *queue, uint64_t token, uint32_t size_bytes);
/* Pulls up to `demand` (at most 64) messages, and checks that they are these, in this order, ended by -1. */
void queue_expect(test_queue *queue, uint32_t demand, uint32_t end, uint32_t blocked, const int *sequences,
                  const char *file, int line);
#define expect_pull(queue, demand, end, blocked, ...)                                   \
  do {                                                                                  \
    const int expected_[] = {__VA_ARGS__, -1};                                          \
    queue_expect((queue), (demand), (end), (blocked), expected_, __FILE__, __LINE__);   \
  } while (0)
#define expect_no_pull(queue, end, blocked)                                             \
  do {                                                                                  \
    const int expected_[] = {-1};                                                       \
    queue_expect((queue), 10, (end), (blocked), expected_, __FILE__, __LINE__);         \
  } while (0)

cursor_stats_of cursor_figures(qc_cursor *cursor);
group_stats_of group_figures(qc_cursor_group *group);
/* Everything a caller can see of a cursor and its tracker. Equal ones before and after a refused call show that nothing
   changed. */
uint64_t queue_digest(test_queue *queue);

#endif
