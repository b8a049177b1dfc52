/* Compiles steps to ops. Owns the layout that engine/events/route.c walks:
 *
 *   branch  BRANCH(choices) body JUMP(end) body JUMP(end) … end
 *   loop    ENTER(end) body LOOP(body) end
 *   fork    FORK(choices, end) body JOIN body JOIN … end
 *   process PROCESS(function, first of a run of stages, one for each station)
 *   generate GENERATE(stage)
 *
 * Every op that draws has a stream number of its own within the class, every loop and seize a state
 * slot of its own within the model: the engine gives back what a request holds by looking at all
 * seizes. */
#include "bind/model/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/model/value.h"

/* A seize that has not met its release yet. */
typedef struct {
  uint32_t memory; /* TDM_NO_INDEX: the GPU's */
  uint32_t slot;
} hold;

typedef struct {
  tdm_reader *r;
  tdm_model *model;
  uint32_t class_index;
  uint32_t streams; /* given out so far */
  bool routed;      /* the request is on a GPU of its own when it gets here, whatever way it came */
  hold *holds;
  size_t hold_count, hold_capacity;
} route_state;

static void steps_here(route_state *s);

static void steps_of(route_state *s, const char *key) {
  size_t mark = tdm_read_open(s->r, key);
  steps_here(s);
  tdm_read_close(s->r, mark);
}

/* Index of a new op. After a problem it is not to be used: there may be no op at all. */
static uint32_t add_op(route_state *s, tdm_opcode code) {
  tdm_op *op = s->r->status == TDM_OK ? tdm_model_add_op(s->model, code) : NULL;
  if (op == NULL) tdm_read_allocated(s->r, op, "a route");
  return op != NULL ? (uint32_t)(s->model->op_count - 1) : 0;
}

static void add_op_on(route_state *s, tdm_opcode code, size_t subject) {
  uint32_t op = add_op(s, code);
  if (s->r->status == TDM_OK) s->model->ops[op].a = (uint32_t)subject;
}

static uint32_t here(const route_state *s) {
  return (uint32_t)s->model->op_count;
}

/* First of `count` choices in a row. */
static uint32_t add_choices(route_state *s, size_t count) {
  uint32_t first = (uint32_t)s->model->choice_count;
  for (size_t i = 0; i < count && s->r->status == TDM_OK; i++)
    tdm_read_allocated(s->r, tdm_model_add_choice(s->model), "a branch");
  return first;
}

/* NULL after a problem. `name` is taken over. */
static tdm_stage *add_stage(route_state *s, char *name) {
  tdm_stage *stage = s->r->status == TDM_OK ? tdm_model_add_stage(s->model) : NULL;
  if (stage == NULL) {
    free(name);
    tdm_read_allocated(s->r, stage, "a stage");
    return NULL;
  }
  stage->name = name;
  stage->class_index = s->class_index;
  stage->lane = TDM_LANE_OTHER;
  return stage;
}

tdm_lane tdm_bind_lane(tdm_reader *r, const char *key) {
  const char *name = tdm_read_word(r, key);
  if (name == NULL) return TDM_LANE_OTHER;
  for (int lane = 0; lane < TDM_LANES; lane++)
    if (strcmp(tdm_lane_name((tdm_lane)lane), name) == 0) return (tdm_lane)lane;
  tdm_read_fail(r, "%s: there is no lane \"%s\"", key, name);
  return TDM_LANE_OTHER;
}

/* A cost that may ask for GPU parameters only where there is a GPU: the engine relies on it. */
static void read_cost(route_state *s, const char *key, tdm_dist *jitter, bool on_gpu,
                      tdm_cost *cost) {
  tdm_read_cost(s->r, key, jitter, cost);
  if (cost->expr != NULL && tdm_expr_uses_gpu(cost->expr) && !on_gpu && !s->routed)
    tdm_read_fail(s->r, "%s asks for a GPU's parameter before the request is on a GPU", key);
}

/* A transfer's bytes, for the trace. Those that a Lua function says are left out: it would be
 * called again, and may not be the same twice. */
