/* The scalar kernel's stations: services drawn for a chunk, the recursions over servers, spans.
 *
 * A station with c servers keeps c free times in order; a request starts at max(its arrival, the
 * earliest free time). The entry it displaces is the next departure in time, so what leaves is in
 * order without sorting (Kiefer & Wolfowitz 1955). Called by chain.c and, for services, by
 * the vector kernel. */
#include "engine/lowered/inside.h"

#include <string.h>

#include "base/exponential.h"
#include "base/memory.h"

#define QUICK_SERVERS 4
#define HEAP_SERVERS  16 /* above, the free times are a heap instead of a sorted array */

/* ---- services */

void tdm_chain_columns(tdm_chain *chain, const uint64_t *id, size_t count) {
  const tdm_model *m = chain->model;
  const tdm_request_rows *rows = &chain->class->arrivals->rows;
  for (uint32_t slot = 0; slot < m->attr_count; slot++) {
    double *column = chain->columns + (size_t)slot * TDM_CHUNK;
    chain->column_of[slot] = column;
    if (tdm_rows_have(rows, slot)) {
      for (size_t i = 0; i < count; i++)
        column[i] = rows->columns[slot][tdm_rows_at(rows, chain->picks, id[i], 0)];
    } else if (chain->class->attr_set[slot]) {
      const tdm_cost *cost = &chain->class->attrs[slot];
      tdm_expr_input base = {.batch = 1, .stream = tdm_stream_child(chain->attrs, slot)};
      if (cost->kind == TDM_COST_CONSTANT)
        for (size_t i = 0; i < count; i++) column[i] = cost->constant;
      else if (cost->kind == TDM_COST_EXPONENTIAL)
        for (size_t i = 0; i < count; i++)
          column[i] =
              cost->mean *
              tdm_exponential(tdm_stream_bits(tdm_stream_child(base.stream, cost->child), id[i]));
      else {
        tdm_expr_eval_many(cost->expr, &base, chain->column_of, id, count, column);
        if (cost->jitter != NULL)
          for (size_t i = 0; i < count; i++)
            column[i] *= tdm_dist_draw(
                cost->jitter, tdm_stream_child(base.stream, TDM_JITTER_CHILD), id[i], NULL);
      }
    } else {
      memset(column, 0, count * sizeof *column);
    }
  }
}

static void bad_cost(tdm_chain *chain, const tdm_link_in_chain *link, uint64_t id, double value) {
  if (chain->status != TDM_OK) return;
  chain->status =
      value * 1e9 > TDM_MAX_DURATION_NS && value < 1e18
          ? tdm_error_set(chain->error, TDM_LIMIT,
                          "stage \"%s\": one service takes %g s; the limit is 26 days",
                          link->stage->name, value)
          : tdm_error_set(chain->error, TDM_INVALID,
                          "stage \"%s\": the cost of request %llu is %g; it must be a number of "
                          "at least 0",
                          link->stage->name, (unsigned long long)id + 1, value);
}

static tdm_expr_input input_of(const tdm_chain *chain, const tdm_link_in_chain *link) {
  uint32_t gpu = link->station_index != TDM_NO_INDEX
                     ? chain->model->stations[link->station_index].gpu
                     : TDM_NO_INDEX;
  return (tdm_expr_input){.batch = 1,
                          .stream = link->stream,
                          .gpu = gpu != TDM_NO_INDEX ? chain->model->gpus[gpu].params : NULL};
}

