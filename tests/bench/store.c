/* The trace store: spans of T5 to a committed store, and back through SQL. Called by engine.c. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "engine/lowered/lowered.h"
#include "trace/relay.h"
#include "trace/simulated/simulated.h"
#include "trace/store/store.h"

enum { REQUESTS = 500000 }; /* some four million spans */

static char path[64];

static tdm_trace *collected(void) {
  tdm_error error;
  tdm_trace *trace = tdm_trace_new(SIZE_MAX);
  tdm_sink sink;
  tdm_model *model = bench_t5(REQUESTS);
  tdm_trace_sink(trace, &sink);
  sink.requests = NULL; /* rows of SQL: not what this measures */
  bench_lowered(model, &sink);
  tdm_model_free(model);
  if (tdm_trace_span_extent(trace).kept == 0) bench_must(TDM_BUG, &error);
  return trace;
}

static void store(const tdm_trace *trace) {
  tdm_error error;
  tdm_store *file;
  tdm_store_run *run;
  tdm_record_sink inner, sink;
  tdm_relay *relay;
  const tdm_run_info info = {.name = "bench", .created_utc_ns = TDM_NONE};
  bench_must(tdm_store_open(path, NULL, NULL, &file, &error), &error);
  bench_must(tdm_store_begin_run(file, &info, &run, &error), &error);
  tdm_store_run_sink(run, &inner);
  bench_must(tdm_relay_open(&inner, &relay, &error), &error);
  tdm_relay_sink(relay, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  bench_must(tdm_simulated_record(trace, "bench", recorder, &error), &error);
  bench_must(tdm_recorder_end_source(recorder, &error), &error);
  tdm_recorder_free(recorder);
  bench_must(tdm_relay_finish(relay, &error), &error);
  tdm_relay_close(relay);
  bench_must(tdm_store_commit_run(run, NULL, &error), &error);
  tdm_store_close(file);
}

static void forget(void) {
  static const char *const endings[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", path, endings[i]);
    unlink(name);
  }
}

static double file_bytes(void) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  fseek(file, 0, SEEK_END);
  double bytes = (double)ftell(file);
  fclose(file);
  return bytes;
}

static void choose_path(void) {
  snprintf(path, sizeof path, "/tmp/tandem-bench-%ld.db", (long)getpid());
  forget();
}

void bench_store_write(void) {
  choose_path();
  tdm_trace *trace = collected();
  double spans = (double)tdm_trace_span_extent(trace).kept;
  double wall_s = bench_now_s(), cpu_s = bench_cpu_s();
  store(trace);
  bench_sample(spans, bench_now_s() - wall_s, bench_cpu_s() - cpu_s);
  printf("bytesaspan=%.2f\n", file_bytes() / spans);
  tdm_trace_free(trace);
  forget();
}

static double ask(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK ||
      sqlite3_step(statement) != SQLITE_ROW) {
    fprintf(stderr, "bench: %s\n", sqlite3_errmsg(database));
    exit(1);
  }
  double value = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

void bench_store_scan(void) {
  choose_path();
  tdm_trace *trace = collected();
  double spans = (double)tdm_trace_span_extent(trace).kept;
  store(trace);
  tdm_trace_free(trace);
  tdm_error error;
  tdm_store *file;
  bench_must(tdm_store_open(path, NULL, NULL, &file, &error), &error);
  sqlite3 *database = tdm_store_database(file);
  double wall_s = bench_now_s(), cpu_s = bench_cpu_s();
  if (ask(database, "SELECT sum(start_ns % 7 + dur_ns + track) FROM span") <= 0) exit(1);
  bench_sample(spans, bench_now_s() - wall_s, bench_cpu_s() - cpu_s);
  tdm_store_close(file);
  forget();
}
