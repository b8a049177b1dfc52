/* Track events of a Perfetto trace: slices, instants, counters and the ends of flows, and Chrome's
 * older events inside them. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/perfetto/inside.h"

typedef struct {
  tdm_pftrace_sequence *q;
  int64_t time_ns;
  int type, has_track, has_flows, has_extras;
  uint64_t track;
  uint32_t name, category;
  int has_value, is_real;
  uint64_t value;
  int has_delta, has_absolute;
  int64_t delta_us, absolute_us;
  int phase; /* of a Chrome event; 0: none */
  int64_t duration_us;
  uint64_t id, scope;
  int has_id;
} event;

/* ---- fields ---- */

static uint32_t interned(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, int table,
                         uint64_t iid) {
  uint32_t name = tdm_id_map_get(&q->table[table], iid);
  if (name != TDM_ID_NONE) return name;
  tdm_record_problem(s->recorder, "names that were never given (left empty)", 1);
  return tdm_record_text(s->recorder, "");
}

static void take_legacy(tdm_pftrace_state *s, event *e, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) switch (field.number) {
    case TDM_PF_LEGACY_NAME_IID:
      if (e->name == TDM_PF_NO_NAME) e->name = interned(s, e->q, TDM_PF_NAMES, field.value);
      break;
    case TDM_PF_LEGACY_PHASE: e->phase = (int)(field.value & 127); break;
    case TDM_PF_LEGACY_DURATION_US: e->duration_us = (int64_t)field.value; break;
    case TDM_PF_LEGACY_SCOPE: e->scope = tdm_pftrace_name(s, &field); break;
    case TDM_PF_LEGACY_UNSCOPED_ID:
    case TDM_PF_LEGACY_LOCAL_ID:
    case TDM_PF_LEGACY_GLOBAL_ID:
      e->id = field.value;
      e->has_id = 1;
      break;
    default: break;
    }
}

static void take_category(event *e, uint32_t name) {
  if (e->category == TDM_PF_NO_NAME) e->category = name;
}

static void take_field(tdm_pftrace_state *s, event *e, const tdm_proto_field *field) {
  const unsigned char *at = NULL;
  uint64_t iid;
  switch (field->number) {
  case TDM_PF_EVENT_DELTA_US:
    e->has_delta = 1;
    e->delta_us = (int64_t)field->value;
    break;
  case TDM_PF_EVENT_ABSOLUTE_US:
    e->has_absolute = 1;
    e->absolute_us = (int64_t)field->value;
    break;
  case TDM_PF_EVENT_CATEGORY_IIDS:
    while (tdm_proto_each(field, TDM_PROTO_VARINT, &at, &iid))
      take_category(e, interned(s, e->q, TDM_PF_CATEGORIES, iid));
    break;
  case TDM_PF_EVENT_CATEGORIES:
    take_category(e, tdm_pftrace_category(s->recorder, tdm_pftrace_name(s, field)));
    break;
  case TDM_PF_EVENT_ANNOTATION:
    if (field->wire == TDM_PROTO_BYTES) tdm_pftrace_annotation(s, e->q, field);
    break;
  case TDM_PF_EVENT_LEGACY:
    if (field->wire == TDM_PROTO_BYTES) take_legacy(s, e, field);
    break;
  case TDM_PF_EVENT_TYPE: e->type = (int)(field->value & 127); break;
  case TDM_PF_EVENT_NAME_IID: e->name = interned(s, e->q, TDM_PF_NAMES, field->value); break;
  case TDM_PF_EVENT_NAME: e->name = tdm_pftrace_name(s, field); break;
  case TDM_PF_EVENT_TRACK:
    e->track = field->value;
    e->has_track = 1;
    break;
  case TDM_PF_EVENT_COUNTER:
  case TDM_PF_EVENT_COUNTER_DOUBLE:
    e->has_value = 1;
    e->is_real = field->number == TDM_PF_EVENT_COUNTER_DOUBLE;
    e->value = field->value;
    break;
  case TDM_PF_EVENT_FLOWS:
  case TDM_PF_EVENT_FLOWS_END:
  case TDM_PF_EVENT_FLOWS_OLD:
  case TDM_PF_EVENT_FLOWS_END_OLD:
  case TDM_PF_EVENT_GPU_CORRELATION: e->has_flows = 1; break;
  case TDM_PF_EVENT_EXTRA_VALUES:
  case TDM_PF_EVENT_EXTRA_DOUBLE_VALUES: e->has_extras = 1; break;
  case TDM_PF_EVENT_EXTRA_TRACKS:
  case TDM_PF_EVENT_EXTRA_DOUBLE_TRACKS: break;
  case TDM_PF_EVENT_CORRELATION:
    tdm_arg_add(s->recorder, &s->args, s->correlation_id, TDM_ARG_INT, (int64_t)field->value);
    break;
  case TDM_PF_EVENT_CORRELATION_TEXT:
    tdm_arg_add(s->recorder, &s->args, s->correlation_id, TDM_ARG_TEXT, tdm_pftrace_name(s, field));
    break;
  default:
    if (field->wire == TDM_PROTO_BYTES)
      tdm_record_problem(s->recorder, "typed arguments of track events (left out)", 1);
    break;
  }
}

