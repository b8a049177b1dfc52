/* read/pftrace on a trace made by Google's protobuf library (tests/data/perfetto/make.py): what is
 * in it was worked out by hand from that script. And on bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <zlib.h>
#include <zstd.h>

#include "base/rng.h"
#include "proto_text.h"
#include "read/reader.h"
#include "records_as_text.h"
#include "trace/perfetto.h"
#include "trace/protobuf.h"

#define SDK    "tests/data/perfetto/sdk.pftrace"
#define WORKER "[python (4312) | thread 4313 worker | thread CPU pid=4312 tid=4313]"
#define QUEUE  "[GPU | queue 0 | other OTHER]"
#define CHROME "[process 50 | thread 51 | thread CPU pid=50 tid=51]"
#define ASYNC  "[process 50 | thread 51 / chrome b | other OTHER pid=50 tid=51]"
#define NONE   "[ | events without a track | other OTHER]"

static void every_feature_of_track_events_is_read(void **state) {
  (void)state;
  static const char *const want[] = {
      "async cc 3021000+2000 'chrome b' " ASYNC,
      "async cc 3022000+2000 'chrome b' " ASYNC,
      "edge edge 1010000+40000 'flow' " WORKER QUEUE,
      "edge edge 1061000+1000 'flow' " QUEUE QUEUE,
      "edge edge 1062000+1000 'flow' " QUEUE QUEUE,
      "instant a 4000000+0 'before' " WORKER,
      "instant a 4000002+0 'needs none' " WORKER,
      "instant a 4000003+0 'after' " WORKER,
      "instant a 4000004+0 '' " WORKER,
      "instant cc 3025000+0 'chrome I' " CHROME,
      "instant cpu_op 2000030+0 'doubles' " WORKER,
      "instant marker 1042000+0 'mark' correlation_id=12 " WORKER,
      "instant marker 1061000+0 'step' " QUEUE,
      "instant marker 1062000+0 'step' " QUEUE,
      "instant marker 1063000+0 'step' " QUEUE,
      "instant marker 1064000+0 'step' " QUEUE,
      "instant marker 5000050+0 'end' " NONE,
      "instant slice 1043000+0 'log' " WORKER,
      "open kernel 5000030+20 'open' " QUEUE,
      "sample counter 2000000+0 'resident' value=3072r unit=t'bytes'"
      " [python (4312) | process | process CPU pid=4312]",
      "sample counter 2000001+0 'resident' value=5120r unit=t'bytes'"
      " [python (4312) | process | process CPU pid=4312]",
      "sample counter 2000010+0 'cycles' value=100r unit=t'count' " WORKER,
      "sample counter 2000020+0 'cycles' value=150r unit=t'count' " WORKER,
      "sample power 2000002+0 'watts' value=99.5r unit=t'W' " NONE,
      "sample power 2000030+0 'watts' value=1.5r unit=t'W' " NONE,
      "span cc 3010000+10000 'chrome B' " CHROME,
      "span cc 3015000+2000 'chrome X' " CHROME,
      "span cpu_op 1010000+30000 'outer' rows=-42 label=t'forty\n\"two\"' " WORKER,
      "span cpu_op 1015000+5000 'inner' flag=1b big=t'18446744073709551615' small=7"
      " real=0.10000000000000001r at=t'0xdeadbeef' json=j'{\"k\":[1,2]}'"
      " deep=j'{\"x\":1,\"y\":[\"s\",false,2.5]}' dict=j'{\"inner\":\"v\",\"list\":[3,-4]}'"
      " result=9 " WORKER,
      "span cpu_op 2000010+10 'counted' " WORKER,
      "span kernel 1050000+10000 'kernel' " QUEUE,
      "span kernel 5000000+10 'packed' " QUEUE,
      "span memcpy 1055000+1000 'copy' [GPU | queue 0 / sub | other OTHER]",
  };
  tdm_recording *got = read_path(&tdm_reader_pftrace, SDK);
  assert_rows(got, sizeof want / sizeof *want, want);
  assert_int_equal(problem_count(got, "ftrace events"), 2);
  assert_int_equal(problem_count(got, "typed arguments"), 1);
  assert_int_equal(problem_count(got, "counters without a track"), 1);
  assert_int_equal(problem_count(got, "other phases"), 1);
  assert_int_equal(problem_count(got, "that were lost"), 1);
  assert_int_equal(problem_count(got, "never given"), 1);
  assert_int_equal(problem_count(got, "did not begin"), 1);
  assert_int_equal(problem_count(got, "without an end"), 1);
  assert_int_equal(problem_count(got, "one end only"), 1);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 9);
  /* The first snapshot: 1,000,000 ns of boot time is 1,700,000,000.001 s of UTC. */
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 1700000000000000000);
  tdm_recording_free(got);
}

#define TORCH_CPU "[python (77) | thread 77 | thread CPU pid=77 tid=77]"
#define TORCH_GPU "[GPU #0 | Stream 7 | stream GPU pid=77 device=0 context=1 stream=7]"
#define LAUNCH                                                                                     \
  " kind=t'x y' grid_x=64 grid_y=2 grid_z=1 block_x=256 block_y=1 block_z=1"                       \
  " registers_per_thread=40 dynamic_shared_bytes=1024 "

static void begins_before_all_ends_and_render_stages_are_what_pytorch_meant(void **state) {
  (void)state;
  static const char *const want[] = {
      "edge edge 1700000000000000012+18 'ac2g' " TORCH_CPU TORCH_GPU,
      "edge edge 1700000000000000042+43 'ac2g' " TORCH_CPU TORCH_GPU,
      "edge edge 1700000000000000042+53 'ac2g' " TORCH_CPU TORCH_GPU,
      "span cpu_op 1700000000000000000+100 'outer' " TORCH_CPU,
      "span cpu_op 1700000000000000010+30 'aten::mm' " TORCH_CPU,
      "span cpu_op 1700000000000000040+20 'aten::add' " TORCH_CPU,
      "span kernel 1700000000000000030+50 'gemm<float>' correlation=5" LAUNCH TORCH_GPU,
      "span kernel 1700000000000000095+7 'gemm<float>' correlation=6" LAUNCH TORCH_GPU,
      "span memcpy 1700000000000000085+5 'Memcpy HtoD' correlation=6 kind=t'x y' " TORCH_GPU,
      "span runtime 1700000000000000012+8 'cudaLaunchKernel' correlation=5 external_id=105"
      " grid_x=3 grid_y=2 grid_z=1 " TORCH_CPU,
      "span runtime 1700000000000000042+8 'cudaLaunchKernel' correlation=6 external_id=106"
      " grid_x=3 grid_y=2 grid_z=1 " TORCH_CPU,
  };
  size_t problems;
  tdm_recording *got = read_path(&tdm_reader_pftrace, "tests/data/perfetto/torch.pftrace");
  assert_rows(got, sizeof want / sizeof *want, want);
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  assert_int_equal(tdm_recording_source(got, 0)->utc_ns, 0);
  tdm_recording_free(got);
}