static void read_bytes(route_state *s, tdm_stage *stage, bool on_gpu) {
  if (!tdm_read_has(s->r, "bytes")) return;
  read_cost(s, "bytes", NULL, on_gpu, &stage->bytes);
  stage->moves_bytes = stage->bytes.expr != NULL && !tdm_expr_needs_script(stage->bytes.expr);
}

/* ---- single steps */

static void read_batch(tdm_reader *r, tdm_batch_rule *rule) {
  size_t mark = tdm_read_open(r, "batch");
  if (tdm_read_present(r)) {
    rule->max = tdm_read_count_or(r, "max", 1);
    rule->function = tdm_read_function(r, "decide");
    bool patient = tdm_read_flag(r, "static") || rule->function != TDM_NO_INDEX;
    rule->wait_ns = tdm_read_ns_or(r, "wait", patient ? INT64_MAX : 0);
    double *sizes = NULL;
    if (tdm_read_has(r, "preferred"))
      sizes = tdm_read_numbers(r, "preferred", &rule->preferred_count);
    if (sizes != NULL) {
      rule->preferred = tdm_array_new(rule->preferred_count, sizeof *rule->preferred);
      tdm_read_allocated(r, rule->preferred, "batch sizes");
    }
    for (size_t i = 0; i < rule->preferred_count && rule->preferred != NULL; i++) {
      if (!(sizes[i] >= 1 && sizes[i] <= rule->max) || (i > 0 && sizes[i] <= sizes[i - 1])) {
        tdm_read_fail(r, "preferred sizes must rise, between 1 and max");
        break;
      }
      rule->preferred[i] = (uint32_t)sizes[i];
    }
    free(sizes);
  }
  tdm_read_close(r, mark);
}

/* Where a stage is served: a station, or a role on the GPUs of a group. */
static void read_station(route_state *s, tdm_stage *stage) {
  static const char *const roles[TDM_ROLES] = {"h2d", "gpu", "d2h"};
  tdm_reader *r = s->r;
  stage->station = tdm_read_index(r, "station", s->model->station_count);
  if (r->status != TDM_OK || stage->station != TDM_NO_INDEX) return;
  const char *role = tdm_read_word(r, "role");
  uint32_t found = TDM_ROLES;
  for (uint32_t i = 0; role != NULL && i < TDM_ROLES; i++)
    if (strcmp(roles[i], role) == 0) found = i;
  if (found == TDM_ROLES)
    tdm_read_fail(r, "wants a station, or a role: h2d, gpu or d2h");
  else
    stage->role = (tdm_role)found;
  stage->group = tdm_read_index(r, "gpus", s->model->group_count);
  if (stage->group == TDM_NO_INDEX && s->model->group_count == 1) stage->group = 0;
  if (stage->group == TDM_NO_INDEX) tdm_read_fail(r, "a role wants gpus, the number of a group");
  if (!s->routed) tdm_read_fail(r, "a role before the step that routes the request to a GPU");
}

static void add_serve(route_state *s) {
  tdm_stage *stage = add_stage(s, tdm_read_name(s->r, "name"));
  if (stage == NULL) return;
  read_station(s, stage);
  stage->lane = tdm_bind_lane(s->r, "lane");
  read_batch(s->r, &stage->batch);
  bool on_gpu = stage->station != TDM_NO_INDEX && s->r->status == TDM_OK &&
                s->model->stations[stage->station].gpu != TDM_NO_INDEX;
  read_cost(s, "cost", tdm_read_dist(s->r, "jitter"), on_gpu, &stage->cost);
  read_bytes(s, stage, on_gpu);
  add_op_on(s, TDM_OP_SERVE, s->model->stage_count - 1);
}

static void add_delay(route_state *s) {
  tdm_stage *stage = add_stage(s, tdm_read_name(s->r, "name"));
  if (stage == NULL) return;
  read_cost(s, "cost", tdm_read_dist(s->r, "jitter"), false, &stage->cost);
  add_op_on(s, TDM_OP_DELAY, s->model->stage_count - 1);
}

static void add_route(route_state *s) {
  uint32_t group = tdm_read_index(s->r, "group", s->model->group_count);
  if (group == TDM_NO_INDEX) tdm_read_fail(s->r, "group is missing");
  add_op_on(s, TDM_OP_ROUTE, group);
  s->routed = true;
}

