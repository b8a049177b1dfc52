/* The API server in front of an LLM server: processes that take requests in and stream tokens out.
 *
 * A request occupies a worker while its prompt is tokenized, first come first served, and only then
 * goes to the replicas. What streaming its tokens costs is charged to a worker when the last one
 * leaves, so that the workers' load and its limit are right; tokens themselves leave a constant
 * time after their step, whoever else is served. Owns when each worker is free, as a heap. Called
 * by generate.c. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/events/llm.h"

bool tdm_front_open(const tdm_api_costs *api, tdm_front_run *front) {
  *front = (tdm_front_run){0};
  if (api->workers == 0) return true;
  front->free_ns = tdm_array_new(api->workers, sizeof *front->free_ns);
  return front->free_ns != NULL;
}

void tdm_front_close(tdm_front_run *front) {
  free(front->free_ns);
}

/* Work without end is booked up to there. */
static int64_t later(int64_t time_ns, int64_t work_ns) {
  const int64_t far_ns = INT64_MAX / 4;
  return work_ns < far_ns - time_ns ? time_ns + work_ns : far_ns;
}

/* The first to be free takes it. */
int64_t tdm_front_take(const tdm_api_costs *api, tdm_front_run *front, int64_t now_ns,
                       int64_t work_ns) {
  int64_t *heap = front->free_ns, begin_ns = heap[0] > now_ns ? heap[0] : now_ns;
  int64_t end_ns = later(begin_ns, work_ns);
  size_t at = 0, count = api->workers;
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    child += child + 1 < count && heap[child + 1] < heap[child];
    if (heap[child] >= end_ns) break;
    heap[at] = heap[child];
  }
  heap[at] = end_ns;
  front->work_ns = later(front->work_ns, work_ns);
  return end_ns;
}
