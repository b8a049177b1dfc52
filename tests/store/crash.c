/* LD_PRELOAD: what a process does to the files of a store, call by call. Used by crash.lua.
 *
 *   CRASH_LOG=FILE  where it is written; each record is an operation, two names and a number:
 *     op (1 byte), length of the name (2), length of the bytes (4), offset or size (8), name, bytes
 *     w: bytes are written   t: the file is cut to a size   s: what was written is safe
 *     c: it is made          u: it is removed               r: it is called `bytes` from now on
 *     l: it is called `bytes`, too
 *
 * Of files that are named *.db* (but -shm, which no crash keeps), and syncs of their folder. Little
 * endian, in the order in which they happened: threads that use the same file wait for each other
 * from before the call until it is written down. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NAME_MOST = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CRASH_LOG");
  if (path != NULL) out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  unsetenv("LD_PRELOAD");
}

static int is_store(const char *path) {
  const char *name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  return strstr(name, ".db") != NULL && strstr(name, "-shm") == NULL;
}

/* The file's name; 0: none of a store. Folders are asked for where their sync matters. */
static int name_of(int fd, char *path, int folders) {
  char link[64];
  struct stat about;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = out >= 0 && fd != out ? readlink(link, path, NAME_MOST - 1) : -1;
  if (length <= 0) return 0;
  path[length] = 0;
  if (is_store(path)) return 1;
  return folders && fstat(fd, &about) == 0 && S_ISDIR(about.st_mode);
}

static void tell(char op, const char *name, const void *bytes, size_t count, int64_t number) {
  static ssize_t (*real)(int, const void *, size_t);
  uint16_t name_length = (uint16_t)strlen(name);
  uint32_t length = (uint32_t)count;
  int saved = errno;
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "write");
  if (real(out, &op, 1) != 1 || real(out, &name_length, 2) != 2 || real(out, &length, 4) != 4 ||
      real(out, &number, 8) != 8 || real(out, name, name_length) != name_length ||
      (count > 0 && real(out, bytes, count) != (ssize_t)count))
    _exit(99);
  errno = saved;
}

/* What is not `recorded` takes no lock: it may be a pipe, which waits for its other end. */
#define CALL(result, name, parameters, arguments, recorded, then)                                  \
  result name parameters {                                                                         \
    static result(*real) parameters;                                                               \
    char path[NAME_MOST];                                                                          \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
    if (!(recorded)) return real arguments;                                                        \
    pthread_mutex_lock(&lock);                                                                     \
    result got = real arguments;                                                                   \
    then;                                                                                          \
    pthread_mutex_unlock(&lock);                                                                   \
    return got;                                                                                    \
  }

#define WRITES                                                                                     \
  if (got > 0) tell('w', path, bytes, (size_t)got, at)
#define CUTS                                                                                       \
  if (got == 0) tell('t', path, NULL, 0, size)
#define SYNCS                                                                                      \
  if (got == 0) tell('s', path, NULL, 0, 0)

CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at),
     name_of(fd, path, 0), WRITES)
CALL(ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at),
     name_of(fd, path, 0), WRITES)
CALL(int, ftruncate, (int fd, off_t size), (fd, size), name_of(fd, path, 0), CUTS)
CALL(int, ftruncate64, (int fd, off_t size), (fd, size), name_of(fd, path, 0), CUTS)
CALL(int, fsync, (int fd), (fd), name_of(fd, path, 1), SYNCS)
CALL(int, fdatasync, (int fd), (fd), name_of(fd, path, 1), SYNCS)
CALL(int, unlink, (const char *name), (name), out >= 0 && is_store(name),
     if (got == 0) tell('u', realpath(name, path) ? path : name, NULL, 0, 0))
CALL(int, rename, (const char *from, const char *to), (from, to), out >= 0 && is_store(to),
     if (got == 0 && realpath(to, path) != NULL) tell('r', from, path, strlen(path), 0))
CALL(int, link, (const char *from, const char *to), (from, to), out >= 0 && is_store(to),
     if (got == 0 && realpath(from, path) != NULL) tell('l', path, to, strlen(to), 0))

/* Sequential writes end where the file's position then is. */
CALL(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n), name_of(fd, path, 0),
     if (got > 0) tell('w', path, bytes, (size_t)got, (int64_t)lseek(fd, 0, SEEK_CUR) - got))

#define OPENS(name, real_name)                                                                     \
  int name(const char *path, int flags, ...) {                                                     \
    static int (*real)(const char *, int, ...);                                                    \
    char whole[NAME_MOST];                                                                         \
    struct stat about;                                                                             \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, real_name);                               \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                 \
    va_end(rest);                                                                                  \
    if ((flags & O_CREAT) == 0 || !is_store(path)) return real(path, flags, mode);                 \
    pthread_mutex_lock(&lock);                                                                     \
    int made = stat(path, &about) != 0;                                                            \
    int fd = real(path, flags, mode);                                                              \
    if (fd >= 0 && made && name_of(fd, whole, 0)) tell('c', whole, NULL, 0, 0);                    \
    pthread_mutex_unlock(&lock);                                                                   \
    return fd;                                                                                     \
  }
OPENS(open, "open")
OPENS(open64, "open64")
