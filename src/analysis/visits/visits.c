/* See visits.h. Requests one after another: their pieces in order of start go through one sweep
 * that knows until when each stage is active. */
#include "analysis/visits/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"
#include "trace/record.h"

int tdm_pieces_add(tdm_pieces *pieces, tdm_piece piece) {
  if (!tdm_array_grow(&pieces->piece, &pieces->room, pieces->count + 1, sizeof piece)) return 0;
  pieces->piece[pieces->count++] = piece;
  return 1;
}

void tdm_visits_close(tdm_visits *visits) {
  for (uint32_t s = 0; visits->stage != NULL && s < visits->stages; s++) {
    free(visits->stage[s].name);
    free(visits->stage[s].visit);
  }
  free(visits->stage);
  free(visits->order);
  free(visits->arrival_ns);
  free(visits->end_ns);
  free(visits->tail_ns);
  free(visits->given);
  *visits = (tdm_visits){0};
}

/* ---- order ---- */

/* Times as keys in their order. */
static uint64_t key_of(int64_t ns) {
  return (uint64_t)ns ^ UINT64_C(1) << 63;
}

/* Rearranges pieces by start, as they came where equal. */
static tdm_status sort_pieces(tdm_pieces *pieces, tdm_error *error) {
  bool sorted = true;
  for (size_t i = 1; i < pieces->count && sorted; i++)
    sorted = pieces->piece[i - 1].start_ns <= pieces->piece[i].start_ns;
  if (sorted) return TDM_OK;
  size_t count = pieces->count;
  uint64_t *key = tdm_array_new(count, sizeof *key);
  uint32_t *order = tdm_array_new(count, sizeof *order);
  tdm_piece *piece = tdm_array_new(count, sizeof *piece);
  tdm_status status = TDM_OK;
  if (key == NULL || order == NULL || piece == NULL)
    status = tdm_error_memory(error, "pieces of visits", count * sizeof *piece);
  for (size_t i = 0; status == TDM_OK && i < count; i++) key[i] = key_of(pieces->piece[i].start_ns);
  if (status == TDM_OK) status = tdm_order_by(key, order, count, error);
  for (size_t i = 0; status == TDM_OK && i < count; i++) piece[i] = pieces->piece[order[i]];
  free(key);
  free(order);
  if (status != TDM_OK) {
    free(piece);
    return status;
  }
  free(pieces->piece);
  pieces->piece = piece;
  pieces->room = count;
  return TDM_OK;
}

/* Requests by arrival; *rank is the position of each given one. */
static tdm_status sort_requests(const tdm_visit_input *input, tdm_visits *out, uint32_t *rank,
                                tdm_error *error) {
  size_t count = input->requests;
  uint64_t *key = tdm_array_new(count + 1, sizeof *key);
  int64_t *arrival_ns = tdm_array_new(count + 1, sizeof *arrival_ns);
  int64_t *end_ns = tdm_array_new(count + 1, sizeof *end_ns);
  tdm_status status = TDM_OK;
  if (key == NULL || arrival_ns == NULL || end_ns == NULL)
    status = tdm_error_memory(error, "requests", count * sizeof *key);
  if (status == TDM_OK) {
    for (size_t i = 0; i < count; i++) {
      arrival_ns[i] = input->arrival_ns[i];
      end_ns[i] = input->end_ns[i];
    }
    for (size_t i = 0; i < input->pieces->count; i++) {
      const tdm_piece *piece = &input->pieces->piece[i];
      if (piece->start_ns < arrival_ns[piece->request])
        arrival_ns[piece->request] = piece->start_ns;
      if (piece->end_ns > end_ns[piece->request]) end_ns[piece->request] = piece->end_ns;
    }
    for (size_t i = 0; i < count; i++) key[i] = key_of(arrival_ns[i]);
    if (count > 0) status = tdm_order_by(key, out->given, count, error);
  }
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    rank[out->given[i]] = (uint32_t)i;
    out->arrival_ns[i] = arrival_ns[out->given[i]];
    out->end_ns[i] = end_ns[out->given[i]];
    if (out->end_ns[i] < out->arrival_ns[i]) out->end_ns[i] = out->arrival_ns[i];
  }
  free(key);
  free(arrival_ns);
  free(end_ns);
  return status;
}

