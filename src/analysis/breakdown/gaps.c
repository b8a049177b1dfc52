/* Times when a GPU did nothing: between what, why, and what the host did meanwhile. Frames: gaps
 * (the longest first), devices (how many, how long together). Options: threshold (ns, 1 ms), most
 * (1000 rows of the first frame), overhead (the profiler's own time counts), names, those of
 * tdm_gpu_rows_open. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/breakdown/gap_list.h"
#include "analysis/labels.h"
#include "base/memory.h"

static const char *const call_categories[] = {"runtime", "driver", "osrt", NULL};
static const tdm_wanted host_calls = {.categories = call_categories};
static const char *const range_categories[] = {"nvtx", "user_annotation", "cpu_op",
                                               "python_function", NULL};
static const tdm_wanted host_ranges = {.categories = range_categories};
static const tdm_wanted *const host_tables[TDM_GAP_HOSTS] = {&host_calls, &host_ranges};
static const char *const overhead_categories[] = {"overhead", NULL};
static const tdm_wanted overheads = {.categories = overhead_categories};

static const tdm_field gap_fields[] = {TDM_GPU_FIELDS,
                                       {"from_ns", TDM_FIELD_INT},
                                       {"gap_ns", TDM_FIELD_INT},
                                       {"share", TDM_FIELD_REAL},
                                       {"overhead_ns", TDM_FIELD_INT},
                                       {"asked_ns", TDM_FIELD_INT}, /* from the gap's beginning */
                                       {"cause", TDM_FIELD_TEXT},
                                       {"before", TDM_FIELD_TEXT},
                                       {"after", TDM_FIELD_TEXT},
                                       {"call", TDM_FIELD_TEXT},
                                       {"call_ns", TDM_FIELD_INT},
                                       {"range", TDM_FIELD_TEXT},
                                       {"range_ns", TDM_FIELD_INT},
                                       {"thread", TDM_FIELD_TEXT}};
enum {
  FIELD_FROM = TDM_GPU_FIELD_COUNT,
  FIELD_GAP,
  FIELD_SHARE,
  FIELD_OVERHEAD,
  FIELD_ASKED,
  FIELD_CAUSE,
  FIELD_BEFORE,
  FIELD_AFTER,
  FIELD_HOST,
  FIELD_THREAD = FIELD_HOST + 2 * TDM_GAP_HOSTS,
  FIELDS
};
static const tdm_field device_fields[] = {TDM_GPU_FIELDS,
                                          {"count", TDM_FIELD_INT},
                                          {"total_ns", TDM_FIELD_INT},
                                          {"share", TDM_FIELD_REAL},
                                          {"longest_ns", TDM_FIELD_INT}};

typedef struct {
  tdm_run_view *view;
  tdm_gpu_rows rows;
  const tdm_launched *launches;
  tdm_gap_list list;
  tdm_labels labels;         /* of what the host did */
  const tdm_intervals *left; /* by the filter; NULL: it narrows no times */
  tdm_intervals *overhead;   /* by source */
  uint32_t sources;
  size_t passed; /* rows of the host's */
  int64_t threshold_ns;
  size_t found; /* before the list was shortened */
} gaps;

/* ---- finding ---- */

/* Overhead of CUDA's own (compiling, loading, full command buffers) is part of the program. */
static bool is_profilers(const char *name) {
  return strcasestr(name, "command buffer") == NULL && strcasestr(name, "loading") == NULL &&
         strcasestr(name, "compil") == NULL;
}

static tdm_status find_overhead(gaps *g, bool counts, tdm_error *error) {
  const tdm_table *table = NULL;
  g->sources = tdm_run_tables_sources(tdm_run_view_tables(g->view));
  g->overhead = tdm_array_new(g->sources + 1, sizeof *g->overhead);
  if (g->overhead == NULL) return tdm_error_memory(error, "gaps", g->sources);
  if (counts) return TDM_OK;
  tdm_status status = tdm_run_view_table(g->view, &overheads, &table, error);
  for (size_t i = 0; status == TDM_OK && i < table->count; i++) {
    const tdm_track *track = tdm_run_view_track(g->view, tdm_table_track(table, i));
    if (track == NULL || track->source >= g->sources ||
        !is_profilers(tdm_run_view_name(g->view, tdm_table_name(table, i))))
      continue;
    if (!tdm_intervals_add(&g->overhead[track->source], tdm_table_start_ns(table, i),
                           tdm_table_end_ns(table, i)))
      status = tdm_error_memory(error, "intervals", 0);
  }
  for (uint32_t s = 0; status == TDM_OK && g->left != NULL && s < g->sources; s++) {
    tdm_intervals whole = g->overhead[s];
    g->overhead[s] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, g->left, &g->overhead[s], error);
    tdm_intervals_close(&whole);
  }
  return status;
}

