/* Long work as child processes of the same program: a crash, a script without an end or a full
 * memory there never hurts the server. Owns the table of jobs, their directories below
 * SPOOL/jobs (out, err, progress, and what a handler puts there), the threads that start and await
 * them, and one that looks at budgets, at those who wait for a job and at streams of events.
 * Safe to call from any thread. A handler makes a job, fills its directory, starts it. */
#ifndef TDM_SERVE_JOBS_JOBS_H
#define TDM_SERVE_JOBS_JOBS_H

#include <stdbool.h>

#include "base/error.h"
#include "serve/request.h"
#include "serve/settings.h"

typedef struct tdm_jobs tdm_jobs;

typedef enum {
  TDM_JOB_NEW, /* its directory is being filled */
  TDM_JOB_QUEUED,
  TDM_JOB_RUNNING,
  TDM_JOB_DONE,   /* it left with a code of its own */
  TDM_JOB_FAILED, /* a signal ended it, or a budget */
  TDM_JOB_CANCELLED,
} tdm_job_state;

/* A copy of what is known of a job; the texts are the caller's to free. */
typedef struct {
  char id[TDM_JOB_ID + 1];
  tdm_job_state state;
  int code;       /* exit code, when done */
  int percent;    /* -1: it does not say */
  double seconds; /* since it began to run */
  char *kind, *detail, *directory;
  const char *why; /* of a failure, static; NULL */
} tdm_job_view;

/* `resume` gets the requests whose job has ended or whose patience has. */
tdm_status tdm_jobs_open(const tdm_settings *settings, void (*resume)(void *, tdm_request *),
                         void *context, tdm_jobs **out, tdm_error *error);
/* Cancels what runs, waits for it, gives back who waits. Streams end. Then close. */
void tdm_jobs_finish(tdm_jobs *jobs);
void tdm_jobs_close(tdm_jobs *jobs);

/* A new job with its directory; kind and detail are kept for whoever asks later. False: too many
 * wait already, or no directory. */
bool tdm_jobs_new(tdm_jobs *jobs, const char *kind, const char *detail, char id[TDM_JOB_ID + 1]);
/* arguments: without the program, ends with NULL; copied. */
bool tdm_jobs_start(tdm_jobs *jobs, const char *id, const char *const *arguments);
bool tdm_jobs_look(tdm_jobs *jobs, const char *id, tdm_job_view *view);
/* Views of all, the newest first; *count of them, to be freed with their texts. */
tdm_job_view *tdm_jobs_list(tdm_jobs *jobs, size_t *count);
void tdm_job_view_free(tdm_job_view *view);
bool tdm_jobs_cancel(tdm_jobs *jobs, const char *id);

/* Keeps the request until its job has ended or its time is up. */
void tdm_jobs_park(tdm_jobs *jobs, tdm_request *request);

/* The job's progress as Server-Sent Events. NULL: no such job, or out of memory. */
struct MHD_Response *tdm_jobs_events(tdm_jobs *jobs, const char *id,
                                     struct MHD_Connection *connection);

const char *tdm_job_state_name(tdm_job_state state);
bool tdm_job_ended(tdm_job_state state);

#endif
