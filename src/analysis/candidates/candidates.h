/* What may be the requests of a run and their stages: analyses without a command, which proposals
 * of maps (lua/tandem/map/propose) choose from. Names that differ in numbers only are one. */
#ifndef TDM_ANALYSIS_CANDIDATES_CANDIDATES_H
#define TDM_ANALYSIS_CANDIDATES_CANDIDATES_H

#include "analysis/analysis.h"

/* Host ranges by name: how many, how long, how much GPU work was launched in them. At most `limit`
 * of each class (tdm_range_class), those with the most GPU work first. */
tdm_status tdm_candidate_ranges(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

/* Ranges inside those of one name (option "name", a glob that tdm_candidate_ranges gave, and
 * "category"), level by level. */
tdm_status tdm_candidate_inside(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

/* GPU work that begins a period: from one to the next of its name the same work follows. Option
 * "start": what the periods that begin with work of this name are made of. */
tdm_status tdm_candidate_periods(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error);

/* Copies to the device, kernels, copies back, over and over. */
tdm_status tdm_candidate_sequences(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                   tdm_error *error);

#endif
