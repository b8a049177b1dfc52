/* One job at a time in a process of its own, with its budgets: what a runner thread of the jobs
 * does. The child dies with the server, since its parent is the runner that awaits it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "serve/jobs/inside.h"

extern char **environ;

enum { CANNOT_RUN = 126, FIRST_FREE = 3 };

/* What a child needs, made before the fork: after it nothing may be allocated. */
typedef struct {
  char *out, *err;                            /* paths */
  char *progress, *answer, *confined, *files; /* environment entries */
  char **environment;
} birth;

static void birth_free(birth *b) {
  free(b->out);
  free(b->err);
  free(b->progress);
  free(b->answer);
  free(b->confined);
  free(b->files);
  free(b->environment);
}

/* Ours without the token; where to say how far it is and what came of it; and whose files alone
 * scripts may name. */
static bool prepare(const tdm_job *job, const char *files, birth *b) {
  size_t count = 0, kept = 0;
  while (environ[count] != NULL) count++;
  b->environment = malloc((count + 5) * sizeof *b->environment);
  if (asprintf(&b->out, "%s/out", job->directory) < 0) b->out = NULL;
  if (asprintf(&b->err, "%s/err", job->directory) < 0) b->err = NULL;
  if (asprintf(&b->progress, "TANDEM_PROGRESS=%s/progress", job->directory) < 0) b->progress = NULL;
  if (asprintf(&b->answer, "TANDEM_ANSWER=%s/answer", job->directory) < 0) b->answer = NULL;
  if (asprintf(&b->confined, "TANDEM_CONFINED=%s", job->directory) < 0) b->confined = NULL;
  if (asprintf(&b->files, "TANDEM_READABLE=%s", files != NULL ? files : "") < 0) b->files = NULL;
  if (b->environment == NULL || b->out == NULL || b->err == NULL || b->progress == NULL ||
      b->answer == NULL || b->confined == NULL || b->files == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "TANDEM_TOKEN=", 13) != 0) b->environment[kept++] = environ[i];
  b->environment[kept++] = b->progress;
  b->environment[kept++] = b->answer;
  b->environment[kept++] = b->confined;
  b->environment[kept++] = b->files;
  b->environment[kept] = NULL;
  return true;
}

/* The type of setrlimit's first argument differs between C libraries: it gets constants only. */
static void limit(const tdm_settings *settings) {
  uint64_t cpu_s = (uint64_t)settings->job_s * 4;
  struct rlimit cpu = {cpu_s, cpu_s}, core = {0, 0};
  struct rlimit memory = {settings->job_bytes, settings->job_bytes};
  struct rlimit files = {settings->job_file_bytes, settings->job_file_bytes};
  if (cpu_s > 0) setrlimit(RLIMIT_CPU, &cpu);
  if (settings->job_bytes > 0 && !TDM_SHADOWED) setrlimit(RLIMIT_AS, &memory);
  if (settings->job_file_bytes > 0) setrlimit(RLIMIT_FSIZE, &files);
  setrlimit(RLIMIT_CORE, &core);
}

static void become(const tdm_settings *settings, char **arguments, const birth *b) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0); /* Ctrl-C in the server's terminal is the server's */
  int in = open("/dev/null", O_RDONLY);
  int out = open(b->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err = open(b->err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
    _exit(CANNOT_RUN);
  close_range(FIRST_FREE, ~0U, 0);
  limit(settings);
  execve("/proc/self/exe", arguments, b->environment);
  _exit(CANNOT_RUN);
}

static void settle(tdm_job *job, int status) {
  if (job->cancelled)
    job->state = TDM_JOB_CANCELLED;
  else if (WIFEXITED(status) && !job->overdue && WEXITSTATUS(status) != CANNOT_RUN)
    job->state = TDM_JOB_DONE;
  else
    job->state = TDM_JOB_FAILED;
  job->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (job->state == TDM_JOB_FAILED)
    job->why = job->overdue ? "it took longer than a job may"
               : WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU
                   ? "it computed longer than a job may"
               : WIFSIGNALED(status) ? "a signal ended it"
                                     : "it could not be started";
  job->ended_ns = tdm_jobs_now_ns();
}

/* Under the lock, but for the wait. The job stays in the table while it runs. */
static void run(tdm_jobs *jobs, tdm_job *job) {
  birth b = {0};
  pid_t pid = prepare(job, jobs->settings->files, &b) ? fork() : -1;
  if (pid == 0) become(jobs->settings, job->arguments, &b);
  job->began_ns = tdm_jobs_now_ns();
  if (pid > 0) {
    job->pid = pid;
    job->state = TDM_JOB_RUNNING;
    pthread_mutex_unlock(&jobs->lock);
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    pthread_mutex_lock(&jobs->lock);
    int status = 0;
    waitpid(pid, &status, 0); /* under the lock: its number is ours until here */
    settle(job, status);
  } else {
    job->state = TDM_JOB_FAILED;
    job->why = "there is no memory for another process";
    job->ended_ns = job->began_ns;
  }
  birth_free(&b);
  pthread_cond_signal(&jobs->tick);
}

void *tdm_jobs_runner(void *argument) {
  tdm_jobs *jobs = argument;
  pthread_mutex_lock(&jobs->lock);
  while (!jobs->ending) {
    tdm_job *next = NULL;
    for (tdm_job *job = jobs->first; job != NULL; job = job->next)
      if (job->state == TDM_JOB_QUEUED && (next == NULL || job->order < next->order)) next = job;
    if (next != NULL)
      run(jobs, next);
    else
      pthread_cond_wait(&jobs->work, &jobs->lock);
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}