/* The call of the work after a gap. */
static uint32_t call_after(const gaps *g, const tdm_gap *gap) {
  return gap->after != TDM_NO_ROW ? g->launches->by_call.cause[gap->after] : TDM_NO_ROW;
}

static void name_threads(gaps *g) {
  for (size_t i = 0; i < g->list.count; i++) {
    tdm_gap *gap = &g->list.gap[i];
    uint32_t call = call_after(g, gap);
    if (call != TDM_NO_ROW) gap->thread = tdm_table_track(g->launches->calls, call);
  }
}

/* ---- telling ---- */

static void put_devices(const gaps *g, tdm_answer *out) {
  tdm_frame *frame =
      tdm_answer_frame(out, "devices", device_fields, sizeof device_fields / sizeof *device_fields);
  size_t i = 0;
  for (uint32_t k = 0; k < g->rows.gpus; k++) {
    const tdm_gpu *gpu = &g->rows.gpu[k];
    int64_t total_ns = 0, longest_ns = 0;
    size_t first = i;
    for (; i < g->list.count && g->list.gap[i].gpu == k; i++) {
      total_ns += g->list.gap[i].idle_ns;
      if (g->list.gap[i].idle_ns > longest_ns) longest_ns = g->list.gap[i].idle_ns;
    }
    int64_t whole_ns =
        g->left != NULL ? tdm_intervals_total_ns(g->left) : gpu->last_ns - gpu->first_ns;
    tdm_frame_row(frame);
    tdm_gpu_put(gpu, frame);
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT, (int64_t)(i - first));
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + 1, total_ns);
    tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + 2, tdm_share(total_ns, whole_ns));
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + 3, longest_ns);
  }
}

static const char *cause_of(const gaps *g, const tdm_gap *gap) {
  uint32_t call = call_after(g, gap);
  if (call == TDM_NO_ROW) return NULL;
  return tdm_table_start_ns(g->launches->calls, call) > gap->since_ns ? "host wait" : "other";
}

/* When the work after a gap had been asked for: at the end of its launch; a copy's call may last
 * until the copy is done. */
static void put_asked(const gaps *g, const tdm_gap *gap, tdm_frame *frame) {
  uint32_t call = call_after(g, gap);
  if (call == TDM_NO_ROW) return;
  const tdm_table *calls = g->launches->calls;
  int64_t asked_ns = tdm_table_category(g->rows.work, gap->after) == TDM_WORK_KERNEL
                         ? tdm_table_end_ns(calls, call)
                         : tdm_table_start_ns(calls, call);
  int64_t since_ns = asked_ns - gap->from_ns;
  tdm_frame_int(frame, FIELD_ASKED, since_ns > 0 ? since_ns : 0);
}

static bool put_host(gaps *g, const tdm_gap *gap, tdm_frame *frame) {
  int64_t thread = gap->thread;
  for (size_t h = 0; h < TDM_GAP_HOSTS; h++) {
    const tdm_gap_host *host = &gap->host[h];
    if (!host->found || host->common_ns < (gap->to_ns - gap->from_ns) / 10) continue;
    int64_t label = tdm_label_of(&g->labels, host->name);
    if (label == TDM_NONE) return false;
    tdm_label_put(&g->labels, frame, FIELD_HOST + 2 * h, label);
    tdm_frame_int(frame, FIELD_HOST + 2 * h + 1, host->common_ns);
    if (thread == TDM_NONE) thread = host->track;
  }
  const tdm_track *track = thread != TDM_NONE ? tdm_run_view_track(g->view, thread) : NULL;
  if (track != NULL) tdm_frame_name(frame, FIELD_THREAD, track->name);
  return true;
}

static void put_work(const gaps *g, uint32_t row, tdm_frame *frame, size_t field) {
  if (row == TDM_NO_ROW) return;
  tdm_frame_name(frame, field, tdm_run_view_name(g->view, tdm_table_name(g->rows.work, row)));
}

/* false: out of memory. */
static bool put_gap(gaps *g, const tdm_gap *gap, tdm_frame *frame) {
  const tdm_gpu *gpu = &g->rows.gpu[gap->gpu];
  int64_t whole_ns =
      g->left != NULL ? tdm_intervals_total_ns(g->left) : gpu->last_ns - gpu->first_ns;
  tdm_frame_row(frame);
  tdm_gpu_put(gpu, frame);
  tdm_frame_int(frame, FIELD_FROM, gap->from_ns);
  tdm_frame_int(frame, FIELD_GAP, gap->idle_ns);
  tdm_frame_real(frame, FIELD_SHARE, tdm_share(gap->idle_ns, whole_ns));
  if (gap->overhead_ns > 0) tdm_frame_int(frame, FIELD_OVERHEAD, gap->overhead_ns);
  put_asked(g, gap, frame);
  tdm_frame_name(frame, FIELD_CAUSE, cause_of(g, gap));
  put_work(g, gap->before, frame, FIELD_BEFORE);
  put_work(g, gap->after, frame, FIELD_AFTER);
  return put_host(g, gap, frame);
}

