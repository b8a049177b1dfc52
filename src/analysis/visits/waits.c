/* How many requests a resource had at once, and which gaps were waits for it; see visits.h.
 *
 * A resource is what serves a lane: a device, a direction of its copies, its communication,
 * a host process. A request holds it from the start to the end of its visit; it is full while as
 * many requests hold it as ever did at once. A gap before a visit is a wait while its resource is
 * full of others: a request that holds the resource already does not wait for it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/visits/visits.h"
#include "base/memory.h"
#include "trace/record.h"

/* A time in which a request holds a resource. */
typedef struct {
  uint64_t resource; /* of all lanes */
  uint32_t request;
  int64_t start_ns, end_ns;
} holding;

/* When a resource was full: disjoint, in order, with the sum of all before each. */
typedef struct {
  int64_t start_ns, end_ns, before_ns;
} full;

typedef struct {
  uint64_t resource;
  size_t first, count; /* in `full` */
  int64_t most;
} resource;

typedef struct {
  holding *hold;
  size_t holds;
  full *full;
  size_t fulls, full_room;
  resource *resource;
  size_t resources, resource_room;
} finding;

tdm_lane tdm_visit_resource_lane(tdm_lane lane) {
  bool of_gpu =
      lane == TDM_LANE_GPU || lane == TDM_LANE_COMM || lane == TDM_LANE_H2D || lane == TDM_LANE_D2H;
  return of_gpu ? lane : TDM_LANE_CPU;
}

static uint64_t resource_of(const tdm_visit_stage *stage, const tdm_visit *visit) {
  return (uint64_t)tdm_visit_resource_lane(stage->lane) << 32 | visit->resource;
}

static int by_request(const void *a, const void *b) {
  const holding *x = a, *y = b;
  if (x->resource != y->resource) return x->resource < y->resource ? -1 : 1;
  if (x->request != y->request) return x->request < y->request ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_time(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Who holds what; visits of a request that overlap at one resource hold it once. */
static tdm_status collect(const tdm_visits *visits, finding *f, tdm_error *error) {
  size_t count = 0, kept = 0;
  for (uint32_t s = 0; s < visits->stages; s++) count += visits->stage[s].count;
  f->hold = tdm_array_new(count + 1, sizeof *f->hold);
  if (f->hold == NULL) return tdm_error_memory(error, "visits", count * sizeof *f->hold);
  count = 0;
  for (uint32_t s = 0; s < visits->stages; s++) {
    const tdm_visit_stage *stage = &visits->stage[s];
    for (size_t i = 0; i < stage->count; i++)
      f->hold[count++] = (holding){resource_of(stage, &stage->visit[i]), stage->visit[i].request,
                                   stage->visit[i].start_ns, stage->visit[i].end_ns};
  }
  if (count > 0) qsort(f->hold, count, sizeof *f->hold, by_request);
  for (size_t i = 0; i < count; i++) {
    holding *last = kept > 0 ? &f->hold[kept - 1] : NULL;
    const holding *one = &f->hold[i];
    if (last != NULL && last->resource == one->resource && last->request == one->request &&
        one->start_ns <= last->end_ns) {
      if (one->end_ns > last->end_ns) last->end_ns = one->end_ns;
    } else {
      f->hold[kept++] = *one;
    }
  }
  f->holds = kept;
  return TDM_OK;
}

/* The most at once of one resource, and with `out` when as many were. Both lists are sorted; who
 * leaves makes room before another comes, but what takes no time at all is there for once. */
static int64_t most_at_once(const int64_t *start, const int64_t *end, size_t count) {
  int64_t now = 0, most = 0;
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    for (; left < count && end[left] <= start[i] && now > 0; left++) now--;
    if (++now > most) most = now;
  }
  return most;
}

static int tell_full(finding *f, resource *of, const int64_t *start, const int64_t *end,
                     size_t count) {
  int64_t now = 0, sum_ns = 0;
  size_t left = 0;
  of->first = f->fulls;
  for (size_t i = 0; i < count; i++) {
    for (; left < count && end[left] <= start[i] && now > 0; left++) now--;
    if (++now < of->most || end[left] <= start[i]) continue;
    /* Full until the first of them leaves. */
    if (!tdm_array_grow(&f->full, &f->full_room, f->fulls + 1, sizeof *f->full)) return 0;
    f->full[f->fulls++] = (full){start[i], end[left], sum_ns};
    sum_ns += end[left] - start[i];
  }
  of->count = f->fulls - of->first;
  return 1;
}

static tdm_status look_at(finding *f, tdm_error *error) {
  int64_t *start = tdm_array_new(f->holds + 1, sizeof *start);
  int64_t *end = tdm_array_new(f->holds + 1, sizeof *end);
  bool done = start != NULL && end != NULL;
  for (size_t from = 0, to; done && from < f->holds; from = to) {
    size_t count = 0;
    for (to = from; to < f->holds && f->hold[to].resource == f->hold[from].resource; to++) {
      start[count] = f->hold[to].start_ns;
      end[count++] = f->hold[to].end_ns;
    }
    qsort(start, count, sizeof *start, by_time);
    qsort(end, count, sizeof *end, by_time);
    done =
        tdm_array_grow(&f->resource, &f->resource_room, f->resources + 1, sizeof *f->resource) != 0;
    if (!done) break;
    resource *of = &f->resource[f->resources++];
    *of = (resource){.resource = f->hold[from].resource, .most = most_at_once(start, end, count)};
    done = tell_full(f, of, start, end, count) != 0;
  }
  free(start);
  free(end);
  return done ? TDM_OK : tdm_error_memory(error, "resources", f->holds * sizeof *start);
}

static const resource *find(const finding *f, uint64_t wanted) {
  size_t low = 0, high = f->resources;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (f->resource[middle].resource <= wanted)
      low = middle;
    else
      high = middle;
  }
  return &f->resource[low];
}

/* How long the resource was full before a moment. */
static int64_t full_before(const finding *f, const resource *of, int64_t time_ns) {
  size_t low = of->first, high = of->first + of->count; /* the first that begins at or after it */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (f->full[middle].start_ns < time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == of->first) return 0;
  const full *last = &f->full[low - 1];
  int64_t end_ns = last->end_ns < time_ns ? last->end_ns : time_ns;
  return last->before_ns + (end_ns - last->start_ns);
}

static void tell(const finding *f, tdm_visits *visits, bool tells_waits) {
  for (uint32_t s = 0; s < visits->stages; s++) {
    tdm_visit_stage *stage = &visits->stage[s];
    for (size_t i = 0; i < stage->count; i++) {
      tdm_visit *visit = &stage->visit[i];
      const resource *of = find(f, resource_of(stage, visit));
      if (of->most > stage->concurrency) stage->concurrency = of->most;
      if (tells_waits || visit->gap_ns <= 0) continue;
      int64_t wait_ns =
          full_before(f, of, visit->start_ns) - full_before(f, of, visit->start_ns - visit->gap_ns);
      visit->wait_ns += wait_ns;
      visit->rest_ns -= wait_ns;
    }
  }
}

tdm_status tdm_visits_find_waits(tdm_visits *visits, bool tells_waits, tdm_error *error) {
  finding f = {0};
  tdm_status status = collect(visits, &f, error);
  if (status == TDM_OK) status = look_at(&f, error);
  if (status == TDM_OK) tell(&f, visits, tells_waits);
  free(f.hold);
  free(f.full);
  free(f.resource);
  return status;
}
