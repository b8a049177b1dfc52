/* Everything GPUs did in one table: kernels, copies, memsets, graphs; on request the API calls with
 * them. As `nsys stats -r cuda_gpu_sum` and `-r cuda_api_gpu_sum` have them. Options: by = "name"
 * (default), "base" (kernels without parameters and template arguments); api: with API calls; each
 * = "device", "stream", "process", "rank". */
#include "analysis/analysis.h"

#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "analysis/summary/inside.h"

static const tdm_field fields[] = {
    TDM_SUMMARY_FIELDS, TDM_SPLIT_FIELDS, {"category", TDM_FIELD_TEXT}, {"name", TDM_FIELD_TEXT}};
enum { FIELD_CATEGORY = TDM_ROW_SUMMARY_OWN, FIELD_NAME, FIELDS };

enum { KEY_CATEGORY, KEY_NAME, KEYS };
enum { CATEGORY_API = TDM_WORK_STAGE + 1 }; /* after those of tdm_gpu_work */

typedef struct {
  tdm_run_view *view;
  const tdm_table *calls; /* NULL: without */
  bool by_base;
  tdm_base_names kernels, apis;
} gpu;

static tdm_row_taken key_of(void *context, const tdm_table *table, size_t row, int64_t *key) {
  gpu *g = context;
  key[KEY_CATEGORY] = table == g->calls ? CATEGORY_API : tdm_table_category(table, row);
  key[KEY_NAME] = tdm_table_name(table, row);
  switch (key[KEY_CATEGORY]) {
  case TDM_WORK_MEMCPY:
    key[KEY_NAME] = tdm_table_arg(table, TDM_WORK_COPY_KIND, row);
    return TDM_ROW_TAKEN;
  case TDM_WORK_MEMSET: key[KEY_NAME] = 0; return TDM_ROW_TAKEN;
  case TDM_WORK_KERNEL:
    if (g->by_base) key[KEY_NAME] = tdm_base_names_id(&g->kernels, g->view, key[KEY_NAME]);
    break;
  case CATEGORY_API: key[KEY_NAME] = tdm_base_names_id(&g->apis, g->view, key[KEY_NAME]); break;
  default: break;
  }
  return key[KEY_NAME] == TDM_NONE ? TDM_ROW_FAILED : TDM_ROW_TAKEN;
}

static void put_name(const gpu *g, const int64_t *key, tdm_frame *frame) {
  int64_t name = key[KEY_NAME];
  char label[TDM_COPY_LABEL_ROOM];
  switch (key[KEY_CATEGORY]) {
  case TDM_WORK_MEMCPY:
    tdm_copy_label(name == TDM_NONE ? "" : tdm_run_view_name(g->view, name), label, sizeof label);
    tdm_frame_text(frame, FIELD_NAME, label);
    return;
  case TDM_WORK_MEMSET: tdm_frame_name(frame, FIELD_NAME, "[CUDA memset]"); return;
  case CATEGORY_API: tdm_frame_text(frame, FIELD_NAME, tdm_base_names_text(&g->apis, name)); return;
  case TDM_WORK_KERNEL:
    if (!g->by_base) break;
    tdm_frame_text(frame, FIELD_NAME, tdm_base_names_text(&g->kernels, name));
    return;
  default: break;
  }
  tdm_frame_name(frame, FIELD_NAME, tdm_run_view_name(g->view, name));
}

static void put(void *context, const int64_t *key, tdm_frame *frame) {
  const gpu *g = context;
  tdm_frame_name(frame, FIELD_CATEGORY,
                 key[KEY_CATEGORY] == CATEGORY_API ? "api"
                                                   : tdm_gpu_work.categories[key[KEY_CATEGORY]]);
  put_name(g, key, frame);
}

tdm_status tdm_answer_gpu(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                          tdm_error *error) {
  gpu g = {.view = view,
           .by_base = strcmp(tdm_option_text(options, "by", "name"), "base") == 0,
           .apis = {.base_of = tdm_call_base}};
  tdm_row_summary summary = {.view = view, .keys = KEYS, .context = &g, .key = key_of, .put = put};
  const tdm_table *tables[2] = {NULL, NULL};
  bool with_api = tdm_option_flag(options, "api");
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &tables[0], error);
  if (status == TDM_OK && with_api)
    status = tdm_run_view_table(view, &tdm_api_calls, &tables[1], error);
  g.calls = tables[1];
  tdm_frame *frame = tdm_answer_frame(out, "gpu", fields, FIELDS);
  if (status == TDM_OK)
    status = tdm_row_summary_put(&summary, tables, with_api ? 2 : 1, frame, error);
  if (status == TDM_OK && tables[0]->count == 0)
    tdm_answer_cannot(out,
                      "%s no GPU work (no rows of category kernel, memcpy,"
                      " memset, graph)",
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  if (status == TDM_OK && with_api && tables[1]->count == 0)
    tdm_answer_cannot(out, "API calls: %s no rows of category runtime or driver",
                      tdm_run_view_lacking(view, &tdm_api_calls));
  tdm_answer_basis(out, with_api ? "share: of the time of all GPU work and API calls, overlapping"
                                   " ones counted each"
                                 : "share: of the time of all GPU work, overlapping work counted"
                                   " each");
  tdm_base_names_close(&g.kernels);
  tdm_base_names_close(&g.apis);
  return status;
}
