/* A job's progress as Server-Sent Events: an event whenever its state or its percentage changes,
 * a comment now and then so that nobody between hangs up, an end. A stream with nothing to say has
 * its connection suspended; the jobs' ticker resumes it. Owns the streams; see jobs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/jobs/inside.h"

enum { BLOCK = 512 };
#define SILENCE_NS INT64_C(15000000000)

/* The next event into `text`; 0: nothing to say yet, -1: the stream is over. */
static int next_event(tdm_stream *stream, char *text, size_t room, int64_t now) {
  tdm_jobs *jobs = stream->jobs;
  const tdm_job *job = tdm_jobs_find(jobs, stream->id);
  if (stream->last || job == NULL || jobs->ending) return -1;
  int percent = tdm_job_percent(job);
  if ((int)job->state == stream->state && percent == stream->percent) {
    if (now - stream->said_ns < SILENCE_NS) return 0;
    stream->said_ns = now;
    return snprintf(text, room, ": still here\n\n");
  }
  stream->state = (int)job->state;
  stream->percent = percent;
  stream->said_ns = now;
  stream->last = tdm_job_ended(job->state);
  char share[32] = "";
  if (percent >= 0) snprintf(share, sizeof share, ",\"progress\":%.2f", percent / 100.0);
  return snprintf(text, room, "event: %s\ndata: {\"job_id\":\"%s\",\"state\":\"%s\"%s}\n\n",
                  stream->last ? "end" : "progress", job->id, tdm_job_state_name(job->state),
                  share);
}

static ssize_t say(void *context, uint64_t at, char *text, size_t room) {
  tdm_stream *stream = context;
  (void)at;
  pthread_mutex_lock(&stream->jobs->lock);
  int count = next_event(stream, text, room, tdm_jobs_now_ns());
  if (count == 0) {
    stream->waiting = true;
    MHD_suspend_connection(stream->connection);
  }
  pthread_mutex_unlock(&stream->jobs->lock);
  return count < 0 ? MHD_CONTENT_READER_END_OF_STREAM : count;
}

void tdm_streams_tick(tdm_jobs *jobs, int64_t now) {
  for (tdm_stream *stream = jobs->streams; stream != NULL; stream = stream->next) {
    if (!stream->waiting) continue;
    const tdm_job *job = tdm_jobs_find(jobs, stream->id);
    if (job == NULL || jobs->ending || (int)job->state != stream->state ||
        tdm_job_percent(job) != stream->percent || now - stream->said_ns >= SILENCE_NS) {
      stream->waiting = false;
      MHD_resume_connection(stream->connection);
    }
  }
}

static void stream_free(void *context) {
  tdm_stream *stream = context;
  tdm_jobs *jobs = stream->jobs;
  pthread_mutex_lock(&jobs->lock);
  tdm_stream **at = &jobs->streams;
  while (*at != stream) at = &(*at)->next;
  *at = stream->next;
  pthread_mutex_unlock(&jobs->lock);
  free(stream);
}

struct MHD_Response *tdm_jobs_events(tdm_jobs *jobs, const char *id,
                                     struct MHD_Connection *connection) {
  tdm_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  stream->jobs = jobs;
  stream->connection = connection;
  stream->state = -1;
  snprintf(stream->id, sizeof stream->id, "%s", id);
  pthread_mutex_lock(&jobs->lock);
  stream->next = jobs->streams;
  jobs->streams = stream;
  pthread_mutex_unlock(&jobs->lock);
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, say, stream, stream_free);
  if (response == NULL) stream_free(stream);
  return response;
}
