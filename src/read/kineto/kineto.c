/* The reader "kineto": torch-profiler (Kineto) JSON of 2021 to today, and Chrome trace JSON of
 * anyone, Intel's unitrace among them (unitrace.c).
 *
 * Streams, whatever the size. Called through the table of readers.
 *
 * Walks the file once: events become rows as they come; what needs an other half waits in
 * kineto_flows and kineto_open, and names of tracks are told at the end. */
#include "read/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/kineto/inside.h"

enum { EVENTS_BETWEEN_CALLS = 1024 };

/* ---- the walk ---- */

/* Every so many events: whether to stop. */
static bool goes_on(tdm_kineto *k) {
  if (++k->events % EVENTS_BETWEEN_CALLS != 0) return true;
  if (tdm_recorder_failed(k->recorder)) return false;
  if (k->options->progress == NULL) return true;
  uint64_t done, total;
  tdm_input_progress(k->input, &done, &total);
  if (k->options->progress(k->options->context, done, total) == 0) return true;
  k->status = tdm_error_set(k->error, TDM_INTERRUPTED, "%s: interrupted after %llu events",
                            tdm_input_path(k->input), (unsigned long long)k->events);
  return false;
}

/* The array of events, or of samples, which have no phase. False: stop. */
static bool read_events(tdm_kineto *k, bool samples) {
  for (;;) {
    tdm_json_token token = tdm_json_next(k->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return true;
    if (token == TDM_JSON_OBJECT) {
      bool take = tdm_kineto_event_read(&k->reader, &k->event);
      if (samples) k->event.phase = 'P';
      if (take) tdm_kineto_take_event(k);
    } else {
      if (token == TDM_JSON_ARRAY) tdm_json_skip(k->json);
      tdm_record_problem(k->recorder, "events that are not objects (dropped)", 1);
    }
    if (!goes_on(k)) return false;
  }
}

/* The object around the events. False: stop. */
static bool read_top(tdm_kineto *k) {
  while (tdm_json_next(k->json) == TDM_JSON_KEY) {
    char key[128];
    snprintf(key, sizeof key, "%s", tdm_json_value(k->json, NULL));
    tdm_json_token token = tdm_json_next(k->json);
    if (strcmp(key, "traceEvents") == 0 && token == TDM_JSON_ARRAY) {
      k->has_events = true;
      if (!read_events(k, false)) return false;
    } else if (strcmp(key, "samples") == 0 && token == TDM_JSON_ARRAY) {
      if (!read_events(k, true)) return false;
    } else if (strcmp(key, "stackFrames") == 0 && token == TDM_JSON_OBJECT) {
      tdm_kineto_frames_read(k->samples, k->json);
    } else {
      tdm_kineto_fact(&k->facts, k->json, key, token);
    }
  }
  return true;
}

static void walk(tdm_kineto *k) {
  for (bool more = true; more;) {
    tdm_json_token token = tdm_json_next(k->json);
    if (token == TDM_JSON_END) return;
    if (token == TDM_JSON_OBJECT) more = read_top(k);
    if (token == TDM_JSON_ARRAY) {
      k->has_events = true;
      more = read_events(k, false);
    }
  }
}

/* ---- the source ---- */

static void describe(tdm_kineto *k) {
  char detail[64] = "Chrome trace events";
  const int64_t year_2001_ns = INT64_C(1000000000000000000);
  if (k->unitrace) snprintf(detail, sizeof detail, "unitrace");
  if (k->facts.schema != TDM_NONE)
    snprintf(detail, sizeof detail, "Kineto, schema %lld", (long long)k->facts.schema);
  tdm_recorder_detail(k->recorder, detail);
  int64_t rank = k->facts.rank;
  if (rank == TDM_NONE) rank = tdm_read_rank_of_path(tdm_input_path(k->input));
  if (rank != TDM_NONE) tdm_recorder_rank(k->recorder, rank);
  if (k->first_ns != TDM_NONE && k->first_ns > year_2001_ns)
    tdm_recorder_utc(k->recorder, 0); /* before there was a base, times were those of the day */
  else if (k->facts.base_ns != TDM_NONE)
    tdm_recorder_utc(k->recorder, k->facts.base_ns);
}

/* Every kind that the text needed, and how it ended. */
static tdm_status finish(tdm_kineto *k) {
  tdm_kineto_finish_events(k);
  describe(k);
  for (int i = 0; i < TDM_JSON_REPAIRS; i++)
    tdm_record_problem(k->recorder, tdm_json_repair_name((tdm_json_repair)i),
                       tdm_json_repaired(k->json, (tdm_json_repair)i));
  if (k->status != TDM_OK) return k->status;
  tdm_status status = tdm_json_status(k->json, k->error);
  if (status == TDM_INVALID && k->events > 0) {
    tdm_record_problem(k->recorder, "compressed data damaged or cut off (what there was is kept)",
                       1);
    return TDM_OK;
  }
  if (status == TDM_OK && !k->has_events)
    return tdm_error_set(k->error, TDM_INVALID, "%s: there are no \"traceEvents\" in it",
                         tdm_input_path(k->input));
  return status;
}

static int time_power(tdm_time_unit unit) {
  switch (unit) {
  case TDM_UNIT_NS: return 0;
  case TDM_UNIT_MS: return 6;
  case TDM_UNIT_S: return 9;
  default: return 3;
  }
}

static bool make(tdm_kineto *k) {
  k->json = tdm_json_new(k->input);
  k->args = tdm_kineto_args_new(k->recorder);
  k->tracks = tdm_kineto_tracks_new(k->recorder);
  k->flows = tdm_kineto_flows_new(k->recorder, k->tracks);
  k->open = tdm_kineto_open_new();
  k->samples = tdm_kineto_samples_new(k->recorder);
  k->reader = (tdm_kineto_event_reader){.json = k->json,
                                        .args = k->args,
                                        .tracks = k->tracks,
                                        .time_power = time_power(k->options->time_unit),
                                        .wanted = tdm_kineto_wanted,
                                        .context = k};
  k->facts = (tdm_kineto_facts){.recorder = k->recorder,
                                .tracks = k->tracks,
                                .base_ns = TDM_NONE,
                                .rank = TDM_NONE,
                                .schema = TDM_NONE};
  return k->json != NULL && k->args != NULL && k->tracks != NULL && k->flows != NULL &&
         k->open != NULL && k->samples != NULL && tdm_kineto_make_categories(k);
}

static void unmake(tdm_kineto *k) {
  tdm_kineto_event_free(&k->event);
  tdm_kineto_samples_free(k->samples);
  tdm_kineto_open_free(k->open);
  tdm_kineto_flows_free(k->flows);
  tdm_kineto_tracks_free(k->tracks);
  tdm_kineto_args_free(k->args);
  tdm_json_free(k->json);
  tdm_intern_clear(&k->categories);
  free(k->infos);
}

static tdm_status read(tdm_input *input, const tdm_read_options *options, tdm_recorder *recorder,
                       tdm_error *error) {
  tdm_kineto k = {.input = input,
                  .options = options,
                  .recorder = recorder,
                  .first_ns = TDM_NONE,
                  .last_ns = INT64_MIN,
                  .error = error};
  tdm_status status;
  if (make(&k)) {
    walk(&k);
    status = finish(&k);
  } else {
    status = tdm_error_memory(error, "a trace reader", sizeof k);
  }
  unmake(&k);
  return status;
}

/* ---- detection ---- */

static bool has(const unsigned char *head, size_t length, const char *key) {
  return memmem(head, length, key, strlen(key)) != NULL;
}

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  size_t at = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < length && isspace(head[at])) at++;
  if (at == length || (head[at] != '{' && head[at] != '[')) return 0;
  bool object = head[at] == '{';
  if (object && has(head, length, "\"traceEvents\"")) return 90;
  if (has(head, length, "speedscope") || has(head, length, "\"device_traces\"") ||
      has(head, length, "\"segments\""))
    return 0;
  if (object) {
    if (has(head, length, "\"schemaVersion\"") && has(head, length, "\"deviceProperties\""))
      return 85;
    return has(head, length, "\"deviceProperties\"") || has(head, length, "\"distributedInfo\"") ||
                   has(head, length, "\"baseTimeNanosecond")
               ? 70
               : 0;
  }
  if (!has(head, length, "\"ph\"")) return 0;
  return has(head, length, "\"ts\"") || has(head, length, "\"pid\"") ? 80 : 60;
}

const tdm_reader tdm_reader_kineto = {.name = "kineto",
                                      .title = "PyTorch profiler (Kineto) or Chrome trace JSON",
                                      .accepts = "*.json",
                                      .detect = detect,
                                      .read = read};
