/* Arrival processes: when requests come, how many at once.
 *
 * The description (tdm_arrivals) is immutable and shared; each replication walks it with a cursor.
 * Times are int64 ns from the start of the run. Draws are named by the class's arrival stream and
 * the arrival's ordinal, so two scenarios that differ elsewhere see the same arrivals.
 * A kind is one entry of tdm_arrival_processes: its fields in the model table, which the binding
 * reads, and what it does. What people write is lua/tandem/language/arrivals.lua's.
 * Closed loops are described here and driven by the engine, which knows when requests end; that
 * they never overload is bind/result/stages.c's. */
#ifndef TDM_MODEL_ARRIVALS_H
#define TDM_MODEL_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dist/dist.h"
#include "base/error.h"
#include "base/rng.h"
#include "model/rows.h"

typedef enum {
  TDM_ARRIVE_CONSTANT, /* evenly spaced */
  TDM_ARRIVE_RENEWAL,  /* gaps of a distribution */
  TDM_ARRIVE_MMPP,     /* Poisson whose rate follows a cyclic chain of exponential sojourns */
  TDM_ARRIVE_CURVE,    /* inhomogeneous Poisson, piecewise linear rate, by thinning */
  TDM_ARRIVE_CLOSED,   /* users who think, ask and wait */
  TDM_ARRIVE_LIST,     /* given times (and attributes) */
  TDM_ARRIVE_FUNCTION  /* Lua gives the next gap */
} tdm_arrival_kind;

typedef struct {
  tdm_arrival_kind kind;
  int64_t start_ns;
  int64_t end_ns;  /* no arrival from then on; 0: the model's end alone decides */
  uint64_t limit;  /* most requests of the class; 0: no limit of its own */
  tdm_dist *batch; /* size of a group arriving at once, rounded, at least 1; NULL: 1 */
  double rps;      /* CONSTANT */
  tdm_dist *gap;   /* RENEWAL, seconds */
  double *states;  /* MMPP: rate1, stay1, rate2, stay2, … 1/s and seconds */
  size_t state_count;
  double *curve; /* CURVE: t1, rate1, t2, rate2, … seconds and 1/s */
  size_t points;
  double period_s;   /* CURVE: repeats when > 0 */
  uint32_t users;    /* CLOSED */
  tdm_dist *think;   /* CLOSED, seconds */
  int64_t *times_ns; /* LIST, rising */
  size_t count;
  uint32_t repeats;      /* LIST: how often it comes, 0 as 1, … */
  int64_t period_ns;     /* … one behind the other */
  tdm_request_rows rows; /* what requests have of a recording; LIST: a unit for each time */
  uint32_t function;     /* FUNCTION */
  bool coroutine;        /* FUNCTION yields its gaps */
} tdm_arrivals;

/* Asks a user's function for the gap in seconds after arrival n at t_s; false: no more. */
typedef bool (*tdm_gap_call)(void *context, const tdm_arrivals *arrivals, uint64_t n, double t_s,
                             double *gap_s);

typedef struct {
  const tdm_arrivals *arrivals;
  tdm_stream gaps, sizes, aux;
  const tdm_script *script;
  tdm_gap_call call; /* FUNCTION only */
  void *call_context;
  uint64_t n;      /* groups generated so far */
  double clock_s;  /* MMPP and CURVE keep exact time as a double, rounded once per arrival */
  double switch_s; /* MMPP: when the state changes */
  uint64_t draws;  /* MMPP, CURVE: candidate draws used */
  uint64_t switches;
  size_t state;
  double rate_max;    /* CURVE: bound for thinning */
  double gap_mean_ns; /* RENEWAL with exponential gaps: drawn in blocks by vector code; else -1 */
  int64_t block_ns[64];
  int64_t time_ns;
} tdm_arrival_cursor;

typedef enum {
  TDM_ARRIVAL_POSITIVE, /* double */
  TDM_ARRIVAL_SECONDS,  /* double; 0 where it is absent */
  TDM_ARRIVAL_NS,       /* int64_t, of seconds; 0 where it is absent */
  TDM_ARRIVAL_COUNT,    /* uint32_t; 0 where it is absent */
  TDM_ARRIVAL_FLAG,     /* bool */
  TDM_ARRIVAL_DIST,     /* tdm_dist * */
  TDM_ARRIVAL_PAIRS,    /* double *, and how many pairs there are: a size_t */
  TDM_ARRIVAL_TIMES,    /* int64_t *, of seconds, and how many there are: a size_t */
  TDM_ARRIVAL_FUNCTION  /* uint32_t */
} tdm_arrival_sort;

typedef struct {
  const char *name;
  tdm_arrival_sort sort;
  size_t offset, count; /* in tdm_arrivals */
} tdm_arrival_field;

/* What a kind is. Functions may be NULL: nothing to check or to prepare, no rate that is known. */
typedef struct {
  const char *name;            /* `kind` of the model table */
  tdm_arrival_field fields[4]; /* one without a name ends them */
  tdm_status (*check)(const tdm_arrivals *arrivals, tdm_error *error);
  void (*open)(tdm_arrival_cursor *cursor);
  bool (*next)(tdm_arrival_cursor *cursor); /* sets time_ns; false: the process has ended */
  double (*rate)(const tdm_arrivals *arrivals);
} tdm_arrival_process;

extern const tdm_arrival_process
    tdm_arrival_processes[]; /* by kind; one without a name ends them */

void tdm_arrivals_free(tdm_arrivals *arrivals);
tdm_status tdm_arrivals_check(const tdm_arrivals *arrivals, tdm_error *error);

void tdm_arrival_cursor_open(tdm_arrival_cursor *cursor, const tdm_arrivals *arrivals,
                             tdm_stream stream, const tdm_script *script);

/* The next single Poisson arrival out of the present block; false: ask tdm_arrival_next. */
static inline bool tdm_arrival_next_quickly(tdm_arrival_cursor *cursor, int64_t *time_ns) {
  if (cursor->gap_mean_ns < 0 || cursor->arrivals->batch != NULL || cursor->n % 64 == 0)
    return false;
  *time_ns = cursor->time_ns += cursor->block_ns[cursor->n++ % 64];
  return true;
}

/* When the last of a LIST comes, without `start_ns`; 0: none. */
int64_t tdm_arrivals_list_end_ns(const tdm_arrivals *arrivals);

/* Next group: its time and size. False: the process has ended. Not for CLOSED. */
bool tdm_arrival_next(tdm_arrival_cursor *cursor, int64_t *time_ns, uint32_t *size);

/* Long-run mean rate of requests in 1/s (groups × mean size), 0 when unknown. */
double tdm_arrivals_rate(const tdm_arrivals *arrivals);

#endif