void tdm_chain_services(tdm_chain *chain, tdm_link_in_chain *link, const uint64_t *id, size_t count,
                        int64_t *service_ns) {
  const tdm_cost *cost = &link->stage->cost;
  if (cost->kind == TDM_COST_CONSTANT) {
    for (size_t i = 0; i < count; i++) service_ns[i] = link->constant_ns;
    return;
  }
  if (cost->kind == TDM_COST_EXPONENTIAL) {
    if (link->in_order)
      tdm_exponential_run(link->draws, id[0], count, link->mean_ns, service_ns);
    else
      tdm_exponential_fill(link->draws, id, count, link->mean_ns, service_ns);
    return;
  }
  tdm_expr_input base = input_of(chain, link);
  if (chain->columns != NULL) tdm_chain_columns(chain, id, count);
  tdm_expr_eval_many(cost->expr, &base, chain->column_of, id, count, chain->value);
  if (cost->jitter != NULL)
    for (size_t i = 0; i < count; i++)
      chain->value[i] *= tdm_dist_draw(
          cost->jitter, tdm_stream_child(link->stream, TDM_JITTER_CHILD), id[i], NULL);
  for (size_t i = 0; i < count; i++) {
    double ns = chain->value[i] * 1e9;
    if (!(ns >= 0) || ns > TDM_MAX_DURATION_NS) bad_cost(chain, link, id[i], chain->value[i]);
    service_ns[i] = tdm_round_ns(ns);
  }
}

/* The bytes that a chunk of transfers moves: as the event engine comes to them, one by one. */
static void tell_bytes(tdm_chain *chain, const tdm_link_in_chain *link, const uint64_t *id,
                       size_t count) {
  const tdm_cost *bytes = &link->stage->bytes;
  if (bytes->kind == TDM_COST_CONSTANT) {
    for (size_t i = 0; i < count; i++) chain->value[i] = bytes->constant;
  } else if (bytes->kind == TDM_COST_EXPONENTIAL) {
    tdm_stream draws = tdm_stream_child(link->stream, bytes->child);
    for (size_t i = 0; i < count; i++)
      chain->value[i] = tdm_exponential(tdm_stream_bits(draws, id[i])) * bytes->mean;
  } else {
    tdm_expr_input base = input_of(chain, link);
    if (chain->columns != NULL) tdm_chain_columns(chain, id, count);
    tdm_expr_eval_many(bytes->expr, &base, chain->column_of, id, count, chain->value);
  }
  for (size_t i = 0; i < count; i++) chain->bytes[i] = tdm_span_bytes(chain->value[i]);
}

/* ---- stations */

void tdm_chain_flush_spans(tdm_chain *chain) {
  if (chain->spans->count == 0) return;
  tdm_status status = TDM_OK;
  if (chain->sink->spans != NULL)
    status = chain->sink->spans(chain->sink->context, chain->spans, chain->error);
  chain->spans->count = 0;
  if (status != TDM_OK && chain->status == TDM_OK) chain->status = status;
}

static void add_span(tdm_chain *chain, uint32_t track, uint32_t name, uint64_t id, int64_t start_ns,
                     int64_t dur_ns, int64_t bytes) {
  tdm_span_block *block = chain->spans;
  uint32_t i = block->count++;
  block->start_ns[i] = start_ns;
  block->dur_ns[i] = dur_ns;
  block->request[i] = id;
  block->track[i] = track;
  block->name[i] = name;
  block->arg[i] = 1;
  block->bytes[i] = bytes;
  if (block->count == TDM_BLOCK_SPANS) tdm_chain_flush_spans(chain);
}

static uint32_t service_track(const tdm_chain *chain, const tdm_link_in_chain *link) {
  uint32_t outside = (uint32_t)(2 * chain->model->station_count + chain->model->memory_count);
  return link->station_index == TDM_NO_INDEX ? outside : 2 * link->station_index;
}

/* `i`: which of the chunk in service. */
static inline void trace(tdm_chain *chain, const tdm_link_in_chain *link, size_t i, uint64_t id,
                         int64_t enter_ns, int64_t start_ns) {
  if (start_ns > enter_ns)
    add_span(chain, 2 * link->station_index + 1, link->stage_index, id, enter_ns,
             start_ns - enter_ns, TDM_NO_BYTES);
  add_span(chain, service_track(chain, link), link->stage_index, id, start_ns, chain->service_ns[i],
           link->stage->moves_bytes ? chain->bytes[i] : TDM_NO_BYTES);
}

