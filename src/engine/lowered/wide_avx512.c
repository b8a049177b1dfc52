/* The vector kernel: eight replications side by side, one a lane, 64 requests of each at a time.
 *
 * Every lane does what chain.c does, in the same order of operations; all lanes are at the
 * same request, so counts are shared and only times differ. Crossing a slice's end is rare and
 * handled lane by lane. Begins at fresh chains, stops before any source ends, and leaves eight
 * ordinary chains behind for the scalar kernel to finish. How rows leave is wide_exit_avx512.c's.
 * Called by lowered.c. */
#include "engine/lowered/wide.h"

#include <stdlib.h>

#include "base/exponential_avx512.h"
#include "base/histogram.h"

/* A request is named (ordinal + 1)·γ, which is what its draws add to their key. */
#define GAMMA_INVERSE 0xf1de83e19937733du

/* ---- slice ends */

static void open_passage(tdm_wide_passage *wide_point, uint32_t i, tdm_passage *passage) {
  wide_point->lane[i] = passage;
  wide_point->time_sum[i] = (int64_t)passage->time_sum;
  wide_point->bound[i] = passage->bound_ns;
}

static void close_passage(tdm_wide_passage *wide_point, uint64_t count) {
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    wide_point->lane[i]->count = count;
    wide_point->lane[i]->time_sum = (uint64_t)wide_point->time_sum[i];
  }
}

/* Some lanes' times reach their slice's end; `count` have passed before. Returns the new bounds. */
__m512i tdm_wide_cross(const tdm_wide *w, tdm_wide_passage *point, __m512i time_sum, uint64_t count,
                       __m512i times) {
  tdm_wide_row time;
  tdm_wide_store(point->time_sum, time_sum);
  tdm_wide_store(time, times);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_passage *p = point->lane[i];
    p->count = count;
    p->time_sum = (uint64_t)point->time_sum[i];
    while (time[i] >= p->bound_ns) tdm_passage_note(p, w->tally[i]);
    point->bound[i] = p->bound_ns;
  }
  return tdm_wide_load(point->bound);
}

/* The counters of a station in registers. */
typedef struct {
  __m512i enter_sum, enter_bound, start_sum, start_bound, wait, service, delayed, max_wait;
} counters;

static inline counters take_counters(const tdm_wide_link *link) {
  return (counters){tdm_wide_load(link->enters.time_sum),
                    tdm_wide_load(link->enters.bound),
                    tdm_wide_load(link->starts.time_sum),
                    tdm_wide_load(link->starts.bound),
                    tdm_wide_load(link->wait),
                    tdm_wide_load(link->service),
                    tdm_wide_load(link->delayed),
                    tdm_wide_load(link->max_wait)};
}

static void keep_counters(tdm_wide_link *link, const counters *c) {
  tdm_wide_store(link->enters.time_sum, c->enter_sum);
  tdm_wide_store(link->starts.time_sum, c->start_sum);
  tdm_wide_store(link->wait, c->wait);
  tdm_wide_store(link->service, c->service);
  tdm_wide_store(link->delayed, c->delayed);
  tdm_wide_store(link->max_wait, c->max_wait);
}

static void write_note(tdm_wide_link *link, uint32_t i, uint64_t visits) {
  tdm_stage_note *note = &link->lane[i]->note;
  note->visits = visits;
  note->wait_ns = link->wait[i];
  note->service_ns = link->service[i];
  note->delayed = (uint64_t)link->delayed[i];
  note->max_wait_ns = link->max_wait[i];
}

static __attribute__((noinline)) void cross_starts(const tdm_wide *w, tdm_wide_link *link,
                                                   counters *c, uint64_t visits, __m512i starts) {
  tdm_wide_row start;
  keep_counters(link, c);
  tdm_wide_store(start, starts);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_passage *p = &link->lane[i]->starts;
    if (start[i] < p->bound_ns) continue;
    write_note(link, i, visits);
    p->count = visits;
    p->time_sum = (uint64_t)link->starts.time_sum[i];
    while (start[i] >= p->bound_ns) tdm_chain_note_start(link->lane[i], w->tally[i]);
    link->max_wait[i] = link->lane[i]->note.max_wait_ns;
    link->starts.bound[i] = p->bound_ns;
  }
  c->max_wait = tdm_wide_load(link->max_wait);
  c->start_bound = tdm_wide_load(link->starts.bound);
}

