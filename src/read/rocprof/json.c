/* The reader of rocprofv3's JSON: all that was traced of each process.
 *
 * {"rocprofiler-sdk-tool": [{metadata, agents, strings, kernel_symbols, buffer_records, …}, …]}:
 * the tables that records number come before them. Kernels, copies, calls of HIP, HSA and RCCL and
 * markers become spans, allocations instants; counters and samples of program counters are counted
 * and left out. Times are those of the boot clock. Called through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/rocprof/inside.h"
#include "read/rocprof/tables.h"

enum { FIELDS = 24, PATH = 128, PROGRESS_RECORDS = 2048 };

/* An object as the values of the paths that are wanted of it: "dispatch_info.agent_id.handle". */
typedef struct {
  const char *path;
  bool is_text;
} wanted;

typedef struct {
  int64_t number; /* TDM_NONE: not there, or no whole number */
  size_t text;    /* where in the buffer */
  bool has_text;
} got;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_json *json;
  tdm_rocprof out;
  tdm_rocprof_tables tables;
  int64_t pid;
  got field[FIELDS];
  char *buffer;
  size_t used, room;
  char path[PATH];
  uint64_t objects;
  tdm_status status;
  tdm_error *error;
} job;

static bool stopped(const job *j) {
  return j->status != TDM_OK || j->tables.failed || tdm_recorder_failed(j->out.recorder);
}

/* ---- objects ---- */

static void keep_text(job *j, got *field) {
  size_t length;
  const char *text = tdm_json_value(j->json, &length);
  if (!tdm_array_grow(&j->buffer, &j->room, j->used + length + 1, 1)) {
    j->tables.failed = true;
    return;
  }
  memcpy(j->buffer + j->used, text, length);
  j->buffer[j->used + length] = 0;
  field->text = j->used;
  field->has_text = true;
  j->used += length + 1;
}

static void keep(job *j, const wanted *wants, size_t count, tdm_json_token token) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(wants[i].path, j->path) != 0) continue;
    size_t length;
    if (wants[i].is_text && token == TDM_JSON_STRING) keep_text(j, &j->field[i]);
    if (!wants[i].is_text && token == TDM_JSON_NUMBER) {
      const char *text = tdm_json_value(j->json, &length);
      if (!tdm_number_integer(text, length, &j->field[i].number)) j->field[i].number = TDM_NONE;
    }
    return;
  }
}

/* Behind OBJECT; `base`: how much of the path it has. */
static void walk(job *j, const wanted *wants, size_t count, size_t base) {
  for (;;) {
    tdm_json_token token = tdm_json_next(j->json);
    if (token != TDM_JSON_KEY) return;
    size_t length;
    const char *key = tdm_json_value(j->json, &length);
    size_t at = base + (base > 0);
    bool fits = at + length < PATH;
    if (fits && base > 0) j->path[base] = '.';
    if (fits) memcpy(j->path + at, key, length + 1);
    token = tdm_json_next(j->json);
    if (token == TDM_JSON_OBJECT && fits)
      walk(j, wants, count, at + length);
    else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY)
      tdm_json_skip(j->json);
    else if (fits)
      keep(j, wants, count, token);
  }
}

static void read_object(job *j, const wanted *wants, size_t count) {
  for (size_t i = 0; i < count; i++) j->field[i] = (got){.number = TDM_NONE};
  j->used = 0;
  walk(j, wants, count, 0);
  if (++j->objects % PROGRESS_RECORDS == 0 && j->status == TDM_OK)
    j->status = tdm_read_progress(j->input, j->options, j->error);
}

static const char *text(const job *j, size_t field) {
  return j->field[field].has_text ? j->buffer + j->field[field].text : "";
}

static int64_t number(const job *j, size_t field) {
  return j->field[field].number;
}

