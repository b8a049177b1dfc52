/* write/nsys: what a recording becomes in Nsight Systems' tables, asked in SQL; what has no place
 * there is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>

#include "records_as_text.h"
#include "write/writer.h"

static char notes[4096];

static void take_note(void *context, const char *text) {
  (void)context;
  strcat(strcat(notes, text), "\n");
}

static sqlite3 *written(made *m) {
  const char *path = scratch_path(".sqlite");
  tdm_write_options options = {.version = "1.2.3", .note = take_note};
  sqlite3 *database;
  notes[0] = 0;
  made_done(m);
  if (tdm_writer_named("nsys")->write(m->recording, path, &options, &m->error) != TDM_OK)
    fail_msg("%s", m->error.message);
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  unlink(path);
  tdm_recording_free(m->recording);
  return database;
}

/* Rows of a query: columns apart by spaces, rows by ", ". */
static void says(sqlite3 *database, const char *sql, const char *want) {
  char text[4096] = "";
  sqlite3_stmt *row;
  if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(database));
  while (sqlite3_step(row) == SQLITE_ROW) {
    if (text[0] != 0) strcat(text, ", ");
    for (int i = 0; i < sqlite3_column_count(row); i++) {
      const char *cell = (const char *)sqlite3_column_text(row, i);
      strcat(strcat(text, i > 0 ? " " : ""), cell != NULL ? cell : "-");
    }
  }
  sqlite3_finalize(row);
  if (strcmp(text, want) != 0) fail_msg("%s\n  is  %s\n  not %s", sql, text, want);
}

static uint32_t track(made *m, tdm_track_kind kind, const char *process, const char *name,
                      int64_t pid, int64_t number) {
  tdm_track p = TDM_TRACK_PLAIN;
  p.process = process;
  p.name = name;
  p.kind = kind;
  p.pid = pid;
  if (kind == TDM_TRACK_THREAD) p.tid = number;
  if (kind == TDM_TRACK_STREAM) {
    p.device = number / 10;
    p.context = number % 10 > 0 ? 4 : TDM_NONE;
    p.stream = number;
  }
  if (kind == TDM_TRACK_DEVICE) p.device = number;
  return tdm_record_track(m->recorder, &p);
}

static void row(made *m, const char *category, tdm_shape shape, uint32_t on, int64_t start,
                int64_t end, const char *name, const tdm_arg *args, const int64_t *values,
                uint32_t count) {
  uint32_t layout = tdm_record_layout(m->recorder, category, shape, args, count);
  tdm_record_row(m->recorder, layout, start, end - start, on, tdm_record_text(m->recorder, name),
                 values, count);
}

static void span(made *m, const char *category, uint32_t on, int64_t start, int64_t end) {
  row(m, category, TDM_SHAPE_SPAN, on, start, end, category, NULL, NULL, 0);
}

/* ---- places */

#define BIG 0x2000000 /* more than 24 bits */

