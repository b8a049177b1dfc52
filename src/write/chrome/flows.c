/* The arrows of a Chrome trace: edges, launches, requests; see inside.h. */
#include "write/chrome/inside.h"

#include <stdlib.h>

#include "base/id_map.h"
#include "base/memory.h"
#include "base/order.h"
#include "trace/intern.h"

#define PUT(text)    TDM_OUTFILE_LITERAL(file, text)
#define ORDINAL_MASK ((UINT64_C(1) << 48) - 1)

/* ---- requests ---- */

typedef struct {
  uint64_t request;
  int64_t start_ns, end_ns;
  size_t position;
} visit;

static int compare_visits(const void *left, const void *right) {
  const visit *a = left, *b = right;
  if (a->request != b->request) return TDM_ORDER(a->request, b->request);
  if (a->start_ns != b->start_ns) return TDM_ORDER(a->start_ns, b->start_ns);
  if (a->end_ns != b->end_ns) return TDM_ORDER(a->end_ns, b->end_ns);
  return TDM_ORDER(a->position, b->position);
}

/* Per layout: the column of the request; 0: not a simulated one. */
static uint32_t request_column(const tdm_layout *layout) {
  if (layout == NULL ||
      (strcmp(layout->category, "stage") != 0 && strcmp(layout->category, "wait") != 0))
    return 0;
  return tdm_layout_column(layout, "request");
}

tdm_status tdm_chrome_requests_mark(const tdm_recording *recording, const tdm_lanes *lanes,
                                    uint64_t requests, char *mark, tdm_error *error) {
  visit *visits = NULL;
  size_t count = 0, room = 0;
  uint32_t known = UINT32_MAX, column = 0;
  const tdm_kept_rows *rows = NULL;
  for (size_t p = 0; p < lanes->count; p++) {
    uint32_t layout = lanes->span[p].layout, row = lanes->span[p].row;
    if (layout != known) {
      known = layout;
      rows = tdm_recording_rows(recording, layout);
      column = request_column(tdm_recording_layout(recording, layout));
    }
    mark[p] = 0;
    if (column == 0 || tdm_kept(rows, column, row) == TDM_NONE) continue;
    uint64_t request = (uint64_t)tdm_kept(rows, column, row);
    if ((request & ORDINAL_MASK) >= requests) continue;
    if (!tdm_array_grow(&visits, &room, count + 1, sizeof *visits)) {
      free(visits);
      return tdm_error_memory(error, "request flows", (count + 1) * sizeof *visits);
    }
    visits[count++] = (visit){request, tdm_kept(rows, TDM_START, row), tdm_lanes_end(rows, row), p};
  }
  if (count > 1) qsort(visits, count, sizeof *visits, compare_visits);
  for (size_t i = 0; i < count; i++) {
    int first = i == 0 || visits[i - 1].request != visits[i].request;
    int last = i + 1 == count || visits[i + 1].request != visits[i].request;
    if (first && last) continue;
    mark[visits[i].position] = first ? 's' : last ? 'f' : 't';
  }
  free(visits);
  return TDM_OK;
}

/* ---- edges and launches ---- */

typedef struct {
  int64_t time_ns;
  const tdm_chrome_track *track;
  uint32_t lane;
} flow_end;

typedef struct {
  const tdm_recording *recording;
  const tdm_lanes *lanes;
  const tdm_chrome_tracks *tracks;
  tdm_texts *texts;
  tdm_outfile *file;
  const char **separator;
  tdm_id_map taken;    /* ids of the flows so far, by kind */
  int64_t fresh_id;    /* above all ids of the sources */
  int64_t ac2g;        /* the name's id, where a source has such edges; -1: none has */
  unsigned char *told; /* sources with edges from calls to GPU work */
} flow_job;

/* The id as its source has it where that is free, otherwise a fresh one. False: out of memory. */
static int choose_id(flow_job *job, int64_t kind, int64_t *id) {
  if (*id == TDM_NONE) {
    *id = job->fresh_id++;
    return 1;
  }
  uint32_t *taken = tdm_id_map_at(&job->taken, (uint64_t)*id, (uint64_t)kind);
  if (taken == NULL) return 0;
  if (*taken != TDM_ID_NONE) *id = job->fresh_id++;
  *taken = 1;
  return 1;
}

/* A kind is a name's id, or -1 for "ac2g" where nobody calls anything so. */
static void put_kind(flow_job *job, int64_t kind) {
  if (kind < 0)
    TDM_OUTFILE_LITERAL(job->file, "\"ac2g\"");
  else
    tdm_texts_put(job->texts, job->file, kind);
}

static void put_end(flow_job *job, int64_t kind, int64_t id, char step, const flow_end *end) {
  tdm_outfile *file = job->file;
  const char ph[] = {step, 0};
  tdm_outfile_text(file, *job->separator);
  *job->separator = ",\n";
  PUT("{\"name\":");
  put_kind(job, kind);
  PUT(",\"cat\":");
  put_kind(job, kind);
  PUT(",\"ph\":\"");
  tdm_outfile_text(file, ph);
  PUT("\",\"id\":");
  tdm_outfile_integer(file, id);
  PUT(",\"ts\":");
  tdm_outfile_micros(file, end->time_ns);
  tdm_chrome_put_track(end->track, end->lane, file);
  if (step == 'f') PUT(",\"bp\":\"e\"");
  PUT("}");
}

