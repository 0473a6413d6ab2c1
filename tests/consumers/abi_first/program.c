/*
 * Built with the first freeridge.h, run with today's library: every call of that header, against refits.
 *
 * The oracle solves  (K + lambda W^-1) c + b 1 = y,  1'c = 0  (without intercept b = 0) by Gaussian elimination on the
 * rows that are not left out; f(x) = sum_i c_i k(x_i, x) + b.
 */
#include <freeridge.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 7, D = 2, T = 2, M = 3, GRID = 5, BUDGET = 6 };

static const double x[N * D] = {0.3, -1.2, 2.1, 0.9,  -0.4, 1.7, -2.0,  /* column 0 */
                                1.1, 0.2,  0.5, -1.3, 2.2,  0.0, -0.7}; /* column 1 */
static const double y[N * T] = {1.0, -0.5, 2.2, 0.1, 3.0,  1.4, -2.1,   /* output 0 */
                                0.2, 1.9,  0.4, 2.5, -1.0, 0.6, 3.3};   /* output 1 */
static const double at[M * D] = {0.0, 1.0, -1.5, /**/ 0.5, -0.5, 2.0};
static const double weights[N] = {1.0, 2.0, 0.5, 1.5, 1.0, 3.0, 0.8};
static const int32_t groups[N] = {0, 1, 0, 2, 1, -1, 2};
static const double lengths[D] = {2.0, 0.5};

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s\n", line, what);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

static void check_status(freeridge_status status, freeridge_status expected, const char* what, int line) {
  if (status == expected) return;
  ++failures;
  fprintf(stderr, "line %d: %s is %s (%s)\n", line, what, freeridge_status_name(status), freeridge_last_error());
}
#define OK(call) check_status((call), FREERIDGE_OK, #call, __LINE__)
#define REFUSED(call, status) check_status((call), (status), #call, __LINE__)

static void check_near(double actual, double expected, const char* what, int line) {
  if (fabs(actual - expected) <= 1e-10 * (1.0 + fabs(expected))) return;
  ++failures;
  fprintf(stderr, "line %d: %s is %.17g, expected %.17g\n", line, what, actual, expected);
}
#define NEAR(actual, expected) check_near((actual), (expected), #actual, __LINE__)

/* --------------------------------------------------------- the oracle */

typedef enum { linear, polynomial, gaussian, scaled } shape; /* (0.5 x'z + 1)^2; scaled is Gaussian by `lengths` */
typedef struct {
  shape kernel;
  double sigma, lambda;
  int intercept, weighted;
} problem;
typedef struct {
  double c[N], b;
} fit;

static double kernel_value(const problem* p, const double* a, int lda, const double* b, int ldb) {
  double dot = 0.0, distance = 0.0;
  int j;
  for (j = 0; j < D; ++j) {
    const double length = p->kernel == scaled ? lengths[j] : 1.0, difference = (a[j * lda] - b[j * ldb]) / length;
    dot += a[j * lda] * b[j * ldb];
    distance += difference * difference;
  }
  if (p->kernel == linear) return dot;
  if (p->kernel == polynomial) return (0.5 * dot + 1.0) * (0.5 * dot + 1.0);
  return exp(-distance / (p->sigma * p->sigma));
}

