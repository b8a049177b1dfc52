/* The counts of all scrapes as OpenMetrics. See metrics.h. */
#include <stdio.h>
#include <string.h>

#include "trace/metrics/inside.h"
#include "trace/outfile.h"

typedef struct {
  const tdm_metrics *metrics;
  size_t scrapes;
  int64_t utc_s;
  tdm_outfile file;
} job;

/* ---- texts */

/* Quotes, backslashes and line breaks escaped. */
static void put_value(tdm_outfile *file, const char *text) {
  for (; *text != 0; text++) {
    if (*text == '"' || *text == '\\') tdm_outfile_put(file, "\\", 1);
    if (*text == '\n')
      tdm_outfile_put(file, "\\n", 2);
    else
      tdm_outfile_put(file, text, 1);
  }
}

static void put_labels(job *j, const tdm_metrics_replica *replica) {
  const char *model = replica->server;
  for (size_t i = 0; i < j->metrics->model_count; i++)
    if (strcmp(j->metrics->models[i].server, replica->server) == 0)
      model = j->metrics->models[i].model;
  TDM_OUTFILE_LITERAL(&j->file, "engine=\"0\",instance=\"");
  put_value(&j->file, replica->server);
  TDM_OUTFILE_LITERAL(&j->file, "-");
  tdm_outfile_unsigned(&j->file, replica->number);
  TDM_OUTFILE_LITERAL(&j->file, ":8000\",model_name=\"");
  put_value(&j->file, model);
  TDM_OUTFILE_LITERAL(&j->file, "\"");
}

/* `count` units, of which `per` are 1, with a point where that is needed. */
static void put_parts(tdm_outfile *file, int64_t count, int64_t per, int digits) {
  tdm_outfile_integer(file, count / per);
  int64_t rest = count % per;
  if (rest == 0) return;
  char text[24];
  int length = snprintf(text, sizeof text, ".%0*lld", digits, (long long)rest);
  while (length > 1 && text[length - 1] == '0') length--;
  tdm_outfile_put(file, text, (size_t)length);
}

/* As Python prints a float: 0.3, 10.0 */
static void put_bound(tdm_outfile *file, const tdm_histogram_family *family, size_t at) {
  int64_t bound = family->bound[at];
  if (bound == 0) {
    TDM_OUTFILE_LITERAL(file, "+Inf");
    return;
  }
  if (family->time)
    put_parts(file, bound, 1000, 3);
  else
    tdm_outfile_integer(file, bound);
  if (!family->time || bound % 1000 == 0) TDM_OUTFILE_LITERAL(file, ".0");
}

static void put_family(job *j, const char *family, const char *type, const char *help) {
  tdm_outfile *file = &j->file;
  const char *const lines[] = {"# TYPE vllm:", type, "# HELP vllm:", help};
  for (size_t i = 0; i < 4; i += 2) {
    tdm_outfile_text(file, lines[i]);
    tdm_outfile_text(file, family);
    TDM_OUTFILE_LITERAL(file, " ");
    tdm_outfile_text(file, lines[i + 1]);
    TDM_OUTFILE_LITERAL(file, "\n");
  }
}

static void put_name(job *j, const char *family, const char *end,
                     const tdm_metrics_replica *replica) {
  TDM_OUTFILE_LITERAL(&j->file, "vllm:");
  tdm_outfile_text(&j->file, family);
  tdm_outfile_text(&j->file, end);
  TDM_OUTFILE_LITERAL(&j->file, "{");
  put_labels(j, replica);
}

/* Behind the value. */
static void put_time(job *j, size_t scrape) {
  int64_t at_ns = (int64_t)scrape * j->metrics->scrape_ns;
  TDM_OUTFILE_LITERAL(&j->file, " ");
  tdm_outfile_integer(&j->file, j->utc_s + at_ns / 1000000000);
  int64_t rest_ms = at_ns % 1000000000 / 1000000;
  char text[8];
  int length = snprintf(text, sizeof text, ".%03d", (int)rest_ms);
  tdm_outfile_put(&j->file, text, (size_t)length);
  TDM_OUTFILE_LITERAL(&j->file, "\n");
}

/* ---- families */

static void put_gauge(job *j, const char *family, const char *help,
                      void (*put)(tdm_outfile *, const tdm_metrics_replica *, size_t, int64_t *)) {
  put_family(j, family, "gauge", help);
  for (size_t i = 0; i < j->metrics->replica_count; i++) {
    const tdm_metrics_replica *replica = &j->metrics->replicas[i];
    int64_t state = 0;
    for (size_t k = 0; k < j->scrapes; k++) {
      put_name(j, family, "", replica);
      TDM_OUTFILE_LITERAL(&j->file, "} ");
      put(&j->file, replica, k, &state);
      put_time(j, k);
    }
  }
}

static void running(tdm_outfile *file, const tdm_metrics_replica *replica, size_t k,
                    int64_t *state) {
  *state += replica->bins[k].running;
  tdm_outfile_integer(file, *state);
}

static void waiting(tdm_outfile *file, const tdm_metrics_replica *replica, size_t k,
                    int64_t *state) {
  *state += replica->bins[k].waiting;
  tdm_outfile_integer(file, *state);
}

static void kv_usage(tdm_outfile *file, const tdm_metrics_replica *replica, size_t k,
                     int64_t *state) {
  (void)state;
  tdm_outfile_double(
      file, replica->blocks > 0 ? (double)replica->bins[k].kv_blocks / (double)replica->blocks : 0);
}

