/* The writer of Arrow's IPC file format (Feather v2): any sheet as typed columns.
 *
 * Columns are sheet.h's. Texts are indices into one dictionary, written once. What is not there is
 * null. Batches hold 65,536 rows. Not in it: arguments without a column of their own (told as a
 * note), facts, metrics, artifacts. Owns nothing beyond the call. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/outfile.h"
#include "trace/utf8.h"
#include "write/flatbuffer.h"
#include "write/recorded_sheet.h"

enum {
  BATCH_ROWS = 65536,
  ALIGNMENT = 64,
  VERSION_5 = 4,
  HEADER_SCHEMA = 1,
  HEADER_DICTIONARY = 2,
  HEADER_BATCH = 3,
  TYPE_INT = 2,
  TYPE_FLOAT = 3,
  TYPE_UTF8 = 5,
  PRECISION_DOUBLE = 2,
  TEXTS = 0, /* the dictionary's number */
  BLOCK_BYTES = 24
};

typedef struct {
  int64_t offset, body_bytes;
  int32_t head_bytes;
} block;

typedef struct {
  int64_t offset, length;
} buffer;

typedef struct {
  const tdm_sheet *sheet;
  tdm_outfile *file;
  int64_t at; /* bytes written */
  block *blocks;
  size_t blocks_count, blocks_room;
  block dictionary;
  buffer *buffers; /* of a batch: two a column */
  int64_t *nulls;  /* of a batch, by column */
  int64_t *values; /* [columns][BATCH_ROWS] */
  tdm_flatbuffer flat;
} arrow_job;

/* ---- bytes */

static void put(arrow_job *job, const void *bytes, size_t length) {
  tdm_outfile_put(job->file, bytes, length);
  job->at += (int64_t)length;
}

static void put_number(arrow_job *job, uint32_t value) {
  unsigned char bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
  put(job, bytes, sizeof bytes);
}

static void pad(arrow_job *job, int64_t alignment) {
  static const char zeros[ALIGNMENT];
  int64_t over = job->at % alignment;
  if (over != 0) put(job, zeros, (size_t)(alignment - over));
}

