/* The longest chain of dependent work from the first record to the last, by what it is and by what
 * bounds it; and how long the run would take if something changed.
 *
 * The graph is path.h's, what-if is path.h's; here the answer. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/labels.h"
#include "analysis/path/causes.h"
#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"
#include "trace/utf8.h"

enum {
  CANDIDATES = 3,      /* kernels for which a what-if is told unasked */
  USUAL_STEPS = 100000 /* of the path that are told */
};

static const tdm_field segment_fields[] = {{"share", TDM_FIELD_REAL}, {"total_ns", TDM_FIELD_INT},
                                           {"count", TDM_FIELD_INT},  {"bound", TDM_FIELD_TEXT},
                                           {"kind", TDM_FIELD_TEXT},  {"process", TDM_FIELD_TEXT},
                                           TDM_LABEL_FIELDS("name")};
enum {
  SEG_SHARE,
  SEG_TOTAL,
  SEG_COUNT,
  SEG_BOUND,
  SEG_KIND,
  SEG_PROCESS,
  SEG_NAME,
  SEG_NAMES,
  SEG_FIELDS
};

static const tdm_field bound_fields[] = {
    {"bound", TDM_FIELD_TEXT}, {"total_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL}};

static const tdm_field path_fields[] = {{"at_ns", TDM_FIELD_INT},    {"dur_ns", TDM_FIELD_INT},
                                        {"bound", TDM_FIELD_TEXT},   {"kind", TDM_FIELD_TEXT},
                                        {"process", TDM_FIELD_TEXT}, {"track", TDM_FIELD_TEXT},
                                        {"name", TDM_FIELD_TEXT}};
enum { PATH_AT, PATH_DUR, PATH_BOUND, PATH_KIND, PATH_PROCESS, PATH_TRACK, PATH_NAME, PATH_FIELDS };

static const tdm_field rank_fields[] = {{"rank", TDM_FIELD_INT},
                                        {"total_ns", TDM_FIELD_INT},
                                        {"share", TDM_FIELD_REAL},
                                        {"count", TDM_FIELD_INT},
                                        {"file", TDM_FIELD_TEXT}};
enum { RANK_RANK, RANK_TOTAL, RANK_SHARE, RANK_COUNT, RANK_FILE, RANK_FIELDS };

/* Steps of the path that are listed together. */
typedef struct {
  int64_t ns;
  size_t first, count;
} segment;

typedef struct {
  tdm_run_view *view;
  const tdm_path *path;  /* whose steps are told */
  const tdm_path *graph; /* that is replayed: of the view, or of the file that ends last */
  tdm_across across;     /* of several files whose ranks meet: what `path` is then */
  tdm_groups groups;     /* of steps */
  segment *segment;      /* by group */
  size_t segment_room;
  tdm_labels labels; /* of the host's records */
  tdm_answer *out;
} asking;

/* ---- what a step is ---- */

static const char *const host_kinds[] = {"runtime", "driver",          "cpu_op",          "mpi",
                                         "osrt",    "python_function", "user_annotation", "nvtx"};
static const char *const work_kinds[] = {"kernel", "memcpy", "memset", "graph", "stage"};

static size_t works_of(const asking *a) {
  return a->path->work->count;
}

static bool is_work(const asking *a, uint32_t row) {
  return row < works_of(a);
}

static const char *kind_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return "gap";
  return is_work(a, row) ? work_kinds[tdm_table_category(a->path->work, row)]
                         : host_kinds[tdm_table_category(a->path->host, row - works_of(a))];
}

/* What is known of a stretch without a record, as a kind. */
static const char *kind_of_step(const asking *a, const tdm_step *step) {
  if (step->row != TDM_NO_ROW || step->what == TDM_NOTHING) return kind_of(a, step->row);
  return step->what >= 0 ? "sample" : "sched";
}

/* A number for each kind. */
static int64_t kind_number(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? -1 - tdm_table_category(a->path->work, row)
                         : tdm_table_category(a->path->host, row - works_of(a));
}

static int64_t name_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? tdm_table_name(a->path->work, row)
                         : tdm_table_name(a->path->host, row - works_of(a));
}

static int64_t track_of(const asking *a, uint32_t row) {
  if (row == TDM_NO_ROW) return TDM_NONE;
  return is_work(a, row) ? tdm_table_track(a->path->work, row)
                         : tdm_table_track(a->path->host, row - works_of(a));
}

