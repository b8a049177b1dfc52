/* What the readers of Prometheus' formats share: a series by its name and labels, and its samples.
 *
 * Labels that say where (instance, GPU, model, engine) make the track, what is left of them stays
 * with the counter's name, as Prometheus writes it. Times are of UTC. Called by the readers of this
 * room. */
#ifndef TDM_READ_PROMETHEUS_INSIDE_H
#define TDM_READ_PROMETHEUS_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/reader.h"

enum { TDM_PROM_LABELS = 64, TDM_PROM_BYTES = 1 << 16 };

typedef struct {
  const char *key, *value; /* NUL-terminated; the value unescaped */
} tdm_prom_label;

/* A name and its labels. Texts live in the series. */
typedef struct {
  const char *name; /* "" where it is not said */
  tdm_prom_label label[TDM_PROM_LABELS];
  size_t labels;
  char bytes[TDM_PROM_BYTES];
  size_t used;
  bool full; /* there was more than it can hold */
} tdm_prom_series;

void tdm_prom_series_clear(tdm_prom_series *series);
/* Copies; NULL when it is full. */
const char *tdm_prom_series_text(tdm_prom_series *series, const char *text, size_t length);
void tdm_prom_series_label(tdm_prom_series *series, const char *key, const char *value);

/* A line of the text formats. */
typedef enum {
  TDM_PROM_NOTHING, /* empty, a comment, HELP, TYPE, UNIT */
  TDM_PROM_SAMPLE,
  TDM_PROM_END,  /* "# EOF" */
  TDM_PROM_TIME, /* a comment that is a time: of the samples behind it */
  TDM_PROM_WRONG
} tdm_prom_kind;

typedef struct {
  double value;
  int64_t utc_ns; /* TDM_NONE: the line has no time */
} tdm_prom_sample;

/* "1e3", "NaN", "+Inf"; false: no number. */
bool tdm_prom_value(const char *text, size_t length, double *value);

/* When a file's name says the scrape was made: "2026-03-21T13:24:45Z.prom",
 * "m-20260321-132445.txt", "1774099485.prom". False: it does not. */
bool tdm_prom_named_time(const char *path, int64_t *utc_ns);

tdm_prom_kind tdm_prom_line(const char *text, size_t length, tdm_prom_series *series,
                            tdm_prom_sample *sample);

/* ---- series to counters ---- */

typedef struct tdm_prom tdm_prom;

tdm_prom *tdm_prom_new(tdm_recorder *recorder, const tdm_read_options *options);
void tdm_prom_free(tdm_prom *prom);

/* The number of a series, equal ones have equal numbers; *fresh: it is new. UINT32_MAX: out of
 * memory. */
uint32_t tdm_prom_series_of(tdm_prom *prom, const tdm_prom_series *series, bool *fresh);

/* Whether the series tells when another began ("…_created"): no value of the run. */
bool tdm_prom_is_start(const tdm_prom *prom, uint32_t series);

void tdm_prom_put(tdm_prom *prom, uint32_t series, int64_t utc_ns, double value);

/* When all has been put: series that only grow and have fallen are told of. */
void tdm_prom_finish(const tdm_prom *prom);

#endif
