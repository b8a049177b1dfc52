/* How an inference process executes: its launches in bursts, and how busy the GPU is meanwhile; see
 * inside.h. A burst is launches with no copy and no wait between: a forward pass, a step. */
#include "analysis/process/inside.h"

#include <stdlib.h>

#include "analysis/intervals.h"
#include "base/memory.h"
#include "base/ranks.h"

enum { CELLS = 72 }; /* of the timeline */

static const tdm_field pattern_fields[] = {
    {"process", TDM_FIELD_TEXT},         {"launches", TDM_FIELD_INT},
    {"bursts", TDM_FIELD_INT},           {"launches_per_burst", TDM_FIELD_REAL},
    {"between_ns", TDM_FIELD_INT},       {"burst_every_ns", TDM_FIELD_INT},
    {"gpu_ns", TDM_FIELD_INT},           {"gpu_share", TDM_FIELD_REAL},
    {"gpu_gaps", TDM_FIELD_INT},         {"longest_gap_ns", TDM_FIELD_INT},
    {"longest_gap_at_ns", TDM_FIELD_INT}};
enum {
  PROCESS,
  LAUNCHES,
  BURSTS,
  PER_BURST,
  BETWEEN,
  EVERY,
  GPU,
  GPU_SHARE,
  GAPS,
  LONGEST,
  LONGEST_AT,
  FIELDS
};

static const tdm_field activity_fields[] = {{"process", TDM_FIELD_TEXT},
                                            {"at_ns", TDM_FIELD_INT},
                                            {"dur_ns", TDM_FIELD_INT},
                                            {"share", TDM_FIELD_REAL}};

void tdm_execution_open(tdm_execution *execution, tdm_answer *out) {
  execution->pattern = tdm_answer_frame(out, "execution", pattern_fields, FIELDS);
  execution->activity = tdm_answer_frame(out, "gpu_activity", activity_fields, 4);
}

/* ---- launches ---- */

typedef struct {
  size_t launches, bursts;
  int64_t *between, *size, *every; /* [launches] each, in one block */
  size_t betweens, everys;
} launch_lists;

static void add_launch(launch_lists *lists, int64_t start_ns, int64_t before_ns, bool apart,
                       int64_t *burst_ns) {
  if (apart) {
    if (lists->bursts > 0) lists->every[lists->everys++] = tdm_length_ns(*burst_ns, start_ns);
    *burst_ns = start_ns;
    lists->size[lists->bursts++] = 0;
  } else {
    lists->between[lists->betweens++] = tdm_length_ns(before_ns, start_ns);
  }
  lists->size[lists->bursts - 1]++;
  lists->launches++;
}

static void list_launches(const tdm_execution_of *of, launch_lists *lists) {
  int64_t before_ns = 0, burst_ns = 0;
  bool apart = true;
  for (size_t i = 0; i < of->calls; i++) {
    uint32_t c = of->call[i];
    tdm_api_action action = (tdm_api_action)of->use->action[c];
    if (action == TDM_ACTION_LAUNCH) {
      int64_t start_ns = tdm_table_start_ns(of->use->call, c);
      add_launch(lists, start_ns, before_ns, apart, &burst_ns);
      before_ns = start_ns;
      apart = false;
    } else if (of->use->stops[c] || (action >= TDM_ACTION_TO_GPU && action <= TDM_ACTION_COPY)) {
      apart = true;
    }
  }
}

static void put_median(tdm_frame *frame, size_t field, int64_t *values, size_t count) {
  if (count > 0) tdm_frame_int(frame, field, tdm_ranks_median_ns(values, count));
}

/* ---- the GPU ---- */

static tdm_status join_work(const tdm_execution_of *of, tdm_intervals *busy, tdm_error *error) {
  for (size_t w = 0; w < of->works; w++) {
    uint32_t row = of->work[w];
    if (!tdm_intervals_add(busy, tdm_table_start_ns(of->table, row),
                           tdm_table_end_ns(of->table, row)))
      return tdm_error_memory(error, "work of a process", w);
  }
  return TDM_OK;
}

