/* A node of a Chakra graph in the words of trace/record.h: its category, its track. See inside.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/copy_name.h"
#include "read/execution/inside.h"
#include "read/number.h"

const char *tdm_chakra_collective(int64_t type) {
  static const char *const words[] = {
      "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
      "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};
  return type >= 0 && type < (int64_t)(sizeof words / sizeof *words) ? words[type] : NULL;
}

int64_t tdm_chakra_rank(const char *path) {
  static const char *const endings[] = {".et.gz",   ".et.zst",   ".et",
                                        ".json.gz", ".json.zst", ".json"};
  size_t length = strlen(path), end = 0;
  for (size_t i = 0; i < sizeof endings / sizeof *endings && end == 0; i++) {
    size_t ending = strlen(endings[i]);
    if (length > ending && strcmp(path + length - ending, endings[i]) == 0) end = length - ending;
  }
  size_t from = end;
  int64_t rank;
  while (from > 0 && isdigit((unsigned char)path[from - 1])) from--;
  if (from == end || from == 0 || path[from - 1] != '.') return TDM_NONE;
  return tdm_number_integer(path + from, end - from, &rank) ? rank : TDM_NONE;
}

static bool begins(const tdm_chakra_node *node, const char *word) {
  return node->name_length >= strlen(word) && memcmp(node->name, word, strlen(word)) == 0;
}

static bool communicates(const tdm_chakra_node *node) {
  return node->type >= TDM_CHAKRA_SEND && node->type <= TDM_CHAKRA_COLLECTIVE;
}

/* Of kernels only those that are called like collectives count as such, so the others of a device
 * that communicate have a word of their own. */
static const char *category_of(const tdm_chakra_node *node) {
  switch (node->type) {
  case TDM_CHAKRA_METADATA: return "metadata";
  case TDM_CHAKRA_LOAD: return "mem_load";
  case TDM_CHAKRA_STORE: return "mem_store";
  default: break;
  }
  if (node->on_cpu == 1) return "cpu_op";
  if (begins(node, "Memcpy")) return "memcpy";
  if (begins(node, "Memset")) return "memset";
  bool named = begins(node, "nccl") || begins(node, "rccl");
  return communicates(node) && !named ? "communication" : "kernel";
}

static uint32_t track_of(tdm_recorder *recorder, const tdm_chakra_node *node) {
  char name[48];
  bool numbered = node->tid != TDM_NONE;
  tdm_track track = TDM_TRACK_PLAIN;
  track.name = name;
  if (node->on_cpu == 1 || node->type == TDM_CHAKRA_METADATA) {
    track.process = "host";
    track.kind = TDM_TRACK_THREAD;
    track.lane = TDM_LANE_CPU;
    track.tid = numbered ? node->tid : 0;
    snprintf(name, sizeof name, "thread %lld", (long long)track.tid);
  } else {
    track.process = "GPU #0";
    track.kind = TDM_TRACK_STREAM;
    track.lane = communicates(node) ? TDM_LANE_COMM : TDM_LANE_GPU;
    track.device = 0;
    if (numbered) {
      track.lane = TDM_LANE_GPU; /* a stream may have both */
      track.stream = node->tid;
      snprintf(name, sizeof name, "stream %lld", (long long)node->tid);
    } else {
      snprintf(name, sizeof name, "%s", communicates(node) ? "communication" : "compute");
    }
  }
  return tdm_record_track(recorder, &track);
}

static int64_t nanoseconds(tdm_recorder *recorder, int64_t us) {
  int64_t ns;
  if (us == TDM_NONE) return TDM_NONE;
  if (us >= 0 && !__builtin_mul_overflow(us, (int64_t)1000, &ns)) return ns;
  tdm_record_problem(recorder, "times below zero or beyond 64 bits of nanoseconds (left out)", 1);
  return TDM_NONE;
}

void tdm_chakra_put(tdm_graph *graph, const tdm_chakra_node *node, tdm_arg_list *args) {
  tdm_recorder *recorder = graph->recorder;
  const char *category = category_of(node);
  if (strcmp(category, "memcpy") == 0) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(node->name_length < 63 ? node->name_length : 63),
             node->name);
    tdm_copy_name copy = tdm_copy_name_of(name);
    if (copy.kind != NULL)
      tdm_arg_add(recorder, args, tdm_record_text(recorder, "kind"), TDM_ARG_TEXT,
                  (int64_t)tdm_record_text(recorder, copy.kind));
  }
  if ((int64_t)node->id != TDM_NONE)
    tdm_arg_add(recorder, args, tdm_record_text(recorder, "node"), TDM_ARG_INT, (int64_t)node->id);
  tdm_graph_node *put = tdm_graph_add(graph, node->id);
  if (put == NULL) return;
  put->name = tdm_record_name(recorder, node->name, node->name_length);
  put->category = tdm_record_text(recorder, category);
  put->track = track_of(recorder, node);
  put->start_ns = nanoseconds(recorder, node->start_us);
  put->dur_ns = nanoseconds(recorder, node->dur_us);
  tdm_graph_args(graph, args);
}

void tdm_chakra_finish(tdm_graph *graph, const tdm_read_options *options, const char *path,
                       const char *form) {
  char detail[64];
  int64_t rank = tdm_chakra_rank(path);
  if (rank != TDM_NONE) tdm_recorder_rank(graph->recorder, rank);
  tdm_graph_record(graph, options);
  snprintf(detail, sizeof detail, "%s%zu node%s", form, graph->nodes, graph->nodes == 1 ? "" : "s");
  tdm_recorder_detail(graph->recorder, detail);
}
