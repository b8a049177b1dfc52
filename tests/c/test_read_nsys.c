/* Nsight Systems exports: counts and sums of real files as the sqlite3 shell says them, every
 * schema from 2.9.1 on, what is refused and what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "nsys_fixture.h"

static char folder[] = "/tmp/tandem-nsys-test-XXXXXX";
static char target[96];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(target, sizeof target, "%s/t.sqlite", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const names[] = {"t.sqlite", "t.sqlite-wal", "t.sqlite-shm",
                                      "nsys",     "t.nsys-rep",   "arguments"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

static reading read_well(const char *path) {
  reading r = read_path(path);
  if (r.status != TDM_OK) fail_msg("%s", r.error.message);
  return r;
}

static void assert_total(const tdm_recording *recording, const char *category, size_t rows,
                         int64_t duration_ns) {
  total sum = total_of(recording, category, -1, NULL);
  assert_int_equal(sum.rows, rows);
  assert_int_equal(sum.duration_ns, duration_ns);
}

static void assert_refused(const char *path, const char *part) {
  reading r = read_path(path);
  assert_int_equal(r.status, TDM_INVALID);
  if (strstr(r.error.message, part) == NULL) fail_msg("%s", r.error.message);
  assert_null(strchr(r.error.message, '\n'));
  reading_free(&r);
}

/* ---- real files ---- */

/* sqlite3 FILE "select count(*), sum(end-start) from TABLE" */
static void a_real_export_has_the_rows_that_sqlite_counts(void **state) {
  (void)state;
  copy_export("h100_cut.sqlite.gz", target);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  assert_total(t, "kernel", 434, 8387588);
  assert_total(t, "memcpy", 118, 208138958);
  assert_total(t, "memset", 20, 26880);
  assert_total(t, "sync", 32, 51647);
  assert_total(t, "overhead", 56, 193120802);
  assert_total(t, "nvtx", 2132, 425039253);
  total runtime = total_of(t, "runtime", -1, NULL), driver = total_of(t, "driver", -1, NULL);
  assert_int_equal(runtime.rows + driver.rows, 768);
  assert_int_equal(runtime.duration_ns + driver.duration_ns, 197533847);
  const tdm_source *source = tdm_recording_source(t, 0);
  assert_string_equal(source->detail, "schema 3.25.0, nsys 2026.2.1");
  assert_int_equal(source->utc_ns, 1779630014975716426);
  assert_string_equal(fact_in(t, "export.schema_version"), "3.25.0");
  assert_int_equal(total_of(t, "runtime", -1, "cudaLaunchKernel_v7000").rows, 0);
  assert_true(total_of(t, "runtime", -1, "cudaLaunchKernel").rows > 0);
  reading_free(&r);
}

static void tracks_bear_the_names_of_processes_threads_and_gpus(void **state) {
  (void)state;
  copy_export("mock.sqlite.gz", target);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  found_row kernel = find_row(t, "kernel", NULL), call = find_row(t, "runtime", NULL);
  const tdm_track *stream = track_in(t, kernel), *thread = track_in(t, call);
  assert_string_equal(stream->process, "NVIDIA GeForce RTX 3080 #0");
  assert_string_equal(stream->name, "stream 7");
  assert_int_equal(stream->kind, TDM_TRACK_STREAM);
  assert_int_equal(stream->pid, 91186);
  assert_int_equal(stream->device, 0);
  assert_int_equal(stream->context, 1);
  assert_int_equal(stream->stream, 7);
  assert_string_equal(thread->process, "python (91186)");
  assert_string_equal(thread->name, "thread 91186 python");
  assert_int_equal(thread->tid, 91186);
  assert_int_equal(rows_of(t, "runtime"), 8);
  assert_int_equal(rows_of(t, "driver"), 1); /* cuModuleGetLoadingMode: class 1 */
  assert_string_equal(fact_in(t, "gpu.0.name"), "NVIDIA GeForce RTX 3080");
  assert_string_equal(fact_in(t, "gpu.0.compute_capability"), "8.6");
  assert_string_equal(fact_in(t, "gpu.0.sm_count"), "68");
  assert_string_equal(fact_in(t, "gpu.0.memory_bytes"), "10736893952");
  assert_string_equal(fact_in(t, "host.name"), "DESKTOP-KBEMEQS");
  assert_string_equal(fact_in(t, "host.device_display_name"), "DESKTOP-KBEMEQS");
  assert_string_equal(fact_in(t, "capture.cuda_graph_trace_options.mode"), "Graph");
  assert_int_equal(problem_in(t, "warnings and errors of the profiler (facts diagnostic.N)"), 1);
  reading_free(&r);
}

static void kernels_keep_all_their_columns(void **state) {
  (void)state;
  copy_export("mock.sqlite.gz", target);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  found_row kernel = find_row(t, "kernel", NULL);
  assert_string_equal(text_in(t, kernel, "short_name"), "vectorized_elementwise_kernel");
  assert_non_null(strstr(text_in(t, kernel, "mangled_name"), "_ZN2at6native29"));
  assert_string_equal(text_in(t, kernel, "launch_type"), "regular");
  assert_int_equal(number_in(kernel, "correlation"), 143);
  assert_int_equal(number_in(kernel, "registers_per_thread"), 16);
  assert_int_equal(number_in(kernel, "grid_x"), 1);
  assert_int_equal(number_in(kernel, "block_x"), 128);
  assert_int_equal(number_in(kernel, "local_bytes"), 95813632);
  assert_int_equal(number_in(kernel, "executed_shared_bytes"), 16384);
  found_row copy = find_row(t, "memcpy", NULL);
  assert_string_equal(text_in(t, copy, "kind"), "DtoH");
  assert_string_equal(text_in(t, copy, "src_kind"), "device");
  assert_string_equal(text_in(t, copy, "dst_kind"), "pinned"); /* 1: not CUPTI's pageable */
  assert_int_equal(number_in(copy, "bytes"), 4);
  reading_free(&r);
}

static void an_export_cut_to_a_few_columns_is_read(void **state) {
  (void)state;
  reading r = read_well(EXPORTS "healthy_1pct.sqlite");
  assert_total(r.recording, "kernel", 400, 400000000);
  assert_total(r.recording, "runtime", 400, 1000000);
  /* The kernels do not say their process; only one made calls, so that calls join kernels. */
  assert_int_equal(track_in(r.recording, find_row(r.recording, "kernel", NULL))->pid,
                   track_in(r.recording, find_row(r.recording, "runtime", NULL))->pid);
  reading_free(&r);
}

static void an_export_without_events_has_no_rows(void **state) {
  (void)state;
  copy_export("no_gpu_rows.sqlite.gz", target);
  reading r = read_well(target);
  const tdm_source *source = tdm_recording_source(r.recording, 0);
  assert_int_equal(source->rows, 0);
  assert_string_equal(source->detail, "no schema version");
  assert_int_equal(source->utc_ns, 1677605638978958656);
  reading_free(&r);
}

/* Sums of a statistic of `nsys stats`, by name: Total Time in column 2, Instances in 3, Name last.
 */
static void assert_statistics(const tdm_recording *recording, const char *category,
                              const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[8192];
  size_t lines = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    long long duration_ns;
    unsigned long long rows;
    int at = 0;
    if (sscanf(line, "%*f,%lld,%llu,%n", &duration_ns, &rows, &at) < 2 || at == 0) continue;
    char *name = line + at;
    for (int commas = 0; commas < 5 && name != NULL; commas++)
      name = strchr(name, ',') != NULL ? strchr(name, ',') + 1 : NULL;
    assert_non_null(name);
    name[strcspn(name, "\r\n")] = 0;
    if (name[0] == '"') {
      name++;
      name[strlen(name) - 1] = 0;
    }
    total sum = total_of(recording, category, -1, name);
    if (sum.rows != rows || sum.duration_ns != duration_ns) fail_msg("%s", name);
    lines++;
  }
  fclose(file);
  assert_true(lines > 20);
}

