/* The writer of JSON Lines: everything a recording holds, one JSON object a line. Read back by
 * read/jsonl.
 *
 * The first line says the format's version, the program and the run. Then, source by source: the
 * source, its tracks, facts and problems, the layouts that come new with it and its rows. Then what
 * belongs to no source: request classes, requests, metrics, artifacts (base64). Every line has
 * "record", which says what it is. All times are integers of nanoseconds on their source's clock,
 * ids of tracks and layouts are numbers of this file, names stand in full, and what is not there is
 * left out. Owns nothing beyond the call. */
#include "write/writer.h"

#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/outfile.h"
#include "trace/utf8.h"
#include "write/texts.h"

#define PUT(text) TDM_OUTFILE_LITERAL(job->file, text)

typedef struct {
  const tdm_recording *recording;
  tdm_outfile *file;
  tdm_texts texts;
  unsigned char *announced; /* by layout */
} lines_job;

static void put_key(lines_job *job, const char *key) {
  PUT(",\"");
  tdm_outfile_text(job->file, key);
  PUT("\":");
}

static void put_number(lines_job *job, const char *key, int64_t value) {
  if (value == TDM_NONE) return;
  put_key(job, key);
  tdm_outfile_integer(job->file, value);
}

static void put_text(lines_job *job, const char *key, const char *value) {
  if (value == NULL) return;
  put_key(job, key);
  tdm_outfile_json(job->file, value);
}

static void begin_line(lines_job *job, const char *record) {
  PUT("{\"record\":\"");
  tdm_outfile_text(job->file, record);
  PUT("\"");
}

static void end_line(lines_job *job) {
  PUT("}\n");
}

/* ---- what a source is ---- */

static void put_header(lines_job *job, const tdm_write_options *options) {
  begin_line(job, "header");
  put_text(job, "format", "tandem-jsonl");
  put_number(job, "version", 1);
  if (options != NULL) {
    put_text(job, "program", options->version);
    put_text(job, "run", options->run_id);
    put_text(job, "name", options->run_name);
  }
  end_line(job);
}

static void put_source(lines_job *job, uint32_t id, const tdm_source *source) {
  begin_line(job, "source");
  put_number(job, "source", id);
  put_text(job, "path", source->path);
  put_text(job, "format", source->format);
  put_text(job, "detail", source->detail);
  put_number(job, "rank", source->rank);
  put_number(job, "utc_ns", source->utc_ns);
  put_number(job, "offset_ns", source->offset_ns);
  put_number(job, "first_ns", source->first_ns);
  put_number(job, "last_ns", source->last_ns);
  put_number(job, "rows", (int64_t)source->rows);
  end_line(job);
}

static void put_tracks(lines_job *job, uint32_t source) {
  for (uint32_t i = 0; i < tdm_recording_tracks(job->recording); i++) {
    const tdm_track *track = tdm_recording_track(job->recording, i);
    if (track == NULL || track->source != source) continue;
    begin_line(job, "track");
    put_number(job, "track", i);
    put_text(job, "process", track->process);
    put_text(job, "name", track->name);
    put_text(job, "kind", tdm_track_kind_name(track->kind));
    put_text(job, "lane", tdm_lane_name(track->lane));
    put_number(job, "capacity", track->capacity);
    put_number(job, "pid", track->pid);
    put_number(job, "tid", track->tid);
    put_number(job, "device", track->device);
    put_number(job, "context", track->context);
    put_number(job, "stream", track->stream);
    end_line(job);
  }
}

static void put_notes(lines_job *job, uint32_t source) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(job->recording, &count);
  for (size_t i = 0; i < count; i++) {
    if (facts[i].source != source) continue;
    begin_line(job, "fact");
    put_text(job, "key", facts[i].key);
    put_text(job, "value", facts[i].value);
    end_line(job);
  }
  const tdm_problem *problems = tdm_recording_problems(job->recording, &count);
  for (size_t i = 0; i < count; i++) {
    if (problems[i].source != source) continue;
    begin_line(job, "problem");
    put_text(job, "kind", problems[i].kind);
    put_number(job, "count", (int64_t)problems[i].count);
    end_line(job);
  }
}

/* ---- rows ---- */

static void put_layout(lines_job *job, uint32_t id, const tdm_layout *layout) {
  begin_line(job, "layout");
  put_number(job, "layout", id);
  put_text(job, "category", layout->category);
  put_text(job, "shape", tdm_shape_name(layout->shape));
  put_key(job, "args");
  PUT("[");
  for (uint32_t i = 0; i < layout->args; i++) {
    if (i > 0) PUT(",");
    PUT("[");
    tdm_outfile_json(job->file, layout->arg[i].key);
    PUT(",\"");
    tdm_outfile_text(job->file, tdm_arg_type_name(layout->arg[i].type));
    PUT("\"]");
  }
  PUT("]");
  end_line(job);
}

