/* Ranges and marks of NVTX. See nsys.h.
 *
 * One table holds them all: ranges that nest on a thread (push and pop), ranges that need not
 * (start and end), marks, and the names of domains and categories. Rows mostly have a name and
 * nothing else, so that what else there may be has layouts of its own. */
#include "read/nsys/nsys.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  NVTX_CATEGORY = 33,
  NVTX_MARK = 34,
  NVTX_THREAD = 39,
  NVTX_PUSH_POP = 59,
  NVTX_START_END = 60,
  NVTXT_MARK = 65, /* nvtxt: imported from a text file */
  NVTXT_PUSH_POP = 70,
  NVTXT_START_END = 71,
  NVTX_DOMAIN = 75,
  NVTX_DOMAIN_END = 76
};

enum { /* columns, in the order that is asked for */
       START,
       END,
       TYPE,
       RANGE,
       CATEGORY,
       COLOR,
       TEXT,
       THREAD,
       END_THREAD,
       TEXT_ID,
       DOMAIN,
       UINT64,
       INT64,
       UINT32,
       INT32,
       DOUBLE,
       FLOAT,
       JSON_ID,
       JSON,
       BINARY,
       COLUMNS
};

static const tdm_nsys_column columns[COLUMNS] = {
    [START] = {"start", TDM_NSYS_INT},
    [END] = {"end", TDM_NSYS_INT},
    [TYPE] = {"eventType", TDM_NSYS_INT},
    [RANGE] = {"rangeId", TDM_NSYS_INT},
    [CATEGORY] = {"category", TDM_NSYS_INT},
    [COLOR] = {"color", TDM_NSYS_INT},
    [TEXT] = {"text", TDM_NSYS_TEXT},
    [THREAD] = {"globalTid", TDM_NSYS_INT},
    [END_THREAD] = {"endGlobalTid", TDM_NSYS_INT},
    [TEXT_ID] = {"textId", TDM_NSYS_INT},
    [DOMAIN] = {"domainId", TDM_NSYS_INT},
    [UINT64] = {"uint64Value", TDM_NSYS_INT},
    [INT64] = {"int64Value", TDM_NSYS_INT},
    [UINT32] = {"uint32Value", TDM_NSYS_INT},
    [INT32] = {"int32Value", TDM_NSYS_INT},
    [DOUBLE] = {"doubleValue", TDM_NSYS_REAL},
    [FLOAT] = {"floatValue", TDM_NSYS_REAL},
    [JSON_ID] = {"jsonTextId", TDM_NSYS_INT},
    [JSON] = {"jsonText", TDM_NSYS_TEXT},
    [BINARY] = {"binaryData", TDM_NSYS_TEXT},
};

typedef enum { PAYLOAD_NONE, PAYLOAD_INT, PAYLOAD_REAL, PAYLOAD_JSON, PAYLOAD_TEXT } payload_kind;

static const tdm_arg_type payload_types[] = {
    [PAYLOAD_INT] = TDM_ARG_INT,
    [PAYLOAD_REAL] = TDM_ARG_REAL,
    [PAYLOAD_JSON] = TDM_ARG_JSON,
    [PAYLOAD_TEXT] = TDM_ARG_TEXT,
};

enum { ROW_DOMAIN, ROW_CATEGORY, ROW_COLOR, ROW_RANGE, ROW_END_TID, ROW_BINARY, MORE };

static const tdm_arg more_args[MORE] = {
    [ROW_DOMAIN] = {"domain", TDM_ARG_TEXT},  [ROW_CATEGORY] = {"nvtx_category", TDM_ARG_TEXT},
    [ROW_COLOR] = {"color", TDM_ARG_INT},     [ROW_RANGE] = {"range", TDM_ARG_INT},
    [ROW_END_TID] = {"end_tid", TDM_ARG_INT}, [ROW_BINARY] = {"binary_data", TDM_ARG_TEXT},
};

static const tdm_shape shapes[] = {TDM_SHAPE_SPAN, TDM_SHAPE_ASYNC, TDM_SHAPE_INSTANT,
                                   TDM_SHAPE_OPEN};
enum { SHAPE_SPAN, SHAPE_ASYNC, SHAPE_INSTANT, SHAPE_OPEN, SHAPES };
enum { PAYLOADS = PAYLOAD_TEXT + 1, SLOTS = SHAPES * PAYLOADS * 2, SLOT_NONE = 255 };

