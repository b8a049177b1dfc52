/* mpi.so: texts between the ranks of an MPI job, for Lua. Owns MPI's life in this process and the
 * transfers under way; knows nothing of what the texts mean. Loaded by tandem.sweep.mpi, so that
 * the program itself does not link MPI and starts fast.
 *
 * Nothing here blocks on another rank: sends and receives are started, and every call moves all of
 * them on. Two ranks that send each other long texts at the same time would otherwise wait for
 * each other for ever. One Lua state, the one that called init, uses the module. */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  TAG = 7,
  SPIN_NS = 200000, /* a text that is on its way comes within this: worth spinning */
  NAP_FRACTION = 10,
  NAP_MOST_NS = 1000000,
  UNIT = 1 << 20, /* texts too long for MPI's int counts are sent in mebibytes and a rest */
  NOBODY = -1
};

/* Outgoing: the text is a Lua string, kept alive by ref. Incoming: buffer is ours. */
typedef struct {
  MPI_Request request;
  int rank;
  int ref;
  char *buffer;
  size_t size;
} transfer;

typedef struct {
  transfer *items; /* in the order in which they began */
  size_t count, capacity;
} transfer_list;

static transfer_list outgoing, incoming;

/* ---- failures */

/* nil, "MPI: WHAT: why", rank (nil when it is nobody's) */
static int push_failure(lua_State *L, const char *what, int rank, int code) {
  char why[MPI_MAX_ERROR_STRING + 1] = "unknown error";
  int length = 0;
  if (MPI_Error_string(code, why, &length) != MPI_SUCCESS) length = (int)strlen(why);
  why[length] = '\0';
  for (char *c = why; *c != '\0'; c++)
    if (*c == '\n') *c = ' ';
  luaL_pushfail(L);
  if (rank == NOBODY) {
    lua_pushfstring(L, "MPI: %s: %s", what, why);
    luaL_pushfail(L);
  } else {
    lua_pushfstring(L, "MPI: %s rank %d: %s", what, rank, why);
    lua_pushinteger(L, rank);
  }
  return 3;
}

static bool running(void) {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  return begun && !over;
}

static void check_running(lua_State *L) {
  if (!running()) luaL_error(L, "MPI is not running: init comes first, finalize last");
}

/* ---- lists of transfers */

/* A new item at the end, zeroed; raises when memory is short. */
static transfer *append(lua_State *L, transfer_list *list) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
    transfer *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) luaL_error(L, "not enough memory for %d transfers", (int)capacity);
    list->items = items;
    list->capacity = capacity;
  }
  transfer *item = &list->items[list->count++];
  *item = (transfer){.request = MPI_REQUEST_NULL, .ref = LUA_NOREF, .rank = NOBODY};
  return item;
}

static void drop(lua_State *L, transfer_list *list, size_t index) {
  luaL_unref(L, LUA_REGISTRYINDEX, list->items[index].ref);
  free(list->items[index].buffer);
  list->count--;
  memmove(&list->items[index], &list->items[index + 1],
          (list->count - index) * sizeof *list->items);
}

