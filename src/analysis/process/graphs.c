/* CUDA graphs as they were launched, recorded node by node or as a whole, and what their launches
 * cost against kernels launched singly.
 *
 * A launch is a call named …GraphLaunch with all work of its correlation, or a row of category
 * graph. Graphs without a number are told apart by the names of their nodes in order. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

static const tdm_field graph_fields[] = {
    {"mode", TDM_FIELD_TEXT},         {"graph_id", TDM_FIELD_INT}, {"launches", TDM_FIELD_INT},
    {"nodes", TDM_FIELD_REAL},        {"gpu_ns", TDM_FIELD_INT},   {"span_ns", TDM_FIELD_INT},
    {"mean_span_ns", TDM_FIELD_REAL}, {"call_ns", TDM_FIELD_INT},  {"mean_call_ns", TDM_FIELD_REAL},
    {"rank", TDM_FIELD_INT},          {"device", TDM_FIELD_TEXT},  {"first_node", TDM_FIELD_TEXT}};
enum {
  GRAPH_MODE,
  GRAPH_ID,
  GRAPH_LAUNCHES,
  GRAPH_NODES,
  GRAPH_GPU,
  GRAPH_SPAN,
  GRAPH_MEAN_SPAN,
  GRAPH_CALL,
  GRAPH_MEAN_CALL,
  GRAPH_RANK,
  GRAPH_DEVICE,
  GRAPH_FIRST,
  GRAPH_FIELDS
};

static const tdm_field cost_fields[] = {{"how", TDM_FIELD_TEXT},
                                        {"calls", TDM_FIELD_INT},
                                        {"works", TDM_FIELD_INT},
                                        {"call_ns", TDM_FIELD_INT},
                                        {"call_per_work_ns", TDM_FIELD_REAL},
                                        {"gpu_ns", TDM_FIELD_INT}};
static const tdm_field setup_fields[] = {
    {"count", TDM_FIELD_INT}, {"total_ns", TDM_FIELD_INT}, {"name", TDM_FIELD_TEXT}};

/* One launch. */
typedef struct {
  uint32_t call;  /* TDM_NO_ROW: only its row is known */
  uint32_t first; /* node; UINT32_MAX: none */
  uint32_t signature;
  int64_t nodes, gpu_ns, start_ns, end_ns, graph;
  bool whole;
} launch;

typedef struct {
  tdm_run_view *view;
  const tdm_table *node, *call; /* of `launched` */
  const tdm_correlation *by_call;
  unsigned char *counted; /* by call: its single launch is */
  uint32_t *of_call;      /* by call: its launch + 1 */
  launch *launch;
  size_t launches, room;
  tdm_groups names; /* signature before and name → signature */
  struct {
    int64_t calls, works, call_ns, gpu_ns;
  } graph, single;
} looking;

/* ---- launches ---- */

static bool is_setup(const char *name) {
  return (strstr(name, "Graph") != NULL || strstr(name, "Capture") != NULL) &&
         !tdm_call_launches_graph(name);
}

static launch *add_launch(looking *l) {
  if (!tdm_array_grow(&l->launch, &l->room, l->launches + 1, sizeof *l->launch)) return NULL;
  launch *made = &l->launch[l->launches++];
  *made = (launch){.call = TDM_NO_ROW,
                   .first = UINT32_MAX,
                   .signature = 0,
                   .graph = TDM_NONE,
                   .start_ns = INT64_MAX,
                   .end_ns = INT64_MIN};
  return made;
}

/* Calls of graphs; a driver's call within a runtime call is that one's. */
static int find_calls(looking *l) {
  int64_t known = TDM_NONE;
  bool graph = false;
  for (uint32_t c = 0; c < l->call->count; c++) {
    if (tdm_table_name(l->call, c) != known) {
      known = tdm_table_name(l->call, c);
      graph = tdm_call_launches_graph(tdm_run_view_name(l->view, known));
    }
    if (!graph) continue;
    uint32_t outer = tdm_correlation_find(l->by_call, tdm_table_track(l->call, c),
                                          tdm_table_arg(l->call, TDM_API_CORRELATION, c));
    if (outer != TDM_NO_ROW && outer != c) continue;
    launch *made = add_launch(l);
    if (made == NULL) return 0;
    made->call = c;
    l->of_call[c] = (uint32_t)l->launches;
  }
  return 1;
}

