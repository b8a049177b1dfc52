/* The reader of tandem's own CSV, which write/csv.c writes: rows and their tracks come back.
 *
 * Columns are found by name. What that table does not have (facts, figures, the table of requests,
 * names of files) does not come back, and a whole number that was a real one comes back as a whole
 * one. Rows of several sources lie in it by time; as the recorder takes sources one after the
 * other, the file is read once for each. Times are on the run's clock, so all sources have one.
 * Called through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/arg_list.h"
#include "read/csv.h"
#include "read/json/json.h"
#include "read/number.h"
#include "read/reader.h"

enum { MOST_SOURCES = 256, PROGRESS_RECORDS = 2048 };

typedef enum {
  SOURCE,
  SHAPE,
  START,
  DUR,
  PROCESS,
  TRACK,
  CATEGORY,
  NAME,
  CORRELATION,
  BYTES,
  REQUEST,
  ARGS,
  KIND,
  LANE,
  PID,
  TID,
  DEVICE,
  CONTEXT,
  STREAM,
  RANK,
  ROLES
} role;

static const char *const titles[ROLES] = {
    "source", "shape",       "start_ns", "dur_ns",  "process", "track",      "category",
    "name",   "correlation", "bytes",    "request", "args",    "track_kind", "track_lane",
    "pid",    "tid",         "device",   "context", "stream",  "rank"};

/* A track by its names, and by its numbers too where it was told with them. */
typedef struct {
  uint32_t track;
  bool told; /* with its numbers; else an edge's end was the first to name it */
} place;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_csv *csv;
  tdm_json *json;
  size_t where[ROLES]; /* a role's column + 1; 0: none */
  const tdm_csv_field *fields;
  size_t count;
  tdm_intern names; /* process and track → place */
  place *places;
  size_t place_room;
  tdm_arg_layouts layouts;
  tdm_arg_list list;
  uint32_t own_keys[3];
  bool seen[MOST_SOURCES];
  int64_t source; /* in hand */
  bool failed;
} job;

/* ---- fields ---- */

static const char *text(const job *j, role which) {
  size_t at = j->where[which];
  return at > 0 && at <= j->count ? j->fields[at - 1].text : "";
}

static int64_t number(const job *j, role which) {
  int64_t value;
  const char *said = text(j, which);
  return *said != 0 && tdm_number_integer(said, strlen(said), &value) ? value : TDM_NONE;
}

static tdm_shape shape_of(const job *j) {
  tdm_shape shape = 0;
  while (shape < TDM_SHAPES && strcmp(tdm_shape_name(shape), text(j, SHAPE)) != 0) shape++;
  return shape;
}

static tdm_track_kind kind_of(const job *j) {
  tdm_track_kind kind = 0;
  while (kind < TDM_TRACK_KINDS && strcmp(tdm_track_kind_name(kind), text(j, KIND)) != 0) kind++;
  return kind < TDM_TRACK_KINDS ? kind : TDM_TRACK_OTHER;
}

static tdm_lane lane_of(const job *j) {
  tdm_lane lane = 0;
  while (lane < TDM_LANES && strcmp(tdm_lane_name(lane), text(j, LANE)) != 0) lane++;
  return lane < TDM_LANES ? lane : TDM_LANE_OTHER;
}

/* ---- tracks ---- */

/* NULL: out of memory. */
static place *place_of(job *j, const char *process, const char *track, bool *fresh) {
  int is_new;
  size_t length = strlen(process) + strlen(track) + 2;
  char *key = malloc(length);
  if (key == NULL) return NULL;
  int used = snprintf(key, length, "%s%c%s", process, 1, track);
  uint32_t id = tdm_intern_put(&j->names, key, (size_t)used, &is_new);
  free(key);
  *fresh = is_new != 0;
  if (id == TDM_INTERN_FAILED ||
      !tdm_array_grow(&j->places, &j->place_room, (size_t)id + 1, sizeof *j->places))
    return NULL;
  if (*fresh) j->places[id] = (place){0};
  return &j->places[id];
}

