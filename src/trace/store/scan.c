/* See scan.h. */
#include "trace/store/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/chunk.h"
#include "trace/store/pages.h"

struct tdm_scan {
  sqlite3 *database;
  tdm_run_tables *tables;
  tdm_scan_filter filter;
  sqlite3_stmt *chunks, *data;
  tdm_unpacker *unpacker;
  int64_t *column[TDM_CHUNK_COLUMNS];     /* allocated when first wanted */
  unsigned char fresh[TDM_CHUNK_COLUMNS]; /* whether it holds the present chunk */
  uint32_t layout, source, columns;
  int64_t first_row, offset_ns;
  size_t rows;
};

static _Thread_local struct {
  void (*tell)(void *context, int64_t run, size_t rows);
  void *context;
} watcher;

void tdm_scan_watch(void (*tell)(void *context, int64_t run, size_t rows), void *context) {
  watcher.tell = tell;
  watcher.context = context;
}

static tdm_status cannot_read(const tdm_scan *scan, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot read the store: %s",
                       tdm_pages_reason(scan->database));
}

tdm_status tdm_scan_open(sqlite3 *database, tdm_run_tables *tables, const tdm_scan_filter *filter,
                         tdm_scan **out, tdm_error *error) {
  *out = NULL;
  tdm_scan *scan = tdm_array_new(1, sizeof *scan);
  if (scan == NULL) return tdm_error_memory(error, "a scan", sizeof *scan);
  scan->database = database;
  scan->tables = tables;
  scan->filter = *filter;
  scan->unpacker = tdm_unpacker_new();
  int64_t first = INT64_MIN, last = INT64_MAX;
  tdm_status status = scan->unpacker != NULL ? TDM_OK : tdm_error_memory(error, "a scan", 0);
  if (status == TDM_OK && filter->source != TDM_NONE)
    status = tdm_run_tables_chunks(tables, filter->source, &first, &last, error);
  if (status == TDM_OK &&
      (sqlite3_prepare_v2(database,
                          "SELECT id, layout, source, first_row, rows, first_ns, last_ns,"
                          " first_track, last_track FROM chunk WHERE run = ?1"
                          " AND id BETWEEN ?2 AND ?3 ORDER BY id",
                          -1, &scan->chunks, NULL) != SQLITE_OK ||
       sqlite3_prepare_v2(database, "SELECT data FROM chunk_data WHERE id = ?1", -1, &scan->data,
                          NULL) != SQLITE_OK ||
       sqlite3_bind_int64(scan->chunks, 1, tdm_run_tables_run(tables)) != SQLITE_OK ||
       sqlite3_bind_int64(scan->chunks, 2, first) != SQLITE_OK ||
       sqlite3_bind_int64(scan->chunks, 3, last) != SQLITE_OK))
    status = cannot_read(scan, error);
  if (status == TDM_OK)
    *out = scan;
  else
    tdm_scan_close(scan);
  return status;
}

void tdm_scan_close(tdm_scan *scan) {
  if (scan == NULL) return;
  sqlite3_finalize(scan->chunks);
  sqlite3_finalize(scan->data);
  tdm_unpacker_free(scan->unpacker);
  for (uint32_t i = 0; i < TDM_CHUNK_COLUMNS; i++) free(scan->column[i]);
  free(scan);
}

int64_t tdm_scan_shifted(int64_t time_ns, int64_t offset_ns) {
  int64_t sum;
  if (!__builtin_add_overflow(time_ns, offset_ns, &sum)) return sum;
  return offset_ns < 0 ? INT64_MIN : INT64_MAX;
}

static tdm_status damaged(tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "a chunk of the store is damaged");
}