/* One row's entries and starts. With care, slices that end before this row are closed first. */
static inline __attribute__((always_inline)) void count_row(const tdm_wide *w, tdm_wide_link *link,
                                                            counters *c, uint64_t visits,
                                                            __m512i enter, __m512i start,
                                                            __m512i service, bool careful) {
  if (careful) {
    if (_mm512_cmpge_epi64_mask(enter, c->enter_bound))
      c->enter_bound = tdm_wide_cross(w, &link->enters, c->enter_sum, visits, enter);
    if (_mm512_cmpge_epi64_mask(start, c->start_bound)) cross_starts(w, link, c, visits, start);
  }
  __m512i wait = _mm512_sub_epi64(start, enter);
  c->enter_sum = _mm512_add_epi64(c->enter_sum, enter);
  c->start_sum = _mm512_add_epi64(c->start_sum, start);
  c->wait = _mm512_add_epi64(c->wait, wait);
  c->service = _mm512_add_epi64(c->service, service);
  c->max_wait = _mm512_max_epi64(c->max_wait, wait);
  c->delayed = _mm512_mask_add_epi64(c->delayed, _mm512_test_epi64_mask(wait, wait), c->delayed,
                                     _mm512_set1_epi64(1));
}

/* Did rows done without care cross a slice's end? Times only rise. */
static inline bool crossed(const counters *c, __m512i last_enter, __m512i last_start) {
  return (_mm512_cmpge_epi64_mask(last_enter, c->enter_bound) |
          _mm512_cmpge_epi64_mask(last_start, c->start_bound)) != 0;
}

/* ---- source and services */

static void exponential_rows(const tdm_wide_row key, uint64_t first, double mean_ns,
                             tdm_wide_row *out) {
  const __m512d mean = _mm512_set1_pd(mean_ns);
  const __m512i gamma = _mm512_set1_epi64((long long)TDM_GAMMA);
  __m512i state =
      _mm512_add_epi64(tdm_wide_load(key), _mm512_set1_epi64((long long)((first + 1) * TDM_GAMMA)));
  for (size_t r = 0; r < TDM_WIDE_ROWS; r++) {
    tdm_wide_store(out[r], tdm_exponential8(tdm_mix8(state), mean));
    state = _mm512_add_epi64(state, gamma);
  }
}

/* Any other cost: lane by lane through the scalar code. */
static void services_by_lane(tdm_wide *w, tdm_wide_link *link, uint64_t first, size_t rows) {
  uint64_t id[TDM_WIDE_ROWS];
  int64_t service[TDM_WIDE_ROWS];
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    for (size_t r = 0; r < rows; r++)
      id[r] = w->named ? (uint64_t)w->name[r][i] * GAMMA_INVERSE - 1 : first + r;
    tdm_chain_services(w->chains[i], link->lane[i], id, rows, service);
    for (size_t r = 0; r < rows; r++) w->service[r][i] = service[r];
  }
}

/* Where a station's services come from. */
typedef enum { DRAWN_IN_ORDER, DRAWN_BY_NAME, GIVEN } service_source;

typedef struct {
  __m512i state; /* IN_ORDER: of the next draw; BY_NAME: the key */
  __m512d mean;
} drawer;

static inline drawer open_drawer(const tdm_wide_link *link, service_source from, uint64_t first) {
  __m512i state = tdm_wide_load(link->key);
  if (from == DRAWN_IN_ORDER)
    state = _mm512_add_epi64(state, _mm512_set1_epi64((long long)((first + 1) * TDM_GAMMA)));
  return (drawer){state, _mm512_set1_pd(link->lane[0]->mean_ns)};
}

static inline __attribute__((always_inline)) __m512i draw(const tdm_wide *w, drawer *d,
                                                          service_source from, size_t r) {
  __m512i bits;
  if (from == GIVEN) return tdm_wide_load(w->service[r]);
  if (from == DRAWN_BY_NAME) {
    bits = _mm512_add_epi64(d->state, tdm_wide_load(w->name[r]));
  } else {
    bits = d->state;
    d->state = _mm512_add_epi64(d->state, _mm512_set1_epi64((long long)TDM_GAMMA));
  }
  return tdm_exponential8(tdm_mix8(bits), d->mean);
}

