/* Kernels and copies that follow each other again and again in a stream.
 *
 * A sequence of n is a sequence of n − 1 and a name: pairs are numbered level by level, so that
 * equal numbers are equal sequences and nothing is compared by text. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/summary.h"
#include "base/memory.h"
#include "trace/utf8.h"

enum { LEAST_LENGTH = 2, MOST_LENGTH = 64, TEXT = 2048 };

static const tdm_field fields[] = {
    {"share", TDM_FIELD_REAL},     {"total_ns", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    {"gap_ns", TDM_FIELD_INT},     {"mean_ns", TDM_FIELD_REAL}, {"short_kernels", TDM_FIELD_INT},
    {"candidate", TDM_FIELD_TEXT}, {"first_ns", TDM_FIELD_INT}, TDM_SPLIT_FIELDS,
    {"sequence", TDM_FIELD_TEXT}};
enum {
  FIELD_SHARE,
  FIELD_TOTAL,
  FIELD_COUNT,
  FIELD_GAP,
  FIELD_MEAN,
  FIELD_SHORT,
  FIELD_CANDIDATE,
  FIELD_FIRST,
  FIELD_SPLIT,
  FIELD_SEQUENCE = FIELD_SPLIT + TDM_SPLIT_FIELD_COUNT,
  FIELDS
};

/* One that recurs. */
typedef struct {
  size_t first; /* position of its first occurrence */
  size_t end;   /* position after its last */
  uint32_t number;
  int64_t count, work_ns, span_ns, first_ns;
} sequence;

typedef struct {
  tdm_run_view *view;
  const tdm_table *work;
  tdm_split split;
  int64_t *split_of; /* by track */
  size_t length, least_count, top;
  int64_t short_ns;
  uint32_t *row;  /* by position: work, stream by stream */
  uint32_t *left; /* by position: works from here to the end of the stream, or of a filter's time */
  uint32_t *number; /* by position: of the sequence that begins here */
  uint32_t *single; /* by position: of the sequence of one */
  sequence *all;
  size_t count;
  int64_t *each_ns; /* by shown sequence and place in it: of all its occurrences */
  int64_t total_ns; /* of all work */
} finding;

static tdm_status read_options(finding *f, const tdm_options *options, tdm_error *error) {
  double length = tdm_option_number(options, "length", 3);
  if (length < LEAST_LENGTH || length > MOST_LENGTH)
    return tdm_error_set(error, TDM_INVALID, "'length' is from %d to %d", LEAST_LENGTH,
                         MOST_LENGTH);
  double least = tdm_option_number(options, "count", 2),
         top = tdm_option_number(options, "top", 100);
  f->length = (size_t)length;
  f->least_count = least < 1 ? 1 : (size_t)least;
  f->top = top < 0 ? 0 : (size_t)top;
  f->short_ns = (int64_t)tdm_option_number(options, "short", 10000);
  tdm_status status = tdm_split_option(options, &f->split, error);
  if (f->split == TDM_SPLIT_NONE) f->split = TDM_SPLIT_DEVICE;
  return status;
}

/* Whether the filter hides some of the time between a position's work and the next one's: then
 * others may lie there. */
static bool is_parted(const finding *f, uint32_t position) {
  int64_t end_ns = tdm_table_end_ns(f->work, f->row[position]),
          next_ns = tdm_table_start_ns(f->work, f->row[position + 1]);
  return tdm_run_view_narrowed(f->view) && next_ns > end_ns &&
         tdm_intervals_within_ns(tdm_run_view_times(f->view), end_ns, next_ns) < next_ns - end_ns;
}

static tdm_status lay_out(finding *f, tdm_error *error) {
  size_t n = f->work->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(f->view));
  uint32_t *first = tdm_array_raw((size_t)tracks + 2, sizeof *first);
  f->row = tdm_array_raw(n + 1, sizeof *f->row);
  f->left = tdm_array_raw(n + 1, sizeof *f->left);
  f->number = tdm_array_raw(n + 1, sizeof *f->number);
  f->single = tdm_array_raw(n + 1, sizeof *f->single);
  if (first == NULL || f->row == NULL || f->left == NULL || f->number == NULL ||
      f->single == NULL) {
    free(first);
    return tdm_error_memory(error, "sequences", n * 16);
  }
  tdm_order_by_kept_track(f->work->track, n, tracks, first, f->row);
  for (uint32_t t = 0; t <= tracks; t++)
    for (uint32_t i = first[t + 1]; i-- > first[t];)
      f->left[i] = i + 1 == first[t + 1] || is_parted(f, i) ? 1 : f->left[i + 1] + 1;
  free(first);
  for (size_t i = 0; i < n; i++)
    f->total_ns += tdm_table_end_ns(f->work, i) - tdm_table_start_ns(f->work, i);
  return TDM_OK;
}

