/* The longest chain of dependent work from the first record to the last, by what it is and by what
 * bounds it; and how long the run would take if something changed.
 *
 * The graph is path.h's, what-if is path.h's; here the answer. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "trace/utf8.h"

enum {
  CANDIDATES = 3,      /* kernels for which a what-if is told unasked */
  USUAL_STEPS = 100000 /* of the path that are told */
};

static const tdm_field segment_fields[] = {{"share", TDM_FIELD_REAL}, {"total_ns", TDM_FIELD_INT},
                                           {"count", TDM_FIELD_INT},  {"bound", TDM_FIELD_TEXT},
                                           {"kind", TDM_FIELD_TEXT},  {"process", TDM_FIELD_TEXT},
                                           {"name", TDM_FIELD_TEXT}};
enum { SEG_SHARE, SEG_TOTAL, SEG_COUNT, SEG_BOUND, SEG_KIND, SEG_PROCESS, SEG_NAME, SEG_FIELDS };

static const tdm_field bound_fields[] = {
    {"bound", TDM_FIELD_TEXT}, {"total_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL}};

static const tdm_field path_fields[] = {{"at_ns", TDM_FIELD_INT},    {"dur_ns", TDM_FIELD_INT},
                                        {"bound", TDM_FIELD_TEXT},   {"kind", TDM_FIELD_TEXT},
                                        {"process", TDM_FIELD_TEXT}, {"track", TDM_FIELD_TEXT},
                                        {"name", TDM_FIELD_TEXT}};
enum { PATH_AT, PATH_DUR, PATH_BOUND, PATH_KIND, PATH_PROCESS, PATH_TRACK, PATH_NAME, PATH_FIELDS };

static const tdm_field change_fields[] = {{"predicted_ns", TDM_FIELD_INT},
                                          {"gain_ns", TDM_FIELD_INT},
                                          {"gain_share", TDM_FIELD_REAL},
                                          {"speedup", TDM_FIELD_REAL},
                                          {"change", TDM_FIELD_TEXT}};
enum { CHANGE_PREDICTED, CHANGE_GAIN, CHANGE_SHARE, CHANGE_SPEEDUP, CHANGE_TEXT, CHANGE_FIELDS };

typedef struct {
  tdm_run_view *view;
  tdm_path path;
  tdm_steps steps;
  int64_t *at_ns;
  int64_t total_ns;
  tdm_groups groups; /* of steps */
  int64_t *group_ns;
  tdm_answer *out;
} asking;

/* ---- the windows of the filter ---- */

/* Threads that only say where they are, or wait in the operating system, are nobody's goal. */
static bool is_goal(const asking *a, uint32_t point) {
  uint32_t row = a->path.dag.row[point];
  if (row == TDM_NO_ROW || row < a->path.work->count) return row != TDM_NO_ROW;
  return a->path.active[a->path.host->track[row - a->path.work->count]];
}

/* The part of a window between the first and last point in it; false: none is. */
static bool window_at(const asking *a, size_t index, int64_t *from_ns, size_t *last) {
  const tdm_dag *dag = &a->path.dag;
  const tdm_intervals *times = tdm_run_view_times(a->view);
  *from_ns = times->start_ns[index];
  if (dag->points == 0) return false;
  if (*from_ns < dag->time_ns[dag->order[0]]) *from_ns = dag->time_ns[dag->order[0]];
  size_t latest = tdm_dag_at(dag, times->end_ns[index]);
  for (*last = latest; *last < dag->points && !is_goal(a, dag->order[*last]);) (*last)--;
  if (*last >= dag->points || dag->time_ns[dag->order[*last]] <= *from_ns) *last = latest;
  return *last < dag->points && dag->time_ns[dag->order[*last]] > *from_ns;
}

static tdm_status walk_all(asking *a, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < tdm_run_view_times(a->view)->count; i++) {
    int64_t from_ns;
    size_t last;
    if (!window_at(a, i, &from_ns, &last)) continue;
    a->total_ns += a->path.dag.time_ns[a->path.dag.order[last]] - from_ns;
    status = tdm_path_walk(&a->path, from_ns, last, &a->steps, error);
  }
  return status;
}

static int64_t replay_all(asking *a, const tdm_change *change) {
  int64_t sum_ns = 0;
  for (size_t i = 0; i < tdm_run_view_times(a->view)->count; i++) {
    int64_t from_ns;
    size_t last;
    if (window_at(a, i, &from_ns, &last))
      sum_ns += tdm_change_replay(change, from_ns, last, a->at_ns);
  }
  return sum_ns;
}

/* ---- what a step is ---- */

static const char *const host_kinds[] = {"runtime", "driver",          "cpu_op",          "mpi",
                                         "osrt",    "python_function", "user_annotation", "nvtx"};
static const char *const work_kinds[] = {"kernel", "memcpy", "memset", "graph", "stage"};

static size_t works_of(const asking *a) {
  return a->path.work->count;
}

static bool is_work(const asking *a, uint32_t row) {
  return row < works_of(a);
}

static const char *kind_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return "gap";
  return is_work(a, row) ? work_kinds[a->path.work->category[row]]
                         : host_kinds[a->path.host->category[row - works_of(a)]];
}

