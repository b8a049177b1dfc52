/* read/prometheus: one set of series as a scrape, as the answer to a query and as VictoriaMetrics'
 * lines; what went through rate() or sum() refused; counters that begin anew; times in names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/reader.h"
#include "records_as_text.h"

static tdm_recording *read_stored(const char *text) {
  return read_bytes(&tdm_reader_prometheus_json, text, strlen(text));
}

#define ANSWER(type, result)                                                                       \
  "{\"status\":\"success\",\"data\":{\"resultType\":\"" type "\",\"result\":[" result "]}}"
#define RUNNING                                                                                    \
  "{\"metric\":{\"__name__\":\"vllm:num_requests_running\",\"engine\":\"1\",\"instance\":"         \
  "\"h:8000\",\"model_name\":\"qwen\"},"
#define BUCKET                                                                                     \
  "{\"metric\":{\"__name__\":\"lat_seconds_bucket\",\"instance\":\"h:8000\",\"job\":\"j\","        \
  "\"le\":\"1.0\"},"

static void three_spellings_are_one_run(void **state) {
  (void)state;
  static const char text[] =
      "{__name__=\"vllm:num_requests_running\",engine=\"1\",instance=\"h:8000\",model_name="
      "\"qwen\"}"
      " 3 1774099485500\n"
      "{__name__=\"vllm:num_requests_running\",engine=\"1\",instance=\"h:8000\",model_name="
      "\"qwen\"}"
      " 2.5 1774099500500\n"
      "{__name__=\"lat_seconds_bucket\",instance=\"h:8000\",job=\"j\",le=\"1\"} 7 1774099500500\n";
  static const char answer[] =
      ANSWER("matrix", RUNNING "\"values\":[[1774099485.5,\"3\"],[1774099500.5,\"2.5\"]]}," BUCKET
                               "\"values\":[[1774099500.5,\"7\"]]}");
  static const char exported[] =
      RUNNING "\"values\":[3,2.5],\"timestamps\":[1774099485500,1774099500500]}\n" BUCKET
              "\"values\":[7],\"timestamps\":[1774099500500]}\n";
  const char *const want[] = {
      "sample counter 1774099485500000000+0 'vllm:num_requests_running' value=3r unit=t'' "
      "[h:8000 | qwen engine 1 | process OTHER]",
      "sample counter 1774099500500000000+0 'lat_seconds_bucket{le=\"1\"}' value=7r unit=t'' "
      "[h:8000 | metrics | process OTHER]",
      "sample counter 1774099500500000000+0 'vllm:num_requests_running' value=2.5r unit=t'' "
      "[h:8000 | qwen engine 1 | process OTHER]"};
  tdm_recording *got[] = {read_bytes(&tdm_reader_prometheus, text, sizeof text - 1),
                          read_stored(answer), read_stored(exported)};
  for (size_t i = 0; i < 3; i++) {
    assert_rows(got[i], 3, want);
    assert_int_equal(tdm_recording_source(got[i], 0)->utc_ns, 0);
    tdm_recording_free(got[i]);
  }
}

static void a_vector_and_any_order_of_keys_are_read(void **state) {
  (void)state;
  tdm_recording *got = read_stored(
      "{\"data\":{\"result\":[{\"value\":[1774099485,\"+Inf\"],\"metric\":{\"instance\":"
      "\"a\",\"__name__\":\"up\"}}],\"resultType\":\"vector\"},\"status\":\"success\"}");
  const char *const want[] = {"sample counter 1774099485000000000+0 'up' value=infr unit=t'' "
                              "[a | metrics | process OTHER]"};
  assert_rows(got, 1, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "1 samples, 1 series");
  tdm_recording_free(got);
}

static void what_is_no_sample_is_counted(void **state) {
  (void)state;
  tdm_recording *got = read_stored(
      "{\"metric\":{\"__name__\":\"a\"},\"values\":[1,null,\"x\",4,5],\"timestamps\":[1e12,2,3,4]}"
      "\n"
      "\n[1]\n{\"else\":{}}\n"
      "{\"metric\":{\"__name__\":\"b\"},\"histograms\":[[1,{}]],\"values\":{},\"timestamps\":7}\n");
  assert_int_equal(rows_count(got), 2);
  assert_int_equal(problem_count(got, "not a number"), 2);
  assert_int_equal(problem_count(got, "more values than times"), 1);
  assert_int_equal(problem_count(got, "lines that are no series"), 1);
  assert_int_equal(problem_count(got, "objects that are no series"), 1);
  assert_int_equal(problem_count(got, "native histograms"), 1);
  tdm_recording_free(got);
}

static void counters_that_begin_anew_are_seen(void **state) {
  (void)state;
  tdm_recording *got = read_stored(
      "{\"metric\":{\"__name__\":\"a_total\"},\"values\":[5,7,2,1],\"timestamps\":[1,2,3,4]}\n"
      "{\"metric\":{\"__name__\":\"b_bucket\",\"le\":\"1\"},\"values\":[5,5],\"timestamps\":[1,2]}"
      "\n"
      "{\"metric\":{\"__name__\":\"c\"},\"values\":[5,1],\"timestamps\":[1,2]}\n"
      "{\"metric\":{\"__name__\":\"d_count\"},\"values\":[5],\"timestamps\":[9]}\n"
      "{\"metric\":{\"__name__\":\"d_count\"},\"values\":[1],\"timestamps\":[3]}\n"
      "{\"metric\":{\"__name__\":\"e_total\"},\"values\":[5,0],\"timestamps\":[1,2]}\n");
  assert_int_equal(problem_count(got, "began anew"), 2);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "12 samples, 6 series");
  tdm_recording_free(got);
}

static void assert_refused(const char *text, const char *why) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_prometheus_json, input, NULL, &got, &error), TDM_INVALID);
  if (strstr(error.message, why) == NULL) fail_msg("%s", error.message);
  tdm_recording_free(got);
}

static void what_is_no_series_any_more_is_refused(void **state) {
  (void)state;
  assert_refused(ANSWER("matrix", "{\"metric\":{},\"values\":[[1,\"1\"]]}"),
                 "memory: a series has no name: it went through rate(), sum()");
  assert_refused(ANSWER("vector", "{\"metric\":{\"__name__\":\"a_total\"},\"value\":[1,\"1\"]}"),
                 "memory: a_total has no instance: it went through");
  assert_refused("{\"metric\":{\"job\":\"j\"},\"values\":[1],\"timestamps\":[1]}", "has no name");
  assert_refused("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"at char 3\"}",
                 "memory: the query failed: at char 3");
  assert_refused("{\"status\":\"error\"}", "it does not say why");
  assert_refused(ANSWER("scalar", "1,\"2\""), "the query's answer is a scalar, not series");
  assert_refused("{\"status\":\"success\"}", "a document without a result");
}

static void an_answer_cut_anywhere_is_read_as_far_as_it_goes(void **state) {
  (void)state;
  static const char answer[] =
      ANSWER("matrix", RUNNING "\"values\":[[1774099485.5,\"3\"],[1774099500.5,\"2.5\"]]}," RUNNING
                               "\"value\":[1774099500.5,\"7\"]}");
  for (size_t length = 1; length < sizeof answer; length++) {
    tdm_input *input;
    tdm_recording *got;
    tdm_error error;
    assert_int_equal(tdm_input_open_memory(answer, length, &input, &error), TDM_OK);
    tdm_status status = read_input(&tdm_reader_prometheus_json, input, NULL, &got, &error);
    assert_true(status == TDM_OK || status == TDM_INVALID);
    assert_true(rows_count(got) <= 3);
    tdm_recording_free(got);
  }
}

static int sure(const char *text) {
  return tdm_reader_prometheus_json.detect((const unsigned char *)text, strlen(text), "x");
}

static void only_series_are_taken_for_series(void **state) {
  (void)state;
  assert_true(sure(ANSWER("matrix", "")) > 80);
  assert_true(sure(" {\n \"status\" : \"error\", \"errorType\": 1") > 80);
  assert_true(sure("{\"metric\":{\"__name__\":\"a\"}") > 80);
  assert_int_equal(sure("{\"status\":\"success\"}"), 0);
  assert_int_equal(sure("{\"metric\":\"a\"}"), 0);
  assert_int_equal(sure("{\"type\":\"Metric\",\"metric\":{"), 0);
  assert_int_equal(sure(""), 0);
  assert_int_equal(sure("{"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_spellings_are_one_run),
      cmocka_unit_test(a_vector_and_any_order_of_keys_are_read),
      cmocka_unit_test(what_is_no_sample_is_counted),
      cmocka_unit_test(counters_that_begin_anew_are_seen),
      cmocka_unit_test(what_is_no_series_any_more_is_refused),
      cmocka_unit_test(an_answer_cut_anywhere_is_read_as_far_as_it_goes),
      cmocka_unit_test(only_series_are_taken_for_series),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
