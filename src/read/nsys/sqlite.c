/* The SQLite export of Nsight Systems as a source of tables, and its reader. See source.h.
 *
 * SQLite opens the file (read-only), knows its schema and holds a read lock; the rows come from the
 * pages themselves (sqlite.h) where the file is plain, from SQLite's statements where it is
 * not: a write-ahead log, another encoding, a table without row ids. Other SQLite files are refused
 * by what they are. */
#include "read/nsys/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/sqlite_file.h"

#define MAGIC             "SQLite format 3" /* and its NUL */
#define STORE_APPLICATION 0x54444d53        /* tandem's own files: trace/store/store.h */

typedef struct {
  char *name;
  int64_t root;
  bool looked, direct; /* direct: its pages may be read without SQLite */
  char **columns;
  size_t column_count;
  int rowid;
  uint64_t rows;
} sqlite_table;

typedef struct {
  sqlite3 *database;
  const char *path; /* for messages */
  int fd;           /* -1: everything through SQLite */
  sqlite_table *tables;
  size_t count, room;
  tdm_error failure; /* of memory or the disk, in what tells no status: the file is not read then */
} sqlite_file;

struct tdm_nsys_cursor {
  const sqlite_file *file;
  tdm_sqlite_scan *scan; /* or: */
  tdm_sqlite_rows rows;
  size_t columns;
  tdm_nsys_type type[TDM_NSYS_COLUMNS];
  int column_at[TDM_NSYS_COLUMNS]; /* in the statement's result; -1: not there */
  tdm_nsys_values values[TDM_NSYS_COLUMNS];
  tdm_block_texts texts;
  bool ended;
};

static tdm_status damaged(const sqlite_file *file, tdm_error *error, const char *what) {
  return tdm_error_set(error, TDM_INVALID, "%s: damaged SQLite file: %s", file->path, what);
}

static tdm_status failed(const sqlite_file *file, tdm_error *error) {
  return tdm_sqlite_file_failed(file->database, file->path, error);
}

/* ---- schema ---- */

static sqlite_table *find_table(const sqlite_file *file, const char *name) {
  for (size_t i = 0; i < file->count; i++)
    if (strcasecmp(file->tables[i].name, name) == 0) return &file->tables[i];
  return NULL;
}

/* Remembers what is no fault of the file. */
static void note_failure(sqlite_file *file, int code) {
  tdm_error error;
  code &= 0xff;
  if (file->failure.status != TDM_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  if (code == SQLITE_OK) return;
  if (failed(file, &error) != TDM_INVALID || code == SQLITE_NOMEM) file->failure = error;
}

static void note_memory(sqlite_file *file) {
  if (file->failure.status == TDM_OK) tdm_error_memory(&file->failure, "a column", 1);
}

/* The one number of a query; `otherwise` where it has none. */
static int64_t number_of(sqlite_file *file, const char *sql, int64_t otherwise) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(file->database, sql, -1, &statement, NULL);
  int64_t value = otherwise;
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  note_failure(file, code);
  if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
    value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void look_at(sqlite_file *file, sqlite_table *table) {
  table->looked = true;
  table->rowid = -1;
  table->direct = table->root > 0;
  char *sql = sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", table->name);
  sqlite3_stmt *statement = NULL;
  int keys = 0, code = SQLITE_NOMEM;
  if (sql != NULL) code = sqlite3_prepare_v2(file->database, sql, -1, &statement, NULL);
  sqlite3_free(sql);
  if (sql == NULL) note_memory(file);
  if (sql == NULL || code != SQLITE_OK) {
    note_failure(file, code);
    return;
  }
  size_t room = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 1);
    const char *type = (const char *)sqlite3_column_text(statement, 2);
    if (type == NULL) note_memory(file);
    /* A computed column is not in the record; a default stands for what short records lack. */
    if (sqlite3_column_int(statement, 6) != 0 || sqlite3_column_type(statement, 4) != SQLITE_NULL)
      table->direct = false;
    if (sqlite3_column_int(statement, 5) != 0 && ++keys == 1 && type != NULL &&
        strcasecmp(type, "INTEGER") == 0)
      table->rowid = (int)table->column_count;
    char *copy = name != NULL ? tdm_string_copy(name) : NULL;
    if (copy == NULL ||
        !tdm_array_grow(&table->columns, &room, table->column_count + 1, sizeof *table->columns)) {
      free(copy);
      note_memory(file);
      break;
    }
    table->columns[table->column_count++] = copy;
  }
  note_failure(file, code);
  sqlite3_finalize(statement);
  if (keys > 1) table->rowid = -1;
  /* "INTEGER PRIMARY KEY DESC" is no row id, and its ids are in the record: both are told apart
   * while reading, by whether the record has the value. Tables without row ids are told by their
   * root page. */
  sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\"", table->name);
  if (sql == NULL) note_memory(file);
  int64_t rows = sql != NULL ? number_of(file, sql, -1) : -1;
  sqlite3_free(sql);
  table->rows = rows > 0 ? (uint64_t)rows : 0;
}

