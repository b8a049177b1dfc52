/* Ends long runs: a timer on processor time raises the flag that the engine polls. Included by the
 * fuzzers of this directory, one program each. */
#ifndef TESTS_FUZZ_TIME_LIMIT_H
#define TESTS_FUZZ_TIME_LIMIT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIME_LIMIT_MS 500

static struct {
  timer_t timer;
  bool made;
  atomic_int stop;
} time_limit;

static void time_limit_reached(int signal_number) {
  (void)signal_number;
  atomic_store(&time_limit.stop, 1);
}

/* From here on stop is raised every TIME_LIMIT_MS, until time_limit_end. */
static void time_limit_begin(void) {
  if (!time_limit.made) {
    struct sigaction action = {.sa_handler = time_limit_reached, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    sigemptyset(&action.sa_mask);
    sigaction(SIGRTMIN, &action, NULL);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &time_limit.timer) != 0) {
      perror("timer");
      abort();
    }
    time_limit.made = true;
  }
  struct timespec each = {.tv_nsec = TIME_LIMIT_MS * 1000000L};
  atomic_store(&time_limit.stop, 0);
  timer_settime(time_limit.timer, 0, &(struct itimerspec){each, each}, NULL);
}

static void time_limit_end(void) {
  timer_settime(time_limit.timer, 0, &(struct itimerspec){{0, 0}, {0, 0}}, NULL);
}

#endif
