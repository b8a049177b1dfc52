/* Nsight Systems exports made by hand, and every row of theirs with every argument. The pages of
 * SQLite files read without SQLite, against what SQLite itself says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/rng.h"
#include "read/nsys/sqlite.h"
#include "records_as_text.h"

static void sql(sqlite3 *database, const char *text) {
  char *message = NULL;
  if (sqlite3_exec(database, text, NULL, NULL, &message) != SQLITE_OK)
    fail_msg("%s: %s", text, message);
}

static sqlite3 *begin_file(const char *first) {
  sqlite3 *database;
  const char *path = scratch_path(".sqlite");
  unlink(path);
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  sql(database, first);
  sql(database, "BEGIN");
  return database;
}

static tdm_recording *read_file(sqlite3 *database) {
  sql(database, "COMMIT");
  sqlite3_close(database);
  tdm_recording *got = read_path(&tdm_reader_nsys_sqlite, scratch_path(".sqlite"));
  unlink(scratch_path(".sqlite"));
  return got;
}

/* Process 5, its threads 5 and 6, as nsys writes them: (vm << 48) | (pid << 24) | tid. */
#define PID    "(5 << 24)"
#define THREAD "(5 << 24 | 6)"

static void every_column_is_an_argument_of_its_row(void **state) {
  (void)state;
  static const char *const want[] = {
      "async sync 2000+1000 'context_synchronize' correlation=12 kind=t'context_synchronize' "
      "event=0 [GPU #0 | GPU | device GPU pid=5 device=0]",
      "async sync 400+100 'stream_synchronize' correlation=13 kind=t'stream_synchronize' event=0 "
      "[GPU #0 | stream 7 | stream GPU pid=5 device=0 context=1 stream=7]",
      "async sync 500+100 'event_synchronize' correlation=14 kind=t'event_synchronize' event=9 "
      "event_sync=5 [GPU #0 | stream 7 | stream GPU pid=5 device=0 context=1 stream=7]",
      "instant memory 5+0 'allocation' correlation=30 bytes=256 address=4096 memory_kind=t'device' "
      "kind=t'allocation' context=1 pc=0 [GPU #0 | GPU | device GPU pid=5 device=0]",
      "instant memory 6+0 'deallocation' correlation=31 bytes=256 address=4096 "
      "memory_kind=t'device' kind=t'deallocation' context=1 pc=0 [GPU #0 | GPU | device GPU pid=5 "
      "device=0]",
      "open runtime 3000+1005 'open' correlation=20 [process (5) | thread 6 gemm | thread CPU "
      "pid=5 tid=6]",
      "span driver 80+19 'cuMemcpyHtoDAsync_v2' correlation=8 return_value=2 callchain=3 [process "
      "(5) | thread 6 gemm | thread CPU pid=5 tid=6]",
      "span kernel 1000+500 'void gemm<float>(float*)' correlation=10 short_name=t'gemm' "
      "mangled_name=t'_Z4gemm' launch_type=t'regular' cache_config=t'none' registers_per_thread=32 "
      "grid_x=4 grid_y=5 grid_z=6 block_x=128 block_y=2 block_z=1 static_shared_bytes=16 "
      "dynamic_shared_bytes=48 local_bytes_per_thread=8 local_bytes=4096 grid_id=99 "
      "executed_shared_bytes=65536 shared_limit_config=t'default' [GPU #1 | stream 7 | stream GPU "
      "pid=5 device=1 context=2 stream=7]",
      "span kernel 2000+0 'zero' correlation=11 short_name=t'gemm' mangled_name=t'_Z4gemm' "
      "registers_per_thread=0 grid_x=1 grid_y=1 grid_z=1 block_x=1 block_y=1 block_z=1 "
      "static_shared_bytes=0 dynamic_shared_bytes=0 local_bytes_per_thread=0 local_bytes=0 "
      "grid_id=0 executed_shared_bytes=0 shared_limit_config=t'optin' graph_node=77 [GPU #1 | "
      "stream 7 | stream GPU pid=5 device=1 context=2 stream=7]",
      "span memcpy 100+100 'Memcpy HtoD' correlation=8 bytes=4096 kind=t'HtoD' "
      "src_kind=t'pageable' dst_kind=t'device' copies=1 [GPU #0 | stream 7 | stream GPU pid=5 "
      "device=0 context=1 stream=7]",
      "span memcpy 300+50 'Memcpy PtoP' correlation=9 bytes=65536 kind=t'PtoP' src_kind=t'device' "
      "dst_kind=t'device' src_device=0 src_context=1 dst_device=3 dst_context=4 graph_node=88 "
      "address=4096 copies=2 [GPU #0 | stream 7 | stream GPU pid=5 device=0 context=1 stream=7]",
      "span memcpy 300+50 'Memcpy UVM HtoD' correlation=9 bytes=0 kind=t'UVM HtoD' "
      "src_kind=t'managed' dst_kind=t'managed' migration_cause=t'page_fault' address=0 [GPU #0 | "
      "stream 8 | stream GPU pid=5 device=0 context=1 stream=8]",
      "span memset 50+10 'Memset' correlation=7 bytes=64 value=255 kind=t'device' [GPU #0 | stream "
      "7 | stream GPU pid=5 device=0 context=1 stream=7]",
      "span osrt 10+10 'zero' return_value=5 nesting_level=1 [process (5) | thread 6 gemm | thread "
      "CPU pid=5 tid=6]",
      "span runtime 4000+1 'last dense' correlation=21 return_value=0 [process (5) | thread 6 gemm "
      "| thread CPU pid=5 tid=6]",
      "span runtime 4001+1 'sparse' correlation=22 return_value=0 [process (5) | thread 6 gemm | "
      "thread CPU pid=5 tid=6]",
      "span runtime 4002+1 'negative' correlation=23 return_value=0 [process (5) | thread 6 gemm | "
      "thread CPU pid=5 tid=6]",
      "span runtime 4003+1 'huge' correlation=24 return_value=0 [process (5) | thread 6 gemm | "
      "thread CPU pid=5 tid=6]",
      "span runtime 4004+1 'string 65537' correlation=25 return_value=0 [process (5) | thread 6 "
      "gemm | thread CPU pid=5 tid=6]",
      "span runtime 900+50 'cudaLaunchKernel' correlation=10 return_value=0 [process (5) | thread "
      "6 gemm | thread CPU pid=5 tid=6]",
  };
  sqlite3 *db = begin_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  sql(db,
      "INSERT INTO StringIds VALUES (0,'zero'),(1,'void gemm<float>(float*)'),(2,'gemm'),"
      "(3,'_Z4gemm'),(4,'cudaLaunchKernel_v7000'),(5,'cuMemcpyHtoDAsync_v2'),(6,'open'),"
      "(65535,'last dense'),(65536,'sparse'),(-1,'negative'),(4611686018427387904,'huge');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
      " correlationId, globalPid, demangledName, shortName, mangledName, launchType, cacheConfig,"
      " registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,"
      " dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId,"
      " sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,1500,1,2,7,10," PID
      ",1,2,3,1,0,32,4,5,6,128,2,1,16,48,8,4096,99,65536,NULL,0),"
      "(2000,2000,1,2,7,11," PID ",0,2,3,NULL,NULL,0,1,1,1,1,1,1,0,0,0,0,0,0,77,1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId,"
      " correlationId, globalPid, bytes, copyKind, srcKind, dstKind, srcDeviceId, srcContextId,"
      " dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress, copyCount);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (100,200,0,1,7,8," PID
      ",4096,1,0,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1),"
      "(300,350,0,1,7,9," PID ",65536,10,2,2,0,1,3,4,NULL,88,4096,2),"
      "(300,350,0,1,8,9," PID ",0,11,4,4,NULL,NULL,NULL,NULL,2,NULL,0,NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId,"
      " correlationId, globalPid, value, bytes, graphNodeId, memKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (50,60,0,1,7,7," PID ",255,64,NULL,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId,"
      " streamId, correlationId, globalPid, syncType, eventId, eventSyncId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
      " (2000,3000,0,1,4294967295,12," PID ",4,0,NULL),(400,500,0,1,7,13," PID ",3,0,NULL),"
      "(500,600,0,1,7,14," PID ",1,9,5);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
      " correlationId, nameId, returnValue, callchainId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900,950,0," THREAD ",10,4,0,NULL),"
      "(80,99,1," THREAD ",8,5,2,3),(3000,NULL,0," THREAD ",20,6,NULL,NULL),"
      "(4000,4001,0," THREAD ",21,65535,0,NULL),(4001,4002,0," THREAD ",22,65536,0,NULL),"
      "(4002,4003,0," THREAD ",23,-1,0,NULL),(4003,4004,0," THREAD
      ",24,4611686018427387904,0,NULL),"
      "(4004,4005,0," THREAD ",25,65537,0,NULL);"
      "CREATE TABLE MPI_RANKS (globalTid, rank);"
      "INSERT INTO MPI_RANKS VALUES (" THREAD ",0);"
      "CREATE TABLE OSRT_API (start, end, eventClass, globalTid, correlationId, nameId, "
      "returnValue,"
      " nestingLevel, callchainId);"
      "INSERT INTO OSRT_API VALUES (10,20,27," THREAD ",1,0,5,1,NULL);"
      "CREATE TABLE ThreadNames (nameId, priority, globalTid);"
      "INSERT INTO ThreadNames VALUES (2,10," THREAD ");"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address,"
      " pc, bytes, memKind, memoryOperationType, name, correlationId, streamId,"
      " localMemoryPoolAddress);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (5," PID
      ",0,1,4096,0,256,2,0,NULL,30,7,NULL),"
      "(6," PID ",0,1,4096,0,256,2,1,NULL,31,7,NULL)");
  tdm_recording *got = read_file(db);
  assert_rows(got, sizeof want / sizeof *want, want);
  assert_int_equal(problem_count(got, "names whose text is not in the file"), 1);
  assert_int_equal(problem_count(got, "events without an end"), 1);
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(got, &count);
  assert_int_equal(count, 1);
  assert_string_equal(facts[0].key, "mpi.rank.5");
  assert_string_equal(facts[0].value, "0");
  assert_int_equal(tdm_recording_source(got, 0)->rank, 0);
  tdm_recording_free(got);
}

