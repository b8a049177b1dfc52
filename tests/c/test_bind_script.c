/* Workers: functions of one state answering the engine from another, replication by replication. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <math.h>

#include "app/app.h"
#include "base/memory.h"
#include "bind/worker/worker.h"

static tdm_model *small_model(void) {
  tdm_model *m = tdm_model_new();
  static const char *const attrs[] = {"tokens", "bytes"};
  m->attrs = tdm_array_new(2, sizeof *m->attrs);
  for (size_t i = 0; i < 2; i++) m->attrs[i] = tdm_string_copy(attrs[i]);
  m->attr_count = 2;
  m->params = tdm_array_new(1, sizeof *m->params);
  m->params[0] = tdm_string_copy("flops");
  m->param_count = 1;
  for (uint32_t i = 0; i < 2; i++) {
    tdm_gpu *gpu = tdm_model_add_gpu(m);
    gpu->name = tdm_string_copy(i == 0 ? "L40#1" : "L40#2");
    gpu->kind = tdm_string_copy("L40");
    gpu->params = tdm_array_new(1, sizeof *gpu->params);
    gpu->params[0] = 1e12 * (i + 1);
    gpu->memory = i;
    gpu->stations[TDM_ROLE_H2D] = gpu->stations[TDM_ROLE_D2H] = TDM_NO_INDEX;
    gpu->stations[TDM_ROLE_GPU] = 1 + i;
  }
  static const char *const stations[] = {"cpu", "L40#1 gpu", "L40#2 gpu", "wire"};
  for (uint32_t i = 0; i < 4; i++) {
    tdm_station *station = tdm_model_add_station(m);
    station->name = tdm_string_copy(stations[i]);
    station->link = i == 3 ? 0 : TDM_NO_INDEX;
    station->gpu = TDM_NO_INDEX;
  }
  static const char *const memories[] = {"L40#1 memory", "L40#2 memory"};
  for (uint32_t i = 0; i < 2; i++) {
    tdm_memory *memory = tdm_model_add_memory(m);
    memory->name = tdm_string_copy(memories[i]);
    memory->bytes = 1e9;
  }
  tdm_stage *stage = tdm_model_add_stage(m);
  stage->name = tdm_string_copy("decode");
  stage->station = 0;
  assert_int_equal(tdm_model_set_classes(m, 1, NULL), TDM_OK);
  m->classes[0].name = tdm_string_copy("chat");
  return m;
}

typedef struct {
  tdm_model *model;
  lua_State *main;
  tdm_shipment *shipment;
  tdm_bind_functions functions;
  tdm_worker *worker;
  const tdm_hooks *hooks;
  double attrs[2], sums[2];
  int looks; /* how often a view was asked to fill itself */
  tdm_view view;
  tdm_error error;
} fixture;

