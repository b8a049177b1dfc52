/* How an inference process executes: its launches in bursts, and how busy the GPU is meanwhile. A
 * part of the analysis of phases, process by process; called by phases.c. */
#ifndef TDM_ANALYSIS_PROCESS_EXECUTION_H
#define TDM_ANALYSIS_PROCESS_EXECUTION_H

#include "analysis/answer.h"
#include "analysis/process/api_use.h"

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
