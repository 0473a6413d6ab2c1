/*
 * The whole line from C, against a closed form.
 *
 * One feature, linear kernel, intercept, and two outputs. With means mx, my and sums Sxx, Sxy about them, ridge
 * regression is
 *     w = Sxy / (Sxx + lambda),  b = my - w mx,  h_i = 1/n + (x_i - mx)^2 / (Sxx + lambda),  r_i = y_i - b - w x_i,
 * the error left out r_i / (1 - h_i), LOO = mean of its squares, GCV = n sum r^2 / (n - sum h)^2, c_i = r_i / lambda.
 * A group left out is the closed form of the rows that remain.
 */
#include <freeridge.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 9, T = 2, M = 3, COUNT = 4 };

static const double x[N] = {0.5, -1.0, 2.0, 3.5, -2.5, 1.25, 4.0, -0.75, 0.1};
static const double y[N * T] = {1.2, -0.6, 2.9, 5.1, -2.2, 2.0, 5.2, -0.1, 0.3,  /* output 0 */
                                3.0, 4.4,  1.9, 0.2, 5.6,  2.1, 0.4, 3.7,  3.1}; /* output 1 */

static int failures = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "failed: %s\n", what);
}

static void ok(freeridge_status status, const char* what) {
  if (status == FREERIDGE_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, freeridge_status_name(status), freeridge_last_error());
  exit(1);
}
#define OK(call) ok((call), #call)

static void near(double actual, double expected, const char* what) {
  if (fabs(actual - expected) <= 1e-12 * (1.0 + fabs(expected))) return;
  ++failures;
  fprintf(stderr, "failed: %s is %.17g, expected %.17g\n", what, actual, expected);
}

/* The closed form over the rows that `group` (NULL: none) does not leave out with the label `without`. */
typedef struct {
  double n, mx, sxx, w, b;
} line;

static line fit(int output, double lambda, const int32_t* group, int32_t without) {
  const double* target = y + output * N;
  line f = {0.0, 0.0, 0.0, 0.0, 0.0};
  double my = 0.0, sxy = 0.0;
  int i;
  for (i = 0; i < N; ++i) {
    if (group && group[i] == without) continue;
    f.n += 1.0;
    f.mx += x[i];
    my += target[i];
  }
  f.mx /= f.n;
  my /= f.n;
  for (i = 0; i < N; ++i) {
    if (group && group[i] == without) continue;
    f.sxx += (x[i] - f.mx) * (x[i] - f.mx);
    sxy += (x[i] - f.mx) * (target[i] - my);
  }
  f.w = sxy / (f.sxx + lambda);
  f.b = my - f.w * f.mx;
  return f;
}

static double leverage_of(const line* f, double lambda, int i) {
  return 1.0 / N + (x[i] - f->mx) * (x[i] - f->mx) / (f->sxx + lambda);
}

static double loo_of(int output, double lambda) {
  const line f = fit(output, lambda, NULL, 0);
  double sum = 0.0;
  int i;
  for (i = 0; i < N; ++i) {
    const double e = (y[i + output * N] - f.b - f.w * x[i]) / (1.0 - leverage_of(&f, lambda, i));
    sum += e * e;
  }
  return sum / N;
}

static double gcv_of(int output, double lambda) {
  const line f = fit(output, lambda, NULL, 0);
  double sum = 0.0, freedom = N - 1.0 - f.sxx / (f.sxx + lambda);
  int i;
  for (i = 0; i < N; ++i) {
    const double r = y[i + output * N] - f.b - f.w * x[i];
    sum += r * r;
  }
  return N * sum / (freedom * freedom);
}

static double groups_of(int output, double lambda, const int32_t* group) {
  double sum = 0.0;
  int i, rows = 0;
  for (i = 0; i < N; ++i) {
    if (group[i] < 0) continue;
    {
      const line f = fit(output, lambda, group, group[i]);
      const double e = y[i + output * N] - f.b - f.w * x[i];
      sum += e * e;
      ++rows;
    }
  }
  return sum / rows;
}

static void check_answers(const freeridge_model* model, const double* lambda) {
  static const int32_t group[N] = {0, 0, 5, 5, 5, -1, 2, 2, 0};
  static const double points[M] = {-3.0, 0.0, 7.5};
  double errors[N * T], group_errors[N * T], fitted[N * T], leverage[N * T], c[N * T];
  double w[T], b[T], in_force[T], columns[M * T], rows[M * T];
  int i, j;

  OK(freeridge_loo(model, errors, N));
  OK(freeridge_group_errors(model, group, group_errors, N));
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_get_leverage(model, leverage, N));
  OK(freeridge_coefficients(model, c, N));
  OK(freeridge_get_hyperplane(model, w, 1));
  OK(freeridge_get_intercept(model, b));
  OK(freeridge_get_lambda(model, in_force));
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, M, points, M, columns, M));
  OK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, M, points, 1, rows, T));

  for (j = 0; j < T; ++j) {
    const line f = fit(j, lambda[j], NULL, 0);
    near(in_force[j], lambda[j], "lambda");
    near(w[j], f.w, "hyperplane");
    near(b[j], f.b, "intercept");
    for (i = 0; i < N; ++i) {
      const int at = i + j * N;
      const double residual = y[at] - f.b - f.w * x[i], h = leverage_of(&f, lambda[j], i);
      near(fitted[at], y[at] - residual, "fitted");
      near(leverage[at], h, "leverage");
      near(errors[at], residual / (1.0 - h), "leave-one-out error");
      near(c[at], residual / lambda[j], "coefficient");
      if (group[i] < 0) {
        check(group_errors[at] != group_errors[at], "the error of a row never left out is NaN");
      } else {
        const line rest = fit(j, lambda[j], group, group[i]);
        near(group_errors[at], y[at] - rest.b - rest.w * x[i], "group error");
      }
    }
    for (i = 0; i < M; ++i) {
      near(columns[i + j * M], f.b + f.w * points[i], "prediction, column-major");
      near(rows[i * T + j], f.b + f.w * points[i], "prediction, row-major");
    }
  }
}

