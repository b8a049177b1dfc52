/* read/rocprof/rocpd: one recording in the three layouts of its schema, made from the published
 * column names; the rows that the database's own views leave out; two recordings in a file; what
 * is not taken; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "read/reader.h"
#include "records_as_text.h"

typedef enum { IN_ROW, IN_TRACK, IN_TIMESTAMP } layout;

static char path[64];

static void run(sqlite3 *database, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *sql = sqlite3_vmprintf(format, arguments), *message = NULL;
  va_end(arguments);
  if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
    fail_msg("%s: %s", message, sql);
  sqlite3_free(sql);
}

static sqlite3 *new_database(void) {
  sqlite3 *database;
  strcpy(path, "/tmp/tandem-rocpd-XXXXXX");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  run(database, "PRAGMA synchronous=OFF");
  return database;
}

/* The tables that say what others number. */
static void make_tables(sqlite3 *db, const char *s, const char *guid, int64_t pid, layout kind) {
  run(db, "CREATE TABLE rocpd_metadata%s(id INTEGER PRIMARY KEY,tag TEXT,value TEXT)", s);
  run(db, "INSERT INTO rocpd_metadata%s VALUES(1,'schema_version','%d')", s,
      3 + (kind == IN_TRACK));
  run(db, "CREATE TABLE rocpd_string%s(id INTEGER PRIMARY KEY,guid TEXT,string TEXT)", s);
  run(db,
      "INSERT INTO rocpd_string%s VALUES(1,%Q,'HIP_RUNTIME_API_EXT'),(2,%Q,'hipLaunchKernel'),"
      "(3,%Q,'MEMORY_COPY_HOST_TO_DEVICE'),(4,%Q,'MARKER_CORE_API'),(5,%Q,'roctxThreadRangeA')",
      s, guid, guid, guid, guid, guid);
  run(db,
      "CREATE TABLE rocpd_info_node%s(id INTEGER PRIMARY KEY,guid TEXT,hostname TEXT,release TEXT);"
      "INSERT INTO rocpd_info_node%s VALUES(1,%Q,'node 7','6.1')",
      s, s, guid);
  run(db,
      "CREATE TABLE rocpd_info_process%s(id INTEGER PRIMARY KEY,guid TEXT,nid,pid INTEGER,command "
      "TEXT,environment TEXT);INSERT INTO rocpd_info_process%s "
      "VALUES(1,%Q,1,%lld,'run --password SECRET','{\"TOKEN\":\"SECRET\"}')",
      s, s, guid, (long long)pid);
  run(db,
      "CREATE TABLE rocpd_info_thread%s(id INTEGER PRIMARY KEY,guid TEXT,tid INTEGER);"
      "INSERT INTO rocpd_info_thread%s VALUES(1,%Q,%lld)",
      s, s, guid, (long long)pid + 1);
  run(db,
      "CREATE TABLE rocpd_info_agent%s(id INTEGER PRIMARY KEY,guid TEXT,type TEXT,type_index "
      "INTEGER,product_name TEXT,name TEXT);INSERT INTO rocpd_info_agent%s "
      "VALUES(1,%Q,'CPU',0,'EPYC','EPYC'),(2,%Q,'GPU',0,'AMD Instinct MI300X','gfx942')",
      s, s, guid, guid);
  run(db,
      "CREATE TABLE rocpd_info_kernel_symbol%s(id INTEGER PRIMARY KEY,guid TEXT,kernel_name "
      "TEXT,display_name TEXT,sgpr_count INTEGER,arch_vgpr_count INTEGER);"
      "INSERT INTO rocpd_info_kernel_symbol%s VALUES(9,%Q,'_Z4gemmv.kd','gemm()',16,32)",
      s, s, guid);
  run(db,
      "CREATE TABLE rocpd_event%s(id INTEGER PRIMARY KEY,guid TEXT,category_id INTEGER,"
      "correlation_id INTEGER,extdata TEXT DEFAULT '{}')",
      s);
  run(db,
      "INSERT INTO rocpd_event%s VALUES(1,%Q,1,55,'{}'),(2,%Q,NULL,55,'{}'),"
      "(3,%Q,4,0,'{\"message\":\"step 1\"}'),(4,%Q,4,0,'{\"message\":\"mark\"}')",
      s, guid, guid, guid, guid);
  if (kind == IN_TRACK) /* categories have a table of their own */
    run(db,
        "CREATE TABLE rocpd_info_category%s(id INTEGER PRIMARY KEY,guid TEXT,name TEXT);"
        "INSERT INTO rocpd_info_category%s SELECT id,guid,string FROM rocpd_string%s",
        s, s, s);
}

