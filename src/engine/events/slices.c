/* What a replication counts as it goes: the tally's slices and windows of time, and the requests
 * that were served in them.
 *
 * Areas (∫ count dt) are kept as ±time sums: an entry subtracts its time, a departure adds it, so
 * that area(t) = sum + count·t, exact in integers and free of multiplications on the way. Sums are
 * unsigned because they wrap. Says nothing to the sink (record.c). Called by engine.c, open.c and
 * wherever the block of departures is full. */
#include "base/histogram.h"
#include "base/memory.h"
#include "engine/events/llm.h"

/* What ends next: the slice or the window. */
static void next_bound(tdm_engine *e) {
  const tdm_windows *windows = e->tally->windows;
  e->window_end_ns = windows != NULL ? tdm_windows_bound_ns(windows) : INT64_MAX;
  e->bound_ns = e->slice_end_ns < e->window_end_ns ? e->slice_end_ns : e->window_end_ns;
}

tdm_status tdm_slices_open(tdm_engine *e) {
  e->slice_end_ns = e->tally->bounds_ns[1];
  next_bound(e);
  e->departures = tdm_array_new(TDM_DEPARTURES, sizeof *e->departures);
  if (e->departures == NULL)
    return tdm_error_memory(e->error, "departures", TDM_DEPARTURES * sizeof *e->departures);
  return TDM_OK;
}

static tdm_station_note areas_of(const tdm_engine *e, size_t index, int64_t at_ns) {
  const tdm_station_run *st = &e->stations[index];
  uint64_t now = (uint64_t)at_ns;
  tdm_station_note note = {.queue_area_ns = (int64_t)(st->queue_sum + st->waiting * now),
                           .busy_area_ns = (int64_t)(st->busy_sum + st->busy * now),
                           .down_area_ns = (int64_t)(st->down_sum + st->down * now)};
  uint32_t gpu = st->station->gpu;
  if (gpu != TDM_NO_INDEX)
    note.held_area_ns = (int64_t)(e->gpus[gpu].held_sum + e->gpus[gpu].held * now);
  if (st->discipline == TDM_PS)
    note.busy_area_ns = (int64_t)(st->active_sum + (st->job_count > 0) * now);
  return note;
}

static void note_window(tdm_engine *e, int64_t at_ns) {
  tdm_station_note *notes = tdm_windows_note(e->tally->windows);
  if (notes == NULL) {
    tdm_engine_fail(e, TDM_MEMORY, "out of memory: windows of time");
    return;
  }
  for (size_t i = 0; i < e->tally->station_count; i++) notes[i] = areas_of(e, i, at_ns);
}

static void note_at(tdm_engine *e, uint32_t k, int64_t at_ns) {
  tdm_tally *t = e->tally;
  for (size_t i = 0; i < t->stage_count; i++) {
    tdm_tally_note_stage(t, i, k, &e->stages[i].note);
    e->stages[i].note.max_wait_ns = 0;
  }
  for (size_t i = 0; i < t->station_count; i++) {
    t->stations[i * (TDM_SLICES + 1) + k] = areas_of(e, i, at_ns);
  }
  for (size_t i = 0; i < t->link_count; i++) {
    const tdm_link_run *link = &e->links[i];
    double rate = 0;
    for (size_t f = 0; f < link->count; f++) rate += link->flows[f].rate;
    t->links[i * (TDM_SLICES + 1) + k] = link->moved + rate * (double)(at_ns - link->at_ns) * 1e-9;
  }
  for (size_t i = 0; i < t->memory_count; i++) {
    const tdm_memory_run *memory = &e->memories[i];
    t->memories[i * (TDM_SLICES + 1) + k] = (tdm_memory_note){
        .held_area = (memory->area + memory->held * (double)(at_ns - memory->at_ns)) * 1e-9,
        .queue_area_ns = (int64_t)(memory->queue_sum + memory->waiting * (uint64_t)at_ns)};
  }
  tdm_books_note(e, k, at_ns);
  t->finished[k] = e->finished;
  t->in_system_ns[k] = (int64_t)(e->in_system_sum + e->in_system * (uint64_t)at_ns);
}

