/* Idle time of each stream between its pieces of work, by cause (HolisticTraceAnalysis' idle
 * breakdown). Options: consecutive_kernel_delay (ns, 30 µs), those of tdm_gpu_rows_open. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/breakdown/gpu_time.h"
#include "base/memory.h"

enum { HOST_WAIT, KERNEL_WAIT, OTHER, CAUSES };

static const tdm_field fields[] = {TDM_GPU_FIELDS,
                                   {"stream", TDM_FIELD_TEXT},
                                   {"idle_ns", TDM_FIELD_INT},
                                   {"host_wait_ns", TDM_FIELD_INT},
                                   {"kernel_wait_ns", TDM_FIELD_INT},
                                   {"other_ns", TDM_FIELD_INT},
                                   {"host_wait_share", TDM_FIELD_REAL},
                                   {"kernel_wait_share", TDM_FIELD_REAL},
                                   {"other_share", TDM_FIELD_REAL},
                                   {"busy_ns", TDM_FIELD_INT},
                                   {"count", TDM_FIELD_INT}};
enum { FIELD_STREAM = TDM_GPU_FIELD_COUNT, FIELD_TIME = FIELD_STREAM + 2 };

typedef struct {
  size_t count, seen; /* pieces of work; where the filter looks */
  uint32_t gpu;
  int64_t end_ns; /* of the stream's work so far */
  int64_t busy_ns, cause_ns[CAUSES];
} stream;

/* Idle time before a piece of work: the host had not launched it when the stream fell idle; it came
 * soon enough to be the GPU's own way from one to the next; anything else (an event, a dependency).
 * Of all times what the filter leaves counts; where it narrows them, so does what lies before the
 * first work. */
static void take(const tdm_run_view *view, stream *at, int64_t start_ns, int64_t end_ns,
                 int64_t launch_ns, int64_t delay_ns) {
  if (at->count++ == 0) at->end_ns = tdm_run_view_narrowed(view) ? INT64_MIN : start_ns;
  at->seen += tdm_run_view_touches(view, start_ns, end_ns);
  if (start_ns > at->end_ns) {
    int cause = launch_ns != TDM_NONE && launch_ns > at->end_ns  ? HOST_WAIT
                : tdm_length_ns(at->end_ns, start_ns) < delay_ns ? KERNEL_WAIT
                                                                 : OTHER;
    at->cause_ns[cause] += tdm_intervals_within_ns(tdm_run_view_times(view), at->end_ns, start_ns);
    at->end_ns = start_ns;
  }
  if (end_ns <= at->end_ns) return;
  at->busy_ns += tdm_intervals_within_ns(tdm_run_view_times(view), at->end_ns, end_ns);
  at->end_ns = end_ns;
}

/* After its last work a stream waits for the host: nothing more is launched. */
static void put(tdm_run_view *view, const tdm_gpu_rows *rows, int64_t track, stream *at,
                tdm_frame *frame) {
  if (tdm_run_view_narrowed(view))
    at->cause_ns[HOST_WAIT] +=
        tdm_intervals_within_ns(tdm_run_view_times(view), at->end_ns, INT64_MAX);
  const tdm_track *about = tdm_run_view_track(view, track);
  int64_t idle_ns = 0;
  for (size_t c = 0; c < CAUSES; c++) idle_ns += at->cause_ns[c];
  tdm_frame_row(frame);
  tdm_gpu_put(&rows->gpu[at->gpu], frame);
  if (about != NULL) tdm_frame_name(frame, FIELD_STREAM, about->name);
  tdm_frame_int(frame, FIELD_STREAM + 1, idle_ns);
  for (size_t c = 0; c < CAUSES; c++) {
    tdm_frame_int(frame, FIELD_TIME + c, at->cause_ns[c]);
    tdm_frame_real(frame, FIELD_TIME + CAUSES + c, tdm_share(at->cause_ns[c], idle_ns));
  }
  tdm_frame_int(frame, FIELD_TIME + 2 * CAUSES, at->busy_ns);
  tdm_frame_int(frame, FIELD_TIME + 2 * CAUSES + 1, (int64_t)at->seen);
}

