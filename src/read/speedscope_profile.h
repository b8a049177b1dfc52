/* One profile of a speedscope file, as its keys come, and then as spans.
 *
 * Numbers wait as they are written, since the unit may come last. Owns its arrays. Called by
 * read/speedscope. */
#ifndef TDM_READ_SPEEDSCOPE_PROFILE_H
#define TDM_READ_SPEEDSCOPE_PROFILE_H

#include "read/stack_spans.h"
#include "trace/recorder.h"

/* value / 10^decimals, in the profile's unit. */
typedef struct {
  int64_t value;
  uint32_t decimals;
} tdm_scope_number;

typedef struct {
  int64_t value;
  uint32_t frame;
  uint8_t decimals, opens;
} tdm_scope_event;

typedef struct {
  uint32_t frame;
  uint32_t shape;
  int64_t start_ns, end_ns;
  int64_t samples; /* TDM_NONE: of an evented profile */
} tdm_scope_span;

typedef struct {
  tdm_recorder *recorder;
  int sampled, unit; /* power of ten; -1: no unit of time */
  int unit_none;     /* the power for that */
  int no_time;       /* some profile had no unit of time */
  char *name;
  tdm_scope_number start, end;
  tdm_scope_event *event;
  size_t events, event_room;
  uint32_t *frame; /* of all samples, one after the other */
  size_t frames, frame_room;
  size_t *sample; /* where each sample ends in `frame` */
  size_t samples, sample_room;
  tdm_scope_number *weight;
  size_t weights, weight_room;
  tdm_scope_event *open; /* of evented profiles */
  size_t open_room;
  tdm_stack_spans stacks;
  void (*span)(void *context, const tdm_scope_span *span);
  void *context;
  int failed;
} tdm_scope_profile;

void tdm_scope_profile_clear(tdm_scope_profile *profile); /* before each; keeps the memory */
void tdm_scope_profile_free(tdm_scope_profile *profile);
void tdm_scope_profile_name(tdm_scope_profile *profile, const char *name);
void tdm_scope_profile_unit(tdm_scope_profile *profile, const char *unit);
tdm_scope_number tdm_scope_number_of(const char *text, size_t length);

/* Hands over the spans of the whole profile. */
void tdm_scope_profile_spans(tdm_scope_profile *profile);

#endif
