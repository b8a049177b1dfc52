/* Two stored runs as one recording, on one clock: what writers of traces take.
 *
 * Names, tracks, layouts and sources of the second run are numbered after those of the first;
 * processes are called "real: …", "simulated: …". Figures, facts and artifacts stay out. Called by
 * bind/overlay.c. */
#ifndef TDM_ANALYSIS_OVERLAY_BOTH_H
#define TDM_ANALYSIS_OVERLAY_BOTH_H

#include "analysis/overlay/clock.h"
#include "analysis/run_view.h"
#include "trace/recording.h"

typedef struct {
  tdm_run_view *view;
  const char *word;       /* before the names of its processes */
  const tdm_clock *clock; /* NULL: its times stay */
  int64_t from_ns, to_ns; /* rows that touch this time of its own clock */
} tdm_both_side;

tdm_status tdm_both_record(const tdm_both_side *side, size_t count, tdm_recording *recording,
                           tdm_error *error);

#endif
