/* engine/measure: the counts of a tally made by hand become rates, means and shares of the window.
 * Every count grows by an own number in each slice, so that nothing can stand for anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "engine/measure/measure.h"
#include "model/llm/power.h"

enum {
  CLASSES = 2,
  STAGES = 2,
  STATIONS = 3,
  POOLS = 2,
  SERVED = 2, /* stages of the LLM server */
  TIMES = CLASSES + TDM_LLM_TIMES * (SERVED + TDM_TENANT_ROWS),
  TAKERS = SERVED + TDM_TENANT_ROWS,
  NOTES = TDM_SLICES + 1
};

#define SLICE_NS INT64_C(500000000)
#define COUNT(field)                                                                               \
  { offsetof(tdm_pool_note, field), false }
#define REAL(field)                                                                                \
  { offsetof(tdm_pool_note, field), true }

static const struct {
  size_t at;
  bool real;
} pool_fields[] = {
    COUNT(steps),           COUNT(busy_ns),        COUNT(sequences),        COUNT(output_tokens),
    COUNT(prompt_tokens),   COUNT(cached_tokens),  COUNT(finished),         COUNT(preemptions),
    COUNT(handed_over),     COUNT(swapped_out),    COUNT(swapped_in),       COUNT(drafted),
    COUNT(accepted),        COUNT(adapter_loads),  COUNT(restarts),         COUNT(api_ns),
    COUNT(replica_area_ns), COUNT(prefill_tokens), COUNT(held_ns[0]),       COUNT(held_ns[1]),
    COUNT(held_ns[2]),      COUNT(held_ns[3]),     COUNT(held_ns[4]),       REAL(kv_moved),
    COUNT(tier_tokens[0]),  COUNT(tier_tokens[3]), COUNT(tier_requests[0]), COUNT(tier_requests[3]),
    REAL(tier_stored[0]),   REAL(tier_stored[3]),  REAL(tier_loaded[0]),    REAL(tier_loaded[3]),
    COUNT(load_ns),         REAL(kv_area),         REAL(energy_j)};

/* What the count of a name grows by in a slice. */
static int64_t growth(uint64_t name, size_t slice) {
  return 1 + (int64_t)(tdm_mix(name * 1000 + slice) % 997);
}
static int64_t grown(uint64_t name, size_t from, size_t to) {
  int64_t sum = 0;
  for (size_t k = from; k <= to; k++) sum += growth(name, k);
  return sum;
}

enum { STAGE = 100, STATION = 200, MEMORY = 300, LINK = 310, INSIDE = 320, DONE = 330, POOL = 400 };
enum { TAKER = 600, ROW = 800 };

static uint64_t pool_name(size_t pool, size_t field_at) {
  return POOL + 100 * pool + field_at / 8;
}

/* ---- the model and the tally */

static tdm_model model;
static tdm_llm_server server;
static tdm_llm_power power = {.limit_w = 700, .idle = 0.1};
static double weights[2] = {2, 4};