static void a_whole_capture_agrees_with_nsys_stats(void **state) {
  (void)state;
  const char *data = getenv("TANDEM_DATA");
  if (data == NULL) {
    print_message("TANDEM_DATA is not set: the whole capture is not compared\n");
    skip();
  }
  char path[512];
  snprintf(path, sizeof path, "%s/nsys/h100_2gpu_1s.sqlite", data);
  reading r = read_well(path);
  const tdm_recording *t = r.recording;
  assert_total(t, "kernel", 3442, 44829522);
  assert_total(t, "memcpy", 904, 1841630798 + 39203544 + 7872); /* …gpu_mem_time_sum.csv */
  assert_total(t, "memset", 22, 29216);
  assert_int_equal(rows_of(t, "runtime") + rows_of(t, "driver"), 5796);
  assert_int_equal(rows_of(t, "nvtx"), 16782);
  assert_int_equal(rows_of(t, "sync"), 244);
  assert_int_equal(total_of(t, "memcpy", -1, "Memcpy HtoD").duration_ns, 1841630798);
  assert_int_equal(total_of(t, "memcpy", -1, "Memcpy DtoD").duration_ns, 39203544);
  assert_int_equal(total_of(t, "memcpy", -1, "Memcpy DtoH").duration_ns, 7872);
  assert_int_equal(total_of(t, "runtime", -1, "cudaStreamSynchronize").duration_ns, 856929451);
  assert_int_equal(total_of(t, "runtime", -1, "cudaLaunchKernelExC").duration_ns, 422539482);
  snprintf(path, sizeof path, "%s/expected/nsys_h100_2gpu_1s/s_cuda_gpu_kern_sum.csv", data);
  assert_statistics(t, "kernel", path);
  reading_free(&r);
}

static void kinds_that_are_not_wanted_are_left_out(void **state) {
  (void)state;
  copy_export("h100_cut.sqlite.gz", target);
  tdm_read_options options = {.dropped = TDM_READ_NO_API | TDM_READ_NO_NVTX | TDM_READ_NO_OSRT};
  reading r = read_with(target, NULL, &options);
  assert_int_equal(r.status, TDM_OK);
  assert_int_equal(rows_of(r.recording, "kernel"), 434);
  assert_int_equal(rows_of(r.recording, "runtime") + rows_of(r.recording, "nvtx"), 0);
  assert_int_equal(rows_of(r.recording, "sync") + rows_of(r.recording, "overhead"), 0);
  reading_free(&r);
  options.dropped = TDM_READ_NO_GPU;
  r = read_with(target, NULL, &options);
  assert_int_equal(rows_of(r.recording, "kernel"), 0);
  assert_int_equal(rows_of(r.recording, "nvtx"), 2132);
  reading_free(&r);
}

static int stop_soon(void *context, uint64_t done, uint64_t all) {
  int *calls = context;
  assert_true(done <= all);
  return ++*calls > 3;
}

static void reading_stops_when_it_is_told_to(void **state) {
  (void)state;
  int calls = 0;
  copy_export("h100_cut.sqlite.gz", target);
  tdm_read_options options = {.progress = stop_soon, .context = &calls};
  reading r = read_with(target, NULL, &options);
  assert_int_equal(r.status, TDM_INTERRUPTED);
  assert_int_equal(calls, 4);
  reading_free(&r);
}

/* ---- pages and statements ---- */

static void rows_are_the_same_through_sqlite_itself(void **state) {
  (void)state;
  copy_export("h100_cut.sqlite.gz", target);
  reading r = read_well(target);
  uint64_t digest = digest_of(r.recording);
  reading_free(&r);
  sqlite3 *writer; /* a write-ahead log with something in it: pages alone are not the truth */
  assert_int_equal(sqlite3_open(target, &writer), SQLITE_OK);
  sql(writer, "PRAGMA journal_mode=WAL; CREATE TABLE later (x)");
  r = read_well(target);
  assert_int_equal(digest_of(r.recording), digest);
  reading_free(&r);
  sql(writer, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT * FROM CUPTI_ACTIVITY_KIND_MEMSET");
  r = read_well(target);
  assert_total(r.recording, "memset", 40, 2 * 26880);
  reading_free(&r);
  sqlite3_close(writer);
}

static void long_texts_and_tables_without_row_ids_are_read(void **state) {
  (void)state;
  sqlite3 *db = new_file(target);
  sql(db, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT) WITHOUT ROWID;"
          "INSERT INTO StringIds VALUES (7, 'short');"
          "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
          " globalTid INTEGER, textId INTEGER);"
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) "
          "INSERT INTO NVTX_EVENTS SELECT i * 10, i * 10 + 5, 59,"
          " CASE WHEN i % 100 = 0 THEN printf('%.*c', 9000 + i, 'x') END, 1, 7 FROM n");
  save_file(db);
  reading r = read_well(target);
  assert_total(r.recording, "nvtx", 3000, 15000);
  assert_int_equal(total_of(r.recording, "nvtx", -1, "short").rows, 2970);
  size_t longest = 0, length = 0;
  for (uint32_t i = 0; i < tdm_recording_names(r.recording); i++)
    if (tdm_recording_name(r.recording, i, &length) != NULL && length > longest) longest = length;
  assert_int_equal(longest, 9000 + 2900);
  reading_free(&r);
}

/* By SQLite, in less memory than the text has. */
static void long_texts_of_a_file_in_use_are_cut(void **state) {
  (void)state;
  sqlite3 *db = new_file(target);
  sql(db, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
          "INSERT INTO StringIds VALUES (7, 'short'), (8, hex(zeroblob(8500000)));"
          "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
          " globalTid INTEGER, textId INTEGER);"
          "INSERT INTO NVTX_EVENTS VALUES (0, 5, 59, NULL, 1, 7), (10, 15, 59, NULL, 1, 8),"
          " (20, 25, 59, hex(zeroblob(8500000)), 1, NULL), (30, 35, 59, 'last', 1, NULL)");
  save_file(db);
  sqlite3 *writer;
  assert_int_equal(sqlite3_open(target, &writer), SQLITE_OK);
  sql(writer, "PRAGMA journal_mode=WAL; CREATE TABLE later (x)");
  sqlite3_hard_heap_limit64(12 << 20);
  reading r = read_well(target);
  sqlite3_hard_heap_limit64(0);
  sqlite3_close(writer);
  assert_total(r.recording, "nvtx", 4, 20);
  assert_int_equal(total_of(r.recording, "nvtx", -1, "short").rows, 1);
  assert_int_equal(total_of(r.recording, "nvtx", -1, "last").rows, 1);
  assert_int_equal(problem_in(r.recording, "names of more than 1 MiB (cut)"), 2);
  reading_free(&r);
}

/* ---- every schema ---- */

typedef struct {
  const char *version, *product, *meta;
  const char *kernel, *copy, *set, *sync, *call, *nvtx, *overhead;
  const char *launch_enum; /* NULL: no enumerations in the file */
} schema;

#define KERNEL_NAMES                                                                               \
  "correlationId,globalPid,demangledName,shortName,mangledName,launchType,cacheConfig,"            \
  "registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,staticSharedMemory,"                  \
  "dynamicSharedMemory,localMemoryPerThread,localMemoryTotal,gridId,sharedMemoryExecuted,"         \
  "graphNodeId,sharedMemoryLimitConfig"
