/* What a Kineto reader holds while it reads: shared by kineto.c, which walks the file, and
 * phases.c, which makes records of events. Nothing else includes this. */
#ifndef TDM_READ_KINETO_STATE_H
#define TDM_READ_KINETO_STATE_H

#include "read/kineto/event.h"
#include "read/kineto/facts.h"
#include "read/kineto/flows.h"
#include "read/kineto/open.h"
#include "read/kineto/samples.h"
#include "read/reader.h"
#include "trace/intern.h"

typedef struct {
  const char *name; /* the category's, tandem's word */
  tdm_kineto_side side;
  bool copies, sets, calls;
  unsigned without;
} tdm_kineto_info;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_kineto_args *args;
  tdm_kineto_tracks *tracks;
  tdm_kineto_flows *flows;
  tdm_kineto_open *open;
  tdm_kineto_samples *samples;
  tdm_kineto_facts facts;
  tdm_kineto_event event;
  tdm_kineto_event_reader reader;
  tdm_intern categories; /* by spelling */
  tdm_kineto_info *infos;
  size_t info_room;
  uint32_t category; /* of the event being read; 0: none */
  uint32_t last_category;
  uint32_t memory; /* the category of allocations */
  uint64_t events;
  int64_t first_ns, last_ns;
  bool has_events; /* an array of them was there */
  tdm_status status;
  tdm_error *error;
} tdm_kineto;

/* Makes the two categories that no event spells. False: out of memory. */
bool tdm_kineto_make_categories(tdm_kineto *k);

/* Whether the caller wants events of its category, which k->category then is. For
 * tdm_kineto_event_reader: the context is a tdm_kineto. */
bool tdm_kineto_wanted(void *context, const tdm_kineto_event *event);

/* The event that was read becomes records, or waits for its other half. */
void tdm_kineto_take_event(tdm_kineto *k);

/* What still waits is recorded as open, or counted. */
void tdm_kineto_finish_events(tdm_kineto *k);

#endif
