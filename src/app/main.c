/* The program: opens Lua and hands the command line to tandem.cli, or to a plain script with
 * `tandem lua FILE [ARGS…]`, which sees a state that nothing else has touched. */
#include <errno.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/privacy.h"
#include "base/temporary.h"
#include "bind/bind.h"
#include "bind/guard.h"

enum { EXIT_SCRIPT_FAILED = 1, EXIT_USAGE = 2, EXIT_IO = 4, EXIT_BUG = 70 };
enum { EXIT_OF_LIBRARY = -1 };

/* Message handler: a text with its traceback. Tables without __tostring are named by their type. */
static int add_traceback(lua_State *L) {
  const char *message = luaL_tolstring(L, 1, NULL);
  luaL_traceback(L, L, message, 1);
  return 1;
}

static int make_safe(lua_State *L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "tandem.text.safe");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "screen");
  lua_pushvalue(L, 1);
  lua_pushboolean(L, false);
  lua_call(L, 2, 1);
  return 1;
}

/* The text without what drives a terminal: messages quote scripts, and names of files. Stays on the
 * stack. */
static const char *safe(lua_State *L, const char *text) {
  lua_pushcfunction(L, make_safe);
  lua_pushstring(L, text);
  bool made = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING;
  return made ? lua_tostring(L, -1) : "a message that cannot be shown";
}

/* Sets the global `arg`: argv[first - 1] is arg[0], the rest follow from 1. */
static void set_arg(lua_State *L, int argc, char **argv, int first) {
  lua_createtable(L, argc - first, 1);
  for (int i = first - 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - first + 1);
  }
  lua_setglobal(L, "arg");
}

/* require("tandem.cli").main(arg) → the exit code */
static int run_cli(lua_State *L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "tandem.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  lua_getglobal(L, "arg");
  lua_call(L, 1, 1);
  return 1;
}

/* The script at index 1 ("-" is standard input), with the rest of the command line as `...`. */
static int run_script(lua_State *L) {
  const char *file = lua_tostring(L, 1);
  int status = luaL_loadfile(L, strcmp(file, "-") == 0 ? NULL : file);
  if (status == LUA_ERRFILE) {
    fprintf(stderr, "tandem lua: %s\n", safe(L, lua_tostring(L, -1)));
    lua_pushinteger(L, EXIT_IO);
    return 1;
  }
  if (status != LUA_OK) return lua_error(L);
  lua_getglobal(L, "arg");
  int count = (int)lua_rawlen(L, -1);
  luaL_checkstack(L, count + 1, "too many arguments");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, 3, i);
  lua_remove(L, 3); /* arg */
  lua_call(L, count, 0);
  return 0;
}

struct command {
  int argc;
  char **argv;
  bool script;
};

/* All that may run out of memory, protected: the command line at index 1 is made `arg`, and run. */
static int run(lua_State *L) {
  const struct command *command = lua_touserdata(L, 1);
  set_arg(L, command->argc, command->argv, command->script ? 3 : 1);
  lua_settop(L, 0);
  if (!command->script) return run_cli(L);
  lua_pushstring(L, command->argv[2]);
  return run_script(L);
}

/* A file's name may hold what drives a terminal; Lua, which knows all of that, has ended. */
static void tell_left(const char *path, int reason) {
  fputs("tandem: cannot remove the temporary file ", stderr);
  for (const char *c = path; *c != '\0'; c++) fputc(*c >= ' ' && *c <= '~' ? *c : '?', stderr);
  fprintf(stderr, ": %s\n", strerror(reason));
}

/* The library of JSON, where memory is short, says so and ends the program with a code of its own.
 */
static void correct_code(int code, void *unused) {
  (void)unused;
  if (code == EXIT_OF_LIBRARY) _exit(EXIT_IO);
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is a failed write, not the end */
  const char *mask = getenv("TANDEM_UMASK");
  if (!tdm_privacy_begin(mask)) {
    fprintf(stderr, "tandem: TANDEM_UMASK is '%s'; a mask is octal, as in 077 or 022\n", mask);
    return EXIT_USAGE;
  }
  on_exit(correct_code, NULL);
  lua_State *L = tdm_state_open();
  if (L == NULL) {
    fputs("tandem: not enough memory to start\n", stderr);
    return EXIT_IO;
  }
  int code = 0;
  bool script = argc > 2 && strcmp(argv[1], "lua") == 0 && strcmp(argv[2], "--help") != 0 &&
                strcmp(argv[2], "-h") != 0;
  if (!script) tdm_interrupt_install();
  struct command command = {argc, argv, script};
  lua_pushcfunction(L, add_traceback);
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, &command);
  if (lua_pcall(L, 1, 1, 1) != LUA_OK) {
    const char *message = lua_tostring(L, -1); /* NULL when even the handler failed */
    fflush(stdout);
    if (!script && tdm_bind_tells_of_memory(message)) {
      fputs("tandem: not enough memory\n", stderr);
      code = EXIT_IO;
    } else {
      fprintf(stderr, "tandem: %s%s\n",
              script ? "" : "bug: ", message ? safe(L, message) : "error in error");
      code = script ? EXIT_SCRIPT_FAILED : EXIT_BUG;
    }
  } else {
    code = (int)lua_tointeger(L, -1);
  }
  lua_close(L);
  tdm_temporary_end(tell_left);
  bool lost = ferror(stdout) != 0; /* an earlier flush failed: its bytes and errno are gone */
  if (fflush(stdout) != 0 || lost) {
    fprintf(stderr, "tandem: standard output: %s\n",
            lost ? "not all was written" : strerror(errno));
    if (code <= EXIT_SCRIPT_FAILED) code = EXIT_IO;
  }
  tdm_guard_leave();
  return code;
}