#define KERNEL_OLD "start,end,deviceId,contextId,streamId," KERNEL_NAMES
#define KERNEL_3_7 "start,end,deviceId,contextId,greenContextId,streamId," KERNEL_NAMES
#define COPY_NAMES                                                                                 \
  "correlationId,globalPid,bytes,copyKind,deprecatedSrcId,srcKind,dstKind,srcDeviceId,"            \
  "srcContextId,dstDeviceId,dstContextId,migrationCause,graphNodeId,virtualAddress"
#define COPY_OLD "start,end,deviceId,contextId,streamId," COPY_NAMES
#define COPY_3_7 "start,end,deviceId,contextId,greenContextId,streamId," COPY_NAMES
#define SET_OLD                                                                                    \
  "start,end,deviceId,contextId,streamId,correlationId,globalPid,value,bytes,graphNodeId,memKind"
#define SET_3_7                                                                                    \
  "start,end,deviceId,contextId,greenContextId,streamId,correlationId,globalPid,value,bytes,"      \
  "graphNodeId,memKind"
#define SYNC_OLD "start,end,deviceId,contextId,streamId,correlationId,globalPid,syncType,eventId"
#define SYNC_3_24                                                                                  \
  "start,end,deviceId,contextId,greenContextId,streamId,correlationId,globalPid,"                  \
  "deprecatedSyncType,syncType,eventId,eventSyncId"
#define CALL_2021 "start,end,globalTid,correlationId,nameId,returnValue"
#define CALL      "start,end,eventClass,globalTid,correlationId,nameId,returnValue,callchainId"
#define NVTX                                                                                       \
  "start,end,eventType,rangeId,category,color,text,globalTid,endGlobalTid,textId,domainId,"        \
  "uint64Value,int64Value,doubleValue,uint32Value,int32Value,floatValue,jsonTextId,jsonText"
#define OVERHEAD_OLD "start,end,globalTid,nameId,returnValue"
#define OVERHEAD_NEW "start,end,globalTid,nameId,overheadType"

/* Columns as research on public exports found them, by schema version. */
static const schema schemas[] = {
    {NULL, NULL, NULL, KERNEL_OLD, COPY_OLD, SET_OLD, SYNC_OLD, CALL_2021, NVTX, OVERHEAD_OLD,
     NULL},
    {"2.9.1", "2022.1.3.3-1c7b5f7", "EXPORT_META_DATA", KERNEL_OLD, COPY_OLD, SET_OLD, SYNC_OLD,
     CALL, NVTX, OVERHEAD_OLD, "ENUM_CUDA_KRENEL_LAUNCH_TYPE"},
    {"3.0.0", "2022.4.2.1-df9881f", "EXPORT_META_DATA", KERNEL_OLD, COPY_OLD, SET_OLD, SYNC_OLD,
     CALL, NVTX, OVERHEAD_OLD, "ENUM_CUDA_KRENEL_LAUNCH_TYPE"},
    {"3.1.2", "2023.1.2.43", "EXPORT_META_DATA", KERNEL_OLD, COPY_OLD, SET_OLD, SYNC_OLD, CALL,
     NVTX, OVERHEAD_OLD, NULL},
    {"3.7.2", "2023.4.4.54", "META_DATA_EXPORT", KERNEL_3_7, COPY_3_7, SET_3_7, SYNC_OLD, CALL,
     NVTX, OVERHEAD_OLD, "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
    {"3.20.3", "2025.3.2.367", "META_DATA_EXPORT", KERNEL_3_7, COPY_3_7, SET_3_7, SYNC_3_24, CALL,
     NVTX, OVERHEAD_OLD, "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
    {"3.24.18", "2026.1.3.1", "META_DATA_EXPORT",
     KERNEL_3_7 ",qmdBulkReleaseDone,qmdPreexitDone,qmdLastCtaDone,graphId,clusterX,clusterY,"
                "clusterZ,clusterSchedulingPolicy,maxPotentialClusterSize,maxActiveClusters,"
                "sharedMemoryRequestedPercentage,tensorSizeMinusOneElements",
     COPY_3_7 ",copyCount", SET_3_7, SYNC_3_24, CALL, NVTX ",binaryData", OVERHEAD_NEW,
     "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
};

static void create(sqlite3 *db, const char *table, const char *columns) {
  char text[2048];
  snprintf(text, sizeof text, "CREATE TABLE %s (\"%s\")", table, "");
  size_t at = (size_t)snprintf(text, sizeof text, "CREATE TABLE %s (", table);
  for (const char *p = columns; *p != 0;) {
    size_t length = strcspn(p, ",");
    at += (size_t)snprintf(text + at, sizeof text - at, "\"%.*s\"%s", (int)length, p,
                           p[length] != 0 ? "," : ")");
    p += length + (p[length] != 0);
  }
  sql(db, text);
}

/* pid 4312, its main thread, as nsys writes them: (vm << 48) | (pid << 24) | tid. */
#define PID "283004823928832" /* 1 << 48 | 91186 << 24 */
#define TID "283004824020018" /* … | 91186 */

static void make_export(const schema *about) {
  sqlite3 *db = new_file(target);
  char text[512];
  sql(db, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
          "INSERT INTO StringIds VALUES (1,'void gemm<float>(float*)'),(2,'gemm'),"
          "(3,'_Z4gemmIfEvPf'),(4,'cudaLaunchKernel_v7000'),(5,'cuMemcpyHtoDAsync_v2'),"
          "(6,'Registered'),(7,'NCCL'),(8,'CUDA profiling initialization')");
  if (about->meta != NULL) {
    create(db, about->meta, "name,value");
    snprintf(text, sizeof text,
             "INSERT INTO %s VALUES ('EXPORT_SCHEMA_VERSION','%s'),('EXPORT_PRODUCT_VERSION','%s')",
             about->meta, about->version, about->product);
    sql(db, text);
  }
  if (about->launch_enum != NULL) {
    create(db, about->launch_enum, "id,name,label");
    snprintf(text, sizeof text,
             "INSERT INTO %s VALUES (1,'CUDA_KERNEL_LAUNCH_TYPE_REGULAR','Regular'),"
             "(2,'CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE','Coop')",
             about->launch_enum);
    sql(db, text);
  }
  create(db, "CUPTI_ACTIVITY_KIND_KERNEL", about->kernel);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId,"
          "correlationId,globalPid,demangledName,shortName,mangledName,launchType,"
          "registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,graphNodeId) VALUES "
          "(1000,1500,0,1,7,10," PID ",1,2,3,2,32,4,5,6,128,1,1,NULL),"
          "(2000,2700,0,1,7,11," PID ",1,2,3,1,32,4,5,6,128,1,1,77)");
  create(db, "CUPTI_ACTIVITY_KIND_MEMCPY", about->copy);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start,end,deviceId,contextId,streamId,"
          "correlationId,globalPid,bytes,copyKind,srcKind,dstKind,migrationCause) VALUES "
          "(100,200,0,1,7,8," PID ",4096,1,0,2,NULL),"
          "(300,350,0,1,7,9," PID ",65536,11,4,4,2)");
  create(db, "CUPTI_ACTIVITY_KIND_MEMSET", about->set);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,contextId,streamId,"
          "correlationId,globalPid,value,bytes,memKind) VALUES (50,60,0,1,7,7," PID ",0,64,2)");
  create(db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", about->sync);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start,end,deviceId,contextId,streamId,"
          "correlationId,globalPid,syncType,eventId) VALUES "
          "(2000,3000,0,1,4294967295,12," PID ",4,0),(400,500,0,1,7,13," PID ",3,0)");
  create(db, "CUPTI_ACTIVITY_KIND_RUNTIME", about->call);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,correlationId,nameId,"
          "returnValue) VALUES (900,950," TID ",10,4,0),(80,99," TID ",8,5,2)");
  create(db, "NVTX_EVENTS", about->nvtx);
  sql(db, "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,textId) VALUES "
          "(10,5000,59,'step 1'," TID ",NULL),(20,NULL,60,NULL," TID ",6)");
  create(db, "PROFILER_OVERHEAD", about->overhead);
  sql(db, "INSERT INTO PROFILER_OVERHEAD (start,end,globalTid,nameId) VALUES (1,9," TID ",8)");
  save_file(db);
}

