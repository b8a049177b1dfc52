/* Inside the reader of tandem's HDF5 layout: small columns read whole; tandem.c reads rows,
 * tandem_meta.c what they refer to. */
#ifndef TDM_READ_HDF5_INSIDE_H
#define TDM_READ_HDF5_INSIDE_H

#include "read/hdf5/hdf5.h"

/* Small columns of an HDF5 file read whole: the tables of /meta and tables of names. Called by
 * read/hdf5/tandem.c and read/hdf5/tandem_meta.c. */

typedef struct {
  size_t count;
  char *bytes; /* texts, each with a NUL */
  size_t *offset;
} tdm_hdf5_texts;

static inline const char *tdm_hdf5_text_at(const tdm_hdf5_texts *texts, size_t index) {
  return index < texts->count ? texts->bytes + texts->offset[index] : "";
}
void tdm_hdf5_texts_free(tdm_hdf5_texts *texts);
tdm_status tdm_hdf5_load_texts(tdm_hdf5_file *file, const tdm_hdf5_table *table,
                               tdm_hdf5_texts *texts, tdm_error *error);

/* What a value of a column of integers is when there is none; TDM_NONE where all are. */
int64_t tdm_hdf5_absent(const tdm_hdf5_file *file, const tdm_hdf5_table *table);

/* A table of /meta. The first failure sticks in `status`; columns are then empty. */
typedef struct {
  tdm_hdf5_file *file;
  const char *path; /* of the file, for messages */
  const char *table;
  size_t count;
  tdm_status status;
  tdm_error *error;
} tdm_hdf5_sheet;

/* `key` is the column that says how many rows there are. */
void tdm_hdf5_sheet_begin(tdm_hdf5_sheet *sheet, const char *table, const char *key);
/* [count], to be freed; TDM_NONE where a value or the whole column is not there. NULL: failed. */
int64_t *tdm_hdf5_sheet_integers(tdm_hdf5_sheet *sheet, const char *column);
double *tdm_hdf5_sheet_reals(tdm_hdf5_sheet *sheet, const char *column); /* NaN likewise */
tdm_hdf5_texts tdm_hdf5_sheet_texts(tdm_hdf5_sheet *sheet, const char *column);

/* Inside the reader of tandem's HDF5 layout: tandem.c reads rows, tandem_meta.c what they refer to.
 */

#define TDM_HDF5_NO_TRACK UINT32_MAX

typedef struct {
  tdm_hdf5_file *file;
  const char *path;
  tdm_recorder *recorder;
  tdm_error *error;
  /* The sources of the file, in order; 0: it names none. */
  size_t sources;
  tdm_hdf5_texts source_path, source_format, source_detail;
  int64_t *rank, *utc_ns, *offset_ns;
  /* Its tracks: their sources, and their ids once their source was begun. */
  size_t tracks;
  uint32_t *track_id;
  int64_t *track_source;
} tdm_hdf5_import;

tdm_status tdm_hdf5_import_begin(tdm_hdf5_import *import);
void tdm_hdf5_import_free(tdm_hdf5_import *import);

/* Makes source number `index` the recorder's, with its tracks, facts and problems. */
tdm_status tdm_hdf5_import_source(tdm_hdf5_import *import, size_t index);

/* What belongs to no source: metrics, artifacts, requests. */
tdm_status tdm_hdf5_import_rest(tdm_hdf5_import *import);

#endif
