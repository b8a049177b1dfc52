/* PyTorch's memory timelines, memory snapshots and logs of torch.compile, small ones by hand, with
 * every row and metric worked out from what the formats mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "read/torch/inside.h"
#include "read/torch/log.h"
#include "records_as_text.h"

typedef struct {
  const char *const *line;
  size_t count;
} wanted;

#define WANTED(...)                                                                                \
  (wanted) {                                                                                       \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                                \
  }

static tdm_recording *read_as(const tdm_reader *reader, tdm_time_unit unit, const char *text) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error = {0};
  tdm_read_options options = {.time_unit = unit};
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  if (read_input(reader, input, &options, &got, &error) != TDM_OK) fail_msg("%s", error.message);
  return got;
}

static void assert_lines(const tdm_recording *got, wanted want) {
  assert_rows(got, want.count, want.line);
}

/* Metrics as "scope | subject | name=value unit", in the order in which they were told. */
static void assert_metrics(const tdm_recording *got, wanted want) {
  size_t count;
  const tdm_metric *all = tdm_recording_metrics(got, &count);
  for (size_t i = 0; i < count && i < want.count; i++) {
    char text[300];
    snprintf(text, sizeof text, "%s | %s | %s=%.17g %s", all[i].scope, all[i].subject, all[i].name,
             all[i].value, all[i].unit);
    assert_string_equal(text, want.line[i]);
  }
  assert_int_equal(count, want.count);
}

/* ---- timelines ---- */

#define MEMORY "[PyTorch memory | memory | device GPU]"

static void events_of_a_timeline_are_instants_and_counters(void **state) {
  (void)state;
  /* Two blocks from before; at 20 one comes and one goes; -1 later on is at the time before. */
  static const char text[] = "[[-1,1,100,0],[-1,1,7,5],[20,2,50,4],[20,4,-7,5],[-1,3,0,0],"
                             "[30,4,-50,4]]";
  static const char *const units[] = {"", "", "000", "000000", "000000000"};
  for (int unit = TDM_UNIT_AUTO; unit <= TDM_UNIT_S; unit++) {
    const char *const u = units[unit];
    char row[11][160];
    const char *want[11];
    static const char *const forms[] = {
        "instant memory 20%s+0 'create' bytes=50 kind=t'activation' " MEMORY,
        "instant memory 20%s+0 'destroy' bytes=-7 kind=t'gradient' " MEMORY,
        "instant memory 20%s+0 'increment_version' bytes=0 kind=t'parameter' " MEMORY,
        "instant memory 20%s+0 'preexisting' bytes=100 kind=t'parameter' " MEMORY,
        "instant memory 20%s+0 'preexisting' bytes=7 kind=t'gradient' " MEMORY,
        "instant memory 30%s+0 'destroy' bytes=-50 kind=t'activation' " MEMORY,
        "sample counter 20%s+0 'memory: activation' value=50r unit=t'bytes' " MEMORY,
        "sample counter 20%s+0 'memory: parameter' value=100r unit=t'bytes' " MEMORY,
        "sample counter 20%s+0 'memory: total' value=150r unit=t'bytes' " MEMORY,
        "sample counter 30%s+0 'memory: activation' value=0r unit=t'bytes' " MEMORY,
        "sample counter 30%s+0 'memory: total' value=100r unit=t'bytes' " MEMORY};
    for (size_t i = 0; i < 11; i++) {
      const char *mark = strstr(forms[i], "%s");
      snprintf(row[i], sizeof row[i], "%.*s%s%s", (int)(mark - forms[i]), forms[i], u, mark + 2);
      want[i] = row[i];
    }
    tdm_recording *got = read_as(&tdm_reader_torch_timeline, (tdm_time_unit)unit, text);
    assert_lines(got, (wanted){want, 11});
    assert_metrics(got, WANTED("memory | parameter | peak_live_bytes=100 bytes",
                               "memory | activation | peak_live_bytes=50 bytes",
                               "memory | total | peak_live_bytes=150 bytes"));
    assert_int_equal(problem_count(got, ""), 0);
    assert_string_equal(tdm_recording_source(got, 0)->detail, "raw");
    tdm_recording_free(got);
  }
}

