/* The capture file, mapped: chunks, names and their fork. See buffer.h for who owns what. */
#include "capture/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  KEPT_FROM = 992, /* numbers of our descriptors: no program looks for one of its own there */
  KEPT_PROBES = 32,
  NAMES = 1 << 16, /* ids that are remembered as written; others are written again */
  PROBES = 16,
  CORRELATIONS = 256, /* taken at once by a thread */
  SPARES = 1024,
  SPARE_ROOM = 64, /* slots: what has less is no spare */
  NAME_BYTES = UINT16_MAX
};

/* Where one thread, or for records of no thread the process, is writing. */
typedef struct {
  tdm_capture_chunk *chunk; /* NULL: none is open; its mapping begins with its page */
  uint32_t filled;
  uint32_t tid;  /* 0: not asked yet */
  uint32_t busy; /* a signal handler must not write between two lines of what it interrupted */
  uint32_t correlation; /* the last one given; a multiple of CORRELATIONS: time for more */
} desk;

/* initial-exec: other models call malloc for a thread's first access. */
static _Thread_local desk mine __attribute__((tls_model("initial-exec")));
static desk nobodys;
static atomic_flag nobodys_lock = ATOMIC_FLAG_INIT;

/* Chunks that threads which have ended had not filled, mapped still, for threads to come. */
static _Atomic(tdm_capture_chunk *) spares[SPARES];
static _Atomic uint32_t spare_count; /* about, so that few look in vain */

static tdm_capture_header none; /* stands in for a missing file */
static struct {
  _Atomic(tdm_capture_header *) header;
  _Atomic(_Atomic uint64_t *) names;
  _Atomic bool full;
  _Atomic uint32_t correlations;
  _Atomic uint32_t pid;
  _Atomic uint32_t left; /* to others: TDM_CAPTURE_WANT_… */
  pthread_key_t at_exit;
  tdm_capture_header *mapped; /* NULL: the file could not be reached */
  dev_t device;
  ino_t inode;
  _Atomic int kept; /* a descriptor of the file, if it still is; -1: none */
  bool handed_down; /* to what the program executes */
  char path[PATH_MAX];
} the = {.kept = -1};
static pthread_once_t once = PTHREAD_ONCE_INIT;

int64_t tdm_capture_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint32_t tdm_capture_thread(void) {
  if (!mine.tid) mine.tid = (uint32_t)gettid();
  return mine.tid;
}

/* ---- the file ---- */

static bool is_ours(int fd) {
  struct stat file;
  return !fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_dev == the.device &&
         file.st_ino == the.inode;
}

static int first_kept(void) {
  struct rlimit files;
  bool few = !getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur <= KEPT_FROM;
  return few ? (int)files.rlim_cur / 2 : KEPT_FROM;
}

/* A program may give up the right to open the file, or the directory that it is in. */
static void keep(int fd) {
  int first = first_kept();
  if (!is_ours(first)) first = fcntl(fd, the.handed_down ? F_DUPFD : F_DUPFD_CLOEXEC, first);
  atomic_store(&the.kept, first);
}

/* A copy of what another library in this process has kept, or the program that executed this one;
 * -1: there is none. */
static int find_kept(void) {
  int first = first_kept();
  for (int fd = first; fd < first + KEPT_PROBES; fd++) {
    char magic[sizeof TDM_CAPTURE_MAGIC - 1];
    struct stat file;
    if (!fstat(fd, &file) && S_ISREG(file.st_mode) &&
        pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
        !memcmp(magic, TDM_CAPTURE_MAGIC, sizeof magic))
      return fcntl(fd, F_DUPFD_CLOEXEC, first);
  }
  return -1;
}

/* A descriptor for a moment, or -1 and errno. Programs close what they know not, and get its number
 * for a file of theirs: what is looked at is a copy. */
