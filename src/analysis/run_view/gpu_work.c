/* See gpu_work.h. */
#include "analysis/run_view/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/run_view.h"
#include "base/memory.h"

static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_arg work_keys[] = {{"correlation", TDM_ARG_INT},
                                    {"bytes", TDM_ARG_INT},
                                    {"kind", TDM_ARG_TEXT},
                                    {"graph_node", TDM_ARG_INT},
                                    {"graph_id", TDM_ARG_INT},
                                    {"external_id", TDM_ARG_INT},
                                    {"memory_bandwidth_gb_per_s", TDM_ARG_REAL},
                                    {NULL, TDM_ARG_INT}};
const tdm_wanted tdm_gpu_work = {.categories = work_categories,
                                 .keys = work_keys,
                                 .stage_lanes =
                                     1u << TDM_LANE_GPU | 1u << TDM_LANE_H2D | 1u << TDM_LANE_D2H};

static const char *const api_categories[] = {"runtime", "driver", NULL};
static const tdm_arg api_keys[] = {{"correlation", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
const tdm_wanted tdm_api_calls = {.categories = api_categories, .keys = api_keys};

/* Names of collectives' kernels: NVIDIA's, AMD's and Huawei's libraries, as HTA and nsys know them.
 */
static uint8_t is_collective(const char *name) {
  return strncmp(name, "nccl", 4) == 0 || strncmp(name, "rccl", 4) == 0 ||
         strncmp(name, "hccl", 4) == 0 || strstr(name, "ncclKernel") != NULL ||
         strstr(name, "ncclDevKernel") != NULL;
}

static bool is_copy_lane(const tdm_track *track) {
  return track != NULL && (track->lane == TDM_LANE_H2D || track->lane == TDM_LANE_D2H);
}

uint8_t *tdm_gpu_classes(tdm_run_view *view, const tdm_table *work) {
  uint8_t *classes = malloc(work->count + 1);
  tdm_name_marks collectives = {0};
  for (size_t i = 0; classes != NULL && i < work->count; i++) {
    switch (tdm_table_category(work, i)) {
    case TDM_WORK_MEMCPY: classes[i] = TDM_CLASS_COPY; break;
    case TDM_WORK_MEMSET: classes[i] = TDM_CLASS_MEMSET; break;
    case TDM_WORK_STAGE:
      classes[i] = is_copy_lane(tdm_run_view_track(view, tdm_table_track(work, i)))
                       ? TDM_CLASS_COPY
                       : TDM_CLASS_COMPUTE;
      break;
    default:
      classes[i] = tdm_name_mark(&collectives, view, tdm_table_name(work, i), is_collective)
                       ? TDM_CLASS_COMM
                       : TDM_CLASS_COMPUTE;
    }
  }
  tdm_name_marks_close(&collectives);
  return classes;
}

static void forget_launched(void *object) {
  tdm_launched *launched = object;
  tdm_correlation_close(&launched->by_call);
  free(launched);
}

/* Work of a view with the calls of another one of its run, kept by the first at `key`. */
static tdm_status join(tdm_run_view *view, tdm_run_view *of_calls, const void *key,
                       const tdm_launched **out, tdm_error *error) {
  *out = tdm_run_view_kept(view, key);
  if (*out != NULL) return TDM_OK;
  tdm_launched *made = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "launches", sizeof *made);
  tdm_status status = tdm_run_view_table(of_calls, &tdm_api_calls, &made->calls, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &made->work, error);
  if (status == TDM_OK)
    status = tdm_correlation_open(view, made->calls, TDM_API_CORRELATION, made->work,
                                  TDM_WORK_CORRELATION, &made->by_call, error);
  if (status != TDM_OK) {
    forget_launched(made);
    return status;
  }
  *out = made;
  return tdm_run_view_keep(view, key, made, forget_launched, error);
}

static const char at_all_times, within; /* keys */

tdm_status tdm_gpu_launched(tdm_run_view *view, const tdm_launched **out, tdm_error *error) {
  tdm_run_view *whole = NULL;
  *out = NULL;
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status != TDM_OK) return status;
  return join(view, whole, whole == view ? &within : &at_all_times, out, error);
}

tdm_status tdm_gpu_launched_within(tdm_run_view *view, const tdm_launched **out, tdm_error *error) {
  return join(view, view, &within, out, error);
}

void tdm_gpu_launched_missing(const tdm_run_view *view, const tdm_launched *launched,
                              const char *what, tdm_answer *out) {
  bool works = false, filtered = tdm_run_view_filtered(view);
  for (size_t i = 0; work_categories[i] != NULL; i++)
    works = works || tdm_run_view_has(view, work_categories[i]);
  if (!works || (filtered && launched->work->count == 0))
    tdm_answer_cannot(out, "%s: %s no GPU work (rows of category kernel, memcpy, memset)", what,
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  else if (launched->calls->count == 0)
    tdm_answer_cannot(out, "%s: %s no API calls (rows of category runtime or driver)", what,
                      tdm_run_view_lacking(view, &tdm_api_calls));
  else
    tdm_answer_cannot(out, "%s: no GPU work%s shares its argument correlation with an API call",
                      what, filtered ? " that the filter leaves" : "");
}

uint8_t tdm_call_launches_graph(const char *name) {
  return strstr(name, "GraphLaunch") != NULL;
}
