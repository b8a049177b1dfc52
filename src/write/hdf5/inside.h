/* Inside the HDF5 writer: columns on their way into a file. hdf5.c writes rows, meta.c the
 * tables of /meta; layout in hdf5/layout.h. */
#ifndef TDM_WRITE_HDF5_INSIDE_H
#define TDM_WRITE_HDF5_INSIDE_H

#include "hdf5/hdf5.h"
#include "hdf5/layout.h"
#include "trace/intern.h"
#include "write/writer.h"

enum { TDM_HDF5_PATH = 512 };

typedef struct {
  const tdm_hdf5_module_table *module;
  tdm_hdf5_writer *writer;
  const tdm_recording *recording;
  int64_t zero_ns;
  /* Ids as they are in the file: dense. UINT32_MAX: not in it. */
  uint32_t *track_number, *source_number;
  uint32_t tracks, sources;
  void *cells; /* a column as it is written */
  size_t cells_room;
  tdm_intern paths; /* of groups */
  int no_memory;
} tdm_hdf5_out;

/* Integers in the narrowest cells from `least` on that hold them; TDM_NONE as `absent`. */
void tdm_hdf5_put_integers(tdm_hdf5_out *out, const char *path, tdm_hdf5_cell least,
                           const int64_t *values, size_t count);

void tdm_hdf5_put_meta(tdm_hdf5_out *out, const tdm_write_options *options);

#endif
