/* A folder of its own for a test of a writer, and the file in it that is written. */
#ifndef TDM_TESTS_TARGET_FIXTURE_H
#define TDM_TESTS_TARGET_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tandem-test-XXXXXX";
static char target[64];

/* For cmocka_run_group_tests. */
static inline int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(target, sizeof target, "%s/trace", folder);
  return 0;
}

static inline int remove_folder(void **state) {
  (void)state;
  unlink(target);
  return rmdir(folder); /* fails when something half-written stayed */
}

#endif
