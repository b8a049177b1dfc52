/* A pickle of plain values as a tree; see inside.h.
 *
 * A pickle is a program for a small stack machine. Here only the instructions that make numbers,
 * texts, lists, tuples and dicts exist; those that import, call or build objects are refused where
 * they stand. What is put by reference (BINGET) is a copy that shares the children it had then, so
 * that nothing can contain itself. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/nccl/inside.h"

#define MARK UINT32_MAX /* on the stack */

typedef struct {
  tdm_nccl_tree *tree;
  const char *path;
  const unsigned char *bytes;
  size_t length, at, began; /* began: of the instruction in hand */
  tdm_nccl_ref *stack;
  size_t depth, stack_room;
  tdm_nccl_ref *memo; /* by number */
  size_t memos, memo_room;
  bool broken; /* what it asks for cannot be: it is damaged */
  tdm_error *error;
} machine;

/* ---- the stack ---- */

static void push(machine *m, tdm_nccl_ref value) {
  if (m->tree->failed) return;
  if (!tdm_array_grow(&m->stack, &m->stack_room, m->depth + 1, sizeof *m->stack)) {
    m->tree->failed = true;
    return;
  }
  m->stack[m->depth++] = value;
}

static void push_number(machine *m, tdm_nccl_kind kind, int64_t value) {
  tdm_nccl_ref made = tdm_nccl_new(m->tree, kind);
  if (made != 0) m->tree->node[made].value.integer = value;
  push(m, made);
}

/* The topmost value; 0: there is none, or a mark. */
static tdm_nccl_ref top(machine *m) {
  if (m->depth == 0 || m->stack[m->depth - 1] == MARK) {
    m->broken = true;
    return 0;
  }
  return m->stack[m->depth - 1];
}

static tdm_nccl_ref pop(machine *m) {
  tdm_nccl_ref value = top(m);
  if (value != 0) m->depth--;
  return value;
}

/* How many values lie above the last mark, which is then below them; SIZE_MAX: there is none. */
static size_t above_mark(machine *m) {
  size_t at = m->depth;
  while (at > 0 && m->stack[at - 1] != MARK) at--;
  if (at > 0) return m->depth - at;
  m->broken = true;
  return SIZE_MAX;
}

/* Puts the `count` topmost values into a container, and takes them and `below` more away. */
static void fill(machine *m, tdm_nccl_ref container, size_t count, size_t below) {
  size_t first = m->depth - count;
  for (size_t i = first; i < m->depth; i++) tdm_nccl_append(m->tree, container, m->stack[i]);
  m->depth = first - below;
}

/* MARK values… → appended to what lies below the mark, which must be of this kind. */
static void fill_below(machine *m, tdm_nccl_kind kind) {
  size_t count = above_mark(m);
  if (count == SIZE_MAX) return;
  size_t mark = m->depth - count - 1;
  tdm_nccl_ref container = mark > 0 && m->stack[mark - 1] != MARK ? m->stack[mark - 1] : 0;
  if (container == 0 || m->tree->node[container].kind != kind ||
      (kind == TDM_NCCL_DICT && count % 2 != 0)) {
    m->broken = true;
    return;
  }
  fill(m, container, count, 1);
}

static void fill_one(machine *m, tdm_nccl_kind kind, size_t count) {
  if (m->depth < count + 1) {
    m->broken = true;
    return;
  }
  for (size_t i = 1; i <= count + 1; i++) m->broken |= m->stack[m->depth - i] == MARK;
  if (m->broken) return;
  tdm_nccl_ref container = m->stack[m->depth - count - 1];
  if (m->tree->node[container].kind != kind)
    m->broken = true;
  else
    fill(m, container, count, 0);
}

static void make_tuple(machine *m, size_t count, size_t below) {
  m->broken |= m->depth < count;
  for (size_t i = 1; i <= count && !m->broken; i++) m->broken |= m->stack[m->depth - i] == MARK;
  tdm_nccl_ref made = m->broken ? 0 : tdm_nccl_new(m->tree, TDM_NCCL_LIST);
  if (made == 0) return;
  fill(m, made, count, below);
  push(m, made);
}

/* ---- memory ---- */

static void remember(machine *m, size_t number) {
  tdm_nccl_ref value = top(m);
  if (value == 0) return;
  if (number > m->length || /* no writer numbers beyond its bytes */
      !tdm_array_grow(&m->memo, &m->memo_room, number + 1, sizeof *m->memo)) {
    m->broken = true;
    return;
  }
  for (; m->memos <= number; m->memos++) m->memo[m->memos] = 0;
  m->memo[number] = value;
}

static void recall(machine *m, size_t number) {
  if (number >= m->memos || m->memo[number] == 0) {
    m->broken = true;
    return;
  }
  tdm_nccl_ref made = tdm_nccl_new(m->tree, TDM_NCCL_NOTHING);
  if (made == 0) return;
  m->tree->node[made] = m->tree->node[m->memo[number]];
  m->tree->node[made].next = 0;
  push(m, made);
}

/* ---- arguments ---- */

/* `count` bytes of the program, little-endian where they are a number; NULL: it ends before. */
static const unsigned char *take(machine *m, uint64_t count) {
  if (count > m->length - m->at) {
    m->broken = true;
    return NULL;
  }
  const unsigned char *from = m->bytes + m->at;
  m->at += (size_t)count;
  return from;
}

static uint64_t number(machine *m, unsigned count) {
  const unsigned char *from = take(m, count);
  uint64_t value = 0;
  for (unsigned i = count; from != NULL && i-- > 0;) value = value << 8 | from[i];
  return value;
}

static void push_text(machine *m, uint64_t length) {
  const unsigned char *from = take(m, length);
  if (from != NULL) push(m, tdm_nccl_new_text(m->tree, (const char *)from, (size_t)length));
}

