/* Events by phase: rows, samples, edges, names. See inside.h. */
#include <stdio.h>

#include "base/memory.h"
#include "read/copy_name.h"
#include "read/kineto/event.h"
#include "read/kineto/inside.h"

enum { CATEGORIES = 1000 };

/* ---- categories ---- */

static uint32_t category_of(tdm_kineto *k, const char *spelling, size_t length) {
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
  tdm_kineto_info info = {.name = own};
  if (known != NULL) {
    info.name = known->category;
    info.without = known->without;
    info.copies = strcmp(info.name, "memcpy") == 0;
    info.sets = strcmp(info.name, "memset") == 0;
    info.calls = strcmp(info.name, "runtime") == 0 || strcmp(info.name, "driver") == 0;
    info.operators = strcmp(info.name, "cpu_op") == 0;
    info.side = known->side;
  }
  k->infos[index] = info;
  return index;
}

/* Two that no event spells: none at all, and allocations. */
bool tdm_kineto_make_categories(tdm_kineto *k) {
  category_of(k, "", 0);
  k->memory = category_of(k, "[memory]", 8);
  if (k->categories.count != 2 || k->info_room < 2) return false;
  k->infos[0].name = "event";
  k->infos[k->memory].name = "memory";
  k->infos[k->memory].without = TDM_READ_NO_CPU;
  return true;
}

bool tdm_kineto_wanted(void *context, const tdm_kineto_event *event) {
  tdm_kineto *k = context;
  k->category = 0;
  if (event->has_category) {
    const char *flow = tdm_unitrace_flow(event->category.bytes, event->category.length);
    k->category = flow != NULL ? category_of(k, flow, strlen(flow))
                               : category_of(k, event->category.bytes, event->category.length);
  }
  return (k->infos[k->category].without & k->options->dropped) == 0;
}

/* ---- events ---- */

static uint32_t name_of(const tdm_kineto *k) {
  return tdm_record_name(k->recorder, k->event.name.length > 0 ? k->event.name.bytes : "",
                         k->event.name.length);
}

static bool is_gpu(const tdm_kineto_info *info, bool names_device) {
  return info->side == TDM_KINETO_GPU || (info->side == TDM_KINETO_GPU_IF_TOLD && names_device);
}

static uint32_t track_of(tdm_kineto *k, bool *gpu) {
  const tdm_kineto_info *info = &k->infos[k->category];
  tdm_kineto_where where = {.pid = k->event.pid,
                            .tid = k->event.tid,
                            .device = tdm_kineto_args_number(k->args, TDM_KINETO_DEVICE),
                            .context = tdm_kineto_args_number(k->args, TDM_KINETO_CONTEXT),
                            .stream = tdm_kineto_args_number(k->args, TDM_KINETO_STREAM)};
  where.gpu = is_gpu(info, where.device != TDM_NONE);
  *gpu = where.gpu;
  if (!where.gpu) where.device = where.context = where.stream = TDM_NONE;
  return tdm_kineto_track(k->tracks, &where);
}