static void make_places(sqlite3 *db, const char *s, const char *guid, layout kind) {
  run(db,
      "CREATE TABLE rocpd_track%s(id INTEGER PRIMARY KEY,guid TEXT,pid INTEGER,tid "
      "INTEGER,agent_id "
      "INTEGER,queue_id INTEGER,stream_id INTEGER);INSERT INTO rocpd_track%s "
      "VALUES(1,%Q,1,1,NULL,NULL,NULL),(2,%Q,1,1,2,6,8)",
      s, s, guid, guid);
  if (kind != IN_TIMESTAMP) return;
  run(db,
      "CREATE TABLE rocpd_timestamp%s(id INTEGER PRIMARY KEY,guid TEXT,value INTEGER);"
      "INSERT INTO rocpd_timestamp%s VALUES(1,%Q,1000),(2,%Q,1100),(3,%Q,1200),(4,%Q,1700),(5,%Q,"
      "1800),(6,%Q,900),(7,%Q,2000),(8,%Q,1500)",
      s, s, guid, guid, guid, guid, guid, guid, guid, guid);
}

/* One call, one marker, one sample that is a marker, two kernels (one without an event), a copy. */
static void make_records(sqlite3 *db, const char *s, const char *guid, layout kind) {
  const char *time = kind == IN_TIMESTAMP ? "start_id,end_id" : "\"start\",\"end\"";
  const char *place = kind == IN_ROW ? "pid,tid" : "track_id";
  const char *host = kind == IN_ROW ? "1,1" : "1", *gpu = kind == IN_ROW ? "1,1" : "2";
  const char *more = kind == IN_ROW ? ",agent_id,queue_id,stream_id" : "";
  const char *those = kind == IN_ROW ? ",2,6,8" : "";
  bool ids = kind == IN_TIMESTAMP;
  run(db, "CREATE TABLE rocpd_region%s(id INTEGER PRIMARY KEY,guid,%s,%s,name_id,event_id)", s,
      place, time);
  run(db, "INSERT INTO rocpd_region%s VALUES(1,%Q,%s,%s,2,1),(2,%Q,%s,%s,5,3)", s, guid, host,
      ids ? "1,2" : "1000,1100", guid, host, ids ? "6,7" : "900,2000");
  run(db, "CREATE TABLE rocpd_sample%s(id INTEGER PRIMARY KEY,guid,track_id,%s,event_id)", s,
      ids ? "timestamp_id" : "timestamp");
  run(db, "INSERT INTO rocpd_sample%s VALUES(1,%Q,1,%s,4),(2,%Q,1,%s,1)", s, guid,
      ids ? "8" : "1500", guid, ids ? "8" : "1500");
  run(db,
      "CREATE TABLE rocpd_kernel_dispatch%s(id INTEGER PRIMARY KEY,guid,%s%s,kernel_id,dispatch_id,"
      "%s,private_segment_size,group_segment_size,workgroup_size_x,workgroup_size_y,"
      "workgroup_size_z,grid_size_x,grid_size_y,grid_size_z,region_name_id,event_id)",
      s, place, more, time);
  run(db,
      "INSERT INTO rocpd_kernel_dispatch%s VALUES(1,%Q,%s%s,9,1,%s,0,512,64,1,1,640,2,1,NULL,2),"
      "(2,%Q,%s%s,9,2,%s,0,0,64,1,1,65,1,1,NULL,NULL)",
      s, guid, gpu, those, ids ? "3,4" : "1200,1700", guid, gpu, those, ids ? "4,5" : "1700,1800");
  run(db,
      "CREATE TABLE rocpd_memory_copy%s(id INTEGER PRIMARY KEY,guid,%s%s,%s,name_id,dst_agent_id,"
      "src_agent_id,size,event_id)",
      s, place, kind == IN_ROW ? ",queue_id,stream_id" : "", time);
  run(db, "INSERT INTO rocpd_memory_copy%s VALUES(1,%Q,%s%s,%s,3,2,1,4096,NULL)", s, guid, gpu,
      kind == IN_ROW ? ",6,8" : "", ids ? "2,3" : "1100,1200");
  run(db,
      "CREATE TABLE rocpd_memory_allocate%s(id INTEGER PRIMARY KEY,guid,%s%s,%s,type,level,address,"
      "size,event_id)",
      s, place, kind == IN_ROW ? ",agent_id" : "", time);
  run(db,
      "INSERT INTO rocpd_memory_allocate%s VALUES(1,%Q,%s%s,%s,'ALLOC','REAL',65536,4096,NULL),"
      "(2,%Q,%s%s,%s,'FREE','REAL',65536,0,NULL),(3,%Q,%s%s,%s,'ALLOC','SCRATCH',7,8,NULL),"
      "(4,%Q,%s%s,%s,'FREE','REAL',9,0,NULL)",
      s, guid, gpu, kind == IN_ROW ? ",2" : "", ids ? "6,1" : "900,1000", guid, host,
      kind == IN_ROW ? ",NULL" : "", ids ? "7,7" : "2000,2000", guid, gpu,
      kind == IN_ROW ? ",2" : "", ids ? "1,2" : "1000,1100", guid, host,
      kind == IN_ROW ? ",NULL" : "", ids ? "1,2" : "1000,1100");
  run(db,
      "CREATE TABLE rocpd_info_pmc%s(id INTEGER PRIMARY KEY,guid,name,symbol,units);"
      "INSERT INTO rocpd_info_pmc%s VALUES(1,%Q,'SQ_WAVES','SQ_WAVES','')",
      s, s, guid);
  run(db,
      "CREATE TABLE rocpd_pmc_event%s(id INTEGER PRIMARY KEY,guid,event_id,pmc_id,value REAL);"
      "INSERT INTO rocpd_pmc_event%s VALUES(1,%Q,2,1,40.0),(2,%Q,77,1,1.0)",
      s, s, guid, guid);
}

