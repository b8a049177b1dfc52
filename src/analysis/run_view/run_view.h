/* A stored run as the analyses see it: rows as columns, loaded once, chosen and sorted.
 *
 * Owns a run's small tables and every table of rows that was asked for, until it closes; the
 * connection is borrowed and must stay open. A filter narrows all tables alike. Analyses
 * (analysis.h) share one view, so that what one has loaded the next one finds. One thread at a
 * time. */
#ifndef TDM_ANALYSIS_RUN_VIEW_RUN_VIEW_H
#define TDM_ANALYSIS_RUN_VIEW_RUN_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/intervals.h"
#include "trace/intern.h"
#include "trace/kept_rows.h"
#include "trace/store/scan.h"

typedef struct tdm_run_view tdm_run_view;

/* TDM_NONE and NULL: any. A row belongs to a window of time when it touches it; it is kept whole.
 * What ran on a GPU belongs to the thread whose API call has its correlation. */
typedef struct {
  int64_t from_ns, to_ns; /* the run's times; INT64_MIN, INT64_MAX: all */
  int64_t device, stream; /* of tracks of GPUs; threads stay */
  int64_t tid;            /* of tracks of threads; of GPUs what it launched */
  int64_t pid, rank;      /* of tracks that say theirs */
  const char *range; /* only while a range of this name (NVTX, annotation; it may be folded) is open
                        on a thread that is left */
  const char *domain;
} tdm_run_view_filter;

#define TDM_RUN_VIEW_ALL                                                                           \
  ((tdm_run_view_filter){.from_ns = INT64_MIN,                                                     \
                         .to_ns = INT64_MAX,                                                       \
                         .device = TDM_NONE,                                                       \
                         .stream = TDM_NONE,                                                       \
                         .pid = TDM_NONE,                                                          \
                         .tid = TDM_NONE,                                                          \
                         .rank = TDM_NONE,                                                         \
                         .range = NULL,                                                            \
                         .domain = NULL})

/* Which rows, and which of their arguments. Lists end with NULL (a NULL key). Make them static: a
 * view remembers a table by the address of what asked for it. */
typedef struct {
  const char *const *categories; /* NULL: all, as tdm_run_view_categories lists them */
  const tdm_arg
      *keys;       /* arguments; one of another type is taken as absent, REAL is rounded to INT */
  unsigned shapes; /* bits 1 << tdm_shape; 0: spans and open ones */
  unsigned
      stage_lanes; /* bits 1 << tdm_lane: where rows of category "stage" must lie; 0: anywhere */
} tdm_wanted;

#define TDM_WANTED_KEYS 16

/* Rows in order of start, longer ones first, then as stored. Ends never lie before starts. Of
 * millions of rows eight bytes a value would be most of what an analysis takes: columns lie in
 * blocks as narrow as their values (trace/kept_rows.h), so ask the functions below. */
typedef struct {
  size_t count;
  const tdm_kept_block *start, *end, *track, *name, *category;
  const tdm_kept_block *arg[TDM_WANTED_KEYS]; /* as they were asked for; NULL: no row has it */
} tdm_table;

static inline int64_t tdm_table_start_ns(const tdm_table *table, size_t row) {
  return tdm_kept_in(table->start, row);
}
static inline int64_t tdm_table_end_ns(const tdm_table *table, size_t row) {
  return tdm_kept_in(table->end, row);
}
/* Ids of the run's tables; name −1: it is lost. */
static inline int32_t tdm_table_track(const tdm_table *table, size_t row) {
  return (int32_t)tdm_kept_in(table->track, row);
}
static inline int32_t tdm_table_name(const tdm_table *table, size_t row) {
  return (int32_t)tdm_kept_in(table->name, row);
}
/* Index into the categories that were asked for. */
static inline int32_t tdm_table_category(const tdm_table *table, size_t row) {
  return (int32_t)tdm_kept_in(table->category, row);
}
/* An argument, by its place among those that were asked for; TDM_NONE: not there. */
static inline int64_t tdm_table_arg(const tdm_table *table, size_t arg, size_t row) {
  return table->arg[arg] != NULL ? tdm_kept_in(table->arg[arg], row) : TDM_NONE;
}

/* TDM_INVALID: no such run, or nothing answers to the filter's names. `stopped` (may be NULL) is
 * asked between chunks: nonzero gives up with TDM_INTERRUPTED. */
tdm_status tdm_run_view_open(sqlite3 *database, int64_t run, const tdm_run_view_filter *filter,
                             int (*stopped)(void *context), void *context, tdm_run_view **view,
                             tdm_error *error);
void tdm_run_view_close(tdm_run_view *view); /* NULL is fine */
/* Between analyses: when its tables take more than so many bytes, forgets them and what was made of
 * them. Nobody may hold any of it. */