static uint32_t row_track(job *j) {
  bool fresh;
  tdm_track track = {.process = text(j, PROCESS),
                     .name = text(j, TRACK),
                     .kind = kind_of(j),
                     .lane = lane_of(j),
                     .capacity = TDM_NONE,
                     .pid = number(j, PID),
                     .tid = number(j, TID),
                     .device = number(j, DEVICE),
                     .context = number(j, CONTEXT),
                     .stream = number(j, STREAM)};
  place *at = place_of(j, track.process, track.name, &fresh);
  if (at == NULL) {
    j->failed = true;
    return 0;
  }
  if (!fresh && !at->told)
    tdm_record_track_rename(j->recorder, at->track, &track);
  else if (fresh)
    at->track = tdm_record_track(j->recorder, &track);
  else /* others may have these names, with other numbers */
    return at->told ? tdm_record_track(j->recorder, &track) : at->track;
  at->told = true;
  return at->track;
}

/* Where an edge arrives, of which only the names are told. */
static uint32_t named_track(job *j, const char *process, const char *name) {
  bool fresh;
  tdm_track track = TDM_TRACK_PLAIN;
  place *at = place_of(j, process, name, &fresh);
  if (at == NULL) {
    j->failed = true;
    return 0;
  }
  if (fresh) {
    track.process = process;
    track.name = name;
    at->track = tdm_record_track(j->recorder, &track);
  }
  return at->track;
}

/* ---- arguments ---- */

static void take_arg(job *j, uint32_t key, tdm_json_token token) {
  size_t length;
  int64_t value;
  const char *said = tdm_json_value(j->json, &length);
  switch (token) {
  case TDM_JSON_NUMBER:
    if (tdm_number_integer(said, length, &value))
      tdm_arg_add(j->recorder, &j->list, key, TDM_ARG_INT, value);
    else
      tdm_arg_add(j->recorder, &j->list, key, TDM_ARG_REAL,
                  tdm_record_real(tdm_number_double(said, length)));
    break;
  case TDM_JSON_STRING:
    tdm_arg_add(j->recorder, &j->list, key, TDM_ARG_TEXT,
                tdm_record_name(j->recorder, said, length));
    break;
  case TDM_JSON_TRUE:
  case TDM_JSON_FALSE:
    tdm_arg_add(j->recorder, &j->list, key, TDM_ARG_BOOL, token == TDM_JSON_TRUE);
    break;
  case TDM_JSON_OBJECT:
  case TDM_JSON_ARRAY:
    said = tdm_json_compact(j->json, &length);
    if (said == NULL)
      j->failed = true;
    else
      tdm_arg_add(j->recorder, &j->list, key, TDM_ARG_JSON,
                  tdm_record_name(j->recorder, said, length));
    break;
  default: break;
  }
}

/* Stands at the first key of the cell's object; false: there is none. */
static bool open_args(job *j) {
  const char *cell = text(j, ARGS);
  tdm_json_text(j->json, cell, strlen(cell));
  return *cell != 0 && tdm_json_next(j->json) == TDM_JSON_OBJECT;
}

static void take_args(job *j) {
  static const role own[3] = {CORRELATION, BYTES, REQUEST};
  j->list.count = 0;
  for (int i = 0; i < 3; i++) {
    int64_t value = number(j, own[i]);
    if (value != TDM_NONE) tdm_arg_add(j->recorder, &j->list, j->own_keys[i], TDM_ARG_INT, value);
  }
  if (!open_args(j)) return;
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    size_t length;
    const char *said = tdm_json_value(j->json, &length);
    uint32_t key = tdm_record_name(j->recorder, said, length);
    take_arg(j, key, tdm_json_next(j->json));
  }
}

/* ---- rows ---- */