static int64_t padded(int64_t length) {
  return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void out_of_memory(arrow_job *job) {
  if (job->file->failure == 0) job->file->failure = ENOMEM;
}

/* ---- metadata */

static uint32_t put_int_type(tdm_flatbuffer *flat, int32_t bits) {
  tdm_flat_table_begin(flat);
  tdm_flat_field(flat, 0, bits, 4);
  tdm_flat_field(flat, 1, 1, 1); /* signed */
  return tdm_flat_table_end(flat);
}

static uint32_t put_field(tdm_flatbuffer *flat, const tdm_sheet_column *column) {
  uint32_t name = tdm_flat_text(flat, column->name);
  uint32_t children = tdm_flat_offsets(flat, NULL, 0);
  uint32_t type, dictionary = 0;
  int kind = TYPE_INT;
  if (column->type == TDM_COLUMN_INT) {
    type = put_int_type(flat, 64);
  } else if (column->type == TDM_COLUMN_REAL) {
    kind = TYPE_FLOAT;
    tdm_flat_table_begin(flat);
    tdm_flat_field(flat, 0, PRECISION_DOUBLE, 2);
    type = tdm_flat_table_end(flat);
  } else {
    kind = TYPE_UTF8;
    tdm_flat_table_begin(flat);
    type = tdm_flat_table_end(flat);
    uint32_t index = put_int_type(flat, 32);
    tdm_flat_table_begin(flat);
    tdm_flat_field(flat, 0, TEXTS, 8);
    tdm_flat_field_offset(flat, 1, index);
    dictionary = tdm_flat_table_end(flat);
  }
  tdm_flat_table_begin(flat);
  tdm_flat_field_offset(flat, 0, name);
  tdm_flat_field_offset(flat, 3, type);
  if (dictionary != 0) tdm_flat_field_offset(flat, 4, dictionary);
  tdm_flat_field_offset(flat, 5, children);
  tdm_flat_field(flat, 1, column->optional, 1);
  tdm_flat_field(flat, 2, kind, 1);
  return tdm_flat_table_end(flat);
}

static uint32_t put_schema(const arrow_job *job, tdm_flatbuffer *flat) {
  uint32_t count = job->sheet->column_count;
  uint32_t *fields = tdm_array_new(count, sizeof *fields);
  if (fields == NULL) {
    flat->failed = true;
    return 0;
  }
  /* Backwards, as the buffer grows: the first columns, which a reader knows it by, come first. */
  for (uint32_t i = count; i > 0; i--) fields[i - 1] = put_field(flat, &job->sheet->columns[i - 1]);
  uint32_t list = tdm_flat_offsets(flat, fields, count);
  free(fields);
  tdm_flat_table_begin(flat);
  tdm_flat_field_offset(flat, 1, list);
  tdm_flat_field(flat, 0, 0, 2); /* little-endian */
  return tdm_flat_table_end(flat);
}

static uint32_t put_batch(tdm_flatbuffer *flat, int64_t rows, const int64_t *nulls, uint32_t nodes,
                          const buffer *buffers, uint32_t buffer_count) {
  tdm_flat_vector_begin(flat, 16, buffer_count, 8);
  for (uint32_t i = buffer_count; i > 0; i--) {
    tdm_flat_number(flat, buffers[i - 1].length, 8);
    tdm_flat_number(flat, buffers[i - 1].offset, 8);
  }
  uint32_t list = tdm_flat_vector_end(flat, buffer_count);
  tdm_flat_vector_begin(flat, 16, nodes, 8);
  for (uint32_t i = nodes; i > 0; i--) {
    tdm_flat_number(flat, nulls != NULL ? nulls[i - 1] : 0, 8);
    tdm_flat_number(flat, rows, 8);
  }
  uint32_t node_list = tdm_flat_vector_end(flat, nodes);
  tdm_flat_table_begin(flat);
  tdm_flat_field(flat, 0, rows, 8);
  tdm_flat_field_offset(flat, 1, node_list);
  tdm_flat_field_offset(flat, 2, list);
  return tdm_flat_table_end(flat);
}

/* Writes the head of a message; its body follows at an aligned place. */
static block put_message(arrow_job *job, int kind, uint32_t header, int64_t body_bytes) {
  tdm_flatbuffer *flat = &job->flat;
  tdm_flat_table_begin(flat);
  tdm_flat_field(flat, 3, body_bytes, 8);
  tdm_flat_field_offset(flat, 2, header);
  tdm_flat_field(flat, 0, VERSION_5, 2);
  tdm_flat_field(flat, 1, kind, 1);
  uint32_t root = tdm_flat_table_end(flat);
  size_t length;
  const unsigned char *bytes = tdm_flat_finish(flat, root, &length);
  block made = {.offset = job->at, .body_bytes = body_bytes};
  if (bytes == NULL) {
    out_of_memory(job);
  } else {
    int64_t end = padded(job->at + 8 + (int64_t)length);
    put_number(job, 0xFFFFFFFF);
    put_number(job, (uint32_t)(end - job->at - 4));
    put(job, bytes, length);
    pad(job, ALIGNMENT);
    made.head_bytes = (int32_t)(job->at - made.offset);
  }
  tdm_flat_free(flat);
  return made;
}

/* ---- the dictionary */

/* A text as UTF-8; *owned is to be freed where it had to be mended. */
static const char *utf8_of(const tdm_sheet *sheet, uint32_t number, size_t *length, char **owned) {
  const char *text = sheet->text(sheet->of, number, length);
  *owned = NULL;
  if (tdm_utf8_valid(text, *length) == *length) return text;
  *owned = malloc(3 * *length + 1);
  if (*owned == NULL) return NULL;
  *length = tdm_utf8_mend(text, *length, *owned);
  return *owned;
}

static tdm_status put_dictionary(arrow_job *job, tdm_error *error) {
  uint32_t count = job->sheet->text_count;
  int32_t *offsets = tdm_array_new((size_t)count + 1, sizeof *offsets);
  if (offsets == NULL) return tdm_error_memory(error, "the texts of a table", count);
  int64_t total = 0;
  size_t length;
  char *owned;
  for (uint32_t i = 0; i < count && total <= INT32_MAX; i++) {
    if (utf8_of(job->sheet, i, &length, &owned) == NULL) out_of_memory(job);
    free(owned);
    total += (int64_t)length;
    offsets[i + 1] = (int32_t)total;
  }
  if (total > INT32_MAX) {
    free(offsets);
    return tdm_error_set(error, TDM_INVALID, "arrow: the names of this run are longer than 2 GiB");
  }
  int64_t offset_bytes = ((int64_t)count + 1) * 4;
  buffer buffers[] = {{0, 0}, {0, offset_bytes}, {padded(offset_bytes), total}};
  uint32_t data = put_batch(&job->flat, count, NULL, 1, buffers, 3);
  tdm_flat_table_begin(&job->flat);
  tdm_flat_field(&job->flat, 0, TEXTS, 8);
  tdm_flat_field_offset(&job->flat, 1, data);
  uint32_t header = tdm_flat_table_end(&job->flat);
  job->dictionary =
      put_message(job, HEADER_DICTIONARY, header, padded(offset_bytes) + padded(total));
  put(job, offsets, (size_t)offset_bytes);
  pad(job, ALIGNMENT);
  free(offsets);
  for (uint32_t i = 0; i < count && job->file->failure == 0; i++) {
    const char *text = utf8_of(job->sheet, i, &length, &owned);
    if (text == NULL)
      out_of_memory(job);
    else
      put(job, text, length);
    free(owned);
  }
  pad(job, ALIGNMENT);
  return TDM_OK;
}

/* ---- batches */

/* Where each column's bytes will be, and how many nulls it has; the length of the body. */
static int64_t lay_out(arrow_job *job, size_t first, size_t count) {
  int64_t at = 0;
  for (uint32_t c = 0; c < job->sheet->column_count; c++) {
    const tdm_sheet_column *column = &job->sheet->columns[c];
    int64_t *values = job->values + (size_t)c * BATCH_ROWS;
    job->sheet->fill(job->sheet->of, c, first, count, values);
    job->nulls[c] = 0;
    for (size_t i = 0; i < count; i++) job->nulls[c] += values[i] == TDM_NONE;
    int64_t bits = job->nulls[c] > 0 ? (int64_t)(count + 7) / 8 : 0;
    int64_t size = column->type == TDM_COLUMN_TEXT ? 4 : 8;
    job->buffers[2 * c] = (buffer){at, bits};
    at += padded(bits);
    job->buffers[2 * c + 1] = (buffer){at, (int64_t)count * size};
    at += padded((int64_t)count * size);
  }
  return at;
}

static void put_column(arrow_job *job, uint32_t c, size_t count) {
  static const int64_t none = 0;
  bool narrow = job->sheet->columns[c].type == TDM_COLUMN_TEXT;
  const int64_t *values = job->values + (size_t)c * BATCH_ROWS;
  for (size_t i = 0; job->nulls[c] > 0 && i < count; i += 8) {
    unsigned char bits = 0;
    for (size_t k = 0; k < 8 && i + k < count; k++)
      if (values[i + k] != TDM_NONE) bits = (unsigned char)(bits | 1U << k);
    put(job, &bits, 1);
  }
  pad(job, ALIGNMENT);
  for (size_t i = 0; i < count; i++) {
    const int64_t *value = values[i] != TDM_NONE ? &values[i] : &none;
    put(job, value, narrow ? 4 : 8); /* little-endian, as the machines that this runs on */
  }
  pad(job, ALIGNMENT);
}

static bool put_rows(arrow_job *job) {
  uint32_t columns = job->sheet->column_count;
  size_t rows = job->sheet->row_count;
  for (size_t first = 0; first < rows && job->file->failure == 0; first += BATCH_ROWS) {
    size_t count = rows - first < BATCH_ROWS ? rows - first : BATCH_ROWS;
    if (!tdm_array_grow(&job->blocks, &job->blocks_room, job->blocks_count + 1,
                        sizeof *job->blocks))
      return false;
    int64_t body = lay_out(job, first, count);
    uint32_t header =
        put_batch(&job->flat, (int64_t)count, job->nulls, columns, job->buffers, 2 * columns);
    job->blocks[job->blocks_count++] = put_message(job, HEADER_BATCH, header, body);
    for (uint32_t c = 0; c < columns; c++) put_column(job, c, count);
  }
  return true;
}

static uint32_t put_blocks(tdm_flatbuffer *flat, const block *blocks, size_t count) {
  tdm_flat_vector_begin(flat, BLOCK_BYTES, count, 8);
  for (size_t i = count; i > 0; i--) {
    tdm_flat_number(flat, blocks[i - 1].body_bytes, 8);
    tdm_flat_number(flat, 0, 4);
    tdm_flat_number(flat, blocks[i - 1].head_bytes, 4);
    tdm_flat_number(flat, blocks[i - 1].offset, 8);
  }
  return tdm_flat_vector_end(flat, count);
}

static void put_footer(arrow_job *job) {
  static const char magic[] = "ARROW1";
  tdm_flatbuffer *flat = &job->flat;
  put_number(job, 0xFFFFFFFF);
  put_number(job, 0);
  uint32_t batches = put_blocks(flat, job->blocks, job->blocks_count);
  uint32_t dictionaries = put_blocks(flat, &job->dictionary, 1);
  uint32_t schema = put_schema(job, flat);
  tdm_flat_table_begin(flat);
  tdm_flat_field_offset(flat, 1, schema);
  tdm_flat_field_offset(flat, 2, dictionaries);
  tdm_flat_field_offset(flat, 3, batches);
  tdm_flat_field(flat, 0, VERSION_5, 2);
  uint32_t root = tdm_flat_table_end(flat);
  size_t length;
  const unsigned char *bytes = tdm_flat_finish(flat, root, &length);
  if (bytes == NULL)
    out_of_memory(job);
  else
    put(job, bytes, length);
  put_number(job, (uint32_t)length);
  put(job, magic, sizeof magic - 1);
  tdm_flat_free(flat);
}

/* ---- the whole */

static tdm_status put_all(arrow_job *job, tdm_error *error) {
  put(job, "ARROW1\0\0", 8);
  (void)put_message(job, HEADER_SCHEMA, put_schema(job, &job->flat), 0);
  tdm_status status = put_dictionary(job, error);
  if (status != TDM_OK) return status;
  if (!put_rows(job)) return tdm_error_memory(error, "the batches of a table", 0);
  put_footer(job);
  return TDM_OK;
}

tdm_status tdm_sheet_write_arrow(const tdm_sheet *sheet, const char *path, tdm_error *error) {
  uint32_t columns = sheet->column_count;
  arrow_job job = {.sheet = sheet,
                   .file = malloc(sizeof *job.file),
                   .buffers = tdm_array_new(2 * (size_t)columns, sizeof *job.buffers),
                   .nulls = tdm_array_new(columns, sizeof *job.nulls),
                   .values = tdm_array_new((size_t)columns * BATCH_ROWS, sizeof *job.values)};
  bool fits = job.file != NULL && job.buffers != NULL && job.nulls != NULL && job.values != NULL;
  tdm_status status = fits ? tdm_outfile_open(job.file, path, error)
                           : tdm_error_memory(error, "writing a table", sizeof *job.file);
  if (status == TDM_OK) {
    status = put_all(&job, error);
    if (status == TDM_OK)
      status = tdm_outfile_commit(job.file, error);
    else
      tdm_outfile_abort(job.file);
  }
  free(job.blocks);
  free(job.buffers);
  free(job.nulls);
  free(job.values);
  free(job.file);
  return status;
}

static tdm_status write_arrow(const tdm_recording *recording, const char *path,
                              const tdm_write_options *options, tdm_error *error) {
  return tdm_recorded_sheet_write(recording, path, options, tdm_sheet_write_arrow, error);
}

const tdm_writer tdm_writer_arrow = {
    .name = "arrow", .title = "Arrow IPC file", .ending = ".arrow", .write = write_arrow};