/* The functions that the chunk returns, in a worker begun for (seed 1, replication 0). */
static void *open_with(const char *source, const tdm_worker_options *options) {
  fixture *f = tdm_array_new(1, sizeof *f);
  f->model = small_model();
  f->main = tdm_state_open();
  if (luaL_loadbuffer(f->main, source, strlen(source), "@user.lua") != LUA_OK ||
      lua_pcall(f->main, 0, LUA_MULTRET, 0) != LUA_OK)
    fail_msg("%s", lua_tostring(f->main, -1));
  int count = lua_gettop(f->main);
  lua_createtable(f->main, count, 0);
  lua_insert(f->main, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(f->main, 1, i);
  if (tdm_ship(f->main, 1, &f->shipment, &f->error) != TDM_OK) fail_msg("%s", f->error.message);
  f->functions.count = (uint32_t)count;
  for (int i = 0; i < TDM_HOOK_EVENTS; i++) f->functions.events[i] = (uint32_t)(count - 1);
  f->functions.admit = (uint32_t)(count - 1);
  if (tdm_worker_open(f->shipment, f->model, &f->functions, options, &f->worker, &f->error) ||
      tdm_worker_begin(f->worker, 1, 0, &f->error) != TDM_OK)
    fail_msg("%s", f->error.message);
  f->hooks = tdm_worker_hooks(f->worker);
  f->attrs[0] = 128;
  f->attrs[1] = 4096;
  f->sums[0] = 300;
  f->sums[1] = 5000;
  f->view = (tdm_view){.now_ns = 2500000000,
                       .arrival_ns = 1000000000,
                       .wait_ns = 500000000,
                       .ordinal = 6,
                       .gpu = 1,
                       .batch = 3,
                       .attrs = f->attrs,
                       .sums = f->sums,
                       .outcome = "dropped"};
  return f;
}

static fixture *open_functions(const char *source) {
  return open_with(source, NULL);
}

static void close_functions(fixture *f) {
  tdm_worker_close(f->worker);
  tdm_shipment_free(f->shipment);
  lua_close(f->main);
  tdm_model_free(f->model);
  free(f);
}

static double cost_of(fixture *f, uint32_t function) {
  double amount = -1;
  tdm_status status = f->hooks->cost(f->hooks->context, function, &f->view, &amount, &f->error);
  if (status != TDM_OK) fail_msg("%s", f->error.message);
  return amount;
}

static void expect_error(fixture *f, uint32_t function, const char *message) {
  double amount;
  assert_int_equal(f->hooks->cost(f->hooks->context, function, &f->view, &amount, &f->error),
                   TDM_HOOK);
  assert_string_equal(f->error.message, message);
}

static void a_request_has_its_fields(void **state) {
  (void)state;
  fixture *f = open_functions(
      "return function(r) return r.tokens end, function(r) return r.sum.tokens + r.sum.bytes end,\n"
      "function(r) return r.id + r.time * 10 + r.now * 100 + r.arrival * 1000 + r.batch * 1e5 "
      "end,\n"
      "function(r) assert(r.class == 'chat' and r.stage == 'decode' and r.outcome == 'dropped')\n"
      "  return r.gpu.flops + #r.gpu.name end,\n"
      "function(r) return r.gpu and 1 or 0 end, function(r) return r.waited end");
  for (int round = 0; round < 3; round++) { /* the first one learns, the others are filled in */
    f->attrs[0] = 128 + round;
    f->sums[0] = 300 + round;
    assert_true(cost_of(f, 0) == 128 + round);
    assert_true(cost_of(f, 1) == 5300 + round);
    assert_true(cost_of(f, 2) == 7 + 25 + 250 + 1000 + 3e5);
    f->view.gpu = 1;
    assert_true(cost_of(f, 3) == 2e12 + 5);
    f->view.gpu = 0;
    assert_true(cost_of(f, 3) == 1e12 + 5);
    assert_true(cost_of(f, 4) == 1);
    f->view.gpu = TDM_NO_INDEX;
    assert_true(cost_of(f, 4) == 0);
    assert_true(cost_of(f, 5) == 0.5);
  }
  f->view.sums = NULL; /* not batched: the sum is the request's own */
  assert_true(cost_of(f, 1) == 130 + 4096);
  close_functions(f);
}

static void resume(fixture *f, uint32_t function, uint32_t *handle, tdm_action *action) {
  if (f->hooks->resume(f->hooks->context, function, &f->view, handle, action, &f->error) != TDM_OK)
    fail_msg("%s", f->error.message);
}

static void count_look(tdm_view *view) {
  fixture *f = view->engine;
  f->looks++;
  view->look = NULL;
  view->attrs = f->attrs;
}

static void a_request_is_filled_when_somebody_looks(void **state) {
  (void)state;
  fixture *f = open_functions("local calls = 0\n"
                              "return function() calls = calls + 1 return calls end,\n"
                              "function(r) return r and 7 end, function(r) return r.tokens end,\n"
                              "function(...) return select('#', ...) end, function(p)\n"
                              "  p:hold(1) p:hold(p.tokens) end, function() end");
  const double wanted[4][3] = {{1, 2, 3}, {7, 7, 7}, {128, 129, 130}, {1, 1, 1}};
  for (uint32_t function = 0; function < 4; function++) {
    f->looks = 0;
    for (int i = 0; i < 3; i++) {
      f->attrs[0] = 128 + i;
      f->view = (tdm_view){.look = count_look, .engine = f};
      assert_true(cost_of(f, function) == wanted[function][i]);
    }
    assert_int_equal(f->looks, function == 2 ? 3 : 0);
  }
  f->looks = 0;
  uint32_t handle = 0;
  tdm_action action;
  for (int i = 0; i < 2; i++) {
    f->view = (tdm_view){.look = count_look, .engine = f};
    resume(f, 4, &handle, &action);
    assert_true(f->looks == i && action.amount == (i == 0 ? 1 : 130));
  }
  close_functions(f);
}

static void fields_of_other_functions_do_not_linger(void **state) {
  (void)state;
  fixture *f = open_functions("return function(r) return r.tokens end,\n"
                              "function(r) if r.batch > 1 then return 1 end return r.tokens end");
  cost_of(f, 0);
  f->view.batch = 1;
  f->attrs[0] = 7;
  assert_true(cost_of(f, 1) == 7);
  f->attrs[0] = 9;
  f->view.batch = 2;
  assert_true(cost_of(f, 1) == 1);
  f->view.batch = 1;
  f->attrs[0] = 11;
  assert_true(cost_of(f, 1) == 11);
  close_functions(f);
}

static void errors_name_the_users_line(void **state) {
  (void)state;
  fixture *f = open_functions("local td = require 'tandem'\n"
                              "return function(r) return r.tokns end,\n"
                              "function(r) error 'no' end,\n"
                              "function(r) error({}) end,\n"
                              "function(r) return -1 end,\n"
                              "function(r)\n"
                              "  return (td.si 'five')\n"
                              "end,\n"
                              "function(r) r.tokens = 3 end,\n"
                              "function(r) return r.gpu.flop end,\n"
                              "function(r) return {} end,\n"
                              "function(r) return td.si 'six' end");
  expect_error(f, 0, "user.lua:2: a request has no 'tokns'; did you mean 'tokens'?");
  expect_error(f, 1, "user.lua:3: no");
  double amount;
  assert_int_equal(f->hooks->cost(f->hooks->context, 2, &f->view, &amount, &f->error), TDM_HOOK);
  assert_memory_equal(f->error.message, "user.lua:4: table", 17);
  expect_error(f, 3, "user.lua:5: the cost is -1; it must be 0 or more, and finite");
  assert_int_equal(f->hooks->cost(f->hooks->context, 4, &f->view, &amount, &f->error), TDM_HOOK);
  assert_memory_equal(f->error.message, "user.lua:7: ", 12);
  assert_null(strstr(f->error.message, "units.lua"));
  expect_error(f, 5,
               "user.lua:9: a request cannot be changed by a function (field 'tokens'); give "
               "the class attrs = { … } instead");
  expect_error(f, 6, "user.lua:10: the GPU has no 'flop'; did you mean 'flops'?");
  assert_int_equal(f->hooks->cost(f->hooks->context, 7, &f->view, &amount, &f->error), TDM_HOOK);
  assert_memory_equal(f->error.message, "user.lua:11: ", 13);
  assert_int_equal(f->hooks->cost(f->hooks->context, 8, &f->view, &amount, &f->error), TDM_HOOK);
  assert_memory_equal(f->error.message, "user.lua:12: ", 13); /* a tail call leaves no frame */
  close_functions(f);
}

static void amounts_may_have_units_and_spread(void **state) {
  (void)state;
  fixture *f =
      open_functions("local td = require 'tandem'\n"
                     "return function(r) return '5ms' end,\n"
                     "function(r) if r.id > 0 then return td.uniform('1ms', '3ms') end end");
  assert_true(cost_of(f, 0) == 0.005);
  double first = cost_of(f, 1), second = cost_of(f, 1);
  assert_true(first > 0.001 && first < 0.003 && second != first);
  assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  assert_true(cost_of(f, 1) == first);
  assert_int_equal(tdm_worker_begin(f->worker, 1, 1, &f->error), TDM_OK);
  assert_true(cost_of(f, 1) != first);
  close_functions(f);
}

static void replications_start_afresh(void **state) {
  (void)state;
  fixture *f = open_functions(
      "local n, t = 0, {}\n"
      "function counter() n = n + 1; t[#t + 1] = n; math.extra = (math.extra or 0) + 1\n"
      "  leak = (leak or 0) + 1; return #t + math.extra * 10 + leak * 100 end\n"
      "return function() return counter() end, function() return n end,\n"
      "function() return math.random() end");
  for (int round = 0; round < 3; round++) {
    assert_true(cost_of(f, 0) == 111);
    assert_true(cost_of(f, 0) == 222);
    assert_true(cost_of(f, 1) == 2); /* the two share the variable n */
    assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  }
  double first = cost_of(f, 2);
  assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  assert_true(cost_of(f, 2) == first);
  assert_int_equal(tdm_worker_begin(f->worker, 1, 1, &f->error), TDM_OK);
  assert_true(cost_of(f, 2) != first);
  close_functions(f);
}

static void routers_choose_by_index_or_element(void **state) {
  (void)state;
  fixture *f = open_functions(
      "return function(r, gpus) return 2 end,\n"
      "function(r, gpus) table.sort(gpus, function(a, b) return a.outstanding < b.outstanding "
      "end)\n"
      "  return gpus[1] end,\n"
      "function(r, gpus) return 3 end, function() end,\n"
      "function(r, gpus) assert(#gpus == 2 and gpus[2].name == 'L40#2' and gpus[2].index == 2\n"
      "  and gpus[1].down == false and gpus[1].waiting == 3 and gpus[1].running == 1)\n"
      "  return 1 end");
  tdm_candidate c[] = {{.gpu = 0, .outstanding = 5, .waiting = 3, .running = 1},
                       {.gpu = 1, .outstanding = 4}};
  uint32_t index = 99;
  void *context = f->hooks->context;
  assert_int_equal(f->hooks->choose(context, 0, &f->view, c, 2, &index, &f->error), TDM_OK);
  assert_int_equal(index, 1);
  for (int round = 0; round < 4; round++) { /* sorting the list does not confuse the next call */
    c[0].outstanding = round % 2 ? 1 : 9;
    assert_int_equal(f->hooks->choose(context, 1, &f->view, c, 2, &index, &f->error), TDM_OK);
    assert_int_equal(index, round % 2 ? 0 : 1);
  }
  assert_int_equal(f->hooks->choose(context, 2, &f->view, c, 2, &index, &f->error), TDM_HOOK);
  assert_string_equal(f->error.message, "user.lua:4: the router returned 3; wanted an index from 1 "
                                        "to 2 or one of its GPUs");
  assert_int_equal(f->hooks->choose(context, 3, &f->view, c, 2, &index, &f->error), TDM_HOOK);
  assert_int_equal(f->hooks->choose(context, 4, &f->view, c, 2, &index, &f->error), TDM_OK);
  close_functions(f);
}

static void arrivals_come_from_functions_and_coroutines(void **state) {
  (void)state;
  fixture *f = open_functions("return function(n, t) if n <= 2 then return n + t end end,\n"
                              "function() for i = 1, 2 do coroutine.yield(i * 0.5) end end,\n"
                              "function() return '20ms' end, function() return -1 end");
  double gap = 0;
  bool more = false;
  void *context = f->hooks->context;
  assert_int_equal(f->hooks->gap(context, 0, false, 1, 10, &gap, &more, &f->error), TDM_OK);
  assert_true(more && gap == 12);
  assert_int_equal(f->hooks->gap(context, 0, false, 2, 10, &gap, &more, &f->error), TDM_OK);
  assert_false(more);
  for (int round = 0; round < 2; round++) {
    for (int i = 1; i <= 4; i++) {
      assert_int_equal(f->hooks->gap(context, 1, true, 0, 0, &gap, &more, &f->error), TDM_OK);
      assert_true(more == (i <= 2));
      if (more) assert_true(gap == i * 0.5);
    }
    assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  }
  assert_int_equal(f->hooks->gap(context, 2, false, 0, 0, &gap, &more, &f->error), TDM_OK);
  assert_true(more && gap == 0.02);
  assert_int_equal(f->hooks->gap(context, 3, false, 0, 0, &gap, &more, &f->error), TDM_HOOK);
  close_functions(f);
}

static void processes_speak_in_actions(void **state) {
  (void)state;
  fixture *f = open_functions(
      "local td = require 'tandem'\n"
      "local spread = td.exponential '2ms'\n"
      "return function(p)\n"
      "  p:use('cpu', 0.25) p:use('gpu', spread) p:use('wire', '8KiB') p:hold('5ms')\n"
      "  p:seize('gpu', '1kB') p:release('L40#1 memory', p.tokens) p:use('gpu', p.time)\n"
      "end");
  for (int round = 0; round < 3; round++) {
    uint32_t one = 0, other = 0;
    tdm_action a, b;
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_USE && a.subject == 0 && a.amount == 0.25 && a.dist == NULL);
    resume(f, 0, &other, &b); /* two are under way */
    assert_true(one != other);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_USE && a.subject == 2 && tdm_dist_mean(a.dist) == 0.002);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_USE && a.subject == 3 && a.amount == 8192 && a.dist == NULL);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_HOLD && a.amount == 0.005);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_SEIZE && a.subject == 1 && a.amount == 1000);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_RELEASE && a.subject == 0 && a.amount == 128);
    f->view.now_ns = 3000000000;
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_USE && a.amount == 3);
    resume(f, 0, &one, &a);
    assert_true(a.act == TDM_ACT_DONE && one == 0);
    resume(f, 0, &other, &b);
    assert_true(b.act == TDM_ACT_USE && b.dist != NULL);
    if (round == 1) { /* leaves early; its coroutine starts over for the next */
      f->hooks->forget(f->hooks->context, other);
      other = 0;
      resume(f, 0, &other, &b);
      assert_true(b.act == TDM_ACT_USE && b.amount == 0.25);
    }
    assert_int_equal(tdm_worker_begin(f->worker, 1, (uint32_t)round, &f->error), TDM_OK);
  }
  close_functions(f);
}

