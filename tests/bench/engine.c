/* build/bench/engine CASE [ARGS | FILE]: one measurement through the C interfaces, in a fresh
 * process.
 *
 * Prints a line `amount=N seconds=S cpu=C` a sample. What it measures is what the program runs: the
 * objects of build/tandem are linked in. Cases that need Lua are in lua_cases.lua; both are started
 * by run.lua (`make bench`), which knows the bars and makes the table. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>

#include "base/memory.h"
#include "bench.h"
#include "engine/lowered/lowered.h"
#include "read/reader.h"

const double bench_t5_means_s[BENCH_T5_STAGES] = {0.8, 0.6, 4.0, 0.5, 0.7};
const double bench_t5_rate = 0.9;
static const uint32_t t5_servers[BENCH_T5_STAGES] = {1, 1, 4, 1, 1};

static double seconds(struct timespec t) {
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return seconds(t);
}

double bench_cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return seconds(t);
}

void bench_must(tdm_status status, const tdm_error *error) {
  if (status == TDM_OK) return;
  fprintf(stderr, "bench: %s\n", error->message);
  exit(1);
}

static void *must_have(void *pointer) {
  if (pointer != NULL) return pointer;
  fputs("bench: out of memory\n", stderr);
  exit(1);
}

void bench_sample(double amount, double wall_s, double cpu_s) {
  printf("amount=%.0f seconds=%.9f cpu=%.9f\n", amount, wall_s, cpu_s);
}

/* ---- models */

static tdm_expr *exponential_cost(double mean_s) {
  tdm_error error;
  tdm_expr_builder *builder = must_have(tdm_expr_builder_new());
  tdm_dist *dist;
  tdm_expr *expr;
  bench_must(tdm_dist_exponential(mean_s, &dist, &error), &error);
  bench_must(tdm_expr_finish(builder, tdm_expr_draw(builder, dist, 0), &expr, &error), &error);
  return expr;
}

static tdm_model *chain_model(const double *means_s, const uint32_t *servers, uint32_t stages,
                              uint64_t requests) {
  tdm_error error;
  tdm_model *model = must_have(tdm_model_new());
  model->name = tdm_string_copy("bench");
  model->requests = requests;
  bench_must(tdm_model_set_classes(model, 1, &error), &error);
  tdm_class *class = model->classes;
  class->name = tdm_string_copy("default");
  class->arrivals = must_have(calloc(1, sizeof *class->arrivals));
  class->arrivals->kind = TDM_ARRIVE_RENEWAL;
  bench_must(tdm_dist_exponential(1 / bench_t5_rate, &class->arrivals->gap, &error), &error);
  for (uint32_t i = 0; i < stages; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%u", i);
    tdm_station *station = must_have(tdm_model_add_station(model));
    station->name = tdm_string_copy(name);
    station->servers = servers[i];
    tdm_stage *stage = must_have(tdm_model_add_stage(model));
    stage->name = tdm_string_copy(name);
    stage->station = i;
    tdm_cost_from_expr(&stage->cost, exponential_cost(means_s[i]), NULL);
    tdm_op *op = must_have(tdm_model_add_op(model, TDM_OP_SERVE));
    op->a = i;
  }
  must_have(tdm_model_add_op(model, TDM_OP_END));
  bench_must(tdm_model_finish(model, &error), &error);
  return model;
}

tdm_model *bench_t5(uint64_t requests) {
  return chain_model(bench_t5_means_s, t5_servers, BENCH_T5_STAGES, requests);
}

tdm_model *bench_mm1(uint64_t requests) {
  const double mean_s = 1.0;
  const uint32_t servers = 1;
  return chain_model(&mean_s, &servers, 1, requests);
}

/* ---- whole engines */

static void must_have_done(const tdm_tally *tally, uint64_t requests) {
  uint64_t done = 0;
  for (int k = 0; k < TDM_SLICES; k++) done += tally->classes[k].completed;
  if (done == requests) return;
  fprintf(stderr, "bench: %llu of %llu requests done\n", (unsigned long long)done,
          (unsigned long long)requests);
  exit(1);
}

void bench_event(const tdm_model *model, const tdm_sink *sink) {
  tdm_error error;
  tdm_engine *engine;
  tdm_tally *tally;
  tdm_engine_options options = {.seed = 1, .sink = sink};
  bench_must(tdm_engine_open(model, &options, &engine, &error), &error);
  bench_must(tdm_engine_advance(engine, INT64_MAX, &error), &error);
  bench_must(tdm_engine_finish(engine, &tally, &error), &error);
  tdm_engine_close(engine);
  must_have_done(tally, model->requests);
  tdm_tally_free(tally);
}

void bench_lowered(const tdm_model *model, const tdm_sink *sink) {
  tdm_error error;
  tdm_tally *tally;
  bench_must(tdm_lowered_run(model, 1, 0, TDM_TALLY_WHOLE, sink, NULL, &tally, &error), &error);
  must_have_done(tally, model->requests);
  tdm_tally_free(tally);
}

