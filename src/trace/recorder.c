/* See recorder.h. Tables are interned as bytes; rows are buffered by layout and sorted when they
 * leave. */
#include "trace/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/intern.h"
#include "trace/row_sort.h"
#include "trace/utf8.h"

/* Rows leave in buffers of this many: large enough that sorting within them orders nearly all of a
 * trace, small enough that memory does not grow with it. */
enum { BUFFER_ROWS = 32768, FIRST_ROWS = 64 };

typedef struct {
  tdm_layout layout;
  tdm_row_buffer rows; /* columns lie in one piece */
  int64_t *block;
} row_shelf;

typedef struct {
  const char *kind;
  uint64_t count;
} kind_count;

struct tdm_recorder {
  tdm_record_sink sink;
  tdm_status status; /* of the first failure */
  tdm_error error;
  tdm_intern names, tracks, layouts;
  row_shelf *shelves;
  size_t shelf_count, shelf_capacity;
  uint32_t source_count;
  int source_open, timeless;
  tdm_source source;
  char *source_path, *source_detail, *source_format;
  kind_count *problems;
  size_t problem_count, problem_capacity;
  tdm_row_sorter sorter;
  char *mended;
  size_t mended_capacity;
  uint32_t sample_layout, edge_layout; /* + 1; 0: not made yet */
};

static void fail(tdm_recorder *recorder, tdm_status status) {
  if (recorder->status == TDM_OK) recorder->status = status;
}

static void fail_memory(tdm_recorder *recorder, const char *what, size_t bytes) {
  if (recorder->status == TDM_OK)
    recorder->status = tdm_error_memory(&recorder->error, what, bytes);
}

/* Calls a member of the sink unless it is absent or something failed before. */
#define PUSH(recorder, member, ...)                                                                \
  do {                                                                                             \
    if ((recorder)->status == TDM_OK && (recorder)->sink.member != NULL)                           \
      fail((recorder),                                                                             \
           (recorder)->sink.member((recorder)->sink.context, __VA_ARGS__, &(recorder)->error));    \
  } while (0)

tdm_recorder *tdm_recorder_new(const tdm_record_sink *sink) {
  tdm_recorder *recorder = tdm_array_new(1, sizeof *recorder);
  if (recorder != NULL) recorder->sink = *sink;
  return recorder;
}

void tdm_recorder_free(tdm_recorder *recorder) {
  if (recorder == NULL) return;
  for (size_t i = 0; i < recorder->shelf_count; i++) {
    free(recorder->shelves[i].block);
    free(recorder->shelves[i].rows.column);
    free((void *)recorder->shelves[i].layout.arg);
  }
  free(recorder->shelves);
  free(recorder->problems);
  free(recorder->source_path);
  free(recorder->source_detail);
  free(recorder->source_format);
  free(recorder->mended);
  tdm_row_sorter_free(&recorder->sorter);
  tdm_intern_clear(&recorder->names);
  tdm_intern_clear(&recorder->tracks);
  tdm_intern_clear(&recorder->layouts);
  free(recorder);
}

void tdm_recorder_fail(tdm_recorder *recorder, const tdm_error *error) {
  if (recorder->status != TDM_OK) return;
  recorder->status = error->status;
  recorder->error = *error;
}

int tdm_recorder_failed(const tdm_recorder *recorder) {
  return recorder->status != TDM_OK;
}

static tdm_status report(const tdm_recorder *recorder, tdm_error *error) {
  if (recorder->status != TDM_OK && error != NULL) *error = recorder->error;
  return recorder->status;
}

/* ---- sources ---- */

void tdm_recorder_begin_source(tdm_recorder *recorder, const char *path, const char *format) {
  recorder->source_path = tdm_string_copy(path);
  recorder->source_open = 1;
  recorder->timeless = 0;
  recorder->source = (tdm_source){.path = recorder->source_path,
                                  .format = format,
                                  .detail = "",
                                  .rank = TDM_NONE,
                                  .utc_ns = TDM_NONE,
                                  .first_ns = TDM_NONE,
                                  .last_ns = TDM_NONE};
  if (recorder->source_path == NULL) fail_memory(recorder, "a file name", strlen(path) + 1);
}

