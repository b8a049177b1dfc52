/* See kineto.h. Walks the file once: events become rows as they come; what needs an other half
 * waits in kineto_flows and kineto_open, and names of tracks are told at the end. */
#include "read/kineto.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/kineto_copy.h"
#include "read/kineto_event.h"
#include "read/kineto_facts.h"
#include "read/kineto_flows.h"
#include "read/kineto_open.h"
#include "read/kineto_samples.h"
#include "trace/intern.h"

enum { CATEGORIES = 1000, EVENTS_BETWEEN_CALLS = 1024 };

typedef struct {
  const char *name; /* the category's, tandem's word */
  bool gpu, gpu_if_device, copies, sets, calls;
  unsigned without;
} category_info;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_kineto_args *args;
  tdm_kineto_tracks *tracks;
  tdm_kineto_flows *flows;
  tdm_kineto_open *open;
  tdm_kineto_samples *samples;
  tdm_kineto_facts facts;
  tdm_kineto_event event;
  tdm_kineto_event_reader reader;
  tdm_intern categories; /* by spelling */
  category_info *infos;
  size_t info_room;
  uint32_t category; /* of the event being read; 0: none */
  uint32_t last_category;
  uint32_t memory; /* the category of allocations */
  uint64_t events;
  int64_t first_ns, last_ns;
  bool has_events; /* an array of them was there */
  tdm_status status;
  tdm_error *error;
} kineto;

/* ---- categories ---- */

static uint32_t category_of(kineto *k, const char *spelling, size_t length) {
  int fresh;
  if (k->categories.count > 0) {
    const tdm_intern_entry *last = &k->categories.entries[k->last_category];
    if (last->length == length && memcmp(last->bytes, spelling, length) == 0)
      return k->last_category;
  }
  if (k->categories.count > CATEGORIES) {
    uint32_t known = tdm_intern_find(&k->categories, spelling, length);
    if (known != TDM_INTERN_FAILED) return known;
    tdm_record_problem(k->recorder, "events of too many categories (kept without one)", 1);
    return 0;
  }
  uint32_t index = tdm_intern_put(&k->categories, spelling, length, &fresh);
  if (index == TDM_INTERN_FAILED) return 0;
  if (!fresh) return k->last_category = index;
  if (!tdm_array_grow(&k->infos, &k->info_room, (size_t)index + 1, sizeof *k->infos)) return 0;
  const char *own = k->categories.entries[index].bytes;
  const tdm_kineto_category *known = tdm_kineto_category_of(own);
  category_info info = {.name = own};
  if (known != NULL) {
    info.name = known->category;
    info.without = known->without;
    info.copies = strcmp(info.name, "memcpy") == 0;
    info.sets = strcmp(info.name, "memset") == 0;
    info.calls = strcmp(info.name, "runtime") == 0 || strcmp(info.name, "driver") == 0;
    info.gpu_if_device = strcmp(info.name, "sync") == 0 || strcmp(info.name, "cuda_event") == 0;
    info.gpu = known->gpu && !info.gpu_if_device;
  }
  k->infos[index] = info;
  return index;
}

/* Two that no event spells: none at all, and allocations. */
static bool make_categories(kineto *k) {
  category_of(k, "", 0);
  k->memory = category_of(k, "[memory]", 8);
  if (k->categories.count != 2) return false;
  k->infos[0].name = "event";
  k->infos[k->memory].name = "memory";
  k->infos[k->memory].without = TDM_READ_NO_CPU;
  return true;
}

static bool wanted(void *context, const tdm_kineto_event *event) {
  kineto *k = context;
  k->category = 0;
  if (event->has_category)
    k->category = category_of(k, event->category.bytes, event->category.length);
  return (k->infos[k->category].without & k->options->dropped) == 0;
}

/* ---- events ---- */

static uint32_t name_of(const kineto *k) {
  return tdm_record_name(k->recorder, k->event.name.length > 0 ? k->event.name.bytes : "",
                         k->event.name.length);
}

static uint32_t track_of(kineto *k, bool *gpu) {
  const category_info *info = &k->infos[k->category];
  tdm_kineto_where where = {.pid = k->event.pid,
                            .tid = k->event.tid,
                            .device = tdm_kineto_args_place(k->args, TDM_KINETO_DEVICE),
                            .context = tdm_kineto_args_place(k->args, TDM_KINETO_CONTEXT),
                            .stream = tdm_kineto_args_place(k->args, TDM_KINETO_STREAM)};
  where.gpu = info->gpu || (info->gpu_if_device && where.device != TDM_NONE);
  *gpu = where.gpu;
  if (!where.gpu) where.device = where.context = where.stream = TDM_NONE;
  return tdm_kineto_track(k->tracks, &where);
}