/* Arrival times of the next rows. False: some lane's source ends within them. */
static bool source(tdm_wide *w, uint64_t first) {
  const tdm_chain *chain = w->chains[0];
  exponential_rows(w->arrival_key, first, chain->cursor.gap_mean_ns, w->service);
  __m512i time = tdm_wide_load(w->arrival_time);
  w->time = w->times[0];
  w->arrival = w->arrivals_of[0];
  w->name = w->names[0];
  w->next_time = w->times[1];
  w->next_arrival = w->arrivals_of[1];
  w->next_name = w->names[1];
  for (size_t r = 0; r < TDM_WIDE_ROWS; r++) {
    time = _mm512_add_epi64(time, tdm_wide_load(w->service[r]));
    tdm_wide_store(w->time[r], time);
    tdm_wide_store(w->arrival[r], time);
  }
  if (_mm512_cmpge_epi64_mask(time, _mm512_set1_epi64(chain->model->duration_ns))) return false;
  __m512i sum = tdm_wide_load(w->arrivals.time_sum), bound = tdm_wide_load(w->arrivals.bound);
  bool careful = _mm512_cmpge_epi64_mask(time, bound) != 0;
  for (size_t r = 0; r < TDM_WIDE_ROWS; r++) {
    __m512i now = tdm_wide_load(w->time[r]);
    if (careful && _mm512_cmpge_epi64_mask(now, bound))
      bound = tdm_wide_cross(w, &w->arrivals, sum, first + r, now);
    sum = _mm512_add_epi64(sum, now);
  }
  tdm_wide_store(w->arrivals.time_sum, sum);
  tdm_wide_store(w->arrival_time, time);
  w->named = false;
  return true;
}

/* ---- stations */

static void turn_times(tdm_wide *w) {
  tdm_wide_row *spare = w->time;
  w->time = w->next_time;
  w->next_time = spare;
}

/* False: a slice's end was crossed without care; nothing is changed. */
static inline __attribute__((always_inline)) bool
serve_one(tdm_wide *w, tdm_wide_link *link, size_t rows, service_source from, bool careful) {
  counters c = take_counters(link);
  __m512i free_ns = tdm_wide_load(link->free_ns[0]);
  __m512i enter = free_ns, start = free_ns;
  uint64_t visits = link->visits;
  drawer d = open_drawer(link, from, visits);
  for (size_t r = 0; r < rows; r++) {
    __m512i service = draw(w, &d, from, r);
    enter = tdm_wide_load(w->time[r]);
    start = _mm512_max_epi64(enter, free_ns);
    count_row(w, link, &c, visits + r, enter, start, service, careful);
    free_ns = _mm512_add_epi64(start, service);
    tdm_wide_store(w->next_time[r], free_ns);
  }
  if (!careful && crossed(&c, enter, start)) return false;
  link->visits = visits + rows;
  tdm_wide_store(link->free_ns[0], free_ns);
  keep_counters(link, &c);
  turn_times(w);
  return true;
}

static void delay_constant(tdm_wide *w, tdm_wide_link *link, size_t rows) {
  counters c = take_counters(link);
  for (size_t r = 0; r < rows; r++) {
    __m512i enter = tdm_wide_load(w->time[r]), service = tdm_wide_load(w->service[r]);
    count_row(w, link, &c, link->visits + r, enter, enter, service, true);
    tdm_wide_store(w->next_time[r], _mm512_add_epi64(enter, service));
  }
  link->visits += rows;
  keep_counters(link, &c);
  turn_times(w);
}

static void write_names(tdm_wide *w, uint64_t first, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    tdm_wide_store(w->name[r], _mm512_set1_epi64((long long)((first + r + 1) * TDM_GAMMA)));
  w->named = true;
}

/* `servers` is a constant at every call, so that the sorted free times live in registers. Returns
 * the rows that leave, SIZE_MAX when a slice's end was crossed without care. */
