/* See own_rows.h. */
#include "read/own_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/arg_list.h"
#include "read/json/json.h"
#include "read/number.h"

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
  TO_PROCESS,
  TO_TRACK,
  ID,
  VALUE,
  UNIT,
  ROLES
} role;

enum { SOURCES = 256 }; /* of one table, at most */

static const char *const titles[ROLES] = {
    "source",   "shape",       "start_ns", "dur_ns",  "process", "track",      "category",
    "name",     "correlation", "bytes",    "request", "args",    "track_kind", "track_lane",
    "pid",      "tid",         "device",   "context", "stream",  "rank",       "to_process",
    "to_track", "id",          "value",    "unit"};

/* A column that is an argument, and no part of the row. */
typedef struct {
  size_t column;
  uint32_t key;
  tdm_cell_type type;
} extra;

/* A track by its names. */
typedef struct {
  uint32_t track;
  bool told;     /* with what else is known of it; else an edge's end was the first to name it */
  tdm_track own; /* its kind, lane and numbers; no names */
} place;

struct tdm_own_rows {
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  size_t where[ROLES]; /* a role's column + 1; 0: none */
  extra *extras;
  size_t extra_count;
  const tdm_csv_field *fields;
  size_t count;
  tdm_intern names; /* process and track → place */
  place *places;
  size_t place_room;
  tdm_arg_layouts layouts;
  tdm_arg_list list;
  uint32_t own_keys[3];
  bool seen[SOURCES];
  int64_t source; /* in hand */
  bool failed;
};

typedef tdm_own_rows job;

/* ---- fields ---- */

