/* Whether an LLM server keeps up: the growth of its queue as samples, and the verdict on them. The
 * method stands in measure.h. Called by llm.c and by bind/result. */
#include "engine/measure/measure.h"

#include <math.h>

#include "base/stats.h"
#include "engine/measure/inside.h"

#define PARTS 8

/* Chances that a server that keeps up is said not to. */
#define CHANCE      1e-3 /* by a queue alone */
#define CHANCE_LOAD 0.01 /* by a load above 1, where ever more are inside as well */
#define CHANCE_BOTH 0.05 /* of growth, beside a load above 1 */
#define MUCH        1.1  /* growth of the requests inside that is worth a word */

static double seconds(int64_t ns) {
  return (double)ns / 1e9;
}

/* Slices that were over before the last request came. */
static size_t slices_of_arrivals(const tdm_tally *t) {
  size_t count = 0;
  while (count < TDM_SLICES && t->bounds_ns[count + 1] <= t->last_arrival_ns) count++;
  return count;
}

/* ---- what is looked at, in slices from … to - 1 */

/* Mean number of requests that wait at the server. */
static double waiting(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t area_ns = 0;
  for (size_t p = 0; p < server->pool_count; p++)
    for (size_t k = 0; k < server->pools[p].count; k++) {
      const tdm_station_note *notes = &t->stations[server->pools[p].stations[k] * (TDM_SLICES + 1)];
      area_ns += notes[to - 1].queue_area_ns - (from > 0 ? notes[from - 1].queue_area_ns : 0);
    }
  return (double)area_ns / (double)(t->bounds_ns[to] - t->bounds_ns[from]);
}

static const tdm_pool_note *notes_of(const tdm_llm_server *server, const tdm_tally *t, size_t p) {
  return &t->pools[(server->first_pool + p) * (TDM_SLICES + 1)];
}

/* Requests that were done by the end of a slice. */
static int64_t done(const tdm_llm_server *server, const tdm_tally *t, size_t slice) {
  int64_t sum = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_pool_note *note = &notes_of(server, t, p)[slice];
    sum += note->finished - note->handed_over;
  }
  return sum;
}

/* Mean number of requests inside at the ends of slices. */
static double inside(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t sum = 0;
  for (size_t k = from; k < to; k++) {
    const tdm_asked *asked = &notes_of(server, t, 0)[k].asked;
    sum += asked->requests - asked->left - done(server, t, k);
  }
  return (double)sum / (double)(to - from);
}

/* from > 0. */
static tdm_asked asked_in(const tdm_llm_server *server, const tdm_tally *t, size_t from,
                          size_t to) {
  const tdm_pool_note *notes = notes_of(server, t, 0);
  tdm_asked a = notes[to - 1].asked, before = notes[from - 1].asked;
  a.requests -= before.requests, a.left -= before.left;
  a.prompt_tokens -= before.prompt_tokens, a.output_tokens -= before.output_tokens;
  a.context -= before.context;
  return a;
}

/* Share of the prompt tokens that were found in caches; from > 0. */
static double cached(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t found = 0, all = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_pool_note *notes = notes_of(server, t, p);
    found += notes[to - 1].cached_tokens - notes[from - 1].cached_tokens;
    all += notes[to - 1].prompt_tokens - notes[from - 1].prompt_tokens;
  }
  return all > 0 ? (double)found / (double)all : 0;
}

/* Output tokens; from > 0. */
static double given(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t sum = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_pool_note *notes = notes_of(server, t, p);
    sum += notes[to - 1].output_tokens - notes[from - 1].output_tokens;
  }
  return (double)sum;
}

/* ---- samples */

static void add(tdm_drift *drift, double value) {
  drift->count++;
  drift->sum += value;
  drift->squares += value * value;
}

/* What was offered, against what such requests allow at most. */
static void add_load(const tdm_llm_server *server, const tdm_asked *asked, double cached_share,
                     double part_s, tdm_backlog *out) {
  if (asked->requests <= 0) {
    add(&out->load, 0);
    return;
  }
  double n = (double)asked->requests, prompt = (double)asked->prompt_tokens / n;
  double steps = (double)asked->output_tokens / n - 1;
  tdm_request_size size = {.prompt_tokens = prompt,
                           .cached_tokens = cached_share * prompt,
                           .decode_steps = steps,
                           .context = steps > 0 ? asked->context / n / steps : prompt};
  bool by_steps = false;
  double most = tdm_capability_per_s(server, &size, &by_steps);
  if (isnan(most)) return;
  add(&out->load, n / part_s / most);
  out->by_steps += by_steps;
}

