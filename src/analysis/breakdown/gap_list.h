/* The gaps of each GPU: found, and joined with what the host did in them. Used by gaps.c alone. */
#ifndef TDM_ANALYSIS_BREAKDOWN_GAP_LIST_H
#define TDM_ANALYSIS_BREAKDOWN_GAP_LIST_H

#include "analysis/breakdown/gpu_time.h"

/* A row of the host's that may stand for what it did in a gap. */
typedef struct {
  bool found, is_launcher, covers_half; /* on the thread that launched `after`; of the gap */
  int64_t name, track;
  int64_t start_ns, common_ns, length_ns;
} tdm_gap_host;

enum { TDM_GAP_CALL, TDM_GAP_RANGE, TDM_GAP_HOSTS };

typedef struct {
  uint32_t gpu;
  int64_t from_ns, to_ns;       /* cut to a time that the filter leaves */
  int64_t since_ns;             /* when the GPU fell idle; INT64_MIN: it had done nothing before */
  int64_t idle_ns, overhead_ns; /* idle: without overhead */
  uint32_t before, after;       /* rows of the work that ended and that began; TDM_NO_ROW: none */
  int64_t thread;               /* track of the call that launched `after`; TDM_NONE: unknown */
  tdm_gap_host host[TDM_GAP_HOSTS];
} tdm_gap;

typedef struct {
  tdm_gap *gap; /* by GPU, then by time */
  size_t count, room;
} tdm_gap_list;

/* Those that last threshold_ns at least, of work at all times. `overhead` by source. `left`: the
 * times that the filter leaves, which gaps are cut to, one by one, so that their edges count as
 * idle where the GPU is; NULL: it narrows none, and what counts is between pieces of work. */
tdm_status tdm_gap_list_find(const tdm_gpu_rows *rows, const tdm_intervals *overhead,
                             const tdm_intervals *left, int64_t threshold_ns, tdm_gap_list *list,
                             tdm_error *error);
void tdm_gap_list_close(tdm_gap_list *list);

/* Leaves the `most` longest, by GPU and time still. */
void tdm_gap_list_shorten(tdm_gap_list *list, size_t most);

/* Looks for each gap's row among the host's rows of its source: of those that cover more than half
 * of it the shortest, which is the innermost, on the launching thread first; otherwise the one
 * that covers most. `which`: TDM_GAP_CALL or TDM_GAP_RANGE. *passed: how many rows there were. */
tdm_status tdm_gap_list_join(tdm_run_view *view, const tdm_gpu_rows *rows, const tdm_wanted *wanted,
                             int which, tdm_gap_list *list, size_t *passed, tdm_error *error);

#endif
