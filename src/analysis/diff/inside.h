/* What two sides of a diff are made of: which rows belong to a range, durations by what their rows
 * are called. */
#ifndef TDM_ANALYSIS_DIFF_INSIDE_H
#define TDM_ANALYSIS_DIFF_INSIDE_H

#include "analysis/run_view/run_view.h"
#include "trace/intern.h"

/* Which rows belong to a range by who asked for them: GPU work counts where its API call began, as
 * profilers attribute kernels to steps; anything else where it began itself. Owns no state. Used by
 * samples.c and totals.c. A flag a row. TDM_INVALID: the run has no such range. GPU work whose call
 * was not recorded does not belong. Free *belongs. */
tdm_status tdm_within(tdm_run_view *view, const tdm_table *table, bool is_gpu_work,
                      const char *range, bool **belongs, tdm_error *error);

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
  uint32_t *run; /* ordinal of the view */
  int64_t *dur_ns;
} tdm_samples; /* zeroed: none */

void tdm_samples_close(tdm_samples *samples);

/* Adds the rows of a view as run number `run`. `within` (may be NULL): only GPU work that was asked
 * for, and only host rows that began, while a range of this name was open on any thread. */
tdm_status tdm_samples_add(tdm_samples *samples, tdm_diff_keys *keys, tdm_run_view *view,
                           uint32_t run, tdm_diff_by by, const char *within, tdm_error *error);

#endif