static void make(sqlite3 *db, const char *suffix, const char *guid, int64_t pid, layout kind) {
  make_tables(db, suffix, guid, pid, kind);
  make_places(db, suffix, guid, kind);
  make_records(db, suffix, guid, kind);
}

static tdm_recording *read_made(sqlite3 *database) {
  sqlite3_close(database);
  tdm_recording *got = read_path(&tdm_reader_rocpd, path);
  unlink(path);
  return got;
}

static void assert_no_secrets(const tdm_recording *got) {
  for (uint32_t i = 0; i < tdm_recording_names(got); i++)
    assert_null(strstr(tdm_recording_name(got, i, NULL), "SECRET"));
  size_t facts;
  const tdm_fact *fact = tdm_recording_facts(got, &facts);
  for (size_t i = 0; i < facts; i++) assert_null(strstr(fact[i].value, "SECRET"));
}

static void every_layout_gives_the_same_records(void **state) {
  (void)state;
  static const char *const want[] = {
      "instant memory 2000+0 'deallocation' bytes=4096 address=65536 "
      "[AMD Instinct MI300X #0 | memory | device GPU pid=4711 device=0]",
      "instant memory 900+0 'allocation' bytes=4096 address=65536 "
      "[AMD Instinct MI300X #0 | memory | device GPU pid=4711 device=0]",
      "instant nvtx 1500+0 'mark' correlation=0 "
      "[process 4711 | thread 4712 | thread CPU pid=4711 tid=4712]",
      "span kernel 1200+500 'gemm()' correlation=55 grid_x=10 grid_y=2 grid_z=1 block_x=64 "
      "block_y=1 block_z=1 static_shared_bytes=512 local_bytes_per_thread=0 "
      "registers_per_thread=32 scalar_registers=16 queue=6 dispatch=1 "
      "[AMD Instinct MI300X #0 | stream 8 | stream GPU pid=4711 device=0 stream=8]",
      "span kernel 1700+100 'gemm()' grid_x=2 grid_y=1 grid_z=1 block_x=64 block_y=1 block_z=1 "
      "static_shared_bytes=0 local_bytes_per_thread=0 registers_per_thread=32 "
      "scalar_registers=16 queue=6 dispatch=2 "
      "[AMD Instinct MI300X #0 | stream 8 | stream GPU pid=4711 device=0 stream=8]",
      "span memcpy 1100+100 'Memcpy HtoD' bytes=4096 kind=t'HtoD' "
      "[AMD Instinct MI300X #0 | stream 8 | stream GPU pid=4711 device=0 stream=8]",
      "span nvtx 900+1100 'step 1' correlation=0 "
      "[process 4711 | thread 4712 | thread CPU pid=4711 tid=4712]",
      "span runtime 1000+100 'hipLaunchKernel' correlation=55 "
      "[process 4711 | thread 4712 | thread CPU pid=4711 tid=4712]"};
  for (layout kind = IN_ROW; kind <= IN_TIMESTAMP; kind++) {
    sqlite3 *database = new_database();
    make(database, "_0a_1", "0a-1", 4711, kind);
    tdm_recording *got = read_made(database);
    assert_rows(got, 8, want);
    assert_int_equal(problem_count(got, "records of other kinds (left out)"), 1);
    assert_int_equal(problem_count(got, "frees of what was not seen allocated"), 1);
    assert_int_equal(problem_count(got, "samples (left out)"), 1);
    assert_int_equal(problem_count(got, "counters of no kernel (left out)"), 1);
    size_t count;
    const tdm_metric *metric = tdm_recording_metrics(got, &count);
    assert_int_equal(count, 1);
    assert_string_equal(metric[0].subject, "gemm()");
    assert_string_equal(metric[0].name, "SQ_WAVES");
    assert_true(metric[0].value == 40);
    assert_string_equal(tdm_recording_source(got, 0)->detail, kind == IN_TRACK
                                                                  ? "rocpd, schema 4, 1 process"
                                                                  : "rocpd, schema 3, 1 process");
    assert_no_secrets(got);
    tdm_recording_free(got);
  }
}

