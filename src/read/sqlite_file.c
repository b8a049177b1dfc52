/* See sqlite_file.h. */
#include "read/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
  sqlite3_busy_timeout(*out, 5000);
  sqlite3_exec(*out, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; BEGIN", NULL, NULL,
               NULL);
  return TDM_OK;
}
