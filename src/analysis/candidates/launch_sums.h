/* How much GPU work the threads of a process launched between two moments.
 *
 * Work is counted where its API call began, also when another thread of the process made the call;
 * work without a recorded call where it began itself. Owns its arrays. Used by candidates for
 * requests. */
#ifndef TDM_ANALYSIS_CANDIDATES_LAUNCH_SUMS_H
#define TDM_ANALYSIS_CANDIDATES_LAUNCH_SUMS_H

#include "analysis/groups.h"
#include "analysis/run_view/run_view.h"

typedef struct {
  const uint32_t *process; /* by track: tdm_processes */
  uint32_t processes;
  uint32_t *first;  /* [processes + 2] where each one's work begins */
  int64_t *at_ns;   /* process by process, in order */
  int64_t *sum_ns;  /* [count + 1] of all work before */
  int64_t total_ns; /* of all work */
} tdm_launch_sums;

tdm_status tdm_launch_sums_open(tdm_run_view *view, tdm_launch_sums *out, tdm_error *error);
void tdm_launch_sums_close(tdm_launch_sums *sums);

/* Which work ranges of several names had launched, each piece once however many ranges of a name
 * were open: a name's times in a process are joined. Ranges come in order of start. */
typedef struct {
  int64_t first_ns, until_ns;
} tdm_launch_cover;
typedef struct {
  tdm_groups owners; /* name and process */
  tdm_launch_cover *cover;
  size_t room;
} tdm_launch_covers;
tdm_status tdm_launch_covers_open(tdm_launch_covers *covers, size_t ranges, tdm_error *error);
void tdm_launch_covers_close(tdm_launch_covers *covers);
/* What one range adds to its name's work; -1: out of memory. Call it `ranges` times at most. */
int64_t tdm_launch_covers_add(tdm_launch_covers *covers, const tdm_launch_sums *sums, int64_t name,
                              int64_t track, int64_t from_ns, int64_t to_ns);

/* Of the work launched from `from_ns` to before `to_ns` in a process. */
int64_t tdm_launch_sums_within(const tdm_launch_sums *sums, uint32_t process, int64_t from_ns,
                               int64_t to_ns);

#endif
