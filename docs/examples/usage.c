#include <pthread.h>
#include <queuecore.h>
#include <stdio.h>

static qc_usage *orders;

static void *consume(void *unused) {
  qc_usage_decrease(orders, 400000); /* a consumer is done with a message */
  return unused;
}

int main(void) {
  qc_usage *broker;
  qc_usage_options options;
  pthread_t consumer;
  int32_t percent;
  uint8_t yes;
  int64_t bytes;

  qc_usage_options_init(&options, sizeof options);
  options.limit_bytes = 1000000;
  if (qc_usage_create(&options, &broker) != QC_OK) return puts(qc_last_error()), 1;
  qc_usage_options_init(&options, sizeof options);
  options.share_ppm = 700000; /* 70 % of the broker's limit, whatever that becomes */
  if (qc_usage_create_child(broker, &options, &orders) != QC_OK) return puts(qc_last_error()), 1;

  qc_usage_increase(orders, 650000); /* counted here and above, whatever the limit says */
  qc_usage_percent(orders, &percent);
  qc_usage_is_full(orders, &yes);
  printf("orders: %d %%, %s\n", (int)percent, yes ? "full" : "not full");

  qc_usage_try_reserve(orders, 100000, &yes); /* counted only if it fits on every level */
  puts(yes ? "admitted" : "no room");
  if (pthread_create(&consumer, NULL, consume, NULL) != 0) return 1;
  puts(qc_usage_reserve_wait(orders, 100000, 10000000000) == QC_OK ? "waited, then admitted" : "gave up");
  pthread_join(consumer, NULL);

  qc_usage_destroy(orders, &bytes); /* takes what it still counts off the broker */
  printf("orders still held %lld bytes\n", (long long)bytes);
  qc_usage_usage(broker, &bytes);
  printf("broker: %lld bytes\n", (long long)bytes);
  return qc_usage_destroy(broker, NULL);
}
