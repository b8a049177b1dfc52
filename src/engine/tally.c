/* Allocates tallies and keeps the series of batch means short. Called by both engines. */
#include "engine/tally.h"

#include <stdlib.h>

#include "base/histogram.h"
#include "base/memory.h"

/* When a class ends by itself, as far as its description tells; 0: it does not say. */
static double class_end_s(const tdm_arrivals *arrivals) {
  double rate = tdm_arrivals_rate(arrivals), end_s = 0;
  if (arrivals->kind == TDM_ARRIVE_LIST && arrivals->count > 0)
    end_s = (double)arrivals->times_ns[arrivals->count - 1] * 1e-9;
  if (arrivals->limit > 0)
    end_s = rate > 0 ? (double)arrivals->limit / rate : (double)arrivals->limit;
  if (arrivals->end_ns > 0 && (end_s == 0 || end_s > (double)arrivals->end_ns * 1e-9))
    end_s = (double)arrivals->end_ns * 1e-9;
  return end_s;
}

int64_t tdm_tally_expected_ns(const tdm_model *model) {
  if (model->duration_ns != INT64_MAX) return model->duration_ns;
  double rate = 0, expected_s = 0;
  for (size_t i = 0; i < model->class_count; i++) {
    double end_s = class_end_s(model->classes[i].arrivals);
    rate += tdm_arrivals_rate(model->classes[i].arrivals);
    if (end_s > expected_s) expected_s = end_s;
  }
  if (model->requests != UINT64_MAX) {
    double all_s = rate > 0 ? (double)model->requests / rate : (double)model->requests;
    if (expected_s == 0 || all_s < expected_s) expected_s = all_s;
  }
  return expected_s < 9e8 ? (int64_t)(expected_s * 1e9) + 1 : (int64_t)9e17;
}

tdm_status tdm_tally_new(const tdm_model *model, int64_t expected_ns, tdm_tally **out,
                         tdm_error *error) {
  tdm_tally *t = tdm_array_new(1, sizeof *t);
  *out = t;
  if (t == NULL) return tdm_error_memory(error, "tally", sizeof *t);
  t->slice_ns = expected_ns / TDM_SLICES + (expected_ns % TDM_SLICES != 0);
  if (t->slice_ns < 1) t->slice_ns = 1;
  for (int k = 0; k <= TDM_SLICES; k++) t->bounds_ns[k] = k * t->slice_ns;
  t->class_count = model->class_count;
  t->stage_count = model->stage_count;
  t->station_count = model->station_count;
  t->memory_count = model->memory_count;
  t->classes = tdm_array_new(t->class_count * TDM_SLICES, sizeof *t->classes);
  t->stages = tdm_array_new(t->stage_count * (TDM_SLICES + 1), sizeof *t->stages);
  t->stations = tdm_array_new(t->station_count * (TDM_SLICES + 1), sizeof *t->stations);
  t->memories = tdm_array_new(t->memory_count * (TDM_SLICES + 1), sizeof *t->memories);
  t->in_system_ns = tdm_array_new(TDM_SLICES + 1, sizeof *t->in_system_ns);
  t->finished = tdm_array_new(TDM_SLICES + 1, sizeof *t->finished);
  t->exact = tdm_array_new(t->class_count, sizeof *t->exact);
  bool room = t->exact != NULL;
  for (size_t i = 0; room && i < t->class_count; i++) {
    t->exact[i].latency_ns = tdm_array_new(TDM_EXACT_LIMIT, sizeof *t->exact[i].latency_ns);
    t->exact[i].slice = tdm_array_new(TDM_EXACT_LIMIT, sizeof *t->exact[i].slice);
    room = t->exact[i].latency_ns != NULL && t->exact[i].slice != NULL;
  }
  t->series.batch = 5;
  t->series.sums_ns = tdm_array_new(TDM_SERIES_LIMIT, sizeof *t->series.sums_ns);
  t->series.arrivals_ns = tdm_array_new(TDM_SERIES_LIMIT, sizeof *t->series.arrivals_ns);
  if (!room || t->finished == NULL || t->classes == NULL || t->stages == NULL || t->stations == NULL || t->memories == NULL ||
      t->in_system_ns == NULL || t->series.sums_ns == NULL || t->series.arrivals_ns == NULL) {
    tdm_tally_free(t);
    *out = NULL;
    return tdm_error_memory(error, "tally", model->stage_count * sizeof(tdm_stage_note) * TDM_SLICES);
  }
  for (size_t i = 0; i < t->class_count * TDM_SLICES; i++) {
    t->classes[i].min_ns = INT64_MAX;
    t->classes[i].max_ns = INT64_MIN;
  }
  return TDM_OK;
}

void tdm_tally_free(tdm_tally *t) {
  if (t == NULL) return;
  for (size_t i = 0; t->classes != NULL && i < t->class_count * TDM_SLICES; i++)
    free(t->classes[i].counts);
  free(t->classes);
  free(t->stages);
  free(t->stations);
  free(t->memories);
  free(t->in_system_ns);
  free(t->finished);
  for (size_t i = 0; t->exact != NULL && i < t->class_count; i++) {
    free(t->exact[i].latency_ns);
    free(t->exact[i].slice);
  }
  free(t->exact);
  free(t->series.sums_ns);
  free(t->series.arrivals_ns);
  free(t);
}

bool tdm_tally_touch(tdm_class_slice *slice) {
  if (slice->counts == NULL)
    slice->counts = tdm_array_new(TDM_HISTOGRAM_BUCKETS, sizeof *slice->counts);
  return slice->counts != NULL;
}

void tdm_series_close_batch(tdm_series *s, int64_t arrival_ns) {
  s->sums_ns[s->count] = s->sum_ns;
  s->arrivals_ns[s->count++] = arrival_ns;
  s->sum_ns = 0;
  s->filled = 0;
  if (s->count < TDM_SERIES_LIMIT) return;
  for (size_t i = 0; i < TDM_SERIES_LIMIT / 2; i++) {
    s->sums_ns[i] = s->sums_ns[2 * i] + s->sums_ns[2 * i + 1];
    s->arrivals_ns[i] = s->arrivals_ns[2 * i + 1];
  }
  s->count = TDM_SERIES_LIMIT / 2;
  s->batch *= 2;
}
