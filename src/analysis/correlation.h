/* Which row of one table caused which rows of another, by an id that both carry: calls and what
 * they launched, operators and theirs.
 *
 * The whole join at once, both ways, and the index it was made with, for rows of other tables. Ids
 * are unique within a process (processes.h) and positive: 0 and less are none. Owns its arrays; the
 * view and its tables are borrowed. Calls and GPU work are joined once a view: gpu_work.h. */
#ifndef TDM_ANALYSIS_CORRELATION_H
#define TDM_ANALYSIS_CORRELATION_H

#include "analysis/run_view.h"

#define TDM_NO_ROW UINT32_MAX

typedef struct tdm_correlation {
  uint32_t *cause;  /* by row of the effects: the row of the causes that has its id, of several the
                       first: a runtime call rather than the driver's within it; TDM_NO_ROW: none */
  size_t *first;    /* [causes + 1] where each cause's effects begin in `effect` */
  uint32_t *effect; /* rows of the effects, cause by cause, in their order */
  size_t joined;    /* effects that have a cause */
  /* private */
  const tdm_table *causes;
  const int64_t *id;       /* by cause */
  const uint32_t *process; /* by track */
  uint32_t *slot;          /* row of the causes + 1 */
  size_t slots;
} tdm_correlation;

/* `cause_key` and `effect_key`: arguments of the tables. */
tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error);
void tdm_correlation_close(tdm_correlation *correlation);

/* The cause that has the id of any row on a track; TDM_NO_ROW: none. */
uint32_t tdm_correlation_find(const tdm_correlation *correlation, int64_t track, int64_t id);

#endif
