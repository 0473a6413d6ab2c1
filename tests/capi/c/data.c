/* A model and its data: made, filled in both layouts, borrowed, set up. */
#include "checks.h"

static int32_t never(double fraction, void* user) {
  (void)fraction;
  ++*(int*)user;
  return 0;
}

static void row_major(const double* from, int rows, int columns, double* to) {
  int i, j;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < columns; ++j) to[i * columns + j] = from[i + j * rows];
  }
}

/* The same data in any layout, copied or borrowed, are the same problem. */
static void layouts(void) {
  double x[N * D], y[N * T], fitted[3][N * T];
  freeridge_model* model = empty_model(0);
  int64_t n = 0, d = 0, t = 0;
  int way, i;
  row_major(sample_x(), N, D, x);
  row_major(sample_y(), N, T, y);
  for (way = 0; way < 3; ++way) {
    if (way == 0) OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N));
    if (way == 1) OK(freeridge_set_data(model, FREERIDGE_ROW_MAJOR, N, D, x, D, T, y, T));
    if (way == 2) OK(freeridge_set_points(model, DENSE(FREERIDGE_ROW_MAJOR, N, D, x), 1, FREERIDGE_ROW_MAJOR, T, y, T));
    OK(freeridge_get_dimensions(model, &n, &d, &t));
    CHECK(n == N && d == D && t == T);
    OK(freeridge_factorize(model));
    OK(freeridge_set_lambda(model, 0.5));
    OK(freeridge_get_fitted(model, fitted[way], N));
  }
  for (i = 0; i < N * T; ++i) {
    NEAR(fitted[1][i], fitted[0][i]);
    NEAR(fitted[2][i], fitted[0][i]);
  }
  freeridge_destroy(model);
  freeridge_destroy(NULL);
}

/* The same x by rows and by columns, its zeros left out, copied and borrowed; predictions and an accumulator. */
static void sparse(void) {
  static const double x[] = {1, 0, 2, 0, 0, 3, -1, 0, 0, 0, 0.5, 4}; /* 6 x 2, row by row */
  static const int64_t by_row[] = {0, 1, 2, 3, 4, 4, 6}, by_column[] = {0, 4, 6};
  static const int32_t columns[] = {0, 0, 1, 0, 0, 1}, rows[] = {0, 1, 3, 5, 2, 5};
  static const double of_rows[] = {1, 2, 3, -1, 0.5, 4}, of_columns[] = {1, 2, -1, 0.5, 3, 4},
                      y[] = {1, 2, 0, -1, 3, 2};
  double expected[6], out[6], w[2], b, w_sparse[2], b_sparse, sum_w = -1, square, moments[5];
  const double lambda = 0.5;
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  freeridge_accumulator *dense = NULL, *thin = NULL;
  int way, i;
  OK(freeridge_kernel_linear(&kernel));
  OK(freeridge_create(kernel, &model));
  OK(freeridge_set_data(model, FREERIDGE_ROW_MAJOR, 6, 2, x, 2, 1, y, 1));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, lambda));
  OK(freeridge_loo(model, expected, 6));
  for (way = 0; way < 2; ++way) {
    const freeridge_sparse_format format = way == 0 ? FREERIDGE_CSR : FREERIDGE_CSC;
    const int64_t* start = way == 0 ? by_row : by_column;
    const int32_t* index = way == 0 ? columns : rows;
    const double* value = way == 0 ? of_rows : of_columns;
    const freeridge_points* points =
        POINTS(.n = 6, .d = 2, .format = format, .start = start, .index = index, .value = value);
    if (way == 0) OK(freeridge_set_points(model, points, 0, FREERIDGE_COL_MAJOR, 1, y, 6));
    if (way == 1) OK(freeridge_set_points(model, points, 1, FREERIDGE_ROW_MAJOR, 1, y, 1));
    OK(freeridge_factorize(model));
    OK(freeridge_set_lambda(model, lambda));
    OK(freeridge_loo(model, out, 6));
    for (i = 0; i < 6; ++i) NEAR(out[i], expected[i]);
    OK(freeridge_hyperplane(model, 0, NULL, w, 2, &b));
    OK(freeridge_predict_points(model, points, 0, NULL, FREERIDGE_COL_MAJOR, out, 6));
    for (i = 0; i < 6; ++i) NEAR(out[i], x[2 * i] * w[0] + x[2 * i + 1] * w[1] + b);
    OK(freeridge_accumulator_create(2, 1, 1, &dense));
    OK(freeridge_accumulator_create(2, 1, 1, &thin));
    OK(freeridge_accumulator_add(dense, DENSE(FREERIDGE_ROW_MAJOR, 6, 2, x), FREERIDGE_ROW_MAJOR, y, 1, NULL));
    OK(freeridge_accumulator_add(thin, points, FREERIDGE_COL_MAJOR, y, 6, NULL));
    OK(freeridge_accumulator_solve(dense, 1, &lambda, w, 2, &b));
    OK(freeridge_accumulator_solve(thin, 1, &lambda, w_sparse, 2, &b_sparse));
    CHECK(w[0] == w_sparse[0] && w[1] == w_sparse[1] && b == b_sparse);
    OK(freeridge_accumulator_errors(thin, points, FREERIDGE_COL_MAJOR, y, 6, NULL, NULL, 1, &lambda, out, 6));
    for (i = 0; i < 6; ++i) NEAR(out[i], expected[i]);
    OK(freeridge_accumulator_squared_errors(thin, points, FREERIDGE_COL_MAJOR, y, 6, NULL, 1, &lambda, &sum_w, out, 1));
    OK(freeridge_accumulator_moments(thin, points, FREERIDGE_COL_MAJOR, y, 6, NULL, NULL, 1, &lambda, moments));
    for (i = 0, square = 0; i < 6; ++i) square += expected[i] * expected[i] / 6;
    CHECK(moments[0] == 6 && moments[1] == 6 && moments[4] == 0);
    NEAR(moments[2], square);
    for (i = 0, square = 0; i < 6; ++i)
      square += (y[i] - x[2 * i] * w[0] - x[2 * i + 1] * w[1] - b) * (y[i] - x[2 * i] * w[0] - x[2 * i + 1] * w[1] - b);
    CHECK(sum_w == 6);
    NEAR(out[0], square);
    freeridge_accumulator_destroy(dense);
    freeridge_accumulator_destroy(thin);
  }
  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
}

