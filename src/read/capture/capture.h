/* Capture files of `tandem capture` (src/capture/format.h). */
#ifndef TDM_READ_CAPTURE_CAPTURE_H
#define TDM_READ_CAPTURE_CAPTURE_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_capture;

#endif
