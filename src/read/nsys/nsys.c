/* An Nsight Systems export into records: the order of its tables, progress, what is left over. See
 * nsys.h and source.h. Knows neither SQLite nor HDF5. */
#include "read/nsys/nsys.h"

#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"

tdm_status tdm_nsys_memory(tdm_error *error) {
  return tdm_error_set(error, TDM_MEMORY, "out of memory while reading an Nsight Systems export");
}

/* After each block: progress, Ctrl-C, failures of the recorder. Not TDM_OK: stop. */
static tdm_status step_done(tdm_nsys *nsys, size_t rows, tdm_error *error) {
  nsys->rows_done += rows;
  const tdm_read_options *options = nsys->options;
  if (options->progress != NULL &&
      options->progress(options->context, nsys->rows_done,
                        nsys->rows_total > nsys->rows_done ? nsys->rows_total : nsys->rows_done))
    return tdm_error_set(error, TDM_INTERRUPTED, "%s: reading was interrupted", nsys->source->path);
  /* The recorder keeps its own error, which its end reports. */
  return TDM_OK;
}

tdm_status tdm_nsys_scan(tdm_nsys *nsys, const char *table, const tdm_nsys_column *columns,
                         size_t count, tdm_nsys_each each, void *context, tdm_error *error) {
  const tdm_nsys_source *source = nsys->source;
  if (!tdm_nsys_has(nsys, table) || count == 0) return TDM_OK;
  tdm_nsys_cursor *cursor = NULL;
  tdm_status status = source->open(source->context, table, columns, count, &cursor, error);
  while (status == TDM_OK && !tdm_recorder_failed(nsys->recorder)) {
    tdm_nsys_block block;
    status = source->next(cursor, &block, error);
    if (status != TDM_OK || block.count == 0) break;
    status = each(nsys, &block, context, error);
    if (status == TDM_OK) status = step_done(nsys, block.count, error);
  }
  source->close(cursor);
  return status;
}

/* ---- which tables ---- */

static const tdm_nsys_table *const described[] = {tdm_nsys_gpu_tables, tdm_nsys_api_tables,
                                                  tdm_nsys_system_tables};
enum { SUBJECTS = sizeof described / sizeof described[0] };

static bool is_known(const char *table) {
  static const char *const by_hand[] = {"NVTX_EVENTS",      "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                        "COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS",
                                        "DIAGNOSTIC_EVENT", "TARGET_INFO_SESSION_START_TIME"};
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++)
    if (strcasecmp(table, by_hand[i]) == 0) return true;
  for (size_t s = 0; s < SUBJECTS; s++)
    for (const tdm_nsys_table *each = described[s]; each->name != NULL; each++)
      if (strcasecmp(table, each->name) == 0) return true;
  return tdm_nsys_metrics_are(table);
}

static tdm_status note_pid(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                           tdm_error *error) {
  bool *several = context;
  (void)error;
  for (size_t i = 0; i < block->count && !*several; i++) {
    int64_t thread = block->column[0].integer[i];
    if (thread == TDM_NONE) continue;
    int64_t process = (int64_t)((uint64_t)thread & ~(uint64_t)0xffffff);
    *several = nsys->only_pid != TDM_NONE && nsys->only_pid != process;
    nsys->only_pid = process;
  }
  return TDM_OK;
}

/* Trimmed exports may lack the kernels' process, without which no call is known to have launched
 * them. Where one process made all calls, it is that one. */
static tdm_status find_only_pid(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column column[] = {{"globalTid", TDM_NSYS_INT}};
  const tdm_nsys_source *source = nsys->source;
  bool several = false;
  if (!tdm_nsys_has(nsys, "CUPTI_ACTIVITY_KIND_KERNEL") ||
      source->has_column(source->context, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"))
    return TDM_OK;
  tdm_status status =
      tdm_nsys_scan(nsys, "CUPTI_ACTIVITY_KIND_RUNTIME", column, 1, note_pid, &several, error);
  if (several) nsys->only_pid = TDM_NONE;
  return status;
}

static tdm_status read_described(tdm_nsys *nsys, tdm_error *error) {
  for (size_t s = 0; s < SUBJECTS; s++)
    for (const tdm_nsys_table *each = described[s]; each->name != NULL; each++) {
      tdm_status status = tdm_nsys_table_read(nsys, each, error);
      if (status != TDM_OK) return status;
    }
  return TDM_OK;
}

static tdm_status read_others(tdm_nsys *nsys, tdm_error *error) {
  const tdm_nsys_source *source = nsys->source;
  size_t count = source->tables(source->context);
  for (size_t i = 0; i < count; i++) {
    const char *table = source->table(source->context, i);
    if (is_known(table)) continue;
    tdm_status status = tdm_nsys_unknown_read(nsys, table, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

bool tdm_nsys_is_export(const tdm_nsys_source *source) {
  static const char *const signs[] = {"StringIds",
                                      "META_DATA_EXPORT",
                                      "EXPORT_META_DATA",
                                      "META_DATA_CAPTURE",
                                      "TARGET_INFO_GPU",
                                      "TARGET_INFO_SYSTEM_ENV",
                                      "NVTX_EVENTS",
                                      "CUPTI_ACTIVITY_KIND_KERNEL",
                                      "CUPTI_ACTIVITY_KIND_MEMCPY",
                                      "CUPTI_ACTIVITY_KIND_RUNTIME",
                                      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (source->has_table(source->context, signs[i])) return true;
  return false;
}

tdm_status tdm_nsys_read(const tdm_nsys_source *source, const tdm_read_options *options,
                         tdm_recorder *recorder, tdm_error *error) {
  tdm_nsys *nsys = tdm_array_new(1, sizeof *nsys);
  if (nsys == NULL) return tdm_nsys_memory(error);
  nsys->source = source;
  nsys->options = options;
  nsys->recorder = recorder;
  nsys->last_ns = nsys->only_pid = TDM_NONE;
  size_t tables = source->tables(source->context);
  for (size_t i = 0; i < tables; i++)
    nsys->rows_total += source->rows(source->context, source->table(source->context, i));
  tdm_status status = tdm_nsys_strings_load(nsys, error);
  if (status == TDM_OK) status = tdm_nsys_target_read(nsys, error);
  if (status == TDM_OK) status = find_only_pid(nsys, error);
  for (size_t i = 0; i < TDM_NSYS_BLOCK; i++) {
    nsys->none[i] = TDM_NONE;
    nsys->only_pids[i] = nsys->only_pid;
  }
  if (status == TDM_OK) status = read_described(nsys, error);
  if (status == TDM_OK) status = tdm_nsys_events_read(nsys, error);
  if (status == TDM_OK) status = tdm_nsys_samples_read(nsys, error);
  if (status == TDM_OK) status = tdm_nsys_nvtx_read(nsys, error);
  if (status == TDM_OK) status = tdm_nsys_metrics_read(nsys, error);
  if (status == TDM_OK) status = read_others(nsys, error);
  tdm_nsys_open_end(nsys); /* of what was read, in any case */
  tdm_nsys_open_free(nsys);
  tdm_nsys_strings_free(&nsys->strings);
  tdm_nsys_words_free(nsys);
  tdm_nsys_tracks_free(nsys);
  free(nsys);
  return status;
}
