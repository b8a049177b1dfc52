/* Counting by the scrape. See metrics.h. */
#include "trace/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/metrics/inside.h"

tdm_metrics *tdm_metrics_new(int64_t scrape_ns) {
  tdm_metrics *metrics = calloc(1, sizeof *metrics);
  if (metrics != NULL) metrics->scrape_ns = scrape_ns;
  return metrics;
}

void tdm_metrics_free(tdm_metrics *metrics) {
  if (metrics == NULL) return;
  for (size_t i = 0; i < metrics->replica_count; i++) {
    free(metrics->replicas[i].server);
    free(metrics->replicas[i].bins);
    free(metrics->replicas[i].requests);
  }
  for (size_t i = 0; i < metrics->server_count; i++) {
    free(metrics->servers[i].server);
    free(metrics->servers[i].model);
  }
  free(metrics->replicas);
  free(metrics->servers);
  free(metrics);
}

tdm_status tdm_metrics_server_is(tdm_metrics *metrics, const char *server, const char *model,
                                 const tdm_metrics_dialect *dialect, tdm_error *error) {
  size_t n = metrics->server_count;
  if (!tdm_array_grow(&metrics->servers, &metrics->server_room, n + 1, sizeof *metrics->servers))
    return tdm_error_memory(error, "metrics", sizeof *metrics->servers);
  if (model == NULL) model = server;
  metrics->servers[n] = (tdm_metrics_server){strdup(server), strdup(model), dialect};
  metrics->server_count++;
  if (metrics->servers[n].server == NULL || metrics->servers[n].model == NULL)
    return tdm_error_memory(error, "metrics", strlen(server) + strlen(model));
  return TDM_OK;
}

/* ---- bins */

static size_t scrape_of(const tdm_metrics *metrics, int64_t at_ns) {
  return (size_t)(at_ns / metrics->scrape_ns + (at_ns % metrics->scrape_ns > 0));
}

/* What the first scrape at or behind a time is to tell; NULL: out of memory. */
static tdm_metrics_bin *bin_at(tdm_metrics *metrics, tdm_metrics_replica *replica, int64_t at_ns) {
  replica = &metrics->replicas[replica->into];
  size_t index = scrape_of(metrics, at_ns), had = replica->bin_count;
  if (at_ns > metrics->last_ns) metrics->last_ns = at_ns;
  if (index < had) return &replica->bins[index];
  if (!tdm_array_grow(&replica->bins, &replica->bin_room, index + 1, sizeof *replica->bins))
    return NULL;
  memset(replica->bins + had, 0, (index + 1 - had) * sizeof *replica->bins);
  replica->bin_count = index + 1;
  return &replica->bins[index];
}

static void observe(const tdm_metrics_replica *replica, tdm_metrics_bin *bin, int histogram,
                    int64_t value, int64_t times) {
  const int64_t *bound = replica->bound[histogram];
  if (bound == NULL) return;
  int64_t unit = histogram < TDM_TOKENS_PROMPT ? replica->dialect->bound_ns : 1;
  size_t at = 0;
  while (bound[at] != 0 && value > (bound[at] > 0 ? bound[at] * unit : 0)) at++;
  bin->bucket[histogram][at] += times;
  bin->sum[histogram] += value * times;
}

/* ---- events */

static tdm_metrics_request *request_of(tdm_metrics_replica *replica, uint32_t number) {
  size_t had = replica->request_room;
  if (!tdm_array_grow(&replica->requests, &replica->request_room, (size_t)number + 1,
                      sizeof *replica->requests))
    return NULL;
  if (replica->request_room > had)
    memset(replica->requests + had, 0, (replica->request_room - had) * sizeof *replica->requests);
  return &replica->requests[number];
}

static void first_token(tdm_metrics_replica *replica, tdm_metrics_bin *bin, tdm_metrics_request *r,
                        const tdm_served *event) {
  int64_t cached = r->cached_tokens + r->below_tokens, computed = r->prompt_tokens - cached;
  observe(replica, bin, TDM_TIMES_TTFT, event->ttft_ns, 1);
  bin->count[TDM_COUNT_PROMPT] += r->prompt_tokens;
  bin->count[TDM_COUNT_PROMPT_COMPUTED] += computed;
  bin->count[TDM_COUNT_PROMPT_HIT] += r->cached_tokens;
  bin->count[TDM_COUNT_PROMPT_BELOW] += r->below_tokens;
  bin->count[TDM_COUNT_PROMPT_CACHED] += cached;
  observe(replica, bin, TDM_TOKENS_PROMPT_FIRST, r->prompt_tokens, 1);
  observe(replica, bin, TDM_TOKENS_CACHED_FIRST, cached, 1);
  bin->unanswered--;
  r->answered = true;
  replica->step_tokens += computed;
}

