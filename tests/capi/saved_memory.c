/* saved_memory: the memory of saving and loading, measured: a model of n^2 numbers is written without a second copy, and
 * read with no more than itself, to files and to memory. */
#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "support/peak.h"

enum { n = 2500, d = 2 };

static freeridge_model* make(int64_t rows, const double* x, const double* y) {
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  REQUIRE(freeridge_kernel_gaussian(0.5, &kernel) == FREERIDGE_OK);
  REQUIRE(freeridge_create(kernel, &model) == FREERIDGE_OK);
  REQUIRE(freeridge_set_data(model, FREERIDGE_COL_MAJOR, rows, d, x, n, 1, y, n) == FREERIDGE_OK);
  REQUIRE(freeridge_set_parameter(model, FREERIDGE_ROUTE, FREERIDGE_ROUTE_CHOLESKY) == FREERIDGE_OK);
  REQUIRE(freeridge_factorize(model) == FREERIDGE_OK);
  freeridge_kernel_destroy(kernel);
  return model;
}

static void report(const char* what, double growth, double least, double most) {
  const double square = 8.0 * n * n;
  printf("%s: grown by %.3f n^2 doubles\n", what, growth / square);
  REQUIRE(growth >= least * square);
  REQUIRE(growth <= most * square);
}

int main(void) {
  static double x[n * d], y[n];
  char path[64];
  const double square = 8.0 * n * n;
  double before;
  freeridge_model *model, *small, *copy = NULL;
  int64_t length = 0, i;
  void* bytes;
  measure_arrays_held();
  for (i = 0; i < n * d; ++i) x[i] = sin(12.9898 * (double)i);
  for (i = 0; i < n; ++i) y[i] = x[i] * x[i + n];
  snprintf(path, sizeof path, "/tmp/freeridge-memory-%ld", (long)getpid());

  /* What is needed once, whatever the size. */
  small = make(50, x, y);
  REQUIRE(freeridge_save(small, FREERIDGE_SAVE_MODEL, path) == FREERIDGE_OK);
  REQUIRE(freeridge_load(path, &copy) == FREERIDGE_OK);
  freeridge_destroy(copy);
  freeridge_destroy(small);

  model = make(n, x, y);
  REQUIRE(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, 0, NULL, &length) == FREERIDGE_OK);
  REQUIRE((double)length >= 0.45 * square); /* a triangle at least */
  before = peak_bytes();
  REQUIRE(freeridge_save(model, FREERIDGE_SAVE_MODEL, path) == FREERIDGE_OK);
  report("saved to a file", peak_bytes() - before, 0, 0.02);
  REQUIRE(freeridge_load(path, &copy) == FREERIDGE_OK);
  report("loaded from it", peak_bytes() - before, 0.45, 1.05); /* the other triangle is touched when it is needed */
  freeridge_destroy(copy);

  bytes = malloc((size_t)length);
  REQUIRE(bytes != NULL);
  freeridge_destroy(model);
  REQUIRE(freeridge_load(path, &model) == FREERIDGE_OK);
  REQUIRE(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, length, bytes, &length) == FREERIDGE_OK);
  before = peak_bytes();
  freeridge_destroy(model);
  REQUIRE(freeridge_load_from_memory(bytes, length, &model) == FREERIDGE_OK);
  report("loaded from memory", peak_bytes() - before, 0, 0.05);
  freeridge_destroy(model);
  free(bytes);
  REQUIRE(unlink(path) == 0);
  return 0;
}
