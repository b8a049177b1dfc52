/* What calls waited for, and streams: synchronization, blocking copies, events. See path.h.
 *
 * Records of synchronization (CUPTI's) name the stream or event; without them a call that
 * synchronizes waited for the work of its process that ended last before it returned. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

enum { UNTOLD_NS = 5000 }; /* from the end of what was waited for to the beginning of what waited */

typedef enum { WAIT_NONE, WAIT_DEVICE, WAIT_STREAM, WAIT_EVENT, WAIT_OF_STREAM } wait_kind;

typedef struct {
  tdm_path *path;
  unsigned char *told; /* by host record: a record of synchronization told what it waited for */
  tdm_groups events;   /* records of events by process, event, and its use */
  size_t event_groups;
  uint32_t *event_row; /* by group: the last */
  tdm_groups streams;
  uint32_t stream_groups, *stream_track; /* by group: the first */
} waiting;

/* ---- edges ---- */

/* A call returned after a work had ended, if that happened while it waited. */
static int add_sync(tdm_path *path, uint32_t call, uint32_t work) {
  if (work == TDM_NO_ROW ||
      tdm_table_end_ns(path->work, work) <= tdm_table_start_ns(path->host, call) ||
      tdm_table_end_ns(path->work, work) > tdm_table_end_ns(path->host, call))
    return 1;
  return tdm_dag_edge(&path->dag, 2 * work + 1, path->call_end[tdm_picks_place(&path->calls, call)],
                      TDM_EDGE_SYNC);
}

