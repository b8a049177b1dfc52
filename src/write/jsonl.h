/* The writer of JSON Lines, from which everything can be read back (read/jsonl). */
#ifndef TDM_WRITE_JSONL_H
#define TDM_WRITE_JSONL_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_jsonl;

#endif