void tdm_recorder_detail(tdm_recorder *recorder, const char *detail) {
  free(recorder->source_detail);
  recorder->source_detail = tdm_string_copy(detail);
  recorder->source.detail = recorder->source_detail != NULL ? recorder->source_detail : "";
  if (recorder->source_detail == NULL) fail_memory(recorder, "a detail", strlen(detail) + 1);
}

void tdm_recorder_rank(tdm_recorder *recorder, int64_t rank) {
  recorder->source.rank = rank;
}

void tdm_recorder_utc(tdm_recorder *recorder, int64_t utc_ns) {
  recorder->source.utc_ns = utc_ns;
}

void tdm_recorder_timeless(tdm_recorder *recorder) {
  recorder->timeless = 1;
}

void tdm_recorder_origin(tdm_recorder *recorder, const char *path, const char *format,
                         int64_t offset_ns) {
  char *own_path = tdm_string_copy(path), *own_format = tdm_string_copy(format);
  if (own_path == NULL || own_format == NULL) {
    free(own_path);
    free(own_format);
    fail_memory(recorder, "a file name", strlen(path) + 1);
    return;
  }
  free(recorder->source_path);
  free(recorder->source_format);
  recorder->source.path = recorder->source_path = own_path;
  recorder->source.format = recorder->source_format = own_format;
  recorder->source.offset_ns = offset_ns;
}

static void note_range(tdm_source *source, const tdm_row_buffer *rows, const tdm_layout *layout) {
  int64_t first = source->first_ns, last = source->last_ns;
  for (size_t i = 0; i < rows->count; i++) {
    int64_t start = rows->column[TDM_START][i], end;
    if (__builtin_add_overflow(start, rows->column[TDM_DUR][i], &end)) end = INT64_MAX;
    if (layout->shape == TDM_SHAPE_EDGE || end < start) end = start;
    if (first == TDM_NONE || start < first) first = start;
    if (last == TDM_NONE || end > last) last = end;
  }
  source->first_ns = first;
  source->last_ns = last;
  source->rows += rows->count;
}

static void flush_shelf(tdm_recorder *recorder, uint32_t id) {
  row_shelf *shelf = &recorder->shelves[id];
  if (shelf->rows.count == 0) return;
  note_range(&recorder->source, &shelf->rows, &shelf->layout);
  uint32_t columns = TDM_ARGS + shelf->layout.args;
  if (!tdm_rows_sort(&recorder->sorter, shelf->rows.column, columns, shelf->rows.count))
    fail_memory(recorder, "rows", shelf->rows.count * sizeof(int64_t));
  tdm_rows rows = {.layout = id,
                   .source = recorder->source_count,
                   .count = shelf->rows.count,
                   .column = shelf->rows.column};
  PUSH(recorder, rows, &rows);
  shelf->rows.count = 0;
}

tdm_status tdm_recorder_end_source(tdm_recorder *recorder, tdm_error *error) {
  for (uint32_t i = 0; i < recorder->shelf_count; i++) flush_shelf(recorder, i);
  if (recorder->timeless) recorder->source.first_ns = recorder->source.last_ns = TDM_NONE;
  for (size_t i = 0; i < recorder->problem_count; i++)
    PUSH(recorder, problem, recorder->source_count, recorder->problems[i].kind,
         recorder->problems[i].count);
  PUSH(recorder, source, recorder->source_count, &recorder->source);
  free(recorder->source_path);
  free(recorder->source_detail);
  free(recorder->source_format);
  recorder->source_path = recorder->source_detail = recorder->source_format = NULL;
  recorder->problem_count = 0;
  recorder->source_count++;
  recorder->source_open = 0;
  return report(recorder, error);
}

