/* See recording.h. Strings lie in an intern table of their own; ids are the producer's. */
#include "trace/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/intern.h"

typedef struct {
  tdm_layout layout;
  tdm_kept_rows rows;
} row_shelf;

typedef struct {
  const char *text;
  size_t length;
} kept_name;

struct tdm_recording {
  tdm_intern strings;
  kept_name *names;
  size_t name_count, name_room;
  tdm_track **tracks;
  size_t track_count, track_room;
  row_shelf **shelves;
  size_t shelf_count, shelf_room;
  tdm_source **sources;
  size_t source_count, source_room;
  tdm_fact *facts;
  size_t fact_count, fact_room;
  tdm_problem *problems;
  size_t problem_count, problem_room;
  tdm_metric *metrics;
  size_t metric_count, metric_room;
  tdm_artifact *artifacts;
  size_t artifact_count, artifact_room;
  tdm_request_record *requests;
  size_t request_count, request_room;
  const char **classes;
  size_t class_count, class_room;
};

tdm_recording *tdm_recording_new(void) {
  return tdm_array_new(1, sizeof(tdm_recording));
}

static void free_shelf(row_shelf *shelf) {
  if (shelf == NULL) return;
  tdm_kept_rows_close(&shelf->rows);
  free((void *)shelf->layout.arg);
  free(shelf);
}

void tdm_recording_free(tdm_recording *recording) {
  if (recording == NULL) return;
  for (size_t i = 0; i < recording->shelf_count; i++) free_shelf(recording->shelves[i]);
  for (size_t i = 0; i < recording->track_count; i++) free(recording->tracks[i]);
  for (size_t i = 0; i < recording->source_count; i++) free(recording->sources[i]);
  for (size_t i = 0; i < recording->artifact_count; i++)
    free((void *)recording->artifacts[i].bytes);
  free(recording->names);
  free(recording->tracks);
  free(recording->shelves);
  free(recording->sources);
  free(recording->facts);
  free(recording->problems);
  free(recording->metrics);
  free(recording->artifacts);
  free(recording->requests);
  free(recording->classes);
  tdm_intern_clear(&recording->strings);
  free(recording);
}

static tdm_status no_memory(tdm_error *error) {
  return tdm_error_memory(error, "a trace", 0);
}

/* A copy that lives as long as the recording. NULL stays NULL. */
static int keep(tdm_recording *recording, const char **text) {
  if (*text == NULL) return 1;
  uint32_t id = tdm_intern_put(&recording->strings, *text, strlen(*text), NULL);
  if (id == TDM_INTERN_FAILED) return 0;
  *text = recording->strings.entries[id].bytes;
  return 1;
}

/* Makes room for item `id` of an array; new items in between are zero. */
#define RESERVE(recording, items, count, room, id)                                                 \
  (tdm_array_grow(&(recording)->items, &(recording)->room, (size_t)(id) + 1,                       \
                  sizeof *(recording)->items) &&                                                   \
   extend((void *)(recording)->items, &(recording)->count, (size_t)(id) + 1,                       \
          sizeof *(recording)->items))

static int extend(void *items, size_t *count, size_t need, size_t size) {
  if (need > *count) {
    memset((char *)items + *count * size, 0, (need - *count) * size);
    *count = need;
  }
  return 1;
}

static tdm_status take_name(void *context, uint32_t id, const char *text, size_t length,
                            tdm_error *error) {
  tdm_recording *r = context;
  uint32_t string = tdm_intern_put(&r->strings, text, length, NULL);
  if (string == TDM_INTERN_FAILED || !RESERVE(r, names, name_count, name_room, id))
    return no_memory(error);
  r->names[id] = (kept_name){r->strings.entries[string].bytes, length};
  return TDM_OK;
}

static tdm_status take_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  tdm_recording *r = context;
  tdm_track *own = malloc(sizeof *own);
  if (own == NULL || !RESERVE(r, tracks, track_count, track_room, id)) {
    free(own);
    return no_memory(error);
  }
  *own = *track;
  free(r->tracks[id]);
  r->tracks[id] = own;
  return keep(r, &own->process) && keep(r, &own->name) ? TDM_OK : no_memory(error);
}

