/* Allocates tallies and keeps the series of batch means short. Called by both engines. */
#include "engine/tally.h"

#include <stdlib.h>

#include "base/histogram.h"
#include "base/memory.h"

#define LEAST_SLICES 4 /* that are kept */

/* When a class ends by itself, as far as its description tells; 0: it does not say. */
static double class_end_s(const tdm_arrivals *arrivals) {
  double rate = tdm_arrivals_rate(arrivals), end_s = 0;
  if (arrivals->kind == TDM_ARRIVE_LIST) end_s = (double)tdm_arrivals_list_end_ns(arrivals) * 1e-9;
  if (arrivals->limit > 0)
    end_s = rate > 0 ? (double)arrivals->limit / rate : (double)arrivals->limit;
  if (arrivals->end_ns > 0 && (end_s == 0 || end_s > (double)arrivals->end_ns * 1e-9))
    end_s = (double)arrivals->end_ns * 1e-9;
  return end_s;
}

bool tdm_tally_open_ended(const tdm_model *model) {
  return model->duration_ns == INT64_MAX || model->requests != UINT64_MAX;
}

bool tdm_tally_grows(const tdm_model *model) {
  if (model->duration_ns != INT64_MAX) return false;
  for (size_t i = 0; i < model->class_count; i++)
    if (model->classes[i].arrivals->kind == TDM_ARRIVE_CLOSED ||
        model->classes[i].arrivals->kind == TDM_ARRIVE_FUNCTION)
      return true;
  return false;
}

/* The least a growing run can last: its thinking alone. */
static int64_t least_ns(const tdm_model *model) {
  double least_s = 1e-6 * TDM_SLICES;
  for (size_t i = 0; i < model->class_count; i++) {
    const tdm_arrivals *a = model->classes[i].arrivals;
    if (a->kind != TDM_ARRIVE_CLOSED || a->think == NULL || model->requests == UINT64_MAX) continue;
    double think_s = tdm_dist_mean(a->think) * (double)model->requests / a->users;
    if (model->class_count == 1 && think_s > least_s && think_s < 9e8) least_s = think_s;
  }
  return (int64_t)(least_s * 1e9);
}

int64_t tdm_tally_expected_ns(const tdm_model *model) {
  if (!tdm_tally_open_ended(model)) return model->duration_ns;
  if (tdm_tally_grows(model)) return least_ns(model);
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
  int64_t expected_ns = expected_s < 9e8 ? (int64_t)(expected_s * 1e9) + 1 : (int64_t)9e17;
  return expected_ns < model->duration_ns ? expected_ns : model->duration_ns;
}

/* Starting with large batches where many requests are expected saves merging them later; the rule
 * depends on the model only, so that every engine makes the same batches. */
static size_t first_batch(const tdm_model *model, int64_t expected_ns) {
  double requests = 0;
  for (size_t i = 0; i < model->class_count; i++)
    requests += tdm_arrivals_rate(model->classes[i].arrivals) * (double)expected_ns * 1e-9;
  if (model->requests != UINT64_MAX && (double)model->requests < requests)
    requests = (double)model->requests;
  size_t batch = 5;
  while ((double)batch * 2 * TDM_SERIES_LIMIT <= requests) batch *= 2;
  return batch;
}

uint32_t tdm_tally_from(const tdm_tally *t, int64_t warmup_ns) {
  uint32_t slice = 0;
  if (t->lean) return t->from;
  while (slice < TDM_SLICES - LEAST_SLICES && t->bounds_ns[slice] < warmup_ns) slice++;
  return slice;
}