typedef struct {
  uint32_t layout[SLOTS]; /* + 1; 0: not made yet */
  tdm_id_map domains;     /* (domain, pid) → name id */
  tdm_id_map categories;  /* (category, pid and domain) → name id */
  bool named;             /* names were gathered from the whole table */
  /* From here on not cleared: */
  int64_t track[TDM_NSYS_BLOCK], name[TDM_NSYS_BLOCK], dur[TDM_NSYS_BLOCK];
  int64_t more[MORE][TDM_NSYS_BLOCK], payload[TDM_NSYS_BLOCK];
  unsigned char slot[TDM_NSYS_BLOCK];
  uint32_t picked[TDM_NSYS_BLOCK];
} nvtx_reading;

/* ---- names of domains and categories ---- */

/* The default domain is 0 or not there, in ranges and in names alike. */
static uint64_t domain_key(int64_t pid, int64_t domain) {
  return (uint64_t)pid << 40 ^ (uint64_t)(domain == TDM_NONE ? 0 : domain);
}

static uint32_t text_name(tdm_nsys *nsys, tdm_nsys_text text, int64_t id) {
  bool nulls = nsys->source->nulls;
  if (text.bytes != NULL && (text.length > 0 || nulls))
    return tdm_record_name(nsys->recorder, text.bytes, text.length);
  if (id != TDM_NONE && (id != 0 || nulls)) return tdm_nsys_string_name(nsys, id);
  return tdm_record_name(nsys->recorder, "", 0);
}

static void note_name(tdm_nsys *nsys, nvtx_reading *reading, int64_t type, int64_t thread,
                      int64_t domain, int64_t category, uint32_t name) {
  int64_t pid = tdm_nsys_pid(thread);
  if (type == NVTX_DOMAIN)
    tdm_id_map_set(&reading->domains, (uint64_t)domain, (uint64_t)pid, name);
  else if (type == NVTX_CATEGORY)
    tdm_id_map_set(&reading->categories, (uint64_t)category, domain_key(pid, domain), name);
  else if (type == NVTX_THREAD && thread != TDM_NONE)
    tdm_nsys_thread_name(nsys, thread, name);
}

static tdm_status gather_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  const tdm_nsys_values *column = block->column;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    int64_t type = column[0].integer[i];
    if (type != NVTX_DOMAIN && type != NVTX_CATEGORY) continue;
    note_name(nsys, context, type, column[1].integer[i], column[2].integer[i], column[3].integer[i],
              text_name(nsys, column[4].text[i], column[5].integer[i]));
  }
  return TDM_OK;
}

/* Names need not come before their use. One more pass over the table, in files that need it. */
static void gather_names(tdm_nsys *nsys, nvtx_reading *reading) {
  static const tdm_nsys_column wanted[] = {{"eventType", TDM_NSYS_INT}, {"globalTid", TDM_NSYS_INT},
                                           {"domainId", TDM_NSYS_INT},  {"category", TDM_NSYS_INT},
                                           {"text", TDM_NSYS_TEXT},     {"textId", TDM_NSYS_INT}};
  if (reading->named) return;
  reading->named = true;
  tdm_nsys_scan(nsys, "NVTX_EVENTS", wanted, 6, gather_block, reading, NULL);
}

static int64_t numbered(tdm_nsys *nsys, const char *what, int64_t number) {
  char text[48];
  int length = snprintf(text, sizeof text, "%s %lld", what, (long long)number);
  return tdm_record_name(nsys->recorder, text, (size_t)length);
}

static int64_t domain_name(tdm_nsys *nsys, nvtx_reading *reading, int64_t pid, int64_t domain) {
  if (domain == TDM_NONE || domain == 0) return TDM_NONE; /* the default one */
  uint32_t name = tdm_id_map_find(&reading->domains, (uint64_t)domain, (uint64_t)pid);
  if (name != TDM_ID_NONE) return name;
  gather_names(nsys, reading);
  name = tdm_id_map_find(&reading->domains, (uint64_t)domain, (uint64_t)pid);
  if (name != TDM_ID_NONE) return name;
  int64_t made = numbered(nsys, "domain", domain);
  tdm_id_map_set(&reading->domains, (uint64_t)domain, (uint64_t)pid, (uint32_t)made);
  return made;
}

static int64_t category_name(tdm_nsys *nsys, nvtx_reading *reading, int64_t pid, int64_t domain,
                             int64_t category) {
  if (category == TDM_NONE || category == 0) return TDM_NONE;
  uint64_t group = domain_key(pid, domain);
  uint32_t name = tdm_id_map_find(&reading->categories, (uint64_t)category, group);
  if (name != TDM_ID_NONE) return name;
  gather_names(nsys, reading);
  name = tdm_id_map_find(&reading->categories, (uint64_t)category, group);
  if (name != TDM_ID_NONE) return name;
  int64_t made = numbered(nsys, "category", category);
  tdm_id_map_set(&reading->categories, (uint64_t)category, group, (uint32_t)made);
  return made;
}

