/* The in-memory trace. See collect.h for what it promises. */
#include "trace/collect.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/window.h"

/* Ids are dense; anything above this is a broken sender, not a big trace. */
#define ID_LIMIT (1u << 24)

typedef struct {
  char **text; /* NULL where an id was not announced */
  size_t count;
  size_t capacity;
} string_table;

typedef struct {
  tdm_sink_track *items; /* process == NULL where an id was not announced */
  size_t count;
  size_t capacity;
} track_table;

struct tdm_trace {
  track_table tracks;
  string_table names, classes, counters, units, attributes;
  tdm_trace_chunk **chunks;
  size_t chunk_count, chunk_capacity;
  tdm_request_record *requests;
  size_t request_capacity;
  double **values; /* [attribute][request_capacity]; NULL until requests with values come */
  tdm_counter_sample *samples;
  size_t sample_capacity;
  tdm_window span_window, request_window, sample_window;
};

static tdm_status check_id(uint32_t id, const char *what, tdm_error *error) {
  if (id < ID_LIMIT) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "trace: %s id %u is out of range", what, id);
}

static tdm_status table_set(string_table *table, uint32_t id, const char *text, const char *what,
                            tdm_error *error) {
  tdm_status status = check_id(id, what, error);
  if (status != TDM_OK) return status;
  if (!tdm_array_grow(&table->text, &table->capacity, (size_t)id + 1, sizeof *table->text))
    return tdm_error_memory(error, what, ((size_t)id + 1) * sizeof *table->text);
  while (table->count <= id) table->text[table->count++] = NULL;
  char *copy = tdm_string_copy(text);
  if (copy == NULL) return tdm_error_memory(error, what, strlen(text) + 1);
  free(table->text[id]);
  table->text[id] = copy;
  return TDM_OK;
}

static const char *table_get(const string_table *table, uint32_t id) {
  return id < table->count ? table->text[id] : NULL;
}

static void table_free(string_table *table) {
  for (size_t i = 0; i < table->count; i++) free(table->text[i]);
  free(table->text);
}

static void track_clear(tdm_sink_track *track) {
  free((char *)(uintptr_t)track->process); /* our own copies, const only to readers */
  free((char *)(uintptr_t)track->name);
  *track = (tdm_sink_track){0};
}

tdm_trace *tdm_trace_new(size_t limit) {
  tdm_trace *trace = tdm_array_new(1, sizeof *trace);
  if (trace == NULL) return NULL;
  if (limit > UINT32_MAX) limit = UINT32_MAX; /* writers index spans with 32 bits */
  tdm_window_init(&trace->span_window, limit);
  tdm_window_init(&trace->request_window, limit);
  tdm_window_init(&trace->sample_window, limit);
  return trace;
}

void tdm_trace_free(tdm_trace *trace) {
  if (trace == NULL) return;
  for (size_t i = 0; i < trace->tracks.count; i++) track_clear(&trace->tracks.items[i]);
  free(trace->tracks.items);
  table_free(&trace->names);
  table_free(&trace->classes);
  table_free(&trace->counters);
  table_free(&trace->units);
  for (size_t i = 0; trace->values != NULL && i < trace->attributes.count; i++)
    free(trace->values[i]);
  free(trace->values);
  table_free(&trace->attributes);
  for (size_t i = 0; i < trace->chunk_count; i++) free(trace->chunks[i]);
  free(trace->chunks);
  free(trace->requests);
  free(trace->samples);
  free(trace);
}

static tdm_status take_track(void *context, const tdm_sink_track *track, tdm_error *error) {
  track_table *table = &((tdm_trace *)context)->tracks;
  tdm_status status = check_id(track->id, "track", error);
  if (status != TDM_OK) return status;
  size_t need = (size_t)track->id + 1;
  if (!tdm_array_grow(&table->items, &table->capacity, need, sizeof *table->items))
    return tdm_error_memory(error, "tracks", need * sizeof *table->items);
  while (table->count < need) table->items[table->count++] = (tdm_sink_track){0};
  tdm_sink_track copy = *track;
  if ((unsigned)copy.lane >= TDM_LANES) copy.lane = TDM_LANE_OTHER;
  copy.process = tdm_string_copy(track->process);
  copy.name = tdm_string_copy(track->name);
  if (copy.process == NULL || copy.name == NULL) {
    track_clear(&copy);
    return tdm_error_memory(error, "a track", strlen(track->process) + strlen(track->name) + 2);
  }
  track_clear(&table->items[track->id]);
  table->items[track->id] = copy;
  return TDM_OK;
}

