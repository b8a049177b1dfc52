/* Measured points of several axes, and values between them.
 *
 * A grid need not be a full product: below each value of an axis the next axis has values of its
 * own, so that measurements denser in one place, or left out in another, are used as they are.
 * Between points values are linear along each axis in turn, at a point exact; before the first
 * value of an axis they stay, beyond the last they go on with the slope of the last two, which in
 * the last axis is never taken as falling. Immutable once made. Used by table.h; a curve is a grid
 * of one axis. */
#ifndef TDM_MODEL_LLM_GRID_H
#define TDM_MODEL_LLM_GRID_H

#include <stddef.h>

#include "base/error.h"

#define TDM_LLM_GRID_AXES 4u

typedef struct tdm_llm_grid tdm_llm_grid;

/* count rows of axes + 1 numbers: the point and its value, in any order. The same point twice is
 * refused; what names the grid in messages. */
tdm_status tdm_llm_grid_new(const char *what, size_t axes, const double *rows, size_t count,
                            tdm_llm_grid **out, tdm_error *error);
void tdm_llm_grid_free(tdm_llm_grid *grid); /* NULL is fine */

double tdm_llm_grid_at(const tdm_llm_grid *grid, const double *point);
/* Up to where the value is linear in the last axis: the next of its measured values beyond the
 * point's among those that count there; INFINITY when there are none. */
double tdm_llm_grid_next(const tdm_llm_grid *grid, const double *point);
/* Values of the first axis. */
size_t tdm_llm_grid_first_axis(const tdm_llm_grid *grid, const double **values);

#endif
