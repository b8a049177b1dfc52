/* read/pftrace on a trace made by Google's protobuf library (tests/data/perfetto/make.py): what is
 * in it was worked out by hand from that script. And on bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "read/perfetto/pftrace.h"
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
  assert_int_equal(problem_count(got, "never told"), 1);
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

/* Well nested slices at times that are all different. */
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
