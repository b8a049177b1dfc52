/* TORCH_TRACE logs: spans, records, reasons, payloads, and what time it was. */
#include "torch_fixture.h"

#include <unistd.h>

#include "read/lines.h"
#include "read/torch/log.h"

static const tdm_reader *const reader = &tdm_reader_torch_trace;

#define DATA "tests/data/torch/"

static int64_t sum_of_durations(const torch_fixture *f, tdm_shape shape, const char *name) {
  int64_t sum = 0;
  for (uint32_t id = 0; id < tdm_recording_layouts(f->recording); id++) {
    const tdm_layout *layout = tdm_recording_layout(f->recording, id);
    const tdm_kept_rows *rows = tdm_recording_rows(f->recording, id);
    if (layout->shape != shape || tdm_layout_column(layout, "cat") == 0) continue;
    for (size_t i = 0; i < rows->count; i++)
      if (name == NULL || strcmp(name_at(f, tdm_kept(rows, TDM_NAME, i)), name) == 0)
        sum += tdm_kept(rows, TDM_DUR, i);
  }
  return sum;
}

/* Rows whose argument `key` is the text. */
static size_t count_with(const torch_fixture *f, const char *key, const char *text) {
  size_t count = 0;
  for (uint32_t id = 0; id < tdm_recording_layouts(f->recording); id++) {
    const tdm_layout *layout = tdm_recording_layout(f->recording, id);
    const tdm_kept_rows *rows = tdm_recording_rows(f->recording, id);
    uint32_t column = tdm_layout_column(layout, key);
    for (size_t i = 0; i < rows->count && column != 0; i++)
      count += strcmp(name_at(f, tdm_kept(rows, column, i)), text) == 0;
  }
  return count;
}

/* The record of an artifact; a Chrome event may have the same name. */
static found_row artifact_row(const torch_fixture *f, const char *name) {
  for (uint32_t id = 0; id < tdm_recording_layouts(f->recording); id++) {
    found_row row = {tdm_recording_layout(f->recording, id), tdm_recording_rows(f->recording, id),
                     0};
    if (tdm_layout_column(row.layout, "payload") == 0) continue;
    for (; row.index < row.rows->count; row.index++)
      if (strcmp(name_at(f, tdm_kept(row.rows, TDM_NAME, row.index)), name) == 0) return row;
  }
  fail_msg("no artifact %s", name);
  return (found_row){0};
}

/* Counted by python3: lines that match the prefix, json.loads of each, Chrome events paired by name
 * with Decimal times. */
static void begins_and_ends_become_spans(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_cache_hit_miss.log.gz");
  assert_int_equal(problem_count(&f, NULL), 0);
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_SPAN, NULL), 61);
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_OPEN, NULL), 0);
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_SPAN, "dynamo"), 6);
  assert_true(sum_of_durations(&f, TDM_SHAPE_SPAN, NULL) == 72416982400);
  assert_true(sum_of_durations(&f, TDM_SHAPE_SPAN, "dynamo") == 8319267600);
  const tdm_source *source = tdm_recording_source(f.recording, 0);
  assert_string_equal(source->detail, "year 2024 and zone UTC-08:00 by its own events");
  assert_int_equal(source->utc_ns, 0);
  assert_true(source->first_ns == 1733527485402945800);
  found_row row = {0};
  find_rows(&f, "compile", TDM_SHAPE_SPAN, "inductor_compile", &row);
  assert_string_equal(text_of(&f, &row, "compile_id"), "1/0");
  assert_string_equal(text_of(&f, &row, "cat"), "dynamo_timed");
  const tdm_track *track =
      tdm_recording_track(f.recording, (uint32_t)tdm_kept(row.rows, TDM_TRACK, row.index));
  assert_int_equal(track->pid, 1667746);
  assert_string_equal(track->process, "torch.compile (1667746)");
  fixture_done(&f);
  f = read_path(reader, DATA "trace_simple.log.gz");
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_SPAN, NULL), 24);
  assert_true(sum_of_durations(&f, TDM_SHAPE_SPAN, NULL) == 11175491800);
  assert_true(sum_of_durations(&f, TDM_SHAPE_SPAN, "entire_frame_compile") == 1659332600);
  found_row outside = {0}; /* of any compilation */
  find_rows(&f, "compile", TDM_SHAPE_SPAN, "compile_file", &outside);
  assert_true(arg_of(&outside, "compile_id") == TDM_NONE);
  fixture_done(&f);
}

