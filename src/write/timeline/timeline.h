/* A recording as data for a timeline in a browser, schema tandem.timeline/1: one run of a file.
 *
 * Everything that is drawn is there: spans in chunks, levels of detail over them, arrows, requests,
 * counters, activity of lanes, and what names come to. A page is given the object of each run and
 * one text of blocks that all runs share; it inflates what it looks at. Times are nanoseconds from
 * the run's origin.
 *
 *   origin, length   of the run's clock: a decimal string; nanoseconds
 *   names            block: a JSON list; ids of names are indexes
 *   layouts          by id: { category, shape, args: [[key, type]] } or null
 *   groups, tracks   names; { id, name, group, lane, kind, capacity?, rows }
 *   row_counts       blocks of one column: spans of each drawing row, rows of tracks in order
 *   spans            how many; they are numbered row by row, in a row by start
 *   chunks           a block for every TDM_CHUNK_ROWS spans: start, length, name, layout, request
 *                    (row of the table, or TDM_NONE)
 *   args             for each chunk a list of [layout, block]: arguments of its spans of that
 * layout levels           each a list of blocks: start, end, busy, name, layout, count of nodes
 * over 16; a row has ceil(n / 16) nodes over its n > 64 spans or nodes, else none arrows blocks:
 * from span, to span, kind (arrow_kinds); loose_arrows: how many others requests         blocks:
 * id, class, arrival, end, outcome, gpu; classes, outcomes: words request_first, request_spans
 * spans of request r: from first[r] to first[r + 1] counters         { name, unit, track, samples,
 * blocks: time, value; levels: first, last, least, greatest, mean } activity         { lane, steps
 * } or { lane, width_ns, bins }, see activity.c totals           blocks: name, track, layout,
 * count, total time
 *
 * Owns nothing. Called by the binding. */
#ifndef TDM_WRITE_TIMELINE_TIMELINE_H
#define TDM_WRITE_TIMELINE_TIMELINE_H

#include "trace/recording.h"
#include "write/timeline/blocks.h"

/* *json: the run's object, which the caller frees. Its blocks are added to `blocks`. */
tdm_status tdm_timeline_run_write(const tdm_recording *recording, tdm_blocks *blocks, char **json,
                                  tdm_error *error);

#endif