tdm_status tdm_recorder_finish(tdm_recorder *recorder, tdm_error *error) {
  if (recorder->source_open && recorder->status == TDM_OK)
    recorder->status = tdm_error_set(&recorder->error, TDM_BUG, "recorder: a source is still open");
  return report(recorder, error);
}

/* ---- tables ---- */

/* As many whole characters as a name may have. */
static size_t name_length(tdm_recorder *recorder, const char *text, size_t length,
                          const char *problem) {
  if (length <= TDM_NAME_BYTES) return length;
  tdm_record_problem(recorder, problem, 1);
  length = TDM_NAME_BYTES;
  while (length > TDM_NAME_BYTES - 4 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  return length;
}

static const char long_names[] = "names of more than 1 MiB (cut)";

/* A text as long as names may be: itself, or `*copy`, which the caller frees. */
static const char *short_text(tdm_recorder *recorder, const char *text, char **copy,
                              const char *problem) {
  size_t length = text == NULL ? 0 : strlen(text);
  if (length <= TDM_NAME_BYTES) return text;
  size_t kept = name_length(recorder, text, length, problem);
  *copy = tdm_array_new(kept + 1, 1);
  if (*copy == NULL) {
    fail_memory(recorder, "a name", kept);
    return NULL;
  }
  memcpy(*copy, text, kept);
  return *copy;
}

uint32_t tdm_record_name(tdm_recorder *recorder, const char *text, size_t length) {
  if (recorder->status != TDM_OK) return 0;
  length = name_length(recorder, text, length, long_names);
  if (tdm_utf8_valid(text, length) < length) {
    if (!tdm_array_grow(&recorder->mended, &recorder->mended_capacity, 3 * length + 1, 1)) {
      fail_memory(recorder, "a name", 3 * length);
      return 0;
    }
    size_t mended = tdm_utf8_mend(text, length, recorder->mended);
    tdm_record_problem(recorder, "texts that are not UTF-8 or hold a NUL (mended)", 1);
    text = recorder->mended;
    length = mended;
  }
  int fresh;
  uint32_t id = tdm_intern_put(&recorder->names, text, length, &fresh);
  if (id == TDM_INTERN_FAILED) {
    fail_memory(recorder, "a name", length);
    return 0;
  }
  if (fresh) PUSH(recorder, name, id, recorder->names.entries[id].bytes, length);
  return id;
}

const char *tdm_recorder_name(const tdm_recorder *recorder, uint32_t id, size_t *length) {
  if (id >= recorder->names.count) return NULL;
  if (length != NULL) *length = recorder->names.entries[id].length;
  return recorder->names.entries[id].bytes;
}

uint32_t tdm_record_track(tdm_recorder *recorder, const tdm_track *about) {
  if (recorder->status != TDM_OK) return 0;
  uint32_t process = tdm_record_text(recorder, about->process);
  uint32_t name = tdm_record_text(recorder, about->name);
  int64_t key[] = {process,
                   name,
                   (int64_t)about->kind,
                   (int64_t)about->lane,
                   about->pid,
                   about->tid,
                   about->device,
                   about->context,
                   about->stream,
                   about->capacity,
                   recorder->source_count};
  int fresh;
  uint32_t id = tdm_intern_put(&recorder->tracks, key, sizeof key, &fresh);
  if (id == TDM_INTERN_FAILED) {
    fail_memory(recorder, "a track", sizeof key);
    return 0;
  }
  if (fresh && recorder->status == TDM_OK) {
    tdm_track known = *about;
    known.process = recorder->names.entries[process].bytes;
    known.name = recorder->names.entries[name].bytes;
    known.source = recorder->source_count;
    PUSH(recorder, track, id, &known);
  }
  return id;
}

void tdm_record_track_rename(tdm_recorder *recorder, uint32_t track, const tdm_track *about) {
  tdm_track known = *about;
  uint32_t process = tdm_record_text(recorder, about->process);
  uint32_t name = tdm_record_text(recorder, about->name);
  if (recorder->status != TDM_OK) return;
  known.process = recorder->names.entries[process].bytes;
  known.name = recorder->names.entries[name].bytes;
  known.source = recorder->source_count;
  PUSH(recorder, track, track, &known);
}

/* Adds a shelf for a layout. Its strings are names, which do not move. */
static int add_shelf(tdm_recorder *recorder, const uint32_t *key, const tdm_arg *args,
                     uint32_t count) {
  if (!tdm_array_grow(&recorder->shelves, &recorder->shelf_capacity, recorder->shelf_count + 1,
                      sizeof *recorder->shelves))
    return 0;
  tdm_arg *own = tdm_array_new(count, sizeof *own);
  int64_t **column = tdm_array_new(TDM_ARGS + count, sizeof *column);
  if (own == NULL || column == NULL) {
    free(own);
    free(column);
    return 0;
  }
  const tdm_intern_entry *names = recorder->names.entries;
  for (uint32_t i = 0; i < count; i++)
    own[i] = (tdm_arg){.key = names[key[3 + 2 * i]].bytes, .type = args[i].type};
  row_shelf *fresh = &recorder->shelves[recorder->shelf_count++];
  memset(fresh, 0, sizeof *fresh);
  fresh->layout = (tdm_layout){
      .category = names[key[1]].bytes, .shape = (tdm_shape)key[0], .args = count, .arg = own};
  fresh->rows.column = column;
  return 1;
}

uint32_t tdm_record_layout(tdm_recorder *recorder, const char *category, tdm_shape shape,
                           const tdm_arg *args, uint32_t count) {
  uint32_t key[2 + 2 * TDM_LAYOUT_ARGS];
  if (recorder->status != TDM_OK) return 0;
  if (count > TDM_LAYOUT_ARGS) {
    recorder->status = tdm_error_set(&recorder->error, TDM_LIMIT, "%s: more than %d arguments",
                                     category, TDM_LAYOUT_ARGS);
    return 0;
  }
  key[0] = (uint32_t)shape;
  key[1] = tdm_record_text(recorder, category);
  for (uint32_t i = 0; i < count; i++) {
    key[2 + 2 * i] = (uint32_t)args[i].type;
    key[3 + 2 * i] = tdm_record_text(recorder, args[i].key);
  }
  int fresh;
  size_t length = (2 + 2 * count) * sizeof *key;
  uint32_t id = tdm_intern_put(&recorder->layouts, key, length, &fresh);
  if (id == TDM_INTERN_FAILED || recorder->status != TDM_OK ||
      (fresh && !add_shelf(recorder, key, args, count))) {
    fail_memory(recorder, "a layout", length);
    return 0;
  }
  if (fresh) PUSH(recorder, layout, id, &recorder->shelves[id].layout);
  return id;
}

/* ---- rows ---- */

static int grow_shelf(row_shelf *shelf) {
  size_t columns = TDM_ARGS + shelf->layout.args, old = shelf->rows.room;
  size_t room = old > 0 ? old * 4 : FIRST_ROWS;
  if (room > BUFFER_ROWS) room = BUFFER_ROWS;
  int64_t *block = malloc(columns * room * sizeof *block);
  if (block == NULL) return 0;
  for (size_t c = 0; c < columns; c++) {
    if (old > 0) memcpy(block + c * room, shelf->rows.column[c], old * sizeof *block);
    shelf->rows.column[c] = block + c * room;
  }
  free(shelf->block);
  shelf->block = block;
  shelf->rows.room = room;
  return 1;
}

tdm_row_buffer *tdm_record_rows(tdm_recorder *recorder, uint32_t layout) {
  if (recorder->status != TDM_OK) return NULL;
  row_shelf *shelf = &recorder->shelves[layout];
  if (shelf->rows.count < shelf->rows.room) return &shelf->rows;
  if (shelf->rows.room < BUFFER_ROWS) {
    if (!grow_shelf(shelf)) fail_memory(recorder, "rows", 4 * shelf->rows.room * sizeof(int64_t));
  } else {
    flush_shelf(recorder, layout);
  }
  return recorder->status == TDM_OK ? &shelf->rows : NULL;
}

void tdm_record_sample(tdm_recorder *recorder, int64_t time_ns, uint32_t track, uint32_t counter,
                       double value, uint32_t unit) {
  if (recorder->sample_layout == 0) {
    static const tdm_arg args[] = {{"value", TDM_ARG_REAL}, {"unit", TDM_ARG_TEXT}};
    recorder->sample_layout = tdm_record_layout(recorder, "counter", TDM_SHAPE_SAMPLE, args, 2) + 1;
  }
  int64_t values[] = {tdm_record_real(value), unit};
  tdm_record_row(recorder, recorder->sample_layout - 1, time_ns, 0, track, counter, values, 2);
}

void tdm_record_edge(tdm_recorder *recorder, uint32_t kind, int64_t from_ns, uint32_t from_track,
                     int64_t to_ns, uint32_t to_track, int64_t id) {
  if (recorder->edge_layout == 0) {
    static const tdm_arg args[] = {{"to_track", TDM_ARG_INT}, {"id", TDM_ARG_INT}};
    recorder->edge_layout = tdm_record_layout(recorder, "edge", TDM_SHAPE_EDGE, args, 2) + 1;
  }
  int64_t values[] = {to_track, id}, duration_ns;
  if (__builtin_sub_overflow(to_ns, from_ns, &duration_ns)) {
    tdm_record_problem(recorder, "edges over more than 64 bits of nanoseconds (dropped)", 1);
    return;
  }
  tdm_record_row(recorder, recorder->edge_layout - 1, from_ns, duration_ns, from_track, kind,
                 values, 2);
}

/* ---- the rest ---- */

void tdm_record_fact(tdm_recorder *recorder, const char *key, const char *value) {
  static const char long_facts[] = "facts of more than 1 MiB (cut)";
  char *short_key = NULL, *short_value = NULL;
  key = short_text(recorder, key, &short_key, long_facts);
  value = short_text(recorder, value, &short_value, long_facts);
  PUSH(recorder, fact, recorder->source_count, key, value);
  free(short_key);
  free(short_value);
}

void tdm_record_fact_int(tdm_recorder *recorder, const char *key, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)value);
  tdm_record_fact(recorder, key, text);
}