/* Arguments that tandem has words for and the file says otherwise. */
static void add_arguments(kineto *k) {
  const category_info *info = &k->infos[k->category];
  const char *name = k->event.name.length > 0 ? k->event.name.bytes : "";
  if (info->copies) {
    tdm_kineto_copy copy = tdm_kineto_copy_of(name);
    if (copy.kind != NULL && !tdm_kineto_args_has(k->args, "kind"))
      tdm_kineto_args_put_text(k->args, "kind", copy.kind);
    if (copy.from != NULL) tdm_kineto_args_put_text(k->args, "src_kind", copy.from);
    if (copy.to != NULL) tdm_kineto_args_put_text(k->args, "dst_kind", copy.to);
  } else if (info->sets && !tdm_kineto_args_has(k->args, "kind")) {
    const char *memory = tdm_kineto_memset_of(name);
    if (memory != NULL) tdm_kineto_args_put_text(k->args, "kind", memory);
  }
  if (k->event.has_id) {
    const char *text = tdm_kineto_id_text(k->tracks, k->event.id);
    if (text != NULL) {
      tdm_kineto_args_put_text(k->args, "id", text);
    } else {
      char number[24];
      int length = snprintf(number, sizeof number, "%lld", (long long)k->event.id);
      tdm_kineto_args_put_number(k->args, "id", number, (size_t)length);
    }
  }
}

static void row(kineto *k, tdm_shape shape, int64_t start_ns, int64_t dur_ns) {
  bool gpu;
  uint32_t track = track_of(k, &gpu);
  const category_info *info = &k->infos[k->category];
  add_arguments(k);
  if (info->calls) tdm_kineto_launches(k->tracks, k->event.pid);
  tdm_kineto_args_row(k->args, k->category, info->name, gpu, shape, start_ns, dur_ns, track,
                      name_of(k));
}

static int64_t dur_from(kineto *k, int64_t start_ns, int64_t end_ns) {
  int64_t dur_ns;
  if (!__builtin_sub_overflow(end_ns, start_ns, &dur_ns) && dur_ns >= 0) return dur_ns;
  tdm_record_problem(k->recorder, "events that end before they begin (taken as 0 long)", 1);
  return 0;
}

static void complete_event(kineto *k) {
  tdm_kineto_event *event = &k->event;
  int64_t end_ns;
  if (!event->has_dur) {
    tdm_record_problem(k->recorder, "events without a duration (taken as 0 long)", 1);
    event->dur_ns = 0;
  }
  if (__builtin_add_overflow(event->time_ns, event->dur_ns, &end_ns)) {
    tdm_record_problem(k->recorder, "events beyond the year 2262 (dropped)", 1);
    return;
  }
  if (end_ns > k->last_ns) k->last_ns = end_ns;
  row(k, TDM_SHAPE_SPAN, event->time_ns, dur_from(k, event->time_ns, end_ns));
}

static void instant_event(kineto *k) {
  if (!k->event.has_category && k->event.name.length > 0) {
    bool memory = strcmp(k->event.name.bytes, "[memory]") == 0;
    k->category = memory ? k->memory : category_of(k, "marker", 6);
  } else if (k->event.name.length == 8 && memcmp(k->event.name.bytes, "[memory]", 8) == 0) {
    k->category = k->memory;
  }
  if ((k->infos[k->category].without & k->options->dropped) != 0) return;
  row(k, TDM_SHAPE_INSTANT, k->event.time_ns, 0);
}

/* ---- beginnings and ends ---- */

static tdm_kineto_owner stack_owner(const kineto *k) {
  return (tdm_kineto_owner){.async = 0, .id = k->event.tid, .process = k->event.pid};
}

static tdm_kineto_owner async_owner(const kineto *k) {
  return (tdm_kineto_owner){.async = k->category + 1,
                            .id = k->event.id,
                            .process = k->event.local_id ? k->event.pid : TDM_NONE};
}

static void begin_event(kineto *k, const tdm_kineto_owner *owner) {
  bool gpu;
  tdm_kineto_begun begun = {.start_ns = k->event.time_ns,
                            .track = track_of(k, &gpu),
                            .category = k->category,
                            .name = k->event.has_name ? name_of(k) : TDM_KINETO_NAMELESS};
  if (owner->async == 0) k->event.has_id = false;
  add_arguments(k);
  begun.args = tdm_kineto_args_all(k->args, &begun.arg_count);
  if (k->infos[k->category].calls) tdm_kineto_launches(k->tracks, k->event.pid);
  if (!tdm_kineto_open_begin(k->open, owner, &begun))
    tdm_record_problem(k->recorder, "beginnings that there was no memory for (dropped)", 1);
}

