/* The arrows of a trace: edges between the spans that are open at their ends, calls and what they
 * launched by correlation; and the notes and orders of plain writers, of a trace of two sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "records_as_text.h"
#include "write/span_links.h"
#include "write/writer.h"

static tdm_error failure;

/* ---- a trace by hand: `m` gathers it, rows go in one by one ---- */

enum { CPU, GPU, OTHER_CPU, NEXT_CPU, NEXT_GPU, TRACKS };
static uint32_t track[TRACKS];

static uint32_t track_on(made *m, const char *name, int64_t pid) {
  tdm_track p = TDM_TRACK_PLAIN;
  p.process = "p";
  p.name = name;
  p.kind = TDM_TRACK_THREAD;
  p.pid = pid;
  return tdm_record_track(m->recorder, &p);
}

static made begun(void) {
  made m = made_new();
  track[CPU] = track_on(&m, "cpu", 10);
  track[GPU] = track_on(&m, "gpu", 10);
  track[OTHER_CPU] = track_on(&m, "cpu of another", 20);
  return m;
}

static void next_source(made *m) {
  assert_int_equal(tdm_recorder_end_source(m->recorder, &failure), TDM_OK);
  tdm_recorder_begin_source(m->recorder, "next", "test");
  track[NEXT_CPU] = track_on(m, "cpu", 10);
  track[NEXT_GPU] = track_on(m, "gpu", 10);
}

static void span(made *m, const char *category, int on, int64_t start, int64_t end,
                 int64_t correlation) {
  static const tdm_arg args[] = {{"bytes", TDM_ARG_INT}, {"correlation", TDM_ARG_INT}};
  uint32_t layout = tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, args, 2);
  const int64_t values[] = {7, correlation};
  tdm_record_row(m->recorder, layout, start, end - start, track[on],
                 tdm_record_text(m->recorder, category), values, 2);
}

static void edge(made *m, const char *kind, int64_t from_ns, int from, int64_t to_ns, int to) {
  tdm_record_edge(m->recorder, tdm_record_text(m->recorder, kind), from_ns, track[from], to_ns,
                  track[to], TDM_NONE);
}

/* ---- arrows as text: "kind from>to", spans by their start; "!" before a loose end ---- */

static void name_end(char *out, const tdm_recording *r, const tdm_lanes *lanes,
                     const tdm_span_links *links, uint64_t id, int incoming) {
  for (size_t i = 0; i < links->count; i++) {
    const tdm_link_end *end = &links->end[i];
    if (end->id != id || end->incoming != incoming) continue;
    const tdm_laid_span *at = &lanes->span[end->span];
    sprintf(out + strlen(out), "%lld",
            (long long)tdm_kept(tdm_recording_rows(r, at->layout), TDM_START, at->row));
  }
  for (size_t i = 0; i < links->loose_count; i++)
    if (links->loose[i].id == id && links->loose[i].incoming == incoming)
      sprintf(out + strlen(out), "!%lld", (long long)links->loose[i].time_ns);
}

static void expect(made *m, const char *expected) {
  tdm_lanes lanes;
  tdm_span_links links;
  static char text[1 << 16];
  text[0] = 0;
  made_done(m);
  assert_int_equal(tdm_lanes_open(&lanes, m->recording, TDM_LANES_SYNC, &failure), TDM_OK);
  assert_int_equal(tdm_span_links_open(&links, m->recording, &lanes, &failure), TDM_OK);
  for (uint64_t n = 1; n <= links.numbers; n++)
    for (uint32_t kind = 0; kind < links.kinds; kind++) {
      uint64_t id = (uint64_t)kind << 48 | n;
      char from[64] = "", to[64] = "";
      name_end(from, m->recording, &lanes, &links, id, 0);
      name_end(to, m->recording, &lanes, &links, id, 1);
      if (from[0] == 0 && to[0] == 0) continue;
      sprintf(text + strlen(text), "%s%s %s>%s", text[0] != 0 ? ", " : "", links.kind[kind], from,
              to);
    }
  assert_string_equal(text, expected);
  for (size_t i = 0; i < links.count; i++) {
    const tdm_link_end *end = &links.end[i];
    if (i > 0)
      assert_true(end->span > end[-1].span || (end->span == end[-1].span && end->id > end[-1].id));
    size_t first = tdm_span_links_find(&links, end->span);
    assert_true(first <= i && links.end[first].span == end->span);
    assert_true(first == 0 || links.end[first - 1].span < end->span);
  }
  assert_int_equal(tdm_span_links_find(&links, lanes.count), links.count);
  tdm_span_links_close(&links);
  tdm_lanes_close(&lanes);
  tdm_recording_free(m->recording);
}

