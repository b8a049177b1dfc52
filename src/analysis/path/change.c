/* What if: costs of the dependency graph under a change, and its replay; see path.h. Names are
 * matched once each, in the order in which rows bring them. */
#include "analysis/path/path.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

/* ---- rules ---- */

/* Times stay numbers of nanoseconds. */
static const double LEAST_FACTOR = 0.001, MOST_FACTOR = 1e9;

typedef struct {
  const char *text; /* NULL: `name` alone */
  int64_t name;
  regex_t regex;
  bool is_regex;
  double factor;
  bool of_work, of_launching; /* it matched GPU work; records of the host that launch some */
} speeding;

typedef struct {
  tdm_change *change;
  const speeding *rule;
  signed char *known; /* by name id: 0 not asked yet, 1 matches, -1 does not */
  size_t room;
} matching;

static int ask(matching *m, int64_t name) {
  if (m->rule->text == NULL) return name == m->rule->name;
  if (name < 0) return 0;
  if ((size_t)name >= m->room) {
    size_t before = m->room;
    if (!tdm_array_grow(&m->known, &m->room, (size_t)name + 1, 1)) return -1;
    memset(m->known + before, 0, m->room - before);
  }
  if (m->known[name] == 0) {
    const char *text = tdm_run_view_name(m->change->path->view, name);
    bool matches = strstr(text, m->rule->text) != NULL ||
                   (m->rule->is_regex && regexec(&m->rule->regex, text, 0, NULL, 0) == 0);
    m->known[name] = matches ? 1 : -1;
  }
  return m->known[name] > 0;
}

static size_t rows_of(const tdm_path *path) {
  return path->work->count + path->host->count;
}

static tdm_status no_memory(const tdm_change *change, tdm_error *error) {
  return tdm_error_memory(error, "a change", rows_of(change->path) * sizeof(float));
}

/* Rows around others come before them, so one pass carries a factor inward. */
static tdm_status apply(tdm_change *change, speeding *rule, size_t *matched, tdm_error *error) {
  const tdm_path *path = change->path;
  tdm_kept_rows marks;
  unsigned char *inside = tdm_array_new(path->host->count + 1, 1);
  matching m = {.change = change, .rule = rule};
  int failed = !tdm_kept_rows_open(&marks, 0, 1) || inside == NULL;
  for (size_t w = 0; !failed && w < path->work->count; w++) {
    int is = ask(&m, tdm_table_name(path->work, w));
    if (is > 0) (*matched)++;
    rule->of_work |= is > 0;
    failed = is < 0 || !tdm_kept_rows_append(&marks, is);
  }
  for (size_t c = 0; !failed && c < path->host->count; c++) {
    int is = ask(&m, tdm_table_name(path->host, c));
    if (is > 0) (*matched)++;
    inside[c] = is > 0 || (path->parent[c] != TDM_NO_ROW && inside[path->parent[c]]);
    failed = is < 0 || !tdm_kept_rows_append(&marks, inside[c]);
  }
  for (size_t w = 0; !failed && w < path->work->count; w++)
    rule->of_launching |= path->launch[w] != TDM_NO_ROW && inside[path->launch[w]] &&
                          tdm_table_category(path->host, path->launch[w]) <= TDM_HOST_DRIVER;
  free(inside);
  free(m.known);
  if (failed) tdm_kept_rows_close(&marks);
  if (failed || !tdm_factors_scale(&change->faster, rows_of(path), &marks, (float)rule->factor))
    return no_memory(change, error);
  return TDM_OK;
}

static tdm_status parse(char *text, speeding *rule, tdm_error *error) {
  char *equals = strrchr(text, '=');
  char *rest = NULL;
  if (equals != NULL) rule->factor = strtod(equals + 1, &rest);
  if (equals == NULL || equals == text || rest == equals + 1 ||
      (strcmp(rest, "x") != 0 && *rest != 0) || !(rule->factor > 0) || !isfinite(rule->factor))
    return tdm_error_set(error, TDM_INVALID,
                         "'faster' wants NAME=2x (several with ';' between), not '%s'", text);
  if (rule->factor < LEAST_FACTOR || rule->factor > MOST_FACTOR)
    return tdm_error_set(error, TDM_INVALID, "'faster' takes from %gx to %gx, not '%s'",
                         LEAST_FACTOR, MOST_FACTOR, text);
  *equals = 0;
  rule->text = text;
  rule->is_regex = regcomp(&rule->regex, text, REG_EXTENDED | REG_NOSUB) == 0;
  return TDM_OK;
}

