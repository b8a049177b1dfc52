/* The reader of CUDA-API traces. The two files of tests/data/cuda_api are one real run in two
 * dialects; their numbers were counted with python3's json and decimal modules. The other texts are
 * the forms that the tracers' sources print. Whole files are read where TANDEM_DATA names the
 * folder that has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>

#include "read/reader.h"
#include "reader_fixture.h"

typedef struct {
  const char *name, *category; /* NULL: any */
  int shape;                   /* -1: any */
} query;

typedef struct {
  size_t count;
  int64_t dur_ns;
} total;

/* A row that was found: its layout and number. */
typedef struct {
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  size_t at;
} row;

static int fits(const reading *r, const query *q, const tdm_layout *layout,
                const tdm_kept_rows *rows, size_t at) {
  return (q->category == NULL || strcmp(q->category, layout->category) == 0) &&
         (q->shape < 0 || q->shape == (int)layout->shape) &&
         (q->name == NULL || strcmp(q->name, name_of(r, tdm_kept(rows, TDM_NAME, at))) == 0);
}

/* The number of rows that fit, and the nth of them. */
static total find(const reading *r, query q, size_t nth, row *out) {
  total t = {0, 0};
  for (uint32_t l = 0; l < tdm_recording_layouts(r->recording); l++) {
    const tdm_layout *layout = tdm_recording_layout(r->recording, l);
    const tdm_kept_rows *rows = tdm_recording_rows(r->recording, l);
    for (size_t i = 0; i < rows->count; i++) {
      if (!fits(r, &q, layout, rows, i)) continue;
      if (t.count++ == nth && out != NULL) *out = (row){layout, rows, i};
      t.dur_ns += tdm_kept(rows, TDM_DUR, i);
    }
  }
  return t;
}

static size_t count_of(const reading *r, const char *name, const char *category, int shape) {
  return find(r, (query){name, category, shape}, SIZE_MAX, NULL).count;
}

static row get(const reading *r, const char *name) {
  row found = {NULL, NULL, 0};
  find(r, (query){name, NULL, -1}, 0, &found);
  assert_non_null(found.layout);
  return found;
}

static int64_t at(row x, uint32_t column) {
  return tdm_kept(x.rows, column, x.at);
}

static int64_t arg(row x, const char *key) {
  uint32_t column = tdm_layout_column(x.layout, key);
  return column == 0 ? TDM_NONE : tdm_kept(x.rows, column, x.at);
}

static const char *text_arg(const reading *r, row x, const char *key) {
  int64_t id = arg(x, key);
  return id == TDM_NONE ? NULL : name_of(r, id);
}

/* Sum of an argument over the rows that fit, where it is there. */
static int64_t sum_of(const reading *r, query q, const char *key, const char *kind) {
  int64_t sum = 0;
  row x;
  size_t count = find(r, q, SIZE_MAX, NULL).count;
  for (size_t i = 0; i < count; i++) {
    find(r, q, i, &x);
    const char *is = text_arg(r, x, "kind");
    if (arg(x, key) != TDM_NONE && (kind == NULL || (is != NULL && strcmp(is, kind) == 0)))
      sum += arg(x, key);
  }
  return sum;
}

static const char *detail_of(const reading *r) {
  return tdm_recording_source(r->recording, 0)->detail;
}

static reading read_file(const char *path) {
  size_t length = 0;
  char *bytes = load_file(path, &length);
  assert_non_null(bytes);
  assert_true(tdm_reader_cuda_api.detect((const unsigned char *)bytes,
                                         length < 65536 ? length : 65536, path) >= 90);
  reading r = read_bytes(&tdm_reader_cuda_api, bytes, length, (tdm_read_options){0});
  assert_int_equal(r.status, TDM_OK);
  free(bytes);
  return r;
}

static reading read_jsonl(const char *text) {
  assert_true(tdm_reader_cuda_api.detect((const unsigned char *)text, strlen(text), "x.jsonl") > 0);
  reading r = read_text(&tdm_reader_cuda_api, text);
  if (r.status != TDM_OK) print_message("%s\n", r.error.message);
  assert_int_equal(r.status, TDM_OK);
  return r;
}

static total spans(const reading *r, const char *name) {
  return find(r, (query){name, NULL, TDM_SHAPE_SPAN}, SIZE_MAX, NULL);
}

/* ---- the real run ---- */

static void a_bpftrace_run_is_paired_to_the_nanosecond(void **state) {
  (void)state;
  reading r = read_file("tests/data/cuda_api/vllm-37343.bpftrace.jsonl.gz");
  assert_string_equal(detail_of(&r), "ts in ms, by duration_us");
  assert_int_equal(tdm_recording_source(r.recording, 0)->utc_ns, TDM_NONE);
  total copies = spans(&r, "cudaMemcpyAsync"), driver = spans(&r, "cuLaunchKernel"),
        launches = spans(&r, "cudaLaunchKernel");
  assert_int_equal(copies.count, 14);
  assert_int_equal(copies.dur_ns, 8936441);
  assert_int_equal(driver.count, 327);
  assert_int_equal(driver.dur_ns, 2394172);
  assert_int_equal(launches.count, 157);
  assert_int_equal(launches.dur_ns, 42025860);
  assert_int_equal(count_of(&r, NULL, "runtime", TDM_SHAPE_SPAN), 14 + 157);
  assert_int_equal(count_of(&r, NULL, "driver", TDM_SHAPE_SPAN), 327);
  /* The cut lies within a call. */
  assert_int_equal(count_of(&r, "cudaLaunchKernel", "runtime", TDM_SHAPE_OPEN), 1);
  assert_int_equal(problem_count(&r, "beginnings without an end (kept as open)"), 1);
  assert_int_equal(sum_of(&r, (query){"cudaMemcpyAsync", NULL, -1}, "bytes", "HtoD"), 11977);
  assert_int_equal(sum_of(&r, (query){NULL, NULL, -1}, "threads", NULL), 485);
  assert_int_equal(problem_count(&r, "banner lines (skipped)"), 3);
  assert_int_equal(problem_count(&r, "heartbeats and comments (skipped)"), 1);
  assert_int_equal(problem_count(&r, "blank lines (skipped)"), 3);
  assert_int_equal(problem_count(&r, "summary lines (skipped)"), 3);
  reading_free(&r);
}

