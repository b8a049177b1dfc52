/* The writer of Parquet files: any sheet as typed columns.
 *
 * Columns are sheet.h's. Row groups of a million rows, a page a column; texts by a dictionary of
 * the row group, numbers plain, nothing packed. What is not there is null. Not in it: arguments
 * without a column of their own (told as a note), facts, metrics, artifacts. Owns nothing beyond
 * the call. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/outfile.h"
#include "trace/utf8.h"
#include "write/recorded_sheet.h"

enum { GROUP_ROWS = 1 << 20, DEPTH = 8 };

/* Numbers of the format. */
enum { T_INT64 = 2, T_DOUBLE = 5, T_BYTES = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };
/* Of Thrift's compact protocol. */
enum { I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

/* ---- bytes, and Thrift's compact protocol in them */

typedef struct {
  unsigned char *at;
  size_t used, room;
  bool failed;
  int last[DEPTH], depth; /* the field before, of each open struct */
} bytes;

static void put(bytes *b, const void *from, size_t length) {
  if (b->failed || !tdm_array_grow(&b->at, &b->room, b->used + length + 1, 1)) {
    b->failed = true;
    return;
  }
  if (length > 0) memcpy(b->at + b->used, from, length);
  b->used += length;
}

static void put_byte(bytes *b, unsigned value) {
  unsigned char one = (unsigned char)value;
  put(b, &one, 1);
}

static void put_fixed(bytes *b, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) put_byte(b, (unsigned)(value >> (8 * i)) & 255);
}

static void put_varint(bytes *b, uint64_t value) {
  for (; value >= 128; value >>= 7) put_byte(b, (unsigned)(value & 127) | 128);
  put_byte(b, (unsigned)value);
}