tdm_status tdm_change_faster(tdm_change *change, const char *text, size_t *matched, tdm_answer *out,
                             tdm_error *error) {
  *matched = 0;
  char *copy = tdm_string_copy(text), *rest = NULL;
  if (copy == NULL) return tdm_error_memory(error, "a change", strlen(text));
  tdm_status status = TDM_OK;
  for (char *one = strtok_r(copy, ";", &rest); status == TDM_OK && one != NULL;
       one = strtok_r(NULL, ";", &rest)) {
    one += strspn(one, " ");
    for (size_t n = strlen(one); n > 0 && one[n - 1] == ' '; n--) one[n - 1] = 0;
    speeding r = {0};
    status = parse(one, &r, error);
    size_t before = *matched;
    if (status == TDM_OK) status = apply(change, &r, matched, error);
    if (status == TDM_OK && *matched == before)
      tdm_answer_cannot(out, "what if '%s' were faster: no record on the graph has such a name",
                        one);
    if (status == TDM_OK && !r.of_work && r.of_launching)
      tdm_answer_basis(out,
                       "what if '%s' were faster: of the host's records alone; the GPU work that "
                       "they ask for has names of its own, and is as fast as it was",
                       one);
    if (r.is_regex) regfree(&r.regex);
  }
  free(copy);
  return status;
}

tdm_status tdm_change_faster_name(tdm_change *change, int64_t name, double factor,
                                  tdm_error *error) {
  speeding r = {.name = name, .factor = factor};
  size_t matched = 0;
  return apply(change, &r, &matched, error);
}

double tdm_factor_within(double factor) {
  return factor < MOST_FACTOR ? factor : MOST_FACTOR;
}

tdm_status tdm_change_faster_groups(tdm_change *change, const tdm_kept_block *group_of,
                                    const float *factor, size_t groups, tdm_error *error) {
  bool fine =
      tdm_factors_raise_groups(&change->faster, rows_of(change->path), group_of, factor, groups);
  return fine ? TDM_OK : no_memory(change, error);
}

tdm_status tdm_change_faster_rows(tdm_change *change, const tdm_row_factor *rows, size_t count,
                                  tdm_error *error) {
  bool fine = tdm_factors_raise_rows(&change->faster, rows_of(change->path), rows, count);
  return fine ? TDM_OK : no_memory(change, error);
}

static bool is_launched_kernel(const tdm_path *path, uint32_t work) {
  int64_t category = tdm_table_category(path->work, work);
  return path->launch[work] != TDM_NO_ROW &&
         (category == TDM_WORK_KERNEL || category == TDM_WORK_GRAPH);
}

tdm_status tdm_change_free_launches(tdm_change *change, tdm_error *error) {
  const tdm_path *path = change->path;
  change->launches = tdm_array_new(path->host->count + 1, 1);
  if (change->launches == NULL) return tdm_error_memory(error, "a change", path->host->count);
  for (uint32_t w = 0; w < path->work->count; w++)
    if (is_launched_kernel(path, w)) change->launches[path->launch[w]] = 1;
  for (size_t c = 0; c < path->host->count; c++) { /* the driver's call within it too */
    uint32_t parent = path->parent[c];
    if (parent != TDM_NO_ROW && tdm_table_category(path->host, parent) <= TDM_HOST_DRIVER &&
        change->launches[parent])
      change->launches[c] = 1;
  }
  return TDM_OK;
}

uint8_t tdm_path_is_load(const char *name) {
  return strstr(name, "_SingleProcessDataLoaderIter") != NULL;
}

tdm_status tdm_change_beside_workers(const tdm_change *change, double slower, tdm_change *beside,
                                     tdm_error *error) {
  const tdm_path *path = change->path;
  size_t works = path->work->count;
  const unsigned char *loads = path->loads;
  uint32_t first = path->first_load;
  bool faster = false;
  const tdm_factors *as = &change->faster;
  if (!tdm_factors_any(as) || loads == NULL) return TDM_OK;
  for (size_t c = 0; c < path->host->count && !faster; c++)
    faster = loads[c] && tdm_factor_of(as, (uint32_t)(works + c)) > 1;
  *beside = (tdm_change){.path = path, .launches = change->launches};
  beside->unwaited = change->unwaited;
  beside->overlapped_copies = change->overlapped_copies;
  beside->borrowed = true;
  if (!faster) return TDM_OK;
  if (!tdm_factors_write_out(&beside->faster, rows_of(path))) return no_memory(change, error);
  float *factor = beside->faster.of_row;
  for (size_t w = 0; w < works; w++) factor[w] = tdm_factor_of(as, (uint32_t)w);
  for (size_t c = 0; c < path->host->count; c++) {
    bool waits = loads[c] &&
                 tdm_table_start_ns(path->host, c) < tdm_table_end_ns(path->host, first) &&
                 tdm_table_start_ns(path->host, c) >= tdm_table_start_ns(path->host, first);
    factor[works + c] =
        waits ? 1 : tdm_factor_of(as, (uint32_t)(works + c)) / (loads[c] ? 1 : (float)slower);
  }
  return TDM_OK;
}

void tdm_change_close(tdm_change *change) {
  tdm_factors_close(&change->faster);
  if (!change->borrowed) free(change->launches);
}

/* ---- costs ---- */

static bool is_copy(const tdm_path *path, uint32_t row) {
  return row < path->work->count && path->work_class[row] == TDM_CLASS_COPY;
}

static int64_t scaled(const tdm_change *change, uint32_t row, int64_t lag_ns) {
  float factor = lag_ns > 0 ? tdm_factor_of(&change->faster, row) : 1;
  return factor == 1 ? lag_ns : (int64_t)((double)lag_ns / (double)factor + 0.5);
}

