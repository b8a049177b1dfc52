/* The reader of `ncu --csv`: kernel metrics of Nsight Compute. See ncu.c. */
#ifndef TDM_READ_NCU_H
#define TDM_READ_NCU_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_ncu;

#endif
