/* What a shipment is made of; shared by the files of bind/ship. See ship.h for what it means.
 *
 * Three byte strings. `objects`: one record for each table and function, numbered from 1 in this
 * order; `links`: what to store where once all objects exist, so that cycles need no care;
 * `origin`: how `require` of the new state is set up. Integers are little-endian as the machine has
 * them: shipments never leave the process. */
#ifndef TDM_BIND_SHIP_INSIDE_H
#define TDM_BIND_SHIP_INSIDE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  unsigned char *bytes;
  size_t length, capacity;
} tdm_ship_buffer;

struct tdm_shipment {
  tdm_ship_buffer objects, links, origin;
  uint32_t object_count;
  uint32_t function_count; /* the list itself is object 1 */
};

/* Records of `objects`. */
enum {
  TDM_SHIP_NAMED = 1, /* text: "module\nfield\n…" */
  TDM_SHIP_C,         /* pointer of a C function without upvalues */
  TDM_SHIP_TABLE,     /* u32 items, u32 fields */
  TDM_SHIP_GLOBALS,   /* the global environment */
  TDM_SHIP_CODE       /* bytes: a binary chunk */
};

/* Records of `links`. */
enum {
  TDM_SHIP_FIELD = 1, /* u32 table, value key, value */
  TDM_SHIP_META,      /* u32 table, value */
  TDM_SHIP_UPVALUE,   /* u32 function, u32 position, value */
  TDM_SHIP_JOIN       /* u32 function, u32 position, u32 function, u32 position: one variable */
};

/* Values: a tag, then its bytes. */
enum {
  TDM_SHIP_NIL = 1,
  TDM_SHIP_FALSE,
  TDM_SHIP_TRUE,
  TDM_SHIP_INTEGER,
  TDM_SHIP_NUMBER,
  TDM_SHIP_STRING,
  TDM_SHIP_POINTER, /* light userdata */
  TDM_SHIP_OBJECT   /* u32 */
};

/* Records of `origin`. */
enum {
  TDM_SHIP_PRELOAD = 1, /* text name, pointer */
  TDM_SHIP_SEARCHER,    /* pointer */
  TDM_SHIP_PATH         /* text field of package, text */
};

/* Pushes a table object → "module\nfield" of everything that each state has by itself.
 * [-0, +1, m] */
void tdm_ship_push_names(lua_State *L);

/* Whether openings get their own copy of that module's table: user code may assign into it. */
bool tdm_ship_is_copied(const char *module);

#endif
