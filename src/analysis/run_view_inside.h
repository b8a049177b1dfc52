/* What a view holds; shared by the files run_view*.c. */
#ifndef TDM_ANALYSIS_RUN_VIEW_INSIDE_H
#define TDM_ANALYSIS_RUN_VIEW_INSIDE_H

#include "analysis/run_view.h"

/* Columns of a table while it is sorted: start, duration (then end), track, name as in the trace
 * model; then the category, then the arguments. */
enum {
  TDM_LOADED_CATEGORY = TDM_ARGS,
  TDM_LOADED_ARGS,
  TDM_LOADED_COLUMNS = TDM_LOADED_ARGS + TDM_WANTED_KEYS
};

typedef struct tdm_loaded {
  struct tdm_loaded *next;
  const tdm_wanted *wanted;
  tdm_table table;
  int64_t *column[TDM_LOADED_COLUMNS];
  size_t room;
} tdm_loaded;

typedef struct {
  int64_t from_ns, to_ns;
} tdm_window;

typedef struct tdm_kept {
  struct tdm_kept *next;
  const void *key;
  void *object;
  void (*destroy)(void *object);
} tdm_kept;

struct tdm_run_view {
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
  tdm_kept *kept;
};

tdm_status tdm_run_view_find_devices(tdm_run_view *view, tdm_error *error);
/* Numbers of the filter that no record has are refused. */
tdm_status tdm_run_view_check_numbers(const tdm_run_view *view, tdm_error *error);
tdm_status tdm_run_view_choose_tracks(tdm_run_view *view, tdm_error *error);
tdm_status tdm_run_view_find_extent(tdm_run_view *view, tdm_error *error);
/* Whether what lasts from a start to an end touches a window; there must be windows. */
bool tdm_run_view_in_windows(const tdm_run_view *view, int64_t start_ns, int64_t end_ns);
tdm_status tdm_run_view_find_windows(tdm_run_view *view, tdm_error *error);

#endif
