/* Recordings for the tests of readers and writers: made, read, written, and their rows as lines of
 * text, sorted, so that two recordings can be compared whatever their ids. */
#ifndef TDM_TESTS_RECORDS_AS_TEXT_H
#define TDM_TESTS_RECORDS_AS_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/reader.h"
#include "trace/recorder.h"
#include "trace/recording.h"

typedef struct {
  tdm_recording *recording;
  tdm_recorder *recorder;
  tdm_error error;
} made;

static inline made made_new(void) {
  made m = {.recording = tdm_recording_new()};
  tdm_record_sink sink;
  tdm_recording_sink(m.recording, &sink);
  m.recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(m.recorder, "made", "test");
  return m;
}

static inline void made_done(made *m) {
  assert_int_equal(tdm_recorder_end_source(m->recorder, &m->error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(m->recorder, &m->error), TDM_OK);
  tdm_recorder_free(m->recorder);
  m->recorder = NULL;
}

/* Reads with one reader; the status is the reader's. */
static inline tdm_status read_input(const tdm_reader *reader, tdm_input *input,
                                    const tdm_read_options *options, tdm_recording **out,
                                    tdm_error *error) {
  tdm_read_options plain = {0};
  tdm_record_sink sink;
  *out = tdm_recording_new();
  tdm_recording_sink(*out, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, tdm_input_path(input), reader->name);
  tdm_status status = reader->read(input, options != NULL ? options : &plain, recorder, error);
  assert_int_equal(tdm_recorder_end_source(recorder, NULL), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, NULL), TDM_OK);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  return status;
}

static inline tdm_recording *read_bytes(const tdm_reader *reader, const void *bytes,
                                        size_t length) {
  tdm_input *input;
  tdm_recording *recording;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &error), TDM_OK);
  if (read_input(reader, input, NULL, &recording, &error) != TDM_OK) fail_msg("%s", error.message);
  return recording;
}

static inline tdm_recording *read_path(const tdm_reader *reader, const char *path) {
  tdm_input *input;
  tdm_recording *recording;
  tdm_error error = {0};
  if (tdm_input_open(path, &input, &error) != TDM_OK) fail_msg("%s", error.message);
  if (read_input(reader, input, NULL, &recording, &error) != TDM_OK) fail_msg("%s", error.message);
  return recording;
}

/* ---- rows as text ---- */

typedef struct {
  char **line;
  size_t count, room;
} lines;

static inline void lines_free(lines *all) {
  for (size_t i = 0; i < all->count; i++) free(all->line[i]);
  free(all->line);
}

