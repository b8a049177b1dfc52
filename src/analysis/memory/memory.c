/* Memory: what was allocated over time, the peak and what was alive then, what was never freed, and
 * how much of what the allocator reserved lay unused. Options: bins (parts of the timeline, 120),
 * top (rows of what was alive and of leaks for each device, 50; 0: all). */
#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/memory/inside.h"

enum { BINS = 120, TOP = 50, MOST_BINS = 100000 };

static const tdm_field fields[] = {{"rank", TDM_FIELD_INT},
                                   {"device", TDM_FIELD_TEXT},
                                   {"peak_bytes", TDM_FIELD_INT},
                                   {"at_ns", TDM_FIELD_INT},
                                   {"before_bytes", TDM_FIELD_INT},
                                   {"end_bytes", TDM_FIELD_INT},
                                   {"reserved_bytes", TDM_FIELD_INT},
                                   {"allocated_bytes", TDM_FIELD_INT},
                                   {"allocations", TDM_FIELD_INT},
                                   {"frees", TDM_FIELD_INT},
                                   {"never_freed_bytes", TDM_FIELD_INT},
                                   {"never_freed", TDM_FIELD_INT},
                                   {"out_of_memory", TDM_FIELD_INT}};
enum {
  RANK,
  DEVICE,
  PEAK,
  AT,
  BEFORE,
  END,
  RESERVED,
  ALLOCATED,
  ALLOCATIONS,
  FREES,
  LEAKED,
  LEAKS,
  OOMS,
  FIELDS
};

static void put_peak(const tdm_memory_blocks *blocks, uint32_t p, tdm_frame *frame) {
  const tdm_memory_space *space = &blocks->events->space[p];
  const tdm_memory_sum *sum = &blocks->sum[p];
  if (!sum->any) return;
  tdm_frame_row(frame);
  tdm_frame_int(frame, RANK, space->rank);
  tdm_frame_text(frame, DEVICE, space->name);
  tdm_frame_int(frame, OOMS, sum->ooms > 0 ? (int64_t)sum->ooms : TDM_NONE);
  if (sum->allocations > 0 || !space->counted) {
    tdm_frame_int(frame, ALLOCATED, sum->allocated);
    tdm_frame_int(frame, ALLOCATIONS, (int64_t)sum->allocations);
  }
  if (!space->counted && !space->sized) return; /* what was freed is not known */
  if (sum->in_window) {
    tdm_frame_int(frame, PEAK, sum->peak);
    tdm_frame_int(frame, AT, tdm_memory_less(sum->peak_ns, blocks->events->first_ns));
  }
  if (!space->counted || sum->begun) /* a counter's first value may stand for what was before */
    tdm_frame_int(frame, BEFORE, sum->before);
  tdm_frame_int(frame, END, sum->end);
  if (sum->reserved_peak > 0) tdm_frame_int(frame, RESERVED, sum->reserved_peak);
  if (space->counted) return; /* no blocks are known */
  int64_t count, leaked = tdm_memory_leaked(blocks, p, &count);
  tdm_frame_int(frame, FREES, (int64_t)sum->frees);
  tdm_frame_int(frame, LEAKED, leaked);
  tdm_frame_int(frame, LEAKS, count);
}

