/* The processes and threads of a Kineto or Chrome trace as tracks; see event.h.
 *
 * Tracks are found by pid, tid and side (CPU or GPU); those of one such key that differ in device,
 * context or stream hang together in a chain. */
#include "read/kineto/event.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/number.h"
#include "trace/intern.h"

/* Texts as numbers lie where no number of a trace does: right above INT64_MIN, which is TDM_NONE.
 */
#define FIRST_TEXT (INT64_MIN + 1)
#define LAST_TEXT  (INT64_MIN + UINT32_MAX)

enum { WHOLE_PROCESS = 2, NOWHERE = UINT32_MAX, TEXT_ROOM = 512 };

typedef struct {
  tdm_kineto_where where;
  bool whole; /* of the process */
  uint32_t track;
  uint32_t next;               /* in the chain; NOWHERE: the last */
  uint32_t process_name, name; /* as announced */
  tdm_track_kind kind;
  int64_t launcher; /* of the GPU's: whose flows lead here; TDM_NONE: nobody's or several */
  bool launched;
} lane;

/* Names by number or pair of numbers. */
typedef struct {
  tdm_intern keys;
  uint32_t *names; /* name ids */
  size_t room;
} naming;

struct tdm_kineto_tracks {
  tdm_recorder *recorder;
  tdm_intern texts, keys;
  uint32_t *first; /* of each key: the head of its chain */
  size_t first_room;
  lane *lanes;
  size_t count, room;
  uint32_t *lane_of; /* by track */
  size_t lane_room;
  naming processes, labels, threads, devices;
  uint32_t last[3]; /* lanes used last, on the CPU, the GPU, as a whole; NOWHERE: none */
  int last_side;
  int64_t launcher; /* the process that calls CUDA; TDM_NONE: none or several */
  bool launchers, finished;
};

tdm_kineto_tracks *tdm_kineto_tracks_new(tdm_recorder *recorder) {
  tdm_kineto_tracks *tracks = tdm_array_new(1, sizeof *tracks);
  if (tracks == NULL) return NULL;
  tracks->recorder = recorder;
  tracks->launcher = TDM_NONE;
  for (int i = 0; i < 3; i++) tracks->last[i] = NOWHERE;
  return tracks;
}

static void free_naming(naming *names) {
  tdm_intern_clear(&names->keys);
  free(names->names);
}

void tdm_kineto_tracks_free(tdm_kineto_tracks *tracks) {
  if (tracks == NULL) return;
  tdm_intern_clear(&tracks->texts);
  tdm_intern_clear(&tracks->keys);
  free_naming(&tracks->processes);
  free_naming(&tracks->labels);
  free_naming(&tracks->threads);
  free_naming(&tracks->devices);
  free(tracks->first);
  free(tracks->lanes);
  free(tracks->lane_of);
  free(tracks);
}

/* ---- numbers and names ---- */

int64_t tdm_kineto_text_id(tdm_kineto_tracks *tracks, const char *text, size_t length) {
  int64_t number;
  if (tdm_number_integer(text, length, &number)) return number;
  uint32_t id = tdm_intern_put(&tracks->texts, text, length, NULL);
  return id == TDM_INTERN_FAILED ? 0 : FIRST_TEXT + id;
}

const char *tdm_kineto_id_text(const tdm_kineto_tracks *tracks, int64_t id) {
  if (id < FIRST_TEXT || id > LAST_TEXT) return NULL;
  size_t index = (size_t)(id - FIRST_TEXT);
  return index < tracks->texts.count ? tracks->texts.entries[index].bytes : NULL;
}

static int64_t number_or_none(int64_t id) {
  return id <= LAST_TEXT ? TDM_NONE : id;
}

static void set_name(tdm_kineto_tracks *tracks, naming *names, int64_t a, int64_t b,
                     const char *name) {
  int64_t key[] = {a, b};
  uint32_t index = tdm_intern_put(&names->keys, key, sizeof key, NULL);
  if (index == TDM_INTERN_FAILED ||
      !tdm_array_grow(&names->names, &names->room, (size_t)index + 1, sizeof *names->names))
    return; /* a name less; memory that is that short fails elsewhere */
  names->names[index] = tdm_record_text(tracks->recorder, name);
}

static const char *name_of(const tdm_kineto_tracks *tracks, const naming *names, int64_t a,
                           int64_t b) {
  int64_t key[] = {a, b};
  uint32_t index = tdm_intern_find(&names->keys, key, sizeof key);
  if (index == TDM_INTERN_FAILED) return NULL;
  const char *name = tdm_recorder_name(tracks->recorder, names->names[index], NULL);
  return name != NULL && name[0] != 0 ? name : NULL;
}