/* ---- rows ---- */

static uint32_t category_of(const tdm_pftrace_state *s, const event *e) {
  return e->category != TDM_PF_NO_NAME ? e->category : s->no_category;
}

static uint32_t name_of(tdm_pftrace_state *s, const event *e) {
  return e->name != TDM_PF_NO_NAME ? e->name : tdm_record_text(s->recorder, "");
}

static void begin(tdm_pftrace_state *s, const event *e, uint64_t uuid) {
  tdm_pftrace_begin(s, uuid, e->time_ns, name_of(s, e), category_of(s, e));
}

static void end(tdm_pftrace_state *s, const event *e, uint64_t uuid) {
  tdm_pftrace_end(s, uuid, e->time_ns);
}

static void instant(tdm_pftrace_state *s, const event *e, uint64_t uuid, tdm_shape shape,
                    int64_t dur_ns) {
  if (e->category != TDM_PF_NO_NAME && tdm_pftrace_is_tandem(s->recorder, e->category)) {
    if (e->name != TDM_PF_NO_NAME) tdm_pftrace_tandem_event(s, e->name);
    return; /* about the whole trace, or there for its flow only */
  }
  uint32_t category = category_of(s, e);
  if (tdm_pftrace_is_wanted(s, category))
    tdm_arg_row(&s->layouts, category, shape, e->time_ns, dur_ns, tdm_pftrace_track_id(s, uuid),
                name_of(s, e), s->args.arg, s->args.count);
}

static int is_told_by_tandem(const tdm_pftrace_state *s, uint64_t uuid) {
  uint32_t at = tdm_id_map_get(&s->by_uuid, uuid);
  return at != TDM_ID_NONE && s->tracks[at].is_tandem;
}

#define EXACT ((int64_t)1 << 53)

/* A value of a counter; it lies on its track's parent. */
static void sample(tdm_pftrace_state *s, const event *e, uint64_t uuid, int is_real,
                   uint64_t bits) {
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return;
  int64_t value = (int64_t)bits;
  double real = is_real ? tdm_record_double(value) : 0;
  if (track->incremental && !is_real)
    track->value = value = (int64_t)((uint64_t)track->value + bits);
  if (!is_real) value = (int64_t)((uint64_t)value * (uint64_t)track->multiplier);
  if (is_real) real *= (double)track->multiplier;
  /* Counters are doubles, unless a double cannot hold them or tandem wrote them as whole numbers.
   */
  int whole = !is_real && (is_told_by_tandem(s, track->parent) || value > EXACT || value < -EXACT);
  if (!whole) value = tdm_record_real(is_real ? real : (double)value);
  uint32_t unit = track->unit, name = track->name, category = track->category;
  uint64_t parent = track->parent;
  if (name == TDM_PF_NO_NAME) name = name_of(s, e);
  if (!track->is_counter) unit = tdm_record_text(s->recorder, "");
  uint32_t track_id = tdm_pftrace_track_id(s, parent != 0 || track->is_counter ? parent : uuid);
  static const char *const keys[] = {"value", "unit"};
  if (category == TDM_PF_NO_NAME) category = tdm_record_text(s->recorder, "counter");
  tdm_arg_list all;
  all.count = 0;
  tdm_arg_add(s->recorder, &all, tdm_record_text(s->recorder, keys[0]),
              whole ? TDM_ARG_INT : TDM_ARG_REAL, value);
  tdm_arg_add(s->recorder, &all, tdm_record_text(s->recorder, keys[1]), TDM_ARG_TEXT, unit);
  if (e->type == TDM_PF_TYPE_COUNTER)
    for (uint32_t i = 0; i < s->args.count; i++)
      tdm_arg_add(s->recorder, &all, s->args.arg[i].key, (tdm_arg_type)s->args.arg[i].type,
                  s->args.arg[i].value);
  if (tdm_pftrace_is_wanted(s, category))
    tdm_arg_row(&s->layouts, category, TDM_SHAPE_SAMPLE, e->time_ns, 0, track_id, name, all.arg,
                all.count);
}

