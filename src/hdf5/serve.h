/* Inside hdf5.so: serve.c's and write.c's entries of the table in module.c. */
#ifndef TDM_HDF5_SERVE_H
#define TDM_HDF5_SERVE_H

#include "hdf5/module.h"

void hdf5_serve(const char *path, int socket);

tdm_hdf5_writer *hdf5_write_create(void);
void hdf5_write_group(tdm_hdf5_writer *writer, const char *path);
void hdf5_write_numbers(tdm_hdf5_writer *writer, const char *path, tdm_hdf5_cell cell,
                        const void *values, size_t count);
void hdf5_write_texts(tdm_hdf5_writer *writer, const char *path, const char *const *texts,
                      size_t count);
void hdf5_write_note_number(tdm_hdf5_writer *writer, const char *path, const char *name,
                            tdm_hdf5_cell cell, const void *value);
void hdf5_write_note_text(tdm_hdf5_writer *writer, const char *path, const char *name,
                          const char *text);
tdm_status hdf5_write_finish(tdm_hdf5_writer *writer, void **bytes, size_t *length,
                             tdm_error *error);

#endif