/* Counters of a chunk's entries and starts. */
typedef struct {
  uint64_t enter_sum, start_sum, delayed;
  int64_t service_ns, max_wait_ns;
} counters;

static inline void count_start(const tdm_chain *chain, tdm_link_in_chain *link, int64_t enter_ns,
                               int64_t start_ns, int64_t service_ns) {
  int64_t wait_ns = start_ns - enter_ns;
  while (start_ns >= link->starts.bound_ns) tdm_chain_note_start(link, chain->tally);
  link->starts.count++;
  link->starts.time_sum += (uint64_t)start_ns;
  link->note.visits++;
  link->note.wait_ns += wait_ns;
  link->note.service_ns += service_ns;
  link->note.delayed += wait_ns > 0;
  if (wait_ns > link->note.max_wait_ns) link->note.max_wait_ns = wait_ns;
}

static void add_starts(tdm_link_in_chain *link, const counters *c, size_t count) {
  link->starts.count += count;
  link->starts.time_sum += c->start_sum;
  link->note.visits += count;
  link->note.wait_ns += (int64_t)(c->start_sum - c->enter_sum);
  link->note.service_ns += c->service_ns;
  link->note.delayed += c->delayed;
  if (c->max_wait_ns > link->note.max_wait_ns) link->note.max_wait_ns = c->max_wait_ns;
}

static inline void count_quickly(counters *c, int64_t enter_ns, int64_t start_ns,
                                 int64_t service_ns) {
  int64_t wait_ns = start_ns - enter_ns;
  c->enter_sum += (uint64_t)enter_ns;
  c->start_sum += (uint64_t)start_ns;
  c->service_ns += service_ns;
  c->delayed += wait_ns > 0;
  c->max_wait_ns = wait_ns > c->max_wait_ns ? wait_ns : c->max_wait_ns;
}

/* Counts the chunk slice by slice: entries and starts both come in order of time. */
static void count_parts(const tdm_chain *chain, tdm_link_in_chain *link, const int64_t *enter_ns,
                        size_t count) {
  const int64_t *start_ns = chain->start_ns, *service_ns = chain->service_ns;
  for (size_t i = 0, from = 0; i < count; from = i) {
    uint64_t sum = 0;
    for (; i < count && enter_ns[i] < link->enters.bound_ns; i++) sum += (uint64_t)enter_ns[i];
    link->enters.count += i - from;
    link->enters.time_sum += sum;
    if (i < count) tdm_passage_note(&link->enters, chain->tally);
  }
  for (size_t i = 0, from = 0; i < count; from = i) {
    counters c = {0};
    for (; i < count && start_ns[i] < link->starts.bound_ns; i++)
      count_quickly(&c, enter_ns[i], start_ns[i], service_ns[i]);
    add_starts(link, &c, i - from);
    if (i < count) tdm_chain_note_start(link, chain->tally);
  }
}

/* Counts a chunk whose every customer has entered and started; `c` has the whole chunk's. */
static void count_chunk(const tdm_chain *chain, tdm_link_in_chain *link, const counters *c,
                        const int64_t *enter_ns, size_t count) {
  if (enter_ns[count - 1] >= link->enters.bound_ns ||
      chain->start_ns[count - 1] >= link->starts.bound_ns) {
    count_parts(chain, link, enter_ns, count);
    return;
  }
  link->enters.count += count;
  link->enters.time_sum += c->enter_sum;
  add_starts(link, c, count);
}

/* Gives all spans from `from` on, whose times are written, their track and name. */
static void label_spans(tdm_span_block *block, uint32_t from, uint32_t count, uint32_t track,
                        uint32_t name) {
  for (uint32_t i = from; i < count; i++) block->track[i] = track;
  for (uint32_t i = from; i < count; i++) block->name[i] = name;
  for (uint32_t i = from; i < count; i++) block->arg[i] = 1;
  for (uint32_t i = from; i < count; i++) block->bytes[i] = TDM_NO_BYTES;
}