static void an_ingero_run_agrees_with_it(void **state) {
  (void)state;
  reading r = read_file("tests/data/cuda_api/vllm-37343.ingero.jsonl.gz");
  assert_string_equal(detail_of(&r), "timestamps by RFC 3339, exact to ns");
  assert_int_equal(tdm_recording_source(r.recording, 0)->utc_ns, 0);
  total copies = spans(&r, "cudaMemcpyAsync"), driver = spans(&r, "cuLaunchKernel");
  assert_int_equal(copies.count, 14);
  assert_int_equal(copies.dur_ns, 8936441);
  assert_int_equal(driver.count, 327);
  assert_int_equal(driver.dur_ns, 2394172);
  assert_int_equal(spans(&r, "cudaLaunchKernel").dur_ns, 43028883); /* all 158 of them */
  assert_int_equal(sum_of(&r, (query){"cudaMemcpyAsync", NULL, -1}, "bytes", "HtoD"), 11977);
  total sched = find(&r, (query){NULL, "sched", TDM_SHAPE_SPAN}, SIZE_MAX, NULL);
  assert_int_equal(sched.count, 951);
  assert_int_equal(sched.dur_ns, 13533799457);
  assert_int_equal(count_of(&r, "sched_wakeup", "sched", TDM_SHAPE_INSTANT), 11);
  assert_int_equal(count_of(&r, "process_fork", "osrt", TDM_SHAPE_INSTANT), 7);
  assert_int_equal(count_of(&r, NULL, "osrt", TDM_SHAPE_SPAN), 32);
  row first = get(&r, "cudaMemcpyAsync");
  assert_int_equal(at(first, TDM_START), 1774099490735428380); /* 2026-03-21T13:24:50.735428380Z */
  assert_int_equal(arg(first, "bytes"), 4);
  assert_true(fabs(tdm_record_double(arg(first, "bandwidth")) - 4e9 / 8837610) < 1e-9);
  const tdm_track *track = tdm_recording_track(r.recording, (uint32_t)at(first, TDM_TRACK));
  assert_string_equal(track->process, "VLLM::EngineCor (72801)");
  assert_string_equal(track->name, "thread 72801");
  assert_int_equal(track->pid, 72801);
  assert_int_equal(track->kind, TDM_TRACK_THREAD);
  reading_free(&r);
}

/* The scheduler's times are where an interval ends: read so, nothing overlaps without nesting. */
static void spans_of_a_real_thread_nest(void **state) {
  (void)state;
  reading r = read_file("tests/data/cuda_api/vllm-37343.ingero.jsonl.gz");
  enum { MOST = 2000 };
  static struct { int64_t start, end; } all[MOST];
  for (uint32_t track = 0; track < tdm_recording_tracks(r.recording); track++) {
    size_t count = 0;
    for (uint32_t l = 0; l < tdm_recording_layouts(r.recording); l++) {
      const tdm_kept_rows *rows = tdm_recording_rows(r.recording, l);
      if (tdm_recording_layout(r.recording, l)->shape != TDM_SHAPE_SPAN) continue;
      for (size_t i = 0; i < rows->count; i++)
        if (tdm_kept(rows, TDM_TRACK, i) == track) {
          all[count].start = tdm_kept(rows, TDM_START, i);
          all[count++].end = tdm_kept(rows, TDM_START, i) + tdm_kept(rows, TDM_DUR, i);
        }
    }
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++)
        assert_false(all[i].start < all[j].start && all[j].start < all[i].end &&
                     all[i].end < all[j].end);
  }
  reading_free(&r);
}

/* ---- dialects ---- */

static void calls_pair_by_op_id_and_merge_details(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"ts\":0.001,\"op_id\":1,\"phase\":\"B\",\"name\":\"cuMemAlloc\",\"details\":{\"size\":"
      "4000000}}\n"
      "{\"ts\":0.0015,\"op_id\":2,\"phase\":\"B\",\"name\":\"cuLaunchKernel\",\"details\":{"
      "\"function\":"
      "\"0x7f00\",\"grid\":[8,2,1],\"block\":[128,1,1],\"shared_mem\":49152,\"stream\":\"(nil)\"}}"
      "\n"
      "{\"ts\":0.002,\"op_id\":1,\"phase\":\"E\",\"name\":\"cuMemAlloc\",\"details\":{\"ptr\":"
      "\"0xdeadbeef\",\"size\":4000000,\"status\":0}}\n"
      "{\"ts\":0.0017,\"op_id\":2,\"phase\":\"E\",\"name\":\"cuLaunchKernel\",\"details\":{"
      "\"duration_us\":"
      "200.0,\"total_threads\":2048,\"status\":0,\"name\":\"k\",\"deep\":{\"x\":[1]}}}\n");
  assert_string_equal(detail_of(&r), "ts in s, by duration_us");
  row alloc = get(&r, "cuMemAlloc"), launch = get(&r, "cuLaunchKernel");
  assert_string_equal(alloc.layout->category, "driver");
  assert_int_equal(alloc.layout->shape, TDM_SHAPE_ASYNC); /* no threads: they overlap */
  assert_int_equal(at(alloc, TDM_START), 1000000);
  assert_int_equal(at(alloc, TDM_DUR), 1000000);
  assert_int_equal(arg(alloc, "bytes"), 4000000);
  assert_int_equal(arg(alloc, "op_id"), 1);
  assert_int_equal(arg(alloc, "return_code"), 0);
  assert_string_equal(text_arg(&r, alloc, "ptr"), "0xdeadbeef");
  assert_int_equal(at(launch, TDM_DUR), 200000);
  assert_int_equal(arg(launch, "grid_x"), 8);
  assert_int_equal(arg(launch, "grid_y"), 2);
  assert_int_equal(arg(launch, "block_x"), 128);
  assert_int_equal(arg(launch, "dynamic_shared_bytes"), 49152);
  assert_int_equal(arg(launch, "threads"), 2048);
  assert_string_equal(text_arg(&r, launch, "stream"), "(nil)");
  assert_string_equal(text_arg(&r, launch, "detail_name"), "k");
  assert_string_equal(text_arg(&r, launch, "deep"), "{\"x\":[1]}");
  reading_free(&r);
}

static void keys_that_come_to_one_name_are_one_argument(void **state) {
  (void)state;
  reading r = read_jsonl("{\"ts\":1.0,\"op_id\":1,\"phase\":\"B\",\"name\":\"cuLaunchKernel\","
                         "\"details\":{\"detail_name\":\"first\",\"name\":\"last\","
                         "\"dynamic_shared_bytes\":5}}\n"
                         "{\"ts\":2.0,\"op_id\":1,\"phase\":\"E\",\"name\":\"cuLaunchKernel\"}\n");
  row launch = get(&r, "cuLaunchKernel");
  assert_string_equal(text_arg(&r, launch, "detail_name"), "last");
  assert_int_equal(arg(launch, "dynamic_shared_bytes"), 5);
  for (uint32_t i = 0; i < launch.layout->args; i++)
    assert_int_equal(tdm_layout_column(launch.layout, launch.layout->arg[i].key), TDM_ARGS + i);
  reading_free(&r);
}

