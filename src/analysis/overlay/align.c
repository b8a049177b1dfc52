/* One clock for two runs, from what their lanes did; see overlay.h. The lanes that both have, and
 * the first work on them. */
#include "analysis/overlay/overlay.h"

#include <stdlib.h>

#include "base/memory.h"

tdm_status tdm_lane_pairs_open(const tdm_lane_set *a, const tdm_lane_set *b, tdm_lane_pairs *out,
                               tdm_error *error) {
  *out = (tdm_lane_pairs){.a = tdm_array_new(a->lanes + 1, sizeof *out->a),
                          .b = tdm_array_new(a->lanes + 1, sizeof *out->b)};
  if (out->a == NULL || out->b == NULL) {
    tdm_lane_pairs_close(out);
    return tdm_error_memory(error, "lanes", a->lanes);
  }
  for (uint32_t i = 0; i < a->lanes; i++) {
    const tdm_lane_rows *of_a = &a->lane[i], *of_b = tdm_lane_set_named(b, of_a->label);
    if (of_b == NULL || of_a->lane == TDM_LANE_QUEUE) continue;
    if (of_a->steps.count == 0 || of_b->steps.count == 0) continue;
    out->a[out->count] = of_a;
    out->b[out->count++] = of_b;
  }
  if (out->count > 0) return TDM_OK;
  tdm_lane_pairs_close(out);
  return tdm_error_set(error, TDM_INVALID,
                       "the runs have no busy lane in common: nothing says how their clocks lie "
                       "(--offset TIME sets it by hand)");
}

void tdm_lane_pairs_close(tdm_lane_pairs *pairs) {
  free(pairs->a);
  free(pairs->b);
  *pairs = (tdm_lane_pairs){0};
}

tdm_status tdm_align_first(const tdm_lane_pairs *pairs, tdm_drift drift, tdm_alignment *out,
                           tdm_error *error) {
  int64_t a_ns = INT64_MAX, b_ns = INT64_MAX;
  for (uint32_t i = 0; i < pairs->count; i++) {
    if (pairs->a[i]->steps.time_ns[0] < a_ns) a_ns = pairs->a[i]->steps.time_ns[0];
    if (pairs->b[i]->steps.time_ns[0] < b_ns) b_ns = pairs->b[i]->steps.time_ns[0];
  }
  return tdm_clock_fit(&a_ns, &b_ns, 1, drift, out, error);
}
