/* Arguments that are a bare list of numbers: what they mean by the record's source and function;
 * see record.h. The meanings are ingero's, which writes "args": [bytes, direction] for a copy and
 * so on. */
#include "read/cuda_api/record.h"

#include <stdio.h>

static bool put_hex(tdm_api_args *args, tdm_recorder *recorder, uint8_t key, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return tdm_api_args_put(args, key, TDM_ARG_TEXT, tdm_record_text(recorder, text));
}

static bool put_whole(tdm_api_args *args, uint8_t key, int64_t value) {
  return tdm_api_args_put(args, key, TDM_ARG_INT, value);
}

static bool name_call(tdm_api_record *record, tdm_recorder *recorder, int64_t first,
                      int64_t second) {
  tdm_api_args *args = &record->args;
  uint8_t does = record->word.does;
  if (does & TDM_API_COPIES) {
    if (record->word.kind == NULL) record->word.kind = tdm_api_direction_number(second);
    return put_whole(args, TDM_API_BYTES, first);
  }
  if (does & TDM_API_ALLOCATES) return put_whole(args, TDM_API_BYTES, first);
  if (does & TDM_API_FREES)
    return put_hex(args, recorder, TDM_API_PTR, first) &&
           (second <= 0 || put_whole(args, TDM_API_BYTES, second));
  if (does & TDM_API_LAUNCHES) return put_hex(args, recorder, TDM_API_FUNCTION, first);
  return first == 0 || put_hex(args, recorder, TDM_API_STREAM, first);
}

bool tdm_api_list_name(tdm_api_record *record, tdm_recorder *recorder, const int64_t *list,
                       uint32_t count) {
  if (count == 0) return true;
  tdm_api_args *args = &record->args;
  int64_t first = list[0], second = count > 1 ? list[1] : 0;
  switch (record->source) {
  case TDM_API_CUDA:
  case TDM_API_DRIVER: return name_call(record, recorder, first, second);
  case TDM_API_HOST:
    return put_whole(args, TDM_API_CPU, first) && put_whole(args, TDM_API_TARGET_PID, second);
  case TDM_API_NET:
    return put_whole(args, TDM_API_FD, first) && put_whole(args, TDM_API_BYTES, second);
  default:
    return put_whole(args, TDM_API_ARG0, first) &&
           (count < 2 || put_whole(args, TDM_API_ARG1, second));
  }
}
