/* An allocator that fails at every single call in turn, or gives blocks that are not aligned: the call is
   refused with no entry changed, the same call works once there is memory again, and in the end
   everything has come back. */

#include "support.h"

enum { STEPS = 300, VALUE_SIZE = 24, BATCH = 8 };

/* What one run did, to compare runs by. */
typedef struct run {
  qc_history *history;
  host_memory memory;
  uint64_t refused;  /* calls that were refused, and tried again */
  uint64_t content;  /* everything that can be seen in the end */
  uint64_t answers;  /* everything that was answered */
  qc_status expected; /* how a refused call is refused */
} run;

static void note(run *r, uint64_t number) { r->answers = (r->answers ^ number) * UINT64_C(1099511628211); }

/* The call went through, or was refused for want of memory with nothing changed; then it is to try again. */
static int again(run *r, qc_status status, uint64_t before) {
  if (status == QC_OK) { return 0; }
  assert_status(status, r->expected);
  assert_true(strlen(qc_last_error()) > 0);
  assert_int_equal(digest_of_entries(r->history, VALUE_SIZE), before);
  r->refused++;
  return 1;
}

static void insert_step(run *r, uint64_t number, int readmits, int64_t now) {
  const qc_key key = key_of(number);
  unsigned char value[VALUE_SIZE];
  qc_insert_result result;
  qc_status status;
  uint64_t before;
  memset(value, QC_CAST(int, number & 0x7f), sizeof value);
  do {
    before = digest_of_entries(r->history, VALUE_SIZE);
    status = (readmits ? qc_history_readmit : qc_history_insert)(r->history, &key, value, sizeof value, now - 3, now,
                                                               &result);
  } while (again(r, status, before));
  note(r, result.outcome);
}

/* A batch that is refused says how far it got, and goes on from there. */
static void batch_step(run *r, uint64_t number, int64_t now) {
  qc_key keys[BATCH];
  unsigned char values[BATCH * VALUE_SIZE];
  qc_insert_result results[BATCH];
  size_t from = 0;
  size_t i;
  int tries = 0;
  for (i = 0; i < BATCH; i++) { keys[i] = key_of(number + i); }
  memset(values, 0x42, sizeof values);
  while (from < BATCH) {
    size_t done = 99;
    const qc_status status =
        qc_history_insert_batch(r->history, keys + from, values + from * VALUE_SIZE, NULL, BATCH - from, now,
                                results + from, &done);
    assert_in_range(done, 0, BATCH - from);
    if (status != QC_OK) {
      assert_status(status, r->expected);
      assert_true(done < BATCH - from);
      r->refused++;
    } else {
      assert_int_equal(done, BATCH - from);
    }
    from += done;
    assert_true(++tries < 100);
  }
  for (i = 0; i < BATCH; i++) { note(r, results[i].outcome); }
}

static void erase_step(run *r, uint64_t number, int64_t now) {
  const qc_key key = key_of(number);
  uint32_t erased = 9;
  qc_status status;
  uint64_t before;
  do {
    before = digest_of_entries(r->history, VALUE_SIZE);
    status = qc_history_erase_key(r->history, &key, now, &erased);
    if (status == QC_ERR_NOT_FOUND) { break; }
  } while (again(r, status, before));
  note(r, erased);
}

static void gc_step(run *r, int64_t now) {
  qc_gc_result result;
  qc_status status;
  uint64_t before;
  do {
    before = digest_of_entries(r->history, VALUE_SIZE);
    status = qc_history_gc(r->history, now, 10, &result);
  } while (again(r, status, before));
  note(r, result.collected);
}

/* Everything that can be seen of it by its user: who lives, with what, and who is remembered. */
static uint64_t content_of(run *r, int64_t now) {
  uint64_t saved = r->answers;
  uint64_t content;
  uint64_t i;
  qc_entry entry = 0;
  assert_ok(qc_history_first(r->history, &entry));
  while (entry != 0) {
    qc_entry_info info;
    assert_ok(qc_history_entry_info(r->history, entry, &info));
    for (i = 0; i < 16; i++) { note(r, info.key.bytes[i]); }
    for (i = 0; i < VALUE_SIZE; i++) { note(r, QC_CAST(unsigned char *, info.value)[i]); }
    note(r, QC_CAST(uint64_t, info.inserted_at_ns));
    assert_ok(qc_history_next(r->history, entry, &entry));
  }
  for (i = 0; i < STEPS * 10; i++) {
    const qc_key key = key_of(i);
    uint32_t presence = 9;
    assert_ok(qc_history_contains(r->history, &key, now, &presence));
    note(r, presence);
  }
  content = r->answers;
  r->answers = saved;
  return content;
}