/* Sizes: a column without a category, then the eight. Times are in microseconds if nobody says. */
static void rows_of_a_coalesced_timeline_are_counters(void **state) {
  (void)state;
  tdm_recording *got =
      read_as(&tdm_reader_torch_timeline, TDM_UNIT_AUTO,
              "[[5,6,7],[[0,1,0,0,0,0,0,0,2],[9,1,0,0,0,0,0,0,2],[0,0,0,0,0,0,0,0,3]]]");
  assert_lines(got,
               WANTED("sample counter 5000+0 'memory: parameter' value=1r unit=t'bytes' " MEMORY,
                      "sample counter 5000+0 'memory: total' value=3r unit=t'bytes' " MEMORY,
                      "sample counter 5000+0 'memory: unknown' value=2r unit=t'bytes' " MEMORY,
                      "sample counter 7000+0 'memory: parameter' value=0r unit=t'bytes' " MEMORY,
                      "sample counter 7000+0 'memory: unknown' value=3r unit=t'bytes' " MEMORY));
  assert_metrics(got, WANTED("memory | parameter | peak_live_bytes=1 bytes",
                             "memory | unknown | peak_live_bytes=3 bytes",
                             "memory | total | peak_live_bytes=3 bytes"));
  assert_int_equal(problem_count(got, "bytes in the column without a category"), 1);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "coalesced");
  tdm_recording_free(got);
  got = read_as(&tdm_reader_torch_timeline, TDM_UNIT_S,
                "[[5],[[0,1,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0],7]]");
  assert_lines(
      got, WANTED("sample counter 5000000000+0 'memory: parameter' value=1r unit=t'bytes' " MEMORY,
                  "sample counter 5000000000+0 'memory: total' value=1r unit=t'bytes' " MEMORY));
  assert_int_equal(problem_count(got, "rows without a time"), 1);
  assert_int_equal(problem_count(got, "rows that are not lists"), 1);
  tdm_recording_free(got);
}

