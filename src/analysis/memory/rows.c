/* Events of memory from rows of category "memory"; see inside.h.
 *
 * PyTorch's profiler says signed bytes and what its allocator then holds; the operator that was
 * running on the thread owns the block. Its memory timeline says signed bytes and a category,
 * snapshots and Nsight Systems say which operation it was. */
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/inside.h"
#include "base/memory.h"

enum {
  BYTES,
  KIND,
  ADDRESS,
  ADDR,
  TOTAL_ALLOCATED,
  TOTAL_RESERVED,
  DEVICE_ID,
  DEVICE_TYPE,
  FRAME,
  STACK,
  MEMORY_KIND,
  VARIABLE
};

static const char *const memory_categories[] = {"memory", NULL};
/* As their sources spell them: Kineto's have capitals. */
static const tdm_arg memory_keys[] = {
    {"bytes", TDM_ARG_INT},     {"kind", TDM_ARG_TEXT},           {"address", TDM_ARG_INT},
    {"Addr", TDM_ARG_INT},      {"Total Allocated", TDM_ARG_INT}, {"Total Reserved", TDM_ARG_INT},
    {"Device Id", TDM_ARG_INT}, {"Device Type", TDM_ARG_INT},     {"frame", TDM_ARG_TEXT},
    {"stack", TDM_ARG_TEXT},    {"memory_kind", TDM_ARG_TEXT},    {"variable", TDM_ARG_TEXT},
    {NULL, TDM_ARG_INT}};
static const tdm_wanted memory_rows = {
    .categories = memory_categories, .keys = memory_keys, .shapes = 1u << TDM_SHAPE_INSTANT};

static const char *const op_categories[] = {"cpu_op", NULL};
static const tdm_wanted operators = {.categories = op_categories};

typedef enum { SIGNED, ALLOC, FREE, GROW, SHRINK, OOM, IGNORED } sort_of;

/* What a row's name says: PyTorch's actions, Nsight Systems' operations. */
static const struct {
  const char *name;
  sort_of sort;
  uint8_t flags;
} actions[] = {{"[memory]", SIGNED, 0},
               {"create", SIGNED, 0},
               {"preexisting", SIGNED, TDM_MEMORY_BEFORE},
               {"increment_version", SIGNED, TDM_MEMORY_MOVES},
               {"destroy", SIGNED, 0},
               {"alloc", ALLOC, 0},
               {"allocation", ALLOC, 0},
               {"free_requested", FREE, 0},
               {"deallocation", FREE, 0},
               {"segment_alloc", GROW, 0},
               {"segment_map", GROW, 0},
               {"segment_free", SHRINK, 0},
               {"segment_unmap", SHRINK, 0},
               {"oom", OOM, 0}};

typedef struct {
  tdm_run_view *view;
  tdm_memory_events *events;
  const tdm_table *rows, *ops;
  size_t next_op;
  uint32_t *open, *below; /* by track, by operator: + 1; 0: none */
  uint32_t tracks;
  int64_t name; /* whose action is known: neighbours often share theirs */
  sort_of sort;
  uint8_t flags;
} reading;

static void read_action(reading *r, int64_t name) {
  if (name == r->name) return;
  const char *text = tdm_run_view_name(r->view, name);
  r->name = name;
  r->sort = strncmp(text, "action ", 7) == 0 ? SIGNED : IGNORED; /* a timeline's unknown ones */
  r->flags = 0;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (strcmp(text, actions[i].name) != 0) continue;
    r->sort = actions[i].sort;
    r->flags = actions[i].flags;
  }
}

/* ---- the operator that was running ---- */

static void close_until(reading *r, int64_t track, int64_t time_ns) {
  while (r->open[track] != 0 && tdm_table_end_ns(r->ops, r->open[track] - 1) < time_ns)
    r->open[track] = r->below[r->open[track] - 1];
}

/* The innermost operator open on a track at a time; times come in order. */
static int64_t operator_at(reading *r, int64_t track, int64_t time_ns) {
  for (; r->next_op < r->ops->count && tdm_table_start_ns(r->ops, r->next_op) <= time_ns;
       r->next_op++) {
    int64_t on = tdm_table_track(r->ops, r->next_op);
    close_until(r, on, tdm_table_start_ns(r->ops, r->next_op));
    r->below[r->next_op] = r->open[on];
    r->open[on] = (uint32_t)r->next_op + 1;
  }
  close_until(r, track, time_ns);
  return r->open[track] != 0 ? tdm_table_name(r->ops, r->open[track] - 1) : TDM_NONE;
}

/* ---- rows ---- */

