/* SQLite files of other tools, opened so that nothing is written to them or beside them, and what
 * their failures mean in words for users. Owns nothing. Called by the readers of SQLite files. */
#ifndef TDM_READ_SQLITE_FILE_H
#define TDM_READ_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

/* Opens `where` and begins a read; messages speak of `path`. *settled: no log and no journal lies
 * beside it, so that its pages are its content. *out may be set on failure: close it. */
tdm_status tdm_sqlite_file_open(const char *where, const char *path, sqlite3 **out, bool *settled,
                                tdm_error *error);

/* What SQLite's last call says of the file. */
tdm_status tdm_sqlite_file_failed(sqlite3 *database, const char *path, tdm_error *error);

#endif