/* a (size x size, row-major) and right: destroyed; right becomes the solution. Returns log |det a|. */
static double eliminate(double* a, double* right, int size) {
  double log_determinant = 0.0;
  int i, j, k;
  for (k = 0; k < size; ++k) {
    int pivot = k;
    for (i = k + 1; i < size; ++i) {
      if (fabs(a[i * size + k]) > fabs(a[pivot * size + k])) pivot = i;
    }
    for (j = 0; j < size; ++j) {
      const double swap = a[k * size + j];
      a[k * size + j] = a[pivot * size + j], a[pivot * size + j] = swap;
    }
    {
      const double swap = right[k];
      right[k] = right[pivot], right[pivot] = swap;
    }
    log_determinant += log(fabs(a[k * size + k]));
    for (i = k + 1; i < size; ++i) {
      const double factor = a[i * size + k] / a[k * size + k];
      for (j = k; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
      right[i] -= factor * right[k];
    }
  }
  for (k = size - 1; k >= 0; --k) {
    for (j = k + 1; j < size; ++j) right[k] -= a[k * size + j] * right[j];
    right[k] /= a[k * size + k];
  }
  return log_determinant;
}

/* out[i] != 0: row i is left out. log_determinant: of the bordered matrix, or NULL. */
static fit solve(const problem* p, const double* target, const int* out, double* log_determinant) {
  double a[(N + 1) * (N + 1)], right[N + 1], logarithm;
  int row[N], kept = 0, size, i, j;
  fit f;
  for (i = 0; i < N; ++i) {
    f.c[i] = 0.0;
    if (!out || !out[i]) row[kept++] = i;
  }
  size = kept + (p->intercept ? 1 : 0);
  for (i = 0; i < kept; ++i) {
    for (j = 0; j < kept; ++j) a[i * size + j] = kernel_value(p, x + row[i], N, x + row[j], N);
    a[i * size + i] += p->lambda / (p->weighted ? weights[row[i]] : 1.0);
    right[i] = target[row[i]];
  }
  if (p->intercept) {
    for (i = 0; i < kept; ++i) a[i * size + kept] = a[kept * size + i] = 1.0;
    a[kept * size + kept] = right[kept] = 0.0;
  }
  logarithm = eliminate(a, right, size);
  if (log_determinant) *log_determinant = logarithm;
  for (i = 0; i < kept; ++i) f.c[row[i]] = right[i];
  f.b = p->intercept ? right[kept] : 0.0;
  return f;
}

static double value(const problem* p, const fit* f, const double* point, int ld) {
  double sum = f->b;
  int i;
  for (i = 0; i < N; ++i) sum += f->c[i] * kernel_value(p, x + i, N, point, ld);
  return sum;
}

static double left_out_error(const problem* p, const double* target, int i, const int32_t* group) {
  int out[N], k;
  fit f;
  for (k = 0; k < N; ++k) out[k] = group ? group[k] == group[i] : k == i;
  f = solve(p, target, out, NULL);
  return target[i] - value(p, &f, x + i, N);
}

static double leverage_of(const problem* p, int i) {
  double unit[N] = {0.0};
  fit f;
  unit[i] = 1.0;
  f = solve(p, unit, NULL, NULL);
  return value(p, &f, x + i, N);
}

static double weight_of(const problem* p, int i) {
  return p->weighted ? weights[i] : 1.0;
}

static double criterion_of(const problem* p, freeridge_criterion criterion, const double* target) {
  double sum = 0.0, total = 0.0, trace = 0.0, log_determinant;
  const fit f = solve(p, target, NULL, &log_determinant);
  int i;
  if (criterion == FREERIDGE_REML) { /* the bordered determinant is |M| 1'M^-1 1, and the solution's c is P y */
    const int m = N - p->intercept;
    double s2 = 0.0;
    for (i = 0; i < N; ++i) s2 += target[i] * f.c[i] / m;
    return 0.5 * (m * log(2.0 * 3.14159265358979323846 * s2) + m + log_determinant);
  }
  for (i = 0; i < N; ++i) {
    double e;
    if (criterion == FREERIDGE_GROUPS && groups[i] < 0) continue;
    e = criterion == FREERIDGE_GCV ? target[i] - value(p, &f, x + i, N)
                                   : left_out_error(p, target, i, criterion == FREERIDGE_GROUPS ? groups : NULL);
    sum += weight_of(p, i) * e * e;
    total += weight_of(p, i);
    trace += criterion == FREERIDGE_GCV ? 1.0 - leverage_of(p, i) : 0.0;
  }
  return criterion == FREERIDGE_GCV ? N * sum / (trace * trace) : sum / total;
}

/* --------------------------------------------------------- the calls */

static freeridge_kernel* make_kernel(const problem* p) {
  freeridge_kernel *kernel = NULL, *inner = NULL;
  if (p->kernel == linear) OK(freeridge_kernel_linear(&kernel));
  if (p->kernel == polynomial) OK(freeridge_kernel_polynomial(2, 0.5, 1.0, &kernel));
  if (p->kernel == gaussian) OK(freeridge_kernel_gaussian(p->sigma, &kernel));
  if (p->kernel == scaled) {
    OK(freeridge_kernel_gaussian(p->sigma, &inner));
    OK(freeridge_kernel_scaled(inner, D, lengths, &kernel));
    freeridge_kernel_destroy(inner);
  }
  return kernel;
}

/* All answers of a fitted model, both outputs at lambda[0] and lambda[1]. */
static void answers_agree(const freeridge_model* model, problem p, const double* lambda) {
  double loo[N * T], group_errors[N * T], c[N * T], b[T], fitted[N * T], leverage[N * T], in_force[T], w[D * T];
  double predicted[M * T], by_row[M * D], predicted_by_row[M * T];
  int64_t n = 0, d = 0, t = 0;
  int i, j;
  OK(freeridge_loo(model, loo, N));
  OK(freeridge_group_errors(model, groups, group_errors, N));
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, M, at, M, predicted, M));
  for (i = 0; i < M * D; ++i) by_row[i] = at[i / D + i % D * M];
  OK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, M, by_row, D, predicted_by_row, T));
  OK(freeridge_get_coefficients(model, c, N));
  OK(freeridge_get_intercept(model, b));
  OK(freeridge_get_fitted(model, fitted, N));
  OK(freeridge_get_leverage(model, leverage, N));
  OK(freeridge_get_lambda(model, in_force));
  OK(freeridge_get_dimensions(model, &n, &d, &t));
  CHECK(n == N && d == D && t == T);
  if (p.kernel == linear) {
    OK(freeridge_get_hyperplane(model, w, D));
  } else {
    REFUSED(freeridge_get_hyperplane(model, w, D), FREERIDGE_INVALID_STATE);
  }
  for (j = 0; j < T; ++j) {
    const double* target = y + j * N;
    fit f;
    p.lambda = lambda[j];
    f = solve(&p, target, NULL, NULL);
    NEAR(in_force[j], lambda[j]);
    NEAR(b[j], f.b);
    for (i = 0; i < N; ++i) {
      NEAR(c[i + j * N], f.c[i]);
      NEAR(fitted[i + j * N], value(&p, &f, x + i, N));
      NEAR(leverage[i + j * N], leverage_of(&p, i));
      NEAR(loo[i + j * N], left_out_error(&p, target, i, NULL));
      if (groups[i] < 0) CHECK(group_errors[i + j * N] != group_errors[i + j * N]);
      if (groups[i] >= 0) NEAR(group_errors[i + j * N], left_out_error(&p, target, i, groups));
    }
    for (i = 0; i < M; ++i) {
      NEAR(predicted[i + j * M], value(&p, &f, at + i, M));
      NEAR(predicted_by_row[i * T + j], predicted[i + j * M]);
    }
    for (i = 0; p.kernel == linear && i < D; ++i) {
      double sum = 0.0;
      int k;
      for (k = 0; k < N; ++k) sum += f.c[k] * x[k + i * N];
      NEAR(w[i + j * D], sum);
    }
  }
}

