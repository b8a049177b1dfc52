/* The writer of Chrome trace JSON, which Perfetto and chrome://tracing open.
 *
 * Spans are complete events (X), those without an end begin and do not end (B), instants i, spans
 * that overlap others without nesting async events (b, e), samples counters (C), edges flows (s,
 * f). Times are microseconds with exactly three decimals, so nothing is rounded, on the clock of
 * the run; where its UTC is known, baseTimeNanoseconds says it. Spelling is Kineto's where it has
 * one (args.c). Simulated spans that tie stand in an order of their own, so that equal traces
 * give equal bytes. Nothing is formatted by printf. Owns nothing beyond the call. */
#include "write/writer.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/chrome/inside.h"

#define PUT(text) TDM_OUTFILE_LITERAL(job->file, text)

typedef struct {
  const tdm_recording *recording;
  const tdm_write_options *options;
  tdm_outfile *file;
  tdm_texts texts;
  tdm_lanes lanes;
  tdm_chrome_tracks tracks;
  tdm_chrome_args args;
  char *flow; /* by laid span: the step of its request's flow */
  const char *separator;
} chrome_job;

/* ---- an order for ties ---- */

/* Request, then what else there is. */
static int compare_ties(const void *left, const void *right, void *context) {
  const tdm_recording *recording = context;
  const tdm_laid_span *a = left, *b = right;
  if (a->layout != b->layout) return TDM_ORDER(a->layout, b->layout);
  const tdm_layout *layout = tdm_recording_layout(recording, a->layout);
  const tdm_kept_rows *rows = tdm_recording_rows(recording, a->layout);
  uint32_t request = tdm_layout_column(layout, "request");
  if (request != 0) {
    uint64_t x = (uint64_t)tdm_kept(rows, request, a->row);
    uint64_t y = (uint64_t)tdm_kept(rows, request, b->row);
    if (x != y) return TDM_ORDER(x, y);
  }
  for (uint32_t c = TDM_NAME; c < TDM_ARGS + layout->args; c++) {
    int64_t x = tdm_kept(rows, c, a->row), y = tdm_kept(rows, c, b->row);
    if (x != y) return TDM_ORDER(x, y);
  }
  return 0;
}

/* Spans that begin and end together are all the same to lanes.h: their places may be exchanged. */
static void settle_ties(chrome_job *job, size_t first, size_t end) {
  tdm_laid_span *span = job->lanes.span;
  while (first < end) {
    const tdm_kept_rows *rows = tdm_recording_rows(job->recording, span[first].layout);
    int64_t start_ns = tdm_kept(rows, TDM_START, span[first].row);
    int64_t end_ns = tdm_lanes_end(rows, span[first].row);
    size_t next = first + 1;
    for (; next < end; next++) {
      rows = tdm_recording_rows(job->recording, span[next].layout);
      if (tdm_kept(rows, TDM_START, span[next].row) != start_ns ||
          tdm_lanes_end(rows, span[next].row) != end_ns)
        break;
    }
    for (size_t i = first + 1; i < next; i++) { /* by insertion: there are few */
      tdm_laid_span moved = span[i];
      size_t at = i;
      for (;
           at > first && compare_ties(&span[at - 1], &moved, (void *)(uintptr_t)job->recording) > 0;
           at--) {
        span[at].layout = span[at - 1].layout;
        span[at].row = span[at - 1].row;
      }
      span[at].layout = moved.layout;
      span[at].row = moved.row;
    }
    first = next;
  }
}

/* ---- events ---- */

/* Up to the time: {"name":…,"cat":…,"ph":"X","ts":12.345 */
static void begin_event(chrome_job *job, const tdm_kept_rows *rows, size_t row, char phase,
                        int64_t time_ns) {
  const tdm_chrome_plan *plan = &job->args.plan[rows->layout];
  const char ts[] = {phase, '"', ',', '"', 't', 's', '"', ':'};
  tdm_outfile_text(job->file, job->separator);
  job->separator = ",\n";
  PUT("{\"name\":");
  tdm_texts_put(&job->texts, job->file, tdm_kept(rows, TDM_NAME, row));
  tdm_outfile_put(job->file, plan->category, plan->category_length);
  tdm_outfile_put(job->file, ts, sizeof ts);
  tdm_outfile_micros(job->file, time_ns);
}

