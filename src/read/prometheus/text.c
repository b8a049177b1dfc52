/* The reader of Prometheus' text formats: 0.0.4, OpenMetrics, and what `promtool tsdb dump` writes.
 *
 * Every sample becomes one of a counter, cumulative as it was scraped; what tells when a series
 * began is none. A scrape seldom says when it was made. The rule: the time of a line, else the last
 * comment that is a time ("# 2026-03-21T13:24:45Z", "# 1774099485"), else, for a file of one
 * scrape, the time in its name, else when the file was last written. A new scrape begins behind "#
 * EOF", at such a comment, and where a series comes again; several scrapes of which none says its
 * time are refused. Called through tdm_readers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "read/lines.h"
#include "read/prometheus/inside.h"

enum { PROGRESS_LINES = 4096 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_prom *prom;
  tdm_prom_series *series;
  uint64_t *scrape_of; /* by series: the scrape it was in last */
  size_t scrape_room;
  uint64_t scrapes, samples, starts, nothing, untimed_scrapes;
  int64_t scrape_ns; /* TDM_NONE: this scrape has no time of its own */
  int64_t file_ns;
  bool named; /* file_ns is what its name says */
  bool open;  /* the scrape has a sample */
  bool failed;
} job;

/* Samples without a time wait for nothing: the file's time is theirs, and a second scrape of that
 * kind ends the reading. */
static int64_t file_time(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  return (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
}

static void end_scrape(job *j) {
  j->open = false;
  j->scrape_ns = TDM_NONE;
}

static void begin_scrape(job *j, bool timed) {
  j->open = true;
  j->scrapes++;
  if (!timed) j->untimed_scrapes++;
}

static void take_sample(job *j, const tdm_prom_sample *sample) {
  bool fresh;
  if (j->series->full) {
    tdm_record_problem(j->recorder, "series with too many labels (left out)", 1);
    return;
  }
  uint32_t series = tdm_prom_series_of(j->prom, j->series, &fresh);
  j->failed = series == UINT32_MAX || !tdm_array_grow(&j->scrape_of, &j->scrape_room,
                                                      (size_t)series + 1, sizeof *j->scrape_of);
  if (j->failed) return;
  bool timed = sample->utc_ns != TDM_NONE;
  bool again = !fresh && j->open && j->scrape_of[series] == j->scrapes;
  if (again && !timed) end_scrape(j);
  if (!j->open) begin_scrape(j, timed || j->scrape_ns != TDM_NONE);
  j->scrape_of[series] = j->scrapes;
  if (tdm_prom_is_start(j->prom, series)) {
    j->starts++;
    return;
  }
  j->samples++;
  if (isnan(sample->value)) j->nothing++;
  int64_t utc_ns = timed ? sample->utc_ns : j->scrape_ns != TDM_NONE ? j->scrape_ns : j->file_ns;
  tdm_prom_put(j->prom, series, utc_ns, sample->value);
}

static void take_line(job *j, const char *line, size_t length) {
  tdm_prom_sample sample;
  switch (tdm_prom_line(line, length, j->series, &sample)) {
  case TDM_PROM_SAMPLE: take_sample(j, &sample); break;
  case TDM_PROM_END: end_scrape(j); break;
  case TDM_PROM_TIME:
    end_scrape(j);
    j->scrape_ns = sample.utc_ns;
    break;
  case TDM_PROM_WRONG:
    tdm_record_problem(j->recorder, "lines that are no sample (left out)", 1);
    break;
  case TDM_PROM_NOTHING: break;
  }
}

static bool is_sample(job *j, const char *line, size_t length) {
  tdm_prom_sample sample;
  return tdm_prom_line(line, length, j->series, &sample) == TDM_PROM_SAMPLE;
}

static tdm_status finish(job *j, tdm_error *error) {
  char detail[160];
  if (j->failed) return tdm_error_memory(error, "series", j->scrape_room);
  if (j->untimed_scrapes > 1)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: %llu scrapes that do not say when they were made: put a line like "
                         "\"# 2026-03-21T13:24:45Z\" before each",
                         tdm_input_path(j->input), (unsigned long long)j->untimed_scrapes);
  tdm_recorder_utc(j->recorder, 0);
  snprintf(detail, sizeof detail, "%llu sample%s, %llu scrape%s%s%s",
           (unsigned long long)j->samples, j->samples == 1 ? "" : "s",
           (unsigned long long)j->scrapes, j->scrapes == 1 ? "" : "s",
           j->untimed_scrapes == 0 ? ""
           : j->named              ? ", at the time in the file's name"
                                   : ", at the file's time",
           j->starts > 0 ? ", without times of creation" : "");
  tdm_recorder_detail(j->recorder, detail);
  tdm_prom_finish(j->prom);
  if (j->nothing > 0)
    tdm_record_problem(j->recorder, "samples that are not a number (left out)", j->nothing);
  return TDM_OK;
}

