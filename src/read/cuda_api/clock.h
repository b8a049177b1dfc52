/* Times of CUDA-API traces: the unit that "ts" is in, and texts turned into nanoseconds.
 *
 * Tracers do not say their unit, so it is decided from the first records: by durations that do have
 * one, by the magnitude of a Unix time, by how long calls take. Called by read/cuda_api. */
#ifndef TDM_READ_CUDA_API_CLOCK_H
#define TDM_READ_CUDA_API_CLOCK_H

#include "read/cuda_api/record.h"

typedef struct tdm_api_clock tdm_api_clock;

tdm_api_clock *tdm_api_clock_new(tdm_time_unit asked); /* NULL: out of memory */
void tdm_api_clock_free(tdm_api_clock *clock);

/* Looks at a record of the file's beginning. True: more would change nothing. */
bool tdm_api_clock_look(tdm_api_clock *clock, const tdm_api_record *record);
/* Ends the looking. */
void tdm_api_clock_decide(tdm_api_clock *clock);

/* "ts in ms, by duration_us". */
const char *tdm_api_clock_detail(const tdm_api_clock *clock);

/* A point in time in ns; of RFC 3339 since 1970. False: there is none, or it is beyond int64. */
bool tdm_api_clock_time(tdm_api_clock *clock, const tdm_api_time *time, int64_t *ns);
/* A duration in ns, not negative. "100.5us" has its unit with it. */
bool tdm_api_clock_duration(const tdm_api_clock *clock, const tdm_api_time *time, int64_t *ns);

/* Whether times count from 1970. */
bool tdm_api_clock_is_utc(const tdm_api_clock *clock);

#endif
