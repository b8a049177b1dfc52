/* What each call of a run did: its action, the bytes it copied or allocated, whether the host
 * stopped in it. Copies whose call does not say which way or how much are told by their work on the
 * GPU. Owns its arrays; tables are borrowed. Used by the analysis of phases. */
#ifndef TDM_ANALYSIS_PROCESS_API_USE_H
#define TDM_ANALYSIS_PROCESS_API_USE_H

#include "analysis/process/api_action.h"
#include "analysis/run_view.h"

typedef struct {
  const tdm_table *call; /* rows as in tdm_api_calls, with more arguments */
  uint8_t *action;       /* tdm_api_action by call */
  int64_t *bytes;        /* by call; TDM_NONE: not told */
  int64_t *copy_ns;      /* by call: how long its copies took on the GPU; 0: not recorded */
  unsigned char *inner;  /* by call: a driver's call within a runtime call, which tells it all */
  unsigned char *stops;  /* by call: until the GPU is done */
  bool unknown_copies;   /* which way some copies went is not told */
  bool known_bytes;      /* some call has bytes */
} tdm_api_use;

tdm_status tdm_api_use_open(tdm_api_use *use, tdm_run_view *view, tdm_error *error);
void tdm_api_use_close(tdm_api_use *use);

#endif