static void a_preload_tracers_broken_phase_is_mended(void **state) {
  (void)state;
  reading r = read_jsonl(
      "[CUDA_HOOK] Tracing initialized. Output: cuda_trace.jsonl\n"
      "{\"ts\":100.000000000,\"op_id\":0,\"phase\"\"B\"\",\"category\":\"transfer\",\"name\":"
      "\"cuMemcpyHtoD\",\"details\":{\"direction\":\"host_to_device\",\"dst\":\"0x1\",\"size\":"
      "1000}}\n"
      "{\"ts\":100.000002000,\"op_id\":0,\"phase\"\"E\"\",\"category\":\"transfer\",\"name\":"
      "\"cuMemcpyHtoD\",\"details\":{\"direction\":\"host_to_device\",\"size\":1000,"
      "\"bandwidth_gbps\":0.50,\"status\":0}}\n");
  assert_int_equal(problem_count(&r, "phases without their colon (mended)"), 2);
  assert_int_equal(problem_count(&r, "banner lines (skipped)"), 1);
  row copy = get(&r, "cuMemcpyHtoD");
  assert_int_equal(at(copy, TDM_START), 100000000000);
  assert_int_equal(at(copy, TDM_DUR), 2000);
  assert_string_equal(text_arg(&r, copy, "kind"), "HtoD");
  assert_true(tdm_record_double(arg(copy, "bandwidth")) == 5e8); /* bytes/s */
  assert_int_equal(arg(copy, "bandwidth_gbps"), TDM_NONE);
  reading_free(&r);
}

static void nested_calls_pair_by_thread_function_and_depth(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"ts\":1.0,\"tid\":7,\"depth\":1,\"phase\":\"B\",\"name\":\"cudaFree\",\"duration_us\":0}\n"
      "{\"ts\":1.1,\"tid\":7,\"depth\":2,\"phase\":\"B\",\"name\":\"cudaFree\"}\n"
      "{\"ts\":1.1,\"tid\":8,\"depth\":1,\"phase\":\"B\",\"name\":\"cudaFree\"}\n"
      "{\"ts\":1.2,\"tid\":7,\"depth\":2,\"phase\":\"E\",\"name\":\"cudaFree\",\"duration_us\":100}"
      "\n"
      "{\"ts\":1.5,\"tid\":8,\"depth\":1,\"phase\":\"E\",\"name\":\"cudaFree\",\"duration_us\":400}"
      "\n"
      "{\"ts\":1.7,\"tid\":7,\"depth\":1,\"phase\":\"E\",\"name\":\"cudaFree\",\"duration_us\":700}"
      "\n");
  assert_string_equal(detail_of(&r), "ts in ms, by duration_us");
  total t = spans(&r, "cudaFree");
  assert_int_equal(t.count, 3);
  assert_int_equal(t.dur_ns, 100000 + 400000 + 700000);
  assert_int_equal(tdm_recording_tracks(r.recording), 2);
  reading_free(&r);
}

static void the_order_of_lines_does_not_matter(void **state) {
  (void)state;
  reading r =
      read_jsonl("{\"ts_ns\":500,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":900,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":700,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":100,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":950,\"op_id\":4,\"phase\":\"E\",\"name\":\"cuCtxGetDevice\"}\n"
                 "{\"ts_ns\":940,\"op_id\":4,\"phase\":\"B\",\"name\":\"cuCtxGetDevice\"}\n");
  assert_string_equal(detail_of(&r), "ts in ns, by its key");
  total t = spans(&r, "cuInit");
  assert_int_equal(t.count, 2);
  assert_int_equal(t.dur_ns, 200 + 400);
  assert_int_equal(at(get(&r, "cuCtxGetDevice"), TDM_DUR), 10);
  size_t problems;
  tdm_recording_problems(r.recording, &problems);
  assert_int_equal(problems, 0);
  reading_free(&r);
}

/* By number, beginning and end at one time are one call; by thread and name the end belongs to the
 * call before. Of several early ends the earliest later one is meant. */
