/* Events of memory from calls of the CUDA (HIP) API that allocate and free; see inside.h.
 *
 * A call within another of the same thread is the same allocation seen one layer lower (cudaMalloc
 * calls cuMemAlloc) and counts once. Calls that returned an error allocated nothing. Of a file that
 * has rows of memory too, calls say nothing new. */
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/inside.h"
#include "base/memory.h"

enum { BYTES, POINTER, POINTER_TEXT, DEVICE, RETURN_CODE };

static const char *const api_categories[] = {"runtime", "driver", NULL};
static const tdm_arg api_keys[] = {{"bytes", TDM_ARG_INT},       {"ptr", TDM_ARG_INT},
                                   {"ptr", TDM_ARG_TEXT},        {"device", TDM_ARG_INT},
                                   {"return_code", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted api_rows = {.categories = api_categories,
                                    .keys = api_keys,
                                    .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                              1u << TDM_SHAPE_ASYNC | 1u << TDM_SHAPE_INSTANT};

typedef enum { OTHER, ALLOCATES, FREES } effect;

typedef struct {
  bool known, host;
  effect effect;
} call;

/* A call that did not say its block: one inside of it still may. */
typedef struct {
  int64_t end_ns; /* INT64_MIN: none */
  uint32_t space;
} owing;

typedef struct {
  tdm_run_view *view;
  tdm_memory_events *events;
  const tdm_table *rows;
  call *call; /* by name id */
  size_t room;
  size_t told;    /* spaces that rows of memory have made */
  int64_t *until; /* by track: where the last call that counted ends */
  owing *owed;    /* by track */
} reading;

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* Names by prefix: versions ("_v2", "_ptsz") and layers (cuda, cu, hip) share theirs. Virtual
 * ranges and mappings allocate nothing: cuMemCreate and cuMemRelease do. */
static call read_name(const char *name) {
  static const struct {
    const char *name;
    effect effect;
    bool host;
  } known[] = {{"MallocHost", ALLOCATES, true},   {"Malloc", ALLOCATES, false},
               {"HostAlloc", ALLOCATES, true},    {"HostMalloc", ALLOCATES, true},
               {"ExtMalloc", ALLOCATES, false},   {"FreeHost", FREES, true},
               {"HostFree", FREES, true},         {"Free", FREES, false},
               {"MemAllocHost", ALLOCATES, true}, {"MemHostAlloc", ALLOCATES, true},
               {"MemAlloc", ALLOCATES, false},    {"MemCreate", ALLOCATES, false},
               {"MemFreeHost", FREES, true},      {"MemFree", FREES, false},
               {"MemRelease", FREES, false}};
  call made = {.known = true};
  const char *rest = begins(name, "cuda")  ? name + 4
                     : begins(name, "hip") ? name + 3
                     : begins(name, "cu")  ? name + 2
                                           : "";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!begins(rest, known[i].name)) continue;
    made.effect = known[i].effect;
    made.host = known[i].host;
    break;
  }
  if (begins(rest, "FreeArray") || begins(rest, "FreeMipmapped") || begins(rest, "MallocArray") ||
      begins(rest, "MallocMipmapped") || strstr(rest, "Node") != NULL)
    made.effect = OTHER; /* arrays have no size, nodes of graphs allocate when they run */
  return made;
}

static const call *call_of(reading *r, int64_t name) {
  size_t before = r->room;
  if (name < 0 || !tdm_array_grow(&r->call, &r->room, (size_t)name + 1, sizeof *r->call))
    return NULL;
  if (r->room > before) memset(r->call + before, 0, (r->room - before) * sizeof *r->call);
  if (!r->call[name].known) r->call[name] = read_name(tdm_run_view_name(r->view, name));
  return &r->call[name];
}

static int64_t address_at(const reading *r, size_t i) {
  if (tdm_table_arg(r->rows, POINTER, i) != TDM_NONE) return tdm_table_arg(r->rows, POINTER, i);
  if (tdm_table_arg(r->rows, POINTER_TEXT, i) == TDM_NONE) return TDM_NONE;
  char *end;
  const char *text = tdm_run_view_name(r->view, tdm_table_arg(r->rows, POINTER_TEXT, i));
  int64_t address = (int64_t)strtoull(text, &end, 0);
  return end != text ? address : TDM_NONE;
}

static bool is_wanted(const reading *r, const call *what, int64_t number) {
  int64_t device = tdm_run_view_filter_of(r->view)->device;
  return device == TDM_NONE || (!what->host && (number == TDM_NONE || number == device));
}

/* What the layers below say again is dropped: the outermost call that knows its block counts. */
static bool is_inner(reading *r, size_t i) {
  int64_t *until = &r->until[tdm_table_track(r->rows, i)];
  if (tdm_table_end_ns(r->rows, i) <= *until && tdm_table_start_ns(r->rows, i) < *until)
    return true;
  if (tdm_table_end_ns(r->rows, i) > *until) *until = tdm_table_end_ns(r->rows, i);
  return false;
}