/* A row of what began; the list of arguments may hold those of its end. */
static void begun_row(kineto *k, const tdm_kineto_begun *begun, tdm_shape shape, int64_t end_ns,
                      uint32_t end_name) {
  const category_info *info = &k->infos[begun->category];
  for (uint32_t i = 0; i < begun->arg_count; i++)
    tdm_kineto_args_put(k->args, begun->args[i].key, begun->args[i].type, begun->args[i].value,
                        false);
  uint32_t name = begun->name != TDM_KINETO_NAMELESS ? begun->name
                  : end_name != TDM_KINETO_NAMELESS  ? end_name
                                                     : tdm_record_text(k->recorder, "");
  bool gpu = info->gpu || (info->gpu_if_device && tdm_kineto_args_has(k->args, "device"));
  tdm_kineto_args_row(k->args, begun->category, info->name, gpu, shape, begun->start_ns,
                      dur_from(k, begun->start_ns, end_ns), begun->track, name);
}

static void end_event(kineto *k, const tdm_kineto_owner *owner, tdm_shape shape) {
  uint32_t name = k->event.has_name ? name_of(k) : TDM_KINETO_NAMELESS;
  bool inner;
  const tdm_kineto_begun *begun = tdm_kineto_open_end(k->open, owner, name, &inner);
  if (begun == NULL) {
    tdm_record_problem(k->recorder, "ends without a beginning (dropped)", 1);
    return;
  }
  if (inner && owner->async == 0)
    tdm_record_problem(k->recorder, "ends out of order (matched by name)", 1);
  begun_row(k, begun, shape, k->event.time_ns, name);
}

static void finish_open(kineto *k) {
  uint64_t count = 0;
  for (const tdm_kineto_begun *begun; (begun = tdm_kineto_open_take(k->open)) != NULL; count++) {
    tdm_kineto_args_clear(k->args);
    begun_row(k, begun, TDM_SHAPE_OPEN, k->last_ns, TDM_KINETO_NAMELESS);
  }
  tdm_record_problem(k->recorder, "beginnings without an end (kept as open)", count);
}

/* ---- counters, flows, metadata, samples ---- */

static void counter_event(kineto *k) {
  uint32_t count, track = tdm_kineto_process_track(k->tracks, k->event.pid);
  const tdm_kineto_arg *args = tdm_kineto_args_all(k->args, &count);
  const char *name = k->event.name.length > 0 ? k->event.name.bytes : "";
  uint32_t unit = tdm_record_text(k->recorder, "");
  char id[64] = "";
  const char *text = k->event.has_id ? tdm_kineto_id_text(k->tracks, k->event.id) : NULL;
  if (text != NULL) snprintf(id, sizeof id, "[%.60s]", text);
  if (k->event.has_id && text == NULL) snprintf(id, sizeof id, "[%lld]", (long long)k->event.id);
  for (uint32_t i = 0; i < count; i++) {
    const char *series = tdm_kineto_args_key(k->args, args[i].key);
    bool plain = count == 1 && (strcmp(series, "value") == 0 || strcmp(series, name) == 0);
    char whole[512];
    snprintf(whole, sizeof whole, "%.240s%s%s%.200s", name, id, plain ? "" : " ",
             plain ? "" : series);
    bool number =
        (args[i].type == TDM_ARG_INT && args[i].value != TDM_NONE) || args[i].type == TDM_ARG_REAL;
    if (!number) {
      tdm_record_problem(k->recorder, "counter values that are no numbers (dropped)", 1);
      continue;
    }
    double value =
        args[i].type == TDM_ARG_INT ? (double)args[i].value : tdm_record_double(args[i].value);
    tdm_record_sample(k->recorder, k->event.time_ns, track, tdm_record_text(k->recorder, whole),
                      value, unit);
  }
}

