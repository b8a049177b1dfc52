/* What a trace of a compiled model shows of torch.compile: kernels that Inductor wrote, and the
 * regions on the host that run them; see inside.h. */
#include "analysis/compile/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

static const char *const kernel_categories[] = {"kernel", NULL};
static const tdm_wanted all_kernels = {.categories = kernel_categories};
static const char *const host_categories[] = {"cpu_op", "user_annotation", NULL};
static const tdm_wanted host_rows = {.categories = host_categories};

static const tdm_field kernel_fields[] = {
    {"rank", TDM_FIELD_INT},         {"device", TDM_FIELD_TEXT},   {"share", TDM_FIELD_REAL},
    {"generated_ns", TDM_FIELD_INT}, {"generated", TDM_FIELD_INT}, {"names", TDM_FIELD_INT},
    {"total_ns", TDM_FIELD_INT},     {"count", TDM_FIELD_INT}};
enum {
  K_RANK,
  K_DEVICE,
  K_SHARE,
  K_GENERATED_NS,
  K_GENERATED,
  K_NAMES,
  K_TOTAL,
  K_COUNT,
  K_FIELDS
};

static const tdm_field region_fields[] = {{"rank", TDM_FIELD_INT},
                                          {"region", TDM_FIELD_TEXT},
                                          {"total_ns", TDM_FIELD_INT},
                                          {"count", TDM_FIELD_INT}};
enum { R_RANK, R_REGION, R_TOTAL, R_COUNT, R_FIELDS };

typedef struct {
  int64_t generated_ns, generated, names, total_ns, count;
} device_sum;

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* How Inductor names what it generates: triton_poi_fused_…, triton_red_, triton_per_, triton_tem_,
 * triton_mm. Kernels that people write in Triton have names of their own. */
static bool is_generated(const char *name) {
  return begins(name, "triton_");
}

static bool is_region(const char *name) {
  return begins(name, "Torch-Compiled Region") || begins(name, "CompiledFunction") ||
         begins(name, "## Call CompiledFxGraph") || begins(name, "TorchDynamo Cache Lookup") ||
         begins(name, "Pregraph bytecode") || begins(name, "AOTDispatcher Runtime");
}

/* ---- kernels ---- */

static void put_devices(tdm_run_view *view, const device_sum *sum, tdm_frame *frame) {
  for (uint32_t d = 0; d < tdm_run_view_devices(view); d++) {
    const tdm_device *device = tdm_run_view_device(view, d);
    if (sum[d].count == 0) continue;
    tdm_frame_row(frame);
    tdm_frame_int(frame, K_RANK, device->rank);
    tdm_frame_text(frame, K_DEVICE, device->name);
    if (sum[d].total_ns > 0)
      tdm_frame_real(frame, K_SHARE, (double)sum[d].generated_ns / (double)sum[d].total_ns);
    tdm_frame_int(frame, K_GENERATED_NS, sum[d].generated_ns);
    tdm_frame_int(frame, K_GENERATED, sum[d].generated);
    tdm_frame_int(frame, K_NAMES, sum[d].names);
    tdm_frame_int(frame, K_TOTAL, sum[d].total_ns);
    tdm_frame_int(frame, K_COUNT, sum[d].count);
  }
}

static tdm_status add_kernels(tdm_run_view *view, const tdm_table *t, device_sum *sum, bool *any,
                              tdm_error *error) {
  tdm_groups names;
  tdm_status status = tdm_groups_open(&names, 2, t->count, error);
  int64_t known = TDM_NONE;
  bool generated = false; /* of the name `known`: neighbours often share theirs */
  for (size_t i = 0; status == TDM_OK && i < t->count; i++) {
    uint32_t d = tdm_run_view_device_of(view, tdm_table_track(t, i));
    if (d == TDM_NO_DEVICE) continue;
    if (tdm_table_name(t, i) != known) {
      known = tdm_table_name(t, i);
      generated = is_generated(tdm_run_view_name(view, known));
    }
    int64_t dur_ns = tdm_table_end_ns(t, i) - tdm_table_start_ns(t, i);
    sum[d].count++;
    sum[d].total_ns += dur_ns;
    if (!generated) continue;
    int64_t key[] = {d, known};
    size_t before = names.count;
    if (tdm_groups_add(&names, key) == UINT32_MAX)
      status = tdm_error_memory(error, "kernels", names.count);
    sum[d].names += names.count > before;
    sum[d].generated++;
    sum[d].generated_ns += dur_ns;
    *any = true;
  }
  tdm_groups_close(&names);
  return status;
}