static void make_model(void) {
  static tdm_class classes[CLASSES];
  static tdm_arrivals arrivals = {.kind = TDM_ARRIVE_RENEWAL};
  static tdm_stage stages[STAGES];
  static tdm_station stations[STATIONS] = {
      {.servers = 3}, {.servers = 4, .discipline = TDM_PS}, {.servers = TDM_UNLIMITED}};
  static tdm_memory memories[1] = {{.bytes = 5e4}};
  static tdm_link links[2] = {{.bandwidth = 1e3}, {.bandwidth = 3e3}};
  static tdm_replica_pool pools[POOLS];
  static uint32_t served[SERVED] = {0, 1}, first[] = {0, 1}, second[] = {2};
  if (arrivals.gap == NULL) assert_int_equal(tdm_dist_exponential(1, &arrivals.gap, NULL), TDM_OK);
  for (size_t i = 0; i < CLASSES; i++) classes[i].arrivals = &arrivals;
  for (size_t i = 0; i < STAGES; i++) stages[i].class_index = (uint32_t)i;
  for (size_t i = 0; i < STATIONS; i++) stations[i].gpu = TDM_NO_INDEX;
  for (size_t i = 0; i < POOLS; i++) {
    pools[i] = (tdm_replica_pool){.lanes = 1 + (uint32_t)i, .gpus = 4 + (uint32_t)i};
    tdm_serving_config_default(&pools[i].config);
    pools[i].config.blocks = 100 + 50 * (int64_t)i;
    pools[i].config.batching = TDM_SERVING_BATCH; /* nobody can tell what it can take */
  }
  pools[0].stations = first, pools[0].count = 2;
  pools[1].stations = second, pools[1].count = 1;
  pools[0].power = pools[1].power = &power;
  pools[0].config.input_weight = 1, pools[0].config.output_weight = 3;
  pools[0].config.tenant_weights = weights, pools[0].config.tenant_count = 2;
  server = (tdm_llm_server){.pools = pools,
                            .pool_count = POOLS,
                            .api.workers = 3,
                            .stages = served,
                            .stage_count = SERVED,
                            .first_times = CLASSES,
                            .tenant_count = TDM_TENANT_ROWS,
                            .tenant_times = CLASSES + TDM_LLM_TIMES * SERVED};
  model = (tdm_model){.duration_ns = SLICE_NS * TDM_SLICES,
                      .requests = UINT64_MAX,
                      .classes = classes,
                      .class_count = CLASSES,
                      .stages = stages,
                      .stage_count = STAGES,
                      .stations = stations,
                      .station_count = STATIONS,
                      .memories = memories,
                      .memory_count = 1,
                      .links = links,
                      .link_count = 2,
                      .servers = &server,
                      .server_count = 1,
                      .pool_count = POOLS,
                      .times_count = TIMES,
                      .taker_count = TAKERS};
}

static void fill_pools(tdm_tally *t) {
  for (size_t p = 0; p < POOLS; p++)
    for (size_t k = 0; k < NOTES; k++) {
      tdm_pool_note *note = &t->pools[p * NOTES + k];
      for (size_t f = 0; f < sizeof pool_fields / sizeof *pool_fields; f++) {
        size_t at = pool_fields[f].at;
        int64_t value = grown(pool_name(p, at), 0, k);
        double real = (double)value;
        memcpy((char *)note + at, pool_fields[f].real ? (void *)&real : (void *)&value, 8);
      }
      note->kv_peak = (int64_t)((k * 7 + p * 13) % 61);
      note->replica_peak = (int64_t)((k * 5 + p * 3) % 17);
    }
}

static void fill_rows(tdm_tally *t) {
  for (uint32_t row = 0; row < TIMES; row++)
    for (uint32_t k = 0; k < TDM_SLICES; k++) {
      tdm_class_slice *slice = tdm_tally_slice(t, row, k);
      int64_t times = 1 + (row + k) % 3;
      assert_true(tdm_tally_times(t, row, k, growth(ROW + row, k) * 1000, times));
      slice->arrived = (uint64_t)times;
      slice->within_slo = (uint64_t)growth(ROW + 500 + row, k);
    }
}