/* The spans of a chunk that was served as a whole: all services, then the waits there were,
 * column by column. A block holds any chunk's spans and is never left full. */
static void trace_chunk(tdm_chain *chain, const tdm_link_in_chain *link, const uint64_t *id,
                        const int64_t *enter_ns, size_t count) {
  const int64_t *start_ns = chain->start_ns;
  tdm_span_block *block = chain->spans;
  if (block->count + 2 * count >= TDM_BLOCK_SPANS) tdm_chain_flush_spans(chain);
  uint32_t first = block->count, wait = first + (uint32_t)count;
  memcpy(block->start_ns + first, start_ns, count * sizeof *start_ns);
  memcpy(block->dur_ns + first, chain->service_ns, count * sizeof *chain->service_ns);
  memcpy(block->request + first, id, count * sizeof *id);
  label_spans(block, first, wait, service_track(chain, link), link->stage_index);
  if (link->stage->moves_bytes)
    memcpy(block->bytes + first, chain->bytes, count * sizeof *chain->bytes);
  block->count = wait;
  for (size_t i = 0; i < count; i++) { /* overwritten by the next when there was no wait */
    block->start_ns[wait] = enter_ns[i];
    block->dur_ns[wait] = start_ns[i] - enter_ns[i];
    block->request[wait] = id[i];
    wait += start_ns[i] > enter_ns[i];
  }
  label_spans(block, block->count, wait, 2 * link->station_index + 1, link->stage_index);
  block->count = wait;
}

_Static_assert(2 * TDM_CHUNK < TDM_BLOCK_SPANS, "a chunk's spans fit a block");

static void serve_one(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  int64_t out_ns[TDM_CHUNK];
  int64_t free_ns = link->pool[0].free_ns;
  counters c = {0};
  for (size_t i = 0; i < flow->count; i++) {
    int64_t enter_ns = flow->time_ns[i];
    int64_t start_ns = enter_ns > free_ns ? enter_ns : free_ns;
    count_quickly(&c, enter_ns, start_ns, chain->service_ns[i]);
    chain->start_ns[i] = start_ns;
    out_ns[i] = free_ns = start_ns + chain->service_ns[i];
  }
  count_chunk(chain, link, &c, flow->time_ns, flow->count);
  if (chain->spans != NULL) trace_chunk(chain, link, flow->id, flow->time_ns, flow->count);
  memcpy(flow->time_ns, out_ns, flow->count * sizeof *out_ns);
  link->pool[0].free_ns = free_ns;
}

static void delay_constant(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  counters c = {0};
  for (size_t i = 0; i < flow->count; i++) {
    chain->start_ns[i] = flow->time_ns[i];
    count_quickly(&c, flow->time_ns[i], flow->time_ns[i], chain->service_ns[i]);
  }
  count_chunk(chain, link, &c, flow->time_ns, flow->count);
  if (chain->spans != NULL) trace_chunk(chain, link, flow->id, flow->time_ns, flow->count);
  for (size_t i = 0; i < flow->count; i++) flow->time_ns[i] += chain->service_ns[i];
}

static bool before(const tdm_server *a, const tdm_server *b) {
  return a->free_ns != b->free_ns ? a->free_ns < b->free_ns : a->turn < b->turn;
}

