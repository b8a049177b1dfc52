/* What an allocator held and what of it was in use, by device, from the profiler's allocations. */
#include <stdlib.h>

#include "analysis/evidence/evidence.h"
#include "analysis/groups.h"

static const char *const categories[] = {"memory", NULL};
static const tdm_arg keys[] = {{"Total Allocated", TDM_ARG_INT},
                               {"Total Reserved", TDM_ARG_INT},
                               {"Device Id", TDM_ARG_INT},
                               {NULL, TDM_ARG_INT}};
enum { ALLOCATED, RESERVED, DEVICE };
static const tdm_wanted wanted_memory = {
    .categories = categories, .keys = keys, .shapes = 1u << TDM_SHAPE_INSTANT};

static const tdm_field fields[] = {{"number", TDM_FIELD_INT},
                                   {"rank", TDM_FIELD_INT},
                                   {"events", TDM_FIELD_INT},
                                   {"allocated_bytes", TDM_FIELD_INT},
                                   {"reserved_bytes", TDM_FIELD_INT}};

static void put(tdm_run_view *view, const tdm_table *memory, const tdm_groups *groups, size_t g,
                tdm_frame *frame) {
  const tdm_source *source =
      tdm_run_tables_source(tdm_run_view_tables(view), groups->key[2 * g + 1]);
  int64_t allocated = 0, reserved = 0;
  for (size_t i = groups->first[g]; i < groups->first[g + 1]; i++) {
    uint32_t row = groups->row[i];
    if (tdm_table_arg(memory, ALLOCATED, row) > allocated)
      allocated = tdm_table_arg(memory, ALLOCATED, row);
    if (tdm_table_arg(memory, RESERVED, row) > reserved)
      reserved = tdm_table_arg(memory, RESERVED, row);
  }
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, groups->key[2 * g]);
  tdm_frame_int(frame, 1, source != NULL ? source->rank : TDM_NONE);
  tdm_frame_int(frame, 2, (int64_t)(groups->first[g + 1] - groups->first[g]));
  tdm_frame_int(frame, 3, allocated);
  tdm_frame_int(frame, 4, reserved);
}

tdm_status tdm_evidence_memory(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  const tdm_table *memory = NULL;
  tdm_groups groups = {0};
  int64_t wanted = tdm_run_view_filter_of(view)->device; /* rows lie on threads, which stay */
  (void)options;
  tdm_status status = tdm_run_view_table(view, &wanted_memory, &memory, error);
  if (status == TDM_OK) status = tdm_groups_open(&groups, 2, memory->count, error);
  for (size_t i = 0; status == TDM_OK && i < memory->count; i++) {
    const tdm_track *track = tdm_run_view_track(view, tdm_table_track(memory, i));
    /* The host and what is not wanted are device -1; two files may both have a device 0. */
    int64_t key[2] = {tdm_table_arg(memory, DEVICE, i), track != NULL ? track->source : TDM_NONE};
    if (key[0] == TDM_NONE || key[0] < 0 || (wanted != TDM_NONE && key[0] != wanted)) key[0] = -1;
    if (tdm_groups_add(&groups, key) == UINT32_MAX) status = tdm_error_memory(error, "memory", 0);
  }
  if (status == TDM_OK) status = tdm_groups_gather(&groups, error);
  tdm_frame *frame = tdm_answer_frame(out, "devices", fields, 5);
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++)
    if (groups.key[2 * g] >= 0) put(view, memory, &groups, g, frame);
  tdm_groups_close(&groups);
  return status;
}
