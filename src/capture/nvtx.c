/* NVTX: the ranges and marks that a program names itself. NVTX, which is compiled into programs,
 * loads the library that $NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2 in it,
 * which puts functions of this file into NVTX's tables.
 *
 * Handles of domains and of registered strings are the ids of their names, so that nothing has to
 * be kept. Owns the stacks of ranges that threads have pushed, and a table of those started.
 * What is left out: payloads, resources, names of threads, streams and devices. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "capture/buffer.h"
#include "capture/handles.h"
#include "capture/ranges.h"

enum {
  DEEPEST = 127,  /* ranges that a thread may have pushed; deeper ones are counted as lost */
  STARTED = 4096, /* ranges that may be started and not ended, likewise */
  CATEGORIES = 1024,
  WIDE_BYTES = 1024, /* of a text of wide characters, in UTF-8 */
  NO_LEVEL = -1,
  /* NVTX's own numbers */
  TABLE_CALLBACKS = 1,
  MODULE_CORE = 1,
  MODULE_CORE2 = 5,
  COLOR_ARGB = 1,
  MESSAGE_ASCII = 1,
  MESSAGE_WIDE = 2,
  MESSAGE_REGISTERED = 3
};

/* As NVTX lays out nvtxEventAttributes_t. */
typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t color_kind;
  uint32_t color;
  int32_t payload_kind, reserved;
  uint64_t payload;
  int32_t message_kind;
  union {
    const char *ascii;
    const wchar_t *wide;
    uint64_t registered;
  } message;
} attributes;

typedef struct {
  tdm_capture_record records[DEEPEST];
  uint32_t depth; /* with those that found no room */
} stack;
static _Thread_local stack *pushed __attribute__((tls_model("initial-exec")));
static pthread_key_t stack_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A started range's slot is the low part of its number. */
static struct {
  _Atomic uint64_t range; /* 0: free */
  tdm_capture_record record;
  pid_t pid; /* a child of fork has its parent's, which the parent ends */
} started[STARTED];
static _Atomic uint32_t next_slot;

static tdm_handle category_slots[CATEGORIES];
static const tdm_handles categories = {category_slots, CATEGORIES}; /* names */

/* A thread ends; ranges that it leaves open end nowhere. Destructors of other keys may come later
 * and push again: they get a stack of their own. */
static void drop_stack(void *at) {
  stack *of = at;
  for (uint32_t i = 0; i < of->depth && i < DEEPEST; i++)
    if (of->records[i].nvtx.tid == tdm_capture_thread()) tdm_ranges_leave(of->records[i].name);
  pushed = NULL;
  munmap(at, sizeof(stack));
}
static void make_key(void) {
  pthread_key_create(&stack_key, drop_stack);
}

