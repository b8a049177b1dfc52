/* The reader of what `perf script` prints: samples of CPUs and their stacks.
 *
 * A sample is a line "comm pid/tid [cpu] seconds: period event: …", then a line a frame, the
 * innermost first, "address symbol+0xoffset (file)", then an empty line; the fields that may lack
 * do. It becomes an instant of its thread, named by its whole stack, root first, as samples of
 * other formats are. Events of several kinds are told apart by the argument "event"; the source's
 * detail counts them. Where the first sample has no time, none is looked for: samples then lie a
 * nanosecond apart, and the detail says so. Lines of the header become facts. In read/reader.c's
 * table. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/lines.h"
#include "read/number.h"

enum { FRAMES = 4096 }; /* of one stack; its root is cut */
enum { EVENTS = 64 };   /* kinds that are counted */
enum { PROGRESS_LINES = 4096 };

typedef struct {
  const char *at;
  size_t length;
} word;

typedef struct {
  word comm, event;
  int64_t pid, tid, cpu, period; /* TDM_NONE: not said */
  int64_t time_ns;
  int timed;
} sample_head;

typedef struct {
  tdm_recorder *recorder;
  const tdm_read_options *options;
  tdm_input *input;
  uint32_t layout;
  struct {
    uint32_t name;
    uint64_t samples;
  } event[EVENTS];
  size_t events;
  /* The sample whose frames come now. */
  int open;
  int64_t time_ns;
  uint32_t track, event_name;
  int64_t cpu, period;
  size_t frames;
  char *stack; /* the frames so far, innermost first, each ended by ';' */
  size_t stack_used, stack_room;
  char *turned; /* root first */
  size_t turned_room;
  uint64_t samples, untimed;
  int by_order; /* no times: the first sample had none */
  int failed;
} job;

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static word trimmed(const char *at, size_t length) {
  while (length > 0 && is_blank(at[length - 1])) length--;
  while (length > 0 && is_blank(*at)) {
    at++;
    length--;
  }
  return (word){at, length};
}

/* The next word from *at on; of length 0 at the end. */
static word next_word(const char **at, const char *end) {
  while (*at < end && is_blank(**at)) ++*at;
  word next = {*at, 0};
  while (*at < end && !is_blank(**at)) ++*at;
  next.length = (size_t)(*at - next.at);
  return next;
}

static int all_digits(word w) {
  for (size_t i = 0; i < w.length; i++)
    if (!is_digit(w.at[i])) return 0;
  return w.length > 0;
}

/* "203265.377019:" */
static int is_time(word w) {
  size_t points = 0;
  if (w.length < 4 || w.at[w.length - 1] != ':' || !is_digit(w.at[0])) return 0;
  for (size_t i = 0; i + 1 < w.length; i++) {
    if (w.at[i] == '.')
      points++;
    else if (!is_digit(w.at[i]))
      return 0;
  }
  return points == 1;
}

/* "[002]" */
static int is_cpu(word w) {
  return w.length > 2 && w.at[0] == '[' && w.at[w.length - 1] == ']' &&
         all_digits((word){w.at + 1, w.length - 2});
}

/* "4312" or "4312/4313" */
static int take_thread(word w, sample_head *head) {
  const char *slash = memchr(w.at, '/', w.length);
  word pid = {w.at, slash != NULL ? (size_t)(slash - w.at) : w.length};
  word tid = slash != NULL ? (word){slash + 1, w.length - pid.length - 1} : pid;
  return all_digits(pid) && all_digits(tid) && tdm_number_integer(pid.at, pid.length, &head->pid) &&
         tdm_number_integer(tid.at, tid.length, &head->tid);
}

/* Behind thread, CPU and time: "1001001 cpu-clock: ", and of a tracepoint what it says. Where the
 * fields that were asked for leave the event out, a time must be there. */
static int take_event(const char *at, const char *end, sample_head *head) {
  word next = next_word(&at, end);
  if (all_digits(next)) {
    if (!tdm_number_integer(next.at, next.length, &head->period)) return 0;
    next = next_word(&at, end);
  }
  if (next.length == 0 && head->timed) {
    head->event = (word){"sample", 6};
    return 1;
  }
  if (next.length < 2 || next.at[next.length - 1] != ':') return 0;
  while (next.length > 1 && next.at[next.length - 1] == ':') next.length--;
  head->event = next;
  return 1;
}

