/* The reader of rocprofv3's CSV files: tables of kernels, of copies, of allocations, of API calls
 * and markers, of counters, of agents.
 *
 * The header says which; columns are found by name, since releases add some. Kernels and calls
 * become spans, counters metrics of their kernel and launch, as Nsight Compute's do. The tables of
 * one process (family.c) are one source: calls tell the process of its kernels, agents the names
 * and numbers of its GPUs, which without them go by the number of their agent. Kernels are those of
 * the trace; where there is none, counters tell them, when they tell times. Called through
 * tdm_readers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/csv.h"
#include "read/number.h"
#include "read/rocprof/inside.h"
#include "read/rocprof/tables.h"

enum { PROGRESS_RECORDS = 2048 };

#define ANOTHER_RUN "kernels of another run than the one that was traced (only their counters kept)"

typedef enum {
  KIND,
  DOMAIN,
  FUNCTION,
  DIRECTION,
  AGENT,
  SOURCE_AGENT,
  TARGET_AGENT,
  QUEUE,
  STREAM,
  PROCESS,
  THREAD,
  DISPATCH,
  KERNEL,
  KERNEL_NAME,
  CORRELATION,
  START,
  END,
  PRIVATE,
  SCRATCH,
  GROUP,
  LDS,
  VGPR,
  SGPR,
  BLOCK_X,
  BLOCK_Y,
  BLOCK_Z,
  GRID_X,
  GRID_Y,
  GRID_Z,
  GRID,
  BLOCK,
  COUNTER,
  VALUE,
  NODE,
  LOGICAL_NODE,
  AGENT_TYPE,
  AGENT_NAME,
  PRODUCT,
  OPERATION,
  ADDRESS,
  ALLOCATED,
  ROLES
} role;

static const char *const titles[ROLES] = {"Kind",
                                          "Domain",
                                          "Function",
                                          "Direction",
                                          "Agent_Id",
                                          "Source_Agent_Id",
                                          "Destination_Agent_Id",
                                          "Queue_Id",
                                          "Stream_Id",
                                          "Process_Id",
                                          "Thread_Id",
                                          "Dispatch_Id",
                                          "Kernel_Id",
                                          "Kernel_Name",
                                          "Correlation_Id",
                                          "Start_Timestamp",
                                          "End_Timestamp",
                                          "Private_Segment_Size",
                                          "Scratch_Size",
                                          "Group_Segment_Size",
                                          "LDS_Block_Size",
                                          "VGPR_Count",
                                          "SGPR_Count",
                                          "Workgroup_Size_X",
                                          "Workgroup_Size_Y",
                                          "Workgroup_Size_Z",
                                          "Grid_Size_X",
                                          "Grid_Size_Y",
                                          "Grid_Size_Z",
                                          "Grid_Size",
                                          "Workgroup_Size",
                                          "Counter_Name",
                                          "Counter_Value",
                                          "Node_Id",
                                          "Logical_Node_Id",
                                          "Agent_Type",
                                          "Name",
                                          "Product_Name",
                                          "Operation",
                                          "Address",
                                          "Allocation_Size"};

/* In the order in which they are read: what others need comes first. */
typedef enum { AGENTS, CALLS, KERNELS, COPIES, ALLOCATIONS, COUNTERS, NO_TABLE, TABLES } table;

typedef struct {
  tdm_input *input;
  tdm_csv *csv;
  table table;
  size_t where[ROLES]; /* a role's column + 1; 0: none */
} part;

typedef struct {
  tdm_rocprof out;
  part *parts;
  size_t part_count;
  part *part; /* in hand */
  const tdm_csv_field *fields;
  size_t count;
  tdm_rocprof_tables agents; /* by logical number; by node as -1 - node */
  int64_t gpus;
  int64_t process; /* that calls tell; TDM_NONE */
  tdm_rocprof_launches launches;
  int64_t dispatch; /* whose times were recorded last */
  bool traced;      /* another table tells which kernels ran */
  bool another_run; /* another run does */
  bool failed;
} job;

static table table_of(const size_t *where) {
  if (where[LOGICAL_NODE] > 0 && where[AGENT_TYPE] > 0) return AGENTS;
  if (where[COUNTER] > 0 && where[VALUE] > 0 && where[KERNEL_NAME] > 0) return COUNTERS;
  if (where[START] == 0 || where[END] == 0) return NO_TABLE;
  if (where[KERNEL_NAME] > 0 && where[DISPATCH] > 0) return KERNELS;
  if (where[DIRECTION] > 0) return COPIES;
  if (where[OPERATION] > 0 && where[ADDRESS] > 0 && where[ALLOCATED] > 0) return ALLOCATIONS;
  return where[DOMAIN] > 0 && where[FUNCTION] > 0 ? CALLS : NO_TABLE;
}

