/* Classifiers: stationarity of both losses, probabilities, support vectors. */
#include "checks.h"

static const double labels[N] = {1, -1, 1, -1, -1, 1, 1, -1};

static freeridge_classifier* with_data(freeridge_loss loss) {
  freeridge_kernel* kernel = gaussian(1.5);
  freeridge_classifier* out = NULL;
  OK(freeridge_classifier_create(kernel, loss, &out));
  freeridge_kernel_destroy(kernel);
  OK(freeridge_classifier_set_data(out, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), labels));
  return out;
}

static int32_t heard(double fraction, void* user) {
  *(double*)user = fraction;
  return 0;
}

static void logistic(void) {
  const double lambda = 0.5;
  freeridge_classifier* classifier = with_data(FREERIDGE_LOSS_LOGISTIC);
  double decision[N], probability[N], loo[N], c[N], b = -1, objective = -1, gap = -1, sum = 0, fraction = -1;
  int64_t iterations = -1, bytes = -1;
  int i;
  OK(freeridge_classifier_set_progress(classifier, heard, &fraction));
  OK(freeridge_classifier_memory_required(classifier, &bytes));
  CHECK(bytes >= 8 * N * N);
  OK(freeridge_classifier_fit(classifier, lambda));
  CHECK(fraction >= 0 && fraction <= 1);
  OK(freeridge_classifier_predict(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), decision, probability));
  OK(freeridge_classifier_predict(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), NULL, NULL));
  OK(freeridge_classifier_loo(classifier, loo));
  OK(freeridge_classifier_get_coefficients(classifier, c, &b));
  OK(freeridge_classifier_get_convergence(classifier, &objective, &iterations, &gap, NULL, NULL));
  CHECK(objective > 0 && iterations >= 1 && iterations <= 100 && gap <= 1e-8);
  for (i = 0; i < N; ++i) {
    sum += c[i];
    CHECK(fabs(lambda * c[i] * labels[i] - 1 / (1 + exp(labels[i] * decision[i]))) <= 2e-8);
    NEAR(probability[i], 1 / (1 + exp(-decision[i])));
    CHECK(isfinite(loo[i]) && labels[i] * loo[i] < labels[i] * decision[i]); /* left out it fits less well */
  }
  NEAR(sum, 0);
  freeridge_classifier_destroy(classifier);
}

static void hinge(void) {
  const double lambda = 0.5, weights[N] = {1, 2, 1, 1, 0.5, 1, 1, 3};
  freeridge_classifier* classifier = with_data(FREERIDGE_LOSS_HINGE);
  double decision[N], c[N], distance[N], of_points[N], slack[N], alphas[N], margin = -1, sum = 0, dual = 0, gap = -1,
                                                                            objective = 0;
  int32_t kinds[N];
  int64_t rows[N], count = -1, i, support = 0;
  OK(freeridge_classifier_set_weights(classifier, weights));
  OK(freeridge_classifier_set_parameter(classifier, FREERIDGE_INTERCEPT, 1));
  OK(freeridge_classifier_set_parameter(classifier, FREERIDGE_TOLERANCE, 1e-10));
  OK(freeridge_classifier_set_parameter(classifier, FREERIDGE_ITERATIONS, 20000));
  OK(freeridge_classifier_fit(classifier, lambda));
  OK(freeridge_classifier_predict(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), decision, NULL));
  OK(freeridge_classifier_get_coefficients(classifier, c, NULL));
  OK(freeridge_classifier_get_support(classifier, &count, rows, &margin));
  CHECK(margin > 0);
  for (i = 0; i < N; ++i) {
    const double alpha = c[i] * labels[i], z = labels[i] * decision[i], box = weights[i] / lambda;
    sum += c[i];
    CHECK(alpha >= 0 && alpha <= box * (1 + 1e-12));
    if (alpha == 0) CHECK(z >= 1 - 1e-8);
    if (alpha > 0 && alpha < box * (1 - 1e-9)) CHECK(fabs(z - 1) <= 1e-8);
    if (alpha >= box * (1 - 1e-9)) CHECK(z <= 1 + 1e-8);
    if (c[i] != 0) CHECK(support < count && rows[support++] == i);
  }
  CHECK(support == count);
  NEAR(sum, 0);
  OK(freeridge_classifier_distances(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), distance));
  OK(freeridge_classifier_get_margins(classifier, of_points, slack, alphas, kinds));
  OK(freeridge_classifier_get_convergence(classifier, &objective, NULL, NULL, &dual, &gap));
  for (i = 0; i < N; ++i) {
    NEAR(distance[i], decision[i] * margin);
    NEAR(of_points[i], labels[i] * decision[i]);
    NEAR(slack[i], of_points[i] < 1 ? 1 - of_points[i] : 0);
    CHECK(alphas[i] == labels[i] * c[i]);
    CHECK(kinds[i] == (c[i] == 0                                       ? FREERIDGE_SUPPORT_NONE
                       : alphas[i] < weights[i] / lambda * (1 - 1e-12) ? FREERIDGE_SUPPORT_FREE
                                                                       : FREERIDGE_SUPPORT_BOUNDED));
  }
  CHECK(dual <= objective && gap >= 0 && gap <= 1e-8 * objective);
  NEAR(dual + gap, objective);
  freeridge_classifier_destroy(classifier);
  freeridge_classifier_destroy(NULL);
}

