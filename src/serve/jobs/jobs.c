/* The table of jobs and the thread that looks after it; see jobs.h. */
#include "serve/jobs/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "serve/jobs/inside.h"

enum { TICK_MS = 50, KEPT_MOST = 256 };
#define SECOND_NS INT64_C(1000000000)
#define KEPT_NS   (3600 * SECOND_NS)
#define GRACE_NS  (5 * SECOND_NS) /* from "please stop" to "stop" */

int64_t tdm_jobs_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

const char *tdm_job_state_name(tdm_job_state state) {
  static const char *const names[] = {"new", "queued", "running", "done", "failed", "cancelled"};
  return names[state];
}

bool tdm_job_ended(tdm_job_state state) {
  return state >= TDM_JOB_DONE;
}

tdm_job *tdm_jobs_find(tdm_jobs *jobs, const char *id) {
  tdm_job *job = jobs->first;
  while (job != NULL && strcmp(job->id, id) != 0) job = job->next;
  return job;
}

int tdm_job_percent(const tdm_job *job) {
  if (job->state == TDM_JOB_DONE) return 100;
  char *path = NULL, text[16];
  if (asprintf(&path, "%s/progress", job->directory) < 0) return -1;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  free(path);
  if (file < 0) return -1;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = '\0';
  long percent = strtol(text, NULL, 10);
  return percent < 0 ? -1 : percent > 100 ? 100 : (int)percent;
}

/* ---- directories */

/* A job's directory has files only. */
static void remove_directory(const char *path) {
  DIR *directory = opendir(path);
  if (directory != NULL) {
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
  }
  rmdir(path);
}

static void job_free(tdm_job *job) {
  if (job->directory != NULL) remove_directory(job->directory);
  free(job->directory);
  free(job->arguments);
  free(job->kind);
  free(job->detail);
  free(job);
}

/* ---- making and starting */

