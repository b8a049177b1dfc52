/* The two layouts of HDF5 files that are read: each makes records of an open file. */
#ifndef TDM_READ_HDF5_LAYOUTS_H
#define TDM_READ_HDF5_LAYOUTS_H

#include <stdbool.h>

#include "read/hdf5/file.h"

/* Nsight Systems' HDF5 export (read/nsys/hdf5.c). */
bool tdm_nsys_hdf5_is(tdm_hdf5_file *file, const char *path);
tdm_status tdm_nsys_hdf5_read(tdm_hdf5_file *file, const char *path,
                              const tdm_read_options *options, tdm_recorder *recorder,
                              tdm_error *error);

/* Columns by category, as tandem writes them (read/hdf5/tandem.c). */
bool tdm_tandem_hdf5_is(const tdm_hdf5_file *file);
tdm_status tdm_tandem_hdf5_read(tdm_hdf5_file *file, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error);

extern const tdm_reader tdm_reader_nsys_hdf5;   /* "nsys-hdf5" (read/hdf5/layouts.c) */
extern const tdm_reader tdm_reader_tandem_hdf5; /* "tandem-hdf5" (read/hdf5/layouts.c) */

#endif
