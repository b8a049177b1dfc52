/* What finds the visits of a capture or a simulation, shared by the files of this room: windows,
 * the rows that rules look at, requests, what is left, members of batches. */
#ifndef TDM_ANALYSIS_VISITS_INSIDE_H
#define TDM_ANALYSIS_VISITS_INSIDE_H

#include "analysis/process/process.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/visits/visits.h"

/* Requests as windows of time, and which of them a moment on a track belongs to.
 *
 * A window is of a group: its thread, or the stream, device or process it was found on. A moment on
 * a track whose group has windows belongs to the one that is open there (of several the one that
 * began last); on any other track to the one that is open in its process, if it is the only one: so
 * work that a helper thread launches is its request's. Owns its arrays. Used by mapped.c. */

#define TDM_NO_WINDOW   UINT32_MAX
#define TDM_TWO_WINDOWS (UINT32_MAX - 1) /* more than one is open: nobody can tell */

typedef struct {
  int64_t start_ns, end_ns; /* what begins in it belongs to it */
  int64_t closed_ns;        /* when the request ends, unless a stage ends later */
  uint32_t group, process;
  int64_t name;           /* TDM_NONE: it has none */
  const tdm_table *table; /* of its row; NULL: none */
  uint32_t row;
} tdm_window;

typedef struct {
  tdm_window *window; /* by start, once they are sorted */
  size_t count, room;
  uint32_t *group_of; /* by track; TDM_NO_WINDOW: none */
  uint32_t groups;
  const tdm_processes *processes;
} tdm_windows;

void tdm_windows_close(tdm_windows *windows);
int tdm_windows_add(tdm_windows *windows, tdm_window window); /* 0: out of memory */
void tdm_windows_sort(tdm_windows *windows);

/* By row of a table the window that its start belongs to. Rows are in order of start. */
tdm_status tdm_windows_of_rows(const tdm_windows *windows, const tdm_table *table, uint32_t *window,
                               tdm_error *error);

/* Whether a track's own group has windows: what happens there is told by them alone. By track;
 * NULL: out of memory. */
unsigned char *tdm_windows_own(const tdm_windows *windows, uint32_t tracks);

/* The rows that a map's rules look at, and whether a rule takes one.
 *
 * Tables are the view's; this owns what is derived from them. A table is loaded when a rule needs
 * it. Used by mapped.c and what belongs to it. */

typedef enum {
  TDM_OF_RANGES,      /* that nest on their thread */
  TDM_OF_FREE_RANGES, /* that need not */
  TDM_OF_CALLS,
  TDM_OF_WORK,
  TDM_OF_SYNCS,
  TDM_ROW_TABLES
} tdm_row_table;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table[TDM_ROW_TABLES]; /* of GPU work and calls: tdm_gpu_work, tdm_api_calls */
  const tdm_launched *launched;
  const tdm_processes *processes;
  const char *const *categories; /* of both tables of ranges */
  size_t arg_key;         /* of the first size argument in these tables: three columns each */
  uint8_t *work_class;    /* by row of GPU work */
  tdm_name_marks *graphs; /* calls that launch one */
} tdm_visit_tables;

tdm_status tdm_visit_tables_open(tdm_run_view *view, const tdm_visit_map *map,
                                 tdm_visit_tables *out, tdm_error *error);
void tdm_visit_tables_close(tdm_visit_tables *tables);

/* Which tables a rule looks at: bits 1 << tdm_row_table. */
unsigned tdm_visit_rule_tables(const tdm_visit_tables *tables, const tdm_visit_rule *rule);

/* Whether a rule takes a row by what the row says itself; of a rule for GPU work in ranges, whether
 * it takes the range. */
bool tdm_visit_rule_takes(const tdm_visit_tables *tables, tdm_visit_rule *rule, tdm_row_table of,
                          size_t row);

/* An argument of a range: the size'th of the map that is one; NaN: it has none. */
double tdm_visit_range_arg(const tdm_visit_tables *tables, const tdm_table *ranges, size_t arg,
                           size_t row);

/* The requests of a capture by the rule of a map, as windows of time; see inside.h.
 *
 * Called by mapped.c. */

/* The stages of requests that are phases; none of other rules. The request of each is a number of
 * its window. */
typedef struct {
  tdm_phases all;
  uint32_t *window; /* by phase; TDM_NO_WINDOW: of none */
} tdm_request_phases;
void tdm_request_phases_close(tdm_request_phases *phases);

/* *on_gpu: the windows were found among GPU work, whose own start tells its request. Sorted; empty
 * when nothing was found. */
tdm_status tdm_visit_requests(const tdm_visit_tables *tables, tdm_visit_map *map, tdm_windows *out,
                              bool *on_gpu, tdm_not_requests *missed, tdm_request_phases *phases,
                              tdm_error *error);

/* What a map leaves: GPU work that no stage takes, host time of requests that none explains.
 *
 * Called by mapped.c. */
#define TDM_NO_STAGE UINT32_MAX

/* Fills `unmapped`. `window` and `stage`: by table and row. Host time only `and_host`. */
tdm_status tdm_find_unmapped(const tdm_visit_tables *tables, const tdm_windows *windows,
                             const uint32_t *const *window, const uint32_t *const *stage,
                             bool and_host, tdm_mapped *out, tdm_error *error);

/* Members of simulated batches: a batch is one row of its first request; the others wait for the
 * same service and have no row of it.
 *
 * Called by simulated.c. */

typedef struct {
  int64_t start_ns, end_ns;
  uint32_t stage, track;
  uint32_t wanted; /* members whose piece is not found yet */
} tdm_visit_batch;

typedef struct {
  tdm_visit_batch *batch;
  size_t count, room;
} tdm_visit_batches; /* zeroed: none */

/* Adds a piece for each member: one that waited is known by its wait, which ends when the batch
 * starts; one that did not, by the time of which it tells nothing, which begins and ends with the
 * batch. `pieces` are in order of start. *lost: members that are not found. */
tdm_status tdm_visit_batch_members(const tdm_run_view *view, tdm_visit_batches *batches,
                                   size_t requests, const int64_t *arrival_ns,
                                   const int64_t *end_ns, tdm_pieces *pieces, uint64_t *lost,
                                   tdm_error *error);

#endif