/* A thread's name may have blanks and numbers in it: the thread's number is the first word that
 * the rest of the line agrees with. */
static int take_head(const char *line, size_t length, sample_head *head) {
  const char *end = line + length, *at = line;
  if (length == 0 || is_blank(*line) || *line == '#') return 0;
  next_word(&at, end);
  while (at < end) {
    word thread = next_word(&at, end);
    if (thread.length == 0) return 0;
    *head = (sample_head){.pid = TDM_NONE, .cpu = TDM_NONE, .period = TDM_NONE};
    if (!take_thread(thread, head)) continue;
    const char *rest = at, *behind;
    word next = next_word(&rest, end);
    if (is_cpu(next)) {
      (void)tdm_number_integer(next.at + 1, next.length - 2, &head->cpu);
      at = rest;
      next = next_word(&rest, end);
    }
    behind = at;
    if (is_time(next)) {
      head->timed = tdm_number_scaled(next.at, next.length - 1, 9, &head->time_ns);
      behind = rest;
    }
    if (!take_event(behind, end, head)) continue;
    head->comm = trimmed(line, (size_t)(thread.at - line));
    return 1;
  }
  return 0;
}

/* Grows by `length` bytes of text and one more. */
static int stack_put(job *j, const char *text, size_t length) {
  if (!tdm_array_grow(&j->stack, &j->stack_room, j->stack_used + length + 1, 1)) {
    j->failed = 1;
    return 0;
  }
  for (size_t i = 0; i < length; i++) /* ';' parts frames: Java's types have it in their names */
    j->stack[j->stack_used++] = text[i] == ';' ? ':' : text[i];
  return 1;
}

/* Where a trailing "(file)" begins, which may have parentheses of its own; NULL: there is none. */
static const char *file_of(word line) {
  int depth = 0;
  const char *at = line.at + line.length;
  if (line.length == 0 || at[-1] != ')') return NULL;
  while (at > line.at) {
    at--;
    depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
    if (depth == 0) return at > line.at && is_blank(at[-1]) ? at : NULL;
  }
  return NULL;
}

/* "main+0x12" without its offset. */
static word without_offset(word symbol) {
  size_t at = symbol.length;
  while (at > 0 && symbol.at[at - 1] != '+') at--;
  if (at < 2 || at + 2 > symbol.length || memcmp(symbol.at + at, "0x", 2) != 0) return symbol;
  for (size_t i = at + 2; i < symbol.length; i++)
    if (strchr("0123456789abcdef", symbol.at[i]) == NULL) return symbol;
  return (word){symbol.at, at - 1};
}

static int is_unknown(word name) {
  return name.length == 0 || (name.length == 9 && memcmp(name.at, "[unknown]", 9) == 0);
}

/* "f7eb __libc_recv (/lib/libpthread-2.19.so)"; a symbol that nobody knows is called by its file.
 */
static void take_frame(job *j, const char *line, size_t length) {
  word all = trimmed(line, length);
  const char *at = all.at, *end = all.at + all.length;
  next_word(&at, end); /* the address */
  word symbol = trimmed(at, (size_t)(end - at));
  const char *file = file_of(symbol);
  word base = {NULL, 0};
  if (file != NULL) {
    base = (word){file + 1, (size_t)(symbol.at + symbol.length - file) - 2};
    symbol = trimmed(symbol.at, (size_t)(file - symbol.at));
  }
  symbol = without_offset(symbol);
  if (j->frames == FRAMES) tdm_record_problem(j->recorder, "stacks that are too deep (cut)", 1);
  if (j->frames++ >= FRAMES) return;
  if (is_unknown(symbol) && !is_unknown(base)) {
    int bracketed = base.at[0] == '['; /* "[kernel.kallsyms]" */
    const char *name = bracketed ? base.at : base.at + base.length;
    while (name > base.at && name[-1] != '/') name--;
    if (!bracketed && !stack_put(j, "[", 1)) return;
    if (!stack_put(j, name, (size_t)(base.at + base.length - name))) return;
    if (!bracketed) (void)stack_put(j, "]", 1);
  } else if (is_unknown(symbol)) {
    (void)stack_put(j, "[unknown]", 9);
  } else {
    (void)stack_put(j, symbol.at, symbol.length);
  }
  if (!j->failed) j->stack[j->stack_used++] = ';';
}

