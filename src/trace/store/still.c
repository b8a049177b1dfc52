/* See still.h. */
#include "trace/store/still.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

enum { PIECE = 1 << 16, NAME_MOST = 4096, TRIES = 10, PAUSE_MS = 10 };

/* The size of a file beside the store: -1 where there is none. */
static long long size_beside(const char *path, const char *ending) {
  char name[NAME_MOST];
  struct stat about;
  if (snprintf(name, sizeof name, "%s%s", path, ending) >= (int)sizeof name) return -1;
  return stat(name, &about) == 0 ? (long long)about.st_size : -1;
}

static bool folder_is_writable(const char *path) {
  char folder[NAME_MOST];
  if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) return true;
  char *slash = strrchr(folder, '/');
  if (slash == NULL) return access(".", W_OK) == 0;
  slash[slash == folder] = 0;
  return access(folder, W_OK) == 0;
}

static bool copy_file(const char *from, const char *to) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0) return false;
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  char *piece = malloc(PIECE);
  bool done = out >= 0 && piece != NULL;
  while (done) {
    ssize_t count = read(in, piece, PIECE);
    if (count == 0) break;
    done = count > 0 && write(out, piece, (size_t)count) == count;
  }
  free(piece);
  close(in);
  if (out >= 0) done = close(out) == 0 && done;
  return done;
}

bool tdm_still_changed(const char *path, const struct stat *as_it_was) {
  struct stat now;
  return stat(path, &now) != 0 || now.st_size != as_it_was->st_size ||
         now.st_ino != as_it_was->st_ino || now.st_dev != as_it_was->st_dev ||
         now.st_mtim.tv_sec != as_it_was->st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != as_it_was->st_mtim.tv_nsec;
}

/* Takes the log beside `path` into the file. The default VFS: whoever opens the copy checks it. */
static bool take_in(const char *path) {
  sqlite3 *database = NULL;
  bool done =
      sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, "tandem-pages") == SQLITE_OK &&
      sqlite3_exec(database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL) == SQLITE_OK &&
      sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) == SQLITE_OK;
  return sqlite3_close(database) == SQLITE_OK && done;
}

void tdm_still_forget(const char *copy) {
  char name[NAME_MOST];
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (snprintf(name, sizeof name, "%s%s", copy, endings[i]) < (int)sizeof name)
      tdm_temporary_discard(name);
  snprintf(name, sizeof name, "%s", copy);
  char *slash = strrchr(name, '/');
  if (slash != NULL) {
    *slash = 0;
    tdm_temporary_discard(name);
  }
}

static const char *make_copy(const char *path, const struct stat *as_it_was) {
  const char *where = getenv("TMPDIR");
  char folder[NAME_MOST], to[NAME_MOST], from[NAME_MOST];
  if (where == NULL || where[0] == 0) where = "/tmp";
  if (snprintf(folder, sizeof folder, "%s/tandem-XXXXXX", where) >= (int)sizeof folder ||
      mkdtemp(folder) == NULL)
    return NULL;
  static const char *const endings[] = {"", "-wal", "-journal"};
  bool done = true;
  for (size_t i = 0; i < sizeof endings / sizeof *endings && done; i++) {
    if (size_beside(path, endings[i]) < 0) continue;
    done = snprintf(to, sizeof to, "%s/store.db%s", folder, endings[i]) < (int)sizeof to &&
           snprintf(from, sizeof from, "%s%s", path, endings[i]) < (int)sizeof from &&
           copy_file(from, to);
  }
  done = done && snprintf(to, sizeof to, "%s/store.db", folder) < (int)sizeof to && take_in(to) &&
         !tdm_still_changed(path, as_it_was);
  if (snprintf(to, sizeof to, "%s/store.db", folder) >= (int)sizeof to) to[0] = 0;
  const char *name = done ? sqlite3_create_filename(to, "", "", 0, NULL) : NULL;
  if (name == NULL) tdm_still_forget(to);
  return name;
}

tdm_still tdm_still_how(const char *path, struct stat *as_it_was, const char **copy) {
  *copy = NULL;
  if (folder_is_writable(path) || stat(path, as_it_was) != 0 || !S_ISREG(as_it_was->st_mode) ||
      size_beside(path, "-shm") >= 0) /* somebody has it open, whom SQLite can follow */
    return TDM_STILL_NOT;
  if (size_beside(path, "-wal") <= 0 && size_beside(path, "-journal") <= 0) return TDM_STILL_LIES;
  *copy = make_copy(path, as_it_was);
  return *copy != NULL ? TDM_STILL_COPY : TDM_STILL_NOT;
}

bool tdm_still_again(const char *path, int *tries) {
  struct stat about;
  if (++*tries >= TRIES || folder_is_writable(path) || access(path, R_OK) != 0 ||
      stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return false;
  sqlite3_sleep(PAUSE_MS);
  return true;
}
