/* See cursor_support.h. */

#include "cursor_support.h"

static int32_t fetch(void *ctx, uint64_t after, uint64_t up_to, uint32_t max_messages, uint64_t max_bytes,
                     qc_stored *out_messages, size_t *out_count) {
  test_store *store = QC_CAST(test_store *, ctx);
  uint64_t bytes = 0;
  size_t count = 0;
  size_t i;
  store->fetches++;
  if (store->on_fetch != NULL) { store->on_fetch(store->on_ctx); }
  for (i = 0; i < store->count && count < max_messages; i++) {
    const qc_stored *message = &store->messages[i];
    if (message->sequence <= after || message->sequence > up_to) { continue; }
    bytes += message->size_bytes;
    if (count > 0 && bytes > max_bytes) { break; }
    out_messages[count++] = *message;
  }
  *out_count = count;
  switch (store->mood) {
    case STORE_WELL: break;
    case STORE_FAILS: return store->code;
    case STORE_COUNTS_TOO_MANY: *out_count = QC_CAST(size_t, max_messages) + 1; break;
    case STORE_OUT_OF_ORDER:
      if (max_messages > 1) {
        out_messages[1] = out_messages[0];
        *out_count = 2;
      }
      break;
    case STORE_BELOW: out_messages[0].sequence = after; break;
    case STORE_BEYOND: out_messages[count - 1].sequence = up_to + 1; break;
    case STORE_TOO_LARGE: out_messages[count - 1].size_bytes = UINT32_MAX; break;
  }
  return 0;
}

static void discard(void *ctx, const qc_stored *message) {
  test_store *store = QC_CAST(test_store *, ctx);
  (void)message;
  store->discarded++;
  if (store->on_discard != NULL) { store->on_discard(store->on_ctx); }
}

qc_store store_table(test_store *store) {
  qc_store table;
  assert_ok(qc_store_init(&table, sizeof table));
  table.ctx = store;
  table.fetch = fetch;
  table.discard = discard;
  return table;
}

void store_add(test_store *store, uint64_t sequence, uint32_t size_bytes) {
  qc_stored *message = &store->messages[store->count++];
  assert_true(store->count <= STORE_ROOM);
  memset(message, 0, sizeof *message);
  message->sequence = sequence;
  message->user = sequence;
  message->size_bytes = size_bytes;
  message->priority = 4;
}

void store_delete(test_store *store, uint64_t sequence) {
  size_t i;
  for (i = 0; i < store->count && store->messages[i].sequence != sequence; i++) {}
  assert_true(i < store->count);
  memmove(&store->messages[i], &store->messages[i + 1], (store->count - i - 1) * sizeof store->messages[0]);
  store->count--;
}

qc_cursor_options cursor_options_of(void) {
  qc_cursor_options options;
  assert_ok(qc_cursor_options_init(&options, sizeof options));
  return options;
}

qc_cursor_policy policy_of(void) {
  qc_cursor_policy policy;
  assert_ok(qc_cursor_policy_init(&policy, sizeof policy));
  return policy;
}

qc_cursor_group_options group_options_of(void) {
  qc_cursor_group_options options;
  assert_ok(qc_cursor_group_options_init(&options, sizeof options));
  return options;
}

static void ready(void *ctx) { QC_CAST(test_queue *, ctx)->ready_calls++; }
static void release(void *ctx) { QC_CAST(test_queue *, ctx)->ready_releases++; }

void queue_open(test_queue *queue, const qc_cursor_policy *policy) {
  qc_usage_options usage;
  qc_cursor_group_options group = group_options_of();
  qc_cursor_options options = cursor_options_of();
  qc_history_options callbacks;
  qc_store table;
  memset(queue, 0, sizeof *queue);
  usage = usage_options_with(10000, &queue->usage_memory);
  assert_ok(qc_usage_create(&usage, &queue->root));
  queue->usage = usage_child(queue->root, 1000);
  host_attach(&queue->group_memory, &callbacks);
  group.alloc = callbacks.alloc;
  group.free = callbacks.free;
  group.alloc_ctx = callbacks.alloc_ctx;
  assert_ok(qc_cursor_group_create(&group, queue->root, &queue->group));
  host_attach(&queue->memory, &callbacks);
  options.alloc = callbacks.alloc;
  options.free = callbacks.free;
  options.alloc_ctx = callbacks.alloc_ctx;
  table = store_table(&queue->store);
  assert_ok(qc_cursor_create(&options, policy, queue->usage, queue->group, &table, &queue->cursor));
  assert_ok(qc_cursor_on_ready(queue->cursor, ready, queue, release));
}

