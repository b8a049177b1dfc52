/* See temporary.h. */
#include "base/temporary.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 /* more than that of one process are one failing disk */ };

static struct {
  pthread_mutex_t lock;
  char *paths[MOST];
  int count;
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* 0, or why it is still there. */
static int remove_now(const char *path) {
  return remove(path) == 0 || errno == ENOENT || errno == ENOTDIR ? 0 : errno;
}

void tdm_temporary_discard(const char *path) {
  int before = errno;
  if (remove_now(path) != 0) {
    pthread_mutex_lock(&left.lock);
    char *copy = left.count < MOST ? strdup(path) : NULL;
    if (copy != NULL) left.paths[left.count++] = copy;
    pthread_mutex_unlock(&left.lock);
  }
  errno = before;
}

void tdm_temporary_end(void (*tell)(const char *path, int reason)) {
  pthread_mutex_lock(&left.lock);
  for (int i = 0; i < left.count; i++) { /* files before the folder that they lie in */
    int reason = remove_now(left.paths[i]);
    if (reason != 0) tell(left.paths[i], reason);
    free(left.paths[i]);
  }
  left.count = 0;
  pthread_mutex_unlock(&left.lock);
}
