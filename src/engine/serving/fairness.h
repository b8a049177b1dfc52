/* Who was served how much: virtual token counters of tenants (Sheng et al., OSDI 2024).
 *
 * A tenant's counter is the tokens that its requests were served, weighted and divided by its
 * share; prompts count when they are admitted, output as it comes. Next is the tenant with the
 * least counter. Who comes back from idleness is lifted to the least of those that wait, or to the
 * tenant that was last to stop waiting, so that nobody saves up. Tokens of decoding requests are
 * counted by the decoders' clock, none touched in a step; choosing walks over the tenants that
 * wait. Owns tenants; jobs are the queue's. Called by queue and jobs. */
#ifndef TDM_ENGINE_SERVING_FAIRNESS_H
#define TDM_ENGINE_SERVING_FAIRNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t head, tail;
  int64_t count;
} tdm_job_list;

typedef struct {
  double share;
  double lift;
  int64_t input, output;    /* tokens */
  int64_t decoding, joined; /* requests that decode; Σ of the clocks at which they joined */
  tdm_job_list waiting;     /* first come, first served */
  size_t place;             /* in the backlog while somebody waits */
} tdm_tenant;

#define TDM_NO_TENANT UINT32_MAX

typedef struct {
  double input_weight, output_weight;
  double *shares; /* by tenant, 1 beyond share_count */
  size_t share_count;
  tdm_tenant *tenants;
  size_t count, capacity;
  uint32_t *backlog; /* tenants of which somebody waits */
  size_t backlog_count, backlog_capacity;
  uint32_t last; /* to stop waiting; TDM_NO_TENANT: none did */
  int64_t waiting;
} tdm_fairness;

/* Copies the shares. False: out of memory. */
bool tdm_fairness_open(tdm_fairness *fairness, double input_weight, double output_weight,
                       const double *shares, size_t share_count);
void tdm_fairness_close(tdm_fairness *fairness);

/* False: out of memory. */
bool tdm_fairness_know(tdm_fairness *fairness, uint32_t tenant);
double tdm_fairness_counter(const tdm_fairness *fairness, uint32_t tenant, int64_t clock);

/* Somebody of the tenant waits, for whom its list is the caller's to fill: `lifted` unless it was
 * preempted. False: out of memory. */
bool tdm_fairness_wait(tdm_fairness *fairness, uint32_t tenant, bool lifted, int64_t clock);
void tdm_fairness_leave(tdm_fairness *fairness, uint32_t tenant);

static inline void tdm_fairness_join(tdm_fairness *fairness, uint32_t tenant, int64_t clock) {
  fairness->tenants[tenant].decoding++;
  fairness->tenants[tenant].joined += clock;
}
static inline void tdm_fairness_part(tdm_fairness *fairness, uint32_t tenant, int64_t joined,
                                     int64_t clock) {
  tdm_tenant *t = &fairness->tenants[tenant];
  t->decoding--;
  t->joined -= joined;
  t->output += clock - joined;
}

#endif
