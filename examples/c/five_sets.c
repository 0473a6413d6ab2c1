/*
 * The same work as the five_sets programs in Rust, Python, R and Julia, and the same output, bit by bit: see
 * ../README.md. The argument is the folder of the data files.
 *
 *     cc five_sets.c -o five_sets -lfreeridge -lm && ./five_sets ../../tests/data
 */
#include <inttypes.h>
#include <math.h>

#include "csv.h"

enum { SETS = 5, CASES = 5, LAMBDAS = 5, CHUNK = 7 };

static const char* const set_names[SETS] = {"norris", "longley", "diabetes", "concrete", "sonar"};
static const int response_first[SETS] = {1, 1, 0, 0, 0};
static const double grid[LAMBDAS] = {1e-3, 1e-2, 1e-1, 1.0, 10.0};

/* One half of a data set. */
typedef struct {
  int64_t n, d;
  double *x, *y; /* x: column-major */
} rows;

/* The rows 0, 2, 4, ... or 1, 3, 5, ... of a file; the response is its first column or its last. */
static rows half_of(const csv_table* table, int response_is_first, int64_t first) {
  rows half = {(table->rows + 1 - first) / 2, table->columns - 1, NULL, NULL};
  half.x = allocate(half.n * half.d, sizeof(double));
  half.y = allocate(half.n, sizeof(double));
  for (int64_t i = 0; i < half.n; ++i) {
    const double* row = table->values + (2 * i + first) * table->columns;
    half.y[i] = row[response_is_first ? 0 : half.d];
    for (int64_t j = 0; j < half.d; ++j) half.x[i + j * half.n] = row[j + response_is_first];
  }
  return half;
}

/* The bits of each number. */
static void print(const char* set, const char* name, const char* what, int64_t count, const double* values) {
  printf("%s %s %s", set, name, what);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    memcpy(&bits, &values[i], sizeof bits);
    printf(" %016" PRIx64, bits);
  }
  printf("\n");
}

/* A kernel of x / scale, a route, and everything that is asked of a model. `kernel` is freed. */
static void one_case(const char* set, const char* name, freeridge_kernel* kernel, freeridge_route route,
                     const double* scale, const rows* train, const rows* test) {
  const int64_t n = train->n, d = train->d, m = test->n;
  freeridge_kernel* scaled = NULL;
  freeridge_model* model = NULL;
  double scores[LAMBDAS], choice[2], b = 0.0;
  double* values = allocate(n + d + m, sizeof(double));

  CHECK(freeridge_kernel_scaled(kernel, d, scale, &scaled));
  CHECK(freeridge_create(scaled, &model));
  freeridge_kernel_destroy(scaled);
  freeridge_kernel_destroy(kernel);
  const freeridge_points points = {.size = sizeof points, .n = n, .d = d, .layout = FREERIDGE_COL_MAJOR, .x = train->x};
  CHECK(freeridge_set_points(model, &points, 1, FREERIDGE_COL_MAJOR, 1, train->y, n)); /* 1: borrowed */
  CHECK(freeridge_set_parameter(model, FREERIDGE_ROUTE, route));
  if (route == FREERIDGE_ROUTE_LANDMARK) CHECK(freeridge_set_landmarks(model, (n + 3) / 4, NULL));
  CHECK(freeridge_factorize(model));

  CHECK(freeridge_score(model, FREERIDGE_LOO, LAMBDAS, grid, scores, NULL, LAMBDAS));
  print(set, name, "scores", LAMBDAS, scores);
  CHECK(freeridge_select_lambda(model, FREERIDGE_LOO, 1e-4, 100.0, &choice[0], &choice[1]));
  print(set, name, "choice", 2, choice);
  CHECK(freeridge_loo(model, values, n));
  print(set, name, "loo", n, values);
  if (route == FREERIDGE_ROUTE_PRIMAL) {
    CHECK(freeridge_hyperplane(model, 0, NULL, values, d, NULL));
    print(set, name, "coefficients", d, values);
  } else {
    CHECK(freeridge_coefficients(model, 0, NULL, values, n, NULL));
    print(set, name, "coefficients", n, values);
  }
  CHECK(freeridge_coefficients(model, 0, NULL, NULL, 0, &b));
  print(set, name, "intercept", 1, &b);
  CHECK(freeridge_predict(model, FREERIDGE_COL_MAJOR, m, test->x, m, values, m));
  print(set, name, "predictions", m, values);

  free(values);
  freeridge_destroy(model);
}