/* ---- counters and flows at an event ---- */

static void extras(tdm_pftrace_state *s, const event *e, const tdm_proto_field *data, int is_real) {
  uint32_t values = is_real ? TDM_PF_EVENT_EXTRA_DOUBLE_VALUES : TDM_PF_EVENT_EXTRA_VALUES;
  uint32_t tracks = is_real ? TDM_PF_EVENT_EXTRA_DOUBLE_TRACKS : TDM_PF_EVENT_EXTRA_TRACKS;
  uint64_t own[TDM_PF_EXTRA_TRACKS], value;
  const uint64_t *track = is_real ? e->q->extra_double_track : e->q->extra_track;
  uint32_t count = is_real ? e->q->extra_double_tracks : e->q->extra_tracks, given = 0,
           at_value = 0;
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    const unsigned char *at = NULL;
    if (field.number != tracks) continue;
    while (tdm_proto_each(&field, TDM_PROTO_VARINT, &at, &value))
      if (given < TDM_PF_EXTRA_TRACKS) own[given++] = value;
  }
  if (given > 0) {
    track = own;
    count = given;
  }
  scan = tdm_proto_inside(data);
  while (tdm_proto_next(&scan, &field)) {
    const unsigned char *at = NULL;
    if (field.number != values) continue;
    while (tdm_proto_each(&field, is_real ? TDM_PROTO_FIXED64 : TDM_PROTO_VARINT, &at, &value)) {
      if (at_value < count)
        sample(s, e, track[at_value++], is_real, value);
      else
        tdm_record_problem(s->recorder, "values of counters without a track (left out)", 1);
    }
  }
}

static void add_flow(tdm_pftrace_state *s, const event *e, uint64_t uuid, uint64_t id, int last) {
  tdm_pftrace_flow(s, id, TDM_PF_NO_NAME, e->time_ns, tdm_pftrace_track_id(s, uuid), last);
}

/* What a call launched, by the numbers of the stages. */
static void launches(tdm_pftrace_state *s, const event *e, uint64_t uuid,
                     const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    const unsigned char *at = NULL;
    uint64_t id;
    if (field.number != 1) continue;
    while (tdm_proto_each(&field, TDM_PROTO_VARINT, &at, &id))
      tdm_pftrace_flow(s, id, s->launch_kind, e->time_ns, tdm_pftrace_track_id(s, uuid), 0);
  }
}

static void flows(tdm_pftrace_state *s, const event *e, uint64_t uuid,
                  const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    const unsigned char *at = NULL;
    uint64_t id;
    if (field.number == TDM_PF_EVENT_GPU_CORRELATION && field.wire == TDM_PROTO_BYTES)
      launches(s, e, uuid, &field);
    int fixed = field.number == TDM_PF_EVENT_FLOWS || field.number == TDM_PF_EVENT_FLOWS_END;
    int old = field.number == TDM_PF_EVENT_FLOWS_OLD || field.number == TDM_PF_EVENT_FLOWS_END_OLD;
    int last = field.number == TDM_PF_EVENT_FLOWS_END || field.number == TDM_PF_EVENT_FLOWS_END_OLD;
    if (!fixed && !old) continue;
    while (tdm_proto_each(&field, fixed ? TDM_PROTO_FIXED64 : TDM_PROTO_VARINT, &at, &id))
      add_flow(s, e, uuid, id, last);
  }
}

/* ---- Chrome's older events ---- */

/* The track of asynchronous events with the event's id: a track below the event's own. */
static uint64_t async_track(tdm_pftrace_state *s, const event *e, uint64_t uuid) {
  uint64_t hash = e->id * 0x9E3779B97F4A7C15u ^ (e->scope + 1) * 0xC2B2AE3D27D4EB4Fu ^ uuid;
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, hash | (uint64_t)1 << 63);
  if (track == NULL) return 0;
  if (!track->told) {
    track->told = track->is_async = 1;
    track->parent = uuid;
    track->name = name_of(s, e);
  }
  return track->uuid;
}

