/* See bins.h. */
#include "analysis/bins.h"

tdm_status tdm_bins_option(const tdm_options *options, size_t *count, tdm_error *error) {
  double bins = tdm_option_number(options, "bins", 30);
  if (!(bins >= 1 && bins <= TDM_BINS_MOST))
    return tdm_error_set(error, TDM_INVALID, "'bins' is a number from 1 to %d", TDM_BINS_MOST);
  *count = (size_t)bins;
  return TDM_OK;
}

/* a * b / c for a within the length and b within the bins, or the other way about; wide only where
 * it must be. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return (uint64_t)((unsigned __int128)a * b / c);
}

static uint64_t length_of(const tdm_bins *bins) {
  return (uint64_t)bins->to_ns - (uint64_t)bins->from_ns;
}

int64_t tdm_bins_edge(const tdm_bins *bins, size_t index) {
  return (int64_t)((uint64_t)bins->from_ns + scaled(length_of(bins), index, bins->count));
}

/* The bin that a time within lies in. */
static size_t bin_of(const tdm_bins *bins, int64_t at_ns) {
  uint64_t since = (uint64_t)at_ns - (uint64_t)bins->from_ns;
  size_t index = (size_t)scaled(since, bins->count, length_of(bins));
  while (index + 1 < bins->count && tdm_bins_edge(bins, index + 1) <= at_ns) index++;
  return index;
}

void tdm_bins_add(const tdm_bins *bins, int64_t start_ns, int64_t end_ns, double rate,
                  double *sum) {
  if (start_ns < bins->from_ns) start_ns = bins->from_ns;
  if (end_ns > bins->to_ns) end_ns = bins->to_ns;
  if (start_ns >= end_ns) return;
  for (size_t i = bin_of(bins, start_ns); start_ns < end_ns; i++) {
    int64_t edge_ns = tdm_bins_edge(bins, i + 1);
    int64_t stop_ns = edge_ns < end_ns ? edge_ns : end_ns;
    sum[i] += rate * (double)(stop_ns - start_ns);
    start_ns = stop_ns;
  }
}

void tdm_bins_cover(const tdm_bins *bins, const tdm_intervals *set, double *sum) {
  for (size_t i = 0; i < set->count; i++)
    tdm_bins_add(bins, set->start_ns[i], set->end_ns[i], 1, sum);
}
