/* Kineto and Chrome traces: real files against what python3's json finds in them, each phase of
 * events, names that come late, and files that are broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/kineto/kineto.h"
#include "read/reader.h"
#include "trace/recording.h"

static tdm_recording *trace;
static tdm_error failure;
static tdm_read_options options;

static tdm_status read_input(tdm_input *input, const char *path) {
  tdm_record_sink sink;
  tdm_recording_free(trace);
  trace = tdm_recording_new();
  tdm_recording_sink(trace, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, path, "kineto");
  tdm_status status = tdm_reader_kineto.read(input, &options, recorder, &failure);
  tdm_error other;
  assert_int_equal(tdm_recorder_end_source(recorder, &other), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &other), TDM_OK);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  return status;
}

static tdm_status read_text(const char *text, size_t length) {
  tdm_input *input;
  assert_int_equal(tdm_input_open_memory(text, length, &input, &failure), TDM_OK);
  return read_input(input, "memory");
}

static void reads(const char *text) {
  tdm_status status = read_text(text, strlen(text));
  if (status != TDM_OK) fail_msg("%s", failure.message);
}

static void reads_file(const char *path) {
  tdm_input *input;
  tdm_status status = tdm_input_open(path, &input, &failure);
  if (status == TDM_OK) status = read_input(input, path);
  if (status != TDM_OK) fail_msg("%s", failure.message);
}

/* ---- looking ---- */

typedef struct {
  uint64_t count, starts, durs;
} sums;

static sums sums_of(const char *category, const char *shape) {
  sums total = {0, 0, 0};
  for (uint32_t l = 0; l < tdm_recording_layouts(trace); l++) {
    const tdm_layout *layout = tdm_recording_layout(trace, l);
    const tdm_kept_rows *rows = tdm_recording_rows(trace, l);
    if (strcmp(layout->category, category) != 0 ||
        strcmp(tdm_shape_name(layout->shape), shape) != 0)
      continue;
    total.count += rows->count;
    for (size_t i = 0; i < rows->count; i++) {
      total.starts += (uint64_t)tdm_kept(rows, TDM_START, i);
      total.durs += (uint64_t)tdm_kept(rows, TDM_DUR, i);
    }
  }
  return total;
}

static uint64_t problem(const char *kind) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(trace, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(problems[i].kind, kind) == 0) return problems[i].count;
  return 0;
}

static void no_problems(void) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(trace, &count);
  if (count > 0) fail_msg("%llu %s", (unsigned long long)problems[0].count, problems[0].kind);
}

