/* The reader of tandem's own JSON Lines: everything comes back that write/jsonl.c writes and
 * explains.
 *
 * A file may hold several sources: the first one's is the source that the caller began, and each
 * further one ends the one before it. Ids of tracks and layouts are the file's and are mapped to
 * the recorder's. Lines that make no sense are counted and left out. */
#include "read/reader.h"

#include <math.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/jsonl_line.h"
#include "trace/intern.h"

enum { REQUESTS = 256, VERSION = 1 };

#define FORMAT "tandem-jsonl"

typedef struct {
  uint32_t id; /* the recorder's */
  uint32_t count;
  tdm_shape shape;
  uint32_t to_track; /* of an edge: the argument, + 1 */
  tdm_arg *arg;      /* keys are the recorder's names */
  int unwanted;      /* its rows are left out: tdm_read_options.dropped */
} known_layout;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_line line;
  tdm_intern layout_ids, track_ids; /* the file's ids; their order is the index below */
  known_layout *layouts;
  uint32_t *tracks; /* the recorder's */
  size_t layout_room, track_room;
  tdm_request_record requests[REQUESTS];
  size_t request_count;
  int headed, sourced;
  char *carry; /* a line that goes on in the next piece */
  size_t carried, carry_room;
  tdm_status status;
  tdm_error *error;
} job;

static void problem(job *j, const char *kind) {
  tdm_record_problem(j->recorder, kind, 1);
}

static void no_memory(job *j, const char *what, size_t bytes) {
  if (j->status == TDM_OK) j->status = tdm_error_memory(j->error, what, bytes);
}

static const char *text(job *j, tdm_line_field field) {
  return tdm_line_text(&j->line, field, NULL);
}

static int64_t number(job *j, tdm_line_field field) {
  return tdm_line_number(&j->line, field, TDM_NONE);
}

/* Which of `count` names a text is; `otherwise` when it is none of them. */
#define NAMED(type, text, name_of, count, otherwise)                                               \
  for (unsigned i_ = 0; (text) != NULL && i_ < (unsigned)(count); i_++)                            \
    if (strcmp((text), name_of((type)i_)) == 0) return (type)i_;                                   \
  return (otherwise)

static tdm_track_kind kind_named(const char *word) {
  NAMED(tdm_track_kind, word, tdm_track_kind_name, TDM_TRACK_KINDS, TDM_TRACK_OTHER);
}
static tdm_lane lane_named(const char *word) {
  NAMED(tdm_lane, word, tdm_lane_name, TDM_LANES, TDM_LANE_OTHER);
}
static tdm_outcome outcome_named(const char *word) {
  NAMED(tdm_outcome, word, tdm_outcome_name, TDM_OUTCOMES, TDM_OUTCOME_OPEN);
}
static tdm_shape shape_named(const char *word) {
  NAMED(tdm_shape, word, tdm_shape_name, TDM_SHAPES, TDM_SHAPES);
}
static tdm_arg_type type_named(const char *word) {
  NAMED(tdm_arg_type, word, tdm_arg_type_name, TDM_ARG_TYPES, TDM_ARG_TYPES);
}

/* The index of an id of the file; *fresh: it was not known. TDM_INTERN_FAILED: out of memory. */
static uint32_t index_of(tdm_intern *ids, int64_t id, int *fresh) {
  return tdm_intern_put(ids, &id, sizeof id, fresh);
}

/* ---- sources and tables ---- */

static void take_header(job *j) {
  const char *format = text(j, TDM_LINE_FORMAT);
  int64_t version = number(j, TDM_LINE_VERSION);
  if (format == NULL || strcmp(format, FORMAT) != 0) {
    j->status = tdm_error_set(j->error, TDM_INVALID, "%s is not tandem's JSON Lines",
                              tdm_input_path(j->input));
  } else if (version > VERSION) {
    j->status = tdm_error_set(j->error, TDM_INVALID,
                              "%s was written by a newer tandem (version %lld of its format, this "
                              "one reads %d)",
                              tdm_input_path(j->input), (long long)version, VERSION);
  }
  j->headed = 1;
}

