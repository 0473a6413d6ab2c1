/* dense_memory ROUTE N MOST: the memory of a dense route, measured. Gaussian kernel, factorize, the leave-one-out
 * scores at 4 lambdas, one lambda with its errors, and 20000 predictions: beside what the process still has when the
 * model is destroyed (the data, and the buffers that a BLAS keeps: 8 MiB a thread with BLIS) the peak is at most MOST
 * n^2 doubles, and no more than freeridge_memory_required says. */
#include <math.h>
#include <stdint.h>

#include "support/peak.h"

enum { d = 4, lambdas = 4, points = 20000 };

/* What is asked of a model of the first n rows; the bytes that memory_required announced. */
static double work(freeridge_route route, int64_t n, const double* x, const double* y, const double* new_x, double* out,
                   double* errors) {
  double lambda[lambdas], scores[lambdas];
  int64_t bytes = 0, i;
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  const freeridge_points rows = {.size = sizeof rows, .n = n, .d = d, .layout = FREERIDGE_ROW_MAJOR, .x = x};
  for (i = 0; i < lambdas; ++i) lambda[i] = pow(10, -2 + (double)i);
  REQUIRE(freeridge_kernel_gaussian(0.5, &kernel) == FREERIDGE_OK);
  REQUIRE(freeridge_create(kernel, &model) == FREERIDGE_OK);
  REQUIRE(freeridge_set_points(model, &rows, 1, FREERIDGE_ROW_MAJOR, 1, y, 1) == FREERIDGE_OK);
  REQUIRE(freeridge_set_parameter(model, FREERIDGE_ROUTE, route) == FREERIDGE_OK);
  REQUIRE(freeridge_memory_required(model, &bytes) == FREERIDGE_OK);
  REQUIRE(freeridge_factorize(model) == FREERIDGE_OK);
  REQUIRE(freeridge_score(model, FREERIDGE_LOO, lambdas, lambda, scores, NULL, lambdas) == FREERIDGE_OK);
  REQUIRE(freeridge_set_lambda(model, lambda[0]) == FREERIDGE_OK);
  REQUIRE(freeridge_loo(model, errors, n) == FREERIDGE_OK);
  REQUIRE(freeridge_predict(model, FREERIDGE_ROW_MAJOR, points, new_x, d, out, 1) == FREERIDGE_OK);
  for (i = 0; i < lambdas; ++i) REQUIRE(scores[i] > 0 && scores[i] < 1);
  for (i = 0; i < n; ++i) REQUIRE(isfinite(errors[i]));
  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
  return (double)bytes;
}

int main(int argc, char** argv) {
  const freeridge_route route = argc == 4 ? atoi(argv[1]) : 0;
  const int64_t n = argc == 4 ? atoll(argv[2]) : 0;
  const double most = argc == 4 ? atof(argv[3]) : 0, square = 8.0 * (double)n * (double)n;
  double *x, *y, *new_x, *out, *errors, before, kept, growth, announced;
  uint64_t state = 1;
  int64_t i;
  REQUIRE(argc == 4 && n > 1000);
  measure_arrays_held();
  x = malloc(sizeof(double) * (size_t)n * d);
  y = malloc(sizeof(double) * (size_t)n);
  errors = malloc(sizeof(double) * (size_t)n);
  new_x = malloc(sizeof(double) * points * d);
  out = malloc(sizeof(double) * points);
  REQUIRE(x != NULL && y != NULL && errors != NULL && new_x != NULL && out != NULL);
  for (i = 0; i < n * d + points * d; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    *(i < n * d ? &x[i] : &new_x[i - n * d]) = (double)(state >> 11) / 9007199254740992.0;
  }
  for (i = 0; i < n; ++i) y[i] = sin(3 * x[i * d]) + x[i * d + 1] * x[i * d + 2];

  before = resident_bytes();
  announced = work(route, n, x, y, new_x, out, errors);
  kept = resident_bytes() - before;
  growth = peak_bytes() - before - kept;
  printf("grown by %.3f n^2 doubles, announced %.3f; kept %.1f MiB\n", growth / square, announced / square,
         kept / 1048576);
  REQUIRE(growth <= most * square);
  REQUIRE(growth <= announced);
  REQUIRE(growth >= 0.9 * square); /* the measurement sees what there must be */
  REQUIRE(kept <= 0.5 * square);   /* the model is gone */

  free(x);
  free(y);
  free(errors);
  free(new_x);
  free(out);
  return 0;
}
