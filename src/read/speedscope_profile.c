/* See speedscope_profile.h. */
#include "read/speedscope_profile.h"

#include <stdlib.h>

#include "base/memory.h"
#include "read/number.h"

void tdm_scope_profile_clear(tdm_scope_profile *p) {
  free(p->name);
  p->name = NULL;
  p->sampled = 0;
  p->unit = -1;
  p->start = p->end = (tdm_scope_number){0, 0};
  p->events = p->frames = p->samples = p->weights = 0;
}

void tdm_scope_profile_free(tdm_scope_profile *p) {
  free(p->name);
  free(p->event);
  free(p->frame);
  free(p->sample);
  free(p->weight);
  free(p->open);
  tdm_stack_free(&p->stacks);
}

void tdm_scope_profile_name(tdm_scope_profile *p, const char *name) {
  free(p->name);
  p->name = tdm_string_copy(name);
  p->failed |= p->name == NULL;
}

void tdm_scope_profile_unit(tdm_scope_profile *p, const char *unit) {
  static const char *const units[] = {"nanoseconds", "microseconds", "milliseconds", "seconds"};
  p->unit = -1;
  for (int i = 0; i < 4; i++)
    if (strcmp(unit, units[i]) == 0) p->unit = 3 * i;
}

/* With as many decimal places as fit. */
tdm_scope_number tdm_scope_number_of(const char *text, size_t length) {
  int64_t value = 0;
  for (int decimals = 9; decimals >= 0; decimals -= 3)
    if (tdm_number_scaled(text, length, decimals, &value))
      return (tdm_scope_number){value, (uint32_t)decimals};
  return (tdm_scope_number){value, 0};
}

static int64_t power_of_ten(int power) {
  int64_t value = 1;
  while (power-- > 0) value *= 10;
  return value;
}

/* In nanoseconds, rounded half away from zero. */
static int64_t nanoseconds(const tdm_scope_profile *p, int64_t value, int decimals) {
  int shift = (p->unit < 0 ? p->unit_none : p->unit) - decimals;
  if (shift >= 0) {
    int64_t ns;
    if (__builtin_mul_overflow(value, power_of_ten(shift), &ns))
      return value < 0 ? INT64_MIN + 1 : INT64_MAX;
    return ns;
  }
  int64_t by = power_of_ten(-shift), rest = value % by;
  value /= by;
  if (rest >= by - by / 2) value++;
  if (rest <= by / 2 - by) value--;
  return value;
}

static void put(tdm_scope_profile *p, const tdm_scope_event *open, int64_t start_ns, int64_t end_ns,
                tdm_shape shape) {
  tdm_scope_span span = {open->frame, (uint32_t)shape, start_ns, end_ns, TDM_NONE};
  p->span(p->context, &span);
}

/* The innermost open frame of this number, + 1; 0: none. */
static size_t find_open(const tdm_scope_profile *p, size_t depth, uint32_t frame) {
  while (depth > 0 && p->open[depth - 1].frame != frame) depth--;
  return depth;
}

static void close_frames(tdm_scope_profile *p, size_t *depth, uint32_t frame, int64_t now_ns) {
  size_t at = find_open(p, *depth, frame);
  if (at == 0) {
    tdm_record_problem(p->recorder, "ends of frames that did not begin (left out)", 1);
    return;
  }
  if (at < *depth)
    tdm_record_problem(p->recorder, "frames that end after the one they are in (cut)", *depth - at);
  while (*depth >= at) {
    --*depth;
    put(p, &p->open[*depth], p->open[*depth].value, now_ns, TDM_SHAPE_SPAN);
  }
}

/* In p->open, `value` is the start in nanoseconds. */
static void evented(tdm_scope_profile *p) {
  size_t depth = 0;
  int64_t now_ns = INT64_MIN, last_ns = nanoseconds(p, p->end.value, (int)p->end.decimals);
  for (size_t i = 0; i < p->events; i++) {
    const tdm_scope_event *e = &p->event[i];
    int64_t at_ns = nanoseconds(p, e->value, e->decimals);
    if (at_ns < now_ns)
      tdm_record_problem(p->recorder, "events before the one before them (moved)", 1);
    else
      now_ns = at_ns;
    if (!e->opens) {
      close_frames(p, &depth, e->frame, now_ns);
      continue;
    }
    if (!tdm_array_grow(&p->open, &p->open_room, depth + 1, sizeof *p->open)) {
      p->failed = 1;
      return;
    }
    p->open[depth++] = (tdm_scope_event){.value = now_ns, .frame = e->frame};
  }
  if (last_ns < now_ns) last_ns = now_ns;
  if (depth > 0) tdm_record_problem(p->recorder, "frames without an end (kept as open)", depth);
  while (depth > 0) {
    depth--;
    put(p, &p->open[depth], p->open[depth].value, last_ns, TDM_SHAPE_OPEN);
  }
}

static void put_sampled(void *context, const tdm_stack_frame *frame, int64_t end_ns) {
  tdm_scope_profile *p = context;
  tdm_scope_span span = {frame->frame, TDM_SHAPE_SPAN, frame->start_ns, end_ns, frame->samples};
  p->span(p->context, &span);
}

static void sampled(tdm_scope_profile *p) {
  size_t from = 0;
  p->stacks.span = put_sampled;
  p->stacks.context = p;
  tdm_stack_restart(&p->stacks, nanoseconds(p, p->start.value, (int)p->start.decimals));
  if (p->weights != p->samples)
    tdm_record_problem(p->recorder, "profiles whose samples and weights are not as many", 1);
  for (size_t i = 0; i < p->samples; i++) {
    tdm_scope_number weight = i < p->weights ? p->weight[i] : (tdm_scope_number){0, 0};
    int64_t weight_ns = nanoseconds(p, weight.value, (int)weight.decimals);
    if (weight_ns < 0) {
      tdm_record_problem(p->recorder, "samples with a negative weight (made 0)", 1);
      weight_ns = 0;
    }
    const uint32_t *frame = p->frame != NULL ? p->frame + from : NULL;
    if (!tdm_stack_sample(&p->stacks, frame, p->sample[i] - from, weight_ns)) p->failed = 1;
    from = p->sample[i];
  }
  tdm_stack_restart(&p->stacks, 0);
}

void tdm_scope_profile_spans(tdm_scope_profile *p) {
  if (p->failed) return;
  if (p->unit < 0) p->no_time = 1;
  if (p->sampled || (p->events == 0 && p->samples > 0))
    sampled(p);
  else
    evented(p);
}
