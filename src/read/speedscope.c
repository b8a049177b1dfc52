/* The speedscope reader: evented and sampled profiles of speedscope's file format.
 *
 * A profile is a track. Evented ones give spans of category "frame" (of the frame's file where
 * tandem wrote it), sampled ones spans of category "sample" with the number of samples in each.
 * Times in a unit that is none are taken for nanoseconds, or for what the caller says, and the
 * source's detail says so. Events that are out of order, do not match or have no end are mended and
 * counted. Keys may come in any order, so one profile at a time is in memory, 16 bytes an event,
 * and spans wait there too until the table of frames has come. In read/reader.c's table. */
#include "read/reader.h"

#include <stdlib.h>

#include "base/memory.h"
#include "read/arg_list.h"
#include "read/json/json.h"
#include "read/number.h"
#include "read/speedscope_profile.h"

#define NO_FRAME UINT32_MAX

typedef struct {
  uint32_t name;
  uint32_t file;     /* a name + 1; 0: none */
  int64_t line, col; /* TDM_NONE */
} frame;

typedef struct {
  tdm_scope_span span;
  uint32_t track;
} waiting;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  frame *frames;
  size_t frame_count, frame_room;
  int have_frames, by_tandem, seen;
  tdm_scope_profile profile;
  uint32_t track; /* of the profile in hand */
  uint64_t profiles;
  waiting *waits;
  size_t wait_count, wait_room;
  tdm_arg_layouts layouts;
  uint32_t key_samples, key_file, key_line, key_col, category_frame, category_sample;
  uint64_t tokens;
  int stopped, failed;
} job;

/* ---- spans ---- */

static void record(job *j, const tdm_scope_span *span, uint32_t track) {
  tdm_one_arg arg[4];
  uint32_t count = 0;
  int by_tandem = j->by_tandem;
  frame unknown = {.line = TDM_NONE, .col = TDM_NONE};
  const frame *about = span->frame < j->frame_count ? &j->frames[span->frame] : &unknown;
  if (about == &unknown) {
    unknown.name = tdm_record_text(j->recorder, "?");
    tdm_record_problem(j->recorder, "frames that are not in the table (named \"?\")", 1);
  }
  uint32_t category = span->samples == TDM_NONE ? j->category_frame : j->category_sample;
  if (by_tandem && about->file > 0)
    category = about->file - 1;
  else if (about->file > 0)
    arg[count++] = (tdm_one_arg){j->key_file, TDM_ARG_TEXT, about->file - 1};
  if (about->line != TDM_NONE) arg[count++] = (tdm_one_arg){j->key_line, TDM_ARG_INT, about->line};
  if (about->col != TDM_NONE) arg[count++] = (tdm_one_arg){j->key_col, TDM_ARG_INT, about->col};
  if (span->samples != TDM_NONE)
    arg[count++] = (tdm_one_arg){j->key_samples, TDM_ARG_INT, span->samples};
  int64_t dur_ns;
  if (__builtin_sub_overflow(span->end_ns, span->start_ns, &dur_ns)) dur_ns = INT64_MAX;
  tdm_arg_row(&j->layouts, category, (tdm_shape)span->shape, span->start_ns, dur_ns, track,
              about->name, arg, count);
}

static void take_span(void *context, const tdm_scope_span *span) {
  job *j = context;
  if (j->have_frames) {
    record(j, span, j->track);
    return;
  }
  if (!tdm_array_grow(&j->waits, &j->wait_room, j->wait_count + 1, sizeof *j->waits)) {
    j->failed = 1;
    return;
  }
  j->waits[j->wait_count++] = (waiting){*span, j->track};
}

static void record_waiting(job *j) {
  for (size_t i = 0; i < j->wait_count; i++) record(j, &j->waits[i].span, j->waits[i].track);
  j->wait_count = 0;
}

/* ---- tokens ---- */

/* The next token, with a look at the clock now and then. */
static tdm_json_token next(job *j) {
  const tdm_read_options *o = j->options;
  if ((++j->tokens & 0xffff) == 0 && o->progress != NULL) {
    uint64_t done, total;
    tdm_input_progress(j->input, &done, &total);
    j->stopped |= o->progress(o->context, done, total) != 0;
  }
  if (j->stopped || j->failed || j->profile.failed || tdm_recorder_failed(j->recorder))
    return TDM_JSON_END;
  return tdm_json_next(j->json);
}

