/* What summaries share: the moments of each group's durations, the longest first, as fields of a
 * frame; how rows are split among devices, streams, processes, ranks; which operator launched what.
 * Owns no state. */
#ifndef TDM_ANALYSIS_SUMMARY_SUMMARY_H
#define TDM_ANALYSIS_SUMMARY_SUMMARY_H

#include "analysis/analysis.h"
#include "analysis/groups.h"
#include "analysis/moments.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/summary/captured.h"

/* The fields that tdm_summary_put fills, in this order. */
#define TDM_SUMMARY_FIELDS                                                                         \
  {"share", TDM_FIELD_REAL}, {"total_ns", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},                \
      {"mean_ns", TDM_FIELD_REAL}, {"median_ns", TDM_FIELD_REAL}, {"min_ns", TDM_FIELD_INT},       \
      {"max_ns", TDM_FIELD_INT}, {                                                                 \
    "stddev_ns", TDM_FIELD_REAL                                                                    \
  }
enum { TDM_SUMMARY_SHARE, TDM_SUMMARY_TOTAL, TDM_SUMMARY_COUNT, TDM_SUMMARY_FIELD_COUNT = 8 };

typedef struct {
  uint32_t group;
  double share; /* of the total of all groups, 0…1 */
  tdm_moments moments;
} tdm_summary_line;

/* One line a group, the largest total first, ties in order of their groups. `value` by row as they
 * were added to the groups, which are gathered here. Free *lines. */
tdm_status tdm_summary_of(tdm_groups *groups, const int64_t *value, tdm_summary_line **lines,
                          tdm_error *error);
void tdm_summary_put(tdm_frame *frame, size_t first_field, const tdm_summary_line *line);

/* How a summary is split besides its own key. Five fields, absent where not split by them. */
#define TDM_SPLIT_FIELDS                                                                           \
  {"rank", TDM_FIELD_INT}, {"device", TDM_FIELD_TEXT}, {"process", TDM_FIELD_TEXT},                \
      {"stream", TDM_FIELD_TEXT}, {                                                                \
    "thread", TDM_FIELD_INT                                                                        \
  }
enum { TDM_SPLIT_FIELD_COUNT = 5 };
typedef enum {
  TDM_SPLIT_NONE,
  TDM_SPLIT_DEVICE,
  TDM_SPLIT_STREAM,
  TDM_SPLIT_PROCESS,
  TDM_SPLIT_RANK,
  TDM_SPLIT_THREAD
} tdm_split;

/* Option "each". */
tdm_status tdm_split_option(const tdm_options *options, tdm_split *split, tdm_error *error);
/* The key of rows by their track, [tracks], and that key as fields. The caller frees it. NULL: out
 * of memory. */
int64_t *tdm_split_keys(tdm_run_view *view, tdm_split split);
void tdm_split_put(tdm_run_view *view, tdm_split split, int64_t key, tdm_frame *frame,
                   size_t first_field);

/* Which operator (of PyTorch) launched each piece of GPU work: the innermost around its API call;
 * of a graph's node the innermost around the call that was captured, where the capture is recorded;
 * where no call was recorded, that of the same external id. Tables are the view's. */
typedef struct {
  const tdm_wanted *wanted;
  const tdm_table *ops, *calls, *work; /* `ops` empty: the others are NULL */
  const uint32_t *call_of;             /* by row of the work */
  uint32_t *op;                        /* by row of the work: what launched it; TDM_NO_ROW */
  tdm_nesting nesting;
  tdm_captured captured;    /* nodes of graphs */
  size_t found, by_id;      /* work that has an operator, of those by external id */
  tdm_correlation external; /* operators → work */
} tdm_launching_ops;

/* `wanted`: operators; their first argument is external_id, the others tell operators of a name
 * apart (shapes). Close it in any case. */
tdm_status tdm_launching_ops_open(tdm_run_view *view, const tdm_wanted *wanted,
                                  tdm_launching_ops *out, tdm_error *error);
void tdm_launching_ops_close(tdm_launching_ops *ops);

/* Whether an operator did not launch a piece of work itself: it was captured, and this is a replay.
 */
bool tdm_launching_ops_replayed(const tdm_launching_ops *ops, size_t row);
/* What graphs' captures told, or could not. */
void tdm_launching_ops_say(const tdm_launching_ops *ops, tdm_answer *out);

#endif
