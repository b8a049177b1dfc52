/* What Intel's unitrace writes as Chrome trace JSON, told in Kineto's words; see inside.h.
 *
 * Its host calls have the category of operators, everything on a GPU has one category, and what a
 * command is stands in its name: "gemm[SIMD32 {64; 1; 1} {256; 1; 1}]" (groups, then items of one),
 * "zeCommandListAppendMemoryCopy(M2D)[65536]" (M and H: the host's memory, D: the device's). A
 * command's id is its argument; a call's are those of the flows that follow it at its time. Each
 * flow has a category of its own. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/kineto/event.h"
#include "read/kineto/inside.h"

static bool begins(const char *text, size_t length, const char *with) {
  size_t size = strlen(with);
  return length >= size && memcmp(text, with, size) == 0;
}

const char *tdm_unitrace_flow(const char *category, size_t length) {
  if (begins(category, length, "CL_")) {
    category += 3;
    length -= 3;
  }
  if (begins(category, length, "Flow_H2D_")) return "ac2g";
  return begins(category, length, "Flow_D2H_") ? "g2ac" : NULL;
}

/* "zeEventCreate", "zetMetricGet", "clFinish" */
static bool is_call(const char *name, size_t length) {
  if (begins(name, length, "ze")) {
    size_t at = length > 2 && (name[2] == 't' || name[2] == 's' || name[2] == 'x') ? 3 : 2;
    return length > at && isupper((unsigned char)name[at]);
  }
  return begins(name, length, "cl") && length > 2 && isupper((unsigned char)name[2]);
}

/* ---- commands ---- */

/* "{64; 1; 1}" from *at on: three arguments. */
static bool put_sizes(tdm_kineto *k, const char **at, const char *const keys[3]) {
  const char *p = strchr(*at, '{');
  if (p == NULL) return false;
  p++;
  for (int i = 0; i < 3; i++) {
    while (*p == ' ' || *p == ';') p++;
    size_t digits = strspn(p, "0123456789");
    if (digits == 0) return false;
    tdm_kineto_args_put_number(k->args, keys[i], p, digits);
    p += digits;
  }
  *at = p;
  return true;
}

/* Cuts "[SIMD32 {…} {…}]" or "[65536]" off the name, and tells what it says. */
static void take_suffix(tdm_kineto *k, bool moves) {
  static const char *const grid[3] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[3] = {"block_x", "block_y", "block_z"};
  tdm_kineto_text *name = &k->event.name;
  if (name->length == 0 || name->bytes[name->length - 1] != ']') return;
  char *open = strrchr(name->bytes, '[');
  if (open == NULL || open == name->bytes) return;
  const char *at = open + 1;
  size_t digits = strspn(at, "0123456789");
  if (moves && digits > 0 && at[digits] == ']') {
    tdm_kineto_args_put_number(k->args, "bytes", at, digits);
  } else if (!moves && (*at == 'S' || *at == ' ' || *at == '{')) {
    if (!put_sizes(k, &at, grid) || !put_sizes(k, &at, block)) return;
  } else {
    return;
  }
  *open = 0;
  name->length = (size_t)(open - name->bytes);
}

/* "(M2D)": nobody knows where shared memory is. */
static const char *copy_kind(const char *name) {
  const char *open = strrchr(name, '(');
  if (open == NULL || strlen(open) < 5 || open[2] != '2' || open[4] != ')') return NULL;
  bool from_host = open[1] == 'M' || open[1] == 'H', to_host = open[3] == 'M' || open[3] == 'H';
  if ((!from_host && open[1] != 'D') || (!to_host && open[3] != 'D')) return NULL;
  return from_host ? (to_host ? "HtoH" : "HtoD") : (to_host ? "DtoH" : "DtoD");
}

static const char *tell_command(tdm_kineto *k) {
  size_t length;
  uint32_t count;
  const char *name = k->event.name.length > 0 ? k->event.name.bytes : "";
  bool copies = strstr(name, "MemoryCopy") != NULL || strstr(name, "ImageCopy") != NULL;
  bool fills = strstr(name, "MemoryFill") != NULL;
  const tdm_kineto_arg *arg = tdm_kineto_args_all(k->args, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(tdm_kineto_args_key(k->args, arg[i].key), "id") != 0) continue;
    char number[24];
    const char *text = number;
    if (arg[i].type == TDM_ARG_TEXT)
      text = tdm_recorder_name(k->recorder, (uint32_t)arg[i].value, &length);
    else
      length = (size_t)snprintf(number, sizeof number, "%lld", (long long)arg[i].value);
    if (text != NULL && length > 0 && strspn(text, "0123456789") == length)
      tdm_kineto_args_put_number(k->args, "correlation", text, length);
    break;
  }
  take_suffix(k, copies || fills);
  if (copies && copy_kind(name) != NULL) tdm_kineto_args_put_text(k->args, "kind", copy_kind(name));
  if (copies) return "gpu_memcpy";
  if (fills) return "gpu_memset";
  return strncmp(name, "zeCommandList", 13) == 0 ? "gpu_op_sync" : "kernel"; /* barriers, events */
}

const char *tdm_unitrace_tell(tdm_kineto *k) {
  const tdm_kineto_text *name = &k->event.name, *category = &k->event.category;
  if (!k->event.has_category || name->length == 0) return NULL;
  if (strcmp(category->bytes, "gpu_op") == 0) {
    k->unitrace = true;
    return tell_command(k);
  }
  if (strcmp(category->bytes, "cpu_op") != 0) return NULL;
  if (is_call(name->bytes, name->length)) return "xpu_driver";
  return k->unitrace && begins(name->bytes, name->length, "MPI_") ? "mpi" : NULL;
}

/* ---- calls, which wait for the flows behind them ---- */

void tdm_unitrace_call(tdm_kineto *k, uint32_t track, uint32_t name, int64_t dur_ns) {
  tdm_unitrace_flush(k);
  k->call = (tdm_unitrace_waiting){.waits = true,
                                   .start_ns = k->event.time_ns,
                                   .dur_ns = dur_ns,
                                   .pid = k->event.pid,
                                   .tid = k->event.tid,
                                   .track = track,
                                   .name = name,
                                   .correlation = TDM_NONE};
}

void tdm_unitrace_flush(tdm_kineto *k) {
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  tdm_unitrace_waiting *call = &k->call;
  if (!call->waits) return;
  call->waits = false;
  tdm_record_row(k->recorder, tdm_record_layout(k->recorder, "driver", TDM_SHAPE_SPAN, args, 1),
                 call->start_ns, call->dur_ns, call->track, call->name, &call->correlation, 1);
}

void tdm_unitrace_look(tdm_kineto *k) {
  const tdm_kineto_event *event = &k->event;
  tdm_unitrace_waiting *call = &k->call;
  if (!call->waits) return;
  bool flow = (event->phase == 's' || event->phase == 't') && event->has_category &&
              tdm_unitrace_flow(event->category.bytes, event->category.length) != NULL;
  if (!flow || event->pid != call->pid || event->tid != call->tid ||
      event->time_ns != call->start_ns) {
    tdm_unitrace_flush(k);
  } else if (event->phase == 's' && event->has_id) {
    k->unitrace = true;
    if (call->correlation == TDM_NONE)
      call->correlation = event->id;
    else
      tdm_record_problem(k->recorder, "commands beyond a call's first (joined by flows alone)", 1);
  }
}