void tdm_record_problem(tdm_recorder *recorder, const char *kind, uint64_t count) {
  if (count == 0) return;
  for (size_t i = 0; i < recorder->problem_count; i++)
    if (strcmp(recorder->problems[i].kind, kind) == 0) {
      recorder->problems[i].count += count;
      return;
    }
  if (tdm_array_grow(&recorder->problems, &recorder->problem_capacity, recorder->problem_count + 1,
                     sizeof *recorder->problems))
    recorder->problems[recorder->problem_count++] = (kind_count){kind, count};
  else
    fail_memory(recorder, "a problem", sizeof(kind_count));
}

void tdm_record_metric(tdm_recorder *recorder, const tdm_metric *metric) {
  char *subject = NULL, *name = NULL, *unit = NULL;
  tdm_metric kept = *metric;
  kept.subject = short_text(recorder, metric->subject, &subject, long_names);
  kept.name = short_text(recorder, metric->name, &name, long_names);
  kept.unit = short_text(recorder, metric->unit, &unit, long_names);
  PUSH(recorder, metric, &kept);
  free(subject);
  free(name);
  free(unit);
}

void tdm_record_artifact(tdm_recorder *recorder, const char *name, const char *type,
                         const void *bytes, size_t length) {
  PUSH(recorder, artifact, name, type, bytes, length);
}

void tdm_record_requests(tdm_recorder *recorder, const tdm_request_record *records, size_t count) {
  PUSH(recorder, requests, records, count);
}

void tdm_record_request_class(tdm_recorder *recorder, uint32_t index, const char *name) {
  PUSH(recorder, request_class, index, name);
}
