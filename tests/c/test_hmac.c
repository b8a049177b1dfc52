/* HMAC-SHA256 against the test cases of RFC 4231. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hmac.h"

static void sign(const void *key, size_t key_bytes, const char *data, size_t piece,
                 char hex[TDM_SHA256_HEX + 1]) {
  tdm_hmac hmac;
  uint8_t digest[TDM_SHA256_BYTES];
  size_t bytes = strlen(data);
  tdm_hmac_begin(&hmac, key, key_bytes);
  for (size_t at = 0; at < bytes; at += piece)
    tdm_hmac_add(&hmac, data + at, bytes - at < piece ? bytes - at : piece);
  tdm_hmac_end(&hmac, digest);
  tdm_sha256_hex(digest, hex);
}

/* `count` times `byte`. */
static const char *repeated(int byte, size_t count) {
  static char text[256];
  memset(text, byte, count);
  text[count] = 0;
  return text;
}

static void agrees_with_rfc_4231(void **unused) {
  (void)unused;
  char key[131], counted[25];
  for (int i = 0; i < 25; i++) counted[i] = (char)(i + 1);
  struct {
    int key_byte; /* 0: key_text, or 1 to 25 counted */
    size_t key_bytes;
    const char *key_text;
    int data_byte;
    size_t data_bytes;
    const char *data;
    size_t shown; /* digits of the result that the RFC gives */
    const char *hex;
  } cases[] = {
      {0x0b, 20, NULL, 0, 0, "Hi There", 64,
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {0, 4, "Jefe", 0, 0, "what do ya want for nothing?", 64,
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {0xaa, 20, NULL, 0xdd, 50, NULL, 64,
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {0, 25, counted, 0xcd, 50, NULL, 64,
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {0x0c, 20, NULL, 0, 0, "Test With Truncation", 32, "a3b6167473100ee06e0c796c2955552b"},
      {0xaa, 131, NULL, 0, 0, "Test Using Larger Than Block-Size Key - Hash Key First", 64,
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {0xaa, 131, NULL, 0, 0,
       "This is a test using a larger than block-size key and a larger than block-size data. The "
       "key needs to be hashed before being used by the HMAC algorithm.",
       64, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].key_text != NULL)
      memcpy(key, cases[i].key_text, cases[i].key_bytes);
    else
      memset(key, cases[i].key_byte, cases[i].key_bytes);
    for (size_t piece = 1; piece < 200; piece += 66) {
      const char *data = cases[i].data;
      if (data == NULL) data = repeated(cases[i].data_byte, cases[i].data_bytes);
      char hex[TDM_SHA256_HEX + 1];
      sign(key, cases[i].key_bytes, data, piece, hex);
      hex[cases[i].shown] = 0;
      assert_string_equal(hex, cases[i].hex);
    }
  }
}

static void compares_whole_texts(void **unused) {
  (void)unused;
  assert_true(tdm_hmac_same("abcd", "abcd", 4));
  assert_true(tdm_hmac_same("", "", 0));
  assert_false(tdm_hmac_same("abcd", "xbcd", 4));
  assert_false(tdm_hmac_same("abcd", "abcx", 4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_rfc_4231),
      cmocka_unit_test(compares_whole_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