typedef struct {
  int64_t time;
  int kind, name; /* of a slice: its number */
} happening;

static void put_happening(tdm_proto_buffer *file, const happening *h) {
  char name[16];
  tdm_proto_buffer packet = {0}, track_event = {0};
  snprintf(name, sizeof name, "s%d", h->name);
  tdm_proto_uint(&packet, TDM_PF_PACKET_TIMESTAMP, (uint64_t)h->time);
  tdm_proto_uint(&track_event, TDM_PF_EVENT_TYPE, (uint64_t)h->kind);
  tdm_proto_uint(&track_event, TDM_PF_EVENT_TRACK, 9);
  if (h->kind == TDM_PF_TYPE_BEGIN) tdm_proto_text(&track_event, TDM_PF_EVENT_NAME, name);
  tdm_proto_message(&packet, TDM_PF_PACKET_TRACK_EVENT, &track_event);
  tdm_proto_message(file, TDM_PF_TRACE_PACKET, &packet);
  tdm_proto_free(&packet);
  tdm_proto_free(&track_event);
}

/* A packet of sequence 5, whose clock 64 counts on from packet to packet. */
static void put_packet(tdm_proto_buffer *file, uint64_t delta, uint32_t field,
                       tdm_proto_buffer *message) {
  tdm_proto_buffer packet = {0};
  tdm_proto_uint(&packet, TDM_PF_PACKET_SEQUENCE, 5);
  tdm_proto_uint(&packet, TDM_PF_PACKET_TIMESTAMP, delta);
  tdm_proto_uint(&packet, TDM_PF_PACKET_CLOCK_ID, 64);
  tdm_proto_message(&packet, field, message);
  tdm_proto_message(file, TDM_PF_TRACE_PACKET, &packet);
  tdm_proto_free(&packet);
}

/* Perfetto's SDK gives the descriptor of a track the time of the event it is written for; that
 * event's own packet then adds nothing. */
static void an_incremental_clock_goes_on_with_every_packet(void **state) {
  (void)state;
  tdm_proto_buffer file = {0}, snapshot = {0}, clock = {0}, track = {0}, event = {0};
  static const uint64_t clocks[][2] = {{TDM_PF_CLOCK_BOOTTIME, 1000}, {64, 1000}};
  for (int i = 0; i < 2; i++) {
    tdm_proto_uint(&clock, TDM_PF_CLOCK_ID, clocks[i][0]);
    tdm_proto_uint(&clock, TDM_PF_CLOCK_TIME, clocks[i][1]);
    if (i == 1) tdm_proto_uint(&clock, TDM_PF_CLOCK_INCREMENTAL, 1);
    tdm_proto_message(&snapshot, TDM_PF_SNAPSHOT_CLOCKS, &clock);
  }
  put_packet(&file, 0, TDM_PF_PACKET_CLOCK_SNAPSHOT, &snapshot);
  tdm_proto_uint(&track, TDM_PF_TRACK_UUID, 9);
  tdm_proto_text(&track, TDM_PF_TRACK_NAME, "late");
  put_packet(&file, 70, TDM_PF_PACKET_TRACK_DESCRIPTOR, &track);
  for (uint64_t i = 0; i < 2; i++) {
    tdm_proto_uint(&event, TDM_PF_EVENT_TYPE, TDM_PF_TYPE_INSTANT);
    tdm_proto_uint(&event, TDM_PF_EVENT_TRACK, 9);
    put_packet(&file, 5 * i, TDM_PF_PACKET_TRACK_EVENT, &event);
  }
  static const char *const want[] = {"instant slice 1070+0 '' [ | late | other OTHER]",
                                     "instant slice 1075+0 '' [ | late | other OTHER]"};
  tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
  assert_rows(got, 2, want);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
  tdm_proto_buffer *const all[] = {&file, &snapshot, &clock, &track, &event};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) tdm_proto_free(all[i]);
}

/* Well nested slices at times that are all different. */
static int make_slices(tdm_rng *rng, happening *all) {
  int open[64], depth = 0, slices = 0, count = 0;
  int64_t time = 0;
  while (slices < 60 || depth > 0) {
    time += 1 + (int64_t)tdm_index_below(tdm_rng_bits(rng), 5);
    int begins = slices < 60 && (depth == 0 || tdm_index_below(tdm_rng_bits(rng), 2) == 0);
    if (begins) open[depth++] = slices;
    all[count++] = (happening){time, begins ? TDM_PF_TYPE_BEGIN : TDM_PF_TYPE_END,
                               begins ? slices++ : open[--depth]};
  }
  return count;
}

static tdm_recording *read_happenings(const happening *all, int count) {
  tdm_proto_buffer file = {0};
  for (int i = 0; i < count; i++) put_happening(&file, &all[i]);
  tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
  tdm_proto_free(&file);
  return got;
}

static int by_kind(const void *a, const void *b) {
  const happening *p = a, *q = b;
  return p->kind - q->kind;
}

static int by_kind_backwards(const void *a, const void *b) {
  return by_kind(b, a);
}

/* All begins first or all ends first, in any order among themselves. */
static void slices_are_paired_by_time_when_the_file_is_out_of_order(void **state) {
  (void)state;
  tdm_rng rng = {3};
  for (int round = 0; round < 100; round++) {
    happening all[200];
    int count = make_slices(&rng, all);
    tdm_recording *want = read_happenings(all, count);
    assert_int_equal(rows_count(want), 60);
    for (int i = count; i > 1; i--) {
      int j = (int)tdm_index_below(tdm_rng_bits(&rng), (uint64_t)i);
      happening swap = all[i - 1];
      all[i - 1] = all[j];
      all[j] = swap;
    }
    qsort(all, (size_t)count, sizeof *all, round % 2 == 0 ? by_kind : by_kind_backwards);
    tdm_recording *got = read_happenings(all, count);
    assert_same_rows(got, want);
    assert_int_equal(problem_count(got, ""), 0);
    tdm_recording_free(got);
    tdm_recording_free(want);
  }
}

