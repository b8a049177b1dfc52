/* The table of analyses: what a view can be asked. One line each below.
 *
 * An analysis is a function from a view and options to an answer. It keeps no state, prints
 * nothing, and says in the answer what it cannot tell. Its description for people (titles, columns,
 * options, plots) is lua/tandem/analysis/NAME.lua. Called by the binding. */
#ifndef TDM_ANALYSIS_ANALYSIS_H
#define TDM_ANALYSIS_ANALYSIS_H

#include "analysis/answer.h"
#include "analysis/run_view/run_view.h"

/* What the caller chose; names and types were checked in Lua. */
typedef struct {
  const char *key;
  const char *text; /* NULL: a number */
  double number;    /* flags: 1 */
  void *object;     /* of C, borrowed during the call (rules: a tdm_rule_set); else NULL */
} tdm_option;

typedef struct {
  const tdm_option *option;
  size_t count;
} tdm_options;

const char *tdm_option_text(const tdm_options *options, const char *key, const char *otherwise);
double tdm_option_number(const tdm_options *options, const char *key, double otherwise);
int tdm_option_flag(const tdm_options *options, const char *key);
void *tdm_option_object(const tdm_options *options, const char *key); /* NULL: none */

/* Every analysis: what it is about, its name, its function, in the order that help shows them. The
 * room is src/analysis/ROOM; what an analysis takes and tells stands at the top of its file. INNER
 * ones have no command: candidates for requests and stages, sizes of collectives, what rules of
 * advice rest on. */
/* clang-format off */
#define TDM_ANALYSES(ANALYSIS)                                                                     \
  ANALYSIS(RAN, "kernels", tdm_answer_kernels)                                                     \
  ANALYSIS(RAN, "gpu", tdm_answer_gpu)                                                             \
  ANALYSIS(RAN, "api", tdm_answer_api)                                                             \
  ANALYSIS(RAN, "launches", tdm_answer_launches)                                                   \
  ANALYSIS(RAN, "syncs", tdm_answer_syncs)                                                         \
  ANALYSIS(RAN, "ranges", tdm_answer_ranges)                                                       \
  ANALYSIS(RAN, "projected", tdm_answer_projected)                                                 \
  ANALYSIS(RAN, "range_kernels", tdm_answer_range_kernels)                                         \
  ANALYSIS(RAN, "ops", tdm_answer_ops)                                                             \
  ANALYSIS(RAN, "osrt", tdm_answer_osrt)                                                           \
  ANALYSIS(TIME, "breakdown", tdm_answer_breakdown)                                                \
  ANALYSIS(TIME, "overlap", tdm_answer_overlap)                                                    \
  ANALYSIS(TIME, "idle", tdm_answer_idle)                                                          \
  ANALYSIS(TIME, "gaps", tdm_answer_gaps)                                                          \
  ANALYSIS(TIME, "queue", tdm_answer_queue)                                                        \
  ANALYSIS(TIME, "launch_delay", tdm_answer_launch_delay)                                          \
  ANALYSIS(TIME, "utilization", tdm_answer_utilization)                                            \
  ANALYSIS(TIME, "roofline", tdm_answer_roofline)                                                  \
  ANALYSIS(TIME, "sequences", tdm_answer_sequences)                                                \
  ANALYSIS(TIME, "graphs", tdm_answer_graphs)                                                      \
  ANALYSIS(TIME, "critical_path", tdm_answer_critical_path)                                        \
  ANALYSIS(TIME, "ranks", tdm_answer_ranks)                                                        \
  ANALYSIS(TIME, "phases", tdm_answer_phases)                                                      \
  ANALYSIS(TIME, "categories", tdm_answer_categories)                                              \
  ANALYSIS(TIME, "flame", tdm_answer_flame)                                                        \
  ANALYSIS(TIME, "steps", tdm_answer_steps)                                                        \
  ANALYSIS(MEMORY, "copies", tdm_answer_copies)                                                    \
  ANALYSIS(MEMORY, "bandwidth", tdm_answer_bandwidth)                                              \
  ANALYSIS(MEMORY, "memory", tdm_answer_memory)                                                    \
  ANALYSIS(CHANGE, "compile", tdm_answer_compile)                                                  \
  ANALYSIS(INNER, "candidate-inside", tdm_candidate_inside)                                        \
  ANALYSIS(INNER, "candidate-periods", tdm_candidate_periods)                                      \
  ANALYSIS(INNER, "candidate-ranges", tdm_candidate_ranges)                                        \
  ANALYSIS(INNER, "candidate-sequences", tdm_candidate_sequences)                                  \
  ANALYSIS(INNER, "collective-sizes", tdm_collective_sizes)                                        \
  ANALYSIS(INNER, "evidence-causes", tdm_evidence_causes)                                          \
  ANALYSIS(INNER, "evidence-copies", tdm_evidence_copies)                                          \
  ANALYSIS(INNER, "evidence-idle", tdm_evidence_idle)                                              \
  ANALYSIS(INNER, "evidence-launches", tdm_evidence_launches)                                      \
  ANALYSIS(INNER, "evidence-memory", tdm_evidence_memory)                                          \
  ANALYSIS(INNER, "evidence-overlap", tdm_evidence_overlap)                                        \
  ANALYSIS(INNER, "evidence-ranges", tdm_evidence_ranges)                                          \
  ANALYSIS(INNER, "evidence-syncs", tdm_evidence_syncs)
/* clang-format on */

typedef tdm_status tdm_analysis_answer(tdm_run_view *view, const tdm_options *options,
                                       tdm_answer *out, tdm_error *error);
#define TDM_ANALYSIS_DECLARED(group, name, answer) tdm_analysis_answer answer;
TDM_ANALYSES(TDM_ANALYSIS_DECLARED)
#undef TDM_ANALYSIS_DECLARED

typedef enum {
  TDM_ANALYSIS_RAN,
  TDM_ANALYSIS_TIME,
  TDM_ANALYSIS_MEMORY,
  TDM_ANALYSIS_CHANGE,
  TDM_ANALYSIS_INNER
} tdm_analysis_group;

typedef struct {
  tdm_analysis_group group;
  const char *name;
  tdm_analysis_answer *answer;
} tdm_analysis;

/* All of them; *count says how many. */
const tdm_analysis *tdm_analysis_list(size_t *count);

/* NULL: there is none. */
const tdm_analysis *tdm_analysis_named(const char *name);

#endif