static void done(const tdm_metrics_replica *replica, tdm_metrics_bin *bin,
                 const tdm_served *event) {
  int64_t found = event->cached_tokens + event->below_tokens;
  bin->running--;
  bin->count[TDM_COUNT_STOPPED]++;
  bin->count[TDM_COUNT_ENDED_PROMPT] += event->prompt_tokens;
  bin->count[TDM_COUNT_ENDED_GENERATION] += event->output_tokens;
  bin->count[TDM_COUNT_ENDED_HIT] += event->cached_tokens;
  bin->count[TDM_COUNT_ENDED_BELOW] += event->below_tokens;
  bin->count[TDM_COUNT_ENDED_CACHED] += found;
  observe(replica, bin, TDM_TIMES_TTFT_ENDED, event->ttft_ns, 1);
  observe(replica, bin, TDM_TIMES_E2E, event->e2e_ns, 1);
  observe(replica, bin, TDM_TIMES_QUEUE, event->scheduled_ns - event->queued_ns, 1);
  observe(replica, bin, TDM_TIMES_INFERENCE, event->done_ns - event->scheduled_ns, 1);
  observe(replica, bin, TDM_TIMES_PREFILL, event->first_ns - event->scheduled_ns, 1);
  observe(replica, bin, TDM_TIMES_DECODE, event->done_ns - event->first_ns, 1);
  if (event->output_tokens > 1)
    observe(replica, bin, TDM_TIMES_TPOT,
            (event->done_ns - event->first_ns) / (event->output_tokens - 1), 1);
  observe(replica, bin, TDM_TOKENS_PROMPT, event->prompt_tokens, 1);
  observe(replica, bin, TDM_TOKENS_GENERATION, event->output_tokens, 1);
  observe(replica, bin, TDM_TOKENS_COMPUTED, event->prompt_tokens - found, 1);
  observe(replica, bin, TDM_TOKENS_CACHED, found, 1);
}

/* Its prompts are known when their first tokens have been told of. */
static bool settle_step(tdm_metrics *metrics, tdm_metrics_replica *replica) {
  if (!replica->stepped) return true;
  tdm_metrics_bin *bin = bin_at(metrics, replica, replica->step_ns);
  if (bin == NULL) return false;
  observe(replica, bin, TDM_TOKENS_ITERATION, replica->step_tokens, 1);
  replica->stepped = false;
  replica->step_tokens = 0;
  return true;
}

/* Less than before: it has begun anew. */
static int64_t grown(int64_t *from, double to) {
  int64_t whole = (int64_t)(to + 0.5), more = whole >= *from ? whole - *from : whole;
  *from = whole;
  return more;
}

/* Blocks are in use in the scrapes that a step is under way at. */
static bool step(tdm_metrics *metrics, tdm_metrics_replica *replica, const tdm_served *event) {
  if (!settle_step(metrics, replica)) return false;
  tdm_metrics_bin *bin = bin_at(metrics, replica, event->at_ns);
  if (bin == NULL) return false;
  bin->count[TDM_COUNT_GENERATION] += event->count;
  bin->count[TDM_COUNT_LOADED] += grown(&replica->loaded_bytes, event->loaded_bytes);
  bin->count[TDM_COUNT_STORED] += grown(&replica->stored_bytes, event->stored_bytes);
  replica->stepped = true;
  replica->step_ns = event->at_ns;
  replica->step_tokens = event->count;
  for (size_t k = scrape_of(metrics, event->begin_ns); k < replica->bin_count; k++)
    if ((int64_t)k * metrics->scrape_ns < event->at_ns)
      replica->bins[k].kv_blocks = event->kv_blocks;
  return true;
}