static stack *stack_of_thread(void) {
  if (pushed) return pushed;
  void *at = mmap(NULL, sizeof(stack), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  pthread_once(&once, make_key);
  pthread_setspecific(stack_key, at);
  return pushed = at;
}

static size_t utf8_of(const wchar_t *wide, char text[WIDE_BYTES]) {
  size_t length = 0;
  for (; *wide && length + 4 <= WIDE_BYTES; wide++) {
    uint32_t c = (uint32_t)*wide;
    if (c < 0x80) {
      text[length++] = (char)c;
      continue;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    text[length++] = (char)(lead[more] | (c >> (6 * more) & 0x3F));
    while (more-- > 0) text[length++] = (char)(0x80 | (c >> (6 * more) & 0x3F));
  }
  return length;
}

static uint64_t wide_name(const wchar_t *wide) {
  char text[WIDE_BYTES];
  return wide ? tdm_capture_text_bytes(text, utf8_of(wide, text)) : 0;
}

static uint64_t message_of(const attributes *with) {
  switch (with->message_kind) {
  case MESSAGE_ASCII: return tdm_capture_text(with->message.ascii);
  case MESSAGE_WIDE: return wide_name(with->message.wide);
  case MESSAGE_REGISTERED: return with->message.registered;
  default: return 0;
  }
}

static uint64_t category_key(uint64_t domain, uint32_t category) {
  return (domain ^ (uint64_t)category * 0x9E3779B97F4A7C15u) | 1;
}
static void name_category(uint64_t domain, uint32_t category, uint64_t name) {
  tdm_handles_set(&categories, category_key(domain, category), name);
}

/* A range or a mark that begins now. */
static tdm_capture_record begun(uint64_t domain, uint64_t name) {
  int64_t now = tdm_capture_now_ns();
  tdm_capture_record record = {.kind = TDM_CAPTURE_OPEN, .start_ns = now, .end_ns = now};
  record.name = name;
  record.nvtx.domain = domain;
  record.nvtx.tid = tdm_capture_thread();
  return record;
}

static tdm_capture_record begun_with(uint64_t domain, const attributes *with) {
  tdm_capture_record record = begun(domain, 0);
  if (!with || with->size < sizeof *with) return record;
  record.name = message_of(with);
  uint64_t category = tdm_handles_get(&categories, category_key(domain, with->category));
  record.nvtx.category = with->category && category ? category : with->category;
  record.nvtx.color = with->color_kind == COLOR_ARGB ? with->color : 0;
  return record;
}

static void put_if_wanted(const tdm_capture_record *record) {
  if (tdm_capture_wants(TDM_CAPTURE_WANT_NVTX)) tdm_capture_put(record);
}

static void lose(void) {
  if (tdm_capture_wants(TDM_CAPTURE_WANT_NVTX)) tdm_capture_add_lost(1);
}

static void mark(tdm_capture_record record) {
  record.kind = TDM_CAPTURE_MARK;
  put_if_wanted(&record);
}

static void end(tdm_capture_record record) {
  record.kind = TDM_CAPTURE_RANGE;
  record.end_ns = tdm_capture_now_ns();
  put_if_wanted(&record);
}

/* How many ranges of that domain a thread has pushed. */
static int level(const stack *of, uint64_t domain) {
  int found = 0;
  for (uint32_t i = 0; i < of->depth && i < DEEPEST; i++)
    found += of->records[i].nvtx.domain == domain;
  return found;
}

static int push(tdm_capture_record record) {
  stack *to = stack_of_thread();
  if (!to) return NO_LEVEL;
  if (to->depth >= DEEPEST) {
    to->depth++;
    lose();
    return (int)to->depth - 1;
  }
  int at = level(to, record.nvtx.domain);
  record.flags = TDM_CAPTURE_PUSHED;
  record.nvtx.range = tdm_capture_correlation();
  to->records[to->depth++] = record;
  tdm_ranges_enter(record.name);
  put_if_wanted(&record);
  return at;
}

static int pop(uint64_t domain) {
  stack *from = pushed;
  if (!from || !from->depth) return NO_LEVEL;
  if (from->depth > DEEPEST) return (int)--from->depth;
  uint32_t at = from->depth;
  while (at > 0 && from->records[at - 1].nvtx.domain != domain) at--;
  if (at == 0) return NO_LEVEL;
  tdm_capture_record last = from->records[at - 1];
  bool forked = last.nvtx.tid != tdm_capture_thread(); /* the parent ends it, too */
  last.nvtx.tid = tdm_capture_thread();
  end(last);
  if (!forked) tdm_ranges_leave(last.name);
  from->depth--;
  memmove(&from->records[at - 1], &from->records[at],
          (from->depth - (at - 1)) * sizeof from->records[0]);
  return level(from, domain);
}

static uint64_t start(tdm_capture_record record) {
  uint64_t range = (uint64_t)tdm_capture_correlation() * STARTED;
  for (uint32_t tries = 0; tries < 64; tries++) {
    uint32_t slot = atomic_fetch_add(&next_slot, 1) % STARTED;
    uint64_t empty = 0;
    record.nvtx.range = range + slot;
    if (!atomic_compare_exchange_strong(&started[slot].range, &empty, range + slot)) continue;
    started[slot].record = record;
    started[slot].pid = getpid();
    tdm_ranges_enter(record.name);
    put_if_wanted(&record);
    return range + slot;
  }
  lose();
  return range;
}

static void stop(uint64_t range) {
  uint32_t slot = (uint32_t)(range % STARTED);
  tdm_capture_record record = started[slot].record;
  bool forked = started[slot].pid != getpid();
  if (!range || !atomic_compare_exchange_strong(&started[slot].range, &range, 0)) return;
  end(record);
  if (!forked) tdm_ranges_leave(record.name);
}

/* What NVTX calls, by its own names. */
static void MarkEx(const attributes *a) {
  mark(begun_with(0, a));
}
static void MarkA(const char *text) {
  mark(begun(0, tdm_capture_text(text)));
}
static void MarkW(const wchar_t *text) {
  mark(begun(0, wide_name(text)));
}
static uint64_t RangeStartEx(const attributes *a) {
  return start(begun_with(0, a));
}
static uint64_t RangeStartA(const char *text) {
  return start(begun(0, tdm_capture_text(text)));
}
static uint64_t RangeStartW(const wchar_t *text) {
  return start(begun(0, wide_name(text)));
}
static void RangeEnd(uint64_t range) {
  stop(range);
}
static int RangePushEx(const attributes *a) {
  return push(begun_with(0, a));
}
static int RangePushA(const char *text) {
  return push(begun(0, tdm_capture_text(text)));
}
static int RangePushW(const wchar_t *text) {
  return push(begun(0, wide_name(text)));
}
static int RangePop(void) {
  return pop(0);
}
static void NameCategoryA(uint32_t category, const char *text) {
  name_category(0, category, tdm_capture_text(text));
}
static void NameCategoryW(uint32_t category, const wchar_t *text) {
  name_category(0, category, wide_name(text));
}
static void DomainMarkEx(uint64_t domain, const attributes *a) {
  mark(begun_with(domain, a));
}
static uint64_t DomainRangeStartEx(uint64_t domain, const attributes *a) {
  return start(begun_with(domain, a));
}
static void DomainRangeEnd(uint64_t domain, uint64_t range) {
  (void)domain;
  stop(range);
}
static int DomainRangePushEx(uint64_t domain, const attributes *a) {
  return push(begun_with(domain, a));
}
static int DomainRangePop(uint64_t domain) {
  return pop(domain);
}
static void DomainNameCategoryA(uint64_t domain, uint32_t category, const char *text) {
  name_category(domain, category, tdm_capture_text(text));
}
static void DomainNameCategoryW(uint64_t domain, uint32_t category, const wchar_t *text) {
  name_category(domain, category, wide_name(text));
}
static uint64_t DomainRegisterStringA(uint64_t domain, const char *text) {
  (void)domain;
  return tdm_capture_text(text);
}
static uint64_t DomainRegisterStringW(uint64_t domain, const wchar_t *text) {
  (void)domain;
  return wide_name(text);
}
static uint64_t DomainCreateA(const char *text) {
  return tdm_capture_text(text);
}
static uint64_t DomainCreateW(const wchar_t *text) {
  return wide_name(text);
}

typedef void function(void);
typedef struct {
  size_t struct_bytes;
  int (*functions_of)(int module, function ****table, unsigned *size);
} callbacks;

/* In the order of NVTX's numbers, from 0, which is none. */
#define F(name) (function *)(uintptr_t)name
static function *const core[] = {
    NULL,           F(MarkEx),      F(MarkA),         F(MarkW),        F(RangeStartEx),
    F(RangeStartA), F(RangeStartW), F(RangeEnd),      F(RangePushEx),  F(RangePushA),
    F(RangePushW),  F(RangePop),    F(NameCategoryA), F(NameCategoryW)};
static function *const core2[] = {NULL,
                                  F(DomainMarkEx),
                                  F(DomainRangeStartEx),
                                  F(DomainRangeEnd),
                                  F(DomainRangePushEx),
                                  F(DomainRangePop),
                                  NULL, /* resources */
                                  NULL,
                                  F(DomainNameCategoryA),
                                  F(DomainNameCategoryW),
                                  F(DomainRegisterStringA),
                                  F(DomainRegisterStringW),
                                  F(DomainCreateA),
                                  F(DomainCreateW)};

static void put_into(const callbacks *of, int module, function *const *mine, size_t count) {
  function ***table = NULL;
  unsigned size = 0;
  if (!of->functions_of(module, &table, &size) || !table) return;
  for (unsigned i = 1; i < size && i < count; i++)
    if (table[i] && mine[i]) *table[i] = mine[i];
}

/* 1: NVTX goes on with this library; 0: without one. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
  if (!(tdm_capture_file()->wanted & TDM_CAPTURE_WANT_NVTX) && !tdm_ranges_named()) return 0;
  const callbacks *of = export_table ? export_table(TABLE_CALLBACKS) : NULL;
  if (!of || of->struct_bytes < sizeof *of || !of->functions_of) return 0;
  put_into(of, MODULE_CORE, core, sizeof core / sizeof *core);
  put_into(of, MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
  return 1;
}
