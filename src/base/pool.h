/* What pool.c and evidence.c share: all sections of a run in a row, in groups, and the pool without
 * one of those. Nobody else includes it; base/sections.h is the door. */
#ifndef TDM_BASE_POOL_H
#define TDM_BASE_POOL_H

#include "base/sections.h"

#define TDM_POOL_GROUPS 64u /* of sections that are left out together */
#define TDM_POOL_WHOLE  SIZE_MAX

struct tdm_pool {
  const tdm_section **sections;
  const tdm_sections **runs;
  size_t section_count, run_count, replications, room;
  size_t groups, each; /* each: sections a run */
  bool exact;          /* all sections keep their times */
  bool bounded;
  bool series, smoothed; /* see tdm_pool_of_series */
  uint64_t count;
  double requests; /* of the run; 0: as many as times */
  double squares;  /* of gaps from their runs' means, seconds² */
  tdm_tail tails;  /* sums: errors as their squares; see tdm_pool_tail */
  /* Where exact, once all replications are there: all times, sorted, and where those of group g
   * lie among them: places[starts[g]] … places[starts[g + 1] - 1]. */
  int64_t *merged_ns;
  uint32_t *places;
  size_t starts[TDM_POOL_GROUPS + 1];
};

/* Sections of group g; groups are contiguous, so that neighbours stay together. */
size_t tdm_pool_group_start(const tdm_pool *pool, size_t group);
size_t tdm_pool_group_of(const tdm_pool *pool, size_t section);

/* How many times of a section are at least ns: linear inside a bucket. */
double tdm_section_at_least(const tdm_section *section, double ns);

/* The pool without one of its groups, or with all (TDM_POOL_WHOLE). */
typedef struct {
  const tdm_pool *pool;
  size_t group;    /* that is left out, or TDM_POOL_WHOLE */
  size_t from, to; /* its sections */
  uint64_t count;
} tdm_pool_view;

tdm_pool_view tdm_pool_without(const tdm_pool *pool, size_t group);
double tdm_pool_view_quantile_ns(const tdm_pool_view *view, double level); /* NaN: it is empty */

#endif