static inline __attribute__((always_inline)) size_t serve_sorted(tdm_wide *w, tdm_wide_link *link,
                                                                 size_t rows, size_t servers,
                                                                 service_source from,
                                                                 bool careful) {
  counters c = take_counters(link);
  __m512i free_ns[TDM_WIDE_MAX_C], arrival[TDM_WIDE_MAX_C], name[TDM_WIDE_MAX_C];
  for (size_t k = 0; k < servers; k++) {
    free_ns[k] = tdm_wide_load(link->free_ns[k]);
    arrival[k] = tdm_wide_load(link->arrival[k]);
    name[k] = tdm_wide_load(link->name[k]);
  }
  size_t out = 0;
  uint64_t visits = link->visits;
  drawer d = open_drawer(link, from, visits);
  __m512i enter = free_ns[0], start = free_ns[0];
  for (size_t r = 0; r < rows; r++) {
    __m512i service = draw(w, &d, from, r);
    __m512i who = tdm_wide_load(w->name[r]), came = tdm_wide_load(w->arrival[r]);
    enter = tdm_wide_load(w->time[r]);
    start = _mm512_max_epi64(enter, free_ns[0]);
    count_row(w, link, &c, visits + r, enter, start, service, careful);
    tdm_wide_store(w->next_time[out], free_ns[0]);
    tdm_wide_store(w->next_arrival[out], arrival[0]);
    tdm_wide_store(w->next_name[out], name[0]);
    out += visits + r >= servers; /* the first to come find servers that nobody has left */
    __m512i end = _mm512_add_epi64(start, service);
    for (size_t k = 1; k < servers; k++) {
      __mmask8 earlier = _mm512_cmple_epi64_mask(free_ns[k], end);
      free_ns[k - 1] = _mm512_min_epi64(free_ns[k], end);
      end = _mm512_max_epi64(free_ns[k], end);
      arrival[k - 1] = _mm512_mask_blend_epi64(earlier, came, arrival[k]);
      came = _mm512_mask_blend_epi64(earlier, arrival[k], came);
      name[k - 1] = _mm512_mask_blend_epi64(earlier, who, name[k]);
      who = _mm512_mask_blend_epi64(earlier, name[k], who);
    }
    free_ns[servers - 1] = end;
    arrival[servers - 1] = came;
    name[servers - 1] = who;
  }
  if (!careful && crossed(&c, enter, start)) return SIZE_MAX;
  for (size_t k = 0; k < servers; k++) {
    tdm_wide_store(link->free_ns[k], free_ns[k]);
    tdm_wide_store(link->arrival[k], arrival[k]);
    tdm_wide_store(link->name[k], name[k]);
  }
  link->visits = visits + rows;
  keep_counters(link, &c);
  turn_times(w);
  tdm_wide_row *spare = w->arrival;
  w->arrival = w->next_arrival;
  w->next_arrival = spare;
  spare = w->name;
  w->name = w->next_name;
  w->next_name = spare;
  return out;
}

static inline __attribute__((always_inline)) size_t
serve_from(tdm_wide *w, tdm_wide_link *link, size_t rows, size_t servers, service_source from) {
  if (servers == 1) {
    if (!serve_one(w, link, rows, from, false)) serve_one(w, link, rows, from, true);
    return rows;
  }
  size_t out = serve_sorted(w, link, rows, servers, from, false);
  return out != SIZE_MAX ? out : serve_sorted(w, link, rows, servers, from, true);
}

/* One function for each number of servers and source of services. */
#define SERVE(servers)                                                                             \
  static size_t serve_##servers(tdm_wide *w, tdm_wide_link *link, size_t rows,                     \
                                service_source from) {                                             \
    switch (from) {                                                                                \
    case DRAWN_IN_ORDER: return serve_from(w, link, rows, servers, DRAWN_IN_ORDER);                \
    case DRAWN_BY_NAME: return serve_from(w, link, rows, servers, DRAWN_BY_NAME);                  \
    default: return serve_from(w, link, rows, servers, GIVEN);                                     \
    }                                                                                              \
  }
/* clang-format off */
SERVE(1)
SERVE(2)
SERVE(3)
SERVE(4)
SERVE(5)
SERVE(6)
SERVE(7)
SERVE(8)
/* clang-format on */
#undef SERVE

/* Sends rows through a station; returns how many leave. */
static size_t serve(tdm_wide *w, tdm_wide_link *link, size_t rows) {
  static size_t (*const by_servers[])(tdm_wide *, tdm_wide_link *, size_t, service_source) = {
      serve_1, serve_2, serve_3, serve_4, serve_5, serve_6, serve_7, serve_8};
  const tdm_link_in_chain *one = link->lane[0];
  service_source from = GIVEN;
  if (one->stage->cost.kind == TDM_COST_EXPONENTIAL)
    from = w->named ? DRAWN_BY_NAME : DRAWN_IN_ORDER;
  else
    services_by_lane(w, link, link->visits, rows);
  if (one->servers == TDM_UNLIMITED) {
    delay_constant(w, link, rows);
    return rows;
  }
  if (one->servers > 1 && !w->named) write_names(w, link->visits, rows);
  return by_servers[one->servers - 1](w, link, rows, from);
}

/* ---- in and out */