/* The run's length is known only by its requests: the last slice then lasts until the end. */
static bool last_slice_open(const tdm_engine *e) {
  return tdm_tally_open_ended(e->model) && !e->grows;
}

/* The run has outgrown its slices: half as many, twice as wide. */
static void widen(tdm_engine *e) {
  tdm_slices_departures(e);
  tdm_tally_widen(e->tally);
  for (size_t i = 0; i < e->request_count; i++) e->requests[i].slice /= 2;
  e->slice = TDM_SLICES / 2;
  e->arrival_slice /= 2;
  e->arrival_slice_end_ns = e->tally->bounds_ns[e->arrival_slice + 1];
}

static void end_slice(tdm_engine *e) {
  note_at(e, e->slice, e->bound_ns);
  e->slice++;
  if (e->slice == TDM_SLICES && e->grows) widen(e);
  if (e->slice >= TDM_SLICES || (e->slice == TDM_SLICES - 1 && last_slice_open(e)))
    e->slice_end_ns = INT64_MAX;
  else
    e->slice_end_ns = e->tally->bounds_ns[e->slice + 1];
}

void tdm_slices_next(tdm_engine *e) {
  if (e->bound_ns == e->window_end_ns) note_window(e, e->bound_ns);
  if (e->bound_ns == e->slice_end_ns) end_slice(e);
  next_bound(e);
}

/* The windows of what remains: to the end of the arrivals, or of the run where none is known. */
static void close_windows(tdm_engine *e) {
  tdm_windows *w = e->tally->windows;
  if (w == NULL) return;
  if (w->end_ns == INT64_MAX || e->tally->interrupted) w->end_ns = e->now_ns;
  for (int64_t end_ns; (end_ns = tdm_windows_bound_ns(w)) != INT64_MAX && e->status == TDM_OK;)
    note_window(e, end_ns);
}

void tdm_slices_close(tdm_engine *e) {
  tdm_tally *t = e->tally;
  tdm_slices_departures(e);
  t->end_ns = e->now_ns;
  t->open = e->in_system;
  bool bounded = !tdm_tally_open_ended(e->model) && !t->interrupted;
  t->window_ns = bounded ? t->bounds_ns[TDM_SLICES] : e->now_ns;
  /* A bounded run has noted, or notes now, every slice of its window; an open one ends here and
   * its remaining slices are empty. */
  while (e->slice < TDM_SLICES) {
    int64_t end_ns = bounded ? t->bounds_ns[e->slice + 1] : e->now_ns;
    if (!bounded && e->slice < TDM_SLICES - 1 && t->bounds_ns[e->slice + 1] < e->now_ns)
      end_ns = t->bounds_ns[e->slice + 1];
    t->bounds_ns[e->slice + 1] = end_ns;
    note_at(e, e->slice++, end_ns);
  }
  note_at(e, TDM_SLICES, e->now_ns > t->window_ns ? e->now_ns : t->window_ns);
  close_windows(e);
}

void tdm_slices_departures(tdm_engine *e) {
  for (size_t i = 0; i < e->departure_count; i++) {
    const tdm_departure *d = &e->departures[i];
    tdm_class_slice *slice = tdm_tally_slice(e->tally, d->class_index, d->slice);
    if (!tdm_tally_latency(e->tally, d->class_index, d->slice, d->latency_ns)) {
      tdm_engine_fail(e, TDM_MEMORY, "out of memory: latency histogram");
      break;
    }
    const tdm_class *class = &e->model->classes[d->class_index];
    bool good = !d->late && d->latency_ns <= class->slo_ns;
    if (e->tally->windows != NULL && !tdm_windows_served(e->tally->windows, class, d->class_index,
                                                         d->arrival_ns, d->latency_ns, good)) {
      tdm_engine_fail(e, TDM_MEMORY, "out of memory: windows of time");
      break;
    }
    slice->completed++;
    slice->latency_ns += d->latency_ns;
    slice->within_slo += good;
    if (d->latency_ns < slice->min_ns) slice->min_ns = d->latency_ns;
    if (d->latency_ns > slice->max_ns) slice->max_ns = d->latency_ns;
    tdm_series_add(&e->tally->series, d->latency_ns, d->arrival_ns);
  }
  e->departure_count = 0;
}
