/* A file of PyTorch's tools read into a recording, and what tests ask of that. */
#ifndef TESTS_C_TORCH_FIXTURE_H
#define TESTS_C_TORCH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/torch/inside.h"
#include "trace/recording.h"

typedef struct {
  tdm_recording *recording;
  tdm_error error;
  tdm_status status;
} torch_fixture;

/* Reads all of an input, closes it. */
static torch_fixture read_input(tdm_input *input, const tdm_reader *reader,
                                const tdm_read_options *options) {
  torch_fixture f = {.recording = tdm_recording_new()};
  tdm_record_sink sink;
  assert_non_null(f.recording);
  tdm_recording_sink(f.recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_non_null(recorder);
  tdm_recorder_begin_source(recorder, tdm_input_path(input), reader->name);
  f.status = reader->read(input, options, recorder, &f.error);
  tdm_error later;
  assert_int_equal(tdm_recorder_end_source(recorder, &later), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &later), TDM_OK);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  return f;
}

static inline torch_fixture read_text(const tdm_reader *reader, const char *text, size_t length) {
  tdm_read_options options = {0};
  tdm_input *input;
  assert_int_equal(tdm_input_open_memory(text, length, &input, NULL), TDM_OK);
  return read_input(input, reader, &options);
}

/* A file that must be recognized as the reader's. */
static inline torch_fixture read_path(const tdm_reader *reader, const char *path) {
  tdm_read_options options = {0};
  tdm_error error = {0};
  tdm_input *input;
  const tdm_reader *found;
  if (tdm_input_open(path, &input, &error) != TDM_OK) fail_msg("%s", error.message);
  assert_int_equal(tdm_reader_find(input, &found, &error), TDM_OK);
  assert_string_equal(found->name, reader->name);
  torch_fixture f = read_input(input, reader, &options);
  if (f.status != TDM_OK) fail_msg("%s", f.error.message);
  return f;
}

static inline void fixture_done(torch_fixture *f) {
  tdm_recording_free(f->recording);
}

static inline const char *name_at(const torch_fixture *f, int64_t id) {
  return id == TDM_NONE ? "(none)" : tdm_recording_name(f->recording, (uint32_t)id, NULL);
}

/* A row found: of which layout, and where. */
typedef struct {
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  size_t index;
} found_row;

static inline int64_t arg_of(const found_row *row, const char *key) {
  uint32_t column = tdm_layout_column(row->layout, key);
  return column == 0 ? TDM_NONE : tdm_kept(row->rows, column, row->index);
}

/* Calls `each` for all rows of a category, of a shape (-1: any) and a name (NULL: any). Returns how
 * many; *last the last of them. */
static size_t find_rows(const torch_fixture *f, const char *category, int shape, const char *name,
                        found_row *last) {
  size_t count = 0;
  for (uint32_t id = 0; id < tdm_recording_layouts(f->recording); id++) {
    const tdm_layout *layout = tdm_recording_layout(f->recording, id);
    if (strcmp(layout->category, category) != 0) continue;
    if (shape >= 0 && layout->shape != (tdm_shape)shape) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(f->recording, id);
    for (size_t i = 0; i < rows->count; i++) {
      if (name != NULL && strcmp(name_at(f, tdm_kept(rows, TDM_NAME, i)), name) != 0) continue;
      count++;
      if (last != NULL) *last = (found_row){layout, rows, i};
    }
  }
  return count;
}

static inline size_t count_rows(const torch_fixture *f, const char *category, int shape,
                                const char *name) {
  return find_rows(f, category, shape, name, NULL);
}

static inline found_row one_row(const torch_fixture *f, const char *category, int shape,
                                const char *name) {
  found_row row = {0};
  size_t count = find_rows(f, category, shape, name, &row);
  if (count != 1) fail_msg("%zu rows of %s %s", count, category, name != NULL ? name : "");
  return row;
}

static inline const char *text_of(const torch_fixture *f, const found_row *row, const char *key) {
  return name_at(f, arg_of(row, key));
}

static inline uint64_t problem_count(const torch_fixture *f, const char *kind) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(f->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (kind == NULL || strcmp(problems[i].kind, kind) == 0) return problems[i].count;
  return 0;
}

/* NaN: there is none. */
static inline double metric_of(const torch_fixture *f, const char *scope, const char *subject,
                               const char *name) {
  size_t count;
  const tdm_metric *metrics = tdm_recording_metrics(f->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(metrics[i].scope, scope) == 0 && strcmp(metrics[i].subject, subject) == 0 &&
        strcmp(metrics[i].name, name) == 0)
      return metrics[i].value;
  return 0.0 / 0.0;
}

static inline const tdm_artifact *artifact_named(const torch_fixture *f, const char *name) {
  size_t count;
  const tdm_artifact *artifacts = tdm_recording_artifacts(f->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(artifacts[i].name, name) == 0) return &artifacts[i];
  return NULL;
}

/* The bytes of a file; the caller frees them. */
static inline char *bytes_of(const char *path, size_t *length) {
  tdm_input *input;
  tdm_error error = {0};
  if (tdm_input_open(path, &input, &error) != TDM_OK) fail_msg("%s", error.message);
  char *bytes = NULL;
  size_t used = 0, count;
  const unsigned char *piece;
  while (tdm_input_next(input, &piece, &count, &error) == TDM_OK && count > 0) {
    bytes = realloc(bytes, used + count);
    assert_non_null(bytes);
    memcpy(bytes + used, piece, count);
    used += count;
  }
  tdm_input_close(input);
  *length = used;
  return bytes;
}

#endif