static void every_other_record_is_an_instant(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_cache_hit_miss.log.gz");
  static const struct {
    const char *kind;
    size_t count;
  } kinds[] = {{"dynamo_start", 6},         {"describe_storage", 66},
               {"describe_tensor", 66},     {"describe_source", 66},
               {"dynamo_output_graph", 6},  {"dynamo_cpp_guards_str", 6},
               {"compilation_metrics", 6},  {"artifact", 11},
               {"aot_inference_graph", 3},  {"inductor_post_grad_graph", 2},
               {"inductor_output_code", 3}, {"chromium_event", 61 + 6}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    assert_int_equal(count_with(&f, "kind", kinds[i].kind), kinds[i].count);
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_INSTANT, NULL), 241 + 6);
  found_row row = {0};
  find_rows(&f, "compile", TDM_SHAPE_INSTANT, "dynamo_start", &row);
  assert_string_equal(text_of(&f, &row, "logged_from"), "torch/_dynamo/convert_frame.py:961");
  assert_non_null(strstr(text_of(&f, &row, "stack"),
                         "/data/users/xmfan/a/pytorch/torch/_dynamo/test_case.py:39 run_tests;"));
  assert_non_null(strstr(text_of(&f, &row, "json"), "\"filename\":\"/data/users/xmfan"));
  fixture_done(&f);
}

static void payloads_are_artifacts_of_their_compilation(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_cache_hit_miss.log.gz");
  size_t count, bytes = 0;
  const tdm_artifact *artifacts = tdm_recording_artifacts(f.recording, &count);
  assert_int_equal(count, 31);
  for (size_t i = 0; i < count; i++) bytes += artifacts[i].length;
  assert_int_equal(bytes, 385301);
  const tdm_artifact *miss = artifact_named(&f, "compile 1/0/0 fx_graph_cache_miss #2");
  assert_non_null(miss);
  assert_int_equal(miss->length, 36487);
  assert_string_equal(miss->type, "json");
  const tdm_artifact *code = artifact_named(&f, "compile 1/0/0 inductor_output_code");
  assert_non_null(code);
  assert_string_equal(code->type, "text");
  assert_memory_equal(code->bytes, "# AOT ID: ['0_inference']\n", 26);
  found_row row = artifact_row(&f, "fx_graph_cache_hit");
  assert_string_equal(text_of(&f, &row, "payload"), "compile 1/0/0 fx_graph_cache_hit");
  assert_int_equal(arg_of(&row, "payload_bytes"), 36466);
  fixture_done(&f);
}

static void look_ups_of_caches_count_once(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_cache_hit_miss.log.gz");
  assert_int_equal(count_with(&f, "cache", "hit"), 1);
  assert_int_equal(count_with(&f, "cache", "miss"), 2);
  assert_int_equal(count_with(&f, "cache", "bypass"), 3);
  found_row row = {0};
  find_rows(&f, "compile", TDM_SHAPE_INSTANT, "aotautograd_cache_bypass", &row);
  assert_int_equal(
      strncmp(text_of(&f, &row, "reason"), "Unsupported call_function target flex_attention", 47),
      0);
  fixture_done(&f);
}

static void failures_say_why_and_where(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_comp_failure.log.gz");
  assert_int_equal(count_rows(&f, "compile", TDM_SHAPE_SPAN, NULL), 3);
  found_row row = one_row(&f, "compile", -1, "compilation_metrics");
  assert_int_equal(row.layout->shape, TDM_SHAPE_INSTANT); /* nothing says when it began */
  assert_string_equal(text_of(&f, &row, "fail_type"), "BackendCompilerFailed");
  assert_string_equal(text_of(&f, &row, "fail_reason"),
                      "backend='broken_backend' raised:\nRuntimeError: broken backend");
  assert_string_equal(text_of(&f, &row, "co_name"), "fn");
  assert_int_equal(arg_of(&row, "co_firstlineno"), 10755);
  assert_int_equal(arg_of(&row, "compile_ns"), 157247000);
  assert_int_equal(arg_of(&row, "before_restart_ns"), 158574662);
  assert_true(arg_of(&row, "guard_count") == TDM_NONE);
  /* 15:20:14.089 in UTC-8 on December 6, 2024 */
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1733527214089000000);
  row = one_row(&f, "compile", -1, "dynamo_error");
  assert_string_equal(text_of(&f, &row, "kind"), "artifact");
  assert_string_equal(text_of(&f, &row, "reason"),
                      "torch._dynamo.exc.BackendCompilerFailed: backend='broken_backend' raised:\n"
                      "RuntimeError: broken backend");
  fixture_done(&f);
}

