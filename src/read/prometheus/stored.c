/* The reader of stored series as JSON: what Prometheus answers to a query, in one document, and
 * what VictoriaMetrics exports, a series a line.
 *
 *   {"status":"success","data":{"resultType":"matrix","result":[{"metric":{…},"values":[[s,"1"]]}]}}
 *   {"metric":{…},"values":[1,…],"timestamps":[ms,…]}
 *
 * Samples become those of counters, as scraped text does. Memory is one series, or one line. An
 * answer whose series have lost their name or instance went through rate(), sum() or the like: a
 * counter cannot be had back from it, and it is refused. VictoriaMetrics keeps what it was sent, so
 * nothing is asked of its labels but a name. Native histograms are counted and left out. Called
 * through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/lines.h"
#include "read/prometheus/inside.h"

enum { PROGRESS_SERIES = 256 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_prom *prom;
  tdm_prom_series *series;
  double *value;
  int64_t *utc_ns;
  size_t values, times, value_room, time_room; /* of the series in hand */
  bool has_metric, answers, memory;
  bool succeeded, has_data;
  char type[24], complaint[160]; /* resultType; what an answer that failed says */
  uint64_t objects, samples, histograms;
  tdm_status status;
  tdm_error *error;
} job;

static tdm_json_token next(job *j) {
  return tdm_json_next(j->json);
}

static bool is(const job *j, const char *text) {
  size_t length;
  return strcmp(tdm_json_value(j->json, &length), text) == 0;
}

static void keep(const job *j, char *out, size_t room) {
  size_t length;
  snprintf(out, room, "%s", tdm_json_value(j->json, &length));
}

static void skip_value(job *j, tdm_json_token token) {
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
}

/* ---- a series ---- */

static void put_value(job *j, double value) {
  if (!tdm_array_grow(&j->value, &j->value_room, j->values + 1, sizeof *j->value))
    j->memory = true;
  else
    j->value[j->values++] = value;
}

/* Numbers that are no time keep their place, so that values and times stay together. */
static void put_time(job *j, tdm_json_token token, int power) {
  size_t length;
  int64_t utc_ns = TDM_NONE;
  if (token == TDM_JSON_NUMBER) {
    const char *text = tdm_json_value(j->json, &length);
    if (!tdm_number_scaled(text, length, power, &utc_ns)) utc_ns = TDM_NONE;
  }
  if (!tdm_array_grow(&j->utc_ns, &j->time_room, j->times + 1, sizeof *j->utc_ns))
    j->memory = true;
  else
    j->utc_ns[j->times++] = utc_ns;
}

/* Numbers may be texts: "1", "+Inf", "NaN". What is no number is one that is not there. */
static double number(const job *j, tdm_json_token token) {
  size_t length;
  double value = NAN;
  if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) return value;
  const char *text = tdm_json_value(j->json, &length);
  return tdm_prom_value(text, length, &value) ? value : NAN;
}

/* Behind KEY: {"__name__":"up","instance":"h:8000"} */
static void metric(job *j) {
  tdm_json_token token = next(j);
  size_t length;
  skip_value(j, token == TDM_JSON_ARRAY ? token : TDM_JSON_NULL);
  if (token != TDM_JSON_OBJECT) return;
  tdm_prom_series_clear(j->series);
  j->has_metric = true;
  while (next(j) == TDM_JSON_KEY) {
    const char *said = tdm_json_value(j->json, &length);
    const char *key = tdm_prom_series_text(j->series, said, length);
    token = next(j);
    skip_value(j, token);
    if (token != TDM_JSON_STRING || key == NULL) continue;
    said = tdm_json_value(j->json, &length);
    const char *value = tdm_prom_series_text(j->series, said, length);
    if (value == NULL) continue;
    if (strcmp(key, "__name__") == 0)
      j->series->name = value;
    else
      tdm_prom_series_label(j->series, key, value);
  }
}

/* Behind ARRAY: seconds,"value"] */
static void pair(job *j) {
  tdm_json_token token = next(j);
  if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
  put_time(j, token, 9);
  skip_value(j, token);
  token = next(j);
  put_value(j, number(j, token));
  while (token != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    skip_value(j, token);
    token = next(j);
  }
}

/* Behind KEY: [s,"1"] */
static void one_value(job *j) {
  tdm_json_token token = next(j);
  if (token == TDM_JSON_ARRAY)
    pair(j);
  else
    skip_value(j, token);
}

