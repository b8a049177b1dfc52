/* A buffered text file that appears under its name only when complete.
 *
 * Text goes through a 64 KiB buffer into a temporary file beside the target; commit renames it into
 * place, abort removes it. A target that exists and is not a regular file (a pipe), or that names
 * an open descriptor (/dev/stdout), is written directly. The first I/O failure is remembered, later
 * writes do nothing, and commit reports it in one line: callers write without checking. Numbers are
 * formatted by hand.
 *
 * Owns the descriptor and both names. Called by the writers. */
#ifndef TDM_TRACE_OUTFILE_H
#define TDM_TRACE_OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

#define TDM_OUTFILE_BUFFER 65536

typedef struct {
  int fd;
  int failure;     /* errno of the first failure */
  char *path;      /* what the caller named, symbolic links followed */
  char *temporary; /* NULL: written directly */
  size_t used;
  char buffer[TDM_OUTFILE_BUFFER];
} tdm_outfile;

/* Makes an empty file beside `path`, under a name that nobody had; fills *name, the caller's.
 * Returns a descriptor, or -1 with errno. For who writes by other means. */
int tdm_outfile_beside(const char *path, char **name);

tdm_status tdm_outfile_open(tdm_outfile *file, const char *path, tdm_error *error);
tdm_status tdm_outfile_commit(tdm_outfile *file, tdm_error *error); /* closes in any case */
void tdm_outfile_abort(tdm_outfile *file);                          /* closes */

void tdm_outfile_put_long(tdm_outfile *file, const char *text, size_t length);

static inline void tdm_outfile_put(tdm_outfile *file, const char *text, size_t length) {
  if (length > TDM_OUTFILE_BUFFER - file->used) {
    tdm_outfile_put_long(file, text, length);
    return;
  }
  memcpy(file->buffer + file->used, text, length);
  file->used += length;
}

/* A string literal: its length is known to the compiler. */
#define TDM_OUTFILE_LITERAL(file, text) tdm_outfile_put((file), (text), sizeof(text) - 1)

void tdm_outfile_text(tdm_outfile *file, const char *text);
void tdm_outfile_unsigned(tdm_outfile *file, uint64_t value);
void tdm_outfile_integer(tdm_outfile *file, int64_t value);

/* Nanoseconds as microseconds with exactly three decimals: 12345 → 12.345. */
void tdm_outfile_micros(tdm_outfile *file, int64_t time_ns);

/* A finite double in the fewest digits that read back the same (17 at most); JSON has no word for
 * the others, they come out as null. */
void tdm_outfile_double(tdm_outfile *file, double value);

/* Text as a JSON string, see utf8.h. */
void tdm_outfile_json(tdm_outfile *file, const char *text);

#endif
