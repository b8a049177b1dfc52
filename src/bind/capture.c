/* core.capture: a capture file made, a program run that fills it, and a look at one that grows.
 *
 * capture.library(name) → the path of "preload" or "cupti", or nil: it was not built
 * capture.make(path, wanted, limit_bytes, recording, command) → the path from the root | nil,
 *   message, code
 * capture.start(path, argv, { "NAME=value", … }) → session | nil, message, code, errno; these
 *   variables are added to our environment
 * capture.abandoned(path) → whether no tandem has the file any more
 * capture.privileged(path) → whether that program runs with rights that ours has not
 * capture.follow(path) → follower | nil, message, code
 *
 * session:wait(ms) → nil while the program runs, else "exit" or "signal", and its number; returns
 * early when a signal came. session:interrupts() → how often Ctrl-C was pressed.
 * session:record(on). session:state() → { chunks, lost, recording, bytes }. session:close().
 *
 * While a session is open, SIGINT, SIGTERM and SIGHUP are the program's: what a terminal sends it
 * has got by itself, what comes otherwise is handed on; a second SIGINT ends it. One session at a
 * time. Owns the mapping of the header and a lock on the file for as long as a session lives, by
 * which others know that it is in use. Called by tandem.cli.capture and tandem.cli.watch. */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/module.h"
#include "bind/bind.h"
#include "bind/capture_follow.h"
#include "bind/failure.h"
#include "capture/format.h"

static const char session_name[] = "tandem.capture";

typedef struct {
  tdm_capture_header *header;
  int file;
  pid_t program; /* 0: has ended */
  struct sigaction before[3], before_child;
  bool handling;
} session;

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on, SAME_PRESS_MS = 100 };

/* What the handlers touch. */
static volatile pid_t traced;
static volatile sig_atomic_t presses;
static volatile int64_t last_press_ms;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A terminal (SI_KERNEL) has told the program as well. timeout(1) and its like signal a process and
 * then its group: one press. */
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
  else if (traced > 0 && !same && info->si_code <= 0)
    kill(traced, number);
  errno = saved;
}

static void on_child(int number) {
  (void)number; /* ends a wait */
}

static void handle_signals(session *s) {
  struct sigaction ours = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO};
  sigemptyset(&ours.sa_mask);
  presses = 0;
  traced = s->program;
  for (size_t i = 0; i < HANDED_ON; i++) {
    sigaction(handed_on[i], NULL, &s->before[i]);
    if (s->before[i].sa_handler != SIG_IGN) sigaction(handed_on[i], &ours, NULL);
  }
  struct sigaction child = {.sa_handler = on_child};
  sigemptyset(&child.sa_mask);
  sigaction(SIGCHLD, &child, &s->before_child);
  s->handling = true;
}

static void unhandle_signals(session *s) {
  if (!s->handling) return;
  s->handling = false;
  traced = 0;
  for (size_t i = 0; i < HANDED_ON; i++) sigaction(handed_on[i], &s->before[i], NULL);
  sigaction(SIGCHLD, &s->before_child, NULL);
}

/* ---- files ---- */

static int library(lua_State *L) {
  static const char *const names[] = {"preload", "cupti", NULL};
  static const char *const files[] = {"capture.so", "capture_cupti.so"};
  char path[PATH_MAX];
  int which = luaL_checkoption(L, 1, NULL, names);
  if (tdm_module_path(files[which], path))
    lua_pushstring(L, path);
  else
    luaL_pushfail(L);
  return 1;
}

