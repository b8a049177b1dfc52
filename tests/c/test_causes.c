/* Causes of the critical path, claims on them and what these gain, attention among kernels: small
 * runs whose every nanosecond is told here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/path/claims.h"
#include "trace/recorder.h"
#include "trace/store/store.h"

/* ---- runs ---- */

static char folder[] = "/tmp/tandem-causes-XXXXXX";
static tdm_error failure;

static void fine(tdm_status status) {
  if (status != TDM_OK) fail_msg("%s", failure.message);
}

/* A run under way: a thread, a stream, and rows of both. */
typedef struct {
  tdm_store *store;
  tdm_store_run *run;
  tdm_record_sink sink;
  tdm_recorder *recorder;
  uint32_t thread, stream;
  char path[96];
  tdm_run_view *view;
} made;

static void begin(made *m) {
  snprintf(m->path, sizeof m->path, "%s/t.db", folder);
  fine(tdm_store_open(m->path, NULL, NULL, &m->store, &failure));
  const tdm_run_info info = {.measured = 1, .name = "made", .created_utc_ns = TDM_NONE};
  fine(tdm_store_begin_run(m->store, &info, &m->run, &failure));
  tdm_store_run_sink(m->run, &m->sink);
  m->recorder = tdm_recorder_new(&m->sink);
  tdm_recorder_begin_source(m->recorder, "made", "made");
  tdm_track thread = TDM_TRACK_PLAIN, stream = TDM_TRACK_PLAIN;
  thread.kind = TDM_TRACK_THREAD;
  thread.lane = TDM_LANE_CPU;
  thread.pid = thread.tid = stream.pid = 1;
  stream.kind = TDM_TRACK_STREAM;
  stream.lane = TDM_LANE_GPU;
  stream.device = 0;
  stream.stream = 7;
  m->thread = tdm_record_track(m->recorder, &thread);
  m->stream = tdm_record_track(m->recorder, &stream);
}

static void row(made *m, const char *category, uint32_t track, const char *name, int64_t from_ns,
                int64_t to_ns, int64_t correlation) {
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  uint32_t layout = tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, args, 1);
  tdm_record_row(m->recorder, layout, from_ns, to_ns - from_ns, track,
                 tdm_record_text(m->recorder, name), &correlation, 1);
}

static void host(made *m, const char *category, const char *name, int64_t from_ns, int64_t to_ns) {
  row(m, category, m->thread, name, from_ns, to_ns, TDM_NONE);
}

/* A launch and its kernel. */
static void launch(made *m, const char *kernel, int64_t id, int64_t call_ns, int64_t call_end_ns,
                   int64_t from_ns, int64_t to_ns) {
  row(m, "runtime", m->thread, "cudaLaunchKernel", call_ns, call_end_ns, id);
  row(m, "kernel", m->stream, kernel, from_ns, to_ns, id);
}

static void finish(made *m) {
  int64_t number = tdm_store_run_number(m->run);
  fine(tdm_recorder_end_source(m->recorder, &failure));
  fine(tdm_recorder_finish(m->recorder, &failure));
  tdm_recorder_free(m->recorder);
  fine(tdm_store_commit_run(m->run, "{}", &failure));
  tdm_run_view_filter filter = TDM_RUN_VIEW_ALL;
  fine(tdm_run_view_open(tdm_store_database(m->store), number, &filter, NULL, NULL, &m->view,
                         &failure));
}

static void end(made *m) {
  tdm_run_view_close(m->view);
  tdm_store_close(m->store);
  unlink(m->path);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
  (void)state;
  char name[96];
  snprintf(name, sizeof name, "%s/t.db-wal", folder);
  unlink(name);
  snprintf(name, sizeof name, "%s/t.db-shm", folder);
  unlink(name);
  return rmdir(folder);
}

/* A load of 1000 ns, an operator that launches within it, its kernel of 2000, a wait for that:
 *
 *   thread  |--------- load 0…1000 ---------|-- mm 1000…1300 --|--- synchronize 1300…3300 ---|
 *                                              launch 1100…1200
 *   stream                                              |---- kernel 1250…3250 ----|          */
