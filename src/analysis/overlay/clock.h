/* The clock of one run told on that of another, and how it is found from paired times.
 *
 * Owns no state. The clock of the first run stays; times of the second are mapped to it. Called by
 * the alignment of two runs (activity.h, bind/overlay.c) and by all that lays one over the other.
 */
#ifndef TDM_ANALYSIS_OVERLAY_CLOCK_H
#define TDM_ANALYSIS_OVERLAY_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A time t of the second run is t + offset + drift · (t − origin) of the first. */
typedef struct {
  int64_t offset_ns;
  int64_t origin_ns; /* of the second's clock */
  double drift_ppm;
} tdm_clock;

/* At most as far as 64 bits go. Never decreasing in time_ns while the drift is above −10⁶ ppm. */
int64_t tdm_clock_time(const tdm_clock *clock, int64_t time_ns);
/* The time of the second run that lies there on the first one's clock, to the nanosecond. */
int64_t tdm_clock_back(const tdm_clock *clock, int64_t time_ns);

typedef enum {
  TDM_DRIFT_AUTO, /* applied when it is larger than twice its standard error, and a clock's */
  TDM_DRIFT_ON,
  TDM_DRIFT_OFF
} tdm_drift;

/* What is more is no drift of clocks: the runs go at different speeds. */
#define TDM_DRIFT_MOST_PPM 1000.0

typedef struct {
  tdm_clock clock;        /* with the drift that was applied */
  double drift_ppm;       /* as measured; NaN: too few events tell none */
  double drift_error_ppm; /* its standard error; NaN: likewise */
  double residual_ns;     /* median distance of the events after alignment; NaN: one event */
  size_t events;
} tdm_alignment;

/* Least squares over pairs of times, the i-th of both the same event, by Tukey's biweight: what
 * lies far off does not count. TDM_INVALID: no event, or one only where a drift is asked for. */
tdm_status tdm_clock_fit(const int64_t *first_ns, const int64_t *second_ns, size_t count,
                         tdm_drift drift, tdm_alignment *out, tdm_error *error);

#endif
