#include <queuecore.h>
#include <stdio.h>

#define QUEUES 1000
#define SECOND 1000000000LL

static qc_history *queues[QUEUES];

int main(void) {
  qc_history_group *group;
  qc_history_group_options shared;
  qc_history_options options;
  qc_gc_result collected;
  qc_insert_result put;
  qc_key guid = {{0x42}};
  int n;

  qc_history_group_options_init(&shared, sizeof shared);
  shared.limit_bytes = 100000000; /* of all its queues together */
  if (qc_history_group_create(&shared, &group) != QC_OK) return puts(qc_last_error()), 1;
  qc_history_options_init(&options, sizeof options);
  options.window_ns = 300 * SECOND;
  options.group = group;
  for (n = 0; n < QUEUES; n++) {
    if (qc_history_create(&options, &queues[n]) != QC_OK) return puts(qc_last_error()), 1;
  }

  for (n = 0; n < 3; n++) { /* three queues have a message, the others are idle */
    qc_history_insert(queues[n], &guid, NULL, 0, 0, 0, &put);
    qc_history_erase(queues[n], put.entry, 1 * SECOND, NULL);
  }
  qc_history_group_gc_many(group, 299 * SECOND, 1000, &collected); /* the dispatcher's tick */
  printf("after 299 s: %d\n", (int)collected.collected);
  qc_history_group_gc_many(group, 300 * SECOND, 2, &collected);
  printf("after 300 s: %d, %s\n", (int)collected.collected, collected.more ? "and more" : "and no more");
  qc_history_group_gc_many(group, 300 * SECOND, 1000, &collected);
  printf("then: %d, %s\n", (int)collected.collected, collected.more ? "and more" : "and no more");

  for (n = 0; n < QUEUES; n++) qc_history_destroy(queues[n]);
  return qc_history_group_destroy(group); /* after its histories */
}