static void put_hex(chrome_job *job, uint64_t id) {
  char text[18], *from = text + sizeof text;
  do *--from = "0123456789abcdef"[id & 15];
  while ((id >>= 4) != 0);
  *--from = 'x';
  *--from = '0';
  tdm_outfile_put(job->file, from, (size_t)(text + sizeof text - from));
}

/* Stands right after its span, at its start, so that viewers bind it to that span. */
static void put_step(chrome_job *job, uint64_t request, int64_t time_ns,
                     const tdm_chrome_track *track, uint32_t lane, char step) {
  char ph[] = ",\n{\"name\":\"request\",\"cat\":\"flow\",\"ph\":\"?\",\"id\":\"";
  *strchr(ph, '?') = step;
  tdm_outfile_put(job->file, ph, sizeof ph - 1);
  put_hex(job, request);
  PUT("\",\"ts\":");
  tdm_outfile_micros(job->file, time_ns);
  tdm_chrome_put_track(track, lane, job->file);
  if (step == 'f')
    PUT(",\"bp\":\"e\"}");
  else
    PUT("}");
}

static void put_span(chrome_job *job, size_t position, const tdm_chrome_track *track) {
  const tdm_laid_span *span = &job->lanes.span[position];
  const tdm_layout *layout = job->args.plan[span->layout].layout;
  const tdm_kept_rows *rows = tdm_recording_rows(job->recording, span->layout);
  int64_t start_ns = tdm_kept(rows, TDM_START, span->row);
  int64_t time_ns = tdm_chrome_time(track, start_ns);
  if (layout->shape == TDM_SHAPE_OPEN) {
    begin_event(job, rows, span->row, 'B', time_ns);
  } else {
    begin_event(job, rows, span->row, 'X', time_ns);
    PUT(",\"dur\":");
    tdm_outfile_micros(job->file, tdm_lanes_end(rows, span->row) - start_ns);
  }
  tdm_chrome_put_track(track, span->lane, job->file);
  tdm_chrome_args_put(&job->args, job->file, rows, span->row, track->about);
  PUT("}");
  if (job->flow == NULL || job->flow[position] == 0) return;
  uint32_t column = tdm_layout_column(layout, "request");
  put_step(job, (uint64_t)tdm_kept(rows, column, span->row), time_ns, track, span->lane,
           job->flow[position]);
}

static void put_spans(chrome_job *job) {
  for (uint32_t t = 0; t < job->lanes.tracks; t++) {
    const tdm_chrome_track *track = &job->tracks.track[t];
    for (size_t p = job->lanes.first[t]; p < job->lanes.first[t + 1] && job->file->failure == 0;
         p++)
      put_span(job, p, track);
  }
}

/* Its own, or one above all that are likely. */
static void put_async_id(chrome_job *job, const tdm_kept_rows *rows, size_t row, uint64_t id) {
  uint32_t column = job->args.plan[rows->layout].id;
  tdm_arg_type type =
      column != 0 ? job->args.plan[rows->layout].layout->arg[column - TDM_ARGS].type : TDM_ARG_INT;
  if (column != 0 && tdm_texts_has(type, tdm_kept(rows, column, row))) {
    tdm_texts_value(&job->texts, job->file, type, tdm_kept(rows, column, row));
    return;
  }
  PUT("\"");
  put_hex(job, UINT64_C(1) << 32 | id);
  PUT("\"");
}

static void put_async(chrome_job *job, const tdm_kept_rows *rows, size_t row,
                      const tdm_chrome_track *track, uint64_t id) {
  const int64_t ends[] = {tdm_kept(rows, TDM_START, row), tdm_lanes_end(rows, (uint32_t)row)};
  for (int i = 0; i < 2; i++) {
    begin_event(job, rows, row, "be"[i], tdm_chrome_time(track, ends[i]));
    PUT(",\"id\":");
    put_async_id(job, rows, row, id);
    tdm_chrome_put_track(track, 0, job->file);
    if (i == 0) tdm_chrome_args_put(&job->args, job->file, rows, row, track->about);
    PUT("}");
  }
}

