/*
 * Ridge regression on a file of any length, in chunks: the memory does not grow with the rows. Two passes: one that
 * adds the rows, one for their exact leave-one-out errors.
 *
 *     cc stream_csv.c -o stream_csv -lfreeridge -lm
 *     ./stream_csv FILE.csv        numbers, one header line, the response in the last column
 */
#include <math.h>

#include "csv.h"

enum { CHUNK = 256, LAMBDAS = 60 };

/* The next rows of a file, at most CHUNK; 0 at its end. */
static int64_t next_chunk(csv_file* csv, double* rows) {
  int64_t n = 0;
  while (n < CHUNK && csv_row(csv, rows + n * csv->columns)) ++n;
  return n;
}

int main(int count, char** arguments) {
  if (count != 2) stop("FILE.csv is wanted", arguments[0]);
  csv_file csv = csv_open(arguments[1]);
  const int64_t ld = csv.columns, d = ld - 1;
  if (d < 1) stop("has no column beside the response", arguments[1]);
  double* rows = allocate(CHUNK * ld, sizeof(double)); /* x: the first d columns; y: the last */

  freeridge_points points = {.size = sizeof points, .d = d, .layout = FREERIDGE_ROW_MAJOR, .x = rows, .ldx = ld};
  freeridge_accumulator* sums = NULL;
  CHECK(freeridge_accumulator_create(d, 1, 1, &sums));
  int64_t n;
  while ((n = next_chunk(&csv, rows)) > 0) {
    points.n = n;
    CHECK(freeridge_accumulator_add(sums, &points, FREERIDGE_ROW_MAJOR, rows + d, ld, NULL));
  }
  csv_close(&csv);

  /* The best lambda by GCV, which needs no second pass. */
  double lambdas[LAMBDAS], scores[LAMBDAS], b;
  int best = 0;
  CHECK(freeridge_accumulator_lambda_grid(sums, LAMBDAS, lambdas));
  CHECK(freeridge_accumulator_score(sums, FREERIDGE_GCV, LAMBDAS, lambdas, scores, LAMBDAS));
  for (int i = 1; i < LAMBDAS; ++i) best = scores[i] < scores[best] ? i : best;
  double* w = allocate(d, sizeof(double));
  CHECK(freeridge_accumulator_solve(sums, 1, &lambdas[best], w, d, &b));

  /* The second pass. */
  double errors[CHUNK], squares = 0.0, weight = 0.0;
  csv = csv_open(arguments[1]);
  while ((n = next_chunk(&csv, rows)) > 0) {
    points.n = n;
    CHECK(freeridge_accumulator_errors(sums, &points, FREERIDGE_ROW_MAJOR, rows + d, ld, NULL, NULL, 1, &lambdas[best],
                                       errors, n));
    for (int64_t i = 0; i < n; ++i) squares += errors[i] * errors[i];
  }
  csv_close(&csv);

  CHECK(freeridge_accumulator_get_dimensions(sums, &n, NULL, NULL, &weight));
  printf("rows %lld\nlambda %.17g\nloo %.17g\nintercept %.17g\n", (long long)n, lambdas[best], squares / weight, b);
  for (int64_t j = 0; j < d; ++j) printf("w%lld %.17g\n", (long long)j + 1, w[j]);

  free(w);
  free(rows);
  freeridge_accumulator_destroy(sums);
  return EXIT_SUCCESS;
}
