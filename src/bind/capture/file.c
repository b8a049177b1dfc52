/* Capture files as tandem has them: who makes one holds a lock on it for as long as it needs the
 * file, by which others know; what a tandem that was killed has left has none; see inside.h.
 */
#include "bind/capture/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether the file is there still. Who looks at one holds its lock briefly: that is waited for. */
static bool lock_new(int file) {
  struct stat about;
  int failed;
  do failed = flock(file, LOCK_EX);
  while (failed != 0 && errno == EINTR);
  return failed == 0 && fstat(file, &about) == 0 && about.st_nlink > 0;
}

static bool write_header(int file, const tdm_capture_header *begins) {
  union {
    tdm_capture_header header;
    char page[TDM_CAPTURE_HEADER_BYTES];
  } made;
  memset(&made, 0, sizeof made);
  memcpy(&made, begins, sizeof *begins);
  made.header.start_ns = clock_ns(CLOCK_MONOTONIC);
  made.header.start_utc_ns = clock_ns(CLOCK_REALTIME);
  ssize_t wrote = write(file, &made, sizeof made);
  if (wrote >= 0 && wrote != (ssize_t)sizeof made) errno = ENOSPC;
  return wrote == (ssize_t)sizeof made;
}

int tdm_capture_file_make(const char *path, const tdm_capture_header *begins) {
  int file;
  do {
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    errno = 0;
    if (lock_new(file)) break;
    int reason = errno; /* 0: another tandem took it for one that was left, before it was locked */
    close(file);
    if (reason != 0) unlink(path);
    errno = reason;
    file = -1;
  } while (errno == 0);
  if (file >= 0 && !write_header(file, begins)) {
    int reason = errno;
    unlink(path);
    close(file);
    errno = reason;
    return -1;
  }
  return file;
}

/* The descriptor of a file that nobody has locked, locked for us; -1: somebody has, or it is gone.
 */
static int take_abandoned(const char *path, struct stat *about) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, about) == 0 && about->st_nlink > 0)
    return file;
  close(file);
  return -1;
}

int tdm_bind_capture_abandoned(lua_State *L) {
  struct stat about;
  int file = take_abandoned(luaL_checkstring(L, 1), &about);
  lua_pushboolean(L, file >= 0);
  if (file >= 0) close(file);
  return 1;
}

int tdm_bind_capture_left(lua_State *L) {
  struct stat about;
  const char *path = luaL_checkstring(L, 1);
  int file = take_abandoned(path, &about);
  bool holds = file >= 0 && about.st_size > TDM_CAPTURE_HEADER_BYTES;
  if (file >= 0 && !holds) unlink(path);
  if (file >= 0) close(file);
  lua_pushboolean(L, holds);
  return 1;
}
