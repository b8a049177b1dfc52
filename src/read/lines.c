/* See lines.h. */
#include "read/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tdm_lines_init(tdm_lines *lines, tdm_input *input) {
  *lines = (tdm_lines){.input = input};
}

void tdm_lines_clear(tdm_lines *lines) {
  free(lines->carry);
  *lines = (tdm_lines){0};
}

static bool carry(tdm_lines *lines, const char *text, size_t length) {
  if (!tdm_array_grow(&lines->carry, &lines->room, lines->carried + length + 1, 1)) {
    lines->status = tdm_error_memory(&lines->error, "a line", lines->carried + length);
    return false;
  }
  if (length > 0) memcpy(lines->carry + lines->carried, text, length);
  lines->carried += length;
  return true;
}

static bool next_piece(tdm_lines *lines) {
  const unsigned char *bytes = NULL;
  size_t length = 0;
  if (lines->drained) return false;
  lines->status = tdm_input_next(lines->input, &bytes, &length, &lines->error);
  lines->piece = (const char *)bytes;
  lines->left = lines->status == TDM_OK ? length : 0;
  lines->drained = lines->left == 0;
  return !lines->drained;
}

/* Past the rest of a line that was given out in part. */
static bool skip_rest(tdm_lines *lines) {
  while (lines->left > 0 || next_piece(lines)) {
    const char *end = memchr(lines->piece, '\n', lines->left);
    size_t count = end != NULL ? (size_t)(end - lines->piece) + 1 : lines->left;
    lines->piece += count;
    lines->left -= count;
    if (end != NULL) return true;
  }
  return lines->status == TDM_OK;
}

bool tdm_lines_next(tdm_lines *lines, const char **text, size_t *length) {
  bool goes_on = lines->carried >= TDM_LINE;
  lines->carried = 0;
  lines->unended = false;
  if (goes_on && !skip_rest(lines)) return false;
  for (;;) {
    if (lines->left == 0 && !next_piece(lines)) {
      lines->unended = lines->carried > 0;
      *text = lines->carry;
      *length = lines->carried;
      return lines->status == TDM_OK && lines->carried > 0;
    }
    const char *end = memchr(lines->piece, '\n', lines->left);
    size_t count = end != NULL ? (size_t)(end - lines->piece) : lines->left;
    const char *part = lines->piece;
    lines->piece += count + (end != NULL);
    lines->left -= count + (end != NULL);
    if (end != NULL && lines->carried == 0) {
      *text = part;
      *length = count;
    } else {
      if (!carry(lines, part, count)) return false;
      if (end == NULL && lines->carried < TDM_LINE) continue;
      *text = lines->carry;
      *length = lines->carried;
      if (end != NULL) lines->carried = 0;
    }
    if (*length > 0 && (*text)[*length - 1] == '\r') --*length;
    return true;
  }
}
