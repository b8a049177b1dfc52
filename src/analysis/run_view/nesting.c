/* Which ranges lie in which on their threads, and which calls in them: one sweep over both in order
 * of time with a stack of open ranges a thread; see gpu_work.h. */
#include "analysis/run_view/gpu_work.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "base/memory.h"

typedef struct {
  uint32_t *range;
  size_t depth, room;
} open_ranges;

typedef struct {
  const tdm_table *ranges, *calls;
  tdm_nesting *out;
  open_ranges *stack; /* by track */
} sweep;

/* What ended before the time, or at it and began before `began_ns`. */
static void shut(const sweep *s, open_ranges *stack, int64_t time_ns, int64_t began_ns) {
  while (stack->depth > 0) {
    uint32_t range = stack->range[stack->depth - 1];
    int64_t end_ns = tdm_table_end_ns(s->ranges, range);
    if (end_ns > time_ns) break;
    if (end_ns == time_ns && tdm_table_start_ns(s->ranges, range) >= began_ns) break;
    stack->depth--;
  }
}

static int enter(sweep *s, uint32_t range) {
  open_ranges *stack = &s->stack[tdm_table_track(s->ranges, range)];
  shut(s, stack, tdm_table_start_ns(s->ranges, range), INT64_MAX);
  s->out->parent[range] = TDM_NO_ROW;
  if (stack->depth > 0) {
    uint32_t around = stack->range[stack->depth - 1];
    if (tdm_table_end_ns(s->ranges, around) < tdm_table_end_ns(s->ranges, range)) {
      tdm_nesting *out = s->out;
      if (!tdm_array_grow(&out->loose, &out->loose_room, out->looses + 1, sizeof *out->loose))
        return 0;
      out->loose[out->looses++] = range;
      return 1;
    }
    s->out->parent[range] = around;
  }
  if (!tdm_array_grow(&stack->range, &stack->room, stack->depth + 1, sizeof *stack->range))
    return 0;
  stack->range[stack->depth++] = range;
  return 1;
}

static void nest_call(sweep *s, size_t call) {
  open_ranges *stack = &s->stack[tdm_table_track(s->calls, call)];
  int64_t start_ns = tdm_table_start_ns(s->calls, call);
  shut(s, stack, start_ns, tdm_table_end_ns(s->calls, call) == start_ns ? start_ns : INT64_MIN);
  size_t depth = stack->depth;
  while (depth > 0 &&
         tdm_table_end_ns(s->ranges, stack->range[depth - 1]) < tdm_table_end_ns(s->calls, call))
    depth--;
  s->out->innermost[call] = depth > 0 ? stack->range[depth - 1] : TDM_NO_ROW;
}

static int run(sweep *s) {
  size_t range = 0;
  for (size_t call = 0; call < s->calls->count; call++) {
    for (; range < s->ranges->count &&
           tdm_table_start_ns(s->ranges, range) <= tdm_table_start_ns(s->calls, call);
         range++)
      if (!enter(s, (uint32_t)range)) return 0;
    nest_call(s, call);
  }
  for (; range < s->ranges->count; range++)
    if (!enter(s, (uint32_t)range)) return 0;
  return 1;
}

tdm_status tdm_nesting_open(tdm_run_view *view, const tdm_table *ranges, const tdm_table *calls,
                            tdm_nesting *out, tdm_error *error) {
  *out = (tdm_nesting){0};
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  sweep s = {.ranges = ranges, .calls = calls, .out = out};
  s.stack = tdm_array_new((size_t)tracks + 1, sizeof *s.stack);
  out->parent = tdm_array_new(ranges->count + 1, sizeof *out->parent);
  out->innermost = tdm_array_new(calls->count + 1, sizeof *out->innermost);
  bool done = s.stack != NULL && out->parent != NULL && out->innermost != NULL && run(&s);
  for (uint32_t t = 0; s.stack != NULL && t < tracks; t++) free(s.stack[t].range);
  free(s.stack);
  if (done) return TDM_OK;
  tdm_nesting_close(out);
  return tdm_error_memory(error, "nested ranges", ranges->count * sizeof *out->parent);
}

void tdm_nesting_close(tdm_nesting *nesting) {
  free(nesting->parent);
  free(nesting->innermost);
  free(nesting->loose);
  *nesting = (tdm_nesting){0};
}

/* The last range in each: a thread's ranges between one and its last are all in it, or loose. */
static uint32_t *last_inside(const tdm_nesting *nesting, const tdm_table *ranges) {
  uint32_t *last = tdm_array_new(ranges->count + 1, sizeof *last);
  for (size_t i = 0; last != NULL && i < ranges->count; i++) last[i] = (uint32_t)i;
  for (size_t i = ranges->count; last != NULL && i-- > 0;) {
    uint32_t around = nesting->parent[i];
    if (around != TDM_NO_ROW && last[around] < last[i]) last[around] = last[i];
  }
  return last;
}

bool *tdm_nesting_recursive(const tdm_nesting *nesting, const tdm_table *ranges) {
  tdm_groups names = {0}; /* by thread */
  tdm_error ignored;
  uint32_t *last = last_inside(nesting, ranges);
  uint32_t *outermost = tdm_array_new(ranges->count + 1, sizeof *outermost); /* by group */
  bool *recursive = tdm_array_new(ranges->count + 1, sizeof *recursive);
  bool done = last != NULL && outermost != NULL && recursive != NULL &&
              tdm_groups_open(&names, 2, ranges->count, &ignored) == TDM_OK;
  for (size_t i = 0; done && i < ranges->count; i++) {
    const int64_t key[] = {tdm_table_track(ranges, i), tdm_table_name(ranges, i)};
    size_t known = names.count;
    uint32_t g = tdm_groups_add(&names, key);
    done = g != UINT32_MAX;
    if (!done) break;
    recursive[i] = nesting->parent[i] != TDM_NO_ROW && g < known && i <= last[outermost[g]];
    if (g == known || i > last[outermost[g]]) outermost[g] = (uint32_t)i;
  }
  tdm_groups_close(&names);
  free(outermost);
  free(last);
  if (done) return recursive;
  free(recursive);
  return NULL;
}