static const char *fact(const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(trace, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

/* Row `n` of all rows whose name is this, layout by layout. */
typedef struct {
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  size_t at;
} found_row;

static found_row row_named(const char *name, size_t n) {
  for (uint32_t l = 0; l < tdm_recording_layouts(trace); l++) {
    const tdm_kept_rows *rows = tdm_recording_rows(trace, l);
    for (size_t i = 0; i < rows->count; i++) {
      const char *own = tdm_recording_name(trace, (uint32_t)tdm_kept(rows, TDM_NAME, i), NULL);
      if (strcmp(own, name) == 0 && n-- == 0)
        return (found_row){tdm_recording_layout(trace, l), rows, i};
    }
  }
  fail_msg("no row is named %s", name);
  return (found_row){0};
}

static int64_t cell(const found_row *row, const char *key) {
  uint32_t column = tdm_layout_column(row->layout, key);
  if (column == 0) fail_msg("no argument %s", key);
  return tdm_kept(row->rows, column, row->at);
}

static const char *text_cell(const found_row *row, const char *key) {
  return tdm_recording_name(trace, (uint32_t)cell(row, key), NULL);
}

static const tdm_track *track_of(const found_row *row) {
  return tdm_recording_track(trace, (uint32_t)tdm_kept(row->rows, TDM_TRACK, row->at));
}

static void lies_at(const char *name, int64_t start_ns, int64_t dur_ns, tdm_shape shape) {
  found_row row = row_named(name, 0);
  assert_int_equal(tdm_kept(row.rows, TDM_START, row.at), start_ns);
  assert_int_equal(tdm_kept(row.rows, TDM_DUR, row.at), dur_ns);
  assert_int_equal(row.layout->shape, shape);
}

/* ---- real files ---- */

/* Compares the files of expected.tsv that lie in `folder` (files of the table elsewhere:
 * "kineto/…", "kineto_2021/…"). Returns how many there were. */
static int compare_files(const char *folder) {
  FILE *table = fopen("tests/data/kineto/expected.tsv", "r");
  assert_non_null(table);
  char line[512], current[512] = "";
  int files = 0;
  uint64_t expected_rows = 0;
  bool here = false;
  while (fgets(line, sizeof line, table) != NULL) {
    char file[256], category[64], shape[32], path[1024];
    unsigned long long count, starts, durs;
    if (line[0] == '#') continue;
    assert_int_equal(sscanf(line, "%255[^\t]\t%63[^\t]\t%31[^\t]\t%llu\t%llu\t%llu", file, category,
                            shape, &count, &starts, &durs),
                     6);
    if (strcmp(file, current) != 0) {
      strcpy(current, file);
      snprintf(path, sizeof path, "%s/%s", folder, file);
      here = access(path, R_OK) == 0;
      if (here) reads_file(path);
      files += here;
      expected_rows = 0;
    }
    if (!here) continue;
    if (strcmp(category, "unpaired") == 0) {
      assert_int_equal(problem("flow ends without a beginning (dropped)"), count);
      assert_int_equal(tdm_recording_source(trace, 0)->rows, expected_rows);
      continue;
    }
    sums got = sums_of(category, shape);
    expected_rows += count;
    if (got.count != count || got.starts != starts || got.durs != durs)
      fail_msg("%s: %s %s: %llu events, %llu ns", file, category, shape,
               (unsigned long long)got.count, (unsigned long long)got.durs);
  }
  fclose(table);
  return files;
}

static void shipped_files_hold_what_python_finds(void **state) {
  (void)state;
  assert_int_equal(compare_files("tests/data"), 22);
}

static void large_files_hold_what_python_finds(void **state) {
  (void)state;
  const char *folder = getenv("TANDEM_DATA");
  if (folder == NULL) {
    print_message("TANDEM_DATA is not set: large files are not compared\n");
    skip();
  }
  assert_int_equal(compare_files(folder), 23);
}

static void a_compiled_triton_run_on_an_mi300x(void **state) {
  (void)state;
  reads_file("tests/data/kineto/torch_compile_triton__trace.json.gz");
  const tdm_source *source = tdm_recording_source(trace, 0);
  assert_string_equal(source->detail, "Kineto, schema 1");
  assert_int_equal(source->utc_ns, 1775078550000000000);
  assert_int_equal(source->rank, TDM_NONE);
  assert_string_equal(fact("gpu.0.name"), "AMD Instinct MI300X");
  assert_string_equal(fact("gpu.0.compute_capability"), "9.4");
  assert_string_equal(fact("gpu.0.sm_count"), "304");
  assert_string_equal(fact("displayTimeUnit"), "ms");
  found_row row = row_named("Record Window End", 0); /* "ts": 3603029059322.061 */
  assert_int_equal(tdm_kept(row.rows, TDM_START, row.at), 3603029059322061);
}

static void a_training_step_on_an_a100(void **state) {
  (void)state;
  reads_file("tests/data/kineto/"
             "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz");
  const tdm_source *source = tdm_recording_source(trace, 0);
  assert_int_equal(source->rank, 0);
  assert_int_equal(source->utc_ns, 0); /* time stamps of the day, no base */
  found_row copy = row_named("Memcpy HtoD (Pageable -> Device)", 0);
  assert_string_equal(copy.layout->category, "memcpy");
  assert_string_equal(text_cell(&copy, "kind"), "HtoD");
  assert_string_equal(text_cell(&copy, "src_kind"), "pageable");
  assert_string_equal(text_cell(&copy, "dst_kind"), "device");
  assert_true(cell(&copy, "bytes") > 0);
  assert_int_equal(tdm_layout_column(copy.layout, "stream"), 0); /* that is the track's */
  const tdm_track *stream = track_of(&copy);
  assert_string_equal(stream->process, "NVIDIA A100-PG509-200 #0");
  assert_int_equal(stream->kind, TDM_TRACK_STREAM);
  assert_int_equal(stream->device, 0);
  assert_int_equal(stream->context, 1);
  assert_int_equal(stream->lane, TDM_LANE_GPU);
  found_row launch = row_named("cudaLaunchKernel", 0);
  assert_string_equal(launch.layout->category, "runtime");
  const tdm_track *thread = track_of(&launch);
  assert_int_equal(thread->kind, TDM_TRACK_THREAD);
  assert_int_equal(thread->lane, TDM_LANE_CPU);
  assert_int_equal(stream->pid,
                   thread->pid); /* one process calls CUDA: the GPU's rows are its own */
  found_row set = row_named("Memset (Device)", 0);
  assert_string_equal(text_cell(&set, "kind"), "device");
  found_row wait = row_named("Context Sync", 0);
  assert_string_equal(wait.layout->category, "sync");
  assert_int_equal(track_of(&wait)->kind, TDM_TRACK_DEVICE); /* of no stream */
}

static void a_file_of_2021(void **state) {
  (void)state;
  reads_file("tests/data/kineto/samples_2021__cut.worker0.pt.trace.json.gz");
  assert_int_equal(tdm_recording_source(trace, 0)->rank, 0); /* worker0 */
  assert_int_equal(tdm_recording_source(trace, 0)->utc_ns, 0);
  found_row copy = row_named("Memcpy HtoD (Pageable -> Device)", 0);
  assert_int_equal(cell(&copy, "bytes"), 19267584); /* the first one's */
  assert_int_equal(cell(&copy, "correlation"), 34417);
  assert_int_equal(cell(&copy, "external_id"), 537);
  const tdm_track *stream = track_of(&copy); /* "tid": "stream 7" */
  assert_string_equal(stream->name, "stream 7");
  assert_int_equal(stream->stream, 7);
  found_row edge = row_named("ac2g", 0); /* "cat": "async", "name": "launch" */
  assert_int_equal(edge.layout->shape, TDM_SHAPE_EDGE);
  found_row memory = row_named("[memory]", 0);
  assert_string_equal(memory.layout->category, "memory");
  assert_int_equal(cell(&memory, "bytes"), -8);
}

/* ---- events ---- */

static void complete_events_are_exact(void **state) {
  (void)state;
  reads("{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":7,\"ts\":"
        "1695835542481129.123,\"dur\":0.001,\"args\":{\"grid\":[8,4,1],\"block\":[128,1,2],"
        "\"registers per thread\":32,\"shared memory\":1024,\"device\":1,\"context\":2,"
        "\"stream\":7,\"correlation\":99,\"blocks per SM\":1,\"ok\":true,\"who\":\"me\","
        "\"list\":[1, 2],\"none\":null,\"big\":18446744073709551615}}]}");
  no_problems();
  lies_at("k", 1695835542481129123, 1, TDM_SHAPE_SPAN);
  found_row row = row_named("k", 0);
  assert_int_equal(cell(&row, "grid_x"), 8);
  assert_int_equal(cell(&row, "grid_y"), 4);
  assert_int_equal(cell(&row, "block_z"), 2);
  assert_int_equal(cell(&row, "registers_per_thread"), 32);
  assert_int_equal(cell(&row, "shared_bytes"), 1024);
  assert_int_equal(cell(&row, "correlation"), 99);
  assert_true(tdm_record_double(cell(&row, "blocks_per_sm")) == 1.0);
  assert_int_equal(cell(&row, "ok"), 1);
  assert_string_equal(text_cell(&row, "who"), "me");
  assert_string_equal(text_cell(&row, "list"), "[1,2]");
  assert_string_equal(text_cell(&row, "big"), "18446744073709551615");
  assert_int_equal(cell(&row, "none"), TDM_NONE);
}

static void fields_may_come_in_any_order(void **state) {
  (void)state;
  reads(
      "[{\"args\":{\"correlation\":5,\"stream\":3,\"device\":0},\"cat\":\"kernel\",\"dur\":2,"
      "\"name\":\"k\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1},"
      "{\"args\":{\"name\":\"worker\"},\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":9,\"tid\":4},"
      "{\"args\":{},\"name\":\"x\",\"ph\":\"X\",\"pid\":9,\"tid\":4,\"ts\":1,\"dur\":1}]");
  no_problems();
  found_row row = row_named("k", 0);
  assert_int_equal(track_of(&row)->stream, 3);
  row = row_named("x", 0);
  assert_string_equal(track_of(&row)->name, "worker");
}

static void begins_meet_their_ends(void **state) {
  (void)state;
  reads_file("tests/data/kineto/trace-event__unbalanced-name.json");
  lies_at("alpha", 0, 9000, TDM_SHAPE_SPAN);
  lies_at("beta", 1000, 9000, TDM_SHAPE_SPAN);
  assert_int_equal(problem("ends out of order (matched by name)"), 1);
  reads_file("tests/data/kineto/trace-event__end-non-top-of-stack.json");
  lies_at("A", 0, 10000, TDM_SHAPE_SPAN);
  lies_at("B", 1000, 10000, TDM_SHAPE_OPEN);
  found_row row = row_named("A", 0);
  assert_int_equal(cell(&row, "x"), 2); /* the end's arguments win */
  assert_int_equal(problem("beginnings without an end (kept as open)"), 1);
  reads_file("tests/data/kineto/trace-event__zero-duration-events.json");
  assert_int_equal(problem("ends without a beginning (dropped)"), 1);
  lies_at("C", 2000, 8000, TDM_SHAPE_OPEN);
  /* Threads of their own; an end without a name. */
  reads("[{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"args\":{\"v\":1}},"
        "{\"ph\":\"B\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":1},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5},"
        "{\"ph\":\"E\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":4}]");
  no_problems();
  lies_at("a", 0, 5000, TDM_SHAPE_SPAN);
  lies_at("b", 1000, 3000, TDM_SHAPE_SPAN);
}

