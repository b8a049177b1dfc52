/* Claims on the time of a critical path: who holds which instant.
 *
 * A claim is nodes of causes.h and how many times faster each would be, at least and at most; or
 * times in which a symptom was seen, which hold what the host and unrecorded stretches took of the
 * path in them. Claims are taken in order, the likely larger first: each has what those before it
 * left, and one that has little left is part of the one that has most of its time. Owns its arrays;
 * the causes are borrowed. claims.c reads and takes, gains.c replays and answers. */
#ifndef TDM_ANALYSIS_PATH_CLAIMS_H
#define TDM_ANALYSIS_PATH_CLAIMS_H

#include "analysis/path/causes.h"

enum { TDM_CLAIM_LOW, TDM_CLAIM_HIGH, TDM_CLAIM_LEVELS };

/* Of a claim less than this share of its time may be left before it is part of another. */
#define TDM_CLAIM_LEAST_LEFT 0.3

typedef enum { TDM_TERM_NODES, TDM_TERM_WAITS, TDM_TERM_WITHIN } tdm_term_kind;

typedef struct {
  tdm_term_kind kind;
  tdm_cause cause;
  const char *name;                /* "": any of the cause */
  double factor[TDM_CLAIM_LEVELS]; /* of nodes */
  int64_t from_ns, to_ns;          /* of times */
} tdm_term;

typedef struct {
  int64_t id, order;
  int64_t cap_ns;  /* the most that it may gain; 0: the time it holds */
  int64_t sure_ns; /* the most that it may gain at least; 0: cap_ns */
  size_t first, terms;
  int64_t held_ns, left_ns; /* of the path; of it, what claims before it left */
  int64_t gain_ns[TDM_CLAIM_LEVELS], alone_ns[TDM_CLAIM_LEVELS];
  double likely_ns;
  size_t steps;
  uint32_t longest; /* of the steps */
  int64_t part_of;  /* an id; TDM_NONE */
  tdm_term_kind kind;
} tdm_claim;

typedef struct {
  const tdm_causes *causes;
  tdm_term *term;
  size_t terms, term_room;
  tdm_claim *claim;
  size_t claims, claim_room;
  double *left;      /* by node: the share of its time that is nobody's */
  size_t *owner;     /* by node: the position of the claim that took most of it; SIZE_MAX: none */
  uint32_t *of_step; /* by step: the claim on a time that has it; TDM_NO_ROW */
  char *text;        /* private: what names of terms lie in */
} tdm_claims;

/* Lines of id, order, cap_ns, cause, name, low, high and, where it is another, sure_ns between
 * tabs, those of one claim together. The cause "wait" is waits of the host; of the cause "within"
 * low and high are a time. TDM_INVALID: it is no such text. Puts claims into their order. */
tdm_status tdm_claims_open(const tdm_causes *causes, const char *text, tdm_claims *claims,
                           tdm_error *error);
void tdm_claims_close(tdm_claims *claims);
/* Puts claims into their order by likely_ns, which is no more than what is sure of a claim. */
void tdm_claims_order(tdm_claims *claims);

/* The term of a claim that a node is of; NULL: none. */
const tdm_term *tdm_claim_term(const tdm_claims *claims, const tdm_claim *claim,
                               const tdm_cause_node *node);
/* Takes what is left for the claim at a position; in order, from the first. */
tdm_status tdm_claims_take(tdm_claims *claims, size_t position, tdm_error *error);

#endif
