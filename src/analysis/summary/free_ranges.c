/* Projections of ranges that do not nest on their thread: those from start to end, and those that
 * cross others; see inside.h. */
#include "analysis/summary/inside.h"

#include <stdlib.h>

#include "base/memory.h"

/* Calls that launched something, thread by thread, in order of time; over them a tree (the leaves
 * at `count`, a node's children at twice its position) of the times of what they launched on one
 * part of the GPUs, and the number of it before each call. */
typedef struct {
  const tdm_range_work *work;
  const int64_t *part_of;
  uint32_t *call;
  size_t count;
  size_t *thread; /* [tracks + 1] where each thread's calls begin */
  int64_t *first_ns, *last_ns;
  uint32_t *before;
} call_tree;

static bool launches(const tdm_range_work *work, size_t call) {
  return work->launched->first[call] < work->launched->first[call + 1];
}

static int open_tree(call_tree *tree, uint32_t tracks) {
  const tdm_table *calls = tree->work->calls;
  tree->thread = tdm_array_new((size_t)tracks + 2, sizeof *tree->thread);
  tree->call = tdm_array_new(calls->count + 1, sizeof *tree->call);
  if (tree->thread == NULL || tree->call == NULL) return 0;
  size_t *next = tree->thread + 1; /* shifted by one: each ends up where the next thread begins */
  for (size_t i = 0; i < calls->count; i++)
    if (launches(tree->work, i)) next[tdm_table_track(calls, i) + 1]++, tree->count++;
  for (size_t t = 1; t <= tracks; t++) next[t] += next[t - 1];
  for (size_t i = 0; i < calls->count; i++)
    if (launches(tree->work, i)) tree->call[next[tdm_table_track(calls, i)]++] = (uint32_t)i;
  tree->first_ns = tdm_array_new(2 * tree->count + 2, sizeof *tree->first_ns);
  tree->last_ns = tdm_array_new(2 * tree->count + 2, sizeof *tree->last_ns);
  tree->before = tdm_array_new(tree->count + 1, sizeof *tree->before);
  return tree->first_ns != NULL && tree->last_ns != NULL && tree->before != NULL;
}

static void close_tree(call_tree *tree) {
  free(tree->call);
  free(tree->thread);
  free(tree->first_ns);
  free(tree->last_ns);
  free(tree->before);
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void grow_tree(call_tree *tree, int64_t part) {
  const tdm_table *work = tree->work->work;
  const tdm_correlation *launched = tree->work->launched;
  for (size_t i = 0; i < tree->count; i++) {
    size_t leaf = tree->count + i, call = tree->call[i];
    tree->first_ns[leaf] = INT64_MAX;
    tree->last_ns[leaf] = INT64_MIN;
    tree->before[i + 1] = tree->before[i];
    for (size_t e = launched->first[call]; e < launched->first[call + 1]; e++) {
      size_t op = launched->effect[e];
      if (tree->part_of != NULL && tree->part_of[tdm_table_track(work, op)] != part) continue;
      tree->first_ns[leaf] = smaller(tree->first_ns[leaf], tdm_table_start_ns(work, op));
      tree->last_ns[leaf] = larger(tree->last_ns[leaf], tdm_table_end_ns(work, op));
      tree->before[i + 1]++;
    }
  }
  for (size_t node = tree->count; node-- > 1;) {
    tree->first_ns[node] = smaller(tree->first_ns[2 * node], tree->first_ns[2 * node + 1]);
    tree->last_ns[node] = larger(tree->last_ns[2 * node], tree->last_ns[2 * node + 1]);
  }
}

/* The first call of the thread that begins at or after the time. */
static size_t first_call(const call_tree *tree, int64_t track, int64_t time_ns) {
  size_t low = tree->thread[track], high = tree->thread[track + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tdm_table_start_ns(tree->work->calls, tree->call[middle]) < time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int ask(const call_tree *tree, const tdm_table *ranges, uint32_t range, int64_t part,
               tdm_free_projections *out) {
  int64_t end_ns = tdm_table_end_ns(ranges, range);
  size_t low = first_call(tree, tdm_table_track(ranges, range), tdm_table_start_ns(ranges, range));
  size_t high =
      first_call(tree, tdm_table_track(ranges, range), end_ns < INT64_MAX ? end_ns + 1 : end_ns);
  if (low >= high || tree->before[low] == tree->before[high]) return 1;
  tdm_free_projection found = {.range = range,
                               .ops = tree->before[high] - tree->before[low],
                               .nests = ranges == tree->work->nested,
                               .part = part,
                               .first_ns = INT64_MAX,
                               .last_ns = INT64_MIN};
  for (low += tree->count, high += tree->count; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) {
      found.first_ns = smaller(found.first_ns, tree->first_ns[low]);
      found.last_ns = larger(found.last_ns, tree->last_ns[low++]);
    }
    if (high % 2 == 1) {
      found.first_ns = smaller(found.first_ns, tree->first_ns[--high]);
      found.last_ns = larger(found.last_ns, tree->last_ns[high]);
    }
  }
  if (!tdm_array_grow(&out->projection, &out->room, out->count + 1, sizeof *out->projection))
    return 0;
  out->projection[out->count++] = found;
  return 1;
}

static int ask_all(call_tree *tree, int64_t part, tdm_free_projections *out) {
  const tdm_nesting *nesting = &tree->work->nesting;
  grow_tree(tree, part);
  for (size_t i = 0; i < nesting->looses; i++)
    if (!ask(tree, tree->work->nested, nesting->loose[i], part, out)) return 0;
  for (size_t i = 0; i < tree->work->free->count; i++)
    if (!ask(tree, tree->work->free, (uint32_t)i, part, out)) return 0;
  return 1;
}

/* Whether no track before this one is of the same part. */
static bool is_new(const int64_t *part_of, uint32_t track) {
  for (uint32_t t = 0; t < track; t++)
    if (part_of[t] == part_of[track]) return false;
  return true;
}

tdm_status tdm_free_projections_open(tdm_run_view *view, const tdm_range_work *work,
                                     const int64_t *part_of, tdm_free_projections *out,
                                     tdm_error *error) {
  *out = (tdm_free_projections){0};
  if (work->free->count + work->nesting.looses == 0 || work->launched->joined == 0) return TDM_OK;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  call_tree tree = {.work = work, .part_of = part_of};
  int done = open_tree(&tree, tracks);
  if (done && part_of == NULL) done = ask_all(&tree, 0, out);
  for (uint32_t t = 0; done && part_of != NULL && t < tracks; t++)
    if (tdm_run_view_device_of(view, t) != TDM_NO_DEVICE && is_new(part_of, t))
      done = ask_all(&tree, part_of[t], out);
  close_tree(&tree);
  return done ? TDM_OK : tdm_error_memory(error, "projections", work->free->count);
}

void tdm_free_projections_close(tdm_free_projections *projections) {
  free(projections->projection);
  *projections = (tdm_free_projections){0};
}
