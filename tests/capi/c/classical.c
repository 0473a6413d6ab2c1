/* The calls without a handle, against their normal equations and definitions. */
#include "checks.h"

/* The gradient of 1/2 |y - x w - b|^2 + lambda/2 sum penalty w^2 is zero. */
static void expect_stationary(const double* w, const double* b, double lambda, const double* penalty) {
  int i, j, k;
  for (j = 0; j < T; ++j) {
    double sum = 0;
    for (k = 0; k < D; ++k) {
      double gradient = lambda * (penalty ? penalty[k] : 1) * w[k + j * D];
      for (i = 0; i < N; ++i) {
        const double r = sample_y()[i + j * N] - sample_x()[i] * w[j * D] - sample_x()[i + N] * w[1 + j * D] - b[j];
        gradient -= sample_x()[i + k * N] * r;
        if (k == 0) sum += r;
      }
      NEAR(gradient, 0);
    }
    NEAR(sum, 0);
  }
}

static void regressions(void) {
  const double penalty[D] = {0, 3};
  const int32_t all_exact[D] = {1, 1};
  double w[D * T], b[T], again[D * T], b_again[T], w_error[D * T], b_error[T], sigma[T], r_squared[T];
  freeridge_ols_answers some = {.size = sizeof some, .rank = -1, .w = w, .b = b}, none = {.size = sizeof none};
  freeridge_ols_answers all = {sizeof all, -1, again, b_again, w_error, b_error, sigma, r_squared};
  freeridge_tls_answers total = {.size = sizeof total, .w = again, .b = b_again};
  int i;
  OK(freeridge_ols(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, &some));
  CHECK(some.rank == D);
  expect_stationary(w, b, 0, NULL);
  OK(freeridge_ols(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, &all));
  for (i = 0; i < D * T; ++i) {
    NEAR(again[i], w[i]);
    CHECK(w_error[i] > 0);
  }
  for (i = 0; i < T; ++i) CHECK(b_error[i] > 0 && sigma[i] > 0 && r_squared[i] > 0 && r_squared[i] < 1);
  OK(freeridge_ols(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, &none));
  OK(freeridge_tls(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, all_exact, &total));
  for (i = 0; i < D * T; ++i) NEAR(again[i], w[i]); /* all columns exact: ordinary least squares */
  OK(freeridge_ridge(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, 0.5, NULL, w, b));
  expect_stationary(w, b, 0.5, NULL);
  OK(freeridge_ridge(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N, 1, 0.5, penalty, w, b));
  expect_stationary(w, b, 0.5, penalty);
}

/* Points on a line: no errors to be had in x or y. The corners of a rectangle, along the diagonal of the axes: the line
 * goes through its middle. */
static void total_least_squares(void) {
  const double x[4] = {0, 1, 2, 5}, y[4] = {1, 3, 5, 11}, across[4] = {-3, 1, -1, 3}, up[4] = {-1, 3, -3, 1};
  double w = -1, b = -1, sigma = -1, distances[4], of_x[4], of_y[4];
  freeridge_tls_answers line = {.size = sizeof line, .w = &w, .b = &b};
  freeridge_tls_answers all = {sizeof all, &w, &b, &sigma, distances, of_x, of_y};
  int i;
  OK(freeridge_tls(FREERIDGE_COL_MAJOR, 4, 1, x, 4, 1, y, 4, 1, NULL, &line));
  NEAR(w, 2);
  NEAR(b, 1);
  OK(freeridge_tls(FREERIDGE_COL_MAJOR, 4, 1, across, 4, 1, up, 4, 1, NULL, &all));
  NEAR(w, 1);
  CHECK(fabs(b) < 1e-14);
  NEAR(sigma * sigma, 8);
  for (i = 0; i < 4; ++i) {
    NEAR(distances[i] * distances[i], 2);
    NEAR(across[i] + of_x[i], up[i] + of_y[i]); /* on the line, and */
    NEAR(of_x[i], -of_y[i]);                    /* the way to it is at a right angle to it */
  }
}

