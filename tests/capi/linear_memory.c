/* A tall linear model's memory, measured: 200000 x 100 numbers that are borrowed (160 MB), the leave-one-out scores at
 * 50 lambdas, one lambda with its errors, and predictions at the same points, by QR and by the Gram matrix. Beside the
 * data the process grows by at most half of x, and by no more than freeridge_memory_required says. */
#include <math.h>
#include <stdint.h>

#include "support/peak.h"

enum { n = 200000, d = 100, lambdas = 50 };

int main(void) {
  const freeridge_layout layouts[2] = {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR};
  const freeridge_reduction reductions[2] = {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM};
  double *x = malloc(sizeof(double) * n * d), *y = malloc(sizeof(double) * n), *out = malloc(sizeof(double) * n);
  double lambda[lambdas], scores[lambdas], before, growth;
  freeridge_kernel* kernel = NULL;
  uint64_t state = 1;
  int64_t i, bytes = 0;
  int layout, reduction;
  measure_arrays_held();
  REQUIRE(x != NULL && y != NULL && out != NULL);
  for (i = 0; i < (int64_t)n * d; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
  }
  for (i = 0; i < n; ++i) {
    y[i] = x[i] + 3;
    out[i] = 0;
  }
  for (i = 0; i < lambdas; ++i) lambda[i] = pow(10, -3 + 0.1 * (double)i);
  REQUIRE(freeridge_kernel_linear(&kernel) == FREERIDGE_OK);

  before = peak_bytes();
  for (layout = 0; layout < 2; ++layout)
    for (reduction = 0; reduction < 2; ++reduction) {
      const freeridge_points points = {
          .size = sizeof points, .n = n, .d = d, .layout = layouts[layout], .x = x, .ldx = layout == 0 ? n : d};
      freeridge_model* model = NULL;
      REQUIRE(freeridge_create(kernel, &model) == FREERIDGE_OK);
      REQUIRE(freeridge_set_points(model, &points, 1, layouts[layout], 1, y, layout == 0 ? n : 1) == FREERIDGE_OK);
      REQUIRE(freeridge_set_parameter(model, FREERIDGE_REDUCTION, reductions[reduction]) == FREERIDGE_OK);
      REQUIRE(freeridge_memory_required(model, &bytes) == FREERIDGE_OK);
      REQUIRE(freeridge_factorize(model) == FREERIDGE_OK);
      REQUIRE(freeridge_score(model, FREERIDGE_LOO, lambdas, lambda, scores, NULL, lambdas) == FREERIDGE_OK);
      REQUIRE(freeridge_set_lambda(model, lambda[0]) == FREERIDGE_OK);
      REQUIRE(freeridge_loo(model, out, n) == FREERIDGE_OK);
      REQUIRE(freeridge_predict(model, layouts[layout], n, x, points.ldx, out, layout == 0 ? n : 1) == FREERIDGE_OK);
      for (i = 0; i < lambdas; ++i) REQUIRE(isfinite(scores[i]));
      growth = peak_bytes() - before;
      printf("grown by %.1f MiB, required: %.1f MiB\n", growth / 1048576, (double)bytes / 1048576);
      REQUIRE(growth >= 8.0 * n); /* the measurement sees what there must be */
      REQUIRE(growth <= 4.0 * n * d);
      REQUIRE(growth <= (double)bytes);
      freeridge_destroy(model);
    }

  freeridge_kernel_destroy(kernel);
  free(x);
  free(y);
  free(out);
  return 0;
}
