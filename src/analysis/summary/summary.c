/* See summary.h. */
#include "analysis/summary/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/intern.h"

static int longer_first(const void *a, const void *b) {
  const tdm_summary_line *x = a, *y = b;
  if (x->moments.total != y->moments.total) return x->moments.total > y->moments.total ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

tdm_status tdm_summary_of(tdm_groups *groups, const int64_t *value, tdm_summary_line **out,
                          tdm_error *error) {
  *out = NULL;
  tdm_status status = tdm_groups_gather(groups, error);
  if (status != TDM_OK) return status;
  tdm_summary_line *lines = tdm_array_new(groups->count + 1, sizeof *lines);
  int64_t *values = tdm_array_raw(groups->rows + 1, sizeof *values);
  if (lines == NULL || values == NULL) {
    free(lines);
    free(values);
    return tdm_error_memory(error, "a summary", groups->rows * sizeof *values);
  }
  for (size_t i = 0; i < groups->rows; i++) values[i] = value[groups->row[i]];
  double all = 0;
  for (size_t g = 0; g < groups->count; g++) {
    size_t first = groups->first[g];
    lines[g].group = (uint32_t)g;
    lines[g].moments = tdm_moments_of(values + first, groups->first[g + 1] - first);
    all += (double)lines[g].moments.total;
  }
  for (size_t g = 0; g < groups->count && all > 0; g++)
    lines[g].share = (double)lines[g].moments.total / all;
  qsort(lines, groups->count, sizeof *lines, longer_first);
  free(values);
  *out = lines;
  return TDM_OK;
}

void tdm_summary_put(tdm_frame *frame, size_t first_field, const tdm_summary_line *line) {
  const tdm_moments *m = &line->moments;
  tdm_frame_real(frame, first_field, line->share);
  tdm_frame_int(frame, first_field + 1, m->total);
  tdm_frame_int(frame, first_field + 2, (int64_t)m->count);
  tdm_frame_real(frame, first_field + 3, m->mean);
  tdm_frame_real(frame, first_field + 4, m->median);
  tdm_frame_int(frame, first_field + 5, m->min);
  tdm_frame_int(frame, first_field + 6, m->max);
  tdm_frame_real(frame, first_field + 7, m->deviation);
}

/* ---- splitting ---- */

tdm_status tdm_split_option(const tdm_options *options, tdm_split *split, tdm_error *error) {
  static const char *const names[] = {"none", "device", "stream", "process", "rank", "thread"};
  const char *text = tdm_option_text(options, "each", "none");
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    if (strcmp(names[i], text) != 0) continue;
    *split = (tdm_split)i;
    return TDM_OK;
  }
  return tdm_error_set(error, TDM_INVALID,
                       "'each' cannot be '%s'; it can be device, stream, process, rank, thread",
                       text);
}

/* Files that do not say their rank stay apart, and are told by their paths. */
#define UNRANKED (TDM_NONE + 1)

static int64_t rank_of(tdm_run_view *view, const tdm_track *track) {
  const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(view), track->source);
  if (source == NULL) return TDM_NONE;
  return source->rank != TDM_NONE ? source->rank : UNRANKED + (int64_t)track->source;
}

static void put_rank(tdm_run_view *view, int64_t key, tdm_frame *frame, size_t first_field) {
  tdm_run_tables *tables = tdm_run_view_tables(view);
  if (key >= UNRANKED + (int64_t)tdm_run_tables_sources(tables))
    tdm_frame_int(frame, first_field, key);
  else
    tdm_frame_name(frame, first_field + 2, tdm_run_tables_source(tables, key - UNRANKED)->path);
}

static int64_t key_of(tdm_run_view *view, tdm_split split, int64_t track) {
  const tdm_track *about = tdm_run_view_track(view, track);
  if (about == NULL) return TDM_NONE;
  switch (split) {
  case TDM_SPLIT_DEVICE: return tdm_run_view_device_of(view, track);
  case TDM_SPLIT_STREAM:
  case TDM_SPLIT_THREAD: return track;
  case TDM_SPLIT_RANK: return rank_of(view, about);
  default: return 0;
  }
}

