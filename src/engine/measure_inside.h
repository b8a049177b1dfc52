/* What the files of measure share: sums as means, and LLM servers by themselves. Included by
 * measure and measure_llm. */
#ifndef TDM_ENGINE_MEASURE_INSIDE_H
#define TDM_ENGINE_MEASURE_INSIDE_H

#include <math.h>

#include "engine/measure.h"

static inline double tdm_measure_ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}
/* Of a time average: in a window without length nothing was busy. */
static inline double tdm_measure_share(double area, double window) {
  return window > 0 ? area / window : 0;
}
static inline double tdm_measure_seconds(int64_t ns) {
  return (double)ns / 1e9; /* one rounding: equal times stay equal */
}

/* Of all of them, from slice `from` on; scratch is cleared before it is used. */
tdm_status tdm_measure_servers(const tdm_model *model, const tdm_tally *t, uint32_t from,
                               tdm_histogram *scratch, tdm_measure *m, tdm_error *error);
/* Server i's values of slice k, those of stations being there. */
void tdm_measure_server_slice(const tdm_model *model, const tdm_tally *t, size_t i, uint32_t k,
                              tdm_measure *m);
void tdm_measure_free_server(tdm_server_measure *server);

#endif
