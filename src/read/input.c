/* See input.h. */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { PIECE = 1 << 18, HEAD = 1 << 16 };

struct tdm_input {
  char *path;
  int fd; /* -1: memory */
  const unsigned char *memory;
  size_t memory_left;
  unsigned char *buffer;
  size_t used; /* bytes of the buffer that were read but not given out yet */
  uint64_t done, total;
  char *spooled;
};

tdm_status tdm_input_open(const char *path, tdm_input **out, tdm_error *error) {
  *out = NULL;
  tdm_input *input = tdm_array_new(1, sizeof *input);
  if (input == NULL) return tdm_error_memory(error, "an input", sizeof *input);
  input->path = tdm_string_copy(path);
  input->buffer = malloc(PIECE);
  if (input->path == NULL || input->buffer == NULL) {
    tdm_input_close(input);
    return tdm_error_memory(error, "an input", PIECE);
  }
  input->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (input->fd >= 0 && fstat(input->fd, &about) == 0 && S_ISDIR(about.st_mode)) {
    tdm_input_close(input);
    return tdm_error_set(error, TDM_IO, "cannot read %s: it is a directory", path);
  }
  if (input->fd < 0) {
    tdm_status status = tdm_error_set(error, TDM_IO, "cannot read %s: %s", path, strerror(errno));
    tdm_input_close(input);
    return status;
  }
  if (fstat(input->fd, &about) == 0 && S_ISREG(about.st_mode))
    input->total = (uint64_t)about.st_size;
  *out = input;
  return TDM_OK;
}

tdm_status tdm_input_open_memory(const void *bytes, size_t length, tdm_input **out,
                                 tdm_error *error) {
  *out = NULL;
  tdm_input *input = tdm_array_new(1, sizeof *input);
  if (input != NULL) {
    input->path = tdm_string_copy("memory");
    input->buffer = malloc(PIECE);
    input->fd = -1;
    input->memory = bytes;
    input->memory_left = input->total = length;
  }
  if (input == NULL || input->path == NULL || input->buffer == NULL) {
    tdm_input_close(input);
    return tdm_error_memory(error, "an input", PIECE);
  }
  *out = input;
  return TDM_OK;
}

void tdm_input_close(tdm_input *input) {
  if (input == NULL) return;
  if (input->fd >= 0) close(input->fd);
  if (input->spooled != NULL) unlink(input->spooled);
  free(input->spooled);
  free(input->buffer);
  free(input->path);
  free(input);
}

const char *tdm_input_path(const tdm_input *input) {
  return input->path;
}

/* Fills the buffer up to `want` bytes, as far as there are any. */
static tdm_status fill(tdm_input *input, size_t want, tdm_error *error) {
  while (input->used < want) {
    if (input->fd < 0) {
      size_t n = want - input->used < input->memory_left ? want - input->used : input->memory_left;
      if (n == 0) break;
      memcpy(input->buffer + input->used, input->memory, n);
      input->memory += n;
      input->memory_left -= n;
      input->used += n;
      input->done += n;
      continue;
    }
    ssize_t n = read(input->fd, input->buffer + input->used, want - input->used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return tdm_error_set(error, TDM_IO, "cannot read %s: %s", input->path, strerror(errno));
    if (n == 0) break;
    input->used += (size_t)n;
    input->done += (uint64_t)n;
  }
  return TDM_OK;
}

tdm_status tdm_input_head(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error) {
  tdm_status status = fill(input, HEAD, error);
  *bytes = input->buffer;
  *length = input->used;
  return status;
}

tdm_status tdm_input_next(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error) {
  tdm_status status = input->used > 0 ? TDM_OK : fill(input, PIECE, error);
  *bytes = input->buffer;
  *length = input->used;
  input->used = 0;
  return status;
}

static tdm_status spool(tdm_input *input, int fd, tdm_error *error) {
  for (;;) {
    const unsigned char *bytes;
    size_t length;
    tdm_status status = tdm_input_next(input, &bytes, &length, error);
    if (status != TDM_OK || length == 0) return status;
    while (length > 0) {
      ssize_t n = write(fd, bytes, length);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        return tdm_error_set(error, TDM_IO, "cannot write %s: %s", input->spooled, strerror(errno));
      bytes += n;
      length -= (size_t)n;
    }
  }
}

tdm_status tdm_input_file(tdm_input *input, const char **path, tdm_error *error) {
  *path = input->spooled != NULL ? input->spooled : input->path;
  if (input->spooled != NULL || input->total > 0) return TDM_OK;
  const char *directory = getenv("TMPDIR");
  if (directory == NULL || directory[0] == 0) directory = "/tmp";
  size_t room = strlen(directory) + 32;
  input->spooled = malloc(room);
  if (input->spooled == NULL) return tdm_error_memory(error, "a file name", room);
  strcpy(input->spooled, directory);
  strcat(input->spooled, "/tandem-XXXXXX");
  int fd = mkstemp(input->spooled);
  if (fd < 0)
    return tdm_error_set(error, TDM_IO, "cannot create a file in %s: %s", directory,
                         strerror(errno));
  tdm_status status = spool(input, fd, error);
  if (close(fd) != 0 && status == TDM_OK)
    status = tdm_error_set(error, TDM_IO, "cannot write %s: %s", input->spooled, strerror(errno));
  *path = input->spooled;
  return status;
}

void tdm_input_progress(const tdm_input *input, uint64_t *done, uint64_t *total) {
  *done = input->done;
  *total = input->total;
}
