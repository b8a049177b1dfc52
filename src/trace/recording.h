/* A trace in memory: a tdm_record_sink that keeps everything, for writers, analyses and tests.
 *
 * Filled by a recorder, or from the store by tdm_store_load. Rows of a layout lie
 * together, packed (kept_rows.h), in the order they came. Ids of names, tracks and layouts are
 * those of the records. Owns everything.
 */
#ifndef TDM_TRACE_RECORDING_H
#define TDM_TRACE_RECORDING_H

#include "trace/kept_rows.h"
#include "trace/record.h"

typedef struct tdm_recording tdm_recording;

typedef struct {
  uint32_t source;
  const char *key, *value;
} tdm_fact;

typedef struct {
  uint32_t source;
  const char *kind;
  uint64_t count;
} tdm_problem;

typedef struct {
  const char *name, *type;
  const void *bytes;
  size_t length;
} tdm_artifact;

tdm_recording *tdm_recording_new(void); /* NULL: out of memory */
void tdm_recording_free(tdm_recording *recording);
void tdm_recording_sink(tdm_recording *recording, tdm_record_sink *out);

/* Tables. An id that was never announced gives NULL, TDM_NONE among them. */
uint32_t tdm_recording_names(const tdm_recording *recording);
const char *tdm_recording_name(const tdm_recording *recording, int64_t id, size_t *length);
uint32_t tdm_recording_tracks(const tdm_recording *recording);
const tdm_track *tdm_recording_track(const tdm_recording *recording, int64_t id);
uint32_t tdm_recording_layouts(const tdm_recording *recording);
const tdm_layout *tdm_recording_layout(const tdm_recording *recording, uint32_t id);
uint32_t tdm_recording_sources(const tdm_recording *recording);
const tdm_source *tdm_recording_source(const tdm_recording *recording, uint32_t id);

/* All rows of a layout; of which source, their tracks say. Never NULL for a known layout. */
const tdm_kept_rows *tdm_recording_rows(const tdm_recording *recording, uint32_t layout);

/* Frees a column of arguments (from TDM_ARGS on) that nobody looks at again. */
void tdm_recording_forget(tdm_recording *recording, uint32_t layout, uint32_t column);

const tdm_fact *tdm_recording_facts(const tdm_recording *recording, size_t *count);
const tdm_problem *tdm_recording_problems(const tdm_recording *recording, size_t *count);
const tdm_metric *tdm_recording_metrics(const tdm_recording *recording, size_t *count);
const tdm_artifact *tdm_recording_artifacts(const tdm_recording *recording, size_t *count);
const tdm_request_record *tdm_recording_requests(const tdm_recording *recording, size_t *count);
uint32_t tdm_recording_request_classes(const tdm_recording *recording);
const char *tdm_recording_request_class(const tdm_recording *recording, uint32_t index);

#endif
