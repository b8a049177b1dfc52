/* A simulated run as a profiler would have captured it: a small one by hand, every row of the
 * capture on paper; and the slots that overlapping times are laid on, against a plain count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "records_as_text.h"
#include "trace/simulated/inside.h"
#include "trace/simulated/simulated.h"

/* ---- a simulated run by hand ---- */

static uint32_t station(made *m, tdm_track_kind kind, tdm_lane lane, const char *process,
                        const char *name) {
  tdm_track p = TDM_TRACK_PLAIN;
  p.process = process;
  p.name = name;
  p.kind = kind;
  p.lane = lane;
  p.capacity = 8;
  return tdm_record_track(m->recorder, &p);
}

static uint32_t servers(made *m, tdm_lane lane, const char *process, const char *name) {
  return station(m, TDM_TRACK_SERVER, lane, process, name);
}

static uint32_t queue(made *m, const char *process, const char *name) {
  return station(m, TDM_TRACK_QUEUE, TDM_LANE_QUEUE, process, name);
}

#define CLASS(n) ((int64_t)(n) << 48)

static void request(made *m, tdm_shape shape, uint32_t on, const char *class, int64_t id,
                    int64_t start, int64_t end, int64_t tokens, double share) {
  static const tdm_arg args[] = {
      {"request", TDM_ARG_INT}, {"tokens", TDM_ARG_INT}, {"share", TDM_ARG_REAL}};
  const int64_t values[] = {id, tokens, tdm_record_real(share)};
  tdm_record_row(m->recorder, tdm_record_layout(m->recorder, "request", shape, args, 3), start,
                 end - start, on, tdm_record_text(m->recorder, class), values, 3);
}

static void row(made *m, const char *category, const char *name, uint32_t on, int64_t id,
                int64_t start, int64_t end, int64_t batch, int64_t bytes) {
  static const tdm_arg args[] = {
      {"request", TDM_ARG_INT}, {"batch", TDM_ARG_INT}, {"bytes", TDM_ARG_INT}};
  const int64_t values[] = {id, batch, bytes};
  tdm_record_row(m->recorder, tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, args, 3),
                 start, end - start, on, tdm_record_text(m->recorder, name), values, 3);
}

static void stage(made *m, const char *name, uint32_t on, int64_t id, int64_t start, int64_t end) {
  row(m, "stage", name, on, id, start, end, 1, TDM_NONE);
}

static void wait(made *m, const char *name, uint32_t on, int64_t id, int64_t start, int64_t end) {
  row(m, "wait", name, on, id, start, end, TDM_NONE, TDM_NONE);
}

static tdm_recording *captured(made *m, tdm_captured_manner manner) {
  tdm_recording *out = tdm_recording_new();
  tdm_record_sink sink;
  made_done(m);
  tdm_recording_sink(out, &sink);
  if (tdm_captured(m->recording, manner, &sink, &m->error) != TDM_OK)
    fail_msg("%s", m->error.message);
  tdm_recording_free(m->recording);
  return out;
}

#define SAYS(got, ...)                                                                             \
  do {                                                                                             \
    const char *const want[] = {__VA_ARGS__};                                                      \
    assert_rows(got, sizeof want / sizeof *want, want);                                            \
    tdm_recording_free(got);                                                                       \
  } while (0)

#define THREAD(n, worker)                                                                          \
  " [server (1000) | thread " #n " worker " #worker " | thread CPU pid=1000 tid=" #n "]"
#define STREAM(card, device, context, n)                                                           \
  " [" card " #" #device " | stream " #n " | stream GPU pid=1000 device=" #device                  \
  " context=" #context " stream=" #n "]"

