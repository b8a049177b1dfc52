/* Tally → measure: cuts the warm-up off, turns sums into means; LLM servers are llm.c's.
 * Owns nothing. Called by parallel/replicate on the thread that ran the replication. */
#include "engine/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/measure/inside.h"

const double tdm_quantile_levels[TDM_QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};
const double tdm_llm_levels[TDM_LLM_LEVELS] = {0.01, 0.05, 0.1, 0.15, 0.2,  0.25, 0.3, 0.35,
                                               0.4,  0.45, 0.5, 0.55, 0.6,  0.65, 0.7, 0.75,
                                               0.8,  0.85, 0.9, 0.95, 0.99, 0.999};

static void take_stages(const tdm_tally *t, uint32_t from, tdm_measure *m) {
  for (size_t i = 0; i < t->stage_count; i++) {
    const tdm_stage_note *notes = &t->stages[i * (t->lean ? 2 : TDM_SLICES + 1)];
    uint32_t first = t->lean ? 1 : from; /* among the notes */
    uint32_t last = t->lean ? 1 : TDM_SLICES;
    tdm_stage_note start = from > 0 ? notes[first - 1] : (tdm_stage_note){0};
    const tdm_stage_note *end = &notes[last]; /* all who came are served in the end */
    tdm_stage_measure *out = &m->stages[i];
    out->visits = end->visits - start.visits;
    out->delayed = end->delayed - start.delayed;
    out->batches = end->batches - start.batches;
    out->wait_s =
        tdm_measure_ratio(tdm_measure_seconds(end->wait_ns - start.wait_ns), (double)out->visits);
    out->service_s = tdm_measure_ratio(tdm_measure_seconds(end->service_ns - start.service_ns),
                                       (double)out->visits);
    int64_t max_ns = 0;
    for (uint32_t k = first; k <= last; k++)
      if (notes[k].max_wait_ns > max_ns) max_ns = notes[k].max_wait_ns;
    out->max_wait_s = tdm_measure_seconds(max_ns);
  }
}

/* Classes may share a stage's batches, each of which is counted where its leader is. */
static tdm_status take_batches(const tdm_model *model, tdm_measure *m, tdm_error *error) {
  typedef struct {
    uint64_t visits, batches;
  } shared;
  shared *all = tdm_array_new(model->batcher_count + 1, sizeof *all);
  if (all == NULL) return tdm_error_memory(error, "batches", model->batcher_count * sizeof *all);
  for (size_t i = 0; i < m->stage_count; i++) {
    shared *of = &all[model->stages[i].batcher];
    of->visits += m->stages[i].visits;
    of->batches += m->stages[i].batches;
  }
  for (size_t i = 0; i < m->stage_count; i++) {
    const shared *of = &all[model->stages[i].batcher];
    m->stages[i].batch_size = tdm_measure_ratio((double)of->visits, (double)of->batches);
  }
  free(all);
  return TDM_OK;
}

static void take_stations(const tdm_model *model, const tdm_tally *t, uint32_t from,
                          tdm_measure *m) {
  double window_s = tdm_measure_seconds(t->window_ns - t->bounds_ns[from]);
  bool open_ended = tdm_tally_open_ended(model);
  double arriving_s = tdm_measure_seconds(open_ended ? t->last_arrival_ns : t->window_ns);
  for (size_t i = 0; i < t->station_count; i++) {
    const tdm_station *station = &model->stations[i];
    const tdm_station_note *notes = &t->stations[i * (TDM_SLICES + 1)];
    tdm_station_note start = from > 0 ? notes[from - 1] : (tdm_station_note){0};
    const tdm_station_note *end = &notes[TDM_SLICES - 1];
    bool shared = station->discipline == TDM_PS;
    /* An unlimited station has no capacity: its utilization is the mean number at work. */
    double servers = shared || station->servers == TDM_UNLIMITED ? 1 : (double)station->servers;
    double capacity_s = servers * window_s;
    tdm_station_measure *out = &m->stations[i];
    out->utilization =
        tdm_measure_share(tdm_measure_seconds(end->busy_area_ns - start.busy_area_ns), capacity_s);
    out->queue =
        tdm_measure_share(tdm_measure_seconds(end->queue_area_ns - start.queue_area_ns), window_s);
    out->down =
        tdm_measure_share(tdm_measure_seconds(end->down_area_ns - start.down_area_ns), window_s);
    if (tdm_model_comes_and_goes(model, i))
      m->gpus_mean +=
          tdm_measure_share(tdm_measure_seconds(end->held_area_ns - start.held_area_ns), window_s);
    /* All the work that came in the whole window was done by the end of the drain. */
    out->offered = tdm_measure_ratio(tdm_measure_seconds(notes[TDM_SLICES].busy_area_ns),
                                     servers * arriving_s);
  }
  for (size_t i = 0; i < t->memory_count; i++) {
    const tdm_memory_note *notes = &t->memories[i * (TDM_SLICES + 1)];
    tdm_memory_note start = from > 0 ? notes[from - 1] : (tdm_memory_note){0};
    const tdm_memory_note *end = &notes[TDM_SLICES - 1];
    m->memories[i].utilization =
        tdm_measure_share(end->held_area - start.held_area, window_s * model->memories[i].bytes);
    m->memories[i].queue =
        tdm_measure_share(tdm_measure_seconds(end->queue_area_ns - start.queue_area_ns), window_s);
  }
}

