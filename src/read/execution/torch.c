/* The reader of PyTorch's execution traces: {"schema": "1.1.0-chakra…", "pid", "nodes": […]}.
 *
 * A tree of operators with the tensors and shapes that went in and came out, as it ran, without any
 * time: all nodes lie at 0 and the source says that it has none. A node's number, its parent's
 * ("parent"), shapes, types and attributes are arguments; "rf_id" is what the profiler's trace of
 * the same run calls "Record function id". Until schema 1.0.1 all of that stands at the node, later
 * "ctrl_deps" is the parent and the rest stands in "inputs", "outputs" and "attrs". In
 * read/reader.c's table. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/execution/inside.h"
#include "read/json/json.h"

enum { PROGRESS_NODES = 2048, KEY = 128, USER_SCOPE = 7 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_arg_layouts layouts;
  tdm_arg_list args;
  /* the node in hand */
  uint32_t name;
  int64_t id, parent, tid, scope;
  /* the file */
  int64_t pid;
  char schema[48];
  uint64_t nodes;
  bool found, failed;
  tdm_status status;
  tdm_error *error;
} job;

static bool stopped(const job *j) {
  return j->status != TDM_OK || j->failed || j->layouts.failed || tdm_recorder_failed(j->recorder);
}

static int64_t number(const job *j, tdm_json_token token) {
  size_t length;
  int64_t value;
  if (token != TDM_JSON_NUMBER) return TDM_NONE;
  const char *text = tdm_json_value(j->json, &length);
  return tdm_number_integer(text, length, &value) ? value : TDM_NONE;
}

/* ---- arguments ---- */

static void add(job *j, const char *key, tdm_arg_type type, int64_t value) {
  tdm_arg_add(j->recorder, &j->args, tdm_record_text(j->recorder, key), type, value);
}

/* Behind an ARRAY or OBJECT that is kept as it is. */
static void keep_nested(job *j, const char *key) {
  size_t length;
  const char *text = tdm_json_compact(j->json, &length);
  if (text == NULL)
    j->failed = true;
  else if (length > 2) /* not [] */
    add(j, key, TDM_ARG_JSON, (int64_t)tdm_record_name(j->recorder, text, length));
}

/* Numbers that stand for "none" are left out: no thread of a forward pass, no sequence. */
static bool says_nothing(const char *key, int64_t value) {
  static const struct {
    const char *key;
    int64_t none;
  } list[] = {{"fw_parent", 0}, {"fw_tid", 0}, {"seq_id", -1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(key, list[i].key) == 0 && value == list[i].none) return true;
  return false;
}

/* An attribute of the node, in either layout. */
static void take_value(job *j, const char *key, tdm_json_token token) {
  size_t length;
  int64_t whole = number(j, token);
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) {
    keep_nested(j, key);
  } else if (strcmp(key, "tid") == 0) {
    j->tid = whole;
  } else if (token == TDM_JSON_STRING) {
    const char *text = tdm_json_value(j->json, &length);
    if (length > 0) add(j, key, TDM_ARG_TEXT, (int64_t)tdm_record_name(j->recorder, text, length));
  } else if (token == TDM_JSON_TRUE || token == TDM_JSON_FALSE) {
    add(j, key, TDM_ARG_BOOL, token == TDM_JSON_TRUE);
  } else if (whole != TDM_NONE) {
    if (strcmp(key, "scope") == 0) j->scope = whole;
    if (!says_nothing(key, whole)) add(j, key, TDM_ARG_INT, whole);
  } else if (token == TDM_JSON_NUMBER) {
    const char *text = tdm_json_value(j->json, &length);
    add(j, key, TDM_ARG_REAL, tdm_record_real(tdm_number_double(text, length)));
  }
}

/* Behind OBJECT: {"name": "rf_id", "type": "uint64", "value": 6}. The name comes first. */
static void take_attribute(job *j) {
  char key[KEY] = "", name[KEY] = "";
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%.100s", tdm_json_value(j->json, NULL));
    tdm_json_token token = tdm_json_next(j->json);
    if (strcmp(key, "name") == 0 && token == TDM_JSON_STRING)
      snprintf(name, sizeof name, "%.100s", tdm_json_value(j->json, NULL));
    else if (strcmp(key, "value") == 0 && *name != 0)
      take_value(j, name, token);
    else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY)
      tdm_json_skip(j->json);
  }
}

