/* A tree with a sorted array a level; see grid.h. Owns its copy of the points. */
#include "model/llm/grid.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

typedef struct {
  double *x;       /* values of this axis, in runs of one parent each */
  uint32_t *first; /* of each value's run in the next level, and one more; NULL in the last */
  size_t count;
} level;

struct tdm_llm_grid {
  size_t axes;
  level levels[TDM_LLM_GRID_AXES];
  double *values; /* by index in the last level */
};

void tdm_llm_grid_free(tdm_llm_grid *grid) {
  if (grid == NULL) return;
  for (size_t l = 0; l < grid->axes; l++) {
    free(grid->levels[l].x);
    free(grid->levels[l].first);
  }
  free(grid->values);
  free(grid);
}

/* ---- reading */

/* Between which two of the values of a run `x` lies, and how far on the way; weight 0: on `low`. */
typedef struct {
  size_t low, high;
  double weight;
} bracket;

/* The last value that is not above x; x is not below the first. */
static size_t last_up_to(const double *values, size_t begin, size_t end, double x) {
  while (end - begin > 1) {
    size_t middle = begin + (end - begin) / 2;
    if (values[middle] <= x)
      begin = middle;
    else
      end = middle;
  }
  return begin;
}

/* Beyond the last value the slope is that from half of it, or from the one before if that is less:
 * neighbours may be so near that they differ by noise. */
static bracket find(const double *values, size_t begin, size_t end, double x) {
  if (x <= values[begin] || end - begin == 1) return (bracket){begin, begin, 0};
  size_t low = last_up_to(values, begin, end, x), high = low + 1;
  if (x == values[low]) return (bracket){low, low, 0};
  if (high == end) {
    high = low;
    double half = values[high] / 2;
    low = half > values[begin] ? last_up_to(values, begin, high, half) : begin;
  }
  return (bracket){low, high, (x - values[low]) / (values[high] - values[low])};
}

static int is_last(const tdm_llm_grid *g, size_t l) {
  return l + 1 >= g->axes || l + 1 >= TDM_LLM_GRID_AXES;
}

static double between(double low, double high, double weight) {
  return low + weight * (high - low);
}

/* Beyond the last value (weight > 1) nothing gets faster. */
static double leaf(const double *values, bracket p) {
  if (p.weight <= 0) return values[p.low];
  if (p.weight > 1 && values[p.high] < values[p.low]) return values[p.high];
  return between(values[p.low], values[p.high], p.weight);
}

static double at(const tdm_llm_grid *g, size_t l, size_t begin, size_t end, const double *point) {
  const level *here = &g->levels[l];
  bracket p = find(here->x, begin, end, point[l]);
  if (is_last(g, l)) return leaf(g->values, p);
  double low = at(g, l + 1, here->first[p.low], here->first[p.low + 1], point);
  if (p.weight <= 0) return low;
  double high = at(g, l + 1, here->first[p.high], here->first[p.high + 1], point);
  return between(low, high, p.weight);
}

double tdm_llm_grid_at(const tdm_llm_grid *grid, const double *point) {
  return at(grid, 0, 0, grid->levels[0].count, point);
}

static double next_value(const double *values, size_t begin, size_t end, double x) {
  for (size_t i = begin; i < end; i++)
    if (values[i] > x) return values[i];
  return INFINITY;
}

static double next(const tdm_llm_grid *g, size_t l, size_t begin, size_t end, const double *point) {
  const level *here = &g->levels[l];
  if (is_last(g, l)) return next_value(here->x, begin, end, point[l]);
  bracket p = find(here->x, begin, end, point[l]);
  double low = next(g, l + 1, here->first[p.low], here->first[p.low + 1], point);
  if (p.weight <= 0) return low;
  double high = next(g, l + 1, here->first[p.high], here->first[p.high + 1], point);
  return low < high ? low : high;
}

double tdm_llm_grid_next(const tdm_llm_grid *grid, const double *point) {
  return next(grid, 0, 0, grid->levels[0].count, point);
}

size_t tdm_llm_grid_first_axis(const tdm_llm_grid *grid, const double **values) {
  *values = grid->levels[0].x;
  return grid->levels[0].count;
}

/* ---- building */

typedef struct {
  double numbers[TDM_LLM_GRID_AXES + 1];
} row;