/* An older log, without Chrome events: its metrics say when they began. */
static void metrics_with_a_beginning_are_spans_and_set_the_clock(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "trace_artifacts.log.gz");
  const tdm_source *source = tdm_recording_source(f.recording, 0);
  assert_string_equal(source->detail, "year 2024 and zone UTC-07:00 by its own events");
  found_row row = one_row(&f, "compile", TDM_SHAPE_ASYNC, "compilation_metrics");
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1716580124658138000);
  assert_true(tdm_kept(row.rows, TDM_DUR, row.index) == 8903768778); /* 8.90376877784729 s */
  assert_true(arg_of(&row, "inductor_ns") == 5390028477);
  assert_int_equal(arg_of(&row, "graph_op_count"), 1);
  row = one_row(&f, "compile", TDM_SHAPE_INSTANT, "dynamo_start"); /* it waited for the clock */
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1716580124658000000);
  assert_string_equal(text_of(&f, &row, "compile_id"), "0/0");
  const tdm_track *track =
      tdm_recording_track(f.recording, (uint32_t)tdm_kept(row.rows, TDM_TRACK, row.index));
  assert_true(track->pid == TDM_NONE && track->tid == 140144363024384);
  assert_int_equal(count_rows(&f, "compile", -1, NULL), 7);
  assert_int_equal(count_with(&f, "cache", "hash"), 1);
  assert_string_equal(artifact_named(&f, "compile 0/0/0 dynamo_guards")->type, "json");
  fixture_done(&f);
}

/* Made by hand: a log over New Year in UTC+1, of rank 3. */
static void breaks_and_recompilations_have_reason_and_frame(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "graph_break.log");
  const tdm_source *source = tdm_recording_source(f.recording, 0);
  assert_int_equal(source->rank, 3);
  assert_string_equal(source->detail, "year 2024 and zone UTC+01:00 by its own events");
  found_row row = one_row(&f, "compile", -1, "dynamo_graph_break_reason");
  assert_string_equal(text_of(&f, &row, "reason"), "Call to `torch._dynamo.graph_break()`");
  assert_string_equal(text_of(&f, &row, "frame"), "/app/model.py:12 forward");
  assert_int_equal(arg_of(&row, "rank"), 3);
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1735685990200000000);
  row = one_row(&f, "compile", -1, "recompile_reasons");
  assert_string_equal(text_of(&f, &row, "reason"),
                      "0/0: tensor 'x' size mismatch at index 0. expected 3, actual 4\n"
                      "0/1: ___check_type_id(L['y'], 12)");
  assert_string_equal(text_of(&f, &row, "compile_id"), "0/2");
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1735686001200000000); /* next year */
  row = one_row(&f, "compile", -1, "fx_graph_cache_bypass");
  assert_string_equal(text_of(&f, &row, "reason"), "Unsupported post grad custom pass");
  row = one_row(&f, "compile", -1, "dynamo_start");
  assert_string_equal(text_of(&f, &row, "stack"),
                      "/app/train.py:30 <module>;/app/model \"x\".py:12 forward");
  assert_string_equal(text_of(&f, &row, "frame"), "/app/model \"x\".py:12 forward");
  assert_string_equal(
      text_of(&f, &row, "json"),
      "{\"stack\":[{\"line\":30,\"name\":\"<module>\",\"filename\":\"/app/train.py\"},{\"line\":12,"
      "\"name\":\"forward\",\"filename\":\"/app/model \\\"x\\\".py\",\"loc\":\"return f(x)\"}]}");
  row = one_row(&f, "compile", TDM_SHAPE_ASYNC, "compilation_metrics");
  assert_true(tdm_kept(row.rows, TDM_DUR, row.index) == 10000000000);
  assert_int_equal(arg_of(&row, "fail_user_frame_lineno"), 12);
  assert_string_equal(text_of(&f, &row, "restart_reasons"), "[\"graph break\"]");
  fixture_done(&f);
}

static void spans_without_an_end_stay_open(void **state) {
  (void)state;
  torch_fixture f = read_path(reader, DATA "graph_break.log");
  found_row row = one_row(&f, "compile", TDM_SHAPE_ASYNC, "dynamo"); /* "inner" crosses its end */
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1735685991000000500);
  assert_true(tdm_kept(row.rows, TDM_DUR, row.index) == 10000001300);
  assert_string_equal(text_of(&f, &row, "args"), "{\"compile_id\":\"0/0\",\"more\":[1,2]}");
  row = one_row(&f, "compile", TDM_SHAPE_OPEN, "inner");
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1735685992000000200);
  /* until the last record, 00:00:01.3 */
  assert_true(tdm_kept(row.rows, TDM_DUR, row.index) == 1735686001300000000 - 1735685992000000200);
  assert_int_equal(problem_count(&f, "events without an end (kept as open)"), 1);
  fixture_done(&f);
}

