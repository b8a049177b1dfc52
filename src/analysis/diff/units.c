/* Units of work: what a run does over and over, found without markers; see inside.h.
 *
 * The kernels of the busiest GPU in the order of their launches are a text whose letters are name
 * and grid. The distance at which most runs of letters come again is the period: of those at which
 * nearly as much of the text agrees with itself, the shortest. The kernel that comes once a period
 * cuts the time; a unit whose kernels are a tenth more or fewer than the period is none. */
#include "analysis/diff/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"
#include "base/rng.h"

static const char *const categories[] = {"kernel", NULL};
static const tdm_arg keys[] = {{"grid_x", TDM_ARG_INT},
                               {"grid_y", TDM_ARG_INT},
                               {"grid_z", TDM_ARG_INT},
                               {"correlation", TDM_ARG_INT},
                               {NULL, TDM_ARG_INT}};
enum { ARG_CORRELATION = 3, LETTER_KEYS = 4 };
static const tdm_wanted wanted = {.categories = categories, .keys = keys};

enum { GRAM = 8, LAGS = 16, FEWEST = 24 };
#define LEAST_MATCH 0.75 /* of the text agrees with itself a period later */
#define NEARLY      0.9  /* of the best agreement is as good as it */
#define LEAST_LAG   0.02 /* of all positions have their next gram at a distance worth a look */
#define MAY_DIFFER  0.1  /* of a unit's kernels */
#define REGULAR     0.8  /* of the distances of what cuts are a period */
#define SLOW_START  3.0  /* robust deviations: a first unit that takes longer is warm-up */

typedef struct {
  const tdm_table *kernels;
  uint32_t *row;    /* by position */
  uint32_t *letter; /* by position */
  size_t count;
  tdm_groups letters;
} text;

static void close_text(text *t) {
  free(t->row);
  free(t->letter);
  tdm_groups_close(&t->letters);
}

static tdm_status find_busiest(tdm_run_view *view, const tdm_table *kernels, uint32_t *device,
                               tdm_error *error) {
  uint32_t devices = tdm_run_view_devices(view), best = TDM_NO_DEVICE;
  int64_t *sum_ns = tdm_array_new(devices + 1, sizeof *sum_ns);
  if (sum_ns == NULL) return tdm_error_memory(error, "devices", devices);
  for (size_t i = 0; i < kernels->count; i++) {
    uint32_t d = tdm_run_view_device_of(view, tdm_table_track(kernels, i));
    if (d == TDM_NO_DEVICE) continue;
    sum_ns[d] =
        tdm_sum_ns(sum_ns[d], tdm_table_end_ns(kernels, i) - tdm_table_start_ns(kernels, i));
    if (best == TDM_NO_DEVICE || sum_ns[d] > sum_ns[best]) best = d;
  }
  free(sum_ns);
  *device = best;
  return TDM_OK;
}

/* Streams race, launches do not: correlations count up in their order, where all have one. */
static tdm_status put_in_order(text *t, tdm_error *error) {
  uint64_t *key = tdm_array_new(t->count + 1, sizeof *key);
  uint32_t *order = tdm_array_new(t->count + 1, sizeof *order);
  uint32_t *row = tdm_array_new(t->count + 1, sizeof *row);
  bool known = true;
  tdm_status status = key != NULL && order != NULL && row != NULL
                          ? TDM_OK
                          : tdm_error_memory(error, "launches in order", t->count);
  for (size_t i = 0; status == TDM_OK && i < t->count; i++) {
    int64_t correlation = tdm_table_arg(t->kernels, ARG_CORRELATION, t->row[i]);
    known = known && correlation != TDM_NONE && correlation >= 0;
    key[i] = known ? (uint64_t)correlation : 0;
    order[i] = (uint32_t)i;
  }
  if (status == TDM_OK && known) {
    status = tdm_order_by(key, order, t->count, error);
    for (size_t i = 0; i < t->count; i++) row[i] = t->row[order[i]];
    memcpy(t->row, row, t->count * sizeof *row);
  }
  free(key);
  free(order);
  free(row);
  return status;
}