/* What is not there is no fact. The capability is said by two pairs of columns, either of which may
 * lack a part. */
static void gpus_are_facts(void **state) {
  (void)state;
  static const char *const want[] = {
      "gpu.0.name=A",     "gpu.0.sm_count=132",           "gpu.0.compute_capability=9.0",
      "gpu.1.sm_count=0", "gpu.1.compute_capability=8.6", "gpu.2.compute_capability=7.5",
      "gpu.2.discrete=1", "gpu.2.memory_bytes=1024"};
  sqlite3 *db = begin_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                           "CREATE TABLE TARGET_INFO_GPU (id, name, smCount, totalMemory,"
                           " isDiscrete, computeMajor, computeMinor, smMajor, smMinor)");
  sql(db, "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A', 132, NULL, NULL, 9, 0, 8, 6),"
          "(1, '', 0, NULL, NULL, 9, NULL, 8, 6), (2, NULL, NULL, 1024, 1, NULL, 0, 7, 5),"
          "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 5), (NULL, 'B', 1, 1, 1, 1, 1, 1, 1)");
  tdm_recording *got = read_file(db);
  size_t count, found = 0;
  const tdm_fact *facts = tdm_recording_facts(got, &count);
  for (size_t i = 0; i < count; i++) {
    char text[200];
    snprintf(text, sizeof text, "%s=%s", facts[i].key, facts[i].value);
    for (size_t w = 0; w < sizeof want / sizeof *want; w++) found += strcmp(text, want[w]) == 0;
  }
  assert_int_equal(found, sizeof want / sizeof *want);
  assert_int_equal(count, found);
  tdm_recording_free(got);
}

