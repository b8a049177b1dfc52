/* Where each GPU's time goes: computing, communicating, copying, idle; exposed and hidden.
 *
 * Frames: breakdown (a GPU a row; TraceLens' gpu_timeline: memset computes), temporal
 * (HolisticTraceAnalysis' temporal breakdown: memset does not), ranks (sums over a rank's GPUs).
 * Options of tdm_gpu_rows_open. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/gpu_time.h"
#include "base/memory.h"

/* Times of a GPU in the order of the fields; what adds up comes first. */
enum {
  COMPUTE,
  EXPOSED_COMM,
  EXPOSED_COPY,
  IDLE,
  BUSY,
  TOTAL,
  COMM,
  COPY,
  HIDDEN_COMM,
  HIDDEN_COPY,
  TIMES
};
enum { SHARES = BUSY + 1 }; /* the first ones have their share of TOTAL too */

#define PART_FIELDS                                                                                \
  {"compute_ns", TDM_FIELD_INT}, {"exposed_comm_ns", TDM_FIELD_INT},                               \
      {"exposed_copy_ns", TDM_FIELD_INT}, {"idle_ns", TDM_FIELD_INT}, {"busy_ns", TDM_FIELD_INT},  \
      {"total_ns", TDM_FIELD_INT}, {"comm_ns", TDM_FIELD_INT}, {"copy_ns", TDM_FIELD_INT},         \
      {"hidden_comm_ns", TDM_FIELD_INT}, {"hidden_copy_ns", TDM_FIELD_INT},                        \
      {"compute_share", TDM_FIELD_REAL}, {"exposed_comm_share", TDM_FIELD_REAL},                   \
      {"exposed_copy_share", TDM_FIELD_REAL}, {"idle_share", TDM_FIELD_REAL}, {                    \
    "busy_share", TDM_FIELD_REAL                                                                   \
  }

static const tdm_field gpu_fields[] = {TDM_GPU_FIELDS, PART_FIELDS};
static const tdm_field rank_fields[] = {
    {"rank", TDM_FIELD_INT}, {"devices", TDM_FIELD_INT}, PART_FIELDS};
static const tdm_field temporal_fields[] = {TDM_GPU_FIELDS,
                                            {"idle_ns", TDM_FIELD_INT},
                                            {"compute_ns", TDM_FIELD_INT},
                                            {"non_compute_ns", TDM_FIELD_INT},
                                            {"total_ns", TDM_FIELD_INT},
                                            {"idle_share", TDM_FIELD_REAL},
                                            {"compute_share", TDM_FIELD_REAL},
                                            {"non_compute_share", TDM_FIELD_REAL}};

static size_t length(size_t bytes) {
  return bytes / sizeof(tdm_field);
}

/* How long `whole` is without `part`. */
static int64_t without_ns(const tdm_intervals *whole, const tdm_intervals *part) {
  return tdm_intervals_total_ns(whole) - tdm_intervals_common_ns(whole, part);
}

static tdm_status measure(const tdm_gpu_sets *sets, int64_t *time, tdm_error *error) {
  const tdm_intervals *comm = &sets->busy[TDM_CLASS_COMM], *copy = &sets->busy[TDM_CLASS_COPY];
  tdm_intervals compute = {0}, kernels = {0};
  tdm_status status = tdm_gpu_sets_join(sets, TDM_COMPUTE_OR_MEMSET, &compute, error);
  if (status == TDM_OK) status = tdm_intervals_union(&compute, comm, &kernels, error);
  time[COMPUTE] = tdm_intervals_total_ns(&compute);
  time[COMM] = tdm_intervals_total_ns(comm);
  time[COPY] = tdm_intervals_total_ns(copy);
  time[EXPOSED_COMM] = without_ns(comm, &compute);
  time[EXPOSED_COPY] = without_ns(copy, &kernels);
  time[HIDDEN_COMM] = time[COMM] - time[EXPOSED_COMM];
  time[HIDDEN_COPY] = time[COPY] - time[EXPOSED_COPY];
  time[BUSY] = time[COMPUTE] + time[EXPOSED_COMM] + time[EXPOSED_COPY];
  time[TOTAL] = tdm_intervals_total_ns(&sets->counted);
  time[IDLE] = time[TOTAL] - time[BUSY];
  tdm_intervals_close(&compute);
  tdm_intervals_close(&kernels);
  return status;
}

static void put_times(const int64_t *time, tdm_frame *frame) {
  for (size_t k = 0; k < TIMES; k++) tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + k, time[k]);
  for (size_t k = 0; k < SHARES; k++)
    tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + TIMES + k, tdm_share(time[k], time[TOTAL]));
}

/* A GPU and what it did; without its rows. */
typedef struct {
  tdm_gpu gpu;
  int64_t time[TIMES];
  int64_t kernels_ns; /* of computing kernels alone: memory work does not compute, says HTA */
} measured;

typedef struct {
  measured *gpu;
  size_t count, room;
} gpu_list;

/* HTA: communication that computation hides counts as compute. */
static void put_temporal(const measured *m, tdm_frame *frame) {
  int64_t parts[] = {m->time[IDLE], m->kernels_ns, m->time[BUSY] - m->kernels_ns};
  tdm_frame_row(frame);
  tdm_gpu_put(&m->gpu, frame);
  for (size_t k = 0; k < 3; k++) {
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + k, parts[k]);
    tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + 4 + k, tdm_share(parts[k], m->time[TOTAL]));
  }
  tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + 3, m->time[TOTAL]);
}