static void take_source(job *j) {
  const char *format = tdm_line_text(&j->line, TDM_LINE_FORMAT, FORMAT);
  const char *path = tdm_line_text(&j->line, TDM_LINE_PATH, tdm_input_path(j->input));
  if (j->sourced) {
    j->status = tdm_recorder_end_source(j->recorder, j->error);
    tdm_recorder_begin_source(j->recorder, path, FORMAT);
  }
  j->sourced = 1;
  tdm_recorder_origin(j->recorder, path, format, tdm_line_number(&j->line, TDM_LINE_OFFSET_NS, 0));
  tdm_recorder_detail(j->recorder, tdm_line_text(&j->line, TDM_LINE_DETAIL, ""));
  tdm_recorder_rank(j->recorder, number(j, TDM_LINE_RANK));
  tdm_recorder_utc(j->recorder, number(j, TDM_LINE_UTC_NS));
}

static void take_track(job *j) {
  tdm_track track = {.process = tdm_line_text(&j->line, TDM_LINE_PROCESS, ""),
                     .name = tdm_line_text(&j->line, TDM_LINE_NAME, ""),
                     .kind = kind_named(text(j, TDM_LINE_KIND)),
                     .lane = lane_named(text(j, TDM_LINE_LANE)),
                     .capacity = number(j, TDM_LINE_CAPACITY),
                     .pid = number(j, TDM_LINE_PID),
                     .tid = number(j, TDM_LINE_TID),
                     .device = number(j, TDM_LINE_DEVICE),
                     .context = number(j, TDM_LINE_CONTEXT),
                     .stream = number(j, TDM_LINE_STREAM)};
  int fresh;
  uint32_t index = index_of(&j->track_ids, number(j, TDM_LINE_TRACK), &fresh);
  if (index == TDM_INTERN_FAILED ||
      !tdm_array_grow(&j->tracks, &j->track_room, (size_t)index + 1, sizeof *j->tracks)) {
    no_memory(j, "tracks", sizeof *j->tracks);
    return;
  }
  if (!fresh) problem(j, "tracks announced twice (the second one holds)");
  j->tracks[index] = tdm_record_track(j->recorder, &track);
}

/* One [key, type] of a layout; false: it is none. */
static int take_arg(job *j, tdm_json *json, tdm_arg *arg) {
  size_t length;
  if (tdm_json_next(json) != TDM_JSON_STRING) return 0;
  const char *key = tdm_json_value(json, &length);
  arg->key = tdm_recorder_name(j->recorder, tdm_record_name(j->recorder, key, length), NULL);
  if (arg->key == NULL || tdm_json_next(json) != TDM_JSON_STRING) return 0;
  arg->type = type_named(tdm_json_value(json, NULL));
  return arg->type != TDM_ARG_TYPES && tdm_json_next(json) == TDM_JSON_ARRAY_END;
}

static void take_layout(job *j) {
  tdm_arg args[TDM_LAYOUT_ARGS];
  uint32_t count = 0;
  tdm_shape shape = shape_named(text(j, TDM_LINE_SHAPE));
  tdm_json *json = tdm_line_inside(&j->line, TDM_LINE_ARGS);
  tdm_json_token token = TDM_JSON_ARRAY_END;
  while (json != NULL && (token = tdm_json_next(json)) == TDM_JSON_ARRAY &&
         count < TDM_LAYOUT_ARGS && take_arg(j, json, &args[count]))
    count++;
  int fresh;
  if (shape == TDM_SHAPES || token != TDM_JSON_ARRAY_END) {
    problem(j, "layouts that make no sense (dropped)");
    return;
  }
  uint32_t index = index_of(&j->layout_ids, number(j, TDM_LINE_LAYOUT), &fresh);
  if (index == TDM_INTERN_FAILED ||
      !tdm_array_grow(&j->layouts, &j->layout_room, (size_t)index + 1, sizeof *j->layouts)) {
    no_memory(j, "layouts", sizeof *j->layouts);
    return;
  }
  if (!fresh) {
    problem(j, "layouts announced twice (the first one holds)");
    return;
  }
  known_layout *known = &j->layouts[index];
  *known =
      (known_layout){.count = count, .shape = shape, .arg = tdm_array_new(count, sizeof *args)};
  if (known->arg == NULL) {
    no_memory(j, "a layout", count * sizeof *args);
    known->count = 0;
    return;
  }
  memcpy(known->arg, args, count * sizeof *args);
  for (uint32_t i = 0; i < count && shape == TDM_SHAPE_EDGE; i++)
    if (strcmp(args[i].key, "to_track") == 0 && args[i].type == TDM_ARG_INT)
      known->to_track = i + 1;
  const char *category = tdm_line_text(&j->line, TDM_LINE_CATEGORY, "");
  known->unwanted = (tdm_read_kind(category) & j->options->dropped) != 0;
  known->id = tdm_record_layout(j->recorder, category, shape, args, count);
}

