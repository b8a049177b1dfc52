/* What summaries share inside this room: rows summed by a key of theirs, labels of copies, tables
 * of ranges, the GPU work launched in ranges. */
#ifndef TDM_ANALYSIS_SUMMARY_INSIDE_H
#define TDM_ANALYSIS_SUMMARY_INSIDE_H

#include "analysis/analysis.h"
#include "analysis/labels.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/summary/summary.h"

/* Rows of tables summed by a key of theirs: what the plain summaries (API calls, copies, ranges …)
 * have in common.
 *
 * Owns no state beyond a call. A frame's fields are those of a summary, of a split, then the key's
 * own. */

enum {
  TDM_ROW_SUMMARY_SPLIT = TDM_SUMMARY_FIELD_COUNT, /* where the fields of the split begin */
  TDM_ROW_SUMMARY_OWN = TDM_ROW_SUMMARY_SPLIT + TDM_SPLIT_FIELD_COUNT /* where the key's do */
};

typedef enum { TDM_ROW_LEFT_OUT, TDM_ROW_TAKEN, TDM_ROW_FAILED /* out of memory */ } tdm_row_taken;

typedef struct {
  tdm_run_view *view;
  tdm_split split;
  size_t keys; /* of its own, less than TDM_GROUP_KEYS */
  void *context;
  tdm_row_taken (*key)(void *context, const tdm_table *table, size_t row, int64_t *key);
  /* What is summed; NULL: durations. TDM_NONE leaves the row out. */
  int64_t (*value)(const tdm_table *table, size_t row);
  void (*put)(void *context, const int64_t *key, tdm_frame *frame); /* the key's own fields */
} tdm_row_summary;

/* All rows of the tables as one summary, the largest total first. */
tdm_status tdm_row_summary_put(const tdm_row_summary *summary, const tdm_table *const *tables,
                               size_t count, tdm_frame *frame, tdm_error *error);

/* "[CUDA memcpy Host-to-Device]" of "HtoD"; another kind as it is called, "" gives "[CUDA memcpy]".
 */
void tdm_copy_label(const char *kind, char *out, size_t room);
#define TDM_COPY_LABEL_ROOM 96

/* Ranges that nest (push and pop), those that need not (start and end). Argument 0: the domain. */
extern const tdm_wanted tdm_nested_ranges, tdm_free_ranges;
enum { TDM_RANGE_NVTX, TDM_RANGE_ANNOTATION }; /* categories */
enum { TDM_RANGE_DOMAIN };

/* What an answer says when there are none, after tdm_run_view_lacking. */
#define TDM_NO_RANGES "%s no ranges (no rows of category nvtx or user_annotation)"

/* "PushPop", "StartEnd" as Nsight Systems has it; "annotation". */
const char *tdm_range_style(int64_t category, bool nests);

/* Ranges on threads, the calls inside them, and the GPU work that those launched: what projections
 * of ranges begin with.
 *
 * The view owns it and keeps it. Used by projected and range_kernels. */

typedef struct {
  const tdm_table *nested, *free;  /* tdm_nested_ranges, tdm_free_ranges */
  const tdm_table *calls, *work;   /* tdm_api_calls, tdm_gpu_work */
  const tdm_correlation *launched; /* calls → work */
  tdm_nesting nesting;             /* of `nested` and `calls` */
} tdm_range_work;

/* Made at the first call. */
tdm_status tdm_range_work_of(tdm_run_view *view, const tdm_range_work **out, tdm_error *error);

/* Says in the answer which records are missing, and how much of the work has no recorded call. */
void tdm_range_work_explain(const tdm_run_view *view, const tdm_range_work *work, tdm_answer *out);

/* Projections of ranges that do not nest on their thread: those from start to end, and those that
 * cross others. Each has the calls that its thread began while it was open.
 *
 * Many may be open at once, so that none can be handed to the one around it: a tree over each
 * thread's calls gives the first and last time of any run of them. Owns its list. Used by
 * projected. */

typedef struct {
  uint32_t range, ops;
  bool nests; /* a row of work->nested (it crosses another), otherwise of work->free */
  int64_t part, first_ns, last_ns;
} tdm_free_projection;

typedef struct {
  tdm_free_projection *projection;
  size_t count, room;
} tdm_free_projections;

/* `part_of`: by track of the GPUs, what each is projected onto apart; NULL: all as one. */
tdm_status tdm_free_projections_open(tdm_run_view *view, const tdm_range_work *work,
                                     const int64_t *part_of, tdm_free_projections *out,
                                     tdm_error *error);
void tdm_free_projections_close(tdm_free_projections *projections);

#endif
