/* Durations of a run's rows by what they are called, so that runs whose name ids differ can be put
 * beside one another; see inside.h. */
#include "analysis/diff/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

enum {
  SPANS = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN | 1u << TDM_SHAPE_ASYNC,
  ALL = SPANS | 1u << TDM_SHAPE_INSTANT
};

static const char *const operators[] = {"cpu_op", NULL};
static const char *const stages[] = {"stage", "wait", NULL};
static const char *const ranges[] = {"nvtx", "user_annotation", NULL};

static const tdm_wanted wanted_operators = {.categories = operators, .shapes = SPANS};
static const tdm_wanted wanted_stages = {.categories = stages, .shapes = SPANS};
static const tdm_wanted wanted_ranges = {.categories = ranges, .shapes = SPANS};
static const tdm_wanted wanted_all = {.shapes = ALL};

static const struct {
  const char *word;
  const tdm_wanted *wanted;
} kinds[TDM_DIFF_BYS] = {{"kernel", &tdm_gpu_work}, {"base", &tdm_gpu_work},
                         {"category", &wanted_all}, {"operator", &wanted_operators},
                         {"stage", &wanted_stages}, {"range", &wanted_ranges},
                         {"call", &tdm_api_calls},  {"name", &wanted_all}};

tdm_diff_by tdm_diff_by_named(const char *word) {
  size_t by = 0;
  while (by < TDM_DIFF_BYS && strcmp(kinds[by].word, word) != 0) by++;
  return (tdm_diff_by)by;
}

const char *const *tdm_diff_categories(tdm_diff_by by) {
  return kinds[by].wanted->categories;
}

void tdm_samples_close(tdm_samples *samples) {
  free(samples->key);
  free(samples->observation);
  free(samples->weight);
  free(samples->dur_ns);
  *samples = (tdm_samples){0};
}

static tdm_status make_room(tdm_samples *samples, size_t rows, tdm_error *error) {
  size_t room = samples->room, need = samples->count + rows;
  if (tdm_array_grow(&samples->key, &room, need, sizeof *samples->key) &&
      (room = samples->room,
       tdm_array_grow(&samples->observation, &room, need, sizeof *samples->observation)) &&
      (room = samples->room, tdm_array_grow(&samples->weight, &room, need, sizeof(double))) &&
      (room = samples->room, tdm_array_grow(&samples->dur_ns, &room, need, sizeof(int64_t)))) {
    samples->room = room;
    return TDM_OK;
  }
  return tdm_error_memory(error, "rows of a diff", need * 24);
}

/* ---- keys ---- */

typedef struct {
  tdm_diff_keys *keys;
  tdm_run_view *view;
  const char *const *categories;
  tdm_diff_by by;
  tdm_base_names bases; /* functions of kernels, or folded names */
  bool *based;          /* by category: names are theirs */
  char *text;
  size_t room;
} naming;

static uint32_t key_of(naming *n, int64_t category, int64_t name) {
  const char *first = n->categories[category];
  const char *second = n->by == TDM_DIFF_CATEGORY ? ""
                       : n->based[category]       ? tdm_base_names_text(&n->bases, name)
                                                  : tdm_run_view_name(n->view, name);
  size_t a = strlen(first) + 1, b = strlen(second);
  if (!tdm_array_grow(&n->text, &n->room, a + b, 1)) return TDM_INTERN_FAILED;
  memcpy(n->text, first, a);
  memcpy(n->text + a, second, b);
  return tdm_intern_put(&n->keys->keys, n->text, a + b, NULL);
}

