/* See sqlite_file.h. */
#include "read/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A journal beside it that is not undone asks for writing: whoever wrote the file was stopped. */
tdm_status tdm_sqlite_file_failed(sqlite3 *database, const char *path, tdm_error *error) {
  const char *why = sqlite3_errmsg(database);
  switch (sqlite3_errcode(database) & 0xff) {
  case SQLITE_BUSY:
    return tdm_error_set(error, TDM_IO, "cannot read %s: another program is writing it (%s)", path,
                         why);
  case SQLITE_READONLY:
    return tdm_error_set(error, TDM_INVALID,
                         "%s was not written to its end, as the journal beside it says; export it "
                         "again",
                         path);
  case SQLITE_NOMEM: /* SQLite says so of some damaged files, too */
    return tdm_error_set(error, TDM_INVALID, "%s: damaged SQLite file, or memory is short (%s)",
                         path, why);
  case SQLITE_TOOBIG:
    return tdm_error_set(error, TDM_INVALID,
                         "%s: damaged SQLite file: a value of more than %d MiB that is no name",
                         path, TDM_SQLITE_VALUE_BYTES >> 20);
  case SQLITE_CANTOPEN: return tdm_error_set(error, TDM_IO, "cannot read %s: %s", path, why);
  case SQLITE_IOERR:
    if (sqlite3_system_errno(database) == 0) break; /* shorter than it says */
    return tdm_error_set(error, TDM_IO, "cannot read %s: %s", path,
                         strerror(sqlite3_system_errno(database)));
  default: break;
  }
  return tdm_error_set(error, TDM_INVALID, "%s: damaged SQLite file: %s", path, why);
}

static bool beside(const char *path, const char *ending) {
  struct stat about;
  char *name = sqlite3_mprintf("%s%s", path, ending);
  bool there = name != NULL && stat(name, &about) == 0 && about.st_size > 0;
  sqlite3_free(name);
  return there;
}

/* "file:…" with everything escaped that means something there. `immutable`: a file that bears the
 * mark of a write-ahead log but has none would otherwise get one, though it is only read. */
static char *uri_of(const char *path, bool immutable) {
  sqlite3_str *uri = sqlite3_str_new(NULL);
  sqlite3_str_appendall(uri, "file:");
  while (path[0] == '/' && path[1] == '/') path++; /* "//" would be a host */
  for (const char *p = path; *p != 0; p++)
    if (strchr("?#%", *p) != NULL)
      sqlite3_str_appendf(uri, "%%%02X", (unsigned char)*p);
    else
      sqlite3_str_appendchar(uri, 1, *p);
  sqlite3_str_appendall(uri, immutable ? "?mode=ro&immutable=1" : "?mode=ro");
  return sqlite3_str_finish(uri);
}

/* ---- texts ---- */

static void close_blob(void *blob) {
  sqlite3_blob_close(blob);
}

/* tdm_head(table, column, rowid, most): the beginning of a text, read in pieces; SQLite's substr()
 * and length() load all of it. The statement keeps the blob. Dear: a search in the table for each.
 */
static void head_of(sqlite3_context *context, int count, sqlite3_value **value) {
  sqlite3_blob *blob = sqlite3_get_auxdata(context, 0);
  int64_t row = sqlite3_value_int64(value[2]);
  unsigned char encoding = (unsigned char)(uintptr_t)sqlite3_user_data(context);
  int code = SQLITE_OK;
  (void)count;
  if (blob != NULL) {
    code = sqlite3_blob_reopen(blob, row);
  } else {
    code = sqlite3_blob_open(sqlite3_context_db_handle(context), "main",
                             (const char *)sqlite3_value_text(value[0]),
                             (const char *)sqlite3_value_text(value[1]), row, 0, &blob);
    if (code == SQLITE_OK) {
      sqlite3_set_auxdata(context, 0, blob, close_blob);
      blob = sqlite3_get_auxdata(context, 0); /* NULL: out of memory */
      if (blob == NULL) code = SQLITE_NOMEM;
    }
  }
  int bytes = code == SQLITE_OK ? sqlite3_blob_bytes(blob) : 0, most = sqlite3_value_int(value[3]);
  if (encoding != SQLITE_UTF8) most *= 2; /* of which a character may become one byte */
  if (bytes > most) bytes = most;
  char *text = code == SQLITE_OK ? sqlite3_malloc(bytes + 1) : NULL;
  if (code == SQLITE_OK && text == NULL) code = SQLITE_NOMEM;
  if (code == SQLITE_OK) code = sqlite3_blob_read(blob, text, bytes, 0);
  if (code == SQLITE_OK) {
    sqlite3_result_text64(context, text, (sqlite3_uint64)bytes, sqlite3_free, encoding);
    return;
  }
  sqlite3_free(text);
  sqlite3_result_error_code(context, code);
}