/* A number for each kind. */
static int64_t kind_number(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? -1 - a->path.work->category[row]
                         : a->path.host->category[row - works_of(a)];
}

static int64_t name_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? a->path.work->name[row] : a->path.host->name[row - works_of(a)];
}

static int64_t track_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? a->path.work->track[row] : a->path.host->track[row - works_of(a)];
}

static void put_name(const asking *a, tdm_frame *frame, size_t field, int64_t name) {
  tdm_frame_name(frame, field,
                 name == TDM_NONE ? "(nothing recorded)" : tdm_run_view_name(a->view, name));
}

/* ---- frames ---- */

enum { KEY_BOUND, KEY_KIND, KEY_NAME, KEY_DEVICE, KEY_PROCESS, KEYS };

static tdm_status group_steps(asking *a, tdm_error *error) {
  tdm_status status = tdm_groups_open(&a->groups, KEYS, a->steps.count, error);
  a->group_ns = calloc(a->steps.count + 1, sizeof *a->group_ns);
  if (status == TDM_OK && a->group_ns == NULL) status = tdm_error_memory(error, "segments", 0);
  for (size_t i = 0; status == TDM_OK && i < a->steps.count; i++) {
    const tdm_step *step = &a->steps.step[i];
    int64_t track = track_of(a, step->row);
    const int64_t key[KEYS] = {step->bound, kind_number(a, step->row), name_of(a, step->row),
                               track == TDM_NONE ? -1
                                                 : (int64_t)tdm_run_view_device_of(a->view, track),
                               track == TDM_NONE ? -1 : (int64_t)a->path.process[track]};
    uint32_t g = tdm_groups_add(&a->groups, key);
    if (g == UINT32_MAX) return tdm_error_memory(error, "segments", 0);
    a->group_ns[g] += step->to_ns - step->from_ns;
  }
  return status == TDM_OK ? tdm_groups_gather(&a->groups, error) : status;
}

typedef struct {
  uint32_t group;
  int64_t ns;
} ranked;

static int longest_first(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->ns != y->ns) return x->ns > y->ns ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

static ranked *rank_groups(const asking *a) {
  ranked *all = malloc((a->groups.count + 1) * sizeof *all);
  if (all == NULL) return NULL;
  for (uint32_t g = 0; g < a->groups.count; g++) all[g] = (ranked){g, a->group_ns[g]};
  qsort(all, a->groups.count, sizeof *all, longest_first);
  return all;
}

static void put_segments(asking *a, const ranked *order) {
  tdm_frame *frame = tdm_answer_frame(a->out, "segments", segment_fields, SEG_FIELDS);
  for (size_t i = 0; i < a->groups.count; i++) {
    uint32_t g = order[i].group, row = a->steps.step[a->groups.row[a->groups.first[g]]].row;
    const int64_t *key = a->groups.key + g * KEYS;
    const tdm_track *track =
        row == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, track_of(a, row));
    tdm_frame_row(frame);
    tdm_frame_real(frame, SEG_SHARE, (double)order[i].ns / (double)a->total_ns);
    tdm_frame_int(frame, SEG_TOTAL, order[i].ns);
    tdm_frame_int(frame, SEG_COUNT, (int64_t)(a->groups.first[g + 1] - a->groups.first[g]));
    tdm_frame_name(frame, SEG_BOUND, tdm_bound_name((tdm_bound)key[KEY_BOUND]));
    tdm_frame_name(frame, SEG_KIND, kind_of(a, row));
    if (track != NULL) tdm_frame_name(frame, SEG_PROCESS, track->process);
    put_name(a, frame, SEG_NAME, key[KEY_NAME]);
  }
}

