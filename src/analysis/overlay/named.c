/* When spans whose names match an expression began; see overlay.h. */
#include "analysis/overlay/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/rules/rule_set.h"
#include "base/memory.h"

enum { UNKNOWN, MATCHES, DIFFERS };

typedef struct {
  tdm_run_view *view;
  tdm_rule_set *rules;
  uint8_t *known; /* by name id */
  size_t names;
  int64_t *start_ns;
  size_t count, room;
  bool full; /* out of memory */
} collecting;

static bool matches(collecting *c, int64_t name) {
  if (name < 0) return false;
  if ((size_t)name >= c->names) {
    size_t before = c->names;
    if (!tdm_array_grow(&c->known, &c->names, (size_t)name + 1, 1)) return !(c->full = true);
    memset(c->known + before, UNKNOWN, c->names - before);
  }
  if (c->known[name] == UNKNOWN) {
    const char *text = tdm_run_view_name(c->view, name);
    bool found = tdm_rule_set_match(c->rules, text, strlen(text)).rule != NULL;
    c->known[name] = found ? MATCHES : DIFFERS;
  }
  return c->known[name] == MATCHES;
}

static void visit(void *context, const tdm_row_block *rows) {
  collecting *c = context;
  for (size_t i = 0; i < rows->count && !c->full; i++) {
    uint32_t row = rows->row[i];
    if (!matches(c, rows->name[row])) continue;
    if (!tdm_array_grow(&c->start_ns, &c->room, c->count + 1, sizeof *c->start_ns)) {
      c->full = true;
      return;
    }
    c->start_ns[c->count++] = rows->start_ns[row];
  }
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

tdm_status tdm_starts_named(tdm_run_view *view, const char *expression, int64_t **start_ns,
                            size_t *count, tdm_error *error) {
  static const tdm_wanted all = {.shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                           1u << TDM_SHAPE_INSTANT | 1u << TDM_SHAPE_ASYNC};
  const tdm_rule rule = {.id = "event",
                         .file = "align",
                         .match = expression,
                         .match_length = strlen(expression),
                         .label = {[TDM_LABEL_CATEGORY] = "event"}};
  collecting c = {.view = view};
  *start_ns = NULL;
  *count = 0;
  tdm_status status = tdm_rule_set_new(&rule, 1, &c.rules, error);
  if (status == TDM_OK) status = tdm_run_view_pass(view, &all, visit, &c, error);
  if (status == TDM_OK && c.full) status = tdm_error_memory(error, "starts of spans", c.count);
  if (status == TDM_OK && c.count > 0) {
    qsort(c.start_ns, c.count, sizeof *c.start_ns, ascending);
    *start_ns = c.start_ns;
    *count = c.count;
    c.start_ns = NULL;
  }
  free(c.start_ns);
  free(c.known);
  tdm_rule_set_free(c.rules);
  return status;
}
