/* Reading files into a recording and asking it, and making SQLite exports out of lists of columns:
 * for the tests of the Nsight Systems readers. */
#ifndef TDM_TESTS_NSYS_FIXTURE_H
#define TDM_TESTS_NSYS_FIXTURE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "read/nsys/source.h"
#include "trace/recording.h"

#define EXPORTS "tests/data/nsys/"

typedef struct {
  tdm_recording *recording;
  tdm_status status;
  tdm_error error;
} reading;

static inline reading read_with(const char *path, const tdm_reader *reader,
                                const tdm_read_options *options) {
  reading r = {.recording = tdm_recording_new()};
  tdm_record_sink sink = {0};
  tdm_recording_sink(r.recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_input *input = NULL;
  r.status = tdm_input_open(path, &input, &r.error);
  if (r.status == TDM_OK && reader == NULL) r.status = tdm_reader_find(input, &reader, &r.error);
  if (r.status == TDM_OK) {
    tdm_recorder_begin_source(recorder, path, reader->name);
    r.status = reader->read(input, options, recorder, &r.error);
    tdm_error late = {0};
    if (tdm_recorder_end_source(recorder, &late) != TDM_OK && r.status == TDM_OK) {
      r.status = late.status;
      r.error = late;
    }
  }
  tdm_input_close(input);
  tdm_recorder_free(recorder);
  return r;
}

static inline reading read_path(const char *path) {
  static const tdm_read_options plain = {0};
  return read_with(path, NULL, &plain);
}

static inline void reading_free(reading *r) {
  tdm_recording_free(r->recording);
}

/* ---- what a recording says ---- */

typedef struct {
  size_t rows;
  int64_t duration_ns;
} total;

/* Over the rows of a category; `shape` and `name` may be -1 and NULL. */
static inline total total_of(const tdm_recording *recording, const char *category, int shape,
                             const char *name) {
  total sum = {0, 0};
  for (uint32_t l = 0; l < tdm_recording_layouts(recording); l++) {
    const tdm_layout *layout = tdm_recording_layout(recording, l);
    const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
    if (strcmp(layout->category, category) != 0) continue;
    if (shape >= 0 && layout->shape != (tdm_shape)shape) continue;
    for (size_t i = 0; i < rows->count; i++) {
      const char *of = tdm_recording_name(recording, (uint32_t)tdm_kept(rows, TDM_NAME, i), NULL);
      if (name != NULL && strcmp(of, name) != 0) continue;
      sum.rows++;
      /* wraps, where a test has times at the ends of what there is */
      sum.duration_ns = (int64_t)((uint64_t)sum.duration_ns + (uint64_t)tdm_kept(rows, TDM_DUR, i));
    }
  }
  return sum;
}

static inline size_t rows_of(const tdm_recording *recording, const char *category) {
  return total_of(recording, category, -1, NULL).rows;
}

/* The first row of a category (and name, where not NULL) in a layout that has `key`. */
typedef struct {
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  size_t row;
} found_row;

static inline found_row find_row(const tdm_recording *recording, const char *category,
                                 const char *name) {
  for (uint32_t l = 0; l < tdm_recording_layouts(recording); l++) {
    const tdm_layout *layout = tdm_recording_layout(recording, l);
    const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
    if (strcmp(layout->category, category) != 0) continue;
    for (size_t i = 0; i < rows->count; i++) {
      const char *of = tdm_recording_name(recording, (uint32_t)tdm_kept(rows, TDM_NAME, i), NULL);
      if (name == NULL || strcmp(of, name) == 0) return (found_row){layout, rows, i};
    }
  }
  return (found_row){NULL, NULL, 0};
}

/* TDM_NONE: the row has no such argument. */
static inline int64_t number_in(found_row found, const char *key) {
  uint32_t column = found.layout != NULL ? tdm_layout_column(found.layout, key) : 0;
  return column != 0 ? tdm_kept(found.rows, column, found.row) : TDM_NONE;
}

static inline const char *text_in(const tdm_recording *recording, found_row found,
                                  const char *key) {
  int64_t value = number_in(found, key);
  return value == TDM_NONE ? "(none)" : tdm_recording_name(recording, (uint32_t)value, NULL);
}

static inline const tdm_track *track_in(const tdm_recording *recording, found_row found) {
  return tdm_recording_track(recording, (uint32_t)tdm_kept(found.rows, TDM_TRACK, found.row));
}

static inline const char *fact_in(const tdm_recording *recording, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return "(none)";
}

static inline uint64_t problem_in(const tdm_recording *recording, const char *kind) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(problems[i].kind, kind) == 0) return problems[i].count;
  return 0;
}

/* Every name, number and time of all rows: equal readings have equal digests. */
static inline uint64_t digest_of(const tdm_recording *recording) {
  uint64_t digest = 1469598103934665603u;
  for (uint32_t l = 0; l < tdm_recording_layouts(recording); l++) {
    const tdm_layout *layout = tdm_recording_layout(recording, l);
    const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
    for (const char *p = layout->category; *p != 0; p++)
      digest = (digest ^ (unsigned char)*p) * 1099511628211u;
    for (uint32_t c = 0; c < TDM_ARGS + layout->args; c++)
      for (size_t i = 0; i < rows->count; i++)
        digest = (digest ^ (uint64_t)tdm_kept(rows, c, i)) * 1099511628211u;
  }
  return digest;
}

/* ---- files ---- */

/* A plain copy of an export of tests/data, uncompressed. */
static inline void copy_export(const char *name, const char *target) {
  char path[256], piece[65536];
  snprintf(path, sizeof path, EXPORTS "%s", name);
  gzFile from = gzopen(path, "rb"); /* reads plain files too */
  FILE *to = fopen(target, "wb");
  int n;
  while (from != NULL && to != NULL && (n = gzread(from, piece, sizeof piece)) > 0)
    fwrite(piece, 1, (size_t)n, to);
  if (from != NULL) gzclose(from);
  if (to != NULL) fclose(to);
}

static inline void sql(sqlite3 *database, const char *text) {
  char *message = NULL;
  if (sqlite3_exec(database, text, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", text, message);
    abort();
  }
}

static inline sqlite3 *new_file(const char *path) {
  sqlite3 *database;
  unlink(path);
  if (sqlite3_open(path, &database) != SQLITE_OK) abort();
  sql(database, "BEGIN");
  return database;
}

static inline void save_file(sqlite3 *database) {
  sql(database, "COMMIT");
  sqlite3_close(database);
}

#endif
