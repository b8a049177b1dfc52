/* The capture and its machine: version, clock, processes, GPUs, options, environment → facts, and
 * the names that tracks are headed with. See nsys.h.
 *
 * Keys of facts: "gpu.0.name"; "environment.NAME" for variables of the profiled process and
 * "host.…" for names of machines and users, so that those can be found and taken out; "capture.…",
 * "export.…" and "system.…" for the rest. Their values are no names of the trace. */
#include "read/nsys/nsys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { KEY = 160 };

/* Facts want strings that end; a text need not. */
static void fact_text(tdm_nsys *nsys, const char *key, tdm_nsys_text text) {
  char small[512];
  if (text.bytes == NULL) return;
  char *copy = text.length < sizeof small ? small : malloc(text.length + 1);
  if (copy == NULL) {
    tdm_error error;
    tdm_error_memory(&error, "a fact", text.length);
    tdm_recorder_fail(nsys->recorder, &error);
    return;
  }
  memcpy(copy, text.bytes, text.length);
  copy[text.length] = 0;
  tdm_record_fact(nsys->recorder, key, copy);
  if (copy != small) free(copy);
}

/* "PROCESS_0:WORKING_DIR" → "process_0.working_dir" behind the prefix. */
static void make_key(char key[KEY], const char *prefix, tdm_nsys_text name, bool lower) {
  size_t at = strlen(prefix);
  memcpy(key, prefix, at);
  for (size_t i = 0; i < name.length && at < KEY - 1; i++) {
    unsigned char c = (unsigned char)name.bytes[i];
    key[at++] = c == ':' ? '.' : lower ? (char)tolower(c) : (char)c;
  }
  key[at] = 0;
}

static bool text_is(tdm_nsys_text text, const char *what) {
  return text.length == strlen(what) && memcmp(text.bytes, what, text.length) == 0;
}

static bool ends_with(tdm_nsys_text text, const char *end) {
  size_t n = strlen(end);
  return text.length >= n && memcmp(text.bytes + text.length - n, end, n) == 0;
}

/* ---- version and options ---- */

typedef struct {
  char schema[32], product[32];
} versions;

/* "2026.2.1.204-3655…" → "2026.2.1". */
static void keep_version(char out[32], tdm_nsys_text value) {
  size_t dots = 0, n = 0;
  for (; n < value.length && n < 31; n++) {
    if (value.bytes[n] == '.' && ++dots == 3) break;
    if (value.bytes[n] != '.' && !isalnum((unsigned char)value.bytes[n])) break;
    out[n] = value.bytes[n];
  }
  out[n] = 0;
}

static tdm_status read_export(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                              tdm_error *error) {
  versions *version = context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    tdm_nsys_text name = block->column[0].text[i], value = block->column[1].text[i];
    char key[KEY];
    if (name.bytes == NULL || value.bytes == NULL || value.length == 0) continue;
    if (text_is(name, "EXPORT_SCHEMA_VERSION")) keep_version(version->schema, value);
    if (text_is(name, "EXPORT_PRODUCT_VERSION")) keep_version(version->product, value);
    bool host = text_is(name, "EXPORT_HOST") || text_is(name, "EXPORT_USER");
    if (!host && name.length > 7 && memcmp(name.bytes, "EXPORT_", 7) == 0)
      name = (tdm_nsys_text){name.bytes + 7, name.length - 7};
    make_key(key, host ? "host." : "export.", name, true);
    fact_text(nsys, key, value);
  }
  return TDM_OK;
}

static tdm_status read_capture(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  (void)context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    tdm_nsys_text name = block->column[0].text[i], value = block->column[1].text[i];
    char key[KEY];
    if (name.bytes == NULL || value.bytes == NULL) continue;
    if (ends_with(name, ":ENVIRONMENT_VARIABLE")) {
      const char *equals = memchr(value.bytes, '=', value.length);
      size_t length = equals != NULL ? (size_t)(equals - value.bytes) : value.length;
      make_key(key, "environment.", (tdm_nsys_text){value.bytes, length}, false);
      size_t skip = equals != NULL ? length + 1 : length;
      fact_text(nsys, key, (tdm_nsys_text){value.bytes + skip, value.length - skip});
      continue;
    }
    if (value.length == 0) continue;
    bool host = ends_with(name, "DEVICE_DISPLAY_NAME") || ends_with(name, "USER_NAME") ||
                ends_with(name, "HOST_NAME") || ends_with(name, "HOSTNAME");
    make_key(key, host ? "host." : "capture.", name, true);
    fact_text(nsys, key, value);
  }
  return TDM_OK;
}

