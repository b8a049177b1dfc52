/* What the servers of a simulated run would have exported: counters, gauges and histograms by the
 * scrape, under vLLM's names and with its bounds, written as OpenMetrics with timestamps.
 *
 * A sink's `served` that counts. All is whole: times are summed in nanoseconds, so that what must
 * be equal is. A scrape at T has what happened until T, T included; gauges are what holds then.
 * Owns every count. Called by the binding (fills, writes). One thread at a time. */
#ifndef TDM_TRACE_METRICS_METRICS_H
#define TDM_TRACE_METRICS_METRICS_H

#include "engine/sink.h"

typedef struct tdm_metrics tdm_metrics;

/* NULL: out of memory. A scrape at 0 and every scrape_ns > 0 from then on. */
tdm_metrics *tdm_metrics_new(int64_t scrape_ns);
void tdm_metrics_free(tdm_metrics *metrics);

/* Fills *out, which lives as long as the metrics. */
void tdm_metrics_sink(tdm_metrics *metrics, tdm_served_sink *out);

/* The model that a server is said to serve, in the label model_name; its own name where none is
 * said. */
tdm_status tdm_metrics_model(tdm_metrics *metrics, const char *server, const char *model,
                             tdm_error *error);

/* Writes all scrapes up to the last event: families, in them series, in them scrapes. The run's
 * time 0 is utc_s since 1970. TDM_INVALID: there was no LLM server. */
tdm_status tdm_metrics_write(tdm_metrics *metrics, const char *path, int64_t utc_s,
                             tdm_error *error);

#endif
