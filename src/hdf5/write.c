/* Writes an HDF5 file in memory: groups, columns of numbers and texts, attributes. See hdf5.h.
 *
 * The same calls give the same bytes: no times are kept. libhdf5 serves one thread at a time, so
 * one file is made at a time, and no process is forked meanwhile. Owns libhdf5's handles of the
 * file. */
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>

#include "hdf5/inside.h"

enum {
  COMPACT = 2048,   /* bytes: a column that small lies in its header */
  CHUNK = 16384,    /* rows: what a reader decompresses at once */
  GROWTH = 4 << 20, /* bytes that the file in memory grows by */
  COMPRESSION = 4   /* deflate: as dense as it gets before it becomes slow */
};

struct tdm_hdf5_writer {
  hid_t file, text, along; /* `along`: links create the groups above them */
  tdm_status status;
  tdm_error error;
};

static void fail(tdm_hdf5_writer *writer, const char *what, const char *path) {
  if (writer->status == TDM_OK)
    writer->status = tdm_error_set(&writer->error, TDM_MEMORY,
                                   "libhdf5 cannot make %s %s: out of memory?", what, path);
}

static hid_t type_of(tdm_hdf5_cell cell, hid_t *in_file) {
  switch (cell) {
  case TDM_HDF5_U8: *in_file = H5T_STD_U8LE; return H5T_NATIVE_UINT8;
  case TDM_HDF5_U16: *in_file = H5T_STD_U16LE; return H5T_NATIVE_UINT16;
  case TDM_HDF5_U32: *in_file = H5T_STD_U32LE; return H5T_NATIVE_UINT32;
  case TDM_HDF5_U64: *in_file = H5T_STD_U64LE; return H5T_NATIVE_UINT64;
  case TDM_HDF5_I64: *in_file = H5T_STD_I64LE; return H5T_NATIVE_INT64;
  case TDM_HDF5_F64: break;
  }
  *in_file = H5T_IEEE_F64LE;
  return H5T_NATIVE_DOUBLE;
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
  pthread_mutex_lock(&one_at_a_time);
}

static void unlock(void) {
  pthread_mutex_unlock(&one_at_a_time);
}

/* A child that reads must not find libhdf5 in the middle of something. */
static void guard_forks(void) {
  pthread_atfork(lock, unlock, unlock);
}

tdm_hdf5_writer *hdf5_write_create(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  tdm_hdf5_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return NULL;
  pthread_once(&once, guard_forks);
  lock();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, GROWTH, 0);
  writer->file = H5Fcreate("tandem.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  writer->text = H5Tcopy(H5T_C_S1);
  H5Tset_size(writer->text, H5T_VARIABLE);
  H5Tset_cset(writer->text, H5T_CSET_UTF8);
  writer->along = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(writer->along, 1);
  if (writer->file < 0) fail(writer, "the", "file");
  return writer;
}

void hdf5_write_group(tdm_hdf5_writer *writer, const char *path) {
  if (writer->status != TDM_OK) return;
  hid_t group = H5Gcreate2(writer->file, path, writer->along, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0)
    fail(writer, "the group", path);
  else
    H5Gclose(group);
}

static void put(tdm_hdf5_writer *writer, const char *path, hid_t in_file, hid_t in_memory,
                const void *values, size_t count) {
  if (writer->status != TDM_OK) return;
  hsize_t extent = count, chunk = count < CHUNK ? count : CHUNK;
  hid_t space = H5Screate_simple(1, &extent, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(how, 0);
  if (count * H5Tget_size(in_file) <= COMPACT) {
    H5Pset_layout(how, H5D_COMPACT);
  } else {
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, COMPRESSION);
  }
  hid_t set = H5Dcreate2(writer->file, path, in_file, space, writer->along, how, H5P_DEFAULT);
  if (set < 0 || (count > 0 && H5Dwrite(set, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    fail(writer, "the table", path);
  if (set >= 0) H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
}

void hdf5_write_numbers(tdm_hdf5_writer *writer, const char *path, tdm_hdf5_cell cell,
                        const void *values, size_t count) {
  hid_t in_file, in_memory = type_of(cell, &in_file);
  put(writer, path, in_file, in_memory, values, count);
}

void hdf5_write_texts(tdm_hdf5_writer *writer, const char *path, const char *const *texts,
                      size_t count) {
  put(writer, path, writer->text, writer->text, texts, count);
}

static void note(tdm_hdf5_writer *writer, const char *path, const char *name, hid_t in_file,
                 hid_t in_memory, const void *value) {
  if (writer->status != TDM_OK) return;
  hid_t object = H5Oopen(writer->file, path, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, in_file, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, in_memory, value) < 0)
    fail(writer, "an attribute of", path);
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  if (object >= 0) H5Oclose(object);
}

void hdf5_write_note_number(tdm_hdf5_writer *writer, const char *path, const char *name,
                            tdm_hdf5_cell cell, const void *value) {
  hid_t in_file, in_memory = type_of(cell, &in_file);
  note(writer, path, name, in_file, in_memory, value);
}

void hdf5_write_note_text(tdm_hdf5_writer *writer, const char *path, const char *name,
                          const char *text) {
  note(writer, path, name, writer->text, writer->text, &text);
}

/* The file as it would lie on disk. */
static void take_image(tdm_hdf5_writer *writer, void **bytes, size_t *length) {
  if (writer->status != TDM_OK) return;
  ssize_t size =
      H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(writer->file, NULL, 0);
  *bytes = size > 0 ? malloc((size_t)size) : NULL;
  if (*bytes == NULL || H5Fget_file_image(writer->file, *bytes, (size_t)size) != size) {
    free(*bytes);
    *bytes = NULL;
    fail(writer, "the", "file");
    return;
  }
  *length = (size_t)size;
}

tdm_status hdf5_write_finish(tdm_hdf5_writer *writer, void **bytes, size_t *length,
                             tdm_error *error) {
  *bytes = NULL;
  *length = 0;
  take_image(writer, bytes, length);
  H5Pclose(writer->along);
  H5Tclose(writer->text);
  if (writer->file >= 0) H5Fclose(writer->file);
  unlock();
  tdm_status status = writer->status;
  if (status != TDM_OK && error != NULL) *error = writer->error;
  free(writer);
  return status;
}
