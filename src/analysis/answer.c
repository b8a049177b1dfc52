/* See answer.h. A frame is one array of cells, row by row. */
#include "analysis/answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  union {
    int64_t number;
    double real;
    const char *text;
  };
  unsigned char there, owned;
} cell;

struct tdm_frame {
  tdm_answer *answer;
  const char *name;
  const tdm_field *field;
  size_t fields, rows, room;
  cell *cells;
};

typedef struct {
  char **text;
  size_t count, room;
} sentences;

struct tdm_answer {
  tdm_frame **frame;
  size_t frames, room;
  sentences basis, cannot;
  int failed;
};

/* What frames are when memory ran out: everything put into it is lost, and the answer knows. */
static tdm_frame nowhere;

/* ---- life ---- */

tdm_answer *tdm_answer_new(void) {
  return tdm_array_new(1, sizeof(tdm_answer));
}

static void free_frame(tdm_frame *frame) {
  for (size_t i = 0; i < frame->rows * frame->fields; i++)
    if (frame->cells[i].owned) free((char *)(uintptr_t)frame->cells[i].text);
  free(frame->cells);
  free(frame);
}

static void free_sentences(sentences *list) {
  for (size_t i = 0; i < list->count; i++) free(list->text[i]);
  free(list->text);
}

void tdm_answer_free(tdm_answer *answer) {
  if (answer == NULL) return;
  for (size_t i = 0; i < answer->frames; i++) free_frame(answer->frame[i]);
  free(answer->frame);
  free_sentences(&answer->basis);
  free_sentences(&answer->cannot);
  free(answer);
}

tdm_status tdm_answer_status(const tdm_answer *answer, tdm_error *error) {
  return answer->failed ? tdm_error_memory(error, "an answer", 0) : TDM_OK;
}

/* ---- filling ---- */

tdm_frame *tdm_answer_frame(tdm_answer *answer, const char *name, const tdm_field *fields,
                            size_t count) {
  tdm_frame *frame = tdm_array_new(1, sizeof *frame);
  if (frame == NULL ||
      !tdm_array_grow(&answer->frame, &answer->room, answer->frames + 1, sizeof *answer->frame)) {
    free(frame);
    answer->failed = 1;
    return &nowhere;
  }
  *frame = (tdm_frame){.answer = answer, .name = name, .field = fields, .fields = count};
  return answer->frame[answer->frames++] = frame;
}

void tdm_frame_row(tdm_frame *frame) {
  if (frame->answer == NULL || frame->answer->failed) return;
  size_t used = frame->rows * frame->fields;
  if (!tdm_array_grow(&frame->cells, &frame->room, used + frame->fields, sizeof *frame->cells)) {
    frame->answer->failed = 1;
    return;
  }
  memset(frame->cells + used, 0, frame->fields * sizeof *frame->cells);
  frame->rows++;
}

static cell *last(tdm_frame *frame, size_t field) {
  if (frame->answer == NULL || frame->answer->failed || frame->rows == 0) return NULL;
  return &frame->cells[(frame->rows - 1) * frame->fields + field];
}

void tdm_frame_int(tdm_frame *frame, size_t field, int64_t value) {
  cell *at = last(frame, field);
  if (at != NULL && value != INT64_MIN) *at = (cell){.number = value, .there = 1};
}

void tdm_frame_real(tdm_frame *frame, size_t field, double value) {
  cell *at = last(frame, field);
  if (at != NULL && !isnan(value)) *at = (cell){.real = value, .there = 1};
}

void tdm_frame_bool(tdm_frame *frame, size_t field, int value) {
  cell *at = last(frame, field);
  if (at != NULL) *at = (cell){.number = value != 0, .there = 1};
}

void tdm_frame_name(tdm_frame *frame, size_t field, const char *text) {
  cell *at = last(frame, field);
  if (at != NULL && text != NULL) *at = (cell){.text = text, .there = 1};
}

void tdm_frame_text(tdm_frame *frame, size_t field, const char *text) {
  cell *at = last(frame, field);
  if (at == NULL || text == NULL) return;
  char *copy = tdm_string_copy(text);
  if (copy == NULL)
    frame->answer->failed = 1;
  else
    *at = (cell){.text = copy, .there = 1, .owned = 1};
}

static void say(tdm_answer *answer, sentences *list, const char *format, va_list values) {
  char line[1024];
  vsnprintf(line, sizeof line, format, values);
  char *copy = tdm_string_copy(line);
  if (copy == NULL ||
      !tdm_array_grow(&list->text, &list->room, list->count + 1, sizeof *list->text)) {
    free(copy);
    answer->failed = 1;
    return;
  }
  list->text[list->count++] = copy;
}

void tdm_answer_basis(tdm_answer *answer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(answer, &answer->basis, format, values);
  va_end(values);
}

void tdm_answer_cannot(tdm_answer *answer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(answer, &answer->cannot, format, values);
  va_end(values);
}

/* ---- reading ---- */

size_t tdm_answer_frames(const tdm_answer *answer) {
  return answer->frames;
}
const tdm_frame *tdm_answer_frame_at(const tdm_answer *answer, size_t index) {
  return answer->frame[index];
}
const char *tdm_frame_title(const tdm_frame *frame) {
  return frame->name;
}
size_t tdm_frame_rows(const tdm_frame *frame) {
  return frame->rows;
}
const tdm_field *tdm_frame_fields(const tdm_frame *frame, size_t *count) {
  *count = frame->fields;
  return frame->field;
}

int tdm_frame_value(const tdm_frame *frame, size_t row, size_t field, int64_t *number, double *real,
                    const char **text) {
  const cell *at = &frame->cells[row * frame->fields + field];
  if (!at->there) return 0;
  switch (frame->field[field].type) {
  case TDM_FIELD_REAL: *real = at->real; break;
  case TDM_FIELD_TEXT: *text = at->text; break;
  default: *number = at->number;
  }
  return 1;
}

tdm_time_text tdm_answer_time(double ns) {
  static const struct {
    double ns;
    const char *name;
  } units[] = {{3600e9, "h"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
  tdm_time_text made = {"0 s"};
  char rounded[32];
  snprintf(rounded, sizeof rounded, "%.2e", ns); /* 999.6 ms are 1 s */
  double value = strtod(rounded, NULL);
  if (!(fabs(ns) >= 0.5)) return made;
  size_t u = 0;
  while (u < sizeof units / sizeof *units - 1 && fabs(value) < units[u].ns) u++;
  double in_unit = value / units[u].ns;
  int decimals = fabs(in_unit) >= 100 ? 0 : fabs(in_unit) >= 10 ? 1 : 2;
  int length = snprintf(made.text, sizeof made.text, "%.*f", decimals, in_unit);
  if (length < 0 || length > 10) length = 10;
  if (decimals > 0 && strspn(made.text + length - decimals, "0") == (size_t)decimals)
    length -= decimals + 1;
  snprintf(made.text + length, sizeof made.text - (size_t)length, " %s", units[u].name);
  return made;
}

size_t tdm_answer_basis_count(const tdm_answer *answer) {
  return answer->basis.count;
}
const char *tdm_answer_basis_at(const tdm_answer *answer, size_t index) {
  return answer->basis.text[index];
}
size_t tdm_answer_cannot_count(const tdm_answer *answer) {
  return answer->cannot.count;
}
const char *tdm_answer_cannot_at(const tdm_answer *answer, size_t index) {
  return answer->cannot.text[index];
}