static void ends_at_the_time_of_a_beginning_are_its_own_by_number_only(void **state) {
  (void)state;
  reading r = read_jsonl("{\"ts_ns\":5,\"op_id\":4,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                         "{\"ts_ns\":5,\"op_id\":4,\"phase\":\"B\",\"name\":\"cuInit\"}\n");
  assert_int_equal(at(get(&r, "cuInit"), TDM_START), 5);
  assert_int_equal(at(get(&r, "cuInit"), TDM_DUR), 0);
  size_t problems;
  tdm_recording_problems(r.recording, &problems);
  assert_int_equal(problems, 0);
  reading_free(&r);
  r = read_jsonl("{\"ts_ns\":5,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":5,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":9,\"tid\":2,\"phase\":\"I\",\"name\":\"cuInit\"}\n");
  assert_int_equal(problem_count(&r, "beginnings without an end (kept as open)"), 1);
  assert_int_equal(spans(&r, "cuInit").count, 0);
  reading_free(&r);
  r = read_jsonl("{\"ts_ns\":30,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":12,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":20,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":25,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":10,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
                 "{\"ts_ns\":17,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n");
  total all = spans(&r, "cuInit");
  assert_int_equal(all.count, 3);
  assert_int_equal(all.dur_ns, 5 + 2 + 3);
  reading_free(&r);
}

static void what_has_no_other_half_is_kept_or_counted(void **state) {
  (void)state;
  reading r =
      read_jsonl("{\"ts_us\":10,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\",\"duration_us\":4}\n"
                 "{\"ts_us\":11,\"tid\":1,\"phase\":\"E\",\"name\":\"cuDeviceGet\"}\n"
                 "{\"ts_us\":12,\"tid\":1,\"phase\":\"B\",\"name\":\"cuCtxCreate\"}\n"
                 "{\"ts_us\":20,\"tid\":1,\"phase\":\"B\",\"name\":\"cuCtxSynchronize\"}\n"
                 "{\"ts_us\":25,\"tid\":1,\"phase\":\"E\",\"name\":\"cuCtxSynchronize\"}\n"
                 "{\"ts_us\":26,\"tid\":1}\n"
                 "{\"tid\":1,\"name\":\"cuInit\"}\n"
                 "{\"ts_us\":30,\"tid\":1,\"phase\":\"E\",\"na");
  assert_int_equal(problem_count(&r, "ends without a beginning (begun by their duration)"), 1);
  assert_int_equal(problem_count(&r, "ends without a beginning (left out)"), 1);
  assert_int_equal(problem_count(&r, "beginnings without an end (kept as open)"), 1);
  assert_int_equal(problem_count(&r, "records without a name (left out)"), 1);
  assert_int_equal(problem_count(&r, "records without a time (left out)"), 1);
  assert_int_equal(problem_count(&r, "records that are cut short (left out)"), 1);
  row init = get(&r, "cuInit"), open = get(&r, "cuCtxCreate");
  assert_int_equal(at(init, TDM_START), 6000);
  assert_int_equal(at(init, TDM_DUR), 4000);
  assert_int_equal(open.layout->shape, TDM_SHAPE_OPEN);
  assert_int_equal(at(open, TDM_DUR), 25000 - 12000); /* to the last time of the source */
  reading_free(&r);
}

static void the_driver_below_the_calls_is_read(void **state) {
  (void)state;
  reading r = read_jsonl(
      "Attaching 9 probes...\n=== CUDA Full-Stack Tracer (eBPF) ===\n\n"
      "{\"event_id\":1,\"ts\":10.500000,\"tid\":5,\"phase\":\"B\",\"type\":\"userspace\",\"name\":"
      "\"uprobe:/lib/x86_64-linux-gnu/libcuda.so.1:cuMemAlloc_v2\",\"depth\":1}\n"
      "{\"event_id\":2,\"ts\":10.501000,\"tid\":5,\"type\":\"syscall\",\"name\":\"ioctl\",\"fd\":9,"
      "\"cmd\":3221766657}\n"
      "{\"event_id\":3,\"ts\":10.502000,\"tid\":5,\"phase\":\"B\",\"type\":\"kernel\",\"name\":"
      "\"kprobe:nvidia_ioctl\",\"ioctl_cmd\":42}\n"
      "{\"event_id\":4,\"ts\":10.503000,\"tid\":5,\"type\":\"kernel_memory\",\"op\":\"alloc\"}\n"
      "{\"event_id\":5,\"ts\":10.505000,\"tid\":5,\"type\":\"scheduler\",\"op\":\"schedule_work\"}"
      "\n"
      "{\"event_id\":6,\"ts\":10.508000,\"tid\":5,\"type\":\"scheduler\",\"name\":\"nv_gpu_"
      "schedule\","
      "\"duration_us\":2.5}\n"
      "{\"event_id\":7,\"ts\":10.600000,\"tid\":5,\"phase\":\"E\",\"type\":\"kernel\",\"name\":"
      "\"kretprobe:nvidia_ioctl\",\"duration_us\":98.000,\"retval\":0}\n"
      "{\"event_id\":8,\"ts\":10.601000,\"tid\":5,\"phase\":\"E\",\"type\":\"userspace\",\"name\":"
      "\"uretprobe:/lib/x86_64-linux-gnu/libcuda.so.1:cuMemAlloc_v2\",\"depth\":1,\"duration_us\":"
      "101.000,\"retval\":0}\n"
      "{\"event_id\":9,\"ts\":10.602000,\"tid\":5,\"type\":\"memory\",\"op\":\"alloc\",\"size\":"
      "1048576,"
      "\"total_allocated\":3145728}\n"
      "Lost 12 events\n@depth[5]: 0\n[1, 2)  3 |@@@@|\n# Heartbeat: 9 events captured\n"
      "=== TRACE SUMMARY ===\n\nIOCTL calls: 1\n");
  assert_string_equal(detail_of(&r), "ts in ms, by duration_us");
  row alloc = get(&r, "cuMemAlloc_v2"), ioctl = get(&r, "nvidia_ioctl");
  assert_string_equal(alloc.layout->category, "driver");
  assert_int_equal(at(alloc, TDM_DUR), 101000);
  assert_int_equal(arg(alloc, "bytes"), 1048576); /* though it was said after the end */
  assert_string_equal(ioctl.layout->category, "osrt");
  assert_int_equal(at(ioctl, TDM_DUR), 98000);
  assert_int_equal(arg(ioctl, "cmd"), 42);
  row syscall = get(&r, "ioctl"), sched = get(&r, "nv_gpu_schedule");
  assert_string_equal(syscall.layout->category, "osrt");
  assert_int_equal(syscall.layout->shape, TDM_SHAPE_INSTANT);
  assert_int_equal(arg(syscall, "cmd"), 3221766657);
  assert_string_equal(get(&r, "schedule_work").layout->category, "sched");
  assert_string_equal(get(&r, "alloc").layout->category, "osrt");
  assert_int_equal(at(sched, TDM_START), 10505500); /* written at the return */
  assert_int_equal(at(sched, TDM_DUR), 2500);
  row sample = get(&r, "allocated bytes");
  assert_true(tdm_record_double(arg(sample, "value")) == 3145728);
  assert_int_equal(problem_count(&r, "events lost by the tracer"), 12);
  assert_int_equal(problem_count(&r, "map dumps (skipped)"), 2);
  assert_int_equal(problem_count(&r, "banner lines (skipped)"), 2);
  assert_int_equal(problem_count(&r, "summary lines (skipped)"), 2);
  reading_free(&r);
}

/* Bytes are of the innermost open call that can have them and has none yet. */
static void details_go_to_the_call_that_does_such_things(void **state) {
  (void)state;
#define PROBE(id, ts, phase, name)                                                                 \
  "{\"event_id\":" id ",\"ts\":" ts ",\"tid\":5,\"phase\":\"" phase "\",\"type\":\"userspace\","   \
  "\"name\":\"uprobe:/lib/libcuda.so.1:" name "\"}\n"
#define BYTES(id, ts, op, size)                                                                    \
  "{\"event_id\":" id ",\"ts\":" ts ",\"tid\":5,\"type\":\"memory\",\"op\":\"" op                  \
  "\",\"size\":" size "}\n"
  reading r = read_jsonl(
      PROBE("1", "10.000000", "B", "cuMemAlloc_v2") PROBE("2", "11.000000", "B", "cuLaunchKernel")
          BYTES("3", "11.500000", "alloc", "4096") PROBE("4", "12.000000", "E", "cuLaunchKernel")
              PROBE("5", "13.000000", "B", "cuMemAllocHost_v2")
                  BYTES("6", "13.500000", "alloc", "8192")
                      PROBE("7", "14.000000", "E", "cuMemAllocHost_v2")
                          PROBE("8", "20.000000", "E", "cuMemAlloc_v2"));
  assert_int_equal(arg(get(&r, "cuMemAlloc_v2"), "bytes"), 4096);
  assert_int_equal(arg(get(&r, "cuLaunchKernel"), "bytes"), TDM_NONE);
  assert_int_equal(arg(get(&r, "cuMemAllocHost_v2"), "bytes"), 8192);
  reading_free(&r);
}

static void bcc_gives_numbers_for_names_and_huge_negative_times(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"ts\": -1737459045.125, \"event_id\": 0, \"pid\": 3, \"tid\": 4, \"type\": 3, \"depth\": "
      "0}\n"
      "{\"ts\": -1737459045.125, \"event_id\": 1, \"pid\": 3, \"tid\": 4, \"type\": 1, \"depth\": "
      "1}\n"
      "{\"ts\": -1737459045.0625, \"event_id\": 2, \"pid\": 3, \"tid\": 4, \"type\": 2, \"depth\": "
      "0}\n"
      "{\"ts\": -1737459044.5, \"event_id\": 3, \"pid\": 3, \"tid\": 4, \"type\": 1, \"depth\": "
      "1}\n"
      "{\"ts\": -1737459044.375, \"event_id\": 4, \"pid\": 3, \"tid\": 4, \"type\": 4, \"depth\": "
      "0}\n"
      "{\"ts\": -1737459044.25, \"event_id\": 5, \"pid\": 3, \"tid\": 4, \"type\": 2, \"depth\": "
      "0}\n"
      "{\"ts\": -1737459044.125, \"event_id\": 6, \"pid\": 3, \"tid\": 4, \"type\": 6, \"depth\": "
      "0}\n"
      "{\"ts\": -1737459044, \"event_id\": 7, \"pid\": 3, \"tid\": 4, \"type\": 7, \"depth\": 0}\n"
      "{\"ts\": -1737459043, \"event_id\": 8, \"pid\": 3, \"tid\": 4, \"type\": 1, \"depth\": 1}\n"
      "{\"ts\": -1737459042, \"event_id\": 9, \"pid\": 3, \"tid\": 4, \"type\": 2, \"depth\": "
      "0}\n");
  assert_string_equal(detail_of(&r), "ts in s, by its magnitude");
  row launch = get(&r, "cuLaunchKernel");
  assert_int_equal(at(launch, TDM_START), -1737459045125000000);
  assert_int_equal(at(launch, TDM_DUR), 62500000);
  assert_int_equal(at(get(&r, "cuMemAlloc"), TDM_DUR), 250000000);
  assert_int_equal(at(get(&r, "CUDA call"), TDM_DUR), 1000000000);
  assert_string_equal(get(&r, "nvidia_ioctl").layout->category, "osrt");
  assert_int_equal(tdm_recording_source(r.recording, 0)->utc_ns, TDM_NONE);
  reading_free(&r);
}

