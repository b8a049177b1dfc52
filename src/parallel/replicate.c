/* The pool: threads take the next block of replications until none is left.
 * Owns the threads for the length of one call. */
#include "parallel/replicate.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "engine/lowered/lowered.h"
#include "engine/measure/measure.h"

#define PROGRESS_MS 50
#define STOP_LOOKS  3  /* looks of PROGRESS_MS in which a stopped run may end by itself */
#define PILOTS      64 /* replications whose tallies wait until the warm-up is known */

#define LEAN_STAGES 20000             /* of a model; more of them, and it is run lean */
#define LEAN_BYTES  ((size_t)512)     /* that a stage of a replication takes then, about */
#define LEAN_MOST   ((size_t)1 << 30) /* bytes that replications at work may take together */

typedef struct {
  const tdm_model *model;
  const tdm_replicate_options *options;
  tdm_replications *out;
  bool *finished;             /* by replication */
  tdm_tally *tallies[PILOTS]; /* of the first replications, until they are measured */
  tdm_tally *partial;         /* of replication 0 when it was cut short */
  bool measuring;             /* the pilots' tallies are being measured */
  bool lean;                  /* see replicate.h */
  int64_t warmup_ns;          /* once it is known; TDM_WARMUP_AUTO before */
  uint32_t end;               /* replications of the present phase end here */
  uint32_t block;             /* replications a job */
  uint32_t lanes;             /* … of simulation: 1, or 8 when wide */
  atomic_uint next;
  atomic_uint done;
  atomic_bool failed;
  pthread_mutex_t lock; /* guards error, status, out->latency, running */
  pthread_cond_t idle;
  uint32_t running;
  tdm_status status;
  uint32_t status_replication; /* the earliest failure is reported, whoever came first */
  tdm_error error;
} pool;

uint32_t tdm_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    int count = CPU_COUNT(&set);
    if (count > 0) return (uint32_t)count;
  }
  return 1;
}

static void fail(pool *p, uint32_t replication, tdm_status status, const tdm_error *error) {
  pthread_mutex_lock(&p->lock);
  if (p->status == TDM_OK || replication < p->status_replication) {
    p->status = status;
    p->status_replication = replication;
    p->error = *error;
  }
  pthread_mutex_unlock(&p->lock);
  atomic_store(&p->failed, true);
}

/* Keeps a replication's measure, and its histogram in the common one. */
static tdm_status measure(pool *p, uint32_t replication, tdm_tally *tally, tdm_error *error) {
  tdm_measure *measure = &p->out->measures[replication];
  tdm_status status =
      tdm_measure_take(p->model, tally, p->warmup_ns, p->options->replications, measure, error);
  if (status != TDM_OK) return status;
  pthread_mutex_lock(&p->lock);
  tdm_histogram_merge(&p->out->latency, &measure->latency);
  p->out->interrupted |= measure->interrupted;
  p->finished[replication] = true;
  pthread_mutex_unlock(&p->lock);
  tdm_histogram_free(&measure->latency);
  measure->latency = (tdm_histogram){0};
  return TDM_OK;
}

/* Takes a whole replication's tally over: pilots wait for the warm-up to be known. */
static tdm_status keep(pool *p, uint32_t replication, tdm_tally *tally, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (p->warmup_ns == TDM_WARMUP_AUTO) {
    if (p->lean) tdm_tally_thin(tally);
    p->tallies[replication] = tally;
    if (p->lean) return TDM_OK; /* it will be run again */
  } else {
    status = measure(p, replication, tally, error);
    tdm_tally_free(tally);
  }
  atomic_fetch_add(&p->done, 1);
  return status;
}

/* What a lean replication leaves out: nothing as long as that is to be found. */
static int64_t left_out_ns(const pool *p) {
  return p->warmup_ns == TDM_WARMUP_AUTO ? 0 : p->warmup_ns;
}

static tdm_status run_event(pool *p, uint32_t replication, const tdm_sink *sink, tdm_tally **tally,
                            tdm_error *error) {
  const tdm_replicate_options *o = p->options;
  tdm_engine_options options = {.seed = o->seed,
                                .replication = o->first + replication,
                                .heap_limit = o->heap_limit,
                                .sink = sink,
                                .stop = o->stop,
                                .lean = p->lean,
                                .warmup_ns = left_out_ns(p)};
  void *worker = NULL;
  tdm_engine *engine = NULL;
  tdm_status status = TDM_OK;
  if (o->hooks.open != NULL)
    status = o->hooks.open(o->hooks.context, replication, &worker, &options.hooks, error);
  if (status == TDM_OK) status = tdm_engine_open(p->model, &options, &engine, error);
  if (status == TDM_OK) {
    status = tdm_engine_advance(engine, INT64_MAX, error);
    if (status == TDM_OK || status == TDM_INTERRUPTED) {
      tdm_error closing = {0};
      tdm_status closed = tdm_engine_finish(engine, tally, &closing);
      if (closed != TDM_OK) {
        status = closed;
        *error = closing;
      }
    }
  }
  tdm_engine_close(engine);
  if (worker != NULL) o->hooks.close(o->hooks.context, replication, worker);
  return status;
}