static void take_links(const tdm_model *model, const tdm_tally *t, uint32_t from, tdm_measure *m) {
  double window_s = tdm_measure_seconds(t->window_ns - t->bounds_ns[from]);
  double arriving_s =
      tdm_measure_seconds(tdm_tally_open_ended(model) ? t->last_arrival_ns : t->window_ns);
  for (size_t i = 0; i < t->link_count; i++) {
    const double *moved = &t->links[i * (TDM_SLICES + 1)];
    double bandwidth = model->links[i].bandwidth;
    m->links[i].utilization = tdm_measure_share(
        moved[TDM_SLICES - 1] - (from > 0 ? moved[from - 1] : 0), bandwidth * window_s);
    m->links[i].offered = tdm_measure_ratio(moved[TDM_SLICES], bandwidth * arriving_s);
  }
}

/* Does the number inside keep growing? Compares the window's last quarter with its second. */
static double growth(const tdm_tally *t) {
  const int quarter = TDM_SLICES / 4;
  double early =
      tdm_measure_seconds(t->in_system_ns[2 * quarter - 1] - t->in_system_ns[quarter - 1]);
  double late =
      tdm_measure_seconds(t->in_system_ns[TDM_SLICES - 1] - t->in_system_ns[3 * quarter - 1]);
  double early_s = tdm_measure_seconds(t->bounds_ns[2 * quarter] - t->bounds_ns[quarter]);
  double late_s = tdm_measure_seconds(t->bounds_ns[TDM_SLICES] - t->bounds_ns[3 * quarter]);
  return tdm_measure_ratio(tdm_measure_ratio(late, late_s), tdm_measure_ratio(early, early_s));
}

static void take_series(const tdm_model *model, const tdm_tally *t, tdm_measure *m) {
  for (uint32_t k = 0; k < TDM_SLICES; k++) {
    double width_s = tdm_measure_seconds(t->bounds_ns[k + 1] - t->bounds_ns[k]);
    double arrived = 0, completed = 0, latency_s = 0;
    for (size_t c = 0; c < t->class_count; c++) {
      const tdm_class_slice *slice = &t->classes[c * TDM_SLICES + k];
      arrived += (double)slice->arrived;
      completed += (double)slice->completed;
      latency_s += tdm_measure_seconds(slice->latency_ns);
    }
    uint64_t finished = t->finished[k] - (k > 0 ? t->finished[k - 1] : 0);
    int64_t inside = t->in_system_ns[k] - (k > 0 ? t->in_system_ns[k - 1] : 0);
    tdm_measure_series(m, TDM_SERIES_ARRIVED)[k] = arrived;
    tdm_measure_series(m, TDM_SERIES_FINISHED)[k] = (double)finished;
    tdm_measure_series(m, TDM_SERIES_IN_SYSTEM)[k] =
        tdm_measure_ratio(tdm_measure_seconds(inside), width_s);
    tdm_measure_series(m, TDM_SERIES_LATENCY)[k] = tdm_measure_ratio(latency_s, completed);
    for (size_t i = 0; i < t->station_count; i++) {
      const tdm_station_note *note = &t->stations[i * (TDM_SLICES + 1) + k];
      tdm_station_note before = k > 0 ? note[-1] : (tdm_station_note){0};
      const tdm_station *station = &model->stations[i];
      bool one = station->discipline == TDM_PS || station->servers == TDM_UNLIMITED;
      double servers = one ? 1 : (double)station->servers;
      tdm_measure_series(m, TDM_SERIES_SYSTEM + 2 * i)[k] = tdm_measure_ratio(
          tdm_measure_seconds(note->busy_area_ns - before.busy_area_ns), servers * width_s);
      tdm_measure_series(m, TDM_SERIES_SYSTEM + 2 * i + 1)[k] = tdm_measure_ratio(
          tdm_measure_seconds(note->queue_area_ns - before.queue_area_ns), width_s);
    }
    for (size_t i = 0; i < model->server_count; i++) tdm_measure_server_slice(model, t, i, k, m);
  }
}

