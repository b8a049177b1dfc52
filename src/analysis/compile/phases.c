/* Where compile time goes: the phases that torch.compile's log tells; see inside.h. */
#include "analysis/compile/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

static const char *const compile_categories[] = {"compile", NULL};
static const tdm_arg kind_keys[] = {{"kind", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted phases = {.categories = compile_categories,
                                  .keys = kind_keys,
                                  .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_ASYNC |
                                            1u << TDM_SHAPE_OPEN};

static const tdm_field fields[] = {{"rank", TDM_FIELD_INT},     {"phase", TDM_FIELD_TEXT},
                                   {"share", TDM_FIELD_REAL},   {"self_ns", TDM_FIELD_INT},
                                   {"total_ns", TDM_FIELD_INT}, {"count", TDM_FIELD_INT}};
enum { RANK, PHASE, SHARE, SELF, TOTAL, COUNT, FIELDS };

typedef struct {
  uint32_t group;
  int64_t self_ns, total_ns, count;
} line;

static int by_self(const void *a, const void *b) {
  const line *x = a, *y = b;
  if (x->self_ns != y->self_ns) return x->self_ns > y->self_ns ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

/* Metrics of a compilation are spans too. */
static bool is_phase(tdm_run_view *view, const tdm_table *t, size_t i) {
  return tdm_table_arg(t, 0, i) == TDM_NONE ||
         strcmp(tdm_run_view_name(view, tdm_table_arg(t, 0, i)), "chromium_event") == 0;
}

static int64_t source_of(const tdm_run_view *view, int64_t track) {
  const tdm_track *about = tdm_run_view_track(view, track);
  return about != NULL ? about->source : 0;
}

/* What is within a span on its track is not its own; what crosses its end counts up to there. */
static void take_self(const tdm_table *t, const bool *wanted, int64_t *self_ns, uint32_t *open,
                      uint32_t *below) {
  for (size_t i = 0; i < t->count; i++) {
    if (!wanted[i]) continue;
    uint32_t *top = &open[tdm_table_track(t, i)];
    while (*top != 0 && tdm_table_end_ns(t, *top - 1) <= tdm_table_start_ns(t, i))
      *top = below[*top - 1];
    self_ns[i] = tdm_table_end_ns(t, i) - tdm_table_start_ns(t, i);
    if (*top != 0) {
      size_t parent = *top - 1;
      int64_t end = tdm_table_end_ns(t, i) < tdm_table_end_ns(t, parent)
                        ? tdm_table_end_ns(t, i)
                        : tdm_table_end_ns(t, parent);
      self_ns[parent] -= end - tdm_table_start_ns(t, i);
      if (self_ns[parent] < 0) self_ns[parent] = 0;
    }
    below[i] = *top;
    *top = (uint32_t)i + 1;
  }
}

static tdm_status add_up(tdm_run_view *view, const tdm_table *t, const bool *wanted,
                         const int64_t *self_ns, tdm_groups *groups, line **lines,
                         tdm_error *error) {
  size_t room = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (!wanted[i]) continue;
    int64_t key[] = {source_of(view, tdm_table_track(t, i)), tdm_table_name(t, i)};
    size_t known = groups->count;
    uint32_t g = tdm_groups_add(groups, key);
    if (g == UINT32_MAX || !tdm_array_grow(lines, &room, (size_t)g + 1, sizeof **lines))
      return tdm_error_memory(error, "phases", groups->count);
    if (g == known) (*lines)[g] = (line){.group = g};
    (*lines)[g].self_ns += self_ns[i];
    (*lines)[g].total_ns += tdm_table_end_ns(t, i) - tdm_table_start_ns(t, i);
    (*lines)[g].count++;
  }
  return TDM_OK;
}

static void put(tdm_run_view *view, const tdm_groups *groups, line *lines, tdm_frame *frame) {
  if (groups->count > 0) qsort(lines, groups->count, sizeof *lines, by_self);
  for (size_t i = 0; i < groups->count; i++) {
    const int64_t *key = groups->key + (size_t)lines[i].group * 2;
    int64_t whole = 0;
    for (size_t k = 0; k < groups->count; k++)
      if (groups->key[(size_t)lines[k].group * 2] == key[0]) whole += lines[k].self_ns;
    const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(view), key[0]);
    tdm_frame_row(frame);
    tdm_frame_int(frame, RANK, source != NULL ? source->rank : TDM_NONE);
    tdm_frame_name(frame, PHASE, tdm_run_view_name(view, key[1]));
    if (whole > 0) tdm_frame_real(frame, SHARE, (double)lines[i].self_ns / (double)whole);
    tdm_frame_int(frame, SELF, lines[i].self_ns);
    tdm_frame_int(frame, TOTAL, lines[i].total_ns);
    tdm_frame_int(frame, COUNT, lines[i].count);
  }
}

tdm_status tdm_compile_put_phases(tdm_run_view *view, tdm_answer *out, tdm_error *error) {
  const tdm_table *t = NULL;
  tdm_status status = tdm_run_view_table(view, &phases, &t, error);
  if (status != TDM_OK) return status;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  bool *wanted = tdm_array_new(t->count + 1, sizeof *wanted);
  int64_t *self_ns = tdm_array_new(t->count + 1, sizeof *self_ns);
  uint32_t *open = tdm_array_new(tracks + 1, sizeof *open);
  uint32_t *below = tdm_array_new(t->count + 1, sizeof *below);
  tdm_groups groups = {0};
  line *lines = NULL;
  status = wanted == NULL || self_ns == NULL || open == NULL || below == NULL
               ? tdm_error_memory(error, "phases", t->count)
               : tdm_groups_open(&groups, 2, t->count, error);
  for (size_t i = 0; status == TDM_OK && i < t->count; i++) wanted[i] = is_phase(view, t, i);
  if (status == TDM_OK) take_self(t, wanted, self_ns, open, below);
  if (status == TDM_OK) status = add_up(view, t, wanted, self_ns, &groups, &lines, error);
  tdm_frame *frame = tdm_answer_frame(out, "phases", fields, FIELDS);
  if (status == TDM_OK) put(view, &groups, lines, frame);
  free(lines);
  tdm_groups_close(&groups);
  free(wanted);
  free(self_ns);
  free(open);
  free(below);
  return status;
}
