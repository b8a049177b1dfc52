/* The table of formats and which of them a file is. See reader.h. Owns no state. */
#include "read/reader.h"

#include <string.h>

#include "read/number.h"

#define LINE(reader) &reader,
const tdm_reader *const tdm_readers[] = {TDM_READERS(LINE) NULL};
#undef LINE

tdm_status tdm_reader_find(tdm_input *input, const tdm_reader **reader, tdm_error *error) {
  const unsigned char *head;
  size_t length;
  *reader = NULL;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK) return status;
  if (length == 0) return tdm_error_set(error, TDM_INVALID, "%s is empty", tdm_input_path(input));
  int surest = 0;
  for (const tdm_reader *const *each = tdm_readers; *each != NULL; each++) {
    int sure = (*each)->detect(head, length, tdm_input_path(input));
    if (sure > surest) {
      surest = sure;
      *reader = *each;
    }
  }
  if (*reader != NULL) return TDM_OK;
  if (length >= 2 && (head[0] ^ head[1]) == 1 && (head[0] & head[1]) == 0xfe)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is UTF-16, but traces are UTF-8: `iconv -f UTF-16 -t UTF-8` turns it "
                         "into that",
                         tdm_input_path(input));
  return tdm_error_set(error, TDM_INVALID,
                       "%s is in none of the formats that are read; `tandem help formats` lists "
                       "them",
                       tdm_input_path(input));
}

tdm_status tdm_read_progress(const tdm_input *input, const tdm_read_options *options,
                             tdm_error *error) {
  uint64_t done, total;
  if (options->progress == NULL) return TDM_OK;
  tdm_input_progress(input, &done, &total);
  if (options->progress(options->context, done, total) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INTERRUPTED, "%s: reading was interrupted",
                       tdm_input_path(input));
}

uint64_t tdm_read_kind(const char *category) {
  static const struct {
    const char *category;
    uint64_t kind;
  } kinds[] = {
      {"runtime", TDM_READ_NO_API},
      {"driver", TDM_READ_NO_API},
      {"sync", TDM_READ_NO_API},
      {"cuda_event", TDM_READ_NO_API},
      {"nvtx", TDM_READ_NO_NVTX},
      {"user_annotation", TDM_READ_NO_NVTX},
      {"gpu_user_annotation", TDM_READ_NO_NVTX},
      {"osrt", TDM_READ_NO_OSRT},
      {"sched", TDM_READ_NO_OSRT},
      {"cpu_op", TDM_READ_NO_CPU},
      {"python_function", TDM_READ_NO_CPU},
      {"kernel", TDM_READ_NO_GPU},
      {"memcpy", TDM_READ_NO_GPU},
      {"memset", TDM_READ_NO_GPU},
      {"graph", TDM_READ_NO_GPU},
      {"gpu_sync", TDM_READ_NO_GPU},
      {"um", TDM_READ_NO_GPU},
  };
  for (size_t i = 0; category != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(category, kinds[i].category) == 0) return kinds[i].kind;
  return 0;
}

int64_t tdm_read_rank_of_path(const char *path) {
  const char *name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  for (const char *p = name; *p != 0; p++) {
    size_t word = strncmp(p, "rank", 4) == 0 ? 4 : strncmp(p, "worker", 6) == 0 ? 6 : 0;
    if (word == 0) continue;
    const char *digits = p + word;
    if (*digits == '_' || *digits == '-' || *digits == '.') digits++;
    size_t length = strspn(digits, "0123456789");
    int64_t rank;
    if (length > 0 && length < 8 && tdm_number_integer(digits, length, &rank)) return rank;
  }
  return TDM_NONE;
}