/* The frames root first, without the last ';'. */
static uint32_t stack_name(job *j) {
  if (j->stack_used == 0) return tdm_record_text(j->recorder, "(no stack)");
  if (!tdm_array_grow(&j->turned, &j->turned_room, j->stack_used, 1)) {
    j->failed = 1;
    return 0;
  }
  size_t end = j->stack_used - 1, out = 0;
  for (;;) {
    size_t from = end;
    while (from > 0 && j->stack[from - 1] != ';') from--;
    memcpy(j->turned + out, j->stack + from, end - from);
    out += end - from;
    if (from == 0) break;
    j->turned[out++] = ';';
    end = from - 1;
  }
  return tdm_record_name(j->recorder, j->turned, out);
}

static void count_event(job *j) {
  for (size_t i = 0; i < j->events; i++)
    if (j->event[i].name == j->event_name) {
      j->event[i].samples++;
      return;
    }
  if (j->events == EVENTS) return;
  j->event[j->events].name = j->event_name;
  j->event[j->events++].samples = 1;
}

static void end_sample(job *j) {
  if (!j->open) return;
  j->open = 0;
  uint32_t name = stack_name(j);
  if (j->failed) return;
  const int64_t args[] = {j->cpu, j->event_name, j->period};
  tdm_record_row(j->recorder, j->layout, j->time_ns, 0, j->track, name, args, 3);
  count_event(j);
}

static void begin_sample(job *j, const sample_head *head) {
  char process[64], thread[64];
  tdm_track track = TDM_TRACK_PLAIN;
  int shown = head->comm.length < 32 ? (int)head->comm.length : 32;
  if (j->samples == 0) j->by_order = !head->timed;
  j->untimed += !j->by_order && !head->timed;
  int64_t time_ns = j->by_order ? (int64_t)j->samples : head->time_ns;
  j->samples++;
  if ((!j->by_order && !head->timed) || (j->options->dropped & TDM_READ_NO_CPU) != 0) return;
  snprintf(process, sizeof process, "%.*s (%lld)", shown, head->comm.at, (long long)head->pid);
  snprintf(thread, sizeof thread, "thread %lld", (long long)head->tid);
  track.process = process;
  track.name = thread;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = head->pid;
  track.tid = head->tid;
  j->open = 1;
  j->frames = j->stack_used = 0;
  j->time_ns = time_ns;
  j->track = tdm_record_track(j->recorder, &track);
  j->event_name = tdm_record_name(j->recorder, head->event.at, head->event.length);
  j->cpu = head->cpu;
  j->period = head->period;
}

/* "# hostname : bgregg-lgud2" */
static void take_comment(job *j, const char *line, size_t length) {
  static const char *const facts[][2] = {{"hostname", "host.name"},
                                         {"os release", "system.os"},
                                         {"cpudesc", "system.cpu"},
                                         {"perf version", "capture.perf"},
                                         {"cmdline", "capture.command"}};
  word all = trimmed(line + 1, length - 1);
  const char *colon = memchr(all.at, ':', all.length);
  if (colon == NULL) return;
  word key = trimmed(all.at, (size_t)(colon - all.at));
  word said = trimmed(colon + 1, (size_t)(all.at + all.length - colon) - 1);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    char value[512];
    if (key.length != strlen(facts[i][0]) || memcmp(key.at, facts[i][0], key.length) != 0) continue;
    snprintf(value, sizeof value, "%.*s", said.length < 500 ? (int)said.length : 500, said.at);
    tdm_record_fact(j->recorder, facts[i][1], value);
  }
}