/* Numbers what begins at each position, one work longer than before; positions without enough works
 * left get UINT32_MAX. */
static tdm_status number_level(finding *f, size_t length, size_t *count, tdm_error *error) {
  tdm_groups groups;
  tdm_status status = tdm_groups_open(&groups, 2, f->work->count, error);
  for (size_t i = 0; status == TDM_OK && i < f->work->count; i++) {
    uint32_t number = UINT32_MAX;
    if (f->left[i] >= length) {
      uint32_t row = f->row[i];
      const int64_t key[] = {
          length == 1 ? f->split_of[tdm_table_track(f->work, row)] : f->number[i],
          length == 1 ? (int64_t)tdm_table_name(f->work, row) : f->single[i + length - 1]};
      number = tdm_groups_add(&groups, key);
      if (number == UINT32_MAX) status = tdm_error_memory(error, "sequences", 0);
    }
    f->number[i] = number;
    if (length == 1) f->single[i] = number;
  }
  *count = groups.count;
  tdm_groups_close(&groups);
  return status;
}

/* Occurrences that do not overlap, counted from the beginning of each stream. */
static tdm_status count_all(finding *f, tdm_error *error) {
  f->all = tdm_array_new(f->count + 1, sizeof *f->all);
  if (f->all == NULL) return tdm_error_memory(error, "sequences", f->count * sizeof *f->all);
  for (size_t i = 0; i < f->work->count; i++) {
    if (f->number[i] == UINT32_MAX) continue;
    sequence *s = &f->all[f->number[i]];
    if (s->count > 0 && i < s->end) continue;
    int64_t start_ns = tdm_table_start_ns(f->work, f->row[i]);
    if (s->count == 0) s->first = i, s->number = f->number[i], s->first_ns = start_ns;
    if (start_ns < s->first_ns) s->first_ns = start_ns; /* streams lie one behind the other */
    s->count++;
    s->end = i + f->length;
    int64_t end_ns = INT64_MIN;
    for (size_t k = i; k < s->end; k++) {
      uint32_t row = f->row[k];
      s->work_ns += tdm_table_end_ns(f->work, row) - tdm_table_start_ns(f->work, row);
      if (tdm_table_end_ns(f->work, row) > end_ns) end_ns = tdm_table_end_ns(f->work, row);
    }
    s->span_ns += end_ns - start_ns;
  }
  return TDM_OK;
}

