/* Which of rocprofv3's CSV files are of one process: those that are called PREFIX_TABLE.csv with
 * the same prefix, and whose rows do not name different processes. Owns nothing; the files are
 * joined by read/import.c. */
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

/* Of the first row. */
static int64_t process_in(tdm_csv *csv) {
  const tdm_csv_field *fields;
  size_t count, column = 0;
  int64_t process;
  if (!tdm_csv_next(csv, &fields, &count)) return TDM_NONE;
  while (column < count && strcmp(fields[column].text, "Process_Id") != 0) column++;
  if (column == count || !tdm_csv_next(csv, &fields, &count) || column >= count) return TDM_NONE;
  const tdm_csv_field *said = &fields[column];
  return tdm_number_integer(said->text, said->length, &process) ? process : TDM_NONE;
}

tdm_family tdm_rocprof_family(const unsigned char *head, size_t length, const char *path) {
  tdm_family family = {.stem = stem_of(path), .process = TDM_NONE};
  tdm_input *input;
  if (family.stem == 0 || tdm_input_open_memory(head, length, &input, NULL) != TDM_OK)
    return family;
  tdm_csv *csv = tdm_csv_new(input);
  if (csv != NULL) family.process = process_in(csv);
  tdm_csv_free(csv);
  tdm_input_close(input);
  return family;
}
