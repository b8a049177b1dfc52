/* A simulated run as a profiler would have captured it; see simulated.h. */
#include "trace/simulated/simulated.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/order.h"
#include "trace/recorder.h"
#include "trace/simulated/inside.h"

enum { PID = 1000, COMPUTE_STREAM = 7, OTHER_STREAMS = 13 };

/* A GPU's compute streams, and those for copies each way. */
typedef enum { COPY_IN, COMPUTE, COPY_OUT, ENGINES } engine;

typedef struct {
  const char *name;
  uint32_t *streams[ENGINES]; /* tracks, by slot */
  uint32_t count[ENGINES];
  int64_t next_stream;
} gpu;

/* Something on a thread: a request, a stage on the CPU, a wait for others' batch. */
typedef struct {
  int64_t start_ns, end_ns;
  uint32_t thread, name;
  bool open;
} range;

typedef struct {
  const tdm_recording *from;
  tdm_captured_manner manner;
  tdm_recorder *recorder;
  tdm_captured_visits visits;
  gpu *gpus;
  uint32_t gpu_count;
  uint32_t *gpu_of;         /* by track of the simulation; UINT32_MAX: the host's */
  unsigned char *engine_of; /* by track */
  uint32_t *threads;        /* tracks, by thread */
  uint32_t *names;          /* by name of the simulation */
  range *ranges;
  size_t range_count;
  bool several; /* classes */
} capture;

/* ---- tracks ---- */

static bool engine_for(tdm_lane lane, engine *out) {
  switch (lane) {
  case TDM_LANE_H2D: *out = COPY_IN; return true;
  case TDM_LANE_GPU: *out = COMPUTE; return true;
  case TDM_LANE_D2H: *out = COPY_OUT; return true;
  default: return false;
  }
}

/* What works on copies or kernels, but on no GPU, stands for one of its name. */
static const char *gpu_name(const tdm_track *track) {
  return strcmp(track->process, "host") == 0 ? track->name : track->process;
}

static tdm_status find_gpus(capture *c, tdm_error *error) {
  uint32_t tracks = tdm_recording_tracks(c->from);
  c->gpu_of = tdm_array_new(tracks, sizeof *c->gpu_of);
  c->engine_of = tdm_array_new(tracks, sizeof *c->engine_of);
  c->gpus = tdm_array_new(tracks, sizeof *c->gpus);
  if (c->gpu_of == NULL || c->engine_of == NULL || c->gpus == NULL)
    return tdm_error_memory(error, "the GPUs of a run", tracks * sizeof *c->gpus);
  for (uint32_t t = 0; t < tracks; t++) {
    const tdm_track *track = tdm_recording_track(c->from, t);
    engine which;
    c->gpu_of[t] = UINT32_MAX;
    if (track == NULL || track->kind != TDM_TRACK_SERVER || !engine_for(track->lane, &which))
      continue;
    uint32_t g = 0;
    while (g < c->gpu_count && strcmp(c->gpus[g].name, gpu_name(track)) != 0) g++;
    if (g == c->gpu_count)
      c->gpus[c->gpu_count++] = (gpu){.name = gpu_name(track), .next_stream = OTHER_STREAMS};
    c->gpu_of[t] = g;
    c->engine_of[t] = (unsigned char)which;
  }
  return TDM_OK;
}

static uint32_t thread_track(capture *c, uint32_t thread) {
  char name[64];
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "server (1000)";
  track.name = name;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = PID;
  track.tid = PID + 1 + (int64_t)thread;
  snprintf(name, sizeof name, "thread %lld worker %lu", (long long)track.tid,
           (unsigned long)thread + 1);
  return tdm_record_track(c->recorder, &track);
}

static uint32_t stream_track(capture *c, uint32_t g, engine which, uint32_t slot) {
  gpu *card = &c->gpus[g];
  char heading[256], name[64];
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = heading;
  track.name = name;
  track.kind = TDM_TRACK_STREAM;
  track.lane = TDM_LANE_GPU;
  track.pid = PID;
  track.device = g;
  track.context = (int64_t)g + 1;
  track.stream = which == COMPUTE && slot == 0 ? COMPUTE_STREAM : card->next_stream++;
  snprintf(heading, sizeof heading, "%.200s #%lu", card->name, (unsigned long)g);
  snprintf(name, sizeof name, "stream %lld", (long long)track.stream);
  return tdm_record_track(c->recorder, &track);
}

static int by_start(const void *a, const void *b) {
  const tdm_captured_visit *const *x = a, *const *y = b;
  if ((*x)->start_ns != (*y)->start_ns) return TDM_ORDER((*x)->start_ns, (*y)->start_ns);
  return TDM_ORDER(*x, *y);
}