static void chrome_event(tdm_pftrace_state *s, event *e, uint64_t uuid) {
  switch (e->phase) {
  case 'B': begin(s, e, uuid); break;
  case 'E': end(s, e, uuid); break;
  case 'I':
  case 'i':
  case 'R': instant(s, e, uuid, TDM_SHAPE_INSTANT, 0); break;
  case 'X': {
    int64_t dur_ns;
    if (__builtin_mul_overflow(e->duration_us, 1000, &dur_ns) || dur_ns < 0) dur_ns = 0;
    instant(s, e, uuid, TDM_SHAPE_SPAN, dur_ns);
    break;
  }
  case 'b':
  case 'S': begin(s, e, async_track(s, e, uuid)); break;
  case 'e':
  case 'F': end(s, e, async_track(s, e, uuid)); break;
  case 'n': instant(s, e, async_track(s, e, uuid), TDM_SHAPE_INSTANT, 0); break;
  case 's':
  case 't':
  case 'f': add_flow(s, e, uuid, e->id, e->phase == 'f'); break;
  default: tdm_record_problem(s->recorder, "Chrome events of other phases (left out)", 1); break;
  }
}

/* ---- one event ---- */

static uint64_t track_of(tdm_pftrace_state *s, const event *e) {
  const tdm_pftrace_sequence *q = e->q;
  if (e->has_track) return e->track;
  if (q->has_track) return q->track;
  if (!q->has_thread) return 0;
  uint64_t uuid = (uint64_t)3 << 62 ^ (uint64_t)q->pid << 32 ^ (uint64_t)q->tid;
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL || track->told) return uuid;
  track->told = track->is_thread = 1;
  track->pid = q->pid;
  track->tid = q->tid;
  return uuid;
}

static int find_time(tdm_pftrace_state *s, event *e, int has_time, int64_t time_ns) {
  int64_t us = e->absolute_us;
  if (e->has_delta)
    us = e->q->reference_us = (int64_t)((uint64_t)e->q->reference_us + (uint64_t)e->delta_us);
  e->time_ns = time_ns;
  if (e->has_delta || e->has_absolute)
    e->time_ns = (int64_t)((uint64_t)us * 1000);
  else if (!has_time)
    return 0;
  e->time_ns = (int64_t)((uint64_t)e->time_ns - (uint64_t)s->shift_ns);
  if (e->time_ns > s->last_ns) s->last_ns = e->time_ns;
  return 1;
}

void tdm_pftrace_track_event(tdm_pftrace_state *s, tdm_pftrace_sequence *q, int has_time,
                             int64_t time_ns, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  event e = {.q = q, .name = TDM_PF_NO_NAME, .category = TDM_PF_NO_NAME};
  s->args.count = 0;
  while (tdm_proto_next(&scan, &field)) take_field(s, &e, &field);
  if (scan.bad) {
    tdm_record_problem(s->recorder, "track events that cannot be read (left out)", 1);
    return;
  }
  if (!find_time(s, &e, has_time, time_ns)) {
    tdm_record_problem(s->recorder, "events without a time (left out)", 1);
    return;
  }
  uint64_t uuid = track_of(s, &e);
  if (e.has_extras) {
    extras(s, &e, data, 0);
    extras(s, &e, data, 1);
  }
  if (e.has_flows) flows(s, &e, uuid, data);
  switch (e.type) {
  case TDM_PF_TYPE_BEGIN: begin(s, &e, uuid); break;
  case TDM_PF_TYPE_END: end(s, &e, uuid); break;
  case TDM_PF_TYPE_INSTANT: instant(s, &e, uuid, TDM_SHAPE_INSTANT, 0); break;
  case TDM_PF_TYPE_COUNTER:
    if (e.has_value)
      sample(s, &e, uuid, e.is_real, e.value);
    else
      tdm_record_problem(s->recorder, "counter events without a value (left out)", 1);
    break;
  default:
    if (e.phase != 0)
      chrome_event(s, &e, uuid);
    else
      tdm_record_problem(s->recorder, "track events of no known type (left out)", 1);
    break;
  }
}
