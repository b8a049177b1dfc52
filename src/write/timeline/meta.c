/* A JSON text that grows in memory; see inside.h. */
#include "write/timeline/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/utf8.h"

static void put(tdm_meta *meta, const char *text, size_t length) {
  if (meta->failed || !tdm_array_grow(&meta->text, &meta->room, meta->length + length + 1, 1)) {
    meta->failed = true;
    return;
  }
  memcpy(meta->text + meta->length, text, length);
  meta->length += length;
  meta->text[meta->length] = 0;
}

void tdm_meta_put(tdm_meta *meta, const char *text) {
  put(meta, text, strlen(text));
}

void tdm_meta_integer(tdm_meta *meta, int64_t value) {
  char digits[24];
  put(meta, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, value));
}

void tdm_meta_real(tdm_meta *meta, double value) {
  char digits[32];
  put(meta, digits, (size_t)snprintf(digits, sizeof digits, "%.6g", value));
}

void tdm_meta_string(tdm_meta *meta, const char *text) {
  size_t length;
  char *quoted = tdm_json_quote(text != NULL ? text : "", &length);
  if (quoted == NULL) {
    meta->failed = true;
    return;
  }
  put(meta, quoted, length);
  free(quoted);
}

void tdm_meta_next(tdm_meta *meta) {
  char last = meta->length > 0 ? meta->text[meta->length - 1] : '{';
  if (last != '{' && last != '[') tdm_meta_put(meta, ",");
}

void tdm_meta_key(tdm_meta *meta, const char *key) {
  tdm_meta_next(meta);
  tdm_meta_string(meta, key);
  tdm_meta_put(meta, ":");
}
