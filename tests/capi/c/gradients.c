/* Gradients against differences of the objective; gradient descent against ridge regression; early stopping against the
 * same; calibration against its stationarity. */
#include "checks.h"

static const double labels[N] = {1, -1, 1, -1, -1, 1, 1, -1};
static const double weights[N] = {1, 2, 1, 0.5, 1, 1, 3, 1};

static double objective_at(freeridge_loss loss, const double* y, double w0, double w1, double b) {
  const double w[D] = {w0, w1};
  double out = -1;
  OK(freeridge_loss_gradient(loss, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, y, weights, 0.5, 1, w, &b, &out, NULL,
                             NULL));
  return out;
}

static void gradients(void) {
  const double w[D * 2] = {0.3, -0.2, 0, 0}, b[2] = {0.1, 0}, h = 1e-6;
  freeridge_loss loss;
  for (loss = FREERIDGE_LOSS_LOGISTIC; loss <= FREERIDGE_LOSS_ABSOLUTE; ++loss) {
    const double* y = loss <= FREERIDGE_LOSS_HINGE ? labels : sample_y();
    double objective[2], gradient[D * 2], gradient_b[2], slope;
    OK(freeridge_loss_gradient(loss, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, y, weights, 0.5, 2, w, b, objective,
                               gradient, gradient_b));
    NEAR(objective[0], objective_at(loss, y, w[0], w[1], b[0]));
    slope = (objective_at(loss, y, w[0] + h, w[1], b[0]) - objective_at(loss, y, w[0] - h, w[1], b[0])) / (2 * h);
    CHECK(fabs(slope - gradient[0]) <= 1e-7);
    slope = (objective_at(loss, y, w[0], w[1] + h, b[0]) - objective_at(loss, y, w[0], w[1] - h, b[0])) / (2 * h);
    CHECK(fabs(slope - gradient[1]) <= 1e-7);
    slope = (objective_at(loss, y, w[0], w[1], b[0] + h) - objective_at(loss, y, w[0], w[1], b[0] - h)) / (2 * h);
    CHECK(fabs(slope - gradient_b[0]) <= 1e-7);
    OK(freeridge_loss_gradient(loss, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, y, NULL, 0, 1, w, b, NULL, NULL, NULL));
  }
}

/* K = x x' and w = x'c: the same objective, and dJ/dc = x dJ/dw. */
static void expansions(void) {
  const double c[N] = {0.1, -0.2, 0, 0.3, 0, 0.05, -0.1, 0.2}, b = 0.1;
  double k[N * N], w[D] = {0, 0}, gradient[N], gradient_b, objective, of_w[D], of_b, same;
  int i, j;
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) k[i + j * N] = sample_x()[i] * sample_x()[j] + sample_x()[i + N] * sample_x()[j + N];
    for (j = 0; j < D; ++j) w[j] += sample_x()[i + j * N] * c[i];
  }
  OK(freeridge_expansion_gradient(FREERIDGE_LOSS_LOGISTIC, N, k, N, labels, weights, 0.5, c, b, &objective, gradient,
                                  &gradient_b));
  OK(freeridge_loss_gradient(FREERIDGE_LOSS_LOGISTIC, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, labels, weights, 0.5, 1,
                             w, &b, &same, of_w, &of_b));
  NEAR(objective, same);
  NEAR(gradient_b, of_b);
  for (i = 0; i < N; ++i) NEAR(gradient[i], sample_x()[i] * of_w[0] + sample_x()[i + N] * of_w[1]);
  OK(freeridge_expansion_gradient(FREERIDGE_LOSS_LOGISTIC, N, k, N, labels, NULL, 0, c, b, NULL, NULL, NULL));
}

static int32_t hear(double fraction, void* user) {
  *(double*)user = fraction;
  return 0;
}

static int32_t cancel(double fraction, void* user) {
  (void)user;
  return fraction >= 0;
}

