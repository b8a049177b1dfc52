/* How long both, one, none of two runs were busy, and when they differed longest. See overlay.h.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/overlay/overlay.h"
#include "base/memory.h"

enum { NOBODY, REAL, SIMULATED, BOTH, STATES };

typedef struct {
  uint32_t lane;
  int who; /* REAL or SIMULATED */
  int64_t from_ns, to_ns;
} difference;

typedef struct {
  const tdm_overlaid *overlaid;
  tdm_run_view *view[STATES]; /* by who */
  tdm_answer *out;
  difference *longest; /* a heap, the shortest on top */
  size_t count, most;
} comparing;

/* ---- the longest ---- */

static int is_longer(const difference *a, const difference *b) {
  int64_t of_a = a->to_ns - a->from_ns, of_b = b->to_ns - b->from_ns;
  if (of_a != of_b) return of_a > of_b;
  if (a->from_ns != b->from_ns) return a->from_ns < b->from_ns;
  return a->lane < b->lane;
}

static void swap(difference *a, difference *b) {
  difference kept = *a;
  *a = *b;
  *b = kept;
}

static void keep(comparing *c, const difference *one) {
  difference *heap = c->longest;
  size_t at;
  if (c->count < c->most) {
    heap[at = c->count++] = *one;
    for (; at > 0 && is_longer(&heap[(at - 1) / 2], &heap[at]); at = (at - 1) / 2)
      swap(&heap[(at - 1) / 2], &heap[at]);
    return;
  }
  if (c->most == 0 || !is_longer(one, &heap[0])) return;
  heap[0] = *one;
  for (at = 0;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < c->count; child++)
      if (is_longer(&heap[least], &heap[child])) least = child;
    if (least == at) return;
    swap(&heap[at], &heap[least]);
    at = least;
  }
}

static int longest_first(const void *a, const void *b) {
  return is_longer(a, b) ? -1 : is_longer(b, a);
}

/* ---- lanes ---- */

typedef struct {
  int64_t ns[STATES];
  double real_sum, simulated_sum;   /* nanoseconds times how many */
  double real_busy, simulated_busy; /* nanoseconds */
  uint32_t real_most, simulated_most;
} totals;

/* What a lane that only one of them has does is no difference: nothing is known of the other. */
static totals count_lane(comparing *c, uint32_t lane) {
  const tdm_overlaid_lane *of = &c->overlaid->lane[lane];
  bool compared = of->real != NULL && of->simulated != NULL;
  totals sums = {0};
  difference open = {.lane = lane, .who = NOBODY};
  tdm_lane_walk walk;
  tdm_lane_part part;
  tdm_overlaid_walk(c->overlaid, lane, &walk);
  while (tdm_lane_walk_next(&walk, &part)) {
    int state = (part.a > 0 ? REAL : 0) | (part.b > 0 ? SIMULATED : 0);
    int64_t ns = part.to_ns - part.from_ns;
    sums.ns[state] += ns;
    sums.real_sum += (double)ns * part.a;
    sums.simulated_sum += (double)ns * part.b;
    sums.real_busy += (double)ns * part.busy_a;
    sums.simulated_busy += (double)ns * part.busy_b;
    if (part.a > sums.real_most) sums.real_most = part.a;
    if (part.b > sums.simulated_most) sums.simulated_most = part.b;
    if (state != open.who) {
      if (compared && (open.who == REAL || open.who == SIMULATED)) keep(c, &open);
      open.who = state;
      open.from_ns = part.from_ns;
    }
    open.to_ns = part.to_ns;
  }
  if (compared && (open.who == REAL || open.who == SIMULATED)) keep(c, &open);
  return sums;
}