static tdm_status read_text(tdm_run_view *view, text *t, tdm_error *error) {
  tdm_status status = tdm_run_view_table(view, &wanted, &t->kernels, error);
  if (status != TDM_OK || t->kernels->count < FEWEST) return status;
  uint32_t device = TDM_NO_DEVICE;
  status = find_busiest(view, t->kernels, &device, error);
  if (status != TDM_OK || device == TDM_NO_DEVICE) return status;
  t->row = tdm_array_new(t->kernels->count, sizeof *t->row);
  t->letter = tdm_array_new(t->kernels->count, sizeof *t->letter);
  if (t->row == NULL || t->letter == NULL)
    return tdm_error_memory(error, "kernels in order", t->kernels->count);
  for (size_t i = 0; i < t->kernels->count; i++)
    if (tdm_run_view_device_of(view, tdm_table_track(t->kernels, i)) == device)
      t->row[t->count++] = (uint32_t)i;
  status = put_in_order(t, error);
  if (status == TDM_OK) status = tdm_groups_open(&t->letters, LETTER_KEYS, t->count, error);
  for (size_t i = 0; status == TDM_OK && i < t->count; i++) {
    uint32_t row = t->row[i];
    const int64_t key[LETTER_KEYS] = {
        tdm_table_name(t->kernels, row), tdm_table_arg(t->kernels, 0, row),
        tdm_table_arg(t->kernels, 1, row), tdm_table_arg(t->kernels, 2, row)};
    t->letter[i] = tdm_groups_add(&t->letters, key);
    if (t->letter[i] == UINT32_MAX) status = tdm_error_memory(error, "kernels in order", t->count);
  }
  return status;
}

/* ---- the period ---- */

typedef struct {
  size_t lag, count;
} recurrence;

static int more_often(const void *x, const void *y) {
  const recurrence *a = x, *b = y;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return (a->lag > b->lag) - (a->lag < b->lag);
}

/* How often grams come again how far away: the most frequent distances first. */
static tdm_status find_lags(const text *t, recurrence *lags, size_t *found, tdm_error *error) {
  tdm_groups grams, distances = {0};
  size_t last_room = 0, count = 0;
  uint32_t *last = NULL;
  recurrence *all = NULL;
  tdm_status status = tdm_groups_open(&grams, 1, t->count, error);
  if (status == TDM_OK) status = tdm_groups_open(&distances, 1, t->count, error);
  for (size_t i = 0; status == TDM_OK && i + GRAM <= t->count; i++) {
    uint64_t hash = 0;
    for (size_t k = 0; k < GRAM; k++) hash = tdm_mix(hash * TDM_GAMMA + t->letter[i + k] + 1);
    int64_t key = (int64_t)(hash >> 1);
    size_t before = grams.count;
    uint32_t g = tdm_groups_add(&grams, &key);
    int64_t distance = g < before ? (int64_t)i - last[g] : 0;
    bool room = g != UINT32_MAX && tdm_array_grow(&last, &last_room, grams.count, sizeof *last);
    if (!room || (distance > 0 && tdm_groups_add(&distances, &distance) == UINT32_MAX))
      status = tdm_error_memory(error, "periods", t->count);
    else
      last[g] = (uint32_t)i;
  }
  if (status == TDM_OK && (all = tdm_array_new(distances.count + 1, sizeof *all)) == NULL)
    status = tdm_error_memory(error, "periods", distances.count);
  for (size_t i = 0; status == TDM_OK && i < distances.rows; i++) all[distances.group[i]].count++;
  for (size_t d = 0; status == TDM_OK && d < distances.count; d++)
    all[d].lag = (size_t)distances.key[d];
  if (status == TDM_OK) {
    qsort(all, distances.count, sizeof *all, more_often);
    while (count < LAGS && count < distances.count &&
           (double)all[count].count >= LEAST_LAG * (double)t->count) {
      lags[count] = all[count];
      count++;
    }
  }
  *found = count;
  free(last);
  free(all);
  tdm_groups_close(&grams);
  tdm_groups_close(&distances);
  return status;
}

static double agreement(const text *t, size_t lag) {
  size_t same = 0;
  for (size_t i = 0; i + lag < t->count; i++) same += t->letter[i] == t->letter[i + lag];
  return (double)same / (double)(t->count - lag);
}

/* 0: there is none. */
static tdm_status find_period(const text *t, size_t *period, tdm_error *error) {
  recurrence lags[LAGS];
  double match[LAGS], best = 0;
  size_t count = 0;
  *period = 0;
  tdm_status status = find_lags(t, lags, &count, error);
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    match[i] = agreement(t, lags[i].lag);
    if (match[i] > best) best = match[i];
  }
  for (size_t i = 0; status == TDM_OK && best >= LEAST_MATCH && i < count; i++)
    if (match[i] >= NEARLY * best && (*period == 0 || lags[i].lag < *period)) *period = lags[i].lag;
  return status;
}

/* ---- units ---- */

static bool is_period(size_t distance, size_t period) {
  return fabs((double)distance - (double)period) <= MAY_DIFFER * (double)period;
}

/* The letter that cuts: the one that takes the most time of those that come once a period.
 * UINT32_MAX: none does. */
