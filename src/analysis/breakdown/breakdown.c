/* Where each GPU's time goes: computing, communicating, copying, idle; exposed and hidden.
 *
 * Frames: breakdown (a GPU a row; TraceLens' gpu_timeline: memset computes), temporal
 * (HolisticTraceAnalysis' temporal breakdown: memset does not), ranks (sums over a rank's GPUs).
 * Options of tdm_gpu_rows_open. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

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

/* HTA: communication that computation hides counts as compute; memory work does not compute. */
static void put_temporal(const tdm_gpu *gpu, const tdm_gpu_sets *sets, const int64_t *time,
                         tdm_frame *frame) {
  int64_t compute_ns = tdm_intervals_total_ns(&sets->busy[TDM_CLASS_COMPUTE]);
  int64_t parts[] = {time[IDLE], compute_ns, time[BUSY] - compute_ns};
  tdm_frame_row(frame);
  tdm_gpu_put(gpu, frame);
  for (size_t k = 0; k < 3; k++) {
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + k, parts[k]);
    tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + 4 + k, tdm_share(parts[k], time[TOTAL]));
  }
  tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + 3, time[TOTAL]);
}

/* Ranks with several GPUs, in the order of their first one: sums of their GPUs' times. */
static void put_ranks(const tdm_gpu_rows *rows, int64_t (*time)[TIMES], tdm_frame *frame) {
  for (uint32_t g = 0; g < rows->gpus; g++) {
    bool seen = rows->gpu[g].rank == TDM_NONE;
    for (uint32_t before = 0; before < g && !seen; before++)
      seen = rows->gpu[before].rank == rows->gpu[g].rank;
    if (seen) continue;
    int64_t sum[TIMES] = {0}, devices = 0;
    for (uint32_t other = g; other < rows->gpus; other++) {
      if (rows->gpu[other].rank != rows->gpu[g].rank) continue;
      devices++;
      for (size_t k = 0; k < TIMES; k++) sum[k] += time[other][k];
    }
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, rows->gpu[g].rank);
    tdm_frame_int(frame, 1, devices);
    put_times(sum, frame);
  }
}

static bool shares_a_rank(const tdm_gpu_rows *rows) {
  for (uint32_t g = 1; g < rows->gpus; g++)
    for (uint32_t before = 0; before < g; before++)
      if (rows->gpu[g].rank != TDM_NONE && rows->gpu[g].rank == rows->gpu[before].rank) return true;
  return false;
}

static tdm_status fill(tdm_run_view *view, const tdm_gpu_rows *rows, tdm_answer *out,
                       tdm_error *error) {
  tdm_gpu_sets *sets = tdm_gpu_sets_open(view, rows, error);
  if (sets == NULL) return TDM_MEMORY;
  int64_t(*time)[TIMES] = tdm_array_new(rows->gpus + 1, sizeof *time);
  tdm_status status = time != NULL ? TDM_OK : tdm_error_memory(error, "GPUs", rows->gpus);
  tdm_frame *gpus = tdm_answer_frame(out, "breakdown", gpu_fields, length(sizeof gpu_fields));
  tdm_frame *temporal =
      tdm_answer_frame(out, "temporal", temporal_fields, length(sizeof temporal_fields));
  for (uint32_t g = 0; status == TDM_OK && g < rows->gpus; g++) {
    status = measure(&sets[g], time[g], error);
    tdm_frame_row(gpus);
    tdm_gpu_put(&rows->gpu[g], gpus);
    put_times(time[g], gpus);
    put_temporal(&rows->gpu[g], &sets[g], time[g], temporal);
  }
  if (status == TDM_OK && shares_a_rank(rows))
    put_ranks(rows, time, tdm_answer_frame(out, "ranks", rank_fields, length(sizeof rank_fields)));
  free(time);
  tdm_gpu_sets_close(sets, rows->gpus);
  return status;
}

tdm_status tdm_answer_breakdown(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  tdm_gpu_rows rows;
  tdm_status status = tdm_gpu_rows_open(view, options, &rows, error);
  if (status == TDM_OK) status = fill(view, &rows, out, error);
  if (status == TDM_OK) {
    tdm_answer_basis(out, "shares are of total, which is from a GPU's first work to its last, or "
                          "the time that the filter leaves; GPUs without work are not listed");
    tdm_answer_basis(out, "compute: kernels that do not communicate, memsets, graphs recorded "
                          "whole; exposed communication: while nothing computes; exposed copies: "
                          "while nothing computes or communicates");
    tdm_answer_basis(out, "idle, compute, other: memsets count as other");
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  tdm_gpu_rows_close(&rows);
  return status;
}
