/* Requests as windows of time, and which of them a moment on a track belongs to; see inside.h. One
 * walk over windows and rows in order of start, with the windows that are open in each group and
 * process. */
#include "analysis/visits/inside.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_windows_close(tdm_windows *windows) {
  free(windows->window);
  free(windows->group_of);
  *windows = (tdm_windows){0};
}

int tdm_windows_add(tdm_windows *windows, tdm_window window) {
  if (!tdm_array_grow(&windows->window, &windows->room, windows->count + 1, sizeof window))
    return 0;
  windows->window[windows->count++] = window;
  return 1;
}

/* Longer ones first, as tables have them; then by group, so that the order is always the same. */
static int by_start(const void *a, const void *b) {
  const tdm_window *x = a, *y = b;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  if (x->end_ns != y->end_ns) return x->end_ns > y->end_ns ? -1 : 1;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

void tdm_windows_sort(tdm_windows *windows) {
  if (windows->count > 1) qsort(windows->window, windows->count, sizeof *windows->window, by_start);
}

unsigned char *tdm_windows_own(const tdm_windows *windows, uint32_t tracks) {
  unsigned char *own = tdm_array_new((size_t)tracks + 1, 1);
  unsigned char *has = tdm_array_new((size_t)windows->groups + 1, 1);
  if (own != NULL && has != NULL) {
    for (size_t i = 0; i < windows->count; i++) has[windows->window[i].group] = 1;
    for (uint32_t t = 0; t < tracks; t++)
      own[t] = windows->group_of[t] < windows->groups && has[windows->group_of[t]];
  } else {
    free(own);
    own = NULL;
  }
  free(has);
  return own;
}

typedef struct {
  uint32_t *window;
  size_t count, room;
  int64_t soonest_ns; /* none of them ends before */
} open_list;

typedef struct {
  const tdm_windows *windows;
  open_list *group, *process;
  size_t next;
} walk;

static int push(open_list *list, uint32_t window, int64_t end_ns) {
  if (!tdm_array_grow(&list->window, &list->room, list->count + 1, sizeof *list->window)) return 0;
  if (list->count == 0 || end_ns < list->soonest_ns) list->soonest_ns = end_ns;
  list->window[list->count++] = window;
  return 1;
}

/* Only those that are still open stay, in order. */
static void drop_ended(const walk *w, open_list *list, int64_t time_ns) {
  if (list->count == 0 || time_ns < list->soonest_ns) return;
  size_t kept = 0;
  list->soonest_ns = INT64_MAX;
  for (size_t i = 0; i < list->count; i++) {
    int64_t end_ns = w->windows->window[list->window[i]].end_ns;
    if (end_ns <= time_ns) continue;
    list->window[kept++] = list->window[i];
    if (end_ns < list->soonest_ns) list->soonest_ns = end_ns;
  }
  list->count = kept;
}

static int open_until(walk *w, int64_t time_ns) {
  const tdm_windows *windows = w->windows;
  for (; w->next < windows->count && windows->window[w->next].start_ns <= time_ns; w->next++) {
    const tdm_window *window = &windows->window[w->next];
    if (window->end_ns <= time_ns) continue;
    if (!push(&w->group[window->group], (uint32_t)w->next, window->end_ns) ||
        !push(&w->process[window->process], (uint32_t)w->next, window->end_ns))
      return 0;
  }
  return 1;
}

static uint32_t find(walk *w, uint32_t track, bool own, int64_t time_ns) {
  open_list *list =
      own ? &w->group[w->windows->group_of[track]] : &w->process[w->windows->processes->of[track]];
  drop_ended(w, list, time_ns);
  if (list->count == 0) return TDM_NO_WINDOW;
  if (!own && list->count > 1) return TDM_TWO_WINDOWS;
  return list->window[list->count - 1];
}

tdm_status tdm_windows_of_rows(const tdm_windows *windows, const tdm_table *table, uint32_t *window,
                               tdm_error *error) {
  uint32_t processes = windows->processes->count, tracks = 0;
  for (size_t i = 0; i < table->count; i++)
    if ((int64_t)tdm_table_track(table, i) >= tracks)
      tracks = (uint32_t)tdm_table_track(table, i) + 1;
  walk w = {.windows = windows};
  unsigned char *own = tdm_windows_own(windows, tracks);
  w.group = tdm_array_new((size_t)windows->groups + 1, sizeof *w.group);
  w.process = tdm_array_new((size_t)processes + 1, sizeof *w.process);
  bool done = own != NULL && w.group != NULL && w.process != NULL;
  for (size_t i = 0; done && i < table->count; i++) {
    uint32_t track = (uint32_t)tdm_table_track(table, i);
    done = open_until(&w, tdm_table_start_ns(table, i)) != 0;
    if (done) window[i] = find(&w, track, own[track], tdm_table_start_ns(table, i));
  }
  for (uint32_t g = 0; w.group != NULL && g < windows->groups; g++) free(w.group[g].window);
  for (uint32_t p = 0; w.process != NULL && p < processes; p++) free(w.process[p].window);
  free(w.group);
  free(w.process);
  free(own);
  return done ? TDM_OK : tdm_error_memory(error, "windows", table->count * sizeof *window);
}
