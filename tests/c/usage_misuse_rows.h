/* One row for each exported function of the usage meter: how to call it rightly, and which of its arguments can be
   broken. The misuse tests walk this table; one of them fails when the header has a function without a row. */

#ifndef QUEUECORE_TEST_USAGE_MISUSE_ROWS_H
#define QUEUECORE_TEST_USAGE_MISUSE_ROWS_H

#include "usage_support.h"

#define USAGE_NO_ARGUMENT (-1)

/* What a call is given and where its answers go. */
typedef struct usage_frame {
  qc_usage_options options;
  uint64_t amount;
  size_t capacity;
  int32_t percent;
  int null_argument;       /* which pointer is NULL, in the order of the row's arguments */
  int misaligned_argument; /* which pointer is off by one */
  size_t count;
  union usage_outputs {
    unsigned char bytes[512];
    uint64_t aligned;
  } outputs;
  unsigned char armed[512]; /* the outputs as they were before the call */
} usage_frame;

typedef struct usage_argument {
  const char *name; /* NULL ends the list */
  int may_be_null;
  int has_alignment;
} usage_argument;

enum usage_traits {
  USAGE_AMOUNT = 1,   /* takes an amount, up to 2^56 */
  USAGE_PERCENT = 2,  /* takes a percent from 1 up */
  USAGE_CAPACITY = 4, /* takes a count of elements */
  USAGE_NULL_SELF = 8 /* NULL as the handle is a no-op */
};

typedef struct usage_row {
  const char *function;
  qc_status (*call)(qc_usage *self, usage_frame *frame); /* NULL: takes no tracker, see own_test */
  unsigned traits;
  const char *self; /* how words name the handle */
  usage_argument arguments[3];
  void (*own_test)(void **state);
} usage_row;

extern const usage_row usage_rows[];
extern const size_t usage_row_count;

/* A child at 100 of 1000 bytes below a root at 100 of 2000, and a frame with which every row succeeds. */
typedef struct usage_fixture {
  qc_usage *root;
  qc_usage *usage;
  host_memory memory;
  usage_frame frame;
} usage_fixture;

void usage_open(usage_fixture *fixture);
void usage_close(usage_fixture *fixture);
/* Everything a caller can see of both trackers. Equal ones before and after a refused call show that nothing changed. */
uint64_t usage_digest(const usage_fixture *fixture);
/* After a refused call: no output was written. */
void usage_check_untouched(const usage_row *row, const usage_frame *frame, const char *file, int line);
#define assert_usage_untouched(row, frame) usage_check_untouched((row), (frame), __FILE__, __LINE__)

/* Tests of the functions that take no tracker; in usage_free_functions.c. */
void usage_options_init_row(void **state);
void usage_create_row(void **state);
void usage_layout_row(void **state);
void usage_hold_destroy_row(void **state);

#endif