/* Words are recognised by where they lie: others come to lie there. */
static void words_of_processes_keep_their_meaning(void **state) {
  (void)state;
  fixture *f = open_functions(
      "return function(p) for i = 1, 5000 do\n"
      "  p:hold(i % 200 .. 'ms') p:use(i % 2 == 0 and 'cpu' or 'wire', '0.5 ' .. (i % 2 == 0 and\n"
      "    'ms' or 'kB')) p:seize(('L40#%d memory'):format(1 + i % 2), '1kB')\n"
      "  if i % 100 == 0 then collectgarbage() end end end");
  uint32_t handle = 0;
  tdm_action a;
  for (int i = 1; i <= 5000; i++) {
    resume(f, 0, &handle, &a);
    assert_true(a.act == TDM_ACT_HOLD && fabs(a.amount - i % 200 / 1e3) < 1e-12);
    resume(f, 0, &handle, &a);
    assert_true(a.act == TDM_ACT_USE && a.subject == (i % 2 == 0 ? 0 : 3));
    assert_true(fabs(a.amount - (i % 2 == 0 ? 0.0005 : 500)) < 1e-12);
    resume(f, 0, &handle, &a);
    assert_true(a.act == TDM_ACT_SEIZE && a.subject == (uint32_t)i % 2 && a.amount == 1000);
  }
  close_functions(f);
}

