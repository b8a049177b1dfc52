/* Names of lanes and outcomes, as they appear in traces, reports and scenario text. Owns no state.
 */
#include "engine/sink.h"

const char *tdm_lane_name(tdm_lane lane) {
  static const char *const names[TDM_LANES] = {"QUEUE", "CPU",  "H2D",  "GPU",
                                               "D2H",   "COMM", "OTHER"};
  return (unsigned)lane < TDM_LANES ? names[lane] : "OTHER";
}

const char *tdm_outcome_name(tdm_outcome outcome) {
  static const char *const names[TDM_OUTCOMES] = {"open",      "ok",        "dropped",
                                                  "abandoned", "timed out", "refused"};
  return (unsigned)outcome < TDM_OUTCOMES ? names[outcome] : "open";
}
