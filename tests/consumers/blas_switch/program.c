/*
 * The same libfreeridge.so with another BLAS and LAPACK under it.
 *     program write FILE    works, and writes its answers to FILE
 *     program compare FILE  works, and compares its answers with those of FILE
 * A third argument is a word that freeridge_build_info() must have, and a fourth one that it must not have: which BLAS
 * this is. 40 points and 3 features, every route, a search of lambda, a bandwidth, landmarks, singular values, an
 * accumulator: all that calls BLAS or LAPACK. Answers agree to 1e-12 of the largest of their kind.
 */
#include <freeridge_classical.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, D = 3, GRID = 4, MOST = 4000 };

static double answers[MOST];
static int group_end[100], groups = 0, count = 0;

static void ok(freeridge_status status, const char* call) {
  if (status == FREERIDGE_OK) return;
  fprintf(stderr, "%s: %s: %s\n", call, freeridge_status_name(status), freeridge_last_error());
  exit(1);
}
#define OK(call) ok((call), #call)

static void keep(const double* values, int size) {
  memcpy(answers + count, values, (size_t)size * sizeof *values);
  count += size;
  group_end[groups++] = count;
}

static double x[N * D], y[N];

static void make_data(void) {
  uint32_t state = 7;
  int i, j;
  for (j = 0; j < D; ++j) {
    for (i = 0; i < N; ++i) {
      state = state * 1664525u + 1013904223u;
      x[i + j * N] = (double)(state >> 8) / (1 << 23) - 1.0;
    }
  }
  for (i = 0; i < N; ++i) {
    state = state * 1664525u + 1013904223u;
    y[i] = sin(3.0 * x[i]) + x[i + N] * x[i + 2 * N] + 0.3 * ((double)(state >> 8) / (1 << 23) - 1.0);
  }
}

static void work_on(const freeridge_kernel* kernel, freeridge_route route, int landmarks) {
  static const double lambdas[GRID] = {0.01, 0.1, 1.0, 10.0};
  double values[N], scores[GRID], lambda, score;
  int32_t group[N];
  int64_t index[N];
  freeridge_model* model = NULL;
  int i;
  for (i = 0; i < N; ++i) group[i] = i % 5;
  for (i = 0; i < N; ++i) index[i] = i;
  OK(freeridge_create(kernel, &model));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, x, N, 1, y, N));
  if (landmarks) OK(freeridge_set_landmarks(model, landmarks, index));
  if (!landmarks) OK(freeridge_set_parameter(model, FREERIDGE_ROUTE, route));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, 0.1));
  OK(freeridge_get_fitted(model, values, N));
  keep(values, N);
  OK(freeridge_loo(model, values, N));
  keep(values, N);
  OK(freeridge_get_leverage(model, values, N));
  keep(values, N);
  OK(freeridge_group_errors(model, group, 0, NULL, values, N));
  keep(values, N);
  OK(freeridge_score(model, FREERIDGE_LOO, GRID, lambdas, scores, NULL, GRID));
  keep(scores, GRID);
  OK(freeridge_score(model, FREERIDGE_REML, GRID, lambdas, scores, NULL, GRID));
  keep(scores, GRID);
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 1e-3, 1e2, &lambda, &score));
  keep(&score, 1); /* the minimum is flat: its place has half of the digits */
  freeridge_destroy(model);
}

static void work(void) {
  freeridge_kernel *linear = NULL, *gaussian = NULL;
  const freeridge_points rows = {.size = sizeof rows, .n = N, .d = D, .layout = FREERIDGE_COL_MAJOR, .x = x};
  freeridge_accumulator* sums = NULL;
  double pinv[D * N], w[D], b, lambda = 0.5;
  OK(freeridge_kernel_linear(&linear));
  OK(freeridge_kernel_gaussian(1.0, &gaussian));
  work_on(gaussian, FREERIDGE_ROUTE_CHOLESKY, 0);
  work_on(gaussian, FREERIDGE_ROUTE_SPECTRAL, 0);
  work_on(gaussian, FREERIDGE_ROUTE_BAND, 0);
  work_on(linear, FREERIDGE_ROUTE_PRIMAL, 0);
  work_on(gaussian, FREERIDGE_ROUTE_AUTO, 10);
  OK(freeridge_pinv(FREERIDGE_COL_MAJOR, N, D, x, N, -1.0, pinv, D, NULL));
  keep(pinv, D * N);
  OK(freeridge_accumulator_create(D, 1, 1, &sums));
  OK(freeridge_accumulator_add(sums, &rows, FREERIDGE_COL_MAJOR, y, N, NULL));
  OK(freeridge_accumulator_solve(sums, 1, &lambda, w, D, &b));
  keep(w, D);
  freeridge_accumulator_destroy(sums);
  freeridge_kernel_destroy(linear);
  freeridge_kernel_destroy(gaussian);
}

static int compare(FILE* file) {
  static double other[MOST];
  int kind, i, wrong = 0;
  double worst = 0.0;
  if (fread(other, sizeof *other, MOST, file) != (size_t)count) {
    fprintf(stderr, "not %d answers\n", count);
    return 0;
  }
  for (kind = 0, i = 0; kind < groups; ++kind) {
    double largest = 0.0, difference = 0.0;
    for (; i < group_end[kind]; ++i) {
      largest = fmax(largest, fabs(other[i]));
      difference = fmax(difference, fabs(answers[i] - other[i]));
      if (!(fabs(answers[i] - other[i]) < HUGE_VAL)) difference = HUGE_VAL;
    }
    worst = fmax(worst, difference / largest);
    if (difference <= 1e-12 * largest) continue;
    fprintf(stderr, "answers of kind %d differ by %.3g of %.3g\n", kind, difference, largest);
    wrong = 1;
  }
  printf("%d answers, the largest difference is %.2g\n", count, worst);
  return !wrong;
}

int main(int argc, char** argv) {
  const char* info = freeridge_build_info();
  FILE* file;
  int done;
  if (argc < 3) {
    fprintf(stderr, "usage: %s write|compare FILE [WORD [NOT]]\n", argv[0]);
    return 2;
  }
  printf("%s\n", info);
  if ((argc > 3 && !strstr(info, argv[3])) || (argc > 4 && strstr(info, argv[4]))) {
    fprintf(stderr, "this is not the BLAS that was asked for\n");
    return 1;
  }
  make_data();
  work();
  file = fopen(argv[2], strcmp(argv[1], "write") == 0 ? "wb" : "rb");
  if (!file) {
    perror(argv[2]);
    return 2;
  }
  done = strcmp(argv[1], "write") == 0 ? fwrite(answers, sizeof *answers, (size_t)count, file) == (size_t)count
                                       : compare(file);
  return fclose(file) == 0 && done ? 0 : 1;
}