/* The memory a seize or release names; TDM_NO_INDEX: the GPU's. */
static uint32_t memory_of(route_state *s) {
  uint32_t memory = tdm_read_index(s->r, "memory", s->model->memory_count);
  if (memory != TDM_NO_INDEX) return memory;
  const char *role = tdm_read_word(s->r, "role");
  if (role == NULL || strcmp(role, "memory") != 0)
    tdm_read_fail(s->r, "wants memory, a number, or role = \"memory\"");
  return TDM_NO_INDEX;
}

/* Waiting for memory is reported as a stage of its own, without a service. */
static uint32_t add_wait_stage(route_state *s, uint32_t memory) {
  const char *name = tdm_read_has(s->r, "name") ? tdm_read_word(s->r, "name") : NULL;
  if (name == NULL) name = memory != TDM_NO_INDEX ? s->model->memories[memory].name : "memory";
  uint32_t index = (uint32_t)s->model->stage_count;
  tdm_stage *stage = tdm_model_add_stage(s->model);
  if (!tdm_read_allocated(s->r, stage, "a stage")) return TDM_NO_INDEX;
  stage->name = tdm_string_copy(name);
  stage->class_index = s->class_index;
  stage->lane = TDM_LANE_QUEUE;
  tdm_cost_given(&stage->cost);
  return tdm_read_allocated(s->r, stage->name, "a stage") ? index : TDM_NO_INDEX;
}

static void add_seize(route_state *s) {
  uint32_t memory = memory_of(s), op = add_op(s, TDM_OP_SEIZE);
  if (s->r->status != TDM_OK) return;
  if (!tdm_array_grow(&s->holds, &s->hold_capacity, s->hold_count + 1, sizeof *s->holds)) {
    tdm_read_allocated(s->r, NULL, "a route");
    return;
  }
  uint32_t slot = (uint32_t)s->model->state_slots++;
  s->holds[s->hold_count++] = (hold){.memory = memory, .slot = slot};
  s->model->ops[op].a = memory;
  s->model->ops[op].b = slot;
  s->model->ops[op].stream = s->streams++;
  read_cost(s, "bytes", NULL, false, &s->model->ops[op].cost);
  s->model->ops[op].max = add_wait_stage(s, memory);
}

static void add_release(route_state *s) {
  uint32_t memory = memory_of(s), op = add_op(s, TDM_OP_RELEASE);
  if (s->r->status != TDM_OK) return;
  size_t i = s->hold_count;
  while (i > 0 && s->holds[i - 1].memory != memory) i--;
  if (i == 0) {
    tdm_read_fail(s->r, "releases a memory that no step before it has seized");
    return;
  }
  s->model->ops[op].a = memory;
  s->model->ops[op].b = s->holds[i - 1].slot;
  memmove(&s->holds[i - 1], &s->holds[i], (s->hold_count - i) * sizeof *s->holds);
  s->hold_count--;
}

/* ---- steps with steps inside */

static double read_probability(tdm_reader *r, size_t item) {
  size_t mark = tdm_read_open_item(r, item);
  double p = tdm_read_number(r, "p");
  if (!(p >= 0 && p <= 1)) tdm_read_fail(r, "p must be 0 to 1, not %.14g", p);
  tdm_read_close(r, mark);
  return p;
}

/* Rounding of probabilities written as decimals stays far below this; a request in 1e9 does not
 * show. */
#define REST_MIN 1e-9

