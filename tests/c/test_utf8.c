/* trace/utf8: what is UTF-8 by a decoder that counts code points, and texts mended to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/utf8.h"

/* How long the character at `at` is; 0: none. NUL is none either. */
static size_t decoded(const unsigned char *at, size_t left) {
  static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000};
  uint32_t first = at[0], point;
  size_t length;
  if (first >> 7 == 0)
    length = 1, point = first;
  else if (first >> 5 == 6)
    length = 2, point = first & 31;
  else if (first >> 4 == 14)
    length = 3, point = first & 15;
  else if (first >> 3 == 30)
    length = 4, point = first & 7;
  else
    return 0;
  if (length > left) return 0;
  for (size_t i = 1; i < length; i++) {
    if (at[i] >> 6 != 2) return 0;
    point = point << 6 | (at[i] & 63);
  }
  int surrogate = point >> 11 == 27;
  return point < least[length] || point > 0x10ffff || surrogate ? 0 : length;
}

static size_t valid(const char *text, size_t length) {
  size_t at = 0, step = 1;
  while (at < length && step > 0) {
    step = decoded((const unsigned char *)text + at, length - at);
    at += step;
  }
  return at;
}

/* One replacement character for each byte that begins none; a NUL ends it. */
static size_t mended(const char *text, size_t length, char *out) {
  size_t used = 0;
  for (size_t at = 0; at < length && text[at] != 0;) {
    size_t step = decoded((const unsigned char *)text + at, length - at);
    if (step > 0) memcpy(out + used, text + at, step);
    if (step == 0) memcpy(out + used, "\xef\xbf\xbd", 3);
    used += step > 0 ? step : 3;
    at += step > 0 ? step : 1;
  }
  return used;
}

static void check(const char *text, size_t length) {
  char got[400], want[400];
  if (tdm_utf8_valid(text, length) != valid(text, length)) {
    for (size_t i = 0; i < length; i++) print_error("%02x ", (unsigned char)text[i]);
    fail_msg("valid: %zu instead of %zu", tdm_utf8_valid(text, length), valid(text, length));
  }
  size_t used = tdm_utf8_mend(text, length, got);
  assert_int_equal(used, mended(text, length, want));
  assert_memory_equal(got, want, used);
}

static void all_pairs_of_bytes(void **state) {
  (void)state;
  for (unsigned a = 0; a < 256; a++)
    for (unsigned b = 0; b < 256; b++) {
      const char text[] = {(char)a, (char)b, 'x'};
      for (size_t length = 0; length <= 3; length++) check(text, length);
    }
}

/* The bytes at which rules begin and end. */
static void all_fours_of_edges(void **state) {
  (void)state;
  static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                        0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                        0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
  const size_t n = sizeof edges;
  for (size_t i = 0; i < n * n * n * n; i++) {
    const char text[] = {(char)edges[i / n / n / n], (char)edges[i / n / n % n],
                         (char)edges[i / n % n], (char)edges[i % n]};
    for (size_t length = 3; length <= 4; length++) check(text, length);
  }
}

/* Plain text goes eight bytes at a time: whatever ends it is found at each place. */
static void ends_of_plain_text_at_each_place(void **state) {
  (void)state;
  static const char *const odd[] = {"\x80", "\xc3\xa9",     "\xff",    "\x7f",
                                    "\x01", "\xe2\x82\xac", "\xe2\x82"};
  char text[40];
  for (size_t length = 0; length < 34; length++)
    for (size_t at = 0; at <= length; at++) {
      memset(text, 'a', sizeof text);
      check(text, length);
      text[at] = 0;
      check(text, length);
      for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        memset(text, 'a', sizeof text);
        memcpy(text + at, odd[i], strlen(odd[i]));
        check(text, length);
      }
    }
}

static void quotes_escape_what_must_be_escaped(void **state) {
  (void)state;
  for (unsigned c = 1; c < 128; c++) {
    const char text[] = {'a', (char)c, 'b', 0};
    char want[16];
    const char *letters = "\"\"\\\\\nn\tt\rr";
    const char *letter = strchr(letters, (int)c);
    if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r')
      sprintf(want, "\"a\\%cb\"", letter[1]);
    else if (c < 32 || c == 127)
      sprintf(want, "\"a\\u%04xb\"", c);
    else
      sprintf(want, "\"a%cb\"", (char)c);
    size_t length;
    char *quoted = tdm_json_quote(text, &length);
    assert_string_equal(quoted, want);
    assert_int_equal(length, strlen(want));
    free(quoted);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pairs_of_bytes),
      cmocka_unit_test(all_fours_of_edges),
      cmocka_unit_test(ends_of_plain_text_at_each_place),
      cmocka_unit_test(quotes_escape_what_must_be_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