/* In an object: the next key into `key`. False: the object is over. */
static int next_key(job *j, char *key, size_t room) {
  for (;;) {
    tdm_json_token token = next(j);
    if (token == TDM_JSON_END || token == TDM_JSON_OBJECT_END) return 0;
    if (token != TDM_JSON_KEY) {
      tdm_json_skip(j->json); /* a value without a key: the JSON reader has counted it */
      continue;
    }
    size_t length;
    const char *text = tdm_json_value(j->json, &length);
    if (length >= room) length = room - 1;
    memcpy(key, text, length);
    key[length] = 0;
    return 1;
  }
}

static int is(const char *key, const char *name) {
  return strcmp(key, name) == 0;
}

/* The value of a key where a number is wanted; others are passed over. */
static tdm_scope_number number(job *j) {
  tdm_json_token token = next(j);
  size_t length;
  if (token != TDM_JSON_NUMBER) {
    tdm_json_skip(j->json);
    return (tdm_scope_number){0, 0};
  }
  const char *text = tdm_json_value(j->json, &length);
  return tdm_scope_number_of(text, length);
}

static int64_t whole(job *j, tdm_json_token token, int64_t otherwise) {
  int64_t value;
  size_t length;
  if (token == TDM_JSON_NUMBER) {
    const char *text = tdm_json_value(j->json, &length);
    if (tdm_number_integer(text, length, &value)) return value;
  }
  tdm_json_skip(j->json);
  return otherwise;
}

static uint32_t frame_number(job *j, tdm_json_token token) {
  int64_t value = whole(j, token, -1);
  return value >= 0 && value < NO_FRAME ? (uint32_t)value : NO_FRAME;
}

/* The value of a key where a text is wanted. NULL: it is none. */
static const char *text(job *j, size_t *length) {
  if (next(j) == TDM_JSON_STRING) return tdm_json_value(j->json, length);
  tdm_json_skip(j->json);
  return NULL;
}

/* True when the key's value is an array, or object, which is open then. */
static int enters(job *j, tdm_json_token wanted) {
  if (next(j) == wanted) return 1;
  tdm_json_skip(j->json);
  return 0;
}

/* ---- frames ---- */

static void read_frame(job *j) {
  char key[16];
  size_t length;
  const char *value;
  frame fresh = {.line = TDM_NONE, .col = TDM_NONE};
  fresh.name = tdm_record_text(j->recorder, "");
  while (next_key(j, key, sizeof key)) {
    if (is(key, "name") && (value = text(j, &length)) != NULL)
      fresh.name = tdm_record_name(j->recorder, value, length);
    else if (is(key, "file") && (value = text(j, &length)) != NULL)
      fresh.file = tdm_record_name(j->recorder, value, length) + 1;
    else if (is(key, "line"))
      fresh.line = whole(j, next(j), TDM_NONE);
    else if (is(key, "col"))
      fresh.col = whole(j, next(j), TDM_NONE);
    else
      tdm_json_skip(j->json); /* nothing where a text was wanted and another value passed over */
  }
  if (!tdm_array_grow(&j->frames, &j->frame_room, j->frame_count + 1, sizeof *j->frames))
    j->failed = 1;
  else
    j->frames[j->frame_count++] = fresh;
}