/* (-1), 0 | 2, 5: the street from 0 to 2 is the widest; with a penalised intercept f = w x + b, and b = sum c. */
static void hard_margin(void) {
  const double x[4] = {-1, 0, 2, 5}, y[4] = {-1, -1, 1, 1}, wrong[4] = {-1, 1, -1, 1};
  freeridge_kernel* kernel = NULL;
  freeridge_classifier* classifier = NULL;
  double decision[4], c[4], b = -7, margin = -7, lambda = -7, dual = -7, gap = -7;
  int64_t count = -7;
  double on = -7;
  OK(freeridge_kernel_linear(&kernel));
  OK(freeridge_classifier_create(kernel, FREERIDGE_LOSS_HINGE, &classifier));
  freeridge_kernel_destroy(kernel);
  OK(freeridge_classifier_set_data(classifier, DENSE(FREERIDGE_COL_MAJOR, 4, 1, x), y));
  OK(freeridge_classifier_fit(classifier, 0));
  OK(freeridge_classifier_predict(classifier, DENSE(FREERIDGE_COL_MAJOR, 4, 1, x), decision, NULL));
  OK(freeridge_classifier_get_support(classifier, &count, NULL, &margin));
  OK(freeridge_classifier_get_lambda(classifier, &lambda));
  OK(freeridge_classifier_get_convergence(classifier, NULL, NULL, NULL, &dual, &gap));
  NEAR(decision[0], -2);
  NEAR(decision[1], -1);
  NEAR(decision[2], 1);
  NEAR(decision[3], 4);
  NEAR(margin, 1);
  NEAR(dual + gap, 0.5);
  NEAR(dual, 0.5);
  CHECK(count == 2 && lambda == 0 && gap >= 0 && gap <= 1e-9);
  OK(freeridge_classifier_set_parameter(classifier, FREERIDGE_INTERCEPT, FREERIDGE_INTERCEPT_PENALISED));
  OK(freeridge_classifier_get_parameter(classifier, FREERIDGE_INTERCEPT, &on));
  CHECK(on == FREERIDGE_INTERCEPT_PENALISED);
  OK(freeridge_classifier_fit(classifier, 0.5));
  OK(freeridge_classifier_get_coefficients(classifier, c, &b));
  NEAR(b, c[0] + c[1] + c[2] + c[3]);
  OK(freeridge_classifier_set_data(classifier, DENSE(FREERIDGE_COL_MAJOR, 4, 1, x), wrong));
  OK(freeridge_classifier_set_parameter(classifier, FREERIDGE_INTERCEPT, FREERIDGE_INTERCEPT_FREE));
  REFUSED(UNDEFINED, freeridge_classifier_fit(classifier, 0));
  REFUSED(INVALID_STATE, freeridge_classifier_get_lambda(classifier, &lambda));
  freeridge_classifier_destroy(classifier);
}

int main(void) {
  logistic();
  hinge();
  hard_margin();
  return report();
}