static void take_attributes(job *j) {
  for (;;) {
    tdm_json_token token = tdm_json_next(j->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (token == TDM_JSON_OBJECT) take_attribute(j);
    if (token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  }
}

/* Behind OBJECT: {"values": […], "shapes": […], "types": […]}. Shapes and types of what went in are
 * called as in the profiler's traces. */
static void take_tensors(job *j, bool in) {
  static const char *const keys[][3] = {{"values", "inputs", "outputs"},
                                        {"shapes", "Input Dims", "Output Dims"},
                                        {"types", "Input type", "Output type"},
                                        {"strides", "Input Strides", "Output Strides"}};
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    const char *key = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      if (strcmp(tdm_json_value(j->json, NULL), keys[i][0]) == 0) key = keys[i][in ? 1 : 2];
    tdm_json_token token = tdm_json_next(j->json);
    bool nested = token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
    if (nested && key != NULL)
      keep_nested(j, key);
    else if (nested)
      tdm_json_skip(j->json);
  }
}

/* ---- nodes ---- */

/* The keys of the old layout that the new one has elsewhere. */
static const char *key_of(const char *key) {
  static const char *const pairs[][2] = {{"input_shapes", "Input Dims"},
                                         {"input_types", "Input type"},
                                         {"output_shapes", "Output Dims"},
                                         {"output_types", "Output type"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(key, pairs[i][0]) == 0) return pairs[i][1];
  return key;
}

static void take_member(job *j, const char *key) {
  tdm_json_token token = tdm_json_next(j->json);
  size_t length;
  bool in = strcmp(key, "inputs") == 0, out = strcmp(key, "outputs") == 0;
  if (strcmp(key, "name") == 0 && token == TDM_JSON_STRING) {
    const char *text = tdm_json_value(j->json, &length);
    j->name = tdm_record_name(j->recorder, text, length);
  } else if (strcmp(key, "id") == 0) {
    j->id = number(j, token);
  } else if (strcmp(key, "parent") == 0 ||
             (strcmp(key, "ctrl_deps") == 0 && number(j, token) != TDM_NONE)) {
    j->parent = number(j, token);
  } else if (strcmp(key, "attrs") == 0 && token == TDM_JSON_ARRAY) {
    take_attributes(j);
  } else if ((in || out) && token == TDM_JSON_OBJECT) {
    take_tensors(j, in);
  } else {
    take_value(j, key_of(key), token);
  }
}

static uint32_t track_of(job *j) {
  char process[48], name[48];
  tdm_track track = TDM_TRACK_PLAIN;
  snprintf(process, sizeof process, "process %lld", (long long)(j->pid != TDM_NONE ? j->pid : 0));
  snprintf(name, sizeof name, "thread %lld", (long long)(j->tid != TDM_NONE ? j->tid : 0));
  track.process = process;
  track.name = name;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = j->pid;
  track.tid = j->tid;
  return tdm_record_track(j->recorder, &track);
}

/* Behind OBJECT. */
static void take_node(job *j) {
  char key[KEY];
  j->args.count = 0;
  j->id = j->parent = j->tid = j->scope = TDM_NONE;
  j->name = tdm_record_text(j->recorder, "");
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%.100s", tdm_json_value(j->json, NULL));
    take_member(j, key);
  }
  if (j->id != TDM_NONE) add(j, "node", TDM_ARG_INT, j->id);
  if (j->parent != TDM_NONE && j->parent != j->id) add(j, "parent", TDM_ARG_INT, j->parent);
  const char *category = j->scope == USER_SCOPE ? "user_annotation" : "cpu_op";
  if ((j->options->dropped & tdm_read_kind(category)) == 0)
    tdm_arg_row(&j->layouts, tdm_record_text(j->recorder, category), TDM_SHAPE_INSTANT, 0, 0,
                track_of(j), j->name, j->args.arg, j->args.count);
  if (++j->nodes % PROGRESS_NODES == 0 && j->status == TDM_OK)
    j->status = tdm_read_progress(j->input, j->options, j->error);
}

/* Behind the KEY of the nodes. */
static void take_nodes(job *j) {
  if (!tdm_json_enter_array(j->json)) return;
  j->found = true;
  while (tdm_json_next_object(j->json)) {
    if (stopped(j))
      tdm_json_skip(j->json);
    else
      take_node(j);
  }
}

/* "pid" comes before the nodes; the rest are facts. */
static void take_top(job *j, const char *key) {
  char fact[KEY + 16];
  tdm_json_token token = tdm_json_next(j->json);
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  if (strcmp(key, "pid") == 0) j->pid = number(j, token);
  if (token != TDM_JSON_STRING && token != TDM_JSON_NUMBER) return;
  const char *text = tdm_json_value(j->json, NULL);
  if (strcmp(key, "schema") == 0) snprintf(j->schema, sizeof j->schema, "%.40s", text);
  snprintf(fact, sizeof fact, "execution.%s", key);
  tdm_record_fact(j->recorder, fact, text);
}

static tdm_status finish(job *j) {
  char detail[128];
  if (j->status != TDM_OK) return j->status;
  tdm_status status = tdm_json_finish(j->json, j->error);
  if (status != TDM_OK) return status;
  if (!j->found)
    return tdm_error_set(j->error, TDM_INVALID,
                         "%s: no execution trace of PyTorch: nodes is no list",
                         tdm_input_path(j->input));
  for (int r = 0; r < TDM_JSON_REPAIRS; r++)
    tdm_record_problem(j->recorder, tdm_json_repair_name((tdm_json_repair)r),
                       tdm_json_repaired(j->json, (tdm_json_repair)r));
  tdm_execution_timeless(j->recorder);
  snprintf(detail, sizeof detail, "schema %s", j->schema);
  tdm_recorder_detail(j->recorder, detail);
  return j->failed || j->layouts.failed ? tdm_error_memory(j->error, "an execution trace", 0)
                                        : TDM_OK;
}

static tdm_status read_torch(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "an execution trace", sizeof *j);
  *j = (job){.input = input,
             .options = options,
             .recorder = recorder,
             .json = tdm_json_new(input),
             .layouts = {.recorder = recorder},
             .pid = TDM_NONE,
             .error = error};
  tdm_status status = TDM_OK;
  char key[KEY];
  if (j->json == NULL) {
    status = tdm_error_memory(error, "a JSON parser", 0);
  } else {
    if (tdm_json_next(j->json) == TDM_JSON_OBJECT)
      while (!stopped(j) && tdm_json_next(j->json) == TDM_JSON_KEY) {
        snprintf(key, sizeof key, "%.100s", tdm_json_value(j->json, NULL));
        if (strcmp(key, "nodes") == 0)
          take_nodes(j);
        else
          take_top(j, key);
      }
    status = finish(j);
  }
  tdm_json_free(j->json);
  tdm_arg_layouts_free(&j->layouts);
  free(j);
  return status;
}

static size_t blanks(const unsigned char *head, size_t length, size_t at) {
  while (at < length && strchr(" \t\r\n", head[at]) != NULL) at++;
  return at;
}

/* {"schema": "1…", and nodes before long. */
static int detect_torch(const unsigned char *head, size_t length, const char *path) {
  static const char first[] = "\"schema\"", list[] = "\"nodes\"";
  (void)path;
  size_t at = blanks(head, length, 0);
  if (at == length || head[at] != '{') return 0;
  at = blanks(head, length, at + 1);
  if (length - at < sizeof first || memcmp(head + at, first, sizeof first - 1) != 0) return 0;
  at = blanks(head, length, at + sizeof first - 1);
  if (at == length || head[at] != ':') return 0;
  at = blanks(head, length, at + 1);
  if (length - at < 2 || head[at] != '"' || head[at + 1] < '0' || head[at + 1] > '9') return 0;
  return memmem(head + at, length - at, list, sizeof list - 1) != NULL ? 90 : 0;
}

const tdm_reader tdm_reader_execution = {.name = "torch-execution",
                                         .title = "PyTorch execution trace",
                                         .accepts = "*_et.json",
                                         .detect = detect_torch,
                                         .read = read_torch};