/* ---- fields ---- */

static const char *text(const job *j, role which) {
  size_t at = j->part->where[which];
  return at > 0 && at <= j->count ? j->fields[at - 1].text : "";
}

static int64_t number_in(const char *said) {
  int64_t value;
  return *said != 0 && tdm_number_integer(said, strlen(said), &value) ? value : TDM_NONE;
}

static int64_t number(const job *j, role which) {
  return number_in(text(j, which));
}

static int64_t either(const job *j, role first, role second) {
  int64_t value = number(j, first);
  return value != TDM_NONE ? value : number(j, second);
}

/* "1", "Agent 1" or, numbered among the GPUs, "GPU 1" and "GPU-1". */
static int64_t agent(const job *j, role which, bool *among_gpus) {
  const char *said = text(j, which);
  *among_gpus = strncmp(said, "GPU", 3) == 0;
  return number_in(said + strcspn(said, "0123456789"));
}

static tdm_rocprof_time time_of(const job *j) {
  return (tdm_rocprof_time){number(j, START), number(j, END), number(j, CORRELATION)};
}

static const tdm_rocprof_agent *gpu_of(const job *j, int64_t said, bool among_gpus) {
  for (size_t i = 0; i < j->agents.agents && among_gpus; i++)
    if (j->agents.agent[i].gpu && j->agents.agent[i].number == said) return &j->agents.agent[i];
  if (among_gpus || said < 0) return NULL;
  const tdm_rocprof_agent *found = tdm_rocprof_agent_of(&j->agents, said);
  if (found == NULL || !found->gpu) found = tdm_rocprof_agent_of(&j->agents, -1 - said);
  return found != NULL && found->gpu ? found : NULL;
}

static tdm_rocprof_place place_of(const job *j, role which, char *heading, size_t room) {
  bool among_gpus;
  int64_t device = agent(j, which, &among_gpus), process = number(j, PROCESS);
  const tdm_rocprof_agent *gpu = gpu_of(j, device, among_gpus);
  if (gpu != NULL)
    snprintf(heading, room, "%s", gpu->heading);
  else if (device == TDM_NONE)
    snprintf(heading, room, "AMD GPU");
  else
    snprintf(heading, room, among_gpus ? "AMD GPU #%lld" : "AMD GPU agent %lld", (long long)device);
  return (tdm_rocprof_place){.gpu = heading,
                             .pid = process != TDM_NONE ? process : j->process,
                             .device = gpu != NULL ? gpu->number : device,
                             .stream = number(j, STREAM),
                             .queue = number(j, QUEUE)};
}

/* ---- rows ---- */

static void take_agent(job *j) {
  char key[48];
  const char *product = *text(j, PRODUCT) != 0 ? text(j, PRODUCT) : text(j, AGENT_NAME);
  bool gpu = strcmp(text(j, AGENT_TYPE), "GPU") == 0;
  int64_t index = gpu ? j->gpus++ : 0, node = number(j, NODE);
  tdm_rocprof_agent_put(&j->agents, number(j, LOGICAL_NODE), gpu, index, product);
  if (node != TDM_NONE && node >= 0)
    tdm_rocprof_agent_put(&j->agents, -1 - node, gpu, index, product);
  j->failed |= j->agents.failed;
  if (!gpu) return;
  snprintf(key, sizeof key, "gpu.%lld.name", (long long)index);
  tdm_record_fact(j->out.recorder, key, product);
}

static void take_kernel(job *j) {
  char heading[64];
  tdm_rocprof_dispatch dispatch = {
      .place = place_of(j, AGENT, heading, sizeof heading),
      .time = time_of(j),
      .name = text(j, KERNEL_NAME),
      .name_length = strlen(text(j, KERNEL_NAME)),
      .dispatch = number(j, DISPATCH),
      .kernel = number(j, KERNEL),
      .grid = {number(j, GRID_X), number(j, GRID_Y), number(j, GRID_Z)},
      .block = {number(j, BLOCK_X), number(j, BLOCK_Y), number(j, BLOCK_Z)},
      .shared_bytes = either(j, GROUP, LDS),
      .scratch_bytes = either(j, PRIVATE, SCRATCH),
      .vgpr = number(j, VGPR),
      .sgpr = number(j, SGPR)};
  if (j->part->table == COUNTERS) { /* one number for all three */
    dispatch.grid[0] = number(j, GRID);
    dispatch.block[0] = number(j, BLOCK);
  }
  tdm_rocprof_kernel(&j->out, &dispatch);
}

