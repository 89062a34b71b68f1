#include <queuecore.h>
#include <stdio.h>

int main(void) {
  qc_history *history;
  qc_history_options options;
  qc_key guid = {{0x42}};
  qc_insert_result put;

  qc_history_options_init(&options, sizeof options);
  options.window_ns = 300000000000; /* 300 s */
  if (qc_history_create(&options, &history) != QC_OK) return puts(qc_last_error()), 1;

  qc_history_insert(history, &guid, NULL, 0, 1000, 1000, &put); /* a PUT at 1000 ns */
  qc_history_erase(history, put.entry, 2000, NULL);             /* its ACK */
  qc_history_insert(history, &guid, NULL, 0, 3000, 3000, &put); /* the producer tries again */
  puts(put.outcome == QC_DUPLICATE_HISTORY ? "duplicate" : "new");
  return qc_history_destroy(history);
}