static void every_schema_is_read_by_looking(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
    make_export(&schemas[i]);
    reading r = read_well(target);
    const tdm_recording *t = r.recording;
    assert_total(t, "kernel", 2, 1200);
    assert_total(t, "memcpy", 2, 150);
    assert_total(t, "memset", 1, 10);
    assert_total(t, "sync", 2, 1100);
    assert_total(t, "overhead", 1, 8);
    assert_int_equal(rows_of(t, "nvtx"), 2);
    found_row first = find_row(t, "kernel", "void gemm<float>(float*)");
    assert_string_equal(text_in(t, first, "launch_type"), "cooperative_single_device");
    assert_int_equal(number_in(first, "grid_z"), 6);
    found_row copy = find_row(t, "memcpy", "Memcpy HtoD");
    assert_string_equal(text_in(t, copy, "src_kind"), "pageable");
    assert_string_equal(text_in(t, copy, "dst_kind"), "device");
    copy = find_row(t, "memcpy", "Memcpy UVM HtoD");
    assert_string_equal(text_in(t, copy, "src_kind"), "managed");
    /* Without a class, the name tells runtime from driver calls; "_v2" is part of one. */
    assert_int_equal(total_of(t, "runtime", -1, "cudaLaunchKernel").rows, 1);
    assert_int_equal(total_of(t, "driver", -1, "cuMemcpyHtoDAsync_v2").rows, 1);
    /* A wait for a context lies on the GPU, one for a stream on the stream. */
    assert_int_equal(track_in(t, find_row(t, "sync", "context_synchronize"))->kind,
                     TDM_TRACK_DEVICE);
    assert_int_equal(track_in(t, find_row(t, "sync", "stream_synchronize"))->stream, 7);
    /* Open until the last time of the file: 5000. */
    assert_int_equal(total_of(t, "nvtx", TDM_SHAPE_OPEN, "Registered").duration_ns, 4980);
    assert_int_equal(problem_in(t, "events without an end (kept as open)"), 1);
    char detail[80];
    snprintf(detail, sizeof detail, "schema %s, nsys %.8s", schemas[i].version,
             schemas[i].product != NULL ? schemas[i].product : "");
    assert_string_equal(tdm_recording_source(t, 0)->detail,
                        schemas[i].version != NULL ? detail : "no schema version");
    reading_free(&r);
  }
}

static void graph_nodes_are_an_argument_of_their_kernels(void **state) {
  (void)state;
  make_export(&schemas[6]);
  reading r = read_well(target);
  size_t with = 0, rows = 0;
  for (uint32_t l = 0; l < tdm_recording_layouts(r.recording); l++) {
    const tdm_layout *layout = tdm_recording_layout(r.recording, l);
    const tdm_kept_rows *of = tdm_recording_rows(r.recording, l);
    uint32_t column = tdm_layout_column(layout, "graph_node");
    if (strcmp(layout->category, "kernel") != 0) continue;
    for (size_t i = 0; i < of->count; i++, rows++)
      if (column != 0 && tdm_kept(of, column, i) == 77) with++;
  }
  assert_int_equal(rows, 2);
  assert_int_equal(with, 1);
  reading_free(&r);
}

/* ---- single tables ---- */

static sqlite3 *begin_export(void) {
  sqlite3 *db = new_file(target);
  sql(db, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  return db;
}

static void a_graph_launched_as_a_whole_is_work_on_its_stream(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
         "start,end,deviceId,contextId,greenContextId,streamId,correlationId,globalPid,graphId,"
         "graphExecId");
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10,110,0,1,NULL,7,5," PID
          ",3,4),(200,250,0,1,NULL,7,6," PID ",9,10)");
  save_file(db);
  reading r = read_well(target);
  assert_total(r.recording, "graph", 2, 150);
  found_row graph = find_row(r.recording, "graph", "CUDA graph 9");
  assert_int_equal(number_in(graph, "graph_id"), 9);
  assert_int_equal(number_in(graph, "correlation"), 6);
  assert_int_equal(track_in(r.recording, graph)->stream, 7);
  reading_free(&r);
}

static void nvtx_ranges_keep_domain_category_color_and_payload(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'registered'),(2,'{\"x\":1}')");
  create(db, "NVTX_EVENTS", NVTX ",binaryData");
  /* The names come behind their use. */
  sql(db,
      "INSERT INTO NVTX_EVENTS (start,end,eventType,text,textId,globalTid,domainId,category,color,"
      "rangeId,endGlobalTid,uint64Value,doubleValue,jsonText,jsonTextId) VALUES "
      "(0,10,59,'ncclAllReduce',NULL," TID ",1,5,4278190335,NULL,NULL,1048576,NULL,NULL,NULL),"
      "(1,9,60,NULL,1," TID ",0,NULL,NULL,33," TID ",NULL,2.5,NULL,NULL),"
      "(2,NULL,34,'mark',NULL," TID ",0,NULL,NULL,NULL,NULL,NULL,NULL,'[1,2]',NULL),"
      "(3,8,59,'json by id',NULL," TID ",0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,2),"
      "(4,7,59,'plain text',NULL," TID ",0,NULL,NULL,NULL,NULL,NULL,NULL,'words',NULL),"
      "(4,7,59,'other domain',NULL," TID ",9,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
      "(4,7,59,'zero',NULL," TID ",0,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL),"
      "(0,NULL,75,'NCCL',NULL," TID ",1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
      "(0,NULL,33,'collective',NULL," TID ",1,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
      "(0,NULL,97,'a device',NULL," TID ",0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)");
  save_file(db);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  assert_int_equal(rows_of(t, "nvtx"), 7);
  found_row range = find_row(t, "nvtx", "zero");
  assert_int_equal(number_in(range, "payload"), 0);
  range = find_row(t, "nvtx", "ncclAllReduce");
  assert_string_equal(text_in(t, range, "domain"), "NCCL");
  assert_string_equal(text_in(t, range, "nvtx_category"), "collective");
  assert_int_equal(number_in(range, "color"), 4278190335);
  assert_int_equal(number_in(range, "payload"), 1048576);
  range = find_row(t, "nvtx", "registered");
  assert_int_equal(range.layout->shape, TDM_SHAPE_ASYNC);
  assert_int_equal(number_in(range, "range"), 33);
  assert_int_equal(number_in(range, "end_tid"), 91186);
  assert_true(tdm_record_double(number_in(range, "payload")) == 2.5);
  range = find_row(t, "nvtx", "mark");
  assert_int_equal(range.layout->shape, TDM_SHAPE_INSTANT);
  assert_string_equal(text_in(t, range, "payload"), "[1,2]");
  assert_int_equal(range.layout->arg[range.layout->args - 1].type, TDM_ARG_JSON);
  assert_string_equal(text_in(t, find_row(t, "nvtx", "json by id"), "payload"), "{\"x\":1}");
  assert_string_equal(text_in(t, find_row(t, "nvtx", "plain text"), "payload"), "words");
  assert_string_equal(text_in(t, find_row(t, "nvtx", "other domain"), "domain"), "domain 9");
  assert_int_equal(problem_in(t, "NVTX events of kinds that are not read"), 1);
  reading_free(&r);
}