/* Whether the chunk of the present row of `chunks` may hold a wanted row; -1: it has no layout. */
static int wanted(tdm_scan *scan) {
  const tdm_scan_filter *filter = &scan->filter;
  sqlite3_stmt *row = scan->chunks;
  int64_t layout_id = sqlite3_column_int64(row, 1), source_id = sqlite3_column_int64(row, 2);
  const tdm_layout *layout = tdm_run_tables_layout(scan->tables, layout_id);
  if (layout == NULL) return -1;
  if (filter->source != TDM_NONE && filter->source != source_id) return 0;
  if (!(filter->shapes >> layout->shape & 1)) return 0;
  if (filter->category != NULL && strcmp(layout->category, filter->category) != 0) return 0;
  const tdm_source *source = tdm_run_tables_source(scan->tables, source_id);
  scan->offset_ns = source != NULL ? source->offset_ns : 0;
  if (tdm_scan_shifted(sqlite3_column_int64(row, 6), scan->offset_ns) < filter->from_ns) return 0;
  if (tdm_scan_shifted(sqlite3_column_int64(row, 5), scan->offset_ns) > filter->to_ns) return 0;
  if (filter->track != TDM_NONE && (filter->track < sqlite3_column_int64(row, 7) ||
                                    filter->track > sqlite3_column_int64(row, 8)))
    return 0;
  scan->layout = (uint32_t)layout_id;
  scan->source = (uint32_t)source_id;
  scan->columns = TDM_ARGS + layout->args;
  scan->first_row = sqlite3_column_int64(row, 3);
  return 1;
}

tdm_status tdm_scan_rows(tdm_scan *scan, size_t *rows, tdm_error *error) {
  *rows = 0;
  int code;
  while ((code = sqlite3_step(scan->chunks)) == SQLITE_ROW) {
    int64_t count = sqlite3_column_int64(scan->chunks, 4);
    if (count > 0 && wanted(scan) > 0)
      *rows += count < TDM_CHUNK_ROWS ? (size_t)count : TDM_CHUNK_ROWS;
  }
  sqlite3_reset(scan->chunks);
  return code == SQLITE_DONE ? TDM_OK : cannot_read(scan, error);
}

static tdm_status open_chunk(tdm_scan *scan, int64_t id, size_t *rows, tdm_error *error) {
  sqlite3_reset(scan->data);
  sqlite3_bind_int64(scan->data, 1, id);
  int code = sqlite3_step(scan->data);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return cannot_read(scan, error);
  uint32_t columns = 0;
  tdm_status status = tdm_unpack_open(
      scan->unpacker, sqlite3_column_blob(scan->data, 0),
      code == SQLITE_ROW ? (size_t)sqlite3_column_bytes(scan->data, 0) : 0, &columns, rows, error);
  int64_t told = sqlite3_column_int64(scan->chunks, 4);
  if (status == TDM_OK && (columns != scan->columns || told < 0 || (uint64_t)told != *rows))
    status = damaged(error);
  return status;
}

tdm_status tdm_scan_next(tdm_scan *scan, size_t *rows, tdm_error *error) {
  *rows = 0;
  tdm_status sound = tdm_run_tables_sound(scan->tables, error);
  if (sound != TDM_OK) return sound;
  int code;
  while ((code = sqlite3_step(scan->chunks)) == SQLITE_ROW) {
    int how = wanted(scan);
    if (how < 0) return damaged(error);
    if (how == 0) continue;
    memset(scan->fresh, 0, sizeof scan->fresh);
    tdm_status status = open_chunk(scan, sqlite3_column_int64(scan->chunks, 0), rows, error);
    scan->rows = *rows;
    if (watcher.tell != NULL)
      watcher.tell(watcher.context, tdm_run_tables_run(scan->tables), *rows);
    return status;
  }
  return code == SQLITE_DONE ? TDM_OK : cannot_read(scan, error);
}

uint32_t tdm_scan_layout(const tdm_scan *scan) {
  return scan->layout;
}
uint32_t tdm_scan_source(const tdm_scan *scan) {
  return scan->source;
}
int64_t tdm_scan_first_row(const tdm_scan *scan) {
  return scan->first_row;
}

const int64_t *tdm_scan_column(tdm_scan *scan, uint32_t column, tdm_error *error) {
  if (scan->fresh[column]) return scan->column[column];
  if (scan->column[column] == NULL) scan->column[column] = malloc(TDM_CHUNK_ROWS * sizeof(int64_t));
  if (scan->column[column] == NULL) {
    tdm_error_memory(error, "a column", TDM_CHUNK_ROWS * sizeof(int64_t));
    return NULL;
  }
  int64_t *out = scan->column[column];
  if (tdm_unpack(scan->unpacker, column, out, error) != TDM_OK) return NULL;
  if (column == TDM_START && scan->offset_ns != 0)
    for (size_t i = 0; i < scan->rows; i++) out[i] = tdm_scan_shifted(out[i], scan->offset_ns);
  scan->fresh[column] = 1;
  return out;
}
