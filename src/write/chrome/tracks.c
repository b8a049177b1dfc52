/* Where each track of a recording stands in a Chrome trace: its process, its thread or threads; see
 * inside.h. */
#include "write/chrome/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "trace/intern.h"
#include "trace/utf8.h"

/* Viewers keep ids in 32 bits; what is larger is no id of a process or thread to them. Kineto has
 * negative ones, from a narrower type. */
#define LARGEST INT32_MAX

typedef struct {
  tdm_chrome_tracks *tracks;
  const tdm_lanes *lanes;
  uint32_t *order;  /* process by its position in order; then the inverse */
  tdm_intern taken; /* (process, number) */
} numbering;

/* ---- processes ---- */

static int is_gpu(const tdm_track *about) {
  if (about->kind == TDM_TRACK_STREAM || about->kind == TDM_TRACK_DEVICE) return 1;
  int simulated = about->kind == TDM_TRACK_QUEUE || about->kind == TDM_TRACK_SERVER;
  return simulated && strcmp(about->process, "host") != 0;
}

/* The processes, as their first tracks came. */
static int find_processes(numbering *n) {
  tdm_chrome_tracks *tracks = n->tracks;
  tdm_intern known = {0};
  char *key = NULL;
  size_t room = 0, process_room = 0;
  int fits = 1;
  for (uint32_t t = 0; fits && t < tracks->count; t++) {
    const tdm_track *about = tdm_recording_track(tracks->recording, t);
    tracks->track[t].about = about;
    if (about == NULL) continue;
    const tdm_source *source = tdm_recording_source(tracks->recording, about->source);
    if (source != NULL) tracks->track[t].offset_ns = source->offset_ns;
    size_t length = strlen(about->process);
    int fresh = 0;
    fits = tdm_array_grow(&key, &room, sizeof about->source + length, 1);
    if (!fits) break;
    memcpy(key, &about->source, sizeof about->source);
    memcpy(key + sizeof about->source, about->process, length);
    uint32_t id = tdm_intern_put(&known, key, sizeof about->source + length, &fresh);
    fits = id != TDM_INTERN_FAILED && tdm_array_grow(&tracks->processes, &process_room,
                                                     (size_t)id + 1, sizeof *tracks->processes);
    if (!fits) break;
    tdm_chrome_process *process = &tracks->processes[id];
    if (fresh) {
      *process = (tdm_chrome_process){about->process, about->source, 0, TDM_NONE, 0};
      tracks->process_count++;
    }
    tracks->track[t].process = id;
    process->gpu |= is_gpu(about);
    if (process->number == TDM_NONE) process->number = is_gpu(about) ? about->device : about->pid;
  }
  free(key);
  tdm_intern_clear(&known);
  return fits;
}

static int compare_processes(const void *left, const void *right, void *context) {
  const tdm_chrome_tracks *tracks = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const tdm_chrome_process *x = &tracks->processes[a], *y = &tracks->processes[b];
  if (x->source != y->source) return TDM_ORDER(x->source, y->source);
  if (x->gpu != y->gpu) return x->gpu - y->gpu;
  return TDM_ORDER(a, b);
}

static int order_processes(numbering *n) {
  tdm_chrome_tracks *tracks = n->tracks;
  uint32_t count = tracks->process_count;
  tdm_chrome_process *sorted = tdm_array_new(count, sizeof *sorted);
  uint32_t *position = tdm_array_new(count, sizeof *position);
  n->order = tdm_array_new(count, sizeof *n->order);
  if (sorted == NULL || position == NULL || n->order == NULL) {
    free(sorted);
    free(position);
    return 0;
  }
  for (uint32_t i = 0; i < count; i++) n->order[i] = i;
  qsort_r(n->order, count, sizeof *n->order, compare_processes, tracks);
  for (uint32_t i = 0; i < count; i++) {
    sorted[i] = tracks->processes[n->order[i]];
    position[n->order[i]] = i;
  }
  for (uint32_t t = 0; t < tracks->count; t++)
    if (tracks->track[t].about != NULL)
      tracks->track[t].process = position[tracks->track[t].process];
  free(tracks->processes);
  free(position);
  tracks->processes = sorted;
  return 1;
}