void tdm_kineto_name_process(tdm_kineto_tracks *tracks, int64_t pid, const char *name) {
  set_name(tracks, &tracks->processes, pid, 0, name);
}

void tdm_kineto_label_process(tdm_kineto_tracks *tracks, int64_t pid, const char *label) {
  set_name(tracks, &tracks->labels, pid, 0, label);
}

void tdm_kineto_name_thread(tdm_kineto_tracks *tracks, int64_t pid, int64_t tid, const char *name) {
  set_name(tracks, &tracks->threads, pid, tid, name);
}

void tdm_kineto_name_device(tdm_kineto_tracks *tracks, int64_t device, const char *name) {
  set_name(tracks, &tracks->devices, device, 0, name);
}

/* ---- tracks ---- */

/* "GPU 3" of a process's labels → 3. */
static bool is_gpu_label(const char *label, int64_t *device) {
  return label != NULL && strncmp(label, "GPU ", 4) == 0 &&
         tdm_number_integer(label + 4, strlen(label + 4), device);
}

static void device_heading(const tdm_kineto_tracks *tracks, int64_t device, char *out) {
  const char *name = name_of(tracks, &tracks->devices, device, 0);
  if (name != NULL)
    snprintf(out, TEXT_ROOM, "%.400s #%lld", name, (long long)device);
  else
    snprintf(out, TEXT_ROOM, "GPU %lld", (long long)device);
}

static void process_heading(const tdm_kineto_tracks *tracks, int64_t pid, char *out) {
  const char *text = tdm_kineto_id_text(tracks, pid);
  const char *name = name_of(tracks, &tracks->processes, pid, 0);
  if (name == NULL && text != NULL && text[0] != 0) name = text;
  if (name != NULL && number_or_none(pid) != TDM_NONE)
    snprintf(out, TEXT_ROOM, "%.400s (%lld)", name, (long long)pid);
  else if (name != NULL)
    snprintf(out, TEXT_ROOM, "%.400s", name);
  else if (number_or_none(pid) != TDM_NONE)
    snprintf(out, TEXT_ROOM, "process %lld", (long long)pid);
  else
    strcpy(out, "trace");
}

/* "DEVICE<node>0:3a:0:0 #1" or "RANK 3 DEVICE<node>0:3a:0:0 #1.0" (its tile 0), as unitrace calls
 * the process of a GPU: false: it is none. */
static bool is_gpu_process(const char *name, int64_t *device) {
  const char *said = name != NULL ? strstr(name, "DEVICE<") : NULL;
  const char *number = said != NULL ? strrchr(said, '#') : NULL;
  return number != NULL && tdm_number_integer(number + 1, strspn(number + 1, "0123456789"), device);
}

static void stream_track(const tdm_kineto_tracks *tracks, const tdm_kineto_where *where,
                         tdm_track *track, char *process, char *name) {
  const char *text = tdm_kineto_id_text(tracks, where->tid);
  track->lane = TDM_LANE_GPU;
  track->device = where->device;
  track->context = where->context;
  bool stream = where->stream != TDM_NONE && where->stream >= 0;
  if (stream) track->stream = where->stream;
  const char *intel = name_of(tracks, &tracks->processes, where->pid, 0);
  if (is_gpu_process(intel, &track->device)) {
    const char *queue = name_of(tracks, &tracks->threads, where->pid, where->tid);
    track->kind = TDM_TRACK_STREAM;
    snprintf(process, TEXT_ROOM, "Intel GPU %.200s", strrchr(intel, '#'));
    snprintf(name, TEXT_ROOM, "%.500s", queue != NULL ? queue : "queue");
    return;
  }
  if (where->device != TDM_NONE)
    device_heading(tracks, where->device, process);
  else
    process_heading(tracks, where->pid, process);
  track->kind = stream || text != NULL ? TDM_TRACK_STREAM : TDM_TRACK_DEVICE;
  if (stream)
    snprintf(name, TEXT_ROOM, "stream %lld", (long long)where->stream);
  else
    snprintf(name, TEXT_ROOM, "%.500s", text != NULL ? text : "GPU");
}

static void thread_track(const tdm_kineto_tracks *tracks, const tdm_kineto_where *where,
                         tdm_track *track, char *process, char *name) {
  const char *text = tdm_kineto_id_text(tracks, where->tid);
  const char *given = name_of(tracks, &tracks->threads, where->pid, where->tid);
  if (given == NULL && text != NULL && text[0] != 0) given = text;
  track->pid = number_or_none(where->pid);
  track->tid = number_or_none(where->tid);
  track->kind = track->tid != TDM_NONE ? TDM_TRACK_THREAD : TDM_TRACK_OTHER;
  track->lane = track->tid != TDM_NONE ? TDM_LANE_CPU : TDM_LANE_OTHER;
  process_heading(tracks, where->pid, process);
  if (given != NULL)
    snprintf(name, TEXT_ROOM, "%.500s", given);
  else if (track->tid != TDM_NONE)
    snprintf(name, TEXT_ROOM, "thread %lld", (long long)where->tid);
  else
    strcpy(name, "trace");
}

