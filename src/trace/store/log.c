/* See log.h. The formats are SQLite's: of the log (www.sqlite.org/fileformat2.html#walformat) and
 * of its index (www.sqlite.org/walformat.html). */
#include "trace/store/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_HEADER = 32, FRAME_HEADER = 24, PAGE_LEAST = 512, PAGE_MOST = 65536, NAME_MOST = 4096 };
enum {
  INDEX_COPY = 48,
  INDEX_SUMMED = 40,
  INDEX_BYTES = 100,
  AT_BACKFILLED = 96,
  AT_PRESENCE = 128
};
enum { DISK_PAGE = 4096 }; /* what a disk writes as a whole */

#define MAGIC   0x377f0682u /* the last bit: checksums of big-endian words */
#define VERSION 3007000u

typedef struct {
  uint32_t a, b;
} sums;

typedef struct {
  bool there;
  bool unread; /* the disk, or memory, fails */
  uint32_t frames, backfilled;
  sums sum;
  unsigned char salts[8];
} log_index;

typedef struct {
  int file;
  int64_t bytes;
  bool unread; /* as above */
  bool sound;  /* its header */
  bool big;
  uint32_t page_bytes, restarts;
  unsigned char salts[8];
  sums sum; /* of the header */
} log_file;

typedef struct {
  int64_t whole;         /* frames up to the last commit before the first that cannot be read */
  int64_t behind, count; /* commits from that on, and the last frame that belongs to one */
  bool unwritten;        /* a page of it is one that the disk may never have written */
  bool indexed;          /* the frame that the index calls the last has the index's sum */
} log_walk;

