/* trace/store/scan: the small tables of a stored run and its chunks, as they are and as nobody
 * wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/recorder.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"

enum { NAMES = 200, ROWS = 10 };

static tdm_store *store;
static sqlite3 *database;
static tdm_error failure;
static int64_t first_name; /* of the names' ids; others are of keys and places */

static void run_sql(const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(database));
}

/* Run 1: kernels on two streams, from 10 to 24 on their own clock, and a mark at 50. */
static int fill(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT},
                                 {"share", TDM_ARG_REAL},
                                 {"kind", TDM_ARG_TEXT},
                                 {"dims", TDM_ARG_JSON},
                                 {"graph", TDM_ARG_BOOL}};
  tdm_store_run *run;
  tdm_record_sink sink;
  if (tdm_store_open(":memory:", NULL, NULL, &store, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  database = tdm_store_database(store);
  const tdm_run_info info = {.measured = 1, .name = "made", .created_utc_ns = TDM_NONE};
  assert_int_equal(tdm_store_begin_run(store, &info, &run, &failure), TDM_OK);
  tdm_store_run_sink(run, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "rank3.json", "kineto");
  tdm_recorder_detail(r, "schema 1");
  tdm_recorder_rank(r, 3);
  tdm_recorder_utc(r, 1700);
  uint32_t on[2];
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "python";
  track.name = "stream 7";
  track.kind = TDM_TRACK_STREAM;
  track.lane = TDM_LANE_GPU;
  track.pid = 1;
  track.tid = 2;
  track.device = 3;
  track.context = 4;
  track.stream = 7;
  track.capacity = 6;
  on[0] = tdm_record_track(r, &track);
  track = TDM_TRACK_PLAIN;
  track.name = "other";
  track.kind = TDM_TRACK_QUEUE;
  track.lane = TDM_LANE_QUEUE;
  on[1] = tdm_record_track(r, &track);
  char text[32];
  for (int i = 0; i < NAMES; i++) {
    sprintf(text, "name %d", i);
    int64_t id = tdm_record_text(r, text);
    if (i == 0) first_name = id;
    assert_int_equal(id, first_name + i);
  }
  uint32_t kernel = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, args, 5);
  uint32_t mark = tdm_record_layout(r, "marker", TDM_SHAPE_INSTANT, NULL, 0);
  for (int64_t i = 0; i < ROWS; i++) {
    const int64_t values[] = {i, tdm_record_real(0.5), 1, 2, 1};
    tdm_record_row(r, kernel, 10 + i, 5, on[i & 1], (uint32_t)first_name, values, 5);
  }
  tdm_record_row(r, mark, 50, 0, on[1], (uint32_t)first_name, NULL, 0);
  if (tdm_recorder_end_source(r, &failure) != TDM_OK) fail_msg("%s", failure.message);
  tdm_recorder_free(r);
  if (tdm_store_commit_run(run, NULL, &failure) != TDM_OK) fail_msg("%s", failure.message);
  return 0;
}

static int empty(void **state) {
  (void)state;
  tdm_store_close(store);
  return 0;
}