static void bpftraces_own_json_wraps_the_records(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"type\": \"attached_probes\", \"data\": {\"probes\": 4}}\n"
      "{\"type\": \"printf\", \"data\": \"=== CUDA ===\\n\"}\n"
      "{\"type\": \"printf\", \"data\": \"{\\\"ts\\\":1.0,\\\"tid\\\":1,\\\"phase\\\":\\\"B\\\","
      "\\\"name\\\":\\\"uprobe:/l/libcuda.so:cuInit\\\"}\\n\"}\n"
      "{\"type\": \"printf\", \"data\": \"{\\\"ts\\\":1.5,\\\"tid\\\":1,\\\"phase\\\":\\\"E\\\","
      "\\\"name\\\":\\\"uretprobe:/l/libcuda.so:cuInit\\\",\\\"duration_us\\\":500}\\n\"}\n"
      "{\"type\": \"map\", \"data\": {\"@calls\": 1}}\n");
  assert_int_equal(spans(&r, "cuInit").dur_ns, 500000);
  assert_int_equal(problem_count(&r, "map dumps (skipped)"), 2);
  assert_int_equal(problem_count(&r, "lines of text (skipped)"), 1);
  reading_free(&r);
}

static void whole_records_are_spans_and_categories_follow_names(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"timestamp\":\"2026-03-21T15:24:45.000000001+02:00\",\"pid\":1,\"tid\":2,\"comm\":"
      "\"python\","
      "\"op\":\"cudaMalloc\",\"source\":\"cuda\",\"duration\":\"1.5us\",\"args\":[4096,0]}\n"
      "{\"timestamp\":\"1969-12-31T23:59:59.9Z\",\"pid\":1,\"tid\":2,\"op\":\"mm_page_alloc\","
      "\"source\":\"host\",\"duration_ns\":8192,\"args\":[3,0]}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45Z\",\"pid\":1,\"tid\":2,\"name\":\"ncclAllReduce\","
      "\"duration_ns\":7}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45Z\",\"pid\":1,\"tid\":2,\"name\":\"cudaFree\",\"op\":"
      "\"x\","
      "\"source\":\"cuda\",\"duration_ns\":7,\"args\":[140000000000000,64]}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45Z\",\"pid\":1,\"tid\":2,\"op\":"
      "\"cudaStreamQuery\",\"source\":\"cuda\",\"duration_ns\":7,\"args\":[12345,0]}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45Z\",\"pid\":1,\"tid\":2,\"op\":"
      "\"cudaStreamSynchronize\",\"source\":\"cuda\",\"duration_ns\":7,\"args\":[0,0]}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45Z\",\"pid\":1,\"tid\":2,\"name\":\"myThing\","
      "\"category\":"
      "\"mine\",\"duration_ns\":7}\n");
  row alloc = get(&r, "cudaMalloc"), page = get(&r, "mm_page_alloc"), freed = get(&r, "cudaFree");
  assert_int_equal(at(alloc, TDM_START), 1774099485000000001);
  assert_int_equal(at(alloc, TDM_DUR), 1500);
  assert_int_equal(arg(alloc, "bytes"), 4096);
  assert_int_equal(at(page, TDM_START), -100000000);
  assert_int_equal(page.layout->shape, TDM_SHAPE_INSTANT);
  assert_int_equal(arg(page, "bytes"), 8192);
  assert_int_equal(arg(page, "cpu"), 3);
  assert_int_equal(arg(freed, "bytes"), 64);
  assert_string_equal(text_arg(&r, freed, "ptr"), "0x7f544a44c000");
  assert_string_equal(text_arg(&r, get(&r, "cudaStreamQuery"), "stream"), "0x3039");
  row waited = get(&r, "cudaStreamSynchronize"); /* the stream that is there anyway is not told */
  uint32_t stream = tdm_layout_column(waited.layout, "stream");
  assert_true(stream == 0 || at(waited, stream) == TDM_NONE);
  assert_string_equal(get(&r, "ncclAllReduce").layout->category, "nccl");
  assert_string_equal(get(&r, "myThing").layout->category, "mine");
  reading_free(&r);
}