/* Arguments that tandem has words for and the file says otherwise. */
static void add_arguments(tdm_kineto *k) {
  const tdm_kineto_info *info = &k->infos[k->category];
  const char *name = k->event.name.length > 0 ? k->event.name.bytes : "";
  if (info->copies) {
    tdm_copy_name copy = tdm_copy_name_of(name);
    if (copy.kind != NULL && !tdm_kineto_args_has(k->args, "kind"))
      tdm_kineto_args_put_text(k->args, "kind", copy.kind);
    if (copy.from != NULL) tdm_kineto_args_put_text(k->args, "src_kind", copy.from);
    if (copy.to != NULL) tdm_kineto_args_put_text(k->args, "dst_kind", copy.to);
  } else if (info->sets && !tdm_kineto_args_has(k->args, "kind")) {
    const char *memory = tdm_copy_name_memset(name);
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

static void row(tdm_kineto *k, tdm_shape shape, int64_t start_ns, int64_t dur_ns) {
  bool gpu;
  uint32_t track = track_of(k, &gpu);
  const tdm_kineto_info *info = &k->infos[k->category];
  add_arguments(k);
  if (info->calls) tdm_kineto_launches(k->tracks, k->event.pid);
  tdm_kineto_args_row(k->args, k->category, info->name, gpu, shape, start_ns, dur_ns, track,
                      name_of(k));
}

static int64_t dur_from(tdm_kineto *k, int64_t start_ns, int64_t end_ns) {
  int64_t dur_ns;
  if (!__builtin_sub_overflow(end_ns, start_ns, &dur_ns) && dur_ns >= 0) return dur_ns;
  tdm_record_problem(k->recorder, "events that end before they begin (taken as 0 long)", 1);
  return 0;
}

/* Files of 2021 and 2022 have annotations among their operators. */
static void tell_annotation(tdm_kineto *k) {
  static const char own[] = "user_annotation";
  if (k->infos[k->category].operators && k->event.name.length > 0 &&
      tdm_kineto_is_annotation(k->event.name.bytes))
    k->category = category_of(k, own, sizeof own - 1);
}

static void complete_event(tdm_kineto *k) {
  tdm_kineto_event *event = &k->event;
  int64_t end_ns;
  const char *told = tdm_unitrace_tell(k);
  if (told != NULL) k->category = category_of(k, told, strlen(told));
  tell_annotation(k);
  if ((k->infos[k->category].without & k->options->dropped) != 0) return;
  if (!event->has_dur) {
    tdm_record_problem(k->recorder, "events without a duration (taken as 0 long)", 1);
    event->dur_ns = 0;
  }
  if (__builtin_add_overflow(event->time_ns, event->dur_ns, &end_ns)) {
    tdm_record_problem(k->recorder, "events beyond the year 2262 (dropped)", 1);
    return;
  }
  if (end_ns > k->last_ns) k->last_ns = end_ns;
  int64_t dur_ns = dur_from(k, event->time_ns, end_ns);
  if (told != NULL && k->infos[k->category].calls && !event->has_args) {
    bool gpu;
    tdm_kineto_launches(k->tracks, event->pid);
    tdm_unitrace_call(k, track_of(k, &gpu), name_of(k), dur_ns);
  } else {
    row(k, TDM_SHAPE_SPAN, event->time_ns, dur_ns);
  }
}

static void instant_event(tdm_kineto *k) {
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

static tdm_kineto_owner stack_owner(const tdm_kineto *k) {
  return (tdm_kineto_owner){.async = 0, .id = k->event.tid, .process = k->event.pid};
}

static tdm_kineto_owner async_owner(const tdm_kineto *k) {
  return (tdm_kineto_owner){.async = k->category + 1,
                            .id = k->event.id,
                            .process = k->event.local_id ? k->event.pid : TDM_NONE};
}

static void begin_event(tdm_kineto *k, const tdm_kineto_owner *owner) {
  bool gpu;
  tdm_kineto_begun begun = {.start_ns = k->event.time_ns,
                            .track = track_of(k, &gpu),
                            .category = k->category,
                            .name = k->event.has_name ? name_of(k) : TDM_KINETO_NAMELESS};
  add_arguments(k);
  begun.args = tdm_kineto_args_all(k->args, &begun.arg_count);
  if (k->infos[k->category].calls) tdm_kineto_launches(k->tracks, k->event.pid);
  if (!tdm_kineto_open_begin(k->open, owner, &begun))
    tdm_record_problem(k->recorder, "beginnings that there was no memory for (dropped)", 1);
}

/* A row of what began; the list of arguments may hold those of its end. */
static void begun_row(tdm_kineto *k, const tdm_kineto_begun *begun, tdm_shape shape, int64_t end_ns,
                      uint32_t end_name) {
  const tdm_kineto_info *info = &k->infos[begun->category];
  for (uint32_t i = 0; i < begun->arg_count; i++)
    tdm_kineto_args_put(k->args, begun->args[i].key, begun->args[i].type, begun->args[i].value,
                        false);
  uint32_t name = begun->name != TDM_KINETO_NAMELESS ? begun->name
                  : end_name != TDM_KINETO_NAMELESS  ? end_name
                                                     : tdm_record_text(k->recorder, "");
  bool gpu = is_gpu(info, tdm_kineto_args_has(k->args, "device"));
  tdm_kineto_args_row(k->args, begun->category, info->name, gpu, shape, begun->start_ns,
                      dur_from(k, begun->start_ns, end_ns), begun->track, name);
}

static void end_event(tdm_kineto *k, const tdm_kineto_owner *owner, tdm_shape shape) {
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

static void finish_open(tdm_kineto *k) {
  uint64_t count = 0;
  for (const tdm_kineto_begun *begun; (begun = tdm_kineto_open_take(k->open)) != NULL; count++) {
    tdm_kineto_args_clear(k->args);
    begun_row(k, begun, TDM_SHAPE_OPEN, k->last_ns, TDM_KINETO_NAMELESS);
  }
  tdm_record_problem(k->recorder, "beginnings without an end (kept as open)", count);
}

/* ---- counters, flows, metadata, samples ---- */

static void counter_event(tdm_kineto *k) {
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
      tdm_record_problem(k->recorder, "counter values that are not numbers (dropped)", 1);
      continue;
    }
    double value =
        args[i].type == TDM_ARG_INT ? (double)args[i].value : tdm_record_double(args[i].value);
    tdm_record_sample(k->recorder, k->event.time_ns, track, tdm_record_text(k->recorder, whole),
                      value, unit);
  }
}

static void flow_event(tdm_kineto *k) {
  if (!k->event.has_id) {
    tdm_record_problem(k->recorder, "flows without an id (dropped)", 1);
    return;
  }
  uint32_t args;
  tdm_kineto_args_all(k->args, &args);
  tdm_record_problem(k->recorder, "arguments of flow events (dropped)", args);
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
  char phase = k->event.phase; /* unitrace ends its flows by steps */
  if (phase == 't' && k->event.has_category &&
      tdm_unitrace_flow(k->event.category.bytes, k->event.category.length) != NULL)
    phase = 'f';
  tdm_kineto_flow_event(k->flows, &flow, phase, k->event.time_ns, track);
}

static void metadata_event(tdm_kineto *k) {
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
    if (k->facts.rank == TDM_NONE && strncmp(value, "RANK ", 5) == 0 && /* unitrace */
        !tdm_number_integer(value + 5, strspn(value + 5, "0123456789"), &k->facts.rank))
      k->facts.rank = TDM_NONE;
  } else if (strcmp(name, "process_labels") == 0) {
    tdm_kineto_label_process(k->tracks, event->pid, value);
  } else if (strcmp(name, "thread_name") == 0) {
    tdm_kineto_name_thread(k->tracks, event->pid, event->tid, value);
  } else if (strstr(name, "sort_index") == NULL && value[0] != 0 && strlen(value) < 4096) {
    snprintf(key, sizeof key, "metadata.%.200s", name);
    tdm_record_fact(k->recorder, key, value);
  }
}

static double weight_of(const tdm_kineto *k) {
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

static void sample_event(tdm_kineto *k) {
  if (k->event.value.length == 0) {
    if (!k->event.has_category) k->category = category_of(k, "sample", 6);
    row(k, TDM_SHAPE_INSTANT, k->event.time_ns, 0);
    return;
  }
  bool gpu;
  tdm_kineto_sample(k->samples, k->event.time_ns, track_of(k, &gpu), name_of(k),
                    k->event.value.bytes, k->event.value.length, weight_of(k));
}

/* ---- any event ---- */

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

void tdm_kineto_take_event(tdm_kineto *k) {
  const tdm_kineto_event *event = &k->event;
  tdm_unitrace_look(k);
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

void tdm_kineto_finish_events(tdm_kineto *k) {
  tdm_unitrace_flush(k);
  finish_open(k);
  tdm_kineto_flows_finish(k->flows);
  tdm_kineto_samples_finish(k->samples);
  tdm_kineto_tracks_finish(k->tracks);
}