/* Behind KEY: [[s,"1"],…] or [1,2,…]. */
static void values(job *j) {
  tdm_json_token token = next(j);
  if (token == TDM_JSON_OBJECT) tdm_json_skip(j->json);
  if (token != TDM_JSON_ARRAY) return;
  while ((token = next(j)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    if (token == TDM_JSON_ARRAY) {
      pair(j);
      continue;
    }
    put_value(j, number(j, token));
    skip_value(j, token);
  }
}

static void timestamps(job *j) {
  tdm_json_token token = next(j);
  if (token == TDM_JSON_OBJECT) tdm_json_skip(j->json);
  if (token != TDM_JSON_ARRAY) return;
  while ((token = next(j)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    put_time(j, token, 6);
    skip_value(j, token);
  }
}

static tdm_status refuse(job *j, const char *what) {
  if (j->status != TDM_OK) return j->status;
  char name[96] = "a series";
  if (*j->series->name != 0) snprintf(name, sizeof name, "%.90s", j->series->name);
  j->status = tdm_error_set(
      j->error, TDM_INVALID,
      "%s: %s has no %s: it went through rate(), sum() or the like, which cannot be undone; query "
      "the series themselves, as {__name__=~\"vllm:.*\"}[1h]",
      tdm_input_path(j->input), name, what);
  return j->status;
}

static bool has_label(const tdm_prom_series *series, const char *key) {
  for (size_t i = 0; i < series->labels; i++)
    if (strcmp(series->label[i].key, key) == 0) return true;
  return false;
}

static void put_series(job *j) {
  bool fresh;
  if (j->series->full) {
    tdm_record_problem(j->recorder, "series with too many labels (left out)", 1);
    return;
  }
  if (*j->series->name == 0) {
    refuse(j, "name");
    return;
  }
  if (j->answers && !has_label(j->series, "instance")) {
    refuse(j, "instance");
    return;
  }
  uint32_t series = tdm_prom_series_of(j->prom, j->series, &fresh);
  if (series == UINT32_MAX) {
    j->memory = true;
    return;
  }
  if (tdm_prom_is_start(j->prom, series)) return;
  size_t count = j->values < j->times ? j->values : j->times;
  if (j->values != j->times)
    tdm_record_problem(j->recorder, "series with more values than times, or fewer (cut)", 1);
  uint64_t lost = 0;
  for (size_t i = 0; i < count; i++) {
    bool good = j->utc_ns[i] != TDM_NONE && !isnan(j->value[i]);
    lost += !good;
    if (good) tdm_prom_put(j->prom, series, j->utc_ns[i], j->value[i]);
  }
  j->samples += count - lost;
  if (lost > 0) tdm_record_problem(j->recorder, "samples that are not a number (left out)", lost);
}

/* Behind OBJECT. */
static void series(job *j) {
  j->values = j->times = 0;
  j->has_metric = false;
  tdm_prom_series_clear(j->series);
  while (next(j) == TDM_JSON_KEY) {
    if (is(j, "metric")) {
      metric(j);
    } else if (is(j, "value")) {
      one_value(j);
    } else if (is(j, "values")) {
      values(j);
    } else if (is(j, "timestamps")) {
      timestamps(j);
    } else {
      j->histograms += is(j, "histogram") || is(j, "histograms");
      tdm_json_skip(j->json);
    }
  }
  if (!j->has_metric)
    tdm_record_problem(j->recorder, "objects that are no series (left out)", 1);
  else if (!j->memory)
    put_series(j);
  if (++j->objects % PROGRESS_SERIES == 0 && j->status == TDM_OK)
    j->status = tdm_read_progress(j->input, j->options, j->error);
}

static bool stopped(const job *j) {
  return j->memory || j->status != TDM_OK || tdm_recorder_failed(j->recorder);
}

/* ---- an answer ---- */

/* Behind KEY. */
static void data(job *j) {
  tdm_json_token token = next(j);
  if (token == TDM_JSON_ARRAY) tdm_json_skip(j->json);
  if (token != TDM_JSON_OBJECT) return;
  while (next(j) == TDM_JSON_KEY) {
    bool type = is(j, "resultType"), result = is(j, "result");
    if (!type && !result) {
      tdm_json_skip(j->json);
      continue;
    }
    token = next(j);
    if (type && token == TDM_JSON_STRING) keep(j, j->type, sizeof j->type);
    if (type || token != TDM_JSON_ARRAY) {
      skip_value(j, token);
      continue;
    }
    j->has_data = true;
    while ((token = next(j)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
      if (token == TDM_JSON_OBJECT && !stopped(j))
        series(j);
      else
        skip_value(j, token);
    }
  }
}

/* Behind OBJECT. */
static void answer(job *j) {
  while (next(j) == TDM_JSON_KEY) {
    bool status = is(j, "status"), wrong = is(j, "error");
    if (is(j, "data")) {
      data(j);
      continue;
    }
    if (!status && !wrong) {
      tdm_json_skip(j->json);
      continue;
    }
    tdm_json_token token = next(j);
    if (token == TDM_JSON_STRING && status) j->succeeded = is(j, "success");
    if (token == TDM_JSON_STRING && wrong) keep(j, j->complaint, sizeof j->complaint);
    skip_value(j, token);
  }
}

static void read_answer(job *j) {
  const char *path = tdm_input_path(j->input);
  j->answers = true;
  if (next(j) == TDM_JSON_OBJECT) answer(j);
  tdm_status done = j->status == TDM_OK ? tdm_json_finish(j->json, j->error) : TDM_OK;
  if (done != TDM_OK) j->status = done;
  if (stopped(j)) return;
  if (!j->succeeded)
    j->status = tdm_error_set(j->error, TDM_INVALID, "%s: the query failed: %s", path,
                              *j->complaint != 0 ? j->complaint : "it does not say why");
  else if (!j->has_data || strcmp(j->type, "scalar") == 0 || strcmp(j->type, "string") == 0)
    j->status = tdm_error_set(j->error, TDM_INVALID,
                              "%s: the query's answer is a %s, not series over time: query the "
                              "series themselves, as {__name__=~\"vllm:.*\"}[1h]",
                              path, *j->type != 0 ? j->type : "document without a result");
}

/* ---- lines ---- */

static void read_series_lines(job *j) {
  tdm_lines lines;
  const char *line;
  size_t length;
  tdm_lines_init(&lines, j->input);
  while (!stopped(j) && tdm_lines_next(&lines, &line, &length)) {
    size_t blank = 0;
    while (blank < length && memchr(" \t\r", line[blank], 3) != NULL) blank++;
    if (blank == length) continue;
    tdm_json_text(j->json, line, length);
    if (next(j) == TDM_JSON_OBJECT)
      series(j);
    else
      tdm_record_problem(j->recorder, "lines that are no series (left out)", 1);
  }
  if (lines.status != TDM_OK && j->status == TDM_OK) {
    j->status = lines.status;
    *j->error = lines.error;
  }
  tdm_lines_clear(&lines);
}

/* ---- the reader ---- */

static bool begins(const unsigned char *head, size_t length, const char *const *parts) {
  const char *at = (const char *)head, *end = at + length;
  for (; *parts != NULL; parts++) {
    while (at < end && strchr(" \t\r\n", *at) != NULL && *at != 0) at++;
    size_t size = strlen(*parts);
    if ((size_t)(end - at) < size || memcmp(at, *parts, size) != 0) return false;
    at += size;
  }
  return true;
}

static bool is_lines(const unsigned char *head, size_t length) {
  static const char *const parts[] = {"{", "\"metric\"", ":", "{", NULL};
  return begins(head, length, parts);
}

static int detect_stored(const unsigned char *head, size_t length, const char *path) {
  static const char *const status[] = {"{", "\"status\"", ":", "\"", NULL};
  static const char *const words[] = {"\"resultType\"", "\"errorType\""};
  (void)path;
  if (is_lines(head, length)) return 90;
  if (!begins(head, length, status)) return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(head, length, words[i], strlen(words[i])) != NULL) return 90;
  return 0;
}

static tdm_status finish(job *j) {
  static const tdm_json_repair reported[] = {TDM_JSON_PUNCTUATION, TDM_JSON_TRUNCATED,
                                             TDM_JSON_GARBAGE, TDM_JSON_DEEP, TDM_JSON_LONG};
  char detail[96];
  if (j->memory) return tdm_error_memory(j->error, "series", j->value_room * sizeof *j->value);
  if (j->status != TDM_OK) return j->status;
  for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
    uint64_t count = tdm_json_repaired(j->json, reported[i]);
    if (count > 0) tdm_record_problem(j->recorder, tdm_json_repair_name(reported[i]), count);
  }
  if (j->histograms > 0)
    tdm_record_problem(j->recorder, "series of native histograms (left out)", j->histograms);
  tdm_recorder_utc(j->recorder, 0);
  snprintf(detail, sizeof detail, "%llu samples, %llu series", (unsigned long long)j->samples,
           (unsigned long long)j->objects);
  tdm_recorder_detail(j->recorder, detail);
  tdm_prom_finish(j->prom);
  return TDM_OK;
}

static tdm_status read_stored(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  const unsigned char *head;
  size_t length;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK) return status;
  bool lines = is_lines(head, length);
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .json = lines ? tdm_json_new_text() : tdm_json_new(input),
           .prom = tdm_prom_new(recorder, options),
           .series = malloc(sizeof *j.series),
           .error = error};
  if (j.json == NULL || j.prom == NULL || j.series == NULL)
    j.memory = true;
  else if (lines)
    read_series_lines(&j);
  else
    read_answer(&j);
  status = finish(&j);
  tdm_json_free(j.json);
  tdm_prom_free(j.prom);
  free(j.series);
  free(j.value);
  free(j.utc_ns);
  return status;
}

const tdm_reader tdm_reader_prometheus_json = {.name = "prometheus-json",
                                               .title = "Prometheus' answers to queries as JSON, "
                                                        "VictoriaMetrics' export lines",
                                               .accepts = "*.json, *.jsonl",
                                               .detect = detect_stored,
                                               .read = read_stored};