static void heap_down(tdm_server *heap, size_t count, tdm_server item) {
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= count) break;
    if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
    if (!before(&heap[child], &item)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

static void heap_up(tdm_server *heap, size_t i, tdm_server item) {
  while (i > 0 && before(&item, &heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = item;
}

/* Replaces the earliest server by `item`, keeping the order. A newcomer goes behind equals. */
static inline void replace_first(tdm_link_in_chain *link, tdm_server item) {
  size_t count = link->pool_count, i = 0;
  if (count > HEAP_SERVERS) {
    heap_down(link->pool, count, item);
    return;
  }
  while (i + 1 < count && link->pool[i + 1].free_ns <= item.free_ns) {
    link->pool[i] = link->pool[i + 1];
    i++;
  }
  link->pool[i] = item;
}

static void emit(tdm_flow *out, const tdm_server *leaver) {
  size_t i = out->count++;
  out->time_ns[i] = leaver->free_ns;
  out->arrival_ns[i] = leaver->arrival_ns;
  out->id[i] = leaver->id;
}

/* The quick way for 2…QUICK_SERVERS servers that have all been used: the sorted free times in
 * registers, every exchange without a branch. A time and who is served until then are one number,
 * (time - base) · WHO + position, where servers' last customers come before the chunk's: so equal
 * times sort by turn, and nothing but that number is moved. False: nothing is changed. */
#define WHO         512 /* > QUICK_SERVERS + TDM_CHUNK */
#define KEYED_UNTIL (INT64_C(1) << 53)

static inline __attribute__((always_inline)) bool
serve_sorted(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow, size_t servers) {
  uint64_t key[QUICK_SERVERS], leaver[TDM_CHUNK], start = 0;
  const size_t count = flow->count;
  const int64_t last_enter_ns = flow->time_ns[count - 1];
  const int64_t last_free_ns = link->pool[servers - 1].free_ns;
  const int64_t base_ns =
      link->pool[0].free_ns < flow->time_ns[0] ? link->pool[0].free_ns : flow->time_ns[0];
  counters c = {0};
  for (size_t k = 0; k < servers; k++)
    key[k] = (uint64_t)(link->pool[k].free_ns - base_ns) * WHO + k;
  for (size_t i = 0; i < count; i++) {
    uint64_t enter = (uint64_t)(flow->time_ns[i] - base_ns) * WHO;
    uint64_t free = key[0] & ~(uint64_t)(WHO - 1);
    start = enter > free ? enter : free;
    chain->start_ns[i] = base_ns + (int64_t)(start / WHO);
    count_quickly(&c, flow->time_ns[i], chain->start_ns[i], chain->service_ns[i]);
    uint64_t end = start + ((uint64_t)chain->service_ns[i] * WHO + servers + i);
    leaver[i] = key[0];
    for (size_t k = 1; k < servers; k++) {
      uint64_t other = key[k];
      key[k - 1] = other < end ? other : end;
      end = other < end ? end : other;
    }
    key[servers - 1] = end;
  }
  /* No end is later than the latest time before and all services. */
  if (last_free_ns - base_ns >= KEYED_UNTIL / 4 || last_enter_ns - base_ns >= KEYED_UNTIL / 4 ||
      c.service_ns >= KEYED_UNTIL / 4)
    return false;
  count_chunk(chain, link, &c, flow->time_ns, count);
  if (chain->spans != NULL) trace_chunk(chain, link, flow->id, flow->time_ns, count);
  int64_t arrival_ns[QUICK_SERVERS + TDM_CHUNK];
  uint64_t id[QUICK_SERVERS + TDM_CHUNK];
  for (size_t k = 0; k < servers; k++) {
    arrival_ns[k] = link->pool[k].arrival_ns;
    id[k] = link->pool[k].id;
  }
  memcpy(arrival_ns + servers, flow->arrival_ns, count * sizeof *arrival_ns);
  memcpy(id + servers, flow->id, count * sizeof *id);
  for (size_t i = 0; i < count; i++) {
    size_t who = leaver[i] % WHO;
    flow->time_ns[i] = base_ns + (int64_t)(leaver[i] / WHO);
    flow->arrival_ns[i] = arrival_ns[who];
    flow->id[i] = id[who];
  }
  for (size_t k = 0; k < servers; k++) {
    size_t who = key[k] % WHO;
    link->pool[k] =
        (tdm_server){base_ns + (int64_t)(key[k] / WHO), ++link->turns, arrival_ns[who], id[who]};
  }
  return true;
}

static bool serve_many_quickly(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  if (link->ghosts > 0) return false;
  switch (link->servers) {
  case 2: return serve_sorted(chain, link, flow, 2);
  case 3: return serve_sorted(chain, link, flow, 3);
  case 4: return serve_sorted(chain, link, flow, 4);
  default: return false;
  }
}

static void serve_many(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  size_t count = flow->count;
  if (serve_many_quickly(chain, link, flow)) return;
  flow->count = 0; /* what leaves never outruns what came: written behind the reading position */
  for (size_t i = 0; i < count; i++) {
    int64_t enter_ns = flow->time_ns[i], service_ns = chain->service_ns[i];
    tdm_server first = link->pool[0];
    int64_t start_ns = enter_ns > first.free_ns ? enter_ns : first.free_ns;
    tdm_server mine = {.free_ns = start_ns + service_ns,
                       .turn = ++link->turns,
                       .arrival_ns = flow->arrival_ns[i],
                       .id = flow->id[i]};
    tdm_passage_add(&link->enters, chain->tally, enter_ns);
    count_start(chain, link, enter_ns, start_ns, service_ns);
    if (chain->spans != NULL) trace(chain, link, i, mine.id, enter_ns, start_ns);
    replace_first(link, mine);
    if (first.free_ns < 0)
      link->ghosts--;
    else
      emit(flow, &first);
  }
}

/* Unlimited servers: who is inside waits in a heap for the time to leave. A full flow hands over
 * early; the rest leaves with the next chunk, still in order. */
static void delay_drawn(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  size_t count = flow->count;
  flow->count = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t enter_ns = flow->time_ns[i], service_ns = chain->service_ns[i];
    tdm_server mine = {.free_ns = enter_ns + service_ns,
                       .turn = ++link->turns,
                       .arrival_ns = flow->arrival_ns[i],
                       .id = flow->id[i]};
    tdm_passage_add(&link->enters, chain->tally, enter_ns);
    count_start(chain, link, enter_ns, enter_ns, service_ns);
    if (chain->spans != NULL) trace(chain, link, i, mine.id, enter_ns, enter_ns);
    if (!tdm_array_grow(&link->pool, &link->pool_capacity, link->pool_count + 1,
                        sizeof *link->pool)) {
      chain->status = tdm_error_memory(chain->error, "requests inside", link->pool_count);
      return;
    }
    heap_up(link->pool, link->pool_count++, mine);
    /* At most as many leave as have come in this chunk: the output stays behind the input. */
    while (link->pool_count > 0 && flow->count <= i && link->pool[0].free_ns <= enter_ns) {
      emit(flow, &link->pool[0]);
      tdm_server last = link->pool[--link->pool_count];
      if (link->pool_count > 0) heap_down(link->pool, link->pool_count, last);
    }
  }
}

void tdm_chain_serve(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow) {
  tdm_chain_services(chain, link, flow->id, flow->count, chain->service_ns);
  if (chain->status != TDM_OK) return;
  if (chain->spans != NULL && link->stage->moves_bytes)
    tell_bytes(chain, link, flow->id, flow->count);
  if (link->servers == 1)
    serve_one(chain, link, flow);
  else if (link->servers != TDM_UNLIMITED)
    serve_many(chain, link, flow);
  else if (link->keeps_order)
    delay_constant(chain, link, flow);
  else
    delay_drawn(chain, link, flow);
}

bool tdm_chain_empty(tdm_link_in_chain *link, tdm_flow *flow) {
  bool heap = link->servers == TDM_UNLIMITED || link->servers > HEAP_SERVERS;
  flow->count = 0;
  if (link->servers == 1 || (link->servers == TDM_UNLIMITED && link->keeps_order)) return false;
  if (!heap) {
    for (size_t i = link->ghosts; i < link->pool_count; i++) emit(flow, &link->pool[i]);
    link->pool_count = 0;
    return flow->count > 0;
  }
  while (link->pool_count > 0 && flow->count < TDM_CHUNK) {
    if (link->pool[0].free_ns >= 0) emit(flow, &link->pool[0]);
    tdm_server last = link->pool[--link->pool_count];
    if (link->pool_count > 0) heap_down(link->pool, link->pool_count, last);
  }
  return flow->count > 0;
}
