/* Which blocks were held: at the peak, or never freed; alike ones as one row; see inside.h. */
#include "analysis/memory/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

enum { KEY_SPACE, KEY_KIND, KEY_OWNER, KEY_STACK, KEY_EACH, KEYS };

static const tdm_field fields[] = {{"rank", TDM_FIELD_INT},       {"device", TDM_FIELD_TEXT},
                                   {"category", TDM_FIELD_TEXT},  {"bytes", TDM_FIELD_INT},
                                   {"share", TDM_FIELD_REAL},     {"count", TDM_FIELD_INT},
                                   {"each_bytes", TDM_FIELD_INT}, {"since_ns", TDM_FIELD_INT},
                                   {"name", TDM_FIELD_TEXT},      {"stack", TDM_FIELD_TEXT}};
enum { RANK, DEVICE, CATEGORY, BYTES, SHARE, COUNT, EACH, SINCE, NAME, STACK, FIELDS };

typedef struct {
  uint32_t group;
  int64_t bytes, count, since_ns;
} line;

typedef struct {
  const tdm_memory_blocks *blocks;
  tdm_groups groups;
  line *lines;
  size_t room;
} holding;

const char *tdm_memory_category(tdm_run_view *view, int64_t kind) {
  static const char prefix[] = "memory: ";
  if (kind == TDM_NONE) return NULL;
  const char *text = tdm_run_view_name(view, kind);
  return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
}

static void add(int64_t *sum, int64_t bytes) {
  *sum = tdm_memory_add(*sum, bytes);
}

static int hold(holding *h, uint32_t i, bool is_counter) {
  const tdm_memory_event *e = &h->blocks->events->event[i];
  int64_t key[KEYS] = {e->space, e->kind, e->owner, e->stack, is_counter ? 0 : e->bytes};
  size_t known = h->groups.count;
  uint32_t g = tdm_groups_add(&h->groups, key);
  if (g == UINT32_MAX || !tdm_array_grow(&h->lines, &h->room, (size_t)g + 1, sizeof *h->lines))
    return 0;
  int64_t since_ns = is_counter ? TDM_NONE : h->blocks->since_ns[i];
  if (g == known) h->lines[g] = (line){.group = g, .since_ns = since_ns};
  add(&h->lines[g].bytes, e->bytes);
  h->lines[g].count++;
  if (since_ns < h->lines[g].since_ns) h->lines[g].since_ns = since_ns;
  return 1;
}

