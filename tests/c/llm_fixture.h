/* An LLM server with an API server, prefill and decode replicas and a link between them, and an
 * account of the way of each request. Prefill replicas take one prompt at a time and there are
 * decode replicas for everybody, so that a way is a few sums and maxima, made here on the same
 * random bits. For tests of how the event engine serves, traces and counts. */
#ifndef TDM_TESTS_LLM_FIXTURE_H
#define TDM_TESTS_LLM_FIXTURE_H

#include "model/llm/affine.h"
#include "model_fixture.h"

enum { REQUESTS = 400, PREFILLS = 2, DECODES = 24, WORKERS = 2 };
enum { LINK = PREFILLS + DECODES, STATIONS, GENERATE = 0, TRANSFER = 1 };

/* Whole ns, whatever is added up. */
static const int64_t request_ns = 60000000, prompt_token_ns = 100000, output_token_ns = 300000;
static const int64_t prompt_step_ns = 10000000, prompt_each_ns = 1200000, decode_step_ns = 4000000;
static const int64_t latency_ns = 7000000, token_bytes = 1000, sequence_bytes = 5000;
static const double link_rate = 1e6;
static const double prompts[] = {40, 90, 160, 300}, outputs[] = {1, 2, 15, 60};

/* ---- the model */

static inline tdm_cost one_of(const double values[4]) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_empirical(values, NULL, 4, &dist, NULL), TDM_OK);
  return cost_of(dist);
}

static inline tdm_llm_step *step_of(tdm_llm_affine_piece piece) {
  tdm_llm_step *step = NULL;
  piece.decode_seqs_max = INFINITY;
  assert_int_equal(tdm_llm_affine_new(&piece, 1, 0, &step, NULL), TDM_OK);
  return step;
}

/* Each request has one block wherever it is. */
static inline void pool_of(tdm_replica_pool *pool, tdm_pool_role role, uint32_t first, size_t count,
                           tdm_llm_step *step) {
  pool->name = tdm_string_copy(role == TDM_POOL_PREFILL ? "prefill" : "decode");
  pool->role = role;
  pool->stations = tdm_array_new(count, sizeof *pool->stations);
  pool->count = count;
  pool->lanes = 1;
  tdm_serving_config_default(&pool->config);
  pool->config.max_seqs = 1;
  pool->config.block_tokens = pool->config.hash_tokens = 1024;
  pool->config.blocks = 50;
  pool->config.prefix_caching = false;
  pool->step = step;
  for (int i = 0; i < TDM_DECISIONS; i++) pool->decide[i] = TDM_NO_INDEX;
  for (uint32_t i = 0; i < count; i++) pool->stations[i] = first + i;
}

static inline tdm_model *server_model(double gap_s) {
  tdm_model *m = model_new(REQUESTS, exponential(gap_s));
  for (uint32_t i = 0; i < STATIONS; i++) {
    char name[16];
    tdm_station *station = tdm_model_add_station(m);
    snprintf(name, sizeof name, i == LINK ? "link" : "replica %u", i);
    station->name = tdm_string_copy(name);
    station->lane = i == LINK ? TDM_LANE_COMM : TDM_LANE_GPU;
    station->replica = i != LINK;
  }
  tdm_llm_server *server = tdm_model_add_server(m);
  server->name = tdm_string_copy("server");
  server->pools = tdm_array_new(2, sizeof *server->pools);
  server->pool_count = 2;
  pool_of(&server->pools[0], TDM_POOL_PREFILL, 0, PREFILLS,
          step_of((tdm_llm_affine_piece){.prefill_step = (double)prompt_step_ns * 1e-9,
                                         .prefill_tokens = (double)prompt_each_ns * 1e-9}));
  pool_of(&server->pools[1], TDM_POOL_DECODE, PREFILLS, DECODES,
          step_of((tdm_llm_affine_piece){.step = (double)decode_step_ns * 1e-9}));
  server->dispatch.router = TDM_REPLICA_ROUND_ROBIN;
  server->link_station = LINK;
  server->link_rate = link_rate;
  server->link_latency_s = (double)latency_ns * 1e-9;
  server->kv_token_bytes = (double)token_bytes;
  server->kv_sequence_bytes = (double)sequence_bytes;
  server->api = (tdm_api_costs){.workers = WORKERS,
                                .request_s = (double)request_ns * 1e-9,
                                .prompt_token_s = (double)prompt_token_ns * 1e-9,
                                .output_token_s = (double)output_token_ns * 1e-9};
  tdm_stage *stage = tdm_model_add_stage(m);
  stage->name = tdm_string_copy("t0");
  stage->server = 0;
  stage->transfer = TRANSFER;
  tdm_cost_given(&stage->cost);
  stage->prompt = one_of(prompts);
  stage->output = one_of(outputs);
  stage = tdm_model_add_stage(m);
  stage->name = tdm_string_copy("t1");
  stage->station = LINK;
  stage->hands_over = true;
  tdm_cost_given(&stage->cost);
  tdm_model_add_op(m, TDM_OP_GENERATE)->a = GENERATE;
  model_end(m);
  return m;
}

