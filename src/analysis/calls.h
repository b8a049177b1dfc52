/* Which call launched what: API calls by process and correlation; and which tracks are of one
 * process.
 *
 * Owns its arrays; the view and its tables are borrowed. Used by what joins GPU work to calls. */
#ifndef TDM_ANALYSIS_CALLS_H
#define TDM_ANALYSIS_CALLS_H

#include "analysis/run_view.h"

#define TDM_NO_CALL UINT32_MAX

/* A number for each process of each file, by track; *count (may be NULL) of them. A track without a
 * pid is of the process of its file's first thread. The caller frees it; NULL: out of memory. */
uint32_t *tdm_processes(tdm_run_view *view, uint32_t *count);

typedef struct {
  const tdm_table *table;
  const int64_t *correlation;
  const uint32_t *process; /* borrowed */
  uint32_t *slot;          /* row + 1 */
  size_t slots;
} tdm_calls;

/* Indexes the rows of a table whose category is not above `last_category`. A runtime call and the
 * driver's within it may share a correlation: the outer one is found, which is first. */
tdm_status tdm_calls_open(tdm_calls *calls, const tdm_table *table, size_t correlation_arg,
                          int64_t last_category, const uint32_t *process, tdm_error *error);
void tdm_calls_close(tdm_calls *calls);

/* The row of the call of a process with a correlation (TDM_NONE: none has it); TDM_NO_CALL. */
uint32_t tdm_calls_find(const tdm_calls *calls, uint32_t process, int64_t correlation);

#endif