static int by_space_and_bytes(const void *a, const void *b) {
  const line *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

/* ---- rows ---- */

static void put_space(const holding *h, uint32_t space, tdm_frame *frame) {
  const tdm_memory_space *of = &h->blocks->events->space[space];
  tdm_frame_row(frame);
  tdm_frame_int(frame, RANK, of->rank);
  tdm_frame_text(frame, DEVICE, of->name);
}

static void put_line(const holding *h, const line *l, int64_t whole, tdm_frame *frame) {
  const int64_t *key = h->groups.key + (size_t)l->group * KEYS;
  tdm_run_view *view = h->blocks->view;
  uint32_t space = (uint32_t)key[KEY_SPACE];
  put_space(h, space, frame);
  tdm_frame_text(frame, CATEGORY, tdm_memory_category(view, key[KEY_KIND]));
  tdm_frame_int(frame, BYTES, l->bytes);
  if (whole > 0) tdm_frame_real(frame, SHARE, (double)l->bytes / (double)whole);
  if (key[KEY_EACH] != 0) {
    tdm_frame_int(frame, COUNT, l->count);
    tdm_frame_int(frame, EACH, key[KEY_EACH]);
  }
  if (h->blocks->events->space[space].addressed && l->since_ns != TDM_NONE)
    tdm_frame_int(frame, SINCE, tdm_memory_less(l->since_ns, h->blocks->events->first_ns));
  if (key[KEY_OWNER] != TDM_NONE)
    tdm_frame_text(frame, NAME, tdm_run_view_name(view, key[KEY_OWNER]));
  if (key[KEY_STACK] != TDM_NONE)
    tdm_frame_text(frame, STACK, tdm_run_view_name(view, key[KEY_STACK]));
}

/* What lives and is no block that we saw: allocated before the trace. */
static void put_rest(const holding *h, uint32_t space, int64_t rest, tdm_frame *frame) {
  int64_t peak = h->blocks->sum[space].peak;
  if (rest <= 0) return;
  put_space(h, space, frame);
  tdm_frame_int(frame, BYTES, rest);
  if (peak > 0) tdm_frame_real(frame, SHARE, (double)rest / (double)peak);
  tdm_frame_text(frame, NAME, "(allocated before the trace)");
}

/* Spaces in order, each the largest first. The rest of the alive stands where its size puts it. */
static void put_lines(const holding *h, bool alive, size_t top, tdm_frame *frame) {
  const tdm_memory_blocks *b = h->blocks;
  for (uint32_t p = 0; p < b->events->spaces; p++) {
    int64_t sum = 0;
    for (size_t i = 0; i < h->groups.count; i++)
      if (h->groups.key[(size_t)h->lines[i].group * KEYS] == p) add(&sum, h->lines[i].bytes);
    int64_t rest = alive && b->sum[p].in_window ? tdm_memory_less(b->sum[p].peak, sum) : 0;
    int64_t whole = alive ? b->sum[p].peak : sum;
    size_t put = 0;
    for (size_t i = 0; i < h->groups.count && (top == 0 || put < top); i++) {
      const line *l = &h->lines[i];
      if (h->groups.key[(size_t)l->group * KEYS] != p || l->bytes <= 0) continue;
      if (rest > l->bytes) {
        put_rest(h, p, rest, frame);
        rest = 0;
        put++;
      }
      put_line(h, l, whole, frame);
      put++;
    }
    put_rest(h, p, rest, frame);
  }
}

static tdm_status finish(holding *h, int ok, bool alive, size_t top, tdm_answer *out,
                         tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, alive ? "alive" : "leaks", fields, FIELDS);
  if (ok && h->groups.count > 1)
    qsort(h->lines, h->groups.count, sizeof *h->lines, by_space_and_bytes);
  if (ok) put_lines(h, alive, top, frame);
  free(h->lines);
  tdm_groups_close(&h->groups);
  return ok ? TDM_OK : tdm_error_memory(error, "blocks of memory", h->groups.count);
}

tdm_status tdm_memory_put_alive(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error) {
  const tdm_memory_events *events = blocks->events;
  holding h = {.blocks = blocks};
  tdm_status status = tdm_groups_open(&h.groups, KEYS, events->count, error);
  if (status != TDM_OK) return status;
  int ok = 1;
  for (uint32_t i = 0; ok && i < events->count; i++) {
    const tdm_memory_event *e = &events->event[i];
    const tdm_memory_sum *sum = &blocks->sum[e->space];
    if (!sum->in_window || sum->peak_event == TDM_MEMORY_NO_EVENT || !tdm_memory_counts(blocks, i))
      continue;
    if (e->action == TDM_MEMORY_ALLOC && tdm_memory_lives(blocks, i, sum->peak_event))
      ok = hold(&h, i, false);
    else if (e->action == TDM_MEMORY_COUNTER && i <= sum->peak_event)
      ok = hold(&h, i, true);
  }
  return finish(&h, ok, true, top, out, error);
}

/* ---- leaks ---- */

static bool is_leak(const tdm_memory_blocks *blocks, uint32_t i) {
  const tdm_memory_event *e = &blocks->events->event[i];
  return e->action == TDM_MEMORY_ALLOC && blocks->ends[i] == TDM_MEMORY_NO_EVENT &&
         !blocks->before[i] && tdm_memory_counts(blocks, i) &&
         tdm_run_view_looks_at(blocks->view, blocks->since_ns[i]);
}

int64_t tdm_memory_leaked(const tdm_memory_blocks *blocks, uint32_t space, int64_t *count) {
  int64_t bytes = 0;
  *count = 0;
  for (uint32_t i = 0; i < blocks->events->count; i++) {
    if (blocks->events->event[i].space != space || !is_leak(blocks, i)) continue;
    add(&bytes, blocks->events->event[i].bytes);
    ++*count;
  }
  return bytes;
}

tdm_status tdm_memory_put_leaks(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error) {
  holding h = {.blocks = blocks};
  tdm_status status = tdm_groups_open(&h.groups, KEYS, blocks->events->count, error);
  if (status != TDM_OK) return status;
  int ok = 1;
  for (uint32_t i = 0; ok && i < blocks->events->count; i++)
    if (is_leak(blocks, i)) ok = hold(&h, i, false);
  return finish(&h, ok, false, top, out, error);
}