enum {
  LANE,
  KIND,
  REAL_BUSY,
  SIMULATED_BUSY,
  ALIKE,
  REAL_NS,
  SIMULATED_NS,
  BOTH_NS,
  ONLY_REAL_NS,
  ONLY_SIMULATED_NS,
  NEITHER_NS,
  REAL_MEAN,
  SIMULATED_MEAN,
  REAL_MOST,
  SIMULATED_MOST
};
static const tdm_field lane_fields[] = {
    {"lane", TDM_FIELD_TEXT},           {"kind", TDM_FIELD_TEXT},
    {"real_busy", TDM_FIELD_REAL},      {"simulated_busy", TDM_FIELD_REAL},
    {"alike", TDM_FIELD_REAL},          {"real_ns", TDM_FIELD_INT},
    {"simulated_ns", TDM_FIELD_INT},    {"both_ns", TDM_FIELD_INT},
    {"only_real_ns", TDM_FIELD_INT},    {"only_simulated_ns", TDM_FIELD_INT},
    {"neither_ns", TDM_FIELD_INT},      {"real_mean", TDM_FIELD_REAL},
    {"simulated_mean", TDM_FIELD_REAL}, {"real_most", TDM_FIELD_INT},
    {"simulated_most", TDM_FIELD_INT}};

/* What only one of the runs has is compared with nothing. */
static void add_lane(comparing *c, tdm_frame *frame, uint32_t index) {
  const tdm_overlaid_lane *lane = &c->overlaid->lane[index];
  totals sums = count_lane(c, index);
  double frame_ns = (double)(c->overlaid->to_ns - c->overlaid->from_ns);
  int64_t any_ns = sums.ns[REAL] + sums.ns[SIMULATED] + sums.ns[BOTH];
  tdm_frame_row(frame);
  tdm_frame_text(frame, LANE, lane->label);
  tdm_frame_name(frame, KIND, tdm_lane_name(lane->lane));
  if (lane->real != NULL) {
    tdm_frame_real(frame, REAL_BUSY, sums.real_busy / frame_ns);
    tdm_frame_int(frame, REAL_NS, (int64_t)(sums.real_busy + 0.5));
    tdm_frame_real(frame, REAL_MEAN, sums.real_sum / frame_ns);
    tdm_frame_int(frame, REAL_MOST, sums.real_most);
  }
  if (lane->simulated != NULL) {
    tdm_frame_real(frame, SIMULATED_BUSY, sums.simulated_busy / frame_ns);
    tdm_frame_int(frame, SIMULATED_NS, (int64_t)(sums.simulated_busy + 0.5));
    tdm_frame_real(frame, SIMULATED_MEAN, sums.simulated_sum / frame_ns);
    tdm_frame_int(frame, SIMULATED_MOST, sums.simulated_most);
  }
  if (lane->real == NULL || lane->simulated == NULL) return;
  if (any_ns > 0) tdm_frame_real(frame, ALIKE, (double)sums.ns[BOTH] / (double)any_ns);
  tdm_frame_int(frame, BOTH_NS, sums.ns[BOTH]);
  tdm_frame_int(frame, ONLY_REAL_NS, sums.ns[REAL]);
  tdm_frame_int(frame, ONLY_SIMULATED_NS, sums.ns[SIMULATED]);
  tdm_frame_int(frame, NEITHER_NS, sums.ns[NOBODY]);
}

/* ---- what ran ---- */

typedef struct {
  int64_t name, ns;
} piece;

static int by_name(const void *a, const void *b) {
  int64_t x = ((const piece *)a)->name, y = ((const piece *)b)->name;
  return x < y ? -1 : x > y;
}

/* The pieces of a set's lane within a time of its own clock; NULL: out of memory. */
static piece *pieces_within(const tdm_lane_set *set, const tdm_lane_rows *lane, int64_t from_ns,
                            int64_t to_ns, size_t *count) {
  piece *out = NULL;
  size_t room = 0;
  *count = 0;
  if (!tdm_array_grow(&out, &room, 1, sizeof *out)) return NULL;
  for (size_t r = lane->first; r < lane->first + lane->count && set->start_ns[r] < to_ns; r++) {
    if (set->end_ns[r] <= from_ns || set->end_ns[r] == set->start_ns[r]) continue;
    if (!tdm_array_grow(&out, &room, *count + 1, sizeof *out)) {
      free(out);
      return NULL;
    }
    int64_t start_ns = set->start_ns[r] > from_ns ? set->start_ns[r] : from_ns;
    int64_t end_ns = set->end_ns[r] < to_ns ? set->end_ns[r] : to_ns;
    out[(*count)++] = (piece){set->name != NULL ? set->name[r] : 0, end_ns - start_ns};
  }
  return out;
}