static bool make_id(char id[TDM_JOB_ID + 1]) {
  unsigned char bytes[TDM_JOB_ID / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(id + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static size_t waiting(const tdm_jobs *jobs) {
  size_t count = 0;
  for (const tdm_job *job = jobs->first; job != NULL; job = job->next)
    count += job->state <= TDM_JOB_QUEUED;
  return count;
}

bool tdm_jobs_new(tdm_jobs *jobs, const char *kind, const char *detail, char id[TDM_JOB_ID + 1]) {
  tdm_job *job = calloc(1, sizeof *job);
  if (job == NULL) return false;
  job->kind = tdm_string_copy(kind);
  job->detail = tdm_string_copy(detail);
  bool made = job->kind != NULL && job->detail != NULL && make_id(job->id);
  if (made && asprintf(&job->directory, "%s/%s", jobs->directory, job->id) < 0)
    job->directory = NULL;
  made = made && job->directory != NULL && mkdir(job->directory, 0700) == 0;
  pthread_mutex_lock(&jobs->lock);
  made = made && !jobs->ending && waiting(jobs) < jobs->settings->waiting;
  if (made) {
    job->ended_ns = tdm_jobs_now_ns();
    job->next = jobs->first;
    jobs->first = job;
    memcpy(id, job->id, sizeof job->id);
  }
  pthread_mutex_unlock(&jobs->lock);
  if (!made) job_free(job);
  return made;
}

/* One block: NULL-ended pointers, then the texts they point to. */
static char **copy_arguments(const char *const *arguments) {
  size_t count = 0, size = 0;
  for (; arguments[count] != NULL; count++) size += strlen(arguments[count]) + 1;
  char **copy = malloc((count + 2) * sizeof *copy + size);
  if (copy == NULL) return NULL;
  static char program[] = "tandem";
  char *at = (char *)(copy + count + 2);
  copy[0] = program;
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(arguments[i]) + 1;
    copy[i + 1] = memcpy(at, arguments[i], length);
    at += length;
  }
  copy[count + 1] = NULL;
  return copy;
}

bool tdm_jobs_start(tdm_jobs *jobs, const char *id, const char *const *arguments) {
  char **copy = copy_arguments(arguments);
  if (copy == NULL) return false;
  pthread_mutex_lock(&jobs->lock);
  tdm_job *job = tdm_jobs_find(jobs, id);
  bool started = job != NULL && job->state == TDM_JOB_NEW && !jobs->ending;
  if (started) {
    job->arguments = copy;
    job->state = TDM_JOB_QUEUED;
    job->order = ++jobs->orders;
    pthread_cond_signal(&jobs->work);
  }
  pthread_mutex_unlock(&jobs->lock);
  if (!started) free(copy);
  return started;
}

/* ---- looking */

static bool view_of(const tdm_job *job, tdm_job_view *view) {
  int64_t until = tdm_job_ended(job->state) ? job->ended_ns : tdm_jobs_now_ns();
  *view = (tdm_job_view){.state = job->state,
                         .code = job->code,
                         .percent = tdm_job_percent(job),
                         .why = job->why,
                         .kind = tdm_string_copy(job->kind),
                         .detail = tdm_string_copy(job->detail),
                         .directory = tdm_string_copy(job->directory)};
  memcpy(view->id, job->id, sizeof view->id);
  if (job->began_ns != 0) view->seconds = (double)(until - job->began_ns) / 1e9;
  return view->kind != NULL && view->detail != NULL && view->directory != NULL;
}

void tdm_job_view_free(tdm_job_view *view) {
  free(view->kind);
  free(view->detail);
  free(view->directory);
}

bool tdm_jobs_look(tdm_jobs *jobs, const char *id, tdm_job_view *view) {
  pthread_mutex_lock(&jobs->lock);
  tdm_job *job = tdm_jobs_find(jobs, id);
  bool found = job != NULL && view_of(job, view);
  if (job != NULL && !found) tdm_job_view_free(view);
  pthread_mutex_unlock(&jobs->lock);
  return found;
}

tdm_job_view *tdm_jobs_list(tdm_jobs *jobs, size_t *count) {
  size_t room = 0;
  *count = 0;
  pthread_mutex_lock(&jobs->lock);
  for (tdm_job *job = jobs->first; job != NULL; job = job->next) room++;
  tdm_job_view *views = tdm_array_new(room + 1, sizeof *views);
  for (tdm_job *job = jobs->first; job != NULL && views != NULL; job = job->next)
    if (view_of(job, &views[*count]))
      (*count)++;
    else
      tdm_job_view_free(&views[*count]);
  pthread_mutex_unlock(&jobs->lock);
  return views;
}

/* ---- stopping */

/* Tells a running job to stop, a queued one that it never begins. Under the lock. */
static void stop(tdm_job *job, int64_t now) {
  if (job->state <= TDM_JOB_QUEUED) {
    job->state = TDM_JOB_CANCELLED;
    job->ended_ns = now;
  } else if (job->state == TDM_JOB_RUNNING && job->asked_ns == 0) {
    job->asked_ns = now;
    kill(job->pid, SIGINT);
  }
}

bool tdm_jobs_cancel(tdm_jobs *jobs, const char *id) {
  pthread_mutex_lock(&jobs->lock);
  tdm_job *job = tdm_jobs_find(jobs, id);
  if (job != NULL && !tdm_job_ended(job->state)) {
    job->cancelled = true;
    stop(job, tdm_jobs_now_ns());
  }
  pthread_mutex_unlock(&jobs->lock);
  return job != NULL;
}

/* ---- the ticker */

void tdm_jobs_park(tdm_jobs *jobs, tdm_request *request) {
  pthread_mutex_lock(&jobs->lock);
  bool over = !jobs->ticking; /* nobody would come for it; its job has ended */
  if (!over) {
    request->next = jobs->parked;
    jobs->parked = request;
    pthread_cond_signal(&jobs->tick);
  }
  pthread_mutex_unlock(&jobs->lock);
  if (over) jobs->resume(jobs->context, request);
}

/* Those whose wait is over, as a list. */
static tdm_request *unpark(tdm_jobs *jobs, int64_t now) {
  tdm_request *over = NULL;
  for (tdm_request **at = &jobs->parked; *at != NULL;) {
    tdm_request *request = *at;
    tdm_job *job = tdm_jobs_find(jobs, request->job);
    if (job == NULL || tdm_job_ended(job->state) || jobs->ending || now >= request->wait_until_ns) {
      *at = request->next;
      request->next = over;
      over = request;
    } else {
      at = &request->next;
    }
  }
  return over;
}

static void hold_to_budgets(tdm_jobs *jobs, int64_t now) {
  int64_t most_ns = (int64_t)jobs->settings->job_s * SECOND_NS;
  for (tdm_job *job = jobs->first; job != NULL; job = job->next) {
    if (job->state != TDM_JOB_RUNNING) continue;
    if (now - job->began_ns > most_ns && job->asked_ns == 0) {
      job->overdue = true;
      stop(job, now);
    }
    if (job->asked_ns != 0 && now - job->asked_ns > GRACE_NS) kill(job->pid, SIGKILL);
  }
}

/* Forgets what ended long ago, what was never started, and the oldest beyond a number. */
static void forget(tdm_jobs *jobs, int64_t now) {
  size_t kept = 0;
  for (tdm_job **at = &jobs->first; *at != NULL;) {
    tdm_job *job = *at;
    bool over = tdm_job_ended(job->state) || job->state == TDM_JOB_NEW;
    kept += over;
    if (over && now - job->ended_ns > SECOND_NS &&
        (kept > KEPT_MOST || now - job->ended_ns > KEPT_NS)) {
      *at = job->next;
      job_free(job);
    } else {
      at = &job->next;
    }
  }
}

static bool somebody_waits(const tdm_jobs *jobs) {
  for (const tdm_stream *stream = jobs->streams; stream != NULL; stream = stream->next)
    if (stream->waiting) return true;
  return jobs->parked != NULL;
}

static void *look_after(void *argument) {
  tdm_jobs *jobs = argument;
  pthread_mutex_lock(&jobs->lock);
  while (jobs->ticking || somebody_waits(jobs)) {
    int64_t now = tdm_jobs_now_ns();
    hold_to_budgets(jobs, now);
    tdm_streams_tick(jobs, now);
    forget(jobs, now);
    tdm_request *over = unpark(jobs, now);
    if (over != NULL) {
      pthread_mutex_unlock(&jobs->lock);
      while (over != NULL) {
        tdm_request *request = over;
        over = request->next;
        jobs->resume(jobs->context, request);
      }
      pthread_mutex_lock(&jobs->lock);
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000;
    if (until.tv_nsec >= SECOND_NS) until.tv_sec++, until.tv_nsec -= SECOND_NS;
    pthread_cond_timedwait(&jobs->tick, &jobs->lock, &until);
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}

/* ---- the whole */

static void remove_leftovers(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return;
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    char *below = NULL;
    if (entry->d_name[0] != '.' && asprintf(&below, "%s/%s", path, entry->d_name) >= 0) {
      remove_directory(below);
      free(below);
    }
  }
  closedir(directory);
}

tdm_status tdm_jobs_open(const tdm_settings *settings, void (*resume)(void *, tdm_request *),
                         void *context, tdm_jobs **out, tdm_error *error) {
  tdm_jobs *jobs = calloc(1, sizeof *jobs);
  if (jobs == NULL) return tdm_error_memory(error, "the jobs", sizeof *jobs);
  jobs->settings = settings;
  jobs->resume = resume;
  jobs->context = context;
  pthread_mutex_init(&jobs->lock, NULL);
  pthread_cond_init(&jobs->work, NULL);
  pthread_cond_init(&jobs->tick, NULL);
  tdm_status status = TDM_OK;
  if (asprintf(&jobs->directory, "%s/jobs", settings->spool) < 0) jobs->directory = NULL;
  if (jobs->directory == NULL || (mkdir(jobs->directory, 0700) != 0 && errno != EEXIST))
    status = tdm_error_set(error, TDM_IO, "%s/jobs: %s", settings->spool, strerror(errno));
  if (status == TDM_OK) remove_leftovers(jobs->directory);
  jobs->runners = tdm_array_new(settings->jobs, sizeof *jobs->runners);
  jobs->ticking = status == TDM_OK && jobs->runners != NULL; /* the thread looks at it */
  if (jobs->ticking && pthread_create(&jobs->ticker, NULL, look_after, jobs) != 0)
    jobs->ticking = false;
  while (jobs->ticking && jobs->runner_count < settings->jobs &&
         pthread_create(&jobs->runners[jobs->runner_count], NULL, tdm_jobs_runner, jobs) == 0)
    jobs->runner_count++;
  if (status == TDM_OK && jobs->runner_count == 0)
    status = tdm_error_set(error, TDM_IO, "no thread for jobs: %s", strerror(errno));
  if (status != TDM_OK) {
    tdm_jobs_finish(jobs);
    tdm_jobs_close(jobs);
    return status;
  }
  *out = jobs;
  return TDM_OK;
}

void tdm_jobs_finish(tdm_jobs *jobs) {
  pthread_mutex_lock(&jobs->lock);
  int64_t now = tdm_jobs_now_ns();
  jobs->ending = true;
  for (tdm_job *job = jobs->first; job != NULL; job = job->next) {
    if (tdm_job_ended(job->state)) continue;
    job->cancelled = true;
    stop(job, now);
  }
  pthread_cond_broadcast(&jobs->work);
  pthread_cond_signal(&jobs->tick);
  pthread_mutex_unlock(&jobs->lock);
  for (unsigned i = 0; i < jobs->runner_count; i++) pthread_join(jobs->runners[i], NULL);
  jobs->runner_count = 0;
  pthread_mutex_lock(&jobs->lock);
  bool ticking = jobs->ticking;
  jobs->ticking = false;
  pthread_cond_signal(&jobs->tick);
  pthread_mutex_unlock(&jobs->lock);
  if (ticking) pthread_join(jobs->ticker, NULL);
}

void tdm_jobs_close(tdm_jobs *jobs) {
  if (jobs == NULL) return;
  while (jobs->first != NULL) {
    tdm_job *job = jobs->first;
    jobs->first = job->next;
    job_free(job);
  }
  pthread_cond_destroy(&jobs->tick);
  pthread_cond_destroy(&jobs->work);
  pthread_mutex_destroy(&jobs->lock);
  free(jobs->runners);
  free(jobs->directory);
  free(jobs);
}
