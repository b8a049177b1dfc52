/* What a map calls things by: a glob (`*`, `?`), or a regular expression written /…/ (PCRE2), whose
 * first capture is a value.
 *
 * A text is looked at once a name id: answers are remembered. Owns what it compiles. Used by the
 * rules of maps (rule.h). */
#ifndef TDM_ANALYSIS_VISITS_PATTERN_H
#define TDM_ANALYSIS_VISITS_PATTERN_H

#include "analysis/run_view.h"

typedef struct {
  char *text; /* as written; NULL: takes everything */
  void *code; /* a compiled expression; NULL: a glob */
  void *match, *limits;
  uint8_t *known; /* by name id: 0 not looked at yet, 1 no, 2 yes */
  size_t room;
} tdm_pattern;

/* NULL: takes everything. TDM_INVALID: not an expression. */
tdm_status tdm_pattern_open(const char *text, tdm_pattern *out, tdm_error *error);
void tdm_pattern_close(tdm_pattern *pattern);

bool tdm_pattern_takes(tdm_pattern *pattern, const char *text);
bool tdm_pattern_takes_name(tdm_pattern *pattern, tdm_run_view *view, int64_t name);

/* The number that a text begins with in the first capture; NaN: not taken, no capture, no number.
 */
double tdm_pattern_number(tdm_pattern *pattern, const char *text);

#endif
