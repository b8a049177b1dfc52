/* The tables that a log's compilations make, one function each; all are called by compile.c. */
#ifndef TDM_ANALYSIS_COMPILE_TABLES_H
#define TDM_ANALYSIS_COMPILE_TABLES_H

#include "analysis/answer.h"
#include "analysis/compile/log.h"

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

#endif
