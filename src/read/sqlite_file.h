/* SQLite files of other tools, opened so that nothing is written to them or beside them, the
 * rows of their tables, and what their failures mean in words for users. Owns nothing. Called
 * by the readers of SQLite files. */
#ifndef TDM_READ_SQLITE_FILE_H
#define TDM_READ_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Opens `where` and begins a read; messages speak of `path`. *settled: no log and no journal lies
 * beside it, so that its pages are its content. *out may be set on failure: close it. */
tdm_status tdm_sqlite_file_open(const char *where, const char *path, sqlite3 **out, bool *settled,
                                tdm_error *error);

/* A value of more bytes is not loaded; nor are all of a row that is sorted. */
enum { TDM_SQLITE_VALUE_BYTES = 16 << 20 };

/* Appends a column of `table`, which the query calls `alias`, for rows that are stepped through
 * below: of a text that is too long to be loaded it has the first `most` bytes. */
void tdm_sqlite_file_select(sqlite3 *database, sqlite3_str *sql, const char *table,
                            const char *alias, const char *column, int most);

/* The rows of a query. Zeroed memory has none. */
typedef struct {
  sqlite3_stmt *statement;
  uint64_t count;
  bool heads; /* a value was too long: such are read in pieces */
} tdm_sqlite_rows;

/* As SQLite's own: prepare_v2, step, finalize. */
int tdm_sqlite_rows_open(sqlite3 *database, const char *sql, tdm_sqlite_rows *rows);
int tdm_sqlite_rows_next(tdm_sqlite_rows *rows);
void tdm_sqlite_rows_close(tdm_sqlite_rows *rows);

/* What SQLite's last call says of the file. */
tdm_status tdm_sqlite_file_failed(sqlite3 *database, const char *path, tdm_error *error);

#endif
