/* LD_PRELOAD: one call among many fails. Used by once.lua.
 *
 *   ONCE_OF=memory|write|sync|name|cut|open|read  which calls are counted: the table in `kind`
 *   ONCE_AT=N       the N-th of them fails, counted from 1; 0: none does
 *   ONCE_LASTS=1    and so do all after it
 *   ONCE_TELLS=FILE how many there were and how many failed, as two int64, at any time
 *   ONCE_WAYS=FILE  for each call, in their order, an uint64: the same for two that came by the
 *                   same stack of C calls (where addresses are not randomized: setarch -R)
 *
 *   ONCE_EACH=LOG   every call is tried in one run: at each the process forks, and in the copy it
 *                   fails, while the process itself waits, puts all files of the folder
 *                   ONCE_FOLDER back and goes on (tries.h)
 *   ONCE_FROZEN=1   no threads, and one time, as with ONCE_EACH
 *
 * Counted over all threads of one process; what that starts has no faults. Standard error always
 * works: it is where the fault is told. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

enum kind { MEMORY, WRITE, SYNC, NAME, CUT, OPEN, READ, NONE };
static const char *const kinds[] = {"memory", "write", "sync", "name", "cut", "open", "read"};

static _Atomic int64_t *told; /* made, failed; NULL: nothing is counted */
static enum kind of = NONE;
static int64_t at;
static int lasts;

enum { MOST_WAYS = 1 << 20, DEEPEST = 48 };
static uint64_t *ways;
static __thread int looking; /* the unwinder may ask for memory itself */

__attribute__((noinline)) static uint64_t way_of(void) {
  looking = 1;
  void *stack[DEEPEST];
  int depth = backtrace(stack, DEEPEST);
  uint64_t hash = 14695981039346656037u;
  for (int i = 2; i < depth; i++) hash = (hash ^ (uint64_t)(uintptr_t)stack[i]) * 1099511628211u;
  looking = 0;
  return hash;
}

#include "tries.h"

static void forget(void) {
  if (!trying) told = NULL;
}

static void *shared(const char *path, size_t bytes) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) _exit(99);
  void *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (file == MAP_FAILED) _exit(99);
  return file;
}

__attribute__((constructor)) static void begin(void) {
  const char *wanted = getenv("ONCE_OF"), *number = getenv("ONCE_AT"),
             *tells = getenv("ONCE_TELLS");
  if (wanted == NULL || number == NULL || tells == NULL) return;
  void *file = shared(tells, 16), *first[1];
  if (pthread_atfork(NULL, NULL, forget) != 0) _exit(99);
  if (getenv("ONCE_WAYS") != NULL) {
    ways = shared(getenv("ONCE_WAYS"), MOST_WAYS * sizeof *ways);
  }
  backtrace(first, 1); /* loads the unwinder */
  for (int k = MEMORY; k < NONE; k++)
    if (strcmp(wanted, kinds[k]) == 0) of = (enum kind)k;
  at = atoll(number);
  lasts = getenv("ONCE_LASTS") != NULL;
  unsetenv("LD_PRELOAD");
  if (getenv("ONCE_EACH") != NULL || getenv("ONCE_FROZEN") != NULL) freeze();
  if (getenv("ONCE_EACH") != NULL) begin_tries();
  told = file; /* what the loader took is not counted */
}

static int fails(enum kind kind) {
  if (told == NULL || kind != of) return 0;
  if (looking) return 0;
  int64_t now = atomic_fetch_add(&told[0], 1) + 1;
  int tried = each || (group_left > 0 && now >= group_next);
  uint64_t way = ways != NULL || tried ? way_of() : 0;
  if (ways != NULL && now <= MOST_WAYS) ways[now - 1] = way;
  if (tried && (each ? try_here(now, way) : fails_beside(now, way))) {
    errno = kind == MEMORY ? ENOMEM : EIO;
    return 1;
  }
  if (at == 0 || now < at || (now > at && !lasts)) return 0;
  atomic_fetch_add(&told[1], 1);
  errno = kind == MEMORY ? ENOMEM : EIO;
  return 1;
}

void *malloc(size_t size) {
  return fails(MEMORY) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return fails(MEMORY) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  return size > 0 && fails(MEMORY) ? NULL : __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails(MEMORY)) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}

#define REAL(name)                                                                                 \
  static __typeof__(&name) real;                                                                   \
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define CALL(result, name, kind, counted, parameters, arguments)                                   \
  result name parameters {                                                                         \
    static result(*real) parameters;                                                               \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
    if ((counted) && fails(kind)) return -1;                                                       \
    return real arguments;                                                                         \
  }

