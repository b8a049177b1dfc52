/* PyTorch's memory timelines and snapshots: events, counters, what was held at the end. */
#include "torch_fixture.h"

static const char raw[] = "tests/data/torch/memory_timeline.raw.json.gz";
static const char coalesced[] = "tests/data/torch/memory_timeline.json.gz";
static const char snapshot[] = "tests/data/torch/snapshot.json";

/* ---- the timeline ---- */

/* Counted by python3 over the JSON: collections.Counter of actions and categories, sums of bytes.
 */
static void every_record_of_a_raw_timeline_is_an_event(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_timeline, raw);
  assert_int_equal(problem_count(&f, NULL), 0);
  assert_int_equal(count_rows(&f, "memory", TDM_SHAPE_INSTANT, NULL), 16845);
  assert_int_equal(count_rows(&f, "memory", TDM_SHAPE_INSTANT, "preexisting"), 645);
  assert_int_equal(count_rows(&f, "memory", TDM_SHAPE_INSTANT, "create"), 3345);
  assert_int_equal(count_rows(&f, "memory", TDM_SHAPE_INSTANT, "increment_version"), 9510);
  assert_int_equal(count_rows(&f, "memory", TDM_SHAPE_INSTANT, "destroy"), 3345);
  found_row row = {0};
  find_rows(&f, "memory", TDM_SHAPE_INSTANT, NULL, &row);
  const tdm_kept_rows *rows = row.rows;
  uint32_t bytes = tdm_layout_column(row.layout, "bytes");
  uint32_t kind = tdm_layout_column(row.layout, "kind");
  int64_t sum = 0, grown = 0;
  size_t activations = 0, gradients = 0, unknown = 0;
  for (size_t i = 0; i < rows->count; i++) {
    int64_t each = tdm_kept(rows, bytes, i);
    sum += each;
    if (each > 0) grown += each;
    const char *word = name_at(&f, tdm_kept(rows, kind, i));
    activations += strcmp(word, "activation") == 0;
    gradients += strcmp(word, "gradient") == 0;
    unknown += strcmp(word, "unknown") == 0;
  }
  assert_int_equal(sum, 332060904);
  assert_true(grown == 98437173904);
  assert_int_equal(activations, 2839);
  assert_int_equal(gradients, 1449);
  assert_int_equal(unknown, 3907);
  const tdm_source *source = tdm_recording_source(f.recording, 0);
  assert_true(source->first_ns == 1696966047096061874); /* the first time that is not -1 */
  assert_true(source->last_ns == 1696966048083248105);
  assert_int_equal(source->utc_ns, 0);
  fixture_done(&f);
}

/* Reckoned by python3: live bytes after the last event of each time, a sample where they differ. */
static void counters_follow_the_live_bytes_of_each_category(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_timeline, raw);
  assert_int_equal(count_rows(&f, "counter", TDM_SHAPE_SAMPLE, NULL), 14073);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: parameter"), 1);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: activation"), 1659);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: gradient"), 1449);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: temporary"), 30);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: unknown"), 2632);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: total"), 6690);
  found_row row = {0};
  find_rows(&f, "counter", -1, "memory: total", &row);
  assert_true(tdm_record_double(arg_of(&row, "value")) == 332060904.0);
  assert_string_equal(text_of(&f, &row, "unit"), "bytes");
  assert_true(metric_of(&f, "memory", "total", "peak_live_bytes") == 3082832104.0);
  assert_true(metric_of(&f, "memory", "activation", "peak_live_bytes") == 2746497024.0);
  const tdm_track *track =
      tdm_recording_track(f.recording, (uint32_t)tdm_kept(row.rows, TDM_TRACK, row.index));
  assert_int_equal(track->kind, TDM_TRACK_DEVICE);
  fixture_done(&f);
}

/* The first 300 times of the same capture, made coalesced by python3 as PyTorch's
 * _coalesce_timeline does. */
static void the_coalesced_form_has_the_same_counters(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_timeline, coalesced);
  assert_int_equal(problem_count(&f, NULL), 0);
  assert_int_equal(count_rows(&f, "memory", -1, NULL), 0);
  assert_int_equal(count_rows(&f, "counter", -1, NULL), 527);
  found_row row = {0};
  find_rows(&f, "counter", -1, "memory: total", &row);
  assert_true(tdm_record_double(arg_of(&row, "value")) == 1979540712.0);
  assert_true(tdm_kept(row.rows, TDM_START, row.index) ==
              1696966047122660000); /* unchanged later */
  fixture_done(&f);
}

