/* The table of analyses; see analysis.h. */
#include "analysis/analysis.h"

#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/gaps.h"
#include "analysis/breakdown/over_time.h"
#include "analysis/breakdown/steps.h"
#include "analysis/breakdown/streams.h"
#include "analysis/flame/flame.h"
#include "analysis/path/critical_path.h"
#include "analysis/process/graphs.h"
#include "analysis/process/phases.h"
#include "analysis/process/ranks.h"
#include "analysis/process/sequences.h"
#include "analysis/rules/categories.h"
#include "analysis/compile/compile.h"
#include "analysis/memory/memory.h"
#include "analysis/candidates/candidates.h"
#include "analysis/evidence/evidence.h"
#include "analysis/summary/api.h"
#include "analysis/summary/copies.h"
#include "analysis/summary/gpu.h"
#include "analysis/summary/kernels.h"
#include "analysis/summary/launches.h"
#include "analysis/summary/ops.h"
#include "analysis/summary/osrt.h"
#include "analysis/summary/projected.h"
#include "analysis/summary/range_kernels.h"
#include "analysis/summary/ranges.h"
#include "analysis/summary/syncs.h"

/* One a line. */
/* clang-format off */
static const tdm_analysis analyses[] = {
    {"kernels", tdm_answer_kernels},
    {"gpu", tdm_answer_gpu},
    {"api", tdm_answer_api},
    {"launches", tdm_answer_launches},
    {"syncs", tdm_answer_syncs},
    {"ranges", tdm_answer_ranges},
    {"projected", tdm_answer_projected},
    {"range_kernels", tdm_answer_range_kernels},
    {"ops", tdm_answer_ops},
    {"osrt", tdm_answer_osrt},
    {"copies", tdm_answer_copies},
    {"breakdown", tdm_answer_breakdown},
    {"overlap", tdm_answer_overlap},
    {"idle", tdm_answer_idle},
    {"gaps", tdm_answer_gaps},
    {"queue", tdm_answer_queue},
    {"launch_delay", tdm_answer_launch_delay},
    {"utilization", tdm_answer_utilization},
    {"steps", tdm_answer_steps},
    {"bandwidth", tdm_answer_bandwidth},
    {"critical_path", tdm_answer_critical_path},
    {"sequences", tdm_answer_sequences},
    {"graphs", tdm_answer_graphs},
    {"ranks", tdm_answer_ranks},
    {"phases", tdm_answer_phases},
    {"categories", tdm_answer_categories},
    {"flame", tdm_answer_flame},
    {"memory", tdm_answer_memory},
    {"compile", tdm_answer_compile},
    {"candidate-inside", tdm_candidate_inside},
    {"candidate-periods", tdm_candidate_periods},
    {"candidate-ranges", tdm_candidate_ranges},
    {"candidate-sequences", tdm_candidate_sequences},
    {"evidence-copies", tdm_evidence_copies},
    {"evidence-idle", tdm_evidence_idle},
    {"evidence-launches", tdm_evidence_launches},
    {"evidence-memory", tdm_evidence_memory},
    {"evidence-overlap", tdm_evidence_overlap},
    {"evidence-ranges", tdm_evidence_ranges},
    {"evidence-syncs", tdm_evidence_syncs},
};
/* clang-format on */

const tdm_analysis *tdm_analysis_named(const char *name) {
  for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++)
    if (strcmp(analyses[i].name, name) == 0) return &analyses[i];
  return NULL;
}

static const tdm_option *find(const tdm_options *options, const char *key) {
  for (size_t i = 0; i < options->count; i++)
    if (strcmp(options->option[i].key, key) == 0) return &options->option[i];
  return NULL;
}

const char *tdm_option_text(const tdm_options *options, const char *key, const char *otherwise) {
  const tdm_option *option = find(options, key);
  return option != NULL && option->text != NULL ? option->text : otherwise;
}

double tdm_option_number(const tdm_options *options, const char *key, double otherwise) {
  const tdm_option *option = find(options, key);
  return option != NULL && option->text == NULL ? option->number : otherwise;
}

int tdm_option_flag(const tdm_options *options, const char *key) {
  return tdm_option_number(options, key, 0) != 0;
}

void *tdm_option_object(const tdm_options *options, const char *key) {
  const tdm_option *option = find(options, key);
  return option != NULL ? option->object : NULL;
}
