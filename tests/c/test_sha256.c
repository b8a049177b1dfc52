/* SHA-256 against the published examples (FIPS 180-4, NIST's SHA examples), in one piece and in
 * pieces of every size around a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void hash(const char *text, size_t bytes, size_t piece, char hex[TDM_SHA256_HEX + 1]) {
  tdm_sha256 state;
  uint8_t digest[TDM_SHA256_BYTES];
  tdm_sha256_begin(&state);
  for (size_t at = 0; at < bytes; at += piece)
    tdm_sha256_add(&state, text + at, bytes - at < piece ? bytes - at : piece);
  tdm_sha256_end(&state, digest);
  tdm_sha256_hex(digest, hex);
}

static void agrees_with_published_examples(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *hex;
  } cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
       "mnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
  char hex[TDM_SHA256_HEX + 1];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hash(cases[i].text, strlen(cases[i].text), SIZE_MAX, hex);
    assert_string_equal(hex, cases[i].hex);
  }
}

static void a_million_letters(void **unused) {
  (void)unused;
  tdm_sha256 state;
  uint8_t digest[TDM_SHA256_BYTES];
  char piece[1000], hex[TDM_SHA256_HEX + 1];
  memset(piece, 'a', sizeof piece);
  tdm_sha256_begin(&state);
  for (int i = 0; i < 1000; i++) tdm_sha256_add(&state, piece, sizeof piece);
  tdm_sha256_end(&state, digest);
  tdm_sha256_hex(digest, hex);
  assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_make_no_difference(void **unused) {
  (void)unused;
  char text[200], whole[TDM_SHA256_HEX + 1], parts[TDM_SHA256_HEX + 1];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 37);
  for (size_t bytes = 0; bytes <= sizeof text; bytes++) {
    hash(text, bytes, SIZE_MAX, whole);
    for (size_t piece = 1; piece < 130; piece += 3) {
      hash(text, bytes, piece, parts);
      assert_string_equal(parts, whole);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_published_examples),
      cmocka_unit_test(a_million_letters),
      cmocka_unit_test(pieces_make_no_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