/* ---- rows ---- */

static bool is_there(const tdm_nsys *nsys, int64_t value) {
  return value != TDM_NONE && (value != 0 || nsys->source->nulls);
}

static payload_kind payload_of(tdm_nsys *nsys, const tdm_nsys_values *column, size_t i,
                               int64_t *out) {
  static const int integers[] = {UINT64, INT64, UINT32, INT32};
  static const int reals[] = {DOUBLE, FLOAT};
  for (size_t k = 0; k < 4; k++)
    if (is_there(nsys, column[integers[k]].integer[i])) {
      *out = column[integers[k]].integer[i];
      return PAYLOAD_INT;
    }
  for (size_t k = 0; k < 2; k++) {
    double value = column[reals[k]].real[i];
    if (isnan(value) || (value == 0 && !nsys->source->nulls)) continue;
    *out = tdm_record_real(value);
    return PAYLOAD_REAL;
  }
  tdm_nsys_text text = column[JSON].text[i];
  if ((text.bytes == NULL || text.length == 0) && is_there(nsys, column[JSON_ID].integer[i]))
    text = tdm_nsys_string_text(nsys, column[JSON_ID].integer[i]);
  if (text.bytes == NULL || text.length == 0) return PAYLOAD_NONE;
  *out = tdm_record_name(nsys->recorder, text.bytes, text.length);
  return text.bytes[0] == '{' || text.bytes[0] == '[' ? PAYLOAD_JSON : PAYLOAD_TEXT;
}

/* What a row may have besides its name; whether it has any. */
static bool more_of(tdm_nsys *nsys, nvtx_reading *reading, const tdm_nsys_values *column,
                    size_t i) {
  int64_t pid = tdm_nsys_pid(column[THREAD].integer[i]), domain = column[DOMAIN].integer[i];
  int64_t color = column[COLOR].integer[i], range = column[RANGE].integer[i];
  int64_t end_thread = column[END_THREAD].integer[i];
  tdm_nsys_text binary = column[BINARY].text[i];
  int64_t more[MORE] = {
      [ROW_DOMAIN] = domain_name(nsys, reading, pid, domain),
      [ROW_CATEGORY] = category_name(nsys, reading, pid, domain, column[CATEGORY].integer[i]),
      [ROW_COLOR] = is_there(nsys, color) ? color & 0xffffffff : TDM_NONE,
      [ROW_RANGE] = is_there(nsys, range) ? range : TDM_NONE,
      [ROW_END_TID] = is_there(nsys, end_thread) ? tdm_nsys_tid(end_thread) : TDM_NONE,
      [ROW_BINARY] = binary.bytes != NULL && binary.length > 0
                         ? (int64_t)tdm_record_name(nsys->recorder, binary.bytes, binary.length)
                         : TDM_NONE,
  };
  bool any = false;
  for (size_t k = 0; k < MORE; k++) {
    reading->more[k][i] = more[k];
    any |= more[k] != TDM_NONE;
  }
  return any;
}

static unsigned char shape_of(int64_t type) {
  switch (type) {
  case NVTX_PUSH_POP:
  case NVTXT_PUSH_POP: return SHAPE_SPAN;
  case NVTX_START_END:
  case NVTXT_START_END: return SHAPE_ASYNC;
  case NVTX_MARK:
  case NVTXT_MARK: return SHAPE_INSTANT;
  default: return SLOT_NONE;
  }
}

static uint32_t layout_of(tdm_nsys *nsys, nvtx_reading *reading, unsigned slot) {
  if (reading->layout[slot] != 0) return reading->layout[slot] - 1;
  unsigned payload = slot / 2 % PAYLOADS;
  tdm_arg args[MORE + 1];
  uint32_t count = 0;
  if (slot % 2 != 0) {
    memcpy(args, more_args, sizeof more_args);
    count = MORE;
  }
  if (payload != PAYLOAD_NONE) args[count++] = (tdm_arg){"payload", payload_types[payload]};
  reading->layout[slot] =
      tdm_record_layout(nsys->recorder, "nvtx", shapes[slot / 2 / PAYLOADS], args, count) + 1;
  return reading->layout[slot] - 1;
}

