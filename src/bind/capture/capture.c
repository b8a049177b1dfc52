/* core.capture: a capture file made, a program run that fills it, and a look at one that grows.
 *
 * capture.library(name) → the path of "preload" or "cupti", or nil: it was not built
 * capture.make(path, wanted, limit_bytes, recording, command, range) → session | nil, message,
 * code, errno; the file is the session's, which others know by a lock, until it is closed
 * capture.abandoned(path) → whether no tandem has the file any more
 * capture.left(path) → whether it is such a file with records; one without any is removed
 * capture.privileged(path) → whether that program runs with rights that ours has not
 * capture.follow(path) → follower | nil, message, code
 *
 * session:path() → of the file, from the root.
 * session:start(argv, { "NAME=value", … }) → true | nil, message, code, errno; these variables are
 * added to our environment.
 * session:wait(ms) → nil while the program runs, else "exit" or "signal", and its number; returns
 * early when a signal came. session:interrupts() → how often Ctrl-C was pressed.
 * session:record(on). session:state() → { chunks, lost, recording, bytes, unreachable }; the last:
 * why a process could write no more, nil: none. session:stop(): nobody looks any more.
 * session:close().
 *
 * From start to stop signals are the program's (inside.h). One session at a time. Owns the
 * file's descriptor with its lock, and the mapping of the header. Called by tandem.cli.capture and
 * tandem.cli.watch. */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/module.h"
#include "base/privacy.h"
#include "bind/bind.h"
#include "bind/capture/inside.h"
#include "capture/format.h"

static const char session_name[] = "tandem.capture";

typedef struct {
  tdm_capture_header *header;
  int file;
  pid_t program; /* 0: has ended, or not begun */
  bool handling; /* its signals */
  char path[PATH_MAX];
} session;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
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

static int io_failure(lua_State *L, const char *path, int reason) {
  tdm_error error;
  tdm_error_set(&error, TDM_IO, "%s: %s", path, strerror(reason));
  int count = tdm_bind_failure(L, &error);
  lua_pushinteger(L, reason);
  return count + 1;
}

static session *new_session(lua_State *L) {
  session *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (session){.file = -1};
  luaL_setmetatable(L, session_name);
  return s;
}

