/* The in-memory trace: what goes in comes out, limits are counted, nonsense is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace_fixture.h"

static tdm_span span_at(const tdm_trace *trace, size_t index) {
  const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, index / TDM_TRACE_CHUNK);
  size_t i = index % TDM_TRACE_CHUNK;
  return (tdm_span){chunk->start_ns[i], chunk->dur_ns[i], chunk->request[i], chunk->arg[i],
                    chunk->bytes[i],    chunk->track[i],  chunk->name[i]};
}

static void lane_names_are_the_documented_words(void **state) {
  (void)state;
  assert_string_equal(tdm_lane_name(TDM_LANE_QUEUE), "QUEUE");
  assert_string_equal(tdm_lane_name(TDM_LANE_D2H), "D2H");
  assert_string_equal(tdm_lane_name(TDM_LANE_OTHER), "OTHER");
  assert_string_equal(tdm_lane_name((tdm_lane)99), "OTHER");
}

static void records_come_back_in_order_across_chunks(void **state) {
  (void)state;
  fixture *f = fixture_new(1000000);
  const int64_t count = 3 * TDM_TRACE_CHUNK + 17;
  assert_int_equal(fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1), TDM_OK);
  assert_int_equal(fixture_name(f, 0, "prepare"), TDM_OK);
  for (int64_t i = 0; i < count; i++)
    assert_int_equal(fixture_span(f, 0, 0, 10 * i, i, (uint64_t)i), TDM_OK);
  assert_int_equal(fixture_flush(f), TDM_OK);
  assert_int_equal(tdm_trace_span_extent(f->trace).kept, count);
  assert_int_equal(tdm_trace_span_extent(f->trace).dropped, 0);
  assert_true(tdm_trace_span_extent(f->trace).complete_until_ns == INT64_MAX);
  for (int64_t i = 0; i < count; i++) {
    tdm_span span = span_at(f->trace, (size_t)i);
    assert_int_equal(span.start_ns, 10 * i);
    assert_int_equal(span.dur_ns, i);
    assert_int_equal(span.request, i);
    assert_int_equal(span.arg, 1);
  }
  fixture_free(f);
}

static void the_trace_owns_its_strings(void **state) {
  (void)state;
  fixture *f = fixture_new(10);
  char process[] = "L40#1", name[] = "GPU", stage[] = "compute", class_name[] = "chat";
  fixture_track(f, 0, process, name, TDM_LANE_GPU, 4);
  fixture_name(f, 2, stage);
  tdm_trace_class_name(f->trace, 1, class_name, &f->error);
  process[0] = name[0] = stage[0] = class_name[0] = '?';
  assert_string_equal(tdm_trace_track(f->trace, 0)->process, "L40#1");
  assert_string_equal(tdm_trace_track(f->trace, 0)->name, "GPU");
  assert_int_equal(tdm_trace_track(f->trace, 0)->capacity, 4);
  assert_string_equal(tdm_trace_name(f->trace, 2), "compute");
  assert_null(tdm_trace_name(f->trace, 1)); /* a hole */
  assert_null(tdm_trace_name(f->trace, 3)); /* past the end */
  assert_string_equal(tdm_trace_class(f->trace, 1), "chat");
  fixture_free(f);
}

static void impossible_spans_are_refused(void **state) {
  (void)state;
  fixture *f = fixture_new(10);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "prepare");
  fixture_span(f, 1, 0, 0, 1, 0);
  assert_int_equal(fixture_flush(f), TDM_INVALID);
  assert_string_equal(f->error.message, "trace: a span lies on unknown track 1");
  fixture_span(f, 0, 7, 0, 1, 0);
  assert_int_equal(fixture_flush(f), TDM_INVALID);
  assert_string_equal(f->error.message, "trace: a span has unknown name id 7");
  fixture_span(f, 0, 0, 5, -1, 0);
  assert_int_equal(fixture_flush(f), TDM_INVALID);
  assert_string_equal(f->error.message,
                      "trace: span 'prepare' at 5 ns has the impossible duration -1 ns");
  fixture_span(f, 0, 0, 5, INT64_MAX, 0);
  assert_int_equal(fixture_flush(f), TDM_INVALID);
  assert_int_equal(fixture_track(f, UINT32_MAX, "x", "y", TDM_LANE_CPU, 1), TDM_INVALID);
  assert_int_equal(tdm_trace_span_extent(f->trace).kept, 0);
  fixture_free(f);
}

/* The same spans in three orders: kept ones are the same set, a prefix in time, and all that is
 * missing is counted. */
static void a_limit_keeps_a_prefix_in_time_whatever_the_order(void **state) {
  (void)state;
  enum { COUNT = 50000, LIMIT = 20000 };
  tdm_span *spans = calloc(COUNT, sizeof *spans);
  tdm_rng rng = {42};
  for (size_t i = 0; i < COUNT; i++)
    spans[i] = (tdm_span){(int64_t)(tdm_rng_bits(&rng) >> 34), 5, i, 1, TDM_NO_BYTES, 0, 0};
  int64_t until = 0;
  uint64_t sum = 0;
  for (uint64_t order = 0; order < 3; order++) {
    if (order > 0) fixture_shuffle(spans, COUNT, order);
    fixture *f = fixture_new(LIMIT);
    fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
    fixture_name(f, 0, "prepare");
    for (size_t i = 0; i < COUNT; i++)
      assert_int_equal(fixture_span(f, 0, 0, spans[i].start_ns, 5, spans[i].request), TDM_OK);
    fixture_flush(f);
    tdm_trace_extent extent = tdm_trace_span_extent(f->trace);
    assert_in_range(extent.kept, LIMIT - LIMIT / 20, LIMIT); /* the grid costs little */
    assert_int_equal(extent.kept + extent.dropped, COUNT);
    size_t before = 0, listed = 0;
    for (size_t i = 0; i < COUNT; i++) before += spans[i].start_ns < extent.complete_until_ns;
    assert_int_equal(before, extent.kept);
    uint64_t kept_sum = 0;
    for (size_t c = 0; c < tdm_trace_chunks(f->trace); c++)
      listed += tdm_trace_chunk_at(f->trace, c)->count;
    assert_int_equal(listed, extent.kept);
    for (size_t i = 0; i < extent.kept; i++) {
      tdm_span span = span_at(f->trace, i);
      assert_true(span.start_ns < extent.complete_until_ns);
      kept_sum += tdm_mix(span.request);
    }
    if (order > 0) {
      assert_int_equal(extent.complete_until_ns, until);
      assert_true(kept_sum == sum);
    }
    until = extent.complete_until_ns;
    sum = kept_sum;
    fixture_free(f);
  }
  free(spans);
}