static void deep_stacks_keep_their_order(void **state) {
  (void)state;
  enum { DEPTH = 1000 };
  char *text = malloc(2 * DEPTH * 80), *at = text;
  *at++ = '[';
  for (int i = 0; i < DEPTH; i++)
    at +=
        sprintf(at, "{\"ph\":\"B\",\"name\":\"f\",\"tid\":1,\"ts\":%d,\"args\":{\"n\":%d}},", i, i);
  for (int i = DEPTH; i > 0; i--)
    at += sprintf(at, "{\"ph\":\"E\",\"tid\":1,\"ts\":%d}%s", 3 * DEPTH - i, i > 1 ? "," : "]");
  reads(text);
  free(text);
  no_problems();
  for (size_t i = 0; i < DEPTH; i++) { /* n began at n and ended at 3 DEPTH - (n + 1) */
    found_row row = row_named("f", i);
    int64_t n = cell(&row, "n");
    assert_int_equal(tdm_kept(row.rows, TDM_START, row.at), 1000 * n);
    assert_int_equal(tdm_kept(row.rows, TDM_DUR, row.at), 1000 * (3 * DEPTH - (n + 1) - n));
  }
}

static void asynchronous_events_meet_by_id(void **state) {
  (void)state;
  reads(
      "[{\"ph\":\"b\",\"cat\":\"req\",\"id\":\"0x1\",\"name\":\"r\",\"pid\":1,\"tid\":1,\"ts\":0},"
      "{\"ph\":\"b\",\"cat\":\"req\",\"id\":\"0x2\",\"name\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1},"
      "{\"ph\":\"n\",\"cat\":\"req\",\"id\":\"0x1\",\"name\":\"step\",\"pid\":1,\"tid\":1,\"ts\":2}"
      ","
      "{\"ph\":\"e\",\"cat\":\"req\",\"id\":1,\"name\":\"r\",\"pid\":1,\"tid\":5,\"ts\":9},"
      "{\"ph\":\"e\",\"cat\":\"req\",\"id\":\"0x2\",\"name\":\"s\",\"pid\":1,\"tid\":1,\"ts\":3},"
      "{\"ph\":\"b\",\"cat\":\"req\",\"id2\":{\"local\":\"0x7\"},\"name\":\"l\",\"pid\":1,\"tid\":"
      "1,"
      "\"ts\":3},"
      "{\"ph\":\"e\",\"cat\":\"req\",\"id2\":{\"local\":\"0x7\"},\"name\":\"l\",\"pid\":2,\"tid\":"
      "1,"
      "\"ts\":4}]");
  lies_at("r", 0, 9000, TDM_SHAPE_ASYNC);
  lies_at("s", 1000, 2000, TDM_SHAPE_ASYNC);
  lies_at("step", 2000, 0, TDM_SHAPE_INSTANT);
  lies_at("l", 3000, 6000, TDM_SHAPE_OPEN); /* the end is another process's */
  found_row row = row_named("r", 0);
  assert_int_equal(cell(&row, "id"), 1);
}

