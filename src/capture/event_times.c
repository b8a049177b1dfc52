/* Pairs of events around work on a device. See event_times.h. */
#include "capture/event_times.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "capture/buffer.h"

enum {
  PAIRS = 4096, /* work under way; more is counted as lost */
  CONTEXTS = 64,
  UNREADY = 32,        /* so many in a row that have not run, and the rest is left for later */
  COLLECT_EVERY = 256, /* calls, for programs that never wait */
  LOCK_WAITS_S = 1,
  ANCHORINGS = 4,   /* tries at a context before it is left alone */
  REFERENCES = 4,   /* of a context: one for new work, others while work is measured from them */
  NON_BLOCKING = 1, /* of cuStreamCreate */
  RELAXED = 2       /* of cuThreadExchangeStreamCaptureMode */
};
static const int64_t ANCHOR_LASTS_NS = 1000000000; /* milliseconds in a float grow coarse */
static const int64_t ANCHOR_WAITS_NS = 1000000, ANCHOR_GOOD_NS = 25000;

typedef struct {
  tdm_word event;
  int64_t ns;     /* when it was, on the host's clock */
  unsigned users; /* pairs that will be measured from it */
} reference;

typedef struct {
  tdm_word handle; /* 0: free */
  tdm_word stream;
  reference references[REFERENCES], *newest; /* NULL: none yet */
  int64_t anchored_ns;                       /* the last attempt */
  int tries;
  int paused; /* calls under way that may end it */
  tdm_timed *idle;
} context;

struct tdm_timed {
  tdm_timed *next;
  context *of;
  reference *from;
  tdm_word stream, before, after; /* events of the context */
  bool held;                      /* by a thread, between begin and end */
  bool orphan;                    /* its context was forgotten meanwhile */
  tdm_capture_record record;
};

/* The lock is held for what follows, but never while the driver may wait: recording an event waits
 * where a stream is full, perhaps for work that another thread has yet to launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tdm_timed pairs[PAIRS], *spare; /* without events */
static unsigned pairs_used;
static context contexts[CONTEXTS], *contexts_end = contexts;
static tdm_timed *first, **last = &first; /* under way, oldest call first */
static unsigned since_collected;
static bool relaxed;     /* the thread that holds the lock */
static int capture_mode; /* if so, the one it had */
/* A signal handler of a thread that holds the lock must not wait for it. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void push(tdm_timed **list, tdm_timed *timed) {
  timed->next = *list;
  *list = timed;
}

/* Drops the context and its events; how many were under way. */
static unsigned forget(context *of) {
  unsigned dropped = 0;
  last = &first;
  while (*last) {
    tdm_timed *timed = *last;
    if (timed->of == of)
      *last = timed->next, dropped++;
    else
      last = &timed->next;
  }
  for (tdm_timed *timed = pairs; timed < pairs + pairs_used; timed++) {
    if (timed->of != of) continue;
    timed->orphan = timed->held;
    timed->of = NULL;
    if (!timed->held) push(&spare, timed);
  }
  memset(of, 0, sizeof *of);
  return dropped;
}

static void before_fork(void) {
  if (!inside) pthread_mutex_lock(&lock);
}
static void in_parent(void) {
  if (!inside) pthread_mutex_unlock(&lock);
}
static void in_child(void) { /* which has none of its parent's contexts */
  for (context *of = contexts; of < contexts_end; of++) forget(of);
  in_parent();
}
static void watch_forks(void) {
  pthread_atfork(before_fork, in_parent, in_child);
}

/* A driver that waits inside a question about one context must not keep threads of others waiting
 * for ever, whose work may be what it waits for: after a while work goes untimed. */
static bool enter(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (inside) return false;
  pthread_once(&once, watch_forks);
  inside = true;
  if (!pthread_mutex_trylock(&lock)) return true;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += LOCK_WAITS_S;
  if (!pthread_mutex_timedlock(&lock, &until)) return true;
  inside = false;
  return false;
}