static void ends_belong_to_the_innermost_span_that_is_open(void **state) {
  (void)state;
  made m = begun();
  span(&m, "op", CPU, 0, 100, TDM_NONE);
  span(&m, "op", CPU, 10, 50, TDM_NONE);
  span(&m, "op", CPU, 20, 30, TDM_NONE);
  span(&m, "op", CPU, 60, 70, TDM_NONE);
  span(&m, "op", GPU, 200, 300, TDM_NONE);
  span(&m, "op", GPU, 250, 350, TDM_NONE); /* beside it: on another lane */
  edge(&m, "flow", 25, CPU, 200, GPU);
  edge(&m, "flow", 30, CPU, 300, GPU);
  edge(&m, "flow", 31, CPU, 199, GPU);
  edge(&m, "other", 55, CPU, 351, GPU);
  edge(&m, "flow", 20, CPU, 260, GPU);
  edge(&m, "flow", 101, CPU, 310, GPU);
  edge(&m, "flow", 0, CPU, 5, OTHER_CPU);
  expect(&m, "flow 0>!5, flow 20>250, flow 20>200, flow 20>250, flow 10>!199, other 0>!351, "
             "flow !101>250");
}

/* Spans that nest on two threads, down to eight deep, and edges at any time: each end belongs to
 * the last that began of the spans that hold its time. Times of beginnings and ends are all
 * different, but for edges, which are at some of them. */
enum { NESTED = 80, EDGES = 300 };

static int nest(tdm_rng *rng, int64_t *start, int64_t *end, int64_t *clock, int depth, int count) {
  while (count < NESTED) {
    int own = count++;
    start[own] = ++*clock;
    if (depth < 8 && tdm_index_below(tdm_rng_bits(rng), 3) > 0)
      count = nest(rng, start, end, clock, depth + 1, count);
    end[own] = ++*clock;
    *clock += (int64_t)tdm_index_below(tdm_rng_bits(rng), 3);
    if (depth > 0 && tdm_index_below(tdm_rng_bits(rng), 3) == 0) break;
  }
  return count;
}

static void innermost(char *out, const int64_t *start, const int64_t *end, int64_t at_ns) {
  int found = -1;
  for (int i = 0; i < NESTED; i++)
    if (start[i] <= at_ns && end[i] >= at_ns && (found < 0 || start[i] > start[found])) found = i;
  if (found < 0)
    sprintf(out, "!%lld", (long long)at_ns);
  else
    sprintf(out, "%lld", (long long)start[found]);
}

static void ends_are_found_however_deep_spans_nest(void **state) {
  (void)state;
  tdm_rng rng = {3};
  static int64_t start[2][NESTED], end[2][NESTED];
  static char want[EDGES * 32];
  char *p = want;
  made m = begun();
  for (int t = 0; t < 2; t++) {
    int64_t clock = 10;
    nest(&rng, start[t], end[t], &clock, 0, 0);
    for (int i = 0; i < NESTED; i++)
      span(&m, "op", t == 0 ? CPU : OTHER_CPU, start[t][i], end[t][i], TDM_NONE);
  }
  for (int i = 0; i < EDGES; i++) {
    char from[24], to[24];
    int64_t arrival = (int64_t)tdm_index_below(tdm_rng_bits(&rng), EDGES);
    edge(&m, "flow", i, CPU, arrival, OTHER_CPU);
    innermost(from, start[0], end[0], i);
    innermost(to, start[1], end[1], arrival);
    p += sprintf(p, "%sflow %s>%s", i > 0 ? ", " : "", from, to);
  }
  expect(&m, want);
}