static int io_failure(lua_State *L, const char *path) {
  tdm_error error;
  tdm_error_set(&error, TDM_IO, "%s: %s", path, strerror(errno));
  return tdm_bind_failure(L, &error);
}

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int make(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *command = luaL_checkstring(L, 5);
  lua_Integer wanted = luaL_checkinteger(L, 2), limit = luaL_checkinteger(L, 3);
  union {
    tdm_capture_header header;
    char page[TDM_CAPTURE_HEADER_BYTES];
  } made = {.header = {.magic = TDM_CAPTURE_MAGIC}};
  made.header.version = TDM_CAPTURE_VERSION;
  made.header.wanted = (uint32_t)wanted;
  made.header.limit_bytes = (uint64_t)limit;
  made.header.recording = lua_toboolean(L, 4) ? 1 : 0;
  strncpy(made.header.command, command, sizeof made.header.command - 1);
  strncpy(made.header.range, luaL_optstring(L, 6, ""), sizeof made.header.range - 1);
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return io_failure(L, path);
  made.header.start_ns = clock_ns(CLOCK_MONOTONIC);
  made.header.start_utc_ns = clock_ns(CLOCK_REALTIME);
  ssize_t wrote = write(file, &made, sizeof made);
  int reason = wrote < 0 ? errno : ENOSPC;
  if (close(file) != 0 && wrote == (ssize_t)sizeof made) {
    wrote = -1;
    reason = errno;
  }
  errno = reason;
  if (wrote != (ssize_t)sizeof made) return io_failure(L, path);
  char whole[PATH_MAX];
  if (realpath(path, whole) == NULL) return io_failure(L, path);
  lua_pushstring(L, whole);
  return 1;
}

static int abandoned(lua_State *L) {
  int file = open(luaL_checkstring(L, 1), O_RDONLY | O_CLOEXEC);
  lua_pushboolean(L, file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0);
  if (file >= 0) close(file);
  return 1;
}

/* Whether the dynamic linker would not trust the environment of that program. */
static int privileged(lua_State *L) {
  struct stat about;
  const char *path = luaL_checkstring(L, 1);
  bool has = stat(path, &about) == 0 &&
             (((about.st_mode & S_ISUID) != 0 && about.st_uid != geteuid()) ||
              ((about.st_mode & S_ISGID) != 0 && about.st_gid != getegid()) ||
              (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0));
  lua_pushboolean(L, has);
  return 1;
}

/* ---- the program ---- */