static void take_edge(job *j, int64_t start_ns, int64_t dur_ns, uint32_t track, uint32_t name) {
  char *process = NULL, *to = NULL;
  int64_t id = TDM_NONE, end_ns;
  for (bool more = open_args(j); more && tdm_json_next(j->json) == TDM_JSON_KEY;) {
    size_t length;
    char key[16];
    snprintf(key, sizeof key, "%s", tdm_json_value(j->json, NULL));
    tdm_json_token token = tdm_json_next(j->json);
    const char *said = tdm_json_value(j->json, &length);
    if (token == TDM_JSON_NUMBER && strcmp(key, "id") == 0 &&
        !tdm_number_integer(said, length, &id))
      id = TDM_NONE;
    char **into = strcmp(key, "to_process") == 0 ? &process
                  : strcmp(key, "to_track") == 0 ? &to
                                                 : NULL;
    if (token == TDM_JSON_STRING && into != NULL && *into == NULL) *into = tdm_string_copy(said);
    if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  }
  if (process != NULL && to != NULL && !__builtin_add_overflow(start_ns, dur_ns, &end_ns))
    tdm_record_edge(j->recorder, name, start_ns, track, end_ns, named_track(j, process, to), id);
  else
    tdm_record_problem(j->recorder, "edges that do not say where they arrive (left out)", 1);
  free(process);
  free(to);
}

static void take_sample(job *j, int64_t start_ns, uint32_t track, uint32_t name) {
  uint32_t unit = tdm_record_text(j->recorder, "");
  double value = 0;
  bool valued = false;
  for (bool more = open_args(j); more && tdm_json_next(j->json) == TDM_JSON_KEY;) {
    size_t length;
    bool is_value = strcmp(tdm_json_value(j->json, NULL), "value") == 0;
    bool is_unit = strcmp(tdm_json_value(j->json, NULL), "unit") == 0;
    tdm_json_token token = tdm_json_next(j->json);
    const char *said = tdm_json_value(j->json, &length);
    if (is_value && (token == TDM_JSON_NUMBER || token == TDM_JSON_STRING)) {
      value = tdm_number_double(said, length);
      valued = true;
    } else if (is_unit && token == TDM_JSON_STRING) {
      unit = tdm_record_name(j->recorder, said, length);
    }
    if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  }
  if (valued)
    tdm_record_sample(j->recorder, start_ns, track, name, value, unit);
  else
    tdm_record_problem(j->recorder, "samples without a value (left out)", 1);
}

static void take_row(job *j) {
  int64_t source = number(j, SOURCE), start_ns = number(j, START), dur_ns = number(j, DUR);
  tdm_shape shape = shape_of(j);
  if (source < 0 || source >= MOST_SOURCES || start_ns == TDM_NONE || shape == TDM_SHAPES) {
    if (j->source == 0) tdm_record_problem(j->recorder, "rows that make no sense (left out)", 1);
    return;
  }
  j->seen[source] = true;
  const char *category = text(j, CATEGORY);
  if (source != j->source || (tdm_read_kind(category) & j->options->dropped) != 0) return;
  if (dur_ns == TDM_NONE || (dur_ns < 0 && shape != TDM_SHAPE_EDGE)) {
    if (dur_ns < 0 && dur_ns != TDM_NONE)
      tdm_record_problem(j->recorder, "durations below zero (made 0)", 1);
    dur_ns = 0;
  }
  if (number(j, RANK) != TDM_NONE) tdm_recorder_rank(j->recorder, number(j, RANK));
  uint32_t track = row_track(j);
  uint32_t name = tdm_record_text(j->recorder, text(j, NAME));
  if (j->failed) return;
  if (shape == TDM_SHAPE_EDGE) {
    take_edge(j, start_ns, dur_ns, track, name);
  } else if (shape == TDM_SHAPE_SAMPLE) {
    take_sample(j, start_ns, track, name);
  } else {
    take_args(j);
    tdm_arg_row(&j->layouts, tdm_record_text(j->recorder, category), shape, start_ns, dur_ns, track,
                name, j->list.arg, j->list.count);
  }
}

/* ---- the file ---- */