static void take_line(job *j, const char *line, size_t length) {
  sample_head head;
  if (length > 0 && line[0] == '#') {
    take_comment(j, line, length);
  } else if (trimmed(line, length).length == 0) {
    end_sample(j);
  } else if (is_blank(line[0])) {
    if (j->open) take_frame(j, line, length);
  } else if (take_head(line, length, &head)) {
    end_sample(j);
    begin_sample(j, &head);
  } else {
    end_sample(j);
    tdm_record_problem(j->recorder, "lines that are no sample and no frame (left out)", 1);
  }
}

/* "444 samples of 2 events: cycles 333, instructions 111" */
static void tell(job *j) {
  char text[512];
  int used = snprintf(text, sizeof text, "%llu samples of %zu event%s",
                      (unsigned long long)j->samples, j->events, j->events == 1 ? "" : "s");
  if (j->by_order) used += snprintf(text + used, sizeof text - (size_t)used, " without times");
  for (size_t i = 0; i < j->events && used > 0 && used < 440; i++) {
    size_t length;
    const char *name = tdm_recorder_name(j->recorder, j->event[i].name, &length);
    used += snprintf(text + used, sizeof text - (size_t)used, "%s %.40s %llu", i > 0 ? "," : ":",
                     name, (unsigned long long)j->event[i].samples);
  }
  tdm_recorder_detail(j->recorder, text);
}

static tdm_status read_lines(job *j, tdm_lines *lines, tdm_error *error) {
  const char *line;
  size_t length;
  for (uint64_t n = 1; tdm_lines_next(lines, &line, &length); n++) {
    take_line(j, line, length);
    if (j->failed) return tdm_error_memory(error, "stacks", j->stack_room);
    if (tdm_recorder_failed(j->recorder)) return TDM_OK;
    if (n % PROGRESS_LINES != 0) continue;
    tdm_status status = tdm_read_progress(j->input, j->options, error);
    if (status != TDM_OK) return status;
  }
  if (lines->status != TDM_OK) {
    *error = lines->error;
    return lines->status;
  }
  end_sample(j);
  if (j->failed) return tdm_error_memory(error, "stacks", j->stack_room);
  if (j->samples == 0)
    return tdm_error_set(error, TDM_INVALID, "%s: no samples of `perf script` in it",
                         tdm_input_path(j->input));
  if (j->untimed > 0)
    tdm_record_problem(j->recorder, "samples without a time (left out)", j->untimed);
  return TDM_OK;
}

static tdm_status read_perf(tdm_input *input, const tdm_read_options *options,
                            tdm_recorder *recorder, tdm_error *error) {
  static const tdm_arg args[] = {
      {"cpu", TDM_ARG_INT}, {"event", TDM_ARG_TEXT}, {"period", TDM_ARG_INT}};
  job j = {.input = input, .options = options, .recorder = recorder};
  tdm_lines lines;
  j.layout = tdm_record_layout(recorder, "sample", TDM_SHAPE_INSTANT, args, 3);
  tdm_lines_init(&lines, input);
  tdm_status status = read_lines(&j, &lines, error);
  tell(&j);
  tdm_lines_clear(&lines);
  free(j.stack);
  free(j.turned);
  return status;
}

static int has_text(const unsigned char *head, size_t length, const char *text) {
  size_t size = strlen(text);
  for (size_t i = 0; i + size <= length; i++)
    if (memcmp(head + i, text, size) == 0) return 1;
  return 0;
}

/* The first line that is no comment is a sample's first. */
static int detect_perf(const unsigned char *head, size_t length, const char *path) {
  const char *at = (const char *)head, *end = at + length;
  sample_head sample;
  (void)path;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    word line = trimmed(at, (size_t)(stop - at));
    if (line.length > 0 && line.at[0] != '#') {
      if (line.at != at || !take_head(at, (size_t)(stop - at), &sample)) return 0;
      if (sample.timed && sample.event.at >= at && sample.event.at < stop) return 60;
      return end - stop > 2 && is_blank(stop[1]) ? 40 : 0; /* words and a number alone: any log */
    }
    at = stop + 1;
  }
  return has_text(head, length, "# perf version :") ? 50 : 0; /* a header as long as the head */
}

const tdm_reader tdm_reader_perf = {.name = "perf-script",
                                    .title = "Linux perf's samples (perf script)",
                                    .accepts = "*.perf, *.txt",
                                    .detect = detect_perf,
                                    .read = read_perf};
