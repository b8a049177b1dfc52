/* See input.h. Bytes come from a descriptor or from memory in pieces; compressed ones go through a
 * decoder, in a thread when that is worth one. */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/temporary.h"
#include "read/ahead.h"
#include "read/decoder.h"

enum {
  PIECE = 1 << 18,
  HEAD = 1 << 16,
  THREAD_BYTES = 1 << 17 /* compressed files smaller than this need no thread */
};

struct tdm_input {
  char *path;
  bool named; /* the path is a regular file's */
  int fd;     /* -1: memory */
  const unsigned char *memory;
  size_t memory_left;
  unsigned char *buffer; /* bytes as they lie on disk */
  size_t used;           /* of them read and not given on yet */
  _Atomic uint64_t done;
  uint64_t total;
  bool prepared;
  tdm_decoder *decoder; /* NULL: not compressed */
  bool begun;           /* its first piece is decoded */
  bool threaded;        /* a thread is to decode what is behind the first piece */
  tdm_ahead *ahead;     /* NULL: no thread */
  unsigned char *decoded;
  const unsigned char *looked_at; /* a piece that was only looked at */
  size_t looked_length;
  bool ended;
  tdm_status late; /* a failure that came with a piece; told after it */
  tdm_error failure;
  char *spooled;
  int (*stop)(void *context, uint64_t done, uint64_t total); /* may be NULL */
  void *stop_context;
};

static tdm_input *new_input(const char *path) {
  tdm_input *input = tdm_array_new(1, sizeof *input);
  if (input == NULL) return NULL;
  input->fd = -1;
  input->path = tdm_string_copy(path);
  if (input->path != NULL) return input;
  free(input);
  return NULL;
}

tdm_status tdm_input_open(const char *path, tdm_input **out, tdm_error *error) {
  *out = NULL;
  tdm_input *input = new_input(path);
  if (input == NULL || (input->buffer = malloc(PIECE)) == NULL) {
    tdm_input_close(input);
    return tdm_error_memory(error, "an input", PIECE);
  }
  bool standard = strcmp(path, "-") == 0;
  input->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (input->fd < 0 || fstat(input->fd, &about) != 0) {
    tdm_status status = tdm_error_set(error, TDM_IO, "cannot read %s: %s", path, strerror(errno));
    tdm_input_close(input);
    return status;
  }
  if (S_ISDIR(about.st_mode)) {
    tdm_input_close(input);
    return tdm_error_set(error, TDM_IO, "cannot read %s: it is a directory", path);
  }
  if (S_ISREG(about.st_mode)) {
    input->total = (uint64_t)about.st_size;
    input->named = !standard;
  }
  *out = input;
  return TDM_OK;
}

tdm_status tdm_input_open_memory(const void *bytes, size_t length, tdm_input **out,
                                 tdm_error *error) {
  *out = new_input("memory");
  if (*out == NULL) return tdm_error_memory(error, "an input", sizeof **out);
  (*out)->memory = bytes;
  (*out)->memory_left = (*out)->total = length;
  return TDM_OK;
}

void tdm_input_close(tdm_input *input) {
  if (input == NULL) return;
  tdm_ahead_free(input->ahead);
  tdm_decoder_free(input->decoder);
  if (input->fd >= 0) close(input->fd);
  if (input->spooled != NULL) tdm_temporary_discard(input->spooled);
  free(input->spooled);
  free(input->decoded);
  free(input->buffer);
  free(input->path);
  free(input);
}

const char *tdm_input_path(const tdm_input *input) {
  return input->path;
}

/* ---- bytes as they lie on disk ---- */

