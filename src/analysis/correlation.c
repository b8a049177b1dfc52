/* See correlation.h. */
#include "analysis/correlation.h"

#include <stdlib.h>

#include "analysis/calls.h"
#include "base/memory.h"

static void join(tdm_correlation *out, const tdm_calls *causes, const uint32_t *process,
                 const tdm_table *effects, size_t key) {
  size_t count = causes->table->count;
  for (size_t i = 0; i < effects->count; i++) {
    int64_t id = effects->arg[key][i];
    uint32_t cause = id > 0 ? tdm_calls_find(causes, process[effects->track[i]], id) : TDM_NO_CALL;
    out->cause[i] = cause == TDM_NO_CALL ? TDM_NO_ROW : cause;
    if (cause == TDM_NO_CALL) continue;
    out->first[cause + 1]++; /* counts; sums below */
    out->joined++;
  }
  size_t sum = 0;
  for (size_t c = 0; c <= count; c++) {
    sum += out->first[c];
    out->first[c] = sum;
  }
  for (size_t i = effects->count; i-- > 0;) /* from the back: each count falls to its beginning */
    if (out->cause[i] != TDM_NO_ROW) out->effect[--out->first[out->cause[i] + 1]] = (uint32_t)i;
  for (size_t c = 0; c < count; c++) out->first[c] = out->first[c + 1];
  out->first[count] = out->joined;
}

tdm_status tdm_correlation_open(tdm_run_view *view, const tdm_table *causes, size_t cause_key,
                                const tdm_table *effects, size_t effect_key, tdm_correlation *out,
                                tdm_error *error) {
  *out = (tdm_correlation){0};
  tdm_calls calls = {0};
  uint32_t *process = tdm_processes(view, NULL);
  out->cause = tdm_array_new(effects->count + 1, sizeof *out->cause);
  out->effect = tdm_array_new(effects->count + 1, sizeof *out->effect);
  out->first = tdm_array_new(causes->count + 2, sizeof *out->first);
  tdm_status status = TDM_OK;
  if (process == NULL || out->cause == NULL || out->effect == NULL || out->first == NULL)
    status = tdm_error_memory(error, "correlations", effects->count * sizeof *out->cause);
  if (status == TDM_OK)
    status = tdm_calls_open(&calls, causes, cause_key, INT64_MAX, process, error);
  if (status == TDM_OK) join(out, &calls, process, effects, effect_key);
  tdm_calls_close(&calls);
  free(process);
  if (status != TDM_OK) tdm_correlation_close(out);
  return status;
}

void tdm_correlation_close(tdm_correlation *correlation) {
  free(correlation->cause);
  free(correlation->first);
  free(correlation->effect);
  *correlation = (tdm_correlation){0};
}