static tdm_status read_cut(const char *bytes, size_t length, const tdm_read_options *options,
                           tdm_recording **out, tdm_error *error) {
  tdm_input *input;
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, NULL), TDM_OK);
  return read_input(&tdm_reader_pftrace, input, options, out, error);
}

static void a_file_cut_anywhere_gives_what_it_has(void **state) {
  (void)state;
  size_t length, last = 0;
  char *bytes = slurp(SDK, &length);
  for (size_t cut = 1; cut < length; cut++) {
    tdm_recording *got;
    tdm_error error = {0};
    char *copy = malloc(cut); /* so that ASan sees a byte read too many */
    memcpy(copy, bytes, cut);
    tdm_status status = read_cut(copy, cut, NULL, &got, &error);
    if (status != TDM_OK)
      assert_non_null(strstr(error.message, "memory: no Perfetto trace"));
    else
      last = rows_count(got);
    tdm_recording_free(got);
    free(copy);
  }
  assert_int_equal(last, 32); /* all but the last event */
  free(bytes);
}

static void other_files_are_refused_in_one_line(void **state) {
  (void)state;
  static const char *const texts[] = {"\n\x01",        "{\"traceEvents\":[]}",
                                      "\n\n\n\n",      "plain text",
                                      "\x0a\x05hello", "\n{\"a\":1}\n{\"a\":2}\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t length = strlen(texts[i]);
    assert_int_equal(tdm_reader_pftrace.detect((const unsigned char *)texts[i], length, "x"), 0);
  }
  tdm_recording *got;
  tdm_error error = {0};
  assert_int_equal(read_cut("plain text, long enough", 23, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, "memory: no Perfetto trace: it does not consist of packets");
  tdm_recording_free(got);
}

static void a_perfetto_trace_is_known_by_its_first_bytes(void **state) {
  (void)state;
  size_t length;
  char *bytes = slurp(SDK, &length);
  assert_true(tdm_reader_pftrace.detect((unsigned char *)bytes, length, "x") >= 90);
  /* The first packet larger than what was looked at. */
  static const unsigned char large[] = {0x0a, 0x80, 0x80, 0x40, 0x92, 0x03, 0xf0, 0xff, 0x3f, 0x78};
  assert_true(tdm_reader_pftrace.detect(large, sizeof large, "x") >= 50);
  free(bytes);
}

static void kinds_that_are_not_wanted_are_left_out(void **state) {
  (void)state;
  size_t length;
  char *bytes = slurp(SDK, &length);
  tdm_read_options options = {.dropped = TDM_READ_NO_GPU | TDM_READ_NO_CPU};
  tdm_recording *got;
  assert_int_equal(read_cut(bytes, length, &options, &got, NULL), TDM_OK);
  lines all = lines_of(got);
  for (size_t i = 0; i < all.count; i++) assert_null(strstr(all.line[i], "cpu_op"));
  assert_int_equal(all.count, 33 - 4 - 4); /* cpu_op; kernel and memcpy, the open one too */
  lines_free(&all);
  tdm_recording_free(got);
  free(bytes);
}

static int stop(void *context, uint64_t done, uint64_t total) {
  (void)context;
  return done <= total;
}

static void reading_stops_when_it_is_told_to(void **state) {
  (void)state;
  size_t length;
  char *bytes = slurp(SDK, &length);
  tdm_read_options options = {.progress = stop};
  tdm_recording *got;
  assert_int_equal(read_cut(bytes, length, &options, &got, NULL), TDM_INTERRUPTED);
  assert_true(rows_count(got) > 0);
  tdm_recording_free(got);
  free(bytes);
}

/* ---- small traces by hand: fields by their numbers in trace/perfetto.h ---- */

typedef struct {
  const char *const *packets;
  size_t count;
} packets_text;

#define PACKETS(...)                                                                               \
  (packets_text) {                                                                                 \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                                \
  }

static tdm_proto_buffer file_of(packets_text all) {
  tdm_proto_buffer file = {0};
  for (size_t i = 0; i < all.count; i++) {
    tdm_proto_buffer packet = {0};
    assert_int_equal(*proto_fields(&packet, all.packets[i]), 0);
    tdm_proto_message(&file, TDM_PF_TRACE_PACKET, &packet);
    tdm_proto_free(&packet);
  }
  return file;
}

static tdm_recording *read_packets(packets_text all) {
  tdm_proto_buffer file = file_of(all);
  tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
  tdm_proto_free(&file);
  return got;
}

static void assert_no_problem(const tdm_recording *got) {
  size_t problems;
  const tdm_problem *all = tdm_recording_problems(got, &problems);
  if (problems != 0) fail_msg("%s", all[0].kind);
}

/* Each set of packets gives these rows, lines split by \n, and nothing to complain about but
 * `problem`, once. */
typedef struct {
  const char *rows, *problem;
  packets_text packets;
} packets_case;

static void assert_case(const packets_case *c) {
  char *text = strdup(c->rows), *end = NULL;
  const char *want[32];
  size_t count = 0;
  for (char *line = strtok_r(text, "\n", &end); line != NULL; line = strtok_r(NULL, "\n", &end))
    want[count++] = line;
  tdm_recording *got = read_packets(c->packets);
  assert_rows(got, count, want);
  if (c->problem == NULL)
    assert_no_problem(got);
  else if (problem_count(got, c->problem) != 1)
    fail_msg("not once: %s", c->problem);
  tdm_recording_free(got);
  free(text);
}

#define ASSERT_CASES(cases)                                                                        \
  for (size_t case_ = 0; case_ < sizeof(cases) / sizeof *(cases); case_++)                         \
  assert_case(&(cases)[case_])

#define TRACK9 "60{1:9 2't'}"
#define ON9    "[ | t | other OTHER]"

static void annotations_of_every_type_are_arguments(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"instant slice 5+0 'n' a=9223372036854775807 b=t'9223372036854775808' c=-1 d=1b e=0b " ON9,
       NULL,
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'n' 4{10'a' 3:9223372036854775807}"
                       " 4{10'b' 3:9223372036854775808} 4{10'c' 4:-1} 4{10'd' 2:7} 4{10'e' 2:0}}")},
      /* names told before, in values as in keys; one that was not */
      {"instant slice 5+0 'first' key=t'value' " ON9, NULL,
       PACKETS(TRACK9, "13:1 12{2{1:4 2'first'} 3{1:2 2'key'} 29{1:3 2'value'}}",
               "8:5 13:2 11{9:3 11:9 10:4 4{1:2 17:3}}")},
      {"instant slice 5+0 '' k=t'' " ON9, "names that were never given",
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'' 4{10'k' 17:3}}")},
      {"instant slice 5+0 'n' ?=1 " ON9, "arguments without a name",
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'n' 4{4:1}}")},
      /* JSON: dictionaries (11) and lists (12) of annotations, and the older NestedValue (8) */
      {"instant slice 5+0 'n' k=j'[\"told\",null,{\"a\":[1,2],\"b\":0.5},{\"z\":true},18]' " ON9,
       NULL,
       PACKETS(TRACK9, "12{29{1:3 2'told'}}",
               "8:5 11{9:3 11:9 23'n' 4{10'k' 12{17:3} 12{17:8}"
               " 12{11{10'a' 12{4:1} 12{4:2}} 11{10'b' 5=0.5}} 12{8{1:1 2'z' 3{7:1}}} 12{7:18}}}")},
      {"instant slice 5+0 'n' k=j'[[],{},[-3,null,\"s\",null]]' " ON9, NULL,
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'n' 4{10'k' 8{1:2 4{1:2} 4{1:1}"
                       " 4{1:2 4{5:-3} 4{6=inf} 4{8's'} 4{}}}}}")},
      /* three whole numbers of a grid are three arguments, anything else stays a list */
      {"instant slice 5+0 'n' grid_x=4 grid_y=2 grid_z=1 block=j'[8,1]' " ON9, NULL,
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'n' 4{10'grid' 12{4:4} 12{4:2} 12{4:1}}"
                       " 4{10'block' 12{4:8} 12{4:1}}}")},
      {"instant slice 5+0 'n' grid=j'[1,1,1,1]' block=j'[1,1,0.5]' grids=j'[1,2,3]' " ON9, NULL,
       PACKETS(TRACK9, "8:5 11{9:3 11:9 23'n' 4{10'grid' 12{4:1} 12{4:1} 12{4:1} 12{4:1}}"
                       " 4{10'block' 12{4:1} 12{4:1} 12{5=0.5}}"
                       " 4{10'grids' 12{4:1} 12{4:2} 12{4:3}}}")},
  };
  ASSERT_CASES(cases);
}