/* More streams than are remembered at once, in any order. */
static void every_row_lies_on_the_stream_that_it_names(void **state) {
  (void)state;
  enum { ROWS = 4000 };
  sqlite3 *db = begin_file(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId,"
      " globalPid, bytes)");
  tdm_rng rng = {5};
  static int64_t key[ROWS][4];
  for (int i = 0; i < ROWS; i++) {
    char text[200];
    static const uint64_t sizes[] = {5, 3, 3, 6};
    for (int k = 0; k < 4; k++) key[i][k] = (int64_t)tdm_index_below(tdm_rng_bits(&rng), sizes[k]);
    snprintf(text, sizeof text,
             "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (%d, %d, %d, %d, %d, %d << 24, 1)", i,
             i + 1, (int)key[i][1], (int)key[i][2], (int)key[i][3], 7 + (int)key[i][0]);
    sql(db, text);
  }
  tdm_recording *got = read_file(db);
  size_t seen = 0;
  for (uint32_t l = 0; l < tdm_recording_layouts(got); l++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, l);
    for (size_t r = 0; r < rows->count; r++, seen++) {
      const int64_t *want = key[tdm_kept(rows, TDM_START, r)];
      const tdm_track *place = tdm_recording_track(got, (uint32_t)tdm_kept(rows, TDM_TRACK, r));
      assert_int_equal(place->pid, 7 + want[0]);
      assert_int_equal(place->device, want[1]);
      assert_int_equal(place->context, want[2]);
      assert_int_equal(place->stream, want[3]);
    }
  }
  assert_int_equal(seen, ROWS);
  assert_int_equal(tdm_recording_tracks(got), 5 * 3 * 3 * 6);
  tdm_recording_free(got);
}