/* The strings of a list, then NULL; they are the list's. */
static char **strings(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  size_t count = (size_t)luaL_len(L, index);
  char **texts = lua_newuserdatauv(L, (count + 1) * sizeof *texts, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    texts[i] = (char *)(uintptr_t)luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  texts[count] = NULL;
  return texts;
}

static bool names_same(const char *variable, const char *other) {
  size_t length = strcspn(variable, "=");
  return strncmp(variable, other, length) == 0 && other[length] == '=';
}

/* Our environment, with the variables of a list of "NAME=value" in place of ours. */
static char **environment_with(lua_State *L, int index) {
  char **changed = strings(L, index);
  size_t ours = 0, changes = 0, count = 0;
  while (environ[ours] != NULL) ours++;
  while (changed[changes] != NULL) changes++;
  char **all = lua_newuserdatauv(L, (ours + changes + 1) * sizeof *all, 0);
  for (size_t i = 0; i < ours; i++) {
    bool replaced = false;
    for (size_t c = 0; c < changes; c++) replaced |= names_same(changed[c], environ[i]);
    if (!replaced) all[count++] = environ[i];
  }
  for (size_t c = 0; c < changes; c++) all[count++] = changed[c];
  all[count] = NULL;
  return all;
}

/* In the group of this process, so that a terminal's Ctrl-C reaches it, with every signal that we
 * treat in a manner of our own as it was. */
static int spawn(char **argv, char **environment, const sigset_t *blocked, pid_t *program) {
  posix_spawnattr_t attributes;
  sigset_t plain;
  int failure = posix_spawnattr_init(&attributes);
  if (failure != 0) return failure;
  sigemptyset(&plain);
  sigaddset(&plain, SIGXFSZ);
  sigaddset(&plain, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &plain);
  posix_spawnattr_setsigmask(&attributes, blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  failure = posix_spawnp(program, argv[0], NULL, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

static tdm_status open_session(session *s, const char *path, tdm_error *error) {
  s->file = open(path, O_RDWR | O_CLOEXEC);
  if (s->file < 0 || flock(s->file, LOCK_EX | LOCK_NB) != 0)
    return tdm_error_set(error, TDM_IO, "%s: %s", path, strerror(errno));
  void *header =
      mmap(NULL, TDM_CAPTURE_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, 0);
  if (header == MAP_FAILED) return tdm_error_set(error, TDM_IO, "%s: %s", path, strerror(errno));
  s->header = header;
  return TDM_OK;
}

static int start(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  char **argv = strings(L, 2), **environment = environment_with(L, 3);
  luaL_argcheck(L, argv[0] != NULL, 2, "no program");
  session *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (session){.file = -1};
  luaL_setmetatable(L, session_name);
  tdm_error error;
  if (open_session(s, path, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  /* Signals that come now wait until there is a program to have them. */
  sigset_t wait, before;
  sigemptyset(&wait);
  for (size_t i = 0; i < HANDED_ON; i++) sigaddset(&wait, handed_on[i]);
  sigprocmask(SIG_BLOCK, &wait, &before);
  int failure = spawn(argv, environment, &before, &s->program);
  if (failure == 0) handle_signals(s);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (failure == 0) return 1;
  s->program = 0;
  luaL_pushfail(L);
  lua_pushstring(L, strerror(failure));
  lua_pushinteger(L, 4);
  lua_pushinteger(L, failure);
  return 4;
}

static session *session_of(lua_State *L) {
  session *s = luaL_checkudata(L, 1, session_name);
  luaL_argcheck(L, s->header != NULL, 1, "closed");
  return s;
}

static int session_wait(lua_State *L) {
  session *s = session_of(L);
  int64_t until_ms = now_ms() + luaL_checkinteger(L, 2);
  int status = 0;
  sig_atomic_t pressed = presses;
  while (s->program > 0) {
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid_t ended = waitpid(s->program, &status, WNOHANG);
    int64_t left_ms = until_ms - now_ms();
    if (ended == 0 && left_ms > 0 && presses == pressed) {
      struct timespec left = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
      sigset_t during = before;
      sigdelset(&during, SIGCHLD);
      pselect(0, NULL, NULL, NULL, &left, &during);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (ended == s->program || (ended < 0 && errno == ECHILD)) {
      traced = s->program = 0;
      lua_pushstring(L, WIFSIGNALED(status) ? "signal" : "exit");
      lua_pushinteger(L, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      return 2;
    }
    if (left_ms <= 0 || presses != pressed) break;
  }
  luaL_pushfail(L);
  return 1;
}

static int session_interrupts(lua_State *L) {
  session_of(L);
  lua_pushinteger(L, presses);
  return 1;
}

static int session_record(lua_State *L) {
  atomic_store(&session_of(L)->header->recording, lua_toboolean(L, 2) ? 1 : 0);
  return 0;
}

static void put(lua_State *L, const char *key, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, key);
}

static int session_state(lua_State *L) {
  session *s = session_of(L);
  struct stat about;
  lua_createtable(L, 0, 4);
  put(L, "chunks", atomic_load(&s->header->chunks));
  put(L, "lost", atomic_load(&s->header->lost));
  put(L, "recording", atomic_load(&s->header->recording));
  put(L, "bytes", fstat(s->file, &about) == 0 ? (uint64_t)about.st_size : 0);
  return 1;
}

/* Tells the libraries that nobody looks any more. A program that still runs goes on. */
static int session_close(lua_State *L) {
  session *s = luaL_checkudata(L, 1, session_name);
  unhandle_signals(s);
  if (s->header != NULL) {
    atomic_store(&s->header->recording, 0);
    atomic_store(&s->header->ended, 1);
    munmap(s->header, TDM_CAPTURE_HEADER_BYTES);
  }
  if (s->file >= 0) close(s->file);
  s->header = NULL;
  s->file = -1;
  return 0;
}

void tdm_bind_open_capture(lua_State *L) {
  static const luaL_Reg functions[] = {{"library", library},
                                       {"make", make},
                                       {"start", start},
                                       {"abandoned", abandoned},
                                       {"privileged", privileged},
                                       {"follow", tdm_bind_capture_follow},
                                       {NULL, NULL}};
  static const luaL_Reg methods[] = {{"wait", session_wait},     {"interrupts", session_interrupts},
                                     {"record", session_record}, {"state", session_state},
                                     {"close", session_close},   {"__gc", session_close},
                                     {"__close", session_close}, {NULL, NULL}};
  luaL_newmetatable(L, session_name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "capture");
}
