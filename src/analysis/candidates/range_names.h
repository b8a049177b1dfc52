/* Host spans by what they are called, where names that differ in numbers only are one: step 10 and
 * step 11 are of "step *".
 *
 * The view owns it and keeps it. Each distinct name is looked at once. Used by the candidates for
 * requests and their stages. */
#ifndef TDM_ANALYSIS_CANDIDATES_RANGE_NAMES_H
#define TDM_ANALYSIS_CANDIDATES_RANGE_NAMES_H

#include "analysis/run_view/run_view.h"

/* Ranges that may be requests: nvtx, user_annotation, marker, cpu_op, python_function. */
extern const tdm_wanted tdm_request_ranges;
enum { TDM_CANDIDATE_CPU_OP = 3, TDM_CANDIDATE_PYTHON };

typedef enum {
  TDM_RANGE_MARK,   /* what a person marked */
  TDM_RANGE_OP,     /* operators of PyTorch, also where they are NVTX ranges */
  TDM_RANGE_MODULE, /* a module's forward function as PyTorch's profiler tells it */
  TDM_RANGE_PYTHON, /* any other Python function */
  TDM_RANGE_CLASSES
} tdm_range_class;

typedef struct {
  int64_t category;    /* index into the categories of tdm_request_ranges */
  const char *example; /* its first name; the view's */
  uint64_t varied;     /* bit i: the i-th number is not the same in all names; i < 64 */
  uint32_t names;      /* distinct ones */
  tdm_range_class is;
} tdm_range_name;

typedef struct {
  const tdm_table *rows;
  uint32_t *of; /* by row */
  tdm_range_name *name;
  size_t count;
} tdm_range_names;

/* Made at the first call. */
tdm_status tdm_range_names_of(tdm_run_view *view, const tdm_range_names **out, tdm_error *error);

/* The glob that takes all its names: numbers that vary are stars. Cut to `room`, which ends in a
 * star then. */
void tdm_range_name_glob(const tdm_range_name *name, char *out, size_t room);

const char *tdm_range_class_word(tdm_range_class is);

#endif
