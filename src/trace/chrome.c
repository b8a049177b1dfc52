/* The Chrome JSON writer. See chrome.h.
 *
 * Nothing is formatted by printf: names are quoted once, numbers are written by hand into the
 * output buffer. */
#include "trace/chrome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/flow.h"
#include "trace/order.h"
#include "trace/outfile.h"
#include "trace/quote.h"
#include "trace/sweep.h"

#define PUT(text) TDM_OUTFILE_LITERAL(job->file, text)

typedef struct {
  char *text; /* quoted; NULL where there is none */
  size_t length;
} quoted;

/* Where a track is drawn. */
typedef struct {
  uint32_t pid;
  uint32_t tid; /* of its first sub-lane */
} place;

typedef struct {
  const tdm_trace *trace;
  const tdm_chrome_options *options;
  tdm_outfile *file;
  tdm_order order;
  char *flow; /* flow.h's marks by canonical position */
  quoted *names, *classes;
  place *places;      /* by track id */
  uint32_t *drawn;    /* track ids in the order of their threads */
  size_t drawn_count; /* announced tracks */
  uint32_t process_count;
  const char *separator; /* before the next event */
} chrome_job;

/* ---- tables ---- */

static quoted *quote_table(size_t count, const tdm_trace *trace,
                           const char *(*get)(const tdm_trace *, uint32_t)) {
  quoted *table = tdm_array_new(count, sizeof *table);
  for (size_t i = 0; table != NULL && i < count; i++) {
    const char *text = get(trace, (uint32_t)i);
    if (text == NULL) continue;
    table[i].text = tdm_json_quote(text, &table[i].length);
    if (table[i].text != NULL) continue;
    while (i > 0) free(table[--i].text);
    free(table);
    return NULL;
  }
  return table;
}

static void quote_free(quoted *table, size_t count) {
  for (size_t i = 0; table != NULL && i < count; i++) free(table[i].text);
  free(table);
}

/* Processes are numbered from 1: "host" first, the others as their first track was announced. */
static void number_processes(chrome_job *job) {
  uint32_t next = 1;
  for (int hosts = 1; hosts >= 0; hosts--) {
    for (uint32_t t = 0; t < tdm_trace_tracks(job->trace); t++) {
      const tdm_track *track = tdm_trace_track(job->trace, t);
      if (track == NULL || (strcmp(track->process, "host") == 0) != hosts) continue;
      uint32_t pid = 0;
      for (uint32_t u = t; u > 0 && pid == 0; u--) { /* neighbours mostly share a process */
        const tdm_track *earlier = tdm_trace_track(job->trace, u - 1);
        if (earlier != NULL && strcmp(earlier->process, track->process) == 0)
          pid = job->places[u - 1].pid;
      }
      job->places[t].pid = pid != 0 ? pid : next++;
    }
  }
  job->process_count = next - 1;
}

/* Sort order of threads: process, lane (queues on top, then the way of a request), track. */
static int compare_drawn(const void *left, const void *right, void *context) {
  const chrome_job *job = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (job->places[a].pid != job->places[b].pid)
    return job->places[a].pid < job->places[b].pid ? -1 : 1;
  tdm_lane x = tdm_trace_track(job->trace, a)->lane, y = tdm_trace_track(job->trace, b)->lane;
  if (x != y) return x < y ? -1 : 1;
  return a < b ? -1 : a > b;
}

static uint32_t threads_of(const chrome_job *job, uint32_t track) {
  return job->order.lanes[track] > 0 ? job->order.lanes[track] : 1; /* an idle track shows, too */
}

/* Thread ids run through all processes and start above the process ids: viewers take a thread
 * whose id is its process's for the main thread. */
static void number_threads(chrome_job *job) {
  for (uint32_t t = 0; t < tdm_trace_tracks(job->trace); t++)
    if (tdm_trace_track(job->trace, t) != NULL) job->drawn[job->drawn_count++] = t;
  qsort_r(job->drawn, job->drawn_count, sizeof *job->drawn, compare_drawn, job);
  uint32_t tid = job->process_count + 1;
  for (size_t i = 0; i < job->drawn_count; i++) {
    job->places[job->drawn[i]].tid = tid;
    tid += threads_of(job, job->drawn[i]);
  }
}

/* ---- pieces ---- */

