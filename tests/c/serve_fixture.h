/* `tandem serve` as a process of its own beside a test, and sockets to it: started with a store and
 * a spool in a fresh directory, looked at from outside (descriptors, memory, children, files), told
 * to end. Dies with the test. Included by one file of tests each. */
#ifndef SERVE_FIXTURE_H
#define SERVE_FIXTURE_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limits say when something hangs, on however busy a machine; nothing is measured by them. */
enum { ANSWER_ROOM = 1 << 16, START_S = 300, PATIENT_S = 300, WORDS_MOST = 16 };

typedef struct {
  char directory[64];
  char program[512];
  pid_t pid;
  uint16_t port;
} served;

static inline double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void pause_s(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/* ---- the process */

/* BUILD/test/test_x → BUILD/`name`; whether it is there. */
static inline bool beside(const char *name, char *path, size_t room) {
  char own[400];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) return false;
  own[length] = '\0';
  for (int level = 0; level < 2; level++) {
    char *slash = strrchr(own, '/');
    if (slash == NULL) return false;
    *slash = '\0';
  }
  snprintf(path, room, "%s/%s", own, name);
  return access(path, R_OK) == 0;
}

/* The whole of a short file of the server's directory. */
static inline const char *told(const served *s, const char *name) {
  static char text[ANSWER_ROOM];
  char path[128];
  snprintf(path, sizeof path, "%s/%s", s->directory, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  if (file >= 0) close(file);
  text[length > 0 ? length : 0] = '\0';
  return text;
}

/* A sanitizer's quarantine would look like a leak. */
static inline void shrink_quarantine(void) {
  char options[512];
  const char *before = getenv("ASAN_OPTIONS");
  snprintf(options, sizeof options, "%s:quarantine_size_mb=8", before != NULL ? before : "");
  setenv("ASAN_OPTIONS", options, 1);
}

static inline void become_server(const served *s, const char *const *options) {
  char store[128], log[128];
  snprintf(store, sizeof store, "%s/t.db", s->directory);
  snprintf(log, sizeof log, "%s/log", s->directory);
  const char *words[WORDS_MOST + 8] = {"tandem",      "serve",   "--listen",
                                       "127.0.0.1:0", "--store", store};
  size_t count = 6;
  for (size_t i = 0; options != NULL && options[i] != NULL && i < WORDS_MOST; i++)
    words[count++] = options[i];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  shrink_quarantine();
  int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, 1);
  dup2(file, 2);
  execv(s->program, (char *const *)(uintptr_t)words);
  _exit(127);
}

/* Again in the same directory, when it has one. False: this build has no server. */
static inline bool serve_start(served *s, const char *const *options) {
  char module[512];
  if (!beside("serve.so", module, sizeof module) ||
      !beside("tandem", s->program, sizeof s->program))
    return false;
  if (s->directory[0] == '\0') {
    strcpy(s->directory, "/tmp/tandem-serve-XXXXXX");
    if (mkdtemp(s->directory) == NULL) fail_msg("no directory: %s", strerror(errno));
  }
  char log[128];
  snprintf(log, sizeof log, "%s/log", s->directory);
  unlink(log); /* a former server's */
  fflush(NULL);
  s->pid = fork();
  if (s->pid == 0) become_server(s, options);
  s->port = 0;
  for (double until = now_s() + START_S; s->port == 0 && now_s() < until; pause_s(0.02)) {
    const char *at = strstr(told(s, "log"), "http://127.0.0.1:");
    if (at != NULL) s->port = (uint16_t)atoi(at + 17);
  }
  if (s->port == 0) fail_msg("the server did not start: %s", told(s, "log"));
  return true;
}

/* Its exit code; -1: it had to be killed, or a signal ended it. */
static inline int serve_stop(served *s, int number, double within_s) {
  kill(s->pid, number);
  int status = 0;
  pid_t ended = 0;
  for (double until = now_s() + within_s; ended == 0 && now_s() < until; pause_s(0.02))
    ended = waitpid(s->pid, &status, WNOHANG);
  if (ended == 0) {
    kill(s->pid, SIGKILL);
    waitpid(s->pid, &status, 0);
  }
  s->pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What `tandem sql` says to a statement about its store. */
static inline const char *sql(const served *s, const char *statement) {
  static char text[1024];
  char command[1024];
  snprintf(command, sizeof command, "%s sql '%s' --store %s/t.db 2>&1", s->program, statement,
           s->directory);
  FILE *pipe = popen(command, "r");
  size_t length = pipe != NULL ? fread(text, 1, sizeof text - 1, pipe) : 0;
  if (pipe != NULL) pclose(pipe);
  text[length] = '\0';
  return text;
}

static inline void serve_remove(served *s) {
  char command[128];
  if (s->pid != 0) serve_stop(s, SIGKILL, 5);
  snprintf(command, sizeof command, "rm -rf %s", s->directory);
  if (s->directory[0] != '\0' && system(command) != 0) fail_msg("%s stays", s->directory);
  s->directory[0] = '\0';
}

/* ---- from outside */

/* Entries of a directory below /proc/PID or below the server's own, of those that begin so. */
static inline size_t entries(const char *path, const char *beginning) {
  size_t count = 0;
  DIR *list = opendir(path);
  if (list == NULL) return 0;
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
    count += entry->d_name[0] != '.' && strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
  closedir(list);
  return count;
}

static inline size_t descriptors(const served *s) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd", (int)s->pid);
  return entries(path, "");
}

