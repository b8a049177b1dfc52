/* The table of analyses; see analysis.h. */
#include "analysis/analysis.h"

#include <string.h>

#define LINE(group, name, answer) {TDM_ANALYSIS_##group, name, answer},
static const tdm_analysis analyses[] = {TDM_ANALYSES(LINE)};
#undef LINE

const tdm_analysis *tdm_analysis_list(size_t *count) {
  *count = sizeof analyses / sizeof *analyses;
  return analyses;
}

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
