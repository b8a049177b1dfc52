/* α–β models and measured all-reduces. Owns no state. See collectives.h. */
#include "model/llm/collectives.h"

static double start_s(const tdm_llm_link *link, int64_t gpus) {
  double doublings = 0;
  for (int64_t n = 1; n < gpus; n *= 2) doublings++;
  return link->latency_s + link->hop_s * doublings;
}

double tdm_llm_all_reduce_s(const tdm_llm_link *link, int64_t gpus, double bytes) {
  if (gpus < 2) return 0;
  double n = (double)gpus;
  const double point[2] = {n, bytes};
  if (link->all_reduce != NULL) return tdm_llm_grid_at(link->all_reduce, point);
  return start_s(link, gpus) + 2 * (n - 1) / n * bytes / link->bandwidth;
}

double tdm_llm_all_gather_s(const tdm_llm_link *link, int64_t gpus, double bytes) {
  if (gpus < 2) return 0;
  double n = (double)gpus;
  double alone = start_s(link, gpus) + (n - 1) / n * bytes / link->bandwidth;
  if (link->all_reduce == NULL) return alone;
  /* Sums are scattered, then gathered. */
  const double point[2] = {n, bytes};
  double half = tdm_llm_grid_at(link->all_reduce, point) / 2;
  return half > alone ? half : alone;
}

double tdm_llm_send_s(const tdm_llm_link *link, double bytes) {
  return link->latency_s + bytes / link->bandwidth;
}

/* ---- several machines */

static int64_t in_machine(const tdm_llm_fabric *fabric, int64_t gpus) {
  return fabric->machine > 0 && fabric->machine < gpus ? fabric->machine : gpus;
}

double tdm_llm_fabric_all_reduce_s(const tdm_llm_fabric *fabric, int64_t gpus, double bytes) {
  int64_t inside = in_machine(fabric, gpus);
  return tdm_llm_all_reduce_s(&fabric->inside, inside, bytes) +
         tdm_llm_all_reduce_s(&fabric->network, gpus / inside, bytes / (double)inside);
}

double tdm_llm_fabric_all_gather_s(const tdm_llm_fabric *fabric, int64_t gpus, double bytes) {
  int64_t inside = in_machine(fabric, gpus);
  return tdm_llm_all_gather_s(&fabric->network, gpus / inside, bytes / (double)inside) +
         tdm_llm_all_gather_s(&fabric->inside, inside, bytes);
}

double tdm_llm_fabric_pipeline_s(const tdm_llm_fabric *fabric, int64_t stages, int64_t gpus,
                                 double bytes) {
  int64_t machine = fabric->machine, sends = stages - 1, far = 0;
  if (machine > 0) far = gpus >= machine ? sends : sends / (machine / gpus);
  double sum = 0;
  if (far < sends) sum += (double)(sends - far) * tdm_llm_send_s(&fabric->inside, bytes);
  if (far > 0) sum += (double)far * tdm_llm_send_s(&fabric->network, bytes);
  return sum;
}
