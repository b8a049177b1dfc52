/* See csv.h. The buffer holds a piece of the input; a record is unquoted in place, and its fields
 * point into the buffer. */
#include "read/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/utf8.h"

struct tdm_csv {
  tdm_input *input;
  char *buffer;
  size_t room; /* without the byte that is kept for a NUL */
  size_t at, end;
  bool drained;
  tdm_csv_field *fields;
  size_t field_count, field_room;
  uint64_t cut;
  bool unguards; /* see tdm_csv_unguard */
  bool resting;  /* within a line whose record was cut: `patch` belongs at `at` */
  char patch;
  tdm_status status;
  tdm_error error;
};

tdm_csv *tdm_csv_new(tdm_input *input) {
  tdm_csv *csv = tdm_array_new(1, sizeof *csv);
  if (csv == NULL) return NULL;
  csv->input = input;
  return csv;
}

void tdm_csv_free(tdm_csv *csv) {
  if (csv == NULL) return;
  free(csv->buffer);
  free(csv->fields);
  free(csv);
}

void tdm_csv_unguard(tdm_csv *csv) {
  csv->unguards = true;
}

static void unguard(tdm_csv_field *field) {
  if (field->length == 0 || field->text[0] != '\'' || !tdm_text_is_formula(field->text)) return;
  field->text++;
  field->length--;
}

tdm_status tdm_csv_status(const tdm_csv *csv, tdm_error *error) {
  if (csv->status != TDM_OK && error != NULL) *error = csv->error;
  return csv->status;
}

uint64_t tdm_csv_cut(const tdm_csv *csv) {
  return csv->cut;
}

static void fail_memory(tdm_csv *csv, size_t bytes) {
  csv->status = tdm_error_memory(&csv->error, "a CSV record", bytes);
  csv->drained = true;
}

/* More bytes behind the end; what lies before `at` is given up. False: there are none. */
static bool refill(tdm_csv *csv) {
  if (csv->drained) return false;
  const unsigned char *bytes;
  size_t length;
  csv->status = tdm_input_next(csv->input, &bytes, &length, &csv->error);
  if (csv->status != TDM_OK || length == 0) {
    csv->drained = true;
    return false;
  }
  size_t kept = csv->end - csv->at;
  if (kept > 0) memmove(csv->buffer, csv->buffer + csv->at, kept);
  csv->at = 0;
  csv->end = kept;
  if (!tdm_array_grow(&csv->buffer, &csv->room, kept + length + 1, 1)) {
    fail_memory(csv, kept + length);
    return false;
  }
  memcpy(csv->buffer + kept, bytes, length);
  csv->end += length;
  return true;
}

/* The length of the line at `at`, without its LF; true when it is whole. Reads on as needed. */
static bool find_line(tdm_csv *csv, size_t *length) {
  size_t seen = 0;
  if (csv->at == csv->end && !refill(csv)) {
    *length = 0;
    return false;
  }
  for (;;) {
    const char *line = csv->buffer + csv->at;
    const char *found =
        csv->end > csv->at + seen ? memchr(line + seen, '\n', csv->end - csv->at - seen) : NULL;
    if (found != NULL) {
      *length = (size_t)(found - line);
      return true;
    }
    seen = csv->end - csv->at;
    if (seen > TDM_CSV_RECORD || !refill(csv)) {
      *length = csv->end - csv->at;
      return false;
    }
  }
}

static void skip_line(tdm_csv *csv) {
  size_t length;
  for (;;) {
    bool whole = find_line(csv, &length);
    csv->at += length + (whole ? 1 : 0);
    if (whole || csv->drained) return;
  }
}

/* Leaves the rest of a record that was cut. */
static void settle(tdm_csv *csv) {
  if (!csv->resting) return;
  csv->resting = false;
  csv->buffer[csv->at] = csv->patch;
  skip_line(csv);
}

