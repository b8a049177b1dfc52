/* Where rows of eight replications leave: each lane's slice of arrival, the latencies in it, and
 * batches of the series. Rows that surely stay within their slices go all at once, others row by
 * row. Called by wide_avx512.c. */
#include "engine/lowered/wide.h"

#include "base/histogram.h"

void tdm_wide_flush_slice(tdm_wide *w, uint32_t i) {
  tdm_wide_exit *x = &w->exit;
  tdm_chain *chain = w->chains[i];
  tdm_class_slice *slice = tdm_tally_slice(chain->tally, 0, chain->done_slice);
  uint64_t completed = x->done - x->since[i];
  slice->completed += completed;
  slice->latency_ns += x->latency[i];
  slice->within_slo += (uint64_t)x->within[i];
  if (completed > 0 && x->least[i] < slice->min_ns) slice->min_ns = x->least[i];
  if (completed > 0 && x->most[i] > slice->max_ns) slice->max_ns = x->most[i];
  x->latency[i] = x->within[i] = 0;
  x->least[i] = INT64_MAX;
  x->most[i] = INT64_MIN;
  x->since[i] = x->done;
}

void tdm_wide_take_slice(tdm_wide *w, uint32_t i, int64_t arrival_ns) {
  tdm_wide_exit *x = &w->exit;
  tdm_chain *chain = w->chains[i];
  const tdm_tally *tally = chain->tally;
  while (arrival_ns >= tally->bounds_ns[chain->done_slice + 1] &&
         chain->done_slice < TDM_SLICES - 1)
    chain->done_slice++;
  while (arrival_ns < tally->bounds_ns[chain->done_slice]) chain->done_slice--;
  bool last = chain->done_slice == TDM_SLICES - 1;
  x->low[i] = tally->bounds_ns[chain->done_slice];
  x->high[i] = last ? INT64_MAX : tally->bounds_ns[chain->done_slice + 1];
}

/* The exit's counters in registers. */
typedef struct {
  __m512i low, high, latency, within, least, most, series, time_sum, bound;
} exit_counters;

static inline exit_counters take_exit(const tdm_wide_exit *x) {
  return (exit_counters){tdm_wide_load(x->low),
                         tdm_wide_load(x->high),
                         tdm_wide_load(x->latency),
                         tdm_wide_load(x->within),
                         tdm_wide_load(x->least),
                         tdm_wide_load(x->most),
                         tdm_wide_load(x->series),
                         tdm_wide_load(x->departures.time_sum),
                         tdm_wide_load(x->departures.bound)};
}

static void keep_exit(tdm_wide_exit *x, const exit_counters *c) {
  tdm_wide_store(x->latency, c->latency);
  tdm_wide_store(x->within, c->within);
  tdm_wide_store(x->least, c->least);
  tdm_wide_store(x->most, c->most);
  tdm_wide_store(x->series, c->series);
  tdm_wide_store(x->departures.time_sum, c->time_sum);
}

static __attribute__((noinline)) void change_slices(tdm_wide *w, exit_counters *c,
                                                    __m512i arrivals) {
  tdm_wide_row arrival;
  tdm_wide_exit *x = &w->exit;
  tdm_wide_store(arrival, arrivals);
  keep_exit(x, c);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    if (arrival[i] >= x->low[i] && arrival[i] < x->high[i]) continue;
    tdm_wide_flush_slice(w, i);
    tdm_wide_take_slice(w, i, arrival[i]);
  }
  *c = take_exit(x);
}

static __attribute__((noinline)) __m512i close_batch(tdm_wide *w, __m512i sums, __m512i arrivals) {
  tdm_wide_row arrival, sum;
  tdm_wide_store(arrival, arrivals);
  tdm_wide_store(sum, sums);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_series *series = &w->chains[i]->tally->series;
    series->sum_ns = sum[i];
    tdm_series_close_batch(series, arrival[i]);
  }
  return _mm512_setzero_si512();
}

static bool keep_latencies(tdm_wide *w, __m512i latencies) {
  tdm_wide_row latency;
  bool room = true;
  tdm_wide_store(latency, latencies);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_tally *tally = w->chains[i]->tally;
    tally->exact[0].count = w->exit.done;
    room &= tdm_tally_latency(tally, 0, w->chains[i]->done_slice, latency[i]);
  }
  return room;
}