static void nvtx_names_categories_and_threads_wherever_they_stand(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'cudaMalloc_v3020')");
  create(db, "CUPTI_ACTIVITY_KIND_RUNTIME", CALL);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,correlationId,nameId) "
          "VALUES (1,2," TID ",1,1)");
  create(db, "NVTX_EVENTS", NVTX);
  sql(db, "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,domainId,category) VALUES "
          "(0,NULL,33,'input'," TID ",NULL,5),(0,NULL,39,'loader'," TID ",NULL,NULL),"
          "(3,8,59,'read'," TID ",NULL,5)");
  save_file(db);
  reading r = read_well(target);
  found_row range = find_row(r.recording, "nvtx", "read");
  assert_string_equal(text_in(r.recording, range, "nvtx_category"), "input");
  assert_string_equal(track_in(r.recording, range)->name, "thread 91186 loader");
  assert_int_equal(tdm_recording_tracks(r.recording), 1);
  reading_free(&r);
}

static void spans_of_a_table_without_ends_are_open(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "start,globalTid,correlationId");
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10," TID ",1),(40," TID ",2)");
  save_file(db);
  reading r = read_well(target);
  assert_int_equal(total_of(r.recording, "runtime", TDM_SHAPE_OPEN, NULL).rows, 2);
  assert_int_equal(problem_in(r.recording, "events without an end (kept as open)"), 2);
  reading_free(&r);
}

static void metrics_are_samples_of_their_gpu(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "TARGET_INFO_GPU_METRICS", "typeId,sourceId,typeName,metricId,metricName");
  sql(db, "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (72057594037927937,1,'t',3,"
          "'SMs Active [Throughput %]'),(72057594037927937,1,'t',4,'GPC Clock Frequency [MHz]')");
  create(db, "GPU_METRICS", "timestamp,typeId,metricId,value");
  sql(db, "INSERT INTO GPU_METRICS VALUES (100,72057594037927937,3,42),"
          "(100,72057594037927937,4,1980),(200,72057594037927937,3,43),"
          "(200,72057594037927937,99,7)");
  create(db, "TARGET_INFO_NETWORK_METRICS", "metricsListId,metricsIdx,name,description,unit");
  sql(db, "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (1,0,'Bytes sent','','B/s')");
  create(db, "NET_NIC_METRIC", "start,end,globalId,metricsListId,metricsIdx,value");
  sql(db, "INSERT INTO NET_NIC_METRIC VALUES (50,60,2,1,0,1000)");
  save_file(db);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  assert_int_equal(rows_of(t, "counter"), 5);
  found_row sample = find_row(t, "counter", "SMs Active [Throughput %]");
  assert_int_equal(sample.layout->shape, TDM_SHAPE_SAMPLE);
  assert_true(tdm_record_double(number_in(sample, "value")) == 42);
  assert_string_equal(text_in(t, sample, "unit"), "%");
  assert_int_equal(track_in(t, sample)->device, 1);
  assert_int_equal(track_in(t, sample)->kind, TDM_TRACK_DEVICE);
  assert_string_equal(text_in(t, find_row(t, "counter", "GPC Clock Frequency [MHz]"), "unit"),
                      "MHz");
  assert_non_null(find_row(t, "counter", "metric 99").layout);
  assert_string_equal(text_in(t, find_row(t, "counter", "Bytes sent"), "unit"), "B/s");
  reading_free(&r);
}

/* Which card a sample is of: a NIC's number is 24 bits of its id, a GPU's eight of its type. */
static void samples_lie_on_their_card(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "GPU_METRICS", "timestamp,typeId,metricId,value");
  sql(db, "INSERT INTO GPU_METRICS VALUES (100,0x7000102,3,42),(200,0x7000102,3,43),"
          "(300,0x7000103,3,44),(NULL,0x7000103,3,45),(400,NULL,3,46)");
  create(db, "NET_NIC_METRIC", "start,end,globalId,metricsListId,metricsIdx,value");
  sql(db, "INSERT INTO NET_NIC_METRIC VALUES (50,60,0x5000002,1,0,1),(60,70,0x5000003,1,0,2),"
          "(70,80,0x5000002,1,1,3),(80,90,NULL,1,0,4),(NULL,90,0x5000002,1,0,5)");
  save_file(db);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  static const struct {
    int64_t time_ns, device;
    double value;
    const char *name, *lane;
  } want[] = {{100, 2, 42, "metric 3", "GPU"},        {200, 2, 43, "metric 3", "GPU"},
              {300, 3, 44, "metric 3", "GPU"},        {400, TDM_NONE, 46, "metric 3", "GPU"},
              {50, TDM_NONE, 1, "metric 0", "NIC 2"}, {60, TDM_NONE, 2, "metric 0", "NIC 3"},
              {70, TDM_NONE, 3, "metric 1", "NIC 2"}, {80, TDM_NONE, 4, "metric 0", "NIC 0"}};
  assert_int_equal(rows_of(t, "counter"), sizeof want / sizeof *want);
  for (uint32_t l = 0; l < tdm_recording_layouts(t); l++) {
    const tdm_layout *layout = tdm_recording_layout(t, l);
    const tdm_kept_rows *rows = tdm_recording_rows(t, l);
    for (size_t i = 0; i < rows->count; i++) {
      found_row sample = {layout, rows, i};
      size_t w = 0;
      while (want[w].time_ns != tdm_kept(rows, TDM_START, i)) w++;
      assert_true(tdm_record_double(number_in(sample, "value")) == want[w].value);
      assert_string_equal(tdm_recording_name(t, (uint32_t)tdm_kept(rows, TDM_NAME, i), NULL),
                          want[w].name);
      assert_int_equal(track_in(t, sample)->device, want[w].device);
      assert_string_equal(track_in(t, sample)->name, want[w].lane);
    }
  }
  assert_int_equal(problem_in(t, "events without a time (dropped)"), 2);
  reading_free(&r);
}

static void events_without_a_time_have_that_of_their_call(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
         "timestamp,deviceId,contextId,greenContextId,streamId,correlationId,globalPid,eventId,"
         "eventSyncId");
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (900,0,1,0,7,20," PID ",3,4),"
          "(0,0,1,0,7,21," PID ",5,6),(NULL,0,1,0,7,99," PID ",7,8)");
  create(db, "CUPTI_ACTIVITY_KIND_RUNTIME", CALL);
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (800,810,0," TID ",20,1,0,NULL),"
          "(850,860,0," TID ",21,1,0,NULL),(851,859,1," TID ",21,1,0,NULL)");
  save_file(db);
  reading r = read_well(target);
  const tdm_kept_rows *rows = find_row(r.recording, "cuda_event", "event record").rows;
  assert_non_null(rows);
  assert_int_equal(rows->count, 2);
  assert_int_equal(tdm_kept(rows, TDM_START, 0), 850);
  assert_int_equal(tdm_kept(rows, TDM_START, 1), 900);
  assert_int_equal(problem_in(r.recording, "events without a time (dropped)"), 1);
  reading_free(&r);
}

