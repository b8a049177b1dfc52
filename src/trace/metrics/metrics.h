/* What the servers of a simulated run would have exported: counters, gauges and histograms by the
 * scrape, under each server's names and with its bounds, written as OpenMetrics with timestamps.
 *
 * A sink's `served` that counts. All is whole: times are summed in nanoseconds, so that what must
 * be equal is. A scrape at T has what happened until T, T included; gauges are what holds then.
 * Owns every count. Called by the binding (fills, writes). One thread at a time. */
#ifndef TDM_TRACE_METRICS_METRICS_H
#define TDM_TRACE_METRICS_METRICS_H

#include <stdbool.h>

#include "engine/sink.h"

typedef struct tdm_metrics tdm_metrics;

typedef enum { TDM_METRICS_COUNTER, TDM_METRICS_GAUGE, TDM_METRICS_HISTOGRAM } tdm_metrics_kind;

typedef struct {
  const char *name;    /* without the prefix, a counter's without _total */
  const char *help;    /* NULL: another series of the family before */
  const char *label;   /* one more, or NULL */
  const char *meaning; /* what readers know it as (lua/tandem/metrics/names.lua), or NULL */
  tdm_metrics_kind kind;
  int what;             /* of the room's own lists */
  const int64_t *bound; /* rising, -1 is 0, 0 ends them: of times in the dialect's unit */
} tdm_metrics_family;

typedef struct {
  const char *server; /* as in engine = { server = ... }, or what stands before servers */
  const char *prefix, *labels, *model_label;
  const tdm_metrics_family *families; /* one without a name ends them */
  int64_t bound_ns;                   /* a unit of bounds of times */
  bool frontend;                      /* one for all replicas of a server */
} tdm_metrics_dialect;

extern const tdm_metrics_dialect tdm_metrics_dialects[]; /* one without a server ends them */

/* The first where the server has none of its own. */
const tdm_metrics_dialect *tdm_metrics_dialect_of(const char *server);

/* NULL: out of memory. A scrape at 0 and every scrape_ns > 0 from then on. */
tdm_metrics *tdm_metrics_new(int64_t scrape_ns);
void tdm_metrics_free(tdm_metrics *metrics);

/* Fills *out, which lives as long as the metrics. */
void tdm_metrics_sink(tdm_metrics *metrics, tdm_served_sink *out);

/* The model that a server of the run is said to serve, in the label model_name, NULL: its own name;
 * and whose metrics it has. Before the run; vLLM's where nothing is said. */
tdm_status tdm_metrics_server_is(tdm_metrics *metrics, const char *server, const char *model,
                                 const tdm_metrics_dialect *dialect, tdm_error *error);

/* Writes all scrapes up to the last event: families, in them series, in them scrapes. The run's
 * time 0 is utc_s since 1970. TDM_INVALID: there was no LLM server. */
tdm_status tdm_metrics_write(tdm_metrics *metrics, const char *path, int64_t utc_s,
                             tdm_error *error);

#endif
