/* The reader of Chakra's graphs as JSON: {"workload_graph": [{Id, Name, NodeType, …}, …], …}.
 *
 * The same nodes as in its protocol buffers, fewer attributes, and keys in any spelling of their
 * words ("ctrlDeps", "ctrl_deps"). In read/reader.c's table. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "read/execution/inside.h"
#include "read/json/json.h"

enum { PROGRESS_NODES = 2048, KEY = 128 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_json *json;
  tdm_graph graph;
  tdm_arg_list args;
  char *name; /* of the node in hand */
  size_t name_length, name_room;
  uint64_t *data, *control; /* what it waits for */
  size_t data_count, data_room, control_count, control_room;
  bool found; /* the graph */
  tdm_status status;
  tdm_error *error;
} job;

static bool stopped(const job *j) {
  return j->status != TDM_OK || j->graph.failed || tdm_recorder_failed(j->graph.recorder);
}

/* Without a view to case and underscores. */
static bool is_key(const char *key, const char *word) {
  for (; *key != 0 && *word != 0; key++) {
    if (*key == '_') continue;
    if (strncasecmp(key, word, 1) != 0) return false;
    word++;
  }
  return *key == 0 && *word == 0;
}

static int64_t number(const job *j, tdm_json_token token) {
  size_t length;
  int64_t value;
  if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) return TDM_NONE;
  const char *text = tdm_json_value(j->json, &length);
  return tdm_number_integer(text, length, &value) ? value : TDM_NONE;
}

/* Behind a KEY. */
static void take_waits(job *j, tdm_json_token token, uint64_t **list, size_t *count, size_t *room) {
  *count = 0;
  if (token == TDM_JSON_OBJECT) tdm_json_skip(j->json);
  if (token != TDM_JSON_ARRAY) return;
  for (;;) {
    token = tdm_json_next(j->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (token == TDM_JSON_ARRAY || token == TDM_JSON_OBJECT) tdm_json_skip(j->json);
    int64_t id = number(j, token);
    if (id == TDM_NONE) {
      tdm_record_problem(j->graph.recorder, "dependencies that are no numbers (left out)", 1);
    } else if (!tdm_array_grow(list, room, *count + 1, sizeof **list)) {
      j->graph.failed = true;
    } else {
      (*list)[(*count)++] = (uint64_t)id;
    }
  }
}

static void take_name(job *j, tdm_json_token token) {
  size_t length;
  if (token != TDM_JSON_STRING) return;
  const char *text = tdm_json_value(j->json, &length);
  if (!tdm_array_grow(&j->name, &j->name_room, length + 1, 1)) {
    j->graph.failed = true;
    return;
  }
  memcpy(j->name, text, length + 1);
  j->name_length = length;
}

/* What the format does not say more of. */
static void take_other(job *j, const char *key, tdm_json_token token) {
  tdm_recorder *recorder = j->graph.recorder;
  uint32_t id = tdm_record_text(recorder, key);
  size_t length;
  int64_t whole = number(j, token);
  if (token == TDM_JSON_TRUE || token == TDM_JSON_FALSE) {
    tdm_arg_add(recorder, &j->args, id, TDM_ARG_BOOL, token == TDM_JSON_TRUE);
  } else if (token == TDM_JSON_NUMBER && whole != TDM_NONE) {
    tdm_arg_add(recorder, &j->args, id, TDM_ARG_INT, whole);
  } else if (token == TDM_JSON_NUMBER) {
    const char *text = tdm_json_value(j->json, &length);
    tdm_arg_add(recorder, &j->args, id, TDM_ARG_REAL,
                tdm_record_real(tdm_number_double(text, length)));
  } else if (token == TDM_JSON_STRING) {
    const char *text = tdm_json_value(j->json, &length);
    tdm_arg_add(recorder, &j->args, id, TDM_ARG_TEXT,
                (int64_t)tdm_record_name(recorder, text, length));
  } else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) {
    const char *text = tdm_json_compact(j->json, &length);
    if (text == NULL)
      j->graph.failed = true;
    else
      tdm_arg_add(recorder, &j->args, id, TDM_ARG_JSON,
                  (int64_t)tdm_record_name(recorder, text, length));
  }
}

static void take_member(job *j, tdm_chakra_node *node, int64_t *id, const char *key) {
  tdm_json_token token = tdm_json_next(j->json);
  bool nested = token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
  if (is_key(key, "datadeps")) {
    take_waits(j, token, &j->data, &j->data_count, &j->data_room);
  } else if (is_key(key, "ctrldeps")) {
    take_waits(j, token, &j->control, &j->control_count, &j->control_room);
  } else if (is_key(key, "iscpuop") && !nested) {
    node->on_cpu = token == TDM_JSON_TRUE || number(j, token) == 1;
  } else if (nested) {
    take_other(j, key, token);
  } else if (is_key(key, "id")) {
    *id = number(j, token);
  } else if (is_key(key, "name")) {
    take_name(j, token);
  } else if (is_key(key, "nodetype") || is_key(key, "type")) {
    node->type = number(j, token);
  } else if (is_key(key, "runtime") || is_key(key, "durationmicros")) {
    node->dur_us = number(j, token);
  } else if (is_key(key, "starttimemicros")) {
    node->start_us = number(j, token);
  } else if (is_key(key, "tid")) {
    node->tid = number(j, token);
  } else {
    take_other(j, key, token);
  }
}