void tdm_run_view_trim(tdm_run_view *view, size_t most_bytes);

/* What it was opened with, but for its names: they are windows by now. */
const tdm_run_view_filter *tdm_run_view_filter_of(const tdm_run_view *view);
/* Whether a moment lies in what the filter leaves of the run's time. */
bool tdm_run_view_looks_at(const tdm_run_view *view, int64_t time_ns);
/* Whether what lasts from a start to an end touches it: all rows of tables do. */
bool tdm_run_view_touches(const tdm_run_view *view, int64_t start_ns, int64_t end_ns);
/* A new view of the same run without a filter. */
tdm_status tdm_run_view_unfiltered(const tdm_run_view *view, tdm_run_view **out, tdm_error *error);
/* The same tracks at all times, for what depends on what was before: the view itself when its
 * filter leaves all times, else one that it makes once and owns, so that analyses share its tables.
 */
tdm_status tdm_run_view_at_all_times(tdm_run_view *view, tdm_run_view **whole, tdm_error *error);

/* One file of the run through the same filter, so that what is independent by file takes the memory
 * of the largest: it loads and keeps tables of its own. The view must outlive it. */
tdm_status tdm_run_view_of_source(tdm_run_view *view, int64_t source, tdm_run_view **out,
                                  tdm_error *error);
/* The same rows again, for tables that are needed for a while only. */
tdm_status tdm_run_view_apart(tdm_run_view *view, tdm_run_view **out, tdm_error *error);
/* The view that this is a file of; itself when it is of all. */
tdm_run_view *tdm_run_view_all_sources(tdm_run_view *view);

/* The table, loaded at the first call; good until the view closes. */
tdm_status tdm_run_view_table(tdm_run_view *view, const tdm_wanted *wanted, const tdm_table **table,
                              tdm_error *error);

/* Frees the arguments of a table that was loaded, whose rows stay: what nobody looks at again. */
void tdm_run_view_forget_args(tdm_run_view *view, const tdm_wanted *wanted);

/* Rows that are only passed by, a block at a time in the order of the store, so that millions cost
 * no memory. Of what is wanted the arguments do not count. */
typedef struct {
  size_t count;
  const uint32_t *row; /* [count] which of the block's rows */
  const int64_t *start_ns, *dur_ns, *track, *name;
} tdm_row_block;
tdm_status tdm_run_view_pass(tdm_run_view *view, const tdm_wanted *wanted,
                             void (*visit)(void *context, const tdm_row_block *rows), void *context,
                             tdm_error *error);

/* Whether the filter leaves less than all. */
bool tdm_run_view_filtered(const tdm_run_view *view);
/* Whether the run has rows of a category at all, whatever the filter. */
bool tdm_run_view_has(const tdm_run_view *view, const char *category);
/* All categories of the run's rows, each once, in the order of its layouts; ends with NULL. */
const char *const *tdm_run_view_categories(const tdm_run_view *view);
/* How a sentence begins that says which rows a table does not have: "the filter leaves" when the
 * run has rows of its categories, "the run has" when it has none. */
const char *tdm_run_view_lacking(const tdm_run_view *view, const tdm_wanted *wanted);
/* Whether some layout of a category has an argument. */
bool tdm_run_view_has_key(const tdm_run_view *view, const char *category, const char *key);

/* From the first start to the last end of all the run's rows, cut to the filter's window. Equal
 * when there are none. */
void tdm_run_view_extent(const tdm_run_view *view, int64_t *from_ns, int64_t *to_ns);
/* The times that the filter leaves, within the extent: each time its range is open, else all of it.
 * The view's own. */
const tdm_intervals *tdm_run_view_times(const tdm_run_view *view);
/* Whether the filter narrows times at all. */
bool tdm_run_view_narrowed(const tdm_run_view *view);

/* The run's first start, whatever the filter: what times of rows are told from. */
int64_t tdm_run_view_origin(const tdm_run_view *view);

/* What analyses derive from tables and share, by an address of theirs: NULL when it was not made
 * yet. The view owns what it keeps and destroys it when it closes, also when keeping fails. */
const void *tdm_run_view_kept(const tdm_run_view *view, const void *key);
tdm_status tdm_run_view_keep(tdm_run_view *view, const void *key, void *object,
                             void (*destroy)(void *object), tdm_error *error);

/* Destroys one of them; nothing where it was not made. Nobody may hold it. */
void tdm_run_view_forget(tdm_run_view *view, const void *key);

/* The same of what is made of no table of the view: trimming leaves it. */
tdm_status tdm_run_view_keep_apart(tdm_run_view *view, const void *key, void *object,
                                   void (*destroy)(void *object), tdm_error *error);