/* How far behind its start a span is looked for: spans of one track rarely nest deeper. */
enum { LOOK_BACK = 256 };

/* The sub-lane of the span that begins at a time or holds it; 0 when there is none. */
static uint32_t lane_at(const flow_job *job, int64_t track, int64_t time_ns) {
  const tdm_lanes *lanes = job->lanes;
  if (lanes->lanes[track] <= 1) return 0;
  size_t low = lanes->first[track], first = low, high = lanes->first[track + 1];
  while (low < high) { /* the first span that begins later */
    size_t middle = low + (high - low) / 2;
    const tdm_laid_span *span = &lanes->span[middle];
    if (tdm_kept(tdm_recording_rows(job->recording, span->layout), TDM_START, span->row) <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t i = low; i > first && low - i < LOOK_BACK; i--) {
    const tdm_laid_span *span = &lanes->span[i - 1];
    const tdm_kept_rows *rows = tdm_recording_rows(job->recording, span->layout);
    if (tdm_kept(rows, TDM_START, span->row) == time_ns ||
        tdm_lanes_end(rows, span->row) >= time_ns)
      return span->lane;
  }
  return 0;
}

/* False: it lies on no track. */
static int find_end(const flow_job *job, int64_t track, int64_t time_ns, flow_end *end) {
  if (track < 0 || track >= job->tracks->count || job->tracks->track[track].about == NULL) return 0;
  end->track = &job->tracks->track[track];
  end->lane = lane_at(job, track, time_ns);
  end->time_ns = tdm_chrome_time(end->track, time_ns);
  return 1;
}

static int put_edges(flow_job *job, const tdm_layout *layout, const tdm_kept_rows *rows) {
  uint32_t to_column = tdm_layout_column(layout, "to_track");
  uint32_t id_column = tdm_layout_column(layout, "id");
  if (to_column == 0) return 1;
  for (size_t row = 0; row < rows->count && job->file->failure == 0; row++) {
    flow_end from, to;
    int64_t start = tdm_kept(rows, TDM_START, row), arrival;
    if (__builtin_add_overflow(start, tdm_kept(rows, TDM_DUR, row), &arrival) ||
        !find_end(job, tdm_kept(rows, TDM_TRACK, row), start, &from) ||
        !find_end(job, tdm_kept(rows, to_column, row), arrival, &to))
      continue;
    int64_t kind = tdm_kept(rows, TDM_NAME, row);
    int64_t id = id_column != 0 ? tdm_kept(rows, id_column, row) : TDM_NONE;
    if (!choose_id(job, kind, &id)) return 0;
    put_end(job, kind, id, 's', &from);
    put_end(job, kind, id, 'f', &to);
  }
  return 1;
}

static int is_call(const tdm_layout *layout) {
  return strcmp(layout->category, "runtime") == 0 || strcmp(layout->category, "driver") == 0;
}

static int is_ac2g(const tdm_recording *recording, int64_t kind) {
  const char *text = tdm_recording_name(recording, kind, NULL);
  return text != NULL && strcmp(text, "ac2g") == 0;
}

/* Which sources tell of launches themselves, and the greatest id of all. */
static void look_ahead(flow_job *job) {
  for (uint32_t i = 0; i < tdm_recording_layouts(job->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(job->recording, i);
    if (layout == NULL) continue;
    const tdm_kept_rows *rows = tdm_recording_rows(job->recording, i);
    int edge = layout->shape == TDM_SHAPE_EDGE;
    uint32_t column = tdm_layout_column(layout, edge ? "id" : "correlation");
    int64_t known = -1;
    for (size_t row = 0; row < rows->count; row++) {
      int64_t id = column != 0 ? tdm_kept(rows, column, row) : 0;
      if (id >= job->fresh_id && id < INT64_MAX / 2) job->fresh_id = id + 1;
      if (!edge || tdm_kept(rows, TDM_NAME, row) == known) continue;
      if (!is_ac2g(job->recording, tdm_kept(rows, TDM_NAME, row))) {
        known = tdm_kept(rows, TDM_NAME, row);
        continue;
      }
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      job->ac2g = tdm_kept(rows, TDM_NAME, row);
      if (track >= 0 && track < job->tracks->count && job->tracks->track[track].about != NULL)
        job->told[job->tracks->track[track].about->source] = 1;
    }
  }
}

/* The groups within which correlations are unique: (source, pid), numbered. */
typedef struct {
  uint32_t *group;  /* by track */
  tdm_id_map calls; /* index of `call` */
  flow_end *call;
  size_t count, room;
} call_table;

static int find_groups(const flow_job *job, call_table *calls) {
  tdm_intern known = {0};
  int fits = 1;
  calls->group = tdm_array_new(job->tracks->count, sizeof *calls->group);
  if (calls->group == NULL) return 0;
  for (uint32_t t = 0; fits && t < job->tracks->count; t++) {
    const tdm_track *about = job->tracks->track[t].about;
    if (about == NULL) continue;
    const int64_t key[] = {about->source, about->pid};
    calls->group[t] = tdm_intern_put(&known, key, sizeof key, NULL);
    fits = calls->group[t] != TDM_INTERN_FAILED;
  }
  tdm_intern_clear(&known);
  return fits;
}

typedef int (*take_correlated)(flow_job *job, call_table *calls, uint32_t group,
                               int64_t correlation, const flow_end *end);

/* The laid spans with a correlation, of calls or of GPU work. */
static int each_correlated(flow_job *job, call_table *calls, int of_calls, take_correlated take) {
  for (uint32_t t = 0; t < job->tracks->count; t++) {
    const tdm_chrome_track *track = &job->tracks->track[t];
    if (track->about == NULL || job->told[track->about->source]) continue;
    int gpu = track->about->kind == TDM_TRACK_STREAM || track->about->kind == TDM_TRACK_DEVICE;
    if (gpu == of_calls) continue;
    uint32_t known = UINT32_MAX, column = 0;
    const tdm_kept_rows *rows = NULL;
    for (size_t p = job->lanes->first[t]; p < job->lanes->first[t + 1]; p++) {
      const tdm_laid_span *span = &job->lanes->span[p];
      if (span->layout != known) {
        const tdm_layout *layout = tdm_recording_layout(job->recording, span->layout);
        known = span->layout;
        rows = tdm_recording_rows(job->recording, known);
        column = of_calls && !is_call(layout) ? 0 : tdm_layout_column(layout, "correlation");
      }
      if (column == 0 || tdm_kept(rows, column, span->row) == TDM_NONE) continue;
      const flow_end end = {tdm_chrome_time(track, tdm_kept(rows, TDM_START, span->row)), track,
                            span->lane};
      if (!take(job, calls, calls->group[t], tdm_kept(rows, column, span->row), &end)) return 0;
    }
  }
  return 1;
}

/* Of several calls with one correlation the last one launches: a driver call within a runtime one.
 */
static int take_call(flow_job *job, call_table *calls, uint32_t group, int64_t correlation,
                     const flow_end *end) {
  (void)job;
  uint32_t *index = tdm_id_map_at(&calls->calls, (uint64_t)correlation, group);
  if (index == NULL) return 0;
  if (*index != TDM_ID_NONE) {
    flow_end *known = &calls->call[*index];
    if (end->time_ns >= known->time_ns) *known = *end;
    return 1;
  }
  *index = (uint32_t)calls->count;
  if (!tdm_array_grow(&calls->call, &calls->room, calls->count + 1, sizeof *calls->call)) return 0;
  calls->call[calls->count++] = *end;
  return 1;
}

static int take_work(flow_job *job, call_table *calls, uint32_t group, int64_t correlation,
                     const flow_end *end) {
  uint32_t call = tdm_id_map_find(&calls->calls, (uint64_t)correlation, group);
  int64_t id = correlation;
  if (call == TDM_ID_NONE) return 1;
  if (!choose_id(job, job->ac2g, &id)) return 0;
  put_end(job, job->ac2g, id, 's', &calls->call[call]);
  put_end(job, job->ac2g, id, 'f', end);
  return job->file->failure == 0;
}

static int put_launches(flow_job *job) {
  call_table calls = {0};
  int done = find_groups(job, &calls) && each_correlated(job, &calls, 1, take_call) &&
             each_correlated(job, &calls, 0, take_work);
  free(calls.group);
  tdm_id_map_free(&calls.calls);
  free(calls.call);
  return done || job->file->failure != 0;
}

tdm_status tdm_chrome_flows_put(const tdm_recording *recording, const tdm_lanes *lanes,
                                const tdm_chrome_tracks *tracks, tdm_texts *texts,
                                tdm_outfile *file, const char **separator, tdm_error *error) {
  uint32_t sources = 1; /* tracks may name a source that never ended */
  for (uint32_t t = 0; t < tracks->count; t++)
    if (tracks->track[t].about != NULL && tracks->track[t].about->source >= sources)
      sources = tracks->track[t].about->source + 1;
  flow_job job = {.recording = recording,
                  .lanes = lanes,
                  .tracks = tracks,
                  .texts = texts,
                  .file = file,
                  .separator = separator,
                  .fresh_id = 1,
                  .ac2g = -1,
                  .told = tdm_array_new(sources, 1)};
  int fits = job.told != NULL;
  if (fits) look_ahead(&job);
  for (uint32_t i = 0; fits && i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL && layout->shape == TDM_SHAPE_EDGE)
      fits = put_edges(&job, layout, tdm_recording_rows(recording, i));
  }
  fits = fits && put_launches(&job);
  free(job.told);
  tdm_id_map_free(&job.taken);
  return fits ? TDM_OK : tdm_error_memory(error, "the flows of a trace", lanes->count);
}
