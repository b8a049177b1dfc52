/* Sampled stacks as spans: samples one after the other, and a frame that stays on the stack from
 * one to the next is one span. Owns its arrays. Called by the readers of speedscope and folded
 * stacks. */
#ifndef TDM_READ_STACK_SPANS_H
#define TDM_READ_STACK_SPANS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t frame;
  int64_t start_ns;
  int64_t samples; /* while it was on the stack */
} tdm_stack_frame;

typedef struct {
  tdm_stack_frame *open;
  size_t depth, room;
  int64_t now_ns;
  /* Called for each frame when it is over, of those that are over at once the outer ones first. */
  void (*span)(void *context, const tdm_stack_frame *frame, int64_t end_ns);
  void *context;
} tdm_stack_spans;

/* The stack from now on for `weight_ns`. 0: out of memory. */
int tdm_stack_sample(tdm_stack_spans *spans, const uint32_t *frame, size_t depth,
                     int64_t weight_ns);
/* Ends the frames that are open, and begins again at `start_ns`. */
void tdm_stack_restart(tdm_stack_spans *spans, int64_t start_ns);
void tdm_stack_free(tdm_stack_spans *spans);

#endif
