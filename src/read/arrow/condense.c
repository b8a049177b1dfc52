/* The texts of a column without what is too long of each, while their bytes come by. See inside.h.
 */
#include <string.h>

#include "base/memory.h"
#include "read/arrow/inside.h"

static uint64_t offset(const arrow_texts *texts, size_t index) {
  const unsigned char *at = texts->offsets + index * texts->width;
  uint64_t value = 0;
  for (size_t i = texts->width; i > 0; i--) value = value << 8 | at[i - 1];
  return value;
}

static void put_offset(arrow_texts *texts, size_t index, uint64_t value) {
  unsigned char *at = texts->offsets + index * texts->width;
  for (size_t i = 0; i < texts->width; i++, value >>= 8) at[i] = (unsigned char)value;
}

bool tdm_arrow_texts_are_long(const arrow_texts *texts, uint64_t length) {
  bool is_long = false;
  if (texts->offsets == NULL || texts->rows >= texts->offset_bytes / texts->width) return false;
  for (size_t i = 0; i < texts->rows; i++) {
    uint64_t from = offset(texts, i), to = offset(texts, i + 1);
    if (from > to || to > length) return false; /* damaged, as whoever reads it finds */
    is_long = is_long || to - from > texts->most;
  }
  return is_long;
}

void tdm_arrow_texts_begin(arrow_texts *texts) {
  texts->from = offset(texts, 0);
  texts->to = offset(texts, 1);
  put_offset(texts, 0, 0);
}

/* Rows that end here have what they get. */
static void end_rows(arrow_texts *texts) {
  while (texts->row < texts->rows && texts->seen >= texts->to) {
    put_offset(texts, ++texts->row, texts->kept);
    texts->from = texts->to;
    if (texts->row < texts->rows) texts->to = offset(texts, texts->row + 1);
  }
}

bool tdm_arrow_texts_put(arrow_texts *texts, const unsigned char *bytes, size_t length,
                         unsigned char **into, size_t *room, size_t *used) {
  for (end_rows(texts); length > 0 && texts->row < texts->rows; end_rows(texts)) {
    uint64_t most = texts->from + texts->most;
    uint64_t end = texts->to < most ? texts->to : most; /* of what is kept */
    bool keep = texts->seen >= texts->from && texts->seen < end;
    uint64_t part = (keep                        ? end
                     : texts->seen < texts->from ? texts->from
                                                 : texts->to) -
                    texts->seen;
    if (part > length) part = length;
    if (keep) {
      if (!tdm_array_grow(into, room, *used + (size_t)part, 1)) return false;
      memcpy(*into + *used, bytes, (size_t)part);
      *used += (size_t)part;
      texts->kept += part;
    }
    texts->seen += part;
    bytes += part;
    length -= (size_t)part;
  }
  return true;
}