static void distributions_made_on_the_way_are_not_hoarded(void **state) {
  (void)state;
  fixture *f = open_with("local td = require 'tandem'\n"
                         "return function(p) for i = 1, 20000 do\n"
                         "  p:hold(td.exponential(i)) p:hold(td.exponential '7ms') end end,\n"
                         "function(p) for i = 1, 20000 do\n"
                         "  p:hold(td.sample(function(u) return i + u end)) end end,\n"
                         "function(r) return r.tokens end",
                         &(tdm_worker_options){.memory_bytes = 16 << 20});
  uint32_t handle = 0, other = 0;
  tdm_action action;
  for (int i = 1; i <= 20000; i++) {
    resume(f, 0, &handle, &action);
    assert_true(tdm_dist_mean(action.dist) == i);
    resume(f, 0, &handle, &action);
    assert_true(tdm_dist_mean(action.dist) == 0.007);
    resume(f, 1, &other, &action);
    double drawn = tdm_dist_draw(action.dist, (tdm_stream){7}, (uint64_t)i, f->hooks->script);
    assert_true(drawn > i && drawn < i + 1);
  }
  for (uint32_t function = 0; function < 2; function++) { /* the user's own are there still */
    uint32_t begun = 0;
    resume(f, function, &begun, &action);
    assert_true(action.act == TDM_ACT_HOLD && action.dist != NULL);
  }
  assert_true(cost_of(f, 2) == 128);
  f->attrs[0] = -1;
  expect_error(f, 2, "user.lua:6: the cost is -1; it must be 0 or more, and finite");
  close_functions(f);
}