static tdm_status take_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  tdm_recording *r = context;
  row_shelf *fresh = tdm_array_new(1, sizeof *fresh);
  if (fresh == NULL || !RESERVE(r, shelves, shelf_count, shelf_room, id)) {
    free(fresh);
    return no_memory(error);
  }
  free_shelf(r->shelves[id]);
  r->shelves[id] = NULL;
  tdm_arg *args = tdm_array_new(layout->args, sizeof *args);
  int kept = tdm_kept_rows_open(&fresh->rows, id, TDM_ARGS + layout->args) && args != NULL;
  fresh->layout = *layout;
  fresh->layout.arg = args;
  if (kept) kept = keep(r, &fresh->layout.category);
  for (uint32_t i = 0; kept && i < layout->args; i++) {
    args[i] = layout->arg[i];
    kept = keep(r, &args[i].key);
  }
  if (!kept) {
    free(args);
    tdm_kept_rows_close(&fresh->rows);
    free(fresh);
    return no_memory(error);
  }
  r->shelves[id] = fresh;
  return TDM_OK;
}

static tdm_status take_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  tdm_recording *r = context;
  row_shelf *shelf = rows->layout < r->shelf_count ? r->shelves[rows->layout] : NULL;
  if (shelf == NULL)
    return tdm_error_set(error, TDM_BUG, "recording: rows of unknown layout %u", rows->layout);
  return tdm_kept_rows_add(&shelf->rows, rows) ? TDM_OK : no_memory(error);
}

static tdm_status take_source(void *context, uint32_t id, const tdm_source *source,
                              tdm_error *error) {
  tdm_recording *r = context;
  tdm_source *own = malloc(sizeof *own);
  if (own == NULL || !RESERVE(r, sources, source_count, source_room, id)) {
    free(own);
    return no_memory(error);
  }
  *own = *source;
  free(r->sources[id]);
  r->sources[id] = own;
  return keep(r, &own->path) && keep(r, &own->format) && keep(r, &own->detail) ? TDM_OK
                                                                               : no_memory(error);
}

static tdm_status take_fact(void *context, uint32_t source, const char *key, const char *value,
                            tdm_error *error) {
  tdm_recording *r = context;
  tdm_fact fact = {source, key, value};
  size_t at = r->fact_count;
  if (!keep(r, &fact.key) || !keep(r, &fact.value) || !RESERVE(r, facts, fact_count, fact_room, at))
    return no_memory(error);
  r->facts[at] = fact;
  return TDM_OK;
}

static tdm_status take_problem(void *context, uint32_t source, const char *kind, uint64_t count,
                               tdm_error *error) {
  tdm_recording *r = context;
  tdm_problem problem = {source, kind, count};
  size_t at = r->problem_count;
  if (!keep(r, &problem.kind) || !RESERVE(r, problems, problem_count, problem_room, at))
    return no_memory(error);
  r->problems[at] = problem;
  return TDM_OK;
}

static tdm_status take_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  tdm_recording *r = context;
  tdm_metric own = *metric;
  size_t at = r->metric_count;
  if (!keep(r, &own.scope) || !keep(r, &own.subject) || !keep(r, &own.name) ||
      !keep(r, &own.unit) || !keep(r, &own.text) ||
      !RESERVE(r, metrics, metric_count, metric_room, at))
    return no_memory(error);
  r->metrics[at] = own;
  return TDM_OK;
}

static tdm_status take_artifact(void *context, const char *name_text, const char *type,
                                const void *bytes, size_t length, tdm_error *error) {
  tdm_recording *r = context;
  tdm_artifact own = {.name = name_text, .type = type, .length = length};
  size_t at = r->artifact_count;
  char *copy = malloc(length + 1);
  if (copy == NULL || !keep(r, &own.name) || !keep(r, &own.type) ||
      !RESERVE(r, artifacts, artifact_count, artifact_room, at)) {
    free(copy);
    return no_memory(error);
  }
  memcpy(copy, bytes, length);
  copy[length] = 0;
  own.bytes = copy;
  r->artifacts[at] = own;
  return TDM_OK;
}