/* Numbers of another type are converted, what is no number is not there. */
static void numbers_are_taken_from_columns_of_any_type(void **state) {
  (void)state;
#define MEMSET(at, value)                                                                          \
  "span memset " at "+1 'Memset' bytes=64" value " [GPU #0 | stream 7 | stream GPU pid=5 "         \
  "device=0 context=1 stream=7]"
  static const char *const want[] = {MEMSET("1", " value=2"),
                                     MEMSET("10", " value=255"),
                                     MEMSET("11", " value=0"),
                                     MEMSET("12", " value=1"),
                                     MEMSET("2", " value=-2"),
                                     MEMSET("3", " value=9223372036854775807"),
                                     MEMSET("4", " value=-9223372036854775807"),
                                     MEMSET("5", ""),
                                     MEMSET("6", ""),
                                     MEMSET("7", ""),
                                     MEMSET("8", " value=-140737488355328"),
                                     MEMSET("9", " value=-8388608")};
  for (int through = 0; through < 2; through++) { /* a default is known to SQLite alone */
    sqlite3 *db = begin_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    char text[200];
    snprintf(text, sizeof text,
             "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId,"
             " globalPid, bytes, value%s)",
             through ? ", more DEFAULT 1" : "");
    sql(db, text);
    sql(db,
        "WITH v(at, value) AS (VALUES (1, 2.9), (2, -2.9), (3, 1e300), (4, -1e300), (5, 'x'),"
        "(6, NULL), (7, x'41'), (8, -140737488355328), (9, -8388608), (10, 255), (11, 0), (12, 1))"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET"
        " (start, end, deviceId, contextId, streamId, globalPid, bytes, value)"
        " SELECT at, at + 1, 0, 1, 7, " PID ", 64, value FROM v");
    tdm_recording *got = read_file(db);
    assert_rows(got, sizeof want / sizeof *want, want);
    tdm_recording_free(got);
  }
}

/* The rank of a file, where all its processes say the same. */
static void a_file_has_the_rank_that_its_processes_agree_on(void **state) {
  (void)state;
  static const struct {
    const char *ranks;
    int64_t rank;
    size_t facts;
  } cases[] = {{"(" THREAD ",3)", 3, 1},
               {"(" THREAD ",0),(6 << 24,0)", 0, 2},
               {"(" THREAD ",3),(6 << 24,4)", TDM_NONE, 2},
               {"(" THREAD ",3),(6 << 24,4),(7 << 24,3)", TDM_NONE, 3},
               {"(" THREAD ",-1)", TDM_NONE, 0},
               {"(NULL,1),(" THREAD ",NULL)", TDM_NONE, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    sqlite3 *db = begin_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                             "CREATE TABLE MPI_RANKS (globalTid, rank)");
    snprintf(text, sizeof text, "INSERT INTO MPI_RANKS VALUES %s", cases[i].ranks);
    sql(db, text);
    tdm_recording *got = read_file(db);
    size_t count;
    tdm_recording_facts(got, &count);
    assert_int_equal(count, cases[i].facts);
    assert_int_equal(tdm_recording_source(got, 0)->rank, cases[i].rank);
    tdm_recording_free(got);
  }
}

