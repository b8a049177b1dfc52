/* Gaps between tokens, told by group of requests.
 *
 * A row of decode steps gives every sequence of an instance the same gaps, so it is enough to know
 * how many of them are of which group. Requests are told apart in two ways at once, by stage and by
 * tenant: each is in one group of either. Where all are alike nothing is counted, and nothing
 * costs.
 *
 * An instance owns it. Called by jobs, when sequences begin and cease to decode implicitly, and by
 * serving, when their steps are over. */
#ifndef TDM_ENGINE_SERVING_GAPS_H
#define TDM_ENGINE_SERVING_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/serving/serving.h"
#include "engine/serving/speculation.h"

/* Decoding requests whose last token came at the same time; only where steps are prefill-first,
 * which leave them out. */
typedef struct {
  int64_t since_ns, count;
} tdm_rest;

typedef struct {
  size_t first, second; /* groups of the first way and of the second */
  size_t count;         /* of both; 0: all are alike */
  int64_t *decoding;    /* [group]: sequences */
  int64_t *drafted;     /* [clock % TDM_SPECULATION_WINDOW][group]: their tokens; NULL: one each */
  int64_t *resting;     /* [rest][group]: sequences */
  size_t resting_capacity;
} tdm_gaps;

/* False: out of memory. */
bool tdm_gaps_open(tdm_gaps *gaps, size_t first, size_t second, bool drafts);
void tdm_gaps_close(tdm_gaps *gaps);

/* One sequence of these groups gets `times` gaps of its own. */
void tdm_gaps_one(const tdm_gaps *gaps, const tdm_serving_events *events, const uint32_t groups[2],
                  int64_t begin_ns, int64_t end_ns, int64_t times);
/* All that decode get one in each step; drafts: what came beside them came with the last. */
void tdm_gaps_tell(tdm_gaps *gaps, const tdm_serving_events *events, int64_t clock,
                   const tdm_serving_step *step);
/* Likewise those of one rest, from its begin on. */
void tdm_gaps_tell_rest(const tdm_gaps *gaps, const tdm_serving_events *events, size_t rest,
                        int64_t since_ns, const tdm_serving_step *step);

/* Sequences begin to decode (sign 1), or cease to. */
void tdm_gaps_count(tdm_gaps *gaps, const uint32_t groups[2], int sign);
/* What a sequence that is so at `joined` gets of the steps from `clock` on is counted, or no more.
 * It is walked no further than a window from `joined` on. */
void tdm_gaps_draft(tdm_gaps *gaps, const tdm_speculation *speculation, const uint32_t groups[2],
                    tdm_speculator sequence, int64_t joined, int64_t clock, int sign);
/* Likewise of a rest, which must have room. */
bool tdm_gaps_rest(tdm_gaps *gaps, size_t rest, const uint32_t groups[2], int sign);
/* All that decode are one rest. */
void tdm_gaps_rest_all(tdm_gaps *gaps);

#endif