/* ,"args":{…} with the values that are there; keys come quoted, with a colon. */
static void put_args(lines_job *job, const tdm_layout *layout, const tdm_kept_rows *rows,
                     size_t row, char *const *keys) {
  int any = 0;
  for (uint32_t i = 0; i < layout->args; i++) {
    int64_t value = tdm_kept(rows, TDM_ARGS + i, row);
    if (!tdm_texts_has(layout->arg[i].type, value)) continue;
    if (any)
      PUT(",");
    else
      PUT(",\"args\":{");
    any = 1;
    tdm_outfile_text(job->file, keys[i]);
    PUT(":");
    tdm_texts_value(&job->texts, job->file, layout->arg[i].type, value);
  }
  if (any) PUT("}");
}

static void put_row(lines_job *job, const tdm_layout *layout, const tdm_kept_rows *rows, size_t row,
                    const char *prefix, char *const *keys) {
  tdm_outfile_text(job->file, prefix);
  tdm_outfile_integer(job->file, tdm_kept(rows, TDM_START, row));
  if (tdm_kept(rows, TDM_DUR, row) != 0 || layout->shape != TDM_SHAPE_INSTANT) {
    PUT(",\"dur_ns\":");
    tdm_outfile_integer(job->file, tdm_kept(rows, TDM_DUR, row));
  }
  PUT(",\"track\":");
  tdm_outfile_integer(job->file, tdm_kept(rows, TDM_TRACK, row));
  PUT(",\"name\":");
  tdm_texts_put(&job->texts, job->file, tdm_kept(rows, TDM_NAME, row));
  put_args(job, layout, rows, row, keys);
  PUT("}\n");
}

static void free_keys(char **keys, uint32_t count) {
  for (uint32_t i = 0; keys != NULL && i < count; i++) free(keys[i]);
  free(keys);
}

/* The keys of a layout as JSON strings. */
static char **quote_keys(const tdm_layout *layout) {
  char **keys = tdm_array_new(layout->args, sizeof *keys);
  for (uint32_t i = 0; keys != NULL && i < layout->args; i++) {
    keys[i] = tdm_json_quote(layout->arg[i].key, NULL);
    if (keys[i] != NULL) continue;
    free_keys(keys, i);
    return NULL;
  }
  return keys;
}

static tdm_status put_rows(lines_job *job, uint32_t source, uint32_t id, const tdm_layout *layout,
                           const tdm_kept_rows *rows, tdm_error *error) {
  char **keys = quote_keys(layout), prefix[128];
  if (keys == NULL) return tdm_error_memory(error, "the keys of a layout", layout->args);
  snprintf(prefix, sizeof prefix,
           "{\"record\":\"%s\",\"layout\":%u,\"start_ns\":", tdm_shape_name(layout->shape), id);
  const tdm_track *about = NULL;
  int64_t known = -1;
  tdm_status status = TDM_OK;
  for (size_t row = 0; row < rows->count && job->file->failure == 0; row++) {
    int64_t track = tdm_kept(rows, TDM_TRACK, row);
    if (track != known) {
      about = tdm_recording_track(job->recording, track);
      known = track;
    }
    if (about == NULL) {
      status = tdm_error_set(error, TDM_BUG, "jsonl: a row lies on a track that is not there");
      break;
    }
    if (about->source != source) continue;
    if (!job->announced[id]) put_layout(job, id, layout);
    job->announced[id] = 1;
    put_row(job, layout, rows, row, prefix, keys);
  }
  free_keys(keys, layout->args);
  return status;
}

/* ---- what belongs to no source ---- */

static void put_requests(lines_job *job) {
  size_t count;
  const tdm_request_record *records = tdm_recording_requests(job->recording, &count);
  for (uint32_t i = 0; i < tdm_recording_request_classes(job->recording); i++) {
    const char *name = tdm_recording_request_class(job->recording, i);
    if (name == NULL) continue;
    begin_line(job, "class");
    put_number(job, "class", i);
    put_text(job, "name", name);
    end_line(job);
  }
  for (size_t i = 0; i < count && job->file->failure == 0; i++) {
    PUT("{\"record\":\"request\",\"request\":");
    tdm_outfile_integer(job->file, (int64_t)records[i].request);
    PUT(",\"class\":");
    tdm_outfile_unsigned(job->file, records[i].class_index);
    PUT(",\"arrival_ns\":");
    tdm_outfile_integer(job->file, records[i].arrival_ns);
    PUT(",\"end_ns\":");
    tdm_outfile_integer(job->file, records[i].end_ns);
    PUT(",\"gpu\":");
    tdm_outfile_integer(job->file, records[i].gpu);
    PUT(",\"outcome\":\"");
    tdm_outfile_text(job->file, tdm_outcome_name(records[i].outcome));
    PUT("\"}\n");
  }
}

