/* Small columns of an HDF5 file read whole: the tables of /meta and tables of names; see inside.h.
 */
#include "read/hdf5/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/layout.h"

enum {
  BLOCK_ROWS = 32768,
  TEXT_ROWS = 4096,      /* of texts, of which an answer has 256 MiB at most */
  MISSING_ROWS = 1 << 24 /* of a column that is not there: that its table is so long is a claim */
};

void tdm_hdf5_texts_free(tdm_hdf5_texts *texts) {
  free(texts->bytes);
  free(texts->offset);
  *texts = (tdm_hdf5_texts){0};
}

static int keep_texts(tdm_hdf5_texts *texts, size_t *used, size_t *room, const tdm_hdf5_text *from,
                      size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!tdm_array_grow(&texts->bytes, room, *used + from[i].length + 1, 1)) return 0;
    texts->offset[texts->count++] = *used;
    memcpy(texts->bytes + *used, from[i].bytes, from[i].length);
    *used += from[i].length;
    texts->bytes[(*used)++] = 0;
  }
  return 1;
}

tdm_status tdm_hdf5_load_texts(tdm_hdf5_file *file, const tdm_hdf5_table *table,
                               tdm_hdf5_texts *texts, tdm_error *error) {
  tdm_hdf5_block block = {0};
  size_t used = 0, room = 0, offset_room = 0;
  tdm_status status = TDM_OK;
  *texts = (tdm_hdf5_texts){0};
  int kept = 1;
  for (uint64_t at = 0; kept && status == TDM_OK && at < table->rows; at += block.count) {
    status = tdm_hdf5_rows(file, table, &(uint32_t){0}, 1, at, TEXT_ROWS, &block, error);
    if (status == TDM_OK)
      kept = tdm_array_grow(&texts->offset, &offset_room, texts->count + block.count,
                            sizeof *texts->offset) &&
             keep_texts(texts, &used, &room, block.column[0].text, block.count);
  }
  tdm_hdf5_block_free(&block);
  if (!kept) status = tdm_error_memory(error, "texts", used);
  if (status != TDM_OK) tdm_hdf5_texts_free(texts);
  return status;
}

int64_t tdm_hdf5_absent(const tdm_hdf5_file *file, const tdm_hdf5_table *table) {
  const tdm_hdf5_attribute *note = tdm_hdf5_note(file, table->path, TDM_HDF5_ABSENT);
  return note != NULL && note->kind == TDM_HDF5_INT ? note->integer : TDM_NONE;
}

/* ---- tables of /meta */

static const tdm_hdf5_table *find(const tdm_hdf5_sheet *sheet, const char *column) {
  char path[128];
  snprintf(path, sizeof path, "meta/%s/%s", sheet->table, column);
  return tdm_hdf5_find(sheet->file, path);
}

void tdm_hdf5_sheet_begin(tdm_hdf5_sheet *sheet, const char *table, const char *key) {
  sheet->table = table;
  const tdm_hdf5_table *found = find(sheet, key);
  sheet->count = found != NULL ? (size_t)found->rows : 0;
}

/* NULL: not there, which is no failure, or not as it must be, which is one. */
static const tdm_hdf5_table *usable(tdm_hdf5_sheet *sheet, const char *column, tdm_hdf5_kind kind) {
  const tdm_hdf5_table *table = sheet->status == TDM_OK ? find(sheet, column) : NULL;
  if (table == NULL) return NULL;
  if (table->column[0].kind == kind && table->rows == sheet->count) return table;
  sheet->status =
      tdm_error_set(sheet->error, TDM_INVALID, "%s: damaged HDF5 file: %s is not as its table is",
                    sheet->path, table->path);
  return NULL;
}

/* Columns of 8 bytes a row. Memory is taken as rows come, whatever the table claims. */
static void *load_numbers(tdm_hdf5_sheet *sheet, const tdm_hdf5_table *table) {
  tdm_hdf5_block block = {0};
  int64_t *values = NULL;
  size_t room = 0, first = table != NULL || sheet->count > MISSING_ROWS ? 1 : sheet->count;
  if (!tdm_array_grow(&values, &room, first, sizeof *values))
    sheet->status = tdm_error_memory(sheet->error, "a column", sheet->count);
  if (table == NULL && sheet->count > MISSING_ROWS)
    sheet->status =
        tdm_error_set(sheet->error, TDM_INVALID, "%s: damaged HDF5 file: meta/%s lacks columns",
                      sheet->path, sheet->table);
  for (uint64_t at = 0; table != NULL && sheet->status == TDM_OK && at < table->rows;
       at += block.count) {
    sheet->status =
        tdm_hdf5_rows(sheet->file, table, &(uint32_t){0}, 1, at, BLOCK_ROWS, &block, sheet->error);
    if (sheet->status != TDM_OK) break;
    if (tdm_array_grow(&values, &room, (size_t)at + block.count, sizeof *values))
      memcpy(values + at, block.column[0].integer, block.count * sizeof *values);
    else
      sheet->status = tdm_error_memory(sheet->error, "a column", sheet->count);
  }
  tdm_hdf5_block_free(&block);
  if (sheet->status == TDM_OK) return values;
  free(values);
  return NULL;
}

int64_t *tdm_hdf5_sheet_integers(tdm_hdf5_sheet *sheet, const char *column) {
  const tdm_hdf5_table *table = usable(sheet, column, TDM_HDF5_INT);
  if (sheet->status != TDM_OK) return NULL;
  int64_t *values = load_numbers(sheet, table);
  int64_t absent = table != NULL ? tdm_hdf5_absent(sheet->file, table) : 0;
  for (size_t i = 0; values != NULL && i < sheet->count; i++)
    if (table == NULL || values[i] == absent) values[i] = TDM_NONE;
  return values;
}

double *tdm_hdf5_sheet_reals(tdm_hdf5_sheet *sheet, const char *column) {
  const tdm_hdf5_table *table = usable(sheet, column, TDM_HDF5_REAL);
  if (sheet->status != TDM_OK) return NULL;
  double *values = load_numbers(sheet, table);
  for (size_t i = 0; values != NULL && table == NULL && i < sheet->count; i++) values[i] = NAN;
  return values;
}

tdm_hdf5_texts tdm_hdf5_sheet_texts(tdm_hdf5_sheet *sheet, const char *column) {
  tdm_hdf5_texts texts = {0};
  const tdm_hdf5_table *table = usable(sheet, column, TDM_HDF5_TEXT);
  if (table != NULL) sheet->status = tdm_hdf5_load_texts(sheet->file, table, &texts, sheet->error);
  return texts;
}