tdm_backlog tdm_backlog_of(const tdm_model *model, const tdm_tally *t, size_t index) {
  const tdm_llm_server *server = &model->servers[index];
  size_t all = slices_of_arrivals(t), half = all / 2;
  size_t width = half / PARTS > 0 ? half / PARTS : 1, parts = half / width;
  tdm_backlog out = {0};
  if (parts < 3) return out;
  size_t from = all - parts * width;
  double span_s = seconds(t->bounds_ns[all] - t->bounds_ns[from]), share;
  share = cached(server, t, from, all);
  out.part_s = span_s / (double)parts;
  for (size_t i = 0; i < parts; i++) {
    size_t begin = from + i * width, end = begin + width;
    tdm_asked asked = asked_in(server, t, begin, end);
    double waits = waiting(server, t, begin, end), is_inside = inside(server, t, begin, end);
    if (i > 0) add(&out.waiting, waits - out.waiting_last);
    if (i > 0) add(&out.inside, is_inside - out.inside_last);
    if (i == 0) out.inside_first = is_inside;
    if (i == 0) out.asked_first = (double)asked.output_tokens;
    out.waiting_last = waits, out.inside_last = is_inside;
    out.asked_last = (double)asked.output_tokens;
    add_load(server, &asked, share, out.part_s, &out);
  }
  out.served_per_s = (double)(done(server, t, all - 1) - done(server, t, from - 1)) / span_s;
  out.asked_per_s = (double)asked_in(server, t, from, all).output_tokens / span_s;
  out.given_per_s = given(server, t, from, all) / span_s;
  return out;
}

static void add_drift(tdm_drift *sum, const tdm_drift *one) {
  sum->count += one->count;
  sum->sum += one->sum;
  sum->squares += one->squares;
}

void tdm_backlog_add(tdm_backlog *sum, const tdm_backlog *one) {
  add_drift(&sum->waiting, &one->waiting);
  add_drift(&sum->inside, &one->inside);
  add_drift(&sum->load, &one->load);
  sum->part_s += one->part_s;
  sum->waiting_last += one->waiting_last;
  sum->inside_first += one->inside_first;
  sum->inside_last += one->inside_last;
  sum->asked_first += one->asked_first;
  sum->asked_last += one->asked_last;
  sum->served_per_s += one->served_per_s;
  sum->asked_per_s += one->asked_per_s;
  sum->given_per_s += one->given_per_s;
  sum->by_steps += one->by_steps;
}

/* ---- the verdict */

/* The chance that values of mean `least` or less show such a sample; 1 where it does not suffice.
 */
static double chance(const tdm_drift *s, double least) {
  if (s->count < 2) return 1;
  double n = (double)s->count, mean = s->sum / n;
  double variance = fmax(0, (s->squares - n * mean * mean) / (n - 1));
  if (!(mean > least)) return 1;
  if (variance == 0) return 0;
  return 1 - tdm_student_cdf((mean - least) / sqrt(variance / n), n - 1);
}

static double load_of_queue(const tdm_backlog *s, double runs) {
  double growth_per_s = s->waiting.sum / (double)s->waiting.count / (s->part_s / runs);
  double served_per_s = s->served_per_s / runs;
  if (!(served_per_s > 0) || !(s->given_per_s > 0)) return HUGE_VAL;
  /* Where few wait, the queue being inside the batch, tokens that are asked for and given say more
   * than how the queue grows. */
  return fmax(1 + growth_per_s / served_per_s, s->asked_per_s / s->given_per_s);
}

/* By more than what is asked for does. */
static bool grows_much(const tdm_backlog *s) {
  double asked = s->asked_first > 0 ? s->asked_last / s->asked_first : 1;
  return s->inside_last > MUCH * fmax(1, asked) * s->inside_first;
}

tdm_backlog_verdict tdm_backlog_judge(const tdm_backlog *s, double runs, double replicas) {
  tdm_backlog_verdict v = {.load = NAN,
                           .inside_first = s->inside_first / runs,
                           .inside_last = s->inside_last / runs,
                           .by_steps = 2 * s->by_steps > (double)s->load.count};
  bool known = s->load.count > 0;
  if (known) v.load = s->load.sum / (double)s->load.count;
  double grows = chance(&s->inside, 0);
  bool many = s->inside_last >= 2 * runs * replicas;
  bool runs_over = many && grows <= CHANCE_BOTH && chance(&s->load, 1) <= CHANCE_LOAD;
  /* A queue that is mostly empty is none, however sure its growth. */
  bool waits = s->waiting_last >= runs * replicas && chance(&s->waiting, 0) <= CHANCE;
  if (runs_over && (!waits || (v.by_steps && 2 * s->waiting_last < s->inside_last))) {
    v.state = TDM_BACKLOG_INSIDE;
  } else if (waits) {
    v.state = TDM_BACKLOG_WAITS;
    if (!(v.by_steps && v.load > 1)) v.load = load_of_queue(s, runs);
  } else if (many && ((grows <= CHANCE && grows_much(s)) || (grows <= CHANCE_BOTH && v.load > 1))) {
    v.state = TDM_BACKLOG_UNSURE;
  }
  return v;
}