/* All but the times of rows. */
static tdm_tally *make_notes(void) {
  tdm_tally *t;
  make_model();
  assert_int_equal(tdm_tally_new(&model, SLICE_NS * TDM_SLICES, TDM_TALLY_WHOLE, &t, NULL), TDM_OK);
  for (int64_t k = 0; k <= TDM_SLICES; k++) t->bounds_ns[k] = k * SLICE_NS;
  t->window_ns = t->end_ns = t->last_arrival_ns = SLICE_NS * TDM_SLICES;
  for (size_t k = 0; k < NOTES; k++) {
    for (size_t i = 0; i < STAGES; i++)
      t->stages[i * NOTES + k] =
          (tdm_stage_note){.visits = (uint64_t)grown(STAGE + 10 * i, 0, k),
                           .delayed = (uint64_t)grown(STAGE + 10 * i + 1, 0, k),
                           .batches = (uint64_t)grown(STAGE + 10 * i + 2, 0, k),
                           .wait_ns = grown(STAGE + 10 * i + 3, 0, k),
                           .service_ns = grown(STAGE + 10 * i + 4, 0, k),
                           .max_wait_ns = (int64_t)((k * 11 + i) % 67)};
    for (size_t i = 0; i < STATIONS; i++)
      t->stations[i * NOTES + k] =
          (tdm_station_note){.queue_area_ns = grown(STATION + 10 * i, 0, k),
                             .busy_area_ns = grown(STATION + 10 * i + 1, 0, k),
                             .down_area_ns = grown(STATION + 10 * i + 2, 0, k)};
    t->memories[k] = (tdm_memory_note){.held_area = (double)grown(MEMORY, 0, k),
                                       .queue_area_ns = grown(MEMORY + 1, 0, k)};
    for (size_t i = 0; i < 2; i++) t->links[i * NOTES + k] = (double)grown(LINK + i, 0, k);
    t->in_system_ns[k] = grown(INSIDE, 0, k);
    t->finished[k] = (uint64_t)grown(DONE, 0, k);
  }
  for (size_t i = 0; i < TAKERS; i++)
    for (size_t k = 0; k < TDM_SLICES; k++)
      t->takers[i * TDM_SLICES + k] =
          (tdm_taker_slice){growth(TAKER + 2 * i, k), growth(TAKER + 2 * i + 1, k)};
  fill_pools(t);
  return t;
}

static tdm_tally *make_tally(void) {
  tdm_tally *t = make_notes();
  fill_rows(t);
  return t;
}

/* ---- what is to come out */

static void near(double value, double expected, const char *what) {
  if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
    fail_msg("%s: %.17g instead of %.17g", what, value, expected);
}
#define NEAR(value, expected) near(value, expected, #value)

typedef struct {
  size_t from;
  double window_s;
  const tdm_measure *m;
} cut;

static double sum_of(const cut *c, uint64_t name) {
  return (double)grown(name, c->from, TDM_SLICES - 1);
}
/* Until all have left. */
static double sum_to_end(const cut *c, uint64_t name) {
  return (double)grown(name, c->from, TDM_SLICES);
}

static void check_stages(const cut *c) {
  for (size_t i = 0; i < STAGES; i++) {
    const tdm_stage_measure *s = &c->m->stages[i];
    double visits = sum_to_end(c, STAGE + 10 * i), most = 0;
    assert_int_equal(s->visits, (uint64_t)visits);
    assert_int_equal(s->delayed, (uint64_t)sum_to_end(c, STAGE + 10 * i + 1));
    assert_int_equal(s->batches, (uint64_t)sum_to_end(c, STAGE + 10 * i + 2));
    NEAR(s->wait_s, sum_to_end(c, STAGE + 10 * i + 3) / 1e9 / visits);
    NEAR(s->service_s, sum_to_end(c, STAGE + 10 * i + 4) / 1e9 / visits);
    for (size_t k = c->from; k <= TDM_SLICES; k++) most = fmax(most, (double)((k * 11 + i) % 67));
    NEAR(s->max_wait_s, most / 1e9);
  }
}

static void check_stations(const cut *c) {
  const double servers[] = {3, 1, 1}; /* shared: one; unlimited: the mean number at work */
  double whole_s = (double)(TDM_SLICES * SLICE_NS) / 1e9;
  for (size_t i = 0; i < STATIONS; i++) {
    const tdm_station_measure *s = &c->m->stations[i];
    NEAR(s->queue, sum_of(c, STATION + 10 * i) / 1e9 / c->window_s);
    NEAR(s->utilization, sum_of(c, STATION + 10 * i + 1) / 1e9 / c->window_s / servers[i]);
    NEAR(s->down, sum_of(c, STATION + 10 * i + 2) / 1e9 / c->window_s);
    NEAR(s->offered,
         (double)grown(STATION + 10 * i + 1, 0, TDM_SLICES) / 1e9 / whole_s / servers[i]);
    for (size_t k = 0; k < TDM_SLICES; k++) {
      NEAR(tdm_measure_series(c->m, TDM_SERIES_SYSTEM + 2 * i)[k],
           (double)growth(STATION + 10 * i + 1, k) / (double)SLICE_NS / servers[i]);
      NEAR(tdm_measure_series(c->m, TDM_SERIES_SYSTEM + 2 * i + 1)[k],
           (double)growth(STATION + 10 * i, k) / (double)SLICE_NS);
    }
  }
  NEAR(c->m->memories[0].utilization, sum_of(c, MEMORY) / c->window_s / 5e4);
  NEAR(c->m->memories[0].queue, sum_of(c, MEMORY + 1) / 1e9 / c->window_s);
  for (size_t i = 0; i < 2; i++) {
    double bandwidth = i == 0 ? 1e3 : 3e3;
    NEAR(c->m->links[i].utilization, sum_of(c, LINK + i) / c->window_s / bandwidth);
    NEAR(c->m->links[i].offered, (double)grown(LINK + i, 0, TDM_SLICES) / whole_s / bandwidth);
  }
  NEAR(c->m->in_system, sum_of(c, INSIDE) / 1e9 / c->window_s);
  NEAR(c->m->finished_per_s, sum_of(c, DONE) / c->window_s);
  NEAR(c->m->growth, (double)grown(INSIDE, 48, 63) / (double)grown(INSIDE, 16, 31));
}

