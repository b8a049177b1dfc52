/* The Perfetto trace writer: track events as protocol buffers, for ui.perfetto.dev and the trace
 * processor.
 *
 * Every span is a slice, on a further track where it overlaps others without nesting. Instants,
 * counters with their units, arguments with their types, edges and correlations as flows. Times are
 * nanoseconds, exact; a trace with negative ones is shifted to zero and says by how much. An end of
 * an edge moves to the beginning of the span it belongs to (write/span_links). Requests, metrics
 * and artifacts have no place in this format. In write/writer.c's table. */
#ifndef TDM_WRITE_PERFETTO_H
#define TDM_WRITE_PERFETTO_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_perfetto;

#endif