static void flow_event(kineto *k) {
  if (!k->event.has_id) {
    tdm_record_problem(k->recorder, "flows without an id (dropped)", 1);
    return;
  }
  const char *kind = k->infos[k->category].name;
  bool launch = k->event.name.length == 6 && memcmp(k->event.name.bytes, "launch", 6) == 0;
  if (launch && strcmp(kind, "async") == 0) kind = "ac2g"; /* 2021 */
  uint32_t name = name_of(k);
  tdm_kineto_flow flow = {.kind = k->category > 0 ? tdm_record_text(k->recorder, kind) : name,
                          .category = k->category,
                          .name = name,
                          .id = k->event.id,
                          .number = k->event.id};
  if (tdm_kineto_id_text(k->tracks, k->event.id) != NULL) flow.number = TDM_NONE;
  uint32_t track = tdm_kineto_track_beside(k->tracks, k->event.pid, k->event.tid);
  tdm_kineto_flow_event(k->flows, &flow, k->event.phase, k->event.time_ns, track);
}

static void metadata_event(kineto *k) {
  const tdm_kineto_event *event = &k->event;
  const char *name = event->name.length > 0 ? event->name.bytes : "";
  const char *value = event->value.length > 0 ? event->value.bytes : NULL;
  uint32_t count;
  const tdm_kineto_arg *args = tdm_kineto_args_all(k->args, &count);
  if (value == NULL && count > 0 && args[0].type == TDM_ARG_TEXT) /* they came before the phase */
    value = tdm_recorder_name(k->recorder, (uint32_t)args[0].value, NULL);
  if (value == NULL) value = "";
  char key[256];
  if (strcmp(name, "process_name") == 0) {
    tdm_kineto_name_process(k->tracks, event->pid, value);
  } else if (strcmp(name, "process_labels") == 0) {
    tdm_kineto_label_process(k->tracks, event->pid, value);
  } else if (strcmp(name, "thread_name") == 0) {
    tdm_kineto_name_thread(k->tracks, event->pid, event->tid, value);
  } else if (strstr(name, "sort_index") == NULL && value[0] != 0 && strlen(value) < 4096) {
    snprintf(key, sizeof key, "metadata.%.200s", name);
    tdm_record_fact(k->recorder, key, value);
  }
}

static double weight_of(const kineto *k) {
  uint32_t count;
  const tdm_kineto_arg *args = tdm_kineto_args_all(k->args, &count);
  for (uint32_t i = 0; i < count; i++) {
    size_t length;
    if (strcmp(tdm_kineto_args_key(k->args, args[i].key), "weight") != 0) continue;
    if (args[i].type == TDM_ARG_INT) return (double)args[i].value;
    if (args[i].type == TDM_ARG_REAL) return tdm_record_double(args[i].value);
    if (args[i].type != TDM_ARG_TEXT) break;
    const char *text = tdm_recorder_name(k->recorder, (uint32_t)args[i].value, &length);
    return text != NULL ? tdm_number_double(text, length) : NAN;
  }
  return NAN;
}

static void sample_event(kineto *k) {
  if (k->event.value.length == 0) {
    if (!k->event.has_category) k->category = category_of(k, "sample", 6);
    row(k, TDM_SHAPE_INSTANT, k->event.time_ns, 0);
    return;
  }
  bool gpu;
  tdm_kineto_sample(k->samples, k->event.time_ns, track_of(k, &gpu), name_of(k),
                    k->event.value.bytes, k->event.value.length, weight_of(k));
}

/* ---- the walk ---- */

/* What is said of events that are left out, by phase. */
static const char *phase_problem(char phase) {
  switch (phase) {
  case 0: return "events without a phase (dropped)";
  case 'N':
  case 'O':
  case 'D': return "object events, phases N, O and D (dropped)";
  case 'v':
  case 'V': return "memory dumps, phases v and V (dropped)";
  case 'c': return "clock synchronization events, phase c (dropped)";
  case '(':
  case ')': return "context events, phases ( and ) (dropped)";
  default: return "events of an unknown phase (dropped)";
  }
}

static void take_event(kineto *k) {
  const tdm_kineto_event *event = &k->event;
  if (event->cut_off) {
    tdm_record_problem(k->recorder, "events cut off by the end of the file (dropped)", 1);
    return;
  }
  if (event->phase == 'M') {
    metadata_event(k);
    return;
  }
  bool known = event->phase != 0 && strchr("XBEiIRCstfbenSTpFP", event->phase) != NULL;
  if (!known || !event->has_time) {
    tdm_record_problem(k->recorder,
                       known ? "events without a time (dropped)" : phase_problem(event->phase), 1);
    return;
  }
  if (k->first_ns == TDM_NONE || event->time_ns < k->first_ns) k->first_ns = event->time_ns;
  if (event->time_ns > k->last_ns) k->last_ns = event->time_ns;
  tdm_kineto_owner owner;
  switch (event->phase) {
  case 'X': complete_event(k); break;
  case 'B':
    owner = stack_owner(k);
    begin_event(k, &owner);
    break;
  case 'E':
    owner = stack_owner(k);
    end_event(k, &owner, TDM_SHAPE_SPAN);
    break;
  case 'b':
  case 'S':
    owner = async_owner(k);
    begin_event(k, &owner);
    break;
  case 'e':
  case 'F':
    owner = async_owner(k);
    end_event(k, &owner, TDM_SHAPE_ASYNC);
    break;
  case 'C': counter_event(k); break;
  case 's':
  case 't':
  case 'f': flow_event(k); break;
  case 'P': sample_event(k); break;
  default: instant_event(k); break;
  }
}

