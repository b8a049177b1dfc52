/* Bytes as a model, built without Lua: whatever passes tdm_model_finish must run, lose no request,
 * and give the same by heap, ladder, in pieces and lowered. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "engine/events/engine.h"
#include "engine/lowered/lowered.h"
#include "engine/measure/measure.h"
#include "time_limit.h"

typedef struct {
  const uint8_t *at, *end;
  tdm_model *m;
  uint32_t streams; /* of the present class */
  uint32_t depth;
  bool routed;  /* the request has a GPU here */
  bool holding; /* one memory at a time: two would wait for each other */
} builder;

static uint32_t take(builder *b, uint32_t below) {
  return b->at < b->end ? *b->at++ % below : 0;
}

static char *numbered(const char *what, size_t n) {
  char text[32];
  snprintf(text, sizeof text, "%s%zu", what, n);
  return tdm_string_copy(text);
}

static double seconds(builder *b) {
  static const double scale[] = {0, 1e-9, 1e-6, 1e-3, 1e-3, 1e-2, 0.1};
  return scale[take(b, 7)] * (1 + take(b, 9));
}

/* Some distribution of about this mean. */
static tdm_dist *draws(builder *b, double mean) {
  tdm_dist *dist = NULL;
  double more = mean > 0 ? mean : 1e-3;
  switch (take(b, 8)) {
  case 0: tdm_dist_constant(mean, &dist, NULL); break;
  case 1: tdm_dist_uniform(0, 2 * more, &dist, NULL); break;
  case 2: tdm_dist_lognormal(more, 1.5, &dist, NULL); break;
  case 3: tdm_dist_erlang(3, more, &dist, NULL); break;
  case 4: tdm_dist_gamma(more, 0.3, &dist, NULL); break;
  case 5: tdm_dist_pareto(more / 2, more * 100, 1.2, &dist, NULL); break;
  case 6:
    tdm_dist_hyperexponential((double[]){0.9, 0.1}, (double[]){more / 2, 5 * more}, 2, &dist, NULL);
    break;
  default: break;
  }
  if (dist == NULL) tdm_dist_exponential(more, &dist, NULL);
  return dist;
}

/* 2 to 1/50 s apart: failures and repairs never crowd out everything else. */
static tdm_dist *outage(builder *b) {
  return draws(b, 0.02 * (1 + take(b, 100)));
}

static tdm_cost cost(builder *b, double scale, bool plain) {
  tdm_cost made = {0};
  tdm_expr *expr = NULL;
  tdm_expr_builder *e = tdm_expr_builder_new();
  tdm_expr_node node = tdm_expr_constant(e, scale);
  switch (take(b, plain ? 3 : 6)) {
  case 1: node = tdm_expr_draw(e, draws(b, scale), 0); break;
  case 2:
    node = tdm_expr_apply(e, TDM_EXPR_MUL,
                          (tdm_expr_node[]){node, tdm_expr_draw(e, draws(b, 1), 1)}, 2);
    break;
  case 3:
    if (b->m->attr_count > 0)
      node = tdm_expr_apply(e, TDM_EXPR_MUL, (tdm_expr_node[]){node, tdm_expr_attr(e, 0)}, 2);
    break;
  case 4:
    if (b->m->attr_count > 1)
      node = tdm_expr_apply(e, TDM_EXPR_ADD, (tdm_expr_node[]){node, tdm_expr_sum(e, 1)}, 2);
    break;
  case 5:
    node = tdm_expr_apply(e, TDM_EXPR_MUL, (tdm_expr_node[]){node, tdm_expr_batch(e)}, 2);
    break;
  default: break;
  }
  if (tdm_expr_finish(e, node, &expr, NULL) != TDM_OK) abort();
  tdm_cost_from_expr(&made, expr, take(b, 6) == 5 ? draws(b, 1) : NULL);
  return made;
}

/* ---- resources */

static uint32_t station(builder *b, const char *name, uint32_t gpu) {
  tdm_station *s = tdm_model_add_station(b->m);
  s->name = numbered(name, b->m->station_count);
  s->gpu = gpu;
  s->servers = take(b, 8) == 7 ? TDM_UNLIMITED : 1 + take(b, 4);
  s->discipline = (tdm_discipline)take(b, TDM_PS + 1);
  if (take(b, 4) == 3) s->queue_limit = take(b, 6);
  if (b->m->link_count > 0 && take(b, 4) == 3) {
    s->link = take(b, (uint32_t)b->m->link_count);
    s->rate = take(b, 2) == 1 ? 1e9 : 0;
  }
  if (take(b, 6) == 5) {
    s->mtbf = outage(b);
    s->mttr = outage(b);
  }
  return (uint32_t)b->m->station_count - 1;
}