static sqlite_table *looked_at(sqlite_file *file, const char *name) {
  sqlite_table *table = find_table(file, name);
  if (table != NULL && !table->looked) look_at(file, table);
  return table;
}

static int column_of(const sqlite_table *table, const char *name) {
  for (size_t i = 0; i < table->column_count; i++)
    if (strcasecmp(table->columns[i], name) == 0) return (int)i;
  return -1;
}

static size_t source_tables(void *context) {
  return ((const sqlite_file *)context)->count;
}
static const char *source_table(void *context, size_t index) {
  return ((const sqlite_file *)context)->tables[index].name;
}
static bool source_has_table(void *context, const char *table) {
  return find_table(context, table) != NULL;
}
static bool source_has_column(void *context, const char *table, const char *column) {
  const sqlite_table *found = looked_at(context, table);
  return found != NULL && column_of(found, column) >= 0;
}
static uint64_t source_rows(void *context, const char *table) {
  const sqlite_table *found = looked_at(context, table);
  return found != NULL ? found->rows : 0;
}

/* ---- cursors ---- */

static void source_close(tdm_nsys_cursor *cursor) {
  if (cursor == NULL) return;
  tdm_sqlite_scan_close(cursor->scan);
  tdm_sqlite_rows_close(&cursor->rows);
  if (cursor->scan == NULL)
    for (size_t i = 0; i < cursor->columns; i++) free(cursor->values[i].integer);
  tdm_block_texts_free(&cursor->texts);
  free(cursor);
}

/* SELECT of the columns that are there. */
static char *select_text(sqlite3 *database, const sqlite_table *table,
                         const tdm_nsys_column *columns, const int *column_at, size_t count) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendall(sql, "SELECT NULL");
  for (size_t i = 0; i < count; i++) {
    if (column_at[i] < 0) continue;
    const char *name = table->columns[column_at[i]];
    sqlite3_str_appendall(sql, ",");
    if (columns[i].type == TDM_NSYS_TEXT)
      tdm_sqlite_file_select(database, sql, table->name, "X", name, (int)TDM_NSYS_TEXT_BYTES);
    else
      sqlite3_str_appendf(sql, "X.\"%w\"", name);
  }
  sqlite3_str_appendf(sql, " FROM \"%w\" AS X", table->name);
  return sqlite3_str_finish(sql);
}

static tdm_status open_statement(tdm_nsys_cursor *cursor, const sqlite_table *table,
                                 const tdm_nsys_column *columns, const int *column_at, size_t count,
                                 tdm_error *error) {
  char *sql = select_text(cursor->file->database, table, columns, column_at, count);
  if (sql == NULL) return tdm_error_memory(error, "a statement", 1);
  int code = tdm_sqlite_rows_open(cursor->file->database, sql, &cursor->rows);
  sqlite3_free(sql);
  if (code != SQLITE_OK) return failed(cursor->file, error);
  int at = 1;
  for (size_t i = 0; i < count; i++) {
    size_t size = columns[i].type == TDM_NSYS_TEXT ? sizeof(tdm_nsys_text) : sizeof(int64_t);
    cursor->type[i] = columns[i].type;
    cursor->column_at[i] = column_at[i] >= 0 ? at++ : -1;
    cursor->values[i].integer = malloc(TDM_NSYS_BLOCK * size);
    cursor->columns = i + 1;
    if (cursor->values[i].integer == NULL) return tdm_error_memory(error, "rows", TDM_NSYS_BLOCK);
  }
  return TDM_OK;
}

static tdm_status source_open(void *context, const char *name, const tdm_nsys_column *columns,
                              size_t count, tdm_nsys_cursor **out, tdm_error *error) {
  sqlite_file *file = context;
  const sqlite_table *table = looked_at(file, name);
  tdm_nsys_cursor *cursor = tdm_array_new(1, sizeof *cursor);
  *out = NULL;
  if (cursor == NULL) return tdm_error_memory(error, "a cursor", sizeof *cursor);
  cursor->file = file;
  int column_at[TDM_NSYS_COLUMNS];
  for (size_t i = 0; i < count; i++) column_at[i] = column_of(table, columns[i].name);
  tdm_status status = TDM_OK;
  if (file->fd >= 0 && table->direct) {
    tdm_sqlite_table about = {table->root, table->rowid, table->column_count};
    cursor->scan = tdm_sqlite_scan_open(file->fd, &about, columns, column_at, count);
    if (cursor->scan == NULL) status = tdm_error_memory(error, "a cursor", sizeof *cursor);
  } else {
    status = open_statement(cursor, table, columns, column_at, count, error);
  }
  if (status == TDM_OK)
    *out = cursor;
  else
    source_close(cursor);
  return status;
}