static void places_are_numbers_of_24_bits(void **state) {
  (void)state;
  made m = made_new();
  const char *python = "python (4312)";
  uint32_t on[] = {
      track(&m, TDM_TRACK_THREAD, python, "thread 4313 loader (2)", 4312, 4313),
      track(&m, TDM_TRACK_THREAD, python, "thread 4314", 4312, 4314),
      track(&m, TDM_TRACK_THREAD, python, "big", 4312, BIG),
      track(&m, TDM_TRACK_THREAD, python, "big again", 4312, BIG),
      track(&m, TDM_TRACK_THREAD, python, "bigger", 4312, 0xf00000),
      track(&m, TDM_TRACK_THREAD, python, "most", 4312, 0xefffff),
      track(&m, TDM_TRACK_PROCESS, "daemon(x)", "all", 77, 0),
      track(&m, TDM_TRACK_THREAD, "(5)", "unknown", 5000000000, TDM_NONE),
      track(&m, TDM_TRACK_THREAD, "at the limit", "t", 0xf00000, 1),
      track(&m, TDM_TRACK_THREAD, "below it", "t", 0xefffff, 1),
  };
  for (size_t i = 0; i < sizeof on / sizeof *on; i++) span(&m, "osrt", on[i], (int64_t)i, 20);
  assert_int_equal(tdm_recorder_end_source(m.recorder, &m.error), TDM_OK);
  tdm_recorder_begin_source(m.recorder, "second", "test");
  tdm_recorder_origin(m.recorder, "far", "test", 1000);
  uint32_t same = track(&m, TDM_TRACK_THREAD, python, "same", 4312, 4313),
           far = track(&m, TDM_TRACK_THREAD, python, "same big", 4312, BIG);
  span(&m, "osrt", same, -980, -970);
  span(&m, "osrt", far, -979, -970);
  sqlite3 *db = written(&m);
  says(db,
       "SELECT start, globalTid >> 48, globalTid >> 24 & 0xffffff, globalTid & 0xffffff"
       " FROM OSRT_API ORDER BY start",
       "0 1 4312 4313, 1 1 4312 4314, 2 1 4312 15728640, 3 1 4312 15728640, 4 1 4312 15728641,"
       " 5 1 4312 15728639, 6 1 77 0, 7 1 15728640 15728642, 8 1 15728641 1, 9 1 15728639 1,"
       " 20 1 15728642 4313, 21 1 15728642 15728643");
  says(db, "SELECT pid, globalPid = ((1 << 48) | (pid << 24)), name FROM PROCESSES ORDER BY rowid",
       "4312 1 python, 77 1 daemon(x), 15728640 1 (5), 15728641 1 at the limit, 15728639 1 below"
       " it, 15728642 1 python");
  says(db,
       "SELECT globalTid & 0xffffff, value FROM ThreadNames JOIN StringIds ON id = nameId"
       " ORDER BY ThreadNames.rowid",
       "4313 loader (2), 15728640 big, 15728641 bigger, 15728639 most, 15728642 unknown, 1 t, 1 t,"
       " 4313 same, 15728643 same big");
  says(db, "SELECT * FROM ANALYSIS_DETAILS", "281474976710656 30 0 30");
  says(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%START_TIME' OR name LIKE 'CUPTI%'",
       "0");
  sqlite3_close(db);
}

