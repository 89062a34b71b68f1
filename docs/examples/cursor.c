#include <queuecore.h>
#include <stdio.h>
#include <stdlib.h>

/* The broker's store: it has every message until that is acknowledged. */
struct store {
  uint32_t sizes[11]; /* by sequence; 0: none */
};

/* A page: what is pending behind `after` and up to `up_to`, in order. */
static int32_t fetch(void *ctx, uint64_t after, uint64_t up_to, uint32_t max_messages, uint64_t max_bytes,
                     qc_stored *out, size_t *count) {
  struct store *store = ctx;
  uint64_t bytes = 0;
  for (uint64_t sequence = after + 1; sequence <= up_to && *count < max_messages; sequence++) {
    if (store->sizes[sequence] == 0) continue;
    bytes += store->sizes[sequence];
    if (*count > 0 && bytes > max_bytes) break;
    out[*count].sequence = sequence;
    out[*count].user = 0;
    out[*count].size_bytes = store->sizes[sequence];
    out[*count].priority = 4;
    ++*count;
  }
  return 0;
}

static void ready(void *unused) {
  (void)unused;
  puts("ready to pull again"); /* a broker wakes its dispatcher here */
}

/* Every call answers a status: a broker looks at each. */
static void must(qc_status status) {
  if (status == QC_OK) return;
  puts(qc_last_error());
  exit(1);
}

static long long bytes_of(qc_usage *usage) {
  int64_t bytes;
  must(qc_usage_usage(usage, &bytes));
  return (long long)bytes;
}

int main(void) {
  struct store messages = {{0}};
  qc_usage_options usage_options;
  qc_cursor_options options;
  qc_store store;
  qc_usage *memory;
  qc_cursor *orders;
  qc_delivered out[10];
  qc_pulled pulled;
  struct qc_cursor_stats stats;
  int cached = 0;

  must(qc_usage_options_init(&usage_options, sizeof usage_options));
  usage_options.limit_bytes = 1000;
  must(qc_usage_create(&usage_options, &memory));
  must(qc_cursor_options_init(&options, sizeof options));
  must(qc_store_init(&store, sizeof store));
  store.ctx = &messages;
  store.fetch = fetch;
  must(qc_cursor_create(&options, NULL, memory, NULL, &store, &orders)); /* the default policy, no group */
  must(qc_cursor_on_ready(orders, ready, NULL, NULL));

  for (uint64_t sequence = 1; sequence <= 10; sequence++) {
    qc_message message = {sequence, sequence, 0, 100, 4, QC_WRITE_COMMITTED, 0};
    uint32_t pushed;
    messages.sizes[sequence] = 100; /* the store first, then the cursor */
    must(qc_cursor_push(orders, &message, &pushed));
    cached += pushed == QC_CACHED;
  }
  printf("%d of 10 cached, %lld bytes\n", cached, bytes_of(memory));

  must(qc_cursor_pull(orders, 10, QC_ROUND_BEGIN, out, 10, &pulled));
  printf("%d pulled%s\n", (int)pulled.count, pulled.blocked == QC_BLOCKED_OWN_MARK ? ", then its own mark" : "");
  for (uint64_t i = 0; i < pulled.count; i++) {
    messages.sizes[out[i].sequence] = 0;
    must(qc_cursor_ack(orders, out[i].sequence, NULL));
  }

  must(qc_cursor_pull(orders, 10, QC_ROUND_BEGIN, out, 10, &pulled)); /* one page */
  printf("%d pulled, %lld bytes\n", (int)pulled.count, bytes_of(memory));
  must(qc_cursor_requeue(orders, out[1].sequence)); /* its consumer is gone */
  must(qc_cursor_ack(orders, out[0].sequence, NULL));
  must(qc_cursor_ack(orders, out[2].sequence, NULL));
  must(qc_cursor_pull(orders, 10, QC_ROUND_BEGIN, out, 10, &pulled));
  printf("message %d again, redelivered %d time\n", (int)out[0].sequence, (int)out[0].redeliveries);
  must(qc_cursor_ack(orders, out[0].sequence, NULL));
  stats.struct_size = sizeof stats;
  must(qc_cursor_stats(orders, &stats));
  printf("%lld bytes, %d page\n", bytes_of(memory), (int)stats.pages);

  must(qc_cursor_destroy(orders));
  must(qc_usage_destroy(memory, NULL));
  return 0;
}
