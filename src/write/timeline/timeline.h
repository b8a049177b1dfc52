/* A recording as data for a timeline in a browser, schema tandem.timeline/2: one run of a file.
 *
 * Everything that is drawn is there: spans in chunks, levels of detail over them, arrows, requests,
 * counters, activity of lanes, and what names come to. A page is given the object of each run and
 * one text of blocks that all runs share; it inflates what it looks at. Times are nanoseconds from
 * the run's origin.
 *
 * - origin, length: of the run's clock: a decimal string; nanoseconds
 * - names: a block: a JSON list; ids of names are indexes
 * - layouts: by id: { category, shape, args: [[key, type]] } or null
 * - groups, tracks: names; { id, name, group, lane, kind, capacity?, pid?, tid?, device?, context?,
 * stream?, source, rows }
 * - ranks: of sources by number, or null; where more than one rank is told
 * - row_counts: blocks of one column: spans of each drawing row, rows of tracks in order
 * - spans: how many; they are numbered row by row, in a row by start
 * - chunks: a block for every TDM_CHUNK_ROWS spans: gap (from the end of the span before in the
 * block, at its beginning from 0), length, name, layout, request (row of the table less that of the
 * last span before that has one, or TDM_NONE)
 * - args: for each chunk a list of [layout, block, [column, …]]: arguments of its spans of that
 * layout; those of a column are beyond what is written by those of the column that is named, -1: of
 * none
 * - levels: each a list of blocks: gap (as above), length, idle, name, layout, count of nodes over
 * 32; a row has ceil(n / 32) nodes over its n > 128 spans or nodes, else none
 * - thinned: only of a run with more spans than are wanted: { spans (that are written: these have
 * the numbers that all else here uses), rows: blocks of how many each row has, level (of the lowest
 * nodes of long rows), whole_ns (all that are at least so long are written; absent: not said),
 * group (and the longest of so many neighbours) }. Nodes, row_counts, sums, totals, instants,
 * activity, marks, stations and derived counters are those of all spans. The lowest nodes of a row
 * are those of `level`, or of its highest level where that is lower; levels below have no other
 * nodes. They have two columns more: the number of the first span under them that is written, and
 * how many are. Sums are those of stretches of `stretch` spans of a row with nodes (of one node
 * where that has more), by the number of their first among all; totals have the longest, too.
 * Arrows have TDM_NONE for an end that is not written, requests are those of spans that are, and a
 * counter of many samples has `coarse`: no blocks, and only the levels that are short
 * - arrows: blocks: from span, to span, kind (arrow_kinds); loose_arrows: how many others
 * - requests: blocks: id, class, arrival, end, outcome, gpu; arrival and end less those of the
 * first span of category "request" that says this row; classes, outcomes: words
 * - counters: { name, unit, track, samples, derived?, blocks: time, value; levels: first, last,
 * least, greatest, mean }
 * - activity: { lane, steps } or { lane, width_ns, bins }, see activity.c
 * - totals: blocks: name, track, layout, count, total time
 * - sums: blocks: first span, name, layout, count, total time, longest: what the spans of a row in
 * one chunk come to, so that a long range is summed up without them; none where there are few spans
 * - instants: how many rows without a length there are, which are not drawn
 * - marks: { kind: "saturated" | "queue", what, track, from, to, slots (0: a measured GPU), busy,
 * waiting (on average), first, last (in its first, its last part), most, stage }, see marks.c
 * - stations: { what, track, slots, from, to (its first work, the end of its last), busy (with
 * any), used (share of its servers' time), idle_from, idle_to (the longest without any) }
 *
 * Owns nothing. Called by the binding. */
#ifndef TDM_WRITE_TIMELINE_TIMELINE_H
#define TDM_WRITE_TIMELINE_TIMELINE_H

#include "trace/chunk.h"
#include "trace/recording.h"

/* Blocks of a timeline's file: bytes, deflated and as digits of base 85, five of four bytes with
 * the highest first, one block after the other in one text.
 *
 * A page cuts a block out of the text by its length and inflates it only when it looks at it; one
 * that is damaged fails by zlib's checksum. A columns block is a chunk (trace/chunk.h) of at most
 * TDM_CHUNK_ROWS rows whose columns are not squeezed by themselves. Failures stick: callers write
 * without checking and ask at the end.
 *
 * Owns the text, the lengths and the compressor. Called by the files of this room. */

typedef struct tdm_blocks tdm_blocks;

tdm_blocks *tdm_blocks_new(void); /* NULL: out of memory */
void tdm_blocks_free(tdm_blocks *blocks);

/* The number of the new block, from 0. */
size_t tdm_blocks_add(tdm_blocks *blocks, const void *bytes, size_t length);
/* Rows first … first + rows - 1 of the columns, 1 … TDM_CHUNK_ROWS of them. */
size_t tdm_blocks_columns(tdm_blocks *blocks, int64_t *const *column, uint32_t columns,
                          size_t first, size_t rows);

tdm_status tdm_blocks_status(const tdm_blocks *blocks, tdm_error *error);

size_t tdm_blocks_count(const tdm_blocks *blocks);
/* Characters of a block, without the line end that follows it. */
size_t tdm_blocks_length(const tdm_blocks *blocks, size_t block);
const char *tdm_blocks_text(const tdm_blocks *blocks, size_t *length);

/* How much of a run is wanted. */
typedef struct {
  size_t most; /* spans and nodes over them, about */
  const int64_t
      *moment; /* [moments] of the run's clock, rising: spans that begin or end there stay */
  size_t moments;
} tdm_timeline_wish;

/* *json: the run's object, which the caller frees. Its blocks are added to `blocks`. `wish`: NULL
 * for all of it. The recording forgets what is written and not needed again: it is good for nothing
 * else afterwards. */
tdm_status tdm_timeline_run_write(tdm_recording *recording, const tdm_timeline_wish *wish,
                                  tdm_blocks *blocks, char **json, tdm_error *error);

#endif