static void put_unsigned(chrome_job *job, uint64_t value) {
  tdm_outfile_unsigned(job->file, value);
}

static void begin_event(chrome_job *job) {
  tdm_outfile_text(job->file, job->separator);
  job->separator = ",\n";
}

static void put_other_data(chrome_job *job) {
  PUT("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
  for (size_t i = 0; i < job->options->note_count; i++) {
    tdm_outfile_json(job->file, job->options->notes[i].key);
    PUT(":");
    tdm_outfile_json(job->file, job->options->notes[i].value);
    PUT(",");
  }
  tdm_trace_extent extent = tdm_trace_span_extent(job->trace);
  PUT("\"spans\":");
  put_unsigned(job, extent.kept);
  PUT(",\"spansDropped\":");
  put_unsigned(job, extent.dropped);
  if (extent.dropped > 0) {
    PUT(",\"completeUntilUs\":");
    tdm_outfile_micros(job->file, extent.complete_until_ns);
  }
  PUT(",\"flowRequestsPerClass\":");
  put_unsigned(job, job->options->flow_requests);
  PUT("},\n\"traceEvents\":[\n");
}

/* {"name":"thread_name","ph":"M","pid":1,"tid":3,"args":{"name":…}} up to the argument's value. */
static void begin_metadata(chrome_job *job, const char *what, uint32_t pid, uint32_t tid,
                           const char *argument) {
  begin_event(job);
  PUT("{\"name\":\"");
  tdm_outfile_text(job->file, what);
  PUT("\",\"ph\":\"M\",\"pid\":");
  put_unsigned(job, pid);
  if (tid != 0) {
    PUT(",\"tid\":");
    put_unsigned(job, tid);
  }
  PUT(",\"args\":{\"");
  tdm_outfile_text(job->file, argument);
  PUT("\":");
}

/* "GPU", "GPU queue", or "GPU 1" … where the track has several sub-lanes. */
static void put_thread_name(chrome_job *job, const tdm_track *track, uint32_t lane,
                            uint32_t lanes) {
  size_t length;
  char *text = tdm_json_quote(track->name, &length);
  if (text == NULL) {
    if (job->file->failure == 0) job->file->failure = ENOMEM;
    return;
  }
  tdm_outfile_put(job->file, text, length - 1); /* the closing quote comes last */
  free(text);
  /* The engine calls a queue by its station. */
  if (track->lane == TDM_LANE_QUEUE && strstr(track->name, "queue") == NULL) PUT(" queue");
  if (lanes > 1) {
    PUT(" ");
    put_unsigned(job, lane + 1);
  }
  PUT("\"");
}

static void put_metadata(chrome_job *job) {
  uint32_t pid = 0;
  for (size_t i = 0; i < job->drawn_count; i++) {
    uint32_t id = job->drawn[i], lanes = threads_of(job, id);
    const tdm_track *track = tdm_trace_track(job->trace, id);
    place at = job->places[id];
    if (at.pid != pid) {
      pid = at.pid;
      begin_metadata(job, "process_name", pid, 0, "name");
      tdm_outfile_json(job->file, track->process);
      PUT("}}");
      begin_metadata(job, "process_sort_index", pid, 0, "sort_index");
      put_unsigned(job, pid);
      PUT("}}");
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
      begin_metadata(job, "thread_name", pid, at.tid + lane, "name");
      put_thread_name(job, track, lane, lanes);
      PUT("}}");
      begin_metadata(job, "thread_sort_index", pid, at.tid + lane, "sort_index");
      put_unsigned(job, at.tid + lane);
      PUT("}}");
    }
  }
}

/* ---- spans ---- */

static void put_class(chrome_job *job, uint32_t index) {
  if (index < tdm_trace_classes(job->trace) && job->classes[index].text != NULL) {
    tdm_outfile_put(job->file, job->classes[index].text, job->classes[index].length);
    return;
  }
  PUT("\"class ");
  put_unsigned(job, index);
  PUT("\"");
}

static void put_place(chrome_job *job, place at, uint32_t lane) {
  PUT(",\"pid\":");
  put_unsigned(job, at.pid);
  PUT(",\"tid\":");
  put_unsigned(job, at.tid + lane);
}

/* Stands right after its span, at its start, so that viewers bind it to that span. */
static void put_flow(chrome_job *job, const tdm_span *span, place at, uint32_t lane, char step) {
  char ph[] = "{\"name\":\"request\",\"cat\":\"flow\",\"ph\":\"?\",\"id\":\"0x";
  begin_event(job);
  *strchr(ph, '?') = step;
  tdm_outfile_put(job->file, ph, sizeof ph - 1);
  char hex[16];
  size_t from = sizeof hex;
  uint64_t id = span->request;
  do hex[--from] = "0123456789abcdef"[id & 15];
  while ((id >>= 4) != 0);
  tdm_outfile_put(job->file, hex + from, sizeof hex - from);
  PUT("\",\"ts\":");
  tdm_outfile_micros(job->file, span->start_ns);
  put_place(job, at, lane);
  if (step == 'f')
    PUT(",\"bp\":\"e\"}");
  else
    PUT("}");
}

static void put_span(chrome_job *job, const tdm_span *span, const quoted *category, place at,
                     uint32_t lane) {
  begin_event(job);
  PUT("{\"name\":");
  tdm_outfile_put(job->file, job->names[span->name].text, job->names[span->name].length);
  tdm_outfile_put(job->file, category->text, category->length);
  tdm_outfile_micros(job->file, span->start_ns);
  PUT(",\"dur\":");
  tdm_outfile_micros(job->file, span->dur_ns);
  put_place(job, at, lane);
  PUT(",\"args\":{\"request\":");
  put_unsigned(job, (span->request & ((UINT64_C(1) << 48) - 1)) + 1); /* as r.id has it */
  PUT(",\"class\":");
  put_class(job, (uint32_t)(span->request >> 48));
  PUT(",\"batch\":");
  put_unsigned(job, span->arg);
  PUT("}}");
}

static void put_track_spans(chrome_job *job, uint32_t track) {
  char text[64] = ",\"cat\":\"";
  strcat(strcat(text, tdm_lane_name(tdm_trace_track(job->trace, track)->lane)),
         "\",\"ph\":\"X\",\"ts\":");
  quoted category = {text, strlen(text)};
  place at = job->places[track];
  for (size_t p = job->order.first[track]; p < job->order.first[track + 1]; p++) {
    tdm_span span = tdm_trace_span(job->trace, job->order.index[p]);
    put_span(job, &span, &category, at, job->order.lane[p]);
    if (job->flow[p] != 0) put_flow(job, &span, at, job->order.lane[p], job->flow[p]);
  }
}

/* ---- counters ---- */

static void begin_counter(chrome_job *job, const char *name, int64_t time_ns) {
  begin_event(job);
  PUT("{\"name\":");
  tdm_outfile_text(job->file, name);
  PUT(",\"ph\":\"C\",\"ts\":");
  tdm_outfile_micros(job->file, time_ns);
  PUT(",\"pid\":1,\"args\":{");
}

static tdm_status put_active(chrome_job *job, const char *name, unsigned lanes,
                             unsigned char *chosen, tdm_error *error) {
  for (uint32_t t = 0; t < tdm_trace_tracks(job->trace); t++) {
    const tdm_track *track = tdm_trace_track(job->trace, t);
    chosen[t] = track != NULL && (lanes >> track->lane & 1) != 0;
  }
  tdm_sweep sweep;
  tdm_status status = tdm_sweep_open(&sweep, job->trace, chosen, error);
  if (status != TDM_OK) return status;
  tdm_step step;
  while (tdm_sweep_next(&sweep, &step)) {
    begin_counter(job, name, step.time_ns);
    PUT("\"requests\":");
    put_unsigned(job, step.active);
    PUT("}}");
  }
  tdm_sweep_close(&sweep);
  return TDM_OK;
}

static tdm_status put_computed_counters(chrome_job *job, tdm_error *error) {
  unsigned char *chosen = tdm_array_new(tdm_trace_tracks(job->trace), 1);
  if (chosen == NULL) return tdm_error_memory(error, "counters", tdm_trace_tracks(job->trace));
  tdm_status status = put_active(job, "\"queued\"", 1u << TDM_LANE_QUEUE, chosen, error);
  if (status == TDM_OK)
    status = put_active(job, "\"GPU active\"", 1u << TDM_LANE_GPU, chosen, error);
  if (status == TDM_OK)
    status =
        put_active(job, "\"transfer active\"",
                   1u << TDM_LANE_H2D | 1u << TDM_LANE_D2H | 1u << TDM_LANE_COMM, chosen, error);
  if (status == TDM_OK)
    status = put_active(job, "\"CPU active\"", 1u << TDM_LANE_CPU, chosen, error);
  free(chosen);
  return status;
}

/* Counter, time, then the value's bits: a total order, whatever order they came in. */
static int compare_samples(const void *left, const void *right) {
  const tdm_counter_sample *a = left, *b = right;
  if (a->counter != b->counter) return a->counter < b->counter ? -1 : 1;
  if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns ? -1 : 1;
  return memcmp(&a->value, &b->value, sizeof a->value);
}

static tdm_status put_samples(chrome_job *job, tdm_error *error) {
  size_t count = tdm_trace_sample_extent(job->trace).kept;
  if (count == 0) return TDM_OK;
  tdm_counter_sample *samples = tdm_array_new(count, sizeof *samples);
  if (samples == NULL) return tdm_error_memory(error, "counter samples", count * sizeof *samples);
  memcpy(samples, tdm_trace_samples(job->trace), count * sizeof *samples);
  qsort(samples, count, sizeof *samples, compare_samples);
  for (size_t i = 0; i < count; i++) {
    const char *unit, *name = tdm_trace_counter(job->trace, samples[i].counter, &unit);
    char *quoted_name = tdm_json_quote(name, NULL);
    if (quoted_name == NULL) {
      free(samples);
      return tdm_error_memory(error, "a counter's name", strlen(name));
    }
    begin_counter(job, quoted_name, samples[i].time_ns);
    free(quoted_name);
    tdm_outfile_json(job->file, *unit != 0 ? unit : "value");
    PUT(":");
    tdm_outfile_double(job->file, samples[i].value);
    PUT("}}");
  }
  free(samples);
  return TDM_OK;
}

/* ---- the whole ---- */

static tdm_status prepare(chrome_job *job, tdm_error *error) {
  const tdm_trace *trace = job->trace;
  tdm_status status = tdm_order_open(&job->order, trace, error);
  if (status != TDM_OK) return status;
  job->names = quote_table(tdm_trace_names(trace), trace, tdm_trace_name);
  job->classes = quote_table(tdm_trace_classes(trace), trace, tdm_trace_class);
  job->places = tdm_array_new(tdm_trace_tracks(trace), sizeof *job->places);
  job->drawn = tdm_array_new(tdm_trace_tracks(trace), sizeof *job->drawn);
  job->flow = tdm_array_new(job->order.count, 1);
  job->file = malloc(sizeof *job->file);
  if (!job->names || !job->classes || !job->places || !job->drawn || !job->flow || !job->file)
    return tdm_error_memory(error, "writing a trace", job->order.count);
  number_processes(job);
  number_threads(job);
  return tdm_flow_mark(trace, &job->order, job->options->flow_requests, job->flow, error);
}

static tdm_status write_events(chrome_job *job, tdm_error *error) {
  put_other_data(job);
  put_metadata(job);
  for (uint32_t t = 0; t < job->order.tracks && job->file->failure == 0; t++)
    if (tdm_trace_track(job->trace, t) != NULL) put_track_spans(job, t);
  tdm_status status = TDM_OK;
  if (job->options->counters) status = put_computed_counters(job, error);
  if (status == TDM_OK) status = put_samples(job, error);
  PUT("\n]}\n");
  return status;
}

tdm_status tdm_chrome_write(const tdm_trace *trace, const char *path,
                            const tdm_chrome_options *options, tdm_error *error) {
  tdm_chrome_options defaults = TDM_CHROME_DEFAULTS;
  chrome_job job = {
      .trace = trace,
      .options = options != NULL ? options : &defaults,
      .separator = "",
  };
  tdm_status status = prepare(&job, error);
  if (status == TDM_OK) status = tdm_outfile_open(job.file, path, error);
  if (status == TDM_OK) {
    status = write_events(&job, error);
    if (status == TDM_OK)
      status = tdm_outfile_commit(job.file, error);
    else
      tdm_outfile_abort(job.file);
  }
  quote_free(job.names, tdm_trace_names(trace));
  quote_free(job.classes, tdm_trace_classes(trace));
  free(job.places);
  free(job.drawn);
  free(job.flow);
  free(job.file);
  tdm_order_close(&job.order);
  return status;
}
