/* Events of memory from counters, and what was held before the first event; see inside.h.
 *
 * PyTorch's snapshots have "memory: allocated" and "memory: reserved", its timelines "memory:
 * total" and one for each category, tracers of the CUDA API "allocated bytes". */
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/inside.h"
#include "base/memory.h"

static const char *const counter_categories[] = {"counter", NULL};
static const tdm_arg counter_keys[] = {{"value", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted samples = {
    .categories = counter_categories, .keys = counter_keys, .shapes = 1u << TDM_SHAPE_SAMPLE};

typedef enum { UNKNOWN, ALLOCATED, RESERVED, OF_KIND, SUM, IGNORED } meaning;

typedef struct {
  meaning meaning;
  int64_t last; /* value of the sample before */
} counter;

typedef struct {
  tdm_run_view *view;
  tdm_memory_events *events;
  const tdm_table *rows;
  counter *counter; /* by space * names + name */
  size_t names, cells;
  size_t told; /* events that are not counters', all in front */
} reading;

/* Other sources have counters in millions that say nothing of memory, and a raw timeline's repeat
 * its rows. */
static bool has_counters(tdm_run_view *view) {
  tdm_run_tables *tables = tdm_run_view_tables(view);
  for (uint32_t s = 0; s < tdm_run_tables_sources(tables); s++) {
    const tdm_source *source = tdm_run_tables_source(tables, s);
    if (source == NULL) continue;
    bool raw = strcmp(source->detail, "raw") == 0;
    if ((strncmp(source->format, "torch-memory", 12) == 0 && !raw) ||
        strcmp(source->format, "cuda-api") == 0)
      return true;
  }
  return false;
}

static meaning meaning_of(const char *name) {
  static const char prefix[] = "memory: ";
  if (strcmp(name, "allocated bytes") == 0) return OF_KIND;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return IGNORED;
  name += sizeof prefix - 1;
  if (strcmp(name, "allocated") == 0) return ALLOCATED;
  if (strcmp(name, "reserved") == 0) return RESERVED;
  if (strcmp(name, "total") == 0) return SUM;
  return strcmp(name, "active") == 0 ? IGNORED : OF_KIND;
}

/* What the events up to a time add up to: a snapshot's first sample stands behind the first
 * moment's events. */
static void put_base(reading *r, uint32_t space, meaning what, int64_t time_ns, int64_t value) {
  tdm_memory_space *of = &r->events->space[space];
  int64_t *base = what == RESERVED ? &of->reserved_base : &of->base;
  if (*base != TDM_NONE) return;
  for (size_t i = 0; i < r->told && r->events->event[i].time_ns <= time_ns; i++) {
    const tdm_memory_event *event = &r->events->event[i];
    if (event->space != space) continue;
    if (what == RESERVED ? event->action == TDM_MEMORY_RESERVE : event->action <= TDM_MEMORY_FREE)
      value = event->action == TDM_MEMORY_FREE ? tdm_memory_add(value, event->bytes)
                                               : tdm_memory_less(value, event->bytes);
  }
  *base = value > 0 ? value : 0;
}

/* Whether blocks are known: calls that do not say sizes leave the counter. */
static bool has_events(const reading *r, uint32_t space) {
  if (!r->events->space[space].sized) return false;
  for (size_t i = 0; i < r->told; i++)
    if (r->events->event[i].space == space) return true;
  return false;
}

static counter *counter_of(reading *r, uint32_t space, int64_t name) {
  size_t cell = space * r->names + (size_t)name, before = r->cells;
  if (!tdm_array_grow(&r->counter, &r->cells, cell + 1, sizeof *r->counter)) return NULL;
  if (r->cells > before) memset(r->counter + before, 0, (r->cells - before) * sizeof *r->counter);
  return &r->counter[cell];
}

static int put_sample(reading *r, size_t i) {
  int64_t name = tdm_table_name(r->rows, i), value = tdm_table_arg(r->rows, 0, i),
          track = tdm_table_track(r->rows, i);
  if (name < 0 || (size_t)name >= r->names || value == TDM_NONE) return 1;
  meaning what = meaning_of(tdm_run_view_name(r->view, name));
  if (what == IGNORED) return 1;
  const tdm_track *on = tdm_run_view_track(r->view, track);
  int64_t number = on != NULL ? on->device : TDM_NONE;
  bool of_process = on != NULL && on->kind != TDM_TRACK_DEVICE;
  uint32_t space = tdm_memory_space_of(r->events, r->view, track, number, false, of_process);
  counter *of = space != UINT32_MAX ? counter_of(r, space, name) : NULL;
  if (of == NULL) return 0;
  if (of->meaning == UNKNOWN) {
    of->meaning = what;
    if (has_events(r, space)) {
      of->meaning = IGNORED;
      if (what == ALLOCATED || what == RESERVED)
        put_base(r, space, what, tdm_table_start_ns(r->rows, i), value);
    }
  }
  if (of->meaning != OF_KIND) return 1;
  r->events->space[space].counted = true;
  tdm_memory_event event = {.time_ns = tdm_table_start_ns(r->rows, i),
                            .bytes = tdm_memory_less(value, of->last),
                            .address = TDM_NONE,
                            .kind = name,
                            .owner = TDM_NONE,
                            .stack = TDM_NONE,
                            .total = TDM_NONE,
                            .reserved = TDM_NONE,
                            .space = space,
                            .action = TDM_MEMORY_COUNTER};
  of->last = value;
  return tdm_memory_put(r->events, &event);
}

tdm_status tdm_memory_from_counters(tdm_run_view *view, tdm_memory_events *events,
                                    tdm_error *error) {
  if (!has_counters(view)) return TDM_OK;
  reading r = {.view = view, .events = events, .told = events->count};
  tdm_status status = tdm_run_view_table(view, &samples, &r.rows, error);
  for (size_t i = 0; status == TDM_OK && i < r.rows->count; i++)
    if ((size_t)tdm_table_name(r.rows, i) >= r.names)
      r.names = (size_t)tdm_table_name(r.rows, i) + 1;
  for (size_t i = 0; status == TDM_OK && i < r.rows->count; i++)
    if (!put_sample(&r, i)) status = tdm_error_memory(error, "changes of memory", 0);
  free(r.counter);
  return status;
}
