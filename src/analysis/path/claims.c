/* See claims.h. */
#include "analysis/path/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LOW = TDM_CLAIM_LOW, HIGH = TDM_CLAIM_HIGH };

/* ---- reading ---- */

static tdm_status refuse(const char *line, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "a claim is not \"%s\"", line);
}

static tdm_status read_term(char **field, tdm_term *t, tdm_error *error) {
  *t = (tdm_term){.cause = tdm_cause_named(field[3]), .name = field[4]};
  if (strcmp(field[3], "wait") == 0) t->kind = TDM_TERM_WAITS;
  if (strcmp(field[3], "within") == 0) {
    t->kind = TDM_TERM_WITHIN;
    t->from_ns = strtoll(field[5], NULL, 10);
    t->to_ns = strtoll(field[6], NULL, 10);
    return t->to_ns >= t->from_ns ? TDM_OK : refuse(field[6], error);
  }
  if (t->kind == TDM_TERM_NODES && t->cause == TDM_CAUSES) return refuse(field[3], error);
  for (int l = 0; l < TDM_CLAIM_LEVELS; l++) t->factor[l] = strtod(field[5 + l], NULL);
  return t->factor[LOW] >= 1 && t->factor[HIGH] >= t->factor[LOW] ? TDM_OK
                                                                  : refuse(field[5], error);
}

static tdm_status add_line(tdm_claims *all, char *line, tdm_error *error) {
  enum { LEAST_FIELDS = 7, FIELDS };
  char *field[FIELDS], *rest = line;
  for (size_t i = 0; i < FIELDS; i++) {
    field[i] = strsep(&rest, "\t");
    if (field[i] == NULL && i < LEAST_FIELDS) return refuse(line, error);
  }
  tdm_term t;
  tdm_status status = read_term(field, &t, error);
  if (status != TDM_OK) return status;
  int64_t id = strtoll(field[0], NULL, 10);
  if (!tdm_array_grow(&all->term, &all->term_room, all->terms + 1, sizeof *all->term) ||
      !tdm_array_grow(&all->claim, &all->claim_room, all->claims + 1, sizeof *all->claim))
    return tdm_error_memory(error, "claims", all->terms);
  all->term[all->terms++] = t;
  if (all->claims == 0 || all->claim[all->claims - 1].id != id)
    all->claim[all->claims++] = (tdm_claim){.id = id,
                                            .order = strtoll(field[1], NULL, 10),
                                            .cap_ns = strtoll(field[2], NULL, 10),
                                            .sure_ns = strtoll(field[7] ? field[7] : "", NULL, 10),
                                            .first = all->terms - 1,
                                            .longest = TDM_NO_ROW,
                                            .part_of = TDM_NONE};
  tdm_claim *c = &all->claim[all->claims - 1];
  c->terms++;
  if (t.kind != TDM_TERM_NODES) c->kind = t.kind;
  return TDM_OK;
}

static tdm_status read_lines(tdm_claims *all, const char *text, tdm_error *error) {
  tdm_status status = TDM_OK;
  all->text = tdm_string_copy(text);
  if (all->text == NULL) return tdm_error_memory(error, "claims", strlen(text));
  char *rest = all->text, *line;
  while (status == TDM_OK && (line = strsep(&rest, "\n")) != NULL)
    if (*line != 0) status = add_line(all, line, error);
  return status;
}

/* ---- what a claim holds ---- */

const tdm_term *tdm_claim_term(const tdm_claims *all, const tdm_claim *c,
                               const tdm_cause_node *node) {
  for (size_t i = c->first; i < c->first + c->terms; i++) {
    const tdm_term *t = &all->term[i];
    if (t->kind == TDM_TERM_NODES && t->cause == node->cause &&
        (t->name[0] == 0 || strcmp(t->name, node->name) == 0))
      return t;
  }
  return NULL;
}

static int64_t step_ns(const tdm_claims *all, uint32_t step) {
  const tdm_step *s = &all->causes->path->steps.step[step];
  return s->to_ns - s->from_ns;
}

static void see(const tdm_claims *all, tdm_claim *c, uint32_t step) {
  if (c->longest == TDM_NO_ROW || step_ns(all, step) > step_ns(all, c->longest)) c->longest = step;
}

static void hold_nodes(const tdm_claims *all, tdm_claim *c) {
  for (size_t n = 0; n < all->causes->nodes; n++) {
    const tdm_cause_node *node = &all->causes->node[n];
    const tdm_term *t = node->ns > 0 ? tdm_claim_term(all, c, node) : NULL;
    if (t == NULL) continue;
    c->held_ns += node->ns;
    c->steps += node->steps;
    c->likely_ns += (double)node->ns * (1 - (1 / t->factor[LOW] + 1 / t->factor[HIGH]) / 2);
    see(all, c, node->longest);
  }
}