static void requests_and_samples_are_limited_and_counted_too(void **state) {
  (void)state;
  fixture *f = fixture_new(100);
  f->sink.counter(f->sink.context, 0, "depth", "requests", &f->error);
  f->sink.attribute(f->sink.context, 0, "tokens", &f->error);
  f->sink.attribute(f->sink.context, 1, "pages", &f->error);
  for (int64_t i = 0; i < 1000; i++) {
    double values[] = {(double)(7 * i), 0.5 + (double)i};
    tdm_request_record record = {(uint64_t)i, 1000 * i, 1000 * i + 5, 0, 0, TDM_OUTCOME_OK};
    tdm_counter_sample sample = {1000 * i, 0, (double)i};
    assert_int_equal(f->sink.requests(f->sink.context, &record, values, 1, &f->error), TDM_OK);
    assert_int_equal(f->sink.counters(f->sink.context, &sample, 1, &f->error), TDM_OK);
  }
  tdm_trace_extent requests = tdm_trace_request_extent(f->trace);
  tdm_trace_extent samples = tdm_trace_sample_extent(f->trace);
  assert_in_range(requests.kept, 95, 100);
  assert_int_equal(requests.kept + requests.dropped, 1000);
  assert_in_range(samples.kept, 95, 100);
  assert_int_equal(samples.kept + samples.dropped, 1000);
  for (size_t i = 0; i < requests.kept; i++) {
    assert_int_equal(tdm_trace_requests(f->trace)[i].request, i);
    assert_true(tdm_trace_samples(f->trace)[i].value == (double)i);
    assert_true(tdm_trace_values(f->trace, 0)[i] == (double)(7 * i));
    assert_true(tdm_trace_values(f->trace, 1)[i] == 0.5 + (double)i);
  }
  assert_int_equal(tdm_trace_attributes(f->trace), 2);
  assert_string_equal(tdm_trace_attribute(f->trace, 1), "pages");
  assert_int_equal(f->sink.attribute(f->sink.context, 2, "late", &f->error), TDM_INVALID);
  tdm_counter_sample stray = {0, 9, 0.0};
  assert_int_equal(f->sink.counters(f->sink.context, &stray, 1, &f->error), TDM_INVALID);
  fixture_free(f);
}

/* Latest first, so that what is given up lies before what stays: values move with their requests,
 * and requests without values move alone. */
static void values_stay_with_their_requests(void **state) {
  (void)state;
  for (int valued = 0; valued < 2; valued++) {
    fixture *f = fixture_new(100);
    if (valued) f->sink.attribute(f->sink.context, 0, "tokens", &f->error);
    for (int64_t i = 1000; i-- > 0;) {
      const double value = 7 * (double)i;
      tdm_request_record record = {(uint64_t)i, 1000 * i, 1000 * i + 5, 0, 0, TDM_OUTCOME_OK};
      const double *values = valued ? &value : NULL;
      assert_int_equal(f->sink.requests(f->sink.context, &record, values, 1, &f->error), TDM_OK);
    }
    tdm_trace_extent extent = tdm_trace_request_extent(f->trace);
    assert_in_range(extent.kept, 95, 100);
    for (size_t i = 0; i < extent.kept; i++) {
      assert_int_equal(tdm_trace_requests(f->trace)[i].request, extent.kept - 1 - i);
      if (valued)
        assert_true(tdm_trace_values(f->trace, 0)[i] == 7 * (double)(extent.kept - 1 - i));
    }
    if (!valued) assert_null(tdm_trace_values(f->trace, 0));
    fixture_free(f);
  }
}

static void a_limit_of_zero_counts_everything(void **state) {
  (void)state;
  fixture *f = fixture_new(0);
  fixture_track(f, 0, "host", "cpu", TDM_LANE_CPU, 1);
  fixture_name(f, 0, "prepare");
  fixture_span(f, 0, 0, -3, 1, 0);
  fixture_span(f, 0, 0, INT64_MAX, 0, 1);
  assert_int_equal(fixture_flush(f), TDM_OK);
  assert_int_equal(tdm_trace_span_extent(f->trace).kept, 0);
  assert_int_equal(tdm_trace_span_extent(f->trace).dropped, 2);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lane_names_are_the_documented_words),
      cmocka_unit_test(records_come_back_in_order_across_chunks),
      cmocka_unit_test(the_trace_owns_its_strings),
      cmocka_unit_test(impossible_spans_are_refused),
      cmocka_unit_test(a_limit_keeps_a_prefix_in_time_whatever_the_order),
      cmocka_unit_test(requests_and_samples_are_limited_and_counted_too),
      cmocka_unit_test(values_stay_with_their_requests),
      cmocka_unit_test(a_limit_of_zero_counts_everything),
  };
  return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
