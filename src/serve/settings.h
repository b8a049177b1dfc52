/* What a server was told, and what it counts of itself: known to all its threads. */
#ifndef TDM_SERVE_SETTINGS_H
#define TDM_SERVE_SETTINGS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Fixed once it listens, read by every thread. Owned by module.c. */
typedef struct {
  const char *address;     /* as bound: 127.0.0.1, ::1, 0.0.0.0 … */
  uint16_t port;           /* 0: any */
  const char *token;       /* "": none is asked for */
  const char *spool;       /* directory of bodies and jobs, ours alone */
  const char **names;      /* further host names that requests may be sent to; NULL ends them */
  const char **open;       /* paths that need no token; those that end in a slash with all below */
  const char **large;      /* beginnings of paths that take bodies up to upload_bytes */
  uint64_t body_bytes;     /* most of any other body */
  uint64_t upload_bytes;   /* most of an upload */
  unsigned connections;    /* most at once */
  unsigned patience_s;     /* with a connection that says nothing, or too little (patience.h) */
  unsigned workers;        /* threads that answer */
  unsigned jobs;           /* child processes at once */
  unsigned waiting;        /* most jobs that wait for one of these */
  unsigned job_s;          /* a job's time */
  uint64_t job_bytes;      /* a job's address space; 0: any */
  uint64_t job_file_bytes; /* the longest file a job may write */
  const char *files;       /* a folder that jobs may read, besides their own; "" or NULL: none */
} tdm_settings;

/* What a server counts of itself, for GET /metrics. Written by the daemon's thread, read by
 * workers. */

enum { TDM_LATENCIES = 8 };
/* Upper ends of the histogram's classes; the last has none. */
static const double tdm_latency_ends_s[TDM_LATENCIES - 1] = {0.001, 0.005, 0.025, 0.1,
                                                             0.5,   2.5,   10};

typedef struct {
  atomic_uint_fast64_t answers[6]; /* by the first digit of the status */
  atomic_uint_fast64_t latencies[TDM_LATENCIES];
  atomic_uint_fast64_t latency_ns; /* of all together */
  atomic_uint_fast64_t received_bytes;
  atomic_uint_fast64_t refused; /* before a handler saw them */
  atomic_uint_fast64_t cut;     /* connections that were too slow */
  atomic_int_fast64_t in_flight;
} tdm_stats;

#endif
