/* Factorize and lambda: every route solves one problem; plans. */
#include "checks.h"

/* (K + lambda I) c + b = y and sum c = 0, with K from its formula, for the dual routes. */
static void dual_routes(void) {
  size_t r;
  for (r = 0; r < 3; ++r) {
    const double lambda[T] = {0.25, 4.0};
    freeridge_model* model = factorized_model(every_route[r]);
    double c[N * T], b[T], in_force[T], tolerance = -1;
    freeridge_route route = -1;
    int i, j, k, output;
    OK(freeridge_get_route(model, &route));
    CHECK(route == every_route[r]);
    OK(freeridge_get_tolerance(model, &tolerance));
    CHECK(tolerance >= 0 && tolerance < 1e-9);
    OK(freeridge_set_lambdas(model, lambda));
    OK(freeridge_get_lambda(model, in_force));
    OK(freeridge_coefficients(model, 0, NULL, c, N, b));
    for (output = 0; output < T; ++output) {
      double sum = 0;
      CHECK(in_force[output] == lambda[output]);
      for (i = 0; i < N; ++i) {
        double value = b[output] + lambda[output] * c[i + output * N];
        for (j = 0; j < N; ++j) {
          double squared = 0;
          for (k = 0; k < D; ++k) squared += pow(sample_x()[i + k * N] - sample_x()[j + k * N], 2);
          value += exp(-squared / (1.5 * 1.5)) * c[j + output * N];
        }
        NEAR(value, sample_y()[i + output * N]);
        sum += c[i + output * N];
      }
      NEAR(sum, 0);
    }
    freeridge_destroy(model);
  }
}

static void plans(void) {
  freeridge_model *model = data_model(1), *empty = empty_model(0);
  int64_t bytes = -1, length = -1, rank = -1;
  char text[4096];
  freeridge_route route = -1;
  REFUSED(INVALID_STATE, freeridge_memory_required(empty, &bytes));
  REFUSED(INVALID_STATE, freeridge_explain(empty, sizeof text, text, &length));
  REFUSED(INVALID_STATE, freeridge_factorize(empty));
  CHECK(bytes == -1 && length == -1);
  OK(freeridge_memory_required(model, &bytes));
  CHECK(bytes > 0);
  /* It measures the speed of a matrix product, which takes valgrind seconds: once is enough. */
  OK(freeridge_explain(model, sizeof text, text, &length));
  CHECK(length == (int64_t)strlen(text) && strncmp(text, "route PRIMAL", 12) == 0);
  OK(freeridge_factorize(model));
  OK(freeridge_get_route(model, &route));
  CHECK(route == FREERIDGE_ROUTE_PRIMAL);
  OK(freeridge_get_rank(model, &rank));
  CHECK(rank == D);
  freeridge_destroy(model);
  freeridge_destroy(empty);
}

/* A limit refuses before the work, and the model is as before. */
static void memory_limit(void) {
  freeridge_model* model = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5);
  double before[N * T], after[N * T];
  OK(freeridge_get_fitted(model, before, N));
  OK(freeridge_set_parameter(model, FREERIDGE_MEMORY_LIMIT, 1));
  REFUSED(OUT_OF_MEMORY, freeridge_factorize(model));
  OK(freeridge_set_parameter(model, FREERIDGE_MEMORY_LIMIT, 0));
  OK(freeridge_get_fitted(model, after, N));
  CHECK(memcmp(before, after, sizeof before) == 0);
  OK(freeridge_factorize(model));
  freeridge_destroy(model);
}

static void refinement(void) {
  freeridge_model* model = factorized_model(FREERIDGE_ROUTE_PRIMAL);
  double plain[D * T], refined[D * T];
  int i;
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_hyperplane(model, 0, NULL, plain, D, NULL));
  OK(freeridge_set_parameter(model, FREERIDGE_REFINEMENT, 3));
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_hyperplane(model, 0, NULL, refined, D, NULL));
  for (i = 0; i < D * T; ++i) NEAR(refined[i], plain[i]);
  freeridge_destroy(model);
}

/* The solution of all points by conjugate gradients is that of a factorization, as exactly as it says. */
static void iterative(void) {
  freeridge_model *model = factorized_model(FREERIDGE_ROUTE_ITERATIVE),
                  *spectral = factorized_model(FREERIDGE_ROUTE_SPECTRAL);
  double c[N * T], expected[N * T], accuracy[T] = {-7, -7}, asked = -7, lambda = 0.5, score[T], error[T], exact[T];
  int i;
  OK(freeridge_set_parameter(model, FREERIDGE_ACCURACY, 1e-12));
  OK(freeridge_get_parameter(model, FREERIDGE_ACCURACY, &asked));
  CHECK(asked == 1e-12);
  REFUSED(INVALID_STATE, freeridge_set_lambda(model, 0.5));
  OK(freeridge_factorize(model));
  REFUSED(INVALID_STATE, freeridge_get_accuracy(model, accuracy));
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_get_accuracy(model, accuracy));
  for (i = 0; i < T; ++i) CHECK(accuracy[i] >= 0 && accuracy[i] <= 1e-12);
  OK(freeridge_coefficients(model, 0, NULL, c, N, NULL));
  OK(freeridge_set_lambda(spectral, 0.5));
  OK(freeridge_coefficients(spectral, 0, NULL, expected, N, NULL));
  for (i = 0; i < N * T; ++i) NEAR(c[i], expected[i]);
  REFUSED(INVALID_STATE, freeridge_get_accuracy(spectral, accuracy));
  OK(freeridge_estimate_score(model, FREERIDGE_GCV, 0, 1, &lambda, score, error, 1));
  OK(freeridge_estimate_score(spectral, FREERIDGE_GCV, 0, 1, &lambda, exact, accuracy, 1));
  for (i = 0; i < T; ++i) {
    CHECK(error[i] >= 0 && accuracy[i] == 0);
    CHECK(fabs(score[i] - exact[i]) <= 4 * error[i] + 1e-6 * exact[i]);
  }
  REFUSED(INVALID_STATE, freeridge_estimate_score(model, FREERIDGE_REML, 0, 1, &lambda, score, error, 1));
  REFUSED(INVALID_STATE, freeridge_loo(model, c, N));
  REFUSED(NOT_POSITIVE_DEFINITE, freeridge_set_lambda(model, 0.0));
  freeridge_destroy(model);
  freeridge_destroy(spectral);
}

int main(void) {
  dual_routes();
  plans();
  memory_limit();
  refinement();
  iterative();
  return report();
}
