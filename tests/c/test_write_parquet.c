/* The Parquet writer, its footer walked by Thrift's compact protocol alone: rows, columns and where
 * their pages lie; and each value of each page, unpacked by the format's rules, against the table
 * that was to be written. tests/web/columns.test.mjs reads such files with a library and holds
 * every value against Arrow's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recording_fixture.h"
#include "target_fixture.h"
#include "trace/utf8.h"
#include "write/recorded_sheet.h"
#include "write/writer.h"

static const unsigned char *at, *end;
static int64_t rows, groups, chunks, pages_end;

/* A column of a row group, as the footer tells it. */
typedef struct {
  char name[64];
  int64_t type, values, size, data, dictionary;
} told;
static told columns[64];
static size_t column;

/* Of the head of a page. */
static int64_t page_type, page_bytes, page_values, page_encoding, page_levels;

/* Of the schema, the root being its first. */
static struct { int64_t type, utf8; } schema[64];
static size_t element;

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
  if (path == 2) {
    element++;
    schema[element].type = schema[element].utf8 = TDM_NONE;
  }
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
    if (path == 4010301) columns[column++].type = value;
    if (path == 4010305) columns[column - 1].values = value;
    if (path == 4010306) columns[column - 1].size = value;
    if (path == 4010309) columns[column - 1].data = value;
    if (path == 4010311) columns[column - 1].dictionary = value;
    if (path == 201) schema[element].type = value;
    if (path == 206) schema[element].utf8 = value;
    if (path == 1) page_type = value;
    if (path == 503 || path == 504) page_levels += value;
    if (path == 2) page_bytes = value;
    if (path == 501 || path == 701) page_values = value;
    if (path == 502 || path == 702) page_encoding = value;
    return;
  case 8:
    count = varint();
    assert_true(count <= (uint64_t)(end - at));
    if (path == 4010303)
      snprintf(columns[column - 1].name, sizeof columns->name, "%.*s", (int)count,
               (const char *)at);
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

static unsigned char *walk_file(const tdm_recording *recording, const char *table) {
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
  column = element = 0;
  memset(columns, 0, sizeof columns);
  walk_struct(0);
  assert_ptr_equal(at, end);
  assert_true(pages_end < (int64_t)(length - footer));
  return bytes;
}

/* ---- pages */

