/* What the readers of execution traces share: nodes that wait for others, with durations and
 * without times, placed and recorded.
 *
 * A trace of this kind tells what ran, of which shape and after what, not when. Where nodes have
 * durations they are placed: each starts as soon as all whose data it needs have ended and its
 * thread or stream is free, in the order in which they become ready, of equals by number. Control
 * dependencies mostly name a parent, and go in circles in real files: they count only where there
 * are no others. The source says so (fact "capture.times"). Where none has one, all of it lies at 0
 * and the source has no times. Called by the files of this room. */
#ifndef TDM_READ_EXECUTION_INSIDE_H
#define TDM_READ_EXECUTION_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "read/arg_list.h"
#include "read/reader.h"

/* The fact that says where times come from, and what it says. */
#define TDM_EXECUTION_TIMES  "capture.times"
#define TDM_EXECUTION_PLACED "placed by dependencies"
#define TDM_EXECUTION_NONE   "none"
void tdm_execution_timeless(tdm_recorder *recorder);

/* Chakra's kinds of nodes, as it numbers them. */
typedef enum {
  TDM_CHAKRA_INVALID,
  TDM_CHAKRA_METADATA,
  TDM_CHAKRA_LOAD,
  TDM_CHAKRA_STORE,
  TDM_CHAKRA_COMPUTE,
  TDM_CHAKRA_SEND,
  TDM_CHAKRA_RECEIVE,
  TDM_CHAKRA_COLLECTIVE,
  TDM_CHAKRA_TYPES
} tdm_chakra_type;

typedef struct {
  uint64_t id;
  uint32_t name, category; /* name ids */
  uint32_t track;
  int64_t start_ns, dur_ns; /* TDM_NONE: not said */
  size_t first_arg, args;
  size_t first_wait, waits; /* data first */
  size_t data_waits;
} tdm_graph_node;

typedef struct {
  tdm_recorder *recorder;
  tdm_arg_layouts layouts;
  tdm_graph_node *node;
  size_t nodes, node_room;
  tdm_one_arg *arg;
  size_t args, arg_room;
  uint64_t *wait;
  size_t waits, wait_room;
  tdm_id_map by_id;
  bool has_data; /* some node waits for data */
  char *text;    /* of a list */
  size_t text_room;
  bool failed;
} tdm_graph;

/* A graph with a recorder is empty. */
void tdm_graph_close(tdm_graph *graph);

/* The next node; those it waits for are put right behind, data first. NULL: out of memory. */
tdm_graph_node *tdm_graph_add(tdm_graph *graph, uint64_t id);
void tdm_graph_wait(tdm_graph *graph, uint64_t id, bool data);
void tdm_graph_args(tdm_graph *graph, const tdm_arg_list *args);

/* Places all nodes and records them with their edges; tells the source where its times are from.
 */
void tdm_graph_record(tdm_graph *graph, const tdm_read_options *options);

/* The waits of a node that place it, as indices into the graph's: [first, first + count). */
static inline size_t tdm_graph_waits(const tdm_graph *graph, size_t node, size_t *first) {
  const tdm_graph_node *n = &graph->node[node];
  *first = n->first_wait;
  return graph->has_data ? n->data_waits : n->waits;
}

/* When each node starts: [nodes], in the graph's order (place.c). False: out of memory. */
bool tdm_graph_place(tdm_graph *graph, int64_t *start_ns);

/* One node of Chakra, whatever form it came in: what it is and where (chakra_node.c). */
typedef struct {
  uint64_t id;
  int64_t type, start_us, dur_us; /* TDM_NONE: not said */
  int64_t tid;                    /* of the thread or the stream */
  int on_cpu;                     /* -1: not said */
  const char *name;
  size_t name_length;
} tdm_chakra_node;
/* Adds it with these arguments; waits follow. */
void tdm_chakra_put(tdm_graph *graph, const tdm_chakra_node *node, tdm_arg_list *args);
/* Whose file it is by its name ("chakra.3.et"). TDM_NONE: not said. */
int64_t tdm_chakra_rank(const char *path);
/* The words of a collective's kind: "all_reduce"; NULL: unknown. */
const char *tdm_chakra_collective(int64_t type);

/* Records all of it and says what was read: "JSON, 3664 nodes". */
void tdm_chakra_finish(tdm_graph *graph, const tdm_read_options *options, const char *path,
                       const char *form);

#endif
