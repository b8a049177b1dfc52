/* Calls of the CUDA (HIP) runtime and driver by name, as `nsys stats -r cuda_api_sum` has them.
 * Options: each = "process", "rank", "thread". Names are without the version of the interface. */
#include "analysis/analysis.h"

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/inside.h"

static const tdm_field fields[] = {TDM_SUMMARY_FIELDS, TDM_SPLIT_FIELDS, {"name", TDM_FIELD_TEXT}};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct {
  tdm_run_view *view;
  tdm_base_names bases;
} naming;

static tdm_row_taken key_of(void *context, const tdm_table *table, size_t row, int64_t *key) {
  naming *n = context;
  key[0] = tdm_base_names_id(&n->bases, n->view, tdm_table_name(table, row));
  return key[0] == TDM_NONE ? TDM_ROW_FAILED : TDM_ROW_TAKEN;
}

static void put(void *context, const int64_t *key, tdm_frame *frame) {
  const naming *n = context;
  tdm_frame_text(frame, TDM_ROW_SUMMARY_OWN, tdm_base_names_text(&n->bases, key[0]));
}

tdm_status tdm_answer_api(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error) {
  naming n = {.view = view, .bases = {.base_of = tdm_call_base}};
  tdm_row_summary summary = {.view = view, .keys = 1, .context = &n, .key = key_of, .put = put};
  const tdm_table *calls = NULL;
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_api_calls, &calls, error);
  tdm_frame *frame = tdm_answer_frame(out, "api", fields, FIELDS);
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &calls, 1, frame, error);
  if (status == TDM_OK && calls->count == 0)
    tdm_answer_cannot(out, "%s no API calls (no rows of category runtime or driver)",
                      tdm_run_view_lacking(view, &tdm_api_calls));
  tdm_answer_basis(out,
                   "share: of the time in all calls of all threads, nested calls counted each");
  tdm_base_names_close(&n.bases);
  return status;
}