/* ---- rows ---- */

/* The recorder's track; false: the file did not tell of it. */
static int find_track(job *j, int64_t id, int64_t *track) {
  uint32_t index = tdm_intern_find(&j->track_ids, &id, sizeof id);
  if (index == TDM_INTERN_FAILED) return 0;
  *track = j->tracks[index];
  return 1;
}

/* The value at the parser, of this type; false: it is of another, which may still be open. */
static int take_arg_value(job *j, tdm_json *json, tdm_arg_type type, int64_t *value) {
  size_t length = 0;
  tdm_json_token token = tdm_json_next(json);
  const char *word = tdm_json_value(json, &length);
  if (token == TDM_JSON_NULL) return 1;
  switch (type) {
  case TDM_ARG_INT: return token == TDM_JSON_NUMBER && tdm_number_integer(word, length, value);
  case TDM_ARG_BOOL:
    *value = token == TDM_JSON_TRUE;
    return token == TDM_JSON_TRUE || token == TDM_JSON_FALSE;
  case TDM_ARG_REAL:
    if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) break;
    *value = tdm_record_real(tdm_number_double(word, length));
    return 1;
  case TDM_ARG_JSON:
    if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY)
      word = tdm_json_compact(json, &length);
    else if (token != TDM_JSON_STRING)
      return 0;
    *value = word != NULL ? tdm_record_name(j->recorder, word, length) : TDM_NONE;
    return word != NULL;
  default: break;
  }
  if (token != TDM_JSON_STRING || type != TDM_ARG_TEXT) return 0;
  *value = tdm_record_name(j->recorder, word, length);
  return 1;
}

