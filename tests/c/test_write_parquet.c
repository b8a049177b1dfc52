/* The Parquet writer, its footer walked by Thrift's compact protocol alone: rows, columns and where
 * their pages lie. tests/web/columns.test.mjs reads such files with a library and holds every value
 * against Arrow's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recording_fixture.h"
#include "target_fixture.h"
#include "write/writer.h"

static const unsigned char *at, *end;
static int64_t rows, groups, chunks, pages_end;

static uint64_t varint(void) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    assert_true(at < end);
    value |= (uint64_t)(*at & 127) << shift;
    if (*at++ < 128) return value;
  }
}

static int64_t zigzag(void) {
  uint64_t value = varint();
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Walks a value; `path` is the field numbers down to it, a digit pair each. */
static void walk(unsigned type, int64_t path);

static void walk_struct(int64_t path) {
  int id = 0;
  for (;;) {
    assert_true(at < end);
    unsigned head = *at++;
    if (head == 0) return;
    assert_true(head >> 4 != 0);
    id += (int)(head >> 4);
    walk(head & 15, path * 100 + id);
  }
}

static void walk(unsigned type, int64_t path) {
  int64_t value;
  uint64_t count;
  switch (type) {
  case 5:
  case 6:
    value = zigzag();
    if (path == 3) rows = value;
    if (path == 4010309 && value > pages_end) pages_end = value;
    return;
  case 8:
    count = varint();
    assert_true(count <= (uint64_t)(end - at));
    at += count;
    return;
  case 9:
    count = *at >> 4;
    type = *at++ & 15;
    if (count == 15) count = varint();
    if (path == 4) groups = (int64_t)count;
    if (path == 401) chunks += (int64_t)count;
    for (uint64_t i = 0; i < count; i++) walk(type, path);
    return;
  case 12: walk_struct(path); return;
  default: fail_msg("type %u at %lld", type, (long long)path);
  }
}

static void walk_file(const tdm_recording *recording, const char *table) {
  tdm_error error;
  tdm_write_options options = {.table = table};
  if (tdm_writer_named("parquet")->write(recording, target, &options, &error) != TDM_OK)
    fail_msg("%s", error.message);
  size_t length;
  unsigned char *bytes = (unsigned char *)recording_file(target, &length);
  assert_memory_equal(bytes, "PAR1", 4);
  assert_memory_equal(bytes + length - 4, "PAR1", 4);
  uint32_t footer;
  memcpy(&footer, bytes + length - 8, 4);
  assert_true(footer < length);
  at = bytes + length - 8 - footer;
  end = bytes + length - 8;
  rows = groups = chunks = pages_end = 0;
  walk_struct(0);
  assert_ptr_equal(at, end);
  assert_true(pages_end < (int64_t)(length - footer));
  free(bytes);
}

static void footers_tell_what_is_there(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  int64_t wanted = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(rich); i++)
    wanted += (int64_t)tdm_recording_rows(rich, i)->count;
  walk_file(rich, NULL);
  assert_int_equal(rows, wanted);
  assert_int_equal(groups, 1);
  assert_true(chunks > 15);
  walk_file(rich, "requests");
  assert_int_equal(rows, 300);
  assert_int_equal(chunks, 6);
  tdm_recording_free(rich);
}

static void failures_are_told(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *empty = tdm_recording_new();
  walk_file(empty, NULL);
  assert_int_equal(rows, 0);
  assert_int_equal(groups, 0);
  const tdm_writer *writer = tdm_writer_named("parquet");
  assert_int_equal(writer->write(empty, folder, NULL, &error), TDM_IO);
  assert_int_equal(writer->write(empty, "/dev/full", NULL, &error), TDM_IO);
  tdm_recording_free(empty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(footers_tell_what_is_there),
      cmocka_unit_test(failures_are_told),
  };
  return cmocka_run_group_tests_name("write_parquet", tests, make_folder, remove_folder);
}