/* ---- numbers ---- */

/* Takes a number of a room (a process, or none for processes themselves). 0: somebody has it. */
static int take(numbering *n, int64_t room, int64_t number, int *failed) {
  int64_t key[] = {room, number};
  int fresh = 0;
  if (number < -LARGEST || number > LARGEST) return 0;
  if (tdm_intern_put(&n->taken, key, sizeof key, &fresh) == TDM_INTERN_FAILED) *failed = 1;
  return fresh;
}

static int number_processes(numbering *n) {
  tdm_chrome_tracks *tracks = n->tracks;
  int64_t next = 1;
  int failed = 0;
  for (uint32_t i = 0; i < tracks->process_count; i++) {
    tdm_chrome_process *process = &tracks->processes[i];
    process->pid = take(n, -1, process->number, &failed) ? process->number : TDM_NONE;
  }
  for (uint32_t i = 0; i < tracks->process_count && !failed; i++) {
    if (tracks->processes[i].pid != TDM_NONE) continue;
    while (!take(n, -1, next, &failed) && !failed) next++;
    tracks->processes[i].pid = next;
  }
  for (uint32_t t = 0; t < tracks->count; t++)
    if (tracks->track[t].about != NULL)
      tracks->track[t].pid = tracks->processes[tracks->track[t].process].pid;
  return !failed;
}

/* The number a track's thread would like. */
static int64_t wish(const tdm_track *about) {
  return about->kind == TDM_TRACK_THREAD   ? about->tid
         : about->kind == TDM_TRACK_STREAM ? about->stream
                                           : TDM_NONE;
}

/* An idle thread is shown too; a track for what has no thread only with spans or instants. */
static uint32_t threads_of(const numbering *n, uint32_t t) {
  const tdm_track *about = n->tracks->track[t].about;
  if (n->lanes->lanes[t] > 0) return n->lanes->lanes[t];
  if (about->kind != TDM_TRACK_DEVICE && about->kind != TDM_TRACK_PROCESS) return 1;
  return n->tracks->track[t].lanes; /* 1 when an instant stands there */
}

static unsigned group(const tdm_track *about) {
  switch (about->kind) {
  case TDM_TRACK_QUEUE:
  case TDM_TRACK_SERVER: return (unsigned)about->lane;
  case TDM_TRACK_DEVICE:
  case TDM_TRACK_PROCESS: return TDM_LANES;
  case TDM_TRACK_THREAD: return TDM_LANES + 1;
  case TDM_TRACK_STREAM: return TDM_LANES + 2;
  default: return TDM_LANES + 3;
  }
}

static int compare_drawn(const void *left, const void *right, void *context) {
  const tdm_chrome_tracks *tracks = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const tdm_chrome_track *x = &tracks->track[a], *y = &tracks->track[b];
  if (x->process != y->process) return TDM_ORDER(x->process, y->process);
  if (group(x->about) != group(y->about)) return TDM_ORDER(group(x->about), group(y->about));
  return TDM_ORDER(a, b);
}

/* The numbers that nobody wishes begin above all that somebody does, and above the processes:
 * viewers take a thread whose id is its process's for the main thread. */
static int number_threads(numbering *n) {
  tdm_chrome_tracks *tracks = n->tracks;
  int64_t next = 0;
  int failed = 0;
  for (uint32_t i = 0; i < tracks->process_count; i++)
    if (tracks->processes[i].pid > next && tracks->processes[i].pid < LARGEST / 2)
      next = tracks->processes[i].pid;
  for (uint32_t t = 0; t < tracks->count; t++) {
    if (tracks->track[t].about == NULL) continue;
    tracks->track[t].lanes = threads_of(n, t);
    if (tracks->track[t].lanes > 0) tracks->drawn[tracks->drawn_count++] = t;
    int64_t number = wish(tracks->track[t].about);
    if (number > next && number < LARGEST / 2) next = number;
  }
  next++;
  qsort_r(tracks->drawn, tracks->drawn_count, sizeof *tracks->drawn, compare_drawn, tracks);
  for (size_t i = 0; i < tracks->drawn_count && !failed; i++) {
    tdm_chrome_track *track = &tracks->track[tracks->drawn[i]];
    int64_t number = wish(track->about);
    track->tid = take(n, track->process, number, &failed) ? number : next++;
    track->more = next;
    next += track->lanes - 1;
  }
  for (uint32_t t = 0; t < tracks->count; t++) {
    tdm_chrome_track *track = &tracks->track[t];
    track->written_length =
        (unsigned char)snprintf(track->written, sizeof track->written, ",\"pid\":%lld,\"tid\":%lld",
                                (long long)track->pid, (long long)track->tid);
  }
  return !failed;
}

