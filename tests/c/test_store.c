/* The store: rows come back, runs are whole or absent, strangers are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/recorder.h"
#include "trace/simulated/simulated.h"
#include "trace/store/scan.h"
#include "trace/store/pages.h"
#include "trace/store/store.h"
#include "trace_fixture.h"

static char folder[] = "/tmp/tandem-store-XXXXXX";
static char target[64];
static tdm_error failure;

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(target, sizeof target, "%s/t.db", folder);
  return 0;
}

static int remove_store(void **state) {
  (void)state;
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  for (size_t i = 0; i < 4; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", target, endings[i]);
    unlink(name);
  }
  return 0;
}

static int remove_folder(void **state) {
  remove_store(state);
  return rmdir(folder);
}

static tdm_store *opened(void) {
  tdm_store *store;
  tdm_status status = tdm_store_open(target, NULL, NULL, &store, &failure);
  if (status != TDM_OK) fail_msg("%s", failure.message);
  return store;
}

static sqlite3_mem_methods plentiful;
static int until_it_fails;

static void *scarce(int bytes) {
  return until_it_fails > 0 && --until_it_fails == 0 ? NULL : plentiful.xMalloc(bytes);
}

/* SQLite's first steps fail for want of memory, one after the other: the store is not opened then,
 * or it has its checksums. The first of the tests, since those steps are done once. */
static void without_memory_no_store_lacks_checksums(void **state) {
  (void)state;
  assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plentiful), SQLITE_OK);
  sqlite3_mem_methods methods = plentiful;
  methods.xMalloc = scarce;
  assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
  int refused = 0;
  for (int n = 1; n <= 400; n++) {
    until_it_fails = n;
    tdm_store *store;
    if (tdm_store_open(target, NULL, NULL, &store, &failure) == TDM_OK) {
      assert_true(tdm_pages_checked(tdm_store_database(store)));
      tdm_store_close(store);
    } else {
      refused++;
      if (strstr(failure.message, "out of memory") == NULL) fail_msg("%s", failure.message);
    }
  }
  until_it_fails = 0;
  assert_true(refused >= 10);
}

