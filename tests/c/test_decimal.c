/* Doubles as text: they come back bit for bit, and reading agrees with the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { ROUNDS = 2000000 };

static uint64_t seed = 1;

static uint64_t random_bits(void) { /* splitmix64 */
  uint64_t z = seed += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

static void assert_same(double wanted, double got, const char *text) {
  if (memcmp(&wanted, &got, sizeof wanted) != 0) fail_msg("%a, got %a from %s", wanted, got, text);
}

static void assert_round_trip(double value) {
  char text[TDM_DECIMAL_SIZE + 1];
  text[TDM_DECIMAL_SIZE] = '#';
  size_t length = tdm_decimal_print(text, value);
  assert_int_equal(length, strlen(text));
  assert_int_equal(text[TDM_DECIMAL_SIZE], '#');
  if (strpbrk(text, ".e") == NULL) fail_msg("%s is no float", text);
  assert_same(value, strtod(text, NULL), text);
  assert_same(value, tdm_decimal_read(text), text);
  char plain[TDM_DECIMAL_SIZE], shortest[TDM_DECIMAL_SIZE];
  length = tdm_decimal_print_plain(plain, value);
  assert_int_equal(length, strlen(plain));
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(shortest, sizeof shortest, "%.*g", digits, value);
    if (strtod(shortest, NULL) == value) break;
  }
  assert_string_equal(plain, shortest);
}

static void any_bits(void **state) {
  (void)state;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t bits = random_bits();
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) assert_round_trip(value);
  }
}

static void everyday_numbers(void **state) {
  (void)state;
  for (int i = 0; i < ROUNDS; i++) {
    double fraction = (double)(random_bits() >> 11) * 0x1p-53;
    assert_round_trip(fraction * pow(10, (double)(random_bits() % 24) - 12));
    assert_round_trip((double)(random_bits() % 1000000) / 1000);
  }
}

static void edges(void **state) {
  (void)state;
  static const double values[] = {0.0,         -0.0,
                                  DBL_MAX,     -DBL_MAX,
                                  DBL_MIN,     5e-324,
                                  DBL_EPSILON, 1e22,
                                  1e23,        9007199254740993.0,
                                  1e16,        99999999999999990.0,
                                  1e17,        9.5367431640625e-7};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) assert_round_trip(values[i]);
  for (int e = -1074; e <= 1023; e++) {
    double power = ldexp(1, e);
    assert_round_trip(power);
    assert_round_trip(nextafter(power, 0));
    assert_round_trip(nextafter(power, INFINITY));
  }
  for (int e = -323; e <= 308; e++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    assert_round_trip(strtod(text, NULL));
  }
}

static void people_read_it(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {2, "2.0"},
               {250, "250.0"},
               {-1.5, "-1.5"},
               {1e-4, "0.0001"},
               {1e-6, "1e-06"},
               {1e30, "1e+30"},
               {0.3, "0.3"},
               {1234.5, "1234.5"},
               {1.25e-7, "1.25e-07"},
               {1e16, "10000000000000000.0"},
               {0.1 + 0.2, "0.30000000000000004"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[TDM_DECIMAL_SIZE];
    tdm_decimal_print(text, cases[i].value);
    assert_string_equal(text, cases[i].text);
  }
}

static void reads_as_the_c_library_does(void **state) {
  (void)state;
  static const char *const texts[] = {"0.0",
                                      "-0.0",
                                      "0e5",
                                      "1e999",
                                      "-1e999",
                                      "1e-999",
                                      "1e400",
                                      "4.9e-324",
                                      "2.4e-324",
                                      "1e23",
                                      "0.5,1",
                                      "12.5]",
                                      "9007199254740993.0",
                                      "9007199254740992.9999999999999999",
                                      "123456789012345678901234567890.0",
                                      "0.000000000000000000000000000001",
                                      "1.7976931348623157e308",
                                      "1.7976931348623159e308",
                                      "2.2250738585072011e-308",
                                      "179769313486231580793e289",
                                      "1e99999999999",
                                      "1e-99999999999",
                                      "0.00000000000000000000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_same(strtod(texts[i], NULL), tdm_decimal_read(texts[i]), texts[i]);
  for (int i = 0; i < ROUNDS; i++) {
    char text[64];
    uint64_t digits = random_bits() >> (random_bits() % 64);
    snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)digits,
             (unsigned long long)(random_bits() % 1000), (int)(random_bits() % 700) - 350);
    assert_same(strtod(text, NULL), tdm_decimal_read(text), text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_bits),
      cmocka_unit_test(everyday_numbers),
      cmocka_unit_test(edges),
      cmocka_unit_test(people_read_it),
      cmocka_unit_test(reads_as_the_c_library_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
