/* The table of analyses; see analysis.h. */
#include "analysis/analysis.h"

#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/gaps.h"
#include "analysis/breakdown/over_time.h"
#include "analysis/breakdown/steps.h"
#include "analysis/breakdown/streams.h"
#include "analysis/summary/kernels.h"

/* clang-format off: one a line */
static const tdm_analysis analyses[] = {
    {"kernels", tdm_answer_kernels},
    {"breakdown", tdm_answer_breakdown},
    {"overlap", tdm_answer_overlap},
    {"idle", tdm_answer_idle},
    {"gaps", tdm_answer_gaps},
    {"queue", tdm_answer_queue},
    {"launch_delay", tdm_answer_launch_delay},
    {"utilization", tdm_answer_utilization},
    {"steps", tdm_answer_steps},
    {"bandwidth", tdm_answer_bandwidth},
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
