/* The table of analyses: what a view can be asked. One line each in analysis.c.
 *
 * An analysis is a function from a view and options to an answer. It keeps no state, prints
 * nothing, and says in the answer what it cannot tell. Its description for people (titles, columns,
 * options, plots) is lua/tandem/analysis/NAME.lua. Called by the binding. */
#ifndef TDM_ANALYSIS_ANALYSIS_H
#define TDM_ANALYSIS_ANALYSIS_H

#include "analysis/answer.h"
#include "analysis/run_view.h"

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

typedef struct {
  const char *name;
  tdm_status (*answer)(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                       tdm_error *error);
} tdm_analysis;

/* NULL: there is none. */
const tdm_analysis *tdm_analysis_named(const char *name);

#endif