#define OF(pool, field) sum_of(c, pool_name(pool, offsetof(tdm_pool_note, field)))
#define ALL(field)      (first ? OF(0, field) : 0) + (second ? OF(1, field) : 0)

/* Of one pool, or of both together. */
static void check_pool(const cut *c, const tdm_pool_measure *p, bool first, bool second) {
  double steps = ALL(steps), output = ALL(output_tokens), prompt = ALL(prompt_tokens);
  double busy = ALL(busy_ns), energy = ALL(energy_j), held = ALL(replica_area_ns);
  double finished = ALL(finished), handed = ALL(handed_over), peak = 0, replicas = 0;
  double gpu_s =
      (first ? 4 * OF(0, replica_area_ns) : 0) + (second ? 5 * OF(1, replica_area_ns) : 0);
  double block_s =
      (first ? 100 * OF(0, replica_area_ns) : 0) + (second ? 2 * 150 * OF(1, replica_area_ns) : 0);
  if (first && second) finished -= handed; /* those go on in another */
  gpu_s /= 1e9, block_s /= 1e9;
  energy += 0.1 * 700 * gpu_s;
  assert_int_equal(p->steps, (uint64_t)steps);
  NEAR(p->finished_per_s, finished / c->window_s);
  NEAR(p->output_per_s, output / c->window_s);
  NEAR(p->prompt_per_s, prompt / c->window_s);
  NEAR(p->preemptions, (ALL(preemptions)) / finished);
  NEAR(p->swapped_out, (ALL(swapped_out)) / finished);
  NEAR(p->swapped_in, (ALL(swapped_in)) / finished);
  NEAR(p->accepted, (ALL(accepted)) / (ALL(drafted)));
  NEAR(p->adapter_loads, (ALL(adapter_loads)) / finished);
  NEAR(p->batch, (ALL(sequences)) / steps);
  NEAR(p->step_s, busy / 1e9 / steps);
  NEAR(p->kv_mean, (ALL(kv_area)) / block_s);
  NEAR(p->moved_per_s, (ALL(kv_moved)) / c->window_s);
  NEAR(p->restarts, (ALL(restarts)) / finished);
  NEAR(p->replicas_mean, held / 1e9 / c->window_s);
  NEAR(p->gpus_mean, gpu_s / c->window_s);
  NEAR(p->gpu_s, gpu_s);
  NEAR(p->cached, (ALL(cached_tokens)) / prompt);
  NEAR(p->below[0], (ALL(tier_tokens[0])) / prompt);
  NEAR(p->below[3], (ALL(tier_tokens[3])) / prompt);
  NEAR(p->below_requests[0], (ALL(tier_requests[0])) / finished);
  NEAR(p->below_requests[3], (ALL(tier_requests[3])) / finished);
  NEAR(p->stored_per_s[0], (ALL(tier_stored[0])) / c->window_s);
  NEAR(p->stored_per_s[3], (ALL(tier_stored[3])) / c->window_s);
  NEAR(p->loaded_per_s[0], (ALL(tier_loaded[0])) / c->window_s);
  NEAR(p->loaded_per_s[3], (ALL(tier_loaded[3])) / c->window_s);
  NEAR(p->load_s, (ALL(load_ns)) / 1e9 / finished);
  for (size_t why = 0; why < TDM_SERVING_HELD; why++)
    NEAR(p->held[why], (ALL(held_ns[why])) / busy);
  NEAR(p->energy_j, energy);
  NEAR(p->power_w, energy / c->window_s);
  NEAR(p->token_j, energy / output);
  for (size_t i = first ? 0 : 1; i <= (second ? 1 : 0); i++) {
    double most = 0;
    for (size_t k = c->from; k < TDM_SLICES; k++) {
      peak = fmax(peak, (double)((k * 7 + i * 13) % 61) / (i == 0 ? 100 : 150));
      most = fmax(most, (double)((k * 5 + i * 3) % 17));
    }
    replicas += most; /* of each by itself */
  }
  NEAR(p->kv_peak, peak);
  NEAR(p->replicas_peak, replicas);
}