static tdm_status read_system(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                              tdm_error *error) {
  (void)context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    tdm_nsys_text name = block->column[0].text[i], value = block->column[1].text[i];
    char key[KEY];
    if (name.bytes == NULL || value.bytes == NULL || value.length == 0) continue;
    if (text_is(name, "Hostname")) {
      fact_text(nsys, "host.name", value);
      continue;
    }
    make_key(key, text_is(name, "SystemUID") ? "host." : "system.", name, false);
    fact_text(nsys, key, value);
  }
  return TDM_OK;
}

static tdm_status read_start(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  (void)context;
  (void)error;
  if (block->count == 0) return TDM_OK;
  int64_t utc_ns = block->column[0].integer[0], system_ns = block->column[3].integer[0];
  if (utc_ns != TDM_NONE && utc_ns > 0) tdm_recorder_utc(nsys->recorder, utc_ns);
  fact_text(nsys, "capture.utc_time", block->column[1].text[0]);
  fact_text(nsys, "capture.local_time", block->column[2].text[0]);
  if (system_ns != TDM_NONE)
    tdm_record_fact_int(nsys->recorder, "capture.system_clock_ns", system_ns);
  return TDM_OK;
}

static tdm_status read_details(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  (void)context;
  (void)error;
  if (block->count > 0 && block->column[0].integer[0] != TDM_NONE)
    tdm_record_fact_int(nsys->recorder, "capture.duration_ns", block->column[0].integer[0]);
  return TDM_OK;
}

/* ---- GPUs ---- */

static const struct {
  const char *column, *key;
  bool text;
} gpu_facts[] = {
    {"name", "name", true},
    {"chipName", "chip", true},
    {"uuid", "uuid", true},
    {"busLocation", "bus", true},
    {"totalMemory", "memory_bytes", false},
    {"memoryBandwidth", "memory_bytes_per_s", false},
    {"clockRate", "clock_hz", false},
    {"smCount", "sm_count", false},
    {"l2CacheSize", "l2_bytes", false},
    {"constantMemory", "constant_bytes", false},
    {"maxIPC", "max_ipc", false},
    {"maxRegistersPerBlock", "registers_per_block", false},
    {"maxRegistersPerSm", "registers_per_sm", false},
    {"maxShmemPerBlock", "shared_bytes_per_block", false},
    {"maxShmemPerBlockOptin", "shared_bytes_per_block_optin", false},
    {"maxShmemPerSm", "shared_bytes_per_sm", false},
    {"threadsPerWarp", "threads_per_warp", false},
    {"asyncEngines", "async_engines", false},
    {"maxWarpsPerSm", "warps_per_sm", false},
    {"maxBlocksPerSm", "blocks_per_sm", false},
    {"maxThreadsPerBlock", "threads_per_block", false},
    {"isDiscrete", "discrete", false},
    {"cuDevice", "cuda_device", false},
    {"pwGpuId", "perfworks_id", false},
};
enum { GPU_FACTS = sizeof gpu_facts / sizeof gpu_facts[0], GPU_COLUMNS = GPU_FACTS + 5 };

