/* Diagnostics and intervals: the formulas of the header from the answers they are made of. */
#include "checks.h"

static void formulas(freeridge_route route) {
  freeridge_model* model = fitted_model(route, 0.5);
  const freeridge_points* points = DENSE(FREERIDGE_ROW_MAJOR, M, D, sample_points());
  double df[T], sigma2[T], cook[N * T], loo[N * T], leverage[N * T], fitted[N * T];
  double errors[M * T], covariance[M * M * T], lower[M * T], upper[M * T], wide[M * T], variance[M * T], noise[T],
      predicted[M * T], without[M * T], without_each[M * N * T];
  double df_without[N * T], sigma_without[N * T], dfbeta[N * (D + 1) * T], difference[N * N], statistic[T], p[T];
  const int linear = route == FREERIDGE_ROUTE_PRIMAL;
  const int32_t rows[M] = {2, 0, 1};
  int i, j;
  OK(freeridge_degrees_of_freedom(model, df, sigma2));
  OK(freeridge_degrees_of_freedom(model, NULL, NULL));
  OK(freeridge_cooks_distance(model, cook, N));
  OK(freeridge_loo(model, loo, N));
  OK(freeridge_get_leverage(model, leverage, N));
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, M, sample_points(), D, predicted, T));
  OK(freeridge_predict_jackknife(model, points, 0.7, -1, 0, FREERIDGE_ROW_MAJOR, lower, upper, T));
  OK(freeridge_predict_jackknife(model, points, 0.99, -1, 0, FREERIDGE_ROW_MAJOR, wide, variance, T));
  for (i = 0; i < M * T; ++i) {
    CHECK(lower[i] < upper[i]);
    CHECK(wide[i] == -INFINITY && variance[i] == INFINITY); /* no such order statistic */
  }
  OK(freeridge_influence(model, df_without, sigma_without, N, NULL, 0));
  if (linear)
    OK(freeridge_influence(model, NULL, NULL, 0, dfbeta, N));
  else
    REFUSED(INVALID_STATE, freeridge_influence(model, NULL, NULL, 0, dfbeta, N));
  for (i = 0; i < N * T; ++i) CHECK(df_without[i] > 0 && df_without[i] < df[0] && sigma_without[i] > 0);
  for (i = 0; i < N * N; ++i) difference[i] = i % (N + 1) == 0 && i > N;
  OK(freeridge_score_test(model, difference, N, statistic, p));
  for (j = 0; j < T; ++j) CHECK(statistic[j] > 0 && p[j] > 0 && p[j] < 1);
  OK(freeridge_predict_left_out(model, points, NULL, rows, FREERIDGE_ROW_MAJOR, without, T));
  OK(freeridge_predict_left_out(model, points, NULL, NULL, FREERIDGE_ROW_MAJOR, without_each, N * T));
  for (j = 0; j < T; ++j)
    for (i = 0; i < M; ++i) NEAR(without[i * T + j], without_each[i * N * T + rows[i] + N * j]);
  OK(freeridge_predict_variance(model, points, FREERIDGE_ROW_MAJOR, variance, T, noise));
  for (i = 0; i < M * T; ++i) CHECK(variance[i] > 0 && isfinite(variance[i]));
  OK(freeridge_predict_covariance(model, points, FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_ROW_MAJOR, errors, T,
                                  covariance, M));
  for (j = 0; j < T; ++j) {
    double trace = 0, squares = 0;
    for (i = 0; i < N; ++i) {
      trace += leverage[i + j * N];
      squares += pow(sample_y()[i + j * N] - fitted[i + j * N], 2);
    }
    NEAR(df[j], trace);
    NEAR(sigma2[j], squares / (N - trace));
    for (i = 0; i < M; ++i) {
      NEAR(covariance[i + M * i + M * M * j], errors[i * T + j] * errors[i * T + j]);
      NEAR(covariance[i + M * i + M * M * j], variance[i * T + j] / noise[j] * sigma2[j]);
    }
    CHECK(noise[j] > 0);
    for (i = 0; i < N; ++i) {
      const int at = i + j * N;
      NEAR(cook[at], loo[at] * loo[at] * leverage[at] / (df[j] * sigma2[j]));
    }
  }
  freeridge_destroy(model);
}