/* The streams of one engine of a GPU: as few as its work never overlaps on. */
static tdm_status give_streams(capture *c, uint32_t g, engine which, tdm_captured_visit **mine,
                               int64_t *bounds, uint32_t *slot, tdm_error *error) {
  tdm_captured_visits *v = &c->visits;
  size_t count = 0;
  for (size_t i = 0; i < v->visit_count; i++)
    if (c->gpu_of[v->visits[i].track] == g && c->engine_of[v->visits[i].track] == which)
      mine[count++] = &v->visits[i];
  if (count == 0) return TDM_OK;
  qsort(mine, count, sizeof *mine, by_start);
  for (size_t i = 0; i < count; i++) {
    bounds[i] = mine[i]->start_ns;
    bounds[v->visit_count + i] = mine[i]->end_ns;
  }
  uint32_t used = tdm_captured_slots(bounds, bounds + v->visit_count, count, slot);
  gpu *card = &c->gpus[g];
  card->streams[which] = tdm_array_new(used, sizeof **card->streams);
  if (used == 0 || card->streams[which] == NULL)
    return tdm_error_memory(error, "the streams of a GPU", count * sizeof *slot);
  card->count[which] = used;
  for (size_t i = 0; i < count; i++) mine[i]->stream = slot[i];
  for (uint32_t s = 0; s < used; s++) card->streams[which][s] = stream_track(c, g, which, s);
  return TDM_OK;
}

static tdm_status make_tracks(capture *c, tdm_error *error) {
  size_t count = c->visits.visit_count;
  tdm_captured_visit **mine = tdm_array_new(count, sizeof *mine);
  int64_t *bounds = tdm_array_new(2 * count, sizeof *bounds);
  uint32_t *slot = tdm_array_new(count, sizeof *slot);
  tdm_status status = TDM_OK;
  c->threads = tdm_array_new(c->visits.threads, sizeof *c->threads);
  if (mine == NULL || bounds == NULL || slot == NULL || c->threads == NULL)
    status = tdm_error_memory(error, "the streams of a run", count * sizeof *mine);
  for (uint32_t i = 0; status == TDM_OK && i < c->visits.threads; i++)
    c->threads[i] = thread_track(c, i);
  for (uint32_t g = 0; g < c->gpu_count; g++)
    for (int which = 0; which < ENGINES && status == TDM_OK; which++)
      status = give_streams(c, g, (engine)which, mine, bounds, slot, error);
  free(mine);
  free(bounds);
  free(slot);
  return status;
}

/* ---- ranges ---- */

static uint32_t name_of(capture *c, uint32_t name) {
  if (c->names[name] == 0) {
    size_t length;
    const char *text = tdm_recording_name(c->from, name, &length);
    c->names[name] = tdm_record_name(c->recorder, text != NULL ? text : "", length) + 1;
  }
  return c->names[name] - 1;
}

/* " tokens=128" */
static size_t put_attribute(char *out, size_t room, const tdm_arg *arg, int64_t value) {
  char number[TDM_DECIMAL_SIZE];
  if (value == TDM_NONE && arg->type != TDM_ARG_REAL) return 0;
  if (arg->type == TDM_ARG_REAL) {
    double real = tdm_record_double(value);
    if (isnan(real)) return 0;
    if (isinf(real))
      snprintf(number, sizeof number, "%s", real > 0 ? "inf" : "-inf");
    else
      tdm_decimal_print(number, real);
  } else {
    snprintf(number, sizeof number, "%lld", (long long)value);
  }
  int length = snprintf(out, room, " %s=%s", arg->key, number);
  return length > 0 && (size_t)length < room ? (size_t)length : 0;
}

/* "request 17 class=chat tokens=128" */
static uint32_t request_name(capture *c, const tdm_captured_request *request) {
  char text[4096];
  const tdm_layout *layout = tdm_recording_layout(c->from, request->layout);
  const tdm_kept_rows *rows = tdm_recording_rows(c->from, request->layout);
  size_t length = (size_t)snprintf(text, sizeof text, "request %llu",
                                   (unsigned long long)(request->id & ((UINT64_C(1) << 48) - 1)));
  if (c->several) {
    const char *class = tdm_recording_name(c->from, request->name, NULL);
    int more =
        snprintf(text + length, sizeof text - length, " class=%.256s", class != NULL ? class : "");
    length += more > 0 ? (size_t)more : 0;
  }
  for (uint32_t a = 0; a < layout->args; a++)
    if (strcmp(layout->arg[a].key, "request") != 0)
      length += put_attribute(text + length, sizeof text - length, &layout->arg[a],
                              tdm_kept(rows, TDM_ARGS + a, request->row));
  return tdm_record_name(c->recorder, text, length);
}

