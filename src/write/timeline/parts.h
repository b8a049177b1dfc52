/* The parts of one run in a timeline's file: each writes its blocks and its keys of the run's
 * object. The file's description is timeline.h's. Called by timeline.c only. */
#ifndef TDM_WRITE_TIMELINE_PARTS_H
#define TDM_WRITE_TIMELINE_PARTS_H

#include "write/timeline/blocks.h"
#include "write/timeline/frame.h"
#include "write/timeline/meta.h"

/* Of a run while its parts are written. */
typedef struct {
  const tdm_frame *frame;
  tdm_blocks *blocks;
  tdm_meta *meta;
  uint64_t *request; /* [requests] ids, rising; their numbers here are the rows of the table */
  size_t requests;
  int64_t *arrow_from, *arrow_to; /* [arrows] numbers of spans; one piece of memory */
  size_t arrows;
} tdm_timeline_run;

enum { TDM_TIMELINE_FAN = 16 }; /* nodes or spans under a node */

tdm_status tdm_timeline_tracks(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_requests(tdm_timeline_run *run, tdm_error *error); /* before the spans */
tdm_status tdm_timeline_spans(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_pyramid(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_arrows(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_counters(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_activity(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_totals(tdm_timeline_run *run, tdm_error *error);
tdm_status tdm_timeline_marks(tdm_timeline_run *run, tdm_error *error); /* after the arrows */

/* Whether rows of a category are what a GPU does. */
bool tdm_timeline_is_work(const char *category);

/* The row of a request, or TDM_NONE. */
int64_t tdm_timeline_request_row(const tdm_timeline_run *run, int64_t request);

/* Rows of columns as blocks of TDM_CHUNK_ROWS: "key": [block, …]. */
void tdm_timeline_list(tdm_timeline_run *run, const char *key, int64_t *const *column,
                       uint32_t columns, size_t rows);

#endif