static uint32_t memory(builder *b, uint32_t gpu) {
  tdm_memory *memory = tdm_model_add_memory(b->m);
  memory->name = numbered("memory", b->m->memory_count);
  memory->gpu = gpu;
  memory->bytes = 1e9;
  return (uint32_t)b->m->memory_count - 1;
}

static void resources(builder *b) {
  tdm_model *m = b->m;
  for (uint32_t i = take(b, 3); i > 0; i--) {
    tdm_link *link = tdm_model_add_link(m);
    link->name = numbered("link", m->link_count);
    link->bandwidth = 1e9 * (1 + take(b, 4));
  }
  for (uint32_t i = 1 + take(b, 3); i > 0; i--) station(b, "pool", TDM_NO_INDEX);
  memory(b, TDM_NO_INDEX);
  uint32_t gpus = take(b, 4);
  for (uint32_t i = 0; i < gpus; i++) {
    uint32_t stations[TDM_ROLES], own = memory(b, i);
    for (int role = 0; role < TDM_ROLES; role++) stations[role] = station(b, "engine", i);
    tdm_gpu *gpu = tdm_model_add_gpu(m);
    gpu->name = numbered("gpu", i);
    gpu->kind = tdm_string_copy("gpu");
    gpu->memory = own;
    memcpy(gpu->stations, stations, sizeof stations);
    if (take(b, 6) == 5) {
      gpu->mtbf = outage(b);
      gpu->mttr = outage(b);
    }
  }
  if (gpus == 0) return;
  tdm_group *group = tdm_model_add_group(m);
  group->name = tdm_string_copy("all");
  group->count = gpus;
  group->members = tdm_array_new(gpus, sizeof *group->members);
  for (uint32_t i = 0; i < gpus; i++) group->members[i] = i;
  group->router = (tdm_router)take(b, TDM_ROUTE_FUNCTION);
  if (group->router == TDM_ROUTE_WEIGHTED) {
    group->weights = tdm_array_new(gpus, sizeof *group->weights);
    for (uint32_t i = 0; i < gpus; i++) group->weights[i] = (i + 1.0) / gpus;
  }
  if (m->attr_count > 0 && take(b, 2) == 1) group->key_attr = 0;
}

/* ---- routes */

static void steps(builder *b, uint32_t class_index, uint32_t count);

static uint32_t add(builder *b, tdm_opcode code) {
  tdm_model_add_op(b->m, code);
  return (uint32_t)b->m->op_count - 1;
}

static uint32_t next_op(const builder *b) {
  return (uint32_t)b->m->op_count;
}

static void serve(builder *b, uint32_t class_index, tdm_opcode code) {
  tdm_model *m = b->m;
  tdm_stage *stage = tdm_model_add_stage(m);
  uint32_t index = (uint32_t)m->stage_count - 1;
  stage->class_index = class_index;
  stage->name = numbered("stage", take(b, 4));
  bool linked = false;
  if (code == TDM_OP_SERVE && b->routed && take(b, 2) == 1) {
    stage->group = 0;
    stage->role = (tdm_role)take(b, TDM_ROLES);
  } else if (code == TDM_OP_SERVE) {
    stage->station = take(b, (uint32_t)m->station_count);
    linked = m->stations[stage->station].link != TDM_NO_INDEX;
  }
  if (code == TDM_OP_SERVE && take(b, 4) == 3) {
    stage->batch.max = 1 + take(b, 5);
    stage->batch.wait_ns = take(b, 4) == 3 ? INT64_MAX : (int64_t)(seconds(b) * 1e9);
  }
  stage->cost = cost(b, linked ? 1e5 * (1 + take(b, 50)) : seconds(b), false);
  uint32_t op = add(b, code);
  m->ops[op].a = index;
}

static void branch(builder *b, uint32_t class_index) {
  tdm_model *m = b->m;
  uint32_t count = 1 + take(b, 3), jumps[3], first = (uint32_t)m->choice_count;
  for (uint32_t i = 0; i < count; i++) tdm_model_add_choice(m);
  uint32_t op = add(b, TDM_OP_BRANCH);
  m->ops[op].a = first;
  m->ops[op].b = count;
  m->ops[op].stream = b->streams++;
  for (uint32_t i = 0; i < count; i++) {
    m->choices[first + i] = (tdm_choice){(i + 1.0) / count, next_op(b)};
    steps(b, class_index, take(b, 3));
    jumps[i] = add(b, TDM_OP_JUMP);
  }
  for (uint32_t i = 0; i < count; i++) m->ops[jumps[i]].a = next_op(b);
}