/* Kernels without a process are of the one that made all calls, if one did. */
static void kernels_without_a_process_belong_to_the_only_one(void **state) {
  (void)state;
  static const struct {
    const char *calls, *place;
  } cases[] = {
      {"(1,2," THREAD ",1,1),(2,3,5 << 24 | 9,2,1)",
       "[GPU #0 | stream 7 | stream GPU pid=5 device=0 stream=7]"},
      {"(1,2," THREAD ",1,1),(2,3,6 << 24 | 9,2,1)",
       "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"},
      {"(1,2," THREAD ",1,1),(2,3,6 << 24 | 9,2,1),(3,4,6 << 24 | 9,2,1)",
       "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"},
      {"(1,2,NULL,1,1),(1,2," THREAD ",1,1)",
       "[GPU #0 | stream 7 | stream GPU pid=5 device=0 stream=7]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200], want[200];
    sqlite3 *db = begin_file(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES (1,'k');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,shortName);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5,9,0,7,1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,correlationId,nameId)");
    snprintf(text, sizeof text, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES %s",
             cases[i].calls);
    sql(db, text);
    tdm_recording *got = read_file(db);
    lines all = lines_of(got);
    snprintf(want, sizeof want, "span kernel 5+4 'k' short_name=t'k' %s", cases[i].place);
    assert_string_equal(all.line[0], want);
    lines_free(&all);
    tdm_recording_free(got);
  }
}

/* ---- pages read without SQLite ---- */

/* Values of every width, sign and type in an integer's column; texts on many pages. */
static void fill(sqlite3 *database, const char *more, int rows, int longest) {
  char text[400];
  snprintf(text, sizeof text,
           "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT%s);"
           "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, int64Value,"
           " doubleValue, category%s)",
           more, more);
  sql(database, text);
  tdm_rng rng = {11};
  sqlite3_stmt *insert;
  assert_int_equal(sqlite3_prepare_v2(database,
                                      "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,"
                                      "int64Value,doubleValue,category) VALUES (?,?,59,?,?,?,?,?)",
                                      -1, &insert, NULL),
                   SQLITE_OK);
  char *name = malloc((size_t)longest + 1);
  for (int i = 0; i < rows; i++) {
    int width = (int)tdm_index_below(tdm_rng_bits(&rng), 64);
    int64_t number = (int64_t)(tdm_rng_bits(&rng) >> width);
    if (number == TDM_NONE || i % 3 == 0) number = -(number >> 1);
    int length = i % 50 == 0 ? (int)tdm_index_below(tdm_rng_bits(&rng), (uint64_t)longest) : i % 20;
    memset(name, 'a' + i % 26, (size_t)length);
    sqlite3_bind_int64(insert, 1, i < 200 ? i : i * INT64_C(1000000007));
    sqlite3_bind_double(insert, 2, i * 1000000007.0 + i); /* whole numbers as doubles */
    sqlite3_bind_text(insert, 3, name, length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(insert, 4, 5 << 24 | (i % 3));
    if (i % 2 == 0)
      sqlite3_bind_int64(insert, 5, number);
    else
      sqlite3_bind_null(insert, 5);
    if (i % 2 == 1)
      sqlite3_bind_double(insert, 6, i % 4 == 1 ? (double)number / 3 : (double)(i % 7));
    else
      sqlite3_bind_null(insert, 6);
    if (i % 5 == 0)
      sqlite3_bind_text(insert, 7, "no number", -1, SQLITE_STATIC);
    else
      sqlite3_bind_int64(insert, 7, i % 5 - 1);
    assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sql(database, "DELETE FROM NVTX_EVENTS WHERE rowid % 11 = 3");
  free(name);
}

/* Pages may keep bytes at their ends for others (checksums, keys), which no row reaches into. */
static void reserved_bytes_of_pages_are_left_alone(void **state) {
  (void)state;
  static const int reserved[] = {1, 32, 255};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    tdm_recording *got[2];
    for (int through = 0; through < 2; through++) {
      int bytes = reserved[i];
      sqlite3 *db = begin_file("PRAGMA page_size=1024");
      sql(db, "ROLLBACK");
      assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes),
                       SQLITE_OK);
      sql(db, "BEGIN");
      fill(db, through ? ", more DEFAULT 1" : "", 1000, 3000);
      got[through] = read_file(db);
    }
    assert_same_rows(got[0], got[1]);
    assert_true(rows_count(got[0]) > 900);
    for (int through = 0; through < 2; through++) tdm_recording_free(got[through]);
  }
}

