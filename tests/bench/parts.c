/* Where the time of T5 goes: pieces of a run done alone, and samples of a whole run.
 *
 * The event set alone gets the very sequence of insertions and removals that a run makes, so that
 * its branches are as unforeseeable as there. The samples are program counters taken at fixed
 * intervals of real time; run.lua asks addr2line for the (inlined) functions they lie in. */
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "base/exponential.h"
#include "bench.h"
#include "engine/events/event_set.h"

/* ---- the event set alone */

#define REPLAY_REQUESTS 50000 /* fits the caches; far too long to be learnt by heart */
#define REPLAY_PASSES   20

/* An event of a run: when it was put into the set, and when it came out. */
typedef struct {
  int64_t push_ns, pop_ns;
  tdm_event_rank rank;
} replay_event;

typedef struct {
  replay_event *events;
  size_t count;
  int64_t *arrivals_ns;
  size_t arrival_count;
} replay_log;

static tdm_status log_spans(void *context, const tdm_span_block *block, tdm_error *error) {
  replay_log *log = context;
  (void)error;
  for (uint32_t i = 0; i < block->count; i++) {
    if (block->track[i] % 2 == 1) continue; /* waiting: no event of its own */
    log->events[log->count++] = (replay_event){
        block->start_ns[i], block->start_ns[i] + block->dur_ns[i], TDM_EVENT_COMPLETE};
  }
  return TDM_OK;
}

static tdm_status log_requests(void *context, const tdm_request_record *records,
                               const double *values, size_t count, tdm_error *error) {
  replay_log *log = context;
  (void)values;
  (void)error;
  for (size_t i = 0; i < count; i++) log->arrivals_ns[log->arrival_count++] = records[i].arrival_ns;
  return TDM_OK;
}