static void calls_are_joined_to_what_they_launched(void **state) {
  (void)state;
  made m = begun();
  span(&m, "runtime", CPU, 0, 5, 1);
  span(&m, "driver", CPU, 10, 15, 2);
  span(&m, "runtime", CPU, 20, 25, 3);
  span(&m, "driver", CPU, 30, 35, 3); /* inside, as it were: the first is the call */
  span(&m, "runtime", CPU, 40, 45, 0);
  span(&m, "runtime", CPU, 50, 55, TDM_NONE);
  span(&m, "runtime", CPU, 60, 65, 9); /* launched nothing */
  span(&m, "cpu_op", CPU, 70, 75, 4);
  span(&m, "runtime", OTHER_CPU, 80, 85, 5);
  span(&m, "kernel", GPU, 100, 105, 1);
  span(&m, "memcpy", GPU, 110, 115, 2);
  span(&m, "memset", GPU, 120, 125, 3);
  span(&m, "graph", GPU, 130, 135, 3);
  span(&m, "kernel", GPU, 140, 145, 0);
  span(&m, "kernel", GPU, 150, 155, TDM_NONE);
  span(&m, "kernel", GPU, 160, 165, 4);
  span(&m, "kernel", GPU, 170, 175, 5); /* called by another process */
  span(&m, "nvtx", GPU, 180, 185, 1);
  expect(&m, "correlation 0>100, correlation 10>110, correlation 20>120, correlation 20>130");
}

static void sources_with_edges_of_their_own_are_left_to_them(void **state) {
  (void)state;
  static const char *const kinds[] = {"ac2g", "async_cpu_to_gpu", "correlation", "fwdbwd"};
  for (size_t k = 0; k < 4; k++) {
    made m = begun();
    span(&m, "runtime", CPU, 0, 5, 1);
    span(&m, "kernel", GPU, 100, 105, 1);
    edge(&m, kinds[k], 1, CPU, 100, GPU);
    next_source(&m);
    span(&m, "runtime", NEXT_CPU, 20, 25, 1);
    span(&m, "kernel", NEXT_GPU, 120, 125, 1);
    char expected[128];
    if (k < 3)
      sprintf(expected, "%s 0>100, correlation 20>120", kinds[k]);
    else
      sprintf(expected, "fwdbwd 0>100, correlation 0>100, correlation 20>120");
    expect(&m, expected);
  }
}

/* ---- two sources in plain files ---- */

