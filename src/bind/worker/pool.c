/* Workers for many replications at once: those that rest, those that are busy, and how a busy one's
 * call is stopped from outside. Owns the signal that does so; a worker's own life is worker.c's.
 * Called by bind/run.c through worker.h. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include <lauxlib.h>

#include "base/memory.h"
#include "bind/worker/inside.h"

/* ---- stopping a call from outside
 *
 * A count hook that is always there would slow down every instruction, so one is planted when it is
 * needed: by a signal handler on the worker's own thread, where lua_sethook is allowed. */

#define STOP_SIGNAL SIGURG /* ignored where nobody handles it */

static _Thread_local tdm_worker *volatile on_this_thread;

static void stop_call(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (tdm_worker_of(L)->overrun)
    luaL_error(L, "one call ran for more than %f s of processor time",
               tdm_worker_of(L)->options.call_s);
  luaL_error(L, "interrupted");
}

static void plant_stop(lua_State *L) {
  lua_sethook(L, stop_call, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

static void on_stop_signal(int signal_number) {
  (void)signal_number;
  tdm_worker *w = on_this_thread;
  if (w == NULL) return;
  if (!w->limited) w->overrun = false;
  if (!w->limited) return; /* outside of calls the engine looks for itself */
  if (!w->overrun) w->interrupted = true;
  plant_stop(w->L);
  if (w->inner != NULL) plant_stop(w->inner);
}

static void install_stop_signal(void) {
  struct sigaction action = {.sa_handler = on_stop_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(STOP_SIGNAL, &action, NULL);
}

/* ---- pool */

struct tdm_worker_pool {
  const tdm_shipment *shipment;
  const tdm_model *model;
  tdm_bind_functions functions;
  tdm_worker_options options;
  pthread_mutex_t lock; /* guards what is below */
  tdm_worker **idle;
  size_t idle_count, idle_capacity;
  tdm_worker *busy; /* those taken */
};

tdm_status tdm_worker_pool_open(const tdm_shipment *shipment, const tdm_model *model,
                                const tdm_bind_functions *functions,
                                const tdm_worker_options *options, tdm_worker_pool **out,
                                tdm_error *error) {
  *out = NULL;
  tdm_worker_pool *pool = tdm_array_new(1, sizeof *pool);
  if (pool == NULL) return tdm_error_memory(error, "workers", sizeof *pool);
  pool->shipment = shipment;
  pool->model = model;
  pool->functions = *functions;
  if (options != NULL) pool->options = *options;
  pthread_mutex_init(&pool->lock, NULL);
  *out = pool;
  return TDM_OK;
}

void tdm_worker_pool_close(tdm_worker_pool *pool) {
  if (pool == NULL) return;
  for (size_t i = 0; i < pool->idle_count; i++) tdm_worker_close(pool->idle[i]);
  pthread_mutex_destroy(&pool->lock);
  free(pool->idle);
  free(pool);
}

tdm_status tdm_worker_pool_take(tdm_worker_pool *pool, uint64_t seed, uint32_t replication,
                                tdm_worker **out, tdm_error *error) {
  tdm_worker *w = NULL;
  *out = NULL;
  pthread_mutex_lock(&pool->lock);
  if (pool->idle_count > 0) w = pool->idle[--pool->idle_count];
  pthread_mutex_unlock(&pool->lock);
  tdm_status status = TDM_OK;
  if (w == NULL)
    status =
        tdm_worker_open(pool->shipment, pool->model, &pool->functions, &pool->options, &w, error);
  if (status == TDM_OK) status = tdm_worker_begin(w, seed, replication, error);
  if (status != TDM_OK) {
    tdm_worker_close(w);
    return status;
  }
  w->thread = pthread_self();
  w->seen_s = INFINITY; /* nobody has looked at this thread yet */
  on_this_thread = w;
  pthread_mutex_lock(&pool->lock);
  w->next_busy = pool->busy;
  pool->busy = w;
  pthread_mutex_unlock(&pool->lock);
  *out = w;
  return TDM_OK;
}

static void be_heard(void) {
  static pthread_once_t installed = PTHREAD_ONCE_INIT;
  pthread_once(&installed, install_stop_signal);
}

/* What the worker's thread has computed so far. */
static double thread_s(const tdm_worker *w) {
  clockid_t clock;
  struct timespec now;
  if (pthread_getcpuclockid(w->thread, &clock) != 0 || clock_gettime(clock, &now) != 0) return 0;
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void tdm_worker_pool_look(tdm_worker_pool *pool) {
  be_heard();
  pthread_mutex_lock(&pool->lock);
  for (tdm_worker *w = pool->busy; w != NULL; w = w->next_busy) {
    uint32_t calls = atomic_load_explicit(&w->calls, memory_order_relaxed);
    double now_s = thread_s(w);
    if (calls != w->seen_calls || now_s < w->seen_s) {
      w->seen_calls = calls;
      w->seen_s = now_s;
    } else if (w->options.call_s > 0 && now_s - w->seen_s > w->options.call_s) {
      w->overrun = true;
      pthread_kill(w->thread, STOP_SIGNAL);
    }
  }
  pthread_mutex_unlock(&pool->lock);
}

void tdm_worker_pool_interrupt(tdm_worker_pool *pool) {
  be_heard();
  pthread_mutex_lock(&pool->lock);
  for (tdm_worker *w = pool->busy; w != NULL; w = w->next_busy)
    pthread_kill(w->thread, STOP_SIGNAL);
  pthread_mutex_unlock(&pool->lock);
}

void tdm_worker_pool_give(tdm_worker_pool *pool, tdm_worker *worker) {
  if (worker == NULL) return;
  on_this_thread = NULL;
  pthread_mutex_lock(&pool->lock);
  tdm_worker **link = &pool->busy;
  while (*link != worker) link = &(*link)->next_busy;
  *link = worker->next_busy;
  bool kept =
      tdm_array_grow(&pool->idle, &pool->idle_capacity, pool->idle_count + 1, sizeof *pool->idle);
  if (kept) pool->idle[pool->idle_count++] = worker;
  pthread_mutex_unlock(&pool->lock);
  if (!kept) tdm_worker_close(worker);
}