static void counters_have_the_unit_and_name_that_their_track_says(void **state) {
  (void)state;
  const packets_case cases[] = {
      /* built-in kinds; a unit by number, by name; a name of its own wins */
      {"sample counter 1+0 'thread time' value=2r unit=t'ns' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 5:8 8{1:1}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'thread instructions' value=2r unit=t'count' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 5:8 8{1:2}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'own' value=2r unit=t'ns' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 2'own' 5:8 8{1:1}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'c' value=2r unit=t'' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 2'c' 5:8 8{1:0 3:4}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'c' value=2r unit=t'' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 2'c' 5:8 8{1:3 3:0}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'c' value=2r unit=t'bytes' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 2'c' 5:8 8{3:3}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      {"sample counter 1+0 'c' value=2r unit=t'W' [ |  | other OTHER]", NULL,
       PACKETS("60{1:3 2'c' 5:8 8{6'W' 1:1 3:3}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}")},
      /* values that count on from each other, in thousands; a multiplier of 0 is none */
      {"sample cat 1+0 'c' value=2000r unit=t'' [ |  | other OTHER]\n"
       "sample cat 2+0 'c' value=-1000r unit=t'' [ |  | other OTHER]",
       NULL,
       PACKETS("60{1:3 2'c' 5:8 8{2'cat' 4:1000 5:1}}", "60{1:8}", "8:1 11{9:4 11:3 30:2}",
               "8:2 11{9:4 11:3 30:-3}")},
      {"sample counter 1+0 'c' value=1.5r unit=t'' [ |  | other OTHER]\n"
       "sample counter 2+0 'c' value=7r unit=t'' [ |  | other OTHER]",
       NULL,
       PACKETS("60{1:3 2'c' 5:8 8{4:0}}", "60{1:8}", "8:1 11{9:4 11:3 44=1.5}",
               "8:2 11{9:4 11:3 30:7}")},
      /* doubles hold whole numbers up to 2^53 */
      {"sample counter 1+0 'c' value=9007199254740992r unit=t'' [ |  | other OTHER]\n"
       "sample counter 2+0 'c' value=-9007199254740992r unit=t'' [ |  | other OTHER]\n"
       "sample counter 3+0 'c' value=-9007199254740993 unit=t'' [ |  | other OTHER]\n"
       "sample counter 3+0 'c' value=9007199254740993 unit=t'' [ |  | other OTHER]",
       NULL,
       PACKETS("60{1:3 2'c' 5:8 8{}}", "60{1:8}", "8:1 11{9:4 11:3 30:9007199254740992}",
               "8:2 11{9:4 11:3 30:-9007199254740992}", "8:3 11{9:4 11:3 30:9007199254740993}",
               "8:3 11{9:4 11:3 30:-9007199254740993}")},
      {"", "counter events without a value", PACKETS("60{1:3 2'c' 8{}}", "8:1 11{9:4 11:3}")},
  };
  ASSERT_CASES(cases);
}