/* Ridge regression on rows that come in chunks. */
static void chunks(const char* set, const rows* train) {
  const int64_t d = train->d;
  freeridge_accumulator* sums = NULL;
  double scores[LAMBDAS], b = 0.0;
  double* w = allocate(d, sizeof(double));
  CHECK(freeridge_accumulator_create(d, 1, 1, &sums));
  for (int64_t i = 0; i < train->n; i += CHUNK) {
    const int64_t n = train->n - i < CHUNK ? train->n - i : CHUNK;
    const freeridge_points points = {
        .size = sizeof points, .n = n, .d = d, .layout = FREERIDGE_COL_MAJOR, .x = train->x + i, .ldx = train->n};
    CHECK(freeridge_accumulator_add(sums, &points, FREERIDGE_COL_MAJOR, train->y + i, n, NULL));
  }
  CHECK(freeridge_accumulator_score(sums, FREERIDGE_GCV, LAMBDAS, grid, scores, LAMBDAS));
  print(set, "accumulator", "scores", LAMBDAS, scores);
  CHECK(freeridge_accumulator_solve(sums, 1, &grid[2], w, d, &b));
  print(set, "accumulator", "coefficients", d, w);
  print(set, "accumulator", "intercept", 1, &b);
  free(w);
  freeridge_accumulator_destroy(sums);
}

static void one_set(const char* folder, int which) {
  const char* set = set_names[which];
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s.csv", folder, set) >= (int)sizeof path) stop("too long", folder);
  csv_table table = csv_read(path);
  rows train = half_of(&table, response_first[which], 0), test = half_of(&table, response_first[which], 1);
  double* scale = allocate(train.d, sizeof(double));
  for (int64_t i = 0; i < train.n * train.d; ++i) {
    scale[i / train.n] = fmax(scale[i / train.n], fabs(train.x[i]));
  }

  freeridge_kernel *kernel = NULL, *terms[2] = {NULL, NULL};
  const double weights[2] = {0.5, 1.0};
  CHECK(freeridge_kernel_linear(&kernel));
  one_case(set, "linear", kernel, FREERIDGE_ROUTE_PRIMAL, scale, &train, &test);
  CHECK(freeridge_kernel_gaussian(1.0, &kernel));
  one_case(set, "gaussian", kernel, FREERIDGE_ROUTE_SPECTRAL, scale, &train, &test);
  CHECK(freeridge_kernel_linear(&terms[0]));
  CHECK(freeridge_kernel_matern(1.5, 1.0, &terms[1]));
  CHECK(freeridge_kernel_sum((const freeridge_kernel* const*)terms, weights, 2, &kernel));
  freeridge_kernel_destroy(terms[0]);
  freeridge_kernel_destroy(terms[1]);
  one_case(set, "sum", kernel, FREERIDGE_ROUTE_CHOLESKY, scale, &train, &test);
  CHECK(freeridge_kernel_laplacian(1.0, &kernel));
  one_case(set, "laplacian", kernel, FREERIDGE_ROUTE_BAND, scale, &train, &test);
  CHECK(freeridge_kernel_polynomial(2, 1.0, 1.0, &kernel));
  one_case(set, "polynomial", kernel, FREERIDGE_ROUTE_LANDMARK, scale, &train, &test);
  chunks(set, &train);

  free(scale);
  free(train.x);
  free(train.y);
  free(test.x);
  free(test.y);
  free(table.values);
}

int main(int count, char** arguments) {
  if (count != 2) stop("the argument is the folder of the data files", arguments[0]);
  CHECK(freeridge_set_threads(1)); /* with one thread equal calls give equal bits */
  for (int which = 0; which < SETS; ++which) one_set(arguments[1], which);
  return EXIT_SUCCESS;
}
