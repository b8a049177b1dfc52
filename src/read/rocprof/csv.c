/* The reader of rocprofv3's CSV files: a table of kernels, of copies, of API calls and markers, or
 * of counters.
 *
 * The header says which; columns are found by name, since releases add some. Kernels and calls
 * become spans, counters metrics of their kernel and launch, as Nsight Compute's do. GPUs are named
 * by the number of their agent: which card that is stands in no table of times. Each file is a
 * source; rocprofv3's JSON has all of a process in one. Called through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/csv.h"
#include "read/number.h"
#include "read/rocprof/inside.h"
#include "trace/intern.h"

enum { PROGRESS_RECORDS = 2048 };

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
                                          "Counter_Value"};

typedef enum { NO_TABLE, KERNELS, COPIES, CALLS, COUNTERS } table;

typedef struct {
  tdm_rocprof out;
  tdm_csv *csv;
  table table;
  size_t where[ROLES]; /* a role's column + 1; 0: none */
  const tdm_csv_field *fields;
  size_t count;
  tdm_intern kernels; /* of counters */
  struct launches {
    int64_t last; /* dispatch */
    int64_t ordinal;
  } * launch;
  size_t launch_room;
  int64_t dispatch; /* whose times were recorded last */
  uint64_t lines;
  bool failed;
} job;

static table table_of(const size_t *where) {
  if (where[COUNTER] > 0 && where[VALUE] > 0 && where[KERNEL_NAME] > 0) return COUNTERS;
  if (where[START] == 0 || where[END] == 0) return NO_TABLE;
  if (where[KERNEL_NAME] > 0 && where[DISPATCH] > 0) return KERNELS;
  if (where[DIRECTION] > 0) return COPIES;
  return where[DOMAIN] > 0 && where[FUNCTION] > 0 ? CALLS : NO_TABLE;
}

/* ---- fields ---- */