/* Creates, works and destroys; the allocator misbehaves as `memory` says. */
static void run_all(run *r) {
  qc_history_options options = options_of(60);
  const host_memory wanted = r->memory;
  uint64_t i;
  int64_t now = 0;
  host_attach(&r->memory, &options);
  r->memory.fail_at = wanted.fail_at;
  r->memory.misalign_at = wanted.misalign_at;
  options.value_size = VALUE_SIZE;
  while (qc_history_create(&options, &r->history) != QC_OK) {
    assert_balanced(&r->memory); /* a create that is refused holds on to nothing */
    r->refused++;
    assert_true(r->refused < 100);
  }
  for (i = 0; i < STEPS; i++) {
    now = QC_CAST(int64_t, i / 4) * TICK_NS;
    insert_step(r, i * 10, i % 5 == 4, now);
    if (i % 7 == 3) { batch_step(r, i * 10 + 1, now); }
    if (i % 3 != 0) { erase_step(r, i / 2 * 10, now); }
    if (i % 11 == 0) { insert_step(r, i / 3 * 10, 1, now); }
    if (i % 50 == 49) { gc_step(r, now); }
  }
  r->content = content_of(r, now);
  assert_ok(qc_history_destroy(r->history));
  assert_balanced(&r->memory);
}

/* Misbehaves once, at call k, for every k that there is. */
static void every_call_in_turn(int misaligned) {
  run right;
  uint64_t k;
  uint64_t last;
  uint64_t refused = 0;
  memset(&right, 0, sizeof right);
  run_all(&right);
  assert_int_equal(right.refused, 0);
  last = right.memory.asked;
  assert_true(last > 20);
  for (k = 1; k <= last; k++) {
    run broken;
    memset(&broken, 0, sizeof broken);
    broken.expected = misaligned ? QC_ERR_CALLBACK : QC_ERR_NO_MEMORY;
    if (misaligned) {
      broken.memory.misalign_at = k;
    } else {
      broken.memory.fail_at = k;
    }
    run_all(&broken);
    if (broken.content != right.content || broken.answers != right.answers) {
      fail_msg("the run refused at allocation %d of %d ended differently", QC_CAST(int, k), QC_CAST(int, last));
    }
    /* The library may get by without some blocks, but it cannot need more than one call for one refusal. */
    assert_in_range(broken.refused, 0, 1);
    refused += broken.refused;
  }
  assert_true(refused * 4 > last);
}

static void no_memory_at_any_call_changes_nothing(void **state) {
  (void)state;
  every_call_in_turn(0);
}

static void a_misaligned_block_at_any_call_changes_nothing(void **state) {
  (void)state;
  every_call_in_turn(1);
}

/* No memory from some call on, for good: what is there stays there, can be asked for and taken out. */
static void no_memory_for_good(void **state) {
  uint64_t from;
  (void)state;
  for (from = 5; from < 40; from += 5) {
    qc_history_options options = options_of(60);
    host_memory memory;
    qc_history *history;
    uint64_t added = 0;
    uint64_t i;
    host_attach(&memory, &options);
    history = create_of(&options);
    memory.fail_from = from;
    for (i = 0; i < 200000; i++) {
      const qc_key key = key_of(i);
      qc_insert_result result;
      const qc_status status = qc_history_insert(history, &key, NULL, 0, 0, 0, &result);
      if (status != QC_OK) {
        assert_status(status, QC_ERR_NO_MEMORY);
        break;
      }
      added++;
    }
    assert_true(added < 200000);
    assert_int_equal(live_len(history), added);
    for (i = 0; i < added; i++) { assert_int_equal(seen(history, i, 1), QC_LIVE); }
    assert_int_equal(seen(history, added, 1), QC_ABSENT);
    for (i = 0; i < added; i++) { assert_int_equal(erase_key(history, i, 1), QC_ERASED_HISTORICAL); }
    assert_gc(history, 60, UINT64_MAX, added, 0);
    assert_int_equal(live_len(history), 0);
    assert_ok(qc_history_destroy(history));
    assert_balanced(&memory);
  }
}

/* The library's own books are the host's. */
static void the_books_agree(void **state) {
  qc_history_options options = options_of(60);
  host_memory memory;
  qc_history *history;
  stats_of counters;
  uint64_t i;
  (void)state;
  host_attach(&memory, &options);
  options.value_size = 100;
  history = create_of(&options);
  for (i = 0; i < 20000; i++) {
    assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED);
    if (i % 2 == 0) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
    if (i % 997 == 0) {
      counters = stats(history);
      assert_int_equal(counters.bytes_in_use, memory.bytes);
      assert_int_equal(counters.allocations, memory.allocations);
      assert_int_equal(counters.deallocations, memory.deallocations);
      assert_true(counters.bytes_peak >= counters.bytes_in_use);
    }
  }
  counters = stats(history);
  assert_true(counters.bytes_in_use > 10000 * 100);
  assert_ok(qc_history_clear(history));
  assert_int_equal(stats(history).bytes_in_use, memory.bytes);
  assert_true(stats(history).bytes_peak >= counters.bytes_in_use);
  assert_ok(qc_history_destroy(history));
  assert_balanced(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_memory_at_any_call_changes_nothing),
      cmocka_unit_test(a_misaligned_block_at_any_call_changes_nothing),
      cmocka_unit_test(no_memory_for_good),
      cmocka_unit_test(the_books_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