tdm_run_tables *tdm_run_view_tables(tdm_run_view *view);
sqlite3 *tdm_run_view_database(tdm_run_view *view);
/* After an answer: whether all of it that names and pages hold could be read. TDM_IO: not. */
tdm_status tdm_run_view_sound(const tdm_run_view *view, tdm_error *error);
const tdm_track *tdm_run_view_track(const tdm_run_view *view, int64_t track);
const char *tdm_run_view_name(tdm_run_view *view,
                              int64_t name); /* "" when it is lost; never NULL */

/* GPUs. Never merged: two files, two devices, even when both call theirs 0. A simulated GPU is told
 * by its process. */
#define TDM_NO_DEVICE UINT32_MAX
typedef struct {
  uint32_t source;
  int64_t number;   /* as the source counts; TDM_NONE: simulated */
  int64_t rank;     /* of the source; TDM_NONE: not said */
  const char *name; /* "NVIDIA H100 #0", "L40#1"; no two of a rank have the same */
} tdm_device;
uint32_t tdm_run_view_devices(const tdm_run_view *view);
const tdm_device *tdm_run_view_device(const tdm_run_view *view, uint32_t index);
uint32_t tdm_run_view_device_of(const tdm_run_view *view, int64_t track); /* TDM_NO_DEVICE: none */

/* What is known of names, each looked at once: a test of texts, remembered by name id.
 *
 * Zeroed: nothing is known. Owns its array. */

typedef struct {
  uint8_t *mark; /* by name id: the test's answer + 1; 0: not asked yet */
  size_t room;
} tdm_name_marks;
void tdm_name_marks_close(tdm_name_marks *marks);

/* What tdm_name_mark does for a name that is not known. */
uint8_t tdm_name_mark_new(tdm_name_marks *marks, tdm_run_view *view, int64_t name,
                          uint8_t (*test)(const char *text));

/* test(text) of a name, 0 … 254. Names beyond what memory allows are tested every time. */
static inline uint8_t tdm_name_mark(tdm_name_marks *marks, tdm_run_view *view, int64_t name,
                                    uint8_t (*test)(const char *text)) {
  if (name >= 0 && (size_t)name < marks->room && marks->mark[name] != 0)
    return (uint8_t)(marks->mark[name] - 1);
  return tdm_name_mark_new(marks, view, name, test);
}

/* Names of kernels and of API calls as people know them. */

/* The function's own name: without return type, namespaces, template arguments and parameters.
 * "void at::native::reduce_kernel<(int)512, T>(T)" is "reduce_kernel". A name that is no C++
 * declaration stays as it is. Cut to `room` with its closing zero. */
void tdm_kernel_base(const char *name, char *out, size_t room);

/* An API call's own name, without the version of its interface: "cudaLaunchKernelExC_v11060" is
 * "cudaLaunchKernelExC"; "cuMemAlloc_v2" is a function of its own and stays. */
void tdm_call_base(const char *name, char *out, size_t room);

/* The name of a range or an operator, what only counts left out, so that the layers of a model and
 * the steps of a run have one name: ", seq = 17, op_id = 4" of PyTorch's emit_nvtx goes, numbers
 * behind #, @ and =, in paths (layers.3.mlp), behind words that count (layer 3) and addresses
 * become a star. Sizes stay. The one place that folds names. */
void tdm_name_fold(const char *name, char *out, size_t room);
/* Whether a name is meant: as it is, or folded. */
bool tdm_name_is(const char *name, const char *meant);

/* Base names by id, each name looked at once. Zeroed: empty, of kernels. Owns the texts. */
typedef struct {
  void (*base_of)(const char *name, char *out, size_t room); /* NULL: tdm_kernel_base */
  tdm_intern texts;
  uint32_t *base; /* by name id: its text's number + 1; 0: not asked yet */
  size_t room;
  uint32_t *names; /* by text: how many names it stands for, of those asked for */
  size_t names_room;
} tdm_base_names;
void tdm_base_names_close(tdm_base_names *names);
/* TDM_NONE: out of memory. */
int64_t tdm_base_names_id(tdm_base_names *names, tdm_run_view *view, int64_t name);
const char *tdm_base_names_text(const tdm_base_names *names, int64_t id);
uint32_t tdm_base_names_count(const tdm_base_names *names, int64_t id);

/* Which tracks are of one process: what ids of calls are unique in.
 *
 * The view owns it and keeps it. Used by joins, by the critical path, by what tells processes
 * apart. */

typedef struct {
  uint32_t *of; /* by track: the number of its process, in order of their first tracks */
  uint32_t count;
} tdm_processes;

/* A process is a pid of a file. A track without one (GPUs that do not say who used them) is of the
 * process of its file that made the most API calls; where none did, of that of its first thread. */
tdm_status tdm_processes_of(tdm_run_view *view, const tdm_processes **out, tdm_error *error);

#endif