static void process_track(const tdm_kineto_tracks *tracks, const tdm_kineto_where *where,
                          tdm_track *track, char *process, char *name) {
  int64_t device;
  if (is_gpu_label(name_of(tracks, &tracks->labels, where->pid, 0), &device)) {
    *track = (tdm_track){.kind = TDM_TRACK_DEVICE,
                         .lane = TDM_LANE_GPU,
                         .capacity = TDM_NONE,
                         .pid = TDM_NONE,
                         .tid = TDM_NONE,
                         .device = device,
                         .context = TDM_NONE,
                         .stream = TDM_NONE};
    device_heading(tracks, device, process);
    strcpy(name, "GPU");
    return;
  }
  track->kind = TDM_TRACK_PROCESS;
  track->lane = TDM_LANE_CPU;
  track->pid = number_or_none(where->pid);
  process_heading(tracks, where->pid, process);
  strcpy(name, "process");
}

static void track_of(const tdm_kineto_tracks *tracks, const lane *l, tdm_track *track,
                     char *process, char *name) {
  *track = TDM_TRACK_PLAIN;
  (l->whole       ? process_track
   : l->where.gpu ? stream_track
                  : thread_track)(tracks, &l->where, track, process, name);
  track->process = process;
  track->name = name;
  if (!l->where.gpu || !tracks->finished) return;
  track->pid = number_or_none(l->launched ? l->launcher : tracks->launcher);
}

void tdm_kineto_launches(tdm_kineto_tracks *tracks, int64_t pid) {
  if (tracks->launcher == pid) return;
  tracks->launcher = tracks->launchers ? TDM_NONE : pid;
  tracks->launchers = true;
}

void tdm_kineto_flows_to(tdm_kineto_tracks *tracks, uint32_t from_track, uint32_t to_track) {
  const lane *from = &tracks->lanes[tracks->lane_of[from_track]];
  lane *to = &tracks->lanes[tracks->lane_of[to_track]];
  if (from->where.gpu || !to->where.gpu || to->launcher == from->where.pid) return;
  to->launcher = to->launched ? TDM_NONE : from->where.pid;
  to->launched = true;
}

void tdm_kineto_tracks_finish(tdm_kineto_tracks *tracks) {
  tracks->finished = true;
  for (size_t i = 0; i < tracks->count; i++) {
    lane *l = &tracks->lanes[i];
    char process[TEXT_ROOM], name[TEXT_ROOM];
    tdm_track track;
    track_of(tracks, l, &track, process, name);
    if (tdm_record_text(tracks->recorder, process) == l->process_name &&
        tdm_record_text(tracks->recorder, name) == l->name && track.kind == l->kind &&
        !l->where.gpu)
      continue;
    tdm_record_track_rename(tracks->recorder, l->track, &track);
  }
}

/* ---- finding ---- */

/* Whether what is known of a lane agrees with what is known of an event; what one of them does not
 * know agrees. */
static bool agrees(int64_t a, int64_t b) {
  return a == b || a == TDM_NONE || b == TDM_NONE;
}

static bool fits(const lane *l, const tdm_kineto_where *where) {
  return agrees(l->where.device, where->device) && agrees(l->where.context, where->context) &&
         agrees(l->where.stream, where->stream);
}

/* Whether an event tells nothing of a lane that is not known. */
static bool knows(const lane *l, const tdm_kineto_where *where) {
  return (where->device == TDM_NONE || l->where.device == where->device) &&
         (where->context == TDM_NONE || l->where.context == where->context) &&
         (where->stream == TDM_NONE || l->where.stream == where->stream);
}

static void learn(lane *l, const tdm_kineto_where *where) {
  if (l->where.device == TDM_NONE) l->where.device = where->device;
  if (l->where.context == TDM_NONE) l->where.context = where->context;
  if (l->where.stream == TDM_NONE) l->where.stream = where->stream;
}

