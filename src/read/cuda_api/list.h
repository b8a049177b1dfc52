/* Arguments that are a bare list of numbers: what they mean by the record's source and function.
 * Called by read/cuda_api/record. */
#ifndef TDM_READ_CUDA_API_LIST_H
#define TDM_READ_CUDA_API_LIST_H

#include "read/cuda_api/record.h"

/* `count` is at most 2. False: the record had no room for one of them. */
bool tdm_api_list_name(tdm_api_record *record, tdm_recorder *recorder, const int64_t *list,
                       uint32_t count);

#endif