static void make_step_of(made *m, const char *kernel) {
  begin(m);
  host(m, "user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0,
       1000);
  host(m, "cpu_op", "aten::mm", 1000, 1300);
  launch(m, kernel, 1, 1100, 1200, 1250, 3250);
  row(m, "runtime", m->thread, "cudaStreamSynchronize", 1300, 3300, 2);
  finish(m);
}

static void make_step(made *m) {
  make_step_of(m, "gemm");
}

/* ---- causes ---- */

static int64_t ns_of(const tdm_causes *causes, tdm_cause cause, const char *name) {
  int64_t ns = 0;
  for (size_t n = 0; n < causes->nodes; n++)
    if (causes->node[n].cause == cause && (name == NULL || strcmp(causes->node[n].name, name) == 0))
      ns += causes->node[n].ns;
  return ns;
}

static void every_instant_has_one_cause(void **state) {
  (void)state;
  made m = {0};
  const tdm_causes *causes = NULL, *again = NULL;
  make_step(&m);
  fine(tdm_causes_of(m.view, &causes, &failure));
  assert_int_equal(causes->path->total_ns, 3300);
  assert_int_equal(causes->path->replayed_ns, 3300);
  assert_int_equal(ns_of(causes, TDM_CAUSE_LOADER, NULL), 1000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_HOST, "aten::mm"), 100);
  assert_int_equal(ns_of(causes, TDM_CAUSE_LAUNCH, "cudaLaunchKernel"), 100);
  assert_int_equal(ns_of(causes, TDM_CAUSE_LAUNCH, "(on the way to the GPU)"), 50);
  assert_int_equal(ns_of(causes, TDM_CAUSE_KERNEL, "gemm"), 2000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_SYNC, NULL), 50);
  int64_t sum = 0;
  for (size_t n = 0; n < causes->nodes; n++) sum += causes->node[n].ns;
  assert_int_equal(sum, 3300);
  fine(tdm_causes_of(m.view, &again, &failure));
  assert_ptr_equal(causes, again);
  end(&m);
}

/* What lies in nothing but a step's mark is not known; a memset that its call waited for is a wait.
 */
static void marks_of_steps_are_no_work(void **state) {
  (void)state;
  made m = {0};
  const tdm_causes *causes = NULL;
  begin(&m);
  host(&m, "user_annotation", "ProfilerStep#3", 0, 9000);
  host(&m, "cpu_op", "aten::mm", 1000, 2000);
  row(&m, "runtime", m.thread, "cudaMemset", 4000, 9000, 5);
  row(&m, "memset", m.stream, "Memset (Managed)", 5000, 8000, 5);
  finish(&m);
  fine(tdm_causes_of(m.view, &causes, &failure));
  assert_int_equal(causes->path->total_ns, 9000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_NOTHING, NULL), 3000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_HOST, NULL), 1000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_KERNEL, NULL), 3000);
  assert_int_equal(
      ns_of(causes, TDM_CAUSE_SYNC, "cudaMemset") + ns_of(causes, TDM_CAUSE_LAUNCH, NULL), 2000);
  end(&m);
}

/* ---- claims and gains ---- */

/* A cell of the claim with an id; TDM_NONE: absent. */
static int64_t cell(const tdm_answer *answer, int64_t id, const char *field) {
  for (size_t i = 0; i < tdm_answer_frames(answer); i++) {
    const tdm_frame *frame = tdm_answer_frame_at(answer, i);
    if (strcmp(tdm_frame_title(frame), "claims") != 0) continue;
    size_t fields;
    const tdm_field *list = tdm_frame_fields(frame, &fields);
    for (size_t r = 0; r < tdm_frame_rows(frame); r++) {
      int64_t its = TDM_NONE, value = TDM_NONE;
      double real;
      const char *text;
      tdm_frame_value(frame, r, 0, &its, &real, &text);
      for (size_t f = 0; its == id && f < fields; f++)
        if (strcmp(list[f].name, field) == 0)
          return tdm_frame_value(frame, r, f, &value, &real, &text) ? value : TDM_NONE;
    }
  }
  fail_msg("no claim %lld, %s", (long long)id, field);
  return TDM_NONE;
}