static void a_lane_learns_its_device_from_any_event(void **state) {
  (void)state;
  reads("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":\"gpu\",\"tid\":7,\"ts\":1,"
        "\"dur\":1},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":\"gpu\",\"tid\":7,\"ts\":3,"
        "\"dur\":1,"
        "\"args\":{\"device\":0}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"c\",\"pid\":\"gpu\",\"tid\":7,\"ts\":3,"
        "\"dur\":1,"
        "\"args\":{\"device\":1}}]");
  found_row b = row_named("b", 0), c = row_named("c", 0);
  assert_int_equal(track_of(&b)->device, 0);
  assert_int_equal(track_of(&c)->device, 1);
}

static void flows_become_edges(void **state) {
  (void)state;
  reads(
      "[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\",\"pid\":10,\"tid\":11,\"ts\":1,"
      "\"dur\":2},"
      "{\"ph\":\"s\",\"id\":5,\"pid\":10,\"tid\":11,\"ts\":1,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k1\",\"pid\":0,\"tid\":7,\"ts\":9,\"dur\":1},"
      "{\"ph\":\"f\",\"id\":5,\"pid\":0,\"tid\":7,\"ts\":9,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k2\",\"pid\":0,\"tid\":7,\"ts\":11,\"dur\":1},"
      "{\"ph\":\"f\",\"id\":5,\"pid\":0,\"tid\":7,\"ts\":11,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
      /* The end first; a step between; one without an end. */
      "{\"ph\":\"f\",\"id\":6,\"pid\":0,\"tid\":7,\"ts\":20,\"cat\":\"fwdbwd\",\"name\":\"fb\"},"
      "{\"ph\":\"s\",\"id\":6,\"pid\":10,\"tid\":11,\"ts\":15,\"cat\":\"fwdbwd\",\"name\":\"fb\"},"
      "{\"ph\":\"s\",\"id\":7,\"pid\":10,\"tid\":11,\"ts\":30,\"cat\":\"c\",\"name\":\"x\"},"
      "{\"ph\":\"t\",\"id\":7,\"pid\":10,\"tid\":12,\"ts\":31,\"cat\":\"c\",\"name\":\"x\"},"
      "{\"ph\":\"f\",\"id\":7,\"pid\":10,\"tid\":11,\"ts\":33,\"cat\":\"c\",\"name\":\"x\"},"
      "{\"ph\":\"s\",\"id\":8,\"pid\":10,\"tid\":11,\"ts\":40,\"cat\":\"c\",\"name\":\"x\"},"
      "{\"ph\":\"f\",\"id\":9,\"pid\":10,\"tid\":11,\"ts\":41,\"cat\":\"c\",\"name\":\"x\"}]");
  assert_int_equal(problem("flows without an end (dropped)"), 1);
  assert_int_equal(problem("flow ends without a beginning (dropped)"), 1);
  found_row edge = row_named("ac2g", 0);
  found_row kernel = row_named("k1", 0), call = row_named("launch", 0);
  assert_int_equal(tdm_kept(edge.rows, TDM_START, edge.at), 1000);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at),
                   10000); /* of equal starts the longer first */
  assert_int_equal(tdm_kept(edge.rows, TDM_TRACK, edge.at),
                   tdm_kept(call.rows, TDM_TRACK, call.at));
  assert_int_equal(cell(&edge, "to_track"), tdm_kept(kernel.rows, TDM_TRACK, kernel.at));
  assert_int_equal(cell(&edge, "id"), 5);
  edge = row_named("ac2g", 1); /* one launch of a graph, two kernels */
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 8000);
  edge = row_named("fwdbwd", 0);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 5000);
  edge = row_named("c", 0);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 1000);
  edge = row_named("c", 1);
  assert_int_equal(tdm_kept(edge.rows, TDM_START, edge.at), 31000);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 2000);
}