static int by_time(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int by_push(const void *a, const void *b) {
  const replay_event *x = a, *y = b;
  if (x->push_ns != y->push_ns) return x->push_ns < y->push_ns ? -1 : 1;
  return (x->pop_ns > y->pop_ns) - (x->pop_ns < y->pop_ns);
}

/* Runs T5 once and logs its events in the order in which they are pushed. */
static replay_log record_events(void) {
  replay_log log = {.events = calloc(REPLAY_REQUESTS * 6, sizeof(replay_event)),
                    .arrivals_ns = calloc(REPLAY_REQUESTS, sizeof(int64_t))};
  tdm_sink sink = {.context = &log, .spans = log_spans, .requests = log_requests};
  tdm_model *model = bench_t5(REPLAY_REQUESTS);
  if (log.events == NULL || log.arrivals_ns == NULL) exit(1);
  bench_event(model, &sink);
  tdm_model_free(model);
  qsort(log.arrivals_ns, log.arrival_count, sizeof(int64_t), by_time);
  /* An arrival's event is pushed when the arrival before it happens. */
  for (size_t i = 0; i < log.arrival_count; i++)
    log.events[log.count++] =
        (replay_event){i > 0 ? log.arrivals_ns[i - 1] : 0, log.arrivals_ns[i], TDM_EVENT_ARRIVAL};
  qsort(log.events, log.count, sizeof(replay_event), by_push);
  return log;
}

void bench_part_events(void) {
  replay_log log = record_events();
  tdm_event_key *keys = calloc(log.count, sizeof *keys);
  int64_t *push_ns = calloc(log.count + 1, sizeof *push_ns);
  if (keys == NULL || push_ns == NULL) exit(1);
  for (size_t i = 0; i < log.count; i++) {
    keys[i] = tdm_event_make(log.events[i].pop_ns, log.events[i].rank, i, (uint32_t)i);
    push_ns[i] = log.events[i].push_ns;
  }
  push_ns[log.count] = INT64_MAX;
  size_t popped = 0;
  double cpu_s = bench_cpu_s(), from_s = bench_now_s();
  for (int pass = 0; pass < REPLAY_PASSES; pass++) {
    tdm_event_set set;
    size_t next = 0;
    tdm_event_key key = 0;
    if (!tdm_event_set_open(&set, TDM_HEAP_LIMIT)) exit(1);
    do {
      while (push_ns[next] <= tdm_event_time(key))
        if (!tdm_event_set_push(&set, keys[next++])) exit(1);
      popped++;
    } while (tdm_event_set_pop(&set, &key));
    popped--;
    tdm_event_set_close(&set);
  }
  double wall_s = bench_now_s() - from_s;
  if (popped != log.count * REPLAY_PASSES) {
    fprintf(stderr, "bench: %zu of %zu events came out\n", popped, log.count * REPLAY_PASSES);
    exit(1);
  }
  bench_sample((double)REPLAY_REQUESTS * REPLAY_PASSES, wall_s, bench_cpu_s() - cpu_s);
  free(push_ns);
  free(keys);
  free(log.events);
  free(log.arrivals_ns);
}

/* ---- draws alone: the six that a request of T5 needs */

#define DRAW_CHUNK 1024

static void draws(uint64_t requests, size_t block, int shuffled_stages) {
  static int64_t out[DRAW_CHUNK];
  static uint64_t ids[DRAW_CHUNK];
  tdm_stream streams[BENCH_T5_STAGES + 1];
  int64_t sum = 0;
  for (int s = 0; s <= BENCH_T5_STAGES; s++)
    streams[s] = tdm_stream_child(tdm_stream_named(1, 0, "bench"), (uint64_t)s);
  double cpu_s = bench_cpu_s(), from_s = bench_now_s();
  for (uint64_t first = 0; first < requests; first += block) {
    for (size_t i = 0; i < block; i++) ids[i] = first + (i ^ 1);
    for (int s = 0; s <= BENCH_T5_STAGES; s++) {
      double mean_ns = (s == 0 ? 1 / bench_t5_rate : bench_t5_means_s[s - 1]) * 1e9;
      if (s > BENCH_T5_STAGES - shuffled_stages)
        tdm_exponential_fill(streams[s], ids, block, mean_ns, out);
      else
        tdm_exponential_run(streams[s], first, block, mean_ns, out);
      sum += out[first / block % block];
    }
  }
  double wall_s = bench_now_s() - from_s;
  bench_sample((double)requests, wall_s, bench_cpu_s() - cpu_s);
  if (sum == 0) exit(1);
}

/* As the event engine draws: in blocks of 64. */
void bench_part_draws_event(void) {
  draws(64 * 160000, 64, 0);
}
/* As the lowered engine draws: chunks of 1024; behind the four servers requests are out of order.
 */
void bench_part_draws_lowered(void) {
  draws(DRAW_CHUNK * 10000, DRAW_CHUNK, 2);
}

/* ---- samples of a whole run */

#define PROFILE_MAX       65536
#define PROFILE_PERIOD_NS 500000

static uintptr_t samples[PROFILE_MAX];
static volatile sig_atomic_t sample_count;

static void take_sample(int number, siginfo_t *info, void *context) {
  const ucontext_t *u = context;
  (void)number;
  (void)info;
  if (sample_count >= PROFILE_MAX) return;
#if defined(__x86_64__)
  samples[sample_count] = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  samples[sample_count] = (uintptr_t)u->uc_mcontext.pc;
#else
  (void)u;
#endif
  sample_count = sample_count + 1;
}

/* Where the program itself was loaded: the first object in the list. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

/* Prints `pc=OFFSET` a sample: addresses as the program's file has them. */
void bench_profile(void (*work)(void)) {
  struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
  struct itimerspec period = {.it_interval = {.tv_nsec = PROFILE_PERIOD_NS},
                              .it_value = {.tv_nsec = PROFILE_PERIOD_NS}};
  timer_t timer;
  uintptr_t base = 0;
  sigaction(SIGPROF, &action, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
    perror("bench: timer");
    exit(1);
  }
  timer_settime(timer, 0, &period, NULL);
  work();
  timer_delete(timer);
  dl_iterate_phdr(take_base, &base);
  for (int i = 0; i < sample_count; i++) printf("pc=0x%jx\n", (uintmax_t)(samples[i] - base));
}
