/* Signals that come while a traced program runs: they are the program's; see inside.h. */
#include "bind/capture/inside.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static const int handed_on[] = {SIGINT,  SIGQUIT, SIGTERM,  SIGHUP, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on, SAME_PRESS_MS = 100 };

/* What the handlers touch. */
static volatile pid_t traced; /* 0: has ended */
static volatile sig_atomic_t presses;
static volatile int64_t last_press_ms;

static struct sigaction before[HANDED_ON], before_child;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A terminal (SI_KERNEL) has told the program as well; an alarm that was set before us is ours
 * alone. timeout(1) and its like signal a process and then its group: one press. */
static void hand_on(int number, siginfo_t *info, void *unused) {
  (void)unused;
  int saved = errno;
  int64_t at_ms = now_ms();
  bool again = number == SIGINT && presses > 0;
  bool same = again && at_ms - last_press_ms < SAME_PRESS_MS;
  if (number == SIGINT && !same) {
    presses++;
    last_press_ms = at_ms;
  }
  if (traced > 0 && again && !same)
    kill(traced, SIGKILL);
  else if (traced > 0 && !same && (info->si_code <= 0 || number == SIGALRM))
    kill(traced, number);
  errno = saved;
}

static void on_child(int number) {
  (void)number; /* ends a wait */
}

void tdm_capture_signals_set(sigset_t *set) {
  sigemptyset(set);
  for (size_t i = 0; i < HANDED_ON; i++) sigaddset(set, handed_on[i]);
}

void tdm_capture_signals_take(pid_t program) {
  struct sigaction ours = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&ours.sa_mask);
  presses = 0;
  traced = program;
  for (size_t i = 0; i < HANDED_ON; i++) {
    sigaction(handed_on[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(handed_on[i], &ours, NULL);
  }
  struct sigaction child = {.sa_handler = on_child};
  sigemptyset(&child.sa_mask);
  sigaction(SIGCHLD, &child, &before_child);
}

void tdm_capture_signals_drop(void) {
  traced = 0;
}

void tdm_capture_signals_restore(void) {
  traced = 0;
  for (size_t i = 0; i < HANDED_ON; i++) sigaction(handed_on[i], &before[i], NULL);
  sigaction(SIGCHLD, &before_child, NULL);
}

int tdm_capture_signals_presses(void) {
  return presses;
}
