/* The reader of folded stacks: lines "a;b;c 123", as stackcollapse-*.pl and many profilers write.
 *
 * There are no times in this format. Spans of category "sample" lie end to end in the order of the
 * lines, as long as their weights: nanoseconds, or in the unit that the caller names; frames that
 * neighbouring lines share are one span. The source's detail says so. In read/reader.c's table. */
#ifndef TDM_READ_FOLDED_H
#define TDM_READ_FOLDED_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_folded;

#endif