static tdm_status read_gpus(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                            tdm_error *error) {
  (void)context;
  const tdm_nsys_values *column = block->column;
  for (size_t i = 0; i < block->count; i++) {
    int64_t id = column[GPU_FACTS].integer[i];
    char key[KEY], text[64];
    if (id == TDM_NONE) continue;
    for (size_t f = 0; f < GPU_FACTS; f++) {
      snprintf(key, sizeof key, "gpu.%lld.%s", (long long)id, gpu_facts[f].key);
      if (gpu_facts[f].text && column[f].text[i].length > 0)
        fact_text(nsys, key, column[f].text[i]);
      else if (!gpu_facts[f].text && column[f].integer[i] != TDM_NONE)
        tdm_record_fact_int(nsys->recorder, key, column[f].integer[i]);
    }
    /* Two pairs of columns say it; either may be missing. */
    for (size_t pair = 1; pair < 5; pair += 2) {
      int64_t major = column[GPU_FACTS + pair].integer[i];
      int64_t minor = column[GPU_FACTS + pair + 1].integer[i];
      if (major == TDM_NONE || minor == TDM_NONE) continue;
      snprintf(text, sizeof text, "%lld.%lld", (long long)major, (long long)minor);
      snprintf(key, sizeof key, "gpu.%lld.compute_capability", (long long)id);
      tdm_record_fact(nsys->recorder, key, text);
      break;
    }
    tdm_nsys_text name = column[0].text[i];
    if (name.length > 0 &&
        !tdm_id_map_put(&nsys->gpus, (uint64_t)id,
                        tdm_record_name(nsys->recorder, name.bytes, name.length)))
      return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

/* CUDA's numbers of devices, by process → GPUs. */
static tdm_status read_devices(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  (void)context;
  for (size_t i = 0; i < block->count; i++) {
    int64_t gpu = block->column[0].integer[i], cuda = block->column[1].integer[i];
    int64_t pid = block->column[2].integer[i];
    if (gpu < 0 || gpu >= TDM_ID_NONE || cuda == TDM_NONE || pid == TDM_NONE) continue;
    if (gpu == 0 && cuda != 0 && !nsys->source->nulls) continue; /* 0 may say "unknown" there */
    if (!tdm_id_map_set(&nsys->devices, (uint64_t)cuda, (uint64_t)pid, (uint32_t)gpu))
      return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

/* ---- processes and threads ---- */

static tdm_status read_processes(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                                 tdm_error *error) {
  (void)context;
  for (size_t i = 0; i < block->count; i++) {
    int64_t global = block->column[0].integer[i], pid = block->column[1].integer[i];
    tdm_nsys_text name = block->column[2].text[i];
    if (global != TDM_NONE && global != 0) pid = tdm_nsys_pid(global);
    if (pid == TDM_NONE || name.length == 0) continue;
    uint32_t id = tdm_record_name(nsys->recorder, name.bytes, name.length);
    if (!tdm_id_map_put(&nsys->processes, (uint64_t)pid, id)) return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

static tdm_status read_threads(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  (void)context;
  for (size_t i = 0; i < block->count; i++) {
    int64_t name_id = block->column[0].integer[i], thread = block->column[1].integer[i];
    if (name_id == TDM_NONE || thread == TDM_NONE) continue;
    tdm_nsys_text text = tdm_nsys_string_text(nsys, name_id);
    if (text.length == 0) continue;
    uint32_t name = tdm_record_name(nsys->recorder, text.bytes, text.length);
    int64_t pid = tdm_nsys_pid(thread);
    bool main = tdm_nsys_tid(thread) == pid;
    if (!tdm_id_map_put(&nsys->threads, (uint64_t)thread, name) ||
        (main && tdm_id_map_get(&nsys->processes, (uint64_t)pid) == TDM_ID_NONE &&
         !tdm_id_map_put(&nsys->processes, (uint64_t)pid, name)))
      return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

static tdm_status read_ranks(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  (void)error;
  int64_t *only = context; /* the one rank of the file; TDM_NONE: none yet; -1: several */
  for (size_t i = 0; i < block->count; i++) {
    int64_t pid = tdm_nsys_pid(block->column[0].integer[i]), rank = block->column[1].integer[i];
    char key[KEY];
    if (pid == TDM_NONE || rank == TDM_NONE || rank < 0) continue;
    snprintf(key, sizeof key, "mpi.rank.%lld", (long long)pid);
    tdm_record_fact_int(nsys->recorder, key, rank);
    *only = *only == TDM_NONE || *only == rank ? rank : -1;
  }
  return TDM_OK;
}

static tdm_status read_diagnostics(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                                   tdm_error *error) {
  size_t *number = context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    int64_t severity = block->column[0].integer[i];
    tdm_nsys_text text = block->column[1].text[i];
    if (text.bytes == NULL) continue;
    char key[KEY], line[1024];
    const char *word =
        severity == TDM_NONE
            ? "unknown"
            : tdm_recorder_name(nsys->recorder, tdm_nsys_word_of(nsys, TDM_NSYS_SEVERITY, severity),
                                NULL);
    if (word == NULL) return TDM_OK; /* the recorder has failed */
    snprintf(key, sizeof key, "diagnostic.%zu", (*number)++);
    int shown = text.length < 900 ? (int)text.length : 900;
    snprintf(line, sizeof line, "%.60s: %.*s", word, shown, text.bytes);
    tdm_record_fact(nsys->recorder, key, line);
    if (strcmp(word, "warning") == 0 || strcmp(word, "error") == 0)
      tdm_record_problem(nsys->recorder, "warnings and errors of the profiler (facts diagnostic.N)",
                         1);
  }
  return TDM_OK;
}

/* ---- all of them ---- */

static tdm_status read_versions(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column pair[] = {{"name", TDM_NSYS_TEXT}, {"value", TDM_NSYS_TEXT}};
  versions version = {"", ""};
  tdm_status status =
      tdm_nsys_scan(nsys, "EXPORT_META_DATA", pair, 2, read_export, &version, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "META_DATA_EXPORT", pair, 2, read_export, &version, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "META_DATA_CAPTURE", pair, 2, read_capture, NULL, error);
  char detail[96] = "no schema version";
  if (version.schema[0] != 0) snprintf(detail, sizeof detail, "schema %s", version.schema);
  if (version.product[0] != 0)
    snprintf(detail + strlen(detail), sizeof detail - strlen(detail), ", nsys %s", version.product);
  tdm_recorder_detail(nsys->recorder, detail);
  return status;
}

static tdm_status read_machine(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column pair[] = {{"name", TDM_NSYS_TEXT}, {"value", TDM_NSYS_TEXT}};
  static const tdm_nsys_column start[] = {{"utcEpochNs", TDM_NSYS_INT},
                                          {"utcTime", TDM_NSYS_TEXT},
                                          {"localTime", TDM_NSYS_TEXT},
                                          {"systemClockNs", TDM_NSYS_INT}};
  static const tdm_nsys_column details[] = {{"duration", TDM_NSYS_INT}};
  static const tdm_nsys_column devices[] = {
      {"gpuId", TDM_NSYS_INT}, {"cudaId", TDM_NSYS_INT}, {"pid", TDM_NSYS_INT}};
  tdm_nsys_column gpus[GPU_COLUMNS];
  for (size_t f = 0; f < GPU_FACTS; f++)
    gpus[f] =
        (tdm_nsys_column){gpu_facts[f].column, gpu_facts[f].text ? TDM_NSYS_TEXT : TDM_NSYS_INT};
  static const char *const numbers[] = {"id", "computeMajor", "computeMinor", "smMajor", "smMinor"};
  for (size_t f = 0; f < 5; f++) gpus[GPU_FACTS + f] = (tdm_nsys_column){numbers[f], TDM_NSYS_INT};
  tdm_status status =
      tdm_nsys_scan(nsys, "TARGET_INFO_SESSION_START_TIME", start, 4, read_start, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "ANALYSIS_DETAILS", details, 1, read_details, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "TARGET_INFO_SYSTEM_ENV", pair, 2, read_system, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "TARGET_INFO_GPU", gpus, GPU_COLUMNS, read_gpus, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "TARGET_INFO_CUDA_DEVICE", devices, 3, read_devices, NULL, error);
  return status;
}

tdm_status tdm_nsys_target_read(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column processes[] = {
      {"globalPid", TDM_NSYS_INT}, {"pid", TDM_NSYS_INT}, {"name", TDM_NSYS_TEXT}};
  static const tdm_nsys_column threads[] = {{"nameId", TDM_NSYS_INT}, {"globalTid", TDM_NSYS_INT}};
  static const tdm_nsys_column ranks[] = {{"globalTid", TDM_NSYS_INT}, {"rank", TDM_NSYS_INT}};
  static const tdm_nsys_column diagnostics[] = {{"severity", TDM_NSYS_INT},
                                                {"text", TDM_NSYS_TEXT}};
  int64_t rank = TDM_NONE;
  size_t number = 0;
  tdm_status status = read_versions(nsys, error);
  if (status == TDM_OK) status = read_machine(nsys, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "PROCESSES", processes, 3, read_processes, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "ThreadNames", threads, 2, read_threads, NULL, error);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, "MPI_RANKS", ranks, 2, read_ranks, &rank, error);
  if (status == TDM_OK)
    status =
        tdm_nsys_scan(nsys, "DIAGNOSTIC_EVENT", diagnostics, 2, read_diagnostics, &number, error);
  if (rank != TDM_NONE && rank >= 0) tdm_recorder_rank(nsys->recorder, rank);
  return status;
}
