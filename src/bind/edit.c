/* core.edit: reads lines from a person (libedit: editing, history, completion, paste) or from a
 * pipe (plain lines, no prompt); core.isatty and core.terminal_width tell the two apart.
 * Owns the terminal while a line is read, and SIGINT, SIGWINCH and SIGCONT with it. Knows nothing
 * of Lua's grammar: what to complete and what to remember is told from Lua.
 * Called by tandem.shell. Without libedit (TDM_HAVE_EDIT undefined) all input is read plainly. */
#include <errno.h>
#include <lauxlib.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "bind/bind.h"

#ifdef TDM_HAVE_EDIT
#include <histedit.h>
#endif

#define EDITOR_TYPE "tandem.editor"

enum {
  HISTORY_ENTRIES = 2000,
  ESCAPE_WAIT_MS = 25,  /* the rest of a key's escape sequence comes at once */
  PASTE_WAIT_MS = 2000, /* a paste whose end does not come is over */
  PASTE_LIMIT = 16 << 20
};

static volatile sig_atomic_t interrupted, resized, continued;

static void on_signal(int number) {
  if (number == SIGINT) interrupted = 1;
  if (number == SIGWINCH) resized = 1;
  if (number == SIGCONT) continued = 1;
}

static const int signals[] = {SIGINT, SIGWINCH, SIGCONT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void take_signals(struct sigaction before[SIGNALS]) {
  struct sigaction ours = {.sa_handler = on_signal}; /* no SA_RESTART: read() must return */
  sigemptyset(&ours.sa_mask);
  interrupted = resized = continued = 0;
  for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &ours, &before[i]);
}

static void give_signals(struct sigaction before[SIGNALS]) {
  for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
}

typedef struct {
  bool open;
  char *line; /* getline's buffer, plain input only */
  size_t line_size;
#ifdef TDM_HAVE_EDIT
  EditLine *el; /* NULL: plain input */
  History *history;
  lua_State *L;    /* during a read: who runs the completer */
  int completer;   /* reference to a Lua function, or LUA_NOREF */
  char prompt[64]; /* lives as long as libedit may ask for it */
  char *paste;     /* what was pasted and not yet read: paste_at … paste_size */
  size_t paste_at, paste_size, paste_capacity;
  char pending[8]; /* typed bytes that looked like the start of a paste but were not */
  size_t pending_at, pending_size;
  mbstate_t decoding;
#endif
} editor;

static editor *check_editor(lua_State *L) {
  editor *e = luaL_checkudata(L, 1, EDITOR_TYPE);
  luaL_argcheck(L, e->open, 1, "the editor is closed");
  return e;
}

static int editor_close(lua_State *L) {
  editor *e = luaL_checkudata(L, 1, EDITOR_TYPE);
  if (!e->open) return 0;
  e->open = false;
  free(e->line);
#ifdef TDM_HAVE_EDIT
  free(e->paste);
  if (e->history != NULL) history_end(e->history);
  if (e->el != NULL) el_end(e->el);
  luaL_unref(L, LUA_REGISTRYINDEX, e->completer);
#endif
  return 0;
}

#ifdef TDM_HAVE_EDIT

/* Waits up to wait_ms (-1: for ever) for one byte. 1, 0 at the end or after the wait, -1 with
 * errno. */
static int read_byte(int wait_ms, char *byte) {
  if (wait_ms >= 0) {
    struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = poll(&typed, 1, wait_ms);
    if (ready <= 0) return ready;
  }
  return (int)read(STDIN_FILENO, byte, 1);
}

static bool paste_append(editor *e, char byte) {
  if (e->paste_size == e->paste_capacity) {
    size_t capacity = e->paste_capacity == 0 ? 4096 : 2 * e->paste_capacity;
    char *grown = capacity > PASTE_LIMIT ? NULL : realloc(e->paste, capacity);
    if (grown == NULL) return false;
    e->paste = grown;
    e->paste_capacity = capacity;
  }
  e->paste[e->paste_size++] = byte;
  return true;
}

/* Reads a bracketed paste to its end marker, all at once: its lines are then served without the
 * terminal changing its mode in between. Control characters would act as keys: left out. */
