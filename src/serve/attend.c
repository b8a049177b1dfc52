/* See attend.h. Owns the directory of the jobs and the bytes of the line that is being read. */
#include "serve/attend.h"

#include <errno.h>
#include <lauxlib.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "serve/convert.h"

enum { BLOCK = 65536, MS = 1000 };

typedef struct {
  tdm_settings settings;
  tdm_jobs *jobs;
  tdm_stats stats;
  char *directory;
  sigset_t ends, before;
  int signals;
  size_t most; /* of a line */
  char *bytes; /* read and not yet given out */
  size_t first, count, room;
  bool over;     /* of input */
  bool skipping; /* the rest of a line that was too long */
} attendant;

static const char attendant_key[] = "tandem.serve.attendant";

static lua_Integer number_of(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  lua_Integer value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

static void settings_from(lua_State *L, attendant *a) {
  a->settings.jobs = (unsigned)number_of(L, "jobs");
  a->settings.waiting = (unsigned)number_of(L, "waiting");
  a->settings.job_s = (unsigned)number_of(L, "job_s");
  a->settings.job_bytes = (uint64_t)number_of(L, "job_bytes");
  a->settings.job_file_bytes = (uint64_t)number_of(L, "job_file_bytes");
  a->most = (size_t)number_of(L, "line_bytes");
  lua_getfield(L, 1, "files");
  a->settings.files = luaL_checkstring(L, -1); /* kept on the stack */
}

/* ---- lines */

/* Waits for bytes or a signal. False: neither came in time. */
static bool wait_for_bytes(attendant *a, int timeout_ms) {
  struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = a->signals, .events = POLLIN}};
  int ready = poll(files, 2, timeout_ms);
  if (ready <= 0) return false;
  if (files[1].revents != 0) {
    a->over = true;
    a->count = 0;
  }
  return true;
}

/* More bytes behind those that are there. False: no memory. */
static bool read_more(attendant *a) {
  if (a->first > 0) {
    memmove(a->bytes, a->bytes + a->first, a->count);
    a->first = 0;
  }
  if (!tdm_array_grow(&a->bytes, &a->room, a->count + BLOCK, 1)) return false;
  ssize_t got = read(STDIN_FILENO, a->bytes + a->count, BLOCK);
  if (got > 0)
    a->count += (size_t)got;
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    a->over = true;
  return true;
}

/* Takes a line out of the bytes that were read. NULL: there is none; *is_long: there was one. */
static const char *take_line(attendant *a, size_t *length, bool *is_long) {
  char *start = a->bytes != NULL ? a->bytes + a->first : NULL;
  char *end = a->count > 0 ? memchr(start, '\n', a->count) : NULL;
  bool last = end == NULL && a->over && a->count > 0; /* without its end */
  *is_long = false;
  if (end == NULL && !last) {
    if (a->count > a->most || a->skipping) {
      a->skipping = a->skipping || a->count > 0;
      a->count = 0;
    }
    return NULL;
  }
  *length = last ? a->count : (size_t)(end - start);
  size_t taken = *length + (last ? 0 : 1);
  a->first += taken;
  a->count -= taken;
  *is_long = a->skipping || *length > a->most;
  a->skipping = false;
  return *is_long ? NULL : start;
}

/* next(timeout_s) → kind, text? */
static int next_line(lua_State *L) {
  attendant *a = lua_touserdata(L, lua_upvalueindex(1));
  double seconds = luaL_checknumber(L, 1);
  bool waited = false;
  for (;;) {
    size_t length = 0;
    bool is_long;
    const char *line = take_line(a, &length, &is_long);
    if (line != NULL) {
      lua_pushliteral(L, "line");
      lua_pushlstring(L, line, length);
      return 2;
    }
    if (is_long || (a->over && a->skipping)) {
      a->skipping = false;
      lua_pushliteral(L, "long");
      return 1;
    }
    if (a->over || waited) {
      lua_pushstring(L, a->over ? "end" : "none");
      return 1;
    }
    waited = !wait_for_bytes(a, (int)(seconds * MS));
    if (!waited && !a->over && !read_more(a)) return luaL_error(L, "not enough memory");
  }
}

/* ---- from beginning to end */

static bool open_jobs(attendant *a, tdm_error *error) {
  const char *above = getenv("TMPDIR");
  if (asprintf(&a->directory, "%s/tandem-XXXXXX", above && *above ? above : "/tmp") < 0) {
    a->directory = NULL;
    tdm_error_memory(error, "a directory", 0);
    return false;
  }
  if (mkdtemp(a->directory) == NULL) {
    tdm_error_set(error, TDM_IO, "%s: %s", a->directory, strerror(errno));
    free(a->directory);
    a->directory = NULL;
    return false;
  }
  a->settings.spool = a->directory;
  return tdm_jobs_open(&a->settings, NULL, NULL, &a->jobs, error) == TDM_OK;
}

static void close_all(attendant *a) {
  if (a->jobs != NULL) {
    tdm_jobs_finish(a->jobs);
    tdm_jobs_close(a->jobs);
  }
  if (a->directory != NULL) {
    char *below = NULL;
    if (asprintf(&below, "%s/jobs", a->directory) >= 0) rmdir(below), free(below);
    rmdir(a->directory);
    free(a->directory);
  }
  if (a->signals >= 0) close(a->signals);
  free(a->bytes);
  struct timespec none = {0};
  while (sigtimedwait(&a->ends, NULL, &none) > 0) {
  } /* they were meant for us too */
  pthread_sigmask(SIG_SETMASK, &a->before, NULL);
}

int tdm_attend(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  attendant *a = lua_newuserdatauv(L, sizeof *a, 0);
  memset(a, 0, sizeof *a);
  lua_setfield(L, LUA_REGISTRYINDEX, attendant_key); /* lives as long as what it lends out */
  settings_from(L, a);
  lua_getfield(L, 1, "body");
  luaL_checktype(L, -1, LUA_TFUNCTION);
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(&a->ends);
  sigaddset(&a->ends, SIGINT);
  sigaddset(&a->ends, SIGTERM);
  struct sigaction hangs_up;
  if (sigaction(SIGHUP, NULL, &hangs_up) == 0 && hangs_up.sa_handler != SIG_IGN)
    sigaddset(&a->ends, SIGHUP); /* under nohup it is ignored */
  pthread_sigmask(SIG_BLOCK, &a->ends, &a->before);
  a->signals = signalfd(-1, &a->ends, SFD_CLOEXEC | SFD_NONBLOCK);
  tdm_error error;
  if (!open_jobs(a, &error)) {
    close_all(a);
    luaL_pushfail(L);
    lua_pushstring(L, error.message);
    return 2;
  }
  tdm_convert_install(L, &a->jobs, &a->stats);
  lua_pushlightuserdata(L, a);
  lua_pushcclosure(L, next_line, 1);
  int failed = lua_pcall(L, 1, 0, 0);
  close_all(a);
  if (failed != LUA_OK) return lua_error(L);
  lua_pushboolean(L, 1);
  return 1;
}