static void records_with_bytes_alone_are_not_those_without(void **state) {
  (void)state;
  reading r = read_jsonl("{\"ts_ns\":1,\"duration_ns\":2,\"tid\":1,\"name\":\"cuA\"}\n"
                         "{\"ts_ns\":3,\"duration_ns\":2,\"tid\":1,\"name\":\"cuB\",\"size\":9}\n");
  assert_int_equal(arg(get(&r, "cuA"), "bytes"), TDM_NONE);
  assert_int_equal(arg(get(&r, "cuB"), "bytes"), 9);
  reading_free(&r);
}

/* Return probes alone: every record is an end that says how long it took. */
static void a_copy_that_took_no_time_began_within_the_trace(void **state) {
  (void)state;
  reading r = read_jsonl("{\"ts_ns\":10,\"tid\":1,\"type\":\"transfer\",\"size\":64,\"direction\":"
                         "\"H2D\",\"duration_ns\":0}");
  assert_int_equal(count_of(&r, "cuMemcpyHtoD", "driver", TDM_SHAPE_INSTANT), 1);
  assert_int_equal(problem_count(&r, "copies and allocations without a call (kept)"), 1);
  assert_int_equal(problem_count(&r, "durations that begin before the trace (left out)"), 0);
  reading_free(&r);
}

/* 1000 sets of arguments of the file's own, then a kind that came before them. */
static void very_many_kinds_of_records_do_not_spoil_the_usual_ones(void **state) {
  (void)state;
  static const char copy[] = "{\"ts_ns\":1,\"tid\":1,\"phase\":\"I\",\"name\":\"cuMemcpyHtoD\","
                             "\"size\":64}\n";
  enum { KINDS = 1000, LINE = 256 };
  char *text = malloc((KINDS + 2) * LINE), *p = text + sprintf(text, "%s", copy);
  for (int i = 1; i <= KINDS; i++) {
    p += sprintf(p, "{\"ts_ns\":1,\"tid\":1,\"phase\":\"I\",\"name\":\"cuInit\"");
    for (int bit = 0; bit < 10; bit++)
      if (i >> bit & 1) p += sprintf(p, ",\"own%d\":1", bit);
    p += sprintf(p, "}\n");
  }
  sprintf(p, "%s", copy);
  reading r = read_jsonl(text);
  assert_int_equal(count_of(&r, "cuInit", NULL, -1), KINDS);
  assert_in_range(problem_count(&r, "arguments of records of too many kinds (left out)"), 1, KINDS);
  assert_int_equal(sum_of(&r, (query){"cuMemcpyHtoD", NULL, -1}, "bytes", NULL), 128);
  reading_free(&r);
  free(text);
}

/* What stands behind a value of another kind is read as ever. */
/* Keys of any length, told apart by any one byte, though each is guessed to be the one before. */
static void keys_that_are_nearly_alike_are_two(void **state) {
  (void)state;
  for (int length = 1; length <= 18; length++)
    for (int differs = 0; differs < length; differs++) {
      char key[20], other[20], text[300];
      memset(key, 'q', (size_t)length);
      key[length] = 0;
      strcpy(other, key);
      other[differs] = 'z';
      snprintf(text, sizeof text,
               "{\"ts_ns\":1000,\"dur_ns\":10,\"name\":\"cudaFree\",\"tid\":1,\"%s\":5}\n"
               "{\"ts_ns\":2000,\"dur_ns\":10,\"name\":\"cudaMalloc\",\"tid\":1,\"%s\":6}\n"
               "{\"ts_ns\":3000,\"dur_ns\":10,\"name\":\"cudaMemset\",\"tid\":1,\"%s\":7}\n",
               key, other, key);
      reading r = read_jsonl(text);
      assert_int_equal(arg(get(&r, "cudaFree"), key), 5);
      assert_int_equal(arg(get(&r, "cudaMalloc"), other), 6);
      assert_int_equal(arg(get(&r, "cudaMalloc"), key), TDM_NONE);
      assert_int_equal(arg(get(&r, "cudaMemset"), key), 7);
      reading_free(&r);
    }
}

static void values_of_other_kinds_are_left_out(void **state) {
  (void)state;
  static const struct {
    const char *size, *kind;
    int64_t bytes; /* TDM_NONE: left out */
    const char *way;
    uint64_t problems;
  } cases[] = {{"64", "1", 64, "HtoD", 0},
               {"\"64\"", "2", 64, "DtoH", 0},
               {"\"0x40\"", "3", 64, "DtoD", 0},
               {"9223372036854775807", "\"1\"", INT64_MAX, "HtoD", 0},
               {"999999999999999999", "4", 999999999999999999, NULL, 0},
               {"\"0x\"", "0", TDM_NONE, NULL, 1},
               {"\"0x4g\"", "\"odd\"", TDM_NONE, "odd", 1},
               {"\"\"", "\"DtoH\"", TDM_NONE, "DtoH", 1},
               {"1.5", "1.5", TDM_NONE, NULL, 1},
               {"null", "null", TDM_NONE, NULL, 0},
               {"true", "true", TDM_NONE, NULL, 1},
               {"{\"a\":[1]}", "{\"a\":[1]}", TDM_NONE, NULL, 1},
               {"[[1],2]", "[[1],2]", TDM_NONE, NULL, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "{\"ts_ns\":5,\"tid\":1,\"phase\":\"I\",\"name\":\"cuMemcpy\",\"size\":%s,\"kind\":%s,"
             "\"own\":7}\n",
             cases[i].size, cases[i].kind);
    reading r = read_jsonl(text);
    row copy = get(&r, "cuMemcpy");
    assert_int_equal(arg(copy, "bytes"), cases[i].bytes);
    const char *way = text_arg(&r, copy, "kind");
    assert_int_equal(way == NULL, cases[i].way == NULL);
    if (way != NULL) assert_string_equal(way, cases[i].way);
    assert_int_equal(arg(copy, "own"), 7);
    assert_int_equal(problem_count(&r, "arguments that should be whole numbers (left out)"),
                     cases[i].problems);
    reading_free(&r);
  }
}