/* A A+ A = A, and A A+ symmetric. */
static void pseudoinverse(void) {
  double inverse[D * N], product[N * N];
  int64_t rank = -1;
  int i, j, k;
  OK(freeridge_pinv(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, -1.0, inverse, D, &rank));
  CHECK(rank == D);
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) {
      product[i + j * N] = 0;
      for (k = 0; k < D; ++k) product[i + j * N] += sample_x()[i + k * N] * inverse[k + j * D];
    }
  }
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) NEAR(product[i + j * N], product[j + i * N]);
    for (k = 0; k < D; ++k) {
      double sum = 0;
      for (j = 0; j < N; ++j) sum += product[i + j * N] * sample_x()[j + k * N];
      NEAR(sum, sample_x()[i + k * N]);
    }
  }
}

/* phi(x) . phi(z) = (scale x'z + offset)^degree with phi the features times their factors. */
static void features(void) {
  enum { MOST = 20 };
  double out[N * MOST], factors[MOST];
  int32_t exponents[MOST * D];
  int64_t count = -1, f;
  int i, j;
  OK(freeridge_polynomial_exponents(D, 3, 1, &count, NULL));
  CHECK(count == 10);
  OK(freeridge_polynomial_exponents(D, 3, 1, NULL, exponents));
  OK(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, 3, 1, out, N));
  OK(freeridge_polynomial_feature_factors(D, 3, 0.5, 2.0, factors));
  for (i = 0; i < N; ++i) {
    for (f = 0; f < count; ++f) {
      NEAR(out[i + f * N], pow(sample_x()[i], exponents[f]) * pow(sample_x()[i + N], exponents[f + count]));
    }
    for (j = 0; j < N; ++j) {
      double sum = 0;
      for (f = 0; f < count; ++f) sum += out[i + f * N] * out[j + f * N] * factors[f] * factors[f];
      NEAR(sum, pow(0.5 * (sample_x()[i] * sample_x()[j] + sample_x()[i + N] * sample_x()[j + N]) + 2.0, 3));
    }
  }
}

static void medians(void) {
  const double values[5] = {3, -1, 10, 2, 7}, ones[5] = {1, 1, 1, 1, 1}, heavy[5] = {1, 1, 9, 1, 1};
  const double zeros[5] = {0, 0, 0, 0, 0}, twice[5] = {6, -2, 20, 4, 14};
  double median = -7, slope = -7;
  OK(freeridge_weighted_median(5, values, ones, &median));
  CHECK(median == 3);
  OK(freeridge_weighted_median(5, values, heavy, &median));
  CHECK(median == 10);
  OK(freeridge_absolute_slope(5, values, twice, &slope));
  CHECK(slope == 2);
  slope = -7;
  REFUSED(UNDEFINED, freeridge_absolute_slope(5, zeros, twice, &slope));
  CHECK(slope == -7);
}

/* Errors of 1 and of 2 in rows of their own: weights as 1 / 1 and 1 / 4. */
static void stacks(void) {
  const double f[8] = {1, 1, 0, 0, 0, 0, 2, 2}, zeros[4] = {0, 0, 0, 0}, none[4] = {1, 0, 0, 0};
  double w[2] = {-7, -7}, errors[4];
  OK(freeridge_stack_weights(FREERIDGE_COL_MAJOR, 4, 2, f, 4, zeros, NULL, 0, w, errors));
  NEAR(w[0], 0.8);
  NEAR(w[1], 0.2);
  NEAR(errors[0], -8.0 / 9);
  OK(freeridge_stack_weights(FREERIDGE_ROW_MAJOR, 4, 1, f, 2, zeros, NULL, 0, w, NULL));
  CHECK(w[0] == 1);
  REFUSED(UNDEFINED, freeridge_stack_weights(FREERIDGE_COL_MAJOR, 4, 2, f, 4, zeros, none, 0, w, errors));
  CHECK(w[1] == 1 && errors[0] != errors[0]);
}

int main(void) {
  regressions();
  total_least_squares();
  pseudoinverse();
  features();
  medians();
  stacks();
  return report();
}
