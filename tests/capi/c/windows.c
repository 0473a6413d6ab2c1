/* Rows that come and go: what is left has the answers of a model of the rows that are there. */
#include "checks.h"

#define ROW(I) POINTS(.n = 1, .d = D, .layout = FREERIDGE_COL_MAJOR, .x = sample_x() + (I), .ldx = N)
#define ROWS(FIRST, MANY) POINTS(.n = MANY, .d = D, .layout = FREERIDGE_COL_MAJOR, .x = sample_x() + (FIRST), .ldx = N)

enum { STAY = N - 2 };
static int reports = 0;

static int32_t hear(double fraction, void* user) {
  (void)user;
  reports += fraction >= 0 && fraction <= 1;
  return 0;
}

/* The window has the rows first, first + 1, ... of the sample. */
static void as_a_model(freeridge_window* window, const freeridge_kernel* kernel, int first, double lambda) {
  double errors[STAY * T], expected[STAY * T], f[N * T], expected_f[N * T], c[STAY * T], b[T], at = -1, lost = -1;
  double x[STAY * D], y[STAY * T], weights[STAY], expected_b[T];
  int64_t n = -1, d = -1, t = -1, rows = -1, factorizations = -1;
  freeridge_model* model = NULL;
  int i;
  OK(freeridge_window_get_state(window, &n, &d, &t, &rows, &at, &lost, &factorizations));
  CHECK(n == STAY && d == D && t == T && (rows == D || rows == STAY) && at == lambda && lost >= 0 && lost < 1e-9);
  CHECK(factorizations >= 0);
  OK(freeridge_window_get_state(window, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  OK(freeridge_window_get_rows(window, FREERIDGE_COL_MAJOR, x, STAY, y, STAY, weights));
  OK(freeridge_window_get_rows(window, FREERIDGE_ROW_MAJOR, NULL, 0, NULL, 0, NULL));
  for (i = 0; i < STAY; ++i) CHECK(x[i] == sample_x()[first + i] && y[i] == sample_y()[first + i] && weights[i] == 1);
  OK(freeridge_create(kernel, &model));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, STAY, D, x, STAY, T, y, STAY));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, lambda));
  OK(freeridge_loo(model, expected, STAY));
  OK(freeridge_window_loo(window, errors, STAY));
  for (i = 0; i < STAY * T; ++i) NEAR(errors[i], expected[i]);
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, N, sample_x(), N, expected_f, N));
  OK(freeridge_window_predict(window, ROWS(0, N), FREERIDGE_COL_MAJOR, f, N));
  for (i = 0; i < N * T; ++i) NEAR(f[i], expected_f[i]);
  OK(freeridge_window_coefficients(window, c, rows, b));
  OK(freeridge_coefficients(model, 0, NULL, NULL, 0, expected_b));
  for (i = 0; i < T; ++i) NEAR(b[i], expected_b[i]);
  freeridge_destroy(model);
}

static void slides(freeridge_kernel* kernel) {
  freeridge_window* window = NULL;
  const int64_t first[1] = {0};
  double errors[STAY * T], before[T], f[T], lambda = -1, score = -1;
  int i, j;
  OK(freeridge_window_create(kernel, NULL, D, T, 1, 0.5, STAY, 1, &window));
  OK(freeridge_window_set_progress(window, hear, NULL));
  REFUSED(INVALID_STATE, freeridge_window_loo(window, errors, STAY));
  OK(freeridge_window_add(window, ROWS(0, STAY), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, 0));
  as_a_model(window, kernel, 0, 0.5);
  for (i = STAY; i < N; ++i) { /* the oldest row goes */
    OK(freeridge_window_predict(window, ROW(i), FREERIDGE_COL_MAJOR, f, 1));
    OK(freeridge_window_add(window, ROW(i), FREERIDGE_COL_MAJOR, sample_y() + i, N, NULL, before, 1));
    for (j = 0; j < T; ++j) NEAR(before[j], sample_y()[i + j * N] - f[j]);
    as_a_model(window, kernel, i + 1 - STAY, 0.5);
  }
  OK(freeridge_window_remove(window, 1, first));
  OK(freeridge_window_remove(window, STAY - 1, NULL));
  REFUSED(INVALID_STATE, freeridge_window_predict(window, ROW(0), FREERIDGE_COL_MAJOR, f, 1));
  OK(freeridge_window_add(window, ROWS(1, STAY), FREERIDGE_COL_MAJOR, sample_y() + 1, N, NULL, errors, STAY));
  CHECK(isnan(errors[0]) && isfinite(errors[1]));
  OK(freeridge_window_set_lambda(window, 2));
  as_a_model(window, kernel, 1, 2);
  OK(freeridge_window_select_lambda(window, FREERIDGE_LOO, 1e-2, 1e2, &lambda, &score));
  CHECK(lambda >= 1e-2 && lambda <= 1e2 && score > 0);
  as_a_model(window, kernel, 1, lambda);
  CHECK(reports > 10);
  freeridge_window_destroy(window);
  freeridge_window_destroy(NULL);
  freeridge_kernel_destroy(kernel);
}

int main(void) {
  freeridge_kernel *linear = NULL, *gaussian = NULL;
  OK(freeridge_kernel_linear(&linear));
  OK(freeridge_kernel_gaussian(1.5, &gaussian));
  slides(linear);
  slides(gaussian);
  return report();
}
