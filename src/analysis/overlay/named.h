/* When spans whose names match an expression began. Owns no state. */
#ifndef TDM_ANALYSIS_OVERLAY_NAMED_H
#define TDM_ANALYSIS_OVERLAY_NAMED_H

#include "analysis/run_view.h"

/* Starts of all spans, instants and async spans whose names match, ascending; the caller frees
 * them. `expression` is PCRE2, searched anywhere in a name. TDM_INVALID: it is wrong. */
tdm_status tdm_starts_named(tdm_run_view *view, const char *expression, int64_t **start_ns,
                            size_t *count, tdm_error *error);

#endif
