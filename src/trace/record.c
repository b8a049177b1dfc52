/* Names of shapes, types and kinds; the lane of a row. See record.h. Owns no state. */
#include "trace/record.h"

#include <string.h>

const char *tdm_shape_name(tdm_shape shape) {
  static const char *const names[TDM_SHAPES] = {"span",  "open", "instant",
                                                "async", "edge", "sample"};
  return (unsigned)shape < TDM_SHAPES ? names[shape] : "span";
}

const char *tdm_arg_type_name(tdm_arg_type type) {
  static const char *const names[TDM_ARG_TYPES] = {"int", "real", "text", "json", "bool"};
  return (unsigned)type < TDM_ARG_TYPES ? names[type] : "int";
}

const char *tdm_track_kind_name(tdm_track_kind kind) {
  static const char *const names[TDM_TRACK_KINDS] = {"queue",  "server",  "thread", "stream",
                                                     "device", "process", "other"};
  return (unsigned)kind < TDM_TRACK_KINDS ? names[kind] : "other";
}

uint32_t tdm_layout_column(const tdm_layout *layout, const char *key) {
  for (uint32_t i = 0; i < layout->args; i++)
    if (strcmp(layout->arg[i].key, key) == 0) return TDM_ARGS + i;
  return 0;
}

static int begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static tdm_lane copy_lane(const char *kind, tdm_lane otherwise) {
  if (kind == NULL) return otherwise;
  if (begins(kind, "UVM ")) kind += 4;
  if (begins(kind, "HtoD") || begins(kind, "HtoA")) return TDM_LANE_H2D;
  if (begins(kind, "DtoH") || begins(kind, "AtoH")) return TDM_LANE_D2H;
  if (begins(kind, "PtoP")) return TDM_LANE_COMM;
  return otherwise;
}

tdm_lane tdm_record_lane(const char *category, const char *kind, const char *name,
                         tdm_lane track_lane) {
  switch (category[0]) {
  case 'k':
    if (strcmp(category, "kernel") != 0) break;
    return begins(name, "nccl") || begins(name, "rccl") ? TDM_LANE_COMM : TDM_LANE_GPU;
  case 'm':
    if (strcmp(category, "memcpy") == 0) return copy_lane(kind, TDM_LANE_GPU);
    if (strcmp(category, "memset") == 0) return TDM_LANE_GPU;
    break;
  case 'u':
    if (strcmp(category, "um") == 0) return copy_lane(kind, TDM_LANE_GPU);
    break;
  case 'g':
    if (strcmp(category, "graph") == 0) return TDM_LANE_GPU;
    break;
  case 'r':
    if (strcmp(category, "runtime") == 0) return TDM_LANE_CPU;
    break;
  case 'd':
    if (strcmp(category, "driver") == 0) return TDM_LANE_CPU;
    break;
  default: break;
  }
  return track_lane;
}
