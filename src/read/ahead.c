/* A ring of blocks between two threads. See ahead.h. */
#include "read/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

enum { BLOCKS = 4 };

typedef struct {
  unsigned char *bytes;
  size_t length;
  tdm_status status;
  tdm_error error;
} block;

struct tdm_ahead {
  tdm_ahead_fill fill;
  void *context;
  size_t block_bytes;
  unsigned char *memory;
  block blocks[BLOCKS];
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Guarded by the lock. Block i % BLOCKS is the producer's when i is neither in use nor full. */
  unsigned filled, taken; /* blocks so far; the consumer uses the one before `taken` */
  int stop;
};

static void *produce(void *context) {
  tdm_ahead *ahead = context;
  for (unsigned number = 0;; number++) {
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->stop && number - ahead->taken >= BLOCKS - 1)
      pthread_cond_wait(&ahead->changed, &ahead->lock);
    int stop = ahead->stop;
    pthread_mutex_unlock(&ahead->lock);
    if (stop) return NULL;
    block *each = &ahead->blocks[number % BLOCKS];
    each->status =
        ahead->fill(ahead->context, each->bytes, ahead->block_bytes, &each->length, &each->error);
    pthread_mutex_lock(&ahead->lock);
    ahead->filled = number + 1;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    if (each->status != TDM_OK || each->length < ahead->block_bytes) return NULL;
  }
}

tdm_ahead *tdm_ahead_new(tdm_ahead_fill fill, void *context, size_t block_bytes) {
  tdm_ahead *ahead = tdm_array_new(1, sizeof *ahead);
  if (ahead == NULL) return NULL;
  ahead->fill = fill;
  ahead->context = context;
  ahead->block_bytes = block_bytes;
  ahead->memory = malloc(BLOCKS * block_bytes);
  for (int i = 0; i < BLOCKS && ahead->memory != NULL; i++)
    ahead->blocks[i].bytes = ahead->memory + (size_t)i * block_bytes;
  pthread_mutex_init(&ahead->lock, NULL);
  pthread_cond_init(&ahead->changed, NULL);
  if (ahead->memory != NULL && pthread_create(&ahead->thread, NULL, produce, ahead) == 0)
    return ahead;
  pthread_cond_destroy(&ahead->changed);
  pthread_mutex_destroy(&ahead->lock);
  free(ahead->memory);
  free(ahead);
  return NULL;
}

void tdm_ahead_free(tdm_ahead *ahead) {
  if (ahead == NULL) return;
  pthread_mutex_lock(&ahead->lock);
  ahead->stop = 1;
  pthread_cond_signal(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
  pthread_join(ahead->thread, NULL);
  pthread_cond_destroy(&ahead->changed);
  pthread_mutex_destroy(&ahead->lock);
  free(ahead->memory);
  free(ahead);
}

tdm_status tdm_ahead_next(tdm_ahead *ahead, const unsigned char **bytes, size_t *length,
                          tdm_error *error) {
  pthread_mutex_lock(&ahead->lock);
  while (ahead->filled == ahead->taken) pthread_cond_wait(&ahead->changed, &ahead->lock);
  const block *each = &ahead->blocks[ahead->taken++ % BLOCKS];
  pthread_cond_signal(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
  *bytes = each->bytes;
  *length = each->length;
  if (each->status != TDM_OK && error != NULL) *error = each->error;
  return each->status;
}
