/* Bandwidth of copies and memsets, over the run and in equal bins. Copies of one kind that run at
 * once add up.
 *
 * Frames: bandwidth (a row for each GPU and kind of copy: HolisticTraceAnalysis' memory bandwidth
 * summary), over_time. Options: bins (30), those of tdm_gpu_rows_open. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/breakdown/gpu_time.h"
#include "analysis/groups.h"
#include "analysis/moments.h"
#include "base/memory.h"

#define GB 1e9 /* one byte a nanosecond is 1 GB/s */

enum { KEY_GPU, KEY_CLASS, KEY_KIND, KEYS };

static const tdm_field fields[] = {TDM_GPU_FIELDS,
                                   {"kind", TDM_FIELD_TEXT},
                                   TDM_SPREAD_FIELDS("_bytes_per_s"),
                                   {"copies", TDM_FIELD_INT},
                                   {"bytes", TDM_FIELD_INT},
                                   {"time_ns", TDM_FIELD_INT},
                                   {"throughput_bytes_per_s", TDM_FIELD_REAL}};
enum {
  FIELD_KIND = TDM_GPU_FIELD_COUNT,
  FIELD_SPREAD,
  FIELD_COPIES = FIELD_SPREAD + TDM_SPREAD_FIELD_COUNT
};
static const tdm_field time_fields[] = {
    TDM_GPU_FIELDS,           {"kind", TDM_FIELD_TEXT}, {"from_ns", TDM_FIELD_INT},
    {"to_ns", TDM_FIELD_INT}, {"bytes", TDM_FIELD_INT}, {"bytes_per_s", TDM_FIELD_REAL}};

typedef struct {
  tdm_run_view *view;
  const tdm_gpu_rows *rows;
  size_t *row;   /* copies and memsets with bytes, in order of start */
  tdm_groups by; /* of these */
  size_t without_bytes;
} copies;

static tdm_status choose(copies *c, tdm_error *error) {
  const tdm_table *work = c->rows->work;
  c->row = tdm_array_new(work->count + 1, sizeof *c->row);
  if (c->row == NULL) return tdm_error_memory(error, "copies", work->count);
  tdm_status status = tdm_groups_open(&c->by, KEYS, work->count, error);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    uint8_t class_of = c->rows->class_of[i];
    if (class_of != TDM_CLASS_COPY && class_of != TDM_CLASS_MEMSET) continue;
    if (tdm_table_arg(work, TDM_WORK_BYTES, i) == TDM_NONE) {
      c->without_bytes++;
      continue;
    }
    int64_t key[KEYS] = {c->rows->gpu_of[i], class_of,
                         class_of == TDM_CLASS_COPY ? tdm_table_arg(work, TDM_WORK_COPY_KIND, i)
                                                    : 0};
    c->row[c->by.rows] = i;
    if (tdm_groups_add(&c->by, key) == UINT32_MAX) status = tdm_error_memory(error, "copies", 0);
  }
  return status == TDM_OK ? tdm_groups_gather(&c->by, error) : status;
}

/* ---- bandwidth at every start and end ---- */

typedef struct {
  int64_t at_ns;
  double change; /* bytes a nanosecond */
} step;

static int earlier_first(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
  return x->change < y->change ? -1 : x->change > y->change; /* ends before starts */
}

/* Bytes a nanosecond, which is GB/s. What the profiler says is finer than times in whole
 * microseconds. */
static double rate_of(const tdm_table *work, size_t i) {
  int64_t bits = tdm_table_arg(work, TDM_WORK_BANDWIDTH, i);
  double said;
  memcpy(&said, &bits, sizeof said);
  if (said > 0 && isfinite(said)) return said;
  return (double)tdm_table_arg(work, TDM_WORK_BYTES, i) /
         (double)(tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i));
}

/* The copies of a group as steps up and down; those that took no time have no bandwidth. */
static size_t list_steps(const copies *c, size_t g, step *steps) {
  const tdm_table *work = c->rows->work;
  size_t n = 0;
  for (size_t k = c->by.first[g]; k < c->by.first[g + 1]; k++) {
    size_t i = c->row[c->by.row[k]];
    if (tdm_table_end_ns(work, i) <= tdm_table_start_ns(work, i) ||
        tdm_table_arg(work, TDM_WORK_BYTES, i) <= 0)
      continue;
    double rate = rate_of(work, i);
    steps[n++] = (step){tdm_table_start_ns(work, i), rate};
    steps[n++] = (step){tdm_table_end_ns(work, i), -rate};
  }
  qsort(steps, n, sizeof *steps, earlier_first);
  return n;
}

/* What is moved after each step while something is: sums begin anew when all copies have ended, so
 * that no rounding error stays behind. */
static size_t rates_of(const step *steps, size_t n, double *rate) {
  size_t active = 0, rates = 0;
  double now = 0;
  for (size_t i = 0; i < n; i++) {
    if (steps[i].change > 0)
      active++;
    else
      active--;
    now = active > 0 ? now + steps[i].change : 0;
    if (active > 0 && now > 0) rate[rates++] = now * GB;
  }
  return rates;
}

static void put_kind(const copies *c, size_t g, tdm_frame *frame) {
  const int64_t *key = c->by.key + g * KEYS;
  tdm_gpu_put(&c->rows->gpu[key[KEY_GPU]], frame);
  if (key[KEY_CLASS] == TDM_CLASS_MEMSET)
    tdm_frame_name(frame, FIELD_KIND, "Memset");
  else if (key[KEY_KIND] != TDM_NONE)
    tdm_frame_name(frame, FIELD_KIND, tdm_run_view_name(c->view, key[KEY_KIND]));
  else
    tdm_frame_name(frame, FIELD_KIND, "copy");
}

