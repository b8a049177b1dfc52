/* Signals that end a program, put off until its records are safe. */
#include "capture/cupti.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 500 };

static tdm_cupti_watch *the;

static void wait_for_flush(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int i = 0; i < PATIENCE_MS && !atomic_load(&the->flushed); i++) nanosleep(&moment, NULL);
}

static void handle(int signal, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  if (atomic_load(&the->pid) == getpid() && (uint32_t)gettid() != atomic_load(&the->thread)) {
    atomic_store(&the->dying, true);
    sem_post(&the->wake);
    wait_for_flush();
  }
  /* The default action comes back, also where a handler of the program's called this one, which it
   * had replaced. A fault happens again where it happened, so that a core tells the truth; what was
   * sent is sent again. */
  struct sigaction none = {.sa_handler = SIG_DFL};
  sigemptyset(&none.sa_mask);
  sigaction(signal, &none, NULL);
  errno = error;
  if (info->si_code <= 0 || signal == SIGABRT || signal == SIGINT || signal == SIGTERM ||
      signal == SIGHUP || signal == SIGQUIT)
    raise(signal);
}

void tdm_cupti_watch_signals(tdm_cupti_watch *watch) {
  static const int fatal[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGABRT,
                              SIGSEGV, SIGBUS,  SIGFPE, SIGILL};
  the = watch;
  const unsigned flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
  for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) {
    struct sigaction now;
    if (sigaction(fatal[i], NULL, &now) || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours = {.sa_sigaction = handle, .sa_flags = (int)flags};
    sigemptyset(&ours.sa_mask);
    sigaction(fatal[i], &ours, NULL);
  }
}