static double within(const cut *c, size_t row) {
  return sum_of(c, ROW + 500 + row);
}

static void check_takers(const cut *c) {
  const tdm_server_measure *s = &c->m->servers[0];
  double sum = 0, squares = 0, all = 0;
  for (size_t i = 0; i < TAKERS; i++) {
    bool stage = i < SERVED;
    size_t row = stage ? server.first_times + TDM_LLM_E2E * SERVED + i
                       : server.tenant_times + TDM_LLM_E2E * TDM_TENANT_ROWS + (i - SERVED);
    double prompt = sum_of(c, TAKER + 2 * i), output = sum_of(c, TAKER + 2 * i + 1);
    NEAR(s->takers[i].prompt_per_s, prompt / c->window_s);
    NEAR(s->takers[i].output_per_s, output / c->window_s);
    NEAR(s->takers[i].goodput_per_s, within(c, row) / c->window_s);
    if (stage) all += within(c, row);
    if (stage || i == TAKERS - 1) continue; /* the last row is of all others */
    size_t tenant = i - SERVED;
    double service = (prompt + 3 * output) / (tenant < 2 ? weights[tenant] : 1);
    sum += service, squares += service * service;
  }
  NEAR(s->fairness, sum * sum / (TDM_TENANTS_TOLD * squares));
  NEAR(s->goodput_per_s, all / c->window_s);
  double api = sum_of(c, pool_name(0, offsetof(tdm_pool_note, api_ns))) +
               sum_of(c, pool_name(1, offsetof(tdm_pool_note, api_ns)));
  NEAR(s->api, api / 1e9 / (3 * c->window_s));
}

/* Sections of classes first…first+count-1: the slices that are left, in sixteen parts. */
static void check_sections(const cut *c, const tdm_sections *s, size_t first, size_t count) {
  assert_int_equal(s->count, 16);
  for (size_t j = 0; j < 16; j++) {
    double sum_s = 0, slices = 0;
    uint64_t arrived = 0, in_time = 0;
    for (size_t k = c->from; k < TDM_SLICES; k++) {
      if ((k - c->from) * 16 / (TDM_SLICES - c->from) != j) continue;
      slices++;
      for (size_t row = first; row < first + count; row++) {
        uint64_t times = 1 + (row + k) % 3;
        arrived += times;
        in_time += (uint64_t)growth(ROW + 500 + row, k);
        sum_s += (double)(growth(ROW + row, k) * 1000) * (double)times / 1e9;
      }
    }
    const tdm_section *section = &s->items[j];
    NEAR(section->length_s, slices * ((double)SLICE_NS / 1e9));
    NEAR(section->sum_s, sum_s);
    assert_int_equal(section->arrived, arrived);
    assert_int_equal(section->count, arrived);
    assert_int_equal(section->within, in_time);
  }
}

static double in_slice(size_t pool, size_t at, size_t k) {
  return (double)growth(pool_name(pool, at), k);
}
#define IN(field)                                                                                  \
  (in_slice(0, offsetof(tdm_pool_note, field), k) + in_slice(1, offsetof(tdm_pool_note, field), k))

