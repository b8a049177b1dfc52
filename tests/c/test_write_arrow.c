/* The Arrow writer, its file walked by the format's rules alone: both magics, the footer's blocks,
 * every column's nulls and values against the recording's rows. tests/web/columns.test.mjs reads
 * such files with the format's own library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/utf8.h"
#include "write/writer.h"

/* ---- FlatBuffers */

static int64_t number(const unsigned char *at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)at[i] << (8 * i);
  return size == 4 ? (int32_t)value : size == 2 ? (int16_t)value : (int64_t)value;
}

static const unsigned char *follow(const unsigned char *at) {
  return at + (uint32_t)number(at, 4);
}

/* A table's field; NULL: it is not there. */
static const unsigned char *field(const unsigned char *table, int index) {
  const unsigned char *list = table - number(table, 4);
  if (4 + 2 * index >= number(list, 2)) return NULL;
  int64_t at = number(list + 4 + 2 * index, 2);
  return at != 0 ? table + at : NULL;
}

static const unsigned char *vector(const unsigned char *table, int index, uint32_t *count) {
  const unsigned char *at = follow(field(table, index));
  *count = (uint32_t)number(at, 4);
  return at + 4;
}

/* ---- the file */

typedef struct {
  unsigned char *bytes;
  size_t length;
  const unsigned char *schema, *batches, *texts;
  const int32_t *ends; /* of texts */
  uint32_t columns, batch_count;
} arrow;

static const unsigned char *head_of(const arrow *a, const unsigned char *block, int kind,
                                    const unsigned char **body) {
  int64_t offset = number(block, 8), head = number(block + 8, 4);
  assert_int_equal(offset % 8, 0);
  assert_int_equal(head % 8, 0);
  const unsigned char *at = a->bytes + offset;
  assert_int_equal(number(at, 4), -1);
  assert_int_equal(number(at + 4, 4) + 8, head);
  *body = at + head;
  assert_true(offset + head + number(block + 16, 8) <= (int64_t)a->length);
  const unsigned char *message = follow(at + 8);
  assert_int_equal(number(field(message, 0), 2), 4); /* V5 */
  assert_int_equal(*field(message, 1), kind);
  return follow(field(message, 2));
}

static arrow opened(const tdm_recording *recording, const char *table) {
  tdm_error error;
  arrow a = {0};
  tdm_write_options options = {.table = table};
  if (tdm_writer_named("arrow")->write(recording, target, &options, &error) != TDM_OK)
    fail_msg("%s", error.message);
  a.bytes = (unsigned char *)recording_file(target, &a.length);
  assert_memory_equal(a.bytes, "ARROW1\0\0", 8);
  assert_memory_equal(a.bytes + a.length - 6, "ARROW1", 6);
  int64_t footer_length = number(a.bytes + a.length - 10, 4);
  const unsigned char *footer = follow(a.bytes + a.length - 10 - footer_length);
  a.schema = follow(field(footer, 1));
  (void)vector(a.schema, 1, &a.columns);
  uint32_t dictionaries;
  const unsigned char *blocks = vector(footer, 2, &dictionaries), *body;
  assert_int_equal(dictionaries, 1);
  const unsigned char *data = follow(field(head_of(&a, blocks, 2, &body), 1));
  uint32_t count;
  const unsigned char *buffers = vector(data, 2, &count);
  assert_int_equal(count, 3);
  a.ends = (const int32_t *)(const void *)(body + number(buffers + 16, 8));
  a.texts = body + number(buffers + 32, 8);
  a.batches = vector(footer, 3, &a.batch_count);
  return a;
}

static const unsigned char *column_field(const arrow *a, uint32_t column) {
  uint32_t count;
  return follow(vector(a->schema, 1, &count) + 4 * column);
}

static uint32_t column_named(const arrow *a, const char *name) {
  for (uint32_t i = 0; i < a->columns; i++) {
    const unsigned char *text = follow(field(column_field(a, i), 0));
    if (strcmp((const char *)text + 4, name) == 0) return i;
  }
  fail_msg("no column %s", name);
  return 0;
}

