/* Bytes as what the process that runs libhdf5 says: a damaged file may have made anything of it.
 * The readers of both layouts take it, and must refuse or record it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "read/hdf5/hdf5.h"

/* All of it lies in the socket before the first request, so that nobody waits: requests beyond
 * what it holds would. */
enum { MOST = 4096 };

static tdm_status read_file(tdm_hdf5_file *file, tdm_recorder *recorder, tdm_error *error) {
  tdm_read_options options = {0};
  if (tdm_tandem_hdf5_is(file))
    return tdm_tandem_hdf5_read(file, "fuzz", &options, recorder, error);
  if (tdm_nsys_hdf5_is(file, "fuzz"))
    return tdm_nsys_hdf5_read(file, "fuzz", &options, recorder, error);
  return TDM_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int ends[2];
  if (size > MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  if (write(ends[1], data, size) != (ssize_t)size) abort();
  shutdown(ends[1], SHUT_WR);
  tdm_error error;
  tdm_hdf5_file *file;
  tdm_record_sink sink = {0};
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "fuzz", "fuzz");
  if (tdm_hdf5_open_socket(ends[0], "fuzz", &file, &error) == TDM_OK) {
    read_file(file, recorder, &error);
    tdm_hdf5_close(file);
  }
  tdm_recorder_end_source(recorder, &error);
  tdm_recorder_free(recorder);
  close(ends[1]);
  return 0;
}