static const char *reason_of(const char *artifact, const char *payload, const char **frame) {
  static tdm_torch_text reason, where;
  tdm_json *json = tdm_json_new_text();
  assert_non_null(json);
  tdm_torch_text_free(&reason);
  tdm_torch_text_free(&where);
  tdm_torch_reason(artifact, payload, strlen(payload), json, &reason, &where);
  tdm_json_free(json);
  *frame = tdm_torch_text_string(&where);
  return tdm_torch_text_string(&reason);
}

/* The texts of PyTorch 2.3, 2.5 and 2.7. */
static void reasons_are_found_in_every_wording(void **state) {
  (void)state;
  const char *frame, *reason;
  reason = reason_of("dynamo_graph_break_reason",
                     "Graph break: from user code at:\n  File \"/a.py\", line 7, in f\n    g()\n\n"
                     "Traceback (most recent call last):\n  File \"/torch/x.py\", line 1, in w\n"
                     "    raise\ntorch._dynamo.exc.Unsupported: call_function g\n\n"
                     "from user code:\n   File \"/a.py\", line 7, in f\n    g()\n",
                     &frame);
  assert_string_equal(reason, "torch._dynamo.exc.Unsupported: call_function g");
  assert_string_equal(frame, "/a.py:7 f");
  reason = reason_of("dynamo_graph_break_reason",
                     "Graph break in user code at /a.py:9\nReason: Unsupported: builtin: print\n"
                     "User code traceback:\n  File \"/a.py\", line 9, in h\n    print(1)\n",
                     &frame);
  assert_string_equal(reason, "Unsupported: builtin: print");
  assert_string_equal(frame, "/a.py:9 h");
  reason = reason_of("dynamo_error",
                     "Traceback (most recent call last):\n  File \"t.py\", line 1, in "
                     "w\nValueError: no\n\nfrom user code:\n   File \"u.py\", line "
                     "2, in v\n    x\n\nSet TORCH_LOGS\n",
                     &frame);
  assert_string_equal(reason, "ValueError: no");
  assert_string_equal(frame, "u.py:2 v");
  assert_string_equal(reason_of("recompile_reasons", " one reason\n", &frame), "one reason");
  assert_string_equal(reason_of("fx_graph_runnable", "x", &frame), "");
}

#define LINE "V0718 13:01:02.123456 4312 torch/_logging/structured.py:22] "

static void frames_are_of_the_user_and_stacks_of_whoever_logs(void **state) {
  (void)state;
  static const char text[] = LINE
      "{\"artifact\": {\"name\": \"a\"}, \"stack\": [{\"line\": 1, \"name\": \"f\", "
      "\"filename\": 5}]}\n" LINE
      "{\"dynamo_start\": {\"stack\": [{\"line\": 2, \"name\": \"g\", \"filename\": \"u.py\"}, "
      "{\"line\": 3, \"name\": \"__call__\", \"filename\": "
      "\"/x/torch/_dynamo/convert_frame.py\"}]}}\n";
  torch_fixture f = read_text(reader, text, sizeof text - 1);
  found_row row = one_row(&f, "compile", -1, "a");
  assert_string_equal(text_of(&f, &row, "stack"), "(unknown):1 f");
  assert_true(arg_of(&row, "frame") == TDM_NONE);
  row = one_row(&f, "compile", -1, "dynamo_start");
  assert_string_equal(text_of(&f, &row, "frame"), "u.py:2 g");
  fixture_done(&f);
}

static void a_log_that_never_says_its_year_is_of_1970(void **state) {
  (void)state;
  static const char text[] = LINE "{\"dynamo_output_graph\": {}, \"subgraph_name\": \"g1\"}\n";
  torch_fixture f = read_text(reader, text, sizeof text - 1);
  assert_int_equal(f.status, TDM_OK);
  found_row row = one_row(&f, "compile", -1, "dynamo_output_graph");
  /* 198 days from New Year to July 18 */
  assert_true(tdm_kept(row.rows, TDM_START, row.index) ==
              ((198 * 24 + 13) * 3600 + 62) * 1000000000LL + 123456000);
  assert_string_equal(text_of(&f, &row, "subgraph"), "g1");
  const tdm_source *source = tdm_recording_source(f.recording, 0);
  assert_string_equal(source->detail,
                      "year 1970 since nothing says it, zone unknown: times as if UTC");
  assert_true(source->utc_ns == TDM_NONE);
  fixture_done(&f);
}