static tdm_status read_header(job *j, tdm_error *error) {
  memset(j->where, 0, sizeof j->where);
  if (tdm_csv_next(j->csv, &j->fields, &j->count))
    for (size_t i = 0; i < j->count; i++)
      for (size_t r = 0; r < ROLES; r++)
        if (j->where[r] == 0 && strcmp(j->fields[i].text, titles[r]) == 0) j->where[r] = i + 1;
  tdm_status status = tdm_csv_status(j->csv, error);
  if (status != TDM_OK || (j->where[SHAPE] > 0 && j->where[START] > 0 && j->where[NAME] > 0))
    return status;
  return tdm_error_set(error, TDM_INVALID, "%s: its header is not that of tandem's CSV",
                       tdm_input_path(j->input));
}

/* The rows of the source in hand. */
static tdm_status read_rows(job *j, tdm_input *input, tdm_error *error) {
  j->csv = tdm_csv_new(input);
  if (j->csv == NULL) return tdm_error_memory(error, "a CSV reader", 0);
  tdm_status status = read_header(j, error);
  for (uint64_t n = 1; status == TDM_OK && tdm_csv_next(j->csv, &j->fields, &j->count); n++) {
    if (j->count == 1 && j->fields[0].length == 0) continue;
    take_row(j);
    if (j->failed || j->layouts.failed)
      status = tdm_error_memory(error, "the tracks of a trace", j->place_room);
    if (status != TDM_OK || n % PROGRESS_RECORDS != 0) continue;
    if (tdm_recorder_failed(j->recorder)) break;
    status = tdm_read_progress(input, j->options, error);
  }
  if (status == TDM_OK) status = tdm_csv_status(j->csv, error);
  if (tdm_csv_cut(j->csv) > 0 && j->source == 0)
    tdm_record_problem(j->recorder, "records that are too long (cut)", tdm_csv_cut(j->csv));
  tdm_csv_free(j->csv);
  return status;
}

static void forget_tracks(job *j) {
  tdm_intern_clear(&j->names);
  free(j->places);
  j->places = NULL;
  j->place_room = 0;
}

/* The next source, from the file's beginning. */
static tdm_status read_source(job *j, const char *where, tdm_error *error) {
  tdm_input *again;
  tdm_status status = tdm_recorder_end_source(j->recorder, error);
  if (status == TDM_OK) status = tdm_input_open(where, &again, error);
  if (status != TDM_OK) return status;
  forget_tracks(j);
  tdm_recorder_begin_source(j->recorder, tdm_input_path(j->input), "tandem-csv");
  tdm_recorder_utc(j->recorder, TDM_NONE);
  status = read_rows(j, again, error);
  tdm_input_close(again);
  return status;
}

static tdm_status read_csv(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  const char *where = NULL;
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .json = tdm_json_new_text(),
           .layouts = {.recorder = recorder}};
  if (j.json == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  j.own_keys[0] = tdm_record_text(recorder, "correlation");
  j.own_keys[1] = tdm_record_text(recorder, "bytes");
  j.own_keys[2] = tdm_record_text(recorder, "request");
  tdm_status status = tdm_input_file(input, &where, error);
  tdm_input *first = NULL;
  if (status == TDM_OK) status = tdm_input_open(where, &first, error);
  if (status == TDM_OK) status = read_rows(&j, first, error);
  tdm_input_close(first);
  for (j.source = 1; j.source < MOST_SOURCES && status == TDM_OK; j.source++)
    if (j.seen[j.source]) status = read_source(&j, where, error);
  for (int repair = 0; repair < TDM_JSON_REPAIRS && status == TDM_OK; repair++)
    tdm_record_problem(recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(j.json, (tdm_json_repair)repair));
  forget_tracks(&j);
  tdm_arg_layouts_free(&j.layouts);
  tdm_json_free(j.json);
  return status;
}

static int detect_csv(const unsigned char *head, size_t length, const char *path) {
  static const char begins[] = "source,shape,start_ns,dur_ns,process,track,";
  (void)path;
  return length >= sizeof begins - 1 && memcmp(head, begins, sizeof begins - 1) == 0 ? 95 : 0;
}

const tdm_reader tdm_reader_tandem_csv = {.name = "tandem-csv",
                                          .title = "tandem's CSV, as it exports it",
                                          .accepts = "*.csv",
                                          .detect = detect_csv,
                                          .read = read_csv};