/* The first track of a process stands for it: of the same pid, or of the same heading where a track
 * has none. 0: out of memory. */
static int find_processes(tdm_run_view *view, uint32_t tracks, int64_t *keys) {
  enum { KEYS = 2 };
  tdm_intern headings = {0};
  tdm_groups pids = {0}, heads = {0};
  int64_t *of_pid = tdm_array_new((size_t)tracks + 1, sizeof *of_pid);
  int64_t *of_head = tdm_array_new((size_t)tracks + 1, sizeof *of_head);
  tdm_error ignored;
  int fits = of_pid != NULL && of_head != NULL &&
             tdm_groups_open(&pids, KEYS, tracks, &ignored) == TDM_OK &&
             tdm_groups_open(&heads, KEYS, tracks, &ignored) == TDM_OK;
  for (uint32_t t = 0; fits && t < tracks; t++) {
    const tdm_track *track = tdm_run_view_track(view, t);
    keys[t] = TDM_NONE;
    if (track == NULL) continue;
    uint32_t heading = tdm_intern_put(&headings, track->process, strlen(track->process), NULL);
    size_t known_pids = pids.count, known_heads = heads.count;
    uint32_t pid = tdm_groups_add(&pids, (const int64_t[KEYS]){track->source, track->pid});
    uint32_t head = tdm_groups_add(&heads, (const int64_t[KEYS]){track->source, heading});
    fits = heading != TDM_INTERN_FAILED && pid != UINT32_MAX && head != UINT32_MAX;
    if (!fits) break;
    if (pid == known_pids) of_pid[pid] = t;
    if (head == known_heads) of_head[head] = t;
    keys[t] = track->pid != TDM_NONE ? of_pid[pid] : of_head[head];
  }
  tdm_intern_clear(&headings);
  tdm_groups_close(&pids);
  tdm_groups_close(&heads);
  free(of_pid);
  free(of_head);
  return fits;
}

int64_t *tdm_split_keys(tdm_run_view *view, tdm_split split) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  int64_t *keys = tdm_array_new((size_t)tracks + 1, sizeof *keys);
  if (keys != NULL && split == TDM_SPLIT_PROCESS) {
    if (find_processes(view, tracks, keys)) return keys;
    free(keys);
    return NULL;
  }
  for (uint32_t t = 0; keys != NULL && t < tracks; t++) keys[t] = key_of(view, split, t);
  return keys;
}

void tdm_split_put(tdm_run_view *view, tdm_split split, int64_t key, tdm_frame *frame,
                   size_t first_field) {
  if (split == TDM_SPLIT_NONE || key == TDM_NONE) return;
  if (split == TDM_SPLIT_RANK) {
    put_rank(view, key, frame, first_field);
    return;
  }
  uint32_t index = split == TDM_SPLIT_DEVICE ? (uint32_t)key : tdm_run_view_device_of(view, key);
  const tdm_device *device = tdm_run_view_device(view, index);
  bool on_device = split == TDM_SPLIT_DEVICE || split == TDM_SPLIT_STREAM;
  if (on_device && device != NULL) {
    tdm_frame_int(frame, first_field, device->rank);
    tdm_frame_name(frame, first_field + 1, device->name);
  }
  const tdm_track *track = split == TDM_SPLIT_DEVICE ? NULL : tdm_run_view_track(view, key);
  if (track == NULL) return;
  if (split == TDM_SPLIT_STREAM) tdm_frame_name(frame, first_field + 3, track->name);
  if (split == TDM_SPLIT_THREAD) tdm_frame_int(frame, first_field + 4, track->tid);
  char process[64];
  if (track->pid != TDM_NONE) snprintf(process, sizeof process, "%lld", (long long)track->pid);
  if (split == TDM_SPLIT_PROCESS || split == TDM_SPLIT_THREAD)
    tdm_frame_text(frame, first_field + 2, track->pid != TDM_NONE ? process : track->process);
}
