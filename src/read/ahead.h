/* Reading ahead: a thread that fills blocks while their consumer works on the last one.
 *
 * Owns the thread and the blocks. Called by read/input, for what is compressed. */
#ifndef TDM_READ_AHEAD_H
#define TDM_READ_AHEAD_H

#include <stddef.h>

#include "base/error.h"

typedef struct tdm_ahead tdm_ahead;

/* Fills `out`; less than `room` is the end, or comes with a failure. Runs in the thread. */
typedef tdm_status (*tdm_ahead_fill)(void *context, unsigned char *out, size_t room, size_t *length,
                                     tdm_error *error);

/* NULL: out of memory or threads. */
tdm_ahead *tdm_ahead_new(tdm_ahead_fill fill, void *context, size_t block_bytes);
void tdm_ahead_free(tdm_ahead *ahead);

/* The next block, good until the next call; shorter than a block at the end or with a failure. Not
 * to be called after that. */
tdm_status tdm_ahead_next(tdm_ahead *ahead, const unsigned char **bytes, size_t *length,
                          tdm_error *error);

#endif