static int larger_first(const void *x, const void *y) {
  const tdm_claim *a = x, *b = y;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  if (a->likely_ns != b->likely_ns) return a->likely_ns > b->likely_ns ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

tdm_status tdm_claims_open(const tdm_causes *causes, const char *text, tdm_claims *all,
                           tdm_error *error) {
  *all = (tdm_claims){.causes = causes};
  tdm_status status = read_lines(all, text, error);
  all->left = tdm_array_raw(causes->nodes + 1, sizeof *all->left);
  all->owner = tdm_array_raw(causes->nodes + 1, sizeof *all->owner);
  all->of_step = tdm_array_raw(causes->path->steps.count + 1, sizeof *all->of_step);
  if (status == TDM_OK && (all->left == NULL || all->owner == NULL || all->of_step == NULL))
    status = tdm_error_memory(error, "claims", causes->path->steps.count * 8);
  if (status != TDM_OK) return status;
  for (size_t n = 0; n < causes->nodes; n++) {
    all->left[n] = 1;
    all->owner[n] = SIZE_MAX;
  }
  for (size_t i = 0; i < causes->path->steps.count; i++) all->of_step[i] = TDM_NO_ROW;
  for (size_t i = 0; i < all->claims; i++) hold_nodes(all, &all->claim[i]);
  tdm_claims_order(all);
  return TDM_OK;
}

void tdm_claims_order(tdm_claims *all) {
  for (size_t i = 0; i < all->claims; i++) {
    tdm_claim *c = &all->claim[i];
    if (c->sure_ns <= 0) c->sure_ns = c->cap_ns;
    if (c->sure_ns > 0 && c->likely_ns > (double)c->sure_ns) c->likely_ns = (double)c->sure_ns;
  }
  if (all->claims > 0) qsort(all->claim, all->claims, sizeof *all->claim, larger_first);
}

void tdm_claims_close(tdm_claims *all) {
  free(all->text);
  free(all->term);
  free(all->claim);
  free(all->left);
  free(all->owner);
  free(all->of_step);
  *all = (tdm_claims){0};
}

/* ---- taking ---- */

/* What others have of a claim's time, by position. */
typedef struct {
  tdm_claims *all;
  size_t position;
  double *others, left_ns;
} taking;

/* A node's rows become so many times faster: that share of it is taken. */
static void take_node(taking *k, size_t n, const tdm_term *t) {
  tdm_claims *all = k->all;
  double ns = (double)all->causes->node[n].ns, share = 1 - 1 / t->factor[HIGH];
  k->left_ns += ns * all->left[n];
  if (all->owner[n] != SIZE_MAX) k->others[all->owner[n]] += ns * (1 - all->left[n]);
  if (all->owner[n] == SIZE_MAX && share > 0) all->owner[n] = k->position;
  all->left[n] /= t->factor[HIGH];
}

/* What a GPU waits for: none of the causes on it. */
static bool is_hosts(tdm_cause cause) {
  return cause != TDM_CAUSE_COPY && cause != TDM_CAUSE_COMM && cause != TDM_CAUSE_ATTENTION &&
         cause != TDM_CAUSE_KERNEL;
}

static void take_step(taking *k, uint32_t step, int64_t ns) {
  tdm_claims *all = k->all;
  tdm_claim *c = &all->claim[k->position];
  uint32_t node = tdm_causes_of_step(all->causes, step);
  if (ns <= 0 || !is_hosts(all->causes->node[node].cause)) return;
  c->held_ns += ns;
  c->steps++;
  see(all, c, step);
  if (all->of_step[step] != TDM_NO_ROW && all->of_step[step] != k->position) {
    k->others[all->of_step[step]] += (double)ns;
    return;
  }
  all->of_step[step] = (uint32_t)k->position;
  k->left_ns += (double)ns * all->left[node];
  if (all->owner[node] != SIZE_MAX)
    k->others[all->owner[node]] += (double)ns * (1 - all->left[node]);
}

/* The first step that ends after a time. */
static size_t step_after(const tdm_steps *steps, int64_t time_ns) {
  size_t low = 0, high = steps->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (steps->step[middle].to_ns <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void take_time(taking *k, const tdm_term *t) {
  const tdm_steps *steps = &k->all->causes->path->steps;
  for (size_t i = step_after(steps, t->from_ns);
       i < steps->count && steps->step[i].from_ns < t->to_ns; i++) {
    int64_t from = steps->step[i].from_ns > t->from_ns ? steps->step[i].from_ns : t->from_ns;
    int64_t to = steps->step[i].to_ns < t->to_ns ? steps->step[i].to_ns : t->to_ns;
    take_step(k, (uint32_t)i, to - from);
  }
}

tdm_status tdm_claims_take(tdm_claims *all, size_t position, tdm_error *error) {
  tdm_claim *c = &all->claim[position];
  taking k = {.all = all, .position = position};
  k.others = tdm_array_new(all->claims + 1, sizeof *k.others);
  if (k.others == NULL) return tdm_error_memory(error, "claims", all->claims);
  if (c->kind == TDM_TERM_WITHIN)
    for (size_t i = c->first; i < c->first + c->terms; i++) take_time(&k, &all->term[i]);
  for (size_t n = 0; c->kind != TDM_TERM_WITHIN && n < all->causes->nodes; n++) {
    const tdm_cause_node *node = &all->causes->node[n];
    const tdm_term *t = node->ns > 0 ? tdm_claim_term(all, c, node) : NULL;
    if (t != NULL) take_node(&k, n, t);
  }
  c->left_ns = (int64_t)(k.left_ns + 0.5);
  size_t most = 0;
  for (size_t i = 1; i < all->claims; i++)
    if (k.others[i] > k.others[most]) most = i;
  if (k.others[most] > 0 && k.left_ns < TDM_CLAIM_LEAST_LEFT * (double)c->held_ns)
    c->part_of = all->claim[most].id;
  free(k.others);
  return TDM_OK;
}