/* Behind a KEY: every object of its array. */
static void each_object(job *j, const wanted *wants, size_t count, void (*take)(job *)) {
  if (!tdm_json_enter_array(j->json)) return;
  while (tdm_json_next_object(j->json)) {
    if (stopped(j)) {
      tdm_json_skip(j->json);
      continue;
    }
    read_object(j, wants, count);
    take(j);
  }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what is numbered ---- */

static const wanted agent_wants[] = {{"id.handle", false},
                                     {"type", false},
                                     {"logical_node_type_id", false},
                                     {"product_name", true},
                                     {"name", true}};

static void take_agent(job *j) {
  char key[48];
  bool gpu = number(j, 1) == 2;
  int64_t index = number(j, 2) != TDM_NONE ? number(j, 2) : 0;
  const char *product = *text(j, 3) != 0 ? text(j, 3) : text(j, 4);
  tdm_rocprof_agent_put(&j->tables, number(j, 0), gpu, index, product);
  if (!gpu) return;
  snprintf(key, sizeof key, "gpu.%lld.name", (long long)index);
  tdm_record_fact(j->out.recorder, key, product);
}

static const wanted symbol_wants[] = {{"kernel_id", false},
                                      {"arch_vgpr_count", false},
                                      {"sgpr_count", false},
                                      {"formatted_kernel_name", true},
                                      {"demangled_kernel_name", true},
                                      {"kernel_name", true}};

static void take_symbol(job *j) {
  const char *name = "";
  for (size_t field = 3; field < 6 && *name == 0; field++) name = text(j, field);
  if (*name != 0)
    tdm_rocprof_symbol_put(&j->tables, number(j, 0), name, number(j, 1), number(j, 2));
}

static const wanted marker_wants[] = {{"key", false}, {"value", true}};

static void take_marker_text(job *j) {
  tdm_rocprof_marker_put(&j->tables, number(j, 0), text(j, 1));
}

/* Behind OBJECT: {"kind": "HIP_RUNTIME_API", "operations": ["hipMalloc", …]} */
static void read_kind(job *j) {
  size_t length;
  tdm_rocprof_kind_put(&j->tables);
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    bool kind = strcmp(tdm_json_value(j->json, &length), "kind") == 0;
    bool operations = strcmp(tdm_json_value(j->json, &length), "operations") == 0;
    tdm_json_token token = tdm_json_next(j->json);
    if (token == TDM_JSON_STRING && kind)
      tdm_rocprof_kind_name(&j->tables, tdm_json_value(j->json, &length));
    if (token == TDM_JSON_OBJECT || (token == TDM_JSON_ARRAY && !operations)) {
      tdm_json_skip(j->json);
    } else if (token == TDM_JSON_ARRAY) {
      while ((token = tdm_json_next(j->json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
        if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
        tdm_rocprof_operation_put(&j->tables,
                                  token == TDM_JSON_STRING ? tdm_json_value(j->json, &length) : "");
      }
    }
  }
}

static void read_kinds(job *j) {
  if (!tdm_json_enter_array(j->json)) return;
  while (tdm_json_next_object(j->json)) read_kind(j);
}

/* ---- records ---- */

static const wanted dispatch_wants[] = {{"start_timestamp", false},
                                        {"end_timestamp", false},
                                        {"correlation_id.internal", false},
                                        {"stream_id.handle", false},
                                        {"dispatch_info.agent_id.handle", false},
                                        {"dispatch_info.queue_id.handle", false},
                                        {"dispatch_info.kernel_id", false},
                                        {"dispatch_info.dispatch_id", false},
                                        {"dispatch_info.group_segment_size", false},
                                        {"dispatch_info.private_segment_size", false},
                                        {"dispatch_info.workgroup_size.x", false},
                                        {"dispatch_info.workgroup_size.y", false},
                                        {"dispatch_info.workgroup_size.z", false},
                                        {"dispatch_info.grid_size.x", false},
                                        {"dispatch_info.grid_size.y", false},
                                        {"dispatch_info.grid_size.z", false}};

static tdm_rocprof_place place_of(const job *j, const tdm_rocprof_agent *agent) {
  return (tdm_rocprof_place){.gpu = agent != NULL ? agent->heading : "AMD GPU",
                             .pid = j->pid,
                             .device = agent != NULL ? agent->number : TDM_NONE,
                             .stream = TDM_NONE,
                             .queue = TDM_NONE};
}

static void take_dispatch(job *j) {
  char unnamed[48];
  const tdm_rocprof_symbol *symbol = tdm_rocprof_symbol_of(&j->tables, number(j, 6));
  tdm_rocprof_dispatch dispatch = {.place =
                                       place_of(j, tdm_rocprof_agent_of(&j->tables, number(j, 4))),
                                   .time = {number(j, 0), number(j, 1), number(j, 2)},
                                   .kernel = number(j, 6),
                                   .dispatch = number(j, 7),
                                   .shared_bytes = number(j, 8),
                                   .scratch_bytes = number(j, 9),
                                   .block = {number(j, 10), number(j, 11), number(j, 12)},
                                   .grid = {number(j, 13), number(j, 14), number(j, 15)},
                                   .vgpr = symbol != NULL ? symbol->vgpr : TDM_NONE,
                                   .sgpr = symbol != NULL ? symbol->sgpr : TDM_NONE};
  dispatch.place.stream = number(j, 3);
  dispatch.place.queue = number(j, 5);
  if (symbol != NULL) {
    dispatch.name = tdm_rocprof_name(&j->tables, symbol->name, &dispatch.name_length);
  } else {
    snprintf(unnamed, sizeof unnamed, "kernel %lld", (long long)number(j, 6));
    dispatch.name = unnamed;
    dispatch.name_length = strlen(unnamed);
    tdm_record_problem(j->out.recorder, "kernels without a name", 1);
  }
  tdm_rocprof_kernel(&j->out, &dispatch);
}

static const wanted copy_wants[] = {{"start_timestamp", false},
                                    {"end_timestamp", false},
                                    {"correlation_id.internal", false},
                                    {"kind", false},
                                    {"operation", false},
                                    {"src_agent_id.handle", false},
                                    {"dst_agent_id.handle", false},
                                    {"bytes", false},
                                    {"stream_id.handle", false}};

static void take_copy(job *j) {
  const tdm_rocprof_agent *from = tdm_rocprof_agent_of(&j->tables, number(j, 5));
  const tdm_rocprof_agent *to = tdm_rocprof_agent_of(&j->tables, number(j, 6));
  tdm_rocprof_place place = place_of(j, to != NULL && to->gpu ? to : from);
  tdm_rocprof_time time = {number(j, 0), number(j, 1), number(j, 2)};
  const char *direction = tdm_rocprof_operation_of(&j->tables, number(j, 3), number(j, 4));
  place.stream = number(j, 8);
  tdm_rocprof_copy(&j->out, &place, &time, *direction != 0 ? direction : "copy", number(j, 7));
}

/* The address is a number, or in a handle. */
static const wanted allocation_wants[] = {{"start_timestamp", false},
                                          {"end_timestamp", false},
                                          {"correlation_id.internal", false},
                                          {"kind", false},
                                          {"operation", false},
                                          {"agent_id.handle", false},
                                          {"address", false},
                                          {"address.value", false},
                                          {"address.handle", false},
                                          {"allocation_size", false}};

static void take_allocation(job *j) {
  const tdm_rocprof_agent *agent = tdm_rocprof_agent_of(&j->tables, number(j, 5));
  int64_t address = number(j, 6);
  if (address == TDM_NONE) address = number(j, 7) != TDM_NONE ? number(j, 7) : number(j, 8);
  tdm_rocprof_allocation allocation = {
      .place = place_of(j, agent),
      .time = {number(j, 0), number(j, 1), number(j, 2)},
      .operation = tdm_rocprof_operation_of(&j->tables, number(j, 3), number(j, 4)),
      .address = address,
      .bytes = number(j, 9),
      .host = agent != NULL && !agent->gpu,
      .known = agent != NULL};
  tdm_rocprof_allocate(&j->out, &allocation);
}

static const wanted call_wants[] = {{"start_timestamp", false},
                                    {"end_timestamp", false},
                                    {"correlation_id.internal", false},
                                    {"kind", false},
                                    {"operation", false},
                                    {"thread_id", false}};

static void take_call(job *j) {
  tdm_rocprof_time time = {number(j, 0), number(j, 1), number(j, 2)};
  const char *domain = tdm_rocprof_kind_of(&j->tables, number(j, 3));
  const char *name = tdm_rocprof_operation_of(&j->tables, number(j, 3), number(j, 4));
  if (strncmp(domain, "MARKER", 6) == 0) {
    const char *said = tdm_rocprof_marker_of(&j->tables, time.correlation);
    if (said != NULL) name = said;
  }
  tdm_rocprof_call(&j->out, domain, *name != 0 ? name : "call", j->pid, number(j, 5), &time);
}

static void leave_out(job *j) {
  tdm_record_problem(j->out.recorder, "records of other kinds (left out)", 1);
}

/* Behind OBJECT: each table of records by its key. */
static void read_records(job *j) {
  static const struct {
    const char *key;
    const wanted *wants;
    size_t count;
    void (*take)(job *);
  } tables[] = {{"kernel_dispatch", dispatch_wants, COUNT(dispatch_wants), take_dispatch},
                {"memory_copy", copy_wants, COUNT(copy_wants), take_copy},
                {"memory_allocation", allocation_wants, COUNT(allocation_wants), take_allocation},
                {"hip_api", call_wants, COUNT(call_wants), take_call},
                {"hsa_api", call_wants, COUNT(call_wants), take_call},
                {"rccl_api", call_wants, COUNT(call_wants), take_call},
                {"marker_api", call_wants, COUNT(call_wants), take_call},
                {"rocdecode_api", call_wants, COUNT(call_wants), take_call},
                {"rocjpeg_api", call_wants, COUNT(call_wants), take_call}};
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(j->json, NULL);
    size_t at = 0;
    while (at < COUNT(tables) && strcmp(tables[at].key, key) != 0) at++;
    if (at < COUNT(tables))
      each_object(j, tables[at].wants, tables[at].count, tables[at].take);
    else
      each_object(j, NULL, 0, leave_out);
  }
}

/* ---- processes ---- */

static void read_strings(job *j) {
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(j->json, NULL);
    if (strcmp(key, "buffer_records") == 0) {
      read_kinds(j);
    } else if (strcmp(key, "marker_api") == 0) {
      each_object(j, marker_wants, COUNT(marker_wants), take_marker_text);
    } else {
      tdm_json_token token = tdm_json_next(j->json);
      if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
    }
  }
}