static void values_at_an_event_go_to_its_extra_tracks_in_turn(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"instant slice 5+0 'n' " ON9
       "\nsample counter 5+0 'a' value=1r unit=t'' [ |  | other OTHER]\n"
       "sample counter 5+0 'b' value=-2r unit=t'' [ |  | other OTHER]\n"
       "sample counter 5+0 'b' value=0.5r unit=t'' [ |  | other OTHER]",
       NULL,
       PACKETS(TRACK9, "60{1:3 2'a' 5:8 8{}}", "60{1:4 2'b' 5:8 8{}}", "60{1:8}",
               "8:5 11{9:3 11:9 23'n' 31:3 31:4 12:1 12:-2 45:4 46=0.5}")},
      {"instant slice 5+0 'n' " ON9
       "\nsample counter 5+0 'a' value=1r unit=t'' [ |  | other OTHER]",
       "values of counters without a track",
       PACKETS(TRACK9, "60{1:3 2'a' 5:8 8{}}", "60{1:8}", "8:5 11{9:3 11:9 23'n' 31:3 12:1 12:2}")},
      /* the defaults of the sequence, which an event's own tracks replace */
      {"instant slice 5+0 'n' " ON9 "\ninstant slice 6+0 'n' " ON9
       "\nsample counter 5+0 'a' value=1r unit=t'' [ |  | other OTHER]\n"
       "sample counter 6+0 'b' value=2r unit=t'' [ |  | other OTHER]",
       NULL,
       PACKETS(TRACK9, "60{1:3 2'a' 5:8 8{}}", "60{1:4 2'b' 5:8 8{}}", "60{1:8}",
               "59{11{11:9 31:3}}", "8:5 11{9:3 23'n' 12:1}", "8:6 11{9:3 23'n' 31:4 12:2}")},
  };
  ASSERT_CASES(cases);
}

#define LEGACY "[process 50 | thread 51 | thread CPU pid=50 tid=51]"

/* Phases of Chrome's trace events, in times that count on, in microseconds. */
static void chrome_events_inside_are_read_by_their_phase(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"instant slice 100000+0 'told' " LEGACY "\ninstant slice 107000+0 'own' " LEGACY
       "\nspan slice 7000+3000 'told' " LEGACY,
       NULL,
       PACKETS("44{1:50 2:51 6:90} 12{2{1:4 2'told'}}", "11{1:10 6{1:4 2:73}}",
               "11{1:7 23'own' 6{1:4 2:105}}", "11{16:7 6{1:4 2:88 3:3}}")},
      /* a flow by its three phases */
      {"edge edge 1000+1000 'flow' " LEGACY LEGACY "\nedge edge 2000+2000 'flow' " LEGACY LEGACY,
       NULL,
       PACKETS("44{1:50 2:51}", "11{1:1 6{2:115 6:5}}", "11{1:1 6{2:116 6:5}}",
               "11{1:2 6{2:102 6:5}}")},
      /* asynchronous ones by id and scope, which may overlap */
      {"async slice 1000+2000 'b' [process 50 | thread 51 / b | other OTHER pid=50 tid=51]\n"
       "async slice 2000+3000 'S' [process 50 | thread 51 / S | other OTHER pid=50 tid=51]\n"
       "instant slice 2000+0 'n' [process 50 | thread 51 / b | other OTHER pid=50 tid=51]",
       NULL,
       PACKETS("44{1:50 2:51}", "11{1:1 23'b' 6{2:98 10:5}}", "11{1:1 23'S' 6{2:83 10:5 7's'}}",
               "11{23'n' 16:2 6{2:110 10:5}}", "11{1:1 6{2:101 10:5}}",
               "11{1:2 6{2:70 10:5 7's'}}")},
      {"", "events without a time", PACKETS("44{1:50 2:51}", "11{23'x' 6{2:73}}")},
      {"", "track events of no known type", PACKETS("8:1 11{23'x'}")},
      {"", "Chrome events of other phases", PACKETS("8:1 11{23'x' 6{2:77}}")},
  };
  ASSERT_CASES(cases);
}

static void ends_pair_with_what_is_open_and_keep_the_arguments_of_both(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"span slice 1+9 'out' a=1 b=2 " ON9 "\nspan slice 2+1 'in' c=3 " ON9, NULL,
       PACKETS(TRACK9, "8:1 11{9:1 11:9 23'out' 4{10'a' 4:1}}",
               "8:2 11{9:1 11:9 23'in' 4{10'c' 4:3}}", "8:3 11{9:2 11:9}",
               "8:10 11{9:2 11:9 4{10'b' 4:2}}")},
      /* the same out of order */
      {"span slice 1+9 'out' a=1 b=2 " ON9 "\nspan slice 2+1 'in' c=3 " ON9, NULL,
       PACKETS(TRACK9, "8:2 11{9:1 11:9 23'in' 4{10'c' 4:3}}", "8:3 11{9:2 11:9}",
               "8:1 11{9:1 11:9 23'out' 4{10'a' 4:1}}", "8:10 11{9:2 11:9 4{10'b' 4:2}}")},
      /* an end is worth more than a begin at the same time, but an empty slice has both */
      {"span slice 1+4 'a' " ON9 "\nspan slice 5+0 'c' " ON9 "\nspan slice 5+3 'b' " ON9, NULL,
       PACKETS(TRACK9, "8:5 11{9:1 11:9 23'b'}", "8:1 11{9:1 11:9 23'a'}", "8:5 11{9:1 11:9 23'c'}",
               "8:5 11{9:2 11:9}", "8:5 11{9:2 11:9}", "8:8 11{9:2 11:9}")},
      {"open slice 1+7 'a' x=1 " ON9 "\nspan slice 2+1 'b' " ON9 "\nspan slice 4+4 'c' " ON9,
       "slices without an end",
       PACKETS(TRACK9, "8:1 11{9:1 11:9 23'a' 4{10'x' 4:1}}", "8:2 11{9:1 11:9 23'b'}",
               "8:3 11{9:2 11:9}", "8:4 11{9:1 11:9 23'c'}", "8:8 11{9:2 11:9}")},
      {"span slice 2+1 'b' " ON9, "ends of slices that did not begin",
       PACKETS(TRACK9, "8:1 11{9:2 11:9}", "8:2 11{9:1 11:9 23'b'}", "8:3 11{9:2 11:9}")},
      {"span slice 2+1 'b' " ON9, "ends of slices that did not begin",
       PACKETS(TRACK9, "8:2 11{9:1 11:9 23'b'}", "8:3 11{9:2 11:9}", "8:1 11{9:2 11:9}")},
  };
  ASSERT_CASES(cases);
}

