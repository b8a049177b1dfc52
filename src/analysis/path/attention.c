/* Attention that several kernels do one after another: a product of batches, a softmax over it,
 * and the product with the values. Names of kernels do not tell (a router's softmax stands between
 * products, too), so it is the operators that launched them which do. See causes.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/path/causes.h"
#include "base/memory.h"

/* Scaling, masks, casts and dropout lie between the products and the softmax. */
enum { MOST_BETWEEN = 8 };

enum { OP_UNKNOWN, OP_OTHER, OP_BATCHED, OP_SOFTMAX, OP_PRODUCT };

/* Whether a name is that of an operator, whatever NVTX or an overload adds. */
static bool is_operator(const char *name, const char *operator) {
  size_t length = strlen(operator);
  return strncmp(name, operator, length) == 0 &&
         (name[length] == 0 || name[length] == ',' || name[length] == '.');
}

static uint8_t kind_of(const char *name) {
  static const char *const batched[] = {"bmm", "baddbmm", "baddbmm_", NULL};
  static const char *const softmax[] = {"_softmax", "softmax", "_masked_softmax", NULL};
  static const char *const product[] = {"mm", "addmm", "addmv", "mv", "linear", "matmul", NULL};
  if (strncmp(name, "aten::", 6) != 0) return OP_UNKNOWN;
  name += 6;
  for (const char *const *one = batched; *one != NULL; one++)
    if (is_operator(name, *one)) return OP_BATCHED;
  for (const char *const *one = softmax; *one != NULL; one++)
    if (is_operator(name, *one)) return OP_SOFTMAX;
  for (const char *const *one = product; *one != NULL; one++)
    if (is_operator(name, *one)) return OP_PRODUCT;
  return OP_OTHER;
}

/* What the innermost operator around a work's launch is. */
static uint8_t kind_of_work(const tdm_path *path, tdm_name_marks *marks, uint32_t work) {
  uint32_t host = path->launch[work];
  while (host != TDM_NO_ROW) {
    int64_t category = tdm_table_category(path->host, host);
    if (category == TDM_HOST_OP || category == TDM_HOST_NVTX) {
      uint8_t kind = tdm_name_mark(marks, path->view, tdm_table_name(path->host, host), kind_of);
      if (kind != OP_UNKNOWN) return kind;
    }
    host = path->parent[host];
  }
  return OP_UNKNOWN;
}

/* The product of batches beside a softmax, in one direction; TDM_NO_ROW: none, or another product
 * or softmax comes first. */
static uint32_t product_beside(const uint8_t *kind, uint32_t first, uint32_t end, uint32_t at,
                               int direction) {
  for (int i = 1; i <= MOST_BETWEEN + 1; i++) {
    int64_t other = (int64_t)at + (int64_t)i * direction;
    if (other < (int64_t)first || other >= (int64_t)end) return TDM_NO_ROW;
    if (kind[other] == OP_BATCHED) return (uint32_t)other;
    if (kind[other] == OP_PRODUCT || kind[other] == OP_SOFTMAX) return TDM_NO_ROW;
  }
  return TDM_NO_ROW;
}

uint8_t *tdm_path_attention(const tdm_path *path) {
  size_t works = path->work->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  uint8_t *marked = tdm_array_new(works + 1, 1), *kind = tdm_array_new(works + 1, 1);
  tdm_name_marks marks = {0};
  if (marked == NULL || kind == NULL) {
    free(marked);
    free(kind);
    return NULL;
  }
  for (size_t i = 0; i < works; i++) /* in the order of streams, as `works` has them */
    kind[i] = kind_of_work(path, &marks, path->works[i]);
  for (uint32_t t = 0; t < tracks; t++) {
    uint32_t first = path->first_work[t], end = path->first_work[t + 1];
    for (uint32_t i = first; i < end; i++) {
      if (kind[i] != OP_SOFTMAX) continue;
      uint32_t before = product_beside(kind, first, end, i, -1);
      uint32_t after = product_beside(kind, first, end, i, 1);
      if (before == TDM_NO_ROW || after == TDM_NO_ROW) continue;
      for (uint32_t j = before; j <= after; j++) marked[path->works[j]] = 1;
    }
  }
  tdm_name_marks_close(&marks);
  free(kind);
  return marked;
}