static void a_step_that_comes_first_is_no_arrow_to_itself(void **state) {
  (void)state;
  reads("[{\"ph\":\"t\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":31,\"cat\":\"c\",\"name\":\"x\"},"
        "{\"ph\":\"f\",\"id\":7,\"pid\":1,\"tid\":1,\"ts\":33,\"cat\":\"c\",\"name\":\"x\"},"
        "{\"ph\":\"s\",\"id\":7,\"pid\":1,\"tid\":1,\"ts\":30,\"cat\":\"c\",\"name\":\"x\"}]");
  found_row edge = row_named("c", 0);
  assert_int_equal(edge.rows->count, 2);
  assert_int_equal(tdm_kept(edge.rows, TDM_START, edge.at), 30000);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 1000);
  edge = row_named("c", 1);
  assert_int_equal(tdm_kept(edge.rows, TDM_START, edge.at), 31000);
  assert_int_equal(tdm_kept(edge.rows, TDM_DUR, edge.at), 2000);
  reads("[{\"ph\":\"t\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":31,\"cat\":\"c\",\"name\":\"x\"}]");
  assert_int_equal(problem("flows without an end (dropped)"), 1);
  assert_int_equal(problem("flow ends without a beginning (dropped)"), 1);
}

static void counters_are_sampled(void **state) {
  (void)state;
  reads("[{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":5,\"args\":{\"used\":3,\"free\":4.5}},"
        "{\"ph\":\"C\",\"name\":\"util\",\"pid\":0,\"ts\":6,\"args\":{\"value\":0.25}},"
        "{\"ph\":\"C\",\"name\":\"util\",\"id\":2,\"pid\":0,\"ts\":7,\"args\":{\"value\":\"x\"}},"
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"GPU 3\"}}]");
  assert_int_equal(problem("counter values that are not numbers (dropped)"), 1);
  found_row row = row_named("mem used", 0);
  assert_int_equal(row.layout->shape, TDM_SHAPE_SAMPLE);
  assert_true(tdm_record_double(cell(&row, "value")) == 3.0);
  assert_int_equal(track_of(&row)->kind, TDM_TRACK_PROCESS);
  row = row_named("mem free", 0);
  assert_true(tdm_record_double(cell(&row, "value")) == 4.5);
  row = row_named("util", 0);
  assert_int_equal(track_of(&row)->kind, TDM_TRACK_DEVICE);
  assert_int_equal(track_of(&row)->device, 3);
}

/* Chrome says the time on the thread's own clock beside the arguments: "tts". */
static void only_the_arguments_of_a_counter_are_its_series(void **state) {
  (void)state;
  reads("[{\"pid\":1,\"tid\":1,\"ts\":5,\"ph\":\"C\",\"cat\":\"c\",\"name\":\"mem\","
        "\"args\":{\"value\":3},\"tts\":77}]");
  found_row row = row_named("mem", 0);
  assert_int_equal(row.rows->count, 1);
  assert_true(tdm_record_double(cell(&row, "value")) == 3.0);
}

static void names_may_come_after_the_events(void **state) {
  (void)state;
  reads(
      "{\"traceEvents\":["
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":40,\"tid\":41,\"ts\":1,\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"u\",\"pid\":0,\"tid\":7,\"ts\":1,"
      "\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
      "\"args\":{\"device\":0,\"context\":4,\"stream\":7}},"
      "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"t\",\"pid\":\"Spans\",\"tid\":\"PyTorch "
      "Profiler\",\"ts\":1,\"dur\":1},"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":40,\"tid\":0,\"args\":{\"name\":\"python\"}}"
      ","
      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":40,\"tid\":\"41\",\"args\":{\"name\":"
      "\"main\"}}],\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100\"}]}");
  no_problems();
  found_row row = row_named("op", 0);
  assert_string_equal(track_of(&row)->process, "python (40)");
  assert_string_equal(track_of(&row)->name, "main");
  found_row annotation = row_named("u", 0);
  row = row_named("k", 0);
  assert_ptr_equal(track_of(&row), track_of(&annotation)); /* the context is learned */
  assert_int_equal(track_of(&row)->context, 4);
  assert_string_equal(track_of(&row)->process, "NVIDIA H100 #0");
  row = row_named("t", 0);
  assert_string_equal(track_of(&row)->process, "Spans");
  assert_string_equal(track_of(&row)->name, "PyTorch Profiler");
}

static void what_stands_beside_the_events_is_facts(void **state) {
  (void)state;
  reads(
      "{\"schemaVersion\":1,\"with_flops\":1.5,\"yes\":true,\"no\":false,\"none\":null,"
      "\"deep\":{\"yes\":true,\"list\":[1,{\"a\":null}],\"text\":\"a b\"},\"traceEvents\":["
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]}");
  no_problems();
  static const char *const facts[][2] = {{"with_flops", "1.5"}, {"yes", "true"},
                                         {"no", "false"},       {"none", "null"},
                                         {"deep.yes", "true"},  {"deep.list", "[1,{\"a\":null}]"},
                                         {"deep.text", "a b"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_string_equal(fact(facts[i][0]), facts[i][1]);
}

static void contexts_of_one_stream_number_are_kept_apart(void **state) {
  (void)state;
  reads("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
        "\"args\":{\"device\":0,\"context\":1,\"stream\":7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
        "\"args\":{\"device\":0,\"context\":2,\"stream\":7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"c\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
        "\"args\":{\"device\":0,\"context\":1,\"stream\":7}}]");
  found_row a = row_named("a", 0), b = row_named("b", 0), c = row_named("c", 0);
  assert_ptr_not_equal(track_of(&a), track_of(&b));
  assert_ptr_equal(track_of(&a), track_of(&c));
  assert_int_equal(track_of(&b)->context, 2);
}

/* Of one process and thread; a number that an event does not tell may be any. */
static void lanes_are_told_apart_by_each_of_their_numbers(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool one;
  } cases[] = {
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":0,\"context\":1,\"stream\":7", true},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":2,\"context\":1,\"stream\":7", false},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":0,\"context\":2,\"stream\":7", false},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":0,\"context\":1,\"stream\":8", false},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":0,\"stream\":7", true},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"context\":1,\"stream\":7", true},
      {"\"device\":0,\"context\":1,\"stream\":7", "\"device\":0,\"context\":1", true},
      {"\"device\":0,\"stream\":7", "\"device\":0,\"context\":1,\"stream\":7", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
#define KERNEL(name)                                                                               \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1," \
  "\"args\":{%s}}"
    snprintf(text, sizeof text, "[" KERNEL("a") "," KERNEL("b") "," KERNEL("c") "]", cases[i].a,
             cases[i].b, cases[i].a);
    reads(text);
    found_row a = row_named("a", 0), b = row_named("b", 0), c = row_named("c", 0);
    if (cases[i].one != (track_of(&a) == track_of(&b)))
      fail_msg("%s and %s", cases[i].a, cases[i].b);
    assert_ptr_equal(track_of(&a), track_of(&c));
  }
}