/* While a stream is captured into a graph, a question by any thread about an event may spoil the
 * capture, unless that thread says that it knows. Lasts until the lock is left. Not for recording
 * events, which is work like any other. */
static void relax(void) {
  int (*exchange)(int *) = TDM_REAL(cuThreadExchangeStreamCaptureMode, int *);
  if (relaxed || !exchange) return;
  capture_mode = RELAXED;
  relaxed = !exchange(&capture_mode);
}

static void leave(void) {
  if (relaxed) TDM_REAL(cuThreadExchangeStreamCaptureMode, int *)(&capture_mode);
  relaxed = false;
  pthread_mutex_unlock(&lock);
  inside = false;
}

static int record_event(tdm_word event, tdm_word stream) {
  return TDM_REAL(cuEventRecord, tdm_word, tdm_word)(event, stream);
}

static bool make_event(tdm_word *event) {
  relax();
  return !TDM_REAL(cuEventCreate, tdm_word *, unsigned)(event, 0);
}

static bool make_stream(tdm_word *stream) {
  relax();
  return !TDM_REAL(cuStreamCreate, tdm_word *, unsigned)(stream, NON_BLOCKING);
}

static bool happened(tdm_word event) {
  relax();
  return !TDM_REAL(cuEventQuery, tdm_word)(event);
}

static reference *unused_reference(context *of) {
  for (reference *r = of->references; r < of->references + REFERENCES; r++)
    if (!r->users && r != of->newest) return r;
  return NULL;
}

/* Joins the clocks: an event on an idle stream happens between two looks at the host's clock. Not
 * waited for if work of the program keeps it from happening; then the last reference stays. */
static void anchor(context *of) {
  int64_t best_ns = INT64_MAX;
  for (int tries = 0; tries < 4 && best_ns > ANCHOR_GOOD_NS; tries++) {
    reference *next = unused_reference(of);
    int64_t before_ns = tdm_capture_now_ns(), after_ns = before_ns;
    of->anchored_ns = before_ns;
    if (!next || record_event(next->event, of->stream)) return;
    bool past = false;
    while (!past && after_ns - before_ns < ANCHOR_WAITS_NS) {
      past = happened(next->event);
      after_ns = tdm_capture_now_ns();
    }
    if (!past) return;
    if (after_ns - before_ns >= best_ns) continue;
    best_ns = after_ns - before_ns;
    next->ns = before_ns + best_ns / 2;
    of->newest = next;
  }
}

static bool prepare(context *of) {
  bool made = make_stream(&of->stream);
  for (int i = 0; made && i < REFERENCES; i++) made = make_event(&of->references[i].event);
  return made;
}

static context *find(tdm_word handle) {
  for (context *of = contexts; of < contexts_end; of++)
    if (of->handle == handle) return of;
  return NULL;
}

/* The current context, if its clock is known. */
static context *current_context(void) {
  tdm_word handle = 0;
  int (*current)(tdm_word *) = TDM_REAL(cuCtxGetCurrent, tdm_word *);
  if (!current || current(&handle) || !handle) return NULL;
  context *of = find(handle);
  if (!of) of = find(0);
  if (!of && contexts_end < contexts + CONTEXTS) of = contexts_end++;
  if (!of || of->paused) return NULL;
  if (!of->handle) {
    of->handle = handle;
    if (!prepare(of)) of->tries = ANCHORINGS;
  }
  if (!of->newest && of->tries++ < ANCHORINGS) anchor(of);
  return of->newest ? of : NULL;
}

static bool between_ns(tdm_word from, tdm_word to, int64_t *ns) {
  float milliseconds = 0;
  relax();
  if (TDM_REAL(cuEventElapsedTime, float *, tdm_word, tdm_word)(&milliseconds, from, to))
    return false;
  *ns = (int64_t)((double)milliseconds * 1e6);
  return true;
}

