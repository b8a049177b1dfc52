/* What torch.compile did, as the files of this room share it: texts counted, records joined to
 * compilations, then the frames of the answer. */
#ifndef TDM_ANALYSIS_COMPILE_INSIDE_H
#define TDM_ANALYSIS_COMPILE_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/answer.h"
#include "analysis/run_view/run_view.h"

/* What texts of torch.compile say: operators of a graph, kernels of generated code, hints. Owns no
 * state; texts need no ending. Called by compile/log. */

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

/* Compilations of torch.compile as its log tells them: records joined to the compilation that they
 * belong to, their graphs and generated code counted.
 *
 * A compile id ("0/0") comes again when Dynamo was reset: each dynamo_start begins a compilation of
 * its own. Owns its list; the rows and names stay the view's. Called by the answer. */

typedef enum {
  TDM_COMPILE_HIT,
  TDM_COMPILE_MISS,
  TDM_COMPILE_BYPASS,
  TDM_COMPILE_OUTCOMES
} tdm_compile_outcome;

/* Name ids and numbers are TDM_NONE where nothing says them. */
typedef struct {
  uint32_t source;
  int64_t rank, id; /* of the file; the compile id, a name */
  int64_t nth;      /* of the frame's compilations: 1 and more are recompilations */
  int64_t attempts, function, file, line, frame; /* frame: as a record says it, else the others */
  int64_t compile_ns, backend_ns, inductor_ns, code_gen_ns, before_restart_ns;
  int64_t guards, dynamo_operators;
  int64_t fail_type, fail_reason, fail_frame, fail_file, fail_line;
  int64_t graph_cache;     /* tdm_compile_outcome of the last look for its graph */
  int64_t breaks, reasons; /* how many records say why it broke, why it was compiled again */
  bool has_aot, has_post_grad, has_code;
  int64_t aot_operators, post_grad_operators;
  tdm_code_calls calls;
  bool started, finished;
} tdm_compilation;

/* A record that says a reason. */
typedef enum { TDM_COMPILE_BREAK, TDM_COMPILE_AGAIN, TDM_COMPILE_CACHE } tdm_compile_event_kind;
typedef struct {
  tdm_compile_event_kind kind;
  uint32_t compilation;
  int64_t name, reason, frame, payload; /* name ids */
  tdm_compile_outcome outcome;          /* of a cache */
  int64_t saved_ns;
} tdm_compile_event;

typedef struct {
  tdm_compilation *compilation;
  size_t count, room;
  tdm_compile_event *event;
  size_t events, event_room;
} tdm_compile_log;

tdm_status tdm_compile_log_read(tdm_run_view *view, tdm_compile_log *log, tdm_error *error);
void tdm_compile_log_close(tdm_compile_log *log);

/* "FILE:LINE NAME" of the function that was compiled, or where it failed; false: not said. */
bool tdm_compile_frame(tdm_run_view *view, const tdm_compilation *of, char *out, size_t room);
bool tdm_compile_fail_frame(tdm_run_view *view, const tdm_compilation *of, char *out, size_t room);

/* Operators that Inductor had to fuse: of its graph, or of AOT Autograd's where that was not logged
 * (a cache had the code). TDM_NONE: neither was. */
int64_t tdm_compile_before(const tdm_compilation *of);
/* Calls of the generated code. TDM_NONE: it was not logged. */
int64_t tdm_compile_after(const tdm_compilation *of);

/* The tables that a log's compilations make, one function each; all are called by compile.c. */

void tdm_compile_put_summary(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out);
/* Equal reasons at the same frame are one row. */
tdm_status tdm_compile_put_breaks(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out,
                                  tdm_error *error);
/* A row for each guard that failed, and for each recompilation that does not say one. */
void tdm_compile_put_recompiles(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out);
void tdm_compile_put_failures(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out);
tdm_status tdm_compile_put_compilations(tdm_run_view *view, const tdm_compile_log *log,
                                        tdm_answer *out, tdm_error *error);
void tdm_compile_put_fusion(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out);
tdm_status tdm_compile_put_caches(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out,
                                  tdm_error *error);

/* Where compile time goes: the phases that torch.compile's log tells. Called by compile.c. A row
 * for each phase and rank: how often, how long, how long without the phases within it (self), its
 * share of all self time; the largest self time first. */
tdm_status tdm_compile_put_phases(tdm_run_view *view, tdm_answer *out, tdm_error *error);

/* What a trace of a compiled model shows of torch.compile: kernels that Inductor wrote, and the
 * regions on the host that run them. Called by compile.c. Frames "kernels" (generated ones on each
 * device against all) and "regions". *any: there were some; otherwise no frame is made. */
tdm_status tdm_compile_put_generated(tdm_run_view *view, bool *any, tdm_answer *out,
                                     tdm_error *error);

#endif