/* The group of each row by category and name: the text is looked at once a group. */
static tdm_status group_rows(naming *n, const tdm_table *table, tdm_groups *groups,
                             tdm_error *error) {
  tdm_status status = tdm_groups_open(groups, 2, table->count, error);
  for (size_t i = 0; status == TDM_OK && i < table->count; i++) {
    int64_t key[2] = {tdm_table_category(table, i), tdm_table_name(table, i)};
    if (n->by == TDM_DIFF_CATEGORY) key[1] = 0;
    bool based = n->by != TDM_DIFF_CATEGORY && n->based[key[0]];
    if (based) key[1] = tdm_base_names_id(&n->bases, n->view, tdm_table_name(table, i));
    if ((based && key[1] == TDM_NONE) || tdm_groups_add(groups, key) == UINT32_MAX)
      status = tdm_error_memory(error, "rows of a diff", 0);
  }
  return status;
}

/* Which names are folded or those of functions: a kernel's numbers are sizes and types, so it is
 * named as it is unless its function is asked for. */
static tdm_status find_based(naming *n, tdm_error *error) {
  static const char *const folded[] = {"nvtx", "user_annotation", "cpu_op", "marker",
                                       "python_function"};
  size_t count = 0;
  while (n->categories[count] != NULL) count++;
  n->based = tdm_array_new(count + 1, sizeof *n->based);
  if (n->based == NULL) return tdm_error_memory(error, "categories", count);
  for (size_t c = 0; c < count; c++) {
    n->based[c] = n->by == TDM_DIFF_BASE;
    for (size_t i = 0; i < sizeof folded / sizeof *folded && !n->based[c]; i++)
      n->based[c] = strcmp(n->categories[c], folded[i]) == 0;
  }
  if (n->by != TDM_DIFF_BASE) n->bases.base_of = tdm_name_fold;
  return TDM_OK;
}

static tdm_status take(tdm_samples *samples, naming *n, const tdm_table *table,
                       const tdm_diff_cover *cover, const bool *belongs, tdm_error *error) {
  tdm_groups groups = {0};
  tdm_status status = group_rows(n, table, &groups, error);
  uint32_t *key = tdm_array_new(groups.count + 1, sizeof *key);
  if (status == TDM_OK && key == NULL) status = tdm_error_memory(error, "rows of a diff", 0);
  if (status == TDM_OK) status = make_room(samples, table->count, error);
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++) {
    key[g] = key_of(n, groups.key[2 * g], groups.key[2 * g + 1]);
    if (key[g] == TDM_INTERN_FAILED) status = tdm_error_memory(error, "names of a diff", 0);
  }
  for (size_t i = 0; status == TDM_OK && i < table->count; i++) {
    uint32_t device = tdm_run_view_device_of(n->view, tdm_table_track(table, i));
    size_t observation = tdm_diff_observation(cover, device, tdm_table_start_ns(table, i));
    if ((belongs != NULL && !belongs[i]) || observation == SIZE_MAX) continue;
    samples->key[samples->count] = key[groups.group[i]];
    samples->observation[samples->count] = (uint32_t)observation;
    samples->weight[samples->count] = tdm_diff_weight(cover);
    samples->dur_ns[samples->count++] = tdm_table_end_ns(table, i) - tdm_table_start_ns(table, i);
  }
  free(key);
  tdm_groups_close(&groups);
  return status;
}

tdm_status tdm_samples_add(tdm_samples *samples, tdm_diff_keys *keys, tdm_run_view *view,
                           const tdm_diff_cover *cover, tdm_diff_by by, const char *within,
                           tdm_error *error) {
  const tdm_table *table = NULL;
  bool *belongs = NULL;
  tdm_status status = tdm_run_view_table(view, kinds[by].wanted, &table, error);
  if (status == TDM_OK && within != NULL)
    status = tdm_within(view, table, kinds[by].wanted == &tdm_gpu_work, within, &belongs, error);
  naming n = {.keys = keys, .view = view, .by = by};
  n.categories = tdm_diff_categories(by);
  if (n.categories == NULL) n.categories = tdm_run_view_categories(view);
  if (status == TDM_OK) status = find_based(&n, error);
  if (status == TDM_OK) status = take(samples, &n, table, cover, belongs, error);
  tdm_base_names_close(&n.bases);
  free(n.based);
  free(n.text);
  free(belongs);
  return status;
}