/* A number for what a step is called, among those of its kind; TDM_NONE: out of memory. */
static int64_t label_of(asking *a, const tdm_step *step) {
  if (step->row == TDM_NO_ROW) return step->what;
  int64_t name = name_of(a, step->row);
  return is_work(a, step->row) ? name : tdm_label_of(&a->labels, name);
}

/* By its label; of a step of the host also for how many names that stands, when `counted`. */
static void put_name(asking *a, tdm_frame *frame, size_t field, const tdm_step *step,
                     bool counted) {
  static const char *const without[] = {"(nothing recorded)", "(on a CPU, by scheduling)",
                                        "(off the CPU)",
                                        "(asked for, held up by what is not recorded)"};
  int64_t label = label_of(a, step);
  if (is_work(a, step->row))
    tdm_frame_name(frame, field, tdm_run_view_name(a->view, label));
  else if (step->row != TDM_NO_ROW)
    (counted ? tdm_label_put_counted : tdm_label_put)(&a->labels, frame, field, label);
  else if (step->what >= 0)
    tdm_frame_text(frame, field,
                   tdm_path_leaf(a->path, step->what)); /* the path's, not the run's */
  else
    tdm_frame_name(frame, field, without[TDM_NOTHING - step->what]);
}

static const tdm_source *source_of(const asking *a, const tdm_track *track) {
  return tdm_run_tables_source(tdm_run_view_tables(a->view), track->source);
}

/* Of the path across ranks also whose it is. */
static void put_process(asking *a, tdm_frame *frame, size_t field, const tdm_track *track) {
  const tdm_source *source = a->across.met > 0 ? source_of(a, track) : NULL;
  if (source == NULL || source->rank == TDM_NONE) {
    tdm_frame_name(frame, field, track->process);
    return;
  }
  char text[256];
  snprintf(text, sizeof text, "rank %lld: %.200s", (long long)source->rank, track->process);
  text[tdm_utf8_valid(text, strlen(text))] = 0;
  tdm_frame_text(frame, field, text);
}

/* ---- frames ---- */

enum { KEY_BOUND, KEY_KIND, KEY_NAME, KEY_DEVICE, KEY_PROCESS, KEYS };

static tdm_status group_steps(asking *a, tdm_error *error) {
  tdm_status status = tdm_groups_open(&a->groups, KEYS, 0, error);
  for (size_t i = 0; status == TDM_OK && i < a->path->steps.count; i++) {
    const tdm_step *step = &a->path->steps.step[i];
    int64_t track = track_of(a, step->row);
    const int64_t key[KEYS] = {step->bound, kind_number(a, step->row), label_of(a, step),
                               track == TDM_NONE ? -1
                                                 : (int64_t)tdm_run_view_device_of(a->view, track),
                               track == TDM_NONE ? -1 : (int64_t)a->path->process[track]};
    size_t before = a->groups.count;
    uint32_t g = tdm_groups_of(&a->groups, key);
    if (g == UINT32_MAX || key[KEY_NAME] == TDM_NONE ||
        !tdm_array_grow(&a->segment, &a->segment_room, a->groups.count, sizeof *a->segment))
      return tdm_error_memory(error, "segments", 0);
    if (g == before) a->segment[g] = (segment){.first = i};
    a->segment[g].ns += step->to_ns - step->from_ns;
    a->segment[g].count++;
  }
  return status;
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
  ranked *all = tdm_array_raw(a->groups.count + 1, sizeof *all);
  if (all == NULL) return NULL;
  for (uint32_t g = 0; g < a->groups.count; g++) all[g] = (ranked){g, a->segment[g].ns};
  qsort(all, a->groups.count, sizeof *all, longest_first);
  return all;
}

static void put_segments(asking *a, const ranked *order) {
  tdm_frame *frame = tdm_answer_frame(a->out, "segments", segment_fields, SEG_FIELDS);
  for (size_t i = 0; i < a->groups.count; i++) {
    uint32_t g = order[i].group;
    const tdm_step *step = &a->path->steps.step[a->segment[g].first];
    uint32_t row = step->row;
    const int64_t *key = a->groups.key + g * KEYS;
    const tdm_track *track =
        row == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, track_of(a, row));
    tdm_frame_row(frame);
    tdm_frame_real(frame, SEG_SHARE, (double)order[i].ns / (double)a->path->total_ns);
    tdm_frame_int(frame, SEG_TOTAL, order[i].ns);
    tdm_frame_int(frame, SEG_COUNT, (int64_t)a->segment[g].count);
    tdm_frame_name(frame, SEG_BOUND, tdm_bound_name((tdm_bound)key[KEY_BOUND]));
    tdm_frame_name(frame, SEG_KIND, kind_of_step(a, step));
    if (track != NULL) put_process(a, frame, SEG_PROCESS, track);
    put_name(a, frame, SEG_NAME, step, true);
  }
}