/* Instants and async spans. */
static void put_others(chrome_job *job) {
  uint64_t id = 1;
  for (uint32_t i = 0; i < job->args.layouts; i++) {
    const tdm_layout *layout = job->args.plan[i].layout;
    if (layout == NULL || (layout->shape != TDM_SHAPE_INSTANT && layout->shape != TDM_SHAPE_ASYNC))
      continue;
    const tdm_kept_rows *rows = tdm_recording_rows(job->recording, i);
    for (size_t row = 0; row < rows->count && job->file->failure == 0; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      if (track < 0 || track >= job->tracks.count) continue;
      const tdm_chrome_track *about = &job->tracks.track[track];
      if (about->about == NULL) continue;
      if (layout->shape == TDM_SHAPE_ASYNC) {
        put_async(job, rows, row, about, id++);
        continue;
      }
      begin_event(job, rows, row, 'i', tdm_chrome_time(about, tdm_kept(rows, TDM_START, row)));
      PUT(",\"s\":");
      if (job->args.plan[i].scope != 0)
        tdm_texts_put(&job->texts, job->file, tdm_kept(rows, job->args.plan[i].scope, row));
      else
        PUT("\"t\"");
      tdm_chrome_put_track(about, 0, job->file);
      tdm_chrome_args_put(&job->args, job->file, rows, row, about->about);
      PUT("}");
    }
  }
}

/* ---- the whole ---- */

/* Whether there are simulated requests to join. */
static int has_requests(const tdm_recording *recording) {
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL && strcmp(layout->category, "stage") == 0 &&
        tdm_layout_column(layout, "request") != 0)
      return 1;
  }
  return 0;
}

static tdm_status prepare(chrome_job *job, tdm_error *error) {
  const tdm_recording *recording = job->recording;
  tdm_status status = tdm_texts_open(&job->texts, recording, error);
  if (status == TDM_OK) status = tdm_lanes_open(&job->lanes, recording, TDM_LANES_SYNC, error);
  if (status == TDM_OK)
    status = tdm_chrome_tracks_open(&job->tracks, recording, &job->lanes, error);
  if (status == TDM_OK) status = tdm_chrome_args_open(&job->args, recording, &job->texts, error);
  if (status != TDM_OK) return status;
  for (uint32_t t = 0; t < job->lanes.tracks; t++) {
    const tdm_track *about = job->tracks.track[t].about;
    if (about != NULL && (about->kind == TDM_TRACK_QUEUE || about->kind == TDM_TRACK_SERVER))
      settle_ties(job, job->lanes.first[t], job->lanes.first[t + 1]);
  }
  if (has_requests(recording)) {
    job->flow = tdm_array_new(job->lanes.count, 1);
    if (job->flow == NULL) return tdm_error_memory(error, "request flows", job->lanes.count);
    status = tdm_chrome_requests_mark(recording, &job->lanes, TDM_CHROME_FLOW_REQUESTS, job->flow,
                                      error);
  }
  job->file = malloc(sizeof *job->file);
  if (job->file == NULL) return tdm_error_memory(error, "writing a trace", sizeof *job->file);
  return status;
}

static tdm_status put_all(chrome_job *job, tdm_error *error) {
  tdm_chrome_notes_put(job->recording, &job->tracks, job->options, job->lanes.count,
                       job->flow != NULL ? TDM_CHROME_FLOW_REQUESTS : 0, job->file);
  tdm_chrome_tracks_put(&job->tracks, job->file, &job->separator);
  put_spans(job);
  put_others(job);
  tdm_status status = tdm_chrome_flows_put(job->recording, &job->lanes, &job->tracks, &job->texts,
                                           job->file, &job->separator, error);
  if (status == TDM_OK)
    status = tdm_chrome_counters_put(job->recording, &job->tracks, &job->texts, job->file,
                                     &job->separator, error);
  PUT("\n]}\n");
  return status;
}

static tdm_status write_chrome(const tdm_recording *recording, const char *path,
                               const tdm_write_options *options, tdm_error *error) {
  chrome_job job = {.recording = recording, .options = options, .separator = ""};
  tdm_status status = prepare(&job, error);
  if (status == TDM_OK) status = tdm_outfile_open(job.file, path, error);
  if (status == TDM_OK) {
    status = put_all(&job, error);
    if (status == TDM_OK)
      status = tdm_outfile_commit(job.file, error);
    else
      tdm_outfile_abort(job.file);
  }
  free(job.flow);
  free(job.file);
  tdm_chrome_args_close(&job.args);
  tdm_chrome_tracks_close(&job.tracks);
  tdm_lanes_close(&job.lanes);
  tdm_texts_close(&job.texts);
  return status;
}

const tdm_writer tdm_writer_chrome = {
    .name = "chrome", .title = "Chrome trace JSON", .ending = ".json", .write = write_chrome};