void queue_close(test_queue *queue) {
  if (queue->cursor != NULL) { assert_ok(qc_cursor_destroy(queue->cursor)); }
  assert_int_equal(queue->ready_releases, 1);
  assert_int_equal(usage_of(queue->root), 0);
  assert_ok(qc_cursor_group_destroy(queue->group));
  assert_ok(qc_usage_destroy(queue->usage, NULL));
  assert_int_equal(usage_end(queue->root), 0);
  assert_balanced(&queue->memory);
  assert_balanced(&queue->group_memory);
  assert_balanced(&queue->usage_memory);
}

uint32_t queue_push(test_queue *queue, uint64_t sequence, uint32_t size_bytes) {
  const qc_message message = {sequence, sequence, sequence, size_bytes, 4, QC_WRITE_COMMITTED, 0};
  uint32_t pushed = 99;
  store_add(&queue->store, sequence, size_bytes);
  assert_ok(qc_cursor_push(queue->cursor, &message, &pushed));
  return pushed;
}

uint32_t queue_push_open(test_queue *queue, uint64_t token, uint32_t size_bytes) {
  const qc_message message = {token, 0, token, size_bytes, 4, QC_WRITE_OPEN, 0};
  uint32_t pushed = 99;
  assert_ok(qc_cursor_push(queue->cursor, &message, &pushed));
  return pushed;
}

void queue_expect(test_queue *queue, uint32_t demand, uint32_t end, uint32_t blocked, const int *sequences,
                  const char *file, int line) {
  qc_delivered out[64];
  qc_pulled pulled;
  size_t i;
  assert_true(demand <= 64);
  check_status(qc_cursor_pull(queue->cursor, demand, QC_ROUND_BEGIN, out, demand, &pulled), QC_OK, "qc_cursor_pull",
               file, line);
  for (i = 0; i < pulled.count && sequences[i] >= 0; i++) {
    _assert_int_equal(out[i].sequence, QC_CAST(uint64_t, sequences[i]), file, line);
  }
  if (i < pulled.count || sequences[i] >= 0) { print_error("%u messages\n", QC_CAST(unsigned, pulled.count)); }
  _assert_int_equal(i, pulled.count, file, line);
  _assert_int_equal(QC_CAST(uint64_t, QC_CAST(int64_t, sequences[i])), QC_CAST(uint64_t, INT64_C(-1)), file, line);
  _assert_int_equal(pulled.end, end, file, line);
  _assert_int_equal(pulled.blocked, blocked, file, line);
}

cursor_stats_of cursor_figures(qc_cursor *cursor) {
  cursor_stats_of stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = QC_CAST(uint32_t, sizeof stats);
  assert_ok(qc_cursor_stats(cursor, &stats));
  assert_int_equal(stats.struct_size, sizeof stats);
  return stats;
}

group_stats_of group_figures(qc_cursor_group *group) {
  group_stats_of stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = QC_CAST(uint32_t, sizeof stats);
  assert_ok(qc_cursor_group_stats(group, &stats));
  assert_int_equal(stats.struct_size, sizeof stats);
  return stats;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t count) {
  const unsigned char *at = QC_CAST(const unsigned char *, bytes);
  size_t i;
  for (i = 0; i < count; i++) { digest = (digest ^ at[i]) * UINT64_C(1099511628211); }
  return digest;
}

uint64_t queue_digest(test_queue *queue) {
  cursor_stats_of stats = cursor_figures(queue->cursor);
  const group_stats_of group = group_figures(queue->group);
  const int64_t usage[2] = {usage_of(queue->root), usage_of(queue->usage)};
  uint64_t digest = UINT64_C(14695981039346656037);
  stats.bytes_peak = 0; /* trying is no change */
  stats.failed_fetches = 0;
  stats.blocked_own_mark_ns = stats.blocked_parent_ns = 0; /* time goes on */
  stats.blocked_entries_ns = stats.blocked_commit_ns = 0;
  digest = mix(digest, &stats, sizeof stats);
  digest = mix(digest, &group, sizeof group);
  return mix(digest, usage, sizeof usage);
}
