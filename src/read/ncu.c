/* What `ncu --csv` prints, as metrics of kernels.
 *
 * Three tables, told apart by their header: the raw page (a row a launch, a column a metric, the
 * second row their units), the details page (a row a metric or rule) and summaries
 * (--print-summary: minimum, maximum and average over launches). Around them stand the profiler's
 * own lines and whatever the program printed; several tables may follow each other. Launches have
 * no times, so there are no rows: each metric says its kernel and how many-th launch of it, counted
 * from 0 in each process on each device. Rules become metrics with a text. Called through
 * tdm_readers. */
#include "read/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/csv.h"
#include "read/number.h"
#include "trace/intern.h"

/* Columns with a meaning, by their titles. */
typedef enum {
  ID,
  PROCESS_ID,
  PROCESS_NAME,
  HOST_NAME,
  KERNEL_NAME,
  KERNEL_TIME,
  CONTEXT,
  STREAM,
  BLOCK_SIZE,
  GRID_SIZE,
  DEVICE,
  CC,
  INVOCATIONS,
  SECTION_NAME,
  METRIC_NAME,
  METRIC_UNIT,
  METRIC_VALUE,
  MINIMUM,
  MAXIMUM,
  AVERAGE,
  RULE_NAME,
  RULE_TYPE,
  RULE_DESCRIPTION,
  SPEEDUP_TYPE,
  SPEEDUP,
  NVTX_PUSH_POP,
  NVTX_START_END,
  ROLES,
  METRIC, /* of a raw page: the title is its name */
  UNREAD
} role;

static const char *const titles[ROLES] = {"ID",
                                          "Process ID",
                                          "Process Name",
                                          "Host Name",
                                          "Kernel Name",
                                          "Kernel Time",
                                          "Context",
                                          "Stream",
                                          "Block Size",
                                          "Grid Size",
                                          "Device",
                                          "CC",
                                          "Invocations",
                                          "Section Name",
                                          "Metric Name",
                                          "Metric Unit",
                                          "Metric Value",
                                          "Minimum",
                                          "Maximum",
                                          "Average",
                                          "Rule Name",
                                          "Rule Type",
                                          "Rule Description",
                                          "Estimated Speedup Type",
                                          "Estimated Speedup",
                                          NULL,
                                          NULL};

typedef struct {
  role role;
  char *name, *unit; /* of a METRIC; the unit may be NULL */
} column;

typedef struct {
  tdm_csv *csv;
  tdm_recorder *recorder;
  column *columns;
  size_t column_count;
  size_t where[ROLES]; /* a role's column + 1; 0: none */
  bool units_follow;   /* of a raw page: the row of units has not come yet */
  tdm_intern launches; /* process, device, kernel */
  int64_t *launch_count;
  size_t launch_room;
  tdm_intern facts;     /* that were recorded */
  char *key, *last_key; /* of the launch of this row and of the row before */
  size_t key_room, last_room;
  size_t last_length;
  int64_t ordinal;
  uint64_t launches_seen;
  bool tables[3];              /* raw, details, summary: which were seen */
  bool failed;                 /* out of memory */
  const tdm_csv_field *fields; /* of this row */
  size_t field_count;
} ncu;

/* ---- fields ---- */

static const char *field(const ncu *n, role which) {
  size_t at = n->where[which];
  return at > 0 && at <= n->field_count ? n->fields[at - 1].text : "";
}

static role role_of(const char *title) {
  for (int i = 0; i < NVTX_PUSH_POP; i++)
    if (strcmp(title, titles[i]) == 0) return (role)i;
  if (strstr(title, "Push/Pop_Range") != NULL) return NVTX_PUSH_POP;
  if (strstr(title, "Start/Stop_Range") != NULL) return NVTX_START_END;
  return METRIC;
}

/* A header: it begins with one of the leading titles and names the kernel. */
static bool is_header(const char *line, size_t length) {
  while (length > 0 && (*line == ' ' || *line == '"')) line++, length--;
  if (!(length > 3 && strncmp(line, "ID", 2) == 0 && (line[2] == '"' || line[2] == ',')) &&
      !(length > 10 && strncmp(line, "Process ID", 10) == 0) &&
      !(length > 12 && strncmp(line, "Process Name", 12) == 0))
    return false;
  static const char name[] = "Kernel Name";
  return memmem(line, length, name, sizeof name - 1) != NULL;
}

/* ---- the header ---- */

static void drop_columns(ncu *n) {
  for (size_t i = 0; i < n->column_count; i++) {
    free(n->columns[i].name);
    free(n->columns[i].unit);
  }
  free(n->columns);
  n->columns = NULL;
  n->column_count = 0;
  memset(n->where, 0, sizeof n->where);
}

