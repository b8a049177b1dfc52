/* The counts of all scrapes as OpenMetrics. See metrics.h. */
#include <stdio.h>
#include <string.h>

#include "trace/metrics/inside.h"
#include "trace/outfile.h"

typedef struct {
  const tdm_metrics *metrics;
  const tdm_metrics_dialect *dialect; /* whose families are being written */
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
  tdm_outfile_text(&j->file, j->dialect->labels);
  TDM_OUTFILE_LITERAL(&j->file, "instance=\"");
  put_value(&j->file, replica->server);
  TDM_OUTFILE_LITERAL(&j->file, "-");
  tdm_outfile_unsigned(&j->file, replica->number);
  TDM_OUTFILE_LITERAL(&j->file, ":8000\",");
  tdm_outfile_text(&j->file, j->dialect->model_label);
  TDM_OUTFILE_LITERAL(&j->file, "=\"");
  put_value(&j->file, replica->model);
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

static bool is_time(const tdm_metrics_family *family) {
  return family->what < TDM_TOKENS_PROMPT;
}

/* As Python prints a float: 0.3, 10.0; frontends are in Rust and Go: 0.3, 10. */
static void put_bound(job *j, const tdm_metrics_family *family, size_t at) {
  tdm_outfile *file = &j->file;
  int64_t bound = family->bound[at], per = 1000000000 / j->dialect->bound_ns;
  if (bound == 0) {
    TDM_OUTFILE_LITERAL(file, "+Inf");
    return;
  }
  if (bound < 0)
    tdm_outfile_integer(file, 0);
  else if (is_time(family))
    put_parts(file, bound, per, per == 1000 ? 3 : 6);
  else
    tdm_outfile_integer(file, bound);
  if (!j->dialect->frontend && (!is_time(family) || bound % per == 0))
    TDM_OUTFILE_LITERAL(file, ".0");
}

static void put_family(job *j, const tdm_metrics_family *family) {
  static const char *const types[] = {"counter", "gauge", "histogram"};
  tdm_outfile *file = &j->file;
  const char *const lines[] = {"# TYPE ", types[family->kind], "# HELP ", family->help};
  for (size_t i = 0; i < 4; i += 2) {
    tdm_outfile_text(file, lines[i]);
    tdm_outfile_text(file, j->dialect->prefix);
    tdm_outfile_text(file, family->name);
    TDM_OUTFILE_LITERAL(file, " ");
    tdm_outfile_text(file, lines[i + 1]);
    TDM_OUTFILE_LITERAL(file, "\n");
  }
}

static void put_name(job *j, const tdm_metrics_family *family, const char *end,
                     const tdm_metrics_replica *replica) {
  tdm_outfile_text(&j->file, j->dialect->prefix);
  tdm_outfile_text(&j->file, family->name);
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

/* ---- families, of one replica */

static void put_config(tdm_outfile *file, const tdm_metrics_replica *replica) {
  TDM_OUTFILE_LITERAL(file, ",block_size=\"");
  tdm_outfile_integer(file, replica->block_tokens);
  TDM_OUTFILE_LITERAL(file, "\",num_gpu_blocks=\"");
  tdm_outfile_integer(file, replica->blocks);
  TDM_OUTFILE_LITERAL(file, "\",enable_prefix_caching=\"");
  tdm_outfile_text(file, replica->caches ? "True" : "False");
  TDM_OUTFILE_LITERAL(file, "\"");
}

/* *state is the gauge at the scrape before, where changes are what is known. */
static void put_level(tdm_outfile *file, int which, const tdm_metrics_replica *replica, size_t k,
                      int64_t *state) {
  const tdm_metrics_bin *bin = &replica->bins[k];
  switch (which) {
  case TDM_GAUGE_RUNNING: tdm_outfile_integer(file, *state += bin->running); break;
  case TDM_GAUGE_WAITING: tdm_outfile_integer(file, *state += bin->waiting); break;
  case TDM_GAUGE_INSIDE: tdm_outfile_integer(file, *state += bin->running + bin->waiting); break;
  case TDM_GAUGE_UNANSWERED: tdm_outfile_integer(file, *state += bin->unanswered); break;
  case TDM_GAUGE_KV_USAGE:
    tdm_outfile_double(file,
                       replica->blocks > 0 ? (double)bin->kv_blocks / (double)replica->blocks : 0);
    break;
  case TDM_GAUGE_KV_USED: tdm_outfile_integer(file, bin->kv_blocks); break;
  case TDM_GAUGE_BLOCKS: tdm_outfile_integer(file, replica->blocks); break;
  case TDM_GAUGE_BLOCK_TOKENS: tdm_outfile_integer(file, replica->block_tokens); break;
  case TDM_GAUGE_TOKENS: tdm_outfile_integer(file, replica->blocks * replica->block_tokens); break;
  case TDM_GAUGE_CONFIG: TDM_OUTFILE_LITERAL(file, "1"); break;
  }
}

static void put_gauge(job *j, const tdm_metrics_family *family,
                      const tdm_metrics_replica *replica) {
  int64_t state = 0;
  for (size_t k = 0; k < j->scrapes; k++) {
    put_name(j, family, "", replica);
    if (family->what == TDM_GAUGE_CONFIG) put_config(&j->file, replica);
    TDM_OUTFILE_LITERAL(&j->file, "} ");
    put_level(&j->file, family->what, replica, k, &state);
    put_time(j, k);
  }
}

static void put_counter(job *j, const tdm_metrics_family *family,
                        const tdm_metrics_replica *replica) {
  int64_t sum = 0;
  for (size_t k = 0; k < j->scrapes; k++) {
    sum += replica->bins[k].count[family->what];
    put_name(j, family, "_total", replica);
    if (family->label != NULL) TDM_OUTFILE_LITERAL(&j->file, ",");
    if (family->label != NULL) tdm_outfile_text(&j->file, family->label);
    TDM_OUTFILE_LITERAL(&j->file, "} ");
    tdm_outfile_integer(&j->file, sum);
    put_time(j, k);
  }
}

static void put_bucket(job *j, const tdm_metrics_family *family, const tdm_metrics_replica *replica,
                       size_t bound) {
  int64_t sum = 0;
  for (size_t k = 0; k < j->scrapes; k++) {
    for (size_t b = 0; b <= bound; b++) sum += replica->bins[k].bucket[family->what][b];
    put_name(j, family, "_bucket", replica);
    TDM_OUTFILE_LITERAL(&j->file, ",le=\"");
    put_bound(j, family, bound);
    TDM_OUTFILE_LITERAL(&j->file, "\"} ");
    tdm_outfile_integer(&j->file, sum);
    put_time(j, k);
  }
}

static void put_histogram(job *j, const tdm_metrics_family *family,
                          const tdm_metrics_replica *replica) {
  size_t bounds = 0;
  while (family->bound[bounds] != 0) bounds++;
  int64_t sum = 0, count = 0;
  for (size_t b = 0; b <= bounds; b++) put_bucket(j, family, replica, b);
  for (size_t k = 0; k < j->scrapes; k++) {
    for (size_t b = 0; b <= bounds; b++) count += replica->bins[k].bucket[family->what][b];
    put_name(j, family, "_count", replica);
    TDM_OUTFILE_LITERAL(&j->file, "} ");
    tdm_outfile_integer(&j->file, count);
    put_time(j, k);
  }
  for (size_t k = 0; k < j->scrapes; k++) {
    sum += replica->bins[k].sum[family->what];
    put_name(j, family, "_sum", replica);
    TDM_OUTFILE_LITERAL(&j->file, "} ");
    put_parts(&j->file, sum, is_time(family) ? 1000000000 : 1, 9);
    put_time(j, k);
  }
}

/* ---- … of all that have it */

/* vLLM has these with an offloading connector alone. */
static bool is_left_out(const job *j, const tdm_metrics_family *family) {
  if (family->kind != TDM_METRICS_COUNTER ||
      (family->what != TDM_COUNT_LOADED && family->what != TDM_COUNT_STORED))
    return false;
  for (size_t i = 0; i < j->metrics->replica_count; i++)
    if (j->metrics->replicas[i].offloads) return false;
  return true;
}

static void put_families(job *j) {
  static void (*const put[])(job *, const tdm_metrics_family *, const tdm_metrics_replica *) = {
      [TDM_METRICS_COUNTER] = put_counter,
      [TDM_METRICS_GAUGE] = put_gauge,
      [TDM_METRICS_HISTOGRAM] = put_histogram};
  for (const tdm_metrics_family *f = j->dialect->families; f->name != NULL; f++) {
    if (is_left_out(j, f)) continue;
    if (f->help != NULL) put_family(j, f);
    for (size_t i = 0; i < j->metrics->replica_count; i++)
      if (j->metrics->replicas[i].dialect == j->dialect && j->metrics->replicas[i].into == i)
        put[f->kind](j, f, &j->metrics->replicas[i]);
  }
}

static bool is_spoken(const job *j) {
  for (size_t i = 0; i < j->metrics->replica_count; i++)
    if (j->metrics->replicas[i].dialect == j->dialect) return true;
  return false;
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
  for (j.dialect = tdm_metrics_dialects; j.dialect->server != NULL; j.dialect++)
    if (is_spoken(&j)) put_families(&j);
  TDM_OUTFILE_LITERAL(&j.file, "# EOF\n");
  return tdm_outfile_commit(&j.file, error);
}
