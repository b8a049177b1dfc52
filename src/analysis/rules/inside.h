/* What is counted on the way to the answer; shared by categories.c, which counts, and
 * categories_frames.c, which tells.
 *
 * A subject is a distinct name, matched once; a line is a subject on one device (rank, or all); a
 * part is what the caller wants apart: a device, a rank, everything. Rows carry its number, since
 * two files may call their devices the same. */
#ifndef TDM_ANALYSIS_RULES_INSIDE_H
#define TDM_ANALYSIS_RULES_INSIDE_H

#include "analysis/rules/rule_set.h"
#include "analysis/summary/summary.h"
#include "trace/intern.h"

enum { TDM_LINE_PART, TDM_LINE_SUBJECT, TDM_LINE_KEYS = TDM_LINE_SUBJECT + 2 };
enum { TDM_UNMATCHED = -1 };

typedef struct {
  int64_t elapsed_ns, total_ns, count;
  size_t group;
} tdm_busy_sums;

typedef struct {
  tdm_labels labels;
  const char *name;     /* the view's */
  char *made;           /* ours, when it is no name of the view; may be NULL */
  int64_t category;     /* id in `texts`; TDM_UNMATCHED */
  const char *own_rule; /* a category that needs no rule */
} tdm_subject;

typedef struct {
  tdm_busy_sums busy;
  int64_t unmatched_ns, devices;
} tdm_part;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table;
  tdm_rule_set *rules;
  tdm_split split;
  int64_t wall_ns; /* of one device */
  tdm_groups lines, subjects, parts;
  int64_t *split_of; /* by track: the key of its part */
  uint32_t *part_of; /* by track; UINT32_MAX: not asked yet */
  tdm_subject *subject;
  tdm_busy_sums *line;
  size_t line_room;
  tdm_part *part;
  tdm_intern texts; /* categories */
} tdm_categories;

static inline void tdm_busy_sums_add(tdm_busy_sums *to, int64_t elapsed_ns, int64_t total_ns,
                                     int64_t count) {
  if (__builtin_add_overflow(to->elapsed_ns, elapsed_ns, &to->elapsed_ns))
    to->elapsed_ns = INT64_MAX;
  if (__builtin_add_overflow(to->total_ns, total_ns, &to->total_ns)) to->total_ns = INT64_MAX;
  to->count += count;
}

static inline const tdm_subject *tdm_subject_of(const tdm_categories *c, size_t line) {
  return &c->subject[c->subjects.group[line]];
}

/* The frames of the answer, its basis, and what cannot be answered. */
tdm_status tdm_categories_tell(const tdm_categories *c, bool wall_given, tdm_answer *out,
                               tdm_error *error);

#endif
