/*
 * A first program: a smooth curve through 40 noisy points, its lambda chosen by exact leave-one-out.
 *
 *     cc example.c -o example -lfreeridge -lm      (after the library is installed)
 */
#include <freeridge.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status; the words of the last failure are in freeridge_last_error(). */
#define CHECK(call)                                                                       \
  do {                                                                                    \
    freeridge_status status = (call);                                                     \
    if (status != FREERIDGE_OK) {                                                         \
      fprintf(stderr, "%s: %s\n", freeridge_status_name(status), freeridge_last_error()); \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

enum { POINTS = 40, LAMBDAS = 9, NEW_POINTS = 5 };

/* Noise between -1 and 1, the same on every machine. */
static double noise(void) {
  static unsigned long state = 3;
  state = (state * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return (double)state / 0x3fffffff - 1.0;
}

int main(void) {
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  double x[POINTS], y[POINTS], lambdas[LAMBDAS], scores[LAMBDAS];
  double lambda, score, errors[POINTS], new_y[NEW_POINTS];
  const double new_x[NEW_POINTS] = {0.5, 1.5, 2.5, 3.5, 4.5};

  /* The data: sin(x) on [0, 6] and noise. */
  for (int i = 0; i < POINTS; ++i) {
    x[i] = 6.0 * i / (POINTS - 1);
    y[i] = sin(x[i]) + 0.2 * noise();
  }

  /* A model: a Gaussian kernel of bandwidth 1.5, and the data: 40 rows, one feature, one output. */
  CHECK(freeridge_kernel_gaussian(1.5, &kernel));
  CHECK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel); /* the model has its own copy */
  CHECK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, POINTS, 1, x, POINTS, 1, y, POINTS));

  /* The one expensive step. */
  CHECK(freeridge_factorize(model));

  /* Nearly free from here on: the leave-one-out score at any lambda ... */
  CHECK(freeridge_lambda_grid(model, LAMBDAS, lambdas));
  CHECK(freeridge_score(model, FREERIDGE_LOO, LAMBDAS, lambdas, scores, NULL, LAMBDAS));
  printf("%12s  %12s\n", "lambda", "LOO");
  for (int i = 0; i < LAMBDAS; ++i) printf("%12.4g  %12.6f\n", lambdas[i], scores[i]);

  /* ... and the best of all (0, 0: in the range that the data suggest). The model is fitted at it. */
  CHECK(freeridge_select_lambda(model, FREERIDGE_LOO, 0.0, 0.0, &lambda, &score));
  printf("best lambda %.4g with LOO %.6f\n\n", lambda, score);

  /* The leave-one-out errors themselves: what each point's prediction would miss by, had it not been seen. */
  CHECK(freeridge_loo(model, errors, POINTS));
  double largest = 0.0;
  for (int i = 0; i < POINTS; ++i) largest = fmax(largest, fabs(errors[i]));
  printf("largest leave-one-out error %.3f\n\n", largest);

  /* Predictions at new points. */
  CHECK(freeridge_predict(model, FREERIDGE_COL_MAJOR, NEW_POINTS, new_x, NEW_POINTS, new_y, NEW_POINTS));
  printf("%12s  %12s  %12s\n", "x", "predicted", "sin(x)");
  for (int i = 0; i < NEW_POINTS; ++i) printf("%12.2f  %12.4f  %12.4f\n", new_x[i], new_y[i], sin(new_x[i]));

  freeridge_destroy(model);
  return EXIT_SUCCESS;
}
