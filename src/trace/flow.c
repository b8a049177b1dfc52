/* Flow steps of requests. See flow.h. */
#include "trace/flow.h"

#include <stdlib.h>

#include "base/memory.h"

#define ORDINAL_MASK ((UINT64_C(1) << 48) - 1)

typedef struct {
  uint64_t request;
  int64_t start_ns, end_ns;
  size_t position;
} visit;

static int compare_visits(const void *left, const void *right) {
  const visit *a = left, *b = right;
  if (a->request != b->request) return a->request < b->request ? -1 : 1;
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
  if (a->end_ns != b->end_ns) return a->end_ns < b->end_ns ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

tdm_status tdm_flow_mark(const tdm_trace *trace, const tdm_order *order, uint64_t requests,
                         char *mark, tdm_error *error) {
  visit *visits = NULL;
  size_t count = 0, capacity = 0;
  for (size_t p = 0; p < order->count; p++) {
    mark[p] = 0;
    tdm_span span = tdm_trace_span(trace, order->index[p]);
    if ((span.request & ORDINAL_MASK) >= requests) continue;
    if (!tdm_array_grow(&visits, &capacity, count + 1, sizeof *visits)) {
      free(visits);
      return tdm_error_memory(error, "request flows", (count + 1) * sizeof *visits);
    }
    visits[count++] = (visit){span.request, span.start_ns, span.start_ns + span.dur_ns, p};
  }
  if (count > 1) qsort(visits, count, sizeof *visits, compare_visits);
  for (size_t i = 0; i < count; i++) {
    int first = i == 0 || visits[i - 1].request != visits[i].request;
    int last = i + 1 == count || visits[i + 1].request != visits[i].request;
    if (first && last) continue;
    mark[visits[i].position] = first ? 's' : last ? 'f' : 't';
  }
  free(visits);
  return TDM_OK;
}
