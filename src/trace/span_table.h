/* The rows of a store as SQL tables: span, edge and counter.
 *
 *   span(run, id, start_ns, dur_ns, end_ns, category, name, track, lane, shape, device,
 *        stream, pid, tid, correlation, bytes, kind, request, batch, source, args)
 *   edge(run, id, kind, from_ns, from_track, to_ns, to_track, flow)
 *   counter(run, id, time_ns, track, name, value, unit)
 *
 * `run` is run.number, `id` counts the run's rows, `args` is JSON of all arguments. Chunks that a
 * constraint on run, category, track, start_ns, end_ns, from_ns or time_ns rules out are not read.
 * And a function, run('last') or run('3fa2'): the number of the run that this names.
 *
 * Read only; a run that is being written is not seen by others before it is complete. Registered on
 * each connection that opens a store, and by the loadable extension. */
#ifndef TDM_TRACE_SPAN_TABLE_H
#define TDM_TRACE_SPAN_TABLE_H

#include <sqlite3.h>

#include "base/error.h"

tdm_status tdm_span_table_open(sqlite3 *database, tdm_error *error);

#endif
