/* Which of rocprofv3's CSV files are of one process: those that are called PREFIX_TABLE.csv with
 * the same prefix, and whose rows do not name different processes. And of which run: rocprofv3 runs
 * the program anew for each set of counters, into folders pmc_N or pass_N. Owns nothing; the files
 * are joined by read/import.c. */
#include <stdlib.h>

#include "read/csv.h"
#include "read/number.h"
#include "read/rocprof/inside.h"

/* How much of the path stands before the table's name; 0: it has none. */
static size_t stem_of(const char *path) {
  static const char *const tables[] = {
      "agent_info",           "counter_collection",  "kernel_trace",     "memory_copy_trace",
      "hip_api_trace",        "hip_runtime_trace",   "hip_trace",        "hip_runtime_api_trace",
      "hsa_api_trace",        "hsa_trace",           "marker_trace",     "marker_api_trace",
      "rccl_api_trace",       "rccl_trace",          "scratch_trace",    "memory_allocation_trace",
      "scratch_memory_trace", "rocdecode_api_trace", "rocjpeg_api_trace"};
  size_t end = strlen(path);
  static const char *const endings[] = {".gz", ".zst", ".csv"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t length = strlen(endings[i]);
    if (end > length && strncmp(path + end - length, endings[i], length) == 0) end -= length;
  }
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    size_t length = strlen(tables[i]);
    if (end <= length || strncmp(path + end - length, tables[i], length) != 0) continue;
    char before = path[end - length - 1];
    if (before == '_' || before == '/') return end - length;
  }
  return 0;
}

/* What its folder says: "pmc_2", "pass_2". */
static uint32_t pass_of(const char *path) {
  static const char *const folders[] = {"pmc_", "pass_"};
  unsigned long pass = 0;
  for (const char *part = path; part != NULL;) {
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
      size_t length = strlen(folders[i]);
      char *end;
      if (strncmp(part, folders[i], length) != 0) continue;
      unsigned long number = strtoul(part + length, &end, 10);
      if (end > part + length && *end == '/' && number < UINT32_MAX) pass = number;
    }
    part = strchr(part, '/');
    if (part != NULL) part++;
  }
  return (uint32_t)pass;
}

static size_t column_of(const tdm_csv_field *fields, size_t count, const char *title) {
  size_t column = 0;
  while (column < count && strcmp(fields[column].text, title) != 0) column++;
  return column;
}

/* By its header and its first row. */
static void look_into(tdm_csv *csv, tdm_family *family) {
  const tdm_csv_field *fields;
  size_t count;
  int64_t process;
  if (!tdm_csv_next(csv, &fields, &count)) return;
  family->counters = column_of(fields, count, "Counter_Value") < count;
  family->kernels = !family->counters && column_of(fields, count, "Dispatch_Id") < count;
  size_t column = column_of(fields, count, "Process_Id");
  if (column == count || !tdm_csv_next(csv, &fields, &count) || column >= count) return;
  const tdm_csv_field *said = &fields[column];
  if (tdm_number_integer(said->text, said->length, &process)) family->process = process;
}

tdm_family tdm_rocprof_family(const unsigned char *head, size_t length, const char *path) {
  tdm_family family = {.stem = stem_of(path), .process = TDM_NONE, .pass = pass_of(path)};
  tdm_input *input;
  if (tdm_input_open_memory(head, length, &input, NULL) != TDM_OK) return family;
  tdm_csv *csv = tdm_csv_new(input);
  if (csv != NULL) look_into(csv, &family);
  tdm_csv_free(csv);
  tdm_input_close(input);
  if (family.stem == 0) family.process = TDM_NONE; /* it has no kin that could be another's */
  return family;
}