static void put_bounds(asking *a) {
  int64_t ns[TDM_BOUNDS] = {0};
  for (size_t i = 0; i < a->steps.count; i++)
    ns[a->steps.step[i].bound] += a->steps.step[i].to_ns - a->steps.step[i].from_ns;
  tdm_frame *frame = tdm_answer_frame(a->out, "bound", bound_fields, 3);
  for (int b = 0; a->total_ns > 0 && b < TDM_BOUNDS; b++) {
    tdm_frame_row(frame);
    tdm_frame_name(frame, 0, tdm_bound_name((tdm_bound)b));
    tdm_frame_int(frame, 1, ns[b]);
    tdm_frame_real(frame, 2, (double)ns[b] / (double)a->total_ns);
  }
}

static void put_path(asking *a, const tdm_options *options) {
  double most = tdm_option_number(options, "steps", USUAL_STEPS);
  size_t count = most > 0 && most < (double)a->steps.count ? (size_t)most : a->steps.count;
  tdm_frame *frame = tdm_answer_frame(a->out, "path", path_fields, PATH_FIELDS);
  int64_t origin_ns = tdm_run_view_origin(a->view);
  for (size_t i = 0; i < count; i++) {
    const tdm_step *step = &a->steps.step[i];
    const tdm_track *track =
        step->row == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, track_of(a, step->row));
    tdm_frame_row(frame);
    tdm_frame_int(frame, PATH_AT, step->from_ns - origin_ns);
    tdm_frame_int(frame, PATH_DUR, step->to_ns - step->from_ns);
    tdm_frame_name(frame, PATH_BOUND, tdm_bound_name(step->bound));
    tdm_frame_name(frame, PATH_KIND, kind_of(a, step->row));
    if (track != NULL) {
      tdm_frame_name(frame, PATH_PROCESS, track->process);
      tdm_frame_name(frame, PATH_TRACK, track->name);
    }
    put_name(a, frame, PATH_NAME, name_of(a, step->row));
  }
  if (count < a->steps.count)
    tdm_answer_basis(a->out, "path: its first %zu steps of %zu (steps = 0 lists all)", count,
                     a->steps.count);
}

/* ---- what if ---- */

/* Copies that hold nothing up still take their time: no less than all of one direction and GPU. */
static tdm_status copies_ns(asking *a, int64_t *most_ns, tdm_error *error) {
  const tdm_table *work = a->path.work;
  tdm_groups ways;
  *most_ns = 0;
  tdm_status status = tdm_groups_open(&ways, 2, work->count, error);
  int64_t *sum_ns = calloc(work->count + 1, sizeof *sum_ns);
  if (status == TDM_OK && sum_ns == NULL) status = tdm_error_memory(error, "copies", 0);
  for (size_t w = 0; status == TDM_OK && w < work->count; w++) {
    if (a->path.work_class[w] != TDM_CLASS_COPY) continue;
    const int64_t key[] = {tdm_run_view_device_of(a->view, work->track[w]), work->name[w]};
    uint32_t g = tdm_groups_add(&ways, key);
    if (g == UINT32_MAX) {
      status = tdm_error_memory(error, "copies", 0);
      break;
    }
    sum_ns[g] +=
        tdm_intervals_within_ns(tdm_run_view_times(a->view), work->start_ns[w], work->end_ns[w]);
  }
  for (size_t g = 0; status == TDM_OK && g < ways.count; g++)
    if (sum_ns[g] > *most_ns) *most_ns = sum_ns[g];
  free(sum_ns);
  tdm_groups_close(&ways);
  return status;
}

static tdm_status put_change(asking *a, const tdm_change *change, const char *text,
                             tdm_frame *frame, tdm_error *error) {
  int64_t predicted_ns = replay_all(a, change), least_ns = 0;
  if (change->overlapped_copies) {
    tdm_status status = copies_ns(a, &least_ns, error);
    if (status != TDM_OK) return status;
    if (least_ns > a->total_ns) least_ns = a->total_ns;
    if (predicted_ns < least_ns) predicted_ns = least_ns;
  }
  int64_t gain_ns = a->total_ns - predicted_ns;
  tdm_frame_row(frame);
  tdm_frame_int(frame, CHANGE_PREDICTED, predicted_ns);
  tdm_frame_int(frame, CHANGE_GAIN, gain_ns);
  tdm_frame_real(frame, CHANGE_SHARE, (double)gain_ns / (double)a->total_ns);
  if (predicted_ns > 0)
    tdm_frame_real(frame, CHANGE_SPEEDUP, (double)a->total_ns / (double)predicted_ns);
  tdm_frame_text(frame, CHANGE_TEXT, text);
  return TDM_OK;
}

/* A text that was cut is cut between its characters. */
static void cut(char *text) {
  text[tdm_utf8_valid(text, strlen(text))] = 0;
}