static void gpus_belong_to_the_process_of_their_source(void **state) {
  (void)state;
  made m = made_new();
  tdm_recorder_utc(m.recorder, 5000);
  tdm_recorder_rank(m.recorder, 6);
  uint32_t before = track(&m, TDM_TRACK_STREAM, "H100 #0", "stream 7", TDM_NONE, 7);
  uint32_t cpu = track(&m, TDM_TRACK_THREAD, "python", "main", 4312, 4313);
  uint32_t other = track(&m, TDM_TRACK_THREAD, "other", "main", 99, 100);
  uint32_t strange = track(&m, TDM_TRACK_STREAM, "H100 #0", "stream 8", 12345, 8);
  uint32_t known = track(&m, TDM_TRACK_STREAM, "A#1", "stream 10", 99, 10);
  uint32_t whole = track(&m, TDM_TRACK_DEVICE, "A100 #2", "GPU", TDM_NONE, 2);
  tdm_record_fact(m.recorder, "captured_from", "simulation");
  tdm_record_fact(m.recorder, "gpu.1.name", "NVIDIA A100");
  tdm_record_fact(m.recorder, "gpu.1.sm_count", "108");
  tdm_record_fact(m.recorder, "gpu.2.uuid", "abc");
  tdm_record_fact(m.recorder, "gpu.22.sm_count", "7");
  span(&m, "osrt", cpu, 0, 1);
  span(&m, "osrt", other, 1, 2);
  span(&m, "kernel", before, 10, 15);
  span(&m, "kernel", strange, 11, 15);
  span(&m, "kernel", known, 12, 15);
  span(&m, "kernel", whole, 13, 40);
  sqlite3 *db = written(&m);
  says(db,
       "SELECT start, deviceId, contextId, streamId, globalPid >> 24 & 0xffffff"
       " FROM CUPTI_ACTIVITY_KIND_KERNEL",
       "10 0 4 7 4312, 11 0 4 8 4312, 12 1 - 10 99, 13 2 - - 4312");
  says(db, "SELECT vmId, id, name, smCount, uuid, totalMemory FROM TARGET_INFO_GPU",
       "1 0 H100 - - -, 1 1 NVIDIA A100 108 - -, 1 2 A100 - abc -");
  says(db, "SELECT gpuId, cudaId, pid FROM TARGET_INFO_CUDA_DEVICE", "0 0 4312, 1 1 99, 2 2 4312");
  says(db, "SELECT streamId, processId, contextId FROM TARGET_INFO_CUDA_STREAM",
       "7 4312 4, 8 4312 4, 10 99 -");
  says(db, "SELECT * FROM TARGET_INFO_SESSION_START_TIME", "5000 - - -");
  says(db, "SELECT * FROM META_DATA_CAPTURE", "CAPTURED_FROM simulation");
  says(db, "SELECT * FROM META_DATA_EXPORT",
       "EXPORT_PRODUCT_NAME tandem 1.2.3, EXPORT_SCHEMA_VERSION 3.25.0, "
       "EXPORT_SCHEMA_VERSION_MAJOR 3, EXPORT_SCHEMA_VERSION_MINOR 25, "
       "EXPORT_SCHEMA_VERSION_MICRO 0");
  says(db, "SELECT duration, startTime, stopTime FROM ANALYSIS_DETAILS", "40 0 40");
  assert_string_equal(notes, "not in the file: rank 6\n");
  sqlite3_close(db);
}

/* ---- rows */