static long long number_of(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  long long value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void assert_text(sqlite3 *database, const char *sql, const char *expected) {
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  const char *text = (const char *)sqlite3_column_text(statement, 0);
  if (expected == NULL)
    assert_null(text);
  else
    assert_string_equal(text, expected);
  sqlite3_finalize(statement);
}

static const tdm_run_info demo = {.name = "demo",
                                  .scenario = "return 1",
                                  .scenario_hash = "abc123",
                                  .version = "0.1.0",
                                  .seed = 42,
                                  .created_utc_ns = TDM_NONE};

static tdm_store_run *begun(tdm_store *store) {
  tdm_store_run *run;
  if (tdm_store_begin_run(store, &demo, &run, &failure) != TDM_OK) fail_msg("%s", failure.message);
  return run;
}

/* Rows of one layout into an open run: row i starts at i, a track for odd and one for even ones. */
static tdm_status put_rows(tdm_store_run *run, int64_t count, tdm_error *error) {
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  tdm_record_sink sink;
  tdm_store_run_sink(run, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "test", "test");
  uint32_t layout = tdm_record_layout(recorder, "kernel", TDM_SHAPE_SPAN, args, 1);
  uint32_t name = tdm_record_text(recorder, "gemm"), tracks[2];
  for (int64_t i = 0; i < 2; i++) {
    tdm_track track = TDM_TRACK_PLAIN;
    track.stream = i;
    tracks[i] = tdm_record_track(recorder, &track);
  }
  uint64_t random = 1;
  for (int64_t i = 0; i < count; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    int64_t value = (int64_t)(random >> 1); /* does not pack: fills the file */
    tdm_record_row(recorder, layout, i, 2 * i, tracks[i & 1], name, &value, 1);
  }
  tdm_status status = tdm_recorder_end_source(recorder, error);
  tdm_recorder_free(recorder);
  return status;
}

static void a_run_comes_back_row_by_row(void **state) {
  (void)state;
  fixture *f = fixture_new(3000);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 4);
  fixture_track(f, 1, "host", "cpu queue", TDM_LANE_QUEUE, 0);
  fixture_name(f, 0, "prepare");
  tdm_trace_class_name(f->trace, 1, "chat", NULL);
  f->sink.counter(f->sink.context, 0, "depth", "requests", NULL);
  for (int64_t i = 0; i < 5000; i++)
    fixture_span(f, (uint32_t)(i & 1), 0, i, 2 * i, FIXTURE_CLASS(1) | (uint64_t)i);
  fixture_flush(f);
  tdm_request_record records[] = {{FIXTURE_CLASS(1), 5, 9, 2, 1, TDM_OUTCOME_TIMED_OUT},
                                  {FIXTURE_CLASS(1) | 1, 6, 0, -1, 1, TDM_OUTCOME_OPEN}};
  f->sink.requests(f->sink.context, records, NULL, 2, NULL);
  tdm_counter_sample sample = {7, 0, 1.5};
  f->sink.counters(f->sink.context, &sample, 1, NULL);

  tdm_store *store = opened();
  tdm_store_run *run = begun(store);
  tdm_trace_extent extent = tdm_trace_span_extent(f->trace);
  tdm_record_sink records_sink;
  tdm_store_run_sink(run, &records_sink);
  tdm_recorder *recorder = tdm_recorder_new(&records_sink);
  assert_int_equal(tdm_simulated_record(f->trace, "demo", recorder, &failure), TDM_OK);
  assert_int_equal(tdm_recorder_end_source(recorder, &failure), TDM_OK);
  tdm_recorder_free(recorder);
  assert_int_equal(tdm_store_run_extent(run, extent.dropped, extent.complete_until_ns, &failure),
                   TDM_OK);
  assert_int_equal(tdm_store_commit_run(run, "{\"p99\":1}", &failure), TDM_OK);
  tdm_store_close(store);

  store = opened();
  sqlite3 *db = tdm_store_database(store);
  assert_true(extent.dropped > 0);
  assert_int_equal(number_of(db, "SELECT count(*) FROM span WHERE category <> 'request'"),
                   extent.kept);
  assert_int_equal(number_of(db, "SELECT dur_ns FROM span WHERE category = 'request' AND name ="
                                 " 'chat' AND shape = 'async' AND start_ns = 5"),
                   4);
  /* One that had not ended lasts to the end of the last span kept, which began before 5000. */
  assert_int_equal(number_of(db, "SELECT dur_ns FROM span WHERE category = 'request' AND name ="
                                 " 'chat' AND shape = 'open' AND start_ns = 6"),
                   3 * ((int64_t)extent.kept - 1) - 6);
  assert_int_equal(number_of(db, "SELECT spans_dropped FROM run"), extent.dropped);
  assert_int_equal(number_of(db, "SELECT complete_until_ns FROM run"), extent.complete_until_ns);
  assert_int_equal(number_of(db, "SELECT count(*) FROM span s JOIN track t ON t.run = s.run AND"
                                 " t.id = s.track WHERE dur_ns = 2 * start_ns AND t.name = iif("
                                 "start_ns & 1, 'cpu queue', 'cpu') AND request = (1 << 48) +"
                                 " start_ns AND batch = 1 AND s.name = 'prepare' AND category ="
                                 " iif(start_ns & 1, 'wait', 'stage')"),
                   extent.kept);
  assert_text(db,
              "SELECT name||scenario||scenario_hash||seed||version||summary_json||state FROM run",
              "demoreturn 1abc123420.1.0{\"p99\":1}complete");
  assert_text(db,
              "SELECT group_concat(lane||ifnull(capacity,'∞')) FROM track WHERE lane <> 'OTHER'",
              "CPU4,QUEUE∞");
  assert_text(db, "SELECT name FROM class WHERE id = 1", "chat");
  assert_text(db,
              "SELECT group_concat(outcome||arrival_ns||ifnull(end_ns,'-')||ifnull(gpu,'-'))"
              " FROM request WHERE class = 1",
              "timed out592,open6--");
  assert_text(db, "SELECT name||unit||time_ns||value FROM counter", "depthrequests71.5");
  assert_int_equal(number_of(db, "SELECT spans FROM run"), extent.kept + 2);
  assert_int_equal(number_of(db, "PRAGMA application_id"), TDM_STORE_APPLICATION);
  assert_int_equal(number_of(db, "PRAGMA user_version"), TDM_STORE_VERSION);
  assert_int_equal(number_of(db, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND"
                                 " type = 'table' AND name NOT LIKE 'sqlite%' AND NOT strict"),
                   0);
  tdm_store_close(store);
  fixture_free(f);
}