/* One row's departures. Returns the lanes whose request belongs to another slice of arrival. */
static inline __attribute__((always_inline)) __mmask8 leave_row(tdm_wide *w, exit_counters *c,
                                                                __m512i slo, size_t r) {
  __m512i end = tdm_wide_load(w->time[r]), came = tdm_wide_load(w->arrival[r]);
  __m512i latency = _mm512_sub_epi64(end, came);
  c->time_sum = _mm512_add_epi64(c->time_sum, end);
  c->latency = _mm512_add_epi64(c->latency, latency);
  c->least = _mm512_min_epi64(c->least, latency);
  c->most = _mm512_max_epi64(c->most, latency);
  c->within = _mm512_mask_add_epi64(c->within, _mm512_cmple_epi64_mask(latency, slo), c->within,
                                    _mm512_set1_epi64(1));
  c->series = _mm512_add_epi64(c->series, latency);
  /* tdm_histogram_bucket of each lane */
  __m512i bits = _mm512_castpd_si512(_mm512_cvtepi64_pd(latency));
  __m512i bucket = _mm512_sub_epi64(_mm512_srli_epi64(bits, 45),
                                    _mm512_set1_epi64(1023 * TDM_HISTOGRAM_PER_OCTAVE - 1));
  tdm_wide_store(
      w->service[r],
      _mm512_maskz_mov_epi64(_mm512_cmpgt_epi64_mask(latency, _mm512_setzero_si512()), bucket));
  return _mm512_cmplt_epi64_mask(came, c->low) | _mm512_cmpge_epi64_mask(came, c->high);
}

/* Rows that may cross slices, close a batch, or be kept outside of histograms: row by row. */
static bool leave_carefully(tdm_wide *w, size_t rows) {
  tdm_wide_exit *x = &w->exit;
  exit_counters c = take_exit(x);
  const __m512i slo = tdm_wide_load(x->slo);
  tdm_series *series = &w->chains[0]->tally->series; /* batch and filled agree in all lanes */
  size_t filled = series->filled;
  for (size_t r = 0; r < rows; r++, x->done++) {
    __m512i end = tdm_wide_load(w->time[r]), came = tdm_wide_load(w->arrival[r]);
    __mmask8 outside = _mm512_cmplt_epi64_mask(came, c.low) | _mm512_cmpge_epi64_mask(came, c.high);
    if (outside) change_slices(w, &c, came);
    if (_mm512_cmpge_epi64_mask(end, c.bound))
      c.bound = tdm_wide_cross(w, &x->departures, c.time_sum, x->done, end);
    leave_row(w, &c, slo, r);
    if (!keep_latencies(w, _mm512_sub_epi64(end, came))) return false;
    if (++filled == series->batch) {
      c.series = close_batch(w, c.series, came);
      filled = 0;
    }
  }
  keep_exit(x, &c);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) w->chains[i]->tally->series.filled = filled;
  return true;
}

bool tdm_wide_leave(tdm_wide *w, size_t rows) {
  tdm_wide_exit *x = &w->exit;
  const tdm_series *series = &w->chains[0]->tally->series;
  if (rows == 0) return true;
  tdm_wide_store(w->last_end, tdm_wide_load(w->time[rows - 1]));
  if (x->done > TDM_EXACT_LIMIT && series->filled + rows < series->batch) {
    exit_counters c = take_exit(x);
    const __m512i slo = tdm_wide_load(x->slo);
    __mmask8 outside = _mm512_cmpge_epi64_mask(tdm_wide_load(w->time[rows - 1]), c.bound);
    for (size_t r = 0; r < rows; r++) outside |= leave_row(w, &c, slo, r);
    if (!outside) {
      for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
        const tdm_chain *chain = w->chains[i];
        uint64_t *counts = tdm_tally_slice(chain->tally, 0, chain->done_slice)->counts;
        for (size_t r = 0; r < rows; r++) counts[w->service[r][i]]++;
        chain->tally->series.filled += rows;
      }
      x->done += rows;
      keep_exit(x, &c);
      return true;
    }
  }
  return leave_carefully(w, rows);
}
