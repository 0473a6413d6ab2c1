/* The landmark route's memory, measured: 100000 points, 1000 landmarks chosen by pivoted Cholesky, the leave-one-out
 * score at 20 lambdas and the errors at one. Beside the data the process grows by at most 320 MiB, and by no more than
 * freeridge_memory_required says. (K_TR alone would be 800 MB.) */
#include <math.h>
#include <stdint.h>

#include "support/peak.h"

enum { n = 100000, d = 8, r = 1000, lambdas = 20 };

int main(void) {
  double *x = malloc(sizeof(double) * n * d), *y = malloc(sizeof(double) * n), *errors = malloc(sizeof(double) * n);
  double lambda[lambdas], scores[lambdas], before, growth;
  int64_t count = 0, bytes = 0, i, finite = 0;
  uint64_t state = 1;
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  freeridge_points points = {0};
  measure_arrays_held();
  REQUIRE(x != NULL && y != NULL && errors != NULL);
  for (i = 0; i < (int64_t)n * d; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(state >> 11) / 9007199254740992.0;
  }
  for (i = 0; i < n; ++i) {
    y[i] = sin(3 * x[i]) + x[i + n] * x[i + 2 * n];
    errors[i] = 0;
  }
  for (i = 0; i < lambdas; ++i) lambda[i] = pow(10, -3 + 0.3 * (double)i);

  REQUIRE(freeridge_kernel_gaussian(1.5, &kernel) == FREERIDGE_OK);
  REQUIRE(freeridge_create(kernel, &model) == FREERIDGE_OK);
  points.size = sizeof points, points.n = n, points.d = d, points.layout = FREERIDGE_COL_MAJOR, points.x = x;
  REQUIRE(freeridge_set_points(model, &points, 1, FREERIDGE_COL_MAJOR, 1, y, n) == FREERIDGE_OK);
  REQUIRE(freeridge_set_landmarks(model, r, NULL) == FREERIDGE_OK);
  REQUIRE(freeridge_set_parameter(model, FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_PIVOTED) == FREERIDGE_OK);
  REQUIRE(freeridge_set_parameter(model, FREERIDGE_LANDMARK_SEED, 1) == FREERIDGE_OK);
  REQUIRE(freeridge_memory_required(model, &bytes) == FREERIDGE_OK);

  before = peak_bytes();
  REQUIRE(freeridge_factorize(model) == FREERIDGE_OK);
  REQUIRE(freeridge_get_landmarks(model, &count, NULL) == FREERIDGE_OK);
  REQUIRE(freeridge_score(model, FREERIDGE_LOO, lambdas, lambda, scores, NULL, lambdas) == FREERIDGE_OK);
  REQUIRE(freeridge_set_lambda(model, lambda[0]) == FREERIDGE_OK);
  REQUIRE(freeridge_loo(model, errors, n) == FREERIDGE_OK);
  growth = peak_bytes() - before;

  printf("grown by %.1f MiB, required: %.1f MiB\n", growth / 1048576, (double)bytes / 1048576);
  REQUIRE(growth <= 320.0 * 1048576);
  REQUIRE(growth <= (double)bytes);
  REQUIRE(growth >= 8.0 * r * r); /* the measurement sees what there must be */
  REQUIRE(count == r);
  for (i = 0; i < lambdas; ++i) REQUIRE(scores[i] > 0 && scores[i] < 1);
  for (i = 0; i < n; ++i) finite += isfinite(errors[i]) ? 1 : 0;
  REQUIRE(finite == n);

  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
  free(x);
  free(y);
  free(errors);
  return 0;
}
