/* The state of one replication in the lowered engine. Shared by lowered.c, chain.c,
 * serve.c and the vector kernel, which is a fast-forward of eight such states; nobody else
 * includes this. */
#ifndef TDM_ENGINE_LOWERED_INSIDE_H
#define TDM_ENGINE_LOWERED_INSIDE_H

#include "engine/lowered/lowered.h"

#define TDM_CHUNK      256 /* requests handed from station to station at once */
#define TDM_WIDE_MAX_C 8   /* most servers the vector kernel sorts */

/* One server's present or last customer. Ordered by (free_ns, turn): turn is the order of starts.
 */
typedef struct {
  int64_t free_ns; /* -1: never used */
  uint64_t turn;
  int64_t arrival_ns;
  uint64_t id;
} tdm_server;

/* Requests on their way between two stations, by time. */
typedef struct {
  size_t count;
  int64_t time_ns[TDM_CHUNK];
  int64_t arrival_ns[TDM_CHUNK];
  uint64_t id[TDM_CHUNK];
} tdm_flow;

/* What had passed at every slice's end: gives areas by subtraction. */
typedef struct {
  uint64_t count[TDM_SLICES];
  uint64_t time_sum[TDM_SLICES];
} tdm_noted;

/* Passages of a point so far. What waits or is served begins at one point and ends at another; both
 * add to its area in the tally at every slice's end. So points keep nothing of slices themselves:
 * a chain may have a million. */
typedef struct {
  uint64_t count;
  uint64_t time_sum; /* wraps */
  uint32_t slice;
  int64_t bound_ns;       /* end of the slice */
  int64_t *begins, *ends; /* areas of slice 0, the next TDM_AREA_STEP further on; NULL: none */
  tdm_noted *noted;       /* NULL: not wanted */
} tdm_passage;

#define TDM_AREA_STEP (sizeof(tdm_station_note) / sizeof(int64_t))

typedef struct {
  const tdm_stage *stage;
  uint32_t stage_index, station_index; /* station TDM_NO_INDEX: a delay */
  uint32_t servers;                    /* TDM_UNLIMITED: a delay or an unlimited pool */
  tdm_stream stream;                   /* the stage's */
  tdm_stream draws;                    /* of its exponential */
  double mean_ns;
  int64_t constant_ns;
  bool in_order;    /* requests reach it by id: draws are consecutive */
  bool keeps_order; /* they leave it as they came */
  tdm_passage enters, starts;
  tdm_stage_note note;
  tdm_server *pool;  /* servers (finite) or a heap of those inside (unlimited) */
  size_t pool_count; /* heap: present; finite: servers */
  size_t pool_capacity;
  size_t ghosts; /* servers never used yet */
  uint64_t turns;
} tdm_link_in_chain;

typedef struct {
  const tdm_model *model;
  const tdm_class *class;
  tdm_link_in_chain *links;
  size_t link_count;
  tdm_tally *tally;
  tdm_arrival_cursor cursor;
  tdm_stream attrs, picks;
  uint64_t issued;
  uint64_t groups; /* arrival events */
  bool source_ended;
  int64_t pending_ns; /* a group not yet fully handed out */
  uint32_t pending;
  tdm_passage arrivals, departures;
  tdm_noted arrived, departed;
  uint32_t done_slice; /* of the last departure's arrival */
  tdm_flow flow;
  int64_t service_ns[TDM_CHUNK], start_ns[TDM_CHUNK];
  double value[TDM_CHUNK];
  int64_t bytes[TDM_CHUNK]; /* of the chunk in service, for its spans */
  double *columns;          /* attribute values of a chunk, [slot][TDM_CHUNK]; NULL: none needed */
  const double **column_of;
  const tdm_sink *sink;
  tdm_span_block *spans;
  tdm_request_record *records;
  double *values; /* their attributes, [record][attribute]; NULL: not asked for */
  size_t record_count;
  tdm_status status;
  tdm_error *error;
} tdm_chain;

tdm_status tdm_chain_open(const tdm_model *model, uint64_t seed, uint32_t replication,
                          int64_t lean_ns, const tdm_sink *sink, tdm_chain **out, tdm_error *error);
void tdm_chain_close(tdm_chain *chain); /* and its tally, if it is still there */

/* Sends up to `limit` more requests through all stations. False: the source has ended. */
bool tdm_chain_chunk(tdm_chain *chain, size_t limit);
void tdm_chain_drain(tdm_chain *chain);                    /* everybody still inside leaves */
void tdm_chain_settle(tdm_chain *chain, bool interrupted); /* writes the tally */

/* Sends a flow through one station; what leaves it by then is in the same flow afterwards. */
void tdm_chain_serve(tdm_chain *chain, tdm_link_in_chain *link, tdm_flow *flow);
/* After the last request: who is still inside, in order, at most a chunk. False: nobody. */
bool tdm_chain_empty(tdm_link_in_chain *link, tdm_flow *flow);
void tdm_chain_flush_spans(tdm_chain *chain);

/* Services of `count` requests of one station into service_ns. */
void tdm_chain_services(tdm_chain *chain, tdm_link_in_chain *link, const uint64_t *id, size_t count,
                        int64_t *service_ns);
/* Attribute values of `count` requests into chain->columns. */
void tdm_chain_columns(tdm_chain *chain, const uint64_t *id, size_t count);

void tdm_passage_note(tdm_passage *passage, const tdm_tally *tally); /* the slice ends */
static inline void tdm_passage_add(tdm_passage *p, const tdm_tally *tally, int64_t time_ns) {
  while (time_ns >= p->bound_ns) tdm_passage_note(p, tally);
  p->count++;
  p->time_sum += (uint64_t)time_ns;
}
void tdm_chain_note_start(tdm_link_in_chain *link, tdm_tally *tally);

/* Sends rows × 8 requests through eight chains that are at the same request; only where
 * tdm_lowered_is_wide. Stops before any lane's source would end. Returns the rows done. */
uint64_t tdm_chain_wide(tdm_chain *const chains[TDM_LANES_WIDE], const atomic_int *stop);

#endif
