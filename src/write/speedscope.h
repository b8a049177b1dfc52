/* The speedscope writer: one evented profile for each track, for speedscope.app.
 *
 * Spans that overlap without nesting are in further profiles of the same name. A frame is a name
 * and, as its file, its category. All profiles begin and end with the trace, in nanoseconds; where
 * they are beyond 2^53, the most that JavaScript counts exactly, they begin at 0. Only spans have a
 * place in this format. In write/writer.c's table. */
#ifndef TDM_WRITE_SPEEDSCOPE_H
#define TDM_WRITE_SPEEDSCOPE_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_speedscope;

#endif
