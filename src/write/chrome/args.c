/* Rows as Kineto would spell them: categories, and arguments as a JSON object; see inside.h. */
#include "write/chrome/inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "trace/utf8.h"

#define PUT(text) TDM_OUTFILE_LITERAL(file, text)

typedef enum {
  VALUE,
  TRIPLE, /* three columns as an array */
  REQUEST /* of a simulation */
} item_form;

struct tdm_chrome_item {
  item_form form;
  tdm_arg_type type;
  uint32_t column[3];
  char *key; /* quoted, with its colon */
  size_t key_length;
};

static const char *const track_keys[3] = {"device", "context", "stream"};

/* What Kineto calls things: read/kineto/keys.c has the same words the other way. */
typedef struct {
  const char *ours, *theirs;
} spelling;

static const spelling categories[] = {{"memcpy", "gpu_memcpy"},    {"memset", "gpu_memset"},
                                      {"runtime", "cuda_runtime"}, {"driver", "cuda_driver"},
                                      {"sync", "cuda_sync"},       {"marker", "cpu_instant_event"}};

static const spelling keys[] = {{"external_id", "External id"},
                                {"memory_bandwidth_gb_per_s", "memory bandwidth (GB/s)"},
                                {"registers_per_thread", "registers per thread"},
                                {"shared_bytes", "shared memory"},
                                {"blocks_per_sm", "blocks per SM"},
                                {"warps_per_sm", "warps per SM"},
                                {"occupancy_percent", "est. achieved occupancy %"},
                                {"graph_id", "graph id"},
                                {"graph_node", "graph node id"}};

static const char *respelt(const spelling *table, size_t count, const char *ours) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(table[i].ours, ours) == 0) return table[i].theirs;
  return ours;
}
#define RESPELT(table, ours) respelt(table, sizeof(table) / sizeof *(table), ours)

/* ---- plans ---- */

/* Whether argument `i` begins x, y, z of `stem`, all of them whole numbers. */
static int begins_triple(const tdm_layout *layout, uint32_t i, const char *stem) {
  size_t length = strlen(stem);
  if (i + 2 >= layout->args) return 0;
  for (uint32_t k = 0; k < 3; k++) {
    const tdm_arg *arg = &layout->arg[i + k];
    if (arg->type != TDM_ARG_INT || strncmp(arg->key, stem, length) != 0 ||
        arg->key[length] != '_' || arg->key[length + 1] != (char)('x' + (char)k) ||
        arg->key[length + 2] != 0)
      return 0;
  }
  return 1;
}

static int is_simulated(const tdm_layout *layout) {
  static const char *const categories_of_ours[] = {"stage", "wait", "request"};
  for (size_t i = 0; i < 3; i++)
    if (strcmp(layout->category, categories_of_ours[i]) == 0) return 1;
  return 0;
}

static int set_key(tdm_chrome_item *item, const char *key) {
  size_t length;
  char *text = tdm_json_quote(key, &length);
  if (text == NULL) return 0;
  char *grown = realloc(text, length + 2);
  if (grown == NULL) {
    free(text);
    return 0;
  }
  grown[length++] = ':';
  grown[length] = 0;
  item->key = grown;
  item->key_length = length;
  return 1;
}

/* ,"cat":"stage","ph":" */
static char *event_category(const char *category, size_t *length) {
  static const char before[] = ",\"cat\":", after[] = ",\"ph\":\"";
  size_t inner;
  char *quoted = tdm_json_quote(category, &inner), *text = NULL;
  if (quoted != NULL) text = malloc(sizeof before + inner + sizeof after);
  if (text != NULL) strcat(strcat(strcpy(text, before), quoted), after);
  *length = sizeof before + sizeof after - 2 + inner;
  free(quoted);
  return text;
}

static int make_plan(tdm_chrome_plan *plan, const tdm_layout *layout) {
  plan->layout = layout;
  plan->category = event_category(RESPELT(categories, layout->category), &plan->category_length);
  plan->items = tdm_array_new(layout->args, sizeof *plan->items);
  if (plan->category == NULL || plan->items == NULL) return 0;
  for (int i = 0; i < 3; i++) plan->has_own[i] = tdm_layout_column(layout, track_keys[i]) != 0;
  for (uint32_t i = 0; i < layout->args; i++) {
    const tdm_arg *arg = &layout->arg[i];
    if (layout->shape == TDM_SHAPE_INSTANT && arg->type == TDM_ARG_TEXT &&
        strcmp(arg->key, "s") == 0) {
      plan->scope = TDM_ARGS + i;
      continue;
    }
    if (layout->shape == TDM_SHAPE_ASYNC && strcmp(arg->key, "id") == 0) {
      plan->id = TDM_ARGS + i;
      continue;
    }
    tdm_chrome_item *item = &plan->items[plan->count];
    int triple = begins_triple(layout, i, "grid") || begins_triple(layout, i, "block");
    int request =
        is_simulated(layout) && arg->type == TDM_ARG_INT && strcmp(arg->key, "request") == 0;
    *item = (tdm_chrome_item){.form = triple    ? TRIPLE
                                      : request ? REQUEST
                                                : VALUE,
                              .type = arg->type};
    for (uint32_t k = 0; k < 3; k++) item->column[k] = TDM_ARGS + i + k;
    const char *key = triple ? arg->key[0] == 'g' ? "grid" : "block" : RESPELT(keys, arg->key);
    if (!set_key(item, key)) return 0;
    plan->count++;
    if (triple) i += 2;
  }
  return 1;
}

