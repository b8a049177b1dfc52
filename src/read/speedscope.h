/* The speedscope reader: evented and sampled profiles of speedscope's file format.
 *
 * A profile is a track. Evented ones give spans of category "frame" (of the frame's file where
 * tandem wrote it), sampled ones spans of category "sample" with the number of samples in each.
 * Times in a unit that is none are taken for nanoseconds, or for what the caller says, and the
 * source's detail says so. Events that are out of order, do not match or have no end are mended and
 * counted. Keys may come in any order, so one profile at a time is in memory, 16 bytes an event,
 * and spans wait there too until the table of frames has come. In read/reader.c's table. */
#ifndef TDM_READ_SPEEDSCOPE_H
#define TDM_READ_SPEEDSCOPE_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_speedscope;

#endif
