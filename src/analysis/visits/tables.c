/* The rows that a map's rules look at, and whether a rule takes one; see inside.h.
 *
 * Which columns of ranges are wanted depends on the map; the view keeps what asked for them, since
 * it knows a table by that address, and finds it again for an equal map. */
#include "analysis/visits/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

enum { CATEGORIES = 16, FIXED_KEYS = 1, KEYS = FIXED_KEYS + 3 * TDM_SIZE_ARGS };

static const char *const usual[] = {"nvtx", "user_annotation", "marker", "cpu_op",
                                    "python_function"};
enum { USUAL = sizeof usual / sizeof *usual };

static const char *const sync_categories[] = {"sync", NULL};
static const tdm_arg sync_keys[] = {{"correlation", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_syncs = {.categories = sync_categories,
                                        .keys = sync_keys,
                                        .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                  1u << TDM_SHAPE_ASYNC};

/* ---- what is wanted of ranges ---- */

typedef struct asked {
  struct asked *next; /* of the view */
  char *text[CATEGORIES + TDM_SIZE_ARGS];
  size_t texts;
  const char *category[CATEGORIES + 1];
  tdm_arg key[KEYS + 1];
  size_t categories, keys;
  tdm_wanted nested, free;
} asked;

typedef struct {
  asked *first;
} all_asked;

static void free_asked(asked *one) {
  for (size_t i = 0; i < one->texts; i++) free(one->text[i]);
  free(one);
}

static void forget_asked(void *object) {
  all_asked *all = object;
  while (all->first != NULL) {
    asked *next = all->first->next;
    free_asked(all->first);
    all->first = next;
  }
  free(all);
}

static const char *keep_text(asked *a, const char *text) {
  for (int i = 0; i < USUAL; i++)
    if (strcmp(usual[i], text) == 0) return usual[i];
  a->text[a->texts] = tdm_string_copy(text);
  return a->text[a->texts] == NULL ? NULL : a->text[a->texts++];
}

static tdm_status add_category(asked *a, const char *text, tdm_error *error) {
  for (size_t i = 0; i < a->categories; i++)
    if (strcmp(a->category[i], text) == 0) return TDM_OK;
  if (a->categories == CATEGORIES)
    return tdm_error_set(error, TDM_LIMIT, "a map can name %d categories of ranges", CATEGORIES);
  const char *kept = keep_text(a, text);
  if (kept == NULL) return tdm_error_memory(error, "a map", 0);
  a->category[a->categories++] = kept;
  return TDM_OK;
}

static tdm_status add_rule(asked *a, const tdm_visit_rule *rule, tdm_error *error) {
  tdm_status status = TDM_OK;
  if (rule->selector != TDM_SELECT_RANGE) return TDM_OK;
  if (rule->category[0] == NULL)
    for (int i = 0; i < USUAL && status == TDM_OK; i++) status = add_category(a, usual[i], error);
  for (int i = 0; i < TDM_RULE_CATEGORIES && rule->category[i] != NULL && status == TDM_OK; i++)
    status = add_category(a, rule->category[i], error);
  return status;
}

static tdm_status add_arg(asked *a, const char *text, tdm_error *error) {
  static const tdm_arg_type types[3] = {TDM_ARG_INT, TDM_ARG_REAL, TDM_ARG_TEXT};
  if (a->keys + 3 > KEYS)
    return tdm_error_set(error, TDM_LIMIT, "a map can take %d arguments of ranges as sizes",
                         TDM_SIZE_ARGS);
  const char *kept = keep_text(a, text);
  if (kept == NULL) return tdm_error_memory(error, "a map", 0);
  for (int i = 0; i < 3; i++) a->key[a->keys++] = (tdm_arg){kept, types[i]};
  return TDM_OK;
}

static tdm_status ask(const tdm_visit_map *map, asked *a, tdm_error *error) {
  tdm_status status = TDM_OK;
  a->key[a->keys++] = (tdm_arg){"domain", TDM_ARG_TEXT};
  for (uint32_t i = 0; i < map->steps && status == TDM_OK; i++)
    status = add_rule(a, &map->rule[i], error);
  for (uint32_t i = 0; i < map->stages && status == TDM_OK; i++)
    status = add_rule(a, &map->stage_rule[i], error);
  for (uint32_t i = 0; i < map->sizes && status == TDM_OK; i++)
    if (map->size[i].kind >= TDM_SIZE_COUNT) status = add_rule(a, &map->size[i].rule, error);
  for (uint32_t i = 0; i < map->sizes && status == TDM_OK; i++)
    if (map->size[i].kind == TDM_SIZE_ARG) status = add_arg(a, map->size[i].arg, error);
  a->nested = (tdm_wanted){.categories = a->category, .keys = a->key};
  a->free = a->nested;
  a->free.shapes = 1u << TDM_SHAPE_ASYNC;
  return status;
}

static bool same(const asked *a, const asked *b) {
  bool equal = a->categories == b->categories && a->keys == b->keys;
  for (size_t i = 0; equal && i < a->categories; i++)
    equal = strcmp(a->category[i], b->category[i]) == 0;
  for (size_t i = 0; equal && i < a->keys; i++) equal = strcmp(a->key[i].key, b->key[i].key) == 0;
  return equal;
}

/* What is kept with the view for an equal map, else `fresh`, which then is. */
static tdm_status keep(tdm_run_view *view, asked *fresh, const asked **out, tdm_error *error) {
  static const char key;
  all_asked *all = (all_asked *)(uintptr_t)tdm_run_view_kept(view, &key);
  if (all == NULL) {
    all = tdm_array_new(1, sizeof *all);
    if (all == NULL) {
      free_asked(fresh);
      return tdm_error_memory(error, "a map", sizeof *all);
    }
    tdm_status status = tdm_run_view_keep(view, &key, all, forget_asked, error);
    if (status != TDM_OK) {
      free_asked(fresh);
      return status;
    }
  }
  for (asked *known = all->first; known != NULL; known = known->next) {
    if (!same(known, fresh)) continue;
    free_asked(fresh);
    *out = known;
    return TDM_OK;
  }
  fresh->next = all->first;
  all->first = fresh;
  *out = fresh;
  return TDM_OK;
}

static tdm_status open_ranges(const tdm_visit_map *map, tdm_visit_tables *out, tdm_error *error) {
  asked *fresh = tdm_array_new(1, sizeof *fresh);
  if (fresh == NULL) return tdm_error_memory(error, "a map", sizeof *fresh);
  tdm_status status = ask(map, fresh, error);
  if (status != TDM_OK) {
    free_asked(fresh);
    return status;
  }
  const asked *a = NULL;
  status = keep(out->view, fresh, &a, error);
  if (status != TDM_OK) return status;
  out->categories = a->category;
  out->arg_key = FIXED_KEYS;
  status = tdm_run_view_table(out->view, &a->nested, &out->table[TDM_OF_RANGES], error);
  if (status == TDM_OK)
    status = tdm_run_view_table(out->view, &a->free, &out->table[TDM_OF_FREE_RANGES], error);
  return status;
}

tdm_status tdm_visit_tables_open(tdm_run_view *view, const tdm_visit_map *map,
                                 tdm_visit_tables *out, tdm_error *error) {
  *out = (tdm_visit_tables){.view = view};
  tdm_status status = open_ranges(map, out, error);
  if (status == TDM_OK) status = tdm_gpu_launched_within(view, &out->launched, error);
  if (status == TDM_OK)
    status = tdm_run_view_table(view, &wanted_syncs, &out->table[TDM_OF_SYNCS], error);
  if (status == TDM_OK) status = tdm_processes_of(view, &out->processes, error);
  if (status != TDM_OK) return status;
  out->table[TDM_OF_CALLS] = out->launched->calls;
  out->table[TDM_OF_WORK] = out->launched->work;
  out->work_class = tdm_gpu_classes(view, out->launched->work);
  out->graphs = tdm_array_new(1, sizeof *out->graphs);
  if (out->work_class != NULL && out->graphs != NULL) return TDM_OK;
  tdm_visit_tables_close(out);
  return tdm_error_memory(error, "GPU work", out->launched->work->count);
}

void tdm_visit_tables_close(tdm_visit_tables *tables) {
  if (tables->graphs != NULL) tdm_name_marks_close(tables->graphs);
  free(tables->graphs);
  free(tables->work_class);
  tables->graphs = NULL;
  tables->work_class = NULL;
}

/* ---- rules ---- */

unsigned tdm_visit_rule_tables(const tdm_visit_tables *tables, const tdm_visit_rule *rule) {
  if (tdm_visit_rule_on_gpu(rule)) return 1u << TDM_OF_WORK;
  switch (rule->selector) {
  case TDM_SELECT_RANGE: return 1u << TDM_OF_RANGES | 1u << TDM_OF_FREE_RANGES;
  case TDM_SELECT_CALL: return 1u << TDM_OF_CALLS;
  case TDM_SELECT_SYNC:
    return tdm_run_view_has(tables->view, "sync") ? 1u << TDM_OF_SYNCS : 1u << TDM_OF_CALLS;
  default: return 0; /* phases are no rows */
  }
}

/* Texts that are usual are kept as those above. */
static bool is_usual(const char *category) {
  for (int i = 0; i < USUAL; i++)
    if (usual[i] == category) return true;
  return false;
}

static bool takes_range(const tdm_visit_tables *t, tdm_visit_rule *rule, const tdm_table *table,
                        size_t row) {
  const char *category = t->categories[tdm_table_category(table, row)];
  bool fits = rule->category[0] == NULL && is_usual(category);
  for (int i = 0; !fits && i < TDM_RULE_CATEGORIES && rule->category[i] != NULL; i++)
    fits = strcmp(rule->category[i], category) == 0;
  if (!fits || !tdm_pattern_takes_name(&rule->name, t->view, tdm_table_name(table, row)))
    return false;
  if (!rule->has_domain) return true;
  int64_t domain = tdm_table_arg(table, 0, row);
  return domain != TDM_NONE && tdm_pattern_takes_name(&rule->domain, t->view, domain);
}

static bool launched_by_graph(const tdm_visit_tables *t, size_t row) {
  const tdm_table *work = t->table[TDM_OF_WORK];
  if (tdm_table_category(work, row) == TDM_WORK_GRAPH ||
      tdm_table_arg(work, TDM_WORK_GRAPH_NODE, row) != TDM_NONE)
    return true;
  uint32_t call = t->launched->by_call.cause[row];
  return call != TDM_NO_ROW &&
         tdm_name_mark(t->graphs, t->view, tdm_table_name(t->table[TDM_OF_CALLS], call),
                       tdm_call_launches_graph) != 0;
}

/* A copy that does not say its kind is taken by what takes all. */
static bool takes_copy(const tdm_visit_tables *t, tdm_visit_rule *rule, size_t row) {
  int64_t kind = tdm_table_arg(t->table[TDM_OF_WORK], TDM_WORK_COPY_KIND, row);
  if (kind == TDM_NONE) return rule->name.text == NULL || strcmp(rule->name.text, "*") == 0;
  return tdm_pattern_takes_name(&rule->name, t->view, kind);
}

static bool takes_work(const tdm_visit_tables *t, tdm_visit_rule *rule, size_t row) {
  const tdm_table *work = t->table[TDM_OF_WORK];
  switch (rule->selector) {
  case TDM_SELECT_KERNEL:
    if (tdm_table_category(work, row) != TDM_WORK_KERNEL || t->work_class[row] != TDM_CLASS_COMPUTE)
      return false;
    break;
  case TDM_SELECT_COMM:
    if (t->work_class[row] != TDM_CLASS_COMM) return false;
    break;
  case TDM_SELECT_COPY:
    return tdm_table_category(work, row) == TDM_WORK_MEMCPY && takes_copy(t, rule, row);
  case TDM_SELECT_MEMSET:
    if (tdm_table_category(work, row) != TDM_WORK_MEMSET) return false;
    break;
  case TDM_SELECT_GRAPH:
    if (!launched_by_graph(t, row)) return false;
    break;
  default: return false;
  }
  return tdm_pattern_takes_name(&rule->name, t->view, tdm_table_name(work, row));
}

bool tdm_visit_rule_takes(const tdm_visit_tables *tables, tdm_visit_rule *rule, tdm_row_table of,
                          size_t row) {
  const tdm_table *table = tables->table[of];
  switch (of) {
  case TDM_OF_RANGES:
  case TDM_OF_FREE_RANGES:
    return rule->selector == TDM_SELECT_RANGE && takes_range(tables, rule, table, row);
  case TDM_OF_WORK: return takes_work(tables, rule, row);
  case TDM_OF_CALLS:
    if (rule->selector == TDM_SELECT_SYNC &&
        tdm_api_waits_for(tdm_run_view_name(tables->view, tdm_table_name(table, row))) ==
            TDM_WAITS_NOT)
      return false;
    break;
  default: break;
  }
  return tdm_pattern_takes_name(&rule->name, tables->view, tdm_table_name(table, row));
}

double tdm_visit_range_arg(const tdm_visit_tables *tables, const tdm_table *ranges, size_t arg,
                           size_t row) {
  size_t key = tables->arg_key + 3 * arg;
  int64_t whole = tdm_table_arg(ranges, key, row), bits = tdm_table_arg(ranges, key + 1, row);
  int64_t text = tdm_table_arg(ranges, key + 2, row);
  if (bits != TDM_NONE) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (whole != TDM_NONE) return (double)whole;
  if (text == TDM_NONE) return NAN;
  const char *digits = tdm_run_view_name(tables->view, text);
  char *end;
  double value = strtod(digits, &end);
  return end == digits ? NAN : value;
}
