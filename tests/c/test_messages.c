/* read/messages: messages of files that are larger than what is read at once, at every place where
 * one can be cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/messages.h"
#include "records_as_text.h"

/* Message i has i % 300 bytes, all of them i & 255; every 5,000th one 100,000. */
static size_t length_of(size_t i) {
  return i % 5000 == 4999 ? 100000 : i % 300;
}

static void write_messages(const char *path, size_t count, bool bare) {
  unsigned char head[20], *bytes = malloc(100000);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (size_t i = 0; i < count; i++) {
    size_t used = bare ? 0 : tdm_proto_encode(head, (i % 7 + 100) << 3 | TDM_PROTO_BYTES);
    used += tdm_proto_encode(head + used, length_of(i));
    memset(bytes, (int)(i & 255), length_of(i));
    assert_int_equal(fwrite(head, 1, used, file), used);
    assert_int_equal(fwrite(bytes, 1, length_of(i), file), length_of(i));
  }
  assert_int_equal(fclose(file), 0);
  free(bytes);
}

static void read_back(const char *path, size_t count, bool bare) {
  tdm_read_options options = {0};
  tdm_messages m = {.options = &options, .bare = bare};
  tdm_error error;
  tdm_proto_field field;
  bool more = true;
  assert_int_equal(tdm_input_open(path, &m.input, &error), TDM_OK);
  for (size_t i = 0;; i++) {
    assert_int_equal(tdm_messages_next(&m, &field, &more, &error), TDM_OK);
    assert_int_equal(more, i < count);
    if (!more) break;
    assert_int_equal(field.length, length_of(i));
    assert_int_equal(field.number, bare ? 0 : i % 7 + 100);
    for (size_t at = 0; at < field.length; at++)
      if (field.bytes[at] != (i & 255)) fail_msg("byte %zu of message %zu", at, i);
  }
  assert_false(m.bad || m.cut);
  tdm_messages_close(&m);
  tdm_input_close(m.input);
}

static void messages_of_any_length_come_whole(void **state) {
  (void)state;
  const char *path = scratch_path(".messages");
  for (int bare = 0; bare < 2; bare++) {
    write_messages(path, 20000, bare);
    read_back(path, 20000, bare);
  }
  unlink(path);
}

typedef struct {
  size_t count;
  bool bad, cut;
} ended;

static ended ending_of(const char *bytes, size_t length, bool bare) {
  tdm_read_options options = {0};
  tdm_messages m = {.options = &options, .bare = bare};
  tdm_error error;
  tdm_proto_field field;
  bool more = true;
  size_t count = 0;
  assert_int_equal(tdm_input_open_memory(bytes, length, &m.input, &error), TDM_OK);
  for (; more; count += more)
    assert_int_equal(tdm_messages_next(&m, &field, &more, &error), TDM_OK);
  tdm_messages_close(&m);
  tdm_input_close(m.input);
  return (ended){count, m.bad, m.cut};
}

static void how_a_file_ends_is_told(void **state) {
  (void)state;
  ended e = ending_of("\x0a\x01x\x0a\x02x", 6, false);
  assert_true(e.count == 1 && e.cut && !e.bad);
  e = ending_of("\x0a\x01x\x08\x02x", 6, false); /* a number, no message */
  assert_true(e.count == 1 && e.bad && !e.cut);
  e = ending_of("\x01x\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 14, true);
  assert_true(e.count == 1 && e.bad && !e.cut);
  e = ending_of("\x01x\xff\xff", 4, true);
  assert_true(e.count == 1 && e.cut && !e.bad);
  e = ending_of("", 0, true);
  assert_true(e.count == 0 && !e.cut && !e.bad);
  e = ending_of("\x01x\x80\x80\x80\x80\x08", 7, true); /* 2 GiB and more */
  assert_true(e.count == 1 && e.bad && !e.cut);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_of_any_length_come_whole),
      cmocka_unit_test(how_a_file_ends_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