static int add_node(looking *l, launch *to, uint32_t n) {
  const tdm_table *node = l->node;
  const int64_t key[] = {to->signature, tdm_table_name(node, n)};
  uint32_t signature = tdm_groups_add(&l->names, key);
  if (signature == UINT32_MAX) return 0;
  to->signature = signature + 1;
  if (to->first == UINT32_MAX) to->first = n;
  to->whole = tdm_table_category(node, n) == TDM_WORK_GRAPH;
  if (!to->whole) to->nodes++;
  to->gpu_ns += tdm_table_end_ns(node, n) - tdm_table_start_ns(node, n);
  if (tdm_table_start_ns(node, n) < to->start_ns) to->start_ns = tdm_table_start_ns(node, n);
  if (tdm_table_end_ns(node, n) > to->end_ns) to->end_ns = tdm_table_end_ns(node, n);
  if (tdm_table_arg(node, TDM_WORK_GRAPH_ID, n) != TDM_NONE)
    to->graph = tdm_table_arg(node, TDM_WORK_GRAPH_ID, n);
  return 1;
}

/* Work launched singly, once a call. */
static void add_single(looking *l, uint32_t call, uint32_t n) {
  if (tdm_table_category(l->node, n) != TDM_WORK_KERNEL) return;
  l->single.works++;
  l->single.gpu_ns += tdm_table_end_ns(l->node, n) - tdm_table_start_ns(l->node, n);
  if (l->counted[call]) return;
  l->counted[call] = 1;
  l->single.calls++;
  l->single.call_ns += tdm_table_end_ns(l->call, call) - tdm_table_start_ns(l->call, call);
}

static int find_nodes(looking *l) {
  for (uint32_t n = 0; n < l->node->count; n++) {
    uint32_t call = l->by_call->cause[n];
    if (call != TDM_NO_ROW && l->of_call[call] != 0) {
      if (!add_node(l, &l->launch[l->of_call[call] - 1], n)) return 0;
    } else if (tdm_table_category(l->node, n) == TDM_WORK_GRAPH) {
      launch *made = add_launch(l);
      if (made == NULL || !add_node(l, made, n)) return 0;
    } else if (call != TDM_NO_ROW) {
      add_single(l, call, n);
    }
  }
  return 1;
}

static bool looks_at_call(const looking *l, uint32_t call) {
  return tdm_run_view_touches(l->view, tdm_table_start_ns(l->call, call),
                              tdm_table_end_ns(l->call, call));
}

/* Launches whose work the filter hides: what is not there may be on another GPU or stream, or at
 * another time than the call. */
static void drop_hidden(looking *l) {
  const tdm_run_view_filter *filter = tdm_run_view_filter_of(l->view);
  bool one_part = filter->device != TDM_NONE || filter->stream != TDM_NONE;
  size_t kept = 0;
  for (size_t i = 0; i < l->launches; i++)
    if (l->launch[i].first != UINT32_MAX || (!one_part && looks_at_call(l, l->launch[i].call)))
      l->launch[kept++] = l->launch[i];
  l->launches = kept;
}

/* ---- frames ---- */

typedef struct {
  int64_t launches, nodes, gpu_ns, span_ns, call_ns;
  const launch *one;
} graph;

static int64_t call_ns(const looking *l, const launch *one) {
  return one->call == TDM_NO_ROW
             ? 0
             : tdm_table_end_ns(l->call, one->call) - tdm_table_start_ns(l->call, one->call);
}

static int most_gpu_first(const void *a, const void *b) {
  const graph *x = a, *y = b;
  if (x->gpu_ns != y->gpu_ns) return x->gpu_ns > y->gpu_ns ? -1 : 1;
  return x->one < y->one ? -1 : x->one > y->one;
}