static void requests_are_ranges_on_as_few_threads_as_hold_them(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = station(&m, TDM_TRACK_PROCESS, TDM_LANE_OTHER, "workload", "requests");
  uint32_t cpu = servers(&m, TDM_LANE_CPU, "host", "cpu");
  request(&m, TDM_SHAPE_ASYNC, on, "chat", CLASS(1) | 7, 0, 100, 5, 0.5);
  request(&m, TDM_SHAPE_ASYNC, on, "chat", CLASS(1) | 8, 10, 60, TDM_NONE, (double)NAN);
  request(&m, TDM_SHAPE_ASYNC, on, "bulk", CLASS(2) | 8, 60, 160, -3, (double)INFINITY);
  request(&m, TDM_SHAPE_OPEN, on, "bulk", CLASS(2) | 3, 70, 200, 0, (double)-INFINITY);
  request(&m, TDM_SHAPE_ASYNC, on, "chat", CLASS(1) | 4, 150, 150, 1, 1e-7);
  request(&m, TDM_SHAPE_ASYNC, on, "chat", CLASS(1) | 5, 210, 220, 1, 3);
  stage(&m, "lex", cpu, CLASS(1) | 7, 0, 10);
  stage(&m, "parse", cpu, CLASS(1) | 7, 0, 20);
  stage(&m, "left", cpu, CLASS(1) | 7, 20, 60); /* two branches at once */
  stage(&m, "right", cpu, CLASS(1) | 7, 40, 80);
  stage(&m, "under right", cpu, CLASS(1) | 7, 50, 60);
  stage(&m, "after", cpu, CLASS(1) | 7, 80, 100);
  stage(&m, "parse", cpu, CLASS(2) | 8, 60, 160);
  stage(&m, "of nobody", cpu, CLASS(2) | 9, 60, 160);
  tdm_recording *got = captured(&m, TDM_CAPTURED_NVTX);
  SAYS(got, "async nvtx 40+40 'right'" THREAD(1001, 1),
       "open nvtx 70+130 'request 3 class=bulk tokens=0 share=-inf'" THREAD(1003, 3),
       "span nvtx 0+10 'lex'" THREAD(1001, 1),
       "span nvtx 0+100 'request 7 class=chat tokens=5 share=0.5'" THREAD(1001, 1),
       "span nvtx 0+20 'parse'" THREAD(1001, 1),
       "span nvtx 10+50 'request 8 class=chat'" THREAD(1002, 2),
       "span nvtx 150+0 'request 4 class=chat tokens=1 share=1e-07'" THREAD(1001, 1),
       "span nvtx 20+40 'left'" THREAD(1001, 1),
       "span nvtx 210+10 'request 5 class=chat tokens=1 share=3.0'" THREAD(1001, 1),
       "span nvtx 50+10 'under right'" THREAD(1001, 1), "span nvtx 60+100 'parse'" THREAD(1002, 2),
       "span nvtx 60+100 'request 8 class=bulk tokens=-3 share=inf'" THREAD(1002, 2),
       "span nvtx 80+20 'after'" THREAD(1001, 1));
}

/* Rows of a made run of one class: three requests, two cards, one of which is a resource of the
 * host. */
static void work(made *m) {
  uint32_t on = station(m, TDM_TRACK_PROCESS, TDM_LANE_OTHER, "workload", "requests");
  uint32_t gpu = servers(m, TDM_LANE_GPU, "A", "A gpu"),
           npu = servers(m, TDM_LANE_GPU, "host", "npu");
  uint32_t in = servers(m, TDM_LANE_H2D, "A", "A h2d"),
           back = servers(m, TDM_LANE_D2H, "A", "A d2h");
  uint32_t in_queue = queue(m, "A", "A h2d"), gpu_queue = queue(m, "A", "A gpu");
  for (int64_t i = 1; i <= 3; i++)
    request(m, TDM_SHAPE_ASYNC, on, "chat", i, i - 1, 1000, TDM_NONE, (double)NAN);
  wait(m, "up", in_queue, 1, 0, 10);
  row(m, "stage", "up", in, 1, 10, 30, 1, 4000);
  row(m, "stage", "up", in, 3, 25, 40, 1, TDM_NONE);
  row(m, "stage", "up", in, 2, 30, 30, 1, 64);
  wait(m, "infer", gpu_queue, 1, 32, 40);
  stage(m, "infer", gpu, 1, 40, 90);
  stage(m, "infer", gpu, 2, 60, 100);
  stage(m, "infer", gpu, 3, 90, 120);
  row(m, "stage", "down", back, 1, 120, 140, 1, 800);
  wait(m, "infer", gpu_queue, 1, 150, 200); /* again: two waits of one request end together */
  wait(m, "infer", gpu_queue, 1, 170, 200);
  stage(m, "infer", gpu, 1, 200, 210);
  stage(m, "infer", gpu, 1, 200, 230);
  stage(m, "encode", npu, 2, 300, 310);
}