static void times_that_cannot_be_used_are_counted(void **state) {
  (void)state;
  reading r = read_jsonl(
      "{\"ts_ns\":10,\"tid\":1,\"name\":\"cuInit\",\"phase\":\"X\",\"duration\":\"1m30s\"}\n"
      "{\"ts_ns\":20,\"tid\":1,\"name\":\"cuInit\",\"phase\":\"X\",\"duration_ns\":-5}\n"
      "{\"ts_ns\":30,\"tid\":1,\"name\":\"cuInit\",\"phase\":\"X\",\"end_ns\":\"late\"}\n"
      "{\"ts_ns\":40,\"tid\":1,\"name\":\"cuInit\",\"phase\":\"X\",\"end_ns\":39}\n"
      "{\"ts_ns\":50,\"tid\":1,\"name\":\"cuInit\",\"phase\":\"X\",\"duration\":\"2 ns\"}");
  assert_int_equal(count_of(&r, "cuInit", "driver", TDM_SHAPE_INSTANT), 4);
  assert_int_equal(find(&r, (query){"cuInit", "driver", TDM_SHAPE_SPAN}, 0, NULL).dur_ns, 2);
  assert_int_equal(problem_count(&r, "ends and durations that cannot be read (left out)"), 3);
  assert_int_equal(problem_count(&r, "ends before their beginning (left out)"), 1);
  reading_free(&r);
}

static void ends_alone_are_whole_calls(void **state) {
  (void)state;
  enum { CALLS = 20000 };
  char *text = malloc(CALLS * 96), *p = text;
  for (int i = 1; i <= CALLS; i++)
    p += sprintf(
        p,
        "{\"ts_us\":%d,\"tid\":1,\"phase\":\"E\",\"name\":\"uretprobe:/l/libcuda.so:cuInit\","
        "\"duration_us\":3}\n",
        10 * i);
  reading r = read_jsonl(text);
  total t = spans(&r, "cuInit");
  assert_int_equal(t.count, CALLS);
  assert_int_equal(t.dur_ns, CALLS * INT64_C(3000));
  reading_free(&r);
  free(text);
}

/* ---- units of time ---- */

static void the_unit_is_found_or_taken_as_asked(void **state) {
  (void)state;
  static const struct {
    const char *begin, *end, *detail;
    int64_t dur_ns;
  } cases[] = {
      {"\"ts\":5.000000", "\"ts\":5.000020,\"duration_us\":20", "ts in s, by duration_us", 20000},
      {"\"ts\":5000", "\"ts\":5020,\"duration_us\":19.8", "ts in us, by duration_us", 20000},
      {"\"ts\":5000", "\"ts\":25000,\"duration_ns\":20000", "ts in ns, by duration_ns", 20000},
      {"\"ts\":5000", "\"ts\":25000,\"duration_ms\":0.02", "ts in ns, by duration_ms", 20000},
      {"\"ts\":1700000000.5", "\"ts\":1700000000.50002", "ts in s, by its magnitude", 20000},
      {"\"ts\":1700000000000500", "\"ts\":1700000000000520", "ts in us, by its magnitude", 20000},
      {"\"ts\":1700000000000000500", "\"ts\":1700000000000020500", "ts in ns, by its magnitude",
       20000},
      {"\"ts\":1700000000000500", "\"ts\":1700000000020500", "ts in us, by its magnitude",
       20000000},
      {"\"ts\":7200000000123", "\"ts\":7200000012123", "ts in ns, by the length of calls", 12000},
      {"\"ts\":10.500", "\"ts\":10.605", "ts in ms, by the length of calls", 105000},
      {"\"ts\":\"10.5\"", "\"ts\":\"10.605\"", "ts in ms, by the length of calls", 105000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "{%s,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
             "{%s,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\"}\n",
             cases[i].begin, cases[i].end);
    reading r = read_jsonl(text);
    assert_string_equal(detail_of(&r), cases[i].detail);
    assert_int_equal(spans(&r, "cuInit").dur_ns, cases[i].dur_ns);
    reading_free(&r);
  }
  static const char text[] =
      "{\"ts\":5,\"tid\":1,\"phase\":\"B\",\"name\":\"cuInit\"}\n"
      "{\"ts\":6,\"tid\":1,\"phase\":\"E\",\"name\":\"cuInit\",\"duration_us\":1}";
  reading r = read_bytes(&tdm_reader_cuda_api, text, sizeof text - 1,
                         (tdm_read_options){.time_unit = TDM_UNIT_S});
  assert_string_equal(detail_of(&r), "ts in s, as asked");
  assert_int_equal(spans(&r, "cuInit").dur_ns, 1000000000);
  reading_free(&r);
}

static void kinds_of_records_can_be_left_out(void **state) {
  (void)state;
  size_t length = 0;
  char *bytes = load_file("tests/data/cuda_api/vllm-37343.ingero.jsonl.gz", &length);
  reading r = read_bytes(&tdm_reader_cuda_api, bytes, length,
                         (tdm_read_options){.dropped = TDM_READ_NO_OSRT});
  assert_int_equal(count_of(&r, NULL, NULL, -1), 499);
  reading_free(&r);
  r = read_bytes(&tdm_reader_cuda_api, bytes, length,
                 (tdm_read_options){.dropped = TDM_READ_NO_API});
  assert_int_equal(count_of(&r, NULL, NULL, -1), 1001);
  reading_free(&r);
  free(bytes);
}

/* ---- bad input ---- */

static int stop_at_once(void *context, uint64_t done, uint64_t total_bytes) {
  (void)context, (void)done, (void)total_bytes;
  return 1;
}

static void reading_stops_when_asked(void **state) {
  (void)state;
  size_t length = 0;
  char *bytes = load_file("tests/data/cuda_api/vllm-37343.ingero.jsonl.gz", &length);
  char *twice = malloc(2 * length);
  memcpy(twice, bytes, length);
  memcpy(twice + length, bytes, length);
  reading r = read_bytes(&tdm_reader_cuda_api, twice, 2 * length,
                         (tdm_read_options){.progress = stop_at_once});
  assert_int_equal(r.status, TDM_INTERRUPTED);
  reading_free(&r);
  free(twice);
  free(bytes);
}

