/* See timeline.h. */
#include "write/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/timeline/inside.h"

void tdm_timeline_list(tdm_timeline_run *run, const char *key, int64_t *const *column,
                       uint32_t columns, size_t rows) {
  if (key != NULL)
    tdm_meta_key(run->meta, key);
  else
    tdm_meta_next(run->meta);
  tdm_meta_put(run->meta, "[");
  for (size_t first = 0; first < rows; first += TDM_CHUNK_ROWS) {
    size_t count = rows - first < TDM_CHUNK_ROWS ? rows - first : TDM_CHUNK_ROWS;
    tdm_meta_next(run->meta);
    tdm_meta_integer(run->meta,
                     (int64_t)tdm_blocks_columns(run->blocks, column, columns, first, count));
  }
  tdm_meta_put(run->meta, "]");
}

int64_t tdm_timeline_gap(int64_t start_ns, int64_t before_ns) {
  return (int64_t)((uint64_t)start_ns - (uint64_t)before_ns);
}

/* What GPUs do. */
bool tdm_timeline_is_work(const char *category) {
  static const char *const work[] = {"kernel", "memcpy", "memset", "graph", "um"};
  for (size_t i = 0; i < sizeof work / sizeof *work; i++)
    if (strcmp(category, work[i]) == 0) return true;
  return false;
}

static void put_times(tdm_timeline_run *run) {
  const tdm_frame *f = run->frame;
  char origin[24];
  snprintf(origin, sizeof origin, "%" PRId64, f->origin_ns);
  tdm_meta_key(run->meta, "origin");
  tdm_meta_string(run->meta, origin);
  tdm_meta_key(run->meta, "length");
  tdm_meta_integer(run->meta, tdm_frame_length(f));
}

static tdm_status write_parts(tdm_timeline_run *run, tdm_error *error) {
  static tdm_status (*const parts[])(tdm_timeline_run *, tdm_error *) = {
      tdm_timeline_thinning, tdm_timeline_tracks, tdm_timeline_requests, tdm_timeline_spans,
      tdm_timeline_pyramid,  tdm_timeline_arrows, tdm_timeline_counters, tdm_timeline_activity,
      tdm_timeline_totals,   tdm_timeline_sums,   tdm_timeline_marks};
  tdm_status status = TDM_OK;
  tdm_meta_put(run->meta, "{");
  put_times(run);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == TDM_OK; i++)
    status = parts[i](run, error);
  tdm_meta_put(run->meta, "}");
  if (status == TDM_OK) status = tdm_blocks_status(run->blocks, error);
  if (status == TDM_OK && run->meta->failed)
    status = tdm_error_memory(error, "a timeline", run->meta->length);
  return status;
}

tdm_status tdm_timeline_run_write(tdm_recording *recording, const tdm_timeline_wish *wish,
                                  tdm_blocks *blocks, char **json, tdm_error *error) {
  tdm_frame frame;
  tdm_meta text = {0};
  *json = NULL;
  tdm_status status = tdm_frame_open(&frame, recording, error);
  if (status != TDM_OK) return status;
  tdm_timeline_run run = {.frame = &frame, .recording = recording, .blocks = blocks, .meta = &text};
  status = tdm_totals_find(&run, error);
  if (status == TDM_OK) status = tdm_thinning_choose(&run, wish, error);
  if (status == TDM_OK) status = write_parts(&run, error);
  tdm_thinning_close(&run.thinning);
  free(run.total);
  free(run.block_ns);
  free(run.request);
  free(run.arrow_from);
  tdm_frame_close(&frame);
  if (status == TDM_OK)
    *json = text.text;
  else
    free(text.text);
  return status;
}