static void timelines_that_break_the_form_are_mended(void **state) {
  (void)state;
#define TIMELINE(text) read_text(&tdm_reader_torch_timeline, text, sizeof(text) - 1)
  torch_fixture f = TIMELINE("[[-1, 1, 10, 0], [5, 2, 3], [5, 2, \"x\", 1], 7, [6, 9, 4, 12],"
                             "[7, 4, -10, 0]]");
  assert_int_equal(f.status, TDM_OK);
  assert_int_equal(
      problem_count(&f, "records that are not [time, action, bytes, category] (skipped)"), 3);
  assert_int_equal(problem_count(&f, "actions and categories without a known name (kept)"), 2);
  found_row row = one_row(&f, "memory", -1, "action 9");
  assert_string_equal(text_of(&f, &row, "kind"), "category 12");
  row = one_row(&f, "memory", -1, "preexisting");
  assert_int_equal(tdm_kept(row.rows, TDM_START, row.index), 6);
  fixture_done(&f);
  f = TIMELINE("[[-1, 1, 10, 0]]"); /* nothing but what was there before */
  assert_int_equal(f.status, TDM_OK);
  assert_int_equal(problem_count(&f, "blocks from before, with no time after them (placed at 0)"),
                   1);
  fixture_done(&f);
  f = TIMELINE(
      "[[1, 2, 3, 4], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1], [0, 1, 2, 3, 4, 5, 6, 7, 8]]]");
  assert_int_equal(problem_count(&f, "rows without a time or not of 9 columns (skipped)"), 1);
  assert_int_equal(problem_count(&f, "times without sizes (skipped)"), 1);
  assert_int_equal(count_rows(&f, "counter", -1, "memory: total"), 1); /* 36, and again 36 */
  fixture_done(&f);
  f = TIMELINE("[9223372036854775807, 1]");
  assert_int_equal(f.status, TDM_INVALID);
  fixture_done(&f);
#undef TIMELINE
}

/* ---- the snapshot ---- */

/* By hand from the file: see its README. MiB. */
static void events_of_a_snapshot_have_bytes_address_and_stack(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_snapshot, snapshot);
  assert_int_equal(count_rows(&f, "memory", -1, NULL), 8);
  assert_int_equal(count_rows(&f, "memory", -1, "alloc"), 2);
  found_row row = one_row(&f, "memory", -1, "segment_alloc");
  assert_int_equal(arg_of(&row, "bytes"), 20 << 20);
  assert_true(arg_of(&row, "address") == 0x7f2a00000000 + (32 << 20));
  assert_int_equal(arg_of(&row, "stream"), 0);
  assert_true(tdm_kept(row.rows, TDM_START, row.index) == 1716905379000010000);
  assert_string_equal(text_of(&f, &row, "frame"), "/app/model.py:42 forward");
  assert_string_equal(text_of(&f, &row, "stack"),
                      "/app/train.py:30 <module>;/app/train.py:17 step;/app/model.py:42 forward");
  assert_string_equal(text_of(&f, &row, "compile_context"), "N/A");
  row = one_row(&f, "memory", -1, "oom");
  assert_int_equal(arg_of(&row, "device_free"), 77 << 20);
  assert_int_equal(arg_of(&row, "bytes"), 500 << 20);
  assert_true(arg_of(&row, "address") == TDM_NONE);
  row = one_row(&f, "memory", -1, "snapshot");
  assert_true(arg_of(&row, "stack") == TDM_NONE);
  row = one_row(&f, "user_annotation", TDM_SHAPE_ASYNC, "## forward ##");
  assert_int_equal(tdm_kept(row.rows, TDM_DUR, row.index), 25000);
  assert_int_equal(problem_count(&f, "annotations without an end (skipped)"), 1);
  fixture_done(&f);
}

static double counter_at(const torch_fixture *f, const char *name, int64_t time_ns) {
  found_row row = {0};
  find_rows(f, "counter", -1, name, &row);
  assert_non_null(row.rows);
  double value = -1;
  for (size_t i = 0; i < row.rows->count; i++) {
    if (strcmp(name_at(f, tdm_kept(row.rows, TDM_NAME, i)), name) != 0) continue;
    if (tdm_kept(row.rows, TDM_START, i) > time_ns) continue;
    value = tdm_record_double(tdm_kept(row.rows, tdm_layout_column(row.layout, "value"), i));
  }
  return value;
}

