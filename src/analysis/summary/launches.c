/* Launches of kernels: the API call, the wait in the queue, the kernel, and all of it, as `nsys
 * stats -r cuda_kern_exec_sum` has them. Options: by = "name" (default), "base" (kernels without
 * parameters and template arguments); each = "device", "stream", "process", "rank", "thread":
 * instead of the rows for each thread and device, the default.
 *
 * Four times a launch:
 *
 *   call                     |──── call ────|
 *   kernel                                      |── kernel ──|
 *   queue                                   |───|              (none when it begins before the end
 *   total                    |───────────────────────────────|  of its call) */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"

#define MOMENTS(what)                                                                              \
  {what "_mean_ns", TDM_FIELD_REAL}, {what "_median_ns", TDM_FIELD_REAL},                          \
      {what "_min_ns", TDM_FIELD_INT}, {what "_max_ns", TDM_FIELD_INT}, {                          \
    what "_stddev_ns", TDM_FIELD_REAL                                                              \
  }
enum { MOMENT_FIELDS = 5 };

static const tdm_field fields[] = {{"count", TDM_FIELD_INT},  {"queued_count", TDM_FIELD_INT},
                                   MOMENTS("total"),          MOMENTS("call"),
                                   MOMENTS("queue"),          MOMENTS("kernel"),
                                   TDM_SPLIT_FIELDS,          {"call", TDM_FIELD_TEXT},
                                   {"kernel", TDM_FIELD_TEXT}};
enum { TOTAL, CALL, QUEUE, KERNEL, TIMES };
enum {
  FIELD_COUNT,
  FIELD_QUEUED,
  FIELD_MOMENTS,
  FIELD_SPLIT = FIELD_MOMENTS + TIMES * MOMENT_FIELDS,
  FIELD_CALL = FIELD_SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELD_KERNEL,
  FIELDS
};

enum { KEY_THREAD, KEY_PART, KEY_CALL, KEY_KERNEL, KEYS };

typedef struct {
  tdm_run_view *view;
  tdm_split host, part; /* of the call's track, of the kernel's */
  int64_t *host_of, *part_of;
  bool by_base;
  const tdm_table *calls, *work;
  const uint32_t *call_of; /* by row of the work */
  tdm_base_names kernels, apis;
  tdm_groups groups;
  int64_t *time[TIMES]; /* by launch; of the queue TDM_NONE: none */
} launches;

static tdm_status add(launches *l, size_t call, size_t kernel, tdm_error *error) {
  int64_t call_start_ns = tdm_table_start_ns(l->calls, call),
          call_end_ns = tdm_table_end_ns(l->calls, call);
  int64_t start_ns = tdm_table_start_ns(l->work, kernel),
          end_ns = tdm_table_end_ns(l->work, kernel);
  size_t at = l->groups.rows;
  l->time[TOTAL][at] = (end_ns > call_end_ns ? end_ns : call_end_ns) - call_start_ns;
  l->time[CALL][at] = call_end_ns - call_start_ns;
  l->time[QUEUE][at] = start_ns >= call_end_ns ? start_ns - call_end_ns : TDM_NONE;
  l->time[KERNEL][at] = end_ns - start_ns;
  int64_t name = tdm_table_name(l->work, kernel);
  int64_t key[KEYS] = {l->host_of[tdm_table_track(l->calls, call)],
                       l->part_of[tdm_table_track(l->work, kernel)],
                       tdm_base_names_id(&l->apis, l->view, tdm_table_name(l->calls, call)),
                       l->by_base ? tdm_base_names_id(&l->kernels, l->view, name) : name};
  bool failed = key[KEY_CALL] == TDM_NONE || key[KEY_KERNEL] == TDM_NONE ||
                tdm_groups_add(&l->groups, key) == UINT32_MAX;
  return failed ? tdm_error_memory(error, "launches", 0) : TDM_OK;
}

static tdm_status gather(launches *l, tdm_error *error) {
  size_t rows = l->work->count;
  tdm_status status = tdm_groups_open(&l->groups, KEYS, rows, error);
  l->host_of = tdm_split_keys(l->view, l->host);
  l->part_of = tdm_split_keys(l->view, l->part);
  bool failed = l->host_of == NULL || l->part_of == NULL;
  for (size_t t = 0; t < TIMES; t++) {
    l->time[t] = tdm_array_new(rows + 1, sizeof *l->time[t]);
    failed |= l->time[t] == NULL;
  }
  if (status == TDM_OK && failed) status = tdm_error_memory(error, "launches", rows * 8);
  for (size_t i = 0; status == TDM_OK && i < rows; i++) {
    bool kernel = tdm_table_category(l->work, i) == TDM_WORK_KERNEL ||
                  tdm_table_category(l->work, i) == TDM_WORK_GRAPH;
    if (kernel && l->call_of[i] != TDM_NO_ROW) status = add(l, l->call_of[i], i, error);
  }
  return status;
}

/* ---- the answer ---- */

