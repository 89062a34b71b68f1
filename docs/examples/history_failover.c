#include <queuecore.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND 1000000000LL

static qc_history *open_history(void) {
  qc_history *history;
  qc_history_options options;
  qc_history_options_init(&options, sizeof options);
  options.window_ns = 300 * SECOND;
  options.value_size = sizeof(int);
  if (qc_history_create(&options, &history) != QC_OK) exit((puts(qc_last_error()), 1));
  return history;
}

int main(void) {
  qc_history *primary = open_history();
  qc_history *replica = open_history();
  qc_key guids[3] = {{{1}}, {{2}}, {{3}}};
  unsigned char buffer[4096]; /* or a file, or a socket: a buffer a call */
  qc_insert_result put;
  qc_export_result written;
  qc_import_result taken;
  qc_buffer_info info;
  int n;

  for (n = 0; n < 3; n++) {
    qc_history_insert(primary, &guids[n], &n, sizeof n, n * SECOND, n * SECOND, &put);
  }
  qc_history_erase_key(primary, &guids[0], 3 * SECOND, NULL);

  /* The replica's clock shows 1000 s where the primary's shows 3 s. */
  qc_history_export_begin(primary);
  do {
    if (qc_history_export(primary, buffer, sizeof buffer, &written) != QC_OK) return puts(qc_last_error()), 1;
    if (qc_history_buffer_info(buffer, (size_t)written.bytes, &info) != QC_OK) return puts(qc_last_error()), 1;
    if (qc_history_import(replica, buffer, (size_t)written.bytes, 1000 * SECOND, 1000 * SECOND - info.present_ns,
                          &taken) != QC_OK) {
      return puts(qc_last_error()), 1;
    }
    printf("%d live and %d historical arrived\n", (int)taken.live, (int)taken.historical);
  } while (written.more);

  qc_history_insert(replica, &guids[0], NULL, 0, 1001 * SECOND, 1001 * SECOND, &put);
  puts(put.outcome == QC_DUPLICATE_HISTORY ? "the replica knows the duplicate" : "new");
  buffer[80] ^= 1;
  if (qc_history_import(replica, buffer, (size_t)written.bytes, 1001 * SECOND, 0, &taken) == QC_ERR_BAD_BUFFER) {
    puts(qc_last_error());
  }
  qc_history_destroy(primary);
  return qc_history_destroy(replica);
}
