/* A capture file that grows, looked at from time to time: sums of what it holds so far.
 *
 * Reads only what came since the last look, by pread: the file may be cut or deleted meanwhile.
 * Owns the descriptor and the sums. Called by bind/capture_follow. */
#ifndef TDM_READ_CAPTURE_FOLLOW_H
#define TDM_READ_CAPTURE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tdm_capture_follower tdm_capture_follower;

enum { TDM_FOLLOW_CALLS, TDM_FOLLOW_KERNELS, TDM_FOLLOW_COPIES, TDM_FOLLOW_RANGES };

/* Records of one name; of copies the name is the way, "HtoD". */
typedef struct {
  int sort; /* TDM_FOLLOW_… */
  uint64_t id;
  const char *name;
  uint64_t count, bytes;
  int64_t ns;
} tdm_follow_name;

typedef struct {
  uint32_t number;
  const char *name;         /* NULL: not told */
  int64_t held, peak;       /* bytes of its memory */
  int64_t busy_ns, last_ns; /* with work, of what has come in order; until when */
} tdm_follow_device;

typedef struct {
  uint64_t records, calls, lost, bytes;
  uint32_t processes;
  int64_t start_ns, last_ns; /* of the capture; of its records */
  bool recording, ended;
  const char *command;
  const tdm_follow_name *names; /* [name_count] in order of their first record */
  size_t name_count;
  const tdm_follow_device *devices;
  size_t device_count;
} tdm_follow_sums;

tdm_status tdm_capture_follow_open(const char *path, tdm_capture_follower **out, tdm_error *error);
void tdm_capture_follow_close(tdm_capture_follower *follower);

/* Adds what is new. The sums are good until the next look. */
tdm_status tdm_capture_follow_look(tdm_capture_follower *follower, tdm_follow_sums *sums,
                                   tdm_error *error);

#endif