static void a_stopped_run_is_marked_interrupted(void **state) {
  (void)state;
  tdm_store *store = opened();
  tdm_store_run *run = begun(store);
  assert_int_equal(put_rows(run, 10, &failure), TDM_OK);
  assert_int_equal(tdm_store_abort_run(run, NULL, &failure), TDM_OK);
  assert_text(tdm_store_database(store), "SELECT state FROM run", "interrupted");
  assert_text(tdm_store_database(store), "SELECT summary_json FROM run", NULL);
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM span"), 10);

  run = begun(store); /* discarded: as if it had never been */
  assert_int_equal(put_rows(run, 10, &failure), TDM_OK);
  tdm_store_discard_run(run);
  run = begun(store); /* still open when the store closes: the same */
  tdm_store_close(store);
  store = opened();
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM run"), 1);
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM span"), 10);
  tdm_store_close(store);
}

static tdm_status found_run(tdm_store *store, const char *text, char *id) {
  int64_t number;
  return tdm_store_number(tdm_store_database(store), text, &number, id, &failure);
}

static void ids_are_unique_stable_and_found_by_prefix(void **state) {
  (void)state;
  enum { RUNS = 200 };
  char ids[RUNS][TDM_STORE_ID_LENGTH + 1], found[TDM_STORE_ID_LENGTH + 1];
  tdm_store *store = opened();
  assert_int_equal(found_run(store, "last", found), TDM_INVALID);
  assert_non_null(strstr(failure.message, "has no runs yet"));
  for (int i = 0; i < RUNS; i++) {
    tdm_store_run *run = begun(store);
    assert_int_equal(strlen(tdm_store_run_id(run)), TDM_STORE_ID_LENGTH);
    memcpy(ids[i], tdm_store_run_id(run), sizeof ids[i]);
    assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  }
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(DISTINCT id) FROM run"),
                   RUNS);
  assert_int_equal(found_run(store, "last", found), TDM_OK);
  assert_string_equal(found, ids[RUNS - 1]);
  char prefix[TDM_STORE_ID_LENGTH + 1];
  memcpy(prefix, ids[7], sizeof prefix);
  prefix[6] = 0;
  assert_int_equal(found_run(store, prefix, found), TDM_OK);
  assert_string_equal(found, ids[7]);
  prefix[1] = 0; /* 200 runs, 16 first digits */
  assert_int_equal(found_run(store, prefix, found), TDM_INVALID);
  assert_non_null(strstr(failure.message, "names more than one run"));
  assert_int_equal(found_run(store, "xyz", found), TDM_INVALID);
  assert_non_null(strstr(failure.message, "no run 'xyz'"));
  assert_int_equal(found_run(store, "", found), TDM_INVALID);
  assert_int_equal(sqlite3_exec(tdm_store_database(store),
                                "UPDATE run SET name = 'mine' WHERE number = 9;"
                                "UPDATE run SET name = 'twice' WHERE number IN (3, 4)",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  assert_int_equal(found_run(store, "mine", found), TDM_OK);
  assert_string_equal(found, ids[8]);
  assert_int_equal(found_run(store, "twice", found), TDM_INVALID);
  assert_non_null(strstr(failure.message, "is called 'twice': take an id"));
  assert_int_equal(found_run(store, "%", found), TDM_INVALID);
  tdm_store_close(store);
  remove_store(state);
  store = opened(); /* the same run into a fresh store has the same id */
  tdm_store_run *run = begun(store);
  assert_string_equal(tdm_store_run_id(run), ids[0]);
  tdm_store_close(store);
}

/* An id that is taken makes way for another. */
static void a_taken_id_is_not_taken_twice(void **state) {
  (void)state;
  tdm_store *store = opened();
  tdm_store_run *run = begun(store);
  char first[TDM_STORE_ID_LENGTH + 1], sql[96];
  memcpy(first, tdm_store_run_id(run), sizeof first);
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  run = begun(store); /* what number 2 is called when nothing is in its way */
  snprintf(sql, sizeof sql, "UPDATE run SET id = '%s' WHERE number = 1", tdm_store_run_id(run));
  char second[TDM_STORE_ID_LENGTH + 1];
  memcpy(second, tdm_store_run_id(run), sizeof second);
  tdm_store_discard_run(run);
  assert_int_equal(sqlite3_exec(tdm_store_database(store), sql, NULL, NULL, NULL), SQLITE_OK);
  run = begun(store);
  assert_string_not_equal(tdm_store_run_id(run), second);
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  tdm_store_close(store);
}

static void refused(const char *reason) {
  tdm_store *store;
  assert_int_equal(tdm_store_open(target, NULL, NULL, &store, &failure), TDM_INVALID);
  assert_null(store);
  if (strstr(failure.message, reason) == NULL) fail_msg("%s", failure.message);
  assert_non_null(strstr(failure.message, target));
  assert_null(strchr(failure.message, '\n'));
}

static void make_database(const char *sql) {
  sqlite3 *database;
  assert_int_equal(tdm_pages_open(target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &database),
                   SQLITE_OK);
  assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(database);
}

static void strangers_are_refused_and_left_alone(void **state) {
  make_database("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1);");
  refused("an SQLite file of another program");
  sqlite3 *database;
  sqlite3_open(target, &database);
  assert_int_equal(number_of(database, "SELECT count(*) FROM sqlite_schema"), 1);
  assert_text(database, "PRAGMA journal_mode", "delete");
  sqlite3_close(database);
  remove_store(state);

  tdm_store_close(opened());
  make_database("PRAGMA user_version=5");
  refused("a store of a newer tandem (store version 5, this one reads 4)");
  make_database("PRAGMA user_version=0");
  refused("a store of an older tandem (store version 0, this one reads 4)");
  make_database("PRAGMA user_version=2");
  refused("a store of an older tandem (store version 2, this one reads 4)");
  remove_store(state);

  FILE *file = fopen(target, "w");
  for (int i = 0; i < 200; i++) fputs("this is no database\n", file);
  fclose(file);
  refused("not an SQLite file");
  tdm_store *store;
  assert_int_equal(tdm_store_open("/nonexistent/t.db", NULL, NULL, &store, &failure), TDM_IO);
  assert_string_equal(failure.message,
                      "cannot open the store /nonexistent/t.db: unable to open database file");
}

/* A full disk: one clear error, and what was there stays. */
static void a_full_store_loses_nothing(void **state) {
  (void)state;
  tdm_store *store = opened();
  assert_int_equal(tdm_store_commit_run(begun(store), NULL, &failure), TDM_OK);
  sqlite3_exec(tdm_store_database(store), "PRAGMA max_page_count=100", NULL, NULL, NULL);
  tdm_store_run *run = begun(store);
  assert_int_equal(put_rows(run, 200000, &failure), TDM_IO);
  assert_non_null(strstr(failure.message, "the disk is full"));
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_IO);
  assert_non_null(strstr(failure.message, "the run was not stored"));
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM run"), 1);
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM span"), 0);
  tdm_store_close(store);
}

