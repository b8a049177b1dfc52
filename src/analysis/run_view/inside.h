/* What a view holds; shared by the files that fill and filter it. */
#ifndef TDM_ANALYSIS_RUN_VIEW_INSIDE_H
#define TDM_ANALYSIS_RUN_VIEW_INSIDE_H

#include "analysis/run_view/run_view.h"

/* Columns of a table: start, duration (the end when it is sorted), track, name as in the trace
 * model; then the category, then those arguments that some layout has. */
enum { TDM_LOADED_CATEGORY = TDM_ARGS, TDM_LOADED_ARGS };

typedef struct tdm_loaded {
  struct tdm_loaded *next;
  const tdm_wanted *wanted;
  tdm_table table;
  tdm_kept_rows rows;
  uint32_t column[TDM_WANTED_KEYS]; /* of an argument; 0: no layout has it */
} tdm_loaded;

/* When what begins and lasts so long ends. */
static inline int64_t tdm_loaded_end_ns(int64_t start_ns, int64_t dur_ns) {
  int64_t end_ns;
  if (dur_ns <= 0) return start_ns;
  return __builtin_add_overflow(start_ns, dur_ns, &end_ns) ? INT64_MAX : end_ns;
}
/* Into the order of tables, and durations into ends. False: out of memory. */
bool tdm_loaded_order(tdm_loaded *loaded);

typedef struct {
  int64_t from_ns, to_ns;
} tdm_window;

typedef struct tdm_kept_object {
  struct tdm_kept_object *next;
  const void *key;
  void *object;
  void (*destroy)(void *object);
} tdm_kept_object;

struct tdm_run_view {
  tdm_run_view *of; /* the run's, whose tables, tracks and times this one of a file shares; NULL */
  int64_t source;   /* the file; TDM_NONE: all */
  sqlite3 *database;
  tdm_run_tables *tables;
  tdm_run_view_filter filter;
  int (*stopped)(void *context);
  void *context;
  uint32_t *device_of;     /* [tracks] */
  const char **categories; /* borrowed from the tables; ends with NULL */
  tdm_device *device;
  uint32_t devices;
  unsigned char *keeps; /* [tracks] whether the filter leaves its rows */
  bool keeps_all;       /* it leaves all */
  tdm_window *window;   /* of the filter's range, disjoint and in order; NULL: no range was given */
  size_t windows;
  tdm_intervals times;    /* the windows within the extent, else the extent */
  int64_t from_ns, to_ns; /* the extent */
  int64_t origin_ns;
  tdm_loaded *loaded;
  tdm_kept_object *kept, *fixed; /* from `fixed` on: made of no table */
  tdm_run_view *whole;           /* at all times, made when asked for; may be the view itself */
};

tdm_status tdm_run_view_find_devices(tdm_run_view *view, tdm_error *error);
/* Numbers of the filter that no record has are refused. */
tdm_status tdm_run_view_check_numbers(const tdm_run_view *view, tdm_error *error);
tdm_status tdm_run_view_choose_tracks(tdm_run_view *view, tdm_error *error);
tdm_status tdm_run_view_find_extent(tdm_run_view *view, tdm_error *error);
/* GPU work of which nobody can tell whose it is, when a thread is chosen, is refused. */
tdm_status tdm_run_view_check_thread(const tdm_run_view *view, const tdm_wanted *wanted,
                                     tdm_error *error);
/* How a filter by thread chooses among a layout's rows on GPUs. */
typedef struct {
  bool chooses;
  uint32_t column;                     /* of the correlation; 0: none, so that none is left */
  const struct tdm_correlation *calls; /* of the thread; NULL: not needed */
} tdm_launcher;
tdm_status tdm_run_view_launcher(tdm_run_view *view, const tdm_layout *layout,
                                 tdm_launcher *launcher, tdm_error *error);
/* Whether the thread launched a row; what lies elsewhere than on a GPU is left to its track. */
bool tdm_run_view_launched(const tdm_run_view *view, const tdm_launcher *launcher, int64_t track,
                           int64_t correlation);
/* Whether what lasts from a start to an end touches a window; there must be windows. */
bool tdm_run_view_in_windows(const tdm_run_view *view, int64_t start_ns, int64_t end_ns);
tdm_status tdm_run_view_find_windows(tdm_run_view *view, tdm_error *error);

#endif
