/* The works of each process in order of their ends, and which of them had been asked for by when.
 *
 * Owns its arrays. Of the graph of the critical path, while it is built: what a work or a call may
 * have waited for is found without a look at every stream. */
#ifndef TDM_ANALYSIS_PATH_ENDED_H
#define TDM_ANALYSIS_PATH_ENDED_H

#include <stdint.h>

#include "base/error.h"

enum { TDM_ENDED_LEVELS = 8 };

struct tdm_path;

typedef struct {
  uint32_t *order; /* works by process; by end in one; of equal ends the lowest track is last */
  uint32_t *first; /* [processes + 1] */
  /* When the earliest of 16, 256, … works that follow each other was asked for. */
  int64_t *earliest_ns[TDM_ENDED_LEVELS];
} tdm_ended;

/* After the works of each track were ordered by end. tdm_ended_close it even if this fails. */
tdm_status tdm_ended_open(const struct tdm_path *path, tdm_ended *ended, tdm_error *error);
void tdm_ended_close(tdm_ended *ended);

/* Position after the last work of a process that ended by a time. */
uint32_t tdm_ended_by(const struct tdm_path *path, uint32_t process, int64_t by_ns);
/* Of the works of a process before a position, the last that was asked for before a time: its
 * position plus 1; 0: none. Work without a recorded launch was asked for in time. */
uint32_t tdm_ended_asked(const struct tdm_path *path, uint32_t process, uint32_t before,
                         int64_t asked_ns);

#endif
