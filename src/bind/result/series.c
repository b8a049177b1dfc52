/* `series` of the result: what happened in each slice of time, averaged over replications. Owns the
 * names of the series and their order; what a slice holds is engine/measure's, and llm.c adds what
 * LLM servers did. Called by result.c. */
#include <math.h>

#include "bind/result/inside.h"

typedef tdm_result_writer writer;

/* One series, averaged over the replications that have a value; 0 where none has. */
void tdm_result_series(const writer *w, const char *key, size_t kind) {
  lua_createtable(w->L, TDM_SLICES, 0);
  for (size_t k = 0; k < TDM_SLICES; k++) {
    for (size_t r = 0; r < w->count; r++)
      w->scratch[r] = tdm_measure_series(&w->measures[r], kind)[k];
    double value = tdm_interval(w->scratch, w->count, w->confidence).value;
    lua_pushnumber(w->L, isnan(value) ? 0 : value);
    lua_rawseti(w->L, -2, (lua_Integer)k + 1);
  }
  lua_setfield(w->L, -2, key);
}

void tdm_result_all_series(const writer *w) {
  lua_State *L = w->L;
  double dt_s = (double)w->measures[0].slice_ns / 1e9;
  lua_createtable(L, 0, 8);
  tdm_result_number(L, "dt_s", dt_s);
  lua_createtable(L, TDM_SLICES, 0);
  for (int k = 0; k < TDM_SLICES; k++) {
    lua_pushnumber(L, k * dt_s);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "t");
  tdm_result_series(w, "arrived", TDM_SERIES_ARRIVED);
  tdm_result_series(w, "completed", TDM_SERIES_FINISHED);
  tdm_result_series(w, "in_system", TDM_SERIES_IN_SYSTEM);
  tdm_result_series(w, "latency_mean", TDM_SERIES_LATENCY);
  tdm_result_series(w, "latency_p99", TDM_SERIES_LATENCY_99);
  lua_createtable(L, (int)w->model->station_count, 0);
  for (size_t i = 0; i < w->model->station_count; i++) {
    lua_createtable(L, 0, 4);
    tdm_result_text(L, "name", w->model->stations[i].name);
    tdm_result_text(L, "lane", tdm_lane_name(w->model->stations[i].lane));
    tdm_result_series(w, "utilization", TDM_SERIES_SYSTEM + 2 * i);
    tdm_result_series(w, "queue", TDM_SERIES_SYSTEM + 2 * i + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "stations");
  tdm_result_llm_series(w);
  lua_setfield(L, -2, "series");
}