/* The type and count that stand for size bytes; free_type frees what it made. */
static int make_type(size_t size, MPI_Datatype *type, int *count) {
  if (size <= INT_MAX) {
    *type = MPI_BYTE;
    *count = (int)size;
    return MPI_SUCCESS;
  }
  MPI_Datatype unit;
  int code = MPI_Type_contiguous(UNIT, MPI_BYTE, &unit);
  if (code != MPI_SUCCESS) return code;
  int lengths[] = {(int)(size / UNIT), (int)(size % UNIT)};
  MPI_Aint offsets[] = {0, (MPI_Aint)(size - size % UNIT)};
  MPI_Datatype types[] = {unit, MPI_BYTE};
  code = MPI_Type_create_struct(2, lengths, offsets, types, type);
  MPI_Type_free(&unit);
  *count = 1;
  return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

static void free_type(MPI_Datatype *type) {
  if (*type != MPI_BYTE) MPI_Type_free(type);
}

/* Forgets the sends that are done. A send that failed is forgotten too: its rank is given back. */
static int move_outgoing(lua_State *L, int *lost) {
  for (size_t i = 0; i < outgoing.count;) {
    int done = 0;
    *lost = outgoing.items[i].rank;
    int code = MPI_Test(&outgoing.items[i].request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done)
      drop(L, &outgoing, i);
    else
      i++;
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

/* Begins to receive every text that has been announced. */
static int begin_incoming(lua_State *L, int *lost) {
  for (;;) {
    int there = 0;
    MPI_Status status;
    *lost = NOBODY;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (code != MPI_SUCCESS || !there) return code;
    *lost = status.MPI_SOURCE;
    MPI_Count size = 0;
    code = MPI_Get_elements_x(&status, MPI_BYTE, &size);
    if (code != MPI_SUCCESS) return code;
    /* Memory first: when it is short, the text stays where it is. */
    char *buffer = malloc((size_t)size + 1);
    if (buffer == NULL)
      luaL_error(L, "not enough memory for a text of %I bytes", (LUAI_UACINT)size);
    transfer *item = append(L, &incoming);
    item->buffer = buffer;
    item->size = (size_t)size;
    item->rank = status.MPI_SOURCE;
    MPI_Datatype type = MPI_BYTE;
    int count = 0;
    code = make_type(item->size, &type, &count);
    if (code == MPI_SUCCESS)
      code = MPI_Irecv(buffer, count, type, item->rank, TAG, MPI_COMM_WORLD, &item->request);
    free_type(&type);
    if (code != MPI_SUCCESS) {
      drop(L, &incoming, incoming.count - 1);
      return code;
    }
  }
}

/* The first text that is here whole: its index, or -1. */
static int find_complete(lua_State *L, int *lost, ptrdiff_t *found) {
  *found = -1;
  for (size_t i = 0; i < incoming.count; i++) {
    int done = 0;
    *lost = incoming.items[i].rank;
    int code = MPI_Test(&incoming.items[i].request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
      drop(L, &incoming, i);
      return code;
    }
    if (done) {
      *found = (ptrdiff_t)i;
      return MPI_SUCCESS;
    }
  }
  return MPI_SUCCESS;
}

/* ---- waiting */

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Lets others run, for a fraction of the wait so far: who has waited for long does not mind a
 * little more, and does not burn the processor. False when a signal came. */
static bool pause_a_little(double began_s) {
  double waited_ns = (now_s() - began_s) * 1e9;
  if (waited_ns < SPIN_NS) {
    sched_yield();
    return true;
  }
  double nap_ns = waited_ns / NAP_FRACTION;
  struct timespec nap = {.tv_nsec = nap_ns < NAP_MOST_NS ? (long)nap_ns : NAP_MOST_NS};
  return nanosleep(&nap, NULL) == 0 || errno != EINTR;
}

/* ---- functions */

/* init() → rank, size | nil, message. Again: the same answer. */
static int mpi_init(lua_State *L) {
  int over = 0, begun = 0, given = 0, rank = 0, size = 0;
  MPI_Finalized(&over);
  if (over) {
    luaL_pushfail(L);
    lua_pushliteral(L, "MPI: it was finalized and cannot begin again in this process");
    return 2;
  }
  MPI_Initialized(&begun);
  int code = begun ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (code != MPI_SUCCESS) return push_failure(L, "cannot start", NOBODY, code);
  lua_pushinteger(L, rank);
  lua_pushinteger(L, size);
  return 2;
}

/* send(rank, text) → true | nil, message, rank. Returns at once; the text goes out during this and
 * later calls. */
static int mpi_send(lua_State *L) {
  size_t size;
  lua_Integer rank = luaL_checkinteger(L, 1);
  const char *text = luaL_checklstring(L, 2, &size);
  int ranks = 0;
  check_running(L);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  luaL_argcheck(L, rank >= 0 && rank < ranks, 1, "no such rank");
  transfer *item = append(L, &outgoing);
  item->rank = (int)rank;
  lua_pushvalue(L, 2);
  item->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  MPI_Datatype type = MPI_BYTE;
  int count = 0, lost = NOBODY;
  int code = make_type(size, &type, &count);
  if (code == MPI_SUCCESS)
    code = MPI_Isend(text, count, type, item->rank, TAG, MPI_COMM_WORLD, &item->request);
  free_type(&type);
  if (code != MPI_SUCCESS) {
    drop(L, &outgoing, outgoing.count - 1);
    return push_failure(L, "cannot send to", (int)rank, code);
  }
  code = move_outgoing(L, &lost);
  if (code != MPI_SUCCESS) return push_failure(L, "cannot send to", lost, code);
  lua_pushboolean(L, true);
  return 1;
}

/* receive(timeout_s) → rank, text | nil, "timeout" | nil, message, rank that is lost (or nil).
 * Returns early, with "timeout", when a signal came, so that the caller can look at it. */
static int mpi_receive(lua_State *L) {
  lua_Number timeout_s = luaL_checknumber(L, 1);
  check_running(L);
  double began_s = now_s();
  for (;;) {
    int lost = NOBODY;
    ptrdiff_t found = -1;
    int code = move_outgoing(L, &lost);
    if (code != MPI_SUCCESS) return push_failure(L, "cannot send to", lost, code);
    code = begin_incoming(L, &lost);
    if (code == MPI_SUCCESS) code = find_complete(L, &lost, &found);
    if (code != MPI_SUCCESS) return push_failure(L, "cannot receive from", lost, code);
    if (found >= 0) {
      const transfer *item = &incoming.items[found];
      lua_pushinteger(L, item->rank);
      lua_pushlstring(L, item->buffer, item->size);
      drop(L, &incoming, (size_t)found);
      return 2;
    }
    if (!(now_s() - began_s < timeout_s) || !pause_a_little(began_s)) break;
  }
  luaL_pushfail(L);
  lua_pushliteral(L, "timeout");
  return 2;
}

/* drain(patience_s) → whether nothing is under way any more. What is received by this is dropped.
 */
static int mpi_drain(lua_State *L) {
  lua_Number patience_s = luaL_checknumber(L, 1);
  check_running(L);
  double began_s = now_s();
  for (;;) {
    int lost = NOBODY;
    ptrdiff_t found = -1;
    while (move_outgoing(L, &lost) != MPI_SUCCESS) {
    } /* each failure takes one from the list */
    if (find_complete(L, &lost, &found) == MPI_SUCCESS && found >= 0)
      drop(L, &incoming, (size_t)found);
    if (outgoing.count + incoming.count == 0 || !(now_s() - began_s < patience_s)) break;
    pause_a_little(began_s);
  }
  lua_pushboolean(L, outgoing.count + incoming.count == 0);
  return 1;
}

/* finalize() → true | nil, message. Waits for every other rank to get here. */
static int mpi_finalize(lua_State *L) {
  int code = running() ? MPI_Finalize() : MPI_SUCCESS;
  if (code != MPI_SUCCESS) return push_failure(L, "cannot end", NOBODY, code);
  lua_pushboolean(L, true);
  return 1;
}

/* abort(code): ends all ranks at once; does not return */
static int mpi_abort(lua_State *L) {
  int code = (int)luaL_optinteger(L, 1, 1);
  if (running()) MPI_Abort(MPI_COMM_WORLD, code);
  exit(code);
}

int luaopen_tandem_mpi(lua_State *L);
int luaopen_tandem_mpi(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"init", mpi_init},   {"send", mpi_send},         {"receive", mpi_receive},
      {"drain", mpi_drain}, {"finalize", mpi_finalize}, {"abort", mpi_abort},
      {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