static void graphs_lie_on_streams_when_a_device_is_named(void **state) {
  (void)state;
  reads(
      "[{\"ph\":\"X\",\"cat\":\"graph\",\"name\":\"gpu\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
      "\"args\":{\"device\":0,\"stream\":7}},"
      "{\"ph\":\"X\",\"cat\":\"graph\",\"name\":\"own\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1}]");
  found_row gpu = row_named("gpu", 0), own = row_named("own", 0);
  assert_int_equal(track_of(&gpu)->kind, TDM_TRACK_STREAM);
  assert_int_equal(track_of(&own)->kind, TDM_TRACK_THREAD);
}

static void samples_carry_their_stacks(void **state) {
  (void)state;
  reads_file("tests/data/kineto/trace-event__simple-with-samples.json");
  assert_int_equal(sums_of("sample", "instant").count, 7);
  lies_at("[root];[GC Young Gen]", 11552179951000, 0, TDM_SHAPE_INSTANT);
}

static void other_events_are_counted(void **state) {
  (void)state;
  reads("[{\"ph\":\"N\",\"ts\":1},{\"ph\":\"v\",\"ts\":1},{\"ph\":\"?\",\"ts\":1},{\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"no time\"},{\"ph\":\"X\",\"name\":\"no dur\",\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"back\",\"ts\":1,\"dur\":-5},17,\"x\",[1],"
        "{\"ph\":\"s\",\"ts\":1},{\"ph\":\"X\",\"name\":\"far\",\"ts\":1e30,\"dur\":1}]");
  assert_int_equal(problem("object events, phases N, O and D (dropped)"), 1);
  assert_int_equal(problem("memory dumps, phases v and V (dropped)"), 1);
  assert_int_equal(problem("events of an unknown phase (dropped)"), 1);
  assert_int_equal(problem("events without a phase (dropped)"), 1);
  assert_int_equal(problem("events without a time (dropped)"), 2);
  assert_int_equal(problem("events without a duration (taken as 0 long)"), 1);
  assert_int_equal(problem("events that end before they begin (taken as 0 long)"), 1);
  assert_int_equal(problem("events that are not objects (dropped)"), 3);
  assert_int_equal(problem("flows without an id (dropped)"), 1);
}

static void unknown_fields_are_kept_as_arguments(void **state) {
  (void)state;
  reads("[{\"ph\":\"i\",\"s\":\"g\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":4,\"cname\":"
        "\"good\","
        "\"args\":{\"cname\":\"bad\"}}]");
  found_row row = row_named("mark", 0);
  assert_string_equal(row.layout->category, "marker");
  assert_string_equal(text_cell(&row, "s"), "g");
  assert_string_equal(text_cell(&row, "cname"), "bad"); /* of equal keys the last one */
}

/* A list or an object where a word or a number belongs is no value, and nothing in it is. */
static void values_of_other_kinds_are_passed_over(void **state) {
  (void)state;
  static const char *const others[] = {"[]",
                                       "{}",
                                       "[1,[2],{\"ts\":3}]",
                                       "{\"ts\":[4],\"dur\":5}",
                                       "{\"name\":\"wrong\",\"ph\":\"i\",\"pid\":77}",
                                       "null",
                                       "true"};
  static const char *const keys[] = {"ph",  "cat", "name", "ts", "dur", "tdur", "pid",
                                     "tid", "id",  "id2",  "sf", "bp",  "s"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      char text[300];
      snprintf(text, sizeof text,
               "{\"traceEvents\":[{\"%s\":%s,\"ph\":\"X\",\"cat\":\"mine\",\"name\":\"right\","
               "\"ts\":1,\"dur\":2,\"pid\":3,\"tid\":4}]}",
               keys[k], others[i]);
      reads(text);
      lies_at("right", 1000, 2000, TDM_SHAPE_SPAN);
      found_row row = row_named("right", 0);
      assert_string_equal(row.layout->category, "mine");
      assert_int_equal(track_of(&row)->pid, 3);
      assert_int_equal(track_of(&row)->tid, 4);
      assert_int_equal(sums_of("mine", "span").count, 1);
    }
}