static void check_server_series(const cut *c) {
  const double slice_s = (double)SLICE_NS / 1e9;
  for (size_t k = 0; k < TDM_SLICES; k++) {
    const double *s =
        tdm_measure_series(c->m, tdm_measure_llm_series(c->m, 0, TDM_LLM_SERIES_OUTPUT)) + k;
    size_t area = offsetof(tdm_pool_note, replica_area_ns);
    double block_s = (100 * in_slice(0, area, k) + 2 * 150 * in_slice(1, area, k)) / 1e9;
    double waiting = 0, ttft_ns = 0, count = 0;
    for (size_t i = 0; i < STATIONS; i++) waiting += (double)growth(STATION + 10 * i, k);
    for (size_t i = 0; i < SERVED; i++) {
      size_t row = server.first_times + TDM_LLM_TTFT * SERVED + i, times = 1 + (row + k) % 3;
      ttft_ns += (double)(growth(ROW + row, k) * 1000) * (double)times;
      count += (double)times;
    }
    NEAR(s[TDM_LLM_SERIES_OUTPUT * TDM_SLICES], IN(output_tokens) / slice_s);
    NEAR(s[TDM_LLM_SERIES_PREFILL * TDM_SLICES], IN(prefill_tokens) / slice_s);
    NEAR(s[TDM_LLM_SERIES_BATCH * TDM_SLICES], IN(sequences) / IN(steps));
    NEAR(s[TDM_LLM_SERIES_KV * TDM_SLICES], IN(kv_area) / block_s);
    NEAR(s[TDM_LLM_SERIES_WAITING * TDM_SLICES], waiting / (double)SLICE_NS);
    NEAR(s[TDM_LLM_SERIES_PREEMPTIONS * TDM_SLICES], IN(preemptions) / slice_s);
    NEAR(s[TDM_LLM_SERIES_TTFT * TDM_SLICES], ttft_ns / count / 1e9);
  }
}

static void every_count_becomes_its_figure(void **state) {
  (void)state;
  /* Nothing is left out, a slice, all but a nanosecond of two, and all but four. */
  static const struct {
    int64_t warmup_ns;
    size_t from;
  } cuts[] = {{0, 0}, {SLICE_NS, 1}, {2 * SLICE_NS - 1, 2}, {62 * SLICE_NS, 60}};
  tdm_tally *t = make_tally();
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    tdm_measure m;
    assert_int_equal(tdm_measure_take(&model, t, cuts[i].warmup_ns, 1, &m, NULL), TDM_OK);
    cut c = {cuts[i].from, (double)(TDM_SLICES - cuts[i].from) * ((double)SLICE_NS / 1e9), &m};
    assert_int_equal(m.from_ns, (int64_t)cuts[i].from * SLICE_NS);
    check_stages(&c);
    check_stations(&c);
    check_pool(&c, &m.servers[0].pools[0], true, false);
    check_pool(&c, &m.servers[0].pools[1], false, true);
    check_pool(&c, &m.servers[0].all, true, true);
    check_takers(&c);
    check_server_series(&c);
    for (size_t k = 0; k < CLASSES; k++) check_sections(&c, &m.classes[k].sections, k, 1);
    check_sections(&c, &m.all.sections, 0, CLASSES);
    tdm_measure_free(&m);
  }
  tdm_tally_free(t);
}

/* What one pool does not know nobody knows of all. */
static void unknown_power_is_no_number(void **state) {
  (void)state;
  tdm_measure m;
  tdm_tally *t = make_tally();
  server.pools[1].power = NULL;
  assert_int_equal(tdm_measure_take(&model, t, 0, 1, &m, NULL), TDM_OK);
  assert_true(m.servers[0].pools[0].energy_j > 0);
  assert_true(isnan(m.servers[0].pools[1].energy_j) && isnan(m.servers[0].all.energy_j));
  assert_true(isnan(m.servers[0].all.token_j) && isnan(m.servers[0].all.power_w));
  tdm_measure_free(&m);
  tdm_tally_free(t);
}

/* Class 0 has more times than are kept one by one, class 1 few: those of a slice are counted once,
 * and none of its neighbour's. The first quarter of the kept ones of class 0 are a second each. */