static void stages_of_cards_are_calls_and_work_on_streams(void **state) {
  (void)state;
  made m = made_new();
  work(&m);
  tdm_recording *got = captured(&m, TDM_CAPTURED_NVTX);
  SAYS(got, "span kernel 200+10 'infer' correlation=9" STREAM("A", 0, 1, 15),
       "span kernel 200+30 'infer' correlation=8" STREAM("A", 0, 1, 7),
       "span kernel 300+10 'encode' correlation=10" STREAM("npu", 1, 2, 7),
       "span kernel 40+50 'infer' correlation=4" STREAM("A", 0, 1, 7),
       "span kernel 60+40 'infer' correlation=5" STREAM("A", 0, 1, 15),
       "span kernel 90+30 'infer' correlation=6" STREAM("A", 0, 1, 7),
       "span memcpy 10+20 'Memcpy HtoD' correlation=1 kind=t'HtoD' src_kind=t'pinned' "
       "dst_kind=t'device' bytes=4000" STREAM("A", 0, 1, 13),
       "span memcpy 120+20 'Memcpy DtoH' correlation=7 kind=t'DtoH' src_kind=t'device' "
       "dst_kind=t'pinned' bytes=800" STREAM("A", 0, 1, 16),
       "span memcpy 25+15 'Memcpy HtoD' correlation=2 kind=t'HtoD' src_kind=t'pinned' "
       "dst_kind=t'device'" STREAM("A", 0, 1, 14),
       "span memcpy 30+0 'Memcpy HtoD' correlation=3 kind=t'HtoD' src_kind=t'pinned' "
       "dst_kind=t'device' bytes=64" STREAM("A", 0, 1, 13),
       "span nvtx 0+1000 'request 1'" THREAD(1001, 1),
       "span nvtx 1+999 'request 2'" THREAD(1002, 2), "span nvtx 2+998 'request 3'" THREAD(1003, 3),
       "span runtime 0+0 'cudaMemcpyAsync' correlation=1" THREAD(1001, 1),
       "span runtime 120+0 'cudaMemcpyAsync' correlation=7" THREAD(1001, 1),
       "span runtime 150+0 'cudaLaunchKernel' correlation=8" THREAD(1001, 1),
       "span runtime 170+0 'cudaLaunchKernel' correlation=9" THREAD(1001, 1),
       "span runtime 25+0 'cudaMemcpyAsync' correlation=2" THREAD(1003, 3),
       "span runtime 30+0 'cudaMemcpyAsync' correlation=3" THREAD(1002, 2),
       "span runtime 300+0 'cudaLaunchKernel' correlation=10" THREAD(1002, 2),
       "span runtime 32+0 'cudaLaunchKernel' correlation=4" THREAD(1001, 1),
       "span runtime 60+0 'cudaLaunchKernel' correlation=5" THREAD(1002, 2),
       "span runtime 90+0 'cudaLaunchKernel' correlation=6" THREAD(1003, 3));
}

static void copies_say_their_bandwidth_to_kineto(void **state) {
  (void)state;
  made m = made_new();
  work(&m);
  tdm_recording *got = captured(&m, TDM_CAPTURED_KINETO);
  size_t facts;
  const tdm_fact *fact = tdm_recording_facts(got, &facts);
  assert_int_equal(facts, 3);
  assert_string_equal(fact[0].key, "gpu.0.name");
  assert_string_equal(fact[0].value, "A");
  assert_string_equal(fact[1].key, "gpu.1.name");
  assert_string_equal(fact[1].value, "npu");
  lines all = lines_of(got);
  size_t copies = 0;
  static const char *const want[] = {
      "span memcpy 10+20 'Memcpy HtoD (Pinned -> Device)' correlation=1 kind=t'HtoD' "
      "src_kind=t'pinned' dst_kind=t'device' bytes=4000 memory_bandwidth_gb_per_s=200r" STREAM(
          "A", 0, 1, 13),
      "span memcpy 120+20 'Memcpy DtoH (Device -> Pinned)' correlation=7 kind=t'DtoH' "
      "src_kind=t'device' dst_kind=t'pinned' bytes=800 memory_bandwidth_gb_per_s=40r" STREAM("A", 0,
                                                                                             1, 16),
      "span memcpy 25+15 'Memcpy HtoD (Pinned -> Device)' correlation=2 kind=t'HtoD' "
      "src_kind=t'pinned' dst_kind=t'device'" STREAM("A", 0, 1, 14),
      "span memcpy 30+0 'Memcpy HtoD (Pinned -> Device)' correlation=3 kind=t'HtoD' "
      "src_kind=t'pinned' dst_kind=t'device' bytes=64" STREAM("A", 0, 1, 13)};
  for (size_t i = 0; i < all.count; i++)
    if (strncmp(all.line[i], "span memcpy", 11) == 0)
      assert_string_equal(all.line[i], want[copies++]);
  lines_free(&all);
  assert_int_equal(copies, 4);
  tdm_recording_free(got);
}

