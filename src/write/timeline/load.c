/* How many of something are active over time, in bins of equal width from the origin on; see
 * inside.h. */
#include "write/timeline/inside.h"

#include <stdlib.h>

#include "base/memory.h"

/* `active` from from_ns until to_ns: areas in active × ns. */
static void spread(tdm_load *load, int64_t from_ns, int64_t to_ns, int64_t active) {
  while (from_ns < to_ns) {
    size_t bin = (size_t)(from_ns / load->width_ns);
    if (bin >= load->count) return;
    int64_t begin_ns = (int64_t)bin * load->width_ns, end_ns = to_ns;
    if (to_ns - begin_ns > load->width_ns) end_ns = begin_ns + load->width_ns;
    double part_ns = (double)(end_ns - from_ns);
    load->mean[bin] += (double)active * part_ns;
    if (active > 0) load->busy[bin] += part_ns;
    if (active < load->least[bin]) load->least[bin] = active;
    if (active > load->most[bin]) load->most[bin] = active;
    from_ns = end_ns;
  }
}

/* A stretch of time in order, with how many are active in it. */
static void note(tdm_load *load, int64_t from_ns, int64_t to_ns, int64_t active) {
  if (active <= 0 || from_ns >= to_ns) return;
  if (load->busy_ns == 0) load->first_ns = load->last_ns = from_ns;
  if (from_ns - load->last_ns > load->idle_to_ns - load->idle_from_ns) {
    load->idle_from_ns = load->last_ns;
    load->idle_to_ns = from_ns;
  }
  load->busy_ns += to_ns - from_ns;
  load->last_ns = to_ns;
}

static void walk(tdm_load *load, tdm_sweep *sweep, int64_t length_ns) {
  int64_t at_ns = 0, active = 0;
  for (tdm_step step; tdm_sweep_next(sweep, &step);) {
    spread(load, at_ns, step.time_ns, active);
    note(load, at_ns, step.time_ns, active);
    at_ns = step.time_ns;
    active = (int64_t)step.active;
  }
  spread(load, at_ns, length_ns, active);
  note(load, at_ns, length_ns, active);
}

tdm_status tdm_load_open(tdm_load *load, tdm_sweep *sweep, int64_t length_ns, size_t bins_most,
                         tdm_error *error) {
  *load = (tdm_load){.width_ns = length_ns / (int64_t)bins_most + 1};
  load->count = (size_t)(length_ns / load->width_ns) + 1;
  load->mean = tdm_array_new(load->count, sizeof *load->mean);
  load->busy = tdm_array_new(load->count, sizeof *load->busy);
  load->least = tdm_array_new(load->count, sizeof *load->least);
  load->most = tdm_array_new(load->count, sizeof *load->most);
  if (load->mean == NULL || load->busy == NULL || load->least == NULL || load->most == NULL) {
    tdm_status status = tdm_error_memory(error, "a timeline", load->count);
    tdm_load_close(load);
    return status;
  }
  for (size_t i = 0; i < load->count; i++) load->least[i] = INT64_MAX;
  walk(load, sweep, length_ns);
  for (size_t i = 0; i < load->count; i++) {
    load->mean[i] /= (double)load->width_ns;
    load->busy[i] /= (double)load->width_ns;
    if (load->least[i] == INT64_MAX) load->least[i] = 0;
  }
  return TDM_OK;
}

void tdm_load_close(tdm_load *load) {
  free(load->mean);
  free(load->busy);
  free(load->least);
  free(load->most);
  *load = (tdm_load){0};
}
