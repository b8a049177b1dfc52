/* Compilations of torch.compile as its log tells them: records joined to the compilation that they
 * belong to, their graphs and generated code counted.
 *
 * A compile id ("0/0") comes again when Dynamo was reset: each dynamo_start begins a compilation of
 * its own. Owns its list; the rows and names stay the view's. Called by the answer. */
#ifndef TDM_ANALYSIS_COMPILE_LOG_H
#define TDM_ANALYSIS_COMPILE_LOG_H

#include "analysis/compile/code.h"
#include "analysis/run_view.h"

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

#endif
