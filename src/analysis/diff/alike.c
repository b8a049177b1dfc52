/* Whether two sides do the same work: the names that they launch, how often, in units of work where
 * both have some; see diff.h.
 *
 * Alike is the weighted Jaccard index of two sets of counts, Σ min ÷ Σ max: of GPU work by
 * function, of operators, of ranges by folded name. What is launched says what is done; what it
 * takes does not, since that is what a change changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/inside.h"
#include "base/memory.h"

enum { FEWEST_UNITS = 3 };
#define SAME_UNIT                                                                                  \
  0.5 /* units that are less alike are of different things, such as layers and steps */

static const tdm_field fields[] = {
    {"work", TDM_FIELD_REAL},      {"operators", TDM_FIELD_REAL}, {"in_units", TDM_FIELD_BOOL},
    {"unit_work", TDM_FIELD_REAL}, {"a_units", TDM_FIELD_INT},    {"b_units", TDM_FIELD_INT},
    {"a_kernels", TDM_FIELD_INT},  {"b_kernels", TDM_FIELD_INT},  {"a_warm_up", TDM_FIELD_INT},
    {"b_warm_up", TDM_FIELD_INT},  {"a_begins", TDM_FIELD_TEXT},  {"b_begins", TDM_FIELD_TEXT},
    {"a_gpus", TDM_FIELD_TEXT},    {"b_gpus", TDM_FIELD_TEXT}};
enum {
  WORK,
  OPERATORS,
  IN_UNITS,
  UNIT_WORK,
  A_UNITS,
  KERNELS = 6,
  WARM_UP = 8,
  BEGINS = 10,
  GPUS = 12,
  FIELDS = 14
};

/* Counts by key: of all views, each by its units or as a share of what it launched. */
static tdm_status count_keys(const tdm_diff_side *side, const tdm_diff_cover *covers,
                             tdm_diff_by by, tdm_diff_keys *keys, double **counts, size_t *room,
                             size_t *rows, tdm_error *error) {
  tdm_samples samples = {0};
  tdm_status status = TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < side->count; i++)
    status = tdm_samples_add(&samples, keys, side->view[i], &covers[i], by, side->within, error);
  size_t before = *room;
  if (status == TDM_OK && !tdm_array_grow(counts, room, keys->keys.count + 1, sizeof **counts))
    status = tdm_error_memory(error, "names of a diff", keys->keys.count);
  if (status == TDM_OK) memset(*counts + before, 0, (*room - before) * sizeof **counts);
  for (size_t i = 0; status == TDM_OK && i < samples.count; i++)
    (*counts)[samples.key[i]] += samples.weight[i];
  *rows = samples.count;
  tdm_samples_close(&samples);
  return status;
}

/* NaN where neither has any. `covers`: as in tdm_diff_covers; in shares of all unless in units. */
static tdm_status jaccard(const tdm_diff_side *a, const tdm_diff_side *b,
                          const tdm_diff_cover *covers, tdm_diff_by by, double *alike,
                          tdm_error *error) {
  tdm_diff_keys keys = {0};
  double *counts[2] = {NULL, NULL}, least = 0, most = 0, total[2] = {1, 1};
  size_t room[2] = {0, 0}, rows[2] = {0, 0};
  bool in_units = covers[0].units != NULL;
  tdm_status status = count_keys(a, covers, by, &keys, &counts[0], &room[0], &rows[0], error);
  if (status == TDM_OK)
    status = count_keys(b, covers + a->count, by, &keys, &counts[1], &room[1], &rows[1], error);
  for (size_t s = 0; status == TDM_OK && s < 2; s++)
    total[s] = in_units ? (double)(s == 0 ? a->count : b->count) : fmax(1, (double)rows[s]);
  for (size_t k = 0; status == TDM_OK && k < keys.keys.count; k++) {
    double x = k < room[0] ? counts[0][k] / total[0] : 0,
           y = k < room[1] ? counts[1][k] / total[1] : 0;
    least += fmin(x, y);
    most += fmax(x, y);
  }
  *alike = most > 0 ? least / most : NAN;
  free(counts[0]);
  free(counts[1]);
  tdm_intern_clear(&keys.keys);
  return status;
}