/* The trace is a ring that begins in the middle; what is held at the end is known. */
static void counters_of_a_snapshot_end_at_what_is_held(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_snapshot, snapshot);
  const int64_t t0 = 1716905379000000000, mib = 1 << 20;
  double first = (double)(2 * mib - 56); /* the block that was there all the time */
  assert_true(counter_at(&f, "memory: allocated", t0) == first);
  assert_true(counter_at(&f, "memory: active", t0) == first);
  assert_true(counter_at(&f, "memory: reserved", t0) == (double)(20 * mib));
  assert_true(counter_at(&f, "memory: reserved", t0 + 10000) == (double)(40 * mib));
  assert_true(counter_at(&f, "memory: allocated", t0 + 10000) == first + (double)(20 * mib - 100));
  double all = first + (double)(20 * mib - 100) + (double)(2 * mib - 24);
  assert_true(counter_at(&f, "memory: allocated", t0 + 25000) == all);
  assert_true(counter_at(&f, "memory: allocated", t0 + 40000) == all - (double)(2 * mib - 24));
  assert_true(counter_at(&f, "memory: active", t0 + 60000) == all);
  fixture_done(&f);
}

static void segments_and_blocks_are_metrics(void **state) {
  (void)state;
  torch_fixture f = read_path(&tdm_reader_torch_snapshot, snapshot);
  const double mib = 1 << 20;
  assert_true(metric_of(&f, "memory", "GPU #0", "reserved_bytes") == 40 * mib);
  assert_true(metric_of(&f, "memory", "GPU #0", "allocated_bytes") == 22 * mib);
  assert_true(metric_of(&f, "memory", "GPU #0", "active_bytes") == 24 * mib);
  assert_true(metric_of(&f, "memory", "GPU #0", "requested_bytes") == 24 * mib - 180);
  assert_true(metric_of(&f, "memory", "GPU #0", "largest_free_block_bytes") == 16 * mib);
  assert_true(metric_of(&f, "memory", "GPU #0", "stranded_bytes") == 16 * mib);
  assert_true(metric_of(&f, "memory", "GPU #0", "segments") == 2);
  assert_true(metric_of(&f, "memory", "GPU #0", "blocks") == 4);
  assert_true(metric_of(&f, "memory", "GPU #1", "reserved_bytes") == 2 * mib);
  assert_true(metric_of(&f, "memory", "GPU #1", "stranded_bytes") == 0);
  const char *second = "GPU #0 0x7f2a02000000 large stream 0 pool 0,1";
  assert_true(metric_of(&f, "memory_segment", second, "total_bytes") == 20 * mib);
  assert_true(metric_of(&f, "memory_segment", second, "largest_free_block_bytes") == 0);
  const char *third = "GPU #1 0x7f2a05a00000 small stream 7 expandable";
  assert_true(metric_of(&f, "memory_segment", third, "blocks") == 1);
  const tdm_artifact *live = artifact_named(&f, "live memory by stack, GPU #0");
  assert_non_null(live);
  static const char folded[] =
      "stream 0;/app/train.py:30 <module>;/app/train.py:17 step;/app/model.py:42 forward 23068672\n"
      "stream 0;/app/train.py:30 <module>;/app/train.py:19 step 2097152\n";
  assert_int_equal(live->length, sizeof folded - 1);
  assert_memory_equal(live->bytes, folded, sizeof folded - 1);
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(f.recording, &count);
  assert_int_equal(count, 5);
  assert_string_equal(facts[1].key, "allocator.max_split_size");
  assert_string_equal(facts[1].value, "-1");
  assert_string_equal(facts[4].value, "{\"1\":0,\"2\":0}");
  fixture_done(&f);
}

/* json.dumps(sort_keys=True) puts blocks before their device, traces before segments. */
static void members_come_in_any_order(void **state) {
  (void)state;
  static const char text[] =
      "{\"device_traces\": [[], [{\"action\": \"alloc\", \"addr\": 1, \"size\": 100, \"time_us\": "
      "5}]], \"segments\": [{\"blocks\": [{\"frames\": [], \"requested_size\": 100, \"size\": 512, "
      "\"state\": \"active_allocated\"}], \"device\": 1, \"stream\": 3, \"total_size\": 2048}]}";
  torch_fixture f = read_text(&tdm_reader_torch_snapshot, text, sizeof text - 1);
  assert_int_equal(f.status, TDM_OK);
  assert_true(counter_at(&f, "memory: allocated", 5000) == 100);
  const tdm_artifact *live = artifact_named(&f, "live memory by stack, GPU #1");
  assert_non_null(live);
  assert_memory_equal(live->bytes, "stream 3;(no stack) 512\n", live->length);
  fixture_done(&f);
}