static bool take_value(tdm_nsys_cursor *cursor, size_t column, size_t row) {
  tdm_nsys_values to = cursor->values[column];
  int at = cursor->column_at[column];
  int type = at >= 0 ? sqlite3_column_type(cursor->rows.statement, at) : SQLITE_NULL;
  bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  switch (cursor->type[column]) {
  case TDM_NSYS_INT:
    /* SQLite's own conversion of reals makes TDM_NONE of the lowest. */
    to.integer[row] = type == SQLITE_INTEGER ? sqlite3_column_int64(cursor->rows.statement, at)
                      : number ? tdm_nsys_whole(sqlite3_column_double(cursor->rows.statement, at))
                               : TDM_NONE;
    break;
  case TDM_NSYS_REAL:
    to.real[row] = number ? sqlite3_column_double(cursor->rows.statement, at) : NAN;
    break;
  case TDM_NSYS_TEXT:
    to.text[row] = (tdm_nsys_text){NULL, 0};
    if (type != SQLITE_TEXT) break;
    const unsigned char *text = sqlite3_column_text(cursor->rows.statement, at);
    size_t length = (size_t)sqlite3_column_bytes(cursor->rows.statement, at);
    if (text == NULL) return false;
    to.text[row].bytes = tdm_block_texts_put(&cursor->texts, text, length);
    to.text[row].length = length;
    return to.text[row].bytes != NULL;
  }
  return true;
}

static tdm_status source_next(tdm_nsys_cursor *cursor, tdm_nsys_block *block, tdm_error *error) {
  if (cursor->scan != NULL) {
    if (tdm_sqlite_scan_next(cursor->scan, block) == TDM_OK) return TDM_OK;
    int failure = tdm_sqlite_scan_failure(cursor->scan);
    if (failure == 0) return damaged(cursor->file, error, "its pages do not fit together");
    return tdm_error_set(error, failure == ENOMEM ? TDM_MEMORY : TDM_IO, "cannot read %s: %s",
                         cursor->file->path, strerror(failure));
  }
  size_t row = 0;
  tdm_block_texts_empty(&cursor->texts);
  while (row < TDM_NSYS_BLOCK && !cursor->ended) {
    int code = tdm_sqlite_rows_next(&cursor->rows);
    if (code == SQLITE_DONE) cursor->ended = true;
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) return failed(cursor->file, error);
    for (size_t i = 0; i < cursor->columns; i++)
      if (!take_value(cursor, i, row)) return tdm_error_memory(error, "a text", 1);
    row++;
  }
  *block = (tdm_nsys_block){row, cursor->values};
  return TDM_OK;
}

/* ---- the file ---- */

static void close_file(sqlite_file *file) {
  for (size_t i = 0; i < file->count; i++) {
    for (size_t c = 0; c < file->tables[i].column_count; c++) free(file->tables[i].columns[c]);
    free(file->tables[i].columns);
    free(file->tables[i].name);
  }
  free(file->tables);
  sqlite3_close(file->database);
  if (file->fd >= 0) close(file->fd);
}

static tdm_status list_tables(sqlite_file *file, tdm_error *error) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(file->database,
                                "SELECT name,rootpage FROM sqlite_master WHERE type='table'", -1,
                                &statement, NULL);
  if (code != SQLITE_OK) return failed(file, error);
  tdm_status status = TDM_OK;
  while (status == TDM_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    int64_t root = sqlite3_column_int64(statement, 1);
    if (name == NULL && sqlite3_errcode(file->database) == SQLITE_NOMEM) {
      status = tdm_error_memory(error, "a table", 1);
      break;
    }
    if (name == NULL || root <= 0) continue; /* virtual: no export has any */
    char *copy = tdm_string_copy(name);
    if (copy == NULL ||
        !tdm_array_grow(&file->tables, &file->room, file->count + 1, sizeof *file->tables)) {
      free(copy);
      status = tdm_error_memory(error, "a table", sizeof *file->tables);
      break;
    }
    file->tables[file->count++] = (sqlite_table){.name = copy, .root = root};
  }
  if (status == TDM_OK && code != SQLITE_DONE) status = failed(file, error);
  sqlite3_finalize(statement);
  return status;
}

/* Tables without row ids keep their rows in another kind of page. */
static void find_direct(sqlite_file *file, unsigned page_size) {
  for (size_t i = 0; i < file->count; i++) {
    unsigned char kind = 0;
    int64_t root = file->tables[i].root;
    off_t at = (off_t)(root - 1) * (off_t)page_size;
    if (pread(file->fd, &kind, 1, at) != 1 || (kind != 5 && kind != 13)) {
      look_at(file, &file->tables[i]);
      file->tables[i].direct = false;
    }
  }
}