static tdm_status take_requests(void *context, const tdm_request_record *records, size_t count,
                                tdm_error *error) {
  tdm_recording *r = context;
  size_t at = r->request_count;
  if (count == 0) return TDM_OK;
  if (!RESERVE(r, requests, request_count, request_room, at + count - 1)) return no_memory(error);
  memcpy(r->requests + at, records, count * sizeof *records);
  return TDM_OK;
}

static tdm_status take_class(void *context, uint32_t index, const char *text, tdm_error *error) {
  tdm_recording *r = context;
  if (!keep(r, &text) || !RESERVE(r, classes, class_count, class_room, index))
    return no_memory(error);
  r->classes[index] = text;
  return TDM_OK;
}

void tdm_recording_sink(tdm_recording *recording, tdm_record_sink *out) {
  *out = (tdm_record_sink){.context = recording,
                           .name = take_name,
                           .track = take_track,
                           .layout = take_layout,
                           .rows = take_rows,
                           .source = take_source,
                           .fact = take_fact,
                           .problem = take_problem,
                           .metric = take_metric,
                           .artifact = take_artifact,
                           .requests = take_requests,
                           .request_class = take_class};
}

/* ---- looking ---- */

uint32_t tdm_recording_names(const tdm_recording *recording) {
  return (uint32_t)recording->name_count;
}

const char *tdm_recording_name(const tdm_recording *recording, int64_t id, size_t *length) {
  if ((uint64_t)id >= recording->name_count) return NULL;
  if (length != NULL) *length = recording->names[id].length;
  return recording->names[id].text;
}

uint32_t tdm_recording_tracks(const tdm_recording *recording) {
  return (uint32_t)recording->track_count;
}

const tdm_track *tdm_recording_track(const tdm_recording *recording, int64_t id) {
  return (uint64_t)id < recording->track_count ? recording->tracks[id] : NULL;
}

uint32_t tdm_recording_layouts(const tdm_recording *recording) {
  return (uint32_t)recording->shelf_count;
}

const tdm_layout *tdm_recording_layout(const tdm_recording *recording, uint32_t id) {
  if (id >= recording->shelf_count || recording->shelves[id] == NULL) return NULL;
  return &recording->shelves[id]->layout;
}

uint32_t tdm_recording_sources(const tdm_recording *recording) {
  return (uint32_t)recording->source_count;
}

const tdm_source *tdm_recording_source(const tdm_recording *recording, uint32_t id) {
  return id < recording->source_count ? recording->sources[id] : NULL;
}

const tdm_kept_rows *tdm_recording_rows(const tdm_recording *recording, uint32_t layout) {
  if (tdm_recording_layout(recording, layout) == NULL) return NULL;
  return &recording->shelves[layout]->rows;
}

void tdm_recording_forget(tdm_recording *recording, uint32_t layout, uint32_t column) {
  row_shelf *shelf = layout < recording->shelf_count ? recording->shelves[layout] : NULL;
  if (shelf == NULL || column < TDM_ARGS || column >= TDM_ARGS + shelf->layout.args) return;
  tdm_kept_rows_forget(&shelf->rows, column);
}

const tdm_fact *tdm_recording_facts(const tdm_recording *recording, size_t *count) {
  *count = recording->fact_count;
  return recording->facts;
}

const tdm_problem *tdm_recording_problems(const tdm_recording *recording, size_t *count) {
  *count = recording->problem_count;
  return recording->problems;
}

const tdm_metric *tdm_recording_metrics(const tdm_recording *recording, size_t *count) {
  *count = recording->metric_count;
  return recording->metrics;
}

const tdm_artifact *tdm_recording_artifacts(const tdm_recording *recording, size_t *count) {
  *count = recording->artifact_count;
  return recording->artifacts;
}

const tdm_request_record *tdm_recording_requests(const tdm_recording *recording, size_t *count) {
  *count = recording->request_count;
  return recording->requests;
}

uint32_t tdm_recording_request_classes(const tdm_recording *recording) {
  return (uint32_t)recording->class_count;
}

const char *tdm_recording_request_class(const tdm_recording *recording, uint32_t index) {
  return index < recording->class_count ? recording->classes[index] : NULL;
}
