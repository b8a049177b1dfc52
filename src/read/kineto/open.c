/* See open.h. A hash table by owner; the newest stands first in its chain, so that a chain
 * holds the stacks of its owners. */
#include "read/kineto/open.h"

#include <stdlib.h>

#include "base/memory.h"

enum { NONE = -1, DEEPEST = 4096 /* frames of a stack that are searched for a name */ };

typedef struct {
  tdm_kineto_owner owner;
  tdm_kineto_begun begun;
  tdm_kineto_arg *args;
  int32_t next; /* in the chain, or among the free ones */
} node;

struct tdm_kineto_open {
  node *nodes;
  size_t count, room;
  int32_t free_nodes;
  int32_t *chains;
  size_t chain_count, waiting;
  size_t taken;              /* chains that tdm_kineto_open_take has emptied */
  tdm_kineto_arg *last_args; /* of the one given out last */
  tdm_kineto_begun last;
};

tdm_kineto_open *tdm_kineto_open_new(void) {
  tdm_kineto_open *open = tdm_array_new(1, sizeof *open);
  if (open != NULL) open->free_nodes = NONE;
  return open;
}

void tdm_kineto_open_free(tdm_kineto_open *open) {
  if (open == NULL) return;
  for (size_t i = 0; i < open->count; i++) free(open->nodes[i].args);
  free(open->nodes);
  free(open->chains);
  free(open->last_args);
  free(open);
}

static bool same(const tdm_kineto_owner *a, const tdm_kineto_owner *b) {
  return a->async == b->async && a->id == b->id && a->process == b->process;
}

static int32_t *chain_of(const tdm_kineto_open *open, const tdm_kineto_owner *owner) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t hash = ((uint64_t)owner->id ^ (uint64_t)owner->process * odd) * odd;
  hash = (hash ^ hash >> 32 ^ owner->async) * odd;
  return &open->chains[(hash >> 20) & (open->chain_count - 1)];
}

/* Chains keep their order: the old ones are walked from their ends. */
static bool grow_chains(tdm_kineto_open *open) {
  size_t count = open->chain_count > 0 ? 4 * open->chain_count : 64;
  int32_t *chains = malloc(count * sizeof *chains), *old = open->chains;
  if (chains == NULL) return false;
  for (size_t i = 0; i < count; i++) chains[i] = NONE;
  size_t old_count = open->chain_count;
  open->chains = chains;
  open->chain_count = count;
  for (size_t i = 0; i < old_count; i++) {
    int32_t turned = NONE;
    for (int32_t n = old[i], next; n != NONE; n = next) {
      next = open->nodes[n].next;
      open->nodes[n].next = turned;
      turned = n;
    }
    for (int32_t n = turned, next; n != NONE; n = next) {
      next = open->nodes[n].next;
      int32_t *chain = chain_of(open, &open->nodes[n].owner);
      open->nodes[n].next = *chain;
      *chain = n;
    }
  }
  free(old);
  return true;
}

static int32_t new_node(tdm_kineto_open *open) {
  int32_t n = open->free_nodes;
  if (n != NONE) {
    open->free_nodes = open->nodes[n].next;
    return n;
  }
  if (open->count >= INT32_MAX ||
      !tdm_array_grow(&open->nodes, &open->room, open->count + 1, sizeof *open->nodes))
    return NONE;
  open->nodes[open->count] = (node){0};
  return (int32_t)open->count++;
}

bool tdm_kineto_open_begin(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                           const tdm_kineto_begun *begun) {
  if (open->waiting >= open->chain_count && !grow_chains(open)) return false;
  tdm_kineto_arg *args = NULL;
  if (begun->arg_count > 0) {
    args = malloc(begun->arg_count * sizeof *args);
    if (args == NULL) return false;
    for (uint32_t i = 0; i < begun->arg_count; i++) args[i] = begun->args[i];
  }
  int32_t n = new_node(open);
  if (n == NONE) {
    free(args);
    return false;
  }
  int32_t *chain = chain_of(open, owner);
  open->nodes[n] = (node){*owner, *begun, args, *chain};
  *chain = n;
  open->waiting++;
  return true;
}

/* Gives a node out that no chain holds any more. */
static const tdm_kineto_begun *give(tdm_kineto_open *open, int32_t n) {
  node *each = &open->nodes[n];
  free(open->last_args);
  open->last_args = each->args;
  open->last = each->begun;
  open->last.args = each->args;
  each->args = NULL;
  each->next = open->free_nodes;
  open->free_nodes = n;
  open->waiting--;
  return &open->last;
}

const tdm_kineto_begun *tdm_kineto_open_end(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                                            uint32_t name, bool *inner) {
  *inner = false;
  if (open->waiting == 0) return NULL;
  int searched = 0;
  for (int32_t *at = chain_of(open, owner); *at != NONE && searched < DEEPEST;
       at = &open->nodes[*at].next, searched++) {
    const node *each = &open->nodes[*at];
    if (!same(&each->owner, owner)) continue;
    if (name == TDM_KINETO_NAMELESS || each->begun.name == TDM_KINETO_NAMELESS ||
        each->begun.name == name) {
      int32_t n = *at;
      *at = each->next;
      return give(open, n);
    }
    *inner = true;
  }
  *inner = false;
  return NULL;
}

const tdm_kineto_begun *tdm_kineto_open_take(tdm_kineto_open *open) {
  for (; open->waiting > 0 && open->taken < open->chain_count; open->taken++) {
    int32_t n = open->chains[open->taken];
    if (n == NONE) continue;
    open->chains[open->taken] = open->nodes[n].next;
    return give(open, n);
  }
  return NULL;
}
