/* What an export says besides its events: its schema, the capture, processes, threads, GPUs,
 * streams and the words of its numbers. See inside.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/nsys/inside.h"

#define GLOBAL_VM (INT64_C(1) << 48)

static int64_t pid_of(int64_t global) {
  return global >> 24 & 0xffffff;
}

/* The fact `key` of any source; NULL: not said. */
static const char *fact(const tdm_to_nsys_out *out, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(out->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

/* ---- enumerations ---- */

static tdm_status put_enums(tdm_to_nsys_out *out) {
  tdm_status status = TDM_OK;
  for (int e = 0; e < NSYS_ENUMS && status == TDM_OK; e++) {
    char sql[160];
    sqlite3_stmt *insert = NULL;
    snprintf(sql, sizeof sql,
             "CREATE TABLE %s(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
             tdm_to_nsys_enums[e].table);
    status = tdm_to_nsys_run(out, sql);
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?,?,?)", tdm_to_nsys_enums[e].table);
    if (status == TDM_OK) status = tdm_to_nsys_prepare(out, sql, &insert);
    for (size_t i = 0; i < tdm_to_nsys_enums[e].count && status == TDM_OK; i++) {
      const tdm_to_nsys_word *word = &tdm_to_nsys_enums[e].words[i];
      sqlite3_bind_int64(insert, 1, word->id);
      sqlite3_bind_text(insert, 2, word->name, -1, SQLITE_STATIC);
      sqlite3_bind_text(insert, 3, word->label, -1, SQLITE_STATIC);
      status = tdm_to_nsys_step(out, insert);
    }
    sqlite3_finalize(insert);
  }
  return status;
}

/* ---- schema and capture ---- */

static tdm_status put_pair(tdm_to_nsys_out *out, sqlite3_stmt *insert, const char *name,
                           const char *value) {
  sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 2, value, -1, SQLITE_STATIC);
  return tdm_to_nsys_step(out, insert);
}