/* fitted = H Y, c = P Y, H = I - lambda P, tr H = 1 + the effective rank; K_c v = Lambda v by way of H v. */
static void matrices(freeridge_route route) {
  const double lambda = 0.5;
  const int has_values = route != FREERIDGE_ROUTE_CHOLESKY, has_vectors = has_values && route != FREERIDGE_ROUTE_BAND;
  freeridge_model* model = fitted_model(route, lambda);
  double hat[N * N], inverse[N * N], fitted[N * T], c[N * T], values[N - 1], vectors[N * 2], condition, rank, df[T];
  int i, j, k;
  OK(freeridge_hat_matrix(model, lambda, hat, inverse, N));
  OK(freeridge_hat_matrix(model, lambda, NULL, NULL, N));
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_coefficients(model, 0, NULL, c, N, NULL));
  for (i = 0; i < N; ++i) {
    double f = 0, of_c = 0;
    for (j = 0; j < N; ++j) {
      f += hat[i + j * N] * sample_y()[j];
      of_c += inverse[i + j * N] * sample_y()[j];
      NEAR(hat[i + j * N], (i == j) - lambda * inverse[i + j * N]);
    }
    NEAR(f, fitted[i]);
    if (route != FREERIDGE_ROUTE_LANDMARK) NEAR(of_c, c[i]);
  }
  if (has_values) {
    OK(freeridge_eigenvalues(model, N - 1, values, NULL, 0));
    OK(freeridge_condition_number(model, 1, &lambda, &condition, &rank));
    OK(freeridge_degrees_of_freedom(model, df, NULL));
    NEAR(condition, (values[0] + lambda) / (values[N - 2] + lambda));
    NEAR(rank + 1, df[0]);
  } else {
    REFUSED(INVALID_STATE, freeridge_eigenvalues(model, N - 1, values, NULL, 0));
    REFUSED(INVALID_STATE, freeridge_condition_number(model, 1, &lambda, &condition, &rank));
  }
  if (has_vectors) {
    OK(freeridge_eigenvalues(model, 2, NULL, vectors, N));
    for (k = 0; k < 2; ++k) {
      for (i = 0; i < N; ++i) {
        double h = 0;
        for (j = 0; j < N; ++j) h += hat[i + j * N] * vectors[j + k * N];
        NEAR(h, values[k] / (values[k] + lambda) * vectors[i + k * N]);
      }
    }
  }
  freeridge_destroy(model);
}

/* Derivatives beside differences of predictions; averages; coefficients with their errors. */
static void effects(freeridge_route route) {
  freeridge_model* model = fitted_model(route, 0.5);
  const freeridge_covariance_type type = FREERIDGE_COVARIANCE_FREQUENTIST;
  const freeridge_points* points = DENSE(FREERIDGE_COL_MAJOR, M, D, sample_points());
  const double step = 1e-4, weights[M] = {1, 0, 3};
  double gradient[M * D * T], high[M * T], low[M * T], moved[M * D], other[M * D];
  double average[D * T], errors[D * T], change[T], change_errors[T], change_covariance[T];
  double both[2 * M * D], shares[2 * M];
  double covariance[(D + 1) * T * (D + 1) * T], w[D * T], b[T];
  int i, j, k;
  OK(freeridge_predict_gradient(model, points, FREERIDGE_COL_MAJOR, gradient, M));
  OK(freeridge_average_gradient(model, points, weights, type, average, errors, D));
  for (k = 0; k < D; ++k) {
    memcpy(moved, sample_points(), sizeof moved);
    memcpy(other, sample_points(), sizeof other);
    for (i = 0; i < M; ++i) moved[i + k * M] += step, other[i + k * M] -= step;
    OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, M, moved, M, high, M));
    OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, M, other, M, low, M));
    for (i = 0; i < M; ++i) {
      for (j = 0; j < D; ++j) both[i + j * 2 * M] = moved[i + j * M], both[M + i + j * 2 * M] = other[i + j * M];
      shares[i] = 1.0 / M, shares[M + i] = -1.0 / M;
    }
    OK(freeridge_predict_combinations(model, DENSE(FREERIDGE_COL_MAJOR, 2 * M, D, both), 1, NULL, shares,
                                      FREERIDGE_COVARIANCE_BAYESIAN, change, change_errors, 1, change_covariance, 1));
    for (j = 0; j < T; ++j) {
      const double* of = gradient + (k + j * D) * M;
      double sum = 0;
      for (i = 0; i < M; ++i) {
        CHECK(fabs(of[i] - (high[i + j * M] - low[i + j * M]) / (2 * step)) < 1e-6);
        sum += (high[i + j * M] - low[i + j * M]) / M;
      }
      NEAR(change[j], sum);
      NEAR(average[k + j * D], (of[0] + 3 * of[2]) / 4);
      CHECK(errors[k + j * D] > 0 && change_errors[j] > 0);
      NEAR(change_covariance[j], change_errors[j] * change_errors[j]);
    }
  }
  if (route != FREERIDGE_ROUTE_PRIMAL) {
    REFUSED(INVALID_STATE, freeridge_coefficient_covariance(model, type, covariance, (D + 1) * T));
    REFUSED(INVALID_STATE, freeridge_coefficient_errors(model, type, w, D, b));
  } else {
    OK(freeridge_coefficient_covariance(model, type, covariance, (D + 1) * T));
    OK(freeridge_coefficient_errors(model, type, w, D, b));
    for (j = 0; j < T; ++j) {
      const double* of = covariance + j * (D + 1) * ((D + 1) * T + 1);
      NEAR(b[j] * b[j], of[0]);
      for (k = 0; k < D; ++k) {
        NEAR(w[k + j * D] * w[k + j * D], of[(k + 1) * ((D + 1) * T + 1)]);
        NEAR(w[k + j * D], errors[k + j * D]);
      }
    }
  }
  moved[0] = NAN;
  freeridge_destroy(model);
}

int main(void) {
  size_t r;
  for (r = 0; r < sizeof every_route / sizeof *every_route; ++r) {
    formulas(every_route[r]);
    matrices(every_route[r]);
    effects(every_route[r]);
  }
  return report();
}