static void a_timeline_is_known_by_its_first_lists(void **state) {
  (void)state;
  static const struct {
    const char *head;
    int how;
  } cases[] = {{"[[-1, 1, 10, 0], [5", 90},
               {" [ [1,2,3,4]]", 90},
               {"[[1,2,3], [[", 80},
               {"[[1,2,3,4], [[", 80},
               {"[[1,2,3],[1", 0},
               {"[[1,2,3,4,5", 60},
               {"[[1,2,3,4", 0},
               {"[[1,2,3,4,5 ", 60},
               {"[[1,2,x", 0},
               {"[{", 0},
               {"[", 0},
               {"", 0},
               {"[[1.5,2,3,4],", 0},
               {"[[0,9,10,11],\n[12", 90}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(tdm_reader_torch_timeline.detect((const unsigned char *)cases[i].head,
                                                      strlen(cases[i].head), "x"),
                     cases[i].how);
}

/* ---- snapshots ---- */

#define GPU(n) "[GPU #" n " | memory | device GPU device=" n "]"

static void counters_are_reckoned_back_from_what_is_held(void **state) {
  (void)state;
  tdm_recording *got = read_as(
      &tdm_reader_torch_snapshot, TDM_UNIT_AUTO,
      "{\"segments\":[{\"device\":1,\"address\":16,\"total_size\":1000,\"stream\":3,"
      "\"segment_type\":\"large\",\"segment_pool_id\":[0,2],\"blocks\":["
      "{\"size\":512,\"requested_size\":500,\"state\":\"active_allocated\",\"frames\":["
      "{\"filename\":\"a.py\",\"line\":3,\"name\":\"f\"},{\"name\":\"main\"}]},"
      "{\"size\":88,\"state\":\"active_pending_free\"},{\"size\":300,\"state\":\"inactive\"},"
      "{\"size\":100,\"state\":\"inactive\"}]}],\"device_traces\":[[],["
      "{\"action\":\"segment_alloc\",\"addr\":16,\"size\":600,\"stream\":3,\"time_us\":1},"
      "{\"action\":\"alloc\",\"addr\":16,\"size\":500,\"stream\":3,\"time_us\":1.5,\"category\":"
      "\"x\","
      "\"frames\":[{\"filename\":\"a.py\",\"line\":3,\"name\":\"f\"},{\"filename\":\"b.py\"}]},"
      "{\"action\":\"free_requested\",\"size\":80,\"time_us\":2,\"compile_context\":\"0/0\"},"
      "{\"action\":\"free_completed\",\"size\":70,\"time_us\":2,\"user_metadata\":\"m\"},"
      "{\"action\":\"segment_free\",\"size\":50,\"time_us\":3},"
      "{\"action\":\"oom\",\"size\":9999,\"device_free\":12,\"time_us\":4},"
      "{\"action\":\"odd\",\"size\":1}]],"
      "\"external_annotations\":[{\"stage\":\"START\",\"name\":\"step\",\"device\":1,\"time_us\":1}"
      ","
      "{\"stage\":\"START\",\"name\":\"step\",\"device\":0,\"time_us\":2},"
      "{\"stage\":\"END\",\"name\":\"step\",\"device\":1,\"time_us\":5.25},"
      "{\"stage\":\"END\",\"name\":\"other\",\"device\":1,\"time_us\":6}]}");
  /* Before the first event: allocated 500 - 500 + 80, active 588 - 500 + 70, reserved 1000 - 550.
   */
  assert_lines(
      got,
      WANTED("async user_annotation 1000+4250 'step' " GPU("1"),
             "instant memory 1000+0 'segment_alloc' bytes=600 address=16 stream=3 " GPU("1"),
             "instant memory 1500+0 'alloc' bytes=500 address=16 stream=3 kind=t'x' "
             "frame=t'a.py:3 f' stack=t'b.py;a.py:3 f' " GPU("1"),
             "instant memory 2000+0 'free_completed' bytes=70 user_metadata=t'm' " GPU("1"),
             "instant memory 2000+0 'free_requested' bytes=80 compile_context=t'0/0' " GPU("1"),
             "instant memory 3000+0 'segment_free' bytes=50 " GPU("1"),
             "instant memory 4000+0 'odd' bytes=1 " GPU("1"),
             "instant memory 4000+0 'oom' bytes=9999 device_free=12 " GPU("1"),
             "sample counter 1000+0 'memory: active' value=158r unit=t'bytes' " GPU("1"),
             "sample counter 1000+0 'memory: allocated' value=80r unit=t'bytes' " GPU("1"),
             "sample counter 1000+0 'memory: reserved' value=1050r unit=t'bytes' " GPU("1"),
             "sample counter 1500+0 'memory: active' value=658r unit=t'bytes' " GPU("1"),
             "sample counter 1500+0 'memory: allocated' value=580r unit=t'bytes' " GPU("1"),
             "sample counter 2000+0 'memory: active' value=588r unit=t'bytes' " GPU("1"),
             "sample counter 2000+0 'memory: allocated' value=500r unit=t'bytes' " GPU("1"),
             "sample counter 3000+0 'memory: reserved' value=1000r unit=t'bytes' " GPU("1")));
#define SEGMENT "memory_segment | GPU #1 0x10 large stream 3 pool 0,2 | "
  assert_metrics(got, WANTED(SEGMENT "total_bytes=1000 bytes", SEGMENT "allocated_bytes=512 bytes",
                             SEGMENT "active_bytes=600 bytes", SEGMENT "requested_bytes=588 bytes",
                             SEGMENT "largest_free_block_bytes=300 bytes", SEGMENT "blocks=4 ",
                             "memory | GPU #1 | reserved_bytes=1000 bytes",
                             "memory | GPU #1 | allocated_bytes=512 bytes",
                             "memory | GPU #1 | active_bytes=600 bytes",
                             "memory | GPU #1 | requested_bytes=588 bytes",
                             "memory | GPU #1 | largest_free_block_bytes=300 bytes",
                             "memory | GPU #1 | stranded_bytes=400 bytes",
                             "memory | GPU #1 | segments=1 ", "memory | GPU #1 | blocks=4 "));
  assert_int_equal(problem_count(got, "action that is not known"), 1);
  assert_int_equal(problem_count(got, "events without a time"), 1);
  assert_int_equal(problem_count(got, "annotations that end without a begin"), 1);
  assert_int_equal(problem_count(got, "annotations without an end"), 1);
  size_t count;
  const tdm_artifact *live = tdm_recording_artifacts(got, &count);
  assert_int_equal(count, 1);
  static const char folded[] = "stream 3;?? main;a.py:3 f 512\nstream 3;(no stack) 88\n";
  assert_int_equal(live->length, sizeof folded - 1);
  assert_memory_equal(live->bytes, folded, live->length);
  tdm_recording_free(got);
}

/* The last that began of a name and device ends first; what began around it stays open. */
static void annotations_end_by_name_and_device(void **state) {
  (void)state;
  tdm_recording *got = read_as(&tdm_reader_torch_snapshot, TDM_UNIT_AUTO,
                               "{\"segments\":[],\"device_traces\":[],\"external_annotations\":["
                               "{\"stage\":\"START\",\"name\":\"a\",\"device\":0,\"time_us\":1},"
                               "{\"stage\":\"START\",\"name\":\"b\",\"device\":0,\"time_us\":2},"
                               "{\"stage\":\"START\",\"name\":\"a\",\"device\":1,\"time_us\":3},"
                               "{\"stage\":\"START\",\"name\":\"a\",\"device\":0,\"time_us\":4},"
                               "{\"stage\":\"START\",\"name\":\"c\",\"device\":0,\"time_us\":5},"
                               "{\"stage\":\"END\",\"name\":\"b\",\"device\":0,\"time_us\":6},"
                               "{\"stage\":\"END\",\"name\":\"a\",\"device\":0,\"time_us\":7},"
                               "{\"stage\":\"END\",\"name\":\"c\",\"device\":0,\"time_us\":8},"
                               "{\"stage\":\"END\",\"name\":\"a\",\"device\":1,\"time_us\":9},"
                               "{\"stage\":\"END\",\"name\":\"a\",\"device\":0,\"time_us\":10}]}");
  assert_lines(got, WANTED("async user_annotation 1000+9000 'a' " GPU("0"),
                           "async user_annotation 2000+4000 'b' " GPU("0"),
                           "async user_annotation 3000+6000 'a' " GPU("1"),
                           "async user_annotation 4000+3000 'a' " GPU("0"),
                           "async user_annotation 5000+3000 'c' " GPU("0")));
  assert_int_equal(problem_count(got, ""), 0);
  tdm_recording_free(got);
}

/* Before PyTorch 2.1: a history instead of frames, and segments without their blocks. */
static void older_snapshots_say_it_otherwise(void **state) {
  (void)state;
  tdm_recording *got = read_as(
      &tdm_reader_torch_snapshot, TDM_UNIT_AUTO,
      "[{\"device\":0,\"address\":255,\"total_size\":100,\"segment_type\":\"small\",\"blocks\":["
      "{\"size\":64,\"state\":\"active_allocated\",\"history\":[{\"addr\":1,\"real_size\":60,"
      "\"frames\":[{\"filename\":\"a.py\",\"line\":7,\"name\":\"f\"}]},{\"real_size\":5,"
      "\"frames\":[{\"name\":\"older\"}]}]},"
      "{\"size\":36,\"state\":\"active_allocated\",\"history\":[7,{\"frames\":3}]}]},"
      "{\"device\":0,\"address\":256,\"total_size\":100,\"allocated_size\":30,\"active_size\":40,"
      "\"segment_type\":\"large\",\"is_expandable\":true,\"segment_pool_id\":[1,0]},"
      "{\"device\":0,\"total_size\":70,\"allocated_size\":0,\"active_size\":0,\"blocks\":[]},"
      "{\"device\":0,\"total_size\":8,\"allocated_size\":9,\"blocks\":[{\"size\":8,"
      "\"state\":\"active_allocated\"}]},{\"device\":1024},{\"device\":-1}]");
#define FIRST  "memory_segment | GPU #0 0xff small stream 0 | "
#define SECOND "memory_segment | GPU #0 0x100 large stream 0 pool 1,0 expandable | "
#define THIRD  "memory_segment | GPU #0 0x0 small stream 0 | "
  assert_metrics(got, WANTED(FIRST "total_bytes=100 bytes", FIRST "allocated_bytes=100 bytes",
                             FIRST "active_bytes=100 bytes", FIRST "requested_bytes=96 bytes",
                             FIRST "largest_free_block_bytes=0 bytes", FIRST "blocks=2 ",
                             SECOND "total_bytes=100 bytes", SECOND "allocated_bytes=30 bytes",
                             SECOND "active_bytes=40 bytes", SECOND "requested_bytes=40 bytes",
                             SECOND "largest_free_block_bytes=0 bytes", SECOND "blocks=0 ",
                             THIRD "total_bytes=70 bytes", THIRD "allocated_bytes=0 bytes",
                             THIRD "active_bytes=0 bytes", THIRD "requested_bytes=0 bytes",
                             THIRD "largest_free_block_bytes=0 bytes", THIRD "blocks=0 ",
                             THIRD "total_bytes=8 bytes", THIRD "allocated_bytes=8 bytes",
                             THIRD "active_bytes=8 bytes", THIRD "requested_bytes=8 bytes",
                             THIRD "largest_free_block_bytes=0 bytes", THIRD "blocks=1 ",
                             "memory | GPU #0 | reserved_bytes=278 bytes",
                             "memory | GPU #0 | allocated_bytes=138 bytes",
                             "memory | GPU #0 | active_bytes=148 bytes",
                             "memory | GPU #0 | requested_bytes=144 bytes",
                             "memory | GPU #0 | largest_free_block_bytes=0 bytes",
                             "memory | GPU #0 | stranded_bytes=60 bytes",
                             "memory | GPU #0 | segments=4 ", "memory | GPU #0 | blocks=3 "));
  assert_int_equal(problem_count(got, "do not add up"), 1);
  assert_int_equal(problem_count(got, "beyond 1023"), 2);
  size_t count;
  const tdm_artifact *live = tdm_recording_artifacts(got, &count);
  assert_int_equal(count, 1);
  static const char folded[] = "stream 0;a.py:7 f 64\nstream 0;(no stack) 44\n";
  assert_int_equal(live->length, sizeof folded - 1);
  assert_memory_equal(live->bytes, folded, live->length);
  tdm_recording_free(got);
}

/* ---- logs of torch.compile ---- */

#define V(time, json) "V0102 " time " 77 torch/a.py:5] " json "\n"
#define EVENT(text)                                                                                \
  V("00:00:01.000000", "{\"chromium_event\": {}, \"has_payload\": \"x\"}") "\t" text "\n"
#define ON77 "[torch.compile (77) | thread 77 | thread CPU pid=77 tid=77]"

static void chrome_events_of_a_log_are_paired_by_name(void **state) {
  (void)state;
  tdm_recording *got = read_as(
      &tdm_reader_torch_trace, TDM_UNIT_AUTO,
      EVENT("{\"name\":\"a\",\"ph\":\"B\",\"ts\":1000000,\"cat\":\"c\"}")
          EVENT("{\"name\":\"b\",\"ph\":\"B\",\"ts\":1000001}")
              EVENT("{\"name\":\"b\",\"ph\":\"E\",\"ts\":1000001.5,\"args\":{\"k\":1}}")
                  EVENT("{\"name\":\"c\",\"ph\":\"B\",\"ts\":1000002}") EVENT(
                      "{\"name\":\"a\",\"ph\":\"E\",\"ts\":1000003}")
                      EVENT("{\"name\":\"d\",\"ph\":\"E\",\"ts\":1000003}") EVENT(
                          "{\"name\":\"x\",\"ph\":\"X\",\"ts\":1000004,\"dur\":2}")
                          EVENT("{\"name\":\"y\",\"ph\":\"X\",\"ts\":1000004}") EVENT(
                              "{\"name\":\"z\",\"ph\":\"X\",\"ts\":1000004,\"dur\":-2}")
                              EVENT("{\"name\":\"w\",\"ph\":\"X\",\"ts\":1000004,\"dur\":0}")
                                  EVENT("{\"name\":\"i\",\"ph\":\"i\",\"ts\":1000005}")
                                      EVENT("{\"name\":\"q\",\"ph\":\"q\",\"ts\":1000006}") EVENT(
                                          "{\"name\":\"e\",\"ph\":\"B\",\"ts\":1000009}")
                                          EVENT("{\"name\":\"e\",\"ph\":\"E\",\"ts\":1000008}"));
  assert_lines(
      got, WANTED("async compile 1000000000+3000 'a' kind=t'chromium_event' cat=t'c' " ON77,
                  "instant compile 1000005000+0 'i' kind=t'chromium_event' " ON77,
                  "instant compile 1000006000+0 'q' kind=t'chromium_event' " ON77,
                  "open compile 1000002000+7000 'c' kind=t'chromium_event' " ON77,
                  "span compile 1000001000+500 'b' kind=t'chromium_event' args=j'{\"k\":1}' " ON77,
                  "span compile 1000004000+0 'w' kind=t'chromium_event' " ON77,
                  "span compile 1000004000+0 'y' kind=t'chromium_event' " ON77,
                  "span compile 1000004000+0 'z' kind=t'chromium_event' " ON77,
                  "span compile 1000004000+2000 'x' kind=t'chromium_event' " ON77,
                  "span compile 1000009000+0 'e' kind=t'chromium_event' " ON77));
  assert_int_equal(problem_count(got, "ends without a begin"), 1);
  assert_int_equal(problem_count(got, "spans without a duration"), 2);
  assert_int_equal(problem_count(got, "other phases"), 1);
  assert_int_equal(problem_count(got, "events without an end"), 1);
  assert_int_equal(problem_count(got, "end before they begin"), 1);
  tdm_recording_free(got);
}

/* What stands deeper than the data's own members is copied, and is none of its fields. */
static void only_members_of_the_data_itself_are_its_fields(void **state) {
  (void)state;
  tdm_recording *got = read_as(
      &tdm_reader_torch_trace, TDM_UNIT_AUTO,
      V("00:00:01.000000",
        "{\"first\": {\"reason\": \"because\", \"user_stack\": [{\"line\": 1, \"name\": \"f\","
        " \"filename\": \"a.py\"}, {\"line\": 2, \"name\": \"g\", \"filename\": \"b.py\"}]}}")
          V("00:00:01.000000", "{\"second\": [\"no reason\", {\"reason\": \"nor this\"}]}")
              V("00:00:01.000000",
                "{\"third\": {\"deep\": {\"reason\": \"no\"}, \"reason\": [\"nor this\"]}}"));
#define RECORD(kind) "instant compile 86401000000000+0 '" kind "' kind=t'" kind "'"
#define FROM(json)   " logged_from=t'torch/a.py:5' json=j'" json "' " ON77
  assert_lines(
      got,
      WANTED(RECORD("first") " reason=t'because' frame=t'b.py:2 g' stack=t'a.py:1 f;b.py:2 g'" FROM(
                 "{\"reason\":\"because\",\"user_stack\":[{\"line\":1,\"name\":\"f\",\"filename\":"
                 "\"a.py\"},{\"line\":2,\"name\":\"g\",\"filename\":\"b.py\"}]}"),
             RECORD("second") FROM("[\"no reason\",{\"reason\":\"nor this\"}]"),
             RECORD("third") FROM("{\"deep\":{\"reason\":\"no\"},\"reason\":[\"nor this\"]}")));
  tdm_recording_free(got);
}

/* Records of some kinds have a name of their own; of others it is a field as any other. */
static void four_kinds_are_called_by_their_names(void **state) {
  (void)state;
  static const char *const kinds[] = {"artifact", "graph_dump", "link", "dump_file", "bwd_code"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char line[128], want[200];
    snprintf(line, sizeof line,
             "V0102 00:00:01.000000 77 torch/a.py:5] {\"%s\": {\"name\": \"n\"}}", kinds[i]);
    tdm_recording *got = read_as(&tdm_reader_torch_trace, TDM_UNIT_AUTO, line);
    snprintf(want, sizeof want,
             "instant compile 86401000000000+0 '%s' kind=t'%s' logged_from=t'torch/a.py:5' "
             "json=j'{\"name\":\"n\"}' " ON77,
             i < 4 ? "n" : kinds[i], kinds[i]);
    assert_lines(got, WANTED(want));
    tdm_recording_free(got);
  }
}

/* Arguments of an event that are longer than 64 KiB are kept whole, beside its row. */
static void long_arguments_of_events_are_artifacts(void **state) {
  (void)state;
  enum { LONG = TDM_TORCH_JSON_ROOM };
  for (int more = 0; more < 2; more++) {
    char *text = malloc(LONG + 1000), *at = text;
    at +=
        sprintf(at, "%s", V("00:00:01.000000", "{\"chromium_event\": {}, \"has_payload\": \"x\"}"));
    at += sprintf(at, "\t{\"name\":\"a\",\"ph\":\"X\",\"ts\":1000004,\"dur\":2,\"args\":{\"k\":\"");
    const size_t plain = strlen("{\"k\":\"\"}");
    memset(at, 'v', LONG - plain + (size_t)more);
    strcpy(at + LONG - plain + (size_t)more, "\"}}\n");
    tdm_recording *got = read_as(&tdm_reader_torch_trace, TDM_UNIT_AUTO, text);
    free(text);
    size_t count;
    const tdm_artifact *live = tdm_recording_artifacts(got, &count);
    assert_int_equal(rows_count(got), 1);
    assert_int_equal(count, more);
    if (more) {
      assert_string_equal(live[0].type, "json");
      assert_int_equal(live[0].length, LONG + 1);
    }
    tdm_recording_free(got);
  }
}

static void a_line_begins_with_level_date_time_thread_and_place(void **state) {
  (void)state;
  static const struct {
    const char *line;
    int month, day;
    int64_t of_day_us, thread;
    const char *from, *rest;
  } good[] = {
      {"V0102 03:04:05.000006 7 a.py:1] {}", 1, 2, 11045000006, 7, "a.py:1", "{}"},
      {"E1231 23:59:60.999999   77 b.py:22]  [0/0] [x] {\"a\":1}", 12, 31, 86400999999, 77,
       "b.py:22", "{\"a\":1}"},
      {"I1001 00:00:00.000000 123456789012345678 c]", 10, 1, 0, 123456789012345678, "c", ""},
      {"W0930 10:20:30.400000 1 d] [open", 9, 30, 37230400000, 1, "d", "[open"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    tdm_torch_line line;
    assert_true(tdm_torch_line_parse(good[i].line, strlen(good[i].line), &line));
    assert_int_equal(line.level, good[i].line[0]);
    assert_int_equal(line.month, good[i].month);
    assert_int_equal(line.day, good[i].day);
    assert_int_equal(line.of_day_us, good[i].of_day_us);
    assert_int_equal(line.thread, good[i].thread);
    assert_int_equal(line.from_length, strlen(good[i].from));
    assert_memory_equal(line.from, good[i].from, line.from_length);
    assert_int_equal(line.rest_length, strlen(good[i].rest));
    assert_memory_equal(line.rest, good[i].rest, line.rest_length);
  }
  static const char *const bad[] = {"X0102 03:04:05.000006 7 a.py:1] {}",
                                    "V0002 03:04:05.000006 7 a.py:1] {}",
                                    "V1302 03:04:05.000006 7 a.py:1] {}",
                                    "V0100 03:04:05.000006 7 a.py:1] {}",
                                    "V0132 03:04:05.000006 7 a.py:1] {}",
                                    "V0102 24:04:05.000006 7 a.py:1] {}",
                                    "V0102 03:60:05.000006 7 a.py:1] {}",
                                    "V0102 03:04:61.000006 7 a.py:1] {}",
                                    "V0102 03:04:05.00000x 7 a.py:1] {}",
                                    "V0102 03:04:05,000006 7 a.py:1] {}",
                                    "V0102 03.04:05.000006 7 a.py:1] {}",
                                    "V0102 03:04.05.000006 7 a.py:1] {}",
                                    "V0102_03:04:05.000006 7 a.py:1] {}",
                                    "V0102 03:04:05.000006 a.py:1] {}",
                                    "V0102 03:04:05.000006 7a.py:1] {}",
                                    "V0102 03:04:05.000006 7 a.py:1 {}",
                                    "V0x02 03:04:05.000006 7 a.py:1] {}",
                                    "V010x 03:04:05.000006 7 a.py:1] {}",
                                    "V0102 x3:04:05.000006 7 a.py:1] {}",
                                    "V0102 03:04:05.000006 1234567890123456789 a] {}",
                                    "V0102 03:04:05.000006 7"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tdm_torch_line line;
    if (tdm_torch_line_parse(bad[i], strlen(bad[i]), &line)) fail_msg("%s", bad[i]);
  }
}

/* The zone is what is between a line's time and its time since 1970, to the quarter of an hour. */
static void the_clock_finds_year_and_zone_by_one_time_that_is_known(void **state) {
  (void)state;
  static const struct {
    const char *line;
    int64_t utc_s;
    int year, zone_minutes; /* year 0: the clock is not set */
  } cases[] = {
      {"V0601 12:00:00.000000 7 a] {}", 1717243200, 2024, 0},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 + 7 * 60, 2024, 0},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 - 7 * 60, 2024, 0},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 + 8 * 60, 2024, -15},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 - 8 * 60, 2024, 15},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 - 15 * 3600, 2024, 15 * 60},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 - 15 * 3600 - 900, 0, 0},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 + 13 * 3600, 2024, -13 * 60},
      {"V0601 12:00:00.000000 7 a] {}", 1717243200 + 13 * 3600 + 900, 0, 0},
      /* New Year's Eve there, New Year here, and the other way round */
      {"V1231 23:30:00.000000 7 a] {}", 1704065400 + 3600, 2023, -60},
      {"V0101 00:30:00.000000 7 a] {}", 1704069000 - 3600, 2024, 60},
      {"V0601 12:00:00.000000 7 a] {}", -1, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tdm_torch_clock clock = {0};
    tdm_torch_line line;
    assert_true(tdm_torch_line_parse(cases[i].line, strlen(cases[i].line), &line));
    tdm_torch_clock_anchor(&clock, &line, cases[i].utc_s * 1000000000);
    assert_int_equal(clock.set, cases[i].year != 0);
    assert_int_equal(clock.year, cases[i].year);
    assert_int_equal(clock.zone_minutes, cases[i].zone_minutes);
    tdm_torch_clock_anchor(&clock, &line, 1000); /* only the first one counts */
    if (cases[i].year == 0) continue;
    assert_int_equal(clock.year, cases[i].year);
    int64_t want = cases[i].utc_s - cases[i].utc_s % 900; /* all whole quarters but four */
    if (cases[i].utc_s % 900 == 0)
      assert_int_equal(tdm_torch_clock_ns(&clock, &line, 0), want * 1000000000);
  }
  tdm_torch_clock clock = {0};
  tdm_torch_line december, january;
  assert_true(tdm_torch_line_parse("V1231 23:00:00.000000 7 a] {}", 29, &december));
  assert_true(tdm_torch_line_parse("V0101 00:00:00.000001 7 a] {}", 29, &january));
  tdm_torch_clock_pass(&clock, &december);
  assert_int_equal(clock.years, 0);
  tdm_torch_clock_pass(&clock, &january);
  assert_int_equal(clock.years, 1);
  tdm_torch_clock_pass(&clock, &january);
  assert_int_equal(clock.years, 1);
  tdm_torch_clock_guess(&clock, 2023);
  tdm_torch_clock_guess(&clock, 1999);
  assert_int_equal(tdm_torch_clock_ns(&clock, &december, 0), 1704063600 * INT64_C(1000000000));
  assert_int_equal(tdm_torch_clock_ns(&clock, &january, 1),
                   1704067200 * INT64_C(1000000000) + 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_of_a_timeline_are_instants_and_counters),
      cmocka_unit_test(rows_of_a_coalesced_timeline_are_counters),
      cmocka_unit_test(a_timeline_is_known_by_its_first_lists),
      cmocka_unit_test(counters_are_reckoned_back_from_what_is_held),
      cmocka_unit_test(annotations_end_by_name_and_device),
      cmocka_unit_test(older_snapshots_say_it_otherwise),
      cmocka_unit_test(chrome_events_of_a_log_are_paired_by_name),
      cmocka_unit_test(only_members_of_the_data_itself_are_its_fields),
      cmocka_unit_test(four_kinds_are_called_by_their_names),
      cmocka_unit_test(long_arguments_of_events_are_artifacts),
      cmocka_unit_test(a_line_begins_with_level_date_time_thread_and_place),
      cmocka_unit_test(the_clock_finds_year_and_zone_by_one_time_that_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
