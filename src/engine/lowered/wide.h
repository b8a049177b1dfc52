/* What the vector kernel holds: eight replications side by side, 64 requests of each at a time.
 * Shared by wide_avx512.c and wide_exit_avx512.c and nobody else. */
#ifndef TDM_ENGINE_LOWERED_WIDE_H
#define TDM_ENGINE_LOWERED_WIDE_H

#include "base/exponential_avx512.h"
#include "engine/lowered/inside.h"

#define TDM_WIDE_ROWS 128

typedef int64_t tdm_wide_row[TDM_LANES_WIDE] __attribute__((aligned(64)));

/* A passage point of all lanes. */
typedef struct {
  tdm_wide_row time_sum, bound;
  tdm_passage *lane[TDM_LANES_WIDE];
} tdm_wide_passage;

/* One station of all lanes. */
typedef struct {
  tdm_wide_passage enters, starts;
  tdm_wide_row wait, service, delayed, max_wait, key;
  tdm_wide_row free_ns[TDM_WIDE_MAX_C], arrival[TDM_WIDE_MAX_C], name[TDM_WIDE_MAX_C];
  uint64_t visits;
  tdm_link_in_chain *lane[TDM_LANES_WIDE];
} tdm_wide_link;

/* Where requests leave, per lane: the slice of arrival now being filled. */
typedef struct {
  tdm_wide_passage departures;
  tdm_wide_row low, high; /* the slice's bounds */
  tdm_wide_row latency, within, least, most, series, slo;
  uint64_t since[TDM_LANES_WIDE]; /* departures when this slice was taken up */
  uint64_t done;
} tdm_wide_exit;

/* The lanes at work. */
typedef struct {
  tdm_chain *const *chains;
  tdm_tally *tally[TDM_LANES_WIDE];
  tdm_wide_link *links;
  size_t link_count;
  tdm_wide_passage arrivals;
  tdm_wide_row arrival_key, arrival_time;
  tdm_wide_exit exit;
  tdm_wide_row last_end; /* departures come in order: the latest */
  /* What enters a station and what leaves it, by turns. */
  tdm_wide_row times[2][TDM_WIDE_ROWS], arrivals_of[2][TDM_WIDE_ROWS], names[2][TDM_WIDE_ROWS];
  tdm_wide_row service[TDM_WIDE_ROWS];
  tdm_wide_row *time, *arrival, *name; /* of those about to enter */
  tdm_wide_row *next_time, *next_arrival, *next_name;
  bool named; /* requests no longer come in order: name[] says who they are */
} tdm_wide;

static inline __m512i tdm_wide_load(const int64_t *lanes) {
  return _mm512_load_si512(lanes);
}
static inline void tdm_wide_store(int64_t *lanes, __m512i value) {
  _mm512_store_si512(lanes, value);
}

/* Some lanes' times reach their slice's end; `count` have passed before. Returns the new bounds. */
__m512i tdm_wide_cross(const tdm_wide *w, tdm_wide_passage *point, __m512i time_sum, uint64_t count,
                       __m512i times);

/* Writes a lane's counters into the slice it was filling. */
void tdm_wide_flush_slice(tdm_wide *w, uint32_t i);

/* Takes up the slice of a lane's next request. */
void tdm_wide_take_slice(tdm_wide *w, uint32_t i, int64_t arrival_ns);

/* The first rows leave. False: out of memory. */
bool tdm_wide_leave(tdm_wide *w, size_t rows);

#endif