static void arguments_fill_the_columns_that_they_fit(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT},  {"short_name", TDM_ARG_TEXT},
                                 {"launch_type", TDM_ARG_TEXT}, {"cache_config", TDM_ARG_TEXT},
                                 {"grid_x", TDM_ARG_REAL},      {"grid_y", TDM_ARG_INT},
                                 {"mine", TDM_ARG_INT},         {"yours", TDM_ARG_TEXT}};
  made m = made_new();
  uint32_t cpu = track(&m, TDM_TRACK_THREAD, "p", "main", 1, 2),
           gpu = track(&m, TDM_TRACK_STREAM, "G #0", "stream 7", 1, 7);
  int64_t regular = tdm_record_text(m.recorder, "regular"),
          dragon = tdm_record_text(m.recorder, "dragon"), sgemm = tdm_record_text(m.recorder, "s"),
          down = tdm_record_text(m.recorder, "DtoH");
  const int64_t first[] = {1, sgemm, regular, dragon, tdm_record_real(3), 4, 5, sgemm};
  const int64_t second[] = {TDM_NONE, TDM_NONE, dragon, TDM_NONE, 0, -4, TDM_NONE, TDM_NONE};
  row(&m, "kernel", TDM_SHAPE_SPAN, gpu, 0, 5, "gemm", args, first, 8);
  row(&m, "kernel", TDM_SHAPE_SPAN, gpu, 5, 9, "gemm<2>", args, second, 8);
  static const tdm_arg copied[] = {{"kind", TDM_ARG_TEXT}, {"bytes", TDM_ARG_INT}};
  row(&m, "memcpy", TDM_SHAPE_SPAN, gpu, 10, 15, "copy", copied, (int64_t[]){down, 64}, 2);
  static const tdm_arg numbered[] = {{"kind", TDM_ARG_INT}, {"mine", TDM_ARG_INT}};
  row(&m, "memcpy", TDM_SHAPE_SPAN, gpu, 20, 25, "copy", numbered, (int64_t[]){2, 1}, 2);
  span(&m, "runtime", cpu, 1, 2);
  span(&m, "driver", cpu, 3, 4);
  span(&m, "odd", cpu, 5, 6);
  span(&m, "odd", cpu, 6, 7);
  span(&m, "single", cpu, 6, 7);
  tdm_record_sample(m.recorder, 5, gpu, tdm_record_text(m.recorder, "power"), 1,
                    tdm_record_text(m.recorder, "W"));
  sqlite3 *db = written(&m);
  says(db,
       "SELECT start, end, correlationId, n.value, s.value, launchType, cacheConfig, gridX, gridY"
       " FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = demangledName"
       " JOIN StringIds s ON s.id = shortName",
       "0 5 1 gemm s 1 - - 4, 5 9 - gemm<2> gemm<2> - - - -4");
  says(db, "SELECT start, copyKind, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY", "10 2 64, 20 - -");
  says(db,
       "SELECT start, eventClass, value FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds"
       " ON id = nameId",
       "1 0 runtime, 3 1 driver");
  says(db, "SELECT id, value FROM StringIds",
       "1 gemm, 2 s, 3 gemm<2>, 4 runtime, 5 driver, 6 main");
  says(db, "SELECT id, name, label FROM ENUM_CUDA_MEMCPY_OPER WHERE id IN (0, 1, 13)",
       "0 CUDA_MEMCPY_KIND_UNKNOWN Unknown, 1 CUDA_MEMCPY_KIND_HTOD Host-to-Device, 13 "
       "CUDA_MEMCPY_KIND_UVM_DTOD Unified Device-to-Device");
  says(db, "SELECT count(*) FROM ENUM_CUDA_MEMCPY_OPER", "14");
  assert_string_equal(notes, "not in the file: arguments of kernel rows: mine, yours\n"
                             "not in the file: arguments of memcpy rows: mine\n"
                             "not in the file: 2 rows of category odd\n"
                             "not in the file: 1 row of category single\n"
                             "not in the file: 1 row of category counter\n"
                             "not in the file: 2 words that the format has no number for\n");
  sqlite3_close(db);
}

static void ranges_have_a_type_a_domain_and_a_payload(void **state) {
  (void)state;
  static const tdm_arg args[] = {
      {"domain", TDM_ARG_TEXT}, {"payload", TDM_ARG_REAL}, {"end_tid", TDM_ARG_INT}};
  static const tdm_arg counted[] = {{"payload", TDM_ARG_INT}, {"domain", TDM_ARG_INT}};
  static const tdm_arg structured[] = {{"payload", TDM_ARG_JSON}};
  made m = made_new();
  uint32_t a = track(&m, TDM_TRACK_THREAD, "p", "main", 1, 2),
           b = track(&m, TDM_TRACK_THREAD, "q", "main", 3, 4);
  int64_t lib = tdm_record_text(m.recorder, "lib"), list = tdm_record_text(m.recorder, "[1]"),
          nothing = tdm_record_text(m.recorder, ""), nan = tdm_record_real((double)NAN);
  const int64_t values[][3] = {{lib, tdm_record_real(1.5), 0xffffff},
                               {TDM_NONE, nan, 0x1000000},
                               {nothing, tdm_record_real(0), -1},
                               {lib, nan, 0},
                               {lib, nan, TDM_NONE}};
  row(&m, "nvtx", TDM_SHAPE_SPAN, a, 10, 20, "span", args, values[0], 3);
  row(&m, "nvtx", TDM_SHAPE_ASYNC, a, 11, 21, "async", args, values[1], 3);
  row(&m, "nvtx", TDM_SHAPE_INSTANT, a, 12, 12, "mark", args, values[2], 3);
  row(&m, "nvtx", TDM_SHAPE_OPEN, a, 13, 30, "open", args, values[3], 3);
  row(&m, "nvtx", TDM_SHAPE_SPAN, b, 14, 22, "theirs", args, values[4], 3);
  row(&m, "nvtx", TDM_SHAPE_SPAN, b, 15, 22, "counted", counted, (int64_t[]){7, 1}, 2);
  row(&m, "nvtx", TDM_SHAPE_SPAN, b, 16, 22, "json", structured, &list, 1);
  span(&m, "cpu_op", b, 17, 22);
  sqlite3 *db = written(&m);
  says(db,
       "SELECT start, end, eventType, text, domainId, doubleValue, int64Value, jsonText,"
       " endGlobalTid >> 24 & 0xffffff, endGlobalTid & 0xffffff FROM NVTX_EVENTS"
       " WHERE eventType <> 75 ORDER BY start",
       "10 20 59 span 1 1.5 - - 1 16777215, 11 21 60 async 0 - - - - -, 12 - 34 mark 0 0.0 - - - "
       "-, 13 - 59 open 1 - - - 1 0, 14 22 59 theirs 2 - - - - -, 15 22 59 counted 0 - 7 - - -, "
       "16 22 59 json 0 - - [1] - -, 17 22 59 cpu_op 3 - - - - -");
  says(db,
       "SELECT start, text, domainId, globalTid >> 24 & 0xffffff FROM NVTX_EVENTS"
       " WHERE eventType = 75",
       "10 lib 1 1, 14 lib 2 3, 17 cpu_op 3 3");
  says(db, "SELECT stopTime FROM ANALYSIS_DETAILS", "30");
  assert_string_equal(notes, "");
  sqlite3_close(db);
}

