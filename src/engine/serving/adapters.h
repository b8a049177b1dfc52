/* LoRA adapters of one instance: which are on the GPU, and who among them is in use.
 *
 * At most so many are there at a time. Those of running requests stay; of the others the one that
 * was in use longest ago makes room. An adapter is known by a small number once it has been named,
 * and has a list of waiting requests that were passed over for its sake. Owns its tables; requests
 * are jobs of the instance. Work is by changes, never by adapters. Used by the scheduler. */
#ifndef TDM_ENGINE_SERVING_ADAPTERS_H
#define TDM_ENGINE_SERVING_ADAPTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/serving/fairness.h"

#define TDM_NO_ADAPTER UINT32_MAX

typedef struct {
  uint64_t id;
  int64_t users; /* running requests */
  bool resident;
  uint32_t before, after; /* resident without users: in order of last use */
  tdm_job_list passed;    /* waiting requests, as they were passed over */
} tdm_adapter;

/* Zeroed: none may be there, and nobody is kept out. */
typedef struct {
  tdm_adapter *items;
  size_t count, capacity;
  uint32_t *buckets; /* by id: item + 1 */
  size_t bucket_count;
  int64_t most, resident, used; /* used: have users */
  uint32_t oldest, newest;      /* of those without users */
} tdm_adapters;

void tdm_adapters_open(tdm_adapters *adapters, int64_t most);
void tdm_adapters_close(tdm_adapters *adapters);

/* Its number, maybe a new one. False: out of memory. */
bool tdm_adapters_name(tdm_adapters *adapters, uint64_t id, uint32_t *number);

/* One more request may use it now; TDM_NO_ADAPTER may always. */
bool tdm_adapters_admit(const tdm_adapters *adapters, uint32_t number);
/* It is admitted. True: it had to be loaded. */
bool tdm_adapters_take(tdm_adapters *adapters, uint32_t number);
void tdm_adapters_give(tdm_adapters *adapters, uint32_t number);

#endif