static char *written(const tdm_recording *r, const char *format, size_t *length) {
  const char *path = scratch_path(".out");
  if (tdm_writer_named(format)->write(r, path, NULL, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  char *text = slurp(path, length);
  unlink(path);
  return text;
}

static void notes_stay_with_their_source(void **state) {
  (void)state;
  made m = begun();
  unsigned char bytes[2000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7 + i / 256);
  tdm_record_fact(m.recorder, "gpu", "first");
  tdm_record_problem(m.recorder, "odd things", 3);
  tdm_record_artifact(m.recorder, "large", "application/octet-stream", bytes, sizeof bytes);
  span(&m, "kernel", GPU, 0, 5, 1);
  next_source(&m);
  tdm_record_fact(m.recorder, "gpu", "second");
  tdm_record_problem(m.recorder, "strange things", 4);
  span(&m, "kernel", NEXT_GPU, 0, 5, 1);
  made_done(&m);
  size_t length, count;
  char *text = written(m.recording, "jsonl", &length);
  tdm_recording *back = read_bytes(&tdm_reader_jsonl, text, length);
  const tdm_fact *facts = tdm_recording_facts(back, &count);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(facts[i].source, strcmp(facts[i].value, "first") == 0 ? 0 : 1);
  const tdm_problem *problems = tdm_recording_problems(back, &count);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(problems[i].source, strcmp(problems[i].kind, "odd things") == 0 ? 0 : 1);
  const tdm_artifact *artifact = tdm_recording_artifacts(back, &count);
  assert_int_equal(count, 1);
  assert_int_equal(artifact->length, sizeof bytes);
  assert_memory_equal(artifact->bytes, bytes, sizeof bytes);
  tdm_recording_free(back);
  tdm_recording_free(m.recording);
  free(text);
}

/* In the order of the run's clock, whatever each source's own says; copies on the lane of their
 * kind, where the kind is a text. */
static void rows_are_in_the_order_of_the_run(void **state) {
  (void)state;
  static const tdm_arg worded[] = {{"kind", TDM_ARG_TEXT}}, numbered[] = {{"kind", TDM_ARG_INT}};
  made m = begun();
  uint32_t copy = tdm_record_layout(m.recorder, "memcpy", TDM_SHAPE_SPAN, worded, 1);
  uint32_t odd = tdm_record_layout(m.recorder, "memcpy", TDM_SHAPE_SPAN, numbered, 1);
  int64_t down = tdm_record_text(m.recorder, "DtoH"), none = TDM_NONE, four = 4;
  tdm_record_row(m.recorder, copy, 100, 1, track[GPU], 0, &down, 1);
  tdm_record_row(m.recorder, copy, 110, 1, track[GPU], 0, &none, 1);
  tdm_record_row(m.recorder, odd, 130, 1, track[GPU], 0, &four, 1);
  next_source(&m);
  tdm_recorder_origin(m.recorder, "far away", "test", 1000);
  span(&m, "op", NEXT_CPU, -880, -870, TDM_NONE);
  made_done(&m);
  size_t length;
  char *text = written(m.recording, "csv", &length), expected[4][64];
  const char *lanes[] = {"D2H", "GPU", "OTHER", "GPU"};
  const int starts[] = {100, 110, 120, 130}; /* −880 and 1000 */
  for (size_t i = 0; i < 4; i++) sprintf(expected[i], ",%d,%d,p,", starts[i], i == 2 ? 10 : 1);
  const char *at = text;
  for (size_t i = 0; i < 4; i++) {
    at = strchr(at, '\n') + 1;
    const char *found = strstr(at, expected[i]), *end = strchr(at, '\n');
    if (found == NULL || found > end) fail_msg("no %s in line %zu of\n%s", expected[i], i, text);
    char lane[16];
    sprintf(lane, ",%s,", lanes[i]);
    found = strstr(at, lane);
    if (found == NULL || found > end) fail_msg("no %s in line %zu of\n%s", lane, i, text);
  }
  tdm_recording_free(m.recording);
  free(text);
}

/* Three that lie beside each other, on four sub-lanes after them one each again. */
static void stacks_of_many_lanes_are_summed(void **state) {
  (void)state;
  made m = begun();
  static const char *const names[] = {"a", "b", "c", "d"};
  for (int64_t turn = 0; turn < 2; turn++)
    for (int64_t i = 0; i < 4; i++) {
      uint32_t layout = tdm_record_layout(m.recorder, "op", TDM_SHAPE_SPAN, NULL, 0);
      tdm_record_row(m.recorder, layout, 100 * turn + i, 10 + i, track[CPU],
                     tdm_record_text(m.recorder, names[i]), NULL, 0);
    }
  made_done(&m);
  size_t length;
  char *text = written(m.recording, "folded", &length);
  assert_string_equal(text, "p;cpu;a 20\np;cpu;b 22\np;cpu;c 24\np;cpu;d 26\n");
  tdm_recording_free(m.recording);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_belong_to_the_innermost_span_that_is_open),
      cmocka_unit_test(ends_are_found_however_deep_spans_nest),
      cmocka_unit_test(calls_are_joined_to_what_they_launched),
      cmocka_unit_test(sources_with_edges_of_their_own_are_left_to_them),
      cmocka_unit_test(notes_stay_with_their_source),
      cmocka_unit_test(rows_are_in_the_order_of_the_run),
      cmocka_unit_test(stacks_of_many_lanes_are_summed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
