/* Bottleneck marks: where a station was saturated and where its queue formed, with the figures that
 * say so. See inside.h; marks.js has the words.
 *
 * A run is cut into at most BINS parts. Saturated: all servers busy for 98 % of each of RUN_LEAST
 * parts in a row; a measured GPU: some work for 95 %. A queue forms where for as many parts in a
 * row at least one waits on average, until it is longest, if that is twice what it was at first. */
#include <stdlib.h>

#include "base/memory.h"
#include "write/timeline/inside.h"

enum { BINS = 1024, RUN_LEAST = 4 };

static const double SERVERS_FULL = 0.98, GPU_FULL = 0.95;

typedef struct {
  tdm_timeline_run *run;
  const tdm_station *station;
  tdm_load busy, waiting;
} scene;

/* Arrows by the station that they reach. */
typedef struct {
  size_t *first;   /* [stations + 1] into `arrow` */
  uint32_t *arrow; /* numbers of arrows, rising in a station */
} reached;

/* How a station was used in all. */
typedef struct {
  int64_t from_ns, to_ns, busy_ns, idle_from_ns, idle_to_ns;
  double used;
} use;

static double share(const scene *s, size_t bin) {
  return s->station->slots > 0 ? s->busy.mean[bin] / (double)s->station->slots : s->busy.busy[bin];
}

static double mean_of(const double *value, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; i++) sum += value[i];
  return sum / (double)(to - from);
}

static void put_real(tdm_meta *meta, const char *key, double value) {
  tdm_meta_key(meta, key);
  tdm_meta_real(meta, value);
}

static void put_integer(tdm_meta *meta, const char *key, int64_t value) {
  tdm_meta_key(meta, key);
  tdm_meta_integer(meta, value);
}

static void put_what(const scene *s) {
  const tdm_frame *f = s->run->frame;
  const tdm_frame_track *track = &f->track[s->station->first_track];
  const tdm_track *about = tdm_recording_track(f->recording, track->track);
  tdm_meta_key(s->run->meta, "what");
  tdm_meta_string(s->run->meta, s->station->slots > 0 ? about->name : f->group[track->group]);
}

/* The parts [from, to); those of a run that ends within the last one end with it. */
static void put_mark(const scene *s, const char *kind, size_t from, size_t to) {
  const tdm_frame *f = s->run->frame;
  tdm_meta *meta = s->run->meta;
  int64_t width_ns = s->busy.width_ns, from_ns = (int64_t)from * width_ns;
  int64_t to_ns = to < s->busy.count ? (int64_t)to * width_ns : tdm_frame_length(f), most = 0;
  double busy = 0;
  for (size_t i = from; i < to; i++) {
    busy += share(s, i);
    if (s->waiting.most[i] > most) most = s->waiting.most[i];
  }
  int64_t name;
  if (!tdm_station_waits_for(f, s->station, from_ns, to_ns, &name)) meta->failed = true;
  tdm_meta_next(meta);
  tdm_meta_put(meta, "{");
  tdm_meta_key(meta, "kind");
  tdm_meta_string(meta, kind);
  put_what(s);
  put_integer(meta, "track", s->station->first_track);
  put_integer(meta, "from", from_ns);
  put_integer(meta, "to", to_ns);
  put_integer(meta, "slots", s->station->slots);
  put_real(meta, "busy", busy / (double)(to - from));
  put_real(meta, "waiting", mean_of(s->waiting.mean, from, to));
  put_real(meta, "first", s->waiting.mean[from]);
  put_real(meta, "last", s->waiting.mean[to - 1]);
  put_integer(meta, "most", most);
  tdm_meta_key(meta, "stage");
  tdm_meta_string(meta, name != TDM_NONE ? tdm_recording_name(f->recording, name, NULL) : "");
  tdm_meta_put(meta, "}");
}

static void put_saturated(const scene *s) {
  double full = s->station->slots > 0 ? SERVERS_FULL : GPU_FULL;
  for (size_t from = 0, to; from < s->busy.count; from = to + 1) {
    for (to = from; to < s->busy.count && share(s, to) >= full;) to++;
    if (to - from >= RUN_LEAST) put_mark(s, "saturated", from, to);
  }
}

static void put_queues(const scene *s) {
  for (size_t from = 0, to; from < s->waiting.count; from = to + 1) {
    size_t peak = from;
    for (to = from; to < s->waiting.count && s->waiting.mean[to] >= 1; to++)
      if (s->waiting.mean[to] > s->waiting.mean[peak]) peak = to;
    if (peak + 1 - from >= RUN_LEAST && s->waiting.mean[peak] >= 2 * s->waiting.mean[from])
      put_mark(s, "queue", from, peak + 1);
  }
}

/* Of its servers' time from its first work to its last. */
static use use_of(const scene *s) {
  const tdm_load *busy = &s->busy;
  double work = 0, time_ns = (double)(busy->last_ns - busy->first_ns);
  for (size_t i = 0; i < busy->count; i++) work += busy->mean[i] * (double)busy->width_ns;
  if (s->station->slots == 0) work = (double)busy->busy_ns;
  if (s->station->slots > 0) time_ns *= (double)s->station->slots;
  return (use){.from_ns = busy->first_ns,
               .to_ns = busy->last_ns,
               .busy_ns = busy->busy_ns,
               .idle_from_ns = busy->idle_from_ns,
               .idle_to_ns = busy->idle_to_ns,
               .used = time_ns > 0 ? work / time_ns : 0};
}