/* By thread and start; what holds another comes before it. */
static int by_thread(const void *a, const void *b) {
  const range *x = a, *y = b;
  if (x->thread != y->thread) return TDM_ORDER(x->thread, y->thread);
  if (x->start_ns != y->start_ns) return TDM_ORDER(x->start_ns, y->start_ns);
  if (x->end_ns != y->end_ns) return TDM_ORDER(y->end_ns, x->end_ns);
  return TDM_ORDER(x->name, y->name);
}

static tdm_status gather_ranges(capture *c, tdm_error *error) {
  const tdm_captured_visits *v = &c->visits;
  size_t most = v->request_count + v->visit_count + v->member_count;
  c->ranges = tdm_array_new(most, sizeof *c->ranges);
  if (c->ranges == NULL) return tdm_error_memory(error, "ranges", most * sizeof *c->ranges);
  for (size_t i = 0; i < v->request_count; i++)
    c->ranges[c->range_count++] =
        (range){v->requests[i].start_ns, v->requests[i].end_ns, v->requests[i].thread,
                request_name(c, &v->requests[i]), v->requests[i].open};
  for (size_t i = 0; i < v->visit_count; i++)
    if (c->gpu_of[v->visits[i].track] == UINT32_MAX)
      c->ranges[c->range_count++] =
          (range){v->visits[i].start_ns, v->visits[i].end_ns, v->visits[i].thread,
                  name_of(c, v->visits[i].name), false};
  for (size_t i = 0; i < v->member_count; i++)
    c->ranges[c->range_count++] =
        (range){v->members[i].start_ns, v->members[i].end_ns, v->members[i].thread,
                name_of(c, v->members[i].name), false};
  if (c->range_count > 1) qsort(c->ranges, c->range_count, sizeof *c->ranges, by_thread);
  return TDM_OK;
}

/* Ranges of a thread nest, but for those of branches that run at once: these are begun and ended
 * each for itself. */
static tdm_status push_ranges(capture *c, tdm_error *error) {
  const char *category = c->manner == TDM_CAPTURED_NVTX ? "nvtx" : "user_annotation";
  const uint32_t nested = tdm_record_layout(c->recorder, category, TDM_SHAPE_SPAN, NULL, 0);
  int64_t *inside = tdm_array_new(c->range_count, sizeof *inside); /* ends of those begun */
  size_t depth = 0;
  if (inside == NULL) return tdm_error_memory(error, "ranges", c->range_count * sizeof *inside);
  for (size_t i = 0; i < c->range_count; i++) {
    const range *r = &c->ranges[i];
    uint32_t layout = nested;
    if (i > 0 && r->thread != c->ranges[i - 1].thread) depth = 0;
    while (depth > 0 && inside[depth - 1] <= r->start_ns) depth--;
    if (r->open)
      layout = tdm_record_layout(c->recorder, category, TDM_SHAPE_OPEN, NULL, 0);
    else if (depth > 0 && r->end_ns > inside[depth - 1])
      layout = tdm_record_layout(c->recorder, category, TDM_SHAPE_ASYNC, NULL, 0);
    else
      inside[depth++] = r->end_ns;
    tdm_record_row(c->recorder, layout, r->start_ns, r->end_ns - r->start_ns, c->threads[r->thread],
                   r->name, NULL, 0);
  }
  free(inside);
  return TDM_OK;
}

/* ---- work ---- */

typedef struct {
  uint32_t kernel, copy[2], call; /* layouts; copies without and with bytes */
  uint32_t launch, memcpy_call, copy_name[ENGINES], copy_kind[ENGINES], pinned, device;
} words;