/* The books: what came in has gone out or is inside, and ∫L dt equals the sojourns it is made of.
 */
static void check_books(const tdm_tally *t, tdm_measure *m) {
  uint64_t arrived = 0, left = 0, finished = 0, ended_early = 0;
  int64_t latency_ns = 0;
  for (size_t i = 0; i < t->class_count * TDM_SLICES; i++) {
    const tdm_class_slice *slice = &t->classes[i];
    arrived += slice->arrived;
    finished += slice->completed;
    ended_early += slice->dropped + slice->abandoned + slice->timed_out;
    latency_ns += slice->latency_ns;
  }
  left = finished + ended_early + t->open;
  m->conserved = arrived == left && finished == t->finished[TDM_SLICES];
  m->little_error = 0;
  if (t->open == 0 && ended_early == 0 && latency_ns > 0)
    m->little_error = fabs((double)t->in_system_ns[TDM_SLICES] / (double)latency_ns - 1);
}

static tdm_status take_latencies(const tdm_tally *t, tdm_cut *cut, tdm_measure *m,
                                 tdm_error *error) {
  bool one = t->class_count == 1, room = true;
  for (size_t c = 0; c < t->class_count && room; c++)
    room = tdm_latency_take(t, c, 1, cut, one ? &m->latency : &cut->whole, &m->classes[c]);
  if (room && one)
    m->all = m->classes[0];
  else if (room)
    room = tdm_latency_take(t, 0, t->class_count, cut, &m->latency, &m->all);
  room = room && tdm_latency_series(t, &cut->whole, tdm_measure_series(m, TDM_SERIES_LATENCY_99));
  return room ? TDM_OK : tdm_error_memory(error, "latencies", TDM_EXACT_LIMIT * sizeof(int64_t));
}

#define SMOOTH_MOST    512u
#define SMOOTH_SERVER  8u  /* of several */
#define SMOOTH_SHARING 16u /* where requests share a server */

static size_t most_of(size_t a, size_t b) {
  return a > b ? a : b;
}

/* With many servers side by side a lone quick request says nothing of the others: an excursion has
 * ended when some in a row for each server were quick together. */
static size_t smooth_of(const tdm_model *model) {
  size_t most = 1;
  for (size_t i = 0; i < model->station_count; i++) {
    const tdm_station *s = &model->stations[i];
    if (s->servers == 1 && s->discipline != TDM_PS) continue;
    if (s->discipline == TDM_PS || s->link != TDM_NO_INDEX)
      most = most_of(most, SMOOTH_SHARING);
    else if (s->servers != TDM_UNLIMITED && s->servers < SMOOTH_MOST)
      most = most_of(most, SMOOTH_SERVER * s->servers);
  }
  for (size_t i = 0; i < model->group_count; i++)
    if (model->groups[i].count > 1) most = most_of(most, SMOOTH_SERVER * model->groups[i].count);
  for (size_t i = 0; i < model->server_count; i++)
    most = most_of(most, SMOOTH_SHARING * model->servers[i].count);
  return most < SMOOTH_MOST ? most : SMOOTH_MOST;
}