static void text_cut_anywhere_is_read_as_far_as_it_goes(void **state) {
  (void)state;
  static const char text[] =
      "banner\n{\"ts\":1.5,\"op_id\":1,\"phase\":\"B\",\"name\":\"cuMemcpyDtoH\",\"details\":{"
      "\"size\":5}}\r\n"
      "{\"ts\":1.25,\"tid\":\"0x10\",\"type\":\"transfer\",\"direction\":\"D2H\",\"size\":8,"
      "\"duration_ms\":0.25}\n"
      "{\"ts\":2.5,\"op_id\":1,\"phase\":\"E\",\"name\":\"cuMemcpyDtoH\",\"duration_us\":1000}\n"
      "{\"timestamp\":\"2026-03-21T13:24:45.9Z\",\"op\":\"x\",\"source\":\"io\",\"args\":[1,2,3]}"
      "\n";
  for (size_t cut = 0; cut < sizeof text; cut++) {
    char *part = malloc(cut + 1); /* its own, so that reading beyond shows */
    memcpy(part, text, cut);
    reading r = read_bytes(&tdm_reader_cuda_api, part, cut, (tdm_read_options){0});
    assert_true(r.status == TDM_OK || r.status == TDM_INVALID);
    tdm_reader_cuda_api.detect((unsigned char *)part, cut, "x");
    reading_free(&r);
    free(part);
  }
  reading r = read_text(&tdm_reader_cuda_api, text);
  assert_int_equal(sum_of(&r, (query){"cuMemcpyDtoH", NULL, -1}, "bytes", "DtoH"), 5 + 8);
  reading_free(&r);
}

static void what_is_no_trace_is_said_so(void **state) {
  (void)state;
  reading r = read_text(&tdm_reader_cuda_api, "hello\n{\"a\":1}\n[1,2]\n");
  assert_int_equal(r.status, TDM_INVALID);
  assert_non_null(strstr(r.error.message, "memory: no line of it is a record"));
  reading_free(&r);
}

static void other_json_is_not_taken(void **state) {
  (void)state;
  static const char *const others[] = {
      "{\"traceEvents\":[{\"ts\":1,\"ph\":\"X\",\"name\":\"cuInit\",\"type\":1}]}\n",
      "{\n \"schemaVersion\": 1,\n \"ts\": 1, \"name\": 2}\n",
      ("[{\"ts\":1,\"ph\":\"X\",\"name\":\"cuInit\"},\n{\"ts\":2,\"name\":\"cuInit\",\"phase\":"
       "\"B\"}]\n"),
      "{\"timestamp\":0,\"input_length\":6755,\"output_length\":500,\"hash_ids\":[0,1]}\n",
      "{\"name\":\"demo\",\"workload\":{\"rps\":2},\"pipeline\":[]}\n",
      "[\n{\"ts\":1,\"ph\":\"X\",\"name\":\"cuInit\",\"pid\":1},\n",
      "[\n\n{\"ts\":1,\"ph\":\"X\",\"name\":\"cuInit\",\"pid\":1}\n]",
      "{\"ts\":1,\"ph\":\"X\",\"name\":\"cuInit\",\"pid\":1}\n",
      "SQLite format 3",
      "",
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    assert_int_equal(
        tdm_reader_cuda_api.detect((const unsigned char *)others[i], strlen(others[i]), "x.jsonl"),
        0);
}

/* ---- whole files ---- */

static void the_whole_run_agrees_in_both_dialects(void **state) {
  (void)state;
  const char *folder = getenv("TANDEM_DATA");
  if (folder == NULL) {
    print_message("TANDEM_DATA is not set: whole files are not read\n");
    skip();
  }
  static const struct {
    const char *name;
    size_t count;
    int64_t dur_ns;
  } calls[] = {{"cudaMemcpyAsync", 734, 32292844},
               {"cuLaunchKernel", 1672, 32583538},
               {"cudaLaunchKernel", 550, 169962071},
               {"cudaStreamSync", 24, 0},
               {"cudaDeviceSync", 10, 0},
               {"cuCtxSynchronize", 10, 9210792}};
  static const char *const dialects[] = {"ingero", "bpftrace"};
  for (int d = 0; d < 2; d++) {
    char path[512];
    snprintf(path, sizeof path, "%s/ebpf_jsonl/vllm-37343-logprobs-amplification.%s.jsonl", folder,
             dialects[d]);
    reading r = read_file(path);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
      total t = spans(&r, calls[i].name);
      assert_int_equal(t.count, calls[i].count);
      if (calls[i].dur_ns > 0) assert_int_equal(t.dur_ns, calls[i].dur_ns);
    }
    assert_int_equal(count_of(&r, NULL, "runtime", -1) + count_of(&r, NULL, "driver", -1), 3000);
    if (d == 0) assert_int_equal(count_of(&r, NULL, NULL, -1), 10869);
    query copies = {"cudaMemcpyAsync", NULL, -1};
    assert_int_equal(sum_of(&r, copies, "bytes", "HtoD"), 1035545);
    assert_int_equal(sum_of(&r, copies, "bytes", "DtoH"), 1700);
    assert_int_equal(sum_of(&r, copies, "bytes", "DtoD"), 161673460);
    reading_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bpftrace_run_is_paired_to_the_nanosecond),
      cmocka_unit_test(an_ingero_run_agrees_with_it),
      cmocka_unit_test(spans_of_a_real_thread_nest),
      cmocka_unit_test(calls_pair_by_op_id_and_merge_details),
      cmocka_unit_test(keys_that_come_to_one_name_are_one_argument),
      cmocka_unit_test(a_preload_tracers_broken_phase_is_mended),
      cmocka_unit_test(nested_calls_pair_by_thread_function_and_depth),
      cmocka_unit_test(the_order_of_lines_does_not_matter),
      cmocka_unit_test(ends_at_the_time_of_a_beginning_are_its_own_by_number_only),
      cmocka_unit_test(what_has_no_other_half_is_kept_or_counted),
      cmocka_unit_test(the_driver_below_the_calls_is_read),
      cmocka_unit_test(details_go_to_the_call_that_does_such_things),
      cmocka_unit_test(bcc_gives_numbers_for_names_and_huge_negative_times),
      cmocka_unit_test(bpftraces_own_json_wraps_the_records),
      cmocka_unit_test(whole_records_are_spans_and_categories_follow_names),
      cmocka_unit_test(records_with_bytes_alone_are_not_those_without),
      cmocka_unit_test(very_many_kinds_of_records_do_not_spoil_the_usual_ones),
      cmocka_unit_test(a_copy_that_took_no_time_began_within_the_trace),
      cmocka_unit_test(keys_that_are_nearly_alike_are_two),
      cmocka_unit_test(values_of_other_kinds_are_left_out),
      cmocka_unit_test(times_that_cannot_be_used_are_counted),
      cmocka_unit_test(ends_alone_are_whole_calls),
      cmocka_unit_test(the_unit_is_found_or_taken_as_asked),
      cmocka_unit_test(kinds_of_records_can_be_left_out),
      cmocka_unit_test(reading_stops_when_asked),
      cmocka_unit_test(text_cut_anywhere_is_read_as_far_as_it_goes),
      cmocka_unit_test(what_is_no_trace_is_said_so),
      cmocka_unit_test(other_json_is_not_taken),
      cmocka_unit_test(the_whole_run_agrees_in_both_dialects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
