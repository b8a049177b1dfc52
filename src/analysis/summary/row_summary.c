/* Rows of tables summed by a key of theirs: what the plain summaries (API calls, copies, ranges …)
 * have in common; see inside.h. */
#include "analysis/summary/inside.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  const tdm_row_summary *of;
  int64_t *split; /* key by track */
  tdm_groups groups;
  int64_t *value;
} summing;

static int64_t duration(const tdm_table *table, size_t row) {
  return tdm_table_end_ns(table, row) - tdm_table_start_ns(table, row);
}

static tdm_status take_row(summing *s, const tdm_table *table, size_t row, tdm_error *error) {
  int64_t key[TDM_GROUP_KEYS];
  for (size_t k = 0; k <= s->of->keys; k++) key[k] = 0;
  tdm_row_taken taken = s->of->key(s->of->context, table, row, key + 1);
  if (taken == TDM_ROW_LEFT_OUT) return TDM_OK;
  int64_t value = (s->of->value != NULL ? s->of->value : duration)(table, row);
  if (value == TDM_NONE) return TDM_OK;
  key[0] = s->split[tdm_table_track(table, row)];
  s->value[s->groups.rows] = value;
  if (taken == TDM_ROW_FAILED || tdm_groups_add(&s->groups, key) == UINT32_MAX)
    return tdm_error_memory(error, "a summary", 0);
  return TDM_OK;
}

static void put(const summing *s, const tdm_summary_line *line, tdm_frame *frame) {
  const int64_t *key = s->groups.key + line->group * s->groups.keys;
  tdm_frame_row(frame);
  tdm_summary_put(frame, 0, line);
  tdm_split_put(s->of->view, s->of->split, key[0], frame, TDM_ROW_SUMMARY_SPLIT);
  s->of->put(s->of->context, key + 1, frame);
}

tdm_status tdm_row_summary_put(const tdm_row_summary *summary, const tdm_table *const *tables,
                               size_t count, tdm_frame *frame, tdm_error *error) {
  size_t rows = 0;
  for (size_t t = 0; t < count; t++) rows += tables[t]->count;
  summing s = {.of = summary, .split = tdm_split_keys(summary->view, summary->split)};
  s.value = tdm_array_new(rows + 1, sizeof *s.value);
  tdm_status status = s.split == NULL || s.value == NULL
                          ? tdm_error_memory(error, "a summary", rows * sizeof *s.value)
                          : tdm_groups_open(&s.groups, summary->keys + 1, rows, error);
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; status == TDM_OK && i < tables[t]->count; i++)
      status = take_row(&s, tables[t], i, error);
  tdm_summary_line *lines = NULL;
  if (status == TDM_OK) status = tdm_summary_of(&s.groups, s.value, &lines, error);
  for (size_t g = 0; status == TDM_OK && g < s.groups.count; g++) put(&s, &lines[g], frame);
  free(lines);
  free(s.split);
  free(s.value);
  tdm_groups_close(&s.groups);
  return status;
}
