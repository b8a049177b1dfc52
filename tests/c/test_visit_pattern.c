/* Patterns of maps: globs take whole names, expressions are found anywhere and have a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis/visits/visits.h"

static bool takes(const char *pattern, const char *text) {
  tdm_pattern p;
  tdm_error error;
  assert_int_equal(tdm_pattern_open(pattern, &p, &error), TDM_OK);
  bool answer = tdm_pattern_takes(&p, text);
  tdm_pattern_close(&p);
  return answer;
}

static void globs_take_whole_names(void **state) {
  (void)state;
  assert_true(takes("step", "step"));
  assert_false(takes("step", "step 1"));
  assert_false(takes("step", "a step"));
  assert_true(takes("step*", "step"));
  assert_true(takes("*a*b", "xaxxbxb"));
  assert_false(takes("*a*b", "xaxxbx"));
  assert_true(takes("s?ep", "step"));
  assert_false(takes("s?ep", "sep"));
  assert_true(takes("*", ""));
  assert_false(takes("?", ""));
  assert_true(takes("**", "x"));
  assert_true(takes("/", "/"));
  assert_true(takes("//", "//"));
  assert_true(takes(NULL, "anything"));
}

static void expressions_are_found_anywhere(void **state) {
  (void)state;
  assert_true(takes("/ep/", "step"));
  assert_false(takes("/^ep/", "step"));
  assert_true(takes("/a|b/", "b"));
  assert_true(takes("/\xc3\xa4/", "\xff\xc3\xa4")); /* names need not be UTF-8 */
}

static double number(const char *pattern, const char *text) {
  tdm_pattern p;
  tdm_error error;
  assert_int_equal(tdm_pattern_open(pattern, &p, &error), TDM_OK);
  double value = tdm_pattern_number(&p, text);
  tdm_pattern_close(&p);
  return value;
}

static void captures_are_numbers(void **state) {
  (void)state;
  assert_true(number("/_(\\d+)\\(/", "context_12(sq512") == 12);
  assert_true(number("/x=([^ ]*)/", "x=-1.5e3 y") == -1500);
  assert_true(isnan(number("/x=([^ ]*)/", "x=many")));
  assert_true(isnan(number("/x=(\\d+)/", "y")));
  assert_true(isnan(number("/x=(\\d+)?/", "x=")));
  assert_true(isnan(number("/x=\\d+/", "x=1")));
  assert_true(isnan(number("x*", "x1")));
}

static void a_bad_expression_is_refused(void **state) {
  (void)state;
  tdm_pattern p;
  tdm_error error;
  assert_int_equal(tdm_pattern_open("/(/", &p, &error), TDM_INVALID);
  assert_non_null(strstr(error.message, "missing closing parenthesis"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(globs_take_whole_names), cmocka_unit_test(expressions_are_found_anywhere),
      cmocka_unit_test(captures_are_numbers), cmocka_unit_test(a_bad_expression_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