static bool take_header(ncu *n) {
  drop_columns(n);
  n->columns = tdm_array_new(n->field_count, sizeof *n->columns);
  if (n->columns == NULL) return false;
  n->column_count = n->field_count;
  for (size_t i = 0; i < n->column_count; i++) {
    role which = n->fields[i].text[0] != 0 ? role_of(n->fields[i].text) : UNREAD;
    n->columns[i].role = which;
    n->columns[i].name = tdm_string_copy(n->fields[i].text);
    if (n->columns[i].name == NULL) return false;
    if (which < ROLES && n->where[which] == 0) n->where[which] = i + 1;
  }
  bool details = n->where[METRIC_VALUE] > 0, summary = n->where[AVERAGE] > 0;
  n->units_follow = !details && !summary;
  n->tables[details ? 1 : summary ? 2 : 0] = true;
  if (!n->units_follow) {
    for (size_t i = 0; i < n->column_count; i++) {
      if (n->columns[i].role != METRIC) continue;
      n->columns[i].role = UNREAD;
      tdm_record_problem(n->recorder, "columns without a meaning here (left out)", 1);
    }
  }
  n->last_length = 0;
  return true;
}

static bool take_units(ncu *n) {
  n->units_follow = false;
  for (size_t i = 0; i < n->column_count && i < n->field_count; i++) {
    if (n->columns[i].role != METRIC || n->fields[i].length == 0) continue;
    n->columns[i].unit = tdm_string_copy(n->fields[i].text);
    if (n->columns[i].unit == NULL) return false;
  }
  return true;
}

/* ---- values ---- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void put_metric(ncu *n, const char *name, const char *unit, double value, const char *text) {
  tdm_metric metric = {.scope = "kernel",
                       .subject = field(n, KERNEL_NAME),
                       .ordinal = n->ordinal,
                       .name = name,
                       .unit = unit != NULL && unit[0] != 0 ? unit : NULL,
                       .value = value,
                       .text = text};
  tdm_record_metric(n->recorder, &metric);
}

/* A value as written: a number where it is one, a text ("CachePreferNone", "nan") where not. */
static void put_value(ncu *n, const char *name, const char *unit, const char *value) {
  double figure = NAN;
  if (value[0] == 0) {
    tdm_record_problem(n->recorder, "metrics without a value (left out)", 1);
    return;
  }
  size_t length = tdm_ncu_number(value, &figure);
  const char *rest = value + length;
  /* With --print-metric-instances the values of single units follow in brackets. */
  bool instances = length > 0 && rest[0] == ' ' && rest[1] == '(';
  if (length == 0 || (rest[0] != 0 && !instances)) {
    put_metric(n, name, unit, NAN, value);
    return;
  }
  if (instances) tdm_record_problem(n->recorder, "instance values of metrics (left out)", 1);
  put_metric(n, name, unit, figure, NULL);
}

/* ---- launches ---- */

static void put_fact(ncu *n, const char *key, const char *value) {
  if (value[0] == 0) return;
  int fresh;
  uint32_t id = tdm_intern_put(&n->facts, key, strlen(key), &fresh);
  if (id == TDM_INTERN_FAILED)
    n->failed = true;
  else if (fresh)
    tdm_record_fact(n->recorder, key, value);
}

/* Facts of the process and device of a new launch. */
static void put_facts(ncu *n) {
  char key[96];
  put_fact(n, "host.name", field(n, HOST_NAME));
  const char *process = field(n, PROCESS_ID), *device = field(n, DEVICE);
  snprintf(key, sizeof key, "process.%.40s.name", process[0] != 0 ? process : "0");
  put_fact(n, key, field(n, PROCESS_NAME));
  bool numbered = is_digit(device[0]) && device[strspn(device, "0123456789")] == 0;
  snprintf(key, sizeof key, "gpu.%.40s.compute_capability", numbered ? device : "0");
  put_fact(n, key, field(n, CC));
  if (!numbered) put_fact(n, "gpu.0.name", device);
}

/* "(256, 1, 1)" as three metrics. */
static void put_size(ncu *n, role which, const char *const names[3]) {
  const char *p = field(n, which);
  for (int i = 0; i < 3; i++) {
    while (*p != 0 && !is_digit(*p)) p++;
    if (*p == 0) return;
    put_metric(n, names[i], NULL, strtod(p, NULL), NULL);
    while (is_digit(*p)) p++;
  }
}

/* What all rows of a launch repeat, once. */
static void put_launch(ncu *n) {
  static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[] = {"block_x", "block_y", "block_z"};
  static const struct {
    role role;
    const char *name;
  } plain[] = {{PROCESS_ID, "process"},
               {DEVICE, "device"},
               {CONTEXT, "context"},
               {STREAM, "stream"},
               {KERNEL_TIME, "time"},
               {INVOCATIONS, "invocations"},
               {NVTX_PUSH_POP, "nvtx_push_pop"},
               {NVTX_START_END, "nvtx_start_end"}};
  put_facts(n);
  put_size(n, GRID_SIZE, grid);
  put_size(n, BLOCK_SIZE, block);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (field(n, plain[i].role)[0] != 0) put_value(n, plain[i].name, NULL, field(n, plain[i].role));
}