/* Only where the key is known to hold whole numbers is a text of digits one. */
static void texts_of_digits_stay_texts(void **state) {
  (void)state;
  reads("[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"mine\":"
        "\"26\",\"External id\":\"27\",\"bytes\":\"28x\"}}]");
  found_row row = row_named("a", 0);
  assert_string_equal(text_cell(&row, "mine"), "26");
  assert_int_equal(cell(&row, "external_id"), 27);
  assert_int_equal(row.layout->arg[tdm_layout_column(row.layout, "mine") - TDM_ARGS].type,
                   TDM_ARG_TEXT);
  assert_int_equal(row.layout->arg[tdm_layout_column(row.layout, "external_id") - TDM_ARGS].type,
                   TDM_ARG_INT);
}

static void kinds_of_events_are_bounded(void **state) {
  (void)state;
  char *text = malloc(3000 * 100), *at = text;
  *at++ = '[';
  for (int i = 0; i < 3000; i++)
    at += sprintf(at, "%s{\"ph\":\"X\",\"name\":\"n\",\"ts\":%d,\"dur\":1,\"args\":{\"key%d\":%d}}",
                  i > 0 ? "," : "", i, i, i);
  strcpy(at, ",{\"ph\":\"X\",\"name\":\"n\",\"ts\":3000,\"dur\":1,\"args\":{\"A\":\"a \\\"b\\\"\","
             "\"B\":true,\"C\":0.5,\"D\":[1,{\"x\":2}],\"E\":-7,\"F\":false,\"G\":\"\"}}]");
  reads(text);
  free(text);
  assert_int_equal(tdm_recording_source(trace, 0)->rows, 3001);
  assert_int_equal(tdm_recording_layouts(trace), 2001);
  assert_int_equal(
      problem("events of too many different kinds (their arguments kept as one JSON text)"), 1001);
  const tdm_kept_rows *rows = tdm_recording_rows(trace, 2000);
  uint32_t args = (uint32_t)tdm_kept(rows, TDM_ARGS, 999);
  assert_string_equal(tdm_recording_name(trace, args, NULL), "{\"key2999\":2999}");
  args = (uint32_t)tdm_kept(rows, TDM_ARGS, 1000);
  assert_string_equal(tdm_recording_name(trace, args, NULL),
                      "{\"A\":\"a \\\"b\\\"\",\"B\":true,\"C\":0.5,\"D\":[1,{\"x\":2}],\"E\":-7,"
                      "\"F\":false,\"G\":\"\"}");
}

static void kinds_of_records_may_be_left_out(void **state) {
  (void)state;
  static const char *const path = "tests/data/kineto/torch_compile_triton__trace.json.gz";
  options.dropped = TDM_READ_NO_API;
  reads_file(path);
  assert_int_equal(sums_of("runtime", "span").count, 0);
  assert_int_equal(sums_of("edge", "edge").count, 0);
  assert_int_equal(sums_of("kernel", "span").count, 12);
  options.dropped = TDM_READ_NO_GPU | TDM_READ_NO_CPU | TDM_READ_NO_NVTX;
  reads_file(path);
  assert_int_equal(sums_of("kernel", "span").count, 0);
  assert_int_equal(sums_of("cpu_op", "span").count, 0);
  assert_int_equal(sums_of("user_annotation", "span").count, 0);
  assert_int_equal(sums_of("runtime", "span").count, 59);
  options.dropped = 0;
}

static void the_unit_of_time_may_be_given(void **state) {
  (void)state;
  options.time_unit = TDM_UNIT_NS;
  reads("[{\"ph\":\"X\",\"name\":\"n\",\"ts\":1695835542481129123,\"dur\":7}]");
  lies_at("n", 1695835542481129123, 7, TDM_SHAPE_SPAN);
  options.time_unit = TDM_UNIT_AUTO;
}

/* ---- broken files ---- */

static char *whole_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = malloc(1 << 16);
  *length = fread(text, 1, 1 << 16, file);
  fclose(file);
  return text;
}

static void a_file_cut_anywhere_keeps_its_whole_events(void **state) {
  (void)state;
  size_t length;
  char *text = whole_file("tests/data/kineto/call_stack__backward_thread.json", &length);
  uint64_t before = 0;
  for (size_t cut = 1; cut <= length; cut++) {
    tdm_status status = read_text(text, cut);
    uint64_t rows = tdm_recording_source(trace, 0)->rows;
    if (status != TDM_OK) assert_int_equal(rows, 0);
    assert_true(rows >= before && rows <= before + 1);
    before = rows;
  }
  assert_int_equal(before, 7);
  free(text);
}

static void a_compressed_file_that_is_cut_keeps_what_it_holds(void **state) {
  (void)state;
  size_t length;
  char *bytes =
      whole_file("tests/data/kineto/inference__vllm_decode_full__graph_execution.json.gz", &length);
  assert_int_equal(read_text(bytes, length / 2), TDM_OK);
  assert_true(tdm_recording_source(trace, 0)->rows > 500);
  assert_int_equal(problem("compressed data damaged or cut off (what there was is kept)"), 1);
  assert_int_equal(problem("events cut off by the end of the file (dropped)"), 1);
  assert_int_equal(read_text(bytes, 100), TDM_INVALID);
  assert_non_null(strstr(failure.message, "memory: "));
  free(bytes);
}