static const char *text(const job *j, role which) {
  size_t at = j->where[which];
  const char *said = at > 0 && at <= j->count ? j->fields[at - 1].text : NULL;
  return said != NULL ? said : "";
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

static bool is_like(const tdm_track *a, const tdm_track *b) {
  return a->kind == b->kind && a->lane == b->lane && a->pid == b->pid && a->tid == b->tid &&
         a->device == b->device && a->context == b->context && a->stream == b->stream;
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
  if (at->told) /* others may have these names, with other numbers */
    return is_like(&track, &at->own) ? at->track : tdm_record_track(j->recorder, &track);
  if (fresh)
    at->track = tdm_record_track(j->recorder, &track);
  else
    tdm_record_track_rename(j->recorder, at->track, &track);
  at->told = true;
  at->own = track;
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

static void take_extras(job *j) {
  for (size_t i = 0; i < j->extra_count; i++) {
    const extra *one = &j->extras[i];
    const tdm_csv_field *field = &j->fields[one->column];
    int64_t value;
    if (one->column >= j->count || field->text == NULL) continue;
    if (one->type == TDM_CELL_INT && tdm_number_integer(field->text, field->length, &value))
      tdm_arg_add(j->recorder, &j->list, one->key, TDM_ARG_INT, value);
    else if (one->type == TDM_CELL_REAL)
      tdm_arg_add(j->recorder, &j->list, one->key, TDM_ARG_REAL,
                  tdm_record_real(tdm_number_double(field->text, field->length)));
    else
      tdm_arg_add(j->recorder, &j->list, one->key, TDM_ARG_TEXT,
                  tdm_record_name(j->recorder, field->text, field->length));
  }
}

static void take_args(job *j) {
  static const role own[3] = {CORRELATION, BYTES, REQUEST};
  j->list.count = 0;
  for (int i = 0; i < 3; i++) {
    int64_t value = number(j, own[i]);
    if (value != TDM_NONE) tdm_arg_add(j->recorder, &j->list, j->own_keys[i], TDM_ARG_INT, value);
  }
  take_extras(j);
  if (!open_args(j)) return;
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    size_t length;
    const char *said = tdm_json_value(j->json, &length);
    uint32_t key = tdm_record_name(j->recorder, said, length);
    take_arg(j, key, tdm_json_next(j->json));
  }
}

/* ---- rows ---- */

/* A cell's own copy; NULL: it is empty. */
static char *copy_of(const job *j, role which) {
  return *text(j, which) != 0 ? tdm_string_copy(text(j, which)) : NULL;
}

static void take_edge(job *j, int64_t start_ns, int64_t dur_ns, uint32_t track, uint32_t name) {
  char *process = copy_of(j, TO_PROCESS), *to = copy_of(j, TO_TRACK);
  int64_t id = number(j, ID), end_ns;
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
  uint32_t unit = tdm_record_text(j->recorder, text(j, UNIT));
  bool valued = *text(j, VALUE) != 0;
  double value = valued ? tdm_number_double(text(j, VALUE), strlen(text(j, VALUE))) : 0;
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
  if (source < 0 || source >= SOURCES || start_ns == TDM_NONE || shape == TDM_SHAPES) {
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

/* ---- the whole ---- */

tdm_own_rows *tdm_own_rows_new(tdm_recorder *recorder, const tdm_read_options *options) {
  tdm_own_rows *rows = calloc(1, sizeof *rows);
  if (rows == NULL) return NULL;
  *rows = (tdm_own_rows){.options = options,
                         .recorder = recorder,
                         .json = tdm_json_new_text(),
                         .layouts = {.recorder = recorder}};
  if (rows->json == NULL) {
    free(rows);
    return NULL;
  }
  rows->own_keys[0] = tdm_record_text(recorder, "correlation");
  rows->own_keys[1] = tdm_record_text(recorder, "bytes");
  rows->own_keys[2] = tdm_record_text(recorder, "request");
  return rows;
}

static void forget_tracks(tdm_own_rows *rows) {
  tdm_intern_clear(&rows->names);
  free(rows->places);
  rows->places = NULL;
  rows->place_room = 0;
}

void tdm_own_rows_free(tdm_own_rows *rows) {
  if (rows == NULL) return;
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++)
    tdm_record_problem(rows->recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(rows->json, (tdm_json_repair)repair));
  forget_tracks(rows);
  tdm_arg_layouts_free(&rows->layouts);
  tdm_json_free(rows->json);
  free(rows->extras);
  free(rows);
}

bool tdm_own_rows_column(tdm_own_rows *rows, size_t column, const char *name, tdm_cell_type type) {
  size_t roles = type == TDM_CELL_NONE ? TO_PROCESS : ROLES;
  for (size_t r = 0; r < roles; r++) {
    if (rows->where[r] != 0 || strcmp(name, titles[r]) != 0) continue;
    rows->where[r] = column + 1;
    return true;
  }
  if (type == TDM_CELL_NONE || strcmp(name, "lane") == 0) return true; /* the category says it */
  extra *grown = realloc(rows->extras, (rows->extra_count + 1) * sizeof *grown);
  if (grown == NULL) return false;
  rows->extras = grown;
  rows->extras[rows->extra_count++] =
      (extra){.column = column, .key = tdm_record_text(rows->recorder, name), .type = type};
  return true;
}

bool tdm_own_rows_known(const tdm_own_rows *rows) {
  return rows->where[SHAPE] > 0 && rows->where[START] > 0 && rows->where[NAME] > 0;
}

bool tdm_own_rows_take(tdm_own_rows *rows, const tdm_csv_field *fields, size_t count) {
  rows->fields = fields;
  rows->count = count;
  take_row(rows);
  return !rows->failed && !rows->layouts.failed;
}

static void begin(tdm_own_rows *rows, int64_t source) {
  forget_tracks(rows);
  memset(rows->where, 0, sizeof rows->where);
  rows->extra_count = 0;
  rows->source = source;
}

static tdm_status read_source(tdm_own_rows *rows, const char *where, int64_t source,
                              tdm_own_rows_reader read, void *context, tdm_error *error) {
  tdm_input *again = NULL;
  tdm_status status = tdm_input_open(where, &again, error);
  begin(rows, source);
  if (status == TDM_OK) status = read(context, again, source == 0, error);
  tdm_input_close(again);
  return status;
}

tdm_status tdm_own_rows_read(tdm_own_rows *rows, tdm_input *input, const char *reader,
                             tdm_own_rows_reader read, void *context, tdm_error *error) {
  const char *where = NULL;
  tdm_status status = tdm_input_file(input, &where, error);
  if (status == TDM_OK) status = read_source(rows, where, 0, read, context, error);
  for (int64_t source = 1; source < SOURCES && status == TDM_OK; source++) {
    if (!rows->seen[source]) continue;
    status = tdm_recorder_end_source(rows->recorder, error);
    if (status != TDM_OK) break;
    tdm_recorder_begin_source(rows->recorder, tdm_input_path(input), reader);
    tdm_recorder_utc(rows->recorder, TDM_NONE);
    status = read_source(rows, where, source, read, context, error);
  }
  return status;
}
