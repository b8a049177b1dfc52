/* The table of formats, and which of them a file is. See reader.h. Owns no state. */
#include "read/reader.h"

#include "read/folded.h"
#include "read/kineto.h"
#include "read/pftrace.h"
#include "read/speedscope.h"

const tdm_reader *const tdm_readers[] = {&tdm_reader_pftrace, &tdm_reader_kineto,
                                         &tdm_reader_speedscope, &tdm_reader_folded, NULL};

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
  return tdm_error_set(error, TDM_INVALID,
                       "%s is in none of the formats that are read; `tandem help formats` lists "
                       "them",
                       tdm_input_path(input));
}