static void read_paste(editor *e) {
  static const char end[] = "\033[201~";
  size_t matched = 0;
  char byte;
  e->paste_at = e->paste_size = 0;
  while (matched < sizeof end - 1) {
    int got = read_byte(PASTE_WAIT_MS, &byte);
    if (got < 0 && errno == EINTR && !interrupted) continue;
    if (got <= 0) return;
    matched = byte == end[matched] ? matched + 1 : byte == end[0] ? 1 : 0;
    if (matched > 0) continue;
    if (byte == '\r') byte = '\n';
    if ((unsigned char)byte < ' ' && byte != '\n' && byte != '\t') continue;
    if (byte != '\177' && !paste_append(e, byte)) return;
  }
}

/* After an escape: is it the start of a paste? Bytes that say no are typed ones. */
static bool starts_paste(editor *e) {
  static const char start[] = "[200~";
  e->pending_at = e->pending_size = 0;
  for (size_t i = 0; i < sizeof start - 1; i++) {
    char byte;
    if (read_byte(ESCAPE_WAIT_MS, &byte) <= 0) return false;
    e->pending[e->pending_size++] = byte;
    if (byte != start[i]) return false;
  }
  e->pending_size = 0;
  return true;
}

/* The next byte from the paste, from a broken escape sequence, or typed. As read_byte. */
static int next_byte(editor *e, char *byte) {
  for (;;) {
    if (e->paste_at < e->paste_size) {
      *byte = e->paste[e->paste_at++];
      return 1;
    }
    if (e->pending_at < e->pending_size) {
      *byte = e->pending[e->pending_at++];
      return 1;
    }
    int got = read_byte(-1, byte);
    if (got != 1 || *byte != '\033' || !starts_paste(e)) return got;
    read_paste(e);
  }
}

/* libedit asks for one character. -1 ends the line (Ctrl-C), 0 is the end of input. */
static int read_character(EditLine *el, wchar_t *character) {
  editor *e = NULL;
  el_get(el, EL_CLIENTDATA, &e);
  for (;;) {
    char byte;
    int got = interrupted ? -1 : next_byte(e, &byte);
    if (interrupted) {
      /* What waited is given up with the line; a key that came after Ctrl-C begins the next. */
      e->paste_at = e->paste_size = e->pending_at = e->pending_size = 0;
      if (got == 1) e->pending[e->pending_size++] = byte;
      return -1;
    }
    if (got == 0) return 0;
    if (got < 0) {
      if (errno != EINTR) return -1;
      if (continued) { /* back from Ctrl-Z: the shell had set the terminal its own way */
        el_set(el, EL_PREP_TERM, 0);
        el_set(el, EL_PREP_TERM, 1);
      }
      if (resized) el_resize(el);
      if (resized || continued) el_set(el, EL_REFRESH);
      resized = continued = 0;
      continue;
    }
    size_t used = mbrtowc(character, &byte, 1, &e->decoding);
    if (used == (size_t)-2) continue; /* more bytes of this character to come */
    if (used == (size_t)-1) {
      memset(&e->decoding, 0, sizeof e->decoding);
      continue;
    }
    /* A Ctrl-D typed before the line was read arrives as NUL, which is also how the terminal says
     * that it has no key for quoting: libedit would quote the next key. */
    if (used == 0) continue;
    return 1;
  }
}

static char *prompt_text(EditLine *el) {
  editor *e = NULL;
  el_get(el, EL_CLIENTDATA, &e);
  return e->prompt;
}

