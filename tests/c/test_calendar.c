/* Dates are counted as the Gregorian calendar does, and read as ISO 8601 writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/calendar.h"

static void days_follow_one_another(void **state) {
  (void)state;
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int64_t expected = tdm_calendar_seconds(1899, 1, 1);
  for (int year = 1899; year < 2102; year++) {
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    for (int month = 1; month <= 12; month++)
      for (int day = 1; day <= days[month - 1] + (month == 2 && leap); day++, expected += 86400)
        assert_int_equal(tdm_calendar_seconds(year, month, day), expected);
    assert_int_equal(tdm_calendar_year(expected - 1), year);
    assert_int_equal(tdm_calendar_year(expected), year + 1);
  }
  assert_int_equal(tdm_calendar_seconds(1970, 1, 1), 0);
}

static void texts_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t utc_ns;
  } cases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2001-09-09T01:46:40", INT64_C(1000000000000000000)},
      {"2001-09-09 01:46:40.5", INT64_C(1000000000500000000)},
      {"2001-09-09T01:46:40,000000001z", INT64_C(1000000000000000001)},
      {"2001-09-09T01:46:40.1234567899Z", INT64_C(1000000000123456789)}, /* nine digits count */
      {"2001-09-09T03:16:40+01:30", INT64_C(1000000000000000000)},
      {"2001-09-08T23:46:40-0200", INT64_C(1000000000000000000)},
      {"2000-02-29T00:00:00Z", INT64_C(951782400000000000)},
      {"1969-12-31T23:59:59.999999999Z", -1},
      {"2016-12-31T23:59:60Z", INT64_C(1483228800000000000)}, /* a leap second is the next */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t utc_ns;
    assert_true(tdm_calendar_read(cases[i].text, strlen(cases[i].text), &utc_ns));
    assert_int_equal(utc_ns, cases[i].utc_ns);
  }
}

static void what_is_no_date_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "2001-09-09",
                                      "2001-09-09T01:46",
                                      "2001/09/09T01:46:40",
                                      "2001-09-09x01:46:40",
                                      "2001-13-09T01:46:40",
                                      "2001-00-09T01:46:40",
                                      "2001-09-32T01:46:40",
                                      "2001-09-00T01:46:40",
                                      "2001-09-09T24:46:40",
                                      "2001-09-09T01:60:40",
                                      "2001-09-09T01:46:61",
                                      "2001-09-09T01:46:4x",
                                      "2001-09-09T01:46:40Zulu",
                                      "2001-09-09T01:46:40+1:30",
                                      "2001-09-09T01:46:40+24:00",
                                      "2001-09-09T01:46:40+01:60",
                                      "9999-12-31T23:59:59Z"}; /* beyond int64 */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    int64_t utc_ns;
    assert_false(tdm_calendar_read(texts[i], strlen(texts[i]), &utc_ns));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(days_follow_one_another),
      cmocka_unit_test(texts_are_read),
      cmocka_unit_test(what_is_no_date_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