tdm_status tdm_chrome_args_open(tdm_chrome_args *args, const tdm_recording *recording,
                                tdm_texts *texts, tdm_error *error) {
  uint32_t layouts = tdm_recording_layouts(recording);
  *args = (tdm_chrome_args){.recording = recording,
                            .texts = texts,
                            .plan = tdm_array_new(layouts, sizeof *args->plan),
                            .layouts = layouts};
  int fits = args->plan != NULL;
  for (uint32_t i = 0; fits && i < layouts; i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL) fits = make_plan(&args->plan[i], layout);
  }
  args->class_count = tdm_recording_request_classes(recording);
  args->classes = tdm_array_new(args->class_count, sizeof *args->classes);
  fits = fits && args->classes != NULL;
  for (uint32_t i = 0; fits && i < args->class_count; i++) {
    const char *name = tdm_recording_request_class(recording, i);
    if (name == NULL) continue;
    args->classes[i] = tdm_json_quote(name, NULL);
    fits = args->classes[i] != NULL;
  }
  return fits ? TDM_OK : tdm_error_memory(error, "the arguments of a trace", layouts);
}

void tdm_chrome_args_close(tdm_chrome_args *args) {
  for (uint32_t i = 0; args->plan != NULL && i < args->layouts; i++) {
    for (uint32_t k = 0; k < args->plan[i].count; k++) free(args->plan[i].items[k].key);
    free(args->plan[i].items);
    free(args->plan[i].category);
  }
  free(args->plan);
  for (uint32_t i = 0; args->classes != NULL && i < args->class_count; i++) free(args->classes[i]);
  free(args->classes);
  *args = (tdm_chrome_args){0};
}

/* ---- a row ---- */

/* Between arguments, or what begins them. */
static inline void separate(tdm_outfile *file, int *any) {
  if (*any)
    PUT(",");
  else
    PUT(",\"args\":{");
  *any = 1;
}

static void put_track(const tdm_chrome_plan *plan, tdm_outfile *file, const tdm_track *about,
                      int *any) {
  const int64_t numbers[] = {about->device, about->context, about->stream};
  for (int i = 0; i < 3; i++) {
    if (numbers[i] == TDM_NONE || plan->has_own[i]) continue;
    separate(file, any);
    PUT("\"");
    tdm_outfile_text(file, track_keys[i]);
    PUT("\":");
    tdm_outfile_integer(file, numbers[i]);
  }
}

static void put_request(const tdm_chrome_args *args, tdm_outfile *file, const tdm_chrome_item *item,
                        uint64_t request) {
  tdm_outfile_put(file, item->key, item->key_length);
  tdm_outfile_unsigned(file, (request & ((UINT64_C(1) << 48) - 1)) + 1); /* as r.id has it */
  PUT(",\"class\":");
  uint32_t index = (uint32_t)(request >> 48);
  if (index < args->class_count && args->classes[index] != NULL) {
    tdm_outfile_text(file, args->classes[index]);
    return;
  }
  PUT("\"class ");
  tdm_outfile_unsigned(file, index);
  PUT("\"");
}

static void put_item(const tdm_chrome_args *args, tdm_outfile *file, const tdm_chrome_item *item,
                     const tdm_kept_rows *rows, size_t row, int *any) {
  int64_t value = tdm_kept(rows, item->column[0], row);
  if (!tdm_texts_has(item->type, value)) return;
  separate(file, any);
  if (item->form == REQUEST) {
    put_request(args, file, item, (uint64_t)value);
    return;
  }
  tdm_outfile_put(file, item->key, item->key_length);
  if (item->form == VALUE) {
    tdm_texts_value(args->texts, file, item->type, value);
    return;
  }
  for (int k = 0; k < 3; k++) {
    value = tdm_kept(rows, item->column[k], row);
    tdm_outfile_text(file, k == 0 ? "[" : ",");
    if (value != TDM_NONE)
      tdm_outfile_integer(file, value);
    else
      PUT("null");
  }
  PUT("]");
}

void tdm_chrome_args_put(const tdm_chrome_args *args, tdm_outfile *file, const tdm_kept_rows *rows,
                         size_t row, const tdm_track *about) {
  const tdm_chrome_plan *plan = &args->plan[rows->layout];
  int any = 0;
  if (about->kind == TDM_TRACK_STREAM || about->kind == TDM_TRACK_DEVICE)
    put_track(plan, file, about, &any);
  for (uint32_t i = 0; i < plan->count; i++) put_item(args, file, &plan->items[i], rows, row, &any);
  if (any) PUT("}");
}