/* Joins fields with a byte that no text holds. The length, or 0 when memory is out. */
static size_t join(ncu *n, const role *roles, size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    const char *text = field(n, roles[i]);
    size_t more = strlen(text);
    if (!tdm_array_grow(&n->key, &n->key_room, length + more + 1, 1)) {
      n->failed = true;
      return 0;
    }
    memcpy(n->key + length, text, more);
    n->key[length + more] = 0x1f;
    length += more + 1;
  }
  return length;
}

/* Sets the ordinal of the row's launch; says what belongs to a new one. */
static void find_launch(ncu *n) {
  static const role same[] = {ID, PROCESS_ID, HOST_NAME, DEVICE, KERNEL_NAME};
  static const role kind[] = {PROCESS_ID, HOST_NAME, DEVICE, KERNEL_NAME};
  size_t length = join(n, same, sizeof same / sizeof same[0]);
  bool repeated = n->where[ID] > 0 && n->where[METRIC_VALUE] > 0; /* not on a raw page */
  if (repeated && length == n->last_length && memcmp(n->key, n->last_key, length) == 0) return;
  if (!tdm_array_grow(&n->last_key, &n->last_room, length, 1)) {
    n->failed = true;
    return;
  }
  memcpy(n->last_key, n->key, length);
  n->last_length = length;
  length = join(n, kind, sizeof kind / sizeof kind[0]);
  int fresh;
  uint32_t id = tdm_intern_put(&n->launches, n->key, length, &fresh);
  if (id == TDM_INTERN_FAILED ||
      !tdm_array_grow(&n->launch_count, &n->launch_room, (size_t)id + 1, sizeof *n->launch_count)) {
    n->failed = true;
    return;
  }
  if (fresh) n->launch_count[id] = 0;
  n->ordinal = n->launch_count[id]++;
  n->launches_seen++;
  put_launch(n);
}

/* ---- rows ---- */

static void put_rule(ncu *n) {
  char name[256];
  const char *rule = field(n, RULE_NAME), *kind = field(n, RULE_TYPE);
  const char *says = field(n, RULE_DESCRIPTION);
  snprintf(name, sizeof name, "rule.%.200s", rule);
  size_t room = strlen(kind) + strlen(says) + 3;
  char *text = malloc(room);
  if (text == NULL) {
    n->failed = true;
    return;
  }
  snprintf(text, room, "%s%s%s", kind, kind[0] != 0 ? ": " : "", says);
  put_metric(n, name, NULL, NAN, text);
  free(text);
  if (field(n, SPEEDUP)[0] == 0) return;
  const char *scope = field(n, SPEEDUP_TYPE);
  snprintf(name, sizeof name, "rule.%.200s.speedup%s%.20s", rule, scope[0] != 0 ? "_" : "", scope);
  put_value(n, name, "%", field(n, SPEEDUP));
}

static void put_summary(ncu *n, const char *name, const char *unit) {
  static const struct {
    role role;
    const char *what;
  } kinds[] = {{MINIMUM, "minimum"}, {MAXIMUM, "maximum"}, {AVERAGE, "average"}};
  char full[512];
  for (size_t i = 0; i < 3; i++) {
    if (n->where[kinds[i].role] == 0) continue;
    snprintf(full, sizeof full, "%.400s (%s)", name, kinds[i].what);
    put_value(n, full, unit, field(n, kinds[i].role));
  }
}

static void put_raw(ncu *n) {
  for (size_t i = 0; i < n->column_count && i < n->field_count; i++) {
    const column *c = &n->columns[i];
    if (c->role != METRIC) continue;
    put_value(n, c->name, c->unit, n->fields[i].text);
    if (strcmp(c->name, "device__attribute_display_name") == 0) {
      char key[64];
      const char *device = field(n, DEVICE);
      snprintf(key, sizeof key, "gpu.%.20s.name", is_digit(device[0]) ? device : "0");
      put_fact(n, key, n->fields[i].text);
    }
  }
}