static void put_graph(looking *l, const graph *g, tdm_frame *frame) {
  const launch *one = g->one;
  tdm_frame_row(frame);
  tdm_frame_name(frame, GRAPH_MODE,
                 one->first == UINT32_MAX ? "not recorded"
                 : one->whole             ? "graph"
                                          : "node");
  tdm_frame_int(frame, GRAPH_ID, one->graph);
  tdm_frame_int(frame, GRAPH_LAUNCHES, g->launches);
  if (!one->whole && one->first != UINT32_MAX)
    tdm_frame_real(frame, GRAPH_NODES, (double)g->nodes / (double)g->launches);
  if (one->first != UINT32_MAX) {
    int64_t track = tdm_table_track(l->node, one->first);
    const tdm_device *device = tdm_run_view_device(l->view, tdm_run_view_device_of(l->view, track));
    tdm_frame_int(frame, GRAPH_GPU, g->gpu_ns);
    tdm_frame_int(frame, GRAPH_SPAN, g->span_ns);
    tdm_frame_real(frame, GRAPH_MEAN_SPAN, (double)g->span_ns / (double)g->launches);
    if (device != NULL) tdm_frame_int(frame, GRAPH_RANK, device->rank);
    if (device != NULL) tdm_frame_name(frame, GRAPH_DEVICE, device->name);
    tdm_frame_name(frame, GRAPH_FIRST,
                   tdm_run_view_name(l->view, tdm_table_name(l->node, one->first)));
  }
  if (one->call == TDM_NO_ROW) return;
  tdm_frame_int(frame, GRAPH_CALL, g->call_ns);
  tdm_frame_real(frame, GRAPH_MEAN_CALL, (double)g->call_ns / (double)g->launches);
}

static tdm_status put_graphs(looking *l, tdm_answer *out, tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "graphs", graph_fields, GRAPH_FIELDS);
  tdm_groups groups;
  graph *all = tdm_array_new(l->launches + 1, sizeof *all);
  tdm_status status = tdm_groups_open(&groups, 3, l->launches, error);
  const tdm_processes *processes = NULL;
  if (status == TDM_OK) status = tdm_processes_of(l->view, &processes, error);
  if (status == TDM_OK && all == NULL) status = tdm_error_memory(error, "graphs", 0);
  for (size_t i = 0; status == TDM_OK && i < l->launches; i++) {
    const launch *one = &l->launch[i];
    int64_t track = one->first != UINT32_MAX ? tdm_table_track(l->node, one->first) : TDM_NONE;
    const int64_t key[] = {
        track == TDM_NONE ? -1 : (int64_t)tdm_run_view_device_of(l->view, track), one->graph,
        /* Nodes side by side begin in any order, so a number says more. */
        one->graph == TDM_NONE || track == TDM_NONE ? one->signature
                                                    : (int64_t)processes->of[track]};
    uint32_t g = tdm_groups_add(&groups, key);
    if (g == UINT32_MAX) {
      status = tdm_error_memory(error, "graphs", 0);
      break;
    }
    if (all[g].one == NULL) all[g].one = one;
    all[g].launches++;
    all[g].nodes += one->nodes;
    all[g].gpu_ns += one->gpu_ns;
    all[g].span_ns += one->first != UINT32_MAX ? one->end_ns - one->start_ns : 0;
    all[g].call_ns += call_ns(l, one);
    l->graph.calls += one->call != TDM_NO_ROW;
    l->graph.works += one->nodes;
    l->graph.gpu_ns += one->gpu_ns;
    l->graph.call_ns += call_ns(l, one);
  }
  if (status == TDM_OK) {
    qsort(all, groups.count, sizeof *all, most_gpu_first);
    for (size_t g = 0; g < groups.count; g++) put_graph(l, &all[g], frame);
  }
  free(all);
  tdm_groups_close(&groups);
  return status;
}

static void put_cost(tdm_frame *frame, const char *how, int64_t calls, int64_t works,
                     int64_t call_time_ns, int64_t gpu_ns) {
  if (calls == 0) return;
  tdm_frame_row(frame);
  tdm_frame_name(frame, 0, how);
  tdm_frame_int(frame, 1, calls);
  if (works > 0) tdm_frame_int(frame, 2, works);
  tdm_frame_int(frame, 3, call_time_ns);
  if (works > 0) tdm_frame_real(frame, 4, (double)call_time_ns / (double)works);
  tdm_frame_int(frame, 5, gpu_ns);
}