static void put(const tdm_timed *timed) {
  tdm_capture_record record = timed->record;
  int64_t called_ns = record.start_ns, start_ns, length_ns;
  if (!between_ns(timed->from->event, timed->before, &start_ns) ||
      !between_ns(timed->before, timed->after, &length_ns)) {
    tdm_capture_add_lost(1);
    return;
  }
  record.start_ns = timed->from->ns + start_ns;
  record.end_ns = record.start_ns + length_ns;
  /* On an idle stream the event happens before the call that is timed. */
  if (record.start_ns < called_ns) record.start_ns = called_ns;
  if (record.end_ns < record.start_ns) record.end_ns = record.start_ns; /* of unsure clocks */
  tdm_capture_put_shared(&record);
}

static void collect(void) {
  unsigned unready = 0;
  since_collected = 0;
  for (tdm_timed **at = &first; *at && unready < UNREADY;) {
    tdm_timed *timed = *at;
    bool paused = timed->of->paused > 0;
    if (paused || !happened(timed->after)) {
      unready += !paused;
      at = &timed->next;
      continue;
    }
    put(timed);
    *at = timed->next;
    if (last == &timed->next) last = at;
    timed->from->users--;
    push(&timed->of->idle, timed);
  }
  int64_t now_ns = tdm_capture_now_ns();
  for (context *of = contexts; of < contexts_end; of++)
    if (of->newest && !of->paused && now_ns - of->anchored_ns > ANCHOR_LASTS_NS) anchor(of);
}

static tdm_timed *take(context *of) {
  tdm_timed *timed = of->idle;
  if (timed) {
    of->idle = timed->next;
  } else {
    if (!spare && pairs_used < PAIRS) push(&spare, &pairs[pairs_used++]);
    if (!spare || !make_event(&spare->before) || !make_event(&spare->after)) return NULL;
    timed = spare;
    spare = timed->next;
    timed->of = of;
  }
  timed->held = true;
  timed->from = of->newest;
  timed->from->users++;
  return timed;
}

static void give_back(tdm_timed *timed) {
  if (!timed->orphan) timed->from->users--;
  push(timed->orphan ? &spare : &timed->of->idle, timed);
  timed->held = timed->orphan = false;
}

tdm_timed *tdm_event_times_begin(tdm_word stream) {
  if (!enter()) return NULL;
  context *of = current_context();
  if (of && ++since_collected > COLLECT_EVERY) collect();
  tdm_timed *timed = of ? take(of) : NULL;
  if (of && !timed) {
    collect();
    timed = take(of);
  }
  leave();
  if (!timed) return NULL;
  timed->stream = stream;
  if (!record_event(timed->before, stream)) return timed;
  tdm_event_times_end(timed, NULL);
  return NULL;
}

void tdm_event_times_end(tdm_timed *timed, const tdm_capture_record *record) {
  if (!timed) {
    if (record) tdm_capture_add_lost(1);
    return;
  }
  bool under_way = record && !record_event(timed->after, timed->stream);
  if (!enter()) {
    if (under_way) tdm_capture_add_lost(1);
    return; /* the pair stays held */
  }
  if (under_way && !timed->orphan) {
    timed->record = *record;
    timed->held = false;
    timed->next = NULL;
    *last = timed;
    last = &timed->next;
  } else {
    if (under_way) tdm_capture_add_lost(1);
    give_back(timed);
  }
  leave();
}

static bool is_meant(const context *of, tdm_word handle) {
  return of->handle && (!handle || of->handle == handle);
}

void tdm_event_times_collect(void) {
  if (!enter()) return;
  collect();
  leave();
}

void tdm_event_times_pause(tdm_word context_or_any) {
  if (!enter()) return;
  collect();
  for (context *of = contexts; of < contexts_end; of++)
    if (is_meant(of, context_or_any)) of->paused++;
  leave();
}

void tdm_event_times_resume(tdm_word context_or_any) {
  if (!enter()) return;
  for (context *of = contexts; of < contexts_end; of++)
    if (is_meant(of, context_or_any) && of->paused > 0) of->paused--;
  leave();
}

void tdm_event_times_forget(tdm_word context_or_any) {
  if (!enter()) return;
  for (context *of = contexts; of < contexts_end; of++)
    if (is_meant(of, context_or_any)) tdm_capture_add_lost(forget(of));
  leave();
}
