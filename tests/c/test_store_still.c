/* A reader who may not write beside a store, at the moment when a writer comes: the log's index is
 * there, and nothing is in it yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/store/store.h"

enum {
  NOBODY = 65534,
  REFUSED = 9,
  PATIENCE_S = 60,
  HEADERS = 136 /* of the index: two copies and more */
};

static char folder[] = "/tmp/tandem-still-XXXXXX";
static char target[64];

/* SQLite's own VFS, which waits at the second opening of a store until the writer is further. */
static sqlite3_vfs *real;
static sqlite3_vfs waiting;
static int asks[2], answers[2];
static int openings = INT_MIN; /* from 0 in the reader */

static int open_later(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got) {
  (void)vfs;
  if (flags & SQLITE_OPEN_MAIN_DB && ++openings == 2) {
    char byte = 0;
    if (write(asks[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1) _exit(1);
  }
  return real->xOpen(real, name, file, flags, got);
}

static tdm_store *opened(tdm_error *error) {
  tdm_store *store = NULL;
  return tdm_store_open(target, NULL, NULL, &store, error) == TDM_OK ? store : NULL;
}

static int lay_out(void **state) {
  (void)state;
  umask(022);
  real = sqlite3_vfs_find(NULL);
  waiting = *real;
  waiting.zName = "waiting";
  waiting.xOpen = open_later;
  if (sqlite3_vfs_register(&waiting, 1) != SQLITE_OK || mkdtemp(folder) == NULL) return -1;
  snprintf(target, sizeof target, "%s/t.db", folder);
  return pipe(asks) != 0 || pipe(answers) != 0;
}

static int take_away(void **state) {
  (void)state;
  chmod(folder, 0755);
  unlink(target);
  return rmdir(folder);
}

/* In a process of its own, as somebody who may only read here; once it may begin. */
static void read_as_stranger(void) {
  tdm_error error;
  char byte;
  alarm(PATIENCE_S);
  if (read(answers[0], &byte, 1) != 1) _exit(1);
  if (getuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0) _exit(1);
  openings = 0;
  tdm_store *store = opened(&error);
  if (store == NULL) fprintf(stderr, "%s\n", error.message);
  int code = store != NULL ? 0 : REFUSED;
  tdm_store_close(store);
  _exit(code);
}

static void test_the_writer_comes(void **state) {
  (void)state;
  static const char nothing[HEADERS];
  char name[80], header[HEADERS], byte = 0;
  tdm_error error;
  tdm_store_close(opened(&error)); /* laid out */
  pid_t reader = fork();           /* SQLite wants no forks while a store is open */
  if (reader == 0) read_as_stranger();
  close(asks[1]);
  tdm_store *writer = opened(&error);
  assert_non_null(writer);
  snprintf(name, sizeof name, "%s-shm", target);
  int index = open(name, O_RDWR | O_CLOEXEC);
  assert_int_equal(pread(index, header, HEADERS, 0), HEADERS);
  assert_int_equal(pwrite(index, nothing, HEADERS, 0), HEADERS);
  assert_int_equal(chmod(folder, 0555), 0);
  assert_int_equal(write(answers[1], &byte, 1), 1);
  if (read(asks[0], &byte, 1) == 1) { /* it tries again */
    assert_int_equal(pwrite(index, header, HEADERS, 0), HEADERS);
    assert_int_equal(write(answers[1], &byte, 1), 1);
  }
  int code = 0;
  assert_int_equal(waitpid(reader, &code, 0), reader);
  assert_true(WIFEXITED(code));
  assert_int_equal(WEXITSTATUS(code), 0);
  assert_int_equal(pwrite(index, header, HEADERS, 0), HEADERS);
  assert_int_equal(chmod(folder, 0755), 0);
  close(index);
  tdm_store_close(writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_writer_comes)};
  return cmocka_run_group_tests(tests, lay_out, take_away);
}
