/* Landmarks: given and chosen ones, curves, reductions. */
#include "checks.h"

enum { R = 4 };

/* With every row a landmark the restricted problem is the whole one. */
static void all_rows(void) {
  const freeridge_reduction reductions[] = {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM};
  const int64_t rows[N] = {3, 1, 7, 0, 2, 6, 5, 4};
  freeridge_model *whole = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5), *model = data_model(0);
  double expected[N * T], actual[N * T];
  size_t k;
  int i;
  OK(freeridge_loo(whole, expected, N));
  for (k = 0; k < 3; ++k) {
    int64_t count = -1, chosen[N];
    double left = -1, trace = -1;
    OK(freeridge_set_landmarks(model, N, rows));
    OK(freeridge_set_parameter(model, FREERIDGE_REDUCTION, reductions[k]));
    OK(freeridge_factorize(model));
    OK(freeridge_get_landmarks(model, &count, chosen));
    CHECK(count == N);
    OK(freeridge_landmark_trace(model, &left, &trace));
    for (i = 0; i < N; ++i) CHECK(chosen[i] == rows[i]);
    NEAR(trace, N); /* k(x, x) = 1 */
    CHECK(fabs(left) < 1e-9);
    OK(freeridge_set_lambda(model, 0.5));
    OK(freeridge_loo(model, actual, N));
    for (i = 0; i < N * T; ++i) NEAR(actual[i], expected[i]);
  }
  freeridge_destroy(whole);
  freeridge_destroy(model);
}

static void chosen_by_the_core(void) {
  const freeridge_landmark_method methods[] = {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM,
                                               FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED};
  freeridge_model* model = data_model(0);
  size_t k;
  for (k = 0; k < 4; ++k) {
    int64_t first[N], again[N], count = -1, i, j;
    int way;
    OK(freeridge_set_landmarks(model, R, NULL));
    for (way = 0; way < 2; ++way) {
      OK(freeridge_set_parameter(model, FREERIDGE_LANDMARK_METHOD, methods[k]));
      OK(freeridge_set_parameter(model, FREERIDGE_LANDMARK_SEED, 5));
      OK(freeridge_factorize(model));
      OK(freeridge_get_landmarks(model, &count, NULL));
      CHECK(count == R);
      OK(freeridge_get_landmarks(model, NULL, way == 0 ? first : again));
    }
    for (i = 0; i < R; ++i) {
      CHECK(first[i] >= 0 && first[i] < N && first[i] == again[i]);
      for (j = 0; j < i; ++j) CHECK(first[i] != first[j]);
    }
  }
  freeridge_destroy(model);
}

/* The last point of the curve is the search of the model itself. */
static void curve(void) {
  const int64_t sizes[2] = {2, R};
  freeridge_model* model = factorized_model(FREERIDGE_ROUTE_LANDMARK);
  double lambdas[2 * T], scores[2 * T], lambda[T], score[T];
  int j;
  OK(freeridge_landmark_curve(model, FREERIDGE_LOO, 2, sizes, lambdas, scores, 2));
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 0, 0, lambda, score));
  for (j = 0; j < T; ++j) {
    NEAR(scores[1 + 2 * j], score[j]);
    CHECK(scores[2 * j] >= 0 && lambdas[2 * j] > 0);
  }
  freeridge_destroy(model);
}

int main(void) {
  all_rows();
  chosen_by_the_core();
  curve();
  return report();
}
