/* What texts of torch.compile say: operators of a graph, kernels of generated code, hints. Owns no
 * state; texts need no ending. Called by compile/log. */
#ifndef TDM_ANALYSIS_COMPILE_CODE_H
#define TDM_ANALYSIS_COMPILE_CODE_H

#include <stddef.h>
#include <stdint.h>

/* Operators of an ATen graph as it is printed, those of graphs within it too: calls of torch.ops.
 * Picking an item of a result, placeholders and attributes are none. */
int64_t tdm_graph_operators(const char *text, size_t length);

/* What generated code calls each time that it runs. */
typedef struct {
  int64_t triton;                   /* kernels that Inductor wrote for GPUs */
  int64_t cpp;                      /* and for CPUs */
  int64_t extern_kernels, fallback; /* of libraries; operators that PyTorch runs itself */
} tdm_code_calls;
tdm_code_calls tdm_code_count(const char *text, size_t length);

/* The text behind the first "Hint:", one line; its length, 0: there is none. */
size_t tdm_break_hint(const char *text, size_t length, const char **hint);

#endif
