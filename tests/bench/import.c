/* Imports into a fresh store, and what a plain reading of the same file takes. Called by engine.c.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "read/reader.h"
#include "trace/relay.h"
#include "trace/store/store.h"

void bench_forget(const char *path) {
  static const char *const endings[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", path, endings[i]);
    unlink(name);
  }
}

void bench_import_into(const char *path, const char *file, uint64_t dropped) {
  tdm_error error;
  tdm_store *store;
  tdm_store_run *run;
  tdm_relay *relay;
  tdm_record_sink inner, sink;
  const tdm_run_info info = {.measured = 1, .name = "bench", .created_utc_ns = TDM_NONE};
  const tdm_import_options options = {.dropped = dropped};
  bench_must(tdm_store_open(path, NULL, NULL, &store, &error), &error);
  bench_must(tdm_store_begin_run(store, &info, &run, &error), &error);
  tdm_store_run_sink(run, &inner);
  bench_must(tdm_relay_open(&inner, &relay, &error), &error);
  tdm_relay_sink(relay, &sink);
  bench_must(tdm_import(&file, 1, &options, &sink, &error), &error);
  bench_must(tdm_relay_finish(relay, &error), &error);
  tdm_relay_close(relay);
  bench_must(tdm_store_commit_run(run, NULL, &error), &error);
  tdm_store_close(store);
}

void bench_import(const char *file, uint64_t dropped) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/tandem-bench-%ld.db", (long)getpid());
  bench_forget(path);
  double wall_s = bench_now_s(), cpu_s = bench_cpu_s();
  bench_import_into(path, file, dropped);
  bench_sample(1, bench_now_s() - wall_s, bench_cpu_s() - cpu_s);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  FILE *store = fopen(path, "rb");
  if (store != NULL) {
    fseek(store, 0, SEEK_END);
    printf("stored=%ld peak=%.0f\n", ftell(store), (double)usage.ru_maxrss * 1024);
    fclose(store);
  }
  bench_forget(path);
}

static int by_start(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The kernels of an Nsight Systems export as a short C program would read them: 15 columns by
 * SQLite, sorted by start, the busy time as the union of their intervals. Nothing is stored. */
void bench_plain_kernels(const char *file) {
  enum { COLUMNS = 15 };
  double wall_s = bench_now_s(), cpu_s = bench_cpu_s();
  sqlite3 *database;
  sqlite3_stmt *rows;
  if (sqlite3_open_v2(file, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database,
                         "SELECT start, end, deviceId, contextId, streamId, correlationId,"
                         " globalPid, demangledName, registersPerThread, gridX, gridY, gridZ,"
                         " blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL",
                         -1, &rows, NULL) != SQLITE_OK) {
    fprintf(stderr, "bench: %s\n", sqlite3_errmsg(database));
    exit(1);
  }
  size_t count = 0, room = 1 << 16;
  int64_t(*kernel)[COLUMNS] = malloc(room * sizeof *kernel);
  while (kernel != NULL && sqlite3_step(rows) == SQLITE_ROW) {
    if (count == room) kernel = realloc(kernel, (room *= 2) * sizeof *kernel);
    if (kernel == NULL) exit(1);
    for (int c = 0; c < COLUMNS; c++) kernel[count][c] = sqlite3_column_int64(rows, c);
    count++;
  }
  if (count == 0) exit(1);
  qsort(kernel, count, sizeof *kernel, by_start);
  int64_t busy = 0, end = kernel[0][0];
  for (size_t i = 0; i < count; i++) {
    int64_t from = kernel[i][0] > end ? kernel[i][0] : end;
    if (kernel[i][1] > from) busy += kernel[i][1] - from;
    if (kernel[i][1] > end) end = kernel[i][1];
  }
  sqlite3_finalize(rows);
  sqlite3_close(database);
  free(kernel);
  bench_sample(1, bench_now_s() - wall_s, bench_cpu_s() - cpu_s);
  printf("busy=%lld\n", (long long)busy);
}