/* A row of the table; false: it is none. */
static bool take_row(ncu *n) {
  if (n->field_count < 3 || field(n, KERNEL_NAME)[0] == 0) return false;
  if (n->where[AVERAGE] > 0) { /* a summary is over all launches */
    static const role same[] = {PROCESS_ID, DEVICE,    KERNEL_NAME, CONTEXT,
                                STREAM,     GRID_SIZE, BLOCK_SIZE};
    size_t length = join(n, same, sizeof same / sizeof same[0]);
    n->ordinal = TDM_NONE;
    if (n->failed) return true;
    int fresh;
    if (tdm_intern_put(&n->launches, n->key, length, &fresh) == TDM_INTERN_FAILED)
      n->failed = true;
    else if (fresh)
      put_launch(n);
    put_summary(n, field(n, METRIC_NAME), field(n, METRIC_UNIT));
    return true;
  }
  find_launch(n);
  if (n->failed) return true;
  if (n->where[METRIC_VALUE] == 0) {
    put_raw(n);
    return true;
  }
  const char *name = field(n, METRIC_NAME);
  if (name[0] != 0) put_value(n, name, field(n, METRIC_UNIT), field(n, METRIC_VALUE));
  if (field(n, RULE_NAME)[0] != 0) put_rule(n);
  if (name[0] == 0 && field(n, RULE_NAME)[0] == 0)
    tdm_record_problem(n->recorder, "rows without a metric or rule (left out)", 1);
  return true;
}

/* One line or record. False: the end. */
static bool step(ncu *n) {
  const char *line;
  size_t length;
  if (!tdm_csv_peek(n->csv, &line, &length)) return false;
  if (length >= 2 && line[0] == '=' && line[1] == '=') {
    tdm_record_problem(n->recorder, "lines of the profiler (skipped)", 1);
    tdm_csv_skip_line(n->csv);
    return true;
  }
  bool header = is_header(line, length);
  if (length == 0 || (n->columns == NULL && !header)) {
    if (length > 0) tdm_record_problem(n->recorder, "lines outside the table (skipped)", 1);
    tdm_csv_skip_line(n->csv);
    return true;
  }
  if (!tdm_csv_next(n->csv, &n->fields, &n->field_count)) return false;
  if (header) {
    if (!take_header(n)) n->failed = true;
  } else if (n->units_follow && field(n, KERNEL_NAME)[0] == 0 && n->field_count > 2) {
    if (!take_units(n)) n->failed = true;
  } else if (!take_row(n)) {
    tdm_record_problem(n->recorder, "lines outside the table (skipped)", 1);
  }
  return !n->failed;
}

/* ---- the reader ---- */

static tdm_status finish(ncu *n, const char *path, tdm_error *error) {
  tdm_status status = tdm_csv_status(n->csv, error);
  if (status != TDM_OK) return status;
  if (n->failed) return tdm_error_memory(error, "metrics of kernels", n->key_room);
  if (n->columns == NULL)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: there is no table of ncu --csv in it; its header has \"ID\" and "
                         "\"Kernel Name\"",
                         path);
  if (tdm_csv_cut(n->csv) > 0)
    tdm_record_problem(n->recorder, "records that are too long (cut)", tdm_csv_cut(n->csv));
  char detail[128];
  snprintf(detail, sizeof detail, "%s%s%s, %llu kernel launch%s", n->tables[0] ? "raw page" : "",
           n->tables[1] ? n->tables[0] ? ", details page" : "details page" : "",
           n->tables[2] ? n->tables[0] || n->tables[1] ? ", summary" : "summary" : "",
           (unsigned long long)n->launches_seen, n->launches_seen == 1 ? "" : "es");
  tdm_recorder_detail(n->recorder, detail);
  return TDM_OK;
}

static tdm_status read_ncu(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  ncu n = {.recorder = recorder, .csv = tdm_csv_new(input)};
  if (n.csv == NULL) return tdm_error_memory(error, "a CSV reader", 0);
  tdm_status status = TDM_OK;
  for (uint64_t steps = 1; status == TDM_OK && step(&n); steps++) {
    if (steps % 2048 != 0) continue;
    if (tdm_recorder_failed(recorder)) break;
    status = tdm_read_progress(input, options, error);
  }
  if (status == TDM_OK) status = finish(&n, tdm_input_path(input), error);
  drop_columns(&n);
  tdm_csv_free(n.csv);
  tdm_intern_clear(&n.launches);
  tdm_intern_clear(&n.facts);
  free(n.launch_count);
  free(n.key);
  free(n.last_key);
  return status;
}

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  const char *line = (const char *)head, *end = line + length;
  while (line < end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) stop = end;
    if (is_header(line, (size_t)(stop - line))) return 95;
    line = stop + 1;
  }
  /* The program under the profiler may print a lot before the table comes. */
  return length > 8 && memcmp(head, "==PROF==", 8) == 0 ? 30 : 0;
}

const tdm_reader tdm_reader_ncu = {.name = "ncu-csv",
                                   .title = "Nsight Compute CSV",
                                   .accepts = "*.csv of ncu --csv",
                                   .detect = detect,
                                   .read = read_ncu};
