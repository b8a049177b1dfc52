/* Calls that have begun and ends that have come early, found by key and by thread.
 *
 * Owns them and their arguments. Called by read/cuda_api/calls. */
#ifndef TDM_READ_CUDA_API_PAIRS_H
#define TDM_READ_CUDA_API_PAIRS_H

#include "read/cuda_api/threads.h"

typedef struct {
  uint64_t a, b; /* process and op_id, or thread and function */
} tdm_api_pair_key;

typedef struct {
  tdm_api_pair_key key;
  int64_t time_ns, dur_ns; /* dur_ns: of an end that says it, or TDM_NONE */
  int64_t depth;
  const char *category;
  tdm_api_args *args; /* NULL: none */
  uint32_t name, thread;
  uint32_t older;        /* of the same key, or free */
  uint32_t below, above; /* of the thread (beginnings), or of all ends; TDM_API_NO_CALL */
  uint8_t does;
  bool is_end, detailed;
} tdm_api_half;

typedef struct {
  tdm_api_pair_key key;
  uint32_t newest; /* half + 1; 0: free */
} tdm_api_pair_slot;

typedef struct {
  tdm_api_half *halves;
  size_t count, room;
  uint32_t free; /* half + 1 */
  tdm_api_pair_slot *slots;
  size_t slot_count, slots_used;
  uint32_t oldest_end, newest_end; /* TDM_API_NO_CALL */
  uint32_t ends;
} tdm_api_pairs;

void tdm_api_pairs_init(tdm_api_pairs *pairs);
void tdm_api_pairs_clear(tdm_api_pairs *pairs);

/* Puts a half in; its args are copied. Beginnings go on their thread's stack. TDM_API_NO_CALL: out
 * of memory. */
uint32_t tdm_api_pairs_put(tdm_api_pairs *pairs, tdm_api_thread *thread, const tdm_api_half *half,
                           const tdm_api_args *args);
void tdm_api_pairs_drop(tdm_api_pairs *pairs, tdm_api_thread *thread, uint32_t half);

/* The other half of `half`, by its key, time and depth. TDM_API_NO_CALL: it is not there. */
uint32_t tdm_api_pairs_match(const tdm_api_pairs *pairs, const tdm_api_half *half, bool by_id);

#endif
