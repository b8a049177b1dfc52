/* Owns the SIGINT handler and its flag; see app.h. */
#include "app/app.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 130 };

static atomic_int pending;

/* Async-signal-safe: one lock-free exchange and _exit. */
static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (atomic_exchange(&pending, 1) != 0) _exit(EXIT_INTERRUPTED);
}

void tdm_interrupt_install(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL); /* no SA_RESTART: a blocked read returns to its caller */
}

atomic_int *tdm_interrupt_flag(void) {
  return &pending;
}
