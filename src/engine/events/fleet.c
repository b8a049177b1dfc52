/* GPUs that come and go: those of a group, by a rule that looks at their load in intervals, or by a
 * schedule. The rule and its patience are scaling.c's, which has them for replicas of LLM servers.
 *
 * A GPU that is new takes requests after its delay; one that is not needed takes no more and goes
 * when it is empty. Of those, who is starting goes first, then the emptiest, of equals the last.
 * Who is down does not count and is replaced where there is room. A schedule knows the future: its
 * GPUs are there when their step begins. Called by the clock, router.c and route.c. */
#include <math.h>

#include "base/memory.h"
#include "engine/events/llm.h"

static uint32_t station_of(const tdm_engine *e, uint32_t gpu) {
  const uint32_t *stations = e->model->gpus[gpu].stations;
  if (stations[TDM_ROLE_GPU] != TDM_NO_INDEX) return stations[TDM_ROLE_GPU];
  return stations[TDM_ROLE_H2D] != TDM_NO_INDEX ? stations[TDM_ROLE_H2D] : stations[TDM_ROLE_D2H];
}

static bool is_down(const tdm_engine *e, uint32_t gpu) {
  uint32_t station = station_of(e, gpu);
  return station != TDM_NO_INDEX && e->stations[station].down;
}

/* Serves or will. */
static bool counts(const tdm_engine *e, uint32_t gpu) {
  tdm_gpu_state state = e->gpus[gpu].state;
  return (state == TDM_GPU_READY || state == TDM_GPU_STARTING) && !is_down(e, gpu);
}

static void set_state(tdm_engine *e, uint32_t gpu, tdm_gpu_state state) {
  tdm_gpu_run *run = &e->gpus[gpu];
  bool held = state != TDM_GPU_OFF;
  if (held != run->held) run->held_sum += held ? -(uint64_t)e->now_ns : (uint64_t)e->now_ns;
  e->gpus_held += held;
  e->gpus_held -= run->held;
  if (e->gpus_held > e->tally->gpus_peak) e->tally->gpus_peak = e->gpus_held;
  run->held = held;
  run->state = state;
}

static void start(tdm_engine *e, uint32_t gpu, int64_t delay_ns) {
  set_state(e, gpu, delay_ns > 0 ? TDM_GPU_STARTING : TDM_GPU_READY);
  if (delay_ns > 0)
    e->gpus[gpu].timer = tdm_timer_set(e, e->now_ns + delay_ns, TDM_TIMER_GPU_READY, gpu);
}

void tdm_fleet_ready(tdm_engine *e, uint32_t gpu) {
  e->gpus[gpu].timer = TDM_NO_INDEX;
  set_state(e, gpu, TDM_GPU_READY);
}

void tdm_fleet_left(tdm_engine *e, uint32_t gpu) {
  if (e->gpus[gpu].state == TDM_GPU_DRAINING && e->gpus[gpu].outstanding == 0)
    set_state(e, gpu, TDM_GPU_OFF);
}

/* Those that are still there first: they need no start. */
static void grow(tdm_engine *e, const tdm_group *group, uint32_t more, int64_t delay_ns) {
  for (size_t i = 0; i < group->count && more > 0; i++) {
    uint32_t gpu = group->members[i];
    if (e->gpus[gpu].state != TDM_GPU_DRAINING || is_down(e, gpu)) continue;
    set_state(e, gpu, TDM_GPU_READY);
    more--;
  }
  for (size_t i = 0; i < group->count && more > 0; i++) {
    uint32_t gpu = group->members[i];
    if (e->gpus[gpu].state != TDM_GPU_OFF || is_down(e, gpu)) continue;
    start(e, gpu, delay_ns);
    more--;
  }
}

/* Lower goes sooner. */
static uint64_t rank_of(const tdm_engine *e, uint32_t gpu) {
  return e->gpus[gpu].state == TDM_GPU_STARTING ? 0 : 1 + (uint64_t)e->gpus[gpu].outstanding;
}

static void shrink(tdm_engine *e, const tdm_group *group, uint32_t fewer) {
  for (; fewer > 0; fewer--) {
    uint32_t first = TDM_NO_INDEX;
    for (size_t i = 0; i < group->count; i++) {
      uint32_t gpu = group->members[i];
      if (counts(e, gpu) && (first == TDM_NO_INDEX || rank_of(e, gpu) <= rank_of(e, first)))
        first = gpu;
    }
    if (first == TDM_NO_INDEX) return;
    if (e->gpus[first].state == TDM_GPU_STARTING) tdm_timer_cancel(e, &e->gpus[first].timer);
    bool empty = e->gpus[first].state == TDM_GPU_STARTING || e->gpus[first].outstanding == 0;
    set_state(e, first, empty ? TDM_GPU_OFF : TDM_GPU_DRAINING);
  }
}