static const char *text(const job *j, role which) {
  size_t at = j->where[which];
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

/* "1" or "Agent 1" */
static int64_t agent(const job *j, role which) {
  const char *said = text(j, which);
  return number_in(strncmp(said, "Agent ", 6) == 0 ? said + 6 : said);
}

static tdm_rocprof_time time_of(const job *j) {
  return (tdm_rocprof_time){number(j, START), number(j, END), number(j, CORRELATION)};
}

static tdm_rocprof_place place_of(const job *j, int64_t device, char *heading, size_t room) {
  if (device == TDM_NONE)
    snprintf(heading, room, "AMD GPU");
  else
    snprintf(heading, room, "AMD GPU agent %lld", (long long)device);
  return (tdm_rocprof_place){.gpu = heading,
                             .pid = number(j, PROCESS),
                             .device = device,
                             .stream = number(j, STREAM),
                             .queue = number(j, QUEUE)};
}

/* ---- rows ---- */

static void take_kernel(job *j) {
  char heading[48];
  tdm_rocprof_dispatch dispatch = {
      .place = place_of(j, agent(j, AGENT), heading, sizeof heading),
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
  if (j->table == COUNTERS) { /* one number for all three */
    dispatch.grid[0] = number(j, GRID);
    dispatch.block[0] = number(j, BLOCK);
  }
  tdm_rocprof_kernel(&j->out, &dispatch);
}

/* On the GPU's side: where it goes to, or comes from when that is the host. */
static void take_copy(job *j) {
  char heading[48];
  const char *direction = text(j, DIRECTION);
  bool to_host = strstr(direction, "DEVICE_TO_HOST") != NULL;
  int64_t device = agent(j, to_host ? SOURCE_AGENT : TARGET_AGENT);
  tdm_rocprof_place place = place_of(j, device, heading, sizeof heading);
  tdm_rocprof_time time = time_of(j);
  tdm_rocprof_copy(&j->out, &place, &time, direction, TDM_NONE);
}

static void take_call(job *j) {
  tdm_rocprof_time time = time_of(j);
  tdm_rocprof_call(&j->out, text(j, DOMAIN), text(j, FUNCTION), number(j, PROCESS),
                   number(j, THREAD), &time);
}

/* How many-th launch of its kernel the row belongs to; TDM_NONE: out of memory. */
static int64_t launch_of(job *j, const char *kernel, int64_t dispatch) {
  int fresh;
  uint32_t id = tdm_intern_put(&j->kernels, kernel, strlen(kernel), &fresh);
  if (id == TDM_INTERN_FAILED ||
      !tdm_array_grow(&j->launch, &j->launch_room, (size_t)id + 1, sizeof *j->launch)) {
    j->failed = true;
    return TDM_NONE;
  }
  struct launches *of = &j->launch[id];
  if (fresh) *of = (struct launches){dispatch, 0};
  if (of->last != dispatch) *of = (struct launches){dispatch, of->ordinal + 1};
  return of->ordinal;
}

static void take_counter(job *j) {
  int64_t dispatch = number(j, DISPATCH);
  const char *kernel = text(j, KERNEL_NAME), *value = text(j, VALUE);
  if (*text(j, START) != 0 && dispatch != j->dispatch) take_kernel(j);
  j->dispatch = dispatch;
  int64_t ordinal = launch_of(j, kernel, dispatch);
  if (j->failed) return;
  tdm_metric metric = {.scope = "kernel",
                       .subject = kernel,
                       .ordinal = ordinal,
                       .name = text(j, COUNTER),
                       .value = tdm_number_double(value, strlen(value))};
  tdm_record_metric(j->out.recorder, &metric);
}

static bool step(job *j) {
  if (!tdm_csv_next(j->csv, &j->fields, &j->count)) return false;
  if (j->count == 1 && j->fields[0].length == 0) return true;
  j->lines++;
  switch (j->table) {
  case KERNELS: take_kernel(j); break;
  case COPIES: take_copy(j); break;
  case CALLS: take_call(j); break;
  case COUNTERS: take_counter(j); break;
  case NO_TABLE: break;
  }
  return !j->failed;
}

static void find_columns(const tdm_csv_field *fields, size_t count, size_t *where) {
  for (size_t i = 0; i < count; i++)
    for (size_t r = 0; r < ROLES; r++)
      if (where[r] == 0 && strcmp(fields[i].text, titles[r]) == 0) where[r] = i + 1;
}

static tdm_status read_table(job *j, tdm_input *input, const tdm_read_options *options,
                             tdm_error *error) {
  static const char *const names[] = {"", "kernels", "copies", "calls", "counters"};
  char detail[64];
  if (tdm_csv_next(j->csv, &j->fields, &j->count)) find_columns(j->fields, j->count, j->where);
  j->table = table_of(j->where);
  if (tdm_csv_status(j->csv, error) == TDM_OK && j->table == NO_TABLE)
    return tdm_error_set(
        error, TDM_INVALID,
        "%s: its header is of no table of rocprofv3 that is read (kernels, copies, "
        "API calls, counters)",
        tdm_input_path(input));
  for (uint64_t n = 1; step(j); n++) {
    if (n % PROGRESS_RECORDS != 0) continue;
    if (tdm_recorder_failed(j->out.recorder)) return TDM_OK;
    tdm_status status = tdm_read_progress(input, options, error);
    if (status != TDM_OK) return status;
  }
  if (j->failed) return tdm_error_memory(error, "names of kernels", j->launch_room);
  if (tdm_csv_cut(j->csv) > 0)
    tdm_record_problem(j->out.recorder, "records that are too long (cut)", tdm_csv_cut(j->csv));
  snprintf(detail, sizeof detail, "rocprofv3, %s", names[j->table]);
  tdm_recorder_detail(j->out.recorder, detail);
  return tdm_csv_status(j->csv, error);
}

static tdm_status read_csv(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  job j = {.csv = tdm_csv_new(input), .dispatch = TDM_NONE};
  if (j.csv == NULL) return tdm_error_memory(error, "a CSV reader", 0);
  tdm_rocprof_open(&j.out, recorder, options);
  tdm_status status = read_table(&j, input, options, error);
  tdm_csv_free(j.csv);
  tdm_intern_clear(&j.kernels);
  free(j.launch);
  return status;
}

/* Every table's header has these names in it, and those of no other tool. */
static int detect_csv(const unsigned char *head, size_t length, const char *path) {
  char line[1024];
  size_t size = 0;
  (void)path;
  for (; size < length && size + 1 < sizeof line && head[size] != '\n'; size++)
    line[size] = (char)head[size];
  line[size] = 0;
  if (strchr(line, ',') == NULL || strstr(line, "Correlation_Id") == NULL) return 0;
  bool counters = strstr(line, "Counter_Name") != NULL && strstr(line, "Counter_Value") != NULL;
  return counters || strstr(line, "Start_Timestamp") != NULL ? 80 : 0;
}

const tdm_reader tdm_reader_rocprof_csv = {.name = "rocprof-csv",
                                           .title = "rocprofv3 CSV (ROCm)",
                                           .accepts = "*_trace.csv, *_counter_collection.csv",
                                           .detect = detect_csv,
                                           .read = read_csv};