/* More slices than wait at once inside one that stays open, which has arguments. */
static void an_outer_slice_survives_any_number_of_inner_ones(void **state) {
  (void)state;
  enum { INNER = 70000 };
  tdm_proto_buffer file = {0};
  for (int i = -3; i < 2 * INNER; i++) {
    char text[96];
    tdm_proto_buffer packet = {0};
    if (i == -3)
      snprintf(text, sizeof text, TRACK9);
    else if (i < 0)
      snprintf(text, sizeof text, "8:%d 11{9:1 11:9 23'out%d' 4{10'k' 4:%d}}", i + 3, i + 3, i);
    else
      snprintf(text, sizeof text, "8:%d 11{9:%d 11:9 23'in' 4{10'at' 4:%d}}", 10 + i, 1 + i % 2, i);
    proto_fields(&packet, text);
    tdm_proto_message(&file, TDM_PF_TRACE_PACKET, &packet);
    tdm_proto_free(&packet);
  }
  tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
  tdm_proto_free(&file);
  assert_int_equal(problem_count(got, "slices without an end"), 2);
  assert_int_equal(problem_count(got, "did not begin"), 0);
  size_t spans = 0, open = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_layout *layout = tdm_recording_layout(got, i);
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    assert_int_equal(layout->args, 1);
    for (size_t r = 0; r < rows->count; r++) {
      int64_t start = tdm_kept(rows, TDM_START, r), arg = tdm_kept(rows, TDM_ARGS, r);
      if (layout->shape == TDM_SHAPE_OPEN) {
        assert_int_equal(arg, start - 3);
        open++;
      } else {
        assert_int_equal(tdm_kept(rows, TDM_DUR, r), 1);
        assert_int_equal(arg, start - 10 + 1); /* that of the end, which has the same key */
        spans++;
      }
    }
  }
  assert_int_equal(spans, INNER);
  assert_int_equal(open, 2);
  tdm_recording_free(got);
}

/* Of 2048 kinds of arguments each has a layout of its own; of further ones all are one text. */
static void arguments_of_too_many_kinds_become_json(void **state) {
  (void)state;
  enum { KINDS = 2048, MORE = 10 };
  tdm_proto_buffer file = {0};
  proto_fields(&file, "1{" TRACK9 "}");
  for (int i = 0; i < KINDS + MORE + 3; i++) {
    char text[200];
    tdm_proto_buffer packet = {0};
    if (i < KINDS + MORE)
      snprintf(text, sizeof text, "8:%d 11{9:3 11:9 23'n' 4{10'k%d' 4:%d} 4{10'b' 2:%d}}", i, i, -i,
               i % 2);
    else if (i == KINDS + MORE)
      snprintf(
          text, sizeof text,
          "8:%d 11{9:3 11:9 23'n' 4{10't' 6'a b'} 4{10'r' 5=0.5} 4{10'i' 5=inf} 4{10'j' 9'[1]'}"
          " 4{10'e' 6''}}",
          i);
    else /* known, or with one argument: as ever */
      snprintf(text, sizeof text, "8:%d 11{9:3 11:9 23'n' 4{10'k%d' 4:5} %s}", i,
               i == KINDS + MORE + 1 ? 7 : 90000, i == KINDS + MORE + 1 ? "4{10'b' 2:1}" : "");
    proto_fields(&packet, text);
    tdm_proto_message(&file, TDM_PF_TRACE_PACKET, &packet);
    tdm_proto_free(&packet);
  }
  tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
  tdm_proto_free(&file);
  assert_int_equal(problem_count(got, "kept as JSON"), MORE + 1);
  lines all = lines_of(got);
  assert_int_equal(all.count, KINDS + MORE + 3);
  size_t seen = 0;
  for (size_t i = 0; i < all.count; i++) {
    char want[300];
    int at = atoi(strstr(all.line[i], "slice ") + 6);
    int used = snprintf(want, sizeof want, "instant slice %d+0 'n' ", at);
    if (at < KINDS)
      snprintf(want + used, sizeof want - (size_t)used, "k%d=%d b=%db ", at, -at, at % 2);
    else if (at < KINDS + MORE)
      snprintf(want + used, sizeof want - (size_t)used, "args=j'{\"k%d\":%d,\"b\":%s}' ", at, -at,
               at % 2 ? "true" : "false");
    else if (at == KINDS + MORE)
      snprintf(want + used, sizeof want - (size_t)used,
               "args=j'{\"t\":\"a b\",\"r\":0.5,\"i\":null,\"j\":[1],\"e\":\"\"}' ");
    else
      snprintf(want + used, sizeof want - (size_t)used,
               at == KINDS + MORE + 1 ? "k7=5 b=1b " : "k90000=5 ");
    strcat(want, ON9);
    assert_string_equal(all.line[i], want);
    seen += (size_t)at;
  }
  assert_int_equal(seen, (KINDS + MORE + 3) * (KINDS + MORE + 2) / 2);
  lines_free(&all);
  tdm_recording_free(got);
}

static void flows_go_from_end_to_end_in_the_order_of_time(void **state) {
  (void)state;
#define A    "60{1:1 2'a'}"
#define B    "60{1:2 2'b'}"
#define ON_A "[ | a | other OTHER]"
#define ON_B "[ | b | other OTHER]"
#define ENDS "instant slice 1+0 '' " ON_A "\ninstant slice 5+0 '' " ON_B
  const packets_case cases[] = {
      {"edge edge 1+4 'flow' " ON_A ON_B "\n" ENDS, NULL,
       PACKETS(A, B, "8:1 11{9:3 11:1 47^7}", "8:5 11{9:3 11:2 47^7}")},
      {"edge edge 1+4 'flow' " ON_A ON_B "\n" ENDS, NULL,
       PACKETS(A, B, "8:5 11{9:3 11:2 42:7}", "8:1 11{9:3 11:1 36:7}")},
      /* the one that says it is the last, though its clock is ahead */
      {"edge edge 5+-4 'flow' " ON_B ON_A "\n" ENDS, NULL,
       PACKETS(A, B, "8:1 11{9:3 11:1 48^7}", "8:5 11{9:3 11:2 47^7}")},
      /* one that is used again after its end */
      {"edge edge 1+1 'flow' " ON_A ON_A "\nedge edge 5+1 'flow' " ON_B ON_B
       "\ninstant slice 1+0 '' " ON_A "\ninstant slice 2+0 '' " ON_A "\ninstant slice 5+0 '' " ON_B
       "\ninstant slice 6+0 '' " ON_B,
       NULL,
       PACKETS(A, B, "8:1 11{9:3 11:1 47^7}", "8:2 11{9:3 11:1 48^7}", "8:5 11{9:3 11:2 47^7}",
               "8:6 11{9:3 11:2 48^7}")},
      {ENDS, "packets of ftrace",
       PACKETS(A, B, "8:1 11{9:3 11:1 47^7}", "8:5 11{9:3 11:2 47^8}", "1{}")},
  };
  ASSERT_CASES(cases);
}

