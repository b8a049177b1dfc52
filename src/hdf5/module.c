/* The table that hdf5.so offers. See hdf5.h. Owns no state. */
#include "hdf5/inside.h"

extern const tdm_hdf5_module_table tdm_hdf5_module;

const tdm_hdf5_module_table tdm_hdf5_module = {.bytes = sizeof tdm_hdf5_module,
                                               .serve = hdf5_serve,
                                               .create = hdf5_write_create,
                                               .group = hdf5_write_group,
                                               .numbers = hdf5_write_numbers,
                                               .texts = hdf5_write_texts,
                                               .note_number = hdf5_write_note_number,
                                               .note_text = hdf5_write_note_text,
                                               .finish = hdf5_write_finish};