static void put_metrics(lines_job *job) {
  size_t count;
  const tdm_metric *metrics = tdm_recording_metrics(job->recording, &count);
  for (size_t i = 0; i < count && job->file->failure == 0; i++) {
    begin_line(job, "metric");
    put_text(job, "scope", metrics[i].scope);
    put_text(job, "subject", metrics[i].subject);
    put_number(job, "ordinal", metrics[i].ordinal);
    put_text(job, "name", metrics[i].name);
    put_text(job, "unit", metrics[i].unit);
    int64_t bits;
    memcpy(&bits, &metrics[i].value, sizeof bits);
    if (tdm_texts_has(TDM_ARG_REAL, bits)) {
      put_key(job, "value");
      tdm_texts_value(&job->texts, job->file, TDM_ARG_REAL, bits);
    }
    put_text(job, "text", metrics[i].text);
    end_line(job);
  }
}

static void put_base64(lines_job *job, const unsigned char *bytes, size_t length) {
  enum { PIECE = 768 }; /* bytes, a multiple of three */
  char text[BASE64_ENCODE_RAW_LENGTH(PIECE)];
  for (size_t i = 0; i < length; i += PIECE) {
    size_t piece = length - i < PIECE ? length - i : PIECE;
    base64_encode_raw(text, piece, bytes + i);
    tdm_outfile_put(job->file, text, BASE64_ENCODE_RAW_LENGTH(piece));
  }
}

static void put_artifacts(lines_job *job) {
  size_t count;
  const tdm_artifact *artifacts = tdm_recording_artifacts(job->recording, &count);
  for (size_t i = 0; i < count && job->file->failure == 0; i++) {
    begin_line(job, "artifact");
    put_text(job, "name", artifacts[i].name);
    put_text(job, "type", artifacts[i].type);
    put_key(job, "base64");
    PUT("\"");
    put_base64(job, artifacts[i].bytes, artifacts[i].length);
    PUT("\"");
    end_line(job);
  }
}

/* ---- the whole ---- */

static tdm_status put_all(lines_job *job, const tdm_write_options *options, tdm_error *error) {
  put_header(job, options);
  for (uint32_t s = 0; s < tdm_recording_sources(job->recording); s++) {
    const tdm_source *source = tdm_recording_source(job->recording, s);
    if (source == NULL) continue;
    put_source(job, s, source);
    put_tracks(job, s);
    put_notes(job, s);
    for (uint32_t i = 0; i < tdm_recording_layouts(job->recording); i++) {
      const tdm_layout *layout = tdm_recording_layout(job->recording, i);
      if (layout == NULL) continue;
      tdm_status status = put_rows(job, s, i, layout, tdm_recording_rows(job->recording, i), error);
      if (status != TDM_OK) return status;
    }
  }
  put_requests(job);
  put_metrics(job);
  put_artifacts(job);
  return TDM_OK;
}

static tdm_status write_lines(const tdm_recording *recording, const char *path,
                              const tdm_write_options *options, tdm_error *error) {
  lines_job job = {.recording = recording,
                   .file = malloc(sizeof *job.file),
                   .announced = tdm_array_new(tdm_recording_layouts(recording), 1)};
  tdm_status status = job.file != NULL && job.announced != NULL
                          ? tdm_texts_open(&job.texts, recording, error)
                          : tdm_error_memory(error, "writing a trace", sizeof *job.file);
  if (status == TDM_OK) status = tdm_outfile_open(job.file, path, error);
  if (status == TDM_OK) {
    status = put_all(&job, options, error);
    if (status == TDM_OK)
      status = tdm_outfile_commit(job.file, error);
    else
      tdm_outfile_abort(job.file);
  }
  tdm_texts_close(&job.texts);
  free(job.announced);
  free(job.file);
  return status;
}

const tdm_writer tdm_writer_jsonl = {
    .name = "jsonl", .title = "JSON Lines", .ending = ".jsonl", .write = write_lines};