/* Ids of one mean nothing in the other. */
static void recordings_of_one_file_do_not_mix(void **state) {
  (void)state;
  sqlite3 *database = new_database();
  make(database, "_0a_1", "0a-1", 100, IN_ROW);
  make(database, "_0b_2", "0b-2", 200, IN_TRACK);
  run(database, "UPDATE rocpd_info_kernel_symbol_0b_2 SET display_name='other()'");
  tdm_recording *got = read_made(database);
  size_t kernels[2] = {0};
  assert_int_equal(rows_count(got), 16);
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    if (strcmp(tdm_recording_layout(got, i)->category, "kernel") != 0) continue;
    for (size_t row = 0; row < rows->count; row++) {
      const tdm_track *track = tdm_recording_track(got, (uint32_t)tdm_kept(rows, TDM_TRACK, row));
      const char *name = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
      assert_string_equal(name, track->pid == 100 ? "gemm()" : "other()");
      kernels[track->pid == 200]++;
    }
  }
  assert_int_equal(kernels[0], 2);
  assert_int_equal(kernels[1], 2);
  tdm_recording_free(got);
}

/* Rows of another recording in a table, as a careless merge leaves them. */
static void rows_join_within_their_guid(void **state) {
  (void)state;
  sqlite3 *database = new_database();
  make(database, "", "0a-1", 100, IN_ROW);
  run(database, "UPDATE rocpd_info_kernel_symbol SET guid='other'");
  tdm_recording *got = read_made(database);
  assert_int_equal(problem_count(got, "kernels without a name"), 2);
  tdm_recording_free(got);
}

static void few_tables_are_enough_and_none_are_refused(void **state) {
  (void)state;
  sqlite3 *database = new_database();
  run(database, "CREATE TABLE rocpd_metadata(id,tag,value);CREATE TABLE rocpd_string(id,guid,"
                "string)");
  tdm_recording *got = read_made(database);
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
  database = new_database();
  run(database, "CREATE TABLE rocpd_string(id,string);CREATE TABLE rocpd_api(id)");
  sqlite3_close(database);
  tdm_input *input;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open(path, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_rocpd, input, NULL, &got, &error), TDM_INVALID);
  assert_non_null(strstr(error.message, "it has no rocpd_string tables with guids"));
  tdm_recording_free(got);
  unlink(path);
}