static void scores_agree(const freeridge_model* model, problem p) {
  const freeridge_criterion criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};
  const double lambdas[GRID] = {0.01, 0.1, 1.0, 10.0, 100.0};
  double scores[GRID * T];
  int k, i, j;
  for (k = 0; k < 4; ++k) {
    OK(freeridge_score(model, criteria[k], GRID, lambdas, scores, GRID));
    for (j = 0; j < T; ++j) {
      for (i = 0; i < GRID; ++i) {
        p.lambda = lambdas[i];
        NEAR(scores[i + j * GRID], criterion_of(&p, criteria[k], y + j * N));
      }
    }
  }
}

/* The choice of lambda is a minimum over all that the search has seen, and what it has seen is right. */
static void search_agrees(freeridge_model* model, problem p) {
  double chosen[T], score[T], grid[GRID], *lambdas, *scores;
  int64_t count = 0;
  int32_t edge[T];
  int i, j;
  OK(freeridge_lambda_grid(model, GRID, grid));
  for (i = 2; i < GRID; ++i) NEAR(log(grid[i] / grid[i - 1]), log(grid[1] / grid[0]));
  CHECK(grid[0] > 0.0 && grid[1] > grid[0]);
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 0.01, 100.0, chosen, score));
  OK(freeridge_get_search_count(model, &count));
  CHECK(count >= 3 && count < 100000);
  lambdas = malloc((size_t)count * sizeof *lambdas);
  scores = malloc((size_t)count * T * sizeof *scores);
  OK(freeridge_get_search(model, lambdas, scores, count, edge));
  for (j = 0; j < T; ++j) {
    p.lambda = chosen[j];
    NEAR(score[j], criterion_of(&p, FREERIDGE_LOO, y + j * N));
    for (i = 0; i < count; ++i) {
      CHECK(lambdas[i] >= 0.01 * (1 - 1e-12) && lambdas[i] <= 100.0 * (1 + 1e-12));
      CHECK(i == 0 || lambdas[i] > lambdas[i - 1]);
      if (scores[i + j * count] != scores[i + j * count]) continue;
      CHECK(scores[i + j * count] >= score[j]);
      p.lambda = lambdas[i];
      NEAR(scores[i + j * count], criterion_of(&p, FREERIDGE_LOO, y + j * N));
    }
    CHECK(edge[j] >= -1 && edge[j] <= 1);
  }
  answers_agree(model, p, chosen);
  free(lambdas);
  free(scores);
}

