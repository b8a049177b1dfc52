/* The records of a run as a dependency graph, and the critical path through it.
 *
 * Points 2w and 2w + 1 are the beginning and end of GPU work (or simulated service) w; then come
 * arrivals of requests, then the threads' points in program order. Rows of the graph: w, or
 * work->count + c for the host's record c. Built by tdm_path_open from six sides: calls.c,
 * threads.c, on_cpu.c, device.c, waits.c, handoff.c. Owns its arrays and the graph; tables are the
 * view's. Used by the analysis critical_path and by the evidence of causes. */
#ifndef TDM_ANALYSIS_PATH_PATH_H
#define TDM_ANALYSIS_PATH_PATH_H

#include "analysis/analysis.h"
#include "analysis/path/dag.h"
#include "analysis/path/ended.h"
#include "analysis/path/factors.h"
#include "analysis/path/joints.h"
#include "analysis/path/picks.h"
#include "analysis/run_view/gpu_work.h"

/* Categories of the host's records. */
typedef enum {
  TDM_HOST_RUNTIME,
  TDM_HOST_DRIVER,
  TDM_HOST_OP,
  TDM_HOST_MPI,
  TDM_HOST_OSRT,
  TDM_HOST_PYTHON,
  TDM_HOST_ANNOTATION,
  TDM_HOST_NVTX
} tdm_host_category;

/* A stretch in which a thread has a call or an operator open. */
typedef struct {
  uint32_t start_point, end_point, track;
} tdm_busy;

/* A long stretch before a point in which its thread had neither. */
typedef struct {
  uint32_t point, track;
} tdm_gap;

/* What is known of a stretch without a record: see tdm_step. Else the number of a function's name.
 */
enum { TDM_NOTHING = -1, TDM_ON_CPU = -2, TDM_OFF_CPU = -3, TDM_HELD_UP = -4 };

/* A stretch in which a thread was on a CPU; those of a thread lie in order and do not overlap. */
typedef struct {
  int64_t start_ns, end_ns;
  int64_t what;
} tdm_piece;

/* What happens on a stretch of the path. */
typedef enum {
  TDM_BOUND_CPU,
  TDM_BOUND_COMPUTE,
  TDM_BOUND_COMM,
  TDM_BOUND_COPY,
  TDM_BOUND_LAUNCH,
  TDM_BOUND_KERNEL_GAP,
  TDM_BOUND_IDLE,
  TDM_BOUNDS
} tdm_bound;
const char *tdm_bound_name(tdm_bound bound);

/* A stretch of the path; `row` as in the graph, TDM_NO_ROW: no record is open, and `what` says what
 * else is known. A gap before work carries the work. */
typedef struct {
  int64_t from_ns, to_ns;
  int32_t what;
  uint32_t row;
  uint8_t bound; /* a tdm_bound */
  bool inferred; /* by a rule, not from what is recorded */
} tdm_step;

typedef struct {
  tdm_step *step; /* in order of time */
  size_t count, room;
} tdm_steps;

typedef struct tdm_path {
  tdm_run_view *view;
  tdm_run_view *own; /* of tdm_path_of: whose tables they are */
  int64_t source;    /* the file that ends last, of several; TDM_NONE: the graph is of the run */
  int64_t begins_ns; /* when the first record of any file does; INT64_MAX: the graph's first */
  const tdm_table *host, *work, *sync, *event, *wait, *overhead;
  uint8_t *work_class;     /* tdm_work_class by work */
  const uint32_t *process; /* by track */
  tdm_dag dag;
  uint32_t *parent; /* by host record: the one around it, or TDM_NO_ROW */
  uint32_t *launch; /* by work: the call that launched it, or TDM_NO_ROW */
  /* While it is built: */
  /* the host's records that rows name; TDM_NO_ROW */
  uint32_t *sync_call, *record_call; /* by row of sync */
  uint32_t *event_call, *overhead_call;
  tdm_picks calls;                 /* host records that are API calls */
  uint32_t *call_start, *call_end; /* points, by call */
  uint32_t *first_ended, *ended;   /* by track, in order of end; `ended_at`: those ends */
  int64_t *ended_at_ns;
  tdm_ended finished; /* by process */
  tdm_busy *busy;     /* thread by thread, in order */
  size_t busies, busy_room;
  tdm_gap *gap;
  size_t gaps, gap_room;
  uint32_t *request;   /* by work: number of the simulated request it serves, or TDM_NO_ROW; NULL:
                          none does */
  int64_t *arrival_ns; /* by request */
  /* As long as the path: */
  uint32_t *first_work, *works; /* by track, in order of start */
  unsigned char *active;        /* by track: a thread that has calls or operators */
  uint32_t *first_point;        /* [tracks + 1] of threads, which follow each other */
  tdm_base_names leaves;        /* functions in which samples lie */
  tdm_piece *piece;
  size_t pieces, piece_room;
  uint32_t *first_piece;    /* [tracks + 1] */
  unsigned char *scheduled; /* by track: it is told when it was on a CPU */
  size_t arrivals;          /* of simulated requests */
  int64_t typical_ns[TDM_EDGE_KINDS];
  size_t unlaunched; /* work without the call that launched it */
  size_t guessed;    /* waits of calls whose stream or event is not told */
  size_t full;       /* calls that waited because the GPU's queue of commands was full */
  size_t inferred;   /* works that began when another stream's ended, and could have before */
  size_t unresolved; /* streams that wait for an event whose record is not told */
  size_t handoffs, backwards;
  bool too_long; /* the records lie more than 73 years apart: the graph is empty */
  /* Of tdm_path_of: the paths of all windows of the filter, how long they are together, and how
   * long a replay without a change takes. */
  tdm_steps steps;
  int64_t total_ns, replayed_ns;
  tdm_joints joints;    /* of a filter with one window that leaves all; else none */
  int64_t joined_ns;    /* from when on */
  uint8_t *joint_ends;  /* by joint: a run may end with it */
  unsigned char *loads; /* by host record: it lies in a load by a data loader without workers; NULL:
                           none does */
  uint32_t first_load;  /* of all loads; TDM_NO_ROW */
} tdm_path;