/* ---- regions ---- */

typedef struct {
  uint32_t group;
  int64_t total_ns, count;
} region;

static int by_total(const void *a, const void *b) {
  const region *x = a, *y = b;
  if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

static tdm_status add_regions(tdm_run_view *view, const tdm_table *t, tdm_groups *groups,
                              region **regions, tdm_error *error) {
  size_t room = 0;
  int64_t known = TDM_NONE;
  bool wanted = false;
  for (size_t i = 0; i < t->count; i++) {
    if (tdm_table_name(t, i) != known) {
      known = tdm_table_name(t, i);
      wanted = is_region(tdm_run_view_name(view, known));
    }
    if (!wanted) continue;
    const tdm_track *track = tdm_run_view_track(view, tdm_table_track(t, i));
    int64_t key[] = {track != NULL ? track->source : 0, known};
    size_t before = groups->count;
    uint32_t g = tdm_groups_add(groups, key);
    if (g == UINT32_MAX || !tdm_array_grow(regions, &room, (size_t)g + 1, sizeof **regions))
      return tdm_error_memory(error, "compiled regions", groups->count);
    if (g == before) (*regions)[g] = (region){.group = g};
    (*regions)[g].total_ns += tdm_table_end_ns(t, i) - tdm_table_start_ns(t, i);
    (*regions)[g].count++;
  }
  if (groups->count > 0) qsort(*regions, groups->count, sizeof **regions, by_total);
  return TDM_OK;
}

static void put_regions(tdm_run_view *view, const tdm_groups *groups, const region *regions,
                        tdm_frame *frame) {
  for (size_t i = 0; i < groups->count; i++) {
    const int64_t *key = groups->key + (size_t)regions[i].group * 2;
    const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(view), key[0]);
    tdm_frame_row(frame);
    tdm_frame_int(frame, R_RANK, source != NULL ? source->rank : TDM_NONE);
    tdm_frame_name(frame, R_REGION, tdm_run_view_name(view, key[1]));
    tdm_frame_int(frame, R_TOTAL, regions[i].total_ns);
    tdm_frame_int(frame, R_COUNT, regions[i].count);
  }
}

tdm_status tdm_compile_put_generated(tdm_run_view *view, bool *any, tdm_answer *out,
                                     tdm_error *error) {
  const tdm_table *kernels = NULL, *host = NULL;
  tdm_status status = tdm_run_view_table(view, &all_kernels, &kernels, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &host_rows, &host, error);
  if (status != TDM_OK) return status;
  device_sum *sum = tdm_array_new(tdm_run_view_devices(view) + 1u, sizeof *sum);
  if (sum == NULL) return tdm_error_memory(error, "kernels", 0);
  tdm_groups groups;
  region *regions = NULL;
  *any = false;
  status = tdm_groups_open(&groups, 2, host->count, error);
  if (status == TDM_OK) status = add_kernels(view, kernels, sum, any, error);
  if (status == TDM_OK) status = add_regions(view, host, &groups, &regions, error);
  *any |= groups.count > 0;
  if (status == TDM_OK && *any) {
    put_devices(view, sum, tdm_answer_frame(out, "kernels", kernel_fields, K_FIELDS));
    put_regions(view, &groups, regions, tdm_answer_frame(out, "regions", region_fields, R_FIELDS));
    tdm_answer_basis(out,
                     "generated kernels are those that Inductor named (triton_…); share: of the "
                     "time of all kernels of the device, overlapping ones counted each");
  }
  free(regions);
  tdm_groups_close(&groups);
  free(sum);
  return status;
}