static int most_time_first(const void *a, const void *b) {
  const sequence *x = a, *y = b;
  if (x->work_ns != y->work_ns) return x->work_ns > y->work_ns ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- rows ---- */

/* What each place of the shown sequences takes: they are counted again, as count_all does. */
static tdm_status time_places(finding *f, size_t shown, tdm_error *error) {
  uint32_t *place_of = tdm_array_raw(f->count + 1, sizeof *place_of);
  size_t *end = tdm_array_new(shown + 1, sizeof *end);
  f->each_ns = tdm_array_new(shown * f->length + 1, sizeof *f->each_ns);
  if (place_of == NULL || end == NULL || f->each_ns == NULL) {
    free(place_of);
    free(end);
    return tdm_error_memory(error, "sequences", shown * f->length * sizeof *f->each_ns);
  }
  for (size_t n = 0; n < f->count; n++) place_of[n] = UINT32_MAX;
  for (size_t i = 0; i < shown; i++) place_of[f->all[i].number] = (uint32_t)i;
  for (size_t i = 0; i < f->work->count; i++) {
    uint32_t s = f->number[i] == UINT32_MAX ? UINT32_MAX : place_of[f->number[i]];
    if (s == UINT32_MAX || i < end[s]) continue;
    end[s] = i + f->length;
    for (size_t k = 0; k < f->length; k++) {
      uint32_t row = f->row[i + k];
      f->each_ns[s * f->length + k] +=
          tdm_table_end_ns(f->work, row) - tdm_table_start_ns(f->work, row);
    }
  }
  free(place_of);
  free(end);
  return TDM_OK;
}

/* How many of its kernels take less than `short_ns` on the mean of its occurrences; *kernels: all
 * that are kernels. */
static int64_t count_short(const finding *f, const sequence *s, size_t *kernels) {
  const int64_t *each_ns = f->each_ns + (size_t)(s - f->all) * f->length;
  int64_t found = 0;
  *kernels = 0;
  for (size_t k = 0; k < f->length; k++) {
    if (tdm_table_category(f->work, f->row[s->first + k]) != TDM_WORK_KERNEL) continue;
    (*kernels)++;
    if ((double)each_ns[k] < (double)f->short_ns * (double)s->count) found++;
  }
  return found;
}

static void put_names(finding *f, const sequence *s, tdm_frame *frame) {
  char text[TEXT], base[256];
  size_t used = 0;
  text[0] = 0;
  for (size_t k = s->first; k < s->first + f->length && used + 1 < sizeof text; k++) {
    tdm_kernel_base(tdm_run_view_name(f->view, tdm_table_name(f->work, f->row[k])), base,
                    sizeof base);
    int n = snprintf(text + used, sizeof text - used, "%s%s", k > s->first ? " > " : "", base);
    if (n > 0) used += (size_t)n;
  }
  text[tdm_utf8_valid(text, strlen(text))] = 0; /* cut between characters */
  tdm_frame_text(frame, FIELD_SEQUENCE, text);
}

static void put(finding *f, const sequence *s, tdm_frame *frame) {
  size_t kernels;
  int64_t gap_ns = s->span_ns > s->work_ns ? s->span_ns - s->work_ns : 0;
  int64_t few = count_short(f, s, &kernels);
  bool fuse = kernels == f->length && (size_t)few == kernels;
  bool capture = kernels > 0 && few > 0 && gap_ns > s->work_ns / 4;
  int64_t track = tdm_table_track(f->work, f->row[s->first]);
  tdm_frame_row(frame);
  tdm_frame_real(frame, FIELD_SHARE,
                 f->total_ns > 0 ? (double)s->work_ns / (double)f->total_ns : 0);
  tdm_frame_int(frame, FIELD_TOTAL, s->work_ns);
  tdm_frame_int(frame, FIELD_COUNT, s->count);
  tdm_frame_int(frame, FIELD_GAP, gap_ns);
  tdm_frame_real(frame, FIELD_MEAN, (double)s->span_ns / (double)s->count);
  tdm_frame_int(frame, FIELD_SHORT, few);
  if (fuse || capture)
    tdm_frame_name(frame, FIELD_CANDIDATE,
                   fuse && capture ? "fusion, graph"
                   : fuse          ? "fusion"
                                   : "graph");
  tdm_frame_int(frame, FIELD_FIRST, s->first_ns - tdm_run_view_origin(f->view));
  tdm_split_put(f->view, f->split, f->split_of[track], frame, FIELD_SPLIT);
  put_names(f, s, frame);
}

static size_t keep_frequent(finding *f) {
  size_t kept = 0;
  for (size_t g = 0; g < f->count; g++)
    if ((size_t)f->all[g].count >= f->least_count) f->all[kept++] = f->all[g];
  if (kept > 1) qsort(f->all, kept, sizeof *f->all, most_time_first);
  return kept;
}

tdm_status tdm_answer_sequences(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  finding f = {.view = view};
  tdm_status status = read_options(&f, options, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &f.work, error);
  if (status == TDM_OK && (f.split_of = tdm_split_keys(view, f.split)) == NULL)
    status = tdm_error_memory(error, "sequences", 0);
  if (status == TDM_OK) status = lay_out(&f, error);
  for (size_t length = 1; status == TDM_OK && length <= f.length; length++)
    status = number_level(&f, length, &f.count, error);
  if (status == TDM_OK) status = count_all(&f, error);
  tdm_frame *frame = tdm_answer_frame(out, "sequences", fields, FIELDS);
  size_t kept = status == TDM_OK ? keep_frequent(&f) : 0;
  size_t shown = f.top > 0 && kept > f.top ? f.top : kept;
  if (status == TDM_OK) status = time_places(&f, shown, error);
  for (size_t i = 0; status == TDM_OK && i < shown; i++) put(&f, &f.all[i], frame);
  if (status == TDM_OK && f.work->count == 0)
    tdm_answer_cannot(out, "%s no GPU work (no rows of category kernel)",
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  else if (status == TDM_OK && kept == 0)
    tdm_answer_cannot(out, "no sequence of %zu occurs %zu times in a stream", f.length,
                      f.least_count);
  tdm_answer_basis(out,
                   "share: of the time of all kernels, copies and memsets; occurrences of a "
                   "sequence do not overlap, those of different sequences may; %zu of %zu "
                   "sequences shown",
                   shown, kept);
  tdm_answer_basis(
      out,
      "candidate: fusion where all are kernels shorter than %s on the mean, graph where "
      "some are and what lies between them is more than a quarter of their time",
      tdm_answer_time((double)f.short_ns).text);
  free(f.split_of);
  free(f.row);
  free(f.left);
  free(f.number);
  free(f.single);
  free(f.each_ns);
  free(f.all);
  return status;
}
