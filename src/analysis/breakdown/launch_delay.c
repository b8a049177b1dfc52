/* API calls against what they launched. Frames: launch_delay, durations, kernels. Options:
 * runtime_cutoff (ns, 50 µs), launch_delay_cutoff (ns, 100 µs), kernels_only, those of
 * tdm_gpu_rows_open. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/breakdown/gpu_time.h"
#include "analysis/groups.h"
#include "analysis/moments.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

enum { CPU, GPU, DELAY, MEASURES };
static const char *const measure_names[MEASURES] = {"cpu_duration", "gpu_duration", "launch_delay"};

static const tdm_field gpu_fields[] = {TDM_GPU_FIELDS,
                                       {"launches", TDM_FIELD_INT},
                                       {"short", TDM_FIELD_INT},
                                       {"short_share", TDM_FIELD_REAL},
                                       {"runtime_outliers", TDM_FIELD_INT},
                                       {"delay_outliers", TDM_FIELD_INT},
                                       {"total_delay_ns", TDM_FIELD_INT}};
static const tdm_field duration_fields[] = {TDM_GPU_FIELDS,
                                            {"measure", TDM_FIELD_TEXT},
                                            {"mean_ns", TDM_FIELD_REAL},
                                            {"stddev_ns", TDM_FIELD_REAL},
                                            {"min_ns", TDM_FIELD_INT},
                                            {"median_ns", TDM_FIELD_REAL},
                                            {"max_ns", TDM_FIELD_INT}};
static const tdm_field name_fields[] = {TDM_GPU_FIELDS,
                                        {"count", TDM_FIELD_INT},
                                        {"short", TDM_FIELD_INT},
                                        {"cpu_mean_ns", TDM_FIELD_REAL},
                                        {"gpu_mean_ns", TDM_FIELD_REAL},
                                        {"delay_mean_ns", TDM_FIELD_REAL},
                                        {"delay_max_ns", TDM_FIELD_INT},
                                        {"delay_outliers", TDM_FIELD_INT},
                                        {"name", TDM_FIELD_TEXT}};

typedef struct {
  tdm_run_view *view;
  const tdm_gpu_rows *rows;
  const tdm_launched *launches;
  int64_t runtime_cutoff_ns, delay_cutoff_ns;
  bool kernels_only;
  tdm_name_marks marks;     /* of calls: graph launches */
  int64_t *value[MEASURES]; /* by pair */
  tdm_groups by;            /* pairs by GPU and name, or by GPU */
  int64_t *scratch;
} launch_stats;

/* Work of a graph's launch waits for its turn in the graph; its delay says nothing of launching. */
static bool is_graph(launch_stats *s, size_t i) {
  int64_t name = tdm_table_name(s->launches->calls, s->launches->by_call.cause[i]);
  return tdm_name_mark(&s->marks, s->view, name, tdm_call_launches_graph);
}

static bool counts(launch_stats *s, size_t i) {
  return s->rows->class_of[i] != TDM_LEFT_OUT && s->launches->by_call.cause[i] != TDM_NO_ROW &&
         (!s->kernels_only || tdm_table_category(s->rows->work, i) == TDM_WORK_KERNEL) &&
         !is_graph(s, i);
}

/* Work that begins before its call returns was not delayed. */
static void measure(const launch_stats *s, size_t i, size_t pair) {
  const tdm_table *work = s->rows->work, *calls = s->launches->calls;
  uint32_t call = s->launches->by_call.cause[i];
  int64_t delay_ns = tdm_table_start_ns(work, i) - tdm_table_end_ns(calls, call);
  s->value[CPU][pair] = tdm_table_end_ns(calls, call) - tdm_table_start_ns(calls, call);
  s->value[GPU][pair] = tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i);
  s->value[DELAY][pair] = delay_ns > 0 ? delay_ns : 0;
}

/* Pairs by GPU, and by name too when told. */
static tdm_status group(launch_stats *s, bool by_name, tdm_error *error) {
  const tdm_table *work = s->rows->work;
  tdm_groups_close(&s->by);
  tdm_status status = tdm_groups_open(&s->by, 2, s->launches->by_call.joined, error);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    if (!counts(s, i)) continue;
    measure(s, i, s->by.rows);
    int64_t key[2] = {s->rows->gpu_of[i], by_name ? tdm_table_name(work, i) : 0};
    if (tdm_groups_add(&s->by, key) == UINT32_MAX)
      status = tdm_error_memory(error, "launches", s->launches->by_call.joined);
  }
  return status == TDM_OK ? tdm_groups_gather(&s->by, error) : status;
}

static tdm_moments moments_of(const launch_stats *s, size_t g, int measure_of) {
  size_t n = 0;
  for (size_t k = s->by.first[g]; k < s->by.first[g + 1]; k++)
    s->scratch[n++] = s->value[measure_of][s->by.row[k]];
  return tdm_moments_of(s->scratch, n);
}

typedef struct {
  int64_t brief, runtime, delay; /* how many are short, above each cut-off */
} odd;

static odd count_odd(const launch_stats *s, size_t g) {
  odd found = {0};
  for (size_t k = s->by.first[g]; k < s->by.first[g + 1]; k++) {
    size_t pair = s->by.row[k];
    found.brief += s->value[GPU][pair] < s->value[CPU][pair];
    found.runtime += s->value[CPU][pair] > s->runtime_cutoff_ns;
    found.delay += s->value[DELAY][pair] > s->delay_cutoff_ns;
  }
  return found;
}