/* kill -9 in the middle of a run: the store is valid and without it. */
/* In a process that may not write files of a page. */
static void a_full_disk_makes_no_store(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {100, 100};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    tdm_store *store = NULL;
    tdm_status status = tdm_store_open(target, NULL, NULL, &store, &failure);
    _exit(status == TDM_IO && store == NULL ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void a_killed_writer_leaves_a_valid_store(void **state) {
  (void)state;
  tdm_store *store = opened();
  assert_int_equal(tdm_store_commit_run(begun(store), NULL, &failure), TDM_OK);
  tdm_store_close(store);
  int pipe_ends[2];
  assert_int_equal(pipe(pipe_ends), 0);
  pid_t child = fork();
  if (child == 0) {
    tdm_store_run *run;
    if (tdm_store_open(target, NULL, NULL, &store, NULL) != TDM_OK) _exit(1);
    sqlite3_exec(tdm_store_database(store), "PRAGMA cache_size=10", NULL, NULL, NULL);
    if (tdm_store_begin_run(store, &demo, &run, NULL) != TDM_OK) _exit(1);
    if (put_rows(run, 100000, NULL) != TDM_OK) _exit(1); /* more than the cache holds */
    if (write(pipe_ends[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(1);
  }
  char byte;
  close(pipe_ends[1]);
  assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
  close(pipe_ends[0]);
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  store = opened();
  assert_text(tdm_store_database(store), "PRAGMA integrity_check", "ok");
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM run"), 1);
  assert_int_equal(number_of(tdm_store_database(store), "SELECT count(*) FROM span"), 0);
  tdm_store_close(store);
}

/* Four processes create one store and write runs at once: each waits for its turn. */
static void processes_may_write_at_once(void **state) {
  (void)state;
  enum { WRITERS = 4, RUNS = 10 };
  pid_t children[WRITERS];
  for (int w = 0; w < WRITERS; w++) {
    children[w] = fork();
    if (children[w] != 0) continue;
    tdm_store *store;
    if (tdm_store_open(target, NULL, NULL, &store, NULL) != TDM_OK) _exit(1);
    for (int i = 0; i < RUNS; i++) {
      tdm_store_run *run;
      if (tdm_store_begin_run(store, &demo, &run, NULL) != TDM_OK) _exit(2);
      if (put_rows(run, 3, NULL) != TDM_OK) _exit(3);
      if (tdm_store_commit_run(run, NULL, NULL) != TDM_OK) _exit(4);
    }
    tdm_store_close(store);
    _exit(0);
  }
  for (int w = 0; w < WRITERS; w++) {
    int status;
    waitpid(children[w], &status, 0);
    assert_int_equal(status, 0);
  }
  tdm_store *store = opened();
  sqlite3 *db = tdm_store_database(store);
  assert_int_equal(number_of(db, "SELECT count(*) FROM run WHERE state='complete'"),
                   WRITERS * RUNS);
  assert_int_equal(number_of(db, "SELECT count(DISTINCT id) FROM run"), WRITERS * RUNS);
  assert_int_equal(number_of(db, "SELECT count(*) FROM span"), 3 * WRITERS * RUNS);
  tdm_store_close(store);
}

/* The race of two who open one store for the first time, made to happen: its first page, with what
 * says that it is a store, comes from the other's log. */
static void a_file_laid_out_by_another_is_known(void **state) {
  (void)state;
  sqlite3 *late;
  assert_int_equal(tdm_pages_open(target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &late),
                   SQLITE_OK);
  tdm_store *store = opened();
  assert_int_equal(
      sqlite3_exec(tdm_store_database(store), "CREATE TABLE other(x)", NULL, NULL, NULL),
      SQLITE_OK);
  tdm_status status = tdm_store_schema(late, target, &failure);
  assert_string_equal(status == TDM_OK ? "" : failure.message, "");
  assert_true(tdm_pages_checked(late));
  sqlite3_close(late);
  tdm_store_close(store);
}

/* The whole store in another order of questions: push-down gives the same rows as filtering. */
static void constraints_are_pushed_down_exactly(void **state) {
  (void)state;
  tdm_store *store = opened();
  for (int i = 0; i < 2; i++) {
    tdm_store_run *run = begun(store);
    assert_int_equal(put_rows(run, 50000, &failure), TDM_OK);
    assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  }
  sqlite3 *db = tdm_store_database(store);
  static const char *const where[] = {
      "run = 2",
      "run = 3",
      "run = '2'",
      "run = 2.5",
      "run = NULL",
      "run IN (1, 2)",
      "start_ns >= 20000 AND start_ns < 20010",
      "start_ns > 49990 AND run = 1",
      "end_ns <= 30 AND run = 2",
      "end_ns > 149000",
      "start_ns BETWEEN 7 AND 9 AND end_ns > 20",
      "track = 1 AND start_ns < 100",
      "category = 'kernel' AND run = 1 AND start_ns <= 5",
      "category = 'memcpy'",
      "category = NULL",
      "start_ns > 100.5 AND start_ns < 103.5",
      "track = '1' AND start_ns < 4",
      "start_ns < 5 OR start_ns > 49995",
  };
  for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
    char plain[400], pushed[400];
    snprintf(pushed, sizeof pushed,
             "SELECT count(*) * 1000003 + coalesce(sum(start_ns), 0) FROM"
             " span WHERE %s",
             where[i]);
    snprintf(plain, sizeof plain,
             "SELECT count(*) * 1000003 + coalesce(sum(start_ns), 0) FROM"
             " copy WHERE %s",
             where[i]);
    if (i == 0)
      assert_int_equal(sqlite3_exec(db,
                                    "CREATE TEMP TABLE copy(run INTEGER, category TEXT, start_ns"
                                    " INTEGER, end_ns INTEGER, track INTEGER); INSERT INTO copy"
                                    " SELECT run, category, start_ns, end_ns, track FROM span",
                                    NULL, NULL, NULL),
                       SQLITE_OK);
    if (number_of(db, pushed) != number_of(db, plain)) fail_msg("WHERE %s", where[i]);
  }
  assert_int_equal(number_of(db, "SELECT run('last')"), 2);
  assert_int_equal(number_of(db, "SELECT count(*) FROM span WHERE run = run('last')"), 50000);
  tdm_store_close(store);
}

static tdm_status open_scan(sqlite3 *db, tdm_run_tables *tables, int64_t from_ns, int64_t to_ns,
                            tdm_scan **scan) {
  tdm_scan_filter filter = TDM_SCAN_ALL;
  filter.from_ns = from_ns;
  filter.to_ns = to_ns;
  return tdm_scan_open(db, tables, &filter, scan, &failure);
}

static void count_rows(void *context, int64_t run, size_t rows) {
  assert_int_equal(run, 1);
  *(size_t *)context += rows;
}

static void a_small_part_of_the_time_reads_few_chunks(void **state) {
  (void)state;
  enum { ROWS = 2000000 };
  tdm_store *store = opened();
  tdm_store_run *run = begun(store);
  assert_int_equal(put_rows(run, ROWS, &failure), TDM_OK);
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  sqlite3 *db = tdm_store_database(store);
  tdm_run_tables *tables;
  assert_int_equal(tdm_run_tables_open(db, 1, &tables, &failure), TDM_OK);
  /* Row i is from i to 3 i: the last hundredth of the rows are those that end after this. */
  tdm_scan *scan;
  size_t rows, seen = 0;
  assert_int_equal(open_scan(db, tables, 3 * (int64_t)ROWS - 3 * (ROWS / 100), INT64_MAX, &scan),
                   TDM_OK);
  size_t read = 0;
  tdm_scan_watch(count_rows, &read);
  while (tdm_scan_next(scan, &rows, &failure) == TDM_OK && rows > 0) seen += rows;
  tdm_scan_watch(NULL, NULL);
  tdm_scan_close(scan);
  assert_true(seen >= ROWS / 100);
  assert_true(read >= seen && read <= ROWS / 50);
  tdm_run_tables_close(tables);
  tdm_store_close(store);
}

/* Metrics of Nsight Compute find their kernel: by its name in full or in short, and the launch. */
static void kernel_metrics_are_joined_by_name_and_launch(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"short_name", TDM_ARG_TEXT}};
  tdm_store *store = opened();
  tdm_store_run *run = begun(store);
  tdm_record_sink sink;
  tdm_store_run_sink(run, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "test", "test");
  uint32_t layout = tdm_record_layout(recorder, "kernel", TDM_SHAPE_SPAN, args, 1);
  uint32_t track = tdm_record_track(recorder, &TDM_TRACK_PLAIN);
  static const char *const names[] = {"gemm<1>(int)", "gemm<2>(int)", "copy"};
  for (int64_t i = 0; i < 6; i++) {
    int64_t shorter = tdm_record_text(recorder, i % 3 < 2 ? "gemm" : "copy");
    tdm_record_row(recorder, layout, 10 * i, 5, track, tdm_record_text(recorder, names[i % 3]),
                   &shorter, 1);
  }
  const tdm_metric metrics[] = {
      {.scope = "kernel", .subject = "gemm<2>(int)", .ordinal = 1, .name = "full", .value = 1},
      {.scope = "kernel", .subject = "gemm", .ordinal = 2, .name = "short", .value = 2},
      {.scope = "kernel", .subject = "copy", .ordinal = TDM_NONE, .name = "all", .value = 3},
      {.scope = "kernel", .subject = "none", .ordinal = 0, .name = "lost", .value = 4}};
  for (size_t i = 0; i < 4; i++) tdm_record_metric(recorder, &metrics[i]);
  assert_int_equal(tdm_recorder_end_source(recorder, &failure), TDM_OK);
  tdm_recorder_free(recorder);
  assert_int_equal(tdm_store_commit_run(run, NULL, &failure), TDM_OK);
  assert_text(
      tdm_store_database(store),
      "SELECT group_concat(metric || ' ' || kernel || ' ' || launch || ' ' || start_ns, '; ')"
      " FROM (SELECT k.*, s.start_ns FROM kernel_metric k JOIN span s ON s.run = k.run AND"
      " s.id = k.span ORDER BY metric, s.start_ns)",
      "all copy 0 20; all copy 1 50; full gemm<2>(int) 1 40; short gemm<1>(int) 1 30");
  tdm_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(without_memory_no_store_lacks_checksums, remove_store),
      cmocka_unit_test_teardown(a_run_comes_back_row_by_row, remove_store),
      cmocka_unit_test_teardown(a_stopped_run_is_marked_interrupted, remove_store),
      cmocka_unit_test_teardown(ids_are_unique_stable_and_found_by_prefix, remove_store),
      cmocka_unit_test_teardown(a_taken_id_is_not_taken_twice, remove_store),
      cmocka_unit_test_teardown(strangers_are_refused_and_left_alone, remove_store),
      cmocka_unit_test_teardown(a_full_store_loses_nothing, remove_store),
      cmocka_unit_test_teardown(a_full_disk_makes_no_store, remove_store),
      cmocka_unit_test_teardown(a_killed_writer_leaves_a_valid_store, remove_store),
      cmocka_unit_test_teardown(processes_may_write_at_once, remove_store),
      cmocka_unit_test_teardown(a_file_laid_out_by_another_is_known, remove_store),
      cmocka_unit_test_teardown(constraints_are_pushed_down_exactly, remove_store),
      cmocka_unit_test_teardown(a_small_part_of_the_time_reads_few_chunks, remove_store),
      cmocka_unit_test_teardown(kernel_metrics_are_joined_by_name_and_launch, remove_store),
  };
  return cmocka_run_group_tests_name("store", tests, make_folder, remove_folder);
}
