/* Nsight Systems' HDF5 export as a source of tables (read/nsys/source.h): one compound dataset a
 * table at the root. It knows no NULL. Owns its cursors; the file is the caller's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "read/hdf5/hdf5.h"
#include "read/nsys/source.h"

enum { BATCH_ROWS = 16384 }; /* asked of the file at once: four of nsys's chunks */

/* What a column that is not there has in every row. */
typedef struct {
  int64_t integer[TDM_NSYS_BLOCK];
  double real[TDM_NSYS_BLOCK];
  tdm_nsys_text text[TDM_NSYS_BLOCK];
} nothing;

typedef struct {
  tdm_hdf5_file *file;
  const tdm_hdf5_table **tables;
  size_t count;
  nothing *nothing;
} export_file;

/* A column that was asked for. */
typedef struct {
  tdm_nsys_type type;
  int fetched; /* which column of the batch, -1: the table lacks it */
  tdm_hdf5_kind kind;
  void *own; /* [TDM_NSYS_BLOCK] values that are not in the batch as they are wanted; or NULL */
} wanted;

struct tdm_nsys_cursor {
  tdm_hdf5_file *file;
  nothing *nothing;
  const tdm_hdf5_table *table;
  wanted column[TDM_NSYS_COLUMNS];
  size_t columns;
  uint32_t fetch[TDM_NSYS_COLUMNS], fetched;
  tdm_hdf5_block batch;
  size_t taken;  /* rows of the batch that were handed out */
  uint64_t next; /* the row after the batch */
  tdm_nsys_values values[TDM_NSYS_COLUMNS];
};

/* ---- tables */

static const tdm_hdf5_table *find_table(const export_file *from, const char *name) {
  for (size_t i = 0; i < from->count; i++)
    if (strcasecmp(from->tables[i]->path, name) == 0) return from->tables[i];
  return NULL;
}

static int find_column(const tdm_hdf5_table *table, const char *name) {
  for (uint32_t i = 0; i < table->columns; i++)
    if (strcasecmp(table->column[i].name, name) == 0) return (int)i;
  return -1;
}

static size_t count_tables(void *context) {
  return ((export_file *)context)->count;
}

static const char *table_name(void *context, size_t index) {
  return ((export_file *)context)->tables[index]->path;
}

static bool has_table(void *context, const char *table) {
  return find_table(context, table) != NULL;
}

static bool has_column(void *context, const char *table, const char *column) {
  const tdm_hdf5_table *found = find_table(context, table);
  return found != NULL && find_column(found, column) >= 0;
}

static uint64_t count_rows(void *context, const char *table) {
  const tdm_hdf5_table *found = find_table(context, table);
  return found != NULL ? found->rows : 0;
}

/* ---- cursors */

static void close_cursor(tdm_nsys_cursor *cursor) {
  if (cursor == NULL) return;
  for (size_t i = 0; i < cursor->columns; i++) free(cursor->column[i].own);
  tdm_hdf5_block_free(&cursor->batch);
  free(cursor);
}

static bool usable(tdm_hdf5_kind kind, tdm_nsys_type type) {
  if (kind == TDM_HDF5_OTHER) return false;
  return (kind == TDM_HDF5_TEXT) == (type == TDM_NSYS_TEXT);
}

static bool is_direct(const wanted *column) {
  return column->fetched < 0 || (column->type == TDM_NSYS_INT && column->kind == TDM_HDF5_INT) ||
         (column->type == TDM_NSYS_REAL && column->kind == TDM_HDF5_REAL);
}

static tdm_status open_cursor(void *context, const char *table, const tdm_nsys_column *columns,
                              size_t count, tdm_nsys_cursor **out, tdm_error *error) {
  const export_file *from = context;
  *out = NULL;
  tdm_nsys_cursor *cursor = tdm_array_new(1, sizeof *cursor);
  if (cursor == NULL) return tdm_error_memory(error, "a cursor", sizeof *cursor);
  cursor->file = from->file;
  cursor->nothing = from->nothing;
  cursor->table = find_table(from, table);
  if (cursor->table == NULL || count > TDM_NSYS_COLUMNS) {
    close_cursor(cursor);
    return tdm_error_set(error, TDM_BUG, "nsys-hdf5: no table %s of %zu columns", table, count);
  }
  for (size_t i = 0; i < count; i++) {
    wanted *column = &cursor->column[cursor->columns++];
    int at = find_column(cursor->table, columns[i].name);
    *column = (wanted){.type = columns[i].type, .fetched = -1};
    if (at >= 0 && usable(cursor->table->column[at].kind, columns[i].type)) {
      column->kind = cursor->table->column[at].kind;
      column->fetched = (int)cursor->fetched;
      cursor->fetch[cursor->fetched++] = (uint32_t)at;
    }
    if (is_direct(column)) continue;
    column->own = tdm_array_new(TDM_NSYS_BLOCK, sizeof(tdm_nsys_text));
    if (column->own == NULL) {
      close_cursor(cursor);
      return tdm_error_memory(error, "a cursor", TDM_NSYS_BLOCK * sizeof(tdm_nsys_text));
    }
  }
  *out = cursor;
  return TDM_OK;
}

