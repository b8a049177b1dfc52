/* One SQL statement from text to rows: prepared (or taken from those that wait to be used again),
 * given its parameters, stepped, its failures put into words. Called by database.c alone. */
#ifndef TDM_BIND_STATEMENT_H
#define TDM_BIND_STATEMENT_H

#include <lua.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

#define TDM_STATEMENTS_IDLE 16

typedef struct tdm_cursor tdm_cursor;

/* An open database; all zero when closed. */
typedef struct tdm_database {
  sqlite3 *handle;
  bool lent; /* the handle is somebody else's */
  bool readonly;
  char *path;                              /* for messages */
  tdm_cursor *cursors;                     /* open ones: closing the database ends them */
  sqlite3_stmt *idle[TDM_STATEMENTS_IDLE]; /* reset, to be used again; NULL: free */
  unsigned next_idle;                      /* the one that is given up next */
  tdm_error unread;                        /* the first failure to read the file; TDM_OK: none */
} tdm_database;

/* Rows under way. Userdata; its user value keeps the database object alive. */
struct tdm_cursor {
  tdm_database *database; /* NULL: ended */
  sqlite3_stmt *statement;
  tdm_cursor *next;
  bool waiting; /* a row was fetched and not yet pushed */
  bool done;    /* ended because there are no more rows */
};

/* sqlite3_step, so that the next function can say why. */
int tdm_statement_step(sqlite3_stmt *statement);

/* Puts the database's last failure into one line. When it is the fault of SQL, `sql` is the whole
 * text and `statement` where in it the failed one begins; both may be NULL. */
tdm_status tdm_statement_failure(tdm_database *database, int code, const char *sql,
                                 const char *statement, tdm_error *error);

/* SQLITE_READONLY for a statement that would write where nothing may be written. */
int tdm_statement_allowed(const tdm_database *database, sqlite3_stmt *statement);

/* The single statement of `sql`; more than one, or none, is refused. */
tdm_status tdm_statement_take(tdm_database *database, const char *sql, sqlite3_stmt **statement,
                              tdm_error *error);
void tdm_statement_give(tdm_database *database, sqlite3_stmt *statement);

/* Raises unless the arguments from `first` on can be parameters. */
void tdm_statement_check(lua_State *L, int first);

/* Binds stack slots `first` … `last`; SQLite's code, which is SQLITE_RANGE when their number is not
 * that of the statement's parameters. With `copy` they may leave the stack before the statement is
 * done. */
int tdm_statement_bind(lua_State *L, int first, int last, sqlite3_stmt *statement, bool copy);

/* Pushes the row as { name = value }; NULL is an absent name. */
void tdm_statement_push_row(lua_State *L, sqlite3_stmt *statement);
/* Pushes the current row as the list of its values; NULL leaves a hole. [-0, +1, m] */
void tdm_statement_push_list(lua_State *L, sqlite3_stmt *statement);

/* Pushes a cursor, without a statement, on the database object at stack index 1. */
tdm_cursor *tdm_cursor_new(lua_State *L, tdm_database *database);
void tdm_cursor_end(tdm_cursor *cursor); /* gives its statement back; twice is fine */

#endif
