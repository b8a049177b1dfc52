/* A graph of nodes that wait for others, gathered and recorded. See inside.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/execution/inside.h"

void tdm_graph_close(tdm_graph *graph) {
  tdm_arg_layouts_free(&graph->layouts);
  tdm_id_map_free(&graph->by_id);
  free(graph->node);
  free(graph->arg);
  free(graph->wait);
  free(graph->text);
  *graph = (tdm_graph){0};
}

tdm_graph_node *tdm_graph_add(tdm_graph *graph, uint64_t id) {
  if (graph->failed || graph->nodes == TDM_ID_NONE - 1 ||
      !tdm_array_grow(&graph->node, &graph->node_room, graph->nodes + 1, sizeof *graph->node)) {
    graph->failed = true;
    return NULL;
  }
  uint32_t *at = tdm_id_map_at(&graph->by_id, id, 0);
  if (at == NULL) {
    graph->failed = true;
    return NULL;
  }
  if (*at == TDM_ID_NONE)
    *at = (uint32_t)graph->nodes;
  else
    tdm_record_problem(graph->recorder, "nodes whose number another one has (none waits for them)",
                       1);
  tdm_graph_node *node = &graph->node[graph->nodes++];
  *node = (tdm_graph_node){.id = id,
                           .start_ns = TDM_NONE,
                           .dur_ns = TDM_NONE,
                           .first_arg = graph->args,
                           .first_wait = graph->waits};
  return node;
}

void tdm_graph_wait(tdm_graph *graph, uint64_t id, bool data) {
  if (graph->failed || graph->nodes == 0) return;
  if (!tdm_array_grow(&graph->wait, &graph->wait_room, graph->waits + 1, sizeof *graph->wait)) {
    graph->failed = true;
    return;
  }
  tdm_graph_node *node = &graph->node[graph->nodes - 1];
  graph->wait[graph->waits++] = id;
  node->waits++;
  node->data_waits += data;
  graph->has_data |= data;
}

void tdm_graph_args(tdm_graph *graph, const tdm_arg_list *args) {
  if (graph->failed || graph->nodes == 0) return;
  if (!tdm_array_grow(&graph->arg, &graph->arg_room, graph->args + args->count,
                      sizeof *graph->arg)) {
    graph->failed = true;
    return;
  }
  if (args->count > 0) memcpy(graph->arg + graph->args, args->arg, args->count * sizeof *args->arg);
  graph->args += args->count;
  graph->node[graph->nodes - 1].args = args->count;
}

/* ---- records ---- */

void tdm_execution_timeless(tdm_recorder *recorder) {
  tdm_recorder_timeless(recorder);
  tdm_record_fact(recorder, TDM_EXECUTION_TIMES, TDM_EXECUTION_NONE);
}

typedef enum { TIMES_NONE, TIMES_PLACED, TIMES_RECORDED } times;

/* Starts count only where each node that lasts has one. */
static times times_of(const tdm_graph *graph) {
  size_t lasting = 0, started = 0;
  for (size_t n = 0; n < graph->nodes; n++) {
    if (graph->node[n].dur_ns == TDM_NONE) continue;
    lasting++;
    started += graph->node[n].start_ns != TDM_NONE;
  }
  return lasting == 0 ? TIMES_NONE : started == lasting ? TIMES_RECORDED : TIMES_PLACED;
}

/* The numbers of those that a node waits for, as JSON. */
static void add_waits(tdm_graph *graph, tdm_arg_list *args, const char *key, const uint64_t *wait,
                      size_t count) {
  if (count == 0 || graph->failed) return;
  if (!tdm_array_grow(&graph->text, &graph->text_room, 21 * count + 3, 1)) {
    graph->failed = true;
    return;
  }
  size_t used = 0;
  for (size_t w = 0; w < count; w++)
    used += (size_t)sprintf(graph->text + used, "%c%llu", w == 0 ? '[' : ',',
                            (unsigned long long)wait[w]);
  graph->text[used++] = ']';
  tdm_arg_add(graph->recorder, args, tdm_record_text(graph->recorder, key), TDM_ARG_JSON,
              (int64_t)tdm_record_name(graph->recorder, graph->text, used));
}

