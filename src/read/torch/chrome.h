/* The Chrome events inside PyTorch's structured log: what compiling spent its time on.
 *
 * Begins and ends are joined to spans of category "compile", by track and name; an end carries all
 * arguments of its begin and more. Times are since 1970. Called by read/torch_trace. */
#ifndef TDM_READ_TORCH_CHROME_H
#define TDM_READ_TORCH_CHROME_H

#include "read/torch/artifact.h"

typedef struct {
  int64_t start_ns;
  uint32_t track, name;
  int64_t args[8];
} tdm_torch_open_span;

/* Begin with tdm_torch_chrome_begin. */
typedef struct {
  tdm_recorder *recorder;
  tdm_torch_artifacts *artifacts;
  tdm_torch_value args;
  tdm_torch_text text;
  tdm_torch_open_span *open;
  size_t count, room;
  int64_t last_ns;     /* of any time seen here; TDM_NONE: none */
  uint32_t layouts[4]; /* + 1; 0: not made yet */
} tdm_torch_chrome;

/* Borrows both. */
void tdm_torch_chrome_begin(tdm_torch_chrome *chrome, tdm_recorder *recorder,
                            tdm_torch_artifacts *artifacts);
void tdm_torch_chrome_free(tdm_torch_chrome *chrome);

/* The event in the payload of a record. *time_ns: its time, TDM_NONE where it has none. False: out
 * of memory. What is no event is a problem. `json` is a reader of texts, lent for the call. */
bool tdm_torch_chrome_event(tdm_torch_chrome *chrome, const tdm_torch_record *record,
                            const char *payload, size_t length, uint32_t track, tdm_json *json,
                            int64_t *time_ns);

/* Spans that never ended, up to `last_ns`. */
void tdm_torch_chrome_end(tdm_torch_chrome *chrome, int64_t last_ns);

#endif
