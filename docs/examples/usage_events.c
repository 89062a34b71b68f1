#include <queuecore.h>
#include <stdio.h>
#include <sys/epoll.h>

int main(void) {
  qc_usage *orders;
  qc_usage_options options;
  qc_usage_event steps[16];
  struct epoll_event wanted = {EPOLLIN, {0}}, ready;
  size_t count, i;
  int32_t descriptor;
  int loop = epoll_create1(0);

  qc_usage_options_init(&options, sizeof options);
  options.limit_bytes = 1000;
  options.min_delta_percent = 10; /* steps of 10 % */
  options.tag = 7;                /* the caller's name for it, in every event */
  if (qc_usage_create(&options, &orders) != QC_OK) return puts(qc_last_error()), 1;
  qc_usage_keep_events(orders);
  if (qc_usage_event_descriptor(orders, &descriptor) != QC_OK) return puts(qc_last_error()), 1;
  epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &wanted);

  qc_usage_increase(orders, 550); /* by any thread, at any time */
  qc_usage_increase(orders, 400);
  qc_usage_decrease(orders, 900);

  while (epoll_wait(loop, &ready, 1, 0) == 1) { /* a real loop waits longer than 0 ms */
    qc_usage_poll_events(orders, steps, 16, &count);
    for (i = 0; i < count; i++)
      printf("%d: %d %% to %d %%\n", (int)steps[i].tag, (int)steps[i].old_percent, (int)steps[i].new_percent);
  }
  return qc_usage_destroy(orders, NULL);
}
