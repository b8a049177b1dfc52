/* How busy GPUs were over time, in equal bins: a row for each GPU and bin. Options: bins (30),
 * those of tdm_gpu_rows_open. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/breakdown/gpu_time.h"
#include "base/memory.h"

enum { BUSY, COMPUTE, COMM, COPY, COVERS };

static const tdm_field fields[] = {TDM_GPU_FIELDS,
                                   {"from_ns", TDM_FIELD_INT},
                                   {"to_ns", TDM_FIELD_INT},
                                   {"busy_share", TDM_FIELD_REAL},
                                   {"compute_share", TDM_FIELD_REAL},
                                   {"comm_share", TDM_FIELD_REAL},
                                   {"copy_share", TDM_FIELD_REAL}};

static tdm_status cover(const tdm_gpu_sets *sets, const tdm_bins *bins, double *const *sum,
                        tdm_error *error) {
  static const unsigned classes[COVERS] = {
      [BUSY] = TDM_ANY_WORK,
      [COMPUTE] = TDM_COMPUTE_OR_MEMSET,
      [COMM] = 1u << TDM_CLASS_COMM,
      [COPY] = 1u << TDM_CLASS_COPY,
  };
  for (int k = 0; k < COVERS; k++) {
    tdm_intervals set = {0};
    tdm_status status = tdm_gpu_sets_join(sets, classes[k], &set, error);
    for (size_t i = 0; i < bins->count; i++) sum[k][i] = 0;
    if (status == TDM_OK) tdm_bins_cover(bins, &set, sum[k]);
    tdm_intervals_close(&set);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

/* Shares are of the time in the bin that counts: all of it, or what the filter leaves. */
static void put(const tdm_gpu *gpu, const tdm_bins *bins, const double *counted, double *const *sum,
                tdm_frame *frame) {
  for (size_t i = 0; i < bins->count; i++) {
    tdm_frame_row(frame);
    tdm_gpu_put(gpu, frame);
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT, tdm_bins_edge(bins, i));
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT + 1, tdm_bins_edge(bins, i + 1));
    for (size_t k = 0; k < COVERS && counted[i] > 0; k++)
      tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + 2 + k, sum[k][i] / counted[i]);
  }
}

static tdm_status fill(tdm_run_view *view, const tdm_gpu_rows *rows, size_t bin_count,
                       tdm_frame *frame, tdm_error *error) {
  tdm_bins bins = tdm_gpu_bins(view, rows, bin_count);
  tdm_intervals all_bins = {0};
  const tdm_intervals *left = tdm_run_view_narrowed(view) ? tdm_run_view_times(view) : &all_bins;
  double *all = tdm_array_new((COVERS + 1) * bins.count, sizeof *all);
  tdm_gpu_sets *sets = tdm_gpu_sets_open(view, rows, error);
  tdm_status status = sets != NULL ? TDM_OK : TDM_MEMORY;
  if (status == TDM_OK && all == NULL) status = tdm_error_memory(error, "bins", bins.count);
  if (status == TDM_OK && !tdm_intervals_add(&all_bins, bins.from_ns, bins.to_ns))
    status = tdm_error_memory(error, "intervals", 0);
  if (status == TDM_OK) {
    double *sum[COVERS], *counted = all + COVERS * bins.count;
    for (size_t k = 0; k < COVERS; k++) sum[k] = all + k * bins.count;
    tdm_bins_cover(&bins, left, counted);
    for (uint32_t g = 0; status == TDM_OK && g < rows->gpus; g++) {
      status = cover(&sets[g], &bins, sum, error);
      if (status == TDM_OK) put(&rows->gpu[g], &bins, counted, sum, frame);
    }
  }
  tdm_gpu_sets_close(sets, rows->gpus);
  tdm_intervals_close(&all_bins);
  free(all);
  return status;
}

tdm_status tdm_answer_utilization(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                  tdm_error *error) {
  tdm_gpu_rows rows;
  size_t bins = 0;
  tdm_status status = tdm_gpu_rows_open(view, options, &rows, error);
  if (status == TDM_OK) status = tdm_bins_option(options, &bins, error);
  tdm_frame *frame = tdm_answer_frame(out, "utilization", fields, sizeof fields / sizeof *fields);
  if (status == TDM_OK && rows.gpus > 0) status = fill(view, &rows, bins, frame, error);
  if (status == TDM_OK) {
    tdm_answer_basis(out, "shares of each bin's time during which the GPU did at least one piece "
                          "of such work; bins run from the first GPU work to the last of all GPUs, "
                          "or over the time that the filter leaves");
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  tdm_gpu_rows_close(&rows);
  return status;
}
