/* The layout of HDF5 files that tandem writes and reads back: columns by category, for clients that
 * want typed arrays and no parsing. Included by the module's users on both sides; no code.
 *
 *   /meta                   attributes: session_id, total_duration_ns, total_events, and of tandem:
 *                           tandem_format, tandem_version, run_name, time_zero_ns
 *   /meta/categories        the groups below that hold spans, open spans, instants
 *   /<category>/start_ns duration_ns stream name_idx track, and one column an argument
 *                           times are nanoseconds since time_zero_ns, rows are sorted by start;
 *                           attributes of the group: category, shape; of an argument's column:
 *                           key, type, position, and `absent`: the value of a row that has none
 *   /names/<category>       what name_idx counts in
 *   /names/<category>.<column>   for a column of texts
 *   /edges/<category>       as above, for arrows: from `track` at start_ns to `to_track`,
 *                           duration_ns later
 *   /counters/<category>    as above, for samples: name_idx is the counter
 *   /meta/tracks, sources, facts, problems, metrics, requests, request_classes
 *                           tables, one dataset a column; `track` and `source` columns are rows of
 *                           the first two
 *   /meta/artifacts/<n>     bytes; attributes: name, type
 *
 * A file of that layout from elsewhere has only the first four columns and numbers; `tandem_format`
 * is missing then. */
#ifndef TDM_HDF5_LAYOUT_H
#define TDM_HDF5_LAYOUT_H

#include <stdint.h>

enum { TDM_HDF5_FORMAT = 1 };

/* Groups that clients know by another name than our category. kind: of a copy; NULL: any other. */
typedef struct {
  const char *category, *kind, *group;
} tdm_hdf5_group_name;

#define TDM_HDF5_GROUP_NAMES                                                                       \
  {"kernel", NULL, "cuda_kernel"}, {"memcpy", "HtoD", "cuda_memcpy_h2d"},                          \
      {"memcpy", "DtoH", "cuda_memcpy_d2h"}, {"memcpy", "DtoD", "cuda_memcpy_d2d"},                \
      {"memcpy", "HtoH", "cuda_memcpy_h2h"}, {"memcpy", "PtoP", "cuda_memcpy_p2p"},                \
      {"memcpy", NULL, "cuda_memcpy"}, {"memset", NULL, "cuda_memset"},                            \
      {"runtime", NULL, "cuda_runtime"}, {"driver", NULL, "cuda_driver"},                          \
      {"sync", NULL, "cuda_sync"}, {                                                               \
    "nvtx", NULL, "nvtx_range"                                                                     \
  }

/* Columns likewise. */
typedef struct {
  const char *key, *column;
} tdm_hdf5_column_name;

#define TDM_HDF5_COLUMN_NAMES                                                                      \
  {"registers_per_thread", "registers"}, {"static_shared_bytes", "shared_static"}, {               \
    "dynamic_shared_bytes", "shared_dynamic"                                                       \
  }

/* Integer columns of the tables in /meta. */
#define TDM_HDF5_ABSENT "absent"

#endif
