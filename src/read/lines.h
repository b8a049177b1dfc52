/* The lines of a text, streamed: memory is one piece of the input, or one line where that is
 * longer.
 *
 * Lines end in LF or CRLF; the last one may lack its end. Of one beyond TDM_LINE bytes its
 * beginning is given out, which is at least as long as that. Owns its buffer, not the input. Called
 * by the readers of line-based formats. */
#ifndef TDM_READ_LINES_H
#define TDM_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "read/input.h"

#define TDM_LINE ((size_t)64 << 20)

typedef struct {
  tdm_input *input;
  const char *piece; /* what is left of the input's last one */
  size_t left;
  char *carry; /* the beginning of a line, from pieces before */
  size_t carried, room;
  bool drained, unended; /* unended: the line given last has no end, and may be cut */
  tdm_status status;
  tdm_error error;
} tdm_lines;

void tdm_lines_init(tdm_lines *lines, tdm_input *input);
void tdm_lines_clear(tdm_lines *lines);

/* The next line without its end; good until the next call. False: the end or a failure, which
 * status and error tell apart. */
bool tdm_lines_next(tdm_lines *lines, const char **text, size_t *length);

#endif