/* `path` is zeroed, or has the `leaves` of another, which go on being counted. */
tdm_status tdm_path_open(tdm_run_view *view, tdm_path *path, tdm_error *error);
void tdm_path_close(tdm_path *path);
/* Gives what was freed back to the system, beside a large graph. */
void tdm_path_tidy(const tdm_path *path);
/* The view's, made at the first call; it keeps it. Graphs of several files have no edges between
 * them: where the filter leaves all times it is the one of the file that ends last. */
tdm_status tdm_path_of(tdm_run_view *view, const tdm_path **path, tdm_error *error);

/* The arguments of tables that are asked for. */
enum { TDM_PATH_WORK_CORRELATION, TDM_PATH_WORK_REQUEST };
enum {
  TDM_PATH_SYNC_CORRELATION,
  TDM_PATH_SYNC_KIND,
  TDM_PATH_SYNC_KINETO_KIND,
  TDM_PATH_SYNC_EVENT,
  TDM_PATH_SYNC_EVENT_SYNC,
  TDM_PATH_SYNC_ON_STREAM,
  TDM_PATH_SYNC_RECORD_CALL
};
enum { TDM_PATH_EVENT_CORRELATION, TDM_PATH_EVENT_EVENT, TDM_PATH_EVENT_EVENT_SYNC };
enum { TDM_PATH_OVERHEAD_CORRELATION };

/* The sides, in this order; of tdm_path_open. The first before there is a graph. */
tdm_status tdm_path_find_calls(tdm_path *path, tdm_error *error);
tdm_status tdm_path_add_threads(tdm_path *path, tdm_error *error);
tdm_status tdm_path_add_on_cpu(tdm_path *path, tdm_error *error);
tdm_status tdm_path_add_work(tdm_path *path, tdm_error *error);
tdm_status tdm_path_add_waits(tdm_path *path, tdm_error *error);
tdm_status tdm_path_add_handoffs(tdm_path *path, tdm_error *error);

/* The last work of a track that ended by a time, launched before another; TDM_NO_ROW: none. */
uint32_t tdm_path_ended(const tdm_path *path, uint32_t track, int64_t by_ns, int64_t launched_ns);
/* The work before in its stream: the last to end when this one began; TDM_NO_ROW: none. */
uint32_t tdm_path_before(const tdm_path *path, uint32_t work);
/* When a work was asked for: its call's start, or its own. */
int64_t tdm_path_asked_ns(const tdm_path *path, uint32_t work);

/* The thread that a point is of; TDM_NO_ROW: work's, or an arrival. */
uint32_t tdm_path_thread(const tdm_path *path, uint32_t point);
/* The last piece of a track that begins before a time; TDM_NO_ROW: none. */
uint32_t tdm_path_piece_before(const tdm_path *path, uint32_t track, int64_t before_ns);
const char *tdm_path_leaf(const tdm_path *path, int64_t leaf);

/* Whether a name is that of a load by a data loader without workers. */
uint8_t tdm_path_is_load(const char *name);

/* Whether a call of the operating system of this name waits for somebody. */
bool tdm_path_waits(const char *name);

/* The parts of a launch edge: in the call itself, then on the way to the GPU. What is left of a
 * delay that is far from usual before the first work of a stream is neither: the GPU was busy with
 * what is not recorded, or asleep. */
void tdm_path_launch(const tdm_path *path, const tdm_edge *edge, int64_t *call_ns,
                     int64_t *delay_ns);

/* Appends the longest path that ends at a point, from a time on; or from the end of the first work
 * on it that `stops` (by work; NULL: none) marks, which is *stopped, else TDM_NO_ROW. */
tdm_status tdm_path_walk(const tdm_path *path, int64_t from_ns, uint32_t point,
                         const uint8_t *stops, uint32_t *stopped, tdm_steps *steps,
                         tdm_error *error);

/* The paths of all windows of the filter, and how long they are together: steps and total_ns. Then
 * the graph is ready for replays, by joints where these serve. */
