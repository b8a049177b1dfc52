/* What is known of names, each looked at once: a test of texts, remembered by name id.
 *
 * Zeroed: nothing is known. Owns its array. */
#ifndef TDM_ANALYSIS_NAME_MARKS_H
#define TDM_ANALYSIS_NAME_MARKS_H

#include "analysis/run_view.h"

typedef struct {
  uint8_t *mark; /* by name id: the test's answer + 1; 0: not asked yet */
  size_t room;
} tdm_name_marks;
void tdm_name_marks_close(tdm_name_marks *marks);

/* What tdm_name_mark does for a name that is not known. */
uint8_t tdm_name_mark_new(tdm_name_marks *marks, tdm_run_view *view, int64_t name,
                          uint8_t (*test)(const char *text));

/* test(text) of a name, 0 … 254. Names beyond what memory allows are tested every time. */
static inline uint8_t tdm_name_mark(tdm_name_marks *marks, tdm_run_view *view, int64_t name,
                                    uint8_t (*test)(const char *text)) {
  if (name >= 0 && (size_t)name < marks->room && marks->mark[name] != 0)
    return (uint8_t)(marks->mark[name] - 1);
  return tdm_name_mark_new(marks, view, name, test);
}

#endif