CALL(ssize_t, write, WRITE, fd != 2, (int fd, const void *from, size_t n), (fd, from, n))
CALL(ssize_t, pwrite, WRITE, 1, (int fd, const void *from, size_t n, off_t to), (fd, from, n, to))
CALL(ssize_t, pwrite64, WRITE, 1, (int fd, const void *from, size_t n, off_t to), (fd, from, n, to))
CALL(ssize_t, writev, WRITE, fd != 2, (int fd, const struct iovec *from, int n), (fd, from, n))
CALL(ssize_t, read, READ, 1, (int fd, void *to, size_t n), (fd, to, n))
CALL(ssize_t, pread, READ, 1, (int fd, void *to, size_t n, off_t from), (fd, to, n, from))
CALL(ssize_t, pread64, READ, 1, (int fd, void *to, size_t n, off_t from), (fd, to, n, from))
CALL(int, fsync, SYNC, 1, (int fd), (fd))
CALL(int, fdatasync, SYNC, 1, (int fd), (fd))
CALL(int, rename, NAME, 1, (const char *from, const char *to), (from, to))
CALL(int, link, NAME, 1, (const char *from, const char *to), (from, to))
CALL(int, unlink, NAME, 1, (const char *name), (name))
CALL(int, remove, NAME, 1, (const char *name), (name))
CALL(int, rmdir, NAME, 1, (const char *name), (name))
CALL(int, mkdir, NAME, 1, (const char *name, mode_t mode), (name, mode))
CALL(int, mkostemp, OPEN, 1, (char *name, int flags), (name, flags))
CALL(int, ftruncate, CUT, 1, (int fd, off_t size), (fd, size))
CALL(int, ftruncate64, CUT, 1, (int fd, off_t size), (fd, size))

#define OPENS(name, real_name)                                                                     \
  int name(const char *path, int flags, ...) {                                                     \
    static int (*real)(const char *, int, ...);                                                    \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, real_name);                               \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                 \
    va_end(rest);                                                                                  \
    return fails(OPEN) ? -1 : real(path, flags, mode);                                             \
  }
OPENS(open, "open")
OPENS(open64, "open64")

/* Streams ask the system from inside the library. */
#define STREAM_OPENS(name)                                                                         \
  FILE *name(const char *path, const char *mode) {                                                 \
    static FILE *(*real)(const char *, const char *);                                              \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
    return fails(OPEN) ? NULL : real(path, mode);                                                  \
  }
STREAM_OPENS(fopen)
STREAM_OPENS(fopen64)

static int stream_fails(enum kind kind, FILE *stream) {
  if (stream == stderr || !fails(kind)) return 0;
  stream->_flags |= 0x20; /* as the library tells ferror of it */
  return 1;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *to) {
  REAL(fwrite);
  return stream_fails(WRITE, to) ? 0 : real(from, size, n, to);
}

size_t fread(void *to, size_t size, size_t n, FILE *from) {
  REAL(fread);
  return stream_fails(READ, from) ? 0 : real(to, size, n, from);
}

int fflush(FILE *stream) {
  REAL(fflush);
  return stream != NULL && stream_fails(WRITE, stream) ? EOF : real(stream);
}

int fclose(FILE *stream) {
  REAL(fclose);
  int lost = stream_fails(WRITE, stream), code = real(stream);
  if (lost) errno = EIO;
  return lost ? EOF : code;
}

/* While every call is tried, the copies must not differ in more than what fails: no threads (the
 * program does without), one time, one process number, and no locks, which a copy does not have. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *context) {
  REAL(pthread_create);
  return frozen ? EAGAIN : real(thread, attributes, work, context);
}

pid_t getpid(void) {
  REAL(getpid);
  return frozen ? frozen_pid : real();
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  if (!frozen || clock != CLOCK_REALTIME) return real(clock, now);
  *now = frozen_at;
  return 0;
}

time_t time(time_t *now) {
  REAL(time);
  if (!frozen) return real(now);
  if (now != NULL) *now = frozen_at.tv_sec;
  return frozen_at.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  if (!frozen) return real(now, zone);
  *now = (struct timeval){frozen_at.tv_sec, frozen_at.tv_nsec / 1000};
  return 0;
}

#define LOCKS(name)                                                                                \
  int name(int fd, int what, ...) {                                                                \
    static int (*real)(int, int, ...);                                                             \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
    va_list rest;                                                                                  \
    va_start(rest, what);                                                                          \
    void *with = va_arg(rest, void *);                                                             \
    va_end(rest);                                                                                  \
    if (frozen && (what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK)) return 0;          \
    if (frozen && (what == F_GETLK || what == F_OFD_GETLK)) {                                      \
      ((struct flock *)with)->l_type = F_UNLCK;                                                    \
      return 0;                                                                                    \
    }                                                                                              \
    return real(fd, what, with);                                                                   \
  }
LOCKS(fcntl)
LOCKS(fcntl64)