static void processes_fail_with_the_users_line(void **state) {
  (void)state;
  fixture *f = open_functions("return function(p) p:use('cpu', 1)\n p:use('cqu', 1) end,\n"
                              "function(p) p:hold(-1) end, function(p) coroutine.yield(1) end,\n"
                              "function(p) coroutine.wrap(function() p:hold(1) end)() end,\n"
                              "function(p) p:use('cpu') end, function(p) p.use('cpu', 1) end");
  uint32_t handle = 0;
  tdm_action action;
  void *context = f->hooks->context;
  resume(f, 0, &handle, &action);
  assert_int_equal(f->hooks->resume(context, 0, &f->view, &handle, &action, &f->error), TDM_HOOK);
  assert_string_equal(f->error.message,
                      "user.lua:2: a station: the scenario has no 'cqu'; did you mean 'cpu'?");
  static const char *const messages[] = {
      "user.lua:3: the amount is -1", "user.lua:3: coroutine.yield means nothing",
      "user.lua:4: ", "user.lua:5: nothing is not", "user.lua:5: write p:use(…), with a colon"};
  for (uint32_t i = 0; i < 5; i++) {
    handle = 0;
    assert_int_equal(f->hooks->resume(context, i + 1, &f->view, &handle, &action, &f->error),
                     TDM_HOOK);
    assert_memory_equal(f->error.message, messages[i], strlen(messages[i]));
  }
  close_functions(f);
}