/* Ranks with several GPUs, in the order of their first one: sums of their GPUs' times. */
static void put_ranks(const gpu_list *list, tdm_frame *frame) {
  for (size_t g = 0; g < list->count; g++) {
    int64_t rank = list->gpu[g].gpu.rank;
    bool seen = rank == TDM_NONE;
    for (size_t before = 0; before < g && !seen; before++)
      seen = list->gpu[before].gpu.rank == rank;
    if (seen) continue;
    int64_t sum[TIMES] = {0}, devices = 0;
    for (size_t other = g; other < list->count; other++) {
      if (list->gpu[other].gpu.rank != rank) continue;
      devices++;
      for (size_t k = 0; k < TIMES; k++) sum[k] += list->gpu[other].time[k];
    }
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, rank);
    tdm_frame_int(frame, 1, devices);
    put_times(sum, frame);
  }
}

static bool shares_a_rank(const gpu_list *list) {
  for (size_t g = 1; g < list->count; g++)
    for (size_t before = 0; before < g; before++)
      if (list->gpu[g].gpu.rank != TDM_NONE && list->gpu[g].gpu.rank == list->gpu[before].gpu.rank)
        return true;
  return false;
}

static tdm_status add_gpus(tdm_run_view *view, const tdm_gpu_rows *rows, gpu_list *list,
                           tdm_error *error) {
  tdm_gpu_sets *sets = tdm_gpu_sets_open(view, rows, error);
  if (sets == NULL) return TDM_MEMORY;
  tdm_status status = TDM_OK;
  for (uint32_t g = 0; status == TDM_OK && g < rows->gpus; g++) {
    if (!tdm_array_grow(&list->gpu, &list->room, list->count + 1, sizeof *list->gpu)) {
      status = tdm_error_memory(error, "GPUs", list->count * sizeof *list->gpu);
      break;
    }
    measured *m = &list->gpu[list->count++];
    *m = (measured){.gpu = rows->gpu[g],
                    .kernels_ns = tdm_intervals_total_ns(&sets[g].busy[TDM_CLASS_COMPUTE])};
    status = measure(&sets[g], m->time, error);
  }
  tdm_gpu_sets_close(sets, rows->gpus);
  return status;
}

/* In the order of their first work, those of equal ones by file. */
static int by_first(const void *left, const void *right) {
  const tdm_gpu *a = &((const measured *)left)->gpu, *b = &((const measured *)right)->gpu;
  if (a->first_ns != b->first_ns) return a->first_ns < b->first_ns ? -1 : 1;
  return a->source < b->source ? -1 : a->source > b->source;
}

/* Whether files can be looked at one after the other: all of their work counts. */
static bool goes_by_file(tdm_run_view *view, const tdm_options *options) {
  return tdm_run_tables_sources(tdm_run_view_tables(view)) > 1 && !tdm_run_view_narrowed(view) &&
         strcmp(tdm_option_text(options, "work", "all"), "all") == 0 &&
         tdm_run_view_filter_of(view)->tid == TDM_NONE;
}

static tdm_status add_files(tdm_run_view *view, const tdm_options *options, gpu_list *list,
                            tdm_error *error) {
  tdm_status status = TDM_OK;
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(view));
  for (uint32_t s = 0; status == TDM_OK && s < sources; s++) {
    tdm_run_view *of_source = NULL;
    tdm_gpu_rows rows = {0};
    status = tdm_run_view_of_source(view, s, &of_source, error);
    if (status == TDM_OK) status = tdm_gpu_rows_open(of_source, options, &rows, error);
    if (status == TDM_OK) status = add_gpus(of_source, &rows, list, error);
    tdm_gpu_rows_close(&rows);
    tdm_run_view_close(of_source);
  }
  if (list->count > 1) qsort(list->gpu, list->count, sizeof *list->gpu, by_first);
  return status;
}

static void put_all(const gpu_list *list, tdm_answer *out) {
  tdm_frame *gpus = tdm_answer_frame(out, "breakdown", gpu_fields, length(sizeof gpu_fields));
  tdm_frame *temporal =
      tdm_answer_frame(out, "temporal", temporal_fields, length(sizeof temporal_fields));
  for (size_t g = 0; g < list->count; g++) {
    tdm_frame_row(gpus);
    tdm_gpu_put(&list->gpu[g].gpu, gpus);
    put_times(list->gpu[g].time, gpus);
    put_temporal(&list->gpu[g], temporal);
  }
  if (shares_a_rank(list))
    put_ranks(list, tdm_answer_frame(out, "ranks", rank_fields, length(sizeof rank_fields)));
}

tdm_status tdm_answer_breakdown(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  static const tdm_table nothing = {0};
  tdm_gpu_rows rows = {.view = view, .work = &nothing};
  gpu_list list = {0};
  tdm_status status = TDM_OK;
  if (goes_by_file(view, options)) {
    status = add_files(view, options, &list, error);
    rows.gpus = (uint32_t)list.count;
  } else {
    status = tdm_gpu_rows_open(view, options, &rows, error);
    if (status == TDM_OK) status = add_gpus(view, &rows, &list, error);
  }
  if (status == TDM_OK) {
    put_all(&list, out);
    tdm_answer_basis(out, "shares are of total, which is from a GPU's first work to its last, or "
                          "the time that the filter leaves; GPUs without work are not listed");
    tdm_answer_basis(out, "compute: kernels that do not communicate, memsets, graphs recorded "
                          "whole; exposed communication: while nothing computes; exposed copies: "
                          "while nothing computes or communicates");
    tdm_answer_basis(out, "idle, compute, other: memsets count as other");
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  tdm_gpu_rows_close(&rows);
  free(list.gpu);
  return status;
}
