/* See gap_list.h. */
#include "analysis/breakdown/gap_list.h"

#include <stdlib.h>

#include "base/memory.h"

/* How long the set is between two times. */
static int64_t inside_ns(const tdm_intervals *set, int64_t from_ns, int64_t to_ns) {
  size_t low = 0, high = set->count; /* the first interval that ends after from_ns */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (set->end_ns[middle] <= from_ns)
      low = middle + 1;
    else
      high = middle;
  }
  int64_t total_ns = 0;
  for (; low < set->count && set->start_ns[low] < to_ns; low++) {
    int64_t start_ns = set->start_ns[low] > from_ns ? set->start_ns[low] : from_ns;
    int64_t end_ns = set->end_ns[low] < to_ns ? set->end_ns[low] : to_ns;
    total_ns += end_ns - start_ns;
  }
  return total_ns;
}

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
  size_t count, last; /* rows so far; the one that ended last */
} walked;

tdm_status tdm_gap_list_find(const tdm_gpu_rows *rows, const tdm_intervals *overhead,
                             const tdm_intervals *left, int64_t threshold_ns, tdm_gap_list *list,
                             tdm_error *error) {
  const tdm_table *work = rows->work;
  walked *gpus = tdm_array_new(rows->gpus + 1, sizeof *gpus);
  if (gpus == NULL) return tdm_error_memory(error, "gaps", 0);
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    if (rows->class_of[i] == TDM_LEFT_OUT) continue;
    uint32_t g = rows->gpu_of[i];
    walked *at = &gpus[g];
    int64_t from_ns = at->count > 0 ? work->end_ns[at->last] : INT64_MAX;
    tdm_gap gap = {g, from_ns, work->start_ns[i], 0, 0, at->last, i, TDM_NONE, {{0}, {0}}};
    if (gap.to_ns > from_ns && gap.to_ns - from_ns >= threshold_ns) {
      gap.overhead_ns = inside_ns(&overhead[rows->gpu[g].source], from_ns, gap.to_ns);
      gap.idle_ns = left->count > 0 ? inside_ns(left, from_ns, gap.to_ns) : gap.to_ns - from_ns;
      gap.idle_ns -= gap.overhead_ns < gap.idle_ns ? gap.overhead_ns : gap.idle_ns;
      if (gap.idle_ns >= threshold_ns) {
        if (tdm_array_grow(&list->gap, &list->room, list->count + 1, sizeof *list->gap))
          list->gap[list->count++] = gap;
        else
          status = tdm_error_memory(error, "gaps", list->count * sizeof gap);
      }
    }
    if (at->count++ == 0 || work->end_ns[i] > work->end_ns[at->last]) at->last = i;
  }
  free(gpus);
  qsort(list->gap, list->count, sizeof *list->gap, by_gpu_and_time);
  return status;
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

static bool is_better(const tdm_gap_host *a, const tdm_gap_host *b) {
  if (!b->found) return true;
  if (a->covers_half != b->covers_half) return a->covers_half;
  if (!a->covers_half) return a->common_ns > b->common_ns;
  if (a->is_launcher != b->is_launcher) return a->is_launcher;
  return a->length_ns < b->length_ns;
}

static void offer(tdm_gap *gap, int which, const tdm_table *host, size_t row) {
  int64_t start_ns = host->start_ns[row], end_ns = host->end_ns[row];
  int64_t from_ns = start_ns > gap->from_ns ? start_ns : gap->from_ns;
  int64_t to_ns = end_ns < gap->to_ns ? end_ns : gap->to_ns;
  if (to_ns <= from_ns) return;
  tdm_gap_host made = {.found = true,
                       .is_launcher = host->track[row] == gap->thread,
                       .covers_half = to_ns - from_ns > (gap->to_ns - gap->from_ns) / 2,
                       .row = row,
                       .common_ns = to_ns - from_ns,
                       .length_ns = end_ns - start_ns};
  if (is_better(&made, &gap->host[which])) gap->host[which] = made;
}

/* Where each GPU's gaps begin in the list; [gpus + 1]. */
static size_t *find_firsts(const tdm_gap_list *list, uint32_t gpus) {
  size_t *first = tdm_array_new(gpus + 1, sizeof *first);
  for (size_t i = 0; first != NULL && i < list->count; i++) first[list->gap[i].gpu + 1]++;
  for (uint32_t g = 0; first != NULL && g < gpus; g++) first[g + 1] += first[g];
  return first;
}

tdm_status tdm_gap_list_join(const tdm_run_view *view, const tdm_gpu_rows *rows,
                             const tdm_table *host, int which, tdm_gap_list *list,
                             tdm_error *error) {
  size_t *first = find_firsts(list, rows->gpus);
  size_t *next = find_firsts(list, rows->gpus); /* rows come by start: gaps before are done */
  if (first == NULL || next == NULL) {
    free(first);
    free(next);
    return tdm_error_memory(error, "gaps", 0);
  }
  int64_t track = TDM_NONE;
  uint32_t source = UINT32_MAX;
  for (size_t i = 0; i < host->count; i++) {
    if (host->track[i] != track) {
      const tdm_place *place = tdm_run_view_place(view, track = host->track[i]);
      source = place != NULL ? place->source : UINT32_MAX;
    }
    for (uint32_t g = 0; g < rows->gpus; g++) {
      if (rows->gpu[g].source != source) continue;
      while (next[g] < first[g + 1] && list->gap[next[g]].to_ns <= host->start_ns[i]) next[g]++;
      for (size_t k = next[g]; k < first[g + 1] && list->gap[k].from_ns < host->end_ns[i]; k++)
        offer(&list->gap[k], which, host, i);
    }
  }
  free(first);
  free(next);
  return TDM_OK;
}
