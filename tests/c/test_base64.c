/* Base64: RFC 4648's examples, all bytes there and back, what is none of the alphabet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/base64.h"

static void gives_the_examples_of_the_rfc(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char text[16];
    size_t length = strlen(pairs[i][0]);
    size_t made = tdm_base64_encode((const unsigned char *)pairs[i][0], length, text);
    assert_int_equal(made, TDM_BASE64_LENGTH(length));
    assert_int_equal(made, strlen(pairs[i][1]));
    assert_memory_equal(text, pairs[i][1], made);
  }
}

static void gives_back_every_byte_at_every_length(void **state) {
  (void)state;
  unsigned char bytes[256];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 167 + 13);
  char text[TDM_BASE64_LENGTH(sizeof bytes)];
  for (size_t length = 0; length <= sizeof bytes; length++) {
    size_t made = tdm_base64_encode(bytes, length, text);
    assert_int_equal(tdm_base64_decode(text, made), length);
    assert_memory_equal(text, bytes, length);
  }
}

static void skips_what_is_none_of_the_alphabet(void **state) {
  (void)state;
  char text[] = "Zm 9v\nYm\"Fy==\x80";
  assert_int_equal(tdm_base64_decode(text, sizeof text - 1), 6);
  assert_memory_equal(text, "foobar", 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_the_examples_of_the_rfc),
      cmocka_unit_test(gives_back_every_byte_at_every_length),
      cmocka_unit_test(skips_what_is_none_of_the_alphabet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
