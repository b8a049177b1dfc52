/* What is open on threads at a time: the host's spans as stacks in a tree, and the stack in which
 * each call to the GPU was made; see inside.h. One pass over the spans of all threads in order of
 * start, a stack a thread. */
#include "analysis/flame/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const host_categories[] = {
    "nvtx", "user_annotation", "cpu_op", "python_function", "runtime", "driver", "osrt", "mpi",
    "nccl", "sample",          NULL};
static const tdm_arg host_keys[] = {{"correlation", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
const tdm_wanted tdm_flame_spans = {.categories = host_categories, .keys = host_keys};

static const char *const sample_categories[] = {"sample", NULL};
const tdm_wanted tdm_flame_samples = {.categories = sample_categories,
                                      .shapes = 1u << TDM_SHAPE_INSTANT};

typedef struct {
  int64_t end_ns;
  uint32_t frame;
} open_span;

struct tdm_flame_open {
  open_span *span;
  size_t depth, room;
};

const char *tdm_flame_kind_name(uint32_t kind) {
  static const char *const others[] = {"kernel", "memcpy",  "memset",   "graph",   "stage",
                                       "frame",  "rank",    "device",   "process", "thread",
                                       "stream", "unknown", "gathered", "all"};
  if (kind < TDM_FLAME_KERNEL) return host_categories[kind];
  return kind < TDM_FLAME_KINDS ? others[kind - TDM_FLAME_KERNEL] : "";
}

/* ---- life ---- */

static uint32_t tracks_of(const tdm_flame_stacks *stacks) {
  return tdm_run_tables_tracks(tdm_run_view_tables(stacks->view));
}

tdm_status tdm_flame_stacks_open(tdm_flame_stacks *stacks, tdm_error *error) {
  size_t tracks = tracks_of(stacks);
  stacks->root = tdm_array_new(tracks + 1, sizeof *stacks->root);
  stacks->open = tdm_array_new(tracks + 1, sizeof *stacks->open);
  return stacks->root != NULL && stacks->open != NULL
             ? TDM_OK
             : tdm_error_memory(error, "stacks", tracks * sizeof *stacks->open);
}

void tdm_flame_stacks_close(tdm_flame_stacks *stacks) {
  for (uint32_t t = 0; stacks->open != NULL && t < tracks_of(stacks); t++)
    free(stacks->open[t].span);
  free(stacks->open);
  free(stacks->root);
  free(stacks->call_frame);
  free(stacks->range);
  stacks->open = NULL;
  stacks->root = stacks->call_frame = stacks->range = NULL;
}

/* ---- frames that hold threads apart ---- */

uint32_t tdm_flame_text_child(tdm_flame_tree *tree, tdm_intern *texts, uint32_t parent,
                              uint32_t kind, const char *text, size_t length) {
  uint32_t label = tdm_intern_put(texts, text, length, NULL);
  return label == TDM_INTERN_FAILED ? TDM_FLAME_FAILED : tdm_flame_child(tree, parent, kind, label);
}

uint32_t tdm_flame_source_frame(tdm_run_view *view, tdm_flame_tree *tree, tdm_intern *texts,
                                uint32_t source) {
  tdm_run_tables *tables = tdm_run_view_tables(view);
  if (tdm_run_tables_sources(tables) < 2) return 0;
  const tdm_source *file = tdm_run_tables_source(tables, source);
  char text[64];
  if (file != NULL && file->rank != TDM_NONE)
    snprintf(text, sizeof text, "rank %lld", (long long)file->rank);
  else
    snprintf(text, sizeof text, "file %u", source);
  return tdm_flame_text_child(tree, texts, 0, TDM_FLAME_RANK, text, strlen(text));
}

static uint32_t track_frame(tdm_flame_stacks *stacks, const tdm_track *track) {
  uint32_t at = tdm_flame_source_frame(stacks->view, stacks->tree, stacks->texts, track->source);
  if (stacks->merged) return at;
  const char *const texts[] = {track->process, track->name};
  for (uint32_t i = 0; i < 2 && at != TDM_FLAME_FAILED; i++)
    if (texts[i][0] != 0)
      at = tdm_flame_text_child(stacks->tree, stacks->texts, at, TDM_FLAME_PROCESS + i, texts[i],
                                strlen(texts[i]));
  return at;
}

static uint32_t root_of(tdm_flame_stacks *stacks, int64_t track) {
  if (stacks->root[track] == 0) {
    const tdm_track *about = tdm_run_view_track(stacks->view, track);
    uint32_t at = about == NULL ? 0 : track_frame(stacks, about);
    if (at == TDM_FLAME_FAILED) return at;
    stacks->root[track] = at + 1;
  }
  return stacks->root[track] - 1;
}

/* ---- calls ---- */

static tdm_status remember_calls(tdm_flame_stacks *stacks, tdm_error *error) {
  tdm_status status = tdm_gpu_launched(stacks->view, &stacks->launched, error);
  if (status != TDM_OK) return status;
  size_t calls = stacks->launched->calls->count;
  stacks->call_frame = tdm_array_new(calls + 1, sizeof *stacks->call_frame);
  return stacks->call_frame != NULL ? TDM_OK : tdm_error_memory(error, "stacks", calls * 4);
}

/* The outermost span of a correlation is the one that people wrote. */
static void remember_call(tdm_flame_stacks *stacks, int64_t track, int64_t correlation,
                          uint32_t frame) {
  if (stacks->launched == NULL) return;
  uint32_t call = tdm_correlation_find(&stacks->launched->by_call, track, correlation);
  if (call != TDM_NO_ROW && stacks->call_frame[call] == 0) stacks->call_frame[call] = frame + 1;
}

uint32_t tdm_flame_stacks_launch(const tdm_flame_stacks *stacks, size_t row) {
  uint32_t call = stacks->launched != NULL ? stacks->launched->by_call.cause[row] : TDM_NO_ROW;
  if (call == TDM_NO_ROW || stacks->call_frame[call] == 0) return TDM_FLAME_FAILED;
  return stacks->call_frame[call] - 1;
}

/* ---- spans ---- */

bool tdm_flame_is_named(uint32_t kind) {
  return kind <= TDM_FLAME_NAMED && kind != TDM_FLAME_NVTX;
}

/* The label of an NVTX range: its name folded, without the sizes that emit_nvtx adds. Each name is
 * looked at once. */
static uint32_t range_label(tdm_flame_stacks *stacks, uint32_t name) {
  size_t known = stacks->range_room;
  if (!tdm_array_grow(&stacks->range, &stacks->range_room, (size_t)name + 1, sizeof *stacks->range))
    return TDM_FLAME_FAILED;
  if (stacks->range_room > known)
    memset(stacks->range + known, 0, (stacks->range_room - known) * sizeof *stacks->range);
  if (stacks->range[name] == 0) {
    char text[4096];
    tdm_name_fold(tdm_run_view_name(stacks->view, name), text, sizeof text);
    const char *sizes = strstr(text, ", sizes = ");
    size_t length = sizes != NULL && sizes > text ? (size_t)(sizes - text) : strlen(text);
    uint32_t label = tdm_intern_put(stacks->texts, text, length, NULL);
    if (label == TDM_INTERN_FAILED) return TDM_FLAME_FAILED;
    stacks->range[name] = label + 1;
  }
  return stacks->range[name] - 1;
}

/* What is open on a track at a time; NULL: nothing. */
static const open_span *top_at(struct tdm_flame_open *open, int64_t time_ns) {
  while (open->depth > 0 && open->span[open->depth - 1].end_ns <= time_ns) open->depth--;
  return open->depth > 0 ? &open->span[open->depth - 1] : NULL;
}

/* A call that is no frame itself launches from the frame it is made in. */
static bool pass_by(tdm_flame_stacks *stacks, const tdm_table *table, size_t row) {
  int64_t track = tdm_table_track(table, row), correlation = tdm_table_arg(table, 0, row);
  if (correlation == TDM_NONE) return true;
  const open_span *top = top_at(&stacks->open[track], tdm_table_start_ns(table, row));
  uint32_t frame = top != NULL ? top->frame : root_of(stacks, track);
  if (frame == TDM_FLAME_FAILED) return false;
  remember_call(stacks, track, correlation, frame);
  return true;
}

static bool take(tdm_flame_stacks *stacks, const tdm_table *table, size_t row, bool weigh) {
  int64_t track = tdm_table_track(table, row), start = tdm_table_start_ns(table, row),
          end = tdm_table_end_ns(table, row);
  struct tdm_flame_open *open = &stacks->open[track];
  const open_span *top = top_at(open, start);
  uint32_t parent = top != NULL ? top->frame : root_of(stacks, track);
  if (parent == TDM_FLAME_FAILED) return false;
  if (top != NULL && end > top->end_ns) {
    stacks->cut++;
    stacks->cut_ns += end - top->end_ns;
    end = top->end_ns;
  }
  uint32_t kind = (uint32_t)tdm_table_category(table, row),
           label = (uint32_t)tdm_table_name(table, row);
  if (kind == TDM_FLAME_NVTX) label = range_label(stacks, label);
  if (label == TDM_FLAME_FAILED) return false;
  uint32_t frame = tdm_flame_child(stacks->tree, parent, kind, label);
  if (frame == TDM_FLAME_FAILED ||
      !tdm_array_grow(&open->span, &open->room, open->depth + 1, sizeof *open->span))
    return false;
  if (weigh) {
    /* What lies in it outside the filter's time is not loaded, so that time does not count. */
    int64_t ns = tdm_intervals_within_ns(tdm_run_view_times(stacks->view), start, end);
    stacks->tree->node[frame].self += ns;
    stacks->tree->node[frame].count++;
    if (top != NULL) stacks->tree->node[parent].self -= ns;
  }
  open->span[open->depth++] = (open_span){end, frame};
  stacks->spans++;
  remember_call(stacks, track, tdm_table_arg(table, 0, row), frame);
  return true;
}

tdm_status tdm_flame_stacks_read(tdm_flame_stacks *stacks, bool weigh, tdm_error *error) {
  const tdm_table *table = NULL;
  tdm_run_view *view =
      stacks->view; /* what was launched may have been so before the filter's time */
  tdm_status status = weigh ? TDM_OK : tdm_run_view_at_all_times(stacks->view, &view, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_flame_spans, &table, error);
  if (status == TDM_OK && !weigh) status = remember_calls(stacks, error);
  if (status != TDM_OK) return status;
  int64_t tracks = tracks_of(stacks);
  for (size_t i = 0; i < table->count; i++) {
    const tdm_track *track = tdm_run_view_track(stacks->view, tdm_table_track(table, i));
    if (track == NULL || track->kind == TDM_TRACK_STREAM || track->kind == TDM_TRACK_DEVICE ||
        tdm_table_track(table, i) >= tracks)
      continue;
    bool is_frame = (stacks->kinds >> tdm_table_category(table, i) & 1) != 0;
    if (is_frame ? !take(stacks, table, i, weigh) : !weigh && !pass_by(stacks, table, i))
      return tdm_error_memory(error, "stacks", 0);
  }
  return TDM_OK;
}

/* ---- samples ---- */

static bool take_sample(tdm_flame_stacks *stacks, int64_t track, const char *stack) {
  uint32_t at = root_of(stacks, track);
  for (const char *from = stack; at != TDM_FLAME_FAILED;) {
    size_t length = strcspn(from, ";");
    if (length > 0)
      at = tdm_flame_text_child(stacks->tree, stacks->texts, at, TDM_FLAME_FRAME, from, length);
    if (from[length] == 0) break;
    from += length + 1;
  }
  if (at == TDM_FLAME_FAILED) return false;
  stacks->tree->node[at].self++;
  stacks->tree->node[at].count++;
  return true;
}

tdm_status tdm_flame_stacks_samples(tdm_flame_stacks *stacks, tdm_error *error) {
  const tdm_table *table;
  tdm_status status = tdm_run_view_table(stacks->view, &tdm_flame_samples, &table, error);
  for (size_t i = 0; status == TDM_OK && i < table->count; i++) {
    if (!take_sample(stacks, tdm_table_track(table, i),
                     tdm_run_view_name(stacks->view, tdm_table_name(table, i))))
      return tdm_error_memory(error, "stacks", 0);
    stacks->spans++;
  }
  return status;
}