static tdm_status take_name(void *context, uint32_t id, const char *name, tdm_error *error) {
  return table_set(&((tdm_trace *)context)->names, id, name, "name", error);
}

static tdm_status take_counter(void *context, uint32_t id, const char *name, const char *unit,
                               tdm_error *error) {
  tdm_trace *trace = context;
  tdm_status status = table_set(&trace->counters, id, name, "counter", error);
  if (status != TDM_OK) return status;
  return table_set(&trace->units, id, unit, "counter unit", error);
}

tdm_status tdm_trace_class_name(tdm_trace *trace, uint32_t index, const char *name,
                                tdm_error *error) {
  return table_set(&trace->classes, index, name, "class", error);
}

/* Every span lies on an announced track, bears an announced name and ends in range. */
static tdm_status check_spans(const tdm_trace *trace, const tdm_span_block *block,
                              tdm_error *error) {
  for (uint32_t i = 0; i < block->count; i++) {
    int64_t end;
    if (tdm_trace_track(trace, block->track[i]) == NULL)
      return tdm_error_set(error, TDM_INVALID, "trace: a span lies on unknown track %u",
                           block->track[i]);
    if (table_get(&trace->names, block->name[i]) == NULL)
      return tdm_error_set(error, TDM_INVALID, "trace: a span has unknown name id %u",
                           block->name[i]);
    if (block->dur_ns[i] < 0 || __builtin_add_overflow(block->start_ns[i], block->dur_ns[i], &end))
      return tdm_error_set(error, TDM_INVALID,
                           "trace: span '%s' at %lld ns has the impossible duration %lld ns",
                           trace->names.text[block->name[i]], (long long)block->start_ns[i],
                           (long long)block->dur_ns[i]);
  }
  return TDM_OK;
}

/* The chunk with room for another span; NULL: out of memory. */
static tdm_trace_chunk *open_chunk(tdm_trace *trace) {
  if (trace->chunk_count > 0) {
    tdm_trace_chunk *last = trace->chunks[trace->chunk_count - 1];
    if (last->count < TDM_TRACE_CHUNK) return last;
  }
  if (!tdm_array_grow(&trace->chunks, &trace->chunk_capacity, trace->chunk_count + 1,
                      sizeof *trace->chunks))
    return NULL;
  tdm_trace_chunk *fresh = malloc(sizeof *fresh); /* not zeroed: columns are written before read */
  if (fresh == NULL) return NULL;
  fresh->count = 0;
  trace->chunks[trace->chunk_count++] = fresh;
  return fresh;
}

static void copy_span(tdm_trace_chunk *to, size_t i, const tdm_trace_chunk *from, size_t j) {
  to->start_ns[i] = from->start_ns[j];
  to->dur_ns[i] = from->dur_ns[j];
  to->request[i] = from->request[j];
  to->arg[i] = from->arg[j];
  to->bytes[i] = from->bytes[j];
  to->track[i] = from->track[j];
  to->name[i] = from->name[j];
}

/* Drops the spans that the window gave up, in place, keeping order. */
static void compact_spans(tdm_trace *trace) {
  size_t kept = 0;
  for (size_t c = 0; c < trace->chunk_count; c++) {
    const tdm_trace_chunk *chunk = trace->chunks[c];
    size_t count = chunk->count;
    for (size_t i = 0; i < count; i++) {
      if (!tdm_window_holds(&trace->span_window, chunk->start_ns[i])) continue;
      copy_span(trace->chunks[kept / TDM_TRACE_CHUNK], kept % TDM_TRACE_CHUNK, chunk, i);
      kept++;
    }
  }
  size_t used = (kept + TDM_TRACE_CHUNK - 1) / TDM_TRACE_CHUNK;
  for (size_t c = used; c < trace->chunk_count; c++) free(trace->chunks[c]);
  trace->chunk_count = used;
  for (size_t c = 0; c < used; c++)
    trace->chunks[c]->count = c + 1 < used ? TDM_TRACE_CHUNK : kept - c * TDM_TRACE_CHUNK;
}

