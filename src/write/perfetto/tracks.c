/* The tracks of a recording as Perfetto's: their numbers and descriptors; see inside.h. */
#include "write/perfetto/inside.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  const char *name;
  uint64_t uuid;
  int64_t pid; /* TDM_NONE: a plain track */
} group;

typedef struct {
  tdm_perfetto_packets *to;
  tdm_perfetto_tracks *tracks;
  const tdm_lanes *lanes;
  tdm_intern names; /* of groups: source and heading */
  group *groups;
  size_t group_count, group_room;
  tdm_intern taken; /* process ids, and pairs of process and thread id */
} naming;

/* Ids that Perfetto takes for a process or thread: 0 is the idle task to it. */
static int is_id(int64_t id) {
  return id > 0 && id <= INT32_MAX;
}

/* True once for each pair. */
static int take(naming *n, int64_t pid, int64_t tid) {
  int64_t key[] = {pid, tid};
  int fresh = 0;
  return is_id(pid) && tdm_intern_put(&n->taken, key, sizeof key, &fresh) != TDM_INTERN_FAILED &&
         fresh;
}

/* The group of a track, made if need be. NULL: out of memory. */
static group *group_of(naming *n, const tdm_track *track) {
  size_t length = strlen(track->process);
  char *key = malloc(length + sizeof track->source);
  if (key == NULL) return NULL;
  memcpy(key, &track->source, sizeof track->source);
  memcpy(key + sizeof track->source, track->process, length);
  int fresh;
  uint32_t id = tdm_intern_put(&n->names, key, length + sizeof track->source, &fresh);
  free(key);
  if (id == TDM_INTERN_FAILED) return NULL;
  if (!fresh) return &n->groups[id];
  if (!tdm_array_grow(&n->groups, &n->group_room, n->group_count + 1, sizeof *n->groups))
    return NULL;
  n->groups[n->group_count] = (group){track->process, n->tracks->next++, TDM_NONE};
  return &n->groups[n->group_count++];
}

static void put_group(naming *n, const group *about, size_t rank) {
  tdm_proto_buffer *event = &n->to->event, *part = &n->to->part;
  tdm_proto_uint(event, TDM_PF_TRACK_UUID, about->uuid);
  if (about->pid != TDM_NONE) {
    tdm_proto_int(part, TDM_PF_PROCESS_PID, about->pid);
    tdm_proto_text(part, TDM_PF_PROCESS_NAME, about->name);
    tdm_proto_message(event, TDM_PF_TRACK_PROCESS, part);
  } else {
    tdm_proto_text(event, TDM_PF_TRACK_NAME, about->name);
    tdm_proto_uint(event, TDM_PF_TRACK_CHILD_ORDERING, TDM_PF_ORDER_EXPLICIT);
  }
  tdm_proto_uint(event, TDM_PF_TRACK_RANK, rank);
  tdm_perfetto_put(n->to, TDM_PF_PACKET_TRACK_DESCRIPTOR, event);
}

/* What the descriptor of a track has no field for, as words. */
static void describe(const tdm_track *track, char *out, size_t room) {
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"pid", track->pid},       {"tid", track->tid},
                 {"device", track->device}, {"context", track->context},
                 {"stream", track->stream}, {"capacity", track->capacity}};
  int used = snprintf(out, room, "%s kind=%s lane=%s", TDM_PF_TANDEM_TRACK,
                      tdm_track_kind_name(track->kind), tdm_lane_name(track->lane));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && (size_t)used < room; i++)
    if (numbers[i].value != TDM_NONE)
      used += snprintf(out + used, room - (size_t)used, " %s=%lld", numbers[i].name,
                       (long long)numbers[i].value);
}

static void put_lanes(naming *n, const tdm_perfetto_track *track, const tdm_track *about,
                      int is_thread, uint32_t rank, uint32_t async, uint32_t lanes) {
  char words[64];
  tdm_proto_buffer *event = &n->to->event;
  for (uint32_t lane = track->own; lane < lanes; lane++) {
    uint64_t parent = is_thread ? track->uuid : track->parent;
    snprintf(words, sizeof words, "%s more of %llu%s", TDM_PF_TANDEM_TRACK,
             (unsigned long long)track->uuid, lane >= async ? ", " TDM_PF_TANDEM_ASYNC : "");
    tdm_proto_uint(event, TDM_PF_TRACK_UUID, tdm_perfetto_lane_uuid(track, lane));
    tdm_proto_text(event, TDM_PF_TRACK_NAME, about->name);
    if (parent != 0) tdm_proto_uint(event, TDM_PF_TRACK_PARENT, parent);
    tdm_proto_uint(event, TDM_PF_TRACK_RANK, rank);
    tdm_proto_text(event, TDM_PF_TRACK_DESCRIPTION, words);
    tdm_perfetto_put(n->to, TDM_PF_PACKET_TRACK_DESCRIPTOR, event);
  }
}