static void memory_events_faults_mpi_and_scheduling_are_read(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'MPI_Allreduce'),(2,'ioctl'),(3,'cublasSgemm_v2')");
  create(db, "CUDA_GPU_MEMORY_USAGE_EVENTS",
         "start,globalPid,deviceId,contextId,address,pc,bytes,memKind,memoryOperationType,name,"
         "correlationId");
  sql(db, "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES "
          "(5," PID ",0,1,4096,0,512,2,0,NULL,9),(6," PID ",0,1,4096,0,512,2,1,'weights',10)");
  create(db, "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
         "start,end,globalPid,deviceId,address,numberOfPageFaults,faultAccessType");
  sql(db, "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (7,19," PID ",0,8192,3,2)");
  create(db, "MPI_COLLECTIVES_EVENTS",
         "start,end,globalTid,textId,commHandle,rootRank,size,recvSize,requestHandle");
  sql(db, "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (10,30," TID ",1,1140850688,0,64,64,NULL)");
  create(db, "MPI_RANKS", "globalTid,rank");
  sql(db, "INSERT INTO MPI_RANKS VALUES (" TID ",3)");
  create(db, "OSRT_API",
         "start,end,eventClass,globalTid,nameId,returnValue,nestingLevel,callchainId");
  sql(db, "INSERT INTO OSRT_API VALUES (1,21,27," TID ",2,-1,0,0)");
  create(db, "SCHED_EVENTS", "start,cpu,isSchedIn,globalTid");
  sql(db, "INSERT INTO SCHED_EVENTS VALUES (1,3,1," TID "),(2,3,0," TID ")");
  create(db, "CUBLAS_EVENTS", "start,end,eventClass,globalTid,nameId");
  sql(db, "INSERT INTO CUBLAS_EVENTS VALUES (4,8,29," TID ",3)");
  save_file(db);
  reading r = read_well(target);
  const tdm_recording *t = r.recording;
  assert_int_equal(rows_of(t, "memory"), 2);
  found_row event = find_row(t, "memory", "allocation");
  assert_int_equal(number_in(event, "bytes"), 512);
  assert_string_equal(text_in(t, event, "memory_kind"), "device");
  assert_string_equal(text_in(t, find_row(t, "um", "GPU page fault"), "kind"), "write");
  event = find_row(t, "mpi", "MPI_Allreduce");
  assert_int_equal(number_in(event, "bytes"), 64);
  assert_int_equal(tdm_recording_source(t, 0)->rank, 3);
  assert_int_equal(number_in(find_row(t, "osrt", "ioctl"), "return_value"), -1);
  assert_int_equal(total_of(t, "sched", -1, "sched in").rows, 1);
  assert_int_equal(number_in(find_row(t, "sched", "sched out"), "cpu"), 3);
  assert_int_equal(total_of(t, "cublas", -1, "cublasSgemm_v2").rows, 1);
  reading_free(&r);
}

static void tables_that_nobody_knows_are_read_or_counted(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'acc_upload')");
  create(db, "OPENACC_DATA_EVENTS", "start,end,globalTid,nameId,eventKind");
  sql(db, "INSERT INTO OPENACC_DATA_EVENTS VALUES (5,15," TID ",1,3)");
  create(db, "OSRT_CALLCHAINS", "id,symbol,module,stackDepth");
  sql(db, "INSERT INTO OSRT_CALLCHAINS VALUES (1,1,1,0)");
  create(db, "NO_TIMES", "id,value");
  sql(db, "INSERT INTO NO_TIMES VALUES (1,1)");
  save_file(db);
  reading r = read_well(target);
  assert_total(r.recording, "openacc_data", 1, 10);
  size_t problems;
  tdm_recording_problems(r.recording, &problems);
  assert_int_equal(problems, 1);
  assert_int_equal(problem_in(r.recording, "rows of table OSRT_CALLCHAINS (not read)"), 1);
  reading_free(&r);
}

static void samples_are_instants_named_by_their_stacks(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'main'),(2,'fill(float*)'),(3,'[kernel]')");
  create(db, "COMPOSITE_EVENTS", "id,start,cpu,threadState,globalTid,cpuCycles");
  sql(db, "INSERT INTO COMPOSITE_EVENTS VALUES (7,5,2,0," TID ",100),(8,6,0,0," TID ",100),"
          "(9,7,3,0," TID ",100)");
  create(db, "SAMPLING_CALLCHAINS", "id,symbol,module,stackDepth");
  sql(db, "INSERT INTO SAMPLING_CALLCHAINS VALUES (9,3,1,0),(7,1,1,1),(7,2,1,0)");
  save_file(db);
  reading r = read_well(target);
  found_row row = find_row(r.recording, "sample", "main;fill(float*)");
  assert_int_equal(number_in(row, "cpu"), 2);
  assert_int_equal(total_of(r.recording, "sample", -1, "(no stack)").rows, 1);
  assert_int_equal(total_of(r.recording, "sample", -1, "[kernel]").rows, 1);
  size_t problems;
  tdm_recording_problems(r.recording, &problems);
  assert_int_equal(problems, 0);
  reading_free(&r);
}

/* ---- a source without NULLs, as HDF5 is ---- */

typedef struct {
  const char *table, *columns[20];
  size_t count;
  int64_t rows[2][20];
} plain_table;

static const plain_table plain_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {"start", "end", "deviceId", "contextId", "streamId", "greenContextId", "correlationId",
      "globalPid", "demangledName", "gridX", "graphNodeId"},
     11,
     {{100, 200, 0, 1, 7, 0, 5, 283004823928832, 1, 4, 0},
      {300, 450, 0, 1, 7, 0, 6, 283004823928832, 0, 4, 0}}},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "bytes", "copyKind",
      "srcKind", "dstKind", "srcDeviceId", "migrationCause", "correlationId"},
     13,
     {{10, 20, 0, 1, 7, 283004823928832, 64, 1, 0, 2, 0, 0, 3},
      {30, 40, 0, 1, 7, 283004823928832, 64, 2, 2, 1, 0, 0, 4}}},
    {"NVTX_EVENTS",
     {"start", "end", "eventType", "globalTid", "textId", "domainId", "category", "color",
      "rangeId", "endGlobalTid", "uint64Value", "text", "jsonText", "doubleValue"},
     14,
     {{10, 60, 59, 283004824020018, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {20, 0, 60, 283004824020018, 0, 0, 0, 0, 9, 283004824020018, 0, 0, 0, 0}}},
};
enum { PLAIN_TABLES = sizeof plain_tables / sizeof plain_tables[0] };

struct tdm_nsys_cursor {
  const plain_table *table;
  tdm_nsys_column column[TDM_NSYS_COLUMNS];
  size_t columns;
  bool read;
  int64_t integer[TDM_NSYS_COLUMNS][2];
  double real[TDM_NSYS_COLUMNS][2];
  tdm_nsys_text text[TDM_NSYS_COLUMNS][2];
  tdm_nsys_values values[TDM_NSYS_COLUMNS];
};

static const plain_table *plain_find(const char *table) {
  for (size_t i = 0; i < PLAIN_TABLES; i++)
    if (strcmp(plain_tables[i].table, table) == 0) return &plain_tables[i];
  return NULL;
}

static int plain_column(const plain_table *table, const char *column) {
  for (size_t i = 0; table != NULL && i < table->count; i++)
    if (strcmp(table->columns[i], column) == 0) return (int)i;
  return -1;
}

static size_t plain_count(void *context) {
  (void)context;
  return PLAIN_TABLES;
}
static const char *plain_name(void *context, size_t index) {
  (void)context;
  return plain_tables[index].table;
}
static bool plain_has_table(void *context, const char *table) {
  (void)context;
  return plain_find(table) != NULL;
}
static bool plain_has_column(void *context, const char *table, const char *column) {
  (void)context;
  return plain_column(plain_find(table), column) >= 0;
}
static uint64_t plain_rows(void *context, const char *table) {
  return plain_has_table(context, table) ? 2 : 0;
}