static tdm_status open_file(sqlite_file *file, const char *where, tdm_error *error) {
  bool settled;
  tdm_status status = tdm_sqlite_file_open(where, file->path, &file->database, &settled, error);
  if (status == TDM_OK) status = list_tables(file, error);
  if (status != TDM_OK || !settled) return status;
  unsigned char head[100] = {0};
  file->fd = open(where, O_RDONLY | O_CLOEXEC);
  ssize_t got = file->fd >= 0 ? pread(file->fd, head, sizeof head, 0) : -1;
  if (got < 0)
    return tdm_error_set(error, TDM_IO, "cannot read %s: %s", file->path, strerror(errno));
  if (got < (ssize_t)sizeof head) return damaged(file, error, "too short");
  unsigned page_size = (unsigned)head[16] << 8 | head[17];
  if (head[56] == 0 && head[57] == 0 && head[58] == 0 && head[59] <= 1) { /* UTF-8 */
    find_direct(file, page_size == 1 ? 65536 : page_size);
  } else {
    close(file->fd);
    file->fd = -1;
  }
  return TDM_OK;
}

/* What an SQLite file is that is no export. */
static tdm_status refuse(sqlite_file *file, tdm_error *error) {
  if (number_of(file, "PRAGMA application_id", 0) == STORE_APPLICATION)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is a tandem store already; `tandem runs --store %s` lists its runs",
                         file->path, file->path);
  if (find_table(file, "StringTable") != NULL && find_table(file, "StringIds") == NULL)
    return tdm_error_set(error, TDM_INVALID,
                         "%s was made by nvprof, whose files are not read; profile again with "
                         "`nsys profile` and export with `nsys export --type sqlite`",
                         file->path);
  return tdm_error_set(
      error, TDM_INVALID,
      "%s is an SQLite file, but no Nsight Systems export: it has no StringIds, no "
      "META_DATA_EXPORT and no CUPTI_ACTIVITY_KIND tables",
      file->path);
}

tdm_status tdm_nsys_sqlite_read(const char *where, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error) {
  sqlite_file file = {.path = path, .fd = -1};
  tdm_status status = open_file(&file, where, error);
  if (status == TDM_OK) {
    const tdm_nsys_source source = {.context = &file,
                                    .path = path,
                                    .nulls = true,
                                    .tables = source_tables,
                                    .table = source_table,
                                    .has_table = source_has_table,
                                    .has_column = source_has_column,
                                    .rows = source_rows,
                                    .open = source_open,
                                    .next = source_next,
                                    .close = source_close};
    bool nvprof =
        find_table(&file, "StringTable") != NULL && find_table(&file, "StringIds") == NULL;
    if (!tdm_nsys_is_export(&source) || nvprof)
      status = refuse(&file, error);
    else
      status = tdm_nsys_read(&source, options, recorder, error);
  }
  if (file.failure.status != TDM_OK) {
    *error = file.failure;
    status = error->status;
  }
  close_file(&file);
  return status;
}

/* ---- readers ---- */

static tdm_status read_input(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  const char *where;
  tdm_status status = tdm_input_file(input, &where, error);
  if (status != TDM_OK) return status;
  return tdm_nsys_sqlite_read(where, tdm_input_path(input), options, recorder, error);
}

static bool head_has(const unsigned char *head, size_t length, const char *what) {
  return memmem(head, length, what, strlen(what)) != NULL;
}

static bool is_sqlite(const unsigned char *head, size_t length) {
  return length >= sizeof MAGIC && memcmp(head, MAGIC, sizeof MAGIC) == 0;
}

/* The schema need not lie in the head: the magic alone is enough to try. */
static int detect_export(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (!is_sqlite(head, length)) return 0;
  return head_has(head, length, "StringIds") || head_has(head, length, "META_DATA_EXPORT") ? 90
                                                                                           : 50;
}

static int detect_nvprof(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (!is_sqlite(head, length) || head_has(head, length, "StringIds")) return 0;
  return head_has(head, length, "TABLE StringTable") ? 90 : 0;
}

const tdm_reader tdm_reader_nsys_sqlite = {.name = "nsys-sqlite",
                                           .title = "Nsight Systems SQLite export",
                                           .accepts = "*.sqlite",
                                           .detect = detect_export,
                                           .read = read_input};

const tdm_reader tdm_reader_nvprof = {.name = "nvprof",
                                      .title = "nvprof database (refused by name)",
                                      .accepts = "*.nvvp, *.nvprof",
                                      .detect = detect_nvprof,
                                      .read = read_input};