/* On the GPU's side: where it goes to, or comes from when that is the host. */
static void take_copy(job *j) {
  char heading[64];
  const char *direction = text(j, DIRECTION);
  bool to_host = strstr(direction, "DEVICE_TO_HOST") != NULL;
  tdm_rocprof_place place =
      place_of(j, to_host ? SOURCE_AGENT : TARGET_AGENT, heading, sizeof heading);
  tdm_rocprof_time time = time_of(j);
  tdm_rocprof_copy(&j->out, &place, &time, direction, TDM_NONE);
}

/* "0x00007F…" */
static int64_t address_in(const char *said) {
  char *end;
  if (strncmp(said, "0x", 2) != 0) return number_in(said);
  unsigned long long value = strtoull(said + 2, &end, 16);
  return *end == 0 && end > said + 2 && value <= INT64_MAX ? (int64_t)value : TDM_NONE;
}

/* Frees have no agent. */
static void take_allocation(job *j) {
  char heading[64];
  bool among_gpus, known = text(j, AGENT)[strcspn(text(j, AGENT), "0123456789")] != 0;
  int64_t said = agent(j, AGENT, &among_gpus);
  const tdm_rocprof_agent *found =
      said >= 0 && !among_gpus ? tdm_rocprof_agent_of(&j->agents, said) : NULL;
  tdm_rocprof_allocation allocation = {.place = place_of(j, AGENT, heading, sizeof heading),
                                       .time = time_of(j),
                                       .operation = text(j, OPERATION),
                                       .address = address_in(text(j, ADDRESS)),
                                       .bytes = number(j, ALLOCATED),
                                       .host = strncmp(text(j, AGENT), "CPU", 3) == 0 ||
                                               (found != NULL && !found->gpu),
                                       .known = known};
  tdm_rocprof_allocate(&j->out, &allocation);
}

static void take_call(job *j) {
  tdm_rocprof_time time = time_of(j);
  if (j->process == TDM_NONE) j->process = number(j, PROCESS);
  tdm_rocprof_call(&j->out, text(j, DOMAIN), text(j, FUNCTION), number(j, PROCESS),
                   number(j, THREAD), &time);
}

static void take_counter(job *j) {
  int64_t dispatch = number(j, DISPATCH);
  const char *kernel = text(j, KERNEL_NAME), *value = text(j, VALUE);
  if (*text(j, START) != 0 && dispatch != j->dispatch) {
    if (j->another_run)
      tdm_record_problem(j->out.recorder, ANOTHER_RUN, 1);
    else if (!j->traced)
      take_kernel(j);
  }
  j->dispatch = dispatch;
  int64_t ordinal = tdm_rocprof_launch_of(&j->launches, kernel, dispatch);
  if (j->launches.failed) {
    j->failed = true;
    return;
  }
  tdm_metric metric = {.scope = "kernel",
                       .subject = kernel,
                       .ordinal = ordinal,
                       .name = text(j, COUNTER),
                       .value = tdm_number_double(value, strlen(value))};
  tdm_record_metric(j->out.recorder, &metric);
}

static bool step(job *j) {
  if (!tdm_csv_next(j->part->csv, &j->fields, &j->count)) return false;
  if (j->count == 1 && j->fields[0].length == 0) return true;
  switch (j->part->table) {
  case AGENTS: take_agent(j); break;
  case KERNELS: take_kernel(j); break;
  case COPIES: take_copy(j); break;
  case ALLOCATIONS: take_allocation(j); break;
  case CALLS: take_call(j); break;
  case COUNTERS: take_counter(j); break;
  default:
    tdm_record_problem(j->out.recorder, "rows of tables that are not read (left out)", 1);
    break;
  }
  return !j->failed;
}

/* ---- tables ---- */

static tdm_status read_header(job *j, part *p, tdm_error *error) {
  if (tdm_csv_next(p->csv, &j->fields, &j->count))
    for (size_t i = 0; i < j->count; i++)
      for (size_t r = 0; r < ROLES; r++)
        if (p->where[r] == 0 && strcmp(j->fields[i].text, titles[r]) == 0) p->where[r] = i + 1;
  p->table = table_of(p->where);
  tdm_status status = tdm_csv_status(p->csv, error);
  if (status != TDM_OK || p->table != NO_TABLE || j->part_count > 1) return status;
  return tdm_error_set(error, TDM_INVALID,
                       "%s: its header is of no table of rocprofv3 that is read (kernels, copies, "
                       "API calls, counters)",
                       tdm_input_path(p->input));
}