static words make_words(capture *c) {
  static const tdm_arg args[] = {
      {"correlation", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT},
      {"src_kind", TDM_ARG_TEXT},   {"dst_kind", TDM_ARG_TEXT},
      {"bytes", TDM_ARG_INT},       {"memory_bandwidth_gb_per_s", TDM_ARG_REAL}};
  bool kineto = c->manner == TDM_CAPTURED_KINETO;
  tdm_recorder *r = c->recorder;
  words w = {.kernel = tdm_record_layout(r, "kernel", TDM_SHAPE_SPAN, args, 1),
             .copy = {tdm_record_layout(r, "memcpy", TDM_SHAPE_SPAN, args, 4),
                      tdm_record_layout(r, "memcpy", TDM_SHAPE_SPAN, args, kineto ? 6 : 5)},
             .call = tdm_record_layout(r, "runtime", TDM_SHAPE_SPAN, args, 1),
             .launch = tdm_record_text(r, "cudaLaunchKernel"),
             .memcpy_call = tdm_record_text(r, "cudaMemcpyAsync"),
             .pinned = tdm_record_text(r, "pinned"),
             .device = tdm_record_text(r, "device")};
  w.copy_kind[COPY_IN] = tdm_record_text(r, "HtoD");
  w.copy_kind[COPY_OUT] = tdm_record_text(r, "DtoH");
  w.copy_name[COPY_IN] =
      tdm_record_text(r, kineto ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD");
  w.copy_name[COPY_OUT] =
      tdm_record_text(r, kineto ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy DtoH");
  return w;
}

static void push_copy(capture *c, const words *w, const tdm_captured_visit *visit, engine which,
                      uint32_t track, int64_t correlation) {
  bool in = which == COPY_IN, said = visit->bytes != TDM_NONE;
  int64_t dur_ns = visit->end_ns - visit->start_ns;
  double rate = dur_ns > 0 ? (double)visit->bytes / (double)dur_ns : NAN;
  const int64_t args[] = {
      correlation,  w->copy_kind[which],  in ? w->pinned : w->device, in ? w->device : w->pinned,
      visit->bytes, tdm_record_real(rate)};
  uint32_t count = !said ? 4 : c->manner == TDM_CAPTURED_KINETO ? 6 : 5;
  tdm_record_row(c->recorder, w->copy[said], visit->start_ns, dur_ns, track, w->copy_name[which],
                 args, count);
}

static void push_work(capture *c) {
  words w = make_words(c);
  int64_t correlation = 0;
  for (size_t i = 0; i < c->visits.visit_count && !tdm_recorder_failed(c->recorder); i++) {
    const tdm_captured_visit *visit = &c->visits.visits[i];
    uint32_t g = c->gpu_of[visit->track];
    if (g == UINT32_MAX) continue;
    engine which = (engine)c->engine_of[visit->track];
    uint32_t track = c->gpus[g].streams[which][visit->stream];
    correlation++;
    tdm_record_row(c->recorder, w.call, visit->asked_ns, 0, c->threads[visit->thread],
                   which == COMPUTE ? w.launch : w.memcpy_call, &correlation, 1);
    if (which == COMPUTE)
      tdm_record_row(c->recorder, w.kernel, visit->start_ns, visit->end_ns - visit->start_ns, track,
                     name_of(c, visit->name), &correlation, 1);
    else
      push_copy(c, &w, visit, which, track, correlation);
  }
}

/* ---- the whole ---- */

static void push_facts(capture *c) {
  char key[64];
  for (uint32_t g = 0; g < c->gpu_count; g++) {
    snprintf(key, sizeof key, "gpu.%lu.name", (unsigned long)g);
    tdm_record_fact(c->recorder, key, c->gpus[g].name);
  }
  tdm_record_fact(c->recorder, "captured_from", "a simulation by tandem");
  tdm_record_problem(c->recorder, "members of batches that the trace does not tell (left out)",
                     c->visits.lost_members);
}

static bool has_several_classes(const tdm_captured_visits *v) {
  for (size_t i = 1; i < v->request_count; i++)
    if (v->requests[i].name != v->requests[0].name) return true;
  return false;
}

static tdm_status lay_out(capture *c, tdm_error *error) {
  uint32_t names = tdm_recording_names(c->from);
  c->names = tdm_array_new(names, sizeof *c->names);
  if (c->names == NULL) return tdm_error_memory(error, "names", names * sizeof *c->names);
  c->several = has_several_classes(&c->visits);
  tdm_status status = find_gpus(c, error);
  if (status == TDM_OK) status = make_tracks(c, error);
  if (status == TDM_OK) status = gather_ranges(c, error);
  if (status == TDM_OK) status = push_ranges(c, error);
  if (status == TDM_OK) {
    push_work(c);
    push_facts(c);
  }
  return status;
}

static void close_capture(capture *c) {
  for (uint32_t g = 0; g < c->gpu_count; g++)
    for (int which = 0; which < ENGINES; which++) free(c->gpus[g].streams[which]);
  free(c->gpus);
  free(c->gpu_of);
  free(c->engine_of);
  free(c->threads);
  free(c->names);
  free(c->ranges);
  tdm_captured_visits_free(&c->visits);
  tdm_recorder_free(c->recorder);
}

tdm_status tdm_captured(const tdm_recording *simulated, tdm_captured_manner manner,
                        const tdm_record_sink *sink, tdm_error *error) {
  capture c = {.from = simulated, .manner = manner, .recorder = tdm_recorder_new(sink)};
  tdm_status status = c.recorder != NULL ? tdm_captured_visits_read(simulated, &c.visits, error)
                                         : tdm_error_memory(error, "a recorder", 0);
  if (status == TDM_OK) {
    const tdm_source *source = tdm_recording_source(simulated, 0);
    tdm_recorder_begin_source(c.recorder, source != NULL ? source->path : "simulation",
                              "capture"); /* no reader made it */
    status = lay_out(&c, error);
    tdm_error ignored;
    tdm_status ended = tdm_recorder_end_source(c.recorder, status == TDM_OK ? error : &ignored);
    if (status == TDM_OK) status = ended;
  }
  close_capture(&c);
  return status;
}