tdm_status tdm_path_walk_windows(tdm_path *path, tdm_error *error);

/* Of a filter that leaves all times: from when to which point its path leads; false: it has none.
 */
bool tdm_path_ends(const tdm_path *path, int64_t *from_ns, uint32_t *point);

/* Of several files the one whose last record is the last that counts, TDM_NONE: none has one; and
 * when the first record of all begins. */
tdm_status tdm_path_last_source(tdm_run_view *view, int64_t *source, int64_t *begins_ns,
                                tdm_error *error);

/* The path across ranks: at a collective it goes on with the rank that came last. Each file's graph
 * is opened alone, so that memory is that of one. Owns what its steps are of. */
typedef struct {
  tdm_path shown;        /* tables of the rows on the path alone, steps, leaves; no graph */
  size_t met, elsewhere; /* collectives on it; those where another rank came last */
  /* private */
  tdm_table host, work;
  tdm_kept_rows rows[2]; /* theirs */
} tdm_across;
/* Of a path that is one file's of several. `met` 0: its files meet nowhere, and nothing is shown.
 */
tdm_status tdm_across_open(tdm_run_view *view, const tdm_path *last, tdm_across *across,
                           tdm_error *error);
void tdm_across_close(tdm_across *across);

/* What if: costs of the dependency graph under a change, and its replay.
 *
 * A change is names that are faster, launches that cost nothing, copies that hold nothing up, or
 * all of these. Owns its factors; the path is borrowed. Used by the analysis critical_path. */

typedef struct {
  const tdm_path *path;
  tdm_factors faster; /* rows of the graph */
  uint8_t *launches;  /* by host record: it launches work; NULL: launches cost what they cost */
  const uint8_t *unwaited; /* by host record: it waits for nothing; NULL: all wait as they did */
  bool overlapped_copies;
  bool borrowed; /* the launches are another change's */
} tdm_change;

/* Texts "NAME=2x; OTHER=1.5": a name that contains NAME, or matches it as an extended regular
 * expression. What is within a host record of that name is faster with it. Adds to the change;
 * *matched is the number of rows, and the answer says which names match none. TDM_INVALID: it is no
 * such text. */
tdm_status tdm_change_faster(tdm_change *change, const char *text, size_t *matched, tdm_answer *out,
                             tdm_error *error);
/* The same of one exact name. */
tdm_status tdm_change_faster_name(tdm_change *change, int64_t name, double factor,
                                  tdm_error *error);
tdm_status tdm_change_free_launches(tdm_change *change, tdm_error *error);
/* A factor that a change can have: not faster than can be reckoned with. */
double tdm_factor_within(double factor);
/* Factors of groups of rows, the larger of them and theirs; `group_of` by row, which must outlive
 * the change, `factor` by group. */
tdm_status tdm_change_faster_groups(tdm_change *change, const tdm_kept_block *group_of,
                                    const float *factor, size_t groups, tdm_error *error);
/* The same of single rows, in their order. */
tdm_status tdm_change_faster_rows(tdm_change *change, const tdm_row_factor *rows, size_t count,
                                  tdm_error *error);
/* A change that makes a data loader of one process faster does so by workers beside it: `beside` is
 * the same with all other host work so many times slower, and the first load as it was, since
 * nothing is fetched ahead of it. Its factors stay NULL for any other change. */
tdm_status tdm_change_beside_workers(const tdm_change *change, double slower, tdm_change *beside,
                                     tdm_error *error);
#define TDM_BESIDE_SLOWER 1.3 /* see TDM_BESIDE_WORKERS */
#define TDM_BESIDE_WORKERS                                                                         \
  "a data loader is made faster by workers: the gain counts on host work that is slower by 30 % "  \
  "beside them and on a first load that waits (at most: by nothing, and does not); a ResNet-50 "   \
  "beside 4 workers was slower by 20 to 29 %"
void tdm_change_close(tdm_change *change);

/* Whether a run may end with a point: it is of GPU work, or of a thread with calls or operators.
 * Threads that only say where they are, ask whether the GPU is done, or wait are nobody's goal. */
bool tdm_path_ends_with(const tdm_path *path, uint32_t point);
/* How many numbers of scratch a replay needs: `at_ns` of what follows. */
size_t tdm_change_scratch(const tdm_path *path);
/* How long the run would take from a time to a position of the order; `at_ns` is by point. */
int64_t tdm_change_replay(const tdm_change *change, int64_t from_ns, size_t last, int64_t *at_ns);
/* The same of the graph by the path's joints, from its first point on. */
int64_t tdm_change_replay_joints(const tdm_change *change, int64_t *at_ns);
/* The same of all windows of the filter together. */
int64_t tdm_change_replay_windows(const tdm_change *change, int64_t *at_ns);

/* The frame "what_if": what was asked for, else what is worth a look; `kernels` are names for which
 * twice the speed is. */
tdm_status tdm_path_put_what_if(const tdm_path *path, const int64_t *kernels, size_t count,
                                const tdm_options *options, tdm_answer *out, tdm_error *error);

#endif