static inline int lines_order(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline int text_number(char *out, const char *key, int64_t value) {
  return value == TDM_NONE ? 0 : sprintf(out, " %s=%lld", key, (long long)value);
}

static inline size_t text_track(const tdm_recording *r, int64_t track, char *out) {
  const tdm_track *p = tdm_recording_track(r, (uint32_t)track);
  int n = sprintf(out, "[%s | %s | %s %s", p->process, p->name, tdm_track_kind_name(p->kind),
                  tdm_lane_name(p->lane));
  n += text_number(out + n, "pid", p->pid);
  n += text_number(out + n, "tid", p->tid);
  n += text_number(out + n, "device", p->device);
  n += text_number(out + n, "context", p->context);
  n += text_number(out + n, "stream", p->stream);
  n += text_number(out + n, "capacity", p->capacity);
  return (size_t)(n + sprintf(out + n, "]"));
}

static inline int text_arg(const tdm_recording *r, const tdm_arg *arg, int64_t value, char *out) {
  if (arg->type == TDM_ARG_REAL) {
    double real = tdm_record_double(value);
    return isnan(real) ? 0 : sprintf(out, " %s=%.17gr", arg->key, real);
  }
  if (value == TDM_NONE) return 0;
  if (arg->type == TDM_ARG_TEXT || arg->type == TDM_ARG_JSON)
    return sprintf(out, " %s=%c'%s'", arg->key, arg->type == TDM_ARG_TEXT ? 't' : 'j',
                   tdm_recording_name(r, (uint32_t)value, NULL));
  return sprintf(out, " %s=%lld%s", arg->key, (long long)value,
                 arg->type == TDM_ARG_BOOL ? "b" : "");
}

/* Every row: shape, category, start, duration, name, arguments that are there, track. Ids of edges
 * are left out, since no format keeps them. */
static inline lines lines_of(const tdm_recording *r) {
  lines all = {0};
  char *out = malloc(1 << 20);
  for (uint32_t i = 0; i < tdm_recording_layouts(r); i++) {
    const tdm_layout *layout = tdm_recording_layout(r, i);
    const tdm_kept_rows *rows = tdm_recording_rows(r, i);
    for (size_t row = 0; row < rows->count; row++) {
      int edge = layout->shape == TDM_SHAPE_EDGE;
      int n = sprintf(out, "%s %s %lld+%lld '%s'", tdm_shape_name(layout->shape), layout->category,
                      (long long)tdm_kept(rows, TDM_START, row),
                      (long long)tdm_kept(rows, TDM_DUR, row),
                      tdm_recording_name(r, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL));
      for (uint32_t a = 0; !edge && a < layout->args; a++)
        n += text_arg(r, &layout->arg[a], tdm_kept(rows, TDM_ARGS + a, row), out + n);
      out[n++] = ' ';
      n += (int)text_track(r, tdm_kept(rows, TDM_TRACK, row), out + n);
      if (edge) text_track(r, tdm_kept(rows, TDM_ARGS, row), out + n);
      if (all.count == all.room) {
        all.room = all.room > 0 ? 2 * all.room : 64;
        all.line = realloc(all.line, all.room * sizeof *all.line);
      }
      all.line[all.count++] = strdup(out);
    }
  }
  free(out);
  if (all.count > 1) qsort(all.line, all.count, sizeof *all.line, lines_order);
  return all;
}

static inline void assert_same_rows(const tdm_recording *got, const tdm_recording *want) {
  lines a = lines_of(got), b = lines_of(want);
  for (size_t i = 0; i < a.count && i < b.count; i++)
    if (strcmp(a.line[i], b.line[i]) != 0)
      fail_msg("row %zu is\n  %s\ninstead of\n  %s", i, a.line[i], b.line[i]);
  assert_int_equal(a.count, b.count);
  lines_free(&a);
  lines_free(&b);
}

static inline void assert_rows(const tdm_recording *got, size_t count, const char *const *want) {
  lines a = lines_of(got);
  for (size_t i = 0; i < a.count && i < count; i++)
    if (strcmp(a.line[i], want[i]) != 0)
      fail_msg("row %zu is\n  %s\ninstead of\n  %s", i, a.line[i], want[i]);
  if (a.count != count)
    fail_msg("%zu rows instead of %zu; first extra: %s", a.count, count,
             a.count > count ? a.line[count] : want[a.count]);
  lines_free(&a);
}

static inline uint64_t problem_count(const tdm_recording *r, const char *kind) {
  size_t count;
  const tdm_problem *all = tdm_recording_problems(r, &count);
  for (size_t i = 0; i < count; i++)
    if (strstr(all[i].kind, kind) != NULL) return all[i].count;
  return 0;
}

static inline size_t rows_count(const tdm_recording *r) {
  size_t sum = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(r); i++) sum += tdm_recording_rows(r, i)->count;
  return sum;
}

/* A file of this process, removed by the caller. */
static inline const char *scratch_path(const char *ending) {
  static char path[128];
  snprintf(path, sizeof path, "/tmp/tandem-test-%ld%s", (long)getpid(), ending);
  return path;
}

static inline char *slurp(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*length + 1);
  assert_int_equal(fread(bytes, 1, *length, file), *length);
  bytes[*length] = 0;
  fclose(file);
  return bytes;
}

#endif