/* Tab: completer(line, cursor) → text to insert, text to list below; either may be nil. */
static unsigned char complete(EditLine *el, int key) {
  (void)key;
  editor *e = NULL;
  el_get(el, EL_CLIENTDATA, &e);
  if (e->paste_at < e->paste_size) return el_insertstr(el, "\t") == 0 ? CC_REFRESH : CC_ERROR;
  lua_State *L = e->L;
  if (e->completer == LUA_NOREF || !lua_checkstack(L, 8)) return CC_ERROR;
  const LineInfo *info = el_line(el);
  unsigned char result = CC_ERROR;
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, e->completer);
  lua_pushlstring(L, info->buffer, (size_t)(info->lastchar - info->buffer));
  lua_pushinteger(L, info->cursor - info->buffer);
  if (lua_pcall(L, 2, 2, 0) == LUA_OK) {
    const char *insert = lua_tostring(L, -2), *listing = lua_tostring(L, -1);
    if (insert != NULL && *insert != '\0' && el_insertstr(el, insert) == 0) result = CC_REFRESH;
    if (listing != NULL && *listing != '\0') {
      printf("\n%s\n", listing);
      fflush(stdout);
      result = CC_REDISPLAY;
    }
  }
  lua_settop(L, top);
  return result;
}

static void bind_key(EditLine *el, const char *key, const char *command) {
  el_set(el, EL_BIND, key, command, NULL);
}

static bool open_terminal(editor *e) {
  if (strcmp(setlocale(LC_CTYPE, NULL), "C") == 0) { /* characters wider than a byte */
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) setlocale(LC_CTYPE, "");
  }
  e->el = el_init("tandem", stdin, stdout, stderr);
  e->history = history_init();
  if (e->el == NULL || e->history == NULL) return false;
  HistEvent event;
  history(e->history, &event, H_SETSIZE, HISTORY_ENTRIES);
  history(e->history, &event, H_SETUNIQUE, 1);
  EditLine *el = e->el;
  el_set(el, EL_CLIENTDATA, e);
  el_set(el, EL_PROMPT, prompt_text);
  el_set(el, EL_SIGNAL, 0);
  el_set(el, EL_EDITOR, "emacs");
  el_set(el, EL_HIST, history, e->history);
  /* The wide form: the narrow one leaks its copies of the two texts. */
  el_wset(el, EL_ADDFN, L"tandem-complete", L"Completes names, keys and files", complete);
  el_set(el, EL_GETCFN, read_character);
  bind_key(el, "^I", "tandem-complete");
  bind_key(el, "^R", "em-inc-search-prev");
  bind_key(el, "\\e[3~", "ed-delete-next-char");
  bind_key(el, "\\e[1;5C", "em-next-word");
  bind_key(el, "\\e[1;5D", "ed-prev-word");
  bind_key(el, "\\e[H", "ed-move-to-beg");
  bind_key(el, "\\e[1~", "ed-move-to-beg");
  bind_key(el, "\\e[F", "ed-move-to-end");
  bind_key(el, "\\e[4~", "ed-move-to-end");
  el_source(el, NULL); /* the user's ~/.editrc has the last word */
  return true;
}

/* One edited line. Pushes it and whether more pasted lines wait, or nil and why. */
static int read_edited(lua_State *L, editor *e, const char *prompt) {
  struct sigaction before[SIGNALS];
  int length = 0;
  snprintf(e->prompt, sizeof e->prompt, "%s", prompt);
  luaL_checkstack(L, 8, "too many values"); /* nothing below may raise while signals are ours */
  e->L = L;
  take_signals(before);
  el_resize(e->el);
  fputs("\033[?2004h", stdout); /* the terminal marks pastes */
  fflush(stdout);
  const char *line = el_gets(e->el, &length);
  fputs("\033[?2004l", stdout);
  bool stopped = interrupted != 0;
  if (stopped) {
    fputs("^C\n", stdout);
  } else if (line == NULL) {
    fputc('\n', stdout);
  }
  fflush(stdout);
  give_signals(before);
  e->L = NULL;
  if (stopped || line == NULL || length <= 0) {
    lua_pushnil(L);
    lua_pushstring(L, stopped ? "interrupted" : "end");
    return 2;
  }
  size_t size = (size_t)length;
  if (line[size - 1] == '\n') size--;
  lua_pushlstring(L, line, size);
  lua_pushboolean(L, e->paste_at < e->paste_size);
  return 2;
}

#endif

