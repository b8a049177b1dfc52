/* torch.compile: graph breaks, recompilations, compile time, caches, fusion, failures. From
 * TORCH_TRACE logs: frames summary, breaks, recompiles, failures, compilations, fusion, caches,
 * phases. From traces of compiled models: kernels, regions. No options. */
#include "analysis/analysis.h"

#include "analysis/compile/inside.h"

static void explain(const tdm_compile_log *log, tdm_answer *out) {
  bool breaks = false, code = false;
  for (size_t i = 0; i < log->count; i++) {
    breaks |= log->compilation[i].breaks > 0;
    code |= log->compilation[i].has_code;
  }
  tdm_answer_basis(out,
                   "compile time: of whole frames, as compilation_metrics say it; the backend's, "
                   "Inductor's and code generation's lie within it");
  tdm_answer_basis(out, "self: a phase without the phases within it; share: of all self time");
  if (!breaks)
    tdm_answer_basis(out,
                     "graph breaks: records dynamo_graph_break_reason; the log has none; older "
                     "versions of PyTorch do not write them");
  if (code)
    tdm_answer_basis(out,
                     "fusion: operators of Inductor's graph (of AOT Autograd's where a cache had "
                     "the code) over what the generated code calls: Triton and C++ kernels, "
                     "library kernels, operators that PyTorch runs");
  else
    tdm_answer_cannot(out,
                      "fusion: the log has no generated code (no records inductor_output_code)");
}

static tdm_status put_log(tdm_run_view *view, tdm_answer *out, bool *any, tdm_error *error) {
  tdm_compile_log log;
  tdm_status status = tdm_compile_log_read(view, &log, error);
  *any = log.count > 0;
  if (status == TDM_OK && *any) {
    tdm_compile_put_summary(view, &log, out);
    status = tdm_compile_put_breaks(view, &log, out, error);
    tdm_compile_put_recompiles(view, &log, out);
    tdm_compile_put_failures(view, &log, out);
    if (status == TDM_OK) status = tdm_compile_put_compilations(view, &log, out, error);
    tdm_compile_put_fusion(view, &log, out);
    if (status == TDM_OK) status = tdm_compile_put_caches(view, &log, out, error);
    if (status == TDM_OK) status = tdm_compile_put_phases(view, out, error);
    explain(&log, out);
  }
  tdm_compile_log_close(&log);
  return status;
}

tdm_status tdm_answer_compile(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                              tdm_error *error) {
  (void)options;
  bool logged = false, generated = false;
  tdm_status status = TDM_OK;
  if (tdm_run_view_has(view, "compile")) status = put_log(view, out, &logged, error);
  if (status == TDM_OK) status = tdm_compile_put_generated(view, &generated, out, error);
  if (status != TDM_OK) return status;
  if (!logged && !generated) {
    static const tdm_field nothing[] = {{"compilations", TDM_FIELD_INT}};
    tdm_answer_frame(out, "summary", nothing, 1);
    tdm_answer_cannot(out, "the run says nothing of torch.compile (no rows of category compile, "
                           "which TORCH_TRACE logs give; no kernels named triton_…)");
  } else if (!logged) {
    tdm_answer_cannot(out, "graph breaks, recompilations and compile time: no rows of category "
                           "compile; import the TORCH_TRACE log of the run");
  }
  return TDM_OK;
}
