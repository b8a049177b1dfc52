/* Calls of the operating system's runtime (read, poll, pthread_cond_wait …) by name, as `nsys stats
 * -r osrt_sum` has them. Options: each = "process", "rank", "thread". */
#include "analysis/analysis.h"

#include "analysis/summary/inside.h"

static const char *const categories[] = {"osrt", NULL};
static const tdm_wanted wanted_calls = {.categories = categories};

static const tdm_field fields[] = {TDM_SUMMARY_FIELDS, TDM_SPLIT_FIELDS, {"name", TDM_FIELD_TEXT}};
enum { FIELDS = sizeof fields / sizeof *fields };

static tdm_row_taken key_of(void *context, const tdm_table *table, size_t row, int64_t *key) {
  (void)context;
  key[0] = tdm_table_name(table, row);
  return TDM_ROW_TAKEN;
}

static void put(void *context, const int64_t *key, tdm_frame *frame) {
  tdm_frame_name(frame, TDM_ROW_SUMMARY_OWN, tdm_run_view_name(context, key[0]));
}

tdm_status tdm_answer_osrt(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error) {
  tdm_row_summary summary = {.view = view, .keys = 1, .context = view, .key = key_of, .put = put};
  const tdm_table *calls = NULL;
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted_calls, &calls, error);
  tdm_frame *frame = tdm_answer_frame(out, "osrt", fields, FIELDS);
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &calls, 1, frame, error);
  if (status == TDM_OK && calls->count == 0)
    tdm_answer_cannot(out,
                      "%s no calls of the operating system's runtime (no rows of "
                      "category osrt); `nsys profile -t osrt` records them",
                      tdm_run_view_lacking(view, &wanted_calls));
  tdm_answer_basis(out, "share: of the time in all these calls of all threads");
  return status;
}