/* The first lane of ASYNC spans; as many as there are lanes where it has none. */
static uint32_t first_async(const naming *n, uint32_t id) {
  uint32_t lane = 0;
  for (size_t i = n->lanes->first[id]; i < n->lanes->first[id + 1]; i++) {
    const tdm_laid_span *at = &n->lanes->span[i];
    if (at->lane >= lane &&
        tdm_recording_layout(n->to->recording, at->layout)->shape != TDM_SHAPE_ASYNC)
      lane = at->lane + 1;
  }
  return lane;
}

static void put_track(naming *n, uint32_t id, const tdm_track *about, const group *home) {
  char words[256];
  tdm_perfetto_track *track = &n->tracks->track[id];
  tdm_proto_buffer *event = &n->to->event, *part = &n->to->part;
  uint32_t lanes = n->lanes->lanes[id], async = first_async(n, id);
  int is_thread = about->kind == TDM_TRACK_THREAD && home != NULL && home->pid == about->pid &&
                  is_id(about->tid) && take(n, about->pid, about->tid);
  track->uuid = n->tracks->next++;
  track->parent = home != NULL ? home->uuid : 0;
  track->own = async > 0 || lanes == 0;
  track->extra = n->tracks->next;
  n->tracks->next += lanes > track->own ? lanes - track->own : 0;
  tdm_proto_uint(event, TDM_PF_TRACK_UUID, track->uuid);
  if (track->parent != 0) tdm_proto_uint(event, TDM_PF_TRACK_PARENT, track->parent);
  if (is_thread) {
    tdm_proto_int(part, TDM_PF_THREAD_PID, about->pid);
    tdm_proto_int(part, TDM_PF_THREAD_TID, about->tid);
    tdm_proto_text(part, TDM_PF_THREAD_NAME, about->name);
    tdm_proto_message(event, TDM_PF_TRACK_THREAD, part);
  } else {
    tdm_proto_text(event, TDM_PF_TRACK_NAME, about->name);
  }
  tdm_proto_uint(event, TDM_PF_TRACK_RANK, id);
  describe(about, words, sizeof words);
  tdm_proto_text(event, TDM_PF_TRACK_DESCRIPTION, words);
  tdm_perfetto_put(n->to, TDM_PF_PACKET_TRACK_DESCRIPTOR, event);
  put_lanes(n, track, about, is_thread, id, async, lanes);
}

/* Groups first, since parents are told before their children. */
static int name_groups(naming *n, uint32_t *home) {
  for (uint32_t id = 0; id < n->lanes->tracks; id++) {
    const tdm_track *track = tdm_recording_track(n->to->recording, id);
    home[id] = 0;
    if (track == NULL || track->process[0] == 0) continue;
    group *about = group_of(n, track);
    if (about == NULL) return 0;
    home[id] = (uint32_t)(about - n->groups) + 1;
    int inside = track->kind == TDM_TRACK_THREAD || track->kind == TDM_TRACK_PROCESS;
    if (inside && about->pid == TDM_NONE && take(n, track->pid, 0)) about->pid = track->pid;
  }
  for (size_t i = 0; i < n->group_count; i++) put_group(n, &n->groups[i], i);
  return 1;
}

int tdm_perfetto_tracks_open(tdm_perfetto_tracks *tracks, tdm_perfetto_packets *to,
                             const tdm_lanes *lanes) {
  naming n = {.to = to, .tracks = tracks, .lanes = lanes};
  uint32_t *home = tdm_array_new(lanes->tracks, sizeof *home); /* group + 1 */
  *tracks = (tdm_perfetto_tracks){.track = tdm_array_new(lanes->tracks, sizeof *tracks->track),
                                  .next = 1};
  int fits = home != NULL && tracks->track != NULL && name_groups(&n, home);
  for (uint32_t id = 0; fits && id < lanes->tracks; id++) {
    const tdm_track *track = tdm_recording_track(to->recording, id);
    if (track != NULL) put_track(&n, id, track, home[id] > 0 ? &n.groups[home[id] - 1] : NULL);
  }
  tdm_intern_clear(&n.names);
  tdm_intern_clear(&n.taken);
  free(n.groups);
  free(home);
  return fits;
}

void tdm_perfetto_tracks_close(tdm_perfetto_tracks *tracks) {
  free(tracks->track);
}
