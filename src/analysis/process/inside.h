/* What the analysis of phases is made of: what each call did, how a process executes. */
#ifndef TDM_ANALYSIS_PROCESS_INSIDE_H
#define TDM_ANALYSIS_PROCESS_INSIDE_H

#include "analysis/answer.h"
#include "analysis/process/process.h"
#include "analysis/run_view/run_view.h"

/* What each call of a run did: its action, the bytes it copied or allocated, whether the host
 * stopped in it. Copies whose call does not say which way or how much are told by their work on the
 * GPU. Owns its arrays; tables are borrowed. Used by the analysis of phases. */

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

/* How an inference process executes: its launches in bursts, and how busy the GPU is meanwhile. A
 * part of the analysis of phases, process by process; called by phases.c. */

typedef struct {
  tdm_frame *pattern, *activity;
} tdm_execution;

void tdm_execution_open(tdm_execution *execution, tdm_answer *out);

/* The calls of a process and the work that it had done, as rows of their tables in order of time.
 */
typedef struct {
  const char *process;
  const tdm_api_use *use;
  const uint32_t *call;
  size_t calls;
  const tdm_table *table; /* of the work */
  const uint32_t *work;
  size_t works;
  int64_t origin_ns; /* of the run */
} tdm_execution_of;

tdm_status tdm_execution_tell(tdm_execution *execution, const tdm_execution_of *of,
                              tdm_error *error);

#endif
