/* See range_names.h. */
#include "analysis/candidates/range_names.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"
#include "trace/intern.h"

static const char *const categories[] = {"nvtx",   "user_annotation", "marker",
                                         "cpu_op", "python_function", NULL};
static const tdm_arg no_args[] = {{NULL, TDM_ARG_INT}};
const tdm_wanted tdm_request_ranges = {.categories = categories,
                                       .keys = no_args,
                                       .shapes = 1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN |
                                                 1u << TDM_SHAPE_ASYNC};

enum { NAME_MAX_BYTES = 4096, NUMBERS = 64 };

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Of the number that begins here: digits, and a fraction behind a point. */
static size_t number_length(const char *at) {
  size_t n = strspn(at, "0123456789");
  return n > 0 && at[n] == '.' && is_digit(at[n + 1]) ? n + 1 + strspn(at + n + 1, "0123456789")
                                                      : n;
}

const char *tdm_range_class_word(tdm_range_class is) {
  static const char *const words[TDM_RANGE_CLASSES] = {"mark", "op", "module", "python"};
  return words[is];
}

/* Names of operators have a namespace (aten::mm, also as NVTX); what PyTorch's older profilers tell
 * of record_function among the operators has a # or a space. */
static tdm_range_class classify(int64_t category, const char *name) {
  if (category == TDM_CANDIDATE_PYTHON)
    return strncmp(name, "nn.Module: ", 11) == 0 ? TDM_RANGE_MODULE : TDM_RANGE_PYTHON;
  const char *colons = strstr(name, "::"), *end = name + strcspn(name, " (<[#");
  if (colons != NULL && colons < end) return TDM_RANGE_OP;
  if (category != TDM_CANDIDATE_CPU_OP) return TDM_RANGE_MARK;
  return strpbrk(name, "# ") != NULL ? TDM_RANGE_MARK : TDM_RANGE_OP;
}

/* The name with each number as one byte that no name has, behind its category. */
static size_t shape_of(int64_t category, const char *name, char *out) {
  size_t used = 0;
  out[used++] = (char)category;
  for (const char *at = name; *at != 0 && used < NAME_MAX_BYTES; used++) {
    out[used] = is_digit(*at) ? '\x01' : *at;
    at += is_digit(*at) ? number_length(at) : 1;
  }
  return used;
}

/* Marks the numbers in which a name differs from the example of the same shape. */
static void compare(tdm_range_name *of, const char *name) {
  const char *a = of->example, *b = name;
  for (unsigned number = 0; *a != 0 && *b != 0;) {
    if (!is_digit(*a)) {
      a++;
      b++;
      continue;
    }
    size_t n = number_length(a), m = number_length(b);
    if ((n != m || memcmp(a, b, n) != 0) && number < NUMBERS) of->varied |= 1ull << number;
    number++;
    a += n;
    b += m;
  }
}

void tdm_range_name_glob(const tdm_range_name *name, char *out, size_t room) {
  size_t used = 0;
  unsigned number = 0;
  for (const char *at = name->example; *at != 0;) {
    size_t n = is_digit(*at) ? number_length(at) : 1;
    bool star = is_digit(*at) && (number >= NUMBERS || (name->varied >> number & 1) != 0);
    if (used + (star ? 1 : n) + 2 > room) {
      out[used++] = '*';
      break;
    }
    if (is_digit(*at)) number++;
    if (star) {
      out[used++] = '*';
    } else {
      memcpy(out + used, at, n);
      used += n;
    }
    at += n;
  }
  out[used] = 0;
}

typedef struct {
  tdm_run_view *view;
  tdm_range_names *out;
  tdm_intern shapes;
  size_t room;
} gathering;

/* The number of the shape of a name that was not seen before. */
static uint32_t add_name(gathering *g, int64_t category, int64_t id, char *scratch) {
  const char *text = tdm_run_view_name(g->view, id);
  int fresh = 0;
  uint32_t at = tdm_intern_put(&g->shapes, scratch, shape_of(category, text, scratch), &fresh);
  if (at == TDM_INTERN_FAILED) return UINT32_MAX;
  if (fresh) {
    if (!tdm_array_grow(&g->out->name, &g->room, (size_t)at + 1, sizeof *g->out->name))
      return UINT32_MAX;
    g->out->name[at] =
        (tdm_range_name){.category = category, .example = text, .is = classify(category, text)};
    g->out->count = (size_t)at + 1;
  }
  g->out->name[at].names++;
  compare(&g->out->name[at], text);
  return at;
}

static tdm_status gather(gathering *g, tdm_groups *distinct, tdm_error *error) {
  const tdm_table *rows = g->out->rows;
  size_t room = 0;
  uint32_t *shape = NULL; /* by distinct name */
  char *scratch = malloc(NAME_MAX_BYTES + 1);
  bool done = scratch != NULL;
  for (size_t i = 0; done && i < rows->count; i++) {
    const int64_t key[] = {tdm_table_category(rows, i), tdm_table_name(rows, i)};
    size_t before = distinct->count;
    uint32_t at = tdm_groups_add(distinct, key);
    done = at != UINT32_MAX && tdm_array_grow(&shape, &room, distinct->count, sizeof *shape);
    if (done && distinct->count > before)
      done = (shape[at] = add_name(g, key[0], key[1], scratch)) != UINT32_MAX;
    if (done) g->out->of[i] = shape[at];
  }
  free(shape);
  free(scratch);
  return done ? TDM_OK : tdm_error_memory(error, "names of ranges", rows->count);
}

static void forget(void *object) {
  tdm_range_names *names = object;
  free(names->of);
  free(names->name);
  free(names);
}

static tdm_status make(tdm_run_view *view, tdm_range_names *out, tdm_error *error) {
  tdm_status status = tdm_run_view_table(view, &tdm_request_ranges, &out->rows, error);
  if (status != TDM_OK) return status;
  out->of = tdm_array_new(out->rows->count + 1, sizeof *out->of);
  if (out->of == NULL) return tdm_error_memory(error, "names of ranges", out->rows->count);
  tdm_groups distinct;
  status = tdm_groups_open(&distinct, 2, out->rows->count, error);
  if (status != TDM_OK) return status;
  gathering g = {.view = view, .out = out};
  status = gather(&g, &distinct, error);
  tdm_intern_clear(&g.shapes);
  tdm_groups_close(&distinct);
  return status;
}

tdm_status tdm_range_names_of(tdm_run_view *view, const tdm_range_names **out, tdm_error *error) {
  static const char key;
  *out = tdm_run_view_kept(view, &key);
  if (*out != NULL) return TDM_OK;
  tdm_range_names *made = tdm_array_new(1, sizeof *made);
  if (made == NULL) return tdm_error_memory(error, "names of ranges", sizeof *made);
  tdm_status status = make(view, made, error);
  if (status != TDM_OK) {
    forget(made);
    return status;
  }
  *out = made;
  return tdm_run_view_keep(view, &key, made, forget, error);
}