static void read_shared(job *j) {
  char key[16];
  while (next_key(j, key, sizeof key)) {
    if (!is(key, "frames")) {
      tdm_json_skip(j->json);
      continue;
    }
    if (!enters(j, TDM_JSON_ARRAY)) continue;
    j->frame_count = 0;
    for (tdm_json_token token; (token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END;) {
      if (token == TDM_JSON_OBJECT)
        read_frame(j);
      else
        tdm_json_skip(j->json);
    }
    j->seen = j->have_frames = 1;
  }
}

/* ---- profiles ---- */

static void read_event(job *j) {
  char key[16];
  size_t length;
  const char *value;
  tdm_scope_profile *p = &j->profile;
  tdm_scope_event fresh = {.frame = NO_FRAME};
  int known = 0;
  while (next_key(j, key, sizeof key)) {
    if (is(key, "type")) {
      value = text(j, &length);
      fresh.opens = value != NULL && is(value, "O");
      known = value != NULL && (is(value, "O") || is(value, "C"));
    } else if (is(key, "frame")) {
      fresh.frame = frame_number(j, next(j));
    } else if (is(key, "at")) {
      tdm_scope_number at = number(j);
      fresh.value = at.value;
      fresh.decimals = (uint8_t)at.decimals;
    } else {
      tdm_json_skip(j->json);
    }
  }
  if (!known)
    tdm_record_problem(j->recorder, "events that neither open nor close a frame (left out)", 1);
  else if (!tdm_array_grow(&p->event, &p->event_room, p->events + 1, sizeof *p->event))
    j->failed = 1;
  else
    p->event[p->events++] = fresh;
}

static void read_events(job *j) {
  if (!enters(j, TDM_JSON_ARRAY)) return;
  for (tdm_json_token token; (token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END;) {
    if (token == TDM_JSON_OBJECT)
      read_event(j);
    else
      tdm_json_skip(j->json);
  }
}

static void read_samples(job *j) {
  tdm_scope_profile *p = &j->profile;
  if (!enters(j, TDM_JSON_ARRAY)) return;
  for (tdm_json_token token; (token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END;) {
    if (token != TDM_JSON_ARRAY) {
      tdm_json_skip(j->json);
      continue;
    }
    while ((token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END) {
      if (!tdm_array_grow(&p->frame, &p->frame_room, p->frames + 1, sizeof *p->frame))
        j->failed = 1;
      else
        p->frame[p->frames++] = frame_number(j, token);
    }
    if (!tdm_array_grow(&p->sample, &p->sample_room, p->samples + 1, sizeof *p->sample))
      j->failed = 1;
    else
      p->sample[p->samples++] = p->frames;
  }
}

static void read_weights(job *j) {
  tdm_scope_profile *p = &j->profile;
  if (!enters(j, TDM_JSON_ARRAY)) return;
  for (tdm_json_token token; (token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END;) {
    size_t length;
    const char *value = token == TDM_JSON_NUMBER ? tdm_json_value(j->json, &length) : NULL;
    tdm_scope_number weight =
        value != NULL ? tdm_scope_number_of(value, length) : (tdm_scope_number){0, 0};
    if (value == NULL) tdm_json_skip(j->json);
    if (!tdm_array_grow(&p->weight, &p->weight_room, p->weights + 1, sizeof *p->weight))
      j->failed = 1;
    else
      p->weight[p->weights++] = weight;
  }
}

/* "process | track" where tandem wrote it. */
static uint32_t profile_track(job *j) {
  tdm_track track = TDM_TRACK_PLAIN;
  char *name = j->profile.name != NULL ? j->profile.name : NULL, *bar;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.name = name != NULL && name[0] != 0 ? name : "profile";
  if (name != NULL && j->by_tandem && (bar = strstr(name, " | ")) != NULL) {
    *bar = 0;
    track.process = name;
    track.name = bar + 3;
  }
  return tdm_record_track(j->recorder, &track);
}

static void read_profile(job *j) {
  char key[16];
  size_t length;
  const char *value;
  tdm_scope_profile *p = &j->profile;
  tdm_scope_profile_clear(p);
  while (next_key(j, key, sizeof key)) {
    if (is(key, "type"))
      p->sampled = (value = text(j, &length)) != NULL && is(value, "sampled");
    else if (is(key, "name"))
      tdm_scope_profile_name(p, (value = text(j, &length)) != NULL ? value : "");
    else if (is(key, "unit"))
      tdm_scope_profile_unit(p, (value = text(j, &length)) != NULL ? value : "");
    else if (is(key, "startValue"))
      p->start = number(j);
    else if (is(key, "endValue"))
      p->end = number(j);
    else if (is(key, "events"))
      read_events(j);
    else if (is(key, "samples"))
      read_samples(j);
    else if (is(key, "weights"))
      read_weights(j);
    else
      tdm_json_skip(j->json);
  }
  j->profiles++;
  j->track = profile_track(j);
  tdm_scope_profile_spans(p);
}

static void read_profiles(job *j) {
  if (!enters(j, TDM_JSON_ARRAY)) return;
  j->seen = 1;
  for (tdm_json_token token; (token = next(j)) != TDM_JSON_END && token != TDM_JSON_ARRAY_END;) {
    if (token == TDM_JSON_OBJECT)
      read_profile(j);
    else
      tdm_json_skip(j->json);
  }
}

/* ---- the file ---- */

static void read_file(job *j) {
  char key[24];
  size_t length;
  if (next(j) != TDM_JSON_OBJECT) return;
  while (next_key(j, key, sizeof key)) {
    if (is(key, "exporter")) {
      const char *value = text(j, &length);
      j->by_tandem = value != NULL && strncmp(value, "tandem", 6) == 0;
    } else if (is(key, "shared") && enters(j, TDM_JSON_OBJECT)) {
      read_shared(j);
    } else if (is(key, "profiles")) {
      read_profiles(j);
    } else if (!is(key, "shared")) {
      tdm_json_skip(j->json);
    }
  }
}

static void set_detail(job *j) {
  static const char *const details[] = {"values without a unit of time, as nanoseconds",
                                        "values without a unit of time, as nanoseconds",
                                        "values without a unit of time, as microseconds",
                                        "values without a unit of time, as milliseconds",
                                        "values without a unit of time, as seconds"};
  if (j->profile.no_time) tdm_recorder_detail(j->recorder, details[j->options->time_unit]);
}

static tdm_status finish(job *j, tdm_error *error) {
  tdm_status status = j->stopped ? TDM_OK : tdm_json_finish(j->json, error);
  if (status != TDM_OK) return status;
  j->failed |= j->profile.failed | j->layouts.failed;
  if (j->failed) return tdm_error_memory(error, "speedscope profiles", j->wait_room);
  record_waiting(j);
  set_detail(j);
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++)
    tdm_record_problem(j->recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(j->json, (tdm_json_repair)repair));
  if (j->stopped)
    return tdm_error_set(error, TDM_INTERRUPTED, "%s: interrupted", tdm_input_path(j->input));
  if (!j->seen)
    return tdm_error_set(
        error, TDM_INVALID,
        "%s: no speedscope file: it has neither \"shared\" frames nor \"profiles\"",
        tdm_input_path(j->input));
  return TDM_OK;
}

static tdm_status read_speedscope(tdm_input *input, const tdm_read_options *options,
                                  tdm_recorder *recorder, tdm_error *error) {
  static const int powers[] = {0, 0, 3, 6, 9};
  job *j = tdm_array_new(1, sizeof *j);
  tdm_json *json = tdm_json_new(input);
  if (j == NULL || json == NULL) {
    free(j);
    tdm_json_free(json);
    return tdm_error_memory(error, "speedscope profiles", sizeof *j);
  }
  j->input = input;
  j->options = options;
  j->recorder = j->layouts.recorder = j->profile.recorder = recorder;
  j->json = json;
  j->profile.unit_none = powers[options->time_unit];
  j->profile.span = take_span;
  j->profile.context = j;
  j->key_samples = tdm_record_text(recorder, "samples");
  j->key_file = tdm_record_text(recorder, "file");
  j->key_line = tdm_record_text(recorder, "line");
  j->key_col = tdm_record_text(recorder, "col");
  j->category_frame = tdm_record_text(recorder, "frame");
  j->category_sample = tdm_record_text(recorder, "sample");
  read_file(j);
  tdm_status status = finish(j, error);
  tdm_scope_profile_free(&j->profile);
  tdm_arg_layouts_free(&j->layouts);
  tdm_json_free(json);
  free(j->frames);
  free(j->waits);
  free(j);
  return status;
}

static int holds(const unsigned char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

static int detect_speedscope(const unsigned char *head, size_t length, const char *path) {
  size_t at = 0;
  (void)path;
  if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) at = 3;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL && head[at] != 0) at++;
  if (at == length || head[at] != '{') return 0;
  if (holds(head, length, "speedscope.app/file-format-schema")) return 95;
  int profiles = holds(head, length, "\"profiles\""), frames = holds(head, length, "\"frames\"");
  int kinds = holds(head, length, "\"evented\"") || holds(head, length, "\"sampled\"");
  return profiles && kinds && frames ? 80 : profiles && kinds ? 60 : 0;
}

const tdm_reader tdm_reader_speedscope = {.name = "speedscope",
                                          .title = "speedscope profiles",
                                          .accepts = "*.speedscope.json",
                                          .detect = detect_speedscope,
                                          .read = read_speedscope};