/* The work of a track that was asked for last before a time. */
static uint32_t last_asked(const tdm_path *path, uint32_t track, int64_t before_ns) {
  uint32_t low = path->first_work[track], high = path->first_work[track + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tdm_path_asked_ns(path, path->works[middle]) < before_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low > path->first_work[track] ? path->works[low - 1] : TDM_NO_ROW;
}

/* Of all streams of a process: what ended last before the call did, asked for before it began. */
static uint32_t last_of_process(const tdm_path *path, uint32_t call) {
  uint32_t process = path->process[tdm_table_track(path->host, call)];
  uint32_t by = tdm_ended_by(path, process, tdm_table_end_ns(path->host, call));
  uint32_t at = tdm_ended_asked(path, process, by, tdm_table_start_ns(path->host, call));
  return at > 0 ? path->finished.order[at - 1] : TDM_NO_ROW;
}

/* ---- which kind ---- */

static wait_kind kind_of_text(const char *text) {
  char lower[64] = "";
  for (size_t i = 0; i + 1 < sizeof lower && text[i] != 0; i++)
    lower[i] = (char)tolower((unsigned char)text[i]);
  if (strstr(lower, "wait") != NULL) return WAIT_OF_STREAM;
  if (strstr(lower, "event") != NULL) return WAIT_EVENT;
  if (strstr(lower, "stream") != NULL) return WAIT_STREAM;
  return strstr(lower, "context") != NULL ? WAIT_DEVICE : WAIT_NONE;
}

static wait_kind sync_kind(const tdm_path *path, size_t row) {
  int64_t text = tdm_table_arg(path->sync, TDM_PATH_SYNC_KINETO_KIND, row);
  if (text == TDM_NONE) text = tdm_table_arg(path->sync, TDM_PATH_SYNC_KIND, row);
  if (text == TDM_NONE) text = tdm_table_name(path->sync, row);
  return kind_of_text(tdm_run_view_name(path->view, text));
}

/* ---- events ---- */

static tdm_status gather_events(waiting *w, tdm_error *error) {
  const tdm_table *event = w->path->event;
  tdm_status status = tdm_groups_open(&w->events, 3, event->count + w->path->sync->count, error);
  w->event_row = tdm_array_raw(event->count + 1, sizeof *w->event_row);
  if (status == TDM_OK && w->event_row == NULL) status = tdm_error_memory(error, "events", 0);
  for (size_t i = 0; status == TDM_OK && i < event->count; i++) {
    const int64_t key[] = {w->path->process[tdm_table_track(event, i)],
                           tdm_table_arg(event, TDM_PATH_EVENT_EVENT, i),
                           tdm_table_arg(event, TDM_PATH_EVENT_EVENT_SYNC, i)};
    uint32_t g = tdm_groups_add(&w->events, key);
    if (g == UINT32_MAX) return tdm_error_memory(error, "events", 0);
    w->event_row[g] = (uint32_t)i;
  }
  w->event_groups = w->events.count;
  return status;
}

/* Streams that have work, by process and number. */
static tdm_status gather_streams(waiting *w, tdm_error *error) {
  const tdm_path *path = w->path;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  tdm_status status = tdm_groups_open(&w->streams, 2, tracks + path->sync->count, error);
  w->stream_track = tdm_array_raw((size_t)tracks + 1, sizeof *w->stream_track);
  if (status == TDM_OK && w->stream_track == NULL)
    status = tdm_error_memory(error, "streams", tracks);
  for (uint32_t t = 0; status == TDM_OK && path->sync->count > 0 && t < tracks; t++) {
    const tdm_track *track = tdm_run_view_track(path->view, t);
    if (path->first_work[t] == path->first_work[t + 1] || track == NULL ||
        track->kind != TDM_TRACK_STREAM)
      continue;
    const int64_t key[] = {path->process[t], track->stream};
    uint32_t g = tdm_groups_add(&w->streams, key);
    if (g == UINT32_MAX) return tdm_error_memory(error, "streams", 0);
    if (g == w->stream_groups) w->stream_track[w->stream_groups++] = t;
  }
  return status;
}

static uint32_t stream_track(waiting *w, uint32_t process, int64_t stream) {
  const int64_t key[] = {process, stream};
  uint32_t g = tdm_groups_add(&w->streams, key);
  return g < w->stream_groups ? w->stream_track[g] : UINT32_MAX;
}

/* The work that an event stands for: the last one asked of its stream before it was recorded, if
 * any was. *told: whether the trace says where it was recorded. */
static uint32_t work_of_event(waiting *w, size_t sync, bool *told) {
  const tdm_path *path = w->path;
  uint32_t process = path->process[tdm_table_track(path->sync, sync)];
  uint32_t call = path->record_call[sync];
  int64_t stream = tdm_table_arg(path->sync, TDM_PATH_SYNC_ON_STREAM, sync);
  if (call != TDM_NO_ROW && stream != TDM_NONE) {
    uint32_t track = stream_track(w, process, stream);
    *told = true;
    return track == UINT32_MAX ? TDM_NO_ROW
                               : last_asked(path, track, tdm_table_start_ns(path->host, call));
  }
  *told = false;
  const int64_t key[] = {process, tdm_table_arg(path->sync, TDM_PATH_SYNC_EVENT, sync),
                         tdm_table_arg(path->sync, TDM_PATH_SYNC_EVENT_SYNC, sync)};
  if (key[1] == TDM_NONE || w->event_groups == 0) return TDM_NO_ROW;
  uint32_t g = tdm_groups_add(&w->events, key);
  if (g >= w->event_groups) return TDM_NO_ROW;
  uint32_t row = w->event_row[g];
  *told = true;
  call = path->event_call[row];
  int64_t at_ns = call != TDM_NO_ROW ? tdm_table_start_ns(path->host, call)
                                     : tdm_table_start_ns(path->event, row);
  return last_asked(path, (uint32_t)tdm_table_track(path->event, row), at_ns);
}

/* The first work asked of a stream after its wait. */
static int add_stream_wait(waiting *w, size_t sync, uint32_t call) {
  tdm_path *path = w->path;
  bool told;
  uint32_t source = work_of_event(w, sync, &told),
           track = (uint32_t)tdm_table_track(path->sync, sync);
  if (!told) path->unresolved++;
  if (source == TDM_NO_ROW) return 1;
  int64_t from_ns = call != TDM_NO_ROW ? tdm_table_start_ns(path->host, call)
                                       : tdm_table_start_ns(path->sync, sync);
  uint32_t last = last_asked(path, track, from_ns);
  uint32_t next = path->first_work[track];
  if (last != TDM_NO_ROW) {
    uint32_t low = next, high = path->first_work[track + 1];
    while (low < high) { /* works are numbered by start */
      uint32_t middle = low + (high - low) / 2;
      if (path->works[middle] <= last)
        low = middle + 1;
      else
        high = middle;
    }
    next = low;
  }
  if (next >= path->first_work[track + 1]) return 1;
  uint32_t to = path->works[next];
  if (tdm_table_end_ns(path->work, source) > tdm_table_start_ns(path->work, to)) return 1;
  return tdm_dag_edge(&path->dag, 2 * source + 1, 2 * to, TDM_EDGE_EVENT);
}

/* ---- all of them ---- */

static int add_told(waiting *w, size_t sync) {
  tdm_path *path = w->path;
  uint32_t track = (uint32_t)tdm_table_track(path->sync, sync);
  uint32_t call = path->sync_call[sync];
  wait_kind kind = sync_kind(path, sync);
  if (kind == WAIT_OF_STREAM) return add_stream_wait(w, sync, call);
  if (call == TDM_NO_ROW || kind == WAIT_NONE) return 1;
  uint32_t work = TDM_NO_ROW;
  bool told = true;
  if (kind == WAIT_DEVICE)
    work = last_of_process(path, call);
  else if (kind == WAIT_EVENT)
    work = work_of_event(w, sync, &told);
  else
    work = tdm_path_ended(path, track, tdm_table_end_ns(path->host, call),
                          tdm_table_start_ns(path->host, call));
  /* Some profilers name a stream of another GPU, where nothing ran. */
  if (kind == WAIT_STREAM && path->first_work[track] == path->first_work[track + 1]) told = false;
  if (!told) return 1;
  w->told[call] = 1;
  return add_sync(path, call, work);
}

/* Calls that could not hand over their command before the GPU had taken others. */
static int add_full_queues(waiting *w) {
  tdm_path *path = w->path;
  const tdm_table *overhead = path->overhead;
  for (size_t i = 0; i < overhead->count; i++) {
    uint32_t call = path->overhead_call[i];
    if (call == TDM_NO_ROW || tdm_table_arg(overhead, 1, i) == TDM_NONE ||
        strcmp(tdm_run_view_name(path->view, tdm_table_arg(overhead, 1, i)),
               "command_buffer_full") != 0)
      continue;
    path->full++;
    if (!add_sync(path, call, last_of_process(path, call))) return 0;
  }
  return 1;
}

/* Copies and memsets that ended before their call did: it waited for them, whatever it is called.
 */
static int add_copies(tdm_path *path) {
  for (uint32_t i = 0; i < path->work->count; i++) {
    uint32_t call = path->launch[i];
    int64_t category = tdm_table_category(path->work, i);
    if (call == TDM_NO_ROW || (category != TDM_WORK_MEMCPY && category != TDM_WORK_MEMSET))
      continue;
    if (!add_sync(path, call, i)) return 0;
  }
  return 1;
}

/* ---- streams that wait, untold ---- */

static bool tells_stream_waits(const tdm_path *path) {
  for (size_t i = 0; i < path->sync->count; i++)
    if (sync_kind(path, i) == WAIT_OF_STREAM) return true;
  return false;
}

/* Whether a work began long after it could have: its stream was free, it was asked for. */
static bool is_unexplained(const tdm_path *path, uint32_t work) {
  enum { FAR_TIMES = 10 };
  uint32_t call = path->launch[work], before = tdm_path_before(path, work);
  if (call == TDM_NO_ROW) return false;
  int64_t start_ns = tdm_table_start_ns(path->work, work),
          asked_ns = tdm_table_start_ns(path->host, call);
  bool was_free = before == TDM_NO_ROW;
  if (!was_free) {
    int64_t idle_ns = start_ns - tdm_table_end_ns(path->work, before);
    was_free = idle_ns > UNTOLD_NS && idle_ns > FAR_TIMES * path->typical_ns[TDM_EDGE_STREAM];
  }
  return was_free && start_ns - asked_ns > UNTOLD_NS + 2 * path->typical_ns[TDM_EDGE_LAUNCH];
}

/* The last work of another stream, launched before this one was, that ended just when it began. */
static uint32_t untold_cause(const tdm_path *path, uint32_t work) {
  int32_t own = tdm_table_track(path->work, work);
  uint32_t process = path->process[own];
  int64_t start_ns = tdm_table_start_ns(path->work, work), asked_ns = tdm_path_asked_ns(path, work);
  uint32_t at = tdm_ended_by(path, process, start_ns);
  while ((at = tdm_ended_asked(path, process, at, asked_ns)) > 0) {
    uint32_t other = path->finished.order[--at],
             track = (uint32_t)tdm_table_track(path->work, other);
    if (tdm_table_end_ns(path->work, other) < start_ns - UNTOLD_NS) return TDM_NO_ROW;
    if ((int32_t)track == own || path->launch[other] == TDM_NO_ROW) continue;
    if (tdm_path_ended(path, track, start_ns, asked_ns) == other) return other;
  }
  return TDM_NO_ROW;
}

/* Such a work began just when another stream's ended that had been asked for before it: it waited
 * for that. Only where the trace tells of no such wait at all. */
static int add_inferred(tdm_path *path) {
  if (tells_stream_waits(path)) return 1;
  for (uint32_t i = 0; i < path->work->count; i++) {
    uint32_t other = is_unexplained(path, i) ? untold_cause(path, i) : TDM_NO_ROW;
    if (other == TDM_NO_ROW) continue;
    path->inferred++;
    if (!tdm_dag_edge(&path->dag, 2 * other + 1, 2 * i, TDM_EDGE_EVENT)) return 0;
  }
  return 1;
}

static int add_untold(waiting *w) {
  tdm_path *path = w->path;
  tdm_name_marks marks = {0};
  bool failed = false;
  for (uint32_t i = 0; i < path->host->count && !failed; i++) {
    if (tdm_table_category(path->host, i) > TDM_HOST_DRIVER || w->told[i]) continue;
    uint8_t kind =
        tdm_name_mark(&marks, path->view, tdm_table_name(path->host, i), tdm_api_waits_for);
    if (kind == TDM_WAITS_NOT) continue;
    if (kind != TDM_WAITS_DEVICE) path->guessed++;
    if (!add_sync(path, i, last_of_process(path, i))) failed = true;
  }
  tdm_name_marks_close(&marks);
  return !failed;
}

tdm_status tdm_path_add_waits(tdm_path *path, tdm_error *error) {
  waiting w = {.path = path, .told = tdm_array_new(path->host->count + 1, 1)};
  tdm_status status = TDM_OK;
  if (w.told == NULL) status = tdm_error_memory(error, "waits", path->host->count);
  if (status == TDM_OK) status = gather_events(&w, error);
  if (status == TDM_OK) status = gather_streams(&w, error);
  for (size_t i = 0; status == TDM_OK && i < path->sync->count; i++)
    if (!add_told(&w, i)) status = tdm_error_memory(error, "waits", 0);
  if (status == TDM_OK &&
      (!add_copies(path) || !add_full_queues(&w) || !add_untold(&w) || !add_inferred(path)))
    status = tdm_error_memory(error, "waits", 0);
  tdm_groups_close(&w.events);
  tdm_groups_close(&w.streams);
  free(w.event_row);
  free(w.stream_track);
  free(w.told);
  return status;
}
