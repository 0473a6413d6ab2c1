/* What handles tell about their settings, copies of models, answers at many lambdas, saved classifiers and kernel values:
 * identities between these calls and the others. */
#include <string.h>

#include "checks.h"

enum { COUNT = 3, ROOM = 65536 };
static const double lambdas[COUNT] = {0.2, 1, 7};
static unsigned char bytes[ROOM], again[ROOM];

static void settings(void) {
  freeridge_model *model = factorized_model(FREERIDGE_ROUTE_SPECTRAL), *clone = NULL;
  freeridge_kernel* kernel = NULL;
  double weights[N], low = NAN, high = NAN, usual = NAN, value = NAN;
  int32_t group[N], whole = -1;
  freeridge_parameter parameter;
  const int32_t gaps[N] = {7, -1, 0, 2, 0, -1, 2, -1};
  int32_t gaps_again[N];
  int64_t layers = -1, divisions = -1, count = -1, given = -1, length = 0, length_again = 0;
  int i;
  OK(freeridge_set_lambda(model, 0.5));
  OK(freeridge_clone(model, &clone));
  OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, ROOM, bytes, &length));
  OK(freeridge_save_to_memory(clone, FREERIDGE_SAVE_MODEL, ROOM, again, &length_again));
  CHECK(length == length_again && memcmp(bytes, again, (size_t)length) == 0);
  freeridge_destroy(model);
  OK(freeridge_get_kernel(clone, &kernel));
  freeridge_kernel_destroy(kernel);
  OK(freeridge_get_weights(clone, weights));
  for (i = 0; i < N; ++i) CHECK(weights[i] > 0);
  OK(freeridge_get_groups(clone, &divisions, group, NULL, NULL));
  CHECK(divisions == 1);
  for (i = 0; i < N; ++i) CHECK(group[i] == (sample_group()[i] >= 0 ? sample_group()[i] : -1));
  OK(freeridge_get_groups(clone, NULL, NULL, &layers, NULL));
  CHECK(layers == 0);
  OK(freeridge_set_groups(clone, 1, sample_group(), 1, gaps));
  OK(freeridge_get_groups(clone, NULL, NULL, &layers, gaps_again));
  CHECK(layers == 1 && memcmp(gaps, gaps_again, sizeof gaps) == 0);
  OK(freeridge_set_groups(clone, 1, sample_group(), 0, NULL));
  for (parameter = FREERIDGE_MISSING; parameter <= FREERIDGE_UNPENALISED; ++parameter) {
    OK(freeridge_parameter_bounds(parameter, &low, &high, &usual, &whole));
    OK(freeridge_get_parameter(clone, parameter, &value));
    CHECK(low <= usual && usual <= high && (whole == 0 || whole == 1));
    CHECK(value == (parameter == FREERIDGE_ROUTE ? (double)FREERIDGE_ROUTE_SPECTRAL : usual));
  }
  OK(freeridge_set_parameter(clone, FREERIDGE_REFINEMENT, 2));
  OK(freeridge_get_requested_landmarks(clone, &count, &given, NULL));
  CHECK(count == 0 && given == 0);
  freeridge_destroy(clone);
}

static void paths(freeridge_route route) {
  freeridge_model* model = factorized_model(route);
  double predicted[N * COUNT * T], c[N * COUNT * T], b[T * COUNT], one[N * T], w[D * COUNT * T];
  double training[COUNT * T], norm2[COUNT * T], objective[COUNT * T];
  int i, l;
  OK(freeridge_objective(model, COUNT, lambdas, training, norm2, objective, COUNT));
  for (i = 0; i < COUNT * T; ++i) NEAR(objective[i], N * training[i] + lambdas[i % COUNT] * norm2[i]);
  OK(freeridge_objective(model, COUNT, lambdas, NULL, NULL, objective, COUNT));
  OK(freeridge_predict_points(model, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), COUNT, lambdas, FREERIDGE_COL_MAJOR,
                              predicted, N));
  OK(freeridge_coefficients(model, COUNT, lambdas, c, N, b));
  if (route == FREERIDGE_ROUTE_PRIMAL)
    OK(freeridge_hyperplane(model, COUNT, lambdas, w, D, NULL));
  else
    REFUSED(INVALID_STATE, freeridge_hyperplane(model, COUNT, lambdas, w, D, NULL));
  for (l = 0; l < COUNT; ++l) {
    OK(freeridge_set_lambda(model, lambdas[l]));
    OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, N, sample_x(), N, one, N));
    for (i = 0; i < N * T; ++i) NEAR(predicted[i + l * N * T], one[i]);
    OK(freeridge_coefficients(model, 0, NULL, one, N, NULL));
    for (i = 0; i < N * T; ++i) NEAR(c[i + l * N * T], one[i]);
  }
  freeridge_destroy(model);
}

