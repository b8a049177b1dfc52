/* How many replicas an LLM server has, when that follows its load: a rule as data. Plain numbers;
 * owns nothing. Obeyed by engine/scaling. */
#ifndef TDM_MODEL_LLM_SCALING_H
#define TDM_MODEL_LLM_SCALING_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  TDM_SCALE_BY_OUTSTANDING, /* requests that are there */
  TDM_SCALE_BY_QUEUE,       /* requests that wait */
  TDM_SCALE_BY_KV,          /* share of the KV blocks in use */
  TDM_SCALE_BY_UTILIZATION, /* share of the time with a step */
  TDM_SCALE_BY_FUNCTION
} tdm_scaling_metric;

/* Every every_ns as many replicas are wanted as would each have `target` of what all have together;
 * a number that is wanted for up_ns (more) or down_ns (fewer) without a break is acted upon. */
typedef struct {
  bool on; /* else all replicas are there for ever */
  uint32_t least, start;
  tdm_scaling_metric metric;
  double target;
  double tolerance; /* as long as it is off by no more than this share, nothing changes */
  int64_t every_ns, up_ns, down_ns;
  int64_t delay_ns; /* from the decision until a new replica takes requests */
  uint32_t function;
} tdm_scaling_rule;

#endif
