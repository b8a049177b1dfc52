/* Routers: which GPU of a group serves a request. GPUs that are down are passed over while any
 * other is up. Draws are named by the request, so a what-if changes only what it must.
 * Called by route.c. */
#include "engine/state.h"

static size_t gather(tdm_engine *e, const tdm_group *group) {
  size_t up = 0;
  for (size_t i = 0; i < group->count; i++) {
    uint32_t gpu = group->members[i];
    uint32_t station = e->model->gpus[gpu].stations[TDM_ROLE_GPU];
    tdm_candidate *c = &e->candidates[i];
    *c = (tdm_candidate){.gpu = gpu, .outstanding = e->gpus[gpu].outstanding};
    if (station == TDM_NO_INDEX) station = e->model->gpus[gpu].stations[TDM_ROLE_H2D];
    if (station != TDM_NO_INDEX) {
      c->waiting = e->stations[station].waiting;
      c->running = e->stations[station].busy;
      c->down = e->stations[station].down;
    }
    up += !c->down;
  }
  if (up == 0)
    for (size_t i = 0; i < group->count; i++) e->candidates[i].down = false;
  return up;
}

/* Smallest load; among equals the one after `turn`, so that an idle fleet is used evenly. */
static size_t least(const tdm_engine *e, size_t count, size_t turn, bool queue_only) {
  size_t best = count;
  uint64_t best_load = UINT64_MAX;
  for (size_t k = 0; k < count; k++) {
    size_t i = (turn + k) % count;
    const tdm_candidate *c = &e->candidates[i];
    uint64_t load = queue_only ? (uint64_t)c->waiting + c->running : c->outstanding;
    if (!c->down && load < best_load) {
      best = i;
      best_load = load;
    }
  }
  return best;
}

static size_t skip_down(const tdm_engine *e, size_t count, size_t from) {
  while (e->candidates[from].down) from = (from + 1) % count;
  return from;
}

static size_t draw_weighted(const tdm_group *group, double u) {
  if (group->weights == NULL) return (size_t)((double)group->count * (u < 1 ? u : 0));
  size_t i = 0;
  while (i + 1 < group->count && u > group->weights[i]) i++;
  return i;
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
  gather(e, group);
  /* Requests of all classes share the group's stream; the class keeps their ordinals apart. */
  uint64_t name = r->ordinal ^ (uint64_t)r->class_index << 56;
  uint64_t bits = tdm_stream_bits(e->group_streams[group_index], name);
  uint64_t turn = e->turns[group_index]++;
  size_t pick = count;
  switch (group->router) {
  case TDM_ROUTE_ROUND_ROBIN: pick = skip_down(e, count, (size_t)(turn % count)); break;
  case TDM_ROUTE_RANDOM: pick = skip_down(e, count, (size_t)tdm_index_below(bits, count)); break;
  case TDM_ROUTE_LEAST_OUTSTANDING: pick = least(e, count, (size_t)(turn % count), false); break;
  case TDM_ROUTE_SHORTEST_QUEUE: pick = least(e, count, (size_t)(turn % count), true); break;
  case TDM_ROUTE_POWER_OF_TWO: {
    size_t a = skip_down(e, count, (size_t)tdm_index_below(bits, count)), b = a;
    if (count > 1) {
      b = (size_t)tdm_index_below(tdm_mix(bits + TDM_GAMMA), count - 1);
      b = skip_down(e, count, b >= a ? b + 1 : b);
    }
    pick = e->candidates[b].outstanding < e->candidates[a].outstanding ? b : a;
    break;
  }
  case TDM_ROUTE_WEIGHTED: pick = skip_down(e, count, draw_weighted(group, tdm_unit(bits))); break;
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
