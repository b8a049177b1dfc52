/* See jsonl_line.h. Lines of one kind have their keys in one order, so the key at a position is
 * first taken for the one that stood there before. */
#include "read/jsonl_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const keys[TDM_LINE_FIELDS] = {
    "record",  "layout",  "start_ns",   "dur_ns",   "track", "name",     "args",
    "format",  "version", "path",       "detail",   "rank",  "utc_ns",   "offset_ns",
    "process", "kind",    "lane",       "capacity", "pid",   "tid",      "device",
    "context", "stream",  "key",        "value",    "count", "category", "shape",
    "request", "class",   "arrival_ns", "end_ns",   "gpu",   "outcome",  "scope",
    "subject", "ordinal", "unit",       "text",     "type",  "base64"};

int tdm_line_open(tdm_line *line) {
  *line = (tdm_line){.json = tdm_json_new_text(), .inner = tdm_json_new_text()};
  if (line->json != NULL && line->inner != NULL) return 1;
  tdm_line_close(line);
  return 0;
}

void tdm_line_close(tdm_line *line) {
  tdm_json_free(line->json);
  tdm_json_free(line->inner);
  free(line->buffer);
  *line = (tdm_line){0};
}

static tdm_line_field find_key(tdm_line *line, size_t position, const char *key) {
  tdm_line_field *guess = &line->guess[position < TDM_LINE_FIELDS ? position : TDM_LINE_FIELDS];
  if (strcmp(keys[*guess], key) == 0) return *guess;
  for (unsigned f = 0; f < TDM_LINE_FIELDS; f++)
    if (strcmp(keys[f], key) == 0) return *guess = (tdm_line_field)f;
  return TDM_LINE_FIELDS;
}

static void keep_text(tdm_line *line, tdm_line_value *value, const char *text, size_t length) {
  if (text == NULL || !tdm_array_grow(&line->buffer, &line->room, line->used + length + 1, 1)) {
    line->failed = 1;
    value->token = TDM_JSON_NULL;
    return;
  }
  memcpy(line->buffer + line->used, text, length);
  line->buffer[line->used + length] = 0;
  value->text = line->used;
  value->length = length;
  line->used += length + 1;
}

static void take_value(tdm_line *line, tdm_line_value *value) {
  size_t length = 0;
  const char *text;
  *value = (tdm_line_value){.token = tdm_json_next(line->json)};
  switch (value->token) {
  case TDM_JSON_NUMBER:
    text = tdm_json_value(line->json, &length);
    value->whole = tdm_number_integer(text, length, &value->integer);
    if (!value->whole) keep_text(line, value, text, length);
    break;
  case TDM_JSON_STRING:
    text = tdm_json_value(line->json, &length);
    keep_text(line, value, text, length);
    break;
  case TDM_JSON_OBJECT:
  case TDM_JSON_ARRAY:
    text = tdm_json_compact(line->json, &length);
    keep_text(line, value, text, length);
    break;
  default: break;
  }
}

int tdm_line_read(tdm_line *line, const char *text, size_t length) {
  line->has = 0;
  line->used = 0;
  tdm_json_text(line->json, text, length);
  if (tdm_json_next(line->json) != TDM_JSON_OBJECT) return 0;
  for (size_t position = 0; tdm_json_next(line->json) == TDM_JSON_KEY; position++) {
    tdm_line_field field = find_key(line, position, tdm_json_value(line->json, NULL));
    if (field == TDM_LINE_FIELDS) {
      tdm_json_skip(line->json);
      continue;
    }
    take_value(line, &line->value[field]);
    line->has |= UINT64_C(1) << field;
  }
  return 1;
}

static const tdm_line_value *value_of(const tdm_line *line, tdm_line_field field) {
  return (line->has >> field & 1) != 0 ? &line->value[field] : NULL;
}

const char *tdm_line_text(const tdm_line *line, tdm_line_field field, const char *otherwise) {
  const tdm_line_value *value = value_of(line, field);
  return value != NULL && value->token == TDM_JSON_STRING ? line->buffer + value->text : otherwise;
}

size_t tdm_line_length(const tdm_line *line, tdm_line_field field) {
  const tdm_line_value *value = value_of(line, field);
  return value != NULL && value->token == TDM_JSON_STRING ? value->length : 0;
}

int64_t tdm_line_number(const tdm_line *line, tdm_line_field field, int64_t otherwise) {
  const tdm_line_value *value = value_of(line, field);
  return value != NULL && value->whole ? value->integer : otherwise;
}

tdm_json *tdm_line_inside(tdm_line *line, tdm_line_field field) {
  const tdm_line_value *value = value_of(line, field);
  if (value == NULL || (value->token != TDM_JSON_OBJECT && value->token != TDM_JSON_ARRAY))
    return NULL;
  tdm_json_text(line->inner, line->buffer + value->text, value->length);
  (void)tdm_json_next(line->inner);
  return line->inner;
}
