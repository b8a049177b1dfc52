/* Two runs in one time frame: their lanes side by side, and what each had over the other; see
 * overlay.h. Lanes side by side, and their bins. */
#include "analysis/overlay/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bins.h"
#include "base/memory.h"

static const tdm_lane_steps never = {0};

/* Where a lane that only the simulated run has goes: after all of its kind. */
static void insert(tdm_overlaid *out, const tdm_lane_rows *simulated) {
  uint32_t at = out->lanes;
  while (at > 0 && out->lane[at - 1].lane > simulated->lane) at--;
  memmove(&out->lane[at + 1], &out->lane[at], (out->lanes - at) * sizeof *out->lane);
  out->lane[at] = (tdm_overlaid_lane){
      .label = simulated->label, .lane = simulated->lane, .simulated = simulated};
  out->lanes++;
}

static tdm_status map_times(tdm_overlaid_lane *lane, const tdm_clock *clock, tdm_error *error) {
  if (lane->simulated == NULL) return TDM_OK;
  const tdm_lane_steps *steps = &lane->simulated->steps;
  lane->time_ns = tdm_array_new(steps->count + 1, sizeof *lane->time_ns);
  if (lane->time_ns == NULL) return tdm_error_memory(error, "a lane", steps->count);
  for (size_t i = 0; i < steps->count; i++)
    lane->time_ns[i] = tdm_clock_time(clock, steps->time_ns[i]);
  return TDM_OK;
}

tdm_status tdm_overlaid_open(const tdm_lane_set *real, const tdm_lane_set *simulated,
                             const tdm_clock *clock, int64_t from_ns, int64_t to_ns,
                             tdm_overlaid *out, tdm_error *error) {
  size_t room = (size_t)real->lanes + simulated->lanes + 1;
  *out = (tdm_overlaid){.real = real,
                        .simulated = simulated,
                        .clock = *clock,
                        .from_ns = from_ns,
                        .to_ns = to_ns,
                        .lane = tdm_array_new(room, sizeof *out->lane)};
  if (out->lane == NULL) return tdm_error_memory(error, "lanes", room);
  for (uint32_t i = 0; i < real->lanes; i++) {
    const tdm_lane_rows *rows = &real->lane[i];
    out->lane[out->lanes++] =
        (tdm_overlaid_lane){.label = rows->label,
                            .lane = rows->lane,
                            .real = rows,
                            .simulated = tdm_lane_set_named(simulated, rows->label)};
  }
  for (uint32_t i = 0; i < simulated->lanes; i++)
    if (tdm_lane_set_named(real, simulated->lane[i].label) == NULL)
      insert(out, &simulated->lane[i]);
  tdm_status status = TDM_OK;
  for (uint32_t i = 0; status == TDM_OK && i < out->lanes; i++)
    status = map_times(&out->lane[i], clock, error);
  if (status != TDM_OK) tdm_overlaid_close(out);
  return status;
}

void tdm_overlaid_close(tdm_overlaid *overlaid) {
  for (uint32_t i = 0; i < overlaid->lanes; i++) free(overlaid->lane[i].time_ns);
  free(overlaid->lane);
  *overlaid = (tdm_overlaid){0};
}

void tdm_overlaid_walk(const tdm_overlaid *overlaid, uint32_t lane, tdm_lane_walk *walk) {
  const tdm_overlaid_lane *of = &overlaid->lane[lane];
  tdm_lane_walk_begin(walk, of->real != NULL ? &of->real->steps : &never,
                      of->simulated != NULL ? &of->simulated->steps : &never, of->time_ns,
                      overlaid->from_ns, overlaid->to_ns);
}

/* ---- bins ---- */

/* Two that are busy in part, evenly, can both be so for as long as the lesser is. */
static void add_part(const tdm_overlaid_bins *out, size_t bin, double ns,
                     const tdm_lane_part *part) {
  out->real_mean[bin] += ns * part->a;
  out->simulated_mean[bin] += ns * part->b;
  out->real_busy[bin] += ns * part->busy_a;
  out->simulated_busy[bin] += ns * part->busy_b;
  out->both_busy[bin] += ns * (part->busy_a < part->busy_b ? part->busy_a : part->busy_b);
}

void tdm_overlaid_bin(const tdm_overlaid *overlaid, uint32_t lane, size_t count,
                      const tdm_overlaid_bins *out) {
  double *const all[] = {out->real_busy, out->simulated_busy, out->both_busy, out->real_mean,
                         out->simulated_mean};
  for (size_t k = 0; k < 5; k++) memset(all[k], 0, count * sizeof(double));
  const tdm_bins bins = {overlaid->from_ns, overlaid->to_ns, count};
  tdm_lane_walk walk;
  tdm_lane_part part;
  size_t bin = 0;
  int64_t edge_ns = tdm_bins_edge(&bins, 1);
  tdm_overlaid_walk(overlaid, lane, &walk);
  while (tdm_lane_walk_next(&walk, &part)) {
    while (part.from_ns < part.to_ns) {
      while (edge_ns <= part.from_ns && bin + 1 < count) edge_ns = tdm_bins_edge(&bins, ++bin + 1);
      int64_t stop_ns = edge_ns < part.to_ns && bin + 1 < count ? edge_ns : part.to_ns;
      add_part(out, bin, (double)(stop_ns - part.from_ns), &part);
      part.from_ns = stop_ns;
    }
  }
  for (size_t i = count; i-- > 0;) {
    double ns = (double)(tdm_bins_edge(&bins, i + 1) - tdm_bins_edge(&bins, i));
    for (size_t k = 0; k < 5; k++) /* one without any nanosecond is as the next */
      all[k][i] = ns > 0 ? all[k][i] / ns : all[k][i + 1];
  }
}