static void what_is_broken_is_counted(void **state) {
  (void)state;
  static const char text[] =
      "\tpayload of nothing\n"
      "warning: something else\n" LINE "{\"a\": {}, \"b\": {}, \"c\": 1}\r\n\n" LINE "[1]\n" LINE
      "{\"chromium_event\": {}, \"has_payload\": \"x\"}\n\t{\"ph\": \"B\"}\n" LINE
      "{\"aot_joint_graph\": {}, \"has_payload\": \"x\"}\n" LINE
      "{\"chromium_event\": {}, \"has_payload\": "
      "\"x\"}\n\t{\"ph\":\"E\",\"name\":\"n\",\"ts\":1752843662123456}\n" LINE
      "{\"rank\": 1}\n" LINE "{\"str\": [1, 2]}\n" LINE "{\"kind\": {}, \"rank\": 2}\n\tmore\n";
  torch_fixture f = read_text(reader, text, sizeof text - 1);
  assert_int_equal(f.status, TDM_OK);
  assert_int_equal(problem_count(&f, "payload lines without a record (skipped)"), 1);
  assert_int_equal(problem_count(&f, "lines that are not records (skipped)"), 1);
  assert_int_equal(problem_count(&f, "further kinds in one record (the first is kept)"), 1);
  assert_int_equal(problem_count(&f, "members of records that are not known (left out)"), 1);
  assert_int_equal(problem_count(&f, "records that are not JSON objects (skipped)"), 1);
  assert_int_equal(problem_count(&f, "Chrome events without a name or time (skipped)"), 1);
  assert_int_equal(problem_count(&f, "payloads that are announced and missing"), 1);
  assert_int_equal(problem_count(&f, "ends without a begin (skipped)"), 1);
  assert_int_equal(problem_count(&f, "records without a kind (skipped)"), 1);
  assert_int_equal(problem_count(&f, "strings without a text and a small number (skipped)"), 1);
  assert_int_equal(problem_count(&f, "records of another rank (kept)"), 1);
  assert_int_equal(problem_count(&f, "payloads that are not announced (kept)"), 1);
  assert_non_null(artifact_named(&f, "compile kind"));
  assert_int_equal(count_rows(&f, "compile", -1, NULL), 3);
  fixture_done(&f);
}

static void logs_cut_anywhere_are_read_as_far_as_they_go(void **state) {
  (void)state;
  size_t length;
  char *bytes = bytes_of(DATA "graph_break.log", &length);
  for (size_t cut = 0; cut < length; cut++) {
    torch_fixture f = read_text(reader, bytes, cut);
    assert_true(f.status == TDM_OK || cut < 64);
    fixture_done(&f);
  }
  free(bytes);
}

static int sure(const char *text) {
  return reader->detect((const unsigned char *)text, strlen(text), "memory");
}

/* Up to 64 KiB of JSON are an argument of the row; what is longer is an artifact. */
static void long_json_is_an_artifact(void **state) {
  (void)state;
  enum { ROOM = 1 << 16, FRAME = sizeof "{\"t\":\"\"}" - 1 };
  for (int over = 0; over < 2; over++) {
    static char text[ROOM + 256], filler[ROOM];
    memset(filler, 'x', ROOM - FRAME + (size_t)over);
    filler[ROOM - FRAME + over] = '\0';
    int length = snprintf(text, sizeof text, LINE "{\"long\": {\"t\":\"%s\"}}\n", filler);
    torch_fixture f = read_text(reader, text, (size_t)length);
    assert_int_equal(f.status, TDM_OK);
    found_row row = one_row(&f, "compile", TDM_SHAPE_INSTANT, "long");
    const char *json = text_of(&f, &row, "json");
    size_t artifacts;
    const tdm_artifact *artifact = tdm_recording_artifacts(f.recording, &artifacts);
    assert_int_equal(artifacts, over);
    if (over == 0) {
      assert_int_equal(strlen(json), ROOM);
    } else {
      assert_int_equal(artifact->length, ROOM + 1);
      assert_memory_equal(artifact->bytes, "{\"t\":\"xx", 8);
      assert_string_equal(artifact->type, "json");
    }
    assert_int_equal(problem_count(&f, NULL), 0);
    fixture_done(&f);
  }
}

