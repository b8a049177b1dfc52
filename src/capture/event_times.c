/* Pairs of events around work on a device. See event_times.h. */
#include "capture/event_times.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "capture/buffer.h"

enum {
  PAIRS = 4096, /* work under way; more is counted as lost */
  CONTEXTS = 64,
  UNREADY = 32,        /* so many in a row that have not run, and the rest is left for later */
  COLLECT_EVERY = 256, /* calls, for programs that never wait */
  NON_BLOCKING = 1     /* of cuStreamCreate */
};
static const int64_t ANCHOR_LASTS_NS = 1000000000; /* milliseconds in a float grow coarse */

typedef struct {
  tdm_word handle; /* 0: free */
  tdm_word stream, reference;
  bool usable;
  int64_t reference_ns; /* when the reference was recorded, on the host's clock */
  tdm_timed *idle;
} context;

struct tdm_timed {
  tdm_timed *next;
  context *of;
  tdm_word stream, before, after; /* events, made at its first use */
  tdm_capture_record record;
};

static tdm_timed pairs[PAIRS];
static unsigned pairs_used;
static context contexts[CONTEXTS];
static tdm_timed *first, **last = &first; /* under way, oldest call first */
static unsigned since_collected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A signal handler of a thread that holds the lock must not wait for it. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void forget(void) {
  first = NULL;
  last = &first;
  pairs_used = 0;
  memset(contexts, 0, sizeof contexts);
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

static bool enter(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (inside) return false;
  pthread_once(&once, watch_forks);
  inside = true;
  pthread_mutex_lock(&lock);
  return true;
}

static void leave(void) {
  pthread_mutex_unlock(&lock);
  inside = false;
}

static int record_event(tdm_word event, tdm_word stream) {
  return TDM_REAL(cuEventRecord, tdm_word, tdm_word)(event, stream);
}

/* Joins the clocks: an event on an idle stream happens between two looks at the host's clock. */
static bool anchor(context *of) {
  for (int tries = 0; tries < 4; tries++) {
    int64_t before_ns = tdm_capture_now_ns();
    if (record_event(of->reference, of->stream) ||
        TDM_REAL(cuEventSynchronize, tdm_word)(of->reference))
      return false;
    int64_t after_ns = tdm_capture_now_ns();
    of->reference_ns = before_ns + (after_ns - before_ns) / 2;
    if (after_ns - before_ns < 25000) break;
  }
  return true;
}

static context *current_context(void) {
  tdm_word handle = 0;
  int (*current)(tdm_word *) = TDM_REAL(cuCtxGetCurrent, tdm_word *);
  if (!current || current(&handle) || !handle) return NULL;
  context *of = contexts, *end = contexts + CONTEXTS;
  while (of < end && of->handle && of->handle != handle) of++;
  if (of == end) return NULL;
  if (of->handle) return of->usable ? of : NULL;
  memset(of, 0, sizeof *of);
  of->handle = handle;
  of->usable = !TDM_REAL(cuStreamCreate, tdm_word *, unsigned)(&of->stream, NON_BLOCKING) &&
               !TDM_REAL(cuEventCreate, tdm_word *, unsigned)(&of->reference, 0) && anchor(of);
  return of->usable ? of : NULL;
}

static bool happened(tdm_word event) {
  return !TDM_REAL(cuEventQuery, tdm_word)(event);
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
    timed->next = timed->of->idle;
    timed->of->idle = timed;
  }
  if (first) return; /* events under way are measured from the reference that they have */
  int64_t now_ns = tdm_capture_now_ns();
  for (context *of = contexts; of < contexts + CONTEXTS && of->handle; of++)
    if (of->usable && now_ns - of->reference_ns > ANCHOR_LASTS_NS) anchor(of);
}

static tdm_timed *take(context *of) {
  tdm_timed *timed = of->idle;
  if (timed) {
    of->idle = timed->next;
    return timed;
  }
  if (pairs_used == PAIRS) return NULL;
  timed = &pairs[pairs_used];
  if (TDM_REAL(cuEventCreate, tdm_word *, unsigned)(&timed->before, 0) ||
      TDM_REAL(cuEventCreate, tdm_word *, unsigned)(&timed->after, 0))
    return NULL;
  pairs_used++;
  timed->of = of;
  return timed;
}

static void give_back(tdm_timed *timed) {
  timed->next = timed->of->idle;
  timed->of->idle = timed;
}

tdm_timed *tdm_event_times_begin(tdm_word stream) {
  if (!enter()) return NULL;
  context *of = current_context();
  if (of && ++since_collected > COLLECT_EVERY) collect();
  tdm_timed *timed = of ? take(of) : NULL;
  if (of && !timed) {
    collect();
    timed = take(of);
    if (!timed) tdm_capture_add_lost(1);
  }
  if (timed) {
    timed->stream = stream;
    if (record_event(timed->before, stream)) {
      give_back(timed);
      timed = NULL;
    }
  }
  leave();
  return timed;
}

void tdm_event_times_end(tdm_timed *timed, const tdm_capture_record *record) {
  if (!timed || !enter()) return;
  if (!record || record_event(timed->after, timed->stream)) {
    give_back(timed);
  } else {
    timed->record = *record;
    timed->next = NULL;
    *last = timed;
    last = &timed->next;
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
