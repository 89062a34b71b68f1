/* Nothing before the header, and every kind of thing that it declares is used once: compiled, not run, at
   every language level that the header promises. */

#include <queuecore.h>

#if QC_VERSION_NUMBER != ((QC_VERSION_MAJOR << 16) | (QC_VERSION_MINOR << 8) | QC_VERSION_PATCH)
#error "the version macros do not work in the preprocessor"
#endif

qc_status header_alone(qc_history *history, const qc_key *key);

qc_status header_alone(qc_history *history, const qc_key *key) {
  struct qc_history_stats counters;
  qc_history_options options;
  qc_insert_result inserted;
  qc_gc_result collected;
  qc_entry_info info;
  qc_entry entry = 0;
  qc_status status = qc_history_options_init(&options, sizeof options);
  if (status != QC_OK || qc_status_string(status) == 0 || qc_last_error() == 0) { return status; }
  counters.struct_size = (uint32_t)sizeof counters;
  status = qc_history_insert(history, key, 0, 0, 0, 0, &inserted);
  if (inserted.outcome == QC_ADDED) { entry = inserted.entry; }
  if (status == QC_OK) { status = qc_history_entry_info(history, entry, &info); }
  if (status == QC_OK) { status = qc_history_gc(history, 0, UINT64_MAX, &collected); }
  if (status == QC_OK) { status = qc_history_stats(history, &counters); }
  return status;
}
