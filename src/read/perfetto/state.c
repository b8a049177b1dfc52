/* Sequences, interned names and clocks of a Perfetto trace. See inside.h. */
#include "read/perfetto/inside.h"

#include <stdlib.h>

#include "base/memory.h"

/* Clocks that belong to one sequence. */
enum { CLOCK_OWN_FIRST = 64, CLOCK_OWN_LAST = 127 };

void tdm_pftrace_state_open(tdm_pftrace_state *s, tdm_recorder *recorder, uint64_t dropped) {
  *s = (tdm_pftrace_state){
      .recorder = recorder, .dropped = dropped, .layouts = {.recorder = recorder}};
  s->last_ns = INT64_MIN;
  s->utc_ns = TDM_NONE;
  s->unfinished = tdm_record_text(recorder, TDM_PF_TANDEM_UNFINISHED);
  s->correlation_id = tdm_record_text(recorder, "correlation_id");
  s->no_category = tdm_record_text(recorder, "slice");
  s->launch_kind = tdm_record_text(recorder, "ac2g");
}

void tdm_pftrace_state_close(tdm_pftrace_state *s) {
  for (size_t i = 0; i < s->sequence_count; i++)
    for (int table = 0; table < TDM_PF_TABLES; table++)
      tdm_id_map_free(&s->sequences[i].table[table]);
  for (size_t i = 0; i < s->track_count; i++) tdm_pftrace_slices_free(&s->tracks[i].slices);
  tdm_id_map *const maps[] = {&s->by_id, &s->by_uuid, &s->by_clock, &s->by_process, &s->by_key};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tdm_id_map_free(maps[i]);
  tdm_arg_layouts_free(&s->layouts);
  tdm_proto_free(&s->text);
  free(s->sequences);
  free(s->tracks);
  free(s->clocks);
  free(s->flows);
  free(s->kinds);
}

uint32_t tdm_pftrace_name(tdm_pftrace_state *s, const tdm_proto_field *field) {
  if (field->wire != TDM_PROTO_BYTES) return 0;
  return tdm_record_name(s->recorder, (const char *)field->bytes, field->length);
}

/* ---- sequences ---- */

tdm_pftrace_sequence *tdm_pftrace_sequence_of(tdm_pftrace_state *s, uint32_t id) {
  uint32_t at = tdm_id_map_get(&s->by_id, id);
  if (at != TDM_ID_NONE) return &s->sequences[at];
  if (s->sequence_count >= UINT32_MAX - 1 ||
      !tdm_array_grow(&s->sequences, &s->sequence_room, s->sequence_count + 1,
                      sizeof *s->sequences) ||
      !tdm_id_map_put(&s->by_id, id, (uint32_t)s->sequence_count)) {
    s->failed = 1;
    return NULL;
  }
  tdm_pftrace_sequence *fresh = &s->sequences[s->sequence_count++];
  *fresh = (tdm_pftrace_sequence){.id = id, .clock = TDM_PF_CLOCK_BOOTTIME};
  return fresh;
}

void tdm_pftrace_clear(tdm_pftrace_sequence *q) {
  for (int table = 0; table < TDM_PF_TABLES; table++) tdm_id_map_clear(&q->table[table]);
  q->valid = 1;
  q->clock = TDM_PF_CLOCK_BOOTTIME;
  q->has_track = q->has_thread = 0;
  q->extra_tracks = q->extra_double_tracks = 0;
}

static void intern_one(tdm_pftrace_state *s, tdm_pftrace_sequence *q, int table,
                       const tdm_proto_field *entry) {
  tdm_proto_scan scan = tdm_proto_inside(entry);
  tdm_proto_field field;
  uint64_t iid = 0;
  uint32_t name = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_ENTRY_IID) iid = field.value;
    if (table == TDM_PF_CONTEXTS && field.number == TDM_PF_ENTRY_TEXT)
      name = (uint32_t)field.value & INT32_MAX;
    else if (field.number == TDM_PF_ENTRY_TEXT ||
             (table == TDM_PF_KERNELS && field.number == TDM_PF_ENTRY_DEMANGLED))
      name = tdm_pftrace_name(s, &field);
  }
  if (table == TDM_PF_CATEGORIES) name = tdm_pftrace_category(s->recorder, name);
  if (iid != 0 && !tdm_id_map_put(&q->table[table], iid, name)) s->failed = 1;
}

