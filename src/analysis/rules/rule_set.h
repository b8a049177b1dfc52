/* Rules from names to labels: regular expressions in an order, each label from the first that has
 * it.
 *
 * A rule says a category, or labels of another kind, or both. For each kind of label the first rule
 * that matches and has one decides: higher priority first, then the order given. Expressions are
 * PCRE2, searched anywhere in the name, and give up at a match limit instead of running away; how
 * often they did is counted. Owns copies of everything. One thread at a time. Made by bind/rules.c,
 * asked by categories.c. */
#ifndef TDM_ANALYSIS_RULES_RULE_SET_H
#define TDM_ANALYSIS_RULES_RULE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum {
  TDM_LABEL_CATEGORY,
  TDM_LABEL_PHASE,
  TDM_LABEL_LIBRARY,
  TDM_LABEL_DTYPE,
  TDM_LABEL_TENSOR_CORE, /* "yes" or "no" */
  TDM_LABELS
} tdm_label;

/* As it was written. Texts are borrowed during tdm_rule_set_new only. */
typedef struct {
  const char *id;
  const char *file; /* where it stands, for complaints */
  const char *match;
  size_t match_length;
  const char *label[TDM_LABELS]; /* NULL: none of this kind */
  int64_t priority;
  bool any_case;
} tdm_rule;

typedef struct tdm_rule_set tdm_rule_set;

/* TDM_INVALID: an expression is wrong; the message names its file, rule and offset. */
tdm_status tdm_rule_set_new(const tdm_rule *rule, size_t count, tdm_rule_set **set,
                            tdm_error *error);
void tdm_rule_set_free(tdm_rule_set *set); /* NULL is fine */

/* What a name is: labels that no rule gives are NULL. Texts belong to the set. */
typedef struct {
  const char *label[TDM_LABELS];
  const char *rule; /* id of the one that gave the category; NULL: none */
} tdm_labels;
tdm_labels tdm_rule_set_match(tdm_rule_set *set, const char *name, size_t length);

size_t tdm_rule_set_count(const tdm_rule_set *set);
/* Of the rule at `index` in order of precedence: its id, and how many names it gave up on. */
const char *tdm_rule_set_id(const tdm_rule_set *set, size_t index);
uint64_t tdm_rule_set_gave_up(const tdm_rule_set *set, size_t index);
void tdm_rule_set_forget(tdm_rule_set *set); /* counts from zero again */

#endif
