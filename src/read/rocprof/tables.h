/* What a process of rocprofv3's JSON names once and its records only number: agents, kernels,
 * operations, markers.
 *
 * Zeroed memory is empty tables. Running out of memory sticks in `failed`. Owns its strings. Called
 * by the readers of this room. */
#ifndef TDM_READ_ROCPROF_TABLES_H
#define TDM_READ_ROCPROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/intern.h"

typedef struct {
  int64_t handle, number; /* number: among the GPUs */
  bool gpu;
  char heading[64]; /* "AMD Instinct MI350X #0" */
} tdm_rocprof_agent;

typedef struct {
  uint32_t name; /* TDM_INTERN_FAILED: not said */
  int64_t vgpr, sgpr;
} tdm_rocprof_symbol;

typedef struct {
  uint32_t name;
  size_t first, count; /* operations */
} tdm_rocprof_operations;

typedef struct {
  int64_t key;
  uint32_t name;
} tdm_rocprof_marker;

typedef struct {
  tdm_intern names;
  tdm_rocprof_agent *agent;
  size_t agents, agent_room;
  tdm_rocprof_symbol *symbol; /* by kernel_id */
  size_t symbols, symbol_room;
  tdm_rocprof_operations *kind;
  size_t kinds, kind_room;
  uint32_t *operation;
  size_t operations, operation_room;
  tdm_rocprof_marker *marker; /* sorted by key once they are asked for */
  size_t markers, marker_room;
  bool sorted, failed;
} tdm_rocprof_tables;

void tdm_rocprof_tables_free(tdm_rocprof_tables *tables);

void tdm_rocprof_agent_put(tdm_rocprof_tables *tables, int64_t handle, bool gpu, int64_t number,
                           const char *product);
/* NULL: there is none. */
const tdm_rocprof_agent *tdm_rocprof_agent_of(const tdm_rocprof_tables *tables, int64_t handle);

void tdm_rocprof_symbol_put(tdm_rocprof_tables *tables, int64_t kernel, const char *name,
                            int64_t vgpr, int64_t sgpr);
const tdm_rocprof_symbol *tdm_rocprof_symbol_of(const tdm_rocprof_tables *tables, int64_t kernel);

/* Operations belong to the kind that was put last. */
void tdm_rocprof_kind_put(tdm_rocprof_tables *tables);
void tdm_rocprof_kind_name(tdm_rocprof_tables *tables, const char *name);
void tdm_rocprof_operation_put(tdm_rocprof_tables *tables, const char *name);
/* "" where it is not said. */
const char *tdm_rocprof_kind_of(const tdm_rocprof_tables *tables, int64_t kind);
const char *tdm_rocprof_operation_of(const tdm_rocprof_tables *tables, int64_t kind,
                                     int64_t operation);

void tdm_rocprof_marker_put(tdm_rocprof_tables *tables, int64_t key, const char *name);
/* NULL: there is none. */
const char *tdm_rocprof_marker_of(tdm_rocprof_tables *tables, int64_t key);

/* Counters come by dispatch: how many-th launch of its kernel each is. Zeroed memory is an empty
 * one.
 */
typedef struct {
  int64_t last; /* dispatch */
  int64_t ordinal;
} tdm_rocprof_launch;

typedef struct {
  tdm_intern kernels;
  tdm_rocprof_launch *launch; /* by kernel */
  size_t room;
  bool failed;
} tdm_rocprof_launches;

/* TDM_NONE: out of memory. */
int64_t tdm_rocprof_launch_of(tdm_rocprof_launches *launches, const char *kernel, int64_t dispatch);
void tdm_rocprof_launches_free(tdm_rocprof_launches *launches);

const char *tdm_rocprof_name(const tdm_rocprof_tables *tables, uint32_t name, size_t *length);

#endif
