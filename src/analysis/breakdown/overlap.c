/* How much of communication and copies is hidden, and which kinds of work ran at once. Frames:
 * overlap (a GPU a row), kinds (HolisticTraceAnalysis' kernel breakdown). Options of
 * tdm_gpu_rows_open. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/breakdown/gpu_time.h"

static const tdm_field overlap_fields[] = {TDM_GPU_FIELDS,
                                           {"comm_ns", TDM_FIELD_INT},
                                           {"comm_with_compute_ns", TDM_FIELD_INT},
                                           {"comm_overlap_share", TDM_FIELD_REAL},
                                           {"copy_ns", TDM_FIELD_INT},
                                           {"copy_with_compute_ns", TDM_FIELD_INT},
                                           {"copy_overlap_share", TDM_FIELD_REAL}};
static const tdm_field kind_fields[] = {TDM_GPU_FIELDS,
                                        {"time_ns", TDM_FIELD_INT},
                                        {"share", TDM_FIELD_REAL},
                                        {"kinds", TDM_FIELD_TEXT}};

/* Kinds as bits: computation, communication, memory. */
enum { KINDS = 3, COMBINATIONS = 1 << KINDS };
static const char *const names[COMBINATIONS] = {
    "",
    "computation",
    "communication",
    "computation overlapping communication",
    "memory",
    "computation overlapping memory",
    "communication overlapping memory",
    "computation overlapping communication overlapping memory"};

static void put_overlap(const tdm_gpu *gpu, const tdm_gpu_sets *sets, tdm_frame *frame) {
  static const int classes[] = {TDM_CLASS_COMM, TDM_CLASS_COPY};
  tdm_frame_row(frame);
  tdm_gpu_put(gpu, frame);
  for (size_t k = 0; k < 2; k++) {
    const tdm_intervals *set = &sets->busy[classes[k]];
    int64_t all_ns = tdm_intervals_total_ns(set);
    int64_t with_ns = tdm_intervals_common_ns(set, &sets->busy[TDM_CLASS_COMPUTE]);
    size_t field = TDM_GPU_FIELD_COUNT + 3 * k;
    tdm_frame_int(frame, field, all_ns);
    tdm_frame_int(frame, field + 1, with_ns);
    tdm_frame_real(frame, field + 2, tdm_share(with_ns, all_ns));
  }
}

/* Walks the three sets at once; time_ns[c] is how long exactly the kinds of c were busy. */
static void count_combinations(const tdm_intervals *const *set, int64_t *time_ns) {
  size_t at[KINDS] = {0};
  int64_t now = INT64_MIN;
  for (;;) {
    unsigned active = 0;
    int64_t next = INT64_MAX;
    for (int k = 0; k < KINDS; k++) {
      while (at[k] < set[k]->count && set[k]->end_ns[at[k]] <= now) at[k]++;
      if (at[k] == set[k]->count) continue;
      bool is_on = set[k]->start_ns[at[k]] <= now;
      int64_t change = is_on ? set[k]->end_ns[at[k]] : set[k]->start_ns[at[k]];
      if (is_on) active |= 1u << k;
      if (change < next) next = change;
    }
    if (next == INT64_MAX) return;
    if (active != 0) time_ns[active] += next - now;
    now = next;
  }
}

static tdm_status put_kinds(const tdm_gpu *gpu, const tdm_gpu_sets *sets, tdm_frame *frame,
                            tdm_error *error) {
  tdm_intervals memory = {0};
  tdm_status status = tdm_gpu_sets_join(sets, TDM_COPY_OR_MEMSET, &memory, error);
  const tdm_intervals *set[KINDS] = {&sets->busy[TDM_CLASS_COMPUTE], &sets->busy[TDM_CLASS_COMM],
                                     &memory};
  int64_t time_ns[COMBINATIONS] = {0}, all_ns = 0;
  count_combinations(set, time_ns);
  for (int c = 1; c < COMBINATIONS; c++) all_ns += time_ns[c];
  for (;;) { /* the longest first */
    int most = 0;
    for (int c = 1; c < COMBINATIONS; c++)
      if (time_ns[c] > 0 && (most == 0 || time_ns[c] > time_ns[most])) most = c;
    if (most == 0) break;
    tdm_frame_row(frame);
    tdm_gpu_put(gpu, frame);
    tdm_frame_int(frame, TDM_GPU_FIELD_COUNT, time_ns[most]);
    tdm_frame_real(frame, TDM_GPU_FIELD_COUNT + 1, tdm_share(time_ns[most], all_ns));
    tdm_frame_name(frame, TDM_GPU_FIELD_COUNT + 2, names[most]);
    time_ns[most] = 0;
  }
  tdm_intervals_close(&memory);
  return status;
}

static tdm_status fill(tdm_run_view *view, const tdm_gpu_rows *rows, tdm_answer *out,
                       tdm_error *error) {
  tdm_gpu_sets *sets = tdm_gpu_sets_open(view, rows, error);
  if (sets == NULL) return TDM_MEMORY;
  tdm_frame *overlap = tdm_answer_frame(out, "overlap", overlap_fields,
                                        sizeof overlap_fields / sizeof *overlap_fields);
  tdm_frame *kinds =
      tdm_answer_frame(out, "kinds", kind_fields, sizeof kind_fields / sizeof *kind_fields);
  tdm_status status = TDM_OK;
  bool communicates = false;
  for (uint32_t g = 0; status == TDM_OK && g < rows->gpus; g++) {
    put_overlap(&rows->gpu[g], &sets[g], overlap);
    status = put_kinds(&rows->gpu[g], &sets[g], kinds, error);
    communicates = communicates || sets[g].busy[TDM_CLASS_COMM].count > 0;
  }
  if (!communicates && rows->gpus > 0)
    tdm_answer_cannot(out,
                      "communication hidden by computation: %s no kernel of a "
                      "collective library (nccl, rccl, hccl)",
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  tdm_gpu_sets_close(sets, rows->gpus);
  return status;
}

tdm_status tdm_answer_overlap(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error) {
  tdm_gpu_rows rows;
  tdm_status status = tdm_gpu_rows_open(view, options, &rows, error);
  if (status == TDM_OK) status = fill(view, &rows, out, error);
  if (status == TDM_OK) {
    tdm_answer_basis(out, "overlap shares are of the time of communication and of copies; "
                          "computation is without memsets");
    tdm_answer_basis(out, "memory: copies and memsets; shares are of the time that the GPU was "
                          "busy");
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  tdm_gpu_rows_close(&rows);
  return status;
}