static void loop(builder *b, uint32_t class_index) {
  tdm_model *m = b->m;
  uint32_t enter = add(b, TDM_OP_ENTER), stream = b->streams++;
  uint32_t slot = (uint32_t)m->state_slots++, most = 1 + take(b, 5);
  bool counted = take(b, 2) == 1;
  double again = counted ? -1 : take(b, 11) / 10.0;
  tdm_cost times = {0};
  if (counted) times = cost(b, take(b, 4), true);
  m->ops[enter].cost = times;
  steps(b, class_index, 1 + take(b, 2));
  uint32_t end = add(b, TDM_OP_LOOP);
  m->ops[end].a = enter + 1;
  m->ops[enter].a = next_op(b);
  m->ops[enter].b = m->ops[end].b = slot;
  m->ops[enter].again = m->ops[end].again = again;
  m->ops[enter].max = m->ops[end].max = most;
  m->ops[enter].stream = m->ops[end].stream = stream;
}

static void fork_steps(builder *b, uint32_t class_index) {
  tdm_model *m = b->m;
  uint32_t count = 1 + take(b, 3), first = (uint32_t)m->choice_count;
  for (uint32_t i = 0; i < count; i++) tdm_model_add_choice(m);
  uint32_t op = add(b, TDM_OP_FORK);
  for (uint32_t i = 0; i < count; i++) {
    m->choices[first + i].target = next_op(b);
    steps(b, class_index, take(b, 3));
    add(b, TDM_OP_JOIN);
  }
  m->ops[op].a = first;
  m->ops[op].b = count;
  m->ops[op].max = next_op(b);
}

static void hold(builder *b, uint32_t class_index) {
  tdm_model *m = b->m;
  uint32_t seize = add(b, TDM_OP_SEIZE), slot = (uint32_t)m->state_slots++;
  uint32_t which = b->routed && take(b, 2) == 1 ? TDM_NO_INDEX : 0;
  m->ops[seize].a = which;
  m->ops[seize].b = slot;
  m->ops[seize].stream = b->streams++;
  tdm_cost bytes = cost(b, 1e6 * (1 + take(b, 250)), true);
  m->ops[seize].cost = bytes;
  b->holding = true;
  steps(b, class_index, take(b, 3));
  b->holding = false;
  uint32_t release = add(b, TDM_OP_RELEASE);
  m->ops[release].a = which;
  m->ops[release].b = slot;
}

static void steps(builder *b, uint32_t class_index, uint32_t count) {
  b->depth++;
  for (uint32_t i = 0; i < count && b->m->op_count < 200; i++) {
    uint32_t kind = b->depth > 4 ? 0 : take(b, 9);
    if (kind == 8)
      branch(b, class_index);
    else if (kind == 7)
      loop(b, class_index);
    else if (kind == 6)
      fork_steps(b, class_index);
    else if (kind == 5 && !b->holding)
      hold(b, class_index);
    else
      serve(b, class_index, kind == 4 ? TDM_OP_DELAY : TDM_OP_SERVE);
  }
  b->depth--;
}

static void class_of(builder *b, uint32_t index) {
  tdm_model *m = b->m;
  tdm_class *class = &m->classes[index];
  tdm_arrivals *arrivals = tdm_array_new(1, sizeof *arrivals);
  class->name = numbered("class", index);
  class->arrivals = arrivals;
  class->priority = take(b, 3);
  double gap = 1e-3 * (1 + take(b, 20));
  switch (take(b, 4)) {
  case 0:
    arrivals->kind = TDM_ARRIVE_CONSTANT;
    arrivals->rps = 1 / gap;
    break;
  case 1:
    arrivals->kind = TDM_ARRIVE_CLOSED;
    arrivals->users = 1 + take(b, 8);
    arrivals->think = take(b, 2) == 1 ? draws(b, gap) : NULL;
    break;
  default: arrivals->kind = TDM_ARRIVE_RENEWAL; arrivals->gap = draws(b, gap);
  }
  if (take(b, 4) == 3) arrivals->batch = draws(b, 3);
  if (take(b, 4) == 3) class->patience = draws(b, seconds(b));
  if (take(b, 4) == 3) class->timeout = draws(b, seconds(b));
  if (take(b, 4) == 3) class->retry = (tdm_retry){1 + take(b, 3), seconds(b), 2, 0.5};
  for (size_t slot = 0; slot < m->attr_count; slot++) {
    class->attrs[slot] = cost(b, seconds(b), true);
    class->attr_set[slot] = true;
  }
  class->entry = next_op(b);
  b->streams = 0;
  b->routed = m->group_count > 0;
  if (b->routed) add(b, TDM_OP_ROUTE);
  steps(b, index, 1 + take(b, 4));
  add(b, TDM_OP_END);
}

