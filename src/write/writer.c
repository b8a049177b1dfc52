/* The table of formats that are written. See writer.h. Owns no state. */
#include "write/writer.h"

#include <string.h>

#define LINE(writer) &writer,
const tdm_writer *const tdm_writers[] = {TDM_WRITERS(LINE) NULL};
#undef LINE

const tdm_writer *tdm_writer_named(const char *name) {
  for (const tdm_writer *const *each = tdm_writers; *each != NULL; each++)
    if (strcmp((*each)->name, name) == 0) return *each;
  return NULL;
}
