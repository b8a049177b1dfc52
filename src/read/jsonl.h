/* The reader of tandem's own JSON Lines, which write/jsonl writes: everything comes back. */
#ifndef TDM_READ_JSONL_H
#define TDM_READ_JSONL_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_jsonl;

#endif
