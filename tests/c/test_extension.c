/* tandem.so, as the sqlite3 shell loads it: the same tables, through that program's SQLite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/recorder.h"
#include "trace/store/store.h"

static char store_path[] = "/tmp/tandem-extension-XXXXXX";
static char extension_path[4096];
static tdm_error failure;

static void fill_store(void) {
  static const tdm_arg args[] = {{"bytes", TDM_ARG_INT}};
  const tdm_run_info info = {.measured = 1, .name = "test", .created_utc_ns = TDM_NONE};
  tdm_store *store;
  tdm_store_run *run;
  tdm_record_sink sink;
  assert_int_equal(tdm_store_open(store_path, NULL, NULL, &store, &failure), TDM_OK);
  assert_int_equal(tdm_store_begin_run(store, &info, &run, &failure), TDM_OK);
  tdm_store_run_sink(run, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "a", "b");
  uint32_t layout = tdm_record_layout(recorder, "memcpy", TDM_SHAPE_SPAN, args, 1);
  uint32_t track = tdm_record_track(recorder, &TDM_TRACK_PLAIN);
  uint32_t name = tdm_record_text(recorder, "copy");
  for (int64_t i = 0; i < 1000; i++)
    tdm_record_row(recorder, layout, i, 2, track, name, &(int64_t){10 * i}, 1);
  tdm_record_sample(recorder, 5, track, tdm_record_text(recorder, "depth"), 2.5,
                    tdm_record_text(recorder, "requests"));
  tdm_record_edge(recorder, tdm_record_text(recorder, "ac2g"), 1, track, 4, track, 7);
  assert_int_equal(tdm_recorder_end_source(recorder, &failure), TDM_OK);
  tdm_recorder_free(recorder);
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  tdm_store_close(store);
}

static int prepare(void **state) {
  (void)state;
  int fd = mkstemp(store_path);
  if (fd < 0) return -1;
  close(fd);
  /* build/test/test_extension → build/tandem.so */
  ssize_t length = readlink("/proc/self/exe", extension_path, sizeof extension_path - 16);
  if (length < 0) return -1;
  extension_path[length] = 0;
  for (int i = 0; i < 2; i++) *strrchr(extension_path, '/') = 0;
  strcat(extension_path, "/tandem.so");
  return 0;
}

static int clean(void **state) {
  (void)state;
  char beside[sizeof store_path + 8]; /* what a reader that may not write leaves */
  for (int i = 0; i < 2; i++) {
    snprintf(beside, sizeof beside, "%s%s", store_path, i ? "-shm" : "-wal");
    unlink(beside);
  }
  return unlink(store_path);
}

static void assert_answer(sqlite3 *database, const char *sql, const char *expected) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(database));
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  assert_string_equal(sqlite3_column_text(statement, 0), expected);
  sqlite3_finalize(statement);
}

static void another_program_reads_the_tables(void **state) {
  (void)state;
  fill_store();
  sqlite3 *database;
  char *message = NULL;
  assert_int_equal(sqlite3_open_v2(store_path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_enable_load_extension(database, 1), SQLITE_OK);
  if (sqlite3_load_extension(database, extension_path, NULL, &message) != SQLITE_OK)
    fail_msg("%s", message);
  assert_answer(database,
                "SELECT count(*) || ' ' || sum(bytes) || ' ' || max(end_ns) FROM span"
                " WHERE run = run('last') AND category = 'memcpy' AND start_ns >= 500",
                "500 3747500 1001");
  assert_answer(database, "SELECT args FROM span WHERE start_ns = 3", "{\"bytes\":30}");
  assert_answer(database, "SELECT name || value || unit FROM counter", "depth2.5requests");
  assert_answer(database, "SELECT kind || from_ns || to_ns || flow FROM edge", "ac2g147");
  sqlite3_close(database);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_program_reads_the_tables),
  };
  return cmocka_run_group_tests_name("extension", tests, prepare, clean);
}