static void add_branch(route_state *s) {
  tdm_reader *r = s->r;
  size_t mark = tdm_read_open(r, "choices");
  size_t count = tdm_read_length(r);
  if (count == 0) tdm_read_fail(r, "wants at least one choice");
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += read_probability(r, i + 1);
  if (sum > 1 + REST_MIN) tdm_read_fail(r, "probabilities sum to %.14g, more than 1", sum);
  size_t choices = count + (sum < 1 - REST_MIN);
  uint32_t first = add_choices(s, choices), op = add_op(s, TDM_OP_BRANCH);
  uint32_t *jumps = tdm_array_new(count, sizeof *jumps);
  if (tdm_read_allocated(r, jumps, "a branch") && r->status == TDM_OK) {
    s->model->ops[op].a = first;
    s->model->ops[op].b = (uint32_t)choices;
    s->model->ops[op].stream = s->streams++;
    double cumulative = 0;
    for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
      cumulative += read_probability(r, i + 1);
      s->model->choices[first + i] = (tdm_choice){.cumulative = cumulative, .target = here(s)};
      size_t item = tdm_read_open_item(r, i + 1);
      steps_of(s, "steps");
      tdm_read_close(r, item);
      jumps[i] = add_op(s, TDM_OP_JUMP);
    }
  }
  if (r->status == TDM_OK) {
    for (size_t i = 0; i < count; i++) s->model->ops[jumps[i]].a = here(s);
    if (choices > count) s->model->choices[first + count].target = here(s);
    s->model->choices[first + choices - 1].cumulative = 1;
  }
  free(jumps);
  tdm_read_close(r, mark);
}

static void add_loop(route_state *s) {
  tdm_reader *r = s->r;
  double again = tdm_read_number_or(r, "again", -1);
  uint32_t max = tdm_read_count_or(r, "max", TDM_UNLIMITED);
  bool times = tdm_read_has(r, "times");
  if (times == (again >= 0) || again > 1)
    tdm_read_fail(r, "wants times, or again from 0 to 1, not both");
  if (again >= 1 && max == TDM_UNLIMITED) tdm_read_fail(r, "would never end: wants max");
  uint32_t enter = add_op(s, TDM_OP_ENTER);
  if (r->status != TDM_OK) return;
  uint32_t slot = (uint32_t)s->model->state_slots++, stream = s->streams++;
  tdm_op *op = &s->model->ops[enter];
  op->b = slot;
  op->again = again;
  op->max = max;
  op->stream = stream;
  if (times) read_cost(s, "times", NULL, false, &op->cost);
  steps_of(s, "steps");
  uint32_t loop = add_op(s, TDM_OP_LOOP);
  if (r->status != TDM_OK) return;
  op = &s->model->ops[loop];
  op->a = enter + 1;
  op->b = slot;
  op->again = again;
  op->max = max;
  op->stream = stream;
  s->model->ops[enter].a = here(s);
}

static void add_fork(route_state *s) {
  tdm_reader *r = s->r;
  size_t mark = tdm_read_open(r, "branches");
  size_t count = tdm_read_length(r);
  if (count == 0) tdm_read_fail(r, "wants at least one branch");
  uint32_t first = add_choices(s, count), op = add_op(s, TDM_OP_FORK);
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    s->model->choices[first + i].target = here(s);
    size_t item = tdm_read_open_item(r, i + 1);
    steps_here(s);
    tdm_read_close(r, item);
    add_op(s, TDM_OP_JOIN);
  }
  if (r->status == TDM_OK) {
    s->model->ops[op].a = first;
    s->model->ops[op].b = (uint32_t)count;
    s->model->ops[op].max = here(s);
  }
  tdm_read_close(r, mark);
}

static void add_process(route_state *s) {
  tdm_reader *r = s->r;
  uint32_t function = tdm_read_function(r, "fn");
  if (function == TDM_NO_INDEX) tdm_read_fail(r, "fn is missing");
  uint32_t op = add_op(s, TDM_OP_PROCESS);
  if (r->status != TDM_OK) return;
  s->model->ops[op].a = function;
  s->model->ops[op].b = (uint32_t)s->model->stage_count;
  s->model->ops[op].stream = s->streams++;
  for (size_t i = 0; i < s->model->station_count && r->status == TDM_OK; i++) {
    const tdm_station *station = &s->model->stations[i];
    char *name = tdm_string_copy(station->name);
    tdm_stage *stage = tdm_read_allocated(r, name, "a stage") ? add_stage(s, name) : NULL;
    if (stage == NULL) return;
    stage->station = (uint32_t)i;
    stage->lane = station->lane;
    tdm_cost_given(&stage->cost);
  }
}

