/* The reader of CUDA-API traces in JSON Lines. See cuda_api.c. */
#ifndef TDM_READ_CUDA_API_CUDA_API_H
#define TDM_READ_CUDA_API_CUDA_API_H

#include "read/reader.h"

extern const tdm_reader tdm_reader_cuda_api;

#endif