/* Every time that is told lies between the first arrival and the last end. */
static tdm_status check_extent(const tdm_visits *out, tdm_error *error) {
  int64_t length_ns;
  for (size_t i = 0; i < out->requests; i++)
    if (__builtin_sub_overflow(out->end_ns[i], out->arrival_ns[0], &length_ns))
      return tdm_error_set(error, TDM_INVALID,
                           "requests from %lld to %lld ns are further apart than 64 bits of "
                           "nanoseconds can tell",
                           (long long)out->arrival_ns[0], (long long)out->end_ns[i]);
  return TDM_OK;
}

/* Pieces of each request side by side, by start: first [requests + 1]. */
static void gather(const tdm_visit_input *input, const uint32_t *rank, size_t *first,
                   uint32_t *row) {
  const tdm_pieces *pieces = input->pieces;
  for (size_t i = 0; i < pieces->count; i++) first[rank[pieces->piece[i].request] + 1]++;
  for (size_t r = 0; r < input->requests; r++) first[r + 1] += first[r];
  for (size_t i = 0; i < pieces->count; i++)
    row[first[rank[pieces->piece[i].request]]++] = (uint32_t)i;
  for (size_t r = input->requests; r-- > 0;) first[r + 1] = first[r];
  first[0] = 0;
}

/* ---- the sweep of one request ---- */

/* Which stage an instant belongs to when several are active: the smaller. */
static int importance(tdm_lane lane) {
  switch (lane) {
  case TDM_LANE_GPU: return 0;
  case TDM_LANE_COMM: return 1;
  case TDM_LANE_H2D: return 2;
  case TDM_LANE_D2H: return 3;
  case TDM_LANE_CPU: return 4;
  default: return 5;
  }
}

/* What is known of a stage while a request is looked at. */
typedef struct {
  tdm_visit visit;
  bool entered;
  int64_t until_ns; /* active until then */
} standing;

typedef struct {
  const tdm_visit_input *input;
  tdm_visits *out;
  uint32_t by_rank[TDM_VISIT_STAGES]; /* stages, the most important first */
  uint32_t rank[TDM_VISIT_STAGES];    /* by stage */
  standing at[TDM_VISIT_STAGES];      /* by rank */
  const uint32_t *row;                /* the request's pieces */
  size_t rows;
  size_t first_wait; /* of its rows: what lies before has ended */
  int64_t now_ns;
} sweep;

static void rank_stages(sweep *s) {
  for (uint32_t i = 0; i < s->out->stages; i++) {
    uint32_t at = i;
    for (; at > 0 &&
           importance(s->out->stage[s->by_rank[at - 1]].lane) > importance(s->out->stage[i].lane);
         at--)
      s->by_rank[at] = s->by_rank[at - 1];
    s->by_rank[at] = i;
  }
  for (uint32_t i = 0; i < s->out->stages; i++) s->rank[s->by_rank[i]] = i;
}

/* Gives the time until a moment to the stages that are active; what is left of it is a gap. */
static void advance(sweep *s, int64_t to_ns) {
  for (uint32_t r = 0; r < s->out->stages && s->now_ns < to_ns; r++) {
    standing *at = &s->at[r];
    if (!at->entered || at->until_ns <= s->now_ns) continue;
    int64_t until_ns = at->until_ns < to_ns ? at->until_ns : to_ns;
    at->visit.own_ns += until_ns - s->now_ns;
    s->now_ns = until_ns;
  }
}

/* How much of the gap until a moment is told as a wait, for whatever; `seen` rows are past. */
static int64_t told_wait(sweep *s, size_t seen, int64_t to_ns) {
  const tdm_piece *piece = s->input->pieces->piece;
  int64_t wait_ns = 0, until_ns = s->now_ns;
  while (s->first_wait < seen && (!piece[s->row[s->first_wait]].is_wait ||
                                  piece[s->row[s->first_wait]].end_ns <= s->now_ns))
    s->first_wait++;
  for (size_t i = s->first_wait; i < seen; i++) {
    const tdm_piece *wait = &piece[s->row[i]];
    if (!wait->is_wait) continue;
    int64_t from_ns = wait->start_ns > until_ns ? wait->start_ns : until_ns;
    int64_t end_ns = wait->end_ns < to_ns ? wait->end_ns : to_ns;
    if (end_ns <= from_ns) continue;
    wait_ns += end_ns - from_ns;
    until_ns = end_ns;
  }
  return wait_ns;
}

