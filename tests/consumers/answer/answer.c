/*
 * A stranger's program. Two points on a line through the origin, linear kernel, no intercept, lambda = 3:
 *     w = x'y / (x'x + lambda) = 8 / 8 = 1,  and without point 1 w = 6 / 7, without point 2 w = 2 / 4,
 * so that the errors left out are 2 - 6/7 = 8/7 and 3 - 2/4 2 = 2.
 */
#include <freeridge.h>
#include <math.h>
#include <stdio.h>

static int is(double actual, double expected, const char* what) {
  if (fabs(actual - expected) <= 1e-14) return 1;
  fprintf(stderr, "%s is %.17g, expected %.17g\n", what, actual, expected);
  return 0;
}

int main(void) {
  static const double x[] = {1.0, 2.0}, y[] = {2.0, 3.0};
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  double w = 0.0, errors[2] = {0.0, 0.0};
  freeridge_status status = freeridge_kernel_linear(&kernel);
  if (!status) status = freeridge_create(kernel, &model);
  if (!status) status = freeridge_set_data(model, FREERIDGE_COL_MAJOR, 2, 1, x, 2, 1, y, 2);
  if (!status) status = freeridge_set_parameter(model, FREERIDGE_INTERCEPT, 0);
  if (!status) status = freeridge_factorize(model);
  if (!status) status = freeridge_set_lambda(model, 3.0);
  if (!status) status = freeridge_hyperplane(model, 0, NULL, &w, 1, NULL);
  if (!status) status = freeridge_loo(model, errors, 2);
  if (status) fprintf(stderr, "%s: %s\n", freeridge_status_name(status), freeridge_last_error());
  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
  if (status || !is(w, 1.0, "w") || !is(errors[0], 8.0 / 7.0, "error 1") || !is(errors[1], 2.0, "error 2")) return 1;
  printf("w = 1, as it should be; %s\n", freeridge_build_info());
  return 0;
}