static void a_pickle_is_refused_with_the_command_that_helps(void **state) {
  (void)state;
  static const char pickle[] = "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x08segments";
  const tdm_reader *found;
  tdm_input *input;
  tdm_error error = {0};
  assert_int_equal(tdm_input_open_memory(pickle, sizeof pickle, &input, &error), TDM_OK);
  assert_int_equal(tdm_reader_find(input, &found, &error), TDM_OK);
  assert_ptr_equal(found, &tdm_reader_torch_snapshot);
  tdm_input_close(input);
  torch_fixture f = read_text(&tdm_reader_torch_snapshot, pickle, sizeof pickle);
  assert_int_equal(f.status, TDM_INVALID);
  assert_non_null(strstr(f.error.message, "is a pickle"));
  assert_non_null(strstr(f.error.message, "python3 -c 'import json,pickle,sys"));
  fixture_done(&f);
}

/* ---- both ---- */

static void files_cut_anywhere_are_read_as_far_as_they_go(void **state) {
  (void)state;
  size_t length;
  char *bytes = bytes_of(snapshot, &length);
  for (size_t cut = 0; cut < length; cut += 3) {
    torch_fixture f = read_text(&tdm_reader_torch_snapshot, bytes, cut);
    assert_true(f.status == TDM_OK || cut == 0);
    fixture_done(&f);
  }
  free(bytes);
  bytes = bytes_of(coalesced, &length);
  for (size_t cut = 0; cut < 3000; cut++) {
    torch_fixture f = read_text(&tdm_reader_torch_timeline, bytes, cut);
    assert_true(f.status == TDM_OK || cut < 2);
    fixture_done(&f);
  }
  free(bytes);
}

static int stop_at_once(void *context, uint64_t done, uint64_t total) {
  (void)context;
  (void)done;
  (void)total;
  return 1;
}

static void reading_stops_when_progress_says_so(void **state) {
  (void)state;
  tdm_read_options options = {.progress = stop_at_once};
  tdm_input *input;
  assert_int_equal(tdm_input_open(raw, &input, NULL), TDM_OK);
  torch_fixture f = read_input(input, &tdm_reader_torch_timeline, &options);
  assert_int_equal(f.status, TDM_INTERRUPTED);
  fixture_done(&f);
}

static int sure(const tdm_reader *reader, const char *text) {
  return reader->detect((const unsigned char *)text, strlen(text), "memory");
}

static void other_formats_are_not_claimed(void **state) {
  (void)state;
  static const char *const others[] = {"{\"traceEvents\": [{\"ph\": \"X\"}]}",
                                       "[{\"ph\": \"B\", \"ts\": 1}]",
                                       "[1, 2, 3]",
                                       "[[\"a\", 1, 2, 3]]",
                                       "[[1, 2, 3]]",
                                       "[[1.5, 2, 3, 4]]",
                                       "{\"segments\": \"of a market\"}",
                                       "",
                                       " \n\t",
                                       ("x {\"segments\": [{\"total_size\": 1, "
                                        "\"segment_type\": \"small\"}]}"),
                                       "[[",
                                       "SQLite format 3"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_int_equal(sure(&tdm_reader_torch_timeline, others[i]), 0);
    assert_int_equal(sure(&tdm_reader_torch_snapshot, others[i]), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_record_of_a_raw_timeline_is_an_event),
      cmocka_unit_test(counters_follow_the_live_bytes_of_each_category),
      cmocka_unit_test(the_coalesced_form_has_the_same_counters),
      cmocka_unit_test(timelines_that_break_the_form_are_mended),
      cmocka_unit_test(events_of_a_snapshot_have_bytes_address_and_stack),
      cmocka_unit_test(counters_of_a_snapshot_end_at_what_is_held),
      cmocka_unit_test(segments_and_blocks_are_metrics),
      cmocka_unit_test(members_come_in_any_order),
      cmocka_unit_test(a_pickle_is_refused_with_the_command_that_helps),
      cmocka_unit_test(files_cut_anywhere_are_read_as_far_as_they_go),
      cmocka_unit_test(reading_stops_when_progress_says_so),
      cmocka_unit_test(other_formats_are_not_claimed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
