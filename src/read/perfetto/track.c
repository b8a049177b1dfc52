/* Tracks of a Perfetto trace: their descriptors, and the tracks of the run they become. See
 * inside.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/perfetto/inside.h"

enum { PARENTS = 16 }; /* further up nobody looks: parents may go in circles */

tdm_pftrace_track *tdm_pftrace_track_of(tdm_pftrace_state *s, uint64_t uuid) {
  uint32_t at = tdm_id_map_get(&s->by_uuid, uuid);
  if (at != TDM_ID_NONE) return &s->tracks[at];
  if (s->track_count >= UINT32_MAX - 1 ||
      !tdm_array_grow(&s->tracks, &s->track_room, s->track_count + 1, sizeof *s->tracks) ||
      !tdm_id_map_put(&s->by_uuid, uuid, (uint32_t)s->track_count)) {
    s->failed = 1;
    return NULL;
  }
  tdm_pftrace_track *fresh = &s->tracks[s->track_count++];
  *fresh = (tdm_pftrace_track){.uuid = uuid,
                               .name = TDM_PF_NO_NAME,
                               .inner_name = TDM_PF_NO_NAME,
                               .category = TDM_PF_NO_NAME,
                               .pid = TDM_NONE,
                               .tid = TDM_NONE,
                               .multiplier = 1,
                               .about = TDM_TRACK_PLAIN};
  return fresh;
}

/* ---- descriptors ---- */

static int64_t number_in(const char *words, const char *key) {
  const char *at = strstr(words, key);
  return at != NULL ? strtoll(at + strlen(key), NULL, 10) : TDM_NONE;
}

static int word_is(const char *words, const char *key, const char *value) {
  const char *at = strstr(words, key);
  size_t length = strlen(value);
  if (at == NULL) return 0;
  at += strlen(key);
  return strncmp(at, value, length) == 0 && (at[length] == ' ' || at[length] == 0);
}

/* What tandem wrote about a track: " kind=stream lane=GPU device=0 stream=7", " more of 12". */
static void take_description(tdm_pftrace_track *track, const tdm_proto_field *field) {
  char words[256];
  size_t mark = strlen(TDM_PF_TANDEM_TRACK);
  if (field->length <= mark || field->length >= sizeof words ||
      memcmp(field->bytes, TDM_PF_TANDEM_TRACK, mark) != 0)
    return;
  memcpy(words, field->bytes + mark, field->length - mark);
  words[field->length - mark] = 0;
  if (strncmp(words, " more of ", 9) == 0) {
    track->more_of = strtoull(words + 9, NULL, 10);
    track->is_async = strstr(words, " " TDM_PF_TANDEM_ASYNC) != NULL;
    return;
  }
  track->is_tandem = 1;
  for (int kind = 0; kind < TDM_TRACK_KINDS; kind++)
    if (word_is(words, " kind=", tdm_track_kind_name((tdm_track_kind)kind)))
      track->about.kind = (tdm_track_kind)kind;
  for (int lane = 0; lane < TDM_LANES; lane++)
    if (word_is(words, " lane=", tdm_lane_name((tdm_lane)lane))) track->about.lane = (tdm_lane)lane;
  track->about.pid = number_in(words, " pid=");
  track->about.tid = number_in(words, " tid=");
  track->about.device = number_in(words, " device=");
  track->about.context = number_in(words, " context=");
  track->about.stream = number_in(words, " stream=");
  track->about.capacity = number_in(words, " capacity=");
}

static void take_process(tdm_pftrace_state *s, tdm_pftrace_track *track,
                         const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  track->is_process = 1;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_PROCESS_PID) track->pid = (int32_t)field.value;
    if (field.number == TDM_PF_PROCESS_NAME) track->inner_name = tdm_pftrace_name(s, &field);
  }
  uint32_t at = tdm_id_map_get(&s->by_uuid, track->uuid);
  if (!tdm_id_map_put(&s->by_process, (uint64_t)track->pid, at)) s->failed = 1;
}

