/* Shared by the C tests of the usage meter: trackers and questions in few words. */

#ifndef QUEUECORE_TEST_USAGE_SUPPORT_H
#define QUEUECORE_TEST_USAGE_SUPPORT_H

#include "support.h"

#define AMOUNT_MAX (UINT64_C(1) << 56)
#define LIMIT_MAX (UINT64_C(1) << 62)
#define MS_NS INT64_C(1000000)
#define FOREVER INT64_C(-1)

typedef struct qc_usage_stats usage_stats_of;

/* Options with a limit, and all else as it comes. */
qc_usage_options usage_options_of(uint64_t limit_bytes);
/* The same with an allocator whose books must balance. */
qc_usage_options usage_options_with(uint64_t limit_bytes, host_memory *memory);

qc_usage *usage_root(uint64_t limit_bytes);
qc_usage *usage_child(qc_usage *parent, uint64_t limit_bytes);
/* Destroys it and answers its residual. */
int64_t usage_end(qc_usage *usage);

/* One question in few words. */
int64_t usage_of(qc_usage *usage);
int32_t percent_of(qc_usage *usage);
int is_full(qc_usage *usage);
int is_full_at(qc_usage *usage, int32_t percent);
int is_over_mark(qc_usage *usage);
int reserved(qc_usage *usage, uint64_t amount);
usage_stats_of usage_figures(qc_usage *usage);

#endif