static tdm_run_tables *opened(void) {
  tdm_run_tables *tables;
  if (tdm_run_tables_open(database, 1, &tables, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  return tables;
}

static void tables_are_as_they_were_recorded(void **state) {
  (void)state;
  tdm_run_tables *t = opened();
  assert_int_equal(tdm_run_tables_run(t), 1);
  assert_int_equal(tdm_run_tables_tracks(t), 2);
  assert_int_equal(tdm_run_tables_layouts(t), 2);
  assert_int_equal(tdm_run_tables_sources(t), 1);
  const tdm_track *p = tdm_run_tables_track(t, 0);
  assert_string_equal(p->process, "python");
  assert_string_equal(p->name, "stream 7");
  assert_true(p->kind == TDM_TRACK_STREAM && p->lane == TDM_LANE_GPU);
  assert_true(p->pid == 1 && p->tid == 2 && p->device == 3 && p->context == 4 && p->stream == 7);
  assert_true(p->capacity == 6 && p->source == 0);
  p = tdm_run_tables_track(t, 1);
  assert_true(p->kind == TDM_TRACK_QUEUE && p->lane == TDM_LANE_QUEUE);
  assert_true(p->pid == TDM_NONE && p->stream == TDM_NONE && p->device == TDM_NONE);
  const tdm_source *s = tdm_run_tables_source(t, 0);
  assert_string_equal(s->path, "rank3.json");
  assert_string_equal(s->format, "kineto");
  assert_string_equal(s->detail, "schema 1");
  assert_true(s->rank == 3 && s->utc_ns == 1700 && s->offset_ns == 0);
  assert_true(s->first_ns == 10 && s->last_ns == 50 && s->rows == ROWS + 1);
  const tdm_layout *l = tdm_run_tables_layout(t, 0);
  static const tdm_arg_type types[] = {TDM_ARG_INT, TDM_ARG_REAL, TDM_ARG_TEXT, TDM_ARG_JSON,
                                       TDM_ARG_BOOL};
  static const char *const keys[] = {"correlation", "share", "kind", "dims", "graph"};
  assert_string_equal(l->category, "kernel");
  assert_true(l->shape == TDM_SHAPE_SPAN && l->args == 5);
  for (size_t i = 0; i < 5; i++) {
    assert_string_equal(l->arg[i].key, keys[i]);
    assert_int_equal(l->arg[i].type, types[i]);
  }
  l = tdm_run_tables_layout(t, 1);
  assert_string_equal(l->category, "marker");
  assert_true(l->shape == TDM_SHAPE_INSTANT && l->args == 0);
  for (int64_t id = -1; id <= 2; id += 3) { /* before the first and behind the last */
    assert_null(tdm_run_tables_track(t, id));
    assert_null(tdm_run_tables_layout(t, id));
    assert_null(tdm_run_tables_source(t, id));
  }
  assert_null(tdm_run_tables_source(t, 1));
  tdm_run_tables_close(t);
}

static void names_are_read_in_any_order(void **state) {
  (void)state;
  static const int orders[] = {1, NAMES - 1, 7, 33};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
    tdm_run_tables *t = opened();
    for (int i = 0, id = 0; i < NAMES; i++, id = (id + orders[o]) % NAMES) {
      char want[32];
      size_t length = 0;
      sprintf(want, "name %d", id);
      assert_string_equal(tdm_run_tables_name(t, first_name + id, &length), want);
      assert_int_equal(length, strlen(want));
      assert_string_equal(tdm_run_tables_name(t, first_name + id, NULL), want);
    }
    assert_null(tdm_run_tables_name(t, -1, NULL));
    assert_null(tdm_run_tables_name(t, TDM_NONE, NULL));
    assert_null(tdm_run_tables_name(t, NAMES + 1000, NULL));
    assert_null(tdm_run_tables_name(t, (1 << 28) + 1, NULL));
    tdm_run_tables_close(t);
  }
}

/* One name asks the store once for it and the 31 behind it. */
static int steps;
static int count_statement(unsigned what, void *context, void *p, void *x) {
  (void)what, (void)context, (void)p, (void)x;
  steps++;
  return 0;
}

static void names_come_thirty_two_at_once(void **state) {
  (void)state;
  tdm_run_tables *t = opened();
  steps = 0;
  sqlite3_trace_v2(database, SQLITE_TRACE_STMT, count_statement, NULL);
  for (int id = 0; id < 96; id++) assert_non_null(tdm_run_tables_name(t, first_name + id, NULL));
  assert_int_equal(steps, 3);
  for (int id = 0; id < 96; id++) assert_non_null(tdm_run_tables_name(t, first_name + id, NULL));
  assert_int_equal(steps, 3);
  sqlite3_trace_v2(database, 0, NULL, NULL);
  tdm_run_tables_close(t);
}

static void odd_tables_are_read_as_far_as_they_go(void **state) {
  (void)state;
  run_sql("UPDATE track SET kind = 'dragon', lane = 'dragon' WHERE id = 0;"
          "INSERT INTO track SELECT run, 5, process, name, kind, lane, capacity, pid, tid, device,"
          " context, stream, source FROM track WHERE id = 1;"
          "INSERT INTO layout VALUES(1, 4, 'late', 'counter');"
          "INSERT INTO layout_arg VALUES(1, 4, 0, 'value', 'dragon');"
          "INSERT INTO layout_arg VALUES(1, 3, 0, 'of none', 'int');"
          "INSERT INTO layout_arg VALUES(1, 5, 0, 'of none', 'int');"
          "INSERT INTO layout_arg VALUES(1, -1, 0, 'of none', 'int');"
          "WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
          " INSERT INTO layout_arg SELECT 1, 0, i, 'more ' || i, 'int' FROM n");
  tdm_run_tables *t = opened();
  const tdm_track *p = tdm_run_tables_track(t, 0);
  assert_true(p->kind == TDM_TRACK_OTHER && p->lane == TDM_LANE_OTHER);
  assert_int_equal(tdm_run_tables_tracks(t), 6);
  for (int64_t id = 2; id < 5; id++) assert_null(tdm_run_tables_track(t, id));
  assert_int_equal(tdm_run_tables_track(t, 5)->kind, TDM_TRACK_QUEUE);
  assert_int_equal(tdm_run_tables_layouts(t), 5);
  assert_null(tdm_run_tables_layout(t, 2));
  assert_null(tdm_run_tables_layout(t, 3));
  assert_int_equal(tdm_run_tables_layout(t, 4)->args, 1);
  assert_int_equal(tdm_run_tables_layout(t, 4)->arg[0].type, TDM_ARG_INT);
  assert_int_equal(tdm_run_tables_layout(t, 0)->args, TDM_LAYOUT_ARGS);
  assert_string_equal(tdm_run_tables_layout(t, 0)->arg[95].key, "more 95");
  tdm_run_tables_close(t);
}

static void ids_without_sense_are_refused(void **state) {
  (void)state;
  static const char *const ids[] = {"-1", "268435457"};
  tdm_run_tables *tables;
  char sql[128];
  for (size_t i = 0; i < 2; i++) {
    sprintf(sql, "INSERT INTO layout VALUES(1, %s, 'far', 'span')", ids[i]);
    run_sql(sql);
    assert_int_equal(tdm_run_tables_open(database, 1, &tables, &failure), TDM_MEMORY);
    assert_null(tables);
    sprintf(sql, "DELETE FROM layout WHERE id = %s", ids[i]);
    run_sql(sql);
  }
  assert_int_equal(tdm_run_tables_open(database, 2, &tables, &failure), TDM_INVALID);
  assert_string_equal(failure.message, "no run number 2");
  run_sql("ALTER TABLE source RENAME TO lost");
  assert_int_equal(tdm_run_tables_open(database, 1, &tables, &failure), TDM_IO);
  assert_string_equal(failure.message, "cannot read the store: no such table: source");
}

/* ---- chunks: one of ten kernels, one of a mark */

static void reads(const tdm_scan_filter *filter, size_t rows, size_t chunks) {
  tdm_run_tables *t = opened();
  tdm_scan *scan;
  size_t all, some, sum = 0, read = 0;
  assert_int_equal(tdm_scan_open(database, t, filter, &scan, &failure), TDM_OK);
  assert_int_equal(tdm_scan_rows(scan, &all, &failure), TDM_OK);
  assert_int_equal(all, rows);
  while (tdm_scan_next(scan, &some, &failure) == TDM_OK && some > 0) {
    int kernels = tdm_scan_layout(scan) == 0;
    assert_int_equal(tdm_scan_source(scan), 0);
    assert_int_equal(some, kernels ? ROWS : 1);
    assert_int_equal(tdm_scan_first_row(scan), kernels ? 0 : ROWS);
    const int64_t *start = tdm_scan_column(scan, TDM_START, &failure);
    const int64_t *dur = tdm_scan_column(scan, TDM_DUR, &failure);
    for (size_t i = 0; i < some; i++) {
      assert_int_equal(start[i], kernels ? 110 + (int64_t)i : 150);
      assert_int_equal(dur[i], kernels ? 5 : 0);
    }
    assert_ptr_equal(tdm_scan_column(scan, TDM_START, &failure), start);
    if (kernels) assert_int_equal(tdm_scan_column(scan, TDM_ARGS, &failure)[7], 7);
    sum += some;
    read++;
  }
  assert_int_equal(sum, rows);
  assert_int_equal(read, chunks);
  tdm_scan_close(scan);
  tdm_run_tables_close(t);
}

#define READS(rows, chunks, ...)                                                                   \
  do {                                                                                             \
    tdm_scan_filter f = TDM_SCAN_ALL;                                                              \
    __VA_ARGS__;                                                                                   \
    reads(&f, rows, chunks);                                                                       \
  } while (0)

/* On the clock of the run kernels last from 110 to 124, the mark is at 150. */
static void chunks_are_left_out_that_hold_nothing_wanted(void **state) {
  (void)state;
  run_sql("UPDATE source SET offset_ns = 100");
  READS(11, 2, (void)f);
  READS(11, 2, f.from_ns = 124);
  READS(1, 1, f.from_ns = 125);
  READS(1, 1, f.from_ns = 150);
  READS(0, 0, f.from_ns = 151);
  READS(11, 2, f.to_ns = 150);
  READS(10, 1, f.to_ns = 149);
  READS(10, 1, f.to_ns = 110);
  READS(0, 0, f.to_ns = 109);
  READS(10, 1, f.track = 0);
  READS(11, 2, f.track = 1);
  READS(0, 0, f.track = 2);
  READS(0, 0, f.track = -1);
  READS(11, 2, f.source = 0);
  READS(0, 0, f.source = 1);
  READS(0, 0, f.source = -1);
  READS(10, 1, f.category = "kernel");
  READS(1, 1, f.category = "marker");
  READS(0, 0, f.category = "memcpy");
  READS(10, 1, f.shapes = 1u << TDM_SHAPE_SPAN);
  READS(1, 1, f.shapes = 1u << TDM_SHAPE_INSTANT);
  READS(0, 0, f.shapes = 0);
}

typedef struct {
  int64_t runs, calls;
  size_t rows;
} told;

static void tell(void *context, int64_t run, size_t rows) {
  told *t = context;
  t->runs += run;
  t->calls++;
  t->rows += rows;
}

static void whoever_watches_is_told_of_each_chunk(void **state) {
  (void)state;
  told t = {0};
  run_sql("UPDATE source SET offset_ns = 100");
  tdm_scan_watch(tell, &t);
  READS(11, 2, (void)f);
  assert_true(t.runs == 2 && t.calls == 2 && t.rows == 11);
  READS(10, 1, f.category = "kernel");
  assert_true(t.calls == 3 && t.rows == 21);
  tdm_scan_watch(NULL, NULL);
  READS(11, 2, (void)f);
  assert_int_equal(t.calls, 3);
}

static void damaged_chunks_are_told(void **state) {
  (void)state;
  static const char *const damages[] = {
      "UPDATE chunk_data SET data = x'00' WHERE id = 1", "DELETE FROM chunk_data WHERE id = 1",
      "UPDATE chunk_data SET data = (SELECT data FROM chunk_data WHERE id = 2) WHERE id = 1"};
  tdm_scan_filter filter = TDM_SCAN_ALL;
  for (size_t i = 0; i < 3; i++) {
    size_t rows;
    tdm_scan *scan;
    run_sql("SAVEPOINT whole");
    run_sql(damages[i]);
    tdm_run_tables *t = opened();
    assert_int_equal(tdm_scan_open(database, t, &filter, &scan, &failure), TDM_OK);
    assert_int_equal(tdm_scan_next(scan, &rows, &failure), TDM_IO);
    assert_string_equal(failure.message, "a chunk of the store is damaged");
    tdm_scan_close(scan);
    tdm_run_tables_close(t);
    run_sql("ROLLBACK TO whole; RELEASE whole");
  }
  /* A count that nobody can believe is no reason to reserve as many. */
  run_sql("UPDATE chunk SET rows = 1 << 40 WHERE id = 1; UPDATE chunk SET rows = -5 WHERE id = 2");
  tdm_run_tables *t = opened();
  tdm_scan *scan;
  size_t rows;
  assert_int_equal(tdm_scan_open(database, t, &filter, &scan, &failure), TDM_OK);
  assert_int_equal(tdm_scan_rows(scan, &rows, &failure), TDM_OK);
  assert_int_equal(rows, 8192);
  tdm_scan_close(scan);
  tdm_run_tables_close(t);
}

static void times_stop_at_the_ends_of_64_bits(void **state) {
  (void)state;
  assert_true(tdm_scan_shifted(5, 3) == 8 && tdm_scan_shifted(5, -8) == -3);
  assert_true(tdm_scan_shifted(INT64_MAX - 1, 1) == INT64_MAX);
  assert_true(tdm_scan_shifted(INT64_MAX, 1) == INT64_MAX);
  assert_true(tdm_scan_shifted(INT64_MIN, -1) == INT64_MIN);
  assert_true(tdm_scan_shifted(INT64_MIN, 0) == INT64_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tables_are_as_they_were_recorded, fill, empty),
      cmocka_unit_test_setup_teardown(names_are_read_in_any_order, fill, empty),
      cmocka_unit_test_setup_teardown(names_come_thirty_two_at_once, fill, empty),
      cmocka_unit_test_setup_teardown(odd_tables_are_read_as_far_as_they_go, fill, empty),
      cmocka_unit_test_setup_teardown(ids_without_sense_are_refused, fill, empty),
      cmocka_unit_test_setup_teardown(chunks_are_left_out_that_hold_nothing_wanted, fill, empty),
      cmocka_unit_test_setup_teardown(whoever_watches_is_told_of_each_chunk, fill, empty),
      cmocka_unit_test_setup_teardown(damaged_chunks_are_told, fill, empty),
      cmocka_unit_test(times_stop_at_the_ends_of_64_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