static uint32_t add_lane(tdm_kineto_tracks *tracks, const tdm_kineto_where *where, int side,
                         uint32_t next) {
  if (!tdm_array_grow(&tracks->lanes, &tracks->room, tracks->count + 1, sizeof *tracks->lanes))
    return NOWHERE;
  lane *l = &tracks->lanes[tracks->count];
  *l = (lane){.where = *where, .whole = side == WHOLE_PROCESS, .next = next, .launcher = TDM_NONE};
  char process[TEXT_ROOM], name[TEXT_ROOM];
  tdm_track track;
  track_of(tracks, l, &track, process, name);
  l->track = tdm_record_track(tracks->recorder, &track);
  if (!tdm_array_grow(&tracks->lane_of, &tracks->lane_room, (size_t)l->track + 1,
                      sizeof *tracks->lane_of))
    return NOWHERE;
  tracks->lane_of[l->track] = (uint32_t)tracks->count;
  l->process_name = tdm_record_text(tracks->recorder, process);
  l->name = tdm_record_text(tracks->recorder, name);
  l->kind = track.kind;
  return (uint32_t)tracks->count++;
}

/* The chain of a key; NULL: out of memory. A fresh one is NOWHERE. */
static uint32_t *chain_of(tdm_kineto_tracks *tracks, int64_t pid, int64_t tid, int side) {
  int64_t key[] = {pid, tid, side};
  int fresh;
  uint32_t index = tdm_intern_put(&tracks->keys, key, sizeof key, &fresh);
  if (index == TDM_INTERN_FAILED || !tdm_array_grow(&tracks->first, &tracks->first_room,
                                                    (size_t)index + 1, sizeof *tracks->first))
    return NULL;
  if (fresh) tracks->first[index] = NOWHERE;
  return &tracks->first[index];
}

/* What the numbers of a GPU's event say when its arguments do not: process = device, thread =
 * stream, also as "stream 7". */
static void complete(const tdm_kineto_tracks *tracks, tdm_kineto_where *where) {
  if (where->stream == UINT32_MAX) where->stream = -1; /* a context's synchronization: no stream */
  if (where->device == TDM_NONE) where->device = number_or_none(where->pid);
  if (where->stream == TDM_NONE) where->stream = number_or_none(where->tid);
  const char *text = tdm_kineto_id_text(tracks, where->tid);
  if (where->stream == TDM_NONE && text != NULL && strncmp(text, "stream ", 7) == 0 &&
      !tdm_number_integer(text + 7, strlen(text + 7), &where->stream))
    where->stream = TDM_NONE;
}

static uint32_t find(tdm_kineto_tracks *tracks, const tdm_kineto_where *asked, int side) {
  uint32_t last = tracks->last[side];
  if (last != NOWHERE) {
    lane *l = &tracks->lanes[last];
    if (l->where.pid == asked->pid && l->where.tid == asked->tid && knows(l, asked)) {
      tracks->last_side = side;
      return l->track;
    }
  }
  tdm_kineto_where where = *asked;
  if (side == 1) complete(tracks, &where);
  uint32_t *first = chain_of(tracks, where.pid, where.tid, side);
  if (first == NULL) return 0;
  uint32_t found = *first;
  while (found != NOWHERE && !fits(&tracks->lanes[found], &where))
    found = tracks->lanes[found].next;
  if (found == NOWHERE) {
    found = add_lane(tracks, &where, side, *first);
    if (found == NOWHERE) return 0;
    *first = found;
  }
  learn(&tracks->lanes[found], &where);
  tracks->last[side] = found;
  tracks->last_side = side;
  return tracks->lanes[found].track;
}

uint32_t tdm_kineto_track(tdm_kineto_tracks *tracks, const tdm_kineto_where *where) {
  return find(tracks, where, where->gpu ? 1 : 0);
}

uint32_t tdm_kineto_process_track(tdm_kineto_tracks *tracks, int64_t pid) {
  tdm_kineto_where where = {pid, TDM_NONE, false, TDM_NONE, TDM_NONE, TDM_NONE};
  return find(tracks, &where, WHOLE_PROCESS);
}

uint32_t tdm_kineto_track_beside(tdm_kineto_tracks *tracks, int64_t pid, int64_t tid) {
  uint32_t last = tracks->last[tracks->last_side];
  if (last != NOWHERE && tracks->last_side != WHOLE_PROCESS &&
      tracks->lanes[last].where.pid == pid && tracks->lanes[last].where.tid == tid)
    return tracks->lanes[last].track;
  for (int side = 1; side >= 0; side--) {
    int64_t key[] = {pid, tid, side};
    uint32_t index = tdm_intern_find(&tracks->keys, key, sizeof key);
    if (index != TDM_INTERN_FAILED && tracks->first[index] != NOWHERE)
      return tracks->lanes[tracks->first[index]].track;
  }
  tdm_kineto_where where = {pid, tid, false, TDM_NONE, TDM_NONE, TDM_NONE};
  return tdm_kineto_track(tracks, &where);
}