static uint32_t little(const unsigned char *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

/* Stands behind the head of a page. */
static void open_page(const unsigned char *bytes, int64_t offset, int64_t type) {
  at = bytes + offset;
  end = at + 64;
  page_levels = 0;
  walk_struct(0);
  assert_int_equal(page_type, type);
  end = at + page_bytes;
}

/* Runs of alike numbers and packed ones, to the end of what is given or of those wanted. */
static void unpack(const unsigned char *until, unsigned width, uint32_t *out, size_t count) {
  size_t n = 0;
  while (n < count) {
    uint64_t head = varint();
    if ((head & 1) == 0) {
      uint32_t value = 0;
      for (unsigned i = 0; i < (width + 7) / 8; i++) value |= (uint32_t)*at++ << 8 * i;
      for (uint64_t i = 0; i < head >> 1; i++) out[n++] = value;
      assert_true(n <= count);
      continue;
    }
    const unsigned char *packed = at;
    for (uint64_t i = 0; i < (head >> 1) * 8 && n < count; i++) {
      uint32_t value = 0;
      for (unsigned bit = 0; bit < width; bit++) {
        uint64_t place = i * width + bit;
        value |= (uint32_t)(packed[place / 8] >> place % 8 & 1) << bit;
      }
      out[n++] = value;
    }
    at += (head >> 1) * width;
  }
  assert_ptr_equal(at, until);
}

static void assert_column(const unsigned char *bytes, const tdm_sheet *sheet, uint32_t c) {
  const tdm_sheet_column *wanted = &sheet->columns[c];
  const told *one = &columns[c];
  size_t count = sheet->row_count, there = 0;
  bool is_text = wanted->type == TDM_COLUMN_TEXT;
  int64_t *values = malloc(count * sizeof *values);
  uint32_t *levels = malloc(count * sizeof *levels), *indices = malloc(count * sizeof *indices);
  const unsigned char *texts[1024];
  sheet->fill(sheet->of, c, 0, count, values);
  assert_string_equal(one->name, wanted->name);
  assert_int_equal(one->type, is_text ? 6 : wanted->type == TDM_COLUMN_REAL ? 5 : 2);
  assert_int_equal(one->values, count);
  int64_t begins = one->data;
  if (is_text) {
    begins = one->dictionary;
    open_page(bytes, one->dictionary, 2);
    assert_int_equal(page_levels, 0);
    assert_true(page_values <= 1024);
    for (int64_t i = 0; i < page_values; i++, at += 4 + little(at)) texts[i] = at;
    assert_ptr_equal(at, end);
    assert_ptr_equal(at, bytes + one->data);
  }
  open_page(bytes, one->data, 0);
  assert_ptr_equal(end, bytes + begins + one->size);
  assert_int_equal(page_values, count);
  assert_int_equal(page_encoding, is_text ? 8 : 0);
  assert_int_equal(page_levels, 3 + 3);            /* runs, of both kinds of levels */
  assert_int_equal(schema[c + 2].type, one->type); /* behind the root */
  assert_int_equal(schema[c + 2].utf8, is_text ? 0 : TDM_NONE);
  const unsigned char *behind = at + 4 + little(at);
  at += 4;
  unpack(behind, 1, levels, count);
  for (size_t i = 0; i < count; i++) there += levels[i];
  if (is_text) {
    unsigned width = *at++;
    unpack(end, width, indices, there);
  } else {
    assert_int_equal(end - at, 8 * there);
  }
  for (size_t i = 0, k = 0; i < count; i++) {
    assert_int_equal(levels[i], values[i] != TDM_NONE);
    if (levels[i] == 0) continue;
    if (is_text) {
      size_t length;
      char mended[4096];
      const char *text = sheet->text(sheet->of, (uint32_t)values[i], &length);
      assert_true(3 * length < sizeof mended);
      length = tdm_utf8_mend(text, length, mended);
      assert_int_equal(little(texts[indices[k]]), length);
      assert_memory_equal(texts[indices[k]] + 4, mended, length);
    } else {
      assert_memory_equal(at + 8 * k, &values[i], 8);
    }
    k++;
  }
  free(values);
  free(levels);
  free(indices);
}

/* Levels over 256 bytes, and texts that are in several columns. */
static tdm_recording *recording_long(void) {
  static const tdm_arg args[] = {
      {"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}, {"src_kind", TDM_ARG_TEXT}};
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *r = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(r, "made", "test");
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "p";
  about.name = "t";
  uint32_t track = tdm_record_track(r, &about);
  uint32_t layout = tdm_record_layout(r, "memcpy", TDM_SHAPE_SPAN, args, 3);
  int64_t text[5];
  for (int i = 0; i < 5; i++) text[i] = tdm_record_text(r, (char[]){(char)('a' + i), 0});
  for (int64_t i = 0; i < 3000; i++)
    tdm_record_row(
        r, layout, i, 1, track, (uint32_t)text[i % 5],
        (int64_t[]){i % 3 == 0 ? TDM_NONE : -i, text[(i + 1) % 4], i % 2 == 0 ? text[4] : TDM_NONE},
        3);
  assert_int_equal(tdm_recorder_end_source(r, NULL), TDM_OK);
  assert_int_equal(tdm_recorder_finish(r, NULL), TDM_OK);
  tdm_recorder_free(r);
  return recording;
}

/* In place of a writer: holds the file that was walked against the sheet that it was made of. */
static tdm_status hold(const tdm_sheet *sheet, const char *bytes, tdm_error *error) {
  (void)error;
  assert_int_equal(column, sheet->column_count);
  for (uint32_t c = 0; c < sheet->column_count; c++)
    assert_column((const unsigned char *)bytes, sheet, c);
  return TDM_OK;
}

static void every_value_is_in_its_page(void **state) {
  (void)state;
  static const char *const tables[] = {"spans", "requests", "spans"};
  tdm_error error;
  tdm_recording *rich = recording_rich();
  for (int t = 0; t < 3; t++) {
    if (t == 2) {
      tdm_recording_free(rich);
      rich = recording_long();
    }
    tdm_write_options options = {.table = tables[t]};
    unsigned char *bytes = walk_file(rich, tables[t]);
    assert_int_equal(tdm_recorded_sheet_write(rich, (const char *)bytes, &options, hold, &error),
                     TDM_OK);
    free(bytes);
  }
  tdm_recording_free(rich);
}

static void footers_tell_what_is_there(void **state) {
  (void)state;
  tdm_recording *rich = recording_rich();
  int64_t wanted = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(rich); i++)
    wanted += (int64_t)tdm_recording_rows(rich, i)->count;
  free(walk_file(rich, NULL));
  assert_int_equal(rows, wanted);
  assert_int_equal(groups, 1);
  assert_true(chunks > 15);
  free(walk_file(rich, "requests"));
  assert_int_equal(rows, 300);
  assert_int_equal(chunks, 6);
  tdm_recording_free(rich);
}

static void failures_are_told(void **state) {
  (void)state;
  tdm_error error;
  tdm_recording *empty = tdm_recording_new();
  free(walk_file(empty, NULL));
  assert_int_equal(rows, 0);
  assert_int_equal(groups, 0);
  const tdm_writer *writer = tdm_writer_named("parquet");
  assert_int_equal(writer->write(empty, folder, NULL, &error), TDM_IO);
  assert_int_equal(writer->write(empty, "/dev/full", NULL, &error), TDM_IO);
  tdm_recording_free(empty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_is_in_its_page),
      cmocka_unit_test(footers_tell_what_is_there),
      cmocka_unit_test(failures_are_told),
  };
  return cmocka_run_group_tests_name("write_parquet", tests, make_folder, remove_folder);
}