/* The gap before the pieces at a moment is the most important stage's. */
static void close_gap(sweep *s, uint32_t rank, size_t seen, int64_t to_ns) {
  standing *at = &s->at[rank];
  int64_t gap_ns = to_ns - s->now_ns;
  if (gap_ns <= 0) return;
  int64_t wait_ns = s->input->tells_waits ? told_wait(s, seen, to_ns) : 0;
  at->visit.wait_ns += wait_ns;
  at->visit.rest_ns += gap_ns - wait_ns;
  if (!at->entered) at->visit.gap_ns = gap_ns;
  s->now_ns = to_ns;
}

static void take(sweep *s, const tdm_piece *piece) {
  standing *at = &s->at[s->rank[piece->stage]];
  if (!at->entered) {
    at->entered = true;
    at->visit.start_ns = at->visit.end_ns = at->until_ns = piece->start_ns;
    at->visit.resource = piece->resource;
  }
  if (piece->end_ns > at->until_ns) {
    int64_t from_ns = piece->start_ns > at->until_ns ? piece->start_ns : at->until_ns;
    at->visit.busy_ns += piece->end_ns - from_ns;
    at->visit.end_ns = at->until_ns = piece->end_ns;
  }
  at->visit.pieces++;
  if (piece->bytes == TDM_NONE) return;
  int64_t *bytes = &at->visit.bytes;
  if (*bytes == TDM_NONE) *bytes = 0;
  if (__builtin_add_overflow(*bytes, piece->bytes, bytes)) *bytes = INT64_MAX;
}

/* A visit of the same request that lasts through a gap holds the resource itself. */
static void forget_own_gaps(sweep *s) {
  for (uint32_t r = 0; r < s->out->stages; r++) {
    tdm_visit *visit = &s->at[r].visit;
    if (!s->at[r].entered || visit->gap_ns <= 0) continue;
    for (uint32_t k = 0; k < s->out->stages; k++) {
      const standing *other = &s->at[k];
      bool same = other->entered && other->visit.resource == visit->resource &&
                  tdm_visit_resource_lane(s->out->stage[s->by_rank[k]].lane) ==
                      tdm_visit_resource_lane(s->out->stage[s->by_rank[r]].lane);
      if (k != r && same && other->visit.start_ns < visit->start_ns &&
          other->visit.end_ns >= visit->start_ns)
        visit->gap_ns = -1;
    }
  }
}

static int put_visits(sweep *s, uint32_t request) {
  forget_own_gaps(s);
  for (uint32_t r = 0; r < s->out->stages; r++) {
    if (!s->at[r].entered) continue;
    tdm_visit_stage *stage = &s->out->stage[s->by_rank[r]];
    if (!tdm_array_grow(&stage->visit, &stage->room, stage->count + 1, sizeof *stage->visit))
      return 0;
    tdm_visit *visit = &stage->visit[stage->count++];
    *visit = s->at[r].visit;
    visit->request = request;
    stage->has_bytes = stage->has_bytes || visit->bytes != TDM_NONE;
  }
  return 1;
}

static int sweep_request(sweep *s, uint32_t request) {
  const tdm_piece *piece = s->input->pieces->piece;
  s->now_ns = s->out->arrival_ns[request];
  s->first_wait = 0;
  for (uint32_t r = 0; r < s->out->stages; r++) s->at[r] = (standing){.visit = {.bytes = TDM_NONE}};
  for (size_t i = 0; i < s->rows;) {
    int64_t start_ns = piece[s->row[i]].start_ns;
    uint32_t first = UINT32_MAX;
    size_t end = i;
    for (; end < s->rows && piece[s->row[end]].start_ns == start_ns; end++) {
      const tdm_piece *one = &piece[s->row[end]];
      if (!one->is_wait && s->rank[one->stage] < first) first = s->rank[one->stage];
    }
    if (first != UINT32_MAX) {
      advance(s, start_ns);
      close_gap(s, first, end, start_ns);
    }
    for (; i < end; i++)
      if (!piece[s->row[i]].is_wait) take(s, &piece[s->row[i]]);
  }
  advance(s, s->out->end_ns[request]);
  s->out->tail_ns[request] = s->out->end_ns[request] - s->now_ns;
  return put_visits(s, request);
}