/* From the first launch on: what was before is loading. */
static void put_gaps(tdm_frame *frame, const tdm_execution_of *of, const tdm_intervals *busy,
                     int64_t from_ns) {
  size_t i = 0, gaps = 0;
  while (i < busy->count && busy->end_ns[i] <= from_ns) i++;
  if (i == busy->count) return;
  int64_t first_ns = busy->start_ns[i], last_ns = busy->end_ns[busy->count - 1];
  int64_t longest_ns = 0, at_ns = 0;
  if (first_ns < from_ns) first_ns = from_ns;
  for (; i + 1 < busy->count; i++, gaps++) {
    int64_t length_ns = tdm_length_ns(busy->end_ns[i], busy->start_ns[i + 1]);
    if (length_ns <= longest_ns) continue;
    longest_ns = length_ns;
    at_ns = busy->end_ns[i];
  }
  int64_t gpu_ns = tdm_intervals_within_ns(busy, first_ns, last_ns);
  tdm_frame_int(frame, GPU, gpu_ns);
  if (last_ns > first_ns)
    tdm_frame_real(frame, GPU_SHARE, (double)gpu_ns / (double)tdm_length_ns(first_ns, last_ns));
  tdm_frame_int(frame, GAPS, (int64_t)gaps);
  if (gaps == 0) return;
  tdm_frame_int(frame, LONGEST, longest_ns);
  tdm_frame_int(frame, LONGEST_AT, tdm_length_ns(of->origin_ns, at_ns));
}

static void put_activity(tdm_frame *frame, const tdm_execution_of *of, const tdm_intervals *busy) {
  const tdm_table *call = of->use->call;
  int64_t from_ns = tdm_table_start_ns(call, of->call[0]), to_ns = from_ns;
  for (size_t i = 0; i < of->calls; i++)
    if (tdm_table_end_ns(call, of->call[i]) > to_ns) to_ns = tdm_table_end_ns(call, of->call[i]);
  int64_t all_ns = tdm_length_ns(from_ns, to_ns);
  if (busy->count == 0 || all_ns < CELLS) return;
  for (int64_t cell = 0; cell < CELLS; cell++) {
    int64_t at_ns = from_ns + all_ns / CELLS * cell;
    int64_t length_ns = cell + 1 < CELLS ? all_ns / CELLS : tdm_length_ns(at_ns, to_ns);
    tdm_frame_row(frame);
    tdm_frame_name(frame, 0, of->process);
    tdm_frame_int(frame, 1, tdm_length_ns(of->origin_ns, at_ns));
    tdm_frame_int(frame, 2, length_ns);
    int64_t busy_ns = tdm_intervals_within_ns(busy, at_ns, at_ns + length_ns);
    tdm_frame_real(frame, 3, (double)busy_ns / (double)length_ns);
  }
}

/* ---- all ---- */

static int64_t first_launch_ns(const tdm_execution_of *of) {
  for (size_t i = 0; i < of->calls; i++)
    if (of->use->action[of->call[i]] == TDM_ACTION_LAUNCH)
      return tdm_table_start_ns(of->use->call, of->call[i]);
  return INT64_MAX;
}

static void put_pattern(tdm_frame *frame, const tdm_execution_of *of, launch_lists *lists,
                        const tdm_intervals *busy) {
  tdm_frame_row(frame);
  tdm_frame_name(frame, PROCESS, of->process);
  tdm_frame_int(frame, LAUNCHES, (int64_t)lists->launches);
  tdm_frame_int(frame, BURSTS, (int64_t)lists->bursts);
  tdm_frame_real(frame, PER_BURST, tdm_ranks_select_ns(lists->size, lists->bursts, 0.5));
  put_median(frame, BETWEEN, lists->between, lists->betweens);
  put_median(frame, EVERY, lists->every, lists->everys);
  put_gaps(frame, of, busy, first_launch_ns(of));
}

tdm_status tdm_execution_tell(tdm_execution *execution, const tdm_execution_of *of,
                              tdm_error *error) {
  tdm_intervals busy = {0};
  tdm_status status = join_work(of, &busy, error);
  int64_t *block = tdm_array_raw(3 * of->calls + 1, sizeof *block);
  if (status == TDM_OK && block == NULL)
    status = tdm_error_memory(error, "launches", 3 * of->calls * sizeof *block);
  if (status == TDM_OK) {
    launch_lists lists = {
        .between = block, .size = block + of->calls, .every = block + 2 * of->calls};
    list_launches(of, &lists);
    if (lists.launches > 0) put_pattern(execution->pattern, of, &lists, &busy);
    put_activity(execution->activity, of, &busy);
  }
  free(block);
  tdm_intervals_close(&busy);
  return status;
}
