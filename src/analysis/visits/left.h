/* What a map leaves: GPU work that no stage takes, host time of requests that none explains.
 *
 * Called by mapped.c. */
#ifndef TDM_ANALYSIS_VISITS_LEFT_H
#define TDM_ANALYSIS_VISITS_LEFT_H

#include "analysis/visits/mapped.h"

#define TDM_NO_STAGE UINT32_MAX

/* Fills `unmapped`. `window` and `stage`: by table and row. Host time only `and_host`. */
tdm_status tdm_find_unmapped(const tdm_visit_tables *tables, const tdm_windows *windows,
                             const uint32_t *const *window, const uint32_t *const *stage,
                             bool and_host, tdm_mapped *out, tdm_error *error);

#endif
