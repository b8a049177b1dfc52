/* See rule_set.h. Compiling a rule for the machine costs as much as a few interpreted searches, so
 * it is done at the second one: a trace of one kernel does not pay for it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "analysis/rules/rule_set.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  PATTERN_MAX = 1 << 16, /* bytes of an expression */
  STEPS_MAX = 200000,    /* backtracking steps in one search: about a millisecond */
  HEAP_KIB = 4096,       /* of an interpreted search */
  STACK_MAX = 1 << 20,   /* bytes, of a compiled one */
  JIT_AT = 2             /* search */
};

typedef struct {
  pcre2_code *code;
  char *id;
  char *label[TDM_LABELS];
  uint64_t gave_up;
  uint32_t searches;
} compiled;

struct tdm_rule_set {
  compiled *rule; /* in order of precedence */
  size_t count;
  pcre2_match_context *limits;
  pcre2_match_data *match;
  pcre2_jit_stack *stack; /* NULL: this machine interprets */
};

void tdm_rule_set_free(tdm_rule_set *set) {
  if (set == NULL) return;
  for (size_t i = 0; i < set->count; i++) {
    pcre2_code_free(set->rule[i].code);
    free(set->rule[i].id);
    for (int l = 0; l < TDM_LABELS; l++) free(set->rule[i].label[l]);
  }
  pcre2_match_data_free(set->match);
  pcre2_match_context_free(set->limits);
  pcre2_jit_stack_free(set->stack);
  free(set->rule);
  free(set);
}

/* ---- making ---- */

typedef struct {
  int64_t priority;
  size_t index;
} precedence;

static int before(const void *a, const void *b) {
  const precedence *x = a, *y = b;
  if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static tdm_status wrong(const tdm_rule *rule, int code, size_t offset, tdm_error *error) {
  PCRE2_UCHAR words[128];
  if (pcre2_get_error_message(code, words, sizeof words) < 0) words[0] = '\0';
  return tdm_error_set(error, TDM_INVALID, "%s: rule %s: at offset %zu of '%.120s': %s", rule->file,
                       rule->id, offset, rule->match, (const char *)words);
}

static tdm_status compile(const tdm_rule *rule, pcre2_compile_context *context, compiled *out,
                          tdm_error *error) {
  uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                   (rule->any_case ? PCRE2_CASELESS : 0);
  int code;
  size_t offset;
  out->code =
      pcre2_compile((PCRE2_SPTR)rule->match, rule->match_length, flags, &code, &offset, context);
  if (out->code == NULL) {
    if (code == PCRE2_ERROR_NOMEMORY) return tdm_error_memory(error, "a rule", 0);
    return wrong(rule, code, offset, error);
  }
  bool whole = (out->id = tdm_string_copy(rule->id)) != NULL;
  for (int l = 0; l < TDM_LABELS; l++)
    if (rule->label[l] != NULL)
      whole = (out->label[l] = tdm_string_copy(rule->label[l])) != NULL && whole;
  return whole ? TDM_OK : tdm_error_memory(error, "a rule", 0);
}

static tdm_status compile_all(tdm_rule_set *set, const tdm_rule *rule, size_t count,
                              tdm_error *error) {
  precedence *order = tdm_array_new(count + 1, sizeof *order);
  pcre2_compile_context *context = pcre2_compile_context_create(NULL);
  tdm_status status = TDM_OK;
  if (order == NULL || context == NULL)
    status = tdm_error_memory(error, "rules", count * sizeof *order);
  for (size_t i = 0; status == TDM_OK && i < count; i++)
    order[i] = (precedence){rule[i].priority, i};
  if (status == TDM_OK) {
    qsort(order, count, sizeof *order, before);
    pcre2_set_max_pattern_length(context, PATTERN_MAX);
  }
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    set->count = i + 1;
    status = compile(&rule[order[i].index], context, &set->rule[i], error);
  }
  pcre2_compile_context_free(context);
  free(order);
  return status;
}

tdm_status tdm_rule_set_new(const tdm_rule *rule, size_t count, tdm_rule_set **out,
                            tdm_error *error) {
  *out = NULL;
  tdm_rule_set *set = tdm_array_new(1, sizeof *set);
  if (set == NULL) return tdm_error_memory(error, "rules", sizeof *set);
  set->rule = tdm_array_new(count + 1, sizeof *set->rule);
  set->limits = pcre2_match_context_create(NULL);
  set->match = pcre2_match_data_create(1, NULL);
  tdm_status status = TDM_OK;
  if (set->rule == NULL || set->limits == NULL || set->match == NULL) {
    status = tdm_error_memory(error, "rules", count * sizeof *set->rule);
  } else {
    pcre2_set_match_limit(set->limits, STEPS_MAX);
    pcre2_set_heap_limit(set->limits, HEAP_KIB);
    set->stack = pcre2_jit_stack_create(1 << 15, STACK_MAX, NULL);
    if (set->stack != NULL) pcre2_jit_stack_assign(set->limits, NULL, set->stack);
    status = compile_all(set, rule, count, error);
  }
  if (status == TDM_OK)
    *out = set;
  else
    tdm_rule_set_free(set);
  return status;
}

/* ---- matching ---- */

static bool found(tdm_rule_set *set, compiled *rule, const char *name, size_t length) {
  /* Where there is no machine code for it, pcre2_match interprets. */
  if (++rule->searches == JIT_AT) (void)pcre2_jit_compile(rule->code, PCRE2_JIT_COMPLETE);
  int result = pcre2_match(rule->code, (PCRE2_SPTR)name, length, 0, 0, set->match, set->limits);
  if (result < 0 && result != PCRE2_ERROR_NOMATCH) rule->gave_up++;
  return result >= 0;
}

static bool brings(const compiled *rule, const tdm_labels *labels) {
  for (int l = 0; l < TDM_LABELS; l++)
    if (rule->label[l] != NULL && labels->label[l] == NULL) return true;
  return false;
}

tdm_labels tdm_rule_set_match(tdm_rule_set *set, const char *name, size_t length) {
  tdm_labels labels = {0};
  for (size_t i = 0; i < set->count; i++) {
    compiled *rule = &set->rule[i];
    if (!brings(rule, &labels) || !found(set, rule, name, length)) continue;
    if (labels.label[TDM_LABEL_CATEGORY] == NULL && rule->label[TDM_LABEL_CATEGORY] != NULL)
      labels.rule = rule->id;
    for (int l = 0; l < TDM_LABELS; l++)
      if (labels.label[l] == NULL) labels.label[l] = rule->label[l];
  }
  return labels;
}

size_t tdm_rule_set_count(const tdm_rule_set *set) {
  return set->count;
}
const char *tdm_rule_set_id(const tdm_rule_set *set, size_t index) {
  return set->rule[index].id;
}
uint64_t tdm_rule_set_gave_up(const tdm_rule_set *set, size_t index) {
  return set->rule[index].gave_up;
}
void tdm_rule_set_forget(tdm_rule_set *set) {
  for (size_t i = 0; i < set->count; i++) set->rule[i].gave_up = 0;
}
