/* See stack_spans.h. */
#include "read/stack_spans.h"

#include <stdlib.h>

#include "base/memory.h"

/* Rows of equal times keep the order in which they come, and that is how they nest. */
static void cut(tdm_stack_spans *spans, size_t depth) {
  for (size_t i = depth; i < spans->depth; i++)
    spans->span(spans->context, &spans->open[i], spans->now_ns);
  if (spans->depth > depth) spans->depth = depth;
}

int tdm_stack_sample(tdm_stack_spans *spans, const uint32_t *frame, size_t depth,
                     int64_t weight_ns) {
  size_t same = 0;
  while (same < depth && same < spans->depth && spans->open[same].frame == frame[same])
    spans->open[same++].samples++;
  cut(spans, same);
  if (!tdm_array_grow(&spans->open, &spans->room, depth, sizeof *spans->open)) return 0;
  for (; same < depth; same++) spans->open[same] = (tdm_stack_frame){frame[same], spans->now_ns, 1};
  spans->depth = depth;
  if (__builtin_add_overflow(spans->now_ns, weight_ns, &spans->now_ns)) spans->now_ns = INT64_MAX;
  return 1;
}

void tdm_stack_restart(tdm_stack_spans *spans, int64_t start_ns) {
  cut(spans, 0);
  spans->now_ns = start_ns;
}

void tdm_stack_free(tdm_stack_spans *spans) {
  free(spans->open);
}
