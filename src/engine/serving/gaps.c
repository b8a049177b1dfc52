/* Called by jobs and serving. */
#include "engine/serving/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tdm_gaps_open(tdm_gaps *gaps, size_t first, size_t second, bool drafts) {
  *gaps = (tdm_gaps){.first = first, .second = second};
  if (first <= 1 && second == 0) return true;
  gaps->count = first + second;
  gaps->decoding = tdm_array_new(gaps->count, sizeof *gaps->decoding);
  if (drafts)
    gaps->drafted = tdm_array_new(gaps->count * TDM_SPECULATION_WINDOW, sizeof *gaps->drafted);
  return gaps->decoding != NULL && (!drafts || gaps->drafted != NULL);
}

void tdm_gaps_close(tdm_gaps *gaps) {
  free(gaps->decoding);
  free(gaps->drafted);
  free(gaps->resting);
  *gaps = (tdm_gaps){0};
}

/* ---- telling */

static void tell(const tdm_serving_events *events, int64_t begin_ns, int64_t end_ns, int64_t steps,
                 int64_t sequences, size_t group) {
  events->token_gaps(events->context, begin_ns, end_ns, steps, sequences, (uint32_t)group);
}

void tdm_gaps_one(const tdm_gaps *gaps, const tdm_serving_events *events, const uint32_t groups[2],
                  int64_t begin_ns, int64_t end_ns, int64_t times) {
  tell(events, begin_ns, end_ns, 1, times, groups[0]);
  if (gaps->second > 0) tell(events, begin_ns, end_ns, 1, times, gaps->first + groups[1]);
}

void tdm_gaps_tell(tdm_gaps *gaps, const tdm_serving_events *events, int64_t clock,
                   const tdm_serving_step *step) {
  int64_t *drafted = NULL;
  if (gaps->drafted != NULL)
    drafted = &gaps->drafted[(size_t)(clock % TDM_SPECULATION_WINDOW) * gaps->count];
  for (size_t g = 0; g < gaps->count; g++) {
    if (gaps->decoding[g] == 0) continue;
    tell(events, step->begin_ns, step->end_ns, step->steps, gaps->decoding[g], g);
    if (drafted == NULL) continue;
    if (drafted[g] > gaps->decoding[g])
      tell(events, step->end_ns, step->end_ns, 1, drafted[g] - gaps->decoding[g], g);
    drafted[g] = 0; /* the step's place is another's from now on */
  }
}

void tdm_gaps_tell_rest(const tdm_gaps *gaps, const tdm_serving_events *events, size_t rest,
                        int64_t since_ns, const tdm_serving_step *step) {
  const int64_t *resting = &gaps->resting[rest * gaps->count];
  for (size_t g = 0; g < gaps->count; g++)
    if (resting[g] > 0) tell(events, since_ns, step->end_ns, step->steps, resting[g], g);
}

/* ---- counting */

static void add(const tdm_gaps *gaps, int64_t *by_group, const uint32_t groups[2], int64_t more) {
  by_group[groups[0]] += more;
  if (gaps->second > 0) by_group[gaps->first + groups[1]] += more;
}

void tdm_gaps_count(tdm_gaps *gaps, const uint32_t groups[2], int sign) {
  add(gaps, gaps->decoding, groups, sign);
}

void tdm_gaps_draft(tdm_gaps *gaps, const tdm_speculation *speculation, const uint32_t groups[2],
                    tdm_speculator sequence, int64_t joined, int64_t clock, int sign) {
  int64_t end = joined + TDM_SPECULATION_WINDOW;
  for (int64_t at = joined; at < end && sequence.generated < sequence.output; at++) {
    int64_t tokens = tdm_speculation_walk(speculation, &sequence);
    if (at < clock) continue;
    size_t slot = (size_t)(at % TDM_SPECULATION_WINDOW);
    add(gaps, &gaps->drafted[slot * gaps->count], groups, sign * tokens);
  }
}

bool tdm_gaps_rest(tdm_gaps *gaps, size_t rest, const uint32_t groups[2], int sign) {
  size_t before = gaps->resting_capacity;
  if (!tdm_array_grow(&gaps->resting, &gaps->resting_capacity, (rest + 1) * gaps->count,
                      sizeof *gaps->resting))
    return false;
  if (gaps->resting_capacity > before)
    memset(gaps->resting + before, 0, (gaps->resting_capacity - before) * sizeof *gaps->resting);
  add(gaps, &gaps->resting[rest * gaps->count], groups, sign);
  return true;
}

void tdm_gaps_rest_all(tdm_gaps *gaps) {
  if (gaps->resting_capacity == 0) return; /* nobody has rested */
  memset(gaps->resting, 0, gaps->resting_capacity * sizeof *gaps->resting);
  memcpy(gaps->resting, gaps->decoding, gaps->count * sizeof *gaps->resting);
}