static void count_names(void *context, const tdm_recorded *recorded) {
  double *sum = context;
  *sum += recorded->sum * (strcmp(recorded->name, "a") == 0 ? 1 : 100);
  assert_int_equal(recorded->kept, recorded->count);
}

static void hooks_record_numbers(void **state) {
  (void)state;
  fixture *f = open_functions("local td = require 'tandem'\n"
                              "return function(r) td.record('a', r.tokens) td.record('b', 1) end");
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 3; i++)
      assert_int_equal(f->hooks->event(f->hooks->context, TDM_HOOK_COMPLETE, &f->view, &f->error),
                       TDM_OK);
    double sum = 0;
    tdm_worker_recorded(f->worker, count_names, &sum);
    assert_true(sum == 3 * 128 + 300);
    assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  }
  close_functions(f);
}

static void admission_is_truth(void **state) {
  (void)state;
  fixture *f = open_functions("return function(r) return r.tokens < 100 end");
  bool yes = true;
  assert_int_equal(f->hooks->admit(f->hooks->context, &f->view, &yes, &f->error), TDM_OK);
  assert_false(yes);
  f->attrs[0] = 50;
  assert_int_equal(f->hooks->admit(f->hooks->context, &f->view, &yes, &f->error), TDM_OK);
  assert_true(yes);
  close_functions(f);
}