static int open_file(void) {
  int kept = atomic_load(&the.kept);
  int fd = kept >= 0 ? fcntl(kept, F_DUPFD_CLOEXEC, first_kept()) : -1;
  if (fd >= 0 && is_ours(fd)) return fd;
  if (fd >= 0) close(fd);
  fd = open(the.path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  if (is_ours(fd)) {
    keep(fd);
    return fd;
  }
  close(fd);
  errno = ENOENT;
  return -1;
}

static tdm_capture_header *map_header(int fd) {
  struct stat file;
  if (fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_size < TDM_CAPTURE_HEADER_BYTES)
    return NULL;
  void *at = mmap(NULL, TDM_CAPTURE_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return NULL;
  tdm_capture_header *header = at;
  the.device = file.st_dev;
  the.inode = file.st_ino;
  if (!memcmp(header->magic, TDM_CAPTURE_MAGIC, sizeof header->magic) &&
      header->version == TDM_CAPTURE_VERSION)
    return header;
  munmap(at, TDM_CAPTURE_HEADER_BYTES);
  return NULL;
}

/* When the library is loaded, since later the program may have no way to the file. Those of root
 * may execute others as somebody else, who then have the descriptor alone. */
__attribute__((constructor)) static void reach(void) {
  const char *path = getenv(TDM_CAPTURE_FILE_VARIABLE);
  if (the.mapped || !path || !*path || strlen(path) >= sizeof the.path) return;
  int error = errno;
  strcpy(the.path, path);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  the.handed_down = fd < 0 || !geteuid();
  if (fd < 0) fd = find_kept();
  if (fd >= 0) {
    the.mapped = map_header(fd);
    if (the.mapped) keep(fd);
    close(fd);
  }
  errno = error;
}

/* ---- desks ---- */

static void unmap(tdm_capture_chunk *chunk) {
  size_t before = (uintptr_t)chunk % (size_t)sysconf(_SC_PAGESIZE);
  if (chunk) munmap((char *)chunk - before, before + TDM_CAPTURE_CHUNK_BYTES);
}

static void close_desk(desk *d) {
  unmap(d->chunk);
  d->chunk = NULL;
}

static void add_spare(tdm_capture_chunk *chunk) {
  for (uint32_t i = 0; i < SPARES; i++) {
    tdm_capture_chunk *empty = NULL;
    if (atomic_load_explicit(&spares[i], memory_order_relaxed) ||
        !atomic_compare_exchange_strong(&spares[i], &empty, chunk))
      continue;
    atomic_fetch_add(&spare_count, 1);
    return;
  }
  unmap(chunk);
}

/* Whoever takes the chunk out of its place has it alone. */
static tdm_capture_chunk *take_spare(uint32_t slots) {
  if (!atomic_load(&spare_count)) return NULL;
  for (uint32_t i = 0; i < SPARES; i++) {
    tdm_capture_chunk *chunk = atomic_load_explicit(&spares[i], memory_order_relaxed);
    chunk = chunk ? atomic_exchange(&spares[i], NULL) : NULL;
    if (!chunk) continue;
    atomic_fetch_sub(&spare_count, 1);
    if (atomic_load(&chunk->records) + slots <= TDM_CAPTURE_CHUNK_RECORDS) return chunk;
    add_spare(chunk);
  }
  return NULL;
}

/* Done with its chunk, a thread leaves the rest of it to others. */
static void leave_chunk(desk *d) {
  if (d->chunk && d->filled + SPARE_ROOM <= TDM_CAPTURE_CHUNK_RECORDS)
    add_spare(d->chunk);
  else
    unmap(d->chunk);
  d->chunk = NULL;
}

static void thread_exit(void *unused) {
  (void)unused;
  if (mine.busy) return;
  int error = errno;
  mine.busy = 1;
  leave_chunk(&mine);
  mine.busy = 0;
  errno = error;
}

/* Of the threads only the one that forked goes on, with chunks and names of its own. */
static void child(void) {
  atomic_store(&the.pid, (uint32_t)getpid());
  close_desk(&mine);
  mine.busy = mine.tid = 0;
  close_desk(&nobodys);
  nobodys.busy = 0;
  for (uint32_t i = 0; i < SPARES; i++) unmap(atomic_exchange(&spares[i], NULL));
  atomic_store(&spare_count, 0);
  atomic_flag_clear(&nobodys_lock);
  _Atomic uint64_t *names = atomic_load(&the.names);
  if (names) madvise((void *)names, NAMES * sizeof *names, MADV_DONTNEED);
}

static void begin(void) {
  int error = errno;
  atomic_store(&the.pid, (uint32_t)getpid());
  reach();
  tdm_capture_header *header = the.mapped;
  if (header) {
    void *names = mmap(NULL, NAMES * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (names == MAP_FAILED || pthread_key_create(&the.at_exit, thread_exit) ||
        pthread_atfork(NULL, NULL, child))
      header = NULL;
    else
      atomic_store(&the.names, (_Atomic uint64_t *)names);
  }
  atomic_store(&the.header, header ? header : &none);
  errno = error;
}

tdm_capture_header *tdm_capture_file(void) {
  tdm_capture_header *header = atomic_load_explicit(&the.header, memory_order_acquire);
  if (header) return header;
  pthread_once(&once, begin);
  return atomic_load(&the.header);
}

bool tdm_capture_wants(uint32_t what) {
  tdm_capture_header *header = tdm_capture_file();
  uint32_t mine_still = ~atomic_load_explicit(&the.left, memory_order_relaxed);
  return (header->wanted & what & mine_still) &&
         atomic_load_explicit(&header->recording, memory_order_relaxed);
}

void tdm_capture_only(uint32_t what) {
  atomic_store(&the.left, ~what);
}

void tdm_capture_add_lost(uint64_t records) {
  atomic_fetch_add_explicit(&tdm_capture_file()->lost, records, memory_order_relaxed);
}

/* Room for one more chunk in the file, or 0. Disk is taken now, since a write into a mapping for
 * which there is none would kill the program, as would growing past its limit of file sizes. */
static uint64_t take_room(tdm_capture_header *header, int fd) {
  uint64_t limit = header->limit_bytes ? header->limit_bytes : INT64_MAX;
  struct rlimit files;
  if (!getrlimit(RLIMIT_FSIZE, &files) && files.rlim_cur != RLIM_INFINITY && files.rlim_cur < limit)
    limit = files.rlim_cur;
  if (limit < TDM_CAPTURE_HEADER_BYTES) return 0;
  uint64_t chunks = (limit - TDM_CAPTURE_HEADER_BYTES) / TDM_CAPTURE_CHUNK_BYTES;
  uint64_t index = atomic_load(&header->chunks);
  do
    if (index >= chunks) return 0;
  while (!atomic_compare_exchange_weak(&header->chunks, &index, index + 1));
  uint64_t offset = TDM_CAPTURE_HEADER_BYTES + index * TDM_CAPTURE_CHUNK_BYTES;
  int failure;
  do failure = posix_fallocate(fd, (off_t)offset, TDM_CAPTURE_CHUNK_BYTES);
  while (failure == EINTR);
  return failure ? 0 : offset;
}

/* Unless it is for want of descriptors, there will be no way later either. */
static void no_way(tdm_capture_header *header, int reason) {
  if (reason == EMFILE || reason == ENFILE || reason == ENOMEM || reason == EINTR) return;
  atomic_store(&header->unreachable, (uint32_t)reason);
  atomic_store(&the.full, true);
}

static bool map_chunk(desk *d, tdm_capture_header *header, uint32_t tid) {
  int fd = open_file();
  if (fd < 0) {
    no_way(header, errno);
    return false;
  }
  uint64_t offset = take_room(header, fd), before = offset % (uint64_t)sysconf(_SC_PAGESIZE);
  void *at = MAP_FAILED;
  if (offset)
    at = mmap(NULL, (size_t)before + TDM_CAPTURE_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
              fd, (off_t)(offset - before));
  if (at != MAP_FAILED) {
    d->filled = 0;
    d->chunk = (tdm_capture_chunk *)((char *)at + before);
    strncpy(d->chunk->program, program_invocation_short_name, sizeof d->chunk->program - 1);
    d->chunk->tid = tid;
    d->chunk->pid = atomic_load(&the.pid);
  } else {
    atomic_store(&the.full, true);
  }
  close(fd);
  return at != MAP_FAILED;
}

/* Goes on where another thread was, with room for so many slots. */
static bool inherit_chunk(desk *d, uint32_t slots) {
  tdm_capture_chunk *chunk = take_spare(slots + 1);
  if (!chunk) return false;
  tdm_capture_record turn = {.kind = TDM_CAPTURE_THREAD, .address = tdm_capture_thread()};
  d->chunk = chunk;
  d->filled = atomic_load(&chunk->records);
  memcpy(chunk + 1 + d->filled++, &turn, sizeof turn);
  atomic_store_explicit(&chunk->records, d->filled, memory_order_release);
  return true;
}

static bool open_chunk(desk *d, uint32_t slots) {
  tdm_capture_header *header = tdm_capture_file();
  bool whose = d == &mine; /* chunks of no thread stay so */
  /* Only its first: it must not write before what it has written, since readers pair calls. */
  bool first = whose && !d->chunk;
  if (whose)
    leave_chunk(d);
  else
    close_desk(d);
  if (header == &none || atomic_load(&header->ended)) return false;
  int error = errno, cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  bool open = (first && inherit_chunk(d, slots)) ||
              (!atomic_load(&the.full) && map_chunk(d, header, whose ? tdm_capture_thread() : 0));
  if (open && whose) pthread_setspecific(the.at_exit, d);
  pthread_setcancelstate(cancel, &cancel);
  errno = error;
  return open;
}

/* Appends slots that the reader sees all or none of; false: there is no room, or a signal handler
 * came in between. */
static bool append(desk *d, const void *head, const char *rest, size_t rest_bytes) {
  uint32_t slots =
      1 + (uint32_t)((rest_bytes + TDM_CAPTURE_RECORD_BYTES - 1) / TDM_CAPTURE_RECORD_BYTES);
  if (d->busy) return false;
  d->busy = 1;
  atomic_signal_fence(memory_order_seq_cst);
  bool room = (d->chunk && d->filled + slots <= TDM_CAPTURE_CHUNK_RECORDS) || open_chunk(d, slots);
  if (room) {
    tdm_capture_chunk *chunk = d->chunk;
    char *to = (char *)(chunk + 1 + d->filled);
    memcpy(to, head, TDM_CAPTURE_RECORD_BYTES);
    if (rest_bytes) memcpy(to + TDM_CAPTURE_RECORD_BYTES, rest, rest_bytes);
    d->filled += slots;
    atomic_store_explicit(&chunk->records, d->filled, memory_order_release);
  }
  atomic_signal_fence(memory_order_seq_cst);
  d->busy = 0;
  return room;
}

void tdm_capture_put(const tdm_capture_record *record) {
  if (!append(&mine, record, NULL, 0)) tdm_capture_add_lost(1);
}

void tdm_capture_put_shared(const tdm_capture_record *record) {
  bool room = false;
  if (!mine.busy) {
    mine.busy = 1; /* a signal handler of this thread would wait for the lock for ever */
    while (atomic_flag_test_and_set_explicit(&nobodys_lock, memory_order_acquire)) sched_yield();
    room = append(&nobodys, record, NULL, 0);
    atomic_flag_clear_explicit(&nobodys_lock, memory_order_release);
    mine.busy = 0;
  }
  if (!room) tdm_capture_add_lost(1);
}

uint32_t tdm_capture_correlation(void) {
  uint32_t last = mine.correlation;
  if (last % CORRELATIONS == 0) last = atomic_fetch_add(&the.correlations, CORRELATIONS);
  mine.correlation = last + 1;
  return last + 1 ? last + 1 : 1;
}

uint64_t tdm_capture_hash(const char *text, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return hash ? hash : 1;
}

static bool write_name(uint64_t id, const char *text, size_t length) {
  tdm_capture_name head = {.kind = TDM_CAPTURE_NAME, .length = (uint16_t)length, .id = id};
  size_t rest = length > sizeof head.text ? length - sizeof head.text : 0;
  head.slots = 1 + (uint32_t)((rest + TDM_CAPTURE_RECORD_BYTES - 1) / TDM_CAPTURE_RECORD_BYTES);
  memcpy(head.text, text, length - rest);
  return append(&mine, &head, text + (length - rest), rest);
}

void tdm_capture_announce(uint64_t id, const char *text, size_t length) {
  tdm_capture_file();
  _Atomic uint64_t *names = atomic_load_explicit(&the.names, memory_order_acquire);
  if (!names) return;
  for (uint32_t i = 0; i < PROBES; i++) {
    uint64_t found = atomic_load_explicit(&names[(id + i) % NAMES], memory_order_relaxed);
    if (found == id) return;
    if (!found) break;
  }
  /* Before others may think that it is there; twice does no harm. */
  if (!write_name(id, text, length)) return;
  for (uint32_t i = 0; i < PROBES; i++) {
    uint64_t empty = 0;
    if (atomic_compare_exchange_strong(&names[(id + i) % NAMES], &empty, id) || empty == id) return;
  }
  atomic_store(&names[id % NAMES], id);
}

uint64_t tdm_capture_text_bytes(const char *text, size_t length) {
  if (!text || !length) return 0;
  if (length > NAME_BYTES) length = NAME_BYTES;
  uint64_t id = tdm_capture_hash(text, length);
  tdm_capture_announce(id, text, length);
  return id;
}

uint64_t tdm_capture_text(const char *text) {
  return text ? tdm_capture_text_bytes(text, strnlen(text, NAME_BYTES)) : 0;
}

void tdm_capture_say(const char *sentence) {
  int64_t now = tdm_capture_now_ns();
  tdm_capture_record record = {.kind = TDM_CAPTURE_MESSAGE, .start_ns = now, .end_ns = now};
  record.name = tdm_capture_text(sentence);
  tdm_capture_put(&record);
}