tdm_status tdm_measure_take(const tdm_model *model, tdm_tally *t, int64_t warmup_ns,
                            uint32_t replications, tdm_measure *m, tdm_error *error) {
  *m = (tdm_measure){.window_ns = t->window_ns,
                     .end_ns = t->end_ns,
                     .events = t->events,
                     .open = t->open,
                     .series_batches = t->series.count,
                     .interrupted = t->interrupted,
                     .gpus_peak = t->gpus_peak,
                     .slice_ns = t->slice_ns,
                     .class_count = t->class_count,
                     .stage_count = t->stage_count,
                     .station_count = t->station_count,
                     .memory_count = t->memory_count,
                     .link_count = t->link_count,
                     .server_count = model->server_count};
  tdm_cut cut = {.replications = replications, .smooth = smooth_of(model)};
  m->classes = tdm_array_new(t->class_count, sizeof *m->classes);
  m->stages = tdm_array_new(t->stage_count, sizeof *m->stages);
  m->stations = tdm_array_new(t->station_count, sizeof *m->stations);
  m->memories = tdm_array_new(t->memory_count, sizeof *m->memories);
  m->links = tdm_array_new(t->link_count, sizeof *m->links);
  m->servers = tdm_array_new(model->server_count, sizeof *m->servers);
  m->series = tdm_array_new(tdm_measure_llm_series(m, model->server_count, 0) * TDM_SLICES,
                            sizeof *m->series);
  tdm_status status = tdm_histogram_new(&m->latency, error);
  if (status == TDM_OK) status = tdm_histogram_new(&cut.whole, error);
  if (status == TDM_OK && tdm_sections_each(replications) > 1)
    status = tdm_histogram_new(&cut.part, error);
  if (status == TDM_OK &&
      (m->classes == NULL || m->stages == NULL || m->stations == NULL || m->memories == NULL ||
       m->links == NULL || m->servers == NULL || m->series == NULL))
    status = tdm_error_memory(error, "measures", t->stage_count * sizeof *m->stages);
  if (status == TDM_OK) {
    uint32_t from = tdm_tally_from(t, warmup_ns);
    m->from_ns = t->bounds_ns[from];
    cut.from = from;
    status = take_latencies(t, &cut, m, error);
    if (status == TDM_OK) status = tdm_measure_servers(model, t, &cut, m, error);
    take_stages(t, from, m);
    if (status == TDM_OK) status = take_batches(model, m, error);
    take_stations(model, t, from, m);
    take_links(model, t, from, m);
    if (status == TDM_OK) status = tdm_measure_tails(model, m, error);
    m->growth = growth(t);
    take_series(model, t, m);
    check_books(t, m);
    double window_s = tdm_measure_seconds(m->window_ns - m->from_ns);
    if (tdm_tally_open_ended(model) && t->last_arrival_ns < m->window_ns)
      m->drain =
          tdm_measure_share(tdm_measure_seconds(m->window_ns - t->last_arrival_ns), window_s);
    uint64_t before = from > 0 ? t->finished[from - 1] : 0;
    m->finished_per_s = tdm_measure_ratio((double)(t->finished[TDM_SLICES - 1] - before), window_s);
    int64_t inside = t->in_system_ns[TDM_SLICES - 1] - (from > 0 ? t->in_system_ns[from - 1] : 0);
    m->in_system = tdm_measure_ratio(tdm_measure_seconds(inside), window_s);
  }
  tdm_histogram_free(&cut.whole);
  tdm_histogram_free(&cut.part);
  m->windows = t->windows;
  t->windows = NULL;
  if (status != TDM_OK) tdm_measure_free(m);
  return status;
}

void tdm_measure_free(tdm_measure *m) {
  for (size_t c = 0; m->classes != NULL && c < m->class_count; c++)
    tdm_sections_free(&m->classes[c].sections);
  if (m->class_count > 1) tdm_sections_free(&m->all.sections);
  free(m->classes);
  free(m->stages);
  free(m->stations);
  free(m->memories);
  free(m->links);
  for (size_t i = 0; m->servers != NULL && i < m->server_count; i++)
    tdm_measure_free_server(&m->servers[i]);
  free(m->servers);
  free(m->series);
  tdm_windows_free(m->windows);
  tdm_histogram_free(&m->latency);
  *m = (tdm_measure){0};
}