static tdm_model *build(const uint8_t *data, size_t size) {
  builder b = {.at = data, .end = data + size, .m = tdm_model_new()};
  tdm_model *m = b.m;
  m->name = tdm_string_copy("fuzz");
  m->requests = 1 + take(&b, 100);
  if (take(&b, 3) == 2) m->duration_ns = 1000000 * (int64_t)(1 + take(&b, 250));
  m->attr_count = take(&b, 3);
  m->attrs = tdm_array_new(m->attr_count, sizeof *m->attrs);
  for (size_t i = 0; i < m->attr_count; i++) m->attrs[i] = numbered("attr", i);
  m->state_slots = m->attr_count;
  resources(&b);
  if (tdm_model_set_classes(m, 1 + take(&b, 3), NULL) != TDM_OK) abort();
  for (uint32_t i = 0; i < m->class_count; i++) class_of(&b, i);
  return m;
}

/* ---- runs */

static void must(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* piece_ns: 0 for all at once. */
static tdm_status run(const tdm_model *m, size_t heap_limit, int64_t piece_ns, tdm_tally **tally,
                      tdm_error *error) {
  tdm_engine *engine = NULL;
  tdm_engine_options options = {.seed = 1, .heap_limit = heap_limit, .stop = &time_limit.stop};
  tdm_status status = tdm_engine_open(m, &options, &engine, error);
  for (int i = 1; i <= 20 && piece_ns > 0 && status == TDM_OK; i++)
    status = tdm_engine_advance(engine, i * piece_ns, error);
  if (status == TDM_OK) status = tdm_engine_advance(engine, INT64_MAX, error);
  if (status == TDM_OK) status = tdm_engine_finish(engine, tally, error);
  tdm_engine_close(engine);
  return status;
}

/* In integers, request by request: cheaper than a measure, and stricter. */
static bool same(const tdm_tally *a, const tdm_tally *b) {
  bool same = a->end_ns == b->end_ns && a->open == b->open && a->window_ns == b->window_ns &&
              a->in_system_ns[TDM_SLICES] == b->in_system_ns[TDM_SLICES];
  for (size_t c = 0; c < a->class_count && same; c++)
    same = a->exact[c].count == b->exact[c].count &&
           memcmp(a->exact[c].latency_ns, b->exact[c].latency_ns,
                  a->exact[c].count * sizeof *a->exact[c].latency_ns) == 0;
  for (size_t i = 0; i < a->stage_count && same; i++) {
    const tdm_stage_note *x = &a->stages[i * (TDM_SLICES + 1) + TDM_SLICES];
    const tdm_stage_note *y = &b->stages[i * (TDM_SLICES + 1) + TDM_SLICES];
    same = x->visits == y->visits && x->wait_ns == y->wait_ns && x->service_ns == y->service_ns;
  }
  return same;
}

static void check(const tdm_model *m, const tdm_measure *whole) {
  const tdm_class_measure *all = &whole->all;
  must(whole->conserved, "requests are not conserved");
  must(all->completed + all->dropped + all->abandoned + all->timed_out + whole->open ==
           all->arrived,
       "arrivals are not what leaves and stays");
  must(whole->open > 0 || !(whole->little_error > 1e-9), "Little's law fails");
  /* When everybody arrives at time 0 there is no time to be busy in. */
  for (size_t i = 0; i < m->station_count && whole->window_ns > 0; i++) {
    double used = whole->stations[i].utilization;
    if (m->stations[i].servers == TDM_UNLIMITED || (used >= 0 && used <= 1 + 1e-9)) continue;
    fprintf(stderr, "%s: ", m->stations[i].name);
    must(false, "a station is busier than it can be, or not a number");
  }
}

static void try_model(const tdm_model *m) {
  tdm_tally *first = NULL, *other = NULL;
  tdm_measure measure;
  tdm_error error = {0};
  tdm_status status = run(m, 0, 0, &first, &error);
  must(status == TDM_OK || status == TDM_INTERRUPTED || status == TDM_INVALID ||
           status == TDM_LIMIT,
       error.message);
  if (status != TDM_OK) return;
  must(tdm_measure_take(m, first, 0, 1, &measure, &error) == TDM_OK, "no measure");
  check(m, &measure);
  tdm_measure_free(&measure);
  status = run(m, 1, 7000000, &other, &error);
  must(status == TDM_INTERRUPTED || (status == TDM_OK && same(first, other)),
       "the ladder, in pieces, gives something else");
  if (status == TDM_OK) tdm_tally_free(other);
  other = NULL;
  if (tdm_lowered_refuses(m) == NULL) {
    status = tdm_lowered_run(m, 1, 0, TDM_TALLY_WHOLE, NULL, &time_limit.stop, &other, &error);
    must(status == TDM_INTERRUPTED || (status == TDM_OK && same(first, other)),
         "lowered, it gives something else");
    if (other != NULL) tdm_tally_free(other);
  }
  tdm_tally_free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_model *m = build(data, size);
  tdm_error error;
  time_limit_begin();
  if (tdm_model_finish(m, &error) == TDM_OK) try_model(m);
  time_limit_end();
  tdm_model_free(m);
  return 0;
}