/* A line that is too long to be held, with one behind it. */
static void long_lines_are_cut(void **state) {
  (void)state;
  char path[] = "/tmp/tandem-torch-XXXXXX", piece[1 << 16];
  int fd = mkstemp(path);
  FILE *file = fdopen(fd, "wb");
  assert_non_null(file);
  memset(piece, 'x', sizeof piece);
  fputs(LINE "{\"compilation_metrics\": {\"start_time\": 1716580124.5, \"co_name\": \"", file);
  for (size_t put = 0; put < TDM_LINE + (2 << 20); put += sizeof piece)
    fwrite(piece, 1, sizeof piece, file);
  fputs("\", \"entire_frame_compile_time_s\": 3}}\n" LINE "{\"next\": {}}\n", file);
  assert_int_equal(fclose(file), 0);
  torch_fixture f = read_path(reader, path);
  unlink(path);
  assert_int_equal(f.status, TDM_OK);
  assert_int_equal(problem_count(&f, "lines of more than 64 MiB (cut)"), 1);
  assert_int_equal(problem_count(&f, "names of more than 1 MiB (cut)"), 1);
  (void)one_row(&f, "compile", TDM_SHAPE_INSTANT, "next");
  fixture_done(&f);
}

static void only_logs_with_json_are_claimed(void **state) {
  (void)state;
  assert_true(sure(LINE "{\"a\": {}}") > 90);
  assert_true(sure("noise\n" LINE "{\"a\": {}}\n") > 50);
  assert_int_equal(sure("I0718 13:01:02.123456 4312 server.cc:22] started\n"), 0);
  assert_int_equal(sure("V1318 13:01:02.123456 4312 a.py:22] {}\n"), 0);
  assert_int_equal(sure("{\"traceEvents\": []}"), 0);
  assert_int_equal(sure(""), 0);
}

static void a_file_without_records_is_refused(void **state) {
  (void)state;
  torch_fixture f = read_text(reader, "nothing\n", 8);
  assert_int_equal(f.status, TDM_INVALID);
  fixture_done(&f);
}

/* The whole files, as they were downloaded; the copies here are the same bytes. */
static void the_downloaded_files_give_the_same(void **state) {
  (void)state;
  const char *data = getenv("TANDEM_DATA");
  if (data == NULL) {
    print_message("TANDEM_DATA is not set\n");
    skip();
  }
  static const char *const names[] = {"artifacts", "cache_hit_miss", "comp_failure", "simple"};
  for (size_t i = 0; i < 4; i++) {
    char path[512], copy[128];
    snprintf(path, sizeof path, "%s/torch_trace_logs/tests__inputs__%s.log", data, names[i]);
    snprintf(copy, sizeof copy, DATA "trace_%s.log.gz", names[i]);
    torch_fixture whole = read_path(reader, path), ours = read_path(reader, copy);
    assert_int_equal(count_rows(&whole, "compile", -1, NULL),
                     count_rows(&ours, "compile", -1, NULL));
    assert_int_equal(problem_count(&whole, NULL), 0);
    fixture_done(&whole);
    fixture_done(&ours);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begins_and_ends_become_spans),
      cmocka_unit_test(every_other_record_is_an_instant),
      cmocka_unit_test(payloads_are_artifacts_of_their_compilation),
      cmocka_unit_test(look_ups_of_caches_count_once),
      cmocka_unit_test(failures_say_why_and_where),
      cmocka_unit_test(metrics_with_a_beginning_are_spans_and_set_the_clock),
      cmocka_unit_test(breaks_and_recompilations_have_reason_and_frame),
      cmocka_unit_test(spans_without_an_end_stay_open),
      cmocka_unit_test(reasons_are_found_in_every_wording),
      cmocka_unit_test(frames_are_of_the_user_and_stacks_of_whoever_logs),
      cmocka_unit_test(a_log_that_never_says_its_year_is_of_1970),
      cmocka_unit_test(what_is_broken_is_counted),
      cmocka_unit_test(logs_cut_anywhere_are_read_as_far_as_they_go),
      cmocka_unit_test(long_json_is_an_artifact),
      cmocka_unit_test(long_lines_are_cut),
      cmocka_unit_test(only_logs_with_json_are_claimed),
      cmocka_unit_test(a_file_without_records_is_refused),
      cmocka_unit_test(the_downloaded_files_give_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
