/* The table of formats that are written. See writer.h. Owns no state. */
#include "write/writer.h"

#include <string.h>

#include "write/chrome.h"
#include "write/csv.h"
#include "write/jsonl.h"

const tdm_writer *const tdm_writers[] = {&tdm_writer_chrome, &tdm_writer_csv, &tdm_writer_jsonl,
                                         NULL};

const tdm_writer *tdm_writer_named(const char *name) {
  for (const tdm_writer *const *each = tdm_writers; *each != NULL; each++)
    if (strcmp((*each)->name, name) == 0) return *each;
  return NULL;
}