/* ---- the way of each request */

typedef struct {
  int64_t prompt, output, bytes;
  uint32_t prefill, decode; /* replicas, of all */
  bool moves;               /* more than one token */
  int64_t arrival_ns, ready_ns, start_ns, first_ns, asks_ns, moves_ns, moved_ns, done_ns, left_ns;
} trip;

typedef enum { ARRIVES, IS_READY, IS_COMPUTED, IS_DONE, NOTHING } news;

typedef struct {
  trip trips[REQUESTS];
  news next[REQUESTS]; /* of each request, and when */
  int64_t next_ns[REQUESTS];
  int64_t worker_ns[WORKERS], replica_ns[PREFILLS + DECODES], link_ns; /* free from then on */
  int64_t worked_ns;
  uint32_t prompts, handed; /* so far */
} account;

static inline int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static inline int64_t work(account *a, int64_t at_ns, int64_t work_ns) {
  int first = 0;
  for (int i = 1; i < WORKERS; i++)
    if (a->worker_ns[i] < a->worker_ns[first]) first = i;
  a->worked_ns += work_ns;
  return a->worker_ns[first] = later(a->worker_ns[first], at_ns) + work_ns;
}

static inline void hand_over(account *a, trip *t) {
  t->decode = PREFILLS + a->handed++ % DECODES;
  assert_true(a->replica_ns[t->decode] <= t->first_ns); /* it is idle: blocks are there at once */
  t->asks_ns = t->first_ns + latency_ns;
  t->moves_ns = later(t->asks_ns, a->link_ns);
  a->link_ns = t->moved_ns = t->moves_ns + t->bytes * 1000; /* 1 MB/s */
  a->replica_ns[t->decode] = t->done_ns = t->moved_ns + (t->output - 1) * decode_step_ns;
}

static inline void happens(account *a, size_t i) {
  trip *t = &a->trips[i];
  int64_t now_ns = a->next_ns[i];
  switch (a->next[i]++) {
  case ARRIVES:
    t->arrival_ns = now_ns;
    a->next_ns[i] = t->ready_ns = work(a, now_ns, request_ns + t->prompt * prompt_token_ns);
    return;
  case IS_READY:
    t->prefill = a->prompts++ % PREFILLS;
    t->start_ns = later(now_ns, a->replica_ns[t->prefill]);
    t->first_ns = t->start_ns + prompt_step_ns + t->prompt * prompt_each_ns;
    a->next_ns[i] = a->replica_ns[t->prefill] = t->first_ns;
    return;
  case IS_COMPUTED:
    if (t->moves)
      hand_over(a, t);
    else
      t->done_ns = now_ns;
    a->next_ns[i] = t->done_ns;
    return;
  case IS_DONE:
    work(a, now_ns, t->output * output_token_ns);
    t->left_ns = now_ns + output_token_ns;
    return;
  case NOTHING: return;
  }
}

static inline account *account_of(double gap_s) {
  account *a = calloc(1, sizeof *a);
  tdm_stream gaps = tdm_stream_child(tdm_stream_named(7, 0, "class/c"), 0);
  tdm_stream draws = tdm_stream_named(7, 0, "c/t0");
  tdm_dist *prompt = NULL, *output = NULL;
  assert_int_equal(tdm_dist_empirical(prompts, NULL, 4, &prompt, NULL), TDM_OK);
  assert_int_equal(tdm_dist_empirical(outputs, NULL, 4, &output, NULL), TDM_OK);
  for (size_t i = 0; i < REQUESTS; i++) {
    trip *t = &a->trips[i];
    a->next_ns[i] = llrint(tdm_exponential(tdm_stream_bits(gaps, i)) * (gap_s * 1e9)) +
                    (i > 0 ? a->next_ns[i - 1] : 0);
    t->prompt =
        (int64_t)tdm_dist_draw(prompt, tdm_stream_child(tdm_stream_child(draws, 1), 0), i, NULL);
    t->output =
        (int64_t)tdm_dist_draw(output, tdm_stream_child(tdm_stream_child(draws, 2), 0), i, NULL);
    t->moves = t->output > 1;
    t->bytes = t->prompt * token_bytes + sequence_bytes;
  }
  tdm_dist_free(prompt);
  tdm_dist_free(output);
  for (;;) {
    size_t first = REQUESTS;
    for (size_t i = 0; i < REQUESTS; i++)
      if (a->next[i] < NOTHING && (first == REQUESTS || a->next_ns[i] < a->next_ns[first]))
        first = i;
    if (first == REQUESTS) return a;
    happens(a, first);
  }
}

#endif
