/* Requests as windows of time, and which of them a moment on a track belongs to.
 *
 * A window is of a group: its thread, or the stream, device or process it was found on. A moment on
 * a track whose group has windows belongs to the one that is open there (of several the one that
 * began last); on any other track to the one that is open in its process, if it is the only one: so
 * work that a helper thread launches is its request's. Owns its arrays. Used by mapped.c. */
#ifndef TDM_ANALYSIS_VISITS_WINDOW_H
#define TDM_ANALYSIS_VISITS_WINDOW_H

#include "analysis/processes.h"
#include "analysis/run_view.h"

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

#endif