static uint32_t big_32(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t own_32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t word(const unsigned char *at, bool big) {
  if (big) return big_32(at);
  return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static sums add(sums sum, const unsigned char *bytes, size_t count, bool big) {
  for (size_t i = 0; i + 8 <= count; i += 8) {
    sum.a += word(bytes + i, big) + sum.b;
    sum.b += word(bytes + i + 4, big) + sum.a;
  }
  return sum;
}

static int open_beside(const char *path, const char *ending, int flags) {
  char name[NAME_MOST];
  errno = ENAMETOOLONG;
  if (snprintf(name, sizeof name, "%s%s", path, ending) >= (int)sizeof name) return -1;
  return open(name, flags | O_CLOEXEC);
}

/* That opening failed of what SQLite will not meet again when it opens the file itself. */
static bool may_pass(int reason) {
  return reason != ENOENT && reason != ENOTDIR && reason != EACCES && reason != ELOOP &&
         reason != ENAMETOOLONG;
}

/* ---- the index ---- */

static bool index_copy(const unsigned char *at, log_index *out) {
  const sums none = {0, 0};
  static const uint16_t one = 1;
  sums sum = {0, 0};
  bool big = *(const unsigned char *)&one == 0; /* words are those of this machine */
  sum = add(none, at, INDEX_SUMMED, big);
  if (own_32(at) != VERSION || at[12] == 0 || sum.a != own_32(at + 40) || sum.b != own_32(at + 44))
    return false;
  out->frames = own_32(at + 16);
  out->sum = (sums){own_32(at + 24), own_32(at + 28)};
  memcpy(out->salts, at + 32, sizeof out->salts);
  return true;
}

/* False: somebody has the store open. The older of two copies that differ is what was committed. */
static bool read_index(const char *path, log_index *out) {
  unsigned char bytes[INDEX_BYTES];
  *out = (log_index){0};
  int file = open_beside(path, "-shm", O_RDONLY);
  if (file < 0) {
    out->unread = may_pass(errno);
    return true;
  }
  struct flock presence = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = AT_PRESENCE, .l_len = 1};
  bool alone = fcntl(file, F_GETLK, &presence) != 0 || presence.l_type == F_UNLCK;
  ssize_t got = alone ? pread(file, bytes, sizeof bytes, 0) : 0;
  out->unread = got < 0;
  if (got == INDEX_BYTES) {
    out->there = index_copy(bytes, out) || index_copy(bytes + INDEX_COPY, out);
    out->backfilled = own_32(bytes + AT_BACKFILLED);
    if (out->backfilled > out->frames) out->backfilled = 0;
  }
  close(file);
  return alone;
}

/* ---- the log ---- */

static void read_header(log_file *log) {
  unsigned char bytes[LOG_HEADER];
  struct stat about;
  const sums none = {0, 0};
  if (log->file < 0 || fstat(log->file, &about) != 0) return;
  log->bytes = about.st_size;
  ssize_t got = pread(log->file, bytes, sizeof bytes, 0);
  log->unread = got < 0;
  if (got != LOG_HEADER) return;
  log->big = (big_32(bytes) & 1) != 0;
  log->page_bytes = big_32(bytes + 8);
  log->restarts = big_32(bytes + 12);
  memcpy(log->salts, bytes + 16, sizeof log->salts);
  log->sum = add(none, bytes, FRAME_HEADER, log->big);
  log->sound = (big_32(bytes) & ~1u) == MAGIC && big_32(bytes + 4) == VERSION &&
               log->page_bytes >= PAGE_LEAST && log->page_bytes <= PAGE_MOST &&
               (log->page_bytes & (log->page_bytes - 1)) == 0 && log->sum.a == big_32(bytes + 24) &&
               log->sum.b == big_32(bytes + 28);
}

static bool all_zero(const unsigned char *bytes, size_t count) {
  return count > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* Whether a part of the frame that the disk writes by itself is what it was before: nothing, or, in
 * a log that began anew over an old one, whatever. */
static bool maybe_unwritten(const log_file *log, const unsigned char *frame, int64_t at) {
  int64_t size = FRAME_HEADER + (int64_t)log->page_bytes;
  if (log->restarts > 0) return true;
  for (int64_t from = 0; from < size;) {
    int64_t to = from + DISK_PAGE - (at + from) % DISK_PAGE;
    if (from < FRAME_HEADER && to > FRAME_HEADER) to = FRAME_HEADER; /* it is written first */
    if (to > size) to = size;
    if (all_zero(frame + from, (size_t)(to - from))) return true;
    from = to;
  }
  return false;
}

static log_walk walk(log_file *log, const log_index *index) {
  log_walk seen = {0};
  size_t size = FRAME_HEADER + log->page_bytes;
  unsigned char *frame = malloc(size);
  sums sum = log->sum;
  int64_t at = LOG_HEADER;
  bool broken = false;
  log->unread = frame == NULL;
  for (int64_t i = 1; frame != NULL; i++, at += (int64_t)size) {
    size_t want = broken && seen.count > 0 ? FRAME_HEADER : size;
    ssize_t got = pread(log->file, frame, want, at);
    log->unread = got < 0;
    if (got != (ssize_t)want) break;
    bool ours = memcmp(frame + 8, log->salts, sizeof log->salts) == 0;
    if (!broken) {
      sum = add(add(sum, frame, 8, log->big), frame + FRAME_HEADER, log->page_bytes, log->big);
      broken =
          !ours || big_32(frame) == 0 || sum.a != big_32(frame + 16) || sum.b != big_32(frame + 20);
      if (broken) seen.unwritten = maybe_unwritten(log, frame, at);
      if (!broken && i == index->frames)
        seen.indexed = sum.a == index->sum.a && sum.b == index->sum.b;
      if (!broken && big_32(frame + 4) != 0) seen.whole = i;
    }
    if (broken && ours && big_32(frame) != 0 && big_32(frame + 4) != 0) {
      seen.behind++;
      seen.count = i;
    }
  }
  free(frame);
  return seen;
}

/* ---- what that means ---- */

#define FOREIGN "the log beside it (-wal) is another store's"

static void damaged(tdm_log_state *state, const char *text) {
  state->damaged = true;
  snprintf(state->text, sizeof state->text, "%s", text);
}

static void judge_indexed(const log_file *log, const log_index *index, const log_walk *seen,
                          tdm_log_state *state) {
  bool taken_over = index->backfilled == index->frames; /* all of it is in the file */
  state->frames = index->frames;
  if (index->frames == 0) return;
  if (!log->sound) {
    if (!taken_over)
      damaged(state, log->bytes == 0 ? "the log beside it (-wal), with what was committed last, is "
                                       "not there"
                                     : "the log beside it (-wal) is damaged at its beginning");
  } else if (memcmp(log->salts, index->salts, sizeof log->salts) != 0) {
    if (seen->whole > 0 || !taken_over) damaged(state, FOREIGN);
    state->whole = 0;
  } else if (seen->whole < index->frames || !seen->indexed) {
    if (taken_over && seen->whole == 0) return; /* SQLite takes nothing, and nothing is missing */
    damaged(state, "the log beside it (-wal) is damaged");
    if (seen->whole >= index->backfilled) state->whole = seen->whole;
  }
}

static void judge_alone(const log_file *log, const log_walk *seen, tdm_log_state *state) {
  state->frames = seen->count > seen->whole ? seen->count : seen->whole;
  state->whole = seen->whole;
  if (!log->sound && log->bytes >= LOG_HEADER + FRAME_HEADER + PAGE_LEAST)
    damaged(state, "the log beside it (-wal) is damaged at its beginning");
  else if (seen->behind > 0 && !seen->unwritten)
    damaged(state, "the log beside it (-wal) is damaged");
}

void tdm_log_look(const char *path, tdm_log_state *state) {
  log_index index;
  *state = (tdm_log_state){0};
  if (!read_index(path, &index)) return;
  log_file log = {.file = open_beside(path, "-wal", O_RDONLY)};
  log.unread = log.file < 0 && may_pass(errno);
  if (log.file < 0 && !log.unread && (errno != ENOENT || !index.there)) return;
  read_header(&log);
  log_walk seen = log.sound ? walk(&log, &index) : (log_walk){0};
  state->unread = index.unread || log.unread;
  if (state->unread)
    damaged(state, "the log beside it (-wal) could not be read: try again");
  else if (index.there)
    judge_indexed(&log, &index, &seen, state);
  else
    judge_alone(&log, &seen, state);
  if (log.file >= 0) close(log.file);
  if (state->damaged && !read_index(path, &index)) /* somebody came: it may be what he writes */
    *state = (tdm_log_state){0};
  if (state->damaged && state->whole > 0)
    state->keep = LOG_HEADER + state->whole * (FRAME_HEADER + (int64_t)log.page_bytes);
}

/* A kill between the two leaves what SQLite reads as the same. */
int tdm_log_cut(const char *path, int64_t keep) {
  char name[NAME_MOST];
  if (snprintf(name, sizeof name, "%s-shm", path) >= (int)sizeof name) return ENAMETOOLONG;
  if (keep > 0 && unlink(name) != 0 && errno != ENOENT) return errno;
  int file = open_beside(path, "-wal", O_WRONLY);
  if (file < 0 && errno != ENOENT) return errno;
  int failed = file >= 0 && (ftruncate(file, keep) != 0 || fsync(file) != 0) ? errno : 0;
  if (file >= 0) close(file);
  if (failed == 0 && unlink(name) != 0 && errno != ENOENT) failed = errno;
  return failed;
}