static void settle_debt(reading *r, owing *owed) {
  if (owed->end_ns == INT64_MIN) return;
  r->events->space[owed->space].sized = false;
  r->events->unsized++;
  owed->end_ns = INT64_MIN;
}

static bool is_told(const reading *r, int64_t track) {
  const tdm_track *on = tdm_run_view_track(r->view, track);
  for (size_t p = 0; on != NULL && p < r->told; p++)
    if (r->events->space[p].source == on->source) return true;
  return false;
}

static int put_call(reading *r, size_t i) {
  const tdm_table *t = r->rows;
  const call *what = call_of(r, tdm_table_name(t, i));
  if (what == NULL) return 0;
  int64_t number = what->host ? TDM_NONE : tdm_table_arg(t, DEVICE, i),
          bytes = tdm_table_arg(t, BYTES, i);
  int64_t address = address_at(r, i), code = tdm_table_arg(t, RETURN_CODE, i);
  if (what->effect == OTHER || !is_wanted(r, what, number) || is_told(r, tdm_table_track(t, i)))
    return 1;
  if (code != TDM_NONE && code != 0) {
    r->events->failed++;
    return 1;
  }
  uint32_t space =
      tdm_memory_space_of(r->events, r->view, tdm_table_track(t, i), number, what->host, true);
  if (space == UINT32_MAX) return 0;
  owing *owed = &r->owed[tdm_table_track(t, i)];
  if (what->effect == ALLOCATES ? bytes == TDM_NONE : address == TDM_NONE && bytes == TDM_NONE) {
    if (tdm_table_end_ns(t, i) <= r->until[tdm_table_track(t, i)])
      return 1; /* its caller said it */
    settle_debt(r, owed);
    *owed = (owing){.end_ns = tdm_table_end_ns(t, i), .space = space};
    return 1;
  }
  if (tdm_table_end_ns(t, i) <= owed->end_ns) owed->end_ns = INT64_MIN;
  if (is_inner(r, i) || (bytes < 0 && bytes != TDM_NONE) || (what->effect == FREES && address == 0))
    return 1;
  if (address == TDM_NONE) r->events->space[space].addressed = false;
  tdm_memory_event event = {.time_ns = what->effect == ALLOCATES ? tdm_table_end_ns(t, i)
                                                                 : tdm_table_start_ns(t, i),
                            .bytes = bytes == TDM_NONE ? 0 : bytes,
                            .address = address,
                            .kind = TDM_NONE,
                            .owner = what->effect == ALLOCATES ? tdm_table_name(t, i) : TDM_NONE,
                            .stack = TDM_NONE,
                            .total = TDM_NONE,
                            .reserved = TDM_NONE,
                            .space = space,
                            .action = what->effect == FREES ? TDM_MEMORY_FREE : TDM_MEMORY_ALLOC};
  return tdm_memory_put(r->events, &event);
}

/* A pointer alone frees nothing that is known by its size alone: cudaMalloc's is known when it
 * returns, and tracers that read arguments where calls begin do not have it. */
static void find_unmatched(tdm_memory_events *events, size_t from) {
  for (size_t i = from; i < events->count; i++) {
    const tdm_memory_event *event = &events->event[i];
    tdm_memory_space *space = &events->space[event->space];
    if (event->action != TDM_MEMORY_FREE || event->bytes != 0 || space->addressed) continue;
    space->sized = false;
    events->unsized++;
  }
}

tdm_status tdm_memory_from_calls(tdm_run_view *view, tdm_memory_events *events, tdm_error *error) {
  if (!tdm_run_view_has_key(view, "runtime", "bytes") &&
      !tdm_run_view_has_key(view, "driver", "bytes"))
    return TDM_OK;
  reading r = {.view = view, .events = events, .told = events->spaces};
  size_t before = events->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  tdm_status status = tdm_run_view_table(view, &api_rows, &r.rows, error);
  r.until = tdm_array_new(tracks + 1, sizeof *r.until);
  r.owed = tdm_array_new(tracks + 1, sizeof *r.owed);
  if (status == TDM_OK && (r.until == NULL || r.owed == NULL))
    status = tdm_error_memory(error, "tracks", tracks);
  for (uint32_t t = 0; status == TDM_OK && t < tracks; t++)
    r.until[t] = r.owed[t].end_ns = INT64_MIN;
  for (size_t i = 0; status == TDM_OK && i < r.rows->count; i++)
    if (!put_call(&r, i)) status = tdm_error_memory(error, "changes of memory", 0);
  for (uint32_t t = 0; status == TDM_OK && t < tracks; t++) settle_debt(&r, &r.owed[t]);
  if (status == TDM_OK) find_unmatched(events, before);
  free(r.until);
  free(r.owed);
  free(r.call);
  return status;
}