static void count(tdm_metrics_replica *replica, tdm_metrics_bin *bin, tdm_metrics_request *r,
                  const tdm_served *event) {
  switch (event->kind) {
  case TDM_SERVED_CAME:
    *r = (tdm_metrics_request){.prompt_tokens = event->prompt_tokens};
    bin->count[TDM_COUNT_CAME]++;
    bin->waiting++;
    bin->unanswered++;
    break;
  case TDM_SERVED_SCHEDULED:
    bin->waiting--;
    bin->running++;
    if (event->again) break;
    r->cached_tokens = event->cached_tokens;
    r->below_tokens = event->below_tokens;
    if (!replica->caches) break;
    bin->count[TDM_COUNT_QUERIES] += r->prompt_tokens;
    bin->count[TDM_COUNT_HITS] += event->cached_tokens;
    if (!replica->offloads) break;
    bin->count[TDM_COUNT_BELOW_QUERIES] += r->prompt_tokens - event->cached_tokens;
    bin->count[TDM_COUNT_BELOW_HITS] += event->below_tokens;
    break;
  case TDM_SERVED_PREEMPTED:
    bin->running--;
    bin->waiting++;
    bin->count[TDM_COUNT_PREEMPTIONS]++;
    break;
  case TDM_SERVED_FIRST: first_token(replica, bin, r, event); break;
  case TDM_SERVED_DONE: done(replica, bin, event); break;
  case TDM_SERVED_ABORTED:
    *(event->waiting ? &bin->waiting : &bin->running) -= 1;
    bin->count[TDM_COUNT_ABORTED]++;
    if (!r->answered) bin->unanswered--;
    break;
  case TDM_SERVED_GAPS:
    observe(replica, bin, TDM_TIMES_ITL, event->at_ns - event->begin_ns, event->count);
    break;
  case TDM_SERVED_STEP: break;
  }
}

static tdm_status take_event(void *context, const tdm_served *event, tdm_error *error) {
  tdm_metrics *metrics = context;
  tdm_metrics_replica *replica = &metrics->replicas[event->replica];
  bool fits;
  if (event->kind == TDM_SERVED_STEP) {
    fits = step(metrics, replica, event);
  } else {
    tdm_metrics_bin *bin = bin_at(metrics, replica, event->at_ns);
    tdm_metrics_request *r = request_of(replica, event->request);
    fits = bin != NULL && r != NULL;
    if (fits) count(replica, bin, r, event);
  }
  return fits ? TDM_OK
              : tdm_error_memory(error, "metrics (scrape more seldom)",
                                 replica->bin_count * sizeof *replica->bins);
}

static tdm_status take_replica(void *context, const tdm_served_replica *about, tdm_error *error) {
  tdm_metrics *metrics = context;
  size_t n = about->id;
  if (!tdm_array_grow(&metrics->replicas, &metrics->replica_room, n + 1, sizeof *metrics->replicas))
    return tdm_error_memory(error, "metrics", sizeof *metrics->replicas);
  tdm_metrics_replica *replica = &metrics->replicas[n];
  *replica = (tdm_metrics_replica){.server = strdup(about->server),
                                   .dialect = tdm_metrics_dialects,
                                   .number = about->number,
                                   .into = n,
                                   .blocks = about->blocks,
                                   .block_tokens = about->block_tokens,
                                   .caches = about->caches,
                                   .offloads = about->offloads};
  metrics->replica_count = n + 1;
  if (replica->server == NULL) return tdm_error_memory(error, "metrics", strlen(about->server));
  replica->model = replica->server;
  for (size_t i = 0; i < metrics->server_count; i++) {
    if (strcmp(metrics->servers[i].server, replica->server) != 0) continue;
    replica->model = metrics->servers[i].model;
    replica->dialect = metrics->servers[i].dialect;
  }
  for (size_t i = 0; i < n && replica->dialect->frontend && replica->into == n; i++)
    if (strcmp(metrics->replicas[i].server, replica->server) == 0) replica->into = i;
  for (const tdm_metrics_family *f = replica->dialect->families; f->name != NULL; f++)
    if (f->kind == TDM_METRICS_HISTOGRAM) replica->bound[f->what] = f->bound;
  return TDM_OK;
}

void tdm_metrics_sink(tdm_metrics *metrics, tdm_served_sink *out) {
  *out = (tdm_served_sink){.context = metrics, .replica = take_replica, .event = take_event};
}

bool tdm_metrics_settle(tdm_metrics *metrics, size_t *scrapes) {
  *scrapes = scrape_of(metrics, metrics->last_ns) + 1;
  for (size_t i = 0; i < metrics->replica_count; i++) {
    tdm_metrics_replica *replica = &metrics->replicas[i];
    int64_t end_ns = (int64_t)(*scrapes - 1) * metrics->scrape_ns;
    if (!settle_step(metrics, replica) || bin_at(metrics, replica, end_ns) == NULL) return false;
  }
  return true;
}
