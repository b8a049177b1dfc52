/* The Perfetto trace reader: track events of .pftrace / .perfetto-trace files.
 *
 * Slices, instants, counters, flows and debug annotations on threads, processes and tracks of any
 * depth, with interned names, defaults, clocks and incremental state by sequence, compressed
 * packets, and Chrome's older events inside them. What write/perfetto wrote comes back as it was.
 * Packets of other kinds (ftrace, profiles, …) are counted by kind. Packets are looked at one by
 * one; what stays in memory is names, tracks, open slices and the ends of flows. In read/reader.c's
 * table. */
#ifndef TDM_READ_PERFETTO_PFTRACE_H
#define TDM_READ_PERFETTO_PFTRACE_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_pftrace;

#endif
