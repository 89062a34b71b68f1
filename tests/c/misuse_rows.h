/* One row for each exported function: how to call it rightly, and which of its arguments can be broken.
   The misuse tests walk this table; one of them fails when the header has a function without a row. */

#ifndef QUEUECORE_TEST_MISUSE_ROWS_H
#define QUEUECORE_TEST_MISUSE_ROWS_H

#include "support.h"

#define MISUSE_VALUE_SIZE 16
#define MISUSE_NO_ARGUMENT (-1)
#define MISUSE_DONE_UNTOUCHED 12345

/* What a call is given and where its answers go. */
typedef struct misuse_frame {
  qc_key new_key;
  qc_key live_key;
  qc_key keys[2];
  qc_entry entry;
  qc_entry entries[2];
  unsigned char values[2 * MISUSE_VALUE_SIZE];
  size_t value_len;
  int64_t at;
  int64_t ats[2];
  size_t count;
  int64_t now;
  int null_argument;       /* which pointer is NULL, in the order of the row's arguments */
  int misaligned_argument; /* which pointer is off by one */
  size_t done;
  uint32_t more;
  unsigned char buffer[256]; /* the export of the fixture's history */
  size_t buffer_len;
  unsigned char space[256];
  union misuse_outputs {
    unsigned char bytes[320];
    uint64_t aligned;
  } outputs;
  unsigned char armed[320]; /* the outputs as they were before the call */
} misuse_frame;

typedef struct misuse_argument {
  const char *name; /* NULL ends the list */
  int may_be_null;
  int has_alignment;
} misuse_argument;

enum misuse_traits {
  MISUSE_ENTRY = 1,   /* takes live entries */
  MISUSE_NOW = 2,     /* takes now_ns */
  MISUSE_STEP = 4,    /* and refuses one too far ahead */
  MISUSE_AT = 8,      /* takes insert times */
  MISUSE_COUNT = 16,  /* takes a count of elements */
  MISUSE_LENGTH = 32, /* takes value_len */
  MISUSE_NULL_SELF = 64 /* NULL as the handle is a no-op */
};

typedef struct misuse_row {
  const char *function;
  qc_status (*call)(qc_history *self, misuse_frame *frame); /* NULL: takes no history, see own_test */
  unsigned traits;
  misuse_argument arguments[5];
  void (*own_test)(void **state);
} misuse_row;

extern const misuse_row misuse_rows[];
extern const size_t misuse_row_count;

/* A history with two live entries and a historical one, and a frame with which every row succeeds. */
typedef struct misuse_fixture {
  qc_history *history;
  host_memory memory;
  misuse_frame frame;
  /* Runs once inside the next hash callback when set. */
  void (*on_hash)(void *);
  void *on_hash_ctx;
} misuse_fixture;

void misuse_open(misuse_fixture *fixture);
void misuse_close(misuse_fixture *fixture);
/* The frame of this fixture, whole. */
misuse_frame misuse_right_frame(const misuse_fixture *fixture);

/* After a refused call: no output was written. A batch may say 0 done. */
void misuse_check_untouched(const misuse_row *row, const misuse_frame *frame, const char *file, int line);
#define assert_untouched(row, frame) misuse_check_untouched((row), (frame), __FILE__, __LINE__)

/* Tests of the functions that take no history; in misuse_free_functions.c. */
void misuse_version(void **state);
void misuse_status_string(void **state);
void misuse_last_error(void **state);
void misuse_options_init(void **state);
void misuse_create(void **state);
/* In misuse_group.c. */
void misuse_buffer_info(void **state);
void misuse_group_options(void **state);
void misuse_group(void **state);

#endif