static void take_metadata(job *j) {
  j->pid = number(j, 0);
  if (*text(j, 1) != 0) tdm_record_fact(j->out.recorder, "host.name", text(j, 1));
  if (*text(j, 2) != 0) tdm_record_fact(j->out.recorder, "system.os", text(j, 2));
}

/* Behind OBJECT. */
static void read_process(job *j) {
  static const wanted metadata_wants[] = {
      {"pid", false}, {"node.hostname", true}, {"node.release", true}};
  tdm_rocprof_tables_free(&j->tables);
  j->pid = TDM_NONE;
  while (tdm_json_next(j->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(j->json, NULL);
    if (strcmp(key, "agents") == 0) {
      each_object(j, agent_wants, COUNT(agent_wants), take_agent);
      continue;
    }
    if (strcmp(key, "kernel_symbols") == 0) {
      each_object(j, symbol_wants, COUNT(symbol_wants), take_symbol);
      continue;
    }
    bool metadata = strcmp(key, "metadata") == 0, strings = strcmp(key, "strings") == 0;
    bool records = strcmp(key, "buffer_records") == 0 || strcmp(key, "callback_records") == 0;
    tdm_json_token token = tdm_json_next(j->json);
    if (token == TDM_JSON_OBJECT && metadata) {
      read_object(j, metadata_wants, COUNT(metadata_wants));
      take_metadata(j);
    } else if (token == TDM_JSON_OBJECT && strings) {
      read_strings(j);
    } else if (token == TDM_JSON_OBJECT && records) {
      read_records(j);
    } else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) {
      tdm_json_skip(j->json);
    }
  }
}