/* Every so many events: whether to stop. */
static bool goes_on(kineto *k) {
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
static bool read_events(kineto *k, bool samples) {
  for (;;) {
    tdm_json_token token = tdm_json_next(k->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return true;
    if (token == TDM_JSON_OBJECT) {
      bool take = tdm_kineto_event_read(&k->reader, &k->event);
      if (samples) k->event.phase = 'P';
      if (take) take_event(k);
    } else {
      if (token == TDM_JSON_ARRAY) tdm_json_skip(k->json);
      tdm_record_problem(k->recorder, "events that are no objects (dropped)", 1);
    }
    if (!goes_on(k)) return false;
  }
}

/* The object around the events. False: stop. */
static bool read_top(kineto *k) {
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

static void walk(kineto *k) {
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

/* "…rank_3…", "…rank-3…", "…worker3…" in the last part of a path. */
static int64_t rank_of_path(const char *path) {
  const char *name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  for (const char *p = name; *p != 0; p++) {
    size_t word = strncmp(p, "rank", 4) == 0 ? 4 : strncmp(p, "worker", 6) == 0 ? 6 : 0;
    if (word == 0) continue;
    const char *digits = p + word;
    if (*digits == '_' || *digits == '-' || *digits == '.') digits++;
    size_t length = strspn(digits, "0123456789");
    int64_t rank;
    if (length > 0 && length < 8 && tdm_number_integer(digits, length, &rank)) return rank;
  }
  return TDM_NONE;
}

static void describe(kineto *k) {
  char detail[64] = "Chrome trace events";
  const int64_t year_2001_ns = INT64_C(1000000000000000000);
  if (k->facts.schema != TDM_NONE)
    snprintf(detail, sizeof detail, "Kineto, schema %lld", (long long)k->facts.schema);
  tdm_recorder_detail(k->recorder, detail);
  int64_t rank = k->facts.rank;
  if (rank == TDM_NONE) rank = rank_of_path(tdm_input_path(k->input));
  if (rank != TDM_NONE) tdm_recorder_rank(k->recorder, rank);
  if (k->first_ns != TDM_NONE && k->first_ns > year_2001_ns)
    tdm_recorder_utc(k->recorder, 0); /* before there was a base, times were those of the day */
  else if (k->facts.base_ns != TDM_NONE)
    tdm_recorder_utc(k->recorder, k->facts.base_ns);
}

/* Every kind that the text needed, and how it ended. */
static tdm_status finish(kineto *k) {
  finish_open(k);
  tdm_kineto_flows_finish(k->flows);
  tdm_kineto_samples_finish(k->samples);
  tdm_kineto_tracks_finish(k->tracks);
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

static bool make(kineto *k) {
  k->json = tdm_json_new(k->input);
  k->args = tdm_kineto_args_new(k->recorder);
  k->tracks = tdm_kineto_tracks_new(k->recorder);
  k->flows = tdm_kineto_flows_new(k->recorder);
  k->open = tdm_kineto_open_new();
  k->samples = tdm_kineto_samples_new(k->recorder);
  k->reader = (tdm_kineto_event_reader){.json = k->json,
                                        .args = k->args,
                                        .tracks = k->tracks,
                                        .time_power = time_power(k->options->time_unit),
                                        .wanted = wanted,
                                        .context = k};
  k->facts = (tdm_kineto_facts){.recorder = k->recorder,
                                .tracks = k->tracks,
                                .base_ns = TDM_NONE,
                                .rank = TDM_NONE,
                                .schema = TDM_NONE};
  return k->json != NULL && k->args != NULL && k->tracks != NULL && k->flows != NULL &&
         k->open != NULL && k->samples != NULL && make_categories(k);
}

static void unmake(kineto *k) {
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
  kineto k = {.input = input,
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