static void open_lane(tdm_wide *w, uint32_t i) {
  tdm_chain *chain = w->chains[i];
  w->tally[i] = chain->tally;
  open_passage(&w->arrivals, i, &chain->arrivals);
  open_passage(&w->exit.departures, i, &chain->departures);
  w->arrival_key[i] = (int64_t)chain->cursor.gaps.key;
  w->arrival_time[i] = chain->cursor.time_ns;
  for (size_t k = 0; k < w->link_count; k++) {
    tdm_link_in_chain *link = &chain->links[k];
    tdm_wide_link *out = &w->links[k];
    out->lane[i] = link;
    open_passage(&out->enters, i, &link->enters);
    open_passage(&out->starts, i, &link->starts);
    out->key[i] = (int64_t)link->draws.key;
    for (size_t s = 0; s < link->pool_count; s++) out->free_ns[s][i] = -1;
  }
  w->exit.slo[i] = chain->class->slo_ns;
  w->exit.least[i] = INT64_MAX;
  w->exit.most[i] = INT64_MIN;
  tdm_wide_take_slice(w, i, 0);
}

static void close_link(tdm_wide_link *link) {
  close_passage(&link->enters, link->visits);
  close_passage(&link->starts, link->visits);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_link_in_chain *out = link->lane[i];
    write_note(link, i, link->visits);
    if (out->servers == TDM_UNLIMITED) continue;
    /* Rows come by 64, more than the servers there are: no server is a ghost any more. */
    out->ghosts = link->visits > 0 ? 0 : out->ghosts;
    for (size_t s = 0; s < out->pool_count && link->visits > 0; s++)
      out->pool[s] = (tdm_server){.free_ns = link->free_ns[s][i],
                                  .turn = ++out->turns,
                                  .arrival_ns = link->arrival[s][i],
                                  .id = (uint64_t)link->name[s][i] * GAMMA_INVERSE - 1};
  }
}

static void close_lanes(tdm_wide *w, uint64_t rows) {
  close_passage(&w->arrivals, rows);
  close_passage(&w->exit.departures, w->exit.done);
  for (size_t k = 0; k < w->link_count; k++) close_link(&w->links[k]);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    tdm_chain *chain = w->chains[i];
    uint64_t kept = chain->tally->exact[0].count;
    tdm_wide_flush_slice(w, i);
    if (w->exit.done > kept) chain->tally->exact[0].count = w->exit.done;
    chain->tally->series.sum_ns = w->exit.series[i];
    chain->issued = chain->groups = chain->cursor.n = rows;
    chain->cursor.time_ns = w->arrival_time[i];
    if (rows > 0) chain->tally->last_arrival_ns = w->arrival_time[i];
    if (chain->issued >= chain->model->requests) chain->source_ended = true;
  }
}

uint64_t tdm_chain_wide(tdm_chain *const chains[TDM_LANES_WIDE], const atomic_int *stop) {
  const tdm_chain *one = chains[0];
  uint64_t rows = 0;
  tdm_wide *w = aligned_alloc(64, (sizeof *w + 63) & ~(size_t)63);
  tdm_wide_link *links = aligned_alloc(64, one->link_count * sizeof *links);
  if (w == NULL || links == NULL) goto done; /* the scalar kernel will do it all */
  memset(w, 0, sizeof *w);
  memset(links, 0, one->link_count * sizeof *links);
  w->chains = chains;
  w->links = links;
  w->link_count = one->link_count;
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) open_lane(w, i);
  while (rows + TDM_WIDE_ROWS <= one->model->requests && source(w, rows)) {
    size_t inside = TDM_WIDE_ROWS;
    /* Rows that reach a station: those sent less those still with servers before it. */
    for (size_t k = 0; k < w->link_count && inside > 0; k++) inside = serve(w, &links[k], inside);
    rows += TDM_WIDE_ROWS;
    if (!tdm_wide_leave(w, inside)) {
      chains[0]->status = tdm_error_memory(one->error, "latency histogram", 0);
      break;
    }
    if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed) != 0) break;
  }
  close_lanes(w, rows);
  for (uint32_t i = 0; i < TDM_LANES_WIDE; i++) {
    const tdm_passage *gone = &chains[i]->departures;
    int64_t end_ns = gone->count > 0 ? w->last_end[i] : 0;
    if (end_ns > chains[i]->tally->end_ns) chains[i]->tally->end_ns = end_ns;
  }
done:
  free(w);
  free(links);
  return rows;
}
