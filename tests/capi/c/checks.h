/* checks.h - what the C tests share: counted checks, and a small sample. Each program is one group of calls of
 * freeridge.h: every call of it with good arguments, checked by identities. Their bad arguments and states are tried by
 * capi/refusals_test.cpp and capi/states_test.cpp, whose tables follow from the calls' types. */
#ifndef FREERIDGE_TESTS_CAPI_C_CHECKS_H
#define FREERIDGE_TESTS_CAPI_C_CHECKS_H

#include <freeridge_classical.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A device that forgets what is written. */
#ifdef _WIN32
#define NOWHERE "NUL"
#else
#define NOWHERE "/dev/null"
#endif

static int checks = 0, failures = 0;

static inline void check_that(int holds, const char* what, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s; last error: %s\n", line, what, freeridge_last_error());
}

/* `call` is the text "freeridge_x(...)": a call that fails says "freeridge_x: ...". */
static inline void check_status(freeridge_status status, freeridge_status expected, const char* call, int line) {
  const size_t name = strcspn(call, "(");
  const char* words = freeridge_last_error();
  if (status != expected) {
    fprintf(stderr, "%s is expected, it is %s\n", freeridge_status_name(expected), freeridge_status_name(status));
  }
  check_that(status == expected, call, line);
  if (expected == FREERIDGE_OK || status != expected) return;
  check_that(strncmp(words, call, name) == 0 && strncmp(words + name, ": ", 2) == 0 && words[name + 2] != 0, call,
             line);
}

/* Equal to 1e-9 of one or of the larger number. */
static inline void check_near(double a, double b, const char* what, int line) {
  const int near = fabs(a - b) <= 1e-9 * (1 + fmax(fabs(a), fabs(b)));
  if (!near) fprintf(stderr, "%.17g is not %.17g\n", a, b);
  check_that(near, what, line);
}

#define CHECK(condition) check_that(condition, #condition, __LINE__)
#define OK(call) check_status(call, FREERIDGE_OK, #call, __LINE__)
#define REFUSED(status, call) check_status(call, FREERIDGE_##status, #call, __LINE__)
#define NEAR(a, b) check_near(a, b, #a " = " #b, __LINE__)

/* freeridge_points, as an argument of a call. */
#define POINTS(...) (&(freeridge_points){.size = sizeof(freeridge_points), __VA_ARGS__})
#define DENSE(LAYOUT, ROWS, COLUMNS, X) POINTS(.n = ROWS, .d = COLUMNS, .layout = LAYOUT, .x = X)

/* Hostile sizes; BEYOND is fine in 64 bits, and more than the library takes. WHOLE x WHOLE numbers overflow in bytes. */
#define BEYOND INT64_C(2147483648)
#define WHOLE INT64_C(2147483647)

/* The sample: N rows, D features, T outputs, column-major; M new points. */
enum { N = 8, D = 2, T = 2, M = 3 };

static inline const double* sample_x(void) {
  static const double x[N * D] = {0.5,  -1.0, 2.0, 1.5, -2.5, 1.25, 3.0, -0.75,
                                  1.25, 0.25, 1.0, 2.0, 0.75, -1.5, 0.5, -0.5};
  return x;
}
static inline const double* sample_y(void) {
  static const double y[N * T] = {1.2, -0.6, 2.9, 3.1, -2.2, 0.4, 3.6, -0.9, 3.0, 1.4, 1.9, 0.2, 2.6, 2.1, 0.4, 3.7};
  return y;
}
static inline const double* sample_points(void) {
  static const double points[M * D] = {-1.0, 0.25, 1.5, 0.5, -0.75, 2.0};
  return points;
}
static inline const int32_t* sample_group(void) {
  static const int32_t group[N] = {0, 0, 7, 7, 2, 2, -1, 0};
  return group;
}

static inline freeridge_kernel* gaussian(double sigma) {
  freeridge_kernel* kernel = NULL;
  OK(freeridge_kernel_gaussian(sigma, &kernel));
  return kernel;
}

/* Models of the sample: EMPTY, with DATA, FACTORIZED and FITTED at lambda. */
static inline freeridge_model* empty_model(int linear) {
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  if (linear) {
    OK(freeridge_kernel_linear(&kernel));
  } else {
    OK(freeridge_kernel_gaussian(1.5, &kernel));
  }
  OK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel);
  return model;
}
static inline freeridge_model* data_model(int linear) {
  freeridge_model* model = empty_model(linear);
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N));
  return model;
}
static inline freeridge_model* factorized_model(freeridge_route route) {
  freeridge_model* model = data_model(route == FREERIDGE_ROUTE_PRIMAL);
  OK(freeridge_set_groups(model, 1, sample_group(), 0, NULL));
  OK(freeridge_set_parameter(model, FREERIDGE_ROUTE, route));
  if (route == FREERIDGE_ROUTE_LANDMARK) OK(freeridge_set_landmarks(model, 4, NULL));
  OK(freeridge_factorize(model));
  return model;
}
static inline freeridge_model* fitted_model(freeridge_route route, double lambda) {
  freeridge_model* model = factorized_model(route);
  OK(freeridge_set_lambda(model, lambda));
  return model;
}

static const freeridge_route every_route[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                              FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK};

/* The status of the program. */
static inline int report(void) {
  (void)every_route;
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0 || checks == 0;
}

#endif