/* One plain line; the prompt is printed only for a person. */
static int read_plain(lua_State *L, editor *e, const char *prompt) {
  struct sigaction before[SIGNALS];
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) fputs(prompt, stdout);
  fflush(stdout);
  take_signals(before);
  ssize_t length = getline(&e->line, &e->line_size, stdin);
  bool stopped = length < 0 && errno == EINTR && interrupted;
  give_signals(before);
  if (length < 0) {
    if (stopped) clearerr(stdin);
    if (stopped && isatty(STDOUT_FILENO)) fputc('\n', stdout);
    lua_pushnil(L);
    lua_pushstring(L, stopped ? "interrupted" : "end");
    return 2;
  }
  size_t size = (size_t)length;
  if (size > 0 && e->line[size - 1] == '\n') size--;
  if (size > 0 && e->line[size - 1] == '\r') size--;
  lua_pushlstring(L, e->line, size);
  lua_pushboolean(L, false);
  return 2;
}

/* editor:read(prompt) → line, more | nil, "interrupted" | nil, "end". `more`: the lines of one
 * paste go on, read them too before acting. */
static int editor_read(lua_State *L) {
  editor *e = check_editor(L);
  const char *prompt = luaL_checkstring(L, 2);
#ifdef TDM_HAVE_EDIT
  if (e->el != NULL) return read_edited(L, e, prompt);
#endif
  return read_plain(L, e, prompt);
}

/* editor:remember(entry): adds to the lines that the arrow keys bring back */
static int editor_remember(lua_State *L) {
  editor *e = check_editor(L);
  const char *entry = luaL_checkstring(L, 2);
#ifdef TDM_HAVE_EDIT
  HistEvent event;
  if (e->history != NULL) history(e->history, &event, H_ENTER, entry);
#else
  (void)e;
  (void)entry;
#endif
  return 0;
}

/* editor:edits() → whether lines are edited (a terminal and libedit) */
static int editor_edits(lua_State *L) {
  editor *e = check_editor(L);
#ifdef TDM_HAVE_EDIT
  lua_pushboolean(L, e->el != NULL);
#else
  (void)e;
  lua_pushboolean(L, false);
#endif
  return 1;
}

/* edit.open(completer|nil) → editor. completer(line, cursor) → text to insert, text to list */
static int edit_open(lua_State *L) {
  if (!lua_isnoneornil(L, 1)) luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  editor *e = lua_newuserdatauv(L, sizeof *e, 0);
  memset(e, 0, sizeof *e);
  luaL_setmetatable(L, EDITOR_TYPE);
#ifdef TDM_HAVE_EDIT
  e->completer = LUA_NOREF;
  e->open = true;
  const char *terminal = getenv("TERM");
  bool able = terminal != NULL && strcmp(terminal, "dumb") != 0;
  if (able && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
    if (!lua_isnil(L, 1)) {
      lua_pushvalue(L, 1);
      e->completer = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    if (!open_terminal(e)) {
      if (e->el != NULL) el_end(e->el);
      e->el = NULL; /* read plainly then */
    }
  }
#else
  e->open = true;
#endif
  return 1;
}

/* core.isatty(descriptor) → whether a person is there */
static int core_isatty(lua_State *L) {
  lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
  return 1;
}

/* core.terminal_width(descriptor) → columns, or nil where there is no terminal */
static int core_terminal_width(lua_State *L) {
  struct winsize size = {0};
  if (ioctl((int)luaL_checkinteger(L, 1), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    lua_pushinteger(L, size.ws_col);
  else
    lua_pushnil(L);
  return 1;
}

void tdm_bind_open_edit(lua_State *L) {
  static const luaL_Reg methods[] = {{"read", editor_read},
                                     {"remember", editor_remember},
                                     {"edits", editor_edits},
                                     {"close", editor_close},
                                     {"__gc", editor_close},
                                     {"__close", editor_close},
                                     {NULL, NULL}};
  static const luaL_Reg functions[] = {{"open", edit_open}, {NULL, NULL}};
  static const luaL_Reg facts[] = {
      {"isatty", core_isatty}, {"terminal_width", core_terminal_width}, {NULL, NULL}};
  luaL_newmetatable(L, EDITOR_TYPE);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "edit");
  luaL_setfuncs(L, facts, 0);
}
