/* Names of lanes, as they appear in traces, reports and scenario text. Owns no state. */
#include "engine/sink.h"

const char *tdm_lane_name(tdm_lane lane) {
  static const char *const names[TDM_LANES] = {"QUEUE", "CPU",  "H2D",  "GPU",
                                               "D2H",   "COMM", "OTHER"};
  return (unsigned)lane < TDM_LANES ? names[lane] : "OTHER";
}
