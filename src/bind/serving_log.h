/* What an engine did until when, as terms of affine step models: for fits to measured times.
 * Owned by the replay that keeps it. See serving_log.c. */
#ifndef TDM_BIND_SERVING_LOG_H
#define TDM_BIND_SERVING_LOG_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/serving/serving.h"

typedef struct {
  struct tdm_serving_row *rows; /* in order of time */
  size_t count, capacity;
  bool wanted, failed; /* failed: out of memory */
} tdm_serving_log;

void tdm_serving_log_add(tdm_serving_log *log, const tdm_serving_step *step);
/* Sets waited, first and rest in the table on top of the stack: the terms of the time from arrival
 * to queued_ns, from there to the first token, from there to the end. */
void tdm_serving_log_push(lua_State *L, const tdm_serving_log *log,
                          const tdm_serving_outcome *outcome);
void tdm_serving_log_close(tdm_serving_log *log);

#endif
