/* The tables of /meta: tracks, sources, facts, problems, metrics, requests, artifacts. See
 * inside.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/hdf5/inside.h"

/* ---- a table, column by column */

typedef struct {
  tdm_hdf5_out *out;
  const char *table;
  size_t count;
  int64_t *integers;
  const char **texts;
} sheet;

static int begin(sheet *s, tdm_hdf5_out *out, const char *table, size_t count) {
  *s = (sheet){.out = out, .table = table, .count = count};
  s->integers = tdm_array_new(count, sizeof *s->integers);
  s->texts = tdm_array_new(count, sizeof *s->texts);
  if (s->integers == NULL || s->texts == NULL) out->no_memory = 1;
  return !out->no_memory;
}

static void end(sheet *s) {
  free(s->integers);
  free(s->texts);
}

static void put_integers(const sheet *s, const char *column) {
  char path[TDM_HDF5_PATH];
  snprintf(path, sizeof path, "/meta/%s/%s", s->table, column);
  tdm_hdf5_put_integers(s->out, path, TDM_HDF5_U8, s->integers, s->count);
}

static void put_texts(const sheet *s, const char *column) {
  char path[TDM_HDF5_PATH];
  snprintf(path, sizeof path, "/meta/%s/%s", s->table, column);
  s->out->module->texts(s->out->writer, path, s->texts, s->count);
}

/* One column: `value` is an expression over the row `i`. */
#define INTEGERS(sheet, column, value)                                                             \
  do {                                                                                             \
    for (size_t i = 0; i < (sheet)->count; i++) (sheet)->integers[i] = (int64_t)(value);           \
    put_integers((sheet), (column));                                                               \
  } while (0)
#define TEXTS(sheet, column, value)                                                                \
  do {                                                                                             \
    for (size_t i = 0; i < (sheet)->count; i++) {                                                  \
      (sheet)->texts[i] = (value);                                                                 \
      if ((sheet)->texts[i] == NULL) (sheet)->texts[i] = "";                                       \
    }                                                                                              \
    put_texts((sheet), (column));                                                                  \
  } while (0)

/* ---- the tables */

static int64_t source_of(const tdm_hdf5_out *out, uint32_t source) {
  return source < tdm_recording_sources(out->recording) ? out->source_number[source] : 0;
}

static void put_tracks(tdm_hdf5_out *out) {
  const tdm_track **track = tdm_array_new(out->tracks, sizeof *track);
  sheet s;
  if (begin(&s, out, "tracks", out->tracks) && track != NULL) {
    for (uint32_t id = 0; id < tdm_recording_tracks(out->recording); id++)
      if (out->track_number[id] != UINT32_MAX)
        track[out->track_number[id]] = tdm_recording_track(out->recording, id);
    TEXTS(&s, "process", track[i]->process);
    TEXTS(&s, "name", track[i]->name);
    TEXTS(&s, "kind", tdm_track_kind_name(track[i]->kind));
    TEXTS(&s, "lane", tdm_lane_name(track[i]->lane));
    INTEGERS(&s, "capacity", track[i]->capacity);
    INTEGERS(&s, "pid", track[i]->pid);
    INTEGERS(&s, "tid", track[i]->tid);
    INTEGERS(&s, "device", track[i]->device);
    INTEGERS(&s, "context", track[i]->context);
    INTEGERS(&s, "stream", track[i]->stream);
    INTEGERS(&s, "source", source_of(out, track[i]->source));
  }
  if (track == NULL) out->no_memory = 1;
  end(&s);
  free(track);
}

static void put_sources(tdm_hdf5_out *out) {
  const tdm_source **source = tdm_array_new(out->sources, sizeof *source);
  sheet s;
  if (begin(&s, out, "sources", out->sources) && source != NULL) {
    for (uint32_t id = 0; id < tdm_recording_sources(out->recording); id++)
      if (out->source_number[id] != UINT32_MAX)
        source[out->source_number[id]] = tdm_recording_source(out->recording, id);
    TEXTS(&s, "path", source[i]->path);
    TEXTS(&s, "format", source[i]->format);
    TEXTS(&s, "detail", source[i]->detail);
    INTEGERS(&s, "rank", source[i]->rank);
    INTEGERS(&s, "utc_ns", source[i]->utc_ns);
    INTEGERS(&s, "offset_ns", source[i]->offset_ns);
  }
  if (source == NULL) out->no_memory = 1;
  end(&s);
  free(source);
}