/* All that was asked for, at once. */
static tdm_status put_asked(asking *a, const tdm_options *options, tdm_frame *frame,
                            tdm_error *error) {
  tdm_change change = {.path = &a->path};
  const char *faster = tdm_option_text(options, "faster", NULL);
  char text[512];
  size_t matched = 0;
  tdm_status status = TDM_OK;
  if (faster != NULL) status = tdm_change_faster(&change, faster, &matched, a->out, error);
  if (status == TDM_OK && tdm_option_flag(options, "no_launch_overhead"))
    status = tdm_change_free_launches(&change, error);
  change.overlapped_copies = tdm_option_flag(options, "overlap_copies");
  snprintf(text, sizeof text, "%s%s%s%s%s", faster != NULL ? faster : "",
           faster != NULL && (change.launches != NULL || change.overlapped_copies) ? ", " : "",
           change.launches != NULL ? "no launch overhead" : "",
           change.launches != NULL && change.overlapped_copies ? ", " : "",
           change.overlapped_copies ? "copies overlapped" : "");
  cut(text);
  if (status == TDM_OK && (matched > 0 || change.launches != NULL || change.overlapped_copies))
    status = put_change(a, &change, text, frame, error);
  tdm_change_close(&change);
  return status;
}

static tdm_status put_twice_as_fast(asking *a, int64_t name, tdm_frame *frame, tdm_error *error) {
  tdm_change change = {.path = &a->path};
  char text[512];
  snprintf(text, sizeof text, "2x faster: %s", tdm_run_view_name(a->view, name));
  cut(text);
  tdm_status status = tdm_change_faster_name(&change, name, 2, error);
  if (status == TDM_OK) status = put_change(a, &change, text, frame, error);
  tdm_change_close(&change);
  return status;
}

/* What is worth a look unasked: launches, copies, the kernels that are most of the path. */
static tdm_status put_usual(asking *a, const ranked *order, tdm_frame *frame, tdm_error *error) {
  tdm_change launches = {.path = &a->path}, copies = {.path = &a->path, .overlapped_copies = true};
  tdm_status status = tdm_change_free_launches(&launches, error);
  if (status == TDM_OK && a->path.unlaunched < works_of(a))
    status = put_change(a, &launches, "no launch overhead", frame, error);
  int64_t most_ns = 0;
  if (status == TDM_OK) status = copies_ns(a, &most_ns, error);
  if (status == TDM_OK && most_ns > 0)
    status = put_change(a, &copies, "copies overlapped", frame, error);
  size_t told = 0;
  for (size_t i = 0; status == TDM_OK && i < a->groups.count && told < CANDIDATES; i++) {
    const int64_t *key = a->groups.key + order[i].group * KEYS;
    if (key[KEY_BOUND] != TDM_BOUND_COMPUTE && key[KEY_BOUND] != TDM_BOUND_COMM) continue;
    status = put_twice_as_fast(a, key[KEY_NAME], frame, error);
    told++;
  }
  tdm_change_close(&launches);
  return status;
}

static tdm_status put_changes(asking *a, const tdm_options *options, const ranked *order,
                              tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(a->out, "what_if", change_fields, CHANGE_FIELDS);
  a->at_ns = malloc((a->path.dag.points + 1) * sizeof *a->at_ns);
  if (a->at_ns == NULL) return tdm_error_memory(error, "a replay", a->path.dag.points * 8);
  if (a->total_ns == 0) return TDM_OK;
  tdm_change nothing = {.path = &a->path};
  int64_t replayed_ns = replay_all(a, &nothing);
  tdm_answer_basis(a->out,
                   "what if: the dependency graph replayed with changed costs; replayed without a "
                   "change it takes %s against %s recorded (residual %s)",
                   tdm_answer_time((double)replayed_ns).text,
                   tdm_answer_time((double)a->total_ns).text,
                   tdm_answer_time((double)(replayed_ns - a->total_ns)).text);
  bool asked = tdm_option_text(options, "faster", NULL) != NULL ||
               tdm_option_flag(options, "no_launch_overhead") ||
               tdm_option_flag(options, "overlap_copies");
  return asked ? put_asked(a, options, frame, error) : put_usual(a, order, frame, error);
}

/* ---- basis ---- */