/* A value of one output that is missing: its errors left out are those of the output without this row. */
static void missing_values(void) {
  freeridge_model *model = empty_model(0), *rest = empty_model(0);
  double y[N * T], x_rest[(N - 1) * D], y_rest[N - 1], loo[N * T], loo_rest[N - 1];
  int i, k;
  for (i = 0; i < N * T; ++i) y[i] = sample_y()[i];
  y[2] = NAN;
  OK(freeridge_set_parameter(model, FREERIDGE_MISSING, 1));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, y, N));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_loo(model, loo, N));
  for (i = 0, k = 0; i < N; ++i) {
    if (i == 2) continue;
    x_rest[k] = sample_x()[i];
    x_rest[k + N - 1] = sample_x()[i + N];
    y_rest[k++] = y[i];
  }
  OK(freeridge_set_data(rest, FREERIDGE_COL_MAJOR, N - 1, D, x_rest, N - 1, 1, y_rest, N - 1));
  OK(freeridge_factorize(rest));
  OK(freeridge_set_lambda(rest, 0.5));
  OK(freeridge_loo(rest, loo_rest, N - 1));
  CHECK(isnan(loo[2]));
  for (i = 0, k = 0; i < N; ++i) {
    if (i != 2) NEAR(loo[i], loo_rest[k++]);
  }
  freeridge_destroy(model);
  freeridge_destroy(rest);
}