/* Two's complement of any length. */
static void push_long(machine *m, uint64_t length) {
  const unsigned char *from = take(m, length);
  if (from == NULL) return;
  uint64_t value = length > 0 && from[length - 1] >= 0x80 ? UINT64_MAX : 0;
  for (uint64_t i = length < 8 ? length : 8; i-- > 0;) value = value << 8 | from[i];
  push_number(m, TDM_NCCL_INTEGER, length <= 8 ? (int64_t)value : TDM_NONE);
}

static void push_real(machine *m) {
  const unsigned char *from = take(m, 8);
  uint64_t bits = 0;
  for (int i = 0; from != NULL && i < 8; i++) bits = bits << 8 | from[i];
  tdm_nccl_ref made = from != NULL ? tdm_nccl_new(m->tree, TDM_NCCL_REAL) : 0;
  if (made != 0) memcpy(&m->tree->node[made].value.real, &bits, sizeof bits);
  push(m, made);
}

/* ---- instructions ---- */

/* Of the instructions that import, call or make objects; NULL: it is none. */
static const char *forbidden(unsigned char code) {
  switch (code) {
  case 'c': return "GLOBAL";
  case 0x93: return "STACK_GLOBAL";
  case 'R': return "REDUCE";
  case 'b': return "BUILD";
  case 'i': return "INST";
  case 'o': return "OBJ";
  case 0x81: return "NEWOBJ";
  case 0x92: return "NEWOBJ_EX";
  case 'P':
  case 'Q': return "PERSID";
  case 0x82:
  case 0x83:
  case 0x84: return "EXT";
  default: return NULL;
  }
}

/* False: there is no such instruction here. */
static bool containers(machine *m, unsigned char code) {
  size_t count;
  switch (code) {
  case '}': push(m, tdm_nccl_new(m->tree, TDM_NCCL_DICT)); break;
  case ']':
  case ')': push(m, tdm_nccl_new(m->tree, TDM_NCCL_LIST)); break;
  case '(': push(m, MARK); break;
  case 'u': fill_below(m, TDM_NCCL_DICT); break;
  case 'e': fill_below(m, TDM_NCCL_LIST); break;
  case 's': fill_one(m, TDM_NCCL_DICT, 2); break;
  case 'a': fill_one(m, TDM_NCCL_LIST, 1); break;
  case 't':
  case 'l':
    count = above_mark(m);
    if (count != SIZE_MAX) make_tuple(m, count, 1);
    break;
  case 0x85:
  case 0x86:
  case 0x87: make_tuple(m, (size_t)(code - 0x84), 0); break;
  case '0': (void)pop(m); break;
  case 'q': remember(m, (size_t)number(m, 1)); break;
  case 'r': remember(m, (size_t)number(m, 4)); break;
  case 0x94: remember(m, m->memos); break;
  case 'h': recall(m, (size_t)number(m, 1)); break;
  case 'j': recall(m, (size_t)number(m, 4)); break;
  default: return false;
  }
  return true;
}

static bool values(machine *m, unsigned char code) {
  switch (code) {
  case 0x80: (void)take(m, 1); break;
  case 0x95: (void)take(m, 8); break;
  case 'N': push_number(m, TDM_NCCL_NOTHING, 0); break;
  case 0x88: push_number(m, TDM_NCCL_BOOL, 1); break;
  case 0x89: push_number(m, TDM_NCCL_BOOL, 0); break;
  case 'J': push_number(m, TDM_NCCL_INTEGER, (int32_t)(uint32_t)number(m, 4)); break;
  case 'K': push_number(m, TDM_NCCL_INTEGER, (int64_t)number(m, 1)); break;
  case 'M': push_number(m, TDM_NCCL_INTEGER, (int64_t)number(m, 2)); break;
  case 0x8a: push_long(m, number(m, 1)); break;
  case 0x8b: push_long(m, number(m, 4)); break;
  case 'G': push_real(m); break;
  case 'X': push_text(m, number(m, 4)); break;
  case 0x8c: push_text(m, number(m, 1)); break;
  case 0x8d: push_text(m, number(m, 8)); break;
  default: return false;
  }
  return true;
}

static tdm_status run(machine *m) {
  while (m->at < m->length && !m->broken && !m->tree->failed) {
    m->began = m->at;
    unsigned char code = m->bytes[m->at++];
    if (code == '.') return TDM_OK;
    if (forbidden(code) != NULL)
      return tdm_error_set(
          m->error, TDM_INVALID,
          "%s: a pickle that asks for code to be run (%s at byte %zu) is not read; "
          "nothing of it was run",
          m->path, forbidden(code), m->began);
    if (!containers(m, code) && !values(m, code))
      return tdm_error_set(m->error, TDM_INVALID,
                           "%s: instruction 0x%02x at byte %zu of the pickle is none that plain "
                           "values need",
                           m->path, code, m->began);
  }
  if (m->tree->failed) return tdm_error_memory(m->error, "a dump's values", m->tree->nodes);
  if (m->broken && m->at < m->length)
    return tdm_error_set(m->error, TDM_INVALID, "%s: the pickle is damaged at byte %zu", m->path,
                         m->began);
  return tdm_error_set(m->error, TDM_INVALID, "%s: the pickle ends too early", m->path);
}

tdm_status tdm_nccl_pickle(tdm_nccl_tree *tree, const char *path, const unsigned char *bytes,
                           size_t length, tdm_nccl_ref *root, tdm_error *error) {
  machine m = {.tree = tree, .path = path, .bytes = bytes, .length = length, .error = error};
  tdm_status status = run(&m);
  *root = status == TDM_OK ? pop(&m) : 0;
  free(m.stack);
  free(m.memo);
  return status;
}