static inline size_t spooled(const served *s, const char *beginning) {
  char path[96];
  snprintf(path, sizeof path, "%s/t.db-spool", s->directory);
  return entries(path, beginning);
}

static inline double memory_mb(const served *s) {
  char path[64], text[128] = "";
  snprintf(path, sizeof path, "/proc/%d/statm", (int)s->pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  if (file >= 0) close(file);
  char *rest = text;
  if (length > 0) strtoull(text, &rest, 10);
  return (double)strtoull(rest, NULL, 10) * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Processes whose parent it is. */
static inline size_t children(const served *s) {
  char path[64], text[512];
  size_t count = 0;
  snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
  DIR *list = opendir(path);
  for (struct dirent *entry = list != NULL ? readdir(list) : NULL; entry != NULL;
       entry = readdir(list)) {
    char file_path[400];
    snprintf(file_path, sizeof file_path, "%s/%s/children", path, entry->d_name);
    int file = open(file_path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text) : 0;
    if (file >= 0) close(file);
    for (ssize_t i = 0; i < length; i++) count += text[i] == ' ';
  }
  if (list != NULL) closedir(list);
  return count;
}

/* ---- sockets */

/* Connected from an address of this machine (0: any), or -1. */
static inline int dial_from(const served *s, uint32_t from) {
  struct sockaddr_in mine = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(s->port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if ((from == 0 || bind(connection, (struct sockaddr *)&mine, sizeof mine) == 0) &&
      connect(connection, (struct sockaddr *)&address, sizeof address) == 0)
    return connection;
  close(connection);
  return -1;
}

static inline int dial(const served *s) {
  return dial_from(s, 0);
}

/* False: the other side has closed, or takes nothing for a minute. */
static inline bool say(int connection, const char *bytes, size_t count) {
  while (count > 0) {
    struct pollfd writable = {.fd = connection, .events = POLLOUT};
    if (poll(&writable, 1, 60000) != 1) return false;
    ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return false;
    bytes += sent;
    count -= (size_t)sent;
  }
  return true;
}

/* Reads until the other side closes, or has said something and then nothing for quiet_s: true;
 * false when neither happens within the time. What fits into `text` (may be NULL) stays there. */
static inline bool hear(int connection, char *text, size_t room, double quiet_s, double within_s) {
  char block[8192];
  size_t length = 0, heard = 0;
  for (double until = now_s() + within_s; now_s() < until;) {
    struct pollfd readable = {.fd = connection, .events = POLLIN};
    double wait_s = heard > 0 && quiet_s < until - now_s() ? quiet_s : until - now_s();
    int ready = poll(&readable, 1, (int)(wait_s * 1000) + 1);
    if (ready == 0 && heard > 0 && now_s() < until) return true;
    if (ready != 1) continue;
    ssize_t got = recv(connection, block, sizeof block, 0);
    if (got <= 0) return true;
    heard += (size_t)got;
    for (ssize_t i = 0; i < got && text != NULL && length + 1 < room; i++)
      text[length++] = block[i];
    if (text != NULL) text[length] = '\0';
  }
  return false;
}

/* The status of one request on a connection of its own, 0 without one; the answer, head included,
 * in *answer until the next. */
static inline int ask(const served *s, const char *method, const char *path, const char *body,
                      const char **answer, double within_s) {
  static char text[ANSWER_ROOM];
  static char request[ANSWER_ROOM];
  int connection = dial(s);
  if (answer != NULL) *answer = text;
  text[0] = '\0';
  if (connection < 0) return 0;
  int length = snprintf(request, sizeof request,
                        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        method, path, strlen(body), body);
  if (say(connection, request, (size_t)length))
    hear(connection, text, sizeof text, within_s, within_s);
  close(connection);
  return strncmp(text, "HTTP/1.1 ", 9) == 0 ? atoi(text + 9) : 0;
}

/* Asks for a run of the demo, waits until it has ended, if the server does not: whether there is
 * one. */
static inline bool run_demo(const served *s, const char *body) {
  const char *answer;
  int status = ask(s, "POST", "/v1/runs", body, &answer, PATIENT_S);
  char path[128] = "";
  const char *id = strstr(answer, "\"job_id\":\"");
  if (id != NULL)
    snprintf(path, sizeof path, "/v1/jobs/%.*s/result", (int)strcspn(id + 10, "\""), id + 10);
  for (double until = now_s() + PATIENT_S; status == 202 && now_s() < until; pause_s(0.05))
    status = ask(s, "GET", path, "", NULL, PATIENT_S);
  return status == 200 || status == 201;
}

#endif