/* The KV cache's way between replicas is a stage of its own, visited from that of its request. */
static void add_transfer(route_state *s, uint32_t generate) {
  const tdm_llm_server *server = &s->model->servers[s->model->stages[generate].server];
  char name[256];
  snprintf(name, sizeof name, "%s transfer", s->model->stages[generate].name);
  char *copy = tdm_string_copy(name);
  tdm_stage *stage = tdm_read_allocated(s->r, copy, "a stage") ? add_stage(s, copy) : NULL;
  if (stage == NULL) return;
  stage->station = server->link_station;
  stage->lane = TDM_LANE_COMM;
  stage->hands_over = true;
  tdm_cost_given(&stage->cost);
  s->model->stages[generate].transfer = (uint32_t)(s->model->stage_count - 1);
}

static void add_generate(route_state *s) {
  tdm_stage *stage = add_stage(s, tdm_read_name(s->r, "name"));
  if (stage == NULL) return;
  stage->server = tdm_read_index(s->r, "server", s->model->server_count);
  if (stage->server == TDM_NO_INDEX) tdm_read_fail(s->r, "server is missing");
  stage->lane = TDM_LANE_GPU;
  tdm_cost_given(&stage->cost);
  read_cost(s, "prompt", NULL, false, &stage->prompt);
  read_cost(s, "output", NULL, false, &stage->output);
  if (tdm_read_has(s->r, "prefix")) read_cost(s, "prefix", NULL, false, &stage->prefix);
  if (tdm_read_has(s->r, "group")) read_cost(s, "group", NULL, false, &stage->prefix_group);
  stage->remembers = tdm_read_flag(s->r, "history");
  if (stage->remembers && s->model->conversation == TDM_NO_INDEX) {
    s->model->conversation = (uint32_t)s->model->state_slots;
    s->model->state_slots += 2;
  }
  if (tdm_read_has(s->r, "adapter")) read_cost(s, "adapter", NULL, false, &stage->adapter);
  stage->by_tenant = tdm_read_has(s->r, "tenant");
  if (stage->by_tenant) read_cost(s, "tenant", NULL, false, &stage->tenant);
  if (tdm_read_has(s->r, "max_output")) read_cost(s, "max_output", NULL, false, &stage->max_output);
  if (tdm_read_has(s->r, "predicted")) read_cost(s, "predicted", NULL, false, &stage->predicted);
  stage->keyed = tdm_read_has(s->r, "key");
  if (stage->keyed) read_cost(s, "key", NULL, false, &stage->key);
  if (s->r->status != TDM_OK) return;
  uint32_t index = (uint32_t)(s->model->stage_count - 1);
  add_op_on(s, TDM_OP_GENERATE, index);
  if (s->model->servers[stage->server].link_station != TDM_NO_INDEX) add_transfer(s, index);
}

/* ---- the list */

static const struct {
  const char *name;
  void (*add)(route_state *s);
} steps[] = {{"serve", add_serve},      {"delay", add_delay},     {"route", add_route},
             {"seize", add_seize},      {"release", add_release}, {"branch", add_branch},
             {"loop", add_loop},        {"fork", add_fork},       {"process", add_process},
             {"generate", add_generate}};

static void step_here(route_state *s) {
  const char *op = tdm_read_word(s->r, "op");
  for (size_t i = 0; op != NULL && i < sizeof steps / sizeof *steps; i++) {
    if (strcmp(steps[i].name, op) != 0) continue;
    steps[i].add(s);
    return;
  }
  tdm_read_fail(s->r, "there is no step \"%s\"", op != NULL ? op : "");
}

/* The value is a list of steps; none at all is an empty list. */
static void steps_here(route_state *s) {
  bool routed = s->routed;
  size_t count = tdm_read_length(s->r);
  for (size_t i = 0; i < count && s->r->status == TDM_OK; i++) {
    size_t mark = tdm_read_open_item(s->r, i + 1);
    step_here(s);
    tdm_read_close(s->r, mark);
  }
  s->routed = routed; /* a list inside another may not be taken */
}

void tdm_bind_route(tdm_reader *r, const char *key, uint32_t class_index) {
  route_state s = {.r = r, .model = r->model, .class_index = class_index};
  r->model->classes[class_index].entry = (uint32_t)r->model->op_count;
  steps_of(&s, key);
  add_op(&s, TDM_OP_END);
  free(s.holds);
}