static void explain(const tdm_memory_blocks *blocks, tdm_answer *out) {
  bool addressed = true, told = true, counted = false;
  uint64_t reused = 0;
  for (size_t p = 0; p < blocks->events->spaces; p++) {
    const tdm_memory_space *space = &blocks->events->space[p];
    if (!blocks->sum[p].any) continue;
    counted |= space->counted;
    addressed &= space->addressed || space->counted;
    told &= blocks->sum[p].base_told;
    reused += blocks->sum[p].unfreed_reuse;
  }
  tdm_answer_basis(out,
                   "bytes are those that were asked of the allocator and not freed; times are "
                   "from the run's first record; what lives before the first record is %s",
                   told ? "as the source says" : "at least what is freed without an allocation");
  bool cut = tdm_run_view_narrowed(blocks->view);
  if (cut)
    tdm_answer_basis(out, "before: what was held when the time looked at begins; at the end: when "
                          "it ends");
  tdm_answer_basis(out,
                   "never freed: allocated in the %s and not freed by %s end; a capture that "
                   "ends early leaves what is still in use there",
                   cut ? "time looked at" : "run", cut ? "the run's" : "its");
  if (!addressed)
    tdm_answer_basis(out, "allocations without an address: blocks of equal size and category stand "
                          "for one another, since when each lives is not known");
  if (reused > 0)
    tdm_answer_basis(out,
                     "%llu blocks ended when their address was allocated again, without a free",
                     (unsigned long long)reused);
  if (counted)
    tdm_answer_cannot(out,
                      "which blocks were alive and which were never freed: some memory of this "
                      "run is known from counters alone (no rows of category memory)");
}

static void explain_calls(const tdm_memory_events *events, tdm_answer *out) {
  if (events->unsized > 0)
    tdm_answer_cannot(out,
                      "what was held: %llu calls that allocate or free do not say bytes or ptr "
                      "of their blocks",
                      (unsigned long long)events->unsized);
  if (events->failed > 0)
    tdm_answer_basis(out, "%llu calls that returned an error are left out",
                     (unsigned long long)events->failed);
}

static bool has_any(const tdm_memory_blocks *blocks) {
  for (size_t p = 0; p < blocks->events->spaces; p++)
    if (blocks->sum[p].any) return true;
  return false;
}

static tdm_status answer(tdm_run_view *view, const tdm_memory_events *events, size_t bins,
                         size_t top, tdm_answer *out, tdm_error *error) {
  tdm_memory_blocks blocks;
  tdm_status status = tdm_memory_blocks_open(view, events, &blocks, error);
  tdm_frame *frame = tdm_answer_frame(out, "peaks", fields, FIELDS);
  bool any = status == TDM_OK && has_any(&blocks);
  if (any && tdm_run_view_narrowed(view) && tdm_run_view_times(view)->count == 0) {
    tdm_answer_cannot(out, "the filter leaves no time of the run");
    tdm_memory_blocks_close(&blocks);
    return TDM_OK;
  }
  for (uint32_t p = 0; any && p < events->spaces; p++) put_peak(&blocks, p, frame);
  if (any) status = tdm_memory_put_alive(&blocks, top, out, error);
  if (any && status == TDM_OK) status = tdm_memory_put_leaks(&blocks, top, out, error);
  bool segments = false;
  if (status == TDM_OK) status = tdm_memory_put_reserved(&blocks, &segments, out, error);
  if (any && status == TDM_OK) status = tdm_memory_put_timeline(&blocks, bins, out, error);
  if (status == TDM_OK && any) explain(&blocks, out);
  if (status == TDM_OK) explain_calls(events, out);
  if (status == TDM_OK && !any && !segments)
    tdm_answer_cannot(out,
                      "the run does not say what memory was allocated (no rows of category "
                      "memory, no allocating calls with bytes%s)",
                      tdm_run_view_has(view, "stage")
                          ? "; a simulated run keeps how long requests wait for memory, not bytes"
                          : "");
  tdm_memory_blocks_close(&blocks);
  return status;
}

tdm_status tdm_answer_memory(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  double bins = tdm_option_number(options, "bins", BINS);
  double top = tdm_option_number(options, "top", TOP);
  if (!(bins >= 1 && bins <= MOST_BINS))
    return tdm_error_set(error, TDM_INVALID, "bins must be from 1 to %d", MOST_BINS);
  if (!(top >= 0 && top <= 1e9))
    return tdm_error_set(error, TDM_INVALID, "top must not be negative");
  tdm_memory_events events = {0};
  tdm_run_view *whole = NULL; /* what lives in a window may have begun before it */
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_memory_events_load(whole, &events, error);
  if (status == TDM_OK) status = answer(view, &events, (size_t)bins, (size_t)top, out, error);
  tdm_memory_events_close(&events);
  return status;
}
