/* See tables.h. */
#include "read/rocprof/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/record.h"

enum { MOST_KERNELS = 1 << 22 };

void tdm_rocprof_tables_free(tdm_rocprof_tables *tables) {
  tdm_intern_clear(&tables->names);
  free(tables->agent);
  free(tables->symbol);
  free(tables->kind);
  free(tables->operation);
  free(tables->marker);
  *tables = (tdm_rocprof_tables){0};
}

static uint32_t name_put(tdm_rocprof_tables *tables, const char *name) {
  uint32_t id = tdm_intern_put(&tables->names, name, strlen(name), NULL);
  tables->failed |= id == TDM_INTERN_FAILED;
  return id;
}

/* Room for one more of an array; false: out of memory, which sticks. */
static bool room(tdm_rocprof_tables *tables, void *items, size_t *capacity, size_t need,
                 size_t size) {
  if (!tables->failed && !tdm_array_grow(items, capacity, need, size)) tables->failed = true;
  return !tables->failed;
}

const char *tdm_rocprof_name(const tdm_rocprof_tables *tables, uint32_t name, size_t *length) {
  const tdm_intern_entry *entry = &tables->names.entries[name];
  if (length != NULL) *length = entry->length;
  return entry->bytes;
}

void tdm_rocprof_agent_put(tdm_rocprof_tables *tables, int64_t handle, bool gpu, int64_t number,
                           const char *product) {
  if (!room(tables, &tables->agent, &tables->agent_room, tables->agents + 1, sizeof *tables->agent))
    return;
  tdm_rocprof_agent *agent = &tables->agent[tables->agents++];
  *agent = (tdm_rocprof_agent){.handle = handle, .gpu = gpu, .number = number};
  snprintf(agent->heading, sizeof agent->heading, "%.40s #%lld", product, (long long)number);
}

const tdm_rocprof_agent *tdm_rocprof_agent_of(const tdm_rocprof_tables *tables, int64_t handle) {
  for (size_t i = 0; i < tables->agents; i++)
    if (tables->agent[i].handle == handle) return &tables->agent[i];
  return NULL;
}

void tdm_rocprof_symbol_put(tdm_rocprof_tables *tables, int64_t kernel, const char *name,
                            int64_t vgpr, int64_t sgpr) {
  if (kernel < 0 || kernel >= MOST_KERNELS) return;
  size_t need = (size_t)kernel + 1;
  if (!room(tables, &tables->symbol, &tables->symbol_room, need, sizeof *tables->symbol)) return;
  for (; tables->symbols < need; tables->symbols++)
    tables->symbol[tables->symbols] = (tdm_rocprof_symbol){.name = TDM_INTERN_FAILED};
  tables->symbol[kernel] = (tdm_rocprof_symbol){name_put(tables, name), vgpr, sgpr};
}

const tdm_rocprof_symbol *tdm_rocprof_symbol_of(const tdm_rocprof_tables *tables, int64_t kernel) {
  if (kernel < 0 || (uint64_t)kernel >= tables->symbols) return NULL;
  const tdm_rocprof_symbol *symbol = &tables->symbol[kernel];
  return symbol->name != TDM_INTERN_FAILED ? symbol : NULL;
}

void tdm_rocprof_kind_put(tdm_rocprof_tables *tables) {
  if (!room(tables, &tables->kind, &tables->kind_room, tables->kinds + 1, sizeof *tables->kind))
    return;
  tables->kind[tables->kinds++] =
      (tdm_rocprof_operations){.name = TDM_INTERN_FAILED, .first = tables->operations};
}

void tdm_rocprof_kind_name(tdm_rocprof_tables *tables, const char *name) {
  if (tables->kinds > 0) tables->kind[tables->kinds - 1].name = name_put(tables, name);
}

void tdm_rocprof_operation_put(tdm_rocprof_tables *tables, const char *name) {
  if (tables->kinds == 0 || !room(tables, &tables->operation, &tables->operation_room,
                                  tables->operations + 1, sizeof *tables->operation))
    return;
  tables->operation[tables->operations++] = name_put(tables, name);
  tables->kind[tables->kinds - 1].count++;
}

const char *tdm_rocprof_kind_of(const tdm_rocprof_tables *tables, int64_t kind) {
  if (kind < 0 || (uint64_t)kind >= tables->kinds) return "";
  uint32_t name = tables->kind[kind].name;
  return name != TDM_INTERN_FAILED ? tdm_rocprof_name(tables, name, NULL) : "";
}

const char *tdm_rocprof_operation_of(const tdm_rocprof_tables *tables, int64_t kind,
                                     int64_t operation) {
  if (kind < 0 || (uint64_t)kind >= tables->kinds) return "";
  const tdm_rocprof_operations *of = &tables->kind[kind];
  if (operation < 0 || (uint64_t)operation >= of->count) return "";
  uint32_t name = tables->operation[of->first + (size_t)operation];
  return name != TDM_INTERN_FAILED ? tdm_rocprof_name(tables, name, NULL) : "";
}

void tdm_rocprof_marker_put(tdm_rocprof_tables *tables, int64_t key, const char *name) {
  if (!room(tables, &tables->marker, &tables->marker_room, tables->markers + 1,
            sizeof *tables->marker))
    return;
  tables->marker[tables->markers++] = (tdm_rocprof_marker){key, name_put(tables, name)};
  tables->sorted = false;
}

static int by_key(const void *a, const void *b) {
  const tdm_rocprof_marker *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

const char *tdm_rocprof_marker_of(tdm_rocprof_tables *tables, int64_t key) {
  if (tables->markers == 0 || tables->failed) return NULL;
  if (!tables->sorted) qsort(tables->marker, tables->markers, sizeof *tables->marker, by_key);
  tables->sorted = true;
  tdm_rocprof_marker wanted = {key, 0};
  const tdm_rocprof_marker *found =
      bsearch(&wanted, tables->marker, tables->markers, sizeof wanted, by_key);
  return found != NULL ? tdm_rocprof_name(tables, found->name, NULL) : NULL;
}

int64_t tdm_rocprof_launch_of(tdm_rocprof_launches *launches, const char *kernel,
                              int64_t dispatch) {
  int fresh;
  uint32_t id = tdm_intern_put(&launches->kernels, kernel, strlen(kernel), &fresh);
  if (id == TDM_INTERN_FAILED || !tdm_array_grow(&launches->launch, &launches->room, (size_t)id + 1,
                                                 sizeof *launches->launch)) {
    launches->failed = true;
    return TDM_NONE;
  }
  tdm_rocprof_launch *of = &launches->launch[id];
  if (fresh) *of = (tdm_rocprof_launch){dispatch, 0};
  if (of->last != dispatch) *of = (tdm_rocprof_launch){dispatch, of->ordinal + 1};
  return of->ordinal;
}

void tdm_rocprof_launches_free(tdm_rocprof_launches *launches) {
  tdm_intern_clear(&launches->kernels);
  free(launches->launch);
}