static tdm_status put_spread(const copies *c, size_t g, step *steps, double *rate, tdm_frame *frame,
                             tdm_error *error) {
  const tdm_table *work = c->rows->work;
  size_t rates = rates_of(steps, list_steps(c, g, steps), rate);
  tdm_spread spread;
  tdm_status status = tdm_spread_of(rate, rates, &spread, error);
  int64_t bytes = 0, time_ns = 0;
  for (size_t k = c->by.first[g]; k < c->by.first[g + 1]; k++) {
    size_t i = c->row[c->by.row[k]];
    if (__builtin_add_overflow(bytes, tdm_table_arg(work, TDM_WORK_BYTES, i), &bytes))
      bytes = INT64_MAX;
    time_ns += tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i);
  }
  tdm_frame_row(frame);
  put_kind(c, g, frame);
  tdm_spread_put(&spread, frame, FIELD_SPREAD);
  tdm_frame_int(frame, FIELD_COPIES, (int64_t)(c->by.first[g + 1] - c->by.first[g]));
  tdm_frame_int(frame, FIELD_COPIES + 1, bytes);
  tdm_frame_int(frame, FIELD_COPIES + 2, time_ns);
  if (time_ns > 0) tdm_frame_real(frame, FIELD_COPIES + 3, (double)bytes / (double)time_ns * GB);
  return status;
}

/* ---- over time ---- */

/* A copy's bytes are spread evenly over its time. */
static void put_bins(const copies *c, size_t g, const tdm_bins *bins, double *sum,
                     tdm_frame *frame) {
  const tdm_table *work = c->rows->work;
  memset(sum, 0, bins->count * sizeof *sum);
  for (size_t k = c->by.first[g]; k < c->by.first[g + 1]; k++) {
    size_t i = c->row[c->by.row[k]];
    int64_t dur_ns = tdm_table_end_ns(work, i) - tdm_table_start_ns(work, i);
    double bytes = (double)tdm_table_arg(work, TDM_WORK_BYTES, i);
    if (dur_ns > 0)
      tdm_bins_add(bins, tdm_table_start_ns(work, i), tdm_table_end_ns(work, i),
                   bytes / (double)dur_ns, sum);
    else { /* all of it at once */
      int64_t at_ns =
          tdm_table_start_ns(work, i) < bins->to_ns ? tdm_table_start_ns(work, i) : bins->to_ns - 1;
      tdm_bins_add(bins, at_ns, at_ns + 1, bytes, sum);
    }
  }
  for (size_t i = 0; i < bins->count; i++) {
    int64_t from_ns = tdm_bins_edge(bins, i), to_ns = tdm_bins_edge(bins, i + 1);
    tdm_frame_row(frame);
    put_kind(c, g, frame);
    tdm_frame_int(frame, FIELD_KIND + 1, from_ns);
    tdm_frame_int(frame, FIELD_KIND + 2, to_ns);
    tdm_frame_int(frame, FIELD_KIND + 3, (int64_t)llround(sum[i]));
    if (to_ns > from_ns)
      tdm_frame_real(frame, FIELD_KIND + 4, sum[i] / (double)(to_ns - from_ns) * GB);
  }
}

static tdm_status fill(copies *c, size_t bin_count, tdm_answer *out, tdm_error *error) {
  tdm_status status = choose(c, error);
  tdm_frame *frame = tdm_answer_frame(out, "bandwidth", fields, sizeof fields / sizeof *fields);
  if (status != TDM_OK || c->by.rows == 0) return status;
  tdm_bins bins = tdm_gpu_bins(c->view, c->rows, bin_count);
  step *steps = tdm_array_new(2 * c->by.rows + 1, sizeof *steps);
  double *rate = tdm_array_new(2 * c->by.rows + bins.count, sizeof *rate);
  if (steps == NULL || rate == NULL) status = tdm_error_memory(error, "copies", c->by.rows);
  for (size_t g = 0; status == TDM_OK && g < c->by.count; g++)
    status = put_spread(c, g, steps, rate, frame, error);
  tdm_frame *over_time =
      tdm_answer_frame(out, "over_time", time_fields, sizeof time_fields / sizeof *time_fields);
  for (size_t g = 0; status == TDM_OK && g < c->by.count; g++)
    put_bins(c, g, &bins, rate, over_time);
  free(steps);
  free(rate);
  return status;
}

tdm_status tdm_answer_bandwidth(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  tdm_gpu_rows rows;
  size_t bins = 0;
  copies c = {.view = view, .rows = &rows};
  tdm_status status = tdm_gpu_rows_open(view, options, &rows, error);
  if (status == TDM_OK) status = tdm_bins_option(options, &bins, error);
  if (status == TDM_OK) status = fill(&c, bins, out, error);
  if (status == TDM_OK) {
    if (c.by.rows == 0 && c.without_bytes == 0)
      tdm_answer_cannot(out, "bandwidth: %s no copies (rows of category memcpy or memset)",
                        tdm_run_view_lacking(view, &tdm_gpu_work));
    else if (c.without_bytes > 0)
      tdm_answer_cannot(out, "bandwidth of %zu copies: they have no argument bytes",
                        c.without_bytes);
    tdm_answer_basis(out, "throughput: bytes over time, which adds up the times of all copies");
    tdm_answer_basis(out, "bandwidth of a copy: as its profiler has it, else its bytes over its "
                          "time; copies of one kind on one GPU that run at "
                          "once add up. Mean, median and the others are over the starts and ends "
                          "after which something is being copied (count), each as much as the "
                          "other however long it lasts");
    if (c.by.rows > 0) tdm_gpu_rows_tell(view, options, &rows, out);
  }
  free(c.row);
  tdm_groups_close(&c.by);
  tdm_gpu_rows_close(&rows);
  return status;
}