/* Its rows have ids, and no column of its own is called so. */
static bool has_row_ids(sqlite3 *database, const char *table) {
  const char *type = "";
  int key = 0;
  return sqlite3_table_column_metadata(database, "main", table, "rowid", &type, NULL, NULL, &key,
                                       NULL) == SQLITE_OK &&
         key != 0 && strcasecmp(type, "INTEGER") == 0;
}

void tdm_sqlite_file_select(sqlite3 *database, sqlite3_str *sql, const char *table,
                            const char *alias, const char *column, int most) {
  if (!has_row_ids(database, table)) {
    sqlite3_str_appendf(sql, "\"%w\".\"%w\"", alias, column);
    return;
  }
  sqlite3_str_appendf(sql, "iif(?1 AND typeof(\"%w\".\"%w\")='text',tdm_head(%Q,%Q,", alias, column,
                      table, column);
  sqlite3_str_appendf(sql, "\"%w\".rowid,%d),\"%w\".\"%w\")", alias, most, alias, column);
}

/* ---- rows ---- */

int tdm_sqlite_rows_open(sqlite3 *database, const char *sql, tdm_sqlite_rows *rows) {
  *rows = (tdm_sqlite_rows){0};
  return sqlite3_prepare_v2(database, sql, -1, &rows->statement, NULL);
}

int tdm_sqlite_rows_next(tdm_sqlite_rows *rows) {
  int code = sqlite3_step(rows->statement);
  if (code == SQLITE_TOOBIG && !rows->heads && sqlite3_bind_parameter_count(rows->statement) > 0) {
    rows->heads = true;
    sqlite3_reset(rows->statement);
    code = sqlite3_bind_int(rows->statement, 1, 1);
    if (code != SQLITE_OK) return code;
    /* The same statement gives the same rows in the same order. */
    for (uint64_t past = 0; past <= rows->count; past++)
      if ((code = sqlite3_step(rows->statement)) != SQLITE_ROW) return code;
  }
  if (code == SQLITE_ROW) rows->count++;
  return code;
}

void tdm_sqlite_rows_close(tdm_sqlite_rows *rows) {
  sqlite3_finalize(rows->statement);
  *rows = (tdm_sqlite_rows){0};
}

/* ---- opening ---- */

tdm_status tdm_sqlite_file_open(const char *where, const char *path, sqlite3 **out, bool *settled,
                                tdm_error *error) {
  unsigned char head[100] = {0};
  *out = NULL;
  *settled = false;
  int fd = open(where, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd >= 0 ? pread(fd, head, sizeof head, 0) : -1;
  if (got < 0) tdm_error_set(error, TDM_IO, "cannot read %s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  if (got < 0) return TDM_IO;
  if (got < (ssize_t)sizeof head)
    return tdm_error_set(error, TDM_INVALID, "%s: too short for an SQLite file", path);
  bool log = beside(where, "-wal");
  *settled = !log && !beside(where, "-journal");
  char *uri = uri_of(where, !log && (head[18] > 1 || head[19] > 1));
  if (uri == NULL) return tdm_error_memory(error, "a file name", strlen(where));
  int code =
      sqlite3_open_v2(uri, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
  sqlite3_free(uri);
  if (code != SQLITE_OK) return tdm_sqlite_file_failed(*out, path, error);
  unsigned char encoding =
      head[59] == SQLITE_UTF16LE || head[59] == SQLITE_UTF16BE ? head[59] : SQLITE_UTF8;
  code = sqlite3_create_function(*out, "tdm_head", 4, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                 (void *)(uintptr_t)encoding, head_of, NULL, NULL);
  if (code != SQLITE_OK) return tdm_sqlite_file_failed(*out, path, error);
  sqlite3_limit(*out, SQLITE_LIMIT_LENGTH, TDM_SQLITE_VALUE_BYTES);
  sqlite3_busy_timeout(*out, 5000);
  sqlite3_exec(*out, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; BEGIN", NULL, NULL,
               NULL);
  return TDM_OK;
}