void tdm_pftrace_intern(tdm_pftrace_state *s, tdm_pftrace_sequence *q,
                        const tdm_proto_field *data) {
  static const struct {
    uint32_t number;
    int table;
  } tables[] = {{TDM_PF_INTERNED_CATEGORIES, TDM_PF_CATEGORIES},
                {TDM_PF_INTERNED_NAMES, TDM_PF_NAMES},
                {TDM_PF_INTERNED_KEYS, TDM_PF_KEYS},
                {TDM_PF_INTERNED_TEXTS, TDM_PF_TEXTS},
                {TDM_PF_INTERNED_CONTEXTS, TDM_PF_CONTEXTS},
                {TDM_PF_INTERNED_SPECIFICATIONS, TDM_PF_SPECIFICATIONS},
                {TDM_PF_INTERNED_KERNELS, TDM_PF_KERNELS},
                {TDM_PF_INTERNED_COMPUTE_KEYS, TDM_PF_COMPUTE_KEYS}};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field))
    for (size_t i = 0; field.wire == TDM_PROTO_BYTES && i < sizeof tables / sizeof *tables; i++)
      if (tables[i].number == field.number) intern_one(s, q, tables[i].table, &field);
}

static void extra_tracks(const tdm_proto_field *field, uint64_t *track, uint32_t *count) {
  const unsigned char *at = NULL;
  uint64_t uuid;
  while (tdm_proto_each(field, TDM_PROTO_VARINT, &at, &uuid))
    if (*count < TDM_PF_EXTRA_TRACKS) track[(*count)++] = uuid;
}

void tdm_pftrace_defaults(tdm_pftrace_sequence *q, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field, inner;
  q->has_track = 0;
  q->extra_tracks = q->extra_double_tracks = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_PACKET_CLOCK_ID) q->clock = (uint32_t)field.value;
    if (field.number != TDM_PF_DEFAULTS_TRACK_EVENT || field.wire != TDM_PROTO_BYTES) continue;
    tdm_proto_scan event = tdm_proto_inside(&field);
    while (tdm_proto_next(&event, &inner)) {
      if (inner.number == TDM_PF_EVENT_TRACK) {
        q->track = inner.value;
        q->has_track = 1;
      }
      if (inner.number == TDM_PF_EVENT_EXTRA_TRACKS)
        extra_tracks(&inner, q->extra_track, &q->extra_tracks);
      if (inner.number == TDM_PF_EVENT_EXTRA_DOUBLE_TRACKS)
        extra_tracks(&inner, q->extra_double_track, &q->extra_double_tracks);
    }
  }
}

void tdm_pftrace_describe_thread(tdm_pftrace_sequence *q, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_THREAD_PID) q->pid = (int64_t)field.value;
    if (field.number == TDM_PF_THREAD_TID) q->tid = (int64_t)field.value;
    if (field.number == TDM_PF_THREAD_REFERENCE_US) q->reference_us = (int64_t)field.value;
  }
  q->has_thread = 1;
}

/* ---- clocks ---- */

static uint64_t clock_key(const tdm_pftrace_sequence *q, uint32_t clock) {
  int own = clock >= CLOCK_OWN_FIRST && clock <= CLOCK_OWN_LAST;
  return (uint64_t)(own ? q->id : 0) << 32 | clock;
}

static tdm_pftrace_clock *clock_of(tdm_pftrace_state *s, uint64_t key) {
  uint32_t at = tdm_id_map_get(&s->by_clock, key);
  if (at != TDM_ID_NONE) return &s->clocks[at];
  if (!tdm_array_grow(&s->clocks, &s->clock_room, s->clock_count + 1, sizeof *s->clocks) ||
      !tdm_id_map_put(&s->by_clock, key, (uint32_t)s->clock_count)) {
    s->failed = 1;
    return NULL;
  }
  tdm_pftrace_clock *fresh = &s->clocks[s->clock_count++];
  *fresh = (tdm_pftrace_clock){.unit_ns = 1, .tied = key == TDM_PF_CLOCK_BOOTTIME};
  return fresh;
}