static void what_is_no_trace_is_refused(void **state) {
  (void)state;
  assert_int_equal(read_text("{\"a\":1}", 7), TDM_INVALID);
  assert_string_equal(failure.message, "memory: there are no \"traceEvents\" in it");
  assert_int_equal(read_text("{\"traceEvents\":[]}", 18), TDM_OK);
}

static void strings_with_forgotten_backslashes_are_read(void **state) {
  (void)state;
  reads("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"void f(\"x\", \x01)\",\"ts\":1,\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"next\",\"ts\":2,\"dur\":1},]}");
  lies_at("next", 2000, 1000, TDM_SHAPE_SPAN);
  assert_int_equal(problem("control characters in strings (kept)"), 1);
  assert_int_equal(problem("commas, colons or brackets missing or too many (repaired)"), 1);
}

static int stop_at_once(void *context, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  ++*(int *)context;
  return 1;
}

static void reading_can_be_stopped(void **state) {
  (void)state;
  int calls = 0;
  options.progress = stop_at_once;
  options.context = &calls;
  tdm_input *input;
  const char *path =
      "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz";
  assert_int_equal(tdm_input_open(path, &input, &failure), TDM_OK);
  assert_int_equal(read_input(input, path), TDM_INTERRUPTED);
  assert_int_equal(calls, 1);
  assert_true(tdm_recording_source(trace, 0)->rows > 0);
  options.progress = NULL;
}

static int sure(const char *head) {
  return tdm_reader_kineto.detect((const unsigned char *)head, strlen(head), "x");
}

static void only_traces_are_claimed(void **state) {
  (void)state;
  assert_in_range(sure("{\"schemaVersion\": 1, \"deviceProperties\": ["), 60, 90);
  assert_in_range(sure("\n {\"displayTimeUnit\":\"ms\",\"traceEvents\":["), 60, 90);
  assert_in_range(sure("[\n{\"name\":\"a\",\"ph\":\"X\",\"ts\":1"), 60, 90);
  assert_int_equal(sure("{\"$schema\":\"https://www.speedscope.app/x\",\"shared\":{\"frames\":["),
                   0);
  assert_int_equal(sure("{\"segments\":[],\"device_traces\":[]}"), 0);
  assert_int_equal(sure("{\"a\":1}"), 0);
  assert_int_equal(sure("[1,2]"), 0);
  assert_int_equal(sure("SQLite format 3"), 0);
  assert_int_equal(sure(""), 0);
}

static void words_of_older_traces_are_known_too(void **state) {
  (void)state;
  assert_string_equal(tdm_kineto_category_of("Operator")->category, "cpu_op");
  assert_string_equal(tdm_kineto_category_of("cpu_op")->category, "cpu_op");
  assert_string_equal(tdm_kineto_category_of("gpu_memcpy")->category, "memcpy");
  assert_null(tdm_kineto_category_of("my own"));
  assert_string_equal(tdm_kineto_key_of("External id")->key, "external_id");
  assert_null(tdm_kineto_key_of("dtype"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_files_hold_what_python_finds),
      cmocka_unit_test(large_files_hold_what_python_finds),
      cmocka_unit_test(a_compiled_triton_run_on_an_mi300x),
      cmocka_unit_test(a_training_step_on_an_a100),
      cmocka_unit_test(a_file_of_2021),
      cmocka_unit_test(complete_events_are_exact),
      cmocka_unit_test(fields_may_come_in_any_order),
      cmocka_unit_test(begins_meet_their_ends),
      cmocka_unit_test(deep_stacks_keep_their_order),
      cmocka_unit_test(asynchronous_events_meet_by_id),
      cmocka_unit_test(a_lane_learns_its_device_from_any_event),
      cmocka_unit_test(flows_become_edges),
      cmocka_unit_test(a_step_that_comes_first_is_no_arrow_to_itself),
      cmocka_unit_test(counters_are_sampled),
      cmocka_unit_test(only_the_arguments_of_a_counter_are_its_series),
      cmocka_unit_test(names_may_come_after_the_events),
      cmocka_unit_test(what_stands_beside_the_events_is_facts),
      cmocka_unit_test(contexts_of_one_stream_number_are_kept_apart),
      cmocka_unit_test(lanes_are_told_apart_by_each_of_their_numbers),
      cmocka_unit_test(graphs_lie_on_streams_when_a_device_is_named),
      cmocka_unit_test(samples_carry_their_stacks),
      cmocka_unit_test(other_events_are_counted),
      cmocka_unit_test(unknown_fields_are_kept_as_arguments),
      cmocka_unit_test(values_of_other_kinds_are_passed_over),
      cmocka_unit_test(texts_of_digits_stay_texts),
      cmocka_unit_test(kinds_of_events_are_bounded),
      cmocka_unit_test(kinds_of_records_may_be_left_out),
      cmocka_unit_test(the_unit_of_time_may_be_given),
      cmocka_unit_test(a_file_cut_anywhere_keeps_its_whole_events),
      cmocka_unit_test(a_compressed_file_that_is_cut_keeps_what_it_holds),
      cmocka_unit_test(what_is_no_trace_is_refused),
      cmocka_unit_test(strings_with_forgotten_backslashes_are_read),
      cmocka_unit_test(reading_can_be_stopped),
      cmocka_unit_test(only_traces_are_claimed),
      cmocka_unit_test(words_of_older_traces_are_known_too),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tdm_recording_free(trace);
  return failed;
}
