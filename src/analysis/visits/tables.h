/* The rows that a map's rules look at, and whether a rule takes one.
 *
 * Tables are the view's; this owns what is derived from them. A table is loaded when a rule needs
 * it. Used by mapped.c and what belongs to it. */
#ifndef TDM_ANALYSIS_VISITS_TABLES_H
#define TDM_ANALYSIS_VISITS_TABLES_H

#include "analysis/gpu_work.h"
#include "analysis/name_marks.h"
#include "analysis/processes.h"
#include "analysis/visits/rule.h"

typedef enum {
  TDM_OF_RANGES,      /* that nest on their thread */
  TDM_OF_FREE_RANGES, /* that need not */
  TDM_OF_CALLS,
  TDM_OF_WORK,
  TDM_OF_SYNCS,
  TDM_ROW_TABLES
} tdm_row_table;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table[TDM_ROW_TABLES]; /* of GPU work and calls: tdm_gpu_work, tdm_api_calls */
  const tdm_launched *launched;
  const tdm_processes *processes;
  const char *const *categories; /* of both tables of ranges */
  size_t arg_key;         /* of the first size argument in these tables: three columns each */
  uint8_t *work_class;    /* by row of GPU work */
  tdm_name_marks *graphs; /* calls that launch one */
} tdm_visit_tables;

tdm_status tdm_visit_tables_open(tdm_run_view *view, const tdm_visit_map *map,
                                 tdm_visit_tables *out, tdm_error *error);
void tdm_visit_tables_close(tdm_visit_tables *tables);

/* Which tables a rule looks at: bits 1 << tdm_row_table. */
unsigned tdm_visit_rule_tables(const tdm_visit_tables *tables, const tdm_visit_rule *rule);

/* Whether a rule takes a row by what the row says itself; of a rule for GPU work in ranges, whether
 * it takes the range. */
bool tdm_visit_rule_takes(const tdm_visit_tables *tables, tdm_visit_rule *rule, tdm_row_table of,
                          size_t row);

/* An argument of a range: the size'th of the map that is one; NaN: it has none. */
double tdm_visit_range_arg(const tdm_visit_tables *tables, const tdm_table *ranges, size_t arg,
                           size_t row);

#endif
