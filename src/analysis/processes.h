/* Which tracks are of one process: what ids of calls are unique in.
 *
 * The view owns it and keeps it. Used by joins, by the critical path, by what tells processes
 * apart.
 */
#ifndef TDM_ANALYSIS_PROCESSES_H
#define TDM_ANALYSIS_PROCESSES_H

#include "analysis/run_view.h"

typedef struct {
  uint32_t *of; /* by track: the number of its process, in order of their first tracks */
  uint32_t count;
} tdm_processes;

/* A process is a pid of a file. A track without one (GPUs that do not say who used them) is of the
 * process of its file that made the most API calls; where none did, of that of its first thread. */
tdm_status tdm_processes_of(tdm_run_view *view, const tdm_processes **out, tdm_error *error);

#endif