static tdm_answer *claimed(const made *m, const char *claims) {
  const tdm_option option = {.key = "claims", .text = claims};
  const tdm_options options = {&option, 1};
  tdm_answer *answer = tdm_answer_new();
  fine(tdm_evidence_causes(m->view, &options, answer, &failure));
  return answer;
}

static void gains_are_replays(void **state) {
  (void)state;
  made m = {0};
  make_step(&m);
  /* The kernel 2 to 4 times as fast, a tenth of the load to none of it. */
  tdm_answer *a = claimed(&m, "1\t1\t0\tkernel\tgemm\t2\t4\n2\t1\t0\tloader\t\t10\t1e9");
  assert_int_equal(cell(a, 1, "held_ns"), 2000);
  assert_int_equal(cell(a, 1, "gain_ns"), 1000);
  assert_int_equal(cell(a, 1, "most_ns"), 1500);
  assert_int_equal(cell(a, 2, "held_ns"), 1000);
  assert_int_equal(cell(a, 2, "gain_ns"), 900);
  assert_int_equal(cell(a, 2, "most_ns"), 1000);
  tdm_answer_free(a);
  /* A cap is the most that is gained. */
  a = claimed(&m, "1\t1\t700\tkernel\tgemm\t2\t4");
  assert_int_equal(cell(a, 1, "gain_ns"), 700);
  assert_int_equal(cell(a, 1, "most_ns"), 700);
  tdm_answer_free(a);
  /* Without the wait the kernel still ends at 3250: 50 go, of which a tenth may stay. */
  a = claimed(&m, "1\t1\t400\twait\t\t1\t1e9");
  assert_int_equal(cell(a, 1, "gain_ns"), 45);
  assert_int_equal(cell(a, 1, "most_ns"), 50);
  tdm_answer_free(a);
  end(&m);
  /* Where what is waited for is a collective, it may take as long without the wait. */
  make_step_of(&m, "ncclDevKernel_AllReduce");
  a = claimed(&m, "1\t1\t400\twait\t\t1\t1e9");
  assert_int_equal(cell(a, 1, "gain_ns"), 0);
  assert_int_equal(cell(a, 1, "most_ns"), 50);
  tdm_answer_free(a);
  end(&m);
}

static void no_time_is_claimed_twice(void **state) {
  (void)state;
  made m = {0};
  make_step(&m);
  /* A symptom on the time of the load: it comes after the load's claim and is part of it. */
  tdm_answer *a = claimed(&m, "7\t2\t1000\twithin\t\t0\t1000\n3\t1\t0\tloader\t\t1e9\t1e9");
  assert_int_equal(cell(a, 3, "gain_ns"), 1000);
  assert_int_equal(cell(a, 3, "part_of"), TDM_NONE);
  assert_int_equal(cell(a, 7, "held_ns"), 1000);
  assert_int_equal(cell(a, 7, "left_ns"), 0);
  assert_int_equal(cell(a, 7, "part_of"), 3);
  assert_int_equal(cell(a, 7, "alone_most_ns"), 1000);
  tdm_answer_free(a);
  /* Alone it holds what the host has of its time, and gains nothing for sure. */
  a = claimed(&m, "7\t2\t500\twithin\t\t500\t1100");
  assert_int_equal(cell(a, 7, "held_ns"), 600);
  assert_int_equal(cell(a, 7, "gain_ns"), 0);
  assert_int_equal(cell(a, 7, "most_ns"), 500);
  tdm_answer_free(a);
  end(&m);
}

/* The load is gone with either end of the claim; what is told at least is what is sure of it. */
static void what_is_sure_bounds_the_low_end_alone(void **state) {
  (void)state;
  made m = {0};
  make_step(&m);
  tdm_answer *a = claimed(&m, "3\t1\t0\tloader\t\t1e9\t1e9\t600");
  assert_int_equal(cell(a, 3, "gain_ns"), 600);
  assert_int_equal(cell(a, 3, "most_ns"), 1000);
  tdm_answer_free(a);
  a = claimed(&m, "3\t1\t800\tloader\t\t1e9\t1e9\t900");
  assert_int_equal(cell(a, 3, "gain_ns"), 800);
  assert_int_equal(cell(a, 3, "most_ns"), 800);
  tdm_answer_free(a);
  end(&m);
}