static void rows_from_the_pages_are_those_that_sqlite_gives(void **state) {
  (void)state;
  static const struct {
    const char *page;
    int rows, longest;
  } cases[] = {{"PRAGMA page_size=512", 4000, 3000},   {"PRAGMA page_size=1024", 3000, 1100},
               {"PRAGMA page_size=4096", 3000, 20000}, {"PRAGMA page_size=65536", 9000, 200000},
               {"PRAGMA page_size=512", 1, 10},        {"PRAGMA page_size=512", 0, 10}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sqlite3 *db = begin_file(cases[i].page);
    fill(db, "", cases[i].rows, cases[i].longest);
    tdm_recording *got = read_file(db);
    db = begin_file(cases[i].page);
    fill(db, ", more DEFAULT 1", cases[i].rows, cases[i].longest); /* which only SQLite knows */
    tdm_recording *want = read_file(db);
    assert_same_rows(got, want);
    assert_int_equal(rows_count(got), cases[i].rows - (cases[i].rows + 8) / 11);
    tdm_recording_free(got);
    tdm_recording_free(want);
  }
}

/* What is behind a long text and before it is read; the text itself ends early. */
static void long_texts_are_not_held_whole(void **state) {
  (void)state;
  static const char *const pages[] = {"PRAGMA page_size=512", "PRAGMA page_size=65536"};
  for (size_t i = 0; i < 2; i++) {
    sqlite3 *db = begin_file(pages[i]);
    sql(db, "CREATE TABLE t (a INTEGER, b TEXT, c, d TEXT, e INTEGER, f TEXT)");
    sql(db,
        "INSERT INTO t VALUES (7,'short','not asked','x',-3,NULL),"
        "(300,hex(zeroblob(4000000)),zeroblob(3000000),'behind',-70000,hex(zeroblob(3000000)))");
    sqlite3_stmt *root;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_master", -1, &root, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(root), SQLITE_ROW);
    tdm_sqlite_table about = {sqlite3_column_int64(root, 0), -1, 6};
    sqlite3_finalize(root);
    sql(db, "COMMIT");
    sqlite3_close(db);
    int fd = open(scratch_path(".sqlite"), O_RDONLY);
    const tdm_nsys_column columns[] = {{"a", TDM_NSYS_INT},
                                       {"b", TDM_NSYS_TEXT},
                                       {"d", TDM_NSYS_TEXT},
                                       {"e", TDM_NSYS_INT},
                                       {"f", TDM_NSYS_TEXT}};
    const int at[] = {0, 1, 3, 4, 5};
    tdm_sqlite_scan *scan = tdm_sqlite_scan_open(fd, &about, columns, at, 5);
    tdm_nsys_block block;
    assert_int_equal(tdm_sqlite_scan_next(scan, &block), TDM_OK);
    assert_int_equal(block.count, 2);
    assert_int_equal(block.column[0].integer[1], 300);
    assert_int_equal(block.column[1].text[0].length, 5);
    assert_int_equal(block.column[1].text[1].length, TDM_NSYS_TEXT_BYTES);
    for (size_t byte = 0; byte < TDM_NSYS_TEXT_BYTES; byte++)
      if (block.column[1].text[1].bytes[byte] != '0') fail_msg("byte %zu", byte);
    assert_int_equal(block.column[2].text[1].length, 6);
    assert_memory_equal(block.column[2].text[1].bytes, "behind", 6);
    assert_int_equal(block.column[3].integer[0], -3);
    assert_int_equal(block.column[3].integer[1], -70000);
    assert_null(block.column[4].text[0].bytes);
    assert_int_equal(block.column[4].text[1].length, TDM_NSYS_TEXT_BYTES);
    tdm_sqlite_scan_close(scan);
    close(fd);
    unlink(scratch_path(".sqlite"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_column_is_an_argument_of_its_row),
      cmocka_unit_test(gpus_are_facts),
      cmocka_unit_test(every_row_lies_on_the_stream_that_it_names),
      cmocka_unit_test(numbers_are_taken_from_columns_of_any_type),
      cmocka_unit_test(a_file_has_the_rank_that_its_processes_agree_on),
      cmocka_unit_test(kernels_without_a_process_belong_to_the_only_one),
      cmocka_unit_test(reserved_bytes_of_pages_are_left_alone),
      cmocka_unit_test(rows_from_the_pages_are_those_that_sqlite_gives),
      cmocka_unit_test(long_texts_are_not_held_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