static tdm_status put_schema(tdm_to_nsys_out *out) {
  static const char *const pairs[][2] = {{"EXPORT_SCHEMA_VERSION", "3.25.0"},
                                         {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
                                         {"EXPORT_SCHEMA_VERSION_MINOR", "25"},
                                         {"EXPORT_SCHEMA_VERSION_MICRO", "0"}};
  sqlite3_stmt *insert = NULL;
  char product[80];
  tdm_status status =
      tdm_to_nsys_run(out, "CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT)");
  if (status == TDM_OK)
    status = tdm_to_nsys_prepare(out, "INSERT INTO META_DATA_EXPORT VALUES(?,?)", &insert);
  const char *version = out->options != NULL ? out->options->version : NULL;
  snprintf(product, sizeof product, "tandem %.64s", version != NULL ? version : "");
  if (status == TDM_OK) status = put_pair(out, insert, "EXPORT_PRODUCT_NAME", product);
  for (size_t i = 0; i < 4 && status == TDM_OK; i++)
    status = put_pair(out, insert, pairs[i][0], pairs[i][1]);
  sqlite3_finalize(insert);
  return status;
}

/* Whether it is a capture at all: a simulation's says so. */
static tdm_status put_capture(tdm_to_nsys_out *out) {
  sqlite3_stmt *insert = NULL;
  const char *origin = fact(out, "captured_from");
  tdm_status status =
      tdm_to_nsys_run(out, "CREATE TABLE META_DATA_CAPTURE(name TEXT NOT NULL, value TEXT)");
  if (status == TDM_OK && origin != NULL)
    status = tdm_to_nsys_prepare(out, "INSERT INTO META_DATA_CAPTURE VALUES(?,?)", &insert);
  if (status == TDM_OK && origin != NULL) status = put_pair(out, insert, "CAPTURED_FROM", origin);
  sqlite3_finalize(insert);
  return status;
}

static tdm_status put_clock(tdm_to_nsys_out *out) {
  char sql[400];
  const tdm_source *source = tdm_recording_source(out->recording, 0);
  int64_t duration_ns, utc_ns;
  if (__builtin_sub_overflow(out->last_ns, out->first_ns, &duration_ns)) duration_ns = INT64_MAX;
  tdm_status status = tdm_to_nsys_run(
      out, "CREATE TABLE ANALYSIS_DETAILS(globalVid INTEGER NOT NULL, duration INTEGER "
           "NOT NULL, startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL)");
  snprintf(sql, sizeof sql, "INSERT INTO ANALYSIS_DETAILS VALUES(%lld,%lld,%lld,%lld)",
           (long long)GLOBAL_VM, (long long)duration_ns, (long long)out->first_ns,
           (long long)out->last_ns);
  if (status == TDM_OK) status = tdm_to_nsys_run(out, sql);
  /* Of the run's clock: a source's zero lies at its offset on it. */
  if (status != TDM_OK || source == NULL || source->utc_ns == TDM_NONE ||
      __builtin_sub_overflow(source->utc_ns, source->offset_ns, &utc_ns))
    return status;
  snprintf(sql, sizeof sql,
           "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, "
           "localTime TEXT, systemClockNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME "
           "VALUES(%lld, NULL, NULL, NULL)",
           (long long)utc_ns);
  return tdm_to_nsys_run(out, sql);
}

/* ---- processes and threads ---- */

/* "python (4312)" without the number. */
static size_t name_length(const tdm_track *track) {
  const char *end = strrchr(track->process, '(');
  if (track->pid == TDM_NONE || end == NULL || end == track->process || end[-1] != ' ')
    return strlen(track->process);
  return (size_t)(end - track->process) - 1;
}

/* "thread 4313 pt_autograd_0" without the word and the number; NULL: it has no name. */
static const char *thread_name(const tdm_track *track) {
  int end = 0;
  long long tid;
  if (sscanf(track->name, "thread %lld%n", &tid, &end) < 1) return track->name;
  while (track->name[end] == ' ') end++;
  return track->name[end] != 0 ? track->name + end : NULL;
}

static tdm_status put_process(tdm_to_nsys_out *out, sqlite3_stmt *insert, uint32_t track) {
  const tdm_track *about = tdm_recording_track(out->recording, track);
  int64_t global = out->tracks.track[track].global_pid;
  sqlite3_bind_int64(insert, 1, global);
  sqlite3_bind_int64(insert, 2, pid_of(global));
  sqlite3_bind_text64(insert, 3, about->process, name_length(about), SQLITE_STATIC, SQLITE_UTF8);
  return tdm_to_nsys_step(out, insert);
}

static tdm_status put_thread(tdm_to_nsys_out *out, sqlite3_stmt *insert, sqlite3_stmt *string,
                             uint32_t track) {
  const char *name = thread_name(tdm_recording_track(out->recording, track));
  if (name == NULL) return TDM_OK;
  sqlite3_bind_int64(string, 1, ++out->strings);
  sqlite3_bind_text(string, 2, name, -1, SQLITE_STATIC);
  tdm_status status = tdm_to_nsys_step(out, string);
  sqlite3_bind_int64(insert, 1, out->strings);
  sqlite3_bind_int64(insert, 2, out->tracks.track[track].global_tid);
  return status == TDM_OK ? tdm_to_nsys_step(out, insert) : status;
}

static tdm_status put_processes(tdm_to_nsys_out *out) {
  sqlite3_stmt *process = NULL, *thread = NULL;
  tdm_status status = tdm_to_nsys_run(
      out, "CREATE TABLE PROCESSES(globalPid INTEGER UNIQUE, pid INTEGER, name TEXT); "
           "CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, "
           "globalTid INTEGER UNIQUE)");
  if (status == TDM_OK)
    status = tdm_to_nsys_prepare(out, "INSERT OR IGNORE INTO PROCESSES VALUES(?,?,?)", &process);
  if (status == TDM_OK)
    status =
        tdm_to_nsys_prepare(out, "INSERT OR IGNORE INTO ThreadNames VALUES(?,NULL,?)", &thread);
  for (uint32_t t = 0; t < out->tracks.count && status == TDM_OK; t++) {
    const tdm_track *track = tdm_recording_track(out->recording, t);
    if (track == NULL || (track->kind != TDM_TRACK_THREAD && track->kind != TDM_TRACK_PROCESS))
      continue;
    status = put_process(out, process, t);
    if (status == TDM_OK && track->kind == TDM_TRACK_THREAD)
      status = put_thread(out, thread, out->put_string, t);
  }
  sqlite3_finalize(process);
  sqlite3_finalize(thread);
  return status;
}

/* ---- GPUs ---- */

/* Columns of TARGET_INFO_GPU and the facts that fill them. */
static const struct {
  const char *column, *key;
  bool text;
} gpu_columns[] = {
    {"name", "name", true},
    {"busLocation", "bus", true},
    {"isDiscrete", "discrete", false},
    {"l2CacheSize", "l2_bytes", false},
    {"totalMemory", "memory_bytes", false},
    {"memoryBandwidth", "memory_bytes_per_s", false},
    {"clockRate", "clock_hz", false},
    {"smCount", "sm_count", false},
    {"pwGpuId", "perfworks_id", false},
    {"uuid", "uuid", true},
    {"chipName", "chip", true},
    {"cuDevice", "cuda_device", false},
    {"constantMemory", "constant_bytes", false},
    {"maxIPC", "max_ipc", false},
    {"maxRegistersPerBlock", "registers_per_block", false},
    {"maxShmemPerBlock", "shared_bytes_per_block", false},
    {"maxShmemPerBlockOptin", "shared_bytes_per_block_optin", false},
    {"maxShmemPerSm", "shared_bytes_per_sm", false},
    {"maxRegistersPerSm", "registers_per_sm", false},
    {"threadsPerWarp", "threads_per_warp", false},
    {"asyncEngines", "async_engines", false},
    {"maxWarpsPerSm", "warps_per_sm", false},
    {"maxBlocksPerSm", "blocks_per_sm", false},
    {"maxThreadsPerBlock", "threads_per_block", false},
};
enum { GPU_COLUMNS = sizeof gpu_columns / sizeof *gpu_columns };

/* "H100 #0" without the number, where no fact says it. */
static void bind_heading(sqlite3_stmt *insert, int at, const tdm_track *track) {
  const char *end = strrchr(track->process, '#');
  size_t length = end != NULL && end > track->process && end[-1] == ' '
                      ? (size_t)(end - track->process) - 1
                      : strlen(track->process);
  sqlite3_bind_text64(insert, at, track->process, length, SQLITE_STATIC, SQLITE_UTF8);
}

static tdm_status put_gpu(tdm_to_nsys_out *out, sqlite3_stmt *insert, const tdm_track *track) {
  sqlite3_bind_int64(insert, 1, 1);
  sqlite3_bind_int64(insert, 2, track->device);
  for (int i = 0; i < GPU_COLUMNS; i++) {
    char key[96];
    snprintf(key, sizeof key, "gpu.%lld.%s", (long long)track->device, gpu_columns[i].key);
    const char *value = fact(out, key);
    if (value == NULL && i == 0)
      bind_heading(insert, 3, track);
    else if (value == NULL)
      sqlite3_bind_null(insert, i + 3);
    else if (gpu_columns[i].text)
      sqlite3_bind_text(insert, i + 3, value, -1, SQLITE_STATIC);
    else
      sqlite3_bind_int64(insert, i + 3, strtoll(value, NULL, 10));
  }
  return tdm_to_nsys_step(out, insert);
}

static tdm_status open_gpus(tdm_to_nsys_out *out, sqlite3_stmt **insert) {
  char create[1600], put[256];
  size_t length = (size_t)snprintf(create, sizeof create,
                                   "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER UNIQUE");
  size_t marks =
      (size_t)snprintf(put, sizeof put, "INSERT OR IGNORE INTO TARGET_INFO_GPU VALUES(?,?");
  for (int i = 0; i < GPU_COLUMNS; i++) {
    length += (size_t)snprintf(create + length, sizeof create - length, ", %s %s",
                               gpu_columns[i].column, gpu_columns[i].text ? "TEXT" : "INTEGER");
    marks += (size_t)snprintf(put + marks, sizeof put - marks, ",?");
  }
  snprintf(create + length, sizeof create - length, ")");
  snprintf(put + marks, sizeof put - marks, ")");
  tdm_status status = tdm_to_nsys_run(out, create);
  return status == TDM_OK ? tdm_to_nsys_prepare(out, put, insert) : status;
}

static tdm_status put_gpu_track(tdm_to_nsys_out *out, uint32_t track,
                                sqlite3_stmt *const insert[3]) {
  const tdm_track *about = tdm_recording_track(out->recording, track);
  int64_t pid = pid_of(out->tracks.track[track].global_pid);
  tdm_status status = put_gpu(out, insert[0], about);
  sqlite3_bind_int64(insert[1], 1, about->device);
  sqlite3_bind_int64(insert[1], 2, pid);
  if (status == TDM_OK) status = tdm_to_nsys_step(out, insert[1]);
  if (status != TDM_OK || about->stream == TDM_NONE) return status;
  sqlite3_bind_int64(insert[2], 1, about->stream);
  sqlite3_bind_int64(insert[2], 2, pid);
  tdm_to_nsys_bind(insert[2], 3, about->context);
  return tdm_to_nsys_step(out, insert[2]);
}

static tdm_status put_gpus(tdm_to_nsys_out *out) {
  sqlite3_stmt *insert[3] = {0};
  tdm_status status = tdm_to_nsys_run(
      out, "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid "
           "TEXT, numMultiprocessors INTEGER, UNIQUE(cudaId, pid));"
           "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId INTEGER, hwId INTEGER, vmId INTEGER, "
           "processId INTEGER, contextId INTEGER, priority INTEGER, flag INTEGER)");
  if (status == TDM_OK) status = open_gpus(out, &insert[0]);
  if (status == TDM_OK)
    status = tdm_to_nsys_prepare(
        out, "INSERT OR IGNORE INTO TARGET_INFO_CUDA_DEVICE VALUES(?1, ?1, ?2, NULL, NULL)",
        &insert[1]);
  if (status == TDM_OK)
    status = tdm_to_nsys_prepare(
        out, "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(?1, 0, 1, ?2, ?3, NULL, 0)", &insert[2]);
  for (uint32_t t = 0; t < out->tracks.count && status == TDM_OK; t++) {
    const tdm_track *track = tdm_recording_track(out->recording, t);
    if (track != NULL && track->device != TDM_NONE &&
        (track->kind == TDM_TRACK_STREAM || track->kind == TDM_TRACK_DEVICE))
      status = put_gpu_track(out, t, insert);
  }
  for (int i = 0; i < 3; i++) sqlite3_finalize(insert[i]);
  return status;
}

tdm_status tdm_to_nsys_target_put(tdm_to_nsys_out *out) {
  tdm_status status = put_enums(out);
  if (status == TDM_OK) status = put_schema(out);
  if (status == TDM_OK) status = put_capture(out);
  if (status == TDM_OK) status = put_clock(out);
  if (status == TDM_OK) status = put_processes(out);
  if (status == TDM_OK) status = put_gpus(out);
  return status;
}
