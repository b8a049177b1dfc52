/* What the benchmark program's files share: clocks, the models T5 and MM1, one line of output
 * a sample. `tests/bench/run.lua` starts the program once a sample and reads its lines. */
#ifndef TDM_TESTS_BENCH_H
#define TDM_TESTS_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/events/engine.h"

double bench_now_s(void); /* monotonic */
double bench_cpu_s(void); /* of the process, all threads */

/* Ends the program with the message when status is not TDM_OK. */
void bench_must(tdm_status status, const tdm_error *error);

/* T5 = Poisson .9 → .8 → .6 → 4.0 on 4 servers → .5 → .7; MM1 = Poisson .9 → 1. All exponential. */
#define BENCH_T5_STAGES 5
extern const double bench_t5_means_s[BENCH_T5_STAGES];
extern const double bench_t5_rate;
tdm_model *bench_t5(uint64_t requests);
tdm_model *bench_mm1(uint64_t requests);

/* One run of the event engine; frees what it made. */
void bench_event(const tdm_model *model, const tdm_sink *sink);
/* One run of the lowered engine. */
void bench_lowered(const tdm_model *model, const tdm_sink *sink);

/* parts.c: pieces of T5 alone, and where a whole run spends its time. */
void bench_part_events(void);
void bench_part_draws_event(void);
void bench_part_draws_lowered(void);
void bench_profile(void (*work)(void));

/* store.c */
void bench_store_write(void);
void bench_store_scan(void);

/* import.c; `dropped` as in tdm_read_options */
void bench_import(const char *file, uint64_t dropped);
void bench_import_into(const char *path, const char *file, uint64_t dropped); /* a fresh store */
void bench_forget(const char *path); /* a store and what SQLite keeps beside it */
void bench_plain_kernels(const char *file);

/* analysis.c: a NULL ends the names */
void bench_analysis(const char *file, char *const *names);

/* serving.c: 1 M requests on one replica of an LLM server, with 20,000 and 1 M KV blocks */
void bench_serving(void);
void bench_serving_blocks(void);
void bench_serving_blocks_ratio(void);
void bench_serving_memory(void);

/* prompt.c: `tandem repl` until its prompt, or from Tab to what it offers */
void bench_prompt(char **argv, bool tab);

/* Prints what a sample measured: `amount` of something took so long. */
void bench_sample(double amount, double wall_s, double cpu_s);

#endif