static void take_args(job *j, const known_layout *layout, int64_t *values) {
  static const int64_t none = TDM_NONE;
  for (uint32_t i = 0; i < layout->count; i++)
    values[i] = layout->arg[i].type == TDM_ARG_REAL ? tdm_record_real(NAN) : none;
  tdm_json *json = tdm_line_inside(&j->line, TDM_LINE_ARGS);
  uint32_t at = 0;
  while (json != NULL && tdm_json_next(json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(json, NULL);
    uint32_t tries = 0;
    for (; tries < layout->count && strcmp(layout->arg[at % layout->count].key, key) != 0; tries++)
      at++; /* mostly they come in the layout's order */
    if (tries == layout->count) {
      problem(j, "arguments that their layout does not have (dropped)");
      tdm_json_skip(json);
      continue;
    }
    at %= layout->count;
    if (!take_arg_value(j, json, layout->arg[at].type, &values[at])) {
      problem(j, "arguments of another type than their layout's (dropped)");
      tdm_json_skip(json);
      values[at] = layout->arg[at].type == TDM_ARG_REAL ? tdm_record_real(NAN) : none;
    }
    at++;
  }
}

static void take_row(job *j, tdm_shape shape) {
  int64_t id = number(j, TDM_LINE_LAYOUT), track, values[TDM_LAYOUT_ARGS];
  uint32_t index = tdm_intern_find(&j->layout_ids, &id, sizeof id);
  const known_layout *layout = index != TDM_INTERN_FAILED ? &j->layouts[index] : NULL;
  if (layout == NULL || layout->arg == NULL || layout->shape != shape) {
    problem(j, "rows of no known layout (dropped)");
    return;
  }
  if (layout->unwanted) return;
  if (!find_track(j, number(j, TDM_LINE_TRACK), &track)) {
    problem(j, "rows on no known track (dropped)");
    return;
  }
  if (!j->line.value[TDM_LINE_START_NS].whole || number(j, TDM_LINE_START_NS) == TDM_NONE) {
    problem(j, "rows without a start (dropped)");
    return;
  }
  take_args(j, layout, values);
  int64_t *to = layout->to_track > 0 ? &values[layout->to_track - 1] : NULL;
  if (to != NULL && !find_track(j, *to, to)) {
    problem(j, "rows on no known track (dropped)");
    return;
  }
  int64_t dur_ns = tdm_line_number(&j->line, TDM_LINE_DUR_NS, 0);
  if (dur_ns < 0 && shape != TDM_SHAPE_EDGE) {
    problem(j, "durations below zero (made 0)");
    dur_ns = 0;
  }
  const char *name = tdm_line_text(&j->line, TDM_LINE_NAME, "");
  tdm_record_row(j->recorder, layout->id, number(j, TDM_LINE_START_NS), dur_ns, (uint32_t)track,
                 tdm_record_name(j->recorder, name, tdm_line_length(&j->line, TDM_LINE_NAME)),
                 values, layout->count);
}

/* ---- the rest ---- */

static void hand_over_requests(job *j) {
  if (j->request_count > 0) tdm_record_requests(j->recorder, j->requests, j->request_count);
  j->request_count = 0;
}

static void take_request(job *j) {
  int64_t class_index = tdm_line_number(&j->line, TDM_LINE_CLASS, 0);
  if (class_index < 0 || class_index > UINT16_MAX) {
    problem(j, "requests of no class (dropped)");
    return;
  }
  if (j->request_count == REQUESTS) hand_over_requests(j);
  j->requests[j->request_count++] =
      (tdm_request_record){.request = (uint64_t)tdm_line_number(&j->line, TDM_LINE_REQUEST, 0),
                           .arrival_ns = tdm_line_number(&j->line, TDM_LINE_ARRIVAL_NS, 0),
                           .end_ns = tdm_line_number(&j->line, TDM_LINE_END_NS, 0),
                           .gpu = (int32_t)tdm_line_number(&j->line, TDM_LINE_GPU, -1),
                           .class_index = (uint32_t)class_index,
                           .outcome = outcome_named(text(j, TDM_LINE_OUTCOME))};
}

static void take_class(job *j) {
  int64_t index = number(j, TDM_LINE_CLASS);
  if (index >= 0 && index <= UINT16_MAX)
    tdm_record_request_class(j->recorder, (uint32_t)index,
                             tdm_line_text(&j->line, TDM_LINE_NAME, ""));
  else
    problem(j, "request classes without a number (dropped)");
}

static void take_metric(job *j) {
  const tdm_line *line = &j->line;
  const tdm_line_value *value = &line->value[TDM_LINE_VALUE];
  tdm_metric metric = {.scope = text(j, TDM_LINE_SCOPE),
                       .subject = text(j, TDM_LINE_SUBJECT),
                       .ordinal = number(j, TDM_LINE_ORDINAL),
                       .name = text(j, TDM_LINE_NAME),
                       .unit = text(j, TDM_LINE_UNIT),
                       .value = NAN,
                       .text = text(j, TDM_LINE_TEXT)};
  if ((line->has >> TDM_LINE_VALUE & 1) != 0) {
    if (value->whole)
      metric.value = (double)value->integer;
    else if (value->token == TDM_JSON_NUMBER || value->token == TDM_JSON_STRING)
      metric.value = tdm_number_double(line->buffer + value->text, value->length);
  }
  tdm_record_metric(j->recorder, &metric);
}

/* In place; returns the number of bytes. What is no base64 is skipped. */
static size_t decode_base64(char *text, size_t length) {
  struct base64_decode_ctx context;
  size_t used = 0;
  base64_decode_init(&context);
  for (size_t i = 0; i < length; i++) {
    uint8_t byte;
    if (base64_decode_single(&context, &byte, text[i]) == 1) text[used++] = (char)byte;
  }
  return used;
}

static void take_artifact(job *j) {
  char *bytes = (char *)(uintptr_t)tdm_line_text(&j->line, TDM_LINE_BASE64, NULL);
  size_t length = tdm_line_length(&j->line, TDM_LINE_BASE64);
  if (bytes != NULL) length = decode_base64(bytes, length); /* it is the line's own buffer */
  tdm_record_artifact(j->recorder, tdm_line_text(&j->line, TDM_LINE_NAME, ""),
                      tdm_line_text(&j->line, TDM_LINE_TYPE, ""), bytes != NULL ? bytes : "",
                      length);
}

static void take_fact(job *j) {
  const char *key = text(j, TDM_LINE_KEY);
  if (key != NULL) tdm_record_fact(j->recorder, key, tdm_line_text(&j->line, TDM_LINE_VALUE, ""));
}

/* The recorder keeps the pointer of a kind until the source ends: its names stay. */
static void take_problem(job *j) {
  const char *kind = text(j, TDM_LINE_KIND);
  if (kind == NULL) return;
  kind = tdm_recorder_name(j->recorder, tdm_record_text(j->recorder, kind), NULL);
  if (kind != NULL)
    tdm_record_problem(j->recorder, kind, (uint64_t)tdm_line_number(&j->line, TDM_LINE_COUNT, 0));
}

/* ---- lines ---- */

static void take_line(job *j, const char *line, size_t length) {
  static const struct {
    const char *record;
    void (*take)(job *);
  } kinds[] = {{"track", take_track},     {"layout", take_layout},     {"request", take_request},
               {"fact", take_fact},       {"metric", take_metric},     {"class", take_class},
               {"problem", take_problem}, {"artifact", take_artifact}, {"source", take_source},
               {"header", take_header}};
  if (length > 0 && line[length - 1] == '\r') length--;
  if (length == 0) return;
  int object = tdm_line_read(&j->line, line, length);
  if (j->line.failed) {
    no_memory(j, "a line", length);
    return;
  }
  const char *record = object ? text(j, TDM_LINE_RECORD) : NULL;
  if (!j->headed && (record == NULL || strcmp(record, "header") != 0)) {
    j->status =
        tdm_error_set(j->error, TDM_INVALID, "%s is not tandem's JSON Lines: it has no header",
                      tdm_input_path(j->input));
    return;
  }
  tdm_shape shape = shape_named(record);
  if (shape != TDM_SHAPES) {
    take_row(j, shape);
    return;
  }
  for (size_t i = 0; record != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(record, kinds[i].record) == 0) {
      kinds[i].take(j);
      return;
    }
  problem(j, "lines that are not records (dropped)");
}

static void keep_piece(job *j, const char *bytes, size_t length) {
  if (length == 0) return;
  if (!tdm_array_grow(&j->carry, &j->carry_room, j->carried + length, 1)) {
    no_memory(j, "a line", j->carried + length);
    return;
  }
  memcpy(j->carry + j->carried, bytes, length);
  j->carried += length;
}

static void take_piece(job *j, const char *bytes, size_t length) {
  const char *end = bytes + length;
  while (bytes < end && j->status == TDM_OK && !tdm_recorder_failed(j->recorder)) {
    const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
    if (stop == NULL || j->carried > 0)
      keep_piece(j, bytes, (size_t)((stop != NULL ? stop : end) - bytes));
    if (stop == NULL || j->status != TDM_OK) return;
    if (j->carried > 0)
      take_line(j, j->carry, j->carried);
    else
      take_line(j, bytes, (size_t)(stop - bytes));
    j->carried = 0;
    bytes = stop + 1;
  }
}

static void take_input(job *j) {
  const unsigned char *bytes;
  size_t length;
  while (j->status == TDM_OK && !tdm_recorder_failed(j->recorder)) {
    j->status = tdm_input_next(j->input, &bytes, &length, j->error);
    if (j->status != TDM_OK) return;
    if (length == 0) {
      take_line(j, j->carry, j->carried); /* the last line may lack its end */
      return;
    }
    take_piece(j, (const char *)bytes, length);
    if (j->status == TDM_OK) j->status = tdm_read_progress(j->input, j->options, j->error);
  }
}

static int detect_lines(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  const unsigned char *end = memchr(head, '\n', length);
  size_t first = end != NULL ? (size_t)(end - head) : length;
  bool own = length > 0 && head[0] == '{' && memmem(head, first, "\"" FORMAT "\"", 14) != NULL;
  return own ? 100 : 0;
}

static tdm_status read_lines(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL || !tdm_line_open(&j->line)) {
    free(j);
    return tdm_error_memory(error, "reading JSON Lines", sizeof *j);
  }
  j->input = input;
  j->options = options;
  j->recorder = recorder;
  j->error = error;
  take_input(j);
  hand_over_requests(j);
  for (int i = 0; i < TDM_JSON_REPAIRS; i++)
    tdm_record_problem(recorder, tdm_json_repair_name((tdm_json_repair)i),
                       tdm_json_repaired(j->line.json, (tdm_json_repair)i));
  tdm_status status = j->status;
  for (size_t i = 0; i < j->layout_ids.count && i < j->layout_room; i++) free(j->layouts[i].arg);
  free(j->layouts);
  free(j->tracks);
  free(j->carry);
  tdm_intern_clear(&j->layout_ids);
  tdm_intern_clear(&j->track_ids);
  tdm_line_close(&j->line);
  free(j);
  return status;
}

const tdm_reader tdm_reader_jsonl = {.name = FORMAT,
                                     .title = "tandem's JSON Lines",
                                     .accepts = "*.jsonl",
                                     .detect = detect_lines,
                                     .read = read_lines};