static tdm_status read_rows(job *j, const tdm_read_options *options, tdm_error *error) {
  for (uint64_t n = 1; step(j); n++) {
    if (n % PROGRESS_RECORDS != 0) continue;
    if (tdm_recorder_failed(j->out.recorder)) return TDM_OK;
    tdm_status status = tdm_read_progress(j->part->input, options, error);
    if (status != TDM_OK) return status;
  }
  if (j->failed) return tdm_error_memory(error, "names of kernels", j->launches.room);
  if (tdm_csv_cut(j->part->csv) > 0)
    tdm_record_problem(j->out.recorder, "records that are too long (cut)",
                       tdm_csv_cut(j->part->csv));
  return tdm_csv_status(j->part->csv, error);
}

static tdm_status read_tables(job *j, const tdm_read_options *options, tdm_error *error) {
  static const char *const names[TABLES] = {"agents",      "calls",    "kernels", "copies",
                                            "allocations", "counters", ""};
  char detail[96] = "rocprofv3";
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < j->part_count && status == TDM_OK; i++)
    status = read_header(j, &j->parts[i], error);
  for (int kind = 0; kind < TABLES && status == TDM_OK; kind++) {
    bool told = false;
    if (j->another_run && kind != AGENTS && kind != COUNTERS) continue;
    for (size_t i = 0; i < j->part_count && status == TDM_OK; i++) {
      j->part = &j->parts[i];
      if ((int)j->part->table != kind) continue;
      j->traced |= kind == KERNELS;
      if (!told && *names[kind] != 0) {
        strcat(detail, ", ");
        strcat(detail, names[kind]);
      }
      told = true;
      status = read_rows(j, options, error);
    }
  }
  tdm_recorder_detail(j->out.recorder, detail);
  return status;
}

static tdm_status read_family(tdm_input *const *inputs, size_t count,
                              const tdm_read_options *options, tdm_recorder *recorder,
                              tdm_error *error) {
  job j = {.dispatch = TDM_NONE,
           .process = TDM_NONE,
           .another_run = options->counters_only,
           .part_count = count};
  bool made = (j.parts = tdm_array_new(count, sizeof *j.parts)) != NULL;
  for (size_t i = 0; i < count && made; i++) {
    j.parts[i].input = inputs[i];
    made = (j.parts[i].csv = tdm_csv_new(inputs[i])) != NULL;
  }
  tdm_rocprof_open(&j.out, recorder, options);
  tdm_status status =
      made ? read_tables(&j, options, error) : tdm_error_memory(error, "a CSV reader", 0);
  for (size_t i = 0; i < count && j.parts != NULL; i++)
    if (j.parts[i].csv != NULL) tdm_csv_free(j.parts[i].csv);
  free(j.parts);
  tdm_rocprof_tables_free(&j.agents);
  tdm_rocprof_launches_free(&j.launches);
  tdm_rocprof_close(&j.out);
  return status;
}

static tdm_status read_csv(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  return read_family(&input, 1, options, recorder, error);
}

/* Every table's header has these names in it, and those of no other tool. */
static int detect_csv(const unsigned char *head, size_t length, const char *path) {
  char line[1024];
  size_t size = 0;
  (void)path;
  for (; size < length && size + 1 < sizeof line && head[size] != '\n'; size++)
    line[size] = (char)head[size];
  line[size] = 0;
  if (strstr(line, "Logical_Node_Id") != NULL && strstr(line, "Agent_Type") != NULL) return 80;
  if (strchr(line, ',') == NULL || strstr(line, "Correlation_Id") == NULL) return 0;
  bool counters = strstr(line, "Counter_Name") != NULL && strstr(line, "Counter_Value") != NULL;
  return counters || strstr(line, "Start_Timestamp") != NULL ? 80 : 0;
}

const tdm_reader tdm_reader_rocprof_csv = {
    .name = "rocprof-csv",
    .title = "rocprofv3 CSV (ROCm)",
    .accepts = "*_trace.csv, *_counter_collection.csv, *_agent_info.csv",
    .detect = detect_csv,
    .read = read_csv,
    .family = tdm_rocprof_family,
    .read_family = read_family};
