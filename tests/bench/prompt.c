/* How long a person waits for `tandem repl`: from its start to the prompt, and from Tab to what it
 * offers, on a terminal of our own. Each sample is a fresh process. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { WAIT_MS = 10000, SCREEN = 65536 };

typedef struct {
  int fd;
  pid_t pid;
  size_t seen;
  char screen[SCREEN];
} terminal;

static void give_up(const char *why) {
  fprintf(stderr, "bench: %s\n", why);
  exit(1);
}

static void open_terminal(terminal *t, char **argv) {
  t->seen = 0;
  t->fd = posix_openpt(O_RDWR | O_NOCTTY);
  char name[64];
  if (t->fd < 0 || grantpt(t->fd) != 0 || unlockpt(t->fd) != 0 ||
      ptsname_r(t->fd, name, sizeof name) != 0)
    give_up("this machine gives no pseudo-terminals");
  t->pid = fork();
  if (t->pid != 0) return;
  setsid();
  int side = open(name, O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(side, fd);
  setenv("TERM", "xterm", 1);
  setenv("XDG_STATE_HOME", "/nonexistent", 1); /* the history of whoever measures stays as it is */
  execv(argv[0], argv);
  _exit(127);
}

static void await(terminal *t, const char *wanted) {
  while (strstr(t->screen, wanted) == NULL) {
    struct pollfd shown = {.fd = t->fd, .events = POLLIN};
    if (poll(&shown, 1, WAIT_MS) <= 0) give_up("the prompt did not come");
    ssize_t got = read(t->fd, t->screen + t->seen, SCREEN - 1 - t->seen);
    if (got <= 0) give_up("the program left");
    t->seen += (size_t)got;
    t->screen[t->seen] = '\0';
  }
}

static void type(terminal *t, const char *keys) {
  t->seen = 0;
  t->screen[0] = '\0';
  if (write(t->fd, keys, strlen(keys)) < 0) give_up("it does not take keys");
}

/* Its own processor time is not known before it ends: the wall's stands for both. */
static void report(double from_s) {
  double wall_s = bench_now_s() - from_s;
  bench_sample(1, wall_s, wall_s);
}

void bench_prompt(char **argv, bool tab) {
  static terminal t;
  t.screen[0] = '\0';
  double from_s = bench_now_s();
  open_terminal(&t, argv);
  await(&t, "td> ");
  if (tab) { /* the first of a session, which loads the catalogue */
    type(&t, "td.gpu 'H20");
    await(&t, "H20");
    from_s = bench_now_s();
    type(&t, "\t");
    await(&t, "'"); /* the rest of the name */
  }
  report(from_s);
  kill(t.pid, SIGKILL);
  waitpid(t.pid, NULL, 0);
  close(t.fd);
}