static void run_wide(const tdm_model *model, const tdm_sink *sink) {
  tdm_error error;
  tdm_tally *tallies[TDM_LANES_WIDE];
  (void)sink;
  bench_must(tdm_lowered_run_wide(model, 1, 0, NULL, tallies, &error), &error);
  for (int lane = 0; lane < TDM_LANES_WIDE; lane++) {
    must_have_done(tallies[lane], model->requests);
    tdm_tally_free(tallies[lane]);
  }
}

/* A receiver that reads every column of every span, as a writer would. */
typedef struct {
  uint64_t spans, sum;
} checksum;

/* Bytes of the sums are not told apart by column: the point is that all of them are read. */
static uint64_t sum_block(const tdm_span_block *b, uint32_t count) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  for (uint32_t i = 0; i < count; i++) {
    wide += (uint64_t)b->start_ns[i] + (uint64_t)b->dur_ns[i] + b->request[i] + b->arg[i];
    narrow += b->track[i] ^ b->name[i];
  }
  return wide + narrow;
}

static tdm_status take_spans(void *context, const tdm_span_block *block, tdm_error *error) {
  checksum *sum = context;
  (void)error;
  sum->spans += block->count;
  /* A full block's length is a constant, which lets the compiler use vectors. */
  sum->sum += block->count == TDM_BLOCK_SPANS ? sum_block(block, TDM_BLOCK_SPANS)
                                              : sum_block(block, block->count);
  return TDM_OK;
}

static void timed(tdm_model *model, void (*run)(const tdm_model *, const tdm_sink *),
                  double requests, const tdm_sink *sink) {
  double cpu_s = bench_cpu_s(), from_s = bench_now_s();
  run(model, sink);
  double wall_s = bench_now_s() - from_s;
  bench_sample(requests, wall_s, bench_cpu_s() - cpu_s);
  tdm_model_free(model);
}

static void case_t5_event(void) {
  timed(bench_t5(2000000), bench_event, 2e6, NULL);
}
static void case_mm1_event(void) {
  timed(bench_mm1(8000000), bench_event, 8e6, NULL);
}
static void case_t5_scalar(void) {
  timed(bench_t5(10000000), bench_lowered, 10e6, NULL);
}

static void case_t5_wide(void) {
  tdm_model *model = bench_t5(4000000);
  if (!tdm_lowered_is_wide(model)) {
    puts("absent=AVX-512");
    tdm_model_free(model);
    return;
  }
  timed(model, run_wide, TDM_LANES_WIDE * 4e6, NULL);
}

static void with_spans(void (*run)(const tdm_model *, const tdm_sink *), uint64_t requests) {
  checksum sum = {0};
  tdm_sink sink = {.context = &sum, .spans = take_spans};
  timed(bench_t5(requests), run, (double)requests, &sink);
  printf("spans=%.3f\n", (double)sum.spans / (double)requests);
  if (sum.sum == 0) exit(1); /* also keeps the sum alive */
}
static void case_t5_spans(void) {
  with_spans(bench_lowered, 10000000);
}
static void case_t5_event_spans(void) {
  with_spans(bench_event, 2000000);
}

/* ---- small things */

/* Eight chains of multiplications, enough to fill a core, that touch no memory: tells how fast this
 * core runs just now, also when its other hyper-thread is busy with somebody else's work. That way
 * noise of the machine can be told from noise of the program. */