static void take_thread(tdm_pftrace_state *s, tdm_pftrace_track *track,
                        const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  track->is_thread = 1;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_THREAD_PID) track->pid = (int32_t)field.value;
    if (field.number == TDM_PF_THREAD_TID) track->tid = (int64_t)field.value;
    if (field.number == TDM_PF_THREAD_NAME) track->inner_name = tdm_pftrace_name(s, &field);
  }
}

static void take_counter(tdm_pftrace_state *s, tdm_pftrace_track *track,
                         const tdm_proto_field *data) {
  static const char *const units[] = {"", "ns", "count", "bytes"};
  static const char *const types[] = {"", "thread time", "thread instructions"};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  int named = 0;
  track->is_counter = 1;
  track->unit = tdm_record_text(s->recorder, "");
  while (tdm_proto_next(&scan, &field)) {
    uint64_t value = field.value;
    switch (field.number) {
    case TDM_PF_COUNTER_TYPE:
      if (track->name == TDM_PF_NO_NAME && value > 0 && value < 3)
        track->name = tdm_record_text(s->recorder, types[value]);
      if (!named && value > 0 && value < 3)
        track->unit = tdm_record_text(s->recorder, units[value]);
      break;
    case TDM_PF_COUNTER_CATEGORIES: track->category = tdm_pftrace_name(s, &field); break;
    case TDM_PF_COUNTER_UNIT:
      if (!named && value < 4) track->unit = tdm_record_text(s->recorder, units[value]);
      break;
    case TDM_PF_COUNTER_MULTIPLIER: track->multiplier = value != 0 ? (int64_t)value : 1; break;
    case TDM_PF_COUNTER_INCREMENTAL: track->incremental = value != 0; break;
    case TDM_PF_COUNTER_UNIT_NAME:
      track->unit = tdm_pftrace_name(s, &field);
      named = 1;
      break;
    default: break;
    }
  }
}

void tdm_pftrace_describe_track(tdm_pftrace_state *s, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  uint64_t uuid = 0;
  while (tdm_proto_next(&scan, &field))
    if (field.number == TDM_PF_TRACK_UUID) uuid = field.value;
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return;
  track->told = 1;
  track->track = 0; /* it may be another of the run now */
  scan = tdm_proto_inside(data);
  while (tdm_proto_next(&scan, &field)) {
    int bytes = field.wire == TDM_PROTO_BYTES;
    if (field.number == TDM_PF_TRACK_PARENT) track->parent = field.value;
    if (field.number == TDM_PF_TRACK_NAME || field.number == TDM_PF_TRACK_STATIC_NAME)
      track->name = tdm_pftrace_name(s, &field);
    if (field.number == TDM_PF_TRACK_PROCESS && bytes) take_process(s, track, &field);
    if (field.number == TDM_PF_TRACK_THREAD && bytes) take_thread(s, track, &field);
    if (field.number == TDM_PF_TRACK_COUNTER && bytes) take_counter(s, track, &field);
    if (field.number == TDM_PF_TRACK_DESCRIPTION && bytes) take_description(track, &field);
  }
}

/* ---- tracks ---- */

static const char *text_of(const tdm_pftrace_state *s, uint32_t name) {
  const char *text = name != TDM_PF_NO_NAME ? tdm_recorder_name(s->recorder, name, NULL) : NULL;
  return text != NULL ? text : "";
}

static const tdm_pftrace_track *look_up(const tdm_pftrace_state *s, uint64_t uuid) {
  uint32_t at = tdm_id_map_get(&s->by_uuid, uuid);
  return at != TDM_ID_NONE ? &s->tracks[at] : NULL;
}

/* The heading of a process: "python (4312)". */
static void head_process(const tdm_pftrace_state *s, int64_t pid, char *out, size_t room) {
  uint32_t at = tdm_id_map_get(&s->by_process, (uint64_t)pid);
  const char *name = at != TDM_ID_NONE ? text_of(s, s->tracks[at].inner_name) : "";
  char number[24];
  snprintf(number, sizeof number, "(%lld)", (long long)pid);
  if (name[0] == 0)
    snprintf(out, room, "process %lld", (long long)pid);
  else if (strstr(name, number) != NULL)
    snprintf(out, room, "%s", name);
  else
    snprintf(out, room, "%s %s", name, number);
}

