/* See pool.h. */
#include "serve/pool.h"

#include <lauxlib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "serve/convert.h"

struct tdm_pool {
  tdm_pool_options options;
  pthread_t *threads;
  unsigned count;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t work;
  pthread_cond_t ready;
  tdm_request *first, **last;
  unsigned opened; /* workers that are ready or failed */
  bool ending;
  char broken[256];
};

/* The handler, or a text that says why there is none. */
static int open_handler(lua_State *L) {
  const tdm_pool *pool = lua_touserdata(L, 1);
  tdm_convert_install(L, pool->options.jobs, pool->options.stats);
  lua_getglobal(L, "require");
  lua_pushstring(L, pool->options.module);
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "open");
  lua_pushstring(L, pool->options.setup);
  lua_call(L, 1, 2);
  if (lua_isnil(L, -2)) return 1; /* why there is none */
  lua_getfield(L, -2, "handle");
  return 1;
}

/* The handler stays at index 1. */
static lua_State *open_state(tdm_pool *pool) {
  lua_State *L = pool->options.make_state();
  char why[sizeof pool->broken] = "not enough memory for a worker";
  if (L != NULL) {
    lua_pushcfunction(L, open_handler);
    lua_pushlightuserdata(L, pool);
    bool raised = lua_pcall(L, 1, 1, 0) != LUA_OK;
    if (raised || lua_isstring(L, -1)) {
      const char *text = lua_tostring(L, -1);
      if (!raised || !tdm_bind_tells_of_memory(text))
        snprintf(why, sizeof why, "%s", text != NULL ? text : "error in error");
      lua_close(L);
      L = NULL;
    }
  }
  pthread_mutex_lock(&pool->lock);
  pool->opened++;
  if (L == NULL) snprintf(pool->broken, sizeof pool->broken, "%s", why);
  pthread_cond_broadcast(&pool->ready);
  pthread_mutex_unlock(&pool->lock);
  return L;
}

static int call_handler(lua_State *L) {
  tdm_request *request = lua_touserdata(L, 2);
  lua_pushvalue(L, 1);
  tdm_convert_request(L, request);
  lua_call(L, 1, 1);
  tdm_convert_answer(L, request);
  return 0;
}

static int traced(lua_State *L) {
  const char *message = luaL_tolstring(L, 1, NULL);
  luaL_traceback(L, L, message, 1);
  return 1;
}

static void answer(lua_State *L, tdm_pool *pool, tdm_request *request) {
  char before[sizeof request->job];
  memcpy(before, request->job, sizeof before);
  lua_pushcfunction(L, traced);
  lua_pushcfunction(L, call_handler);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, request);
  bool failed = lua_pcall(L, 2, 0, 2) != LUA_OK;
  if (failed) {
    fprintf(stderr, "tandem serve: bug: %s\n", lua_tostring(L, -1));
    tdm_answer_free(request->answer);
    request->answer =
        tdm_answer_problem(500, "bug", "The server made a mistake; its log says which.", NULL);
  }
  lua_settop(L, 1);
  if (request->answer == NULL && request->wait_until_ns != 0) {
    tdm_jobs_park(*pool->options.jobs, request);
    return;
  }
  const char *accepted = tdm_request_header(request, "accept-encoding");
  if (request->answer != NULL && accepted != NULL && strstr(accepted, "gzip") != NULL)
    tdm_answer_compress(request->answer, pool->options.settings->spool);
  MHD_resume_connection(request->connection);
}

static void *work(void *argument) {
  tdm_pool *pool = argument;
  lua_State *L = open_state(pool);
  if (L == NULL) return NULL;
  pthread_mutex_lock(&pool->lock);
  while (pool->first != NULL || !pool->ending) {
    tdm_request *request = pool->first;
    if (request == NULL) {
      pthread_cond_wait(&pool->work, &pool->lock);
      continue;
    }
    pool->first = request->next;
    if (pool->first == NULL) pool->last = &pool->first;
    pthread_mutex_unlock(&pool->lock);
    request->next = NULL;
    answer(L, pool, request);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  lua_close(L);
  return NULL;
}

tdm_status tdm_pool_open(const tdm_pool_options *options, tdm_pool **out, tdm_error *error) {
  tdm_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return tdm_error_memory(error, "the workers", sizeof *pool);
  pool->options = *options;
  pool->last = &pool->first;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->ready, NULL);
  unsigned wanted = options->settings->workers;
  pool->threads = tdm_array_new(wanted, sizeof *pool->threads);
  while (pool->threads != NULL && pool->count < wanted &&
         pthread_create(&pool->threads[pool->count], NULL, work, pool) == 0)
    pool->count++;
  pthread_mutex_lock(&pool->lock);
  while (pool->opened < pool->count) pthread_cond_wait(&pool->ready, &pool->lock);
  bool broken = pool->broken[0] != '\0';
  pthread_mutex_unlock(&pool->lock);
  if (broken || pool->count == 0) {
    tdm_error_set(error, TDM_IO, "%s", broken ? pool->broken : "no thread for a worker");
    tdm_pool_close(pool);
    return TDM_IO;
  }
  *out = pool;
  return TDM_OK;
}

/* Who asks whether the server lives does not wait behind what others want of it. */
static bool is_urgent(const tdm_request *request) {
  return strcmp(request->path, "/healthz") == 0;
}

bool tdm_pool_put(tdm_pool *pool, tdm_request *request) {
  pthread_mutex_lock(&pool->lock);
  bool taken = !pool->ending;
  if (taken) {
    tdm_request **at = is_urgent(request) ? &pool->first : pool->last;
    request->next = *at;
    *at = request;
    if (request->next == NULL) pool->last = &request->next;
    pthread_cond_signal(&pool->work);
  }
  pthread_mutex_unlock(&pool->lock);
  return taken;
}

void tdm_pool_finish(tdm_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->ending = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->count; i++) pthread_join(pool->threads[i], NULL);
  pool->count = 0;
}

void tdm_pool_close(tdm_pool *pool) {
  if (pool == NULL) return;
  tdm_pool_finish(pool);
  pthread_cond_destroy(&pool->ready);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  free(pool->threads);
  free(pool);
}