/* Marks tracks with instants, so that they get a thread. */
static void note_instants(tdm_chrome_tracks *tracks) {
  for (uint32_t i = 0; i < tdm_recording_layouts(tracks->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(tracks->recording, i);
    if (layout == NULL || (layout->shape != TDM_SHAPE_INSTANT && layout->shape != TDM_SHAPE_ASYNC))
      continue;
    const tdm_kept_rows *rows = tdm_recording_rows(tracks->recording, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t track = tdm_kept(rows, TDM_TRACK, row);
      if (track >= 0 && track < tracks->count) tracks->track[track].lanes = 1;
    }
  }
}

tdm_status tdm_chrome_tracks_open(tdm_chrome_tracks *tracks, const tdm_recording *recording,
                                  const tdm_lanes *lanes, tdm_error *error) {
  uint32_t count = tdm_recording_tracks(recording);
  *tracks = (tdm_chrome_tracks){.recording = recording,
                                .count = count,
                                .track = tdm_array_new(count, sizeof *tracks->track),
                                .drawn = tdm_array_new(count, sizeof *tracks->drawn)};
  numbering n = {.tracks = tracks, .lanes = lanes};
  int fits = tracks->track != NULL && tracks->drawn != NULL && find_processes(&n) &&
             order_processes(&n) && number_processes(&n);
  if (fits) {
    note_instants(tracks);
    fits = number_threads(&n);
  }
  free(n.order);
  tdm_intern_clear(&n.taken);
  return fits ? TDM_OK
              : tdm_error_memory(error, "the tracks of a trace", count * sizeof *tracks->track);
}

void tdm_chrome_tracks_close(tdm_chrome_tracks *tracks) {
  free(tracks->track);
  free(tracks->drawn);
  free(tracks->processes);
  *tracks = (tdm_chrome_tracks){0};
}

/* ---- metadata events ---- */

#define PUT(text) TDM_OUTFILE_LITERAL(file, text)

/* {"name":"thread_name","ph":"M","pid":1,"tid":3,"args":{"name": up to the argument's value. */
static void begin_metadata(tdm_outfile *file, const char **separator, const char *what, int64_t pid,
                           int64_t tid, const char *argument) {
  tdm_outfile_text(file, *separator);
  *separator = ",\n";
  PUT("{\"name\":\"");
  tdm_outfile_text(file, what);
  PUT("\",\"ph\":\"M\",\"pid\":");
  tdm_outfile_integer(file, pid);
  if (tid != TDM_NONE) {
    PUT(",\"tid\":");
    tdm_outfile_integer(file, tid);
  }
  PUT(",\"args\":{\"");
  tdm_outfile_text(file, argument);
  PUT("\":");
}

/* "GPU", "GPU queue"; "GPU 1" … or "stream 7", "stream 7 (2)" … where there are sub-lanes. */
static void put_thread_name(tdm_outfile *file, const tdm_track *about, uint32_t lane,
                            uint32_t lanes) {
  size_t length;
  char *text = tdm_json_quote(about->name, &length);
  if (text == NULL) {
    if (file->failure == 0) file->failure = ENOMEM;
    return;
  }
  tdm_outfile_put(file, text, length - 1); /* the closing quote comes last */
  free(text);
  int queue = about->kind == TDM_TRACK_QUEUE;
  /* The engine calls a queue by its station. */
  if (queue && strstr(about->name, "queue") == NULL) PUT(" queue");
  if (lanes > 1 && (queue || about->kind == TDM_TRACK_SERVER)) {
    PUT(" ");
    tdm_outfile_unsigned(file, lane + 1);
  } else if (lane > 0) {
    PUT(" (");
    tdm_outfile_unsigned(file, lane + 1);
    PUT(")");
  }
  PUT("\"");
}

/* The heading without the pid that stands behind it: viewers add that themselves. */
static void put_process_name(tdm_outfile *file, const tdm_chrome_process *process) {
  char ending[32];
  size_t length, name = strlen(process->name);
  int cut = snprintf(ending, sizeof ending, " (%lld)", (long long)process->number);
  char *text = tdm_json_quote(process->name, &length);
  if (text == NULL) {
    if (file->failure == 0) file->failure = ENOMEM;
    return;
  }
  if (process->number != TDM_NONE && !process->gpu && name > (size_t)cut &&
      strcmp(process->name + name - cut, ending) == 0)
    length -= (size_t)cut; /* these characters need no escapes */
  tdm_outfile_put(file, text, length - 1);
  PUT("\"");
  free(text);
}

/* "GPU 0", as Kineto has it; of several files also which one. */
static void put_label(const tdm_chrome_tracks *tracks, tdm_outfile *file,
                      const tdm_chrome_process *process) {
  const tdm_source *source = tdm_recording_source(tracks->recording, process->source);
  char text[64] = "";
  int used = process->number == TDM_NONE ? 0
             : process->gpu ? snprintf(text, sizeof text, "GPU %lld", (long long)process->number)
                            : snprintf(text, sizeof text, "CPU");
  if (tdm_recording_sources(tracks->recording) == 1 || source == NULL) {
    tdm_outfile_json(file, text);
    return;
  }
  if (source->rank != TDM_NONE) {
    snprintf(text + used, sizeof text - (size_t)used, "%srank %lld", used > 0 ? ", " : "",
             (long long)source->rank);
    tdm_outfile_json(file, text);
    return;
  }
  size_t length;
  char *path = tdm_json_quote(source->path, &length);
  PUT("\"");
  tdm_outfile_text(file, text);
  if (used > 0) PUT(", ");
  if (path != NULL)
    tdm_outfile_put(file, path + 1, length - 1);
  else if (file->failure == 0)
    file->failure = ENOMEM;
  free(path);
}

static void put_process(const tdm_chrome_tracks *tracks, tdm_outfile *file, const char **separator,
                        uint32_t index) {
  const tdm_chrome_process *process = &tracks->processes[index];
  char plain[32]; /* what a process without a name is called anyway */
  snprintf(plain, sizeof plain, "process %lld", (long long)process->number);
  if (process->pid != process->number || strcmp(process->name, plain) != 0) {
    begin_metadata(file, separator, "process_name", process->pid, TDM_NONE, "name");
    put_process_name(file, process);
    PUT("}}");
  }
  if (process->number != TDM_NONE || tdm_recording_sources(tracks->recording) > 1) {
    begin_metadata(file, separator, "process_labels", process->pid, TDM_NONE, "labels");
    put_label(tracks, file, process);
    PUT("}}");
  }
  begin_metadata(file, separator, "process_sort_index", process->pid, TDM_NONE, "sort_index");
  tdm_outfile_unsigned(file, index + 1);
  PUT("}}");
}

void tdm_chrome_tracks_put(const tdm_chrome_tracks *tracks, tdm_outfile *file,
                           const char **separator) {
  uint32_t sort_index = tracks->process_count + 1;
  size_t next = 0;
  for (uint32_t p = 0; p < tracks->process_count; p++) {
    put_process(tracks, file, separator, p);
    for (; next < tracks->drawn_count; next++) {
      const tdm_chrome_track *at = &tracks->track[tracks->drawn[next]];
      if (at->process != p) break;
      for (uint32_t lane = 0; lane < at->lanes; lane++) {
        int64_t tid = tdm_chrome_tid(at, lane);
        begin_metadata(file, separator, "thread_name", at->pid, tid, "name");
        put_thread_name(file, at->about, lane, at->lanes);
        PUT("}}");
        begin_metadata(file, separator, "thread_sort_index", at->pid, tid, "sort_index");
        tdm_outfile_unsigned(file, sort_index++);
        PUT("}}");
      }
    }
  }
}