/* low: where the search begins. The dual routes lose the digits of the condition number, about 42 / lambda. */
static void check_selection(freeridge_model* model, double low) {
  static const double lambdas[COUNT] = {0.01, 0.5, 3.0, 40.0};
  static const int32_t group[N] = {0, 0, 5, 5, 5, -1, 2, 2, 0};
  double loo[COUNT * T], gcv[COUNT * T], groups[COUNT * T], lambda[T], score[T], grid[COUNT];
  double *seen, *scores;
  int32_t edge[T];
  int64_t count = 0, k;
  int i, j;

  OK(freeridge_set_groups(model, 1, group));
  OK(freeridge_score(model, FREERIDGE_LOO, COUNT, lambdas, loo, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_GCV, COUNT, lambdas, gcv, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_GROUPS, COUNT, lambdas, groups, NULL, COUNT));
  for (j = 0; j < T; ++j) {
    for (i = 0; i < COUNT; ++i) {
      near(loo[i + j * COUNT], loo_of(j, lambdas[i]), "LOO");
      near(gcv[i + j * COUNT], gcv_of(j, lambdas[i]), "GCV");
      near(groups[i + j * COUNT], groups_of(j, lambdas[i], group), "GROUPS");
    }
  }

  OK(freeridge_lambda_grid(model, COUNT, grid));
  for (i = 1; i < COUNT; ++i) check(grid[i - 1] > 0.0 && grid[i - 1] < grid[i], "the grid ascends");

  OK(freeridge_select_lambda(model, FREERIDGE_LOO, low, 1e4, lambda, score));
  OK(freeridge_get_search(model, &count, NULL, NULL, 0, NULL, NULL, NULL));
  check(count >= 50, "a search looks at 50 lambdas or more");
  seen = (double*)malloc((size_t)count * sizeof *seen);
  scores = (double*)malloc((size_t)count * T * sizeof *scores);
  check(seen && scores, "memory");
  OK(freeridge_get_search(model, NULL, seen, scores, count, edge, NULL, NULL));
  for (j = 0; j < T; ++j) {
    check(lambda[j] >= low && lambda[j] <= 1e4, "the choice is in the range");
    near(score[j], loo_of(j, lambda[j]), "score of the choice");
    for (i = 0; i <= 800; ++i) {
      check(score[j] <= loo_of(j, low * pow(1e4 / low, i / 800.0)) * (1.0 + 1e-12), "no point of a grid is better");
    }
    check(edge[j] == 0 || (edge[j] == -1 && lambda[j] <= low * (1.0 + 1e-9)) ||
              (edge[j] == 1 && lambda[j] >= 1e4 * (1.0 - 1e-9)),
          "edge");
    for (k = 0; k < count; ++k) {
      const double s = scores[k + j * count];
      if (s == s) near(s, loo_of(j, seen[k]), "a score of the search");
    }
  }
  free(seen);
  free(scores);
  check_answers(model, lambda);
}

int main(void) {
  static const double lambdas[T] = {0.25, 8.0}, one[T] = {1.5, 1.5};
  static const freeridge_route routes[] = {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL,
                                           FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL};
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  int64_t n = 0, d = 0, t = 0, bytes = 0;
  freeridge_route ran = -1;
  size_t r;

  check(freeridge_last_error()[0] == '\0', "no message before the first failure");
  OK(freeridge_kernel_linear(&kernel));
  OK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel);
  for (r = 0; r < sizeof routes / sizeof *routes; ++r) {
    OK(freeridge_set_route(model, routes[r]));
    OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, 1, x, N, T, y, N));
    OK(freeridge_get_dimensions(model, &n, &d, &t));
    check(n == N && d == 1 && t == T, "dimensions");
    OK(freeridge_memory_required(model, &bytes));
    check(bytes > 0, "memory required");
    OK(freeridge_factorize(model));
    OK(freeridge_get_route(model, &ran));
    check(ran == (routes[r] == FREERIDGE_ROUTE_AUTO ? FREERIDGE_ROUTE_PRIMAL : routes[r]), "route");
    OK(freeridge_set_lambda(model, one[0]));
    check_answers(model, one);
    OK(freeridge_set_lambdas(model, lambdas));
    check_answers(model, lambdas);
    check_selection(model, ran == FREERIDGE_ROUTE_PRIMAL ? 1e-4 : 1e-2);
  }
  freeridge_destroy(model);
  if (failures) fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
