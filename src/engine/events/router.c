/* Routers: which GPU of a group serves a request. GPUs that are down are passed over while any
 * other is up, and those that are up share what is theirs as they share the rest. Draws are named
 * by the request, so a what-if changes only what it must: who draws a GPU that is up keeps it. What
 * a router of the user's may return is bind/worker/hooks.c's; replicas of LLM servers are
 * dispatch.c's. Called by route.c. */
#include "engine/events/state.h"

/* The engine by which a GPU's queue is told; TDM_NO_INDEX: it has none. */
static uint32_t first_station(const tdm_engine *e, uint32_t gpu) {
  const uint32_t *stations = e->model->gpus[gpu].stations;
  if (stations[TDM_ROLE_GPU] != TDM_NO_INDEX) return stations[TDM_ROLE_GPU];
  return stations[TDM_ROLE_H2D] != TDM_NO_INDEX ? stations[TDM_ROLE_H2D] : stations[TDM_ROLE_D2H];
}

/* How many may be chosen: those that are up, or all when none is. GPUs that have gone, come, or are
 * about to go take nobody; one always does. */
static size_t gather(tdm_engine *e, const tdm_group *group) {
  size_t up = 0;
  for (size_t i = 0; i < group->count; i++) {
    uint32_t gpu = group->members[i];
    uint32_t station = first_station(e, gpu);
    tdm_candidate *c = &e->candidates[i];
    *c = (tdm_candidate){.gpu = gpu, .outstanding = e->gpus[gpu].outstanding};
    if (station != TDM_NO_INDEX) {
      c->waiting = e->stations[station].waiting;
      c->running = e->stations[station].busy;
      c->down = e->stations[station].down;
    }
    c->down |= e->gpus[gpu].state != TDM_GPU_READY;
    up += !c->down;
  }
  if (up > 0) return up;
  for (size_t i = 0; i < group->count; i++) {
    e->candidates[i].down = e->gpus[group->members[i]].state != TDM_GPU_READY;
    up += !e->candidates[i].down;
  }
  return up;
}

/* The n-th of those that are up. */
static size_t nth_up(const tdm_engine *e, size_t n) {
  size_t i = 0;
  for (;; i++)
    if (!e->candidates[i].down && n-- == 0) return i;
}

/* Whose turn it is, of those that are up. */
static size_t in_turn(const tdm_engine *e, size_t count, size_t up, uint64_t turn) {
  return up == count ? (size_t)(turn % count) : nth_up(e, (size_t)(turn % up));
}

/* Smallest load; among equals the one after `turn`, so that an idle fleet is used evenly. */
static size_t least(const tdm_engine *e, size_t count, size_t turn, bool queue_only) {
  size_t best = count;
  uint64_t best_load = UINT64_MAX;
  for (size_t k = 0, i = turn; k < count; k++, i = i + 1 < count ? i + 1 : 0) {
    const tdm_candidate *c = &e->candidates[i];
    uint64_t load = queue_only ? (uint64_t)c->waiting + c->running : c->outstanding;
    if (!c->down && load < best_load) {
      best = i;
      best_load = load;
    }
  }
  return best;
}

/* The same where all are up for ever: nobody is gathered, and who has nothing to do is taken. */
static size_t least_steady(const tdm_engine *e, const tdm_group *group, size_t turn,
                           bool queue_only) {
  size_t best = group->count;
  uint64_t best_load = UINT64_MAX;
  for (size_t k = 0, i = turn; k < group->count && best_load > 0;
       k++, i = i + 1 < group->count ? i + 1 : 0) {
    uint32_t gpu = group->members[i], station = first_station(e, gpu);
    uint64_t load = e->gpus[gpu].outstanding;
    if (queue_only)
      load = station == TDM_NO_INDEX
                 ? 0
                 : (uint64_t)e->stations[station].waiting + e->stations[station].busy;
    if (load < best_load) {
      best = i;
      best_load = load;
    }
  }
  return best;
}

/* Of routers that ask nobody but those; the count: it is another. */
static size_t choose_steady(const tdm_engine *e, const tdm_group *group, uint64_t bits,
                            uint64_t turn) {
  size_t count = group->count;
  switch (group->router) {
  case TDM_ROUTE_ROUND_ROBIN: return (size_t)(turn % count);
  case TDM_ROUTE_RANDOM: return (size_t)tdm_index_below(bits, count);
  case TDM_ROUTE_LEAST_OUTSTANDING: return least_steady(e, group, (size_t)(turn % count), false);
  case TDM_ROUTE_SHORTEST_QUEUE: return least_steady(e, group, (size_t)(turn % count), true);
  default: return count;
  }
}

/* Other bits of the same request. */
static uint64_t again(uint64_t bits, unsigned times) {
  return tdm_mix(bits + times * TDM_GAMMA);
}

/* A draw that hits one that is down is made again among those that are up: even shares. */
static size_t draw_even(const tdm_engine *e, size_t count, size_t up, uint64_t bits) {
  size_t i = (size_t)tdm_index_below(bits, count);
  return e->candidates[i].down ? nth_up(e, (size_t)tdm_index_below(again(bits, 2), up)) : i;
}