static tdm_status take_spans(void *context, const tdm_span_block *block, tdm_error *error) {
  tdm_trace *trace = context;
  tdm_status status = check_spans(trace, block, error);
  if (status != TDM_OK) return status;
  uint32_t done = 0;
  while (done < block->count) {
    tdm_trace_chunk *chunk = open_chunk(trace);
    if (chunk == NULL) return tdm_error_memory(error, "spans", sizeof *chunk);
    size_t at = chunk->count;
    for (; done < block->count && at < TDM_TRACE_CHUNK; done++) {
      if (!tdm_window_admit(&trace->span_window, block->start_ns[done])) continue;
      chunk->start_ns[at] = block->start_ns[done];
      chunk->dur_ns[at] = block->dur_ns[done];
      chunk->request[at] = block->request[done];
      chunk->arg[at] = block->arg[done];
      chunk->bytes[at] = block->bytes[done];
      chunk->track[at] = block->track[done];
      chunk->name[at] = block->name[done];
      at++;
    }
    chunk->count = at;
  }
  if (tdm_window_shrink(&trace->span_window)) compact_spans(trace);
  return TDM_OK;
}

static tdm_status take_attribute(void *context, uint32_t index, const char *name,
                                 tdm_error *error) {
  tdm_trace *trace = context;
  if (trace->values != NULL)
    return tdm_error_set(error, TDM_INVALID, "trace: attribute \"%s\" comes after requests", name);
  return table_set(&trace->attributes, index, name, "attribute", error);
}

/* Room for `need` requests and their values; false: out of memory. Columns grow before the records,
 * whose capacity is theirs too. */
static bool grow_requests(tdm_trace *trace, size_t need, bool valued) {
  size_t attributes = valued ? trace->attributes.count : 0;
  if (attributes > 0 && trace->values == NULL) {
    trace->values = tdm_array_new(attributes, sizeof *trace->values);
    if (trace->values == NULL) return false;
  }
  size_t capacity = trace->request_capacity;
  for (size_t i = 0; i < attributes; i++) {
    capacity = trace->request_capacity;
    if (!tdm_array_grow(&trace->values[i], &capacity, need, sizeof *trace->values[i])) return false;
  }
  return tdm_array_grow(&trace->requests, &trace->request_capacity, need, sizeof *trace->requests);
}

/* Drops the requests that the window gave up, in place, keeping order. */
static void compact_requests(tdm_trace *trace, size_t count) {
  size_t kept = 0;
  for (size_t j = 0; j < count; j++) {
    if (!tdm_window_holds(&trace->request_window, trace->requests[j].arrival_ns)) continue;
    for (size_t i = 0; trace->values != NULL && i < trace->attributes.count; i++)
      trace->values[i][kept] = trace->values[i][j];
    trace->requests[kept++] = trace->requests[j];
  }
}

/* A trace whose attributes were announced is told the values of every request. */
static tdm_status take_requests(void *context, const tdm_request_record *records,
                                const double *values, size_t count, tdm_error *error) {
  tdm_trace *trace = context;
  tdm_window *window = &trace->request_window;
  size_t attributes = values != NULL ? trace->attributes.count : 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = window->kept;
    if (!tdm_window_admit(window, records[i].arrival_ns)) continue;
    if (at == trace->request_capacity && !grow_requests(trace, at + 1, values != NULL)) {
      tdm_window_retract(window, records[i].arrival_ns);
      return tdm_error_memory(error, "requests", (at + 1) * sizeof *trace->requests);
    }
    trace->requests[at] = records[i];
    for (size_t k = 0; k < attributes; k++) trace->values[k][at] = values[i * attributes + k];
    if (tdm_window_shrink(window)) compact_requests(trace, at + 1);
  }
  return TDM_OK;
}

