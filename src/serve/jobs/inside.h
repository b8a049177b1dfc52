/* What the files of the jobs share: the table and its lock. Only jobs*.c include this. */
#ifndef TDM_SERVE_JOBS_INSIDE_H
#define TDM_SERVE_JOBS_INSIDE_H

#include <pthread.h>
#include <sys/types.h>

#include "serve/jobs/jobs.h"

typedef struct tdm_job {
  struct tdm_job *next; /* the newest first */
  char id[TDM_JOB_ID + 1];
  tdm_job_state state;
  char *kind, *detail, *directory;
  char **arguments; /* one block: pointers, then texts */
  pid_t pid;        /* while it runs */
  int code;
  const char *why;
  bool cancelled;
  bool overdue;
  int64_t began_ns, ended_ns, asked_ns; /* asked: when it was told to stop; 0: not */
  uint64_t order;                       /* of starting */
} tdm_job;

typedef struct tdm_stream {
  struct tdm_stream *next;
  tdm_jobs *jobs;
  struct MHD_Connection *connection;
  char id[TDM_JOB_ID + 1];
  bool waiting; /* suspended: somebody has to resume it */
  bool last;    /* the end was said */
  int percent;
  int state;
  int64_t said_ns;
} tdm_stream;

struct tdm_jobs {
  const tdm_settings *settings;
  void (*resume)(void *, tdm_request *);
  void *context;
  char *directory;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t work;  /* a job is queued, or the end */
  pthread_cond_t tick;
  tdm_job *first;
  tdm_request *parked;
  tdm_stream *streams;
  uint64_t orders;
  bool ending;
  pthread_t *runners;
  unsigned runner_count;
  pthread_t ticker;
  bool ticking;
};

int64_t tdm_jobs_now_ns(void);
tdm_job *tdm_jobs_find(tdm_jobs *jobs, const char *id);
/* The percentage that a job's file says, 100 at its end; -1: none. */
int tdm_job_percent(const tdm_job *job);
/* Resumes the streams that have something to say. Under the lock. */
void tdm_streams_tick(tdm_jobs *jobs, int64_t now);
/* A thread: runs queued jobs, one after the other. */
void *tdm_jobs_runner(void *jobs);

#endif
