/* Recorded requests: their sizes, their conversations, the blocks of their prompts.
 *
 * A request is given a unit by its number: a conversation of several rows, or a single row. Which
 * one is a pure function of that number, so nothing is kept of it. Conversations that a turn of
 * another begins (sub-agents) are units which do not arrive. Immutable, shared by all replications;
 * owned by the arrival process. Called by both engines. */
#ifndef TDM_MODEL_ROWS_H
#define TDM_MODEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"

typedef struct {
  uint32_t row, unit;
} tdm_row_begins;

typedef struct {
  size_t count;     /* rows; 0: nothing is recorded */
  double **columns; /* by attribute slot, NULL where there is none */
  size_t column_count;
  bool random;      /* units are drawn; else taken in turn, over and over */
  uint32_t *firsts; /* first row of each conversation, in order; NULL: each row is a unit */
  size_t conversations;
  uint32_t *roots; /* conversations that arrive, rising; NULL: all do */
  size_t root_count;
  tdm_row_begins *begins; /* the others: by whose row they are begun, rising by row */
  size_t begin_count;
  uint32_t *joins; /* rows, rising, that come when all who were begun before are done */
  size_t join_count;
  /* Blocks of prompts: those of row i are block_ids[block_ends[i - 1] … block_ends[i]), each of
   * block_tokens tokens, the last perhaps of fewer. Equal leading ids are equal prefixes. */
  uint32_t *block_ids;
  uint64_t *block_ends;
  int64_t block_tokens; /* 0: prompts are not told */
  /* The same in fewer pieces, by tdm_rows_join_blocks: row i's are segments[segment_ends[i - 1] …
   * segment_ends[i]). */
  uint64_t *segments;      /* hashes, each of the whole prompt up to the segment's first block */
  int64_t *segment_tokens; /* of the prompt, up to the end of each */
  uint64_t *segment_ends;
} tdm_request_rows;

void tdm_rows_clear(tdm_request_rows *rows);
tdm_status tdm_rows_check(const tdm_request_rows *rows, tdm_error *error);

/* Joins blocks that no row tells apart, so that work on a prompt is by where prompts part, not by
 * its length. See segments.c. */
tdm_status tdm_rows_join_blocks(tdm_request_rows *rows, tdm_error *error);

static inline size_t tdm_rows_segments(const tdm_request_rows *rows, size_t row,
                                       const uint64_t **hashes, const int64_t **tokens) {
  uint64_t first = row > 0 ? rows->segment_ends[row - 1] : 0;
  *hashes = rows->segments + first;
  *tokens = rows->segment_tokens + first;
  return (size_t)(rows->segment_ends[row] - first);
}

/* How many arrive. */
static inline size_t tdm_rows_units(const tdm_request_rows *rows) {
  if (rows->roots != NULL) return rows->root_count;
  return rows->firsts != NULL ? rows->conversations : rows->count;
}

static inline bool tdm_rows_have(const tdm_request_rows *rows, uint32_t slot) {
  return slot < rows->column_count && rows->columns[slot] != NULL;
}

/* The row of request n in its round-th turn; beyond the conversation's last it stays there. */
size_t tdm_rows_at(const tdm_request_rows *rows, tdm_stream picks, uint64_t n, uint64_t round);
/* The same of a conversation by its number. */
size_t tdm_rows_turn(const tdm_request_rows *rows, size_t unit, uint64_t round);

/* Those that a row begins, side by side. */
const tdm_row_begins *tdm_rows_begun(const tdm_request_rows *rows, size_t row, size_t *count);
bool tdm_rows_joins(const tdm_request_rows *rows, size_t row);

/* How often request n's unit has been taken before, where units are taken in turn. */
static inline uint64_t tdm_rows_pass(const tdm_request_rows *rows, uint64_t n) {
  return n / tdm_rows_units(rows);
}

static inline const uint32_t *tdm_rows_blocks(const tdm_request_rows *rows, size_t row,
                                              size_t *count) {
  uint64_t first = row > 0 ? rows->block_ends[row - 1] : 0;
  *count = (size_t)(rows->block_ends[row] - first);
  return rows->block_ids + first;
}

#endif
