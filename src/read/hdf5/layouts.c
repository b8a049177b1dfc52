/* Which layout an HDF5 file has. See hdf5.h. Owns no state.
 *
 * The first bytes only say that it is HDF5, and often which; the tables say for sure. A file may
 * therefore come to the wrong one of the two readers, and then is what its tables say it is. */
#include "read/hdf5/hdf5.h"

#include <stdio.h>
#include <string.h>

static bool holds(const unsigned char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

static int detect_nsys(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  int sure = tdm_hdf5_detect(head, length);
  return sure > 0 && (holds(head, length, "StringIds") || holds(head, length, "CUPTI_ACTIVITY"))
             ? 80
             : sure;
}

static int detect_tandem(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (tdm_hdf5_detect(head, length) == 0) return 0;
  if (holds(head, length, "tandem_format")) return 90;
  return holds(head, length, "session_id") || holds(head, length, "name_idx") ? 70 : 40;
}

/* The first few tables, for somebody who wonders what the file is. */
static tdm_status stranger(const tdm_hdf5_file *file, const char *path, tdm_error *error) {
  char names[160] = "";
  size_t used = 0, tables = tdm_hdf5_tables(file);
  for (size_t i = 0; i < tables && i < 3 && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%.48s", i > 0 ? ", " : "",
                             tdm_hdf5_table_at(file, i)->path);
  return tdm_error_set(
      error, TDM_INVALID,
      "%s: this HDF5 file is not an Nsight Systems export (nsys export --type hdf) "
      "and was not written by tandem; it has %zu tables%s%s%s",
      path, tables, used > 0 ? ": " : "", names, tables > 3 ? ", …" : "");
}

static tdm_status read_any(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  const char *path = tdm_input_path(input);
  tdm_hdf5_file *file;
  tdm_status status = tdm_hdf5_open(input, options, &file, error);
  if (status != TDM_OK) return status;
  tdm_record_problem(recorder, "HDF5 links and datasets of another shape (not read)",
                     tdm_hdf5_left_out(file));
  if (tdm_tandem_hdf5_is(file)) {
    tdm_recorder_origin(recorder, path, tdm_reader_tandem_hdf5.name, 0);
    status = tdm_tandem_hdf5_read(file, path, options, recorder, error);
  } else if (tdm_nsys_hdf5_is(file, path)) {
    tdm_recorder_origin(recorder, path, tdm_reader_nsys_hdf5.name, 0);
    status = tdm_nsys_hdf5_read(file, path, options, recorder, error);
  } else {
    status = stranger(file, path, error);
  }
  tdm_hdf5_close(file);
  return status;
}

const tdm_reader tdm_reader_nsys_hdf5 = {.name = "nsys-hdf5",
                                         .title = "Nsight Systems HDF5 export",
                                         .accepts = "*.h5, *.hdf",
                                         .detect = detect_nsys,
                                         .read = read_any};

const tdm_reader tdm_reader_tandem_hdf5 = {.name = "tandem-hdf5",
                                           .title = "columns by category, as tandem writes them",
                                           .accepts = "*.h5",
                                           .detect = detect_tandem,
                                           .read = read_any};
