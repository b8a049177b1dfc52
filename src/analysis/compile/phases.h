/* Where compile time goes: the phases that torch.compile's log tells. Called by compile.c. */
#ifndef TDM_ANALYSIS_COMPILE_PHASES_H
#define TDM_ANALYSIS_COMPILE_PHASES_H

#include "analysis/answer.h"
#include "analysis/run_view.h"

/* A row for each phase and rank: how often, how long, how long without the phases within it (self),
 * its share of all self time; the largest self time first. */
tdm_status tdm_compile_put_phases(tdm_run_view *view, tdm_answer *out, tdm_error *error);

#endif