static void kept_times_and_counted_ones_are_told_together(void **state) {
  (void)state;
  enum { FIRST = TDM_EXACT_LIMIT / 4, MANY = TDM_EXACT_LIMIT + 4000 };
  const int64_t second_ns = 1000000000, ms_ns = 1000000;
  tdm_tally *t = make_notes();
  tdm_measure m;
  assert_true(tdm_tally_times(t, 0, 0, second_ns, FIRST));
  assert_true(tdm_tally_times(t, 0, 1, ms_ns, MANY - FIRST));
  for (uint32_t k = 2; k < TDM_SLICES; k++) {
    int64_t ns = (k % 2 == 0 ? 1 : 1000) * ms_ns;
    assert_true(tdm_tally_times(t, 0, k, ns, 1) && tdm_tally_times(t, 1, k, ns, 2));
  }
  tdm_exact *few = &t->exact[1];
  assert_int_equal(few->count, 2 * (TDM_SLICES - 2));
  few->latency_ns[few->count] = 9 * second_ns; /* none of it */
  few->slice[few->count] = TDM_SLICES - 1;
  t->window_ns -= SLICE_NS / 2; /* ends within the last slice */
  assert_int_equal(tdm_measure_take(&model, t, 0, 1, &m, NULL), TDM_OK);
  const double *p99_s = tdm_measure_series(&m, TDM_SERIES_LATENCY_99);
  for (uint32_t k = 2; k < TDM_SLICES; k++) {
    double ms = k % 2 == 0 ? 1 : 1000;
    if (!(fabs(p99_s[k] * 1e3 / ms - 1) < 0.01)) fail_msg("slice %u: %g s", k, p99_s[k]);
  }
  const tdm_sections *all = &m.classes[0].sections, *kept = &m.classes[1].sections;
  NEAR(kept->items[0].length_s, 4 * ((double)SLICE_NS / 1e9));
  NEAR(kept->items[15].length_s, 3.5 * ((double)SLICE_NS / 1e9));
  assert_true(kept->scale == 1 && kept->maxima > 0);
  assert_int_equal(kept->maxima_ns[0], second_ns);
  NEAR(all->scale, (double)(MANY + TDM_SLICES - 2) / (TDM_EXACT_LIMIT - FIRST));
  assert_int_equal(all->maxima_ns[0], ms_ns); /* of the kept ones, the first quarter left out */
  tdm_measure_free(&m);
  tdm_tally_free(t);
}

/* Of replications each field is added. */
static void samples_of_a_server_that_may_not_keep_up_add(void **state) {
  (void)state;
  tdm_backlog sum = {0};
  const tdm_backlog one = {.waiting = {1, 2, 3},
                           .inside = {4, 5, 6},
                           .load = {7, 8, 9},
                           .part_s = 10,
                           .waiting_last = 11,
                           .inside_first = 12,
                           .inside_last = 13,
                           .asked_first = 14,
                           .asked_last = 15,
                           .served_per_s = 16,
                           .asked_per_s = 17,
                           .given_per_s = 18,
                           .by_steps = 19};
  for (int times = 1; times <= 3; times++) {
    tdm_backlog_add(&sum, &one);
    const double got[] = {(double)sum.waiting.count,
                          sum.waiting.sum,
                          sum.waiting.squares,
                          (double)sum.inside.count,
                          sum.inside.sum,
                          sum.inside.squares,
                          (double)sum.load.count,
                          sum.load.sum,
                          sum.load.squares,
                          sum.part_s,
                          sum.waiting_last,
                          sum.inside_first,
                          sum.inside_last,
                          sum.asked_first,
                          sum.asked_last,
                          sum.served_per_s,
                          sum.asked_per_s,
                          sum.given_per_s,
                          sum.by_steps};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
      assert_true(got[i] == (double)((int)i + 1) * times);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_of_a_server_that_may_not_keep_up_add),
      cmocka_unit_test(every_count_becomes_its_figure),
      cmocka_unit_test(unknown_power_is_no_number),
      cmocka_unit_test(kept_times_and_counted_ones_are_told_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