/* Times wrap rather than overflow: a file may say anything. */
static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t subtract(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

enum { SNAPSHOT_CLOCKS = 32 };

typedef struct {
  uint32_t id;
  uint64_t time, unit_ns;
  int incremental;
} reading;

static reading read_clock(const tdm_proto_field *data) {
  reading r = {.unit_ns = 1};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_CLOCK_ID) r.id = (uint32_t)field.value;
    if (field.number == TDM_PF_CLOCK_TIME) r.time = field.value;
    if (field.number == TDM_PF_CLOCK_INCREMENTAL) r.incremental = field.value != 0;
    if (field.number == TDM_PF_CLOCK_UNIT_NS && field.value != 0) r.unit_ns = field.value;
  }
  return r;
}

/* All clocks of a snapshot are tied to the trace's through one of them that is. */
void tdm_pftrace_snapshot(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                          const tdm_proto_field *data) {
  reading all[SNAPSHOT_CLOCKS];
  size_t count = 0;
  int known = -1, has_boot = 0;
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field))
    if (field.number == TDM_PF_SNAPSHOT_CLOCKS && field.wire == TDM_PROTO_BYTES &&
        count < SNAPSHOT_CLOCKS)
      all[count++] = read_clock(&field);
  int64_t trace_ns = 0, boot_ns = 0, real_ns = 0;
  for (size_t i = 0; i < count; i++) {
    tdm_pftrace_clock *clock = clock_of(s, clock_key(q, all[i].id));
    if (clock == NULL) return;
    int64_t at_ns = (int64_t)(all[i].time * all[i].unit_ns);
    if (clock->tied && (known < 0 || all[i].id == TDM_PF_CLOCK_BOOTTIME)) {
      known = (int)i;
      trace_ns = add(at_ns, clock->offset_ns);
    }
    if (all[i].id == TDM_PF_CLOCK_REALTIME) real_ns = at_ns;
    if (all[i].id != TDM_PF_CLOCK_BOOTTIME) continue;
    boot_ns = at_ns;
    has_boot = 1;
  }
  for (size_t i = 0; i < count; i++) {
    tdm_pftrace_clock *clock = clock_of(s, clock_key(q, all[i].id));
    if (clock == NULL) return;
    int64_t at_ns = (int64_t)(all[i].time * all[i].unit_ns);
    clock->unit_ns = (int64_t)all[i].unit_ns;
    clock->incremental = all[i].incremental;
    clock->last_ns = at_ns;
    if (known < 0 || all[i].id == TDM_PF_CLOCK_BOOTTIME) continue;
    clock->offset_ns = subtract(trace_ns, at_ns);
    clock->tied = 1;
  }
  if (real_ns != 0 && has_boot) s->utc_ns = subtract(real_ns, boot_ns);
}

int64_t tdm_pftrace_time_of(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, uint32_t id,
                            uint64_t time) {
  if (id == TDM_PF_CLOCK_BOOTTIME) return (int64_t)time;
  tdm_pftrace_clock *clock = clock_of(s, clock_key(q, id));
  if (clock == NULL) return (int64_t)time;
  if (!clock->tied)
    tdm_record_problem(s->recorder, "times on a clock that is not tied to the trace's (kept)", 1);
  int64_t at_ns = (int64_t)(time * (uint64_t)clock->unit_ns);
  if (clock->incremental) clock->last_ns = at_ns = add(clock->last_ns, at_ns);
  return add(at_ns, clock->offset_ns);
}

void tdm_pftrace_pass_time(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, uint32_t id,
                           uint64_t time) {
  tdm_pftrace_clock *clock = clock_of(s, clock_key(q, id));
  if (clock != NULL && clock->incremental)
    clock->last_ns = add(clock->last_ns, (int64_t)(time * (uint64_t)clock->unit_ns));
}