static void put_gpus(const launch_stats *s, tdm_frame *gpus, tdm_frame *durations) {
  for (size_t g = 0; g < s->by.count; g++) {
    const tdm_gpu *gpu = &s->rows->gpu[s->by.key[2 * g]];
    int64_t launches = (int64_t)(s->by.first[g + 1] - s->by.first[g]), total_ns = 0;
    odd found = count_odd(s, g);
    for (int k = 0; k < MEASURES; k++) {
      tdm_moments m = moments_of(s, g, k);
      total_ns = m.total;
      tdm_frame_row(durations);
      tdm_gpu_put(gpu, durations);
      tdm_frame_name(durations, 2, measure_names[k]);
      tdm_frame_real(durations, 3, m.mean);
      tdm_frame_real(durations, 4, m.deviation);
      tdm_frame_int(durations, 5, m.min);
      tdm_frame_real(durations, 6, m.median);
      tdm_frame_int(durations, 7, m.max);
    }
    tdm_frame_row(gpus);
    tdm_gpu_put(gpu, gpus);
    tdm_frame_int(gpus, 2, launches);
    tdm_frame_int(gpus, 3, found.brief);
    tdm_frame_real(gpus, 4, tdm_share(found.brief, launches));
    tdm_frame_int(gpus, 5, found.runtime);
    tdm_frame_int(gpus, 6, found.delay);
    tdm_frame_int(gpus, 7, total_ns); /* of the last measure, the delay */
  }
}

typedef struct {
  size_t group;
  int64_t brief;
} ranked;

static int more_short_first(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->brief != y->brief) return x->brief > y->brief ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

static tdm_status put_names(const launch_stats *s, tdm_frame *frame, tdm_error *error) {
  ranked *order = tdm_array_new(s->by.count + 1, sizeof *order);
  if (order == NULL) return tdm_error_memory(error, "launches", s->by.count);
  for (size_t g = 0; g < s->by.count; g++) order[g] = (ranked){g, count_odd(s, g).brief};
  qsort(order, s->by.count, sizeof *order, more_short_first);
  for (size_t k = 0; k < s->by.count; k++) {
    size_t g = order[k].group;
    tdm_moments delay = moments_of(s, g, DELAY);
    tdm_frame_row(frame);
    tdm_gpu_put(&s->rows->gpu[s->by.key[2 * g]], frame);
    tdm_frame_int(frame, 2, (int64_t)delay.count);
    tdm_frame_int(frame, 3, order[k].brief);
    tdm_frame_real(frame, 4, moments_of(s, g, CPU).mean);
    tdm_frame_real(frame, 5, moments_of(s, g, GPU).mean);
    tdm_frame_real(frame, 6, delay.mean);
    tdm_frame_int(frame, 7, delay.max);
    tdm_frame_int(frame, 8, count_odd(s, g).delay);
    tdm_frame_name(frame, 9, tdm_run_view_name(s->view, s->by.key[2 * g + 1]));
  }
  free(order);
  return TDM_OK;
}

static tdm_status fill(launch_stats *s, tdm_frame *gpus, tdm_answer *out, tdm_error *error) {
  size_t n = s->launches->by_call.joined + 1;
  s->scratch = tdm_array_raw(n, sizeof *s->scratch);
  bool there = s->scratch != NULL;
  for (int k = 0; k < MEASURES; k++)
    there = (s->value[k] = tdm_array_raw(n, sizeof **s->value)) != NULL && there;
  tdm_status status = there ? group(s, false, error) : tdm_error_memory(error, "launches", n);
  if (status != TDM_OK) return status;
  tdm_frame *durations = tdm_answer_frame(out, "durations", duration_fields,
                                          sizeof duration_fields / sizeof *duration_fields);
  put_gpus(s, gpus, durations);
  status = group(s, true, error);
  tdm_frame *names =
      tdm_answer_frame(out, "kernels", name_fields, sizeof name_fields / sizeof *name_fields);
  return status == TDM_OK ? put_names(s, names, error) : status;
}

tdm_status tdm_answer_launch_delay(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                   tdm_error *error) {
  tdm_gpu_rows rows;
  const tdm_launched *launches = NULL;
  launch_stats s = {
      .view = view,
      .rows = &rows,
      .kernels_only = tdm_option_flag(options, "kernels_only"),
      .runtime_cutoff_ns = (int64_t)tdm_option_number(options, "runtime_cutoff", 50e3),
      .delay_cutoff_ns = (int64_t)tdm_option_number(options, "launch_delay_cutoff", 100e3)};
  tdm_status status = tdm_gpu_rows_open(view, options, &rows, error);
  if (status == TDM_OK) status = tdm_gpu_launched(view, &launches, error);
  if (status == TDM_OK && launches->by_call.joined == 0)
    tdm_gpu_launched_missing(view, launches, "launch delays", out);
  tdm_frame *frame =
      tdm_answer_frame(out, "launch_delay", gpu_fields, sizeof gpu_fields / sizeof *gpu_fields);
  if (status == TDM_OK && launches->by_call.joined > 0) {
    s.launches = launches;
    status = fill(&s, frame, out, error);
    if (status == TDM_OK && tdm_frame_rows(frame) == 0)
      tdm_answer_cannot(out, "launch delays: no launch is left; those of CUDA graphs do not count");
    tdm_answer_basis(
        out, "launch delay: from the end of the API call to the start of its work, 0 "
             "where it began before; short: the work took less than its call; work of CUDA graphs "
             "is left out");
    tdm_answer_basis(out, "outliers: calls longer than %s, delays longer than %s",
                     tdm_answer_time((double)s.runtime_cutoff_ns).text,
                     tdm_answer_time((double)s.delay_cutoff_ns).text);
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  for (int k = 0; k < MEASURES; k++) free(s.value[k]);
  free(s.scratch);
  tdm_name_marks_close(&s.marks);
  tdm_groups_close(&s.by);
  tdm_gpu_rows_close(&rows);
  return status;
}