#define QUEUE3(rest) "[GPU #3 | Stream 20 | stream GPU" rest " stream=20]"
#define STAGES                                                                                     \
  "12{24{1:1 2'Stream 20'} 24{1:2 2'Kernel'} 24{1:3 2'Memcpy'} 24{1:4 2'Memset x'}"                \
  " 24{1:5 2'Graph'} 24{1:6 2'render'} 23{1:1 2:77} 1000{1:9 2'mangled' 3'gemm'}"                  \
  " 1001{1:1 2'told'} 29{1:3 2'text'}}"

static void render_stages_are_what_ran_on_queues(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"span kernel 10+5 'gemm' told=4 b=18 c=0.5r d=t'x' e=t'text' " QUEUE3(
           " pid=77 device=3 context=1"),
       NULL,
       PACKETS(STAGES, "8:10 53{1:1 2:5 5:1 11:3 13:1 14:2 19:9 21{3{1:1 3:4} 3{2'b' 4:18}"
                       " 3{2'c' 5=0.5} 3{2'd' 6'x'} 3{2'e' 7:3}}}")},
      {"span kernel 10+5 'gemm' " QUEUE3(" device=3"), "arguments of launches without a name",
       PACKETS(STAGES, "8:10 53{2:5 11:3 13:1 14:2 19:9 21{3{2'e' 7:4}}}")},
      {"instant graph 10+0 'Graph' " QUEUE3(
           " device=3") "\nspan memcpy 10+0 'Memcpy' "
                        "bytes=64 note=t'64x' " QUEUE3(
                            " d"
                            "ev"
                            "ic"
                            "e="
                            "3") "\nspan memset 10+1 'm' " QUEUE3(" device=3") "\nspan render "
                                                                               "10+1 "
                                                                               "'render'"
                                                                               " " QUEUE3(" devi"
                                                                                          "ce="
                                                                                          "3"),
       NULL,
       PACKETS(STAGES, "8:10 53{2:0 11:3 13:1 14:3 6{1'bytes' 2'64'} 6{1'note' 2'64x'}}",
               "8:10 53{2:1 11:3 13:1 14:4 17'm'}", "8:10 53{11:3 13:1 14:5}",
               "8:10 53{2:1 11:3 13:1 14:6}")},
      {"span kernel 10+0 '' [GPU #0 | queue | stream GPU device=0]", NULL,
       PACKETS(STAGES, "8:10 53{2:9223372036854775808}")},
  };
  ASSERT_CASES(cases);
}

static void packets_may_be_packed(void **state) {
  (void)state;
  enum { EVENTS = 8000 };
  tdm_proto_buffer plain = {0};
  for (int i = 0; i < EVENTS; i++) {
    char text[64];
    tdm_proto_buffer packet = {0};
    snprintf(text, sizeof text, "8:%d 11{9:3 11:9 23'event number %d'}", i, i);
    proto_fields(&packet, text);
    tdm_proto_message(&plain, TDM_PF_TRACE_PACKET, &packet);
    tdm_proto_free(&packet);
  }
  assert_true(plain.used > 3 * 65536);
  tdm_recording *want = read_bytes(&tdm_reader_pftrace, plain.bytes, plain.used);
  assert_int_equal(rows_count(want), EVENTS);
  size_t room = ZSTD_compressBound(plain.used) + compressBound(plain.used);
  unsigned char *packed = malloc(room);
  for (int zstd = 0; zstd < 2; zstd++) {
    uLongf length = room;
    if (zstd)
      length = ZSTD_compress(packed, room, plain.bytes, plain.used, 1);
    else
      assert_int_equal(compress(packed, &length, plain.bytes, plain.used), Z_OK);
    for (int cut = 0; cut < 2; cut++) {
      tdm_proto_buffer file = {0}, packet = {0};
      tdm_proto_bytes(&packet, zstd ? TDM_PF_PACKET_ZSTD_COMPRESSED : TDM_PF_PACKET_COMPRESSED,
                      packed, cut ? length - 9 : length);
      tdm_proto_message(&file, TDM_PF_TRACE_PACKET, &packet);
      tdm_recording *got = read_bytes(&tdm_reader_pftrace, file.bytes, file.used);
      if (cut) {
        assert_true(rows_count(got) < EVENTS);
        assert_int_equal(problem_count(got, "cannot be unpacked"), 1);
      } else {
        assert_same_rows(got, want);
        assert_no_problem(got);
      }
      tdm_recording_free(got);
      tdm_proto_free(&file);
      tdm_proto_free(&packet);
    }
  }
  free(packed);
  tdm_recording_free(want);
  tdm_proto_free(&plain);
}

static void packets_that_need_what_was_lost_are_left_out(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"instant slice 5+0 'x' " ON9, "packets that need others that were lost",
       PACKETS(TRACK9, "10:4 8:4 13:2 11{9:3 11:9 23'lost'}", "10:4 13:1",
               "10:4 8:5 13:2 11{9:3 11:9 23'x'}")},
      {"instant slice 5+0 'x' " ON9, "packets that need others that were lost",
       PACKETS(TRACK9, "10:4 41:1", "10:4 8:5 13:2 11{9:3 11:9 23'x'}",
               "10:4 42:1 8:6 13:2 11{9:3 11:9 23'lost'}")},
      {"instant slice 5+0 '' " ON9, "names that were never given",
       PACKETS(TRACK9, "10:4 12{2{1:4 2'told'}}", "10:4 41:1 8:5 11{9:3 11:9 10:4}")},
      /* those of one sequence are none of another's */
      {"instant slice 5+0 '' " ON9, "names that were never given",
       PACKETS(TRACK9, "10:3 12{2{1:4 2'told'}}", "10:4 8:5 11{9:3 11:9 10:4}")},
  };
  ASSERT_CASES(cases);
}

