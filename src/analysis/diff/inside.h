/* What two sides of a diff are made of: which rows belong to a range, durations by what their rows
 * are called. */
#ifndef TDM_ANALYSIS_DIFF_INSIDE_H
#define TDM_ANALYSIS_DIFF_INSIDE_H

#include "analysis/diff/diff.h"
#include "analysis/run_view/run_view.h"
#include "trace/intern.h"

/* Which rows belong to a range by who asked for them: GPU work counts where its API call began, as
 * profilers attribute kernels to steps; anything else where it began itself. Owns no state. Used by
 * samples.c and totals.c. A flag a row. TDM_INVALID: the run has no such range. GPU work whose call
 * was not recorded does not belong. Free *belongs. */
tdm_status tdm_within(tdm_run_view *view, const tdm_table *table, bool is_gpu_work,
                      const char *range, bool **belongs, tdm_error *error);

/* Units of work: what a run does over and over (steps, layers), by the order in which the kernels
 * of its busiest GPU were launched. The view owns them and keeps them. Used by all parts of a diff.
 */

typedef struct {
  size_t count; /* whole ones, warm-up left out; 0: nothing recurs */
  /* [(1 + GPUs) * count] in order, disjoint: by the GPU looked at, for what runs on the host; then
   * by each GPU's own kernels, which are some microseconds apart */
  int64_t *from_ns, *to_ns;
  size_t kernels;     /* of one, on the GPU looked at; 0: there is no period */
  size_t warm_up;     /* units at the beginning that were left out */
  const char *begins; /* with a kernel of this name; the view's; NULL: none cuts them */
} tdm_work_units;

tdm_status tdm_work_units_of(tdm_run_view *view, const tdm_work_units **out, tdm_error *error);
/* The unit that a time is in on a GPU, or on the host (TDM_NO_DEVICE); SIZE_MAX: none. */
size_t tdm_work_unit_at(const tdm_work_units *units, uint32_t device, int64_t time_ns);

/* What the two sides are compared over: whole windows as they are, or units of work. An observation
 * is a run where both sides have several, else a unit, else the one run. */
typedef struct {
  const tdm_work_units *units; /* NULL: the whole window */
  size_t first;                /* its first observation */
  bool unit_by_unit;           /* each unit is an observation */
  size_t only;                 /* this unit, from 1; 0: all */
} tdm_diff_cover;

/* Where a row that begins at a time counts, on a GPU or the host; SIZE_MAX: nowhere. */
static inline size_t tdm_diff_observation(const tdm_diff_cover *cover, uint32_t device,
                                          int64_t start_ns) {
  if (cover->units == NULL) return cover->first;
  size_t unit = tdm_work_unit_at(cover->units, device, start_ns);
  if (unit == SIZE_MAX || (cover->only > 0 && unit + 1 != cover->only)) return SIZE_MAX;
  return cover->first + (cover->unit_by_unit ? unit : 0);
}
/* What a row counts for in its observation: so that those of runs are means over their units. */
static inline double tdm_diff_weight(const tdm_diff_cover *cover) {
  bool whole = cover->units == NULL || cover->unit_by_unit || cover->only > 0;
  return whole ? 1 : 1 / (double)cover->units->count;
}

/* How many observations a side this is worth, of two sides of different number. */
static inline double tdm_diff_repeats(size_t a, size_t b) {
  return 2 / (1 / (double)a + 1 / (double)b);
}

/* [a->count + b->count], A's views first; *a_count and *b_count: observations of the sides. Free
 * *covers. */
tdm_status tdm_diff_covers(const tdm_diff_side *a, const tdm_diff_side *b, bool in_units,
                           tdm_diff_cover **covers, size_t *a_count, size_t *b_count,
                           tdm_error *error);

/* Durations of a run's rows by what they are called, so that runs whose name ids differ can be put
 * beside one another.
 *
 * A key is a text: category and name. Keys are shared by all samples that are compared; samples own
 * their rows. Used by diff.c. */

typedef enum {
  TDM_DIFF_KERNEL,   /* GPU work by name */
  TDM_DIFF_BASE,     /* GPU work by the function's own name */
  TDM_DIFF_CATEGORY, /* all rows by category alone */
  TDM_DIFF_OPERATOR,
  TDM_DIFF_STAGE,
  TDM_DIFF_RANGE,
  TDM_DIFF_CALL, /* CUDA API */
  TDM_DIFF_NAME, /* all rows */
  TDM_DIFF_BYS
} tdm_diff_by;

/* Words of option "by"; TDM_DIFF_BYS: unknown. */
tdm_diff_by tdm_diff_by_named(const char *word);
/* The categories that it compares, for people; NULL: all. */
const char *const *tdm_diff_categories(tdm_diff_by by);

/* Key bytes: category, a zero, name (may be empty). */
typedef struct {
  tdm_intern keys;
} tdm_diff_keys;

typedef struct {
  size_t count, room;
  uint32_t *key;
  uint32_t *observation;
  double *weight;
  int64_t *dur_ns;
} tdm_samples; /* zeroed: none */

void tdm_samples_close(tdm_samples *samples);

/* Adds the rows of a view that its cover has. `within` (may be NULL): only GPU work that was asked
 * for, and only host rows that began, while a range of this name was open on any thread. */
tdm_status tdm_samples_add(tdm_samples *samples, tdm_diff_keys *keys, tdm_run_view *view,
                           const tdm_diff_cover *cover, tdm_diff_by by, const char *within,
                           tdm_error *error);

#endif