/* Where the row goes; its name, track, duration and arguments. */
static unsigned char convert_row(tdm_nsys *nsys, nvtx_reading *reading,
                                 const tdm_nsys_values *column, size_t i) {
  int64_t type = column[TYPE].integer[i], start = column[START].integer[i];
  unsigned shape = shape_of(type);
  if (shape == SLOT_NONE) {
    if (type == NVTX_DOMAIN || type == NVTX_CATEGORY || type == NVTX_THREAD)
      note_name(nsys, reading, type, column[THREAD].integer[i], column[DOMAIN].integer[i],
                column[CATEGORY].integer[i],
                text_name(nsys, column[TEXT].text[i], column[TEXT_ID].integer[i]));
    else if (type != NVTX_DOMAIN_END)
      tdm_record_problem(nsys->recorder, "NVTX events of kinds that are not read", 1);
    return SLOT_NONE;
  }
  if (start == TDM_NONE) {
    tdm_record_problem(nsys->recorder, "events without a time (dropped)", 1);
    return SLOT_NONE;
  }
  int64_t end = column[END].integer[i];
  if (end == 0 && start > 0 && !nsys->source->nulls) end = TDM_NONE;
  if (shape == SHAPE_INSTANT) end = start;
  if (end == TDM_NONE) {
    shape = SHAPE_OPEN;
  } else if (__builtin_sub_overflow(end, start, &reading->dur[i]) || reading->dur[i] < 0) {
    tdm_record_problem(nsys->recorder, "events that end before they start (duration 0)", 1);
    reading->dur[i] = 0;
    end = start;
  }
  if (end != TDM_NONE && (nsys->last_ns == TDM_NONE || end > nsys->last_ns)) nsys->last_ns = end;
  reading->track[i] = tdm_nsys_thread_track(nsys, column[THREAD].integer[i]);
  reading->name[i] = text_name(nsys, column[TEXT].text[i], column[TEXT_ID].integer[i]);
  payload_kind payload = payload_of(nsys, column, i, &reading->payload[i]);
  bool more = more_of(nsys, reading, column, i);
  return (unsigned char)((shape * PAYLOADS + payload) * 2 + more);
}

static uint32_t lay_out(nvtx_reading *reading, int64_t *start, unsigned slot, int64_t **out) {
  uint32_t count = TDM_ARGS;
  out[TDM_START] = start;
  out[TDM_DUR] = reading->dur;
  out[TDM_TRACK] = reading->track;
  out[TDM_NAME] = reading->name;
  for (size_t k = 0; slot % 2 != 0 && k < MORE; k++) out[count++] = reading->more[k];
  if (slot / 2 % PAYLOADS != PAYLOAD_NONE) out[count++] = reading->payload;
  return count;
}

static void append_slot(tdm_nsys *nsys, nvtx_reading *reading, int64_t *start, size_t count,
                        unsigned slot, size_t rows) {
  int64_t *out[TDM_ARGS + MORE + 1];
  uint32_t width = lay_out(reading, start, slot, out), layout = layout_of(nsys, reading, slot);
  if (rows == count && slot / 2 / PAYLOADS != SHAPE_OPEN) {
    tdm_nsys_append(nsys, layout, out, width, NULL, count);
    return;
  }
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (reading->slot[i] == slot) reading->picked[n++] = (uint32_t)i;
  if (slot / 2 / PAYLOADS != SHAPE_OPEN) {
    tdm_nsys_append(nsys, layout, out, width, reading->picked, n);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    uint32_t i = reading->picked[k];
    int64_t args[MORE + 1];
    for (uint32_t c = TDM_ARGS; c < width; c++) args[c - TDM_ARGS] = out[c][i];
    tdm_nsys_open(nsys, layout, start[i], (uint32_t)reading->track[i], (uint32_t)reading->name[i],
                  args, width - TDM_ARGS);
  }
}

static tdm_status read_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  nvtx_reading *reading = context;
  size_t rows[SLOTS] = {0};
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    reading->slot[i] = convert_row(nsys, reading, block->column, i);
    if (reading->slot[i] != SLOT_NONE) rows[reading->slot[i]]++;
  }
  for (unsigned slot = 0; slot < SLOTS; slot++)
    if (rows[slot] > 0)
      append_slot(nsys, reading, block->column[START].integer, block->count, slot, rows[slot]);
  return TDM_OK;
}

tdm_status tdm_nsys_nvtx_read(tdm_nsys *nsys, tdm_error *error) {
  if ((nsys->options->dropped & TDM_READ_NO_NVTX) != 0 || !tdm_nsys_has(nsys, "NVTX_EVENTS"))
    return TDM_OK;
  nvtx_reading *reading = malloc(sizeof *reading);
  if (reading == NULL) return tdm_nsys_memory(error);
  memset(reading, 0, offsetof(nvtx_reading, track));
  tdm_status status =
      tdm_nsys_scan(nsys, "NVTX_EVENTS", columns, COLUMNS, read_block, reading, error);
  tdm_id_map_free(&reading->domains);
  tdm_id_map_free(&reading->categories);
  free(reading);
  return status;
}