/* What of the path across ranks lies on each file, those with most first. */
static tdm_status put_ranks(asking *a, tdm_error *error) {
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(a->view));
  ranked *of = tdm_array_new((size_t)sources + 1, sizeof *of);
  size_t *steps = tdm_array_new((size_t)sources + 1, sizeof *steps);
  if (of == NULL || steps == NULL) {
    free(of);
    free(steps);
    return tdm_error_memory(error, "ranks", sources * sizeof *of);
  }
  for (uint32_t s = 0; s < sources; s++) of[s].group = s;
  for (size_t i = 0; i < a->path->steps.count; i++) {
    const tdm_step *step = &a->path->steps.step[i];
    const tdm_track *track =
        step->row == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, track_of(a, step->row));
    if (track == NULL || track->source >= sources) continue;
    of[track->source].ns += step->to_ns - step->from_ns;
    steps[track->source]++;
  }
  qsort(of, sources, sizeof *of, longest_first);
  tdm_frame *frame = tdm_answer_frame(a->out, "ranks", rank_fields, RANK_FIELDS);
  for (uint32_t i = 0; i < sources && of[i].ns > 0; i++) {
    const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(a->view), of[i].group);
    tdm_frame_row(frame);
    if (source != NULL && source->rank != TDM_NONE) tdm_frame_int(frame, RANK_RANK, source->rank);
    tdm_frame_int(frame, RANK_TOTAL, of[i].ns);
    tdm_frame_real(frame, RANK_SHARE, (double)of[i].ns / (double)a->path->total_ns);
    tdm_frame_int(frame, RANK_COUNT, (int64_t)steps[of[i].group]);
    if (source != NULL) tdm_frame_name(frame, RANK_FILE, source->path);
  }
  free(of);
  free(steps);
  return TDM_OK;
}

/* The names of kernels that are most of the path. */
static size_t leading_kernels(const asking *a, const ranked *order, int64_t name[CANDIDATES]) {
  size_t count = 0;
  for (size_t i = 0; i < a->groups.count && count < CANDIDATES; i++) {
    const int64_t *key = a->groups.key + order[i].group * KEYS;
    if (key[KEY_BOUND] == TDM_BOUND_COMPUTE || key[KEY_BOUND] == TDM_BOUND_COMM)
      name[count++] = key[KEY_NAME];
  }
  return count;
}

static void put_bounds(asking *a) {
  int64_t ns[TDM_BOUNDS] = {0};
  for (size_t i = 0; i < a->path->steps.count; i++)
    ns[a->path->steps.step[i].bound] +=
        a->path->steps.step[i].to_ns - a->path->steps.step[i].from_ns;
  tdm_frame *frame = tdm_answer_frame(a->out, "bound", bound_fields, 3);
  for (int b = 0; a->path->total_ns > 0 && b < TDM_BOUNDS; b++) {
    tdm_frame_row(frame);
    tdm_frame_name(frame, 0, tdm_bound_name((tdm_bound)b));
    tdm_frame_int(frame, 1, ns[b]);
    tdm_frame_real(frame, 2, (double)ns[b] / (double)a->path->total_ns);
  }
}

static void put_path(asking *a, const tdm_options *options) {
  double most = tdm_option_number(options, "steps", USUAL_STEPS);
  size_t count =
      most > 0 && most < (double)a->path->steps.count ? (size_t)most : a->path->steps.count;
  tdm_frame *frame = tdm_answer_frame(a->out, "path", path_fields, PATH_FIELDS);
  int64_t origin_ns = tdm_run_view_origin(a->view);
  for (size_t i = 0; i < count; i++) {
    const tdm_step *step = &a->path->steps.step[i];
    const tdm_track *track =
        step->row == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, track_of(a, step->row));
    tdm_frame_row(frame);
    tdm_frame_int(frame, PATH_AT, step->from_ns - origin_ns);
    tdm_frame_int(frame, PATH_DUR, step->to_ns - step->from_ns);
    tdm_frame_name(frame, PATH_BOUND, tdm_bound_name(step->bound));
    tdm_frame_name(frame, PATH_KIND, kind_of_step(a, step));
    if (track != NULL) {
      put_process(a, frame, PATH_PROCESS, track);
      tdm_frame_name(frame, PATH_TRACK, track->name);
    }
    put_name(a, frame, PATH_NAME, step, false);
  }
  if (count < a->path->steps.count)
    tdm_answer_basis(a->out, "path: its first %zu steps of %zu", count, a->path->steps.count);
}