static bool is_free_call(const tdm_change *change, uint32_t row) {
  size_t works = change->path->work->count;
  return change->launches != NULL && row != TDM_NO_ROW && row >= works &&
         change->launches[row - works];
}

static int64_t stretch_ns(void *context, uint32_t point) {
  const tdm_change *change = context;
  uint32_t row = tdm_dag_row(&change->path->dag, point);
  int64_t lag_ns = tdm_dag_lag_ns(&change->path->dag, point);
  if (row == TDM_NO_ROW) return lag_ns;
  if ((change->overlapped_copies && is_copy(change->path, row)) || is_free_call(change, row))
    return 0;
  return scaled(change, row, lag_ns);
}

static int64_t edge_ns(void *context, const tdm_edge *edge) {
  const tdm_change *change = context;
  const tdm_path *path = change->path;
  uint32_t row = tdm_dag_row(&path->dag, edge->to);
  switch (edge->kind) {
  case TDM_EDGE_LAUNCH: {
    int64_t call_ns, delay_ns;
    tdm_path_launch(path, edge, &call_ns, &delay_ns);
    int64_t rest_ns = tdm_dag_edge_ns(&path->dag, edge) - call_ns;
    if (change->launches != NULL && is_launched_kernel(path, row)) return rest_ns - delay_ns;
    return scaled(change, (uint32_t)path->work->count + path->launch[row], call_ns) + rest_ns;
  }
  case TDM_EDGE_SYNC:
    if (change->unwaited != NULL && row >= path->work->count &&
        change->unwaited[row - path->work->count])
      return INT64_MIN / 4; /* earlier than anything: it holds nothing up */
    return is_free_call(change, row) ? 0 : scaled(change, row, tdm_dag_edge_ns(&path->dag, edge));
  default: return tdm_dag_edge_ns(&path->dag, edge);
  }
}

static bool ends(void *context, uint32_t point) {
  return tdm_path_ends_with(((const tdm_change *)context)->path, point);
}

int64_t tdm_change_replay(const tdm_change *change, int64_t from_ns, size_t last, int64_t *at_ns) {
  const tdm_path *path = change->path;
  bool any = last < path->dag.points && tdm_path_ends_with(path, path->dag.order[last]);
  const tdm_dag_costs costs = {stretch_ns, edge_ns, (void *)(uintptr_t)change, any ? ends : NULL};
  return tdm_dag_replay(&path->dag, from_ns, last, &costs, at_ns);
}

/* The stretches of the chain to a joint, from the one before it. What a factor alone changes is the
 * recorded time but for the records that have one: times of the others are not looked up. */
static int64_t stretches_ns(const tdm_change *change, size_t at) {
  const tdm_joints *joints = &change->path->joints;
  const tdm_dag *dag = &change->path->dag;
  uint32_t point = joints->point[at], first = joints->point[joints->before[at]];
  bool plain = change->launches == NULL && !change->overlapped_copies;
  int64_t sum_ns = stretch_ns((void *)(uintptr_t)change, point);
  if (point - 1 == first) return sum_ns;
  if (plain) sum_ns += tdm_dag_time_ns(dag, point - 1) - tdm_dag_time_ns(dag, first);
  if (plain && !tdm_factors_any(&change->faster)) return sum_ns;
  for (uint32_t p = point - 1; p > first; p--) { /* none of these waited for anything else */
    if (!plain) {
      sum_ns += stretch_ns((void *)(uintptr_t)change, p);
      continue;
    }
    uint32_t row = tdm_dag_row(dag, p);
    if (row == TDM_NO_ROW || tdm_factor_of(&change->faster, row) == 1) continue;
    int64_t lag_ns = tdm_dag_time_ns(dag, p) - tdm_dag_time_ns(dag, p - 1);
    sum_ns += scaled(change, row, lag_ns) - lag_ns;
  }
  return sum_ns;
}

int64_t tdm_change_replay_joints(const tdm_change *change, int64_t *at_ns) {
  const tdm_joints *joints = &change->path->joints;
  const tdm_dag *dag = &change->path->dag;
  int64_t from_ns = change->path->joined_ns, end_ns = 0;
  for (size_t i = 0; i < joints->count; i++) {
    uint32_t p = joints->point[i];
    size_t e = tdm_dag_edges_to(dag, p);
    bool follows = joints->before[i] != TDM_NO_POINT || e < dag->edges;
    int64_t latest = follows ? INT64_MIN : tdm_dag_time_ns(dag, p) - from_ns;
    if (joints->before[i] != TDM_NO_POINT)
      latest = at_ns[joints->before[i]] + stretches_ns(change, i);
    for (; tdm_dag_leads(dag, e, p); e++) {
      int64_t ready = at_ns[joints->from[e]] + edge_ns((void *)(uintptr_t)change, &dag->edge[e]);
      if (ready > latest) latest = ready;
    }
    at_ns[i] = latest;
    if (latest > end_ns && change->path->joint_ends[i]) end_ns = latest;
  }
  return end_ns;
}

size_t tdm_change_scratch(const tdm_path *path) {
  return (path->joints.count > 0 ? path->joints.count : path->dag.points) + 1;
}