static void put_config(job *j) {
  static const char family[] = "cache_config_info";
  put_family(j, family, "gauge", "The cache's configuration.");
  for (size_t i = 0; i < j->metrics->replica_count; i++) {
    const tdm_metrics_replica *replica = &j->metrics->replicas[i];
    for (size_t k = 0; k < j->scrapes; k++) {
      put_name(j, family, "", replica);
      TDM_OUTFILE_LITERAL(&j->file, ",block_size=\"");
      tdm_outfile_integer(&j->file, replica->block_tokens);
      TDM_OUTFILE_LITERAL(&j->file, "\",num_gpu_blocks=\"");
      tdm_outfile_integer(&j->file, replica->blocks);
      TDM_OUTFILE_LITERAL(&j->file, "\",enable_prefix_caching=\"");
      tdm_outfile_text(&j->file, replica->caches ? "True" : "False");
      TDM_OUTFILE_LITERAL(&j->file, "\"} 1");
      put_time(j, k);
    }
  }
}

/* vLLM has these with an offloading connector alone. */
static bool is_left_out(const job *j, int which) {
  if (which != TDM_COUNT_LOADED && which != TDM_COUNT_STORED) return false;
  for (size_t i = 0; i < j->metrics->replica_count; i++)
    if (j->metrics->replicas[i].offloads) return false;
  return true;
}

static void put_counter(job *j, int which) {
  const tdm_counter_family *family = &tdm_counter_families[which];
  if (is_left_out(j, which)) return;
  if (family->help != NULL) put_family(j, family->family, "counter", family->help);
  for (size_t i = 0; i < j->metrics->replica_count; i++) {
    const tdm_metrics_replica *replica = &j->metrics->replicas[i];
    int64_t sum = 0;
    for (size_t k = 0; k < j->scrapes; k++) {
      sum += replica->bins[k].count[which];
      put_name(j, family->family, "_total", replica);
      if (family->label != NULL) TDM_OUTFILE_LITERAL(&j->file, ",");
      if (family->label != NULL) tdm_outfile_text(&j->file, family->label);
      TDM_OUTFILE_LITERAL(&j->file, "} ");
      tdm_outfile_integer(&j->file, sum);
      put_time(j, k);
    }
  }
}

static void put_bucket(job *j, int which, const tdm_metrics_replica *replica, size_t bound) {
  const tdm_histogram_family *family = &tdm_histogram_families[which];
  int64_t sum = 0;
  for (size_t k = 0; k < j->scrapes; k++) {
    for (size_t b = 0; b <= bound; b++) sum += replica->bins[k].bucket[which][b];
    put_name(j, family->family, "_bucket", replica);
    TDM_OUTFILE_LITERAL(&j->file, ",le=\"");
    put_bound(&j->file, family, bound);
    TDM_OUTFILE_LITERAL(&j->file, "\"} ");
    tdm_outfile_integer(&j->file, sum);
    put_time(j, k);
  }
}

static void put_histogram(job *j, int which) {
  const tdm_histogram_family *family = &tdm_histogram_families[which];
  size_t bounds = 0;
  while (family->bound[bounds] != 0) bounds++;
  put_family(j, family->family, "histogram", family->help);
  for (size_t i = 0; i < j->metrics->replica_count; i++) {
    const tdm_metrics_replica *replica = &j->metrics->replicas[i];
    int64_t sum = 0, count = 0;
    for (size_t b = 0; b <= bounds; b++) put_bucket(j, which, replica, b);
    for (size_t k = 0; k < j->scrapes; k++) {
      for (size_t b = 0; b <= bounds; b++) count += replica->bins[k].bucket[which][b];
      put_name(j, family->family, "_count", replica);
      TDM_OUTFILE_LITERAL(&j->file, "} ");
      tdm_outfile_integer(&j->file, count);
      put_time(j, k);
    }
    for (size_t k = 0; k < j->scrapes; k++) {
      sum += replica->bins[k].sum[which];
      put_name(j, family->family, "_sum", replica);
      TDM_OUTFILE_LITERAL(&j->file, "} ");
      put_parts(&j->file, sum, family->time ? 1000000000 : 1, 9);
      put_time(j, k);
    }
  }
}

tdm_status tdm_metrics_write(tdm_metrics *metrics, const char *path, int64_t utc_s,
                             tdm_error *error) {
  job j = {.metrics = metrics, .utc_s = utc_s};
  if (metrics->replica_count == 0)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: metrics are those of LLM servers, and there is none", path);
  if (!tdm_metrics_settle(metrics, &j.scrapes))
    return tdm_error_memory(error, "metrics (scrape more seldom)", sizeof(tdm_metrics_bin));
  tdm_status status = tdm_outfile_open(&j.file, path, error);
  if (status != TDM_OK) return status;
  put_gauge(&j, "num_requests_running", "Requests in the batch.", running);
  put_gauge(&j, "num_requests_waiting", "Requests in the queue.", waiting);
  put_gauge(&j, "kv_cache_usage_perc", "Share of the KV blocks in use, 0 to 1.", kv_usage);
  put_config(&j);
  for (int i = 0; i < TDM_COUNTERS; i++) put_counter(&j, i);
  for (int i = 0; i < TDM_HISTOGRAMS; i++) put_histogram(&j, i);
  TDM_OUTFILE_LITERAL(&j.file, "# EOF\n");
  return tdm_outfile_commit(&j.file, error);
}
