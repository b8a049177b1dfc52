/* The writer of HDF5 files. */
#ifndef TDM_WRITE_HDF5_H
#define TDM_WRITE_HDF5_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_hdf5; /* "hdf5" */

#endif