static void put_facts(tdm_hdf5_out *out) {
  size_t count;
  const tdm_fact *fact = tdm_recording_facts(out->recording, &count);
  sheet s;
  if (begin(&s, out, "facts", count)) {
    INTEGERS(&s, "source", source_of(out, fact[i].source));
    TEXTS(&s, "key", fact[i].key);
    TEXTS(&s, "value", fact[i].value);
  }
  end(&s);
}

static void put_problems(tdm_hdf5_out *out) {
  size_t count;
  const tdm_problem *problem = tdm_recording_problems(out->recording, &count);
  sheet s;
  if (begin(&s, out, "problems", count)) {
    INTEGERS(&s, "source", source_of(out, problem[i].source));
    TEXTS(&s, "kind", problem[i].kind);
    INTEGERS(&s, "count", problem[i].count);
  }
  end(&s);
}

/* Which of a metric's texts are there: "" is another thing than none. */
static int64_t given(const tdm_metric *metric) {
  return (metric->scope != NULL) | (metric->subject != NULL) << 1 | (metric->name != NULL) << 2 |
         (metric->unit != NULL) << 3 | (metric->text != NULL) << 4;
}

static void put_metrics(tdm_hdf5_out *out) {
  size_t count;
  const tdm_metric *metric = tdm_recording_metrics(out->recording, &count);
  double *values = tdm_array_new(count, sizeof *values);
  sheet s;
  if (values == NULL) out->no_memory = 1;
  if (begin(&s, out, "metrics", count)) {
    TEXTS(&s, "scope", metric[i].scope);
    TEXTS(&s, "subject", metric[i].subject);
    INTEGERS(&s, "ordinal", metric[i].ordinal);
    TEXTS(&s, "name", metric[i].name);
    TEXTS(&s, "unit", metric[i].unit);
    TEXTS(&s, "text", metric[i].text);
    INTEGERS(&s, "given", given(&metric[i]));
    for (size_t i = 0; i < count; i++) values[i] = metric[i].value;
    out->module->numbers(out->writer, "/meta/metrics/value", TDM_HDF5_F64, values, count);
  }
  end(&s);
  free(values);
}

static void put_requests(tdm_hdf5_out *out) {
  size_t count;
  const tdm_request_record *request = tdm_recording_requests(out->recording, &count);
  uint32_t classes = tdm_recording_request_classes(out->recording);
  sheet s;
  if (begin(&s, out, "requests", count)) {
    INTEGERS(&s, "request", request[i].request);
    INTEGERS(&s, "arrival_ns", request[i].arrival_ns);
    INTEGERS(&s, "end_ns", request[i].end_ns);
    INTEGERS(&s, "gpu", request[i].gpu);
    INTEGERS(&s, "class", request[i].class_index);
    INTEGERS(&s, "outcome", request[i].outcome);
  }
  end(&s);
  size_t named = 0;
  for (uint32_t c = 0; c < classes; c++)
    if (tdm_recording_request_class(out->recording, c) != NULL) named++;
  if (begin(&s, out, "request_classes", named)) {
    named = 0;
    for (uint32_t c = 0; c < classes; c++) {
      const char *name = tdm_recording_request_class(out->recording, c);
      if (name == NULL) continue;
      s.integers[named] = c;
      s.texts[named++] = name;
    }
    put_integers(&s, "index");
    put_texts(&s, "name");
  }
  end(&s);
}

static void put_artifacts(tdm_hdf5_out *out) {
  size_t count;
  const tdm_artifact *artifact = tdm_recording_artifacts(out->recording, &count);
  for (size_t i = 0; i < count; i++) {
    char path[TDM_HDF5_PATH];
    snprintf(path, sizeof path, "/meta/artifacts/%zu", i);
    out->module->numbers(out->writer, path, TDM_HDF5_U8, artifact[i].bytes, artifact[i].length);
    out->module->note_text(out->writer, path, "name", artifact[i].name);
    out->module->note_text(out->writer, path, "type", artifact[i].type);
  }
}

void tdm_hdf5_put_meta(tdm_hdf5_out *out, const tdm_write_options *options) {
  put_tracks(out);
  put_sources(out);
  put_facts(out);
  put_problems(out);
  put_metrics(out);
  put_requests(out);
  put_artifacts(out);
  if (options == NULL) return;
  if (options->run_name != NULL)
    out->module->note_text(out->writer, "/meta", "run_name", options->run_name);
  if (options->version != NULL)
    out->module->note_text(out->writer, "/meta", "tandem_version", options->version);
}
