/* What if: costs of the dependency graph under a change, and its replay.
 *
 * A change is names that are faster, launches that cost nothing, copies that hold nothing up, or
 * all of these. Owns its factors; the path is borrowed. Used by the analysis critical_path. */
#ifndef TDM_ANALYSIS_PATH_CHANGE_H
#define TDM_ANALYSIS_PATH_CHANGE_H

#include "analysis/answer.h"
#include "analysis/path/path.h"

typedef struct {
  const tdm_path *path;
  float *factor;     /* by row of the graph: how many times as fast; NULL: all as they are */
  uint8_t *launches; /* by host record: it launches work; NULL: launches cost what they cost */
  bool overlapped_copies;
} tdm_change;

/* Texts "NAME=2x; OTHER=1.5": a name that contains NAME, or matches it as an extended regular
 * expression. What is within a host record of that name is faster with it. Adds to the change;
 * *matched is the number of rows, and the answer says which names match none. TDM_INVALID: it is no
 * such text. */
tdm_status tdm_change_faster(tdm_change *change, const char *text, size_t *matched, tdm_answer *out,
                             tdm_error *error);
/* The same of one exact name. */
tdm_status tdm_change_faster_name(tdm_change *change, int64_t name, double factor,
                                  tdm_error *error);
tdm_status tdm_change_free_launches(tdm_change *change, tdm_error *error);
void tdm_change_close(tdm_change *change);

/* How long the run would take from a time to a place of the order. `at_ns` [points] is scratch. */
int64_t tdm_change_replay(const tdm_change *change, int64_t from_ns, size_t last, int64_t *at_ns);

#endif
