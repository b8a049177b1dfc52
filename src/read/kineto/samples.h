/* Stack samples whose frames come after them: the "samples" and "stackFrames" of a Chrome trace.
 *
 * A sample becomes an instant named by its whole stack, "main;loop;step". Owns the waiting samples
 * and the frames. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_SAMPLES_H
#define TDM_READ_KINETO_SAMPLES_H

#include "read/json.h"
#include "trace/recorder.h"

typedef struct tdm_kineto_samples tdm_kineto_samples;

tdm_kineto_samples *tdm_kineto_samples_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_kineto_samples_free(tdm_kineto_samples *samples);

/* After the OBJECT token of "stackFrames": {"1": {"name": …, "parent": 2}, …}. */
void tdm_kineto_frames_read(tdm_kineto_samples *samples, tdm_json *json);

/* `frame` as it is written, number or text. `name` (an id) is the sample's own. */
void tdm_kineto_sample(tdm_kineto_samples *samples, int64_t time_ns, uint32_t track, uint32_t name,
                       const char *frame, size_t length, double weight);

/* Records the samples. */
void tdm_kineto_samples_finish(tdm_kineto_samples *samples);

#endif