static void name_thread(const tdm_pftrace_state *s, const tdm_pftrace_track *track, char *out,
                        size_t room) {
  const char *name = text_of(s, track->inner_name);
  char plain[32];
  snprintf(plain, sizeof plain, "thread %lld", (long long)track->tid);
  if (strncmp(name, plain, strlen(plain)) == 0)
    snprintf(out, room, "%s", name);
  else
    snprintf(out, room, name[0] != 0 ? "%s %s" : "%s", plain, name);
}

/* The name of a track with those of its parents up to a process or the top, "a / b"; the top one is
 * the heading where there is no process. */
static void plain_track(const tdm_pftrace_state *s, const tdm_pftrace_track *track,
                        tdm_track *about, char *heading, char *name, size_t room) {
  const tdm_pftrace_track *up[PARENTS];
  size_t count = 0, used = 0;
  const tdm_pftrace_track *at = track;
  for (; at != NULL && !at->is_process && !at->is_thread && count < PARENTS;
       at = at->parent != 0 ? look_up(s, at->parent) : NULL)
    up[count++] = at;
  if (at != NULL && (at->is_process || at->is_thread)) {
    about->pid = at->pid;
    if (at->is_thread) about->tid = at->tid;
    head_process(s, at->pid, heading, room);
    if (at->is_thread) {
      name_thread(s, at, name, room);
      used = strlen(name);
    }
  } else if (count > 1) {
    snprintf(heading, room, "%s", text_of(s, up[--count]->name));
  }
  while (count > 0 && used + 1 < room) {
    int more = snprintf(name + used, room - used, used > 0 ? " / %s" : "%s",
                        text_of(s, up[--count]->name));
    if (more > 0) used += (size_t)more;
  }
  if (name[0] == 0 && !track->told && track->uuid == 0)
    snprintf(name, room, "events without a track");
  else if (name[0] == 0 && !track->told)
    snprintf(name, room, "track %llu", (unsigned long long)track->uuid);
}

static void tandem_track(const tdm_pftrace_state *s, const tdm_pftrace_track *track,
                         tdm_track *about) {
  const tdm_pftrace_track *parent = track->parent != 0 ? look_up(s, track->parent) : NULL;
  *about = track->about;
  about->name = text_of(s, track->is_thread ? track->inner_name : track->name);
  about->process =
      parent != NULL ? text_of(s, parent->is_process ? parent->inner_name : parent->name) : "";
}

/* Not in tdm_pftrace_track_id itself: texts of this size cost more than all the rest. */
static uint32_t record_track(tdm_pftrace_state *s, tdm_pftrace_track *track) {
  char heading[512], name[512];
  heading[0] = name[0] = 0;
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = heading;
  about.name = name;
  if (track->is_tandem) {
    tandem_track(s, track, &about);
  } else if (track->is_thread || track->is_process) {
    about.kind = track->is_thread ? TDM_TRACK_THREAD : TDM_TRACK_PROCESS;
    about.lane = TDM_LANE_CPU;
    about.pid = track->pid;
    about.tid = track->tid;
    head_process(s, track->pid, heading, sizeof heading);
    if (track->is_thread)
      name_thread(s, track, name, sizeof name);
    else
      snprintf(name, sizeof name, "%s",
               track->name == TDM_PF_NO_NAME ? "process" : text_of(s, track->name));
  } else {
    plain_track(s, track, &about, heading, name, sizeof name);
  }
  track->track = tdm_record_track(s->recorder, &about) + 1;
  return track->track - 1;
}

uint32_t tdm_pftrace_track_id(tdm_pftrace_state *s, uint64_t uuid) {
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return 0;
  if (track->more_of != 0 && look_up(s, track->more_of) != NULL)
    track = tdm_pftrace_track_of(s, track->more_of);
  return track->track != 0 ? track->track - 1 : record_track(s, track);
}