static void descent(void) {
  const int64_t steps[3] = {0, 10, 5000};
  double w[D * 4], b[4], objective[3], ridge_w[D], ridge_b, fraction = -1;
  freeridge_descent all = {.size = sizeof all, .intercept = 1, .callback = hear, .user = &fraction};
  freeridge_descent few = {.size = sizeof few, .intercept = 1, .average = 1, .start_w = w, .done = 10, .batch = 3};
  int i;
  OK(freeridge_gradient_descent(FREERIDGE_LOSS_SQUARED, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, sample_y(), NULL, 0.5,
                                3, steps, &all, w, b, objective));
  OK(freeridge_ridge(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, 1, sample_y(), N, 1, 0.5, NULL, ridge_w, &ridge_b));
  CHECK(fraction == 1 && all.step_used > 0 && objective[2] < objective[1] && objective[1] < objective[0]);
  CHECK(w[0] == 0 && w[1] == 0 && b[0] == 0);
  for (i = 0; i < D; ++i) NEAR(w[2 * D + i], ridge_w[i]);
  NEAR(b[2], ridge_b);
  few.start_b = b[1], few.rule = FREERIDGE_STEP_INVERSE, few.step = 0.1, few.seed = 7;
  OK(freeridge_gradient_descent(FREERIDGE_LOSS_HINGE, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, labels, weights, 0.5, 3,
                                steps, &few, w + D, b + 1, NULL));
  fraction = b[0] = -7;
  all.callback = cancel, all.batch = N;
  REFUSED(CANCELLED, freeridge_gradient_descent(FREERIDGE_LOSS_SQUARED, FREERIDGE_COL_MAJOR, N, D, sample_x(), N,
                                                sample_y(), NULL, 0.5, 3, steps, &all, w, b, NULL));
  CHECK(b[0] == -7);
}

/* One step of length eta from zero: w = eta x_c'y_c; and the ridge beside it. */
static void early_stopping(void) {
  const int64_t steps[2] = {1, 1000};
  double w[D * 2], b[2], df[2], lambda[2], ridge_w[D * 2], ridge_b[2], ridge_df[2], other_w[D], other_b, mean = 0;
  freeridge_early_stopping_answers answers = {sizeof answers, -1, w, b, df, lambda, ridge_w, ridge_b, ridge_df};
  freeridge_early_stopping_answers none = {.size = sizeof none};
  int i, k;
  OK(freeridge_early_stopping(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, sample_y(), 1, 0, 2, steps, &answers));
  for (i = 0; i < N; ++i) mean += sample_y()[i] / N;
  for (k = 0; k < D; ++k) {
    double product = 0;
    for (i = 0; i < N; ++i) product += sample_x()[i + k * N] * (sample_y()[i] - mean);
    NEAR(w[k], answers.step_used * product);
  }
  NEAR(lambda[1], 1 / (answers.step_used * 1000));
  OK(freeridge_ridge(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, 1, sample_y(), N, 1, lambda[1], NULL, other_w,
                     &other_b));
  for (k = 0; k < D; ++k) NEAR(ridge_w[D + k], other_w[k]);
  NEAR(ridge_b[1], other_b);
  CHECK(df[0] > 1 && df[0] < df[1] && df[1] <= 3 && ridge_df[0] > 1 && ridge_df[1] <= 3);
  OK(freeridge_early_stopping(FREERIDGE_COL_MAJOR, N, D, sample_x(), N, sample_y(), 0, answers.step_used, 2, steps,
                              &none));
  CHECK(none.step_used == answers.step_used);
}

static void calibration(void) {
  const double decision[N] = {2, -1, 0.5, 0.25, -2, 1, -0.5, -0.75};
  double slope = -7, offset = -7, gradient = 0, gradient_of_slope = 0;
  int i;
  OK(freeridge_calibrate(N, decision, labels, NULL, &slope, &offset));
  for (i = 0; i < N; ++i) { /* four of each class */
    const double rest = 1 / (1 + exp(-(offset + slope * decision[i]))) - (labels[i] > 0 ? 4.5 / 5 : 0.5 / 5);
    gradient += rest;
    gradient_of_slope += rest * decision[i];
  }
  NEAR(gradient, 0);
  NEAR(gradient_of_slope, 0);
  CHECK(slope > 0);
}

int main(void) {
  gradients();
  expansions();
  descent();
  early_stopping();
  calibration();
  return report();
}
