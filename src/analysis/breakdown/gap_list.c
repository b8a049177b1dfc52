/* See gap_list.h. */
#include "analysis/breakdown/gap_list.h"

#include <stdlib.h>

#include "base/memory.h"

static int by_gpu_and_time(const void *a, const void *b) {
  const tdm_gap *x = a, *y = b;
  if (x->gpu != y->gpu) return x->gpu < y->gpu ? -1 : 1;
  return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static int longest_first(const void *a, const void *b) {
  const tdm_gap *x = a, *y = b;
  if (x->idle_ns != y->idle_ns) return x->idle_ns > y->idle_ns ? -1 : 1;
  return by_gpu_and_time(a, b);
}

typedef struct {
  const tdm_gpu_rows *rows;
  const tdm_intervals *overhead, *left;
  int64_t threshold_ns;
  tdm_gap_list *list;
} finding;

static bool add(finding *f, tdm_gap gap) {
  if (tdm_length_ns(gap.from_ns, gap.to_ns) < f->threshold_ns) return true;
  const tdm_intervals *overhead = &f->overhead[f->rows->gpu[gap.gpu].source];
  gap.overhead_ns = tdm_intervals_within_ns(overhead, gap.from_ns, gap.to_ns);
  gap.idle_ns = gap.to_ns - gap.from_ns;
  gap.idle_ns -= gap.overhead_ns < gap.idle_ns ? gap.overhead_ns : gap.idle_ns;
  if (gap.idle_ns < f->threshold_ns) return true;
  tdm_gap_list *list = f->list;
  if (!tdm_array_grow(&list->gap, &list->room, list->count + 1, sizeof *list->gap)) return false;
  list->gap[list->count++] = gap;
  return true;
}

/* What the filter leaves of a gap, piece by piece. */
static bool add_pieces(finding *f, tdm_gap gap) {
  const tdm_intervals *left = f->left;
  if (tdm_length_ns(gap.from_ns, gap.to_ns) < f->threshold_ns) return true;
  if (left == NULL) return add(f, gap);
  for (size_t k = tdm_intervals_after(left, gap.from_ns);
       k < left->count && left->start_ns[k] < gap.to_ns; k++) {
    tdm_gap piece = gap;
    if (left->start_ns[k] > piece.from_ns) piece.from_ns = left->start_ns[k];
    if (left->end_ns[k] < piece.to_ns) piece.to_ns = left->end_ns[k];
    if (!add(f, piece)) return false;
  }
  return true;
}

/* `last`: by GPU, the row that ended last so far. Before a GPU's first work and after its last only
 * a filter's times are gaps. */
static bool find_all(finding *f, uint32_t *last) {
  const tdm_table *work = f->rows->work;
  bool fits = true;
  for (uint32_t g = 0; g < f->rows->gpus; g++) last[g] = TDM_NO_ROW;
  for (uint32_t i = 0; fits && i < work->count; i++) {
    if (f->rows->class_of[i] == TDM_LEFT_OUT) continue;
    uint32_t g = f->rows->gpu_of[i], before = last[g];
    int64_t since_ns = before != TDM_NO_ROW ? tdm_table_end_ns(work, before) : INT64_MIN;
    if (tdm_table_start_ns(work, i) > since_ns && (before != TDM_NO_ROW || f->left != NULL))
      fits = add_pieces(f, (tdm_gap){.gpu = g,
                                     .from_ns = since_ns,
                                     .to_ns = tdm_table_start_ns(work, i),
                                     .since_ns = since_ns,
                                     .before = before,
                                     .after = i,
                                     .thread = TDM_NONE});
    if (before == TDM_NO_ROW || tdm_table_end_ns(work, i) > since_ns) last[g] = i;
  }
  for (uint32_t g = 0; fits && f->left != NULL && g < f->rows->gpus; g++) {
    int64_t since_ns = last[g] != TDM_NO_ROW ? tdm_table_end_ns(work, last[g]) : INT64_MIN;
    fits = add_pieces(f, (tdm_gap){.gpu = g,
                                   .from_ns = since_ns,
                                   .to_ns = INT64_MAX,
                                   .since_ns = since_ns,
                                   .before = last[g],
                                   .after = TDM_NO_ROW,
                                   .thread = TDM_NONE});
  }
  return fits;
}

tdm_status tdm_gap_list_find(const tdm_gpu_rows *rows, const tdm_intervals *overhead,
                             const tdm_intervals *left, int64_t threshold_ns, tdm_gap_list *list,
                             tdm_error *error) {
  finding f = {rows, overhead, left, threshold_ns, list};
  uint32_t *last = tdm_array_new(rows->gpus + 1, sizeof *last);
  bool fits = last != NULL && find_all(&f, last);
  free(last);
  if (list->count > 1) qsort(list->gap, list->count, sizeof *list->gap, by_gpu_and_time);
  return fits ? TDM_OK : tdm_error_memory(error, "gaps", list->count * sizeof *list->gap);
}

void tdm_gap_list_close(tdm_gap_list *list) {
  free(list->gap);
  *list = (tdm_gap_list){0};
}

void tdm_gap_list_shorten(tdm_gap_list *list, size_t most) {
  if (list->count <= most) return;
  qsort(list->gap, list->count, sizeof *list->gap, longest_first);
  list->count = most;
  qsort(list->gap, list->count, sizeof *list->gap, by_gpu_and_time);
}

/* ---- what the host did ---- */

/* Rows come in the order of the store; ties go to the earlier one, then to the lower track. */
static bool is_better(const tdm_gap_host *a, const tdm_gap_host *b) {
  if (!b->found) return true;
  if (a->covers_half != b->covers_half) return a->covers_half;
  if (!a->covers_half && a->common_ns != b->common_ns) return a->common_ns > b->common_ns;
  if (a->is_launcher != b->is_launcher) return a->is_launcher;
  if (a->length_ns != b->length_ns) return a->length_ns < b->length_ns;
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns;
  return a->track < b->track;
}

typedef struct {
  const tdm_run_view *view;
  const tdm_gpu_rows *rows;
  tdm_gap_list *list;
  size_t *first; /* where each GPU's gaps begin in the list; [gpus + 1] */
  size_t *near;  /* by GPU: what first_after said last */
  int which;
  size_t passed;
  int64_t track; /* of the last row, and its source: neighbours often share theirs */
  uint32_t source;
} joining;

static void offer(tdm_gap *gap, int which, const tdm_gap_host *row) {
  int64_t end_ns = row->start_ns + row->length_ns;
  int64_t from_ns = row->start_ns > gap->from_ns ? row->start_ns : gap->from_ns;
  int64_t to_ns = end_ns < gap->to_ns ? end_ns : gap->to_ns;
  if (to_ns <= from_ns) return;
  tdm_gap_host made = *row;
  made.is_launcher = row->track == gap->thread;
  made.common_ns = to_ns - from_ns;
  made.covers_half = made.common_ns > (gap->to_ns - gap->from_ns) / 2;
  if (is_better(&made, &gap->host[which])) gap->host[which] = made;
}

/* The first gap of a GPU that ends after a time. Rows are nearly in order, so it is mostly the last
 * answer or one of the next. */
static size_t first_after(joining *j, uint32_t gpu, int64_t at_ns) {
  enum { STEPS = 4 };
  const tdm_gap *gap = j->list->gap;
  size_t low = j->first[gpu], high = j->first[gpu + 1], near = j->near[gpu];
  if (near > low && gap[near - 1].to_ns > at_ns) {
    high = near;
  } else {
    low = near;
    for (int step = 0; step < STEPS; step++, low++)
      if (low == high || gap[low].to_ns > at_ns) return j->near[gpu] = low;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (gap[middle].to_ns <= at_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return j->near[gpu] = low;
}

static void offer_all(joining *j, uint32_t gpu, const tdm_gap_host *row) {
  int64_t end_ns = row->start_ns + row->length_ns;
  tdm_gap *gap = j->list->gap;
  for (size_t k = first_after(j, gpu, row->start_ns);
       k < j->first[gpu + 1] && gap[k].from_ns < end_ns; k++)
    offer(&gap[k], j->which, row);
}

static void visit(void *context, const tdm_row_block *block) {
  joining *j = context;
  j->passed += block->count;
  for (size_t k = 0; k < block->count; k++) {
    uint32_t i = block->row[k];
    if (block->track[i] != j->track) {
      const tdm_track *track = tdm_run_view_track(j->view, j->track = block->track[i]);
      j->source = track != NULL ? track->source : UINT32_MAX;
    }
    int64_t start_ns = block->start_ns[i], length_ns = block->dur_ns[i];
    if (length_ns <= 0 || start_ns > INT64_MAX - length_ns) continue;
    tdm_gap_host row = {.found = true,
                        .name = block->name[i],
                        .track = block->track[i],
                        .start_ns = start_ns,
                        .length_ns = length_ns};
    for (uint32_t g = 0; g < j->rows->gpus; g++)
      if (j->rows->gpu[g].source == j->source) offer_all(j, g, &row);
  }
}

tdm_status tdm_gap_list_join(tdm_run_view *view, const tdm_gpu_rows *rows, const tdm_wanted *wanted,
                             int which, tdm_gap_list *list, size_t *passed, tdm_error *error) {
  joining j = {.view = view, .rows = rows, .list = list, .which = which, .track = TDM_NONE};
  j.first = tdm_array_new(2 * (size_t)rows->gpus + 1, sizeof *j.first);
  if (j.first == NULL) return tdm_error_memory(error, "gaps", 0);
  j.near = j.first + rows->gpus + 1;
  for (size_t i = 0; i < list->count; i++) j.first[list->gap[i].gpu + 1]++;
  for (uint32_t g = 0; g < rows->gpus; g++) j.first[g + 1] += j.first[g];
  for (uint32_t g = 0; g < rows->gpus; g++) j.near[g] = j.first[g];
  tdm_status status = tdm_run_view_pass(view, wanted, visit, &j, error);
  free(j.first);
  *passed += j.passed;
  return status;
}
