/* Synchronization: as CUPTI recorded it, by kind; and the API calls in which the host waited.
 * Options: each = "device", "stream", "process", "rank", "thread"; calls are split by the last
 * three only. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/inside.h"

static const char *const categories[] = {"sync", NULL};
static const tdm_wanted wanted_syncs = {.categories = categories,
                                        .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                  1u << TDM_SHAPE_ASYNC};

static const tdm_field fields[] = {TDM_SUMMARY_FIELDS, TDM_SPLIT_FIELDS, {"name", TDM_FIELD_TEXT}};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct {
  tdm_run_view *view;
  tdm_base_names bases; /* of calls */
  uint8_t *waits;       /* by call */
} syncs;

static tdm_row_taken record_key(void *context, const tdm_table *table, size_t row, int64_t *key) {
  (void)context;
  key[0] = tdm_table_name(table, row);
  return TDM_ROW_TAKEN;
}

static void put_record(void *context, const int64_t *key, tdm_frame *frame) {
  const syncs *s = context;
  tdm_frame_name(frame, TDM_ROW_SUMMARY_OWN, tdm_run_view_name(s->view, key[0]));
}

static tdm_row_taken call_key(void *context, const tdm_table *table, size_t row, int64_t *key) {
  syncs *s = context;
  if (s->waits[row] == TDM_WAITS_NOT) return TDM_ROW_LEFT_OUT;
  key[0] = tdm_base_names_id(&s->bases, s->view, tdm_table_name(table, row));
  return key[0] == TDM_NONE ? TDM_ROW_FAILED : TDM_ROW_TAKEN;
}

static void put_call(void *context, const int64_t *key, tdm_frame *frame) {
  const syncs *s = context;
  tdm_frame_text(frame, TDM_ROW_SUMMARY_OWN, tdm_base_names_text(&s->bases, key[0]));
}

tdm_status tdm_answer_syncs(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  syncs s = {.view = view, .bases = {.base_of = tdm_call_base}};
  tdm_row_summary summary = {
      .view = view, .keys = 1, .context = &s, .key = record_key, .put = put_record};
  const tdm_table *records = NULL, *calls = NULL;
  size_t inside = 0;
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted_syncs, &records, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_api_calls, &calls, error);
  if (status == TDM_OK && (s.waits = tdm_api_waits_of(view, calls, &inside)) == NULL)
    status = tdm_error_memory(error, "calls", calls->count);
  tdm_frame *by_kind = tdm_answer_frame(out, "syncs", fields, FIELDS);
  tdm_frame *by_call = tdm_answer_frame(out, "calls", fields, FIELDS);
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &records, 1, by_kind, error);
  summary.key = call_key;
  summary.put = put_call;
  if (summary.split == TDM_SPLIT_DEVICE || summary.split == TDM_SPLIT_STREAM)
    summary.split = TDM_SPLIT_NONE;
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &calls, 1, by_call, error);
  tdm_base_names_close(&s.bases);
  free(s.waits);
  if (status != TDM_OK) return status;
  if (records->count == 0)
    tdm_answer_cannot(out, "synchronization by kind: %s no rows of category sync",
                      tdm_run_view_lacking(view, &wanted_syncs));
  if (calls->count == 0)
    tdm_answer_cannot(out, "calls that wait: %s no rows of category runtime or driver",
                      tdm_run_view_lacking(view, &tdm_api_calls));
  tdm_answer_basis(out, "shares: of the time of each table; calls are those named …Synchronize "
                        "or …Sync");
  if (inside > 0)
    tdm_answer_basis(out, "%zu calls inside another that waits are the same wait and not counted",
                     inside);
  return TDM_OK;
}
