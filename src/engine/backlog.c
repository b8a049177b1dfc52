#include "engine/backlog.h"

#include <math.h>

#include "base/stats.h"

#define PARTS 8

static double seconds(int64_t ns) {
  return (double)ns / 1e9;
}

/* Slices that were over before the last request came. */
static size_t slices_of_arrivals(const tdm_tally *t) {
  size_t count = 0;
  while (count < TDM_SLICES && t->bounds_ns[count + 1] <= t->last_arrival_ns) count++;
  return count;
}

/* Mean number of requests that wait at the server in slices from … to - 1. */
static double waiting(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t area_ns = 0;
  for (size_t p = 0; p < server->pool_count; p++)
    for (size_t k = 0; k < server->pools[p].count; k++) {
      const tdm_station_note *notes = &t->stations[server->pools[p].stations[k] * (TDM_SLICES + 1)];
      area_ns += notes[to - 1].queue_area_ns - (from > 0 ? notes[from - 1].queue_area_ns : 0);
    }
  return (double)area_ns / (double)(t->bounds_ns[to] - t->bounds_ns[from]);
}

/* Requests that were done in slices from … to - 1; from > 0. */
static int64_t served(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to) {
  int64_t sum = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_pool_note *notes = &t->pools[(server->first_pool + p) * (TDM_SLICES + 1)];
    sum += notes[to - 1].finished - notes[from - 1].finished;
    sum -= notes[to - 1].handed_over - notes[from - 1].handed_over;
  }
  return sum;
}

/* Output tokens in slices from … to - 1; from > 0. */
static void count_tokens(const tdm_llm_server *server, const tdm_tally *t, size_t from, size_t to,
                         double span_s, tdm_backlog *out) {
  int64_t asked = 0, given = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_pool_note *notes = &t->pools[(server->first_pool + p) * (TDM_SLICES + 1)];
    asked += notes[to - 1].asked_tokens - notes[from - 1].asked_tokens;
    given += notes[to - 1].output_tokens - notes[from - 1].output_tokens;
  }
  out->asked_per_s = (double)asked / span_s;
  out->given_per_s = (double)given / span_s;
}

tdm_backlog tdm_backlog_of(const tdm_model *model, const tdm_tally *t, size_t index) {
  const tdm_llm_server *server = &model->servers[index];
  size_t all = slices_of_arrivals(t), half = all / 2;
  size_t width = half / PARTS > 0 ? half / PARTS : 1, parts = half / width;
  tdm_backlog out = {0};
  if (parts < 3) return out;
  size_t from = all - parts * width;
  double before = waiting(server, t, from, from + width);
  for (size_t i = 1; i < parts; i++) {
    double now = waiting(server, t, from + i * width, from + (i + 1) * width);
    out.sum += now - before;
    out.squares += (now - before) * (now - before);
    before = now;
  }
  double span_s = seconds(t->bounds_ns[all] - t->bounds_ns[from]);
  out.count = parts - 1;
  out.part_s = span_s / (double)parts;
  out.waiting = before;
  out.served_per_s = (double)served(server, t, from, all) / span_s;
  count_tokens(server, t, from, all, span_s, &out);
  return out;
}

void tdm_backlog_add(tdm_backlog *sum, const tdm_backlog *one) {
  sum->count += one->count;
  sum->sum += one->sum;
  sum->squares += one->squares;
  sum->part_s += one->part_s;
  sum->waiting += one->waiting;
  sum->served_per_s += one->served_per_s;
  sum->asked_per_s += one->asked_per_s;
  sum->given_per_s += one->given_per_s;
}

double tdm_backlog_chance(const tdm_backlog *s) {
  if (s->count < 2) return 1;
  double n = (double)s->count, mean = s->sum / n;
  double variance = fmax(0, (s->squares - n * mean * mean) / (n - 1));
  if (!(mean > 0)) return 1;
  if (variance == 0) return 0;
  return 1 - tdm_student_cdf(mean / sqrt(variance / n), n - 1);
}