static void members_of_a_batch_are_those_who_waited_for_it(void **state) {
  (void)state;
  made m = made_new();
  uint32_t on = station(&m, TDM_TRACK_PROCESS, TDM_LANE_OTHER, "workload", "requests");
  uint32_t a = servers(&m, TDM_LANE_GPU, "A", "A gpu"), a_queue = queue(&m, "A", "A gpu");
  uint32_t b = servers(&m, TDM_LANE_GPU, "B", "B gpu"), b_queue = queue(&m, "B", "B gpu");
  for (int64_t i = 1; i <= 7; i++)
    request(&m, TDM_SHAPE_ASYNC, on, "chat", i, i, 400 + i, TDM_NONE, (double)NAN);
  wait(&m, "infer", a_queue, 1, 40, 50);
  wait(&m, "infer", a_queue, 6, 41, 50);
  wait(&m, "infer", a_queue, 2, 42, 50);
  wait(&m, "infer", b_queue, 3, 43, 50); /* elsewhere */
  wait(&m, "other", a_queue, 7, 44, 50); /* for something else */
  wait(&m, "infer", a_queue, 4, 47, 50);
  wait(&m, "infer", a_queue, 5, 48, 50);
  wait(&m, "infer", a_queue, 99, 49, 50); /* the trace does not have it */
  wait(&m, "infer", a_queue, 7, 49, 51);  /* longer */
  row(&m, "stage", "infer", a, 1, 50, 80, 3, TDM_NONE);
  row(&m, "stage", "infer", a, 6, 50, 60, 3, TDM_NONE);
  row(&m, "stage", "infer", b, 3, 50, 70, 2, TDM_NONE);
  row(&m, "stage", "infer", a, 7, 90, 95, 4, TDM_NONE);
  row(&m, "stage", "infer", a, 98, 200, 210, 1, TDM_NONE);
  tdm_recording *got = captured(&m, TDM_CAPTURED_KINETO);
  assert_int_equal(problem_count(got, "members of batches"), 1 + 3);
  SAYS(got, "span kernel 50+10 'infer' correlation=3" STREAM("A", 0, 1, 13),
       "span kernel 50+20 'infer' correlation=1" STREAM("B", 1, 2, 7),
       "span kernel 50+30 'infer' correlation=2" STREAM("A", 0, 1, 7),
       "span kernel 90+5 'infer' correlation=4" STREAM("A", 0, 1, 7),
       "span runtime 43+0 'cudaLaunchKernel' correlation=1" THREAD(1003, 3),
       "span runtime 47+0 'cudaLaunchKernel' correlation=2" THREAD(1001, 1),
       "span runtime 49+0 'cudaLaunchKernel' correlation=3" THREAD(1006, 6),
       "span runtime 90+0 'cudaLaunchKernel' correlation=4" THREAD(1007, 7),
       "span user_annotation 1+400 'request 1'" THREAD(1001, 1),
       "span user_annotation 2+400 'request 2'" THREAD(1002, 2),
       "span user_annotation 3+400 'request 3'" THREAD(1003, 3),
       "span user_annotation 4+400 'request 4'" THREAD(1004, 4),
       "span user_annotation 42+38 'infer'" THREAD(1002, 2),
       "span user_annotation 47+33 'infer'" THREAD(1004, 4),
       "span user_annotation 48+12 'infer'" THREAD(1005, 5),
       "span user_annotation 5+400 'request 5'" THREAD(1005, 5),
       "span user_annotation 6+400 'request 6'" THREAD(1006, 6),
       "span user_annotation 7+400 'request 7'" THREAD(1007, 7));
}

/* ---- slots ---- */

static void a_span_of_time_takes_the_lowest_free_slot(void **state) {
  (void)state;
  enum { COUNT = 400 };
  tdm_rng rng = {17};
  int64_t start[COUNT], end[COUNT], busy_until[COUNT];
  uint32_t slot[COUNT];
  for (int round = 0; round < 20; round++) {
    uint32_t used = 0;
    int64_t at = -50;
    for (int i = 0; i < COUNT; i++) {
      start[i] = at += (int64_t)tdm_index_below(tdm_rng_bits(&rng), 3);
      end[i] = at + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 1 + 3 * (uint64_t)round);
      if (i % 97 == 96) end[i] = INT64_MAX;
    }
    uint32_t got = tdm_captured_slots(start, end, COUNT, slot);
    for (int i = 0; i < COUNT; i++) {
      uint32_t lowest = 0;
      while (lowest < used && busy_until[lowest] > start[i]) lowest++;
      if (lowest == used) used++;
      busy_until[lowest] = end[i];
      assert_int_equal(slot[i], lowest);
    }
    assert_int_equal(got, used);
  }
  assert_int_equal(tdm_captured_slots(start, end, 0, slot), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_are_ranges_on_as_few_threads_as_hold_them),
      cmocka_unit_test(stages_of_cards_are_calls_and_work_on_streams),
      cmocka_unit_test(copies_say_their_bandwidth_to_kineto),
      cmocka_unit_test(members_of_a_batch_are_those_who_waited_for_it),
      cmocka_unit_test(a_span_of_time_takes_the_lowest_free_slot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
