/* The reader "kineto": torch-profiler (Kineto) JSON of 2021 to today, and Chrome trace JSON of
 * anyone.
 *
 * Streams, whatever the size. Called through the table of readers. */
#ifndef TDM_READ_KINETO_KINETO_H
#define TDM_READ_KINETO_KINETO_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_kineto;

#endif
