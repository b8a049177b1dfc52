/* trace/intern: each text once, found again, in blocks that double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/intern.h"

static void each_text_has_one_number(void **state) {
  (void)state;
  enum { TEXTS = 20000 };
  tdm_intern table = {0};
  char text[32];
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < TEXTS; i++) {
      size_t length = (size_t)sprintf(text, "%u %s", i, i % 2 ? "odd" : "");
      int fresh = -1;
      assert_int_equal(tdm_intern_find(&table, text, length), round ? i : TDM_INTERN_FAILED);
      assert_int_equal(tdm_intern_put(&table, text, length, &fresh), i);
      assert_int_equal(fresh, round == 0);
      assert_int_equal(table.entries[i].length, length);
      assert_string_equal(table.entries[i].bytes, text);
    }
  assert_int_equal(table.count, TEXTS);
  tdm_intern_clear(&table);
  assert_int_equal(table.count, 0);
  assert_null(table.block);
  assert_int_equal(tdm_intern_find(&table, "0 ", 2), TDM_INTERN_FAILED);
}

static void texts_differ_by_length_and_by_any_byte(void **state) {
  (void)state;
  tdm_intern table = {0};
  static const char bytes[] = "a\0b\0a";
  for (size_t length = 0; length <= 5; length++)
    assert_int_equal(tdm_intern_put(&table, bytes, length, NULL), length);
  assert_int_equal(tdm_intern_put(&table, "a\0c", 3, NULL), 6);
  assert_int_equal(tdm_intern_put(&table, "", 0, NULL), 0);
  assert_int_equal(tdm_intern_find(&table, "a\0b", 3), 3);
  for (uint32_t i = 0; i <= 5; i++) {
    assert_memory_equal(table.entries[i].bytes, bytes, i);
    assert_int_equal(table.entries[i].bytes[i], 0);
  }
  tdm_intern_clear(&table);
}

/* 4 KiB, 8 KiB … 256 KiB; a text that fits none has a block of its own. */
static void blocks_double_up_to_the_largest(void **state) {
  (void)state;
  tdm_intern table = {0};
  char text[1000];
  memset(text, 'x', sizeof text);
  size_t want = 4096, blocks = 0, in_block = 0;
  const char *block = NULL;
  for (uint32_t i = 0; i < 2000; i++) {
    memcpy(text, &i, sizeof i);
    assert_int_equal(tdm_intern_put(&table, text, 999, NULL), i);
    if (table.block != block) {
      assert_true(block == NULL || in_block == (want - sizeof(char *)) / 1000);
      if (blocks > 0 && want < 262144) want *= 2;
      blocks++;
      block = table.block;
      in_block = 0;
    }
    assert_int_equal(table.block_size, want);
    assert_int_equal(table.block_used, sizeof(char *) + 1000 * ++in_block);
  }
  assert_true(blocks > 10);
  char *large = calloc(1, 300000);
  assert_int_equal(tdm_intern_put(&table, large, 299999, NULL), 2000);
  assert_int_equal(table.block_size, sizeof(char *) + 300000);
  assert_int_equal(table.block_used, table.block_size);
  assert_int_equal(tdm_intern_put(&table, "small", 5, NULL), 2001);
  assert_int_equal(table.block_size, 262144);
  free(large);
  for (uint32_t i = 0; i < 2000; i++) assert_memory_equal(table.entries[i].bytes, &i, sizeof i);
  tdm_intern_clear(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_text_has_one_number),
      cmocka_unit_test(texts_differ_by_length_and_by_any_byte),
      cmocka_unit_test(blocks_double_up_to_the_largest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