static void record_node(tdm_graph *graph, const tdm_graph_node *node, int64_t start_ns) {
  tdm_shape shape = node->dur_ns == TDM_NONE ? TDM_SHAPE_INSTANT : TDM_SHAPE_SPAN;
  tdm_arg_list args = {.count = (uint32_t)node->args};
  if (node->args > 0) memcpy(args.arg, graph->arg + node->first_arg, node->args * sizeof *args.arg);
  if (node->waits > 0) {
    const uint64_t *wait = graph->wait + node->first_wait;
    add_waits(graph, &args, "data_deps", wait, node->data_waits);
    add_waits(graph, &args, "ctrl_deps", wait + node->data_waits, node->waits - node->data_waits);
  }
  tdm_arg_row(&graph->layouts, node->category, shape, start_ns,
              node->dur_ns == TDM_NONE ? 0 : node->dur_ns, node->track, node->name, args.arg,
              args.count);
}

static int64_t end_of(const tdm_graph_node *node, int64_t start_ns) {
  int64_t end_ns = start_ns;
  if (node->dur_ns != TDM_NONE && __builtin_add_overflow(start_ns, node->dur_ns, &end_ns))
    end_ns = INT64_MAX;
  return end_ns;
}

/* From the end of each node that is waited for. The edge's number is that of the node that waits.
 */
static void record_edges(tdm_graph *graph, size_t n, const int64_t *start_ns) {
  uint32_t kind = tdm_record_text(graph->recorder, graph->has_data ? "data" : "ctrl");
  const tdm_graph_node *node = &graph->node[n];
  size_t first, count = tdm_graph_waits(graph, n, &first);
  for (size_t w = 0; w < count; w++) {
    uint32_t to = tdm_id_map_get(&graph->by_id, graph->wait[first + w]);
    if (to == TDM_ID_NONE) {
      tdm_record_problem(graph->recorder, "dependencies on nodes that are not in the file", 1);
      continue;
    }
    int64_t from_ns = end_of(&graph->node[to], start_ns[to]);
    if (from_ns > start_ns[n])
      from_ns = start_ns[n]; /* in circles, and where starts are recorded */
    tdm_record_edge(graph->recorder, kind, from_ns, graph->node[to].track, start_ns[n], node->track,
                    (int64_t)node->id);
  }
}

void tdm_graph_record(tdm_graph *graph, const tdm_read_options *options) {
  times are = times_of(graph);
  int64_t *start_ns = tdm_array_new(graph->nodes + 1, sizeof *start_ns);
  if (start_ns == NULL || (are == TIMES_PLACED && !tdm_graph_place(graph, start_ns))) {
    graph->failed = true;
    free(start_ns);
    return;
  }
  for (size_t n = 0; are == TIMES_RECORDED && n < graph->nodes; n++)
    start_ns[n] = graph->node[n].start_ns != TDM_NONE ? graph->node[n].start_ns : 0;
  for (size_t n = 0; n < graph->nodes && !tdm_recorder_failed(graph->recorder); n++) {
    const char *category = tdm_recorder_name(graph->recorder, graph->node[n].category, NULL);
    if ((options->dropped & tdm_read_kind(category)) != 0) continue;
    record_node(graph, &graph->node[n], start_ns[n]);
    if (are != TIMES_NONE) record_edges(graph, n, start_ns);
  }
  if (are == TIMES_NONE)
    tdm_execution_timeless(graph->recorder);
  else if (are == TIMES_PLACED)
    tdm_record_fact(graph->recorder, TDM_EXECUTION_TIMES, TDM_EXECUTION_PLACED);
  graph->failed |= graph->layouts.failed;
  free(start_ns);
}
