/* One replica of an LLM server: Poisson arrivals at 20/s, prompts of 512 tokens and outputs of 256
 * on average (uniform with deviations of 128 and 64), an 8B model on an H100 as an affine step
 * model. All in one thread; the second half of the requests must not need more memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "bench.h"
#include "engine/serving/serving.h"
#include "model/llm/affine.h"

#define REQUESTS 1000000

typedef struct {
  uint64_t finished;
  int64_t e2e_ns; /* sum */
} totals;

static void on_finished(void *context, const tdm_serving_outcome *o) {
  totals *t = context;
  t->finished++;
  t->e2e_ns += o->finished_ns - o->arrival_ns;
}

static tdm_llm_step *eight_billion_on_h100(void) {
  tdm_error error;
  tdm_llm_step *model;
  tdm_llm_affine_piece piece = {.decode_seqs_max = INFINITY,
                                .step = 6.2e-3,
                                .prefill_tokens = 32e-6,
                                .prefill_attention = 1.1e-9,
                                .decode_seqs = 35e-6,
                                .decode_context = 49e-9};
  bench_must(tdm_llm_affine_new(&piece, 1, 0, &model, &error), &error);
  return model;
}

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static int64_t uniform(tdm_stream stream, uint64_t n, double mean, double deviation) {
  return (int64_t)(mean + (tdm_stream_unit(stream, n) - 0.5) * sqrt(12) * deviation);
}

static void run_instance(int64_t blocks, uint64_t requests, long *half_kib, totals *t) {
  tdm_error error;
  tdm_serving_config config;
  tdm_serving_config_default(&config);
  config.blocks = blocks;
  tdm_serving_events events = {.context = t, .finished = on_finished};
  tdm_llm_step *model = eight_billion_on_h100();
  tdm_serving *serving;
  bench_must(tdm_serving_open(&config, model, &events, &serving, &error), &error);
  tdm_stream gaps = tdm_stream_named(1, 0, "gaps"), prompts = tdm_stream_named(1, 0, "prompts"),
             outputs = tdm_stream_named(1, 0, "outputs");
  int64_t now_ns = 0;
  for (uint64_t i = 0; i <= requests; i++) {
    now_ns += (int64_t)(-log(tdm_stream_unit(gaps, i)) / 20 * 1e9);
    int64_t until_ns = i < requests ? now_ns - 1 : INT64_MAX - 1;
    for (int64_t next; (next = tdm_serving_next_ns(serving)) <= until_ns;)
      bench_must(tdm_serving_advance(serving, next, &error), &error);
    if (i == requests / 2) *half_kib = peak_kib();
    if (i == requests) break;
    tdm_serving_request request = {.id = i,
                                   .prompt_tokens = uniform(prompts, i, 512, 128),
                                   .output_tokens = uniform(outputs, i, 256, 64)};
    bench_must(tdm_serving_submit(serving, now_ns, &request, &error), &error);
  }
  tdm_serving_close(serving);
  tdm_llm_step_free(model);
}

static long measured(int64_t blocks) {
  totals t = {0};
  long half_kib = 0;
  double wall = bench_now_s(), cpu = bench_cpu_s();
  run_instance(blocks, REQUESTS, &half_kib, &t);
  bench_sample((double)t.finished, bench_now_s() - wall, bench_cpu_s() - cpu);
  return half_kib; /* of memory, at its peak until half of them had come */
}

void bench_serving(void) {
  measured(20000);
}

void bench_serving_blocks(void) {
  measured(1000000);
}

void bench_serving_blocks_ratio(void) {
  measured(20000);
  measured(1000000);
}

/* Ends the program when memory grows with the requests. */
void bench_serving_memory(void) {
  long half_kib = measured(20000);
  if (peak_kib() > half_kib + 1024) {
    fprintf(stderr, "bench: %ld KiB after half of the requests, %ld KiB after all\n", half_kib,
            peak_kib());
    exit(1);
  }
  printf("bytes=%ld\n", peak_kib() * 1024);
}
