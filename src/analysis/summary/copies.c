/* Copies and memsets by kind: their times and their sizes, as `nsys stats -r cuda_gpu_mem_time_sum`
 * and `-r cuda_gpu_mem_size_sum` have them.
 *
 * Options: by = "kind" (default), "memory" (the kind with the memory it goes from and to: pageable,
 * pinned, device, managed); each = "device", "stream", "process", "rank". */
#include "analysis/summary/inside.h"

#include <stdio.h>
#include <string.h>

static const char *const categories[] = {"memcpy", "memset", "stage", NULL};
enum { MEMCPY, MEMSET, STAGE };
static const tdm_arg args[] = {{"kind", TDM_ARG_TEXT},
                               {"src_kind", TDM_ARG_TEXT},
                               {"dst_kind", TDM_ARG_TEXT},
                               {"bytes", TDM_ARG_INT},
                               {NULL, TDM_ARG_INT}};
enum { KIND, FROM, TO, BYTES };
static const tdm_wanted wanted_copies = {
    .categories = categories, .keys = args, .stage_lanes = 1u << TDM_LANE_H2D | 1u << TDM_LANE_D2H};

#define OWN_FIELDS                                                                                 \
  TDM_SPLIT_FIELDS, {"from_memory", TDM_FIELD_TEXT}, {"to_memory", TDM_FIELD_TEXT}, {              \
    "name", TDM_FIELD_TEXT                                                                         \
  }
static const tdm_field time_fields[] = {TDM_SUMMARY_FIELDS, OWN_FIELDS};
static const tdm_field size_fields[] = {
    {"share", TDM_FIELD_REAL},      {"total_bytes", TDM_FIELD_INT},   {"count", TDM_FIELD_INT},
    {"mean_bytes", TDM_FIELD_REAL}, {"median_bytes", TDM_FIELD_REAL}, {"min_bytes", TDM_FIELD_INT},
    {"max_bytes", TDM_FIELD_INT},   {"stddev_bytes", TDM_FIELD_REAL}, OWN_FIELDS};
enum { FIELDS = sizeof time_fields / sizeof *time_fields };
enum { FIELD_FROM = TDM_ROW_SUMMARY_OWN, FIELD_TO, FIELD_NAME };

enum { KEY_CATEGORY, KEY_LABEL, KEY_FROM, KEY_TO, KEYS };

typedef struct {
  tdm_run_view *view;
  bool by_memory;
} copies;

void tdm_copy_label(const char *kind, char *out, size_t room) {
  static const struct {
    const char *kind, *words;
  } known[] = {{"HtoD", "Host-to-Device"},
               {"DtoH", "Device-to-Host"},
               {"DtoD", "Device-to-Device"},
               {"HtoH", "Host-to-Host"},
               {"PtoP", "Peer-to-Peer"},
               {"HtoA", "Host-to-Array"},
               {"AtoH", "Array-to-Host"},
               {"AtoA", "Array-to-Array"},
               {"AtoD", "Array-to-Device"},
               {"DtoA", "Device-to-Array"},
               {"UVM HtoD", "Unified Host-to-Device"},
               {"UVM DtoH", "Unified Device-to-Host"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].kind, kind) == 0) kind = known[i].words;
  snprintf(out, room, "[CUDA memcpy%s%.64s]", kind[0] != 0 ? " " : "", kind);
}

static tdm_row_taken key_of(void *context, const tdm_table *table, size_t row, int64_t *key) {
  const copies *c = context;
  key[KEY_CATEGORY] = tdm_table_category(table, row);
  if (key[KEY_CATEGORY] == STAGE) key[KEY_LABEL] = tdm_table_name(table, row);
  if (key[KEY_CATEGORY] == MEMCPY) key[KEY_LABEL] = tdm_table_arg(table, KIND, row);
  if (!c->by_memory) return TDM_ROW_TAKEN;
  key[KEY_FROM] = tdm_table_arg(table, FROM, row);
  key[KEY_TO] = tdm_table_arg(table, TO, row);
  return TDM_ROW_TAKEN;
}

static const char *text_of(tdm_run_view *view, int64_t name) {
  return name == TDM_NONE ? NULL : tdm_run_view_name(view, name);
}

static void put(void *context, const int64_t *key, tdm_frame *frame) {
  const copies *c = context;
  const char *text = text_of(c->view, key[KEY_LABEL]);
  char label[TDM_COPY_LABEL_ROOM];
  tdm_copy_label(text != NULL ? text : "", label, sizeof label);
  if (key[KEY_CATEGORY] == STAGE)
    tdm_frame_name(frame, FIELD_NAME, text);
  else
    tdm_frame_text(frame, FIELD_NAME, key[KEY_CATEGORY] == MEMCPY ? label : "[CUDA memset]");
  if (!c->by_memory) return;
  tdm_frame_name(frame, FIELD_FROM, text_of(c->view, key[KEY_FROM]));
  tdm_frame_name(frame, FIELD_TO, text_of(c->view, key[KEY_TO]));
}

static int64_t bytes_of(const tdm_table *table, size_t row) {
  return tdm_table_arg(table, BYTES, row);
}

static void say_missing(tdm_run_view *view, const tdm_table *table, bool by_memory,
                        tdm_answer *out) {
  size_t without = 0;
  for (size_t i = 0; i < table->count; i++) without += tdm_table_arg(table, BYTES, i) == TDM_NONE;
  if (table->count == 0)
    tdm_answer_cannot(out, "%s no copies (no rows of category memcpy or memset)",
                      tdm_run_view_lacking(view, &wanted_copies));
  else if (without > 0)
    tdm_answer_cannot(out, "sizes: %zu of %zu copies do not say their bytes", without,
                      table->count);
  if (table->count > 0 && by_memory && !tdm_run_view_has_key(view, "memcpy", "src_kind"))
    tdm_answer_cannot(out, "pageable or pinned: copies of this run do not have src_kind");
}

tdm_status tdm_answer_copies(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  copies c = {.view = view,
              .by_memory = strcmp(tdm_option_text(options, "by", "kind"), "memory") == 0};
  tdm_row_summary summary = {.view = view, .keys = KEYS, .context = &c, .key = key_of, .put = put};
  const tdm_table *table = NULL;
  tdm_status status = tdm_split_option(options, &summary.split, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted_copies, &table, error);
  tdm_frame *times = tdm_answer_frame(out, "time", time_fields, FIELDS);
  tdm_frame *sizes = tdm_answer_frame(out, "size", size_fields, FIELDS);
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &table, 1, times, error);
  summary.value = bytes_of;
  if (status == TDM_OK) status = tdm_row_summary_put(&summary, &table, 1, sizes, error);
  if (status != TDM_OK) return status;
  say_missing(view, table, c.by_memory, out);
  tdm_answer_basis(out, "shares: of the time and the bytes of all copies and memsets");
  return TDM_OK;
}
