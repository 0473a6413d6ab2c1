/* Fixed effects: a constant column beside the intercept, predictions beside fitted values, variances, variance components. */
#include "checks.h"

enum { Q = 2 };
static const double effects_of_rows[N * Q] = {1, 0, 2, 1, 0.5, 1.5, -1, 0.25, 3, 3, 3, 3, 3, 3, 3, 3};

#define WITH_EFFECTS                                                                             \
  POINTS(.n = N, .d = D, .layout = FREERIDGE_COL_MAJOR, .x = sample_x(), .unpenalised_count = Q, \
         .unpenalised = effects_of_rows)

/* With the fixed effects above, of which the second is the intercept again. */
static freeridge_model* model_with_effects(void) {
  freeridge_model* model = data_model(0);
  OK(freeridge_set_points(model, WITH_EFFECTS, 0, FREERIDGE_COL_MAJOR, T, sample_y(), N));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, 0.5));
  return model;
}

static void answers(void) {
  freeridge_model* model = model_with_effects();
  const double lambdas[2] = {0.5, 5};
  double effects[Q * T], errors[Q * T], fitted[N * T], out[N * T], path[N * T * 2], lower[N * T], upper[N * T],
      variance[N * T], noise[T], residual[T], random[T], share[T], b[T], covariance[Q * Q * T];
  int32_t kept[Q] = {7, 7};
  int64_t count = 0;
  int64_t q = -1;
  int i, j;
  OK(freeridge_get_unpenalised(model, &q, NULL, NULL, NULL, 0));
  CHECK(q == Q);
  OK(freeridge_get_unpenalised(model, NULL, kept, effects, errors, Q));
  OK(freeridge_get_unpenalised_covariance(model, covariance, Q));
  OK(freeridge_coefficients(model, 0, NULL, NULL, 0, b));
  CHECK(kept[0] == 1 && kept[1] == 0);
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_predict_points(model, WITH_EFFECTS, 0, NULL, FREERIDGE_COL_MAJOR, out, N));
  OK(freeridge_predict_points(model, WITH_EFFECTS, 2, lambdas, FREERIDGE_COL_MAJOR, path, N));
  OK(freeridge_predict_jackknife(model, WITH_EFFECTS, 0.7, -1, 0, FREERIDGE_COL_MAJOR, lower, upper, N));
  OK(freeridge_predict_variance(model, WITH_EFFECTS, FREERIDGE_COL_MAJOR, variance, N, noise));
  for (j = 0; j < T; ++j) {
    CHECK(effects[1 + j * Q] == 0 && errors[1 + j * Q] == 0 && errors[j * Q] > 0);
    NEAR(covariance[j * Q * Q], errors[j * Q] * errors[j * Q]);
    CHECK(covariance[j * Q * Q + 1] == 0 && covariance[j * Q * Q + Q + 1] == 0);
    for (i = 0; i < N; ++i) {
      NEAR(out[i + j * N], fitted[i + j * N]);
      NEAR(path[i + j * N], out[i + j * N]);
      CHECK(lower[i + j * N] < upper[i + j * N] && variance[i + j * N] > 0);
    }
  }
  (void)freeridge_variance_components(model, &count, residual, random, share, NULL);
  CHECK(count == 1);
  for (j = 0; j < T; ++j) {
    NEAR(residual[j], noise[j]);
    NEAR(random[j], noise[j] / 0.5);
    NEAR(share[j], 1 / 1.5);
  }
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N));
  OK(freeridge_get_unpenalised(model, &q, NULL, NULL, NULL, 0));
  CHECK(q == 0);
  freeridge_destroy(model);
}

int main(void) {
  answers();
  return report();
}
