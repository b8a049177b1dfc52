/* Ranges that programs mark on their threads (NVTX, user annotations) by name, as `nsys stats -r
 * nvtx_sum` has them; and the tables of ranges that summaries share.
 *
 * Options: style = "pushpop" (ranges that nest on their thread, annotations of PyTorch with them),
 * "startend" (those that need not); without it both. names = "whole". each = "process", "rank",
 * "thread". */
#include "analysis/summary/inside.h"

#include <string.h>

static const char *const categories[] = {"nvtx", "user_annotation", NULL};
static const tdm_arg args[] = {{"domain", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
const tdm_wanted tdm_nested_ranges = {.categories = categories, .keys = args};
const tdm_wanted tdm_free_ranges = {
    .categories = categories, .keys = args, .shapes = 1u << TDM_SHAPE_ASYNC};

static const tdm_field fields[] = {TDM_SUMMARY_FIELDS,
                                   TDM_SPLIT_FIELDS,
                                   {"style", TDM_FIELD_TEXT},
                                   {"domain", TDM_FIELD_TEXT},
                                   TDM_LABEL_FIELDS("name")};
enum { FIELD_STYLE = TDM_ROW_SUMMARY_OWN, FIELD_DOMAIN, FIELD_NAME, FIELD_NAMES, FIELDS };

enum { KEY_NAME, KEY_DOMAIN, KEY_NESTS, KEY_CATEGORY, KEYS };

typedef struct {
  tdm_run_view *view;
  const tdm_table *nested;
  tdm_labels labels;
} ranges;

const char *tdm_range_style(int64_t category, bool nests) {
  if (category == TDM_RANGE_ANNOTATION) return "annotation";
  return nests ? "PushPop" : "StartEnd";
}

static tdm_row_taken key_of(void *context, const tdm_table *table, size_t row, int64_t *key) {
  ranges *r = context;
  key[KEY_NAME] = tdm_label_of(&r->labels, tdm_table_name(table, row));
  key[KEY_DOMAIN] = tdm_table_arg(table, TDM_RANGE_DOMAIN, row);
  key[KEY_NESTS] = table == r->nested;
  key[KEY_CATEGORY] = tdm_table_category(table, row);
  return key[KEY_NAME] == TDM_NONE ? TDM_ROW_FAILED : TDM_ROW_TAKEN;
}

static void put(void *context, const int64_t *key, tdm_frame *frame) {
  const ranges *r = context;
  tdm_frame_name(frame, FIELD_STYLE, tdm_range_style(key[KEY_CATEGORY], key[KEY_NESTS]));
  if (key[KEY_DOMAIN] != TDM_NONE)
    tdm_frame_name(frame, FIELD_DOMAIN, tdm_run_view_name(r->view, key[KEY_DOMAIN]));
  tdm_label_put_counted(&r->labels, frame, FIELD_NAME, key[KEY_NAME]);
}

tdm_status tdm_answer_ranges(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  const char *style = tdm_option_text(options, "style", "all");
  const tdm_table *tables[2] = {NULL, NULL};
  size_t count = 0;
  ranges r = {.view = view, .labels = tdm_labels_of(view, options)};
  tdm_row_summary summary = {.view = view, .keys = KEYS, .context = &r, .key = key_of, .put = put};
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK && strcmp(style, "startend") != 0) {
    status = tdm_run_view_table(view, &tdm_nested_ranges, &tables[count++], error);
    r.nested = tables[0];
  }
  if (status == TDM_OK && strcmp(style, "pushpop") != 0)
    status = tdm_run_view_table(view, &tdm_free_ranges, &tables[count++], error);
  tdm_frame *frame = tdm_answer_frame(out, "ranges", fields, FIELDS);
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, tables, count, frame, error);
  tdm_labels_close(&r.labels);
  if (status != TDM_OK) return status;
  if (tables[0]->count == 0 && (count == 1 || tables[1]->count == 0))
    tdm_answer_cannot(out, TDM_NO_RANGES "%s%s", tdm_run_view_lacking(view, &tdm_nested_ranges),
                      strcmp(style, "all") == 0 ? "" : " of style ",
                      strcmp(style, "all") == 0 ? "" : style);
  tdm_answer_basis(out, "share: of the time of all ranges, ranges inside others counted each; one "
                        "that never ends lasts to the last record of its file");
  return TDM_OK;
}
