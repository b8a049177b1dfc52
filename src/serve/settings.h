/* What a server was told: fixed once it listens, read by every thread. Owned by module.c. */
#ifndef TDM_SERVE_SETTINGS_H
#define TDM_SERVE_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

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
} tdm_settings;

#endif
