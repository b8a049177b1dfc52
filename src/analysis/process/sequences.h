/* The analysis sequences: kernels and copies that follow each other again and again in a stream.
 * Called through the table of analyses. */
#ifndef TDM_ANALYSIS_PROCESS_SEQUENCES_H
#define TDM_ANALYSIS_PROCESS_SEQUENCES_H

#include "analysis/analysis.h"

tdm_status tdm_answer_sequences(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

#endif