static tdm_status plain_open(void *context, const char *table, const tdm_nsys_column *columns,
                             size_t count, tdm_nsys_cursor **out, tdm_error *error) {
  (void)context;
  (void)error;
  *out = calloc(1, sizeof **out);
  (*out)->table = plain_find(table);
  (*out)->columns = count;
  memcpy((*out)->column, columns, count * sizeof *columns);
  return TDM_OK;
}

static tdm_status plain_next(tdm_nsys_cursor *cursor, tdm_nsys_block *block, tdm_error *error) {
  (void)error;
  for (size_t c = 0; c < cursor->columns; c++) {
    int column = plain_column(cursor->table, cursor->column[c].name);
    for (size_t i = 0; i < 2; i++) {
      cursor->integer[c][i] = column < 0 ? TDM_NONE : cursor->table->rows[i][column];
      cursor->real[c][i] = column < 0 ? NAN : 0;
      cursor->text[c][i] = column < 0 ? (tdm_nsys_text){NULL, 0} : (tdm_nsys_text){"", 0};
    }
    if (cursor->column[c].type == TDM_NSYS_INT)
      cursor->values[c].integer = cursor->integer[c];
    else if (cursor->column[c].type == TDM_NSYS_REAL)
      cursor->values[c].real = cursor->real[c];
    else
      cursor->values[c].text = cursor->text[c];
  }
  *block = (tdm_nsys_block){cursor->read ? 0 : 2, cursor->values};
  cursor->read = true;
  return TDM_OK;
}

static void plain_close(tdm_nsys_cursor *cursor) {
  free(cursor);
}

static void zeros_of_a_source_without_nulls_are_not_there(void **state) {
  (void)state;
  const tdm_nsys_source source = {.path = "plain",
                                  .tables = plain_count,
                                  .table = plain_name,
                                  .has_table = plain_has_table,
                                  .has_column = plain_has_column,
                                  .rows = plain_rows,
                                  .open = plain_open,
                                  .next = plain_next,
                                  .close = plain_close};
  tdm_recording *t = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(t, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_error error;
  assert_true(tdm_nsys_is_export(&source));
  tdm_recorder_begin_source(recorder, "plain", "nsys-hdf5");
  assert_int_equal(tdm_nsys_read(&source, &(tdm_read_options){0}, recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  assert_total(t, "kernel", 2, 250);
  found_row kernel = find_row(t, "kernel", NULL);
  assert_int_equal(number_in(kernel, "graph_node"), TDM_NONE);
  assert_int_equal(number_in(kernel, "green_context"), TDM_NONE);
  assert_int_equal(number_in(kernel, "grid_x"), 4);
  assert_non_null(find_row(t, "kernel", "kernel").layout); /* name 0 */
  found_row copy = find_row(t, "memcpy", "Memcpy HtoD");
  assert_string_equal(text_in(t, copy, "src_kind"), "pageable"); /* 0 is a kind */
  assert_int_equal(number_in(copy, "src_device"), TDM_NONE);
  assert_int_equal(number_in(copy, "migration_cause"), TDM_NONE);
  assert_total(t, "nvtx", 2, 50 + 430);
  assert_int_equal(total_of(t, "nvtx", TDM_SHAPE_OPEN, NULL).duration_ns, 430); /* until 450 */
  for (uint32_t l = 0; l < tdm_recording_layouts(t); l++)
    if (tdm_recording_layout(t, l)->shape == TDM_SHAPE_SPAN &&
        strcmp(tdm_recording_layout(t, l)->category, "nvtx") == 0)
      assert_int_equal(tdm_recording_layout(t, l)->args, 0);
  tdm_recorder_free(recorder);
  tdm_recording_free(t);
}

static void secrets_are_facts_of_their_own_kind_and_no_names(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "META_DATA_CAPTURE", "name,value");
  sql(db, "INSERT INTO META_DATA_CAPTURE VALUES "
          "('PROCESS_0:ENVIRONMENT_VARIABLE','TOKEN=s3cr3t=x'),"
          "('PROCESS_0:ENVIRONMENT_VARIABLE','EMPTY='),"
          "('PROCESS_0:USER_NAME','root'),('CUDA_FLUSH_PERIOD','0')");
  save_file(db);
  reading r = read_well(target);
  assert_string_equal(fact_in(r.recording, "environment.TOKEN"), "s3cr3t=x");
  assert_string_equal(fact_in(r.recording, "environment.EMPTY"), "");
  assert_string_equal(fact_in(r.recording, "host.process_0.user_name"), "root");
  assert_string_equal(fact_in(r.recording, "capture.cuda_flush_period"), "0");
  for (uint32_t i = 0; i < tdm_recording_names(r.recording); i++)
    assert_null(strstr(tdm_recording_name(r.recording, i, NULL), "s3cr3t"));
  reading_free(&r);
}

static void devices_are_cards_whatever_a_process_calls_them(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  sql(db, "INSERT INTO StringIds VALUES (1,'k')");
  create(db, "TARGET_INFO_GPU", "id,name");
  sql(db, "INSERT INTO TARGET_INFO_GPU VALUES (0,'A'),(1,'B')");
  create(db, "TARGET_INFO_CUDA_DEVICE", "gpuId,cudaId,pid");
  sql(db, "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,91186)");
  create(db, "CUPTI_ACTIVITY_KIND_KERNEL",
         "start,end,deviceId,contextId,streamId,globalPid,demangledName");
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,1,7," PID ",1)");
  save_file(db);
  reading r = read_well(target);
  const tdm_track *track = track_in(r.recording, find_row(r.recording, "kernel", "k"));
  assert_string_equal(track->process, "B #1");
  assert_int_equal(track->device, 1);
  reading_free(&r);
}

static void times_that_make_no_sense_are_counted(void **state) {
  (void)state;
  sqlite3 *db = begin_export();
  create(db, "CUPTI_ACTIVITY_KIND_KERNEL",
         "start,end,deviceId,contextId,streamId,globalPid,demangledName");
  sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,50,0,1,7," PID ",17),"
          "(NULL,50,0,1,7," PID ",17),(100,NULL,0,1,7," PID ",17),"
          "(10,400,0,1,7," PID ",17),(-9223372036854775807,9223372036854775807,0,1,7," PID ",17),"
          "(0,'x',0,1,7," PID ",17)");
  save_file(db);
  reading r = read_well(target);
  assert_int_equal(rows_of(r.recording, "kernel"), 5);
  assert_int_equal(problem_in(r.recording, "events without a time (dropped)"), 1);
  assert_int_equal(problem_in(r.recording, "events that end before they start (duration 0)"), 2);
  assert_int_equal(problem_in(r.recording, "events without an end (kept as open)"), 2);
  assert_true(problem_in(r.recording, "names whose text is not in the file (kept by number)") > 0);
  assert_int_equal(total_of(r.recording, "kernel", -1, "string 17").rows, 5);
  reading_free(&r);
}

/* ---- what is no export ---- */

static void other_sqlite_files_are_refused_by_what_they_are(void **state) {
  (void)state;
  sqlite3 *db = new_file(target);
  sql(db, "CREATE TABLE run (id); PRAGMA application_id=0x54444d53");
  save_file(db);
  assert_refused(target, "is a tandem store");
  db = new_file(target);
  sql(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (_id_, start, end, name);"
          "CREATE TABLE StringTable (_id_, value); CREATE TABLE Version (x)");
  save_file(db);
  assert_refused(target, "nvprof");
  db = new_file(target);
  sql(db, "CREATE TABLE moz_places (id, url)");
  save_file(db);
  assert_refused(target, "is an SQLite file, but no Nsight Systems export");
}