/* Each setter goes back to DATA, or leaves the state, as the header says. */
static void setters(void) {
  static const double weights[N] = {1, 2, 1, 0.5, 1, 3, 1, 0.25};
  freeridge_model* model = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5);
  freeridge_kernel* kernel = gaussian(0.75);
  double lambda[T];
  int heard = 0;
  OK(freeridge_set_groups(model, 1, sample_group(), 0, NULL));
  OK(freeridge_set_groups(model, 1, NULL, 0, NULL));
  OK(freeridge_set_parameter(model, FREERIDGE_EXPECTED_LAMBDAS, 5));
  OK(freeridge_set_parameter(model, FREERIDGE_EXPECTED_CRITERION, FREERIDGE_GCV));
  OK(freeridge_set_progress(model, never, &heard));
  OK(freeridge_get_lambda(model, lambda));
  NEAR(lambda[0], 0.5);
  OK(freeridge_set_weights(model, weights));
  REFUSED(INVALID_STATE, freeridge_get_lambda(model, lambda));
  OK(freeridge_factorize(model));
  CHECK(heard > 0);
  OK(freeridge_set_progress(model, NULL, NULL));
  OK(freeridge_set_weights(model, NULL));
  OK(freeridge_factorize(model));
  OK(freeridge_set_parameter(model, FREERIDGE_INTERCEPT, 0));
  REFUSED(INVALID_STATE, freeridge_set_lambda(model, 0.5));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_coefficients(model, 0, NULL, NULL, 0, lambda));
  CHECK(lambda[0] == 0 && lambda[1] == 0);
  OK(freeridge_set_kernel(model, kernel));
  REFUSED(INVALID_STATE, freeridge_set_lambda(model, 0.5));
  freeridge_kernel_destroy(kernel);
  OK(freeridge_factorize(model));
  OK(freeridge_set_parameter(model, FREERIDGE_ROUTE, FREERIDGE_ROUTE_CHOLESKY));
  REFUSED(INVALID_STATE, freeridge_set_lambda(model, 0.5));
  freeridge_destroy(model);
}

/* The rows of the sample, as they were asked for. */
static int64_t hand_out(int64_t first, int64_t count, double* x, double* y, double* weights, void* user) {
  const int64_t got = first + count <= N ? count : N - first;
  int64_t i, k;
  for (i = 0; i < got; ++i) {
    for (k = 0; k < D; ++k) x[i + k * count] = sample_x()[first + i + k * N];
    for (k = 0; k < T; ++k) y[i + k * count] = sample_y()[first + i + k * N];
    CHECK(weights[i] == 1);
  }
  *(int*)user += 1;
  return got;
}

static void read_rows(void) {
  freeridge_kernel* kernel = NULL;
  freeridge_model *model = NULL, *whole = factorized_model(FREERIDGE_ROUTE_PRIMAL);
  double lambda[T], score[T], expected_lambda[T], expected_score[T], errors[N * T], expected[N * T];
  int64_t n = -5, d = -5, t = -5;
  int32_t kept = -5;
  const freeridge_points* points;
  int calls = 0, i;
  OK(freeridge_kernel_linear(&kernel));
  OK(freeridge_create(kernel, &model));
  points = POINTS(.n = -1, .d = D, .layout = FREERIDGE_COL_MAJOR, .reader = hand_out, .user = &calls);
  OK(freeridge_set_points(model, points, 0, FREERIDGE_COL_MAJOR, T, NULL, 0));
  REFUSED(INVALID_STATE, freeridge_set_lambda(model, 1));
  OK(freeridge_factorize(model));
  OK(freeridge_get_dimensions(model, &n, &d, &t));
  CHECK(n == N && d == D && t == T && calls == 2); /* once more, as n was not given */
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 0, 0, lambda, score));
  OK(freeridge_select_lambda(whole, FREERIDGE_LOO, 0, 0, expected_lambda, expected_score));
  for (i = 0; i < T; ++i) NEAR(score[i], expected_score[i]);
  OK(freeridge_set_lambdas(whole, lambda));
  OK(freeridge_loo(model, errors, N));
  OK(freeridge_loo(whole, expected, N));
  for (i = 0; i < N * T; ++i) NEAR(errors[i], expected[i]);
  REFUSED(INVALID_STATE, freeridge_get_fitted(model, errors, N));
  OK(freeridge_set_parameter(model, FREERIDGE_UNPENALISED, 1));
  REFUSED(INVALID_STATE, freeridge_get_unpenalised(model, &n, &kept, NULL, NULL, 0));
  OK(freeridge_factorize(model));
  OK(freeridge_get_unpenalised(model, &n, &kept, NULL, NULL, 0));
  CHECK(n == 1 && kept == 1);
  REFUSED(INVALID_STATE, freeridge_set_parameter(whole, FREERIDGE_UNPENALISED, 1));
  freeridge_destroy(model);
  freeridge_destroy(whole);
  freeridge_kernel_destroy(kernel);
}

int main(void) {
  read_rows();
  layouts();
  sparse();
  setters();
  missing_values();
  return report();
}
