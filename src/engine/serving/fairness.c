/* Counters and the backlog. Called by queue and jobs. */
#include "engine/serving/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tdm_fairness_open(tdm_fairness *fairness, double input_weight, double output_weight,
                       const double *shares, size_t share_count) {
  *fairness = (tdm_fairness){.input_weight = input_weight,
                             .output_weight = output_weight,
                             .share_count = share_count,
                             .last = TDM_NO_TENANT};
  if (share_count == 0) return true;
  fairness->shares = tdm_array_new(share_count, sizeof *fairness->shares);
  if (fairness->shares == NULL) return false;
  memcpy(fairness->shares, shares, share_count * sizeof *shares);
  return true;
}

void tdm_fairness_close(tdm_fairness *fairness) {
  free(fairness->shares);
  free(fairness->tenants);
  free(fairness->backlog);
  *fairness = (tdm_fairness){0};
}

bool tdm_fairness_know(tdm_fairness *fairness, uint32_t tenant) {
  if (tenant < fairness->count) return true;
  if (!tdm_array_grow(&fairness->tenants, &fairness->capacity, (size_t)tenant + 1,
                      sizeof *fairness->tenants))
    return false;
  for (; fairness->count <= tenant; fairness->count++)
    fairness->tenants[fairness->count] = (tdm_tenant){
        .share = fairness->count < fairness->share_count ? fairness->shares[fairness->count] : 1,
        .waiting = {.head = UINT32_MAX, .tail = UINT32_MAX}};
  return true;
}

double tdm_fairness_counter(const tdm_fairness *fairness, uint32_t tenant, int64_t clock) {
  const tdm_tenant *t = &fairness->tenants[tenant];
  int64_t output = t->output + t->decoding * clock - t->joined;
  return t->lift +
         (fairness->input_weight * (double)t->input + fairness->output_weight * (double)output) /
             t->share;
}

static double floor_of(const tdm_fairness *fairness, int64_t clock) {
  if (fairness->backlog_count == 0)
    return fairness->last == TDM_NO_TENANT ? 0
                                           : tdm_fairness_counter(fairness, fairness->last, clock);
  double least = tdm_fairness_counter(fairness, fairness->backlog[0], clock);
  for (size_t i = 1; i < fairness->backlog_count; i++) {
    double counter = tdm_fairness_counter(fairness, fairness->backlog[i], clock);
    if (counter < least) least = counter;
  }
  return least;
}

bool tdm_fairness_wait(tdm_fairness *fairness, uint32_t tenant, bool lifted, int64_t clock) {
  tdm_tenant *t = &fairness->tenants[tenant];
  fairness->waiting++;
  if (t->waiting.count > 0) return true;
  if (!tdm_array_grow(&fairness->backlog, &fairness->backlog_capacity, fairness->backlog_count + 1,
                      sizeof *fairness->backlog))
    return false;
  if (lifted) {
    double behind = floor_of(fairness, clock) - tdm_fairness_counter(fairness, tenant, clock);
    if (behind > 0) t->lift += behind;
  }
  t->position = fairness->backlog_count;
  fairness->backlog[fairness->backlog_count++] = tenant;
  return true;
}

void tdm_fairness_leave(tdm_fairness *fairness, uint32_t tenant) {
  tdm_tenant *t = &fairness->tenants[tenant];
  fairness->waiting--;
  if (t->waiting.count > 0) return;
  uint32_t moved = fairness->backlog[--fairness->backlog_count];
  fairness->backlog[t->position] = moved;
  fairness->tenants[moved].position = t->position;
  fairness->last = tenant;
}