static void write_bytes(const char *path, const void *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* Whatever is cut off or overwritten: read in part or refused in one line, never more. */
static void copy_file(const char *from, const char *to) {
  static char bytes[1 << 20];
  FILE *in = fopen(from, "rb");
  assert_non_null(in);
  size_t length = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  write_bytes(to, bytes, length);
}

static void an_export_that_was_broken_off_is_called_so(void **state) {
  (void)state;
  char journal[128], file[128], beside[144];
  snprintf(journal, sizeof journal, "%s-journal", target);
  snprintf(file, sizeof file, "%s/broken.sqlite", folder);
  snprintf(beside, sizeof beside, "%s-journal", file);
  save_file(begin_export());
  sqlite3 *db;
  assert_int_equal(sqlite3_open(target, &db), SQLITE_OK);
  sql(db, "PRAGMA cache_size=1; BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
          "FROM n WHERE i < 500) INSERT INTO StringIds SELECT i, hex(zeroblob(300)) FROM n");
  copy_file(target, file);
  copy_file(journal, beside);
  sqlite3_close(db);
  assert_refused(file, "was not written to its end, as the journal beside it says");
  unlink(file);
  unlink(beside);
}

static void damaged_files_are_refused_in_one_line(void **state) {
  (void)state;
  static unsigned char whole[1 << 17], broken[1 << 17];
  FILE *file = fopen(EXPORTS "healthy_1pct.sqlite", "rb");
  assert_non_null(file);
  size_t length = fread(whole, 1, sizeof whole, file), refused = 0;
  fclose(file);
  assert_true(length > 50000 && length < sizeof whole);
  for (size_t n = 1; n < length; n += n < 4096 ? 97 : 509) {
    write_bytes(target, whole, n);
    reading r = read_with(target, &tdm_reader_nsys_sqlite, &(tdm_read_options){0});
    if (r.status != TDM_OK) {
      refused++;
      assert_null(strchr(r.error.message, '\n'));
      assert_non_null(strstr(r.error.message, target));
    }
    reading_free(&r);
  }
  assert_true(refused > 50);
  uint64_t seed = 88172645463325252u;
  for (size_t round = 0; round < 300; round++) {
    memcpy(broken, whole, length);
    for (size_t k = 0; k < 1 + round % 40; k++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      broken[seed % length] = (unsigned char)(seed >> 40);
    }
    write_bytes(target, broken, length);
    reading r = read_with(target, &tdm_reader_nsys_sqlite, &(tdm_read_options){0});
    if (r.status != TDM_OK) assert_null(strchr(r.error.message, '\n'));
    reading_free(&r);
  }
}

/* ---- reports ---- */

static char report[96], script[96];

static void use_nsys(const char *text) {
  snprintf(report, sizeof report, "%s/t.nsys-rep", folder);
  snprintf(script, sizeof script, "%s/nsys", folder);
  static const char head[] = "NVIDIA Tegra Profiler Report 2026@4@1@191-264138605071v0.\n";
  write_bytes(report, head, sizeof head);
  unlink(script);
  if (text == NULL) return;
  write_bytes(script, text, strlen(text));
  assert_int_equal(chmod(script, 0755), 0);
}

static void reports_are_read_through_nsys(void **state) {
  (void)state;
  char *path = strdup(getenv("PATH")), text[512], with[4096];
  snprintf(text, sizeof text,
           "#!/bin/sh\necho \"$*\" > %s/arguments\nfor a; do [ \"$last\" = --output ] && "
           "out=$a; last=$a; done\ncp " EXPORTS "healthy_1pct.sqlite \"$out\"\n",
           folder);
  use_nsys(text);
  snprintf(with, sizeof with, "%s:%s", folder, path);
  setenv("PATH", with, 1);
  reading r = read_well(report);
  assert_int_equal(rows_of(r.recording, "kernel"), 400);
  assert_string_equal(tdm_recording_source(r.recording, 0)->format, "nsys-rep");
  reading_free(&r);
  char arguments[512] = "", name[128];
  snprintf(name, sizeof name, "%s/arguments", folder);
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  assert_non_null(fgets(arguments, sizeof arguments, file));
  fclose(file);
  assert_non_null(strstr(arguments, "export --type sqlite --output "));
  assert_non_null(strstr(arguments, "--force-overwrite true "));

  char temporary[128];
  snprintf(temporary, sizeof temporary, "%s/temporary", folder);
  assert_int_equal(mkdir(temporary, 0700), 0);
  setenv("TMPDIR", temporary, 1);
  use_nsys("#!/bin/sh\ntouch \"$5\" \"$5-journal\"\necho working >&2\n"
           "echo 'Report was created in a newer version' >&2\nexit 1\n");
  assert_refused(report, "`nsys export` failed: Report was created in a newer version");
  unsetenv("TMPDIR");
  assert_int_equal(rmdir(temporary), 0); /* nothing was left in it */

  use_nsys(NULL);
  setenv("PATH", folder, 1);
  assert_refused(report,
                 "nsys export --type sqlite --output OUT.sqlite --force-overwrite true /tmp/");
  assert_refused(report, "version 2026.4.1");
  setenv("PATH", path, 1);
  free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_real_export_has_the_rows_that_sqlite_counts),
      cmocka_unit_test(tracks_bear_the_names_of_processes_threads_and_gpus),
      cmocka_unit_test(kernels_keep_all_their_columns),
      cmocka_unit_test(an_export_cut_to_a_few_columns_is_read),
      cmocka_unit_test(an_export_without_events_has_no_rows),
      cmocka_unit_test(a_whole_capture_agrees_with_nsys_stats),
      cmocka_unit_test(kinds_that_are_not_wanted_are_left_out),
      cmocka_unit_test(reading_stops_when_it_is_told_to),
      cmocka_unit_test(rows_are_the_same_through_sqlite_itself),
      cmocka_unit_test(long_texts_and_tables_without_row_ids_are_read),
      cmocka_unit_test(long_texts_of_a_file_in_use_are_cut),
      cmocka_unit_test(every_schema_is_read_by_looking),
      cmocka_unit_test(graph_nodes_are_an_argument_of_their_kernels),
      cmocka_unit_test(a_graph_launched_as_a_whole_is_work_on_its_stream),
      cmocka_unit_test(nvtx_ranges_keep_domain_category_color_and_payload),
      cmocka_unit_test(nvtx_names_categories_and_threads_wherever_they_stand),
      cmocka_unit_test(spans_of_a_table_without_ends_are_open),
      cmocka_unit_test(metrics_are_samples_of_their_gpu),
      cmocka_unit_test(samples_lie_on_their_card),
      cmocka_unit_test(events_without_a_time_have_that_of_their_call),
      cmocka_unit_test(memory_events_faults_mpi_and_scheduling_are_read),
      cmocka_unit_test(tables_that_nobody_knows_are_read_or_counted),
      cmocka_unit_test(samples_are_instants_named_by_their_stacks),
      cmocka_unit_test(zeros_of_a_source_without_nulls_are_not_there),
      cmocka_unit_test(secrets_are_facts_of_their_own_kind_and_no_names),
      cmocka_unit_test(devices_are_cards_whatever_a_process_calls_them),
      cmocka_unit_test(times_that_make_no_sense_are_counted),
      cmocka_unit_test(other_sqlite_files_are_refused_by_what_they_are),
      cmocka_unit_test(an_export_that_was_broken_off_is_called_so),
      cmocka_unit_test(damaged_files_are_refused_in_one_line),
      cmocka_unit_test(reports_are_read_through_nsys),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
