/* Work launched and not yet begun, by stream. An entry is queued from the start of its API call to
 * the start of its work. Options: full (1024 entries), no_graphs (graph launches are left out),
 * those of tdm_gpu_rows_open. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/breakdown/gpu_time.h"
#include "analysis/groups.h"
#include "analysis/moments.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"
#include "base/ranks.h"

static const tdm_field fields[] = {TDM_GPU_FIELDS,
                                   {"stream", TDM_FIELD_TEXT},
                                   TDM_SPREAD_FIELDS(""),
                                   {"blocked_ns", TDM_FIELD_INT},
                                   {"blocked_share", TDM_FIELD_REAL}};
enum {
  FIELD_STREAM = TDM_GPU_FIELD_COUNT,
  FIELD_SPREAD,
  FIELD_BLOCKED = FIELD_SPREAD + TDM_SPREAD_FIELD_COUNT
};

typedef struct {
  const tdm_gpu_rows *rows;
  const tdm_launched *launches;
  const tdm_intervals *left; /* by the filter; NULL: it narrows no times */
  size_t limit;
  size_t *row;             /* joined rows, in order of start */
  tdm_groups by;           /* of these, by track */
  int64_t *begin;          /* starts of the stream's work, */
  int64_t *launch, *spare; /* of its launches, both from the first launch on */
  double *length;
} queues;

/* ---- which rows ---- */

/* Whether each call launches a CUDA graph; none does when they count. */
static uint8_t *find_graphs(tdm_run_view *view, const tdm_table *calls, bool left_out) {
  uint8_t *graph = tdm_array_new(calls->count + 1, 1);
  tdm_name_marks marks = {0};
  for (size_t i = 0; graph != NULL && left_out && i < calls->count; i++)
    graph[i] = tdm_name_mark(&marks, view, tdm_table_name(calls, i), tdm_call_launches_graph);
  tdm_name_marks_close(&marks);
  return graph;
}

/* What a call launches in a stream is one entry of its queue, however many pieces of work it makes
 * there: the first to begin counts. */
static tdm_status choose(tdm_run_view *view, queues *q, bool no_graphs, tdm_error *error) {
  const tdm_table *work = q->rows->work, *calls = q->launches->calls;
  uint8_t *graph = find_graphs(view, calls, no_graphs);
  uint32_t *made = tdm_array_new(calls->count + 1, sizeof *made);
  tdm_groups seen = {0};
  tdm_status status = graph != NULL && made != NULL
                          ? tdm_groups_open(&seen, 2, q->launches->by_call.joined, error)
                          : tdm_error_memory(error, "queues", calls->count);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++)
    if (q->launches->by_call.cause[i] != TDM_NO_ROW) made[q->launches->by_call.cause[i]]++;
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    uint32_t call = q->launches->by_call.cause[i];
    if (q->rows->class_of[i] == TDM_LEFT_OUT || call == TDM_NO_ROW || graph[call]) continue;
    if (made[call] > 1) {
      size_t before = seen.count;
      int64_t key[2] = {call, tdm_table_track(work, i)};
      if (tdm_groups_add(&seen, key) == UINT32_MAX) status = tdm_error_memory(error, "queues", 0);
      if (seen.count == before) continue;
    }
    q->row[q->by.rows] = i;
    if (tdm_groups_add(&q->by, &(const int64_t){tdm_table_track(work, i)}) == UINT32_MAX)
      status = tdm_error_memory(error, "queues", 0);
  }
  tdm_groups_close(&seen);
  free(made);
  free(graph);
  return status;
}

static tdm_status prepare(tdm_run_view *view, queues *q, bool no_graphs, tdm_error *error) {
  size_t n = q->launches->by_call.joined;
  q->row = tdm_array_new(n + 1, sizeof *q->row);
  q->begin = tdm_array_new(n + 1, sizeof *q->begin);
  q->launch = tdm_array_new(n + 1, sizeof *q->launch);
  q->spare = tdm_array_new(n + 1, sizeof *q->spare);
  q->length = tdm_array_new(2 * n + 1, sizeof *q->length);
  if (q->row == NULL || q->begin == NULL || q->launch == NULL || q->spare == NULL ||
      q->length == NULL)
    return tdm_error_memory(error, "queues", n * sizeof *q->length);
  tdm_status status = tdm_groups_open(&q->by, 1, n, error);
  if (status == TDM_OK) status = choose(view, q, no_graphs, error);
  return status == TDM_OK ? tdm_groups_gather(&q->by, error) : status;
}

static void release(queues *q) {
  free(q->row);
  free(q->begin);
  free(q->launch);
  free(q->spare);
  free(q->length);
  tdm_groups_close(&q->by);
}

