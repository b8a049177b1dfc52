/* What is known of names, each looked at once: a test of texts, remembered by name id; see
 * run_view.h. */
#include "analysis/run_view/run_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST = 1 << 28 };

void tdm_name_marks_close(tdm_name_marks *marks) {
  free(marks->mark);
  *marks = (tdm_name_marks){0};
}

uint8_t tdm_name_mark_new(tdm_name_marks *marks, tdm_run_view *view, int64_t name,
                          uint8_t (*test)(const char *text)) {
  uint8_t found = test(tdm_run_view_name(view, name));
  size_t before = marks->room;
  if (name < 0 || name >= MOST) return found;
  if ((size_t)name >= before) {
    if (!tdm_array_grow(&marks->mark, &marks->room, (size_t)name + 1, 1)) return found;
    memset(marks->mark + before, 0, marks->room - before);
  }
  marks->mark[name] = (uint8_t)(found + 1);
  return found;
}
