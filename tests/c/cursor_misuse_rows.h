/* One row for each exported function of the cursor: how to call it rightly, and which of its arguments can be broken. The
   misuse tests walk this table; one of them fails when the header has a function without a row. */

#ifndef QUEUECORE_TEST_CURSOR_MISUSE_ROWS_H
#define QUEUECORE_TEST_CURSOR_MISUSE_ROWS_H

#include "cursor_support.h"

#define CURSOR_NO_ARGUMENT (-1)
enum { CURSOR_ARGUMENTS = 4, CURSOR_OUTPUT = 256 };

/* What a call is given and where its answers go. */
typedef struct cursor_frame {
  size_t count;
  int null_argument;       /* which pointer is NULL, in the order of the row's arguments */
  int misaligned_argument; /* which pointer is off by one */
  union cursor_outputs {
    unsigned char bytes[CURSOR_ARGUMENTS * CURSOR_OUTPUT];
    uint64_t aligned;
  } outputs;
  unsigned char armed[CURSOR_ARGUMENTS * CURSOR_OUTPUT]; /* the outputs as they were before the call */
} cursor_frame;

typedef struct cursor_argument {
  const char *name; /* NULL ends the list */
  int may_be_null;
} cursor_argument;

enum cursor_traits {
  CURSOR_COUNT = 1,     /* takes a count of elements */
  CURSOR_NULL_SELF = 2, /* NULL as the handle is a no-op */
  CURSOR_FRESH = 4,     /* only for a cursor that was not used before */
  CURSOR_SILENT = 8     /* has pointers but writes nothing */
};

typedef struct cursor_row {
  const char *function;
  qc_status (*call)(qc_cursor *self, cursor_frame *frame); /* NULL: takes no cursor, see own_test */
  unsigned traits;
  cursor_argument arguments[CURSOR_ARGUMENTS];
  void (*own_test)(void **state);
} cursor_row;

extern const cursor_row cursor_rows[];
extern const size_t cursor_row_count;

/* A queue in which 1, 2 and 3 are in flight, 4 and 5 in memory, and the writes of 6 and 7 open. */
void misuse_queue_open(test_queue *queue, unsigned traits);
cursor_frame cursor_right_frame(void);
/* After a refused call: no output was written. */
void cursor_check_untouched(const cursor_row *row, const cursor_frame *frame, const char *file, int line);
#define assert_cursor_untouched(row, frame) cursor_check_untouched((row), (frame), __FILE__, __LINE__)

/* Tests of the functions that take no cursor; in cursor_free_functions.c. */
void cursor_inits_row(void **state);
void cursor_create_row(void **state);
void cursor_group_create_row(void **state);
void cursor_group_stats_row(void **state);
void cursor_group_destroy_row(void **state);

#endif