static tdm_status run_one(pool *p, uint32_t replication, tdm_error *error) {
  bool again = p->lean && p->warmup_ns == TDM_WARMUP_AUTO; /* traced then */
  const tdm_sink *sink = replication == 0 && !again ? p->options->sink : NULL;
  tdm_tally *tally = NULL;
  tdm_status status =
      p->out->lowered ? tdm_lowered_run(p->model, p->options->seed, p->options->first + replication,
                                        p->lean ? left_out_ns(p) : TDM_TALLY_WHOLE, sink,
                                        p->options->stop, &tally, error)
                      : run_event(p, replication, sink, &tally, error);
  /* A cut-short replication says little beside whole ones; the first counts when it is all. */
  if (status == TDM_OK) return keep(p, replication, tally, error);
  if (status == TDM_INTERRUPTED && replication == 0)
    p->partial = tally;
  else
    tdm_tally_free(tally);
  return status;
}

static tdm_status run_wide(pool *p, uint32_t first, tdm_error *error) {
  tdm_tally *tallies[TDM_LANES_WIDE] = {0};
  tdm_status status = tdm_lowered_run_wide(p->model, p->options->seed, p->options->first + first,
                                           p->options->stop, tallies, error);
  for (uint32_t lane = 0; lane < TDM_LANES_WIDE; lane++) {
    if (status == TDM_OK)
      status = keep(p, first + lane, tallies[lane], error);
    else
      tdm_tally_free(tallies[lane]);
  }
  return status;
}

static bool stop_asked(const pool *p) {
  return p->options->stop != NULL &&
         atomic_load_explicit(p->options->stop, memory_order_relaxed) != 0;
}

