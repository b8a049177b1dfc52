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
  ANCHORINGS = 4,  /* tries at a context before it is left alone */
  NON_BLOCKING = 1 /* of cuStreamCreate */
};
static const int64_t ANCHOR_LASTS_NS = 1000000000; /* milliseconds in a float grow coarse */
static const int64_t ANCHOR_WAITS_NS = 1000000, ANCHOR_GOOD_NS = 25000;

typedef struct {
  tdm_word handle; /* 0: free */
  tdm_word stream, reference, next_reference;
  int64_t reference_ns; /* when the reference was recorded, on the host's clock; 0: not yet */
  int tries;
  tdm_timed *idle;
} context;

struct tdm_timed {
  tdm_timed *next;
  context *of;
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
static context contexts[CONTEXTS];
static tdm_timed *first, **last = &first; /* under way, oldest call first */
static unsigned since_collected;
/* A signal handler of a thread that holds the lock must not wait for it. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void push(tdm_timed **list, tdm_timed *timed) {
  timed->next = *list;
  *list = timed;
}

static void forget(void) {
  first = spare = NULL;
  last = &first;
  memset(contexts, 0, sizeof contexts);
  for (unsigned i = 0; i < pairs_used; i++) {
    pairs[i].orphan = pairs[i].held;
    if (!pairs[i].held) push(&spare, &pairs[i]);
  }
}

static void before_fork(void) {
  if (!inside) pthread_mutex_lock(&lock);
}
static void in_parent(void) {
  if (!inside) pthread_mutex_unlock(&lock);
}
static void in_child(void) { /* which has none of its parent's contexts */
  forget();
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

static void leave(void) {
  pthread_mutex_unlock(&lock);
  inside = false;
}

static int record_event(tdm_word event, tdm_word stream) {
  return TDM_REAL(cuEventRecord, tdm_word, tdm_word)(event, stream);
}

static bool happened(tdm_word event) {
  return !TDM_REAL(cuEventQuery, tdm_word)(event);
}

/* Joins the clocks: an event on an idle stream happens between two looks at the host's clock. Not
 * waited for if work of the program keeps it from happening; then the last reference stays. */
static void anchor(context *of) {
  for (int tries = 0; tries < 4; tries++) {
    int64_t before_ns = tdm_capture_now_ns(), after_ns = before_ns;
    if (record_event(of->next_reference, of->stream)) return;
    bool past = false;
    while (!past && after_ns - before_ns < ANCHOR_WAITS_NS) {
      past = happened(of->next_reference);
      after_ns = tdm_capture_now_ns();
    }
    if (!past) return;
    tdm_word reference = of->next_reference;
    of->next_reference = of->reference;
    of->reference = reference;
    of->reference_ns = before_ns + (after_ns - before_ns) / 2;
    if (after_ns - before_ns < ANCHOR_GOOD_NS) return;
  }
}

/* The current context, if its clock is known. */
static context *current_context(void) {
  tdm_word handle = 0;
  int (*current)(tdm_word *) = TDM_REAL(cuCtxGetCurrent, tdm_word *);
  if (!current || current(&handle) || !handle) return NULL;
  context *of = contexts, *end = contexts + CONTEXTS;
  while (of < end && of->handle && of->handle != handle) of++;
  if (of == end) return NULL;
  int (*make_event)(tdm_word *, unsigned) = TDM_REAL(cuEventCreate, tdm_word *, unsigned);
  if (!of->handle) {
    memset(of, 0, sizeof *of);
    of->handle = handle;
    if (TDM_REAL(cuStreamCreate, tdm_word *, unsigned)(&of->stream, NON_BLOCKING) ||
        make_event(&of->reference, 0) || make_event(&of->next_reference, 0))
      of->tries = ANCHORINGS;
  }
  if (!of->reference_ns && of->tries++ < ANCHORINGS) anchor(of);
  return of->reference_ns ? of : NULL;
}

static bool between_ns(tdm_word from, tdm_word to, int64_t *ns) {
  float milliseconds = 0;
  if (TDM_REAL(cuEventElapsedTime, float *, tdm_word, tdm_word)(&milliseconds, from, to))
    return false;
  *ns = (int64_t)((double)milliseconds * 1e6);
  return true;
}

static void put(const tdm_timed *timed) {
  tdm_capture_record record = timed->record;
  int64_t called_ns = record.start_ns, start_ns, length_ns;
  if (!between_ns(timed->of->reference, timed->before, &start_ns) ||
      !between_ns(timed->before, timed->after, &length_ns)) {
    tdm_capture_add_lost(1);
    return;
  }
  record.start_ns = timed->of->reference_ns + start_ns;
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
    if (!happened(timed->after)) {
      unready++;
      at = &timed->next;
      continue;
    }
    put(timed);
    *at = timed->next;
    if (last == &timed->next) last = at;
    push(&timed->of->idle, timed);
  }
  if (first) return; /* events under way are measured from the reference that they have */
  int64_t now_ns = tdm_capture_now_ns();
  for (context *of = contexts; of < contexts + CONTEXTS && of->handle; of++)
    if (of->reference_ns && now_ns - of->reference_ns > ANCHOR_LASTS_NS) anchor(of);
}

static tdm_timed *take(context *of) {
  tdm_timed *timed = of->idle;
  if (timed) {
    of->idle = timed->next;
  } else {
    if (!spare && pairs_used < PAIRS) push(&spare, &pairs[pairs_used++]);
    int (*make_event)(tdm_word *, unsigned) = TDM_REAL(cuEventCreate, tdm_word *, unsigned);
    if (!spare || make_event(&spare->before, 0) || make_event(&spare->after, 0)) return NULL;
    timed = spare;
    spare = timed->next;
    timed->of = of;
  }
  timed->held = true;
  return timed;
}

static void give_back(tdm_timed *timed) {
  push(timed->orphan ? &spare : &timed->of->idle, timed);
  timed->held = timed->orphan = false;
}

tdm_timed *tdm_event_times_begin(tdm_word stream) {
  if (!enter()) {
    tdm_capture_add_lost(1);
    return NULL;
  }
  context *of = current_context();
  if (of && ++since_collected > COLLECT_EVERY) collect();
  tdm_timed *timed = of ? take(of) : NULL;
  if (of && !timed) {
    collect();
    timed = take(of);
    if (!timed) tdm_capture_add_lost(1);
  }
  leave();
  if (!timed) return NULL;
  timed->stream = stream;
  if (!record_event(timed->before, stream)) return timed;
  tdm_event_times_end(timed, NULL);
  return NULL;
}

void tdm_event_times_end(tdm_timed *timed, const tdm_capture_record *record) {
  if (!timed) return;
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

void tdm_event_times_collect(void) {
  if (!enter()) return;
  collect();
  leave();
}

void tdm_event_times_forget(void) {
  if (!enter()) return;
  collect();
  for (tdm_timed *timed = first; timed; timed = timed->next) tdm_capture_add_lost(1);
  forget();
  leave();
}