static void put_costs(looking *l, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "cost", cost_fields, 6);
  put_cost(frame, "in graphs", l->graph.calls, l->graph.works, l->graph.call_ns, l->graph.gpu_ns);
  put_cost(frame, "kernels singly", l->single.calls, l->single.works, l->single.call_ns,
           l->single.gpu_ns);
}

static tdm_status put_setup(looking *l, tdm_answer *out, tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "setup", setup_fields, 3);
  tdm_groups groups;
  tdm_status status = tdm_groups_open(&groups, 1, l->call->count, error);
  int64_t *total_ns = calloc(l->call->count + 1, sizeof *total_ns);
  if (status == TDM_OK && total_ns == NULL) status = tdm_error_memory(error, "graphs", 0);
  for (uint32_t c = 0; status == TDM_OK && c < l->call->count; c++) {
    if (!looks_at_call(l, c)) continue;
    uint32_t g = tdm_groups_add(&groups, &(const int64_t){tdm_table_name(l->call, c)});
    if (g == UINT32_MAX)
      status = tdm_error_memory(error, "graphs", 0);
    else
      total_ns[g] += tdm_table_end_ns(l->call, c) - tdm_table_start_ns(l->call, c);
  }
  if (status == TDM_OK) status = tdm_groups_gather(&groups, error);
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++) {
    const char *name = tdm_run_view_name(l->view, groups.key[g]);
    if (!is_setup(name)) continue;
    tdm_frame_row(frame);
    tdm_frame_int(frame, 0, (int64_t)(groups.first[g + 1] - groups.first[g]));
    tdm_frame_int(frame, 1, total_ns[g]);
    tdm_frame_name(frame, 2, name);
  }
  free(total_ns);
  tdm_groups_close(&groups);
  return status;
}

static void say(const looking *l, tdm_answer *out) {
  bool whole = false, unrecorded = false;
  for (size_t i = 0; i < l->launches; i++) {
    whole = whole || l->launch[i].whole;
    unrecorded = unrecorded || l->launch[i].first == UINT32_MAX;
  }
  if (l->launches == 0)
    tdm_answer_cannot(out,
                      "%s no CUDA graphs (no calls named *GraphLaunch, no rows "
                      "of category graph)",
                      tdm_run_view_filtered(l->view) ? "the filter leaves" : "the run launches");
  if (whole)
    tdm_answer_cannot(out, "nodes and kernels of graphs that were recorded whole (rows of category "
                           "graph have no rows of category kernel)");
  if (unrecorded)
    tdm_answer_cannot(out, "GPU time of launches without any work of their correlation");
  tdm_answer_basis(out, "gpu: the time of all nodes, those side by side counted each; span: from a "
                        "launch's first node to its last");
  tdm_answer_basis(out, "cost: the time in launching calls on the host, for each kernel or node "
                        "that they launched");
}

tdm_status tdm_answer_graphs(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  (void)options;
  looking l = {.view = view};
  const tdm_launched *launched = NULL;
  tdm_status status = tdm_gpu_launched(view, &launched, error);
  if (status != TDM_OK) return status;
  l.node = launched->work;
  l.call = launched->calls;
  l.by_call = &launched->by_call;
  status = tdm_groups_open(&l.names, 2, l.node->count, error);
  if (status == TDM_OK) {
    l.of_call = tdm_array_new(l.call->count + 1, sizeof *l.of_call);
    l.counted = tdm_array_new(l.call->count + 1, 1);
    if (l.of_call == NULL || l.counted == NULL || !find_calls(&l) || !find_nodes(&l))
      status = tdm_error_memory(error, "graphs", 0);
  }
  if (status == TDM_OK) drop_hidden(&l);
  if (status == TDM_OK) status = put_graphs(&l, out, error);
  if (status == TDM_OK && l.launches > 0) put_costs(&l, out);
  if (status == TDM_OK && l.launches > 0) status = put_setup(&l, out, error);
  if (status == TDM_OK) say(&l, out);
  tdm_groups_close(&l.names);
  free(l.of_call);
  free(l.counted);
  free(l.launch);
  return status;
}
