/* What the readers of NCCL's own logs share: a dump as a tree of values, and collectives as
 * records.
 *
 * PyTorch's flight recorder dumps a pickle or, equal in content, JSON; both become the same tree.
 * A collective is a row of category "nccl" on the track of its process group or communicator.
 * Owned by who makes it. Called by the readers of this room. */
#ifndef TDM_READ_NCCL_INSIDE_H
#define TDM_READ_NCCL_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/reader.h"

typedef enum {
  TDM_NCCL_NOTHING, /* None, null */
  TDM_NCCL_BOOL,
  TDM_NCCL_INTEGER, /* TDM_NONE: beyond 64 bits */
  TDM_NCCL_REAL,
  TDM_NCCL_TEXT,
  TDM_NCCL_LIST,
  TDM_NCCL_DICT /* its children are a key, its value, a key, … */
} tdm_nccl_kind;

typedef uint32_t tdm_nccl_ref; /* 0: nothing there */

typedef struct {
  tdm_nccl_kind kind;
  tdm_nccl_ref first, last, next; /* children; the next one of its parent */
  union {
    int64_t integer;
    double real;
    struct {
      size_t at, length; /* in the tree's text */
    } text;
  } value;
} tdm_nccl_node;

/* Zeroed memory is an empty tree. */
typedef struct {
  tdm_nccl_node *node;
  size_t nodes, node_room;
  char *text; /* every text ends with a NUL */
  size_t text_bytes, text_room;
  bool failed; /* out of memory, or too large */
} tdm_nccl_tree;

void tdm_nccl_tree_free(tdm_nccl_tree *tree);
tdm_nccl_ref tdm_nccl_new(tdm_nccl_tree *tree, tdm_nccl_kind kind); /* 0: failed */
tdm_nccl_ref tdm_nccl_new_text(tdm_nccl_tree *tree, const char *text, size_t length);
void tdm_nccl_append(tdm_nccl_tree *tree, tdm_nccl_ref parent, tdm_nccl_ref child);

/* Of a dict, the value of a key; 0: there is none. */
tdm_nccl_ref tdm_nccl_get(const tdm_nccl_tree *tree, tdm_nccl_ref dict, const char *key);
tdm_nccl_ref tdm_nccl_first(const tdm_nccl_tree *tree, tdm_nccl_ref list);
tdm_nccl_ref tdm_nccl_next(const tdm_nccl_tree *tree, tdm_nccl_ref child);
/* A whole number, also one written as a text; TDM_NONE. */
int64_t tdm_nccl_integer(const tdm_nccl_tree *tree, tdm_nccl_ref value);
const char *tdm_nccl_text(const tdm_nccl_tree *tree, tdm_nccl_ref value); /* "" */

/* Decodes a pickle of plain values. Opcodes that name or call anything are refused, and nothing is
 * run. *root: what it holds. */
tdm_status tdm_nccl_pickle(tdm_nccl_tree *tree, const char *path, const unsigned char *bytes,
                           size_t length, tdm_nccl_ref *root, tdm_error *error);

/* The JSON text of an input, which is read to its end. */
tdm_status tdm_nccl_json(tdm_nccl_tree *tree, tdm_input *input, tdm_recorder *recorder,
                         tdm_nccl_ref *root, tdm_error *error);

#endif
