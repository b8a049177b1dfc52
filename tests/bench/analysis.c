/* Analyses of an imported capture, from opening its store to the last row of the answers. Called by
 * engine.c. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "bench.h"
#include "trace/store/store.h"

static size_t answer(tdm_run_view *view, const char *name) {
  const tdm_options none = {0};
  const tdm_analysis *analysis = tdm_analysis_named(name);
  tdm_answer *out = tdm_answer_new();
  tdm_error error;
  if (analysis == NULL || out == NULL) {
    fprintf(stderr, "bench: there is no analysis %s\n", name);
    exit(1);
  }
  bench_must(analysis->answer(view, &none, out, &error), &error);
  bench_must(tdm_answer_status(out, &error), &error);
  size_t rows = 0;
  for (size_t f = 0; f < tdm_answer_frames(out); f++)
    rows += tdm_frame_rows(tdm_answer_frame_at(out, f));
  tdm_answer_free(out);
  return rows;
}

void bench_analysis(const char *file, char *const *names) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/tandem-bench-%ld.db", (long)getpid());
  bench_forget(path);
  bench_import_into(path, file, 0);
  double wall_s = bench_now_s(), cpu_s = bench_cpu_s();
  tdm_error error;
  tdm_store *store;
  tdm_run_view *view;
  const tdm_run_view_filter all = TDM_RUN_VIEW_ALL;
  bench_must(tdm_store_open(path, NULL, NULL, &store, &error), &error);
  bench_must(tdm_run_view_open(tdm_store_database(store), 1, &all, NULL, NULL, &view, &error),
             &error);
  size_t rows = 0;
  for (; *names != NULL; names++) rows += answer(view, *names);
  tdm_run_view_close(view);
  tdm_store_close(store);
  bench_sample(1, bench_now_s() - wall_s, bench_cpu_s() - cpu_s);
  printf("rows=%zu\n", rows);
  bench_forget(path);
}
