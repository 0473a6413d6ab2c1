/*
 * More points than a kernel matrix could hold: landmarks, with progress on stderr, and Ctrl-C as a cancelled call.
 *
 *     cc landmarks.c -o landmarks -lfreeridge -lm
 *     ./landmarks [POINTS [LANDMARKS]]
 */
#include <math.h>
#include <signal.h>

#include "csv.h"

static volatile sig_atomic_t interrupted = 0;

static void interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* The library calls this while it works: nonzero cancels the call, which leaves the model as it was. */
static int32_t report(double fraction, void* user) {
  fprintf(stderr, "\r%s %3.0f %%", (const char*)user, 100.0 * fraction);
  return interrupted;
}

/* Runs one step; says when it was cancelled. */
static int step(freeridge_status status) {
  fprintf(stderr, "\n");
  if (status == FREERIDGE_CANCELLED) {
    fprintf(stderr, "cancelled\n");
    return 0;
  }
  CHECK(status);
  return 1;
}

int main(int count, char** arguments) {
  const int64_t n = count > 1 ? atoll(arguments[1]) : 20000, landmarks = count > 2 ? atoll(arguments[2]) : 200;
  if (n < 1 || n > 10000000 || landmarks < 1 || landmarks > n)
    stop("POINTS, LANDMARKS: 1 <= LANDMARKS <= POINTS", "usage");
  signal(SIGINT, interrupt);

  /* Points on a spiral's turns, and noise that is the same on every machine. */
  double* x = allocate(2 * n, sizeof(double));
  double* y = allocate(n, sizeof(double));
  uint32_t state = 1;
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 12.0 * (double)i / (double)n;
    state = state * 1664525u + 1013904223u;
    x[2 * i] = angle * cos(angle);
    x[2 * i + 1] = angle * sin(angle);
    y[i] = sin(angle) + 0.1 * ((double)state / 2147483648.0 - 1.0);
  }

  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  char stage[32] = "";
  CHECK(freeridge_kernel_gaussian(3.0, &kernel));
  CHECK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel);
  const freeridge_points points = {.size = sizeof points, .n = n, .d = 2, .layout = FREERIDGE_ROW_MAJOR, .x = x};
  CHECK(freeridge_set_points(model, &points, 1, FREERIDGE_ROW_MAJOR, 1, y, 1)); /* 1: borrowed */
  CHECK(freeridge_set_landmarks(model, landmarks, NULL)); /* chosen by the library when it factorizes */
  CHECK(freeridge_set_progress(model, report, stage));

  int64_t bytes, rank;
  CHECK(freeridge_memory_required(model, &bytes));
  printf("%lld points, %lld landmarks: at most %.1f MB; a kernel matrix would be %.0f MB\n", (long long)n,
         (long long)landmarks, (double)bytes / 1e6, 8e-6 * (double)n * (double)n);

  double lambda, score;
  strcpy(stage, "factorize");
  int done = step(freeridge_factorize(model));
  strcpy(stage, "select lambda");
  done = done && step(freeridge_select_lambda(model, FREERIDGE_LOO, 0.0, 0.0, &lambda, &score));
  if (done) {
    CHECK(freeridge_get_rank(model, &rank));
    printf("rank %lld, lambda %.4g, exact leave-one-out error %.4f (the noise alone: %.4f)\n", (long long)rank, lambda,
           sqrt(score), 0.1 / sqrt(3.0));
  }

  freeridge_destroy(model);
  free(x);
  free(y);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