tdm_status tdm_tally_new(const tdm_model *model, int64_t expected_ns, int64_t warmup_ns,
                         tdm_tally **out, tdm_error *error) {
  tdm_tally *t = tdm_array_new(1, sizeof *t);
  *out = t;
  if (t == NULL) return tdm_error_memory(error, "tally", sizeof *t);
  t->slice_ns = expected_ns / TDM_SLICES + (expected_ns % TDM_SLICES != 0);
  if (t->slice_ns < 1) t->slice_ns = 1;
  for (int k = 0; k <= TDM_SLICES; k++) t->bounds_ns[k] = k * t->slice_ns;
  if (warmup_ns != TDM_TALLY_WHOLE) {
    t->from = tdm_tally_from(t, warmup_ns);
    t->lean = true;
  }
  size_t notes = t->lean ? 2 : TDM_SLICES + 1;
  t->class_count = model->class_count;
  t->stage_count = model->stage_count;
  t->station_count = model->station_count;
  t->memory_count = model->memory_count;
  t->link_count = model->link_count;
  t->pool_count = model->pool_count;
  t->taker_count = model->taker_count;
  t->times_count = model->server_count > 0 ? model->times_count : model->class_count;
  t->classes = tdm_array_new(t->times_count * TDM_SLICES, sizeof *t->classes);
  t->stages = tdm_array_new(t->stage_count * notes, sizeof *t->stages);
  t->stations = tdm_array_new(t->station_count * (TDM_SLICES + 1), sizeof *t->stations);
  t->memories = tdm_array_new(t->memory_count * (TDM_SLICES + 1), sizeof *t->memories);
  t->links = tdm_array_new(t->link_count * (TDM_SLICES + 1), sizeof *t->links);
  t->pools = tdm_array_new(t->pool_count * (TDM_SLICES + 1), sizeof *t->pools);
  t->takers = tdm_array_new(t->taker_count * TDM_SLICES, sizeof *t->takers);
  t->in_system_ns = tdm_array_new(TDM_SLICES + 1, sizeof *t->in_system_ns);
  t->finished = tdm_array_new(TDM_SLICES + 1, sizeof *t->finished);
  t->exact = tdm_array_new(t->times_count, sizeof *t->exact);
  bool room = t->exact != NULL && t->pools != NULL && t->takers != NULL;
  for (size_t i = 0; room && i < t->times_count; i++) {
    t->exact[i].latency_ns = tdm_array_new(TDM_EXACT_LIMIT, sizeof *t->exact[i].latency_ns);
    t->exact[i].slice = tdm_array_new(TDM_EXACT_LIMIT, sizeof *t->exact[i].slice);
    room = t->exact[i].latency_ns != NULL && t->exact[i].slice != NULL;
  }
  if (model->window_ns > 0) t->windows = tdm_windows_new(model);
  room = room && (model->window_ns == 0 || t->windows != NULL);
  t->series.batch = first_batch(model, expected_ns);
  t->series.sums_ns = tdm_array_new(TDM_SERIES_LIMIT, sizeof *t->series.sums_ns);
  t->series.arrivals_ns = tdm_array_new(TDM_SERIES_LIMIT, sizeof *t->series.arrivals_ns);
  if (!room || t->finished == NULL || t->classes == NULL || t->stages == NULL ||
      t->stations == NULL || t->memories == NULL || t->links == NULL || t->in_system_ns == NULL ||
      t->series.sums_ns == NULL || t->series.arrivals_ns == NULL) {
    tdm_tally_free(t);
    *out = NULL;
    return tdm_error_memory(error, "tally", model->stage_count * sizeof(tdm_stage_note) * notes);
  }
  for (size_t i = 0; i < t->times_count * TDM_SLICES; i++) {
    t->classes[i].min_ns = INT64_MAX;
    t->classes[i].max_ns = INT64_MIN;
  }
  return TDM_OK;
}

void tdm_tally_free(tdm_tally *t) {
  if (t == NULL) return;
  for (size_t i = 0; t->classes != NULL && i < t->times_count * TDM_SLICES; i++)
    free(t->classes[i].counts);
  free(t->classes);
  free(t->stages);
  free(t->stations);
  free(t->memories);
  free(t->links);
  free(t->pools);
  free(t->takers);
  free(t->in_system_ns);
  free(t->finished);
  for (size_t i = 0; t->exact != NULL && i < t->times_count; i++) {
    free(t->exact[i].latency_ns);
    free(t->exact[i].slice);
  }
  free(t->exact);
  free(t->series.sums_ns);
  free(t->series.arrivals_ns);
  tdm_windows_free(t->windows);
  free(t);
}

void tdm_tally_thin(tdm_tally *t) {
  free(t->stages);
  free(t->stations);
  t->stages = NULL;
  t->stations = NULL;
  t->stage_count = t->station_count = 0;
}

static void merge_slices(tdm_class_slice *into, tdm_class_slice *from) {
  into->arrived += from->arrived;
  into->completed += from->completed;
  into->within_slo += from->within_slo;
  into->dropped += from->dropped;
  into->abandoned += from->abandoned;
  into->timed_out += from->timed_out;
  into->retried += from->retried;
  into->latency_ns += from->latency_ns;
  if (from->min_ns < into->min_ns) into->min_ns = from->min_ns;
  if (from->max_ns > into->max_ns) into->max_ns = from->max_ns;
  if (into->counts == NULL) {
    into->counts = from->counts;
  } else if (from->counts != NULL) {
    for (size_t i = 0; i < TDM_HISTOGRAM_BUCKETS; i++) into->counts[i] += from->counts[i];
    free(from->counts);
  }
  *from = (tdm_class_slice){.min_ns = INT64_MAX, .max_ns = INT64_MIN};
}

/* Of a pair of slices; both were counted apart. */
static void merge_takers(tdm_tally *t, size_t k) {
  for (size_t i = 0; i < t->taker_count; i++) {
    tdm_taker_slice *slices = &t->takers[i * TDM_SLICES];
    tdm_taker_slice one = slices[2 * k], two = slices[2 * k + 1];
    slices[2 * k] = slices[2 * k + 1] = (tdm_taker_slice){0};
    slices[k] = (tdm_taker_slice){one.prompt_tokens + two.prompt_tokens,
                                  one.output_tokens + two.output_tokens};
  }
}

