/* Which row of one table caused which rows of another: calls and what they launched, by an id that
 * both carry.
 *
 * The whole join at once, both ways, where calls.h finds one cause at a time. Ids are unique within
 * a process. Owns its arrays. Used by whatever joins host and GPU. */
#ifndef TDM_ANALYSIS_CORRELATION_H
#define TDM_ANALYSIS_CORRELATION_H

#include "analysis/run_view.h"

#define TDM_NO_ROW UINT32_MAX

typedef struct {
  uint32_t *cause;  /* by row of the effects: a row of the causes, the first that has its id;
                       TDM_NO_ROW: none */
  size_t *first;    /* [causes + 1] where each cause's effects begin in `effect` */
  uint32_t *effect; /* rows of the effects, cause by cause, in their order */
  size_t joined;    /* effects that have a cause */
} tdm_correlation;

/* `cause_key` and `effect_key`: arguments of the tables. For effects ids of 0 and less are none. */
tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error);
void tdm_correlation_close(tdm_correlation *correlation);

#endif
