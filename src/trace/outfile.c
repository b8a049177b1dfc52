/* Buffered output that is complete or absent. See outfile.h. */
#include "trace/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "trace/utf8.h"

static tdm_status cannot_write(const char *path, int failure, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot write %s: %s", path, strerror(failure));
}

int tdm_outfile_beside(const char *path, char **name) {
  size_t room = strlen(path) + 40;
  char *text = malloc(room);
  if (text == NULL) return -1;
  int fd = -1;
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    snprintf(text, room, "%s.%ld.%u.tmp", path, (long)getpid(), attempt);
    fd = open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd < 0) {
    int failure = errno;
    free(text);
    errno = failure;
    return -1;
  }
  *name = text;
  return fd;
}

/* The descriptor of ours that a path names, such as that of standard output; -1: none. What it is
 * open on may hold something already and get more afterwards, though it be a regular file. */
static int named_descriptor(const char *path) {
  if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  int number = -1, end = 0;
  if (sscanf(path, "/dev/fd/%9d%n", &number, &end) < 1)
    (void)sscanf(path, "/proc/self/fd/%9d%n", &number, &end);
  return number >= 0 && path[end] == 0 ? number : -1;
}

tdm_status tdm_outfile_open(tdm_outfile *file, const char *path, tdm_error *error) {
  file->fd = -1;
  file->failure = 0;
  file->used = 0;
  file->temporary = NULL;
  struct stat existing;
  int exists = stat(path, &existing) == 0, ours = named_descriptor(path);
  file->path =
      exists && ours < 0 ? realpath(path, NULL) : NULL; /* a link stays, its target is replaced */
  if (file->path == NULL) file->path = tdm_string_copy(path);
  if (file->path == NULL) return tdm_error_memory(error, "a file name", strlen(path) + 1);
  if (ours >= 0)
    file->fd = fcntl(ours, F_DUPFD_CLOEXEC, 0);
  else if (exists && S_ISDIR(existing.st_mode))
    errno = EISDIR;
  else if (exists && !S_ISREG(existing.st_mode))
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
  else
    file->fd = tdm_outfile_beside(file->path, &file->temporary);
  if (file->fd >= 0) {
    if (exists && file->temporary != NULL) (void)fchmod(file->fd, existing.st_mode & 07777);
    return TDM_OK;
  }
  int failure = errno;
  free(file->path);
  return cannot_write(path, failure, error);
}

static void write_all(tdm_outfile *file, const char *text, size_t length) {
  while (length > 0 && file->failure == 0) {
    ssize_t wrote = write(file->fd, text, length);
    if (wrote < 0) {
      if (errno != EINTR) file->failure = errno;
      continue;
    }
    text += wrote;
    length -= (size_t)wrote;
  }
}

static void flush(tdm_outfile *file) {
  write_all(file, file->buffer, file->used);
  file->used = 0;
}

void tdm_outfile_put_long(tdm_outfile *file, const char *text, size_t length) {
  flush(file);
  if (length > TDM_OUTFILE_BUFFER) {
    write_all(file, text, length);
  } else {
    memcpy(file->buffer, text, length);
    file->used = length;
  }
}

static void release(tdm_outfile *file) {
  free(file->path);
  free(file->temporary);
  file->path = file->temporary = NULL;
}

tdm_status tdm_outfile_commit(tdm_outfile *file, tdm_error *error) {
  flush(file);
  if (close(file->fd) != 0 && file->failure == 0) file->failure = errno;
  if (file->failure == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0)
    file->failure = errno;
  tdm_status status = TDM_OK;
  if (file->failure != 0) {
    status = cannot_write(file->path, file->failure, error);
    if (file->temporary != NULL) tdm_temporary_discard(file->temporary);
  }
  release(file);
  return status;
}

void tdm_outfile_abort(tdm_outfile *file) {
  close(file->fd);
  if (file->temporary != NULL) tdm_temporary_discard(file->temporary);
  release(file);
}

void tdm_outfile_text(tdm_outfile *file, const char *text) {
  tdm_outfile_put(file, text, strlen(text));
}

static const char digit_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

/* Writes `value` so that it ends just before `end`; returns where it begins. */
static char *digits_before(char *end, uint64_t value) {
  while (value >= 100) {
    end -= 2;
    memcpy(end, digit_pairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value < 10) {
    *--end = (char)('0' + value);
    return end;
  }
  end -= 2;
  memcpy(end, digit_pairs + 2 * value, 2);
  return end;
}

void tdm_outfile_unsigned(tdm_outfile *file, uint64_t value) {
  char text[24], *end = text + sizeof text, *begin = digits_before(end, value);
  tdm_outfile_put(file, begin, (size_t)(end - begin));
}

void tdm_outfile_integer(tdm_outfile *file, int64_t value) {
  char text[24], *end = text + sizeof text;
  char *begin = digits_before(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
  if (value < 0) *--begin = '-';
  tdm_outfile_put(file, begin, (size_t)(end - begin));
}

void tdm_outfile_micros(tdm_outfile *file, int64_t time_ns) {
  uint64_t magnitude = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  uint64_t micros = magnitude / 1000, rest = magnitude % 1000;
  char text[32], *end = text + sizeof text, *begin = end - 4;
  begin[0] = '.';
  begin[1] = (char)('0' + rest / 100);
  memcpy(begin + 2, digit_pairs + 2 * (rest % 100), 2);
  begin = digits_before(begin, micros);
  if (time_ns < 0) *--begin = '-';
  tdm_outfile_put(file, begin, (size_t)(end - begin));
}

void tdm_outfile_double(tdm_outfile *file, double value) {
  if (!isfinite(value)) {
    TDM_OUTFILE_LITERAL(file, "null");
    return;
  }
  if (fabs(value) < 1e15 && value == trunc(value) && (value != 0 || !signbit(value))) {
    tdm_outfile_integer(file, (int64_t)value); /* the same, only faster */
    return;
  }
  char text[TDM_DECIMAL_SIZE];
  tdm_outfile_put(file, text, tdm_decimal_print_plain(text, value));
}

void tdm_outfile_json(tdm_outfile *file, const char *text) {
  size_t length;
  char *quoted = tdm_json_quote(text, &length);
  if (quoted != NULL)
    tdm_outfile_put(file, quoted, length);
  else if (file->failure == 0)
    file->failure = ENOMEM;
  free(quoted);
}