static int by_point(const void *a, const void *b) {
  const row *p = a, *q = b;
  for (size_t i = 0; i < TDM_LLM_GRID_AXES; i++)
    if (p->numbers[i] != q->numbers[i]) return TDM_ORDER(p->numbers[i], q->numbers[i]);
  return 0;
}

/* First of the axes in which two rows differ; `axes` when in none. */
static size_t differ(const row *a, const row *b, size_t axes) {
  size_t l = 0;
  while (l < axes && a->numbers[l] == b->numbers[l]) l++;
  return l;
}

static int allocate(tdm_llm_grid *g, size_t count) {
  for (size_t l = 0; l < g->axes; l++) {
    g->levels[l].x = tdm_array_new(count, sizeof(double));
    if (g->levels[l].x == NULL) return 0;
    if (l + 1 == g->axes) continue;
    g->levels[l].first = tdm_array_new(count + 1, sizeof(uint32_t));
    if (g->levels[l].first == NULL) return 0;
  }
  g->values = tdm_array_new(count, sizeof(double));
  return g->values != NULL;
}

static tdm_status fill(tdm_llm_grid *g, const char *what, const row *rows, size_t count,
                       tdm_error *error) {
  for (size_t i = 0; i < count; i++) {
    size_t from = i == 0 ? 0 : differ(&rows[i - 1], &rows[i], g->axes);
    if (from == g->axes)
      return tdm_error_set(error, TDM_INVALID, "%s: a point is there twice", what);
    for (size_t l = from; l < g->axes; l++) {
      level *here = &g->levels[l];
      if (here->first != NULL) here->first[here->count] = (uint32_t)g->levels[l + 1].count;
      here->x[here->count++] = rows[i].numbers[l];
    }
    g->values[i] = rows[i].numbers[g->axes];
  }
  for (size_t l = 0; l + 1 < g->axes; l++)
    g->levels[l].first[g->levels[l].count] = (uint32_t)g->levels[l + 1].count;
  return TDM_OK;
}

/* Sorted, padded with zeros to all axes; NULL when out of memory or not numbers. */
static row *sorted(size_t axes, const double *rows, size_t count, int *numbers) {
  row *all = tdm_array_new(count, sizeof *all);
  *numbers = 1;
  if (all == NULL) return NULL;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c <= axes; c++) {
      all[i].numbers[c] = rows[i * (axes + 1) + c];
      if (!isfinite(all[i].numbers[c])) *numbers = 0;
    }
  /* The value must not take part in the order. */
  for (size_t i = 0; i < count && axes < TDM_LLM_GRID_AXES; i++) {
    all[i].numbers[TDM_LLM_GRID_AXES] = all[i].numbers[axes];
    all[i].numbers[axes] = 0;
  }
  qsort(all, count, sizeof *all, by_point);
  for (size_t i = 0; i < count; i++) all[i].numbers[axes] = all[i].numbers[TDM_LLM_GRID_AXES];
  return all;
}

tdm_status tdm_llm_grid_new(const char *what, size_t axes, const double *rows, size_t count,
                            tdm_llm_grid **out, tdm_error *error) {
  *out = NULL;
  if (axes < 1 || axes > TDM_LLM_GRID_AXES)
    return tdm_error_set(error, TDM_INVALID, "%s: 1 to %u axes", what, TDM_LLM_GRID_AXES);
  if (count == 0) return tdm_error_set(error, TDM_INVALID, "%s: no measured points", what);
  if (count > UINT32_MAX / 2) return tdm_error_set(error, TDM_LIMIT, "%s: too many points", what);
  int numbers;
  row *all = sorted(axes, rows, count, &numbers);
  tdm_llm_grid *grid = all != NULL ? calloc(1, sizeof *grid) : NULL;
  tdm_status status = TDM_OK;
  if (grid != NULL) grid->axes = axes;
  if (grid == NULL || !allocate(grid, count))
    status = tdm_error_memory(error, what, count * sizeof(row));
  else if (!numbers)
    status = tdm_error_set(error, TDM_INVALID, "%s: a point is not a number", what);
  else
    status = fill(grid, what, all, count, error);
  free(all);
  if (status != TDM_OK)
    tdm_llm_grid_free(grid);
  else
    *out = grid;
  return status;
}