/* Points values[index] at `count` rows of the batch, converted where they are of another type. */
static void column_to_cursor(tdm_nsys_cursor *cursor, size_t index, size_t count) {
  const wanted *column = &cursor->column[index];
  tdm_nsys_values *values = &cursor->values[index];
  size_t from = cursor->taken;
  int at = column->fetched;
  if (column->type == TDM_NSYS_TEXT) {
    values->text = at < 0 ? cursor->nothing->text : column->own;
    for (size_t i = 0; at >= 0 && i < count; i++) {
      const tdm_hdf5_text *text = &cursor->batch.column[at].text[from + i];
      values->text[i] = (tdm_nsys_text){text->bytes, text->length};
    }
  } else if (column->type == TDM_NSYS_INT) {
    values->integer = at < 0                ? cursor->nothing->integer
                      : column->own == NULL ? cursor->batch.column[at].integer + from
                                            : column->own;
    for (size_t i = 0; column->own != NULL && i < count; i++)
      values->integer[i] = tdm_nsys_whole(cursor->batch.column[at].real[from + i]);
  } else {
    values->real = at < 0                ? cursor->nothing->real
                   : column->own == NULL ? cursor->batch.column[at].real + from
                                         : column->own;
    for (size_t i = 0; column->own != NULL && i < count; i++)
      values->real[i] = (double)cursor->batch.column[at].integer[from + i];
  }
}

static tdm_status next_batch(tdm_nsys_cursor *cursor, tdm_error *error) {
  cursor->taken = 0;
  if (cursor->fetched == 0) return TDM_OK; /* without a column there are no rows to tell of */
  tdm_status status = tdm_hdf5_rows(cursor->file, cursor->table, cursor->fetch, cursor->fetched,
                                    cursor->next, BATCH_ROWS, &cursor->batch, error);
  if (status != TDM_OK) return status;
  cursor->next += cursor->batch.count;
  return TDM_OK;
}

static tdm_status next_rows(tdm_nsys_cursor *cursor, tdm_nsys_block *block, tdm_error *error) {
  *block = (tdm_nsys_block){.column = cursor->values};
  if (cursor->taken == cursor->batch.count) {
    tdm_status status = next_batch(cursor, error);
    if (status != TDM_OK) return status;
  }
  size_t left = cursor->batch.count - cursor->taken;
  block->count = left < TDM_NSYS_BLOCK ? left : TDM_NSYS_BLOCK;
  for (size_t i = 0; block->count > 0 && i < cursor->columns; i++)
    column_to_cursor(cursor, i, block->count);
  cursor->taken += block->count;
  return TDM_OK;
}

/* ---- the source */

static int make_source(tdm_hdf5_file *file, const char *path, export_file *from,
                       tdm_nsys_source *source) {
  size_t count = tdm_hdf5_tables(file);
  *from = (export_file){.file = file, .tables = tdm_array_new(count, sizeof *from->tables)};
  if (from->tables == NULL) return 0;
  for (size_t i = 0; i < count; i++) {
    const tdm_hdf5_table *table = tdm_hdf5_table_at(file, i);
    if (strchr(table->path, '/') == NULL && table->column[0].name[0] != 0)
      from->tables[from->count++] = table;
  }
  *source = (tdm_nsys_source){.context = from,
                              .path = path,
                              .nulls = false,
                              .tables = count_tables,
                              .table = table_name,
                              .has_table = has_table,
                              .has_column = has_column,
                              .rows = count_rows,
                              .open = open_cursor,
                              .next = next_rows,
                              .close = close_cursor};
  return 1;
}

bool tdm_nsys_hdf5_is(tdm_hdf5_file *file, const char *path) {
  export_file from;
  tdm_nsys_source source;
  bool is = make_source(file, path, &from, &source) && tdm_nsys_is_export(&source);
  free(from.tables);
  return is;
}

tdm_status tdm_nsys_hdf5_read(tdm_hdf5_file *file, const char *path,
                              const tdm_read_options *options, tdm_recorder *recorder,
                              tdm_error *error) {
  export_file from;
  tdm_nsys_source source;
  if (!make_source(file, path, &from, &source))
    return tdm_error_memory(error, "the tables of an HDF5 file", 0);
  from.nothing = tdm_array_new(1, sizeof *from.nothing);
  tdm_status status = from.nothing != NULL
                          ? TDM_OK
                          : tdm_error_memory(error, "an HDF5 export", sizeof *from.nothing);
  for (size_t i = 0; status == TDM_OK && i < TDM_NSYS_BLOCK; i++) {
    from.nothing->integer[i] = TDM_NONE;
    from.nothing->real[i] = NAN;
  }
  if (status == TDM_OK) status = tdm_nsys_read(&source, options, recorder, error);
  free(from.nothing);
  free(from.tables);
  return status;
}