/* Weights that make counts those of one unit: each view's units, then the views' mean. */
static tdm_status unit_work(const tdm_diff_side *a, const tdm_diff_side *b, double *alike,
                            tdm_error *error) {
  tdm_diff_cover *covers = tdm_array_new(a->count + b->count, sizeof *covers);
  tdm_status status = covers == NULL ? tdm_error_memory(error, "a diff", 0) : TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < a->count + b->count; i++) {
    tdm_run_view *view = i < a->count ? a->view[i] : b->view[i - a->count];
    status = tdm_work_units_of(view, &covers[i].units, error);
  }
  if (status == TDM_OK) status = jaccard(a, b, covers, TDM_DIFF_BASE, alike, error);
  free(covers);
  return status;
}

/* "2 × NVIDIA H100": the cards of the first run. */
static void put_gpus(tdm_frame *frame, size_t field, tdm_run_view *view) {
  uint32_t count = tdm_run_view_devices(view);
  char text[256];
  if (count == 0) return;
  const char *name = tdm_run_view_device(view, 0)->name, *end = strstr(name, " #");
  int length = (int)(end != NULL ? (size_t)(end - name) : strlen(name));
  if (end == NULL && strncmp(name, "GPU ", 4) == 0) length = 3; /* it has a number and no name */
  snprintf(text, sizeof text, "%u × %.*s", count, length, name);
  tdm_frame_text(frame, field, text);
}

static tdm_status put_units(tdm_frame *frame, const tdm_diff_side *side, size_t which,
                            size_t *fewest, tdm_error *error) {
  size_t units = 0, kernels = 0, warm_up = 0;
  const char *begins = NULL;
  *fewest = SIZE_MAX;
  for (size_t i = 0; i < side->count; i++) {
    const tdm_work_units *of;
    tdm_status status = tdm_work_units_of(side->view[i], &of, error);
    if (status != TDM_OK) return status;
    units += of->count;
    warm_up += of->warm_up;
    if (of->count < *fewest) *fewest = of->count;
    if (i == 0) kernels = of->kernels, begins = of->begins;
  }
  tdm_frame_int(frame, A_UNITS + which, (int64_t)units);
  tdm_frame_int(frame, KERNELS + which, (int64_t)kernels);
  tdm_frame_int(frame, WARM_UP + which, (int64_t)warm_up);
  tdm_frame_text(frame, BEGINS + which, begins);
  put_gpus(frame, GPUS + which, side->view[0]);
  return TDM_OK;
}

tdm_status tdm_diff_alike(const tdm_diff_side *a, const tdm_diff_side *b, tdm_answer *out,
                          tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "alike", fields, FIELDS);
  tdm_diff_cover *whole = NULL;
  double work = NAN, operators = NAN, of_unit = NAN;
  size_t fewest[2] = {0, 0}, unused[2];
  tdm_frame_row(frame);
  tdm_status status = put_units(frame, a, 0, &fewest[0], error);
  if (status == TDM_OK) status = put_units(frame, b, 1, &fewest[1], error);
  if (status == TDM_OK)
    status = tdm_diff_covers(a, b, false, &whole, &unused[0], &unused[1], error);
  if (status == TDM_OK) status = jaccard(a, b, whole, TDM_DIFF_BASE, &work, error);
  if (status == TDM_OK) status = jaccard(a, b, whole, TDM_DIFF_OPERATOR, &operators, error);
  bool cut = fewest[0] >= FEWEST_UNITS && fewest[1] >= FEWEST_UNITS;
  if (status == TDM_OK && cut) status = unit_work(a, b, &of_unit, error);
  free(whole);
  if (status != TDM_OK) return status;
  tdm_frame_real(frame, WORK, work);
  tdm_frame_real(frame, OPERATORS, operators);
  tdm_frame_real(frame, UNIT_WORK, of_unit);
  tdm_frame_bool(frame, IN_UNITS, cut && of_unit >= SAME_UNIT);
  return TDM_OK;
}