static void many_arguments_are_told_in_one_line(void **state) {
  (void)state;
  enum { MANY = 130, IN_A_ROW = 50, STEP = 40 }; /* rows 0–49, 40–89, 80–129 */
  tdm_arg args[MANY];
  char keys[MANY][8], want[512] = "not in the file: arguments of cpu_op rows:";
  int64_t values[MANY];
  made m = made_new();
  for (size_t i = 0; i < MANY; i++) {
    sprintf(keys[i], "k%02zu", i);
    args[i] = (tdm_arg){keys[i], TDM_ARG_INT};
    values[i] = 1;
    if (strlen(want) < 260) sprintf(want + strlen(want), "%s %s", i > 0 ? "," : "", keys[i]);
  }
  uint32_t on = track(&m, TDM_TRACK_THREAD, "p", "main", 1, 2);
  for (size_t i = 0; i + IN_A_ROW <= MANY; i += STEP)
    row(&m, "cpu_op", TDM_SHAPE_SPAN, on, 0, 1, "x", args + i, values, IN_A_ROW);
  sqlite3_close(written(&m));
  strcat(want, " and 86 more\n");
  assert_string_equal(notes, want);
}

static void what_has_no_place_makes_no_file(void **state) {
  (void)state;
  made m = made_new();
  const char *path = scratch_path(".sqlite");
  uint32_t on = track(&m, TDM_TRACK_THREAD, "p", "main", 1, 2);
  span(&m, "odd", on, 0, 1);
  made_done(&m);
  const tdm_writer *writer = tdm_writer_named("nsys");
  assert_int_equal(writer->write(m.recording, path, NULL, &m.error), TDM_INVALID);
  assert_non_null(strstr(m.error.message, "nothing in the run has a place in this format"));
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(writer->write(m.recording, "/dev/null", NULL, &m.error), TDM_INVALID);
  assert_string_equal(m.error.message,
                      "an SQLite file cannot be written to /dev/null: name a file");
  tdm_recording_free(m.recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_numbers_of_24_bits),
      cmocka_unit_test(gpus_belong_to_the_process_of_their_source),
      cmocka_unit_test(arguments_fill_the_columns_that_they_fit),
      cmocka_unit_test(ranges_have_a_type_a_domain_and_a_payload),
      cmocka_unit_test(many_arguments_are_told_in_one_line),
      cmocka_unit_test(what_has_no_place_makes_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