/* Snapshots: id, time, whether it counts on, unit. Clocks 64 to 127 belong to their sequence. */
static void clocks_are_tied_through_snapshots(void **state) {
  (void)state;
  const packets_case cases[] = {
      {"instant slice 1070+0 '' " ON9 "\ninstant slice 900+0 '' " ON9, NULL,
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:3 2:500}}", "8:570 58:3 11{9:3 11:9}",
               "8:400 58:3 11{9:3 11:9}")},
      /* through a clock that was tied before, in units of 1000 ns */
      {"instant slice 8000+0 '' " ON9, NULL,
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:3 2:500}}", "6{1{1:3 2:2500} 1{1:2 2:5 4:1000}}",
               "8:10 58:2 11{9:3 11:9}")},
      {"instant slice 7+0 '' " ON9, "a clock that is not tied",
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:64 2:500}}", "10:4 8:7 58:64 11{9:3 11:9}")},
      {"instant slice 7+0 '' " ON9, "a clock that is not tied",
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:127 2:500}}", "10:4 8:7 58:127 11{9:3 11:9}")},
      {"instant slice 507+0 '' " ON9 "\ninstant slice 508+0 '' " ON9, NULL,
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:63 2:500} 1{1:128 2:500}}",
               "10:4 8:7 58:63 11{9:3 11:9}", "10:4 8:8 58:128 11{9:3 11:9}")},
      /* the sequence's own clock where the packet says none */
      {"instant slice 570+0 '' " ON9, NULL,
       PACKETS(TRACK9, "6{1{1:6 2:1000} 1{1:3 2:500}}", "59{58:3}", "8:70 11{9:3 11:9}")},
  };
  ASSERT_CASES(cases);
}

static void tracks_are_named_by_those_above_them(void **state) {
  (void)state;
#define AT5 "8:5 11{9:3 11:9}"
  const packets_case cases[] = {
      {"instant slice 5+0 '' [top | mid / t | other OTHER]", NULL,
       PACKETS("60{1:1 2'top'}", "60{1:2 2'mid' 5:1}", "60{1:9 2't' 5:2}", AT5)},
      {"instant slice 5+0 '' [py (4) | process | process CPU pid=4]", NULL,
       PACKETS("60{1:9 3{1:4 6'py'}}", AT5)},
      {"instant slice 5+0 '' [py (4) | own | process CPU pid=4]", NULL,
       PACKETS("60{1:9 2'own' 3{1:4 6'py (4)'}}", AT5)},
      {"instant slice 5+0 '' [process 4 | thread 6 | thread CPU pid=4 tid=6]", NULL,
       PACKETS("60{1:9 4{1:4 2:6}}", AT5)},
      {"instant slice 5+0 '' [py (4) | thread 6 io | thread CPU pid=4 tid=6]", NULL,
       PACKETS("60{1:1 3{1:4 6'py'}}", "60{1:9 4{1:4 2:6 5'io'}}", AT5)},
      {"instant slice 5+0 '' [process 4 | thread 6 io | thread CPU pid=4 tid=6]", NULL,
       PACKETS("60{1:9 4{1:4 2:6 5'thread 6 io'}}", AT5)},
      {"instant slice 5+0 '' [py (4) | t | other OTHER pid=4]", NULL,
       PACKETS("60{1:1 3{1:4 6'py'}}", "60{1:9 2't' 5:1}", AT5)},
      {"instant slice 5+0 '' [process 4 | thread 6 / t | other OTHER pid=4 tid=6]", NULL,
       PACKETS("60{1:1 4{1:4 2:6}}", "60{1:9 2't' 5:1}", AT5)},
      {"instant slice 5+0 '' [ | track 9 | other OTHER]", NULL, PACKETS(AT5)},
      {"instant slice 5+0 '' [ | events without a track | other OTHER]", NULL,
       PACKETS("8:5 11{9:3}")},
      {"instant slice 5+0 '' [ | late | other OTHER]\ninstant slice 5+0 '' [ | track 9 | other "
       "OTHER]",
       NULL, PACKETS(AT5, "60{1:9 10'late'}", AT5)},
  };
  ASSERT_CASES(cases);
}

static int sure(packets_text all) {
  tdm_proto_buffer file = file_of(all);
  int how = tdm_reader_pftrace.detect(file.bytes, file.used, "x");
  tdm_proto_free(&file);
  return how;
}

static void it_is_the_surer_the_more_packets_there_are(void **state) {
  (void)state;
  assert_int_equal(sure(PACKETS("8:1")), 80);
  assert_int_equal(sure(PACKETS("8:1", "10:1")), 95);
  assert_int_equal(sure(PACKETS("8:1", "10:1", "13:1", "11{9:3}", "99'no'")), 95);
  assert_int_equal(sure(PACKETS("8:1", "99'no'")), 20);
  assert_int_equal(sure(PACKETS("99'no'")), 0);
  assert_int_equal(sure(PACKETS("8'a text'")), 0);
  assert_int_equal(sure(PACKETS("11:3")), 0);
  assert_int_equal(sure(PACKETS("8:1 2000:1")), 80);
  assert_int_equal(sure(PACKETS("8:1 2001:1")), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_feature_of_track_events_is_read),
      cmocka_unit_test(begins_before_all_ends_and_render_stages_are_what_pytorch_meant),
      cmocka_unit_test(an_incremental_clock_goes_on_with_every_packet),
      cmocka_unit_test(slices_are_paired_by_time_when_the_file_is_out_of_order),
      cmocka_unit_test(a_file_cut_anywhere_gives_what_it_has),
      cmocka_unit_test(other_files_are_refused_in_one_line),
      cmocka_unit_test(a_perfetto_trace_is_known_by_its_first_bytes),
      cmocka_unit_test(kinds_that_are_not_wanted_are_left_out),
      cmocka_unit_test(reading_stops_when_it_is_told_to),
      cmocka_unit_test(annotations_of_every_type_are_arguments),
      cmocka_unit_test(counters_have_the_unit_and_name_that_their_track_says),
      cmocka_unit_test(values_at_an_event_go_to_its_extra_tracks_in_turn),
      cmocka_unit_test(chrome_events_inside_are_read_by_their_phase),
      cmocka_unit_test(ends_pair_with_what_is_open_and_keep_the_arguments_of_both),
      cmocka_unit_test(an_outer_slice_survives_any_number_of_inner_ones),
      cmocka_unit_test(arguments_of_too_many_kinds_become_json),
      cmocka_unit_test(flows_go_from_end_to_end_in_the_order_of_time),
      cmocka_unit_test(render_stages_are_what_ran_on_queues),
      cmocka_unit_test(packets_may_be_packed),
      cmocka_unit_test(packets_that_need_what_was_lost_are_left_out),
      cmocka_unit_test(clocks_are_tied_through_snapshots),
      cmocka_unit_test(tracks_are_named_by_those_above_them),
      cmocka_unit_test(it_is_the_surer_the_more_packets_there_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