/* The name with most of the time; the first of equal ones. */
static int64_t leading_name(piece *pieces, size_t count) {
  int64_t best = TDM_NONE, most_ns = -1;
  if (count > 0) qsort(pieces, count, sizeof *pieces, by_name);
  for (size_t i = 0; i < count;) {
    int64_t ns = 0;
    size_t next = i;
    for (; next < count && pieces[next].name == pieces[i].name; next++) ns += pieces[next].ns;
    if (ns > most_ns) {
      most_ns = ns;
      best = pieces[i].name;
    }
    i = next;
  }
  return best;
}

enum { D_LANE, D_WHO, D_FROM_NS, D_TO_NS, D_TIME_NS, D_SPANS, D_RAN };
static const tdm_field difference_fields[] = {{"lane", TDM_FIELD_TEXT},   {"busy", TDM_FIELD_TEXT},
                                              {"from_ns", TDM_FIELD_INT}, {"to_ns", TDM_FIELD_INT},
                                              {"time_ns", TDM_FIELD_INT}, {"spans", TDM_FIELD_INT},
                                              {"ran", TDM_FIELD_TEXT}};

static tdm_status add_difference(comparing *c, tdm_frame *frame, const difference *one,
                                 tdm_error *error) {
  const tdm_overlaid *overlaid = c->overlaid;
  const tdm_overlaid_lane *lane = &overlaid->lane[one->lane];
  bool real = one->who == REAL;
  const tdm_lane_set *set = real ? overlaid->real : overlaid->simulated;
  int64_t from_ns = real ? one->from_ns : tdm_clock_back(&overlaid->clock, one->from_ns);
  int64_t to_ns = real ? one->to_ns : tdm_clock_back(&overlaid->clock, one->to_ns);
  size_t count;
  piece *pieces = pieces_within(set, real ? lane->real : lane->simulated, from_ns, to_ns, &count);
  if (pieces == NULL) return tdm_error_memory(error, "rows of a lane", 0);
  tdm_run_view *view = c->view[one->who];
  tdm_frame_row(frame);
  tdm_frame_text(frame, D_LANE, lane->label);
  tdm_frame_name(frame, D_WHO, real ? "real" : "simulated");
  tdm_frame_int(frame, D_FROM_NS, one->from_ns);
  tdm_frame_int(frame, D_TO_NS, one->to_ns);
  tdm_frame_int(frame, D_TIME_NS, one->to_ns - one->from_ns);
  tdm_frame_int(frame, D_SPANS, (int64_t)count);
  if (view != NULL && set->name != NULL && count > 0)
    tdm_frame_text(frame, D_RAN, tdm_run_view_name(view, leading_name(pieces, count)));
  free(pieces);
  return TDM_OK;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

tdm_status tdm_overlaid_answer(const tdm_overlaid *overlaid, tdm_run_view *real,
                               tdm_run_view *simulated, size_t most, tdm_answer *out,
                               tdm_error *error) {
  comparing c = {.overlaid = overlaid,
                 .view = {[REAL] = real, [SIMULATED] = simulated},
                 .out = out,
                 .longest = tdm_array_new(most + 1, sizeof *c.longest),
                 .most = most};
  if (c.longest == NULL) return tdm_error_memory(error, "differences", most);
  tdm_frame *frame = tdm_answer_frame(out, "lanes", lane_fields, COUNT(lane_fields));
  for (uint32_t i = 0; i < overlaid->lanes; i++) add_lane(&c, frame, i);
  if (c.count > 0) qsort(c.longest, c.count, sizeof *c.longest, longest_first);
  frame = tdm_answer_frame(out, "differences", difference_fields, COUNT(difference_fields));
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < c.count; i++)
    status = add_difference(&c, frame, &c.longest[i], error);
  free(c.longest);
  return status;
}