static tdm_status take_samples(void *context, const tdm_counter_sample *samples, size_t count,
                               tdm_error *error) {
  tdm_trace *trace = context;
  tdm_window *window = &trace->sample_window;
  for (size_t i = 0; i < count; i++) {
    if (table_get(&trace->counters, samples[i].counter) == NULL)
      return tdm_error_set(error, TDM_INVALID, "trace: a sample of unknown counter %u",
                           samples[i].counter);
    size_t at = window->kept;
    if (!tdm_window_admit(window, samples[i].time_ns)) continue;
    if (!tdm_array_grow(&trace->samples, &trace->sample_capacity, at + 1, sizeof *trace->samples)) {
      tdm_window_retract(window, samples[i].time_ns);
      return tdm_error_memory(error, "counter samples", (at + 1) * sizeof *trace->samples);
    }
    trace->samples[at] = samples[i];
    if (!tdm_window_shrink(window)) continue;
    size_t kept = 0;
    for (size_t j = 0; j <= at; j++)
      if (tdm_window_holds(window, trace->samples[j].time_ns))
        trace->samples[kept++] = trace->samples[j];
  }
  return TDM_OK;
}

void tdm_trace_sink(tdm_trace *trace, tdm_sink *out) {
  *out = (tdm_sink){
      .context = trace,
      .track = take_track,
      .name = take_name,
      .counter = take_counter,
      .spans = take_spans,
      .counters = take_samples,
      .attribute = take_attribute,
      .requests = take_requests,
  };
}

size_t tdm_trace_tracks(const tdm_trace *trace) {
  return trace->tracks.count;
}

const tdm_sink_track *tdm_trace_track(const tdm_trace *trace, uint32_t id) {
  if (id >= trace->tracks.count || trace->tracks.items[id].process == NULL) return NULL;
  return &trace->tracks.items[id];
}

size_t tdm_trace_names(const tdm_trace *trace) {
  return trace->names.count;
}

const char *tdm_trace_name(const tdm_trace *trace, uint32_t id) {
  return table_get(&trace->names, id);
}

size_t tdm_trace_classes(const tdm_trace *trace) {
  return trace->classes.count;
}

const char *tdm_trace_class(const tdm_trace *trace, uint32_t index) {
  return table_get(&trace->classes, index);
}

size_t tdm_trace_attributes(const tdm_trace *trace) {
  return trace->attributes.count;
}

const char *tdm_trace_attribute(const tdm_trace *trace, uint32_t index) {
  return table_get(&trace->attributes, index);
}

const char *tdm_trace_counter(const tdm_trace *trace, uint32_t id, const char **unit) {
  if (unit != NULL) *unit = table_get(&trace->units, id);
  return table_get(&trace->counters, id);
}

static tdm_trace_extent extent(const tdm_window *window) {
  return (tdm_trace_extent){window->kept, window->dropped, tdm_window_until(window)};
}

tdm_trace_extent tdm_trace_span_extent(const tdm_trace *trace) {
  return extent(&trace->span_window);
}

tdm_trace_extent tdm_trace_request_extent(const tdm_trace *trace) {
  return extent(&trace->request_window);
}

tdm_trace_extent tdm_trace_sample_extent(const tdm_trace *trace) {
  return extent(&trace->sample_window);
}

size_t tdm_trace_chunks(const tdm_trace *trace) {
  return trace->chunk_count;
}

const tdm_trace_chunk *tdm_trace_chunk_at(const tdm_trace *trace, size_t index) {
  return trace->chunks[index];
}

const tdm_request_record *tdm_trace_requests(const tdm_trace *trace) {
  return trace->requests;
}

const double *tdm_trace_values(const tdm_trace *trace, uint32_t attribute) {
  return trace->values != NULL ? trace->values[attribute] : NULL;
}

const tdm_counter_sample *tdm_trace_samples(const tdm_trace *trace) {
  return trace->samples;
}