/* What the rule looks at: what is not finished anywhere, or what waits and how busy they are at
 * those that take requests. */
static double sum_of(tdm_engine *e, const tdm_group *group, const tdm_scaler *scaler) {
  double outstanding = 0, waiting = 0, busy = 0;
  double elapsed_ns = (double)(e->now_ns - scaler->looked_ns);
  for (size_t i = 0; i < group->count; i++) {
    uint32_t gpu = group->members[i], station = station_of(e, gpu);
    const tdm_station_run *st = station != TDM_NO_INDEX ? &e->stations[station] : NULL;
    uint64_t busy_ns = st != NULL ? st->busy_sum + st->busy * (uint64_t)e->now_ns : 0;
    double share = st != NULL && elapsed_ns > 0
                       ? (double)(busy_ns - e->gpus[gpu].busy_ns) / elapsed_ns / st->servers
                       : 0;
    e->gpus[gpu].busy_ns = busy_ns;
    outstanding += e->gpus[gpu].outstanding;
    if (e->gpus[gpu].state != TDM_GPU_READY || st == NULL) continue;
    waiting += st->waiting;
    busy += share;
  }
  if (group->scaling.metric == TDM_SCALE_BY_QUEUE) return waiting;
  return group->scaling.metric == TDM_SCALE_BY_UTILIZATION ? busy : outstanding;
}

static uint32_t size_of(const tdm_engine *e, const tdm_group *group) {
  uint32_t size = 0;
  for (size_t i = 0; i < group->count; i++) size += counts(e, group->members[i]);
  return size;
}

/* The number of the step that is on, and when the next one begins; INT64_MAX: none does. */
static uint32_t step_at(const tdm_scaling_rule *rule, int64_t now_ns, int64_t *next_ns) {
  size_t i = 0;
  while (i + 1 < rule->step_count && rule->steps_ns[i + 1] <= now_ns) i++;
  *next_ns = i + 1 < rule->step_count ? rule->steps_ns[i + 1] : INT64_MAX;
  return rule->steps[i];
}

void tdm_fleet_fire(tdm_engine *e, uint32_t index) {
  const tdm_group *group = &e->model->groups[index];
  tdm_scaler *scaler = &e->fleets[index];
  uint32_t size = size_of(e, group), wanted;
  int64_t next_ns = e->now_ns + group->scaling.every_ns;
  if (group->scaling.step_count > 0) {
    wanted = step_at(&group->scaling, e->now_ns, &next_ns);
    if (wanted > size) grow(e, group, wanted - size, 0);
    if (wanted < size) shrink(e, group, size - wanted);
  } else {
    wanted = tdm_scaling_by_target(&group->scaling, sum_of(e, group, scaler), size,
                                   (uint32_t)group->count);
    scaler->looked_ns = e->now_ns;
    int64_t change = tdm_scaler_decide(scaler, &group->scaling, e->now_ns, size, wanted);
    if (change > 0) grow(e, group, (uint32_t)change, group->scaling.delay_ns);
    if (change < 0) shrink(e, group, (uint32_t)-change);
  }
  if (next_ns != INT64_MAX && tdm_engine_alive(e))
    tdm_timer_set(e, next_ns, TDM_TIMER_FLEET, index);
}

tdm_status tdm_fleet_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  e->fleets = tdm_array_new(m->group_count, sizeof *e->fleets);
  if (e->fleets == NULL) return tdm_error_memory(e->error, "fleets", sizeof *e->fleets);
  for (uint32_t i = 0; i < m->gpu_count; i++) {
    e->gpus[i].state = TDM_GPU_READY;
    e->gpus[i].timer = TDM_NO_INDEX;
  }
  for (uint32_t i = 0; i < m->group_count; i++) {
    const tdm_scaling_rule *rule = &m->groups[i].scaling;
    int64_t next_ns = rule->every_ns;
    e->fleets[i].more_ns = e->fleets[i].fewer_ns = -1;
    if (!rule->on) continue;
    uint32_t begin = rule->step_count > 0 ? step_at(rule, 0, &next_ns) : rule->start;
    for (uint32_t k = 0; k < m->groups[i].count; k++)
      set_state(e, m->groups[i].members[k], k < begin ? TDM_GPU_READY : TDM_GPU_OFF);
    if (next_ns != INT64_MAX) tdm_timer_set(e, next_ns, TDM_TIMER_FLEET, i);
  }
  return e->status;
}