/* By GPU, in a GPU in order of tracks. */
static tdm_status put_streams(tdm_run_view *view, const tdm_gpu_rows *rows, stream *streams,
                              uint32_t tracks, tdm_frame *frame, tdm_error *error) {
  size_t *first = tdm_array_new((size_t)rows->gpus + 2, sizeof *first);
  uint32_t *order = tdm_array_new(tracks, sizeof *order);
  if (first == NULL || order == NULL) {
    free(first);
    free(order);
    return tdm_error_memory(error, "streams", tracks * sizeof *order);
  }
  for (uint32_t t = 0; t < tracks; t++)
    if (streams[t].count > 1) first[streams[t].gpu + 1]++;
  for (uint32_t g = 0; g < rows->gpus; g++) first[g + 1] += first[g];
  size_t all = first[rows->gpus];
  for (uint32_t t = 0; t < tracks; t++)
    if (streams[t].count > 1) order[first[streams[t].gpu]++] = t;
  for (size_t i = 0; i < all; i++) put(view, rows, order[i], &streams[order[i]], frame);
  free(first);
  free(order);
  return TDM_OK;
}

static tdm_status count_streams(tdm_run_view *view, const tdm_gpu_rows *rows,
                                const tdm_launched *launches, int64_t delay_ns, tdm_frame *frame,
                                tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  stream *streams = tdm_array_new(tracks + 1, sizeof *streams);
  if (streams == NULL) return tdm_error_memory(error, "streams", tracks * sizeof *streams);
  const tdm_table *work = rows->work;
  for (size_t i = 0; i < work->count; i++) {
    if (rows->class_of[i] == TDM_LEFT_OUT) continue;
    uint32_t call = launches->by_call.cause[i];
    stream *at = &streams[tdm_table_track(work, i)];
    at->gpu = rows->gpu_of[i];
    take(view, at, tdm_table_start_ns(work, i), tdm_table_end_ns(work, i),
         call == TDM_NO_ROW ? TDM_NONE : tdm_table_start_ns(launches->calls, call), delay_ns);
  }
  tdm_status status = put_streams(view, rows, streams, tracks, frame, error);
  free(streams);
  return status;
}

static size_t count_unlaunched(const tdm_run_view *view, const tdm_launched *launches) {
  const tdm_table *work = launches->work;
  size_t count = 0;
  for (size_t i = 0; launches->by_call.joined < work->count && i < work->count; i++)
    count += launches->by_call.cause[i] == TDM_NO_ROW &&
             tdm_run_view_touches(view, tdm_table_start_ns(work, i), tdm_table_end_ns(work, i));
  return count;
}

tdm_status tdm_answer_idle(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error) {
  int64_t delay_ns = (int64_t)tdm_option_number(options, "consecutive_kernel_delay", 30e3);
  tdm_gpu_rows rows;
  const tdm_launched *launches = NULL;
  tdm_status status = tdm_gpu_rows_open_whole(view, options, &rows, error);
  if (status == TDM_OK) status = tdm_gpu_launched(rows.view, &launches, error);
  tdm_frame *frame = tdm_answer_frame(out, "idle", fields, sizeof fields / sizeof *fields);
  if (status == TDM_OK && launches->by_call.joined > 0)
    status = count_streams(view, &rows, launches, delay_ns, frame, error);
  if (status == TDM_OK && launches->by_call.joined == 0)
    tdm_gpu_launched_missing(rows.view, launches, "causes of idle time", out);
  if (status == TDM_OK && launches->by_call.joined > 0) {
    if (tdm_frame_rows(frame) == 0)
      tdm_answer_cannot(out, "causes of idle time: no stream has two pieces of work");
    tdm_answer_basis(out,
                     "host wait: launched after the stream fell idle; kernel wait: launched "
                     "before and idle for less than %.3g µs; other: neither. Shares are of "
                     "the stream's idle time %s",
                     (double)delay_ns / 1e3,
                     tdm_run_view_narrowed(view)
                         ? "in the times that the filter leaves; before its first work and after "
                           "its last it waits for the host"
                         : "between its first work and its last, where the filter leaves it");
    size_t unlaunched = count_unlaunched(view, launches);
    if (unlaunched > 0)
      tdm_answer_basis(out,
                       "%zu pieces of work without a recorded launch count as not waiting "
                       "for the host",
                       unlaunched);
    tdm_gpu_rows_tell(view, options, &rows, out);
  }
  tdm_gpu_rows_close(&rows);
  return status;
}