/* Of Nsight Systems, which tells pinned memory with the device that it was pinned for. PyTorch's
 * number for the CPU is 0, for CUDA 1, for HIP 6, … */
static bool is_host_kind(const reading *r, int64_t kind) {
  const char *text = kind != TDM_NONE ? tdm_run_view_name(r->view, kind) : "";
  return strcmp(text, "pinned") == 0 || strcmp(text, "pageable") == 0;
}

static uint32_t space_of_row(const reading *r, size_t i) {
  const tdm_table *t = r->rows;
  int64_t type = tdm_table_arg(t, DEVICE_TYPE, i), number = tdm_table_arg(t, DEVICE_ID, i);
  bool host = type == 0 || is_host_kind(r, tdm_table_arg(t, MEMORY_KIND, i));
  const tdm_track *track = tdm_run_view_track(r->view, tdm_table_track(t, i));
  if (type == TDM_NONE && number == TDM_NONE && track != NULL) number = track->device;
  if (host) number = TDM_NONE;
  int64_t wanted = tdm_run_view_filter_of(r->view)->device;
  if (wanted != TDM_NONE && (host || (number != TDM_NONE && number != wanted)))
    return TDM_NO_DEVICE;
  return tdm_memory_space_of(r->events, r->view, tdm_table_track(t, i), number, host, false);
}

static int64_t first_of(int64_t a, int64_t b) {
  return a != TDM_NONE ? a : b;
}

static int64_t magnitude(int64_t bytes) {
  return bytes >= 0 ? bytes : bytes == INT64_MIN ? INT64_MAX : -bytes;
}

static int put_row(reading *r, size_t i) {
  const tdm_table *t = r->rows;
  int64_t bytes = tdm_table_arg(t, BYTES, i);
  read_action(r, tdm_table_name(t, i));
  if (bytes == TDM_NONE || r->sort == IGNORED) return 1;
  uint32_t space = space_of_row(r, i);
  if (space == TDM_NO_DEVICE)
    return tdm_run_view_filter_of(r->view)->device != TDM_NONE; /* not wanted, or no memory */
  bool frees = r->sort == FREE || r->sort == SHRINK || (r->sort == SIGNED && bytes < 0);
  tdm_memory_event event = {
      .time_ns = tdm_table_start_ns(t, i),
      .bytes = magnitude(bytes),
      .address = first_of(tdm_table_arg(t, ADDRESS, i), tdm_table_arg(t, ADDR, i)),
      .kind = first_of(tdm_table_arg(t, MEMORY_KIND, i), tdm_table_arg(t, KIND, i)),
      .owner = first_of(tdm_table_arg(t, FRAME, i), tdm_table_arg(t, VARIABLE, i)),
      .stack = tdm_table_arg(t, STACK, i),
      .total = tdm_table_arg(t, TOTAL_ALLOCATED, i),
      .reserved = tdm_table_arg(t, TOTAL_RESERVED, i),
      .space = space,
      .action = frees ? TDM_MEMORY_FREE : TDM_MEMORY_ALLOC,
      .flags = r->flags};
  if (r->sort == GROW || r->sort == SHRINK) {
    event.action = TDM_MEMORY_RESERVE;
    if (frees) event.bytes = -event.bytes;
  }
  if (r->sort == OOM) event.action = TDM_MEMORY_OOM;
  if (event.owner == TDM_NONE && r->open != NULL)
    event.owner = operator_at(r, tdm_table_track(t, i), event.time_ns);
  if (event.action <= TDM_MEMORY_FREE && event.address == TDM_NONE)
    r->events->space[space].addressed = false;
  return tdm_memory_put(r->events, &event);
}

tdm_status tdm_memory_from_rows(tdm_run_view *view, tdm_memory_events *events, tdm_error *error) {
  if (!tdm_run_view_has(view, "memory")) return TDM_OK;
  reading r = {.view = view,
               .events = events,
               .name = TDM_NONE,
               .tracks = tdm_run_tables_tracks(tdm_run_view_tables(view))};
  tdm_status status = tdm_run_view_table(view, &memory_rows, &r.rows, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &operators, &r.ops, error);
  if (status == TDM_OK && r.ops->count > 0) {
    r.open = tdm_array_new(r.tracks, sizeof *r.open);
    r.below = tdm_array_new(r.ops->count, sizeof *r.below);
    if (r.open == NULL || r.below == NULL)
      status = tdm_error_memory(error, "operators", r.ops->count * sizeof *r.below);
  }
  for (size_t i = 0; status == TDM_OK && i < r.rows->count; i++)
    if (!put_row(&r, i)) status = tdm_error_memory(error, "changes of memory", 0);
  free(r.open);
  free(r.below);
  return status;
}