static void fit_agrees(shape kernel_shape, freeridge_route route, int intercept, int weighted) {
  const double one[T] = {0.7, 0.7}, two[T] = {0.05, 3.0};
  problem p = {linear, 1.3, 0.7, 0, 0};
  freeridge_kernel* kernel;
  freeridge_model* model = NULL;
  freeridge_route ran = -1;
  int64_t bytes = 0;
  p.kernel = kernel_shape;
  p.intercept = intercept;
  p.weighted = weighted;
  kernel = make_kernel(&p);
  OK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel);
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, x, N, T, y, N));
  OK(freeridge_set_weights(model, weighted ? weights : NULL));
  OK(freeridge_set_intercept(model, intercept));
  OK(freeridge_set_groups(model, groups));
  OK(freeridge_set_route(model, route));
  OK(freeridge_set_expected_lambdas(model, 50));
  OK(freeridge_memory_required(model, &bytes));
  CHECK(bytes > 0 && bytes < 1 << 28);
  OK(freeridge_factorize(model));
  OK(freeridge_get_route(model, &ran));
  CHECK(route == FREERIDGE_AUTO ? ran != FREERIDGE_AUTO : ran == route);
  OK(freeridge_set_lambda(model, one[0]));
  answers_agree(model, p, one);
  OK(freeridge_set_lambdas(model, two));
  answers_agree(model, p, two);
  scores_agree(model, p);
  search_agrees(model, p);
  freeridge_destroy(model);
}

/* Rows of data that are only looked at, another kernel on the same data, and the bandwidth. */
static void bandwidth_agrees(void) {
  double by_row_x[N * D], by_row_y[N], tried[BUDGET * 2], sigma = 0.0, in_force = 0.0, lambda = 0.0, loo = 0.0;
  problem p = {gaussian, 0.0, 0.0, 1, 0};
  freeridge_kernel *first = NULL, *second = NULL;
  freeridge_model* model = NULL;
  int64_t used = 0;
  int i, found = 0;
  for (i = 0; i < N * D; ++i) by_row_x[i] = x[i / D + i % D * N];
  for (i = 0; i < N; ++i) by_row_y[i] = y[i];
  OK(freeridge_kernel_linear(&first));
  OK(freeridge_kernel_gaussian(1.0, &second));
  OK(freeridge_create(first, &model));
  OK(freeridge_set_data_view(model, FREERIDGE_ROW_MAJOR, N, D, by_row_x, D, 1, by_row_y, 1));
  REFUSED(freeridge_get_bandwidth(model, &sigma), FREERIDGE_INVALID_STATE);
  OK(freeridge_set_kernel(model, second));
  OK(freeridge_select_bandwidth(model, FREERIDGE_LOO, 0.5, 5.0, BUDGET, &sigma, tried, &used));
  OK(freeridge_get_bandwidth(model, &in_force));
  NEAR(in_force, sigma);
  CHECK(used >= 3 && used <= BUDGET);
  for (i = 0; i < used; ++i) found |= fabs(tried[i] - sigma) <= 1e-12 * sigma;
  CHECK(found);
  OK(freeridge_get_lambda(model, &lambda));
  OK(freeridge_score(model, FREERIDGE_LOO, 1, &lambda, &loo, 1));
  p.sigma = sigma;
  p.lambda = lambda;
  NEAR(loo, criterion_of(&p, FREERIDGE_LOO, y));
  freeridge_destroy(model);
  freeridge_kernel_destroy(first);
  freeridge_kernel_destroy(second);
}