/* Behind OBJECT. */
static void take_node(job *j) {
  tdm_chakra_node node = {.start_us = TDM_NONE, .dur_us = TDM_NONE, .tid = TDM_NONE, .on_cpu = -1};
  int64_t id = TDM_NONE;
  char key[KEY];
  j->args.count = 0;
  j->name_length = j->data_count = j->control_count = 0;
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%s", tdm_json_value(j->json, NULL));
    take_member(j, &node, &id, key);
  }
  if (id == TDM_NONE) {
    tdm_record_problem(j->graph.recorder, "nodes without a number (left out)", 1);
    return;
  }
  node.id = (uint64_t)id;
  node.name = j->name != NULL ? j->name : "";
  node.name_length = j->name_length;
  tdm_chakra_put(&j->graph, &node, &j->args);
  for (size_t i = 0; i < j->data_count; i++) tdm_graph_wait(&j->graph, j->data[i], true);
  for (size_t i = 0; i < j->control_count; i++) tdm_graph_wait(&j->graph, j->control[i], false);
  if (j->graph.nodes % PROGRESS_NODES == 0 && j->status == TDM_OK)
    j->status = tdm_read_progress(j->input, j->options, j->error);
}

/* Behind the KEY of the graph. */
static void take_graph(job *j) {
  if (!tdm_json_enter_array(j->json)) return;
  j->found = true;
  while (tdm_json_next_object(j->json)) {
    if (stopped(j))
      tdm_json_skip(j->json);
    else
      take_node(j);
  }
}

/* Anything beside the graph is a fact: "soc", "ngpus". */
static void take_top(job *j, const char *key) {
  char fact[KEY + 8];
  tdm_json_token token = tdm_json_next(j->json);
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  if (token != TDM_JSON_STRING && token != TDM_JSON_NUMBER) return;
  snprintf(fact, sizeof fact, "chakra.%s", key);
  tdm_record_fact(j->graph.recorder, fact, tdm_json_value(j->json, NULL));
}

static void read_top(job *j) {
  char key[KEY];
  if (tdm_json_next(j->json) != TDM_JSON_OBJECT) return;
  while (!stopped(j) && tdm_json_next(j->json) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%.100s", tdm_json_value(j->json, NULL));
    if (strcmp(key, "workload_graph") == 0)
      take_graph(j);
    else
      take_top(j, key);
  }
}

static tdm_status finish(job *j) {
  if (j->status != TDM_OK) return j->status;
  tdm_status status = tdm_json_finish(j->json, j->error);
  if (status != TDM_OK) return status;
  if (!j->found)
    return tdm_error_set(j->error, TDM_INVALID, "%s: no graph of Chakra: workload_graph is no list",
                         tdm_input_path(j->input));
  for (int r = 0; r < TDM_JSON_REPAIRS; r++)
    tdm_record_problem(j->graph.recorder, tdm_json_repair_name((tdm_json_repair)r),
                       tdm_json_repaired(j->json, (tdm_json_repair)r));
  tdm_chakra_finish(&j->graph, j->options, tdm_input_path(j->input), "JSON, ");
  return j->graph.failed ? tdm_error_memory(j->error, "a Chakra graph", j->graph.nodes) : TDM_OK;
}

static tdm_status read_chakra_json(tdm_input *input, const tdm_read_options *options,
                                   tdm_recorder *recorder, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a Chakra graph", sizeof *j);
  *j = (job){.input = input, .options = options, .json = tdm_json_new(input), .error = error};
  j->graph = (tdm_graph){.recorder = recorder, .layouts = {.recorder = recorder}};
  tdm_status status = tdm_error_memory(error, "a JSON parser", 0);
  if (j->json != NULL) {
    read_top(j);
    status =
        j->graph.failed ? tdm_error_memory(error, "a Chakra graph", j->graph.nodes) : finish(j);
  }
  tdm_json_free(j->json);
  tdm_graph_close(&j->graph);
  free(j->name);
  free(j->data);
  free(j->control);
  free(j);
  return status;
}

static int detect_chakra_json(const unsigned char *head, size_t length, const char *path) {
  static const char key[] = "\"workload_graph\"";
  size_t at = 0;
  (void)path;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL) at++;
  if (at == length || head[at] != '{') return 0;
  return memmem(head + at, length - at, key, sizeof key - 1) != NULL ? 85 : 0;
}

const tdm_reader tdm_reader_chakra_json = {.name = "chakra-json",
                                           .title = "Chakra graph as JSON",
                                           .accepts = "*.json",
                                           .detect = detect_chakra_json,
                                           .read = read_chakra_json};
