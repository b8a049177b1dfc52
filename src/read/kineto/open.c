/* Spans that have begun (phases B and b) and wait for their ends (E and e); see inside.h. The
 * newest of each owner is found by hash; those below it are linked. */
#include "read/kineto/inside.h"

#include <stdlib.h>

#include "base/hash_map.h"
#include "base/memory.h"

enum { NONE = -1, DEEPEST = 4096 /* frames of a stack that are searched for a name */ };

typedef struct {
  tdm_kineto_owner owner;
  tdm_kineto_begun begun;
  tdm_kineto_arg *args;
  int32_t next; /* the one below of its owner, or among the free ones; NONE */
  bool waits;
} node;

struct tdm_kineto_open {
  node *nodes;
  size_t count, room;
  int32_t free_nodes;
  tdm_hash_map newest;       /* nodes by owner */
  size_t taken;              /* nodes that tdm_kineto_open_take has passed */
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
  tdm_hash_map_free(&open->newest);
  free(open->last_args);
  free(open);
}

static bool same(const tdm_kineto_owner *a, const tdm_kineto_owner *b) {
  return a->async == b->async && a->id == b->id && a->process == b->process;
}

static uint32_t hash_of(const tdm_kineto_owner *owner) {
  uint64_t whose = (uint64_t)owner->process ^ (uint64_t)owner->async << 32;
  return tdm_hash_pair((uint64_t)owner->id, whose);
}

/* The slot of an owner's newest; NULL: nothing of it is open. */
static tdm_hash_slot *find(const tdm_kineto_open *open, const tdm_kineto_owner *owner) {
  tdm_hash_slot *slot = tdm_hash_first(&open->newest, hash_of(owner));
  while (slot != NULL && !same(&open->nodes[slot->row].owner, owner))
    slot = tdm_hash_next(&open->newest, slot);
  return slot;
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
  tdm_kineto_arg *args = NULL;
  if (begun->arg_count > 0) {
    args = malloc(begun->arg_count * sizeof *args);
    if (args == NULL) return false;
    for (uint32_t i = 0; i < begun->arg_count; i++) args[i] = begun->args[i];
  }
  int32_t n = new_node(open);
  tdm_hash_slot *slot = n != NONE ? find(open, owner) : NULL;
  if (n == NONE || (slot == NULL && !tdm_hash_add(&open->newest, hash_of(owner), (uint32_t)n))) {
    free(args);
    return false;
  }
  open->nodes[n] = (node){*owner, *begun, args, slot != NULL ? (int32_t)slot->row : NONE, true};
  if (slot != NULL) slot->row = (uint32_t)n;
  return true;
}

/* Gives a node out that nothing leads to any more. */
static const tdm_kineto_begun *give(tdm_kineto_open *open, int32_t n) {
  node *each = &open->nodes[n];
  free(open->last_args);
  open->last_args = each->args;
  open->last = each->begun;
  open->last.args = each->args;
  each->args = NULL;
  each->next = open->free_nodes;
  open->free_nodes = n;
  each->waits = false;
  return &open->last;
}

const tdm_kineto_begun *tdm_kineto_open_end(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                                            uint32_t name, bool *inner) {
  *inner = false;
  tdm_hash_slot *slot = find(open, owner);
  int32_t above = NONE;
  for (int32_t n = slot != NULL ? (int32_t)slot->row : NONE, searched = 0;
       n != NONE && searched < DEEPEST; above = n, n = open->nodes[n].next, searched++) {
    const node *each = &open->nodes[n];
    if (name != TDM_KINETO_NAMELESS && each->begun.name != TDM_KINETO_NAMELESS &&
        each->begun.name != name)
      continue;
    *inner = above != NONE;
    if (above != NONE)
      open->nodes[above].next = each->next;
    else if (each->next != NONE)
      slot->row = (uint32_t)each->next;
    else
      tdm_hash_remove(&open->newest, slot);
    return give(open, n);
  }
  return NULL;
}

const tdm_kineto_begun *tdm_kineto_open_take(tdm_kineto_open *open) {
  tdm_hash_map_clear(&open->newest);
  while (open->taken < open->count && !open->nodes[open->taken].waits) open->taken++;
  return open->taken < open->count ? give(open, (int32_t)open->taken) : NULL;
}