static tdm_status read_lines(job *j, tdm_lines *lines, tdm_error *error) {
  const char *line;
  size_t length;
  for (uint64_t n = 1; tdm_lines_next(lines, &line, &length) && !j->failed; n++) {
    if (lines->unended && is_sample(j, line, length)) {
      tdm_record_problem(j->recorder, "last line without its end, which may be cut (left out)", 1);
      break;
    }
    take_line(j, line, length);
    if (tdm_recorder_failed(j->recorder)) return TDM_OK;
    if (n % PROGRESS_LINES != 0) continue;
    tdm_status status = tdm_read_progress(j->input, j->options, error);
    if (status != TDM_OK) return status;
  }
  if (lines->status != TDM_OK) {
    *error = lines->error;
    return lines->status;
  }
  return finish(j, error);
}

static tdm_status read_text(tdm_input *input, const tdm_read_options *options,
                            tdm_recorder *recorder, tdm_error *error) {
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .prom = tdm_prom_new(recorder, options),
           .series = malloc(sizeof *j.series),
           .scrape_ns = TDM_NONE};
  j.named = tdm_prom_named_time(tdm_input_path(input), &j.file_ns);
  if (!j.named) j.file_ns = file_time(tdm_input_path(input));
  tdm_lines lines;
  tdm_lines_init(&lines, input);
  tdm_status status = j.prom == NULL || j.series == NULL
                          ? tdm_error_memory(error, "series", sizeof *j.series)
                          : read_lines(&j, &lines, error);
  tdm_lines_clear(&lines);
  tdm_prom_free(j.prom);
  free(j.series);
  free(j.scrape_of);
  return status;
}

static bool is_named_so(const char *path) {
  static const char *const ends[] = {".prom", ".metrics", ".txt"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
      return true;
  return false;
}

/* "# HELP", "# TYPE" or "# EOF" are sure; lines that are all samples are likely, where one has
 * labels or a time: "return 1" may be anything, unless the file's name says what. */
static int detect_text(const unsigned char *head, size_t length, const char *path) {
  const char *at = (const char *)head, *end = at + length;
  tdm_prom_series *series = malloc(sizeof *series);
  int samples = 0, sure = 0;
  bool likely = is_named_so(path);
  while (series != NULL && at < end && samples < 8) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    bool whole = stop != NULL || length < 4096;
    if (stop == NULL) stop = end;
    size_t size = (size_t)(stop - at);
    tdm_prom_sample sample;
    if (!whole) break;
    if ((size > 7 && (memcmp(at, "# HELP ", 7) == 0 || memcmp(at, "# TYPE ", 7) == 0)) ||
        (size >= 5 && memcmp(at, "# EOF", 5) == 0)) {
      sure = 85;
      break;
    }
    tdm_prom_kind kind = tdm_prom_line(at, size, series, &sample);
    if (kind == TDM_PROM_WRONG) {
      samples = 0;
      break;
    }
    if (kind == TDM_PROM_SAMPLE) {
      samples++;
      likely |= series->labels > 0 || sample.utc_ns != TDM_NONE;
    }
    at = stop + 1;
  }
  free(series);
  return sure > 0 ? sure : samples > 0 && likely ? 30 : 0;
}

const tdm_reader tdm_reader_prometheus = {.name = "prometheus",
                                          .title = "Prometheus or OpenMetrics text",
                                          .accepts = "*.prom, *.txt",
                                          .detect = detect_text,
                                          .read = read_text};
