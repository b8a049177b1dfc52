/* The way in: what a reader uses to make records.
 *
 * Interns names, tracks and layouts, gathers rows into columns, sorts them by start within a buffer
 * and hands them to a tdm_record_sink. Failures (of the sink, of memory) stick: later calls do
 * nothing, ids are 0, and tdm_recorder_end_source and tdm_recorder_finish return the first one; a
 * reader need only look at tdm_recorder_failed now and then, so that it stops early. Owns all
 * strings; one thread at a time. Called by src/read and by the store's side of the engine's sink.
 */
#ifndef TDM_TRACE_RECORDER_H
#define TDM_TRACE_RECORDER_H

#include <math.h>
#include <string.h>

#include "trace/record.h"

typedef struct tdm_recorder tdm_recorder;

/* Copies *sink. NULL: out of memory. */
tdm_recorder *tdm_recorder_new(const tdm_record_sink *sink);
void tdm_recorder_free(tdm_recorder *recorder);

/* All rows, tracks, facts and problems from here on belong to this source. The functions below set
 * its fields until it ends. */
void tdm_recorder_begin_source(tdm_recorder *recorder, const char *path, const char *format);
tdm_status tdm_recorder_end_source(tdm_recorder *recorder, tdm_error *error);

void tdm_recorder_detail(tdm_recorder *recorder, const char *detail);
void tdm_recorder_rank(tdm_recorder *recorder, int64_t rank);
void tdm_recorder_utc(tdm_recorder *recorder, int64_t utc_ns);
/* It tells what ran and not when: its rows lie at 0 and it has no first and last time. */
void tdm_recorder_timeless(tdm_recorder *recorder);
/* Where the source's records were read from first, for readers of files that tandem wrote. Both
 * texts are copied. */
void tdm_recorder_origin(tdm_recorder *recorder, const char *path, const char *format,
                         int64_t offset_ns);

/* Says whether all went well. Sources must have ended, with which their last rows left. */
tdm_status tdm_recorder_finish(tdm_recorder *recorder, tdm_error *error);

int tdm_recorder_failed(const tdm_recorder *recorder);
/* A failure of who records, where that cannot be returned. */
void tdm_recorder_fail(tdm_recorder *recorder, const tdm_error *error);

/* ---- tables ---- */

/* What a name may have. Above a gigabyte SQLite refuses it, and long before nobody reads it: a
 * report looks through each by some hundred patterns. Lists of ranks, which are facts, take a
 * tenth of what a fact may have, which is the same. */
#define TDM_NAME_BYTES ((size_t)1 << 20)

/* The id of a text; equal texts have equal ids. Cut at the first NUL and behind TDM_NAME_BYTES;
 * bytes that are not UTF-8 are replaced. Both are counted as problems. */
uint32_t tdm_record_name(tdm_recorder *recorder, const char *text, size_t length);
static inline uint32_t tdm_record_text(tdm_recorder *recorder, const char *text) {
  return tdm_record_name(recorder, text, strlen(text));
}
const char *tdm_recorder_name(const tdm_recorder *recorder, uint32_t id, size_t *length);

/* Equal tracks (strings, numbers, source) have equal ids. Keep the id: this looks at every field.
 */
uint32_t tdm_record_track(tdm_recorder *recorder, const tdm_track *about);

/* Tells better strings of a track, for what is known late only. Its rows stay its own; tracks equal
 * to its first one still find it. */
void tdm_record_track_rename(tdm_recorder *recorder, uint32_t track, const tdm_track *about);

/* Equal layouts have equal ids. More than TDM_LAYOUT_ARGS arguments are a failure. */
uint32_t tdm_record_layout(tdm_recorder *recorder, const char *category, tdm_shape shape,
                           const tdm_arg *args, uint32_t count);

/* ---- rows ---- */

typedef struct {
  size_t count; /* rows filled so far; the caller counts up */
  size_t room;  /* rows there is room for */
  int64_t **column;
} tdm_row_buffer;

/* Room for at least one more row: fill column[c][count], c < TDM_ARGS + args, then ++count. NULL
 * after a failure. The pointer is good until the next call for this layout. */
tdm_row_buffer *tdm_record_rows(tdm_recorder *recorder, uint32_t layout);

/* One row. `args` as many as the layout has; may be NULL when it has none. */
static inline void tdm_record_row(tdm_recorder *recorder, uint32_t layout, int64_t start_ns,
                                  int64_t dur_ns, uint32_t track, uint32_t name,
                                  const int64_t *args, uint32_t count) {
  tdm_row_buffer *rows = tdm_record_rows(recorder, layout);
  if (rows == NULL) return;
  size_t n = rows->count++;
  rows->column[TDM_START][n] = start_ns;
  rows->column[TDM_DUR][n] = dur_ns;
  rows->column[TDM_TRACK][n] = track;
  rows->column[TDM_NAME][n] = name;
  for (uint32_t i = 0; i < count; i++) rows->column[TDM_ARGS + i][n] = args[i];
}

/* A double as the value of a REAL argument; -0.0 becomes 0.0, every NaN the same one. */
static inline int64_t tdm_record_real(double value) {
  if (value == 0) value = 0;
  if (isnan(value)) value = NAN;
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double tdm_record_double(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Counter samples: one layout for all real-valued ones. */
void tdm_record_sample(tdm_recorder *recorder, int64_t time_ns, uint32_t track, uint32_t counter,
                       double value, uint32_t unit);

/* An edge of `kind` (a name id); `id` as its source numbers it, TDM_NONE where it does not. */
void tdm_record_edge(tdm_recorder *recorder, uint32_t kind, int64_t from_ns, uint32_t from_track,
                     int64_t to_ns, uint32_t to_track, int64_t id);

/* ---- the rest ---- */

/* Both are cut where names are. */
void tdm_record_fact(tdm_recorder *recorder, const char *key, const char *value);
void tdm_record_fact_int(tdm_recorder *recorder, const char *key, int64_t value);

/* Adds to the count of a kind of problem of this source. `kind` is a sentence's beginning for the
 * report: "events without an end", "bad escapes in strings (repaired)". Kinds are literals. */
void tdm_record_problem(tdm_recorder *recorder, const char *kind, uint64_t count);

/* Its texts are cut where names are. */
void tdm_record_metric(tdm_recorder *recorder, const tdm_metric *metric);
void tdm_record_artifact(tdm_recorder *recorder, const char *name, const char *type,
                         const void *bytes, size_t length);
void tdm_record_requests(tdm_recorder *recorder, const tdm_request_record *records, size_t count);
void tdm_record_request_class(tdm_recorder *recorder, uint32_t index, const char *name);

#endif