static int longer_first(const void *a, const void *b) {
  const tdm_gap *x = a, *y = b;
  if (x->idle_ns != y->idle_ns) return x->idle_ns > y->idle_ns ? -1 : 1;
  if (x->from_ns != y->from_ns) return x->from_ns < y->from_ns ? -1 : 1;
  return x->gpu < y->gpu ? -1 : x->gpu > y->gpu;
}

static tdm_status find(gaps *g, const tdm_options *options, tdm_frame *frame, tdm_answer *out,
                       tdm_error *error) {
  double most = tdm_option_number(options, "most", 1000);
  if (tdm_run_view_narrowed(g->view)) g->left = tdm_run_view_times(g->view);
  tdm_status status = find_overhead(g, tdm_option_flag(options, "overhead"), error);
  if (status == TDM_OK) status = tdm_gpu_launched(g->rows.view, &g->launches, error);
  if (status == TDM_OK)
    status = tdm_gap_list_find(&g->rows, g->overhead, g->left, g->threshold_ns, &g->list, error);
  if (status != TDM_OK) return status;
  put_devices(g, out);
  g->found = g->list.count;
  tdm_gap_list_shorten(&g->list, most > 1 ? (size_t)most : 1);
  name_threads(g);
  for (int h = 0; status == TDM_OK && h < TDM_GAP_HOSTS && g->list.count > 0; h++)
    status = tdm_gap_list_join(g->view, &g->rows, host_tables[h], h, &g->list, &g->passed, error);
  if (g->list.count > 0) qsort(g->list.gap, g->list.count, sizeof *g->list.gap, longer_first);
  for (size_t i = 0; status == TDM_OK && i < g->list.count; i++)
    if (!put_gap(g, &g->list.gap[i], frame)) status = tdm_error_memory(error, "names of gaps", i);
  return status;
}

static void tell(const gaps *g, const tdm_options *options, tdm_answer *out) {
  tdm_answer_basis(out,
                   "gaps of %.4g ms or more between pieces of work of one GPU; shares are of "
                   "the time from its first work to its last, or what the filter leaves",
                   (double)g->threshold_ns / 1e6);
  if (g->left != NULL)
    tdm_answer_basis(out,
                     "gaps are cut to the times that the filter leaves, each by itself; before "
                     "a GPU's first work and after its last they count too");
  if (g->list.count < g->found)
    tdm_answer_basis(out, "the %zu longest of %zu gaps", g->list.count, g->found);
  if (tdm_option_flag(options, "overhead") || !tdm_run_view_has(g->view, "overhead"))
    tdm_answer_basis(out, "the profiler's own overhead is not taken off%s",
                     tdm_run_view_has(g->view, "overhead") ? "" : ": it was not recorded");
  if (g->list.count == 0) return;
  if (g->launches->by_call.joined > 0)
    tdm_answer_basis(out, "host wait: the work after the gap was launched in it");
  if (g->passed > 0)
    tdm_answer_basis(out, "call and range: the innermost that covers more than half of the gap, "
                          "otherwise the one that covers most of it, a tenth at least; of the "
                          "launching thread first");
  else
    tdm_answer_cannot(out, "what the host did in the gaps: no rows of category runtime, driver, "
                           "osrt, nvtx, user_annotation, cpu_op or python_function");
}

static void release(gaps *g) {
  for (uint32_t s = 0; g->overhead != NULL && s < g->sources; s++)
    tdm_intervals_close(&g->overhead[s]);
  free(g->overhead);
  tdm_gap_list_close(&g->list);
  tdm_labels_close(&g->labels);
  tdm_gpu_rows_close(&g->rows);
}

tdm_status tdm_answer_gaps(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error) {
  double threshold_ns = tdm_option_number(options, "threshold", 1e6);
  gaps g = {.view = view,
            .labels = tdm_labels_of(view, options),
            .threshold_ns = threshold_ns > 1 ? (int64_t)threshold_ns : 1};
  tdm_status status = tdm_gpu_rows_open_whole(view, options, &g.rows, error);
  tdm_frame *frame = tdm_answer_frame(out, "gaps", gap_fields, FIELDS);
  if (status == TDM_OK && g.rows.gpus > 0) status = find(&g, options, frame, out, error);
  if (status == TDM_OK) tdm_gpu_rows_tell(view, options, &g.rows, out);
  if (status == TDM_OK && g.rows.gpus > 0) tell(&g, options, out);
  release(&g);
  return status;
}
