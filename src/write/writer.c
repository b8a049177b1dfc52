/* The table of formats that are written. See writer.h. Owns no state. */
#include "write/writer.h"

#include <string.h>

#include "write/chrome.h"
#include "write/csv.h"
#include "write/folded.h"
#include "write/hdf5.h"
#include "write/jsonl.h"
#include "write/nsys.h"
#include "write/perfetto.h"
#include "write/speedscope.h"

const tdm_writer *const tdm_writers[] = {
    &tdm_writer_chrome,     &tdm_writer_perfetto, &tdm_writer_nsys,
    &tdm_writer_hdf5,       &tdm_writer_csv,      &tdm_writer_jsonl,
    &tdm_writer_speedscope, &tdm_writer_folded,   NULL,
};

const tdm_writer *tdm_writer_named(const char *name) {
  for (const tdm_writer *const *each = tdm_writers; *each != NULL; each++)
    if (strcmp((*each)->name, name) == 0) return *each;
  return NULL;
}