static tdm_status sweep_all(const tdm_visit_input *input, tdm_visits *out, const uint32_t *rank,
                            tdm_error *error) {
  size_t *first = tdm_array_new(input->requests + 2, sizeof *first);
  uint32_t *row = tdm_array_new(input->pieces->count + 1, sizeof *row);
  bool done = first != NULL && row != NULL;
  sweep s = {.input = input, .out = out};
  if (done) {
    rank_stages(&s);
    gather(input, rank, first, row);
  }
  for (uint32_t r = 0; done && r < input->requests; r++) {
    s.row = row + first[r];
    s.rows = first[r + 1] - first[r];
    done = sweep_request(&s, r) != 0;
  }
  free(first);
  free(row);
  return done ? TDM_OK : tdm_error_memory(error, "visits", input->pieces->count * sizeof *row);
}

/* ---- all ---- */

/* Stages by how long after the arrival they begin; those without visits last. */
static void order_stages(tdm_visits *out) {
  for (uint32_t i = 0; i < out->stages; i++) {
    tdm_visit_stage *stage = &out->stage[i];
    double sum = 0;
    for (size_t v = 0; v < stage->count; v++)
      sum += (double)(stage->visit[v].start_ns - out->arrival_ns[stage->visit[v].request]);
    stage->mean_ns = stage->count > 0 ? sum / (double)stage->count : NAN;
    uint32_t at = i;
    for (; at > 0; at--) {
      double before = out->stage[out->order[at - 1]].mean_ns;
      if (isnan(stage->mean_ns) || before <= stage->mean_ns) break;
      out->order[at] = out->order[at - 1];
    }
    out->order[at] = i;
  }
}

static int copy_stages(const tdm_visit_input *input, tdm_visits *out) {
  for (uint32_t i = 0; i < input->stages; i++) {
    out->stage[i].lane = input->stage[i].lane;
    out->stage[i].capacity = input->stage[i].capacity;
    out->stage[i].name = tdm_string_copy(input->stage[i].name);
    if (out->stage[i].name == NULL) return 0;
  }
  return 1;
}

tdm_status tdm_visits_make(const tdm_visit_input *input, tdm_visits *out, tdm_error *error) {
  size_t requests = input->requests;
  *out = (tdm_visits){.requests = requests, .stages = input->stages};
  if (input->stages > TDM_VISIT_STAGES)
    return tdm_error_set(error, TDM_LIMIT, "%u stages; at most %d can be told apart", input->stages,
                         TDM_VISIT_STAGES);
  if (input->pieces->count >= UINT32_MAX || requests >= UINT32_MAX)
    return tdm_error_set(error, TDM_LIMIT, "more than 4 billion rows");
  out->arrival_ns = tdm_array_new(requests + 1, sizeof(int64_t));
  out->end_ns = tdm_array_new(requests + 1, sizeof(int64_t));
  out->tail_ns = tdm_array_new(requests + 1, sizeof(int64_t));
  out->given = tdm_array_new(requests + 1, sizeof(uint32_t));
  out->stage = tdm_array_new((size_t)input->stages + 1, sizeof *out->stage);
  out->order = tdm_array_new((size_t)input->stages + 1, sizeof *out->order);
  uint32_t *rank = tdm_array_new(requests + 1, sizeof *rank);
  tdm_status status = TDM_OK;
  if (out->arrival_ns == NULL || out->end_ns == NULL || out->tail_ns == NULL ||
      out->given == NULL || out->stage == NULL || out->order == NULL || rank == NULL ||
      !copy_stages(input, out))
    status = tdm_error_memory(error, "requests", requests * sizeof *rank);
  if (status == TDM_OK) status = sort_pieces(input->pieces, error);
  if (status == TDM_OK) status = sort_requests(input, out, rank, error);
  if (status == TDM_OK) status = check_extent(out, error);
  if (status == TDM_OK) status = sweep_all(input, out, rank, error);
  if (status == TDM_OK) status = tdm_visits_find_waits(out, input->tells_waits, error);
  if (status == TDM_OK) order_stages(out);
  free(rank);
  if (status != TDM_OK) tdm_visits_close(out);
  return status;
}