/* Of kernels, markers, hosts and counters, in pieces where SQLite would need `heap` bytes. */
static void assert_cut(const char *encoding, int bytes, sqlite3_int64 heap) {
  sqlite3 *database = new_database();
  run(database, "PRAGMA encoding=%Q", encoding);
  make(database, "_0a_1", "0a-1", 4711, IN_ROW);
  run(database, "UPDATE rocpd_info_kernel_symbol_0a_1 SET display_name=hex(zeroblob(%d))",
      bytes / 2);
  run(database, "UPDATE rocpd_info_pmc_0a_1 SET symbol=hex(zeroblob(%d))", bytes / 2);
  run(database, "UPDATE rocpd_info_node_0a_1 SET hostname=hex(zeroblob(%d))", bytes / 2);
  run(database,
      "UPDATE rocpd_event_0a_1 SET extdata='{\"a\":{\"b\":1},\"message\":\"<'||"
      "hex(zeroblob(%d))||'\"}' WHERE id=3",
      bytes / 2);
  sqlite3_close(database);
  sqlite3_hard_heap_limit64(heap);
  tdm_recording *got = read_path(&tdm_reader_rocpd, path);
  sqlite3_hard_heap_limit64(0);
  unlink(path);
  assert_int_equal(problem_count(got, "names of more than 1 MiB (cut)"), 5);
  assert_int_equal(problem_count(got, "facts of more than 1 MiB (cut)"), 1);
  assert_int_equal(rows_count(got), 8);
  size_t count;
  uint32_t zeros = 0, markers = 0;
  for (uint32_t i = 0; i < tdm_recording_names(got); i++) {
    size_t length;
    const char *name = tdm_recording_name(got, i, &length);
    if (length < 1000) continue;
    assert_int_equal(length, TDM_NAME_BYTES);
    markers += name[0] == '<';
    zeros += name[0] == '0';
    for (size_t byte = 1; byte < length; byte++)
      if (name[byte] != '0') fail_msg("byte %zu", byte);
  }
  assert_int_equal(markers, 1);
  assert_true(zeros > 0);
  const tdm_metric *metric = tdm_recording_metrics(got, &count);
  assert_int_equal(count, 1);
  assert_int_equal(strlen(metric[0].subject), TDM_NAME_BYTES);
  assert_int_equal(strlen(metric[0].name), TDM_NAME_BYTES);
  tdm_recording_free(got);
}

static void long_texts_are_cut_and_counted(void **state) {
  (void)state;
  assert_cut("UTF-8", 2000000, 0);
  assert_cut("UTF-16be", 2000000, 0);
  assert_cut("UTF-8", 17000000, 17 << 20);
  assert_cut("UTF-16le", 8500000, 40 << 20);
}

/* Where an id may not be a row's, and where a number should stand. */
static void values_that_cannot_be_cut_are_refused(void **state) {
  (void)state;
  static const char *const changes[] = {
      "CREATE TABLE x AS SELECT * FROM rocpd_string_0a_1;DROP TABLE rocpd_string_0a_1;CREATE TABLE "
      "rocpd_string_0a_1(id INTEGER PRIMARY KEY,guid TEXT,string TEXT) WITHOUT ROWID;INSERT INTO "
      "rocpd_string_0a_1 SELECT id,guid,string||hex(zeroblob(8500000)) FROM x",
      "UPDATE rocpd_region_0a_1 SET name_id=hex(zeroblob(8500000)) WHERE id=2"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    sqlite3 *database = new_database();
    make(database, "_0a_1", "0a-1", 4711, IN_ROW);
    run(database, changes[i]);
    sqlite3_close(database);
    tdm_input *input;
    tdm_recording *got;
    tdm_error error = {0};
    assert_int_equal(tdm_input_open(path, &input, &error), TDM_OK);
    assert_int_equal(read_input(&tdm_reader_rocpd, input, NULL, &got, &error), TDM_INVALID);
    assert_non_null(strstr(error.message, "a value of more than 16 MiB that is no name"));
    tdm_recording_free(got);
    unlink(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_layout_gives_the_same_records),
                                     cmocka_unit_test(recordings_of_one_file_do_not_mix),
                                     cmocka_unit_test(rows_join_within_their_guid),
                                     cmocka_unit_test(long_texts_are_cut_and_counted),
                                     cmocka_unit_test(values_that_cannot_be_cut_are_refused),
                                     cmocka_unit_test(few_tables_are_enough_and_none_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