static void say_basis(asking *a) {
  const tdm_path *path = &a->path;
  tdm_answer_basis(a->out,
                   "share: of the path's %s, every nanosecond of which counts once; time in "
                   "an operator or call without a deeper one is its own",
                   tdm_answer_time((double)a->total_ns).text);
  if (tdm_run_tables_sources(tdm_run_view_tables(a->view)) > 1)
    tdm_answer_basis(a->out, "of several files it is the path of the one that ends last (rank = N "
                             "takes another); waiting for other ranks within a collective is "
                             "communication");
  if (path->handoffs > 0)
    tdm_answer_basis(a->out,
                     "a thread that did nothing while another of its process worked, and went on "
                     "when that stopped, is taken to have waited for it (%zu times; inferred)",
                     path->handoffs);
  if (path->arrivals > 0)
    tdm_answer_basis(a->out, "a simulated request is followed back to its arrival; arrivals are as "
                             "they were, and the time before one is idle");
  if (path->guessed > 0)
    tdm_answer_basis(a->out,
                     "%zu calls synchronize a stream or event that is not recorded: taken to have "
                     "waited for the work of their process that ended last before they returned",
                     path->guessed);
  if (path->full > 0)
    tdm_answer_basis(a->out,
                     "%zu calls found the GPU's queue of commands full: they waited for the work "
                     "of their process that ended last before they returned",
                     path->full);
  if (path->backwards > 0)
    tdm_answer_basis(a->out, "%zu dependencies that run backwards in time were left out",
                     path->backwards);
}

static void say_missing(asking *a) {
  static const char *const followed[] = {"kernel", "memcpy", "runtime", "driver",
                                         "cpu_op", "stage",  NULL};
  static const tdm_wanted wanted = {.categories = followed};
  const tdm_path *path = &a->path;
  if (a->path.dag.points == 0 || a->total_ns == 0) {
    tdm_answer_cannot(a->out,
                      "%s no work to follow (no rows of category kernel, memcpy, "
                      "runtime, driver, cpu_op, stage)",
                      tdm_run_view_lacking(a->view, &wanted));
    return;
  }
  bool simulated = tdm_run_view_has(a->view, "stage");
  if (!simulated && path->work->count == 0)
    tdm_answer_cannot(a->out, "GPU work: %s no rows of category kernel or memcpy",
                      tdm_run_view_lacking(a->view, &tdm_gpu_work));
  else if (!simulated && path->unlaunched == path->work->count)
    tdm_answer_cannot(a->out, "launches: no work has the argument correlation of a call (rows of "
                              "category runtime or driver)");
  else if (!simulated && path->unlaunched > 0)
    tdm_answer_basis(a->out,
                     "%zu of %zu pieces of work have no recorded launch and follow their stream",
                     path->unlaunched, path->work->count);
  if (path->unresolved > 0)
    tdm_answer_cannot(a->out,
                      "%zu dependencies between streams: they wait for events of which no record "
                      "is told (rows of category cuda_event, or the argument "
                      "wait_on_cuda_event_record_corr_id)",
                      path->unresolved);
  if (!simulated && path->work->count > 0 && path->sync->count == 0)
    tdm_answer_cannot(a->out,
                      "dependencies between streams through events: %s no rows of "
                      "category sync",
                      tdm_run_view_has(a->view, "sync") ? "the filter leaves" : "the run has");
}

/* Times further apart than some 73 years do not fit the keys that sort points, nor sums of them. */
static bool is_too_long(const tdm_run_view *view) {
  int64_t from_ns, to_ns;
  tdm_run_view_extent(view, &from_ns, &to_ns);
  return (uint64_t)to_ns - (uint64_t)from_ns > INT64_MAX / 4;
}

tdm_status tdm_answer_critical_path(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                    tdm_error *error) {
  asking a = {.view = view, .out = out};
  ranked *order = NULL;
  bool too_long = is_too_long(view);
  tdm_status status = too_long ? TDM_OK : tdm_path_open(view, &a.path, error);
  if (status == TDM_OK && !too_long) status = walk_all(&a, error);
  if (status == TDM_OK) status = group_steps(&a, error);
  if (status == TDM_OK) {
    order = rank_groups(&a);
    if (order == NULL) status = tdm_error_memory(error, "segments", 0);
  }
  if (status == TDM_OK) {
    put_segments(&a, order);
    put_bounds(&a);
    say_basis(&a);
    status = put_changes(&a, options, order, error);
    put_path(&a, options);
    if (too_long)
      tdm_answer_cannot(out, "the records of the run lie more than 73 years apart");
    else
      say_missing(&a);
  }
  free(order);
  free(a.at_ns);
  free(a.group_ns);
  free(a.steps.step);
  tdm_groups_close(&a.groups);
  tdm_path_close(&a.path);
  return status;
}
