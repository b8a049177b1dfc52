/* The lanes of the picture: what kind of resource a span, a stage or a station belongs to.
 * Names are engine/sink.c's. Used by model, engine, trace. */
#ifndef TDM_BASE_LANE_H
#define TDM_BASE_LANE_H

typedef enum {
  TDM_LANE_QUEUE,
  TDM_LANE_CPU,
  TDM_LANE_H2D,
  TDM_LANE_GPU,
  TDM_LANE_D2H,
  TDM_LANE_COMM,
  TDM_LANE_OTHER,
  TDM_LANES
} tdm_lane;

const char *tdm_lane_name(tdm_lane lane); /* "QUEUE", "CPU", … */

#endif