void tdm_tally_widen(tdm_tally *t) {
  t->slice_ns *= 2;
  for (int k = 0; k <= TDM_SLICES; k++) t->bounds_ns[k] = k * t->slice_ns;
  for (size_t c = 0; c < t->times_count; c++) {
    tdm_class_slice *slices = &t->classes[c * TDM_SLICES];
    for (size_t k = 0; k < TDM_SLICES / 2; k++) {
      merge_slices(&slices[2 * k], &slices[2 * k + 1]);
      if (k == 0) continue;
      slices[k] = slices[2 * k];
      slices[2 * k] = (tdm_class_slice){.min_ns = INT64_MAX, .max_ns = INT64_MIN};
    }
    uint64_t kept = t->exact[c].count < TDM_EXACT_LIMIT ? t->exact[c].count : TDM_EXACT_LIMIT;
    for (uint64_t i = 0; i < kept; i++) t->exact[c].slice[i] /= 2;
  }
  /* Notes are cumulative: the second of a pair is the pair's. Longest waits are not. */
  for (size_t k = 0; k < TDM_SLICES / 2; k++) {
    for (size_t i = 0; i < t->stage_count; i++) {
      tdm_stage_note *notes = &t->stages[i * (TDM_SLICES + 1)];
      int64_t longest_ns = notes[2 * k].max_wait_ns;
      notes[k] = notes[2 * k + 1];
      if (longest_ns > notes[k].max_wait_ns) notes[k].max_wait_ns = longest_ns;
    }
    for (size_t i = 0; i < t->station_count; i++)
      t->stations[i * (TDM_SLICES + 1) + k] = t->stations[i * (TDM_SLICES + 1) + 2 * k + 1];
    for (size_t i = 0; i < t->memory_count; i++)
      t->memories[i * (TDM_SLICES + 1) + k] = t->memories[i * (TDM_SLICES + 1) + 2 * k + 1];
    for (size_t i = 0; i < t->link_count; i++)
      t->links[i * (TDM_SLICES + 1) + k] = t->links[i * (TDM_SLICES + 1) + 2 * k + 1];
    for (size_t i = 0; i < t->pool_count; i++) {
      tdm_pool_note *notes = &t->pools[i * (TDM_SLICES + 1)];
      int64_t peak = notes[2 * k].kv_peak, replicas = notes[2 * k].replica_peak;
      notes[k] = notes[2 * k + 1];
      if (peak > notes[k].kv_peak) notes[k].kv_peak = peak;
      if (replicas > notes[k].replica_peak) notes[k].replica_peak = replicas;
    }
    merge_takers(t, k);
    t->in_system_ns[k] = t->in_system_ns[2 * k + 1];
    t->finished[k] = t->finished[2 * k + 1];
  }
}

static bool make_histogram(tdm_class_slice *slice) {
  if (slice->counts == NULL)
    slice->counts = tdm_array_new(TDM_HISTOGRAM_BUCKETS, sizeof *slice->counts);
  return slice->counts != NULL;
}

bool tdm_tally_touch(tdm_tally *t, uint32_t class_index, uint32_t slice) {
  const tdm_exact *exact = &t->exact[class_index];
  bool first = exact->count == TDM_EXACT_LIMIT;
  for (size_t i = 0; first && i < TDM_EXACT_LIMIT; i++) {
    tdm_class_slice *into = tdm_tally_slice(t, class_index, exact->slice[i]);
    if (!make_histogram(into)) return false;
    into->counts[tdm_histogram_bucket(exact->latency_ns[i])]++;
  }
  return make_histogram(tdm_tally_slice(t, class_index, slice));
}

bool tdm_tally_times(tdm_tally *t, size_t row, uint32_t slice, int64_t time_ns, int64_t times) {
  tdm_exact *exact = &t->exact[row];
  tdm_class_slice *into = tdm_tally_slice(t, (uint32_t)row, slice);
  into->completed += (uint64_t)times;
  into->latency_ns += time_ns * times;
  if (time_ns < into->min_ns) into->min_ns = time_ns;
  if (time_ns > into->max_ns) into->max_ns = time_ns;
  while (times > 0 && exact->count <= TDM_EXACT_LIMIT) { /* one more than the limit moves them */
    if (!tdm_tally_latency(t, (uint32_t)row, slice, time_ns)) return false;
    times--;
  }
  if (times == 0) return true;
  if (into->counts == NULL && !make_histogram(into)) return false;
  into->counts[tdm_histogram_bucket(time_ns)] += (uint64_t)times;
  exact->count += (uint64_t)times;
  return true;
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