static void put_names(const launches *l, const int64_t *key, tdm_frame *frame) {
  tdm_split_put(l->view, l->host, key[KEY_THREAD], frame, FIELD_SPLIT);
  tdm_split_put(l->view, l->part, key[KEY_PART], frame, FIELD_SPLIT);
  tdm_frame_text(frame, FIELD_CALL, tdm_base_names_text(&l->apis, key[KEY_CALL]));
  if (l->by_base)
    tdm_frame_text(frame, FIELD_KERNEL, tdm_base_names_text(&l->kernels, key[KEY_KERNEL]));
  else
    tdm_frame_name(frame, FIELD_KERNEL, tdm_run_view_name(l->view, key[KEY_KERNEL]));
}

static void put_moments(tdm_frame *frame, size_t field, const tdm_moments *m) {
  if (m->count == 0) return;
  tdm_frame_real(frame, field, m->mean);
  tdm_frame_real(frame, field + 1, m->median);
  tdm_frame_int(frame, field + 2, m->min);
  tdm_frame_int(frame, field + 3, m->max);
  tdm_frame_real(frame, field + 4, m->deviation);
}

static void put(const launches *l, uint32_t group, int64_t *values, tdm_frame *frame) {
  tdm_frame_row(frame);
  put_names(l, l->groups.key + group * KEYS, frame);
  for (size_t t = 0; t < TIMES; t++) {
    size_t count = 0;
    for (size_t i = l->groups.first[group]; i < l->groups.first[group + 1]; i++) {
      int64_t value = l->time[t][l->groups.row[i]];
      if (value != TDM_NONE) values[count++] = value;
    }
    tdm_moments moments = tdm_moments_of(values, count);
    put_moments(frame, FIELD_MOMENTS + t * MOMENT_FIELDS, &moments);
    if (t == TOTAL) tdm_frame_int(frame, FIELD_COUNT, (int64_t)count);
    if (t == QUEUE) tdm_frame_int(frame, FIELD_QUEUED, (int64_t)count);
  }
}

static tdm_status summarize(launches *l, tdm_frame *frame, tdm_error *error) {
  tdm_summary_line *lines = NULL;
  int64_t *values = tdm_array_new(l->groups.rows + 1, sizeof *values);
  tdm_status status = values == NULL ? tdm_error_memory(error, "launches", 0) : TDM_OK;
  if (status == TDM_OK) status = tdm_summary_of(&l->groups, l->time[TOTAL], &lines, error);
  for (size_t g = 0; status == TDM_OK && g < l->groups.count; g++)
    put(l, lines[g].group, values, frame);
  free(values);
  free(lines);
  return status;
}

static void explain(const launches *l, tdm_answer *out) {
  size_t kernels = 0;
  for (size_t i = 0; i < l->work->count; i++)
    kernels += tdm_table_category(l->work, i) == TDM_WORK_KERNEL ||
               tdm_table_category(l->work, i) == TDM_WORK_GRAPH;
  if (kernels == 0)
    tdm_answer_cannot(out, "%s no kernels (no rows of category kernel or graph)",
                      tdm_run_view_lacking(l->view, &tdm_gpu_work));
  else if (l->calls->count == 0)
    tdm_answer_cannot(out, "%s no API calls (no rows of category runtime or driver)",
                      tdm_run_view_lacking(l->view, &tdm_api_calls));
  else if (l->groups.rows == 0)
    tdm_answer_cannot(out, "which call launched which kernel: no call and kernel have the same "
                           "correlation");
  else
    tdm_answer_basis(out,
                     "%zu of %zu kernels have a recorded API call; the others are "
                     "not here",
                     l->groups.rows, kernels);
}

static tdm_status read_options(launches *l, const tdm_options *options, tdm_error *error) {
  tdm_split split;
  tdm_status status = tdm_split_option(options, &split, error);
  if (status != TDM_OK) return status;
  l->by_base = strcmp(tdm_option_text(options, "by", "name"), "base") == 0;
  l->host =
      split == TDM_SPLIT_NONE || split == TDM_SPLIT_THREAD ? TDM_SPLIT_THREAD : TDM_SPLIT_NONE;
  l->part = split == TDM_SPLIT_NONE     ? TDM_SPLIT_DEVICE
            : split == TDM_SPLIT_THREAD ? TDM_SPLIT_NONE
                                        : split;
  return TDM_OK;
}

tdm_status tdm_answer_launches(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  launches l = {.view = view, .apis = {.base_of = tdm_call_base}};
  tdm_status status = read_options(&l, options, error);
  const tdm_launched *launched = NULL;
  if (status == TDM_OK) status = tdm_gpu_launched(view, &launched, error);
  if (status == TDM_OK) {
    l.calls = launched->calls;
    l.work = launched->work;
    l.call_of = launched->by_call.cause;
  }
  if (status == TDM_OK) status = gather(&l, error);
  tdm_frame *frame = tdm_answer_frame(out, "launches", fields, FIELDS);
  if (status == TDM_OK) status = summarize(&l, frame, error);
  if (status == TDM_OK) explain(&l, out);
  tdm_answer_basis(out, "call: the API call; queue: from its end to the kernel's start, where the "
                        "kernel starts later (queued); total: from the start of the call to the "
                        "later of both ends");
  tdm_groups_close(&l.groups);
  tdm_base_names_close(&l.kernels);
  tdm_base_names_close(&l.apis);
  free(l.host_of);
  free(l.part_of);
  for (size_t t = 0; t < TIMES; t++) free(l.time[t]);
  return status;
}