/* Waits lead where a replay without them gains more than what else is claimed. */
static void larger_claims_are_first(void **state) {
  (void)state;
  made m = {0};
  make_step(&m);
  tdm_answer *a = claimed(&m, "1\t1\t20\tlaunch\t\t1\t1e9\n2\t1\t400\twait\t\t1\t1e9");
  const tdm_frame *frame = tdm_answer_frame_at(a, tdm_answer_frames(a) - 1);
  int64_t first = TDM_NONE;
  double real;
  const char *text;
  assert_string_equal(tdm_frame_title(frame), "claims");
  assert_true(tdm_frame_value(frame, 0, 0, &first, &real, &text));
  assert_int_equal(first, 2);
  tdm_answer_free(a);
  end(&m);
}

/* ---- waits between streams that nothing tells ---- */

/* A kernel on another stream, which the second kernel of the first stream waits for: both were
 * asked for in time. */
static void streams_wait_for_one_another(void **state) {
  (void)state;
  made m = {0};
  const tdm_causes *causes = NULL;
  begin(&m);
  tdm_track other = TDM_TRACK_PLAIN;
  other.kind = TDM_TRACK_STREAM;
  other.lane = TDM_LANE_GPU;
  other.pid = 1;
  other.device = 0;
  other.stream = 24;
  uint32_t side = tdm_record_track(m.recorder, &other);
  launch(&m, "gemm", 1, 0, 1000, 2000, 10000);
  row(&m, "runtime", m.thread, "cudaLaunchKernel", 1000, 2000, 2);
  row(&m, "kernel", side, "ncclDevKernel_AllReduce", 11000, 90000, 2);
  launch(&m, "adam", 3, 2000, 3000, 91000, 95000);
  finish(&m);
  fine(tdm_causes_of(m.view, &causes, &failure));
  assert_int_equal(causes->path->inferred, 2); /* the collective for gemm, adam for it */
  assert_int_equal(ns_of(causes, TDM_CAUSE_COMM, NULL), 79000);
  assert_int_equal(ns_of(causes, TDM_CAUSE_KERNEL, "adam"), 4000);
  end(&m);
}

/* ---- attention ---- */

static void attention_is_between_batched_products(void **state) {
  (void)state;
  made m = {0};
  const tdm_path *path = NULL;
  static const struct {
    const char *op;
    uint8_t marked;
  } list[] = {{"aten::mm", 0},       {"aten::bmm", 1}, {"aten::div", 1}, {"aten::_softmax", 1},
              {"aten::bmm", 1},      {"aten::mm", 0},  {"aten::mm", 0},  {"aten::_softmax", 0},
              {"aten::mm", 0},       {"aten::bmm", 0}, {"aten::mm", 0},  {"aten::_softmax", 0},
              {"aten::bmm,_seq", 0}, {"aten::add", 0}};
  enum { COUNT = sizeof list / sizeof *list };
  begin(&m);
  for (int64_t i = 0; i < COUNT; i++) {
    host(&m, "cpu_op", list[i].op, 100 * i, 100 * i + 80);
    launch(&m, "kernel", i + 1, 100 * i + 20, 100 * i + 40, 10000 + 100 * i, 10090 + 100 * i);
  }
  finish(&m);
  fine(tdm_path_of(m.view, &path, &failure));
  assert_int_equal(path->work->count, COUNT);
  uint8_t *marked = tdm_path_attention(path);
  assert_non_null(marked);
  for (size_t i = 0; i < COUNT; i++) assert_int_equal(marked[i], list[i].marked);
  free(marked);
  end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_instant_has_one_cause),
                                     cmocka_unit_test(marks_of_steps_are_no_work),
                                     cmocka_unit_test(gains_are_replays),
                                     cmocka_unit_test(no_time_is_claimed_twice),
                                     cmocka_unit_test(what_is_sure_bounds_the_low_end_alone),
                                     cmocka_unit_test(larger_claims_are_first),
                                     cmocka_unit_test(streams_wait_for_one_another),
                                     cmocka_unit_test(attention_is_between_batched_products)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