/* A value of the one batch; false: null. Texts are their places in the dictionary. */
static bool value_of(const arrow *a, uint32_t column, size_t row, int64_t *value) {
  const unsigned char *body;
  uint32_t count;
  const unsigned char *batch = head_of(a, a->batches, 3, &body);
  const unsigned char *buffers = vector(batch, 2, &count) + 32 * column;
  assert_int_equal(count, 2 * a->columns);
  bool narrow = field(column_field(a, column), 4) != NULL;
  const unsigned char *bits = body + number(buffers, 8), *data = body + number(buffers + 16, 8);
  assert_int_equal((bits - a->bytes) % 8, 0);
  assert_int_equal((data - a->bytes) % 8, 0);
  if (number(buffers + 8, 8) > 0 && (bits[row / 8] >> (row % 8) & 1) == 0) return false;
  *value = number(data + row * (narrow ? 4 : 8), narrow ? 4 : 8);
  return true;
}

static void rows_are_the_recordings(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  arrow a = opened(rich, NULL);
  assert_int_equal(a.batch_count, 1);
  const unsigned char *body;
  size_t rows = (size_t)number(field(head_of(&a, a.batches, 3, &body), 0), 8);
  size_t wanted = 0;
  uint64_t sum = 0, wanted_sum = 0, names = 0, wanted_names = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(rich); i++) {
    const tdm_kept_rows *part = tdm_recording_rows(rich, i);
    wanted += part->count;
    for (size_t k = 0; k < part->count; k++) {
      size_t length = 0;
      char mended[512];
      const char *name = tdm_recording_name(rich, tdm_kept(part, TDM_NAME, k), &length);
      wanted_sum += (uint64_t)tdm_kept(part, TDM_DUR, k);
      if (name != NULL && length < 128) wanted_names += tdm_utf8_mend(name, length, mended);
    }
  }
  assert_int_equal(rows, wanted);
  uint32_t dur = column_named(&a, "dur_ns"), name = column_named(&a, "name");
  uint32_t start = column_named(&a, "start_ns");
  int64_t value, before = INT64_MIN;
  for (size_t row = 0; row < rows; row++) {
    assert_true(value_of(&a, dur, row, &value));
    sum += (uint64_t)value;
    assert_true(value_of(&a, start, row, &value));
    assert_true(value >= before);
    before = value;
    if (!value_of(&a, name, row, &value)) continue;
    size_t length = (size_t)(a.ends[value + 1] - a.ends[value]);
    assert_int_equal(tdm_utf8_valid((const char *)a.texts + a.ends[value], length), length);
    names += length;
  }
  assert_int_equal(sum, wanted_sum);
  assert_int_equal(names, wanted_names);
  free(a.bytes);
  tdm_recording_free(rich);
}

static void requests_have_a_table(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  arrow a = opened(rich, "requests");
  int64_t value;
  for (size_t row = 0; row < 300; row++) {
    assert_true(value_of(&a, column_named(&a, "id"), row, &value));
    assert_int_equal(value, INT64_C(2) << 48 | (int64_t)row);
    assert_int_equal(value_of(&a, column_named(&a, "end_ns"), row, &value), row % 6 != 0);
    assert_int_equal(value_of(&a, column_named(&a, "gpu"), row, &value), row % 3 != 0);
    assert_true(value_of(&a, column_named(&a, "class"), row, &value));
    assert_memory_equal(a.texts + a.ends[value], "chat", 4);
  }
  free(a.bytes);
  tdm_recording_free(rich);
}

static void what_is_not_there_is_said(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *empty = tdm_recording_new();
  const tdm_writer *writer = tdm_writer_named("arrow");
  tdm_write_options options = {.table = "requests"};
  assert_int_equal(writer->write(empty, target, &options, &error), TDM_INVALID);
  options.table = "nothing";
  assert_int_equal(writer->write(empty, target, &options, &error), TDM_INVALID);
  arrow a = opened(empty, "spans"); /* no rows: no batch, and a whole file */
  assert_int_equal(a.batch_count, 0);
  free(a.bytes);
  assert_int_equal(writer->write(empty, folder, NULL, &error), TDM_IO);
  assert_int_equal(writer->write(empty, "/dev/full", NULL, &error), TDM_IO);
  tdm_recording_free(empty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_the_recordings),
      cmocka_unit_test(requests_have_a_table),
      cmocka_unit_test(what_is_not_there_is_said),
  };
  return cmocka_run_group_tests_name("write_arrow", tests, make_folder, remove_folder);
}