bool tdm_csv_peek(tdm_csv *csv, const char **line, size_t *length) {
  settle(csv);
  bool whole = find_line(csv, length);
  if (csv->status != TDM_OK || (!whole && *length == 0)) return false;
  *line = csv->buffer + csv->at;
  if (whole && *length > 0 && (*line)[*length - 1] == '\r') --*length;
  return true;
}

void tdm_csv_skip_line(tdm_csv *csv) {
  settle(csv);
  skip_line(csv);
}

/* Where the record at `at` ends: behind its last byte, without the line's end. *next: where the
 * next one begins. */
static size_t record_end(tdm_csv *csv, size_t *next) {
  size_t i = csv->at;
  bool quoted = false, first = true; /* first: nothing but blanks in this field yet */
  for (;; i++) {
    if (i >= csv->end || i - csv->at > TDM_CSV_RECORD) {
      size_t length = i - csv->at;
      if (length > TDM_CSV_RECORD) {
        csv->cut++;
        break;
      }
      if (!refill(csv)) break;
      i = csv->at + length;
    }
    char c = csv->buffer[i];
    if (quoted) {
      if (c == '"') quoted = false; /* the second of a pair opens it again: first is still true */
    } else if (c == '"' && first) {
      quoted = true;
    } else if (c == '\n') {
      *next = i + 1;
      return i > csv->at && csv->buffer[i - 1] == '\r' ? i - 1 : i;
    } else {
      first = c == ',' || (first && (c == ' ' || c == '\t'));
    }
  }
  *next = i;
  return i;
}

static bool put_field(tdm_csv *csv, char *text, char *end) {
  if (!tdm_array_grow(&csv->fields, &csv->field_room, csv->field_count + 1, sizeof *csv->fields)) {
    fail_memory(csv, csv->field_count * sizeof *csv->fields);
    return false;
  }
  csv->fields[csv->field_count++] = (tdm_csv_field){.text = text, .length = (size_t)(end - text)};
  return true;
}

/* One field from *p, unquoted in place; *p moves behind its comma, or to `end`. */
static bool take_field(tdm_csv *csv, char **p, char *end) {
  char *from = *p, *text, *out;
  while (from < end && (*from == ' ' || *from == '\t')) from++;
  if (from < end && *from == '"') {
    text = out = ++from;
    while (from < end) {
      if (*from == '"') {
        if (from + 1 == end || from[1] != '"') break;
        from++;
      }
      *out++ = *from++;
    }
    if (from < end) from++; /* the closing quote; what follows it up to the comma is kept */
    while (from < end && *from != ',') *out++ = *from++;
  } else {
    text = *p;
    while (from < end && *from != ',') from++;
    out = from;
  }
  bool more = from < end;
  *p = more ? from + 1 : end;
  if (!put_field(csv, text, out)) return false;
  return !more || *p < end || put_field(csv, end, end); /* a comma at the end: one more, empty */
}

bool tdm_csv_next(tdm_csv *csv, const tdm_csv_field **fields, size_t *count) {
  settle(csv);
  csv->field_count = 0;
  if (csv->at == csv->end && !refill(csv)) return false;
  size_t next;
  size_t stop = record_end(csv, &next);
  if (csv->status != TDM_OK) return false;
  char *p = csv->buffer + csv->at, *end = csv->buffer + stop;
  if (next == stop &&
      (stop < csv->end || !csv->drained)) { /* cut: a NUL goes where the text goes on */
    csv->resting = true;
    csv->patch = *end;
  }
  do {
    if (!take_field(csv, &p, end)) return false;
  } while (p < end);
  for (size_t i = 0; i < csv->field_count; i++)
    csv->buffer[(size_t)(csv->fields[i].text - csv->buffer) + csv->fields[i].length] = 0;
  for (size_t i = 0; csv->unguards && i < csv->field_count; i++) unguard(&csv->fields[i]);
  csv->at = next;
  *fields = csv->fields;
  *count = csv->field_count;
  return true;
}