/* Fills the buffer up to `want` bytes, as far as there are any. */
static tdm_status fill(tdm_input *input, size_t want, tdm_error *error) {
  while (input->used < want) {
    ssize_t n = read(input->fd, input->buffer + input->used, want - input->used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return tdm_error_set(error, TDM_IO, "cannot read %s: %s", input->path, strerror(errno));
    if (n == 0) break;
    input->used += (size_t)n;
  }
  return TDM_OK;
}

/* A tdm_decoder_source. */
static tdm_status next_raw(void *context, const unsigned char **bytes, size_t *length,
                           tdm_error *error) {
  tdm_input *input = context;
  tdm_status status = TDM_OK;
  if (input->fd < 0) {
    *bytes = input->memory;
    *length = input->memory_left < PIECE ? input->memory_left : PIECE;
    if (*length > 0) input->memory += *length;
    input->memory_left -= *length;
  } else {
    if (input->used == 0) status = fill(input, PIECE, error);
    *bytes = input->buffer;
    *length = input->used;
    input->used = 0;
  }
  atomic_fetch_add_explicit(&input->done, *length, memory_order_relaxed);
  return status;
}

/* ---- content ---- */

static tdm_status decode(void *context, unsigned char *out, size_t room, size_t *length,
                         tdm_error *error) {
  tdm_input *input = context;
  return tdm_decoder_read(input->decoder, out, room, length, error);
}

/* Finds out whether the content is compressed, once. */
static tdm_status prepare(tdm_input *input, tdm_error *error) {
  if (input->prepared) return TDM_OK;
  input->prepared = true;
  tdm_status status = input->fd >= 0 ? fill(input, HEAD, error) : TDM_OK;
  if (status != TDM_OK) return status;
  const unsigned char *bytes = input->fd >= 0 ? input->buffer : input->memory;
  size_t length = input->fd >= 0 ? input->used : input->memory_left;
  if (!tdm_decoder_knows(bytes, length)) return TDM_OK;
  input->decoder = tdm_decoder_new(bytes, length, input->path, next_raw, input);
  if (input->decoder == NULL) return tdm_error_memory(error, "decompression", PIECE);
  bool small = input->total > 0 && input->total < THREAD_BYTES;
  input->threaded = !small && sysconf(_SC_NPROCESSORS_ONLN) > 1;
  if ((input->decoded = malloc(PIECE)) == NULL)
    return tdm_error_memory(error, "decompression", PIECE);
  return TDM_OK;
}

/* The next piece, with which a failure may come. The thread begins behind the first one, which is
 * all that many look at. */
static tdm_status next_content(tdm_input *input, const unsigned char **bytes, size_t *length,
                               tdm_error *error) {
  if (input->decoder == NULL) return next_raw(input, bytes, length, error);
  bool first = !input->begun;
  input->begun = true;
  if (input->threaded && !first) {
    input->threaded = false;
    input->ahead = tdm_ahead_new(decode, input, PIECE);
  }
  if (input->ahead != NULL) {
    tdm_status status = tdm_ahead_next(input->ahead, bytes, length, error);
    if (status == TDM_OK && *length < PIECE) input->ended = true;
    return status;
  }
  *bytes = input->decoded;
  return tdm_decoder_read(input->decoder, input->decoded, PIECE, length, error);
}

tdm_status tdm_input_next(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error) {
  *bytes = input->looked_at;
  *length = input->looked_length;
  input->looked_length = 0;
  if (*length > 0) return TDM_OK;
  tdm_status status = input->late;
  input->late = TDM_OK;
  if (status == TDM_OK && !input->ended) {
    status = prepare(input, &input->failure);
    if (status == TDM_OK) status = next_content(input, bytes, length, &input->failure);
    if (status != TDM_OK || *length == 0) input->ended = true;
    if (status != TDM_OK && *length > 0) {
      input->late = status;
      return TDM_OK;
    }
  }
  if (status != TDM_OK && error != NULL) *error = input->failure;
  return status;
}

tdm_status tdm_input_head(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error) {
  tdm_status status = TDM_OK;
  if (input->looked_length == 0) {
    status = tdm_input_next(input, bytes, length, error);
    if (status != TDM_OK) return status;
    input->looked_at = *bytes;
    input->looked_length = *length;
  }
  *bytes = input->looked_at;
  *length = input->looked_length;
  return status;
}

void tdm_input_progress(const tdm_input *input, uint64_t *done, uint64_t *total) {
  *done = atomic_load_explicit(&input->done, memory_order_relaxed);
  *total = input->total;
}

/* ---- a file of it ---- */

static tdm_status write_all(const tdm_input *input, int fd, const unsigned char *bytes,
                            size_t length, tdm_error *error) {
  while (length > 0) {
    ssize_t n = write(fd, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return tdm_error_set(error, TDM_IO, "cannot write %s: %s", input->spooled, strerror(errno));
    bytes += n;
    length -= (size_t)n;
  }
  return TDM_OK;
}

void tdm_input_watch(tdm_input *input, int (*stop)(void *context, uint64_t done, uint64_t total),
                     void *context) {
  input->stop = stop;
  input->stop_context = context;
}

static tdm_status spool(tdm_input *input, int fd, tdm_error *error) {
  for (;;) {
    if (input->stop != NULL && input->stop(input->stop_context, 0, 0))
      return tdm_error_set(error, TDM_INTERRUPTED, "%s: reading was interrupted", input->path);
    const unsigned char *bytes;
    size_t length;
    tdm_status status = tdm_input_next(input, &bytes, &length, error);
    if (status == TDM_OK && length > 0) status = write_all(input, fd, bytes, length, error);
    if (status != TDM_OK || length == 0) return status;
  }
}

tdm_status tdm_input_file(tdm_input *input, const char **path, tdm_error *error) {
  *path = input->path;
  tdm_status status = prepare(input, error);
  if (status != TDM_OK || (input->named && input->decoder == NULL)) return status;
  *path = input->spooled;
  if (input->spooled != NULL) return TDM_OK;
  const char *directory = getenv("TMPDIR");
  if (directory == NULL || directory[0] == 0) directory = "/tmp";
  size_t room = strlen(directory) + 32;
  char *name = malloc(room);
  if (name == NULL) return tdm_error_memory(error, "a file name", room);
  strcpy(name, directory);
  strcat(name, "/tandem-XXXXXX");
  int fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0) {
    free(name);
    return tdm_error_set(error, TDM_IO, "cannot create a file in %s: %s", directory,
                         strerror(errno));
  }
  input->spooled = name;
  status = spool(input, fd, error);
  if (close(fd) != 0 && status == TDM_OK)
    status = tdm_error_set(error, TDM_IO, "cannot write %s: %s", input->spooled, strerror(errno));
  *path = input->spooled;
  return status;
}

/* ---- its end ---- */

/* The spooled file is what is read from here on. */
static tdm_status read_spooled(tdm_input *input, tdm_error *error) {
  tdm_ahead_free(input->ahead);
  tdm_decoder_free(input->decoder);
  input->ahead = NULL;
  input->decoder = NULL;
  if (input->fd >= 0) close(input->fd);
  input->fd = open(input->spooled, O_RDONLY | O_CLOEXEC);
  if (input->buffer == NULL) input->buffer = malloc(PIECE);
  if (input->buffer == NULL) return tdm_error_memory(error, "an input", PIECE);
  struct stat about;
  if (input->fd < 0 || fstat(input->fd, &about) != 0)
    return tdm_error_set(error, TDM_IO, "cannot read %s: %s", input->spooled, strerror(errno));
  input->total = (uint64_t)about.st_size;
  atomic_store_explicit(&input->done, 0, memory_order_relaxed);
  input->used = input->looked_length = 0;
  input->threaded = input->ended = false;
  return TDM_OK;
}

tdm_status tdm_input_tail(tdm_input *input, unsigned char *bytes, size_t wanted, size_t *length,
                          tdm_error *error) {
  *length = 0;
  tdm_status status = prepare(input, error);
  if (status != TDM_OK) return status;
  bool plain = input->decoder == NULL && (input->fd < 0 || input->named);
  if (!plain && input->spooled == NULL) {
    const char *path;
    status = tdm_input_file(input, &path, error);
    if (status == TDM_OK) status = read_spooled(input, error);
    if (status != TDM_OK) return status;
  }
  if (input->fd < 0) {
    size_t looked = input->looked_length;
    const unsigned char *begin = looked > 0 ? input->looked_at : input->memory;
    size_t whole = input->memory_left + looked;
    *length = wanted < whole ? wanted : whole;
    if (*length > 0) memcpy(bytes, begin + whole - *length, *length);
    return TDM_OK;
  }
  size_t whole = (size_t)input->total, left = wanted < whole ? wanted : whole;
  while (left > 0) {
    ssize_t n = pread(input->fd, bytes + *length, left, (off_t)(whole - left));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return tdm_error_set(error, TDM_IO, "cannot read %s: %s", input->path, strerror(errno));
    if (n == 0) break;
    *length += (size_t)n;
    left -= (size_t)n;
  }
  return TDM_OK;
}