static void classifiers(void) {
  double y[N], before[N], after[N], weights[N], x[2] = {0, 1}, values[4], tolerance = -1, lambda = -1;
  const freeridge_points* points;
  freeridge_kernel *kernel = NULL, *same = NULL;
  freeridge_classifier *classifier = NULL, *loaded = NULL;
  double loss = -1, intercept = -1, iterations = -1;
  char text[40];
  int64_t length = -1, n = -1, d = -1;
  int i;
  for (i = 0; i < N; ++i) y[i] = i % 3 == 0 ? 1 : -1;
  points = DENSE(FREERIDGE_COL_MAJOR, 2, 1, x);
  OK(freeridge_kernel_gaussian(1.5, &kernel));
  OK(freeridge_kernel_evaluate(kernel, points, points, FREERIDGE_COL_MAJOR, values, 2));
  CHECK(values[0] == 1 && values[3] == 1 && values[1] == values[2]);
  NEAR(values[1], exp(-1 / 2.25));
  OK(freeridge_classifier_create(kernel, FREERIDGE_LOSS_LOGISTIC, &classifier));
  OK(freeridge_classifier_set_data(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), y));
  OK(freeridge_classifier_fit(classifier, 0.5));
  OK(freeridge_classifier_save(classifier, NOWHERE));
  OK(freeridge_classifier_save_to_memory(classifier, ROOM, bytes, &length));
  OK(freeridge_classifier_load_from_memory(bytes, length, &loaded));
  OK(freeridge_classifier_predict(classifier, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), before, NULL));
  OK(freeridge_classifier_predict(loaded, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), after, NULL));
  for (i = 0; i < N; ++i) CHECK(before[i] == after[i]);
  OK(freeridge_classifier_get_kernel(loaded, &same));
  OK(freeridge_kernel_describe(same, sizeof text, text, &length));
  CHECK(strcmp(text, "gaussian(sigma = 1.5)") == 0);
  OK(freeridge_classifier_get_parameter(loaded, FREERIDGE_LOSS, &loss));
  OK(freeridge_classifier_get_parameter(loaded, FREERIDGE_INTERCEPT, &intercept));
  OK(freeridge_classifier_get_parameter(loaded, FREERIDGE_TOLERANCE, &tolerance));
  OK(freeridge_classifier_get_parameter(loaded, FREERIDGE_ITERATIONS, &iterations));
  OK(freeridge_classifier_get_weights(loaded, weights));
  OK(freeridge_classifier_get_dimensions(loaded, &n, &d));
  OK(freeridge_classifier_get_lambda(loaded, &lambda));
  CHECK(loss == FREERIDGE_LOSS_LOGISTIC && intercept == 1 && tolerance == 1e-8 && iterations == 100 && n == N &&
        d == D);
  CHECK(lambda == 0.5 && weights[0] == 1);
  freeridge_classifier_destroy(loaded);
  loaded = NULL;
  REFUSED(IO, freeridge_classifier_load("/none", &loaded));
  REFUSED(CORRUPT, freeridge_classifier_load_from_memory(bytes, length - 8, &loaded));
  CHECK(loaded == NULL);
  freeridge_classifier_destroy(classifier);
  freeridge_kernel_destroy(kernel);
  freeridge_kernel_destroy(same);
}

static void accumulators(void) {
  freeridge_accumulator *rows = NULL, *loaded = NULL;
  freeridge_search search = {.size = sizeof search};
  double lambda[T], score[T], check[T];
  double on = -1;
  int64_t length = -1;
  int j;
  OK(freeridge_accumulator_create(D, T, 1, &rows));
  OK(freeridge_accumulator_add(rows, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), FREERIDGE_COL_MAJOR, sample_y(), N,
                               NULL));
  OK(freeridge_accumulator_get_parameter(rows, FREERIDGE_INTERCEPT, &on));
  CHECK(on == 1);
  search.lambda = lambda, search.score = score;
  OK(freeridge_accumulator_select_lambda(rows, FREERIDGE_REML, 0.01, 100, &search));
  search.next = check;
  REFUSED(INVALID_ARGUMENT, freeridge_accumulator_select_lambda(rows, FREERIDGE_REML, 0.01, 100, &search));
  for (j = 0; j < T; ++j) {
    OK(freeridge_accumulator_score(rows, FREERIDGE_REML, 1, &lambda[j], check, 1));
    NEAR(check[j], score[j]);
  }
  OK(freeridge_accumulator_objective(rows, 1, lambda, score, check, NULL, 1));
  CHECK(score[0] > 0 && check[0] > 0);
  OK(freeridge_accumulator_save(rows, NOWHERE));
  OK(freeridge_accumulator_save_to_memory(rows, ROOM, bytes, &length));
  OK(freeridge_accumulator_load_from_memory(bytes, length, &loaded));
  REFUSED(IO, freeridge_accumulator_load("/none", &loaded));
  freeridge_accumulator_destroy(loaded);
  freeridge_accumulator_destroy(rows);
}

int main(void) {
  settings();
  paths(FREERIDGE_ROUTE_SPECTRAL);
  paths(FREERIDGE_ROUTE_CHOLESKY);
  paths(FREERIDGE_ROUTE_PRIMAL);
  classifiers();
  accumulators();
  return report();
}
