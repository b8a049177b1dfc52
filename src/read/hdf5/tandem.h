/* Inside the reader of tandem's HDF5 layout: tandem.c reads rows, tandem_meta.c what they
 * refer to. */
#ifndef TDM_READ_HDF5_TANDEM_H
#define TDM_READ_HDF5_TANDEM_H

#include "read/hdf5/columns.h"

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
