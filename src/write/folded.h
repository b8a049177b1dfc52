/* The writer of folded stacks: "process;track;outer;inner 123" lines, for flame graphs.
 *
 * The weight is self time in nanoseconds: a span's duration without those of the spans in it,
 * summed over all spans with the same stack. Lines are in the order in which stacks first appear.
 * Stacks without time of their own have no line. Semicolons in names become colons, line breaks
 * spaces. Only spans have a place in this format. In write/writer.c's table. */
#ifndef TDM_WRITE_FOLDED_H
#define TDM_WRITE_FOLDED_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_folded;

#endif
