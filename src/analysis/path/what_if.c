/* What if: what a change would gain, as rows of an answer. The replay is change.c's; here which
 * changes are told, asked for or not. See path.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"
#include "trace/utf8.h"

static const tdm_field change_fields[] = {
    {"predicted_ns", TDM_FIELD_INT}, {"gain_ns", TDM_FIELD_INT},  {"most_ns", TDM_FIELD_INT},
    {"gain_share", TDM_FIELD_REAL},  {"speedup", TDM_FIELD_REAL}, {"change", TDM_FIELD_TEXT}};
enum {
  CHANGE_PREDICTED,
  CHANGE_GAIN,
  CHANGE_MOST,
  CHANGE_SHARE,
  CHANGE_SPEEDUP,
  CHANGE_TEXT,
  CHANGE_FIELDS
};

typedef struct {
  const tdm_path *path;
  tdm_answer *out;
  int64_t *at_ns;
  const int64_t *kernels; /* names that are most of the path */
  size_t kernel_count;
} asking;

/* Copies that hold nothing up still take their time: no less than all of one direction and GPU. */
static tdm_status copies_ns(asking *a, int64_t *most_ns, tdm_error *error) {
  const tdm_table *work = a->path->work;
  tdm_groups ways;
  *most_ns = 0;
  tdm_status status = tdm_groups_open(&ways, 2, work->count, error);
  int64_t *sum_ns = calloc(work->count + 1, sizeof *sum_ns);
  if (status == TDM_OK && sum_ns == NULL) status = tdm_error_memory(error, "copies", 0);
  for (size_t w = 0; status == TDM_OK && w < work->count; w++) {
    if (a->path->work_class[w] != TDM_CLASS_COPY) continue;
    const int64_t key[] = {tdm_run_view_device_of(a->path->view, tdm_table_track(work, w)),
                           tdm_table_name(work, w)};
    uint32_t g = tdm_groups_add(&ways, key);
    if (g == UINT32_MAX) {
      status = tdm_error_memory(error, "copies", 0);
      break;
    }
    sum_ns[g] += tdm_intervals_within_ns(tdm_run_view_times(a->path->view),
                                         tdm_table_start_ns(work, w), tdm_table_end_ns(work, w));
  }
  for (size_t g = 0; status == TDM_OK && g < ways.count; g++)
    if (sum_ns[g] > *most_ns) *most_ns = sum_ns[g];
  free(sum_ns);
  tdm_groups_close(&ways);
  return status;
}

static tdm_status put_change(asking *a, const tdm_change *change, const char *text,
                             tdm_frame *frame, tdm_error *error) {
  int64_t predicted_ns = tdm_change_replay_windows(change, a->at_ns), least_ns = 0;
  if (change->overlapped_copies) {
    tdm_status failed = copies_ns(a, &least_ns, error);
    if (failed != TDM_OK) return failed;
    if (least_ns > a->path->total_ns) least_ns = a->path->total_ns;
    if (predicted_ns < least_ns) predicted_ns = least_ns;
  }
  int64_t most_ns = a->path->total_ns - predicted_ns;
  tdm_change beside = {.path = a->path};
  tdm_status status = tdm_change_beside_workers(change, TDM_BESIDE_SLOWER, &beside, error);
  if (status != TDM_OK) return status;
  if (tdm_factors_any(&beside.faster)) predicted_ns = tdm_change_replay_windows(&beside, a->at_ns);
  tdm_change_close(&beside);
  int64_t gain_ns = a->path->total_ns - predicted_ns;
  tdm_frame_row(frame);
  tdm_frame_int(frame, CHANGE_PREDICTED, predicted_ns);
  tdm_frame_int(frame, CHANGE_GAIN, gain_ns);
  if (most_ns != gain_ns) {
    tdm_frame_int(frame, CHANGE_MOST, most_ns);
    tdm_answer_basis(a->out, "%s", TDM_BESIDE_WORKERS);
  }
  tdm_frame_real(frame, CHANGE_SHARE, (double)gain_ns / (double)a->path->total_ns);
  if (predicted_ns > 0)
    tdm_frame_real(frame, CHANGE_SPEEDUP, (double)a->path->total_ns / (double)predicted_ns);
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
  tdm_change change = {.path = a->path};
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
  tdm_change change = {.path = a->path};
  char text[512];
  snprintf(text, sizeof text, "2x faster: %s", tdm_run_view_name(a->path->view, name));
  cut(text);
  tdm_status status = tdm_change_faster_name(&change, name, 2, error);
  if (status == TDM_OK) status = put_change(a, &change, text, frame, error);
  tdm_change_close(&change);
  return status;
}

/* What is worth a look unasked: launches, copies, the kernels that are most of the path. */
static tdm_status put_usual(asking *a, tdm_frame *frame, tdm_error *error) {
  tdm_change launches = {.path = a->path}, copies = {.path = a->path, .overlapped_copies = true};
  tdm_status status = tdm_change_free_launches(&launches, error);
  if (status == TDM_OK && a->path->unlaunched < a->path->work->count)
    status = put_change(a, &launches, "no launch overhead", frame, error);
  int64_t most_ns = 0;
  if (status == TDM_OK) status = copies_ns(a, &most_ns, error);
  if (status == TDM_OK && most_ns > 0)
    status = put_change(a, &copies, "copies overlapped", frame, error);
  for (size_t i = 0; status == TDM_OK && i < a->kernel_count; i++)
    status = put_twice_as_fast(a, a->kernels[i], frame, error);
  tdm_change_close(&launches);
  return status;
}

tdm_status tdm_path_put_what_if(const tdm_path *path, const int64_t *kernels, size_t count,
                                const tdm_options *options, tdm_answer *out, tdm_error *error) {
  asking all = {.path = path, .out = out, .kernels = kernels, .kernel_count = count};
  asking *a = &all;
  tdm_frame *frame = tdm_answer_frame(a->out, "what_if", change_fields, CHANGE_FIELDS);
  a->at_ns = tdm_array_raw(tdm_change_scratch(path), sizeof *a->at_ns);
  if (a->at_ns == NULL) return tdm_error_memory(error, "a replay", tdm_change_scratch(path) * 8);
  tdm_status status = TDM_OK;
  if (path->total_ns > 0) {
    tdm_answer_basis(
        a->out,
        "what if: the dependency graph replayed with changed costs; replayed without a "
        "change it takes %s against %s recorded (residual %s)",
        tdm_answer_time((double)path->replayed_ns).text,
        tdm_answer_time((double)a->path->total_ns).text,
        tdm_answer_time((double)(path->replayed_ns - path->total_ns)).text);
    bool asked = tdm_option_text(options, "faster", NULL) != NULL ||
                 tdm_option_flag(options, "no_launch_overhead") ||
                 tdm_option_flag(options, "overlap_copies");
    status = asked ? put_asked(a, options, frame, error) : put_usual(a, frame, error);
  }
  free(a->at_ns);
  return status;
}