static uint32_t cutting_letter(text *t, size_t period) {
  uint32_t best = UINT32_MAX;
  int64_t best_ns = -1;
  for (size_t l = 0; l < t->letters.count; l++) {
    size_t regular = 0, first = t->letters.first[l], count = t->letters.first[l + 1] - first;
    int64_t sum_ns = 0;
    for (size_t i = 0; i < count; i++) {
      uint32_t at = t->letters.row[first + i];
      if (i > 0) regular += is_period(at - t->letters.row[first + i - 1], period);
      sum_ns = tdm_sum_ns(sum_ns, tdm_table_end_ns(t->kernels, t->row[at]) -
                                      tdm_table_start_ns(t->kernels, t->row[at]));
    }
    if (count < 3 || (double)regular < REGULAR * (double)(count - 1) || sum_ns <= best_ns) continue;
    best = (uint32_t)l;
    best_ns = sum_ns;
  }
  return best;
}

static int ascending(const void *x, const void *y) {
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static double middle(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Units at the beginning that take far longer than the others; at most a third of all. */
static tdm_status leave_out_warm_up(tdm_work_units *units, tdm_error *error) {
  size_t count = units->count;
  double *length = tdm_array_new(2 * count + 1, sizeof *length), *off = length + count;
  if (length == NULL) return tdm_error_memory(error, "units of work", count);
  for (size_t i = 0; i < count; i++) length[i] = (double)(units->to_ns[i] - units->from_ns[i]);
  double typical = middle(length, count);
  for (size_t i = 0; i < count; i++) off[i] = fabs(length[i] - typical);
  double spread = fmax(1.4826 * middle(off, count), 0.01 * typical);
  while (units->warm_up < count / 3 &&
         (double)(units->to_ns[units->warm_up] - units->from_ns[units->warm_up]) >
             typical + SLOW_START * spread)
    units->warm_up++;
  free(length);
  units->count -= units->warm_up;
  memmove(units->from_ns, units->from_ns + units->warm_up, units->count * sizeof(int64_t));
  memmove(units->to_ns, units->to_ns + units->warm_up, units->count * sizeof(int64_t));
  return TDM_OK;
}

/* The time in a list that is nearest to another; the list has some. */
static int64_t nearest(const int64_t *list, size_t count, int64_t time_ns) {
  size_t from = 0, to = count;
  while (from < to) {
    size_t mid = from + (to - from) / 2;
    if (list[mid] < time_ns)
      from = mid + 1;
    else
      to = mid;
  }
  if (from == count) return list[count - 1];
  if (from == 0) return list[0];
  return list[from] - time_ns < time_ns - list[from - 1] ? list[from] : list[from - 1];
}

/* Where each GPU begins the units, by its own kernels of the letter; one that has none of them is
 * cut where the other is. */
static tdm_status cut_each_device(tdm_run_view *view, const text *t, uint32_t letter,
                                  tdm_work_units *units, tdm_error *error) {
  const int64_t *key = t->letters.key + (size_t)letter * LETTER_KEYS;
  uint32_t devices = tdm_run_view_devices(view);
  int64_t *starts = tdm_array_new(t->kernels->count + 1, sizeof *starts);
  int64_t *from_ns = tdm_array_new((devices + 1) * units->count + 1, sizeof *from_ns);
  int64_t *to_ns = tdm_array_new((devices + 1) * units->count + 1, sizeof *to_ns);
  if (starts == NULL || from_ns == NULL || to_ns == NULL) {
    free(starts);
    free(from_ns);
    free(to_ns);
    return tdm_error_memory(error, "units of work", units->count);
  }
  for (uint32_t d = 0; d <= devices; d++) {
    size_t count = 0;
    for (size_t i = 0; d > 0 && i < t->kernels->count; i++)
      if (tdm_table_name(t->kernels, i) == key[0] && tdm_table_arg(t->kernels, 0, i) == key[1] &&
          tdm_table_arg(t->kernels, 1, i) == key[2] && tdm_table_arg(t->kernels, 2, i) == key[3] &&
          tdm_run_view_device_of(view, tdm_table_track(t->kernels, i)) == d - 1)
        starts[count++] = tdm_table_start_ns(t->kernels, i);
    for (size_t u = 0; u < units->count; u++) {
      int64_t from = units->from_ns[u], to = units->to_ns[u];
      from_ns[d * units->count + u] = count > 0 ? nearest(starts, count, from) : from;
      to_ns[d * units->count + u] = count > 0 ? nearest(starts, count, to) : to;
    }
  }
  free(starts);
  free(units->from_ns);
  free(units->to_ns);
  units->from_ns = from_ns;
  units->to_ns = to_ns;
  return TDM_OK;
}

static tdm_status cut(tdm_run_view *view, text *t, tdm_work_units *units, tdm_error *error) {
  tdm_status status = tdm_groups_gather(&t->letters, error);
  if (status != TDM_OK) return status;
  uint32_t letter = cutting_letter(t, units->kernels);
  if (letter == UINT32_MAX) return TDM_OK;
  size_t first = t->letters.first[letter], last = t->letters.first[letter + 1] - 1;
  units->from_ns = tdm_array_new(last - first + 1, sizeof(int64_t));
  units->to_ns = tdm_array_new(last - first + 1, sizeof(int64_t));
  if (units->from_ns == NULL || units->to_ns == NULL)
    return tdm_error_memory(error, "units of work", last - first);
  for (size_t i = first; i < last; i++) {
    uint32_t a = t->letters.row[i], b = t->letters.row[i + 1];
    int64_t from_ns = tdm_table_start_ns(t->kernels, t->row[a]),
            to_ns = tdm_table_start_ns(t->kernels, t->row[b]);
    if (!is_period(b - a, units->kernels) || to_ns <= from_ns) continue;
    if (units->count > 0 && from_ns < units->to_ns[units->count - 1]) continue;
    units->from_ns[units->count] = from_ns;
    units->to_ns[units->count++] = to_ns;
  }
  units->begins = tdm_run_view_name(view, t->letters.key[letter * LETTER_KEYS]);
  if (units->count == 0) return TDM_OK;
  status = leave_out_warm_up(units, error);
  return status == TDM_OK ? cut_each_device(view, t, letter, units, error) : status;
}

static void forget(void *object) {
  tdm_work_units *units = object;
  free(units->from_ns);
  free(units->to_ns);
  free(units);
}

tdm_status tdm_work_units_of(tdm_run_view *view, const tdm_work_units **out, tdm_error *error) {
  static const char key;
  *out = tdm_run_view_kept(view, &key);
  if (*out != NULL) return TDM_OK;
  tdm_work_units *units = tdm_array_new(1, sizeof *units);
  if (units == NULL) return tdm_error_memory(error, "units of work", sizeof *units);
  text t = {0};
  tdm_status status = read_text(view, &t, error);
  if (status == TDM_OK && t.count >= FEWEST) status = find_period(&t, &units->kernels, error);
  if (status == TDM_OK && units->kernels > 0) status = cut(view, &t, units, error);
  close_text(&t);
  if (status != TDM_OK) {
    forget(units);
    return status;
  }
  *out = units;
  return tdm_run_view_keep(view, &key, units, forget, error);
}

size_t tdm_work_unit_at(const tdm_work_units *units, uint32_t device, int64_t time_ns) {
  size_t first = device == TDM_NO_DEVICE ? 0 : ((size_t)device + 1) * units->count;
  const int64_t *from_ns = units->from_ns + first, *to_ns = units->to_ns + first;
  size_t from = 0, to = units->count;
  while (from < to) {
    size_t mid = from + (to - from) / 2;
    if (to_ns[mid] <= time_ns)
      from = mid + 1;
    else
      to = mid;
  }
  return from < units->count && from_ns[from] <= time_ns ? from : SIZE_MAX;
}

tdm_status tdm_diff_covers(const tdm_diff_side *a, const tdm_diff_side *b, bool in_units,
                           tdm_diff_cover **covers, size_t *a_count, size_t *b_count,
                           tdm_error *error) {
  bool runs = a->count > 1 && b->count > 1;
  tdm_status status = TDM_OK;
  *covers = tdm_array_new(a->count + b->count, sizeof **covers);
  if (*covers == NULL) return tdm_error_memory(error, "a diff", a->count + b->count);
  for (size_t side = 0; side < 2; side++) {
    const tdm_diff_side *of = side == 0 ? a : b;
    size_t count = 0;
    for (size_t i = 0; status == TDM_OK && i < of->count; i++) {
      tdm_diff_cover *c = &(*covers)[side * a->count + i];
      bool one = in_units && of->unit > 0;
      *c = (tdm_diff_cover){.first = count, .unit_by_unit = in_units && !runs && !one};
      if (in_units) status = tdm_work_units_of(of->view[i], &c->units, error);
      if (one) c->only = of->unit;
      if (status == TDM_OK && one && of->unit > c->units->count)
        status = tdm_error_set(error, TDM_INVALID, "there is no unit of work %zu: %c has %zu",
                               of->unit, side == 0 ? 'A' : 'B', c->units->count);
      count += c->unit_by_unit && status == TDM_OK ? c->units->count : 1;
    }
    *(side == 0 ? a_count : b_count) = count;
  }
  return status;
}
