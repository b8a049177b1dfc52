/* What ran on the host for a GPU: CUDA calls, libraries, MPI, the profiler's own time. See nsys.h.
 */
#include "read/nsys/nsys.h"

#include <ctype.h>

#define NUMBER(column, key)                                                                        \
  { column, key, TDM_NSYS_NUMBER, 0, false }
#define ID(column, key)                                                                            \
  { column, key, TDM_NSYS_ID, 0, false }
#define RARE(column, key)                                                                          \
  { column, key, TDM_NSYS_ID, 0, true }

static const tdm_nsys_arg call_args[] = {
    ID("correlationId", "correlation"),
    NUMBER("returnValue", "return_value"),
    RARE("callchainId", "callchain"),
};

static const tdm_nsys_arg overhead_args[] = {
    ID("correlationId", "correlation"),
    {"overheadType", "kind", TDM_NSYS_WORD, TDM_NSYS_OVERHEAD, false},
    NUMBER("returnValue", "return_value"),
};

static const tdm_nsys_arg node_args[] = {
    ID("graphNodeId", "graph_node"),      RARE("originalGraphNodeId", "original_graph_node"),
    RARE("graphId", "graph_id"),          RARE("originalGraphId", "original_graph_id"),
    RARE("graphExecId", "graph_exec_id"),
};

static const tdm_nsys_arg mpi_args[] = {
    NUMBER("size", "bytes"),
    NUMBER("recvSize", "receive_bytes"),
    ID("commHandle", "communicator"),
    NUMBER("rootRank", "root_rank"),
    NUMBER("remoteRank", "remote_rank"),
    NUMBER("tag", "tag"),
    RARE("requestHandle", "mpi_request"),
};

/* Runtime and driver calls share a table. Newer files have a class for both; the name tells. */
static void split_calls(tdm_nsys *nsys, tdm_nsys_batch *batch) {
  int64_t last = TDM_NONE;
  unsigned char choice = 0;
  for (size_t i = 0; i < batch->count; i++) {
    if (batch->choice[i] == TDM_NSYS_DROP) continue;
    if (batch->extra[i] == 0 || batch->extra[i] == 1) {
      batch->choice[i] = (unsigned char)batch->extra[i];
      continue;
    }
    if (batch->name[i] != last) {
      last = batch->name[i];
      const char *name = tdm_recorder_name(nsys->recorder, (uint32_t)last, NULL);
      choice = name != NULL && name[0] == 'c' && name[1] == 'u' && isupper((unsigned char)name[2]);
    }
    batch->choice[i] = choice;
  }
}

/* An overhead that says only its kind is named by it. */
static void name_overheads(tdm_nsys *nsys, tdm_nsys_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    size_t length = 0;
    const char *name = tdm_recorder_name(nsys->recorder, (uint32_t)batch->name[i], &length);
    if (name != NULL && length == 0) batch->name[i] = tdm_record_text(nsys->recorder, "overhead");
  }
}

#define CALLS                                                                                      \
  .shape = TDM_SHAPE_SPAN, .start = "start", .end = "end", .on = TDM_NSYS_ON_THREAD,               \
  .naming = TDM_NSYS_NAME_CALL, .name_column = {"nameId", "textId"}, .text = "",                   \
  .dropped = TDM_READ_NO_API

#define MPI(table)                                                                                 \
  { .name = table, .category = {"mpi"}, CALLS, TDM_NSYS_ARGS(mpi_args) }

const tdm_nsys_table tdm_nsys_api_tables[] = {
    {.name = "CUPTI_ACTIVITY_KIND_RUNTIME",
     .category = {"runtime", "driver"},
     CALLS,
     TDM_NSYS_ARGS(call_args),
     .extra = "eventClass",
     .adjust = split_calls},
    {.name = "CUPTI_ACTIVITY_KIND_DRIVER", .category = {"driver"}, CALLS, TDM_NSYS_ARGS(call_args)},
    {.name = "CUPTI_ACTIVITY_KIND_OVERHEAD",
     .category = {"overhead"},
     CALLS,
     TDM_NSYS_ARGS(overhead_args),
     .adjust = name_overheads},
    {.name = "PROFILER_OVERHEAD",
     .category = {"overhead"},
     CALLS,
     TDM_NSYS_ARGS(overhead_args),
     .adjust = name_overheads},
    /* The host makes graphs and nodes; their launches are in GRAPH_TRACE or KERNEL. */
    {.name = "CUDA_GRAPH_EVENTS", .category = {"graph_creation"}, CALLS, TDM_NSYS_ARGS(node_args)},
    {.name = "CUDA_GRAPH_NODE_EVENTS",
     .category = {"graph_creation"},
     CALLS,
     TDM_NSYS_ARGS(node_args)},
    {.name = "CUBLAS_EVENTS", .category = {"cublas"}, CALLS, TDM_NSYS_ARGS(call_args)},
    {.name = "CUDNN_EVENTS", .category = {"cudnn"}, CALLS, TDM_NSYS_ARGS(call_args)},
    MPI("MPI_COLLECTIVES_EVENTS"),
    MPI("MPI_P2P_EVENTS"),
    MPI("MPI_START_WAIT_EVENTS"),
    MPI("MPI_OTHER_EVENTS"),
    {.name = NULL},
};
