/* LD_PRELOAD: the world fails after so many bytes written to a store. Used by faults.lua.
 *
 *   FAULT_AFTER=N    bytes written to files named *.db* until then
 *   FAULT_KIND=kill  the process dies in the middle of that write, as by kill -9
 *   FAULT_KIND=full  from then on the disk is full
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_llong written;

static int is_store(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name != NULL && strstr(name, ".db") != NULL;
}

/* How many of `count` bytes may still be written; kills or fails as told. */
static ssize_t allowed(int fd, size_t count, int *full) {
  const char *after = getenv("FAULT_AFTER"), *kind = getenv("FAULT_KIND");
  *full = 0;
  if (after == NULL || kind == NULL || !is_store(fd)) return (ssize_t)count;
  long long limit = atoll(after);
  long long before = atomic_fetch_add(&written, (long long)count);
  if (before + (long long)count <= limit) return (ssize_t)count;
  *full = strcmp(kind, "full") == 0;
  return before < limit ? (ssize_t)(limit - before) : 0;
}

#define WRITE(name, parameters, arguments)                                                         \
  ssize_t name parameters {                                                                        \
    static ssize_t(*real) parameters;                                                              \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
    int full;                                                                                      \
    size_t whole = count;                                                                          \
    count = (size_t)allowed(fd, count, &full);                                                     \
    if (count == whole) return real arguments;                                                     \
    if (!full) {                                                                                   \
      if (count > 0 && real arguments < 0) _exit(99);                                              \
      raise(SIGKILL);                                                                              \
    }                                                                                              \
    errno = ENOSPC;                                                                                \
    return -1;                                                                                     \
  }

WRITE(write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
WRITE(pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
WRITE(pwrite64, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
