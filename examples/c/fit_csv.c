/*
 * Fits, tunes and predicts from files: a Gaussian kernel whose bandwidth and lambda are chosen by exact leave-one-out.
 *
 *     cc fit_csv.c -o fit_csv -lfreeridge -lm
 *     ./fit_csv TRAIN.csv [NEW.csv]
 *
 * TRAIN.csv has numbers, one header line, and the response in its last column; NEW.csv the same columns without the
 * response, or with it, which is then ignored. What was chosen goes to stderr, one prediction a line to stdout.
 */
#include <math.h>

#include "csv.h"

/* The standard deviation of each column: kernels of the distance want columns of one size. 1 for a constant column. */
static double* column_spread(const csv_table* table, int64_t d) {
  double* spread = allocate(d, sizeof(double));
  for (int64_t j = 0; j < d; ++j) {
    double mean = 0.0, squares = 0.0;
    for (int64_t i = 0; i < table->rows; ++i) mean += table->values[i * table->columns + j];
    mean /= (double)table->rows;
    for (int64_t i = 0; i < table->rows; ++i) {
      const double difference = table->values[i * table->columns + j] - mean;
      squares += difference * difference;
    }
    spread[j] = squares > 0.0 ? sqrt(squares / (double)table->rows) : 1.0;
  }
  return spread;
}

int main(int count, char** arguments) {
  if (count < 2 || count > 3) stop("TRAIN.csv [NEW.csv] is wanted", arguments[0]);
  csv_table train = csv_read(arguments[1]);
  const int64_t n = train.rows, d = train.columns - 1, ld = train.columns;
  if (d < 1) stop("has no column beside the response", arguments[1]);

  /* A Gaussian kernel of x / spread. The bandwidth is chosen below. */
  freeridge_kernel *gaussian = NULL, *kernel = NULL;
  freeridge_model* model = NULL;
  double* spread = column_spread(&train, d);
  CHECK(freeridge_kernel_gaussian(1.0, &gaussian));
  CHECK(freeridge_kernel_scaled(gaussian, d, spread, &kernel));
  CHECK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(gaussian);
  freeridge_kernel_destroy(kernel);
  free(spread);

  /* The table as it is: x is its first d columns, y its last, both with a row every ld numbers. Nothing is copied. */
  const freeridge_points points = {
      .size = sizeof points, .n = n, .d = d, .layout = FREERIDGE_ROW_MAJOR, .x = train.values, .ldx = ld};
  CHECK(freeridge_set_points(model, &points, 1, FREERIDGE_ROW_MAJOR, 1, train.values + d, ld)); /* 1: borrowed */

  /* Several factorizations, and for each all lambdas. The model is fitted at the best of all. */
  double sigma, lambda;
  CHECK(freeridge_select_bandwidth(model, FREERIDGE_LOO, 0.0, 0.0, 0, &sigma));
  CHECK(freeridge_get_lambda(model, &lambda));
  double* errors = allocate(n, sizeof(double));
  double squares = 0.0;
  CHECK(freeridge_loo(model, errors, n));
  for (int64_t i = 0; i < n; ++i) squares += errors[i] * errors[i];
  fprintf(stderr, "%lld rows, %lld features; sigma %.4g, lambda %.4g; leave-one-out error %.6g\n", (long long)n,
          (long long)d, sigma, lambda, sqrt(squares / (double)n));
  free(errors);

  if (count == 3) {
    csv_table new = csv_read(arguments[2]);
    if (new.columns != d&& new.columns != d + 1) stop("has other columns", arguments[2]);
    double* predicted = allocate(new.rows, sizeof(double));
    CHECK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, new.rows, new.values, new.columns, predicted, 1));
    for (int64_t i = 0; i < new.rows; ++i) printf("%.17g\n", predicted[i]);
    free(predicted);
    free(new.values);
  }

  freeridge_destroy(model);
  free(train.values); /* after the model, which borrows it */
  return EXIT_SUCCESS;
}