static void put_zigzag(bytes *b, int64_t value) {
  put_varint(b, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void begin_struct(bytes *b) {
  b->last[++b->depth] = 0;
}

static void end_struct(bytes *b) {
  put_byte(b, 0);
  b->depth--;
}

static void field(bytes *b, int id, unsigned type) {
  put_byte(b, (unsigned)(id - b->last[b->depth]) << 4 | type);
  b->last[b->depth] = id;
}

static void field_i32(bytes *b, int id, int32_t value) {
  field(b, id, I32);
  put_zigzag(b, value);
}

static void field_i64(bytes *b, int id, int64_t value) {
  field(b, id, I64);
  put_zigzag(b, value);
}

static void put_text(bytes *b, const char *text) {
  put_varint(b, strlen(text));
  put(b, text, strlen(text));
}

static void field_text(bytes *b, int id, const char *text) {
  field(b, id, BINARY);
  put_text(b, text);
}

static void field_list(bytes *b, int id, unsigned type, size_t count) {
  field(b, id, LIST);
  if (count < 15) {
    put_byte(b, (unsigned)count << 4 | type);
  } else {
    put_byte(b, 15U << 4 | type);
    put_varint(b, count);
  }
}

static void field_struct(bytes *b, int id) {
  field(b, id, STRUCT);
  begin_struct(b);
}

/* ---- the job */

typedef struct {
  int64_t data_offset, dictionary_offset, size; /* dictionary: 0: none */
} chunk;

typedef struct {
  const tdm_sheet *sheet;
  tdm_outfile *file;
  int64_t at; /* bytes written */
  int64_t *values;
  uint32_t *indices;  /* of the dictionary, of values that are there */
  uint32_t *numbered; /* by text: its index + 1 in this row group's dictionary */
  bytes page, dictionary, head, metadata;
  chunk *chunks; /* [groups][columns] */
  size_t groups;
} parquet_job;

static void write_bytes(parquet_job *job, const bytes *b) {
  if (b->failed && job->file->failure == 0) job->file->failure = ENOMEM;
  if (b->failed) return;
  tdm_outfile_put(job->file, (const char *)b->at, b->used);
  job->at += (int64_t)b->used;
}

static int type_of(const tdm_sheet_column *column) {
  return column->type == TDM_COLUMN_INT    ? T_INT64
         : column->type == TDM_COLUMN_REAL ? T_DOUBLE
                                           : T_BYTES;
}

/* ---- pages */

/* Numbers of `width` bits: one run when all are alike, else packed together. */
static void put_hybrid(bytes *b, const uint32_t *list, size_t count, unsigned width) {
  size_t alike = 1;
  while (alike < count && list[alike] == list[0]) alike++;
  if (count == 0) return;
  if (alike == count) {
    put_varint(b, (uint64_t)count << 1);
    put_fixed(b, list[0], (width + 7) / 8);
    return;
  }
  size_t groups = (count + 7) / 8;
  put_varint(b, (uint64_t)groups << 1 | 1);
  uint64_t held = 0;
  unsigned bits = 0;
  for (size_t i = 0; i < groups * 8; i++) {
    held |= (uint64_t)(i < count ? list[i] : 0) << bits;
    for (bits += width; bits >= 8; bits -= 8, held >>= 8) put_byte(b, (unsigned)held & 255);
  }
}

static unsigned width_of(uint32_t most) {
  unsigned width = 0;
  for (; most > 0; most >>= 1) width++;
  return width;
}

/* Which values are there: levels behind their length. */
static void put_levels(parquet_job *job, size_t count) {
  for (size_t i = 0; i < count; i++) job->indices[i] = job->values[i] != TDM_NONE;
  size_t before = job->page.used;
  put_fixed(&job->page, 0, 4);
  put_hybrid(&job->page, job->indices, count, 1);
  if (job->page.failed) return;
  size_t length = job->page.used - before - 4;
  for (size_t i = 0; i < 4; i++) job->page.at[before + i] = (unsigned char)(length >> (8 * i));
}

/* Gives each text that occurs a number, writes it into the dictionary; how many there are. */
static uint32_t number_texts(parquet_job *job, size_t count, size_t *there) {
  uint32_t texts = 0;
  *there = 0;
  memset(job->numbered, 0, job->sheet->text_count * sizeof *job->numbered);
  for (size_t i = 0; i < count; i++) {
    if (job->values[i] == TDM_NONE) continue;
    uint32_t *number = &job->numbered[job->values[i]];
    if (*number == 0) {
      *number = ++texts;
      size_t length;
      const char *text = job->sheet->text(job->sheet->of, (uint32_t)job->values[i], &length);
      char *mended = NULL;
      if (tdm_utf8_valid(text, length) != length) {
        mended = malloc(3 * length + 1);
        job->dictionary.failed = job->dictionary.failed || mended == NULL;
        if (mended != NULL) length = tdm_utf8_mend(text, length, mended);
      }
      put_fixed(&job->dictionary, length, 4);
      put(&job->dictionary, mended != NULL ? mended : text, length);
      free(mended);
    }
    job->indices[(*there)++] = *number - 1;
  }
  return texts;
}

static void put_page_head(parquet_job *job, int type, size_t length, size_t count, int encoding) {
  bytes *b = &job->head;
  b->used = 0;
  begin_struct(b);
  field_i32(b, 1, type);
  field_i32(b, 2, (int32_t)length);
  field_i32(b, 3, (int32_t)length);
  field_struct(b, type == PAGE_DATA ? 5 : 7);
  field_i32(b, 1, (int32_t)count);
  field_i32(b, 2, encoding);
  if (type == PAGE_DATA) {
    field_i32(b, 3, RLE);
    field_i32(b, 4, RLE);
  }
  end_struct(b);
  end_struct(b);
  write_bytes(job, b);
}

static void put_chunk(parquet_job *job, uint32_t c, size_t first, size_t count, chunk *made) {
  const tdm_sheet_column *column = &job->sheet->columns[c];
  bool is_text = column->type == TDM_COLUMN_TEXT;
  job->sheet->fill(job->sheet->of, c, first, count, job->values);
  job->page.used = job->dictionary.used = 0;
  int64_t begun = job->at;
  put_levels(job, count);
  if (is_text) {
    size_t there;
    uint32_t texts = number_texts(job, count, &there);
    unsigned width = texts > 1 ? width_of(texts - 1) : 1;
    put_byte(&job->page, width);
    put_hybrid(&job->page, job->indices, there, width);
    made->dictionary_offset = job->at;
    put_page_head(job, PAGE_DICTIONARY, job->dictionary.used, texts, PLAIN);
    write_bytes(job, &job->dictionary);
  } else {
    for (size_t i = 0; i < count; i++)
      if (job->values[i] != TDM_NONE) put(&job->page, &job->values[i], sizeof *job->values);
  }
  made->data_offset = job->at;
  put_page_head(job, PAGE_DATA, job->page.used, count, is_text ? RLE_DICTIONARY : PLAIN);
  write_bytes(job, &job->page);
  made->size = job->at - begun;
}

/* ---- the footer */

static void put_schema(parquet_job *job, uint32_t columns) {
  bytes *b = &job->metadata;
  field_list(b, 2, STRUCT, columns + 1);
  begin_struct(b);
  field_text(b, 4, "schema");
  field_i32(b, 5, (int32_t)columns);
  end_struct(b);
  for (uint32_t c = 0; c < columns; c++) {
    const tdm_sheet_column *column = &job->sheet->columns[c];
    begin_struct(b);
    field_i32(b, 1, type_of(column));
    field_i32(b, 3, 1); /* optional */
    field_text(b, 4, column->name);
    if (column->type == TDM_COLUMN_TEXT) {
      field_i32(b, 6, 0); /* UTF8 */
      field_struct(b, 10);
      field_struct(b, 1);
      end_struct(b);
      end_struct(b);
    }
    end_struct(b);
  }
}

static void put_column_metadata(parquet_job *job, uint32_t c, size_t count, const chunk *one) {
  bytes *b = &job->metadata;
  const tdm_sheet_column *column = &job->sheet->columns[c];
  bool is_text = column->type == TDM_COLUMN_TEXT;
  begin_struct(b);
  field_i64(b, 2, is_text ? one->dictionary_offset : one->data_offset);
  field_struct(b, 3);
  field_i32(b, 1, type_of(column));
  field_list(b, 2, I32, is_text ? 3 : 2);
  put_zigzag(b, PLAIN);
  put_zigzag(b, RLE);
  if (is_text) put_zigzag(b, RLE_DICTIONARY);
  field_list(b, 3, BINARY, 1);
  put_text(b, column->name);
  field_i32(b, 4, 0); /* not packed */
  field_i64(b, 5, (int64_t)count);
  field_i64(b, 6, one->size);
  field_i64(b, 7, one->size);
  field_i64(b, 9, one->data_offset);
  if (is_text) field_i64(b, 11, one->dictionary_offset);
  end_struct(b);
  end_struct(b);
}

static void put_footer(parquet_job *job) {
  bytes *b = &job->metadata;
  uint32_t columns = job->sheet->column_count;
  size_t rows = job->sheet->row_count;
  begin_struct(b);
  field_i32(b, 1, 1);
  put_schema(job, columns);
  field_i64(b, 3, (int64_t)rows);
  field_list(b, 4, STRUCT, job->groups);
  for (size_t g = 0; g < job->groups; g++) {
    size_t first = g * GROUP_ROWS, count = rows - first < GROUP_ROWS ? rows - first : GROUP_ROWS;
    int64_t size = 0;
    begin_struct(b);
    field_list(b, 1, STRUCT, columns);
    for (uint32_t c = 0; c < columns; c++) {
      put_column_metadata(job, c, count, &job->chunks[g * columns + c]);
      size += job->chunks[g * columns + c].size;
    }
    field_i64(b, 2, size);
    field_i64(b, 3, (int64_t)count);
    end_struct(b);
  }
  field_text(b, 6, "tandem");
  end_struct(b);
  size_t length = b->used;
  put_fixed(b, length, 4);
  put(b, "PAR1", 4);
  write_bytes(job, b);
}

/* ---- the whole */

static void put_all(parquet_job *job) {
  uint32_t columns = job->sheet->column_count;
  size_t rows = job->sheet->row_count;
  tdm_outfile_put(job->file, "PAR1", 4);
  job->at = 4;
  for (size_t g = 0; g < job->groups && job->file->failure == 0; g++) {
    size_t first = g * GROUP_ROWS, count = rows - first < GROUP_ROWS ? rows - first : GROUP_ROWS;
    for (uint32_t c = 0; c < columns; c++)
      put_chunk(job, c, first, count, &job->chunks[g * columns + c]);
  }
  put_footer(job);
}

tdm_status tdm_sheet_write_parquet(const tdm_sheet *sheet, const char *path, tdm_error *error) {
  size_t rows = sheet->row_count, most = rows < GROUP_ROWS ? rows : GROUP_ROWS;
  parquet_job job = {.sheet = sheet,
                     .file = malloc(sizeof *job.file),
                     .groups = (rows + GROUP_ROWS - 1) / GROUP_ROWS,
                     .values = tdm_array_new(most + 1, sizeof *job.values),
                     .indices = tdm_array_new(most + 1, sizeof *job.indices),
                     .numbered =
                         tdm_array_new((size_t)sheet->text_count + 1, sizeof *job.numbered)};
  job.chunks = tdm_array_new(job.groups * sheet->column_count + 1, sizeof *job.chunks);
  bool fits = job.file != NULL && job.values != NULL && job.indices != NULL &&
              job.numbered != NULL && job.chunks != NULL;
  tdm_status status = fits ? tdm_outfile_open(job.file, path, error)
                           : tdm_error_memory(error, "writing a table", sizeof *job.file);
  if (status == TDM_OK) {
    put_all(&job);
    status = tdm_outfile_commit(job.file, error);
  }
  free(job.page.at);
  free(job.dictionary.at);
  free(job.head.at);
  free(job.metadata.at);
  free(job.values);
  free(job.indices);
  free(job.numbered);
  free(job.chunks);
  free(job.file);
  return status;
}

static tdm_status write_parquet(const tdm_recording *recording, const char *path,
                                const tdm_write_options *options, tdm_error *error) {
  return tdm_recorded_sheet_write(recording, path, options, tdm_sheet_write_parquet, error);
}

const tdm_writer tdm_writer_parquet = {
    .name = "parquet", .title = "Parquet file", .ending = ".parquet", .write = write_parquet};