static void *work(void *argument) {
  pool *p = argument;
  for (;;) {
    /* In this order: what is taken is run, so that the earliest failure is always met. */
    if (atomic_load(&p->failed)) break;
    uint32_t first = atomic_fetch_add(&p->next, 1) * p->block;
    if (first >= p->end) break;
    if (!p->measuring && first > 0 && stop_asked(p)) break;
    tdm_error error = {0};
    tdm_status status = TDM_OK;
    uint32_t end = first + p->block < p->end ? first + p->block : p->end;
    uint32_t at = first;
    if (p->measuring) {
      for (; at < end && status == TDM_OK; at++)
        if (p->tallies[at] != NULL) status = measure(p, at, p->tallies[at], &error);
      if (status != TDM_OK) fail(p, at, status, &error);
      continue;
    }
    /* A traced replication 0 and an incomplete last block go one by one: same bits. */
    bool wide =
        p->block > 1 && first + p->block <= p->end && !(first == 0 && p->options->sink != NULL);
    if (wide)
      status = run_wide(p, first, &error);
    else
      for (; at < end && status == TDM_OK; at++) status = run_one(p, at, &error);
    if (status != TDM_OK && status != TDM_INTERRUPTED) fail(p, at, status, &error);
    if (status != TDM_OK) break;
  }
  pthread_mutex_lock(&p->lock);
  p->running--;
  pthread_cond_signal(&p->idle);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Calls of user code that do not end have to be stopped by somebody who is not in them. */
static bool may_hang(const pool *p) {
  const tdm_hook_source *hooks = &p->options->hooks;
  return hooks->look != NULL || (p->options->stop != NULL && hooks->interrupt != NULL);
}

/* The calling thread only waits, tells how far the others are, and stops those that do not. */
static void wait_all(pool *p) {
  const tdm_replicate_options *o = p->options;
  unsigned looks = 0; /* since stop was asked */
  pthread_mutex_lock(&p->lock);
  while (p->running > 0) {
    if (o->progress == NULL && !may_hang(p)) {
      pthread_cond_wait(&p->idle, &p->lock);
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PROGRESS_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&p->idle, &p->lock, &until);
    pthread_mutex_unlock(&p->lock);
    if (o->progress != NULL)
      o->progress(o->progress_context, atomic_load(&p->done), o->replications);
    if (o->hooks.look != NULL) o->hooks.look(o->hooks.context);
    if (o->hooks.interrupt != NULL && stop_asked(p) && ++looks > STOP_LOOKS)
      o->hooks.interrupt(o->hooks.context);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

static void run_threads(pool *p, uint32_t threads) {
  if (threads == 1 && p->options->progress == NULL && !may_hang(p)) { /* nothing to watch */
    p->running = 1;
    work(p);
    return;
  }
  pthread_t *ids = tdm_array_new(threads, sizeof *ids);
  uint32_t started = 0;
  p->running = threads;
  while (ids != NULL && started < threads && pthread_create(&ids[started], NULL, work, p) == 0)
    started++;
  pthread_mutex_lock(&p->lock);
  p->running -= threads - started;
  if (started == 0) p->running = 1;
  pthread_mutex_unlock(&p->lock);
  if (started == 0)
    work(p); /* no thread to be had: do it here */
  else
    wait_all(p);
  for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
  free(ids);
}

/* One phase: replications from `from` to `end` (a multiple of the block from the start). */
static void run_phase(pool *p, uint32_t from, uint32_t end, bool measuring) {
  uint32_t jobs = (end - from + p->block - 1) / p->block;
  uint32_t threads = p->options->threads > 0 ? p->options->threads : tdm_processors();
  if (p->lean) {
    size_t room = LEAN_MOST / LEAN_BYTES / p->model->stage_count;
    if (threads > room) threads = room > 0 ? (uint32_t)room : 1;
  }
  atomic_store(&p->next, from / p->block);
  p->end = end;
  p->measuring = measuring;
  if (jobs > 0) run_threads(p, threads < jobs ? threads : jobs);
}

/* Runs all: with an automatic warm-up the pilots first, which tell how long it is. */
static void run_all(pool *p) {
  uint32_t total = p->options->replications;
  uint32_t pilots = total < PILOTS ? total : PILOTS;
  if (p->warmup_ns != TDM_WARMUP_AUTO) {
    run_phase(p, 0, total, false);
    return;
  }
  run_phase(p, 0, pilots, false);
  tdm_tally *whole[PILOTS];
  size_t count = 0;
  while (count < pilots && p->tallies[count] != NULL) {
    whole[count] = p->tallies[count];
    count++;
  }
  tdm_error error = {0};
  tdm_status status =
      tdm_warmup_find(whole, count, &p->warmup_ns, &p->out->warmup_unsettled, &error);
  if (status != TDM_OK) fail(p, 0, status, &error);
  p->block = 1; /* measures are made one by one */
  if (!p->lean) run_phase(p, 0, pilots, true);
  p->block = p->lanes;
  for (uint32_t i = 0; i < pilots; i++) tdm_tally_free(p->tallies[i]);
  if (p->lean && count > 0 && !atomic_load(&p->failed)) {
    run_phase(p, 0, count == pilots ? total : (uint32_t)count, false);
    return;
  }
  if (pilots < total && count == pilots && !atomic_load(&p->failed) && !stop_asked(p))
    run_phase(p, pilots, total, false);
}

tdm_status tdm_replicate(const tdm_model *model, const tdm_replicate_options *options,
                         tdm_replications *out, tdm_error *error) {
  *out = (tdm_replications){0};
  pool p = {.model = model,
            .options = options,
            .out = out,
            .block = 1,
            .lanes = 1,
            .warmup_ns = options->warmup_ns,
            .status = TDM_OK};
  const char *refusal = tdm_lowered_refuses(model);
  if (options->engine == TDM_ENGINE_LOWERED && refusal != NULL)
    return tdm_error_set(error, TDM_INVALID, "this scenario cannot be lowered: %s", refusal);
  out->lowered = refusal == NULL && options->engine != TDM_ENGINE_EVENT;
  out->measures = tdm_array_new(options->replications, sizeof *out->measures);
  p.finished = tdm_array_new(options->replications, sizeof *p.finished);
  tdm_status status = tdm_histogram_new(&out->latency, error);
  if (status == TDM_OK && (out->measures == NULL || p.finished == NULL))
    status = tdm_error_memory(error, "replications", options->replications * sizeof(tdm_measure));
  if (status == TDM_OK) {
    out->count = options->replications;
    size_t many = options->lean_stages > 0 ? options->lean_stages : LEAN_STAGES;
    p.lean = model->stage_count > many && !tdm_tally_grows(model) && options->hooks.open == NULL;
    if (out->lowered && !p.lean && tdm_lowered_is_wide(model)) p.lanes = p.block = TDM_LANES_WIDE;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.idle, NULL);
    run_all(&p);
    uint32_t whole = 0;
    while (whole < options->replications && p.finished[whole]) whole++;
    if (whole == 0 && p.partial != NULL && p.status == TDM_OK) {
      tdm_error taking = {0};
      p.warmup_ns = p.warmup_ns == TDM_WARMUP_AUTO ? 0 : p.warmup_ns;
      p.status = measure(&p, 0, p.partial, &taking);
      p.error = taking;
      whole = p.status == TDM_OK;
    }
    tdm_tally_free(p.partial);
    pthread_mutex_destroy(&p.lock);
    pthread_cond_destroy(&p.idle);
    for (uint32_t i = whole; i < options->replications; i++) tdm_measure_free(&out->measures[i]);
    out->count = whole;
    status = p.status;
    if (status != TDM_OK && error != NULL) *error = p.error;
    if (status == TDM_OK && (out->interrupted || whole < options->replications)) {
      out->interrupted = true;
      status = tdm_error_set(error, TDM_INTERRUPTED, "interrupted after %u of %u replications",
                             whole, options->replications);
    }
  }
  free(p.finished);
  if (status != TDM_OK && status != TDM_INTERRUPTED) tdm_replications_free(out);
  return status;
}

void tdm_replications_free(tdm_replications *replications) {
  for (uint32_t i = 0; replications->measures != NULL && i < replications->count; i++)
    tdm_measure_free(&replications->measures[i]);
  free(replications->measures);
  tdm_histogram_free(&replications->latency);
  *replications = (tdm_replications){0};
}
