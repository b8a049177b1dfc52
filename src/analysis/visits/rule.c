/* A map as C takes it: which rows are requests, which are their stages, which numbers they have;
 * see visits.h. */
#include "analysis/visits/visits.h"

#include <stdlib.h>

static void close_rule(tdm_visit_rule *rule) {
  tdm_pattern_close(&rule->name);
  tdm_pattern_close(&rule->domain);
  for (int i = 0; i < TDM_RULE_CATEGORIES; i++) free(rule->category[i]);
}

void tdm_visit_map_close(tdm_visit_map *map) {
  for (uint32_t i = 0; i < TDM_SEQUENCE_STEPS; i++) close_rule(&map->rule[i]);
  for (uint32_t i = 0; i < map->stages; i++) {
    free(map->stage[i].name);
    close_rule(&map->stage_rule[i]);
  }
  for (uint32_t i = 0; i < map->sizes; i++) {
    close_rule(&map->size[i].rule);
    free(map->size[i].arg);
  }
  free(map->stage);
  free(map->stage_rule);
  free(map->size);
  *map = (tdm_visit_map){0};
}

bool tdm_visit_rule_on_gpu(const tdm_visit_rule *rule) {
  switch (rule->selector) {
  case TDM_SELECT_RANGE: return rule->on_gpu;
  case TDM_SELECT_KERNEL:
  case TDM_SELECT_COMM:
  case TDM_SELECT_COPY:
  case TDM_SELECT_MEMSET:
  case TDM_SELECT_GRAPH: return true;
  default: return false;
  }
}

/* Copies both to and from the GPU have no lane of their own. */
static tdm_lane copy_lane(tdm_pattern *kind) {
  bool to_gpu = tdm_pattern_takes(kind, "HtoD"), from_gpu = tdm_pattern_takes(kind, "DtoH");
  to_gpu = to_gpu || tdm_pattern_takes(kind, "UVM HtoD");
  from_gpu = from_gpu || tdm_pattern_takes(kind, "UVM DtoH");
  if (to_gpu && from_gpu) return TDM_LANE_OTHER;
  return to_gpu ? TDM_LANE_H2D : from_gpu ? TDM_LANE_D2H : TDM_LANE_GPU;
}

tdm_lane tdm_visit_rule_lane(tdm_visit_rule *rule) {
  if (rule->selector == TDM_SELECT_COMM) return TDM_LANE_COMM;
  if (rule->selector == TDM_SELECT_COPY) return copy_lane(&rule->name);
  return tdm_visit_rule_on_gpu(rule) ? TDM_LANE_GPU : TDM_LANE_CPU;
}