/* ---- basis ---- */

/* What each nanosecond rests on, as shares of the path. */
static void say_evidence(asking *a) {
  enum { RECORDED, INFERRED, SAMPLED, SCHEDULED, NOTHING, CLASSES };
  static const char *const words[] = {"recorded", "inferred from threads that take turns",
                                      "by samples of CPUs", "by scheduling alone",
                                      "nothing recorded"};
  int64_t ns[CLASSES] = {0};
  for (size_t i = 0; i < a->path->steps.count; i++) {
    const tdm_step *step = &a->path->steps.step[i];
    bool nothing = step->what == TDM_NOTHING || step->what == TDM_HELD_UP;
    int of = step->row != TDM_NO_ROW ? RECORDED
             : step->inferred        ? INFERRED
             : step->what >= 0       ? SAMPLED
             : nothing               ? NOTHING
                                     : SCHEDULED;
    ns[of] += step->to_ns - step->from_ns;
  }
  char text[256] = "";
  size_t used = 0;
  for (int i = 0; i < CLASSES && a->path->total_ns > 0; i++)
    if (ns[i] > 0 && used < sizeof text)
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1f %%", used > 0 ? ", " : "",
                           words[i], 100 * (double)ns[i] / (double)a->path->total_ns);
  if (used > 0) tdm_answer_basis(a->out, "evidence: %s", text);
}

static void say_across(asking *a) {
  tdm_answer_basis(a->out,
                   "of several files it is the path across their ranks: from the record that ends "
                   "last back, at a collective to the rank that came last (%zu collectives, at "
                   "%zu of them another rank; rank = N takes one alone)",
                   a->across.met, a->across.elsewhere);
  tdm_answer_basis(a->out, "what follows, and what if, are of the rank that ends last: what others "
                           "do and when they come to collectives is as it was");
}

static void say_basis(asking *a) {
  const tdm_path *path = a->graph;
  say_evidence(a);
  tdm_answer_basis(a->out,
                   "share: of the path's %s, every nanosecond of which counts once; time in "
                   "an operator or call without a deeper one is its own",
                   tdm_answer_time((double)path->total_ns).text);
  if (a->across.met > 0)
    say_across(a);
  else if (tdm_run_tables_sources(tdm_run_view_tables(a->view)) > 1)
    tdm_answer_basis(a->out, "of several files it is the path of the one that ends last (rank = N "
                             "takes another); waiting for other ranks within a collective is "
                             "communication");
  if (path->handoffs > 0)
    tdm_answer_basis(a->out,
                     "a thread that did nothing while another of its process worked, and went on "
                     "when that stopped, is taken to have waited for it (%zu times; inferred)",
                     path->handoffs);
  if (path->inferred > 0)
    tdm_answer_basis(a->out,
                     "work that was asked for, whose stream was free, and that began when another "
                     "stream's ended is taken to have waited for it (%zu times; inferred)",
                     path->inferred);
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
  const tdm_path *path = a->graph;
  if (path->dag.points == 0 || path->total_ns == 0) {
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

tdm_status tdm_answer_critical_path(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                    tdm_error *error) {
  asking a = {.view = view, .labels = tdm_labels_of(view, options), .out = out};
  ranked *order = NULL;
  tdm_causes_forget(view);
  tdm_status status = tdm_path_of(view, &a.graph, error);
  if (status == TDM_OK) status = tdm_across_open(view, a.graph, &a.across, error);
  a.path = a.across.met > 0 ? &a.across.shown : a.graph;
  if (status == TDM_OK) status = group_steps(&a, error);
  if (status == TDM_OK) {
    order = rank_groups(&a);
    if (order == NULL) status = tdm_error_memory(error, "segments", 0);
  }
  if (status == TDM_OK) {
    put_segments(&a, order);
    put_bounds(&a);
    if (a.across.met > 0) status = put_ranks(&a, error);
    say_basis(&a);
    int64_t kernels[CANDIDATES];
    size_t count = leading_kernels(&a, order, kernels);
    if (status == TDM_OK)
      status = tdm_path_put_what_if(a.graph, kernels, count, options, out, error);
    put_path(&a, options);
    if (a.graph->too_long)
      tdm_answer_cannot(out, "the records of the run lie more than 73 years apart");
    else
      say_missing(&a);
  }
  free(order);
  free(a.segment);
  tdm_labels_close(&a.labels);
  tdm_groups_close(&a.groups);
  tdm_across_close(&a.across);
  return status;
}