static void put_use(tdm_timeline_run *run, const tdm_station *station, const use *u) {
  scene s = {.run = run, .station = station};
  tdm_meta_next(run->meta);
  tdm_meta_put(run->meta, "{");
  put_what(&s);
  put_integer(run->meta, "track", station->first_track);
  put_integer(run->meta, "slots", station->slots);
  put_integer(run->meta, "from", u->from_ns);
  put_integer(run->meta, "to", u->to_ns);
  put_integer(run->meta, "busy", u->busy_ns);
  put_real(run->meta, "used", u->used);
  put_integer(run->meta, "idle_from", u->idle_from_ns);
  put_integer(run->meta, "idle_to", u->idle_to_ns);
  tdm_meta_put(run->meta, "}");
}

static tdm_status put_station(tdm_timeline_run *run, const tdm_station *station,
                              const uint32_t *arrow, size_t arrows, use *out, tdm_error *error) {
  scene s = {.run = run, .station = station};
  tdm_status status = tdm_station_busy(run, station, BINS, &s.busy, error);
  if (status == TDM_OK)
    status = tdm_station_waiting(run, station, arrow, arrows, BINS, &s.waiting, error);
  if (status == TDM_OK) {
    if (!station->steps) put_saturated(&s);
    put_queues(&s);
    *out = use_of(&s);
  }
  tdm_load_close(&s.busy);
  tdm_load_close(&s.waiting);
  return status;
}

/* The station of an arrow's end, or `count`. `of`: the stations of tracks. */
static uint32_t station_reached(const tdm_timeline_run *run, const uint32_t *of, size_t arrow) {
  uint32_t track = tdm_frame_span_at(run->frame, (size_t)run->arrow_to[arrow]).track;
  return of[run->frame->track_index[track]];
}

/* False: out of memory. */
static bool reach(const tdm_timeline_run *run, const tdm_station *stations, size_t count,
                  reached *out) {
  const tdm_frame *f = run->frame;
  uint32_t *of = tdm_array_new(f->tracks, sizeof *of);
  *out = (reached){tdm_array_new(count + 2, sizeof *out->first),
                   tdm_array_new(run->arrows, sizeof *out->arrow)};
  bool fits = of != NULL && out->first != NULL && out->arrow != NULL;
  if (fits) {
    for (uint32_t t = 0; t < f->tracks; t++) of[t] = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
      for (uint32_t t = stations[i].first_track;
           stations[i].slots == 0 && t < stations[i].end_track; t++)
        of[t] = (uint32_t)i;
    for (size_t a = 0; a < run->arrows; a++) out->first[station_reached(run, of, a) + 1]++;
    for (size_t i = 0; i < count; i++) out->first[i + 1] += out->first[i];
    for (size_t a = 0; a < run->arrows; a++) {
      uint32_t station = station_reached(run, of, a);
      if (station < count) out->arrow[out->first[station]++] = (uint32_t)a;
    }
    for (size_t i = count; i > 0; i--) out->first[i] = out->first[i - 1];
    out->first[0] = 0;
  }
  free(of);
  return fits;
}

static tdm_status put_all(tdm_timeline_run *run, const tdm_station *stations, size_t count,
                          const reached *r, use *uses, tdm_error *error) {
  tdm_status status = TDM_OK;
  tdm_meta_key(run->meta, "marks");
  tdm_meta_put(run->meta, "[");
  for (size_t i = 0; i < count && status == TDM_OK; i++)
    status = put_station(run, &stations[i], r->arrow + r->first[i], r->first[i + 1] - r->first[i],
                         &uses[i], error);
  tdm_meta_put(run->meta, "]");
  tdm_meta_key(run->meta, "stations");
  tdm_meta_put(run->meta, "[");
  for (size_t i = 0; i < count && status == TDM_OK; i++) put_use(run, &stations[i], &uses[i]);
  tdm_meta_put(run->meta, "]");
  return status;
}

tdm_status tdm_timeline_marks(tdm_timeline_run *run, tdm_error *error) {
  tdm_station *stations = tdm_array_new(run->frame->tracks, sizeof *stations);
  use *uses = tdm_array_new(run->frame->tracks, sizeof *uses);
  reached r = {0};
  size_t count = 0;
  tdm_status status = TDM_OK;
  if (stations == NULL || uses == NULL)
    status = tdm_error_memory(error, "a timeline", run->frame->tracks);
  if (status == TDM_OK) status = tdm_stations(run->frame, stations, &count, error);
  if (status == TDM_OK && !reach(run, stations, count, &r))
    status = tdm_error_memory(error, "a timeline", run->arrows);
  if (status == TDM_OK) status = put_all(run, stations, count, &r, uses, error);
  free(r.first);
  free(r.arrow);
  free(uses);
  free(stations);
  return status;
}