/* The same of two different ones; the one with less to do, of equals the first. */
static size_t draw_two(tdm_engine *e, size_t count, size_t up, uint64_t bits) {
  size_t a = draw_even(e, count, up, bits);
  if (up < 2) return a;
  size_t b = (size_t)tdm_index_below(again(bits, 1), count - 1);
  b += b >= a;
  if (e->candidates[b].down) {
    e->candidates[a].down = true; /* to be passed over as well */
    b = nth_up(e, (size_t)tdm_index_below(again(bits, 3), up - 1));
    e->candidates[a].down = false;
  }
  return e->candidates[b].outstanding < e->candidates[a].outstanding ? b : a;
}

static double weight_of(const tdm_group *group, size_t i) {
  return group->weights[i] - (i > 0 ? group->weights[i - 1] : 0);
}

/* In proportion to the weights of those that are up; evenly where those have none. */
static size_t draw_weighted_up(const tdm_engine *e, const tdm_group *group, size_t up,
                               uint64_t bits) {
  double left = 0;
  size_t pick = group->count;
  for (size_t i = 0; i < group->count; i++)
    if (!e->candidates[i].down) left += weight_of(group, i);
  left *= tdm_unit(bits);
  for (size_t i = 0; i < group->count; i++) {
    if (e->candidates[i].down || !(weight_of(group, i) > 0)) continue;
    pick = i;
    left -= weight_of(group, i);
    if (left <= 0) break;
  }
  return pick < group->count ? pick : nth_up(e, (size_t)tdm_index_below(bits, up));
}

static size_t draw_weighted(const tdm_engine *e, const tdm_group *group, size_t up, uint64_t bits) {
  if (group->weights == NULL) return draw_even(e, group->count, up, bits);
  double u = tdm_unit(bits);
  size_t i = 0;
  while (i + 1 < group->count && u > group->weights[i]) i++;
  return e->candidates[i].down ? draw_weighted_up(e, group, up, again(bits, 2)) : i;
}

/* Highest random weight (Thaler & Ravishankar 1998): a key stays where it is when others leave. */
static size_t rendezvous(const tdm_engine *e, size_t count, uint64_t key) {
  size_t best = count;
  uint64_t best_weight = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t weight = tdm_mix(key ^ tdm_mix(e->candidates[i].gpu + TDM_GAMMA));
    if (!e->candidates[i].down && (best == count || weight > best_weight)) {
      best = i;
      best_weight = weight;
    }
  }
  return best;
}

static size_t ask(tdm_engine *e, const tdm_group *group, uint32_t index) {
  tdm_view view;
  uint32_t answer = 0;
  if (e->hooks == NULL || e->hooks->choose == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "a router is a Lua function, and no Lua is at hand to call it");
    return group->count;
  }
  tdm_record_view(e, index, &view);
  tdm_status status = e->hooks->choose(e->hooks->context, group->function, &view, e->candidates,
                                       group->count, &answer, e->error);
  if (status != TDM_OK) e->status = status;
  return status == TDM_OK ? answer : group->count;
}

uint32_t tdm_router_choose(tdm_engine *e, uint32_t group_index, uint32_t index) {
  const tdm_group *group = &e->model->groups[group_index];
  const tdm_request *r = &e->requests[index];
  size_t count = group->count;
  /* Requests of all classes share the group's stream; the class keeps their ordinals apart. */
  uint64_t name = r->ordinal ^ (uint64_t)r->class_index << 56;
  uint64_t bits = tdm_stream_bits(e->group_streams[group_index], name);
  uint64_t turn = e->turns[group_index]++;
  size_t pick = group->steady ? choose_steady(e, group, bits, turn) : count;
  if (pick < count) return group->members[pick];
  size_t up = gather(e, group);
  switch (group->router) {
  case TDM_ROUTE_ROUND_ROBIN: pick = in_turn(e, count, up, turn); break;
  case TDM_ROUTE_RANDOM: pick = draw_even(e, count, up, bits); break;
  case TDM_ROUTE_LEAST_OUTSTANDING:
    pick = least(e, count, in_turn(e, count, up, turn), false);
    break;
  case TDM_ROUTE_SHORTEST_QUEUE: pick = least(e, count, in_turn(e, count, up, turn), true); break;
  case TDM_ROUTE_POWER_OF_TWO: pick = draw_two(e, count, up, bits); break;
  case TDM_ROUTE_WEIGHTED: pick = draw_weighted(e, group, up, bits); break;
  case TDM_ROUTE_AFFINITY: {
    uint64_t key = r->class_index;
    if (group->key_attr != TDM_NO_INDEX) {
      double value = e->state[(size_t)index * e->model->state_slots + group->key_attr];
      key = value >= 0 && value < 1e18 ? (uint64_t)value : 0;
    }
    pick = rendezvous(e, count, key);
    break;
  }
  case TDM_ROUTE_FUNCTION: pick = ask(e, group, index); break;
  }
  return pick < count ? e->candidates[pick].gpu : TDM_NO_INDEX;
}