/* The stream's two lists of times; the calls' clock may lag a little behind the GPU's. */
static size_t list_times(queues *q, size_t group, int64_t *first_ns) {
  const tdm_table *work = q->rows->work, *calls = q->launches->calls;
  size_t n = 0;
  *first_ns = INT64_MAX;
  for (size_t k = q->by.first[group]; k < q->by.first[group + 1]; k++, n++) {
    size_t i = q->row[q->by.row[k]];
    int64_t launch_ns = tdm_table_start_ns(calls, q->launches->by_call.cause[i]);
    q->begin[n] = tdm_table_start_ns(work, i);
    q->launch[n] = launch_ns < q->begin[n] ? launch_ns : q->begin[n];
    if (q->launch[n] < *first_ns) *first_ns = q->launch[n];
  }
  for (size_t i = 0; i < n; i++) {
    q->launch[i] -= *first_ns;
    q->begin[i] -= *first_ns;
  }
  tdm_ranks_sort(q->launch, q->spare, n);
  return n;
}

static int64_t left_ns(const queues *q, int64_t from_ns, int64_t to_ns) {
  return q->left != NULL ? tdm_intervals_within_ns(q->left, from_ns, to_ns) : to_ns - from_ns;
}

/* The length after every launch and every start where the filter looks, *count of them; a start
 * comes before a launch at the same time. How long the queue was full, in nanoseconds. */
static int64_t walk(const tdm_run_view *view, queues *q, size_t n, int64_t first_ns,
                    size_t *count) {
  int64_t blocked_ns = 0, now = 0;
  size_t launched = 0, begun = 0;
  *count = 0;
  for (size_t e = 0; e < 2 * n; e++) {
    bool is_launch = launched == begun || (launched < n && q->launch[launched] < q->begin[begun]);
    int64_t at = is_launch ? q->launch[launched] : q->begin[begun];
    if (launched - begun >= q->limit) blocked_ns += left_ns(q, now + first_ns, at + first_ns);
    now = at;
    if (is_launch)
      launched++;
    else
      begun++;
    if (q->left == NULL || tdm_run_view_looks_at(view, at + first_ns))
      q->length[(*count)++] = (double)(launched - begun);
  }
  return blocked_ns;
}

static tdm_status put(tdm_run_view *view, queues *q, size_t group, tdm_frame *frame,
                      tdm_error *error) {
  int64_t first_ns;
  size_t count, n = list_times(q, group, &first_ns);
  int64_t blocked_ns = walk(view, q, n, first_ns, &count);
  int64_t whole_ns = q->left != NULL ? tdm_intervals_total_ns(q->left) : q->begin[n - 1];
  if (count == 0) return TDM_OK;
  tdm_spread spread;
  tdm_status status = tdm_spread_of(q->length, count, &spread, error);
  const tdm_track *track = tdm_run_view_track(view, q->by.key[group]);
  tdm_frame_row(frame);
  tdm_gpu_put(&q->rows->gpu[q->rows->gpu_of[q->row[q->by.row[q->by.first[group]]]]], frame);
  if (track != NULL) tdm_frame_name(frame, FIELD_STREAM, track->name);
  tdm_spread_put(&spread, frame, FIELD_SPREAD);
  tdm_frame_int(frame, FIELD_BLOCKED, blocked_ns);
  tdm_frame_real(frame, FIELD_BLOCKED + 1, tdm_share(blocked_ns, whole_ns));
  return status;
}

tdm_status tdm_answer_queue(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  double limit = tdm_option_number(options, "full", 1024);
  tdm_gpu_rows rows;
  const tdm_launched *launches = NULL;
  queues q = {.rows = &rows, .limit = limit > 1 ? (size_t)limit : 1};
  if (tdm_run_view_narrowed(view)) q.left = tdm_run_view_times(view);
  tdm_status status = tdm_gpu_rows_open_whole(view, options, &rows, error);
  if (status == TDM_OK) status = tdm_gpu_launched(rows.view, &launches, error);
  tdm_frame *frame = tdm_answer_frame(out, "queue", fields, sizeof fields / sizeof *fields);
  if (status == TDM_OK && launches->by_call.joined == 0)
    tdm_gpu_launched_missing(rows.view, launches, "queue lengths", out);
  if (status == TDM_OK && launches->by_call.joined > 0) {
    q.launches = launches;
    status = prepare(view, &q, tdm_option_flag(options, "no_graphs"), error);
    for (size_t g = 0; status == TDM_OK && g < q.by.count; g++)
      status = put(view, &q, g, frame, error);
    if (status == TDM_OK && tdm_frame_rows(frame) == 0)
      tdm_answer_cannot(out, q.by.count > 0 ? "queue lengths: the filter leaves no launch and no "
                                              "start of launched work"
                                            : "queue lengths: no launch is left of those that "
                                              "count");
    tdm_answer_basis(out, "queued: from the start of the API call to the start of its work; "
                          "lengths after every launch and every start (count is both); a graph's "
                          "launch is one entry");
    tdm_answer_basis(out,
                     "blocked: %zu or more launches are outstanding; its share is of "
                     "the time %s",
                     q.limit,
                     q.left != NULL ? "that the filter leaves"
                                    : "from the first launch to the last start");
    if (q.left != NULL)
      tdm_answer_basis(out, "launches from before the times that the filter leaves are in their "
                            "queue until they begin");
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  release(&q);
  tdm_gpu_rows_close(&rows);
  return status;
}