static uint64_t read_processes(job *j) {
  uint64_t processes = 0;
  tdm_json_token token = tdm_json_next(j->json);
  while (token != TDM_JSON_END) {
    bool tool =
        token == TDM_JSON_KEY && strcmp(tdm_json_value(j->json, NULL), "rocprofiler-sdk-tool") == 0;
    token = tdm_json_next(j->json);
    if (!tool || token != TDM_JSON_ARRAY) continue;
    while (tdm_json_next_object(j->json)) {
      read_process(j);
      processes++;
    }
    break;
  }
  return processes;
}

static tdm_status finish(job *j, uint64_t processes) {
  char detail[64];
  if (j->tables.failed) return tdm_error_memory(j->error, "names of rocprofv3", j->room);
  if (j->status != TDM_OK) return j->status;
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++) {
    uint64_t count = tdm_json_repaired(j->json, (tdm_json_repair)repair);
    if (count > 0)
      tdm_record_problem(j->out.recorder, tdm_json_repair_name((tdm_json_repair)repair), count);
  }
  if (processes == 0)
    return tdm_error_set(j->error, TDM_INVALID, "%s: no process of rocprofv3 in it",
                         tdm_input_path(j->input));
  snprintf(detail, sizeof detail, "rocprofv3, %llu process%s", (unsigned long long)processes,
           processes == 1 ? "" : "es");
  tdm_recorder_detail(j->out.recorder, detail);
  return TDM_OK;
}

static tdm_status read_json(tdm_input *input, const tdm_read_options *options,
                            tdm_recorder *recorder, tdm_error *error) {
  job j = {.input = input, .options = options, .error = error, .json = tdm_json_new(input)};
  if (j.json == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  tdm_rocprof_open(&j.out, recorder, options);
  uint64_t processes = read_processes(&j);
  if (!stopped(&j)) j.status = tdm_json_finish(j.json, error);
  tdm_status status = finish(&j, processes);
  tdm_rocprof_tables_free(&j.tables);
  tdm_rocprof_close(&j.out);
  free(j.buffer);
  tdm_json_free(j.json);
  return status;
}

static int detect_json(const unsigned char *head, size_t length, const char *path) {
  static const char key[] = "\"rocprofiler-sdk-tool\"";
  size_t at = 0;
  (void)path;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL) at++;
  if (at == length || head[at] != '{') return 0;
  for (at++; at < length && strchr(" \t\r\n", head[at]) != NULL; at++) continue;
  return at + sizeof key - 1 <= length && memcmp(head + at, key, sizeof key - 1) == 0 ? 95 : 0;
}

const tdm_reader tdm_reader_rocprof_json = {.name = "rocprof-json",
                                            .title = "rocprofv3 JSON (ROCm)",
                                            .accepts = "*_results.json",
                                            .detect = detect_json,
                                            .read = read_json};