static void case_calibrate(void) {
  enum { CHAINS = 8, STEPS = 5000000 };
  uint64_t z[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
  double cpu_s = bench_cpu_s(), from_s = bench_now_s();
  for (int i = 0; i < STEPS; i++)
    for (int k = 0; k < CHAINS; k++) z[k] = tdm_mix(z[k] + TDM_GAMMA);
  double wall_s = bench_now_s() - from_s;
  bench_sample((double)CHAINS * STEPS, wall_s, bench_cpu_s() - cpu_s);
  for (int k = 0; k < CHAINS; k++) sum ^= z[k];
  if (sum == 0) exit(1);
}

/* max(2·P·batch·tokens / flops, 2·P / bandwidth) + tokens·c, eight operations on two attributes. */
static tdm_expr *roofline(void) {
  tdm_error error;
  tdm_expr_builder *b = must_have(tdm_expr_builder_new());
  tdm_expr *expr;
  tdm_expr_node tokens = tdm_expr_attr(b, 0), size = tdm_expr_attr(b, 1);
#define BINARY(op, x, y) tdm_expr_apply(b, TDM_EXPR_##op, (tdm_expr_node[]){(x), (y)}, 2)
  tdm_expr_node weights = BINARY(MUL, tdm_expr_constant(b, 2e9), size);
  tdm_expr_node work = BINARY(DIV, BINARY(MUL, weights, tokens), tdm_expr_constant(b, 3e14));
  tdm_expr_node bytes = BINARY(DIV, weights, tdm_expr_constant(b, 2e12));
  tdm_expr_node step =
      BINARY(ADD, BINARY(MUL, tokens, tdm_expr_constant(b, 1e-6)), tdm_expr_constant(b, 5e-6));
  tdm_expr_node root = BINARY(ADD, BINARY(MAX, work, bytes), step);
#undef BINARY
  bench_must(tdm_expr_finish(b, root, &expr, &error), &error);
  return expr;
}

enum { ROWS = 1024, EVALUATIONS = 20 * 1000 * ROWS };

static void evaluate(bool many) {
  static double tokens[ROWS], size[ROWS], out[ROWS];
  static uint64_t n[ROWS];
  tdm_expr *expr = roofline();
  double sum = 0;
  for (int i = 0; i < ROWS; i++) {
    tokens[i] = 1 + i;
    size[i] = 7 + i % 64;
    n[i] = (uint64_t)i;
  }
  const double *columns[2] = {tokens, size};
  tdm_expr_input input = {.batch = 1};
  double cpu_s = bench_cpu_s(), from_s = bench_now_s();
  for (int done = 0; done < EVALUATIONS; done += ROWS) {
    if (many) {
      tdm_expr_eval_many(expr, &input, columns, n, ROWS, out);
      sum += out[done / ROWS % ROWS];
      continue;
    }
    for (int i = 0; i < ROWS; i++) {
      double attrs[2] = {tokens[i], size[i]};
      input.attrs = attrs;
      input.n = n[i];
      sum += tdm_expr_eval(expr, &input);
    }
  }
  double wall_s = bench_now_s() - from_s;
  bench_sample(EVALUATIONS, wall_s, bench_cpu_s() - cpu_s);
  tdm_expr_free(expr);
  if (!(sum > 0)) exit(1);
}
static void case_expr_one(void) {
  evaluate(false);
}
static void case_expr_many(void) {
  evaluate(true);
}

/* startup PROGRAM ARG…: four times the whole process, from fork to exit; its output is dropped. */
extern char **environ;
static void case_startup(char **argv) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (int i = 0; i < 4; i++) {
    struct rusage before, after;
    pid_t pid;
    int status = 0;
    getrusage(RUSAGE_CHILDREN, &before);
    double from_s = bench_now_s();
    int failure = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    if (failure != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
      fprintf(stderr, "bench: %s failed: %s\n", argv[0],
              failure != 0 ? strerror(failure) : "exit code not 0");
      exit(1);
    }
    double wall_s = bench_now_s() - from_s;
    getrusage(RUSAGE_CHILDREN, &after);
    double cpu_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                   (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                   (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6 +
                   (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) * 1e-6;
    bench_sample(1, wall_s, cpu_s);
  }
  posix_spawn_file_actions_destroy(&actions);
}

/* ---- profiles: long enough for a few thousand samples */

static void profiled_event(void) {
  tdm_model *model = bench_t5(10000000);
  bench_event(model, NULL);
  tdm_model_free(model);
}
static void profiled_mm1(void) {
  tdm_model *model = bench_mm1(30000000);
  bench_event(model, NULL);
  tdm_model_free(model);
}
static void profiled_lowered(void) {
  tdm_model *model = bench_t5(50000000);
  bench_lowered(model, NULL);
  tdm_model_free(model);
}
static void case_profile_mm1(void) {
  bench_profile(profiled_mm1);
}
static void case_profile_event(void) {
  bench_profile(profiled_event);
}
static void case_profile_lowered(void) {
  bench_profile(profiled_lowered);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"calibrate", case_calibrate},
               {"t5-event", case_t5_event},
               {"mm1-event", case_mm1_event},
               {"t5-scalar", case_t5_scalar},
               {"t5-wide", case_t5_wide},
               {"t5-spans", case_t5_spans},
               {"t5-event-spans", case_t5_event_spans},
               {"expr-one", case_expr_one},
               {"expr-many", case_expr_many},
               {"store-write", bench_store_write},
               {"store-scan", bench_store_scan},
               {"serving", bench_serving},
               {"serving-blocks", bench_serving_blocks},
               {"serving-blocks-ratio", bench_serving_blocks_ratio},
               {"serving-memory", bench_serving_memory},
               {"part-events", bench_part_events},
               {"part-draws-event", bench_part_draws_event},
               {"part-draws-lowered", bench_part_draws_lowered},
               {"profile-t5-event", case_profile_event},
               {"profile-mm1-event", case_profile_mm1},
               {"profile-t5-lowered", case_profile_lowered}};
  if (argc > 2 && strcmp(argv[1], "startup") == 0) {
    case_startup(argv + 2);
    return 0;
  }
  if (argc > 2 && (strcmp(argv[1], "prompt") == 0 || strcmp(argv[1], "prompt-tab") == 0)) {
    bench_prompt(argv + 2, strcmp(argv[1], "prompt-tab") == 0);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "import-gpu") == 0) {
    bench_import(argv[2], ~(uint64_t)TDM_READ_NO_GPU);
    return 0;
  }
  if (argc > 3 && strcmp(argv[1], "analysis") == 0) {
    bench_analysis(argv[2], argv + 3);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "import") == 0) {
    bench_import(argv[2], 0);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "plain-kernels") == 0) {
    bench_plain_kernels(argv[2]);
    return 0;
  }
  for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    return 0;
  }
  fputs("usage: engine CASE [FILE] | engine startup|prompt|prompt-tab PROGRAM ARG...\n", stderr);
  return 2;
}