static int32_t cancel(double fraction, void* user) {
  ++*(int*)user;
  return fraction >= 0.0;
}

/* The numbers of the statuses, and what has no answer. */
static void refusals_agree(void) {
  const double not_finite[N] = {0.0, 1.0, NAN}, three[3] = {1.0, 2.0, 3.0};
  const double one_point[1] = {1.0};
  double error = 0.0, lambda = 0.0;
  freeridge_kernel *kernel = NULL, *wide = NULL;
  freeridge_model* model = NULL;
  int calls = 0;
  OK(freeridge_kernel_gaussian(1.0, &kernel));
  REFUSED(freeridge_kernel_gaussian(-1.0, &wide), FREERIDGE_INVALID_ARGUMENT);
  CHECK(strstr(freeridge_last_error(), "sigma") != NULL);
  OK(freeridge_kernel_scaled(kernel, 3, three, &wide));
  OK(freeridge_create(kernel, &model));
  REFUSED(freeridge_factorize(model), FREERIDGE_INVALID_STATE);
  REFUSED(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, 1, not_finite, N, 1, y, N), FREERIDGE_NOT_FINITE);
  REFUSED(freeridge_set_data(model, 0, N, D, x, N, T, y, N), FREERIDGE_INVALID_ARGUMENT);
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, x, N, T, y, N));
  REFUSED(freeridge_set_kernel(model, wide), FREERIDGE_DIMENSION_MISMATCH);
  OK(freeridge_set_progress(model, cancel, &calls));
  REFUSED(freeridge_factorize(model), FREERIDGE_CANCELLED);
  CHECK(calls > 0);
  OK(freeridge_set_progress(model, NULL, NULL));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, 1, 1, one_point, 1, 1, y, 1)); /* with an intercept: leverage one */
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, 1.0));
  REFUSED(freeridge_loo(model, &error, 1), FREERIDGE_UNDEFINED);
  CHECK(error != error);
  REFUSED(freeridge_get_lambda(NULL, &lambda), FREERIDGE_INVALID_ARGUMENT);
  freeridge_destroy(model);
  freeridge_destroy(NULL);
  freeridge_kernel_destroy(kernel);
  freeridge_kernel_destroy(wide);
  CHECK(strcmp(freeridge_status_name(FREERIDGE_NOT_POSITIVE_DEFINITE), "NOT_POSITIVE_DEFINITE") == 0);
  CHECK(strcmp(freeridge_status_name(FREERIDGE_NEWER_FORMAT), "NEWER_FORMAT") == 0);
  CHECK(strcmp(freeridge_status_name(12345), "UNKNOWN") == 0);
}

int main(void) {
  const shape shapes[] = {linear, polynomial, gaussian, scaled};
  const freeridge_route routes[] = {FREERIDGE_AUTO, FREERIDGE_CHOLESKY, FREERIDGE_SPECTRAL, FREERIDGE_PRIMAL};
  int32_t major = -1, minor = -1, patch = -1;
  int k, r, with;
  OK(freeridge_version(&major, &minor, &patch));
  CHECK(major == FREERIDGE_VERSION_MAJOR && minor >= FREERIDGE_VERSION_MINOR && patch >= 0);
  CHECK(strncmp(freeridge_build_info(), "freeridge ", 10) == 0);
  for (k = 0; k < 4; ++k) {
    for (r = 0; r < 4; ++r) {
      if (routes[r] == FREERIDGE_PRIMAL && shapes[k] != linear) continue;
      for (with = 0; with < 4; ++with) fit_agrees(shapes[k], routes[r], with & 1, with >> 1);
    }
  }
  bandwidth_agrees();
  refusals_agree();
  if (failures == 0) printf("the first header: every call answers as it should\n");
  return failures != 0;
}
