/* Answers at the lambdas set: on every route they hang together by identities. */
#include "checks.h"

static void identities(freeridge_route route) {
  const double lambda = 0.5;
  freeridge_model* model = fitted_model(route, lambda);
  double loo[N * T], groups[N * T], fitted[N * T], predicted[N * T], leverage[N * T], c[N * T], b[T];
  int32_t single[N];
  int i, j;
  for (i = 0; i < N; ++i) single[i] = i == 3 ? -5 : i;
  OK(freeridge_loo(model, loo, N));
  OK(freeridge_group_errors(model, single, 0, NULL, groups, N));
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, N, sample_x(), N, predicted, N));
  OK(freeridge_get_leverage(model, leverage, N));
  OK(freeridge_coefficients(model, 0, NULL, c, N, b));
  for (j = 0; j < T; ++j) {
    for (i = 0; i < N; ++i) {
      const int at = i + j * N;
      const double residual = sample_y()[at] - fitted[at];
      NEAR(predicted[at], fitted[at]);
      NEAR(loo[at] * (1 - leverage[at]), residual);
      CHECK(leverage[at] > 0 && leverage[at] < 1);
      if (route != FREERIDGE_ROUTE_LANDMARK) NEAR(lambda * c[at], residual);
      if (i == 3) {
        CHECK(isnan(groups[at]));
      } else {
        NEAR(groups[at], loo[at]);
      }
    }
  }
  if (route == FREERIDGE_ROUTE_PRIMAL) {
    double w[D * T];
    OK(freeridge_hyperplane(model, 0, NULL, w, D, NULL));
    for (j = 0; j < T; ++j) {
      for (i = 0; i < N; ++i) {
        NEAR(fitted[i + j * N], b[j] + w[j * D] * sample_x()[i] + w[1 + j * D] * sample_x()[i + N]);
      }
    }
  } else {
    double w[D * T], sigma = -1;
    REFUSED(INVALID_STATE, freeridge_hyperplane(model, 0, NULL, w, D, NULL));
    OK(freeridge_get_bandwidth(model, &sigma, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(sigma == 1.5);
  }
  freeridge_destroy(model);
}

/* Leaving a group out is a model of the other rows. */
static void group_by_refit(void) {
  freeridge_model *model = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5), *rest = empty_model(0);
  double errors[N * T], plain[N * T], x[N * D], y[N * T], predicted[N * T];
  int rows = 0, i, j;
  /* A row twice, in its group and in its gap, is scored. */
  OK(freeridge_group_errors(model, sample_group(), 1, sample_group(), errors, N));
  OK(freeridge_group_errors(model, sample_group(), 0, NULL, plain, N));
  for (i = 0; i < N * T; ++i) CHECK(errors[i] == plain[i] || (isnan(errors[i]) && isnan(plain[i])));
  for (i = 0; i < N; ++i) rows += sample_group()[i] != 7;
  for (i = 0, j = 0; i < N; ++i) {
    if (sample_group()[i] == 7) continue;
    x[j] = sample_x()[i];
    x[j + rows] = sample_x()[i + N];
    y[j] = sample_y()[i];
    y[j + rows] = sample_y()[i + N];
    ++j;
  }
  OK(freeridge_set_data(rest, FREERIDGE_COL_MAJOR, rows, D, x, rows, T, y, rows));
  OK(freeridge_factorize(rest));
  OK(freeridge_set_lambda(rest, 0.5));
  OK(freeridge_predict(rest, FREERIDGE_COL_MAJOR, N, sample_x(), N, predicted, N));
  for (i = 0; i < N; ++i) {
    if (sample_group()[i] != 7) continue;
    for (j = 0; j < T; ++j) NEAR(errors[i + j * N], sample_y()[i + j * N] - predicted[i + j * N]);
  }
  freeridge_destroy(model);
  freeridge_destroy(rest);
}

int main(void) {
  size_t r;
  for (r = 0; r < sizeof every_route / sizeof *every_route; ++r) identities(every_route[r]);
  group_by_refit();
  return report();
}