static void failed_distributions_are_remembered(void **state) {
  (void)state;
  fixture *f = open_functions("return function(u) return u * 2 end,\n"
                              "function(u) return {} end, function(r) return 1 end");
  double u = 0.25, amount;
  assert_true(f->hooks->script->call(f->hooks->script->context, 0, &u, 1) == 0.5);
  assert_int_equal(tdm_worker_failure(f->worker, &f->error), TDM_OK);
  assert_true(isnan(f->hooks->script->call(f->hooks->script->context, 1, &u, 1)));
  assert_int_equal(tdm_worker_failure(f->worker, &f->error), TDM_HOOK);
  assert_string_equal(f->error.message, "user.lua:2: the function returned table; wanted a number");
  assert_int_equal(f->hooks->cost(f->hooks->context, 2, &f->view, &amount, &f->error), TDM_HOOK);
  assert_int_equal(tdm_worker_begin(f->worker, 1, 0, &f->error), TDM_OK);
  assert_true(cost_of(f, 2) == 1);
  close_functions(f);
}

static void limits_stop_what_runs_away(void **state) {
  (void)state;
  fixture *f = open_with("return function() while true do end end,\n"
                         "function() local t = {} for i = 1, 1e9 do t[i] = i end end,\n"
                         "function() return 1 end",
                         &(tdm_worker_options){.memory_bytes = 4 << 20, .instructions = 1000000});
  double amount;
  assert_int_equal(f->hooks->cost(f->hooks->context, 0, &f->view, &amount, &f->error), TDM_HOOK);
  assert_string_equal(f->error.message,
                      "user.lua:1: the function ran for more than 1000000 instructions");
  assert_int_equal(f->hooks->cost(f->hooks->context, 1, &f->view, &amount, &f->error), TDM_HOOK);
  for (int i = 0; i < 1000; i++) assert_true(cost_of(f, 2) == 1);
  close_functions(f);
}

static void pools_hand_out_begun_workers(void **state) {
  (void)state;
  fixture *f = open_functions("local n = 0 return function() n = n + 1 return n end");
  tdm_worker_pool *pool;
  assert_int_equal(tdm_worker_pool_open(f->shipment, f->model, &f->functions, NULL, &pool, NULL),
                   TDM_OK);
  for (uint32_t i = 0; i < 4; i++) {
    tdm_worker *w;
    double amount = 0;
    assert_int_equal(tdm_worker_pool_take(pool, 1, i, &w, NULL), TDM_OK);
    const tdm_hooks *hooks = tdm_worker_hooks(w);
    assert_int_equal(hooks->cost(hooks->context, 0, &f->view, &amount, NULL), TDM_OK);
    assert_true(amount == 1);
    tdm_worker_pool_give(pool, w);
  }
  tdm_worker_pool_close(pool);
  close_functions(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_has_its_fields),
      cmocka_unit_test(a_request_is_filled_when_somebody_looks),
      cmocka_unit_test(fields_of_other_functions_do_not_linger),
      cmocka_unit_test(errors_name_the_users_line),
      cmocka_unit_test(amounts_may_have_units_and_spread),
      cmocka_unit_test(replications_start_afresh),
      cmocka_unit_test(routers_choose_by_index_or_element),
      cmocka_unit_test(arrivals_come_from_functions_and_coroutines),
      cmocka_unit_test(processes_speak_in_actions),
      cmocka_unit_test(words_of_processes_keep_their_meaning),
      cmocka_unit_test(distributions_made_on_the_way_are_not_hoarded),
      cmocka_unit_test(processes_fail_with_the_users_line),
      cmocka_unit_test(hooks_record_numbers),
      cmocka_unit_test(admission_is_truth),
      cmocka_unit_test(failed_distributions_are_remembered),
      cmocka_unit_test(limits_stop_what_runs_away),
      cmocka_unit_test(pools_hand_out_begun_workers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