static int make(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *command = luaL_checkstring(L, 5);
  lua_Integer wanted = luaL_checkinteger(L, 2), limit = luaL_checkinteger(L, 3);
  tdm_capture_header begins = {.magic = TDM_CAPTURE_MAGIC};
  begins.version = TDM_CAPTURE_VERSION;
  begins.wanted = (uint32_t)wanted;
  begins.limit_bytes = (uint64_t)limit;
  begins.recording = lua_toboolean(L, 4) ? 1 : 0;
  strncpy(begins.command, command, sizeof begins.command - 1);
  strncpy(begins.range, luaL_optstring(L, 6, ""), sizeof begins.range - 1);
  session *s = new_session(L);
  s->file = tdm_capture_file_make(path, &begins);
  if (s->file < 0) return io_failure(L, path, errno);
  void *header =
      mmap(NULL, TDM_CAPTURE_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, 0);
  if (header == MAP_FAILED || realpath(path, s->path) == NULL) {
    int reason = errno;
    unlink(path);
    return io_failure(L, path, reason);
  }
  s->header = header;
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
  mode_t ours = umask(tdm_privacy_mask_of_user());
  failure = posix_spawnp(program, argv[0], NULL, &attributes, argv, environment);
  umask(ours);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

static session *session_of(lua_State *L) {
  session *s = luaL_checkudata(L, 1, session_name);
  luaL_argcheck(L, s->header != NULL, 1, "closed");
  return s;
}

static int session_path(lua_State *L) {
  lua_pushstring(L, session_of(L)->path);
  return 1;
}

static int session_start(lua_State *L) {
  session *s = session_of(L);
  char **argv = strings(L, 2), **environment = environment_with(L, 3);
  luaL_argcheck(L, argv[0] != NULL, 2, "no program");
  /* Signals that come now wait until there is a program to have them. */
  sigset_t wait, before;
  tdm_capture_signals_set(&wait);
  sigprocmask(SIG_BLOCK, &wait, &before);
  int failure = spawn(argv, environment, &before, &s->program);
  if (failure == 0) tdm_capture_signals_take(s->program);
  sigprocmask(SIG_SETMASK, &before, NULL);
  s->handling = failure == 0;
  if (failure == 0) {
    lua_pushboolean(L, true);
    return 1;
  }
  s->program = 0;
  luaL_pushfail(L);
  lua_pushstring(L, strerror(failure));
  lua_pushinteger(L, 4);
  lua_pushinteger(L, failure);
  return 4;
}

static int session_wait(lua_State *L) {
  session *s = session_of(L);
  int64_t until_ms = now_ms() + luaL_checkinteger(L, 2);
  int status = 0;
  int pressed = tdm_capture_signals_presses();
  while (s->program > 0) {
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid_t ended = waitpid(s->program, &status, WNOHANG);
    int64_t left_ms = until_ms - now_ms();
    if (ended == 0 && left_ms > 0 && tdm_capture_signals_presses() == pressed) {
      struct timespec left = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
      sigset_t during = before;
      sigdelset(&during, SIGCHLD);
      pselect(0, NULL, NULL, NULL, &left, &during);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (ended == s->program || (ended < 0 && errno == ECHILD)) {
      tdm_capture_signals_drop();
      s->program = 0;
      lua_pushstring(L, WIFSIGNALED(status) ? "signal" : "exit");
      lua_pushinteger(L, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      return 2;
    }
    if (left_ms <= 0 || tdm_capture_signals_presses() != pressed) break;
  }
  luaL_pushfail(L);
  return 1;
}

static int session_interrupts(lua_State *L) {
  session_of(L);
  lua_pushinteger(L, tdm_capture_signals_presses());
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
  uint32_t reason = atomic_load(&s->header->unreachable);
  if (reason != 0) {
    lua_pushstring(L, strerror((int)reason));
    lua_setfield(L, -2, "unreachable");
  }
  put(L, "recording", atomic_load(&s->header->recording));
  put(L, "bytes", fstat(s->file, &about) == 0 ? (uint64_t)about.st_size : 0);
  return 1;
}

/* Tells the libraries too. A program that still runs goes on. */
static void stop(session *s) {
  if (s->header == NULL) return;
  if (s->handling) tdm_capture_signals_restore();
  s->handling = false;
  atomic_store(&s->header->recording, 0);
  atomic_store(&s->header->ended, 1);
}

static int session_stop(lua_State *L) {
  stop(session_of(L));
  return 0;
}

static int session_close(lua_State *L) {
  session *s = luaL_checkudata(L, 1, session_name);
  stop(s);
  if (s->header != NULL) munmap(s->header, TDM_CAPTURE_HEADER_BYTES);
  if (s->file >= 0) close(s->file);
  s->header = NULL;
  s->file = -1;
  return 0;
}

void tdm_bind_open_capture(lua_State *L) {
  static const luaL_Reg functions[] = {{"library", library},
                                       {"make", make},
                                       {"abandoned", tdm_bind_capture_abandoned},
                                       {"left", tdm_bind_capture_left},
                                       {"privileged", privileged},
                                       {"follow", tdm_bind_capture_follow},
                                       {NULL, NULL}};
  static const luaL_Reg methods[] = {{"path", session_path},
                                     {"start", session_start},
                                     {"stop", session_stop},
                                     {"wait", session_wait},
                                     {"interrupts", session_interrupts},
                                     {"record", session_record},
                                     {"state", session_state},
                                     {"close", session_close},
                                     {"__gc", session_close},
                                     {"__close", session_close},
                                     {NULL, NULL}};
  luaL_newmetatable(L, session_name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "capture");
}
